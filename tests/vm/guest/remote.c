// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library over the driver: its calls on descriptors, another thread's counters under ptrace,
 * other threads' sums, overflow signals, and which provider is chosen. Called remote_perf, another
 * thread's counters over perf_events. See tests/vm/README.md.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <perfctr/calls.h>
#include "tests/harness/guest.h"

/* In an event selector: that the counter interrupts. And how a bit that no processor has fails. */
#if defined(__aarch64__)
enum { INTERRUPTS = 0, RESERVED_ERRNO = EINVAL };
#else
enum { INTERRUPTS = 0x00100000, RESERVED_ERRNO = EPERM };
#endif

/* ---- calls on descriptors ---- */

static int raw_calls(void)
{
	struct vperfctr_control control = instructions(2), bad = control, got;
	struct perfctr_sum_ctrs a, b;
	struct perfctr_info info;
	int fd, second;
	void *page;

	CHECK(sys_perfctr_info(&info, NULL, NULL) == 0, "%s", perfctr_error());
	CHECK(strncmp(info.driver_version, "perf_events", 11) != 0, "%s", info.driver_version);
	CHECK_FAILS(sys_vperfctr_open(0, 0), ENODEV, "no counters yet");
	CHECK((fd = sys_vperfctr_open(0, 1)) >= 0, "%s", perfctr_error());
	CHECK_FAILS(sys_vperfctr_open(0, 1), EEXIST, "already");
	CHECK_FAILS(_vperfctr_open(1), EEXIST, "already");
	CHECK_FAILS(vperfctr_open() ? 0 : -1, EEXIST, "already");
	CHECK((second = sys_vperfctr_open(getpid(), 0)) >= 0, "%s", perfctr_error());
	CHECK(sys_vperfctr_control(second, &control) == 0, "%s", perfctr_error());
	loop(100000);
	CHECK(sys_vperfctr_read(fd, &a, &got) == 0, "%s", perfctr_error());
	CHECK(a.pmc[0] == a.pmc[1] && a.pmc[0] > 200000 && a.pmc[0] < 210000, "%llu", a.pmc[0]);
	CHECK(memcmp(&got, &control, sizeof(got)) == 0, "another control");

	/* Refused in words, and what runs runs on. */
	bad.cpu_control.pmc_map[1] = 0;
	CHECK_FAILS(sys_vperfctr_control(fd, &bad), EINVAL, "pmc_map[1]");
	bad = control;
	bad.flags = 0x80;
	CHECK_FAILS(_vperfctr_control(fd, &bad), EINVAL, "flags has 0x00000080");
	bad = control;
	bad.cpu_control.evntsel[1] |= 0x00080000;
	CHECK_FAILS(sys_vperfctr_control(fd, &bad), RESERVED_ERRNO, "evntsel[1] has 0x00080000");
	bad = control;
	bad.cpu_control.nractrs = 1;
	bad.cpu_control.nrictrs = 1;
	bad.cpu_control.evntsel[1] |= INTERRUPTS;
	bad.cpu_control.ireset[1] = -1000;
	CHECK_FAILS(sys_vperfctr_control(fd, &bad), EINVAL, "si_signo is 0");
	CHECK_FAILS(sys_vperfctr_control(fd, NULL), EINVAL, "NULL");
	CHECK_FAILS(sys_vperfctr_control(2, &control), EBADF, "descriptor 2");
	CHECK_FAILS(sys_vperfctr_read(77, &a, NULL), EBADF, "descriptor 77");
	CHECK_FAILS(sys_vperfctr_iresume(fd), EINVAL, "nothing to resume");
	loop(1000);
	CHECK(_vperfctr_read_sum(fd, &b) == 0 && b.pmc[0] > a.pmc[0] + 2000, "%llu", b.pmc[0]);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(page != MAP_FAILED, "mmap");
	munmap(page, 4096);

	CHECK(sys_vperfctr_unlink(second) == 0 && sys_vperfctr_unlink(fd) == 0, "%s",
	      perfctr_error());
	CHECK_FAILS(sys_vperfctr_control(fd, &control), ESRCH, "unlinked");
	CHECK_FAILS(sys_vperfctr_iresume(fd), ESRCH, "unlinked");
	CHECK(_vperfctr_read_sum(fd, &a) == 0 && _vperfctr_read_sum(fd, &b) == 0, "%s",
	      perfctr_error());
	CHECK(a.pmc[0] == b.pmc[0] && a.pmc[0] > 202000, "%llu, %llu", a.pmc[0], b.pmc[0]);
	CHECK_FAILS(sys_vperfctr_open(0, 0), ENODEV, "no counters yet");
	close(second);
	close(fd);
	return 0;
}

/* ---- a child under ptrace ---- */

/*
 * The child's work: three stretches, each between two stops, of n, 3n and 10n loops; after that it
 * works until it is killed.
 */
#define STRETCH 10000ul

static __attribute__((noinline)) void stretch(unsigned long n)
{
	raise(SIGSTOP);
	loop(n);
	raise(SIGSTOP);
}

static void child(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	stretch(STRETCH);
	stretch(3 * STRETCH);
	stretch(10 * STRETCH);
	for (;;)
		loop(1000000);
}

static pid_t start_child(void (*work)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		work();
		_exit(9);
	}
	return pid;
}

/* The signal that the child stands still with; 0 if it ended. */
static int stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

static int go_on(pid_t pid)
{
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	return stopped(pid);
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) == pid)
		;
}

