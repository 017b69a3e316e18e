/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* facts.h - what formulas may ask of a processor, beside counts */
#ifndef PERFCTR_LIB_METRICS_FACTS_H
#define PERFCTR_LIB_METRICS_FACTS_H

#include "lib/metrics/formula.h"

/*
 * Of this machine (NULL), as its sysfs says of the core PMU with the name, or of the first; or of
 * the processor with the id: as many threads as it could have, its last revision, and slots that
 * are not known.
 */
struct perfctr_formula_facts perfctr_facts_of(const char *cpu, const char *pmu);

#endif /* PERFCTR_LIB_METRICS_FACTS_H */
