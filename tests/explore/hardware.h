/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hardware.h - what a test sees of the processors' counters. */
#ifndef PERFCTR_TESTS_EXPLORE_HARDWARE_H
#define PERFCTR_TESTS_EXPLORE_HARDWARE_H

#include "tests/explore/kernel.h"

struct vperfctr;

/* Event selects that mean something: what compiling says of them. */
enum {
	HARDWARE_INVALID = 1,
	HARDWARE_FORBIDDEN,
	HARDWARE_ONE_CORE,
	HARDWARE_CORE_SHARED,
};

/* The registers are cleared; nothing of the last execution is left. */
void hardware_begin(void);

/* The set that counts on a processor; whose counts its registers have; whether they count. */
const struct vperfctr *hardware_owner(unsigned int cpu);
const struct mm_struct *hardware_left(unsigned int cpu);
bool hardware_counts(unsigned int cpu);
/* Whether any set has a share in the hardware. */
bool hardware_is_reserved(void);

/* An instruction of user mode. */
void hardware_step(unsigned int cpu);

#endif /* PERFCTR_TESTS_EXPLORE_HARDWARE_H */