static int remote_exact(void)
{
	struct vperfctr_control control = instructions(2), got;
	unsigned long long count[3];
	struct perfctr_sum_ctrs sum, again;
	struct rvperfctr *remote, *second;
	pid_t pid = start_child(child);
	struct perfctr_info info;
	unsigned int k;

	CHECK(stopped(pid) == SIGSTOP, "the child does not stop");
	remote = rvperfctr_open(pid);
	CHECK(remote, "%s", perfctr_error());
	CHECK(rvperfctr_pid(remote) == pid, "%d", rvperfctr_pid(remote));
	CHECK(rvperfctr_info(remote, &info) == 0 && perfctr_info_nrctrs(&info) >= 2, "info");
	for (k = 0; k < 3; k++) {
		CHECK(go_on(pid) == SIGSTOP, "the stretch's begin");
		CHECK(rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
		CHECK(go_on(pid) == SIGSTOP, "the stretch's end");
		CHECK(rvperfctr_read_state(remote, &sum, &got) == 0, "%s", perfctr_error());
		CHECK(sum.pmc[0] == sum.pmc[1] && sum.tsc > 0, "%llu, %llu", sum.pmc[0],
		      sum.pmc[1]);
		CHECK(got.cpu_control.nractrs == 2, "the control read");
		count[k] = sum.pmc[0];
	}
	/* Exactly the loops, and the same of all else. */
	CHECK(count[0] >= 2 * STRETCH && count[0] < 2 * STRETCH + 200, "%llu", count[0]);
	CHECK(count[1] - count[0] == 4 * STRETCH && count[2] - count[0] == 18 * STRETCH,
	      "%llu %llu %llu", count[0], count[1], count[2]);

	/* Another handle is one on the same state; a refused control touches nothing. */
	second = rvperfctr_open(pid);
	CHECK(second, "%s", perfctr_error());
	control.flags = 0x80;
	CHECK_FAILS(rvperfctr_control(second, &control), EINVAL, "flags has 0x00000080");
	CHECK_FAILS(rvperfctr_iresume(second), EINVAL, "nothing to resume");
	CHECK(rvperfctr_read_ctrs(second, &again) == 0 && again.pmc[0] == sum.pmc[0], "%llu",
	      again.pmc[0]);
	rvperfctr_close(second);

	/* Stopped, it keeps its sums; unlinked, they can be read even while it runs. */
	CHECK(rvperfctr_stop(remote) == 0, "%s", perfctr_error());
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	usleep(20000);
	kill(pid, SIGSTOP);
	CHECK(stopped(pid) == SIGSTOP, "stop");
	CHECK(rvperfctr_read_ctrs(remote, &again) == 0 && again.pmc[0] == sum.pmc[0], "%llu",
	      again.pmc[0]);
	CHECK(rvperfctr_unlink(remote) == 0, "%s", perfctr_error());
	CHECK_FAILS(rvperfctr_stop(remote), ESRCH, "unlinked");
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	CHECK(rvperfctr_unlink(remote) == 0, "twice: %s", perfctr_error());
	CHECK(rvperfctr_read_ctrs(remote, &again) == 0 && again.pmc[0] == sum.pmc[0], "%llu",
	      again.pmc[0]);
	rvperfctr_close(remote);
	end_child(pid);
	return 0;
}

static void work(void)
{
	for (;;)
		loop(10000);
}

/* Whoever is not stopped under our ptrace is out of reach. */
static int only_stopped_threads(void)
{
	struct vperfctr_control control = instructions(1);
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *remote;
	pid_t pid = start_child(work);

	CHECK_FAILS(rvperfctr_open(0x3FFFFFF0) ? 0 : -1, ESRCH, "no thread 1073741808");
	CHECK_FAILS(rvperfctr_open(1) ? 0 : -1, ESRCH, "waitpid()");
	CHECK_FAILS(rvperfctr_open(pid) ? 0 : -1, ESRCH, "PTRACE_ATTACH");
	kill(pid, SIGSTOP);
	CHECK(waitpid(pid, NULL, WUNTRACED) == pid, "stop");
	CHECK_FAILS(rvperfctr_open(pid) ? 0 : -1, ESRCH, "ptrace");
	kill(pid, SIGCONT);
	CHECK(ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0, "seize");
	CHECK_FAILS(rvperfctr_open(pid) ? 0 : -1, ESRCH, "PTRACE_INTERRUPT");
	CHECK(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0 && stopped(pid), "interrupt");
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	CHECK_FAILS(rvperfctr_read_ctrs(remote, &sum), ESRCH, "not stopped");
	CHECK_FAILS(rvperfctr_control(remote, &control), ESRCH, "not stopped");
	CHECK_FAILS(rvperfctr_stop(remote), ESRCH, "not stopped");
	CHECK_FAILS(rvperfctr_unlink(remote), ESRCH, "not stopped");
	/* It has been counting all the time. */
	usleep(20000);
	CHECK(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0 && stopped(pid), "interrupt");
	CHECK(rvperfctr_read_ctrs(remote, &sum) == 0 && sum.pmc[0] > 100000, "%llu", sum.pmc[0]);
	rvperfctr_close(remote);
	end_child(pid);
	return 0;
}

/* Killed by somebody else in the middle: each call succeeds or says ESRCH; the sums are final. */
static int killed_in_the_middle(void)
{
	const unsigned int rounds = repeats(30);
	struct vperfctr_control control = instructions(1);
	unsigned int round, calls = 0, late = 0;
	struct perfctr_sum_ctrs sum, last;
	struct rvperfctr *remote, *second;
	pid_t pid, killer;

	for (round = 0; round < rounds; round++) {
		pid = start_child(work);
		CHECK(ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0, "seize");
		CHECK(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0 && stopped(pid), "interrupt");
		remote = rvperfctr_open(pid);
		CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		usleep(1000);
		ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
		CHECK(stopped(pid), "interrupt");
		killer = fork();
		if (killer == 0) {
			usleep(round * 2000 / rounds);
			kill(pid, SIGKILL);
			_exit(0);
		}
		memset(&last, 0, sizeof(last));
		control.preserve = 1;
		for (;;) {
			calls++;
			if (rvperfctr_control(remote, &control) < 0) {
				CHECK(errno == ESRCH, "control: %s", perfctr_error());
				break;
			}
			second = rvperfctr_open(pid);
			CHECK(second || errno == ESRCH || errno == ENODEV, "open: %s",
			      perfctr_error());
			rvperfctr_close(second);
			if (rvperfctr_read_ctrs(remote, &sum) < 0) {
				CHECK(errno == ESRCH, "read: %s", perfctr_error());
				break;
			}
			CHECK(sum.pmc[0] >= last.pmc[0], "%llu, then %llu", last.pmc[0],
			      sum.pmc[0]);
			last = sum;
		}
		late += last.pmc[0] != 0;
		CHECK(waitpid(killer, NULL, 0) == killer, "killer");
		CHECK(waitpid(pid, NULL, 0) == pid, "killed");
		CHECK(rvperfctr_read_ctrs(remote, &sum) == 0, "%s", perfctr_error());
		CHECK(sum.pmc[0] >= last.pmc[0], "%llu, then %llu", last.pmc[0], sum.pmc[0]);
		CHECK(rvperfctr_read_ctrs(remote, &last) == 0 &&
			      memcmp(&last, &sum, sizeof(sum)) == 0,
		      "not final");
		CHECK_FAILS(rvperfctr_control(remote, &control), ESRCH, "unlinked");
		rvperfctr_close(remote);
	}
	printf("  %u rounds of calls in %u children, %u of which lived to be read\n", calls, round,
	       late);
	CHECK(late > rounds / 10, "they were killed too early");
	return 0;
}

/* Killed while it is given counters: whoever has made them gets them, and nobody keeps anything. */
static int killed_while_opened(void)
{
	struct vperfctr_control control = instructions(1);
	unsigned int round, opened = 0, controlled = 0;
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *remote;
	pid_t pid, killer;

	for (round = 0; round < 100; round++) {
		pid = start_child(work);
		CHECK(ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0, "seize");
		CHECK(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0 && stopped(pid), "interrupt");
		killer = fork();
		if (killer == 0) {
			usleep(round * 3);
			kill(pid, SIGKILL);
			_exit(0);
		}
		usleep(100);
		remote = rvperfctr_open(pid);
		CHECK(remote || errno == ESRCH, "open: %s", perfctr_error());
		opened += remote != NULL;
		if (remote && rvperfctr_control(remote, &control) == 0)
			controlled++;
		else
			CHECK(errno == ESRCH, "control: %s", perfctr_error());
		CHECK(waitpid(killer, NULL, 0) == killer, "killer");
		CHECK(waitpid(pid, NULL, 0) == pid, "killed");
		CHECK(!remote || (rvperfctr_read_ctrs(remote, &sum) == 0 && sum.pmc[0] == 0),
		      "it ran");
		rvperfctr_close(remote);
	}
	printf("  of 100 children %u were opened in time, and %u given a control\n", opened,
	       controlled);
	return 0;
}

/* Where a call of its own begins it is given counters: the call finds them. */
static void opens_twice(void)
{
	struct vperfctr *self;
	unsigned long long before;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	if (sys_vperfctr_open(0, 1) >= 0 || errno != EEXIST)
		_exit(1);
	self = vperfctr_open_mode(0);
	if (!self)
		_exit(2);
	before = vperfctr_read_pmc(self, 0);
	loop(1000);
	if (vperfctr_read_pmc(self, 0) - before < 2000)
		_exit(3);
	_exit(vperfctr_unlink(self) < 0 ? 4 : 0);
}

/* It is at the entry of the call that opens, and not of one before it. */
static bool is_at_open(pid_t pid)
{
	struct __ptrace_syscall_info call;

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(call), &call) > 0 &&
	       call.op == PTRACE_SYSCALL_INFO_ENTRY && call.entry.nr == SYS_ioctl &&
	       (unsigned int)call.entry.args[1] == PERFCTR_IOC_OPEN;
}

