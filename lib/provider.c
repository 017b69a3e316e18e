// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "provider.h"

const struct perfctr_provider *perfctr_provider_choose(unsigned int mode)
{
	const char *wish = secure_getenv("PERFCTR_PROVIDER");
	bool driver = mode & VPERFCTR_OPEN_DRIVER, perf = mode & VPERFCTR_OPEN_PERF;

	if (driver && perf) {
		perfctr_fail(EINVAL, "open mode 0x%x forces both providers; choose one", mode);
		return NULL;
	}
	if (!driver && !perf && wish && *wish) {
		driver = strcmp(wish, "driver") == 0;
		perf = strcmp(wish, "perf") == 0;
		if (!driver && !perf) {
			perfctr_fail(EINVAL, "PERFCTR_PROVIDER=%s names no provider; it may be \"driver\" "
				     "or \"perf\"", wish);
			return NULL;
		}
	}
	/* The driver only if it is asked for: it can't yet do all that perf_events can. */
	return driver ? &perfctr_provider_driver : &perfctr_provider_perf;
}

const char *perfctr_provider_name(void)
{
	const struct perfctr_provider *provider = perfctr_provider_choose(0);

	return provider ? provider->name : NULL;
}
