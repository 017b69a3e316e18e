// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Translates events of the processors' tables into perf_events' terms. arch/ makes the words of a
 * control of an event; the attr is made from these alone, so that a name counts the same with and
 * without a control.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "arch/isa.h"
#include "arch/power/codes.h"
#include "arch/riscv/sbi.h"
#include "arch/x86/msrs.h"
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/isa/attr.h"
#include "libperfctr.h"

/* Levels in the words, and x86's bits that are perf's own business: USR, OS, INT, EN. */
#define X86_USR	    0x00010000u
#define X86_OS	    0x00020000u
#define X86_ANY	    0x00200000u
#define X86_PERF    0x00530000u
#define X86_FIXED   0x40000000u
#define AMD_GUEST   0x00000100u /* in the upper half: bits 40 and 41 */
#define AMD_HOST    0x00000200u
#define PMEVTYPER_P 0x80000000u
#define PMEVTYPER_U 0x40000000u

/*
 * The events of Intel's fixed counters as general event codes (SDM vol. 3B, tables 20-1 and 20-2):
 * the kernel puts them there if it can. 0x300 is perf's own code for the reference cycles of
 * counter 2, and 0x400 for the slots of counter 3. An event may have another one than its counter:
 * INST_RETIRED.PREC_DIST, sampled precisely, is on counter 0 only if it is called 0x100.
 */
static const uint32_t fixed_events[] = { 0x00C0, 0x003C, 0x0300, 0x0400, 0x0073, 0x019C, 0x02C2 };

/* Sets the privilege levels; a word without any says nothing of them. */
static void set_levels(struct perf_event_attr *attr, bool user, bool kernel)
{
	if (!user && !kernel)
		return;
	attr->exclude_user = !user;
	attr->exclude_kernel = !kernel;
	attr->exclude_hv = 1;
}

/* The kernel ignores these bits in config. */
static void set_guests(const struct perfctr_code *code, struct perf_event_attr *attr)
{
	attr->config &= ~((uint64_t)(AMD_GUEST | AMD_HOST) << 32);
	perfctr_attr_set_guests(attr, code->high & AMD_GUEST, code->high & AMD_HOST);
}

/*
 * A control has one value for all events that may look at MSR_PEBS_FRONTEND. Of INT_MISC and
 * UOPS_RETIRED one event does, and Linux has the register for that one only.
 */
static __attribute__((noinline, cold)) bool looks_at_front_end(const struct perfctr_code *code)
{
	uint32_t event = code->evntsel & 0xFFFF;

	return ((event & 0xFF) != 0xC2 || event == 0x04C2) &&
	       ((event & 0xFF) != 0xAD || event == 0x40AD);
}

static inline bool x86_attr(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
			    struct perf_event_attr *attr)
{
	unsigned int fixed = code->map & 0xFFFF;

	attr->config = (code->evntsel & ~X86_PERF) | (uint64_t)code->high << 32;
	if (code->map & X86_FIXED) {
		if (fixed >= ARRAY_SIZE(fixed_events))
			return false;
		attr->config = !code->reg && code->value ? code->value : fixed_events[fixed];
		attr->config |= code->evntsel & X86_ANY;
	}
	/* Perf takes the value of a register beside the event select in config1. */
	attr->config1 = code->reg ? code->value : 0;
	if (code->reg == PEBS_FRONTEND && !looks_at_front_end(code))
		attr->config1 = 0;
	if (cpu->rules == PERFCTR_RULES_K7 && code->high & (AMD_GUEST | AMD_HOST))
		set_guests(code, attr);
	set_levels(attr, code->evntsel & X86_USR, code->evntsel & X86_OS);
	return true;
}

/*
 * The kernel has no raw code for the SBI's own hardware events, but names for them. Their numbers
 * are one higher than perf's; a cache event's code has perf's three parts. Firmware events have raw
 * codes with bit 63 (drivers/perf/riscv_pmu_sbi.c).
 */
static inline bool sbi_attr(const struct perfctr_code *code, struct perf_event_attr *attr)
{
	uint32_t event = code->evntsel;

	/* Without Sscofpmf no mode can be excluded, the hypervisor's included. */
	if (code->high & (SBI_UINH | SBI_SINH))
		set_levels(attr, !(code->high & SBI_UINH), !(code->high & SBI_SINH));
	attr->config = event | (uint64_t)(code->high & 0xFFFF) << 32;
	if (!(code->high & SBI_GENERAL))
		return true;
	if (SBI_TYPE(event) == SBI_TYPE_FIRMWARE) {
		attr->config = UINT64_C(1) << 63 | (event & 0xFFFF);
	} else if (SBI_TYPE(event) == SBI_TYPE_CACHE) {
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = (event >> 3 & 0xFF) | (event >> 1 & 3) << 8 | (event & 1) << 16;
	} else {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = event - 1;
	}
	return true;
}

