// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the driver under users that exhaust its resources: interrupts without end, memory by the
 * ten thousand pieces, threads that are killed at any moment, a module that goes while they hold
 * it. What must hold: a bystander gets his share, limits are kept, and nothing is left when they
 * have gone. A test's name as the argument runs that one alone. A slow kernel, as TEST_SLOW says,
 * is asked for less. Exit status 0 if all is well.
 */
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include "tests/vm/guest/driver.h"

#define SUBUIDS 100000 /* of nobody's, as /etc/subuid has them */

/* What all processes know. */
static struct shared {
	atomic_uint ready, signals, resumes, opened, held, wrong, pause, stop;
	int error;
} * shared;

static int device;

static int64_t microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static unsigned int chance = 1;

static unsigned int below(unsigned int n)
{
	chance = chance * 1103515245 + 12345;
	return (chance >> 16) % n;
}

static void clear_shared(void)
{
	memset(shared, 0, sizeof(*shared));
}

static int await(const atomic_uint *what)
{
	unsigned int k;

	for (k = 0; k < 20000 * slowness() && !atomic_load(what); k++)
		usleep(500);
	return atomic_load(what) ? 0 : -1;
}

/* A process that runs until it is ended. */
static pid_t begin(unsigned int user, int (*run)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		become(user);
		_exit(run());
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- what is left ---- */

#define REFERENCES "/sys/module/perfctr/refcnt"

static long references; /* to the module, while nobody counts */

/* What ended threads leave behind is cleared up a moment later. */
static int nothing_is_left(void)
{
	unsigned int k;

	for (k = 0; k < 3000 * slowness() && read_number(REFERENCES) != references; k++)
		usleep(1000);
	CHECK(read_number(REFERENCES) == references, "%ld references", read_number(REFERENCES));
	return no_state_is_left();
}

#define LIMIT 10

/* Exactly as many states as a user may have: none is lost, and none too many. */
static int has_limit(void)
{
	int k;

	for (k = 0; k < LIMIT; k++)
		CHECK(open_and_leave(device) >= 0, "state %d", k);
	CHECK(open_and_leave(device) < 0 && errno == EDQUOT, "one too many");
	return 0;
}

static int users_have_limit(void)
{
	int failed;

	CHECK(write_file(USER_STATES, "10\n") == 0, "parameter");
	failed = in_child(NOBODY, has_limit) || in_child(SUBUIDS + 5, has_limit);
	write_file(USER_STATES, "4096\n");
	return failed || nothing_is_left();
}

/* ---- storms of interrupts ---- */

#define WINDOW 150000 /* microseconds */

static struct storm {
	const char *name;
	unsigned int counters;
	bool kernel;
	int start;
	bool blocked;
} storm;

static void note_signal(int signo)
{
	(void)signo;
	atomic_fetch_add(&shared->signals, 1);
}

static struct vperfctr_control overflows(void)
{
	struct vperfctr_control c = instructions(storm.counters);
	unsigned int i;

	c.cpu_control.nractrs = 0;
	c.cpu_control.nrictrs = storm.counters;
	for (i = 0; i < storm.counters; i++) {
		c.cpu_control.evntsel[i] |= EVNTSEL_INT;
		if (storm.kernel)
			with_kernel(&c, i);
		c.cpu_control.ireset[i] = storm.start;
	}
	c.si_signo = SIGRTMIN + 1;
	return c;
}

static void take_signals(void)
{
	struct sigaction action = { .sa_handler = note_signal };
	sigset_t set;

	sigaction(SIGRTMIN + 1, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	if (storm.blocked)
		sigprocmask(SIG_BLOCK, &set, NULL);
}

static int open_overflowing(struct handle *h)
{
	struct vperfctr_control c = overflows();

	take_signals();
	CHECK(open_state(device, h) == 0, "open");
	CHECK(set_control_as(h->fd, &c, storm.kernel) == 0, "control");
	return 0;
}

static int overflow_without_end(void)
{
	struct handle h;

	pin(0);
	if (open_overflowing(&h))
		return 1;
	atomic_store(&shared->ready, 1);
	for (;;)
		if (ioctl(h.fd, PERFCTR_IOC_IRESUME) == 0)
			atomic_fetch_add(&shared->resumes, 1);
	return 0;
}

static int run_without_end(void)
{
	pin(0);
	atomic_store(&shared->ready, 1);
	for (;;)
		loop(1000);
	return 0;
}

/* How much the caller gets done on CPU 0. */
static unsigned int work(void)
{
	int64_t until = microseconds() + WINDOW;
	unsigned int done = 0;

	while (microseconds() < until) {
		loop(1000);
		done++;
	}
	return done;
}

/* The line of NMIs in /proc/interrupts. */
static unsigned int nmis(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	unsigned int sum = 0, n;
	char line[512], *at;
	int length;

	while (file && fgets(line, sizeof(line), file)) {
		at = strstr(line, "NMI:");
		for (at = at ? at + 4 : NULL; at && sscanf(at, "%u%n", &n, &length) == 1;
		     at += length)
			sum += n;
	}
	if (file)
		fclose(file);
	return sum;
}

/* NMIs before the last work_beside(). */
static unsigned int nmis_before;

/* Beside somebody. 0, or -1. */
static int work_beside(int (*run)(void), unsigned int *done)
{
	pid_t pid;

	clear_shared();
	nmis_before = nmis();
	pin(0);
	pid = begin(NOBODY, run);
	if (await(&shared->ready) < 0) {
		end(pid);
		return -1;
	}
	*done = work();
	end(pid);
	return 0;
}

/*
 * What a bystander gets done, at least, of what he would: others' interrupts and signals are paid
 * for by the processor's turn of who takes them, but for what the kernel does between turns.
 */
static unsigned int share(unsigned int fair)
{
	return fair / 10 * (slowness() == 1 ? 9 : 7);
}

#define TRIES 5

/*
 * As work_beside(), again while a bystander has less than his share: the machine below the guest
 * may have stood still for a moment. Who takes another's time takes it each time.
 */
static int work_beside_fairly(int (*run)(void), unsigned int fair, unsigned int *done)
{
	unsigned int k;

	for (k = 0; k < TRIES; k++) {
		if (work_beside(run, done) < 0)
			return -1;
		if (*done >= share(fair))
			break;
		printf("  only %u of %u got done\n", *done, fair);
	}
	return 0;
}

/* One overflow for each time that he lets his counters go on: so he pays for it himself. */
static int weather(unsigned int fair)
{
	unsigned int done = 0, interrupts;

	CHECK(work_beside_fairly(overflow_without_end, fair, &done) == 0,
	      "the storm does not begin");
	interrupts = nmis() - nmis_before;
	printf("  %s: %u of %u got done; %u resumed, %u NMIs, %u signals\n", storm.name, done, fair,
	       shared->resumes, interrupts, shared->signals);
	CHECK(done >= share(fair), "a bystander has no share");
	CHECK(shared->resumes > 100, "no storm");
	/* It may be killed with one on its way. */
	CHECK(interrupts <= storm.counters * (shared->resumes + 2), "they don't stand still");
	CHECK(shared->signals <= shared->resumes + 2, "more signals than overflows");
	return 0;
}

static int storms(void)
{
	static const struct storm kinds[] = {
		{ "user mode", 1, false, -1, false },
		{ "two counters", 2, false, -1, false },
		{ "blocked", 1, false, -1, true },
		{ "every hundredth", 1, false, -100, false },
		{ "the kernel", 1, true, -1, false },
		{ "the kernel, two counters", 2, true, -2, true },
		{ "the kernel, every hundredth", 1, true, -100, false },
	};
	unsigned int i, fair;
	int failed = 0;

	CHECK(work_beside(run_without_end, &fair) == 0, "a process that runs");
	CHECK(write_file(PARANOID, "0\n") == 0, "sysctl");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !failed; i++) {
		storm = kinds[i];
		failed = weather(fair);
	}
	write_file(PARANOID, "2\n");
	return failed || nothing_is_left();
}

/* Each time the hardware is taken, and given back, on all CPUs. */
static int take_without_end(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;

	pin((unsigned int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	atomic_store(&shared->ready, 1);
	while (open_state(device, &h) == 0 && set_control(h.fd, &c) == 0) {
		atomic_fetch_add(&shared->resumes, 1);
		close_state(&h);
	}
	return 1;
}

/* Each time there is a thread with a state, and then none. */
static int open_without_end(void)
{
	int fd;

	pin((unsigned int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	atomic_store(&shared->ready, 1);
	while ((fd = open_and_leave(device)) >= 0) {
		atomic_fetch_add(&shared->resumes, 1);
		close(fd);
	}
	return 1;
}

static int run_elsewhere(void)
{
	atomic_store(&shared->ready, 1);
	pin((unsigned int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	for (;;)
		loop(1000);
	return 0;
}

static int work_elsewhere(const char *what, int (*run)(void), unsigned int fair)
{
	unsigned int done;

	CHECK(work_beside_fairly(run, fair, &done) == 0, "%s", what);
	printf("  %s: %u of %u got done; %u times\n", what, done, fair, shared->resumes);
	CHECK(done >= share(fair), "a bystander has no share");
	CHECK(shared->resumes, "nothing was done");
	return 0;
}

static int other_processors(void)
{
	unsigned int fair;

	CHECK(work_beside(run_elsewhere, &fair) == 0, "a process that runs");
	return work_elsewhere("hardware taken", take_without_end, fair) ||
	       work_elsewhere("states opened", open_without_end, fair) || nothing_is_left();
}

/* ---- by the ten thousand ---- */

#define MAX_MAPS "/proc/sys/vm/max_map_count"
#define KIB	 1024l

/* So many descriptors, and so many mappings. */
static unsigned int many(void)
{
	return 20000 / slowness();
}

/* States that a user may have: the parameter's default, for which a slow kernel takes minutes. */
static unsigned int most_states(void)
{
	return 4096 / slowness();
}

/* A user's process that does something, and keeps what it has until it is let go. */
struct keeper {
	pid_t pid;
	int done, stay;
};

static int keep(struct keeper *keeper, unsigned int user, int (*run)(void))
{
	int done[2], stay[2];
	char byte = 1;

	CHECK(pipe(done) == 0 && pipe(stay) == 0, "pipe");
	keeper->pid = fork();
	if (keeper->pid == 0) {
		close(stay[1]);
		become(user);
		byte = (char)run();
		if (write(done[1], &byte, 1) == 1 && read(stay[0], &byte, 1) == 0)
			_exit(0);
		_exit(1);
	}
	close(done[1]);
	close(stay[0]);
	keeper->done = done[0];
	keeper->stay = stay[1];
	return 0;
}

static int let_go(const struct keeper *keeper)
{
	close(keeper->done);
	close(keeper->stay);
	waitpid(keeper->pid, NULL, 0);
	return nothing_is_left();
}

static int has_done(const struct keeper *keeper)
{
	char byte = 1;

	return read(keeper->done, &byte, 1) == 1 && byte == 0 ? 0 : -1;
}

/* What somebody else needs is there. */
static int innocent(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	CHECK(counts_exactly(&h, 0, 10000), "counts");
	close_state(&h);
	return 0;
}

/* The process keeps so many states, which then go, and others notice nothing. */
static int keeps(int (*run)(void), long states)
{
	struct keeper keeper;

	if (keep(&keeper, NOBODY, run))
		return 1;
	CHECK(has_done(&keeper) == 0, "see above");
	CHECK(read_number(STATES) == states, "%ld states", read_number(STATES));
	return in_child(NOBODY - 1, innocent) || let_go(&keeper);
}

/* As many as the parameter says, by default, and no more. */
static int open_states(void)
{
	unsigned int k;
	int fd;

	for (k = 0; (fd = open_and_leave(device)) >= 0; k++)
		;
	CHECK(k == most_states() && errno == EDQUOT, "%u states", k);
	return 0;
}

static int open_descriptors(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION };
	struct handle h;
	int fd, last;

	CHECK(open_state(device, &h) == 0, "open");
	for (last = h.fd; (fd = ioctl(device, PERFCTR_IOC_OPEN, &call)) >= 0; last = fd)
		;
	CHECK(errno == EMFILE && last == (int)many() - 1, "the last one is %d", last);
	return 0;
}

/* One state, mapped as often as the kernel lets a process map. */
static int map_pages(void)
{
	unsigned int k;
	struct handle h;

	CHECK(open_state(device, &h) == 0, "open");
	for (k = 1; mmap(NULL, 4096, PROT_READ, MAP_SHARED, h.fd, 0) != MAP_FAILED; k++)
		;
	CHECK(errno == ENOMEM && k > many() - 100 && k <= many(), "%u mappings", k);
	return 0;
}

static int fill(void)
{
	return keeps(open_states, most_states()) || keeps(open_descriptors, 1) ||
	       keeps(map_pages, 1);
}

static int thousands(void)
{
	struct rlimit limit = { many(), many() };
	char maps[16], states[16];
	int status;
	pid_t pid;

	snprintf(maps, sizeof(maps), "%u\n", many());
	CHECK(write_file(MAX_MAPS, maps) == 0, "sysctl");
	if (slowness() > 1) {
		snprintf(states, sizeof(states), "%u\n", most_states());
		CHECK(write_file(USER_STATES, states) == 0, "parameter");
	}
	pid = fork();
	if (pid == 0)
		_exit(setrlimit(RLIMIT_NOFILE, &limit) < 0 || fill());
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	CHECK(write_file(MAX_MAPS, "65530\n") == 0, "sysctl");
	CHECK(write_file(USER_STATES, "4096\n") == 0, "parameter");
	return nothing_is_left();
}

/* It is killed for it, unless the kernel says before that no memory is left. */
static int exceed_cgroup(void)
{
	struct rlimit limit = { 20000, 20000 };

	CHECK(write_file(CGROUPS "a/cgroup.procs", "0\n") == 0, "cgroup");
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0, "limit");
	become(NOBODY);
	while (open_and_leave(device) >= 0)
		atomic_fetch_add(&shared->opened, 1);
	CHECK(errno == ENOMEM, "something else ends it");
	return 0;
}

/* Before 5.11 no cgroup can pay for a page that users map, which is half of a state. */
static unsigned int most_in_cgroup(void)
{
	unsigned int major, minor;
	struct utsname name;

	if (uname(&name) < 0 || sscanf(name.release, "%u.%u", &major, &minor) != 2)
		return 0;
	return major > 5 || (major == 5 && minor >= 11) ? 2048 : 4096;
}

static int out_of_cgroup(void)
{
	long before, after;
	int status;
	pid_t pid;

	before = memory_of_cgroup();
	pid = begin(0, exceed_cgroup);
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL), "status 0x%X",
	      status);
	printf("  %u states in 16 MiB\n", shared->opened);
	CHECK(shared->opened > 500 && shared->opened < most_in_cgroup(), "%u", shared->opened);
	if (nothing_is_left() || in_child(NOBODY - 1, innocent))
		return 1;
	after = memory_of_cgroup();
	CHECK(after - before < 2048 * KIB, "%ld bytes", after - before);
	return 0;
}

static int cgroup_is_full(void)
{
	int failed;

	clear_shared();
	CHECK(make_cgroup() == 0, "cgroup");
	CHECK(write_file(CGROUPS "a/memory.max", "16777216\n") == 0, "cgroup");
	CHECK(write_file(USER_STATES, "100000\n") == 0, "parameter");
	failed = out_of_cgroup();
	write_file(USER_STATES, "4096\n");
	remove_cgroup();
	return failed;
}

/* Of signals that wait, RLIMIT_SIGPENDING says how many. */
static int queue_signals(void)
{
	struct rlimit few = { 100, 100 };
	unsigned int k, queued = 0;
	char line[128];
	struct handle h;
	FILE *file;

	storm = (struct storm){ .counters = 1, .start = -1, .blocked = true };
	CHECK(setrlimit(RLIMIT_SIGPENDING, &few) == 0, "limit");
	if (open_overflowing(&h))
		return 1;
	for (k = 0; k < 10000; k++)
		CHECK(ioctl(h.fd, PERFCTR_IOC_IRESUME) == 0, "resume %u", k);
	file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigQ: %u", &queued) == 1)
			break;
	CHECK(queued == 100, "%u signals", queued);
	return 0;
}

static int signals(void)
{
	return in_child(NOBODY, queue_signals) || nothing_is_left();
}

/* ---- user namespaces ---- */

static int open_as(unsigned int user)
{
	unsigned int k;

	CHECK(setresuid(user, 0, 0) == 0, "user %u", user);
	for (k = 0; k < LIMIT / 2; k++)
		CHECK(open_and_leave(device) >= 0, "state %u of user %u", k, user);
	return 0;
}

static int enter_namespace(void)
{
	CHECK(unshare(CLONE_NEWUSER) == 0, "unshare");
	atomic_store(&shared->ready, 1);
	CHECK(await(&shared->held) == 0 && setresuid(0, 0, 0) == 0, "root here");
	return 0;
}

/* Nobody's, who has many users in it: all have what he has, together. */
static int many_users(void)
{
	unsigned int user;

	if (enter_namespace() || open_as(0) || open_as(5))
		return 1;
	for (user = 4; user < 7; user++) {
		CHECK(setresuid(user, 0, 0) == 0, "user %u", user);
		CHECK(open_and_leave(device) < 0 && errno == EDQUOT, "user %u", user);
	}
	return 0;
}

/* Root's: each user has his own. */
static int many_of_roots(void)
{
	return enter_namespace() || open_as(3) || open_as(4) || open_as(5);
}

static int in_namespace(unsigned int user, int (*run)(void))
{
	struct keeper keeper;
	char path[64];
	int failed;

	clear_shared();
	if (keep(&keeper, user, run))
		return 1;
	CHECK(await(&shared->ready) == 0, "no namespace");
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)keeper.pid);
	CHECK(write_file(path, user ? "0 65534 1\n1 100000 1000\n" : "0 0 1\n1 100000 1000\n") == 0,
	      "map");
	atomic_store(&shared->held, 1);
	failed = has_done(&keeper) < 0;
	if (user)
		failed |= in_child(SUBUIDS + 4, has_limit);
	return let_go(&keeper) || failed;
}

static int namespaces(void)
{
	int failed;

	CHECK(write_file(USER_STATES, "10\n") == 0, "parameter");
	failed = in_namespace(NOBODY, many_users) || in_namespace(0, many_of_roots);
	write_file(USER_STATES, "4096\n");
	return failed;
}

/* ---- killed at any moment ---- */

#define HUNTS 300

static void be_visible(void)
{
	prctl(PR_SET_DUMPABLE, 1);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
}

/* A control with what overflows, and what does not. */
static struct vperfctr_control any_control(void)
{
	storm = (struct storm){ .counters = 1, .start = -1 - (int)below(2000) };
	return below(2) ? overflows() : instructions(below(3));
}

static void use_counters(unsigned int rounds)
{
	struct vperfctr_control c;
	struct handle h;

	while (rounds--) {
		if (open_state(device, &h) < 0) {
			/* A tracer has opened them, or may have closed them meanwhile. */
			sched_yield();
			continue;
		}
		c = any_control();
		set_control(h.fd, &c);
		loop(below(2000));
		ioctl(h.fd, PERFCTR_IOC_IRESUME);
		if (below(2))
			close_state(&h);
	}
}

static void *run_with_counters(void *unused)
{
	use_counters(20);
	return unused;
}

/* Executes itself, ends, or goes on, with another thread or without. */
static int be_prey(void)
{
	pthread_t thread;

	take_signals();
	be_visible();
	if (below(2))
		pthread_create(&thread, NULL, run_with_counters, NULL);
	use_counters(1 + below(10));
	switch (below(3)) {
	case 0: execl("/proc/self/exe", "driver_siege", "prey", (char *)NULL); break;
	case 1: return 0;
	}
	for (;;)
		use_counters(10);
	return 0;
}

static int executed(void)
{
	storm.blocked = false;
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	chance = (unsigned int)getpid();
	return be_prey();
}

static pid_t prey;

static void change_prey(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION,
					  .tid = prey,
					  .creat = below(2) };
	int fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	struct vperfctr_control c = any_control();
	struct perfctr_sum_ctrs sum;

	if (fd < 0)
		return;
	set_control(fd, &c);
	read_state(fd, &sum, NULL);
	if (below(2))
		ioctl(fd, PERFCTR_IOC_UNLINK);
	if (below(4))
		close(fd);
}

