// SPDX-License-Identifier: LGPL-2.1-or-later
/* libpfm4's functions over libperfctr, on a Skylake; elsewhere the kernel's names alone. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "compat/libpfm4/abi.h"
#include "tests/harness/check.h"

#define LEVELS (PFM_PLM0 | PFM_PLM3)

struct answer {
	struct perf_event_attr attr;
	char full[400];
	int idx, cpu;
};

static int encoded(const char *text, int levels, int os, struct answer *answer)
{
	char *full = NULL;
	pfm_perf_encode_arg_t arg = { .attr = &answer->attr, .fstr = &full, .size = sizeof(arg) };
	int result;

	memset(answer, 0, sizeof(*answer));
	result = pfm_get_os_event_encoding(text, levels, os, &arg);
	if (full)
		snprintf(answer->full, sizeof(answer->full), "%s", full);
	free(full);
	answer->idx = arg.idx;
	answer->cpu = arg.cpu;
	return result;
}

static struct answer answer_of(const char *text, int levels)
{
	struct answer answer;
	int result = encoded(text, levels, PFM_OS_PERF_EVENT_EXT, &answer);

	ck_assert_msg(result == PFM_SUCCESS, "%s: %s", text, pfm_strerror(result));
	return answer;
}

static void is(const char *text, unsigned int type, uint64_t config, const char *full)
{
	struct answer answer = answer_of(text, LEVELS);

	ck_assert_msg(answer.attr.type == type && answer.attr.config == config,
		      "%s: type %u, config %llx", text, answer.attr.type,
		      (unsigned long long)answer.attr.config);
	ck_assert_str_eq(answer.full, full);
}

static void fails(const char *text, int error)
{
	struct answer answer;
	int result = encoded(text, LEVELS, PFM_OS_PERF_EVENT_EXT, &answer);

	ck_assert_msg(result == error, "%s: %d", text, result);
	ck_assert_str_eq(answer.full, "");
	ck_assert_uint_eq(answer.attr.config, 0);
}

static bool is_skylake(void)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	return pfm_get_pmu_info(200, &info) == PFM_SUCCESS && info.is_present;
}

/* What lists of events are in is given back by their last user, and no other. */
static unsigned int freed;

void __real_free(void *memory);
void __wrap_free(void *memory);

void __wrap_free(void *memory)
{
	freed += memory != NULL;
	__real_free(memory);
}

START_TEST(before_and_after)
{
	pfm_pmu_info_t pmu = { .size = 0 };
	pfm_event_info_t event = { .size = 0 };
	pfm_event_attr_info_t attribute = { .size = 0 };
	struct answer answer;
	uint64_t *codes = NULL;
	int count = 0;

	ck_assert_int_eq(pfm_get_pmu_info(51, &pmu), PFM_ERR_NOINIT);
	ck_assert_int_eq(pfm_get_event_info(0, 0, &event), PFM_ERR_NOINIT);
	ck_assert_int_eq(pfm_get_event_attr_info(0, 0, 0, &attribute), PFM_ERR_NOINIT);
	ck_assert_int_eq(pfm_find_event("cycles"), PFM_ERR_NOINIT);
	ck_assert_int_eq(pfm_get_event_next(51 << 21), -1);
	ck_assert_int_eq(pfm_pmu_validate(51, stderr), PFM_ERR_NOINIT);
	ck_assert_int_eq(pfm_get_event_encoding("cycles", 8, NULL, NULL, &codes, &count),
			 PFM_ERR_NOINIT);
	ck_assert_int_eq(encoded("cycles", 8, PFM_OS_PERF_EVENT, &answer), PFM_ERR_NOINIT);
	pfm_terminate();
	/* Each user ends it. */
	ck_assert_int_eq(pfm_initialize(), PFM_SUCCESS);
	ck_assert_int_eq(pfm_initialize(), PFM_SUCCESS);
	ck_assert_int_eq(pfm_get_event_info(pfm_find_event("cycles"), PFM_OS_NONE, &event),
			 PFM_SUCCESS);
	freed = 0;
	pfm_terminate();
	ck_assert_uint_eq(freed, 0);
	ck_assert_int_ge(pfm_find_event("cycles"), 0);
	freed = 0;
	pfm_terminate();
	ck_assert_uint_gt(freed, 0);
	ck_assert_int_eq(pfm_find_event("cycles"), PFM_ERR_NOINIT);
	ck_assert_int_eq(pfm_get_version(), 0x40000);
}
END_TEST

