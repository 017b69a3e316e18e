#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# LLVM's OpenMP runtime tells a tool of the tasks of a league with the word that the tool gave the league when it began, if the league
# has two teams; of a league of one team with another word, which is 0. (OMPT: the parallel_data of implicit-task-begin is the one of
# the parallel or teams region; callbacks parallel-begin and implicit-task, OpenMP 5.0, 4.5.2.)
# A tool that finds its region by that word has to find it otherwise for "teams" with one team.
set -eu
version=1:14.0.6-12
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || { echo "not tried: needs gcc"; exit 77; }
for package in libomp5-14 libomp-14-dev; do
	apt-get -qq download "$package=$version" || { echo "not tried: no package $package $version"; exit 77; }
done
for file in libomp*.deb; do dpkg -x "$file" root; done
echo "version: libomp5-14 $version"
cat >league.c <<'EOT'
#include <omp-tools.h>
#include <stdbool.h>
#include <stdio.h>

static void begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned int n, int flags, const void *address)
{
	(void)task, (void)frame, (void)n, (void)address;
	if (flags & ompt_parallel_league)
		parallel->value = 7;
}

static void task_begins(ompt_scope_endpoint_t end, ompt_data_t *parallel, ompt_data_t *task, unsigned int n, unsigned int i, int flags)
{
	static bool first = true; /* the program's own initial task */

	(void)task, (void)i;
	if (end != ompt_scope_begin || !(flags & ompt_task_initial))
		return;
	if (!first)
		printf("a task of a league of %u: %d\n", n, parallel ? (int)parallel->value : -1);
	first = false;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)device, (void)data;
	set(ompt_callback_parallel_begin, (ompt_callback_t)begin);
	set(ompt_callback_implicit_task, (ompt_callback_t)task_begins);
	return 1;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)version, (void)runtime;
	return &result;
}

int main(int argc, char **argv)
{
	(void)argv;
#pragma omp teams num_teams(TEAMS) thread_limit(1)
	if (argc > 5)
		puts("never");
	return 0;
}
EOT
include=$(dirname "$(find root -name omp-tools.h)")
for teams in 2 1; do
	gcc -DTEAMS=$teams -I"$include" -fopenmp -rdynamic league.c -o league
	LD_PRELOAD=$(find "$PWD/root" -name libomp.so.5 -type f) ./league
done | tee out
cat >wanted <<'EOT'
a task of a league of 2: 7
a task of a league of 2: 7
a task of a league of 1: 0
EOT
cmp out wanted
