// SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only
/* Makes an x86 control of events: the only place where an event's name becomes bits. */
#include "arch/x86/x86.h"
#include "arch/events.h"

#define CCCR_PMI	0x04000000u
#define CCCR_EDGE	0x01000000u
#define CCCR_COMPLEMENT 0x00080000u
#define CCCR_COMPARE	0x00040000u

/* An event select that has e, i or c=N is no fixed counter's: the first way to count without one.
 */
static const struct perfctr_event_option *programmable(const struct perfctr_event_choice *choice)
{
	unsigned int i;

	for (i = 0; i < choice->options; i++)
		if (choice->option[i].counters)
			return &choice->option[i];
	return NULL;
}

/* P6 and its successors. */
static inline int is_p6(const struct perfctr_cpu *cpu)
{
	return 1u << cpu->rules &
	       (1u << PERFCTR_RULES_P6 | 1u << PERFCTR_RULES_K7 | 1u << PERFCTR_RULES_ARCH);
}

static inline int has_modes(const struct perfctr_event_choice *choice)
{
	return choice->edge || choice->invert || choice->cmask || choice->intx || choice->intxcp;
}

static const char *impossible_p4(const struct perfctr_event_choice *choice)
{
	const struct perfctr_event_option *option = &choice->option[0];

	if (option->pebs_enable & ~0x01000607u || option->pebs_matrix_vert & ~0x3u)
		return "its replay tag needs bits that no control may set";
	return choice->cmask > 16		     ? "a P4's threshold is at most 16"
	       : !choice->cmask && has_modes(choice) ? "on a P4, e and i need a threshold (c=N)"
						     : NULL;
}

static inline const char *impossible_p6(const struct perfctr_cpu *cpu,
					const struct perfctr_event_choice *choice)
{
	const struct perfctr_event_option *option = &choice->option[0];

	if (has_modes(choice) && !programmable(choice))
		return choice->intx || choice->intxcp
			       ? "a fixed counter can't tell transactions, and no other can count it"
			       : "a fixed counter has no e, i or c=N, and no other can count it";
	if (option->code & (uint32_t)cpu->reserved)
		return "it needs AnyThread (bit 21), which this processor does not have";
	if (!option->reg || option->reg - OFFCORE_RSP0 < 2 ||
	    (cpu->omr && option->reg - OMR_0 < 4) ||
	    (option->reg == PEBS_LD_LAT && choice->precise))
		return NULL;
	if (option->reg != PEBS_FRONTEND)
		return "it needs a register that no control can carry";
	return cpu->frontend ? NULL : "this processor has no MSR_PEBS_FRONTEND";
}

/* Returns a clause about the part of the choice that the processor can't count; NULL if it can. */
static inline const char *impossible(const struct perfctr_cpu *cpu,
				     const struct perfctr_event_choice *choice)
{
	if (choice->pebs && !choice->precise)
		return "it counts only in precise sampling";
	if (choice->imode && !cpu->pcint)
		return "this processor can't interrupt on overflow";
	if (choice->any || choice->intx || choice->intxcp) {
		if (cpu->rules != PERFCTR_RULES_ARCH)
			return "this processor has neither AnyThread nor transactions to tell apart";
		if (choice->option[0].high & cpu->reserved >> 32 & 3)
			return "it needs bits about transactions, which this processor does not have";
	}
	if (is_p6(cpu))
		return impossible_p6(cpu, choice);
	if (cpu->rules == PERFCTR_RULES_P4)
		return impossible_p4(choice);
	if ((cpu->rules == PERFCTR_RULES_WINCHIP || cpu->rules == PERFCTR_RULES_C3) &&
	    choice->user != choice->kernel)
		return "this processor can't tell user from kernel";
	return perfctr_event_plain(cpu, choice);
}

static uint32_t cccr(const struct perfctr_event_choice *choice,
		     const struct perfctr_event_option *option)
{
	uint32_t cccr = 0x31000u | option->select << 13 | (choice->imode ? CCCR_PMI : 0);

	if (choice->cmask)
		cccr |= CCCR_COMPARE | (choice->cmask - 1u) << 20 |
			(choice->invert ? CCCR_COMPLEMENT : 0) | (choice->edge ? CCCR_EDGE : 0);
	return cccr;
}

/* The table's code and modes, and the choice's own; a threshold takes the place of the table's. */
static inline uint32_t evntsel_p6(const struct perfctr_cpu *cpu,
				  const struct perfctr_event_choice *choice,
				  const struct perfctr_event_option *option, uint32_t map)
{
	uint32_t evntsel = option->code;

	/* Most names have no modifiers. */
	if (choice->user || choice->kernel || choice->edge || choice->invert || choice->imode)
		evntsel |= choice->user * EVNTSEL_USR | choice->kernel * EVNTSEL_OS |
			   choice->imode * EVNTSEL_INT | choice->edge * EVNTSEL_EDGE |
			   choice->invert * EVNTSEL_INV;
	if (choice->threshold || choice->cmask)
		evntsel = (evntsel & 0x00FFFFFFu) | (uint32_t)choice->cmask << 24;
	if (cpu->rules != PERFCTR_RULES_P6 || map == 0)
		evntsel |= EVNTSEL_ENABLE;
	if (map & FIXED_COUNTER)
		evntsel &= EVNTSEL_USR | EVNTSEL_OS | EVNTSEL_INT | EVNTSEL_ENABLE | EVNTSEL_ANY;
	return evntsel;
}

