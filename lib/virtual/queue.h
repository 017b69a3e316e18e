/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* queue.h - the data that a descriptor of a state over perf_events holds for its readers */
#ifndef PERFCTR_LIB_VIRTUAL_QUEUE_H
#define PERFCTR_LIB_VIRTUAL_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include "libperfctr.h"
#include "lib/isa/tsc.h"

#define PERFCTR_PUBLISHED_FDS (PERFCTR_NR_CTRS + 1)

/*
 * A state for its readers, whose word size may differ. The descriptors of the running events come
 * with it: the counters', then the clock's.
 */
struct perfctr_published {
	_Alignas(8) uint64_t magic;
	struct perfctr_rate rate;
	uint64_t tsc_sum;	       /* if the clock runs: add its value to this */
	uint64_t sum[PERFCTR_NR_CTRS]; /* if counters run: add their values to these */
	uint32_t cstatus;
	uint32_t ended; /* the state is unlinked, or its thread has ended in order */
	struct vperfctr_control control;
};

/* A pair of sockets; -1: it could not be made. The program may close both, and open others there.
 */
struct perfctr_queue {
	int reader, writer;
	unsigned long readers_identity, writers_identity; /* see lib/base/descriptor.h */
};

void perfctr_queue_init(struct perfctr_queue *queue);
int perfctr_queue_open(struct perfctr_queue *queue);
void perfctr_queue_close(struct perfctr_queue *queue);

/* Replaces the data. 0, or -1 after perfctr_fail(), with the old data in place. */
int perfctr_queue_put(const struct perfctr_queue *queue, struct perfctr_published *now,
		      const int *fds, unsigned int nr_fds);

/* Return another descriptor of the reader's end; say whether fd is one. */
int perfctr_queue_descriptor(const struct perfctr_queue *queue);
bool perfctr_queue_is(const struct perfctr_queue *queue, int fd);

/* Returns a descriptor for a thread without a state. */
int perfctr_queue_facts(void);

/* Whether fd has such data in its queue. Any program may have put it there. */
bool perfctr_queue_has_state(int fd);

/* Reads the data, with the events' present counts. 0, or -1 after perfctr_fail(). */
int perfctr_queue_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);

/* Says why another thread can only read: 0 if all has ended, or -1 after perfctr_fail(). */
int perfctr_queue_check(int fd);

#endif /* PERFCTR_LIB_VIRTUAL_QUEUE_H */
