// SPDX-License-Identifier: LGPL-2.1-or-later
/* Samplers on software events, which need no PMU. */
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#if defined(__x86_64__)
#include <asm/perf_regs.h>
#endif
#include "tests/harness/pmu.h"
#include "tests/harness/names.h"
#include "tests/harness/check.h"

#define WHO (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Pages that have not been touched. */
static char *fresh(unsigned int n)
{
	char *memory = mmap(NULL, n * page_size(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	madvise(memory, n * page_size(), MADV_NOHUGEPAGE);
	return memory;
}

/* So many page faults of known addresses. Returns the first. */
static uintptr_t fault(unsigned int n)
{
	volatile char *memory = fresh(n);
	unsigned int i;

	for (i = 0; i < n; i++)
		memory[i * page_size()] = 1;
	return (uintptr_t)memory;
}

/* What a sampler has recorded. */
struct found {
	unsigned int type[32]; /* how many of each */
	uint64_t lost;
	uint64_t last_time;
	uint64_t count; /* of the last sample's first event */
	unsigned int wrong;
};

static int note(void *arg, const struct perfctr_record *record)
{
	struct found *found = arg;

	found->type[record->type & 31]++;
	if (record->type == PERF_RECORD_LOST)
		found->lost += record->as.lost.lost;
	if (record->type == PERF_RECORD_SAMPLE && record->as.sample.counts.n)
		found->count = record->as.sample.counts.values[0];
	if (record->time < found->last_time)
		found->wrong++;
	found->last_time = record->time;
	return 0;
}

static struct perfctr_target on_cpu(int tid, int cpu)
{
	return (struct perfctr_target){
		.type = PERFCTR_TARGET_THREAD_ON_CPU,
		.id = tid,
		.cpu = cpu,
	};
}

static struct found drain(struct perfctr_sampler *sampler)
{
	struct found found;

	memset(&found, 0, sizeof(found));
	ck_assert_msg(perfctr_sampler_each(sampler, note, &found) == 0, "%s", perfctr_error());
	return found;
}

static struct perfctr_sampler *open_sampler(const char *events,
					    const struct perfctr_sampler_config *config)
{
	struct perfctr_sampler *sampler = perfctr_sampler_open(events, NULL, config);

	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	return sampler;
}

/* Page faults in user mode, each. */
static struct perfctr_sampler_config each_fault(uint64_t fields)
{
	return (struct perfctr_sampler_config){ .period = 1,
						.fields = fields,
						.flags = PERFCTR_DISABLED };
}

#define FAULTS "page-faults:u"

static __attribute__((noinline)) void spin(double seconds)
{
	struct timespec last, now;
	volatile unsigned int work;
	double step, done = 0;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &last);
	do {
		/* In user mode, most of the time: the clock is asked of the kernel. */
		for (work = 0; work < 20000; work++)
			;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
		step = (double)(now.tv_sec - last.tv_sec) +
		       (double)(now.tv_nsec - last.tv_nsec) / 1e9;
		/* A virtual machine's time continues while its host has it stand still. */
		done += step < 0.01 ? step : 0.01;
		last = now;
	} while (done < seconds);
}

START_TEST(a_clock)
{
	struct perfctr_sampler_config config = { .period = 200000,
						 .fields = WHO | PERF_SAMPLE_PERIOD };
	struct perfctr_sampler *sampler = open_sampler("task-clock:u", &config);
	const struct perfctr_record *record;
	unsigned int n = 0;
	uint64_t last = 0;
	int result;

	spin(0.1);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	while ((result = perfctr_sampler_next(sampler, &record)) > 0) {
		ck_assert_uint_eq(record->type, PERF_RECORD_SAMPLE);
		ck_assert_uint_eq(record->misc & PERF_RECORD_MISC_CPUMODE_MASK,
				  PERF_RECORD_MISC_USER);
		ck_assert_uint_eq(record->pid, (uint32_t)getpid());
		ck_assert_uint_eq(record->tid, (uint32_t)syscall(SYS_gettid));
		ck_assert_uint_gt(record->time, last);
		last = record->time;
		ck_assert_uint_lt(record->cpu, (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
		ck_assert_uint_ne(record->as.sample.ip, 0);
		ck_assert_uint_eq(record->as.sample.period, 200000);
		ck_assert_uint_eq(record->size, 8 + 5 * 8);
		n++;
	}
	ck_assert_int_eq(result, 0);
	/* 500 at most, but for what the clock counted before and after; a busy machine gives fewer.
	 */
	ck_assert_uint_gt(n, 20);
	ck_assert_uint_lt(n, 600);
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 0);
	perfctr_sampler_close(sampler);
	perfctr_sampler_close(NULL);
}
END_TEST

START_TEST(a_frequency)
{
	struct perfctr_sampler_config config = { .frequency = 1000, .fields = PERF_SAMPLE_TIME };
	struct perfctr_sampler *sampler = open_sampler("cpu-clock:u", &config);
	struct found found;

	spin(0.1);
	perfctr_sampler_disable(sampler);
	found = drain(sampler);
	ck_assert_uint_gt(found.type[PERF_RECORD_SAMPLE], 10);
	ck_assert_uint_lt(found.type[PERF_RECORD_SAMPLE], 120);
	ck_assert_int_eq(perfctr_sampler_set_period(sampler, 20000), 0);
	perfctr_sampler_enable(sampler);
	spin(0.1);
	perfctr_sampler_disable(sampler);
	found = drain(sampler);
	ck_assert_uint_gt(found.type[PERF_RECORD_SAMPLE], 120);
	ck_assert_uint_lt(found.type[PERF_RECORD_SAMPLE], 2400);
	ck_fails(perfctr_sampler_set_period(sampler, 1000000000), EINVAL, "max_sample_rate");
	perfctr_sampler_close(sampler);
}
END_TEST

/* Every page fault, at its address, in order. */
START_TEST(addresses)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR | PERF_SAMPLE_TIME);
	struct perfctr_sampler *sampler = open_sampler(FAULTS, &config);
	const struct perfctr_record *record;
	uintptr_t start, expected;
	unsigned int n = 0;

	fault(3);
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 0);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	start = fault(100);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	fault(3);
	expected = start;
	while (perfctr_sampler_next(sampler, &record) > 0) {
		if (record->as.sample.addr != expected)
			continue; /* of the stack, or of the program */
		expected += page_size();
		n++;
	}
	ck_assert_uint_eq(n, 100);
	perfctr_sampler_close(sampler);
}
END_TEST

/* More records than a buffer has room for: what is not there was lost, and is counted. */
START_TEST(nothing_is_missing)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_READ | PERF_SAMPLE_TIME);
	struct perfctr_sampler *sampler;
	struct found found, more;
	uint64_t lost;

	config.pages = 1;
	sampler = open_sampler(FAULTS, &config);
	perfctr_sampler_enable(sampler);
	fault(1000);
	perfctr_sampler_disable(sampler);
	found = drain(sampler);
	ck_assert_uint_gt(found.type[PERF_RECORD_SAMPLE], 10);
	ck_assert_uint_lt(found.type[PERF_RECORD_SAMPLE], 1000);
	/* Now there is room, also for saying what was lost. */
	perfctr_sampler_enable(sampler);
	fault(1);
	perfctr_sampler_disable(sampler);
	more = drain(sampler);
	ck_assert_uint_eq(found.type[PERF_RECORD_LOST] + more.type[PERF_RECORD_LOST], 1);
	ck_assert_uint_ge(more.count, 1001);
	ck_assert_uint_eq(found.type[PERF_RECORD_SAMPLE] + more.type[PERF_RECORD_SAMPLE] +
				  more.lost,
			  more.count);
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
	ck_assert_uint_eq(lost, more.lost);
	ck_fails(perfctr_sampler_lost(sampler, NULL), EINVAL, "NULL");
	perfctr_sampler_close(sampler);
}
END_TEST

static int stop_at_third(void *arg, const struct perfctr_record *record)
{
	(void)record;
	return ++*(int *)arg == 3 ? 33 : 0;
}

/* A callback may stop; what it has not seen stays. It sees no more than was there. */
START_TEST(callbacks)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR);
	struct perfctr_sampler *sampler = open_sampler(FAULTS, &config);
	const struct perfctr_record *record;
	unsigned int rest;
	int n = 0;

	perfctr_sampler_enable(sampler);
	fault(20);
	perfctr_sampler_disable(sampler);
	ck_assert_int_eq(perfctr_sampler_each(sampler, stop_at_third, &n), 33);
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 1);
	rest = drain(sampler).type[PERF_RECORD_SAMPLE];
	ck_assert_uint_ge(rest, 16);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 0);
	perfctr_sampler_close(sampler);
}
END_TEST

/* Records of 24 bytes through a buffer of one page, which is no multiple of that: they wrap. */
START_TEST(records_that_wrap)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR | PERF_SAMPLE_TIME);
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record;
	unsigned int lap, n, seen = 0;
	uintptr_t expected;

	config.pages = 1;
	sampler = open_sampler(FAULTS, &config);
	for (lap = 0; lap < 50; lap++) {
		perfctr_sampler_enable(sampler);
		expected = fault(50);
		perfctr_sampler_disable(sampler);
		for (n = 0; perfctr_sampler_next(sampler, &record) > 0; seen++) {
			ck_assert_uint_eq(record->size, 24);
			if (record->as.sample.addr == expected) {
				expected += page_size();
				n++;
			}
		}
		ck_assert_uint_eq(n, 50);
	}
	ck_assert_uint_gt(seen * 24, 2 * page_size());
	perfctr_sampler_close(sampler);
}
END_TEST