static int be_hunter(void)
{
	int status;

	if (ptrace(PTRACE_SEIZE, prey, NULL, NULL) < 0)
		return errno != ESRCH;
	for (;;) {
		ptrace(PTRACE_INTERRUPT, prey, NULL, NULL);
		if (waitpid(prey, &status, __WALL) != prey || !WIFSTOPPED(status))
			return 0;
		change_prey();
		status = status >> 16 || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		ptrace(PTRACE_CONT, prey, NULL, (void *)(uintptr_t)status);
		usleep(below(200));
	}
}

static int hunt(unsigned int round)
{
	pid_t hunter;

	chance = round * 7919 + 1;
	prey = begin(NOBODY, be_prey);
	chance++;
	usleep(below(500));
	hunter = begin(NOBODY, be_hunter);
	usleep(below(4000));
	kill(below(2) ? hunter : prey, SIGKILL);
	usleep(below(2) ? 0 : below(300));
	kill(hunter, SIGKILL);
	kill(prey, SIGKILL);
	CHECK(waitpid(hunter, NULL, 0) == hunter, "hunter %u", round);
	CHECK(waitpid(prey, NULL, __WALL) == prey, "prey %u", round);
	return 0;
}

static int hunts(void)
{
	unsigned int round;

	for (round = 0; round < HUNTS; round++)
		if (hunt(round))
			return 1;
	return nothing_is_left() || users_have_limit();
}

