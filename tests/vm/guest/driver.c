// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The driver, by its own calls: loads /perfctr.ko, and demands what the documents of perfctr
 * promise. Runs as process 1's child in a test kernel. Called driver_tsc, it demands that there are
 * no counters, else that there are; driver_hotplug is about CPUs that come and go. Exit status 0 if
 * all is well.
 */
#include <signal.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "tests/vm/guest/driver.h"

static unsigned int failures;
static int device;
static bool counters; /* the machine has a PMU that is ours to use */
static unsigned int cpu_type;

#if defined(__aarch64__)

enum { ALL = 33, RESERVED = 0x20080000, RESERVED_ERRNO = EINVAL };

static bool is_p5(void)
{
	return false;
}

static void count_kernel(struct vperfctr_control *c)
{
	with_kernel(c, 0);
}

#else

/* More counters than any processor has; a bit of a selector that no family has. */
enum { ALL = 19, RESERVED = 0x20080000, RESERVED_ERRNO = EPERM };

static bool is_p5(void)
{
	return cpu_type == PERFCTR_X86_INTEL_P5 || cpu_type == PERFCTR_X86_INTEL_P5MMX;
}

static bool is_p4(void)
{
	return cpu_type == PERFCTR_X86_INTEL_P4 || cpu_type == PERFCTR_X86_INTEL_P4M2 ||
	       cpu_type == PERFCTR_X86_INTEL_P4M3;
}

/* The kernel's, too. */
static void count_kernel(struct vperfctr_control *c)
{
	if (is_p4())
		c->cpu_control.p4.escr[0] |= 0x00000008;
	else
		c->cpu_control.evntsel[0] |= is_p5() ? 0x0040 : 0x00020000;
}

#endif

static int info(void)
{
	struct perfctr_info i, small;
	struct perfctr_call_info call = { .info = (uintptr_t)&i, .info_size = sizeof(i) };

	CHECK(ioctl(device, PERFCTR_IOC_INFO, &call) == 0, "info");
	CHECK(i.abi_version == PERFCTR_ABI_VERSION, "0x%X", i.abi_version);
	CHECK(i.cpu_features & PERFCTR_FEATURE_RDTSC, "0x%X", i.cpu_features);
#if !defined(__aarch64__) /* where nothing tells */
	CHECK(i.cpu_khz > 1000, "%u", i.cpu_khz);
#endif
	printf("  type %u, features 0x%X\n", i.cpu_type, i.cpu_features);
	counters = i.cpu_features & PERFCTR_FEATURE_RDPMC;
	cpu_type = i.cpu_type;
	memset(&small, 0x5A, sizeof(small));
	call.info = (uintptr_t)&small;
	call.info_size = 8;
	CHECK(ioctl(device, PERFCTR_IOC_INFO, &call) == 0, "a short one");
	CHECK(small.cpu_type == 0x5A5A5A5A, "written beyond its size");
	call.info = 8;
	CHECK(ioctl(device, PERFCTR_IOC_INFO, &call) < 0 && errno == EFAULT, "a wild address");
	return 0;
}

static int opening(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };
	struct handle h;
	int second;

	call.abi_version += 0x01000000;
	CHECK(ioctl(device, PERFCTR_IOC_OPEN, &call) < 0 && errno == EPROTO, "another version");
	call.abi_version = PERFCTR_ABI_VERSION;
	call.flags = 1;
	CHECK(ioctl(device, PERFCTR_IOC_OPEN, &call) < 0 && errno == EINVAL, "flags");
	call.flags = call.creat = 0;
	CHECK(ioctl(device, PERFCTR_IOC_OPEN, &call) < 0 && errno == ENODEV, "none to open");
	call.tid = 1;
	CHECK(ioctl(device, PERFCTR_IOC_OPEN, &call) < 0 && errno == ESRCH, "another's");
	CHECK(open_state(device, &h) == 0, "open");
	call.tid = 0;
	second = ioctl(device, PERFCTR_IOC_OPEN, &call);
	CHECK(second >= 0, "a second descriptor");
	call.creat = 1;
	CHECK(ioctl(device, PERFCTR_IOC_OPEN, &call) < 0 && errno == EEXIST, "twice");
	CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, h.fd, 0) == MAP_FAILED &&
		      errno == EPERM,
	      "a writable mapping");
	CHECK(mprotect((void *)(uintptr_t)h.page, 4096, PROT_READ | PROT_WRITE) < 0 &&
		      errno == EACCES,
	      "made writable");
	close(second);
	close_state(&h);
	CHECK(open_state(device, &h) == 0, "open again after unlink");
	close_state(&h);
	return 0;
}

