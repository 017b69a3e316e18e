// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libperfctr.h>
#include <linux/openat2.h>
#include <perfctr/regions.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/stream.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/pmu.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/count/child.h"
#include "tools/perfex/regions/collectors.h"
#include "tools/perfex/regions/places.h"
#include "tools/perfex/regions/regions.h"

/* Sets a variable; NULL: removes it. */
static void set(const char *variable, const char *value)
{
	if ((value ? setenv(variable, value, 1) : unsetenv(variable)) < 0)
		need(NULL);
}

/* ---- errors are reported before the command runs, since it would run without results ---- */

static bool try_events(const char *names, const char *metrics)
{
	if (perfctr_regions_start_metrics(names, metrics, PERFCTR_REGIONS_USER_FALLBACK) < 0)
		return false;
	perfctr_regions_stop();
	return true;
}

/* Returns why this machine does not count an item, to be freed; NULL: it does. Exits if it names no
 * event. */
static char *why_not(const char *item)
{
	struct perfctr_set *set = perfctr_set_open(item, NULL,
						   PERFCTR_PARTIAL | PERFCTR_USER_FALLBACK);
	struct perfctr_list_event event;
	char *reason = NULL;
	unsigned int i;

	if (!set)
		die("%s", perfctr_error());
	for (i = 0; i < perfctr_set_size(set) && !reason; i++)
		if (perfctr_set_event(set, i, &event) == 0 && event.reason)
			reason = need(strdup(event.reason));
	perfctr_set_close(set);
	return reason;
}

/* Returns why this machine does not count a metric, as why_not() does. */
static char *why_no_metric(const char *name)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(name, NULL);

	if (!metrics)
		die("%s", perfctr_error());
	perfctr_metrics_close(metrics);
	return try_events(NULL, name) ? NULL : need(strdup(perfctr_error()));
}

/* What can't be counted: names that have one reason; and all of them, for the reports. */
struct left_out {
	char *names, *reason;
	bool no_pmu;
	FILE *all;
};

/* Writes a word of the list for the reports, in which lines and tabs separate words. */
static void put_word(FILE *file, const char *word, char end)
{
	for (; *word; word++)
		fputc(*word == '\n' || *word == '\t' ? ' ' : *word, file);
	fputc(end, file);
}

static void tell_left_out(struct left_out *left)
{
	if (!left->reason)
		return;
	say("%s %s not counted: %s", left->names, strchr(left->names, ' ') ? "are" : "is",
	    left->reason);
	left->no_pmu |= pmu_is_missing(left->reason);
	free(left->names);
	free(left->reason);
	left->names = left->reason = NULL;
}

/* Takes the reason, and tells what came before if that had another one. */
static void add_left_out(struct left_out *left, const char *item, char *reason)
{
	char *names;

	if (left->reason && strcmp(left->reason, reason) != 0)
		tell_left_out(left);
	put_word(left->all, item, '\t');
	put_word(left->all, reason, '\n');
	if (asprintf(&names, "%s%s%s", left->names ? left->names : "", left->names ? ", " : "",
		     item) < 0)
		need(NULL);
	free(left->names);
	free(left->reason);
	left->names = names;
	left->reason = reason;
}

/* Returns a list without the items that can't be counted; NULL: none is left. */
static char *leave_out(const char *list, char *(*why)(const char *item), struct left_out *left)
{
	char *kept = need(calloc(1, strlen(list) + 1)), *item, *reason;
	size_t n, used = 0;

	for (;; list += n + 1) {
		n = text_item(list);
		item = need(strndup(list, n));
		reason = why(item);
		if (reason)
			add_left_out(left, item, reason);
		else
			used += (size_t)sprintf(kept + used, "%s%s", used ? "," : "", item);
		free(item);
		if (!list[n])
			break;
	}
	if (used)
		return kept;
	free(kept);
	return NULL;
}

/* Leaves out what this machine does not count, and says why, as counting does; so do the reports.
 */
