// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Intel's top-down metrics, on a processor whose slots and PERF_METRICS follow from what it
 * executes: ../qemu-pmu/README.md. The kernel makes counts of the register's bytes, each a share of
 * the slots between two reads in 1/255, and rounded down.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
#include "tests/harness/guest.h"

/* Ice Lake's, and what Sapphire Rapids adds, whose four are each a part of one of the first. */
#define LEVEL1 "slots:u,topdown-retiring:u,topdown-bad-spec:u,topdown-fe-bound:u,topdown-be-bound:u"
#define LEVEL2 \
	LEVEL1 \
	",topdown-heavy-ops:u,topdown-br-mispredict:u,topdown-fetch-lat:u,topdown-mem-bound:u"
enum { SLOTS, RETIRING, BAD_SPEC, FE_BOUND, BE_BOUND, HEAVY, EVENTS = HEAVY + 4 };

static const char *all = "{" LEVEL1 "}";
static unsigned int nevents = HEAVY;

/* What each instruction's 8 slots become. */
enum kind { MOST, DIVISION, IDENTIFY, KINDS };
static const unsigned int shares[KINDS][EVENTS] = {
	[MOST] = { 8, 1, 1, 2, 4, 0, 1, 1, 3 },
	[DIVISION] = { 8, 4, 0, 0, 4, 4, 0, 0, 0 },
	[IDENTIFY] = { 8, 2, 0, 6, 0, 2, 0, 6, 0 },
};

/* n instructions of that kind, and at least 2 * n others. */
static __attribute__((noinline)) void execute(enum kind kind, unsigned long n)
{
	unsigned int eax = 1, ebx, ecx, edx = 0;

	switch (kind) {
	case DIVISION:
		while (n--)
			__asm__ volatile("div %2" : "+a"(eax), "+d"(edx) : "r"(1) : "cc");
		break;
	case IDENTIFY:
		while (n--)
			__asm__ volatile("cpuid"
					 : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx)
					 : "a"(0), "c"(0));
		break;
	default: loop(n + n / 2);
	}
}

/* The register's bytes for so many slots, n instructions of them of that kind. The back end has
   what the first three leave of 255. */
static void find_bytes(uint64_t slots, enum kind kind, uint64_t n, uint64_t *bytes)
{
	uint64_t most = slots / 8 - n;
	unsigned int i;

	bytes[SLOTS] = 255;
	for (i = RETIRING; i < EVENTS; i++)
		bytes[i] = 255 * (most * shares[MOST][i] + n * shares[kind][i]) / slots;
	bytes[BE_BOUND] = 255 - bytes[RETIRING] - bytes[BAD_SPEC] - bytes[FE_BOUND];
}

/* ---- in the calling thread ---- */

static struct perfctr_set *set;

static int open_set(const char *events, const struct perfctr_target *target, unsigned int flags)
{
	perfctr_set_close(set); /* a failed test's */
	set = perfctr_set_open(events, target, flags);
	CHECK(set, "%s", perfctr_error());
	return 0;
}

/* What the set counts while it executes that. */
static int measure(enum kind kind, unsigned long n, uint64_t *counts)
{
	struct perfctr_reading before[EVENTS], after[EVENTS];
	unsigned int i;

	CHECK(perfctr_set_read(set, before) == 0, "%s", perfctr_error());
	execute(kind, n);
	CHECK(perfctr_set_read(set, after) == 0, "%s", perfctr_error());
	for (i = 0; i < nevents; i++) {
		CHECK(after[i].quality == PERFCTR_EXACT, "event %u", i);
		counts[i] = after[i].value - before[i].value;
	}
	return 0;
}

/* Each metric is its share, to the last; all of them are the slots, but for what is rounded. */
static int shares_are_exact(void)
{
	uint64_t one[EVENTS], counts[EVENTS], bytes[EVENTS];
	unsigned int kind, i;

	if (open_set(all, NULL, 0))
		return 1;
	for (kind = MOST; kind < KINDS; kind++) {
		const unsigned long n = 100000;
		uint64_t sum = 0, each;

		if (measure(kind, n, one) || measure(kind, 2 * n, counts))
			return 1;
		each = (counts[SLOTS] - one[SLOTS]) / n;
		CHECK(counts[SLOTS] == one[SLOTS] + each * n && each % 8 == 0 && each >= 24,
		      "kind %u: %llu slots, %llu", kind, (unsigned long long)one[SLOTS],
		      (unsigned long long)counts[SLOTS]);
		find_bytes(counts[SLOTS], kind, 2 * n, bytes);
		for (i = RETIRING; i < nevents; i++) {
			CHECK(counts[i] == counts[SLOTS] * bytes[i] / 255,
			      "kind %u, metric %u: %llu of %llu slots, not %llu/255", kind, i,
			      (unsigned long long)counts[i], (unsigned long long)counts[SLOTS],
			      (unsigned long long)bytes[i]);
			sum += i < HEAVY ? counts[i] : 0;
		}
		CHECK(sum <= counts[SLOTS] && sum + 4 > counts[SLOTS], "%llu of %llu slots",
		      (unsigned long long)sum, (unsigned long long)counts[SLOTS]);
	}
	return 0;
}

