// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attacks on the link between a thread and its counters. A tracer gives counters to a tracee that
 * it has stopped inside a call; until the tracee returns to user mode, its counters must not run,
 * whatever the rest of the call does: maps their page, sleeps, executes a program, ends.
 */
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include "tests/vm/guest/driver.h"
#include "tests/vm/guest/driver_attack.h"

#define CALL_STOP   (SIGTRAP | 0x80)
#define GIVEN	    77	     /* the state's descriptor in tracer and tracee, which share all */
#define TICKS	    60000000 /* turns of the loop, in which the driver samples twice at least */
#define LITTLE	    20000    /* instructions at most from a thread's return to a look */
#define PAGE_SIZE   4096
#define LOOP_TURNS  50000
#define STACK_WORDS 8192

#if !defined(UFFD_USER_MODE_ONLY)
#define UFFD_USER_MODE_ONLY 1
#endif

/* Shared by all processes of a test. */
static volatile struct told {
	bool ready, go;
	int watch; /* the sleeper's userfaultfd */
	uint64_t sum, tsc;
} * told;

static int set_up_telling(void)
{
	if (!told)
		told = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			    0);
	CHECK(told != MAP_FAILED, "memory");
	memset((void *)told, 0, sizeof(*told));
	return 0;
}

/* ---- programs ---- */

static int copy_program(const char *to, mode_t mode)
{
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	char buffer[PAGE_SIZE];
	ssize_t n;

	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		CHECK(write(out, buffer, (size_t)n) == n, "%s", to);
	CHECK(n == 0 && fchmod(out, mode) == 0, "%s", to);
	close(in);
	close(out);
	return 0;
}

int make_programs(void)
{
	return copy_program(PLAIN, 0755) || copy_program(UNREADABLE, 0711) ||
	       copy_program(SETUID, 04755);
}

void remove_programs(void)
{
	unlink(PLAIN);
	unlink(UNREADABLE);
	unlink(SETUID);
}

static void execute(const char *path)
{
	execl(path, path, "-loop", (char *)NULL);
	_exit(127);
}

static int execute_plain(void)
{
	execute(PLAIN);
	return 1;
}

static int execute_unreadable(void)
{
	execute(UNREADABLE);
	return 1;
}

static int execute_setuid(void)
{
	execute(SETUID);
	return 1;
}

/* ---- users ---- */

void become_nobody(void)
{
	become(NOBODY);
	prctl(PR_SET_DUMPABLE, 1);
}

int as_nobody(int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		become_nobody();
		_exit(run());
	}
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(status == 0, "status 0x%X", status);
	return 0;
}

/* ---- tracees ---- */

/* Start a tracee that shares our descriptors, and stops before it calls run(). Its number, or -1.
 */
static pid_t start_tracee(int (*run)(void), unsigned long options)
{
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		kill(getpid(), SIGSTOP);
		_exit(run());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   (void *)(options | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) < 0)
		return -1;
	return pid;
}

/* Let it run until it enters a call. Earlier ones, before it has set told->ready, don't count. */
static int stop_at_call(pid_t pid, uint64_t number)
{
	struct __ptrace_syscall_info info = { .op = PTRACE_SYSCALL_INFO_NONE };
	int status;

	do {
		CHECK(ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0, "ptrace");
		CHECK(waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status) &&
			      WSTOPSIG(status) == CALL_STOP,
		      "status 0x%X", status);
		CHECK(ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) > 0,
		      "what call");
	} while (info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != number || !told->ready);
	return 0;
}

static int open_on(pid_t pid)
{
	struct perfctr_call_open call = {
		.abi_version = PERFCTR_ABI_VERSION,
		.tid = pid,
		.creat = 1,
	};

	return ioctl(device, PERFCTR_IOC_OPEN, &call);
}

/* Give a stopped thread counters, and their descriptor the number GIVEN. 0, or an errno. */
static int give(pid_t pid, const struct vperfctr_control *c)
{
	int fd = open_on(pid), error = 0;

	if (fd < 0)
		return errno;
	if (set_control(fd, c) < 0) {
		error = errno;
		ioctl(fd, PERFCTR_IOC_UNLINK);
	} else {
		dup2(fd, GIVEN);
	}
	close(fd);
	return error;
}

/* The tracee runs on without its tracer, and must end well. */
static int leave_and_wait(pid_t pid)
{
	int status;

	CHECK(ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0, "detach");
	CHECK(waitpid(pid, &status, __WALL) == pid && status == 0, "status 0x%X", status);
	return 0;
}

/* Read and close the state of a thread that has ended. */
static int final_sum(uint64_t *sum)
{
	struct perfctr_sum_ctrs sums;

	CHECK(read_state(GIVEN, &sums, NULL) == 0, "read");
	close(GIVEN);
	*sum = sums.pmc[0];
	return 0;
}

/* ---- a page that is mapped before its thread arrives ---- */

static void tell_sums(const volatile struct perfctr_cpu_state *page)
{
	told->sum = page->pmc[0].sum;
	told->tsc = page->tsc_sum;
}