static void take_countable(struct events *events)
{
	struct left_out left = { .names = NULL };
	char *names = NULL, *metrics = NULL, *all = NULL;
	size_t size;

	set("PERFCTR_REGIONS_NOT_COUNTED", NULL);
	if (try_events(events->names, events->metric_names))
		return;
	left.all = need(open_memstream(&all, &size));
	if (events->names)
		names = leave_out(events->names, why_not, &left);
	if (events->metric_names)
		metrics = leave_out(events->metric_names, why_no_metric, &left);
	tell_left_out(&left);
	fclose(left.all);
	set("PERFCTR_REGIONS_NOT_COUNTED", need(all));
	free(all);
	if (left.no_pmu)
		say("without a PMU, regions have their times%s; perfex --emulate counts whole "
		    "commands only",
		    names || metrics ? " and these events" : "");
	free(events->names);
	free(events->metric_names);
	events->names = names;
	events->metric_names = metrics;
	if (!try_events(names, metrics))
		die("%s", perfctr_error());
}

static void check_stream(const char *name, int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return;
	die("-o: %s can't be written: %s", name, strerror(EBADF));
}

static void check_place(const char *pattern)
{
	char *file = output_name(pattern, getpid()), *slash = strrchr(file, '/');
	const char *last = strrchr(pattern, '/'), *number = strstr(pattern, "%p");
	struct stat status;
	bool there = stat(file, &status) == 0;

	if (there && S_ISDIR(status.st_mode))
		die("-o: %s is a directory", file);
	if (there && !S_ISREG(status.st_mode) && access(file, W_OK) < 0)
		die("-o: %s can't be written: %s", file, strerror(errno));
	if (slash)
		*slash = '\0';
	slash = slash == file ? (char *)"/" : slash ? file : (char *)".";
	/* Processes may have directories of their own (%p); otherwise all have this one. */
	if (!(there && !S_ISREG(status.st_mode)) && !(last && number && number < last) &&
	    access(slash, W_OK | X_OK) < 0)
		die("-o: %s can't be written in %s: %s", pattern, slash, strerror(errno));
	free(file);
}

/* Processes would find the same wrong, and go on without being measured. */
static void check_file(const char *pattern)
{
	int fd = perfctr_stream_named(pattern);

	if (fd >= 0)
		check_stream(pattern, fd);
	else
		check_place(pattern);
}

/* ---- files of processes that could not report ---- */

/* Reports that perfex reads have names in it that begin so, and end in a process's id. */
#define REPORT ".report."

/* The directory for these files, while perfex runs; and an inotify descriptor for it. */
static char *directory;
static int notices = -1;

/* The process that made it: another one, which answers in its place, keeps it. */
static pid_t owner;

/* Opens a directory that no other file system is mounted on. It may be closed to its owner. */
static int open_directory(int above, const char *name)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS };
	int place = (int)syscall(SYS_openat2, above, name, &how, sizeof(how)), fd;
	char path[64];

	if (place < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	chmod(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(place);
	return fd;
}

/* Removes a directory's entries. The command may have made anything, but few directories in it. */
static void remove_entries(int fd, unsigned int depth)
{
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    unlinkat(fd, entry->d_name, 0) == 0)
			continue;
		if (depth)
			remove_entries(open_directory(fd, entry->d_name), depth - 1);
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
	}
	if (entries)
		closedir(entries);
	else if (fd >= 0)
		close(fd);
}

static void remove_directory(void)
{
	if (!directory || getpid() != owner)
		return;
	remove_entries(open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 16);
	rmdir(directory);
	free(directory);
	directory = NULL;
}

/* Whether a file is a process': its name is the process' id and a mark. */
static bool is_of_process(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && name[digits] == '-';
}

/*
 * Makes a directory for this user alone, in memory if possible. Without one, such processes have no
 * report.
 */
static void make_directory(unsigned int collectors)
{
	static const char *const places[] = { "/dev/shm", "/tmp" };
	unsigned int i;

	owner = getpid();
	for (i = 0; i < 2 && !directory; i++) {
		if (asprintf(&directory, "%s/perfex-XXXXXX", places[i]) < 0)
			need(NULL);
		if (mkdtemp(directory))
			continue;
		free(directory);
		directory = NULL;
	}
	/* The socket is no process' file. */
	if (directory && collectors)
		places_begin(directory);
	notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (notices >= 0 &&
	    (!directory || inotify_add_watch(notices, directory, IN_CREATE | IN_MOVED_FROM) < 0)) {
		close(notices);
		notices = -1;
	}
	atexit(remove_directory);
}

/* Numbers of processes that the directory has seen. */
struct seen {
	unsigned int measured, without; /* processes; of them, those that have reached no region */
	bool known;			/* the numbers are complete */
};

