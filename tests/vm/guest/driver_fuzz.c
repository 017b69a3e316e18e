// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * driver_fuzz [SEED [SECONDS]]: unprivileged users who wish the driver ill.
 *
 * Loads /perfctr.ko; everything else is done by an ordinary user: processes that live for one
 * scenario each, with random calls, controls and races in it, all from SEED. What must hold,
 * whatever they do:
 *	- the kernel has nothing to complain about (process 1 searches its log);
 *	- who has no right to it can't count the kernel, by his own control or by what others
 *	  left behind;
 *	- nobody can write to the page, and nobody but its thread can change a thread's counters:
 *	  one who counts all the time, and whose descriptor they all have, counts exactly;
 *	- a call fails with an errno that is documented, and counters work after any abuse;
 *	- counters end where a program begins that its caller may not watch;
 *	- processors may go offline and come back meanwhile;
 *	- at the end the module has no states and no links any more, and can be unloaded.
 * A new call of calls.h needs a line in calls[], with a function that makes a valid argument.
 * Exit status 0 if all is well.
 */
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <grp.h>
#include "tests/vm/guest/driver.h"

#define WORKERS 4
#define PAGE	4096u
#if defined(__aarch64__)
#define MAP_32BIT 0	   /* there are no calls of 32 bits either */
enum { DURATION = 20000 }; /* ms; it is slower */
#else
enum { DURATION = 6000 };
#endif
#define SLOTS	   16
#define UNREADABLE "/tmp/unreadable"
#define SETUID	   "/tmp/setuid"

/* What all processes know. */
static struct shared {
	atomic_uint broken, stop, stop_operator;
	atomic_uint calls, opened, controls, refused, died;
	atomic_uint completed[32], given_up[32];
	unsigned int counters; /* that one control can have */
	bool compat;	       /* int 0x80 works */
	pid_t victim;
	char what[200];
} * shared;

static int device;
static int victim_fd = -1;
static atomic_int slots[SLOTS]; /* this process' descriptors, for all its threads */

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...)
{
	va_list args;

	if (!atomic_exchange(&shared->broken, 1)) {
		va_start(args, format);
		vsnprintf(shared->what, sizeof(shared->what), format, args);
		va_end(args);
	}
	_exit(1);
}

/* ---- chance ---- */

static _Thread_local uint64_t chance;

static uint64_t rnd(void)
{
	chance ^= chance >> 12;
	chance ^= chance << 25;
	chance ^= chance >> 27;
	return chance * 0x2545F4914F6CDD1Dull;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(rnd() >> 32) % n;
}

static void seed(uint64_t a, uint64_t b, uint64_t c)
{
	chance = (a + 1) * 0x9E3779B97F4A7C15ull ^ (b + 1) * 0xBF58476D1CE4E5B9ull ^ c << 1 ^ 1;
	rnd();
	rnd();
}

#define PICK(array) ((array)[below(sizeof(array) / sizeof((array)[0]))])

static uint32_t any_word(void)
{
	static const uint32_t edges[] = {
		0,
		1,
		2,
		3,
		4,
		7,
		8,
		17,
		18,
		19,
		31,
		32,
		33,
		0x7F,
		0x80,
		0xFF,
		0xFFFF,
		0x10000,
		0x20000,
		0x40000000,
		0x40000001,
		0x7FFFFFFF,
		0x80000000,
		0xFFFFFFFE,
		0xFFFFFFFF,
		INSTRUCTIONS,
#if defined(__aarch64__)
		INSTRUCTIONS & ~EVNTSEL_P,
		EVNTSEL_P | 0x11,
#else
		INSTRUCTIONS | EVNTSEL_OS,
		INSTRUCTIONS | EVNTSEL_INT,
		INSTRUCTIONS | EVNTSEL_ANY,
#endif
	};

	switch (below(4)) {
	case 0: return (uint32_t)rnd();
	case 1: return 1u << below(32);
	default: return PICK(edges);
	}
}

static uint32_t any_size(size_t right)
{
	const uint32_t sizes[] = { 0,
				   1,
				   4,
				   8,
				   (uint32_t)right - 1,
				   (uint32_t)right + 1,
				   (uint32_t)right + 8,
				   PAGE - 1,
				   PAGE,
				   PAGE + 1,
				   0x10000,
				   0x7FFFFFFF,
				   0x80000000,
				   0xFFFFFFFF,
				   below(PAGE) };

	return below(3) ? (uint32_t)right : PICK(sizes);
}

/* Addresses: 16 pages that can be written, one without access, one that can only be read, none. */
static unsigned char *memory;
#define WRITABLE (16 * PAGE)

