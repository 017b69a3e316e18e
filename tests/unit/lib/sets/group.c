// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of events, and counts' quality: what needs no PMU. */
#define COUNTS_KERNEL
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/names/resolve.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/sets/group.h"
#include "lib/isa/pmu.h"
#include "lib/isa/tsc.h"
#include "lib/perf/counter.h"
#include "lib/perf/reading.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "tests/harness/root.h"
#include "tests/harness/pmu.h"
#include "tests/harness/names.h"
#include "tests/harness/check.h"

/* Touch n fresh pages, so that there are n page faults. */
static void fault(unsigned int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = perfctr_memory_map(n * page);

	while (n--)
		memory[n * page] = 1;
}

START_TEST(software_events)
{
	struct perfctr_set *group = perfctr_set_open("{task-clock,Page-Faults}", NULL, 0);
	struct perfctr_reading before[2], after[2];
	struct perfctr_reader reader;

	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_size(group), 2);
	ck_assert_str_eq(perfctr_set_name(group, 0), "task-clock");
	ck_assert_str_eq(perfctr_set_name(group, 1), "Page-Faults");
	ck_fails_null(perfctr_set_name(group, 2), EINVAL, "no event 2; it has 2");
	ck_fails_null(perfctr_set_name(NULL, 0), EINVAL, "NULL");
	ck_assert_int_eq(perfctr_set_read(group, before), 0);
	fault(100);
	ck_assert_int_eq(perfctr_set_read(group, after), 0);
	ck_assert_uint_ge(after[1].value - before[1].value, 100);
	ck_assert_uint_lt(after[1].value - before[1].value, 150);
	ck_assert_uint_gt(after[0].value, before[0].value);
	ck_assert_uint_eq(after[0].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(after[0].enabled, after[0].running);
	ck_fails(perfctr_set_reader(group, 1, &reader), EOPNOTSUPP, "user");
	ck_assert_int_eq(perfctr_reader_read(&reader, &before[0].value), 0);
	ck_fails(perfctr_set_reader(group, 2, &reader), EINVAL, "no event 2");
	ck_fails(perfctr_set_reader(group, 1, NULL), EINVAL, "NULL");
	ck_fails(perfctr_set_read(group, NULL), EINVAL, "NULL");
	perfctr_set_close(group);
	perfctr_set_close(NULL);
}
END_TEST

START_TEST(enable_disable_reset)
{
	struct perfctr_set *group = perfctr_set_open("page-faults", NULL, PERFCTR_DISABLED);
	struct perfctr_reading reading;

	ck_assert_msg(group != NULL, "%s", perfctr_error());
	fault(50);
	ck_assert_int_eq(perfctr_set_read(group, &reading), 0);
	ck_assert_uint_eq(reading.value, 0);
	ck_assert_int_eq(perfctr_set_enable(group), 0);
	fault(50);
	ck_assert_int_eq(perfctr_set_disable(group), 0);
	fault(50);
	ck_assert_int_eq(perfctr_set_read(group, &reading), 0);
	ck_assert_uint_ge(reading.value, 50);
	ck_assert_uint_lt(reading.value, 100);
	ck_assert_int_eq(perfctr_set_reset(group), 0);
	ck_assert_int_eq(perfctr_set_read(group, &reading), 0);
	ck_assert_uint_eq(reading.value, 0);
	perfctr_set_close(group);
}
END_TEST

START_TEST(all_of_a_thread)
{
	struct perfctr_set *group = perfctr_set_open("{page-faults,cs}", NULL, 0);
	struct perfctr_set *other = perfctr_set_open("page-faults", on(getppid(), -1), 0);
	struct perfctr_reading before[2], after[2], theirs[2];
	uint64_t id, id2;

	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_disable_all(), 0);
	ck_assert_int_eq(perfctr_set_read(group, before), 0);
	if (other)
		ck_assert_int_eq(perfctr_set_read(other, &theirs[0]), 0);
	fault(100);
	ck_assert_int_eq(perfctr_set_read(group, after), 0);
	ck_assert_uint_eq(after[0].value, before[0].value);
	ck_assert_uint_eq(after[0].enabled, before[0].enabled);
	/* Whomever they count. */
	if (other) {
		ck_assert_int_eq(perfctr_set_read(other, &theirs[1]), 0);
		ck_assert_uint_eq(theirs[0].enabled, theirs[1].enabled);
	}
	ck_assert_int_eq(perfctr_enable_all(), 0);
	fault(100);
	ck_assert_int_eq(perfctr_set_read(group, after), 0);
	ck_assert_uint_ge(after[0].value, before[0].value + 100);
	ck_assert_uint_eq(after[0].quality, PERFCTR_EXACT);

	ck_assert_int_eq(perfctr_set_id(group, 0, 0, &id), 0);
	ck_assert_int_eq(perfctr_set_id(group, 0, 1, &id2), 0);
	ck_assert_uint_ne(id, id2);
	ck_fails(perfctr_set_id(group, 0, 2, &id), EINVAL, "no event 2");
	ck_fails(perfctr_set_id(group, 0, 0, NULL), EINVAL, "NULL");
	perfctr_set_close(group);
	perfctr_set_close(other);
}
END_TEST

/* A kernel without perf_events, as far as prctl(2) tells. */
START_TEST(nothing_to_switch)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			_exit(2);
		_exit(perfctr_enable_all() != -1 || errno != EOPNOTSUPP ||
		      perfctr_disable_all() != -1 ||
		      !strstr(perfctr_error(), "CONFIG_PERF_EVENTS"));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* All processors are online while this runs: a group of one has the same readings as one of two. */
