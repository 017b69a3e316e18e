// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <sys/wait.h>
#include "tools/perfex/count/outcome.h"

bool outcome_in_time(const struct outcome *outcome)
{
	return outcome->timed_out && WIFSIGNALED(outcome->status) &&
	       WTERMSIG(outcome->status) == SIGTERM;
}

bool outcome_failed(const struct outcome *outcome)
{
	return outcome->ran && !outcome_in_time(outcome) && outcome->status;
}