START_TEST(errors_have_words)
{
	int i, k;

	for (i = 0; i >= PFM_ERR_TOOSMALL; i--)
		for (k = 0; k > i; k--)
			ck_assert_str_ne(pfm_strerror(i), pfm_strerror(k));
	ck_assert_str_eq(pfm_strerror(PFM_SUCCESS), "success");
	ck_assert_str_eq(pfm_strerror(-4), "event not found");
	ck_assert_str_eq(pfm_strerror(-13), "unknown error");
	ck_assert_str_eq(pfm_strerror(1), "unknown error");
}
END_TEST

/* ---- the kernel's names, on every machine ---- */

START_TEST(names_of_the_kernel)
{
	struct answer answer;

	pfm_initialize();
	is("PERF_COUNT_HW_CPU_CYCLES", PERF_TYPE_HARDWARE, 0,
	   "perf::PERF_COUNT_HW_CPU_CYCLES:u=1:k=1:h=0:precise=0:excl=0:mg=0:mh=1");
	is("perf::PERF_COUNT_SW_PAGE_FAULTS", PERF_TYPE_SOFTWARE, 2,
	   "perf::PERF_COUNT_SW_PAGE_FAULTS:u=1:k=1:excl=0:mg=0:mh=1");
	is("PERF_COUNT_HW_CACHE_LL:WRITE:ACCESS:u=0:k", PERF_TYPE_HW_CACHE, 0x102,
	   "perf::PERF_COUNT_HW_CACHE_LL:WRITE:ACCESS:u=0:k=1:h=0:precise=0:excl=0:mg=0:mh=1");
	is("PERF_COUNT_HW_CACHE_L1D", PERF_TYPE_HW_CACHE, 0x10000,
	   "perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS:u=1:k=1:h=0:precise=0:excl=0:mg=0:mh=1");
	/* Those that are not listed. */
	is("cycles", PERF_TYPE_HARDWARE, 0, "perf::cycles:u=1:k=1:h=0:precise=0:excl=0:mg=0:mh=1");
	fails("perf::R1C0", PFM_ERR_NOTFOUND);
	fails("perf::", PFM_ERR_NOTFOUND);
	fails("", PFM_ERR_NOTFOUND);
	fails("cycles,instructions", PFM_ERR_NOTFOUND);
	fails("cpu/event=1/", PFM_ERR_NOTFOUND);
	fails("NO_SUCH_EVENT", PFM_ERR_NOTFOUND);
	fails("arm_n1::CPU_CYCLES", PFM_ERR_NOTFOUND);
	fails("no_such_pmu::cycles", PFM_ERR_NOTFOUND);
	fails("PERF_COUNT_HW_CACHE_LL:READ:WRITE", PFM_ERR_FEATCOMB);
	fails("PERF_COUNT_HW_CACHE_LL:FOO", PFM_ERR_ATTR);
	fails("PERF_COUNT_HW_CPU_CYCLES:", PFM_ERR_ATTR);
	fails("PERF_COUNT_HW_CPU_CYCLES:precise=4", PFM_ERR_ATTR_VAL);
	fails("PERF_COUNT_HW_CPU_CYCLES:period=0", PFM_ERR_ATTR_VAL);
	fails("PERF_COUNT_HW_CPU_CYCLES:freq", PFM_ERR_ATTR_VAL);
	fails("PERF_COUNT_HW_CPU_CYCLES:period=1x", PFM_ERR_ATTR_VAL);
	fails("PERF_COUNT_HW_CPU_CYCLES:period=-1", PFM_ERR_ATTR_VAL);
	fails("PERF_COUNT_HW_CPU_CYCLES:u=2", PFM_ERR_ATTR_VAL);
	fails("PERF_COUNT_HW_CPU_CYCLES:period=", PFM_ERR_ATTR_VAL);
	fails("PERF_COUNT_HW_CPU_CYCLES:cpu=0x7FFFFFFF", PFM_ERR_ATTR_VAL);
	/* Some modifiers are not for all systems. */
	ck_assert_int_eq(encoded("PERF_COUNT_HW_CPU_CYCLES:period=9", LEVELS, PFM_OS_PERF_EVENT,
				 &answer),
			 PFM_ERR_ATTR);
	ck_assert_int_eq(encoded("PERF_COUNT_HW_CPU_CYCLES", LEVELS, PFM_OS_MAX, &answer),
			 PFM_ERR_INVAL);
	pfm_terminate();
}
END_TEST

