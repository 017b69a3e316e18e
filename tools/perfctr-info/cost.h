/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cost.h - what calls cost on this machine, measured on the spot. */
#ifndef PERFCTR_TOOLS_COST_H
#define PERFCTR_TOOLS_COST_H

#include <stdbool.h>

enum cost_format {
	COST_BRIEF, /* lines of what reads cost, for a person */
	COST_TABLE, /* a table of everything */
	COST_JSON,  /* the members of an array */
};

/* Of everything: also what can't be measured, and why. */
void cost_show(enum cost_format format, bool everything);

#endif /* PERFCTR_TOOLS_COST_H */