static int at_the_entry_of_a_call(void)
{
	struct vperfctr_control control = instructions(1);
	pid_t pid = start_child(opens_twice);
	struct rvperfctr *remote;
	int status;

	CHECK(stopped(pid) == SIGSTOP, "stop");
	CHECK(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD) == 0, "options");
	do {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		CHECK(stopped(pid) == (SIGTRAP | 0x80), "the call's entry");
	} while (!is_at_open(pid));
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	rvperfctr_close(remote);
	return 0;
}

static void finds_its_counters(void)
{
	struct vperfctr *self;
	unsigned long long before;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	if (vperfctr_open() || errno != EEXIST)
		_exit(1);
	self = vperfctr_open_mode(0);
	if (!self)
		_exit(2);
	before = vperfctr_read_pmc(self, 0);
	loop(1000);
	_exit(vperfctr_read_pmc(self, 0) - before > 2000 ? 0 : 3);
}

/* The handle is closed; the counters stay with their thread, which finds them. */
static int left_to_their_thread(void)
{
	struct vperfctr_control control = instructions(1);
	pid_t pid = start_child(finds_its_counters);
	struct rvperfctr *remote;
	int status;

	CHECK(stopped(pid) == SIGSTOP, "stop");
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	rvperfctr_close(remote);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	return 0;
}

/* Over perf_events they are their tracer's; beside them, the thread has its own. */
static void counts_for_itself(void)
{
	struct vperfctr_control control = instructions(1);
	unsigned long long before;
	struct vperfctr *self;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	self = vperfctr_open();
	if (!self || vperfctr_control(self, &control) < 0)
		_exit(1);
	before = vperfctr_read_pmc(self, 0);
	loop(1000);
	if (vperfctr_read_pmc(self, 0) - before < 2000)
		_exit(2);
	raise(SIGSTOP);
}

