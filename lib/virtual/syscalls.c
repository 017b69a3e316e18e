// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calls sys_vperfctr_*() on descriptors: the driver's (device.c), and those of states over
 * perf_events (syscalls_perf.c).
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/virtual/device.h"
#include "lib/virtual/provider.h"
#include "lib/virtual/queue.h"
#include "lib/virtual/syscalls_perf.h"
#include "libperfctr.h"

/* Returns the provider for a new descriptor, or that of the calling thread's state. NULL: -1. */
static const struct perfctr_provider *provider_of_thread(int tid)
{
	const struct vperfctr *self = perfctr_attached();

	return self && (!tid || tid == (int)syscall(SYS_gettid)) ? self->provider
								 : perfctr_provider_choose(0);
}

int sys_vperfctr_open(int tid, int creat)
{
	const struct perfctr_provider *provider;
	struct perfctr_info info;

	if (tid < 0)
		return perfctr_fail(EINVAL, "%d is not the id of a thread", tid);
	provider = provider_of_thread(tid);
	if (!provider)
		return -1;
	return provider == &perfctr_provider_perf
		       ? perfctr_shared_open(tid, creat != 0)
		       : perfctr_device_open_state(tid, creat != 0, &info);
}

/* Opens a descriptor that has no counters, but answers with facts. */
static int open_facts(void)
{
	const struct perfctr_provider *provider = provider_of_thread(0);
	struct perfctr_info info;
	int fd;

	if (!provider)
		return -1;
	if (provider == &perfctr_provider_perf)
		return perfctr_queue_facts();
	fd = perfctr_device_open(&info);
	return fd < 0 ? perfctr_device_fail(errno) : fd;
}

/* ---- calls on a descriptor ---- */

const struct perfctr_provider *perfctr_syscalls_provider(int fd)
{
	if (perfctr_device_made(fd))
		return &perfctr_provider_driver;
	if (perfctr_shared_is(fd))
		return &perfctr_provider_perf;
	perfctr_device_fail_fd(fd);
	return NULL;
}

/*
 * Whether a descriptor on which the driver's call has failed is one of perf_events, which has no
 * ioctls.
 */
static bool is_shared(int fd)
{
	int error = errno;
	bool shared = error == EBADF && perfctr_shared_is(fd);

	errno = error;
	return shared;
}

int sys_vperfctr_control(int fd, const struct vperfctr_control *control)
{
	if (!control)
		return perfctr_fail(EINVAL, "sys_vperfctr_control() needs a control, not NULL");
	if (perfctr_device_control(fd, control) == 0)
		return 0;
	return is_shared(fd) ? perfctr_shared_control(fd, control) : -1;
}

int sys_vperfctr_unlink(int fd)
{
	if (perfctr_device_unlink(fd) == 0)
		return 0;
	return is_shared(fd) ? perfctr_shared_unlink(fd) : -1;
}

int sys_vperfctr_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control)
{
	if (perfctr_device_read(fd, sum, control) == 0)
		return 0;
	return is_shared(fd) ? perfctr_shared_read(fd, sum, control) : -1;
}

int sys_vperfctr_iresume(int fd)
{
	if (perfctr_device_iresume(fd) == 0)
		return 0;
	return is_shared(fd) ? perfctr_shared_iresume(fd) : -1;
}

/* ---- libperfctr 2.6's names ---- */

int _vperfctr_open(int creat)
{
	int error = errno, fd = sys_vperfctr_open(0, creat);

	if (fd >= 0 || creat || errno != ENODEV)
		return fd;
	/* Without counters it still tells the machine's facts. */
	fd = open_facts();
	if (fd >= 0)
		errno = error;
	return fd;
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