START_TEST(a_processors_events)
{
	struct perfctr_set *one = perfctr_set_open("cpu-clock", on(-1, 0), 0);
	struct perfctr_reading reading;

	if (!one && errno == EACCES)
		return; /* not for this user */
	ck_assert_msg(one != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_size(one), 1);
	usleep(1000);
	ck_assert_int_eq(perfctr_set_read(one, &reading), 0);
	ck_assert_uint_eq(reading.quality, PERFCTR_EXACT);
	ck_assert_uint_ge(reading.value, 1000000);
	ck_assert_int_eq(perfctr_set_reset(one), 0);
	ck_assert_int_eq(perfctr_set_disable(one), 0);
	perfctr_set_close(one);
	ck_fails_null(perfctr_set_open("cpu-clock", on(-1, 8000), 0), ENODEV,
		      "processor 8000 is not");
}
END_TEST

START_TEST(a_childs_events)
{
	struct perfctr_set *group;
	struct perfctr_reading reading;
	int go[2], status;
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/sh", "sh", "-c", "/bin/true; /bin/true", (char *)NULL);
		_exit(1);
	}
	group = perfctr_set_open("task-clock", on(pid, -1), PERFCTR_ON_EXEC | PERFCTR_INHERIT);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_set_read(group, &reading), 0);
	ck_assert_uint_eq(reading.value, 0);
	ck_assert_int_eq(write(go[1], &byte, 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	/* The process has ended; its counts are still there. */
	ck_assert_int_eq(perfctr_set_read(group, &reading), 0);
	ck_assert_uint_gt(reading.value, 0);
	perfctr_set_close(group);
	close(go[0]);
	close(go[1]);
}
END_TEST

START_TEST(bad_arguments)
{
	struct perfctr_cpu_control control;

	ck_fails_null(perfctr_set_open(NULL, NULL, 0), EINVAL, "NULL");
	ck_fails_null(perfctr_set_open("", NULL, 0), EINVAL, "empty");
	ck_fails_null(perfctr_set_open("{task-clock,,cs}", NULL, 0), EINVAL, "empty place");
	ck_fails_null(perfctr_set_open("{task-clock,nonsense}", NULL, 0), EINVAL, "\"nonsense\"");
	ck_fails_null(perfctr_set_open("cs",
				       &(const struct perfctr_target){
					       .type = PERFCTR_TARGET_THREAD, .id = -1 },
				       0),
		      EINVAL, "-1 is not a thread's id");
	ck_fails_null(perfctr_set_open("cs", on(-2, 0), 0), EINVAL, "not a thread's id");
	ck_fails_null(perfctr_set_open("cs", on(0, -2), 0), EINVAL, "-2 is not a processor");
	ck_fails_null(perfctr_set_open("cs", NULL, 1), EINVAL, "0x1,");
	ck_fails_null(perfctr_set_open("cs", NULL, PERFCTR_ON_EXEC | PERFCTR_DISABLED), EINVAL,
		      "exclude each other");
	ck_fails_null(perfctr_set_open("cs", on(0x3FFFFFFF, -1), 0), ESRCH, "no thread 1073741823");
	ck_fails_null(perfctr_set_open_control(NULL, NULL, 0), EINVAL, "NULL");
	memset(&control, 0, sizeof(control));
	ck_fails_null(perfctr_set_open_control(&control, NULL, 0), EINVAL, "no counters");
}
END_TEST

START_TEST(too_many_events)
{
	char list[3 * 65 + 3] = "{";
	unsigned int i;

	for (i = 0; i < 65; i++)
		strcat(list, i ? ",cs" : "cs");
	strcat(list, "}");
	ck_fails_null(perfctr_set_open(list, NULL, 0), EINVAL, "65 events");
}
END_TEST

START_TEST(no_descriptors)
{
	struct rlimit limit, few;
	struct perfctr_set *many, *one;
	int lowest = dup(0), error;

	/* Room for four more. */
	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = (rlim_t)lowest + 4;
	setrlimit(RLIMIT_NOFILE, &few);
	many = perfctr_set_open("{cs,cs,cs,cs,cs,cs,cs,cs}", NULL, 0);
	error = errno;
	/* What had been opened was closed again. */
	one = perfctr_set_open("{cs,cs,cs}", NULL, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_ptr_null(many);
	ck_assert_int_eq(error, EMFILE);
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "ulimit -n"));
	ck_assert_ptr_nonnull(one);
	perfctr_set_close(one);
}
END_TEST

START_TEST(a_child_of_fork)
{
	struct perfctr_set *group = perfctr_set_open("page-faults", NULL, 0);
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct perfctr_reading reading;
		int failed = perfctr_set_read(group, &reading) != -1 || errno != ESRCH;

		failed |= perfctr_set_enable(group) != -1 || perfctr_set_size(group) != 0;
		perfctr_set_close(group);
		_exit(failed);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	perfctr_set_close(group);
}
END_TEST