static int wakes(struct perfctr_sampler *sampler)
{
	struct pollfd fd = { .fd = perfctr_sampler_fd(sampler), .events = POLLIN };

	return poll(&fd, 1, 0) == 1 ? fd.revents : 0;
}

/* The tenth sample wakes, and the ninth does not. */
START_TEST(wakeup_by_count)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_READ);
	struct epoll_event event = { .events = EPOLLIN | EPOLLET }, got;
	struct perfctr_sampler *sampler;
	int set = epoll_create1(EPOLL_CLOEXEC);
	volatile char *memory = fresh(100);
	unsigned int i, samples = 0, before, woken = 0;
	bool wakeup;

	config.wakeup_samples = 10;
	sampler = open_sampler(FAULTS, &config);
	ck_assert_int_eq(epoll_ctl(set, EPOLL_CTL_ADD, perfctr_sampler_fd(sampler), &event), 0);
	for (i = 0; i < 100; i++) {
		/* This test's own pages may be among the faults. */
		before = samples;
		perfctr_sampler_enable(sampler);
		memory[i * page_size()] = 1;
		perfctr_sampler_disable(sampler);
		wakeup = i % 2 ? wakes(sampler) == POLLIN : epoll_wait(set, &got, 1, 0) == 1;
		samples += drain(sampler).type[PERF_RECORD_SAMPLE];
		ck_assert_uint_gt(samples, before);
		ck_assert_int_eq(wakeup, before / 10 != samples / 10);
		woken += wakeup;
	}
	ck_assert_uint_ge(woken, 10);
	perfctr_sampler_close(sampler);
	close(set);
}
END_TEST

/* As many bytes as are allowed, and whatever a record has: it comes before the buffer is full. */
START_TEST(wakeup_at_the_latest)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR | PERF_SAMPLE_TIME);
	struct perfctr_sampler *sampler;
	volatile char *memory;
	unsigned int i, lap, n = (unsigned int)page_size() / 24 + 1;

	config.pages = 1;
	config.wakeup_bytes = (uint32_t)page_size() / 2;
	sampler = open_sampler(FAULTS, &config);
	memory = fresh(5 * n);
	for (lap = 0; lap < 5; lap++) {
		perfctr_sampler_enable(sampler);
		for (i = 0; i < n && !wakes(sampler); i++)
			memory[(lap * n + i) * page_size()] = 1;
		perfctr_sampler_disable(sampler);
		ck_assert_uint_lt(i, n);
		ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_LOST], 0);
	}
	perfctr_sampler_close(sampler);
	config.wakeup_bytes++;
	ck_fails_null(perfctr_sampler_open(FAULTS, NULL, &config), EINVAL, "use more pages");
}
END_TEST

START_TEST(wakeup_by_bytes)
{
	/* Records of 16 bytes. */
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR);
	struct perfctr_sampler *sampler;
	volatile char *memory = fresh(400);
	unsigned int i, n;

	config.wakeup_bytes = 1600;
	sampler = open_sampler(FAULTS, &config);
	perfctr_sampler_enable(sampler);
	for (i = 0; i < 400 && !wakes(sampler); i++)
		memory[i * page_size()] = 1;
	perfctr_sampler_disable(sampler);
	n = drain(sampler).type[PERF_RECORD_SAMPLE];
	ck_assert_uint_ge(n, 100);
	ck_assert_uint_lt(n, 120);
	perfctr_sampler_close(sampler);
}
END_TEST

static volatile sig_atomic_t signals, last_fd, last_code;

static void on_sample(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	signals++;
	last_fd = info->si_fd;
	last_code = info->si_code;
}

/* A signal at each sample; and refresh: so many samples, and no more. */
START_TEST(signals_and_refresh)
{
	struct sigaction action = { .sa_sigaction = on_sample,
				    .sa_flags = SA_SIGINFO | SA_RESTART };
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR);
	struct perfctr_sampler *sampler;

	config.signal = SIGRTMIN + 2;
	sigaction(config.signal, &action, NULL);
	sampler = open_sampler(FAULTS, &config);
	/* The handler's pages have to be in memory. */
	ck_assert_int_eq(perfctr_sampler_refresh(sampler, 10), 0);
	fault(30);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 10);
	ck_assert_int_gt(signals, 0);
	signals = 0;
	/* The program's own faults, and those of a sanitizer's memory, are far fewer. */
	ck_assert_int_eq(perfctr_sampler_refresh(sampler, 60), 0);
	fault(3);
	ck_assert_int_ge(signals, 3);
	ck_assert_int_lt(signals, 60);
	ck_assert_int_eq(last_fd, perfctr_sampler_fd(sampler));
	ck_assert_int_eq(last_code, POLL_IN);
	fault(80);
	ck_assert_int_eq(signals, 60);
	ck_assert_int_eq(last_code, POLL_HUP);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 60);
	ck_fails(perfctr_sampler_refresh(sampler, 0), EINVAL, "not 0");
	ck_fails(perfctr_sampler_refresh(sampler, (unsigned int)INT32_MAX + 1), EINVAL,
		 "not 2147483648");
	ck_assert_int_eq(perfctr_sampler_refresh(sampler, INT32_MAX), 0);
	perfctr_sampler_close(sampler);
	signal(config.signal, SIG_DFL);
}
END_TEST

START_TEST(another_period)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler = open_sampler(FAULTS, &config);
	unsigned int n;

	ck_assert_int_eq(perfctr_sampler_set_period(sampler, 10), 0);
	perfctr_sampler_enable(sampler);
	fault(200);
	perfctr_sampler_disable(sampler);
	n = drain(sampler).type[PERF_RECORD_SAMPLE];
	ck_assert_uint_ge(n, 19);
	ck_assert_uint_lt(n, 30);
	ck_fails(perfctr_sampler_set_period(sampler, 0), EINVAL, "a period is from 1");
	ck_fails(perfctr_sampler_set_period(sampler, UINT64_MAX), EINVAL, "a period is from 1");
	perfctr_sampler_close(sampler);
}
END_TEST

/* A group's counts come with each sample of its first event. */
START_TEST(counts_of_a_group)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_READ | PERF_SAMPLE_ID);
	struct perfctr_sampler *sampler = open_sampler("{" FAULTS ",minor-faults:u,task-clock:u}",
						       &config);
	const struct perfctr_record *record;
	uint64_t n = 0, clock = 0, id = 0;

	perfctr_sampler_enable(sampler);
	fault(50);
	perfctr_sampler_disable(sampler);
	while (perfctr_sampler_next(sampler, &record) > 0) {
		const struct perfctr_record_counts *counts = &record->as.sample.counts;

		n++;
		ck_assert_uint_eq(counts->n, 3);
		ck_assert_uint_eq(counts->values[0], n);
		ck_assert_uint_eq(counts->enabled, counts->running);
		ck_assert_uint_ge(counts->values[2], clock);
		clock = counts->values[2];
		ck_assert_uint_ne(record->id, 0);
		ck_assert(id == 0 || id == record->id);
		id = record->id;
	}
	ck_assert_uint_ge(n, 50);
	perfctr_sampler_close(sampler);
	config = each_fault(PERF_SAMPLE_IP);
	ck_fails_null(perfctr_sampler_open("{" FAULTS ",cs}", NULL, &config), EINVAL,
		      "PERF_SAMPLE_READ");
}
END_TEST

/* What was stopped is started whole. */
START_TEST(refresh_of_a_group)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_READ);
	struct perfctr_sampler *sampler = open_sampler("{" FAULTS "," FAULTS "}", &config);
	const struct perfctr_record *record;
	unsigned int n = 0;

	perfctr_sampler_enable(sampler);
	fault(3);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_assert_int_eq(perfctr_sampler_refresh(sampler, 5), 0);
	fault(10);
	for (; perfctr_sampler_next(sampler, &record) > 0; n++)
		ck_assert_uint_le(record->as.sample.counts.values[0],
				  record->as.sample.counts.values[1] + 1);
	ck_assert_uint_ge(n, 8);
	perfctr_sampler_close(sampler);
}
END_TEST

/* Processes that share the buffer: what was lost does not depend on who lives. */
static void lose_in_a_family(const char *events, uint64_t fields)
{
	struct perfctr_sampler_config config = each_fault(fields);
	struct perfctr_sampler *sampler;
	struct perfctr_target target;
	int cpu = sched_getcpu(), go[2], ready[2];
	uint64_t before, after;
	cpu_set_t one, all;
	char byte = 0;
	pid_t child;

	config.pages = 1;
	config.flags |= PERFCTR_INHERIT;
	ck_assert(pipe(go) == 0 && pipe(ready) == 0);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	target = on_cpu(0, cpu);
	sampler = perfctr_sampler_open(events, &target, &config);
	if (!sampler && fields & PERF_SAMPLE_READ)
		goto end; /* before Linux 6.12 */
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	perfctr_sampler_enable(sampler);
	fault(2 * (unsigned int)page_size() / 16);
	perfctr_sampler_disable(sampler);
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &before), 0);
	child = fork();
	if (child == 0) {
		alarm(300); /* not for ever, if the parent fails */
		if (write(ready[1], &byte, 1) != 1)
			_exit(1);
		_exit(read(go[0], &byte, 1) != 1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &after), 0);
	ck_assert_uint_ge(after, before);
	ck_assert_int_eq(write(go[1], &byte, 1), 1);
	waitpid(child, NULL, 0);
	perfctr_sampler_close(sampler);
