/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cost.h - measures the cost of calls on this machine. */
#ifndef PERFCTR_TOOLS_COST_H
#define PERFCTR_TOOLS_COST_H

#include <stdbool.h>

enum cost_format {
	COST_BRIEF, /* lines with the cost of reads, for a person */
	COST_TABLE, /* a table of everything */
	COST_JSON,  /* the members of an array */
};

/* everything: also the calls that can't be measured, with the reason. */
void cost_show(enum cost_format format, bool everything);

#endif /* PERFCTR_TOOLS_COST_H */
