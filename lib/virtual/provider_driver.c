// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Virtual counters through the perfctr driver, /dev/perfctr. The kernel keeps the state, in a page
 * that is mapped here; reads take it from there without a system call, by perfctr's own loop.
 *
 * Only a state that counts and samples the TSC can be read so, because the TSC's start value shows
 * whether anything changed in between. All other reads ask the kernel.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/descriptor.h"
#include "lib/base/error.h"
#include "lib/virtual/device.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "perfctr/read.h"

struct state {
	struct vperfctr handle;
	const volatile struct vperfctr_state *page;
	size_t page_size;
	int fd;
	unsigned long identity;		    /* of its file: see lib/base/descriptor.h */
	bool user_reads;		    /* RDPMC works */
	struct perfctr_state_reader reader; /* reads all counters of the control */
	bool is_paused;
	struct vperfctr_control paused; /* the control that a resume restores */
};

static struct state *state_of(const struct vperfctr *self)
{
	return (struct state *)self; /* handle is its first member; callers hold it as const */
}

/*
 * Returns the result of a call to the driver; after a failure ESTALE tells that the program has
 * closed the descriptor. No other file knows the driver's requests, so that the question need not
 * come before the call, where the counters would count it. Another descriptor of the same kind is
 * taken for this one, which only a program has that opens some by itself.
 */
static int told(const struct vperfctr *self, int result)
{
	const struct state *state = state_of(self);

	if (perfctr_likely(result >= 0) || !state->identity ||
	    perfctr_descriptor_is(state->fd, state->identity))
		return result;
	return perfctr_descriptor_fail("the counters");
}

/* ---- reading ---- */

/* Whether the state counts, and can be read in this thread without a system call. */
static bool readable(const struct state *state, unsigned int cstatus)
{
	return perfctr_is_own(&state->handle) && state->user_reads &&
	       perfctr_cstatus_has_tsc(cstatus);
}

/*
 * Whether no overflow has stopped i-mode counters since; if one has, their start values are for the
 * time after the resume.
 */
static bool still(const struct state *state, unsigned int cstatus)
{
	return state->page->cpu_state.cstatus == cstatus;
}

static int read_all(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	return told(self, perfctr_device_read(state_of(self)->fd, sum, NULL));
}

static int read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	if (perfctr_likely(perfctr_is_own(self) &&
			   perfctr_state_reader_read(&state_of(self)->reader, sum)))
		return 0;
	return read_all(self, sum);
}

static unsigned long long read_tsc(const struct vperfctr *self)
{
	const struct state *state = state_of(self);

	if (perfctr_likely(perfctr_is_own(self) &&
			   perfctr_cstatus_has_tsc(state->page->cpu_state.cstatus)))
		return perfctr_state_read_tsc(state->page);
	return perfctr_read_tsc_slow(self);
}

/* This is out of line, so that the usual path needs no stack. */
static __attribute__((noinline)) unsigned long long read_pmc_with_imode(const struct vperfctr *self,
									unsigned int i)
{
	const struct state *state = state_of(self);
	unsigned int cstatus = state->page->cpu_state.cstatus;
	unsigned long long value;

	if (readable(state, cstatus) && i < perfctr_cstatus_nrctrs(cstatus)) {
		value = perfctr_state_read_pmc(state->page, i);
		if (still(state, cstatus))
			return value;
	}
	return perfctr_read_pmc_slow(self, i);
}

static unsigned long long read_pmc(const struct vperfctr *self, unsigned int i)
{
	const struct state *state = state_of(self);
	unsigned int cstatus = state->page->cpu_state.cstatus;

	if (perfctr_likely(readable(state, cstatus) && !perfctr_cstatus_has_ictrs(cstatus) &&
			   i < perfctr_cstatus_nrctrs(cstatus)))
		return perfctr_state_read_pmc(state->page, i);
	return read_pmc_with_imode(self, i);
}

static int read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
		      struct vperfctr_control *control)
{
	return told(self, perfctr_device_read(state_of(self)->fd, sum, control));
}

