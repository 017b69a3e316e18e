/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* print.h - a report of regions as text: a table, CSV or JSON */
#ifndef PERFCTR_LIB_REGIONS_PRINT_H
#define PERFCTR_LIB_REGIONS_PRINT_H

#include <stdbool.h>
#include <sys/types.h>
#include "lib/base/text.h"
#include "lib/regions/metrics.h"
#include "lib/regions/totals.h"
#include "perfctr/regions.h"

/* The data that all rows of a report share. "metrics" may be NULL. */
struct perfctr_region_report {
	struct perfctr_text text;
	unsigned int format, keep, nvalues;
	pid_t pid;
	const char *rank;				      /* "": unknown */
	const char *not_counted;			      /* perfctr_region_not_counted() */
	const char *const *names;			      /* names of the values */
	const int64_t *inside, *pair, *spread;		      /* the calibration, in raw values */
	uint32_t clocks;				      /* bit i: value i is in ns */
	double ns;					      /* nanoseconds of a tick */
	uint64_t stray, left_out, closed, unplaced, children; /* see perfctr_regions */
	bool died;    /* the process has died: the line above is unknown */
	bool is_full; /* no further region can have an id */
	const struct perfctr_region_kept *kept;
	const struct perfctr_visits *visits; /* of the next row; NULL: it has no histogram */
	const struct perfctr_region_metrics *metrics;
	bool through_kernel;
	unsigned int rows, reasons; /* how many were printed */
};

/*
 * Returns the events and metrics that were asked for and can't be counted, by
 * PERFCTR_REGIONS_NOT_COUNTED: a line "NAME<tab>REASON" each; "" if all are counted.
 */
const char *perfctr_region_not_counted(void);

/* Print the head, a row per region (tid 0: of all threads), and the end. */
void perfctr_region_print_head(struct perfctr_region_report *report);
void perfctr_region_print(struct perfctr_region_report *report, const char *name, pid_t tid,
			  const struct perfctr_region_reading *reading);
void perfctr_region_print_end(struct perfctr_region_report *report);

/*
 * Writes the report of perfctr_regions_report() into the file of exactly this name. 0, or -1 after
 * perfctr_fail().
 */
int perfctr_regions_report_to(const char *name, unsigned int format);

#endif /* PERFCTR_LIB_REGIONS_PRINT_H */
