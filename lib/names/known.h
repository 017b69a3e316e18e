/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* known.h - names that every kernel knows */
#ifndef PERFCTR_LIB_NAMES_KNOWN_H
#define PERFCTR_LIB_NAMES_KNOWN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libperfctr.h"

/* A callback on each name of a kind; non-zero ends the walk, and is its result. */
typedef int perfctr_each_name(void *arg, const struct perfctr_event_name *name);

/* Set type and config: the word is such a name, in any case of letters, or a raw code. */
bool perfctr_known_parse(const char *word, size_t length, struct perf_event_attr *attr);

/*
 * Does the same with one of libpfm4's names of a cache, PERF_COUNT_HW_CACHE_L1D:WRITE:ACCESS; if an
 * operation is left out, it is READ, and a result MISS. Returns its length, up to the first part
 * that is neither; 0: the text begins with no such name.
 */
size_t perfctr_known_parse_cache(const char *text, size_t length, struct perf_event_attr *attr);

/* Names of PERF_TYPE_HARDWARE or _SOFTWARE, but no second ones; those of caches; and all words. */
int perfctr_known_walk(uint32_t type, const char *kind, perfctr_each_name *each, void *arg);
int perfctr_known_walk_caches(perfctr_each_name *each, void *arg);
int perfctr_known_words(int (*each)(void *arg, const char *word), void *arg);

#endif /* PERFCTR_LIB_NAMES_KNOWN_H */
