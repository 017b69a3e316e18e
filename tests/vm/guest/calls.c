// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Has perfex-dwarf, a perfex with libdw, sample this program, which was compiled without frame
 * pointers (tests/vm/run.sh): who called inner() is what the program itself knows. As calls-signed
 * it was compiled with signed return addresses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/harness/guest.h"

static volatile long sink, turns = 500000;

static void __attribute__((noinline)) inner(long n)
{
	while (n--)
		sink += n;
}

static void __attribute__((noinline)) middle(long n)
{
	volatile char room[2048];

	room[n & 1023] = 1;
	inner(n);
	sink += room[3];
}

static void __attribute__((noinline)) outer(long n)
{
	middle(n);
	sink++;
}

static int work(void)
{
	int i;

	for (i = 0; i < 100; i++)
		outer(turns);
	return 0;
}

/* The samples of a line of stacks: of all, and of those with the right calls from the beginning on.
 */
static void count(char *line, unsigned long *all, unsigned long *right)
{
	char *number = strrchr(line, ' '), *calls = strchr(line, ';');
	unsigned long n;

	if (!number || !calls)
		return;
	n = strtoul(number, NULL, 10);
	*number = '\0';
	*all += n;
	if (!strncmp(calls, ";_start;", 8) && strstr(calls, ";main;") && (number - line) > 19 &&
	    !strcmp(number - 19, ";outer;middle;inner"))
		*right += n;
}

static int check_calls(const char *name)
{
	unsigned long all = 0, right = 0;
	char line[4096], command[200];
	FILE *pipe;
	int status;

	snprintf(
		command, sizeof(command),
		"perfex-dwarf --sample -e cycles:u --format=folded --call-graph dwarf -o - %s work 2>&1",
		name);
	pipe = popen(command, "r");
	CHECK(pipe != NULL, "%s: %s", command, strerror(errno));
	while (fgets(line, sizeof(line), pipe)) {
		line[strcspn(line, "\n")] = '\0';
		printf("%s\n", line);
		count(line, &all, &right);
	}
	status = pclose(pipe);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status), "exit status 0x%x", status);
	CHECK(all > 30 && right * 10 >= all * 9, "%lu of %lu samples have the right calls", right,
	      all);
	return 0;
}

int main(int argc, char **argv)
{
	return argc > 1 ? work() : check_calls(argv[0]);
}
