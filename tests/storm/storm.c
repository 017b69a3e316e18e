// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Storms: thousands of threads, forks and execs while something counts, no descriptors left,
 * signals in every call. After each, nothing may be left (descriptors, mappings, heap) and no
 * count may be missing that the kernel had. Where the machine has counters, they count too; with
 * STORM_EXACT in the environment to the instruction, which the emulated machines of tests/vm do.
 *
 * The environment: STORM_THREADS, how many threads (2000); the rest is in proportion;
 * STORM_VALGRIND, anything, where valgrind runs it. Prints a line
 * per storm; exit status 0 if all passed, 1 if one failed.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <libperfctr.h>
#include "tests/harness/expect.h"

#define SECONDS 3000 /* of hanging, not of being slow */
#define STACK	(128ul << 10)
#define AT_ONCE 50 /* threads or children at a time, where not all run at once */
#define PAGES	16

#ifndef sigev_notify_thread_id /* glibc has no name for it */
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static unsigned int nthreads, ncounters, slack;
static bool driver; /* counts; else perf_events do */
static long page_size;
static const char *software; /* the software events that may be counted here */

/* ---- what a program holds ---- */

struct holding {
	unsigned int descriptors, highest;
	unsigned long mappings; /* kB: pages of the kernel, and memory that a child finds wiped */
	size_t heap;		/* bytes */
};

static struct holding holding(void)
{
	struct holding held = { 0 };
	unsigned long size = 0;
	struct dirent *entry;
	char line[4096];
	bool ours = false;
	FILE *maps;
	DIR *dir;

#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)
	held.heap = mallinfo2().uordblks;
#endif
#endif
	dir = opendir("/proc/self/fd");
	while (dir && (entry = readdir(dir))) {
		unsigned int fd = (unsigned int)atoi(entry->d_name);

		held.descriptors++;
		if ((int)fd != dirfd(dir) && fd > held.highest)
			held.highest = fd;
	}
	maps = fopen("/proc/self/smaps", "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[perf_event]") || strstr(line, "[vperfctrfs]"))
			ours = true;
		if (sscanf(line, "Size: %lu", &size) == 1 || strncmp(line, "VmFlags:", 8) != 0)
			continue;
		if (ours || strstr(line, " wf"))
			held.mappings += size;
		ours = false;
	}
	if (!dir || !maps || !size)
		held.descriptors = 0; /* which fails */
	if (dir)
		closedir(dir);
	if (maps)
		fclose(maps);
	return held;
}

/* Some heap is malloc()'s own: it keeps what the main thread gives back. */
static int check_holding(const struct holding *before)
{
	struct holding now = holding();

	CHECK(now.descriptors != 0, "/proc/self tells nothing");
	CHECK(now.descriptors == before->descriptors, "%u descriptors, and %u before",
	      now.descriptors, before->descriptors);
	CHECK(now.mappings == before->mappings, "%lu kB mapped, and %lu before", now.mappings,
	      before->mappings);
	CHECK(now.heap <= before->heap + 8192, "%zu bytes of heap, and %zu before", now.heap,
	      before->heap);
	return 0;
}

/* ---- what is counted ---- */

/* Exactly 2 * n instructions. */
static inline __attribute__((always_inline)) void loop(unsigned long n)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(n) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1; bnez %0, 1b" : "+r"(n));
#else
	while (n--)
		__asm__ volatile("");
#endif
}

/* QEMU's PMU of arm64 has one count for all processors: see tests/vm/README.md. */
static bool shares_counts(void)
{
#if defined(__aarch64__)
	return sysconf(_SC_NPROCESSORS_ONLN) > 1;
#else
	return false;
#endif
}

/* The TSC, and user-mode instructions on n counters. */
static struct vperfctr_control counting(unsigned int n)
{
	struct vperfctr_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = n;
	for (i = 0; i < n; i++) {
		control.cpu_control.pmc_map[i] = i;
#if defined(__aarch64__)
		control.cpu_control.evntsel[i] = 0x80000008;
#elif defined(__x86_64__) || defined(__i386__)
		control.cpu_control.evntsel[i] = 0x004100C0;
#elif defined(__riscv)
		/* The SBI's INSTRUCTIONS, not in supervisor mode; 0 to 2 count other things. */
		control.cpu_control.pmc_map[i] = 3 + i;
		control.cpu_control.evntsel[i] = 2;
		control.cpu_control.evntsel_high[i] = 0x21000000;
#endif
	}
	return control;
}

/* What counter 0 says of a loop of n, with the reads' own instructions in it: always as many. */
static __attribute__((noinline)) uint64_t measure(const struct vperfctr *self, unsigned long n)
{
	uint64_t before = vperfctr_read_pmc(self, 0);

	loop(n);
	return vperfctr_read_pmc(self, 0) - before;
}

/* Whether the calling thread's counter counts what it has to. */
static bool counts_right(const struct vperfctr *self)
{
	unsigned int tries = shares_counts() ? 10 : 1;
	uint64_t one, two;

	if (!ncounters)
		return vperfctr_is_running(self);
	do {
		measure(self, 1);
		one = measure(self, 1000);
		two = measure(self, 2000);
		if (two - one + slack - 2000 <= 2 * slack)
			return true;
	} while (--tries);
	printf("  loops of 1000 and 2000: %llu and %llu\n", (unsigned long long)one,
	       (unsigned long long)two);
	return false;
}

/* n fresh pages, each touched for the first time: as many page faults. */
static int touch(unsigned int n)
{
	size_t size = n * (size_t)page_size;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	CHECK(memory != MAP_FAILED, "mmap");
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		((volatile char *)memory)[i * (size_t)page_size] = 1;
	munmap(memory, size);
	return 0;
}