static void set_up_memory(void)
{
	memory = mmap(NULL, WRITABLE + 3 * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (memory == MAP_FAILED)
		fail("no memory");
	mprotect(memory + WRITABLE, PAGE, PROT_NONE);
	mprotect(memory + WRITABLE + PAGE, PAGE, PROT_READ);
	munmap(memory + WRITABLE + 2 * PAGE, PAGE);
}

static void *room(size_t size)
{
	/* Often across two pages. */
	return below(4) ? memory + below((uint32_t)(WRITABLE - size)) / 8 * 8
			: memory + (1 + below(14)) * PAGE - 4 - below((uint32_t)size);
}

static uint64_t any_address(size_t size)
{
	switch (below(24)) {
	case 0: return 0;
	case 1: return below(PAGE);
	case 2: return (uintptr_t)memory + WRITABLE - below((uint32_t)size + 1);
	case 3: return (uintptr_t)memory + WRITABLE;
	case 4: return (uintptr_t)memory + WRITABLE + PAGE + below(PAGE);
	case 5: return (uintptr_t)memory + WRITABLE + 2 * PAGE;
	case 6: return 0xFFFF888000000000 + rnd() % 0x1FFFFFFF;
	case 7: return 0xFFFFFFFF81000000 + below(0x1000000);
	case 8: return 0x7FFFFFFFF000 + below(0x2000); /* where user space ends */
	case 9: return 0ull - below(16);
	case 10: return 1ull << below(64);
	case 11: return (uintptr_t)any_address;
	case 12: return 0xFFFFFFFFFF600000;
	default: return (uintptr_t)room(size);
	}
}

/* ---- controls ---- */

/* Of overflows; that others kill is their users' wish. */
static const int harmless[] = { SIGUSR1, SIGUSR2, SIGIO, SIGALRM, 34, 64 };

static void handle_signals(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	unsigned int i;

	for (i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		sigaction(harmless[i], &action, NULL);
}

static void ignore(int signo)
{
	(void)signo;
}

static struct vperfctr_control valid_control(void)
{
	struct vperfctr_control c = instructions(shared->counters ? below(shared->counters + 1)
								  : 0);
	static const int starts[] = { -1, -2, -3, -100, -1000, -10000, -1000000, INT_MIN };
	struct perfctr_cpu_control *cpu = &c.cpu_control;
	unsigned int i;

	cpu->tsc_on = below(8) != 0;
	for (i = 0; i < cpu->nractrs; i++)
		if (!below(3))
			cpu->evntsel[i] = (INSTRUCTIONS & ~0xFFFFu) | below(0x10000);
	if (cpu->nractrs && !below(3)) {
		/* The last ones interrupt. */
		cpu->nrictrs = 1 + below(cpu->nractrs);
		cpu->nractrs -= cpu->nrictrs;
		for (i = cpu->nractrs; i < cpu->nractrs + cpu->nrictrs; i++) {
			cpu->evntsel[i] |= EVNTSEL_INT;
			cpu->ireset[i] = PICK(starts);
		}
		c.si_signo = PICK(harmless);
	}
	c.preserve = below(2) ? (uint32_t)rnd() : 0;
	c.flags = below(4) ? 0 : VPERFCTR_CONTROL_CLOEXEC;
	return c;
}

static struct vperfctr_control any_control(void)
{
	struct vperfctr_control c = valid_control();
	uint32_t words[sizeof(c) / sizeof(uint32_t)];
	unsigned int n = below(3) ? below(4) : 0;

	memcpy(words, &c, sizeof(c));
	while (n--) {
		uint32_t *word = &PICK(words);

		/* The first words and the event selects matter most. */
		if (below(2))
			word = &words[below(sizeof(c) / sizeof(uint32_t) / 4)];
		if (below(2))
			*word = any_word();
		else
			*word ^= 1u << below(32);
	}
	memcpy(&c, words, sizeof(c));
	return c;
}

/* ---- calls ---- */

static void make_info(void *arg)
{
	struct perfctr_call_info *call = arg;

	call->info_size = any_size(sizeof(struct perfctr_info));
	call->info = any_address(sizeof(struct perfctr_info));
}

static void make_open(void *arg)
{
	const pid_t tids[] = { 0,	  0,	    0,
			       0,	  getpid(), (pid_t)syscall(SYS_gettid),
			       getppid(), 1,	    shared->victim,
			       -1,	  INT_MAX,  INT_MIN };
	struct perfctr_call_open *call = arg;

	call->abi_version = PERFCTR_ABI_VERSION;
	call->tid = PICK(tids);
	call->creat = below(2);
}

/* Until the call has been made. */
static _Thread_local int proof = -1;

static unsigned int any_proof(void)
{
	if (below(8) == 0)
		return below(64);
	proof = open_proof(below(8) == 0);
	return (unsigned int)(proof + 1);
}

static void make_control(void *arg)
{
	struct vperfctr_control c = any_control(), *to = room(2 * sizeof(c));
	struct perfctr_call_control *call = arg;

	call->control_size = any_size(sizeof(c));
	call->proof = any_proof();
	memset(to, 0, 2 * sizeof(c));
	memcpy(to, &c, sizeof(c));
	call->control = below(8) ? (uintptr_t)to : any_address(sizeof(c));
}

static void make_read(void *arg)
{
	struct perfctr_call_read *call = arg;

	call->sum = any_address(sizeof(struct perfctr_sum_ctrs));
	call->sum_size = any_size(sizeof(struct perfctr_sum_ctrs));
	call->control = any_address(sizeof(struct vperfctr_control));
	call->control_size = any_size(sizeof(struct vperfctr_control));
}

static const struct {
	unsigned long request;
	void (*make)(void *arg);
} calls[] = {
	{ PERFCTR_IOC_INFO, make_info },       { PERFCTR_IOC_OPEN, make_open },
	{ PERFCTR_IOC_CONTROL, make_control }, { PERFCTR_IOC_READ, make_read },
	{ PERFCTR_IOC_UNLINK, NULL },	       { PERFCTR_IOC_IRESUME, NULL },
};

static bool documented(int error)
{
	static const int errors[] = {
		EPERM,	EACCES, EBADF,	ESRCH,	EINTR,	ENOMEM,	    EFAULT, EEXIST,
		ENODEV, EINVAL, EMFILE, ENOTTY, EPROTO, EOPNOTSUPP, E2BIG,  EBADF,
	};
	unsigned int i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i] == error)
			return true;
	return false;
}

#if defined(__aarch64__)

static int compat_ioctl(int fd, uint32_t request, uint32_t arg)
{
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

static bool has_compat(void)
{
	return false;
}

#else

static int compat_ioctl(int fd, uint32_t request, uint32_t arg)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(54), "b"(fd), "c"(request), "d"(arg)
			 : "memory", "r8", "r9", "r10", "r11");
	if (result >= 0)
		return result;
	errno = -result;
	return -1;
}

static bool has_compat(void)
{
	int result;

	if (fork() == 0) {
		__asm__ volatile("int $0x80"
				 : "=a"(result)
				 : "a"(20)
				 : "memory", "r8", "r9", "r10", "r11");
		_exit(result != getpid());
	}
	wait(&result);
	return result == 0;
}