static int apart_from_its_own(void)
{
	struct vperfctr_control control = instructions(1);
	pid_t pid = start_child(counts_for_itself);
	struct rvperfctr *remote;
	struct perfctr_sum_ctrs sum;

	CHECK(stopped(pid) == SIGSTOP, "stop");
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	rvperfctr_close(remote);
	CHECK(go_on(pid) == SIGSTOP, "its own counters");
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_read_ctrs(remote, &sum) == 0, "%s", perfctr_error());
	CHECK(sum.pmc[0] > 2000 && sum.pmc[0] < 1000000, "%llu", sum.pmc[0]);
	rvperfctr_close(remote);
	end_child(pid);
	return 0;
}

/* A thread gets its counters when it runs. If others have them, a read says so. */
static int no_room(void)
{
	struct vperfctr_control control = instructions(2);
	pid_t pid = start_child(child);
	struct perfctr_set *hog[64];
	struct perfctr_sum_ctrs sum;
	struct rvperfctr *remote;
	unsigned int n = 0;
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	CHECK(stopped(pid) == SIGSTOP && sched_setaffinity(pid, sizeof(first), &first) == 0,
	      "on processor 0");
	while (n < 64 && (hog[n] = perfctr_set_open("instructions:u",
						    &(const struct perfctr_target){
							    .type = PERFCTR_TARGET_CPU, .id = 0 },
						    0)))
		n++;
	CHECK(n > 0 && n < 64 && errno == EBUSY, "%u groups, then %s", n, perfctr_error());
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	CHECK(go_on(pid) == SIGSTOP, "the stretch's begin");
	CHECK_FAILS(rvperfctr_read_ctrs(remote, &sum), EBUSY, "somebody else");
	while (n)
		perfctr_set_close(hog[--n]);
	CHECK_FAILS(rvperfctr_stop(remote), EBUSY, "somebody else");
	CHECK(rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	CHECK(go_on(pid) == SIGSTOP, "the stretch's end");
	CHECK(rvperfctr_read_ctrs(remote, &sum) == 0, "%s", perfctr_error());
	CHECK(sum.pmc[0] >= 2 * STRETCH && sum.pmc[0] < 2 * STRETCH + 200, "%llu", sum.pmc[0]);
	rvperfctr_close(remote);
	end_child(pid);
	return 0;
}

/* ---- exec ---- */

static void execute_stretches(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	execl("/proc/self/exe", "remote", "stretches", (char *)NULL);
}

/* A remote state goes on in the next program. */
static int remote_through_exec(void)
{
	struct vperfctr_control control = instructions(1);
	pid_t pid = start_child(execute_stretches);
	struct perfctr_sum_ctrs at[6];
	struct rvperfctr *remote;
	unsigned int k;

	CHECK(stopped(pid) == SIGSTOP, "stop");
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	CHECK(go_on(pid) == SIGTRAP, "exec");
	CHECK(rvperfctr_read_ctrs(remote, &at[0]) == 0, "%s", perfctr_error());
	for (k = 1; k < 6; k++) {
		CHECK(go_on(pid) == SIGSTOP, "stop %u", k);
		CHECK(rvperfctr_read_ctrs(remote, &at[k]) == 0, "%s", perfctr_error());
		CHECK(at[k].pmc[0] > at[k - 1].pmc[0], "%u: %llu", k, at[k].pmc[0]);
	}
	/* After its first stop, those before and after stretches of n and 3n loops. */
	CHECK(at[5].pmc[0] - at[4].pmc[0] - (at[3].pmc[0] - at[2].pmc[0]) == 4 * STRETCH,
	      "%llu, %llu", at[3].pmc[0] - at[2].pmc[0], at[5].pmc[0] - at[4].pmc[0]);
	rvperfctr_close(remote);
	end_child(pid);
	return 0;
}

/* Over perf_events it takes Linux 5.13. */
static bool can_end_at_exec(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	uname(&system);
	sscanf(system.release, "%d.%d", &major, &minor);
	return !strcmp(perfctr_provider_name(), "driver") || major > 5 ||
	       (major == 5 && minor >= 13);
}

/* Unless its control says that it ends there. */
static int remote_until_exec(void)
{
	struct vperfctr_control control = instructions(2);
	pid_t pid = start_child(execute_stretches);
	struct perfctr_sum_ctrs end, later;
	struct rvperfctr *remote, *fresh;

	CHECK(stopped(pid) == SIGSTOP, "stop");
	remote = rvperfctr_open(pid);
	control.flags = VPERFCTR_CONTROL_CLOEXEC;
	if (!can_end_at_exec()) {
		CHECK_FAILS(rvperfctr_control(remote, &control), EOPNOTSUPP, "Linux 5.13");
		rvperfctr_close(remote);
		end_child(pid);
		return 0;
	}
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	CHECK(go_on(pid) == SIGTRAP, "exec");
	CHECK(rvperfctr_read_ctrs(remote, &end) == 0 && end.pmc[0] > 0 && end.tsc > 0, "%s",
	      perfctr_error());
	CHECK(end.pmc[0] == end.pmc[1], "%llu, %llu", end.pmc[0], end.pmc[1]);
	CHECK_FAILS(rvperfctr_control(remote, &control), ESRCH, "unlinked");
	fresh = rvperfctr_open(pid);
	control.flags = 0;
	CHECK(fresh && rvperfctr_control(fresh, &control) == 0, "%s", perfctr_error());
	/* Its stops: the first, and before and after the first stretch. */
	CHECK(go_on(pid) == SIGSTOP && go_on(pid) == SIGSTOP && go_on(pid) == SIGSTOP, "stop");
	CHECK(rvperfctr_read_ctrs(remote, &later) == 0 && !memcmp(&later, &end, sizeof(end)),
	      "%llu, then %llu", end.pmc[0], later.pmc[0]);
	CHECK(rvperfctr_read_ctrs(fresh, &later) == 0 && later.pmc[0] > 2 * STRETCH, "%llu",
	      later.pmc[0]);
	rvperfctr_close(fresh);
	rvperfctr_close(remote);
	end_child(pid);
	return 0;
}

/* ---- descriptors that are passed on, as perfex of perfctr 2.6 does ---- */

/* The calls on a descriptor in its own thread, over either provider. */
static int raw_counts(void)
{
	struct vperfctr_control control = instructions(2);
	struct perfctr_sum_ctrs a, b;
	struct perfctr_info info;
	int fd, facts;

	CHECK((facts = _vperfctr_open(0)) >= 0, "%s", perfctr_error());
	CHECK(perfctr_abi_check_fd(facts) == 0 && perfctr_info(facts, &info) == 0 &&
		      perfctr_info_nrctrs(&info) >= 2,
	      "%s", perfctr_error());
	CHECK_FAILS(_vperfctr_control(facts, &control), EINVAL, "no counters");
	CHECK_FAILS(_vperfctr_read_sum(facts, &a), EINVAL, "no counters");
	close(facts);
	CHECK_FAILS(perfctr_info(facts, &info), EBADF, "sys_vperfctr_open()");
	CHECK((fd = _vperfctr_open(1)) >= 0, "%s", perfctr_error());
	CHECK(perfctr_info(fd, &info) == 0 && perfctr_abi_check_fd(fd) == 0, "%s", perfctr_error());
	CHECK(_vperfctr_control(fd, &control) == 0, "%s", perfctr_error());
	loop(100000);
	CHECK(_vperfctr_read_sum(fd, &a) == 0, "%s", perfctr_error());
	CHECK(a.pmc[0] == a.pmc[1] && a.pmc[0] > 200000 && a.pmc[0] < 210000, "%llu", a.pmc[0]);
	/* A stop keeps the sums; then one goes on, the other begins again, and the TSC goes on. */
	memset(&control, 0, sizeof(control));
	CHECK(_vperfctr_control(fd, &control) == 0 && _vperfctr_read_sum(fd, &a) == 0, "%s",
	      perfctr_error());
	CHECK(a.pmc[0] == a.pmc[1] && a.pmc[0] > 200000, "%llu", a.pmc[0]);
	control = instructions(2);
	control.preserve = 1;
	CHECK(_vperfctr_control(fd, &control) == 0, "%s", perfctr_error());
	loop(50000);
	CHECK(_vperfctr_read_sum(fd, &b) == 0, "%s", perfctr_error());
	CHECK(b.pmc[0] == b.pmc[1] + a.pmc[0] && b.pmc[1] > 100000 && b.pmc[1] < 110000 &&
		      b.tsc > a.tsc,
	      "%llu, %llu, %llu", a.pmc[0], b.pmc[0], b.pmc[1]);
	/* A control without the TSC sets it to 0. */
	control.cpu_control.tsc_on = 0;
	CHECK(_vperfctr_control(fd, &control) == 0 && _vperfctr_read_sum(fd, &b) == 0 && b.tsc == 0,
	      "%llu", b.tsc);
	CHECK(sys_vperfctr_unlink(fd) == 0, "%s", perfctr_error());
	CHECK(_vperfctr_read_sum(fd, &a) == 0 && _vperfctr_read_sum(fd, &b) == 0 &&
		      a.pmc[0] == b.pmc[0],
	      "%s", perfctr_error());
	CHECK_FAILS(_vperfctr_control(fd, &control), ESRCH, "unlinked");
	close(fd);
	return 0;
}

static int pass_on(int socket, int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} rights;
	char byte = 0;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights),
	};

	memset(&rights, 0, sizeof(rights));
	rights.header.cmsg_level = SOL_SOCKET;
	rights.header.cmsg_type = SCM_RIGHTS;
	rights.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&rights.header), &fd, sizeof(fd));
	if (fd >= 0)
		return sendmsg(socket, &message, 0) == 1 ? 0 : -1;
	if (recvmsg(socket, &message, 0) != 1)
		return -1;
	memcpy(&fd, CMSG_DATA(&rights.header), sizeof(fd));
	return fd;
}

