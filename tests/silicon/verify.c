// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the counters of this machine say of work whose counts are known: facts, a line each, of
 * which judge.awk makes verdicts. scripts/verify builds and runs it; tests/silicon/README.md has
 * the lines. usage: verify [quick] It changes nothing on the machine. Exit status 0, or 77 and a
 * sentence if nothing can be counted here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <libperfctr.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
#include "tests/harness/loop.h"

/* Trials are divided by it. */
static unsigned int hurry = 1;

/* ---- the machine ---- */

/* Lines of /proc/cpuinfo that say which processor it is: no more, since the file is sent to others.
 */
static void print_processor(void)
{
	static const char *const keys[] = {
		"vendor_id",
		"cpu family",
		"model",
		"model name",
		"stepping",
		"microcode",
		"CPU implementer",
		"CPU architecture",
		"CPU variant",
		"CPU part",
		"CPU revision",
		"mvendorid",
		"marchid",
		"mimpid",
		"isa",
		"uarch",
		"cpu",
		"revision",
	};
	const char *id = "", *name = "";
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[8192], *colon, *end;
	bool hypervisor = false;
	unsigned int i;

	perfctr_cpu_native(&id, &name);
	printf("processor %s %s\n", *id ? id : "-", name);
	while (file && fgets(line, sizeof(line), file)) {
		colon = strchr(line, ':');
		if (!colon || colon == line)
			break;
		hypervisor |= strncmp(line, "flags", 5) == 0 && strstr(line, " hypervisor");
		line[strcspn(line, "\n")] = '\0';
		for (end = colon; end > line && (end[-1] == '\t' || end[-1] == ' '); end--)
			;
		*end = '\0';
		for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (strcmp(line, keys[i]) == 0)
				printf("word %s%s%s\n", line, colon[1] ? ":" : "", colon + 1);
	}
	if (file)
		fclose(file);
	if (hypervisor)
		puts("virtual CPUID has the bit of hypervisors");
}

/* The first line of a file, behind NAME; nothing if it can't be read. */
static void print_file(const char *name, const char *path, const char *only)
{
	FILE *file = fopen(path, "r");
	char line[256];
	size_t length;

	if (!file)
		return;
	length = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	line[length] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (*line && (!only || strstr(line, only)))
		printf("%s %s\n", name, line);
}

