// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each call with each kind of handle but its own: EINVAL, and a sentence that names both. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/head.h"
#include "lib/base/word.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#include "tests/harness/check.h"

enum kind { OWN, GLOBAL, TOTAL, SET, SAMPLER, METRICS, LIST, KINDS };

static const char *const names[] = {
	"a handle of vperfctr_open()",	       "a handle of gperfctr_open()",
	"a total of perfctr_total_create()",   "a set of perfctr_set_open()",
	"a sampler of perfctr_sampler_open()", "metrics of perfctr_metrics_open()",
	"a list of perfctr_list_resolve()",
};

/* ---- the calls, of all kinds in one form ---- */

static union {
	struct perfctr_info info;
	struct vperfctr_control control;
	struct gperfctr_cpu_control cpu_control;
	struct gperfctr_cpu_state cpu_state;
	struct perfctr_sum_ctrs sum;
	struct perfctr_reading readings[4];
	struct perfctr_reader reader;
	struct perfctr_state_reader state_reader;
	struct perfctr_part part;
	struct perfctr_list_event event;
	struct perf_event_attr attr;
	struct perfctr_metric metric;
	struct perfctr_metric_value value;
	const struct perfctr_record *record;
	const struct perfctr_aux *aux;
	uint64_t number;
} place;

static int each_record(void *arg, const struct perfctr_record *record)
{
	(void)arg, (void)record;
	return 0;
}

static int is_null(const void *result)
{
	return result ? 0 : -1;
}

/* The nth call of a kind, what it returned (-1: it failed); 1: there is none. */
static int call_own(void *h, unsigned int n)
{
	switch (n) {
	case 0: return vperfctr_info(h, &place.info);
	case 1: return is_null(vperfctr_cpus_info(h));
	case 2: return vperfctr_control(h, &place.control);
	case 3: return vperfctr_stop(h);
	case 4: return vperfctr_read_tsc(h) == ~0ull ? -1 : 0;
	case 5: return vperfctr_read_pmc(h, 0) == ~0ull ? -1 : 0;
	case 6: return vperfctr_read_ctrs(h, &place.sum);
	case 7: return vperfctr_read_state(h, &place.sum, NULL);
	case 8: return vperfctr_read_state(h, NULL, &place.control);
	case 9: return vperfctr_read_quality(h, 0, place.readings);
	case 10: return vperfctr_reader(h, 0, &place.reader);
	case 11: return vperfctr_pause(h);
	case 12: return vperfctr_resume(h);
	case 13: return vperfctr_state_reader(h, &place.state_reader);
	case 14: return vperfctr_iresume(h);
	case 15: return vperfctr_unlink(h);
	}
	return 1;
}

static int call_global(void *h, unsigned int n)
{
	switch (n) {
	case 0: return gperfctr_info(h, &place.info);
	case 1: return gperfctr_control(h, &place.cpu_control);
	case 2: return gperfctr_start(h, 0);
	case 3: return gperfctr_stop(h);
	case 4: return gperfctr_read(h, &place.cpu_state);
	case 5: return is_null(gperfctr_cpus_info(h));
	}
	return 1;
}

static int call_total(void *h, unsigned int n)
{
	static struct vperfctr *self;

	switch (n) {
	case 0: return perfctr_total_read(h, &place.sum, NULL);
	case 1: self = vperfctr_open_mode(0); return perfctr_total_add(h, self ? self : h);
	}
	return 1;
}

static int call_set(void *h, unsigned int n)
{
	switch (n) {
	case 0: return perfctr_set_event(h, 0, &place.event);
	case 1: return perfctr_set_enable(h);
	case 2: return perfctr_set_disable(h);
	case 3: return perfctr_set_reset(h);
	case 4: return perfctr_set_read(h, place.readings);
	case 5: return perfctr_set_check(h);
	case 6: return perfctr_set_reader(h, 0, &place.reader);
	case 7: return perfctr_set_part(h, 0, &place.part);
	case 8: return perfctr_set_read_part(h, 0, place.readings);
	case 9: return perfctr_set_read_thread(h, getpid(), place.readings);
	case 10: return perfctr_set_id(h, 0, 0, &place.number);
	}
	return 1;
}

