// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Decodes the records of perf_events from a buffer's bytes to struct perfctr_record. The layouts
 * are those of include/uapi/linux/perf_event.h. All lengths are checked against the record's size,
 * and are read once, so that bytes which change meanwhile can't lead out of it either.
 */
#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/record.h"
#include "libperfctr.h"
#include "perfctr/read.h"

#define PLACE(member) offsetof(struct perfctr_record, member)
#define PAIR(first, second)                              \
	static_assert(PLACE(second) == PLACE(first) + 4, \
		      #first " and " #second " are copied as one word")

PAIR(pid, tid);
PAIR(cpu, reserved);
static_assert(PLACE(type) == offsetof(struct perf_event_header, type) &&
		      PLACE(misc) == offsetof(struct perf_event_header, misc) &&
		      PLACE(size) == offsetof(struct perf_event_header, size),
	      "a record begins as the kernel's does");

/* The fields of a sample that are one word each, in the order in which they come first. */
static const struct {
	uint32_t field;
	uint16_t place;
} words[] = {
	{ PERF_SAMPLE_IDENTIFIER, PLACE(id) },
	{ PERF_SAMPLE_IP, PLACE(as.sample.ip) },
	{ PERF_SAMPLE_TID, PLACE(pid) },
	{ PERF_SAMPLE_TIME, PLACE(time) },
	{ PERF_SAMPLE_ADDR, PLACE(as.sample.addr) },
	{ PERF_SAMPLE_ID, PLACE(id) },
	{ PERF_SAMPLE_STREAM_ID, PLACE(stream_id) },
	{ PERF_SAMPLE_CPU, PLACE(cpu) },
	{ PERF_SAMPLE_PERIOD, PLACE(as.sample.period) },
}, id_words[] = {
	/* These stand at the end of every other record, with sample_id_all. */
	{ PERF_SAMPLE_TID, PLACE(pid) },
	{ PERF_SAMPLE_TIME, PLACE(time) },
	{ PERF_SAMPLE_ID, PLACE(id) },
	{ PERF_SAMPLE_STREAM_ID, PLACE(stream_id) },
	{ PERF_SAMPLE_CPU, PLACE(cpu) },
	{ PERF_SAMPLE_IDENTIFIER, PLACE(id) },
};
static_assert(ARRAY_SIZE(words) <= PERFCTR_RECORD_WORDS &&
		      ARRAY_SIZE(id_words) <= PERFCTR_RECORD_WORDS,
	      "a decoder has room for them");

#define FIXED_FIELDS                                                                    \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD)

static void find_time(struct perfctr_decoder *decoder)
{
	uint8_t i;

	for (i = 0; i < decoder->nwords; i++)
		if (decoder->word[i] == PLACE(time))
			decoder->time_word = (uint8_t)(1 + i);
	for (i = 0; i < decoder->nid_words; i++)
		if (decoder->id_word[i] == PLACE(time))
			decoder->time_back = (uint8_t)(decoder->nid_words - i);
}

void perfctr_decoder_init(struct perfctr_decoder *decoder, const struct perf_event_attr *attr)
{
	unsigned int i;

	memset(decoder, 0, sizeof(*decoder));
	decoder->fields = attr->sample_type;
	decoder->more = (attr->sample_type & ~(uint64_t)FIXED_FIELDS) != 0;
	decoder->chain = (attr->sample_type & ~(uint64_t)FIXED_FIELDS) == PERF_SAMPLE_CALLCHAIN;
	decoder->read_format = attr->read_format;
	decoder->branch_index = (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) != 0;
	decoder->branch_counters = (attr->branch_sample_type & PERFCTR_BRANCH_COUNTERS) != 0;
	decoder->user_registers = (unsigned int)__builtin_popcountll(attr->sample_regs_user);
	decoder->interrupt_registers = (unsigned int)__builtin_popcountll(attr->sample_regs_intr);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (attr->sample_type & words[i].field)
			decoder->word[decoder->nwords++] = words[i].place;
	for (i = 0; i < ARRAY_SIZE(id_words); i++)
		if (attr->sample_type & id_words[i].field)
			decoder->id_word[decoder->nid_words++] = id_words[i].place;
	find_time(decoder);
	decoder->sample.type = PERF_RECORD_SAMPLE;
	decoder->usual = decoder->more ? UINT64_MAX
				       : perfctr_record_shape((struct perf_event_header){
						 .type = PERF_RECORD_SAMPLE,
						 .size = (uint16_t)(8 + 8 * decoder->nwords),
					 });
}

/* ---- what is left of a record ---- */

struct rest {
	const uint64_t *at, *end;
};

static size_t left(const struct rest *rest)
{
	return (size_t)(rest->end - rest->at);
}

/* Reads the word exactly once. */
static uint64_t word_at(const uint64_t *at)
{
	return *(const volatile uint64_t *)at;
}

static uint32_t half_at(const void *at)
{
	return *(const volatile uint32_t *)at;
}

static bool take(struct rest *rest, uint64_t *word)
{
	if (rest->at == rest->end)
		return false;
	*word = word_at(rest->at++);
	return true;
}

/* Takes n units of this many words, in place; NULL if there are fewer. */
static const void *take_many(struct rest *rest, uint64_t n, size_t unit)
{
	const uint64_t *start = rest->at;

	if (n > left(rest) / unit)
		return NULL;
	rest->at += n * unit;
	return start;
}

/* Takes counts. They are copied, since the kernel may have other words between them. */
static bool take_counts(struct perfctr_decoder *decoder, struct rest *rest,
			struct perfctr_record_counts *counts)
{
	uint64_t format = decoder->read_format, n = 1, i;
	size_t unit = 1u + (format & PERF_FORMAT_ID ? 1u : 0u) +
		      (format & PERFCTR_FORMAT_LOST ? 1u : 0u);

	memset(counts, 0, sizeof(*counts));
	/* A single event's value comes before the times; so does a group's number of events. */
	if (!take(rest, format & PERF_FORMAT_GROUP ? &n : &decoder->values[0]) ||
	    (format & PERF_FORMAT_TOTAL_TIME_ENABLED && !take(rest, &counts->enabled)) ||
	    (format & PERF_FORMAT_TOTAL_TIME_RUNNING && !take(rest, &counts->running)))
		return false;
	if (!(format & PERF_FORMAT_GROUP)) {
		if (left(rest) < unit - 1)
			return false;
		rest->at += unit - 1;
	} else {
		if (n > PERFCTR_GROUP_MAX || n > left(rest) / unit)
			return false;
		for (i = 0; i < n; i++, rest->at += unit)
			decoder->values[i] = word_at(rest->at);
	}
	counts->n = n;
	counts->values = decoder->values;
	return true;
}

static bool take_registers(struct rest *rest, unsigned int n,
			   struct perfctr_record_registers *registers)
{
	memset(registers, 0, sizeof(*registers));
	if (!take(rest, &registers->abi))
		return false;
	if (registers->abi == PERF_SAMPLE_REGS_ABI_NONE)
		return true;
	registers->n = n;
	registers->values = take_many(rest, n, 1);
	return registers->values != NULL;
}

static bool take_raw(struct rest *rest, struct perfctr_record_sample *sample)
{
	const unsigned char *start = (const unsigned char *)rest->at;
	uint32_t size;

	if (rest->at == rest->end)
		return false;
	/* The size has half a word, and is padded so that the data end with a word. */
	size = half_at(start);
	if (size % 8 != 4 || size > left(rest) * 8 - 4)
		return false;
	sample->raw_size = size;
	sample->raw = start + 4;
	rest->at += (size + 4) / 8;
	return true;
}

static bool take_stack(struct rest *rest, struct perfctr_record_sample *sample)
{
	uint64_t size, used = 0;

	sample->user_stack_size = 0;
	sample->user_stack = NULL;
	if (!take(rest, &size))
		return false;
	if (size == 0)
		return true;
	sample->user_stack = size % 8 ? NULL : take_many(rest, size / 8, 1);
	if (!sample->user_stack || !take(rest, &used) || used > size)
		return false;
	sample->user_stack_size = used;
	return true;
}

/* ---- samples ---- */

/* Takes the fields that follow those of one word, in the kernel's order. */
static bool take_more(struct perfctr_decoder *decoder, struct rest *rest)
{
	struct perfctr_record_sample *sample = &decoder->sample.as.sample;
	uint64_t fields = decoder->fields;

	return (!(fields & PERF_SAMPLE_READ) || take_counts(decoder, rest, &sample->counts)) &&
	       (!(fields & PERF_SAMPLE_CALLCHAIN) ||
		(take(rest, &sample->nchain) &&
		 (sample->chain = take_many(rest, sample->nchain, 1)) != NULL)) &&
	       (!(fields & PERF_SAMPLE_RAW) || take_raw(rest, sample)) &&
	       (!(fields & PERF_SAMPLE_BRANCH_STACK) ||
		(take(rest, &sample->nbranches) &&
		 (!decoder->branch_index || take(rest, &sample->branch_index)) &&
		 (sample->branches = take_many(rest, sample->nbranches,
					       sizeof(*sample->branches) / 8)) != NULL &&
		 (!decoder->branch_counters ||
		  (sample->branch_counters = take_many(rest, sample->nbranches, 1)) != NULL))) &&
	       (!(fields & PERF_SAMPLE_REGS_USER) ||
		take_registers(rest, decoder->user_registers, &sample->user)) &&
	       (!(fields & PERF_SAMPLE_STACK_USER) || take_stack(rest, sample)) &&
	       (!(fields & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) ||
		take(rest, &sample->weight)) &&
	       (!(fields & PERF_SAMPLE_DATA_SRC) || take(rest, &sample->data_src)) &&
	       (!(fields & PERF_SAMPLE_TRANSACTION) || take(rest, &sample->transaction)) &&
	       (!(fields & PERF_SAMPLE_REGS_INTR) ||
		take_registers(rest, decoder->interrupt_registers, &sample->interrupt)) &&
	       (!(fields & PERF_SAMPLE_PHYS_ADDR) || take(rest, &sample->phys_addr)) &&
	       (!(fields & PERF_SAMPLE_CGROUP) || take(rest, &sample->cgroup)) &&
	       (!(fields & PERF_SAMPLE_DATA_PAGE_SIZE) || take(rest, &sample->data_page_size)) &&
	       (!(fields & PERF_SAMPLE_CODE_PAGE_SIZE) || take(rest, &sample->code_page_size));
}

static int fail_size(struct perf_event_header header) __attribute__((noinline, cold));
static int fail_size(struct perf_event_header header)
{
	return perfctr_fail(
		EBADMSG,
		"a record of type %u does not fit its %u bytes, and is left out: the kernel wrote "
		"another layout than it was asked for, or somebody else wrote into the buffer",
		header.type, header.size);
}

static bool take_rest(struct perfctr_decoder *decoder, struct perf_event_header header,
		      const uint64_t *start)
{
	struct rest rest = { start + 1 + decoder->nwords, start + header.size / 8 };

	return take_more(decoder, &rest) && rest.at == rest.end;
}

/*
 * Takes a sample whose branch stack has no index: where the processor had no branches for it, the
 * kernel writes their number, 0, and nothing else (perf_output_sample() of kernel/events/core.c).
 * If it is 0 for another reason there is an index: only the size tells.
 */
static bool take_without_index(struct perfctr_decoder *decoder, struct perf_event_header header,
			       const uint64_t *start)
{
	struct perfctr_record_sample *sample = &decoder->sample.as.sample;
	bool fits;

	if (!decoder->branch_index || sample->nbranches)
		return false;
	decoder->branch_index = false;
	sample->branch_index = UINT64_MAX;
	fits = take_rest(decoder, header, start) && !sample->nbranches;
	decoder->branch_index = true;
	return fits;
}

/* This is out of line, so that the usual path needs no stack. */
static int decode_more(struct perfctr_decoder *decoder, struct perf_event_header header,
		       const uint64_t *start) __attribute__((noinline));
static int decode_more(struct perfctr_decoder *decoder, struct perf_event_header header,
		       const uint64_t *start)
{
	return take_rest(decoder, header, start) || take_without_index(decoder, header, start)
		       ? 1
		       : fail_size(header);
}

/*
 * Decodes a sample with a call chain and no other field after the words, the usual case with one.
 */
static inline int decode_chain(struct perfctr_decoder *decoder, struct perf_event_header header,
			       const uint64_t *start)
{
	const uint64_t *chain = start + 2 + decoder->nwords, *end = start + header.size / 8u;
	struct perfctr_record_sample *sample = &decoder->sample.as.sample;
	uint64_t n = (uint64_t)(end - chain);

	if (!perfctr_likely(chain <= end && word_at(chain - 1) == n))
		return fail_size(header);
	perfctr_record_put_sample(decoder, header, start);
	sample->nchain = n;
	sample->chain = chain;
	return 1;
}

/* ---- all other records ---- */

/* Takes a text that ends before the record does; the kernel pads it with NULs. */
static bool take_text(const struct rest *rest, const void *from, const char **text)
{
	*text = from;
	return (const char *)rest->end > *text &&
	       memchr(*text, '\0', (size_t)((const char *)rest->end - *text));
}

/*
 * The bytes that a record and its structure begin with alike, which are all that it has at least,
 * and where the structure has the text that comes next, if there is one.
 */
static const struct shape {
	uint8_t bytes;
	uint16_t text;
} shapes[] = {
	[PERF_RECORD_MMAP] = { 32, PLACE(as.mmap.file) },
	[PERF_RECORD_LOST] = { 16, 0 },
	[PERF_RECORD_COMM] = { 8, PLACE(as.comm.name) },
	[PERF_RECORD_EXIT] = { 24, 0 },
	[PERF_RECORD_THROTTLE] = { 24, 0 },
	[PERF_RECORD_UNTHROTTLE] = { 24, 0 },
	[PERF_RECORD_FORK] = { 24, 0 },
	[PERF_RECORD_READ] = { 8, 0 },
	[PERF_RECORD_MMAP2] = { 32, 0 },
	[PERF_RECORD_AUX] = { 24, 0 },
	[PERF_RECORD_ITRACE_START] = { 8, 0 },
	[PERF_RECORD_LOST_SAMPLES] = { 8, 0 },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { 8, 0 },
	[PERF_RECORD_NAMESPACES] = { 16, 0 },
	[PERF_RECORD_KSYMBOL] = { 16, PLACE(as.ksymbol.name) },
	[PERF_RECORD_BPF_EVENT] = { 16, 0 },
	[PERF_RECORD_CGROUP] = { 8, PLACE(as.cgroup.path) },
	[PERF_RECORD_TEXT_POKE] = { 12, 0 },
	[PERFCTR_RECORD_AUX_OUTPUT_HW_ID] = { 8, 0 },
	[PERFCTR_RECORD_CALLCHAIN_DEFERRED] = { 16, 0 },
};

#define ALIKE(structure, member, place)                                             \
	static_assert(offsetof(struct perfctr_record_##structure, member) == place, \
		      "struct perfctr_record_" #structure " begins as the kernel's record does")

ALIKE(mmap, offset, 24);
ALIKE(comm, tid, 4);
ALIKE(task, time, 16);
ALIKE(lost, lost, 8);
ALIKE(throttle, stream_id, 16);
ALIKE(read, tid, 4);
ALIKE(switch, tid, 4);
ALIKE(aux, flags, 16);
ALIKE(itrace, tid, 4);
ALIKE(namespaces, n, 8);
ALIKE(ksymbol, flags, 14);
ALIKE(bpf, tag, 8);
ALIKE(cgroup, id, 0);
ALIKE(text_poke, new_length, 10);
ALIKE(hw_id, hw_id, 0);
ALIKE(deferred, nchain, 8);

/* Copies them into the record, word by word, each of which is read exactly once. */
static void copy_bytes(struct perfctr_record *record, const uint64_t *from, size_t bytes)
{
	char *to = (char *)&record->as;
	uint64_t word;
	size_t n;

	for (; bytes; bytes -= n, to += n) {
		n = bytes < sizeof(word) ? bytes : sizeof(word);
		word = word_at(from++);
		memcpy(to, &word, n);
	}
}

/* Takes the rest of an MMAP2, which begins as an MMAP does. */
static bool decode_mmap2(const struct rest *rest, uint16_t misc, struct perfctr_record_mmap *mmap)
{
	const unsigned char *start = (const unsigned char *)rest->at;

	if (left(rest) < 8)
		return false;
	mmap->prot = half_at(start + 56);
	mmap->flags = half_at(start + 60);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		mmap->build_id_size = *(const volatile unsigned char *)(start + 32);
		memcpy(mmap->build_id, start + 36, sizeof(mmap->build_id));
		if (mmap->build_id_size > sizeof(mmap->build_id))
			return false;
	} else {
		mmap->major = half_at(start + 32);
		mmap->minor = half_at(start + 36);
		mmap->inode = word_at(rest->at + 5);
		mmap->inode_generation = word_at(rest->at + 6);
	}
	return take_text(rest, start + 64, &mmap->file);
}

/* Whether the record ends with these words; one of an unknown type need not. */
static bool has_id_words(struct perf_event_header header)
{
	return header.type != 0 && header.type <= PERFCTR_RECORD_CALLCHAIN_DEFERRED;
}

/* Takes what comes after the bytes that all records of the type have, but for a text. */
static bool decode_more_of(struct perfctr_decoder *decoder, struct rest *rest,
			   struct perfctr_record *record)
{
	const unsigned char *start = (const unsigned char *)rest->at;
	struct perfctr_record_text_poke *poke = &record->as.text_poke;

	switch (record->type) {
	case PERF_RECORD_MMAP2: return decode_mmap2(rest, record->misc, &record->as.mmap);
	case PERF_RECORD_LOST_SAMPLES:
		record->as.lost.lost = record->as.lost.id;
		record->as.lost.id = 0;
		return true;
	case PERF_RECORD_READ:
		rest->at++;
		return take_counts(decoder, rest, &record->as.read.counts);
	case PERF_RECORD_NAMESPACES:
		rest->at += 2;
		record->as.namespaces.link = take_many(rest, record->as.namespaces.n,
						       sizeof(*record->as.namespaces.link) / 8);
		return record->as.namespaces.link != NULL;
	case PERF_RECORD_TEXT_POKE:
		poke->bytes = start + 12;
		return 12u + poke->old_length + poke->new_length <= left(rest) * 8;
	case PERFCTR_RECORD_CALLCHAIN_DEFERRED:
		rest->at += 2;
		record->as.deferred.chain = take_many(rest, record->as.deferred.nchain, 1);
		return record->as.deferred.chain != NULL;
	}
	return true;
}

static bool decode_body(struct perfctr_decoder *decoder, struct rest *rest,
			struct perfctr_record *record)
{
	const struct shape *shape = &shapes[record->type];
	const char **text = (const char **)(void *)((char *)record + shape->text);

	/* A later kernel may add fields before the words at the end, but not remove any. */
	if (left(rest) * 8 < shape->bytes)
		return false;
	copy_bytes(record, rest->at, shape->bytes);
	return shape->text ? take_text(rest, (const char *)rest->at + shape->bytes, text)
			   : decode_more_of(decoder, rest, record);
}

static int decode_other(struct perfctr_decoder *decoder, struct perf_event_header header,
			const uint64_t *start) __attribute__((noinline));
static int decode_other(struct perfctr_decoder *decoder, struct perf_event_header header,
			const uint64_t *start)
{
	struct rest rest = { start + 1, start + header.size / 8 };
	struct perfctr_record *record = &decoder->other;

	memset(record, 0, sizeof(*record));
	record->type = header.type;
	record->misc = header.misc;
	record->size = header.size;
	record->bytes = start;
	if (!has_id_words(header))
		return 1;
	if (left(&rest) < decoder->nid_words)
		return fail_size(header);
	rest.end -= decoder->nid_words;
	perfctr_record_put_words(record, rest.end, decoder->id_word, decoder->nid_words);
	return decode_body(decoder, &rest, record) ? 1 : fail_size(header);
}

int perfctr_record_decode(struct perfctr_decoder *decoder, struct perf_event_header header,
			  const void *bytes, const struct perfctr_record **result)
{
	const uint64_t *start = bytes;
	size_t n = header.size / 8u - 1;

	if (!perfctr_likely(header.type == PERF_RECORD_SAMPLE)) {
		*result = &decoder->other;
		return decode_other(decoder, header, start);
	}
	*result = &decoder->sample;
	if (decoder->chain)
		return decode_chain(decoder, header, start);
	if (!perfctr_likely(decoder->more ? n >= decoder->nwords : n == decoder->nwords))
		return fail_size(header);
	perfctr_record_put_sample(decoder, header, bytes);
	return decoder->more ? decode_more(decoder, header, start) : 1;
}

uint64_t perfctr_record_time(const struct perfctr_decoder *decoder, struct perf_event_header header,
			     const void *bytes, uint64_t other)
{
	size_t n = header.size / 8u, back = decoder->time_back;
	const uint64_t *start = bytes;

	if (header.type == PERF_RECORD_SAMPLE)
		return decoder->time_word && decoder->time_word < n
			       ? word_at(start + decoder->time_word)
			       : other;
	return back && back < n && has_id_words(header) ? word_at(start + n - back) : other;
}
