// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Events -> a POWER control. */
#include "arch/events.h"
#include "arch/power/codes.h"
#include "arch/power/power.h"

static uint32_t high_half(const struct perfctr_event_choice *choice, unsigned int option)
{
	uint32_t high = choice->option[option].high;

	if (high & POWER_TABLE_UPPER)
		high = (high & ~POWER_TABLE_UPPER) << POWER_UPPER_SHIFT;
	return high | (choice->kernel ? 0 : POWER_NOT_KERNEL) | (choice->user ? 0 : POWER_NOT_USER);
}

const char *perfctr_power_choice_code(const struct perfctr_cpu *cpu,
				      const struct perfctr_event_choice *choice,
				      struct perfctr_code *code)
{
	*code = (struct perfctr_code){ .evntsel = choice->option[0].code,
				       .high = high_half(choice, 0) };
	return perfctr_event_plain(cpu, choice);
}

int perfctr_power_encode(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			 unsigned int n, void *control, unsigned int place[], uint32_t *conflict,
			 const char **reason)
{
	struct perfctr_cpu_control *c = control;
	unsigned int option[PERFCTR_ASSIGN_MAX], i;
	uint32_t counter[PERFCTR_ASSIGN_MAX];

	for (i = 0; i < n; i++) {
		*conflict = 1u << i;
		*reason = perfctr_event_plain(cpu, &choices[i]);
		if (*reason)
			return -1;
	}
	*reason = "there are not enough counters that can count them";
	if (perfctr_event_assign(cpu, choices, n, option, counter, conflict) < 0)
		return -1;
	perfctr_event_order(choices, n, place, &c->nractrs, &c->nrictrs);
	for (i = 0; i < n; i++) {
		c->pmc_map[place[i]] = counter[i];
		c->evntsel[place[i]] = choices[i].option[option[i]].code;
		c->evntsel_high[place[i]] = high_half(&choices[i], option[i]);
		c->ireset[place[i]] = choices[i].imode ? (int)choices[i].ireset : 0;
	}
	return 0;
}
