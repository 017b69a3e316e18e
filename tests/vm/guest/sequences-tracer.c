// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The leader of a party of driver_sequences: traces the others, changes their counters where they
 * are stopped in the kernel, and lets them go in some way.
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include "tests/vm/guest/sequences.h"

#define TRACESYSGOOD 1
#define ENOUGH	     600000 /* instructions: a guarded program has many more */
#define LOOPS	     600    /* of a session */

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

/* A tracee that stays stopped for a while. */
struct held {
	pid_t pid;
	int status;
};

/* A tracee's counters as it was let go inside a call, where it executes nothing. */
struct watch {
	pid_t pid;
	int fd;
	unsigned int changes; /* until then */
	struct perfctr_sum_ctrs sums;
};

/* Inside which call the others of a session are given counters; -1: any. */
static const long calls[] = { SYS_mmap,	  SYS_mmap,   SYS_mmap,	  SYS_mmap,  SYS_mmap,
			      SYS_execve, SYS_execve, SYS_clone,  SYS_ioctl, SYS_exit_group,
			      SYS_exit,	  SYS_munmap, SYS_mremap, SYS_close, SYS_madvise,
			      -1,	  -1,	      -1 };
static long chosen;
static bool given;   /* somebody has got some before */
static pid_t gifted; /* who was, in the call that he is still in */
static bool idle;    /* tracees give way to everybody */
static bool over;    /* the session, before he does anything else */

static struct held held[4];
static struct watch watch[4];
static unsigned long options;
static bool seized;

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static long trace(long request, pid_t pid, unsigned long address, unsigned long data)
{
	return raw(SYS_ptrace, request, pid, address, data);
}

/* ---- threads that execute nothing ---- */

/* The descriptor of a stopped thread's state. Nobody else knows its number. */
static int find_state(struct member *self, pid_t pid)
{
	struct perfctr_call_open open = { .abi_version = PERFCTR_ABI_VERSION, .tid = pid };

	(void)self;
	return (int)raw(SYS_ioctl, DEVICE, PERFCTR_IOC_OPEN, &open);
}

static void compare(struct member *self, const char *when, const struct perfctr_sum_ctrs *before,
		    const struct perfctr_sum_ctrs *now, bool clock)
{
	unsigned int i;

	if (!shared->exact || same_sums(before, now, clock))
		return;
	for (i = 0; i < PERFCTR_NR_CTRS - 1 && before->pmc[i] == now->pmc[i]; i++)
		;
	wrong(self, STANDS, "%s counter %u went from %llu to %llu, the TSC from %llu to %llu", when,
	      i, (unsigned long long)before->pmc[i], (unsigned long long)now->pmc[i],
	      (unsigned long long)before->tsc, (unsigned long long)now->tsc);
}

/*
 * It is found as it was left, unless it was killed: then its clock goes on, up to another stop.
 * waitpid(2) may return while the thread still executes the last of its stop in the kernel, which
 * the clock counts; ptrace(2) waits until the thread has left the processor.
 */
static void stand_still(struct member *self, pid_t pid, bool long_enough)
{
	int fd = find_state(self, pid);
	struct perfctr_sum_ctrs before, now;
	unsigned long message;
	bool stopped;

	if (fd < 0)
		return;
	trace(PTRACE_GETEVENTMSG, pid, 0, (unsigned long)&message);
	if (read_sums(self, fd, &before) == 0) {
		let_pass(self, long_enough);
		if (read_sums(self, fd, &now) == 0) {
			stopped = !(options & PTRACE_O_TRACEEXIT) &&
				  trace(PTRACE_GETEVENTMSG, pid, 0, (unsigned long)&message) == 0;
			compare(self, "a stopped thread's", &before, &now, stopped);
		}
	}
	raw(SYS_close, fd);
}

static void begin_watch(struct member *self, pid_t pid)
{
	unsigned int i;

	for (i = 0; i < LENGTH(watch) && watch[i].pid; i++)
		;
	if (i == LENGTH(watch))
		return;
	watch[i].fd = find_state(self, pid);
	if (watch[i].fd < 0)
		return;
	watch[i].changes = self->changes;
	if (read_sums(self, watch[i].fd, &watch[i].sums) == 0)
		watch[i].pid = pid;
	else
		raw(SYS_close, watch[i].fd);
}

static void end_watch(struct member *self, pid_t pid)
{
	struct perfctr_sum_ctrs now;
	unsigned int i;

	for (i = 0; i < LENGTH(watch); i++)
		if (watch[i].pid == pid) {
			if (read_sums(self, watch[i].fd, &now) == 0 &&
			    watch[i].changes == self->changes)
				compare(self, "within a call", &watch[i].sums, &now, false);
			raw(SYS_close, watch[i].fd);
			watch[i].pid = 0;
		}
}

