// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs work with known counts under the counters of this machine, and prints facts, a line each, of
 * which judge.awk makes verdicts. scripts/verify builds and runs it; tests/silicon/README.md has
 * the lines. usage: verify [quick], or verify virtual ROOT, for tests: why a machine that has the
 * files of ROOT is taken for a virtual one. It changes nothing on the machine. Exit status 0, or 77
 * and a sentence if nothing can be counted here.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
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
#include <ucontext.h>
#include <unistd.h>
#include <libperfctr.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
#include "arch/cpu.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "tests/harness/loop.h"
#include "tests/silicon/works.h"

/* Trials are divided by it, and rounds. */
static unsigned int hurry = 1;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

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
	unsigned int i;

	perfctr_cpu_native(&id, &name);
	printf("processor %s %s\n", *id ? id : "-", name);
	while (file && fgets(line, sizeof(line), file)) {
		colon = strchr(line, ':');
		if (!colon || colon == line)
			break;
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
}

/* Whose /proc and /sys they are: a test's own. */
static const char *root = "";

static FILE *open_file(const char *path)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	return fopen(whole, "r");
}

/* The first line of a file, after NAME, if it has `only`; nothing if it can't be read. */
static void print_file(const char *name, const char *path, const char *only)
{
	FILE *file = open_file(path);
	char line[256];
	size_t length, i;

	if (!file)
		return;
	length = fread(line, 1, sizeof(line) - 1, file);
	fclose(file);
	/* A device tree's words end with zeros. */
	for (i = 0; i + 1 < length; i++)
		line[i] = line[i] ? line[i] : ' ';
	line[length] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (*line && (!only || strstr(line, only)))
		printf("%s %s\n", name, line);
}

static void print_cpuid_bit(void)
{
	FILE *file = open_file("/proc/cpuinfo");
	char line[8192];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, "flags", 5) == 0) {
			if (strstr(line, " hypervisor"))
				puts("virtual CPUID has the bit of hypervisors");
			break;
		}
	if (file)
		fclose(file);
}

/* A virtio device between the cores of a real machine. */
static bool is_rpmsg(const char *device)
{
	char path[512];
	unsigned int id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/device", device);
	file = fopen(path, "r");
	if (file && fscanf(file, "%x", &id) != 1)
		id = 0;
	if (file)
		fclose(file);
	return id == 7;
}

