/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* emulated.h - the events of valgrind's model of a processor. */
#ifndef PERFCTR_TOOLS_EMULATED_H
#define PERFCTR_TOOLS_EMULATED_H

#include "tools/perfex/count/events.h"

/* The tools' counts, by callgrind's names; the last one is of emulate/ alone. */
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
	COLUMN_REPEATS, /* of string instructions, which are not among the instructions */
	COLUMNS
};

extern const char *const emulated_columns[COLUMNS];

/*
 * Looks all events up; the default ones if there are none. Events that processors count and the
 * model does not get a reason. Exits if a name is wrong.
 */
void emulated_finish(struct events *events);

/* Returns the column of event i; -1: it is not emulated. */
int emulated_column(const struct events *events, unsigned int i);

#endif /* PERFCTR_TOOLS_EMULATED_H */
