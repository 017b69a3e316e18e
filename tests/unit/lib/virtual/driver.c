// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library over a made-up driver, so that its side of the calls is tested where no module is
 * loaded: what it asks for, what it makes of each answer, and what it reads in the state's page.
 *
 * The linker sends open(2) and ioctl(2) here. The descriptors are real ones, of memory: their names
 * tell the device from a state, and a state's page is mapped as the driver's would be.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <perfctr/calls.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "lib/base/word.h"
#include "lib/virtual/device.h"
#include "lib/perf/probe.h"
#define LEAVES_FILES /* counters that go on, descriptors of a test's own */
#include "tests/harness/check.h"

/* ---- the made-up driver ---- */

/* Its answers to the calls: an errno, or 0. And what it was asked for. */
static struct driver {
	int open_device, info, open, control, read, unlink, iresume;
	unsigned int opens, controls, reads, unlinks, iresumes, proofs;
	unsigned int late; /* proofs that will be */
	int policy;	   /* as perf_event_paranoid; 0: this user has CAP_PERFMON */
	size_t known;	   /* so many bytes of the facts; 0: all */
	bool no_page;	   /* the state's can't be mapped */
	bool high_device;  /* the device gets no small descriptor */
	struct perfctr_info facts;
	struct perfctr_call_open asked;
	struct vperfctr_control state;
	struct perfctr_sum_ctrs sum;
} driver;

/* The page of the latest state. */
static volatile struct vperfctr_state *page;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap___open_2(const char *path, int flags);
int __wrap___open64_2(const char *path, int flags);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

static int result_of(int error)
{
	errno = error ? error : errno;
	return error ? -1 : 0;
}

int __wrap_open(const char *path, int flags, ...)
{
	unsigned int mode = 0;
	va_list args;
	int fd, high;

	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, unsigned int);
		va_end(args);
	}
	if (strcmp(path, "/dev/perfctr"))
		return __real_open(path, flags, mode);
	ck_assert_int_eq(flags & (O_ACCMODE | O_CLOEXEC), O_RDWR | O_CLOEXEC);
	if (driver.open_device)
		return result_of(driver.open_device);
	fd = memfd_create("perfctr-device", MFD_CLOEXEC);
	if (driver.high_device) {
		high = fcntl(fd, F_DUPFD_CLOEXEC, 100);
		close(fd);
		fd = high;
	}
	return fd;
}

int __wrap_open64(const char *path, int flags, ...)
{
	return __wrap_open(path, flags, 0600);
}

/* With -D_FORTIFY_SOURCE an open without a mode is one of these. */
int __wrap___open_2(const char *path, int flags)
{
	return __wrap_open(path, flags);
}

int __wrap___open64_2(const char *path, int flags)
{
	return __wrap_open(path, flags);
}

static int open_state(const struct perfctr_call_open *call)
{
	char path[64];
	int fd, other;
	void *memory;

	driver.opens++;
	driver.asked = *call;
	if (driver.open)
		return result_of(driver.open);
	fd = memfd_create("perfctr-state", MFD_CLOEXEC);
	ck_assert(fd >= 0 && ftruncate(fd, sysconf(_SC_PAGESIZE)) == 0);
	memory = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	page = memory;
	if (driver.no_page) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		other = __real_open(path, O_WRONLY);
		close(fd);
		fd = other;
	}
	return fd;
}

static int on_device(unsigned long request, void *argument)
{
	const struct perfctr_call_info *call = argument;

	if (request == PERFCTR_IOC_OPEN)
		return open_state(argument);
	if (request != PERFCTR_IOC_INFO)
		return result_of(ENOTTY);
	ck_assert_uint_eq(call->info_size, sizeof(driver.facts));
	ck_assert_uint_eq(call->_reserved, 0);
	memcpy((void *)(uintptr_t)call->info, &driver.facts,
	       driver.known ? driver.known : sizeof(driver.facts));
	return result_of(driver.info);
}

static int read_state(const struct perfctr_call_read *call)
{
	driver.reads++;
	if (driver.read)
		return result_of(driver.read);
	if (call->sum) {
		ck_assert_uint_eq(call->sum_size, sizeof(driver.sum));
		memcpy((void *)(uintptr_t)call->sum, &driver.sum, sizeof(driver.sum));
	}
	if (call->control) {
		ck_assert_uint_eq(call->control_size, sizeof(driver.state));
		memcpy((void *)(uintptr_t)call->control, &driver.state, sizeof(driver.state));
	}
	return 0;
}

static int control_state(const struct perfctr_call_control *call)
{
	driver.controls++;
	if (driver.control)
		return result_of(driver.control);
	ck_assert_uint_eq(call->control_size, sizeof(driver.state));
	/* A proof that comes too late is refused as none is. */
	if (driver.policy && (!call->proof || (driver.late && driver.late--)))
		return result_of(EACCES);
	/* It is still open. */
	ck_assert(!call->proof || fcntl((int)call->proof - 1, F_GETFD) == FD_CLOEXEC);
	memcpy(&driver.state, (const void *)(uintptr_t)call->control, sizeof(driver.state));
	return 0;
}

static int on_state(unsigned long request, void *argument)
{
	switch (request) {
	case PERFCTR_IOC_CONTROL: return control_state(argument);
	case PERFCTR_IOC_READ: return read_state(argument);
	case PERFCTR_IOC_UNLINK: driver.unlinks++; return result_of(driver.unlink);
	case PERFCTR_IOC_IRESUME: driver.iresumes++; return result_of(driver.iresume);
	}
	return result_of(ENOTTY);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	char path[64], name[64] = "";
	void *argument;
	va_list args;

	va_start(args, request);
	argument = va_arg(args, void *);
	va_end(args);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, name, sizeof(name) - 1) < 0)
		return result_of(EBADF);
	request = (unsigned int)request;
	return !strncmp(name, "/memfd:perfctr-device", 21)  ? on_device(request, argument)
	       : !strncmp(name, "/memfd:perfctr-state", 20) ? on_state(request, argument)
							    : __real_ioctl(fd, request, argument);
}