#endif

/* Also as a 32-bit program calls. */
static int call_driver(int fd, unsigned long request, uint64_t arg)
{
	int result;

	if (shared->compat && arg <= UINT32_MAX && below(4) == 0)
		result = compat_ioctl(fd, (uint32_t)request, (uint32_t)arg);
	else
		result = (int)syscall(SYS_ioctl, fd, request, arg);
	atomic_fetch_add_explicit(&shared->calls, 1, memory_order_relaxed);
	if (result < 0 && !documented(errno))
		fail("call 0x%lX fails with errno %d", request, errno);
	return result;
}

/* Who is nobody has no control that looks at the kernel, however he got it. */
static void check_control(int fd)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control c;
	unsigned int i;

	if (read_state(fd, &sum, &c) < 0)
		return;
	for (i = 0; i < c.cpu_control.nractrs + c.cpu_control.nrictrs && i < PERFCTR_NR_CTRS; i++)
		if (looks_at_kernel(c.cpu_control.evntsel[i]))
			fail("control accepted: evntsel[%u] = 0x%X", i, c.cpu_control.evntsel[i]);
}

/* Who is nobody has to be refused before he can show a proof. */
static void be_refused(int fd)
{
	struct vperfctr_control c = instructions(shared->counters ? 1 : 0);

	if (set_control_with(fd, &c, -1) == 0 && shared->counters && fd != victim_fd)
		fail("nobody counts without a proof");
}

/* Do we hold its descriptor, but not its counters? */
static bool is_foreign(int fd)
{
	return fd == victim_fd && getpid() != shared->victim;
}

static void random_call(int fd)
{
	uint32_t words[16] = { 0 };
	unsigned long request;
	unsigned int which = below(sizeof(calls) / sizeof(calls[0]) + 2), i;
	uint64_t arg;
	void *at;
	int result;

	if (which < sizeof(calls) / sizeof(calls[0])) {
		request = calls[which].request;
		if (request == PERFCTR_IOC_CONTROL && below(8))
			be_refused(fd);
		if (calls[which].make)
			calls[which].make(words);
		if (!below(5))
			words[below(8)] = any_word();
		if (!below(20)) /* the same call with another size */
			request ^= (1ul << below(14)) << 16;
	} else {
		request = _IOC(below(4), below(8) ? 'P' : below(256), 0xB8 + below(0x18),
			       below(2) ? 8 * below(16) : below(16384));
		for (i = 0; i < 16; i += 2)
			if (below(2)) {
				arg = any_address(256);
				memcpy(&words[i], &arg, 8);
			} else {
				words[i] = any_word();
				words[i + 1] = any_size(256);
			}
	}
	at = room(sizeof(words));
	memcpy(at, words, sizeof(words));
	arg = below(16) ? (uintptr_t)at : any_address(64);
	if (below(50) == 0)
		madvise(memory, WRITABLE, MADV_DONTNEED);
	result = call_driver(fd, request, arg);
	if (proof >= 0)
		close(proof);
	proof = -1;
	if (result < 0) {
		atomic_fetch_add_explicit(&shared->refused, 1, memory_order_relaxed);
		return;
	}
	if (is_foreign(fd) && (request == PERFCTR_IOC_CONTROL || request == PERFCTR_IOC_UNLINK ||
			       request == PERFCTR_IOC_IRESUME))
		fail("call 0x%lX on another thread's counters", request);
	if (request == PERFCTR_IOC_CONTROL) {
		atomic_fetch_add_explicit(&shared->controls, 1, memory_order_relaxed);
		check_control(fd);
	}
	if (request == PERFCTR_IOC_OPEN) {
		/* Not necessarily the argument that we made, if another thread writes there, too.
		 */
		atomic_fetch_add_explicit(&shared->opened, 1, memory_order_relaxed);
		result = atomic_exchange(&PICK(slots), result);
		if (result > 0)
			close(result);
	}
}

static int any_fd(void)
{
	switch (below(8)) {
	case 0:
	case 1: return device;
	case 2: return victim_fd;
	default: return atomic_load(&PICK(slots));
	}
}

static void storm(unsigned int n)
{
	int fd;

	while (n--) {
		fd = any_fd();
		random_call(fd > 0 ? fd : device);
		if (!below(16)) {
			fd = atomic_exchange(&PICK(slots), 0);
			if (fd > 0)
				close(fd);
		}
	}
}

/* Open and control the thread's own, as well as it goes. */
static int open_own(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };
	struct vperfctr_control c = valid_control();
	int fd = ioctl(device, PERFCTR_IOC_OPEN, &call);

	if (fd < 0) {
		call.creat = 0;
		fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	}
	if (fd >= 0) {
		atomic_fetch_add(&shared->opened, 1);
		if (set_control(fd, &c) == 0)
			atomic_fetch_add(&shared->controls, 1);
	}
	return fd;
}

static void unlink_own(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION };
	int fd = ioctl(device, PERFCTR_IOC_OPEN, &call);

	if (fd < 0) {
		if (errno != ENODEV)
			fail("what there is can't be opened: errno %d", errno);
		return;
	}
	if (ioctl(fd, PERFCTR_IOC_UNLINK) < 0)
		fail("one's own can't be unlinked: errno %d", errno);
	close(fd);
}

/* After all that: counters as for everybody. */
static void check_own(void)
{
	struct vperfctr_control c = instructions(shared->counters);
	struct perfctr_sum_ctrs a, b;
	struct handle h;
	unsigned int i;

	unlink_own();
	if (open_state(device, &h) < 0)
		fail("counters can't be opened after all: errno %d", errno);
	if (set_control(h.fd, &c) < 0)
		fail("counters can't be controlled after all: errno %d", errno);
	for (i = 0; i < shared->counters; i++)
		if (!counts_exactly(&h, i, 10000))
			fail("counter %u does not count exactly after all", i);
	if (read_state(h.fd, &a, &c) < 0 || read_state(h.fd, &b, &c) < 0 || b.tsc <= a.tsc)
		fail("the TSC stands still after all");
	close_state(&h);
}