static void print_machine(void)
{
	static const char *const makers[] = { "QEMU",	    "VMware", "VirtualBox",
					      "Xen",	    "KVM",    "Bochs",
					      "Amazon EC2", "Google", "Virtual Machine" };
	struct utsname uname_of;
	unsigned int i;

	print_processor();
	for (i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		print_file("virtual", "/sys/class/dmi/id/sys_vendor", makers[i]);
		print_file("virtual", "/sys/class/dmi/id/product_name", makers[i]);
	}
	print_file("virtual", "/proc/device-tree/compatible", "virt");
	print_file("virtual", "/sys/hypervisor/type", NULL);
	uname(&uname_of);
	printf("kernel %s %s %s %s\n", uname_of.sysname, uname_of.release, uname_of.version,
	       uname_of.machine);
	printf("cpus %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
	printf("user %s\n", geteuid() ? "not root" : "root");
	print_file("paranoid", "/proc/sys/kernel/perf_event_paranoid", NULL);
	print_file("nmi-watchdog", "/proc/sys/kernel/nmi_watchdog", NULL);
	print_file("rdpmc", "/sys/bus/event_source/devices/cpu/rdpmc", NULL);
	printf("provider %s\n", perfctr_provider_name());
}

/* ---- counting ---- */

struct counter {
	struct perfctr_set *set;
	struct perfctr_reader reader;
};

static bool open_counter(struct counter *counter, const char *events)
{
	counter->set = perfctr_set_open(events, NULL, 0);
	if (!counter->set)
		printf("refused %s: %s\n", events, perfctr_error());
	else if (perfctr_set_reader(counter->set, 0, &counter->reader) < 0)
		printf("no-reader %s: %s\n", events, perfctr_error());
	return counter->set != NULL;
}

static uint64_t read_kernel(const struct counter *counter)
{
	struct perfctr_reading reading;

	if (perfctr_set_read(counter->set, &reading) < 0 || reading.quality != PERFCTR_EXACT) {
		printf("lost %s\n", perfctr_error());
		exit(1);
	}
	return reading.value;
}

static uint64_t read_inline(const struct counter *counter)
{
	uint64_t value;

	return perfctr_reader_read(&counter->reader, &value) ? value : read_kernel(counter);
}

typedef uint64_t read_fn(const struct counter *);

/* With what reading takes itself, always the same since it is not inlined. */
static __attribute__((noinline)) uint64_t measure(read_fn *read, const struct counter *counter,
						  unsigned long n)
{
	uint64_t before = read(counter);

	loop(n);
	return read(counter) - before;
}

/* What was counted beyond what there was to count. */
struct excess {
	unsigned int n, exact;
	int64_t *values;
};

static void note(struct excess *excess, int64_t value)
{
	excess->values[excess->n++] = value;
	excess->exact += value == 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* "count WHAT EVENT EXPECTED TRIALS EXACT LEAST MEDIAN GREATEST" */
static void print_excess(const char *what, const char *event, uint64_t expected,
			 struct excess *excess)
{
	qsort(excess->values, excess->n, sizeof(excess->values[0]), compare);
	printf("count %s %s %llu %u %u %lld %lld %lld\n", what, event, (unsigned long long)expected,
	       excess->n, excess->exact, (long long)excess->values[0],
	       (long long)excess->values[excess->n / 2], (long long)excess->values[excess->n - 1]);
}

/* What an empty measurement counts: the least of many, since whatever disturbs one adds to it. */
static uint64_t overhead(read_fn *read, const struct counter *counter)
{
	uint64_t least = UINT64_MAX, value;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		value = measure(read, counter, 1);
		least = value < least ? value : least;
	}
	return least;
}

/* TRIALS loops of n, of which each iteration counts per_iteration; before each, between() is
 * called. */
static void count_loops(const char *what, const char *event, read_fn *read,
			const struct counter *counter, unsigned int per_iteration, unsigned long n,
			unsigned int trials, void (*between)(unsigned int i))
{
	uint64_t empty = overhead(read, counter), expected = per_iteration * (uint64_t)n;
	struct excess excess = { 0 };
	unsigned int i;

	excess.values = calloc(trials, sizeof(excess.values[0]));
	for (i = 0; excess.values && i < trials; i++) {
		if (between)
			between(i);
		note(&excess, (int64_t)(measure(read, counter, n + 1) - empty - expected));
	}
	if (excess.n)
		print_excess(what, event, expected, &excess);
	free(excess.values);
}

static void verify_lengths(void)
{
	static const struct {
		const char *event;
		unsigned int per_iteration;
	} events[] = { { "instructions:u", 2 }, { "branches:u", 1 } };
	static const struct {
		unsigned long n;
		unsigned int trials;
	} lengths[] = { { 500, 1001 }, { 5000, 1001 }, { 50000, 301 }, { 500000, 101 } };
	struct counter counter;
	unsigned int i, k;

	for (i = 0; i < 2; i++) {
		if (!open_counter(&counter, events[i].event))
			continue;
		for (k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
			count_loops("inline", events[i].event, read_inline, &counter,
				    events[i].per_iteration, lengths[k].n,
				    lengths[k].trials / hurry, NULL);
			count_loops("kernel", events[i].event, read_kernel, &counter,
				    events[i].per_iteration, lengths[k].n,
				    lengths[k].trials / hurry, NULL);
		}
		perfctr_set_close(counter.set);
	}
}

/* ---- among others ---- */

/* The processor that verify() runs on, but where it moves. */
static unsigned int home;

static void go_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static cpu_set_t allowed;

static void move(unsigned int i)
{
	unsigned int cpu, k = i % (unsigned int)CPU_COUNT(&allowed);

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && k-- == 0)
			go_to(cpu);
}

/* Somebody else on this processor: more instructions than ours, none of which may be counted. */
static pid_t hog(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			loop(1000000);
	}
	return pid;
}

static void *count_in_thread(void *arg)
{
	struct excess *excess = arg;
	struct counter counter;
	uint64_t empty;
	unsigned int i;

	if (!open_counter(&counter, "instructions:u"))
		return NULL;
	empty = overhead(read_inline, &counter);
	for (i = 0; i < 51 / hurry; i++)
		note(excess, (int64_t)(measure(read_inline, &counter, 100001) - empty - 200000));
	perfctr_set_close(counter.set);
	return NULL;
}