static int map_given(void)
{
	const volatile struct perfctr_cpu_state *page;

	told->ready = true;
	page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, GIVEN, 0);
	CHECK(page != MAP_FAILED, "mmap");
	tell_sums(page);
	return 0;
}

static int give_before_mapping(const struct vperfctr_control *c)
{
	pid_t pid = start_tracee(map_given, 0);

	CHECK(pid > 0, "tracee");
	if (stop_at_call(pid, SYS_mmap))
		return 1;
	CHECK(give(pid, c) == 0, "counters");
	return leave_and_wait(pid);
}

/* The counters were never started, so the registers hold another process's count. */
static int look_at_leftovers(void)
{
	struct vperfctr_control c = instructions(1);
	struct helper root;

	if (start_helper(&root, count_and_loop))
		return 1;
	CHECK(order(&root, 10000000) == 0, "root");
	become_nobody();
	if (give_before_mapping(&c))
		return 1;
	CHECK(told->sum < LITTLE && told->tsc < 1000000, "%llu instructions and %llu ticks",
	      (unsigned long long)told->sum, (unsigned long long)told->tsc);
	close(GIVEN);
	end_helper(&root);
	return 0;
}

int mapping_before_arrival(void)
{
	return set_up_telling() || in_child(0, look_at_leftovers);
}

/* Counters that never started can't have overflowed. The signal would kill the tracee. */
static int give_overflowing(void)
{
	struct vperfctr_control c = overflowing(0);

	pin(0);
	c.cpu_control.ireset[0] = -1000000000;
	return give_before_mapping(&c);
}

int overflow_before_arrival(void)
{
	return set_up_telling() || as_nobody(give_overflowing);
}

/* A thread that unmaps the page will sleep until somebody reads the event. */
static int watch_unmapping(void *page)
{
	struct uffdio_register area = {
		.range = { (uintptr_t)page, PAGE_SIZE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_EVENT_UNMAP };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);

	/* 5.10 does not know the flag, and wants vm.unprivileged_userfaultfd. */
	if (fd < 0)
		fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	CHECK(fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 && ioctl(fd, UFFDIO_REGISTER, &area) == 0,
	      "userfaultfd");
	told->watch = fd;
	return 0;
}

/* Map the state's page over one that is watched: the call sleeps once the mapping is complete. */
static int map_and_sleep(void)
{
	const volatile struct perfctr_cpu_state *page;
	void *old = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);

	if (watch_unmapping(old))
		return 1;
	told->ready = true;
	page = mmap(old, PAGE_SIZE, PROT_READ, MAP_SHARED | MAP_FIXED, GIVEN, 0);
	CHECK(page != MAP_FAILED, "mmap");
	tell_sums(page);
	return 0;
}

/* Start a tracee that sleeps in mmap(2), after it has mapped the page of its counters. */
static int start_sleeper(pid_t *pid, const struct vperfctr_control *c)
{
	struct pollfd watch = { .events = POLLIN };

	*pid = start_tracee(map_and_sleep, 0);
	CHECK(*pid > 0, "tracee");
	if (stop_at_call(*pid, SYS_mmap))
		return 1;
	CHECK(give(*pid, c) == 0, "counters");
	CHECK(ptrace(PTRACE_DETACH, *pid, NULL, NULL) == 0, "detach");
	watch.fd = told->watch;
	CHECK(poll(&watch, 1, 1000) == 1 && watch.revents == POLLIN, "it does not sleep");
	return 0;
}

static int wake(pid_t pid)
{
	struct uffd_msg message;
	int status;

	CHECK(read(told->watch, &message, sizeof(message)) == sizeof(message), "userfaultfd");
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	close(told->watch);
	return 0;
}

/* A sleeper's counters must not count root's instructions. */
static int watch_root(void)
{
	struct vperfctr_control c = instructions(1);
	struct helper root;
	pid_t pid;

	if (start_helper(&root, run_loop))
		return 1;
	become_nobody();
	if (start_sleeper(&pid, &c))
		return 1;
	CHECK(order(&root, TICKS) == 0, "root");
	if (wake(pid))
		return 1;
	CHECK(told->sum < LITTLE && told->tsc < 1000000,
	      "of %u instructions of root's it has counted %llu, and %llu ticks", 2 * TICKS,
	      (unsigned long long)told->sum, (unsigned long long)told->tsc);
	end_helper(&root);
	close(GIVEN);
	return 0;
}

int asleep_before_arrival(void)
{
	write_file("/proc/sys/vm/unprivileged_userfaultfd", "1\n");
	return set_up_telling() || in_child(0, watch_root);
}

/* ---- a processor whose counters outlive their thread ---- */

static void move(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(pid, sizeof(set), &set);
}

/* A tracee falls asleep on CPU 0, and dies on CPU 1. */
static int kill_moved_sleeper(const struct vperfctr_control *c)
{
	int status;
	pid_t pid;

	pin(0);
	if (start_sleeper(&pid, c))
		return 1;
	move(pid, 1);
	CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status),
	      "status 0x%X", status);
	close(told->watch);
	return 0;
}

