// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests which metrics --topdown counts: those of some processors. */
#include <stdlib.h>
#include <string.h>
#include "arch/cpu.h"
#include "lib/isa/identify.h"
#include "tests/harness/check.h"
#include "tests/harness/root.h"
#include "tools/perfex/count/topdown.h"

static unsigned int commas(const char *text)
{
	unsigned int n = 0;

	for (; *text; text++)
		n += *text == ',';
	return n;
}

/* Each level has those above it, each name once, and no figure that is in no tree. */
START_TEST(levels)
{
	struct topdown *topdown = topdown_of("skylake");
	unsigned int level, n = 0, most = topdown_levels(topdown);
	char *names, *last = NULL;

	ck_assert_uint_eq(most, 6);
	for (level = 1; level <= most; level++) {
		names = topdown_names(topdown, level);
		ck_assert_uint_gt(commas(names) + 1, n);
		n = commas(names) + 1;
		ck_assert_ptr_null(strstr(names, "tma_info_"));
		free(last);
		last = names;
	}
	names = topdown_names(topdown, 16);
	ck_assert_str_eq(names, last);
	free(names);
	free(last);
	names = topdown_names(topdown, 1);
	ck_assert_uint_eq(commas(names), 3);
	ck_assert_ptr_nonnull(strstr(names, "tma_retiring"));
	free(names);
	topdown_free(topdown);
}
END_TEST

/* The parts of several, and of what has none; a name that begins like another is another. */
START_TEST(parts)
{
	struct topdown *topdown = topdown_of("skylake");
	char *names = topdown_parts(topdown, "tma_memory,tma_bad_speculation,tma_branch");

	ck_assert_str_eq(names, "tma_branch_mispredicts,tma_machine_clears");
	free(names);
	names = topdown_parts(topdown, "tma_backend_bound,tma_bad_speculation");
	ck_assert_uint_eq(commas(names), 3);
	free(names);
	ck_assert_ptr_null(topdown_parts(topdown, "tma_divider"));
	ck_assert_ptr_null(topdown_parts(topdown, ""));
	topdown_free(topdown);
}
END_TEST

/* AMD's has two levels, of names that are the library's; Arm's has one, or four. */
START_TEST(others)
{
	struct topdown *topdown = topdown_of("zen4");
	char *names = topdown_names(topdown, 1);

	ck_assert_uint_eq(topdown_levels(topdown), 2);
	ck_assert_str_eq(names,
			 "topdown-frontend,topdown-bad-speculation,topdown-backend,topdown-smt,"
			 "topdown-retiring");
	free(names);
	names = topdown_parts(topdown, "topdown-backend");
	ck_assert_str_eq(names, "topdown-backend-memory,topdown-backend-core");
	free(names);
	topdown_free(topdown);
	topdown = topdown_of("neoverse-v2");
	names = topdown_names(topdown, 1);
	ck_assert_uint_eq(topdown_levels(topdown), 1);
	ck_assert_uint_eq(commas(names), 3);
	free(names);
	topdown_free(topdown);
	topdown = topdown_of("neoverse-n3");
	ck_assert_uint_eq(topdown_levels(topdown), 4);
	names = topdown_parts(topdown, "topdown-backend");
	ck_assert_str_eq(names, "backend_core_bound,backend_mem_bound");
	free(names);
	topdown_free(topdown);
	ck_assert_ptr_null(topdown_of("p4"));
	ck_assert_ptr_null(topdown_of("no-such-processor"));
	topdown_free(NULL);
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

/* As in tests/data/cpuid/intel-alderlake-90672-e.txt. */
void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = (struct perfctr_cpuid){
		.max_leaf = 0x20,
		.vendor = "GenuineIntel",
		.signature = 0x90672,
		.leaf1_ecx = 0x7FFAFBFF,
		.leaf1_edx = 0xBFEBFBFF,
		.leaf7_edx = 0xFC1CC410, /* a hybrid */
		.leaf0a_eax = 0x07300605,
		.leaf0a_edx = 0x8603,
		.leaf1a_eax = 0x20000001,
	};
}

/* On two core types a name that both have is there once, and below either parent. */
START_TEST(core_types)
{
	struct topdown *topdown;
	char *names;

	/* The processor has its table only if it is asked for before there is a root. */
	topdown_free(topdown_of(NULL));
	root_unpack("alderlake");
	topdown = topdown_new("--topdown");
	names = topdown_names(topdown, 1);
	ck_assert_str_eq(names,
			 "tma_frontend_bound,tma_bad_speculation,tma_backend_bound,tma_retiring");
	free(names);
	names = topdown_parts(topdown, "tma_ifetch_latency");
	ck_assert_str_eq(names, "tma_icache_misses,tma_itlb_misses,tma_branch_detect,"
				"tma_branch_resteer");
	free(names);
	names = topdown_parts(topdown, "tma_fetch_latency,tma_ifetch_latency");
	ck_assert_ptr_nonnull(strstr(names, "tma_itlb_misses"));
	ck_assert_ptr_null(strstr(strstr(names, "tma_itlb_misses") + 1, "tma_itlb_misses"));
	free(names);
	topdown_free(topdown);
	unsetenv("PERFCTR_ROOT");
	root_remove();
}
END_TEST

UNIT_MAIN("topdown", 60, levels, parts, others, core_types)

#else

UNIT_MAIN("topdown", 60, levels, parts, others)

#endif
