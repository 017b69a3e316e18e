// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each system call of an event: with what it is made, and what comes of each answer. What events
 * count is in events.c and others.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "libperfctr.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/probe.h"
#include "perfctr/read.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

/* ---- the kernel's place ---- */

/* An answer: an errno, or a result. */
struct answer {
	int error;
	long result;
};

/* One for each call of its kind, and the last for all that come after it. */
struct answers {
	struct answer next[8];
	unsigned int calls, n;
};

static struct answers opens, reads, ioctls, fcntls, prctls, maps;
static unsigned int yields, closes, unmaps;

static struct {
	struct perf_event_attr attr;
	pid_t tid;
	int cpu, group;
	unsigned long flags;
} opened;

static struct {
	int fd;
	void *buffer;
	size_t size;
	uint64_t words[8]; /* what it reads */
} read_;

static struct {
	int fd;
	unsigned long request, argument;
} asked;

static struct {
	size_t size;
	int prot, flags, fd;
	long offset;
} mapped;

static struct {
	int command;
	long argument;
	struct f_owner_ex owner;
} set[4];

static int prctl_option, closed;
static size_t unmapped;
static struct perf_event_mmap_page page;

static long answer(struct answers *answers)
{
	unsigned int i = answers->calls++;
	const struct answer *a = &answers->next[i < answers->n ? i
						: answers->n   ? answers->n - 1
							       : 0];

	if (!a->error)
		return a->result;
	errno = a->error;
	return -1;
}

#define ANSWER(to, ...)                                      \
	do {                                                 \
		const struct answer all[] = { __VA_ARGS__ }; \
		memset(&(to), 0, sizeof(to));                \
		memcpy((to).next, all, sizeof(all));         \
		(to).n = ARRAY_SIZE(all);                    \
	} while (0)

#define FAILS(error)     \
	{                \
		error, 0 \
	}
#define RETURNS(value)   \
	{                \
		0, value \
	}

long __wrap_syscall(long number, ...);
unsigned long __wrap_perfctr_call_event_id(int fd);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, long offset);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset);
int __wrap_munmap(void *at, size_t size);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...);
int __wrap_prctl(int option, ...);
int __wrap_sched_yield(void);
int __real_close(int fd);
int __wrap_close(int fd);

/* Events' descriptors are larger than real ones, but for 0. */
#define EVENT 1000

static bool is_event(int fd)
{
	return fd >= EVENT || fd == 0;
}

static ssize_t read_event(int fd, void *buffer, size_t size)
{
	if (!is_event(fd))
		return read(fd, buffer, size);
	read_.fd = fd;
	read_.size = size;
	memcpy(buffer, read_.words, size < sizeof(read_.words) ? size : sizeof(read_.words));
	return (ssize_t)answer(&reads);
}

long __wrap_syscall(long number, ...)
{
	va_list args;
	size_t size;
	void *buffer;
	int fd;

	if (number == SYS_gettid)
		return 4711;
	va_start(args, number);
	if (number == SYS_read) {
		fd = va_arg(args, int);
		buffer = va_arg(args, void *);
		size = va_arg(args, size_t);
		va_end(args);
		return read_event(fd, buffer, size);
	}
	if (number != SYS_perf_event_open) {
		fprintf(stderr, "system call %ld\n", number);
		abort();
	}
	opened.attr = *va_arg(args, const struct perf_event_attr *);
	opened.tid = va_arg(args, pid_t);
	opened.cpu = va_arg(args, int);
	opened.group = va_arg(args, int);
	opened.flags = va_arg(args, unsigned long);
	va_end(args);
	return answer(&opens);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list args;

	va_start(args, request);
	asked.fd = fd;
	asked.request = request;
	asked.argument = va_arg(args, unsigned long);
	va_end(args);
	return (int)answer(&ioctls);
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, long offset)
{
	(void)at;
	mapped.size = size;
	mapped.prot = prot;
	mapped.flags = flags;
	mapped.fd = fd;
	mapped.offset = offset;
	return answer(&maps) < 0 ? MAP_FAILED : &page;
}

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset)
{
	return __wrap_mmap(at, size, prot, flags, fd, (long)offset);
}

int __wrap_munmap(void *at, size_t size)
{
	ck_assert_ptr_eq(at, &page);
	unmapped = size;
	unmaps++;
	errno = EXDEV;
	return 0;
}

static int note_fcntl(int command, long argument)
{
	unsigned int i = fcntls.calls % ARRAY_SIZE(set);

	set[i].command = command;
	set[i].argument = argument;
	if (command == F_SETOWN_EX)
		set[i].owner = *(const struct f_owner_ex *)argument;
	return (int)answer(&fcntls);
}

int __wrap_fcntl(int fd, int command, ...)
{
	long argument;
	va_list args;

	ck_assert_int_eq(fd, EVENT);
	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	return note_fcntl(command, argument);
}

int __wrap_fcntl64(int fd, int command, ...)
{
	long argument;
	va_list args;

	ck_assert_int_eq(fd, EVENT);
	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	return note_fcntl(command, argument);
}

int __wrap_prctl(int option, ...)
{
	prctl_option = option;
	return (int)answer(&prctls);
}

int __wrap_sched_yield(void)
{
	yields++;
	return 0;
}

int __wrap_close(int fd)
{
	if (!is_event(fd))
		return __real_close(fd);
	closes++;
	closed = fd;
	errno = EXDEV;
	return 0;
}

/* The id that each event has; 0: the kernel does not tell it. */
static unsigned long its_id;

unsigned long __wrap_perfctr_call_event_id(int fd)
{
	return is_event(fd) ? its_id : 0;
}