START_TEST(estimates)
{
	static const struct {
		struct perfctr_reading reading;
		uint64_t estimate;
	} scaled[] = {
		{ { 7, 300, 100, 0, 0 }, 21 },
		{ { 1, 300, 299, 0, 0 }, 1 },
		{ { 4000000007, 4611686018, 4000000009, 0, 0 }, 4611686015 },
		/* Products of more than 64 bits: months, and the largest of all. */
		{ { UINT64_C(1125899919188302), UINT64_C(6755399441055744),
		    UINT64_C(3377699720527872), 0, 0 },
		  UINT64_C(2251799838376604) },
		{ { UINT64_MAX / 2, UINT64_MAX / 2, UINT64_MAX / 4, 0, 0 }, UINT64_MAX },
		{ { UINT64_MAX / 2, UINT64_MAX / 2 - 1, UINT64_MAX / 4, 0, 0 }, UINT64_MAX - 1 },
		{ { UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1, 0, 0 }, UINT64_MAX },
		{ { UINT64_MAX - 2, UINT64_MAX, UINT64_MAX - 1, 0, 0 }, UINT64_MAX - 2 },
		{ { UINT64_MAX - 1, UINT64_MAX / 2, UINT64_MAX / 4, 0, 0 }, UINT64_MAX },
		{ { UINT64_MAX, 3, 2, 0, 0 }, UINT64_MAX },
		/* What no kernel says. */
		{ { 10, 0, 5, 0, 0 }, 0 },
		{ { 10, 5, 0, 0, 0 }, 10 },
	};
	struct perfctr_reading r = { .value = 1000, .enabled = 300, .running = 100 };
	unsigned int i;

	r.quality = perfctr_quality_of(r.enabled, r.running);
	ck_assert_uint_eq(r.quality, PERFCTR_SCALED);
	ck_assert_uint_eq(perfctr_reading_estimate(&r), 3000);
	for (i = 0; i < ARRAY_SIZE(scaled); i++) {
		r = scaled[i].reading;
		r.quality = PERFCTR_SCALED;
		ck_assert_uint_eq(perfctr_reading_estimate(&r), scaled[i].estimate);
		/* Only then. */
		r.quality = PERFCTR_EXACT;
		ck_assert_uint_eq(perfctr_reading_estimate(&r), r.value);
		r.quality = PERFCTR_STALE;
		ck_assert_uint_eq(perfctr_reading_estimate(&r), r.value);
	}
	ck_assert_uint_eq(perfctr_quality_of(5, 5), PERFCTR_EXACT);
	ck_assert_uint_eq(perfctr_quality_of(0, 0), PERFCTR_EXACT);
	ck_assert_uint_eq(perfctr_quality_of(5, 0), PERFCTR_NOT_COUNTED);
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_EXACT), "exact");
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_SCALED), "scaled");
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_NOT_COUNTED), "not counted");
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_STALE), "stale");
	ck_assert_str_eq(perfctr_quality_name(99), "unknown");
}
END_TEST

/* Readers of counters of any width; what is none, and what only the kernel reads, is read there. */
START_TEST(widths)
{
	static struct perf_event_mmap_page page;
	struct perfctr_counter counter = { .fd = -1, .page = &page };
	struct perfctr_reader reader;
	unsigned int width;

	page.index = 1;
	for (width = 0; width <= 70; width++) {
		page.pmc_width = (uint16_t)width;
		perfctr_counter_reader(&counter, &reader);
#ifdef __riscv /* whose readers look at the page */
		ck_assert(reader.page == &page);
		ck_assert_uint_eq(reader.shift, 0);
		continue;
#endif
		if (width >= 1 && width <= 64) {
			ck_assert(reader.page == &page);
			ck_assert_uint_eq(reader.shift, 64 - width);
		} else {
			ck_assert_uint_eq(reader.page->index, 0);
			ck_assert_uint_eq(reader.shift, 0);
		}
		ck_assert_uint_eq(reader.base, 0);
	}
	page.pmc_width = 48;
	counter.kernel_reads = true;
	perfctr_counter_reader(&counter, &reader);
	ck_assert_uint_eq(reader.page->index, 0);
}
END_TEST

/* Events that the kernel has taken apart are read one by one; what fails, of whichever, fails. */
START_TEST(taken_apart)
{
	struct perfctr_counter counter[3];
	struct perfctr_events events;
	struct perfctr_group_values values;
	unsigned int k;

	pmu_begin();
	perfctr_events_init(&events, &perfctr_this_thread, 0, counter, 3);
	for (k = 0; k < 3; k++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HARDWARE,
			.config = k,
			.size = sizeof(attr),
			.read_format = PERFCTR_READ_FORMAT,
			.exclude_kernel = 1,
		};

		pmu_rate(k, k + 1);
		ck_assert_int_eq(perfctr_counter_open(&counter[k], &attr, "x", &perfctr_this_thread,
						      NULL, 0),
				 0);
		events.n++;
	}
	pmu_count(10);
	memset(&values, 0xFF, sizeof(values));
	ck_assert_int_eq(perfctr_events_read(&events, &values), PERFCTR_READ_DISSOLVED);
	for (k = 0; k < 3; k++)
		ck_assert_uint_eq(values.values[k], 10 * (k + 1));
	ck_assert_int_eq(perfctr_events_values(&events, &values), 0);
	for (k = 1; k <= 3; k++) {
		pmu_fail(PMU_READ, k, PMU_EOF);
		ck_assert_int_eq(perfctr_events_read(&events, &values), PERFCTR_READ_TAKEN);
		pmu_fail(PMU_READ, k, PMU_EOF);
		ck_fails(perfctr_events_values(&events, &values), EBUSY, "the counters");
		pmu_fail(PMU_READ, k, EIO);
		ck_assert_int_eq(perfctr_events_read(&events, &values), PERFCTR_READ_FAILED);
		pmu_fail(PMU_READ, k, EIO);
		ck_fails(perfctr_events_values(&events, &values), EIO, "reading the counters");
	}
	perfctr_events_close(&events);
	pmu_end();
}
END_TEST

/* The descriptor of a program that has closed its input. */
START_TEST(descriptor_0)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.size = sizeof(attr),
		.exclude_kernel = 1,
	};
	struct perfctr_counter counter;
	int input = dup(0);

	close(0);
	ck_assert_int_eq(perfctr_counter_open(&counter, &attr, "page-faults", &perfctr_this_thread,
					      NULL, 0),
			 0);
	ck_assert_int_eq(counter.fd, 0);
	perfctr_counter_close(&counter);
	ck_assert_int_eq(counter.fd, -1);
	ck_assert_int_eq(dup(input), 0);
	close(input);
}
END_TEST

