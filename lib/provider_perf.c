// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Virtual counters over perf_event_open(2).
 *
 * The state that perfctr's kernel kept per thread is kept here, found through a thread-local
 * pointer: one group of events for the counters of a control, so that they are on the PMU together,
 * pinned unless the user shares, and one clock event for the virtual TSC. A counter's value is
 * base + the event's count; "sums" move between base and sum[] as counting starts and stops, and
 * the events themselves are never reset. A stopped group stays open, and is used again if the next
 * control counts the same. The state of another thread (remote.c) differs in this only: it has a clock
 * from the start, and all its reads are read(2).
 *
 * Who touches a state: its thread, and, for totals (process.c), others, which only read it. control,
 * unlink and the thread's end take the lock, and so do reads from other threads; reads of the thread
 * itself need none. A signal handler may read in the middle of a control: what it uses while something
 * runs (bases, readers) is written only while cstatus says that nothing does, and the sums the other
 * way round.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "provider.h"

struct state {
	struct vperfctr handle;
	pid_t tid;			/* another thread's state: whose; else 0 */
	bool shared;			/* VPERFCTR_OPEN_SHARED */
	bool have_clock;
	volatile unsigned int cstatus;	/* what counts now; 0 if stopped */
	unsigned int nr_open;		/* events open in counter[], for the control `opened` */
	uint64_t tsc_base;		/* clock minus this is the running TSC's value */
	uint64_t tsc_sum;		/* the stopped TSC's value */
	struct perfctr_clock clock;
	pthread_mutex_t lock;
	struct vperfctr_control control;	/* the last one accepted */
	struct perfctr_cpu_control opened;
	struct perfctr_counter counter[PERFCTR_NR_CTRS];
	struct perfctr_reader reader[PERFCTR_NR_CTRS];
	uint64_t sum[PERFCTR_NR_CTRS];	/* of the counters that are stopped */
};
static_assert(sizeof(struct state) <= 4096, "a handle is at most one page");
static_assert(PERFCTR_NR_CTRS <= PERFCTR_GROUP_MAX, "a control fits into a group");

static struct state *state_of(const struct vperfctr *self)
{
	return (struct state *)self;	/* handle is its first member; users hold it as const */
}

static bool is_own(const struct state *state)
{
	return perfctr_is_own(&state->handle);
}

static void close_counters(struct perfctr_counter *counter, unsigned int n)
{
	/* The leader last, lest the members go on alone. */
	while (n--)
		perfctr_counter_close(&counter[n]);
}

/* ---- reading ---- */

/*
 * The values of the running counters, and of the TSC in *tsc. 0, or -1 after perfctr_fail() if the
 * kernel has no values. From another thread only with the lock.
 */
static int sample(const struct state *state, uint64_t *tsc, uint64_t *values)
{
	bool own = is_own(state);
	unsigned int i, n = perfctr_cstatus_nrctrs(state->cstatus);
	struct perfctr_group_values group;
	uint64_t now;

	*tsc = state->tsc_sum;
	if (perfctr_cstatus_has_tsc(state->cstatus)) {
		if (perfctr_clock_read(&state->clock, own, &now) < 0)
			return -1;
		*tsc = now - state->tsc_base;
	}
	if (n == 0 || (own && perfctr_reader_read_all(state->reader, n, values)))
		return 0;
	switch (perfctr_counter_read(&state->counter[0], &group, n)) {
	case 0:
		for (i = 0; i < n; i++)
			values[i] = group.values[i] + state->reader[i].base;
		return 0;
	case 1:
		return perfctr_why_taken("the counters");
	}
	return -1;
}

/* Everything, counters that do not run included. */
static int read_all_locked(const struct state *state, struct perfctr_sum_ctrs *sum)
{
	unsigned int i;
	uint64_t tsc;

	if (sample(state, &tsc, (uint64_t *)sum->pmc) < 0)
		return -1;
	sum->tsc = tsc;
	for (i = perfctr_cstatus_nrctrs(state->cstatus); i < PERFCTR_NR_CTRS; i++)
		sum->pmc[i] = state->sum[i];
	return 0;
}

static int read_all(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	struct state *state = state_of(self);
	int result;

	if (is_own(state))
		return read_all_locked(state, sum);
	pthread_mutex_lock(&state->lock);
	result = read_all_locked(state, sum);
	pthread_mutex_unlock(&state->lock);
	return result;
}