/* Those that hypervisors have, whoever made them. */
static void print_devices(const char *bus)
{
	char pattern[512];
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/sys/bus/%s/devices/*", root, bus);
	if (glob(pattern, 0, NULL, &found) != 0)
		return;
	for (i = 0; i < found.gl_pathc; i++)
		if (!is_rpmsg(found.gl_pathv[i])) {
			printf("virtual it has devices of %s\n", bus);
			break;
		}
	globfree(&found);
}

static void print_virtual(void)
{
	static const char *const makers[] = {
		"QEMU",	      "VMware",	   "VirtualBox",
		"Xen",	      "KVM",	   "Bochs",
		"Amazon EC2", "Google",	   "Virtual Machine",
		"Hetzner",    "Alibaba",   "Virtualization",
		"OpenStack",  "Parallels", "BHYVE",
	};
	unsigned int i;

	print_cpuid_bit();
	for (i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
		print_file("virtual", "/sys/class/dmi/id/sys_vendor", makers[i]);
		print_file("virtual", "/sys/class/dmi/id/product_name", makers[i]);
	}
	print_file("virtual", "/proc/device-tree/compatible", "virt");
	print_file("virtual", "/proc/device-tree/compatible", "qemu");
	print_file("virtual", "/proc/device-tree/hypervisor/compatible", NULL);
	print_file("virtual", "/sys/hypervisor/type", NULL);
	print_devices("virtio");
	print_devices("vmbus");
}

static void print_machine(void)
{
	struct utsname uname_of;

	print_processor();
	print_virtual();
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

/* ---- what counts ---- */

/*
 * The part that is verified: on a hybrid machine a core type, on whose processors it is bound; or
 * the driver, instead of perf_events.
 */
static struct part {
	const char *pmu; /* "": there is one type only */
	const char *id;	 /* of its table; NULL: this machine's */
	unsigned int home;
	cpu_set_t cpus;
	bool driver;
} part = { .pmu = "" };

struct counter {
	struct perfctr_set *set;
	struct perfctr_reader reader;
	struct vperfctr *self; /* the driver's, instead of a set */
	int fd;
};

/* An event in user mode, as this part has it: "NAME:u" or "PMU/NAME/u". */
static const char *event_here(const char *name, char text[256])
{
	snprintf(text, 256, *part.pmu ? "%s/%s/u" : "%s%s:u", part.pmu, name);
	return text;
}

/* A control of one counter, in user mode, by the processor's own name for a generic event. */
static bool make_control(struct vperfctr_control *control, const char *event)
{
	static const struct {
		const char *event, *name;
	} own[] = {
		{ "instructions", "INST_RETIRED:ANY_P:u" },
		{ "instructions", "INST_RETIRED:u" },
		{ "instructions", "INSTRUCTION_RETIRED:u" },
		{ "instructions", "INSTRUCTIONS_RETIRED:u" },
		{ "instructions", "RETIRED_INSTRUCTIONS:u" },
		{ "branches", "BR_INST_RETIRED:ALL_BRANCHES:u" },
		{ "branches", "BR_INST_RETIRED:u" },
		{ "branches", "BRANCH_INSTRUCTIONS_RETIRED:u" },
		{ "branches", "RETIRED_BRANCH_INSTRUCTIONS:u" },
		{ "branches", "BR_RETIRED:u" },
	};
	unsigned int i;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		memset(control, 0, sizeof(*control));
		control->flags = VPERFCTR_CONTROL_EXTENDED;
		if (strcmp(own[i].event, event) == 0 &&
		    perfctr_cpu_control_events(&control->cpu_control, own[i].name) == 1)
			return true;
	}
	return false;
}

static void close_counter(struct counter *counter)
{
	perfctr_set_close(counter->set);
	if (!counter->self)
		return;
	close(counter->fd);
	vperfctr_unlink(counter->self);
	vperfctr_close(counter->self);
}

static bool open_driver(struct counter *counter, const char *event)
{
	struct vperfctr_control control;

	if (!make_control(&control, event))
		return false;
	counter->self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER);
	if (!counter->self)
		return false;
	counter->fd = _vperfctr_open(0);
	if (counter->fd >= 0 && vperfctr_control(counter->self, &control) == 0)
		return true;
	close_counter(counter);
	return false;
}

/* Of an event's name without ":u". */
static bool open_counter(struct counter *counter, const char *event)
{
	char name[256];

	memset(counter, 0, sizeof(*counter));
	if (part.driver ? !open_driver(counter, event)
			: !(counter->set = perfctr_set_open(event_here(event, name), NULL, 0))) {
		printf("refused %s:u: %s\n", event, perfctr_error());
		return false;
	}
	if (counter->set && perfctr_set_reader(counter->set, 0, &counter->reader) < 0)
		printf("no-reader %s:u: %s\n", event, perfctr_error());
	return true;
}

/* Reads of this thread without its counter, which is pinned: somebody else had taken it. */
static _Thread_local unsigned int lost;

/* It counts again when there is room for it. */
static uint64_t lose(const struct counter *counter)
{
	lost++;
	if (counter->set)
		perfctr_set_enable(counter->set);
	return 0;
}

/* Whether a read was lost since this was asked last: what was measured with it is left out. */
static bool was_lost(unsigned int *left_out)
{
	bool was = lost > 0;

	*left_out += was;
	lost = 0;
	return was;
}

/* "lost WHAT MEASUREMENTS" */
static void print_lost(const char *what, const char *of, unsigned int left_out)
{
	if (left_out)
		printf("lost %s%s %u\n", what, of, left_out);
}