/* What a program counts from its descriptor's control to its end, read when it has ended. */
static int count_program(const char *loops, unsigned int flags, struct perfctr_sum_ctrs *sum)
{
	struct vperfctr_control control = instructions(2), got;
	int pair[2], fd, status;
	pid_t pid;

	control.flags = flags;
	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0, "socketpair");
	pid = fork();
	if (pid == 0) {
		fd = _vperfctr_open(1);
		if (fd < 0 || _vperfctr_control(fd, &control) < 0 || pass_on(pair[1], fd) < 0)
			_exit(9);
		close(fd);
		execl("/bin/loop", "loop", loops, (char *)NULL);
		_exit(8);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	CHECK((fd = pass_on(pair[0], -1)) >= 0, "no descriptor");
	CHECK(_vperfctr_read_sum(fd, sum) == 0 && _vperfctr_read_control(fd, &got) == 0, "%s",
	      perfctr_error());
	CHECK(!memcmp(&got, &control, sizeof(got)), "another control");
	CHECK_FAILS(_vperfctr_control(fd, &control), ESRCH, "ended");
	close(fd);
	close(pair[0]);
	close(pair[1]);
	return 0;
}

/*
 * An instruction takes a nanosecond here, a tick at most a hundred; the execve(2) before it takes
 * as long as it likes.
 */
static bool ticks_hold(const struct perfctr_sum_ctrs *sum)
{
	return sum->tsc >= sum->pmc[0] / 100;
}