/* Whether the kernel has a PMU; the driver may know counters that perf_events does
 * not. Its events are descriptors, of nothing. */
static bool no_pmu;

int __real_perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);
int __wrap_perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd);

int __wrap_perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	int fd;

	if (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY) {
		ck_assert_int_eq(tid, attr->exclude_kernel ? 0 : -1);
		ck_assert_int_eq(cpu, attr->exclude_kernel ? -1 : 0);
		driver.proofs++;
		return driver.policy > (attr->exclude_kernel ? 2 : 0)
			       ? result_of(EACCES)
			       : memfd_create("event", MFD_CLOEXEC);
	}
	if (attr->type != PERF_TYPE_HARDWARE)
		return __real_perfctr_event_open(attr, tid, cpu, group_fd);
	if (no_pmu) {
		errno = ENOENT;
		return -1;
	}
	fd = memfd_create("event", MFD_CLOEXEC);
	ck_assert(fd >= 0 && ftruncate(fd, sysconf(_SC_PAGESIZE)) == 0);
	return fd;
}

/* A driver that answers, of a processor that the library knows if this one is known. */
static void load(void)
{
	memset(&driver, 0, sizeof(driver));
	no_pmu = false;
	driver.facts = (struct perfctr_info){
		.abi_version = PERFCTR_ABI_VERSION,
		.driver_version = "made up",
		.cpu_features = PERFCTR_FEATURE_RDTSC | PERFCTR_FEATURE_PCINT,
	};
	setenv("PERFCTR_PROVIDER", "driver", 1);
}

static unsigned int descriptors(void)
{
	unsigned int n = 0;
	int fd;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- the device ---- */

START_TEST(problems_with_the_device)
{
	static const struct {
		int error, result;
		const char *words;
	} all[] = {
		{ ENOENT, EOPNOTSUPP,
		  "but there is no /dev/perfctr (load the driver: modprobe perfctr); over" },
		{ ENXIO, EOPNOTSUPP, "there is no /dev/perfctr" },
		{ EACCES, EACCES, "/dev/perfctr may not be opened by this user (a udev rule" },
		{ EPERM, EACCES, "/dev/perfctr may not be opened by this user" },
		{ EMFILE, EMFILE, "no file descriptor is left for /dev/perfctr" },
		{ ENFILE, ENFILE, "no file descriptor is left for /dev/perfctr" },
	};
	struct perfctr_info info;
	unsigned int i, before;

	load();
	before = descriptors();
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		driver.open_device = all[i].error;
		ck_fails(sys_vperfctr_open(0, 1), all[i].result, all[i].words);
		ck_fails(_vperfctr_open(0), all[i].result, all[i].words);
		ck_fails(perfctr_device_info(&info), all[i].result, all[i].words);
	}
	driver.open_device = 0;
	/* Another driver, or of another release. */
	driver.info = ENOTTY;
	ck_fails(sys_vperfctr_open(0, 1), EPROTO, "another version of the interface");
	driver.info = 0;
	driver.facts.abi_version ^= 0x01000000;
	ck_fails(sys_vperfctr_open(0, 1), EPROTO, "another version of the interface");
	ck_fails(perfctr_device_info(&info), EPROTO, "another version of the interface");
	ck_assert_uint_eq(driver.opens, 0);
	ck_assert_uint_eq(descriptors(), before);
	/* A minor one is compatible. */
	driver.facts.abi_version ^= 0x01010000;
	ck_assert_int_eq(perfctr_device_info(&info), 0);
	ck_assert_mem_eq(&info, &driver.facts, sizeof(info));
	ck_assert_uint_eq(descriptors(), before);
	/* What an older one does not know is 0. */
	driver.known = offsetof(struct perfctr_info, cpu_khz);
	memset(&info, 0x5A, sizeof(info));
	ck_assert_int_eq(perfctr_device_info(&info), 0);
	ck_assert_str_eq(info.driver_version, "made up");
	ck_assert(!info.cpu_khz && !info.tsc_to_cpu_mult && !info._reserved4);
}
END_TEST

/* ---- opening ---- */

static const struct {
	int error, result;
	bool own;
	const char *words;
} refusals[] = {
	{ EEXIST, EEXIST, true, "this thread has counters already" },
	{ EEXIST, EEXIST, false, "thread 77 has counters already" },
	{ ENODEV, ENODEV, true, "this thread has no counters yet" },
	{ ENODEV, ENODEV, false, "thread 77 has no counters yet" },
	{ ESRCH, ESRCH, false, "there is no thread 77, or it is not stopped" },
	{ EPERM, EPERM, false, "thread 77 has privileges that this user lacks" },
	{ EPROTO, EPROTO, true, "the loaded driver has another version" },
	{ EMFILE, EMFILE, true, "no file descriptor is left" },
	{ ENFILE, ENFILE, true, "no file descriptor is left" },
	{ EDQUOT, EDQUOT, true, "this user has as many counters as the driver lets him have" },
	{ ENOMEM, ENOMEM, true,
	  "the driver can't open a thread's counters: Cannot allocate memory" },
};