static int virtual_tsc(void)
{
	struct vperfctr_control c = instructions(0);
	struct perfctr_sum_ctrs a, b;
	struct handle h;
	unsigned int k;

	CHECK(open_state(device, &h) == 0, "open");
	CHECK(set_control(h.fd, &c) == 0, "control");
	CHECK(read_state(h.fd, &a, NULL) == 0, "read");
	loop(100000);
	CHECK(read_state(h.fd, &b, NULL) == 0 && b.tsc > a.tsc, "the TSC stands still");
	/* What others do is not counted. */
	a = b;
	for (k = 0; k < 3; k++)
		usleep(20000);
	CHECK(read_state(h.fd, &b, NULL) == 0, "read");
	CHECK(b.tsc - a.tsc < 20000000, "60 ms of sleep counted as %llu ticks", b.tsc - a.tsc);
	/* Stopping keeps the sum. */
	c.cpu_control.tsc_on = 0;
	CHECK(set_control(h.fd, &c) == 0 && read_state(h.fd, &a, NULL) == 0 && a.tsc >= b.tsc,
	      "%llu", a.tsc);
	loop(100000);
	CHECK(read_state(h.fd, &b, NULL) == 0 && b.tsc == a.tsc, "the stopped TSC goes on");
	close_state(&h);
	return 0;
}

/* What a kernel of 32 bits does not see of an address. */
#define ABOVE (1ull << 62)

static int refusals(void)
{
	struct vperfctr_control c = instructions(counters), good = c;
	struct {
		struct vperfctr_control c;
		char more[8];
	} large;
	struct perfctr_call_control call = { .control = (uintptr_t)&large };
	struct perfctr_call_read reading = { .sum_size = sizeof(struct perfctr_sum_ctrs) };
	struct perfctr_sum_ctrs a, b;
	struct handle h;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &good) == 0, "control");
	loop(1000);
	read_state(h.fd, &a, NULL);
	c.cpu_control.nractrs = ALL;
	CHECK(set_control(h.fd, &c) < 0 && errno == EINVAL, "too many counters");
	c = good;
	c.flags = 0x80;
	CHECK(set_control(h.fd, &c) < 0 && errno == EINVAL, "a flag");
	c = good;
	c.cpu_control.evntsel[0] |= RESERVED;
	/* Where there are no counters it is a word that means nothing. */
	CHECK(counters ? set_control(h.fd, &c) < 0 && errno == RESERVED_ERRNO
		       : set_control(h.fd, &c) == 0,
	      "a reserved bit");
	c = good;
	c.cpu_control.nrictrs = 1;
	/* A P5, and what has no counters, has no such interrupts. */
	CHECK(set_control(h.fd, &c) < 0 && errno == (is_p5() || !counters ? EPERM : EINVAL),
	      "i-mode");
	memset(&large, 0, sizeof(large));
	large.c = good;
	call.control_size = sizeof(large);
	large.more[3] = 1;
	CHECK(ioctl(h.fd, PERFCTR_IOC_CONTROL, &call) < 0 && errno == E2BIG, "a larger one");
	call.control_size = 0xFFFFFFFF;
	CHECK(ioctl(h.fd, PERFCTR_IOC_CONTROL, &call) < 0 && errno == E2BIG, "a huge one");
	call.control_size = sizeof(large);
	call.control = 4096;
	CHECK(ioctl(h.fd, PERFCTR_IOC_CONTROL, &call) < 0 && errno == EFAULT, "a wild address");
	/* Right but for bits that a kernel of 32 does not look at. */
	call.control = (uintptr_t)&good | ABOVE;
	call.control_size = sizeof(good);
	CHECK(ioctl(h.fd, PERFCTR_IOC_CONTROL, &call) < 0 && errno == EFAULT, "above 32 bits");
	reading.sum = (uintptr_t)&b | ABOVE;
	CHECK(ioctl(h.fd, PERFCTR_IOC_READ, &reading) < 0 && errno == EFAULT, "above 32 bits");
	CHECK(ioctl(h.fd, PERFCTR_IOC_IRESUME) < 0 && errno == EINVAL, "iresume");
	CHECK(ioctl(h.fd, 0x1234) < 0 && errno == ENOTTY, "no such call");
	/* None of these touched what runs. */
	CHECK(read_state(h.fd, &b, NULL) == 0 && b.tsc > a.tsc && b.pmc[0] >= a.pmc[0],
	      "counters were lost");
	/* Not refused: what perfctr 2.6 reserved. */
	c = good;
	c._reserved2 = c._reserved4 = c.cpu_control._reserved1 = c.cpu_control._reserved4 = ~0u;
	CHECK(set_control(h.fd, &c) == 0, "reserved words");
	read_state(h.fd, NULL, &large.c);
	CHECK(memcmp(&large.c, &c, sizeof(c)) == 0, "what was set is read");
	close_state(&h);
	return 0;
}