/* Pipes get their pages from the same lists as the driver, unlike a process's memory. */
#define PIPES	   8
#define PIPE_BYTES (1 << 20)

static const unsigned char zeros[PAGE_SIZE];

/* Fill pipes with zeros. A processor reuses the pages first that it has freed last. */
static int fill_pipes(unsigned int cpu, int pipes[PIPES][2])
{
	unsigned int i;
	int bytes;

	pin(cpu);
	for (i = 0; i < PIPES; i++) {
		CHECK(pipe(pipes[i]) == 0 && fcntl(pipes[i][1], F_SETPIPE_SZ, PIPE_BYTES) > 0,
		      "pipe");
		for (bytes = 0; bytes < PIPE_BYTES; bytes += PAGE_SIZE)
			CHECK(write(pipes[i][1], zeros, PAGE_SIZE) == PAGE_SIZE, "pipe");
	}
	return 0;
}

static unsigned int count_changed(int pipes[PIPES][2])
{
	static unsigned char page[PAGE_SIZE];
	unsigned int i, n = 0;
	int bytes;

	for (i = 0; i < PIPES; i++)
		for (bytes = 0; bytes < PIPE_BYTES; bytes += PAGE_SIZE)
			n += read(pipes[i][0], page, PAGE_SIZE) == PAGE_SIZE &&
			     memcmp(page, zeros, PAGE_SIZE) != 0;
	return n;
}

static int catch_what_is_written(void)
{
	struct vperfctr_control c = instructions(1);
	int pipes[2][PIPES][2];
	unsigned int changed;

	if (kill_moved_sleeper(&c))
		return 1;
	close(GIVEN);
	usleep(50000); /* a worker may drop the last reference */
	if (fill_pipes(0, pipes[0]) || fill_pipes(1, pipes[1]))
		return 1;
	usleep(150000); /* the driver samples every 50 ms */
	changed = count_changed(pipes[0]) + count_changed(pipes[1]);
	CHECK(!changed, "the kernel has written into %u of nobody's new pages", changed);
	return 0;
}

/* Let other counters start and stop on CPU 0, so that a driver that has failed writes no more. */
static int count_on_cpu(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;

	pin(0);
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	close_state(&h);
	return 0;
}

int moved_and_killed(void)
{
	int failed = set_up_telling() || as_nobody(catch_what_is_written);

	return failed | in_child(0, count_on_cpu);
}

/* ---- programs that a thread executes before it arrives ---- */

static const struct program {
	const char *name;
	int (*execute)(void);
	unsigned int flags; /* of the control */
	bool counted;
} programs[] = {
	{ PLAIN, execute_plain, 0, true },
	{ PLAIN " with CLOEXEC", execute_plain, VPERFCTR_CONTROL_CLOEXEC, false },
	{ UNREADABLE, execute_unreadable, 0, false },
	{ SETUID, execute_setuid, 0, false },
};
static const struct program *program;

#define NR_PROGRAMS (sizeof(programs) / sizeof(programs[0]))

/* Call run() for each program, even after one has failed. */
static int for_programs(int (*run)(void))
{
	int failed = 0;

	for (program = programs; program < programs + NR_PROGRAMS; program++)
		if (set_up_telling() || as_nobody(run)) {
			printf("  %s\n", program->name);
			failed = 1;
		}
	return failed;
}

static int start_program(pid_t *pid, const struct vperfctr_control *c)
{
	told->ready = true;
	*pid = start_tracee(program->execute, 0);
	CHECK(*pid > 0, "tracee");
	if (stop_at_call(*pid, SYS_execve))
		return 1;
	CHECK(give(*pid, c) == 0, "counters");
	return 0;
}

static int check_sum(uint64_t sum)
{
	if (program->counted)
		CHECK(sum > 2 * LOOP_TURNS && sum < 2 * LOOP_TURNS + 1000000, "%llu",
		      (unsigned long long)sum);
	else
		CHECK(sum == 0, "%llu instructions are seen", (unsigned long long)sum);
	return 0;
}

static int give_before_exec(void)
{
	struct vperfctr_control c = instructions(1);
	uint64_t sum;
	pid_t pid;

	c.flags = program->flags;
	if (start_program(&pid, &c) || leave_and_wait(pid) || final_sum(&sum))
		return 1;
	return check_sum(sum);
}

int exec_before_arrival(void)
{
	return for_programs(give_before_exec);
}

/* Counters must not kill a program that their owner may not kill. */
static int kill_by_overflow(void)
{
	struct vperfctr_control c = overflowing(0);
	int status;
	pid_t pid;

	c.si_signo = SIGKILL;
	c.flags = program->flags;
	if (start_program(&pid, &c))
		return 1;
	CHECK(ptrace(PTRACE_DETACH, pid, NULL, NULL) == 0, "detach");
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(program->counted ? WIFSIGNALED(status) : status == 0, "status 0x%X", status);
	close(GIVEN);
	return 0;
}

int signal_over_exec(void)
{
	return for_programs(kill_by_overflow);
}

/* The counter overflows after so many instructions. One number hits the SYSCALL itself. */
static int overflow_distance;

