/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* text.h - text in memory, the file that it is written to, and patterns in the file's name */
#ifndef PERFCTR_LIB_BASE_TEXT_H
#define PERFCTR_LIB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct perfctr_text {
	char *bytes; /* NULL, size and room 0 at first; the caller frees it */
	size_t size, room;
	bool failed; /* no memory */
};

void perfctr_text_add(struct perfctr_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Makes the file's name: replaces %p (pid), %h, %q{NAME}, %%. 0, or -1 after perfctr_fail(EINVAL,
 * ENOMEM), with a text that the caller still frees.
 */
int perfctr_text_name(struct perfctr_text *name, const char *pattern, pid_t pid);

/*
 * Write it as a whole or not at all; NULL: to the standard error. 0, or -1 after perfctr_fail(),
 * and no signal: the program may not know of it.
 */
int perfctr_text_write(const struct perfctr_text *text, const char *file);

#endif /* PERFCTR_LIB_BASE_TEXT_H */
