/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * provider.h - the kernel facility under a handle. The public calls (virtual.c) and the life of a
 * state (attach.c) go through this table only; a provider's own state begins with a struct
 * vperfctr.
 */
#ifndef PERFCTR_PROVIDER_H
#define PERFCTR_PROVIDER_H

#include <stdatomic.h>
#include "internal.h"

struct perfctr_provider {
	const char *name;
	size_t state_size;

	/*
	 * create() fills in a state of zeros for the calling thread: a new one, or without
	 * VPERFCTR_OPEN_CREAT_EXCL one that the kernel has. detach(), in that thread, stops what
	 * counts, closes what is the thread's own and keeps the sums; destroy() gives back the
	 * rest.
	 */
	int (*create)(struct vperfctr *self, unsigned int mode);
	int (*detach)(struct vperfctr *self);
	void (*destroy)(struct vperfctr *self);

	/*
	 * As the public calls of the same names, which have refused NULL, and for read_quality()
	 * what is no counter, and have cleared the reading.
	 */
	int (*info)(struct perfctr_info *info);
	int (*control)(struct vperfctr *self, const struct vperfctr_control *control);
	int (*is_running)(const struct vperfctr *self);
	unsigned long long (*read_tsc)(const struct vperfctr *self);
	unsigned long long (*read_pmc)(const struct vperfctr *self, unsigned int i);
	int (*read_ctrs)(const struct vperfctr *self, struct perfctr_sum_ctrs *sum);
	int (*read_control)(const struct vperfctr *self, struct vperfctr_control *control);
	int (*read_quality)(const struct vperfctr *self, unsigned int i,
			    struct perfctr_reading *reading);
	int (*reader)(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader);
	int (*iresume)(struct vperfctr *self);

	/* All members of sum, counters that don't run included; slow. */
	int (*read_all)(const struct vperfctr *self, struct perfctr_sum_ctrs *sum);
};

/*
 * A handle. It lies in memory that a child of fork() finds cleared: a handle without a provider is
 * the parent's.
 */
struct vperfctr {
	const struct perfctr_provider *provider;
	_Atomic(const char *) owner; /* its &perfctr_thread_mark; NULL: unlinked */
	atomic_uint references;	     /* handles, the thread, sets of threads */
};

static inline bool perfctr_is_own(const struct vperfctr *self)
{
	return atomic_load_explicit(&self->owner, memory_order_relaxed) == &perfctr_thread_mark;
}

/* Out of line, so that the reads stay leaf functions. -1, after perfctr_fail(ESRCH). */
int perfctr_not_ours(void) __attribute__((noinline, cold));

/* The handle's provider; NULL after perfctr_fail(ESRCH) in a child of fork(). */
static inline const struct perfctr_provider *perfctr_provider_of(const struct vperfctr *self)
{
	if (!perfctr_likely(self->provider != NULL))
		perfctr_not_ours();
	return self->provider;
}

/* The calling thread's state; NULL if it has none, as in a child of fork(). Async-signal-safe. */
struct vperfctr *perfctr_attached(void);

/* One more, one fewer user of the state, which goes with the last one. */
void perfctr_hold(struct vperfctr *self);
void perfctr_release(struct vperfctr *self);

/* For what a provider can't read quickly. Out of line, so that what is usual needs no stack. */
unsigned long long perfctr_read_tsc_slow(const struct vperfctr *self) __attribute__((noinline));
unsigned long long perfctr_read_pmc_slow(const struct vperfctr *self, unsigned int i)
	__attribute__((noinline));

extern const struct perfctr_provider perfctr_provider_driver, perfctr_provider_perf;

/*
 * The provider that these flags, or else PERFCTR_PROVIDER, ask for, or NULL, and which of the two
 * it was, as a clause. -1 after perfctr_fail(EINVAL).
 */
int perfctr_provider_wished(unsigned int mode, const struct perfctr_provider **wished,
			    const char **why);

/* The provider for an open with these flags. NULL after perfctr_fail(EINVAL). */
const struct perfctr_provider *perfctr_provider_choose(unsigned int mode);

/* The same, and the reason, as a clause. */
const struct perfctr_provider *perfctr_provider_explain(unsigned int mode, const char **why);

/* ---- provider_perf.c: what remote.c needs ---- */

/* Make self, of zeros, the state of another thread. 0, or -1 after perfctr_why_not(). */
int perfctr_perf_watch(struct vperfctr *self, pid_t tid);

/* As perfctr_clock_is_on(). */
int perfctr_perf_is_alive(const struct vperfctr *self);

/* A descriptor of the calling thread's own state, -1 after perfctr_fail(). */
int perfctr_perf_descriptor(struct vperfctr *self);

/* Whether fd is one. */
bool perfctr_perf_has_descriptor(const struct vperfctr *self, int fd);

/* ---- raw_perf.c: descriptors of perf_events' states ---- */

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

/*
 * Whether fd is a descriptor of a state over perf_events, or one that asks for facts only; a
 * stranger may have made it.
 */
bool perfctr_shared_is(int fd);

/* As the calls sys_vperfctr_*(), over perf_events. */
int perfctr_shared_open(int tid, bool creat);
int perfctr_shared_control(int fd, const struct vperfctr_control *control);
int perfctr_shared_unlink(int fd);
int perfctr_shared_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);
int perfctr_shared_iresume(int fd);

/* A descriptor for one who has no state. */
int perfctr_shared_facts(void);

/* ---- info.c ---- */

/* A provider's facts, and those that are the same with each. */
int perfctr_provider_info(const struct perfctr_provider *provider, struct perfctr_info *info);

/* ---- virtual.c ---- */

/* A control's flags: 0, or -1 after perfctr_fail(EINVAL). */
int perfctr_control_words(const struct vperfctr_control *control);

/* Clear the words that don't count without VPERFCTR_CONTROL_EXTENDED, in which anything may stand.
 */
void perfctr_control_hide(struct perfctr_cpu_control *control);

/* That there is a signal for i-mode counters. 0, or -1 after perfctr_fail(EINVAL). */
int perfctr_control_signal(const struct vperfctr_control *control);

/* ---- raw.c: the driver's calls ---- */

/* The driver's device, if it speaks our ABI, and its facts: a descriptor, or -1 with errno only. */
int perfctr_device_open(struct perfctr_info *info);

/* What such an errno means, as a clause. */
const char *perfctr_device_problem(int error);

/* The facts alone. -1 after perfctr_fail(EOPNOTSUPP (there is no driver), EACCES, EPROTO, EMFILE).
 */
int perfctr_device_info(struct perfctr_info *info);

/* perfctr_fail(ESRCH): thread tid, or the one whose counters they are, is not stopped. */
int perfctr_fail_not_stopped(int tid);
int perfctr_fail_out_of_reach(void);

/* Which provider's descriptor it is; NULL after perfctr_fail(EBADF): it is none's. */
const struct perfctr_provider *perfctr_raw_provider(int fd);

/* sys_vperfctr_open() through the driver, and the driver's facts. */
int perfctr_raw_open(int tid, bool creat, struct perfctr_info *info);

#endif /* PERFCTR_PROVIDER_H */