/* ---- one stop ---- */

/* A call at whose entry somebody is stopped. */
struct entered {
	long nr; /* -1: he is elsewhere */
	int fd;	 /* that it names, or 0 */
};

static struct entered entered_call(pid_t pid)
{
	struct entered call = { .nr = -1 };
	struct ptrace_syscall_info info;

	if (trace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), (unsigned long)&info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return call;
	call.nr = (long)info.entry.nr;
	call.fd = (int)info.entry.args[call.nr == SYS_mmap ? 4 : 0];
	if (call.fd < FIRST_SLOT || call.fd >= FIRST_SLOT + SLOTS)
		call.fd = 0;
	return call;
}

/* Signals are delivered; what else stops it has none. */
static unsigned long signal_of(struct member *self, int status)
{
	int signo = WSTOPSIG(status);

	if (status >> 16 || signo == (SIGTRAP | 0x80) || signo == SIGTRAP)
		return 0;
	return signo == SIGSTOP && one_in(self, 2) ? 0 : (unsigned long)signo;
}

/* From the entries of some calls there is no way back. */
static bool is_way_out(long nr)
{
	return nr == SYS_execve || nr == SYS_exit || nr == SYS_exit_group;
}

static bool hold(pid_t pid, int status)
{
	unsigned int i;

	for (i = 0; i < LENGTH(held); i++)
		if (!held[i].pid) {
			held[i] = (struct held){ pid, status };
			return true;
		}
	return false;
}

static void move_tracee(struct member *self, pid_t pid, unsigned long mask)
{
	note(self, OP_MOVE, (long)mask)->result = raw(SYS_sched_setaffinity, pid, sizeof(mask),
						      &mask);
}

static bool has_event(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return raw(SYS_waitid, P_PID, pid, &info, WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL,
		   NULL) < 0 ||
	       info.si_pid;
}

/*
 * Take the processor from a tracee again and again inside its call, and send it to another one. It
 * is idle's in the scheduler's eyes, so that whoever wakes up comes first: its leader, who follows.
 */
static void chase(struct member *self, pid_t pid, unsigned long signo)
{
	unsigned long where = 1 + below(self, 2);
	struct timespec soon = { 0, 0 };
	unsigned int k;

	for (k = 0; k < 40 && (!k || !has_event(pid)); k++) {
		raw(SYS_sched_setaffinity, pid, sizeof(where), &where);
		raw(SYS_sched_setaffinity, 0, sizeof(where), &where);
		if (!k)
			trace(PTRACE_SYSCALL, pid, 0, signo);
		soon.tv_nsec = 500 + below(self, 8000);
		raw(SYS_nanosleep, &soon, NULL);
		where = 3 & ~where;
	}
	note(self, OP_CHASE, pid)->result = k;
}

static void make_idle(pid_t pid)
{
	struct sched_param none = { 0 };

	idle = raw(SYS_sched_setscheduler, pid, SCHED_IDLE, &none) == 0;
}

static void let_go(struct member *self, pid_t pid, int status, long nr)
{
	unsigned long signo = signal_of(self, status);
	unsigned int k = below(self, 100);

	if (k == 0 && hold(pid, status))
		return;
	if (k == 1 || (is_way_out(nr) && k < 35)) {
		note(self, OP_DETACH, pid)->result = trace(PTRACE_DETACH, pid, 0, signo);
		return;
	}
	if (k == 2) {
		note(self, OP_GO, pid)->result = trace(PTRACE_CONT, pid, 0, signo);
		return;
	}
	if (k == 3)
		note(self, OP_KILL, pid)->result = raw(SYS_kill, pid, SIGKILL);
	/* A call to the driver may change what it counts. */
	if (nr >= 0 && nr != SYS_ioctl)
		begin_watch(self, pid);
	if (idle && nr >= 0 && (pid == gifted || one_in(self, 64)))
		chase(self, pid, signo);
	else
		note(self, OP_GO_SYSCALL, pid)->result = trace(PTRACE_SYSCALL, pid, 0, signo);
}

static void change_tracee(struct member *self, pid_t pid)
{
	atomic_fetch_add_explicit(&shared->done, 1, memory_order_relaxed);
	charge(self, 800);
	if (one_in(self, 5))
		move_tracee(self, pid, 1 + below(self, 2));
	else
		call_slot(self, given ? pid : 0);
}

/* Where the call looks for it, as a rule. */
static void give(struct member *self, pid_t pid, const struct entered *call)
{
	int slot = call->fd && !one_in(self, 4) ? call->fd : 0;

	gifted = 0;
	if ((call->nr == chosen || (chosen < 0 && one_in(self, 4))) &&
	    open_slot(self, pid, true, slot)) {
		gifted = pid;
		given = true;
	}
}

