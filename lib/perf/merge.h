/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge.h - records of several buffers, merged by time */
#ifndef PERFCTR_LIB_PERF_MERGE_H
#define PERFCTR_LIB_PERF_MERGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include "lib/perf/record.h"
#include "lib/perf/ring.h"

/* A buffer, and copies of its records: those from before the last look, and those that it found. */
struct perfctr_stream {
	struct perfctr_ring ring;
	struct perfctr_ring old, recent;
	unsigned char *old_room, *recent_room; /* each has the ring's size */
	/* The first record that has not been handed out. */
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
	unsigned int nold; /* number of streams whose next record is an old one */
	bool backward;	   /* newest first, from buffers that are overwritten */
	bool all;	   /* hand out all records, not only those that are old or older */
	bool taken;	   /* the next record has been handed out */
};

/*
 * Initializes the merge. The streams have rings and rooms, and all else zero; heap has n entries.
 */
void perfctr_merge_init(struct perfctr_merge *merge, const struct perfctr_decoder *decoder,
			struct perfctr_stream *stream, unsigned int n, struct perfctr_stream **heap,
			bool backward);

/* Whether a buffer has records that the last look did not find. */
bool perfctr_merge_has_news(const struct perfctr_merge *merge);

/*
 * Looks at all buffers, after perfctr_merge_next() has returned 0. From then on that hands out, by
 * time, the records that the previous look found and all older ones; or all records. 0, or -1 after
 * perfctr_fail(EBADMSG): a buffer makes no sense, and its contents are skipped.
 */
int perfctr_merge_look(struct perfctr_merge *merge, bool all);

/*
 * Hands out the next record's header and bytes, valid until the next look: 1; 0: there is none; -1
 * as above.
 */
int perfctr_merge_next(struct perfctr_merge *merge, struct perf_event_header *header,
		       const void **bytes);

#endif /* PERFCTR_LIB_PERF_MERGE_H */