START_TEST(rates)
{
	/* 62.5 MHz as arm64's kernels write it, and a 3 GHz TSC as x86's do. */
	struct perfctr_rate timer = perfctr_rate_from_page(16u << 24, 24);
	struct perfctr_rate tsc = perfctr_rate_from_khz(3000000);

	ck_assert_uint_eq(perfctr_rate_ticks(timer, 16), 1);
	ck_assert_uint_eq(perfctr_rate_ticks(timer, UINT64_C(16) << 40), UINT64_C(1) << 40);
	ck_assert_uint_eq(perfctr_rate_ticks(tsc, 1000), 3000);
	/* A year in ns: the fixed point's error is below a tick. */
	ck_assert_uint_eq(perfctr_rate_ticks(tsc, UINT64_C(31536000000000000)),
			  UINT64_C(94608000000000000));
	tsc = perfctr_rate_from_khz(2596095);
	ck_assert_uint_ge(perfctr_rate_ticks(tsc, 1000000000), 2596094999);
	ck_assert_uint_le(perfctr_rate_ticks(tsc, 1000000000), 2596095000);
	ck_assert_uint_eq(perfctr_rate_ticks(perfctr_rate_from_khz(1000000), 12345), 12345);
}
END_TEST

/* ---- on the made-up PMU ---- */

static struct perfctr_set *open_made_up(const char *events, pid_t tid, int cpu, unsigned int flags)
{
	struct perfctr_set *group;

	pmu_begin();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
	group = perfctr_set_open(events, on(tid, cpu), flags);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	return group;
}

static void close_made_up(struct perfctr_set *group)
{
	perfctr_set_close(group);
	pmu_end();
}

/* Instructions and cycles, one and three a unit. */
#define PAIR "{instructions:u,cycles:u}"

#define is_reading(r, v, q, e, run)                  \
	do {                                         \
		ck_assert_uint_eq((r).value, v);     \
		ck_assert_uint_eq((r).quality, q);   \
		ck_assert_uint_eq((r).enabled, e);   \
		ck_assert_uint_eq((r).running, run); \
	} while (0)

static void is_pair(const struct perfctr_set *group, uint64_t units, unsigned int quality,
		    uint64_t enabled, uint64_t running)
{
	struct perfctr_reading readings[2];

	ck_assert_msg(perfctr_set_read(group, readings) == 0, "%s", perfctr_error());
	is_reading(readings[0], units, quality, enabled, running);
	is_reading(readings[1], 3 * units, quality, enabled, running);
}

START_TEST(hardware_events)
{
	struct perfctr_set *group;
	struct perfctr_reader reader;
	unsigned int way, i;
	uint64_t value;

	/* Read in user space; by the kernel, since there is no page, no clock, no permission. */
	for (way = 0; way < 4; way++) {
		unsigned int reads;

		pmu_begin();
		pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
		pmu.clock = way != 2;
		pmu.rdpmc &= way != 3;
		if (way == 1)
			pmu_fail(PMU_MMAP, 2, ENOMEM);
		group = perfctr_set_open(PAIR, NULL, 0);
		ck_assert_msg(group != NULL, "%s", perfctr_error());
		reads = pmu_calls(PMU_READ);
		is_pair(group, 0, PERFCTR_EXACT, 0, 0);
		pmu_count(10);
		pmu_tick(100);
		is_pair(group, 10, PERFCTR_EXACT, 100, 100);
		if (pmu.rdpmc && way == 0)
			ck_assert_uint_eq(pmu_calls(PMU_READ), reads);
		else
			ck_assert_uint_eq(pmu_calls(PMU_READ), reads + 2);
		/* A reset is one of counts, not of times; once or twice, and while it stands. */
		for (i = 1; i < 4; i++) {
			ck_assert_int_eq(perfctr_set_reset(group), 0);
			is_pair(group, 0, PERFCTR_EXACT, 100, 100);
			pmu_count(i);
			is_pair(group, i, PERFCTR_EXACT, 100, 100);
			ck_assert_int_eq(perfctr_set_reset(group), 0);
			ck_assert_int_eq(perfctr_set_reset(group), 0);
			is_pair(group, 0, PERFCTR_EXACT, 100, 100);
		}
		pmu_count(4);
		if (perfctr_set_reader(group, 0, &reader) == 0) {
			ck_assert(perfctr_reader_read(&reader, &value));
			ck_assert_uint_eq(value, 4);
		}
		ck_assert_int_eq(perfctr_set_disable(group), 0);
		pmu_count(100);
		pmu_tick(100);
		is_pair(group, 4, PERFCTR_EXACT, 100, 100);
		ck_assert_int_eq(perfctr_set_reset(group), 0);
		is_pair(group, 0, PERFCTR_EXACT, 100, 100);
		ck_assert_int_eq(perfctr_set_enable(group), 0);
		pmu_count(6);
		pmu_tick(10);
		is_pair(group, 6, PERFCTR_EXACT, 110, 110);
		close_made_up(group);
	}
}
END_TEST

/* All of a group start together; from the start, or when it is enabled, however often. */
static void count_some(void)
{
	pmu_count(50);
	pmu_tick(50);
}

