// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include "tools/perfex/count/limits.h"

static struct rlimit descriptors;
static struct sigaction too_large;
static bool raised;

void limits_raise(void)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &descriptors) < 0)
		return;
	most = (struct rlimit){ descriptors.rlim_max, descriptors.rlim_max };
	setrlimit(RLIMIT_NOFILE, &most);
	sigaction(SIGXFSZ, &ignore, &too_large);
	raised = true;
}

void limits_give_back(void)
{
	if (!raised)
		return;
	setrlimit(RLIMIT_NOFILE, &descriptors);
	sigaction(SIGXFSZ, &too_large, NULL);
}
