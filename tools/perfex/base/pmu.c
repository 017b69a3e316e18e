// SPDX-License-Identifier: LGPL-2.1-or-later
#include <libperfctr.h>
#include <string.h>
#include "tools/perfex/base/pmu.h"

/* The library's reason. */
struct look {
	const char *reason;
	bool missing;
};

static int look(void *arg, const struct perfctr_check *check)
{
	struct look *at = arg;

	if (strcmp(check->name, "PMU") != 0)
		return 0;
	at->missing = !strcmp(check->state, "none") && strstr(at->reason, check->remedy);
	return 1;
}

bool pmu_is_missing(const char *reason)
{
	struct look at = { .reason = reason };

	if (reason)
		perfctr_doctor(look, &at);
	return at.missing;
}