START_TEST(opening)
{
	unsigned int i, before;
	struct vperfctr *self;
	int fd;

	load();
	before = descriptors();
	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		driver.open = refusals[i].error;
		ck_fails(sys_vperfctr_open(refusals[i].own ? 0 : 77, 1), refusals[i].result,
			 refusals[i].words);
		ck_assert_int_eq(driver.asked.tid, refusals[i].own ? 0 : 77);
	}
	ck_assert_uint_eq(descriptors(), before);
	driver.open = 0;
	fd = sys_vperfctr_open(0, 7);
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(descriptors(), before + 1);
	ck_assert_uint_eq(driver.asked.abi_version, PERFCTR_ABI_VERSION);
	ck_assert_uint_eq(driver.asked.creat, 1);
	ck_assert_uint_eq(driver.asked.flags, 0);
	close(fd);
	fd = sys_vperfctr_open(77, 0);
	ck_assert_uint_eq(driver.asked.creat, 0);
	ck_assert_int_eq(driver.asked.tid, 77);
	close(fd);
	/* The smallest id is 1, and 0 this thread. */
	ck_fails(sys_vperfctr_open(-1, 1), EINVAL, "-1 is not the id of a thread");
	fd = sys_vperfctr_open(1, 0);
	ck_assert_int_ge(fd, 0);
	close(fd);
	fd = _vperfctr_open(1);
	ck_assert_uint_eq(driver.asked.creat, 1);
	close(fd);
	/* Descriptor 0, of a program without standard input, is one. */
	close(0);
	ck_assert_int_ge(sys_vperfctr_open(0, 1), 0);
	driver.high_device = true;
	fd = sys_vperfctr_open(0, 1);
	ck_assert_int_eq(fd, 0);
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	close(fd);
	errno = EOPNOTSUPP;
	self = vperfctr_open();
	ck_assert_msg(self != NULL, "%s", perfctr_error());
	vperfctr_unlink(self);
	vperfctr_close(self);
	/* A state's, whatever was wrong before. */
	driver.opens = 0;
	errno = ENODEV;
	ck_assert_int_eq(_vperfctr_open(0), 0);
	ck_assert_uint_eq(driver.opens, 1);
	ck_assert_int_eq(sys_vperfctr_unlink(0), 0);
	close(0);
	driver.high_device = false;
	driver.open = ENODEV;
	errno = EXDEV;
	ck_assert_int_eq(_vperfctr_open(0), 0);
	ck_assert_int_eq(errno, EXDEV);
}
END_TEST

/* A thread that has a state has it with every provider that is asked for. */
START_TEST(states_of_perf_events)
{
	struct vperfctr *self;
	int fd;

	load();
	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF);
	ck_assert_msg(self != NULL, "%s", perfctr_error());
	fd = sys_vperfctr_open(0, 0);
	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	ck_assert_ptr_eq(perfctr_syscalls_provider(fd), &perfctr_provider_perf);
	close(fd);
	fd = sys_vperfctr_open((int)syscall(SYS_gettid), 0);
	ck_assert_msg(fd >= 0, "%s", perfctr_error());
	ck_assert_ptr_eq(perfctr_syscalls_provider(fd), &perfctr_provider_perf);
	close(fd);
	ck_assert_uint_eq(driver.opens, 0);
	fd = sys_vperfctr_open(1, 0);
	ck_assert_ptr_eq(perfctr_syscalls_provider(fd), &perfctr_provider_driver);
	ck_assert_uint_eq(driver.opens, 1);
	close(fd);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* ---- which provider, and why ---- */

static void chooses(unsigned int mode, const struct perfctr_provider *provider, const char *words)
{
	unsigned int before = descriptors();
	const char *why = NULL;

	errno = EXDEV;
	ck_assert_ptr_eq(perfctr_provider_explain(mode, &why), provider);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert_msg(strstr(why, words) != NULL, "%s", why);
	ck_assert_ptr_eq(perfctr_provider_choose(mode), provider);
	ck_assert_uint_eq(descriptors(), before);
}

#define DRIVER &perfctr_provider_driver
#define PERF   &perfctr_provider_perf

START_TEST(choices)
{
	load();
	chooses(0, DRIVER, "PERFCTR_PROVIDER asks for it");
	chooses(PERFCTR_MULTIPLEX, DRIVER, "PERFCTR_PROVIDER asks for it");
	chooses(VPERFCTR_OPEN_PERF, PERF, "the program asks for it");
	setenv("PERFCTR_PROVIDER", "perf", 1);
	chooses(0, PERF, "PERFCTR_PROVIDER asks for it");
	chooses(VPERFCTR_OPEN_DRIVER, DRIVER, "the program asks for it");
	setenv("PERFCTR_PROVIDER", "", 1);
	no_pmu = true;
	chooses(0, DRIVER, "the driver answers");
	chooses(PERFCTR_MULTIPLEX, PERF, "only it multiplexes");
	unsetenv("PERFCTR_PROVIDER");
	chooses(0, DRIVER, "the driver answers");
	ck_assert_str_eq(perfctr_provider_name(), "driver");
	/* Loading a driver without counters must not take away those of perf_events. */
	no_pmu = false;
	chooses(0, PERF, "the driver has no counters for this processor");
	ck_assert_str_eq(perfctr_provider_name(), "perf");
#if defined(__i386__) || defined(__x86_64__)
	driver.facts.cpu_type = PERFCTR_X86_INTEL_ARCH;
	chooses(0, DRIVER, "the driver answers");
#endif
	no_pmu = true;
	driver.open_device = ENOENT;
	chooses(0, PERF, "there is no /dev/perfctr");
	driver.open_device = EACCES;
	chooses(0, PERF, "may not be opened by this user");
	/* Descriptor 0 is one. */
	driver.open_device = 0;
	close(0);
	chooses(0, DRIVER, "the driver answers");
}
END_TEST

