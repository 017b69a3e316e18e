// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records of several buffers, with a kernel made up: in which order they come, and when. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/perf/merge.h"
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/random.h"

#define SIZE  1024u
#define MOST  9u
#define WORDS (SIZE / 8)

struct buffer {
	struct perf_event_mmap_page page;
	uint64_t data[WORDS], copy[WORDS];
	uint64_t room[2][WORDS];
};

static struct buffer buffers[MOST];
static struct perfctr_stream streams[MOST], *heap[MOST];
static struct perfctr_decoder decoder;
static struct perfctr_merge merge;

/* n buffers of samples whose second word is their time, the third their number. */
static void begin(unsigned int n, bool backward)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR };
	unsigned int i;

	memset(buffers, 0, sizeof(buffers));
	memset(streams, 0, sizeof(streams));
	memset(heap, 0xEE, sizeof(heap));
	perfctr_decoder_init(&decoder, &attr);
	for (i = 0; i < n; i++) {
		perfctr_ring_init(&streams[i].ring, &buffers[i].page, buffers[i].data, SIZE,
				  buffers[i].copy);
		streams[i].old_room = (unsigned char *)buffers[i].room[0];
		streams[i].recent_room = (unsigned char *)buffers[i].room[1];
		if (backward)
			perfctr_ring_snapshot(&streams[i].ring);
	}
	memset(&merge, 0xEE, sizeof(merge));
	perfctr_merge_init(&merge, &decoder, streams, n, heap, backward);
}

static void put(unsigned int i, uint64_t at, uint64_t word)
{
	buffers[i].data[at % SIZE / 8] = word;
}

/* A record of this size, as far as its header says. */
static void write_as(unsigned int i, uint32_t type, uint16_t size, uint64_t time, uint64_t number)
{
	struct perf_event_header header = { type, 0, size };
	bool sample = type == PERF_RECORD_SAMPLE;
	uint64_t head = buffers[i].page.data_head, word;

	memcpy(&word, &header, sizeof(word));
	if (merge.backward)
		head -= 24;
	put(i, head, word);
	/* In others the time is at the end. */
	put(i, head + 8, sample ? time : number);
	put(i, head + 16, sample ? number : time);
	buffers[i].page.data_head = merge.backward ? head : head + 24;
}

static void sample(unsigned int i, uint64_t time, uint64_t number)
{
	write_as(i, PERF_RECORD_SAMPLE, 24, time, number);
}

static uint64_t number_of(struct perf_event_header header, const void *bytes)
{
	return ((const uint64_t *)bytes)[header.type == PERF_RECORD_SAMPLE ? 2 : 1];
}

static void expect(uint64_t number)
{
	struct perf_event_header header;
	const void *bytes;

	ck_assert_int_eq(perfctr_merge_next(&merge, &header, &bytes), 1);
	ck_assert_uint_eq(header.size, 24);
	ck_assert_uint_eq(number_of(header, bytes), number);
}

static void expect_none(void)
{
	struct perf_event_header header;
	const void *bytes;

	ck_assert_int_eq(perfctr_merge_next(&merge, &header, &bytes), 0);
}

static void expect_nonsense(void)
{
	struct perf_event_header header;
	const void *bytes;

	ck_fails(perfctr_merge_next(&merge, &header, &bytes), EBADMSG, "left out");
}

static void look(bool all)
{
	ck_assert_int_eq(perfctr_merge_look(&merge, all), 0);
}

/* A record comes at the look after the one that finds it, and with it what is older. */
START_TEST(old_and_recent)
{
	begin(2, false);
	expect_none();
	sample(0, 10, 1);
	ck_assert(perfctr_merge_has_news(&merge));
	look(false);
	ck_assert(!perfctr_merge_has_news(&merge));
	/* It is out of the buffer at once. */
	ck_assert_uint_eq(buffers[0].page.data_tail, 24);
	expect_none();
	sample(0, 30, 3);
	sample(1, 5, 0);
	sample(1, 20, 2);
	look(false);
	expect(0);
	expect(1);
	expect_none();
	expect_none();
	/* Nothing new: what is there is old. */
	look(false);
	expect(2);
	expect(3);
	expect_none();
	look(false);
	expect_none();
	/* What is asked for in its entirety comes as soon as it is found. */
	sample(1, 50, 5);
	sample(0, 40, 4);
	sample(0, 60, 6);
	look(true);
	expect(4);
	expect(5);
	expect(6);
	expect_none();
	look(true);
	expect_none();
}
END_TEST

/* Of one time the first buffer's comes first; a buffer's own order stays, whatever the times. */
START_TEST(ties)
{
	unsigned int i;

	begin(MOST, false);
	for (i = MOST; i-- > 0;)
		sample(i, 7, i);
	sample(0, 3, MOST);
	look(true);
	expect(0);
	expect(MOST);
	for (i = 1; i < MOST; i++)
		expect(i);
	expect_none();
}
END_TEST

