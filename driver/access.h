/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * access.h - a process that maps its thread's page reads the counters itself: who may, and from
 * when on it works wherever the process runs.
 */
#ifndef PERFCTR_DRIVER_ACCESS_H
#define PERFCTR_DRIVER_ACCESS_H

#include <linux/mm_types.h>
#include <linux/mutex.h>
#include "driver/reads.h"

struct access {
	struct mutex lock; /* of all below; works is looked at without it */
	struct reads reads;
	bool works; /* on every CPU, for the owner */
};

int access_init(void);
void access_exit(void);

/*
 * What happens to a set's mappings and its counters. Has the page become readable, or might it have
 * been before, the caller shows so in it; READS_RELEASED comes before the hardware is given back.
 * May sleep.
 */
void access_step(struct access *self, enum reads_event event, struct mm_struct *mm);

#endif /* PERFCTR_DRIVER_ACCESS_H */