/* ---- scenarios: each runs in a process of its own ---- */

static void scenario_calls(void)
{
	storm(150);
	check_own();
}

/* Exactly what was asked for is written, and nothing of the kernel's memory. */
static void scenario_copies(void)
{
	static unsigned char info[2 * PAGE], sum[2 * PAGE], control[2 * PAGE];
	struct {
		unsigned char *at;
		uint32_t size;
		size_t ours;
	} out[] = {
		{ info, 0, sizeof(struct perfctr_info) },
		{ sum, 0, sizeof(struct perfctr_sum_ctrs) },
		{ control, 0, sizeof(struct vperfctr_control) },
	};
	struct perfctr_call_info call_info = { .info = (uintptr_t)info };
	struct perfctr_call_read call_read = {
		.sum = (uintptr_t)sum,
		.control = (uintptr_t)control,
	};
	unsigned int round, i, k;
	int fd = open_own();

	for (round = 0; round < 10; round++) {
		for (i = 0; i < 3; i++) {
			out[i].size = below(PAGE + 1);
			memset(out[i].at, 0xA5, 2 * PAGE);
		}
		call_info.info_size = out[0].size;
		call_read.sum_size = out[1].size;
		call_read.control_size = out[2].size;
		if (ioctl(device, PERFCTR_IOC_INFO, &call_info) < 0 ||
		    ioctl(fd, PERFCTR_IOC_READ, &call_read) < 0)
			fail("a copy fails: errno %d", errno);
		for (i = 0; i < 3; i++) {
			for (k = (unsigned int)out[i].ours; k < out[i].size; k++)
				if (out[i].at[k])
					fail("structure %u: 0x%X after its end", i, out[i].at[k]);
			for (k = out[i].size; k < 2 * PAGE; k++)
				if (out[i].at[k] != 0xA5)
					fail("structure %u: written after %u", i, out[i].size);
		}
	}
	close(fd);
}

static void *storming_thread(void *arg)
{
	seed((uintptr_t)arg, 1, 2);
	atomic_store(&PICK(slots), open_own());
	storm(50);
	/* Its counters end, and others have the descriptor. */
	return NULL;
}

static void *changing_thread(void *arg)
{
	unsigned int k;

	seed((uintptr_t)arg, 3, 4);
	for (k = 0; k < 30; k++) {
		/* What a call looks at changes under it, and goes away. */
		mprotect(memory + below(16) * PAGE, PAGE, below(2) ? PROT_NONE : PROT_READ);
		sched_yield();
		mprotect(memory, WRITABLE, PROT_READ | PROT_WRITE);
		madvise(memory + below(16) * PAGE, PAGE, MADV_DONTNEED);
	}
	return NULL;
}

static void scenario_threads(void)
{
	pthread_t thread[4];
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, storming_thread, (void *)(uintptr_t)rnd()))
			return;
	storm(50);
	if (!below(3))
		_exit(0); /* all at once */
	for (i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	check_own();
}

/* A handler of SIGSEGV would have to know what it interrupts: a process may die of it here. */
static void scenario_changes(void)
{
	pthread_t thread[2];
	unsigned int k;
	struct vperfctr_control *c = (void *)(memory + PAGE - 8);
	struct perfctr_call_control call = {
		.control = (uintptr_t)c,
		.control_size = sizeof(*c),
	};
	struct perfctr_call_read read = {
		.sum = (uintptr_t)c,
		.sum_size = sizeof(struct perfctr_sum_ctrs),
		.control = (uintptr_t)c,
		.control_size = sizeof(*c),
	};
	int fd = open_own();

	for (k = 0; k < 2; k++)
		pthread_create(&thread[k], NULL, changing_thread, (void *)(uintptr_t)rnd());
	for (k = 0; k < 60; k++) {
		call_driver(fd, PERFCTR_IOC_CONTROL, (uintptr_t)&call);
		call_driver(fd, PERFCTR_IOC_READ, (uintptr_t)&read);
	}
	for (k = 0; k < 2; k++)
		pthread_join(thread[k], NULL);
	check_control(fd);
	close(fd);
	check_own();
}

static void *living_thread(void *arg)
{
	struct handle h = { .fd = -1 };
	struct vperfctr_control c;
	int old;

	seed((uintptr_t)arg, 5, 6);
	if (below(2)) {
		old = atomic_exchange(&PICK(slots), open_own());
		if (old > 0)
			close(old);
	} else if (open_state(device, &h) == 0) {
		atomic_fetch_add(&shared->opened, 1);
		c = valid_control();
		set_control(h.fd, &c);
		if (below(2))
			close(h.fd); /* the map has its own reference */
	}
	loop(below(2000));
	if (!below(4))
		unlink_own();
	return NULL;
}

static void scenario_lives(void)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control c;
	pthread_t thread[8];
	unsigned int i, k, n;

	for (k = 0; k < 4; k++) {
		for (n = 0; n < 8; n++)
			if (pthread_create(&thread[n], NULL, living_thread,
					   (void *)(uintptr_t)rnd()))
				break;
		for (i = 0; i < SLOTS; i++)
			if (atomic_load(&slots[i]) > 0)
				read_state(atomic_load(&slots[i]), &sum, &c);
		while (n--)
			pthread_join(thread[n], NULL);
	}
	check_own();
}

static void scenario_limits(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };
	struct rlimit few = { 3, 1024 }, many = { 1024, 1024 };
	unsigned int k;

	unlink_own();
	for (k = 0; k < 10; k++) {
		setrlimit(RLIMIT_NOFILE, &few);
		if (ioctl(device, PERFCTR_IOC_OPEN, &call) >= 0 || errno != EMFILE)
			fail("a descriptor more than allowed: errno %d", errno);
		setrlimit(RLIMIT_NOFILE, &many);
		call.creat = 0;
		if (ioctl(device, PERFCTR_IOC_OPEN, &call) >= 0 || errno != ENODEV)
			fail("what could not be opened is there: errno %d", errno);
		call.creat = 1;
	}
	check_own();
}

