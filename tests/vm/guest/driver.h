/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* driver.h - guest.h for tests that make the driver's own calls, without the library; users. */
#ifndef PERFCTR_TESTS_DRIVER_H
#define PERFCTR_TESTS_DRIVER_H

#include <grp.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <perfctr/calls.h>
#include "tests/harness/guest.h"

#if defined(__aarch64__)
#include <perfctr/read.h>

#define EVNTSEL_P    0x80000000u /* not the kernel's */
#define EVNTSEL_INT  0u
#define INSTRUCTIONS 0x80000008u /* of user mode */
#define READ_SIGNAL  SIGILL	 /* what who may not read a counter gets */
#define RDPMC	     "/proc/sys/kernel/perf_user_access"

static inline uint32_t rdpmc(uint32_t map)
{
	return (uint32_t)perfctr_rdpmc(map);
}

/* Counter i counts the kernel's instructions, too. */
static inline void with_kernel(struct vperfctr_control *c, unsigned int i)
{
	c->cpu_control.evntsel[i] &= ~EVNTSEL_P;
}

static inline bool looks_at_kernel(uint32_t evntsel)
{
	return !(evntsel & EVNTSEL_P);
}

#else

#define EVNTSEL_OS   0x00020000u
#define EVNTSEL_INT  0x00100000u
#define EVNTSEL_ANY  0x00200000u
#define INSTRUCTIONS 0x004100C0u /* of user mode; the same on architectural Intel and AMD */
#define READ_SIGNAL  SIGSEGV
#define RDPMC	     "/sys/bus/event_source/devices/cpu/rdpmc"

static inline uint32_t rdpmc(uint32_t map)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(map) : "memory");
	return low;
}

static inline void with_kernel(struct vperfctr_control *c, unsigned int i)
{
	c->cpu_control.evntsel[i] |= EVNTSEL_OS;
}

/* Or at other threads of its core. */
static inline bool looks_at_kernel(uint32_t evntsel)
{
	return evntsel & (EVNTSEL_OS | EVNTSEL_ANY);
}

#endif

/* ---- what only root may do, and others ---- */

#define NOBODY	    65534
#define PARANOID    "/proc/sys/kernel/perf_event_paranoid"
#define USER_STATES "/sys/module/perfctr/parameters/user_states"
#define CGROUPS	    "/tmp/cgroups/"

static inline int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY), result;

	if (fd < 0)
		return -1;
	result = write(fd, value, strlen(value)) < 0 ? -1 : 0;
	close(fd);
	return result;
}

/* The number in a file, or -1. */
static inline long read_number(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	close(fd);
	return atol(text);
}

/* How many times slower the kernel is than a stock one, as its command line says. */
static inline unsigned int slowness(void)
{
	const char *word = getenv("TEST_SLOW");
	int times = word ? atoi(word) : 1;

	return times > 1 ? (unsigned int)times : 1;
}

/* Older kernels let nobody read over perf_events on arm64. */
static inline bool perf_has_readers(void)
{
	return access(RDPMC, F_OK) == 0;
}

/* Take CPU 1 away, or bring it back. */
static inline int set_online(const char *value)
{
	return write_file("/sys/devices/system/cpu/cpu1/online", value);
}

static inline void become(unsigned int user)
{
	if (user && (setgroups(0, NULL) < 0 || setgid(user) < 0 || setuid(user) < 0))
		_exit(2);
}

/* Run in a process of its own, as a user. 0; 1 if it says so, or was killed. */
static inline int in_child(unsigned int user, int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		become(user);
		_exit(run());
	}
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(status == 0, "status 0x%X", status);
	return 0;
}

/* A cgroup in CGROUPS "a", which pays for memory. */
static inline int make_cgroup(void)
{
	mkdir(CGROUPS, 0755);
	CHECK(mount("cgroup2", CGROUPS, "cgroup2", 0, NULL) == 0, "mount");
	CHECK(write_file(CGROUPS "cgroup.subtree_control", "+memory\n") == 0, "controller");
	CHECK(mkdir(CGROUPS "a", 0755) == 0, "mkdir");
	return 0;
}

static inline void remove_cgroup(void)
{
	rmdir(CGROUPS "a");
	umount(CGROUPS);
}

static inline long memory_of_cgroup(void)
{
	return read_number(CGROUPS "a/memory.current");
}

/* What the driver says exists: sets of counters, and threads' links to them. */
#define STATES "/sys/module/perfctr/parameters/states"
#define LINKS  "/sys/module/perfctr/parameters/links"

/* When their users have gone. What ended threads leave behind is cleared up a moment later. */
static inline int no_state_is_left(void)
{
	unsigned int k;

	CHECK(read_number(STATES) >= 0 && read_number(LINKS) >= 0,
	      "the driver does not say how many states and links there are: %s", strerror(errno));
	for (k = 0; k < 5000 && (read_number(STATES) || read_number(LINKS)); k++)
		usleep(1000);
	CHECK(!read_number(STATES) && !read_number(LINKS), "%ld states and %ld links are left",
	      read_number(STATES), read_number(LINKS));
	return 0;
}

/* ---- a thread's counters ---- */

/* A thread's counters: descriptor and page. */
struct handle {
	int fd;
	volatile const struct perfctr_cpu_state *page;
};

static inline int open_state(int device, struct handle *h)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };
	void *page;

	h->fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	if (h->fd < 0)
		return -1;
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, h->fd, 0);
	if (page == MAP_FAILED)
		return -1;
	h->page = page;
	return 0;
}

