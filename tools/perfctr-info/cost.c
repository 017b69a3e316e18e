// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures the cost of calls on this machine. An operation is repeated until a round takes a
 * measurable time; its cost is the median of some rounds, less the cost of an empty loop, and half
 * of the interquartile range of the rounds shows how reliable it is.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <libperfctr.h>
#include <perfctr/read.h>
#include <linux/perf_event.h>
#include "tools/perfctr-info/cost.h"
#include "tools/perfex/base/text.h"

#define ROUNDS	  31
#define ROUND_NS  200000
#define THREADS	  8   /* in a total */
#define SAMPLES	  256 /* that a round reads */
#define PIECES	  101 /* loops of one length */
#define ROUNDTRIP 100 /* switches of two threads in a round */

/* The state of the measurements, and the objects that they use. */
struct costs {
	enum cost_format format;
	bool everything;
	bool first;
	double empty; /* ns of a loop's pass */
	struct vperfctr *self;
	struct vperfctr_control control;
	struct perfctr_reader reader;
	struct perfctr_state_reader state_reader;
	struct perfctr_set *group;
	struct perfctr_total *total;
	struct perfctr_sampler *sampler;
	struct perfctr_set *meter; /* counts instructions; open only meanwhile */
};

/* The cost of one operation. */
struct cost {
	double ns, spread;
	double instructions; /* in user mode; < 0: not counted */
	bool measured;
};

typedef void operation_fn(struct costs *costs);

/* ---- rounds ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

static void judge(double rounds[ROUNDS], struct cost *cost)
{
	qsort(rounds, ROUNDS, sizeof(rounds[0]), compare);
	cost->ns = rounds[ROUNDS / 2];
	cost->spread = (rounds[ROUNDS * 3 / 4] - rounds[ROUNDS / 4]) / 2;
	cost->measured = true;
}

static double time_of(struct costs *costs, operation_fn *operation, unsigned int times)
{
	double start = now();

	while (times--)
		operation(costs);
	return now() - start;
}

/*
 * Opens the meter only now, since it might take a counter that an operation needs. false:
 * instructions can't be counted, or are not wanted.
 */
static bool open_meter(struct costs *costs)
{
	costs->meter = costs->everything ? perfctr_set_open("instructions:u", NULL, 0) : NULL;
	return costs->meter != NULL;
}

/* Counts this many operations; < 0: the meter lost its counter. */
static double count(struct costs *costs, operation_fn *operation, unsigned int times)
{
	struct perfctr_reading before, after;

	if (perfctr_set_read(costs->meter, &before) < 0)
		return -1;
	while (times--)
		operation(costs);
	if (perfctr_set_read(costs->meter, &after) < 0)
		return -1;
	return (double)(after.value - before.value);
}

/* The difference between many and few leaves out the code around them. */
static double count_one(struct costs *costs, operation_fn *operation)
{
	double few, many;

	if (!open_meter(costs))
		return -1;
	count(costs, operation, 10);
	few = count(costs, operation, 10);
	many = count(costs, operation, 110);
	perfctr_set_close(costs->meter);
	return few < 0 || many < few ? -1 : (many - few) / 100;
}

static void measure(struct costs *costs, operation_fn *operation, struct cost *cost)
{
	double rounds[ROUNDS];
	unsigned int times = 1, i;

	while (times < 1u << 20 && time_of(costs, operation, times) < ROUND_NS)
		times *= 2;
	for (i = 0; i < ROUNDS; i++) {
		rounds[i] = time_of(costs, operation, times) / times - costs->empty;
		rounds[i] = rounds[i] < 0 ? 0 : rounds[i];
	}
	judge(rounds, cost);
	cost->instructions = count_one(costs, operation);
}

/* ---- showing ---- */

/* taken: in user space or by a system call; why: the reason for this, or for a failure. */
static void show(struct costs *costs, const char *what, const struct cost *cost, const char *taken,
		 const char *why)
{
	if (costs->format == COST_JSON) {
		text_json(stdout, costs->first ? "{\"what\":" : ",{\"what\":", what);
		if (cost->measured)
			printf(",\"ns\":%.1f,\"spread\":%.1f", cost->ns, cost->spread);
		else
			printf(",\"ns\":null,\"spread\":null");
		if (cost->instructions >= 0)
			printf(",\"instructions\":%.0f", cost->instructions);
		else
			printf(",\"instructions\":null");
		text_json(stdout, ",\"taken\":", taken);
		text_json(stdout, ",\"why\":", why);
		putchar('}');
	} else if (costs->format == COST_BRIEF) {
		printf("     %-44s %10.1f ns\n", what, cost->ns);
	} else {
		if (cost->measured)
			printf("%-46s %10.1f %8.1f ", what, cost->ns, cost->spread);
		else
			printf("%-46s %10s %8s ", what, "-", "-");
		if (cost->instructions >= 0)
			printf("%12.0f", cost->instructions);
		else
			printf("%12s", "-");
		printf("  %s%s%s\n", taken, *why ? ": " : "", why);
	}
	costs->first = false;
}

