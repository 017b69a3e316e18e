/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record.h - their bytes -> struct perfctr_record */
#ifndef PERFCTR_LIB_PERF_RECORD_H
#define PERFCTR_LIB_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include "libperfctr.h"
#include "lib/perf/counter.h"

#define PERFCTR_RECORD_AUX_OUTPUT_HW_ID 21u /* PERF_RECORD_AUX_OUTPUT_HW_ID, of Linux 5.16 */
#define PERFCTR_RECORD_WORDS		9

/* How records were asked for, and the last one. */
struct perfctr_decoder {
	uint64_t fields;				  /* PERF_SAMPLE_* */
	uint64_t read_format;				  /* PERF_FORMAT_* */
	unsigned int user_registers, interrupt_registers; /* their number */
	bool branch_index;
	bool more; /* samples have fields that are not one word */
	uint8_t nwords, nid_words;
	uint8_t time_word, time_back; /* the time's in a sample, and from others' end; 0: none */
	uint16_t word[PERFCTR_RECORD_WORDS]; /* offsets in struct perfctr_record */
	uint16_t id_word[PERFCTR_RECORD_WORDS];
	struct perfctr_record sample; /* fields that were not asked for stay 0 */
	struct perfctr_record other;
	uint64_t values[PERFCTR_GROUP_MAX];
};

void perfctr_decoder_init(struct perfctr_decoder *decoder, const struct perf_event_attr *attr);

/*
 * Decode the header.size bytes, aligned to 8, of which the header is the beginning; the size is at
 * least the header's and a multiple of 8. 1, or -1 after perfctr_fail(EBADMSG).
 */
int perfctr_record_decode(struct perfctr_decoder *decoder, struct perf_event_header header,
			  const void *bytes, const struct perfctr_record **result);

/* The time of such a record, without decoding it; the other one if it has none. */
uint64_t perfctr_record_time(const struct perfctr_decoder *decoder, struct perf_event_header header,
			     const void *bytes, uint64_t other);

#endif /* PERFCTR_LIB_PERF_RECORD_H */