/* The driver never shares counters, so that running ones are exact. It keeps no times. */
static int read_quality(const struct vperfctr *self, unsigned int i,
			struct perfctr_reading *reading)
{
	unsigned int n = perfctr_cstatus_nrctrs(state_of(self)->page->cpu_state.cstatus);
	struct perfctr_sum_ctrs sum;

	if ((i < n ? read_ctrs(self, &sum) : read_all(self, &sum)) < 0)
		return -1;
	reading->value = sum.pmc[i];
	reading->quality = i < n ? PERFCTR_EXACT : PERFCTR_STALE;
	return 0;
}

static int reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *copy)
{
	if (i >= perfctr_cstatus_nrctrs(state_of(self)->page->cpu_state.cstatus))
		return perfctr_fail(EINVAL, "counter %u is not running", i);
	(void)copy; /* it reads 0 */
	return perfctr_fail(EOPNOTSUPP,
			    "a struct perfctr_reader reads perf_events' pages; read the "
			    "driver's with vperfctr_read_pmc(), or all of it with a struct "
			    "perfctr_state_reader");
}

static int state_reader(const struct vperfctr *self, struct perfctr_state_reader *copy)
{
	const struct state *state = state_of(self);

	if (!state->user_reads)
		return perfctr_fail(EOPNOTSUPP, "the driver says that RDPMC does not work in user "
						"space here; call vperfctr_read_ctrs()");
	if (state->reader.cstatus == PERFCTR_NO_CSTATUS)
		return perfctr_fail(EOPNOTSUPP,
				    "the driver's page can be read only while the TSC counts, too; "
				    "set tsc_on in the control");
	*copy = state->reader;
	return 0;
}

static int is_running(const struct vperfctr *self)
{
	return state_of(self)->page->cpu_state.cstatus != 0;
}

/* ---- control ---- */

static void note_control(struct state *state, const struct vperfctr_control *control)
{
	const struct perfctr_cpu_control *cpu = &control->cpu_control;
	unsigned int n = cpu->nractrs + cpu->nrictrs;

	state->reader.state = state->page;
	state->reader.n = n < PERFCTR_NR_CTRS ? n : PERFCTR_NR_CTRS;
	state->reader.cstatus = state->user_reads && cpu->tsc_on
					? perfctr_mk_cstatus(1, cpu->nractrs, cpu->nrictrs)
					: PERFCTR_NO_CSTATUS;
}

static int driver_control(struct vperfctr *self, const struct vperfctr_control *control)
{
	struct state *state = state_of(self);
	struct perfctr_state_reader before = state->reader;

	/* This comes first, since a handler may see an overflow at once. */
	note_control(state, control);
	if (told(self, perfctr_device_control(state->fd, control)) == 0) {
		state->is_paused = false;
		return 0;
	}
	state->reader = before;
	return -1;
}

static int driver_stop(struct vperfctr *self)
{
	static const struct vperfctr_control nothing;

	return driver_control(self, &nothing);
}

static int check_own(const struct vperfctr *self)
{
	return perfctr_is_own(self)
		       ? 0
		       : perfctr_fail(ESRCH, self->owner ? "these counters belong to another "
							   "thread, which alone can control them"
							 : "these counters have been unlinked; "
							   "open new ones");
}

/* The kernel owns the page, so that a pause is a stop that keeps the control. */
static int driver_pause(struct vperfctr *self)
{
	const struct vperfctr_control nothing = { 0 };
	struct state *state = state_of(self);
	struct vperfctr_control control;

	if (check_own(self) < 0)
		return -1;
	if (!is_running(self))
		return perfctr_fail(EINVAL, state->is_paused ? "the counters are paused already"
							     : "nothing counts: nothing to pause");
	if (read_state(self, NULL, &control) < 0)
		return -1;
	if (control.cpu_control.nrictrs)
		return perfctr_fail(EOPNOTSUPP,
				    "i-mode counters can't be paused: they would overflow in the "
				    "pause; use vperfctr_stop()");
	if (driver_control(self, &nothing) < 0)
		return -1;
	state->paused = control;
	state->paused.preserve = ~0u;
	state->is_paused = true;
	return 0;
}