/* ---- fork, exec, descriptors on their way ---- */

static void scenario_forks(void)
{
	struct vperfctr_control c;
	struct handle h;
	unsigned int k;
	unsigned char resident;

	if (open_state(device, &h) < 0)
		fail("open: errno %d", errno);
	c = valid_control();
	set_control(h.fd, &c);
	atomic_store(&slots[0], h.fd);
	for (k = 0; k < 4; k++) {
		if (fork())
			continue;
		seed(rnd(), k, 7);
		/* It has the descriptor, but neither the counters nor the page. */
		if (mincore((void *)(uintptr_t)h.page, PAGE, &resident) == 0)
			fail("a child inherits the page");
		c = valid_control();
		if (set_control(h.fd, &c) == 0)
			fail("a child controls its parent's counters");
		storm(40);
		_exit(0);
	}
	storm(40);
	if (below(2))
		_exit(0); /* before its children */
	while (wait(NULL) > 0)
		;
	check_own();
}

static void *exec_program(void *arg)
{
	const char *const programs[] = { "/proc/self/exe", UNREADABLE, SETUID };
	char number[16];
	int fd = open_own(), kept = dup(fd);

	snprintf(number, sizeof(number), "%d", kept);
	execl(programs[(uintptr_t)arg], "driver_fuzz", arg ? "unseen" : "seen", number,
	      (char *)NULL);
	fail("exec of %s: errno %d", programs[(uintptr_t)arg], errno);
}

static void scenario_execs(void)
{
	pthread_t thread[3];
	uintptr_t k;
	int status, i;
	pid_t pid;

	for (k = 0; k < 3; k++) {
		pid = fork();
		if (pid == 0) {
			seed(rnd(), k, 8);
			if (below(2))
				exec_program((void *)k);
			/* Not the process' first thread, and others are busy. */
			for (i = 0; i < 2; i++)
				pthread_create(&thread[i], NULL, storming_thread,
					       (void *)(uintptr_t)rnd());
			pthread_create(&thread[2], NULL, exec_program, (void *)k);
			storm(10000);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		    WEXITSTATUS(status) == 3)
			fail("counters go on in a program that the user may not %s",
			     k == 1 ? "read" : "watch");
	}
}

/* The program that exec_program() executes. */
static int execed(bool seen, int fd)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION };
	static struct shared own;

	shared = &own;
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	handle_signals(ignore);
	if (!seen)
		return ioctl(device, PERFCTR_IOC_OPEN, &call) >= 0 ? 3 : 0;
	set_up_memory();
	seed(1, 2, 3);
	atomic_store(&slots[0], fd);
	storm(50);
	return 0;
}

static int send_fd(int to, int fd)
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

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(int));
	return sendmsg(to, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -1;
}

static int receive_fd(int from)
{
	union {
		struct cmsghdr align;
		char room[CMSG_SPACE(sizeof(int))];
	} u;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &u, .msg_controllen = sizeof(u)
	};
	struct cmsghdr *header;
	int fd = -1;

	if (recvmsg(from, &message, 0) != 1)
		return -1;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(header), sizeof(int));
	return fd;
}

static void scenario_sockets(void)
{
	unsigned int k;
	int pair[2], fd;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		fail("socketpair: errno %d", errno);
	if (fork() == 0) {
		seed(rnd(), 9, 9);
		close(pair[0]);
		for (k = 0; k < 8; k++) {
			fd = receive_fd(pair[1]);
			if (fd < 0)
				break;
			fd = atomic_exchange(&slots[k], fd);
			storm(10);
		}
		/* Some are never received, and go with the socket. */
		_exit(0);
	}
	for (k = 0; k < 12; k++) {
		fd = open_own();
		send_fd(pair[0], fd);
		if (below(4) == 0)
			send_fd(pair[0], pair[0]); /* a ring, for the garbage collector */
		if (below(2))
			close(fd);
		if (below(2))
			unlink_own();
		storm(5);
	}
	if (below(2))
		_exit(0);
	close(pair[0]);
	close(pair[1]);
	wait(NULL);
	check_own();
}

/* ---- ptrace ---- */

static void *killing_thread(void *arg)
{
	usleep((useconds_t)((uintptr_t)arg >> 32) % 3000);
	kill((pid_t)(uintptr_t)arg, SIGKILL);
	return NULL;
}

static void scenario_ptraces(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION };
	int pair[2], fd, status;
	pthread_t killer;
	bool kills = below(2);
	unsigned int k;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		fail("socketpair: errno %d", errno);
	pid = fork();
	if (pid == 0) {
		seed(rnd(), 10, 10);
		send_fd(pair[1], open_own());
		for (;;)
			storm(10);
	}
	fd = receive_fd(pair[0]);
	if (fd >= 0)
		atomic_store(&slots[0], fd);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0)
		fail("seize: errno %d", errno);
	if (kills)
		pthread_create(&killer, NULL, killing_thread,
			       (void *)((uintptr_t)pid | (uintptr_t)rnd() >> 32 << 32));
	for (k = 0; k < 12; k++) {
		ptrace(PTRACE_INTERRUPT, pid, NULL, NULL);
		if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
			break;
		call.tid = pid;
		call.creat = below(2);
		fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
		if (fd >= 0) {
			struct vperfctr_control c = valid_control();

			set_control(fd, &c);
			check_control(fd);
			fd = atomic_exchange(&PICK(slots), fd);
			if (fd > 0)
				close(fd);
		}
		storm(20);
		ptrace(below(2) ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL,
		       (void *)(uintptr_t)(WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status)));
		storm(5);
	}
	if (below(2))
		ptrace(PTRACE_DETACH, pid, NULL, NULL);
	if (kills)
		pthread_join(killer, NULL);
	else
		kill(pid, SIGKILL);
	storm(10);
	while (waitpid(pid, &status, __WALL) == pid && !WIFEXITED(status) && !WIFSIGNALED(status))
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	check_own();
}