end:
	sched_setaffinity(0, sizeof(all), &all);
	close(go[0]), close(go[1]), close(ready[0]), close(ready[1]);
}

START_TEST(lost_by_a_family)
{
	lose_in_a_family(FAULTS, PERF_SAMPLE_ADDR);
	lose_in_a_family("{" FAULTS ",cs:u}",
			 PERF_SAMPLE_ADDR | PERF_SAMPLE_READ | PERF_SAMPLE_TID);
}
END_TEST

/* The newest are there, newest first, each seen once. */
START_TEST(overwriting)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_READ | PERF_SAMPLE_TIME);
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record;
	unsigned int lap, n, laps_with_all = 0;
	uint64_t last, before = 0;

	config.pages = 1;
	config.flags |= PERFCTR_SAMPLER_OVERWRITE;
	sampler = open_sampler(FAULTS, &config);
	for (lap = 0; lap < 20; lap++) {
		perfctr_sampler_enable(sampler);
		fault(lap % 2 ? 10 : 300);
		perfctr_sampler_disable(sampler);
		last = 0;
		for (n = 0; perfctr_sampler_next(sampler, &record) > 0; n++) {
			uint64_t value = record->as.sample.counts.values[0];

			ck_assert_uint_eq(record->type, PERF_RECORD_SAMPLE);
			ck_assert(last == 0 || value == last - 1);
			ck_assert_uint_gt(value, before);
			if (n == 0)
				ck_assert_uint_ge(value, before + (lap % 2 ? 10 : 300));
			last = value;
		}
		if (lap % 2 == 0) {
			ck_assert_uint_lt(n, 300);
			ck_assert_uint_gt(n, page_size() / 64 - 3);
		}
		/* All of a few. */
		laps_with_all += lap % 2 && last == before + 1;
		before = last + n - 1;
	}
	ck_assert_uint_eq(laps_with_all, 10);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 0);
	perfctr_sampler_close(sampler);
}
END_TEST