static uint64_t faults(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (uint64_t)(usage.ru_minflt + usage.ru_majflt);
}

static uint64_t switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* ---- threads ---- */

struct worker {
	pthread_t thread;
	unsigned int number;
	int (*run)(struct worker *);
	struct perfctr_sum_ctrs last;
	bool miscounted, stood_still;
	int failed;
};

static struct worker *workers;
static char *stacks;
static struct perfctr_total *final, *ended; /* threads whose last counts are known; others */
static struct perfctr_sum_ctrs seen;	    /* total of the former */
static struct vperfctr *looker;		    /* the main thread's */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static sem_t arrived;

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->failed = worker->run(worker);
	if (worker->failed)
		sem_post(&arrived);
	return NULL;
}

/* On a stack of ours: the C library would keep some of its own mapped, and not always as many. */
static int start(struct worker *worker, unsigned int number, int (*run)(struct worker *))
{
	pthread_attr_t attr;
	int error;

	memset(worker, 0, sizeof(*worker));
	worker->number = number;
	worker->run = run;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stacks + STACK * number, STACK);
	error = pthread_create(&worker->thread, &attr, work, worker);
	pthread_attr_destroy(&attr);
	return error;
}

/* n threads, at_once of them at a time; each time one is to end, look() is called. */
static int run_threads(unsigned int n, unsigned int at_once, int (*run)(struct worker *),
		       int (*look)(void))
{
	unsigned int i, failed = 0;

	for (i = 0; i < n + at_once; i++) {
		if (i >= at_once && i - at_once < n) {
			failed += look && look() != 0;
			pthread_join(workers[i - at_once].thread, NULL);
			failed += workers[i - at_once].failed != 0;
		}
		if (i < n)
			CHECK(start(&workers[i], i, run) == 0, "thread %u", i);
	}
	CHECK(!failed, "%u of %u", failed, n);
	return 0;
}

/* Opens, counts, and ends in one of three ways. */
static int count(struct worker *worker)
{
	struct vperfctr_control control = counting(ncounters);
	struct perfctr_sum_ctrs first = { 0 }, again = { 0 };
	struct vperfctr *self = vperfctr_open();
	unsigned int way = worker->number % 3;

	CHECK(self, "%s", perfctr_error());
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	CHECK(perfctr_total_add(way == 2 ? ended : final, self) == 0, "%s", perfctr_error());
	sem_post(&arrived);
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	CHECK(vperfctr_read_ctrs(self, &first) == 0, "%s", perfctr_error());
	worker->miscounted = !counts_right(self);
	if (way == 0)
		CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	if (way == 1)
		CHECK(vperfctr_unlink(self) == 0, "%s", perfctr_error());
	CHECK(vperfctr_read_ctrs(self, &worker->last) == 0, "%s", perfctr_error());
	CHECK(worker->last.tsc >= first.tsc, "TSC: %llu, then %llu", first.tsc, worker->last.tsc);
	worker->stood_still = worker->last.tsc == first.tsc;
	CHECK(worker->last.pmc[0] >= first.pmc[0] + (ncounters ? 6000 : 0),
	      "counter: %llu, then %llu", first.pmc[0], worker->last.pmc[0]);
	if (way == 0)
		CHECK(vperfctr_unlink(self) == 0, "%s", perfctr_error());
	if (way != 2) {
		CHECK(vperfctr_read_ctrs(self, &again) == 0, "%s", perfctr_error());
		CHECK(again.tsc == worker->last.tsc && again.pmc[0] == worker->last.pmc[0],
		      "counts of a state that has ended");
	}
	vperfctr_close(self);
	return 0;
}

/* Totals never fall, whoever comes and goes. */
static int look_at_totals(void)
{
	struct perfctr_sum_ctrs sum;

	CHECK(perfctr_total_read(final, &sum, NULL) == 0, "%s", perfctr_error());
	CHECK(sum.tsc >= seen.tsc && sum.pmc[0] >= seen.pmc[0],
	      "totals fell: %llu, then %llu; %llu, then %llu", seen.tsc, sum.tsc, seen.pmc[0],
	      sum.pmc[0]);
	seen = sum;
	return 0;
}

/* The thread that looks is in the set, too, and counts less than the others: the TSC alone. */
static int open_sets(void)
{
	struct vperfctr_control control = counting(0);

	memset(&seen, 0, sizeof(seen));
	final = perfctr_total_create();
	ended = perfctr_total_create();
	looker = vperfctr_open();
	CHECK(final && ended && looker, "%s", perfctr_error());
	CHECK(vperfctr_control(looker, &control) == 0, "%s", perfctr_error());
	CHECK(perfctr_total_add(final, looker) == 0, "%s", perfctr_error());
	return 0;
}

