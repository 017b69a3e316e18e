// SPDX-License-Identifier: LGPL-2.1-or-later
/* Recognizes Intel's top-down metrics, and the event slots, of which they are shares. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include "arch/cpu.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/perf/topdown.h"
#include "libperfctr.h"

/* Whether it is a raw event of Intel's, and not of a type whose config has another meaning. */
static bool is_raw(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW || attr->type >= PERF_TYPE_MAX;
}

bool perfctr_event_is_slots(const struct perf_event_attr *attr)
{
	return is_raw(attr) && (attr->config & 0xFFFF) == 0x0400;
}

bool perfctr_event_is_metric(const struct perf_event_attr *attr)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n;

	/* The test usually ends here. */
	if ((attr->config & 0x80FF) != 0x8000 || !is_raw(attr))
		return false;
	n = perfctr_core_pmus(cores);
	for (i = 0; i < n; i++)
		if (cores[i].type == attr->type)
			return perfctr_pmu_has_event(&cores[i], "slots");
	/* Without sysfs nothing is lost: on Intel's processors event 0 is no event of its own. */
	return n <= 0 && attr->type == PERF_TYPE_RAW &&
	       perfctr_this_cpu()->rules == PERFCTR_RULES_ARCH;
}
