// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

#define CALIBRATED PERFCTR_REGION_CALIBRATED

/*
 * The cost of begin and end in one file's code; "calibrate" is that file's function. The list is
 * under the lock.
 */
struct calibration {
	struct calibration *next;
	void (*calibrate)(void);
	bool is_key; /* it is not called, but the program makes the visits */
	bool used;   /* by a region; under the lock */
	struct perfctr_region_cost cost;
};

static struct calibration *calibrations, *retired;

const struct perfctr_region_cost perfctr_region_no_cost;

/*
 * Of code that the library can't call, and that has not been calibrated. An interpreter executes
 * thousands of instructions in each begin and end.
 */
static const struct perfctr_region_cost unknown_cost = {
	.spread = { [0 ... PERFCTR_REGION_VALUES - 1] = 20000 },
	.interpreted = 1,
};
struct perfctr_resume_cost perfctr_resume_cost;
int64_t perfctr_region_overlap_cost[PERFCTR_REGION_VALUES];

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Takes the sum of value i that the regions have counted since the last call. NULL: there was no
 * memory for their visits.
 */
static int64_t counted(struct perfctr_visits *visits, unsigned int i)
{
	uint64_t value = visits ? visits->sum[i].inclusive : 0;

	if (visits)
		visits->sum[i].inclusive = 0;
	return (int64_t)value;
}

static int64_t sort(int64_t *samples)
{
	qsort(samples, CALIBRATED, sizeof(samples[0]), compare);
	return samples[CALIBRATED / 2];
}

/* Subtracts the samples of a region from those of the region around it. */
static void subtract(int64_t *samples, const int64_t *within)
{
	unsigned int k;

	for (k = 0; k < CALIBRATED; k++)
		samples[k] -= within[k];
}

/*
 * Returns the least of sorted samples; or the quartiles, if they are the same: then a lesser one is
 * a difference of regions of which the one within was interrupted.
 */
static int64_t least(const int64_t *samples)
{
	const int64_t lower = samples[CALIBRATED / 4], upper = samples[CALIBRATED * 3 / 4];

	return lower == upper ? lower : samples[0];
}

/* Sorts the samples; returns the distance from the least to the upper quartile. */
static int64_t spread_of(int64_t *samples)
{
	sort(samples);
	return samples[CALIBRATED * 3 / 4] - least(samples);
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Takes the least of each: it has been spent for certain, so that no region's own part becomes
 * negative, and no region's sum less than that of one within it. The rest stays in the sums, as
 * their error.
 */
static void judge(struct perfctr_samples *samples, unsigned int n, struct perfctr_region_cost *cost)
{
	int64_t inner, middle;
	unsigned int i;

	for (i = 0; i < n; i++) {
		subtract(samples->outer[i], samples->middle[i]);
		subtract(samples->middle[i], samples->inner[i]);
		inner = spread_of(samples->inner[i]);
		middle = spread_of(samples->middle[i]);
		cost->spread[i] = larger(inner, middle);
		cost->inside[i] = least(samples->inner[i]);
		cost->pair[i] = least(samples->middle[i]);
		cost->begin[i] = sort(samples->begin[i]);
		sort(samples->outer[i]);
		cost->branch[i] = least(samples->outer[i]) - cost->pair[i];
	}
}

/* From OUTER's begin to MIDDLE's; both visits are still in memory. */
static int64_t begun(const struct perfctr_region_thread *thread, struct perfctr_visit *around,
		     unsigned int i)
{
	const ptrdiff_t stride = perfctr_region_stride(thread);
	const struct perfctr_visit *outer = perfctr_visit_at(around, stride),
				   *middle = perfctr_visit_at(around, 2 * stride);

	return (int64_t)(middle->value[thread->nvalues + i] - outer->value[thread->nvalues + i]);
}

void perfctr_samples_take(struct perfctr_samples *samples, struct perfctr_region_thread *thread,
			  struct perfctr_visit *around, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < thread->nvalues; i++) {
		samples->inner[i][at] = counted(thread->table[PERFCTR_REGION_INNER], i);
		samples->middle[i][at] = counted(thread->table[PERFCTR_REGION_MIDDLE], i);
		samples->outer[i][at] = counted(thread->table[PERFCTR_REGION_OUTER], i);
		samples->begin[i][at] = begun(thread, around, i);
	}
}

/* The last two samples replace the first two, which are cold. */
static void sample(struct perfctr_region_thread *thread, const struct calibration *calibration,
		   struct perfctr_samples *samples)
{
	unsigned int k;

	for (k = 0; k < CALIBRATED + 2; k++) {
		calibration->calibrate();
		perfctr_samples_take(samples, thread, thread->root, k % CALIBRATED);
	}
}

