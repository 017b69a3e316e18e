/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * targets.h - the targets of -p, -t, -a, -C or -G, of which one may be given. -p, -t and -G may
 * name several targets, each once. All calls exit otherwise.
 */
#ifndef PERFCTR_TOOLS_TARGETS_H
#define PERFCTR_TOOLS_TARGETS_H

#include <libperfctr.h>
#include <stdio.h>

struct place; /* of a cgroup */

struct targets {
	struct perfctr_target *target;
	unsigned int n;
	const char *option;	 /* NULL: none */
	struct place *place;	 /* one per cgroup that was found */
	const char *what, *name; /* "processors" and "0-3" (NULL: all); "cgroup"; NULL: processes */
};

void targets_add_processes(struct targets *targets, const char *list); /* such as 12,34 */
void targets_add_threads(struct targets *targets, const char *list);
void targets_add_all_processors(struct targets *targets);
void targets_add_processors(struct targets *targets, const char *list); /* such as 0-3,8 */
void targets_add_cgroup(struct targets *targets, const char *name);

/* The process that is the only target; 0 if there is none. */
pid_t targets_process(const struct targets *targets);

/* Cgroups are found; and those that are gone since then are told, each once. */
void targets_find(struct targets *targets);
void targets_look(const struct targets *targets);

/* "process 12", "threads 12, 34", "all processors", "processors 0-3", "cgroups a, b". */
void targets_print(FILE *file, const struct targets *targets);

void targets_free(struct targets *targets);

#endif /* PERFCTR_TOOLS_TARGETS_H */
