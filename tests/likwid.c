// SPDX-License-Identifier: LGPL-2.1-or-later
/* LIKWID's marker macros, each of them; for tests/regions.sh, in C and C++. */
#include <stdio.h>
#include <likwid-marker.h>

/* Without LIKWID_PERFMON all of this is empty. */
static void work(const char *tag)
{
	LIKWID_MARKER_START("literal");
	LIKWID_MARKER_START(tag);
	LIKWID_MARKER_STOP(tag);
	LIKWID_MARKER_STOP("literal");
	(void)tag;
}

/* Inlined with two names, and as a macro. */
static inline void inlined(const char *tag)
{
	LIKWID_MARKER_START(tag);
	LIKWID_MARKER_STOP(tag);
	(void)tag;
}
#define MACRO "macro"

/* Each ends while one that was begun in it goes on. */
static void overlap(const char *early, const char *late)
{
	LIKWID_MARKER_START(early);
	LIKWID_MARKER_START("amid");
	LIKWID_MARKER_START(late);
	LIKWID_MARKER_STOP(early);
	LIKWID_MARKER_STOP("amid");
	LIKWID_MARKER_STOP(late);
	(void)early;
	(void)late;
}

int main(void)
{
	int nevents = 3, count = -1, i;
	double events[3] = { -1, -1, -1 }, time = -1;

	LIKWID_MARKER_INIT;
	LIKWID_MARKER_THREADINIT;
	LIKWID_MARKER_REGISTER("literal");
	for (i = 0; i < 5; i++)
		work("variable");
	inlined("one");
	inlined("two");
	LIKWID_MARKER_START(MACRO);
	LIKWID_MARKER_STOP(MACRO);
	for (i = 0; i < 2; i++)
		overlap("early", "late");
	LIKWID_MARKER_SWITCH;
	LIKWID_MARKER_GET("literal", &nevents, events, &time, &count);
	printf("%d %d %d %d\n", nevents, count, time >= 0, events[0] >= 0);
	LIKWID_MARKER_RESET("literal");
	work("variable");
	LIKWID_MARKER_GET("literal", &nevents, events, &time, &count);
	printf("%d\n", count);
	nevents = 3;
	LIKWID_MARKER_GET("none", &nevents, events, &time, &count);
	printf("%d %d\n", nevents, count);
	fflush(stdout);
	LIKWID_MARKER_WRITE_FILE("/dev/stdout");
	LIKWID_MARKER_CLOSE;
	return 0;
}
