// SPDX-License-Identifier: LGPL-2.1-or-later
/* Translates a control into perf_events' terms. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "arch/isa.h"
#include "lib/base/error.h"
#include "lib/isa/attr.h"
#include "lib/isa/control.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "libperfctr.h"

void perfctr_control_hide(struct perfctr_cpu_control *control)
{
	control->_reserved1 = control->_reserved2 = control->_reserved3 = control->_reserved4 = 0;
}

/* Makes a text such as "counter 0,1,5". All 32 take 93 characters. */
static const char *counters_text(uint32_t set, char text[96])
{
	char *end = text;
	unsigned int i;

	strcpy(text, "a fixed counter");
	for (i = 0; i < 32; i++)
		if (set >> i & 1)
			end += sprintf(end, "%s%u", end == text ? "counter " : ",", i);
	return text;
}

/* Returns the counters that the event can use, of those that the control names. */
static uint32_t counters_of(const struct perfctr_cpu *cpu, const struct perfctr_event_table *table,
			    const struct perfctr_code *code, uint32_t named)
{
	uint32_t high = code->high & (cpu->rules == PERFCTR_RULES_K7 ? 0xFu : 0xFF00u);

	/* Most count on all, which is soon seen. A POWER's code says it itself. */
	return !table || cpu->rules == PERFCTR_RULES_POWER ||
			       perfctr_event_is_usual(table, code->evntsel, high, named)
		       ? ~0u
		       : perfctr_event_counters(table, code->evntsel, high);
}

int perfctr_control_place(const struct perfctr_cpu_control *control)
{
	const struct perfctr_event_table *table;
	const struct perfctr_cpu *cpu = perfctr_this_cpu_table(&table);
	struct perfctr_event_choice choices[PERFCTR_NR_CTRS];
	unsigned int index[PERFCTR_NR_CTRS], option[PERFCTR_NR_CTRS], i, n = 0;
	uint32_t counter[PERFCTR_NR_CTRS], only[PERFCTR_NR_CTRS], named = 0;
	const uint32_t fixed = cpu->isa->fixed_bits;
	struct perfctr_code code[PERFCTR_NR_CTRS];
	char text[96];

	for (i = 0; i < control->nractrs + control->nrictrs; i++) {
		cpu->isa->control_code(cpu, control, i, &code[n]);
		if (fixed && (code[n].map & fixed) == fixed)
			continue;
		named |= 1u << (code[n].map & 31);
		index[n++] = i;
	}
	for (i = 0; i < n; i++)
		choices[i] = (struct perfctr_event_choice){
			.options = 1,
			.option = { { .counters = counters_of(cpu, table, &code[i], named),
				      .code = code[i].evntsel,
				      .high = code[i].high } },
		};
	for (i = 0; i < n; i++)
		only[i] = named;
	if (perfctr_event_place(cpu, choices, n, (uint32_t)perfctr_mask(n), only, option,
				counter) == 0)
		return 0;
	/* This finds the first event that the events before it leave no counter for. */
	for (n = 1; perfctr_event_place(cpu, choices, n, (uint32_t)perfctr_mask(n), only, option,
					counter) == 0;)
		n++;
	i = index[n - 1];
	return perfctr_fail(
		EOPNOTSUPP,
		"pmc_map[%u] names counter %u, but event 0x%08X counts only on %s; perf_events "
		"takes only a counter that can count its event, or can change places with "
		"another that is named; name such a counter, or load the perfctr driver",
		i, control->pmc_map[i], control->evntsel[i],
		counters_text(choices[n - 1].option[0].counters & cpu->counters, text));
}

static int fail_control(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
			unsigned int i)
{
#ifdef PERFCTR_ABI_POWERPC_H
	(void)cpu, (void)code, (void)i;
	return perfctr_fail(EOPNOTSUPP,
			    "perf_events can't count with a PowerPC control, whose MMCR fields "
			    "it sets itself; count by event name (perfctr_set_open())");
#else
	if (cpu->rules == PERFCTR_RULES_ARCH)
		return perfctr_fail(EOPNOTSUPP,
				    "pmc_map[%u] is fixed counter %u, which perf_events can't "
				    "name; load the perfctr driver",
				    i, code->map & 0xFFFF);
	return perfctr_fail(EOPNOTSUPP,
			    "perf_events can't count with a control of the %s; load the "
			    "perfctr driver, or count by event name",
			    cpu->name);
#endif
}

int perfctr_control_attr(const struct perfctr_cpu_control *control, unsigned int i,
			 struct perf_event_attr *attr, char *name, size_t size)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	struct perfctr_code code;
	const char *reason;

	cpu->isa->control_code(cpu, control, i, &code);
	if (code.high)
		snprintf(name, size, "0x%08X/0x%08X", code.evntsel, code.high);
	else
		snprintf(name, size, "0x%08X", code.evntsel);
	reason = perfctr_code_refused(cpu, &code);
	if (reason)
		return perfctr_fail_event(EOPNOTSUPP, name, "%s", reason);
	if (!perfctr_code_attr(cpu, &code, attr))
		return fail_control(cpu, &code, i);
	if (attr->type == PERF_TYPE_RAW)
		attr->type = perfctr_this_type();
	return perfctr_attr_check(attr, name, strlen(name));
}
