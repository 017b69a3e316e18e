// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library's side of the driver: /dev/perfctr, and ioctls on the descriptors that it makes. All
 * of the library's calls to the driver are here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <perfctr/calls.h>
#include "arch/words.h"
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/virtual/device.h"
#include "lib/perf/check.h"
#include "lib/perf/sys.h"
#include "lib/perf/why.h"
#include "libperfctr.h"

#define DEVICE "/dev/perfctr"

/* ---- the device ---- */

static int ask_device(int fd, struct perfctr_info *info)
{
	struct perfctr_call_info call = { .info = (uintptr_t)info, .info_size = sizeof(*info) };

	memset(info, 0, sizeof(*info));
	return ioctl(fd, PERFCTR_IOC_INFO, &call);
}

int perfctr_device_open(struct perfctr_info *info)
{
	int fd = perfctr_call_open(DEVICE, O_RDWR);

	if (fd < 0)
		return -1;
	if (ask_device(fd, info) == 0 && perfctr_abi_is_ours(info->abi_version))
		return fd;
	perfctr_call_close(fd);
	errno = EPROTO;
	return -1;
}

const char *perfctr_device_problem(int error)
{
	switch (error) {
	case EACCES:
	case EPERM: return DEVICE " may not be opened by this user (a udev rule sets its mode)";
	case EPROTO:
		return "the loaded driver has another version of the interface than this library "
		       "(install both from one release)";
	case EMFILE:
	case ENFILE:
		return "no file descriptor is left for " DEVICE " (raise the limit: ulimit -n)";
	}
	return "there is no " DEVICE " (load the driver: modprobe perfctr)";
}

int perfctr_device_fail(int error)
{
	const char *problem = perfctr_device_problem(error);
	const char *wish = secure_getenv("PERFCTR_PROVIDER");

	switch (error) {
	case EPERM: error = EACCES; break;
	case EACCES:
	case EPROTO:
	case EMFILE:
	case ENFILE: break;
	default: error = EOPNOTSUPP;
	}
	return perfctr_fail(error, "this needs the perfctr driver, but %s; over perf_events %s",
			    problem,
			    wish && !strcmp(wish, "driver")
				    ? "it may go without PERFCTR_PROVIDER=driver"
				    : "use vperfctr_open() or perfctr_set_open()");
}

int perfctr_device_info(struct perfctr_info *info)
{
	int fd = perfctr_device_open(info);

	if (fd < 0)
		return perfctr_device_fail(errno);
	perfctr_call_close(fd);
	return 0;
}

/* ---- opening ---- */

/* A clause for error sentences: how to stop another thread. */
#define STOP_IT "stop it first: PTRACE_ATTACH, or PTRACE_SEIZE and PTRACE_INTERRUPT, then waitpid()"

int perfctr_fail_not_stopped(int tid)
{
	return perfctr_fail(ESRCH,
			    "there is no thread %d, or it is not stopped under this thread's "
			    "ptrace(2); " STOP_IT,
			    tid);
}

int perfctr_fail_out_of_reach(void)
{
	return perfctr_fail(
		ESRCH, "these counters are another thread's, which has ended or is not stopped "
		       "under this thread's ptrace(2), or they have been unlinked; open your own, "
		       "or " STOP_IT);
}

static int fail_open(int error, int tid)
{
	switch (error) {
	case EEXIST:
		return tid ? perfctr_fail(EEXIST, "thread %d has counters already", tid)
			   : perfctr_fail(EEXIST, "this thread has counters already");
	case ENODEV:
		return tid ? perfctr_fail(ENODEV, "thread %d has no counters yet", tid)
			   : perfctr_fail(ENODEV, "this thread has no counters yet");
	case ESRCH: return perfctr_fail_not_stopped(tid);
	case EPERM:
		return perfctr_fail(
			EPERM,
			"thread %d has privileges that this user lacks, or a program that he may "
			"not read, so its counters are out of reach",
			tid);
	case EDQUOT:
		return perfctr_fail(
			EDQUOT, "this user has as many counters as the driver lets him have; end "
				"threads, close descriptors, or raise the limit "
				"(/sys/module/perfctr/parameters/user_states)");
	case EPROTO:
	case EMFILE:
	case ENFILE: return perfctr_fail(error, "%s", perfctr_device_problem(error));
	}
	return perfctr_fail(error, "the driver can't open a thread's counters: %s",
			    strerror(error));
}

int perfctr_device_open_state(int tid, bool creat, struct perfctr_info *info)
{
	struct perfctr_call_open call = {
		.abi_version = PERFCTR_ABI_VERSION,
		.tid = tid,
		.creat = creat,
	};
	int device = perfctr_device_open(info), fd, error;

	if (device < 0)
		return perfctr_device_fail(errno);
	fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	error = errno;
	perfctr_call_close(device);
	return fd < 0 ? fail_open(error, tid) : fd;
}

/* ---- calls on a descriptor ---- */

bool perfctr_device_made(int fd)
{
	struct perfctr_call_read call = { .sum = 0 };
	struct perfctr_info info;

	/* It is the device's own descriptor, or that of a state, which may be out of reach. */
	return ask_device(fd, &info) == 0 || ioctl(fd, PERFCTR_IOC_READ, &call) == 0 ||
	       (errno != ENOTTY && errno != EBADF);
}

