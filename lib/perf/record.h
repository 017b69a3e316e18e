/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record.h - decodes the bytes of records into struct perfctr_record */
#ifndef PERFCTR_LIB_PERF_RECORD_H
#define PERFCTR_LIB_PERF_RECORD_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/perf/counter.h"
#include "lib/perf/ring.h"
#include "libperfctr.h"
#include "perfctr/read.h"

#define PERFCTR_RECORD_AUX_OUTPUT_HW_ID	  21u /* PERF_RECORD_AUX_OUTPUT_HW_ID, of Linux 5.16 */
#define PERFCTR_RECORD_CALLCHAIN_DEFERRED 22u /* PERF_RECORD_CALLCHAIN_DEFERRED, after 6.18 */
#define PERFCTR_RECORD_WORDS		  9

/* PERF_SAMPLE_BRANCH_COUNTERS, of Linux 6.8 */
#define PERFCTR_BRANCH_COUNTERS (UINT64_C(1) << 19)

/* The fields that records were asked for, and the last record. */
struct perfctr_decoder {
	uint64_t fields;				  /* PERF_SAMPLE_* */
	uint64_t read_format;				  /* PERF_FORMAT_* */
	unsigned int user_registers, interrupt_registers; /* the number of each */
	bool branch_index, branch_counters;
	bool more;	/* samples have fields that are not one word */
	bool chain;	/* the only such field is a call chain */
	uint64_t usual; /* a sample header's shape if there is no such field; else no header's */
	uint8_t nwords, nid_words;
	uint8_t time_word,
		time_back; /* index of the time in a sample, and from the end of others; 0: none */
	uint16_t word[PERFCTR_RECORD_WORDS]; /* offsets in struct perfctr_record */
	uint16_t id_word[PERFCTR_RECORD_WORDS];
	struct perfctr_record sample; /* fields that were not asked for stay 0 */
	struct perfctr_record other;
	uint64_t values[PERFCTR_GROUP_MAX];
};

void perfctr_decoder_init(struct perfctr_decoder *decoder, const struct perf_event_attr *attr);

/*
 * Decodes the header.size bytes, aligned to 8, that begin with the header; the size is at least the
 * header's and a multiple of 8. 1, or -1 after perfctr_fail(EBADMSG).
 */
int perfctr_record_decode(struct perfctr_decoder *decoder, struct perf_event_header header,
			  const void *bytes, const struct perfctr_record **result);

/* Returns a header's type and size as one word. */
static inline uint64_t perfctr_record_shape(struct perf_event_header header)
{
	uint64_t word;

	header.misc = 0;
	memcpy(&word, &header, sizeof(word));
	return word;
}

static inline void perfctr_record_put(struct perfctr_record *record, uint16_t place,
				      const uint64_t *word)
{
	memcpy((char *)record + place, word, sizeof(*word));
}

/*
 * Puts n words of a sample, at most PERFCTR_RECORD_WORDS, in their places, the first one first: an
 * unrolled loop.
 */
static inline void perfctr_record_put_words(struct perfctr_record *record, const uint64_t *words,
					    const uint16_t *places, unsigned int n)
{
	static_assert(PERFCTR_RECORD_WORDS == 9, "each has a line below");
	words += n;
	places += n;
	switch (n) {
	case 9: perfctr_record_put(record, places[-9], words - 9); /* fall through */
	case 8: perfctr_record_put(record, places[-8], words - 8); /* fall through */
	case 7: perfctr_record_put(record, places[-7], words - 7); /* fall through */
	case 6: perfctr_record_put(record, places[-6], words - 6); /* fall through */
	case 5: perfctr_record_put(record, places[-5], words - 5); /* fall through */
	case 4: perfctr_record_put(record, places[-4], words - 4); /* fall through */
	case 3: perfctr_record_put(record, places[-3], words - 3); /* fall through */
	case 2: perfctr_record_put(record, places[-2], words - 2); /* fall through */
	case 1: perfctr_record_put(record, places[-1], words - 1);
	}
}

/* Decodes a sample's fields of one word, inline. */
static inline const struct perfctr_record *
perfctr_record_put_sample(struct perfctr_decoder *decoder, struct perf_event_header header,
			  const void *bytes)
{
	struct perfctr_record *record = &decoder->sample;

	memcpy(record, &header, sizeof(header));
	record->bytes = bytes;
	perfctr_record_put_words(record, (const uint64_t *)bytes + 1, decoder->word,
				 decoder->nwords);
	return record;
}

/*
 * Takes and decodes the ring's next record, if it is a sample whose size follows from the fields,
 * the usual case: then one comparison checks type and size. NULL: call perfctr_ring_next(). The
 * buffer is none that is overwritten.
 */
static inline const struct perfctr_record *perfctr_record_take(struct perfctr_decoder *decoder,
							       struct perfctr_ring *ring)
{
	const uint64_t *here = perfctr_ring_here(ring);
	uint64_t word =
		*(const volatile uint64_t *)here; /* read once: the word checked is the word used */
	struct perf_event_header header;

	perfctr_ring_release(ring);
	memcpy(&header, &word, sizeof(header));
	if (!perfctr_likely(perfctr_record_shape(header) == decoder->usual &&
			    perfctr_ring_pass(ring, header.size)))
		return NULL;
	return perfctr_record_put_sample(decoder, header, here);
}

/* Returns the time of such a record, without decoding it; "other" if it has none. */
uint64_t perfctr_record_time(const struct perfctr_decoder *decoder, struct perf_event_header header,
			     const void *bytes, uint64_t other);

#endif /* PERFCTR_LIB_PERF_RECORD_H */