/* Without a PMU hardware events are refused, on whatever counter, and the TSC counts on. */
static int no_counters(void)
{
	struct vperfctr_control c = instructions(0);
	struct perfctr_sum_ctrs a, b;
	struct handle h;
	unsigned int i;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0 &&
		      read_state(h.fd, &a, NULL) == 0,
	      "TSC");
	for (i = 0; i < PERFCTR_NR_CTRS; i++) {
		c = instructions(1);
		c.cpu_control.pmc_map[0] = i;
		CHECK(set_control(h.fd, &c) < 0 && errno == EINVAL, "counter %u", i);
	}
	loop(1000);
	CHECK(read_state(h.fd, &b, NULL) == 0 && b.tsc > a.tsc, "the TSC was stopped");
	close_state(&h);
	return 0;
}

static int exact_counts(void)
{
	struct vperfctr_control c = instructions(4), one = instructions(1);
	struct perfctr_sum_ctrs sum;
	struct handle h;
	uint64_t a, b;
	unsigned int i, n = 4;

	CHECK(open_state(device, &h) == 0, "open");
	/* Core 2 has two, all others four or more. */
	if (set_control(h.fd, &c) < 0) {
		n = 2;
		c = instructions(n);
	}
	CHECK(set_control(h.fd, &c) == 0, "control");
	for (i = 0; i < n; i++) {
		measure(&h, i, 1);
		a = measure(&h, i, 1000);
		b = measure(&h, i, 1000000);
		CHECK(b - a == 2 * 999000, "counter %u: %llu, %llu", i, (unsigned long long)a,
		      (unsigned long long)b);
	}
	/* Two counters of the same see the same, also through the read call. */
	CHECK(read_state(h.fd, &sum, NULL) == 0, "read");
	CHECK(sum.pmc[0] == sum.pmc[1] && sum.pmc[1] == sum.pmc[n - 1], "%llu %llu %llu",
	      sum.pmc[0], sum.pmc[1], sum.pmc[n - 1]);
	/* preserve keeps a sum, and only it. */
	one.preserve = 1;
	CHECK(set_control(h.fd, &one) == 0, "control");
	CHECK(read_pmc(&h, 0) >= sum.pmc[0], "not preserved");
	one.preserve = 0;
	CHECK(set_control(h.fd, &one) == 0 && read_pmc(&h, 0) < 10000, "not reset");
	close_state(&h);
	return 0;
}

static void *count_in_thread(void *arg)
{
	static char unopened[] = "open or control", wrong[] = "a count is wrong";
	unsigned long n = 100000 + 1000 * (unsigned long)(uintptr_t)arg;
	struct vperfctr_control c = instructions(2);
	unsigned int before;
	uint64_t a, b;
	struct handle h;
	cpu_set_t set;
	int k;

	if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
		return unopened;
	measure(&h, 0, 1);
	for (k = 0; k < 20; k++) {
		/* From CPU to CPU, among others who count, too. */
		CPU_ZERO(&set);
		CPU_SET((unsigned int)k % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &set);
		sched_setaffinity(0, sizeof(set), &set);
		/* Another turn of a read is counted, too. */
		do {
			before = retries;
			a = measure(&h, 1, n);
			sched_yield();
			b = measure(&h, 1, 2 * n);
		} while (retries != before);
		if (b - a != 2 * n)
			return wrong;
	}
	close_state(&h);
	return NULL;
}

