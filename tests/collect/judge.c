// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tool of a program of LLVM's tests in two parts, for judges.sh: the program's own is
 * initialized, so that its calls of OMPT work, but told nothing; the collector is told all.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collect/ompt.h"

typedef void (*function)(void);
typedef struct ompt_tool *starter(unsigned int version, const char *runtime);

starter their_start_tool;

static struct ompt_tool *theirs, *ours;
static function (*lookup_of_runtime)(const char *name);

static int promise(int which, function callback)
{
	(void)which, (void)callback;
	return 5;
}

static function lookup_for_theirs(const char *name)
{
	return strcmp(name, "ompt_set_callback") ? lookup_of_runtime(name) : (function)promise;
}

static int initialize(function (*lookup)(const char *name), int device, union ompt_word *word)
{
	lookup_of_runtime = lookup;
	theirs->initialize(lookup_for_theirs, device, &theirs->word);
	return ours->initialize(lookup, device, word);
}

static void finalize(union ompt_word *word)
{
	ours->finalize(word);
}

struct ompt_tool *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct ompt_tool both = { initialize, finalize, { 0 } };
	const char *file = getenv("OMP_TOOL_LIBRARIES");
	void *library = file ? dlopen(file, RTLD_NOW) : NULL;
	starter *start = library ? (starter *)dlsym(library, "ompt_start_tool") : NULL;

	theirs = their_start_tool(version, runtime);
	ours = start ? start(version, runtime) : NULL;
	if (!theirs || !ours) {
		fprintf(stderr, "judge: there is no collector\n");
		exit(2);
	}
	return &both;
}
