/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * terms.h - the terms between an event's slashes, and those of them that are perf's own: no PMU
 * describes them, and they stand after any event
 */
#ifndef PERFCTR_LIB_NAMES_TERMS_H
#define PERFCTR_LIB_NAMES_TERMS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event's text asks for beside the event, or'ed. */
#define PERFCTR_ASKED_SAMPLES	   1u	 /* period=, freq=, or the modifier S */
#define PERFCTR_ASKED_PERCORE	   2u	 /* percore */
#define PERFCTR_ASKED_MOST_PRECISE 4u	 /* the modifier P */
#define PERFCTR_ASKED_WEAK	   8u	 /* the modifier W */
#define PERFCTR_ASKED_NAME	   0x10u /* name= */

/* One of comma-separated terms: name, or name=value. A value may be in single quotes. */
struct perfctr_term {
	const char *name;
	size_t length;
	const char *value; /* NULL: none; in quotes, these are left out */
	size_t value_length;
};

/* Takes the first term off the terms; false if there is none. */
bool perfctr_term_next(const char **terms, const char *end, struct perfctr_term *term);

/* Parses a number, decimal or 0x hexadecimal, that fills the text. */
bool perfctr_term_number(const char *text, size_t length, uint64_t *number);

/* Whether the term is one of perf's own. */
bool perfctr_term_is_perfs(const struct perfctr_term *term);

/*
 * Does what perf's own terms say: sets the period or frequency of the attr, and what is asked. 0,
 * or -1 after perfctr_fail(EINVAL), also if a term is for perf record only.
 */
int perfctr_terms_apply(const char *terms, size_t length, struct perf_event_attr *attr,
			unsigned int *asked);

/* The only term that is not perf's own, if it is a name. Its length; 0: there is none. */
size_t perfctr_terms_event(const char *terms, size_t length, const char **word);

/* The name that name= gives to the event with this text. Its length; 0: it gives none. */
size_t perfctr_terms_name(const char *event, size_t length, const char **name);

#endif /* PERFCTR_LIB_NAMES_TERMS_H */
