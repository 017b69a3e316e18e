/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* die.h - error messages, and perfex's end after a fatal one. */
#ifndef PERFCTR_TOOLS_DIE_H
#define PERFCTR_TOOLS_DIE_H

/* Exit status of perfex's own failures, as of env(1) and timeout(1); the command has its own. */
#define EXIT_DIFFERS	    123 /* --compare, --diff */
#define EXIT_NOT_EXACT	    124 /* --strict */
#define EXIT_PERFEX	    125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND	    127

/*
 * Print "perfex: ..." on standard error, as a line in which nothing is a command to the terminal;
 * a narrow terminal gets several lines, broken between words. All that perfex has to say there
 * comes by these.
 */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Does as say() does, and exits with EXIT_PERFEX. */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * end_by() ends perfex by a signal and without a core file, once it has removed its own files as
 * exit(3) would: by all that was registered by atexit(3) since end_prepare().
 */
void end_prepare(void);
void end_by(int signal) __attribute__((noreturn));

/* Returns the result of malloc() and its kind; exits if it is NULL. */
void *need(void *memory);

#endif /* PERFCTR_TOOLS_DIE_H */
