// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How small may a piece of code be? Measures pieces of known length by regions, by inline reads and
 * as others do it, while no, one and two other threads are busy, where instructions are counted
 * exactly (tests/vm). Prints Markdown tables of the relative error in percent: its median, its 95th
 * percentile and the largest, or one number if the three are the same; each the largest of the
 * three loads. Fails if a region or an inline read is off by more than 1 % from 100 instructions
 * on. -DUSE_PAPI is the same for PAPI alone, without the head of the table. BENCH_LONG in the
 * environment: more visits.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>
#include "tests/harness/guest.h"
#ifdef USE_PAPI
#include <papi.h>
#endif

/* Exactly n instructions: 2 to begin with, and a loop of 2. Or none, for the reads' own. */
#if defined(__aarch64__)
#define PIECE(n)                                                                 \
	do {                                                                     \
		unsigned long left_;                                             \
		__asm__ volatile("movz %w0, %1; movk %w0, %2, lsl 16;"           \
				 "1: subs %w0, %w0, #1; b.ne 1b"                 \
				 : "=&r"(left_)                                  \
				 : "i"(((n)-2) / 2 & 0xFFFF), "i"(((n)-2) >> 17) \
				 : "cc");                                        \
	} while (0)
#else
#define PIECE(n)                                                      \
	do {                                                          \
		unsigned int left_;                                   \
		__asm__ volatile("nop; mov %1, %0; 1: dec %0; jnz 1b" \
				 : "=&r"(left_)                       \
				 : "i"(((n)-2) / 2)                   \
				 : "cc");                             \
	} while (0)
#endif
#define NO_PIECE                                             \
	do {                                                 \
		unsigned long left_;                         \
		__asm__ volatile("" : "=r"(left_) : : "cc"); \
	} while (0)

/* LENGTHS(M, way): M(way, length) of each. */
#define LENGTHS(M, way) \
	M(way, 10)      \
	M(way, 30)      \
	M(way, 100)     \
	M(way, 300)     \
	M(way, 1000)    \
	M(way, 3000) M(way, 10000) M(way, 30000) M(way, 100000) M(way, 300000) M(way, 1000000)

enum { NLENGTHS = 11, LOADS = 3, MOST_VISITS = 1000 };

/* A piece's count by a way, and the count of nothing. */
struct visits {
	uint64_t (*nothing)(void);
	struct {
		unsigned int length;
		uint64_t (*count)(void);
	} piece[NLENGTHS];
};

/*
 * Functions way_10() and so on, of one shape, so that the compiler makes one code of them: what is
 * known of the reads with nothing between holds for all.
 */
#define COUNT_PIECE(way, n)                                       \
	static __attribute__((noinline)) uint64_t way##_##n(void) \
	{                                                         \
		way##_begin();                                    \
		PIECE(n);                                         \
		return way##_end();                               \
	}
#define ENTRY(way, n) { n, way##_##n },
#define DEFINE_VISITS(way)                                            \
	static __attribute__((noinline)) uint64_t way##_nothing(void) \
	{                                                             \
		way##_begin();                                        \
		NO_PIECE;                                             \
		return way##_end();                                   \
	}                                                             \
	LENGTHS(COUNT_PIECE, way)                                     \
	static const struct visits way##_visits = { way##_nothing, { LENGTHS(ENTRY, way) } };

static void fail(const char *what)
{
	printf("%s\n", what);
	exit(1);
}

#ifndef USE_PAPI

/* ---- regions ---- */

PERFCTR_REGION(region, "region");
static struct perfctr_region raw = { "raw", 1, 0, NULL }; /* nobody calibrates it */

static uint64_t sums[2]; /* of the regions, so far */

/* The count of the visits since the last call. */
static uint64_t visited(const struct perfctr_region *which)
{
	uint64_t *sum = &sums[which == &raw], counted = *sum;
	struct perfctr_region_reading reading;

	if (perfctr_region_read(which, &reading) < 0)
		fail(perfctr_error());
	*sum = reading.value[1].inclusive;
	return *sum - counted;
}

static inline void region_begin(void)
{
	perfctr_region_begin(&region);
}

static inline uint64_t region_end(void)
{
	perfctr_region_end(&region);
	return visited(&region);
}

