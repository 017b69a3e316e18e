// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attacks on the page of a thread's counters, by processes that have it mapped after fork, after
 * exec, in the same memory, or that find it in a pipe. Live sums must stay in the owner's process,
 * and nothing done to another mapping may take RDPMC from the owner.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "tests/vm/guest/driver.h"
#include "tests/vm/guest/driver_attack.h"

#define PAGE_SIZE   4096
#define TICKS	    35000000 /* turns of the loop, 70 ms, in which the driver samples at least once */
#define LOOK	    60000    /* us: it samples at least once, since it does every 50 ms */
#define STACK_WORDS 8192
#define BEGUN	    77 /* the descriptor to which a program writes as it begins */

/* Shared by all processes of a test. */
static volatile struct told {
	bool done, stop;
	uint64_t first, second; /* sums, as the sibling saw them */
	unsigned int moves;
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

static int start_counting(struct handle *h)
{
	struct vperfctr_control c = instructions(1);

	CHECK(open_state(device, h) == 0 && set_control(h->fd, &c) == 0, "counters");
	return 0;
}

static bool has_tsc(const struct handle *h)
{
	return perfctr_cstatus_has_tsc(h->page->cstatus);
}

/* ---- fork ---- */

static void *at(const struct handle *h)
{
	return (void *)(uintptr_t)h->page;
}

static void leave_alone(struct handle *h)
{
	(void)h;
}

static void do_fork(struct handle *h)
{
	madvise(at(h), PAGE_SIZE, MADV_DOFORK);
}

static void keep_on_fork(struct handle *h)
{
	madvise(at(h), PAGE_SIZE, MADV_KEEPONFORK);
	madvise(at(h), PAGE_SIZE, MADV_DOFORK);
}

static void by_process_madvise(struct handle *h)
{
	struct iovec page = { at(h), PAGE_SIZE };
	int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

	syscall(SYS_process_madvise, self, &page, 1, MADV_DOFORK, 0);
	close(self);
}

static void *room_elsewhere(void)
{
	return mmap(NULL, PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void move_with(struct handle *h, int flags)
{
	void *moved = mremap(at(h), PAGE_SIZE, PAGE_SIZE, flags | MREMAP_MAYMOVE | MREMAP_FIXED,
			     room_elsewhere());

	if (moved != MAP_FAILED)
		h->page = moved;
	madvise(at(h), PAGE_SIZE, MADV_DOFORK);
}

static void move(struct handle *h)
{
	move_with(h, 0);
}

static void move_and_leave(struct handle *h)
{
	move_with(h, MREMAP_DONTUNMAP);
}

/* With an old size of 0 a shared mapping stays, and gets a second one. */
static void duplicate(struct handle *h)
{
	void *other = mremap(at(h), 0, PAGE_SIZE, MREMAP_MAYMOVE);

	if (other != MAP_FAILED)
		madvise(other, PAGE_SIZE, MADV_DOFORK);
	madvise(at(h), PAGE_SIZE, MADV_DOFORK);
}

static void grow(struct handle *h)
{
	void *larger = mremap(at(h), PAGE_SIZE, 2 * PAGE_SIZE, MREMAP_MAYMOVE);

	if (larger != MAP_FAILED)
		h->page = larger;
	madvise(at(h), PAGE_SIZE, MADV_DOFORK);
}

static void remap_file(struct handle *h)
{
	syscall(SYS_remap_file_pages, at(h), PAGE_SIZE, 0, 0, 0);
	madvise(at(h), PAGE_SIZE, MADV_DOFORK);
}

static void lock_and_protect(struct handle *h)
{
	mlock(at(h), PAGE_SIZE);
	mprotect(at(h), PAGE_SIZE, PROT_NONE);
	madvise(at(h), PAGE_SIZE, MADV_DOFORK);
	mprotect(at(h), PAGE_SIZE, PROT_READ);
}

static const struct {
	const char *what;
	void (*change)(struct handle *h);
} changes[] = {
	{ "nothing", leave_alone },
	{ "MADV_DOFORK", do_fork },
	{ "MADV_KEEPONFORK", keep_on_fork },
	{ "process_madvise", by_process_madvise },
	{ "mremap", move },
	{ "MREMAP_DONTUNMAP", move_and_leave },
	{ "mremap of 0 bytes", duplicate },
	{ "mremap to two pages", grow },
	{ "remap_file_pages", remap_file },
	{ "mlock and mprotect", lock_and_protect },
};
static unsigned int change;

/* The child must not see the sum grow while its parent counts. It need not have the page. */
static int look_at_parent(const struct handle *h)
{
	unsigned char resident;
	uint64_t before;

	if (mincore(at(h), PAGE_SIZE, &resident) < 0)
		return 0;
	before = h->page->pmc[0].sum;
	usleep(LOOK);
	CHECK(h->page->pmc[0].sum == before, "the child sees %llu, and then %llu",
	      (unsigned long long)before, (unsigned long long)h->page->pmc[0].sum);
	munmap(at(h), PAGE_SIZE);
	return 0;
}

static int change_and_fork(void)
{
	struct handle h;
	int status;
	pid_t pid;

	if (start_counting(&h))
		return 1;
	changes[change].change(&h);
	pid = fork();
	if (pid == 0)
		_exit(look_at_parent(&h));
	loop(TICKS);
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(status == 0 || (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL), "status 0x%X",
	      status);
	CHECK(has_tsc(&h), "the parent's page can't be read any more");
	CHECK(counts_exactly(&h, 0, 1000), "the parent");
	close_state(&h);
	return 0;
}

/* This is a process of its own, since the parent may die when it reads. */
static int fork_and_read(void)
{
	struct handle h;
	pid_t pid;

	if (start_counting(&h))
		return 1;
	changes[change].change(&h);
	pid = fork();
	if (pid == 0)
		_exit(0);
	CHECK(waitpid(pid, NULL, 0) == pid, "wait");
	CHECK(counts_exactly(&h, 0, 1000), "the parent");
	/* A new state must get RDPMC back. */
	close_state(&h);
	if (start_counting(&h))
		return 1;
	CHECK(counts_exactly(&h, 0, 1000), "the parent, again");
	return 0;
}

int fork_with_the_page(void)
{
	int failed = 0, bad;

	for (change = 0; change < sizeof(changes) / sizeof(changes[0]); change++) {
		bad = as_nobody(change_and_fork);
		bad |= as_nobody(fork_and_read);
		if (bad)
			printf("  %s\n", changes[change].what);
		failed |= bad;
	}
	return failed;
}

/* ---- processes that share the memory ---- */

static uint64_t stack[STACK_WORDS];
static struct handle owners;

static pid_t start_in_same_memory(int (*run)(void *), int flags)
{
	return clone(run, &stack[STACK_WORDS - 2], CLONE_VM | SIGCHLD | flags, NULL);
}

/* The call refuses another process, though it runs in the same memory. */
static int map_as_another(void *unused)
{
	void *page;

	(void)unused;
	page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, owners.fd, 0);
	CHECK(page == MAP_FAILED && errno == ESRCH, "it can map the page");
	move(&owners);
	duplicate(&owners);
	return 0;
}

static int just_exit(void *unused)
{
	(void)unused;
	return 0;
}

static int share_memory(void)
{
	static const int flags[] = { 0, CLONE_VFORK, CLONE_FILES | CLONE_FS };
	int status;
	unsigned int i;
	pid_t pid;

	if (start_counting(&owners))
		return 1;
	for (i = 0; i < 2 * sizeof(flags) / sizeof(flags[0]); i++) {
		pid = start_in_same_memory(i % 2 ? map_as_another : just_exit, flags[i / 2]);
		CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X",
		      status);
		CHECK(has_tsc(&owners) && counts_exactly(&owners, 0, 1000), "child %u", i);
	}
	close_state(&owners);
	return 0;
}

int children_in_the_same_memory(void)
{
	return as_nobody(share_memory);
}

static int begun[2]; /* the pipe that ends at BEGUN */

static void end_look(int signo)
{
	(void)signo;
	told->done = true;
	_exit(0);
}

/* The sibling stays in the old memory, while the owner runs its new program. */
static int look_over_exec(void *unused)
{
	struct sigaction action = { .sa_handler = end_look };
	char byte;

	(void)unused;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	if (read(begun[0], &byte, 1) == 1) {
		told->first = owners.page->pmc[0].sum + owners.page->tsc_sum;
		usleep(LOOK);
		told->second = owners.page->pmc[0].sum + owners.page->tsc_sum;
	}
	told->done = true;
	_exit(0);
}

static const char *path = PLAIN; /* of the program that the owner executes */

static int run_and_execute(int (*run)(void *), const char *what)
{
	if (start_counting(&owners))
		return 1;
	CHECK(start_in_same_memory(run, 0) > 0, "clone");
	dup2(begun[1], BEGUN);
	execl(path, path, what, (char *)NULL);
	return 1;
}

static int look_and_execute(void)
{
	return run_and_execute(look_over_exec, "-spin");
}

static int execute_with_sibling(int (*run)(void))
{
	int k, status;
	pid_t pid;

	CHECK(pipe(begun) == 0, "pipe");
	pid = fork();
	if (pid == 0)
		_exit(run());
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	told->stop = true;
	for (k = 0; k < 500 && !told->done; k++)
		usleep(1000);
	close(begun[0]);
	close(begun[1]);
	CHECK(status == 0, "status 0x%X", status);
	CHECK(told->done, "its sibling has not ended");
	return 0;
}

static int look_at_program(void)
{
	if (execute_with_sibling(look_and_execute))
		return 1;
	CHECK(told->first, "the sibling has not looked, or has lost the page");
	CHECK(told->first == told->second, "another process sees %llu, and then %llu",
	      (unsigned long long)told->first, (unsigned long long)told->second);
	return 0;
}

int page_over_exec(void)
{
	static const char *const paths[] = { PLAIN, UNREADABLE, SETUID };
	unsigned int i;
	int failed = 0;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		path = paths[i];
		if (set_up_telling() || as_nobody(look_at_program)) {
			printf("  %s\n", path);
			failed = 1;
		}
	}
	path = PLAIN;
	return failed;
}