#define FARTHEST 400 /* more than there are up to the call */
#define AROUND	 20

static int overflow_and_execute(void)
{
	struct vperfctr_control c = overflowing(0);
	struct handle h;

	c.si_signo = SIGSTOP;
	c.cpu_control.ireset[0] = -overflow_distance;
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	execute(SETUID);
	return 1;
}

static bool is_roots(pid_t pid)
{
	char path[32];
	struct stat entry;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	return stat(path, &entry) == 0 && entry.st_uid == 0;
}

/* The signal of an overflow may stop the caller of execve(2), but not root's program. */
static int overflow_into_exec(unsigned int *stops)
{
	unsigned int wrong = 0;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(overflow_and_execute());
	*stops = 0;
	while (waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status)) {
		++*stops;
		wrong += is_roots(pid);
		kill(pid, SIGCONT);
	}
	CHECK(status == 0, "status 0x%X", status);
	CHECK(!wrong, "root's program was stopped: overflow after %d instructions",
	      overflow_distance);
	return 0;
}

/* Sets the distance to the first one whose overflow does not stop the caller any more. */
static int find_call(void)
{
	int near = 0, far = FARTHEST;
	unsigned int stops;

	while (far - near > 1) {
		overflow_distance = (near + far) / 2;
		if (overflow_into_exec(&stops))
			return 1;
		if (stops)
			near = overflow_distance;
		else
			far = overflow_distance;
	}
	overflow_distance = far;
	return 0;
}

static int overflow_around_exec(void)
{
	unsigned int stops;
	int last;

	if (find_call())
		return 1;
	CHECK(overflow_distance > AROUND && overflow_distance + AROUND < FARTHEST,
	      "the call is %d instructions away", overflow_distance);
	last = overflow_distance + AROUND;
	for (overflow_distance -= AROUND; overflow_distance <= last; overflow_distance++)
		if (overflow_into_exec(&stops))
			return 1;
	return 0;
}

int late_overflow_over_exec(void)
{
	return set_up_telling() || as_nobody(overflow_around_exec);
}

/* ---- another thread than the leader executes a program, and takes the leader's number ---- */

static int execute_in_thread(void *unused)
{
	(void)unused;
	told->ready = true;
	program->execute();
	return 1;
}

static int start_thread_and_wait(void)
{
	static uint64_t stack[STACK_WORDS];

	CHECK(clone(execute_in_thread, &stack[STACK_WORDS - 2],
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL) > 0,
	      "clone");
	while (sleep(10) == 0)
		;
	return 1;
}

/* Wait until the thread has been created, and is stopped itself. */
static int wait_for_thread(pid_t leader, pid_t *thread)
{
	unsigned long number;
	int status;

	CHECK(ptrace(PTRACE_CONT, leader, NULL, NULL) == 0, "continue");
	CHECK(waitpid(leader, &status, __WALL) == leader &&
		      status >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8),
	      "status 0x%X", status);
	CHECK(ptrace(PTRACE_GETEVENTMSG, leader, NULL, &number) == 0, "number");
	*thread = (pid_t)number;
	CHECK(waitpid(*thread, &status, __WALL) == *thread && WIFSTOPPED(status), "thread");
	CHECK(ptrace(PTRACE_DETACH, leader, NULL, NULL) == 0, "detach");
	return 0;
}

static int give_to_thread_before_exec(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t leader = start_tracee(start_thread_and_wait, PTRACE_O_TRACECLONE), thread;
	uint64_t sum;
	int status;

	c.flags = program->flags;
	CHECK(leader > 0, "tracee");
	if (wait_for_thread(leader, &thread) || stop_at_call(thread, SYS_execve))
		return 1;
	CHECK(give(thread, &c) == 0, "counters");
	CHECK(ptrace(PTRACE_DETACH, thread, NULL, NULL) == 0, "detach");
	CHECK(waitpid(leader, &status, 0) == leader && status == 0, "status 0x%X", status);
	return final_sum(&sum) || check_sum(sum);
}

int exec_of_a_thread(void)
{
	return for_programs(give_to_thread_before_exec);
}

/* ---- a tracer may count no more than perf_events would let it count ---- */

