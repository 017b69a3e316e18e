// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The made-up PMU (tests/harness/pmu.h), held against the kernel: what can be asked of a software
 * event is asked of both, in the same words. Then what no software event can show: registers,
 * room, overflows.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/sys.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "tests/harness/pmu.h"
#include "tests/harness/check.h"

/* ---- the same of both: page faults, and how to make n of them ---- */

static bool made_up, only_made_up;

static void begin(int round)
{
	made_up = round || only_made_up;
	if (made_up)
		pmu_begin();
}

static void end(void)
{
	if (made_up)
		pmu_end();
}

/* Some time passes, too. */
static void work(unsigned int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory;
	unsigned int i;

	if (made_up) {
		pmu_count(n);
		pmu_tick(1000);
		return;
	}
	memory = perfctr_memory_map((n + 1) * page);
	madvise((void *)memory, (n + 1) * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		memory[i * page] = 1;
	perfctr_memory_unmap((void *)memory, (n + 1) * page);
}

static struct perf_event_attr faults(bool disabled, uint64_t format)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.read_format = format,
		.disabled = disabled,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

static int open_on(struct perf_event_attr attr, int leader)
{
	int fd = perfctr_event_open(&attr, 0, -1, leader);

	ck_assert_msg(fd >= 0, "%s", strerror(errno));
	return fd;
}

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static uint64_t value_of(int fd)
{
	uint64_t words[3] = { 0 };

	ck_assert_int_eq(read(fd, words, sizeof(words)), (int)sizeof(words));
	ck_assert_uint_eq(words[1], words[2]);
	return words[0];
}

/* A kernel's faults are sometimes more than the program's: try a few times. */
#define both(name)                                            \
	static bool name##_once(void);                        \
	START_TEST(name)                                      \
	{                                                     \
		unsigned int tries = 0;                       \
                                                              \
		begin(_i);                                    \
		while (!name##_once())                        \
			ck_assert(!made_up && tries++ < 100); \
		end();                                        \
	}                                                     \
	END_TEST                                              \
	static bool name##_once(void)

both(enable_disable_reset)
{
	int fd = open_on(faults(true, TIMES), -1);
	bool exact;

	work(5);
	ck_assert_uint_eq(value_of(fd), 0);
	ck_assert_int_eq(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	work(7);
	ck_assert_int_eq(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	exact = value_of(fd) == 7;
	work(9);
	exact &= value_of(fd) == 7;
	/* Resets the count and not the times, and leaves it off. */
	ck_assert_int_eq(ioctl(fd, PERF_EVENT_IOC_RESET, 0), 0);
	ck_assert_uint_eq(value_of(fd), 0);
	work(1);
	ck_assert_uint_eq(value_of(fd), 0);
	ck_assert_int_eq(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	work(3);
	ck_assert_int_eq(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	exact &= value_of(fd) == 3;
	ck_assert_int_eq(close(fd), 0);
	return exact;
}

/* Members count while the leader does. What stops one stops the others or doesn't. */
both(groups)
{
	const uint64_t format = TIMES | PERF_FORMAT_GROUP;
	int a = open_on(faults(true, format), -1), b = open_on(faults(false, format), a);
	int c = open_on(faults(true, format), a);
	uint64_t words[6], again[6];
	bool exact;

	work(5);
	ck_assert_int_eq(read(a, words, sizeof(words)), (int)sizeof(words));
	ck_assert_uint_eq(words[0], 3);
	ck_assert_uint_eq(words[1] | words[2] | words[3] | words[4] | words[5], 0);
	/* The leader starts the members that are on. */
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_ENABLE, 0), 0);
	work(7);
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_DISABLE, 0), 0);
	ck_assert_int_eq(read(a, words, sizeof(words)), (int)sizeof(words));
	exact = words[3] == 7 && words[4] == 7;
	ck_assert_uint_eq(words[5], 0);
	ck_assert_uint_gt(words[1], 0);
	ck_assert_uint_eq(words[1], words[2]);
	/* A member alone can't. */
	ck_assert_int_eq(ioctl(c, PERF_EVENT_IOC_ENABLE, 0), 0);
	work(4);
	ck_assert_int_eq(read(c, again, sizeof(again)), (int)sizeof(again));
	ck_assert_mem_eq(words, again, sizeof(words));
	ck_assert_int_eq(ioctl(b, PERF_EVENT_IOC_DISABLE, 0), 0);
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_ENABLE, 0), 0);
	work(2);
	/* Of the group, whichever is asked. */
	ck_assert_int_eq(ioctl(b, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	ck_assert_int_eq(read(b, words, sizeof(words)), (int)sizeof(words));
	exact &= words[3] == 9 && words[4] == 7 && words[5] == 2;
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	ck_assert_int_eq(read(a, words, sizeof(words)), (int)sizeof(words));
	ck_assert_uint_eq(words[3] | words[4] | words[5], 0);
	ck_assert_uint_gt(words[1], 0);
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	work(3);
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_DISABLE, 0), 0);
	ck_assert_int_eq(read(a, words, sizeof(words)), (int)sizeof(words));
	exact &= words[3] == 3 && words[4] == 3 && words[5] == 3;
	close(c);
	close(b);
	close(a);
	return exact;
}

