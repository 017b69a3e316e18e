// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records of several buffers, merged by time.
 *
 * A record is written a little after the time in it, and buffers are looked at one after the other:
 * so a look may find a record and miss an older one of another processor. But all records older
 * than those that one look finds have been written when the next look begins. So a record waits for
 * the look after the one that finds it: then it is an old one, and is handed out with all older
 * ones. It waits in a copy, so that the kernel does not run out of room meanwhile.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/perf/merge.h"
#include "lib/perf/record.h"
#include "lib/perf/ring.h"
#include "perfctr/read.h"

void perfctr_merge_init(struct perfctr_merge *merge, const struct perfctr_decoder *decoder,
			struct perfctr_stream *stream, unsigned int n, struct perfctr_stream **heap,
			bool backward)
{
	unsigned int i;

	*merge = (struct perfctr_merge){
		.decoder = decoder,
		.stream = stream,
		.heap = heap,
		.n = n,
		.backward = backward,
	};
	/* This is an empty copy, as perfctr_ring_move() makes it. */
	for (i = 0; i < n; i++)
		stream[i].recent.backward = true;
}

/* ---- the heap of streams: which has the next record ---- */

static bool is_before(const struct perfctr_merge *merge, const struct perfctr_stream *a,
		      const struct perfctr_stream *b)
{
	if (a->time != b->time)
		return a->time < b->time ? !merge->backward : merge->backward;
	return a < b;
}

static void swap(struct perfctr_stream **a, struct perfctr_stream **b)
{
	struct perfctr_stream *stream = *a;

	*a = *b;
	*b = stream;
}

static void sift_down(struct perfctr_merge *merge)
{
	struct perfctr_stream **heap = merge->heap;
	unsigned int i = 0, child;

	while ((child = 2 * i + 1) < merge->nheap) {
		if (child + 1 < merge->nheap && is_before(merge, heap[child + 1], heap[child]))
			child++;
		if (!is_before(merge, heap[child], heap[i]))
			break;
		swap(&heap[i], &heap[child]);
		i = child;
	}
}

static void push(struct perfctr_merge *merge, struct perfctr_stream *stream)
{
	struct perfctr_stream **heap = merge->heap;
	unsigned int i = merge->nheap++, parent;

	heap[i] = stream;
	for (; i && is_before(merge, heap[i], heap[parent = (i - 1) / 2]); i = parent)
		swap(&heap[i], &heap[parent]);
}

static void pop(struct perfctr_merge *merge)
{
	merge->heap[0] = merge->heap[--merge->nheap];
	sift_down(merge);
}

/* ---- streams ---- */

/* Goes on to the stream's next record. */
static int fetch(struct perfctr_merge *merge, struct perfctr_stream *stream)
{
	int result = perfctr_ring_next_inline(&stream->old, &stream->header, &stream->bytes);

	if (result == 0) {
		if (!stream->is_recent)
			merge->nold--;
		stream->is_recent = true;
		result = perfctr_ring_next_inline(&stream->recent, &stream->header, &stream->bytes);
	}
	if (result > 0)
		stream->time = perfctr_record_time(merge->decoder, stream->header, stream->bytes,
						   stream->time);
	else if (result == 0)
		stream->bytes = NULL;
	return result;
}

/* Moves the recent records to the old ones, and the buffer's records to the recent ones. */
static int refill(struct perfctr_merge *merge, struct perfctr_stream *stream)
{
	unsigned char *room = stream->old_room;
	int result = 0;

	if (merge->backward)
		perfctr_ring_snapshot(&stream->ring);
	else
		result = perfctr_ring_refresh(&stream->ring);
	stream->old = stream->recent;
	stream->old_room = stream->recent_room;
	stream->recent_room = room;
	perfctr_ring_move(&stream->ring, &stream->recent, room);
	return result;
}

bool perfctr_merge_has_news(const struct perfctr_merge *merge)
{
	unsigned int i;

	for (i = 0; i < merge->n; i++)
		if (perfctr_ring_has_news(&merge->stream[i].ring))
			return true;
	return false;
}

int perfctr_merge_look(struct perfctr_merge *merge, bool all)
{
	int result = 0, fetched;
	unsigned int i;

	merge->all = all;
	merge->nold = merge->nheap;
	for (i = 0; i < merge->n; i++) {
		struct perfctr_stream *stream = &merge->stream[i];

		if (refill(merge, stream) < 0)
			result = -1;
		stream->is_recent = !stream->bytes;
		if (stream->bytes)
			continue;
		while ((fetched = fetch(merge, stream)) < 0)
			result = -1;
		if (fetched)
			push(merge, stream);
	}
	return result;
}

int perfctr_merge_next(struct perfctr_merge *merge, struct perf_event_header *header,
		       const void **bytes)
{
	int result;

	if (merge->taken) {
		result = fetch(merge, merge->heap[0]);
		if (result < 0)
			return -1;
		merge->taken = false;
		if (result)
			sift_down(merge);
		else
			pop(merge);
	}
	if (!merge->nold && !(merge->all && merge->nheap))
		return 0;
	*header = merge->heap[0]->header;
	*bytes = merge->heap[0]->bytes;
	merge->taken = true;
	return 1;
}