static struct perf_event_attr cycles = { .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1 };
static const struct perfctr_counter event = { .fd = EVENT };
static const size_t header = offsetof(struct perfctr_group_values, values);

/* ---- opening ---- */

static int open_at(struct perfctr_counter *counter, struct perf_event_attr *attr, const char *name,
		   pid_t tid, int cpu, const struct perfctr_counter *leader, unsigned int members)
{
	const struct perfctr_scope scope = { .tid = tid, .cpu = cpu, .cgroup = -1 };

	return perfctr_counter_open(counter, attr, name, &scope, leader, members);
}

static int open_in(struct perfctr_counter *counter, struct perf_event_attr *attr, const char *name,
		   int cgroup, int cpu, const struct perfctr_counter *leader, unsigned int members)
{
	const struct perfctr_scope scope = { .tid = -1, .cpu = cpu, .cgroup = cgroup };

	return perfctr_counter_open(counter, attr, name, &scope, leader, members);
}

START_TEST(opening)
{
	struct perfctr_counter counter, leader = event;

	memset(&counter, 0x5A, sizeof(counter));
	ANSWER(opens, RETURNS(EVENT));
	ck_assert_int_eq(open_at(&counter, &cycles, "x", 17, 3, NULL, 0), 0);
	ck_assert_int_eq(counter.fd, EVENT);
	ck_assert(!counter.slots && !counter.metric && !counter.kernel_reads && !counter.page);
	ck_assert_mem_eq(&opened.attr, &cycles, sizeof(cycles));
	ck_assert_int_eq(opened.tid, 17);
	ck_assert_int_eq(opened.cpu, 3);
	ck_assert_int_eq(opened.group, -1);
	ck_assert_uint_eq(opened.flags, PERF_FLAG_FD_CLOEXEC);
	ck_assert_int_eq(open_at(&counter, &cycles, "x", -1, 0, &leader, 0), 0);
	ck_assert_int_eq(opened.group, EVENT);
	ck_assert_int_eq(open_in(&counter, &cycles, "x", 9, 2, NULL, 0), 0);
	ck_assert_int_eq(opened.tid, 9);
	ck_assert_int_eq(opened.cpu, 2);
	ck_assert_int_eq(opened.group, -1);
	ck_assert_uint_eq(opened.flags, PERF_FLAG_FD_CLOEXEC | PERF_FLAG_PID_CGROUP);
	leader.fd = EVENT + 1;
	ck_assert_int_eq(open_in(&counter, &cycles, "x", 9, 2, &leader, 0), 0);
	ck_assert_int_eq(opened.group, EVENT + 1);
	/* Descriptor 0, of a program without standard input. */
	ANSWER(opens, RETURNS(0));
	ck_assert_int_eq(open_at(&counter, &cycles, "x", 0, -1, NULL, 0), 0);
	ck_assert_int_eq(counter.fd, 0);
	ck_assert_int_eq(open_in(&counter, &cycles, "x", 9, 2, NULL, 0), 0);
	perfctr_counter_close(&counter);
	ck_assert_int_eq(closed, 0);
	ck_assert_uint_eq(closes, 1);
	ck_assert_int_eq(counter.fd, -1);
}
END_TEST

START_TEST(refused)
{
	struct perfctr_counter counter;

	root_make();
	root_line("/sys/devices/system/cpu/online", "1-2");
	root_line("/proc/sys/kernel/perf_event_paranoid", "2");
	root_line("/proc/self/status", "Name:\tx\\nCapEff:\t0");
	ANSWER(opens, FAILS(ESRCH));
	ck_fails(open_at(&counter, &cycles, "x", 17, -1, NULL, 0), ESRCH, "no thread 17");
	ck_assert_int_eq(counter.fd, -1);
	ck_assert_ptr_null(counter.page);
	/* The kernel has no errno for a processor that is not there. */
	ANSWER(opens, FAILS(ENODEV));
	ck_fails(open_at(&counter, &cycles, "x", -1, 0, NULL, 0), EINVAL,
		 "there is no processor 0, or it is offline; online are 1-2");
	ck_fails(open_at(&counter, &cycles, "x", -1, 3, NULL, 0), EINVAL,
		 "there is no processor 3");
	ANSWER(opens, FAILS(EINVAL));
	ck_fails(open_at(&counter, &cycles, "x", -1, 0, NULL, 0), EINVAL,
		 "there is no processor 0");
	/* Those that are there, and any. */
	ck_fails(open_at(&counter, &cycles, "x", -1, 1, NULL, 3), EINVAL,
		 "together with the 3 events");
	ck_fails(open_at(&counter, &cycles, "x", 0, -1, NULL, 3), EINVAL,
		 "together with the 3 events");
	ANSWER(opens, FAILS(ESRCH));
	ck_fails(open_at(&counter, &cycles, "x", 17, 0, NULL, 0), ESRCH, "no thread 17");
	/* A cgroup's threads are anybody's. */
	ANSWER(opens, FAILS(EACCES));
	ck_fails(open_in(&counter, &cycles, "x", 9, 1, NULL, 0), EACCES,
		 "forbids counting a whole processor's events");
	ANSWER(opens, FAILS(EINVAL));
	ck_fails(open_in(&counter, &cycles, "x", 9, 1, NULL, 2), EINVAL,
		 "together with the 2 events");
	ck_fails(open_in(&counter, &cycles, "x", 9, 0, NULL, 2), EINVAL, "there is no processor 0");
	ck_assert_int_eq(counter.fd, -1);
	root_remove();
}
END_TEST

