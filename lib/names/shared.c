// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of a hybrid processor that the kernel does not know: it shows one PMU for all core types,
 * and counts an event on each of them by one code, which may be another event there.
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/names/shared.h"
#include "lib/names/table.h"

int perfctr_shared_check(const char *word, size_t length, const struct perf_event_attr *attr)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = perfctr_cores_share() ? perfctr_core_types(cores) : 0;

	for (i = 0; i < n; i++) {
		struct perf_event_attr other = *attr;

		if (perfctr_core_table_parse(&cores[i], word, length, &other) <= 0 ||
		    other.config != attr->config || other.config1 != attr->config1)
			return perfctr_fail_shared(word, length);
	}
	return 1;
}

int perfctr_shared_find(const char *word, size_t length)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	struct perf_event_attr ignored;
	int i, n = perfctr_core_types(cores);

	for (i = 0; i < n; i++)
		if (perfctr_core_table_parse(&cores[i], word, length, &ignored) > 0)
			return perfctr_fail_shared(word, length);
	return 0;
}
