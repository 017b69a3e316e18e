/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ring.h - the ring buffer into which the kernel writes records */
#ifndef PERFCTR_LIB_PERF_RING_H
#define PERFCTR_LIB_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "perfctr/read.h"

struct perfctr_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;		/* of the data, a power of two */
	unsigned char *copy;	/* room for a record: 64 KiB, or size */
	unsigned long position; /* the end of the last record handed out */
	unsigned long head; /* the kernel's position at the last look; or the end of a snapshot */
	bool backward, cut; /* snapshots and copies */
	uint64_t seen;	    /* number of bytes written by the last snapshot */
};

void perfctr_ring_init(struct perfctr_ring *ring, struct perf_event_mmap_page *page,
		       const void *data, size_t size, void *copy);

/*
 * Hands out the next record's header, and its bytes, in one piece, until the next call: 1; or 0, or
 * -1 after perfctr_fail(EBADMSG), which skips all records in the buffer.
 */
int perfctr_ring_next(struct perfctr_ring *ring, struct perf_event_header *header,
		      const void **bytes);

/* Returns the address of the next record, if there is one: its header's word. */
static inline const uint64_t *perfctr_ring_here(const struct perfctr_ring *ring)
{
	return (const void *)(ring->data + (ring->position & (ring->size - 1)));
}

/*
 * Passes the record there, if "size" bytes, a multiple of 8, have been written and lie in one
 * piece. The kernel does not get their room yet. False: call perfctr_ring_next().
 */
static inline bool perfctr_ring_pass(struct perfctr_ring *ring, size_t size)
{
	size_t offset = ring->position & (ring->size - 1);

	if (!perfctr_likely(size <= ring->head - ring->position && offset + size <= ring->size))
		return false;
	ring->position += size;
	return true;
}

/* Is perfctr_ring_next() inline, if the room of earlier records has been given back. */
static inline int perfctr_ring_next_inline(struct perfctr_ring *ring,
					   struct perf_event_header *header, const void **bytes)
{
	const uint64_t *here;
	uint64_t word;

	if (!perfctr_likely(ring->head != ring->position))
		return perfctr_ring_next(ring, header, bytes);
	here = perfctr_ring_here(ring);
	word = *(const volatile uint64_t *)here; /* read once: the word checked is the word used */
	memcpy(header, &word, sizeof(word));
	if (!perfctr_likely(header->size && header->size % 8 == 0 &&
			    perfctr_ring_pass(ring, header->size)))
		return perfctr_ring_next(ring, header, bytes);
	*bytes = here;
	return 1;
}

/* Whether the kernel has written since the last look. */
bool perfctr_ring_has_news(const struct perfctr_ring *ring);

/* Looks how far the kernel has written: 0, or -1 as above. */
int perfctr_ring_refresh(struct perfctr_ring *ring);

/* Returns the half of a position in the control page that this program's words hold. */
static inline unsigned long *perfctr_ring_half(__u64 *position)
{
	unsigned long *half = (unsigned long *)position;

	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? half + sizeof(*position) / sizeof(*half) - 1
						      : half;
}

/*
 * Gives the kernel the room of the records that have been handed out. The buffer is none that is
 * overwritten.
 */
static inline void perfctr_ring_release(const struct perfctr_ring *ring)
{
	__atomic_store_n(perfctr_ring_half(&ring->page->data_tail), ring->position,
			 __ATOMIC_RELEASE);
}

/*
 * Takes a snapshot of a buffer that is overwritten, while nothing is written: perfctr_ring_next()
 * then hands out the records that are new since the last snapshot, newest first.
 */
void perfctr_ring_snapshot(struct perfctr_ring *ring);

/*
 * Copies the records that were seen but not handed out into room, of the ring's size, and gives the
 * kernel their place. perfctr_ring_next() goes through the copy, which needs no other member.
 */
void perfctr_ring_move(struct perfctr_ring *ring, struct perfctr_ring *copy, unsigned char *room);

#endif /* PERFCTR_LIB_PERF_RING_H */