START_TEST(modifiers_of_perf_events)
{
	struct perf_event_attr attr;
	bool hypervisor;

	pfm_initialize();
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS", PFM_PLM3).attr;
	/* Intel has none. */
	hypervisor = !is_skylake();
	ck_assert(!attr.exclude_user && attr.exclude_kernel && attr.exclude_hv == hypervisor);
	ck_assert(attr.exclude_guest && !attr.exclude_host && !attr.pinned && !attr.precise_ip);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS", PFM_PLM0 | PFM_PLMH).attr;
	ck_assert(attr.exclude_user && !attr.exclude_kernel && !attr.exclude_hv);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS:K", PFM_PLM3).attr;
	ck_assert(attr.exclude_user && !attr.exclude_kernel && attr.exclude_hv == hypervisor);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS:u=0:k:k=1", PFM_PLM3).attr;
	ck_assert(attr.exclude_user && !attr.exclude_kernel);
	fails("PERF_COUNT_HW_INSTRUCTIONS:u:k:u=0", PFM_ERR_ATTR_SET);
	fails("PERF_COUNT_HW_INSTRUCTIONS:period=3:period=4", PFM_ERR_ATTR_SET);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS:mg", LEVELS).attr;
	ck_assert(!attr.exclude_guest && attr.exclude_host);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS:mg=1:mh=1", LEVELS).attr;
	ck_assert(!attr.exclude_guest && !attr.exclude_host);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS:mg=0", LEVELS).attr;
	ck_assert(attr.exclude_guest && !attr.exclude_host);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS:period=0x1000:pinned:excl=y:precise=2", LEVELS)
		       .attr;
	ck_assert(attr.sample_period == 4096 && !attr.freq && attr.pinned && attr.exclusive &&
		  attr.precise_ip == 2);
	attr = answer_of("PERF_COUNT_HW_INSTRUCTIONS:freq=99", LEVELS).attr;
	ck_assert(attr.sample_freq == 99 && attr.freq);
	fails("PERF_COUNT_HW_INSTRUCTIONS:freq=99:period=1", PFM_ERR_ATTR_VAL);
	ck_assert_int_eq(answer_of("PERF_COUNT_HW_INSTRUCTIONS", LEVELS).cpu, -1);
	ck_assert_int_eq(answer_of("PERF_COUNT_HW_INSTRUCTIONS:cpu=3", LEVELS).cpu, 3);
	pfm_terminate();
}
END_TEST

