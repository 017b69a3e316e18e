// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "progress.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double start;
static bool shown;

/* The hour at which the rest will be done, if runs go on as they did. */
static void print_end(double left)
{
	time_t end = time(NULL) + (time_t)(left + 0.5);
	char text[32];
	struct tm tm;

	localtime_r(&end, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	fprintf(stderr, ", %.0f s left, until %s", left, text);
}

void progress_show(unsigned int i, unsigned int n)
{
	double passed;

	if (n < 2 || !isatty(STDERR_FILENO))
		return;
	if (i == 0)
		start = now();
	passed = now() - start;
	/* What is over at once needs no company. */
	if (i && passed / i * n < 2)
		return;
	shown = true;
	fprintf(stderr, "\r\033[Kperfex: run %u of %u", i + 1, n);
	if (i)
		print_end(passed / i * (n - i));
	fflush(stderr);
}

void progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