/* 2.6's programs ask for the facts on a descriptor without counters. */
START_TEST(facts)
{
	struct perfctr_sum_ctrs sum;
	struct perfctr_info info;
	unsigned int before;
	int fd;

	load();
	before = descriptors();
	driver.open = ENODEV;
	errno = EXDEV;
	fd = _vperfctr_open(0);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(errno, EXDEV);
	ck_assert_uint_eq(descriptors(), before + 1);
	ck_assert_int_eq(perfctr_info(fd, &info), 0);
	ck_assert_str_eq(info.driver_version, "made up");
	ck_assert_ptr_eq(perfctr_syscalls_provider(fd), &perfctr_provider_driver);
	ck_fails(_vperfctr_read_sum(fd, &sum), EINVAL,
		 "has no counters: its thread had none when _vperfctr_open(0) made it");
	close(fd);
	/* Any other refusal is one. */
	driver.open = ENOMEM;
	ck_fails(_vperfctr_open(0), ENOMEM, "the driver can't open");
	driver.open = ENODEV;
	ck_fails(_vperfctr_open(1), ENODEV, "this thread has no counters yet");
	ck_fails(sys_vperfctr_open(0, 0), ENODEV, "this thread has no counters yet");
	ck_assert_uint_eq(descriptors(), before);
	/* A state that there is already. */
	driver.open = 0;
	fd = _vperfctr_open(0);
	ck_assert_uint_eq(driver.asked.creat, 0);
	ck_assert_int_eq(_vperfctr_read_sum(fd, &sum), 0);
	ck_assert_ptr_eq(perfctr_syscalls_provider(fd), &perfctr_provider_driver);
	driver.read = ESRCH;
	ck_assert_ptr_eq(perfctr_syscalls_provider(fd), &perfctr_provider_driver);
	close(fd);
	ck_fails_null(perfctr_syscalls_provider(fd), EBADF, "sys_vperfctr_open()");
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ck_fails_null(perfctr_syscalls_provider(fd), EBADF, "sys_vperfctr_open()");
	close(fd);
}
END_TEST

/* ---- calls ---- */

static struct vperfctr_control make_control(unsigned int nractrs, unsigned int nrictrs)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = nractrs;
	control.cpu_control.nrictrs = nrictrs;
	return control;
}

START_TEST(calls)
{
	struct vperfctr_control control = make_control(0, 0), back;
	struct perfctr_sum_ctrs sum;
	int fd;

	load();
	fd = sys_vperfctr_open(0, 1);
	control.preserve = 5;
	ck_assert_int_eq(sys_vperfctr_control(fd, &control), 0);
	ck_assert_mem_eq(&driver.state, &control, sizeof(control));
	ck_fails(sys_vperfctr_control(fd, NULL), EINVAL, "needs a control, not NULL");
	ck_assert_uint_eq(driver.controls, 1);
	control.preserve = 6;
	ck_assert_int_eq(_vperfctr_control(fd, &control), 0);
	ck_assert_uint_eq(driver.state.preserve, 6);
	driver.sum.tsc = 12345;
	driver.sum.pmc[PERFCTR_NR_CTRS - 1] = 678;
	ck_assert_int_eq(sys_vperfctr_read(fd, &sum, &back), 0);
	ck_assert_mem_eq(&sum, &driver.sum, sizeof(sum));
	ck_assert_mem_eq(&back, &control, sizeof(back));
	memset(&sum, 0, sizeof(sum));
	ck_assert_int_eq(_vperfctr_read_sum(fd, &sum), 0);
	ck_assert_mem_eq(&sum, &driver.sum, sizeof(sum));
	memset(&back, 0, sizeof(back));
	ck_assert_int_eq(_vperfctr_read_control(fd, &back), 0);
	ck_assert_mem_eq(&back, &control, sizeof(back));
	ck_assert_int_eq(sys_vperfctr_iresume(fd), 0);
	ck_assert_int_eq(sys_vperfctr_unlink(fd), 0);
	ck_assert_uint_eq(driver.iresumes, 1);
	ck_assert_uint_eq(driver.unlinks, 1);
	close(fd);
}
END_TEST

START_TEST(refused_calls)
{
	static const struct {
		int error;
		const char *words;
	} all[] = {
		{ ESRCH,
		  "another thread's, which has ended or is not stopped under this thread's ptrace(2)" },
		{ EBUSY, "the counters are in use by perf_events or the NMI watchdog" },
		{ ENOMEM, "the driver can't %s: Cannot allocate memory" },
		{ EBADF, "is not one that sys_vperfctr_open() made" },
	};
	struct vperfctr_control control = make_control(0, 0);
	struct perfctr_sum_ctrs sum;
	char words[200];
	unsigned int i;
	int fd;

	load();
	fd = sys_vperfctr_open(0, 1);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		driver.control = driver.read = driver.unlink = driver.iresume = all[i].error;
#define REFUSED(call, what)                                         \
	do {                                                        \
		snprintf(words, sizeof(words), all[i].words, what); \
		ck_fails(call, all[i].error, words);                \
	} while (0)
		REFUSED(sys_vperfctr_control(fd, &control), "carry out this control");
		REFUSED(sys_vperfctr_read(fd, &sum, NULL), "read the counters");
		REFUSED(sys_vperfctr_unlink(fd), "unlink the counters");
		REFUSED(sys_vperfctr_iresume(fd), "resume the counters");
	}
	driver.iresume = EINVAL;
	ck_fails(sys_vperfctr_iresume(fd), EINVAL, "nothing to resume");
	driver.control = EOPNOTSUPP;
	ck_fails(sys_vperfctr_control(fd, &control), EOPNOTSUPP, "no thread can have it to itself");
	driver.control = EPERM;
	ck_fails(sys_vperfctr_control(fd, &control), EPERM, "the capability CAP_PERFMON");
	driver.read = EPERM;
	ck_fails(sys_vperfctr_read(fd, &sum, NULL), EPERM, "the capability CAP_PERFMON");
	close(fd);
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

#define ENABLED	  0x00410000u /* in user mode */
#define INTERRUPT 0x00100000u

