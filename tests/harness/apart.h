/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apart.h - runs a function that ends its process, in another one. */
#ifndef PERFCTR_TESTS_APART_H
#define PERFCTR_TESTS_APART_H

#include <check.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Returns how the process ends, as waitpid(2) does: with 0 if the function returns. "said" gets
 * what is written to the standard error there until all processes have closed it, at most size - 1
 * bytes, and a 0.
 */
static inline int run_apart(void (*call)(const void *arg), const void *arg, char *said, size_t size)
{
	size_t n = 0;
	int fds[2], status;
	ssize_t got;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		call(arg);
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], said + n, size - 1 - n)) > 0)
		n += (size_t)got;
	ck_assert_int_eq(got, 0);
	said[n] = '\0';
	close(fds[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

#endif /* PERFCTR_TESTS_APART_H */