static int perf_says(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Withdraw from nobody's other processes the right to look at this one. */
static int hide(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	kill(getpid(), SIGSTOP);
	loop(LOOP_TURNS);
	return 0;
}

static int seen_by_all(void)
{
	kill(getpid(), SIGSTOP);
	loop(LOOP_TURNS);
	return 0;
}

static const struct {
	const char *what;
	int (*run)(void);
	bool executes, opened_before; /* it executes a program, after its state was opened */
} scenes[] = {
	{ "a tracee", seen_by_all, false, false },
	{ "a plain program", execute_plain, true, false },
	{ "a plain program, opened before", execute_plain, true, true },
	{ "a tracee that hides", hide, false, false },
	{ "a tracee that hides, opened before", hide, false, true },
	{ "a program that can't be read", execute_unreadable, true, false },
	{ "a program that can't be read, opened before", execute_unreadable, true, true },
	{ "root's program, without his rights", execute_setuid, true, false },
	{ "root's program, without his rights, opened before", execute_setuid, true, true },
};
static unsigned int scene;

/* Control a state that was opened when that was allowed. */
static int control_opened(int fd)
{
	struct vperfctr_control c = instructions(1);
	int error = set_control(fd, &c) < 0 ? errno : 0;

	dup2(fd, GIVEN);
	close(fd);
	return error;
}

static int compare_with_perf(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(scenes[scene].run, PTRACE_O_TRACEEXEC);
	int opened = -1, perf, ours, status;
	uint64_t sum;

	CHECK(pid > 0, "tracee");
	told->ready = true;
	if (scenes[scene].executes && stop_at_call(pid, SYS_execve))
		return 1;
	if (scenes[scene].opened_before)
		opened = open_on(pid);
	CHECK(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0, "continue");
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "status 0x%X", status);
	perf = perf_says(pid);
	ours = opened >= 0 ? control_opened(opened) : give(pid, &c);
	printf("  %s: %s, and perf_events' %s\n", scenes[scene].what, strerror(ours),
	       strerror(perf));
	if (leave_and_wait(pid))
		return 1;
	CHECK(!perf || ours, "perf_events says %s", strerror(perf));
	CHECK(perf || !ours || scenes[scene].opened_before, "perf_events allows it, we say %s",
	      strerror(ours));
	if (!ours && final_sum(&sum) == 0)
		CHECK(sum > 2 * LOOP_TURNS, "%llu", (unsigned long long)sum);
	return 0;
}

int allowed_by_perf_events(void)
{
	int failed = 0;

	for (scene = 0; scene < sizeof(scenes) / sizeof(scenes[0]); scene++)
		failed |= set_up_telling() || as_nobody(compare_with_perf);
	return failed;
}

/* ---- other ways on from the stop ---- */

static int call_and_count(void)
{
	told->ready = true;
	getppid();
	loop(LOOP_TURNS);
	return 0;
}

static int start_given(pid_t *pid, const struct vperfctr_control *c)
{
	*pid = start_tracee(call_and_count, 0);
	CHECK(*pid > 0, "tracee");
	if (stop_at_call(*pid, SYS_getppid))
		return 1;
	CHECK(give(*pid, c) == 0, "counters");
	return 0;
}

static int kill_given(void)
{
	struct vperfctr_control c = instructions(1);
	uint64_t sum;
	pid_t pid;

	if (start_given(&pid, &c))
		return 1;
	CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid, "kill");
	if (final_sum(&sum))
		return 1;
	CHECK(sum == 0, "%llu", (unsigned long long)sum);
	return 0;
}

/* One arrival serves two states, one after the other. The second must count. */
static int give_twice(void)
{
	struct vperfctr_control c = instructions(1);
	uint64_t sum;
	pid_t pid;

	if (start_given(&pid, &c))
		return 1;
	CHECK(ioctl(GIVEN, PERFCTR_IOC_UNLINK) == 0, "unlink");
	CHECK(give(pid, &c) == 0, "counters again");
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum > 2 * LOOP_TURNS && sum < 2 * LOOP_TURNS + LITTLE, "%llu",
	      (unsigned long long)sum);
	return 0;
}

static int take_again(void)
{
	struct vperfctr_control c = instructions(1);
	uint64_t sum;
	pid_t pid;

	if (start_given(&pid, &c))
		return 1;
	CHECK(ioctl(GIVEN, PERFCTR_IOC_UNLINK) == 0, "unlink");
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum == 0, "%llu", (unsigned long long)sum);
	return 0;
}

/* The thread makes calls on its own counters, before it arrives at them. */
static int control_itself(void)
{
	struct vperfctr_control c = instructions(0);

	told->ready = true;
	CHECK(set_control_with(GIVEN, &c, -1) == 0, "the TSC alone");
	loop(LOOP_TURNS);
	return 0;
}

static int open_again(void)
{
	told->ready = true;
	CHECK(open_on(0) < 0 && errno == EEXIST, "two states");
	loop(LOOP_TURNS);
	return 0;
}

static int unlink_itself(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;

	told->ready = true;
	CHECK(ioctl(GIVEN, PERFCTR_IOC_UNLINK) == 0, "unlink");
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "its own");
	CHECK(counts_exactly(&h, 0, 1000), "its own");
	loop(LOOP_TURNS);
	close_state(&h);
	return 0;
}

static int give_before_own_call(int (*run)(void), uint64_t least, uint64_t most)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(run, 0);
	uint64_t sum;

	CHECK(pid > 0, "tracee");
	if (stop_at_call(pid, SYS_ioctl))
		return 1;
	CHECK(give(pid, &c) == 0, "counters");
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum >= least && sum <= most, "%llu", (unsigned long long)sum);
	return 0;
}

static int give_before_control(void)
{
	return give_before_own_call(control_itself, 0, 0);
}

static int give_before_open(void)
{
	return give_before_own_call(open_again, 2 * LOOP_TURNS, 2 * LOOP_TURNS + LITTLE);
}

