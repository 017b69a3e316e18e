/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge.h - combines reports of regions, one per process of a job, as --from does. */
#ifndef PERFCTR_TOOLS_MERGE_H
#define PERFCTR_TOOLS_MERGE_H

#include "tools/perfex/base/document.h"
#include "tools/perfex/report/output.h"

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *merge);

/*
 * Adds those objects of a file that are reports of regions, as PERFCTR_REGIONS_FORMAT=json makes
 * them, and returns their number. Exits if one is wrong, or of a process that another file has.
 */
unsigned int merge_add(struct merge *merge, const char *file, const struct node *first);

/* All are added: ranks that a region has not seen are zeros from now on. */
void merge_end(struct merge *merge);

/* Prints the results in the output's format, and closes it; or as an object of JSON. */
void merge_print(const struct merge *merge, struct output *output);
void merge_json(const struct merge *merge, FILE *file);

#endif /* PERFCTR_TOOLS_MERGE_H */
