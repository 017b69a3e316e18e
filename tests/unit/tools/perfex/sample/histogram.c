// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samples by place and by calls: the edges of mappings, what hides what, forks and execs, return
 * addresses. The names of functions are made up.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include "tests/harness/check.h"
#include "tests/harness/stream.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/kallsyms.h"

#define KERNEL UINT64_C(0xFFFFFFFF81000000)
#define USER   ((uint64_t)PERF_CONTEXT_USER)
#define INSIDE ((uint64_t)PERF_CONTEXT_KERNEL)

/* The kernel's functions, one after the other. */
struct symbols *__wrap_kallsyms_read(void);
struct symbols *__wrap_kallsyms_read(void)
{
	struct symbols *symbols = symbols_new();

	symbols_add(symbols, KERNEL, KERNEL + 0x100, 1, "kernel_a", 8);
	symbols_add(symbols, KERNEL + 0x100, KERNEL + 0x200, 1, "kernel_b", 8);
	symbols_end(symbols);
	return symbols;
}

/* A file's: two functions of 256 bytes, by their offsets. */
struct symbols *__wrap_elf_symbols(const char *file);
struct symbols *__wrap_elf_symbols(const char *file)
{
	struct symbols *symbols = symbols_new();

	if (!strcmp(file, "/code")) {
		symbols_add(symbols, 0x1000, 0x1100, 1, "code_a", 6);
		symbols_add(symbols, 0x1100, 0x1200, 1, "code_b", 6);
	}
	symbols_end(symbols);
	return symbols;
}

static void folded_are(struct histogram *histogram, const char *expected)
{
	FILE *file = begin_printing();

	histogram_fold(histogram, file);
	end_printing(file, expected);
}

#define HEAD "      samples percent  address                               file\n"

static void places_are(struct histogram *histogram, const char *expected)
{
	FILE *file = begin_printing();

	histogram_print(histogram, file, PLACE_ADDRESS);
	end_printing(file, expected);
}

static void map_file(struct histogram *histogram, uint32_t pid, uint64_t start, uint64_t length,
		     uint64_t offset, const char *name)
{
	const struct map map = { start, length, offset, histogram_file(histogram, pid, name) };

	histogram_map(histogram, pid, &map);
}

/* Functions by their samples, with the place in each that has most of them. */
START_TEST(busiest)
{
	struct histogram *histogram = histogram_new();
	struct histogram_top top[3];
	unsigned int i;

	ck_assert_uint_eq(histogram_top(histogram, top, 3), 0);
	map_file(histogram, 1, 0x400000, 0x10000, 0, "/code");
	for (i = 0; i < 6; i++)
		histogram_count(histogram, 1, i < 2 ? 0x401104 : i < 5 ? 0x401108 : 0x401004, 1);
	histogram_count_kernel(histogram, KERNEL + 0x10, 1);
	histogram_count_kernel(histogram, KERNEL + 0x10, 1);
	ck_assert_uint_eq(histogram_top(histogram, top, 3), 3);
	/* Its own place, though others have more samples. */
	ck_assert_str_eq(top[2].function, "code_a");
	ck_assert_uint_eq(top[2].offset, 0x1004);
	for (i = 0; i < 3; i++)
		free(top[i].function);
	histogram_count(histogram, 1, 0x10, 1); /* nobody's */
	ck_assert_uint_eq(histogram_top(histogram, top, 2), 2);
	ck_assert_str_eq(top[0].function, "code_b");
	ck_assert_str_eq(top[0].file, "/code");
	ck_assert_uint_eq(top[0].offset, 0x1108);
	ck_assert_uint_eq(top[0].count, 5);
	ck_assert_str_eq(top[1].function, "kernel_a");
	ck_assert_str_eq(top[1].file, "[kernel]");
	ck_assert_uint_eq(top[1].count, 2);
	free(top[0].function);
	free(top[1].function);
	histogram_free(histogram);
}
END_TEST

/* Few samples that stand for many events are more than many that stand for few. */
START_TEST(weighted)
{
	struct histogram *histogram = histogram_new();
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_USER, 0x401104 };
	FILE *file = begin_printing();
	struct histogram_top top[2];
	unsigned int i;

	map_file(histogram, 1, 0x400000, 0x10000, 0, "/code");
	histogram_count(histogram, 1, 0x401104, 1);
	ck_assert(!histogram_is_weighted(histogram));
	for (i = 0; i < 5; i++)
		histogram_count(histogram, 1, 0x401108, 10);
	ck_assert(histogram_is_weighted(histogram));
	histogram_count(histogram, 1, 0x401004, 149);
	histogram_chain(histogram, 1, chain, 2, 149);
	histogram_chain(histogram, 1, chain, 2, 51);
	ck_assert_uint_eq(histogram_samples(histogram), 7);
	histogram_print(histogram, file, PLACE_FUNCTION);
	end_printing(file, "      samples percent  function                              file\n"
			   "            1  74.50%  code_a                                /code\n"
			   "            6  25.50%  code_b                                /code\n");
	folded_are(histogram, "[unknown];code_b 200\n");
	ck_assert_uint_eq(histogram_top(histogram, top, 2), 2);
	ck_assert_str_eq(top[0].function, "code_a");
	ck_assert_double_eq(top[0].share, 0.745);
	ck_assert_str_eq(top[1].function, "code_b");
	ck_assert_uint_eq(top[1].offset, 0x1108);
	ck_assert_double_eq(top[1].share, 0.255);
	for (i = 0; i < 2; i++)
		free(top[i].function);
	histogram_free(histogram);
}
END_TEST

