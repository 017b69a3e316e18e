/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * drill.h - --why=tree: a command run once for each level of the tree of top-down analysis, for
 * the parts of what was beyond its threshold in the level above.
 */
#ifndef PERFCTR_TOOLS_DRILL_H
#define PERFCTR_TOOLS_DRILL_H

#include "tools/perfex/report/page.h"
#include "tools/perfex/command/options.h"

struct drill;

/* How it all ended: as the first run did, or as one by which the user ended them. */
struct drill_end {
	struct run_end end;
	bool failed; /* --pre or --post did */
};

/*
 * Runs the command until there are no more parts, or it ends or works otherwise than before, which
 * is said. The files are opened before the first run. Exits on failure.
 */
struct drill *drill_count(const struct options *options, const struct provenance *provenance,
			  struct output *output, struct page *page);

/* The results of all runs together, as long as drill is there. */
const struct results *drill_results(const struct drill *drill);

/* Whether the command is not to be run again: it failed, was interrupted, or does other work. */
bool drill_stopped(const struct drill *drill);

struct drill_end drill_end(const struct drill *drill);

/* Says how run number "run" ended, and returns false, if that is a reason to run no more. */
bool drill_ended_well(const struct run_end *end, unsigned int run);

/* Whether the user ended the run by a signal, and the command did not crash. */
bool drill_was_interrupted(const struct run_end *end);

/* Has all end as that run did. */
void drill_interrupt(struct drill_end *whole, const struct run_end *end);

void drill_free(struct drill *drill);

#endif /* PERFCTR_TOOLS_DRILL_H */
