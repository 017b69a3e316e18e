// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measures the cost of a set on N threads, with N events, on N processors: N, 2N and 4N of them, in
 * instructions and in system calls. The threads are files of a made-up /proc, the processors a line
 * of a made-up sysfs, and the events numbers: the linker sends the library's calls for them here.
 * scale.sh runs this under callgrind, and says what comes of it: a dump per operation, and a line
 * "WHAT N OPERATION CALLS", in the order of the dumps.
 */
#include <alloca.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <valgrind/callgrind.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "tests/harness/root.h"

/* ---- the made-up events ---- */

#define FIRST  100000 /* the first event's descriptor */
#define EVENTS 20000

static unsigned int calls; /* of all kinds, the made-up ones and those on files */
static int nevents;
static int leader[EVENTS];
static unsigned int members[EVENTS];

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_openat(int directory, const char *path, int flags, ...);
int __wrap_openat(int directory, const char *path, int flags, ...);
int __wrap_openat64(int directory, const char *path, int flags, ...);

static int open_event(int group)
{
	if (nevents == EVENTS)
		abort();
	leader[nevents] = group < 0 ? nevents : group - FIRST;
	members[nevents] = 0;
	members[leader[nevents]]++;
	return FIRST + nevents++;
}

/* Of a group, as PERFCTR_READ_FORMAT has it: each has counted 7. */
static long read_event(int fd, uint64_t *words, size_t size)
{
	unsigned int i, n = members[fd - FIRST];

	if (size < (3 + n) * sizeof(*words))
		abort();
	words[0] = n;
	words[1] = words[2] = 1000;
	for (i = 0; i < n; i++)
		words[3 + i] = 7;
	return (long)((3 + n) * sizeof(*words));
}

long __wrap_syscall(long number, ...)
{
	unsigned long a[6];
	unsigned int i;
	va_list args;

	calls++;
	va_start(args, number);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(args, unsigned long);
	va_end(args);
	if (number == SYS_perf_event_open)
		return open_event((int)a[3]);
	if (number == SYS_read && (int)a[0] >= FIRST)
		return read_event((int)a[0], (uint64_t *)a[1], a[2]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	unsigned long argument;
	va_list args;

	calls++;
	va_start(args, request);
	argument = va_arg(args, unsigned long);
	va_end(args);
	if (fd < FIRST)
		return __real_ioctl(fd, request, argument);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)argument = (uint64_t)fd;
	return 0;
}

int __wrap_close(int fd)
{
	calls++;
	return fd >= FIRST ? 0 : __real_close(fd);
}

int __wrap_openat(int directory, const char *path, int flags, ...)
{
	calls++;
	return __real_openat(directory, path, flags);
}

int __wrap_openat64(int directory, const char *path, int flags, ...)
{
	calls++;
	return __real_openat(directory, path, flags);
}

/* ---- measuring ---- */

/* What a set is opened with; each is to read n times so much. */
struct scale {
	const char *what, *events;
	const struct perfctr_target *target;
	unsigned int flags, n;
};

static void end_measure(const struct scale *scale, const char *operation, unsigned int before)
{
	unsigned int made = calls - before;

	CALLGRIND_DUMP_STATS;
	printf("%s %u %s %u\n", scale->what, scale->n, operation, made);
}

static void measure(const struct scale *scale, bool silent)
{
	struct perfctr_reading *readings;
	struct perfctr_set *set;
	unsigned int before = calls, i;
	uint64_t sum = 0;

	nevents = 0;
	CALLGRIND_ZERO_STATS;
	set = perfctr_set_open(scale->events, scale->target, scale->flags);
	if (!set) {
		puts(perfctr_error());
		exit(1);
	}
	if (!silent)
		end_measure(scale, "open", before);
	readings = calloc(perfctr_set_size(set), sizeof(*readings));
	before = calls;
	CALLGRIND_ZERO_STATS;
	if (perfctr_set_read(set, readings) < 0) {
		puts(perfctr_error());
		exit(1);
	}
	if (!silent)
		end_measure(scale, "read", before);
	for (i = 0; i < perfctr_set_size(set); i++)
		sum += readings[i].value;
	if (sum != (uint64_t)scale->n * 7)
		abort();
	free(readings);
	before = calls;
	CALLGRIND_ZERO_STATS;
	perfctr_set_close(set);
	if (!silent)
		end_measure(scale, "close", before);
}

/* Once before, lest symbols that are bound at the first call count. */
static void measure_all(const struct scale *scale, void (*make)(unsigned int n))
{
	struct scale one = *scale;
	unsigned int k;

	for (k = 0; k < 4; k++) {
		one.n = scale->n << (k ? k - 1 : 0);
		make(one.n);
		if (!scale->events)
			one.events = getenv("EVENTS");
		measure(&one, k == 0);
	}
}

/*
 * The least of several depths of the stack counts: a string that the end of a page divides, where
 * the environment's length decides, takes the C library's functions some instructions more, as does
 * memory that is put in order now and then.
 */
static void measure_deeper(const struct scale *scale, unsigned int depth)
{
	char *space = alloca(depth * 464 + 1);

	__asm__ volatile("" : : "r"(space) : "memory");
	measure(scale, depth == 0);
}

static void make_threads(unsigned int n)
{
	static unsigned int made;
	char path[64], line[64];

	while (made < n) {
		made++;
		snprintf(path, sizeof(path), "/proc/self/task/%u/stat", made);
		snprintf(line, sizeof(line), "%u (thread) S 1", made);
		root_line(path, line);
	}
}

static void make_cpus(unsigned int n)
{
	char line[64];

	snprintf(line, sizeof(line), "0-%u", n - 1);
	root_line("/sys/devices/system/cpu/online", line);
}

static void make_events(unsigned int n)
{
	char *list = malloc(n * 13), *end = list;
	unsigned int i;

	for (i = 0; i < n; i++)
		end += sprintf(end, "%spage-faults", i ? "," : "");
	setenv("EVENTS", list, 1);
	free(list);
}

int main(void)
{
	const struct perfctr_target process = { .type = PERFCTR_TARGET_PROCESS },
				    cpus = { .type = PERFCTR_TARGET_CPU, .id = -1 };
	const struct scale scales[] = {
		{ "threads", "page-faults", &process, PERFCTR_INHERIT, 500 },
		{ "processors", "page-faults", &cpus, 0, 128 },
		{ "events", NULL, NULL, 0, 250 },
		{ "one", "page-faults:u", NULL, 0, 1 },
	};

	unsigned int k;

	setvbuf(stdout, NULL, _IOLBF, 0);
	root_make();
	make_cpus(1);
	measure_all(&scales[0], make_threads);
	measure_all(&scales[1], make_cpus);
	measure_all(&scales[2], make_events);
	for (k = 0; k < 9; k++)
		measure_deeper(&scales[3], k);
	root_remove();
	return 0;
}