/* Kernels that can't tell what was lost are not asked again for what they don't know. */
START_TEST(what_was_lost)
{
	struct perf_event_attr attr = cycles;
	struct perfctr_counter counter;

	attr.read_format = PERFCTR_READ_FORMAT | PERFCTR_FORMAT_LOST;
	ANSWER(opens, RETURNS(EVENT));
	ck_assert_int_eq(open_at(&counter, &attr, "x", 0, -1, NULL, 0), 0);
	ck_assert_uint_eq(opens.calls, 1);
	ck_assert_uint_eq(attr.read_format, PERFCTR_READ_FORMAT | PERFCTR_FORMAT_LOST);
	ANSWER(opens, FAILS(EINVAL), RETURNS(EVENT));
	ck_assert_int_eq(open_at(&counter, &attr, "x", 0, -1, NULL, 0), 0);
	ck_assert_uint_eq(opens.calls, 2);
	ck_assert_uint_eq(attr.read_format, PERFCTR_READ_FORMAT);
	ck_assert_uint_eq(opened.attr.read_format, PERFCTR_READ_FORMAT);
	ANSWER(opens, FAILS(EINVAL), RETURNS(EVENT));
	ck_assert_int_eq(perfctr_counter_try(&counter, &attr, &perfctr_this_thread, NULL), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(opens.calls, 1);
	attr.read_format |= PERFCTR_FORMAT_LOST;
	ANSWER(opens, FAILS(ESRCH), RETURNS(EVENT));
	ck_fails(open_at(&counter, &attr, "x", 17, -1, NULL, 0), ESRCH, "no thread 17");
	ck_assert_uint_eq(opens.calls, 1);
}
END_TEST

/* What is asked at the last call, of the host and of guests: an 'H' or 'G' for what is excluded. */
static const char *excluded(void)
{
	static const char *const all[] = { "", "H", "G", "HG" };

	return all[opened.attr.exclude_host + 2 * opened.attr.exclude_guest];
}

/*
 * Guests are left out at once where the PMU may know them, else if it refuses to count them, and
 * counted if they are named, or if it refuses to leave them out.
 */
START_TEST(guests)
{
	static const struct {
		struct perf_event_attr attr;
		int error;	      /* of the first call */
		unsigned int calls;   /* the last one succeeds */
		const char *excluded; /* then */
	} cases[] = {
		{ { .type = PERF_TYPE_HARDWARE }, 0, 1, "G" },
		{ { .type = PERF_TYPE_HW_CACHE }, 0, 1, "G" },
		{ { .type = PERF_TYPE_RAW }, 0, 1, "G" },
		{ { .type = PERF_TYPE_SOFTWARE }, 0, 1, "" },
		{ { .type = PERF_TYPE_TRACEPOINT }, 0, 1, "" },
		{ { .type = PERF_TYPE_BREAKPOINT }, 0, 1, "" },
		{ { .type = 12 }, 0, 1, "" },
		{ { .type = PERF_TYPE_HARDWARE }, EINVAL, 2, "" },
		{ { .type = PERF_TYPE_HARDWARE }, EOPNOTSUPP, 2, "" },
		{ { .type = 12 }, EOPNOTSUPP, 2, "G" },
		/* Named. */
		{ { .type = PERF_TYPE_RAW, .exclude_host = 1 }, 0, 1, "H" },
		{ { .type = PERF_TYPE_RAW, .exclude_guest = 1 }, 0, 1, "G" },
		{ { .type = PERF_TYPE_RAW, .exclude_host = 1, .exclude_guest = 1 }, 0, 1, "" },
		{ { .type = PERF_TYPE_SOFTWARE, .exclude_guest = 1 }, 0, 1, "G" },
	};
	static const struct {
		struct perf_event_attr attr;
		int error;
		unsigned int calls;
	} wrong[] = {
		{ { .type = PERF_TYPE_HARDWARE }, ENOENT, 1 },
		{ { .type = PERF_TYPE_HARDWARE }, EINVAL, 2 },
		{ { .type = PERF_TYPE_HARDWARE }, EOPNOTSUPP, 2 },
		{ { .type = PERF_TYPE_SOFTWARE }, EOPNOTSUPP, 1 },
		{ { .type = PERF_TYPE_TRACEPOINT }, EOPNOTSUPP, 1 },
		{ { .type = PERF_TYPE_BREAKPOINT }, EOPNOTSUPP, 1 },
		{ { .type = 12 }, EINVAL, 1 },
		{ { .type = 12 }, EOPNOTSUPP, 2 },
		{ { .type = PERF_TYPE_RAW, .exclude_host = 1 }, EOPNOTSUPP, 1 },
		{ { .type = PERF_TYPE_RAW, .exclude_guest = 1 }, EINVAL, 1 },
		{ { .type = PERF_TYPE_RAW, .exclude_host = 1, .exclude_guest = 1 }, EOPNOTSUPP, 1 },
	};
	const struct perfctr_scope scope = { .tid = 17, .cpu = -1, .cgroup = -1 };
	struct perfctr_counter counter;
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (cases[i].error)
			ANSWER(opens, FAILS(cases[i].error), RETURNS(EVENT));
		else
			ANSWER(opens, RETURNS(EVENT));
		attr = cases[i].attr;
		ck_assert_int_eq(perfctr_counter_try(&counter, &attr, &scope, NULL), 0);
		ck_assert_msg(opens.calls == cases[i].calls, "%u: %u calls", i, opens.calls);
		ck_assert_msg(!strcmp(excluded(), cases[i].excluded), "%u: %s", i, excluded());
		ck_assert_mem_eq(&attr, &opened.attr, sizeof(attr));
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		/* What is told is the first reason, and the attr is as it was. */
		ANSWER(opens, FAILS(wrong[i].error), FAILS(EXDEV));
		attr = wrong[i].attr;
		ck_assert_int_eq(perfctr_counter_try(&counter, &attr, &scope, NULL), -1);
		ck_assert_int_eq(errno, wrong[i].error);
		ck_assert_msg(opens.calls == wrong[i].calls, "%u: %u calls", i, opens.calls);
		ck_assert_mem_eq(&attr, &wrong[i].attr, sizeof(attr));
	}
}
END_TEST

