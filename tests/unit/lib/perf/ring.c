// SPDX-License-Identifier: LGPL-2.1-or-later
/* The buffer of records, with a kernel made up: it writes as perf_events does, or nonsense. */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

#define SIZE 256u

struct kernel {
	struct perf_event_mmap_page page;
	uint64_t data[SIZE / 8];
	uint64_t copy[SIZE / 8];
	uint64_t head;
	uint32_t next; /* number of the next record: its type */
	struct perfctr_ring ring;
};

/* Positions begin at start, which is not 0 after the first lap. */
static struct kernel *start(uint64_t position)
{
	struct kernel *kernel = calloc(1, sizeof(*kernel));

	memset(kernel->data, 0xEE, sizeof(kernel->data));
	kernel->head = kernel->page.data_head = kernel->page.data_tail = position;
	memset(&kernel->ring, 0xEE, sizeof(kernel->ring));
	perfctr_ring_init(&kernel->ring, &kernel->page, kernel->data, SIZE, kernel->copy);
	return kernel;
}

/* What a 32-bit kernel reads and writes; a 64-bit one's positions have high halves, too. */
static unsigned long *low_half(__u64 *position)
{
	unsigned long *half = (unsigned long *)position;

	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? half + 8 / sizeof(*half) - 1 : half;
}

static void put(struct kernel *kernel, uint64_t at, uint64_t word)
{
	kernel->data[at % SIZE / 8] = word;
}

/* A record whose words all have its number, if there is room as the kernel sees it. */
static bool produce(struct kernel *kernel, unsigned int size)
{
	struct perf_event_header header = { kernel->next, 7, (uint16_t)size };
	unsigned long tail = __atomic_load_n(low_half(&kernel->page.data_tail), __ATOMIC_ACQUIRE);
	uint64_t word;
	unsigned int i;

	/* Modulo the size, as CIRC_SPACE() in the kernel. */
	if (((tail - (unsigned long)kernel->head - 1) & (SIZE - 1)) < size)
		return false;
	memcpy(&word, &header, sizeof(word));
	put(kernel, kernel->head, word);
	for (i = 8; i < size; i += 8)
		put(kernel, kernel->head + i, kernel->next);
	kernel->head += size;
	kernel->next++;
	__atomic_store_n(low_half(&kernel->page.data_head), (unsigned long)kernel->head,
			 __ATOMIC_RELEASE);
	return true;
}

/* The next record is this one, complete. */
static void expect(struct kernel *kernel, uint32_t number, unsigned int size)
{
	struct perf_event_header header;
	const void *bytes;
	unsigned int i;

	ck_assert_int_eq(perfctr_ring_next(&kernel->ring, &header, &bytes), 1);
	ck_assert_uint_eq(header.type, number);
	ck_assert_uint_eq(header.misc, 7);
	ck_assert_uint_eq(header.size, size);
	for (i = 8; i < size; i += 8)
		ck_assert_uint_eq(((const uint64_t *)bytes)[i / 8], number);
	/* Only what goes round the end is copied. */
	i = (unsigned int)((kernel->ring.position - size) % SIZE);
	ck_assert_ptr_eq(bytes,
			 i + size <= SIZE ? (const void *)&kernel->data[i / 8] : kernel->copy);
}

static void expect_none(struct kernel *kernel)
{
	struct perf_event_header header;
	const void *bytes;

	ck_assert_int_eq(perfctr_ring_next(&kernel->ring, &header, &bytes), 0);
}