static void verify_threads(void)
{
	enum { N = 8 };
	struct excess excess[N], all = { 0 };
	pthread_t threads[N];
	unsigned int i, k;

	memset(excess, 0, sizeof(excess));
	all.values = calloc(N * 51, sizeof(all.values[0]));
	if (!all.values)
		return;
	for (i = 0; i < N; i++) {
		excess[i].values = calloc(51, sizeof(all.values[0]));
		if (!excess[i].values ||
		    pthread_create(&threads[i], NULL, count_in_thread, &excess[i])) {
			printf("refused threads: only %u of %u could be made\n", i, N);
			free(excess[i].values);
			break;
		}
	}
	while (i--) {
		pthread_join(threads[i], NULL);
		for (k = 0; k < excess[i].n; k++)
			note(&all, excess[i].values[k]);
		free(excess[i].values);
	}
	if (all.n)
		print_excess("threads", "instructions:u", 200000, &all);
	free(all.values);
}

static void verify_among_others(void)
{
	struct counter counter;
	pid_t pid;

	verify_threads();
	if (!open_counter(&counter, "instructions:u"))
		return;
	pid = hog();
	count_loops("beside", "instructions:u", read_inline, &counter, 2, 500000, 200 / hurry,
		    NULL);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	/* The kernel reads: inline, another core type's processor may have fewer counters. */
	if (CPU_COUNT(&allowed) > 1)
		count_loops("moved", "instructions:u", read_kernel, &counter, 2, 50000, 200 / hurry,
			    move);
	go_to(home);
	perfctr_set_close(counter.set);
}

/* ---- the two ways of reading ---- */

/* "order READS BACKWARDS FARTHEST": no read is less than one before it, whoever reads. */
static void verify_order(void)
{
	uint64_t before, kernel, after, farthest = 0;
	unsigned int i, n = 20000 / hurry, backwards = 0;
	struct counter counter;

	if (!open_counter(&counter, "instructions:u"))
		return;
	for (i = 0; i < n; i++) {
		before = read_inline(&counter);
		kernel = read_kernel(&counter);
		after = read_inline(&counter);
		backwards += before > kernel || kernel > after;
		farthest = after - before > farthest ? after - before : farthest;
	}
	printf("order %u %u %llu\n", n, backwards, (unsigned long long)farthest);
	perfctr_set_close(counter.set);
}

/* ---- overflows ---- */

struct samples {
	unsigned int n, inside, throttled, lost;
	uint64_t from, to;
};

static int note_record(void *arg, const struct perfctr_record *record)
{
	struct samples *samples = arg;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		samples->n++;
		samples->inside += record->as.sample.ip >= samples->from &&
				   record->as.sample.ip < samples->to;
		break;
	case PERF_RECORD_THROTTLE: samples->throttled++; break;
	case PERF_RECORD_LOST: samples->lost += (unsigned int)record->as.lost.lost; break;
	}
	return 0;
}

static __attribute__((noinline)) void marked_loop(unsigned long n)
{
	loop(n);
}

/* "overflow EVENT PERIOD EXPECTED SAMPLES INSIDE THROTTLED LOST" */
static void verify_overflow(void)
{
	struct perfctr_sampler_config config = { .period = 100003,
						 .fields = PERF_SAMPLE_IP,
						 .flags = PERFCTR_DISABLED };
	unsigned long expected = 100, n = (expected * 100003 + 50001) / 2;
	/* The function is shorter; what follows it is not executed here. */
	struct samples samples = { .from = (uintptr_t)marked_loop,
				   .to = (uintptr_t)marked_loop + 64 };
	struct perfctr_sampler *sampler = perfctr_sampler_open("instructions:u", NULL, &config);

	if (!sampler) {
		printf("refused overflow: %s\n", perfctr_error());
		return;
	}
	/* The buffer has room for all; what the kernel throttles, it says. */
	if (perfctr_sampler_enable(sampler) == 0) {
		marked_loop(n);
		perfctr_sampler_disable(sampler);
		perfctr_sampler_each(sampler, note_record, &samples);
	}
	printf("overflow instructions:u %llu %lu %u %u %u %u\n", (unsigned long long)config.period,
	       expected, samples.n, samples.inside, samples.throttled, samples.lost);
	perfctr_sampler_close(sampler);
}

/* ---- the table ---- */

enum { CHASED = 1 << 19 }; /* lines of 64 bytes: 32 MiB, more than most caches */
static struct line {
	struct line *next;
	char rest[64 - sizeof(struct line *)];
} * lines;

