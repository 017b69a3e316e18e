/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * event-tables.h - the output of scripts/events.awk from the event tables; only events.c reads it.
 */
#ifndef PERFCTR_ARCH_EVENT_TABLES_H
#define PERFCTR_ARCH_EVENT_TABLES_H

#include <stdint.h>

/* Kinds of records, and further properties. */
enum {
	EVENT_BITMASK = 1,  /* event, mask: all its masks, those of its group, may be combined */
	EVENT_DEFAULT = 2,  /* mask: taken if none is named */
	EVENT_TWIN = 2,	    /* event: another code looks at the second offcore register */
	EVENT_SECOND = 2,   /* event that is another's name: it has that way first */
	EVENT_OVERRIDE = 4, /* mask: code replaces the event's, and is not added to it */
	EVENT_SAME = 4,	    /* event: another name of the one whose record's number is the code */
	EVENT_P4 = 8,	    /* event: its extra word is of ESCRs */
	EVENT_ALONE = 8,    /* mask: excludes those of its group and of later ones */
	EVENT_PEBS = 16,    /* counts only in precise sampling */
	EVENT_IS_MASK = 32,
	EVENT_IS_ALSO = 64, /* another way to count the event before it */
	EVENT_GROUPS = 128, /* event: its masks are in groups; mask: the first of another group */
	EVENT_HIDDEN = 256, /* mask and its ways: an alias; these are the last of their event */
};

/*
 * An event, followed by its other ways, and its masks, each followed by its other ways. Tables
 * share what they have in common: a table is a list of events. An event and a mask have less than
 * PERFCTR_EVENT_OPTIONS other ways. The first and the last record are empty.
 */
struct perfctr_event_record {
	uint32_t name:20; /* offset in perfctr_event_names; its length is in the byte before */
	uint32_t flags:12;
	uint32_t code;	/* image of the event select without modes; P4: of the ESCR */
	uint16_t extra; /* index in perfctr_event_extras; 0: none */
	uint8_t high;	/* index in perfctr_event_highs */
	uint8_t set;	/* index in perfctr_event_sets; 0 on P4: the ESCRs decide */
};

/*
 * A byte for each record, to find it by: the upper seven bits of its name's hash, and for an event
 * bit 7. There are eight more bytes with bit 7 at the end.
 */
#define EVENT_TAG 0x80

/*
 * A register beside the event select: for a P4 event its ESCRs and ESCR SELECT; for a mask the
 * replay tags. Without a register the value is perf's own code of a fixed counter's event.
 */
struct perfctr_event_extra {
	uint32_t reg;	 /* MSR number; P4: first ESCR; 0 for replay tags */
	uint32_t select; /* P4: ESCR SELECT, or pebs_matrix_vert */
	uint64_t value;	 /* P4: second ESCR or 0, or pebs_enable */
};

struct perfctr_event_set_of_counters {
	uint32_t general, fixed;
};

/*
 * The descriptions of names, apart from the records, since look-ups don't use them: where each
 * record's text begins; the first text is empty. A byte of a text from 128, or below 32, stands for
 * one of the words, with a blank before it unless it is the first.
 */
extern const uint16_t perfctr_event_text_of[];
extern const char perfctr_event_texts[];
extern const char perfctr_event_words[]; /* one after the other */

struct perfctr_event_table {
	char id[24];		    /* of the processors that it describes */
	uint32_t first, count;	    /* its events, in perfctr_event_listed */
	uint32_t all;		    /* with those after them, which are only aliases */
	uint32_t hash, size;	    /* buckets: 0, or an event */
	uint32_t usual;		    /* the programmable counters that most records have */
	uint32_t special, specials; /* where the records that lack some of them are */
};

extern const char perfctr_event_names[];
extern const struct perfctr_event_set_of_counters perfctr_event_sets[];
extern const struct perfctr_event_extra perfctr_event_extras[];
extern const uint16_t perfctr_event_highs[]; /* bits 47-32 of the event select */
extern const struct perfctr_event_record perfctr_event_records[];
extern const uint8_t perfctr_event_tags[];
/* Numbers of records. */
extern const uint16_t perfctr_event_listed[], perfctr_event_hash[], perfctr_event_specials[];
/* Ordered by id. Hidden, so that a difference of addresses needs no relocation. */
extern const struct perfctr_event_table perfctr_event_tables[]
	__attribute__((visibility("hidden")));
extern const unsigned int perfctr_event_table_count;

#endif /* PERFCTR_ARCH_EVENT_TABLES_H */
