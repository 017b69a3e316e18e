/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * common.h - the rules every control obeys, whatever the ISA, and the making of programs. Included
 * by an ISA's files after its ABI header, because struct perfctr_cpu_control differs between ISAs.
 */
#ifndef PERFCTR_ARCH_COMMON_H
#define PERFCTR_ARCH_COMMON_H

#include "arch/rules.h"

static inline int perfctr_diagnose(struct perfctr_diagnosis *diagnosis, const char *field,
				   int index, uint32_t bits, const char *rule)
{
	diagnosis->field = field;
	diagnosis->index = index;
	diagnosis->bits = bits;
	diagnosis->rule = rule;
	diagnosis->forbidden = 0;
	return -1;
}

/*
 * Does the same with EPERM, which perfctr 2.6 has for bits that a control may not set, and not for
 * errors of omission.
 */
static inline int perfctr_forbid(struct perfctr_diagnosis *diagnosis, const char *field, int index,
				 uint32_t bits, const char *rule)
{
	perfctr_diagnose(diagnosis, field, index, bits, rule);
	diagnosis->forbidden = 1;
	return -1;
}

/* Add a control register; one that is there already gets the further bits. */
static inline void perfctr_program_write(struct perfctr_program *program, uint32_t slot,
					 uint32_t reg, uint64_t value, uint64_t stopped)
{
	struct perfctr_write *write = program->write;
	uint32_t i;

	program->stops |= value != stopped;
	for (i = 0; i < program->nr_writes; i++) {
		if (write[i].slot == slot) {
			write[i].value |= value;
			write[i].stopped |= stopped;
			return;
		}
	}
	write[i].slot = slot;
	write[i].reg = reg;
	write[i].value = value;
	write[i].stopped = stopped;
	program->nr_writes++;
}

/* "below": restart values must be negative. On PowerPC they are not. */
static inline int perfctr_check_common(const struct perfctr_cpu *cpu,
				       const struct perfctr_cpu_control *control, int below,
				       struct perfctr_program *program,
				       struct perfctr_diagnosis *diagnosis)
{
	unsigned int i, j, n;

	/* Each number is checked first, since their sum may wrap. */
	if (control->nractrs > PERFCTR_NR_CTRS)
		return perfctr_diagnose(diagnosis, "nractrs", -1, control->nractrs,
					"there are not so many counters");
	if (control->nrictrs > PERFCTR_NR_CTRS - control->nractrs)
		return perfctr_diagnose(diagnosis, "nrictrs", -1, control->nrictrs,
					"there are not so many counters");
	n = control->nractrs + control->nrictrs;
	if (n && cpu->rules == PERFCTR_RULES_NONE)
		return (control->nrictrs
				? perfctr_forbid
				: perfctr_diagnose)(diagnosis,
						    control->nractrs ? "nractrs" : "nrictrs", -1, n,
						    "this processor has no counters, only the TSC");
	if (control->tsc_on && cpu->no_tsc)
		return perfctr_diagnose(diagnosis, "tsc_on", -1, control->tsc_on,
					"this processor has no TSC that can be used");
	if (control->nrictrs && !cpu->pcint)
		return perfctr_forbid(diagnosis, "nrictrs", -1, control->nrictrs,
				      "this processor can't interrupt on overflow");
	program->id = 0;
	program->nr_writes = 0;
	program->nractrs = control->nractrs;
	program->nrctrs = n;
	program->ack_reg = 0;
	program->async = -1;
	program->async_value = 0;
	program->async_stopped = 0;
	program->by_register = cpu->no_rdpmc;
	program->negative = !below;
	program->stops = 0;
	program->core_shared = 0;
	program->privileged = 0;
	program->one_core = 0;
	program->nr_clears = 0;
	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++)
			if (control->pmc_map[i] == control->pmc_map[j])
				return perfctr_diagnose(diagnosis, "pmc_map", (int)i,
							control->pmc_map[i],
							"another counter is mapped there too");
		if (i >= control->nractrs && (control->ireset[i] < 0) != below)
			return perfctr_diagnose(
				diagnosis, "ireset", (int)i, (uint32_t)control->ireset[i],
				below ? "an i-mode start value must be negative"
				      : "an i-mode start value must not be negative");
		program->counter[i].map = control->pmc_map[i];
		program->counter[i].reg = 0;
		program->counter[i].mask = perfctr_mask(cpu->width);
		program->counter[i].ack = 0;
		program->counter[i].ireset = (uint32_t)control->ireset[i];
		program->counter[i].upper = 0;
	}
	return 0;
}

/* The counter's pmc_map[] must name one of the programmable counters. */
static inline int perfctr_check_counter(const struct perfctr_cpu *cpu,
					const struct perfctr_cpu_control *control, unsigned int i,
					struct perfctr_diagnosis *diagnosis)
{
	if (control->pmc_map[i] > 31 || !(cpu->counters >> control->pmc_map[i] & 1))
		return perfctr_diagnose(diagnosis, "pmc_map", (int)i, control->pmc_map[i],
					"this processor has no such counter");
	return 0;
}

/* An entry of a table of fields. */
#define FIELD(member, count)                                                           \
	{                                                                              \
#member, (uint16_t)offsetof(struct perfctr_cpu_control, member), count \
	}
#define COMMON_FIELDS                                                                            \
	FIELD(tsc_on, 0), FIELD(nractrs, 0), FIELD(nrictrs, 0), FIELD(pmc_map, PERFCTR_NR_CTRS), \
		FIELD(evntsel, PERFCTR_NR_CTRS)

#endif /* PERFCTR_ARCH_COMMON_H */