static uint64_t read_kernel(const struct counter *counter)
{
	struct perfctr_reading reading;
	struct perfctr_sum_ctrs sum;

	if (counter->self)
		return _vperfctr_read_sum(counter->fd, &sum) < 0 ? lose(counter) : sum.pmc[0];
	if (perfctr_set_read(counter->set, &reading) < 0 || reading.quality != PERFCTR_EXACT)
		return lose(counter);
	return reading.value;
}

static uint64_t read_inline(const struct counter *counter)
{
	uint64_t value;

	if (counter->self)
		return vperfctr_read_pmc(counter->self, 0);
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
	unsigned int n, exact, left_out;
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
	print_lost("count/", what, excess->left_out);
	if (!excess->n)
		return;
	qsort(excess->values, excess->n, sizeof(excess->values[0]), compare);
	printf("count %s %s:u %llu %u %u %lld %lld %lld\n", what, event,
	       (unsigned long long)expected, excess->n, excess->exact, (long long)excess->values[0],
	       (long long)excess->values[excess->n / 2], (long long)excess->values[excess->n - 1]);
}

/* What an empty measurement counts: the least of many, since whatever disturbs one adds to it. */
static uint64_t overhead(read_fn *read, const struct counter *counter, unsigned int *left_out)
{
	uint64_t least = UINT64_MAX, value;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		value = measure(read, counter, 1);
		if (!was_lost(left_out))
			least = value < least ? value : least;
	}
	return least;
}

/* A loop of n, of which so much is expected. */
static void count_loop(read_fn *read, const struct counter *counter, unsigned long n,
		       uint64_t expected, struct excess *excess)
{
	uint64_t value = measure(read, counter, n + 1);

	if (!was_lost(&excess->left_out))
		note(excess, (int64_t)(value - expected));
}

/* TRIALS loops of n, of which each iteration counts per_iteration; before each, between() is
 * called. */
static void count_loops(const char *what, const char *event, read_fn *read,
			const struct counter *counter, unsigned int per_iteration, unsigned long n,
			unsigned int trials, void (*between)(unsigned int i))
{
	uint64_t expected = per_iteration * (uint64_t)n, empty;
	struct excess excess = { 0 };
	unsigned int i;

	empty = overhead(read, counter, &excess.left_out);
	excess.values = calloc(trials, sizeof(excess.values[0]));
	for (i = 0; excess.values && i < trials; i++) {
		if (between)
			between(i);
		count_loop(read, counter, n, empty + expected, &excess);
	}
	print_excess(what, event, expected, &excess);
	free(excess.values);
}

static void verify_lengths(void)
{
	static const struct {
		const char *event;
		unsigned int per_iteration;
	} events[] = { { "instructions", 2 }, { "branches", 1 } };
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
		close_counter(&counter);
	}
}

/* ---- small pieces of code ---- */

/* "small LENGTH TRIALS MEDIAN P95 WORST": how many instructions inline reads of one are off. */
static void count_small(const struct counter *counter, uint64_t empty, unsigned int length,
			unsigned int trials)
{
	struct excess excess = { .values = calloc(trials, sizeof(excess.values[0])) };
	unsigned int i;

	for (i = 0; excess.values && i < trials; i++)
		count_loop(read_inline, counter, length / 2, empty + length, &excess);
	for (i = 0; i < excess.n; i++)
		excess.values[i] = excess.values[i] < 0 ? -excess.values[i] : excess.values[i];
	print_lost("small", "", excess.left_out);
	if (excess.n) {
		qsort(excess.values, excess.n, sizeof(excess.values[0]), compare);
		printf("small %u %u %lld %lld %lld\n", length, excess.n,
		       (long long)excess.values[excess.n / 2],
		       (long long)excess.values[excess.n * 95 / 100],
		       (long long)excess.values[excess.n - 1]);
	}
	free(excess.values);
}