static int driver_resume(struct vperfctr *self)
{
	struct state *state = state_of(self);

	if (check_own(self) < 0)
		return -1;
	if (!state->is_paused)
		return perfctr_fail(EINVAL, "the counters are not paused: nothing to resume");
	return driver_control(self, &state->paused);
}

static int iresume(struct vperfctr *self)
{
	return told(self, perfctr_device_iresume(state_of(self)->fd));
}

/* ---- opening and closing ---- */

static int create(struct vperfctr *self, unsigned int mode)
{
	struct state *state = state_of(self);
	struct vperfctr_control control;
	struct perfctr_info info;
	void *page;
	int error;

	if (mode & PERFCTR_MULTIPLEX)
		return perfctr_fail(EOPNOTSUPP,
				    "the driver does not multiplex counters; open without "
				    "PERFCTR_MULTIPLEX");
	state->fd = perfctr_device_open_state(0, mode & VPERFCTR_OPEN_CREAT_EXCL, &info);
	if (state->fd < 0 && errno == EOPNOTSUPP)
		return perfctr_fail(ENODEV, "%s, or use perf_events (PERFCTR_PROVIDER=perf)",
				    perfctr_device_problem(ENODEV));
	if (state->fd < 0)
		return -1;
	state->identity = perfctr_descriptor_own_file(state->fd);
	state->page_size = (size_t)sysconf(_SC_PAGESIZE);
	page = mmap(NULL, state->page_size, PROT_READ, MAP_SHARED, state->fd, 0);
	if (page == MAP_FAILED) {
		error = errno;
		if (mode & VPERFCTR_OPEN_CREAT_EXCL)
			perfctr_device_unlink(state->fd);
		perfctr_descriptor_drop(state->fd, state->identity);
		return perfctr_fail(error, "the driver's page can't be mapped: %s",
				    strerror(error));
	}
	state->page = page;
	state->user_reads = info.cpu_features & PERFCTR_FEATURE_RDPMC;
	state->reader.state = page;
	state->reader.cstatus = PERFCTR_NO_CSTATUS;
	/* An existing state may count already. */
	if (!(mode & VPERFCTR_OPEN_CREAT_EXCL) &&
	    perfctr_device_read(state->fd, NULL, &control) == 0)
		note_control(state, &control);
	return 0;
}

/* Opens another thread's state without its page, which only that thread may use. */
static int open_remote(struct vperfctr *self, pid_t tid)
{
	struct state *state = state_of(self);
	struct perfctr_info info;

	state->fd = perfctr_device_open_state(tid, true, &info);
	if (state->fd < 0 && errno == EEXIST)
		state->fd = perfctr_device_open_state(tid, false, &info);
	if (state->fd < 0)
		return -1;
	state->identity = perfctr_descriptor_own_file(state->fd);
	return 0;
}

/* At a thread's end the kernel would unlink the state by itself, too. */
static int detach(struct vperfctr *self)
{
	return told(self, perfctr_device_unlink(state_of(self)->fd));
}

static void destroy(struct vperfctr *self)
{
	const struct state *state = state_of(self);

	if (state->page)
		munmap((void *)(uintptr_t)state->page, state->page_size);
	if (!state->identity)
		perfctr_call_close(state->fd);
	else
		perfctr_descriptor_close(state->fd, state->identity);
}

const struct perfctr_provider perfctr_provider_driver = {
	.name = "driver",
	.state_size = sizeof(struct state),
	.create = create,
	.detach = detach,
	.destroy = destroy,
	.open_remote = open_remote,
	.info = perfctr_device_info,
	.control = driver_control,
	.stop = driver_stop,
	.is_running = is_running,
	.read_tsc = read_tsc,
	.read_pmc = read_pmc,
	.read_ctrs = read_ctrs,
	.read_quality = read_quality,
	.reader = reader,
	.pause = driver_pause,
	.resume = driver_resume,
	.state_reader = state_reader,
	.iresume = iresume,
	.read_state = read_state,
};
