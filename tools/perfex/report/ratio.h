/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ratio.h - what a count means beside others. */
#ifndef PERFCTR_TOOLS_RATIO_H
#define PERFCTR_TOOLS_RATIO_H

#include "tools/perfex/report/results.h"

/*
 * "1.25 insn per cycle", "3.1 GHz", ... of a part, or (NULL) of all; "" if there is nothing to
 * compare event i with.
 */
void ratio_print(char *text, size_t size, const struct results *results, const struct part *part,
		 unsigned int i);

/* The event that was counted, too, and of which event i is a part, in the wide sense; or i. */
unsigned int ratio_whole(const struct results *results, const struct part *part, unsigned int i);

#endif /* PERFCTR_TOOLS_RATIO_H */
