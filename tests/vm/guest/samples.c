// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samples of instructions, which the processor counts exactly, in a kernel with a PMU: see
 * tests/vm/README.md. Prints a line per test; exit status 0 if all passed, 1 if one failed, 77 if
 * there is no PMU.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/utsname.h>
#include "tests/harness/guest.h"

/* Exactly 2 * n instructions between these labels. */
extern const char loop_start[], loop_end[];
static __attribute__((noinline)) void marked_loop(unsigned long n)
{
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile(".globl loop_start, loop_end\n"
			 "loop_start: dec %0; jnz loop_start; loop_end:"
			 : "+r"(n)
			 :
			 : "cc");
#elif defined(__aarch64__)
	__asm__ volatile(".globl loop_start, loop_end\n"
			 "loop_start: subs %0, %0, #1; b.ne loop_start; loop_end:"
			 : "+r"(n)
			 :
			 : "cc");
#elif defined(__riscv)
	__asm__ volatile(".globl loop_start, loop_end\n"
			 "loop_start: addi %0, %0, -1; bnez %0, loop_start; loop_end:"
			 : "+r"(n));
#elif defined(__powerpc64__)
	__asm__ volatile(".globl loop_start, loop_end\n"
			 "loop_start: addic. %0, %0, -1; bne loop_start; loop_end:"
			 : "+b"(n)
			 :
			 : "cr0", "xer");
#endif
}

/*
 * QEMU 7.2's arm64 event counters interrupt when the next exception changes the level, as if their
 * timer fired one event too early, and only once. The cycle counter's does not; a cycle is an
 * instruction there. Of QEMU 10's RISC-V the same is true.
 */
#if defined(__aarch64__) || defined(__riscv)
#define EVENT "cycles:u"
#else
#define EVENT "instructions:u"
#endif

static struct perfctr_sampler_config every(uint64_t period, uint64_t fields)
{
	return (struct perfctr_sampler_config){ .period = period,
						.fields = fields,
						.flags = PERFCTR_DISABLED };
}

struct found {
	unsigned int samples, inside, throttled, lost;
	uint64_t count;	     /* of the last sample */
	unsigned int uneven; /* samples whose count is not a period after the one before */
	uint64_t period;
};

static int note(void *arg, const struct perfctr_record *record)
{
	const struct perfctr_record_sample *sample = &record->as.sample;
	struct found *found = arg;

	switch (record->type) {
	case PERF_RECORD_THROTTLE: found->throttled++; break;
	case PERF_RECORD_LOST: found->lost++; break;
	case PERF_RECORD_SAMPLE:
		found->samples++;
		found->inside += sample->ip >= (uintptr_t)loop_start &&
				 sample->ip <= (uintptr_t)loop_end;
		if (sample->counts.n) {
			found->uneven += sample->counts.values[0] / found->period !=
					 found->count / found->period + 1;
			found->count = sample->counts.values[0];
		}
	}
	return 0;
}