/* The totals of n threads that have ended are the sums of what they saw. */
static int check_totals(unsigned int n)
{
	struct perfctr_sum_ctrs expect[2] = { { 0 } }, sum;
	unsigned int i, threads, miscounted = 0, stood_still = 0;

	CHECK(vperfctr_unlink(looker) == 0, "%s", perfctr_error());
	expect[0].tsc = vperfctr_read_tsc(looker);
	vperfctr_close(looker);
	for (i = 0; i < n; i++) {
		expect[i % 3 == 2].tsc += workers[i].last.tsc;
		expect[i % 3 == 2].pmc[0] += workers[i].last.pmc[0];
		miscounted += workers[i].miscounted;
		stood_still += workers[i].stood_still;
	}
	/* A thread's CPU clock leaves out what a hypervisor has stolen, as just now perhaps. */
	CHECK(stood_still <= 1 + n / 100, "the TSC of %u threads stood still", stood_still);
	CHECK(perfctr_total_read(final, &sum, &threads) == 0, "%s", perfctr_error());
	CHECK(threads == n - n / 3 + 1, "%u threads", threads);
	CHECK(sum.tsc == expect[0].tsc, "TSC: %llu, expected %llu", sum.tsc, expect[0].tsc);
	CHECK(sum.pmc[0] == expect[0].pmc[0], "counter: %llu, expected %llu", sum.pmc[0],
	      expect[0].pmc[0]);
	/* These counted on until they ended, which is soon. */
	CHECK(perfctr_total_read(ended, &sum, &threads) == 0, "%s", perfctr_error());
	CHECK(threads == n / 3, "%u threads", threads);
	CHECK(sum.tsc > expect[1].tsc, "TSC: %llu, expected %llu", sum.tsc, expect[1].tsc);
	CHECK(!ncounters ||
		      (sum.pmc[0] > expect[1].pmc[0] &&
		       (shares_counts() || sum.pmc[0] < expect[1].pmc[0] + threads * 20000ull)),
	      "counter: %llu, expected %llu", sum.pmc[0], expect[1].pmc[0]);
	perfctr_total_destroy(final);
	perfctr_total_destroy(ended);
	if (shares_counts() && miscounted <= n / 2)
		miscounted = 0;
	CHECK(!miscounted, "%u threads counted wrong", miscounted);
	return 0;
}

static int threads_in_waves(unsigned int n)
{
	return open_sets() || run_threads(n, AT_ONCE, count, look_at_totals) || check_totals(n);
}

/* As many as the limits of the machine let live together; all are open at one moment. */
static int threads_at_once(unsigned int n)
{
	unsigned int i, k, open = holding().highest + 1, failed = 0;
	struct rlimit limit;

	if (open_sets())
		return 1;
	getrlimit(RLIMIT_NOFILE, &limit);
	/* A thread has its counters and its clock, each an event. */
	if (n > (limit.rlim_cur - open - 1) / (ncounters + 1))
		n = (unsigned int)((limit.rlim_cur - open - 1) / (ncounters + 1));
	pthread_mutex_lock(&gate);
	for (k = 0; k < n && start(&workers[k], k, count) == 0; k++)
		;
	for (i = 0; i < k; i++)
		sem_wait(&arrived);
	failed += look_at_totals() != 0;
	pthread_mutex_unlock(&gate);
	for (i = 0; i < k; i++) {
		pthread_join(workers[i].thread, NULL);
		failed += workers[i].failed != 0;
	}
	CHECK(k >= n / 10, "only %u threads of %u could be made", k, n);
	CHECK(!failed, "%u of %u", failed, k);
	if (k >= nthreads / 10)
		printf("  %u threads\n", k);
	return check_totals(k);
}

/* ---- groups ---- */

/* Between what the thread's own usage says before and after, and what it says in between. */
static int count_software(struct worker *worker)
{
	uint64_t fault[4], change[4];
	struct perfctr_reading reading[2];
	struct perfctr_set *group;

	(void)worker;
	change[0] = switches();
	fault[0] = faults(RUSAGE_THREAD);
	group = perfctr_set_open(software, NULL, 0);
	CHECK(group, "%s", perfctr_error());
	fault[1] = faults(RUSAGE_THREAD);
	change[1] = switches();
	if (touch(PAGES))
		return 1;
	usleep(1);
	change[2] = switches();
	fault[2] = faults(RUSAGE_THREAD);
	CHECK(perfctr_set_read(group, reading) == 0, "%s", perfctr_error());
	fault[3] = faults(RUSAGE_THREAD);
	change[3] = switches();
	CHECK(reading[0].quality == PERFCTR_EXACT, "%s", perfctr_quality_name(reading[0].quality));
	/* Those in the kernel are not counted; none are for the pages. */
	CHECK(reading[0].value >= PAGES && reading[0].value <= fault[3] - fault[0],
	      "%llu faults, %llu to %llu", (unsigned long long)reading[0].value,
	      (unsigned long long)(fault[2] - fault[1]), (unsigned long long)(fault[3] - fault[0]));
	CHECK(perfctr_set_size(group) == 1 || (reading[1].value >= change[2] - change[1] &&
					       reading[1].value <= change[3] - change[0]),
	      "%llu switches, %llu to %llu", (unsigned long long)reading[1].value,
	      (unsigned long long)(change[2] - change[1]),
	      (unsigned long long)(change[3] - change[0]));
	perfctr_set_close(group);
	return 0;
}

static int groups_in_threads(unsigned int n)
{
	return run_threads(n, AT_ONCE, count_software, NULL);
}

/* ---- forks ---- */

/* In a program that a counting one has become: none of its descriptors is here. */
static int after_exec(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char link[64], to[64];
	int result = dir ? 0 : 3;

	while (dir && (entry = readdir(dir))) {
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/self/fd/%.20s", entry->d_name);
		length = readlink(link, to, sizeof(to) - 1);
		to[length < 0 ? 0 : length] = '\0';
		if (strstr(to, ":[perf_event]") || strstr(to, ":[vperfctrfs]"))
			result = 2;
	}
	if (dir)
		closedir(dir);
	return result;
}

