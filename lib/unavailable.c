// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls of the API that this release can't carry out: each fails with EOPNOTSUPP and says what to use
 * instead.
 */
#include <errno.h>
#include <stddef.h>
#include "internal.h"

static int no_global(void)
{
	return perfctr_fail(EOPNOTSUPP, "this release has no global-mode counters (gperfctr_*); count a "
			    "processor with perfctr_group_open() and thread id -1");
}

struct gperfctr *gperfctr_open(void)
{
	no_global();
	return NULL;
}

void gperfctr_close(struct gperfctr *global)
{
	(void)global;
}

int gperfctr_control(const struct gperfctr *global, struct gperfctr_cpu_control *control)
{
	(void)global, (void)control;
	return no_global();
}

int gperfctr_read(const struct gperfctr *global, struct gperfctr_cpu_state *state)
{
	(void)global, (void)state;
	return no_global();
}

int gperfctr_stop(const struct gperfctr *global)
{
	(void)global;
	return no_global();
}

int gperfctr_start(const struct gperfctr *global, unsigned int interval_usec)
{
	(void)global, (void)interval_usec;
	return no_global();
}

int gperfctr_info(const struct gperfctr *global, struct perfctr_info *info)
{
	(void)global, (void)info;
	return no_global();
}

struct perfctr_cpus_info *gperfctr_cpus_info(const struct gperfctr *global)
{
	(void)global;
	no_global();
	return NULL;
}
