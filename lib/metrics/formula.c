// SPDX-License-Identifier: LGPL-2.1-or-later
/* Formulas over counts: they are compiled once, and evaluated often. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/metrics/formula.h"

/* An operand that is an operator's right one is one step with it. */
enum {
	STEP_END,
	STEP_NUMBER,
	STEP_EVENT,
	STEP_TIME,
	STEP_ADD,
	STEP_SUBTRACT,
	STEP_MULTIPLY,
	STEP_DIVIDE,
	STEP_MIN,
	STEP_MAX,
	STEP_UNLESS_LESS, /* takes two, and goes elsewhere unless the first one is less */
	STEP_GO
};

/* An operand of a kind and its operator as one number. Operators alone are below. */
#define CODE(kind, joined) ((kind)*16 + (joined))

enum { DEPTH = 16 }; /* of nested parentheses, and of the stack */

struct source {
	struct perfctr_formula *formula;
	unsigned int
		landing; /* a step before this one is not joined with what comes: a way ends here */
	const char *text, *p; /* all; the word that comes next */
	size_t length;	      /* its length; 0: the end */
	unsigned int depth, height;
	const struct perfctr_formula_facts *facts;
};

static int fail(const struct source *source, const char *why)
{
	return perfctr_fail(EINVAL, "the formula \"%.100s\" is wrong at \"%.*s\": %s", source->text,
			    perfctr_shown(strlen(source->p)), source->p, why);
}

/* The length of a word that is neither a comma nor a parenthesis. */
static size_t word_length(const char *p)
{
	bool inside = false;
	size_t n;

	for (n = 0; p[n] && !strchr(" \t()", p[n]) && (inside || p[n] != ','); n++)
		inside ^= p[n] == '/';
	return n;
}

static void next(struct source *source)
{
	source->p += source->length;
	source->p += strspn(source->p, " \t");
	source->length = *source->p && strchr("(),", *source->p) ? 1 : word_length(source->p);
}

static bool is_word(const struct source *source, const char *word)
{
	return source->length == strlen(word) && !memcmp(source->p, word, source->length);
}

static int expect(struct source *source, const char *word, const char *why)
{
	if (!is_word(source, word))
		return fail(source, why);
	next(source);
	return 0;
}

/*
 * Returns how many values the stack has more after a step. STEP_GO is at the end of the first of
 * two ways, whose values have the same place.
 */
static int growth(unsigned int what)
{
	return what <= STEP_TIME ? 1 : what == STEP_UNLESS_LESS ? -2 : -1;
}

static bool is_operand(unsigned int what)
{
	return what <= STEP_TIME;
}

/* Makes one step of an operator and the operand before it, which is its right one. */
static bool fuse(struct source *source, unsigned int what)
{
	struct perfctr_formula *formula = source->formula;
	struct perfctr_formula_step *last = &formula->step[formula->n - 1];

	if (what > STEP_MAX || !is_operand(last->what) || last->joined ||
	    source->landing == formula->n)
		return false;
	last->joined = (uint8_t)what;
	last->code = (uint8_t)CODE(last->what, what);
	return true;
}

