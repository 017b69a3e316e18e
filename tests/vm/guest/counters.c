// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs inside a kernel whose processor has a PMU that counts instructions exactly, and demands
 * exact counts through the library: see tests/vm/README.md. Called counters_driver, it loads the
 * driver and counts through it. Prints a line per test; exit status 0 if all passed, 1 if one
 * failed, 77 if there is no PMU.
 */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <perfctr/read.h>
#include "tests/harness/guest.h"

static struct vperfctr *open_counting(unsigned int n)
{
	struct vperfctr_control control = instructions(n);
	struct vperfctr *self = vperfctr_open();

	if (self && vperfctr_control(self, &control) == 0)
		return self;
	printf("  %s\n", perfctr_error());
	if (self) {
		vperfctr_unlink(self);
		vperfctr_close(self);
	}
	return NULL;
}

static void done(struct vperfctr *self)
{
	vperfctr_unlink(self);
	vperfctr_close(self);
}

/* What counter i says of a loop of n, with the reads' own instructions in it: always as many, since
   this is not inlined. */
static __attribute__((noinline)) uint64_t measure(const struct vperfctr *self, unsigned int i,
						  unsigned long n)
{
	uint64_t before = vperfctr_read_pmc(self, i);

	loop(n);
	return vperfctr_read_pmc(self, i) - before;
}

static int exact_counts(void)
{
	struct vperfctr *self = open_counting(1);
	uint64_t one, two, three;
	unsigned int k;

	CHECK(self, "no counters");
	measure(self, 0, 1); /* everything is in memory now */
	for (k = 1; k <= 100000; k *= 10) {
		one = measure(self, 0, k);
		two = measure(self, 0, 2ul * k);
		three = measure(self, 0, 3ul * k);
		CHECK(two - one == 2ul * k && three - two == 2ul * k,
		      "loops of %u, twice and thrice that: %llu %llu %llu", k,
		      (unsigned long long)one, (unsigned long long)two, (unsigned long long)three);
	}
	one -= 2ul * (k / 10);
	printf("  a read costs %llu instructions\n", (unsigned long long)one);
	CHECK(one < 200, "a read costs %llu instructions", (unsigned long long)one);
	done(self);
	return 0;
}

static int all_counters_agree(void)
{
	/* Two, which every processor here has. */
	struct vperfctr *self = open_counting(2);
	struct perfctr_sum_ctrs a, b, c;
	uint64_t delta[2][2];
	unsigned int i;

	CHECK(self, "no counters");
	vperfctr_read_ctrs(self, &a);
	vperfctr_read_ctrs(self, &a);
	loop(1000);
	vperfctr_read_ctrs(self, &b);
	loop(3000);
	vperfctr_read_ctrs(self, &c);
	for (i = 0; i < 2; i++) {
		delta[i][0] = b.pmc[i] - a.pmc[i];
		delta[i][1] = c.pmc[i] - b.pmc[i];
		CHECK(delta[i][1] - delta[i][0] == 4000, "counter %u: %llu %llu", i,
		      (unsigned long long)delta[i][0], (unsigned long long)delta[i][1]);
	}
	CHECK(delta[0][0] == delta[1][0], "counters differ: %llu %llu",
	      (unsigned long long)delta[0][0], (unsigned long long)delta[1][0]);
	CHECK(c.tsc > b.tsc && b.tsc > a.tsc, "TSC");
	done(self);
	return 0;
}

/* The inline reader and read(2), one after the other, stay the same distance apart. */
static int user_reads_equal_the_kernels(void)
{
	struct vperfctr *self = open_counting(1);
	struct perfctr_set *group;
	struct perfctr_reader reader;
	struct perfctr_reading reading;
	uint64_t user, first = 0, distance;
	unsigned int i;

	CHECK(self, "no counters");
	CHECK(vperfctr_reader(self, 0, &reader) == 0, "%s", perfctr_error());
	CHECK(perfctr_reader_read(&reader, &user), "the reader says: ask the kernel");
	CHECK(vperfctr_read_pmc(self, 0) - user < 200, "reader and vperfctr_read_pmc() differ");
	done(self);

	/* Stopped: both see the same count, whenever they look. */
	group = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(group, "%s", perfctr_error());
	CHECK(perfctr_set_reader(group, 0, &reader) == 0, "%s", perfctr_error());
	for (i = 0; i < 200; i++) {
		loop(17 * i + 1);
		CHECK(perfctr_reader_read(&reader, &user), "the reader says: ask the kernel");
		/* Disabling makes the kernel the only reader. */
		perfctr_set_disable(group);
		CHECK(perfctr_set_read(group, &reading) == 0, "%s", perfctr_error());
		CHECK(!perfctr_reader_read(&reader, &user), "a stopped counter is in a register");
		distance = reading.value - user;
		if (i == 0)
			first = distance;
		CHECK(distance == first, "distance %llu, then %llu", (unsigned long long)first,
		      (unsigned long long)distance);
		perfctr_set_enable(group);
	}
	perfctr_set_close(group);
	return 0;
}