/* Which rule a control breaks the driver does not say; the library has the same ones. */
/* What perf_events lets this user do, the driver does; and it is perf_events that says why not. */
START_TEST(proofs)
{
	struct vperfctr_control control = make_control(0, 0);
	unsigned int before;
	int fd;

	load();
	fd = _vperfctr_open(1);
	ck_assert_int_ge(fd, 0);
	before = descriptors();
	ck_assert_int_eq(sys_vperfctr_control(fd, &control), 0);
	ck_assert_uint_eq(driver.proofs, 0);
	driver.policy = 2;
	ck_assert_int_eq(sys_vperfctr_control(fd, &control), 0);
	ck_assert_uint_eq(driver.proofs, 2);
	ck_assert_uint_eq(driver.controls, 3);
	driver.late = 2;
	ck_assert_int_eq(sys_vperfctr_control(fd, &control), 0);
	ck_assert_uint_eq(driver.proofs, 8);
	ck_assert_uint_eq(driver.controls, 7);
	driver.late = 3;
	ck_fails(sys_vperfctr_control(fd, &control), EACCES, "three times that took longer");
	ck_assert_uint_eq(driver.late, 0);
	ck_assert_uint_eq(driver.controls, 11);
	driver.policy = 3;
	ck_fails(sys_vperfctr_control(fd, &control), EACCES,
		 "this thread's user mode can't be counted: ");
	ck_assert_uint_eq(driver.proofs, 16);
	ck_assert_uint_eq(driver.controls, 12);
	ck_assert_uint_eq(descriptors(), before);
	close(fd);
}
END_TEST

START_TEST(refused_controls)
{
	struct vperfctr_control control = make_control(1, 0);
	int fd;

	load();
	fd = sys_vperfctr_open(0, 1);
	driver.facts.cpu_type = PERFCTR_X86_INTEL_ARCH;
	driver.control = EINVAL;
	control.cpu_control.evntsel[0] = 0xC0;
	ck_fails(sys_vperfctr_control(fd, &control), EINVAL, "invalid control: evntsel[0] has");
	control.flags = 0x40;
	ck_fails(sys_vperfctr_control(fd, &control), EINVAL, "flags has 0x00000040");
	control.flags = 0;
	/* What perf_events can't count is no news of the driver, if it has counters. */
	no_pmu = true;
	ck_fails(sys_vperfctr_control(fd, &control), EINVAL,
		 "the driver can't carry out this control: Invalid argument");
	driver.facts.cpu_type = PERFCTR_X86_GENERIC;
	ck_fails(sys_vperfctr_control(fd, &control), EOPNOTSUPP, "no hardware counters: ");
	driver.facts.cpu_type = PERFCTR_X86_INTEL_ARCH;
	no_pmu = false;
	/* None that the library knows. */
	control.cpu_control.evntsel[0] = ENABLED | 0xC0;
	ck_fails(sys_vperfctr_control(fd, &control), EINVAL,
		 "the driver can't carry out this control: Invalid argument");
	driver.control = EPERM;
	ck_fails(sys_vperfctr_control(fd, &control), EPERM, "the capability CAP_PERFMON");
	/* 2.6's reserved words count with a flag only. */
	control.cpu_control.offcore_rsp_high[0] = 1;
	ck_fails(sys_vperfctr_control(fd, &control), EPERM, "the capability CAP_PERFMON");
	control.flags = VPERFCTR_CONTROL_EXTENDED;
	ck_fails(sys_vperfctr_control(fd, &control), EINVAL,
		 "invalid control: offcore_rsp_high[0] has");
	/* I-mode counters take interrupts, and a signal. */
	control = make_control(0, 1);
	control.cpu_control.evntsel[0] = ENABLED | INTERRUPT | 0xC0;
	control.cpu_control.ireset[0] = -1000;
	ck_fails(sys_vperfctr_control(fd, &control), EINVAL, "si_signo is 0");
	control.si_signo = SIGUSR1;
	ck_fails(sys_vperfctr_control(fd, &control), EPERM, "the capability CAP_PERFMON");
	driver.facts.cpu_features = (unsigned int)~PERFCTR_FEATURE_PCINT;
	ck_fails(sys_vperfctr_control(fd, &control), EPERM,
		 "the driver takes no overflow interrupts on this processor");
	driver.facts.cpu_features = PERFCTR_FEATURE_PCINT;
	driver.open_device = EMFILE;
	ck_fails(sys_vperfctr_control(fd, &control), EPERM,
		 "the driver takes no overflow interrupts on this processor");
	close(fd);
}
END_TEST

#else

START_TEST(refused_controls)
{
}
END_TEST

#endif

/* ---- handles ---- */

START_TEST(handles)
{
	struct vperfctr *self, *again;
	struct vperfctr_control control = make_control(0, 0), back;
	struct perfctr_info info;
	unsigned int before;

	load();
	before = descriptors();
	self = vperfctr_open();
	ck_assert_msg(self != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(driver.asked.creat, 1);
	ck_assert_int_eq(driver.asked.tid, 0);
	/* It is new. */
	ck_assert_uint_eq(driver.reads, 0);
	ck_assert_uint_eq(descriptors(), before + 1);
	ck_assert_int_eq(vperfctr_info(self, &info), 0);
	ck_assert_str_eq(info.driver_version, "made up");
	again = vperfctr_open_mode(0);
	ck_assert_ptr_eq(again, self);
	vperfctr_close(again);
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	page->cpu_state.cstatus = 1;
	ck_assert_int_eq(vperfctr_is_running(self), 1);
	control.preserve = 3;
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_assert_uint_eq(driver.state.preserve, 3);
	ck_assert_int_eq(vperfctr_read_state(self, NULL, &back), 0);
	ck_assert_mem_eq(&back, &control, sizeof(back));
	ck_assert_int_eq(vperfctr_iresume(self), 0);
	ck_assert_uint_eq(driver.iresumes, 1);
	driver.iresume = EINVAL;
	ck_fails(vperfctr_iresume(self), EINVAL, "nothing to resume");
	ck_assert_uint_eq(driver.unlinks, 0);
	ck_assert_int_eq(vperfctr_unlink(self), 0);
	ck_assert_uint_eq(driver.unlinks, 1);
	ck_assert_uint_eq(descriptors(), before + 1);
	vperfctr_close(self);
	ck_assert_uint_eq(descriptors(), before);
}
END_TEST

START_TEST(handles_that_are_not_opened)
{
	unsigned int before;

	load();
	before = descriptors();
	ck_fails_null(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER |
					 PERFCTR_MULTIPLEX),
		      EOPNOTSUPP, "the driver does not multiplex counters");
	ck_assert_uint_eq(driver.opens, 0);
	driver.open = EEXIST;
	ck_fails_null(vperfctr_open(), EEXIST, "this thread has counters already");
	driver.open = 0;
	driver.open_device = ENOENT;
	ck_fails_null(vperfctr_open(), ENODEV, "modprobe perfctr), or use perf_events");
	driver.open_device = EACCES;
	ck_fails_null(vperfctr_open(), EACCES, "may not be opened by this user");
	driver.open_device = 0;
	/* A state that nobody can read goes again, but not one that was there. */
	driver.no_page = true;
	ck_fails_null(vperfctr_open(), EACCES,
		      "the driver's page can't be mapped: Permission denied");
	ck_assert_uint_eq(driver.unlinks, 1);
	ck_fails_null(vperfctr_open_mode(0), EACCES, "the driver's page can't be mapped");
	ck_assert_uint_eq(driver.unlinks, 1);
	ck_assert_uint_eq(descriptors(), before);
}
END_TEST

