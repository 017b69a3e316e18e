/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * check.h - the rules every control obeys, whatever the ISA. Included by an ISA's check.c after its
 * ABI header, because struct perfctr_cpu_control differs between ISAs.
 */
#ifndef PERFCTR_ARCH_CHECK_H
#define PERFCTR_ARCH_CHECK_H

#include "arch/cpu.h"

static inline int perfctr_diagnose(struct perfctr_diagnosis *diagnosis, const char *field,
				   int index, uint32_t bits, const char *rule)
{
	diagnosis->field = field;
	diagnosis->index = index;
	diagnosis->bits = bits;
	diagnosis->rule = rule;
	return -1;
}

static inline int perfctr_check_common(const struct perfctr_cpu *cpu,
				       const struct perfctr_cpu_control *control,
				       struct perfctr_diagnosis *diagnosis)
{
	unsigned int i, j, n;

	/* Each alone, first: their sum may wrap. */
	if (control->nractrs > PERFCTR_NR_CTRS)
		return perfctr_diagnose(diagnosis, "nractrs", -1, control->nractrs,
					"there are not so many counters");
	if (control->nrictrs > PERFCTR_NR_CTRS - control->nractrs)
		return perfctr_diagnose(diagnosis, "nrictrs", -1, control->nrictrs,
					"there are not so many counters");
	n = control->nractrs + control->nrictrs;
	if (n && !cpu->nrctrs)
		return perfctr_diagnose(diagnosis, control->nractrs ? "nractrs" : "nrictrs", -1, n,
					"this processor has no counters, only the TSC");
	if (control->_reserved1 | control->_reserved2 | control->_reserved3 | control->_reserved4)
		return perfctr_diagnose(diagnosis, "_reserved", -1,
					control->_reserved1 | control->_reserved2 |
					control->_reserved3 | control->_reserved4,
					"reserved words must be zero");
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (control->pmc_map[i] == control->pmc_map[j])
				return perfctr_diagnose(diagnosis, "pmc_map", (int)i,
							control->pmc_map[i],
							"another counter is mapped there too");
	return 0;
}

#endif /* PERFCTR_ARCH_CHECK_H */
