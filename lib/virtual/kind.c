// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tells the kinds of handles apart, and fails calls on a handle of the wrong kind. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/virtual/kind.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/* An array of strings has no addresses, which would be relocations in every program. */
static const char names[][40] = {
	[PERFCTR_KIND_REMOTE] = "a handle of rvperfctr_open()",
	[PERFCTR_KIND_GLOBAL] = "a handle of gperfctr_open()",
	[PERFCTR_KIND_TOTAL] = "a total of perfctr_total_create()",
	[PERFCTR_KIND_SET] = "a set of perfctr_set_open()",
	[PERFCTR_KIND_SAMPLER] = "a sampler of perfctr_sampler_open()",
	[PERFCTR_KIND_QUICK_SAMPLER] = "a sampler of perfctr_sampler_open()",
	[PERFCTR_KIND_METRICS] = "metrics of perfctr_metrics_open()",
	[PERFCTR_KIND_LIST] = "a list of perfctr_list_resolve()",
};

/* This is filled in with the first such handle, since constant addresses would be relocations. */
static struct perfctr_provider others;

int perfctr_wrong_kind(const void *handle, const char *needed)
{
	const struct perfctr_head *head = handle;
	const char *is = "no handle of this library's";

	if (perfctr_is_provider(head->provider))
		is = "a handle of vperfctr_open()";
	else if (head->provider == &others && head->kind < ARRAY_SIZE(names))
		is = names[head->kind];
	return perfctr_fail(EINVAL, "this is %s, but the call needs %s", is, needed);
}

/* ---- calls that need a handle of vperfctr_open(), on another kind ---- */

#define NEEDED "a handle of vperfctr_open()"

static int fail_info(struct perfctr_info *info)
{
	(void)info;
	return perfctr_fail(EINVAL, "the call needs " NEEDED);
}

static int fail_control(struct vperfctr *self, const struct vperfctr_control *control)
{
	(void)control;
	return perfctr_wrong_kind(self, NEEDED);
}

static int fail_look(const struct vperfctr *self)
{
	return perfctr_wrong_kind(self, NEEDED);
}

static int is_not_running(const struct vperfctr *self)
{
	perfctr_wrong_kind(self, NEEDED);
	return 0;
}

static unsigned long long fail_tsc(const struct vperfctr *self)
{
	return (unsigned long long)perfctr_wrong_kind(self, NEEDED);
}

static unsigned long long fail_pmc(const struct vperfctr *self, unsigned int i)
{
	(void)i;
	return (unsigned long long)perfctr_wrong_kind(self, NEEDED);
}

static int fail_counters(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	(void)sum;
	return perfctr_wrong_kind(self, NEEDED);
}

static int fail_quality(const struct vperfctr *self, unsigned int i,
			struct perfctr_reading *reading)
{
	(void)i, (void)reading;
	return perfctr_wrong_kind(self, NEEDED);
}

static int fail_reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader)
{
	(void)i, (void)reader;
	return perfctr_wrong_kind(self, NEEDED);
}

static int fail_change(struct vperfctr *self)
{
	return fail_look(self);
}

static int fail_state_reader(const struct vperfctr *self, struct perfctr_state_reader *reader)
{
	(void)reader;
	return perfctr_wrong_kind(self, NEEDED);
}

static int fail_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
		      struct vperfctr_control *control)
{
	(void)sum, (void)control;
	return perfctr_wrong_kind(self, NEEDED);
}

static void fill_in(void)
{
	others = (struct perfctr_provider){
		.info = fail_info,
		.control = fail_control,
		.stop = fail_change,
		.is_running = is_not_running,
		.read_tsc = fail_tsc,
		.read_pmc = fail_pmc,
		.read_ctrs = fail_counters,
		.read_quality = fail_quality,
		.reader = fail_reader,
		.pause = fail_change,
		.resume = fail_change,
		.state_reader = fail_state_reader,
		.iresume = fail_change,
		.read_state = fail_state,
	};
}

struct perfctr_head perfctr_head_of(enum perfctr_kind kind)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fill_in);
	return (struct perfctr_head){ &others, kind };
}