/* Have a child do something on this processor under a sampler that it inherits. */
static struct perfctr_sampler *sample_child(uint32_t flags, pid_t *child, const char *command)
{
	struct perfctr_sampler_config config = {
		.period = 100000,
		.fields = WHO,
		.flags = flags | PERFCTR_INHERIT,
	};
	struct perfctr_sampler *sampler;
	struct perfctr_target target;
	cpu_set_t one, all;
	int cpu = sched_getcpu(), status;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	target = on_cpu(0, cpu);
	sampler = perfctr_sampler_open("task-clock:u", &target, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	*child = fork();
	if (*child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(*child, &status, 0), *child);
	ck_assert_int_eq(status, 0);
	sched_setaffinity(0, sizeof(all), &all);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	return sampler;
}

START_TEST(life_of_a_child)
{
	const struct perfctr_record *record;
	unsigned int forked = 0, named = 0, mapped = 0, ended = 0, in = 0, out = 0, samples = 0;
	struct perfctr_sampler *sampler;
	uint32_t child;
	pid_t pid;

	sampler = sample_child(PERFCTR_SAMPLER_TASK | PERFCTR_SAMPLER_COMM | PERFCTR_SAMPLER_MMAP |
				       PERFCTR_SAMPLER_SWITCH,
			       &pid, "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done");
	child = (uint32_t)pid;
	while (perfctr_sampler_next(sampler, &record) > 0) {
		ck_assert_uint_ne(record->time, 0);
		switch (record->type) {
		case PERF_RECORD_FORK:
			ck_assert_uint_eq(record->as.task.pid, child);
			ck_assert_uint_eq(record->as.task.tid, child);
			ck_assert_uint_eq(record->as.task.ppid, (uint32_t)getpid());
			forked++;
			break;
		case PERF_RECORD_COMM:
			ck_assert_uint_eq(record->pid, child);
			ck_assert_uint_eq(record->as.comm.pid, child);
			ck_assert_str_eq(record->as.comm.name, "sh");
			ck_assert_uint_ne(record->misc & PERF_RECORD_MISC_COMM_EXEC, 0);
			named++;
			break;
		case PERF_RECORD_MMAP2:
			ck_assert_uint_eq(record->as.mmap.pid, child);
			ck_assert_uint_ne(record->as.mmap.prot & PROT_EXEC, 0);
			ck_assert_uint_ne(record->as.mmap.length, 0);
			mapped += strstr(record->as.mmap.file, "libc") != NULL ||
				  strstr(record->as.mmap.file, "sh") != NULL;
			break;
		case PERF_RECORD_EXIT:
			ck_assert_uint_eq(record->as.task.pid, child);
			ended++;
			break;
		case PERF_RECORD_SWITCH:
			if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
				out++;
			else
				in++;
			break;
		case PERF_RECORD_SAMPLE: samples += record->pid == child; break;
		}
	}
	ck_assert_uint_eq(forked, 1);
	ck_assert_uint_eq(named, 1);
	ck_assert_uint_ge(mapped, 1);
	ck_assert_uint_eq(ended, 1);
	ck_assert_uint_ge(out, 1);
	ck_assert_uint_ge(in, 1);
	ck_assert_uint_ge(samples, 1);
	ck_fails(perfctr_sampler_refresh(sampler, 1), EINVAL, "inherited");
	perfctr_sampler_close(sampler);
}
END_TEST

START_TEST(other_mappings)
{
	struct perfctr_sampler_config config = {
		.period = 1000000000,
		.flags = PERFCTR_SAMPLER_MMAP_DATA | PERFCTR_SAMPLER_BUILD_ID,
	};
	struct perfctr_sampler *sampler = open_sampler("task-clock:u", &config);
	const struct perfctr_record *record;
	uintptr_t memory = (uintptr_t)fresh(16);
	unsigned int n = 0;

	while (perfctr_sampler_next(sampler, &record) > 0) {
		ck_assert_uint_eq(record->type, PERF_RECORD_MMAP2);
		n += record->as.mmap.addr <= memory &&
		     memory + 16 * page_size() <= record->as.mmap.addr + record->as.mmap.length &&
		     strcmp(record->as.mmap.file, "//anon") == 0;
	}
	ck_assert_uint_ge(n, 1);
	perfctr_sampler_close(sampler);
}
END_TEST

/* What only root may ask for can be asked for. */
START_TEST(the_kernels_records)
{
	struct perfctr_sampler_config config = {
		.period = 1000000000,
		.fields = WHO,
		.flags = PERFCTR_SAMPLER_NAMESPACES | PERFCTR_SAMPLER_CGROUP |
			 PERFCTR_SAMPLER_KERNEL_TEXT,
	};
	struct perfctr_sampler *sampler = perfctr_sampler_open("task-clock", NULL, &config);
	const struct perfctr_record *record;
	unsigned int n = 0;
	pid_t child;

	if (geteuid() != 0) {
		ck_assert_ptr_null(sampler);
		return;
	}
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	/* A process says what its namespaces are when it is created. */
	child = fork();
	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	while (perfctr_sampler_next(sampler, &record) > 0) {
		if (record->type != PERF_RECORD_NAMESPACES)
			continue;
		ck_assert_uint_eq(record->as.namespaces.pid, (uint32_t)child);
		ck_assert_uint_eq(record->as.namespaces.n, NR_NAMESPACES);
		ck_assert_uint_ne(record->as.namespaces.link[PID_NS_INDEX].ino, 0);
		n++;
	}
	ck_assert_uint_eq(n, 1);
	perfctr_sampler_close(sampler);
}
END_TEST

static __attribute__((noinline)) void inner(void)
{
	spin(0.03);
	__asm__ volatile(""); /* not the last thing it does */
}

START_TEST(call_chains)
{
	struct perfctr_sampler_config config = {
		.frequency = 5000,
		.fields = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.max_chain = 5,
		.flags = PERFCTR_SAMPLER_NO_KERNEL_CHAIN,
	};
	struct perfctr_sampler *sampler = open_sampler("cpu-clock:u", &config);
	const struct perfctr_record *record;
	unsigned int n = 0;

	inner();
	perfctr_sampler_disable(sampler);
	while (perfctr_sampler_next(sampler, &record) > 0) {
		const struct perfctr_record_sample *sample = &record->as.sample;

		n++;
		ck_assert_uint_ge(sample->nchain, 2);
		ck_assert_uint_le(sample->nchain, 5 + 1);
		ck_assert_uint_eq(sample->chain[0], PERF_CONTEXT_USER);
		ck_assert_uint_eq(sample->chain[1], sample->ip);
	}
	ck_assert_uint_gt(n, 5);
	perfctr_sampler_close(sampler);
	config.max_chain = 60000;
	ck_fails_null(perfctr_sampler_open("cpu-clock:u", NULL, &config), EOVERFLOW,
		      "perf_event_max_stack");
}
END_TEST

#if defined(__x86_64__)
START_TEST(registers_and_stack)
{
	struct perfctr_sampler_config config = {
		.frequency = 2000,
		.user_registers = 1 << PERF_REG_X86_SP | 1 << PERF_REG_X86_IP,
		.interrupt_registers = 1 << PERF_REG_X86_IP,
		.user_stack = 256,
		.fields = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			  PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			  PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	struct perfctr_sampler *sampler = open_sampler("cpu-clock:u", &config);
	const struct perfctr_record *record;
	char here;
	unsigned int n = 0;

	spin(0.03);
	perfctr_sampler_disable(sampler);
	while (perfctr_sampler_next(sampler, &record) > 0) {
		const struct perfctr_record_sample *sample = &record->as.sample;

		n++;
		ck_assert_uint_eq(sample->user.abi, PERF_SAMPLE_REGS_ABI_64);
		ck_assert_uint_eq(sample->user.n, 2);
		ck_assert_uint_eq(sample->user.values[1], sample->ip);
		/* This function's frame is further up. */
		ck_assert_uint_lt(sample->user.values[0], (uintptr_t)&here);
		ck_assert_uint_gt(sample->user.values[0], (uintptr_t)&here - 4096);
		ck_assert_uint_eq(sample->interrupt.values[0], sample->ip);
		ck_assert_uint_eq(sample->user_stack_size, 256);
	}
	ck_assert_uint_gt(n, 5);
	perfctr_sampler_close(sampler);
}
END_TEST
#endif

START_TEST(on_exec)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_THREAD };
	struct perfctr_sampler_config config = each_fault(WHO);
	struct perfctr_sampler *sampler;
	int go[2], status;
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	config.flags = PERFCTR_ON_EXEC;
	target.id = pid;
	sampler = perfctr_sampler_open(FAULTS, &target, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	ck_assert_int_eq(write(go[1], &byte, 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_gt(drain(sampler).type[PERF_RECORD_SAMPLE], 10);
	/* The thread has ended. */
	ck_assert_int_eq(wakes(sampler) & POLLHUP, POLLHUP);
	perfctr_sampler_close(sampler);
	close(go[0]);
	close(go[1]);
}
END_TEST

START_TEST(a_child_of_fork)
{
	struct perfctr_sampler_config config = each_fault(WHO);
	struct perfctr_sampler *sampler = open_sampler(FAULTS, &config);
	const struct perfctr_record *record;
	int status;
	pid_t pid = fork();
	uint64_t lost;

	if (pid == 0) {
		int failed = 0;

#define ESRCHS(call) \
	(failed |= (call) != -1 || errno != ESRCH || !strstr(perfctr_error(), "parent"))
		ESRCHS(perfctr_sampler_fd(sampler));
		ESRCHS(perfctr_sampler_enable(sampler));
		ESRCHS(perfctr_sampler_disable(sampler));
		ESRCHS(perfctr_sampler_refresh(sampler, 1));
		ESRCHS(perfctr_sampler_set_period(sampler, 1));
		ESRCHS(perfctr_sampler_next(sampler, &record));
		ESRCHS(perfctr_sampler_each(sampler, note, NULL));
		ESRCHS(perfctr_sampler_lost(sampler, &lost));
		perfctr_sampler_close(sampler);
		_exit(failed);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	perfctr_sampler_enable(sampler);
	fault(10);
	ck_assert_uint_ge(drain(sampler).type[PERF_RECORD_SAMPLE], 10);
	perfctr_sampler_close(sampler);
}
END_TEST

/* A child that the C library has not created has the descriptor, too. */
START_TEST(closed_while_a_child_lives)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR);
	struct sigaction action = { .sa_sigaction = on_sample, .sa_flags = SA_SIGINFO };
	struct perfctr_sampler *sampler;
	pid_t child;

	config.signal = SIGRTMIN + 2;
	sigaction(config.signal, &action, NULL);
	sampler = open_sampler(FAULTS, &config);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child == 0) {
		alarm(300);
		pause();
		_exit(0);
	}
	perfctr_sampler_enable(sampler);
	fault(3);
	ck_assert_int_gt(signals, 0);
	perfctr_sampler_close(sampler);
	signals = 0;
	fault(10);
	ck_assert_int_eq(signals, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	signal(config.signal, SIG_DFL);
}
END_TEST

/* p is for samplers only. */
START_TEST(precise_modifiers)
{
	struct perf_event_attr attr;

	ck_assert_int_eq(parse_sampled("cycles:upp", 10, &attr), 0);
	ck_assert_uint_eq(attr.precise_ip, 2);
	ck_assert_uint_eq(attr.exclude_kernel, 1);
	ck_assert_int_eq(parse_sampled("cycles:ppp", 10, &attr), 0);
	ck_assert_uint_eq(attr.precise_ip, 3);
	ck_assert_uint_eq(attr.exclude_kernel, 0);
	ck_fails(parse_event("cycles:upp", 10, &attr), EINVAL, "for sampling");
}
END_TEST

START_TEST(bad_arguments)
{
	static const struct {
		struct perfctr_sampler_config config;
		const char *words;
	} bad[] = {
		{ { .period = 0 }, "one of period and frequency" },
		{ { .period = 1, .frequency = 1 },
		  "one of period and frequency is to be set, and" },
		{ { .period = UINT64_C(1) << 63 }, "63 bits" },
		{ { .period = 1, .pages = 3 }, "power of two" },
		{ { .period = 1, .pages = 1u << 31 }, "power of two, at most" },
		{ { .period = 1, .wakeup_samples = 1, .wakeup_bytes = 1 }, "exclude each other" },
		{ { .period = 1, .pages = 1, .wakeup_bytes = 65537 }, "wakeup_bytes is 65537" },
		{ { .period = 1, .wakeup_bytes = 1 << 20 }, "half of the buffer" },
		{ { .period = 1, .precise = 4 }, "not 4" },
		{ { .period = 1, .signal = -1 }, "no signal -1" },
		{ { .period = 1, .signal = 65 }, "no signal 65" },
		{ { .period = 1, .reserved = { 0, 0, 1 } }, "reserved" },
		{ { .period = 1, .aux_pages = 6 }, "aux_pages is a power of two, at most" },
		{ { .period = 1, .aux_pages = 1u << 31 }, "aux_pages is a power of two, at most" },
		{ { .period = 1, .wakeup_aux = 1 }, "need aux_pages" },
		{ { .period = 1, .flags = PERFCTR_SAMPLER_AUX_OVERWRITE }, "need aux_pages" },
		{ { .frequency = 1, .aux_pages = 1 }, "give a period" },
		{ { .period = 1, .aux_pages = 1, .flags = PERFCTR_SAMPLER_OVERWRITE },
		  "read-only" },
		{ { .period = 1,
		    .aux_pages = 1,
		    .wakeup_aux = 1,
		    .flags = PERFCTR_SAMPLER_AUX_OVERWRITE },
		  "wakes nobody" },
		{ { .period = 1, .aux_pages = 1, .wakeup_aux = 32769 }, "wakeup_aux is 32769" },
		{ { .period = 1, .flags = 1u << 31 }, "0x80000000," },
		{ { .period = 1, .flags = PERFCTR_EXCLUSIVE }, "0x800," },
		{ { .period = 1, .flags = PERFCTR_ON_EXEC | PERFCTR_DISABLED },
		  "exclude each other" },
		{ { .period = 1, .flags = PERFCTR_SAMPLER_BUILD_ID }, "add PERFCTR_SAMPLER_MMAP" },
		{ { .period = 1, .flags = PERFCTR_SAMPLER_NO_USER_CHAIN },
		  "PERF_SAMPLE_CALLCHAIN" },
		{ { .period = 1, .max_chain = 1 }, "PERF_SAMPLE_CALLCHAIN" },
		{ { .period = 1, .max_chain = 65536, .fields = PERF_SAMPLE_CALLCHAIN },
		  "at most 65535" },
		{ { .period = 1, .fields = UINT64_C(1) << 40 }, "fields 0x10000000000" },
		{ { .period = 1, .fields = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT },
		  "exclude" },
		{ { .period = 1, .fields = PERF_SAMPLE_BRANCH_STACK },
		  "branches and PERF_SAMPLE_BRANCH" },
		{ { .period = 1, .branches = PERF_SAMPLE_BRANCH_ANY },
		  "branches and PERF_SAMPLE_BRANCH" },
		{ { .period = 1, .branches = 1 << 20, .fields = PERF_SAMPLE_BRANCH_STACK },
		  "0x100000" },
		{ { .period = 1, .flags = PERFCTR_SAMPLER_DEFER_USER_CHAIN },
		  "PERF_SAMPLE_CALLCHAIN" },
		{ { .period = 1, .user_registers = 1 }, "user_registers and" },
		{ { .period = 1, .fields = PERF_SAMPLE_REGS_USER }, "user_registers and" },
		{ { .period = 1, .interrupt_registers = 1 }, "interrupt_registers and" },
		{ { .period = 1, .user_stack = 8 }, "user_stack and" },
		{ { .period = 1, .user_stack = 9, .fields = PERF_SAMPLE_STACK_USER },
		  "multiple of 8" },
		{ { .period = 1, .user_stack = 65536, .fields = PERF_SAMPLE_STACK_USER },
		  "below 65536" },
		{ { .frequency = 1000000000 }, "a frequency of 100000 or less" },
	};
	static const struct {
		struct perfctr_target target;
		int error;
		const char *words;
	} targets[] = {
		{ { .id = -1 }, EINVAL, "-1 is not a thread's id" },
		{ { .type = 99 }, EINVAL, "99 is not a type of target" },
		{ { .type = PERFCTR_TARGET_THREAD_ON_CPU, .cpu = -1 }, EINVAL, "not a processor" },
		{ { .type = PERFCTR_TARGET_THREAD_ON_CPU, .cpu = 8191 },
		  EINVAL,
		  "no processor 8191" },
		{ { .type = PERFCTR_TARGET_CPU, .id = 8191 }, ENODEV, "8191 is not online" },
		{ { .type = PERFCTR_TARGET_CGROUP }, EINVAL, "PERFCTR_TARGET_CGROUP needs" },
		{ { .id = 0x3FFFFFFF }, ESRCH, "no thread 1073741823" },
		{ { .type = PERFCTR_TARGET_PROCESS, .id = 0x3FFFFFFF },
		  ESRCH,
		  "no process 1073741823" },
		{ { .reserved = { 0, 0, 0, 1 } }, EINVAL, "reserved members" },
	};
	struct perfctr_sampler_config good = each_fault(PERF_SAMPLE_READ), aux = good,
				      branches = good;
	struct perfctr_sampler *sampler;
	char list[3 * 65 + 2] = "";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		ck_fails_null(perfctr_sampler_open("cpu-clock:u", NULL, &bad[i].config), EINVAL,
			      bad[i].words);
	ck_fails_null(perfctr_sampler_open(NULL, NULL, &good), EINVAL, "NULL");
	ck_fails_null(perfctr_sampler_open("cs", NULL, NULL), EINVAL, "NULL");
	ck_fails_null(perfctr_sampler_open("", NULL, &good), EINVAL, "empty");
	ck_fails_null(perfctr_sampler_open("cs,", NULL, &good), EINVAL, "empty place");
	ck_fails_null(perfctr_sampler_open("nonsense", NULL, &good), EINVAL, "\"nonsense\"");
	ck_fails_null(perfctr_sampler_open("{cs:u,cs:p}", NULL, &good), EINVAL,
		      "leave the modifiers p and P, period= and freq= out");
	ck_fails_null(perfctr_sampler_open("cs:pppp", NULL, &good), EINVAL,
		      "more than three times");
	/* Half of it is sure to come, and not a byte more. */
	{
		struct perfctr_sampler_config half = {
			.period = 1,
			.aux_pages = 1,
			.wakeup_aux = (uint32_t)page_size() / 2 + 1,
		};

		ck_fails_null(perfctr_sampler_open(FAULTS, NULL, &half), EINVAL, "wakeup_aux is");
		half.wakeup_aux--;
		ck_fails_null(perfctr_sampler_open(FAULTS, NULL, &half), EOPNOTSUPP, "no AUX area");
	}
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		ck_fails_null(perfctr_sampler_open("cs:u", &targets[i].target, &good),
			      targets[i].error, targets[i].words);
	for (i = 0; i < 65; i++)
		strcat(list, i ? ",cs" : "{cs");
	strcat(list, "}");
	ck_fails_null(perfctr_sampler_open(list, NULL, &good), EINVAL, "65 events");
	aux.fields = PERF_SAMPLE_AUX;
	ck_fails_null(perfctr_sampler_open("cs", NULL, &aux), EOPNOTSUPP, "AUX area");
	aux = (struct perfctr_sampler_config){ .period = 10000,
					       .user_registers = UINT64_C(1) << 63,
					       .fields = PERF_SAMPLE_REGS_USER };
	ck_assert_ptr_null(perfctr_sampler_open("cpu-clock:u", NULL, &aux));
	ck_assert_msg(strstr(perfctr_error(), "one of the requested fields"), "%s",
		      perfctr_error());
	if (access("/sys/bus/event_source/devices/msr/events/tsc", F_OK) == 0 && may_count(false)) {
		aux = each_fault(PERF_SAMPLE_IP);
		ck_fails_null(perfctr_sampler_open("msr/tsc/", NULL, &aux), EOPNOTSUPP,
			      "can be counted but not sampled");
	}
	/* Linux 7 can, older ones can't. */
	aux = each_fault(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	aux.flags |= PERFCTR_SAMPLER_DEFER_USER_CHAIN;
	sampler = perfctr_sampler_open("page-faults:u", NULL, &aux);
	if (!sampler)
		ck_fails_null(perfctr_sampler_open("page-faults:u", NULL, &aux), EOPNOTSUPP,
			      "too old to write call chains later");
	perfctr_sampler_close(sampler);
	branches.fields = PERF_SAMPLE_BRANCH_STACK;
	branches.branches = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	branches.period = 10000;
	ck_fails_null(perfctr_sampler_open("cpu-clock:u", NULL, &branches), EOPNOTSUPP,
		      "PERF_SAMPLE_BRANCH_STACK");
}
END_TEST

/* More than an ordinary user may lock. */
START_TEST(too_large_a_buffer)
{
	struct perfctr_sampler_config config = { .period = 1000000, .pages = 1u << 16 };
	struct rlimit none = { 0, 0 };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		setrlimit(RLIMIT_MEMLOCK, &none);
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(2);
		errno = 0;
		if (perfctr_sampler_open("cpu-clock:u", NULL, &config) || errno != EPERM ||
		    !strstr(perfctr_error(), "perf_event_mlock_kb")) {
			fprintf(stderr, "%s\n", perfctr_error());
			_exit(1);
		}
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(no_descriptors)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_READ);
	struct rlimit limit, few;
	struct perfctr_sampler *many, *one;
	int lowest = dup(0), error;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = (rlim_t)lowest + 2;
	setrlimit(RLIMIT_NOFILE, &few);
	many = perfctr_sampler_open("{cs:u,cs:u,cs:u}", NULL, &config);
	error = errno;
	/* What had been opened was closed again. */
	one = perfctr_sampler_open("{cs:u,cs:u}", NULL, &config);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_ptr_null(many);
	ck_assert_int_eq(error, EMFILE);
	ck_assert_ptr_nonnull(one);
	perfctr_sampler_close(one);
}
END_TEST

/* ---- processes and processors ---- */

static const struct perfctr_target own_process = { .type = PERFCTR_TARGET_PROCESS };

/* Pages that a thread touches, once it is let go. */
struct toucher {
	pthread_t thread;
	atomic_int go; /* 1: touch, 2: end */
	atomic_bool done;
	uintptr_t start;
};
#define TOUCHED 200

static void wait_for(atomic_int *go, int value)
{
	while (atomic_load(go) < value)
		usleep(200);
}

static void *touch(void *arg)
{
	struct toucher *toucher = arg;
	unsigned int i;

	wait_for(&toucher->go, 1);
	for (i = 0; i < TOUCHED; i++)
		((volatile char *)toucher->start)[i * page_size()] = 1;
	atomic_store(&toucher->done, true);
	wait_for(&toucher->go, 2);
	return NULL;
}

static void start_toucher(struct toucher *toucher, int go)
{
	atomic_store(&toucher->go, go);
	atomic_store(&toucher->done, false);
	toucher->start = (uintptr_t)fresh(TOUCHED);
	ck_assert_int_eq(pthread_create(&toucher->thread, NULL, touch, toucher), 0);
}

/* How often each page of each toucher was found, and whether times only grow. */
struct pages {
	const struct toucher *toucher;
	unsigned int ntouchers;
	unsigned int found[8][TOUCHED];
	uint64_t last;
	unsigned int records, early;
};

static int note_page(void *arg, const struct perfctr_record *record)
{
	struct pages *pages = arg;
	unsigned int i;

	pages->records++;
	pages->early += record->time < pages->last;
	pages->last = record->time;
	for (i = 0; record->type == PERF_RECORD_SAMPLE && i < pages->ntouchers; i++) {
		uint64_t page = (record->as.sample.addr - pages->toucher[i].start) / page_size();

		if (record->as.sample.addr >= pages->toucher[i].start && page < TOUCHED)
			pages->found[i][page]++;
	}
	return 0;
}

static void read_pages(struct perfctr_sampler *sampler, struct pages *pages)
{
	ck_assert_msg(perfctr_sampler_each(sampler, note_page, pages) == 0, "%s", perfctr_error());
}

static void expect_all_pages(const struct pages *pages)
{
	unsigned int i, k;

	for (i = 0; i < pages->ntouchers; i++)
		for (k = 0; k < TOUCHED; k++)
			ck_assert_msg(pages->found[i][k] == 1, "page %u of %u: %u times", k, i,
				      pages->found[i][k]);
}

static struct perfctr_sampler *open_process(uint32_t flags)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR | PERF_SAMPLE_TID);
	struct perfctr_sampler *sampler;