/* A group counts guests in all its events or in none. */
START_TEST(guests_of_groups)
{
	static const struct perf_event_attr raw = { .type = PERF_TYPE_RAW }, other = { .type = 12 },
					    own = { .type = PERF_TYPE_SOFTWARE };
	const struct perfctr_scope scope = { .tid = 17, .cpu = -1, .cgroup = -1 };
	struct perfctr_counter leader, member;
	struct perf_event_attr attr = raw;

	/* A refusal to a member is about something else. */
	ANSWER(opens, RETURNS(EVENT), FAILS(EINVAL), RETURNS(EVENT));
	ck_assert_int_eq(perfctr_counter_try(&leader, &attr, &scope, NULL), 0);
	attr = raw;
	ck_assert_int_eq(perfctr_counter_try(&member, &attr, &scope, &leader), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(opens.calls, 2);
	ck_assert_int_eq(perfctr_counter_try(&member, &attr, &scope, &leader), 0);
	ck_assert_str_eq(excluded(), "G");
	attr = other;
	ck_assert_int_eq(perfctr_counter_try(&member, &attr, &scope, &leader), 0);
	ck_assert_str_eq(excluded(), "G");
	attr = own;
	ck_assert_int_eq(perfctr_counter_try(&member, &attr, &scope, &leader), 0);
	ck_assert_str_eq(excluded(), "");
	/* A leader that can't leave them out. */
	ANSWER(opens, FAILS(EINVAL), RETURNS(EVENT));
	attr = raw;
	ck_assert_int_eq(perfctr_counter_try(&leader, &attr, &scope, NULL), 0);
	attr = raw;
	ck_assert_int_eq(perfctr_counter_try(&member, &attr, &scope, &leader), 0);
	ck_assert_str_eq(excluded(), "");
	ck_assert_uint_eq(opens.calls, 3);
	/* One of the kernel's own says nothing of the PMU. */
	ANSWER(opens, RETURNS(EVENT), FAILS(EINVAL), RETURNS(EVENT));
	attr = own;
	ck_assert_int_eq(perfctr_counter_try(&leader, &attr, &scope, NULL), 0);
	attr = raw;
	ck_assert_int_eq(perfctr_counter_try(&member, &attr, &scope, &leader), 0);
	ck_assert_str_eq(excluded(), "");
	ck_assert_uint_eq(opens.calls, 3);
}
END_TEST

/* A sampler's event is refused for a sampler's reasons. */
START_TEST(refused_to_samplers)
{
	const struct perfctr_scope scope = { .cpu = -1, .cgroup = -1, .sampled = true };
	struct perf_event_attr attr = cycles;
	struct perfctr_counter counter;

	attr.sample_period = 1000;
	ANSWER(opens, FAILS(E2BIG));
	ck_fails(perfctr_counter_open(&counter, &attr, "x", &scope, NULL, 0), EOPNOTSUPP,
		 "x can't be sampled in this way: this kernel is too old");
	ck_fails(open_at(&counter, &attr, "x", 0, -1, NULL, 0), E2BIG, "x can't be counted: ");
}
END_TEST

/* A metric counts only where slots lead. */
START_TEST(metrics)
{
	static struct perf_event_attr slots = { .type = PERF_TYPE_RAW, .config = 0x400 },
				      retiring = { .type = PERF_TYPE_RAW, .config = 0x8000 };
	struct perfctr_counter leader, counter, other = event;
	struct perfctr_scope scope;

	root_make();
	root_line("cpu/type", "4");
	root_line("cpu/events/slots", "event=0x00,umask=0x4");
	root_line("cpu/events/topdown-retiring", "event=0x00,umask=0x80");
	ANSWER(opens, RETURNS(EVENT));
	ck_assert_int_eq(open_at(&leader, &slots, "slots", 0, -1, NULL, 0), 0);
	ck_assert(leader.slots && !leader.metric);
	ck_assert_int_eq(open_at(&counter, &retiring, "retiring", 0, -1, &leader, 1), 0);
	ck_assert(!counter.slots && counter.metric);
	ck_fails(open_at(&counter, &retiring, "retiring", 0, -1, NULL, 0), EINVAL,
		 "write {slots,retiring}");
	ck_assert_int_eq(counter.fd, -1);
	ck_fails(open_at(&counter, &retiring, "retiring", 0, -1, &other, 0), EINVAL,
		 "write {slots,retiring}");
	ck_fails(open_in(&counter, &retiring, "retiring", 9, 0, &other, 0), EINVAL,
		 "write {slots,retiring}");
	/* It is counted in the modes of the slots. */
	retiring.exclude_kernel = 1;
	ck_fails(open_at(&counter, &retiring, "retiring:u", 0, -1, &leader, 1), EINVAL,
		 "give both the same modifiers");
	slots.exclude_kernel = 1;
	ck_assert_int_eq(open_at(&leader, &slots, "slots:u", 0, -1, NULL, 0), 0);
	ck_assert_int_eq(open_at(&counter, &retiring, "retiring:u", 0, -1, &leader, 1), 0);
	retiring.exclude_user = 1;
	ck_fails(open_at(&counter, &retiring, "retiring", 0, -1, &leader, 1), EINVAL,
		 "give both the same modifiers");
	/* It is not sampled. */
	scope = perfctr_this_thread;
	scope.sampled = true;
	ck_fails(perfctr_counter_open(&counter, &retiring, "retiring", &scope, &leader, 1),
		 EOPNOTSUPP, "retiring can be counted but not sampled");
	/* It has no register that could be read. */
	counter.fd = EVENT;
	ck_assert(!perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT));
	ck_assert_uint_eq(maps.calls, 0);
	root_remove();
}
END_TEST