/* Nothing is lost between one read and the next, or counted twice. */
static int reads_add_up(void)
{
	struct perfctr_reading first[EVENTS], last[EVENTS];
	uint64_t sum[EVENTS] = { 0 }, counts[EVENTS];
	unsigned int k, i;

	if (open_set(all, NULL, 0))
		return 1;
	CHECK(perfctr_set_read(set, first) == 0, "%s", perfctr_error());
	for (k = 0; k < 60; k++) {
		if (measure(k % KINDS, 10000, counts))
			return 1;
		for (i = 0; i < nevents; i++)
			sum[i] += counts[i];
	}
	CHECK(perfctr_set_read(set, last) == 0, "%s", perfctr_error());
	for (i = 0; i < nevents; i++) {
		uint64_t total = last[i].value - first[i].value;

		/* Between one measurement and the next there is little. */
		CHECK(total >= sum[i] && total - sum[i] < sum[i] / 20, "event %u: %llu, %llu", i,
		      (unsigned long long)total, (unsigned long long)sum[i]);
	}
	return 0;
}

/* In user space the register's bytes could be read: nobody does. Slots alone are a counter. */
static int readers(void)
{
	struct perfctr_reader reader;
	uint64_t before, after, value[2];
	unsigned int i;

	if (open_set(all, NULL, 0))
		return 1;
	for (i = 0; i < nevents; i++) {
		CHECK_FAILS(perfctr_set_reader(set, i, &reader), EOPNOTSUPP,
			    "neither top-down metrics nor the slots in front of them");
		CHECK(!perfctr_reader_read(&reader, &before), "event %u: %llu", i,
		      (unsigned long long)before);
	}
	if (open_set("slots:u", NULL, 0))
		return 1;
	CHECK(perfctr_set_reader(set, 0, &reader) == 0, "%s", perfctr_error());
	for (i = 0; i < 2; i++) {
		CHECK(perfctr_reader_read(&reader, &before), "not in a register");
		loop((i + 1) * 1000);
		CHECK(perfctr_reader_read(&reader, &after), "not in a register");
		value[i] = after - before;
	}
	CHECK(value[1] - value[0] == 8 * 2 * 1000, "%llu, %llu", (unsigned long long)value[0],
	      (unsigned long long)value[1]);
	return 0;
}

/* ---- what is refused, and why ---- */

static int refused(const char *events, unsigned int flags, int error, const char *words)
{
	struct perfctr_set *opened;

	errno = 0;
	opened = perfctr_set_open(events, NULL, flags);
	CHECK(!opened && errno == error && strstr(perfctr_error(), words), "%s: \"%s\"", events,
	      perfctr_error());
	return 0;
}

static int slots_lead(void)
{
	static const char words[] = "it counts only in a group that slots leads; write {slots,";

	perfctr_set_close(set);
	set = NULL;
	return refused("topdown-retiring:u", 0, EINVAL, words) ||
	       refused("slots:u,topdown-retiring:u", 0, EINVAL, words) ||
	       refused("{instructions:u,slots:u,topdown-retiring:u}", 0, EINVAL, words) ||
	       refused("{topdown-retiring:u,slots:u}", 0, EINVAL, words) ||
	       refused("{cycles:u,r8000:u}", 0, EINVAL, words) ||
	       /* There is one register. */
	       refused("{slots:u,topdown-retiring:u},{slots:u,topdown-be-bound:u}", 0, EBUSY, "") ||
	       /* It is on in the modes of the slots. */
	       refused("{slots,topdown-retiring:u}", 0, EINVAL, "give both the same modifiers") ||
	       refused("{slots:u,topdown-retiring}", 0, EINVAL, "give both the same modifiers");
}

/* Slots can be sampled, their shares can't. */
static int note(void *arg, const struct perfctr_record *record)
{
	*(unsigned int *)arg += record->type == PERF_RECORD_SAMPLE;
	return 0;
}

