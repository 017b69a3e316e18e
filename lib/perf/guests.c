// SPDX-License-Identifier: LGPL-2.1-or-later
/* Leaves a virtual machine's guests out of an event's counts unless the event names them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include "arch/cpu.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/perf/guests.h"
#include "lib/perf/sys.h"

/* The kernel's own events count host and guests alike. */
static bool is_of_a_pmu(const struct perf_event_attr *attr)
{
	return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
	       attr->type != PERF_TYPE_BREAKPOINT;
}

/*
 * Whether the PMU can tell guests apart, as the processors' own can; with others guests are left
 * out only after they refused to count them. AMD's precise samples come from another PMU (IBS),
 * which can't.
 */
static bool knows_guests(const struct perf_event_attr *attr)
{
	return (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
		attr->type == PERF_TYPE_RAW) &&
	       !(attr->precise_ip && perfctr_this_cpu()->rules == PERFCTR_RULES_K7);
}

static bool may_be_about_guests(int error, const struct perf_event_attr *attr)
{
	return is_of_a_pmu(attr) &&
	       (error == EOPNOTSUPP || (error == EINVAL && attr->exclude_guest));
}

static int open_without_name(struct perf_event_attr *attr, enum perfctr_guests *guests,
			     perfctr_opener *open, const void *arg)
{
	int fd, error;

	attr->exclude_guest = *guests == PERFCTR_GUESTS_ANY
				      ? knows_guests(attr)
				      : *guests == PERFCTR_GUESTS_OUT && is_of_a_pmu(attr);
	fd = open(attr, arg);
	error = errno;
	if (fd < 0 && *guests == PERFCTR_GUESTS_ANY && may_be_about_guests(error, attr)) {
		attr->exclude_guest = !attr->exclude_guest;
		fd = open(attr, arg);
		errno = error;
	}
	if (fd >= 0 && is_of_a_pmu(attr))
		*guests = attr->exclude_guest ? PERFCTR_GUESTS_OUT : PERFCTR_GUESTS_IN;
	return fd;
}

int perfctr_guests_open(struct perf_event_attr *attr, enum perfctr_guests *guests,
			perfctr_opener *open, const void *arg)
{
	bool names_guests = attr->exclude_host, names_host = attr->exclude_guest;
	int fd;

	if (names_guests && names_host)
		perfctr_attr_set_guests(attr, false, false);
	fd = names_guests || names_host ? open(attr, arg)
					: open_without_name(attr, guests, open, arg);
	if (fd < 0)
		perfctr_attr_set_guests(attr, names_guests, names_host);
	return fd;
}

struct place {
	pid_t tid;
	int cpu;
};

static int open_at(struct perf_event_attr *attr, const void *arg)
{
	const struct place *place = arg;

	return perfctr_event_open(attr, place->tid, place->cpu, -1);
}

int perfctr_guests_probe(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	const struct place place = { tid, cpu };
	enum perfctr_guests guests = PERFCTR_GUESTS_ANY;

	return perfctr_guests_open(attr, &guests, open_at, &place);
}
