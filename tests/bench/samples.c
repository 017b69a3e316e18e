// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads samples from a buffer that this program fills as the kernel does: samples KIND N reads N of
 * them (N a multiple of 500) and prints ns per sample. tests/bench/samples.sh counts the
 * instructions. The sampler is made up, since a real one's kernel writes when it likes: so this
 * includes what only lib/sampling/sampler.c knows.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "lib/sampling/sampler.c"

#define SIZE	((size_t)128 * 1024)
#define BATCH	500
#define BUFFERS 4
#define USUAL	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD)

static const struct kind {
	const char *name;
	uint64_t fields;
	unsigned int nchain;
	bool each;   /* by perfctr_sampler_each() */
	bool merged; /* of BUFFERS */
} kinds[] = {
	{ "ip", PERF_SAMPLE_IP, 0, false, false },
	{ "usual", USUAL, 0, false, false },
	{ "each", USUAL, 0, true, false },
	{ "merged", USUAL, 0, false, true },
	{ "chain", PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN, 16,
	  false, false },
};

static struct perf_event_mmap_page page[BUFFERS];
static uint64_t data[BUFFERS][SIZE / 8], room[2 * BUFFERS][SIZE / 8], copy[65536 / 8], now;

/* Write BATCH samples after the heads, of which each is in another buffer, by time. */
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

struct found {
	uint64_t sum;
	long n;
};

static int add(void *arg, const struct perfctr_record *record)
{
	struct found *found = arg;

	found->sum += record->as.sample.ip;
	found->n++;
	return 0;
}

/* Counted alone. */
static __attribute__((noinline)) long read_next(struct perfctr_sampler *sampler, uint64_t *sum)
{
	const struct perfctr_record *record;
	long n = 0;

	for (; perfctr_sampler_next(sampler, &record) > 0; n++)
		*sum += record->as.sample.ip;
	return n;
}

static __attribute__((noinline)) long read_each(struct perfctr_sampler *sampler, uint64_t *sum)
{
	struct found found = { 0, 0 };

	perfctr_sampler_each(sampler, add, &found);
	*sum += found.sum;
	return found.n;
}

static void begin(struct perfctr_sampler *sampler, const struct kind *kind)
{
	static struct perfctr_stream stream[BUFFERS], *heap[BUFFERS];
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_type = kind->fields };
	unsigned int i;

	sampler->nparts = 1;
	sampler->epoll = -1;
	sampler->stopped = true;
	perfctr_decoder_init(&sampler->decoder, &attr);
	for (i = 0; i < BUFFERS; i++) {
		perfctr_ring_init(&stream[i].ring, &page[i], data[i], SIZE, copy);
		stream[i].old_room = (unsigned char *)room[2 * i];
		stream[i].recent_room = (unsigned char *)room[2 * i + 1];
	}
	if (kind->merged)
		perfctr_merge_init(&sampler->merge, &sampler->decoder, stream, BUFFERS, heap,
				   false);
	else
		sampler->ring = &stream[0].ring;
	sampler->head = perfctr_head_of(kind->merged ? PERFCTR_KIND_SAMPLER
						     : PERFCTR_KIND_QUICK_SAMPLER);
}

int main(int argc, char **argv)
{
	static struct perfctr_sampler sampler;
	const struct kind *kind = NULL;
	struct timespec start_time, end_time;
	uint64_t sum = 0;
	double ns = 0;
	unsigned int i;
	long n, read = 0;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (argc == 3 && !strcmp(argv[1], kinds[i].name))
			kind = &kinds[i];
	if (!kind)
		return 2;
	begin(&sampler, kind);
	for (n = strtol(argv[2], NULL, 10); n > 0; n -= BATCH) {
		fill(kind);
		clock_gettime(CLOCK_MONOTONIC, &start_time);
		read += kind->each ? read_each(&sampler, &sum) : read_next(&sampler, &sum);
		clock_gettime(CLOCK_MONOTONIC, &end_time);
		ns += (double)(end_time.tv_sec - start_time.tv_sec) * 1e9 +
		      (double)(end_time.tv_nsec - start_time.tv_nsec);
	}
	printf("%s %ld %.1f %llu\n", kind->name, read, read ? ns / (double)read : 0,
	       (unsigned long long)sum);
	return 0;
}
