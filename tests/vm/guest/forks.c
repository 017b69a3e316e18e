// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures what a fork, the child's exit and the wait for it take in a command of 4 counted events,
 * with all processors of the machine online and with one: by perfex, and with the events opened as
 * perf stat opens them. QEMU's clock goes on by 1 ns with each instruction, so that times are
 * instructions, the kernel's included. Prints a Markdown table, and fails if perfex's cost grows
 * with the processors, or is more than 1.1 times the other.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/harness/expect.h"

#define EVENTS "instructions:u,cycles:u,branches:u,branch-misses:u"
#define ROUNDS 12
#define FORKS  20

/* ---- the command ---- */

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void fork_once(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

/* The least of some rounds: an interrupt, or another processor's work, is in few of them. */
static int64_t cost_of_fork(void)
{
	int64_t least = INT64_MAX, begin, cost;
	unsigned int round, i;

	for (round = 0; round < ROUNDS; round++) {
		begin = now();
		for (i = 0; i < FORKS; i++)
			fork_once();
		cost = (now() - begin) / FORKS;
		least = cost < least ? cost : least;
	}
	return least;
}

static int open_as_perf(void)
{
	static const unsigned int events[] = { PERF_COUNT_HW_INSTRUCTIONS, PERF_COUNT_HW_CPU_CYCLES,
					       PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
					       PERF_COUNT_HW_BRANCH_MISSES };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	unsigned int i;

	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		attr.config = events[i];
		CHECK(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) >= 0,
		      "event %u", i);
	}
	return 0;
}

static int command(const char *what)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	CHECK(sched_setaffinity(0, sizeof(first), &first) == 0, "the first processor");
	if (!strcmp(what, "perf") && open_as_perf())
		return 1;
	printf("%lld\n", (long long)cost_of_fork());
	return 0;
}

/* ---- the test ---- */

enum way { NOT_COUNTED, AS_PERF, PERFEX, PERFEX_AS_USER, WATCHED, WAYS };

static const struct {
	const char *what, *line;
	bool user; /* without CAP_PERFMON */
} ways[WAYS] = {
	{ "not counted", "forks command", false },
	{ "as perf stat opens them", "forks perf", false },
	{ "perfex", "perfex -o /dev/null -e " EVENTS " forks command", false },
	{ "perfex, without CAP_PERFMON", "perfex -o /dev/null -e " EVENTS " forks command", true },
	{ "perfex --strict, without it", "perfex --strict -o /dev/null -e " EVENTS " forks command",
	  true },
};

static void run(enum way way, int output)
{
	dup2(output, 1);
	if (ways[way].user && (setgid(65534) < 0 || setuid(65534) < 0))
		_exit(1);
	execl("/bin/sh", "sh", "-c", ways[way].line, NULL);
	_exit(127);
}

/* 0: it failed. */
static long long measure(enum way way)
{
	char text[32] = "";
	int ends[2];
	pid_t child;

	if (pipe(ends) < 0)
		return 0;
	child = fork();
	if (child == 0)
		run(way, ends[1]);
	close(ends[1]);
	if (read(ends[0], text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(ends[0]);
	waitpid(child, NULL, 0);
	return atoll(text);
}

static int write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, text, strlen(text));

	close(fd);
	return n < 0 ? -1 : 0;
}

static int leave_one(long processors)
{
	char name[64];
	long i;

	for (i = 1; i < processors; i++) {
		snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%ld/online", i);
		CHECK(write_file(name, "0") == 0, "%s", name);
	}
	CHECK(sysconf(_SC_NPROCESSORS_ONLN) == 1, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	return 0;
}

static int check(enum way way, const long long *all, const long long *one)
{
	CHECK(all[way] * 100 <= one[way] * 105, "%s: %lld, and %lld", ways[way].what, all[way],
	      one[way]);
	CHECK(all[way] * 10 <= all[AS_PERF] * 11, "%s: %lld, and %lld", ways[way].what, all[way],
	      all[AS_PERF]);
	return 0;
}

int main(int argc, char **argv)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	long long all[WAYS], one[WAYS];
	enum way way;

	if (argc == 2)
		return command(argv[1]);
	CHECK(write_file("/proc/sys/kernel/perf_event_paranoid", "2") == 0, "paranoid");
	for (way = 0; way < WAYS; way++)
		all[way] = measure(way);
	if (leave_one(processors))
		return 1;
	for (way = 0; way < WAYS; way++)
		one[way] = measure(way);
	printf("| fork, exit and wait of a command of 4 events | %ld processors | 1 processor |\n"
	       "| --- | ---: | ---: |\n",
	       processors);
	for (way = 0; way < WAYS; way++)
		printf("| %s | %lld | %lld |\n", ways[way].what, all[way], one[way]);
	for (way = 0; way < WAYS; way++)
		CHECK(all[way] > 0 && one[way] > 0, "%s", ways[way].what);
	/* The watch is paid for each processor, and shows that such a cost is seen here. */
	CHECK(all[WATCHED] * 10 > all[AS_PERF] * 13, "%lld", all[WATCHED]);
	return check(PERFEX, all, one) || check(PERFEX_AS_USER, all, one);
}
