// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests that one user of the driver disturbs nobody: what he repeats on one processor interrupts no
 * other one, keeps no other user waiting, and shows nobody else's counts where a processor is set
 * up late. A test's name as the argument runs that one alone. Exit status 0 if all is well.
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include "tests/vm/guest/driver.h"

#define MOST   100 /* interrupts in a second, ... */
#define OWN    30  /* ... and those of what happens once a second: perf_events' key, and ours */
#define WINDOW 0.1 /* seconds */

static struct shared {
	atomic_uint turns, wrong, go, done;
	unsigned int seen[8];
} * shared;

static int device;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The function-call interrupts of one of two processors, or -1. */
static long calls_on(unsigned int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	long count[2] = { -1, -1 };
	char line[1024], *colon;

	while (file && fgets(line, sizeof(line), file)) {
		colon = strchr(line, ':');
		if (colon && strstr(line, "unction call interrupts"))
			sscanf(colon + 1, "%ld %ld", &count[0], &count[1]);
	}
	if (file)
		fclose(file);
	return count[cpu];
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nivcsw;
}

/* ---- what a user repeats; each returns 0 ---- */

static int open_alone(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };

	return ioctl(device, PERFCTR_IOC_OPEN, &call);
}

static void leave(int fd)
{
	ioctl(fd, PERFCTR_IOC_UNLINK);
	close(fd);
}

static int opens(void)
{
	int fd = open_alone();

	if (fd < 0)
		return 1;
	leave(fd);
	return 0;
}

/* With so many counters. */
static int control(unsigned int counters)
{
	struct vperfctr_control c = instructions(counters);
	int fd = open_alone(), failed;

	if (fd < 0)
		return 1;
	failed = set_control(fd, &c);
	leave(fd);
	return failed;
}

static int controls(void)
{
	return control(1);
}

static int time_stamps(void)
{
	return control(0);
}

static int refusals(void)
{
	struct vperfctr_control c = instructions(1);
	int fd = open_alone(), failed;

	if (fd < 0)
		return 1;
	failed = set_control_with(fd, &c, -1) == 0 || errno != EACCES;
	leave(fd);
	return failed;
}

/* Where counters are shared, each control takes one and gives the other back. */
static int other_counters(void)
{
	struct vperfctr_control c = instructions(1);
	int fd = open_alone(), failed;

	if (fd < 0)
		return 1;
	failed = set_control(fd, &c);
	c.cpu_control.pmc_map[0] = 1;
	failed = failed || set_control(fd, &c);
	leave(fd);
	return failed;
}

static int mappings(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;
	int failed;

	if (open_state(device, &h) < 0)
		return 1;
	failed = set_control(h.fd, &c) < 0 || (h.page->cstatus >> 31 && read_pmc(&h, 0) == 0);
	close_state(&h);
	return failed;
}

static void *count_and_end(void *unused)
{
	(void)unused;
	struct vperfctr_control c = instructions(1);
	int fd = open_alone();
	void *failed = fd < 0 || set_control(fd, &c) < 0 ? (void *)1 : NULL;

	close(fd);
	return failed;
}

static int threads(void)
{
	pthread_t thread;
	void *failed;

	if (pthread_create(&thread, NULL, count_and_end, NULL) != 0)
		return 1;
	pthread_join(thread, &failed);
	return failed != NULL;
}

static int children(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(count_and_end(NULL) != NULL);
	return waitpid(pid, &status, 0) != pid || status != 0;
}

static int loops(void)
{
	loop(1000);
	return 0;
}

static const struct kind {
	const char *name;
	int (*turn)(void);
} kinds[] = {
#define KIND(function)              \
	{                           \
#function, function \
	}
	KIND(loops),	      KIND(opens),    KIND(time_stamps), KIND(refusals), KIND(controls),
	KIND(other_counters), KIND(mappings), KIND(threads),	 KIND(children),
};

/* nobody repeats it on a processor until he is killed. */
static pid_t repeat(int (*turn)(void), unsigned int cpu)
{
	unsigned int k;
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pin(cpu);
		become(NOBODY);
		for (;; atomic_fetch_add(&shared->turns, 1))
			if (turn())
				atomic_fetch_add(&shared->wrong, 1);
	}
	for (k = 0; k < 5000 && atomic_load(&shared->turns) < 3; k++)
		usleep(1000);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- interrupts and switches on another processor ---- */