static void see_notice(struct seen *seen, const struct inotify_event *notice)
{
	if (notice->len && !strncmp(notice->name, REPORT, sizeof(REPORT) - 1))
		return;
	seen->measured += (notice->mask & IN_CREATE) && is_of_process(notice->name);
	seen->without += (notice->mask & IN_MOVED_FROM) != 0;
	seen->known &= !(notice->mask & IN_Q_OVERFLOW);
}

/*
 * Counts processes: each that is measured has a file while it runs, and renames it if it reached no
 * region. Their names are watched, not the one that all get: of two equal notices in succession the
 * kernel drops one, though these have cookies of their own.
 */
static struct seen see_processes(void)
{
	struct seen seen = { .known = notices >= 0 };
	char notice[4096] __attribute__((aligned(8)));
	ssize_t n, at;

	while (notices >= 0 && (n = read(notices, notice, sizeof(notice))) > 0)
		for (at = 0; at < n;) {
			const struct inotify_event *one = (const void *)(notice + at);

			see_notice(&seen, one);
			at += (ssize_t)(sizeof(*one) + one->len);
		}
	if (notices >= 0)
		close(notices);
	return seen;
}

/* False: no process was measured, though this was asked for. */
static bool tell_seen(const struct seen *seen, unsigned int collectors)
{
	if (seen->known && !seen->measured) {
		say("no process of the command was measured: build the program with regions "
		    "(perfctr_region_begin(3))%s, and let it have perfex's user and environment",
		    collectors_need(collectors));
		return false;
	}
	if (seen->known && seen->without == seen->measured)
		say("no region was reached, and so there is no report%s%s",
		    collectors ? "; a program has regions if it is built with them "
				 "(perfctr_region_begin(3))"
			       : "",
		    collectors_need(collectors));
	return true;
}

/*
 * Reports one file. A program without regions has no report, as one that ends by _exit(2), and a
 * living process makes its own. A report that can't be written to the file goes to the standard
 * error; then this returns false.
 */
static bool recover(const char *name, const char *file, enum format format, unsigned int *without)
{
	char *left = NULL;
	int result;
	bool lost;

	if (asprintf(&left, "%s/%s", directory, name) < 0)
		need(NULL);
	result = perfctr_regions_recover(left, file, (unsigned int)format);
	if (result == 0)
		say("process %d ended without its report of regions; what it "
		    "had measured by then is reported",
		    atoi(name));
	*without += result < 0 && errno == ENOENT;
	lost = result < 0 && errno != ENOENT && errno != EALREADY && errno != EBUSY;
	if (lost) {
		say("process %d has no report of regions: %s", atoi(name), perfctr_error());
		if (file)
			perfctr_regions_recover(left, NULL, (unsigned int)format);
	}
	free(left);
	return !lost;
}

/* False: not all reports were written to their files. */
static bool recover_all(const char *file, enum format format, unsigned int *without)
{
	bool all = true;
	DIR *dir = directory ? opendir(directory) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_of_process(entry->d_name))
			all &= recover(entry->d_name, file, format, without);
	if (dir)
		closedir(dir);
	return all;
}

/* ---- reports that perfex itself reads ---- */

/* Returns the name of each process's report in the directory; the caller frees it. */
static char *report_pattern(void)
{
	char *pattern;

	if (!directory)
		die("--html: reports of regions are collected in /dev/shm or /tmp, and neither can be "
		    "written: %s",
		    strerror(errno));
	if (asprintf(&pattern, "%s/" REPORT "%%p", directory) < 0)
		need(NULL);
	return pattern;
}

static int is_report(const struct dirent *entry)
{
	return !strncmp(entry->d_name, REPORT, sizeof(REPORT) - 1);
}

/* Orders them by process; of one that was several programs, by file. */
static int compare_reports(const struct dirent **one, const struct dirent **two)
{
	int a = atoi((*one)->d_name + sizeof(REPORT) - 1),
	    b = atoi((*two)->d_name + sizeof(REPORT) - 1);

	return a == b ? strcmp((*one)->d_name, (*two)->d_name) : (a > b) - (a < b);
}

