// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf.data, read again by its layout: each record, section and string is where its size says. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/perf_data.h"

static unsigned char bytes[1 << 16];
static size_t size;
static FILE *file;
static struct perf_event_attr attr;

static uint64_t word_at(size_t at)
{
	uint64_t word;

	ck_assert_uint_le(at + sizeof(word), size);
	memcpy(&word, bytes + at, sizeof(word));
	return word;
}

static uint32_t half_at(size_t at)
{
	uint32_t half;

	ck_assert_uint_le(at + sizeof(half), size);
	memcpy(&half, bytes + at, sizeof(half));
	return half;
}

static void begin(uint64_t sample_type)
{
	attr = (struct perf_event_attr){ .size = sizeof(attr), .sample_type = sample_type };
	file = tmpfile();
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(perf_data_begin(file), 0);
}

/* Where the records end. */
static size_t end(char *const *line)
{
	const struct perf_data_about about = { "host", "6.1",	   "x86_64", "a processor",
					       "1.2",  "cycles:u", line,     NULL,
					       0,      0,	   0 };

	ck_assert_int_eq(perf_data_end(file, &attr, &about), 0);
	rewind(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	ck_assert_uint_lt(size, sizeof(bytes));
	fclose(file);
	ck_assert_int_eq(memcmp(bytes, "PERFILE2", 8), 0);
	ck_assert_uint_eq(word_at(8), 104);
	ck_assert_uint_eq(word_at(16), sizeof(attr) + 16);
	ck_assert_uint_eq(word_at(24), 104);
	ck_assert_uint_eq(word_at(40), 104 + sizeof(attr) + 16);
	return (size_t)(word_at(40) + word_at(48));
}

/* The record after this one, which is of the type. */
static size_t next_is(size_t at, uint32_t type, uint16_t misc)
{
	ck_assert_uint_eq(half_at(at), type);
	ck_assert_uint_eq(half_at(at + 4) & 0xFFFF, misc);
	ck_assert_uint_eq((half_at(at + 4) >> 16) % 8, 0);
	return at + (half_at(at + 4) >> 16);
}

/* A string of n letters, the n - 1 first of which are '/'. */
static const char *path_of(size_t n)
{
	static char path[5000];

	memset(path, '/', n);
	path[n - 1] = 'x';
	path[n] = '\0';
	return path;
}

/* Whether they are read by perf, which has room for names of 4,095 letters. */
START_TEST(records)
{
	static const char *const none[] = { NULL };
	struct perfctr_record_mmap mmap = { .pid = 7,
					    .tid = 8,
					    .addr = 0x1000,
					    .length = 0x2000,
					    .offset = 0x3000,
					    .major = 1,
					    .minor = 2,
					    .inode = 3,
					    .prot = PROT_EXEC,
					    .flags = MAP_SHARED };
	size_t n, first = 104 + sizeof(attr) + 16, at, last;

	begin(PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	for (n = 1; n <= 8; n++) {
		mmap.file = path_of(n);
		perf_data_mmap(file, &attr, &mmap);
	}
	mmap.file = path_of(4096);
	perf_data_mmap(file, &attr, &mmap); /* is left out */
	mmap.file = path_of(4095);
	perf_data_mmap(file, &attr, &mmap);
	perf_data_name(file, &attr, 7, 9, "name");
	perf_data_kernel(file, &attr, 0x10, 0x20);
	last = end((char *const *)(uintptr_t)none);
	at = first;
	for (n = 1; n <= 9; n++) {
		ck_assert_uint_eq(half_at(at + 8), 7);
		ck_assert_uint_eq(half_at(at + 12), 8);
		ck_assert_uint_eq(word_at(at + 16), 0x1000);
		ck_assert_uint_eq(word_at(at + 24), 0x2000);
		ck_assert_uint_eq(word_at(at + 32), 0x3000);
		ck_assert_uint_eq(half_at(at + 64), PROT_EXEC);
		ck_assert_uint_eq(half_at(at + 68), MAP_SHARED);
		ck_assert_str_eq((const char *)bytes + at + 72, path_of(n < 9 ? n : 4095));
		at = next_is(at, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
		/* The process, and a time before all. */
		ck_assert_uint_eq(half_at(at - 16), 7);
		ck_assert_uint_eq(half_at(at - 12), 8);
		ck_assert_uint_eq(word_at(at - 8), 0);
	}
	ck_assert_uint_eq(half_at(at + 8), 7);
	ck_assert_uint_eq(half_at(at + 12), 9);
	ck_assert_str_eq((const char *)bytes + at + 16, "name");
	at = next_is(at, PERF_RECORD_COMM, PERF_RECORD_MISC_USER);
	ck_assert_str_eq((const char *)bytes + at + 40, "[kernel.kallsyms]_text");
	at = next_is(at, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	ck_assert_uint_eq(at, last);
}
END_TEST

/* Each record has as many words at its end as samples have, so that perf finds them there. */
START_TEST(trailers)
{
	static const struct {
		uint64_t fields;
		size_t size;
	} cases[] = {
		{ 0, 0 },
		{ PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD, 0 },
		{ PERF_SAMPLE_TID, 8 },
		{ PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 24 },
		{ PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU,
		  32 },
		{ PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU, 32 },
	};
	static const char *const none[] = { NULL };
	size_t first = 104 + sizeof(attr) + 16, at;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		begin(cases[i].fields);
		perf_data_name(file, &attr, 7, 9, "name");
		end((char *const *)(uintptr_t)none);
		at = next_is(first, PERF_RECORD_COMM, PERF_RECORD_MISC_USER);
		ck_assert_uint_eq(at - first, 8 + 8 + 8 + cases[i].size);
		if (!(cases[i].fields & PERF_SAMPLE_TID))
			continue;
		ck_assert_uint_eq(half_at(at - cases[i].size), 7);
		ck_assert_uint_eq(half_at(at - cases[i].size + 4), 9);
	}
}
END_TEST

/* Files with their build IDs, as records; and the times of the first and the last sample. */
START_TEST(ids_and_times)
{
	static const struct perf_data_file files[] = {
		{ .name = "/bin/program", .size = 20, .id = { 1, 2, 3, [19] = 20 } },
		{ .name = "[kernel.kallsyms]", .size = 8, .id = { 8, 9 } },
	};
	static char *const line[] = { NULL };
	const struct perf_data_about about = { "host", "6.1",	 "x86_64", "a processor",
					       "1.2",  "cycles", line,	   files,
					       2,      0x1234,	 0x5678 };
	size_t at, last;

	begin(PERF_SAMPLE_TID);
	ck_assert_int_eq(perf_data_end(file, &attr, &about), 0);
	rewind(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	ck_assert_uint_eq(word_at(72), 0x1DF8 | 1 << 2 | 1 << 21);
	at = (size_t)word_at((size_t)(word_at(40) + word_at(48)));
	ck_assert_uint_eq(half_at(at), 0);
	ck_assert_uint_eq(half_at(at + 8), UINT32_MAX);
	ck_assert_int_eq(memcmp(bytes + at + 12, files[0].id, 20), 0);
	ck_assert_uint_eq(half_at(at + 32), 20);
	ck_assert_str_eq((const char *)bytes + at + 36, "/bin/program");
	ck_assert_uint_eq(half_at(at + 4), (36 + 64) << 16 | 1 << 15 | PERF_RECORD_MISC_USER);
	at += 36 + 64;
	ck_assert_uint_eq(half_at(at + 32), 8);
	ck_assert_str_eq((const char *)bytes + at + 36, "[kernel.kallsyms]");
	ck_assert_uint_eq(half_at(at + 4), (36 + 64) << 16 | 1 << 15 | PERF_RECORD_MISC_KERNEL);
	last = (size_t)word_at((size_t)(word_at(40) + word_at(48)) + 10 * 16);
	ck_assert_uint_eq(last + 16, size);
	ck_assert_uint_eq(word_at(last), 0x1234);
	ck_assert_uint_eq(word_at(last + 8), 0x5678);
}
END_TEST

/* Its size, a multiple of 64, and the text. Where it ends. */
static size_t string_is(size_t at, const char *text)
{
	ck_assert_uint_eq(half_at(at) % 64, 0);
	ck_assert_uint_gt(half_at(at), strlen(text));
	ck_assert_str_eq((const char *)bytes + at + 4, text);
	return at + 4 + half_at(at);
}

static void check_features(uint64_t sample_type, unsigned int more)
{
	static const char *const texts[] = {
		[3] = "host", [4] = "6.1", [5] = "1.2", [6] = "x86_64", [8] = "a processor",
	};
	char words[3][80] = { "perfex", "", "--sample" };
	char *const line[] = { words[0], words[1], words[2], NULL };
	size_t at, section, text, finish;
	unsigned int feature, n = 0;
	uint64_t features;

	memset(words[1], 'l', 63);
	begin(sample_type);
	at = end(line);
	features = word_at(72);
	ck_assert_uint_eq(features, 0x1DF8 | more);
	for (section = at, feature = 0; feature < 64; feature++)
		n += (unsigned int)(features >> feature & 1);
	for (text = at + n * 16, feature = 0; feature < 64; feature++) {
		if (!(features >> feature & 1))
			continue;
		ck_assert_uint_eq(word_at(section), text);
		finish = text + (size_t)word_at(section + 8);
		if (feature < 9 && texts[feature])
			ck_assert_uint_eq(string_is(text, texts[feature]), finish);
		if (feature == 7) {
			ck_assert_uint_ge(half_at(text), half_at(text + 4));
			ck_assert_uint_gt(half_at(text + 4), 0);
			ck_assert_uint_eq(text + 8, finish);
		}
		if (feature == 11) {
			ck_assert_uint_eq(half_at(text), 3);
			ck_assert_uint_eq(string_is(string_is(string_is(text + 4, line[0]),
							      line[1]),
						    line[2]),
					  finish);
		}
		if (feature == 12) {
			ck_assert_uint_eq(half_at(text), 1);
			ck_assert_uint_eq(half_at(text + 4), sizeof(attr));
			ck_assert_uint_eq(string_is(text + 8 + sizeof(attr) + 4, "cycles:u"),
					  finish);
		}
		if (feature == 15)
			ck_assert_uint_eq(finish, text);
		text = finish;
		section += 16;
	}
	ck_assert_uint_eq(text, size);
}

/* Branches have an empty section more. */
START_TEST(features)
{
	check_features(PERF_SAMPLE_TID, 0);
	check_features(PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK, 1 << 15);
}
END_TEST

UNIT_MAIN("perf_data", 20, records, trailers, ids_and_times, features)