static int counted_programs(void)
{
	struct perfctr_sum_ctrs warm, one, two, none = { 0 };

	if (count_program("0000000001", 0, &warm) || count_program("0001000000", 0, &one) ||
	    count_program("0002000000", 0, &two) ||
	    (can_end_at_exec() && count_program("0002000000", VPERFCTR_CONTROL_CLOEXEC, &none)))
		return 1;
	printf("  programs of 2 and 4 million instructions: %llu, %llu\n", one.pmc[0], two.pmc[0]);
	CHECK(one.pmc[0] == one.pmc[1] && two.pmc[0] == two.pmc[1], "others: %llu, %llu",
	      one.pmc[1], two.pmc[1]);
	CHECK(two.pmc[0] - one.pmc[0] == 2000000 && one.pmc[0] > 2000000 && one.pmc[0] < 2200000,
	      "%llu, %llu", one.pmc[0], two.pmc[0]);
	CHECK(ticks_hold(&one) && ticks_hold(&two), "%llu, %llu ticks", one.tsc, two.tsc);
	/* It ended with the program before. */
	CHECK(!can_end_at_exec() || (none.pmc[0] > 0 && none.pmc[0] < 200000), "%llu", none.pmc[0]);
	return 0;
}

#define SET_USER_ID "/tmp/remote-set-user-id"

static int go_pipe[2];

static void execute_as_root(void)
{
	char byte;

	if (setresuid(65534, 65534, 65534) == 0 && read(go_pipe[0], &byte, 1) == 1)
		execl(SET_USER_ID, "remote", "stretches", (char *)NULL);
}

/* But not in one with more rights, where the tracer must be root, and open again. */
static int not_into_more_rights(void)
{
	struct vperfctr_control control = instructions(1);
	struct perfctr_sum_ctrs sum, again;
	struct rvperfctr *remote, *fresh;
	static char bytes[1 << 20];
	int from = open("/proc/self/exe", O_RDONLY);
	int to = open(SET_USER_ID, O_WRONLY | O_CREAT, 0755);
	ssize_t n;
	pid_t pid;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		CHECK(write(to, bytes, (size_t)n) == n, "copy");
	close(from);
	close(to);
	CHECK(chmod(SET_USER_ID, 04755) == 0 && pipe(go_pipe) == 0, "mode");
	pid = start_child(execute_as_root);
	CHECK(ptrace(PTRACE_SEIZE, pid, NULL, PTRACE_O_TRACEEXEC) == 0, "seize");
	CHECK(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0 && stopped(pid), "interrupt");
	remote = rvperfctr_open(pid);
	CHECK(remote && rvperfctr_control(remote, &control) == 0, "%s", perfctr_error());
	CHECK(write(go_pipe[1], bytes, 1) == 1 && go_on(pid) == SIGTRAP, "exec");
	close(go_pipe[0]);
	close(go_pipe[1]);
	CHECK(rvperfctr_read_ctrs(remote, &sum) == 0 && sum.pmc[0] > 0, "%s", perfctr_error());
	CHECK_FAILS(rvperfctr_control(remote, &control), ESRCH, "unlinked");
	fresh = rvperfctr_open(pid);
	CHECK(fresh && rvperfctr_control(fresh, &control) == 0, "%s", perfctr_error());
	/* Its stops: the first, and before and after the first stretch. */
	CHECK(go_on(pid) == SIGSTOP && go_on(pid) == SIGSTOP && go_on(pid) == SIGSTOP, "stop");
	CHECK(rvperfctr_read_ctrs(remote, &again) == 0 && again.pmc[0] == sum.pmc[0], "%llu",
	      again.pmc[0]);
	CHECK(rvperfctr_read_ctrs(fresh, &again) == 0 && again.pmc[0] > 2 * STRETCH, "%llu",
	      again.pmc[0]);
	rvperfctr_close(fresh);
	rvperfctr_close(remote);
	end_child(pid);
	unlink(SET_USER_ID);
	return 0;
}

/* The counters go on in the next program, unless their control says that they end. */
static int through_exec(void)
{
	struct vperfctr_control control = instructions(1);
	int status, k;
	pid_t pid;

	for (k = 0; k < 2; k++) {
		control.flags = k ? VPERFCTR_CONTROL_CLOEXEC : 0;
		pid = fork();
		if (pid == 0) {
			struct vperfctr *self = vperfctr_open();

			if (!self || vperfctr_control(self, &control) < 0)
				_exit(9);
			loop(1000000);
			execl("/proc/self/exe", "remote", k ? "none" : "some", (char *)NULL);
			_exit(8);
		}
		CHECK(waitpid(pid, &status, 0) == pid && status == 0, "%d: status 0x%X", k, status);
	}
	return 0;
}

/* The program that through_exec() executes. */
static int executed(bool some)
{
	struct vperfctr *self = vperfctr_open_mode(0);
	unsigned long long before;

	if (!some)
		return self || errno != ENODEV;
	if (!self)
		return 1;
	before = vperfctr_read_pmc(self, 0);
	loop(1000);
	return before < 2000000 || vperfctr_read_pmc(self, 0) - before < 2000 ||
	       vperfctr_stop(self) < 0;
}

/* ---- threads of one process ---- */

#define THREADS 6

static pthread_barrier_t barrier;

static void *count_in_steps(void *process)
{
	struct vperfctr_control control = instructions(1);
	struct vperfctr *self = vperfctr_open();
	bool good = self && vperfctr_control(self, &control) == 0 &&
		    perfctr_total_add(process, self) == 0;
	unsigned int k;

	for (k = 1; k <= 2; k++) {
		loop(100000 * k);
		pthread_barrier_wait(&barrier); /* all have counted */
		pthread_barrier_wait(&barrier); /* the total has been read */
	}
	vperfctr_close(self);
	return good ? NULL : process;
}

