/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csv.h - results as CSV, RFC 4180, which perfex(1) describes. */
#ifndef PERFCTR_TOOLS_CSV_H
#define PERFCTR_TOOLS_CSV_H

#include <stdio.h>
#include "tools/perfex/report/results.h"

/* All results, or those of an interval. */
void csv_print(FILE *file, const struct results *results);

#endif /* PERFCTR_TOOLS_CSV_H */