static int stop_start_preserve(void)
{
	struct vperfctr_control control = instructions(2), read;
	struct vperfctr *self = open_counting(2);
	struct perfctr_sum_ctrs stopped, again;
	struct perfctr_reading reading;

	CHECK(self, "no counters");
	loop(100000);
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	CHECK(!vperfctr_is_running(self), "runs");
	CHECK(vperfctr_read_state(self, &stopped, &read) == 0, "%s", perfctr_error());
	/* The stop's own instructions, which check the control, come to it: some hundred. */
	CHECK(stopped.pmc[0] >= 200000 && stopped.pmc[0] < 202000, "%llu", stopped.pmc[0]);
	CHECK(read.cpu_control.nractrs == 0, "control after a stop");
	loop(100000);
	CHECK(vperfctr_read_pmc(self, 0) == stopped.pmc[0], "counts while stopped");
	CHECK(vperfctr_read_quality(self, 0, &reading) == 0 && reading.quality == PERFCTR_STALE &&
		      reading.value == stopped.pmc[0],
	      "quality %u", reading.quality);

	/* Counter 0 keeps its sum, counter 1 starts again. */
	control.preserve = 1;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	loop(50000);
	CHECK(vperfctr_read_ctrs(self, &again) == 0, "%s", perfctr_error());
	CHECK(again.pmc[0] - stopped.pmc[0] >= 100000 && again.pmc[0] - stopped.pmc[0] < 101000,
	      "preserved: %llu then %llu", stopped.pmc[0], again.pmc[0]);
	CHECK(again.pmc[1] >= 100000 && again.pmc[1] < 101000, "not preserved: %llu", again.pmc[1]);
	CHECK(again.tsc > stopped.tsc, "the TSC's sum goes on");

	/* The same control while it runs: sums are set, counting goes on. */
	control.preserve = 2;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	CHECK(vperfctr_read_pmc(self, 0) < 1000, "%llu", vperfctr_read_pmc(self, 0));
	CHECK(vperfctr_read_pmc(self, 1) >= again.pmc[1], "%llu", vperfctr_read_pmc(self, 1));
	CHECK(measure(self, 0, 2000) - measure(self, 0, 1000) == 2000, "counts after a restart");

	/* One runs on, the other has stopped. */
	control.cpu_control.nractrs = 1;
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	memset(&reading, 0x5A, sizeof(reading));
	CHECK(vperfctr_read_quality(self, 1, &reading) == 0 && reading.quality == PERFCTR_STALE &&
		      reading.value == vperfctr_read_pmc(self, 1),
	      "quality %u, %llu", reading.quality, (unsigned long long)reading.value);
	CHECK(vperfctr_read_quality(self, 0, &reading) == 0 && reading.quality == PERFCTR_EXACT,
	      "quality %u", reading.quality);
	done(self);
	return 0;
}

/* What follows a pause is not counted, to the instruction; a pair of calls counts as many itself.
 */
static int pauses(void)
{
	struct vperfctr *self = open_counting(2);
	struct perfctr_reader reader;
	uint64_t before, cost[6], tsc, least = 0;
	unsigned int k, i;

	CHECK(self, "no counters");
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 6; k++) {
			before = vperfctr_read_pmc(self, i);
			loop(500);
			CHECK(vperfctr_pause(self) == 0, "%s", perfctr_error());
			tsc = vperfctr_read_tsc(self);
			loop(k < 2 ? 10 : 1000 * k);
			if (k & 1)
				usleep(1000);
			CHECK(vperfctr_read_tsc(self) == tsc, "the TSC goes on");
			CHECK(vperfctr_resume(self) == 0, "%s", perfctr_error());
			loop(500);
			cost[k] = vperfctr_read_pmc(self, i) - before - 2000;
		}
		/* After a sleep the clock is looked up again, as it is if the kernel had something
		 * to do. */
		least = cost[2] < cost[4] ? cost[2] : cost[4];
		for (k = 2; k < 6; k += 2)
			CHECK(cost[k] == least || cost[k] == cost[3],
			      "counter %u: %llu, not %llu or %llu", i, (unsigned long long)cost[k],
			      (unsigned long long)least, (unsigned long long)cost[3]);
		CHECK(cost[5] == cost[3] && cost[3] - least < 200 && cost[3] < 5000,
		      "counter %u: %llu; after a sleep %llu, then %llu", i,
		      (unsigned long long)least, (unsigned long long)cost[3],
		      (unsigned long long)cost[5]);
	}
	printf("  a pause's own instructions: %llu\n", (unsigned long long)least);
	CHECK(vperfctr_reader(self, 0, &reader) == 0, "%s", perfctr_error());
	for (k = 0; k < 6; k++) {
		CHECK(perfctr_reader_read(&reader, &before) && perfctr_reader_pause(&reader, &tsc),
		      "not in a register");
		loop(k < 2 ? 10 : 1000 * k);
		if (k & 1)
			usleep(1000);
		CHECK(perfctr_reader_resume(&reader, tsc) && perfctr_reader_read(&reader, &tsc),
		      "not in a register");
		cost[k] = tsc - before;
	}
	for (k = 3; k < 6; k++)
		CHECK(cost[k] == cost[2] && cost[k] < 100, "a reader: %llu, then %llu",
		      (unsigned long long)cost[2], (unsigned long long)cost[k]);
	done(self);
	return 0;
}

