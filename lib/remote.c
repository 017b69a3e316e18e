// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Another thread's virtual counters, while it is stopped under the caller's ptrace(2).
 *
 * The driver keeps such a state with its thread, and verifies in each call that the thread stands
 * still; nothing is kept here but the descriptor. Perf_events knows of neither: the state lies
 * here, listed by its thread's id, and ptrace(2) itself is asked who stands still.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/device.h"
#include "lib/info.h"
#include "lib/provider.h"
#include "libperfctr.h"

/* Lies, like the states, in memory that a child of fork() finds cleared. */
struct rvperfctr {
	int pid;		/* 0 in a child of fork() */
	int fd;			/* the driver's state */
	struct vperfctr *state; /* perf_events' */
};

/* ---- perf_events' states ---- */

struct entry {
	struct entry *next;
	pid_t tid;
	struct vperfctr *state;
};

/*
 * The states that threads have. Cleared memory is an empty list and a free lock, so that a child of
 * fork() has none of the parent's, whatever its threads were doing.
 */
struct list {
	pthread_mutex_t lock;
	struct entry *first;
};

/* Who owns a state of this file that has not been unlinked: no thread of this process. */
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

static void drop(struct entry **at)
{
	struct entry *entry = *at;

	*at = entry->next;
	perfctr_release(entry->state);
	perfctr_memory_unmap(entry, sizeof(*entry));
}

/* Drop what is unlinked, and ended threads' that nobody has a handle on. With the lock. */
static void clean_up(struct list *list)
{
	struct entry **at = &list->first;

	while (*at) {
		struct vperfctr *state = (*at)->state;

		if (!state->owner ||
		    (atomic_load(&state->references) == 1 && perfctr_perf_is_alive(state) == 0))
			drop(at);
		else
			at = &(*at)->next;
	}
}

/* 0, or -1 with errno only, ESRCH. The kernel knows whether it is stopped, and our tracee. */
static int check_stopped(pid_t tid)
{
	unsigned long message;

	return ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) < 0 ? -1 : 0;
}

/* The state of a thread, held for the caller; NULL after perfctr_fail(). With the lock. */
static struct vperfctr *find_or_make(struct list *list, pid_t tid)
{
	const size_t size = perfctr_provider_perf.state_size;
	struct vperfctr *state;
	struct entry **at = &list->first, *entry;
	int alive;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	if (*at) {
		alive = perfctr_perf_is_alive((*at)->state);
		if (alive < 0)
			return NULL;
		if (alive) {
			perfctr_hold((*at)->state);
			return (*at)->state;
		}
		/* Another thread's, that had this id. */
		drop(at);
	}
	entry = perfctr_memory_map(sizeof(*entry));
	state = entry ? perfctr_memory_map(size) : NULL;
	if (!state || perfctr_perf_watch(state, tid) < 0) {
		if (state)
			perfctr_memory_unmap(state, size);
		if (entry)
			perfctr_memory_unmap(entry, sizeof(*entry));
		return NULL;
	}
	state->provider = &perfctr_provider_perf;
	state->owner = &elsewhere;
	atomic_init(&state->references, 2); /* the list's and the handle's */
	*entry = (struct entry){ .next = list->first, .tid = tid, .state = state };
	list->first = entry;
	return state;
}

static int open_perf(struct rvperfctr *remote)
{
	struct list *list;

	if (check_stopped(remote->pid) < 0)
		return perfctr_fail_not_stopped(remote->pid);
	list = get_list();
	if (!list)
		return -1;
	pthread_mutex_lock(&list->lock);
	clean_up(list);
	remote->state = find_or_make(list, remote->pid);
	pthread_mutex_unlock(&list->lock);
	return remote->state ? 0 : -1;
}

static void close_perf(struct rvperfctr *remote)
{
	struct list *list = get_list();

	perfctr_release(remote->state);
	pthread_mutex_lock(&list->lock);
	clean_up(list);
	pthread_mutex_unlock(&list->lock);
}

/* May its counts be read? Yes, if they don't change. 0, or -1 after perfctr_fail(). */
static int check_readable(const struct rvperfctr *remote)
{
	int alive;

	if (!remote->state->owner)
		return 0;
	alive = perfctr_perf_is_alive(remote->state);
	if (alive <= 0)
		return alive;
	return check_stopped(remote->pid) == 0 ? 0 : perfctr_fail_out_of_reach();
}