static int fail_call(int error, int fd, const char *what)
{
	struct perfctr_info info;

	switch (error) {
	case ENOTTY:
		if (ask_device(fd, &info) == 0)
			return perfctr_fail(EINVAL,
					    "descriptor %d has no counters: its thread had none "
					    "when _vperfctr_open(0) made it",
					    fd);
		/* fall through */
	case EBADF:
		return perfctr_fail(EBADF, "descriptor %d is not one that sys_vperfctr_open() made",
				    fd);
	case ESRCH: return perfctr_fail_out_of_reach();
	case EPERM:
		return perfctr_fail(
			EPERM, "counting more than a thread's user mode takes the capability "
			       "CAP_PERFMON, or sysctl kernel.perf_event_paranoid=0; clear the "
			       "kernel-mode bits of the control");
	case EBUSY:
		return perfctr_fail(
			EBUSY, "the counters are in use by perf_events or the NMI watchdog; stop "
			       "perf, or sysctl kernel.nmi_watchdog=0");
	}
	return perfctr_fail(error, "the driver can't %s: %s", what, strerror(error));
}

int perfctr_device_fail_fd(int fd)
{
	return fail_call(EBADF, fd, "");
}

/* Finds the rule that a refused control breaks: the driver has the same rules, but no sentences. */
static int fail_control(int error, int fd, const struct vperfctr_control *control)
{
	struct perfctr_info info;

	memset(&info, 0, sizeof(info));
	perfctr_device_info(&info);
	/* EOPNOTSUPP says that perf_events has no counters; the driver may have some. */
	if (perfctr_thread_control_check(control) < 0 &&
	    (errno != EOPNOTSUPP || perfctr_info_nrctrs(&info) == 0))
		return -1;
	if (control->cpu_control.nrictrs && !(info.cpu_features & PERFCTR_FEATURE_PCINT))
		return perfctr_fail(
			EPERM, "the driver takes no overflow interrupts on this processor; use "
			       "a-mode counters (nrictrs = 0)");
	return fail_call(error, fd, "carry out this control");
}

/*
 * Proves to the driver, after it has refused a caller without CAP_PERFMON, that perf_events lets
 * this caller count now: by the descriptor of an event that counts nothing, for a whole processor
 * if permitted, else for this thread's user mode.
 */
static int control_with_proof(int fd, struct perfctr_call_control *call)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
	};
	int event = perfctr_event_open(&attr, -1, 0, -1), result, error;

	attr.exclude_kernel = attr.exclude_hv = 1;
	if (event < 0)
		event = perfctr_event_open(&attr, 0, -1, -1);
	if (event < 0)
		return perfctr_why_not(errno, &attr, "this thread's user mode", 0, 0);
	call->proof = (unsigned int)event + 1;
	result = ioctl(fd, PERFCTR_IOC_CONTROL, call);
	error = errno;
	perfctr_call_close(event);
	errno = error;
	return result;
}

int perfctr_device_control(int fd, const struct vperfctr_control *control)
{
	struct perfctr_call_control call = {
		.control = (uintptr_t)control,
		.control_size = sizeof(*control),
	};
	unsigned int tries;

	if (ioctl(fd, PERFCTR_IOC_CONTROL, &call) == 0)
		return 0;
	/*
	 * The driver refuses a proof that comes more than a second after its refusal: then this
	 * tries again.
	 */
	for (tries = 0; errno == EACCES && tries < 3; tries++) {
		call.proof = 0;
		if (control_with_proof(fd, &call) == 0)
			return 0;
		/* The sentence is that of perf_events. */
		if (!call.proof)
			return -1;
	}
	if (errno == EACCES)
		return perfctr_fail(EACCES,
				    "the driver wants to see within a second that perf_events lets "
				    "this user count, and three times that took longer: the "
				    "machine is very busy; try again");
	if (errno == EINVAL || errno == EPERM)
		return fail_control(errno, fd, control);
	if (errno == EOPNOTSUPP)
		return perfctr_fail(EOPNOTSUPP,
				    "this control takes a register that threads of one core "
				    "share, or that only one core of a node may use: no thread "
				    "can have it to itself");
	return fail_call(errno, fd, "carry out this control");
}

int perfctr_device_unlink(int fd)
{
	return ioctl(fd, PERFCTR_IOC_UNLINK) == 0 ? 0 : fail_call(errno, fd, "unlink the counters");
}

int perfctr_device_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control)
{
	struct perfctr_call_read call = {
		.sum = (uintptr_t)sum,
		.sum_size = sizeof(*sum),
		.control = (uintptr_t)control,
		.control_size = sizeof(*control),
	};

	return ioctl(fd, PERFCTR_IOC_READ, &call) == 0 ? 0
						       : fail_call(errno, fd, "read the counters");
}

int perfctr_device_iresume(int fd)
{
	if (ioctl(fd, PERFCTR_IOC_IRESUME) == 0)
		return 0;
	if (errno == EINVAL)
		return perfctr_fail(EINVAL, "no i-mode counter has overflowed: nothing to resume");
	return fail_call(errno, fd, "resume the counters");
}
