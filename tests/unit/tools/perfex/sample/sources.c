// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables of --sample: by source of data, and of branches. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include "tests/harness/check.h"
#include "tests/harness/stream.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/sources.h"

#define S(field, value) ((uint64_t)PERF_MEM_##field##_##value << PERF_MEM_##field##_SHIFT)
#define HEAD		"      samples percent    weight  data source\n"

static void sources_are(const struct sources *sources, const char *expected)
{
	FILE *file = begin_printing();

	sources_print(sources, file);
	end_printing(file, expected);
}

START_TEST(no_sources)
{
	struct sources sources = { .source = NULL };

	sources_are(&sources, "");
	sources_free(&sources);
}
END_TEST

/* The most frequent first; what says the same is one row, though its values differ. */
START_TEST(rows)
{
	const uint64_t l1 = S(OP, LOAD) | S(LVLNUM, L1) | S(LVL, HIT);
	struct sources sources = { .source = NULL };

	sources_count(&sources, S(OP, STORE), 0, 1);
	sources_count(&sources, S(OP, STORE), 0, 1);
	sources_count(&sources, l1, 4, 1);
	sources_count(&sources, l1 | S(LVL, L1), 7, 1);
	sources_count(&sources, l1 | S(LVL, L1), 4000000000, 1);
	ck_assert_uint_eq(sources.silent, 0);
	sources_count(&sources, S(OP, NA) | S(LVL, NA) | S(SNOOP, NA) | S(TLB, NA), 0, 1);
	sources_count(&sources, 0, 9, 1);
	sources_count(&sources, S(OP, PFETCH), 9, 1);
	ck_assert_uint_eq(sources.samples, 8);
	ck_assert_uint_eq(sources.silent, 2);
	sources_are(&sources, HEAD "            3  37.50% 1333333337.0  load, L1 hit\n"
				   "            2  25.00%       4.5  nothing\n"
				   "            2  25.00%         -  store\n"
				   "            1  12.50%       9.0  prefetch\n");
	sources_free(&sources);
}
END_TEST

/* Shares and means are of the events that samples stand for. */
START_TEST(events)
{
	struct sources sources = { .source = NULL };

	sources_count(&sources, S(OP, STORE), 10, 1);
	sources_count(&sources, S(OP, STORE), 20, 9);
	sources_count(&sources, S(OP, PFETCH), 9, 1);
	sources_count(&sources, S(OP, PFETCH), 9, 14);
	sources_count(&sources, S(OP, STORE), 0, 0);
	ck_assert_uint_eq(sources.samples, 5);
	sources_are(&sources, HEAD "            2  60.00%       9.0  prefetch\n"
				   "            3  40.00%      19.0  store\n");
	sources_free(&sources);
}
END_TEST

/* Of very many the rest is one row; each value is found again. */
START_TEST(many_sources)
{
	struct sources sources = { .source = NULL };
	FILE *file = begin_printing();
	uint64_t i, k;

	for (k = 0; k < 2; k++)
		for (i = 0; i < 4096; i++)
			sources_count(&sources, i << 51, 2 * (uint32_t)k, 1);
	ck_assert_uint_eq(sources.used, 4096);
	ck_assert_uint_eq(sources.samples, 8192);
	sources_print(&sources, file);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(printed,
				     HEAD "            2   0.02%       1.0  nothing\n"
					  "            2   0.02%       1.0  unknown bits 0x1"));
	ck_assert_ptr_nonnull(strstr(printed, "\n         8112  99.02%       1.0  4056 others\n"));
	free(printed);
	sources_free(&sources);
}
END_TEST

static void branches_are(struct histogram *histogram, const char *expected)
{
	FILE *file = begin_printing();

	histogram_print(histogram, file, PLACE_BRANCH);
	end_printing(file, expected);
}

static void take_branches(struct histogram *histogram, uint64_t from, unsigned int n,
			  unsigned int mispredicted)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		histogram_branch(histogram, 7, from, false, i < mispredicted);
}

/* The file of a mapping. */
static size_t file_of(struct histogram *histogram, uint32_t pid, const char *name)
{
	const struct perfctr_record_mmap mmap = { .pid = pid, .file = name };

	return histogram_file(histogram, &mmap);
}

#define BRANCHES " mispredicted percent     branches  address                               file\n"

/* What was mispredicted most often is first, however often it was taken. */
START_TEST(branches)
{
	struct histogram *histogram = histogram_new();
	const struct map map = { 0x1000, 0x100000, 0x200, file_of(histogram, 7, "/none") };
	uint64_t i;

	branches_are(histogram, "");
	histogram_map(histogram, 7, &map);
	take_branches(histogram, 0x1010, 1000, 1);
	take_branches(histogram, 0x1020, 8, 3);
	take_branches(histogram, 0x1030, 2, 0);
	take_branches(histogram, 0x1040, 3, 0);
	take_branches(histogram, 0x900000, 4, 4);
	ck_assert_uint_eq(histogram_samples(histogram), 1017);
	branches_are(
		histogram, BRANCHES
		"            4 100.00%            4  -                                     [unknown]\n"
		"            3  37.50%            8  +0x220                                /none\n"
		"            1   0.10%         1000  +0x210                                /none\n"
		"            0   0.00%            3  +0x240                                /none\n"
		"            0   0.00%            2  +0x230                                /none\n");
	for (i = 0; i < 38; i++)
		take_branches(histogram, 0x2000 + i, 2, 1);
	FILE *file = begin_printing();
	histogram_print(histogram, file, PLACE_BRANCH);
	fclose(file);
	ck_assert_ptr_nonnull(
		strstr(printed, "            1  14.29%            7  in 3 other places\n"));
	free(printed);
	histogram_free(histogram);
}
END_TEST

/* A kernel's branches are the kernel's, and other tables stay as they are. */
START_TEST(other_branches)
{
	struct histogram *histogram = histogram_new();
	FILE *file;

	histogram_branch(histogram, 7, UINT64_C(0xFFFFFFFF81000000), true, true);
	histogram_branch(histogram, 7, UINT64_C(0xFFFFFFFF81000000), true, false);
	file = begin_printing();
	histogram_print(histogram, file, PLACE_FILE);
	end_printing(file, "      samples percent  file\n"
			   "            2 100.00%  [kernel]\n");
	histogram_free(histogram);
}
END_TEST

UNIT_MAIN("sources", 20, events, no_sources, rows, many_sources, branches, other_branches)