/* The words of other families, where they differ. */
static void make_other(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
		       const struct perfctr_event_option *option, struct perfctr_code *code)
{
	code->evntsel = option->code;
	if (cpu->rules == PERFCTR_RULES_P4) {
		code->map |= 0x80000000u; /* fast RDPMC */
		code->evntsel = cccr(choice, option);
		code->value = option->code | (choice->user ? 4u : 0) | (choice->kernel ? 8u : 0);
	} else if (cpu->rules == PERFCTR_RULES_P5 || cpu->rules == PERFCTR_RULES_MII) {
		code->evntsel |= (choice->kernel ? 0x40u : 0) | (choice->user ? 0x80u : 0);
	}
}

/* Makes a control's words for the choice, counted in this way, on this counter. */
static inline void make_code(const struct perfctr_cpu *cpu,
			     const struct perfctr_event_choice *choice,
			     const struct perfctr_event_option *option, uint32_t map,
			     struct perfctr_code *code)
{
	code->map = map;
	code->high = option->high;
	code->reg = option->reg;
	code->value = option->value;
	if (is_p6(cpu))
		code->evntsel = evntsel_p6(cpu, choice, option, map);
	else
		make_other(cpu, choice, option, code);
}

const char *perfctr_x86_choice_code(const struct perfctr_cpu *cpu,
				    const struct perfctr_event_choice *choice,
				    struct perfctr_code *code)
{
	const struct perfctr_event_option *option = &choice->option[0];
	const char *reason = impossible(cpu, choice);
	uint32_t map = 0;

	if (reason)
		return reason;
	if (is_p6(cpu) && has_modes(choice))
		option = programmable(choice);
	if (!option->counters && option->fixed)
		map = FIXED_COUNTER | (uint32_t)__builtin_ctz(option->fixed);
	make_code(cpu, choice, option, map, code);
	return NULL;
}

void perfctr_x86_control_code(const struct perfctr_cpu *cpu, const void *control, unsigned int i,
			      struct perfctr_code *code)
{
	const struct perfctr_cpu_control *c = control;

	code->map = c->pmc_map[i];
	code->evntsel = c->evntsel[i];
	code->high = perfctr_evntsel_high(cpu, c, i);
	code->reg = perfctr_arch_extra(cpu, c, i, &code->value);
}

static void put_code(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
		     struct perfctr_cpu_control *c, unsigned int i)
{
	unsigned int n = code->reg - OMR_0 < 4 ? (code->reg - OMR_0) % 2 : code->reg - OFFCORE_RSP0;

	c->pmc_map[i] = code->map;
	c->evntsel[i] = code->evntsel;
	if (cpu->rules == PERFCTR_RULES_P4) {
		c->p4.escr[i] = (uint32_t)code->value;
		return;
	}
	c->evntsel_high[i] = code->high;
	if (n < 2) {
		c->offcore_rsp[n] = (uint32_t)code->value;
		c->offcore_rsp_high[n] = (uint32_t)(code->value >> 32);
	} else if (code->reg == PEBS_FRONTEND) {
		c->pebs_frontend = (uint32_t)code->value;
	}
}

/* Why these choices, or this one, have no places. */
static const char *no_places(const struct perfctr_cpu *cpu,
			     const struct perfctr_event_choice choices[], unsigned int n,
			     uint32_t conflict)
{
	unsigned int i;

	if (perfctr_event_clash(cpu, choices, n, conflict))
		return cpu->rules == PERFCTR_RULES_P4
			       ? "they need the same ESCR or tag register, with different values"
			       : "they need the same offcore response or front end register, with "
				 "different values";
	for (i = 0; i < n; i++)
		if (conflict >> i & 1 &&
		    perfctr_takes_pair(cpu, choices[i].option[0].code, choices[i].option[0].high))
			return "there are not enough counters that can count them; event 003H takes "
			       "an even counter and the next one";
	return "there are not enough counters that can count them";
}

int perfctr_x86_encode(const struct perfctr_cpu *cpu, const struct perfctr_event_choice choices[],
		       unsigned int n, void *control, unsigned int place[], uint32_t *conflict,
		       const char **reason)
{
	struct perfctr_cpu_control *c = control;
	unsigned int option[PERFCTR_ASSIGN_MAX], i;
	uint32_t counter[PERFCTR_ASSIGN_MAX];
	struct perfctr_code code;

	for (i = 0; i < n; i++) {
		*reason = impossible(cpu, &choices[i]);
		if (*reason) {
			*conflict = 1u << i;
			return -1;
		}
	}
	*reason = "there are not enough counters that can count them";
	if (n > PERFCTR_NR_CTRS) {
		*conflict = (uint32_t)perfctr_mask(n);
		return -1;
	}
	if (perfctr_event_assign(cpu, choices, n, option, counter, conflict) < 0) {
		*reason = no_places(cpu, choices, n, *conflict);
		return -1;
	}
	perfctr_event_order(choices, n, place, &c->nractrs, &c->nrictrs);
	for (i = 0; i < n; i++) {
		const struct perfctr_event_option *chosen = &choices[i].option[option[i]];

		make_code(cpu, &choices[i], chosen, counter[i], &code);
		put_code(cpu, &code, c, place[i]);
		c->ireset[place[i]] = choices[i].imode ? (int)choices[i].ireset : 0;
		/* Others have no tags, and these words are offcore_rsp[]. */
		c->p4.pebs_enable |= chosen->pebs_enable;
		c->p4.pebs_matrix_vert |= chosen->pebs_matrix_vert;
	}
	return 0;
}