/* The sibling moves the old mapping to and fro, while the new program reads its counters. */
static int move_to_and_fro(void *unused)
{
	struct sigaction action = { .sa_handler = end_look };
	const void *before;

	(void)unused;
	sigaction(SIGSEGV, &action, NULL);
	while (!told->stop) {
		before = at(&owners);
		move(&owners);
		told->moves += at(&owners) != before;
	}
	told->done = true;
	_exit(0);
}

static int move_and_execute(void)
{
	return run_and_execute(move_to_and_fro, "-read");
}

/* An earlier test may have pinned this process to one processor. */
static void run_anywhere(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	while (n-- > 0)
		CPU_SET((size_t)n, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static int read_while_others_move(void)
{
	unsigned int tries = repeats(60), k, failed = 0, moves = 0;

	run_anywhere();
	for (k = 0; k < tries; k++) {
		if (set_up_telling())
			return 1;
		failed += execute_with_sibling(move_and_execute) != 0;
		moves += told->moves;
	}
	CHECK(moves >= tries, "%u programs, and only %u moves", tries, moves);
	CHECK(!failed, "%u of %u programs could not go on reading", failed, tries);
	return 0;
}

int readers_after_exec(void)
{
	return set_up_telling() || as_nobody(read_while_others_move);
}

/* ---- another user with the descriptor ---- */

static int use_as_nobody(const struct handle *h)
{
	struct vperfctr_control c = instructions(1);
	struct perfctr_sum_ctrs sum;
	void *page;

	become_nobody();
	CHECK(read_state(h->fd, &sum, &c) < 0 && errno == ESRCH, "read");
	CHECK(set_control(h->fd, &c) < 0 && errno == ESRCH, "control");
	CHECK(ioctl(h->fd, PERFCTR_IOC_UNLINK) < 0 && errno == ESRCH, "unlink");
	CHECK(ioctl(h->fd, PERFCTR_IOC_IRESUME) < 0 && errno == ESRCH, "resume");
	page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, h->fd, 0);
	CHECK(page == MAP_FAILED && errno == ESRCH, "mmap");
	return 0;
}

static int lend_descriptor(void)
{
	struct handle h;
	int status;
	pid_t pid;

	if (start_counting(&h))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(use_as_nobody(&h));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	CHECK(counts_exactly(&h, 0, 1000), "root");
	close_state(&h);
	return 0;
}

int descriptor_of_root(void)
{
	return in_child(0, lend_descriptor);
}

/* ---- the program that is executed ---- */

/* Read as perfctr(4) says. 3: the page says that RDPMC can't be used. */
static int read_own(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION };
	struct handle h;
	unsigned int k;

	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	h.fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	CHECK(h.fd >= 0, "open");
	h.page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, h.fd, 0);
	CHECK((const void *)h.page != MAP_FAILED, "mmap");
	/* This takes longer than a time slice. */
	for (k = 0; k < 70000; k++) {
		if (!has_tsc(&h))
			return 3;
		read_pmc(&h, 0);
		loop(50);
	}
	return 0;
}

