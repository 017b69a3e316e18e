// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/rank.h"
#include "lib/regions/calibrate.h"
#include "lib/regions/print.h"
#include "lib/regions/state.h"
#include "lib/regions/thread.h"

static void print_row(struct perfctr_region_report *report, struct perfctr_visits *sum,
		      struct perfctr_region_thread *thread, unsigned int id)
{
	struct perfctr_region_reading reading;

	if (!perfctr_regions_collect(sum, thread, id))
		return;
	perfctr_totals_read(sum, &perfctr_regions.kept, &reading);
	report->visits = thread ? NULL : sum;
	perfctr_region_print(report, perfctr_region_name(id), thread ? thread->tid : 0, &reading);
}

static void print_rows(struct perfctr_region_report *report, struct perfctr_visits *sum)
{
	struct perfctr_region_thread *thread;
	unsigned int id;

	for (id = PERFCTR_REGION_FIRST_ID; id < perfctr_region_ids(); id++) {
		print_row(report, sum, NULL, id);
		for (thread = perfctr_regions.threads; thread; thread = thread->next) {
			if (perfctr_regions.keep & PERFCTR_REGIONS_THREADS)
				print_row(report, sum, thread, id);
		}
	}
}

static void add_up_troubles(struct perfctr_region_report *report)
{
	const struct perfctr_region_thread *thread;

	report->stray = __atomic_load_n(&perfctr_regions.stray, __ATOMIC_RELAXED);
	report->left_out = __atomic_load_n(&perfctr_regions.left_out, __ATOMIC_RELAXED);
	report->closed = __atomic_load_n(&perfctr_regions.closed, __ATOMIC_RELAXED);
	if (perfctr_regions.children)
		report->children = __atomic_load_n(perfctr_regions.children, __ATOMIC_RELAXED);
	report->unplaced = __atomic_load_n(&perfctr_regions.unplaced, __ATOMIC_RELAXED);
	report->is_full = perfctr_region_ids() == PERFCTR_REGION_IDS;
	for (thread = perfctr_regions.threads; thread; thread = thread->next) {
		if (thread->generation != perfctr_regions.generation)
			continue;
		report->stray += perfctr_load(&thread->stray);
		report->left_out += __atomic_load_n(&thread->lost, __ATOMIC_RELAXED);
	}
}

/* The lock is held. */
static int print_report(struct perfctr_region_report *report)
{
	const struct perfctr_region_cost *cost = perfctr_calibration_oldest();
	struct perfctr_visits *sum = malloc(perfctr_totals_size(&perfctr_regions.kept));

	if (!sum)
		return perfctr_fail(ENOMEM, "no memory for a report of regions");
	report->inside = cost->inside;
	report->pair = cost->pair;
	report->spread = cost->spread;
	report->keep = perfctr_regions.keep;
	report->kept = &perfctr_regions.kept;
	report->nvalues = perfctr_regions.kept.nvalues;
	report->clocks = perfctr_regions.kept.clocks;
	report->names = (const char *const *)perfctr_regions.name;
	report->ns = (double)perfctr_regions.kept.mult /
		     (double)(UINT64_C(1) << perfctr_regions.kept.shift);
	report->metrics = perfctr_regions.metrics.metrics ? &perfctr_regions.metrics : NULL;
	report->through_kernel = perfctr_regions.layout == PERFCTR_VISIT_KERNEL;
	add_up_troubles(report);
	perfctr_region_print_head(report);
	print_rows(report, sum);
	perfctr_region_print_end(report);
	free(sum);
	return 0;
}

int perfctr_regions_report_to(const char *name, unsigned int format)
{
	struct perfctr_region_report report = {
		.format = format,
		.pid = getpid(),
		.rank = perfctr_rank(),
		.not_counted = perfctr_region_not_counted(),
	};
	sigset_t old;
	int result;

	perfctr_regions_lock(&old);
	result = perfctr_regions.measured ? print_report(&report)
					  : perfctr_fail(EINVAL, "no regions have been measured");
	perfctr_regions_unlock(&old);
	if (result == 0)
		result = perfctr_text_write(&report.text, name);
	free(report.text.bytes);
	return result;
}

int perfctr_regions_report(const char *file, unsigned int format)
{
	struct perfctr_text name = { NULL, 0, 0, false };
	int result = 0;

	if (format > PERFCTR_REGIONS_JSON)
		return perfctr_fail(EINVAL, "%u is no format of a report of regions", format);
	if (file)
		result = perfctr_text_name(&name, file, getpid());
	if (result == 0)
		result = perfctr_regions_report_to(name.bytes, format);
	free(name.bytes);
	return result;
}
