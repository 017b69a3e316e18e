// SPDX-License-Identifier: LGPL-2.1-or-later
/* The AUX area, with a PMU made up: it writes as the kernel's do, or says nonsense. */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/perf/area.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

#define SIZE	  64u
#define NEIGHBOUR UINT64_C(0x123456789ABCDEF0) /* in the page, after the tail */

struct pmu {
	struct perf_event_mmap_page page;
	uint8_t data[SIZE];
	uint64_t head;
	struct perfctr_area area;
};

static uint8_t byte_at(uint64_t position)
{
	return (uint8_t)(position * 7 + position / 256);
}

static struct pmu *start(bool overwrite)
{
	struct pmu *pmu = calloc(1, sizeof(*pmu));

	memset(&pmu->area, 0xEE, sizeof(pmu->area));
	pmu->page.aux_offset = NEIGHBOUR;
	perfctr_area_init(&pmu->area, &pmu->page, pmu->data, SIZE, overwrite);
	return pmu;
}

/* The kernel's CIRC_SPACE(): one byte stays free. */
static size_t room(struct pmu *pmu)
{
	unsigned long tail = __atomic_load_n(perfctr_ring_half(&pmu->page.aux_tail),
					     __ATOMIC_ACQUIRE);

	return (tail - (unsigned long)pmu->head - 1) & (SIZE - 1);
}

static void produce(struct pmu *pmu, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		pmu->data[(pmu->head + i) % SIZE] = byte_at(pmu->head + i);
	pmu->head += n;
	__atomic_store_n(perfctr_ring_half(&pmu->page.aux_head), (unsigned long)pmu->head,
			 __ATOMIC_RELEASE);
}

/* The next piece begins at this position and has so many bytes. */
static void expect(struct pmu *pmu, uint64_t position, size_t size)
{
	const void *bytes = NULL;
	size_t i;

	ck_assert_uint_eq(pmu->area.position, position);
	ck_assert_uint_eq(perfctr_area_take(&pmu->area, &bytes), size);
	ck_assert_ptr_eq(bytes, pmu->data + position % SIZE);
	ck_assert_uint_le(position % SIZE + size, SIZE);
	for (i = 0; i < size; i++)
		ck_assert_uint_eq(((const uint8_t *)bytes)[i], byte_at(position + i));
}

static void look(struct pmu *pmu)
{
	perfctr_area_release(&pmu->area);
	ck_assert_int_eq(perfctr_area_refresh(&pmu->area), 0);
}

/* So many bytes from every place: in two pieces if they wrap. */
START_TEST(every_place)
{
	struct pmu *pmu;
	const void *bytes;
	size_t at, n, first;

	for (at = 0; at < SIZE; at++)
		for (n = 0; n <= SIZE; n++) {
			pmu = start(false);
			pmu->head = pmu->page.aux_head = at;
			look(pmu);
			while (perfctr_area_take(&pmu->area, &bytes))
				;
			look(pmu);
			produce(pmu, n);
			expect(pmu, at, 0);
			look(pmu);
			first = n < SIZE - at ? n : SIZE - at;
			expect(pmu, at, first);
			/* Its room is the kernel's once it is released, and not before. */
			ck_assert_uint_eq(pmu->page.aux_tail, at);
			expect(pmu, at + first, n - first);
			expect(pmu, at + n, 0);
			perfctr_area_release(&pmu->area);
			ck_assert_uint_eq(pmu->page.aux_tail, at + n);
			ck_assert_uint_eq(pmu->page.aux_offset, NEIGHBOUR);
			ck_assert_uint_eq(room(pmu), SIZE - 1);
			free(pmu);
		}
}
END_TEST

/* The kernel looks at the whole tail, which a 32-bit program, too, has to write. */
START_TEST(more_than_4_gib)
{
	struct pmu *pmu = start(false);
	uint64_t position = UINT64_C(0x3FFFFFFF0);

	pmu->head = pmu->area.position = pmu->area.head = position;
	pmu->page.aux_head = position;
	look(pmu);
	ck_assert_uint_eq(pmu->page.aux_tail, position);
	produce(pmu, 32);
	pmu->page.aux_head = position + 32;
	look(pmu);
	expect(pmu, position, 16);
	expect(pmu, position + 16, 16);
	perfctr_area_release(&pmu->area);
	ck_assert_uint_eq(pmu->page.aux_tail, UINT64_C(0x400000010));
	free(pmu);
}
END_TEST

