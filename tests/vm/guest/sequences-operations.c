// SPDX-License-Identifier: LGPL-2.1-or-later
/* Members of driver_sequences: how they begin and end, what they draw, what they execute. */
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include "tests/vm/guest/sequences.h"

const char *const operation_names[OPERATIONS] = {
	[OP_SESSION] = "session",
	[OP_OPEN] = "open",
	[OP_FIND] = "find",
	[OP_CONTROL] = "control",
	[OP_READ] = "read",
	[OP_IRESUME] = "iresume",
	[OP_UNLINK] = "unlink",
	[OP_CLOSE] = "close",
	[OP_COPY] = "dup3",
	[OP_PASS] = "SCM_RIGHTS",
	[OP_MAP] = "mmap",
	[OP_UNMAP] = "munmap",
	[OP_REMAP] = "mremap",
	[OP_ADVISE] = "madvise",
	[OP_PROTECT] = "mprotect",
	[OP_REMAP_FILE] = "remap_file_pages",
	[OP_SPLICE] = "vmsplice",
	[OP_RDPMC] = "RDPMC",
	[OP_STILL] = "look twice",
	[OP_VICTIM] = "bystander's",
	[OP_FORK] = "fork",
	[OP_VFORK] = "vfork",
	[OP_CLONE] = "clone VM",
	[OP_THREAD] = "clone THREAD",
	[OP_EXEC] = "execve",
	[OP_EXIT] = "exit",
	[OP_KILL] = "kill",
	[OP_YIELD] = "yield",
	[OP_MOVE] = "setaffinity",
	[OP_WORK] = "work",
	[OP_NAP] = "nap",
	[OP_SEIZE] = "SEIZE",
	[OP_ATTACH] = "ATTACH",
	[OP_INTERRUPT] = "INTERRUPT",
	[OP_STOPPED] = "stopped",
	[OP_GO] = "CONT",
	[OP_GO_SYSCALL] = "SYSCALL",
	[OP_DETACH] = "DETACH",
	[OP_PASS_TIME] = "60 ms",
	[OP_CHASE] = "chase",
	[OP_REAPED] = "reaped",
};

/* ---- births and ends ---- */

/* Of those who share a memory. */
static atomic_uint stacks_used;
static unsigned char stack[BIRTHS][32768] __attribute__((aligned(64)));

static bool may_give_birth(struct member *self)
{
	return atomic_fetch_add(&self->party->births, 1) < BIRTHS;
}

static void __attribute__((noreturn)) leave(void)
{
	for (;;)
		raw(SYS_exit, 0);
}

static void be_child(struct member *self)
{
	struct member child = { .party = self->party,
				.chance = rnd(self) ^ self->chance << 7,
				.bare = one_in(self, 2) };

	check_not_inherited(&child);
	/* It ends with the others, whatever it has become, or stops for. */
	if (self->leads && raw(SYS_setpgid, 0, self->party->leader) < 0)
		raw(SYS_exit_group, 0);
	draw(&child, 2 + below(&child, 20));
	raw(SYS_exit_group, 0);
}

/* Its own page says as before that it can be read, when it has come back to a processor. */
static void check_readable(struct member *self, unsigned int i)
{
	raw(SYS_sched_yield);
	nap(1);
	if (!page_is_readable(i))
		wrong(self, READS, "after a fork the page can't be read any more");
}

static void fork_child(struct member *self)
{
	unsigned int i = below(self, PAGES);
	bool readable;
	unsigned long flags = SIGCHLD | (one_in(self, 4) ? CLONE_FILES : 0);
	struct entry *entry;

	if (!may_give_birth(self))
		return;
	if (!self->leads && one_in(self, 4))
		flags |= CLONE_PARENT;
	readable = self->leads && page_is_readable(i);
	entry = note(self, OP_FORK, (long)flags);
	charge(self, 2000);
	entry->result = raw(SYS_clone, flags, 0, 0, 0, 0);
	if (entry->result == 0)
		be_child(self);
	if (readable)
		check_readable(self, i);
	if (one_in(self, 2))
		read_page(self);
}

