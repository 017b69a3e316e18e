/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* width.h - how wide a terminal is. */
#ifndef PERFCTR_TOOLS_WIDTH_H
#define PERFCTR_TOOLS_WIDTH_H

#include <stdbool.h>

/* Whether the descriptor is a terminal's; of the last descriptor the answer is known. */
bool width_has(int fd);

/* The columns of the descriptor's terminal; 0: it is not a terminal's. */
int width_of(int fd);

#endif /* PERFCTR_TOOLS_WIDTH_H */