/* ---- descriptors that the program has closed ---- */

START_TEST(closed_by_the_program)
{
	struct perfctr_counter counter = event;
	struct perfctr_group_values values;
	uint64_t number;

	its_id = 5;
	counter.identity = (uint32_t)(its_id + 1) << 1;
	ANSWER(ioctls, RETURNS(0));
	ck_assert(perfctr_counter_is_own(&counter));
	ck_assert_int_eq(perfctr_counter_ioctl(&counter, PERF_EVENT_IOC_ENABLE, 0), 0);
	ck_assert_uint_eq(ioctls.calls, 1);
	its_id = 6; /* another event has the number */
	ck_assert(!perfctr_counter_is_own(&counter));
	ck_fails(perfctr_counter_check(&counter), ESTALE, "the program closed the descriptor");
	ck_fails(perfctr_counter_ioctl(&counter, PERF_EVENT_IOC_ENABLE, 0), ESTALE, "stale");
	ck_fails(perfctr_counter_id(&counter, &number), ESTALE, "stale");
	errno = 0;
	ck_assert_int_eq(perfctr_counter_request(&counter, PERF_EVENT_IOC_ENABLE, 0), -1);
	ck_assert_int_eq(errno, ESTALE);
	ck_assert_uint_eq(ioctls.calls, 1);
	ck_assert_int_eq(perfctr_counter_read(&counter, &values, 1), PERFCTR_READ_FAILED);
	ck_assert_int_eq(errno, ESTALE);
	ck_fails((int)perfctr_counter_words(&counter, &number, 1), ESTALE, "stale");
	perfctr_counter_close(&counter);
	ck_assert_uint_eq(closes, 0);
	ck_assert_int_eq(counter.fd, -1);
	/* Its owner knows that nobody closes it. */
	counter = event;
	counter.identity = PERFCTR_DESCRIPTOR_KEPT;
	ck_assert_int_eq(perfctr_counter_check(&counter), 0);
	perfctr_counter_close(&counter);
	ck_assert_uint_eq(closes, 1);
	its_id = 0;
}
END_TEST

/* ---- pages ---- */

START_TEST(pages)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perfctr_counter counter = event;

	root_make();
	ANSWER(maps, RETURNS(0));
	memset(&page, 0, sizeof(page));
	/* Neither can be read. */
	ck_assert(!perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT));
	ck_assert_ptr_null(counter.page);
	ck_assert_uint_eq(unmaps, 1);
	ck_assert_uint_eq(unmapped, size);
	ck_assert_uint_eq(mapped.size, size);
	ck_assert_int_eq(mapped.prot, PROT_READ);
	ck_assert_int_eq(mapped.flags, MAP_SHARED);
	ck_assert_int_eq(mapped.fd, EVENT);
	ck_assert_int_eq(mapped.offset, 0);
	ck_assert(!perfctr_counter_map(&counter, PERFCTR_PAGE_CLOCK));
	ck_assert_uint_eq(unmaps, 2);
	/* One of them. */
	page.cap_user_rdpmc = 1;
	ck_assert(!perfctr_counter_map(&counter, PERFCTR_PAGE_CLOCK));
	ck_assert_uint_eq(unmaps, 3);
	ck_assert_int_eq(perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT), PERFCTR_HAVE_RDPMC);
	ck_assert_int_eq(counter.page == &page, PERFCTR_HAVE_RDPMC);
	perfctr_counter_unmap(&counter);
	ck_assert_uint_eq(unmaps, 4);
	ck_assert_ptr_null(counter.page);
	perfctr_counter_unmap(&counter);
	ck_assert_uint_eq(unmaps, 4);
	page.cap_user_rdpmc = 0;
	page.cap_user_time = 1;
	ck_assert(!perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT));
	ck_assert_int_eq(perfctr_counter_map(&counter, PERFCTR_PAGE_CLOCK), PERFCTR_HAVE_RDTSC);
	errno = ENOTTY;
	perfctr_counter_close(&counter);
	ck_assert_int_eq(errno, ENOTTY);
	ck_assert_uint_eq(unmaps, 6);
	ck_assert_int_eq(counter.fd, -1);
	/* That there is none is no error. */
	counter = event;
	ANSWER(maps, FAILS(EPERM));
	errno = ENOTTY;
	ck_assert(!perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT));
	ck_assert_int_eq(errno, ENOTTY);
	ck_assert_ptr_null(counter.page);
	ck_assert_uint_eq(unmaps, 6);
	root_remove();
}
END_TEST