static long most_switches; /* in a window; 0: as many as there are, of the kernel's own threads */

static int disturbs_none(const struct kind *kind, unsigned int cpu)
{
	unsigned int other = !cpu;
	long calls, moved;
	double begun;
	pid_t pid;

	pin(other);
	pid = repeat(kind->turn, cpu);
	atomic_store(&shared->turns, 0);
	calls = calls_on(other);
	moved = switches();
	for (begun = now(); now() - begun < WINDOW;)
		loop(1000);
	calls = calls_on(other) - calls;
	moved = switches() - moved;
	end(pid);
	printf("  %s on processor %u, %u times: %ld interrupts, %ld switches on the other one\n",
	       kind->name, cpu, shared->turns, calls, moved);
	CHECK(shared->turns && !shared->wrong, "%u turns, %u wrong", shared->turns, shared->wrong);
	CHECK(calls <= MOST * WINDOW + OWN, "more than %d a second", MOST);
	CHECK(!most_switches || moved <= most_switches, "more than %ld switches", most_switches);
	return 0;
}

/* Before 5.14 x86's kernels do not clear what perf_events has left: the driver does, everywhere. */
static bool clears_everywhere(void)
{
#if defined(__aarch64__)
	return false;
#else
	struct utsname name;
	int major = 0, minor = 0;

	uname(&name);
	sscanf(name.release, "%d.%d", &major, &minor);
	return major < 5 || (major == 5 && minor < 14);
#endif
}

static int disturb_none(unsigned int cpu)
{
	unsigned int k;
	int failed = 0;

	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
		if (kinds[k].turn != mappings || !clears_everywhere())
			failed |= disturbs_none(&kinds[k], cpu);
	return failed;
}

static int nobody_is_interrupted(void)
{
	CHECK(calls_on(0) >= 0 && calls_on(1) >= 0, "/proc/interrupts");
	return disturb_none(0) | disturb_none(1);
}

/* The same while somebody else counts on the other processor. */
static int who_counts_is_not_interrupted(void)
{
	struct vperfctr_control c = instructions(2);
	struct handle h;
	int failed;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	failed = disturb_none(1);
	CHECK(!counts_are_exact() ||
		      (counts_exactly(&h, 0, 100000) && counts_exactly(&h, 1, 100000)),
	      "not exact");
	close_state(&h);
	return failed;
}

#if defined(__aarch64__)
#define COUNTERS 6

/* A thread whose events have all counters has to give some, but not each time. */
static int perf_events_are_not_chased(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};
	int fd[COUNTERS], failed;
	unsigned int k;

	for (k = 0; k < COUNTERS; k++) {
		fd[k] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		CHECK(fd[k] >= 0, "perf_event_open");
	}
	most_switches = (long)(4 * MOST * WINDOW);
	failed = disturb_none(1);
	most_switches = 0;
	for (k = 0; k < COUNTERS; k++)
		close(fd[k]);
	return failed;
}
#else
/* Switches look for counters a while longer, and then no more: the code is changed back. */
static int switches_forget(void)
{
	long calls;

	pin(1);
	CHECK(in_child(NOBODY, opens) == 0, "open");
	calls = calls_on(0);
	usleep(3000000);
	CHECK(calls_on(0) > calls, "it is never changed back");
	return 0;
}
#endif

/* ---- others' calls ---- */

/* The mean time of a call, in microseconds, on processor 1. */
static double mean(int (*call)(void), unsigned int n)
{
	double begun, sum = 0;
	unsigned int k;

	for (k = 0; k < n; k++) {
		begun = now();
		if (call())
			return 1e9;
		sum += now() - begun;
		usleep(500);
	}
	return sum * 1e6 / n;
}

/* A single long call may double a mean: who is kept waiting by others is so in each try. */
#define TRIES 3

static int is_not_delayed(const char *what, int (*call)(void), int (*turn)(void))
{
	unsigned int tries = TRIES;
	double busy, beside;
	pid_t pid;

	pin(1);
	do {
		pid = repeat(loops, 0);
		busy = mean(call, 200);
		end(pid);
		pid = repeat(turn, 0);
		beside = mean(call, 200);
		end(pid);
		printf("  %s: %.0f us beside a loop, %.0f beside the same\n", what, busy, beside);
	} while (beside > 2 * busy && --tries);
	CHECK(beside <= 2 * busy, "more than twice as long");
	return 0;
}

