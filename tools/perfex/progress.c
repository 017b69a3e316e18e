// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "tools/perfex/base/door.h"
#include "tools/perfex/progress.h"

#define MOST_LINES 20 /* of a series */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double start;
static unsigned int shown; /* lines */

/*
 * The command may have left its last line without an end. Blanks for a whole line go on in the next
 * one then, and else end where they are; what it has written stays in either case.
 */
static void begin_line(void)
{
	fprintf(stderr, "%*s\r", door_columns(stderr) - 1, "");
}

/* The hour at which the rest will be done, if runs go on as they did. */
static void print_line(unsigned int i, unsigned int n, double left)
{
	time_t end = time(NULL) + (time_t)(left + 0.5);
	char text[32];
	struct tm tm;

	localtime_r(&end, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	begin_line();
	fprintf(stderr, "perfex: run %u of %u, %.0f s left, until %s\n", i + 1, n, left, text);
}

void progress_show(unsigned int i, unsigned int n)
{
	double passed;

	if (n < 2 || !isatty(STDERR_FILENO))
		return;
	if (i == 0) {
		start = now();
		shown = 0;
		return;
	}
	passed = now() - start;
	/* What is over at once needs no company, and what takes long not one for each run. */
	if (passed / i * n < 2 || (double)shown * n > (double)(i - 1) * MOST_LINES)
		return;
	shown++;
	print_line(i, n, passed / i * (n - i));
}