	config.flags = flags;
	sampler = perfctr_sampler_open(FAULTS, &own_process, &config);
	ck_assert_msg(sampler || (errno == EOPNOTSUPP && strstr(perfctr_error(), "5.13")), "%s",
		      perfctr_error());
	return sampler;
}

/* Threads that are there, and one that comes: each page once. Returns how many come late. */
static unsigned int sample_threads(uint32_t flags)
{
	static struct toucher toucher[6];
	static struct pages pages;
	struct perfctr_sampler *sampler;
	uint64_t lost = 7;
	unsigned int i;

	pages = (struct pages){ .toucher = toucher, .ntouchers = 6 };
	for (i = 0; i < 5; i++)
		start_toucher(&toucher[i], 0);
	sampler = open_process(flags);
	for (i = 0; i < 5; i++)
		atomic_store(&toucher[i].go, 1);
	start_toucher(&toucher[5], 1);
	for (i = 0; i < 6; i++)
		while (!atomic_load(&toucher[i].done)) {
			usleep(100);
			if (sampler)
				read_pages(sampler, &pages);
		}
	if (sampler) {
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		read_pages(sampler, &pages);
		expect_all_pages(&pages);
		ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
		ck_assert_uint_eq(lost, 0);
	}
	for (i = 0; i < 6; i++) {
		atomic_store(&toucher[i].go, 2);
		pthread_join(toucher[i].thread, NULL);
	}
	perfctr_sampler_close(sampler);
	return pages.early;
}

/*
 * By time: but where a virtual processor stands still between a record's time and its writing,
 * nobody can know of it, so it is in one of a few tries that none comes late.
 */