/* The first and the last byte are a mapping's, the ones before and after them are nobody's. */
START_TEST(edges)
{
	struct histogram *histogram = histogram_new();

	histogram_turn(histogram);
	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	histogram_count(histogram, 7, 0x10000, 1);
	histogram_count(histogram, 7, 0x10000, 1);
	histogram_count(histogram, 7, 0x10FFF, 1);
	ck_assert(!histogram_is_new(histogram, 7, 0x10FFF));
	ck_assert(histogram_is_new(histogram, 7, 0x11000));
	histogram_count(histogram, 7, 0xFFFF, 1);
	histogram_count(histogram, 7, 0x11000, 1);
	histogram_count(histogram, 8, 0x10000, 1);
	places_are(histogram,
		   HEAD "            3  50.00%  -                                     [unknown]\n"
			"            2  33.33%  code_a+0x0                            /code\n"
			"            1  16.67%  +0x1fff                               /code\n");
	histogram_free(histogram);
}
END_TEST

/* What is not known is asked for once a turn. */
START_TEST(turns)
{
	struct histogram *histogram = histogram_new();

	histogram_turn(histogram);
	ck_assert(histogram_is_new(histogram, 7, 5));
	ck_assert(!histogram_is_new(histogram, 7, 5));
	ck_assert(!histogram_is_new(histogram, 7, 6));
	ck_assert(histogram_is_new(histogram, 8, 5));
	histogram_turn(histogram);
	ck_assert(histogram_is_new(histogram, 7, 5));
	histogram_free(histogram);
}
END_TEST

static unsigned int files;

static void count_file(void *arg, const struct map *map, const char *file)
{
	(void)map;
	ck_assert_str_eq(file, arg);
	files++;
}

static void files_are(struct histogram *histogram, uint32_t pid, unsigned int n)
{
	char name[] = "/code";

	files = 0;
	histogram_each_file(histogram, pid, count_file, name);
	ck_assert_uint_eq(files, n);
}

/* A later mapping hides an earlier one, which is forgotten when nothing of it is left. */
START_TEST(hidden)
{
	struct histogram *histogram = histogram_new();
	uint64_t version;

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	map_file(histogram, 7, 0x10800, 0x800, 0x1000, "/code");
	files_are(histogram, 7, 2);
	histogram_count(histogram, 7, 0x107FF, 1);
	histogram_count(histogram, 7, 0x10800, 1);
	version = histogram_version(histogram, 7);
	/* The same place, a byte less at either end, and all of both. */
	map_file(histogram, 7, 0x10800, 0x800, 0x1100, "/code");
	files_are(histogram, 7, 2);
	ck_assert_uint_ne(histogram_version(histogram, 7), version);
	histogram_count(histogram, 7, 0x10800, 1);
	map_file(histogram, 7, 0x10001, 0xFFF, 0, "/code");
	files_are(histogram, 7, 2);
	map_file(histogram, 7, 0x10000, 0xFFF, 0, "/code");
	files_are(histogram, 7, 3);
	map_file(histogram, 7, 0x10000, 0x1000, 0, "/code");
	files_are(histogram, 7, 1);
	/* What is beside it, a byte further or not, is not hidden. */
	map_file(histogram, 8, 0x21000, 0x10, 0, "/code");
	map_file(histogram, 8, 0x20000, 0x1000, 0, "/code");
	files_are(histogram, 8, 2);
	map_file(histogram, 8, 0x31001, 0x10, 0, "/code");
	map_file(histogram, 8, 0x30000, 0x1000, 0, "/code");
	files_are(histogram, 8, 4);
	ck_assert_uint_eq(histogram_version(histogram, 9), 0);
	places_are(histogram,
		   HEAD "            1  33.33%  code_a+0x0                            /code\n"
			"            1  33.33%  code_b+0x0                            /code\n"
			"            1  33.33%  +0x17ff                               /code\n");
	histogram_free(histogram);
}
END_TEST