static inline void raw_begin(void)
{
	perfctr_region_begin(&raw);
}

static inline uint64_t raw_end(void)
{
	perfctr_region_end(&raw);
	return visited(&raw);
}

DEFINE_VISITS(region)
DEFINE_VISITS(raw)

static void start_regions(void)
{
	sums[0] = sums[1] = 0;
	if (perfctr_regions_start("instructions:u", 0) < 0)
		fail(perfctr_error());
}

static void stop_regions(void)
{
	perfctr_regions_stop();
}

/* ---- inline reads ---- */

static struct perfctr_set *set;
static struct perfctr_reader reader;
static uint64_t before, after;

static inline void read_begin(void)
{
	perfctr_reader_read(&reader, &before);
}

static inline uint64_t read_end(void)
{
	perfctr_reader_read(&reader, &after);
	return after - before;
}

static inline void ordered_begin(void)
{
	perfctr_reader_read_ordered(&reader, &before);
}

static inline uint64_t ordered_end(void)
{
	perfctr_reader_read_ordered(&reader, &after);
	return after - before;
}

DEFINE_VISITS(read)
DEFINE_VISITS(ordered)

static void open_reader(void)
{
	set = perfctr_set_open("instructions:u", NULL, 0);
	if (!set || perfctr_set_reader(set, 0, &reader) < 0)
		fail(perfctr_error());
}

static void close_reader(void)
{
	perfctr_set_close(set);
}

/* ---- as others do it ---- */

static int event_open(uint64_t config, int leader, bool user_only, uint64_t read_format)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.read_format = read_format,
		.disabled = leader < 0,
		.exclude_kernel = user_only,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	if (fd < 0)
		fail(strerror(errno));
	return fd;
}

static void read_event(int fd, void *values, size_t size)
{
	if (read(fd, values, size) < 0)
		fail(strerror(errno));
}

/*
 * A group, as perf-cpp's EventCounter has one: reset, enable and read its leader; read, and
 * disable it.
 */
struct group_values {
	uint64_t n, enabled, running;
	struct {
		uint64_t value, id;
	} event[8];
};

static int group[2];
static struct group_values group_before, group_after;

static inline void group_begin(void)
{
	ioctl(group[0], PERF_EVENT_IOC_RESET, 0);
	ioctl(group[0], PERF_EVENT_IOC_ENABLE, 0);
	read_event(group[0], &group_before, sizeof(group_before));
}

static inline uint64_t group_end(void)
{
	read_event(group[0], &group_after, sizeof(group_after));
	ioctl(group[0], PERF_EVENT_IOC_DISABLE, 0);
	return group_after.event[0].value - group_before.event[0].value;
}

DEFINE_VISITS(group)

static void open_group_of(bool user_only)
{
	const uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
				PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;

	group[0] = event_open(PERF_COUNT_HW_INSTRUCTIONS, -1, user_only, format);
	group[1] = event_open(PERF_COUNT_HW_CPU_CYCLES, group[0], user_only, format);
}

static void open_group(void)
{
	open_group_of(false);
}

static void open_group_user(void)
{
	open_group_of(true);
}

static void close_group(void)
{
	close(group[1]);
	close(group[0]);
}

/*
 * Events one by one, as PerfEvent.hpp has them: each is reset, enabled and read; then each read
 * and disabled. Three of its seven, which all these processors have.
 */
struct event_values {
	uint64_t value, enabled, running, id;
};

enum { EVENTS = 3 };

static int event[EVENTS];
static struct event_values event_before[EVENTS], event_after[EVENTS];

static inline void events_begin(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++) {
		ioctl(event[i], PERF_EVENT_IOC_RESET, 0);
		ioctl(event[i], PERF_EVENT_IOC_ENABLE, 0);
		read_event(event[i], &event_before[i], sizeof(event_before[i]));
	}
}

static inline uint64_t events_end(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++) {
		read_event(event[i], &event_after[i], sizeof(event_after[i]));
		ioctl(event[i], PERF_EVENT_IOC_DISABLE, 0);
	}
	return event_after[2].value - event_before[2].value;
}

DEFINE_VISITS(events)

