// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Events -> an arm64 control. */
#include "arch/arm64/arm64.h"
#include "arch/arm64/pmuv3.h"
#include "arch/events.h"

static uint32_t evntsel(const struct perfctr_event_choice *choice, unsigned int option)
{
	return choice->option[option].code | (choice->kernel ? 0 : PMEVTYPER_P) |
	       (choice->user ? 0 : PMEVTYPER_U);
}

const char *perfctr_arm64_choice_code(const struct perfctr_cpu *cpu,
				      const struct perfctr_event_choice *choice,
				      struct perfctr_code *code)
{
	*code = (struct perfctr_code){ .evntsel = evntsel(choice, 0) };
	return perfctr_event_plain(cpu, choice);
}

int perfctr_arm64_encode(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
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
		c->evntsel[place[i]] = evntsel(&choices[i], option[i]);
		c->ireset[place[i]] = choices[i].imode ? (int)choices[i].ireset : 0;
	}
	return 0;
}