/* Its counters begin when it leaves the call: here, elsewhere, or never. */
static void end_call(struct member *self, pid_t pid)
{
	if (!one_in(self, 4))
		move_tracee(self, pid, 1 + below(self, 2));
	over = one_in(self, 2);
	if (one_in(self, over ? 2 : 6))
		note(self, OP_KILL, pid)->result = raw(SYS_kill, pid, SIGKILL);
}

static void handle_stop(struct member *self, pid_t pid, int status)
{
	struct entered call = entered_call(pid);
	unsigned int n = below(self, 4);

	note(self, OP_STOPPED, call.nr)->result = pid;
	charge(self, 800);
	atomic_fetch_add_explicit(&shared->done, 1, memory_order_relaxed);
	end_watch(self, pid);
	if (call.nr >= 0)
		give(self, pid, &call);
	while (n--)
		change_tracee(self, pid);
	if (one_in(self, pid == gifted ? 2 : 4))
		stand_still(self, pid, one_in(self, pid == gifted ? 2 : 12));
	if (pid == gifted && call.nr < 0)
		end_call(self, pid);
	let_go(self, pid, status, call.nr);
}

static bool take_event(struct member *self)
{
	int status;
	pid_t pid = (pid_t)raw(SYS_wait4, -1, &status, WNOHANG | __WALL, NULL);

	if (pid <= 0)
		return false;
	if (WIFSTOPPED(status)) {
		handle_stop(self, pid, status);
		return true;
	}
	note(self, OP_REAPED, pid)->result = status;
	end_watch(self, pid);
	if (pid == self->party->subject)
		self->party->subject = 0;
	return true;
}

/* ---- a session ---- */

static void release_one(struct member *self)
{
	struct held *h = &held[below(self, LENGTH(held))];
	struct held was = *h;

	if (!was.pid)
		return;
	h->pid = 0;
	let_go(self, was.pid, was.status, -1);
}

static void begin_trace(struct member *self)
{
	static const unsigned long some[] = { TRACESYSGOOD,	   PTRACE_O_EXITKILL,
					      PTRACE_O_TRACEEXEC,  PTRACE_O_TRACEFORK,
					      PTRACE_O_TRACEVFORK, PTRACE_O_TRACECLONE,
					      PTRACE_O_TRACEEXIT };
	pid_t pid = self->party->subject;
	unsigned int i;
	long result;

	options = TRACESYSGOOD;
	for (i = 1; i < LENGTH(some); i++)
		if (one_in(self, i == 1 ? 6 : 3))
			options |= some[i];
	atomic_store(&self->party->traced, true);
	seized = !one_in(self, 4);
	if (seized) {
		result = trace(PTRACE_SEIZE, pid, 0, options);
		note(self, OP_SEIZE, pid)->result = result;
		if (result == 0)
			trace(PTRACE_INTERRUPT, pid, 0, 0);
	} else {
		note(self, OP_ATTACH, pid)->result = trace(PTRACE_ATTACH, pid, 0, 0);
	}
}

static void interrupt(struct member *self)
{
	pid_t pid = self->party->subject;

	if (pid && atomic_load(&self->party->traced))
		note(self, OP_INTERRUPT, pid)->result = seized ? trace(PTRACE_INTERRUPT, pid, 0, 0)
							       : raw(SYS_kill, pid, SIGSTOP);
}

/* Descriptors have been left everywhere by those who were killed. */
static void close_descriptors(void)
{
	raw(SYS_close_range, 3, DEVICE - 1, 0);
	raw(SYS_close_range, RECEIVER + 1, ~0u, 0);
}

static void unlink_own(struct member *self)
{
	struct perfctr_call_open open = { .abi_version = PERFCTR_ABI_VERSION };
	long fd = raw(SYS_ioctl, DEVICE, PERFCTR_IOC_OPEN, &open), result;

	if (fd < 0)
		return;
	result = raw(SYS_ioctl, fd, PERFCTR_IOC_UNLINK);
	if (result < 0)
		wrong(self, CALLS, "one's own can't be unlinked: errno %ld", -result);
	raw(SYS_close, fd);
}

