// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whether a process is there: in a /proc made up, and the true one. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/process.h"
#include "tests/harness/check.h"
#include "tests/harness/root.h"

/* An entry of /proc; inside: the number that the process has in its namespace, 0: no such line. */
/* state: "Z+" is a first thread's that has ended. */
static void entry(const char *name, int number, const char *state, int start, int inside)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "/proc/%s/stat", name);
	/* In front of the number of threads there are 16 more. */
	snprintf(text, sizeof(text), "%d (a) Z 1) %c 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 %s 0 %d 99\n",
		 number, *state, state[1] ? "2" : "1", start);
	root_file(path, text, strlen(text));
	snprintf(path, sizeof(path), "/proc/%s/status", name);
	snprintf(text, sizeof(text), "Name:\ta\nNSpid:\t%d\t%d\nNSpgid:\t77\n", number, inside);
	if (!inside)
		strcpy(text, "Name:\ta\n");
	root_file(path, text, strlen(text));
}

static enum perfctr_presence find(int pid, int start, uint64_t space)
{
	const struct perfctr_process process = { pid, (uint64_t)start, space };

	return perfctr_process_find(&process);
}

/* The true namespace's number, which the made up /proc has none of. */
static uint64_t own_space(void)
{
	struct stat file;

	return stat("/proc/self/ns/pid", &file) == 0 ? file.st_ino : 0;
}

START_TEST(test_states)
{
	const uint64_t space = own_space();

	root_make();
	entry("self", getpid(), "R", 50, 0);
	entry("7", 7, "S", 100, 0);
	entry("8", 8, "Z", 100, 0);
	entry("9", 9, "Z+", 100, 0);
	ck_assert_uint_eq(perfctr_process_self().start, 50);
	ck_assert_int_eq(perfctr_process_self().pid, getpid());
	ck_assert_int_eq(find(7, 100, space), PERFCTR_PRESENT);
	ck_assert_int_eq(find(7, 101, space), PERFCTR_GONE); /* its number is another's now */
	ck_assert_int_eq(find(6, 100, space), PERFCTR_GONE);
	ck_assert_int_eq(find(8, 100, space), PERFCTR_GONE);
	ck_assert_int_eq(find(9, 100, space), PERFCTR_PRESENT);
	ck_assert_int_eq(find(7, 0, space), PERFCTR_NOT_KNOWN);
	root_remove();
}
END_TEST

/* They have other numbers here, or all have. */
START_TEST(test_namespaces)
{
	const uint64_t space = own_space();

	root_make();
	entry("self", getpid(), "R", 50, 0);
	entry("7", 7, "S", 100, 3);
	entry("8", 8, "S", 200, 0);
	ck_assert_int_eq(find(3, 100, 0), PERFCTR_PRESENT);
	ck_assert_int_eq(find(3, 101, 0), PERFCTR_GONE);
	ck_assert_int_eq(find(7, 100, 0), PERFCTR_GONE);
	ck_assert_int_eq(find(8, 200, 0), PERFCTR_PRESENT);
	ck_assert_int_eq(find(3, 100, space), PERFCTR_GONE);
	entry("self", getpid() + 1, "R", 50, 0);
	ck_assert_int_eq(find(3, 100, space), PERFCTR_PRESENT);
	root_remove();
}
END_TEST

START_TEST(test_without_proc)
{
	root_make();
	ck_assert_uint_eq(perfctr_process_self().start, 0);
	ck_assert_int_eq(find(getpid(), 5, 0), PERFCTR_NOT_KNOWN);
	root_file("/proc/self/stat", "nonsense", 8);
	ck_assert_int_eq(find(getpid(), 5, 0), PERFCTR_NOT_KNOWN);
	entry("self", getpid(), "R", 50, 0);
	root_file("/proc/7/stat", "7 (a) S 1", 9);
	ck_assert_int_eq(find(7, 5, 0), PERFCTR_GONE);
	root_remove();
}
END_TEST

/* From fork() to kill(). */
START_TEST(test_true_one)
{
	struct perfctr_process process;
	int pipes[2];
	pid_t pid;

	ck_assert_int_eq(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		process = perfctr_process_self();
		_exit(write(pipes[1], &process, sizeof(process)) < 0 || pause());
	}
	ck_assert_int_eq(read(pipes[0], &process, sizeof(process)), sizeof(process));
	ck_assert_int_eq(process.pid, pid);
	ck_assert_int_eq(perfctr_process_find(&process), PERFCTR_PRESENT);
	process.space = 1; /* each is looked at */
	ck_assert_int_eq(perfctr_process_find(&process), PERFCTR_GONE);
	process.space = 0;
	ck_assert_int_eq(perfctr_process_find(&process), PERFCTR_PRESENT);
	process.start++;
	ck_assert_int_eq(perfctr_process_find(&process), PERFCTR_GONE);
	process.start--;
	kill(pid, SIGKILL);
	while (perfctr_process_find(&process) == PERFCTR_PRESENT)
		;
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(perfctr_process_find(&process), PERFCTR_GONE);
	close(pipes[0]);
	close(pipes[1]);
}
END_TEST

UNIT_MAIN("process", 60, test_states, test_namespaces, test_without_proc, test_true_one)
