// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/base/clock.h"
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

/* They change nothing for a user without the right to it, who opens no more than before. */
void helper_as_owner(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return;
	setgroups(0, NULL);
	setfsgid(stat.st_gid);
	setfsuid(stat.st_uid);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* the kernel takes it away with another user */
}

/* Room for a message's descriptor. */
union passed {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* Returns the length of a question; *fd: -1 if it comes without a file. */
static ssize_t take_question(int line, char packet[LONGEST_PACKET], int *fd)
{
	struct iovec bytes = { packet, LONGEST_PACKET };
	union passed passed;
	struct msghdr message = { .msg_iov = &bytes,
				  .msg_iovlen = 1,
				  .msg_control = &passed,
				  .msg_controllen = sizeof(passed) };
	const struct cmsghdr *head;
	ssize_t n;

	do
		n = recvmsg(line, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	*fd = -1;
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return n;
}

static void __attribute__((noreturn)) serve(const struct helper *helper, int fd)
{
	char packet[LONGEST_PACKET + 1];
	bool usable;
	ssize_t n;
	int file;

	helper_fence(helper->megabytes);
	usable = helper->begin();
	while (usable && (n = take_question(fd, packet, &file)) > 0) {
		packet[n] = '\0';
		n = (ssize_t)helper->answer(packet, (size_t)n, file);
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
		while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
			;
		close(helper->line);
	}
	helper->pid = 0;
}

static bool send_question(int line, const void *question, size_t n, int fd)
{
	struct iovec bytes = { (void *)(uintptr_t)question, n };
	union passed passed = { .head = { .cmsg_len = CMSG_LEN(sizeof(fd)),
					  .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS } };
	struct msghdr message = { .msg_iov = &bytes, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&passed.head), &fd, sizeof(fd));
		message.msg_control = &passed;
		message.msg_controllen = sizeof(passed);
	}
	return sendmsg(line, &message, MSG_NOSIGNAL) > 0;
}

/* Waits for an answer; a signal that is handled does not end the wait. */
static bool is_answered(const struct helper *helper)
{
	struct pollfd wait = { .fd = helper->line, .events = POLLIN };
	const uint64_t begun = clock_ns();
	uint64_t ms = 0, most = (uint64_t)helper->seconds * 1000;
	int n;

	do {
		n = poll(&wait, 1, (int)(most - ms));
		ms = (clock_ns() - begun) / 1000000;
	} while (n < 0 && errno == EINTR && ms < most);
	return n == 1;
}

size_t helper_ask(struct helper *helper, const void *question, size_t n, int fd, void *answer,
		  size_t size)
{
	ssize_t got = -1;

	if (helper->pid == 0)
		begin(helper);
	if (helper->pid < 0)
		return 0;
	if (send_question(helper->line, question, n, fd) && is_answered(helper))
		got = recv(helper->line, answer, size, MSG_DONTWAIT);
	if (got > 0)
		return (size_t)got;
	helper_end(helper);
	helper->pid = -1;
	return 0;
}
