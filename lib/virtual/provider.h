/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * provider.h - the table of functions between a handle and a kernel facility, the provider. The
 * public calls (virtual.c) and the life of a state (attach.c) go through this table only; a
 * provider's own state begins with a struct vperfctr. Handles of other kinds have a provider whose
 * calls fail, see kind.h.
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

/* No state's cstatus has this value. */
#define PERFCTR_NO_CSTATUS UINT32_MAX

struct perfctr_provider {
	const char *name;
	size_t state_size;

	/*
	 * create() fills in a zeroed state for the calling thread: a new one, or without
	 * VPERFCTR_OPEN_CREAT_EXCL one that the kernel has. detach(), called in that thread, stops
	 * counting, closes the thread's resources and keeps the sums; destroy() gives back the
	 * rest.
	 */
	int (*create)(struct vperfctr *self, unsigned int mode);
	int (*detach)(struct vperfctr *self);
	void (*destroy)(struct vperfctr *self);

	/*
	 * Does the same as create() for another thread, which the caller has stopped by ptrace(2):
	 * takes the state that the kernel has, or else a new one. 0, or -1 after perfctr_fail().
	 */
	int (*open_remote)(struct vperfctr *self, pid_t tid);

	/*
	 * Whether such a state's thread lives. NULL: the kernel keeps these states, and verifies in
	 * each call that the thread is stopped.
	 */
	enum perfctr_life (*reach)(const struct vperfctr *self);

	/*
	 * These implement the public calls of the same names, which have already refused NULL; for
	 * read_quality() they have refused wrong counters, too, and cleared the reading; for
	 * readers they have made them read 0.
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

	/*
	 * Reads all members of sum, counters that don't run included, and the control, if given. It
	 * is slow.
	 */
	int (*read_state)(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			  struct vperfctr_control *control);
};

/*
 * A handle of vperfctr_open(). A child of fork() finds its memory cleared: a handle without a
 * provider is the parent's.
 */
struct vperfctr {
	const struct perfctr_provider *provider;
	_Atomic(const char *) owner; /* the thread's &perfctr_thread_mark; NULL: unlinked */
	atomic_uint references;	     /* the number of handles and totals, and the thread */
};

/* For an atomic load on arm64 gcc 12 makes two instructions, for a volatile one it makes one. */
static inline bool perfctr_is_own(const struct vperfctr *self)
{
#ifdef __aarch64__
	static_assert(sizeof(self->owner) == sizeof(void *), "a word");
	return *(const char *const volatile *)(const void *)&self->owner == &perfctr_thread_mark;
#else
	return atomic_load_explicit(&self->owner, memory_order_relaxed) == &perfctr_thread_mark;
#endif
}

/* Fails with ESRCH. It is out of line, so that the reads stay leaf functions. Returns -1. */
int perfctr_not_ours(void) __attribute__((noinline, cold));

/* Fails with EINVAL: the handle is NULL. Returns -1. */
int perfctr_no_handle(void) __attribute__((noinline, cold));

/* Fails with EINVAL. Returns -1. */
int perfctr_no_such_counter(unsigned int i) __attribute__((cold));

/* Returns the handle's provider; NULL after perfctr_fail(ESRCH) in a child of fork(). */
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

/*
 * Returns the calling thread's state; NULL: it has none, as in a child of fork().
 * Async-signal-safe.
 */
struct vperfctr *perfctr_attached(void);

/* Sets the calling thread's state; NULL: it has none from now on. */
void perfctr_attach(struct vperfctr *self);

/* Add or remove a reference; the last one to go frees the state. */
void perfctr_hold(struct vperfctr *self);
void perfctr_release(struct vperfctr *self);

/*
 * Read counters that a provider can't read quickly. They are out of line, so that the usual path
 * needs no stack.
 */
unsigned long long perfctr_read_tsc_slow(const struct vperfctr *self) __attribute__((noinline));
unsigned long long perfctr_read_pmc_slow(const struct vperfctr *self, unsigned int i)
	__attribute__((noinline));

/* These are declared hidden for their users, too, so that no relocation is needed. */
#pragma GCC visibility push(hidden)
extern const struct perfctr_provider perfctr_provider_driver, perfctr_provider_perf;
#pragma GCC visibility pop

/* Whether a handle that begins with this word is one of vperfctr_open(). */
static inline bool perfctr_is_provider(const struct perfctr_provider *word)
{
	return word == &perfctr_provider_perf || word == &perfctr_provider_driver;
}

/*
 * Finds the provider that these flags, or else PERFCTR_PROVIDER, ask for, or NULL, and says in a
 * clause which of the two asked. -1 after perfctr_fail(EINVAL).
 */
int perfctr_provider_wished(unsigned int mode, const struct perfctr_provider **wished,
			    const char **why);

/* Chooses the provider for an open with these flags. NULL after perfctr_fail(EINVAL). */
const struct perfctr_provider *perfctr_provider_choose(unsigned int mode);

/* Does the same, and gives the reason as a clause. */
const struct perfctr_provider *perfctr_provider_explain(unsigned int mode, const char **why);

/* Returns the provider that made a descriptor; NULL after perfctr_fail(EBADF): none did. */
const struct perfctr_provider *perfctr_syscalls_provider(int fd);

/* ---- provider_perf.c: functions for syscalls_perf.c ---- */

/* Returns a descriptor of the calling thread's own state; -1 after perfctr_fail(). */
int perfctr_perf_descriptor(struct vperfctr *self);

/* Whether fd is such a descriptor. */
bool perfctr_perf_has_descriptor(const struct vperfctr *self, int fd);

#endif /* PERFCTR_LIB_VIRTUAL_PROVIDER_H */
