/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* names.h - one event's text, as the calls that take lists resolve it */
#ifndef PERFCTR_TESTS_NAMES_H
#define PERFCTR_TESTS_NAMES_H

#include <stddef.h>
#include <string.h>
#include "lib/base/file.h"
#include "lib/isa/pmu.h"
#include "libperfctr.h"
#include "lib/names/name.h"
#include "lib/names/resolve.h"

/* The target: thread tid on processor cpu; -1: any. Until the next call. */
static inline const struct perfctr_target *on(pid_t tid, int cpu)
{
	static struct perfctr_target target;

	target = (struct perfctr_target){
		.type = tid == -1   ? PERFCTR_TARGET_CPU
			: cpu == -1 ? PERFCTR_TARGET_THREAD
				    : PERFCTR_TARGET_THREAD_ON_CPU,
		.id = tid == -1 ? cpu : tid,
		.cpu = cpu,
	};
	return &target;
}

static inline int parse_sampled(const char *event, size_t length, struct perf_event_attr *attr)
{
	struct perfctr_cores cores = { .n = PERFCTR_CORES_UNKNOWN };
	char its_pmu[PERFCTR_NAME_SIZE];
	unsigned int asked;

	return perfctr_name_parse(&cores, event, length, attr, its_pmu, &asked) < 0 ? -1 : 0;
}

static inline int parse_event(const char *event, size_t length, struct perf_event_attr *attr)
{
	return parse_sampled(event, length, attr) < 0 ? -1 : perfctr_name_check_counted(attr);
}

/* On each core type: their number, or -1. */
static inline int parse_variants(const char *event, size_t length, struct perfctr_variant *variants)
{
	struct perfctr_cores cores = { .n = PERFCTR_CORES_UNKNOWN };
	int n = perfctr_variants(&cores, event, length, variants);

	return n < 0 || perfctr_name_check_counted(&variants->attr) < 0 ? -1 : n;
}

/* The variant of the list's first event on the first PMU that has all. */
static inline int choose(const char *events, int cpu, unsigned int use,
			 struct perfctr_variant *first)
{
	struct perfctr_list list;
	unsigned int chosen[64];
	int result;

	if (perfctr_list_init(&list, events, use) < 0)
		return -1;
	result = perfctr_list_cores(&list, cpu, "group");
	if (result >= 0) {
		perfctr_list_use(&list, result ? __builtin_ctz((unsigned int)result) : -1, chosen);
		*first = list.variant[chosen[0]];
	}
	perfctr_list_clear(&list);
	return result < 0 ? -1 : 0;
}

#endif /* PERFCTR_TESTS_NAMES_H */
