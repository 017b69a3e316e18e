// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/symbols.h"

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

/* The process that calls the library: -1, none yet; 0, it has failed, or there is no library. */
static pid_t helper = -1;
static int line;

/* ---- its side ---- */

static demangler *find_library(void)
{
	static const char *const names[] = { "libstdc++.so.6", "libc++abi.so.1" };
	void *library = NULL;
	unsigned int i;

	for (i = 0; i < 2 && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library ? (demangler *)(uintptr_t)dlsym(library, "__cxa_demangle") : NULL;
}

/* Limits memory to 256 MiB beyond perfex's. */
static void limit_memory(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;
	struct rlimit limit;

	if (file && fscanf(file, "%lu", &pages) != 1)
		pages = 0;
	if (file)
		fclose(file);
	limit.rlim_cur = limit.rlim_max = ((rlim_t)256 << 20) +
					  (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
	setrlimit(RLIMIT_AS, &limit);
}

/* A name comes, and an answer goes, as one packet each. */
static void __attribute__((noreturn)) answer(int fd)
{
	const struct rlimit none = { 0, 0 };
	demangler *library = find_library();
	char name[LONGEST_NAME + 1], *full;
	bool usable;
	ssize_t n;
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* perfex does not wait long, but it may be killed */
	limit_memory();
	setrlimit(RLIMIT_CORE, &none);
	while (library && (n = recv(fd, name, LONGEST_NAME, 0)) > 0) {
		name[n] = '\0';
		full = library(name, NULL, NULL, &status);
		usable = full && *full && strlen(full) <= LONGEST_NAME;
		if (send(fd, usable ? full : name, strlen(usable ? full : name), MSG_NOSIGNAL) < 0)
			break;
		free(full);
	}
	_exit(0);
}

/* ---- perfex's side ---- */

static void begin(void)
{
	int fd[2];

	helper = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return;
	helper = fork();
	if (helper == 0) {
		close(fd[0]);
		answer(fd[1]);
	}
	close(fd[1]);
	line = fd[0];
	if (helper < 0) {
		close(line);
		helper = 0;
	}
}

void demangle_end(void)
{
	if (helper > 0) {
		kill(helper, SIGKILL);
		waitpid(helper, NULL, 0);
		close(line);
	}
	helper = 0;
}

static char *ask(const char *name)
{
	char full[LONGEST_NAME + 1];
	struct pollfd wait = { line, POLLIN, 0 };
	ssize_t n = -1;

	if (send(line, name, strlen(name), MSG_NOSIGNAL) > 0 && poll(&wait, 1, 3000) == 1)
		n = recv(line, full, LONGEST_NAME, MSG_DONTWAIT);
	if (n <= 0) {
		demangle_end();
		return need(strdup(name));
	}
	full[n] = '\0';
	return need(strdup(full));
}

char *demangle(const char *name)
{
	if (strncmp(name, "_Z", 2) != 0 || strlen(name) >= LONGEST_NAME)
		return need(strdup(name));
	if (helper < 0)
		begin();
	return helper > 0 ? ask(name) : need(strdup(name));
}
