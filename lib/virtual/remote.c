// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Another thread's virtual counters, while it is stopped under the caller's ptrace(2).
 *
 * The driver keeps such a state with its thread, and verifies in each call that the thread is
 * stopped; each handle has a descriptor of its own. perf_events does neither: the state is kept
 * here, in a list by thread id, and ptrace(2) is asked whether the thread is stopped.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/virtual/device.h"
#include "lib/virtual/info.h"
#include "lib/virtual/kind.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"

/* A handle. A child of fork() finds its memory cleared, as that of the states. */
struct rvperfctr {
	struct perfctr_head head;
	int pid; /* 0 in a child of fork() */
	struct vperfctr *state;
};

/* ---- states that are kept here ---- */

struct entry {
	struct entry *next;
	pid_t tid;
	struct vperfctr *state;
};

#define CHAINS 256

/*
 * The states of threads, by thread id. A child of fork() finds this memory cleared, and so has an
 * empty list and a free lock, whatever the parent's threads were doing.
 */
struct list {
	pthread_mutex_t lock;
	unsigned int n;	    /* number of states */
	unsigned int calls; /* calls since all states were last checked */
	struct entry *first[CHAINS];
};

/* The owner of a state in this file that is not unlinked: it is no thread of this process. */
static const char elsewhere;

static struct list *get_list(void)
{
	static _Atomic(struct list *) known;
	struct list *list = atomic_load(&known), *fresh;

	if (list)
		return list;
	fresh = perfctr_memory_map(sizeof(*fresh));
	if (!fresh || atomic_compare_exchange_strong(&known, &list, fresh))
		return fresh;
	perfctr_memory_unmap(fresh, sizeof(*fresh));
	return list; /* another thread was first */
}

static void drop(struct list *list, struct entry **at)
{
	struct entry *entry = *at;

	*at = entry->next;
	list->n--;
	perfctr_release(entry->state);
	perfctr_memory_unmap(entry, sizeof(*entry));
}

static bool is_out_of_reach(const struct vperfctr *state)
{
	enum perfctr_life life = state->provider->reach(state);

	return life == PERFCTR_LIFE_OVER || life == PERFCTR_LIFE_STALE;
}

/*
 * Whether it is unlinked, or its thread has ended (or the program has closed its clock) and there
 * is no handle. The latter takes system calls.
 */
static bool is_over(const struct vperfctr *state)
{
	return !state->owner || (atomic_load(&state->references) == 1 && is_out_of_reach(state));
}

/* Returns the pointer to this thread's entry; it points to NULL if there is none. */
static struct entry **find(struct list *list, pid_t tid)
{
	struct entry **at = &list->first[(unsigned int)tid % CHAINS];

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	return at;
}

/*
 * Drops states that are over. Each call comes here, with the lock held, but only one in n calls
 * checks all n states, so that the time for many tracees does not grow as the square of their
 * number.
 */
static void clean_up(struct list *list)
{
	struct entry **at;
	unsigned int i;

	if (++list->calls < list->n)
		return;
	list->calls = 0;
	for (i = 0; i < CHAINS; i++)
		for (at = &list->first[i]; *at;)
			if (is_over((*at)->state))
				drop(list, at);
			else
				at = &(*at)->next;
}

/*
 * Asks the kernel whether the thread is stopped, and our tracee. 0, or -1 with errno only, ESRCH.
 */
static int check_stopped(pid_t tid)
{
	unsigned long message;

	return ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) < 0 ? -1 : 0;
}

/* Makes a new handle's state. NULL after perfctr_fail(). */
static struct vperfctr *make(const struct perfctr_provider *provider, pid_t tid)
{
	struct vperfctr *state = perfctr_memory_take(provider->state_size);

	if (!state)
		return NULL;
	if (provider->open_remote(state, tid) < 0) {
		perfctr_memory_give(state, provider->state_size);
		return NULL;
	}
	state->provider = provider;
	state->owner = &elsewhere;
	atomic_init(&state->references, 1);
	return state;
}

