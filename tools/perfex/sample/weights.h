/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * weights.h - how many events each sample stands for, where the kernel adapts the period: by the
 * event's count that samples have, or by the period that the kernel tells.
 */
#ifndef PERFCTR_TOOLS_WEIGHTS_H
#define PERFCTR_TOOLS_WEIGHTS_H

#include <stdint.h>

struct weights {
	void *tree; /* of streams; NULL: none */
};

/* Returns how many events a stream (PERF_SAMPLE_STREAM_ID) has counted since its last sample; at
 * least 1. */
uint64_t weights_take(struct weights *weights, uint64_t stream, uint64_t count);

/*
 * The same by PERF_SAMPLE_PERIOD, where there are no counts. A sample of x86 and of software events
 * tells the next one's (seen: Linux 6.18; arch/x86/events/core.c, kernel/events/core.c), others'
 * their own: the lesser of this one and the one before is taken.
 */
uint64_t weights_guess(struct weights *weights, uint64_t stream, uint64_t period);

void weights_free(struct weights *weights);

#endif /* PERFCTR_TOOLS_WEIGHTS_H */
