// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samples by place and by calls: the edges of mappings, what hides what, forks and execs, return
 * addresses. The names of functions are made up.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include "tests/harness/check.h"
#include "tests/harness/stream.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/inlined.h"
#include "tools/perfex/sample/kallsyms.h"
#include "tools/perfex/sample/view.h"

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
	symbols_end(symbols, SYMBOLS_NESTED);
	return symbols;
}

/* A file's: two functions of 256 bytes, by their offsets. */
struct symbols *__wrap_elf_symbols(const struct elf_source *source);
struct symbols *__wrap_elf_symbols(const struct elf_source *source)
{
	struct symbols *symbols = symbols_new();

	if (!strcmp(source->path, "/code")) {
		symbols_add(symbols, 0x1000, 0x1100, 1, "code_a", 6);
		symbols_add(symbols, 0x1100, 0x1200, 1, "code_b", 6);
	}
	if (!strcmp(source->path, "/program")) {
		symbols_add(symbols, 0x1000, 0x1100, 1, "main", 4);
		symbols_add(symbols, 0x1100, 0x1200, 1, "leaf", 4);
	}
	symbols_end(symbols, SYMBOLS_NESTED);
	return symbols;
}

/* What is inlined: two functions in one of them, from 0xA0 on, unless the file takes too long. */
static bool slow;
static unsigned int questions;

bool __wrap_inlined_find(const struct elf_source *source, const uint64_t *address, size_t n,
			 inlined_found *found, void *arg);
bool __wrap_inlined_find(const struct elf_source *source, const uint64_t *address, size_t n,
			 inlined_found *found, void *arg)
{
	static const char names[] = "_Z5outerv\0inner;";
	size_t i;

	questions++;
	ck_assert_int_ge(source->fd, 0);
	for (i = 0; i < n; i++) {
		ck_assert(!i || address[i - 1] < address[i]);
		if (address[i] >= 0x11A0 && address[i] < 0x11B0)
			found(arg, i, names, sizeof(names));
	}
	return !slow;
}

/* The file of a mapping. */
static size_t file_of(struct histogram *histogram, uint32_t pid, const char *name)
{
	const struct perfctr_record_mmap mmap = { .pid = pid, .file = name };

	return histogram_file(histogram, &mmap);
}

/* Opens what mapped files are made of here: "/text" is no program, and "/gone" is gone. */
static enum view_result result = VIEW_FOUND;
static unsigned int nopened;

enum view_result __wrap_view_open_mapped(const struct views *views, const struct view *view,
					 const struct perfctr_record_mmap *mmap, int *fd);
enum view_result __wrap_view_open_mapped(const struct views *views, const struct view *view,
					 const struct perfctr_record_mmap *mmap, int *fd)
{
	(void)views;
	nopened++;
	ck_assert_ptr_nonnull(view);
	if (strncmp(mmap->file, "/gone", 5) != 0)
		*fd = open(strcmp(mmap->file, "/text") != 0 ? "/proc/self/exe" : "/proc/self/maps",
			   O_RDONLY | O_CLOEXEC);
	return strncmp(mmap->file, "/gone", 5) ? VIEW_FOUND : result;
}

/* Whether there is a library that decodes C++'s names. */
static bool have_cxx(void)
{
	return dlopen("libstdc++.so.6", RTLD_NOW) || dlopen("libc++abi.so.1", RTLD_NOW);
}

