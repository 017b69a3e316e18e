// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <libperfctr.h>
#include <perfctr/regions.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---- the command would go on without results: what is wrong is told before it runs ---- */

static void try_events(const struct events *events)
{
	if (perfctr_regions_start_metrics(events->names, events->metric_names,
					  PERFCTR_REGIONS_USER_FALLBACK) < 0)
		die("%s", perfctr_error());
	perfctr_regions_stop();
}

static void check_keep(const char *words)
{
	static const char *const known[] = { "moments", "histogram", "threads" };
	size_t length, i;

	for (; words && *words; words += length + (words[length] == ',')) {
		length = strcspn(words, ",");
		for (i = 0; i < 3; i++)
			if (strlen(known[i]) == length && !strncmp(words, known[i], length))
				break;
		if (i == 3)
			die("--regions=: \"%.*s\" is none of %s, %s, %s",
			    length > 100 ? 100 : (int)length, words, known[0], known[1], known[2]);
	}
}

/* As far as it is known before the processes that write have their numbers and variables. */
static void check_file(const char *file)
{
	char *path = need(strdup(file)), *slash = strrchr(path, '/');
	const char *where = slash == path ? "/" : slash ? path : ".";
	struct stat status;
	bool there = stat(file, &status) == 0;

	if (slash)
		*slash = '\0';
	if (there && S_ISDIR(status.st_mode))
		die("-o: %s is a folder", file);
	if (!(there && !S_ISREG(status.st_mode)) && !strchr(where, '%') &&
	    access(where, W_OK | X_OK) < 0)
		die("-o: %s can't be written in %s: %s", file, where, strerror(errno));
	free(path);
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

/*
 * A program without regions has nothing to report, and whoever lives does it himself. What can't be
 * written to the file goes to the standard error, which is false.
 */
static bool recover(const char *name, const char *file, enum format format)
{
	char *left = NULL;
	int result;
	bool lost;

	if (asprintf(&left, "%s/%s", folder, name) < 0)
		need(NULL);
	result = perfctr_regions_recover(left, file, (unsigned int)format);
	if (result == 0)
		fprintf(stderr,
			"perfex: process %d ended without its report of regions; what it "
			"had measured by then is reported\n",
			atoi(name));
	lost = result < 0 && errno != ENOENT && errno != EBUSY;
	if (lost) {
		fprintf(stderr, "perfex: process %d has no report of regions: %s\n", atoi(name),
			perfctr_error());
		if (file)
			perfctr_regions_recover(left, NULL, (unsigned int)format);
	}
	free(left);
	return !lost;
}

/* False: not all where they should be. */
static bool recover_all(const char *file, enum format format)
{
	bool all = true;
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			all &= recover(entry->d_name, file, format);
	if (dir)
		closedir(dir);
	return all;
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

	check_keep(keep);
	try_events(events);
	if (file && !strcmp(file, "-"))
		file = "/dev/stdout";
	if (file)
		check_file(file);
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
	outcome.lost = !recover_all(file, format);
	remove_folder();
	child_end(&child);
	return outcome;
}
