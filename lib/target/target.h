/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* target.h - the target of counting or sampling, as scopes on which events are opened */
#ifndef PERFCTR_LIB_TARGET_TARGET_H
#define PERFCTR_LIB_TARGET_TARGET_H

#include <stdbool.h>
#include "lib/perf/counter.h"
#include "libperfctr.h"

struct perfctr_scopes {
	const struct perfctr_scope *scope;
	unsigned int n;
	bool process;	/* all threads of a process; new ones must inherit. Some may have ended */
	bool every_cpu; /* all processors: a PMU that counts for several is opened on some only */
};

/* Functions that open events on a target, and close them. */
struct perfctr_target_user {
	/*
	 * Open them on all scopes; on a process's threads stopped. 0, or -1 after perfctr_fail(),
	 * with nothing open.
	 */
	int (*open)(void *arg, const struct perfctr_scopes *scopes);
	void (*close)(void *arg); /* closes all: some threads were missed */
	void *arg;
};

/*
 * Open on the target (NULL: the calling thread): once, but for a process until no thread is
 * missing. 0, or -1 after perfctr_fail(), with nothing open; EINVAL also for flags that the target
 * does not have.
 */
int perfctr_target_open(const struct perfctr_target *target, unsigned int flags,
			const struct perfctr_target_user *user);

/* Whether the target is processors, not threads. */
bool perfctr_target_on_cpus(const struct perfctr_target *target);

#endif /* PERFCTR_LIB_TARGET_TARGET_H */