static void folded_are(struct histogram *histogram, const char *expected)
{
	FILE *file = begin_printing();

	histogram_fold(histogram, false, file);
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
	const struct map map = { start, length, offset, file_of(histogram, pid, name) };

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
	histogram_chain(histogram, 1, 1, chain, 2, 149);
	histogram_chain(histogram, 1, 1, chain, 2, 51);
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

static void count_file(void *arg, const struct map *map, const char *file, int fd)
{
	(void)map;
	ck_assert_int_ge(fd, 0);
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
	histogram_chain(histogram, 8, 8, chain, 2, 1);
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
	histogram_chain(histogram, 8, 8, chain, 2, 1);
	histogram_chain(histogram, 7, 7, chain, 2, 1);
	folded_are(histogram, "child;[unknown] 1\nparent;code_a 2\n");
	histogram_free(histogram);
}
END_TEST

/* A thread has its parent's name until it has one of its own. */
START_TEST(threads)
{
	const uint64_t chain[] = { USER, 0x10010 };
	struct histogram *histogram = histogram_new();
	FILE *file = begin_printing();
	uint32_t tid;

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	histogram_name(histogram, 7, "program");
	histogram_thread(histogram, 8, "io\x01;pool");
	histogram_thread_fork(histogram, 9, 8);
	histogram_thread_fork(histogram, 10, 7);
	histogram_thread_fork(histogram, 11, 99);
	for (tid = 7; tid <= 11; tid++)
		histogram_chain(histogram, 7, tid, chain, 2, 1);
	folded_are(histogram, "program;code_a 5\n");
	histogram_thread(histogram, 9, "gc-worker");
	histogram_chain(histogram, 7, 9, chain, 2, 1);
	histogram_fold(histogram, true, file);
	end_printing(file, "program;gc-worker;code_a 1\nprogram;io?:pool;code_a 2\n"
			   "program;program;code_a 3\n");
	histogram_free(histogram);
}
END_TEST

/* Memory of no file is each process's own, and one place of it each address. */
START_TEST(memory)
{
	struct histogram *histogram = histogram_new();

	ck_assert_uint_eq(file_of(histogram, 7, "//anon"), file_of(histogram, 7, ""));
	ck_assert_uint_eq(file_of(histogram, 7, "[heap]"), file_of(histogram, 7, "/memfd:jit"));
	ck_assert_uint_ne(file_of(histogram, 7, "//anon"), file_of(histogram, 8, "//anon"));
	ck_assert_uint_eq(file_of(histogram, 7, "/code"), file_of(histogram, 8, "/code"));
	map_file(histogram, 7, 0x10000, 0x1000, 0, "//anon");
	map_file(histogram, 8, 0x10000, 0x1000, 0, "//anon");
	files_are(histogram, 7, 0);
	histogram_free(histogram);
}
END_TEST

static size_t known_file(struct histogram *histogram, uint64_t inode, const char *id)
{
	struct perfctr_record_mmap mmap = { .pid = 7, .inode = inode, .file = "/code" };

	mmap.build_id_size = (uint32_t)strlen(id);
	memcpy(mmap.build_id, id, strlen(id));
	return histogram_file(histogram, &mmap);
}

/* Files of one name are told apart by what the kernel says of them, and are rows of one name. */
START_TEST(identities)
{
	struct histogram *histogram = histogram_new();
	size_t one = known_file(histogram, 1, ""), two = known_file(histogram, 2, "");
	size_t three = known_file(histogram, 0, "abc"), four = known_file(histogram, 0, "abd");
	const struct map first = { 0x10000, 0x1000, 0x1000, one },
			 second = { 0x20000, 0x1000, 0x1000, three };

	ck_assert_uint_ne(one, two);
	ck_assert_uint_ne(one, three);
	ck_assert_uint_ne(two, three);
	ck_assert_uint_ne(three, four);
	ck_assert_uint_ne(known_file(histogram, 0, "ab"), three);
	ck_assert_uint_eq(known_file(histogram, 5, "abc"), three);
	ck_assert_uint_eq(known_file(histogram, 1, ""), one);
	histogram_map(histogram, 7, &first);
	histogram_map(histogram, 7, &second);
	histogram_count(histogram, 7, 0x10000, 1);
	histogram_count(histogram, 7, 0x20000, 1);
	places_are(histogram,
		   HEAD "            2 100.00%  code_a+0x0                            /code\n");
	histogram_free(histogram);
}
END_TEST

/* A file that is not ELF has code as memory has it: each process its own, by addresses. */
START_TEST(as_memory)
{
	struct histogram *histogram = histogram_new();

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/text");
	map_file(histogram, 8, 0x20000, 0x1000, 0x1000, "/text");
	histogram_count(histogram, 7, 0x10010, 1);
	histogram_count(histogram, 7, 0x10020, 1);
	histogram_count(histogram, 8, 0x20010, 1);
	places_are(histogram,
		   HEAD "            3 100.00%  -                                     /text\n");
	ck_assert_uint_eq(histogram_rewritten(histogram), 0);
	files_are(histogram, 7, 0);
	histogram_free(histogram);
}
END_TEST

/* Names are missing if there are samples in a file that can't be opened. */
START_TEST(missing)
{
	struct histogram *histogram = histogram_new();
	bool replaced = false;

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	map_file(histogram, 7, 0x20000, 0x1000, 0x1000, "/gone");
	map_file(histogram, 7, 0x30000, 0x1000, 0x1000, "/gone again");
	histogram_count(histogram, 7, 0x10000, 1);
	ck_assert_ptr_null(histogram_missing(histogram, &replaced));
	result = VIEW_REPLACED;
	histogram_count(histogram, 7, 0x20000, 1);
	ck_assert_str_eq(histogram_missing(histogram, &replaced), "/gone");
	ck_assert(replaced);
	histogram_free(histogram);
	histogram = histogram_new();
	map_file(histogram, 7, 0x20000, 0x1000, 0x1000, "/gone");
	result = VIEW_UNSEEN;
	histogram_count(histogram, 7, 0x20010, 1);
	ck_assert_str_eq(histogram_missing(histogram, &replaced), "/gone");
	ck_assert(!replaced);
	places_are(histogram,
		   HEAD "            1 100.00%  +0x1010                               /gone\n");
	result = VIEW_FOUND;
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
	histogram_chain(histogram, 7, 7, both, 6, 1);
	histogram_chain(histogram, 7, 7, start, 3, 1);
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
	histogram_chain(histogram, 7, 7, handled, 3, 1);
	histogram_chain(histogram, 7, 7, called, 3, 1);
	histogram_chain(histogram, 7, 7, called, 3, 1);
	folded_are(histogram, "[unknown];code_b;code_a 3\n");
	histogram_free(histogram);
}
END_TEST

/*
 * Inlined functions follow the one that they are in, which may call others; those of all places of
 * a file are asked for together. What has the same names is one way.
 */
START_TEST(inlined)
{
	const uint64_t within[] = { USER, 0x10004, 0x101A0 + 1 }, alone[] = { USER, 0x101A4 };
	const uint64_t again[] = { USER, 0x101A8 }, outside[] = { USER, 0x10104 };
	struct histogram *histogram = histogram_new();
	const char *name = have_cxx() ? "outer()" : "_Z5outerv";
	char expected[256];

	map_file(histogram, 7, 0x10000, 0x1000, 0x1000, "/code");
	histogram_chain(histogram, 7, 7, within, 3, 1);
	histogram_chain(histogram, 7, 7, alone, 2, 1);
	histogram_chain(histogram, 7, 7, again, 2, 2);
	histogram_chain(histogram, 7, 7, outside, 2, 1);
	questions = 0;
	snprintf(expected, sizeof(expected),
		 "[unknown];code_b 1\n[unknown];code_b;%s_[i];inner:_[i] 3\n"
		 "[unknown];code_b;%s_[i];inner:_[i];code_a 1\n",
		 name, name);
	folded_are(histogram, expected);
	folded_are(histogram, expected);
	ck_assert_ptr_null(histogram_slow(histogram));
	ck_assert_uint_eq(questions, 1);
	slow = true;
	ck_assert_ptr_null(histogram_slow(histogram));
	histogram_chain(histogram, 7, 7, outside, 2, 1);
	ck_assert_str_eq(histogram_slow(histogram), "/code");
	slow = false;
	histogram_free(histogram);
}
END_TEST

/* Nothing but a context is a way without calls; what is in no mapping is unknown. */
START_TEST(empty)
{
	const uint64_t nothing[] = { USER }, unknown[] = { USER, 0x99 }, kernel[] = { INSIDE, 5 };
	struct histogram *histogram = histogram_new();

	histogram_chain(histogram, 7, 7, nothing, 0, 1);
	histogram_chain(histogram, 7, 7, nothing, 1, 1);
	histogram_chain(histogram, 7, 7, unknown, 2, 1);
	histogram_chain(histogram, 7, 7, kernel, 2, 1);
	folded_are(histogram, "[unknown] 2\n[unknown];[kernel] 1\n[unknown];[unknown] 1\n");
	histogram_free(histogram);
}
END_TEST

/* Branches of one row: those of code that nobody names. */
/* Chains by frame pointers; a leaf's caller is missing. */
START_TEST(cut)
{
	struct histogram *histogram = histogram_new();
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER, kernel = (uint64_t)PERF_CONTEXT_KERNEL;
	const uint64_t bare = 0x501001, leaf = 0x401110, mine = 0x401020, stripped = 0x601000;
	const uint64_t whole[] = { user, leaf, mine, bare, bare + 8 };
	const uint64_t lacking[] = { kernel, KERNEL, user, leaf, bare };
	const uint64_t lost[] = { user, leaf, 0x9000 };
	const uint64_t unknown[] = { user, stripped, stripped + 8, bare };
	const uint64_t alone[] = { kernel, KERNEL };

	map_file(histogram, 7, 0x400000, 0x10000, 0, "/program");
	map_file(histogram, 7, 0x500000, 0x10000, 0, "/library");
	map_file(histogram, 7, 0x600000, 0x10000, 0, "/stripped");
	histogram_chain(histogram, 7, 7, whole, 5, 1);
	histogram_chain(histogram, 7, 7, whole, 3, 1);
	histogram_chain(histogram, 7, 7, unknown, 4, 1);
	histogram_chain(histogram, 7, 7, alone, 2, 1);
	histogram_chain(histogram, 7, 8, lacking, 5, 1); /* another thread has no main */
	ck_assert_uint_eq(histogram_cut(histogram), 0);
	histogram_chain(histogram, 7, 7, lacking, 5, 10);
	ck_assert_uint_eq(histogram_cut(histogram), 1);
	histogram_chain(histogram, 7, 7, lacking, 4, 1);
	histogram_chain(histogram, 7, 7, lost, 3, 1);
	histogram_chain(histogram, 7, 7, lost, 3, 1);
	ck_assert_uint_eq(histogram_cut(histogram), 4);
	histogram_free(histogram);
}
END_TEST

/* What is mapped at first, and what later: a sample is counted where its time has it. */
START_TEST(past)
{
	struct histogram *histogram = histogram_new();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		histogram_set_past(histogram, i);
		map_file(histogram, 7, 0x10000, 0x2000, 0, "/code");
		histogram_name(histogram, 7, "old");
		if (!i) {
			histogram_exec(histogram, 7);
			map_file(histogram, 7, 0x10000, 0x2000, 0, "/program");
			histogram_name(histogram, 7, "new");
		}
	}
	histogram_chain(histogram, 7, 7, (const uint64_t[]){ USER, 0x11000 }, 2, 1);
	histogram_set_past(histogram, false);
	histogram_chain(histogram, 7, 7, (const uint64_t[]){ USER, 0x11000 }, 2, 1);
	folded_are(histogram, "new;main 1\nold;code_a 1\n");
	histogram_free(histogram);
}
END_TEST

