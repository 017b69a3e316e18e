/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* list.h - lists of events' names, apart from what the names mean */
#ifndef PERFCTR_LIB_BASE_LIST_H
#define PERFCTR_LIB_BASE_LIST_H

#include <sys/types.h>

/*
 * Find the first event in a comma-separated list, where commas between slashes separate nothing.
 * Returns its length (0: the list is empty) and moves *list behind it and its comma. Returns -1
 * after perfctr_fail(EINVAL) if an event is empty or a slash is not closed.
 */
ssize_t perfctr_event_next(const char **list, const char **event);

#endif /* PERFCTR_LIB_BASE_LIST_H */