START_TEST(together)
{
	static const unsigned int flags[] = { 0, PERFCTR_MULTIPLEX, PERFCTR_DISABLED,
					      PERFCTR_EXCLUSIVE };
	struct perfctr_set *group;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		bool disabled = flags[i] & PERFCTR_DISABLED;

		pmu_begin();
		pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
		pmu_at(PMU_OPEN, 2, count_some);
		group = perfctr_set_open(PAIR, NULL, flags[i]);
		ck_assert_msg(group != NULL, "%s", perfctr_error());
		ck_assert_uint_eq(pmu_active(), disabled ? 0 : 2);
		is_pair(group, 0, PERFCTR_EXACT, 0, 0);
		pmu_count(5);
		pmu_tick(5);
		is_pair(group, disabled ? 0 : 5, PERFCTR_EXACT, disabled ? 0 : 5, disabled ? 0 : 5);
		ck_assert_int_eq(perfctr_set_enable(group), 0);
		ck_assert_int_eq(perfctr_set_enable(group), 0);
		pmu_count(5);
		is_pair(group, disabled ? 5 : 10, PERFCTR_EXACT, disabled ? 0 : 5,
			disabled ? 0 : 5);
		close_made_up(group);
	}
}
END_TEST

static void all_stopped(void)
{
	ck_assert_uint_eq(pmu_active(), 0);
}

/*
 * Closing stops all at once: the PMU is free although another process may have the descriptors
 * until it executes its program.
 */
START_TEST(stopped_before_closed)
{
	static const char *const events[] = { "{instructions:u,cycles:u,branches:u}",
					      "{page-faults:u,cycles:u}", "instructions:u" };
	struct perfctr_set *group;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		group = open_made_up(events[i], 0, -1, 0);
		errno = 99;
		pmu_at(PMU_CLOSE, 0, all_stopped);
		pmu_fail(PERF_EVENT_IOC_DISABLE, 2, EIO);
		perfctr_set_close(group);
		ck_assert_int_eq(errno, 99);
		ck_assert_uint_eq(pmu_calls(PMU_CLOSE), 3 - i);
		pmu_end();
	}
}
END_TEST

/* A software event takes no counter from others: it is opened, read twice and closed, no more. */
START_TEST(calls_of_a_short_set)
{
	struct perfctr_set *set = open_made_up("page-faults:u", 0, -1, 0);
	struct perfctr_reading reading;

	ck_assert_int_eq(perfctr_set_read(set, &reading), 0);
	ck_assert_int_eq(perfctr_set_read(set, &reading), 0);
	perfctr_set_close(set);
	ck_assert_uint_eq(pmu_calls(PMU_READ), 2);
	ck_assert_uint_eq(pmu_calls(PMU_ANY), 4);
	pmu_end();
}
END_TEST

START_TEST(strict_or_not)
{
	struct perfctr_set *group;
	struct perfctr_reading readings[2];

	pmu_begin();
	pmu.taken = 3;
	ck_fails_null(perfctr_set_open(PAIR, NULL, 0), EBUSY, "taken");
	ck_assert_uint_eq(pmu_events(), 0);
	/* Alone it fits; a single event is on from its opening. */
	group = perfctr_set_open("cycles:u", NULL, 0);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	perfctr_set_close(group);
	pmu.taken = 4;
	ck_fails_null(perfctr_set_open("cycles:u", NULL, 0), EBUSY, "taken");
	/* That is known when it starts. */
	group = perfctr_set_open(PAIR, NULL, PERFCTR_DISABLED);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_fails(perfctr_set_enable(group), EBUSY, "taken");
	pmu.taken = 0;
	ck_assert_int_eq(perfctr_set_enable(group), 0);
	pmu_count(3);
	ck_assert_int_eq(perfctr_set_read(group, readings), 0);
	is_reading(readings[0], 3, PERFCTR_EXACT, 0, 0);
	/* And later when it is read. */
	pmu.taken = 3;
	pmu_schedule();
	memset(readings, 0xFF, sizeof(readings));
	ck_fails(perfctr_set_read(group, readings), EBUSY, "taken");
	is_reading(readings[0], 0, PERFCTR_NOT_COUNTED, 0, 0);
	is_reading(readings[1], 0, PERFCTR_NOT_COUNTED, 0, 0);
	ck_fails(perfctr_set_reset(group), EBUSY, "taken");
	close_made_up(group);
	/* Nobody beside an exclusive one, however many counters there are. */
	group = open_made_up("cycles:u", 0, -1, PERFCTR_EXCLUSIVE);
	ck_fails_null(perfctr_set_open("cycles:u", NULL, 0), EBUSY, "taken");
	close_made_up(group);
	/* One that is not pinned takes its turn. */
	group = open_made_up(PAIR, 0, -1, PERFCTR_MULTIPLEX);
	pmu.taken = 4;
	pmu_schedule();
	pmu_count(100);
	pmu_tick(100);
	is_pair(group, 0, PERFCTR_NOT_COUNTED, 100, 0);
	pmu.taken = 0;
	pmu_schedule();
	pmu_count(5);
	pmu_tick(300);
	is_pair(group, 5, PERFCTR_SCALED, 400, 300);
	close_made_up(group);
}
END_TEST

/* Another thread's, and a processor's, are not read in user space. */
START_TEST(where)
{
	struct perfctr_set *group = open_made_up(PAIR, getppid(), -1, 0);

	pmu_run(getppid(), -1, false, 5);
	pmu_tick_of(getppid(), -1, 10);
	pmu_count(3);
	is_pair(group, 5, PERFCTR_EXACT, 10, 10);
	ck_assert_uint_eq(pmu_calls(PMU_MMAP), 0);
	close_made_up(group);
	group = open_made_up(PAIR, -1, 1, 0);
	pmu_run(0, 1, false, 7);
	pmu_tick_of(0, 1, 20);
	pmu_run(0, 0, false, 3);
	is_pair(group, 7, PERFCTR_EXACT, 20, 20);
	ck_assert_uint_eq(pmu_events(), 2);
	ck_assert_uint_eq(pmu_calls(PMU_MMAP) + pmu_calls(PMU_RDPMC), 0);
	close_made_up(group);
	pmu_begin();
	ck_fails_null(perfctr_set_open("{cycles:u,instructions:u,branches:u,branch-misses:u,"
				       "cache-misses:u}",
				       NULL, 0),
		      EINVAL, "does not fit");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

static void *read_pair(void *group)
{
	is_pair(group, 7, PERFCTR_EXACT, 0, 0);
	return NULL;
}

/* Another thread has other registers: it asks the kernel. */
START_TEST(read_by_another_thread)
{
	struct perfctr_set *group = open_made_up(PAIR, 0, -1, 0);
	unsigned int calls;
	pthread_t thread;

	pmu_count(7);
	calls = pmu_calls(PMU_READ);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_pair, group), 0);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(pmu_calls(PMU_READ), calls + 1);
	close_made_up(group);
}
END_TEST

