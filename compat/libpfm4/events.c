// SPDX-License-Identifier: LGPL-2.1-or-later
/* The events of a PMU, and their unit masks, by number. */
#include <stdlib.h>
#include <string.h>
#include <libperfctr.h>
#include "compat/libpfm4/abi.h"
#include "compat/libpfm4/events.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

/* The kernel's PMUs, the processor's, and the architectural one. */
static struct events all[4];

/* A copy of the name, with the description after it; NULL: there is no memory. */
static char *copy_name(const char *name, size_t length, const char *description)
{
	size_t size = strlen(description) + 1;
	char *copy = malloc(length + 1 + size);

	if (!copy)
		return NULL;
	memcpy(copy, name, length);
	copy[length] = '\0';
	memcpy(copy + length + 1, description, size);
	return copy;
}

/* Room for one more, which is doubled at powers of two. NULL: there is no memory. */
static void *grow(void *array, int n, size_t size)
{
	if (n & (n - 1))
		return array;
	return reallocarray(array, n ? 2 * (size_t)n : 1, size);
}

static int add_event(struct events *events, const char *name, size_t length, const char *text)
{
	struct event *array = grow(events->event, events->n, sizeof(*array)), *event;

	if (!array)
		return -1;
	events->event = array;
	event = &array[events->n];
	*event = (struct event){ .name = copy_name(name, length, text) };
	return event->name ? events->n++ : -1;
}

static int add_mask(struct event *event, const char *name, size_t length, const char *text)
{
	struct mask *array = grow(event->masks, event->nmasks, sizeof(*array)), *mask;

	if (!array)
		return -1;
	event->masks = array;
	mask = &array[event->nmasks];
	mask->name = copy_name(name, length, text);
	return mask->name ? event->nmasks++ : -1;
}

int events_add(struct events *events, const char *name, size_t length)
{
	return add_event(events, name, length, "another name of an event");
}

int events_add_mask(struct event *event, const char *name, size_t length)
{
	return add_mask(event, name, length, "another name of a unit mask");
}

int events_find(const struct events *events, const char *name, size_t length)
{
	int i;

	for (i = 0; i < events->n; i++)
		if (pmus_same_name(events->event[i].name, name, length))
			return i;
	return -1;
}

int events_find_mask(const struct event *event, const char *name, size_t length)
{
	int i;

	for (i = 0; i < event->nmasks; i++)
		if (pmus_same_name(event->masks[i].name, name, length))
			return i;
	return -1;
}

/* ---- lists ---- */

/* A name as the library lists it, "EVENT" or "EVENT:MASK". An event stands before its masks. */
static int note_name(void *arg, const struct perfctr_event_name *name)
{
	struct events *events = arg;
	const char *colon = strchr(name->name, ':');
	size_t length = colon ? (size_t)(colon - name->name) : strlen(name->name);
	int i = events->n - 1;

	if (i < 0 || !pmus_same_name(events->event[i].name, name->name, length))
		i = add_event(events, name->name, length, name->description);
	if (i < 0)
		return 1;
	return colon &&
	       add_mask(&events->event[i], colon + 1, strlen(colon + 1), name->description) < 0;
}

static const char *const kernels[] = {
	"PERF_COUNT_HW_CPU_CYCLES",
	"PERF_COUNT_HW_INSTRUCTIONS",
	"PERF_COUNT_HW_CACHE_REFERENCES",
	"PERF_COUNT_HW_CACHE_MISSES",
	"PERF_COUNT_HW_BRANCH_INSTRUCTIONS",
	"PERF_COUNT_HW_BRANCH_MISSES",
	"PERF_COUNT_HW_BUS_CYCLES",
	"PERF_COUNT_HW_STALLED_CYCLES_FRONTEND",
	"PERF_COUNT_HW_STALLED_CYCLES_BACKEND",
	"PERF_COUNT_HW_REF_CPU_CYCLES",
	"PERF_COUNT_SW_CPU_CLOCK",
	"PERF_COUNT_SW_TASK_CLOCK",
	"PERF_COUNT_SW_PAGE_FAULTS",
	"PERF_COUNT_SW_CONTEXT_SWITCHES",
	"PERF_COUNT_SW_CPU_MIGRATIONS",
	"PERF_COUNT_SW_PAGE_FAULTS_MIN",
	"PERF_COUNT_SW_PAGE_FAULTS_MAJ",
	"PERF_COUNT_SW_ALIGNMENT_FAULTS",
	"PERF_COUNT_SW_EMULATION_FAULTS",
	"PERF_COUNT_SW_CGROUP_SWITCHES",
};

/* Caches, and the masks that each has. */
static const struct {
	const char *name;
	unsigned int masks;
} caches[] = {
	{ "PERF_COUNT_HW_CACHE_L1D", 0x1F },  { "PERF_COUNT_HW_CACHE_L1I", 0x1D },
	{ "PERF_COUNT_HW_CACHE_LL", 0x1F },   { "PERF_COUNT_HW_CACHE_DTLB", 0x1F },
	{ "PERF_COUNT_HW_CACHE_ITLB", 0x19 }, { "PERF_COUNT_HW_CACHE_BPU", 0x19 },
	{ "PERF_COUNT_HW_CACHE_NODE", 0x1F },
};
static const char *const cache_masks[] = { "READ", "WRITE", "PREFETCH", "ACCESS", "MISS" };

static int note_caches(struct events *events)
{
	int i, k, event;

	for (i = 0; i < COUNT(caches); i++) {
		event = add_event(events, caches[i].name, strlen(caches[i].name), "a cache");
		if (event < 0)
			return 1;
		for (k = 0; k < COUNT(cache_masks); k++)
			if (caches[i].masks >> k & 1 &&
			    add_mask(&events->event[event], cache_masks[k], strlen(cache_masks[k]),
				     "accesses of this kind") < 0)
				return 1;
	}
	return 0;
}

static int note_kernels(struct events *events)
{
	int i;

	for (i = 0; i < COUNT(kernels); i++)
		if (add_event(events, kernels[i], strlen(kernels[i]), kernels[i]) < 0)
			return 1;
	return note_caches(events);
}

/* Non-zero: there is no memory. */
static int list(struct events *events)
{
	const struct pmu *pmu = events->pmu;

	if (pmu->of == OF_KERNEL)
		return note_kernels(events);
	if (pmu->of == OF_RAW)
		return add_event(events, "r0000", 5, "r and hexadecimal digits") < 0;
	/* A name of the vendor's files that is wrong ends the list, but no program. */
	return (pmu == pmus_native() ? perfctr_event_list("cpu", note_name, events)
				     : perfctr_cpu_event_list(pmu->id, note_name, events)) > 0;
}

static void clear(struct events *events)
{
	int i, k;

	for (i = 0; i < events->n; i++) {
		for (k = 0; k < events->event[i].nmasks; k++)
			free(events->event[i].masks[k].name);
		free(events->event[i].masks);
		free(events->event[i].name);
	}
	free(events->event);
	*events = (struct events){ 0 };
}

struct events *events_of(const struct pmu *pmu)
{
	struct events *events = all;

	while (events->pmu && events->pmu != pmu)
		events++;
	if (events->pmu)
		return events;
	events->pmu = pmu;
	if (list(events)) {
		clear(events);
		return NULL;
	}
	events->listed = events->n;
	return events;
}

void events_free(void)
{
	int i;

	for (i = 0; i < COUNT(all); i++)
		clear(&all[i]);
}
