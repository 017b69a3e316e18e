// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls of the API that this release can't carry out: each fails with EOPNOTSUPP and says what to use
 * instead.
 */
#include <errno.h>
#include <stddef.h>
#include "internal.h"

static int no_remote(void)
{
	return perfctr_fail(EOPNOTSUPP, "this release has no remote counters (rvperfctr_*); count another "
			    "thread with perfctr_group_open() and its thread id");
}

static int no_global(void)
{
	return perfctr_fail(EOPNOTSUPP, "this release has no global-mode counters (gperfctr_*); count a "
			    "processor with perfctr_group_open() and thread id -1");
}

static int no_driver(void)
{
	return perfctr_fail(EOPNOTSUPP, "raw descriptors are made by the perfctr driver, which this release "
			    "does not have; use vperfctr_open() and its handle");
}

struct rvperfctr *rvperfctr_open(int pid)
{
	(void)pid;
	no_remote();
	return NULL;
}

int rvperfctr_pid(const struct rvperfctr *remote)
{
	(void)remote;
	return no_remote();
}

int rvperfctr_info(const struct rvperfctr *remote, struct perfctr_info *info)
{
	(void)remote, (void)info;
	return no_remote();
}

int rvperfctr_read_ctrs(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum)
{
	(void)remote, (void)sum;
	return no_remote();
}

int rvperfctr_read_state(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control)
{
	(void)remote, (void)sum, (void)control;
	return no_remote();
}

int rvperfctr_control(const struct rvperfctr *remote, struct vperfctr_control *control)
{
	(void)remote, (void)control;
	return no_remote();
}

int rvperfctr_stop(const struct rvperfctr *remote)
{
	(void)remote;
	return no_remote();
}

int rvperfctr_unlink(const struct rvperfctr *remote)
{
	(void)remote;
	return no_remote();
}

void rvperfctr_close(struct rvperfctr *remote)
{
	(void)remote;
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


int sys_vperfctr_open(int tid, int creat)
{
	(void)tid, (void)creat;
	return no_driver();
}

int sys_vperfctr_control(int fd, const struct vperfctr_control *control)
{
	(void)fd, (void)control;
	return no_driver();
}

int sys_vperfctr_unlink(int fd)
{
	(void)fd;
	return no_driver();
}

int sys_vperfctr_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control)
{
	(void)fd, (void)sum, (void)control;
	return no_driver();
}

int sys_vperfctr_iresume(int fd)
{
	(void)fd;
	return no_driver();
}

int _vperfctr_open(int creat)
{
	return sys_vperfctr_open(0, creat);
}

int _vperfctr_control(int fd, const struct vperfctr_control *control)
{
	return sys_vperfctr_control(fd, control);
}

int _vperfctr_read_control(int fd, struct vperfctr_control *control)
{
	return sys_vperfctr_read(fd, NULL, control);
}

int _vperfctr_read_sum(int fd, struct perfctr_sum_ctrs *sum)
{
	return sys_vperfctr_read(fd, sum, NULL);
}
