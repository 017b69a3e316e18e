// SPDX-License-Identifier: LGPL-2.1-or-later
/* The time since some moment, which nobody sets: for what takes how long, and for waits. */
#ifndef PERFCTR_TOOLS_CLOCK_H
#define PERFCTR_TOOLS_CLOCK_H

#include <stdint.h>

/* Return it in ns, and in seconds. */
uint64_t clock_ns(void);
double clock_seconds(void);

#endif /* PERFCTR_TOOLS_CLOCK_H */
