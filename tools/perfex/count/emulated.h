/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* emulated.h - the events that valgrind's model of a processor has. */
#ifndef PERFCTR_TOOLS_EMULATED_H
#define PERFCTR_TOOLS_EMULATED_H

#include "tools/perfex/count/events.h"

/* What callgrind counts, as it calls it. */
enum {
	COLUMN_IR,
	COLUMN_DR,
	COLUMN_DW,
	COLUMN_I1MR,
	COLUMN_D1MR,
	COLUMN_D1MW,
	COLUMN_ILMR,
	COLUMN_DLMR,
	COLUMN_DLMW,
	COLUMN_BC,
	COLUMN_BCM,
	COLUMN_BI,
	COLUMN_BIM,
	COLUMNS
};

extern const char *const emulated_columns[COLUMNS];

/*
 * Look all events up; the default ones if there are none. What others count, and the model does
 * not, has a reason. Exits if one is wrong.
 */
void emulated_finish(struct events *events);

/* The column of event i; -1: it is not emulated. */
int emulated_column(const struct events *events, unsigned int i);

#endif /* PERFCTR_TOOLS_EMULATED_H */
