// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/stream.h"

/* Returns the number that the text is, or -1 if it is not a number or is too large. */
static int number_of(const char *text)
{
	size_t length = strlen(text);

	if (!length || length > 9 || strspn(text, "0123456789") != length)
		return -1;
	return (int)strtol(text, NULL, 10);
}

/* By the name alone, which works without /proc. */
static int by_name(const char *name)
{
	static const char *const directories[] = { "/dev/fd/", "/proc/self/fd/" };
	size_t i, length;
	int fd = -1;

	if (!strcmp(name, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(name, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < 2 && fd < 0; i++) {
		length = strlen(directories[i]);
		if (!strncmp(name, directories[i], length))
			fd = number_of(name + length);
	}
	return fd;
}

static bool is_same(const char *directory, const char *real)
{
	char *other = realpath(directory, NULL);
	bool same = other && !strcmp(other, real);

	free(other);
	return same;
}

/*
 * Splits the path into its directory, without any symbolic link, and the rest. NULL: there is no
 * such directory, or no memory.
 */
static char *split(char *path, const char **rest)
{
	char *slash = strrchr(path, '/'), *directory;

	*rest = slash ? slash + 1 : path;
	if (!slash)
		return realpath(".", NULL);
	if (slash == path)
		return realpath("/", NULL);
	*slash = '\0';
	directory = realpath(path, NULL);
	*slash = '/';
	return directory;
}

/* Replaces a path that is a symbolic link by the target of the link. False if it is not a link. */
static bool follow(char *path, const char *directory)
{
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	int n;

	if (length <= 0)
		return false;
	target[length] = '\0';
	n = *target == '/' ? snprintf(path, PATH_MAX, "%s", target)
			   : snprintf(path, PATH_MAX, "%s/%s", directory, target);
	return n < PATH_MAX;
}

static int by_links(char *path)
{
	unsigned int links;
	bool more = true;
	int fd = -1;

	for (links = 0; more && fd < 0 && links < 40; links++) {
		const char *rest;
		char *directory = split(path, &rest);

		more = false;
		if (directory && (is_same("/proc/self/fd", directory) ||
				  is_same("/proc/thread-self/fd", directory)))
			fd = number_of(rest);
		else if (directory)
			more = follow(path, directory);
		free(directory);
	}
	return fd;
}

int perfctr_stream_named(const char *name)
{
	char path[PATH_MAX];
	int fd = by_name(name), error = errno;

	if (fd < 0 && snprintf(path, sizeof(path), "%s", name) < PATH_MAX)
		fd = by_links(path);
	errno = error;
	return fd;
}
