/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* verdict.h - prints a comparison for a person, as CSV, and as a member of a JSON document. */
#ifndef PERFCTR_TOOLS_VERDICT_H
#define PERFCTR_TOOLS_VERDICT_H

#include <stdio.h>
#include "tools/perfex/report/compare.h"

void verdict_table(FILE *file, const struct comparison *comparison);
void verdict_csv(FILE *file, const struct comparison *comparison, bool header);
void verdict_json(FILE *file, const struct comparison *comparison);

#endif /* PERFCTR_TOOLS_VERDICT_H */