/* Files that a process has mapped are opened before it ends, each once. */
START_TEST(opened)
{
	struct histogram *histogram = histogram_new();

	map_file(histogram, 7, 0x10000, 0x1000, 0, "/code");
	ck_assert_uint_eq(nopened, 0);
	histogram_open(histogram, 7);
	ck_assert_uint_eq(nopened, 1);
	map_file(histogram, 7, 0x20000, 0x1000, 0, "/program");
	histogram_fork(histogram, 8, 7);
	map_file(histogram, 8, 0x10000, 0x1000, 0, "/other"); /* in the place of the first */
	histogram_open(histogram, 8);
	ck_assert_uint_eq(nopened, 3);
	histogram_open(histogram, 7);
	ck_assert_uint_eq(nopened, 3);
	histogram_exec(histogram, 7);
	map_file(histogram, 7, 0x10000, 0x1000, 0, "/last");
	histogram_open(histogram, 7);
	ck_assert_uint_eq(nopened, 4);
	histogram_free(histogram);
}
END_TEST

/* As many files as may be open have inlined functions. */
START_TEST(many_files)
{
	const uint64_t chain[] = { USER, 0x10004 };
	struct rlimit limit;
	struct histogram *histogram;
	unsigned int i, n;
	char name[16];
	FILE *file;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	n = limit.rlim_cur / 4 < 600 ? (unsigned int)limit.rlim_cur / 4 : 600;
	histogram = histogram_new();
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "/file%u", i);
		map_file(histogram, i, 0x10000, 0x1000, 0, name);
		histogram_chain(histogram, i, i, chain, 2, 1);
	}
	questions = 0;
	file = tmpfile();
	histogram_fold(histogram, false, file);
	fclose(file);
	ck_assert_uint_eq(questions, n);
	histogram_free(histogram);
}
END_TEST

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

UNIT_MAIN("histogram", 20, busiest, weighted, edges, turns, hidden, processes, threads, memory,
	  identities, as_memory, missing, calls, signals, inlined, empty, cut, past, opened,
	  many_files, branches)