static int call_sampler(void *h, unsigned int n)
{
	switch (n) {
	case 0: return perfctr_sampler_fd(h);
	case 1: return perfctr_sampler_enable(h);
	case 2: return perfctr_sampler_disable(h);
	case 3: return perfctr_sampler_refresh(h, 1);
	case 4: return perfctr_sampler_set_period(h, 1);
	case 5: return perfctr_sampler_next(h, &place.record);
	case 6: return perfctr_sampler_each(h, each_record, NULL);
	case 7: return perfctr_sampler_lost(h, &place.number);
	case 8: return perfctr_sampler_check(h);
	case 9: return perfctr_sampler_next_aux(h, &place.aux);
	case 10: return perfctr_sampler_count(h, 0, &place.number);
	}
	return 1;
}

static int call_metrics(void *h, unsigned int n)
{
	double error;

	switch (n) {
	case 0: return perfctr_metrics_metric(h, 0, &place.metric);
	case 1: return is_null(perfctr_metrics_events(h, NULL));
	case 2: return perfctr_metrics_value(h, 0, place.readings, &place.value);
	case 3: return perfctr_metrics_error(h, 0, place.readings, 1, &error);
	}
	return 1;
}

static int call_list(void *h, unsigned int n)
{
	switch (n) {
	case 0: return perfctr_list_event(h, 0, &place.event);
	case 1: return perfctr_list_attr(h, 0, 0, &place.attr, NULL, NULL, 0);
	}
	return 1;
}

static int call_remote(void *h, unsigned int n)
{
	switch (n) {
	case 0: return rvperfctr_pid(h);
	case 1: return rvperfctr_info(h, &place.info);
	case 2: return rvperfctr_read_ctrs(h, &place.sum);
	case 3: return rvperfctr_read_state(h, &place.sum, NULL);
	case 4: return rvperfctr_control(h, &place.control);
	case 5: return rvperfctr_stop(h);
	case 6: return rvperfctr_iresume(h);
	case 7: return rvperfctr_unlink(h);
	}
	return 1;
}

/* Who frees nothing that is not of its kind, and says so. */
static void close_own(void *h)
{
	vperfctr_close(h);
}

static void close_global(void *h)
{
	gperfctr_close(h);
}

static void close_total(void *h)
{
	perfctr_total_destroy(h);
}

static void close_set(void *h)
{
	perfctr_set_close(h);
}

static void close_sampler(void *h)
{
	perfctr_sampler_close(h);
}

static void close_metrics(void *h)
{
	perfctr_metrics_close(h);
}

static void close_list(void *h)
{
	perfctr_list_free(h);
}

static void close_remote(void *h)
{
	rvperfctr_close(h);
}

static const struct {
	int (*call)(void *h, unsigned int n);
	void (*close)(void *h);
} calls[] = {
	{ call_own, close_own },   { call_global, close_global },   { call_total, close_total },
	{ call_set, close_set },   { call_sampler, close_sampler }, { call_metrics, close_metrics },
	{ call_list, close_list }, { call_remote, close_remote },
};

static void *open_kind(enum kind kind)
{
	static const struct perfctr_sampler_config config = { .period = 1000 };

	switch (kind) {
	case OWN: return vperfctr_open();
	case GLOBAL: return gperfctr_open();
	case TOTAL: return perfctr_total_create();
	case SET: return perfctr_set_open("page-faults:u", NULL, 0);
	case SAMPLER: return perfctr_sampler_open("page-faults:u", NULL, &config);
	case METRICS: return perfctr_metrics_open("ipc", "skylake");
	case LIST: return perfctr_list_resolve("page-faults:u", 0);
	default: return NULL;
	}
}

static bool says(const char *words)
{
	return strstr(perfctr_error(), words) != NULL;
}