static void open_events_of(bool user_only)
{
	static const uint64_t config[EVENTS] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_CPU_CYCLES,
						 PERF_COUNT_HW_INSTRUCTIONS };
	const uint64_t format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
				PERF_FORMAT_TOTAL_TIME_RUNNING;
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		event[i] = event_open(config[i], -1, user_only, format);
}

static void open_events(void)
{
	open_events_of(false);
}

static void open_events_user(void)
{
	open_events_of(true);
}

static void close_events(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		close(event[i]);
}

#else

/* ---- PAPI ---- */

static int papi_set = PAPI_NULL;
static long long papi_before, papi_after;

static inline void papi_read_begin(void)
{
	PAPI_read(papi_set, &papi_before);
}

static inline uint64_t papi_read_end(void)
{
	PAPI_read(papi_set, &papi_after);
	return (uint64_t)(papi_after - papi_before);
}

static inline void papi_start_begin(void)
{
	PAPI_start(papi_set);
}

static inline uint64_t papi_start_end(void)
{
	PAPI_stop(papi_set, &papi_after);
	return (uint64_t)papi_after;
}

DEFINE_VISITS(papi_read)
DEFINE_VISITS(papi_start)

static void open_papi(void)
{
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		fail("PAPI does not start");
	if (PAPI_create_eventset(&papi_set) != PAPI_OK ||
	    (PAPI_add_named_event(papi_set, "PAPI_TOT_INS") != PAPI_OK &&
	     PAPI_add_named_event(papi_set, "perf::INSTRUCTIONS:u") != PAPI_OK))
		fail("PAPI does not count instructions here");
}

static void open_papi_started(void)
{
	long long value;

	open_papi();
	/* Once before the measurement. */
	if (PAPI_start(papi_set) != PAPI_OK || PAPI_read(papi_set, &value) != PAPI_OK || !value)
		fail("PAPI counts no instructions here");
}

static void close_papi(void)
{
	PAPI_cleanup_eventset(papi_set);
	PAPI_destroy_eventset(&papi_set);
}

static void close_papi_started(void)
{
	long long value;

	PAPI_stop(papi_set, &value);
	close_papi();
}

#endif

/* ---- measuring ---- */

static const struct way {
	const char *name;
	void (*open)(void);
	const struct visits *visits;
	void (*close)(void);
	bool subtract; /* what the way counts of nothing */
	bool small;    /* it must be right from 100 instructions on */
} ways[] = {
#ifdef USE_PAPI
	{ "`PAPI_read()` before and after", open_papi_started, &papi_read_visits,
	  close_papi_started, false, false },
	{ "`PAPI_start()` and `PAPI_stop()`", open_papi, &papi_start_visits, close_papi, false,
	  false },
#else
	{ "a region", start_regions, &region_visits, stop_regions, false, true },
	{ "a region, not calibrated", start_regions, &raw_visits, stop_regions, false, false },
	{ "`perfctr_reader_read()`, less what two count of nothing", open_reader, &read_visits,
	  close_reader, true, true },
	{ "`perfctr_reader_read()` before and after", open_reader, &read_visits, close_reader,
	  false, false },
	{ "`perfctr_reader_read_ordered()`, less what two count of nothing", open_reader,
	  &ordered_visits, close_reader, true, true },
	{ "a group, as perf-cpp's, user mode", open_group_user, &group_visits, close_group, false,
	  false },
	{ "a group, as perf-cpp's, with the kernel", open_group, &group_visits, close_group, false,
	  false },
	{ "events, as PerfEvent.hpp's, user mode", open_events_user, &events_visits, close_events,
	  false, false },
	{ "events, as PerfEvent.hpp's, with the kernel", open_events, &events_visits, close_events,
	  false, false },
#endif
};

struct error {
	double median, p95, worst; /* in percent */
};

static bool is_long;

static int compare(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return (d > 0) - (d < 0);
}

/* How often a piece is measured. */
static unsigned int number_of_visits(unsigned int length)
{
	if (is_long)
		return length < 100000 ? MOST_VISITS : 100;
	return length < 100000 ? 40 : length == 100000 ? 20 : length == 300000 ? 8 : 4;
}