/* A child has its parent's mappings and name until it executes a program; a thread is none. */
START_TEST(processes)
{
	const uint64_t chain[] = { USER, 0x10010 };
	struct histogram *histogram = histogram_new();
	uint64_t version;

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	histogram_name(histogram, 7, "parent");
	histogram_fork(histogram, 7, 7);
	files_are(histogram, 7, 1);
	histogram_fork(histogram, 8, 7);
	files_are(histogram, 8, 1);
	histogram_chain(histogram, 8, chain, 2, 1);
	folded_are(histogram, "parent;code_a 1\n");
	histogram_exec(histogram, 8);
	histogram_name(histogram, 8, "child");
	files_are(histogram, 8, 0);
	files_are(histogram, 7, 1);
	/* The next process of that number has other files, which its readers have to know. */
	version = histogram_version(histogram, 8);
	histogram_fork(histogram, 8, 7);
	ck_assert_uint_ne(histogram_version(histogram, 8), version);
	version = histogram_version(histogram, 8);
	histogram_exec(histogram, 8);
	ck_assert_uint_ne(histogram_version(histogram, 8), version);
	histogram_name(histogram, 8, "child");
	histogram_chain(histogram, 8, chain, 2, 1);
	histogram_chain(histogram, 7, chain, 2, 1);
	folded_are(histogram, "child;[unknown] 1\nparent;code_a 2\n");
	histogram_free(histogram);
}
END_TEST

/* Memory of no file is each process's own, and one place of it each address. */
START_TEST(memory)
{
	struct histogram *histogram = histogram_new();

	ck_assert_uint_eq(histogram_file(histogram, 7, "//anon"), histogram_file(histogram, 7, ""));
	ck_assert_uint_eq(histogram_file(histogram, 7, "[heap]"),
			  histogram_file(histogram, 7, "/memfd:jit"));
	ck_assert_uint_ne(histogram_file(histogram, 7, "//anon"),
			  histogram_file(histogram, 8, "//anon"));
	ck_assert_uint_eq(histogram_file(histogram, 7, "/code"),
			  histogram_file(histogram, 8, "/code"));
	map_file(histogram, 7, 0x10000, 0x1000, 0, "//anon");
	map_file(histogram, 8, 0x10000, 0x1000, 0, "//anon");
	files_are(histogram, 7, 0);
	histogram_free(histogram);
}
END_TEST

/*
 * Calls return to the instruction after them, which may be the next function's first one: what
 * called is in front of it. Where it happened is taken as it is, in each mode.
 */
START_TEST(calls)
{
	/* The kernel is at b's first byte, called by a's last instruction; and so is the user. */
	const uint64_t both[] = { INSIDE, KERNEL + 0x100, KERNEL + 0x100, USER, 0x10100, 0x10100 };
	const uint64_t start[] = { USER, 0x10000, 0x10200 };
	struct histogram *histogram = histogram_new();

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	histogram_name(histogram, 7, "program");
	histogram_chain(histogram, 7, both, 6, 1);
	histogram_chain(histogram, 7, start, 3, 1);
	folded_are(histogram, "program;code_a;code_b;kernel_a_[k];kernel_b_[k] 1\n"
			      "program;code_b;code_a 1\n");
	histogram_free(histogram);
}
END_TEST

/*
 * A signal returns to where it came, which may be a function's first instruction: who unwinds puts
 * one on top, so that it is found there. Ways of the same names are one.
 */
START_TEST(signals)
{
	const uint64_t handled[] = { USER, 0x10000, 0x10100 + 1 };
	const uint64_t called[] = { USER, 0x10004, 0x10180 };
	struct histogram *histogram = histogram_new();

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	histogram_chain(histogram, 7, handled, 3, 1);
	histogram_chain(histogram, 7, called, 3, 1);
	histogram_chain(histogram, 7, called, 3, 1);
	folded_are(histogram, "[unknown];code_b;code_a 3\n");
	histogram_free(histogram);
}
END_TEST

/* Nothing but a context is a way without calls; what is in no mapping is unknown. */
START_TEST(empty)
{
	const uint64_t nothing[] = { USER }, unknown[] = { USER, 0x99 }, kernel[] = { INSIDE, 5 };
	struct histogram *histogram = histogram_new();

	histogram_chain(histogram, 7, nothing, 0, 1);
	histogram_chain(histogram, 7, nothing, 1, 1);
	histogram_chain(histogram, 7, unknown, 2, 1);
	histogram_chain(histogram, 7, kernel, 2, 1);
	folded_are(histogram, "[unknown] 2\n[unknown];[kernel] 1\n[unknown];[unknown] 1\n");
	histogram_free(histogram);
}
END_TEST

/* Branches of one row: those of code that nobody names. */
START_TEST(branches)
{
	struct histogram *histogram = histogram_new();
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	map_file(histogram, 7, 0x10000, 0x1000, 0, "//anon");
	histogram_branch(histogram, 7, 0x10000, false, true);
	histogram_branch(histogram, 7, 0x10100, false, true);
	histogram_branch(histogram, 7, 0x10200, false, false);
	histogram_branch(histogram, 7, 0x99, false, false);
	histogram_print(histogram, file, PLACE_BRANCH);
	fclose(file);
	ck_assert_msg(strstr(text, "            2  66.67%            3  -  "), "%s", text);
	ck_assert_msg(strstr(text, "            0   0.00%            1  -  "), "%s", text);
	free(text);
	histogram_free(histogram);
}
END_TEST

UNIT_MAIN("histogram", 20, busiest, weighted, edges, turns, hidden, processes, memory, calls,
	  signals, empty, branches)
