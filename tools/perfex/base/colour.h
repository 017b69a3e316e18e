/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* colour.h - colours for a person who sees them: on a terminal that has them, unless NO_COLOR is
 * set. */
#ifndef PERFCTR_TOOLS_COLOUR_H
#define PERFCTR_TOOLS_COLOUR_H

#include <stdio.h>

enum colour { COLOUR_NONE, COLOUR_BAD, COLOUR_UNSURE };

/* What is printed in between has the colour. */
void colour_begin(FILE *file, enum colour colour);
void colour_end(FILE *file, enum colour colour);

#endif /* PERFCTR_TOOLS_COLOUR_H */
