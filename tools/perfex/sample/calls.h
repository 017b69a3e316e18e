/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* calls.h - writes chains of calls as JSON: each function's name once, and chains as its number. */
#ifndef PERFCTR_TOOLS_CALLS_H
#define PERFCTR_TOOLS_CALLS_H

#include <stdio.h>
#include "tools/perfex/sample/histogram.h"

/* Writes the members "functions" and "stacks". */
void calls_json(struct histogram *histogram, FILE *file);

#endif /* PERFCTR_TOOLS_CALLS_H */
