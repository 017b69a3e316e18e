/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metrics.h - metrics (formulas) of the counts of regions */
#ifndef PERFCTR_LIB_REGIONS_METRICS_H
#define PERFCTR_LIB_REGIONS_METRICS_H

#include <stdbool.h>
#include "lib/base/text.h"
#include "perfctr/regions.h"

/* No metrics: all is zero. */
struct perfctr_region_metrics {
	struct perfctr_metrics *metrics;
	char *names;			  /* as the caller gave them */
	struct perfctr_reading *readings; /* one for each event of the metrics; under the lock */
	unsigned int *place;		  /* each event's index among the values of a region */
};

/*
 * Parts a list of events in those, and PAPI's presets that are no events here, but metrics, of
 * which others are in the text already. 0, or -1 after perfctr_fail(), with texts that the caller
 * still frees.
 */
int perfctr_region_metrics_part(const char *list, struct perfctr_text *events,
				struct perfctr_text *metrics);

/* 0, or -1 after perfctr_fail(); then there is nothing to close. */
int perfctr_region_metrics_open(struct perfctr_region_metrics *metrics, const char *names);
void perfctr_region_metrics_close(struct perfctr_region_metrics *metrics);

/*
 * Makes one list of the given events and those of the metrics, each of these once; events of a
 * group of slots stay after its leader. The caller checks text->failed. 0, or -1 after
 * perfctr_fail().
 */
int perfctr_region_metrics_list(const struct perfctr_region_metrics *metrics, const char *events,
				struct perfctr_text *text);

/*
 * Finds the metrics' events in such a list, of which nvalues are counted (with the time). 0; -1:
 * one is not there.
 */
int perfctr_region_metrics_find(struct perfctr_region_metrics *metrics, const char *list,
				unsigned int nvalues);

/* The value of metric i for a region's inclusive or exclusive sums. */
struct perfctr_metric_value
perfctr_region_metrics_value(const struct perfctr_region_metrics *metrics, unsigned int i,
			     const struct perfctr_region_reading *reading, bool exclusive);

#endif /* PERFCTR_LIB_REGIONS_METRICS_H */
