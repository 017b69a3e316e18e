// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Makes a PowerPC control of events. */
#include "arch/events.h"
#include "arch/powerpc/powerpc.h"

/* Place the choices of the set, a-mode ones on counters of actrs and the others on those of ictrs.
 */
static int assign_split(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			unsigned int n, uint32_t set, uint32_t actrs, uint32_t ictrs,
			unsigned int option[], uint32_t counter[])
{
	uint32_t only[PERFCTR_NR_CTRS];
	unsigned int i;

	for (i = 0; i < n; i++)
		only[i] = choices[i].imode ? ictrs : actrs;
	return perfctr_event_place(cpu, choices, n, set, only, option, counter);
}

/*
 * PMC1 interrupts for itself, PMC2 to PMC6 interrupt together or not at all. So with counters of
 * both modes, PMC1 is the only one of its mode.
 */
static int assign_modes(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
			unsigned int n, uint32_t set, unsigned int option[], uint32_t counter[])
{
	unsigned int i, actrs = 0, ictrs = 0;

	for (i = 0; i < n; i++) {
		actrs += set >> i & 1 && !choices[i].imode;
		ictrs += set >> i & 1 && choices[i].imode;
	}
	if (!actrs || !ictrs)
		return assign_split(cpu, choices, n, set, ~0u, ~0u, option, counter);
	if (ictrs == 1 && assign_split(cpu, choices, n, set, ~1u, 1, option, counter) == 0)
		return 0;
	return actrs == 1 ? assign_split(cpu, choices, n, set, 1, ~1u, option, counter) : -1;
}

static int assign(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		  unsigned int n, unsigned int option[], uint32_t counter[], uint32_t *conflict,
		  const char **reason)
{
	unsigned int i;

	*reason = "there are not enough counters that can count them";
	if (perfctr_event_assign(cpu, choices, n, option, counter, conflict) < 0)
		return -1;
	*conflict = (uint32_t)perfctr_mask(n);
	if (assign_modes(cpu, choices, n, *conflict, option, counter) == 0)
		return 0;
	*reason = "PMC2 to PMC6 must all be i-mode or all be a-mode counters";
	for (i = 0; i < n; i++)
		if (assign_modes(cpu, choices, n, *conflict & ~(1u << i), option, counter) < 0)
			*conflict &= ~(1u << i);
	return -1;
}

const char *perfctr_powerpc_choice_code(const struct perfctr_cpu *cpu,
					const struct perfctr_event_choice *choice,
					struct perfctr_code *code)
{
	*code = (struct perfctr_code){ .evntsel = choice->option[0].code };
	return perfctr_event_plain(cpu, choice);
}

void perfctr_powerpc_control_code(const struct perfctr_cpu *cpu, const void *control,
				  unsigned int i, struct perfctr_code *code)
{
	const struct perfctr_cpu_control *c = control;

	(void)cpu;
	*code = (struct perfctr_code){ .map = c->pmc_map[i], .evntsel = c->evntsel[i] };
}

int perfctr_powerpc_encode(const struct perfctr_cpu *cpu,
			   const struct perfctr_event_choice choices[], unsigned int n,
			   void *control, unsigned int place[], uint32_t *conflict,
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
		/* FCS and FCP are in MMCR0, for all. */
		*conflict |= 1u;
		*reason =
			"all counters of a PowerPC count in the same modes, user or kernel or both";
		if (choices[i].user != choices[0].user || choices[i].kernel != choices[0].kernel)
			return -1;
	}
	if (assign(cpu, choices, n, option, counter, conflict, reason) < 0)
		return -1;
	if (n)
		c->ppc.mmcr0 = (choices[0].user ? 0 : MMCR0_FCP) |
			       (choices[0].kernel ? 0 : MMCR0_FCS);
	perfctr_event_order(choices, n, place, &c->nractrs, &c->nrictrs);
	for (i = 0; i < n; i++) {
		if (choices[i].imode) {
			c->ireset[place[i]] = (int)choices[i].ireset;
			c->ppc.mmcr0 |= MMCR0_PMXE |
					(counter[i] == 0 ? MMCR0_PMC1CE : MMCR0_PMCjCE);
		}
		c->pmc_map[place[i]] = counter[i];
		c->evntsel[place[i]] = choices[i].option[option[i]].code;
	}
	return 0;
}
