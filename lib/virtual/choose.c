// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chooses the provider for an open. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/virtual/device.h"
#include "lib/perf/probe.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"

/*
 * The driver is taken if it answers. Where it can only count the TSC (on a hybrid processor, or one
 * that it does not know), perf_events is taken if it has counters.
 */
static bool driver_is_better(const char **why)
{
	struct perfctr_info info;
	int error = errno, fd = perfctr_device_open(&info);

	*why = fd < 0 ? perfctr_device_problem(errno) : "the driver answers";
	errno = error;
	if (fd < 0)
		return false;
	perfctr_call_close(fd);
	if (perfctr_info_nrctrs(&info) > 0 || perfctr_no_pmu())
		return true;
	*why = "the driver has no counters for this processor";
	return false;
}

static const struct perfctr_provider *find(const char **why)
{
	return driver_is_better(why) ? &perfctr_provider_driver : &perfctr_provider_perf;
}

/* Looks for the driver only once, since this takes a system call. */
static const struct perfctr_provider *find_once(const char **why)
{
	static _Atomic(const struct perfctr_provider *) found;
	const struct perfctr_provider *provider = atomic_load(&found);

	*why = "an open before has found it";
	if (!provider) {
		provider = find(why);
		atomic_store(&found, provider);
	}
	return provider;
}

int perfctr_provider_wished(unsigned int mode, const struct perfctr_provider **wished,
			    const char **why)
{
	const char *wish = secure_getenv("PERFCTR_PROVIDER");
	bool driver = mode & VPERFCTR_OPEN_DRIVER, perf = mode & VPERFCTR_OPEN_PERF;

	*why = "the program asks for it";
	if (driver && perf)
		return perfctr_fail(EINVAL, "open mode 0x%x forces both providers; choose one",
				    mode);
	if (!driver && !perf && wish && *wish) {
		*why = "PERFCTR_PROVIDER asks for it";
		driver = strcmp(wish, "driver") == 0;
		perf = strcmp(wish, "perf") == 0;
		if (!driver && !perf)
			return perfctr_fail(EINVAL,
					    "PERFCTR_PROVIDER=%s names no provider; it may be "
					    "\"driver\" or \"perf\"",
					    wish);
	}
	*wished = driver ? &perfctr_provider_driver : perf ? &perfctr_provider_perf : NULL;
	return 0;
}

const struct perfctr_provider *perfctr_provider_explain(unsigned int mode, const char **why)
{
	const struct perfctr_provider *wished;

	if (perfctr_provider_wished(mode, &wished, why) < 0)
		return NULL;
	if (wished)
		return wished;
	if (mode & PERFCTR_MULTIPLEX) {
		*why = "only it multiplexes";
		return &perfctr_provider_perf;
	}
	return mode & VPERFCTR_OPEN_BRIEF ? find_once(why) : find(why);
}

const struct perfctr_provider *perfctr_provider_choose(unsigned int mode)
{
	const char *why;

	return perfctr_provider_explain(mode, &why);
}

const char *perfctr_provider_name(void)
{
	const struct perfctr_provider *provider = perfctr_provider_choose(0);

	return provider ? provider->name : NULL;
}
