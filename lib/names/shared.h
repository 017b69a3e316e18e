/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared.h - the tables of core types that share one PMU */
#ifndef PERFCTR_LIB_NAMES_SHARED_H
#define PERFCTR_LIB_NAMES_SHARED_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/names/table.h"

/*
 * Does as perfctr_table_parse(). Where the core types of a hybrid processor share a PMU, an event
 * that is not the same in all their tables fails: -1 after perfctr_fail(EOPNOTSUPP).
 */
int perfctr_shared_check(const char *word, size_t length, const struct perf_event_attr *attr);
static inline int perfctr_shared_parse(const char *word, size_t length,
				       struct perf_event_attr *attr)
{
	int found = perfctr_table_parse(word, length, attr);

	return found > 0 && perfctr_is_hybrid ? perfctr_shared_check(word, length, attr) : found;
}

/*
 * Whether other core types than the first have the event: 0; or -1 after perfctr_fail(EOPNOTSUPP),
 * for then it is not on all of those that share the PMU.
 */
int perfctr_shared_find(const char *word, size_t length);

/*
 * Checks that a code which counts on each of these core types is the same event there, as far as
 * their tables have it. 0, or -1 after perfctr_fail(EOPNOTSUPP).
 */
int perfctr_shared_check_code(const struct perfctr_pmu *cores, int n, uint64_t config,
			      const char *word, size_t length);

/* Does the same for a core's event on core types that share a PMU; for any other attr it is 0. */
int perfctr_shared_check_raw(const struct perf_event_attr *attr, const char *word, size_t length);

#endif /* PERFCTR_LIB_NAMES_SHARED_H */