static uint64_t random_state = 0x9E3779B97F4A7C15;
static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* One circle through all lines, in no order that a prefetcher knows. */
static void make_lines(void)
{
	struct line *line;
	uint64_t i, k;

	lines = mmap(NULL, CHASED * sizeof(*lines), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (lines == MAP_FAILED) {
		lines = NULL;
		return;
	}
	for (i = 0; i < CHASED; i++)
		lines[i].next = &lines[i];
	/* Sattolo's: exchanging with one before it keeps it one circle. */
	for (i = CHASED - 1; i > 0; i--) {
		k = next_random() % i;
		line = lines[i].next;
		lines[i].next = lines[k].next;
		lines[k].next = line;
	}
}

enum { ITERATIONS = 20000, CHASES = 2000, CALLS = 500 };

static __attribute__((noinline)) void work_nothing(void)
{
}

static __attribute__((noinline)) void work_loop(void)
{
	loop(ITERATIONS);
}

static volatile unsigned long cells[64];
static __attribute__((noinline)) void work_loads(void)
{
	unsigned int i;

	for (i = 0; i < ITERATIONS; i++)
		(void)cells[i % 64];
}

static __attribute__((noinline)) void work_stores(void)
{
	unsigned int i;

	for (i = 0; i < ITERATIONS; i++)
		cells[i % 64] = i;
}

/* A branch in each iteration that nobody can predict. */
static __attribute__((noinline)) void work_branches(void)
{
	unsigned int i;

	for (i = 0; i < ITERATIONS; i++)
		if (next_random() >> 63)
			__asm__ volatile("nop");
}

static __attribute__((noinline)) void work_misses(void)
{
	static struct line *volatile at;
	struct line *line = at ? at : lines;
	unsigned int i;

	for (i = 0; line && i < CHASES; i++)
		line = line->next;
	at = line;
}

static volatile double number = 1;
static __attribute__((noinline)) void work_numbers(void)
{
	double sum = number;
	unsigned int i;

	for (i = 0; i < ITERATIONS; i++) {
		sum = sum * number + number;
		__asm__ volatile("" : "+m"(sum));
	}
	number = sum > 1e300 ? 1 : number;
}

static __attribute__((noinline)) void work_calls(void)
{
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

static void (*const works[])(void) = { work_nothing,  work_loop,   work_loads,	 work_stores,
				       work_branches, work_misses, work_numbers, work_calls };
static const char *const work_names[] = { "nothing",  "loop",	"loads",   "stores",
					  "branches", "misses", "numbers", "calls" };
enum { NWORKS = sizeof(works) / sizeof(works[0]) };

static unsigned int taken, refused;

/* "event NAME COUNT..." for each work, the least of three; or "refused NAME: why". */
static int verify_event(void *arg, const struct perfctr_event_name *event)
{
	struct counter counter;
	uint64_t counts[NWORKS], count, before;
	char name[256];
	unsigned int i, k;

	(void)arg;
	snprintf(name, sizeof(name), "%s:u", event->name);
	counter.set = perfctr_set_open(name, NULL, 0);
	if (!counter.set) {
		printf("refused %s: %s\n", name, perfctr_error());
		refused++;
		return 0;
	}
	taken++;
	for (i = 0; i < NWORKS; i++) {
		counts[i] = UINT64_MAX;
		for (k = 0; k < 3; k++) {
			before = read_kernel(&counter);
			works[i]();
			count = read_kernel(&counter) - before;
			counts[i] = count < counts[i] ? count : counts[i];
		}
	}
	perfctr_set_close(counter.set);
	printf("event %s", name);
	for (i = 0; i < NWORKS; i++)
		printf(" %llu", (unsigned long long)counts[i]);
	putchar('\n');
	return 0;
}

static void verify_table(void)
{
	static const char *const generic[] = { "cycles",
					       "instructions",
					       "branches",
					       "branch-misses",
					       "cache-references",
					       "cache-misses",
					       "L1-dcache-loads",
					       "L1-dcache-load-misses",
					       "LLC-loads",
					       "dTLB-load-misses",
					       "stalled-cycles-frontend",
					       "stalled-cycles-backend" };
	struct perfctr_event_name event = { 0 };
	unsigned int i;

	make_lines();
	printf("iterations 0 %d %d %d %d %d %d %d\n", ITERATIONS, ITERATIONS, ITERATIONS,
	       ITERATIONS, CHASES, ITERATIONS, CALLS);
	printf("works");
	for (i = 0; i < NWORKS; i++)
		printf(" %s", work_names[i]);
	putchar('\n');
	for (i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
		event.name = generic[i];
		verify_event(NULL, &event);
	}
	taken = refused = 0;
	if (perfctr_cpu_event_list(NULL, verify_event, NULL) < 0)
		printf("no-table %s\n", perfctr_error());
	printf("table %u %u\n", taken, refused);
}

/* ---- costs ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct counter costing;
static struct vperfctr *self;
PERFCTR_REGION(region, "verify");

static void cost_nothing(void)
{
}

static void cost_inline(void)
{
	read_inline(&costing);
}

static void cost_kernel(void)
{
	read_kernel(&costing);
}

static void cost_pmc(void)
{
	vperfctr_read_pmc(self, 0);
}

static void cost_tsc(void)
{
	vperfctr_read_tsc(self);
}

static void cost_region(void)
{
	perfctr_region_begin(&region);
	perfctr_region_end(&region);
}

/* "cost WHAT NS INSTRUCTIONS": of one, medians of many, with the call around it that "nothing" has,
 * too. */
static void cost(const char *what, void (*call)(void))
{
	enum { BATCHES = 201, CALLS_EACH = 100 };
	static int64_t ns[BATCHES], instructions[BATCHES];
	unsigned int i, k, n = BATCHES / hurry;
	uint64_t before;
	double t;

	for (i = 0; i < n; i++) {
		before = read_inline(&costing);
		t = now();
		for (k = 0; k < CALLS_EACH; k++)
			call();
		ns[i] = (int64_t)(now() - t);
		instructions[i] = (int64_t)(read_inline(&costing) - before);
	}
	qsort(ns, n, sizeof(ns[0]), compare);
	qsort(instructions, n, sizeof(ns[0]), compare);
	printf("cost %s %.1f %.1f\n", what, (double)ns[n / 2] / CALLS_EACH,
	       (double)instructions[n / 2] / CALLS_EACH);
}

static void verify_costs(void)
{
	static const char *const names[] = { "INST_RETIRED:ANY_P", "INST_RETIRED",
					     "RETIRED_INSTRUCTIONS" };
	struct vperfctr_control control;
	unsigned int i;

	if (!open_counter(&costing, "instructions:u"))
		return;
	cost("nothing", cost_nothing);
	cost("inline", cost_inline);
	cost("kernel", cost_kernel);
	perfctr_set_close(costing.set);
	memset(&control, 0, sizeof(control));
	if (!open_counter(&costing, "instructions:u"))
		return;
	/* The event that counts instructions has one of these names. */
	for (i = 0; i < 3 && perfctr_cpu_control_events(&control.cpu_control, names[i]) < 0; i++)
		memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	control.flags = VPERFCTR_CONTROL_EXTENDED;
	self = vperfctr_open();
	if (self && vperfctr_control(self, &control) == 0) {
		cost("vperfctr_read_tsc", cost_tsc);
		if (control.cpu_control.nractrs)
			cost("vperfctr_read_pmc", cost_pmc);
	} else {
		printf("refused vperfctr: %s\n", perfctr_error());
	}
	if (self) {
		vperfctr_unlink(self);
		vperfctr_close(self);
	}
	cost("region-inert", cost_region);
	if (perfctr_regions_start("", 0) == 0)
		cost("region-time", cost_region);
	perfctr_regions_stop();
	perfctr_set_close(costing.set);
}

/*
 * A processor of the type that perfctr_cpu_native() names, where there are several: the first
 * P-core, on Arm processor 0.
 */
static unsigned int find_home(const struct perfctr_set *set)
{
	FILE *file = NULL;
	unsigned int cpu = 0;

	if (perfctr_set_parts(set) < 2)
		return (unsigned int)sched_getcpu();
#if defined(__i386__) || defined(__x86_64__)
	file = fopen("/sys/bus/event_source/devices/cpu_core/cpus", "r");
#endif
	if (file) {
		if (fscanf(file, "%u", &cpu) != 1)
			cpu = 0;
		fclose(file);
	}
	return cpu;
}

int main(int argc, char **argv)
{
	struct perfctr_set *set;

	if (argc > 1 && strcmp(argv[1], "quick") == 0)
		hurry = 10;
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("libperfctr-verify 1 " PACKAGE_VERSION);
	print_machine();
#ifndef LOOP_IS_KNOWN
	puts("nothing: no loop of known length has been written for this architecture");
	return 77;
#endif
	set = perfctr_set_open("instructions:u", NULL, 0);
	if (!set) {
		printf("nothing: %s\n", perfctr_error());
		return 77;
	}
	sched_getaffinity(0, sizeof(allowed), &allowed);
	home = find_home(set);
	perfctr_set_close(set);
	go_to(home);
	verify_lengths();
	verify_order();
	verify_overflow();
	verify_among_others();
	verify_table();
	verify_costs();
	puts("end");
	return 0;
}
