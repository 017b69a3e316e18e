// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <libperfctr.h>
#include <perfctr/regions.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "child.h"
#include "die.h"
#include "regions.h"

/* NULL: without it. */
static void set(const char *variable, const char *value)
{
	if ((value ? setenv(variable, value, 1) : unsetenv(variable)) < 0)
		need(NULL);
}

/* The command would go on without counts; so a wrong event is told before it runs. */
static void try_events(const struct events *events)
{
	if (perfctr_regions_start_metrics(events->names, events->metric_names, 0) < 0)
		die("%s", perfctr_error());
	perfctr_regions_stop();
}

/* ---- what is left of processes that did not come to report ---- */

/* Where they leave it, as long as perfex runs. */
static char *folder;

static void remove_folder(void)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (folder)
		rmdir(folder);
	free(folder);
	folder = NULL;
}

/* Only this user's, and in memory if there is such a place. If there is none, nothing is left. */
static void make_folder(void)
{
	static const char *const places[] = { "/dev/shm", "/tmp" };
	unsigned int i;

	for (i = 0; i < 2 && !folder; i++) {
		if (asprintf(&folder, "%s/perfex-XXXXXX", places[i]) < 0)
			need(NULL);
		if (mkdtemp(folder))
			continue;
		free(folder);
		folder = NULL;
	}
	atexit(remove_folder);
}

/* A program without regions has nothing to report, and whoever lives does it himself. */
static void recover(const char *name, const char *file, enum format format)
{
	char *left = NULL;

	if (asprintf(&left, "%s/%s", folder, name) < 0)
		need(NULL);
	if (perfctr_regions_recover(left, file, (unsigned int)format) == 0)
		fprintf(stderr,
			"perfex: process %d ended without its report of regions; what it "
			"had measured by then is reported\n",
			atoi(name));
	else if (errno != ENOENT && errno != EBUSY)
		fprintf(stderr, "perfex: process %d ended without its report of regions: %s\n",
			atoi(name), perfctr_error());
	free(left);
}

static void recover_all(const char *file, enum format format)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			recover(entry->d_name, file, format);
	if (dir)
		closedir(dir);
}

/* ---- running ---- */

static void wait_for(const struct child *child, struct outcome *outcome)
{
	int signal;

	while (waitpid(child->pid, &outcome->status, WNOHANG) == 0) {
		signal = sigwaitinfo(&child->waited, NULL);
		if (signal == SIGTERM || signal == SIGHUP)
			kill(child->pid, signal);
	}
}

struct outcome regions_run(char **command, const struct events *events, const char *keep,
			   const char *file, enum format format)
{
	static const char *const formats[] = {
		[FORMAT_TABLE] = "table",
		[FORMAT_CSV] = "csv",
		[FORMAT_JSON] = "json",
	};
	struct outcome outcome = { .ran = true };
	struct child child;

	try_events(events);
	if (file && !strcmp(file, "-"))
		file = "/dev/stdout";
	make_folder();
	set("PERFCTR_REGIONS", events->names ? events->names : "");
	set("PERFCTR_REGIONS_METRICS", events->metric_names);
	set("PERFCTR_REGIONS_KEEP", keep);
	set("PERFCTR_REGIONS_OUTPUT", file);
	set("PERFCTR_REGIONS_FORMAT", formats[format]);
	set("PERFCTR_REGIONS_LEFT", folder);
	child_start(&child, command, NULL);
	child_release(&child, *command);
	wait_for(&child, &outcome);
	recover_all(file, format);
	remove_folder();
	child_end(&child);
	return outcome;
}
