/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ring.h - the buffer that the kernel writes records into */
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
	unsigned long position; /* after the last record handed out */
	unsigned long head;	/* as last seen, or the end of a snapshot */
	bool backward, cut;	/* snapshots and copies */
	uint64_t seen;		/* bytes that had been written at the last one */
};

void perfctr_ring_init(struct perfctr_ring *ring, struct perf_event_mmap_page *page,
		       const void *data, size_t size, void *copy);

/*
 * The next record's header, and its bytes, in one piece, until the next call: 1; or 0, or -1 after
 * perfctr_fail(EBADMSG), which leaves out all records there are.
 */
int perfctr_ring_next(struct perfctr_ring *ring, struct perf_event_header *header,
		      const void **bytes);

/* Where the next record is, if there is one: its header's word. */
static inline const uint64_t *perfctr_ring_here(const struct perfctr_ring *ring)
{
	return (const void *)(ring->data + (ring->position & (ring->size - 1)));
}

/*
 * Go after the record there, if so many bytes, a multiple of 8, have been written, and lie in one
 * piece. Doesn't give the kernel its room. False: ask perfctr_ring_next().
 */
static inline bool perfctr_ring_pass(struct perfctr_ring *ring, size_t size)
{
	size_t offset = ring->position & (ring->size - 1);

	if (!perfctr_likely(size <= ring->head - ring->position && offset + size <= ring->size))
		return false;
	ring->position += size;
	return true;
}

/* perfctr_ring_next(), in the caller, if the room of what was handed out before is given back. */
static inline int perfctr_ring_next_inline(struct perfctr_ring *ring,
					   struct perf_event_header *header, const void **bytes)
{
	const uint64_t *here;
	uint64_t word;

	if (!perfctr_likely(ring->head != ring->position))
		return perfctr_ring_next(ring, header, bytes);
	here = perfctr_ring_here(ring);
	word = *(const volatile uint64_t *)here; /* once: what is checked is used */
	memcpy(header, &word, sizeof(word));
	if (!perfctr_likely(header->size && header->size % 8 == 0 &&
			    perfctr_ring_pass(ring, header->size)))
		return perfctr_ring_next(ring, header, bytes);
	*bytes = here;
	return 1;
}

/* Whether the kernel is farther than it was. */
bool perfctr_ring_has_news(const struct perfctr_ring *ring);

/* Look how far the kernel is: 0, or -1 as above. */
int perfctr_ring_refresh(struct perfctr_ring *ring);

/* The half of a position in the control page that this program's words hold. */
static inline unsigned long *perfctr_ring_half(__u64 *position)
{
	unsigned long *half = (unsigned long *)position;

	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? half + sizeof(*position) / sizeof(*half) - 1
						      : half;
}

/* Give the kernel the room of what has been handed out. Not of a buffer that is overwritten. */
static inline void perfctr_ring_release(const struct perfctr_ring *ring)
{
	__atomic_store_n(perfctr_ring_half(&ring->page->data_tail), ring->position,
			 __ATOMIC_RELEASE);
}

/*
 * For a buffer that is overwritten, and while nothing is written: what perfctr_ring_next() then
 * goes through is what is there and was not there at the last snapshot, newest first.
 */
void perfctr_ring_snapshot(struct perfctr_ring *ring);

/*
 * Copy what has been seen and not been handed out into room, of the ring's size, and give the
 * kernel the place. perfctr_ring_next() goes through the copy, which has nothing else.
 */
void perfctr_ring_move(struct perfctr_ring *ring, struct perfctr_ring *copy, unsigned char *room);

#endif /* PERFCTR_LIB_PERF_RING_H */