#define MANY 200000u

static void *write_many(void *arg)
{
	struct pmu *pmu = arg;
	size_t n;

	while (pmu->head < MANY) {
		n = room(pmu);
		if (n == 0)
			sched_yield();
		produce(pmu, n < pmu->head % 50 ? n : pmu->head % 50 + (n > 50));
	}
	return NULL;
}

START_TEST(at_the_same_time)
{
	struct pmu *pmu = start(false);
	const uint8_t *bytes;
	const void *piece;
	uint64_t seen = 0;
	pthread_t thread;
	size_t n, i;

	ck_assert_int_eq(pthread_create(&thread, NULL, write_many, pmu), 0);
	while (seen < MANY) {
		look(pmu);
		while ((n = perfctr_area_take(&pmu->area, &piece))) {
			bytes = piece;
			for (i = 0; i < n; i++)
				if (bytes[i] != byte_at(seen + i))
					ck_abort_msg("byte %zu of %zu", i, n);
			seen += n;
		}
		if (pmu->area.position == pmu->area.head)
			sched_yield();
	}
	pthread_join(thread, NULL);
	free(pmu);
}
END_TEST

/* Whatever the page says, nothing outside is handed out, and it goes on from there. */
START_TEST(hostile_heads)
{
	static const uint64_t heads[] = { SIZE + 101, 99, 0, 1u << 31, UINT32_MAX };
	struct pmu *pmu;
	const void *bytes;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		pmu = start(false);
		pmu->area.position = pmu->area.head = 100;
		pmu->page.aux_head = heads[i];
		ck_fails(perfctr_area_refresh(&pmu->area), EBADMSG, "control page");
		ck_assert_uint_eq(perfctr_area_take(&pmu->area, &bytes), 0);
		look(pmu);
		ck_assert_uint_eq((uint32_t)pmu->page.aux_tail, (uint32_t)heads[i]);
		pmu->head = pmu->area.position;
		produce(pmu, 5);
		look(pmu);
		ck_assert_uint_gt(perfctr_area_take(&pmu->area, &bytes), 0);
		free(pmu);
	}
	/* All of it is possible. */
	pmu = start(false);
	produce(pmu, SIZE);
	look(pmu);
	expect(pmu, 0, SIZE);
	free(pmu);
}
END_TEST

/* All of it, the oldest first, wherever the head is, whether it counts laps or not. */
START_TEST(snapshots)
{
	struct pmu *pmu = start(true);
	const void *bytes;
	uint64_t head;
	size_t at;

	pmu->page.aux_tail = 12345;
	for (head = 0; head < 3 * SIZE + 1; head++) {
		at = head % SIZE;
		pmu->page.aux_head = head;
		perfctr_area_snapshot(&pmu->area);
		pmu->page.aux_head = 7;
		ck_assert_uint_eq(perfctr_area_take(&pmu->area, &bytes), SIZE - at);
		ck_assert_ptr_eq(bytes, pmu->data + at);
		/* Neither asks the kernel. */
		look(pmu);
		ck_assert_uint_eq(perfctr_area_take(&pmu->area, &bytes), at);
		ck_assert_ptr_eq(bytes, pmu->data);
		ck_assert_uint_eq(perfctr_area_take(&pmu->area, &bytes), 0);
		look(pmu);
		ck_assert_uint_eq(perfctr_area_take(&pmu->area, &bytes), 0);
	}
	/* It is not told where the reader is. */
	ck_assert_uint_eq(pmu->page.aux_tail, 12345);
	free(pmu);
}
END_TEST

UNIT_MAIN("area", 60, every_place, more_than_4_gib, at_the_same_time, hostile_heads, snapshots)