/* A refused control must not lose a single instruction. */
static int refused_control_loses_nothing(void)
{
	struct vperfctr *self = open_counting(1);
	struct vperfctr_control bad = instructions(1), too_many = instructions(PERFCTR_NR_CTRS - 1);
	uint64_t before, after, cost[3];
	unsigned int k;

	CHECK(self, "no counters");
	bad.flags = 0x80;
	for (k = 0; k < 3; k++) {
		before = vperfctr_read_pmc(self, 0);
		CHECK(vperfctr_control(self, &bad) < 0 && errno == EINVAL, "%s", perfctr_error());
		loop(1000);
		after = vperfctr_read_pmc(self, 0);
		cost[k] = after - before;
	}
	CHECK(cost[1] == cost[2] && cost[1] > 2000, "%llu %llu", (unsigned long long)cost[1],
	      (unsigned long long)cost[2]);
	before = vperfctr_read_pmc(self, 0);
	CHECK(vperfctr_control(self, &too_many) < 0 && errno == EINVAL, "%s", perfctr_error());
	printf("  %s\n", perfctr_error());
	loop(1000);
	CHECK(vperfctr_read_pmc(self, 0) > before + 2000, "stopped by a refused control");
	CHECK(vperfctr_is_running(self), "stopped");
	done(self);
	return 0;
}

/* Somebody else holds all counters: EBUSY, and what ran before runs on. */
static int busy_counters(void)
{
	struct perfctr_set *hog[64];
	struct vperfctr_control control = instructions(2);
	struct vperfctr *self = open_counting(0);
	unsigned int n = 0;

	CHECK(self, "%s", perfctr_error());
	while (n < 64 && (hog[n] = perfctr_set_open("instructions:u", NULL, 0)))
		n++;
	CHECK(n > 0 && n < 64 && errno == EBUSY, "%u groups, then %s", n, perfctr_error());
	printf("  %u counters hogged; %s\n", n, perfctr_error());
	CHECK(vperfctr_control(self, &control) < 0, "there was room");
	CHECK(errno == EBUSY, "%s", perfctr_error());
	CHECK(vperfctr_is_running(self) && vperfctr_read_tsc(self) != ~0ULL, "the TSC has stopped");
	while (n)
		perfctr_set_close(hog[--n]);
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	CHECK(measure(self, 0, 2000) - measure(self, 0, 1000) == 2000, "counts");
	done(self);
	return 0;
}

struct worker {
	unsigned long n;
	int cpu; /* to run on; -1: wander */
	uint64_t count, tsc;
	int result;
};

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

#define SLICES 50
#define RETRY  50

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct vperfctr *self = open_counting(1);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t slice[2][SLICES];
	unsigned int half, i, wrong = 0, retries = 0;

	worker->result = 1;
	if (!self)
		return NULL;
	run_on(worker->cpu < 0 ? 0 : worker->cpu);
	measure(self, 0, 1);
	/* Half the slices are one loop long, half two: their difference is one loop exactly. */
	for (i = 0; i < SLICES; i++) {
		for (half = 0; half < 2; half++) {
			uint64_t before = vperfctr_read_pmc(self, 0);

			loop(worker->n * (half + 1) / 2);
			if (worker->cpu < 0)
				run_on((int)(i % (unsigned long)cpus));
			else
				sched_yield();
			loop(worker->n * (half + 1) / 2);
			slice[half][i] = vperfctr_read_pmc(self, 0) - before;
		}
	}
	for (i = 1; i < SLICES; i++) {
		int64_t odd = (int64_t)(slice[1][i] - slice[0][i] - 2 * worker->n);

		if (odd == 0)
			continue;
		printf("  slice %u of %lu: %llu and %llu, the one before: %llu and %llu\n", i,
		       worker->n, (unsigned long long)slice[0][i], (unsigned long long)slice[1][i],
		       (unsigned long long)slice[0][i - 1], (unsigned long long)slice[1][i - 1]);
		/* A read that a switch interrupts begins again, with some instructions more:
		 * seldom. */
		if (odd >= -RETRY && odd <= RETRY && retries++ == 0)
			continue;
		wrong++;
	}
	worker->result = wrong != 0 && counts_are_exact();
	worker->count = vperfctr_read_pmc(self, 0);
	worker->tsc = vperfctr_read_tsc(self);
	done(self);
	return NULL;
}