static void verify_small(void)
{
	static const unsigned int lengths[] = { 10,    30,    100,    300,    1000,   3000,
						10000, 30000, 100000, 300000, 1000000 };
	struct counter counter;
	unsigned int i, left_out = 0;
	uint64_t empty;

	if (!open_counter(&counter, "instructions"))
		return;
	empty = overhead(read_inline, &counter, &left_out);
	print_lost("small", "", left_out);
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		count_small(&counter, empty, lengths[i],
			    (lengths[i] < 100000 ? 1001 : 101) / hurry);
	close_counter(&counter);
}

/* ---- among others ---- */

static void go_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void move(unsigned int i)
{
	unsigned int cpu, k = i % (unsigned int)CPU_COUNT(&part.cpus);

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &part.cpus) && k-- == 0)
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

	if (!open_counter(&counter, "instructions"))
		return NULL;
	empty = overhead(read_inline, &counter, &excess->left_out);
	for (i = 0; i < 51 / hurry; i++)
		count_loop(read_inline, &counter, 100000, empty + 200000, excess);
	close_counter(&counter);
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
		all.left_out += excess[i].left_out;
		free(excess[i].values);
	}
	print_excess("threads", "instructions", 200000, &all);
	free(all.values);
}

static void verify_among_others(void)
{
	struct counter counter;
	pid_t pid;

	verify_threads();
	if (!open_counter(&counter, "instructions"))
		return;
	pid = hog();
	if (pid > 0) {
		count_loops("beside", "instructions", read_inline, &counter, 2, 500000, 200 / hurry,
			    NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	} else {
		printf("refused beside: %s\n", strerror(errno));
	}
	/* The kernel reads: inline, another core type's processor may have fewer counters. */
	if (CPU_COUNT(&part.cpus) > 1)
		count_loops("moved", "instructions", read_kernel, &counter, 2, 50000, 200 / hurry,
			    move);
	go_to(part.home);
	close_counter(&counter);
}

/* ---- the two ways of reading ---- */

/* "order READS BACKWARDS FARTHEST": no read is less than one before it, whoever reads. */
static void verify_order(void)
{
	uint64_t before, kernel, after, farthest = 0;
	unsigned int i, n = 0, backwards = 0, left_out = 0;
	struct counter counter;

	if (!open_counter(&counter, "instructions"))
		return;
	for (i = 0; i < 20000 / hurry; i++) {
		before = read_inline(&counter);
		kernel = read_kernel(&counter);
		after = read_inline(&counter);
		if (was_lost(&left_out))
			continue;
		n++;
		backwards += before > kernel || kernel > after;
		farthest = after - before > farthest ? after - before : farthest;
	}
	print_lost("order", "", left_out);
	if (n)
		printf("order %u %u %llu\n", n, backwards, (unsigned long long)farthest);
	close_counter(&counter);
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

enum { EXPECTED = 100 };

/* Some thousands a second, which no kernel throttles; a hurry is an emulated processor's. */
static unsigned long period(void)
{
	return hurry > 1 ? 100003 : 1000003;
}

/* The function is shorter than what counts as its inside; what follows it is not executed here. */
static struct samples expect_samples(void)
{
	return (struct samples){ .from = (uintptr_t)marked_loop,
				 .to = (uintptr_t)marked_loop + 64 };
}

static void run_marked_loop(void)
{
	marked_loop((EXPECTED * period() + period() / 2) / 2);
}

/* "overflow EVENT PERIOD EXPECTED SAMPLES INSIDE THROTTLED LOST" */
static void print_samples(const struct samples *samples)
{
	printf("overflow instructions:u %lu %d %u %u %u %u\n", period(), EXPECTED, samples->n,
	       samples->inside, samples->throttled, samples->lost);
}

static void verify_overflow(void)
{
	struct perfctr_sampler_config config = { .period = period(),
						 .fields = PERF_SAMPLE_IP,
						 .flags = PERFCTR_DISABLED };
	struct samples samples = expect_samples();
	struct perfctr_sampler *sampler;
	char name[256];

	sampler = perfctr_sampler_open(event_here("instructions", name), NULL, &config);
	if (!sampler) {
		printf("refused overflow: %s\n", perfctr_error());
		return;
	}
	/* The buffer has room for all; what the kernel throttles, it says. */
	if (perfctr_sampler_enable(sampler) == 0) {
		run_marked_loop();
		perfctr_sampler_disable(sampler);
		perfctr_sampler_each(sampler, note_record, &samples);
	}
	print_samples(&samples);
	perfctr_sampler_close(sampler);
}

static struct vperfctr *self;
static struct samples signalled;

static uintptr_t program_counter(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.pc;
#else
	return (void)context, 0;
#endif
}

static void note_signal(int signo, siginfo_t *info, void *context)
{
	uintptr_t ip = program_counter(context);

	(void)signo;
	if (!vperfctr_ovf_mask(self, info))
		return;
	signalled.n++;
	signalled.inside += ip >= signalled.from && ip < signalled.to;
	vperfctr_iresume(self);
}

/* The same by the driver's i-mode counters, which are never throttled and lose nothing. */
static void verify_signals(void)
{
	struct sigaction action = { .sa_sigaction = note_signal, .sa_flags = SA_SIGINFO };
	struct vperfctr_control control;
	bool known = make_control(&control, "instructions");

	sigaction(SIGUSR1, &action, NULL);
	signalled = expect_samples();
	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER);
	control.si_signo = SIGUSR1;
	control.cpu_control.nractrs = 0;
	control.cpu_control.nrictrs = 1;
	control.cpu_control.ireset[0] = -(int)period();
#if defined(__i386__) || defined(__x86_64__)
	control.cpu_control.evntsel[0] |= 0x00100000; /* INT */
#endif
	if (known && self && vperfctr_control(self, &control) == 0) {
		run_marked_loop();
		vperfctr_stop(self);
		print_samples(&signalled);
	} else {
		printf("refused overflow: %s\n", perfctr_error());
	}
	if (self) {
		vperfctr_unlink(self);
		vperfctr_close(self);
	}
	signal(SIGUSR1, SIG_DFL);
}

/* ---- the table ---- */

/* Times round; none if there is no memory for it. */
static unsigned int rounds(unsigned int i)
{
	if ((works[i].run == work_far && !far_lines) || (works[i].run == work_pages && !pages))
		return 0;
	return works[i].rounds / hurry;
}

static unsigned int taken, refused;

/*
 * Count the works: three times each, in a hurry twice; the least and by how much the greatest is
 * more. Every read is held against those before it; the number of those that are less.
 */
static unsigned int count_works(const struct counter *counter, uint64_t least[NWORKS],
				uint64_t spread[NWORKS], unsigned int *left_out)
{
	uint64_t before, after, kernel, most;
	unsigned int i, k, backwards = 0;

	for (i = 0; i < NWORKS; i++) {
		least[i] = UINT64_MAX;
		most = 0;
		for (k = 0; k < (hurry > 1 ? 2 : 3); k++) {
			before = read_inline(counter);
			works[i].run(rounds(i));
			after = read_inline(counter);
			kernel = read_kernel(counter);
			if (was_lost(left_out))
				continue;
			if (before > after || after > kernel) {
				backwards++;
				continue;
			}
			after -= before;
			least[i] = after < least[i] ? after : least[i];
			most = after > most ? after : most;
		}
		if (least[i] > most)
			least[i] = most;
		spread[i] = most - least[i];
	}
	return backwards;
}

/* "event NAME LEAST[+SPREAD]..." of each work; or "lost", or "refused NAME: why". */
static int verify_event(void *arg, const struct perfctr_event_name *event)
{
	uint64_t least[NWORKS], spread[NWORKS];
	struct counter counter = { 0 };
	unsigned int i, backwards, left_out = 0;
	char name[256];

	(void)arg;
	counter.set = perfctr_set_open(event_here(event->name, name), NULL, 0);
	if (!counter.set) {
		printf("refused %s:u: %s\n", event->name, perfctr_error());
		refused++;
		return 0;
	}
	taken++;
	/* Those that can't be read inline are many: they are read by the kernel, silently. */
	perfctr_set_reader(counter.set, 0, &counter.reader);
	backwards = count_works(&counter, least, spread, &left_out);
	close_counter(&counter);
	if (left_out) {
		print_lost(event->name, ":u", left_out);
		return 0;
	}
	printf("event %s:u", event->name);
	for (i = 0; i < NWORKS; i++) {
		printf(" %llu", (unsigned long long)least[i]);
		if (spread[i])
			printf("+%llu", (unsigned long long)spread[i]);
	}
	putchar('\n');
	if (backwards)
		printf("backwards %s:u %u\n", event->name, backwards);
	return 0;
}

/* "works NAME...", "rounds N...", and "ns NS...": the longest of three, which cycles are held
 * against. */
static void print_works(void)
{
	double longest, t;
	unsigned int i, k;

	printf("works");
	for (i = 0; i < NWORKS; i++)
		printf(" %s", works[i].name);
	printf("\nrounds");
	for (i = 0; i < NWORKS; i++)
		printf(" %u", rounds(i));
	printf("\nns");
	for (i = 0; i < NWORKS; i++) {
		longest = 0;
		for (k = 0; k < 3; k++) {
			t = now();
			works[i].run(rounds(i));
			t = now() - t;
			longest = t > longest ? t : longest;
		}
		printf(" %.0f", longest);
	}
	putchar('\n');
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

	print_works();
	for (i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
		event.name = generic[i];
		verify_event(NULL, &event);
	}
	taken = refused = 0;
	if (part.id && !*part.id)
		puts("no-table the library knows none of this core type");
	else if (perfctr_cpu_event_list(part.id, verify_event, NULL) < 0)
		printf("no-table %s\n", perfctr_error());
	else
		printf("table %u %u\n", taken, refused);
}

/* ---- costs ---- */

static struct counter costing;
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
	unsigned int i, k, n = 0, left_out = 0;
	uint64_t before;
	double t;

	for (i = 0; i < BATCHES / hurry; i++) {
		before = read_inline(&costing);
		t = now();
		for (k = 0; k < CALLS_EACH; k++)
			call();
		ns[n] = (int64_t)(now() - t);
		instructions[n] = (int64_t)(read_inline(&costing) - before);
		n += !was_lost(&left_out);
	}
	print_lost("cost", "", left_out);
	if (!n)
		return;
	qsort(ns, n, sizeof(ns[0]), compare);
	qsort(instructions, n, sizeof(ns[0]), compare);
	printf("cost %s %.1f %.1f\n", what, (double)ns[n / 2] / CALLS_EACH,
	       (double)instructions[n / 2] / CALLS_EACH);
}