START_TEST(readers)
{
	struct perfctr_counter counter = event;
	struct perfctr_reader reader;
	uint16_t width;

	memset(&page, 0, sizeof(page));
	page.index = 5;
	memset(&reader, 0x5A, sizeof(reader));
	perfctr_counter_reader(&counter, &reader);
	ck_assert_uint_eq(reader.page->index, 0);
	counter.page = &page;
	for (width = 0; width <= 66; width++) {
		page.pmc_width = width;
		perfctr_counter_reader(&counter, &reader);
#ifdef __riscv /* whose readers look at the page */
		ck_assert(reader.page == &page);
		ck_assert_uint_eq(reader.shift, 0);
#else
		ck_assert(reader.page == &page ? width >= 1 && width <= 64
					       : width < 1 || width > 64);
		ck_assert_uint_eq(reader.shift, reader.page == &page ? 64u - width : 0);
#endif
	}
	page.pmc_width = 48;
	counter.kernel_reads = true;
	perfctr_counter_reader(&counter, &reader);
	ck_assert_uint_eq(reader.page->index, 0);
	ck_assert_uint_eq(reader.base, 0);
}
END_TEST

START_TEST(rings)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perfctr_counter counter = event;

	ANSWER(maps, RETURNS(0));
	ck_assert_int_eq(perfctr_counter_map_ring(&counter, 8 * size, false), 0);
	ck_assert_ptr_eq(counter.page, &page);
	ck_assert_uint_eq(counter.size, 9 * size);
	ck_assert_uint_eq(mapped.size, 9 * size);
	ck_assert_int_eq(mapped.prot, PROT_READ | PROT_WRITE);
	ck_assert_int_eq(mapped.flags, MAP_SHARED);
	ck_assert_int_eq(mapped.fd, EVENT);
	ck_assert_int_eq(mapped.offset, 0);
	ck_assert_int_eq(perfctr_counter_map_ring(&counter, size, true), 0);
	ck_assert_ptr_eq(counter.page, &page);
	ck_assert_uint_eq(mapped.size, 2 * size);
	ck_assert_int_eq(mapped.prot, PROT_READ);
	errno = ENOTTY;
	perfctr_counter_close(&counter);
	ck_assert_int_eq(errno, ENOTTY);
	ck_assert_uint_eq(unmapped, 2 * size);
	ANSWER(maps, FAILS(ENOMEM));
	ck_fails(perfctr_counter_map_ring(&counter, 8 * size, false), ENOMEM, "no buffer of");
	ck_assert_ptr_null(counter.page);
}
END_TEST

/* ---- overflows ---- */

static void is_armed(int signal)
{
	ck_assert_uint_eq(fcntls.calls, 4);
	ck_assert_int_eq(set[0].command, F_SETSIG);
	ck_assert_int_eq(set[0].argument, signal);
	ck_assert_int_eq(set[1].command, F_SETOWN_EX);
	ck_assert_int_eq(set[1].owner.type, F_OWNER_TID);
	ck_assert_int_eq(set[1].owner.pid, 4711);
	ck_assert_int_eq(set[2].command, F_GETFL);
	ck_assert_int_eq(set[3].command, F_SETFL);
	ck_assert_int_eq(set[3].argument, O_RDWR | O_ASYNC);
}

START_TEST(signals)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perfctr_counter counter = event;

	root_make();
	ANSWER(fcntls, RETURNS(0), RETURNS(0), RETURNS(O_RDWR), RETURNS(0));
	ck_assert_int_eq(perfctr_counter_signal(&event, 33), 0);
	is_armed(33);
	ANSWER(fcntls, FAILS(EINVAL));
	ck_fails(perfctr_counter_signal(&event, 33), EINVAL,
		 "signal 33 can't be sent at overflows");
	ANSWER(fcntls, RETURNS(0), FAILS(ESRCH));
	ck_fails(perfctr_counter_signal(&event, 33), ESRCH, "signal 33 can't be sent at overflows");
	ANSWER(fcntls, RETURNS(0), RETURNS(0), FAILS(EIO), RETURNS(0));
	ck_fails(perfctr_counter_signal(&event, 33), EIO, "signal 33 can't be sent at overflows");
	ANSWER(fcntls, RETURNS(0), RETURNS(0), RETURNS(0), FAILS(ENOMEM));
	ck_fails(perfctr_counter_signal(&event, 33), ENOMEM,
		 "signal 33 can't be sent at overflows");
	/* With the page, and one to write into. */
	ANSWER(maps, RETURNS(0));
	ANSWER(fcntls, RETURNS(0), RETURNS(0), RETURNS(O_RDWR), RETURNS(0));
	ck_assert_int_eq(perfctr_counter_arm(&counter, 34), 0);
	is_armed(34);
	ck_assert_ptr_eq(counter.page, &page);
	ck_assert_uint_eq(counter.size, 2 * size);
	ck_assert_uint_eq(mapped.size, 2 * size);
	ck_assert_int_eq(mapped.prot, PROT_READ);
	ck_assert(!counter.kernel_reads);
	perfctr_counter_unmap(&counter);
	ck_assert_uint_eq(unmapped, 2 * size);
	counter.metric = true;
	ck_assert_int_eq(perfctr_counter_arm(&counter, 34), 0);
	ck_assert(counter.kernel_reads);
	ANSWER(fcntls, FAILS(EINVAL));
	ck_fails(perfctr_counter_arm(&counter, 34), EINVAL, "signal 34 can't be sent");
	ANSWER(maps, FAILS(ENOMEM));
	ck_fails(perfctr_counter_arm(&counter, 34), ENOMEM, "no buffer of");
	ck_assert_ptr_null(counter.page);
	root_remove();
}
END_TEST

/* ---- reading ---- */

#define ck_unreadable(call, words) ck_fails((call) == PERFCTR_READ_FAILED ? -1 : 0, EIO, words)

