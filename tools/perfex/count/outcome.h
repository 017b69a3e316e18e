/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* outcome.h - how a run ended. */
#ifndef PERFCTR_TOOLS_OUTCOME_H
#define PERFCTR_TOOLS_OUTCOME_H

#include <stdbool.h>

struct outcome {
	double elapsed, user, sys; /* seconds */
	int status;		   /* of waitpid() */
	bool ran;		   /* there is a status */
	bool interrupted;	   /* a signal ended the command, or asked for its end */
	bool timed_out;		   /* --timeout did, which is no failure */
	bool lost;		   /* results could not be written where they should be */
};

/* Whether the command ended because its time was up. */
bool outcome_in_time(const struct outcome *outcome);
/* Whether it did not end with the exit status 0, nor so. */
bool outcome_failed(const struct outcome *outcome);

#endif /* PERFCTR_TOOLS_OUTCOME_H */
