// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfex's samplers, over ones whose records the test makes up. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tools/perfex/sample/samplers.h"

struct perfctr_sampler {
	struct perfctr_record record;
	uint64_t next, step; /* times of records; step 0: one, and no more */
	uint64_t last;	     /* once disabled */
	unsigned int bad;    /* calls that fail before the next one */
	uint64_t lost, count;
	bool open, disabled;
	unsigned int starts, stops;
};

static struct perfctr_sampler made[3];
static unsigned int nmade, refuse_above; /* pages; 0: none are refused */
static int refusal;

struct perfctr_sampler *__wrap_perfctr_sampler_open(const char *event,
						    const struct perfctr_target *target,
						    const struct perfctr_sampler_config *config);
void __wrap_perfctr_sampler_close(struct perfctr_sampler *sampler);
int __wrap_perfctr_sampler_next(struct perfctr_sampler *sampler,
				const struct perfctr_record **record);
int __wrap_perfctr_sampler_enable(struct perfctr_sampler *sampler);
int __wrap_perfctr_sampler_disable(struct perfctr_sampler *sampler);
int __wrap_perfctr_sampler_lost(struct perfctr_sampler *sampler, uint64_t *lost);
int __wrap_perfctr_sampler_count(struct perfctr_sampler *sampler, unsigned int i, uint64_t *count);

struct perfctr_sampler *__wrap_perfctr_sampler_open(const char *event,
						    const struct perfctr_target *target,
						    const struct perfctr_sampler_config *config)
{
	struct perfctr_sampler *sampler = &made[target->id];

	ck_assert_str_eq(event, "cs");
	ck_assert_uint_eq(config->pages & (config->pages - 1), 0); /* else it is refused */
	if (refusal && target->id == 2 &&
	    (!refuse_above || !config->pages || config->pages > refuse_above)) {
		errno = refusal;
		return NULL;
	}
	nmade++;
	sampler->open = true;
	return sampler;
}

void __wrap_perfctr_sampler_close(struct perfctr_sampler *sampler)
{
	ck_assert(sampler->open);
	sampler->open = false;
	errno = 0;
}

int __wrap_perfctr_sampler_next(struct perfctr_sampler *sampler,
				const struct perfctr_record **record)
{
	if (sampler->bad) {
		sampler->bad--;
		return -1;
	}
	if (!sampler->next || (sampler->disabled && sampler->next > sampler->last))
		return 0;
	sampler->record.time = sampler->next;
	sampler->next = sampler->step ? sampler->next + sampler->step : 0;
	*record = &sampler->record;
	return 1;
}

int __wrap_perfctr_sampler_disable(struct perfctr_sampler *sampler)
{
	sampler->disabled = true;
	sampler->stops++;
	return 0;
}

int __wrap_perfctr_sampler_enable(struct perfctr_sampler *sampler)
{
	sampler->disabled = false;
	sampler->starts++;
	return 0;
}

int __wrap_perfctr_sampler_lost(struct perfctr_sampler *sampler, uint64_t *lost)
{
	*lost = sampler->lost;
	return sampler->lost == 99 ? -1 : 0;
}

int __wrap_perfctr_sampler_count(struct perfctr_sampler *sampler, unsigned int i, uint64_t *count)
{
	ck_assert_uint_eq(i, 0);
	*count = sampler->count;
	return sampler->count == 99 ? -1 : 0;
}

static struct samplers *open_three(uint32_t pages)
{
	const struct perfctr_target targets[] = { { .id = 0 }, { .id = 1 }, { .id = 2 } };
	const struct perfctr_sampler_config config = { .pages = pages };

	return samplers_open("cs", targets, 3, &config);
}

/* Each time is the last one's successor. */
struct seen {
	uint64_t n, last;
};

static void see(void *arg, const struct perfctr_record *record)
{
	struct seen *seen = arg;

	ck_assert_uint_eq(record->time, seen->last + 1);
	seen->last = record->time;
	seen->n++;
}

START_TEST(by_time)
{
	struct seen seen = { 0, 0 };
	struct samplers *samplers;

	made[0] = (struct perfctr_sampler){ .next = 3, .bad = 2, .lost = 5, .count = 70 };
	made[1] = (struct perfctr_sampler){ .next = 1, .lost = 99, .count = 10 };
	made[2] = (struct perfctr_sampler){ .next = 2, .lost = 6, .count = 3 };
	samplers = open_three(0);
	ck_assert_uint_eq(samplers_each(samplers, see, &seen), 2);
	ck_assert_uint_eq(seen.n, 3);
	made[1].next = 4;
	ck_assert_uint_eq(samplers_each(samplers, see, &seen), 0);
	ck_assert_uint_eq(seen.n, 4);
	ck_assert_uint_eq(samplers_lost(samplers), 11);
	ck_assert_uint_eq(samplers_count(samplers), 83);
	/* Without one of them nobody can tell. */
	made[1].count = 99;
	ck_assert_uint_eq(samplers_count(samplers), 0);
	samplers_close(samplers);
	ck_assert(!made[0].open && !made[1].open && !made[2].open);
}
END_TEST

/* What never ends is read bit by bit, and to its end when it has one; nothing is left out. */
START_TEST(endless)
{
	struct seen seen = { 0, 0 };
	struct samplers *samplers;
	uint64_t before;
	unsigned int i;

	for (i = 0; i < 3; i++)
		made[i] = (struct perfctr_sampler){ .next = 1 + i, .step = 3 };
	samplers = open_three(0);
	for (i = 0; i < 3; i++) {
		before = seen.n;
		ck_assert_uint_eq(samplers_each(samplers, see, &seen), 0);
		ck_assert_uint_gt(seen.n, before);
	}
	before = seen.n;
	for (i = 0; i < 3; i++)
		made[i].last = before + 500000;
	samplers_disable(samplers, 0);
	ck_assert(made[0].disabled && made[1].disabled && made[2].disabled);
	ck_assert_uint_eq(samplers_each(samplers, see, &seen), 0);
	ck_assert_uint_eq(seen.n, before + 500000);
	samplers_close(samplers);
}
END_TEST

