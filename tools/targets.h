/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* targets.h - what -p, -a, -C or -G counts. One of these options, once; all calls exit otherwise.
 */
#ifndef PERFCTR_TOOLS_TARGETS_H
#define PERFCTR_TOOLS_TARGETS_H

#include <libperfctr.h>

struct targets {
	struct perfctr_target *target;
	unsigned int n;
	const char *option;	 /* NULL: none */
	const char *what, *name; /* "processors" and "0-3" (NULL: all); "cgroup"; NULL: a process */
};

void targets_add_process(struct targets *targets, pid_t pid);
void targets_add_all_processors(struct targets *targets);
void targets_add_processors(struct targets *targets, const char *list); /* such as 0-3,8 */
void targets_add_cgroup(struct targets *targets, const char *name);

/* The process that is the target; 0 if it is none. */
pid_t targets_process(const struct targets *targets);

void targets_free(struct targets *targets);

#endif /* PERFCTR_TOOLS_TARGETS_H */