static int run_beside(void *argument)
{
	struct member *self = argument;

	draw(self, 2 + below(self, 12));
	if (one_in(self, 3) && !atomic_load(&shared->stop))
		raw(SYS_exit_group, 0);
	leave();
}

/* In the same memory, on a stack of the pool, whose lower end has what it needs. */
static void clone_beside(struct member *self, enum operation operation, int flags)
{
	struct entry *entry;
	struct member *child;
	unsigned int which;
	bool before = atomic_load(&crowded);

	if (self->leads || !may_give_birth(self))
		return;
	which = atomic_fetch_add(&stacks_used, 1);
	if (which >= BIRTHS)
		return;
	atomic_store(&crowded, true);
	child = (struct member *)(void *)stack[which];
	*child = (struct member){ .party = self->party, .chance = rnd(self) };
	entry = note(self, operation, flags);
	charge(self, 2000);
	entry->result = clone(run_beside, stack[which] + sizeof(stack[which]) - 64, flags, child);
	if (flags & CLONE_VFORK)
		atomic_store(&crowded, before);
}

static void clone_thread(struct member *self)
{
	clone_beside(self, OP_THREAD,
		     CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			     CLONE_SYSVSEM);
}

static const char *const programs[] = { "/tmp/sequences", "/tmp/sequences-setuid",
					"/tmp/sequences-unreadable" };

static const char *const roles[] = { "member", "setuid", "unreadable" };

/* A program that takes the caller's place: his, one with more rights, one that he may not read. */
static void execute(struct member *self)
{
	unsigned int which = below(self, 3), number = 0;
	char number_of_party[16], seed[24], program[16];
	const char *const words[] = {
		"driver_sequences", roles[which], number_of_party, seed, program, NULL
	};
	const char *const none[] = { NULL };

	if (self->leads)
		return;
	if (which)
		number = atomic_fetch_add(&self->party->programs, 1);
	if (number >= GUARDED)
		return;
	snprintf(number_of_party, sizeof(number_of_party), "%u",
		 (unsigned int)(self->party - shared->party));
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)rnd(self));
	snprintf(program, sizeof(program), "%u", number);
	note(self, OP_EXEC, (long)which);
	/* Its beginning. */
	charge(self, 60000);
	raw(SYS_execve, programs[which], words, none);
}

static void kill_somebody(struct member *self)
{
	static const int signals[] = { SIGKILL, SIGUSR1, SIGSTOP, SIGCONT,
				       SIGCONT, SIGCONT, SIGUSR1, SIGTRAP };
	pid_t pid = self->party->subject;
	int signo = signals[one_in(self, 2) ? 3 : below(self, 8)];

	if (pid > 1)
		note(self, OP_KILL, signo)->result = raw(SYS_kill, pid, signo);
}

static void end_self(struct member *self)
{
	if (self->leads)
		return;
	note(self, OP_EXIT, 0);
	if (one_in(self, 2))
		leave();
	raw(SYS_exit_group, 0);
}

/* ---- others ---- */

static void move(struct member *self)
{
	pid_t pid = one_in(self, 3) ? self->party->subject : 0;
	unsigned long mask = 1 + below(self, 3);

	note(self, OP_MOVE, (long)mask)->result = raw(SYS_sched_setaffinity, pid, sizeof(mask),
						      &mask);
}

static void pass_slot(struct member *self)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} u = { .room = "" };
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof(u)
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int fd = any_slot(self);

	note(self, OP_PASS, fd);
	if (one_in(self, 2)) {
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(int));
		raw(SYS_sendmsg, SENDER, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	} else if (raw(SYS_recvmsg, RECEIVER, &message, MSG_DONTWAIT) == 1 &&
		   message.msg_controllen >= CMSG_LEN(sizeof(int))) {
		memcpy(&fd, CMSG_DATA(header), sizeof(int));
		raw(SYS_dup3, fd, any_slot(self), 0);
		raw(SYS_close, fd);
	}
}

static void work(struct member *self)
{
	unsigned int turns = 1 + below(self, 3000);

	note(self, OP_WORK, (long)turns);
	charge(self, 2 * turns);
	loop(turns);
}

