/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalog.h - all the names that there are */
#ifndef PERFCTR_LIB_NAMES_CATALOG_H
#define PERFCTR_LIB_NAMES_CATALOG_H

#include <stddef.h>

/* perfctr_fail(EINVAL): the word is no event; with the nearest that are, or how a raw code is
 * written. */
int perfctr_event_fail_unknown(const char *word, size_t length);

#endif /* PERFCTR_LIB_NAMES_CATALOG_H */
