/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perfctr/regions.h - measures named parts of a program: how often each thread was in them, and its
 * counts there. perfctr_region_begin(3) is the page.
 *
 *	PERFCTR_REGION(solve, "solve");
 *
 *	perfctr_region_begin(&solve);
 *	...
 *	perfctr_region_end(&solve);
 *
 * A program that is not measured executes a load, a comparison and a branch in each. It is measured
 * if the environment variable PERFCTR_REGIONS names events, or after perfctr_regions_start().
 *
 * Regions belong to the thread that began them, and nest. Each thread has counters of its own,
 * opened at its first region. Begin and end are async-signal-safe for a region that the thread has
 * been in before; its first visit may allocate memory. A child of fork() is measured as a process
 *of its own if the environment began the measuring, otherwise not.
 */
#ifndef PERFCTR_REGIONS_H
#define PERFCTR_REGIONS_H

#include <libperfctr.h>

#ifdef __cplusplus
/* What is inline is C, and has its casts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A region, made by PERFCTR_REGION(). Regions of one name are one region, wherever they are. */
struct perfctr_region {
	const char *name;	 /* up to 127 bytes count */
	unsigned int id;	 /* the library's; 1: not visited yet */
	unsigned int overlaps;	 /* not 0: regions begun within it go on when it ends */
	void (*calibrate)(void); /* perfctr_region_calibrate() of the file */
};

/*
 * The library's functions. NULL: nothing is measured. They get the address of a region's id, which
 * is never the first of a file's variables: on arm64 that would have a shorter way to its address.
 */
struct perfctr_region_ways {
	void (*begin)(unsigned int *id);
	void (*end)(unsigned int *id);
};
extern struct perfctr_region_ways perfctr_region_ways;

/*
 * This has no instructions, but 17 lines, so that compilers consider it too long to be copied. The
 * code around each begin and end is then the same, and its cost can be calibrated: no jump is
 * replaced by a copy of its target, nor the call by a jump.
 */
#define PERFCTR_REGION_SAME() __asm__ __volatile__("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n")

/* Atomic; but compilers take another way to an atomic's address, here and there. */
#if defined(__SANITIZE_THREAD__)
#define PERFCTR_REGION_WAY(which) __atomic_load_n(&perfctr_region_ways.which, __ATOMIC_RELAXED)
#else
#define PERFCTR_REGION_WAY(which) \
	(*(void (*volatile *)(unsigned int *)) & perfctr_region_ways.which)
#endif

static __inline__ void perfctr_region_begin(struct perfctr_region *region)
{
	void (*begin)(unsigned int *);

	PERFCTR_REGION_SAME();
	begin = PERFCTR_REGION_WAY(begin);
	if (__builtin_expect(begin != NULL, 0))
		begin(&region->id);
	PERFCTR_REGION_SAME();
}

/*
 * Ends the last visit that has not ended. Regions begun within it, and not ended, are left without
 * being counted, as longjmp(3) leaves them. Nothing happens if the thread is not in the region; the
 * report says how often that was.
 */
static __inline__ void perfctr_region_end(struct perfctr_region *region)
{
	void (*end)(unsigned int *);

	PERFCTR_REGION_SAME();
	end = PERFCTR_REGION_WAY(end);
	if (__builtin_expect(end != NULL, 0))
		end(&region->id);
	PERFCTR_REGION_SAME();
}

/*
 * Three nested regions, begun and ended as any in this file: the library calibrates their cost by
 * these.
 */
static struct perfctr_region perfctr_region_own[] __attribute__((unused)) = {
	{ "(outer)", 2, 0, NULL },
	{ "(middle)", 3, 0, NULL },
	{ "(inner)", 4, 0, NULL },
};
static __attribute__((noinline, unused)) void perfctr_region_calibrate(void)
{
	perfctr_region_begin(&perfctr_region_own[0]);
	perfctr_region_begin(&perfctr_region_own[1]);
	perfctr_region_begin(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[2]);
	perfctr_region_end(&perfctr_region_own[1]);
	perfctr_region_end(&perfctr_region_own[0]);
}

/* Define a region. PERFCTR_REGION_INIT() is for one that is not static. */
#define PERFCTR_REGION_INIT(name)                      \
	{                                              \
		(name), 1, 0, perfctr_region_calibrate \
	}
#define PERFCTR_REGION(variable, name) \
	static struct perfctr_region variable = PERFCTR_REGION_INIT(name)

