/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* print.h - a report of regions: its rows as text */
#ifndef PERFCTR_LIB_REGIONS_PRINT_H
#define PERFCTR_LIB_REGIONS_PRINT_H

#include <stdbool.h>
#include <sys/types.h>
#include "lib/base/text.h"
#include "lib/regions/metrics.h"
#include "perfctr/regions.h"

/* What all rows of a report share. Its metrics may be NULL. */
struct perfctr_region_report {
	struct perfctr_text text;
	unsigned int format, keep, nvalues;
	pid_t pid;
	const char *rank;		       /* "": none is known */
	const char *const *names;	       /* of values */
	const int64_t *inside, *pair, *spread; /* the calibration, of the raw values */
	uint32_t clocks;		       /* bit i: value i is in ns */
	double ns;			       /* of a tick */
	uint64_t stray, left_out, unplaced;    /* see perfctr_regions */
	bool died;			       /* the process: none of these is known */
	bool is_full;			       /* no region can have an id any more */
	const struct perfctr_region_metrics *metrics;
	bool through_kernel;
	unsigned int rows;
};

/* The rank of this process, as its launcher has told it. */
const char *perfctr_region_rank(void);

/* The head; a row per region, tid 0: of all threads; the end. */
void perfctr_region_print_head(struct perfctr_region_report *report);
void perfctr_region_print(struct perfctr_region_report *report, const char *name, pid_t tid,
			  const struct perfctr_region_reading *reading);
void perfctr_region_print_end(struct perfctr_region_report *report);

/* Into a file of exactly this name; perfctr_regions_report(). 0, or -1 after perfctr_fail(). */
int perfctr_regions_report_to(const char *name, unsigned int format);

#endif /* PERFCTR_LIB_REGIONS_PRINT_H */