static void asks_for_little(void)
{
	ck_assert(pmu_asked.exclude_kernel && pmu_asked.exclude_hv);
	ck_assert_uint_eq(pmu_asked.size, sizeof(pmu_asked));
}

/* The leader is asked for what the flags say, the others only for what they inherit. Of another
   thread: for its own, arm64 asks for registers that can be read. */
START_TEST(what_the_kernel_is_asked)
{
	static const struct {
		unsigned int flags;
		struct perf_event_attr leader, member;
	} all[] = {
		{ 0, { .disabled = 1, .pinned = 1 }, { .disabled = 0 } },
		{ PERFCTR_MULTIPLEX, { .disabled = 1 }, { .disabled = 0 } },
		{ PERFCTR_EXCLUSIVE,
		  { .disabled = 1, .pinned = 1, .exclusive = 1 },
		  { .disabled = 0 } },
		{ PERFCTR_DISABLED, { .disabled = 1, .pinned = 1 }, { .disabled = 0 } },
		{ PERFCTR_ON_EXEC,
		  { .disabled = 1, .pinned = 1, .enable_on_exec = 1 },
		  { .disabled = 0 } },
		{ PERFCTR_INHERIT, { .disabled = 1, .inherit = 1 }, { .inherit = 1 } },
	};
	struct perf_event_attr expected;
	unsigned int i, n;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (n = 0; n < 3; n++) {
			/* A leader with a member, the member, and a leader alone. */
			memset(&pmu_asked, 0, sizeof(pmu_asked));
			pmu_fail(PMU_OPEN, n == 1 ? 2 : 1, EACCES);
			ck_fails_null(perfctr_set_open(n == 2 ? "instructions:u"
							      : "{instructions:u,instructions:u}",
						       on(getppid(), -1), all[i].flags),
				      EACCES, "");
			expected = n == 1 ? all[i].member : all[i].leader;
			expected.size = sizeof(expected);
			expected.type = PERF_TYPE_HARDWARE;
			expected.config = PERF_COUNT_HW_INSTRUCTIONS;
			expected.exclude_kernel = expected.exclude_hv = expected.exclude_guest = 1;
			expected.read_format = PERFCTR_READ_FORMAT;
			if (n == 2 && !(all[i].flags & (PERFCTR_DISABLED | PERFCTR_ON_EXEC)))
				expected.disabled = 0;
			ck_assert_msg(!memcmp(&pmu_asked, &expected, sizeof(expected)), "%u, %u", i,
				      n);
		}
	pmu_end();
}
END_TEST

/* Modifiers of a group that are about the group, in a set that lets the kernel take turns. */
START_TEST(modifiers_of_groups)
{
	static const struct {
		const char *events;
		unsigned int pinned, exclusive;
	} all[] = {
		{ "{instructions,instructions}:u", 0, 0 },
		{ "{instructions,instructions}:uD", 1, 0 },
		{ "{instructions,instructions}:eu", 0, 1 },
		{ "{instructions:uDe,instructions:u}", 1, 1 },
		{ "{instructions:u,instructions:uDe}", 0, 0 },
	};
	unsigned int i, n;

	pmu_begin();
	for (i = 0; i < ARRAY_SIZE(all); i++)
		for (n = 1; n < 3; n++) {
			memset(&pmu_asked, 0, sizeof(pmu_asked));
			pmu_fail(PMU_OPEN, n, EACCES);
			ck_fails_null(perfctr_set_open(all[i].events, on(getppid(), -1),
						       PERFCTR_MULTIPLEX),
				      EACCES, "");
			ck_assert_uint_eq(pmu_asked.pinned, n == 1 && all[i].pinned);
			ck_assert_uint_eq(pmu_asked.exclusive, n == 1 && all[i].exclusive);
			ck_assert(pmu_asked.exclude_kernel && !pmu_asked.exclude_user);
		}
	pmu_end();
}
END_TEST