/* In a child: nothing of the parent's is there, and one's own can be made. */
static int check_child(struct vperfctr *self, struct perfctr_set *group)
{
	struct vperfctr_control control = counting(ncounters);
	struct perfctr_reading reading[2];
	struct perfctr_sum_ctrs sum;

	errno = 0;
	if (vperfctr_read_ctrs(self, &sum) != -1 || errno != ESRCH)
		return 2;
	errno = 0;
	if (vperfctr_read_pmc(self, 0) != ~0ULL || vperfctr_read_tsc(self) != ~0ULL ||
	    errno != ESRCH)
		return 3;
	errno = 0;
	if (vperfctr_control(self, &control) != -1 || vperfctr_stop(self) != -1 || errno != ESRCH)
		return 4;
	errno = 0;
	if (perfctr_set_read(group, reading) != -1 || perfctr_set_disable(group) != -1 ||
	    errno != ESRCH)
		return 5;
	vperfctr_close(self);
	perfctr_set_close(group);
	self = vperfctr_open();
	if (!self || vperfctr_control(self, &control) != 0 || !vperfctr_is_running(self))
		return 6;
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

/* Wait for one child. */
static int reap(void)
{
	int status = 0;

	CHECK(wait(&status) > 0, "wait");
	CHECK(status == 0, "child: status 0x%x", (unsigned int)status);
	return 0;
}

static int forks_while_counting(unsigned int n)
{
	struct vperfctr_control control = counting(ncounters);
	struct vperfctr *self = vperfctr_open();
	struct perfctr_set *group = perfctr_set_open(software, NULL, 0);
	struct perfctr_reading reading[2];
	struct perfctr_sum_ctrs last = { 0 }, now = { 0 };
	unsigned int i;
	int failed = 0;
	char program[4096];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);

	CHECK(self && group && length > 0, "%s", perfctr_error());
	program[length] = '\0';
	n = n / 10 + 1;
	CHECK(vperfctr_control(self, &control) == 0 && vperfctr_read_ctrs(self, &last) == 0, "%s",
	      perfctr_error());
	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0, "fork");
		if (pid == 0) {
			/* A program of its own, before or after calls that clean up. */
			int wrong = i % 3 ? check_child(self, group) : 0;

			if (!wrong && i % 6 == 0)
				execl(program, program, "exec", (char *)NULL);
			_exit(wrong);
		}
		failed += touch(1);
		CHECK(vperfctr_read_ctrs(self, &now) == 0, "%s", perfctr_error());
		CHECK(now.tsc >= last.tsc && now.pmc[0] >= last.pmc[0], "counts fell");
		last = now;
		if (i >= AT_ONCE / 10)
			failed += reap();
	}
	while (i-- > n - (n < AT_ONCE / 10 ? n : AT_ONCE / 10))
		failed += reap();
	CHECK(!failed, "%d failed", failed);
	CHECK(counts_right(self), "the parent's");
	CHECK(perfctr_set_read(group, reading) == 0 && reading[0].value >= n, "%llu of %u",
	      (unsigned long long)reading[0].value, n);
	perfctr_set_close(group);
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

/* All that the children counted is in the parent's total when they have been waited for. */
static int forks_that_inherit(unsigned int n)
{
	struct perfctr_set *group;
	struct perfctr_reading reading;
	uint64_t most;
	unsigned int i;
	int failed = 0;

	n = n / 10 + 1;
	most = -(faults(RUSAGE_SELF) + faults(RUSAGE_CHILDREN));
	group = perfctr_set_open("page-faults:u", NULL, PERFCTR_INHERIT);
	CHECK(group, "%s", perfctr_error());
	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		CHECK(pid >= 0, "fork");
		if (pid == 0)
			_exit(touch(PAGES));
		if (i >= AT_ONCE / 10)
			failed += reap();
	}
	while (i-- > n - (n < AT_ONCE / 10 ? n : AT_ONCE / 10))
		failed += reap();
	CHECK(perfctr_set_read(group, &reading) == 0, "%s", perfctr_error());
	most += faults(RUSAGE_SELF) + faults(RUSAGE_CHILDREN);
	perfctr_set_close(group);
	CHECK(!failed, "%d failed", failed);
	/* Its search for leaks reads buffers that a child has not got: faults that lead nowhere. */
	if (getenv("STORM_VALGRIND"))
		most = UINT64_MAX;
	CHECK(reading.value >= n * PAGES && reading.value <= most, "%llu faults, %u to %llu",
	      (unsigned long long)reading.value, n * PAGES, (unsigned long long)most);
	return 0;
}

/* ---- descriptors ---- */

static void limit_descriptors(rlim_t n)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = n;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* With 0, 1, 2 ... descriptors allowed, until try() succeeds: EMFILE, and nothing is left. */
static int with_ever_more(int (*try)(void *arg), void *arg)
{
	struct holding before = holding(), now;
	struct rlimit limit;
	rlim_t n = 0;
	int result;

	getrlimit(RLIMIT_NOFILE, &limit);
	do {
		limit_descriptors(n);
		errno = 0;
		result = try(arg);
		limit_descriptors(limit.rlim_cur);
		if (result == 0)
			break;
		CHECK(errno == EMFILE && strstr(perfctr_error(), "ulimit -n"), "%s",
		      perfctr_error());
		now = holding();
		CHECK(now.descriptors == before.descriptors && now.mappings == before.mappings,
		      "%llu descriptors: something is left", (unsigned long long)n);
	} while (++n <= before.highest + 100);
	CHECK(result == 0, "%s", perfctr_error());
	CHECK(n != 0, "no descriptor was needed");
	return 0;
}

static int try_group(void *events)
{
	struct perfctr_set *group = perfctr_set_open(events, NULL, 0);

	perfctr_set_close(group);
	return group ? 0 : -1;
}

struct controlling {
	struct vperfctr *self;
	struct vperfctr_control control;
};

static int try_control(void *arg)
{
	struct controlling *it = arg;

	return vperfctr_control(it->self, &it->control);
}

