// SPDX-License-Identifier: LGPL-2.1-or-later
#include <libperfctr.h>
#include <stdlib.h>
#include <time.h>
#include "tools/perfex/report/origin.h"

/* The variables in which launchers tell a process its rank. */
static const char *find_rank(void)
{
	static const char *const names[] = {
		"PMIX_RANK",	"PMI_RANK",    "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK",
		"SLURM_PROCID", "PALS_RANKID", "FLUX_TASK_RANK",       "ALPS_APP_PE",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (getenv(names[i]))
			return getenv(names[i]);
	return NULL;
}

void origin_get(struct origin *origin)
{
	time_t now = time(NULL);
	const char *id;
	struct tm tm;

	*origin = (struct origin){ .rank = find_rank(), .version = PACKAGE_VERSION };
	gmtime_r(&now, &tm);
	strftime(origin->time, sizeof(origin->time), "%Y-%m-%dT%H:%M:%SZ", &tm);
	uname(&origin->host);
	if (perfctr_cpu_native(&id, &origin->processor) < 0)
		origin->processor = "";
}