static int give_before_unlink(void)
{
	return give_before_own_call(unlink_itself, 0, 0);
}

/* Stops at exit_group(2). */
static int just_exit(void)
{
	told->ready = true;
	return 0;
}

static int give_before_exit(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(just_exit, 0);
	uint64_t sum;

	CHECK(pid > 0, "tracee");
	if (stop_at_call(pid, SYS_exit_group))
		return 1;
	CHECK(give(pid, &c) == 0, "counters");
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum == 0, "%llu", (unsigned long long)sum);
	return 0;
}

/* The old program goes on, and is counted. */
static int fail_to_execute(void)
{
	told->ready = true;
	execl("/nowhere", "nowhere", (char *)NULL);
	loop(LOOP_TURNS);
	return 0;
}

static int give_before_failing_exec(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(fail_to_execute, 0);
	uint64_t sum;

	CHECK(pid > 0, "tracee");
	if (stop_at_call(pid, SYS_execve))
		return 1;
	CHECK(give(pid, &c) == 0, "counters");
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum > 2 * LOOP_TURNS && sum < 2 * LOOP_TURNS + LITTLE, "%llu",
	      (unsigned long long)sum);
	return 0;
}

/* Exec ends the first state before its thread has arrived. The second must count. */
static int give_again_after_exec(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(execute_plain, PTRACE_O_TRACEEXEC);
	struct perfctr_sum_ctrs first;
	int status, fd, error;
	uint64_t sum;

	c.flags = VPERFCTR_CONTROL_CLOEXEC;
	CHECK(pid > 0, "tracee");
	told->ready = true;
	if (stop_at_call(pid, SYS_execve))
		return 1;
	CHECK(give(pid, &c) == 0, "counters");
	fd = dup(GIVEN);
	CHECK(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0, "continue");
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "status 0x%X", status);
	error = give(pid, &c);
	CHECK(error == 0, "again: %s", strerror(error));
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum > 2 * LOOP_TURNS, "%llu", (unsigned long long)sum);
	CHECK(read_state(fd, &first, NULL) == 0 && first.pmc[0] == 0, "the first: %llu",
	      first.pmc[0]);
	close(fd);
	return 0;
}

static int call_and_execute(void)
{
	told->ready = true;
	getppid();
	execute(SETUID);
	return 1;
}

/* The link has arrived with the first state, and gets a second one inside execve(2). */
static int give_again_later(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(call_and_execute, 0);
	uint64_t sum;

	CHECK(pid > 0, "tracee");
	if (stop_at_call(pid, SYS_getppid))
		return 1;
	CHECK(give(pid, &c) == 0, "counters");
	if (stop_at_call(pid, SYS_execve))
		return 1;
	CHECK(ioctl(GIVEN, PERFCTR_IOC_UNLINK) == 0, "unlink");
	CHECK(give(pid, &c) == 0, "counters again");
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum == 0, "%llu", (unsigned long long)sum);
	return 0;
}

static int execute_when_told(void *unused)
{
	(void)unused;
	while (!told->go)
		usleep(1000);
	execute(SETUID);
	return 1;
}

/* The leader waits in its stop until another thread's exec replaces it. */
static int be_replaced(void)
{
	static uint64_t stack[STACK_WORDS];

	CHECK(clone(execute_when_told, &stack[STACK_WORDS - 2],
		    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD, NULL) > 0,
	      "clone");
	return call_and_count();
}

static int give_to_the_replaced(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(be_replaced, 0);
	uint64_t sum;
	int status;

	CHECK(pid > 0, "tracee");
	if (stop_at_call(pid, SYS_getppid))
		return 1;
	CHECK(give(pid, &c) == 0, "counters");
	told->go = true;
	CHECK(waitpid(pid, &status, __WALL) == pid && status == 0, "status 0x%X", status);
	if (final_sum(&sum))
		return 1;
	CHECK(sum == 0, "%llu", (unsigned long long)sum);
	return 0;
}

static int sleep_and_count(void)
{
	usleep(100000);
	loop(LOOP_TURNS);
	return 0;
}

/* The call goes on after the stop. */
static int give_while_asleep(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(sleep_and_count, 0);
	uint64_t sum;
	int status;

	CHECK(pid > 0, "tracee");
	CHECK(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0, "continue");
	usleep(20000);
	kill(pid, SIGUSR1);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1,
	      "status 0x%X", status);
	CHECK(give(pid, &c) == 0, "counters");
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum > 2 * LOOP_TURNS && sum < 2 * LOOP_TURNS + LITTLE, "%llu",
	      (unsigned long long)sum);
	return 0;
}

/* After this stop the thread never returns to user mode. */
static int give_while_exiting(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid = start_tracee(just_exit, PTRACE_O_TRACEEXIT);
	int status, error;
	uint64_t sum;

	CHECK(pid > 0, "tracee");
	CHECK(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0, "continue");
	CHECK(waitpid(pid, &status, 0) == pid && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8),
	      "status 0x%X", status);
	error = give(pid, &c);
	CHECK(error == 0, "counters: %s", strerror(error));
	if (leave_and_wait(pid) || final_sum(&sum))
		return 1;
	CHECK(sum == 0, "%llu", (unsigned long long)sum);
	return 0;
}