/* ---- signals ---- */

static int signalled_fd;
static unsigned int resumes;

static void read_and_resume(int signo)
{
	struct perfctr_sum_ctrs sum;
	struct vperfctr_control c;
	int saved = errno;

	(void)signo;
	read_state(signalled_fd, &sum, &c);
	/* A counter that overflows at once would let nobody get on. */
	if (resumes++ < 500)
		ioctl(signalled_fd, PERFCTR_IOC_IRESUME);
	errno = saved;
}

static void *signalling_thread(void *arg)
{
	unsigned int k;

	for (k = 0; k < 100; k++) {
		syscall(SYS_tgkill, getpid(), (pid_t)(uintptr_t)arg, SIGUSR2);
		if (k % 8 == 0)
			sched_yield();
	}
	return NULL;
}

static void scenario_signals(void)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t thread;
	sigset_t all;

	handle_signals(read_and_resume);
	signalled_fd = open_own();
	setitimer(ITIMER_REAL, &often, NULL);
	pthread_create(&thread, NULL, signalling_thread, (void *)(uintptr_t)syscall(SYS_gettid));
	storm(80);
	setitimer(ITIMER_REAL, &never, NULL);
	pthread_join(thread, NULL);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	check_own();
}

static void on_fault(int signo)
{
	(void)signo;
	fail("RDPMC faults in a reader whom an overflow has interrupted");
}

/* A reader looks whether there are counters, and then reads: an overflow between must not kill it.
 */
static void scenario_reads(void)
{
	struct vperfctr_control c = instructions(2);
	struct perfctr_cpu_control *cpu = &c.cpu_control;
	struct sigaction action = { .sa_handler = on_fault };
	struct handle h;
	unsigned int k;

	cpu->nractrs = cpu->nrictrs = 1;
	cpu->evntsel[1] |= EVNTSEL_INT;
	c.si_signo = SIGUSR1;
	sigaction(READ_SIGNAL, &action, NULL);
	if (shared->counters >= 2 && open_state(device, &h) == 0) {
		for (k = 0; k < 200; k++) {
			cpu->ireset[1] = -(int)(1 + below(300));
			if (set_control(h.fd, &c) < 0)
				break;
			while (perfctr_cstatus_nrctrs(h.page->cstatus))
				read_pmc(&h, 0);
		}
	}
	check_own();
}

/* ---- the page ---- */

static void check_not_writable(unsigned char *page, int zero, int mem)
{
	struct iovec from = { memory, 8 }, to = { page, 8 };
	unsigned char resident;

	if (mincore(page, PAGE, &resident) < 0)
		return; /* it is gone, or moved */
	if (read(zero, page, 8) >= 0 || errno != EFAULT)
		fail("the page can be written to: errno %d", errno);
	if (mem >= 0 && pwrite(mem, memory, 8, (off_t)(uintptr_t)page) > 0)
		fail("the page can be written to by /proc/self/mem");
	if (process_vm_writev(getpid(), &from, 1, &to, 1, 0) > 0)
		fail("the page can be written to by process_vm_writev");
	if (mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0 || errno != EACCES)
		fail("the page can be made writable: errno %d", errno);
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC) == 0 || errno != EACCES)
		fail("the page can be made executable: errno %d", errno);
}

static void scenario_pages(void)
{
	static const int sharings[] = { MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE };
	static const int flags[] = {
		0, 0, MAP_POPULATE, MAP_LOCKED, MAP_NORESERVE, MAP_32BIT, MAP_GROWSDOWN
	};
	static const int prots[] = { PROT_READ,	 PROT_READ,
				     PROT_NONE,	 PROT_READ | PROT_WRITE,
				     PROT_WRITE, PROT_READ | PROT_EXEC };
	static const int advices[] = { 0,  1,  2,  3,  4,  8,  9,  10, 11, 12, 13,  14, 15,
				       16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 100, 101 };
	int zero = open("/dev/zero", O_RDONLY), mem = open("/proc/self/mem", O_RDWR);
	unsigned char *page[4] = { NULL };
	int fd = open_own(), fresh, pipes[2], prot;
	unsigned int k, i;
	void *result;

	/* There may be nothing to read, for ever. */
	if (pipe2(pipes, O_NONBLOCK) < 0 || zero < 0)
		fail("pipe, /dev/zero: errno %d", errno);
	for (k = 0; k < 60; k++) {
		unsigned char **p = &page[i = below(4)];

		switch (*p ? below(12) : 0) {
		case 0:
			prot = PICK(prots);
			result = mmap(NULL, below(8) ? PAGE : below(3) * PAGE + below(2), prot,
				      PICK(sharings) | PICK(flags), fd, below(8) ? 0 : PAGE);
			if (result == MAP_FAILED)
				break;
			if (prot & (PROT_WRITE | PROT_EXEC))
				fail("a mapping with protection %d", prot);
			if (*p)
				munmap(*p, PAGE);
			*p = result;
			break;
		case 1:
			munmap(*p, PAGE);
			*p = NULL;
			break;
		case 2:
			prot = PICK(prots);
			if (mprotect(*p, PAGE, prot) == 0 && prot & (PROT_WRITE | PROT_EXEC))
				fail("a mapping changed to protection %d", prot);
			break;
		case 3:
		case 4:
			result = mremap(*p, below(2) * PAGE, below(3) * PAGE, (int)below(8),
					memory + WRITABLE + 4 * PAGE);
			if (result != MAP_FAILED)
				*p = result;
			break;
		case 5:
		case 6: madvise(*p, PAGE, PICK(advices)); break;
		case 7:
			mlock(*p, PAGE);
			munlock(*p, PAGE);
			msync(*p, PAGE, (int)below(8));
			syscall(SYS_remap_file_pages, *p, PAGE, 0, below(2), 0);
			break;
		case 8:
			/* A reference to the page that is no map. */
			vmsplice(pipes[1], &(struct iovec){ *p, 64 }, 1, SPLICE_F_NONBLOCK);
			if (below(2))
				read(pipes[0], memory, 64);
			break;
		case 9:
			if (fork() == 0) {
				check_not_writable(*p, zero, mem);
				write(pipes[1], *p, 8);
				_exit(0);
			}
			break;
		case 10:
			if (below(2))
				unlink_own();
			fresh = open_own();
			if (fresh >= 0) {
				close(fd);
				fd = fresh;
			}
			break;
		default: check_not_writable(*p, zero, mem);
		}
	}
	for (i = 0; i < 4; i++)
		if (page[i])
			check_not_writable(page[i], zero, mem);
	check_own();
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
#define SCENARIO(name)                 \
	{                              \
#name, scenario_##name \
	}
	SCENARIO(calls),   SCENARIO(copies),  SCENARIO(threads), SCENARIO(changes),
	SCENARIO(lives),   SCENARIO(limits),  SCENARIO(forks),	 SCENARIO(execs),
	SCENARIO(sockets), SCENARIO(ptraces), SCENARIO(signals), SCENARIO(reads),
	SCENARIO(pages),
};
#define SCENARIOS (sizeof(scenarios) / sizeof(scenarios[0]))

