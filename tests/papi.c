// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PAPI's regions, and the functions that its own examples use of its test library; for
 * tests/regions.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <papi.h>

#ifdef OWN
#include <pthread.h>

/* Its stop is its own: what other threads are in goes on. */
static void *in_thread(void *arg)
{
	if (PAPI_hl_region_begin("thread") != PAPI_OK || PAPI_hl_region_end("thread") != PAPI_OK ||
	    PAPI_hl_stop() != PAPI_OK)
		exit(1);
	return arg;
}

static void run_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, in_thread, NULL);
		pthread_join(thread, NULL);
	}
}

int main(void)
{
	char name[PAPI_MAX_STR_LEN]; /* as PAPI's examples/high_level.c has it */
	int i;

	snprintf(name, sizeof(name), "whole");
	if (sizeof(name) != 128 || PAPI_hl_region_begin(name) != PAPI_OK)
		return 1;
	run_threads();
	if (PAPI_hl_region_end(name) != PAPI_OK)
		return 1;

	for (i = 0; i < 3; i++) {
		if (PAPI_hl_region_begin("outer") != PAPI_OK ||
		    PAPI_hl_region_begin("inner") != PAPI_OK || PAPI_hl_read("inner") != PAPI_OK ||
		    PAPI_hl_region_end("inner") != PAPI_OK ||
		    PAPI_hl_region_end("outer") != PAPI_OK)
			return 1;
	}
	if (PAPI_hl_region_begin("early") != PAPI_OK || PAPI_hl_region_begin("late") != PAPI_OK ||
	    PAPI_hl_region_end("early") != PAPI_OK || PAPI_hl_region_end("late") != PAPI_OK)
		return 1;
	printf("%d %d %d", PAPI_hl_region_begin(""), PAPI_hl_region_end(NULL), PAPI_hl_read(""));
	printf(" %d", PAPI_hl_stop());
	printf(" %d\n", PAPI_hl_stop());
	return 0;
}
#else
int tests_quiet(int argc, char **argv);
void test_fail(const char *file, int line, const char *call, int error);
void test_hl_pass(const char *file);

int tests_quiet(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return 1;
}

void test_fail(const char *file, int line, const char *call, int error)
{
	printf("%s:%d: %s: %d\n", file, line, call, error);
	exit(1);
}

void test_hl_pass(const char *file)
{
	(void)file;
	exit(0);
}
#endif