/* ---- the module goes and comes ---- */

/* On a machine for each day a quarter of these. */
#define RELOADS 120
#define USERS	3

static int use_device(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;

	if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0 || !counts_exactly(&h, 0, 1000))
		return 1;
	loop(below(200000));
	atomic_fetch_add(&shared->held, 1);
	switch (below(4)) {
	case 0: close_state(&h); break;
	case 1: close(h.fd); break;
	case 2: kill(getpid(), SIGKILL);
	}
	return 0;
}

/* The device may go at any moment, but not under who has it. */
static int come_and_go(void)
{
	int status;
	pid_t pid;

	while (!atomic_load(&shared->stop)) {
		chance += (unsigned int)getpid();
		usleep(below(5000));
		device = atomic_load(&shared->pause) ? -1
						     : open("/dev/perfctr", O_RDWR | O_CLOEXEC);
		if (device < 0)
			continue;
		pid = fork();
		if (pid == 0)
			_exit(use_device());
		if (waitpid(pid, &status, 0) == pid && status != 0 && status != SIGKILL)
			atomic_fetch_add(&shared->wrong, 1);
		close(device);
	}
	return 0;
}

/* Somebody has used it since, and is at it, as a rule; after some tries nobody new begins. */
static int reload(void)
{
	unsigned int k, held = atomic_load(&shared->held);
	bool gone = false;

	for (k = 0; k < 4000 && atomic_load(&shared->held) == held; k++)
		usleep(500);
	for (k = 0; k < 4000 && !gone; k++) {
		atomic_store(&shared->pause, k > 20);
		gone = syscall(SYS_delete_module, "perfctr", O_NONBLOCK) == 0;
		if (!gone)
			usleep(below(500));
	}
	atomic_store(&shared->pause, 0);
	return gone ? load_driver() : -1;
}