static int read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	const struct state *state = state_of(self);
	unsigned int cstatus = state->cstatus;
	uint64_t now;

	if (perfctr_likely(is_own(state) && perfctr_cstatus_has_tsc(cstatus)) &&
	    perfctr_reader_read_all(state->reader, perfctr_cstatus_nrctrs(cstatus),
				    (uint64_t *)sum->pmc) &&
	    perfctr_clock_read(&state->clock, true, &now) == 0) {
		sum->tsc = now - state->tsc_base;
		return 0;
	}
	return read_all(self, sum);
}

static unsigned long long read_tsc(const struct vperfctr *self)
{
	const struct state *state = state_of(self);
	uint64_t now;

	if (perfctr_likely(is_own(state) && perfctr_cstatus_has_tsc(state->cstatus)) &&
	    perfctr_clock_read(&state->clock, true, &now) == 0)
		return now - state->tsc_base;
	return perfctr_read_tsc_slow(self);
}

static unsigned long long read_pmc(const struct vperfctr *self, unsigned int i)
{
	const struct state *state = state_of(self);
	uint64_t value;

	if (perfctr_likely(is_own(state) && i < perfctr_cstatus_nrctrs(state->cstatus)) &&
	    perfctr_likely(perfctr_reader_read(&state->reader[i], &value)))
		return value;
	return perfctr_read_pmc_slow(self, i);
}

static int read_quality_locked(const struct state *state, unsigned int i,
			       struct perfctr_reading *reading)
{
	unsigned int n = perfctr_cstatus_nrctrs(state->cstatus);
	struct perfctr_group_values group;

	if (i >= n) {
		reading->value = state->sum[i];
		reading->quality = PERFCTR_STALE;
		return 0;
	}
	if (!is_own(state) ||
	    !perfctr_reader_read_times(&state->reader[i], &reading->value, &reading->enabled,
				       &reading->running)) {
		switch (perfctr_counter_read(&state->counter[0], &group, n)) {
		case 0:
			reading->value = group.values[i] + state->reader[i].base;
			reading->enabled = group.enabled;
			reading->running = group.running;
			break;
		case 1:
			reading->quality = PERFCTR_NOT_COUNTED;
			return 0;
		default:
			return -1;
		}
	}
	reading->quality = perfctr_quality_of(reading->enabled, reading->running);
	return 0;
}

static int read_quality(const struct vperfctr *self, unsigned int i,
			struct perfctr_reading *reading)
{
	struct state *state = state_of(self);
	int result;

	if (is_own(state))
		return read_quality_locked(state, i, reading);
	pthread_mutex_lock(&state->lock);
	result = read_quality_locked(state, i, reading);
	pthread_mutex_unlock(&state->lock);
	return result;
}

static int reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *copy)
{
	const struct state *state = state_of(self);

	if (i >= perfctr_cstatus_nrctrs(state->cstatus))
		return perfctr_fail(EINVAL, "counter %u is not running", i);
	*copy = state->reader[i];
	if (!state->counter[i].page)
		return perfctr_why_no_reader();
	return 0;
}

static int read_control(const struct vperfctr *self, struct vperfctr_control *control)
{
	*control = state_of(self)->control;
	return 0;
}

static int is_running(const struct vperfctr *self)
{
	return state_of(self)->cstatus != 0;
}

/* ---- starting and stopping ---- */

/* Switch a group on the way out of a failure, whose errno and sentence stay. */
static void undo(const struct perfctr_counter *leader, unsigned long request)
{
	int error = errno;

	ioctl(leader->fd, request, PERF_IOC_FLAG_GROUP);
	errno = error;
}

/* Everything that makes an event, which is not the TSC and not i-mode start values. */
static bool counts_the_same(const struct perfctr_cpu_control *a, const struct perfctr_cpu_control *b)
{
	const size_t first = offsetof(struct perfctr_cpu_control, nractrs);
	const size_t second = offsetof(struct perfctr_cpu_control, ireset) + sizeof(a->ireset);

	return memcmp(&a->nractrs, &b->nractrs,
		      offsetof(struct perfctr_cpu_control, ireset) - first) == 0 &&
	       memcmp((const char *)a + second, (const char *)b + second, sizeof(*a) - second) == 0;
}

static int open_counters(const struct state *state, const struct perfctr_cpu_control *control,
			 struct perfctr_counter *counter)
{
	unsigned int i, n = control->nractrs;
	char name[32];

	for (i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .read_format = PERFCTR_READ_FORMAT,
			.disabled = i == 0, .pinned = i == 0 && !state->shared,
		};

		if (perfctr_control_attr(control, i, &attr, name, sizeof(name)) < 0 ||
		    perfctr_counter_open(&counter[i], &attr, name, state->tid, -1,
					 i ? counter : NULL, i) < 0) {
			close_counters(counter, i);
			return -1;
		}
		if (!state->tid)
			perfctr_counter_map(&counter[i], PERFCTR_PAGE_COUNT);
	}
	return 0;
}

