/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rules.h - helpers for the tests of the control rules: trying controls with some words changed,
 * and looking at programs. Before it the includer includes its ISA's ABI header; after it, it says
 * what is tested.
 */
#ifndef PERFCTR_TESTS_RULES_H
#define PERFCTR_TESTS_RULES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "arch/isa.h"

static struct tested {
	const struct perfctr_isa *isa;
	uint32_t (*control_register)(const struct perfctr_cpu *cpu, unsigned int slot);
	int (*setup)(const struct perfctr_cpu *cpu, unsigned int n, uint32_t *reg, uint64_t *value);
	unsigned int negative; /* as programs have it */
} tested;

/* ---- a control with some words changed is refused for one reason, or accepted ---- */

/* A word of the control: its number, counted from 1, so that 0 ends a list. */
struct word {
	size_t number;
	uint32_t value;
};

#define W(member, value)                                                                   \
	{                                                                                  \
		offsetof(struct perfctr_cpu_control, member) / sizeof(uint32_t) + 1, value \
	}

struct trial {
	const char *name;
	struct word set[7]; /* the last is empty */
	const char *rule;   /* words of it; NULL: the control is accepted */
	const char *field;
	int index;
	uint32_t bits;
	int forbidden; /* the errno is EPERM, and not EINVAL */
};

static const char ignored[] = "ignored";

#define ACCEPTED			    NULL, NULL, 0, 0, 0
#define IGNORED				    ignored, NULL, 0, 0, 0 /* accepted, and nothing comes of the last word */
#define REFUSED(field, index, bits, rule)   rule, field, index, bits, 0
#define FORBIDDEN(field, index, bits, rule) rule, field, index, bits, 1

static struct perfctr_cpu named(const char *id)
{
	struct perfctr_cpu cpu;

	ck_assert_msg(perfctr_cpu_named(id, &cpu) == 0, "no %s", id);
	return cpu;
}

static void refused_with(const char *name, const struct perfctr_cpu *cpu,
			 const struct perfctr_cpu_control *control, unsigned int flags,
			 const char *field, int index, uint32_t bits, int forbidden,
			 const char *rule)
{
	struct perfctr_diagnosis d = { .forbidden = 2 };
	struct perfctr_program program;

	ck_assert_msg(tested.isa->compile(cpu, control, flags, &program, &d) == -1,
		      "%s, %s: accepted, and not \"%s\"", cpu->id, name, rule);
	ck_assert_msg(!strcmp(d.field, field) && d.index == index && d.bits == bits &&
			      strstr(d.rule, rule) != NULL && d.forbidden == forbidden,
		      "%s, %s: %s[%d] %#x \"%s\" (%d), and not %s[%d] %#x \"%s\" (%d)", cpu->id,
		      name, d.field, d.index, d.bits, d.rule, d.forbidden, field, index, bits, rule,
		      forbidden);
}

#define refused(name, cpu, control, field, index, bits, rule) \
	refused_with(name, cpu, control, 0, field, index, bits, 0, rule)
#define forbidden(name, cpu, control, field, index, bits, rule) \
	refused_with(name, cpu, control, 0, field, index, bits, 1, rule)

/* The program has only registers that the processor's list has, each once. */
static struct perfctr_program accepted_with(const char *name, const struct perfctr_cpu *cpu,
					    const struct perfctr_cpu_control *control,
					    unsigned int flags)
{
	struct perfctr_cpu_control copy = *control;
	struct perfctr_diagnosis d = { 0 };
	struct perfctr_program program;
	unsigned int i, j;

	memset(&program, 0xA5, sizeof(program));
	ck_assert_msg(tested.isa->compile(cpu, control, flags, &program, &d) == 0,
		      "%s, %s: %s[%d] %#x \"%s\"", cpu->id, name, d.field, d.index, d.bits, d.rule);
	ck_assert_mem_eq(control, &copy, sizeof(copy));
	ck_assert_uint_eq(program.nractrs, control->nractrs);
	ck_assert_uint_eq(program.nrctrs, control->nractrs + control->nrictrs);
	ck_assert_uint_le(program.nr_writes, PERFCTR_WRITES);
	for (i = 0; i < program.nr_writes; i++) {
		ck_assert_uint_lt(program.write[i].slot, PERFCTR_SLOTS);
		ck_assert_uint_ne(program.write[i].reg, 0);
		ck_assert_uint_eq(program.write[i].reg,
				  tested.control_register(cpu, program.write[i].slot));
		for (j = 0; j < i; j++)
			ck_assert_uint_ne(program.write[i].slot, program.write[j].slot);
	}
	ck_assert_uint_eq(program.id, 0);
	ck_assert_uint_eq(program.negative, tested.negative);
	ck_assert_uint_le(program.nr_clears, tested.negative ? PERFCTR_CLEARS : 0);
	if (!tested.negative)
		ck_assert_int_eq(program.async, -1);
	/* Nothing is left as it was. */
	if (program.async < 0) {
		ck_assert_int_eq(program.async, -1);
		ck_assert_uint_eq(program.async_value, 0);
		ck_assert_uint_eq(program.async_stopped, 0);
	}
	ck_assert_uint_le(program.stops, 1);
	ck_assert_uint_le(program.by_register, 1);
	ck_assert_uint_le(program.privileged, 1);
	ck_assert_uint_le(program.core_shared, 1);
	ck_assert_uint_le(program.one_core, 1);
	ck_assert_uint_eq(program.ack_reg >> 16, 0);
	return program;
}

