/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* modifiers.h - libpfm4's modifiers of events, as "e=1" and "period=1000" */
#ifndef PERFCTR_COMPAT_LIBPFM4_MODIFIERS_H
#define PERFCTR_COMPAT_LIBPFM4_MODIFIERS_H

#include <stddef.h>
#include <stdint.h>

/* The value of each is at its place in an array; those before MODIFIER_USER are the PMU's. */
enum modifier_place {
	MODIFIER_EDGE,
	MODIFIER_INVERT,
	MODIFIER_THRESHOLD,
	MODIFIER_THREADS,
	MODIFIER_LATENCY,
	MODIFIER_INTX,
	MODIFIER_INTXCP,
	MODIFIER_FRONTEND,
	MODIFIER_IN_HOST,
	MODIFIER_IN_GUEST,
	MODIFIER_USER,
	MODIFIER_KERNEL,
	MODIFIER_HYPERVISOR,
	MODIFIER_PERIOD,
	MODIFIER_FREQUENCY,
	MODIFIER_PRECISE,
	MODIFIER_EXCLUSIVE,
	MODIFIER_GUEST,
	MODIFIER_HOST,
	MODIFIER_CPU,
	MODIFIER_PINNED,
	MODIFIER_SAMPLING,
	MODIFIERS,
};

struct modifier {
	char name[12];
	unsigned char place;   /* enum modifier_place */
	unsigned char type;    /* PFM_ATTR_MOD_* */
	unsigned char control; /* PFM_ATTR_CTRL_* */
	unsigned char code;    /* libpfm4's number of it */
	unsigned char systems; /* bits: PFM_OS_* */
	unsigned short of;     /* bits: OF_* */
	char description[40];
};

/* The nth of those that an event has, in libpfm4's order; NULL after the last. */
const struct modifier *modifiers_nth(unsigned int of, int os, int n);

/* What the modifiers of a word have set. */
struct modifiers {
	uint64_t value[MODIFIERS];
	unsigned int given; /* bits: 1 << enum modifier_place */
};

/* Takes "NAME" or "NAME=VALUE". 1; 0: there is no such modifier; or PFM_ERR_ATTR_*. */
int modifiers_take(struct modifiers *modifiers, unsigned int of, int os, const char *word,
		   size_t length);

#endif /* PERFCTR_COMPAT_LIBPFM4_MODIFIERS_H */
