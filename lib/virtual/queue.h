/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* queue.h - what a descriptor of a state over perf_events holds */
#ifndef PERFCTR_LIB_VIRTUAL_QUEUE_H
#define PERFCTR_LIB_VIRTUAL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include "libperfctr.h"
#include "lib/isa/tsc.h"

#define PERFCTR_PUBLISHED_FDS (PERFCTR_NR_CTRS + 1)

/*
 * A state as its readers know it, who may be of another word size. The descriptors beside it are
 * those of the events that run: counters, then the clock.
 */
struct perfctr_published {
	_Alignas(8) uint64_t magic;
	struct perfctr_rate rate;
	uint64_t tsc_sum;	       /* of a clock that runs: to be added to it */
	uint64_t sum[PERFCTR_NR_CTRS]; /* of counters that run: the same */
	uint32_t cstatus;
	uint32_t ended; /* unlinked, or its thread has ended in order */
	struct vperfctr_control control;
};

/* Where they find it: the two ends of a pair of sockets, -1 if there is none. */
struct perfctr_queue {
	int reader, writer;
};

void perfctr_queue_init(struct perfctr_queue *queue);
int perfctr_queue_open(struct perfctr_queue *queue);
void perfctr_queue_close(struct perfctr_queue *queue);

/* Replace what is there. 0, or -1 after perfctr_fail() with what was there still there. */
int perfctr_queue_put(const struct perfctr_queue *queue, struct perfctr_published *now,
		      const int *fds, unsigned int nr_fds);

/* Another descriptor of the reader's end, and whether fd is one. */
int perfctr_queue_descriptor(const struct perfctr_queue *queue);
bool perfctr_queue_is(const struct perfctr_queue *queue, int fd);

/* A descriptor for one who has no state. */
int perfctr_queue_facts(void);

/* Whether fd has such a thing in its queue; a stranger may have put it there. */
bool perfctr_queue_has_state(int fd);

/* What it says, with the events as they are now. 0, or -1 after perfctr_fail(). */
int perfctr_queue_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);

/* Why a stranger can do no more than read: 0 if all has ended, or -1 after perfctr_fail(). */
int perfctr_queue_check(int fd);

#endif /* PERFCTR_LIB_VIRTUAL_QUEUE_H */