static inline bool power_attr(const struct perfctr_code *code, struct perf_event_attr *attr)
{
	uint32_t levels = POWER_NOT_KERNEL | POWER_NOT_USER;

	attr->config = code->evntsel | (uint64_t)(code->high & ~levels) << 32;
	set_levels(attr, !(code->high & POWER_NOT_USER), !(code->high & POWER_NOT_KERNEL));
	return true;
}

static inline bool make_attr(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
			     struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_RAW;
	if (cpu->rules == PERFCTR_RULES_ARCH || cpu->rules == PERFCTR_RULES_K7 ||
	    cpu->rules == PERFCTR_RULES_P6)
		return x86_attr(cpu, code, attr);
	if (cpu->rules == PERFCTR_RULES_SBI)
		return sbi_attr(code, attr);
	if (cpu->rules == PERFCTR_RULES_POWER)
		return power_attr(code, attr);
	attr->config = code->evntsel | (uint64_t)code->high << 32;
	if (cpu->rules == PERFCTR_RULES_PMUV3) {
		attr->config &= 0xFFFF;
		set_levels(attr, !(code->evntsel & PMEVTYPER_U), !(code->evntsel & PMEVTYPER_P));
	}
	return cpu->rules == PERFCTR_RULES_PMUV3 || cpu->rules == PERFCTR_RULES_KERNEL;
}

bool perfctr_code_attr(const struct perfctr_cpu *cpu, const struct perfctr_code *code,
		       struct perf_event_attr *attr)
{
	return make_attr(cpu, code, attr);
}

bool perfctr_attr_counts_instructions(const struct perfctr_cpu *cpu,
				      const struct perf_event_attr *attr)
{
	uint64_t code;

	switch (cpu->rules) {
	/* See SDM vol. 3B, 20.2.1.2; AMD's manuals (PMCx0C0) have the same since the K7. */
	case PERFCTR_RULES_P6:
	case PERFCTR_RULES_K7:
	case PERFCTR_RULES_ARCH: code = 0xC0; break;
	/* This is INST_RETIRED: Arm ARM, D11.11. */
	case PERFCTR_RULES_PMUV3: code = 0x08; break;
	default: return false;
	}
	/* This is INST_RETIRED.PREC_DIST, which counts the same. */
	if (cpu->rules == PERFCTR_RULES_ARCH && attr->config == 0x100)
		code = 0x100;
	return attr->config == code && !attr->config1 && !attr->exclude_user && !attr->exclude_host;
}

/* This is Arm's CHAIN: Linux 7.2 refuses it, and 6.1 never counts it (armv8pmu_filter_match()). */
#define PMUV3_CHAIN 0x001Eu

const char *perfctr_code_refused(const struct perfctr_cpu *cpu, const struct perfctr_code *code)
{
	return cpu->rules == PERFCTR_RULES_PMUV3 && (code->evntsel & 0xFFFF) == PMUV3_CHAIN
		       ? "CHAIN counts the overflows of the counter below its own, and perf_events "
			 "places counters itself; leave it out, for counts have 64 bits without it"
		       : NULL;
}

int perfctr_fail_choice(const struct perfctr_cpu *cpu, const char *names, size_t length,
			const char *reason)
{
	return perfctr_fail(EOPNOTSUPP, "%.*s can't be counted on the %s: %s", (int)length, names,
			    cpu->name, reason);
}

/*
 * The code of an event on the counter that is named, as the ISA's choice_code(). A control says
 * whether the processor has the counter, and the counter the event.
 */
static __attribute__((noinline, cold)) const char *
named_code(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
	   struct perfctr_code *code)
{
	uint32_t control[PERFCTR_CONTROL_WORDS] = { 0 }, conflict;
	const char *reason = NULL;
	unsigned int place;

	if (cpu->isa->encode(cpu, choice, 1, control, &place, &conflict, &reason) < 0)
		return reason;
	cpu->isa->control_code(cpu, control, place, code);
	/* A control does not have perf's own code of an event. */
	if (!code->reg)
		code->value = choice->option[0].value;
	return NULL;
}

int perfctr_event_attr(const struct perfctr_cpu *cpu, const struct perfctr_event_choice *choice,
		       const char *word, size_t length, struct perf_event_attr *attr)
{
	struct perfctr_code code;
	const char *reason = choice->named ? named_code(cpu, choice, &code)
					   : cpu->isa->choice_code(cpu, choice, &code);

	if (!reason)
		reason = perfctr_code_refused(cpu, &code);
	if (reason)
		return perfctr_fail_choice(cpu, word, length, reason);
	if (!make_attr(cpu, &code, attr))
		return perfctr_fail(EOPNOTSUPP,
				    "perf_events can't count %.*s on the %s, whose events "
				    "it knows by names of its own; load the perfctr driver",
				    (int)length, word, cpu->name);
	attr->precise_ip = choice->precise;
	return 0;
}
