// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Virtual counters of the perfctr driver: /dev/perfctr. The kernel keeps the state, in a page that is
 * mapped here; reads take it from there without a system call, by perfctr's own loop.
 *
 * Only a state that counts and samples the TSC can be read so, because the TSC's start value says that
 * nothing changed in between; all else asks the kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <perfctr/calls.h>
#include "provider.h"

struct state {
	struct vperfctr handle;
	const volatile struct vperfctr_state *page;
	size_t page_size;
	int fd;
	bool user_reads;		/* RDPMC works */
	unsigned int nrctrs;		/* of the control: an overflow leaves fewer running */
};

static struct state *state_of(const struct vperfctr *self)
{
	return (struct state *)self;	/* handle is its first member; users hold it as const */
}

/* ---- the device ---- */

static int open_device(void)
{
	int fd = open("/dev/perfctr", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM)
		return perfctr_fail(EACCES, "/dev/perfctr may not be opened by this user; its mode is "
				    "set by a udev rule");
	return perfctr_fail(ENODEV, "there is no /dev/perfctr (%s); load the driver (modprobe perfctr), or "
			    "use perf_events (PERFCTR_PROVIDER=perf)", strerror(errno));
}

static int driver_info(struct perfctr_info *info)
{
	struct perfctr_call_info call = { .info = (uintptr_t)info, .info_size = sizeof(*info) };
	int fd = open_device(), result;

	if (fd < 0)
		return -1;
	result = ioctl(fd, PERFCTR_IOC_INFO, &call);
	if (result < 0)
		perfctr_fail(errno, "/dev/perfctr does not answer as the perfctr driver does");
	close(fd);
	return result;
}

/* ---- reading ---- */

/* The state counts, and can be read here and now. */
static bool readable(const struct state *state, unsigned int cstatus)
{
	return perfctr_is_own(&state->handle) && state->user_reads && perfctr_cstatus_has_tsc(cstatus);
}

static int read_by_call(const struct state *state, struct perfctr_sum_ctrs *sum,
			struct vperfctr_control *control)
{
	struct perfctr_call_read call = {
		.sum = (uintptr_t)sum, .sum_size = sizeof(*sum),
		.control = (uintptr_t)control, .control_size = sizeof(*control),
	};

	if (ioctl(state->fd, PERFCTR_IOC_READ, &call) == 0)
		return 0;
	if (errno == ESRCH)
		return perfctr_fail(ESRCH, "the counters of a running thread can be read by itself only; "
				    "read them when it has ended or unlinked them");
	return perfctr_fail(EIO, "the driver can't read the counters: %s", strerror(errno));
}

static int read_all(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	return read_by_call(state_of(self), sum, NULL);
}

static int read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	const struct state *state = state_of(self);
	unsigned int cstatus = state->page->cpu_state.cstatus;

	if (!perfctr_likely(readable(state, cstatus) &&
			    perfctr_cstatus_nrctrs(cstatus) == state->nrctrs))
		return read_all(self, sum);
	perfctr_state_read_ctrs(state->page, sum);
	return 0;
}

static unsigned long long read_tsc(const struct vperfctr *self)
{
	const struct state *state = state_of(self);

	if (perfctr_likely(perfctr_is_own(self) &&
			   perfctr_cstatus_has_tsc(state->page->cpu_state.cstatus)))
		return perfctr_state_read_tsc(state->page);
	return perfctr_read_tsc_slow(self);
}

static unsigned long long read_pmc(const struct vperfctr *self, unsigned int i)
{
	const struct state *state = state_of(self);
	unsigned int cstatus = state->page->cpu_state.cstatus;

	if (perfctr_likely(readable(state, cstatus) && i < perfctr_cstatus_nrctrs(cstatus)))
		return perfctr_state_read_pmc(state->page, i);
	return perfctr_read_pmc_slow(self, i);
}

static int read_control(const struct vperfctr *self, struct vperfctr_control *control)
{
	struct perfctr_sum_ctrs sum;

	return read_by_call(state_of(self), &sum, control);
}

/* The driver never shares counters: what runs is exact. It keeps no times. */
static int read_quality(const struct vperfctr *self, unsigned int i,
			struct perfctr_reading *reading)
{
	unsigned int n = perfctr_cstatus_nrctrs(state_of(self)->page->cpu_state.cstatus);
	struct perfctr_sum_ctrs sum;

	if ((i < n ? read_ctrs(self, &sum) : read_all(self, &sum)) < 0)
		return -1;
	reading->value = sum.pmc[i];
	reading->quality = i < n ? PERFCTR_EXACT : PERFCTR_STALE;
	return 0;
}

static int reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *copy)
{
	if (i >= perfctr_cstatus_nrctrs(state_of(self)->page->cpu_state.cstatus))
		return perfctr_fail(EINVAL, "counter %u is not running", i);
	memset(copy, 0, sizeof(*copy));
	return perfctr_fail(EOPNOTSUPP, "a struct perfctr_reader reads perf_events' pages; read the "
			    "driver's with vperfctr_read_pmc()");
}

