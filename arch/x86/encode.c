// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Events -> an x86 control. */
#include "arch/x86/x86.h"
#include "arch/events.h"

#define CCCR_PMI	0x04000000u
#define CCCR_EDGE	0x01000000u
#define CCCR_COMPLEMENT	0x00080000u
#define CCCR_COMPARE	0x00040000u

/* A clause that says why the processor can't do what the choice asks for; NULL if it can. */
static const char *impossible(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice)
{
	const struct perfctr_event_option *option = &choice->option[0];
	int modes = choice->edge || choice->invert || choice->cmask;

	if (choice->pebs)
		return "it counts only in precise sampling";
	if (choice->imode && !cpu->pcint)
		return "this processor can't interrupt on overflow";
	switch (cpu->rules) {
	case PERFCTR_RULES_WINCHIP:
	case PERFCTR_RULES_C3:
	case PERFCTR_RULES_P5:
	case PERFCTR_RULES_MII:
		if (choice->user != choice->kernel && cpu->rules != PERFCTR_RULES_P5 &&
		    cpu->rules != PERFCTR_RULES_MII)
			return "this processor can't tell user from kernel";
		return modes ? "this processor has no edge detection, inversion or threshold" : NULL;
	case PERFCTR_RULES_P4:
		if (option->pebs_enable & ~0x01000607u || option->pebs_matrix_vert & ~0x3u)
			return "its replay tag needs bits that no control may set";
		return choice->cmask > 16 ? "a P4's threshold is at most 16" :
		       !choice->cmask && modes ? "on a P4, e and i need a threshold (c=N)" : NULL;
	default:
		break;
	}
	if (modes && !option->counters)
		return "a fixed counter has no e, i or c=N, and no other can count it";
	switch (option->reg) {
	case 0: case 0x1A6: case 0x1A7:
		return NULL;
	case 0x3F7:
		return cpu->frontend ? NULL : "this processor has no MSR_PEBS_FRONTEND";
	default:
		return "it needs a register that no control can carry";
	}
}

/* What the event select says about modes, with the choice's own in addition to the table's. */
static uint32_t p6_modes(const struct perfctr_event_choice *choice)
{
	return (choice->user ? EVNTSEL_USR : 0) | (choice->kernel ? EVNTSEL_OS : 0) |
	       (choice->imode ? EVNTSEL_INT : 0) | (choice->edge ? 0x00040000u : 0) |
	       (choice->invert ? 0x00800000u : 0);
}

static void encode_p4(const struct perfctr_event_choice *choice,
		      const struct perfctr_event_option *option, struct perfctr_cpu_control *c,
		      unsigned int i)
{
	c->pmc_map[i] |= 0x80000000u;	/* fast RDPMC */
	c->evntsel[i] = 0x31000u | option->select << 13 | (choice->imode ? CCCR_PMI : 0);
	if (choice->cmask)
		c->evntsel[i] |= CCCR_COMPARE | (choice->cmask - 1) << 20 |
				 (choice->invert ? CCCR_COMPLEMENT : 0) |
				 (choice->edge ? CCCR_EDGE : 0);
	c->p4.escr[i] = option->code | (choice->user ? 4u : 0) | (choice->kernel ? 8u : 0);
	c->p4.pebs_enable |= option->pebs_enable;
	c->p4.pebs_matrix_vert |= option->pebs_matrix_vert;
}

static void encode_one(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
		       const struct perfctr_event_option *option, struct perfctr_cpu_control *c,
		       unsigned int i)
{
	unsigned int n = option->reg - 0x1A6;

	c->ireset[i] = choice->imode ? (int)choice->ireset : 0;
	switch (cpu->rules) {
	case PERFCTR_RULES_P4:
		encode_p4(choice, option, c, i);
		return;
	case PERFCTR_RULES_P5:
	case PERFCTR_RULES_MII:
		c->evntsel[i] = option->code | (choice->kernel ? 0x40u : 0) | (choice->user ? 0x80u : 0);
		return;
	case PERFCTR_RULES_WINCHIP:
	case PERFCTR_RULES_C3:
		c->evntsel[i] = option->code;
		return;
	default:
		break;
	}
	c->evntsel[i] = option->code | p6_modes(choice);
	if (choice->threshold || choice->cmask)
		c->evntsel[i] = (c->evntsel[i] & 0x00FFFFFFu) | choice->cmask << 24;
	c->evntsel_high[i] = option->high;
	if (cpu->rules != PERFCTR_RULES_P6 || c->pmc_map[i] == 0)
		c->evntsel[i] |= EVNTSEL_ENABLE;
	if (c->pmc_map[i] & FIXED_COUNTER)
		c->evntsel[i] &= EVNTSEL_USR | EVNTSEL_OS | EVNTSEL_INT | EVNTSEL_ENABLE |
				 EVNTSEL_ANY;
	if (n < 2) {
		c->offcore_rsp[n] = (uint32_t)option->value;
		if (cpu->offcore_width > 32)
			c->offcore_rsp_high[n] = (uint32_t)(option->value >> 32);
	} else if (option->reg == 0x3F7) {
		c->pebs_frontend = (uint32_t)option->value;
	}
}

int perfctr_x86_encode(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		       unsigned int n, void *control, unsigned int place[], uint32_t *conflict,
		       const char **reason)
{
	struct perfctr_cpu_control *c = control;
	unsigned int option[PERFCTR_ASSIGN_MAX], i;
	uint32_t counter[PERFCTR_ASSIGN_MAX];

	for (i = 0; i < n; i++) {
		*reason = impossible(cpu, &choices[i]);
		if (*reason) {
			*conflict = 1u << i;
			return -1;
		}
	}
	*reason = "there are not enough counters that can count them";
	if (n > PERFCTR_NR_CTRS) {
		*conflict = 0xFFFFFFFFu >> (n < 32 ? 32 - n : 0);
		return -1;
	}
	if (perfctr_event_assign(cpu, choices, n, option, counter, conflict) < 0) {
		if (perfctr_event_clash(cpu, choices, n, *conflict))
			*reason = cpu->rules == PERFCTR_RULES_P4 ?
				  "they need the same ESCR or tag register, with different values" :
				  "they need the same offcore response or front end register, with "
				  "different values";
		return -1;
	}
	perfctr_event_order(choices, n, place, &c->nractrs, &c->nrictrs);
	for (i = 0; i < n; i++) {
		c->pmc_map[place[i]] = counter[i];
		encode_one(cpu, &choices[i], &choices[i].option[option[i]], c, place[i]);
	}
	return 0;
}