static int nobody_waits(void)
{
	return is_not_delayed("open", opens, opens) |
	       is_not_delayed("open, others control", opens, controls) |
	       is_not_delayed("control", controls, controls);
}

/* In a cgroup whose memory is used up. */
static void fill_memory(void)
{
	const size_t size = 8 << 20;
	volatile char *memory;
	size_t k;
	pid_t pid = fork();

	if (pid == 0) {
		/* Nobody waits for it where its parent is killed: it must not keep the driver in
		 * use. */
		close(device);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		write_file("/proc/self/oom_score_adj", "1000");
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
		for (k = 0; memory != MAP_FAILED; k = (k + 4096) % size)
			memory[k]++;
	}
	waitpid(pid, NULL, 0);
}

static _Noreturn void enter_and_fill(void)
{
	char number[16];

	snprintf(number, sizeof(number), "%d\n", getpid());
	write_file(CGROUPS "a/cgroup.procs", number);
	pin(0);
	for (;;)
		fill_memory();
}

static int enter_once(void)
{
	static bool inside;
	char number[16];

	if (inside)
		return opens();
	inside = true;
	snprintf(number, sizeof(number), "%d\n", getpid());
	/* nobody may not enter. */
	return write_file(CGROUPS "a/cgroup.procs", number);
}

#define FILLERS 4

static int memory_is_used_up(void)
{
	unsigned int k, tries = TRIES;
	pid_t filler[FILLERS], pid;
	double alone, beside;

	if (make_cgroup())
		return 1;
	chmod(CGROUPS "a/cgroup.procs", 0666);
	chmod(CGROUPS "cgroup.procs", 0666);
	CHECK(write_file(CGROUPS "a/memory.max", "20M\n") == 0, "memory.max");
	for (k = 0; k < FILLERS; k++) {
		filler[k] = fork();
		if (filler[k] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			enter_and_fill();
		}
	}
	usleep(100000);
	pin(1);
	do {
		alone = mean(opens, 200);
		pid = repeat(enter_once, 0);
		beside = mean(opens, 200);
		printf("  open: %.0f us beside used up memory, %.0f us beside opens there (%u of "
		       "them)\n",
		       alone, beside, shared->turns);
		end(pid);
	} while (beside > 2 * alone && --tries);
	write_file(CGROUPS "a/cgroup.kill", "1\n");
	for (k = 0; k < FILLERS; k++)
		end(filler[k]);
	usleep(300000);
	remove_cgroup();
	CHECK(beside <= 2 * alone, "more than twice as long");
	return 0;
}

/* ---- processors that are set up late ---- */

