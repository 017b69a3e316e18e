/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file.h - small text files of /proc and /sys */
#ifndef PERFCTR_LIB_BASE_FILE_H
#define PERFCTR_LIB_BASE_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Read the text file at the absolute path into buffer, NUL-terminated, without trailing white
 * space. Returns its length, or -1 with errno, without perfctr_error(). EFBIG: it does not fit,
 * and the buffer is full of its beginning, without a NUL.
 * In tests the environment variable PERFCTR_ROOT names a directory that stands in for /.
 */
ssize_t perfctr_file_read(const char *path, char *buffer, size_t size);

/* Does the same for a file of one line, without looking for more after it. */
ssize_t perfctr_file_line(const char *path, char *buffer, size_t size);

/* Read one decimal number. 0, or -1 with errno (EINVAL: not a number). */
int perfctr_file_number(const char *path, long *number);

/* Calls opendir(3) for the absolute path. */
DIR *perfctr_file_dir(const char *path);

#define PERFCTR_NAME_SIZE 128 /* of one word of an event's name, or of a directory's entry */

/* Letters, digits, '_', '-' and '.', the last not in front: such a word is safe in a path. */
bool perfctr_file_is_word(const char *text, size_t length);

/*
 * Call each() with the words that are entries of the directory, until it returns non-zero; return
 * that.
 */
int perfctr_file_walk(const char *path, int (*each)(void *arg, const char *entry), void *arg);

/*
 * A look-up goes through many files, most of which may be absent. These tell whether a file could
 * not be examined since then (no descriptor, no memory, a failed read), so that the result of the
 * look-up means nothing: 0, or -1 after perfctr_fail(), which says that "what" can't be looked up.
 * since is an earlier result of perfctr_file_troubles() in this thread.
 */
unsigned int perfctr_file_troubles(void);
void perfctr_file_note(void); /* errno says of one that it was not read */
int perfctr_file_check(unsigned int since, const char *what);

#endif /* PERFCTR_LIB_BASE_FILE_H */
