// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/letters.h"
#include "lib/base/word.h"
#include "libperfctr.h"

/* ---- trouble ---- */

static PERFCTR_THREAD unsigned int troubles;
static PERFCTR_THREAD int trouble; /* the last one */

/* errno says why a file was not read. Is it more than that it is not there, or not for us? */
void perfctr_file_note(void)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
	case EISDIR:
	case ELOOP:
	case ENAMETOOLONG:
	case EACCES:
	case EPERM:
	case EFBIG:
	case EINVAL:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP: return;
	}
	troubles++;
	trouble = errno;
}

unsigned int perfctr_file_troubles(void)
{
	return troubles;
}

int perfctr_file_check(unsigned int since, const char *what)
{
	if (troubles == since)
		return 0;
	if (trouble == EMFILE || trouble == ENFILE)
		return perfctr_fail(trouble,
				    "%s can't be looked up: no file descriptors are left in this "
				    "%s; raise the limit (%s)",
				    what, trouble == EMFILE ? "process" : "system",
				    trouble == EMFILE ? "ulimit -n" : "sysctl fs.file-max");
	return perfctr_fail(trouble,
			    "%s can't be looked up: a file of the kernel's can't be read (%s); "
			    "try again",
			    what, strerror(trouble));
}

/* ---- files ---- */

/* Returns the path under PERFCTR_ROOT; set-user-ID programs ignore that variable. */
static const char *rooted(const char *path, char *buffer, size_t size)
{
	const char *root = secure_getenv("PERFCTR_ROOT");
	int n;

	if (!root)
		return path;
	n = snprintf(buffer, size, "%s%s", root, path);
	if (n < 0 || (size_t)n >= size) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return buffer;
}

/* Reads a file; one of a line ends with it. */
static ssize_t read_file(const char *path, char *buffer, size_t size, bool line)
{
	char name[PATH_MAX];
	size_t length = 0;
	ssize_t n;
	int fd, error = 0;

	path = rooted(path, name, sizeof(name));
	if (!path)
		return -1;
	fd = perfctr_call_open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	for (;;) {
		n = perfctr_call_read(fd, buffer + length, size - length);
		if (n > 0)
			length += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
		if (line && length && buffer[length - 1] == '\n')
			break;
		if (length == size) {
			errno = EFBIG;
			n = -1;
			break;
		}
	}
	if (n < 0)
		error = errno;
	perfctr_call_close(fd);
	if (error) {
		errno = error;
		return -1;
	}
	while (length > 0 && isspace((unsigned char)buffer[length - 1]))
		length--;
	buffer[length] = '\0';
	return (ssize_t)length;
}

static ssize_t read_or_note(const char *path, char *buffer, size_t size, bool line)
{
	ssize_t length = read_file(path, buffer, size, line);

	if (length < 0)
		perfctr_file_note();
	return length;
}

ssize_t perfctr_file_read(const char *path, char *buffer, size_t size)
{
	return read_or_note(path, buffer, size, false);
}

ssize_t perfctr_file_line(const char *path, char *buffer, size_t size)
{
	return read_or_note(path, buffer, size, true);
}

int perfctr_file_number(const char *path, long *number)
{
	char text[32], *end;
	int error = errno;
	long value;

	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return -1;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end != '\0') {
		errno = EINVAL;
		return -1;
	}
	errno = error;
	*number = value;
	return 0;
}

DIR *perfctr_file_dir(const char *path)
{
	char name[PATH_MAX];
	DIR *dir;

	path = rooted(path, name, sizeof(name));
	dir = path ? perfctr_call_opendir(path) : NULL;
	if (!dir)
		perfctr_file_note();
	return dir;
}

bool perfctr_file_is_word(const char *text, size_t length)
{
	size_t i;

	if (length == 0 || length >= PERFCTR_NAME_SIZE || text[0] == '.')
		return false;
	for (i = 0; i < length; i++)
		if (!perfctr_is_letter_or_digit(text[i]) && !strchr("_-.", text[i]))
			return false;
	return true;
}

int perfctr_file_walk(const char *path, int (*each)(void *arg, const char *entry), void *arg)
{
	DIR *dir = perfctr_file_dir(path);
	int result = 0, error = errno;
	struct dirent *entry;

	if (!dir)
		return 0;
	while (result == 0 && (errno = 0, entry = readdir(dir)))
		if (perfctr_file_is_word(entry->d_name, strlen(entry->d_name)))
			result = each(arg, entry->d_name);
	if (result == 0 && errno)
		perfctr_file_note();
	if (result >= 0)
		errno = error;
	perfctr_call_closedir(dir);
	return result;
}
