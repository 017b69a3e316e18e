// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/beside.h"
#include "tools/perfex/count/child.h"

bool run_beside(const char *option, const char *command)
{
	int status = 0;

	fflush(stdout);
	limits_give_back();
	if (command)
		status = system(command);
	limits_raise();
	if (status < 0)
		say("%s: no process can be made: %s", option, strerror(errno));
	else if (WIFSIGNALED(status))
		say("%s: \"%s\" was ended by signal %d", option, command, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		say("%s: \"%s\" failed with exit status %d", option, command, WEXITSTATUS(status));
	return status == 0;
}
