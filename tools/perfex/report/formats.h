/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* formats.h - results in each of their formats: all of them, or those of an interval. */
#ifndef PERFCTR_TOOLS_FORMATS_H
#define PERFCTR_TOOLS_FORMATS_H

#include <stdio.h>
#include "tools/perfex/report/results.h"

/* For a person. */
void table_print(FILE *file, const struct results *results);

/* As CSV (RFC 4180), and as JSON, one object a line, which perfex(1) describes. */
void csv_print(FILE *file, const struct results *results);
void json_print(FILE *file, const struct results *results);

/* Members of an object of JSON: "pid" and its like, "command", each with a comma after it. */
void json_subject(FILE *file, const struct targets *targets, char *const command[]);

/* With a comma before them: "origin"; times, and how a command ended. */
void json_provenance(FILE *file, const struct provenance *provenance);
void json_end(FILE *file, const struct run_end *end);

/*
 * As OpenMetrics, in words that Prometheus' older text format has, too, as the node exporter reads
 * it: counts since the beginning, whatever the interval.
 */
void openmetrics_print(FILE *file, const struct results *results);

#endif /* PERFCTR_TOOLS_FORMATS_H */
