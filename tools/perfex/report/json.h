/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json.h - results as JSON, one object a line, which perfex(1) describes. */
#ifndef PERFCTR_TOOLS_JSON_H
#define PERFCTR_TOOLS_JSON_H

#include <stdio.h>
#include "tools/perfex/report/results.h"

/* All results, or those of an interval. */
void json_print(FILE *file, const struct results *results);

#endif /* PERFCTR_TOOLS_JSON_H */