static int try_open(void *unused)
{
	struct vperfctr *self = vperfctr_open();

	(void)unused;
	if (!self)
		return -1;
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

static int descriptors_run_out(unsigned int n)
{
	static char events[][64] = {
		"page-faults:u",
		"page-faults:u,dummy:u",
		"dummy:u,page-faults:u,minor-faults:u,dummy:u",
		"page-faults:u,msr/tsc/,dummy:u",
	};
	struct controlling it = { NULL, counting(ncounters) };
	struct perfctr_set *group = perfctr_set_open("page-faults:u", NULL, 0);
	struct perfctr_reading before, after;
	unsigned int i;

	(void)n;
	/* A state of the driver has one, whatever it counts. */
	if (driver && with_ever_more(try_open, NULL))
		return 1;
	it.self = vperfctr_open();
	CHECK(it.self && group && try_control(&it) == 0, "%s", perfctr_error());
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		/* Not every machine has the last one's PMU, and not everybody may use it. */
		if (try_group(events[i]) < 0 && (errno == ENOENT || errno == EACCES))
			continue;
		perfctr_set_read(group, &before);
		if (with_ever_more(try_group, events[i]) || touch(PAGES))
			return 1;
		CHECK(perfctr_set_read(group, &after) == 0 && after.quality == PERFCTR_EXACT &&
			      after.value >= before.value + PAGES,
		      "%s", perfctr_error());
	}
	/* What ran when the descriptors ran out runs on; more counters need new ones. */
	while (it.control.cpu_control.nractrs && !driver) {
		unsigned int more = it.control.cpu_control.nractrs + 1;
		struct vperfctr *self = it.self;

		if (more > 3)
			break;
		it = (struct controlling){ self, counting(more) };
		if (with_ever_more(try_control, &it))
			return 1;
		CHECK(counts_right(self), "%u counters", more);
	}
	perfctr_set_close(group);
	CHECK(vperfctr_is_running(it.self), "stopped");
	vperfctr_unlink(it.self);
	vperfctr_close(it.self);
	return 0;
}

/* ---- signals ---- */

/* What the calling thread's signal handler reads. */
static _Thread_local struct {
	struct vperfctr *volatile self;
	struct perfctr_set *volatile group;
	uint64_t tsc, faults;
	timer_t timer;
	volatile sig_atomic_t signals, wrong;
} mine;

/* Once more, a while after the handler: it must not keep its thread from its work. */
static void arm(void)
{
	static const struct itimerspec soon = { .it_value.tv_nsec = 100000 };

	timer_settime(mine.timer, 0, &soon, NULL);
}

static void on_signal(int number)
{
	struct perfctr_reading reading[2];
	struct perfctr_sum_ctrs sum = { 0 };
	int error = errno;

	(void)number;
	mine.signals++;
	if (mine.group) {
		if (perfctr_set_read(mine.group, reading) < 0 || reading[0].value < mine.faults)
			mine.wrong = 1;
		mine.faults = reading[0].value;
	}
	if (mine.self) {
		/* A stop that is interrupted keeps the sums of a moment before. */
		if (vperfctr_read_ctrs(mine.self, &sum) < 0 ||
		    vperfctr_read_tsc(mine.self) == ~0ULL ||
		    vperfctr_read_pmc(mine.self, 0) == ~0ULL)
			mine.wrong = 2;
		vperfctr_is_running(mine.self);
		if (sum.tsc + (1ull << 30) < mine.tsc)
			mine.wrong = 3;
		mine.tsc = sum.tsc;
	}
	errno = error;
	arm();
}

/* One round of every call. */
static int every_call(struct perfctr_total *process, uint64_t *last_faults)
{
	struct vperfctr_control control = counting(ncounters), read;
	struct perfctr_sum_ctrs sum = { 0 }, total;
	struct perfctr_reading reading[2];
	struct vperfctr *self = vperfctr_open(), *again;
	struct perfctr_set *group;

	CHECK(self, "%s", perfctr_error());
	mine.tsc = 0;
	mine.self = self;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	again = vperfctr_open_mode(0);
	CHECK(again == self, "%s", perfctr_error());
	vperfctr_close(again);
	CHECK(vperfctr_read_state(self, &sum, &read) == 0, "%s", perfctr_error());
	CHECK(read.cpu_control.tsc_on && read.cpu_control.nractrs == ncounters, "control");
	CHECK(perfctr_total_add(process, self) == 0, "%s", perfctr_error());
	CHECK(perfctr_total_read(process, &total, NULL) == 0, "%s", perfctr_error());
	CHECK(total.tsc >= sum.tsc && total.pmc[0] >= sum.pmc[0], "total");
	CHECK(vperfctr_read_quality(self, 0, &reading[0]) == 0, "%s", perfctr_error());
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	group = perfctr_set_open(software, NULL, 0);
	CHECK(group && touch(1) == 0, "%s", perfctr_error());
	CHECK(perfctr_set_disable(group) == 0 && perfctr_set_read(group, reading) == 0 &&
		      reading[0].value >= 1,
	      "%s", perfctr_error());
	CHECK(perfctr_set_reset(group) == 0 && perfctr_set_enable(group) == 0, "%s",
	      perfctr_error());
	perfctr_set_close(group);
	CHECK(perfctr_set_read(mine.group, reading) == 0, "%s", perfctr_error());
	CHECK(reading[0].value > *last_faults, "%llu faults", (unsigned long long)reading[0].value);
	*last_faults = reading[0].value;
	CHECK(vperfctr_unlink(self) == 0, "%s", perfctr_error());
	mine.self = NULL;
	vperfctr_close(self);
	return 0;
}