#define accepted(name, cpu, control) accepted_with(name, cpu, control, 0)

static void try(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *base,
		unsigned int flags, const struct trial *trials, size_t n)
{
	struct perfctr_program program, same;
	struct perfctr_cpu_control c;
	const struct word *w;
	size_t i;

	for (i = 0; i < n; i++) {
		c = *base;
		for (w = trials[i].set; w->number; w++)
			memcpy((char *)&c + (w->number - 1) * sizeof(uint32_t), &w->value,
			       sizeof(w->value));
		if (trials[i].rule == ignored) {
			program = accepted_with(trials[i].name, cpu, &c, flags);
			memcpy((char *)&c + (w[-1].number - 1) * sizeof(uint32_t),
			       (const char *)base + (w[-1].number - 1) * sizeof(uint32_t),
			       sizeof(uint32_t));
			same = accepted_with(trials[i].name, cpu, &c, flags);
			ck_assert_msg(memcmp(&program, &same, sizeof(same)) == 0,
				      "%s, %s: not ignored", cpu->id, trials[i].name);
		} else if (trials[i].rule)
			refused_with(trials[i].name, cpu, &c, flags, trials[i].field,
				     trials[i].index, trials[i].bits, trials[i].forbidden,
				     trials[i].rule);
		else
			accepted_with(trials[i].name, cpu, &c, flags);
	}
}

#define TRY_WITH(cpu, base, flags, ...)                            \
	do {                                                       \
		const struct trial trials[] = { __VA_ARGS__ };     \
		try(cpu, base, flags, trials, ARRAY_SIZE(trials)); \
	} while (0)

#define TRY(cpu, base, ...) TRY_WITH(cpu, base, 0, __VA_ARGS__)

/*
 * Set each bit of a word alone: the reserved ones are refused by the rule, those to skip have other
 * rules, all others are accepted.
 */
static inline void sweep(const struct perfctr_cpu *cpu, const struct perfctr_cpu_control *base,
			 size_t offset, const char *field, int index, uint32_t reserved,
			 uint32_t skip, unsigned int flags, int forbidden, const char *rule)
{
	struct perfctr_cpu_control c;
	char name[80];
	uint32_t word;
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		uint32_t mask = 1u << bit;

		c = *base;
		memcpy(&word, (char *)&c + offset, sizeof(word));
		word |= mask;
		memcpy((char *)&c + offset, &word, sizeof(word));
		snprintf(name, sizeof(name), "%s[%d] bit %u", field, index, bit);
		if (reserved & mask)
			refused_with(name, cpu, &c, flags, field, index, mask, forbidden, rule);
		else if (!(skip & mask))
			accepted_with(name, cpu, &c, flags);
	}
}

#define SWEEP_WITH(cpu, base, member, i, reserved, skip, flags, forbidden, rule)                \
	sweep(cpu, base, offsetof(struct perfctr_cpu_control, member[i]), #member, i, reserved, \
	      skip, flags, forbidden, rule)
#define SWEEP(cpu, base, member, i, reserved, skip, rule) \
	SWEEP_WITH(cpu, base, member, i, reserved, skip, 0, 0, rule)
#define SWEEP_FORBIDDEN(cpu, base, member, i, reserved, skip, rule) \
	SWEEP_WITH(cpu, base, member, i, reserved, skip, 0, 1, rule)

/* ---- what a program is ---- */