/* Beside a counter that measures it: a state has its thread's only. */
static void cost_of_state(void)
{
	struct vperfctr_control control;

	make_control(&control, "instructions");
	control.cpu_control.tsc_on = 1;
	self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF);
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
}

static void verify_costs(void)
{
	const char *id, *name;

	if (!open_counter(&costing, "instructions"))
		return;
	cost("nothing", cost_nothing);
	cost("inline", cost_inline);
	cost("kernel", cost_kernel);
	close_counter(&costing);
	if (part.driver || !open_counter(&costing, "instructions"))
		return;
	/* A control is one of the native type. */
	perfctr_cpu_native(&id, &name);
	if (!part.id || strcmp(part.id, id) == 0)
		cost_of_state();
	cost("region-inert", cost_region);
	if (perfctr_regions_start("", 0) == 0)
		cost("region-time", cost_region);
	perfctr_regions_stop();
	close_counter(&costing);
}

/* ---- all of it ---- */

static void verify_counts(void)
{
	verify_lengths();
	verify_small();
	verify_order();
	if (part.driver)
		verify_signals();
	else
		verify_overflow();
	verify_among_others();
	verify_costs();
}

static void verify_perf(void)
{
	verify_counts();
	verify_table();
}

/* The same on each core type, bound to its processors: "part PMU ID CPUS". */
static void verify_types(const struct perfctr_pmu *pmus, int n)
{
	const struct part whole = part;
	struct perfctr_cpu cpu;
	char cpus[4096];
	unsigned int k;
	int i;

	for (i = 0; i < n; i++) {
		part = whole;
		part.pmu = pmus[i].name;
		part.id = perfctr_core_table(&pmus[i], &cpu) ? cpu.id : "";
		perfctr_pmu_cpus(&pmus[i], cpus, sizeof(cpus));
		printf("part %s %s %s\n", part.pmu, *part.id ? part.id : "none", cpus);
		for (k = 0; k < CPU_SETSIZE; k++)
			if (CPU_ISSET(k, &part.cpus) && !perfctr_pmu_has_cpu(&pmus[i], k))
				CPU_CLR(k, &part.cpus);
		for (k = CPU_SETSIZE; k--;)
			if (CPU_ISSET(k, &part.cpus))
				part.home = k;
		if (!CPU_COUNT(&part.cpus)) {
			puts("no-processor this program may run on none of them");
			continue;
		}
		go_to(part.home);
		verify_perf();
	}
	part = whole;
	sched_setaffinity(0, sizeof(part.cpus), &part.cpus);
}