static int samples(void)
{
	struct perfctr_sampler_config config = { .period = 100000,
						 .fields = PERF_SAMPLE_IP | PERF_SAMPLE_READ,
						 .flags = PERFCTR_DISABLED };
	static const char *const metric[] = { "topdown-retiring:u",
					      "{slots:u,topdown-retiring:u}" };
	struct perfctr_sampler *sampler;
	unsigned int n = 0, i;

	sampler = perfctr_sampler_open("slots:u", NULL, &config);
	CHECK(sampler && perfctr_sampler_enable(sampler) == 0, "%s", perfctr_error());
	loop((20 * 100000 + 50000) / 16);
	CHECK(perfctr_sampler_disable(sampler) == 0 &&
		      perfctr_sampler_each(sampler, note, &n) == 0 && n == 20,
	      "%u samples", n);
	perfctr_sampler_close(sampler);
	for (i = 0; i < 2; i++) {
		errno = 0;
		sampler = perfctr_sampler_open(metric[i], NULL, &config);
		CHECK(!sampler && errno == EOPNOTSUPP &&
			      strstr(perfctr_error(), "can be counted but not sampled"),
		      "\"%s\"", perfctr_error());
	}
	return 0;
}

/* ---- beside others ---- */

/* A share in 1/255, within what saving and restoring the register's bytes may take from it. */
static int is_about(uint64_t count, uint64_t slots, enum kind kind, uint64_t n, unsigned int event,
		    unsigned int tolerance)
{
	uint64_t bytes[EVENTS], share = slots ? (count * 255 + slots / 2) / slots : 0;

	find_bytes(slots, kind, n, bytes);
	CHECK(share + tolerance >= bytes[event] && share <= bytes[event] + tolerance,
	      "kind %u, event %u: %llu of %llu slots are %llu/255, not %llu", kind, event,
	      (unsigned long long)count, (unsigned long long)slots, (unsigned long long)share,
	      (unsigned long long)bytes[event]);
	return 0;
}

/* How often the calling thread lost its processor and could have gone on. */
static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

/*
 * A thread with a set of its own, which gives the processor away after each bit. A thread that is
 * preempted right after it has resumed has executed other instructions than the bit's: the bytes
 * that the kernel saves then are rounded down once more, and the last share has what the three
 * others lose.
 */
static void *count_beside(void *arg)
{
	enum kind kind = (enum kind)((uintptr_t)arg % KINDS);
	struct perfctr_reading before[EVENTS], after[EVENTS];
	struct perfctr_set *own = perfctr_set_open(all, NULL, 0);
	long preempted = -switches();
	const char *wrong = NULL;
	unsigned int k, i;

	if (!own || perfctr_set_read(own, before) < 0)
		wrong = "its set";
	for (k = 0; k < 40 && !wrong; k++) {
		long now;

		execute(kind, 5000);
		now = switches();
		sched_yield();
		preempted -= switches() > now;
	}
	preempted += switches();
	if (!wrong && perfctr_set_read(own, after) < 0)
		wrong = "reading";
	for (i = RETIRING; i < nevents && !wrong; i++)
		if (is_about(after[i].value - before[i].value, after[0].value - before[0].value,
			     kind, 40 * 5000, i, 3 + 3 * (unsigned int)preempted))
			wrong = "its shares";
	perfctr_set_close(own);
	return (void *)wrong;
}

static int threads(void)
{
	return run_in_threads(count_beside);
}

/* Two groups take turns. */
static int multiplexed(void)
{
	struct perfctr_reading readings[2 * EVENTS];
	unsigned int k, i;
	char twice[512];

	snprintf(twice, sizeof(twice), "%s,%s", all, all);
	if (open_set(twice, NULL, PERFCTR_MULTIPLEX))
		return 1;
	for (k = 0; k < 100; k++)
		execute(DIVISION, 50000);
	CHECK(perfctr_set_read(set, readings) == 0, "%s", perfctr_error());
	for (k = 0; k < 2 * nevents; k += nevents) {
		uint64_t slots = readings[k].value;
		uint64_t estimate = perfctr_reading_estimate(&readings[k]);
		const uint64_t wanted = 24ull * 50000 * 100;

		CHECK(readings[k].quality == PERFCTR_SCALED && slots < wanted * 9 / 10 &&
			      estimate > wanted * 9 / 10 && estimate < wanted * 11 / 10,
		      "%u: %llu, estimate %llu", readings[k].quality, (unsigned long long)slots,
		      (unsigned long long)estimate);
		for (i = RETIRING; i < nevents; i++)
			if (is_about(readings[k + i].value, slots, DIVISION, slots / 24, i, 3))
				return 1;
	}
	return 0;
}

/* All of a processor, another thread, and threads created later. */
static void *execute_in_thread(void *arg)
{
	execute(*(enum kind *)arg, 100000);
	return NULL;
}