/* States that wait to be received would come in another session. */
static void open_sockets(void)
{
	int pair[2];

	raw(SYS_close, SENDER);
	raw(SYS_close, RECEIVER);
	if (raw(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		return;
	raw(SYS_dup3, pair[0], SENDER, 0);
	raw(SYS_dup3, pair[1], RECEIVER, 0);
	raw(SYS_close, pair[0]);
	raw(SYS_close, pair[1]);
}

static void begin_session(struct member *self)
{
	struct party *party = self->party;

	unlink_own(self);
	leave_pages();
	close_descriptors();
	open_sockets();
	memset(held, 0, sizeof(held));
	memset(watch, 0, sizeof(watch));
	memset(party->guarded, 0, sizeof(party->guarded));
	atomic_store(&party->births, 0);
	atomic_store(&party->programs, 0);
	atomic_store(&party->traced, false);
	party->session = atomic_fetch_add(&shared->sessions, 1);
	self->chance = mixed(shared->seed, (uint64_t)(party - shared->party), ++self->steps) | 1;
	rnd(self);
	self->bare = !one_in(self, 3);
	chosen = calls[below(self, LENGTH(calls))];
	idle = false;
	given = chosen < 0 || one_in(self, 4);
	gifted = 0;
	over = false;
	atomic_store(&party->bound, 20000);
	party->began = ticks();
	note(self, OP_SESSION, self->steps);
}

static bool has_children(void)
{
	siginfo_t info;

	return raw(SYS_waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL, NULL) == 0;
}

/* Who is killed may stop once more as he ends, and then waits for his tracer. */
static void release_held(void)
{
	unsigned int i;

	for (i = 0; i < LENGTH(held); i++)
		if (held[i].pid)
			trace(PTRACE_CONT, held[i].pid, 0, 0);
}

/* Everybody is killed, again and again: some were just being born. */
static void end_children(struct member *self)
{
	struct timespec millisecond = { 0, 1000000 };
	unsigned int k;
	int status;
	pid_t pid;

	for (k = 0; k < 10000 && self->party->leader; k++) {
		charge(self, 200);
		raw(SYS_kill, -self->party->leader, SIGKILL);
		while ((pid = (pid_t)raw(SYS_wait4, -1, &status, WNOHANG | __WALL, NULL)) > 0)
			if (WIFSTOPPED(status))
				trace(PTRACE_CONT, pid, 0, 0);
			else
				end_watch(self, pid);
		if (pid < 0)
			return;
		raw(SYS_nanosleep, &millisecond, NULL);
	}
	if (k == 10000)
		wrong(self, ENDS, "children can't be killed");
}

static void check_guarded(struct member *self)
{
	unsigned int i;

	for (i = 0; i < GUARDED; i++)
		if (self->party->guarded[i].began && !self->party->guarded[i].ended)
			wrong(self, GUARD, "a program that its user may not kill was killed");
}

static void end_session(struct member *self)
{
	struct perfctr_sum_ctrs sum;
	int i;

	release_held();
	end_children(self);
	self->party->subject = 0;
	check_guarded(self);
	for (i = 0; i < SLOTS; i++)
		read_sums(self, FIRST_SLOT + i, &sum);
	look_twice(self);
	if (!is_alone(self))
		return;
	/* Who still looks at what is gone now shows himself. */
	unlink_own(self);
	leave_pages();
	close_descriptors();
	let_pass(self, !one_in(self, 3));
}

/* Wait until a tracee has something to tell. */
static void await_event(void)
{
	struct timespec soon = { 0, 1000000 };
	uint64_t set = 1ull << (SIGCHLD - 1);

	raw(SYS_rt_sigtimedwait, &set, NULL, &soon, sizeof(set));
}

static void run_session(struct member *self)
{
	struct party *party = self->party;
	unsigned int k;

	for (k = 0; k < LOOPS && !over && atomic_load(&party->bound) < ENOUGH && has_children() &&
		    !atomic_load(&shared->stop);
	     k++) {
		let_others_be_alone(self);
		charge(self, 300);
		if (take_event(self))
			continue;
		if (!one_in(self, 4)) {
			await_event();
			continue;
		}
		release_one(self);
		draw(self, 1);
		if (one_in(self, 10))
			interrupt(self);
	}
}

static void session(struct member *self)
{
	struct party *party = self->party;
	bool alone, traced;

	begin_session(self);
	alone = one_in(self, 4) && be_alone(self);
	traced = !one_in(self, alone ? 12 : 4);
	party->subject = begin_subject(self, one_in(self, 3) ? 0 : CLONE_FILES,
				       traced && !one_in(self, alone ? 8 : 3));
	if (party->subject > 0) {
		party->leader = party->subject;
		raw(SYS_setpgid, party->subject, party->subject);
		if (alone && !one_in(self, 4))
			make_idle(party->subject);
		if (traced)
			begin_trace(self);
		run_session(self);
	}
	end_session(self);
	be_among_others(self);
}

void be_leader(struct member *self)
{
	uint64_t set = 1ull << (SIGCHLD - 1);

	begin_memory(self->party);
	raw(SYS_prctl, PR_SET_TIMERSLACK, 1);
	raw(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, sizeof(set));
	while (!atomic_load(&shared->stop))
		session(self);
	end_children(self);
	unlink_own(self);
}
