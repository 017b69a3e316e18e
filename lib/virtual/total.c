// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Totals: sums over the virtual counters of several threads. A total holds references to its
 * states, so that they outlive handles and threads.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/virtual/kind.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"

/*
 * A child of fork() finds a total and its table cleared, whoever held the lock. The table is a hash
 * table of the threads' states by address, at most half full.
 */
struct perfctr_total {
	struct perfctr_head head;
	pthread_mutex_t lock;
	size_t n, room; /* room: a power of two; 0: no table yet */
	struct vperfctr **thread;
};

struct perfctr_total *perfctr_total_create(void)
{
	struct perfctr_total *total = perfctr_memory_map(sizeof(*total));

	if (!total)
		return NULL;
	total->head = perfctr_head_of(PERFCTR_KIND_TOTAL);
	pthread_mutex_init(&total->lock, NULL);
	return total;
}

/* 0, or -1 after perfctr_fail(): ESRCH in a child of fork(), EINVAL. */
static int check_kind(const struct perfctr_total *total)
{
	if (perfctr_is_kind(total, PERFCTR_KIND_TOTAL))
		return 0;
	return !perfctr_is_cleared(total)
		       ? perfctr_wrong_kind(total, "a total of perfctr_total_create()")
		       : perfctr_not_ours();
}

/* Returns the place of a state, or the one where it would be. */
static struct vperfctr **place_of(struct vperfctr **table, size_t room, const struct vperfctr *self)
{
	/*
	 * Addresses of states differ by some pages: the upper half of the product depends on all
	 * bits.
	 */
	size_t i = (size_t)((uint64_t)(uintptr_t)self * UINT64_C(0x9E3779B97F4A7C15) >> 32);

	for (;; i++)
		if (!table[i & (room - 1)] || table[i & (room - 1)] == self)
			return &table[i & (room - 1)];
}

static int make_room(struct perfctr_total *total)
{
	size_t room = total->room ? 2 * total->room : 512, i;
	struct vperfctr **larger = perfctr_memory_map(room * sizeof(*larger));

	if (!larger)
		return -1;
	for (i = 0; i < total->room; i++)
		if (total->thread[i])
			*place_of(larger, room, total->thread[i]) = total->thread[i];
	if (total->room)
		perfctr_memory_unmap(total->thread, total->room * sizeof(*total->thread));
	total->thread = larger;
	total->room = room;
	return 0;
}

static int add(struct perfctr_total *total, struct vperfctr *self)
{
	struct vperfctr **place;

	if (2 * total->n >= total->room && make_room(total) < 0)
		return -1;
	place = place_of(total->thread, total->room, self);
	if (*place)
		return perfctr_fail(EEXIST, "these counters are in the total already");
	perfctr_hold(self);
	*place = self;
	total->n++;
	return 0;
}

/* A signal handler of the thread, which may read the total, too, waits until it is unlocked. */
static void lock(struct perfctr_total *total, sigset_t *old)
{
	perfctr_signals_block(old);
	pthread_mutex_lock(&total->lock);
}

static void unlock(struct perfctr_total *total, const sigset_t *old)
{
	pthread_mutex_unlock(&total->lock);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

int perfctr_total_add(struct perfctr_total *total, const struct vperfctr *self)
{
	sigset_t old;
	int result;

	if (!total || !self)
		return perfctr_fail(EINVAL,
				    "perfctr_total_add() needs a total and a handle, not NULL");
	if (check_kind(total) < 0 || !perfctr_provider_of(self))
		return -1;
	if (!perfctr_is_provider(self->provider))
		return perfctr_wrong_kind(self, "a handle of vperfctr_open()");
	lock(total, &old);
	result = add(total, (struct vperfctr *)self);
	unlock(total, &old);
	return result;
}

int perfctr_total_read(struct perfctr_total *total, struct perfctr_sum_ctrs *sum,
		       unsigned int *nthreads)
{
	struct perfctr_sum_ctrs whole = { 0 }, one;
	const struct vperfctr *self;
	unsigned int i;
	sigset_t old;
	int result = 0;
	size_t t;

	if (!total || !sum)
		return perfctr_fail(EINVAL, "perfctr_total_read() needs a total and a place for "
					    "the counts, not NULL");
	if (check_kind(total) < 0)
		return -1;
	lock(total, &old);
	for (t = 0; t < total->room; t++) {
		self = total->thread[t];
		if (!self)
			continue;
		/* vperfctr_read_ctrs() does not read counters that don't run. */
		result = self->provider->read_state(self, &one, NULL);
		if (result < 0)
			break;
		whole.tsc += one.tsc;
		for (i = 0; i < PERFCTR_NR_CTRS; i++)
			whole.pmc[i] += one.pmc[i];
	}
	if (nthreads)
		*nthreads = (unsigned int)total->n;
	unlock(total, &old);
	if (result == 0)
		*sum = whole;
	return result;
}

void perfctr_total_destroy(struct perfctr_total *total)
{
	size_t t;

	if (!total || check_kind(total) < 0)
		return;
	for (t = 0; t < total->room; t++)
		vperfctr_close(total->thread[t]);
	pthread_mutex_destroy(&total->lock);
	if (total->room)
		perfctr_memory_unmap(total->thread, total->room * sizeof(*total->thread));
	perfctr_memory_unmap(total, sizeof(*total));
}
