/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * formula.h - formulas over counts
 *
 *	sum = product {("+" | "-") product}	product = factor {("*" | "/") factor}
 *	factor = ["~"] number | EVENT | "@" METRIC | FACT | "(" sum ")" |
 *		("min" | "max") "(" sum "," sum ")" | "if" "(" sum "," sum "," sum ")" |
 *		"where" "(" sum "<" sum "," sum "," sum ")" | "time" "(" EVENT ")"
 *
 * A fact is #smt, 1 where each core runs several threads, else 0; #pmem, 1 where there is
 * persistent memory, else 0; #cpus, how many processors are online; #slots, how many operations a
 * core dispatches in a cycle; or, on arm64, #revision, variant * 16 + revision. "if" is decided
 * when a formula is compiled: if the condition, which has no events, is not 0, the first of the
 * last two sums counts. "where" is decided when it is evaluated, and what does not count is not
 * evaluated.
 *
 * A number with ~ before it is an estimate. Another metric's value is an input as an event's count
 * is, with its @ in the name.
 *
 * "time" is the time for which an event was enabled, in seconds, summed up as its count is.
 *
 * Words end at a blank, a comma or a parenthesis, since names of events have signs and slashes in
 * them: there are blanks around operators. Commas between slashes are part of a name.
 */
#ifndef PERFCTR_LIB_METRICS_FORMULA_H
#define PERFCTR_LIB_METRICS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PERFCTR_FORMULA_EVENTS = 48, PERFCTR_FORMULA_STEPS = 256 };

/* The steps, in the order in which they are carried out, over a stack. */
struct perfctr_formula_step {
	uint8_t what;	/* enum in formula.c */
	uint8_t joined; /* of an operand that is the right one of this operator at once; or 0 */
	uint8_t code;	/* both, for perfctr_formula_run() */
	uint8_t event;	/* index, of a step that takes one */
	uint16_t next;	/* of a step that goes on elsewhere: the index of the step there */
	double number;	/* of a step that pushes a number */
};

/* The facts about the processor. */
struct perfctr_formula_facts {
	bool smt, pmem;
	unsigned int slots; /* 0: not known */
	unsigned int revision;
	unsigned int cpus;
};

struct perfctr_formula {
	unsigned int n, events;
	bool lacks_slots; /* it needs #slots, which is not known: it has no value */
	bool is_estimate; /* it has a number that is one */
	bool has_time;
	struct perfctr_formula_step step[PERFCTR_FORMULA_STEPS + 1]; /* n, and the end */
	/* Each name occurs once, as a piece of the text, in the order of first use. */
	struct {
		const char *name;
		size_t length;
	} event[PERFCTR_FORMULA_EVENTS];
};

/* The text must live as long as the formula. 0, or -1 after perfctr_fail(EINVAL). */
int perfctr_formula_compile(struct perfctr_formula *formula, const char *text,
			    const struct perfctr_formula_facts *facts);

/*
 * The value, of counts and seconds in the order of the events; seconds may be NULL if there is no
 * time(). Why there is none; NULL: there is one.
 */
const char *perfctr_formula_value(const struct perfctr_formula *formula, const double *counts,
				  const double *seconds, double *value);

/* Does the same with the steps of a compiled formula, its end included. */
const char *perfctr_formula_run(const struct perfctr_formula_step *steps, const double *counts,
				const double *seconds, double *value);

#endif /* PERFCTR_LIB_METRICS_FORMULA_H */