/* Callers may have been compiled for less; what they set and no text names is kept. */
START_TEST(sizes)
{
	struct {
		struct perf_event_attr attr;
		char after[8];
	} small = { .attr = { .size = PERF_ATTR_SIZE_VER0, .inherit = 1 }, .after = "kept" };
	pfm_perf_encode_arg_t arg = { .attr = &small.attr };
	struct {
		pfm_pmu_info_t info;
		char after[16];
	} large = { .info = { .size = sizeof(large) - 8 } };

	pfm_initialize();
	memset(small.attr.size + (char *)&small.attr, 0x55, sizeof(small.attr) - small.attr.size);
	ck_assert_int_eq(pfm_get_os_event_encoding("PERF_COUNT_SW_PAGE_FAULTS", LEVELS,
						   PFM_OS_PERF_EVENT, &arg),
			 PFM_SUCCESS);
	ck_assert(small.attr.inherit && small.attr.config == 2 && small.attr.exclude_guest);
	ck_assert_uint_eq(small.attr.size, PERF_ATTR_SIZE_VER0);
	ck_assert_int_eq(((char *)&small.attr)[PERF_ATTR_SIZE_VER0], 0x55);
	memset(large.after, 0x55, sizeof(large.after));
	ck_assert_int_eq(pfm_get_pmu_info(51, &large.info), PFM_SUCCESS);
	ck_assert_int_eq(large.after[7], 0);
	ck_assert_int_eq(large.after[8], 0x55);
	large.info.size = sizeof(large.info) - 1;
	ck_assert_int_eq(pfm_get_pmu_info(51, &large.info), PFM_ERR_INVAL);
	arg.size = sizeof(arg) - 1;
	ck_assert_int_eq(pfm_get_os_event_encoding("cycles", LEVELS, PFM_OS_PERF_EVENT, &arg),
			 PFM_ERR_INVAL);
	arg = (pfm_perf_encode_arg_t){ .attr = NULL };
	ck_assert_int_eq(pfm_get_os_event_encoding("cycles", LEVELS, PFM_OS_PERF_EVENT, &arg),
			 PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_os_event_encoding(NULL, LEVELS, PFM_OS_PERF_EVENT, &arg),
			 PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_os_event_encoding("cycles", LEVELS, PFM_OS_NONE, NULL),
			 PFM_ERR_INVAL);
	pfm_terminate();
}
END_TEST

START_TEST(lists)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_event_attr_info_t mask = { .size = sizeof(mask) };
	int n = 0, idx;

	pfm_initialize();
	ck_assert_int_eq(pfm_get_pmu_info(-1, &pmu), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_pmu_info(0, NULL), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_pmu_info(0, &pmu), PFM_ERR_NOTSUPP);
	ck_assert_int_eq(pfm_get_pmu_info(518, &pmu), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_pmu_info(51, &pmu), PFM_SUCCESS);
	ck_assert_str_eq(pmu.name, "perf");
	ck_assert(pmu.is_present && pmu.type == PFM_PMU_TYPE_OS_GENERIC && pmu.nevents == 27);
	/* A name that a client brings is not listed. */
	ck_assert_int_eq(pfm_find_event("cycles"), 51 << 21 | 27);
	ck_assert_int_eq(pfm_find_event("CYCLES"), 51 << 21 | 27);
	ck_assert_int_eq(pfm_get_pmu_info(51, &pmu), PFM_SUCCESS);
	ck_assert_int_eq(pmu.nevents, 27);
	for (idx = pmu.first_event; idx >= 0; idx = pfm_get_event_next(idx))
		n++;
	ck_assert_int_eq(n, 27);
	ck_assert_int_eq(pfm_get_event_next(51 << 21 | 27), -1);
	ck_assert_int_eq(pfm_get_event_next(-5), -1);
	ck_assert_int_eq(pfm_find_event("PERF_COUNT_SW_PAGE_FAULTS"), pmu.first_event + 12);
	ck_assert_int_eq(pfm_find_event(NULL), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_find_event("no_such"), PFM_ERR_NOTFOUND);
	idx = pfm_find_event("perf::PERF_COUNT_HW_CACHE_BPU");
	ck_assert_int_eq(pfm_get_event_info(idx, PFM_OS_PERF_EVENT_EXT, &event), PFM_SUCCESS);
	ck_assert_str_eq(event.name, "PERF_COUNT_HW_CACHE_BPU");
	ck_assert(event.pmu == 51 && event.idx == idx && event.nattrs == 3 + 12);
	ck_assert_int_eq(pfm_get_event_info(idx, PFM_OS_NONE, &event), PFM_SUCCESS);
	ck_assert_int_eq(event.nattrs, 3);
	ck_assert_int_eq(pfm_get_event_info(idx, PFM_OS_MAX, &event), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_event_info(idx, 0, NULL), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_event_info(51 << 21 | 99, 0, &event), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_event_attr_info(idx, 2, PFM_OS_NONE, &mask), PFM_SUCCESS);
	ck_assert_str_eq(mask.name, "MISS");
	ck_assert(mask.type == PFM_ATTR_UMASK && mask.is_dfl && mask.ctrl == PFM_ATTR_CTRL_PMU);
	ck_assert_int_eq(pfm_get_event_attr_info(idx, 3, PFM_OS_NONE, &mask), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_event_attr_info(idx, -1, PFM_OS_NONE, &mask), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_event_attr_info(-1, 0, PFM_OS_NONE, &mask), PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_event_attr_info(idx, 6, PFM_OS_PERF_EVENT_EXT, &mask),
			 PFM_SUCCESS);
	ck_assert_str_eq(mask.name, "period");
	ck_assert(mask.type == PFM_ATTR_MOD_INTEGER && mask.ctrl == PFM_ATTR_CTRL_PERF_EVENT);
	ck_assert_int_eq(pfm_pmu_validate(51, stderr), PFM_SUCCESS);
	ck_assert_int_eq(pfm_pmu_validate(449, stderr), PFM_ERR_NOTSUPP);
	pfm_terminate();
}
END_TEST