START_TEST(reading)
{
	struct perfctr_group_values values;

	memset(read_.words, 0, sizeof(read_.words));
	read_.words[0] = 1;
	read_.words[3] = 99;
	ANSWER(reads, RETURNS((long)header + 8));
	ck_assert_int_eq(perfctr_counter_read(&event, &values, 1), PERFCTR_READ_DONE);
	ck_assert_uint_eq(values.values[0], 99);
	ck_assert_uint_eq(read_.size, header + 8);
	ck_assert_int_eq(read_.fd, EVENT);
	ck_assert_uint_eq(reads.calls, 1);
	read_.words[0] = 3;
	ANSWER(reads, FAILS(EINTR), FAILS(EINTR), RETURNS((long)header + 24));
	ck_assert_int_eq(perfctr_counter_read(&event, &values, 3), PERFCTR_READ_DONE);
	ck_assert_uint_eq(reads.calls, 3);
	ck_assert_uint_eq(yields, 0);
	/* Off the PMU. */
	ANSWER(reads, RETURNS(0));
	ck_assert_int_eq(perfctr_counter_read(&event, &values, 3), PERFCTR_READ_TAKEN);
	/* A group no more; but one event is always alone. */
	read_.words[0] = 1;
	ANSWER(reads, RETURNS((long)header + 8));
	ck_assert_int_eq(perfctr_counter_read(&event, &values, 2), PERFCTR_READ_DISSOLVED);
	/* What no kernel returns. */
	ck_unreadable(perfctr_counter_read(&event, &values, 0),
		      "returned 32 bytes for a group of 0");
	read_.words[0] = 2;
	ck_unreadable(perfctr_counter_read(&event, &values, 2),
		      "returned 32 bytes for a group of 2");
	ck_unreadable(perfctr_counter_read(&event, &values, 1),
		      "returned 32 bytes for a group of 1");
	read_.words[0] = 3;
	ANSWER(reads, RETURNS((long)header + 16));
	ck_unreadable(perfctr_counter_read(&event, &values, 2),
		      "returned 40 bytes for a group of 2");
	ANSWER(reads, FAILS(ENOMEM));
	ck_unreadable(perfctr_counter_read(&event, &values, 1),
		      "reading the counters failed: Cannot allocate memory");
}
END_TEST

/* Who inherits is being taken apart. That can't take for ever. */
START_TEST(reading_while_threads_end)
{
	struct perfctr_group_values values;

	read_.words[0] = 1;
	yields = 0;
	ANSWER(reads, FAILS(ECHILD), FAILS(EINTR), FAILS(ECHILD), RETURNS((long)header + 8));
	ck_assert_int_eq(perfctr_counter_read(&event, &values, 1), PERFCTR_READ_DONE);
	ck_assert_uint_eq(yields, 2);
	ck_assert_uint_eq(reads.calls, 4);
	yields = 0;
	ANSWER(reads, FAILS(ECHILD));
	ck_unreadable(perfctr_counter_read(&event, &values, 1), "reading the counters failed: ");
	ck_assert_uint_eq(yields, 10000);
	ck_assert_uint_eq(reads.calls, 10001);
}
END_TEST

/* Each alone, where a group has come apart; its first value is the event's. */
START_TEST(reading_alone)
{
	static struct perfctr_counter counters[3] = { { .fd = EVENT },
						      { .fd = EVENT + 1 },
						      { .fd = EVENT + 2 } };
	const struct perfctr_events events = { .n = 3, .companion.fd = -1, .counter = counters };
	struct perfctr_group_values values;

	memset(&values, 0, sizeof(values));
	read_.words[0] = 1;
	read_.words[3] = 99;
	ANSWER(reads, RETURNS((long)header + 8));
	ck_assert_int_eq(perfctr_events_read(&events, &values), PERFCTR_READ_DISSOLVED);
	ck_assert_uint_eq(values.values[0], 99);
	ck_assert_uint_eq(values.values[1], 99);
	ck_assert_uint_eq(values.values[2], 99);
	ck_assert_uint_eq(reads.calls, 3);
	ck_assert_int_eq(read_.fd, EVENT + 2);
	ANSWER(reads, RETURNS((long)header + 8), RETURNS(0));
	ck_assert_int_eq(perfctr_events_read(&events, &values), PERFCTR_READ_TAKEN);
	ck_assert_uint_eq(reads.calls, 2);
	ANSWER(reads, RETURNS((long)header + 8), RETURNS((long)header + 8), FAILS(EIO));
	ck_unreadable(perfctr_events_read(&events, &values), "reading the counters failed");
	ANSWER(reads, RETURNS(0));
	ck_assert_int_eq(perfctr_events_read(&events, &values), PERFCTR_READ_TAKEN);
	ck_assert_uint_eq(reads.calls, 1);
	/* All at once is enough where they are a group. */
	read_.words[0] = 3;
	ANSWER(reads, RETURNS((long)header + 24));
	ck_assert_int_eq(perfctr_events_read(&events, &values), PERFCTR_READ_DONE);
	ck_assert_uint_eq(reads.calls, 1);
}
END_TEST

START_TEST(words)
{
	uint64_t found[8];

	ANSWER(reads, FAILS(EINTR), RETURNS(24));
	ck_assert_int_eq(perfctr_counter_words(&event, found, 8), 3);
	ck_assert_uint_eq(read_.size, 64);
	ck_assert_uint_eq(reads.calls, 2);
	ANSWER(reads, RETURNS(0));
	ck_assert_int_eq(perfctr_counter_words(&event, found, 8), 0);
	ANSWER(reads, FAILS(ENOSPC));
	ck_fails(perfctr_counter_words(&event, found, 8), EIO,
		 "reading the counters failed: No space left on device");
}
END_TEST

/* ---- switching ---- */

