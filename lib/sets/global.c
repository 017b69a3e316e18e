// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * System-wide counters: a set of perf_events on each processor that has a control. perfctr's kernel
 * had one set of them for the machine; here each handle has its own.
 *
 * The events are opened at the start and closed at the stop, so that the sums begin at zero and no
 * counter is held in between. A control is tried out beforehand, by opening the events once.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/virtual/info.h"
#include "lib/isa/control.h"
#include "lib/isa/tsc.h"
#include "lib/virtual/kind.h"
#include "lib/perf/check.h"
#include "lib/perf/why.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/* perfctr's sampling timer was not to run more often. Nothing needs one here. */
#define MIN_INTERVAL_USEC 10000

struct processor {
	bool known;		 /* has had a control */
	bool armed;		 /* its control counts, or will from the start on */
	int problem;		 /* after a stop: the last sample's error */
	struct perfctr_set *set; /* counts; NULL: stopped */
	struct perfctr_cpu_control control;
	struct perfctr_sum_ctrs sum; /* of the last successful sample */
};

/* Lies in memory that a child of fork() finds cleared. Untouched pages of it take no room. */
struct gperfctr {
	struct perfctr_head head; /* a child of fork() finds it cleared */
	bool running;
	unsigned int end;   /* processors from here on are not known */
	unsigned int armed; /* how many are */
	struct processor processor[PERFCTR_MAX_CPUS];
};

static struct gperfctr *mutable(const struct gperfctr *global)
{
	/* History's prototypes promise more than they keep. */
	return (struct gperfctr *)global;
}

static int check_handle(const struct gperfctr *global)
{
	if (!global)
		return perfctr_fail(EINVAL, "gperfctr_*() need a handle of gperfctr_open(), not "
					    "NULL");
	if (!perfctr_is_cleared(global) && !perfctr_is_kind(global, PERFCTR_KIND_GLOBAL))
		return perfctr_wrong_kind(global, "a handle of gperfctr_open()");
	if (perfctr_is_cleared(global))
		return perfctr_fail(ESRCH, "these counters belong to the parent process; a child "
					   "opens its own");
	return 0;
}

static bool counts_anything(const struct perfctr_cpu_control *control)
{
	return perfctr_mk_cstatus(control->tsc_on, control->nractrs, control->nrictrs) != 0;
}

/* ---- one processor ---- */

/* Names the processor in the last error. Returns -1. */
static int blame(unsigned int cpu)
{
	return perfctr_fail(errno, "processor %u: %s", cpu, perfctr_error());
}

/*
 * Opens a set for the control, stopped. Its time is the TSC, so that the TSC alone has a set, too.
 */
static struct perfctr_set *open_set(unsigned int cpu, const struct perfctr_cpu_control *control)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_CPU, .id = (int)cpu };
	struct perfctr_cpu_control seen = *control;
	struct perfctr_set *set;

	if (perfctr_cpu_online(cpu) < 0)
		return NULL;
	perfctr_control_hide(&seen);
	set = control->nractrs ? perfctr_set_open_control(&seen, &target, PERFCTR_DISABLED)
			       : perfctr_set_open("cpu-clock", &target, PERFCTR_DISABLED);
	if (!set)
		blame(cpu);
	return set;
}

static int fail_sample(int error, unsigned int cpu)
{
	if (error == ENODEV)
		return perfctr_fail(ENODEV,
				    "processor %u has been offline, which has ended its "
				    "counting; the sums are those of that moment; stop, set its "
				    "control and start again",
				    cpu);
	if (error == EBUSY)
		perfctr_why_taken("the counters");
	else
		perfctr_fail(error, "its counters could not be read when they were stopped");
	return blame(cpu);
}

/* Bring the sums of a processor that counts up to date. With ENODEV they are the final ones. */
static int sample(struct processor *processor, unsigned int cpu)
{
	const struct perfctr_rate rate = perfctr_rate_from_khz(perfctr_tsc_khz());
	const struct perfctr_cpu_control *control = &processor->control;
	struct perfctr_reading readings[PERFCTR_NR_CTRS];
	unsigned int i;

	if (perfctr_set_read(processor->set, readings) < 0)
		return blame(cpu);
	if (control->tsc_on)
		processor->sum.tsc = perfctr_rate_ticks(rate, readings[0].enabled);
	for (i = 0; i < control->nractrs; i++)
		processor->sum.pmc[i] = readings[i].value;
	return readings[0].quality == PERFCTR_STALE ? fail_sample(ENODEV, cpu) : 0;
}

/* ---- all processors ---- */

static void close_sets(struct gperfctr *global)
{
	unsigned int cpu;

	for (cpu = 0; cpu < global->end; cpu++) {
		perfctr_set_close(global->processor[cpu].set);
		global->processor[cpu].set = NULL;
	}
}

struct gperfctr *gperfctr_open(void)
{
	const struct perfctr_provider *wished;
	struct gperfctr *global;
	const char *why;