/* ---- the processes ---- */

/* Counts all the time, and must not notice the others. */
static void __attribute__((noreturn)) be_victim(int socket)
{
	struct vperfctr_control c = instructions(shared->counters);
	struct perfctr_sum_ctrs before, now;
	struct handle h;
	unsigned int i;

	if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
		fail("the victim: errno %d", errno);
	if (send_fd(socket, h.fd) < 0 || read_state(h.fd, &before, &c) < 0)
		fail("the victim's socket: errno %d", errno);
	while (!atomic_load(&shared->stop)) {
		for (i = 0; i < shared->counters; i++)
			if (!counts_exactly(&h, i, 20000))
				fail("the victim's counter %u does not count exactly", i);
		if (read_state(h.fd, &now, &c) < 0)
			fail("the victim can't read: errno %d", errno);
		if (now.tsc <= before.tsc || (shared->counters && now.pmc[0] <= before.pmc[0]))
			fail("the victim's sums were changed");
		before = now;
		usleep(2000);
	}
	_exit(0);
}

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait for the children; the first for whom is waited stops it. 0, or -1 if it takes longer. */
static int reap(pid_t awaited, int64_t ms)
{
	int64_t end = milliseconds() + ms;
	int status;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, WNOHANG | __WALL);
		if (pid == awaited || (pid < 0 && errno == ECHILD)) {
			if (pid > 0 && WIFSIGNALED(status))
				atomic_fetch_add(&shared->died, 1);
			return 0;
		}
		if (pid > 0)
			continue;
		if (milliseconds() > end)
			return -1;
		usleep(500);
	}
}

static void __attribute__((noreturn)) be_worker(uint64_t first, unsigned int number, int64_t end)
{
	unsigned int round;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Each part begins with others of the scenarios: a slow one does not get to all. */
	for (round = number + 5 * (unsigned int)first;
	     milliseconds() < end && !atomic_load(&shared->broken); round++) {
		pid = fork();
		if (pid == 0) {
			setpgid(0, 0);
			handle_signals(ignore);
			seed(first, number, round);
			scenarios[round % SCENARIOS].run();
			atomic_fetch_add(&shared->completed[round % SCENARIOS], 1);
			_exit(0);
		}
		setpgid(pid, pid);
		if (reap(pid, 5000 * (int64_t)slowness()) < 0) {
			atomic_fetch_add(&shared->given_up[round % SCENARIOS], 1);
			kill(pid, SIGKILL);
			if (reap(pid, 10000) < 0)
				fail("seed %llu, worker %u, round %u (%s): a process can't be killed",
				     (unsigned long long)first, number, round,
				     scenarios[round % SCENARIOS].name);
		}
		kill(-pid, SIGKILL);
		if (reap(-1, 10000) < 0)
			fail("seed %llu, worker %u, round %u (%s): a child can't be killed",
			     (unsigned long long)first, number, round,
			     scenarios[round % SCENARIOS].name);
	}
	_exit(0);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		fail("setuid: errno %d", errno);
	/* So that they may look at each other. */
	prctl(PR_SET_DUMPABLE, 1);
}

static void probe(void)
{
	struct vperfctr_control c;
	struct handle h;
	unsigned int n;

	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	if (device < 0 || open_state(device, &h) < 0)
		fail("/dev/perfctr: errno %d", errno);
	for (n = 4; n > 0; n--) {
		c = instructions(n);
		if (set_control(h.fd, &c) == 0)
			break;
	}
	shared->counters = n;
	close_state(&h);
	shared->compat = has_compat();
}

/* Each second of the guest's, which may take the host a while, it says that it goes on. */
static int wait_for_user(pid_t user, int *status)
{
	int64_t told = milliseconds();
	pid_t pid;

	while ((pid = waitpid(user, status, WNOHANG)) == 0) {
		usleep(5000);
		if (milliseconds() - told < 1000)
			continue;
		told += 1000;
		printf("  %u calls, %u opened\n", shared->calls, shared->opened);
	}
	return pid == user ? 0 : -1;
}