/* ---- reading ---- */

#if PERFCTR_HAVE_RDTSC

/* Of a state without counters the clock is read here, and else the kernel is asked. */
START_TEST(clock)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control control = make_control(0, 0);
	struct perfctr_reading reading;
	struct vperfctr *self;
	uint32_t t;

	load();
	driver.facts.cpu_features |= PERFCTR_FEATURE_RDPMC;
	self = vperfctr_open();
	driver.sum.tsc = 111;
	driver.sum.pmc[0] = 222;
	driver.sum.pmc[1] = 333;
	/* Stopped. */
	ck_assert_uint_eq(vperfctr_read_tsc(self), 111);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.tsc, 111);
	ck_assert_uint_eq(driver.reads, 2);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 333);
	ck_assert_uint_eq(driver.reads, 3);
	/* Without its page. */
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	page->cpu_state.cstatus = perfctr_mk_cstatus(1, 0, 0);
	page->cpu_state.tsc_sum = UINT64_C(1) << 50;
	t = perfctr_rdtscl();
	page->cpu_state.tsc_start = t;
	ck_assert_uint_lt(vperfctr_read_tsc(self) - (UINT64_C(1) << 50), UINT32_MAX);
	ck_assert_uint_ge(vperfctr_read_tsc(self), UINT64_C(1) << 50);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_ge(sum.tsc, UINT64_C(1) << 50);
	ck_assert_uint_eq(driver.reads, 3);
	/* A counter that does not run keeps its sum, which the kernel has. */
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 222);
	ck_assert_uint_eq(driver.reads, 4);
	memset(&reading, 0x5A, sizeof(reading));
	ck_assert_int_eq(vperfctr_read_quality(self, 1, &reading), 0);
	ck_assert(!reading.enabled && !reading.running && !reading.reserved);
	ck_assert_uint_eq(reading.value, 333);
	ck_assert_int_eq((int)reading.quality, PERFCTR_STALE);
	ck_assert_uint_eq(driver.reads, 5);
	driver.read = ESRCH;
	ck_fails(vperfctr_read_quality(self, 1, &reading), ESRCH, "not stopped");
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), ~0ull);
	page->cpu_state.cstatus = 0;
	ck_assert_uint_eq(vperfctr_read_tsc(self), ~0ull);
	driver.read = 0;
	/* Counters, but not the clock: nothing would tell that a read was torn. */
	page->cpu_state.cstatus = perfctr_mk_cstatus(0, 1, 0);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 111);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 222);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[0], 222);
	ck_assert_int_eq(vperfctr_read_quality(self, 0, &reading), 0);
	ck_assert_uint_eq(reading.value, 222);
	ck_assert_int_eq((int)reading.quality, PERFCTR_EXACT);
	vperfctr_unlink(self);
	/* Nobody's any more. */
	page->cpu_state.cstatus = perfctr_mk_cstatus(1, 0, 0);
	ck_assert_uint_eq(vperfctr_read_tsc(self), 111);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.tsc, 111);
	vperfctr_close(self);
}
END_TEST

#else

START_TEST(clock)
{
}
END_TEST

#endif