/* The command may have made something else of that name, as a pipe, whose open would wait. */
static FILE *open_report(const char *name)
{
	struct stat status;
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", directory, name) < 0)
		need(NULL);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	free(path);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return need(fdopen(fd, "r"));
	say("process %s has no report of regions: the command has made something else in its place",
	    name + sizeof(REPORT) - 1);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void copy_report(FILE *to, const char *name)
{
	FILE *from = open_report(name);
	char bytes[4096];
	size_t n;

	while (from && (n = fread(bytes, 1, sizeof(bytes), from)) > 0)
		fwrite(bytes, 1, n, to);
	if (from)
		fclose(from);
}

static void copy_reports(FILE *to)
{
	struct dirent **reports;
	int i, n = directory ? scandir(directory, &reports, is_report, compare_reports) : -1;

	for (i = 0; i < n; i++) {
		copy_report(to, reports[i]->d_name);
		free(reports[i]);
	}
	if (n >= 0)
		free(reports);
}

/* All reports, which the caller frees. */
static char *read_reports(size_t *size)
{
	char *text = NULL;
	FILE *to = need(open_memstream(&text, size));

	copy_reports(to);
	fclose(to);
	return need(text);
}

/* A descriptor's file may be one that its user may not open. */
static int open_special(const char *file)
{
	int fd = perfctr_stream_named(file);

	return fd < 0 ? outfile_open(file, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY, 0)
		      : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/* Writes reports, which are freed, to a pipe or a device. A signal may end the wait for its reader.
 */
static bool write_special(const char *file, char *text, size_t size)
{
	int fd = size ? open_special(file) : -1;
	FILE *to = fd < 0 ? NULL : fdopen(fd, "a");
	bool good = !size || (to && fwrite(text, 1, size, to) == size && fflush(to) == 0);

	if (!good) {
		say("-o: %s can't be written: %s", file, strerror(errno));
		fwrite(text, 1, size, stderr);
	}
	if (to)
		fclose(to);
	free(text);
	return good;
}

/* ---- running ---- */

static void wait_for(const struct child *child, struct run_end *end)
{
	int signal;

	while (waitpid(child->pid, &end->status, WNOHANG) == 0) {
		signal = sigwaitinfo(&child->waited, NULL);
		if (signal == SIGTERM || signal == SIGHUP)
			kill(child->pid, signal);
	}
}

static bool is_special(const char *file)
{
	struct stat status;

	return file && stat(file, &status) == 0 && !S_ISREG(status.st_mode);
}

struct run_end regions_run(char **command, struct events *events, const char *words,
			   const char *file, enum format format, FILE *json)
{
	static const char *const formats[] = {
		[FORMAT_TABLE] = "table",
		[FORMAT_CSV] = "csv",
		[FORMAT_JSON] = "json",
	};
	struct run_end end = { .ran = true };
	struct child child;
	unsigned int collectors, without = 0;
	struct seen seen;
	char *own_file = NULL, *text = NULL;
	const char *special = NULL;
	size_t size;
	char *keep = collectors_read(words, &collectors);

	collectors_check(collectors, *command);
	take_countable(events);
	if (file && !strcmp(file, "-"))
		file = "/dev/stdout";
	if (file)
		check_file(file);
	make_directory(collectors);
	if (json)
		file = own_file = report_pattern();
	set("PERFCTR_REGIONS", events->names ? events->names : "");
	set("PERFCTR_REGIONS_METRICS", events->metric_names);
	set("PERFCTR_REGIONS_KEEP", keep);
	set("PERFCTR_REGIONS_OUTPUT", file);
	set("PERFCTR_REGIONS_FORMAT", formats[format]);
	set("PERFCTR_REGIONS_LEFT", directory);
	collectors_set(collectors);
	child_start(&child, command, NULL);
	child_release(&child, *command);
	wait_for(&child, &end);
	/* What waits for a pipe's reader is written when nothing else is left to be done. */
	if (directory && is_special(file)) {
		special = file;
		file = own_file = report_pattern();
	}
	end.lost = !recover_all(file, format, &without);
	seen = see_processes();
	seen.without += without;
	end.lost |= !tell_seen(&seen, collectors);
	if (json)
		copy_reports(json);
	if (special)
		text = read_reports(&size);
	places_end();
	remove_directory();
	child_end();
	if (special)
		end.lost |= !write_special(special, text, size);
	free(own_file);
	free(keep);
	return end;
}