/* An event that all core types have, wherever the thread goes. */
static void verify_all_types(void)
{
	struct counter counter;

	if (!open_counter(&counter, "instructions"))
		return;
	if (CPU_COUNT(&part.cpus))
		count_loops("moved", "instructions", read_kernel, &counter, 2, 50000, 200 / hurry,
			    move);
	close_counter(&counter);
}

/* On a hybrid machine the driver's counters are those of one core type. */
static void verify_driver(bool hybrid)
{
	part.driver = true;
	if (hybrid) {
		CPU_ZERO(&part.cpus);
		CPU_SET(part.home, &part.cpus);
	}
	puts("part driver");
	if (access("/dev/perfctr", R_OK | W_OK) == 0)
		verify_counts();
	else
		printf("no-driver %s\n", strerror(errno));
}

/* A processor of the native type; any if there is only one. */
static unsigned int find_home(const struct perfctr_pmu *pmus, int n)
{
#if defined(__i386__) || defined(__x86_64__)
	unsigned int k;

	for (k = 0; n > 1 && k < CPU_SETSIZE; k++)
		if (CPU_ISSET(k, &part.cpus) && perfctr_pmu_has_cpu(&pmus[0], k))
			return k;
#else
	(void)pmus;
	if (n > 1 && CPU_ISSET(0, &part.cpus))
		return 0;
#endif
	return (unsigned int)sched_getcpu();
}