/* A user's storm. */
static int run_user(uint64_t first, int64_t ms)
{
	int pair[2], result;
	unsigned int k;
	int64_t end;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		become_nobody();
		set_up_memory();
		probe();
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
			fail("socketpair: errno %d", errno);
		shared->victim = fork();
		if (shared->victim == 0) {
			shared->victim = getpid();
			be_victim(pair[1]);
		}
		victim_fd = receive_fd(pair[0]);
		close(pair[0]);
		close(pair[1]);
		end = milliseconds() + ms;
		for (k = 0; k < WORKERS; k++)
			if (fork() == 0)
				be_worker(first, k, end);
		for (k = 0; k < WORKERS; k++)
			wait(NULL);
		atomic_store(&shared->stop, 1);
		while (wait(NULL) > 0)
			;
		_exit(atomic_load(&shared->broken) != 0);
	}
	if (wait_for_user(pid, &result) < 0 || result != 0)
		atomic_store(&shared->broken, 1);
	atomic_store(&shared->stop, 0);
	return atomic_load(&shared->broken) ? -1 : 0;
}

/*
 * What a privileged thread leaves in the registers is not for the next thread to read. On CPU 0:
 * root counts the kernel on the last counter and sleeps; then nobody, with a counter of his own,
 * looks.
 */
static int check_leftovers(void)
{
	struct vperfctr_control c;
	struct handle h;
	int to_root[2], to_user[2], status;
	pid_t root, user;
	unsigned int k;
	char byte = 0;

	if (pipe(to_root) < 0 || pipe(to_user) < 0)
		return -1;
	root = fork();
	if (root == 0) {
		pin(0);
		probe();
		if (shared->counters < 2)
			_exit(0);
		c = instructions(shared->counters);
		with_kernel(&c, shared->counters - 1);
		if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
			fail("root can't count the kernel: errno %d", errno);
		write(to_user[1], &byte, 1);
		read(to_root[0], &byte, 1);
		_exit(0);
	}
	user = fork();
	if (user == 0) {
		uint32_t a, b;

		pin(0);
		close(to_user[1]);
		become_nobody();
		device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
		c = instructions(1);
		if (read(to_user[0], &byte, 1) != 1)
			_exit(0);
		if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
			fail("nobody can't count: errno %d", errno);
		a = rdpmc(shared->counters - 1);
		for (k = 0; k < 100; k++)
			syscall(SYS_getppid);
		b = rdpmc(shared->counters - 1);
		if (a != b)
			fail("nobody sees the kernel count on another's counter: %u in 100 system calls",
			     b - a);
		_exit(0);
	}
	close(to_user[1]);
	waitpid(user, &status, 0);
	write(to_root[1], &byte, 1);
	waitpid(root, &status, 0);
	return atomic_load(&shared->broken) ? -1 : 0;
}

static int copy_program(const char *to, mode_t mode)
{
	char buffer[PAGE];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t n;

	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			return -1;
	if (n < 0 || fchmod(out, mode) < 0)
		return -1;
	close(in);
	return close(out);
}

/* CPU 1, which root takes away and brings back; how often it went. */
static void __attribute__((noreturn)) be_operator(void)
{
	unsigned int went = 0;

	seed(1, 11, 11);
	while (!atomic_load(&shared->stop_operator)) {
		usleep(below(20000));
		if (set_online("0") < 0)
			continue;
		went++;
		usleep(below(20000));
		if (set_online("1") < 0)
			fail("CPU 1 does not come back: errno %d", errno);
	}
	printf("  CPU 1 went %u times\n", went);
	_exit(went == 0);
}

static int run_with_hotplug(uint64_t first, int64_t ms)
{
	int status, result;
	pid_t pid;

	if (sysconf(_SC_NPROCESSORS_CONF) < 2)
		return run_user(first, ms);
	pid = fork();
	if (pid == 0)
		be_operator();
	result = run_user(first, ms);
	atomic_store(&shared->stop_operator, 1);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		result = -1;
	return result;
}

/* How often each scenario was completed; whether all were. */
static bool print_completed(void)
{
	bool all = true;
	unsigned int i;

	for (i = 0; i < SCENARIOS; i++) {
		printf("  %s %u, given up %u\n", scenarios[i].name, shared->completed[i],
		       shared->given_up[i]);
		all = all && shared->completed[i];
	}
	return all;
}

static bool all_are_completed(void)
{
	unsigned int i;

	for (i = 0; i < SCENARIOS && shared->completed[i]; i++)
		;
	return i == SCENARIOS;
}

/* The first part is beside a processor that goes and comes. A slow kernel gets more parts. */
static int run_parts(uint64_t first, int64_t ms)
{
	unsigned int k;

	if (run_with_hotplug(first + 1, ms / 2) < 0 || run_user(first, ms / 2) < 0)
		return -1;
	for (k = 0; k < 6 && !all_are_completed(); k++)
		if (run_user(first + 2 + k, ms / 2) < 0)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	int64_t ms = argc > 2 ? strtoll(argv[2], NULL, 0) * 1000 : DURATION;
	int failed;

	if (argc > 2 && strstr(argv[1], "seen"))
		return execed(strcmp(argv[1], "seen") == 0, atoi(argv[2]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED || load_driver() < 0)
		return 1;
	if (copy_program(UNREADABLE, 0711) < 0 || copy_program(SETUID, 04755) < 0) {
		printf("copies of the program: %s\n", strerror(errno));
		return 1;
	}
	printf("  seed %llu, %lld s\n", (unsigned long long)first, (long long)ms / 1000);
	if (check_leftovers() < 0 || run_parts(first, ms) < 0)
		goto broken;
	printf("  %u calls, %u refused, %u opened, %u controls, %u processes died of a signal\n",
	       shared->calls, shared->refused, shared->opened, shared->controls, shared->died);
	failed = !print_completed();
	if (failed)
		printf("  one was never completed\n");
	unlink(UNREADABLE);
	unlink(SETUID);
	failed |= no_state_is_left();
	return unload_driver() < 0 || failed;
broken:
	printf("  %s\n", shared->what[0] ? shared->what : "the user's processes died");
	return 1;
}
