// SPDX-License-Identifier: LGPL-2.1-or-later
/* perf_event_open(2): no other file calls it. */
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/descriptor.h"
#include "lib/perf/sys.h"
#include "libperfctr.h"

static int call(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd,
		unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group_fd,
			    flags | PERF_FLAG_FD_CLOEXEC);
}

static int event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd,
		      unsigned long flags)
{
	int fd = call(attr, tid, cpu, group_fd, flags);

	perfctr_descriptor_own_event(fd);
	return fd;
}

int perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	return event_open(attr, tid, cpu, group_fd, 0);
}

int perfctr_event_open_cgroup(const struct perf_event_attr *attr, int cgroup, int cpu, int group_fd)
{
	return event_open(attr, cgroup, cpu, group_fd, PERF_FLAG_PID_CGROUP);
}

int perfctr_event_open_kept(const struct perf_event_attr *attr, int tid, int cpu, int group_fd,
			    unsigned long flags)
{
	int fd = call(attr, tid, cpu, group_fd, flags);

	perfctr_descriptor_own_kept(fd);
	return fd;
}