/* Records that are no samples have their time at their end; those of no known type have none. */
START_TEST(others)
{
	begin(2, false);
	write_as(0, PERF_RECORD_EXIT, 24, 10, 1);
	write_as(0, 99, 24, 1000, 2);
	write_as(0, PERF_RECORD_EXIT, 24, 30, 4);
	write_as(0, PERFCTR_RECORD_AUX_OUTPUT_HW_ID, 24, 40, 6);
	write_as(1, 0, 24, 20, 0);
	sample(1, 20, 3);
	sample(1, 35, 5);
	look(true);
	/* The time of those is that of the record before. */
	expect(0);
	expect(1);
	expect(2);
	expect(3);
	expect(4);
	expect(5);
	expect(6);
	expect_none();
}
END_TEST

/* What makes no sense is left out, with what is after it in its buffer, and nothing else. */
START_TEST(nonsense)
{
	unsigned int k;

	/* Found when the old ones end, and at a look. */
	for (k = 0; k < 2; k++) {
		begin(3, false);
		sample(0, 10, 1);
		if (k)
			sample(0, 15, 2);
		write_as(0, PERF_RECORD_SAMPLE, 7, 20, 99);
		sample(0, 30, 99);
		sample(1, 40, 4);
		look(false);
		expect_none();
		sample(0, 35, 3);
		look(false);
		expect(1);
		if (k)
			expect(2);
		expect_nonsense();
		expect(3);
		expect(4);
		expect_none();
		look(true);
		expect_none();
	}
	begin(3, false);
	write_as(1, PERF_RECORD_SAMPLE, 4096, 20, 99);
	sample(0, 10, 1);
	sample(2, 20, 2);
	ck_fails(perfctr_merge_look(&merge, true), EBADMSG, "4096 bytes");
	expect(1);
	expect(2);
	expect_none();
	/* A head that can't be. */
	buffers[2].page.data_head += SIZE + 8;
	sample(0, 30, 3);
	ck_fails(perfctr_merge_look(&merge, true), EBADMSG, "control page");
	expect(3);
	expect_none();
	sample(2, 40, 4);
	look(true);
	expect(4);
	expect_none();
}
END_TEST

/* In the recent ones, while their buffer has old ones no more: the others' old ones still count. */
START_TEST(nonsense_among_recent_ones)
{
	begin(2, false);
	sample(0, 10, 1);
	sample(1, 50, 2);
	look(false);
	write_as(0, PERF_RECORD_SAMPLE, 0, 20, 99);
	sample(1, 60, 3);
	look(false);
	expect(1);
	expect_nonsense();
	expect(2);
	expect_none();
	look(false);
	expect(3);
	expect_none();
}
END_TEST

/* What is overwritten: each look has what is there, newest first. */
START_TEST(snapshots)
{
	unsigned int i;

	begin(2, true);
	sample(0, 10, 1);
	sample(1, 20, 2);
	sample(0, 30, 3);
	sample(1, 30, 4);
	look(true);
	expect(3);
	expect(4);
	expect(2);
	expect(1);
	expect_none();
	look(true);
	expect_none();
	/* More than there is room for: 42 of 24 bytes, and what is left of one more. */
	for (i = 0; i < 100; i++)
		sample(1, 100 + i, i);
	sample(0, 180, 1000);
	look(true);
	for (i = 100; i-- > 100 - SIZE / 24;) {
		if (i == 80)
			expect(1000);
		expect(i);
	}
	expect_none();
}
END_TEST

/* What is what, of all orders: times only grow, nothing is missing, and nothing comes early. */
START_TEST(many)
{
	static uint64_t seen[20000], written[20000];
	unsigned int lap, n, k, i, numbers, handed_out, before;

	for (lap = 0; lap < 300; lap++) {
		uint64_t now = 1, last = 0;

		n = 1 + random_below(MOST);
		begin(n, false);
		memset(seen, 0, sizeof(seen));
		numbers = handed_out = before = 0;
		for (k = 0; k < 12; k++) {
			bool all = k >= 10 || random_below(4) == 0;
			struct perf_event_header header;
			const void *bytes;

			for (i = random_below(SIZE / 24 + 1); i-- > 0 && k < 10;) {
				unsigned int to = random_below(n);

				if (buffers[to].page.data_head + 24 - buffers[to].page.data_tail >
				    SIZE)
					continue;
				written[numbers] = now += random_below(3);
				sample(to, now, numbers++);
			}
			look(all);
			while (perfctr_merge_next(&merge, &header, &bytes) > 0) {
				const uint64_t *words = bytes;

				ck_assert_uint_eq(header.type, PERF_RECORD_SAMPLE);
				ck_assert_uint_ge(words[1], last);
				last = words[1];
				ck_assert_uint_lt(words[2], numbers);
				ck_assert_uint_eq(written[words[2]], last);
				ck_assert_uint_eq(seen[words[2]]++, 0);
				handed_out++;
			}
			/* All that the look before found, and as much of this one as is older. */
			for (i = 0; i < (all ? numbers : before); i++)
				ck_assert_uint_eq(seen[i], 1);
			for (; before && !all && i < numbers; i++)
				ck_assert(!seen[i] || written[i] <= written[before - 1]);
			before = numbers;
			if (!all && !before)
				ck_assert_uint_eq(handed_out, 0);
		}
		ck_assert_uint_eq(handed_out, numbers);
		expect_none();
	}
}
END_TEST

UNIT_MAIN("merge", 60, old_and_recent, ties, others, nonsense, nonsense_among_recent_ones,
	  snapshots, many)