START_TEST(threads_of_a_process)
{
	unsigned int lap, tries, early;

	for (lap = 0; lap < 2; lap++) {
		tries = 3;
		do
			early = sample_threads(lap ? PERFCTR_INHERIT : 0);
		while (early && --tries);
		ck_assert_uint_eq(early, 0);
	}
}
END_TEST

static atomic_bool stop_churn;

static void *nothing(void *arg)
{
	return arg;
}

static void *churn(void *arg)
{
	pthread_t thread;

	while (!atomic_load(&stop_churn)) {
		if (pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
		usleep(*(useconds_t *)arg);
	}
	return NULL;
}

/* Threads are created while it is opened: it is right, or it fails. */
START_TEST(threads_while_opening)
{
	static useconds_t pauses[] = { 0, 400 };
	static struct toucher toucher[1];
	static struct pages pages;
	unsigned int k, opened = 0;
	pthread_t thread[2];

	atomic_store(&stop_churn, false);
	for (k = 0; k < 2; k++)
		ck_assert_int_eq(pthread_create(&thread[k], NULL, churn, &pauses[k]), 0);
	for (k = 0; k < 10; k++) {
		struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR);
		struct perfctr_sampler *sampler;

		config.flags = PERFCTR_INHERIT;
		sampler = perfctr_sampler_open(FAULTS, &own_process, &config);
		if (!sampler) {
			ck_assert_msg(errno == EAGAIN, "%s", perfctr_error());
			continue;
		}
		opened++;
		pages = (struct pages){ .toucher = toucher, .ntouchers = 1 };
		start_toucher(&toucher[0], 2);
		pthread_join(toucher[0].thread, NULL);
		ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
		read_pages(sampler, &pages);
		expect_all_pages(&pages);
		ck_assert_uint_eq(pages.early, 0);
		perfctr_sampler_close(sampler);
	}
	atomic_store(&stop_churn, true);
	for (k = 0; k < 2; k++)
		pthread_join(thread[k], NULL);
	printf("opened %u of 10 times\n", opened);
}
END_TEST

/* A child, on whatever processor it runs: without a target's processor. */
START_TEST(children_everywhere)
{
	struct perfctr_sampler_config config = {
		.period = 100000000,
		.fields = PERF_SAMPLE_TID,
		.flags = PERFCTR_INHERIT | PERFCTR_SAMPLER_TASK | PERFCTR_SAMPLER_COMM,
	};
	struct perfctr_sampler *sampler = open_sampler("task-clock:u", &config);
	const struct perfctr_record *record;
	unsigned int forked = 0, named = 0, ended = 0;
	uint64_t last = 0;
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	while (perfctr_sampler_next(sampler, &record) > 0) {
		ck_assert_uint_ge(record->time, last);
		last = record->time;
		if (record->type == PERF_RECORD_FORK) {
			ck_assert_uint_eq(record->as.task.pid, (uint32_t)pid);
			ck_assert(!named && !ended);
			forked++;
		} else if (record->type == PERF_RECORD_COMM) {
			ck_assert_str_eq(record->as.comm.name, "true");
			ck_assert(forked && !ended);
			named++;
		} else if (record->type == PERF_RECORD_EXIT) {
			ended++;
		}
	}
	ck_assert(forked == 1 && named == 1 && ended == 1);
	ck_fails(perfctr_sampler_refresh(sampler, 1), EINVAL, "inherited");
	perfctr_sampler_close(sampler);
}
END_TEST

static int polls(struct perfctr_sampler *sampler, int ms)
{
	struct pollfd fd = { .fd = perfctr_sampler_fd(sampler), .events = POLLIN };

	return poll(&fd, 1, ms) == 1 ? fd.revents : 0;
}

/* A process whose first thread ends before the other one, which has faults when it is told to. */
static pid_t start_without_first(int *go)
{
	static struct toucher toucher;
	int ends[2];
	pid_t pid;
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		alarm(300);
		start_toucher(&toucher, 0);
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		syscall(SYS_exit, 0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

/*
 * One descriptor wakes up for all; and not for ever because the thread that the buffers are of has
 * ended. When all have ended it is ready, and stays it.
 */
START_TEST(one_descriptor)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_sampler_config config = {
		.period = 1000000,
		.fields = PERF_SAMPLE_TID,
		.flags = PERFCTR_INHERIT,
		.wakeup_samples = 1,
	};
	struct epoll_event event = { .events = EPOLLIN }, got;
	struct perfctr_sampler *sampler, *own;
	unsigned int n = 0, idle, tries;
	int go, status, set;

	target.id = start_without_first(&go);
	sampler = perfctr_sampler_open("task-clock:u", &target, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	/* An epoll set of the program's own takes it, too. */
	set = epoll_create1(EPOLL_CLOEXEC);
	ck_assert_int_eq(epoll_ctl(set, EPOLL_CTL_ADD, perfctr_sampler_fd(sampler), &event), 0);
	/* Wakes up, again and again, and sleeps when there is nothing. */
	own = open_sampler("task-clock:u", &config);
	for (tries = 0; tries < 20; tries++) {
		spin(0.005);
		n += (polls(own, 0) & POLLIN) != 0;
		drain(own);
	}
	ck_assert_uint_ge(n, 15);
	perfctr_sampler_disable(own);
	drain(own);
	polls(own, 0);
	ck_assert_int_eq(polls(own, 0), 0);
	perfctr_sampler_close(own);
	/* The first thread has ended: soon nobody wakes up for it. */
	ck_assert_int_eq(write(go, "", 1), 1);
	for (idle = tries = 0; idle < 5 && tries < 200; tries++) {
		usleep(1000);
		drain(sampler);
		idle = polls(sampler, 0) ? 0 : idle + 1;
	}
	ck_assert_uint_eq(idle, 5);
	kill(target.id, SIGKILL);
	ck_assert_int_eq(waitpid(target.id, &status, 0), target.id);
	for (tries = 0; tries < 5; tries++) {
		ck_assert_int_eq(polls(sampler, 5000), POLLIN);
		ck_assert_int_eq(epoll_wait(set, &got, 1, 0), 1);
		drain(sampler);
	}
	perfctr_sampler_close(sampler);
	close(set);
	close(go);
}
END_TEST

/* A process that has ended, but is there. */
START_TEST(a_zombie)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_sampler_config config = each_fault(0);
	siginfo_t info;

	target.id = fork();
	if (target.id == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)target.id, &info, WEXITED | WNOWAIT), 0);
	config.flags |= PERFCTR_INHERIT;
	ck_fails_null(perfctr_sampler_open("cs:u", &target, &config), ESRCH, "has just ended");
	waitpid(target.id, NULL, 0);
}
END_TEST

/* Descriptors run out at each point: it says so, and closes what it has opened. */
START_TEST(descriptors_run_out)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR);
	int lowest = dup(0), after, left;
	struct perfctr_sampler *sampler = NULL;
	struct rlimit limit, few;

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	config.flags = PERFCTR_INHERIT;
	for (left = 0; !sampler && left < 1000; left++) {
		few = limit;
		few.rlim_cur = (rlim_t)(lowest + left);
		setrlimit(RLIMIT_NOFILE, &few);
		sampler = perfctr_sampler_open(FAULTS, &own_process, &config);
		setrlimit(RLIMIT_NOFILE, &limit);
		if (!sampler)
			ck_assert_msg(errno == EMFILE, "%s", perfctr_error());
		after = dup(0);
		close(after);
		ck_assert_msg(sampler ? after > lowest : after == lowest,
			      "%d left, %d after %d: %s", left, after, lowest, perfctr_error());
	}
	ck_assert_ptr_nonnull(sampler);
	/* The directory of threads, events on each processor, and one for all. */
	ck_assert_int_ge(left, 2);
	perfctr_sampler_close(sampler);
	after = dup(0);
	close(after);
	ck_assert_int_eq(after, lowest);
}
END_TEST

/* Returns how many records were lost: others may fault more than the buffers have room for. */
static uint64_t sample_all_processors(void)
{
	const struct perfctr_target all = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR | PERF_SAMPLE_TID);
	static struct toucher toucher[2];
	static struct pages pages;
	struct perfctr_sampler *sampler;
	uint64_t lost;
	unsigned int i;

	sampler = perfctr_sampler_open(FAULTS, &all, &config);
	if (!sampler && (errno == EACCES || errno == EPERM))
		return 0;
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	pages = (struct pages){ .toucher = toucher, .ntouchers = 2 };
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	for (i = 0; i < 2; i++)
		start_toucher(&toucher[i], 2);
	for (i = 0; i < 2; i++)
		pthread_join(toucher[i].thread, NULL);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	memset(pages.found, 0, sizeof(pages.found));
	read_pages(sampler, &pages);
	ck_assert_int_eq(perfctr_sampler_lost(sampler, &lost), 0);
	/* Others' pages may have the same addresses. */
	for (i = 0; i < 2 * TOUCHED && !lost; i++)
		ck_assert_uint_ge(pages.found[i / TOUCHED][i % TOUCHED], 1);
	ck_assert_uint_eq(pages.early, 0);
	perfctr_sampler_close(sampler);
	return lost;
}

/* Whatever runs there, on all processors: this program's pages are among them. */
START_TEST(all_processors)
{
	unsigned int k;

	for (k = 0; k < 50 && sample_all_processors(); k++)
		usleep(10000);
	ck_assert_uint_lt(k, 50);
}
END_TEST

