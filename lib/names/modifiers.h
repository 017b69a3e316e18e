/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* modifiers.h - perf's modifiers of events, which follow those of a table's event */
#ifndef PERFCTR_LIB_NAMES_MODIFIERS_H
#define PERFCTR_LIB_NAMES_MODIFIERS_H

#include <stdbool.h>
#include <stddef.h>

/* Each may be given once; p may be three times. */
#define PERFCTR_MODIFIERS "ukhGHIPDeSWX"

/* Whether all of it are perf's modifiers, these or others, and colons. */
bool perfctr_are_modifiers(const char *p, const char *end);

/*
 * Whether in a word, from the part on that is no modifier of the table's, all are perf's and an e
 * is among them. That one is edges in any case, and no table's behind others.
 */
bool perfctr_is_late_edge(const char *part, const char *end);

/* perfctr_fail(EINVAL) with the word in its right order. Returns -1. */
int perfctr_fail_late_edge(const char *word, size_t length, const char *part);

#endif /* PERFCTR_LIB_NAMES_MODIFIERS_H */
