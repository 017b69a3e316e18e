/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ring.h - the buffer that the kernel writes records into */
#ifndef PERFCTR_LIB_PERF_RING_H
#define PERFCTR_LIB_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfctr_ring {
	struct perf_event_mmap_page *page;
	const unsigned char *data;
	size_t size;		/* of the data, a power of two */
	unsigned char *copy;	/* room for a record: 64 KiB, or size */
	unsigned long position; /* behind the last record handed out */
	unsigned long head;	/* as last seen, or the end of a snapshot */
	unsigned long tail;	/* what the kernel knows of position */
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

/* Whether the kernel is farther than it was. */
bool perfctr_ring_has_news(const struct perfctr_ring *ring);

/* Look how far the kernel is: 0, or -1 as above. */
int perfctr_ring_refresh(struct perfctr_ring *ring);

/* Give the kernel the room of what has been handed out. */
void perfctr_ring_release(struct perfctr_ring *ring);

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