/*
 * Says that the calling thread has moved this number of bytes: to another process, for instance.
 * They count for the regions that it is in: inclusive for all of them, exclusive for the innermost
 * one. Reports have them as a value of these, "bytes". It is async-signal-safe, and makes no system
 * call; a handler that has interrupted a begin or an end adds nothing, nor does one that has
 * interrupted this function on a processor of 32 bits. Visits beyond the 1,000th are not counted:
 * the innermost one that is has their bytes.
 */
void perfctr_region_add_bytes(uint64_t bytes);

/*
 * Says that the calling thread has communicated for this number of ns of elapsed time. A region's
 * time is the processor's: a thread that sleeps or yields while it waits for another one has little
 * of that. These ns count as bytes do, and reports have them as "communication".
 */
void perfctr_region_add_communication(uint64_t ns);

/*
 * Returns the region of a name that is not known before the program runs; valid for ever. The
 * look-up's cost counts for the caller: keep the pointer. Sums are estimates, since a pointer costs
 * an instruction more or less in each begin and end: their error has that. EINVAL: name is NULL or
 * empty. ENOMEM; ENOSPC: there are 16,379 others.
 */
struct perfctr_region *perfctr_region_by_name(const char *name);

/* Is for likwid-marker.h and papi.h, whose regions may overlap. NULL as above. */
static __inline__ struct perfctr_region *perfctr_region_by_tag(const char *tag,
							       struct perfctr_region *copy)
{
	const struct perfctr_region *region = perfctr_region_by_name(tag);

	if (!region)
		return NULL;
	*copy = *region;
	copy->overlaps = 1;
	return copy;
}

/* Data to keep of each region, beside visits and sums; perfctr_regions_start(). */
#define PERFCTR_REGIONS_MOMENTS	  0x1 /* minimum, maximum, mean, standard deviation */
#define PERFCTR_REGIONS_HISTOGRAM 0x2 /* these, and how values are distributed: percentiles */
#define PERFCTR_REGIONS_THREADS	  0x4 /* each thread of its own, after its end, too */
/*
 * Is no such data: events that may not count the kernel's mode count user mode, and are named so.
 */
#define PERFCTR_REGIONS_USER_FALLBACK 0x8

/*
 * Measure from now on, in all threads: the time, and events, a list as of perfctr_set_open(); NULL
 * or "": the time alone. There are at most 15 events, none of them multiplexed: if they do not fit
 * on the PMU, that is an error. The calling thread's counters are opened at once, so that errors
 * are known here; another thread's, at its first region: if that fails, the thread is left out, and
 * the report says so. Earlier counts are forgotten.
 *
 * EALREADY: regions are being measured. EINVAL, and all that perfctr_set_open() can set. E2BIG: too
 * many events. ENOMEM. ESRCH: the thread has ended, but for destructors of its data.
 */
int perfctr_regions_start(const char *events, unsigned int keep);

/*
 * The same, and in reports metrics of each region, by names as of perfctr_metrics_open(); NULL or
 * "": none. Their events are counted after those of the list, each once. Errors also as there.
 */
int perfctr_regions_start_metrics(const char *events, const char *metrics, unsigned int keep);

/*
 * End it. Results stay. Visits that have not ended are not counted. The calling thread's counters
 * are closed; those of other threads stop, and are closed when the thread ends, or takes part in
 * the next measurement. EINVAL: nothing is measured.
 */
int perfctr_regions_stop(void);

/*
 * Open the calling thread's counters now, and not at its first region. Errors are those of
 * perfctr_regions_start(). 0 also if nothing is measured.
 */
int perfctr_regions_thread(void);

/*
 * Calibrates begin and end in code that the library can't call, such as an interpreter's. The key
 * stands for that code, is never called, and goes into "calibrate" of copies of regions that this
 * code visits, after the first call. A thread that is measured calls
 *
 *	struct perfctr_calibration *state = NULL;
 *
 *	while (perfctr_regions_calibrate(key, &state) > 0)
 *		visit three empty regions, whose ids are 2, 3 and 4: 3 in 2, and 4 in 3;
 *
 * before the first visit after a start, or in a child of fork(). No region counts these visits. 0:
 * done, or nothing is to be done. Without it sums of these regions are estimates whose error is
 * 40,000 or more for each visit; else their error is a quarter of what an empty visit counts, and
 * for each visit within a quarter of what begin and end add around it. Where regions of this code
 * and of other code were visited, the difference is in the error of those around others.
 * EAGAIN: the thread can't do so now, or the regions were not visited so. EINVAL: an argument is
 * NULL. ENOMEM.
 */
struct perfctr_calibration;
int perfctr_regions_calibrate(void (*key)(void), struct perfctr_calibration **state);

