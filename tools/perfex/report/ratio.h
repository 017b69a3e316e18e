/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ratio.h - relates counts to each other. */
#ifndef PERFCTR_TOOLS_RATIO_H
#define PERFCTR_TOOLS_RATIO_H

#include "tools/perfex/report/results.h"

/*
 * Writes "1.25 insn per cycle", "3.1 GHz", ... for a part, or (NULL) for all; "" if there is no
 * count to relate event i to.
 */
void ratio_print(char *text, size_t size, const struct results *results, const struct part *part,
		 unsigned int i);

/* The event that was counted, too, and of which event i is a part, in the wide sense; or i. */
unsigned int ratio_whole(const struct results *results, const struct part *part, unsigned int i);

#endif /* PERFCTR_TOOLS_RATIO_H */