/* Start, loop, stop, and what has been recorded. */
static int sample(struct perfctr_sampler *sampler, unsigned long n, struct found *found)
{
	memset(found, 0, sizeof(*found));
	found->period = 1;
	CHECK(perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
	marked_loop(n);
	CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
	CHECK(perfctr_sampler_each(sampler, note, found) == 0, "%s", perfctr_error());
	CHECK(found->lost == 0, "%u records say that records were lost", found->lost);
	return 0;
}

/* Where the kernel is counted, too, there are more. */
static bool is_number(uint64_t samples, uint64_t periods)
{
	return samples >= periods &&
	       samples <= periods + (counts_are_exact() ? 0 : periods / 4 + 3);
}

#define OPEN(sampler, events, config) \
	CHECK((sampler = perfctr_sampler_open(events, NULL, config)) != NULL, "%s", perfctr_error())

/* A sample in each period, at an address in the loop. */
static int exact_number(void)
{
	struct perfctr_sampler_config config = every(20011, PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler;
	struct found found;
	unsigned long n, periods;

	for (periods = 1; periods < 60; periods += 7) {
		/* Half a period more, so that what surrounds the loop makes no difference. */
		n = (periods * 20011 + 10005) / 2;
		OPEN(sampler, EVENT, &config);
		if (sample(sampler, n, &found) != 0)
			return 1;
		CHECK(is_number(found.samples, periods), "%u samples, and not %lu", found.samples,
		      periods);
		CHECK(found.inside >= periods, "%u of %lu samples are in the loop", found.inside,
		      periods);
		perfctr_sampler_close(sampler);
	}
	return 0;
}

/* The counts of all events at each sample, period after period. */
static int counts_of_a_group(void)
{
	struct perfctr_sampler_config config = every(10007, PERF_SAMPLE_IP | PERF_SAMPLE_READ);
	struct perfctr_sampler *sampler;
	struct found found;

	OPEN(sampler, "{" EVENT ",instructions:u,task-clock}", &config);
	memset(&found, 0, sizeof(found));
	CHECK(perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
	/* 19 periods and most of one, so that what surrounds the loop makes no difference. */
	marked_loop(99000);
	CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
	found.period = 10007;
	CHECK(perfctr_sampler_each(sampler, note, &found) == 0, "%s", perfctr_error());
	CHECK(is_number(found.samples, 19), "%u samples", found.samples);
	CHECK(found.uneven == 0, "%u samples have the wrong counts", found.uneven);
	CHECK(is_number(found.count / 10007, 19), "the last count is %llu",
	      (unsigned long long)found.count);
	perfctr_sampler_close(sampler);
	return 0;
}

static int refresh(void)
{
	struct perfctr_sampler_config config = every(5003, PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler;
	struct found found;
	unsigned int n;

	OPEN(sampler, EVENT, &config);
	for (n = 1; n < 6; n++) {
		memset(&found, 0, sizeof(found));
		CHECK(perfctr_sampler_refresh(sampler, n) == 0, "%s", perfctr_error());
		marked_loop(100000);
		CHECK(perfctr_sampler_each(sampler, note, &found) == 0, "%s", perfctr_error());
		CHECK(found.samples == n, "%u samples, and not %u", found.samples, n);
	}
	perfctr_sampler_close(sampler);
	return 0;
}

static int another_period(void)
{
	struct perfctr_sampler_config config = every(50021, PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler;
	struct found found;

	OPEN(sampler, EVENT, &config);
	if (sample(sampler, 225000 / 2, &found) != 0)
		return 1;
	CHECK(is_number(found.samples, 4), "%u samples", found.samples);
	/* While it counts, too. */
	CHECK(perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
	CHECK(perfctr_sampler_set_period(sampler, 5003) == 0, "%s", perfctr_error());
	marked_loop(52531 / 2);
	CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
	memset(&found, 0, sizeof(found));
	CHECK(perfctr_sampler_each(sampler, note, &found) == 0, "%s", perfctr_error());
	CHECK(is_number(found.samples, 10), "%u samples", found.samples);
	perfctr_sampler_close(sampler);
	return 0;
}

static int a_frequency(void)
{
	struct perfctr_sampler_config config = every(0, PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler;
	struct found found;

	config.frequency = 1000;
	OPEN(sampler, EVENT, &config);
	if (sample(sampler, 20000000, &found) != 0)
		return 1;
	printf("  %u samples of 40 million instructions at 1000 a second\n", found.samples);
	CHECK(found.samples > 3, "%u samples", found.samples);
	perfctr_sampler_close(sampler);
	return 0;
}

static bool write_number(const char *file, const char *number)
{
	int fd = open(file, O_WRONLY);
	bool good = fd >= 0 && write(fd, number, strlen(number)) == (ssize_t)strlen(number);

	close(fd);
	return good;
}

/* Too many samples: the kernel stops the event for a while, and says so. */
static int throttled(void)
{
	static const char rate[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	struct perfctr_sampler_config config = every(1009, PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler;
	struct found found;
	int failed;

	CHECK(write_number(rate, "1000"), "%s: %s", rate, strerror(errno));
	OPEN(sampler, EVENT, &config);
	failed = sample(sampler, 3000000, &found);
	CHECK(write_number(rate, "100000"), "%s: %s", rate, strerror(errno));
	printf("  %u samples, %u times throttled\n", found.samples, found.throttled);
	CHECK(failed == 0 && found.throttled > 0 && found.samples < 5900, "%u samples",
	      found.samples);
	perfctr_sampler_close(sampler);
	return 0;
}

/* Pinned, and no room: it fails, and is not silent. */
static int strict(void)
{
	struct perfctr_sampler_config config = every(1000003, PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler[40];
	unsigned int n;

	config.flags = 0;
	for (n = 0; n < 40; n++) {
		errno = 0;
		sampler[n] = perfctr_sampler_open(EVENT, NULL, &config);
		if (!sampler[n])
			break;
	}
	CHECK(n < 40 && n > 0 && errno == EBUSY, "%u samplers; errno %d, \"%s\"", n, errno,
	      perfctr_error());
	while (n--)
		perfctr_sampler_close(sampler[n]);
	return 0;
}

/* Precise or not, it is said which. */
static int precise(void)
{
	struct perfctr_sampler_config config = every(20011, PERF_SAMPLE_IP);
	struct perfctr_sampler *sampler = perfctr_sampler_open("cycles:upp", NULL, &config);

	if (!sampler) {
		CHECK(errno == EOPNOTSUPP && strstr(perfctr_error(), "precise level 2"),
		      "errno %d: %s", errno, perfctr_error());
		return 0;
	}
	perfctr_sampler_close(sampler);
	return 0;
}

struct deferred {
	unsigned int samples, promised, at_once, kept, inside;
	uint64_t cookie;
};

static int note_deferred(void *arg, const struct perfctr_record *record)
{
	const struct perfctr_record_sample *sample = &record->as.sample;
	const struct perfctr_record_deferred *chain = &record->as.deferred;
	struct deferred *deferred = arg;
	uint64_t i;

	if (record->type == PERF_RECORD_SAMPLE) {
		deferred->samples++;
		/* PERF_CONTEXT_USER_DEFERRED, and a cookie. */
		if (sample->nchain >= 2 && sample->chain[sample->nchain - 2] == (uint64_t)-640) {
			deferred->promised++;
			deferred->cookie = sample->chain[sample->nchain - 1];
		}
		deferred->at_once += sample->nchain >= 2 &&
				     sample->chain[0] == (uint64_t)PERF_CONTEXT_USER;
	} else if (record->type == 22 && chain->cookie == deferred->cookie) {
		deferred->kept++;
		for (i = 0; i < chain->nchain; i++)
			if (chain->chain[i] >= (uintptr_t)loop_start &&
			    chain->chain[i] <= (uintptr_t)loop_end) {
				deferred->inside++;
				break;
			}
	}
	return 0;
}

/* Call chains whose user's part comes later: each that is promised comes. Older kernels can't. */
static int deferred_chains(void)
{
	struct perfctr_sampler_config config = every(20011, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN);
	struct perfctr_sampler *sampler;
	struct deferred found = { 0 };
	struct utsname kernel;

	config.flags |= PERFCTR_SAMPLER_DEFER_USER_CHAIN;
	sampler = perfctr_sampler_open(EVENT, NULL, &config);
	uname(&kernel);
	if (!sampler) {
		CHECK(atoi(kernel.release) < 7, "on Linux %s: %s", kernel.release, perfctr_error());
		CHECK(errno == EOPNOTSUPP &&
			      strstr(perfctr_error(), "too old to write call chains"),
		      "errno %d: %s", errno, perfctr_error());
		return 0;
	}
	CHECK(perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
	marked_loop(20011 * 10);
	CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
	CHECK(perfctr_sampler_each(sampler, note_deferred, &found) == 0, "%s", perfctr_error());
	printf("  %u samples, %u promise a chain, %u come, %u of them with the loop\n",
	       found.samples, found.promised, found.kept, found.inside);
#if !defined(__x86_64__) && !defined(__i386__)
	/* Kernels that can't unwind later take the flag, and put the user's part in at once. */
	if (found.promised == 0) {
		CHECK(found.at_once == found.samples && found.kept == 0, "%u chains at once",
		      found.at_once);
		perfctr_sampler_close(sampler);
		return 0;
	}
#endif
	CHECK(found.samples >= 19 && found.promised == found.samples &&
		      found.kept >= found.promised - 1 && found.inside >= found.kept - 1,
	      "on Linux %s", kernel.release);
	perfctr_sampler_close(sampler);
	return 0;
}

/* A thread of the process on one processor: the loop, in so many periods and a half. */
#define PERIODS 30
static void *loop_there(void *arg)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(*(unsigned int *)arg, &one);
	sched_setaffinity(0, sizeof(one), &one);
	marked_loop((PERIODS * 20011 + 10005) / 2);
	return NULL;
}

struct merged {
	struct found found;
	uint64_t last;
	unsigned int early;
};

static int note_merged(void *arg, const struct perfctr_record *record)
{
	struct merged *merged = arg;

	merged->early += record->time < merged->last;
	merged->last = record->time;
	return note(&merged->found, record);
}

#ifndef __riscv /* QEMU's timer loses an overflow now and then where threads are switched */

/* All threads of this process, wherever they run: from one sampler, by time. */
static int a_process(void)
{
	const struct perfctr_target own = { .type = PERFCTR_TARGET_PROCESS };
	unsigned int cpus[] = { 0, (unsigned int)sysconf(_SC_NPROCESSORS_ONLN) - 1, 0 }, i;
	struct perfctr_sampler_config config = every(20011, PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	struct merged merged = { .found = { .period = 1 } };
	struct perfctr_sampler *sampler;
	pthread_t thread;

	config.flags = PERFCTR_INHERIT;
	sampler = perfctr_sampler_open(EVENT, &own, &config);
	CHECK(sampler != NULL, "%s", perfctr_error());
	for (i = 0; i < 3; i++) {
		CHECK(pthread_create(&thread, NULL, loop_there, &cpus[i]) == 0, "thread %u", i);
		pthread_join(thread, NULL);
		CHECK(perfctr_sampler_each(sampler, note_merged, &merged) == 0, "%s",
		      perfctr_error());
	}
	CHECK(perfctr_sampler_disable(sampler) == 0, "%s", perfctr_error());
	CHECK(perfctr_sampler_each(sampler, note_merged, &merged) == 0, "%s", perfctr_error());
	printf("  %u samples, %u in the loops of three threads\n", merged.found.samples,
	       merged.found.inside);
	CHECK(is_number(merged.found.inside, 3 * PERIODS), "%u samples in the loop, and not %u",
	      merged.found.inside, 3 * PERIODS);
	CHECK(merged.early == 0 && merged.found.lost == 0, "%u are early, %u tell of lost ones",
	      merged.early, merged.found.lost);
	perfctr_sampler_close(sampler);
	return 0;
}

#endif

int main(void)
{
	static const struct guest_test tests[] = {
		INEXACT_TEST(exact_number),    INEXACT_TEST(counts_of_a_group),
		INEXACT_TEST(refresh),	       INEXACT_TEST(another_period),
		INEXACT_TEST(a_frequency),     INEXACT_TEST(throttled),
		INEXACT_TEST(strict),	       INEXACT_TEST(precise),
		INEXACT_TEST(deferred_chains),
#ifndef __riscv
		INEXACT_TEST(a_process),
#endif
	};
	struct perfctr_info info;

	if (perfctr_get_info(&info) < 0 || perfctr_info_nrctrs(&info) == 0) {
		printf("no counters on this machine: %s\n", perfctr_error());
		return 77;
	}
	marked_loop(1000);
	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