static int threads(void)
{
	return run_in_threads(count_in_thread);
}

static int ended_fd;

static void *count_and_end(void *arg)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;

	if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
		return arg;
	ended_fd = h.fd;
	munmap((void *)(uintptr_t)h.page, 4096);
	loop(500000);
	return NULL;
}

/* The object outlives its thread while a descriptor does, and its sums are final. */
static int after_exit(void)
{
	struct handle h = { .page = NULL };
	struct perfctr_sum_ctrs a, b;
	pthread_t thread;
	void *result;

	CHECK(pthread_create(&thread, NULL, count_and_end, &h) == 0, "thread");
	pthread_join(thread, &result);
	CHECK(!result, "open or control");
	h.fd = ended_fd;
	/* join returns when the thread has cleared its id; the kernel may still be in its exit. */
	usleep(50000);
	CHECK(read_state(h.fd, &a, NULL) == 0, "read");
	CHECK(a.pmc[0] >= 1000000 && a.pmc[0] < 1100000, "%llu", a.pmc[0]);
	CHECK(read_state(h.fd, &b, NULL) == 0 && memcmp(&a, &b, sizeof(a)) == 0, "not final");
	close(h.fd);
	return 0;
}

/* A child has no counters, and may not execute rdpmc. */
static int forks(void)
{
	struct vperfctr_control c = instructions(1);
	struct perfctr_sum_ctrs sum;
	struct handle h;
	int status;
	pid_t pid;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	pid = fork();
	if (pid == 0) {
		if (read_state(h.fd, &sum, NULL) == 0 || errno != ESRCH)
			_exit(1);
		rdpmc(0);
		_exit(2);
	}
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == READ_SIGNAL, "status 0x%X", status);
	CHECK(measure(&h, 0, 1000) > 2000, "the parent's counter");
	close_state(&h);
	return 0;
}

/* Anybody may count his own user mode, and only who is trusted the kernel's. */
static int permissions(void)
{
	struct vperfctr_control user = instructions(1), kernel = user;
	struct handle h;
	int status;
	pid_t pid;

	count_kernel(&kernel);
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &kernel) == 0, "root");
	close_state(&h);
	pid = fork();
	if (pid == 0) {
		if (setuid(65534) < 0 || open_state(device, &h) < 0 || set_control(h.fd, &user) < 0)
			_exit(1);
		if (set_control(h.fd, &kernel) == 0 || errno != EPERM)
			_exit(2);
		_exit(measure(&h, 0, 1000) > 2000 ? 0 : 3);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	return 0;
}

/* Counters go on in the next program, unless they were asked not to. */
static int execs(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;
	int status, k;
	pid_t pid;

	for (k = 0; k < 2; k++) {
		pid = fork();
		if (pid == 0) {
			c.flags = k ? VPERFCTR_CONTROL_CLOEXEC : 0;
			if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
				_exit(9);
			execl("/proc/self/exe", "driver", k ? "none" : "some", (char *)NULL);
			_exit(8);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 0, "%d: status 0x%X", k, status);
	}
	return 0;
}

/* The program that execs() executes: are there counters? */
static int execed(bool some)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION };
	int fd;

	device = open("/dev/perfctr", O_RDWR);
	fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	if (some)
		return fd < 0;
	return fd >= 0 || errno != ENODEV;
}

/* Of 50 measures one has nothing in it of the other processor's: see counts_are_exact(). */
static uint64_t least(struct handle *h, unsigned long n)
{
	uint64_t least = UINT64_MAX, value;
	unsigned int k;

	for (k = 0; k < 50; k++) {
		value = measure(h, 0, n);
		least = value < least ? value : least;
	}
	return least;
}