/* A weak group that the PMU can't hold is taken apart, and no other. */
START_TEST(weak_groups)
{
	static const char five[] = "instructions:u,cycles:u,branches:u,r1c2:u,r3c4:u";
	struct perfctr_reading readings[8];
	struct perfctr_list_event event;
	struct perfctr_set *set;
	char list[200];
	unsigned int i, flags;

	pmu_begin();
	pmu.counters = 4;
	snprintf(list, sizeof(list), "{%s}", five);
	ck_fails_null(perfctr_set_open(list, NULL, PERFCTR_MULTIPLEX), EINVAL, "");
	for (flags = PERFCTR_MULTIPLEX; flags;
	     flags = flags == PERFCTR_MULTIPLEX ? PERFCTR_MULTIPLEX | PERFCTR_PARTIAL : 0) {
		snprintf(list, sizeof(list), "{cs,faults}:W,{%s}:W,{cycles:u,branches:u}:W", five);
		set = perfctr_set_open(list, NULL, flags);
		ck_assert_msg(set != NULL, "%s", perfctr_error());
		for (i = 0; i < 9; i++) {
			ck_assert_int_eq(perfctr_set_event(set, i, &event), 0);
			ck_assert_ptr_null(event.reason);
			ck_assert_uint_eq(event.item, i < 2 ? 0 : i < 7 ? i - 1 : 6);
		}
		perfctr_set_close(set);
	}
	/* Pinned, each alone has no room either. */
	pmu.taken = 4;
	ck_fails_null(perfctr_set_open("{instructions:u,cycles:u}:W", NULL, 0), EBUSY, "");
	pmu.taken = 3;
	ck_fails_null(perfctr_set_open("{instructions:u,cycles:u}:W", NULL, 0), EBUSY, "");
	set = perfctr_set_open("{instructions:u,cycles:u}:W", NULL, PERFCTR_PARTIAL);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	pmu_count(5);
	ck_assert_int_eq(perfctr_set_read(set, readings), 0);
	ck_assert(readings[0].value == 5 && readings[0].quality == PERFCTR_EXACT);
	ck_assert(readings[1].quality == PERFCTR_NOT_COUNTED);
	perfctr_set_close(set);
	/* A mistake of another kind is none of its. */
	pmu.taken = 0;
	pmu_fail(PMU_OPEN, 2, EMFILE);
	ck_fails_null(perfctr_set_open("{instructions:u,cycles:u}:W", NULL, 0), EMFILE, "");
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* A processor's single event gets another that any user may open; and pairs, and threads' don't. */
START_TEST(companions)
{
	struct perfctr_set *group;

	pmu_begin();
	pmu_at(PMU_OPEN, 2, asks_for_little);
	group = perfctr_set_open("cycles:u", on(-1, 1), 0);
	ck_assert_uint_eq(pmu_events(), 2);
	perfctr_set_close(group);
	group = perfctr_set_open("cycles:u", on(0, 1), 0);
	ck_assert_uint_eq(pmu_events(), 1);
	perfctr_set_close(group);
	group = perfctr_set_open(PAIR, on(-1, 1), 0);
	ck_assert_uint_eq(pmu_events(), 2);
	close_made_up(group);
}
END_TEST

/* The slots of a group with metrics are read by the kernel: each read(2) begins their register
 * again. */
START_TEST(metrics)
{
	struct perfctr_set *group;
	struct perfctr_reading readings[2];
	struct perfctr_reader reader;

	root_make();
	root_line("cpu/type", "4");
	root_line("cpu/events/slots", "event=0x00,umask=0x4");
	pmu_begin();
	group = perfctr_set_open("{r400:u,r8000:u}", NULL, 0);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(pmu_mappings(), 0);
	ck_fails(perfctr_set_reader(group, 0, &reader), EOPNOTSUPP, "user");
	ck_assert_int_eq(perfctr_reader_read(&reader, &readings[0].value), 0);
	ck_fails(perfctr_set_reader(group, 1, &reader), EOPNOTSUPP, "user");
	pmu_count(3);
	ck_assert_int_eq(perfctr_set_read(group, readings), 0);
	ck_assert_uint_eq(readings[0].value, 3);
	perfctr_set_close(group);
	/* A metric alone is none; its neighbours are events. */
	ck_fails_null(perfctr_set_open("r8000:u", NULL, 0), EINVAL, "write {slots,r8000:u}");
	ck_fails_null(perfctr_set_open("{cycles:u,r8000:u}", NULL, 0), EINVAL, "top-down metric");
	group = perfctr_set_open("{r8001:u,r8080:u}", NULL, 0);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	close_made_up(group);
	root_remove();
	unsetenv("PERFCTR_ROOT");
}
END_TEST

/* Names of all, and of no more; none of one that does not fit. */
START_TEST(names)
{
	char list[PERFCTR_GROUP_MAX * 20 + 1] = "";
	struct perfctr_set *group;
	unsigned int i;

	for (i = 0; i < PERFCTR_GROUP_MAX; i++)
		strcat(list, i == 0  ? "context-switches"
			     : i % 2 ? ",page-faults"
				     : ",context-switches");
	group = perfctr_set_open(list, NULL, 0);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_size(group), PERFCTR_GROUP_MAX);
	for (i = 0; i < PERFCTR_GROUP_MAX; i++)
		ck_assert_str_eq(perfctr_set_name(group, i),
				 i % 2 ? "page-faults" : "context-switches");
	ck_assert_ptr_null(perfctr_set_name(group, PERFCTR_GROUP_MAX));
	ck_assert_ptr_null(perfctr_set_name(group, PERFCTR_GROUP_MAX + 1));
	perfctr_set_close(group);
}
END_TEST

/* A processor's group is on the PMU of its kind, also of processor 0. */
START_TEST(kind_of_a_processor)
{
	struct perfctr_variant chosen;

	root_make();
	root_line("big/type", "8");
	root_line("big/cpus", "1-3");
	root_line("little/type", "9");
	root_line("little/cpus", "0");
	ck_assert_int_eq(choose("cycles", 0, PERFCTR_LIST_COUNTED, &chosen), 0);
	ck_assert_str_eq(chosen.pmu, "little");
	ck_assert_int_eq(choose("cycles", 1, PERFCTR_LIST_COUNTED, &chosen), 0);
	ck_assert_str_eq(chosen.pmu, "big");
	ck_assert_int_eq(choose("page-faults", 0, PERFCTR_LIST_COUNTED, &chosen), 0);
	ck_assert_str_eq(chosen.pmu, "");
	root_remove();
	unsetenv("PERFCTR_ROOT");
}
END_TEST