/* Without their leader members count on alone, and read so. */
both(leader_closed)
{
	const uint64_t format = TIMES | PERF_FORMAT_GROUP;
	int a = open_on(faults(true, format), -1), b = open_on(faults(false, format), a);
	uint64_t words[5];
	bool exact;

	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_ENABLE, 0), 0);
	close(a);
	work(3);
	ck_assert_int_eq(ioctl(b, PERF_EVENT_IOC_DISABLE, 0), 0);
	ck_assert_int_eq(read(b, words, sizeof(words)), 4 * 8);
	ck_assert_uint_eq(words[0], 1);
	exact = words[3] == 3;
	close(b);
	return exact;
}

#define refused(call, error)                      \
	do {                                      \
		errno = 0;                        \
		ck_assert_int_eq((call), -1);     \
		ck_assert_int_eq(errno, (error)); \
	} while (0)

static int try_open(struct perf_event_attr attr, pid_t tid, int cpu, int leader)
{
	return perfctr_event_open(&attr, tid, cpu, leader);
}

static pid_t dead_thread(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	return child;
}

both(refusals)
{
	struct perf_event_attr attr = faults(true, TIMES | PERF_FORMAT_GROUP);
	int a = open_on(attr, -1), b = open_on(attr, a), null = open("/dev/null", O_RDWR);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t words[8], id = 0;
	void *memory, *second;

	refused(try_open(attr, -1, -1, -1), EINVAL);
	refused(try_open(attr, dead_thread(), -1, -1), ESRCH);
	refused(try_open(attr, 0, -1, null), EBADF);
	refused(try_open(attr, 0, -1, b), EINVAL); /* no leader */
	refused(try_open(attr, 0, 0, a), EINVAL);  /* bound to a processor */
	refused(try_open(attr, getppid(), -1, a), EINVAL);
	attr.pinned = 1;
	refused(try_open(attr, 0, -1, a), EINVAL);
	attr.pinned = 0;
	attr.inherit = 1;
	refused(try_open(attr, 0, -1, a), EINVAL);
	attr.inherit = 0;
	attr.sample_period = UINT64_C(1) << 63;
	refused(try_open(attr, 0, -1, -1), EINVAL);
	refused((int)read(a, words, 4 * 8), ENOSPC);
	ck_assert_int_eq(read(b, words, sizeof(words)), 5 * 8);
	/* Not what samples. */
	refused(ioctl(a, PERF_EVENT_IOC_REFRESH, 1), EINVAL);
	words[0] = 100;
	refused(ioctl(a, PERF_EVENT_IOC_PERIOD, words), EINVAL);
	refused(ioctl(a, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), EINVAL);
	refused(ioctl(a, 0x1234, 0), ENOTTY);
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_ID, &id), 0);
	ck_assert_uint_ne(id, 0);
	/* Pages: 1 + 2^n, shared, of one size. */
	ck_assert_ptr_eq(mmap(NULL, 4 * page, PROT_READ, MAP_SHARED, a, 0), MAP_FAILED);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_ptr_eq(mmap(NULL, page, PROT_READ, MAP_PRIVATE, a, 0), MAP_FAILED);
	ck_assert_int_eq(errno, EINVAL);
	memory = mmap(NULL, page, PROT_READ, MAP_SHARED, a, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_ptr_eq(mmap(NULL, 3 * page, PROT_READ, MAP_SHARED, a, 0), MAP_FAILED);
	ck_assert_int_eq(errno, EINVAL);
	second = mmap(NULL, page, PROT_READ, MAP_SHARED, a, 0);
	ck_assert_ptr_ne(second, MAP_FAILED);
	munmap(second, page);
	munmap(memory, page);
	close(null);
	close(b);
	close(a);
	return true;
}