/* A CPU that comes has forgotten what its registers contained, and must be told. */
static int hotplug(void)
{
	struct vperfctr_control c = instructions(1);
	unsigned int round;
	struct handle h;
	uint64_t a, b;

	if (sysconf(_SC_NPROCESSORS_CONF) < 2) {
		printf("  there is one CPU only\n");
		return 0;
	}
	pin(0);
	CHECK(set_online("0") == 0, "offline");
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	for (round = 0; round < 3; round++) {
		CHECK(set_online("1") == 0, "online");
		pin(1);
		measure(&h, 0, 1);
		a = least(&h, 1000);
		b = least(&h, 10000);
		CHECK(b - a == 2 * 9000, "round %u: %llu, %llu", round, (unsigned long long)a,
		      (unsigned long long)b);
		pin(0);
		CHECK(round == 2 || set_online("0") == 0, "offline");
	}
	close_state(&h);
	return 0;
}

#if defined(__aarch64__)

/* Debian's kernels in QEMU's machine don't come back for sure, without the driver neither. */
static int suspends(void)
{
	printf("  not tried\n");
	return 0;
}

#else

/* All of a sleep, and of the way back, but the sleep itself, from which QEMU does not wake. */
static int suspends(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;
	uint64_t a, b;

	CHECK(write_file("/sys/power/pm_test", "core") == 0, "the kernel can't rehearse it");
	CHECK(write_file("/sys/module/suspend/parameters/pm_test_delay", "0") == 0,
	      "seconds of sleep");
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	a = read_pmc(&h, 0);
	CHECK(write_file("/sys/power/state", "mem") == 0, "suspend");
	b = read_pmc(&h, 0);
	CHECK(b - a < 10000, "%llu, then %llu", (unsigned long long)a, (unsigned long long)b);
	measure(&h, 0, 1);
	a = measure(&h, 0, 1000);
	b = measure(&h, 0, 1000000);
	CHECK(b - a == 2 * 999000, "%llu, %llu", (unsigned long long)a, (unsigned long long)b);
	close_state(&h);
	return 0;
}

#endif

static int open_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

#if defined(__aarch64__)

/* Who reads how long a loop was, in instructions and a little more. */
static bool perf_counts(int perf)
{
	uint64_t before = 0, after = 0;

	if (read(perf, &before, sizeof(before)) != sizeof(before))
		return false;
	loop(1000000);
	return read(perf, &after, sizeof(after)) == sizeof(after) && after - before >= 2000000 &&
	       after - before < 2010000;
}

/* Both have counters, at the same time, and perf_events has those that we leave. */
static int shared_with_perf(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;
	int perf, later;

	usleep(200000); /* what ended threads had is given back a little later */
	perf = open_perf();
	CHECK(perf >= 0, "perf_event_open");
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	later = open_perf();
	CHECK(later >= 0, "perf_event_open");
	CHECK(counts_exactly(&h, 0, 1000000), "beside perf_events");
	CHECK(perf_counts(perf) && perf_counts(later), "perf_events beside us");
	close_state(&h);
	CHECK(perf_counts(perf) && perf_counts(later), "perf_events after us");
	close(perf);
	close(later);
	return 0;
}

#else

/* The counters are either perf_events' or ours, and whoever has them next finds them in order. */
static int shared_with_perf(void)
{
	struct vperfctr_control c = instructions(1);
	uint64_t count = 0, a, b;
	struct handle h;
	int perf;

	usleep(200000); /* what ended threads had is given back a little later */
	perf = open_perf();
	if (perf < 0 && errno == ENOENT) {
		printf("  perf_events has no driver for this processor\n");
		return 0;
	}
	CHECK(perf >= 0, "perf_event_open");
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) < 0 && errno == EBUSY,
	      "both count");
	close(perf);
	CHECK(set_control(h.fd, &c) == 0, "after perf_events");
	CHECK(open_perf() < 0 && errno == EBUSY, "both count");
	measure(&h, 0, 1);
	a = measure(&h, 0, 1000);
	b = measure(&h, 0, 1000000);
	CHECK(b - a == 2 * 999000, "%llu, %llu", (unsigned long long)a, (unsigned long long)b);
	close_state(&h);
	perf = open_perf();
	CHECK(perf >= 0, "perf_event_open after us");
	loop(1000000);
	CHECK(read(perf, &count, sizeof(count)) == sizeof(count), "read");
	/* On the emulated P4 perf_events miscounts anyhow. */
	CHECK(is_p4() || (count >= 2000000 && count < 2100000), "%llu", (unsigned long long)count);
	close(perf);
	return 0;
}