	if (perfctr_provider_wished(0, &wished, &why) < 0)
		return NULL;
	if (wished == &perfctr_provider_driver) {
		perfctr_fail(EOPNOTSUPP,
			     "PERFCTR_PROVIDER asks for the driver, which has no system-wide "
			     "counters; unset it, or set it to \"perf\"");
		return NULL;
	}
	global = perfctr_memory_map(sizeof(*global));
	if (global)
		global->head = perfctr_head_of(PERFCTR_KIND_GLOBAL);
	return global;
}

void gperfctr_close(struct gperfctr *global)
{
	/* In a child of fork() the handle was cleared, and its sets with it. */
	if (!global || check_handle(global) < 0)
		return;
	close_sets(global);
	perfctr_memory_unmap(global, sizeof(*global));
}

int gperfctr_control(const struct gperfctr *self, struct gperfctr_cpu_control *control)
{
	struct gperfctr *global = mutable(self);
	struct processor *processor;
	struct perfctr_set *trial;
	bool arm;

	if (check_handle(global) < 0)
		return -1;
	if (!control)
		return perfctr_fail(EINVAL, "gperfctr_control() needs a control, not NULL");
	if (control->cpu_control.nrictrs)
		return perfctr_fail(EPERM, "system-wide counters have no thread to interrupt; "
					   "use a-mode counters (nrictrs = 0)");
	if (perfctr_cpu_online(control->cpu) < 0 ||
	    perfctr_control_check(&control->cpu_control, false) < 0)
		return -1;
	if (global->running)
		return perfctr_fail(EBUSY, "the counters have been started; call gperfctr_stop() "
					   "first");
	arm = counts_anything(&control->cpu_control);
	if (arm) {
		trial = open_set(control->cpu, &control->cpu_control);
		if (!trial)
			return -1;
		perfctr_set_close(trial);
	}
	processor = &global->processor[control->cpu];
	global->armed += (unsigned int)arm - (unsigned int)processor->armed;
	*processor = (struct processor){
		.known = true,
		.armed = arm,
		.control = control->cpu_control,
	};
	if (control->cpu >= global->end)
		global->end = control->cpu + 1;
	return (int)global->armed;
}

int gperfctr_start(const struct gperfctr *self, unsigned int interval_usec)
{
	struct gperfctr *global = mutable(self);
	struct processor *processor;
	unsigned int cpu;

	if (check_handle(global) < 0)
		return -1;
	if (interval_usec && interval_usec < MIN_INTERVAL_USEC)
		return perfctr_fail(EINVAL, "interval_usec is %u; it may be 0, or at least %u",
				    interval_usec, MIN_INTERVAL_USEC);
	if (global->running)
		return perfctr_fail(EBUSY, "the counters have been started already; call "
					   "gperfctr_stop() first");
	/* All sets are opened before the first one starts. */
	for (cpu = 0; cpu < global->end; cpu++) {
		processor = &global->processor[cpu];
		if (!processor->armed)
			continue;
		processor->set = open_set(cpu, &processor->control);
		if (!processor->set)
			goto fail;
	}
	for (cpu = 0; cpu < global->end; cpu++) {
		processor = &global->processor[cpu];
		if (processor->set && perfctr_set_enable(processor->set) < 0) {
			blame(cpu);
			goto fail;
		}
	}
	global->running = global->armed > 0;
	return (int)global->armed;
fail:
	close_sets(global);
	return -1;
}

int gperfctr_stop(const struct gperfctr *self)
{
	struct gperfctr *global = mutable(self);
	struct processor *processor;
	unsigned int cpu;

	if (check_handle(global) < 0)
		return -1;
	for (cpu = 0; cpu < global->end; cpu++) {
		processor = &global->processor[cpu];
		processor->armed = false;
		if (processor->set)
			processor->problem = sample(processor, cpu) < 0 ? errno : 0;
	}
	close_sets(global);
	global->armed = 0;
	global->running = false;
	return 0;
}

int gperfctr_read(const struct gperfctr *self, struct gperfctr_cpu_state *state)
{
	struct gperfctr *global = mutable(self);
	struct processor *processor;
	unsigned int cpu;
	int result = 0;

	if (check_handle(global) < 0)
		return -1;
	if (!state)
		return perfctr_fail(EINVAL, "gperfctr_read() needs a place for the result, not "
					    "NULL");
	cpu = state->cpu;
	if ((cpu >= global->end || !global->processor[cpu].known) && perfctr_cpu_online(cpu) < 0)
		return -1;
	processor = &global->processor[cpu];
	if (processor->set)
		result = sample(processor, cpu);
	else if (processor->problem)
		result = fail_sample(processor->problem, cpu);
	if (result < 0 && errno != ENODEV)
		return -1;
	*state = (struct gperfctr_cpu_state){
		.cpu = cpu,
		.cpu_control = processor->control,
		.sum = processor->sum,
	};
	return result;
}

int gperfctr_info(const struct gperfctr *global, struct perfctr_info *info)
{
	if (check_handle(global) < 0)
		return -1;
	if (!info)
		return perfctr_fail(EINVAL, "gperfctr_info() needs a place for the result, not "
					    "NULL");
	return perfctr_provider_info(&perfctr_provider_perf, info);
}

struct perfctr_cpus_info *gperfctr_cpus_info(const struct gperfctr *global)
{
	return check_handle(global) < 0 ? NULL : perfctr_cpus_info(-1);
}
