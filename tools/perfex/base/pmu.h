/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pmu.h - whether this machine shows a PMU: perfex knows other ways where it shows none. */
#ifndef PERFCTR_TOOLS_PMU_H
#define PERFCTR_TOOLS_PMU_H

#include <stdbool.h>

/* Whether the reason why an event is not counted is that this machine shows no PMU. */
bool pmu_is_missing(const char *reason);

#endif /* PERFCTR_TOOLS_PMU_H */