static inline void close_state(struct handle *h)
{
	ioctl(h->fd, PERFCTR_IOC_UNLINK);
	munmap((void *)(uintptr_t)h->page, 4096);
	close(h->fd);
}

/* A descriptor keeps the state of a thread that may go on to make another. */
static inline int open_and_leave(int device)
{
	struct handle h;

	if (open_state(device, &h) < 0)
		return -1;
	munmap((void *)(uintptr_t)h.page, 4096);
	ioctl(h.fd, PERFCTR_IOC_UNLINK);
	return h.fd;
}

/*
 * An event of perf_events', of this thread's user mode or of everything on CPU 0: what shows the
 * driver which rights its user has. A descriptor, or -1.
 */
static inline int open_proof(bool everything)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = !everything,
	};

	return (int)syscall(SYS_perf_event_open, &attr, everything ? -1 : 0, everything ? 0 : -1,
			    -1, PERF_FLAG_FD_CLOEXEC);
}

static inline int set_control_with(int fd, const struct vperfctr_control *c, int proof)
{
	struct perfctr_call_control call = {
		.control = (uintptr_t)c,
		.control_size = sizeof(*c),
		.proof = (unsigned int)(proof + 1),
	};

	return ioctl(fd, PERFCTR_IOC_CONTROL, &call);
}

/*
 * With what rights this user has: a proof is asked for, and then opened, of everything or not. On a
 * busy machine it may come too late, and is asked for again, as programs do.
 */
static inline int set_control_as(int fd, const struct vperfctr_control *c, bool everything)
{
	int proof, error, tries, result = set_control_with(fd, c, -1);

	for (tries = 0; tries < 3 && result < 0 && errno == EACCES; tries++) {
		proof = open_proof(everything);
		result = set_control_with(fd, c, proof);
		error = errno;
		if (proof >= 0)
			close(proof);
		errno = error;
	}
	return result;
}

static inline int set_control(int fd, const struct vperfctr_control *c)
{
	return set_control_as(fd, c, false);
}

static inline int read_state(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *c)
{
	struct perfctr_call_read call = {
		.sum = (uintptr_t)sum,
		.sum_size = sizeof(*sum),
		.control = (uintptr_t)c,
		.control_size = sizeof(*c),
	};

	return ioctl(fd, PERFCTR_IOC_READ, &call);
}

/* How often the loop below had to begin again. */
static __attribute__((unused)) _Thread_local unsigned int retries;

/* The documents' loop. */
static __attribute__((noinline, unused)) uint64_t read_pmc(const struct handle *h, unsigned int i)
{
	volatile const struct perfctr_cpu_state *s = h->page;
	uint32_t before, now, start;
	uint64_t sum;

	for (;;) {
		before = s->tsc_start;
		now = rdpmc(s->pmc[i].map);
		start = s->pmc[i].start;
		sum = s->pmc[i].sum;
		if (s->tsc_start == before)
			return sum + (uint32_t)(now - start);
		retries++;
	}
}

static __attribute__((noinline, unused)) uint64_t measure(const struct handle *h, unsigned int i,
							  unsigned long n)
{
	uint64_t before = read_pmc(h, i);

	loop(n);
	return read_pmc(h, i) - before;
}

/* Does counter i count a loop of known length to the instruction? Another turn of a read counts,
 * too. */
static inline bool counts_exactly(const struct handle *h, unsigned int i, unsigned long n)
{
	unsigned int tries = 0, before;
	uint64_t few, many;

	measure(h, i, 1);
	do {
		before = retries;
		few = measure(h, i, 1000);
		many = measure(h, i, 1000 + n);
	} while (retries != before && ++tries < 10);
	if (many - few == 2 * n)
		return true;
	printf("  counter %u: %llu and %llu\n", i, (unsigned long long)few,
	       (unsigned long long)many);
	return false;
}

static inline void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A child that does something each time that it is told to, on CPU 0, where its parent is. */
struct helper {
	pid_t pid;
	int orders, answers;
};

static inline void serve(int (*job)(uint64_t order), int orders, int answers)
{
	uint64_t order;
	int answer;

	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		answer = job(order);
		if (write(answers, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

static inline int start_helper(struct helper *helper, int (*job)(uint64_t order))
{
	int orders[2], answers[2];

	CHECK(pipe(orders) == 0 && pipe(answers) == 0, "pipe");
	pin(0);
	helper->pid = fork();
	if (helper->pid == 0) {
		close(orders[1]);
		close(answers[0]);
		serve(job, orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	helper->orders = orders[1];
	helper->answers = answers[0];
	return 0;
}

static inline int order(const struct helper *helper, uint64_t what)
{
	int answer = -1;

	if (write(helper->orders, &what, sizeof(what)) != sizeof(what) ||
	    read(helper->answers, &answer, sizeof(answer)) != sizeof(answer))
		return -1;
	return answer;
}

static inline void end_helper(const struct helper *helper)
{
	close(helper->orders);
	close(helper->answers);
	waitpid(helper->pid, NULL, 0);
}

/* ---- what main() does ---- */

/* Load the driver, which stays, and run the tests with its device. How many have failed, or -1. */
static inline int run_driver_tests(const struct guest_test *tests, unsigned int n, int *device)
{
	int failures = 0, failed;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (load_driver() < 0)
		return -1;
	*device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	for (i = 0; i < n; i++) {
		failed = tests[i].run();
		printf("%s %s\n", failed ? "not ok" : "ok", tests[i].name);
		failures += failed != 0;
	}
	return failures;
}

#endif /* PERFCTR_TESTS_DRIVER_H */
