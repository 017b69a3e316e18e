// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fuzzes the buffer of records and their decoding: with libFuzzer (clang -fsanitize=fuzzer), or,
 * compiled with -DSTANDALONE, by the files named on the command line and a fixed number of
 * mutations of them.
 *
 * An input is: which fields (8 bytes), the formats of counts (1), branches and registers (1), which
 * kind of buffer (1), its size (1), where in it the records begin (2), how far the kernel says that
 * it is (2); then the buffer's contents, which are an AUX area's, too.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/perf/area.h"
#include "lib/perf/record.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD 16

static uint64_t sum;

/* Read all of what a record points to: a sanitizer sees what is not the record's. */
static void touch(const void *bytes, uint64_t n)
{
	const volatile uint8_t *p = bytes;

	while (n--)
		sum += *p++;
}

static void touch_text(const char *text)
{
	touch(text, strlen(text) + 1);
}

/* Whatever a sample says has words, of which no more is written than there is room for. */
static void touch_words(const struct perfctr_record_sample *sample)
{
	char text[100];
	uint64_t i;

	sum += perfctr_data_src_text(sample->data_src, text, sizeof(text));
	touch_text(text);
	sum += perfctr_transaction_text(sample->transaction, text, sizeof(text));
	touch_text(text);
	sum += perfctr_ibs_op_text(sample->raw, sample->raw_size, text, sizeof(text));
	touch_text(text);
	sum += perfctr_ibs_fetch_text(sample->raw, sample->raw_size, text, sizeof(text));
	touch_text(text);
	for (i = 0; i < sample->nbranches && i < 4; i++) {
		sum += perfctr_branch_text(&sample->branches[i], text, sizeof(text));
		touch_text(text);
	}
}

static void touch_sample(const struct perfctr_record_sample *sample)
{
	touch(sample->counts.values, sample->counts.n * 8);
	touch(sample->chain, sample->nchain * 8);
	touch(sample->raw, sample->raw_size);
	touch(sample->branches, sample->nbranches * sizeof(*sample->branches));
	if (sample->branch_counters)
		touch(sample->branch_counters, sample->nbranches * 8);
	touch(sample->user.values, sample->user.n * 8);
	touch(sample->interrupt.values, sample->interrupt.n * 8);
	touch(sample->user_stack, sample->user_stack_size);
	touch_words(sample);
}

static void touch_record(const struct perfctr_record *record)
{
	touch(record->bytes, record->size);
	switch (record->type) {
	case PERF_RECORD_SAMPLE: touch_sample(&record->as.sample); break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		touch_text(record->as.mmap.file);
		touch(record->as.mmap.build_id, record->as.mmap.build_id_size);
		break;
	case PERF_RECORD_COMM: touch_text(record->as.comm.name); break;
	case PERF_RECORD_READ:
		touch(record->as.read.counts.values, record->as.read.counts.n * 8);
		break;
	case PERF_RECORD_NAMESPACES:
		touch(record->as.namespaces.link,
		      record->as.namespaces.n * sizeof(*record->as.namespaces.link));
		break;
	case PERF_RECORD_KSYMBOL: touch_text(record->as.ksymbol.name); break;
	case PERF_RECORD_CGROUP: touch_text(record->as.cgroup.path); break;
	case PERFCTR_RECORD_CALLCHAIN_DEFERRED:
		touch(record->as.deferred.chain, record->as.deferred.nchain * 8);
		break;
	case PERF_RECORD_TEXT_POKE:
		touch(record->as.text_poke.bytes,
		      (uint64_t)record->as.text_poke.old_length + record->as.text_poke.new_length);
		break;
	}
}

/* The next record, if it is one of those that need no more than one look. */
static bool read_usual(struct perfctr_ring *ring, struct perfctr_decoder *decoder)
{
	const struct perfctr_record *record;

	record = ring->backward ? NULL : perfctr_record_take(decoder, ring);
	if (record)
		touch_record(record);
	return record != NULL;
}

/*
 * Everything in the ring. Each record is decoded where it stands, and from a copy that ends where
 * it ends.
 */
