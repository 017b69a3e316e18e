// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Another thread's virtual counters, while it is stopped under the caller's ptrace(2). The driver
 * verifies that in each call, so nothing is kept here but the descriptor: what the state's page
 * says can't be trusted without knowing that its thread stands still.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "provider.h"

struct rvperfctr {
	int pid;
	int fd;
};

struct rvperfctr *rvperfctr_open(int pid)
{
	const struct perfctr_provider *wished;
	struct rvperfctr *remote;
	const char *why;

	if (pid <= 0) {
		perfctr_fail(EINVAL, "rvperfctr_open() needs the id of a thread, not %d", pid);
		return NULL;
	}
	if (perfctr_provider_wished(0, &wished, &why) < 0)
		return NULL;
	if (wished == &perfctr_provider_perf) {
		perfctr_fail(EOPNOTSUPP,
			     "perf_events, which PERFCTR_PROVIDER asks for, has no remote "
			     "counters; count another thread with perfctr_group_open() and its id");
		return NULL;
	}
	remote = malloc(sizeof(*remote));
	if (!remote) {
		perfctr_fail(ENOMEM, "no memory for a handle");
		return NULL;
	}
	remote->pid = pid;
	remote->fd = sys_vperfctr_open(pid, 1);
	if (remote->fd < 0 && errno == EEXIST)
		remote->fd = sys_vperfctr_open(pid, 0);
	if (remote->fd < 0) {
		free(remote);
		return NULL;
	}
	return remote;
}

/* The descriptor; -1, which no call takes, after perfctr_fail(EINVAL) if there is no handle. */
static int fd_of(const struct rvperfctr *remote)
{
	return remote ? remote->fd :
	       perfctr_fail(EINVAL, "rvperfctr_*() need a handle of rvperfctr_open(), not NULL");
}

int rvperfctr_pid(const struct rvperfctr *remote)
{
	return fd_of(remote) < 0 ? -1 : remote->pid;
}

int rvperfctr_info(const struct rvperfctr *remote, struct perfctr_info *info)
{
	if (fd_of(remote) < 0)
		return -1;
	if (!info)
		return perfctr_fail(EINVAL,
				    "rvperfctr_info() needs a place for the result, not NULL");
	return perfctr_device_info(info);
}

int rvperfctr_read_ctrs(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum)
{
	int fd = fd_of(remote);

	if (fd < 0)
		return -1;
	if (!sum)
		return perfctr_fail(EINVAL,
				    "rvperfctr_read_ctrs() needs a place for the counts, not NULL");
	return sys_vperfctr_read(fd, sum, NULL);
}

int rvperfctr_read_state(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control)
{
	int fd = fd_of(remote);

	return fd < 0 ? -1 : sys_vperfctr_read(fd, sum, control);
}

int rvperfctr_control(const struct rvperfctr *remote, struct vperfctr_control *control)
{
	int fd = fd_of(remote);

	return fd < 0 ? -1 : sys_vperfctr_control(fd, control);
}

int rvperfctr_stop(const struct rvperfctr *remote)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	return rvperfctr_control(remote, &control);
}

int rvperfctr_unlink(const struct rvperfctr *remote)
{
	int fd = fd_of(remote);

	return fd < 0 ? -1 : sys_vperfctr_unlink(fd);
}

void rvperfctr_close(struct rvperfctr *remote)
{
	if (!remote)
		return;
	close(remote->fd);
	free(remote);
}