static int two_threads_on_one_cpu(void)
{
	struct worker workers[2] = { { .n = 20000, .cpu = 0 }, { .n = 60000, .cpu = 0 } };
	pthread_t threads[2];
	unsigned int i;

	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, &workers[i]);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	CHECK(workers[0].result == 0 && workers[1].result == 0, "wrong counts");
	/* Each has its own instructions and not the other's. */
	for (i = 0; i < 2; i++)
		CHECK(workers[i].count > 6 * workers[i].n * SLICES &&
			      workers[i].count < 6 * workers[i].n * SLICES + 50000,
		      "thread %u: %llu", i, (unsigned long long)workers[i].count);
	return 0;
}

static int migration(void)
{
	struct worker worker = { .n = 20000, .cpu = -1 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	printf("  on %ld processors\n", cpus);
	work(&worker);
	CHECK(worker.result == 0, "wrong counts");
	CHECK(worker.count > 6 * worker.n * SLICES, "%llu", (unsigned long long)worker.count);
	return 0;
}

static int virtual_tsc(void)
{
	struct vperfctr *self = open_counting(0);
	uint64_t t0, t1, c0, c1, virtual, real;
	unsigned int i, odd = 0;

	CHECK(self, "%s", perfctr_error());
	/* Between two reads without a switch the virtual clock advances as the real one. */
	for (i = 0; i < 1000; i++) {
		t0 = vperfctr_read_tsc(self);
		c0 = perfctr_rdtsc();
		loop(100);
		c1 = perfctr_rdtsc();
		t1 = vperfctr_read_tsc(self);
		if (t1 - t0 < c1 - c0 || t1 - t0 > c1 - c0 + 2000)
			odd++;
	}
	CHECK(odd < 50, "%u of 1000 differ", odd);
	t0 = vperfctr_read_tsc(self);
	c0 = perfctr_rdtsc();
	usleep(100000);
	virtual = vperfctr_read_tsc(self) - t0;
	real = perfctr_rdtsc() - c0;
	printf("  asleep: %llu of %llu ticks\n", (unsigned long long)virtual,
	       (unsigned long long)real);
	CHECK(virtual < real / 4, "the virtual TSC counts a sleeping thread");
	done(self);
	return 0;
}

static int more_events_than_counters(void)
{
	struct perfctr_set *group[40];
	struct perfctr_reading reading;
	unsigned int i, scaled = 0, seen = 0;
	uint64_t estimate, most = 0, least = UINT64_MAX;

	for (i = 0; i < 40; i++) {
		group[i] = perfctr_set_open("instructions:u", NULL,
					    PERFCTR_DISABLED | PERFCTR_MULTIPLEX);
		CHECK(group[i], "%s", perfctr_error());
	}
	for (i = 0; i < 40; i++)
		perfctr_set_enable(group[i]);
	for (i = 0; i < 200; i++)
		loop(1000000);
	for (i = 0; i < 40; i++) {
		CHECK(perfctr_set_read(group[i], &reading) == 0, "%s", perfctr_error());
		if (reading.quality == PERFCTR_NOT_COUNTED)
			continue; /* marked, which is what matters */
		seen++;
		scaled += reading.quality == PERFCTR_SCALED;
		CHECK(reading.quality != PERFCTR_SCALED || reading.running < reading.enabled,
		      "times");
		estimate = perfctr_reading_estimate(&reading);
		most = estimate > most ? estimate : most;
		least = estimate < least ? estimate : least;
		perfctr_set_close(group[i]);
	}
	printf("  %u counted, %u scaled, estimates %llu to %llu of 400000000\n", seen, scaled,
	       (unsigned long long)least, (unsigned long long)most);
	CHECK(scaled > 20, "%u scaled", scaled);
	CHECK(least > 300000000 && most < 500000000, "estimates are off");
	return 0;
}

static int groups_count_together(void)
{
	struct perfctr_set *group = perfctr_set_open("{cycles:u,instructions:u}", NULL, 0);
	struct perfctr_reading a[2], b[2];

	CHECK(group, "%s", perfctr_error());
	CHECK(perfctr_set_size(group) == 2, "%u", perfctr_set_size(group));
	CHECK(strcmp(perfctr_set_name(group, 1), "instructions:u") == 0, "name");
	perfctr_set_read(group, a);
	loop(100000);
	CHECK(perfctr_set_read(group, b) == 0, "%s", perfctr_error());
	CHECK(a[0].quality == PERFCTR_EXACT && b[1].quality == PERFCTR_EXACT, "quality");
	CHECK(b[1].value - a[1].value >= 200000 && b[1].value - a[1].value < 201000, "%llu",
	      (unsigned long long)(b[1].value - a[1].value));
	CHECK(b[0].value > a[0].value, "cycles");
	CHECK(perfctr_set_reset(group) == 0, "%s", perfctr_error());
	CHECK(perfctr_set_read(group, b) == 0, "%s", perfctr_error());
	CHECK(b[1].value < 1000, "not reset: %llu", (unsigned long long)b[1].value);
	perfctr_set_close(group);
	return 0;
}

/* The name of "instructions retired" in the table of this machine's processor. */
static const char *own_name(void)
{
	static const char *const names[] = {
		"INST_RETIRED.ANY_P:u",
		"RETIRED_INSTRUCTIONS:u",
		"INSTRUCTIONS_RETIRED:u",
		"INST_RETIRED:u",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (perfctr_event_check(names[i]) == 0)
			return names[i];
	return NULL;
}

/* By name from the table: the same count as the kernel's own event, alone and as a control. */
static int own_events(void)
{
	const char *name = own_name();
	struct vperfctr_control control;
	struct perfctr_set *group;
	struct perfctr_reading a, b;
	struct vperfctr *self;
	uint64_t one, two;

	CHECK(name, "%s", perfctr_error());
	group = perfctr_set_open(name, NULL, 0);
	CHECK(group, "%s", perfctr_error());
	perfctr_set_read(group, &a);
	loop(100000);
	CHECK(perfctr_set_read(group, &b) == 0, "%s", perfctr_error());
	CHECK(b.value - a.value >= 200000 && b.value - a.value < 201000, "%s: %llu", name,
	      (unsigned long long)(b.value - a.value));
	perfctr_set_close(group);

	memset(&control, 0, sizeof(control));
	control.flags = VPERFCTR_CONTROL_EXTENDED;
	CHECK(perfctr_cpu_control_events(&control.cpu_control, name) == 1, "%s", perfctr_error());
	CHECK(perfctr_cpu_control_check(&control.cpu_control) == 0, "%s", perfctr_error());
	self = vperfctr_open();
	CHECK(self, "%s", perfctr_error());
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	measure(self, 0, 1);
	one = measure(self, 0, 1000);
	two = measure(self, 0, 2000);
	CHECK(two - one == 2000, "%llu, %llu", (unsigned long long)one, (unsigned long long)two);
	done(self);
	return 0;
}

/* The control's counters are these, by number. */
static void name_counters(struct vperfctr_control *control, const unsigned int *map)
{
	struct perfctr_cpu_control *cpu = &control->cpu_control;
	unsigned int i;

	for (i = 0; i < cpu->nractrs + cpu->nrictrs; i++) {
		cpu->pmc_map[i] = map[i];
#if defined(__i386__) || defined(__x86_64__)
		if (core() == CORE_P6)
			cpu->evntsel[i] = (cpu->evntsel[i] & ~0x00400000u) |
					  (map[i] ? 0 : 0x00400000u);
#endif
	}
}

/* How many programmable counters there may be names of: of those that every machine here has. */
static unsigned int programmable(void)
{
	struct perfctr_info info;

	if (perfctr_get_info(&info) < 0)
		return 0;
#if defined(__i386__) || defined(__x86_64__)
	/* Core 2 has two beside the three fixed ones. */
	return perfctr_info_nrctrs(&info) <= 5 && info.cpu_type != PERFCTR_X86_AMD_FAM10H &&
			       info.cpu_type != PERFCTR_X86_AMD_K7 &&
			       info.cpu_type != PERFCTR_X86_AMD_CORE
		       ? 2
		       : 4;
#else
	return 4;
#endif
}

/*
 * Reads around a loop, and around one twice as long. Counter 1, in the kernel, has only what the
 * kernel does meanwhile; again while an interrupt came that took long. 0, or 1 if one comes each
 * time.
 */
static int read_around_loops(struct vperfctr *self, unsigned int n, struct perfctr_sum_ctrs *sum)
{
	unsigned int i, k;

	for (k = 0; k < 20; k++) {
		for (i = 0; i < 3; i++) {
			CHECK(vperfctr_read_ctrs(self, &sum[i]) == 0, "%s", perfctr_error());
			loop(10000 << i);
		}
		if (n == 1 || sum[2].pmc[1] - sum[1].pmc[1] < 20000)
			return 0;
	}
	CHECK(0, "the kernel has %llu", sum[2].pmc[1] - sum[1].pmc[1]);
}

/* In any order, with gaps: each counts what it is for, and counter 1, in the kernel, something
 * else. */
static int named_counters(void)
{
	static const struct {
		unsigned int n, map[3];
	} some[] = {
		{ 1, { 0 } },	 { 2, { 0, 1 } },    { 2, { 1, 0 } },
		{ 1, { 1 } },	 { 3, { 2, 0, 1 } }, { 3, { 0, 2, 1 } },
		{ 2, { 3, 1 } }, { 1, { 3 } },	     { 3, { 3, 2, 0 } },
	};
	struct vperfctr_control control;
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs sum[3];
	unsigned long long more;
	unsigned int i, k, n;

	CHECK(self, "%s", perfctr_error());
	for (k = 0; k < sizeof(some) / sizeof(some[0]); k++) {
		n = some[k].n;
		if (programmable() == 2 && k > 3)
			break;
		control = instructions(n);
		name_counters(&control, some[k].map);
		if (n > 1)
			control.cpu_control.evntsel[1] ^= (unsigned int)(COUNT_USER | COUNT_KERNEL);
#if defined(__aarch64__)
		/* There the bits exclude. */
		if (n > 1)
			control.cpu_control.evntsel[1] = COUNT_KERNEL | 0x0008;
#endif
		CHECK(vperfctr_control(self, &control) == 0, "%u: %s", k, perfctr_error());
		if (read_around_loops(self, n, sum))
			return 1;
		/* Reads of the same instructions, and twice the loop. */
		for (i = 0; i < n; i++) {
			if (i == 1)
				continue;
			more = sum[2].pmc[i] - sum[1].pmc[i] - (sum[1].pmc[i] - sum[0].pmc[i]);
			CHECK(more > 19500 && more < 20500, "%u: counter %u: %llu, %llu, %llu", k,
			      i, sum[0].pmc[i], sum[1].pmc[i], sum[2].pmc[i]);
		}
		CHECK(n < 3 || sum[2].pmc[0] - sum[1].pmc[0] == sum[2].pmc[2] - sum[1].pmc[2],
		      "%u: counters 0 and 2 differ", k);
	}
	done(self);
	return 0;
}

static struct vperfctr *interrupted;
static bool driver; /* not perf_events */
static volatile unsigned int interrupts, strange;

static void count_interrupt(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	interrupts++;
	if (vperfctr_ovf_mask(interrupted, info) != 2 || vperfctr_iresume(interrupted) < 0)
		strange++;
}

/* As PAPI orders them: after the others, also if it is the first counter by its number. */
static int named_i_mode_counter(void)
{
	unsigned int map[] = { 1, 0 };
	struct sigaction action = { .sa_sigaction = count_interrupt, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control = instructions(2);
	struct vperfctr *self = vperfctr_open();
	struct perfctr_sum_ctrs sum;

	CHECK(self, "%s", perfctr_error());
	interrupted = self;
	control.si_signo = SIGUSR1;
	control.cpu_control.nractrs = control.cpu_control.nrictrs = 1;
	control.cpu_control.evntsel[1] |= COUNT_INT;
	control.cpu_control.ireset[1] = -10000;
#if defined(__aarch64__)
	/* Of QEMU's only cycles, which are instructions, interrupt in time. */
	control.cpu_control.evntsel[1] = (unsigned int)COUNT_USER | 0x0011;
	/* perf_events counts them in the cycle counter, whatever the name is. */
	if (driver)
		map[1] = 31;
#endif
	name_counters(&control, map);
	sigaction(SIGUSR1, &action, NULL);
	CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
	loop(500000);
	CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
	CHECK(vperfctr_read_ctrs(self, &sum) == 0, "%s", perfctr_error());
	CHECK(sum.pmc[0] > 1000000 && sum.pmc[0] < 1200000, "%llu", sum.pmc[0]);
	/* A million instructions, and what resuming takes. */
	CHECK(interrupts >= 100 && interrupts < 120 && !strange, "%u signals, %u of them strange",
	      interrupts, strange);
	done(self);
	return 0;
}

/*
 * What the library itself may add to a control, a stop, and what is between them: over perf_events,
 * where it knows its own instructions, those that surround them.
 */
static uint64_t own_limit(unsigned int n)
{
#if defined(__x86_64__) || defined(__aarch64__)
	if (!driver)
		return 20;
#endif
	return (sizeof(long) == 8 ? 130 : 300) + 40 * (n - 1);
}

/* Not inlined: always the same instructions. The first is of the library, but for both calls. */
static __attribute__((noinline)) int control_and_stop(const struct vperfctr *self,
						      struct vperfctr_control *control)
{
	return vperfctr_control(self, control) | vperfctr_stop(self);
}

static __attribute__((noinline)) int control_loop_and_stop(const struct vperfctr *self,
							   struct vperfctr_control *control,
							   unsigned long n)
{
	int result = vperfctr_control(self, control);

	loop(n);
	return result | vperfctr_stop(self);
}

/*
 * What a control counts of the library: from its counters' beginning to its return, and from a
 * stop's call to their end. All counters say the same, those that are read earlier or later, too.
 * The first control opens its counters, the others find them.
 */
static int own_instructions(void)
{
	const unsigned int most = sizeof(long) == 8 ? programmable() : 2;
	struct vperfctr *self = vperfctr_open();
	struct vperfctr_control control;
	uint64_t own, first[2] = { 0, 0 };
	unsigned int n, k, i;

	CHECK(self, "no counters");
	for (n = 1; n <= most; n++) {
		control = instructions(n);
		for (k = 0; k < 6; k++) {
			CHECK((k & 1 ? control_loop_and_stop(self, &control, 500 * k)
				     : control_and_stop(self, &control)) == 0,
			      "%s", perfctr_error());
			for (i = 0; i < n; i++) {
				own = vperfctr_read_pmc(self, i) - (k & 1 ? 1000 * k : 0);
				if (k < 2 && i == 0)
					first[k] = own;
				CHECK(own <= own_limit(n) + 4 * (k & 1),
				      "counter %u of %u, %u: %llu of our own", i, n, k,
				      (unsigned long long)own);
				CHECK(own_limit(n) > 20 || own == first[k & 1],
				      "counter %u of %u, %u: %llu, where others have %llu", i, n, k,
				      (unsigned long long)own, (unsigned long long)first[k & 1]);
			}
		}
		printf("  %u counters: %llu of our own\n", n, (unsigned long long)first[0]);
	}
	done(self);
	return 0;
}

/* Values only grow: from a control over reads to the stop, and from there if they are preserved. */
static int values_grow(void)
{
	struct vperfctr *self = vperfctr_open();
	struct vperfctr_control control = instructions(2);
	uint64_t value = 0, next;
	unsigned int k, j;

	CHECK(self, "no counters");
	for (k = 0; k < 20; k++) {
		control.preserve = k & 1 ? 3 : 0;
		value = k & 1 ? value : 0;
		CHECK(vperfctr_control(self, &control) == 0, "%s", perfctr_error());
		for (j = 0; j < 4; j++) {
			if (j == 3)
				CHECK(vperfctr_stop(self) == 0, "%s", perfctr_error());
			next = vperfctr_read_pmc(self, 0);
			CHECK(next > value && next < value + 400, "%u, %u: %llu after %llu", k, j,
			      (unsigned long long)next, (unsigned long long)value);
			value = next;
		}
	}
	done(self);
	return 0;
}

/*
 * Where its number matters: on Core 2 the loads' masks (CBH) count on counter 0 only, and Arm's
 * CHAIN counts what another does.
 */
static int a_counter_that_can_not(void)
{
#if defined(__i386__) || defined(__x86_64__)
	struct vperfctr_control control = instructions(1);
	struct vperfctr *self = vperfctr_open();
	struct perfctr_info info;

	CHECK(self && perfctr_get_info(&info) == 0, "%s", perfctr_error());
	if (info.cpu_type == PERFCTR_X86_INTEL_CORE2) {
		control.cpu_control.evntsel[0] = 0x004101CB;
		control.cpu_control.pmc_map[0] = 1;
		CHECK_FAILS(vperfctr_control(self, &control), EOPNOTSUPP,
			    "pmc_map[0] names counter 1, but event 0x004101CB counts only on "
			    "counter 0");
	}
	done(self);
#elif defined(__aarch64__)
	struct vperfctr_control control = instructions(2);
	struct vperfctr *self = vperfctr_open();

	CHECK(self, "%s", perfctr_error());
	control.cpu_control.evntsel[1] = (unsigned int)COUNT_USER | 0x001E;
	CHECK_FAILS(vperfctr_control(self, &control), EOPNOTSUPP,
		    "CHAIN counts the overflows of the counter below its own, and perf_events "
		    "places counters itself");
	done(self);
#endif
	return 0;
}

static void *count_and_end(void *process)
{
	struct vperfctr *self = open_counting(1);

	if (!self || perfctr_total_add(process, self) < 0)
		return process;
	loop(100000);
	vperfctr_close(self);
	return NULL;
}

static int totals_include_ended_threads(void)
{
	struct perfctr_total *process = perfctr_total_create();
	struct perfctr_sum_ctrs sum;
	unsigned int i, n;
	void *result;
	pthread_t thread;

	for (i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, count_and_end, process);
		pthread_join(thread, &result);
		CHECK(!result, "%s", perfctr_error());
	}
	CHECK(perfctr_total_read(process, &sum, &n) == 0 && n == 10, "%s", perfctr_error());
	CHECK(sum.pmc[0] > 2000000 && sum.pmc[0] < 2100000, "%llu", sum.pmc[0]);
	perfctr_total_destroy(process);
	return 0;
}

static int a_child_counts_for_itself(void)
{
	struct vperfctr *self = open_counting(1);
	uint64_t before;
	int status;
	pid_t pid;

	CHECK(self, "no counters");
	pid = fork();
	if (pid == 0) {
		if (vperfctr_read_pmc(self, 0) != ~0ULL || errno != ESRCH)
			_exit(1);
		self = open_counting(1);
		_exit(!self || measure(self, 0, 2000) - measure(self, 0, 1000) != 2000);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "child: %x", status);
	before = vperfctr_read_pmc(self, 0);
	CHECK(before != ~0ULL && measure(self, 0, 2000) - measure(self, 0, 1000) == 2000,
	      "the parent's counters suffered");
	done(self);
	return 0;
}

static volatile sig_atomic_t ticks, backward;
static struct vperfctr *ticking;

static void tick(int sig)
{
	static uint64_t last;
	uint64_t now = vperfctr_read_pmc(ticking, 0);

	(void)sig;
	ticks++;
	if (now < last || now == UINT64_MAX)
		backward++;
	last = now;
}

static int reads_in_signal_handlers(void)
{
	struct sigaction action = { .sa_handler = tick }, ignore = { .sa_handler = SIG_IGN };
	struct itimerspec often = { { 0, 500000 }, { 0, 500000 } };
	uint64_t last = 0, now;
	timer_t timer;
	unsigned int wrong = 0;

	ticking = open_counting(1);
	CHECK(ticking, "no counters");
	sigaction(SIGALRM, &action, NULL);
	CHECK(timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0, "timer_create");
	timer_settime(timer, 0, &often, NULL);
	while (ticks < 300) {
		now = vperfctr_read_pmc(ticking, 0);
		if (now < last)
			wrong++;
		last = now;
	}
	timer_delete(timer);
	sigaction(SIGALRM, &ignore, NULL);
	CHECK(wrong == 0 && backward == 0, "%u reads and %d in the handler went back", wrong,
	      (int)backward);
	done(ticking);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		struct guest_test test;
		bool perf; /* about perf_events, or what only it can do */
	} tests[] = {
		{ .test = TEST(exact_counts) },
		{ .test = TEST(all_counters_agree) },
		{ .test = TEST(user_reads_equal_the_kernels), .perf = true },
		{ .test = TEST(stop_start_preserve) },
		{ .test = TEST(pauses), .perf = true },
		{ .test = TEST(refused_control_loses_nothing) },
		{ .test = TEST(busy_counters), .perf = true },
		{ .test = TEST(two_threads_on_one_cpu) },
		{ .test = INEXACT_TEST(migration) },
		{ .test = TEST(virtual_tsc) },
		{ .test = TEST(more_events_than_counters), .perf = true },
		{ .test = TEST(groups_count_together), .perf = true },
		{ .test = TEST(own_events), .perf = true },
		{ .test = TEST(own_instructions) },
		{ .test = TEST(values_grow) },
		{ .test = TEST(named_counters) },
		{ .test = TEST(named_i_mode_counter) },
		{ .test = TEST(a_counter_that_can_not), .perf = true },
		{ .test = TEST(totals_include_ended_threads) },
		{ .test = TEST(a_child_counts_for_itself) },
		{ .test = TEST(reads_in_signal_handlers) },
	};
	struct perfctr_info info;
	unsigned int i, n = sizeof(tests) / sizeof(tests[0]), failures = 0, ran = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	driver = argc > 0 && strstr(argv[0], "driver");
	if (driver && (load_driver() < 0 || setenv("PERFCTR_PROVIDER", "driver", 1) < 0))
		return 1;
	if (perfctr_get_info(&info) < 0 || perfctr_info_nrctrs(&info) == 0) {
		printf("no counters on this machine: %s\n", perfctr_error());
		return 77;
	}
	perfctr_info_print(&info);
	for (i = 0; i < n; i++) {
		if (driver && tests[i].perf)
			continue;
		ran++;
		failures += (unsigned int)run_guest_test(&tests[i].test);
	}
	printf("%u of %u failed\n", failures, ran);
	return (driver && unload_driver() < 0) || failures != 0;
}