static void read_ring(struct perfctr_ring *ring, struct perfctr_decoder *decoder)
{
	const struct perfctr_record *record;
	struct perf_event_header header;
	const void *bytes;
	unsigned int n;
	void *exact;
	int result;

	for (n = 0; n < 10000; n++) {
		if (n % 2 && read_usual(ring, decoder))
			continue;
		result = n % 4 < 2 ? perfctr_ring_next(ring, &header, &bytes)
				   : perfctr_ring_next_inline(ring, &header, &bytes);
		if (result < 0 && !*perfctr_error())
			abort(); /* refused without a reason */
		if (result <= 0)
			return;
		if (perfctr_record_decode(decoder, header, bytes, &record) == 1)
			touch_record(record);
		exact = malloc(header.size);
		memcpy(exact, bytes, header.size);
		if (perfctr_record_decode(decoder, header, exact, &record) == 1)
			touch_record(record);
		free(exact);
	}
	abort(); /* it does not end */
}

/* Everything in an area, from any position and for any head: it ends, and is in the area. */
static void read_area(struct perf_event_mmap_page *page, const uint8_t *memory, size_t size,
		      bool overwrite)
{
	struct perfctr_area area;
	const void *bytes;
	unsigned int looks;
	size_t n;

	perfctr_area_init(&area, page, memory, size, overwrite);
	area.position = area.head = page->data_tail;
	page->aux_head = page->data_head;
	for (looks = 0; looks < 3; looks++) {
		if (overwrite)
			perfctr_area_snapshot(&area);
		else if (perfctr_area_refresh(&area) < 0 && !*perfctr_error())
			abort(); /* refused without a reason */
		while ((n = perfctr_area_take(&area, &bytes)))
			touch(bytes, n);
		perfctr_area_release(&area);
		page->aux_head += size / 2 + looks;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct perf_event_mmap_page page;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct perfctr_decoder decoder;
	struct perfctr_ring ring;
	uint16_t start, ahead;
	uint8_t *memory, *copy;
	size_t room;

	if (size < HEAD)
		return 0;
	memcpy(&attr.sample_type, data, sizeof(attr.sample_type));
	attr.read_format = data[8] & 31;
	attr.branch_sample_type = (data[9] & 1 ? PERF_SAMPLE_BRANCH_HW_INDEX : 0) |
				  (data[9] & 2 ? PERFCTR_BRANCH_COUNTERS : 0);
	attr.sample_regs_user = (uint64_t)data[9] >> 1;
	attr.sample_regs_intr = (uint64_t)data[9] << 3;
	room = (size_t)64 << data[11] % 6;
	memcpy(&start, data + 12, sizeof(start));
	memcpy(&ahead, data + 14, sizeof(ahead));
	data += HEAD;
	size -= HEAD;
	memory = calloc(1, room);
	copy = malloc(room);
	memcpy(memory, data, size < room ? size : room);

	perfctr_decoder_init(&decoder, &attr);
	page.data_tail = data[-6] & 2 ? start & ~7u : (uint64_t)0 - (start & ~7u);
	page.data_head = page.data_tail + ahead;
	read_area(&page, memory, room, data[-6] & 1);
	perfctr_ring_init(&ring, &page, memory, room, copy);
	if (data[-6] & 1)
		perfctr_ring_snapshot(&ring);
	read_ring(&ring, &decoder);
	if (data[-6] & 1) {
		page.data_head -= ahead & ~7u;
		perfctr_ring_snapshot(&ring);
	} else {
		page.data_head += 64;
	}
	read_ring(&ring, &decoder);
	free(memory);
	free(copy);
	return 0;
}

#ifdef STANDALONE

#include "tests/fuzz/standalone.h"

/* Some bytes become small, or anything. */
static size_t mutate(uint8_t *data, size_t size)
{
	uint32_t n;

	for (n = random_below(6) + 1; n && size; n--)
		data[random_below((uint32_t)size)] = (uint8_t)(random_below(4) ? random_below(33)
									       : random_word());
	return size;
}

int main(int argc, char **argv)
{
	fuzz_seeds(argc, argv, 2048, 5000, mutate);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

#endif