START_TEST(reasons_on_request)
{
	int before, pipes[2];
	char text[600];
	ssize_t n;

	ck_assert_int_eq(pipe(pipes), 0);
	before = dup(STDERR_FILENO);
	dup2(pipes[1], STDERR_FILENO);
	pfm_initialize();
	ck_assert_int_eq(pfm_find_event("instructoins"), PFM_ERR_NOTFOUND);
	setenv("LIBPFM_VERBOSE", "1", 1);
	ck_assert_int_eq(pfm_find_event("instructoins"), PFM_ERR_NOTFOUND);
	ck_assert_int_eq(pfm_find_event("a,b"), PFM_ERR_NOTFOUND);
	unsetenv("LIBPFM_VERBOSE");
	pfm_terminate();
	dup2(before, STDERR_FILENO);
	close(pipes[1]);
	n = read(pipes[0], text, sizeof(text) - 1);
	ck_assert_int_gt((int)n, 0);
	text[n] = '\0';
	/* Once, and with what to write instead. */
	ck_assert_ptr_nonnull(strstr(text, "\"instructoins\": event not found; "));
	ck_assert_ptr_nonnull(strstr(text, "did you mean instructions"));
	ck_assert_str_eq(strchr(text, '\n'),
			 "\nlibpfm.so.4 of libperfctr: \"a,b\": event not found\n");
	close(pipes[0]);
	close(before);
}
END_TEST

/* ---- a processor's own ---- */