/* Makes INNER's next visit a first one. */
static void visit_first(struct perfctr_region_thread *thread, const struct calibration *calibration)
{
	perfctr_region_thread_unvisit(thread, PERFCTR_REGION_INNER);
	calibration->calibrate();
}

/*
 * Finds what a first visit adds to the region around it, beside the part that can_begin() puts off.
 */
static void sample_first(struct perfctr_region_thread *thread, struct calibration *calibration,
			 struct perfctr_samples *samples)
{
	struct perfctr_region_cost *cost = &calibration->cost;
	unsigned int k, i;

	for (k = 0; k < CALIBRATED; k++) {
		visit_first(thread, calibration);
		for (i = 0; i < thread->nvalues; i++) {
			samples->inner[i][k] = counted(thread->table[PERFCTR_REGION_INNER], i);
			samples->middle[i][k] = counted(thread->table[PERFCTR_REGION_MIDDLE], i);
		}
	}
	for (i = 0; i < thread->nvalues; i++) {
		subtract(samples->middle[i], samples->inner[i]);
		sort(samples->middle[i]);
		cost->first[i] = least(samples->middle[i]) - cost->pair[i];
	}
}

/*
 * Samples first visits whose begin or end finds a page changed, since these words no longer match
 * it.
 */
static void sample_again(struct perfctr_region_thread *thread,
			 const struct calibration *calibration, struct perfctr_samples *samples,
			 uint32_t *before_begin, uint32_t *before_end)
{
	const struct perfctr_region_pretence pretence = { before_begin, before_end };
	unsigned int k, i;

	for (k = 0; k < CALIBRATED; k++) {
		thread->pretence = &pretence;
		visit_first(thread, calibration);
		for (i = 0; i < thread->nvalues; i++)
			samples->outer[i][k] = counted(thread->table[PERFCTR_REGION_MIDDLE], i);
	}
	thread->pretence = NULL; /* still set if the thread lost its counters meanwhile */
}

/* The word whose change makes begin and end stop at this exit: see PERFCTR_REGION_EXITS. */
static uint32_t *word_of_exit(struct perfctr_region_thread *thread, unsigned int exit)
{
	return exit ? &thread->counter[exit - 1].lock : &thread->counter[0].index;
}

/* The library's own code, whose visits are the same each time. */
static const struct calibration here = { .calibrate = perfctr_region_calibrate };

/*
 * Finds what a resumed begin or end adds, beside the part that perfctr_resume_put_off() subtracts.
 * It is the library's own code and the same for all files.
 */
static void calibrate_again(struct perfctr_region_thread *thread, struct perfctr_samples *samples)
{
	struct perfctr_resume_cost *again = &perfctr_resume_cost;
	int64_t usual[PERFCTR_REGION_VALUES];
	uint32_t none = 0, *word;
	unsigned int exit, i;

	memset(again, 0, sizeof(*again));
	if (thread->layout == PERFCTR_VISIT_KERNEL)
		return;
	sample_again(thread, &here, samples, &none, &none);
	for (i = 0; i < thread->nvalues; i++)
		usual[i] = sort(samples->outer[i]);
	for (exit = 0; exit < thread->nvalues; exit++) {
		word = word_of_exit(thread, exit);
		sample_again(thread, &here, samples, word, &none);
		for (i = 0; i < thread->nvalues; i++)
			again->begin[exit][i] = sort(samples->outer[i]) - usual[i];
		sample_again(thread, &here, samples, &none, word);
		for (i = 0; i < thread->nvalues; i++)
			again->end[exit][i] = sort(samples->outer[i]) - usual[i];
	}
}

/* OUTER ends before MIDDLE does. */
static __attribute__((noinline)) void visit_overlapping(void)
{
	static struct perfctr_region outer = { "(outer)", PERFCTR_REGION_OUTER, 1, NULL };

	perfctr_region_begin(&outer);
	perfctr_region_begin(&perfctr_region_own[1]);
	perfctr_region_end(&outer);
	perfctr_region_end(&perfctr_region_own[1]);
}

/*
 * Subtracts MIDDLE's begin and an ordinary end from OUTER's count: the rest is what the overlap
 * costs. It is calibrated in this file and used for all.
 */
static void calibrate_overlap(struct perfctr_region_thread *thread, struct perfctr_samples *samples)
{
	struct perfctr_region_cost cost;
	unsigned int k, i;

	memset(perfctr_region_overlap_cost, 0, sizeof(perfctr_region_overlap_cost));
	sample(thread, &here, samples);
	judge(samples, thread->nvalues, &cost);
	for (k = 0; k < CALIBRATED; k++) {
		visit_overlapping();
		for (i = 0; i < thread->nvalues; i++)
			samples->outer[i][k] = counted(thread->table[PERFCTR_REGION_OUTER], i);
	}
	for (i = 0; i < thread->nvalues; i++)
		perfctr_region_overlap_cost[i] = sort(samples->outer[i]) - cost.inside[i] -
						 cost.begin[i];
}

