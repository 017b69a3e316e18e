/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table.h - results for a person. */
#ifndef PERFCTR_TOOLS_TABLE_H
#define PERFCTR_TOOLS_TABLE_H

#include <stdio.h>
#include "tools/perfex/report/results.h"

/* All results, or those of an interval. */
void table_print(FILE *file, const struct results *results);

#endif /* PERFCTR_TOOLS_TABLE_H */