static struct error measure(uint64_t (*count)(void), unsigned int length, uint64_t nothing)
{
	static double off[MOST_VISITS];
	unsigned int i, n = number_of_visits(length);
	int64_t wrong;

	count(); /* pages are there then, and regions known */
	for (i = 0; i < n; i++) {
		wrong = (int64_t)(count() - nothing - length);
		off[i] = 100.0 * (double)(wrong < 0 ? -wrong : wrong) / length;
	}
	qsort(off, n, sizeof(off[0]), compare);
	return (struct error){ off[n / 2], off[n * 95 / 100], off[n - 1] };
}

/* The least of some: a tick may fall into one. */
static uint64_t count_nothing(const struct way *way)
{
	uint64_t least = UINT64_MAX, found;
	unsigned int i;

	for (i = 0; way->subtract && i < 20; i++) {
		found = way->visits->nothing();
		if (found < least)
			least = found;
	}
	return way->subtract ? least : 0;
}

/*
 * A read that an interrupt falls into begins again, by instructions of its own: a series with a
 * single one of these is measured again.
 */
static struct error measure_small(const struct way *way, unsigned int k)
{
	unsigned int length = way->visits->piece[k].length, tries = 3;
	struct error found;

	do
		found = measure(way->visits->piece[k].count, length, count_nothing(way));
	while (way->small && found.p95 == 0 && found.worst * length / 100 <= 20 &&
	       found.worst > 0 && --tries);
	return found;
}

static int measure_way(const struct way *way, struct error *largest)
{
	int failed = 0;
	unsigned int k;

	way->open();
	for (k = 0; k < NLENGTHS; k++) {
		unsigned int length = way->visits->piece[k].length;
		struct error found = measure_small(way, k);

		if (found.median > largest[k].median)
			largest[k].median = found.median;
		if (found.p95 > largest[k].p95)
			largest[k].p95 = found.p95;
		if (found.worst > largest[k].worst)
			largest[k].worst = found.worst;
		if (way->small && length >= 100 && found.worst > 1) {
			printf("%s, %u instructions: off by %.1f %%\n", way->name, length,
			       found.worst);
			failed = 1;
		}
	}
	way->close();
	return failed;
}

/* ---- the table ---- */

static void print_number(double number)
{
	if (number == 0)
		printf("0");
	else
		printf(number < 0.01 ? "%.4f" : number < 1 ? "%.2f" : "%.0f", number);
}

static void print_cell(const struct error *error)
{
	printf(" ");
	print_number(error->median);
	if (error->median != error->p95 || error->p95 != error->worst) {
		printf("; ");
		print_number(error->p95);
		printf("; ");
		print_number(error->worst);
	}
	printf(" |");
}

#ifndef USE_PAPI
static void print_head(const struct visits *visits)
{
	unsigned int k;

#ifdef __aarch64__
	printf("| a piece on arm64 |");
#else
	printf("| a piece on x86-64 |");
#endif
	for (k = 0; k < NLENGTHS; k++)
		printf(" %u |", visits->piece[k].length);
	printf("\n| --- |");
	for (k = 0; k < NLENGTHS; k++)
		printf(" ---: |");
	printf("\n");
}
#endif

static volatile bool at_work = true;

static void *be_busy(void *arg)
{
	while (at_work)
		loop(1000);
	return arg;
}

int main(void)
{
	static struct error largest[sizeof(ways) / sizeof(ways[0])][NLENGTHS];
	unsigned int i, k, load;
	pthread_t thread[LOADS];
	int failed = 0;

	is_long = getenv("BENCH_LONG") != NULL;
	for (load = 0; load < LOADS; load++) {
		for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
			failed |= measure_way(&ways[i], largest[i]);
		if (pthread_create(&thread[load], NULL, be_busy, NULL) != 0)
			fail("there is no thread");
	}
	at_work = false;
	for (load = 0; load < LOADS; load++)
		pthread_join(thread[load], NULL);
#ifndef USE_PAPI
	print_head(&region_visits);
#endif
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		printf("| %s |", ways[i].name);
		for (k = 0; k < NLENGTHS; k++)
			print_cell(&largest[i][k]);
		printf("\n");
	}
	return failed;
}