/*
 * Visits memory of its own, however deep the thread's regions are, in a root visit whose counts
 * mean nothing.
 */
static void calibrate(struct perfctr_region_thread *thread, struct calibration *calibration)
{
	struct perfctr_visit *top = perfctr_region_here.top;
	struct perfctr_visit *root = thread->root;
	struct perfctr_samples *samples = calloc(1, sizeof(*samples));
	unsigned int busy = perfctr_regions_busy;

	if (!samples)
		return;
	perfctr_regions_busy = 0; /* calibration makes first visits */
	thread->root = thread->calibration;
	perfctr_region_thread_set(thread, thread->root);
	sample(thread, calibration, samples);
	judge(samples, thread->nvalues, &calibration->cost);
	sample_first(thread, calibration, samples);
	if (!calibrations) {
		calibrate_again(thread, samples);
		calibrate_overlap(thread, samples);
	}
	thread->root = root;
	perfctr_region_thread_set(thread, top);
	perfctr_regions_busy = busy;
	free(samples);
}

/* Works without the lock: the list grows at its head, and no calibration is ever freed. */
static const struct perfctr_region_cost *find(void (*calibrate_)(void))
{
	const struct calibration *calibration = __atomic_load_n(&calibrations, __ATOMIC_ACQUIRE);

	while (calibration && calibration->calibrate != calibrate_)
		calibration = __atomic_load_n(&calibration->next, __ATOMIC_RELAXED);
	return calibration ? &calibration->cost : NULL;
}

static void insert(struct calibration *calibration)
{
	struct perfctr_region_noted_cost noted;
	sigset_t old;

	perfctr_regions_lock(&old);
	noted.address = (uintptr_t)&calibration->cost;
	noted.cost = calibration->cost;
	perfctr_region_note(PERFCTR_RECORD_COST, 0, &noted, sizeof(noted), "", 0);
	__atomic_store_n(&calibration->next, calibrations, __ATOMIC_RELAXED);
	__atomic_store_n(&calibrations, calibration, __ATOMIC_RELEASE);
	perfctr_regions_unlock(&old);
}

/* One calibration serves all threads, so that the same is subtracted from all sums. */
static pthread_mutex_t calibrating = PTHREAD_MUTEX_INITIALIZER;

/* The place of a retired calibration of the same code, or of NULL at the end. */
static struct calibration **find_retired(void (*calibrate_)(void))
{
	struct calibration **place = &retired;

	while (*place && (*place)->calibrate != calibrate_)
		place = &(*place)->next;
	return place;
}

/*
 * Returns a retired calibration of the same code, or a new one; a thread that still uses a retired
 * one is in visits that no longer count. The mutex is held, under which calibrations are retired.
 */
static struct calibration *take(void (*calibrate_)(void))
{
	struct calibration **place = find_retired(calibrate_), *found = *place;

	if (found) {
		__atomic_store_n(place, found->next, __ATOMIC_RELAXED);
		memset(&found->cost, 0, sizeof(found->cost));
		found->used = false;
		return found;
	}
	found = calloc(1, sizeof(*found));
	if (found)
		found->calibrate = calibrate_;
	return found;
}

static const struct perfctr_region_cost *make(struct perfctr_region_thread *thread,
					      void (*calibrate_)(void))
{
	struct calibration *calibration = take(calibrate_);

	if (!calibration)
		return &perfctr_region_no_cost;
	calibrate(thread, calibration);
	insert(calibration);
	return &calibration->cost;
}

/* The mutex is held, under which measuring begins and ends. */
static bool may_make(const struct perfctr_region_thread *thread)
{
	return perfctr_regions.on && perfctr_region_thread_is_current(thread);
}

/* The mutex is held. */
static const struct perfctr_region_cost *find_or_make(struct perfctr_region_thread *thread,
						      void (*calibrate_)(void))
{
	const struct calibration *old = *find_retired(calibrate_);

	if (old && old->is_key)
		return &unknown_cost;
	return may_make(thread) ? make(thread, calibrate_) : &perfctr_region_no_cost;
}

const struct perfctr_region_cost *perfctr_calibration_find(struct perfctr_region_thread *thread,
							   const struct perfctr_region *region)
{
	const struct perfctr_region_cost *cost;

	if (region->id < PERFCTR_REGION_FIRST_ID || !region->calibrate)
		return &perfctr_region_no_cost;
	cost = find(region->calibrate);
	if (cost)
		return cost;
	pthread_mutex_lock(&calibrating);
	cost = find(region->calibrate);
	if (!cost)
		cost = find_or_make(thread, region->calibrate);
	pthread_mutex_unlock(&calibrating);
	return cost;
}