/*
 * Start a stopped group of n, and fill in its readers so that their values begin at 0 now. 0, or -1
 * after perfctr_fail(), with the group stopped.
 */
static int start(const struct perfctr_counter *counter, struct perfctr_reader *reader,
		 unsigned int n)
{
	struct perfctr_group_values group;
	uint64_t values[PERFCTR_NR_CTRS];
	unsigned int i;
	int result = 0;

	for (i = 0; i < n; i++)
		perfctr_counter_reader(&counter[i], &reader[i]);
	if (perfctr_counter_ioctl(&counter[0], PERF_EVENT_IOC_ENABLE) < 0)
		return -1;
	if (!perfctr_reader_read_all(reader, n, values)) {
		/* Because they can't be read in user space, or because there is no room for them. */
		result = perfctr_counter_read(&counter[0], &group, n);
		if (result == 1)
			result = perfctr_why_taken("the counters");
		if (result < 0)
			undo(&counter[0], PERF_EVENT_IOC_DISABLE);
		else
			memcpy(values, group.values, sizeof(values[0]) * n);
	}
	for (i = 0; i < n && result == 0; i++)
		reader[i].base = -values[i];
	return result;
}

/* Let the TSC go on from its sum. */
static void start_tsc(struct state *state)
{
	uint64_t now = 0;

	perfctr_clock_read(&state->clock, is_own(state), &now);
	state->tsc_base = now - state->tsc_sum;
}

/* Set sums as a control wants them, and the bases so that counting goes on there. */
static void set_sums(struct state *state, const struct vperfctr_control *control, unsigned int n)
{
	unsigned int i;

	if (control->cpu_control.tsc_on)
		start_tsc(state);
	else
		state->tsc_sum = 0;

	for (i = 0; i < n; i++) {
		if (!(control->preserve & 1u << i))
			state->sum[i] = 0;
		state->reader[i].base += state->sum[i];
	}
}

/* Stop what runs and keep its values in the sums; the group stays open. */
static int stop(struct state *state)
{
	unsigned int n = perfctr_cstatus_nrctrs(state->cstatus);
	uint64_t values[PERFCTR_NR_CTRS], tsc;
	int result = sample(state, &tsc, values);

	if (result == 0) {
		state->tsc_sum = tsc;
		memcpy(state->sum, values, sizeof(values[0]) * n);
	}
	atomic_signal_fence(memory_order_seq_cst);
	state->cstatus = 0;
	if (n && perfctr_counter_ioctl(&state->counter[0], PERF_EVENT_IOC_DISABLE) < 0)
		result = -1;
	return result;
}

static int check_control(const struct state *state, const struct vperfctr_control *control)
{
	if (!is_own(state) && !state->tid)
		return perfctr_fail(ESRCH, state->handle.owner ?
				    "these counters belong to another thread, which alone can control them" :
				    "these counters have been unlinked; open new ones");
	if (perfctr_control_words(control) < 0 ||
	    perfctr_cpu_control_check(&control->cpu_control) < 0)
		return -1;
	if (control->cpu_control.nrictrs)
		return perfctr_fail(EOPNOTSUPP, "this release can't deliver overflow signals through "
				    "perf_events; use a-mode counters (nrictrs = 0)");
	return 0;
}

static int perf_control(struct vperfctr *self, const struct vperfctr_control *control)
{
	const struct perfctr_cpu_control *cpu = &control->cpu_control;
	struct state *state = state_of(self);
	struct perfctr_counter fresh[PERFCTR_NR_CTRS];
	struct perfctr_reader readers[PERFCTR_NR_CTRS];
	unsigned int n, old = state->cstatus, cstatus;
	bool reuse;
	int result = -1;

	/* Nothing is touched before everything that can be refused has been. */
	if (check_control(state, control) < 0)
		return -1;
	n = cpu->nractrs;
	cstatus = perfctr_mk_cstatus(cpu->tsc_on, n, 0);
	reuse = n && n == state->nr_open && !state->shared && counts_the_same(cpu, &state->opened);
	if (n && !reuse && open_counters(state, cpu, fresh) < 0)
		return -1;
	if (cpu->tsc_on && !state->have_clock) {
		perfctr_clock_open(&state->clock);
		state->have_clock = true;
	}

	pthread_mutex_lock(&state->lock);
	if (old && stop(state) < 0)
		goto out;
	if (!cstatus) {
		state->control = *control;
		result = 0;
		goto out;
	}
	if (n && start(reuse ? state->counter : fresh, readers, n) < 0) {
		/* No room for the new counters: the old ones go on as if nothing had happened. */
		if (perfctr_cstatus_nrctrs(old))
			undo(&state->counter[0], PERF_EVENT_IOC_ENABLE);
		if (perfctr_cstatus_has_tsc(old))
			start_tsc(state);
		atomic_signal_fence(memory_order_seq_cst);
		state->cstatus = old;
		goto out;
	}
	if (n && !reuse) {
		close_counters(state->counter, state->nr_open);
		memcpy(state->counter, fresh, sizeof(fresh[0]) * n);
		state->nr_open = n;
		state->opened = *cpu;
	}
	memcpy(state->reader, readers, sizeof(readers[0]) * n);
	set_sums(state, control, n);
	state->control = *control;
	atomic_signal_fence(memory_order_seq_cst);
	state->cstatus = cstatus;
	result = 0;
out:
	pthread_mutex_unlock(&state->lock);
	if (result < 0 && !reuse)
		close_counters(fresh, n);
	return result;
}