START_TEST(events_of_skylake)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	int idx;

	pfm_initialize();
	if (!is_skylake()) {
		pfm_terminate();
		return;
	}
	is("L2_RQSTS:MISS", PERF_TYPE_RAW, 0x3F24,
	   "skl::L2_RQSTS:MISS:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1");
	is("skl::l2_rqsts:miss:C=2:E:I=1:u", PERF_TYPE_RAW, 0x02843F24,
	   "skl::L2_RQSTS:MISS:e=1:i=1:c=2:t=0:intx=0:intxcp=0:u=1:k=0:precise=0:excl=0:mg=0:mh=1");
	is("L2_RQSTS:MISS:e=0:i=n", PERF_TYPE_RAW, 0x3F24,
	   "skl::L2_RQSTS:MISS:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1");
	is("ARITH", PERF_TYPE_RAW, 0x01000114,
	   "skl::ARITH:DIVIDER_ACTIVE:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1");
	/* Aliases, also of the architectural PMU. */
	is("UNHALTED_CORE_CYCLES", PERF_TYPE_RAW, 0x3C,
	   "skl::UNHALTED_CORE_CYCLES:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1");
	is("ix86arch::UNHALTED_CORE_CYCLES", PERF_TYPE_RAW, 0x3C,
	   "ix86arch::UNHALTED_CORE_CYCLES:e=0:i=0:c=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1");
	is("FP_ARITH:SCALAR_DOUBLE", PERF_TYPE_RAW, 0x1C7,
	   "skl::FP_ARITH:SCALAR_DOUBLE:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1");
	is("r1c0", PERF_TYPE_RAW, 0x1C0, "perf_raw::r1c0:u=1:k=1:h=0:precise=0:excl=0:mg=0:mh=1");
	ck_assert(!answer_of("L2_RQSTS:MISS", LEVELS).attr.exclude_hv);
	/* A mask of a name that is not listed is then known, as PAPI wants. */
	idx = pfm_find_event("FP_ARITH");
	ck_assert_int_eq(pfm_get_event_info(idx, PFM_OS_NONE, &event), PFM_SUCCESS);
	ck_assert_int_eq(event.nattrs, 1 + 8);
	is("L2_RQSTS", PERF_TYPE_RAW, 0xFF24,
	   "skl::L2_RQSTS:REFERENCES:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:"
	   "mh=1");
	fails("ICACHE_64B", PFM_ERR_UMASK);
	fails("L2_RQSTS:FOO", PFM_ERR_ATTR);
	fails("L2_RQSTS:MISS:c=256", PFM_ERR_ATTR_VAL);
	is("L2_RQSTS:MISS:e=f:i=F", PERF_TYPE_RAW, 0x3F24,
	   "skl::L2_RQSTS:MISS:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1");
	is("L2_RQSTS:MISS:u=t:k=n", PERF_TYPE_RAW, 0x3F24,
	   "skl::L2_RQSTS:MISS:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=0:precise=0:excl=0:mg=0:mh=1");
	fails("L2_RQSTS:MISS:u=x", PFM_ERR_ATTR_VAL);
	fails("L2_RQSTS:MISS:u=1:k=0:k=1", PFM_ERR_ATTR_SET);
	fails("L2_RQSTS:MISS:e:e=0", PFM_ERR_ATTR_SET);
	fails("L2_RQSTS:MISS:c=1:c=2", PFM_ERR_ATTR_SET);
	fails("L2_RQSTS:MISS:h", PFM_ERR_ATTR);
	fails("L2_RQSTS:MISS:REFERENCES", PFM_ERR_FEATCOMB);
	fails("skl::cycles", PFM_ERR_NOTFOUND);
	fails("hsw::L2_RQSTS:MISS", PFM_ERR_NOTFOUND);
	ck_assert_int_eq(pfm_pmu_validate(200, stderr), PFM_SUCCESS);
	pfm_terminate();
}
END_TEST

/* The words that a driver would write, or the error. */
static void writes(const char *text, uint64_t code, uint64_t value)
{
	uint64_t codes[2] = { 0, 0 };
	pfm_pmu_encode_arg_t arg = { .codes = codes, .count = 2 };
	int result = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);

	ck_assert_msg(result == PFM_SUCCESS, "%s: %d", text, result);
	ck_assert_msg(codes[0] == code && codes[1] == value, "%s: %#llx %#llx", text,
		      (unsigned long long)codes[0], (unsigned long long)codes[1]);
}

static void refuses(const char *text, int error)
{
	uint64_t codes[2];
	pfm_pmu_encode_arg_t arg = { .codes = codes, .count = 2 };
	int result = pfm_get_os_event_encoding(text, LEVELS, PFM_OS_NONE, &arg);

	ck_assert_msg(result == error, "%s: %d", text, result);
}