static void show_operation(struct costs *costs, const char *what, operation_fn *operation,
			   const char *taken, const char *why)
{
	struct cost cost;

	measure(costs, operation, &cost);
	show(costs, what, &cost, taken, why);
}

/* Prints a missing operation only where all are printed. */
static void show_none(struct costs *costs, const char *what, const char *why)
{
	const struct cost none = { .instructions = -1, .measured = false };

	if (costs->everything)
		show(costs, what, &none, "not here", why);
}

/* ---- operations ---- */

static void nothing(struct costs *costs)
{
	(void)costs;
	perfctr_barrier();
}

static void read_tsc(struct costs *costs)
{
	vperfctr_read_tsc(costs->self);
}

static void read_pmc(struct costs *costs)
{
	vperfctr_read_pmc(costs->self, 0);
}

static void read_inline(struct costs *costs)
{
	uint64_t value;

	perfctr_reader_read(&costs->reader, &value);
}

static void read_ordered(struct costs *costs)
{
	uint64_t value;

	perfctr_reader_read_ordered(&costs->reader, &value);
}

static void read_state(struct costs *costs)
{
	struct perfctr_sum_ctrs sum;

	perfctr_state_reader_read(&costs->state_reader, &sum);
}

static void read_ctrs(struct costs *costs)
{
	struct perfctr_sum_ctrs sum;

	vperfctr_read_ctrs(costs->self, &sum);
}

static void read_event(struct costs *costs)
{
	struct perfctr_reading reading;

	perfctr_set_read(costs->group, &reading);
}

static void read_total(struct costs *costs)
{
	struct perfctr_sum_ctrs sum;

	perfctr_total_read(costs->total, &sum, NULL);
}

static void stop_and_start(struct costs *costs)
{
	vperfctr_stop(costs->self);
	vperfctr_control(costs->self, &costs->control);
}

static void close_and_open(struct costs *costs)
{
	vperfctr_unlink(costs->self);
	vperfctr_close(costs->self);
	costs->self = vperfctr_open();
	if (costs->self)
		vperfctr_control(costs->self, &costs->control);
}

static void open_and_close_set(struct costs *costs)
{
	(void)costs;
	perfctr_set_close(perfctr_set_open("task-clock", NULL, 0));
}

/* ---- the calling thread's counters ---- */

/* Starts n counters of some event in user mode, on whatever processor this is. */
static bool start_counters(struct costs *costs, unsigned int n)
{
	struct perfctr_cpu_control *control = &costs->control.cpu_control;
	unsigned int i;

	memset(&costs->control, 0, sizeof(costs->control));
	control->tsc_on = 1;
	control->nractrs = n;
	for (i = 0; i < n; i++) {
		control->pmc_map[i] = i;
#if defined(PERFCTR_ABI_X86_H)
		control->evntsel[i] = 0x004100C0; /* instructions retired, USR, enable */
#elif defined(__aarch64__)
		control->evntsel[i] = 0x80000008; /* INST_RETIRED, not EL1 */
#elif defined(__riscv)
		/* The SBI's INSTRUCTIONS, not in supervisor mode; 0 to 2 count other things. */
		control->pmc_map[i] = 3 + i;
		control->evntsel[i] = 2;
		control->evntsel_high[i] = 0x21000000;
#elif defined(__powerpc64__)
		/* This is PM_INST_CMPL, without the kernel's. */
		control->evntsel[i] = 2;
		control->evntsel_high[i] = 0x20000000;
#endif
	}
	return vperfctr_control(costs->self, &costs->control) == 0;
}

/* ---- how small a piece of code may be ---- */

/* A loop, each of whose passes is as long; -1: the counter is not in a register. */
static __attribute__((noinline)) int64_t count_passes(struct costs *costs, unsigned int passes)
{
	uint64_t before, after;

	if (!perfctr_reader_read(&costs->reader, &before))
		return -1;
	do {
		perfctr_barrier();
	} while (--passes);
	return perfctr_reader_read(&costs->reader, &after) ? (int64_t)(after - before) : -1;
}

