// SPDX-License-Identifier: LGPL-2.1-or-later
/* LIKWID's marker macros, each of them, or the functions; for tests/regions.sh, in C and C++. */
#include <stdio.h>

#ifdef FUNCTIONS
/* The same by the functions. */
#include <likwid.h>
#undef LIKWID_MARKER_INIT
#undef LIKWID_MARKER_THREADINIT
#undef LIKWID_MARKER_SWITCH
#undef LIKWID_MARKER_REGISTER
#undef LIKWID_MARKER_START
#undef LIKWID_MARKER_STOP
#undef LIKWID_MARKER_RESET
#undef LIKWID_MARKER_GET
#undef LIKWID_MARKER_WRITE_FILE
#undef LIKWID_MARKER_CLOSE
#define LIKWID_MARKER_INIT	    likwid_markerInit()
#define LIKWID_MARKER_THREADINIT    likwid_markerThreadInit()
#define LIKWID_MARKER_SWITCH	    likwid_markerNextGroup()
#define LIKWID_MARKER_REGISTER(tag) succeed(likwid_markerRegisterRegion(tag))
#define LIKWID_MARKER_START(tag)    succeed(likwid_markerStartRegion(tag))
#define LIKWID_MARKER_STOP(tag)	    succeed(likwid_markerStopRegion(tag))
#define LIKWID_MARKER_RESET(tag)    (void)likwid_markerResetRegion(tag)
#define LIKWID_MARKER_GET(tag, nevents, events, time, count) \
	likwid_markerGetRegion(tag, nevents, events, time, count)
#define LIKWID_MARKER_WRITE_FILE(file) (void)likwid_markerWriteFile(file)
#define LIKWID_MARKER_CLOSE	       likwid_markerClose()

static void succeed(int result)
{
	if (result)
		printf("failed with %d\n", result);
}
#else
#include <likwid-marker.h>
#endif

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