START_TEST(wrong_kinds)
{
	enum kind is, wanted;
	void *handle;
	unsigned int n;

	for (is = 0; is < KINDS; is++) {
		handle = open_kind(is);
		ck_assert_msg(handle != NULL, "%s: %s", names[is], perfctr_error());
		for (wanted = 0; wanted <= KINDS; wanted++) {
			/* rvperfctr_*() take a thread's own. */
			if (is == wanted || (wanted == KINDS && is == OWN))
				continue;
			for (n = 0;; n++) {
				int result;

				errno = 77;
				result = calls[wanted].call(handle, n);
				if (result == 1)
					break;
				ck_assert_msg(result == -1 && errno == EINVAL,
					      "%s: kind %u, call %u: %d, errno %d", names[is],
					      wanted, n, result, errno);
				ck_assert_msg(says(wanted == KINDS ? "rvperfctr_open()"
								   : names[wanted]),
					      "%s", perfctr_error());
				ck_assert_msg(says(names[is]) || says("the call needs"), "%s",
					      perfctr_error());
			}
			errno = 77;
			calls[wanted].close(handle);
			ck_assert_int_eq(errno, EINVAL);
			ck_assert_msg(says(names[is]), "%s", perfctr_error());
		}
		errno = 77;
		ck_assert(is == OWN || !vperfctr_is_running(handle));
		ck_assert_int_eq(errno, is == OWN ? 77 : EINVAL);
		ck_assert(is == OWN || (says(names[is]) && says(names[OWN])));
		ck_assert(is == SET || perfctr_set_size(handle) + perfctr_set_parts(handle) == 0);
		ck_assert(is == SET || perfctr_set_name(handle, 0) == NULL);
		ck_assert(is == LIST || perfctr_list_size(handle) == 0);
		ck_assert(is == METRICS || perfctr_metrics_size(handle) == 0);
		calls[is].close(handle);
	}
}
END_TEST

/* As PAPI's component does: 2.6's handle of a thread began with one of the caller's own. */
START_TEST(own_as_remote)
{
	struct vperfctr_control control;
	struct perfctr_sum_ctrs sum, now;
	struct perfctr_info info, same;
	struct vperfctr *self = vperfctr_open();
	struct rvperfctr *remote = (struct rvperfctr *)(void *)self;

	ck_assert_msg(self != NULL, "%s", perfctr_error());
	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	ck_assert_int_eq(rvperfctr_control(remote, &control), 0);
	ck_assert_int_eq(rvperfctr_read_ctrs(remote, &sum), 0);
	ck_assert_int_eq(rvperfctr_read_state(remote, &now, &control), 0);
	ck_assert_uint_gt(now.tsc, sum.tsc);
	ck_assert_uint_eq(control.cpu_control.tsc_on, 1);
	ck_assert_int_eq(rvperfctr_info(remote, &info), 0);
	ck_assert_int_eq(vperfctr_info(self, &same), 0);
	ck_assert_int_eq(memcmp(&info, &same, sizeof(info)), 0);
	ck_fails(rvperfctr_pid(remote), EINVAL, "a handle of vperfctr_open(), but the call needs");
	ck_fails(rvperfctr_iresume(remote), EINVAL, "");
	ck_assert_int_eq(rvperfctr_stop(remote), 0);
	ck_assert_int_eq(vperfctr_is_running(self), 0);
	ck_assert_int_eq(rvperfctr_unlink(remote), 0);
	ck_assert_ptr_null(vperfctr_open_mode(0));
	rvperfctr_close(remote);
}
END_TEST

/* What is none of the library's, as far as it can be told. */
START_TEST(no_handles)
{
	static const char *words[4] = { "text" };

	ck_fails(perfctr_set_read((struct perfctr_set *)words, place.readings), EINVAL,
		 "this is no handle of this library's, but the call needs a set");
	ck_fails(rvperfctr_stop((struct rvperfctr *)words), EINVAL, "this is no handle");
	ck_fails(gperfctr_stop((struct gperfctr *)words), EINVAL, "this is no handle");
}
END_TEST

/* What begins as ours do, but has the number of no kind, or of a later one. */
START_TEST(no_kinds)
{
	struct perfctr_head *list = (void *)perfctr_list_resolve("page-faults:u", 0);
	struct perfctr_head last = *list, none = *list;

	ck_assert_ptr_nonnull(list);
	ck_fails(perfctr_set_read((struct perfctr_set *)&last, place.readings), EINVAL,
		 "this is a list of");
	none.kind++;
	ck_fails(perfctr_set_read((struct perfctr_set *)&none, place.readings), EINVAL,
		 "this is no handle of this library's");
	none.kind = UINTPTR_MAX;
	ck_fails(perfctr_set_read((struct perfctr_set *)&none, place.readings), EINVAL,
		 "this is no handle of this library's");
	perfctr_list_free((void *)list);
}
END_TEST

UNIT_MAIN("kind", 20, wrong_kinds, own_as_remote, no_handles, no_kinds)