/* More core types than there is room for: on which one, nobody can tell. */
START_TEST(too_many_kinds)
{
	char name[32];
	struct perfctr_variant chosen;
	unsigned int i;

	root_make();
	for (i = 0; i <= PERFCTR_VARIANTS_MAX; i++) {
		snprintf(name, sizeof(name), "kind%u/cpus", i);
		root_line(name, "0");
	}
	ck_fails_null(perfctr_set_open("cycles", NULL, 0), EOPNOTSUPP, "more than");
	/* What no core counts is on none of them. */
	ck_assert_int_eq(choose("page-faults", -1, PERFCTR_LIST_COUNTED, &chosen), 0);
	ck_assert(!chosen.is_core);
	root_remove();
	unsetenv("PERFCTR_ROOT");
}
END_TEST

/* What a processor counted until it went offline stays, and is told to be of the past. */
START_TEST(offline)
{
	static const unsigned int flags[] = { 0, PERFCTR_MULTIPLEX };
	struct perfctr_set *group;
	struct perfctr_reading readings[2];
	unsigned int f, n, old;

	for (f = 0; f < 2; f++)
		for (n = 1; n <= 2; n++)
			for (old = 0; old < 2; old++) {
				group = open_made_up(n == 1 ? "instructions:u" : PAIR, -1, 1,
						     flags[f]);
				pmu.keeps_read_size = old;
				pmu_run(-1, 1, false, 5);
				pmu_tick_of(-1, 1, 10);
				pmu_offline(1);
				pmu_run(-1, 1, false, 5);
				pmu_online(1);
				pmu_run(-1, 1, false, 5);
				ck_assert_msg(perfctr_set_read(group, readings) == 0, "%s",
					      perfctr_error());
				is_reading(readings[0], 5, PERFCTR_STALE, 10, 10);
				if (n == 2)
					is_reading(readings[1], 15, PERFCTR_STALE, 10, 10);
				ck_fails(perfctr_set_enable(group), ENODEV, "offline");
				ck_assert_int_eq(perfctr_set_reset(group), 0);
				ck_assert_int_eq(perfctr_set_read(group, readings), 0);
				is_reading(readings[0], 0, PERFCTR_STALE, 10, 10);
				close_made_up(group);
			}
}
END_TEST

static void fail_to_stop(void)
{
	pmu_fail(PERF_EVENT_IOC_DISABLE, 1, EIO);
}

/* What fails on the way out, too, says nothing of why. */
START_TEST(second_faults)
{
	pmu_begin();
	pmu_fail(PMU_OPEN, 2, EMFILE);
	pmu_at(PERF_EVENT_IOC_DISABLE, 1, fail_to_stop);
	ck_fails_null(perfctr_set_open(PAIR, NULL, 0), EMFILE, "descriptors");
	ck_assert(pmu_failed());
	ck_assert_uint_eq(pmu_calls(PERF_EVENT_IOC_DISABLE), 1);
	ck_assert_uint_eq(pmu_events(), 0);
	pmu_end();
}
END_TEST

/* Every call that opens a group fails in its turn, and leaves nothing. */
START_TEST(faults)
{
	struct perfctr_set *group;
	struct perfctr_reading readings[2];
	unsigned int nth, failures = 0, cpu;
	bool failed;

	for (cpu = 0; cpu < 2; cpu++)
		for (nth = 1;; nth++) {
			pmu_begin();
			pmu_fail(PMU_ANY, nth, ENOSYS);
			group = perfctr_set_open(cpu ? "cycles:u" : PAIR,
						 on(cpu ? -1 : 0, cpu ? 0 : -1), 0);
			failed = pmu_failed();
			pmu_fail(PMU_ANY, 0, 0);
			if (!group) {
				failures++;
				ck_assert(failed && errno != 0);
				ck_assert_uint_eq(pmu_events(), 0);
				ck_assert_uint_eq(pmu_mappings(), 0);
			} else {
				pmu_count(3);
				ck_assert_int_eq(perfctr_set_read(group, readings), 0);
				ck_assert_uint_eq(readings[0].quality, PERFCTR_EXACT);
				ck_assert_uint_eq(readings[0].value, cpu ? 0 : 3);
			}
			close_made_up(group);
			if (!failed)
				break;
		}
	ck_assert_uint_gt(failures, 6);
	group = open_made_up("cycles:u", -1, 0, 0);
	pmu_fail(PMU_READ, 1, EINTR);
	ck_assert_int_eq(perfctr_set_read(group, readings), 0);
	ck_assert(pmu_failed());
	pmu_fail(PMU_READ, 1, EIO);
	ck_fails(perfctr_set_read(group, readings), EIO, "reading");
	is_reading(readings[0], 0, PERFCTR_NOT_COUNTED, 0, 0);
	pmu_fail(PERF_EVENT_IOC_DISABLE, 1, EPERM);
	ck_fails(perfctr_set_disable(group), EPERM, "switch");
	pmu_fail(PERF_EVENT_IOC_DISABLE, 1, EINTR);
	ck_assert_int_eq(perfctr_set_disable(group), 0);
	ck_assert_uint_eq(pmu_active(), 0);
	close_made_up(group);
}
END_TEST

UNIT_MAIN("group", 60, software_events, enable_disable_reset, all_of_a_thread, nothing_to_switch,
	  a_processors_events, a_childs_events, bad_arguments, too_many_events, no_descriptors,
	  a_child_of_fork, estimates, widths, taken_apart, descriptor_0, rates, hardware_events,
	  together, stopped_before_closed, calls_of_a_short_set, strict_or_not, second_faults,
	  where, read_by_another_thread, what_the_kernel_is_asked, modifiers_of_groups, weak_groups,
	  companions, metrics, names, kind_of_a_processor, too_many_kinds, offline, second_faults,
	  faults)