static int is_running(const struct vperfctr *self)
{
	return state_of(self)->page->cpu_state.cstatus != 0;
}

/* ---- control ---- */

static int fail_control(int error)
{
	switch (error) {
	case ESRCH:
		return perfctr_fail(ESRCH, "these counters belong to another thread, or to none any more; "
				    "open your own");
	case EPERM:
		return perfctr_fail(EPERM, "counting more than one's own user mode takes the capability "
				    "CAP_PERFMON; clear the kernel-mode bits of the control");
	case EBUSY:
		return perfctr_fail(EBUSY, "the counters are in use by perf_events or the NMI watchdog; stop "
				    "perf, or sysctl kernel.nmi_watchdog=0");
	case EINVAL:
		return perfctr_fail(EINVAL, "the driver refuses this control; its log (dmesg) may say why");
	}
	return perfctr_fail(error, "the driver can't carry out this control: %s", strerror(error));
}

static int driver_control(struct vperfctr *self, const struct vperfctr_control *control)
{
	struct perfctr_call_control call = {
		.control = (uintptr_t)control, .control_size = sizeof(*control),
	};
	unsigned int wanted = control->cpu_control.nractrs | control->cpu_control.nrictrs;

	if (control->cpu_control.nrictrs && (control->si_signo <= 0 || control->si_signo > SIGRTMAX))
		return perfctr_fail(EINVAL, "si_signo is %d, which is no signal; i-mode counters need one "
				    "(1 to %d)", control->si_signo, SIGRTMAX);
	/* For the sentence: the driver asks the same rules, and says EINVAL. */
	if (wanted && perfctr_cpu_control_check(&control->cpu_control) < 0 && errno == EINVAL)
		return -1;
	if (ioctl(state_of(self)->fd, PERFCTR_IOC_CONTROL, &call) < 0)
		return fail_control(errno);
	state_of(self)->nrctrs = control->cpu_control.nractrs + control->cpu_control.nrictrs;
	return 0;
}

static int iresume(struct vperfctr *self)
{
	if (ioctl(state_of(self)->fd, PERFCTR_IOC_IRESUME) == 0)
		return 0;
	if (errno == ESRCH)
		return fail_control(ESRCH);
	return perfctr_fail(errno, "no i-mode counter has overflowed: nothing to resume");
}

/* ---- opening and closing ---- */

static int create(struct vperfctr *self, unsigned int mode)
{
	struct state *state = state_of(self);
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };
	struct perfctr_info info;
	void *page;
	int device;

	if (mode & VPERFCTR_OPEN_SHARED)
		return perfctr_fail(EOPNOTSUPP, "the driver does not share counters between more events "
				    "than there are; open without VPERFCTR_OPEN_SHARED");
	device = open_device();
	if (device < 0)
		return -1;
	state->fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	close(device);
	if (state->fd < 0 && errno == EPROTO)
		return perfctr_fail(EPROTO, "the loaded driver has another version of the interface than "
				    "this library (0x%08X); install both from one release",
				    PERFCTR_ABI_VERSION);
	if (state->fd < 0)
		return perfctr_fail(errno, "the driver can't open this thread's counters: %s",
				    strerror(errno));
	state->page_size = (size_t)sysconf(_SC_PAGESIZE);
	page = mmap(NULL, state->page_size, PROT_READ, MAP_SHARED, state->fd, 0);
	if (page == MAP_FAILED) {
		perfctr_fail(errno, "the driver's page can't be mapped: %s", strerror(errno));
		close(state->fd);
		return -1;
	}
	state->page = page;
	state->user_reads = driver_info(&info) == 0 && info.cpu_features & PERFCTR_FEATURE_RDPMC;
	return 0;
}

/* At a thread's end the kernel would do so by itself, too. */
static int detach(struct vperfctr *self)
{
	if (ioctl(state_of(self)->fd, PERFCTR_IOC_UNLINK) == 0)
		return 0;
	return perfctr_fail(errno, "the driver can't unlink the counters: %s", strerror(errno));
}

static void destroy(struct vperfctr *self)
{
	const struct state *state = state_of(self);

	munmap((void *)(uintptr_t)state->page, state->page_size);
	close(state->fd);
}

const struct perfctr_provider perfctr_provider_driver = {
	.name = "driver",
	.state_size = sizeof(struct state),
	.create = create,
	.detach = detach,
	.destroy = destroy,
	.info = driver_info,
	.control = driver_control,
	.is_running = is_running,
	.read_tsc = read_tsc,
	.read_pmc = read_pmc,
	.read_ctrs = read_ctrs,
	.read_control = read_control,
	.read_quality = read_quality,
	.reader = reader,
	.iresume = iresume,
	.read_all = read_all,
};