static int count_under_fire(struct worker *worker)
{
	struct perfctr_total *process = perfctr_total_create();
	struct sigevent event;
	uint64_t last_faults = 0;
	int result;

	(void)worker;
	mine.group = perfctr_set_open(software, NULL, 0);
	CHECK(process && mine.group, "%s", perfctr_error());
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = SIGUSR1;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &mine.timer) == 0, "timer_create");
	arm();
	do {
		result = every_call(process, &last_faults);
	} while (result == 0 && (unsigned int)mine.signals < nthreads / 8);
	timer_delete(mine.timer);
	CHECK(result == 0 && !mine.wrong, "a handler's read of kind %d", (int)mine.wrong);
	perfctr_set_close(mine.group);
	perfctr_total_destroy(process);
	return 0;
}

static int signals_in_every_call(unsigned int n)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	(void)n;
	sigaction(SIGUSR1, &action, NULL);
	return run_threads(4, 4, count_under_fire, NULL);
}

/* ---- overflows ---- */

#define EACH   10000 /* instructions between two overflows */
#define ROUNDS 5000  /* of the loop, at a time */

static _Thread_local struct {
	struct vperfctr *volatile self;
	volatile sig_atomic_t overflows, wrong, ending;
} overflowing;

/* The last one of a thread may come when its state is gone. */
static void on_overflow(int number, siginfo_t *info, void *context)
{
	int error = errno;

	(void)number, (void)context;
	if (overflowing.self) {
		overflowing.overflows++;
		if (vperfctr_ovf_mask(overflowing.self, info) != 1)
			overflowing.wrong = 1;
		/* What a stop or an unlink has ended can't be resumed. */
		if (vperfctr_iresume(overflowing.self) < 0 && !overflowing.ending)
			overflowing.wrong = 2;
	}
	errno = error;
}

/* An i-mode counter; the thread stops it, or unlinks the state, or ends in the midst. */
static int overflow(struct worker *worker)
{
	struct vperfctr_control control = counting(1);
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs sum = { 0 };
	unsigned int i;

	control.si_signo = SIGUSR2;
	control.cpu_control.nractrs = 0;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -EACH;
#if defined(__x86_64__) || defined(__i386__)
	control.cpu_control.evntsel[0] |= 0x00100000;
#elif defined(__aarch64__)
	/* Cycles: QEMU's other counters interrupt late, see tests/vm/guest/overflow.c. */
	control.cpu_control.pmc_map[0] = 31;
	control.cpu_control.evntsel[0] = 0x80000011;
#endif
	CHECK(self, "%s", perfctr_error());
	overflowing.ending = 0;
	overflowing.self = self;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	for (i = 0; i < 20; i++)
		loop(ROUNDS);
	if (worker->number % 3 == 2) {
		overflowing.self = NULL;
		vperfctr_close(self);
		return 0;
	}
	overflowing.ending = 1;
	CHECK((worker->number % 3 ? vperfctr_unlink(self) : vperfctr_stop(self)) == 0, "%s",
	      perfctr_error());
	CHECK(vperfctr_read_ctrs(self, &sum) == 0, "%s", perfctr_error());
	CHECK(!overflowing.wrong, "a handler's call of kind %d", (int)overflowing.wrong);
	CHECK(sum.pmc[0] >= 20 * 2 * ROUNDS, "%llu instructions", sum.pmc[0]);
	CHECK((unsigned long long)overflowing.overflows <= sum.pmc[0] / EACH &&
		      overflowing.overflows,
	      "%d overflows of %llu instructions", (int)overflowing.overflows, sum.pmc[0]);
	/* Where other processors' instructions are counted, too, periods are longer as well. */
	if (!shares_counts()) {
		/* What the handler executes before it resumes is not counted. */
		CHECK(sum.pmc[0] < 20 * 2 * ROUNDS + 50000, "%llu instructions", sum.pmc[0]);
		CHECK((unsigned long long)overflowing.overflows == sum.pmc[0] / EACH,
		      "%d overflows of %llu instructions", (int)overflowing.overflows, sum.pmc[0]);
	}
	overflowing.self = NULL;
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}

