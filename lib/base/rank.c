// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the rank of this process: the one list of launchers' variables. */
#include <stdlib.h>
#include <string.h>
#include "lib/base/rank.h"
#include "lib/base/word.h"

/*
 * Open MPI; PMIx; MPICH, Intel MPI and Cray's by PMI; MVAPICH2; HPE's PALS; Flux; Cray's ALPS;
 * Slurm. Slurm is the last since a launcher that runs in a Slurm step inherits the step's.
 */
static const char launchers[][24] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK",
				      "MV2_COMM_WORLD_RANK",  "PALS_RANKID", "FLUX_TASK_RANK",
				      "ALPS_APP_PE",	      "SLURM_PROCID" };

const char *perfctr_rank(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(launchers); i++) {
		const char *value = secure_getenv(launchers[i]);
		size_t length = value ? strlen(value) : 0;

		if (!length || length > 9 || strspn(value, "0123456789") != length)
			continue;
		/* A number of JSON has no zeros in front. */
		while (value[0] == '0' && value[1])
			value++;
		return value;
	}
	return "";
}
