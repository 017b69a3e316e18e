/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* records.h - finds the metrics of a processor in the table that is made from arch/metrics/ */
#ifndef PERFCTR_LIB_METRICS_RECORDS_H
#define PERFCTR_LIB_METRICS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include "arch/metric-tables.h"
#include "libperfctr.h"

/* Returns the last record of this name for the processor; case does not matter. NULL: there is
 * none. */
const struct perfctr_metric_record *perfctr_metric_find(const char *name, size_t length,
							const char *id);

/* Returns record n, if it is for the processor and no later one takes its place; else NULL. */
const struct perfctr_metric_record *perfctr_metric_nth(unsigned int n, const char *id);

/*
 * Returns the metrics that the name stands for on the processor, blanks between; case does not
 * matter. NULL: it is no list.
 */
const char *perfctr_metric_list_find(const char *name, size_t length, const char *id);

/* Whether another metric of the processor is a part of this one. */
bool perfctr_metric_has_parts(const struct perfctr_metric_record *record, const char *id);

/* Describes a record, whose formula the caller has: no core type, no reason. */
struct perfctr_metric perfctr_metric_describe(const struct perfctr_metric_record *record,
					      const char *formula);

#endif /* PERFCTR_LIB_METRICS_RECORDS_H */
