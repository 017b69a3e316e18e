// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/targets.h"

static void set_option(struct targets *targets, const char *option)
{
	if (targets->option && strcmp(targets->option, option) != 0)
		die("%s and %s exclude each other", targets->option, option);
	if (targets->option && (!strcmp(option, "-a") || !strcmp(option, "-C")))
		die("%s is given twice", option);
	targets->option = option;
}

static void add(struct targets *targets, unsigned int type, int id, const char *cgroup)
{
	const struct perfctr_target target = { .type = type, .id = id, .cgroup = cgroup };

	targets->target = need(reallocarray(targets->target, targets->n + 1, sizeof(target)));
	targets->target[targets->n++] = target;
}

static void add_once(struct targets *targets, unsigned int type, int id)
{
	unsigned int i;

	for (i = 0; i < targets->n; i++)
		if (targets->target[i].id == id)
			die("%s names %d twice", targets->option, id);
	add(targets, type, id, NULL);
}

/* Ids of processes or threads, with commas between them. */
static void add_ids(struct targets *targets, unsigned int type, const char *list)
{
	const char *p = list;
	char *end;
	long id;

	for (;; p = end + 1) {
		id = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : -1;
		if (id < 1 || id > 0x3FFFFFFF || (*end != ',' && *end))
			die("%s takes a number from 1 to %d, or several with commas between them, "
			    "not \"%s\"",
			    targets->option, 0x3FFFFFFF, list);
		add_once(targets, type, (int)id);
		if (!*end)
			break;
	}
}

void targets_add_processes(struct targets *targets, const char *list)
{
	set_option(targets, "-p");
	add_ids(targets, PERFCTR_TARGET_PROCESS, list);
}

void targets_add_threads(struct targets *targets, const char *list)
{
	set_option(targets, "-t");
	add_ids(targets, PERFCTR_TARGET_THREAD, list);
}

void targets_add_all_processors(struct targets *targets)
{
	set_option(targets, "-a");
	add(targets, PERFCTR_TARGET_CPU, -1, NULL);
	targets->what = "processors";
}

/* Whether a cgroup is another one, or in it. */
static bool is_below(const char *name, const char *other)
{
	size_t n = strlen(other);

	while (n && other[n - 1] == '/')
		n--;
	return !strncmp(name, other, n) && (!name[n] || name[n] == '/');
}

void targets_add_cgroup(struct targets *targets, const char *name)
{
	unsigned int i;

	set_option(targets, "-G");
	if (!*name)
		die("-G takes a cgroup's directory, or its path as /proc/PID/cgroup has it, not \"\"");
	for (i = 0; i < targets->n; i++)
		if (is_below(targets->target[i].cgroup, name) ||
		    is_below(name, targets->target[i].cgroup))
			die("-G: what is in \"%s\" would be counted twice, as a part of \"%s\"",
			    name, targets->target[i].cgroup);
	add(targets, PERFCTR_TARGET_CGROUP, 0, name);
	targets->what = "cgroup";
	targets->name = name;
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
			add_once(targets, PERFCTR_TARGET_CPU, (int)first);
		if (!*end)
			break;
	}
	targets->what = "processors";
	targets->name = list;
}

/* ---- cgroups that are removed ---- */

struct place {
	char path[PATH_MAX];
	dev_t device;
	ino_t inode;
	bool is_there;
};

/* Looks for the cgroup as the library does. */
static void find_place(struct place *place, const char *cgroup)
{
	static const char *const roots[] = { "", "/sys/fs/cgroup/perf_event/", "/sys/fs/cgroup/",
					     "/sys/fs/cgroup/unified/" };
	struct stat status;
	size_t i;

	for (i = *cgroup == '/' ? 0 : 1; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(place->path, sizeof(place->path), "%s%s", roots[i], cgroup);
		if (stat(place->path, &status) < 0 || !S_ISDIR(status.st_mode))
			continue;
		place->device = status.st_dev;
		place->inode = status.st_ino;
		place->is_there = true;
		return;
	}
}

void targets_find(struct targets *targets)
{
	unsigned int i;

	if (!targets->n || !targets->target->cgroup)
		return;
	targets->place = need(calloc(targets->n, sizeof(*targets->place)));
	for (i = 0; i < targets->n; i++)
		find_place(&targets->place[i], targets->target[i].cgroup);
}

void targets_look(const struct targets *targets)
{
	struct stat status;
	unsigned int i;

	for (i = 0; targets->place && i < targets->n; i++) {
		struct place *place = &targets->place[i];

		/* Another one may have its name. */
		if (!place->is_there ||
		    (stat(place->path, &status) == 0 && status.st_dev == place->device &&
		     status.st_ino == place->inode))
			continue;
		place->is_there = false;
		say("cgroup %s was removed: nothing more is counted in it",
		    targets->target[i].cgroup);
	}
}

pid_t targets_process(const struct targets *targets)
{
	return targets->n == 1 && targets->target->type == PERFCTR_TARGET_PROCESS
		       ? targets->target->id
		       : 0;
}

static void print_ids(FILE *file, const struct targets *targets)
{
	bool threads = targets->target->type == PERFCTR_TARGET_THREAD;
	unsigned int i;

	fputs(threads ? "thread" : "process", file);
	if (targets->n > 1)
		fputs(threads ? "s" : "es", file);
	for (i = 0; i < targets->n; i++)
		fprintf(file, "%s %d", i ? "," : "", targets->target[i].id);
}

void targets_print(FILE *file, const struct targets *targets)
{
	unsigned int i;

	if (!targets->what)
		print_ids(file, targets);
	else if (!targets->name)
		fprintf(file, "all %s", targets->what);
	else if (!targets->target->cgroup)
		fprintf(file, "%s %s", targets->n == 1 ? "processor" : "processors", targets->name);
	else
		for (i = 0; i < targets->n; i++)
			fprintf(file, "%s %s",
				i		 ? ","
				: targets->n > 1 ? "cgroups"
						 : "cgroup",
				targets->target[i].cgroup);
}

void targets_free(struct targets *targets)
{
	free(targets->target);
	free(targets->place);
}