#endif

static int unloading(void)
{
	struct handle h;

	CHECK(open_state(device, &h) == 0, "open");
	CHECK(syscall(SYS_delete_module, "perfctr", O_NONBLOCK) < 0 && errno == EWOULDBLOCK,
	      "unloaded in use");
	close_state(&h);
	close(device);
	usleep(200000);
	CHECK(syscall(SYS_delete_module, "perfctr", O_NONBLOCK) == 0, "unload");
	return 0;
}

/* Who has the counters, as the administrator sees it. */
static int read_holders(char *text, size_t size)
{
	int fd = open("/proc/perfctr", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	close(fd);
	text[n < 0 ? 0 : n] = 0;
	return n < 0 ? -1 : 0;
}

static int holders(void)
{
	struct vperfctr_control tsc = instructions(0), c = instructions(1);
	char text[256], expected[64];
	struct handle h;
	pid_t pid;
	int status;

	CHECK(read_holders(text, sizeof(text)) == 0 && !text[0], "nobody: %s", text);
	prctl(PR_SET_NAME, "a b\n", 0, 0, 0);
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &tsc) == 0, "control");
	CHECK(read_holders(text, sizeof(text)) == 0 && !text[0], "the TSC: %s", text);
	CHECK(set_control(h.fd, &c) == 0, "control");
	snprintf(expected, sizeof(expected), "%d 0 a\\040b\\012\n", getpid());
	CHECK(read_holders(text, sizeof(text)) == 0 && !strcmp(text, expected), "%s", text);
	/* Stopping is not enough. */
	memset(&c, 0, sizeof(c));
	CHECK(set_control(h.fd, &c) == 0, "control");
	CHECK(read_holders(text, sizeof(text)) == 0 && !strcmp(text, expected), "%s", text);
	pid = fork();
	if (pid == 0)
		_exit(setuid(65534) < 0 || open("/proc/perfctr", O_RDONLY) >= 0 || errno != EACCES);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "others: 0x%X", status);
	close_state(&h);
	CHECK(read_holders(text, sizeof(text)) == 0 && !text[0], "nobody: %s", text);
	prctl(PR_SET_NAME, "driver", 0, 0, 0);
	return 0;
}

int main(int argc, char **argv)
{
	enum { ANY, PMU, NO_PMU };
	static const struct {
		const char *name;
		int (*run)(void);
		int machine;
	} tests[] = {
#define DRIVER_TEST(name, machine) { #name, name, machine }
		DRIVER_TEST(info, ANY),		  DRIVER_TEST(opening, ANY),
		DRIVER_TEST(virtual_tsc, ANY),	  DRIVER_TEST(refusals, ANY),
		DRIVER_TEST(no_counters, NO_PMU), DRIVER_TEST(exact_counts, PMU),
		DRIVER_TEST(threads, PMU),	  DRIVER_TEST(after_exit, PMU),
		DRIVER_TEST(forks, PMU),	  DRIVER_TEST(permissions, PMU),
		DRIVER_TEST(execs, PMU),	  DRIVER_TEST(hotplug, PMU),
		DRIVER_TEST(suspends, PMU),	  DRIVER_TEST(shared_with_perf, PMU),
		DRIVER_TEST(holders, PMU),	  DRIVER_TEST(unloading, ANY),
	};
	int machine = strstr(argv[0], "tsc") ? NO_PMU : PMU;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		return execed(strcmp(argv[1], "some") == 0);
	if (load_driver() < 0)
		return 1;
	device = open("/dev/perfctr", O_RDWR);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		int failed;

		if (tests[i].machine != ANY && tests[i].machine != machine)
			continue;
		if (strstr(argv[0], "hotplug") && tests[i].run != info && tests[i].run != hotplug &&
		    tests[i].run != unloading)
			continue;
		failed = tests[i].run();
		printf("%s %s\n", failed ? "not ok" : "ok", tests[i].name);
		failures += failed != 0;
	}
	CHECK(counters == (machine == PMU), "counters");
	return failures ? 1 : 0;
}