/* Modifiers of Intel's, masks as numbers, and dots for colons. */
START_TEST(modifiers_of_skylake)
{
	pfm_initialize();
	if (!is_skylake()) {
		pfm_terminate();
		return;
	}
	writes("L2_RQSTS:MISS:t:c=1", 0x01733F24, 0);
	writes("skl::L2_RQSTS.MISS.t=1.c=1:u", 0x01713F24, 0);
	writes("L2_RQSTS:MISS:intx=0:intxcp=0", 0x533F24, 0);
	writes("L2_RQSTS:MISS:intx", 0x100533F24, 0);
	writes("L2_RQSTS:MISS:intx:intxcp=1", 0x300533F24, 0);
	refuses("L2_RQSTS:MISS:intx=2", PFM_ERR_ATTR_VAL);
	/* A mask that is named twice is one; so is a modifier with the same value. */
	writes("L2_RQSTS:MISS:MISS:c=1:c=1", 0x01533F24, 0);
	/* An edge is one of a threshold, which the mask may have; its own can't be given again. */
	refuses("L2_RQSTS:MISS:e", PFM_ERR_ATTR);
	writes("CYCLE_ACTIVITY:STALLS_TOTAL:e", 0x045704A3, 0);
	writes("CYCLE_ACTIVITY:STALLS_TOTAL:c=4", 0x045304A3, 0);
	refuses("CYCLE_ACTIVITY:STALLS_TOTAL:c=5", PFM_ERR_ATTR_SET);
	/* Numbers. */
	writes("L2_RQSTS:0x1f:c=2:i", 0x02D31F24, 0);
	writes("CYCLE_ACTIVITY:0x6:c=6", 0x065306A3, 0);
	writes("OFFCORE_RESPONSE_0:0xf", 0x5301B7, 0xF);
	writes("OFFCORE_RESPONSE_1:0x3FFFFFFFFF", 0x5301BB, 0x3FFFFFFFFF);
	refuses("OFFCORE_RESPONSE_1:0x4000000000", PFM_ERR_ATTR);
	refuses("L2_RQSTS:0x100", PFM_ERR_ATTR);
	refuses("L2_RQSTS:0x", PFM_ERR_ATTR);
	refuses("L2_RQSTS:0x1:0x2", PFM_ERR_ATTR);
	refuses("L2_RQSTS:0x1:MISS", PFM_ERR_FEATCOMB);
	refuses("NO_SUCH:0x1", PFM_ERR_NOTFOUND);
	/* Latencies, which count in precise sampling only, and bubbles of the front end. */
	writes("MEM_TRANS_RETIRED:LOAD_LATENCY:u", 0x5101CD, 3);
	writes("MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=65535", 0x5301CD, 65535);
	writes("MEM_TRANS_RETIRED:LOAD_LATENCY_GT_4:ldlat=7", 0x5301CD, 7);
	refuses("MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=2", PFM_ERR_ATTR_VAL);
	refuses("MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=65536", PFM_ERR_ATTR_VAL);
	refuses("L2_RQSTS:MISS:ldlat=3", PFM_ERR_ATTR);
	writes("FRONTEND_RETIRED:IDQ_1_BUBBLE:fe_thres=4095", 0x5301C6, 0x1FFF06);
	refuses("FRONTEND_RETIRED:IDQ_1_BUBBLE:fe_thres=4096", PFM_ERR_ATTR_VAL);
	refuses("FRONTEND_RETIRED:LATENCY_GE_4:fe_thres=5", PFM_ERR_ATTR_SET);
	refuses("FRONTEND_RETIRED:DSB_MISS:fe_thres=5", PFM_ERR_ATTR);
	/* Those of AMD are none. */
	refuses("L2_RQSTS:MISS:g", PFM_ERR_ATTR);
	ck_assert_uint_eq(answer_of("L2_RQSTS:MISS:hw_smpl", LEVELS).attr.precise_ip, 0);
	pfm_terminate();
}
END_TEST