/* Totals of threads that live, wait or run; as good as those of ended ones. */
static int totals_of_live_threads(void)
{
	struct perfctr_total *process = perfctr_total_create();
	struct perfctr_sum_ctrs sum, last = { .tsc = 0 };
	pthread_t thread[THREADS];
	unsigned int i, k, n;
	void *result;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, count_in_steps, process) == 0, "thread");
	/* While they run. */
	for (i = 0; i < 200; i++) {
		CHECK(perfctr_total_read(process, &sum, NULL) == 0, "%s", perfctr_error());
		CHECK(sum.pmc[0] >= last.pmc[0], "%llu, then %llu", last.pmc[0], sum.pmc[0]);
		last = sum;
	}
	for (k = 1; k <= 2; k++) {
		pthread_barrier_wait(&barrier);
		usleep(20000);
		/* All sleep: two reads see the same. */
		CHECK(perfctr_total_read(process, &sum, &n) == 0 && n == THREADS, "%s",
		      perfctr_error());
		CHECK(perfctr_total_read(process, &last, NULL) == 0, "%s", perfctr_error());
		CHECK(memcmp(&sum, &last, sizeof(sum)) == 0, "%llu, %llu", sum.pmc[0], last.pmc[0]);
		CHECK(sum.pmc[0] > THREADS * (k == 1 ? 200000 : 600000) &&
			      sum.pmc[0] < THREADS * (k == 1 ? 220000 : 640000),
		      "step %u: %llu", k, sum.pmc[0]);
		pthread_barrier_wait(&barrier);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &result);
		CHECK(!result, "thread %u", i);
	}
	CHECK(perfctr_total_read(process, &last, NULL) == 0 && last.pmc[0] >= sum.pmc[0], "%llu",
	      last.pmc[0]);
	perfctr_total_destroy(process);
	return 0;
}

/* ---- overflow signals ---- */

static struct vperfctr *sampled;
static volatile unsigned int overflows, odd;

static void overflow(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	overflows++;
	/* Counter 1 of the control, and no other. */
	if (vperfctr_ovf_mask(sampled, info) != 2 || vperfctr_iresume(sampled) < 0)
		odd++;
}