static int overflows_in_threads(unsigned int n)
{
	struct sigaction action = {
		.sa_sigaction = on_overflow,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	struct perfctr_info info;

	CHECK(perfctr_get_info(&info) == 0, "%s", perfctr_error());
	if (!(info.cpu_features & PERFCTR_FEATURE_PCINT))
		return 0;
	sigaction(SIGUSR2, &action, NULL);
	return run_threads(n, AT_ONCE, overflow, NULL);
}

/* ---- samples ---- */

/* A buffer of a page that nobody reads while it is written: what it holds and what is lost is all.
 */
static int overrun(struct worker *worker)
{
	struct perfctr_sampler_config config = {
		.period = 1,
		.fields = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.pages = 1,
		.flags = PERFCTR_DISABLED,
	};
	const struct perfctr_record *record;
	struct perfctr_sampler *sampler;
	struct perfctr_reading reading;
	struct perfctr_set *group;
	uint64_t samples = 0, lost;
	unsigned int i;
	int more;

	(void)worker;
	group = perfctr_set_open("page-faults:u", NULL, 0);
	sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	CHECK(group && sampler, "%s", perfctr_error());
	for (i = 0; i < 3; i++) {
		CHECK(perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
		if (touch(300))
			return 1;
		CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
		while ((more = perfctr_sampler_next(sampler, &record)) > 0)
			samples += record->type == PERF_RECORD_SAMPLE;
		CHECK(more == 0, "%s", perfctr_error());
	}
	CHECK(perfctr_sampler_lost(sampler, &lost) == 0, "%s", perfctr_error());
	CHECK(perfctr_set_read(group, &reading) == 0, "%s", perfctr_error());
	CHECK(lost > 0 && samples > 0 && samples + lost >= 900 && samples + lost <= reading.value,
	      "%llu samples and %llu lost, of %llu", (unsigned long long)samples,
	      (unsigned long long)lost, (unsigned long long)reading.value);
	perfctr_sampler_close(sampler);
	perfctr_set_close(group);
	return 0;
}

static int buffers_overrun(unsigned int n)
{
	return run_threads(n / 10, AT_ONCE, overrun, NULL);
}

/* ---- sets ---- */

static int touch_in_a_thread(struct worker *worker)
{
	(void)worker;
	return touch(PAGES);
}

static atomic_bool churning;
static atomic_uint calm = 500; /* us between them; with few, no set can be opened: EAGAIN */

/* Threads that come and go all the time. */
static void *churn(void *unused)
{
	struct worker *worker = &workers[nthreads - 1];

	(void)unused;
	while (atomic_load(&churning) && start(worker, nthreads - 1, touch_in_a_thread) == 0) {
		pthread_join(worker->thread, NULL);
		usleep(atomic_load(&calm));
	}
	return NULL;
}

/* A set on this process, opened and read while its threads come and go. */
static int sets_of_a_changing_process(unsigned int n)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS, .id = getpid() };
	struct perfctr_reading before, after;
	struct perfctr_set *set;
	unsigned int i, opened = 0;
	pthread_t churner;
	uint64_t most;
	int failed = 0;

	atomic_store(&churning, true);
	CHECK(pthread_create(&churner, NULL, churn, NULL) == 0, "thread");
	/* Threads come more slowly until the machine can open a set between them. */
	for (i = 0; (i < n / 20 + 1 || !opened) && !failed; i++) {
		most = -faults(RUSAGE_SELF);
		set = perfctr_set_open("page-faults:u", &target, 0);
		if (!set && errno == EAGAIN) {
			atomic_store(&calm, 2 * atomic_load(&calm));
			continue;
		}
		failed = !set || perfctr_set_read(set, &before) < 0;
		failed = failed || run_threads(10, 5, touch_in_a_thread, NULL);
		failed = failed || perfctr_set_read(set, &after) < 0;
		most += faults(RUSAGE_SELF);
		if (!failed && (after.value < before.value + 10 * PAGES || after.value > most)) {
			printf("  %llu faults, then %llu, %llu at most\n",
			       (unsigned long long)before.value, (unsigned long long)after.value,
			       (unsigned long long)most);
			failed = 1;
		}
		opened += !failed;
		perfctr_set_close(set);
	}
	atomic_store(&churning, false);
	pthread_join(churner, NULL);
	CHECK(!failed && opened, "%u opened: %s", opened, perfctr_error());
	return 0;
}

static struct {
	struct perfctr_sampler *sampler;
	uint64_t samples, last, early;
} process;

static int note_sample(void *arg, const struct perfctr_record *record)
{
	(void)arg;
	process.samples += record->type == PERF_RECORD_SAMPLE;
	process.early += record->time < process.last;
	process.last = record->time;
	return 0;
}

static int look_at_samples(void)
{
	CHECK(perfctr_sampler_each(process.sampler, note_sample, NULL) == 0, "%s", perfctr_error());
	return 0;
}

static int sample_a_process(unsigned int n)
{
	const struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_sampler_config config = {
		.period = 1,
		.fields = PERF_SAMPLE_TID | PERF_SAMPLE_ADDR,
		.flags = PERFCTR_INHERIT,
	};
	struct perfctr_set *set = perfctr_set_open("page-faults:u", &target, PERFCTR_INHERIT);
	struct perfctr_reading reading;
	uint64_t lost;

	memset(&process, 0, sizeof(process));
	process.sampler = perfctr_sampler_open("page-faults:u", &target, &config);
	CHECK(set && process.sampler, "%s", perfctr_error());
	if (run_threads(n, AT_ONCE, touch_in_a_thread, look_at_samples))
		return 1;
	CHECK(perfctr_sampler_disable(process.sampler) == 0, "%s", perfctr_error());
	if (look_at_samples())
		return 1;
	CHECK(perfctr_sampler_lost(process.sampler, &lost) == 0, "%s", perfctr_error());
	CHECK(perfctr_set_read(set, &reading) == 0, "%s", perfctr_error());
	CHECK(process.samples + lost >= (uint64_t)n * PAGES &&
		      process.samples + lost <= reading.value,
	      "%llu samples and %llu lost of %llu", (unsigned long long)process.samples,
	      (unsigned long long)lost, (unsigned long long)reading.value);
	perfctr_sampler_close(process.sampler);
	perfctr_set_close(set);
	return 0;
}

/*
 * A process whose threads are all sampled, while they come and go: each fault once, by time. Where
 * a virtual processor stands still for long between a record's time and its writing, nobody can
 * know of it; so it is in one of a few tries that none comes late.
 */
static int a_process_sampled(unsigned int n)
{
	unsigned int tries = 3;

	do {
		if (sample_a_process(n))
			return 1;
	} while (process.early && --tries);
	CHECK(!process.early, "%llu of %llu samples are early", (unsigned long long)process.early,
	      (unsigned long long)process.samples);
	return 0;
}

/* ---- remote ---- */

static void *kill_soon(void *arg)
{
	pid_t *pid = arg;

	usleep((useconds_t)(*pid % 16) * 100);
	kill(*pid, SIGKILL);
	return NULL;
}

