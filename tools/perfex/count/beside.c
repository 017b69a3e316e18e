// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/count/child.h"

/*
 * Does what system(3) does, with the limits that perfex was started with. They are the shell's
 * alone: perfex may have more descriptors than they allow, and a C library may need some to start
 * a process.
 */
static int run_shell(const char *command)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	int status = -1;
	pid_t pid;

	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		limits_give_back();
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return status;
}

bool run_beside(const char *option, const char *command)
{
	int status;

	fflush(stdout);
	if (!command)
		return true;
	status = run_shell(command);
	if (status < 0)
		say("%s: no process can be made: %s", option, strerror(errno));
	else if (WIFSIGNALED(status))
		say("%s: \"%s\" was ended by signal %d", option, command, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		say("%s: \"%s\" failed with exit status %d", option, command, WEXITSTATUS(status));
	return status == 0;
}