static int overflow_signals(void)
{
	struct sigaction action = { .sa_sigaction = overflow, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control = instructions(2);
	struct vperfctr *self = vperfctr_open();

	control.si_signo = SIGUSR1;
	control.cpu_control.nractrs = control.cpu_control.nrictrs = 1;
	control.cpu_control.evntsel[1] |= INTERRUPTS;
#if defined(__aarch64__)
	/* Cycles, which are instructions in QEMU: its other counters interrupt some other time. */
	control.cpu_control.pmc_map[1] = 31;
	control.cpu_control.evntsel[1] = 0x80000011;
#endif
	control.cpu_control.ireset[1] = -10000;
	sigaction(SIGUSR1, &action, NULL);
	CHECK(self, "%s", perfctr_error());
	sampled = self;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	loop(500000);
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	/* A million instructions; resuming takes some, which must not make up for a period. */
	CHECK((overflows == 100 || overflows == 101) && !odd, "%u signals, %u of them odd",
	      overflows, odd);
	CHECK_FAILS(vperfctr_iresume(self), EINVAL, "nothing to resume");
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

/* ---- which provider ---- */

#if defined(__aarch64__)

/* Each has counters, and only one that somebody has on a whole processor is refused. */
static int both_at_once(void)
{
	struct vperfctr_control control = instructions(1), four = instructions(4);
	struct gperfctr_cpu_control whole = { .cpu = 0 };
	struct perfctr_reading before, after;
	struct perfctr_set *group;
	struct vperfctr *self;
	struct gperfctr *global;

	CHECK((self = vperfctr_open()) && vperfctr_control(self, &control) == 0, "%s",
	      perfctr_error());
	CHECK((group = perfctr_set_open("instructions:u", NULL, 0)), "%s", perfctr_error());
	CHECK((global = gperfctr_open()) != NULL, "%s", perfctr_error());
	whole.cpu_control = control.cpu_control;
	CHECK(gperfctr_control(global, &whole) == 1 && gperfctr_start(global, 0) == 1, "%s",
	      perfctr_error());
	perfctr_set_read(group, &before);
	loop(100000);
	CHECK(perfctr_set_read(group, &after) == 0 && after.quality == PERFCTR_EXACT &&
		      after.value - before.value > 200000 && after.value - before.value < 220000,
	      "%llu", (unsigned long long)(after.value - before.value));
	CHECK(vperfctr_read_pmc(self, 0) > 200000, "the driver's count");
	CHECK_FAILS(vperfctr_control(self, &four), EBUSY, "perf_events");
	CHECK(vperfctr_is_running(self) && vperfctr_read_tsc(self) > 0, "it runs on");
	gperfctr_close(global);
	CHECK(vperfctr_control(self, &four) == 0, "%s", perfctr_error());
	perfctr_set_close(group);
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

#else

/* Whoever comes second is told who came first, and takes nothing from him. */
static int both_at_once(void)
{
	struct vperfctr_control control = instructions(1), clock = instructions(0);
	struct vperfctr *self = vperfctr_open();
	struct gperfctr_cpu_control whole = { .cpu = 0 };
	struct perfctr_reading before, after;
	struct perfctr_set *group;
	struct gperfctr *global;

	CHECK(self && vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	CHECK_FAILS(perfctr_set_open("instructions:u", NULL, 0) ? 0 : -1, EBUSY,
		    "the perfctr driver");
	CHECK((global = gperfctr_open()) != NULL, "%s", perfctr_error());
	whole.cpu_control = control.cpu_control;
	CHECK_FAILS(gperfctr_control(global, &whole), EBUSY, "the perfctr driver");
	gperfctr_close(global);
	loop(1000);
	CHECK(vperfctr_read_pmc(self, 0) > 2000, "the driver's count");
	vperfctr_unlink(self);
	vperfctr_close(self);

	group = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(group, "%s", perfctr_error());
	perfctr_set_read(group, &before);
	self = vperfctr_open();
	CHECK(self && vperfctr_control(self, &clock) == 0, "%s", perfctr_error());
	CHECK_FAILS(vperfctr_control(self, &control), EBUSY, "perf_events");
	CHECK(vperfctr_is_running(self) && vperfctr_read_tsc(self) > 0, "the TSC");
	loop(100000);
	CHECK(perfctr_set_read(group, &after) == 0 && after.quality == PERFCTR_EXACT,
	      "perf's quality");
	CHECK(after.value - before.value > 200000 && after.value - before.value < 220000, "%llu",
	      (unsigned long long)(after.value - before.value));
	perfctr_set_close(group);
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

#endif

static bool is_over(struct vperfctr *self, unsigned int provider)
{
	struct vperfctr *again = self ? vperfctr_open_mode(provider) : NULL;
	bool yes = again != NULL;

	vperfctr_close(again);
	if (self)
		vperfctr_unlink(self);
	vperfctr_close(self);
	return yes;
}

/* In a user's shoes whom the device's mode shuts out. */
static int forbidden(void)
{
	CHECK(chmod("/dev/perfctr", 0600) == 0 && setuid(65534) == 0, "user");
	CHECK(!strcmp(perfctr_provider_name(), "perf"), "%s", perfctr_provider_name());
	CHECK_FAILS(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER) ? 0 : -1,
		    EACCES, "udev");
	setenv("PERFCTR_PROVIDER", "driver", 1);
	CHECK_FAILS(sys_vperfctr_open(0, 1), EACCES, "udev");
	return 0;
}

static int choice(void)
{
	struct perfctr_info info;
	int status;
	pid_t pid;

	CHECK(!strcmp(perfctr_provider_name(), "driver"), "%s", perfctr_provider_name());
	CHECK(perfctr_get_info(&info) == 0 && strncmp(info.driver_version, "perf", 4), "%s",
	      info.driver_version);
	CHECK(is_over(vperfctr_open(), VPERFCTR_OPEN_DRIVER), "%s", perfctr_error());
	CHECK(is_over(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF),
		      VPERFCTR_OPEN_PERF),
	      "%s", perfctr_error());
	CHECK(is_over(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | PERFCTR_MULTIPLEX),
		      VPERFCTR_OPEN_PERF),
	      "%s", perfctr_error());
	CHECK_FAILS(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | PERFCTR_MULTIPLEX |
				       VPERFCTR_OPEN_DRIVER)
			    ? 0
			    : -1,
		    EOPNOTSUPP, "PERFCTR_MULTIPLEX");
	CHECK_FAILS(vperfctr_open_mode(0) ? 0 : -1, ENODEV, "no counters yet");
	setenv("PERFCTR_PROVIDER", "perf", 1);
	CHECK(!strcmp(perfctr_provider_name(), "perf"), "%s", perfctr_provider_name());
	CHECK(is_over(vperfctr_open(), VPERFCTR_OPEN_PERF), "%s", perfctr_error());
	unsetenv("PERFCTR_PROVIDER");

	pid = fork();
	if (pid == 0)
		_exit(forbidden());
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	chmod("/dev/perfctr", 0666);

	/* Another device under its name, and none. */
	CHECK(rename("/dev/perfctr", "/dev/perfctr.away") == 0, "rename");
	CHECK(mknod("/dev/perfctr", S_IFCHR | 0666, makedev(1, 3)) == 0, "mknod");
	CHECK(!strcmp(perfctr_provider_name(), "perf"), "%s", perfctr_provider_name());
	CHECK_FAILS(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER) ? 0 : -1,
		    EPROTO, "version");
	unlink("/dev/perfctr");
	CHECK(!strcmp(perfctr_provider_name(), "perf"), "%s", perfctr_provider_name());
	CHECK_FAILS(vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER) ? 0 : -1,
		    ENODEV, "modprobe");
	setenv("PERFCTR_PROVIDER", "driver", 1);
	CHECK_FAILS(rvperfctr_open(getppid()) ? 0 : -1, EOPNOTSUPP, "modprobe");
	unsetenv("PERFCTR_PROVIDER");
	CHECK(rename("/dev/perfctr.away", "/dev/perfctr") == 0, "rename");
	CHECK(!strcmp(perfctr_provider_name(), "driver"), "%s", perfctr_provider_name());
	return 0;
}

int main(int argc, char **argv)
{
	static const struct guest_test tests[] = {
		TEST(raw_calls), TEST(remote_exact), TEST(only_stopped_threads),
		TEST(killed_in_the_middle), TEST(killed_while_opened), TEST(at_the_entry_of_a_call),
		TEST(left_to_their_thread), TEST(through_exec),
		TEST(remote_through_exec), TEST(remote_until_exec), TEST(raw_counts),
		TEST(counted_programs), TEST(not_into_more_rights), TEST(totals_of_live_threads),
		TEST(overflow_signals), TEST(both_at_once), TEST(choice),
	}, perf_tests[] = {
		TEST(remote_exact), TEST(only_stopped_threads), TEST(killed_in_the_middle),
		TEST(apart_from_its_own), TEST(no_room), TEST(remote_through_exec),
		TEST(remote_until_exec), TEST(raw_counts), TEST(counted_programs),
		TEST(not_into_more_rights),
	};

	if (argc > 1 && !strcmp(argv[1], "stretches"))
		child();
	if (argc > 1)
		return executed(!strcmp(argv[1], "some"));
	if (strstr(argv[0], "perf"))
		return run_guest(perf_tests, sizeof(perf_tests) / sizeof(perf_tests[0]));
	return run_guest_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
