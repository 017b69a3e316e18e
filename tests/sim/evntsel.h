/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * evntsel.h - the common part of the models of the P6 and its successors: event select registers,
 * and counters that overflow. As the manuals have it; nothing here is of arch/.
 */
#ifndef TESTS_SIM_EVNTSEL_H
#define TESTS_SIM_EVNTSEL_H

#include "sim.h"

enum {
	USR = 1 << 16,
	OS = 1 << 17,
	EDGE = 1 << 18,
	INT = 1 << 20,
	EN = 1 << 22,
	INV = 1 << 23,
};

/* Does the register count the step? event is the one that it selects. */
static inline bool selects(uint64_t evntsel, uint64_t event, const struct sim_step *step)
{
	return step->event == event && evntsel & (step->user ? USR : OS);
}

/* And how much. */
static inline uint64_t selected(uint64_t evntsel, const struct sim_step *step)
{
	return sim_count(step, evntsel >> 24 & 0xFF, evntsel & INV, evntsel & EDGE);
}

/* Advance a counter; returns whether it overflows. */
static inline bool add(uint64_t *counter, unsigned int width, uint64_t by)
{
	bool overflow = (*counter += by) >> width;

	*counter &= (UINT64_C(1) << width) - 1;
	return overflow;
}

#endif /* TESTS_SIM_EVNTSEL_H */
