// SPDX-License-Identifier: LGPL-2.1-or-later
/* A program with its own idea of the kernel's perf_event.h, as PAPI has: the header leaves it
 * alone. */
struct perf_event_attr {
	int own;
};

enum perf_type_id {
	PERF_TYPE_OWN,
};

#define PERF_SAMPLE_IP own

static inline long perf_event_open(const struct perf_event_attr *attr)
{
	return attr->own + PERF_TYPE_OWN;
}

#include <libperfctr.h>

long perfctr_test_own_attr(const struct perf_event_attr *attr);
long perfctr_test_own_attr(const struct perf_event_attr *attr)
{
	return perf_event_open(attr);
}