static int add_step(struct source *source, struct perfctr_formula_step step)
{
	struct perfctr_formula *formula = source->formula;

	source->height += (unsigned int)growth(step.what);
	if (source->height > DEPTH)
		return fail(source, "it is too long");
	if (!is_operand(step.what) && fuse(source, step.what))
		return 0;
	if (formula->n == PERFCTR_FORMULA_STEPS)
		return fail(source, "it is too long");
	step.code = (uint8_t)(is_operand(step.what) ? CODE(step.what, 0) : step.what);
	formula->step[formula->n++] = step;
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Adds a decimal number, whatever the locale: digits, and perhaps a point and more digits. */
static int add_number(struct source *source)
{
	double value = 0, divisor = 1;
	size_t i, point = 0;

	for (i = 0; i < source->length; i++) {
		if (source->p[i] == '.' && !point) {
			point = i + 1;
			continue;
		}
		if (!is_digit(source->p[i]))
			return fail(source, "that is no number");
		value = value * 10 + (source->p[i] - '0');
		divisor *= point ? 10 : 1;
	}
	if (point == source->length)
		return fail(source, "digits are to follow the point");
	if (isinf(value))
		return fail(source, "that number is too large");
	next(source);
	return add_step(source, (struct perfctr_formula_step){ .what = STEP_NUMBER,
							       .number = value / divisor });
}

/* Adds an event's count or time. */
static int add_event(struct source *source, uint8_t what)
{
	struct perfctr_formula *formula = source->formula;
	unsigned int i;

	for (i = 0; i < formula->events; i++)
		if (formula->event[i].length == source->length &&
		    !memcmp(formula->event[i].name, source->p, source->length))
			break;
	if (i == PERFCTR_FORMULA_EVENTS)
		return fail(source, "it has too many events");
	if (i == formula->events)
		formula->events++;
	formula->event[i].name = source->p;
	formula->event[i].length = source->length;
	next(source);
	return add_step(source, (struct perfctr_formula_step){ .what = what, .event = (uint8_t)i });
}

static int add_sum(struct source *source);

/* This avoids comparing floats for equality, which is a warning. */
static bool is_zero(double value)
{
	return !(value > 0) && !(value < 0);
}

/* Adds min or max, of which the name has been read. */
static int add_choice(struct source *source, uint8_t what)
{
	if (expect(source, "(", "( is to follow min and max") < 0 || add_sum(source) < 0 ||
	    expect(source, ",", "min and max take two values, with a comma between") < 0 ||
	    add_sum(source) < 0 || expect(source, ")", "a ) is missing") < 0)
		return -1;
	return add_step(source, (struct perfctr_formula_step){ .what = what });
}

/* The state of the compilation at one place. */
struct mark {
	unsigned int n, events, height, landing;
	bool lacks_slots, is_estimate, has_time;
};

static struct mark mark(const struct source *source)
{
	const struct perfctr_formula *formula = source->formula;

	return (struct mark){ formula->n,	formula->events,      source->height,
			      source->landing,	formula->lacks_slots, formula->is_estimate,
			      formula->has_time };
}

static void forget(struct source *source, struct mark mark)
{
	source->formula->n = mark.n;
	source->formula->events = mark.events;
	source->formula->lacks_slots = mark.lacks_slots;
	source->formula->is_estimate = mark.is_estimate;
	source->formula->has_time = mark.has_time;
	source->height = mark.height;
	source->landing = mark.landing;
}

static void end_steps(struct perfctr_formula *formula)
{
	formula->step[formula->n] = (struct perfctr_formula_step){ .code = STEP_END };
}

/* The value of the sum that comes next, which has no events. */
static int read_condition(struct source *source, bool *is_true)
{
	struct perfctr_formula *formula = source->formula;
	struct perfctr_formula condition = { 0 };
	const char *reason;
	double value;
	int result;

	source->formula = &condition;
	result = add_sum(source);
	source->formula = formula;
	source->height--;
	if (result < 0)
		return -1;
	if (condition.events)
		return fail(source, "a condition has no events");
	formula->lacks_slots |= condition.lacks_slots;
	end_steps(&condition);
	reason = perfctr_formula_value(&condition, NULL, NULL, &value);
	if (reason)
		return fail(source, reason);
	*is_true = !is_zero(value);
	return 0;
}

/*
 * Adds if, of which the name has been read. Both ways are compiled, and the other one is forgotten.
 */
static int add_if(struct source *source)
{
	struct mark before, after;
	bool is_true;

	if (expect(source, "(", "( is to follow if") < 0 || read_condition(source, &is_true) < 0 ||
	    expect(source, ",", "if takes three values, with commas between") < 0)
		return -1;
	before = mark(source);
	if (add_sum(source) < 0 ||
	    expect(source, ",", "if takes three values, with commas between") < 0)
		return -1;
	if (!is_true)
		forget(source, before);
	after = mark(source);
	if (add_sum(source) < 0)
		return -1;
	if (is_true)
		forget(source, after);
	return expect(source, ")", "a ) is missing");
}

/* Adds where, of which the name has been read. */
static int add_where(struct source *source)
{
	struct perfctr_formula *formula = source->formula;
	unsigned int test, go;

	if (expect(source, "(", "( is to follow where") < 0 || add_sum(source) < 0 ||
	    expect(source, "<", "where compares two values, with < between") < 0 ||
	    add_sum(source) < 0 ||
	    expect(source, ",", "where takes three values, with commas between") < 0)
		return -1;
	test = formula->n;
	if (add_step(source, (struct perfctr_formula_step){ .what = STEP_UNLESS_LESS }) < 0 ||
	    add_sum(source) < 0 ||
	    expect(source, ",", "where takes three values, with commas between") < 0)
		return -1;
	go = formula->n;
	if (add_step(source, (struct perfctr_formula_step){ .what = STEP_GO }) < 0)
		return -1;
	formula->step[test].next = (uint16_t)formula->n;
	source->landing = formula->n;
	if (add_sum(source) < 0)
		return -1;
	formula->step[go].next = (uint16_t)formula->n;
	source->landing = formula->n;
	return expect(source, ")", "a ) is missing");
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Fujitsu has names with a _ first. */
static bool begins_event(char c)
{
	return is_letter(c) || c == '_';
}

/* Adds time, of which the name has been read. */
static int add_time(struct source *source)
{
	if (expect(source, "(", "( is to follow time") < 0)
		return -1;
	if (!begins_event(*source->p))
		return fail(source, "time takes an event");
	source->formula->has_time = true;
	if (add_event(source, STEP_TIME) < 0)
		return -1;
	return expect(source, ")", "a ) is missing");
}

static int add_fact(struct source *source)
{
	const struct perfctr_formula_facts *facts = source->facts;
	double value;

	if (is_word(source, "#smt"))
		value = facts->smt;
	else if (is_word(source, "#pmem"))
		value = facts->pmem;
	else if (is_word(source, "#cpus"))
		value = facts->cpus;
	else if (is_word(source, "#slots"))
		value = facts->slots;
	else if (is_word(source, "#revision"))
		value = facts->revision;
	else
		return fail(source, "the facts are #smt, #pmem, #cpus, #slots and #revision");
	source->formula->lacks_slots |= is_word(source, "#slots") && !facts->slots;
	next(source);
	return add_step(source,
			(struct perfctr_formula_step){ .what = STEP_NUMBER, .number = value });
}

/* Adds an estimate, whose ~ comes next. */
static int add_estimate(struct source *source)
{
	source->p++;
	source->length--;
	if (!source->length)
		return fail(source, "that is no number");
	source->formula->is_estimate = true;
	return add_number(source);
}

/* Whether a function comes next; then it is added, with this result. */
static bool add_function(struct source *source, int *result)
{
	static const char names[][8] = { "min", "max", "if", "where", "time" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !is_word(source, names[i]); i++)
		;
	if (i == sizeof(names) / sizeof(names[0]))
		return false;
	next(source);
	switch (i) {
	case 0: *result = add_choice(source, STEP_MIN); break;
	case 1: *result = add_choice(source, STEP_MAX); break;
	case 2: *result = add_if(source); break;
	case 3: *result = add_where(source); break;
	default: *result = add_time(source);
	}
	return true;
}

static int add_factor(struct source *source)
{
	const char *p = source->p;
	int result;

	if (add_function(source, &result))
		return result;
	if (is_digit(*p))
		return add_number(source);
	if (*p == '~')
		return add_estimate(source);
	if (*p == '#')
		return add_fact(source);
	if (begins_event(*p) || (*p == '@' && is_letter(p[1])))
		return add_event(source, STEP_EVENT);
	if (expect(source, "(", "a number, an event or ( is to stand here") < 0 ||
	    add_sum(source) < 0)
		return -1;
	return expect(source, ")", "a ) is missing");
}

static int add_product(struct source *source)
{
	bool divides;

	if (add_factor(source) < 0)
		return -1;
	while ((divides = is_word(source, "/")) || is_word(source, "*")) {
		next(source);
		if (add_factor(source) < 0 ||
		    add_step(source, (struct perfctr_formula_step){
					     .what = divides ? STEP_DIVIDE : STEP_MULTIPLY }) < 0)
			return -1;
	}
	return 0;
}

static int add_sum(struct source *source)
{
	bool subtracts;

	if (++source->depth > DEPTH)
		return fail(source, "it has too many parentheses");
	if (add_product(source) < 0)
		return -1;
	while ((subtracts = is_word(source, "-")) || is_word(source, "+")) {
		next(source);
		if (add_product(source) < 0 ||
		    add_step(source, (struct perfctr_formula_step){
					     .what = subtracts ? STEP_SUBTRACT : STEP_ADD }) < 0)
			return -1;
	}
	source->depth--;
	return 0;
}

int perfctr_formula_compile(struct perfctr_formula *formula, const char *text,
			    const struct perfctr_formula_facts *facts)
{
	struct source source = { .formula = formula, .text = text, .p = text, .facts = facts };

	formula->n = formula->events = 0;
	formula->lacks_slots = formula->is_estimate = formula->has_time = false;
	next(&source);
	if (add_sum(&source) < 0)
		return -1;
	end_steps(formula);
	return source.length ? fail(&source, "an operator with blanks around it, or the end, is "
					     "to stand here")
			     : 0;
}

static const char too_large_reason[] = "one of its numbers is too large";

/* 0; of infinity, a NaN. */
static double unless_finite(double value)
{
	return value - value;
}

static bool is_less(double a, double b, double *too_large)
{
	*too_large += unless_finite(a) + unless_finite(b);
	return a < b;
}

static double choose(unsigned int what, double a, double b, double *too_large)
{
	*too_large += unless_finite(a) + unless_finite(b);
	return (a < b) == (what == STEP_MIN) ? a : b;
}

/* What an operator makes of the top of the stack and an operand, or what a push does. */
#define OPERATORS(kind, operand)                                      \
	case CODE(kind, 0):                                           \
		*below++ = top;                                       \
		top = (operand);                                      \
		break;                                                \
	case CODE(kind, STEP_ADD): top += (operand); break;           \
	case CODE(kind, STEP_SUBTRACT): top -= (operand); break;      \
	case CODE(kind, STEP_MULTIPLY): top *= (operand); break;      \
	case CODE(kind, STEP_DIVIDE): right = (operand); goto divide; \
	case CODE(kind, STEP_MIN):                                    \
	case CODE(kind, STEP_MAX): top = choose(step->joined, top, (operand), &too_large); break

/*
 * Infinity, a number that is too large, stays one or becomes a NaN in all steps but divisors, min,
 * max and comparisons, which make a NaN of too_large. The stack is what is below the top of it.
 */
const char *perfctr_formula_run(const struct perfctr_formula_step *steps, const double *counts,
				const double *seconds, double *value)
{
	const struct perfctr_formula_step *step = steps;
	double stack[DEPTH + 1], *below = stack, top = 0, right, too_large = 0;

	for (;; step++) {
		switch (step->code) {
			OPERATORS(STEP_EVENT, counts[step->event]);
			OPERATORS(STEP_NUMBER, step->number);
			OPERATORS(STEP_TIME, seconds[step->event]);
		case STEP_ADD: top += *--below; break;
		case STEP_SUBTRACT: top = *--below - top; break;
		case STEP_MULTIPLY: top *= *--below; break;
		case STEP_DIVIDE:
			right = top;
			top = *--below;
divide:
			too_large += unless_finite(right);
			if (is_zero(right))
				return isnan(too_large) || isinf(top) ? too_large_reason
								      : "it divides by 0";
			top /= right;
			break;
		case STEP_UNLESS_LESS:
			below -= 2;
			if (!is_less(below[1], top, &too_large))
				step = steps + step->next - 1;
			top = *below;
			break;
		case STEP_GO: step = steps + step->next - 1; break;
		case STEP_MIN:
		case STEP_MAX:
			below--;
			top = choose(step->what, *below, top, &too_large);
			break;
		case STEP_END:
			if (isnan(too_large + unless_finite(top)))
				return too_large_reason;
			*value = top;
			return NULL;
		default: __builtin_unreachable(); /* There are no other codes. */
		}
	}
}

const char *perfctr_formula_value(const struct perfctr_formula *formula, const double *counts,
				  const double *seconds, double *value)
{
	return perfctr_formula_run(formula->step, counts, seconds, value);
}
