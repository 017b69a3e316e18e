// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/outfile.h"

/* ---- replaced at once ---- */

/* Returns a descriptor's path, which the caller frees; NULL: it has none. */
static char *path_of(int fd)
{
	char link[32], *path = need(calloc(1, PATH_MAX + 1));

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, PATH_MAX) > 0)
		return path;
	free(path);
	return NULL;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Whether a descriptor's file has this name: "pipe:[1234]" and "/tmp/x (deleted)" are none. */
static bool is_named(int fd, const char *path)
{
	struct stat opened, named;

	return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && is_same(&opened, &named);
}

/*
 * Returns the file that a link leads to, which is replaced in place of the link; the caller frees
 * it. NULL: there is none. The kernel follows the links, so that those that others left in /tmp
 * lead nowhere (fs.protected_symlinks).
 */
static char *target_of(const char *path)
{
	struct stat stat;
	char *target;
	int fd, error;

	if (lstat(path, &stat) < 0 || !S_ISLNK(stat.st_mode))
		return need(strdup(path));
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? need(strdup(path)) : NULL;
	target = path_of(fd);
	error = errno;
	if (target && !is_named(fd, target)) {
		free(target);
		target = NULL;
		error = EINVAL;
	}
	close(fd);
	errno = error;
	return target;
}

/*
 * Gets the owner and mode of the present file, or those for a new one. False: it is no regular
 * file.
 */
static bool look_at(const char *path, struct stat *stat, bool private)
{
	mode_t mask;

	if (lstat(path, stat) == 0) {
		stat->st_mode &= private ? S_IFMT | 0600 : ~0u;
		return S_ISREG(stat->st_mode);
	}
	mask = umask(0);
	umask(mask);
	*stat = (struct stat){ .st_mode = (private ? 0600 : 0666) & ~mask,
			       .st_uid = (uid_t)-1,
			       .st_gid = (gid_t)-1 };
	return true;
}

/*
 * Sets owner and mode, as far as this user may. Rights of the old group are not given to another
 * one.
 */
static int make_like(int fd, const struct stat *old)
{
	bool same_group = fchown(fd, old->st_uid, old->st_gid) == 0 ||
			  fchown(fd, (uid_t)-1, old->st_gid) == 0;

	return fchmod(fd, old->st_mode & (same_group ? 0777 : 0707));
}

/* The file that is being written. */
static char *unfinished;

/* perfex may end before it is whole. */
static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

static void note_unfinished(const char *name)
{
	static bool registered;

	if (!registered)
		atexit(remove_unfinished);
	registered = true;
	free(unfinished);
	unfinished = name ? need(strdup(name)) : NULL;
}

static int open_beside(struct replacement *replacement, const struct stat *old)
{
	int fd, error;

	/*
	 * The new file is in the same directory, as rename() needs it. Its name has another ending,
	 * so that a collector of such files does not take it.
	 */
	replacement->name = need(malloc(strlen(replacement->path) + 8));
	sprintf(replacement->name, "%s.XXXXXX", replacement->path);
	fd = mkstemp(replacement->name);
	if (fd < 0)
		return -1;
	replacement->file = make_like(fd, old) == 0 ? fdopen(fd, "w") : NULL;
	if (replacement->file) {
		note_unfinished(replacement->name);
		return 0;
	}
	error = errno;
	close(fd);
	unlink(replacement->name);
	errno = error;
	return -1;
}

static void forget(struct replacement *replacement)
{
	int error = errno;

	note_unfinished(NULL);
	free(replacement->path);
	free(replacement->name);
	*replacement = (struct replacement){ .file = NULL };
	errno = error;
}

int replace_begin(struct replacement *replacement, const char *path, bool private)
{
	struct stat old;
	bool usable;

	*replacement = (struct replacement){ .path = target_of(path) };
	if (!replacement->path)
		return -1;
	usable = look_at(replacement->path, &old, private);
	if (usable && open_beside(replacement, &old) == 0)
		return 0;
	if (!usable)
		errno = EINVAL;
	forget(replacement);
	return -1;
}

int replace_end(struct replacement *replacement)
{
	bool good = fflush(replacement->file) == 0 && !ferror(replacement->file);
	int error = errno;

	if (fclose(replacement->file) != 0 && good) {
		good = false;
		error = errno;
	}
	if (good && rename(replacement->name, replacement->path) < 0) {
		good = false;
		error = errno;
	}
	if (!good)
		unlink(replacement->name);
	forget(replacement);
	errno = error;
	return good ? 0 : -1;
}

void replace_cancel(struct replacement *replacement)
{
	fclose(replacement->file);
	unlink(replacement->name);
	forget(replacement);
}

/* ---- opened while signals are held back ---- */

static const int ending[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

#define NR_ENDING (sizeof(ending) / sizeof(ending[0]))

struct held {
	struct sigaction action[NR_ENDING];
	sigset_t mask;
};

static volatile sig_atomic_t ended_by;

static void note_end(int signal)
{
	ended_by = signal;
}

/* Notes signals that end perfex, those that came meanwhile included. */
static void let_signals(struct held *held)
{
	const struct sigaction noting = { .sa_handler = note_end };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NR_ENDING; i++) {
		sigaction(ending[i], NULL, &held->action[i]);
		if (held->action[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &noting, NULL);
		sigaddset(&set, ending[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, &held->mask);
}

static void hold_signals(const struct held *held)
{
	int error = errno;
	size_t i;

	sigprocmask(SIG_SETMASK, &held->mask, NULL);
	for (i = 0; i < NR_ENDING; i++)
		sigaction(ending[i], &held->action[i], NULL);
	errno = error;
}

/* open(2) fails with ENXIO for sockets, too, but then it always will. */
static bool wants_reader(const char *path)
{
	struct stat status;

	return errno == ENXIO && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

int outfile_open(const char *path, int flags, mode_t mode)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	struct held held;
	int fd;

	let_signals(&held);
	for (;;) {
		fd = open(path, flags | O_NONBLOCK, mode);
		if (fd >= 0 || ended_by || !wants_reader(path))
			break;
		nanosleep(&moment, NULL);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	hold_signals(&held);
	/* A command that waits ends with perfex. */
	if (ended_by)
		end_by(ended_by);
	return fd;
}

/* ---- names ---- */

static bool stat_directory(const char *path, const char *slash, struct stat *status)
{
	char *directory = slash == path ? need(strdup("/"))
			  : slash	? need(strndup(path, (size_t)(slash - path)))
					: need(strdup("."));
	bool there = stat(directory, status) == 0;

	free(directory);
	return there;
}

bool outfile_same(const char *one, const char *other)
{
	const char *slash = strrchr(one, '/'), *slash_too = strrchr(other, '/');
	struct stat status, status_too;

	if (stat(one, &status) == 0 && stat(other, &status_too) == 0)
		return S_ISREG(status.st_mode) && is_same(&status, &status_too);
	return !strcmp(slash ? slash + 1 : one, slash_too ? slash_too + 1 : other) &&
	       stat_directory(one, slash, &status) &&
	       stat_directory(other, slash_too, &status_too) && is_same(&status, &status_too);
}