static int reload_often(unsigned int rounds)
{
	unsigned int k;

	for (k = 0; k < rounds; k++)
		CHECK(reload() == 0, "round %u: %ld references", k, read_number(REFERENCES));
	return 0;
}

static int reload_with_users(void)
{
	pid_t user[USERS];
	unsigned int k;
	int failed;

	for (k = 0; k < USERS; k++)
		user[k] = begin(NOBODY, come_and_go);
	failed = reload_often(repeats(RELOADS));
	atomic_store(&shared->stop, 1);
	for (k = 0; k < USERS; k++)
		waitpid(user[k], NULL, 0);
	printf("  used %u times\n", shared->held);
	CHECK(!failed && !shared->wrong, "%u went wrong", shared->wrong);
	CHECK(shared->held >= repeats(RELOADS), "%u users", shared->held);
	return no_state_is_left();
}

/* Nothing of the hardware is ours any more. */
static int perf_counts(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t count = 0;

	loop(1000);
	CHECK(read(fd, &count, sizeof(count)) == sizeof(count) && count >= 2000, "%llu",
	      (unsigned long long)count);
	close(fd);
	return 0;
}

static int reloads(void)
{
	int failed;

	clear_shared();
	close(device);
	failed = reload_with_users();
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	CHECK(device >= 0 && !failed, "reload");
	return nothing_is_left() || perf_counts();
}