int run_as_program(char **arguments)
{
	char byte = 0;

	if (!strcmp(arguments[0], "-read"))
		return read_own();
	if (!strcmp(arguments[0], "-loop"))
		loop(50000);
	if (!strcmp(arguments[0], "-spin")) {
		CHECK(write(BEGUN, &byte, 1) == 1, "pipe");
		loop(TICKS);
	}
	return 0;
}

/* ---- a page in a pipe ---- */

/* The sum in a copy of the page that is in the pipe. */
static uint64_t sum_in(int from)
{
	static struct perfctr_cpu_state copy;
	int to[2];

	if (pipe(to) < 0 || tee(from, to[1], PAGE_SIZE, 0) < (ssize_t)sizeof(copy) ||
	    read(to[0], &copy, sizeof(copy)) != (ssize_t)sizeof(copy))
		return 0;
	close(to[0]);
	close(to[1]);
	return copy.pmc[0].sum;
}

static int look_into(int from)
{
	uint64_t before = sum_in(from), after;

	usleep(LOOK);
	after = sum_in(from);
	CHECK(before == after, "another process sees %llu, and then %llu",
	      (unsigned long long)before, (unsigned long long)after);
	return 0;
}

static int put_into_a_pipe(void)
{
	struct iovec page = { .iov_len = PAGE_SIZE };
	int ends[2], status;
	struct handle h;
	pid_t pid;

	if (start_counting(&h))
		return 1;
	page.iov_base = at(&h);
	CHECK(pipe(ends) == 0, "pipe");
	if (vmsplice(ends[1], &page, 1, 0) < 0) {
		CHECK(errno == EFAULT, "vmsplice: %s", strerror(errno));
		page.iov_base = stack;
		CHECK(vmsplice(ends[1], &page, 1, 0) == PAGE_SIZE, "no page gets into the pipe");
		close_state(&h);
		return 0;
	}
	pid = fork();
	if (pid == 0)
		_exit(look_into(ends[0]));
	loop(TICKS);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	close_state(&h);
	return 0;
}

int page_in_a_pipe(void)
{
	return as_nobody(put_into_a_pipe);
}