static struct vperfctr *make_entry(struct list *list, struct entry **at,
				   const struct perfctr_provider *provider, pid_t tid)
{
	struct entry *entry = perfctr_memory_map(sizeof(*entry));
	struct vperfctr *state = entry ? make(provider, tid) : NULL;

	if (state) {
		perfctr_hold(state);
		*entry = (struct entry){ .next = *at, .tid = tid, .state = state };
		*at = entry;
		list->n++;
	} else if (entry) {
		perfctr_memory_unmap(entry, sizeof(*entry));
	}
	return state;
}

/*
 * Returns the state of a thread, with a reference for the caller; NULL after perfctr_fail(). The
 * lock is held.
 */
static struct vperfctr *find_or_make(struct list *list, const struct perfctr_provider *provider,
				     pid_t tid)
{
	struct entry **at = find(list, tid);

	if (!*at)
		return make_entry(list, at, provider, tid);
	switch ((*at)->state->owner ? provider->reach((*at)->state) : PERFCTR_LIFE_OVER) {
	case PERFCTR_LIFE_UNKNOWN: return NULL;
	case PERFCTR_LIFE_ON: perfctr_hold((*at)->state); return (*at)->state;
	default:
		/* It is unlinked, or an earlier thread had this id. */
		drop(list, at);
		return make_entry(list, at, provider, tid);
	}
}

static struct vperfctr *open_listed(const struct perfctr_provider *provider, pid_t tid)
{
	struct list *list;
	struct vperfctr *state;

	if (check_stopped(tid) < 0) {
		perfctr_fail_not_stopped(tid);
		return NULL;
	}
	list = get_list();
	if (!list)
		return NULL;
	pthread_mutex_lock(&list->lock);
	clean_up(list);
	state = find_or_make(list, provider, tid);
	pthread_mutex_unlock(&list->lock);
	return state;
}

static bool is_listed(const struct vperfctr *state)
{
	return state->provider->reach != NULL;
}

/*
 * Whether its counts may be read, or changed; final counts may always be read. 0, or -1 after
 * perfctr_fail().
 */
static int check_reach(const struct rvperfctr *remote, bool change)
{
	const struct vperfctr *state = remote->state;

	if (!is_listed(state))
		return 0;
	switch (state->owner ? state->provider->reach(state) : PERFCTR_LIFE_OVER) {
	case PERFCTR_LIFE_UNKNOWN:
	case PERFCTR_LIFE_STALE: return -1;
	case PERFCTR_LIFE_OVER: return change ? perfctr_fail_out_of_reach() : 0;
	default: return check_stopped(remote->pid) == 0 ? 0 : perfctr_fail_out_of_reach();
	}
}

/* ---- the calls ---- */

struct rvperfctr *rvperfctr_open(int pid)
{
	const struct perfctr_provider *provider;
	struct rvperfctr *remote;

	if (pid <= 0) {
		perfctr_fail(EINVAL, "rvperfctr_open() needs the id of a thread, not %d", pid);
		return NULL;
	}
	provider = perfctr_provider_choose(0);
	if (!provider)
		return NULL;
	remote = perfctr_memory_map(sizeof(*remote));
	if (!remote)
		return NULL;
	remote->head = perfctr_head_of(PERFCTR_KIND_REMOTE);
	remote->pid = pid;
	remote->state = provider->reach ? open_listed(provider, pid) : make(provider, pid);
	if (remote->state)
		return remote;
	perfctr_memory_unmap(remote, sizeof(*remote));
	return NULL;
}

static int check_handle(const struct rvperfctr *remote)
{
	if (!remote)
		return perfctr_fail(EINVAL,
				    "rvperfctr_*() need a handle of rvperfctr_open(), not NULL");
	if (perfctr_is_kind(remote, PERFCTR_KIND_REMOTE))
		return 0;
	return !perfctr_is_cleared(remote)
		       ? perfctr_wrong_kind(remote, "a handle of rvperfctr_open()")
		       : perfctr_not_ours();
}

