// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chains of calls as JSON: names once, in the order in which they come, and numbers of these. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/calls.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/sample/kallsyms.h"

/* Functions have no names, and are their files'. */
struct symbols *__wrap_kallsyms_read(void);
struct symbols *__wrap_kallsyms_read(void)
{
	return symbols_new();
}

struct symbols *__wrap_elf_symbols(const struct elf_source *source);
struct symbols *__wrap_elf_symbols(const struct elf_source *source)
{
	(void)source;
	return symbols_new();
}

static char text[1024];

static void calls_are(struct histogram *histogram, const char *expected)
{
	FILE *file = fmemopen(text, sizeof(text), "w");

	ck_assert_ptr_nonnull(file);
	calls_json(histogram, file);
	fclose(file);
	ck_assert_str_eq(text, expected);
}

/* The file of a mapping. */
static size_t file_of(struct histogram *histogram, uint32_t pid, const char *name)
{
	const struct perfctr_record_mmap mmap = { .pid = pid, .file = name };

	return histogram_file(histogram, &mmap);
}

static void map_file(struct histogram *histogram, uint64_t start, const char *name)
{
	const struct map map = { start, 0x1000, 0, file_of(histogram, 7, name) };

	histogram_map(histogram, 7, &map);
}

START_TEST(chains)
{
	const uint64_t user = (uint64_t)PERF_CONTEXT_USER;
	const uint64_t outer[] = { user, 0x10010 }, inner[] = { user, 0x20010, 0x10010, 0x10020 };
	struct histogram *histogram = histogram_new();

	calls_are(histogram, "\"functions\":[],\"stacks\":[]");
	histogram_chain(histogram, 7, 7, NULL, 0, 1);
	map_file(histogram, 0x10000, "/none/a\"b");
	map_file(histogram, 0x20000, "/none/c;\x02");
	histogram_name(histogram, 7, "pro;gram");
	histogram_chain(histogram, 7, 7, outer, 2, 1);
	histogram_chain(histogram, 7, 7, outer, 2, 1);
	histogram_chain(histogram, 7, 7, inner, 4, 1);
	calls_are(
		histogram,
		"\"functions\":[\"[a\\\"b]\",\"[c:?]\"],\"stacks\":["
		"{\"comm\":\"[unknown]\",\"thread\":\"[unknown]\",\"samples\":1,\"calls\":[]},"
		"{\"comm\":\"pro:gram\",\"thread\":\"pro:gram\",\"samples\":2,\"calls\":[0]},"
		"{\"comm\":\"pro:gram\",\"thread\":\"pro:gram\",\"samples\":1,\"calls\":[0,0,1]}]");
	/* Samples that stand for several events make all say how many. */
	histogram_count(histogram, 7, 0x10010, 5);
	histogram_chain(histogram, 7, 7, outer, 2, 5);
	calls_are(
		histogram,
		"\"functions\":[\"[a\\\"b]\",\"[c:?]\"],\"stacks\":["
		"{\"comm\":\"[unknown]\",\"thread\":\"[unknown]\",\"samples\":1,\"events\":1,\"calls\":[]},"
		"{\"comm\":\"pro:gram\",\"thread\":\"pro:gram\",\"samples\":3,\"events\":7,\"calls\":[0]},"
		"{\"comm\":\"pro:gram\",\"thread\":\"pro:gram\",\"samples\":1,\"events\":1,\"calls\":[0,0,1]}]");
	histogram_free(histogram);
}
END_TEST

UNIT_MAIN("calls", 20, chains)
