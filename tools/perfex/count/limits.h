/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * limits.h - what perfex changes for itself, and gives back to whatever it executes: its soft limit
 * of descriptors, since each event on each processor takes one, and the signal of files that become
 * too large, which would leave half a file where an error leaves the old one.
 */
#ifndef PERFCTR_TOOLS_LIMITS_H
#define PERFCTR_TOOLS_LIMITS_H

/* As perfex needs them; and as they were. */
void limits_raise(void);
void limits_give_back(void);

#endif /* PERFCTR_TOOLS_LIMITS_H */
