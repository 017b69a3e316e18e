/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* presets.h - PAPI's presets, which are metrics: those that are one event are names of it, too */
#ifndef PERFCTR_LIB_NAMES_PRESETS_H
#define PERFCTR_LIB_NAMES_PRESETS_H

#include <stddef.h>
#include "arch/events.h"

/*
 * Puts the event that the preset at the beginning of the word is on this processor into the text,
 * with what follows the preset: masks, modifiers. 1; 0: the word begins with no preset of the
 * processor; -1 after perfctr_fail(EINVAL): the preset is a formula.
 */
int perfctr_preset_event(const char *word, size_t length, const struct perfctr_event_table *table,
			 char *text, size_t size) __attribute__((noinline));

/* Calls each on the names of the processor's presets. */
void perfctr_preset_walk(const struct perfctr_event_table *table,
			 int (*each)(void *arg, const char *name), void *arg);

#endif /* PERFCTR_LIB_NAMES_PRESETS_H */
