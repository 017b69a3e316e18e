// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PAPI's presets as this library counts them, beside PAPI itself: the same loop, once and twice as
 * long, whose difference is the loop's own. The emulated PMU counts each event as a known multiple
 * of the instructions, so that a preset of other events, or of another formula over them, has
 * another count, mostly.
 */
#include <math.h>
#include <papi.h>
#include "tests/harness/guest.h"

enum {
	LENGTH = 400000,
	MOST_EVENTS = 16,
	/* Multiples are rounded down at the ends of each. */
	TOLERANCE = 64,
	FEWEST = 50,
};

/* PAPI's user mode, which is its default, is the only mode that this user may count. */
static int become_another_user(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "w");

	CHECK(file && fputs("2", file) >= 0 && fclose(file) == 0, "paranoid");
	CHECK(setgid(65534) == 0 && setuid(65534) == 0, "setuid(): %s", strerror(errno));
	return 0;
}

/* What PAPI counts of a loop; NaN: it does not count the preset here. */
static double count_by_papi(const char *name, unsigned long n)
{
	int set = PAPI_NULL;
	long long value;
	bool good = PAPI_create_eventset(&set) == PAPI_OK &&
		    PAPI_add_named_event(set, name) == PAPI_OK && PAPI_start(set) == PAPI_OK;

	loop(n);
	good = good && PAPI_stop(set, &value) == PAPI_OK;
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return good ? (double)value : NAN;
}

/* Adds what the events count of a loop, or takes it away. False: they can't be counted. */
static bool count_events(const char *events, unsigned long n, struct perfctr_reading *sum,
			 int64_t sign)
{
	struct perfctr_set *set = perfctr_set_open(events, NULL, PERFCTR_USER_FALLBACK);
	struct perfctr_reading before[MOST_EVENTS], after[MOST_EVENTS];
	bool good;
	unsigned int i;

	if (!set || perfctr_set_size(set) > MOST_EVENTS)
		return false;
	good = perfctr_set_read(set, before) == 0;
	loop(n);
	good = good && perfctr_set_read(set, after) == 0;
	for (i = 0; good && i < perfctr_set_size(set); i++) {
		good = after[i].quality == PERFCTR_EXACT;
		sum[i].value += (uint64_t)sign * (after[i].value - before[i].value);
		sum[i].quality = PERFCTR_EXACT;
	}
	perfctr_set_close(set);
	return good;
}

/* The difference between both loops; NaN: no such preset, or perfctr_error() says why. */
static double count_by_us(const char *name)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(name, NULL);
	struct perfctr_reading difference[MOST_EVENTS] = { { .value = 0 } };
	struct perfctr_metric_value value = { .value = NAN };
	const char *events = metrics ? perfctr_metrics_events(metrics, NULL) : NULL;

	if (events && count_events(events, 2 * LENGTH, difference, 1) &&
	    count_events(events, LENGTH, difference, -1))
		perfctr_metrics_value(metrics, 0, difference, &value);
	perfctr_metrics_close(metrics);
	return value.value;
}

static unsigned int compared, lacking, differing;

/* Compares a preset of PAPI's with one of ours. */
static void compare(const char *theirs, const char *ours)
{
	double own = count_by_us(ours), once, twice;

	/* The first time costs more. */
	count_by_papi(theirs, 1);
	once = count_by_papi(theirs, LENGTH);
	twice = count_by_papi(theirs, 2 * LENGTH);
	if (isnan(once) || isnan(twice)) {
		printf("# %s: PAPI does not count it here\n", theirs);
	} else if (isnan(own)) {
		printf("# %s: %s\n", theirs, perfctr_error());
		lacking++;
	} else {
		compared++;
		if (fabs(own - (twice - once)) <= TOLERANCE)
			return;
		differing++;
		printf("# %s: %.0f, and by PAPI %s is %.0f\n", ours, own, theirs, twice - once);
	}
}

/* Compares all with those of the same name, or with one and the same. */
static int compare_all(const char *ours)
{
	int event = (int)PAPI_PRESET_MASK;
	PAPI_event_info_t info;

	compared = lacking = differing = 0;
	do {
		if (PAPI_get_event_info(event, &info) == PAPI_OK && info.count > 0)
			compare(info.symbol, ours ? ours : info.symbol);
	} while (PAPI_enum_event(&event, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
	printf("# %u compared, %u differ, %u are PAPI's alone\n", compared, differing, lacking);
	CHECK(compared >= FEWEST, "only %u", compared);
	return 0;
}

static int same_counts(void)
{
	if (compare_all(NULL))
		return 1;
	CHECK(!differing, "%u", differing);
	return 0;
}

/* Another preset in its place is found, but for PAPI_REF_CYC, which counts as many here. */
static int differences_are_seen(void)
{
	if (compare_all("PAPI_TOT_INS"))
		return 1;
	CHECK(differing == compared - 2, "%u of %u", differing, compared);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = { TEST(same_counts), TEST(differences_are_seen) };

	if (become_another_user())
		return 1;
	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
		printf("PAPI does not start\n");
		return 1;
	}
	return run_guest(tests, sizeof(tests) / sizeof(tests[0]));
}
