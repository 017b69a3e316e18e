/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * access.h - a process that maps its thread's page reads the counters itself: grants and ends this
 * permission, and makes sure that it works wherever the process runs.
 */
#ifndef PERFCTR_DRIVER_ACCESS_H
#define PERFCTR_DRIVER_ACCESS_H

#include <linux/mm_types.h>
#include <linux/mutex.h>
#include "driver/reads.h"

struct access {
	struct mutex lock; /* protects all below; works is read without it */
	struct reads reads;
	bool works; /* on every CPU, for the owner's process */
};

int access_init(void);
void access_exit(void);

/*
 * Reports an event of a set's mappings and its counters. If the page has become readable, or might
 * have been before, the caller updates it; READS_RELEASED comes before the hardware is given back.
 * May sleep.
 */
void access_step(struct access *self, enum reads_event event, struct mm_struct *mm);

#endif /* PERFCTR_DRIVER_ACCESS_H */