#if !defined(__aarch64__)
static int perf_on(unsigned int cpu, uint64_t event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = event,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Leaves counts on a processor: of root's, the kernel's among them. */
static int leave_counts(unsigned int cpu)
{
	int fd[2];
	unsigned int k;

	pin(cpu);
	for (k = 0; k < 2; k++) {
		/* The second one is another event, or it would be a fixed counter's, too. */
		fd[k] = perf_on(cpu,
				k ? PERF_COUNT_HW_BRANCH_INSTRUCTIONS : PERF_COUNT_HW_INSTRUCTIONS);
		CHECK(fd[k] >= 0, "perf_event_open: %s", strerror(errno));
	}
	loop(100000);
	close(fd[0]);
	close(fd[1]);
	return 0;
}

/* Counts nothing itself, on processor 1, and looks at what is there. */
static void *look(void *unused)
{
	unsigned int k;

	pin(1);
	atomic_store(&shared->go, 1);
	while (!atomic_load(&shared->done))
		loop(100);
	for (k = 0; k < 4; k++)
		shared->seen[k] = rdpmc(k);
	return unused;
}

static int look_beside(void)
{
	struct vperfctr_control c = instructions(1);
	pthread_t thread;
	struct handle h;
	unsigned int k;

	pin(0);
	CHECK(pthread_create(&thread, NULL, look, NULL) == 0, "thread");
	while (!atomic_load(&shared->go))
		usleep(1000);
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	CHECK(h.page->cstatus >> 31, "nobody may read");
	loop(1000);
	atomic_store(&shared->done, 1);
	pthread_join(thread, NULL);
	for (k = 0; k < 4; k++)
		CHECK(shared->seen[k] == 0, "counter %u: %u", k, shared->seen[k]);
	pin(1);
	CHECK(counts_exactly(&h, 0, 100000), "not exact on the other processor");
	close_state(&h);
	return 0;
}

/* perf_events' and the driver's. */
static int counts_that_were_left(void)
{
	memset(shared, 0, sizeof(*shared));
	if (leave_counts(0) || leave_counts(1) || in_child(NOBODY, look_beside))
		return 1;
	memset(shared, 0, sizeof(*shared));
	return in_child(NOBODY, look_beside);
}
#endif

static volatile unsigned int overflows;
static int overflowing;

static void overflowed(int signal)
{
	(void)signal;
	overflows++;
	ioctl(overflowing, PERFCTR_IOC_IRESUME);
}

/* Interrupts come on a processor that the thread has first come to while it counted. */
static int overflow_elsewhere(void)
{
	struct vperfctr_control c = instructions(1);
	unsigned int n = 0;

#if defined(__aarch64__)
	c.cpu_control.pmc_map[0] = 31; /* interrupts at the very moment */
	c.cpu_control.evntsel[0] = EVNTSEL_P | 0x11;
#endif
	c.cpu_control.nractrs = 0;
	c.cpu_control.nrictrs = 1;
	c.cpu_control.evntsel[0] |= EVNTSEL_INT;
	c.cpu_control.ireset[0] = -20000;
	c.si_signo = SIGUSR1;
	signal(SIGUSR1, overflowed);
	pin(0);
	overflowing = open_alone();
	CHECK(overflowing >= 0 && set_control(overflowing, &c) == 0, "control");
	loop(100000);
	n = overflows;
	CHECK(n >= 9 && n <= 11, "%u overflows", n);
	pin(1);
	n = overflows;
	loop(100000);
	n = overflows - n;
	CHECK(n >= 9 && n <= 11, "%u overflows on the other processor", n);
	leave(overflowing);
	return 0;
}

static int overflows_elsewhere(void)
{
	return in_child(NOBODY, overflow_elsewhere);
}

/* Is on both in turns, one of which goes and comes. */
static int on_both(void)
{
	struct vperfctr_control c = instructions(2);
	struct perfctr_sum_ctrs before, after;
	struct handle h;
	unsigned int k;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	for (k = 0; k < 10; k++) {
		pin(0);
		CHECK(k % 2 == 0 || set_online("0\n") == 0, "offline");
		CHECK(read_state(h.fd, &before, &c) == 0, "read");
		loop(10000);
		CHECK(k % 2 == 0 || set_online("1\n") == 0, "online");
		pin(1);
		loop(10000);
		CHECK(read_state(h.fd, &after, &c) == 0, "read");
		CHECK(after.pmc[0] - before.pmc[0] >= 40000 &&
			      after.pmc[1] - before.pmc[1] >= 40000 &&
			      after.pmc[0] - before.pmc[0] < 100000,
		      "round %u: %llu", k, after.pmc[0] - before.pmc[0]);
		if (counts_are_exact())
			CHECK(counts_exactly(&h, 0, 10000) && counts_exactly(&h, 1, 10000),
			      "round %u: not exact", k);
		if (k == 5) { /* all is given back, and taken again */
			close_state(&h);
			CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
		}
	}
	close_state(&h);
	return 0;
}

static int processor_goes(void)
{
	return in_child(0, on_both);
}

/* What waits to be done is done before the module goes. */
static int unloads_at_once(void)
{
	unsigned int k;

	for (k = 0; k < 10; k++) {
		CHECK(in_child(NOBODY, controls) == 0, "control");
		close(device);
		CHECK(unload_driver() == 0, "unload");
		CHECK(load_driver() == 0, "load");
		device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct guest_test tests[] = {
		TEST(nobody_is_interrupted),
		TEST(who_counts_is_not_interrupted),
#if defined(__aarch64__)
		TEST(perf_events_are_not_chased),
#else
		TEST(switches_forget),
		TEST(counts_that_were_left),
#endif
		TEST(nobody_waits),
		TEST(memory_is_used_up),
		TEST(overflows_elsewhere),
		TEST(processor_goes),
		TEST(unloads_at_once),
	};
	unsigned int i, failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED || load_driver() < 0)
		return 1;
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		int failed;

		if (argc > 1 && strcmp(argv[1], tests[i].name) != 0)
			continue;
		failed = tests[i].run();
		printf("%s %s\n", failed ? "not ok" : "ok", tests[i].name);
		failures += failed != 0;
	}
	close(device);
	return unload_driver() < 0 || failures;
}