/* ---- the machine ---- */

/* As its command line has it; it may be another machine. */
static int asked_for(void)
{
	char line[512] = "", now[64] = "";
	int fd = open("/proc/cmdline", O_RDONLY);

	CHECK(read(fd, line, sizeof(line) - 1) > 0, "command line");
	close(fd);
	if (!strstr(line, "preempt=full"))
		return 0;
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	fd = open("/sys/kernel/debug/sched/preempt", O_RDONLY);
	CHECK(read(fd, now, sizeof(now) - 1) > 0 && strstr(now, "(full)"), "preemption: %s", now);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct guest_test tests[] = {
		TEST(asked_for),  TEST(storms),		TEST(other_processors),
		TEST(thousands),  TEST(cgroup_is_full), TEST(signals),
		TEST(namespaces), TEST(hunts),		TEST(reloads),
	};
	unsigned int i, failures = 0;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (argc > 1 && !strcmp(argv[1], "prey"))
		return executed();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (shared == MAP_FAILED || load_driver() < 0)
		return 1;
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	references = read_number(REFERENCES);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		int64_t begun = microseconds();
		int failed;

		if (argc > 1 && strcmp(argv[1], tests[i].name) != 0)
			continue;
		failed = tests[i].run();
		printf("%s %s, %d ms\n", failed ? "not ok" : "ok", tests[i].name,
		       (int)((microseconds() - begun) / 1000));
		failures += failed != 0;
	}
	close(device);
	return unload_driver() < 0 || failures;
}