static int compare_counts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the counts of many loops. false: some are missing. */
static bool count_loops(struct costs *costs, unsigned int passes, int64_t counts[PIECES])
{
	unsigned int i;

	for (i = 0; i < PIECES; i++)
		counts[i] = count_passes(costs, passes);
	qsort(counts, PIECES, sizeof(counts[0]), compare_counts);
	return counts[0] >= 0;
}

/* Whether 95 of 100 loops that have length instructions more than one pass are off by < 1 %. */
static bool is_counted(struct costs *costs, int64_t one, int64_t length, int64_t each)
{
	int64_t counts[PIECES];
	unsigned int i;

	if (!count_loops(costs, 1 + (unsigned int)(length / each), counts))
		return false;
	for (i = 0; i < PIECES; i++)
		counts[i] = llabs(counts[i] - one - length / each * each);
	qsort(counts, PIECES, sizeof(counts[0]), compare_counts);
	return counts[PIECES * 95 / 100] * 100 < length / each * each;
}

/* Returns the least length from which on pieces are counted so, or 0. */
static int64_t find_smallest(struct costs *costs)
{
	static const int64_t lengths[] = { 100000, 30000, 10000, 3000, 1000, 300, 100, 30, 10 };
	const unsigned int many = 100000;
	int64_t counts[PIECES], one, each, smallest = 0;
	unsigned int i;

	if (!count_loops(costs, 1, counts))
		return 0;
	one = counts[0];
	if (!count_loops(costs, 1 + many, counts))
		return 0;
	each = (counts[0] - one + many / 2) / many;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		if (each < 1 || each > lengths[i] || !is_counted(costs, one, lengths[i], each))
			break;
		smallest = lengths[i];
	}
	return smallest;
}

static void show_smallest(struct costs *costs)
{
	static const char what[] = "the least piece that is counted to 1 %";
	int64_t smallest = find_smallest(costs);
	const struct cost cost = { .instructions = (double)smallest, .measured = false };

	if (smallest)
		show(costs, what, &cost, "user space",
		     "95 of 100 loops of this length and of longer ones are");
	else
		show_none(costs, what, "loops of 100,000 instructions are not");
}

/* Where a read of the TSC comes from, as perfctr_doctor() says. */
static int find_clock(void *arg, const struct perfctr_check *check)
{
	char *state = arg;

	if (strcmp(check->name, "virtual TSC") != 0)
		return 0;
	snprintf(state, 256, "%s", check->state);
	return 1;
}

static void show_tsc(struct costs *costs)
{
	char state[256] = "";

	if (!start_counters(costs, 0)) {
		show_none(costs, "virtual TSC", perfctr_error());
		return;
	}
	perfctr_doctor(find_clock, state);
	show_operation(costs, "virtual TSC", read_tsc, state, "");
}

/* Returns how n counters are read: in user space if there is a reader. */
static const char *find_way(struct costs *costs, char why[256])
{
	why[0] = '\0';
	if (vperfctr_state_reader(costs->self, &costs->state_reader) == 0 ||
	    vperfctr_reader(costs->self, 0, &costs->reader) == 0)
		return "user space";
	snprintf(why, 256, "%s", perfctr_error());
	return "system call";
}

static void show_readers(struct costs *costs)
{
	if (vperfctr_reader(costs->self, 0, &costs->reader) < 0) {
		show_none(costs, "one counter, inline", perfctr_error());
		return;
	}
	show_operation(costs, "one counter, inline", read_inline, "user space",
		       "perfctr_reader_read()");
	if (!costs->everything)
		return;
	show_operation(costs, "one counter, inline, ordered", read_ordered, "user space",
		       "perfctr_reader_read_ordered()");
	show_smallest(costs);
}

static void show_all_counters(struct costs *costs)
{
	const char *way;
	char why[256];

	if (!start_counters(costs, 4)) {
		show_none(costs, "TSC and four counters", perfctr_error());
		return;
	}
	way = find_way(costs, why);
	show_operation(costs, "TSC and four counters", read_ctrs, way, why);
	if (vperfctr_state_reader(costs->self, &costs->state_reader) == 0)
		show_operation(costs, "TSC and four counters, inline", read_state, "user space",
			       "perfctr_state_reader_read()");
	else
		show_none(costs, "TSC and four counters, inline", perfctr_error());
}

static void show_counters(struct costs *costs)
{
	const char *way;
	char why[256];

	if (!start_counters(costs, 1)) {
		show_none(costs, "one counter", perfctr_error());
		start_counters(costs, 0);
		if (costs->everything)
			show_operation(costs, "stop and start, the TSC", stop_and_start,
				       "system call", "the kernel stops and starts");
		return;
	}
	way = find_way(costs, why);
	show_operation(costs, "one counter", read_pmc, way, why);
	show_readers(costs);
	show_operation(costs, "stop and start, one counter", stop_and_start, "system call",
		       "the kernel stops and starts");
	show_all_counters(costs);
}