/* One quantity of a region: [0] is the time, in ns while the thread ran, then the events. */
struct perfctr_region_value {
	uint64_t inclusive; /* sum over all visits */
	uint64_t exclusive; /* without the counts of regions within it */
	/* With PERFCTR_REGIONS_MOMENTS, of a visit, inclusive: */
	uint64_t minimum, maximum;
	double mean, deviation;
	/* With PERFCTR_REGIONS_HISTOGRAM; too large by up to an eighth: */
	uint64_t p50, p90, p99;
	uint64_t error;	      /* of a sum that is PERFCTR_ESTIMATE: its largest error */
	unsigned int quality; /* enum perfctr_quality */
	unsigned int reserved;
};

struct perfctr_region_reading {
	uint64_t visits;     /* ended, and counted */
	uint64_t unfinished; /* left otherwise, or a thread is still in them */
	uint64_t uncounted;  /* the thread had no counters, or too many regions were open */
	unsigned int nvalues;
	unsigned int reserved;
	struct perfctr_region_value value[16];
	uint64_t bytes_inclusive, bytes_exclusive;		   /* perfctr_region_add_bytes() */
	uint64_t communication_inclusive, communication_exclusive; /* ns that have elapsed */
};

/*
 * Read the counts of a region, in the calling thread or in all. The cost of begin and end, as
 * calibrated, has been subtracted. EINVAL: an argument is NULL, or nothing was measured. ENOENT: no
 * visit yet.
 */
int perfctr_region_read(const struct perfctr_region *region,
			struct perfctr_region_reading *reading);
int perfctr_region_read_all(const struct perfctr_region *region,
			    struct perfctr_region_reading *reading);

/* Forget the calling thread's counts of a region. */
int perfctr_region_reset(struct perfctr_region *region);

enum perfctr_regions_format {
	PERFCTR_REGIONS_TABLE,
	PERFCTR_REGIONS_CSV,
	PERFCTR_REGIONS_JSON,
};

/*
 * Write all that was measured into a file, as a whole or not at all. In its name %p is the process
 * id, %h the host, %q{NAME} an environment variable, %% a percent sign. /dev/stdout, /dev/stderr
 * and /dev/fd/N are the descriptor itself. NULL: the standard error.
 * EINVAL: a wrong format or name; nothing was measured. ENOMEM; errors of open(2), write(2) and
 * rename(2).
 */
int perfctr_regions_report(const char *file, unsigned int format);

/*
 * Report a process that has died without a report, from the file that it has left in the directory
 * PERFCTR_REGIONS_LEFT, by a library of this version. Only visits that had ended are in it. A file
 * that is there already stays, and this one's name ends in ".left", ".left.1" ...; %p is that
 * process's id. ENOENT: it has measured nothing. EALREADY: it has made its report. EBUSY: it has
 * not died. ESRCH: it is unknown whether it has. EINVAL: it is no such file, and as above.
 */
int perfctr_regions_recover(const char *left, const char *file, unsigned int format);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

/*
 * Measures from here to the end of the block, however it is left but by longjmp(3). One per line.
 */
#define PERFCTR_SCOPE_OF_LINE(line)  perfctr_scope_##line
#define PERFCTR_SCOPE_VARIABLE(line) PERFCTR_SCOPE_OF_LINE(line)
#ifdef __cplusplus
struct perfctr_region_scope {
	struct perfctr_region *region;
	explicit perfctr_region_scope(struct perfctr_region *entered) : region(entered)
	{
		perfctr_region_begin(region);
	}
	~perfctr_region_scope()
	{
		perfctr_region_end(region);
	}
	perfctr_region_scope(const perfctr_region_scope &) = delete;
	perfctr_region_scope &operator=(const perfctr_region_scope &) = delete;
};
#define PERFCTR_REGION_SCOPE(region) \
	struct perfctr_region_scope PERFCTR_SCOPE_VARIABLE(__LINE__)(region)
#else
static __inline__ void perfctr_region_leave(struct perfctr_region **region)
{
	perfctr_region_end(*region);
}
static __inline__ struct perfctr_region *perfctr_region_enter(struct perfctr_region *region)
{
	perfctr_region_begin(region);
	return region;
}
#define PERFCTR_REGION_SCOPE(region)                                     \
	struct perfctr_region *PERFCTR_SCOPE_VARIABLE(__LINE__)          \
		__attribute__((cleanup(perfctr_region_leave), unused)) = \
			perfctr_region_enter(region)
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif /* PERFCTR_REGIONS_H */