void perfctr_calibration_hold(void)
{
	pthread_mutex_lock(&calibrating);
}

void perfctr_calibration_let_go(void)
{
	pthread_mutex_unlock(&calibrating);
}

const struct perfctr_region_cost *perfctr_calibration_oldest(void)
{
	const struct calibration *calibration = calibrations;

	while (calibration && calibration->next && !calibration->is_key)
		calibration = calibration->next;
	return calibration ? &calibration->cost : &perfctr_region_no_cost;
}

/* Calibrations are not freed: earlier visits that are still open point to their costs. */
void perfctr_calibration_forget(void)
{
	while (calibrations) {
		struct calibration *old = calibrations;

		__atomic_store_n(&calibrations, old->next, __ATOMIC_RELAXED);
		__atomic_store_n(&old->next, retired, __ATOMIC_RELAXED);
		retired = old;
	}
}

/* ---- code that the library can't call ---- */

int perfctr_calibration_mark(void (*key)(void))
{
	struct calibration *calibration;

	pthread_mutex_lock(&calibrating);
	if (!find(key) && !*find_retired(key)) {
		calibration = calloc(1, sizeof(*calibration));
		if (!calibration) {
			pthread_mutex_unlock(&calibrating);
			return perfctr_fail(ENOMEM, "no memory for a calibration of regions");
		}
		calibration->calibrate = key;
		calibration->is_key = true;
		calibration->next = retired;
		retired = calibration;
	}
	pthread_mutex_unlock(&calibrating);
	return 0;
}

bool perfctr_calibration_has(void (*key)(void))
{
	return find(key);
}

void perfctr_calibration_prepare(struct perfctr_region_thread *thread)
{
	const struct perfctr_region own = { "(outer)", PERFCTR_REGION_FIRST_ID, 0,
					    perfctr_region_calibrate };

	perfctr_calibration_find(thread, &own);
}

/*
 * The interpreter takes more or fewer instructions for the program's code than for that which was
 * calibrated: a quarter of a begin and an end. Only events that these don't count are exact. A
 * first visit is the library's own code.
 */
static void loosen(struct perfctr_region_cost *cost, unsigned int n)
{
	const struct perfctr_region_cost *own = find(perfctr_region_calibrate);
	unsigned int i;

	for (i = 0; i < n; i++) {
		cost->loose[i] = (cost->pair[i] + 3) / 4;
		cost->first[i] = own ? own->first[i] : 0;
	}
	cost->interpreted = 1;
}

bool perfctr_calibration_add(struct perfctr_region_thread *thread, void (*key)(void),
			     const struct perfctr_samples *samples)
{
	struct perfctr_samples sorted = *samples;
	struct calibration *calibration = NULL;

	pthread_mutex_lock(&calibrating);
	if (may_make(thread) && !find(key))
		calibration = take(key);
	if (calibration) {
		judge(&sorted, thread->nvalues, &calibration->cost);
		loosen(&calibration->cost, thread->nvalues);
		insert(calibration);
	}
	pthread_mutex_unlock(&calibrating);
	return calibration;
}

/*
 * Whether regions of this code may be within others: a compiled one's, if there is any, or those of
 * an interpreter that were visited.
 */
static bool may_be_within(const struct calibration *calibration)
{
	return calibration->cost.interpreted ? calibration->used
					     : perfctr_regions.kept.has_compiled;
}

/* The difference between what begin and end of the one and of the other code add to a region
 * around. */
static uint64_t find_foreign(const struct perfctr_region_cost *used, unsigned int i)
{
	const int64_t guess = 2 * unknown_cost.spread[i];
	const struct calibration *calibration;
	int64_t least = INT64_MAX, most = 0;

	for (calibration = calibrations; calibration; calibration = calibration->next) {
		if (!may_be_within(calibration))
			continue;
		most = larger(most, calibration->cost.pair[i]);
		least = least < calibration->cost.pair[i] ? least : calibration->cost.pair[i];
	}
	if (used == &unknown_cost)
		most = larger(most, guess);
	return most > least ? (uint64_t)(most - least) : 0;
}

void perfctr_calibration_note_use(const struct perfctr_region_cost *cost)
{
	struct perfctr_region_kept *kept = &perfctr_regions.kept;
	struct calibration *calibration;
	unsigned int i;
	uint64_t foreign;

	kept->has_interpreted |= cost->interpreted != 0;
	kept->has_compiled |= !cost->interpreted;
	for (calibration = calibrations; calibration; calibration = calibration->next)
		calibration->used |= &calibration->cost == cost;
	if (!kept->has_interpreted)
		return;
	for (i = 0; i < kept->nvalues; i++) {
		foreign = find_foreign(cost, i);
		kept->foreign[i] = foreign > kept->foreign[i] ? foreign : kept->foreign[i];
	}
}
