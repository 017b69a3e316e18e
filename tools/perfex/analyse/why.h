/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* why.h - --why: what a command's time is lost by, where, and what to try. */
#ifndef PERFCTR_TOOLS_WHY_H
#define PERFCTR_TOOLS_WHY_H

#include "tools/perfex/analyse/drill.h"

/*
 * Drills down, samples with the bottleneck's event, and prints a page. Exits on
 * failure.
 */
struct drill_end why(const struct options *options);

#endif /* PERFCTR_TOOLS_WHY_H */