static void draw_one(struct member *self)
{
	unsigned int k = below(self, 216);

	charge(self, 800);
	atomic_fetch_add_explicit(&shared->done, 1, memory_order_relaxed);
	if (k < 90)
		call_slot(self, 0);
	else if (k < 115)
		change_page(self);
	else if (k < 130)
		read_page(self);
	else if (k < 138)
		move(self);
	else if (k < 146)
		work(self);
	else if (k < 154)
		note(self, OP_YIELD, raw(SYS_sched_yield));
	else if (k < 158)
		note(self, OP_COPY, raw(SYS_dup3, any_slot(self), any_slot(self), 0));
	else if (k < 164)
		pass_slot(self);
	else if (k < 168)
		nap(below(self, 200));
	else if (k < 173)
		call_victim(self);
	else if (k < 176)
		kill_somebody(self);
	else if (k < 180)
		fork_child(self);
	else if (k < 182)
		clone_beside(self, OP_VFORK, CLONE_VM | CLONE_VFORK | SIGCHLD);
	else if (k < 185)
		clone_beside(self, OP_CLONE,
			     CLONE_VM | SIGCHLD | (one_in(self, 2) ? CLONE_FILES : 0));
	else if (k < 188)
		clone_thread(self);
	else if (k < 192)
		execute(self);
	else if (k < 193)
		end_self(self);
	else if (k < 210)
		map_slot(self);
	else if (self->leads)
		look_twice(self);
}

void draw(struct member *self, unsigned int n)
{
	while (n-- && !atomic_load(&shared->stop)) {
		let_others_be_alone(self);
		draw_one(self);
	}
}

static void __attribute__((noreturn)) be_subject(struct member *self)
{
	draw(self, 300);
	raw(SYS_exit_group, 0);
	leave();
}

pid_t begin_subject(struct member *self, unsigned long flags, bool bare)
{
	struct member child = { .party = self->party, .chance = rnd(self), .bare = bare };
	long pid = raw(SYS_clone, SIGCHLD | flags, 0, 0, 0, 0);

	if (pid)
		return (pid_t)pid;
	raw(SYS_setpgid, 0, 0);
	check_not_inherited(&child);
	be_subject(&child);
}

/* ---- programs ---- */

/* Is it nobody's tracee? */
static bool is_untraced(void)
{
	char text[1024] = "";
	int fd = open("/proc/self/status", O_RDONLY);
	bool untraced = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 &&
			strstr(text, "TracerPid:\t0\n");

	close(fd);
	return untraced;
}

/*
 * One that its caller may not watch. Signals that were sent before it became root come while it
 * sleeps; from then on nobody may send it any.
 */
static int be_guarded(struct party *party, unsigned int number, bool setuid)
{
	struct perfctr_call_open open = { .abi_version = PERFCTR_ABI_VERSION };
	struct member self = { .party = party };
	bool root = geteuid() == 0;
	unsigned int k;

	/* Who is traced gets no rights, and may be looked at. */
	if (setuid && !root)
		charge(&self, 2 * WORK + 100000);
	else if (is_untraced() && raw(SYS_ioctl, DEVICE, PERFCTR_IOC_OPEN, &open) != -ENODEV)
		wrong(&self, GUARD, "a program that its user may not %s has a state",
		      setuid ? "kill" : "read");
	if (root && setresuid(0, 0, 0) == 0) {
		usleep(1000);
		atomic_store(&party->guarded[number].began, 1);
	}
	for (k = 0; k < 5; k++) {
		loop(WORK / 5);
		raw(SYS_sched_yield);
	}
	atomic_store(&party->guarded[number].ended, 1);
	return 0;
}

int be_program(int argc, char **argv)
{
	struct member self = { 0 };

	if (argc < 5)
		return 2;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED, 0);
	if (shared == MAP_FAILED)
		return 2;
	self.party = &shared->party[atoi(argv[2]) % PARTIES];
	if (strcmp(argv[1], "member") != 0)
		return be_guarded(self.party, (unsigned int)atoi(argv[4]) % GUARDED,
				  !strcmp(argv[1], "setuid"));
	self.chance = strtoull(argv[3], NULL, 0) | 1;
	begin_memory(self.party);
	be_subject(&self);
}
