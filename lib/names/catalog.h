/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalog.h - the catalog of all names */
#ifndef PERFCTR_LIB_NAMES_CATALOG_H
#define PERFCTR_LIB_NAMES_CATALOG_H

#include <stddef.h>

/*
 * Fails with EINVAL: the word is no event. The sentence has the nearest names, or the syntax of a
 * raw code.
 */
int perfctr_event_fail_unknown(const char *word, size_t length);

#endif /* PERFCTR_LIB_NAMES_CATALOG_H */