/* An event lives as long as any descriptor of it, also another process's. */
both(descriptors)
{
	struct perf_event_attr attr = faults(false, TIMES);
	int a = open_on(attr, -1), b = dup(a), end_of_child[2], status;
	bool exact;
	pid_t child;
	char byte;

	close(a);
	ioctl(b, PERF_EVENT_IOC_RESET, 0);
	work(4);
	ck_assert_int_eq(ioctl(b, PERF_EVENT_IOC_DISABLE, 0), 0);
	exact = value_of(b) == 4;
	ck_assert_int_eq(pipe(end_of_child), 0);
	child = fork();
	if (child == 0) {
		close(end_of_child[1]);
		if (read(end_of_child[0], &byte, 1) != 0)
			_exit(1);
		_exit(exact && value_of(b) != 4 ? 2 : close(b));
	}
	close(end_of_child[0]);
	close(b);
	close(end_of_child[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	return exact;
}

static volatile sig_atomic_t signals, code, descriptor;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	signals++;
	code = info->si_code;
	descriptor = info->si_fd;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
	signals = code = 0;
	descriptor = -1;
}

/* A sampling event: at its end it stops, writes a record, sends a signal. */
both(overflows)
{
	struct perf_event_attr attr = faults(true, TIMES | PERF_FORMAT_GROUP);
	struct perf_event_attr other = faults(false, TIMES | PERF_FORMAT_GROUP);
	struct perfctr_counter counter = { .fd = -1 };
	const struct perf_event_mmap_page *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t words[5], period = 3;
	const uint64_t *record;
	struct perf_event_header header;
	int member;
	bool exact;

	attr.sample_period = 10;
	attr.sample_type = PERF_SAMPLE_READ;
	catch_signals();
	ck_assert_int_eq(perfctr_counter_open(&counter, &attr, "faults", &perfctr_this_thread, NULL,
					      0),
			 0);
	member = open_on(other, counter.fd);
	ck_assert_int_eq(perfctr_counter_arm(&counter, SIGUSR1), 0);
	page = counter.page;
	record = (const uint64_t *)(const void *)((const char *)page + size);
	ck_assert_uint_eq(page->data_head, 0);
	ck_assert_int_eq(ioctl(counter.fd, PERF_EVENT_IOC_REFRESH, 1), 0);
	work(9);
	exact = page->data_head == 0;
	work(3);
	exact &= signals == 1 && code == POLL_HUP && descriptor == counter.fd;
	/* Header, nr, times, and two counts. */
	memcpy(&header, record, sizeof(header));
	exact &= page->data_head == 48 && record[4] == 10 && (record[5] == 10 || record[5] == 9);
	if (exact) {
		ck_assert_uint_eq(header.type, PERF_RECORD_SAMPLE);
		ck_assert_uint_eq(header.size, 48);
		ck_assert_uint_eq(record[1], 2);
		ck_assert_uint_eq(record[2], record[3]);
	}
	/* It has stopped, and the group with it. */
	work(20);
	ck_assert_int_eq(read(counter.fd, words, sizeof(words)), (int)sizeof(words));
	exact &= signals == 1 && words[3] == 10 && words[4] == record[5];
	/* A new period for the next; without a limit it goes on. */
	ck_assert_int_eq(ioctl(counter.fd, PERF_EVENT_IOC_PERIOD, &period), 0);
	ck_assert_int_eq(ioctl(counter.fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	work(6);
	exact &= signals == 3 && code == POLL_IN && page->data_head == 3 * 48;
	ck_assert_int_eq(ioctl(counter.fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	close(member);
	perfctr_counter_close(&counter);
	return exact;
}

/* ---- what only the made-up one can be asked ---- */

static struct perf_event_attr raw(uint64_t config)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_RAW,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = TIMES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

/* A register of any width, anywhere: the library's own read, and the kernel's, see the same. */
START_TEST(registers)
{
	static const uint32_t first[] = { 0, 3, 6 };
	struct perfctr_counter counter;
	struct perf_event_attr attr = raw(0xC0);
	struct perfctr_reader reader;
	uint64_t value, enabled, running, expected = 0;
	unsigned int width, i, reads = 0;

	for (width = 16; width <= 64; width += 16)
		for (i = 0; i < ARRAY_SIZE(first); i++) {
			pmu_begin();
			pmu.width = width;
			pmu.first = first[i];
			ck_assert_int_eq(perfctr_counter_open(&counter, &attr, "raw",
							      &perfctr_this_thread, NULL, 0),
					 0);
			ck_assert_int_eq(perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT),
					 pmu.rdpmc);
			perfctr_counter_reader(&counter, &reader);
			for (expected = 0; expected < 200000; expected += 7777) {
				ck_assert_uint_eq(value_of(counter.fd), expected);
				if (pmu.rdpmc) {
					ck_assert(perfctr_reader_read_times(&reader, &value,
									    &enabled, &running));
					ck_assert_uint_eq(value, expected);
					ck_assert_uint_eq(enabled, expected / 7777 * 10);
					ck_assert_uint_eq(running, enabled);
					reads++;
				}
				pmu_count(7777);
				pmu_tick(10);
			}
			ck_assert_uint_eq(pmu_calls(PMU_RDPMC), pmu.rdpmc ? expected / 7777 : 0);
			perfctr_counter_close(&counter);
			pmu_end();
		}
	if (PERFCTR_HAVE_RDPMC && !reads)
		puts("registers: no reads in user space");
}
END_TEST

/* A page that changes while it is read, as at a thread's switch: the read begins again. */
static int between_fd;

static void change_page(void)
{
	ck_assert_int_eq(ioctl(between_fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	ck_assert_int_eq(ioctl(between_fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	pmu_count(1);
}

START_TEST(a_page_that_changes)
{
	struct perfctr_counter counter;
	struct perf_event_attr attr = raw(0xC0);
	struct perfctr_reader reader;
	uint64_t value;

	pmu_begin();
	ck_assert_int_eq(perfctr_counter_open(&counter, &attr, "raw", &perfctr_this_thread, NULL,
					      0),
			 0);
	perfctr_counter_map(&counter, PERFCTR_PAGE_COUNT);
	perfctr_counter_reader(&counter, &reader);
	between_fd = counter.fd;
	pmu_count(5);
	if (pmu.rdpmc) {
		pmu_at(PMU_RDPMC, 1, change_page);
		ck_assert(perfctr_reader_read(&reader, &value));
		ck_assert_uint_eq(value, 6);
		ck_assert_uint_eq(pmu_calls(PMU_RDPMC), 2);
	}
	perfctr_counter_close(&counter);
	pmu_end();
}
END_TEST

/* Modes, rates, and whose thread and processor it is. */
START_TEST(whose)
{
	struct perf_event_attr user = raw(0xC0), kernel = raw(0x3C);
	int a, b, c;

	kernel.exclude_user = 1;
	kernel.exclude_kernel = 0;
	pmu_begin();
	pmu_rate(0x3C, 3);
	a = open_on(user, -1);
	b = open_on(kernel, -1);
	c = try_open(user, -1, 1, -1);
	pmu_count(2);
	pmu_run(0, -1, true, 5);
	pmu_run(-1, 1, false, 7);
	ck_assert_uint_eq(value_of(a), 2);
	ck_assert_uint_eq(value_of(b), 15);
	ck_assert_uint_eq(value_of(c), 7);
	pmu_run(0, 1, false, 1);
	ck_assert_uint_eq(value_of(a), 3);
	ck_assert_uint_eq(value_of(c), 8);
	close(a);
	close(b);
	close(c);
	pmu_end();
}
END_TEST

/* No room: pinned events are in error, which reads tell by their end; others wait. */
START_TEST(room)
{
	struct perf_event_attr pinned = raw(0xC0), shared = raw(0x3C);
	uint64_t words[3];
	int a, b;

	pmu_begin();
	pmu.counters = 1;
	shared.read_format |= PERF_FORMAT_GROUP;
	a = open_on(shared, -1);
	refused(try_open(raw(1), 0, -1, a), EINVAL);
	pmu_tick(10);
	pmu_count(1);
	pinned.pinned = 1;
	b = open_on(pinned, -1);
	pmu_tick(30);
	pmu_count(5);
	ck_assert_uint_eq(value_of(b), 5);
	close(b);
	pmu_tick(60);
	pmu_count(4);
	pmu.taken = 1;
	pmu_schedule();
	ck_assert_uint_eq(pmu_active(), 0);
	pmu_tick(50);
	pmu_count(100);
	b = open_on(pinned, -1);
	ck_assert_int_eq(read(b, words, sizeof(words)), 0);
	pmu.taken = 0;
	pmu_schedule();
	/* For good, unless it is enabled once more. */
	ck_assert_int_eq(read(b, words, sizeof(words)), 0);
	ck_assert_int_eq(ioctl(b, PERF_EVENT_IOC_ENABLE, 0), 0);
	ck_assert_uint_eq(value_of(b), 0);
	close(b);
	close(a);
	pmu_end();
}
END_TEST

/* A processor that goes offline ends events and groups for good. */
START_TEST(offline)
{
	struct perf_event_attr attr = raw(0xC0);
	uint64_t words[5];
	int a, b;

	pmu_begin();
	attr.read_format |= PERF_FORMAT_GROUP;
	a = try_open(attr, -1, 1, -1);
	b = try_open(attr, -1, 1, a);
	pmu_run(-1, 1, false, 3);
	pmu_offline(1);
	refused(try_open(attr, -1, 1, -1), ENODEV);
	pmu_run(-1, 1, false, 3);
	pmu_online(1);
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	pmu_run(-1, 1, false, 3);
	ck_assert_int_eq(read(a, words, sizeof(words)), 32);
	ck_assert(words[0] == 1 && words[3] == 3);
	ck_assert_int_eq(read(b, words, sizeof(words)), 32);
	ck_assert(words[0] == 1 && words[3] == 3);
	close(a);
	close(b);
	pmu_end();
}
END_TEST

/* Calls fail when they are told to, once. */
START_TEST(faults_on_demand)
{
	struct perf_event_attr attr = raw(0xC0);
	uint64_t words[3];
	int a;

	pmu_begin();
	pmu_fail(PMU_OPEN, 2, EBUSY);
	a = open_on(attr, -1);
	ck_assert(!pmu_failed());
	refused(try_open(attr, 0, -1, -1), EBUSY);
	ck_assert(pmu_failed());
	pmu_fail(PMU_READ, 1, EINTR);
	refused((int)read(a, words, sizeof(words)), EINTR);
	pmu_fail(PMU_READ, 1, PMU_EOF);
	ck_assert_int_eq(read(a, words, sizeof(words)), 0);
	ck_assert_uint_eq(value_of(a), 0);
	pmu_fail(PERF_EVENT_IOC_DISABLE, 1, EIO);
	ck_assert_int_eq(ioctl(a, PERF_EVENT_IOC_ENABLE, 0), 0);
	refused(ioctl(a, PERF_EVENT_IOC_DISABLE, 0), EIO);
	pmu_fail(PMU_ANY, 1, EPERM);
	ck_assert_ptr_eq(mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, a, 0),
			 MAP_FAILED);
	ck_assert_int_eq(errno, EPERM);
	ck_assert_uint_eq(pmu_calls(PMU_READ), 3);
	close(a);
	pmu_end();
}
END_TEST

int main(void)
{
	const TTest *const twice[] = {
		enable_disable_reset, groups, leader_closed, refusals, descriptors, overflows,
	};
	const TTest *const once[] = {
		registers, a_page_that_changes, whose, room, offline, faults_on_demand,
	};
	struct perf_event_attr attr = faults(true, 0);
	int failed = run_tests("pmu", 60, once, ARRAY_SIZE(once), NULL, 0), fd;
	size_t i;

	fd = perfctr_event_open(&attr, 0, -1, -1);
	only_made_up = fd < 0;
	if (only_made_up)
		printf("The kernel's own events can't be asked: %s\n", strerror(errno));
	else
		close(fd);

	/* 0: the kernel's; 1: the made-up one's. */
	for (i = 0; i < ARRAY_SIZE(twice); i++)
		failed |= run_tests("pmu, both", 60, NULL, 0, twice[i], 2);
	return failed;
}
