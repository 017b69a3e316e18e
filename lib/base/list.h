/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* list.h - splits lists of events' names, whatever the names mean */
#ifndef PERFCTR_LIB_BASE_LIST_H
#define PERFCTR_LIB_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Find the first event in a comma-separated list, where commas between slashes separate nothing,
 * and blanks around an event mean nothing.
 * Returns its length (0: the list is empty) and moves *list after it and its comma. Returns -1
 * after perfctr_fail(EINVAL) if an event is empty or a slash is not closed.
 */
ssize_t perfctr_event_next(const char **list, const char **event);

/*
 * Return -1 after perfctr_fail(EINVAL) for an event of perf's that counts accesses to an address,
 * mem:ADDRESS/LENGTH:rw; 0: it is none.
 */
int perfctr_event_check_address(const char *event, size_t length);

/*
 * Take the braces off an event of a list in which {event,event} is a group; *inside, false at the
 * list's beginning: it is not the last one in them. 0, or -1 after perfctr_fail(EINVAL). At the
 * list's end *inside must be false: else the last event goes to perfctr_event_not_closed().
 */
int perfctr_event_braces(const char **event, size_t *length, bool *inside);
int perfctr_event_not_closed(const char *event);

#endif /* PERFCTR_LIB_BASE_LIST_H */
