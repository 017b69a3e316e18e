// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tracepoints, SUBSYSTEM:NAME, from tracefs. */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/base/word.h"
#include "lib/names/known.h"
#include "lib/names/tracepoint.h"
#include "libperfctr.h"

#define PATH_SIZE 512 /* of a path: some text of ours and two words */

static const char tracing[][32] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* ---- listing ---- */

struct walk {
	perfctr_each_name *each;
	void *arg;
	const char *subsystem;
	const char *root; /* the directory of tracefs */
};

static int walk_tracepoint(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char full[2 * PERFCTR_NAME_SIZE];
	struct perfctr_event_name name = { full, "tracepoint", "" };

	if (!strcmp(entry, "enable") || !strcmp(entry, "filter"))
		return 0;
	snprintf(full, sizeof(full), "%s:%s", walk->subsystem, entry);
	return walk->each(walk->arg, &name);
}

static int walk_subsystem(void *arg, const char *entry)
{
	struct walk *walk = arg;
	char path[PATH_SIZE];

	walk->subsystem = entry;
	snprintf(path, sizeof(path), "%s/events/%s", walk->root, entry);
	return perfctr_file_walk(path, walk_tracepoint, walk);
}

/* Where both places show tracefs they show the same one. */
int perfctr_tracepoint_walk(perfctr_each_name *each, void *arg)
{
	struct walk walk = { .each = each, .arg = arg };
	char path[PATH_SIZE];
	unsigned int i;
	DIR *dir;

	for (i = 0; i < ARRAY_SIZE(tracing); i++) {
		snprintf(path, sizeof(path), "%s/events", tracing[i]);
		dir = perfctr_file_dir(path);
		if (!dir)
			continue;
		perfctr_call_closedir(dir);
		walk.root = tracing[i];
		return perfctr_file_walk(path, walk_subsystem, &walk);
	}
	return 0;
}

/* ---- one ---- */

static int note_near(void *arg, const struct perfctr_event_name *name)
{
	perfctr_nearest_note(arg, name->name);
	return 0;
}

int perfctr_tracepoint_parse(const char *subsystem, size_t subsystem_length, const char *name,
			     size_t length, struct perf_event_attr *attr)
{
	struct perfctr_nearest near = { .word = subsystem,
					.length = (size_t)(name + length - subsystem) };
	char path[PATH_SIZE], text[PERFCTR_NEAREST_TEXT];
	unsigned int i;
	DIR *dir;
	long id;

	for (i = 0; i < ARRAY_SIZE(tracing); i++) {
		snprintf(path, sizeof(path), "%s/events/%.*s/%.*s/id", tracing[i],
			 (int)subsystem_length, subsystem, (int)length, name);
		if (perfctr_file_number(path, &id) == 0 && id >= 0) {
			attr->type = PERF_TYPE_TRACEPOINT;
			attr->config = (uint64_t)id;
			return 0;
		}
		if (errno == EACCES || errno == EPERM)
			goto forbidden;
		snprintf(path, sizeof(path), "%s/events", tracing[i]);
		dir = perfctr_file_dir(path);
		if (dir) {
			/* tracefs is here, and readable, and does not have it. */
			perfctr_call_closedir(dir);
			perfctr_tracepoint_walk(note_near, &near);
			return perfctr_fail(
				EINVAL, "\"%.*s\" is not an event%s", perfctr_shown(near.length),
				near.word,
				perfctr_nearest_text(&near, "; \"perfex -L\" lists tracepoints",
						     text, sizeof(text)));
		}
		if (errno == EACCES || errno == EPERM)
			goto forbidden;
	}
	return perfctr_fail(ENOENT,
			    "\"%.*s\" is not an event, and tracepoints can't be looked up; "
			    "mount -t tracefs tracefs %s makes them known",
			    perfctr_shown(near.length), near.word, tracing[0]);
forbidden:
	/* mode=755 alone would open the directories; the files in them are root's, with mode 0440.
	 */
	return perfctr_fail(EACCES,
			    "\"%.*s\" can't be looked up: only root can read tracefs; run as "
			    "root, or open it to a group: mount -o remount,mode=750,gid=GROUP %s",
			    perfctr_shown(near.length), near.word, tracing[i]);
}