static void ignore(void *arg, const struct perfctr_record *record)
{
	*(unsigned int *)arg += record->type == PERF_RECORD_LOST;
}

/* Where more are lost than read, nothing is written until all is read. */
START_TEST(overload)
{
	struct samplers *samplers;
	double seconds;
	unsigned int i, seen = 0;

	memset(made, 0, sizeof(made));
	for (i = 0; i < 3; i++)
		made[i] = (struct perfctr_sampler){ .next = 1 + i };
	/* As many lost as read; so it continues. */
	made[1].record.type = PERF_RECORD_LOST;
	made[1].record.as.lost.lost = 3;
	samplers = open_three(0);
	samplers_each(samplers, ignore, &seen);
	samplers_each(samplers, ignore, &seen);
	ck_assert_uint_eq(seen, 1);
	ck_assert_uint_eq(made[0].stops, 0);
	ck_assert_uint_eq(samplers_stops(samplers, &seconds), 0);
	ck_assert(!(seconds > 0));
	/* One more. */
	made[1].next = 4;
	made[1].record.as.lost.lost = 2;
	samplers_each(samplers, ignore, &seen);
	ck_assert_uint_eq(made[0].stops, 0);
	for (i = 0; i < 3; i++)
		made[i].next = 5 + i, made[i].last = 7;
	samplers_each(samplers, ignore, &seen);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(made[i].stops, 1);
		ck_assert_uint_eq(made[i].starts, 1);
		ck_assert(!made[i].next);
	}
	ck_assert_uint_eq(samplers_stops(samplers, &seconds), 1);
	ck_assert(seconds > 0);
	/* Until all is read, however many turns that takes. */
	made[2] =
		(struct perfctr_sampler){ .next = 8, .step = 1, .last = UINT64_MAX, .open = true };
	samplers_each(samplers, ignore, &seen);
	samplers_each(samplers, ignore, &seen);
	ck_assert_uint_eq(made[2].stops, 1);
	ck_assert_uint_eq(made[2].starts, 0);
	ck_assert_uint_eq(samplers_stops(samplers, &seconds), 2);
	made[2].step = 0;
	samplers_each(samplers, ignore, &seen);
	ck_assert_uint_eq(made[2].starts, 1);
	samplers_each(samplers, ignore, &seen);
	ck_assert_uint_eq(samplers_stops(samplers, &seconds), 3);
	samplers_disable(samplers, 0);
	ck_assert_uint_eq(made[2].stops, 3);
	samplers_close(samplers);
}
END_TEST

/* Of what is there at the end no more is handed out than there is time for, but samples alone take
 * any. */
START_TEST(no_time)
{
	struct samplers *samplers;
	unsigned int i, seen = 0;

	memset(made, 0, sizeof(made));
	for (i = 0; i < 3; i++)
		made[i] = (struct perfctr_sampler){
			.next = 1 + i, .step = 3, .last = 300, .lost = 5
		};
	made[0].record.type = PERF_RECORD_SAMPLE;
	made[1].record.type = PERF_RECORD_LOST;
	made[2].record.type = PERF_RECORD_SAMPLE;
	samplers = open_three(0);
	samplers_disable(samplers, 1e-9);
	samplers_each(samplers, ignore, &seen);
	ck_assert_uint_eq(seen, 100);
	ck_assert_uint_eq(samplers_lost(samplers), 3 * 5 + 200);
	samplers_close(samplers);
}
END_TEST

/* What can't be read any more is left alone, until the next time. */
START_TEST(broken)
{
	struct seen seen = { 0, 0 };
	struct samplers *samplers;

	memset(made, 0, sizeof(made));
	made[1] = (struct perfctr_sampler){ .next = 1, .bad = 1500 };
	samplers = open_three(0);
	ck_assert_uint_eq(samplers_each(samplers, see, &seen), 1000);
	ck_assert_uint_eq(seen.n, 0);
	ck_assert_uint_eq(samplers_each(samplers, see, &seen), 500);
	ck_assert_uint_eq(seen.n, 1);
	samplers_close(samplers);
}
END_TEST

/* All or none; with less memory, if that helps. */
START_TEST(opening)
{
	struct samplers *samplers;

	memset(made, 0, sizeof(made));
	refusal = EACCES;
	nmade = 0;
	errno = 0;
	ck_assert_ptr_null(open_three(0));
	ck_assert_int_eq(errno, EACCES);
	ck_assert_uint_eq(nmade, 2);
	ck_assert(!made[0].open && !made[1].open);
	refusal = EPERM;
	refuse_above = 4;
	nmade = 0;
	samplers = open_three(0);
	ck_assert_ptr_nonnull(samplers);
	ck_assert_uint_eq(nmade, 2 * 4 + 1); /* as usual, 16, 8, 4 */
	samplers_close(samplers);
	refuse_above = 0;
	nmade = 0;
	ck_assert_ptr_null(open_three(512));
	ck_assert_int_eq(errno, EPERM);
	ck_assert_uint_eq(nmade, 2 * 10);
	refusal = 0;
}
END_TEST

UNIT_MAIN("samplers", 20, by_time, endless, overload, no_time, broken, opening)
