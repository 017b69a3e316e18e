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
#include "lib/base/file.h"
#include "libperfctr.h"

/* The path under PERFCTR_ROOT; set-user-ID programs ignore that variable. */
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

ssize_t perfctr_file_read(const char *path, char *buffer, size_t size)
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

int perfctr_file_number(const char *path, long *number)
{
	char text[32], *end;
	long value;

	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return -1;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end != '\0') {
		errno = EINVAL;
		return -1;
	}
	*number = value;
	return 0;
}

DIR *perfctr_file_dir(const char *path)
{
	char name[PATH_MAX];

	path = rooted(path, name, sizeof(name));
	return path ? perfctr_call_opendir(path) : NULL;
}

bool perfctr_file_is_word(const char *text, size_t length)
{
	size_t i;

	if (length == 0 || length >= PERFCTR_NAME_SIZE || text[0] == '.')
		return false;
	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_-.", text[i]))
			return false;
	return true;
}

int perfctr_file_walk(const char *path, int (*each)(void *arg, const char *entry), void *arg)
{
	DIR *dir = perfctr_file_dir(path);
	struct dirent *entry;
	int result = 0;

	if (!dir)
		return 0;
	while (result == 0 && (entry = readdir(dir)))
		if (perfctr_file_is_word(entry->d_name, strlen(entry->d_name)))
			result = each(arg, entry->d_name);
	perfctr_call_closedir(dir);
	return result;
}
