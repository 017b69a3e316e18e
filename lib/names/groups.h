/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * groups.h - groups with a name or modifiers of their own, as perf writes them:
 * NAME{event,event}:modifiers
 */
#ifndef PERFCTR_LIB_NAMES_GROUPS_H
#define PERFCTR_LIB_NAMES_GROUPS_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* A list in which each event has its group's modifiers, with those of whole groups beside it. */
struct perfctr_groups {
	char *text;
	struct perfctr_group_mark {
		unsigned int asked; /* PERFCTR_ASKED_* */
		bool pinned, exclusive;
	} * mark; /* for each event, in order */
};

/* Whether a group of the list has a name or modifiers; any other list is right as it is. */
bool perfctr_groups_are_perfs(const char *events);

/* 0, and to be freed; or -1 after perfctr_fail(): EINVAL, ENOMEM. */
int perfctr_groups_expand(const char *events, struct perfctr_groups *groups);
void perfctr_groups_free(struct perfctr_groups *groups); /* errno is kept */

#endif /* PERFCTR_LIB_NAMES_GROUPS_H */