/* A small letter is the modifier, a mask of that name is one in capitals. */
START_TEST(codes_of_skylake)
{
	uint64_t codes[2], *own = NULL;
	pfm_pmu_encode_arg_t arg = { .codes = codes, .count = 1 };
	pfm_event_attr_info_t mask = { .size = 0 };
	pfm_event_info_t event = { .size = 0 };
	struct perf_event_attr attr = { .size = 0 };
	char *full;
	int count = 0, idx;

	pfm_initialize();
	if (!is_skylake()) {
		pfm_terminate();
		return;
	}
	ck_assert_int_eq(pfm_get_os_event_encoding("L2_RQSTS:MISS:k", LEVELS, PFM_OS_NONE, &arg),
			 PFM_SUCCESS);
	ck_assert(arg.count == 1 && codes[0] == 0x523F24);
	arg.codes = NULL;
	arg.count = 0;
	arg.fstr = &full;
	ck_assert_int_eq(pfm_get_os_event_encoding("L2_RQSTS:MISS", PFM_PLM3, PFM_OS_NONE, &arg),
			 PFM_SUCCESS);
	ck_assert(arg.count == 1 && arg.codes[0] == 0x513F24);
	ck_assert_str_eq(full, "skl::L2_RQSTS:MISS:k=0:u=1:e=0:i=0:c=0:t=0:intx=0:intxcp=0");
	free(full);
	free(arg.codes);
	/* One that has a register beside it takes two words. */
	arg = (pfm_pmu_encode_arg_t){ .codes = codes, .count = 1 };
	ck_assert_int_eq(pfm_get_os_event_encoding("FRONTEND_RETIRED:L1I_MISS", LEVELS, PFM_OS_NONE,
						   &arg),
			 PFM_ERR_TOOSMALL);
	ck_assert_int_eq(pfm_get_event_encoding("FRONTEND_RETIRED:L1I_MISS", LEVELS, NULL, &idx,
						&own, &count),
			 PFM_SUCCESS);
	ck_assert(count == 2 && own[0] == 0x5301C6 && own[1] == 0x12);
	free(own);
	ck_assert_int_eq(pfm_get_event_encoding("L2_RQSTS:MISS", LEVELS, NULL, NULL, NULL, &count),
			 PFM_ERR_INVAL);
	ck_assert_int_eq(pfm_get_event_info(idx, 0, &event), PFM_SUCCESS);
	ck_assert(event.code == 0xC6 && event.pmu == 200);
	idx = pfm_find_event("L2_RQSTS");
	ck_assert_int_eq(pfm_get_event_attr_info(idx, 0, 0, &mask), PFM_SUCCESS);
	ck_assert_str_eq(mask.name, "DEMAND_DATA_RD_MISS");
	ck_assert(mask.code == 0x21 && !mask.is_dfl);
	ck_assert_int_eq(pfm_get_perf_event_encoding("L2_RQSTS:MISS", PFM_PLM3, &attr, NULL, &idx),
			 PFM_SUCCESS);
	ck_assert(attr.config == 0x3F24 && attr.exclude_kernel && idx >> 21 == 200);
	pfm_terminate();
}
END_TEST

/* Each event of each PMU, the first and the last included, is found by its whole name. */
START_TEST(all_events)
{
	unsigned int n = 0, at;
	pfm_event_info_t info;
	struct answer answer;
	pfm_pmu_info_t pmu;
	char name[256];
	int i, event;

	pfm_initialize();
	for (i = 0; i < 518; i++) {
		memset(&pmu, 0, sizeof(pmu));
		if (pfm_get_pmu_info(i, &pmu) != PFM_SUCCESS || !pmu.is_present)
			continue;
		for (at = 0, event = pmu.first_event; event >= 0 && at < 3000;
		     at++, event = pfm_get_event_next(event)) {
			memset(&info, 0, sizeof(info));
			ck_assert_int_eq(pfm_get_event_info(event, PFM_OS_PERF_EVENT, &info),
					 PFM_SUCCESS);
			snprintf(name, sizeof(name), "%s::%s", pmu.name, info.name);
			ck_assert_msg(pfm_find_event(name) == event, "%s: %d, not %d", name,
				      pfm_find_event(name), event);
			if (encoded(name, LEVELS, PFM_OS_PERF_EVENT_EXT, &answer) == PFM_SUCCESS)
				ck_assert_int_eq(answer.idx, event);
			n++;
		}
		ck_assert_int_eq(at, pmu.nevents);
	}
	ck_assert_uint_gt(n, 20);
	pfm_terminate();
}
END_TEST

UNIT_MAIN("libpfm4", 20, before_and_after, errors_have_words, names_of_the_kernel,
	  modifiers_of_perf_events, sizes, lists, reasons_on_request, events_of_skylake,
	  modifiers_of_skylake, codes_of_skylake, all_events)
