// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The buffer that the kernel writes records into, and its control page:
 *
 *	kernel: reads data_tail, writes records, barrier, writes data_head
 *	here:   reads data_head, barrier (acquire), reads records, barrier (release),
 *		writes data_tail
 *
 * Positions only grow; a position modulo the size is a place in the buffer, whose size is a power
 * of two. They are 64 bits in the page, but the kernel, too, looks at data_tail modulo the size
 * only. So a 32-bit program reads and writes the low halves, each in one access, which can't tear.
 *
 * A writer that overwrites goes down from 0: the newest record is at data_head, the older ones
 * after it.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"
#include "perfctr/read.h"

static unsigned long read_head(const struct perfctr_ring *ring)
{
	return __atomic_load_n(perfctr_ring_half(&ring->page->data_head), __ATOMIC_ACQUIRE);
}

void perfctr_ring_init(struct perfctr_ring *ring, struct perf_event_mmap_page *page,
		       const void *data, size_t size, void *copy)
{
	memset(ring, 0, sizeof(*ring));
	ring->page = page;
	ring->data = data;
	ring->size = size;
	ring->copy = copy;
	ring->position = ring->head = *perfctr_ring_half(&page->data_tail) & ~7ul;
}

static int fail_header(struct perfctr_ring *ring, struct perf_event_header header,
		       unsigned long left) __attribute__((noinline, cold));
static int fail_header(struct perfctr_ring *ring, struct perf_event_header header,
		       unsigned long left)
{
	ring->position = ring->head;
	return perfctr_fail(EBADMSG,
			    "a record of type %u says that it has %u bytes of %lu, which can't be; "
			    "everything in the buffer is left out",
			    header.type, header.size, left);
}

bool perfctr_ring_has_news(const struct perfctr_ring *ring)
{
	return read_head(ring) != ring->head;
}

int perfctr_ring_refresh(struct perfctr_ring *ring)
{
	unsigned long head = read_head(ring), unread = head - ring->position;

	ring->head = head;
	if (perfctr_likely(unread <= ring->size && head % 8 == 0))
		return 0;
	ring->position = ring->head = head & ~7ul;
	return perfctr_fail(EBADMSG,
			    "the buffer's control page says that %lu bytes are in %zu: somebody "
			    "else wrote into it; everything in the buffer is left out",
			    unread, ring->size);
}

/* Makes one piece of two. */
static const void *copy_pieces(const struct perfctr_ring *ring, size_t offset, size_t size)
	__attribute__((noinline));
static const void *copy_pieces(const struct perfctr_ring *ring, size_t offset, size_t size)
{
	size_t first = ring->size - offset;

	memcpy(ring->copy, ring->data + offset, first);
	memcpy(ring->copy + first, ring->data, size - first);
	return ring->copy;
}

/* Looks again: all records that were seen have been handed out. */
static int next_after_refresh(struct perfctr_ring *ring, struct perf_event_header *header,
			      const void **bytes) __attribute__((noinline));
static int next_after_refresh(struct perfctr_ring *ring, struct perf_event_header *header,
			      const void **bytes)
{
	if (ring->backward)
		return 0;
	if (perfctr_ring_refresh(ring) < 0)
		return -1;
	return ring->head == ring->position ? 0 : perfctr_ring_next(ring, header, bytes);
}

int perfctr_ring_next(struct perfctr_ring *ring, struct perf_event_header *header,
		      const void **bytes)
{
	unsigned long left = ring->head - ring->position;
	struct perf_event_header first;
	size_t offset, size;
	uint64_t word;

	if (!ring->backward)
		perfctr_ring_release(ring);
	if (!perfctr_likely(left != 0))
		return next_after_refresh(ring, header, bytes);
	/* A header does not wrap, since records begin at multiples of 8 bytes. It is read once. */
	offset = ring->position & (ring->size - 1);
	word = *(const volatile uint64_t *)(const void *)(ring->data + offset);
	memcpy(&first, &word, sizeof(first));
	size = first.size;
	if (!perfctr_likely(size >= sizeof(first) && size % 8 == 0 && size <= left)) {
		if (!ring->cut || size <= left)
			return fail_header(ring, first, left);
		ring->position = ring->head;
		return 0;
	}
	*header = first;
	*bytes = ring->data + offset;
	ring->position += size;
	if (!perfctr_likely(offset + size <= ring->size))
		*bytes = copy_pieces(ring, offset, size);
	return 1;
}

void perfctr_ring_snapshot(struct perfctr_ring *ring)
{
	/* Nothing is written now, so that both halves belong together. */
	uint64_t head = *(volatile __u64 *)&ring->page->data_head, written = -head, unseen;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	unseen = written - ring->seen;
	if (head <= UINT32_MAX) { /* a 32-bit kernel wrote it */
		written = (uint32_t)written;
		unseen = (uint32_t)(written - ring->seen);
	}
	ring->backward = true;
	ring->cut = unseen > ring->size; /* the oldest record may be gone in part */
	ring->seen = written;
	ring->position = (unsigned long)head & ~7ul;
	ring->head = ring->position + (unsigned long)(ring->cut ? ring->size : unseen);
}

void perfctr_ring_move(struct perfctr_ring *ring, struct perfctr_ring *copy, unsigned char *room)
{
	size_t n = ring->head - ring->position, offset = ring->position & (ring->size - 1);
	size_t first = n < ring->size - offset ? n : ring->size - offset;

	memcpy(room, ring->data + offset, first);
	memcpy(room + first, ring->data, n - first);
	*copy = (struct perfctr_ring){
		.data = room,
		.size = ring->size,
		.head = n,
		.backward = true,
		.cut = ring->cut,
	};
	ring->position = ring->head;
	if (!ring->backward)
		perfctr_ring_release(ring);
}