static void show_opening(struct costs *costs)
{
	bool counter = start_counters(costs, 1) || !start_counters(costs, 0);

	show_operation(costs,
		       counter ? "unlink, close, open and control, one counter"
			       : "unlink, close, open and control, the TSC",
		       close_and_open, "system call", "the kernel makes and ends what counts");
}

/* ---- a total ---- */

struct sleeper {
	struct costs *costs;
	pthread_barrier_t *barrier;
	bool counts;
};

static void *sleep_and_count(void *arg)
{
	struct sleeper *sleeper = arg;
	struct vperfctr_control control = sleeper->costs->control;
	struct vperfctr *self = vperfctr_open();

	sleeper->counts = self && vperfctr_control(self, &control) == 0 &&
			  perfctr_total_add(sleeper->costs->total, self) == 0;
	pthread_barrier_wait(sleeper->barrier);
	pthread_barrier_wait(sleeper->barrier);
	vperfctr_close(self);
	return NULL;
}

static void show_total(struct costs *costs)
{
	/* These outlive a return with threads that wait. */
	static struct sleeper sleeper[THREADS];
	static pthread_barrier_t barrier;
	pthread_t thread[THREADS];
	unsigned int i, n;
	bool counts = true;

	costs->total = perfctr_total_create();
	if (!costs->total)
		return;
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (n = 0; n < THREADS; n++) {
		sleeper[n] = (struct sleeper){ .costs = costs, .barrier = &barrier };
		if (pthread_create(&thread[n], NULL, sleep_and_count, &sleeper[n]) != 0)
			break;
	}
	/* Without all of them the barrier would never open. */
	if (n < THREADS)
		return;
	pthread_barrier_wait(&barrier);
	for (i = 0; i < THREADS; i++)
		counts &= sleeper[i].counts;
	if (counts)
		show_operation(costs, "a total over 8 threads that sleep", read_total,
			       "system call",
			       "one or more for each thread: what others count, the kernel knows");
	pthread_barrier_wait(&barrier);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&barrier);
	perfctr_total_destroy(costs->total);
}

/* ---- samples ---- */

static int take_sample(void *arg, const struct perfctr_record *record)
{
	*(unsigned int *)arg += record->type == PERF_RECORD_SAMPLE;
	return 0;
}

/* One sample per page that is touched. */
static void fault(size_t page)
{
	char *memory = mmap(NULL, SAMPLES * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	if (memory == MAP_FAILED)
		return;
	madvise(memory, SAMPLES * page, MADV_NOHUGEPAGE);
	for (i = 0; i < SAMPLES; i++)
		((volatile char *)memory)[i * page] = 1;
	munmap(memory, SAMPLES * page);
}

static double count_samples(struct costs *costs, unsigned int *samples)
{
	struct perfctr_reading before, after;

	if (perfctr_set_read(costs->meter, &before) < 0)
		return -1;
	perfctr_sampler_each(costs->sampler, take_sample, samples);
	if (perfctr_set_read(costs->meter, &after) < 0)
		return -1;
	return (double)(after.value - before.value);
}

static bool measure_samples(struct costs *costs, struct cost *cost)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	double rounds[ROUNDS], start;
	unsigned int i, samples;

	for (i = 0; i < ROUNDS; i++) {
		fault(page);
		samples = 0;
		start = now();
		perfctr_sampler_each(costs->sampler, take_sample, &samples);
		rounds[i] = samples ? (now() - start) / samples : 0;
		if (!samples)
			return false;
	}
	judge(rounds, cost);
	cost->instructions = -1;
	samples = 0;
	fault(page);
	if (!open_meter(costs))
		return true;
	cost->instructions = count_samples(costs, &samples);
	if (samples)
		cost->instructions /= samples;
	perfctr_set_close(costs->meter);
	return true;
}

static void show_samples(struct costs *costs)
{
	static const char what[] = "a sample, found and decoded";
	const struct perfctr_sampler_config config = {
		.period = 1,
		.fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};
	struct cost cost;

	costs->sampler = perfctr_sampler_open("page-faults:u", NULL, &config);
	if (!costs->sampler) {
		show_none(costs, what, perfctr_error());
		return;
	}
	if (measure_samples(costs, &cost))
		show(costs, what, &cost, "user space", "the kernel writes it into a mapped buffer");
	perfctr_sampler_close(costs->sampler);
}

/* ---- switches between two threads ---- */

struct player {
	int in, out;
	const struct vperfctr_control *control; /* NULL: it does not count */
	unsigned int balls;
};

