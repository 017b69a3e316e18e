// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/sample/fenced.h"
#include "tools/perfex/sample/helper.h"

#define MEGABYTES     32768 /* of memory that it may have beyond perfex's, mapped files included */
#define SECONDS	      20    /* that a sample may take */
#define MOST_FAILURES 8

struct answer {
	uint64_t end; /* enum unwind_end */
	uint64_t chain[UNWIND_MOST];
};

/* ---- in the process that unwinds ---- */

void fenced_send(struct fenced *fenced, uint32_t pid, const struct perfctr_record_sample *sample)
{
	struct answer answer;
	const uint64_t *chain;
	enum unwind_end end;
	size_t n = unwind(fenced->unwinder, pid, sample, &chain, &end);

	answer.end = end;
	if (n)
		memcpy(answer.chain, chain, n * sizeof(*chain));
	if (send(fenced->line, &answer, offsetof(struct answer, chain[n]), MSG_NOSIGNAL) < 0)
		_exit(1);
}

static void __attribute__((noreturn)) serve(const struct fenced *fenced)
{
	helper_fence(MEGABYTES);
	fenced->send_all(fenced->arg);
	_exit(0);
}

/* ---- in perfex ---- */

static bool begin(struct fenced *fenced)
{
	const struct timeval longest = { .tv_sec = SECONDS };
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return false;
	fflush(NULL); /* what is not written yet is not the other process's, too */
	fenced->line = fd[1];
	fenced->pid = fork();
	if (fenced->pid == 0) {
		close(fd[0]);
		serve(fenced);
	}
	close(fd[1]);
	fenced->line = fd[0];
	if (fenced->pid > 0)
		return setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest)) == 0;
	fenced->pid = 0;
	close(fd[0]);
	return false;
}

void fenced_end(struct fenced *fenced)
{
	if (!fenced->pid)
		return;
	kill(fenced->pid, SIGKILL);
	while (waitpid(fenced->pid, NULL, 0) < 0 && errno == EINTR)
		;
	close(fenced->line);
	fenced->pid = 0;
}

/* Receives an answer; returns how many calls it has, -1: none comes. */
static ssize_t receive(int line, struct answer *answer)
{
	ssize_t got;

	do
		got = recv(line, answer, sizeof(*answer), 0);
	while (got < 0 && errno == EINTR);
	got -= (ssize_t)offsetof(struct answer, chain);
	return got < 0 ? -1 : got / (ssize_t)sizeof(answer->chain[0]);
}

size_t fenced_next(struct fenced *fenced, uint32_t pid, const uint64_t **chain,
		   enum unwind_end *end)
{
	static struct answer answer;
	bool is_new = false;
	ssize_t n = -1;

	*end = UNWIND_WHOLE;
	*chain = answer.chain;
	while (fenced->failures < MOST_FAILURES && n < 0 && !is_new) {
		is_new = !fenced->pid;
		if (fenced->pid || begin(fenced))
			n = receive(fenced->line, &answer);
		if (n < 0)
			fenced_end(fenced);
	}
	if (n >= 0) {
		*end = (enum unwind_end)answer.end;
		return (size_t)n;
	}
	unwind_leave_out(fenced->unwinder, pid);
	fenced->failures++;
	return 0;
}
