/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge.h - records of several buffers, merged by time */
#ifndef PERFCTR_LIB_PERF_MERGE_H
#define PERFCTR_LIB_PERF_MERGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include "lib/perf/record.h"
#include "lib/perf/ring.h"

/* A buffer, and copies of what was in it: before the last look at it, and at that. */
struct perfctr_stream {
	struct perfctr_ring ring;
	struct perfctr_ring old, recent;
	unsigned char *old_room, *recent_room; /* of the ring's size each */
	/* The first record that has not been handed out: */
	const void *bytes; /* NULL: there is none */
	struct perf_event_header header;
	bool is_recent;
	uint64_t time;
};

struct perfctr_merge {
	const struct perfctr_decoder *decoder;
	struct perfctr_stream *stream,
		**heap; /* n streams; those with records, the next in front */
	unsigned int n, nheap;
	unsigned int nold; /* streams whose next record is an old one */
	bool backward;	   /* newest first, of buffers that are overwritten */
	bool all;	   /* not only what is old, and what is older */
	bool taken;	   /* the next record has been handed out */
};

/* The streams have rings and rooms, and all else zero; heap has room for them. */
void perfctr_merge_init(struct perfctr_merge *merge, const struct perfctr_decoder *decoder,
			struct perfctr_stream *stream, unsigned int n, struct perfctr_stream **heap,
			bool backward);

/* Whether a buffer has something that was not there at the last look. */
bool perfctr_merge_has_news(const struct perfctr_merge *merge);

/*
 * Look at all buffers, when perfctr_merge_next() has returned 0. From then on that hands out, by
 * time, what was there at the look before and all that is older; or, if that is asked for, all.
 * 0, or -1 after perfctr_fail(EBADMSG): a buffer makes no sense, and what it has is left out.
 */
int perfctr_merge_look(struct perfctr_merge *merge, bool all);

/* The next record's header and bytes, until the next look: 1; 0: there is none; -1 as above. */
int perfctr_merge_next(struct perfctr_merge *merge, struct perf_event_header *header,
		       const void **bytes);

#endif /* PERFCTR_LIB_PERF_MERGE_H */