/* Hand a byte back as often as it comes. */
static void *play(void *arg)
{
	const struct player *player = arg;
	struct vperfctr_control control;
	struct vperfctr *self = NULL;
	unsigned int i;
	char ball;

	if (player->control) {
		control = *player->control;
		self = vperfctr_open();
		if (self)
			vperfctr_control(self, &control);
	}
	for (i = 0; i < player->balls; i++)
		if (read(player->in, &ball, 1) != 1 || write(player->out, &ball, 1) != 1)
			break;
	if (self)
		vperfctr_close(self);
	return NULL;
}

/* Measures the ns of a switch, for each round. false: it can't be measured. */
static bool time_switches(const struct vperfctr_control *control, double rounds[ROUNDS])
{
	struct player player = { .control = control, .balls = (ROUNDS + 1) * ROUNDTRIP };
	int there[2] = { -1, -1 }, back[2] = { -1, -1 };
	unsigned int round, i;
	pthread_t thread;
	char ball = 0;
	double start;
	bool done;

	done = pipe(there) == 0 && pipe(back) == 0;
	player.in = there[0];
	player.out = back[1];
	done = done && pthread_create(&thread, NULL, play, &player) == 0;
	for (round = 0; done && round <= ROUNDS; round++) {
		start = now();
		for (i = 0; i < ROUNDTRIP; i++)
			if (write(there[1], &ball, 1) != 1 || read(back[0], &ball, 1) != 1)
				abort(); /* pipes of this process */
		/* The first round warms up. */
		if (round)
			rounds[round - 1] = (now() - start) / (2 * ROUNDTRIP);
	}
	if (done)
		pthread_join(thread, NULL);
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	return done;
}

/* Runs both threads on one processor, so that they switch. */
static void show_switches(struct costs *costs)
{
	static const char what[] = "a switch between threads";
	double alone[ROUNDS], both[ROUNDS];
	bool counter;
	struct cost plain = { 0 }, cost = { 0 };
	cpu_set_t all, one;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	if (cpu < 0 || sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0) {
		show_none(costs, what, "this process may not be bound to a processor");
		return;
	}
	vperfctr_stop(costs->self);
	if (time_switches(NULL, alone)) {
		judge(alone, &plain);
		plain.instructions = -1;
		show(costs, what, &plain, "kernel", "neither counts");
	}
	counter = start_counters(costs, 1) || !start_counters(costs, 0);
	if (plain.measured && time_switches(&costs->control, both)) {
		judge(both, &cost);
		cost.instructions = -1;
		cost.ns = cost.ns > plain.ns ? cost.ns - plain.ns : 0;
		cost.spread += plain.spread;
		show(costs,
		     counter ? "the same, more if both count one event"
			     : "the same, more if both count the TSC",
		     &cost, "kernel", perfctr_provider_name());
	}
	sched_setaffinity(0, sizeof(all), &all);
}

/* ---- all of it ---- */

static void show_events(struct costs *costs)
{
	costs->group = perfctr_set_open("task-clock", NULL, 0);
	if (!costs->group) {
		show_none(costs, "one event through the kernel", perfctr_error());
		return;
	}
	show_operation(costs, "one event through the kernel", read_event, "system call",
		       "a software event is in no register");
	perfctr_set_close(costs->group);
	if (costs->everything)
		show_operation(costs, "open and close a set of one event", open_and_close_set,
			       "system call", "the kernel makes and ends what counts");
}

static void show_handle(struct costs *costs)
{
	show_tsc(costs);
	show_counters(costs);
	if (!costs->everything)
		return;
	show_opening(costs);
	if (!costs->self)
		return;
	show_total(costs);
	show_switches(costs);
}

void cost_show(enum cost_format format, bool everything)
{
	struct costs costs = { .format = format, .everything = everything, .first = true };
	char why[256] = "";
	struct cost cost;

	costs.self = vperfctr_open();
	if (!costs.self)
		snprintf(why, sizeof(why), "%s", perfctr_error());
	if (format == COST_TABLE)
		printf("%-46s %10s %8s %12s  %s\n", "", "ns", "+/-", "instructions", "taken");
	measure(&costs, nothing, &cost);
	show(&costs, "nothing, in the same loop", &cost, "user space", "");
	costs.empty = cost.ns;
	if (costs.self)
		show_handle(&costs);
	else
		show_none(&costs, "the calling thread's counters", why);
	show_events(&costs);
	if (everything)
		show_samples(&costs);
	if (!costs.self)
		return;
	vperfctr_unlink(costs.self);
	vperfctr_close(costs.self);
}