static int targets(void)
{
	static const struct perfctr_target target[] = { { .type = PERFCTR_TARGET_CPU },
							{ .type = PERFCTR_TARGET_PROCESS } };
	enum kind kind = DIVISION;
	struct perfctr_reading before[EVENTS], after[EVENTS];
	pthread_t thread;
	unsigned int k, i;

	for (k = 0; k < 2; k++) {
		if (open_set(all, &target[k], 0))
			return 1;
		CHECK(perfctr_set_read(set, before) == 0, "%s", perfctr_error());
		CHECK(pthread_create(&thread, NULL, execute_in_thread, &kind) == 0, "thread");
		pthread_join(thread, NULL);
		CHECK(perfctr_set_read(set, after) == 0, "%s", perfctr_error());
		for (i = RETIRING; i < nevents; i++)
			if (is_about(after[i].value - before[i].value,
				     after[0].value - before[0].value, kind, 100000, i, 3))
				return 1;
	}
	return 0;
}

/* ---- regions, metrics ---- */

PERFCTR_REGION(outer, "outer");
PERFCTR_REGION(inner, "inner");

#define VISITS 10
#define TIMES  20000ul

static void visit(void)
{
	unsigned int k;

	for (k = 0; k < VISITS; k++) {
		perfctr_region_begin(&outer);
		execute(MOST, TIMES);
		perfctr_region_begin(&inner);
		execute(DIVISION, TIMES);
		perfctr_region_end(&inner);
		execute(MOST, TIMES);
		perfctr_region_end(&outer);
	}
}

/* A region has the shares of what is in it, and not of what is around it. */
static int regions(void)
{
	static struct perfctr_region_reading in, out;
	const struct perfctr_region_value *value = in.value + 1; /* after the time */
	unsigned int i;

	perfctr_set_close(set);
	set = NULL;
	CHECK(perfctr_regions_start(all, 0) == 0, "%s", perfctr_error());
	visit();
	CHECK(perfctr_region_read(&inner, &in) == 0 && perfctr_region_read(&outer, &out) == 0, "%s",
	      perfctr_error());
	CHECK(in.visits == VISITS && in.nvalues == 1 + nevents, "%u values", in.nvalues);
	/* The slots are exact: in each visit a few instructions call the loop and return. */
	CHECK(value->exclusive % (8 * VISITS) == 0 && value->exclusive > 24 * TIMES * VISITS &&
		      value->exclusive < (24 * TIMES + 8 * 20) * VISITS,
	      "%llu slots", (unsigned long long)value->exclusive);
	for (i = RETIRING; i < nevents; i++)
		if (is_about(value[i].exclusive, value->exclusive, DIVISION, TIMES * VISITS, i,
			     1) ||
		    is_about(out.value[1 + i].exclusive, out.value[1].exclusive, MOST, 0, i, 1))
			return 1;
	CHECK(perfctr_regions_stop() == 0, "%s", perfctr_error());
	return 0;
}

/* Metrics of the table, whose formulas have these shares: level 1 is all of it. */
static int metrics(void)
{
	static const char names[] = "topdown-retiring,topdown-bad-speculation,topdown-frontend,"
				    "topdown-backend";
	struct perfctr_metrics *metrics = perfctr_metrics_open(names, NULL);
	struct perfctr_reading readings[16];
	struct perfctr_metric_value value;
	double sum = 0, retiring = 0;
	unsigned int i, n;

	CHECK(metrics, "%s", perfctr_error());
	CHECK(!strncmp(perfctr_metrics_events(metrics, &n), "{slots,topdown-", 15) && n <= 16, "%s",
	      perfctr_metrics_events(metrics, NULL));
	if (open_set(perfctr_metrics_events(metrics, NULL), NULL, 0))
		return 1;
	execute(DIVISION, 1000000);
	CHECK(perfctr_set_read(set, readings) == 0, "%s", perfctr_error());
	for (i = 0; i < 4; i++) {
		CHECK(perfctr_metrics_value(metrics, i, readings, &value) == 0 && !value.reason,
		      "metric %u: %s", i, value.reason);
		printf("   %.3f %%\n", value.value);
		sum += value.value;
		if (!i)
			retiring = value.value;
	}
	/* A third of the instructions is divisions: 4 + 1 + 1 of 24 slots. */
	CHECK(retiring > 24.2 && retiring < 25.1, "%.3f %%", retiring);
	CHECK(sum > 99 && sum < 101, "%.3f %%", sum);
	perfctr_metrics_close(metrics);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
		TEST(shares_are_exact), TEST(reads_add_up), TEST(readers),     TEST(slots_lead),
		TEST(samples),		TEST(threads),	    TEST(multiplexed), TEST(targets),
		TEST(metrics),		TEST(regions),
	};

	if (access("/sys/bus/event_source/devices/cpu/events/topdown-heavy-ops", F_OK) == 0) {
		all = "{" LEVEL2 "}";
		nevents = EVENTS;
	}
	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