/* Every size of record at every place, also where the position leaves 32 and 64 bits. */
START_TEST(every_place)
{
	static const uint64_t starts[] = { 0, UINT64_C(0xFFFFFF80), UINT64_C(0xFFFFFFFFFFFFFF80) };
	struct kernel *kernel;
	unsigned int s, offset, size;

	for (s = 0; s < ARRAY_SIZE(starts); s++) {
		/* A 32-bit kernel's and program's positions have 32 bits. */
		if (sizeof(long) == 4 && starts[s] > UINT32_MAX)
			continue;
		for (offset = 0; offset < SIZE; offset += 8) {
			for (size = 8; size < SIZE; size += 8) {
				kernel = start(starts[s] + offset);
				expect_none(kernel);
				ck_assert(produce(kernel, size));
				expect(kernel, 0, size);
				/* Its room is the kernel's with the next call, and not before. */
				ck_assert(!produce(kernel, SIZE - 8));
				expect_none(kernel);
				ck_assert(produce(kernel, SIZE - 8));
				expect(kernel, 1, SIZE - 8);
				free(kernel);
			}
		}
	}
}
END_TEST

START_TEST(many_at_once)
{
	struct kernel *kernel = start(0);
	unsigned int sizes[1000], written = 0, seen = 0, lap;

	for (lap = 0; lap < 900; lap++) {
		sizes[written % 1000] = 8 + lap * 40 % 72;
		while (produce(kernel, sizes[written % 1000])) {
			written++;
			sizes[written % 1000] = 8 + (lap + written) * 24 % 80;
		}
		while (seen < written) {
			expect(kernel, seen, sizes[seen % 1000]);
			seen++;
		}
		expect_none(kernel);
	}
	ck_assert_uint_gt(written, 3000);
	free(kernel);
}
END_TEST

static void *write_many(void *arg)
{
	struct kernel *kernel = arg;

	while (kernel->next < 20000)
		if (!produce(kernel, 8 + kernel->next * 8 % 56))
			sched_yield();
	return NULL;
}

START_TEST(at_the_same_time)
{
	struct kernel *kernel = start(0);
	struct perf_event_header header;
	const void *bytes;
	pthread_t thread;
	uint32_t seen = 0, i;
	int result;

	ck_assert_int_eq(pthread_create(&thread, NULL, write_many, kernel), 0);
	while (seen < 20000) {
		result = perfctr_ring_next(&kernel->ring, &header, &bytes);
		ck_assert_int_ge(result, 0);
		if (result == 0) {
			sched_yield();
			continue;
		}
		ck_assert_uint_eq(header.type, seen);
		for (i = 1; i < header.size / 8u; i++)
			ck_assert_uint_eq(((const uint64_t *)bytes)[i], seen);
		seen++;
	}
	pthread_join(thread, NULL);
	free(kernel);
}
END_TEST

/* What can't be is refused, and left behind. */
START_TEST(hostile_headers)
{
	static const uint16_t sizes[] = { 0, 4, 7, 12, 72, 248, 65528 };
	struct kernel *kernel;
	struct perf_event_header header;
	const void *bytes;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct perf_event_header bad = { 9, 0, sizes[i] };
		uint64_t word;

		kernel = start(200);
		ck_assert(produce(kernel, 16));
		ck_assert(produce(kernel, 64));
		memcpy(&word, &bad, sizeof(word));
		put(kernel, 216, word);
		expect(kernel, 0, 16);
		ck_fails(perfctr_ring_next(&kernel->ring, &header, &bytes), EBADMSG, "is left out");
		expect_none(kernel);
		ck_assert_uint_eq(kernel->page.data_tail, 280);
		ck_assert(produce(kernel, 32));
		expect(kernel, 2, 32);
		free(kernel);
	}
}
END_TEST

START_TEST(hostile_heads)
{
	static const uint64_t heads[] = {
		1000 + SIZE + 8, 992, 0, 1u << 31, 1001, 1002, 1004, 1007,
	};
	struct kernel *kernel;
	struct perf_event_header header;
	const void *bytes;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		kernel = start(1000);
		kernel->page.data_head = heads[i];
		ck_fails(perfctr_ring_next(&kernel->ring, &header, &bytes), EBADMSG,
			 "control page");
		/* It goes on where the kernel says that it is. */
		kernel->head = kernel->page.data_head = heads[i] & ~UINT64_C(7);
		expect_none(kernel);
		ck_assert(produce(kernel, 24));
		expect(kernel, 0, 24);
		free(kernel);
	}
}
END_TEST