/* ---- opening and closing ---- */

static int create(struct vperfctr *self, unsigned int mode)
{
	struct state *state = state_of(self);
	unsigned int i;

	if (!(mode & VPERFCTR_OPEN_CREAT_EXCL))
		return perfctr_fail(ENODEV, "this thread has no counters yet; create them with "
				    "VPERFCTR_OPEN_CREAT_EXCL");
	pthread_mutex_init(&state->lock, NULL);
	state->shared = mode & VPERFCTR_OPEN_SHARED;
	for (i = 0; i < PERFCTR_NR_CTRS; i++)
		state->counter[i].fd = -1;
	return 0;
}

int perfctr_perf_watch(struct vperfctr *self, pid_t tid)
{
	struct state *state = state_of(self);

	if (create(self, VPERFCTR_OPEN_CREAT_EXCL) < 0)
		return -1;
	if (perfctr_clock_watch(&state->clock, tid) < 0) {
		pthread_mutex_destroy(&state->lock);
		return -1;
	}
	state->have_clock = true;
	state->tid = tid;
	return 0;
}

int perfctr_perf_is_alive(const struct vperfctr *self)
{
	return perfctr_clock_is_on(&state_of(self)->clock);
}

static int detach(struct vperfctr *self)
{
	struct state *state = state_of(self);
	int result = 0;

	pthread_mutex_lock(&state->lock);
	if (state->cstatus)
		result = stop(state);
	close_counters(state->counter, state->nr_open);
	state->nr_open = 0;
	if (state->have_clock)
		perfctr_clock_close(&state->clock);
	state->have_clock = false;
	pthread_mutex_unlock(&state->lock);
	return result;
}

static void destroy(struct vperfctr *self)
{
	struct state *state = state_of(self);

	/* Another thread's may still count. */
	close_counters(state->counter, state->nr_open);
	if (state->have_clock)
		perfctr_clock_close(&state->clock);
	pthread_mutex_destroy(&state->lock);
}

static int iresume(struct vperfctr *self)
{
	(void)self;
	return perfctr_fail(EINVAL, "no i-mode counter has overflowed: nothing to resume");
}

/* ---- facts ---- */

/* Whether this thread could read a hardware counter in user space. */
static bool user_reads_work(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	struct perfctr_counter counter;
	bool works;

	if (perfctr_counter_open(&counter, &attr, "cycles", 0, -1, NULL, 0) < 0)
		return false;
	works = perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT);
	perfctr_counter_close(&counter);
	return works;
}

static int perf_info(struct perfctr_info *info)
{
	struct utsname system;

	memset(info, 0, sizeof(*info));
	info->abi_version = PERFCTR_ABI_VERSION;
	snprintf(info->driver_version, sizeof(info->driver_version), "perf_events %.19s",
		 uname(&system) == 0 ? system.release : "");
	perfctr_cpu_info(info);
	if (user_reads_work())
		info->cpu_features |= PERFCTR_FEATURE_RDPMC;
	if (PERFCTR_HAVE_RDTSC)
		info->cpu_features |= PERFCTR_FEATURE_RDTSC;
	return 0;
}

const struct perfctr_provider perfctr_provider_perf = {
	.name = "perf",
	.state_size = sizeof(struct state),
	.create = create,
	.detach = detach,
	.destroy = destroy,
	.info = perf_info,
	.control = perf_control,
	.is_running = is_running,
	.read_tsc = read_tsc,
	.read_pmc = read_pmc,
	.read_ctrs = read_ctrs,
	.read_control = read_control,
	.read_quality = read_quality,
	.reader = reader,
	.iresume = iresume,
	.read_all = read_all,
};