/* The newest of all, newest first. */
START_TEST(overwriting_several)
{
	struct perfctr_sampler_config config = each_fault(PERF_SAMPLE_ADDR);
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record;
	uint64_t last = UINT64_MAX;
	unsigned int lap, n, k;
	uintptr_t start;

	config.pages = 1;
	config.flags |= PERFCTR_INHERIT | PERFCTR_SAMPLER_OVERWRITE;
	sampler = open_sampler(FAULTS, &config);
	for (lap = 0; lap < 5; lap++) {
		perfctr_sampler_enable(sampler);
		start = fault(300);
		perfctr_sampler_disable(sampler);
		/* The last ones, of which each has 24 bytes. */
		k = 299;
		last = UINT64_MAX;
		for (n = 0; perfctr_sampler_next(sampler, &record) > 0; n++) {
			ck_assert_uint_le(record->time, last);
			last = record->time;
			if (record->as.sample.addr == start + k * page_size() && k)
				k--;
		}
		ck_assert_uint_ge(n, page_size() / 24 - 1);
		ck_assert_uint_lt(k, 299 - page_size() / 24 / 2);
	}
	perfctr_sampler_close(sampler);
}
END_TEST

/* ---- on the made-up PMU ---- */

/* A record has 16 bytes, and the buffer as many as 1 page. */
static struct perfctr_sampler_config small(uint32_t flags)
{
	return (struct perfctr_sampler_config){
		.period = 10,
		.fields = PERF_SAMPLE_ID,
		.pages = 1,
		.flags = flags,
	};
}

static uint64_t lost_by(struct perfctr_sampler *sampler)
{
	uint64_t lost = 77;

	ck_assert_msg(perfctr_sampler_lost(sampler, &lost) == 0, "%s", perfctr_error());
	return lost;
}

static void end_made_up(struct perfctr_sampler *sampler)
{
	perfctr_sampler_close(sampler);
	pmu_end();
}

START_TEST(hardware_samples)
{
	struct perfctr_sampler_config config = {
		.period = 10,
		.fields = PERF_SAMPLE_READ | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD,
	};
	struct perfctr_sampler *sampler;
	const struct perfctr_record *record;
	unsigned int n;

	pmu_begin();
	pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
	sampler = open_sampler("{instructions:u,cycles:u}", &config);
	pmu_tick(7);
	for (n = 1; n <= 5; n++) {
		pmu_count(9);
		ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 0);
		pmu_count(1);
		ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 1);
		ck_assert_uint_eq(record->type, PERF_RECORD_SAMPLE);
		ck_assert_int_eq((int)record->tid, (int)getpid());
		ck_assert_uint_eq(record->as.sample.period, 10);
		ck_assert_uint_eq(record->as.sample.counts.n, 2);
		ck_assert_uint_eq(record->as.sample.counts.values[0], n * 10);
		ck_assert_uint_eq(record->as.sample.counts.values[1], n * 30);
		ck_assert_uint_eq(record->as.sample.counts.enabled, 7);
		ck_assert_uint_eq(record->as.sample.counts.running, 7);
	}
	ck_assert_int_eq(perfctr_sampler_set_period(sampler, 25), 0);
	pmu_count(24);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 0);
	pmu_count(26);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 2);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	pmu_count(100);
	ck_assert_int_eq(perfctr_sampler_refresh(sampler, 3), 0);
	pmu_count(1000);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 3);
	end_made_up(sampler);
}
END_TEST

/* A buffer that is full but for what the kernel leaves: the rest is lost, and counted. */
START_TEST(a_full_buffer)
{
	static const char *const events[] = { "instructions:u", "{instructions:u,cycles:u}" };
	struct perfctr_sampler_config config;
	struct perfctr_sampler *sampler;
	unsigned int i, old;
	struct found found;
	uint64_t fit;

	for (i = 0; i < 2; i++)
		for (old = 0; old < 2; old++) {
			config = small(0);
			if (i)
				config.fields = PERF_SAMPLE_READ;
			/* Header, number, times, of each event the count, and how many it lost. */
			fit = (page_size() - 1) / (!i ? 16 : old ? 48 : 64);
			pmu_begin();
			pmu_rate(PERF_COUNT_HW_CPU_CYCLES, 3);
			/* A kernel that does not tell. */
			pmu_fail(PMU_OPEN, old, EINVAL);
			sampler = open_sampler(events[i], &config);
			pmu_count(10 * fit);
			ck_assert_uint_eq(lost_by(sampler), 0);
			pmu_count(10 * 45);
			ck_assert_uint_eq(lost_by(sampler), old ? 0 : 45);
			found = drain(sampler);
			ck_assert_uint_eq(found.type[PERF_RECORD_SAMPLE], fit);
			ck_assert_uint_eq(found.type[PERF_RECORD_LOST], 0);
			pmu_count(10);
			found = drain(sampler);
			ck_assert_uint_eq(found.type[PERF_RECORD_SAMPLE], 1);
			ck_assert_uint_eq(found.type[PERF_RECORD_LOST], 1);
			ck_assert_uint_eq(found.lost, 45);
			ck_assert_uint_eq(lost_by(sampler), 45);
			end_made_up(sampler);
		}
}
END_TEST

static int note_id(void *arg, const struct perfctr_record *record)
{
	unsigned int *n = arg;

	ck_assert_uint_eq(record->type, PERF_RECORD_SAMPLE);
	ck_assert_uint_eq(record->as.sample.counts.values[0], n[1]);
	n[0]++;
	n[1] -= 10;
	return 0;
}

/* What is overwritten: the newest first, as many as there are, or as there is room for. */
START_TEST(a_snapshot)
{
	struct perfctr_sampler_config config = small(PERFCTR_SAMPLER_OVERWRITE);
	unsigned int n[2], total = 0, k, fit;
	struct perfctr_sampler *sampler;
	uint64_t size;

	/* 24 bytes, which don't divide the buffer, or 64, which do. */
	for (k = 0; k < 2; k++) {
		static const unsigned int more[] = { 1, 3, 0, 64, 170, 171, 500, 2, 128 };
		unsigned int i;

		pmu_begin();
		config.fields = PERF_SAMPLE_READ |
				(k ? PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_IP : 0);
		/* Header, count, times, lost; and three. */
		size = k ? 64 : 40;
		fit = (unsigned int)(page_size() / size);
		sampler = open_sampler("instructions:u", &config);
		for (i = 0, total = 0; i < ARRAY_SIZE(more); i++) {
			pmu_count(10 * more[i]);
			total += more[i];
			n[0] = 0;
			n[1] = 10 * total;
			ck_assert_msg(perfctr_sampler_each(sampler, note_id, n) == 0, "%s",
				      perfctr_error());
			ck_assert_uint_eq(n[0], more[i] < fit ? more[i] : fit);
		}
		pmu_fail(PERF_EVENT_IOC_PAUSE_OUTPUT, 1, EIO);
		ck_fails(perfctr_sampler_each(sampler, note_id, n), EIO, "stop writing");
		/* Not even asked: it writes on. */
		pmu_fail(PMU_READ, 1, EIO);
		ck_fails(perfctr_sampler_each(sampler, note_id, n), EIO, "reading");
		pmu_count(20);
		n[0] = 0;
		n[1] = 10 * total + 20;
		ck_assert_int_eq(perfctr_sampler_each(sampler, note_id, n), 0);
		ck_assert_uint_eq(n[0], 2);
		end_made_up(sampler);
	}
}
END_TEST

START_TEST(no_room)
{
	struct perfctr_sampler_config config = small(0);
	struct perfctr_sampler *sampler;
	uint64_t lost;

	pmu_begin();
	pmu.taken = 4;
	ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EBUSY, "taken");
	ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
	pmu.taken = 0;
	sampler = open_sampler("instructions:u", &config);
	pmu_count(10);
	pmu.taken = 4;
	pmu_schedule();
	pmu_count(100);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 1);
	ck_fails(perfctr_sampler_lost(sampler, &lost), EBUSY, "taken");
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_fails(perfctr_sampler_enable(sampler), EBUSY, "taken");
	pmu.taken = 0;
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	pmu_count(10);
	ck_assert_uint_eq(drain(sampler).type[PERF_RECORD_SAMPLE], 1);
	end_made_up(sampler);
	/* What the PMU can't: a period as short as this. */
	pmu_begin();
	pmu.least_period = 128;
	ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EINVAL,
		      "after every 10: its PMU needs a longer period; 128 is enough");
	config.period = 128;
	sampler = open_sampler("instructions:u", &config);
	ck_fails(perfctr_sampler_set_period(sampler, 127), EINVAL, "on some PMUs from 128");
	end_made_up(sampler);
}
END_TEST

/* ---- AUX areas ---- */

static struct perfctr_sampler_config with_area(uint32_t flags)
{
	struct perfctr_sampler_config config = small(flags);

	config.aux_pages = 1;
	return config;
}

/* The next piece is this one. */
static void expect_aux(struct perfctr_sampler *sampler, int cpu, uint64_t offset, uint64_t size)
{
	const struct perfctr_aux *aux;
	uint64_t i;

	ck_assert_msg(perfctr_sampler_next_aux(sampler, &aux) == 1, "%s", perfctr_error());
	ck_assert_int_eq(aux->cpu, cpu);
	ck_assert_uint_eq(aux->offset, offset);
	ck_assert_uint_eq(aux->size, size);
	for (i = 0; i < size; i++)
		ck_assert_uint_eq(((const uint8_t *)aux->bytes)[i], pmu_aux_byte(offset + i));
}