static int stop_at_signal(void)
{
	raise(SIGUSR1);
	return 0;
}

static int continue_to_signal(pid_t pid)
{
	int status;

	CHECK(pid > 0 && ptrace(PTRACE_CONT, pid, NULL, NULL) == 0, "tracee");
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) && WSTOPSIG(status) == SIGUSR1,
	      "status 0x%X", status);
	return 0;
}

/*
 * What tests/explore/kernel.c says of get_signal(): no task work is done between a stop at a signal
 * and the end of a thread that is killed there, so that its counters never run, nor their clock.
 */
static int kill_at_signal(void)
{
	struct vperfctr_control c = { .cpu_control.tsc_on = 1 };
	pid_t pid = start_tracee(stop_at_signal, 0);
	struct perfctr_sum_ctrs sums;
	int status;

	if (continue_to_signal(pid))
		return 1;
	CHECK(give(pid, &c) == 0, "counters");
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "status 0x%X", status);
	CHECK(read_state(GIVEN, &sums, NULL) == 0 && sums.tsc == 0, "%llu ticks", sums.tsc);
	close(GIVEN);
	return 0;
}

/* The tracer dies, and the tracee with it. No descriptor of the state is left. */
static int die_with_tracee(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid;

	_exit(start_given(&pid, &c));
}

/* The tracer dies, and the tracee goes on, with counters that have no descriptor. */
static int die_before_tracee(void)
{
	struct vperfctr_control c = instructions(1);
	pid_t pid;
	int failed = start_given(&pid, &c);

	ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)PTRACE_O_TRACESYSGOOD);
	_exit(failed);
}

static const struct {
	const char *what;
	int (*run)(void);
} ends[] = {
	{ "killed", kill_given },
	{ "killed at a signal", kill_at_signal },
	{ "unlinked", take_again },
	{ "unlinked, and made again", give_twice },
	{ "asleep", give_while_asleep },
	{ "executing what does not exist", give_before_failing_exec },
	{ "executing, and given others", give_again_after_exec },
	{ "given others later", give_again_later },
	{ "replaced by another thread's program", give_to_the_replaced },
	{ "controlling them itself", give_before_control },
	{ "opening its own", give_before_open },
	{ "unlinking them itself", give_before_unlink },
	{ "exiting", give_before_exit },
	{ "all but gone", give_while_exiting },
	{ "killed with its tracer", die_with_tracee },
	{ "without its tracer", die_before_tracee },
};

int ends_before_arrival(void)
{
	unsigned int i;
	int failed = 0;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (set_up_telling() || as_nobody(ends[i].run)) {
			printf("  %s\n", ends[i].what);
			failed = 1;
		}
	return failed;
}

/* ---- a tracer that is late ---- */

/*
 * A tracee that is stopped at a signal has been given counters, and lost them. Its tracer, on CPU
 * 0, opens others: a helper with a higher priority interrupts it in the call, after it has been let
 * through, and kills the tracee, which ends on CPU
 * 1. A timer ends CPU 1's turn at a moment that is different each time, and the tracer continues.
 * QEMU's clock counts instructions, so that a moment is an instruction.
 */
enum { CLOSE = 64, SWEEP = 2000, EARLIEST = 2500, LATEST = 20000 };

static volatile struct late {
	int64_t kill_at;	  /* when the helper wakes up */
	int64_t turn;		  /* how long the tracee may end, in ns */
	int order, answer, where; /* 1: the tracer is in the call */
	bool interrupted;
	pid_t pid;
} * late;

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* QEMU continues with the other processor. */
static void give_turn(void)
{
#if defined(__aarch64__)
	__asm__ volatile("yield");
#else
	__asm__ volatile("pause");
#endif
}

