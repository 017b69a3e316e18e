/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* facts.h - facts about a processor that formulas use beside counts */
#ifndef PERFCTR_LIB_METRICS_FACTS_H
#define PERFCTR_LIB_METRICS_FACTS_H

#include "lib/metrics/formula.h"

/*
 * Returns the facts of this machine (NULL), by sysfs and for the core PMU with this name, or the
 * first one; or of the processor with this id: as many threads as it could have, its last revision,
 * one processor, no persistent memory, and slots that are not known.
 */
struct perfctr_formula_facts perfctr_facts_of(const char *cpu, const char *pmu);

#endif /* PERFCTR_LIB_METRICS_FACTS_H */
