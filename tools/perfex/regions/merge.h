/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge.h - --merge: combines reports of regions, one per process of a job. */
#ifndef PERFCTR_TOOLS_MERGE_H
#define PERFCTR_TOOLS_MERGE_H

#include "tools/perfex/report/output.h"

/*
 * files: up to a NULL; each as PERFCTR_REGIONS_FORMAT=json has made it. Exits if one is not. Prints
 * the results as JSON, too (NULL: not).
 */
void merge_files(char **files, struct output *output, FILE *json);

#endif /* PERFCTR_TOOLS_MERGE_H */