/* May they be changed? */
static int check_controllable(const struct rvperfctr *remote)
{
	int alive;

	if (!remote->state->owner)
		return perfctr_fail_out_of_reach();
	alive = perfctr_perf_is_alive(remote->state);
	if (alive < 0)
		return -1;
	return alive && check_stopped(remote->pid) == 0 ? 0 : perfctr_fail_out_of_reach();
}

static int read_perf(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum,
		     struct vperfctr_control *control)
{
	const struct perfctr_provider *provider = &perfctr_provider_perf;

	if (check_readable(remote) < 0 || (sum && provider->read_ctrs(remote->state, sum) < 0))
		return -1;
	return control ? provider->read_control(remote->state, control) : 0;
}

static int control_perf(const struct rvperfctr *remote, const struct vperfctr_control *control)
{
	if (control->cpu_control.nrictrs)
		return perfctr_fail(EOPNOTSUPP,
				    "perf_events has no overflow signals for another "
				    "thread's counters: their events are this process's; use "
				    "a-mode counters (nrictrs = 0), or load the perfctr driver");
	return check_controllable(remote) < 0
		       ? -1
		       : perfctr_provider_perf.control(remote->state, control);
}

static int unlink_perf(const struct rvperfctr *remote)
{
	struct vperfctr *state = remote->state;
	int result;

	if (!state->owner)
		return 0;
	if (check_readable(remote) < 0)
		return -1;
	result = perfctr_provider_perf.detach(state);
	state->owner = NULL; /* and so the list drops it */
	return result;
}

/* ---- the calls ---- */

struct rvperfctr *rvperfctr_open(int pid)
{
	const struct perfctr_provider *provider;
	struct rvperfctr *remote;
	int result;

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
	remote->pid = pid;
	if (provider == &perfctr_provider_perf) {
		result = open_perf(remote);
	} else {
		result = sys_vperfctr_open(pid, 1);
		if (result < 0 && errno == EEXIST)
			result = sys_vperfctr_open(pid, 0);
		remote->fd = result;
	}
	if (result >= 0)
		return remote;
	perfctr_memory_unmap(remote, sizeof(*remote));
	return NULL;
}

static int check_handle(const struct rvperfctr *remote)
{
	if (!remote)
		return perfctr_fail(EINVAL,
				    "rvperfctr_*() need a handle of rvperfctr_open(), not NULL");
	return remote->pid ? 0 : perfctr_not_ours();
}

int rvperfctr_pid(const struct rvperfctr *remote)
{
	return check_handle(remote) < 0 ? -1 : remote->pid;
}

int rvperfctr_info(const struct rvperfctr *remote, struct perfctr_info *info)
{
	if (check_handle(remote) < 0)
		return -1;
	if (!info)
		return perfctr_fail(EINVAL,
				    "rvperfctr_info() needs a place for the result, not NULL");
	return perfctr_provider_info(remote->state ? &perfctr_provider_perf
						   : &perfctr_provider_driver,
				     info);
}

int rvperfctr_read_ctrs(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum)
{
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
	if (check_handle(remote) < 0)
		return -1;
	return remote->state ? read_perf(remote, sum, control)
			     : sys_vperfctr_read(remote->fd, sum, control);
}

int rvperfctr_control(const struct rvperfctr *remote, struct vperfctr_control *control)
{
	if (check_handle(remote) < 0)
		return -1;
	if (!control)
		return perfctr_fail(EINVAL, "rvperfctr_control() needs a control, not NULL");
	return remote->state ? control_perf(remote, control)
			     : sys_vperfctr_control(remote->fd, control);
}

int rvperfctr_stop(const struct rvperfctr *remote)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	return rvperfctr_control(remote, &control);
}

int rvperfctr_iresume(const struct rvperfctr *remote)
{
	if (check_handle(remote) < 0)
		return -1;
	if (!remote->state)
		return sys_vperfctr_iresume(remote->fd);
	if (check_controllable(remote) < 0)
		return -1;
	return perfctr_fail(EINVAL,
			    "nothing to resume: over perf_events another thread has no i-mode "
			    "counters that could have overflowed");
}

int rvperfctr_unlink(const struct rvperfctr *remote)
{
	if (check_handle(remote) < 0)
		return -1;
	return remote->state ? unlink_perf(remote) : sys_vperfctr_unlink(remote->fd);
}

void rvperfctr_close(struct rvperfctr *remote)
{
	/* In a child of fork() the handle was wiped. */
	if (!remote || !remote->pid)
		return;
	if (remote->state)
		close_perf(remote);
	else
		close(remote->fd);
	perfctr_memory_unmap(remote, sizeof(*remote));
}