START_TEST(requests)
{
	uint64_t id;

	ANSWER(ioctls, FAILS(EINTR), FAILS(EINTR), RETURNS(0));
	ck_assert_int_eq(perfctr_counter_ioctl(&event, PERF_EVENT_IOC_ENABLE, 1), 0);
	ck_assert_uint_eq(ioctls.calls, 3);
	ck_assert_int_eq(asked.fd, EVENT);
	ck_assert_uint_eq(asked.request, PERF_EVENT_IOC_ENABLE);
	ck_assert_uint_eq(asked.argument, 1);
	ANSWER(ioctls, RETURNS(5));
	ck_assert_int_eq(perfctr_counter_request(&event, PERF_EVENT_IOC_REFRESH, 7), 5);
	ck_assert_uint_eq(asked.argument, 7);
	ck_assert_int_eq(perfctr_counter_ioctl(&event, PERF_EVENT_IOC_REFRESH, 7), 0);
	ANSWER(ioctls, FAILS(EINVAL));
	ck_fails(perfctr_counter_ioctl(&event, PERF_EVENT_IOC_ENABLE, 0), EINVAL,
		 "the kernel refused to switch the counters: Invalid argument");
	errno = 0;
	ck_assert_int_eq(perfctr_counter_request(&event, PERF_EVENT_IOC_ENABLE, 0), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_fails(perfctr_counter_id(&event, &id), EINVAL,
		 "the kernel does not tell the event's id");
	ANSWER(ioctls, RETURNS(0));
	ck_assert_int_eq(perfctr_counter_id(&event, &id), 0);
	ck_assert_uint_eq(asked.request, PERF_EVENT_IOC_ID);
	ck_assert_uint_eq(asked.argument, (uintptr_t)&id);
}
END_TEST

START_TEST(all_of_a_thread)
{
	ANSWER(prctls, RETURNS(0));
	ck_assert_int_eq(perfctr_enable_all(), 0);
	ck_assert_int_eq(prctl_option, PR_TASK_PERF_EVENTS_ENABLE);
	ck_assert_int_eq(perfctr_disable_all(), 0);
	ck_assert_int_eq(prctl_option, PR_TASK_PERF_EVENTS_DISABLE);
	ANSWER(prctls, FAILS(EINVAL));
	ck_fails(perfctr_enable_all(), EOPNOTSUPP, "CONFIG_PERF_EVENTS");
	ANSWER(prctls, FAILS(EPERM));
	ck_fails(perfctr_disable_all(), EPERM, "can't switch all events: Operation not permitted");
}
END_TEST

/* ---- what the kernel can ---- */

/* An event that any user may open, and that counts nothing. */
static void asks_for_little(pid_t tid, int cpu, unsigned long flags)
{
	ck_assert_uint_eq(opened.attr.type, PERF_TYPE_SOFTWARE);
	ck_assert_uint_eq(opened.attr.config, PERF_COUNT_SW_DUMMY);
	ck_assert_uint_eq(opened.attr.size, sizeof(opened.attr));
	ck_assert_uint_eq(opened.attr.exclude_kernel, 1);
	ck_assert_int_eq(opened.tid, tid);
	ck_assert_int_eq(opened.cpu, cpu);
	ck_assert_int_eq(opened.group, -1);
	ck_assert_uint_eq(opened.flags, flags | PERF_FLAG_FD_CLOEXEC);
}

static void can(bool (*ask)(void))
{
	ANSWER(opens, RETURNS(EVENT));
	closes = 0;
	errno = ENOTTY;
	ck_assert(ask());
	asks_for_little(0, -1, 0);
	ck_assert_int_eq(errno, ENOTTY);
	ck_assert_uint_eq(closes, 1);
	ck_assert_int_eq(closed, EVENT);
	ANSWER(opens, RETURNS(0));
	errno = EINVAL;
	ck_assert(ask());
	ck_assert_uint_eq(closes, 2);
	ANSWER(opens, FAILS(EINVAL));
	errno = ENOTTY;
	ck_assert(!ask());
	ck_assert_int_eq(errno, ENOTTY);
	/* It is refused for another reason. */
	ANSWER(opens, FAILS(EACCES));
	ck_assert(ask());
	ck_assert_uint_eq(closes, 2);
}

START_TEST(kernels)
{
	can(perfctr_can_inherit_thread);
	ck_assert_uint_eq(opened.attr.inherit_thread, 1);
	ck_assert_uint_eq(opened.attr.remove_on_exec, 0);
	can(perfctr_can_remove_on_exec);
	ck_assert_uint_eq(opened.attr.inherit_thread, 0);
	ck_assert_uint_eq(opened.attr.remove_on_exec, 1);
}
END_TEST

START_TEST(cgroups)
{
	ANSWER(opens, RETURNS(EVENT));
	closes = 0;
	ck_assert_int_eq(perfctr_cgroup_probe(9, 2), 0);
	asks_for_little(9, 2, PERF_FLAG_PID_CGROUP);
	ck_assert_uint_eq(closes, 1);
	ANSWER(opens, RETURNS(0));
	ck_assert_int_eq(perfctr_cgroup_probe(9, 2), 0);
	ck_assert_uint_eq(closes, 2);
	ANSWER(opens, FAILS(EBADF));
	errno = 0;
	ck_assert_int_eq(perfctr_cgroup_probe(9, 2), -1);
	ck_assert_int_eq(errno, EBADF);
	ck_assert_uint_eq(closes, 2);
}
END_TEST

UNIT_MAIN("counter", 60, opening, refused, what_was_lost, guests, guests_of_groups,
	  refused_to_samplers, metrics, closed_by_the_program, pages, readers, rings, signals,
	  reading, reading_while_threads_end, reading_alone, words, requests, all_of_a_thread,
	  kernels, cgroups)
