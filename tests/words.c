// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * words FILE: a perf.data with a sample of each value that data sources and branches can have, and
 * on standard output what the library says of each: data_src, its words, weight, address, and those
 * of its branch, between tabs. tests/words.sh lets perf read the file.
 */
#include <libperfctr.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "tools/perfex/sample/perf_data.h"

#define FIELDS                                                                    \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
	 PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

/* As the kernel writes a sample of these fields. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr, nbranches, from, to, flags, weight, data_src;
};

static FILE *file;
static uint64_t number;

/* With hops perf shows no level but the number, which the kernel has there: any cache, at least. */
static uint64_t with_number(uint64_t data_src)
{
	uint64_t number = data_src >> 33 & 15;

	if (!(data_src >> 43 & 7) || (number && number != 15))
		return data_src;
	return (data_src & ~(UINT64_C(15) << 33)) | UINT64_C(11) << 33;
}

static void put(uint64_t data_src, uint64_t flags)
{
	const struct sample sample = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(sample) },
		.ip = 0x400000 + number,
		.pid = 1234,
		.tid = 1234,
		.time = 1000 + number,
		.addr = 0x7F0000000000 + number * 64,
		.nbranches = 1,
		.from = 0x401000 + number,
		.to = 0x402000,
		.flags = flags,
		.weight = number * 3 % 1000,
		.data_src = data_src,
	};
	const struct perfctr_record record = { .bytes = &sample, .size = sizeof(sample) };
	struct perf_branch_entry branch;
	char words[512], branches[512];

	memcpy(&branch, &sample.from, sizeof(branch));
	perfctr_data_src_text(data_src, words, sizeof(words));
	perfctr_branch_text(&branch, branches, sizeof(branches));
	perf_data_record(file, &record);
	printf("%llx\t%s\t%llu\t%llx\t%s\n", (unsigned long long)data_src, words,
	       (unsigned long long)sample.weight, (unsigned long long)sample.addr, branches);
	number++;
}

/*
 * Fields of data_src that perf 6.1 knows: the first bit, and how many. Of bits there may be
 * several; perf shows one of alternatives.
 */
static const struct {
	unsigned int first, n;
	enum { BITS, ALTERNATIVES, NUMBER } kind;
} fields[] = {
	{ 0, 5, ALTERNATIVES },	 { 5, 14, BITS },   { 19, 5, BITS }, { 24, 2, ALTERNATIVES },
	{ 26, 7, BITS },	 { 33, 4, NUMBER }, { 37, 1, BITS }, { 38, 2, BITS },
	{ 40, 3, ALTERNATIVES }, { 43, 3, NUMBER },
};

#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

static unsigned int values_of(unsigned int field)
{
	/* Of hops there are four and none. */
	return fields[field].first == 43      ? 5
	       : fields[field].kind == NUMBER ? 1u << fields[field].n
					      : fields[field].n + 1;
}

/* 0: nothing; n: the nth bit alone, or the number. */
static uint64_t value(unsigned int field, unsigned int n)
{
	uint64_t word = fields[field].kind == NUMBER || !n ? n : UINT64_C(1) << (n - 1);

	return word << fields[field].first;
}

static uint64_t state = 1;
static unsigned int next(unsigned int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)(state % n);
}

/* Each value, and each two of two fields, or of one. */
static void put_all(void)
{
	unsigned int a, b, i, k;

	for (a = 0; a < NFIELDS; a++)
		for (b = a; b < NFIELDS; b++)
			for (i = 0; i < values_of(a); i++)
				for (k = 0;
				     k < (a == b && fields[a].kind != BITS ? 1 : values_of(b)); k++)
					put(with_number(value(a, i) | value(b, k)), next(1u << 24));
}

/* As processors say it: something of each field, hits and misses. */
static void put_random(void)
{
	unsigned int i, field;
	uint64_t word;

	for (i = 0; i < 4000; i++) {
		word = (uint64_t)(2u << next(2)) << 5 | (uint64_t)(2u << next(2)) << 26;
		for (field = 0; field < NFIELDS; field++)
			if (next(3))
				word |= value(field, next(values_of(field)));
		put(with_number(word), next(1u << 24));
	}
}

int main(int argc, char **argv)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.sample_type = FIELDS,
		.sample_id_all = 1,
		.sample_period = 1,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY,
	};
	const struct perf_data_about about = {
		.host = "host",
		.release = "6.1",
		.machine = "x86_64",
		.processor = "none",
		.version = "1",
		.event = "words",
		.line = argv,
	};

	file = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (!file || perf_data_begin(file) < 0)
		return 2;
	perf_data_name(file, &attr, 1234, 1234, "words");
	put_all();
	put_random();
	return perf_data_end(file, &attr, &about) < 0 || fclose(file) != 0;
}
