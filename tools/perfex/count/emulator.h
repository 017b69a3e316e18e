/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emulator.h - chooses the tool of valgrind's that counts: the one of emulate/, which is quick and
 * counts instructions and branches, or callgrind, which simulates caches and prediction as well.
 */
#ifndef PERFCTR_TOOLS_EMULATOR_H
#define PERFCTR_TOOLS_EMULATOR_H

#include <stdbool.h>
#include "tools/perfex/count/emulated.h"

struct emulator {
	const char *tool;  /* "perfctr" or "callgrind" */
	const char *times; /* how many times as long a command takes */
	bool once; /* a repeated string instruction counts once; callgrind: for each element */
	char slower[256]; /* why it is callgrind for events that perfctr counts; "": it is not */
};

/* Returns whether one of the events is of these columns. */
bool emulator_needs(const struct events *events, int from, int to);

/* Chooses it for valgrind of this version, "valgrind-3.19.0", and tells the next valgrind. */
void emulator_choose(struct emulator *emulator, const struct events *events, const char *version);

#endif /* PERFCTR_TOOLS_EMULATOR_H */