int main(int argc, char **argv)
{
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	struct perfctr_set *set;
	int n;

	if (argc > 2 && strcmp(argv[1], "virtual") == 0) {
		root = argv[2];
		print_virtual();
		return 0;
	}
	if (argc > 1 && strcmp(argv[1], "quick") == 0)
		hurry = 10;
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("libperfctr-verify 2 " PACKAGE_VERSION);
	print_machine();
#ifndef LOOP_IS_KNOWN
	puts("nothing: no loop of known length has been written for this architecture");
	return 77;
#endif
	/* By the name of a set: the driver may have the counters, and is verified by itself. */
	set = perfctr_set_open("instructions:u", NULL, 0);
	if (!set) {
		printf("nothing: %s\n", perfctr_error());
		return 77;
	}
	perfctr_set_close(set);
	/* Of more processors than a set has room for, those are left out that it has none for. */
	if (sched_getaffinity(0, sizeof(part.cpus), &part.cpus) < 0)
		printf("no-affinity %s\n", strerror(errno));
	n = perfctr_core_pmus(pmus);
	part.home = find_home(pmus, n);
	make_memory(FAR / hurry);
	if (n > 1) {
		printf("types %d\n", n);
		verify_all_types();
		verify_types(pmus, n);
	} else {
		go_to(part.home);
		verify_perf();
	}
	go_to(part.home);
	if (access("/dev/perfctr", F_OK) == 0)
		verify_driver(n > 1);
	puts("end");
	return 0;
}
