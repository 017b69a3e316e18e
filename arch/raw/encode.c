// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Makes a control of abi-generic.h of events, for the ISAs whose tables give an option in words. */
#include "arch/raw/raw.h"

const char *perfctr_raw_choice_code(const struct perfctr_cpu *cpu,
				    const struct perfctr_event_choice *choice,
				    struct perfctr_code *code)
{
	*code = cpu->isa->option_code(choice, &choice->option[0]);
	return perfctr_event_plain(cpu, choice);
}

int perfctr_raw_encode(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		       unsigned int n, void *control, unsigned int place[], uint32_t *conflict,
		       const char **reason)
{
	struct perfctr_cpu_control *c = control;
	unsigned int option[PERFCTR_ASSIGN_MAX], i;
	uint32_t counter[PERFCTR_ASSIGN_MAX];
	struct perfctr_code code;

	for (i = 0; i < n; i++) {
		*conflict = 1u << i;
		*reason = cpu->isa->choice_code(cpu, &choices[i], &code);
		if (*reason)
			return -1;
	}
	*reason = "there are not enough counters that can count them";
	if (perfctr_event_assign(cpu, choices, n, option, counter, conflict) < 0)
		return -1;
	perfctr_event_order(choices, n, place, &c->nractrs, &c->nrictrs);
	for (i = 0; i < n; i++) {
		code = cpu->isa->option_code(&choices[i], &choices[i].option[option[i]]);
		c->pmc_map[place[i]] = counter[i];
		c->evntsel[place[i]] = code.evntsel;
		c->evntsel_high[place[i]] = code.high;
		c->ireset[place[i]] = choices[i].imode ? (int)choices[i].ireset : 0;
	}
	return 0;
}