/* Full to the last byte is possible, and a reader's position is a multiple of 8 whatever the page
 * says. */
START_TEST(exactly_full)
{
	struct kernel *kernel;
	unsigned int position, i;

	for (position = 1000; position < 1008; position++) {
		kernel = start(position);
		kernel->head = 1000;
		for (i = 0; i < SIZE / 64; i++) {
			/* As if the reader had said that it is further. */
			kernel->page.data_tail = kernel->head;
			ck_assert(produce(kernel, 64));
		}
		ck_assert_uint_eq(kernel->page.data_head, 1000 + SIZE);
		for (i = 0; i < SIZE / 64; i++)
			expect(kernel, i, 64);
		expect_none(kernel);
		ck_assert_uint_eq(kernel->page.data_tail, 1000 + SIZE);
		free(kernel);
	}
}
END_TEST

START_TEST(refresh_and_release)
{
	struct kernel *kernel = start(0);

	ck_assert(produce(kernel, 40));
	ck_assert_int_eq(perfctr_ring_refresh(&kernel->ring), 0);
	ck_assert(produce(kernel, 48));
	expect(kernel, 0, 40);
	ck_assert_uint_eq(kernel->ring.position, kernel->ring.head);
	ck_assert_uint_eq(kernel->page.data_tail, 0);
	perfctr_ring_release(&kernel->ring);
	ck_assert_uint_eq(kernel->page.data_tail, 40);
	expect(kernel, 1, 48);
	free(kernel);
}
END_TEST

/* ---- a kernel that writes downward, and overwrites ---- */

static void produce_backward(struct kernel *kernel, unsigned int size, bool narrow)
{
	struct perf_event_header header = { kernel->next, 7, (uint16_t)size };
	unsigned int i;
	uint64_t word;

	kernel->head -= size;
	memcpy(&word, &header, sizeof(word));
	put(kernel, kernel->head, word);
	for (i = 8; i < size; i += 8)
		put(kernel, kernel->head + i, kernel->next);
	kernel->next++;
	kernel->page.data_head = narrow ? (uint32_t)kernel->head : kernel->head;
}

static struct kernel *start_backward(void)
{
	struct kernel *kernel = start(0);

	perfctr_ring_snapshot(&kernel->ring);
	expect_none(kernel);
	return kernel;
}

START_TEST(snapshots)
{
	struct kernel *kernel = start_backward();
	struct perf_event_header header;
	unsigned int i, bytes, lap;
	const void *record;

	for (i = 0; i < 3; i++)
		produce_backward(kernel, 24 + 8 * i, false);
	perfctr_ring_snapshot(&kernel->ring);
	for (i = 3; i--;)
		expect(kernel, i, 24 + 8 * i);
	expect_none(kernel);
	/* Nothing new. */
	perfctr_ring_snapshot(&kernel->ring);
	expect_none(kernel);
	/* Only what is new. */
	produce_backward(kernel, 16, false);
	perfctr_ring_snapshot(&kernel->ring);
	expect(kernel, 3, 16);
	expect_none(kernel);
	/* More than there is room for: the newest, as many as are whole. */
	for (lap = 1; lap < 100; lap++) {
		for (i = 0; i < 10 + lap; i++)
			produce_backward(kernel, 40, false);
		perfctr_ring_snapshot(&kernel->ring);
		for (i = 0, bytes = 0; bytes + 40 <= SIZE; bytes += 40, i++)
			expect(kernel, kernel->next - 1 - i, 40);
		expect_none(kernel);
		/* The end is the end, also if the kernel goes on. */
		produce_backward(kernel, 40, false);
		expect_none(kernel);
	}
	/* It is not told where the reader is. */
	ck_assert_uint_eq(kernel->page.data_tail, 0);
	free(kernel);
	/* Whatever the size of all that is new. */
	for (bytes = 8; bytes <= SIZE; bytes += 8) {
		kernel = start_backward();
		produce_backward(kernel, bytes, false);
		perfctr_ring_snapshot(&kernel->ring);
		expect(kernel, 0, bytes);
		expect_none(kernel);
		free(kernel);
	}
	/* What fills it, and no more, is whole: a record that goes on is a mistake. */
	kernel = start_backward();
	produce_backward(kernel, SIZE, false);
	memcpy(&header, kernel->data, sizeof(header));
	header.size = SIZE + 8;
	memcpy(kernel->data, &header, sizeof(header));
	perfctr_ring_snapshot(&kernel->ring);
	ck_fails(perfctr_ring_next(&kernel->ring, &header, &record), EBADMSG, "which can't be");
	free(kernel);
}
END_TEST

