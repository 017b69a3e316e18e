// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads samples from a buffer that this program fills as the kernel does: samples KIND N reads N of
 * them (N a multiple of 500) and prints ns per sample. tests/bench/samples.sh counts the
 * instructions.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lib/base/word.h"
#include "lib/perf/merge.h"
#include "lib/perf/record.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"

#define SIZE	((size_t)128 * 1024)
#define BATCH	500
#define BUFFERS 4

static const struct kind {
	const char *name;
	uint64_t fields;
	unsigned int nchain;
	bool raw;    /* only take them out of the buffer: what others' readers do */
	bool merged; /* of BUFFERS */
} kinds[] = {
	{ "empty", PERF_SAMPLE_IP, 0, true, false },
	{ "ip", PERF_SAMPLE_IP, 0, false, false },
	{ "usual", PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD, 0,
	  false, false },
	{ "merged", PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD, 0,
	  false, true },
	{ "chain", PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 16,
	  false, false },
};

static struct perf_event_mmap_page page[BUFFERS];
static uint64_t data[BUFFERS][SIZE / 8], room[2 * BUFFERS][SIZE / 8], copy[65536 / 8], now;

/* Write BATCH samples behind the heads, of which each is in another buffer, by time. */
static void fill(const struct kind *kind)
{
	size_t words = 1 +
		       (size_t)__builtin_popcountll(kind->fields &
						    ~(uint64_t)PERF_SAMPLE_CALLCHAIN) +
		       (kind->nchain ? 1 + kind->nchain : 0),
	       n;
	struct perf_event_header header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
					    (uint16_t)(8 * words) };
	uint64_t word;

	memcpy(&word, &header, sizeof(word));
	for (n = 0; n < BATCH; n++) {
		unsigned int to = kind->merged ? n % BUFFERS : 0;
		uint64_t head = page[to].data_head;

		data[to][head % SIZE / 8] = word;
		if (kind->nchain)
			data[to][(head + 32) % SIZE / 8] = kind->nchain;
		if (kind->merged)
			data[to][(head + 24) % SIZE / 8] = now++;
		page[to].data_head = head + 8 * words;
	}
}

/* Counted alone. */
static __attribute__((noinline)) long
read_all(struct perfctr_ring *ring, struct perfctr_decoder *decoder, bool raw, uint64_t *sum)
{
	const struct perfctr_record *record;
	struct perf_event_header header;
	const void *bytes;
	long n = 0;

	for (; perfctr_ring_next(ring, &header, &bytes) > 0; n++) {
		if (raw)
			*sum += header.size;
		else if (perfctr_record_decode(decoder, header, bytes, &record) > 0)
			*sum += record->as.sample.ip;
	}
	return n;
}

static __attribute__((noinline)) long read_merged(struct perfctr_merge *merge,
						  struct perfctr_decoder *decoder, uint64_t *sum)
{
	const struct perfctr_record *record;
	struct perf_event_header header;
	const void *bytes;
	long n = 0;

	perfctr_merge_look(merge, true);
	for (; perfctr_merge_next(merge, &header, &bytes) > 0; n++)
		if (perfctr_record_decode(decoder, header, bytes, &record) > 0)
			*sum += record->as.sample.ip;
	return n;
}

static void begin_merge(struct perfctr_merge *merge, const struct perfctr_decoder *decoder)
{
	static struct perfctr_stream stream[BUFFERS], *heap[BUFFERS];
	unsigned int i;

	for (i = 0; i < BUFFERS; i++) {
		perfctr_ring_init(&stream[i].ring, &page[i], data[i], SIZE, copy);
		stream[i].old_room = (unsigned char *)room[2 * i];
		stream[i].recent_room = (unsigned char *)room[2 * i + 1];
	}
	perfctr_merge_init(merge, decoder, stream, BUFFERS, heap, false);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	const struct kind *kind = NULL;
	struct perfctr_decoder decoder;
	struct perfctr_merge merge;
	struct perfctr_ring ring;
	struct timespec start, end;
	uint64_t sum = 0;
	double ns = 0;
	unsigned int i;
	long n, read = 0;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (argc == 3 && !strcmp(argv[1], kinds[i].name))
			kind = &kinds[i];
	if (!kind)
		return 2;
	attr.sample_type = kind->fields;
	perfctr_decoder_init(&decoder, &attr);
	if (kind->merged)
		begin_merge(&merge, &decoder);
	else
		perfctr_ring_init(&ring, page, data[0], SIZE, copy);
	for (n = strtol(argv[2], NULL, 10); n > 0; n -= BATCH) {
		fill(kind);
		clock_gettime(CLOCK_MONOTONIC, &start);
		read += kind->merged ? read_merged(&merge, &decoder, &sum)
				     : read_all(&ring, &decoder, kind->raw, &sum);
		clock_gettime(CLOCK_MONOTONIC, &end);
		ns += (double)(end.tv_sec - start.tv_sec) * 1e9 +
		      (double)(end.tv_nsec - start.tv_nsec);
	}
	printf("%s %ld %.1f %llu\n", kind->name, read, read ? ns / (double)read : 0,
	       (unsigned long long)sum);
	return 0;
}
