/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * provider.h - the kernel facility under a handle. The public calls (virtual.c) and the life of a
 * state (attach.c) go through this table only; a provider's own state begins with a struct
 * vperfctr. Other handles have a provider whose calls fail, see kind.h.
 */
#ifndef PERFCTR_LIB_VIRTUAL_PROVIDER_H
#define PERFCTR_LIB_VIRTUAL_PROVIDER_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "libperfctr.h"
#include "lib/base/memory.h"
#include "lib/perf/clock.h"
#include "perfctr/read.h"

/* What no page's cstatus is. */
#define PERFCTR_NO_CSTATUS UINT32_MAX

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
	 * As create(), of another thread, which the caller has stopped by ptrace(2): the state that
	 * the kernel has, or else a new one. 0, or -1 after perfctr_fail().
	 */
	int (*open_remote)(struct vperfctr *self, pid_t tid);

	/*
	 * Whether such a state's thread lives. NULL: the kernel keeps these states, and verifies
	 * itself in each call that the thread stands still.
	 */
	enum perfctr_life (*reach)(const struct vperfctr *self);

	/*
	 * As the public calls of the same names, which have refused NULL, and for read_quality()
	 * what is no counter, and have cleared the reading, for readers have made them read 0.
	 */
	int (*info)(struct perfctr_info *info);
	int (*control)(struct vperfctr *self, const struct vperfctr_control *control);
	int (*stop)(struct vperfctr *self);
	int (*is_running)(const struct vperfctr *self);
	unsigned long long (*read_tsc)(const struct vperfctr *self);
	unsigned long long (*read_pmc)(const struct vperfctr *self, unsigned int i);
	int (*read_ctrs)(const struct vperfctr *self, struct perfctr_sum_ctrs *sum);
	int (*read_quality)(const struct vperfctr *self, unsigned int i,
			    struct perfctr_reading *reading);
	int (*reader)(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader);
	int (*pause)(struct vperfctr *self);
	int (*resume)(struct vperfctr *self);
	/* NULL: the provider has no page for all counters. */
	int (*state_reader)(const struct vperfctr *self, struct perfctr_state_reader *reader);
	int (*iresume)(struct vperfctr *self);

	/* All members of sum, counters that don't run included, and the control; or NULL. Slow. */
	int (*read_state)(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			  struct vperfctr_control *control);
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

/* On arm64 gcc 12 makes two instructions of an atomic load, and one of a volatile one. */
static inline bool perfctr_is_own(const struct vperfctr *self)
{
#ifdef __aarch64__
	static_assert(sizeof(self->owner) == sizeof(void *), "a word");
	return *(const char *const volatile *)(const void *)&self->owner == &perfctr_thread_mark;
#else
	return atomic_load_explicit(&self->owner, memory_order_relaxed) == &perfctr_thread_mark;
#endif
}

/* Out of line, so that the reads stay leaf functions. -1, after perfctr_fail(ESRCH). */
int perfctr_not_ours(void) __attribute__((noinline, cold));

/* The same of NULL: EINVAL. */
int perfctr_no_handle(void) __attribute__((noinline, cold));

/* perfctr_fail(EINVAL). */
int perfctr_no_such_counter(unsigned int i) __attribute__((cold));

/* The handle's provider; NULL after perfctr_fail(ESRCH) in a child of fork(). */
static inline const struct perfctr_provider *perfctr_provider_of(const struct vperfctr *self)
{
	if (!self) {
		perfctr_no_handle();
		return NULL;
	}
	if (!self->provider)
		perfctr_not_ours();
	return self->provider;
}

/* The calling thread's state; NULL if it has none, as in a child of fork(). Async-signal-safe. */
struct vperfctr *perfctr_attached(void);

/* What it is from now on; NULL: none. */
void perfctr_attach(struct vperfctr *self);

/* One more, one fewer user of the state, which goes with the last one. */
void perfctr_hold(struct vperfctr *self);
void perfctr_release(struct vperfctr *self);

/* For what a provider can't read quickly. Out of line, so that what is usual needs no stack. */
unsigned long long perfctr_read_tsc_slow(const struct vperfctr *self) __attribute__((noinline));
unsigned long long perfctr_read_pmc_slow(const struct vperfctr *self, unsigned int i)
	__attribute__((noinline));

/* Hidden also where they are used: nothing is to be relocated. */
#pragma GCC visibility push(hidden)
extern const struct perfctr_provider perfctr_provider_driver, perfctr_provider_perf;
#pragma GCC visibility pop

/* Whether a handle that begins with this word is one of vperfctr_open(). */
static inline bool perfctr_is_provider(const struct perfctr_provider *word)
{
	return word == &perfctr_provider_perf || word == &perfctr_provider_driver;
}

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

/* Which provider's descriptor it is; NULL after perfctr_fail(EBADF): it is none's. */
const struct perfctr_provider *perfctr_syscalls_provider(int fd);

/* ---- provider_perf.c: what syscalls_perf.c needs ---- */

/* A descriptor of the calling thread's own state, -1 after perfctr_fail(). */
int perfctr_perf_descriptor(struct vperfctr *self);

/* Whether fd is one. */
bool perfctr_perf_has_descriptor(const struct vperfctr *self, int fd);

#endif /* PERFCTR_LIB_VIRTUAL_PROVIDER_H */