START_TEST(readers)
{
	struct perfctr_reader reader;
	struct vperfctr *self;
	uint64_t value;

	load();
	self = vperfctr_open();
	page->cpu_state.cstatus = perfctr_mk_cstatus(1, 1, 1);
	memset(&reader, 0x5A, sizeof(reader));
	ck_fails(vperfctr_reader(self, 1, &reader), EOPNOTSUPP, "vperfctr_read_pmc()");
	/* It reads 0. */
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	memset(&reader, 0x5A, sizeof(reader));
	ck_fails(vperfctr_reader(self, 2, &reader), EINVAL, "counter 2 is not running");
	ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

/* What RDPMC reads. It faults here, and the handler puts a value in its place. */
static volatile uint32_t registers[4];
static volatile unsigned int rdpmcs;
static void (*volatile at_rdpmc)(void);

static void on_fault(int signal, siginfo_t *info, void *argument)
{
#ifdef __x86_64__
	enum { PC = REG_RIP, AX = REG_RAX, CX = REG_RCX, DX = REG_RDX };
#else
	enum { PC = REG_EIP, AX = REG_EAX, CX = REG_ECX, DX = REG_EDX };
#endif
	ucontext_t *context = argument;
	greg_t *r = context->uc_mcontext.gregs;
	const unsigned char *pc = (const unsigned char *)(uintptr_t)r[PC];

	(void)signal, (void)info;
	if (pc[0] != 0x0F || pc[1] != 0x33)
		abort();
	r[AX] = (greg_t)registers[r[CX] & 3];
	r[DX] = 0;
	r[PC] += 2;
	rdpmcs++;
	if (at_rdpmc)
		at_rdpmc();
}

/* Whether it can be done. */
static bool emulate(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	rdpmcs = 0;
	perfctr_rdpmc(0);
	if (!rdpmcs)
		puts("RDPMC does not fault here (/sys/devices/cpu/rdpmc is 2?).");
	return rdpmcs;
}

/* A state with the clock and counters that have done 10, 20, ... since, and 1000, 2000, ... before.
 */
static void run(struct vperfctr *self, unsigned int nractrs, unsigned int nrictrs)
{
	struct vperfctr_control control = make_control(nractrs, nrictrs);
	volatile struct perfctr_cpu_state *state = &page->cpu_state;
	unsigned int i;

	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	for (i = 0; i < 4; i++) {
		state->pmc[i].map = i;
		state->pmc[i].start = 0xFFFFFFF0 + i;
		state->pmc[i].sum = 1000 * (i + 1);
		registers[i] = 0xFFFFFFF0 + i + 10 * (i + 1);
		driver.sum.pmc[i] = 77 + i;
	}
	state->cstatus = perfctr_mk_cstatus(1, nractrs, nrictrs);
	driver.reads = rdpmcs = 0;
}

START_TEST(counters)
{
	struct perfctr_reading reading;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	if (!emulate())
		return;
	load();
	driver.facts.cpu_features |= PERFCTR_FEATURE_RDPMC;
	self = vperfctr_open();
	run(self, 2, 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 1010);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 2020);
	ck_assert_uint_eq(driver.reads, 0);
	ck_assert_uint_eq(rdpmcs, 2);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 2), 79);
	ck_assert_uint_eq(driver.reads, 1);
	memset(&sum, 0, sizeof(sum));
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[0], 1010);
	ck_assert_uint_eq(sum.pmc[1], 2020);
	ck_assert_uint_eq(sum.pmc[2], 0);
	ck_assert_uint_eq(driver.reads, 1);
	ck_assert_int_eq(vperfctr_read_quality(self, 1, &reading), 0);
	ck_assert_uint_eq(reading.value, 2020);
	ck_assert_int_eq((int)reading.quality, PERFCTR_EXACT);
	ck_assert_uint_eq(driver.reads, 1);
	ck_assert_int_eq(vperfctr_read_quality(self, 2, &reading), 0);
	ck_assert_uint_eq(reading.value, 79);
	ck_assert_int_eq((int)reading.quality, PERFCTR_STALE);
	ck_assert_uint_eq(driver.reads, 2);
	/* Another thread's, and one that is unlinked, are the kernel's to read. */
	vperfctr_unlink(self);
	rdpmcs = 0;
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 77);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[1], 78);
	ck_assert_uint_eq(rdpmcs, 0);
	vperfctr_close(self);
}
END_TEST

/* A pause is a stop that knows what to go on with. */
START_TEST(pauses)
{
	struct vperfctr_control control = make_control(2, 0);
	struct vperfctr *self;

	if (!emulate())
		return;
	load();
	self = vperfctr_open();
	ck_fails(vperfctr_pause(self), EINVAL, "nothing counts");
	ck_fails(vperfctr_resume(self), EINVAL, "not paused");
	run(self, 2, 0);
	driver.state.preserve = 1;
	driver.controls = 0;
	driver.control = EIO;
	ck_assert_int_lt(vperfctr_pause(self), 0);
	ck_fails(vperfctr_resume(self), EINVAL, "not paused");
	driver.control = 0;
	ck_assert_int_eq(vperfctr_pause(self), 0);
	page->cpu_state.cstatus = 0;
	ck_assert_uint_eq(driver.state.cpu_control.nractrs, 0);
	ck_assert_uint_eq(driver.state.cpu_control.tsc_on, 0);
	ck_fails(vperfctr_pause(self), EINVAL, "paused already");
	driver.control = EBUSY;
	ck_fails(vperfctr_resume(self), EBUSY, "NMI watchdog");
	driver.control = 0;
	ck_assert_int_eq(vperfctr_resume(self), 0);
	page->cpu_state.cstatus = perfctr_mk_cstatus(1, 2, 0);
	ck_assert_uint_eq(driver.state.cpu_control.nractrs, 2);
	ck_assert_uint_eq(driver.state.cpu_control.tsc_on, 1);
	ck_assert_uint_eq(driver.state.preserve, ~0u);
	ck_fails(vperfctr_resume(self), EINVAL, "not paused");
	/* A control ends it. */
	ck_assert_int_eq(vperfctr_pause(self), 0);
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_fails(vperfctr_resume(self), EINVAL, "not paused");
	driver.read = ENOMEM;
	ck_assert_int_lt(vperfctr_pause(self), 0);
	driver.read = 0;
	run(self, 1, 1);
	ck_fails(vperfctr_pause(self), EOPNOTSUPP, "i-mode");
	vperfctr_unlink(self);
	ck_fails(vperfctr_pause(self), ESRCH, "unlinked");
	ck_fails(vperfctr_resume(self), ESRCH, "unlinked");
	vperfctr_close(self);
}
END_TEST

/* A processor without RDPMC, or one that the driver does not let have it. */
START_TEST(no_user_reads)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	if (!emulate())
		return;
	load();
	self = vperfctr_open();
	run(self, 2, 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 77);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[1], 78);
	ck_assert_uint_eq(rdpmcs, 0);
	ck_assert_uint_eq(driver.reads, 2);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* An overflow between a read's beginning and end stops the i-mode counters. */
static void overflow(void)
{
	page->cpu_state.cstatus = perfctr_mk_cstatus(1, 1, 0);
}

