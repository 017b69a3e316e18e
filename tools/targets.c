// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "die.h"
#include "targets.h"

static void set_option(struct targets *targets, const char *option)
{
	if (targets->option && strcmp(targets->option, option) != 0)
		die("%s and %s exclude each other", targets->option, option);
	if (targets->option)
		die("%s is given twice", option);
	targets->option = option;
}

static void add(struct targets *targets, unsigned int type, int id, const char *cgroup)
{
	const struct perfctr_target target = { .type = type, .id = id, .cgroup = cgroup };

	targets->target = need(reallocarray(targets->target, targets->n + 1, sizeof(target)));
	targets->target[targets->n++] = target;
}

void targets_add_process(struct targets *targets, pid_t pid)
{
	set_option(targets, "-p");
	add(targets, PERFCTR_TARGET_PROCESS, pid, NULL);
}

void targets_add_all_processors(struct targets *targets)
{
	set_option(targets, "-a");
	add(targets, PERFCTR_TARGET_CPU, -1, NULL);
	targets->what = "processors";
}

void targets_add_cgroup(struct targets *targets, const char *name)
{
	set_option(targets, "-G");
	add(targets, PERFCTR_TARGET_CGROUP, 0, name);
	targets->what = "cgroup";
	targets->name = name;
}

static void add_processor(struct targets *targets, long id)
{
	unsigned int i;

	for (i = 0; i < targets->n; i++)
		if (targets->target[i].id == id)
			die("-C names processor %ld twice", id);
	add(targets, PERFCTR_TARGET_CPU, (int)id, NULL);
}

void targets_add_processors(struct targets *targets, const char *list)
{
	const char *p = list;
	long first, last;
	char *end;

	set_option(targets, "-C");
	for (;; p = end + 1) {
		first = last = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : -1;
		if (first >= 0 && *end == '-')
			last = isdigit((unsigned char)end[1]) ? strtol(end + 1, &end, 10) : -1;
		if (first < 0 || last < first || last > 8191 || (*end != ',' && *end))
			die("-C takes numbers of processors such as 0-3,8, not \"%s\"", list);
		for (; first <= last; first++)
			add_processor(targets, first);
		if (!*end)
			break;
	}
	targets->what = "processors";
	targets->name = list;
}

pid_t targets_process(const struct targets *targets)
{
	return targets->n && targets->target->type == PERFCTR_TARGET_PROCESS ? targets->target->id
									     : 0;
}

void targets_free(struct targets *targets)
{
	free(targets->target);
}
