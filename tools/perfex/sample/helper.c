// SPDX-License-Identifier: LGPL-2.1-or-later
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/sample/helper.h"

/* ---- its side ---- */

void helper_fence(unsigned int megabytes)
{
	const struct rlimit none = { 0, 0 };
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;
	struct rlimit limit;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* perfex does not wait long, but it may be killed */
	setrlimit(RLIMIT_CORE, &none);
	unsetenv("DEBUGINFOD_URLS");
	limit.rlim_cur = limit.rlim_max = ((rlim_t)megabytes << 20) +
					  (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
	setrlimit(RLIMIT_AS, &limit);
}

static void __attribute__((noreturn)) serve(const struct helper *helper, int fd)
{
	char packet[LONGEST_PACKET + 1];
	bool usable;
	ssize_t n;

	helper_fence(helper->megabytes);
	usable = helper->begin();
	while (usable && (n = recv(fd, packet, LONGEST_PACKET, 0)) > 0) {
		packet[n] = '\0';
		n = (ssize_t)helper->answer(packet, (size_t)n);
		if (send(fd, packet, (size_t)n, MSG_NOSIGNAL) < 0)
			break;
	}
	_exit(0);
}

/* ---- perfex's side ---- */

static void begin(struct helper *helper)
{
	int fd[2];

	helper->pid = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return;
	helper->pid = fork();
	if (helper->pid == 0) {
		close(fd[0]);
		serve(helper, fd[1]);
	}
	close(fd[1]);
	helper->line = fd[0];
	if (helper->pid < 0)
		close(helper->line);
}

void helper_end(struct helper *helper)
{
	if (helper->pid > 0) {
		kill(helper->pid, SIGKILL);
		waitpid(helper->pid, NULL, 0);
		close(helper->line);
	}
	helper->pid = -1;
}

size_t helper_ask(struct helper *helper, const void *question, size_t n, void *answer, size_t size)
{
	struct pollfd wait = { .events = POLLIN };
	ssize_t got = -1;

	if (helper->pid == 0)
		begin(helper);
	if (helper->pid < 0)
		return 0;
	wait.fd = helper->line;
	if (send(helper->line, question, n, MSG_NOSIGNAL) > 0 &&
	    poll(&wait, 1, (int)helper->seconds * 1000) == 1)
		got = recv(helper->line, answer, size, MSG_DONTWAIT);
	if (got <= 0)
		helper_end(helper);
	return got > 0 ? (size_t)got : 0;
}