/* All calls for a thread that is killed at one moment or another. */
static int use_until_killed(const struct rvperfctr *remote)
{
	struct vperfctr_control control = counting(ncounters);
	struct perfctr_sum_ctrs sum = { 0 }, last = { 0 };
	unsigned int i;
	int result = 0;

	for (i = 0; result == 0 && i < 1000000; i++) {
		result = i % 2 ? rvperfctr_stop(remote) : rvperfctr_control(remote, &control);
		CHECK(result == 0 || errno == ESRCH, "%s", perfctr_error());
		if (result == 0)
			result = rvperfctr_read_ctrs(remote, &sum);
		CHECK(result == 0 || errno == ESRCH, "%s", perfctr_error());
		CHECK(sum.tsc >= last.tsc, "TSC: %llu, then %llu", last.tsc, sum.tsc);
		last = sum;
	}
	CHECK(result < 0, "it lives");
	return 0;
}

/* The owner dies while another process is at its counters. */
static int owners_die(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n / 20 + 1; i++) {
		struct rvperfctr *remote;
		pid_t pid = fork();
		pthread_t killer;
		int status, failed;

		CHECK(pid >= 0, "fork");
		if (pid == 0)
			for (;;)
				pause();
		CHECK(ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0, "ptrace");
		CHECK(ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0, "ptrace");
		CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status), "waitpid");
		remote = rvperfctr_open(pid);
		CHECK(remote, "%s", perfctr_error());
		CHECK(pthread_create(&killer, NULL, kill_soon, &pid) == 0, "thread");
		failed = use_until_killed(remote);
		pthread_join(killer, NULL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "waitpid: 0x%x",
		      (unsigned int)status);
		/* It has ended, so that its state goes with the handle. */
		rvperfctr_close(remote);
		CHECK(!failed, "thread %d", (int)pid);
	}
	return 0;
}

/* ---- all of them ---- */

static int set_up(void)
{
	const char *number = getenv("STORM_THREADS");
	struct perfctr_set *group;
	struct perfctr_info info;
	struct rlimit limit;

	setvbuf(stdout, NULL, _IOLBF, 0);
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1); /* the only one that mallinfo2() tells about */
#endif
	nthreads = number ? (unsigned int)atoi(number) : 2000;
	page_size = sysconf(_SC_PAGESIZE);
	slack = getenv("STORM_EXACT") ? 0 : 64; /* an interrupt may count as an instruction */
	getrlimit(RLIMIT_NOFILE, &limit);
	limit_descriptors(limit.rlim_max);
	CHECK(nthreads >= 20, "STORM_THREADS");
	CHECK(perfctr_get_info(&info) == 0, "%s", perfctr_error());
	ncounters = perfctr_info_nrctrs(&info) ? 1 : 0;
	driver = strcmp(perfctr_provider_name(), "driver") == 0;
	/* Switches happen in the kernel, which not everybody may count. */
	software = "page-faults:u,context-switches";
	group = perfctr_set_open(software, NULL, 0);
	if (!group && errno == EACCES) {
		printf("  no context switches: %s\n", perfctr_error());
		software = "page-faults:u";
	}
	perfctr_set_close(group);
	sem_init(&arrived, 0, 0);
	workers = calloc(nthreads, sizeof(*workers));
	stacks = mmap(NULL, STACK * nthreads, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(workers && stacks != MAP_FAILED, "memory");
	return 0;
}

/* The library keeps the memory of so many handles. */
#define KEPT 64

static void *holder(void *barrier)
{
	struct vperfctr *self = vperfctr_open();

	pthread_barrier_wait(barrier);
	vperfctr_close(self);
	return self;
}

/* Let it have them now, so that no storm leaves more than was there before. */
static int fill_kept(void)
{
	pthread_barrier_t barrier;
	pthread_t thread[KEPT];
	unsigned int i;
	void *opened;

	pthread_barrier_init(&barrier, NULL, KEPT);
	for (i = 0; i < KEPT; i++)
		CHECK(pthread_create(&thread[i], NULL, holder, &barrier) == 0, "no thread");
	for (i = 0; i < KEPT; i++) {
		pthread_join(thread[i], &opened);
		CHECK(opened, "no handle");
	}
	pthread_barrier_destroy(&barrier);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(unsigned int n);
	} storms[] = {
#define STORM(name) { #name, name }
		STORM(threads_in_waves),      STORM(threads_at_once),
		STORM(groups_in_threads),     STORM(forks_while_counting),
		STORM(forks_that_inherit),    STORM(descriptors_run_out),
		STORM(signals_in_every_call), STORM(overflows_in_threads),
		STORM(buffers_overrun),	      STORM(sets_of_a_changing_process),
		STORM(a_process_sampled),     STORM(owners_die),
	};
	unsigned int i, failures = 0;

	if (argc == 2 && strcmp(argv[1], "exec") == 0)
		return after_exec();
	alarm(SECONDS);
	if (set_up() || fill_kept())
		return 1;
	for (i = 0; i < ARRAY_SIZE(storms); i++) {
		/* A breeze first, for what is made once. */
		int failed = storms[i].run(20);
		struct holding before = holding();
		struct vperfctr *left;

		failed = failed || storms[i].run(nthreads) || check_holding(&before);
		/* What a failed one left behind must not fail the next one. */
		left = vperfctr_open_mode(0);
		if (left) {
			vperfctr_unlink(left);
			vperfctr_close(left);
		}
		printf("%s %s\n", failed ? "not ok" : "ok", storms[i].name);
		failures += failed != 0;
	}
	munmap(stacks, STACK * nthreads);
	free(workers);
	return failures != 0;
}