static void expect_no_aux(struct perfctr_sampler *sampler)
{
	const struct perfctr_aux *aux;

	ck_assert_msg(perfctr_sampler_next_aux(sampler, &aux) == 0, "%s", perfctr_error());
}

START_TEST(an_area)
{
	struct perfctr_sampler_config config = with_area(0);
	const struct perfctr_record *record;
	const struct perfctr_aux *aux;
	struct perfctr_sampler *sampler;
	size_t page = page_size();

	pmu_begin();
	ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EOPNOTSUPP,
		      "instructions:u has no AUX area");
	ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
	pmu.aux = true;
	config.wakeup_aux = (uint32_t)page / 2;
	sampler = open_sampler("instructions:u", &config);
	ck_assert_uint_eq(pmu_asked.aux_watermark, page / 2);
	expect_no_aux(sampler);
	ck_assert_uint_eq(pmu_aux(-1, 1000), 1000);
	expect_aux(sampler, -1, 0, 1000);
	/* The bytes stay until the next call, whatever is done about records. */
	pmu_count(10);
	ck_assert_int_eq(perfctr_sampler_next(sampler, &record), 1);
	ck_assert_uint_eq(pmu_aux(-1, page), page - 1001);
	expect_aux(sampler, -1, 1000, page - 1001);
	ck_assert_uint_eq(pmu_aux(-1, page), 1000);
	expect_aux(sampler, -1, page - 1, 1);
	expect_aux(sampler, -1, page, 999);
	expect_no_aux(sampler);
	/* Empty, it has room for all but a byte. */
	ck_assert_uint_eq(pmu_aux(-1, page), page - 1);
	pmu_aux_head(-1, 7 * page);
	ck_fails(perfctr_sampler_next_aux(sampler, &aux), EBADMSG, "everything in the area");
	expect_no_aux(sampler);
	ck_assert_uint_eq(pmu_aux(-1, 3), 3);
	expect_aux(sampler, -1, 7 * page, 3);
	ck_fails(perfctr_sampler_next_aux(sampler, NULL), EINVAL, "not NULL");
	ck_fails(perfctr_sampler_next_aux(NULL, &aux), EINVAL, "not NULL");
	end_made_up(sampler);
	pmu_begin();
	config = small(0);
	sampler = open_sampler("instructions:u", &config);
	ck_fails(perfctr_sampler_next_aux(sampler, &aux), EINVAL, "open it with aux_pages");
	end_made_up(sampler);
}
END_TEST

/* What is overwritten is there when nobody writes, once after each time. */
START_TEST(an_overwritten_area)
{
	struct perfctr_sampler_config config = with_area(PERFCTR_SAMPLER_AUX_OVERWRITE);
	const struct perfctr_aux *aux;
	struct perfctr_sampler *sampler;
	size_t page = page_size();

	pmu_begin();
	pmu.aux = true;
	sampler = open_sampler("instructions:u", &config);
	ck_fails(perfctr_sampler_next_aux(sampler, &aux), EINVAL, "perfctr_sampler_disable()");
	ck_assert_uint_eq(pmu_aux(-1, 251 * page + 10), 251 * page + 10);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_assert_int_eq(perfctr_sampler_next_aux(sampler, &aux), 1);
	ck_assert_uint_eq(aux->size, page - 10);
	ck_assert_uint_eq(aux->offset, 10);
	ck_assert_uint_eq(*(const uint8_t *)aux->bytes, pmu_aux_byte(250 * page + 10));
	ck_assert_int_eq(perfctr_sampler_next_aux(sampler, &aux), 1);
	ck_assert_uint_eq(aux->size, 10);
	ck_assert_uint_eq(aux->offset, page);
	ck_assert_uint_eq(*(const uint8_t *)aux->bytes, pmu_aux_byte(251 * page));
	expect_no_aux(sampler);
	ck_assert_int_eq(perfctr_sampler_enable(sampler), 0);
	ck_fails(perfctr_sampler_next_aux(sampler, &aux), EINVAL, "perfctr_sampler_disable()");
	pmu_aux(-1, 5);
	ck_assert_int_eq(perfctr_sampler_disable(sampler), 0);
	ck_assert_int_eq(perfctr_sampler_next_aux(sampler, &aux), 1);
	ck_assert_uint_eq(aux->size, page - 15);
	end_made_up(sampler);
}
END_TEST

/* Several areas take turns, also if one always has more. */
START_TEST(areas_of_processors)
{
	const struct perfctr_target all = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	struct perfctr_sampler_config config = with_area(0);
	const struct perfctr_aux *aux;
	struct perfctr_sampler *sampler;
	uint64_t at[2] = { 0 };
	unsigned int i;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	pmu_begin();
	pmu.aux = true;
	sampler = perfctr_sampler_open("instructions:u", &all, &config);
	ck_assert_msg(sampler != NULL, "%s", perfctr_error());
	expect_no_aux(sampler);
	pmu_aux(1, 10);
	expect_aux(sampler, 1, 0, 10);
	pmu_aux(0, 20);
	pmu_aux(1, 30);
	expect_aux(sampler, 0, 0, 20);
	expect_aux(sampler, 1, 10, 30);
	expect_no_aux(sampler);
	at[0] = 20;
	at[1] = 40;
	for (i = 0; i < 100; i++) {
		/* Each has more by the time that it has been read. */
		pmu_aux(0, 1);
		pmu_aux(1, 1);
		ck_assert_int_eq(perfctr_sampler_next_aux(sampler, &aux), 1);
		ck_assert_uint_eq(aux->offset, at[aux->cpu]);
		at[aux->cpu] += aux->size;
	}
	ck_assert_uint_gt(at[0], 80);
	ck_assert_uint_gt(at[1], 100);
	/* One that makes no sense does not stop the others. */
	while (perfctr_sampler_next_aux(sampler, &aux) > 0)
		at[aux->cpu] += aux->size;
	pmu_aux_head(0, 1u << 30);
	pmu_aux(1, 5);
	while ((i = (unsigned int)perfctr_sampler_next_aux(sampler, &aux)) == 1)
		at[aux->cpu] += aux->size;
	ck_assert_int_eq((int)i, -1);
	while (perfctr_sampler_next_aux(sampler, &aux) == 1)
		at[aux->cpu] += aux->size;
	ck_assert_uint_eq(at[1], 145);
	end_made_up(sampler);
}
END_TEST

/* Each call that opens one fails in its turn. */
START_TEST(areas_and_faults)
{
	struct perfctr_sampler_config config = with_area(0);
	const struct perfctr_aux *aux;
	struct perfctr_sampler *sampler;
	unsigned int nth;
	int status;
	pid_t child;

	for (nth = 1; nth <= 2; nth++) {
		pmu_begin();
		pmu.aux = true;
		pmu_fail(PMU_MMAP, nth, EPERM);
		ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), EPERM,
			      "perf_event_mlock_kb");
		ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
		pmu_fail(PMU_MMAP, 2, ENOMEM);
		ck_fails_null(perfctr_sampler_open("instructions:u", NULL, &config), ENOMEM,
			      "can't have an AUX area of");
		ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
		pmu_end();
	}
	/* In a child there is none. */
	pmu_begin();
	pmu.aux = true;
	sampler = open_sampler("instructions:u", &config);
	pmu_aux(-1, 10);
	child = fork();
	if (child == 0) {
		ck_fails(perfctr_sampler_next_aux(sampler, &aux), ESRCH, "a child opens its own");
		perfctr_sampler_close(sampler);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	expect_aux(sampler, -1, 0, 10);
	end_made_up(sampler);
}
END_TEST

/* Every call that opens a sampler fails in its turn: nothing is left. */
START_TEST(faults)
{
	struct perfctr_sampler_config config = small(0);
	struct perfctr_sampler *sampler;
	unsigned int nth, failures = 0;
	bool failed;

	config.signal = SIGUSR1;
	config.fields = PERF_SAMPLE_READ;
	for (nth = 1;; nth++) {
		pmu_begin();
		pmu_fail(PMU_ANY, nth, EPERM);
		sampler = perfctr_sampler_open("{instructions:u,cycles:u}", NULL, &config);
		failed = pmu_failed();
		pmu_fail(PMU_ANY, 0, 0);
		if (!sampler) {
			failures++;
			ck_assert(failed);
			ck_assert_msg(errno == EPERM || errno == EIO, "%s", perfctr_error());
			ck_assert_uint_eq(pmu_events() + pmu_mappings(), 0);
		}
		end_made_up(sampler);
		if (!failed)
			break;
	}
	/* Two opens, a buffer, four calls for the signal, the start, a look at it. */
	ck_assert_uint_eq(failures, 9);
}
END_TEST

UNIT_MAIN("sampler", 60, a_clock, a_frequency, addresses, nothing_is_missing, callbacks,
	  records_that_wrap, wakeup_by_count, wakeup_at_the_latest, wakeup_by_bytes,
	  signals_and_refresh, another_period, counts_of_a_group, refresh_of_a_group,
	  lost_by_a_family, overwriting, life_of_a_child, other_mappings, the_kernels_records,
	  call_chains,
#if defined(__x86_64__)
	  registers_and_stack,
#endif
	  on_exec, a_child_of_fork, closed_while_a_child_lives, precise_modifiers, bad_arguments,
	  too_large_a_buffer, no_descriptors, threads_of_a_process, threads_while_opening,
	  children_everywhere, one_descriptor, a_zombie, descriptors_run_out, all_processors,
	  overwriting_several, hardware_samples, a_full_buffer, a_snapshot, no_room, an_area,
	  an_overwritten_area, areas_of_processors, areas_and_faults, faults)