static void await(volatile int *word, int value)
{
	int seen;

	while ((seen = *word) != value)
		syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

static void tell(volatile int *word, int value)
{
	*word = value;
	syscall(SYS_futex, word, FUTEX_WAKE, 9, NULL, NULL, 0);
}

/* Kills the tracee at the moment, and sets the timer that ends CPU 1's turn. */
static void kill_when_told(void)
{
	int timer = timerfd_create(CLOCK_MONOTONIC, 0), order = 0;
	struct itimerspec end = { 0 };
	struct timespec moment;
	int64_t at;

	const struct sched_param real_time = { .sched_priority = 1 };

	/* Where preemption is lazy (Linux 7.0), no other one interrupts a call. */
	sched_setscheduler(0, SCHED_FIFO, &real_time);
	prctl(PR_SET_TIMERSLACK, 1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		await(&late->order, ++order);
		moment.tv_sec = late->kill_at / 1000000000;
		moment.tv_nsec = late->kill_at % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
		late->interrupted = late->where == 1;
		at = now_ns() + late->turn;
		end.it_value.tv_sec = at / 1000000000;
		end.it_value.tv_nsec = at % 1000000000;
		timerfd_settime(timer, TFD_TIMER_ABSTIME, &end, NULL);
		kill(late->pid, SIGKILL);
		do
			give_turn();
		while (now_ns() < at);
		tell(&late->answer, order);
	}
}

/* The tracee is stopped on CPU 1; it had counters. */
static int start_stopped(void)
{
	cpu_set_t second;
	int fd;

	late->pid = start_tracee(stop_at_signal, 0);
	CHECK(late->pid > 0, "tracee");
	CPU_ZERO(&second);
	CPU_SET(1, &second);
	sched_setaffinity(late->pid, sizeof(second), &second);
	if (continue_to_signal(late->pid))
		return 1;
	fd = open_on(late->pid);
	CHECK(fd >= 0 && ioctl(fd, PERFCTR_IOC_UNLINK) == 0, "counters: %s", strerror(errno));
	close(fd);
	return 0;
}

/* What an ended thread's counters must be: nobody's, and readable. */
static int look_at_ended(int fd)
{
	struct vperfctr_control c = { .cpu_control.tsc_on = 1 };
	struct perfctr_sum_ctrs sum;

	CHECK(read_state(fd, &sum, NULL) == 0, "an ended thread's counters can't be read: %s",
	      strerror(errno));
	CHECK(set_control(fd, &c) < 0 && errno == ESRCH, "an ended thread's counters are changed");
	CHECK(set_control(fd, &c) < 0 && errno == ESRCH,
	      "an ended thread's counters are changed later");
	CHECK(ioctl(fd, PERFCTR_IOC_UNLINK) == 0, "an ended thread's counters are still its own");
	return 0;
}

/* Opens so many ns before the helper wakes up. */
static int open_late(int64_t before, int64_t turn, int *opened)
{
	static int order;
	int status, fd;

	if (start_stopped())
		return 1;
	late->turn = turn;
	late->where = 0;
	late->kill_at = now_ns() + 300000;
	tell(&late->order, ++order);
	usleep(100);
	while (now_ns() < late->kill_at - before)
		;
	late->where = 1;
	fd = open_on(late->pid);
	late->where = 2;
	CHECK(fd >= 0 || errno == ESRCH, "%s", strerror(errno));
	CHECK(waitpid(late->pid, &status, 0) == late->pid && WIFSIGNALED(status), "status 0x%X",
	      status);
	await(&late->answer, order);
	*opened += fd >= 0;
	status = fd >= 0 ? look_at_ended(fd) : 0;
	if (fd >= 0)
		close(fd);
	return status;
}

/* Where in the call the helper must come, so that it matters how far the end has got: it is late,
 * or it isn't. */
static int find_moment(int64_t *moment)
{
	int64_t before;
	int soon, later;

	for (before = EARLIEST; before < LATEST; before += 23) {
		soon = later = 0;
		if (open_late(before, 200, &soon) ||
		    (late->interrupted && open_late(before, 3000000, &later)))
			return 1;
		if (late->interrupted && soon && !later) {
			*moment = before;
			return 0;
		}
	}
	CHECK(false, "the helper never comes in the call, while the tracee has yet to end");
}

/*
 * The longest turn in which the thread does its last task works after the counters are there. Its
 * link ends some thousand instructions before.
 */
static int find_end(int64_t moment, int64_t *end)
{
	int64_t low = 200, high = 3000000, middle;
	int opened;

	while (high - low > CLOSE) {
		middle = (low + high) / 2;
		opened = 0;
		if (open_late(moment, middle, &opened))
			return 1;
		*(opened ? &low : &high) = middle;
	}
	*end = low;
	return 0;
}

static int be_late(void)
{
	int tries = getenv("OFTEN") ? 5 * SWEEP : SWEEP, wanted = tries / 20, opened = 0, i;
	struct sched_param idle = { 0 };
	int64_t moment = 0, end = 0, turn;
	pid_t helper;

	late = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(late != MAP_FAILED, "memory");
	pin(0);
	helper = fork();
	if (helper == 0)
		kill_when_told();
	sched_setscheduler(0, SCHED_IDLE, &idle);
	/* Where one thread meanwhile takes another time, it aims badly, and does so anew. */
	for (i = 0; i < tries || (opened < wanted && i < 10 * SWEEP); i++) {
		if (i % SWEEP == 0 && (find_moment(&moment) || find_end(moment, &end)))
			return 1;
		turn = end - 5 * SWEEP + 5 * (i % SWEEP) + i / SWEEP % 5;
		if (open_late(moment, turn, &opened))
			return 1;
	}
	printf("  moment %lld, %d of %d opened\n", (long long)moment, opened, i);
	kill(helper, SIGKILL);
	waitpid(helper, NULL, 0);
	/* Where the kernel takes less regular times (Linux 7.3), most come too late. */
	CHECK(opened >= wanted, "it aims at the end of %d threads only", opened);
	return 0;
}

int late_tracer(void)
{
	const struct rlimit one = { 1, 1 };

	return set_up_telling() || setrlimit(RLIMIT_RTPRIO, &one) < 0 || as_nobody(be_late);
}