START_TEST(imode_counters)
{
	struct perfctr_reading reading;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	if (!emulate())
		return;
	load();
	driver.facts.cpu_features |= PERFCTR_FEATURE_RDPMC;
	self = vperfctr_open();
	run(self, 1, 1);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 1010);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 2020);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[1], 2020);
	ck_assert_uint_eq(driver.reads, 0);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 2), 79);
	ck_assert_uint_eq(driver.reads, 1);
	/* While it is read. */
	at_rdpmc = overflow;
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 78);
	ck_assert_uint_eq(driver.reads, 2);
	run(self, 1, 1);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[0], 77);
	ck_assert_uint_eq(sum.pmc[1], 78);
	ck_assert_uint_eq(driver.reads, 1);
	at_rdpmc = NULL;
	/* Before: of the two only one runs. */
	run(self, 1, 1);
	overflow();
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[0], 77);
	ck_assert_uint_eq(driver.reads, 1);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 0), 1010);
	ck_assert_uint_eq(vperfctr_read_pmc(self, 1), 78);
	ck_assert_uint_eq(driver.reads, 2);
	ck_assert_int_eq(vperfctr_read_quality(self, 1, &reading), 0);
	ck_assert_int_eq((int)reading.quality, PERFCTR_STALE);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* Inline, and until something else counts. */
START_TEST(state_readers)
{
	struct perfctr_state_reader reader;
	struct vperfctr_control control;
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	if (!emulate())
		return;
	load();
	self = vperfctr_open();
	run(self, 2, 1);
	memset(&reader, 0x5A, sizeof(reader));
	ck_fails(vperfctr_state_reader(self, &reader), EOPNOTSUPP, "RDPMC does not work");
	ck_assert_uint_eq(reader.n, 0);
	ck_assert_int_eq(perfctr_state_reader_read(&reader, &sum), 0);
	ck_fails(vperfctr_state_reader(self, NULL), EINVAL, "a place for the reader, not NULL");
	ck_fails(vperfctr_state_reader(NULL, &reader), EINVAL, "not NULL");
	vperfctr_unlink(self);
	vperfctr_close(self);

	driver.facts.cpu_features |= PERFCTR_FEATURE_RDPMC;
	self = vperfctr_open();
	memset(&reader, 0x5A, sizeof(reader));
	ck_fails(vperfctr_state_reader(self, &reader), EOPNOTSUPP, "set tsc_on in the control");
	ck_assert_int_eq(perfctr_state_reader_read(&reader, &sum), 0);
	run(self, 2, 1);
	ck_assert_int_eq(vperfctr_state_reader(self, &reader), 0);
	ck_assert_int_eq(perfctr_state_reader_read(&reader, &sum), 1);
	ck_assert_uint_eq(sum.pmc[0], 1010);
	ck_assert_uint_eq(sum.pmc[1], 2020);
	ck_assert_uint_eq(sum.pmc[2], 3030);
	ck_assert_uint_eq(rdpmcs, 3);
	/* An overflow, while it is read and before. */
	at_rdpmc = overflow;
	ck_assert_int_eq(perfctr_state_reader_read(&reader, &sum), 0);
	at_rdpmc = NULL;
	rdpmcs = 0;
	ck_assert_int_eq(perfctr_state_reader_read(&reader, &sum), 0);
	ck_assert_uint_eq(rdpmcs, 0);
	/* The same numbers again: it is still right. */
	run(self, 2, 1);
	ck_assert_int_eq(perfctr_state_reader_read(&reader, &sum), 1);
	run(self, 3, 0);
	ck_assert_int_eq(perfctr_state_reader_read(&reader, &sum), 0);
	ck_assert_uint_eq(driver.reads, 0);
	/* Without the TSC nobody knows whether anything changes. */
	control = make_control(2, 0);
	control.cpu_control.tsc_on = 0;
	ck_assert_int_eq(vperfctr_control(self, &control), 0);
	ck_fails(vperfctr_state_reader(self, &reader), EOPNOTSUPP, "set tsc_on in the control");
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

/* The numbers are those of the control that counts, also if the next one is refused. */
START_TEST(a_refused_control_changes_nothing)
{
	struct vperfctr_control control = make_control(3, 0);
	struct perfctr_sum_ctrs sum;
	struct vperfctr *self;

	if (!emulate())
		return;
	load();
	driver.facts.cpu_features |= PERFCTR_FEATURE_RDPMC;
	self = vperfctr_open();
	run(self, 2, 0);
	driver.control = EBUSY;
	ck_fails(vperfctr_control(self, &control), EBUSY, "NMI watchdog");
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(sum.pmc[1], 2020);
	ck_assert_uint_eq(driver.reads, 0);
	vperfctr_unlink(self);
	vperfctr_close(self);
	/* One that counts already when it is opened. */
	driver.control = 0;
	driver.state = make_control(1, 1);
	self = vperfctr_open_mode(0);
	ck_assert_uint_eq(driver.asked.creat, 0);
	ck_assert_uint_eq(driver.reads, 1);
	page->cpu_state.cstatus = perfctr_mk_cstatus(1, 1, 1);
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(driver.reads, 1);
	vperfctr_unlink(self);
	vperfctr_close(self);
	/* And its control can't be told: the kernel is asked for each. */
	driver.read = ENOMEM;
	self = vperfctr_open_mode(0);
	ck_assert_ptr_nonnull(self);
	driver.read = 0;
	page->cpu_state.cstatus = perfctr_mk_cstatus(1, 1, 1);
	driver.reads = 0;
	ck_assert_int_eq(vperfctr_read_ctrs(self, &sum), 0);
	ck_assert_uint_eq(driver.reads, 1);
	vperfctr_unlink(self);
	vperfctr_close(self);
}
END_TEST

#else

START_TEST(counters)
{
}
END_TEST

START_TEST(pauses)
{
}
END_TEST

START_TEST(no_user_reads)
{
}
END_TEST

START_TEST(proofs)
{
}
END_TEST

START_TEST(state_readers)
{
}
END_TEST

START_TEST(imode_counters)
{
}
END_TEST

START_TEST(a_refused_control_changes_nothing)
{
}
END_TEST

#endif

UNIT_MAIN("driver", 60, problems_with_the_device, opening, states_of_perf_events, choices, facts,
	  calls, refused_calls, proofs, refused_controls, handles, handles_that_are_not_opened,
	  clock, readers, counters, pauses, no_user_reads, imode_counters, state_readers,
	  a_refused_control_changes_nothing)