static inline void writes_are(const struct perfctr_program *p, const struct perfctr_write *w,
			      size_t n)
{
	size_t i;

	ck_assert_uint_eq(p->nr_writes, n);
	for (i = 0; i < n; i++)
		ck_assert_msg(p->write[i].slot == w[i].slot && p->write[i].reg == w[i].reg &&
				      p->write[i].value == w[i].value &&
				      p->write[i].stopped == w[i].stopped,
			      "write %zu: { %u, %#x, %#llx, %#llx }", i, p->write[i].slot,
			      p->write[i].reg, (unsigned long long)p->write[i].value,
			      (unsigned long long)p->write[i].stopped);
}

/* All that a place says but the second register of a pair. */
struct expected_place {
	uint32_t map, reg;
	uint64_t mask, ack;
	uint32_t ireset;
};

/* upper: the second registers, or NULL for none. */
static inline void counters_are(const struct perfctr_program *p, const struct expected_place *c,
				const uint32_t *upper, size_t n)
{
	size_t i;

	ck_assert_uint_eq(p->nrctrs, n);
	for (i = 0; i < n; i++)
		ck_assert_msg(p->counter[i].map == c[i].map && p->counter[i].reg == c[i].reg &&
				      p->counter[i].mask == c[i].mask &&
				      p->counter[i].ack == c[i].ack &&
				      p->counter[i].ireset == c[i].ireset &&
				      p->counter[i].upper == (upper ? upper[i] : 0),
			      "counter %zu: { %#x, %#x, %#llx, %#llx, %#x } %#x", i,
			      p->counter[i].map, p->counter[i].reg,
			      (unsigned long long)p->counter[i].mask,
			      (unsigned long long)p->counter[i].ack, p->counter[i].ireset,
			      p->counter[i].upper);
}

#define WRITES(program, ...)                                         \
	do {                                                         \
		const struct perfctr_write list[] = { __VA_ARGS__ }; \
		writes_are(program, list, ARRAY_SIZE(list));         \
	} while (0)

#define COUNTERS(program, ...)                                        \
	do {                                                          \
		const struct expected_place list[] = { __VA_ARGS__ }; \
		counters_are(program, list, NULL, ARRAY_SIZE(list));  \
	} while (0)

/* The registers of the slots from 0 on; all further slots are empty. */
static inline void registers_are(const struct perfctr_cpu *cpu, const uint32_t *regs, size_t n)
{
	unsigned int slot;

	for (slot = 0; slot < 300; slot++)
		ck_assert_msg(tested.control_register(cpu, slot) == (slot < n ? regs[slot] : 0),
			      "%s: slot %u is %#x", cpu->id, slot,
			      tested.control_register(cpu, slot));
	ck_assert_uint_eq(tested.control_register(cpu, 0xFFFFFFFF), 0);
}

#define REGISTERS(cpu, ...)                                 \
	do {                                                \
		const uint32_t list[] = { __VA_ARGS__ };    \
		registers_are(cpu, list, ARRAY_SIZE(list)); \
	} while (0)

/* The members that a control has, in the order in which they are printed. */
static inline void fields_are(const struct perfctr_cpu *cpu, const struct perfctr_field *list,
			      size_t n)
{
	const struct perfctr_field *found = tested.isa->fields(cpu);
	size_t i;

	for (i = 0; i < n; i++)
		ck_assert_msg(!strcmp(found[i].name, list[i].name) &&
				      found[i].offset == list[i].offset &&
				      found[i].count == list[i].count,
			      "%s, field %zu: %s, %u of them at %u", cpu->id, i, found[i].name,
			      found[i].count, found[i].offset);
	ck_assert_str_eq(found[n].name, "");
}

/* count: elements of an array; 0: none. */
#define MEMBER(member, count)                                                \
	{                                                                    \
#member, offsetof(struct perfctr_cpu_control, member), count \
	}
#define FIELDS(cpu, ...)                                             \
	do {                                                         \
		const struct perfctr_field list[] = { __VA_ARGS__ }; \
		fields_are(cpu, list, ARRAY_SIZE(list));             \
	} while (0)

/* One register to set up, or none if reg is 0. */
static inline void setup_is(const struct perfctr_cpu *cpu, uint32_t reg, uint64_t value)
{
	uint64_t v = 0;
	uint32_t r = 0;
	unsigned int n = 0;

	if (reg) {
		ck_assert_int_eq(tested.setup(cpu, n++, &r, &v), 0);
		ck_assert_uint_eq(r, reg);
		ck_assert_uint_eq(v, value);
	}
	ck_assert_int_eq(tested.setup(cpu, n, &r, &v), -1);
	ck_assert_int_eq(tested.setup(cpu, 0xFFFFFFFF, &r, &v), -1);
}

#endif /* PERFCTR_TESTS_RULES_H */