/*
 * In 2.6, such a handle began with one of the caller's own thread, and programs, PAPI's component
 * among them, passed one of those. Then the calls do what those named vperfctr_* do.
 */
static struct vperfctr *own_of(const struct rvperfctr *remote)
{
	return remote && perfctr_is_provider(remote->head.provider)
		       ? (struct vperfctr *)(void *)remote
		       : NULL;
}

int rvperfctr_pid(const struct rvperfctr *remote)
{
	return check_handle(remote) < 0 ? -1 : remote->pid;
}

int rvperfctr_info(const struct rvperfctr *remote, struct perfctr_info *info)
{
	struct vperfctr *own = own_of(remote);

	if (own)
		return vperfctr_info(own, info);
	if (check_handle(remote) < 0)
		return -1;
	if (!info)
		return perfctr_fail(EINVAL,
				    "rvperfctr_info() needs a place for the result, not NULL");
	return perfctr_provider_info(remote->state->provider, info);
}

int rvperfctr_read_ctrs(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum)
{
	struct vperfctr *own = own_of(remote);

	if (own)
		return vperfctr_read_ctrs(own, sum);
	if (check_handle(remote) < 0)
		return -1;
	if (!sum)
		return perfctr_fail(EINVAL,
				    "rvperfctr_read_ctrs() needs a place for the counts, not NULL");
	return rvperfctr_read_state(remote, sum, NULL);
}

int rvperfctr_read_state(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control)
{
	struct vperfctr *own = own_of(remote);

	if (own)
		return vperfctr_read_state(own, sum, control);
	if (check_handle(remote) < 0)
		return -1;
	if (check_reach(remote, false) < 0)
		return -1;
	return remote->state->provider->read_state(remote->state, sum, control);
}

int rvperfctr_control(const struct rvperfctr *remote, struct vperfctr_control *control)
{
	struct vperfctr *own = own_of(remote);

	if (own)
		return vperfctr_control(own, control);
	if (check_handle(remote) < 0)
		return -1;
	if (!control)
		return perfctr_fail(EINVAL, "rvperfctr_control() needs a control, not NULL");
	if (check_reach(remote, true) < 0)
		return -1;
	return remote->state->provider->control(remote->state, control);
}

int rvperfctr_stop(const struct rvperfctr *remote)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	return rvperfctr_control(remote, &control);
}

int rvperfctr_iresume(const struct rvperfctr *remote)
{
	struct vperfctr *own = own_of(remote);

	if (own)
		return vperfctr_iresume(own);
	if (check_handle(remote) < 0)
		return -1;
	if (check_reach(remote, true) < 0)
		return -1;
	return remote->state->provider->iresume(remote->state);
}

int rvperfctr_unlink(const struct rvperfctr *remote)
{
	struct vperfctr *state, *own = own_of(remote);
	int result;

	if (own)
		return vperfctr_unlink(own);
	if (check_handle(remote) < 0)
		return -1;
	state = remote->state;
	if (!state->owner)
		return 0;
	if (check_reach(remote, false) < 0)
		return -1;
	result = state->provider->detach(state);
	if (is_listed(state))
		state->owner = NULL; /* the list drops it therefore */
	return result;
}

/* Drops a handle's state, if it is over. */
static void close_listed(struct vperfctr *state, pid_t tid)
{
	struct list *list = get_list();
	struct entry **at;

	pthread_mutex_lock(&list->lock);
	perfctr_release(state);
	at = find(list, tid);
	if (*at && (*at)->state == state && is_over(state))
		drop(list, at);
	clean_up(list);
	pthread_mutex_unlock(&list->lock);
}

void rvperfctr_close(struct rvperfctr *remote)
{
	struct vperfctr *own = own_of(remote);

	/* In a child of fork() the handle was cleared. */
	if (own)
		vperfctr_close(own);
	if (own || !remote || perfctr_is_cleared(remote) || check_handle(remote) < 0)
		return;
	if (is_listed(remote->state))
		close_listed(remote->state, remote->pid);
	else
		perfctr_release(remote->state);
	perfctr_memory_unmap(remote, sizeof(*remote));
}