/* More than 4 GiB between two looks: everything in the buffer is new. */
START_TEST(snapshots_after_long)
{
	struct kernel *kernel;
	unsigned int i;

	if (sizeof(long) == 4)
		return;
	kernel = start_backward();
	produce_backward(kernel, 32, false);
	perfctr_ring_snapshot(&kernel->ring);
	expect(kernel, 0, 32);
	kernel->head -= (UINT64_C(1) << 32) - SIZE;
	for (i = 0; i < SIZE / 32; i++)
		produce_backward(kernel, 32, false);
	perfctr_ring_snapshot(&kernel->ring);
	for (i = SIZE / 32; i > 0; i--)
		expect(kernel, i, 32);
	expect_none(kernel);
	free(kernel);
}
END_TEST

/* A 32-bit kernel's position has 32 bits, whatever the program's words have. */
START_TEST(snapshots_of_32_bits)
{
	struct kernel *kernel = start_backward();
	unsigned int i;

	/* Where nothing was written is nothing to read, and nothing to complain of. */
	memset(kernel->data, 0, sizeof(kernel->data));
	for (i = 0; i < 100; i++) {
		/* Half way it is 0 again, after 4 GiB. */
		if (i == 50) {
			kernel->head = 192;
			kernel->page.data_head = 192;
			perfctr_ring_snapshot(&kernel->ring);
		}
		produce_backward(kernel, 32, true);
		produce_backward(kernel, 64, true);
		perfctr_ring_snapshot(&kernel->ring);
		expect(kernel, 2 * i + 1, 64);
		expect(kernel, 2 * i, 32);
		expect_none(kernel);
	}
	free(kernel);
}
END_TEST

START_TEST(hostile_snapshots)
{
	struct kernel *kernel = start_backward();
	struct perf_event_header header, bad = { 1, 0, 4 };
	const void *bytes;
	uint64_t word;

	produce_backward(kernel, 64, false);
	produce_backward(kernel, 64, false);
	memcpy(&word, &bad, sizeof(word));
	put(kernel, kernel->head + 64, word);
	perfctr_ring_snapshot(&kernel->ring);
	expect(kernel, 1, 64);
	ck_fails(perfctr_ring_next(&kernel->ring, &header, &bytes), EBADMSG, "is left out");
	expect_none(kernel);
	/* Memory in which nothing was ever written. */
	kernel->page.data_head = (uint64_t)-1000;
	memset(kernel->data, 0, sizeof(kernel->data));
	perfctr_ring_snapshot(&kernel->ring);
	ck_fails(perfctr_ring_next(&kernel->ring, &header, &bytes), EBADMSG, "0 bytes");
	expect_none(kernel);
	free(kernel);
}
END_TEST

UNIT_MAIN("ring", 60, every_place, many_at_once, at_the_same_time, hostile_headers, hostile_heads,
	  exactly_full, refresh_and_release, snapshots, snapshots_after_long, snapshots_of_32_bits,
	  hostile_snapshots)
