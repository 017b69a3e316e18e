// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calls sys_vperfctr_*() over perf_events. As with the driver, descriptors of a state can be
 * passed on, and still read the sums when the thread has executed another program or has ended.
 * Only the thread that has the state can do more than read.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/virtual/provider.h"
#include "lib/virtual/queue.h"
#include "lib/virtual/syscalls_perf.h"
#include "libperfctr.h"

/* Returns the calling thread's own state, if the descriptor belongs to it. */
static struct vperfctr *own_state(int fd)
{
	struct vperfctr *self = perfctr_attached();

	return self && self->provider == &perfctr_provider_perf &&
			       perfctr_perf_has_descriptor(self, fd)
		       ? self
		       : NULL;
}

bool perfctr_shared_is(int fd)
{
	/* Any holder of the descriptor may empty its queue, but the thread keeps its state. */
	return own_state(fd) || perfctr_queue_has_state(fd);
}

int perfctr_shared_open(int tid, bool creat)
{
	struct vperfctr *self = perfctr_attached();
	int fd;

	if (tid && tid != (int)syscall(SYS_gettid))
		return perfctr_fail(EOPNOTSUPP,
				    "over perf_events another thread's counters have no "
				    "descriptor; use rvperfctr_open(), or load the perfctr driver");
	if (!creat)
		return self ? perfctr_perf_descriptor(self)
			    : perfctr_fail(ENODEV, "this thread has no counters yet");
	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF);
	if (!self)
		return -1;
	fd = perfctr_perf_descriptor(self);
	if (fd < 0)
		vperfctr_unlink(self);
	vperfctr_close(self);
	return fd;
}

int perfctr_shared_control(int fd, const struct vperfctr_control *control)
{
	struct vperfctr *self = own_state(fd);

	if (!self)
		return perfctr_queue_check(fd) < 0
			       ? -1
			       : perfctr_fail(ESRCH,
					      "these counters have been unlinked; open new ones");
	if (control->cpu_control.nrictrs)
		return perfctr_fail(
			EOPNOTSUPP,
			"over perf_events i-mode counters take a handle, since "
			"their events must not outlive the program; use vperfctr_open()");
	return self->provider->control(self, control);
}

int perfctr_shared_unlink(int fd)
{
	struct vperfctr *self = own_state(fd);

	return self ? vperfctr_unlink(self) : perfctr_queue_check(fd);
}

int perfctr_shared_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control)
{
	struct vperfctr *self = own_state(fd);

	return self ? self->provider->read_state(self, sum, control)
		    : perfctr_queue_read(fd, sum, control);
}

int perfctr_shared_iresume(int fd)
{
	struct vperfctr *self = own_state(fd);

	if (self)
		return self->provider->iresume(self);
	return perfctr_queue_check(fd) < 0
		       ? -1
		       : perfctr_fail(
				 ESRCH,
				 "these counters have been unlinked; there is nothing to resume");
}
