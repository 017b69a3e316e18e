/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regions.h - --regions: runs a command whose regions the library measures and reports. */
#ifndef PERFCTR_TOOLS_REGIONS_H
#define PERFCTR_TOOLS_REGIONS_H

#include "tools/perfex/count/events.h"
#include "tools/perfex/count/run.h"
#include "tools/perfex/report/output.h"

/*
 * Runs the command, and reports for processes that could not. events: their names and those of
 * metrics; none: only time; words: of --regions=, or NULL. Reports go to a file
 * (NULL: the standard error), or as JSON to "json" if that is not NULL. Exits if the events can't
 * be counted, or the command can't be run.
 */
struct run_end regions_run(char **command, struct events *events, const char *words,
			   const char *file, enum format format, FILE *json);

#endif /* PERFCTR_TOOLS_REGIONS_H */
