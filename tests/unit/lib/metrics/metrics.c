// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics: formulas, values of known counts, groups, reasons; each metric's events are in its
 * tables. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "arch/events.h"
#include "arch/isa.h"
#include "lib/base/file.h"
#include "lib/metrics/expand.h"
#include "lib/metrics/facts.h"
#include "lib/metrics/formula.h"
#include "lib/metrics/records.h"
#include "lib/names/known.h"
#include "lib/metrics/threshold.h"
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/root.h"

/* ---- memory ---- */

/* The nth allocation from now on fails; 0: none. */
static unsigned int no_memory;

static bool fails(void)
{
	return no_memory && --no_memory == 0;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
int __wrap_asprintf(char **text, const char *format, ...);

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, n, size);
}

/* What is in *text after a failure is undefined. */
__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int result;

	*text = (char *)&no_memory;
	if (fails())
		return -1;
	va_start(args, format);
	result = vasprintf(text, format, args);
	va_end(args);
	return result;
}

/* ---- formulas ---- */

static const struct perfctr_formula_facts smt = { .smt = true,
						  .pmem = true,
						  .slots = 6,
						  .revision = 0x12,
						  .cpus = 4 },
					  plain = { .smt = false };

/* The value with a = 2, b = 3, c-d = 5, PMU/x=1,y/ = 7, E:M:c=1 = 11, @m_%n-o = 13, _0X = 17; else
 * 0. */
static double value_of(const char *text)
{
	static const struct {
		const char *name;
		double count;
	} known[] = { { "a", 2 },	 { "b", 3 },	    { "c-d", 5 }, { "PMU/x=1,y/", 7 },
		      { "E:M:c=1", 11 }, { "@m_%n-o", 13 }, { "_0X", 17 } };
	struct perfctr_formula formula;
	double counts[PERFCTR_FORMULA_EVENTS] = { 0 }, value = -1;
	unsigned int i, k;

	ck_assert_msg(perfctr_formula_compile(&formula, text, &smt) == 0, "%s", perfctr_error());
	for (i = 0; i < formula.events; i++)
		for (k = 0; k < ARRAY_SIZE(known); k++)
			if (strlen(known[k].name) == formula.event[i].length &&
			    !memcmp(known[k].name, formula.event[i].name, formula.event[i].length))
				counts[i] = known[k].count;
	ck_assert_ptr_null(perfctr_formula_value(&formula, counts, NULL, &value));
	return value;
}

START_TEST(formulas)
{
	static const struct {
		const char *text;
		double value;
	} all[] = {
		{ "42", 42 },
		{ "0.125", 0.125 },
		{ "10.50", 10.5 },
		{ "a", 2 },
		{ " a + b ", 5 },
		{ "a - b - c-d", -6 },
		{ "a - (b - c-d)", 4 },
		{ "a + b * c-d", 17 },
		{ "(a + b) * c-d", 25 },
		{ "a / b / 2", 2.0 / 3 / 2 },
		{ "a / 0.5", 4 },
		{ "a / (a - b)", -2 },
		{ "a / (b / 2)", 2 / (3.0 / 2) },
		{ "c-d / a * 4", 10 },
		{ "1 - a / 4 - 1 / 4", 0.25 },
		{ "min(a, b)", 2 },
		{ "min(b,a) + 1", 3 },
		{ "max ( a , b ) * 2", 6 },
		{ "max(b, a)", 3 },
		{ "min(max(a, b), c-d - a)", 3 },
		{ "PMU/x=1,y/ + E:M:c=1", 18 },
		{ "min(PMU/x=1,y/, 9)", 7 },
		{ "minute + maximum + a", 2 },
		{ "@m_%n-o - a", 11 },
		{ "_0X - a", 15 },
		{ "~1.5 * a + ~2", 5 },
		/* Only the way that counts is evaluated, and what comes after it is after both. */
		{ "where(a < b, c-d, E:M:c=1)", 5 },
		{ "where(b < a, c-d, E:M:c=1)", 11 },
		{ "where(a < a, c-d, E:M:c=1)", 11 },
		{ "where(a < b, c-d, 1 / 0) * 2 + b", 13 },
		{ "where(b < a, 1 / 0, a) + where(a < b, b, 1 / 0)", 5 },
		{ "b - where(a < b, a, b) * a", -1 },
		{ "b + where(b < a, a, a * c-d) * a", 23 },
		{ "where(a + 1 < b * 2, where(b < a, 1, c-d - 1), 9) / a", 2 },
		{ "where(b < a, 9, where(a < b, c-d, 1)) - where(a < b, a, b)", 3 },
		{ "a + if(1, where(a < b, b, c-d), where(b < a, 1, 2)) * a", 8 },
		{ "a + if(0, where(a < b, b, c-d), where(b < a, 1, c-d)) * a", 12 },
		{ "where(a < b, if(0, a, b), 9) + a", 5 },
		{ "(((((((((((((((a)))))))))))))))", 2 },
		{ "Zz + zZ + Aa + a", 2 },
		/* As many values wait for another as there is room for. */
		{ "1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + a)))))))",
		  10 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		double value = value_of(all[i].text);

		ck_assert_msg(fabs(value - all[i].value) < 1e-15, "%s: %.17g", all[i].text, value);
	}
}
END_TEST

START_TEST(wrong_formulas)
{
	static const struct {
		const char *text, *words;
	} all[] = {
		{ "", "wrong at \"\": a number, an event or (" },
		{ "a +", "wrong at \"\": a number" },
		{ "a b", "wrong at \"b\": an operator" },
		{ "a+b", "" }, /* an event of that name: no error */
		{ "a)", "wrong at \")\": an operator" },
		{ "(a", "a ) is missing" },
		{ "* a", "wrong at \"* a\": a number" },
		{ "a , b", "wrong at \", b\": an operator" },
		{ "min(a)", "min and max take two values" },
		{ "min(a, b", "a ) is missing" },
		{ "min a", "( is to follow min and max" },
		{ "min(a, b, 3)", "a ) is missing" },
		{ "1e3", "that is no number" },
		{ "1.2.3", "that is no number" },
		{ "1.", "digits are to follow" },
		{ "-1", "a number, an event or (" },
		{ "%a", "a number, an event or (" },
		{ "((((((((((((((((a))))))))))))))))", "too many parentheses" },
		{ "1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * (1 + 1 * a)))))))",
		  "it is too long" },
		{ "1+1+1", "that is no number" },
		{ "if a", "( is to follow if" },
		{ "if(1, a)", "if takes three values" },
		{ "if(1)", "if takes three values" },
		{ "if(1, a, b, 3)", "a ) is missing" },
		{ "if(a, b, 3)", "a condition has no events" },
		{ "if(1 / 0, b, 3)", "it divides by 0" },
		{ "if(* 1, b, 3)", "a number, an event or (" },
		{ "if(1, b, * 3)", "a number, an event or (" },
		{ "time a", "( is to follow time" },
		{ "time(1)", "time takes an event" },
		{ "time(a", "a ) is missing" },
		{ "time(a + b)", "a ) is missing" },
		{ "~", "that is no number" },
		{ "~ 1", "that is no number" },
		{ "~a", "that is no number" },
		{ "@", "a number, an event or (" },
		{ "@1", "a number, an event or (" },
		{ "where a", "( is to follow where" },
		{ "where(a, b, c)", "where compares two values" },
		{ "where(a < b)", "where takes three values" },
		{ "where(a < b, c)", "where takes three values" },
		{ "where(a < b, a, b, 3)", "a ) is missing" },
		{ "where(* a < b, a, b)", "a number, an event or (" },
		{ "where(a < * b, a, b)", "a number, an event or (" },
		{ "where(a < b, * a, b)", "a number, an event or (" },
		{ "where(a < b, a, * b)", "a number, an event or (" },
		{ "#cores", "the facts are #smt, #pmem, #cpus, #slots and #revision" },
		{ "#slot", "the facts are" },
	};
	static const struct {
		char what;
		const char *words;
	} long_ones[] = {
		{ '(', "it has too many parentheses" },
		{ '9', "that number is too large" },
		{ ' ', "a number, an event or (" },
		{ '/', "a number, an event or (" },
	};
	struct perfctr_formula formula;
	char text[2000] = "1", events[6 * PERFCTR_FORMULA_EVENTS + 8], huge[100001];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (*all[i].words)
			ck_fails(perfctr_formula_compile(&formula, all[i].text, &smt), EINVAL,
				 all[i].words);
	/* A number with its operator is one step. */
	for (i = 1; i < PERFCTR_FORMULA_STEPS; i++)
		strcat(text, " + 1");
	ck_assert(fabs(value_of(text) - PERFCTR_FORMULA_STEPS) < 0.5);
	strcat(text, " + 1");
	ck_fails(perfctr_formula_compile(&formula, text, &smt), EINVAL, "it is too long");
	for (i = 0; i < PERFCTR_FORMULA_EVENTS; i++)
		snprintf(events + 6 * i, sizeof(events) - 6 * i, "e%02u + ", i);
	strcat(events, "e00");
	ck_assert_int_eq(perfctr_formula_compile(&formula, events, &smt), 0);
	memcpy(events + strlen(events) - 3, "e99", 3);
	ck_fails(perfctr_formula_compile(&formula, events, &smt), EINVAL, "too many events");
	/* However much there is of it. */
	for (i = 0; i < ARRAY_SIZE(long_ones); i++) {
		memset(huge, long_ones[i].what, sizeof(huge) - 1);
		huge[sizeof(huge) - 1] = '\0';
		ck_fails(perfctr_formula_compile(&formula, huge, &smt), EINVAL, long_ones[i].words);
	}
}
END_TEST

/* The way that is not taken has no events and no steps. */
START_TEST(conditions)
{
	const char *text = "1 + if(#smt, a / 2 * (1 + b / c), if(#smt - 1, d, a)) + e";
	struct perfctr_formula formula;
	const double counts[] = { 8, 3, 2, 100 };
	char many[400] = "if(1, a, b)";
	unsigned int i;
	double value;

	ck_assert_int_eq(perfctr_formula_compile(&formula, text, &smt), 0);
	ck_assert_int_eq((int)formula.events, 4);
	ck_assert_ptr_null(perfctr_formula_value(&formula, counts, NULL, &value));
	ck_assert(value > 110.9 && value < 111.1);
	ck_assert_int_eq(perfctr_formula_compile(&formula, text, &plain), 0);
	ck_assert_int_eq((int)formula.events, 2);
	ck_assert(formula.event[0].name[0] == 'd' && formula.event[1].name[0] == 'e');
	ck_assert_ptr_null(perfctr_formula_value(&formula, counts, NULL, &value));
	ck_assert(value > 11.9 && value < 12.1);
	/* Nor a place on the stack. */
	for (i = 1; i < 20; i++)
		strcat(many, " + if(1, a, b)");
	ck_assert(value_of(many) > 39.9 && value_of(many) < 40.1);
}
END_TEST

/* What a processor is; what is not known of it leaves no value. */
START_TEST(facts)
{
	struct perfctr_formula formula;

	ck_assert(fabs(value_of("a + #slots * 10 + #smt * 100 + #revision * 1000") - 18162) < 1e-9);
	ck_assert(fabs(value_of("a + #pmem * 10 + #cpus * 100") - 412) < 1e-9);
	/* Estimates, and times, are those of the ways that are taken. */
	ck_assert_int_eq(perfctr_formula_compile(&formula, "a * ~3", &smt), 0);
	ck_assert(formula.is_estimate && !formula.has_time);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "if(#smt, a / time(b), ~3 * a)", &smt),
			 0);
	ck_assert(!formula.is_estimate && formula.has_time);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "if(#smt, ~3 * a, a / time(b))", &smt),
			 0);
	ck_assert(formula.is_estimate && !formula.has_time);
	/* From revision 0x12 on, or not from 0x13 on. */
	ck_assert(fabs(value_of("if(max(#revision - 17, 0), a, b)") - 2) < 1e-15);
	ck_assert(fabs(value_of("if(max(#revision - 18, 0), a, b)") - 3) < 1e-15);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "a / #slots", &smt), 0);
	ck_assert(!formula.lacks_slots);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "a / #slots", &plain), 0);
	ck_assert(formula.lacks_slots);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "a / #smt", &plain), 0);
	ck_assert(!formula.lacks_slots);
	/* Of a way that is not taken nothing lacks; a condition decides which one it is. */
	ck_assert_int_eq(perfctr_formula_compile(&formula, "if(#smt, #slots, a)", &plain), 0);
	ck_assert(!formula.lacks_slots);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "if(1, a, #slots)", &plain), 0);
	ck_assert(!formula.lacks_slots);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "#slots + if(0, a, b)", &plain), 0);
	ck_assert(formula.lacks_slots);
	ck_assert_int_eq(perfctr_formula_compile(&formula, "if(#slots, a, b)", &plain), 0);
	ck_assert(formula.lacks_slots);
}
END_TEST

/* How many processors are online, as sysconf(3) says; 0: as many as there are. */
static long online;

long __real_sysconf(int name);
long __wrap_sysconf(int name);

long __wrap_sysconf(int name)
{
	return online && name == _SC_NPROCESSORS_ONLN ? online : __real_sysconf(name);
}

START_TEST(facts_of_processors)
{
	ck_assert_uint_eq(perfctr_facts_of("skylake", "").cpus, 1);
	ck_assert_int_eq(perfctr_facts_of(NULL, "").cpus, sysconf(_SC_NPROCESSORS_ONLN));
	online = 96;
	ck_assert_uint_eq(perfctr_facts_of(NULL, "").cpus, 96);
	online = -1;
	ck_assert_uint_eq(perfctr_facts_of(NULL, "").cpus, 1);
	online = 0;
}
END_TEST

/* As sysfs has them, or not. */
START_TEST(facts_of_machines)
{
	static const struct {
		const char *slots, *midr, *smt;
		unsigned int facts[3];
	} all[] = {
		{ "0x0000000a", "0x00000000411fd493", "1", { 1, 10, 0x13 } },
		{ "0x00000000", "0x410fd490", "0", { 0, 0, 0 } },
		{ "0xffffffffff", "nonsense", "nonsense", { 0, 0, 0 } },
		{ "-1", "-1", "-1", { 1, 0, 0xFF } },
		{ "255", "0", "1", { 1, 255, 0 } },
		{ "256", "0", "1", { 1, 0, 0 } },
		{ NULL, NULL, NULL, { 0, 0, 0 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_formula_facts found;

		root_make();
		if (all[i].slots) {
			root_line("armv8_pmuv3_0/type", "8");
			root_line("armv8_pmuv3_0/cpus", "0-3");
			root_line("armv8_pmuv3_0/caps/slots", all[i].slots);
			root_line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				  all[i].midr);
			root_line("/sys/devices/system/cpu/smt/active", all[i].smt);
		}
		found = perfctr_facts_of(NULL, "");
		ck_assert_uint_eq(found.smt, all[i].facts[0]);
		ck_assert_uint_eq(found.slots, all[i].facts[1]);
		ck_assert_uint_eq(found.revision, all[i].facts[2]);
		found = perfctr_facts_of("neoverse-n2", "");
		ck_assert(found.smt && found.slots == 0 && found.revision == 0xFF);
		root_remove();
		unsetenv("PERFCTR_ROOT");
	}
}
END_TEST

/* ---- PMUs beside the cores' ---- */

/* A machine whose PMU "power" says this of energy-pkg; NULL: it says nothing. */
static void make_power(const char *scale, const char *unit)
{
	root_make();
	root_line("power/type", "12");
	root_line("power/format/event", "config:0-7");
	root_line("power/events/energy-pkg", "event=0x02");
	if (scale)
		root_line("power/events/energy-pkg.scale", scale);
	if (unit)
		root_line("power/events/energy-pkg.unit", unit);
}

static void end_machine(void)
{
	root_remove();
	unsetenv("PERFCTR_ROOT");
}

struct wanted {
	const char *name;
	char reason[100];
};

static int find_wanted(void *arg, const struct perfctr_metric *metric)
{
	struct wanted *wanted = arg;

	/* The reason is there whatever fails meanwhile. */
	ck_assert_int_eq(perfctr_event_check("nonsense"), -1);
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "nonsense"));
	if (!strcmp(metric->name, wanted->name))
		snprintf(wanted->reason, sizeof(wanted->reason), "%s",
			 metric->reason ? metric->reason : "");
	return 0;
}

/* Why the machine can't name one of the metric's events; "": it can. */
static const char *listed_reason(const char *name)
{
	static struct wanted wanted;

	wanted = (struct wanted){ name, "it is not listed" };
	perfctr_metrics_list(NULL, find_wanted, &wanted);
	return wanted.reason;
}

/* What sysfs says of units may be nonsense, and is no number then. */
START_TEST(energies)
{
	static const struct {
		const char *scale, *unit;
		double joules; /* of 1,000; 0: there are none */
	} all[] = {
		{ "0.5", "Joules", 500 },
		{ "2.5e-3", "Joules", 2.5 },
		{ NULL, "Joules", 1000 },
		{ "0.5", NULL, 0 },
		{ NULL, NULL, 0 },
		{ "0.5", "MiB", 0 },
		{ "0.5", "Joules2", 0 },
		{ "nan", "Joules", 0 },
		{ "-1", "Joules", 0 },
		{ "1e999", "Joules", 0 },
		{ "0.5 Joules", "Joules", 0 },
		{ "", "", 0 },
	};
	const struct perfctr_reading readings[] = {
		{ .value = 1000, .enabled = 250000000, .running = 250000000 }
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		struct perfctr_metrics *metrics;
		struct perfctr_metric_value value;

		make_power(all[i].scale, all[i].unit);
		metrics = perfctr_metrics_open("energy-pkg,power-pkg", NULL);
		ck_assert_str_eq(perfctr_metrics_events(metrics, NULL), "{power/energy-pkg/}");
		perfctr_metrics_value(metrics, 0, readings, &value);
		if (all[i].joules > 0) {
			ck_assert_msg(fabs(value.value - all[i].joules) < 1e-9, "%u: %f", i,
				      value.value);
			/* In a quarter of a second. */
			perfctr_metrics_value(metrics, 1, readings, &value);
			ck_assert(fabs(value.value - 4 * all[i].joules) < 1e-9);
			ck_assert_str_eq(listed_reason("energy-pkg"), "");
		} else {
			ck_assert_msg(value.reason && strstr(value.reason, "how many Joules"),
				      "%u: %f", i, value.value);
			ck_assert_str_eq(listed_reason("energy-pkg"), value.reason);
		}
		perfctr_metrics_close(metrics);
		end_machine();
	}
}
END_TEST

/* SVE's operations are counted for each 128 bits of a vector, of which A64FX has 512, and MONAKA
 * 256. */
START_TEST(widths_of_vectors)
{
	static const struct {
		const char *cpu;
		double operations;
	} cpus[] = { { "a64fx", 403 }, { "monaka", 203 } };
	static const char *const names[] = { "PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_SP_OPS" };
	const struct perfctr_reading readings[] = { { .value = 100, .enabled = 8, .running = 8 },
						    { .value = 3, .enabled = 8, .running = 8 } };
	struct perfctr_metric_value value;
	struct perfctr_metrics *metrics;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		for (k = 0; k < ARRAY_SIZE(names); k++) {
			metrics = perfctr_metrics_open(names[k], cpus[i].cpu);
			ck_assert_msg(metrics != NULL, "%s", perfctr_error());
			perfctr_metrics_value(metrics, 0, readings, &value);
			ck_assert_msg(fabs(value.value - cpus[i].operations) < 1e-9, "%s of %s: %g",
				      names[k], cpus[i].cpu, value.value);
			perfctr_metrics_close(metrics);
		}
	}
}
END_TEST

/* A scale that no double has room for; of another machine; none. */
START_TEST(other_scales)
{
	const struct perfctr_reading readings[] = { { .value = 1000, .enabled = 8, .running = 8 } };
	struct perfctr_metrics *metrics;
	struct perfctr_metric_value value;

	make_power("1e307", "Joules");
	metrics = perfctr_metrics_open("energy-pkg", NULL);
	perfctr_metrics_value(metrics, 0, readings, &value);
	ck_assert_str_eq(value.reason, "one of its numbers is too large");
	ck_assert(isnan(value.value));
	perfctr_metrics_close(metrics);
	/* Another machine's is not this one's. */
	metrics = perfctr_metrics_open("energy-pkg", "skylake");
	perfctr_metrics_value(metrics, 0, readings, &value);
	ck_assert(!value.reason && fabs(value.value - 1000) < 1e-9);
	perfctr_metrics_close(metrics);
	end_machine();
	root_make();
	root_line("cpu/type", "4");
	ck_assert_ptr_nonnull(strstr(listed_reason("energy-pkg"), "power"));
	end_machine();
}
END_TEST

/* What is not enabled, or nobody knows how long it was, makes no Watts. */
START_TEST(no_time)
{
	const struct perfctr_reading readings[] = { { .value = 1000 } };
	struct perfctr_metrics *metrics;
	struct perfctr_metric_value value;

	make_power("1", "Joules");
	metrics = perfctr_metrics_open("power-pkg", NULL);
	perfctr_metrics_value(metrics, 0, readings, &value);
	ck_assert_str_eq(value.reason, "it divides by 0");
	perfctr_metrics_close(metrics);
	end_machine();
}
END_TEST

static void expands_to(const char *formula, bool here, const char *wanted)
{
	struct perfctr_text text = { NULL, 0, 0, false };

	perfctr_formula_expand(formula, here, &text);
	ck_assert_str_eq(text.bytes, wanted);
	free(text.bytes);
}

/* Names of PMUs may have any length. */
START_TEST(long_pmus)
{
	char letters[PERFCTR_NAME_SIZE + 1], name[2 * PERFCTR_NAME_SIZE],
		wanted[PERFCTR_NAME_SIZE + 8];

	root_make();
	memset(letters, 'x', sizeof(letters) - 1);
	letters[sizeof(letters) - 1] = '\0';
	memcpy(letters, "imc_", 4);
	snprintf(name, sizeof(name), "%s/events/read", letters);
	root_line(name, "event=1"); /* a letter too many */
	expands_to("imc*/read/", true, "imc/read/");
	letters[sizeof(letters) - 2] = '\0';
	snprintf(name, sizeof(name), "%s/events/read", letters);
	root_line(name, "event=1");
	snprintf(wanted, sizeof(wanted), "%s/read/", letters);
	expands_to("imc*/read/", true, wanted);
	end_machine();
}
END_TEST

START_TEST(several_pmus)
{
	unsigned int i;
	char name[64];

	root_make();
	expands_to("a + imc*/rd|read/ / time(imc*/rd|read/)", true, "a + imc/rd/ / time(imc/rd/)");
	root_line("imc_2/events/read", "event=1");
	root_line("imc_10/events/read", "event=1");
	root_line("imc_1/events/other", "event=1");
	root_line("not_imc/events/read", "event=1");
	expands_to("2 * imc*/rd|read/ / time(imc*/rd|read/)", true,
		   "2 * (imc_10/read/ + imc_2/read/) / time(imc_10/read/)");
	expands_to("imc*/rd|read/", false, "imc/rd/");
	root_line("imc/events/rd", "event=1");
	expands_to("max(imc*/rd|read/, 2)", true, "max(imc/rd/, 2)");
	expands_to("time(a) + imc*/read|rd/", true, "time(a) + (imc_10/read/ + imc_2/read/)");
	expands_to("a * b/c/", true, "a * b/c/");
	/* The machine can name what the formula becomes. */
	root_line("uncore_imc_7/type", "13");
	root_line("uncore_imc_7/format/event", "config:0-7");
	root_line("uncore_imc_7/events/data_read", "event=1");
	root_line("uncore_imc_7/events/data_read.unit", "MiB");
	ck_assert_str_eq(listed_reason("memory-read"), "");
	/* More than a formula may have. */
	for (i = 0; i < PERFCTR_FORMULA_EVENTS + 1; i++) {
		snprintf(name, sizeof(name), "uncore_imc_%u/events/data_read", i);
		root_line(name, "event=1");
	}
	ck_fails_null(perfctr_metrics_open("memory-read", NULL), EINVAL, "too many events");
	end_machine();
}
END_TEST

/* Whatever it makes of them in the end: 1 / infinity would be 0. */
START_TEST(no_values)
{
	static const struct {
		const char *text, *reason;
	} all[] = {
		{ "a / b", "it divides by 0" },
		{ "where(a < b, d, a / b)", "it divides by 0" },
		{ "where(a < d * d, a, b)", "one of its numbers is too large" },
		{ "where(d * d < a, a, b)", "one of its numbers is too large" },
		{ "max(a - d * d, b)", "one of its numbers is too large" },
		{ "a / (b - d * d)", "one of its numbers is too large" },
		{ "c / b", "one of its numbers is too large" },
		{ "b + a / (a - a) - b", "it divides by 0" },
		{ "b / b", "it divides by 0" },
		{ "a * d * d", "one of its numbers is too large" },
		{ "b - a * d * d", "one of its numbers is too large" },
		{ "1 / (a * d * d)", "one of its numbers is too large" },
		{ "min(a, d * d) + 0 * b", "one of its numbers is too large" },
		{ "a * d * d - a * d * d + b", "one of its numbers is too large" },
		{ "a / (1 / d / d) + b", "it divides by 0" },
		{ "a + 0 * b + 0 * d + c", "one of its numbers is too large" },
		{ "min(a + 0 * b + 0 * d, c)", "one of its numbers is too large" },
	};
	const double a = 1, b = 0, d = 1e200, c = INFINITY;
	struct perfctr_formula formula;
	double value = 5, counts[PERFCTR_FORMULA_EVENTS];
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		ck_assert_int_eq(perfctr_formula_compile(&formula, all[i].text, &plain), 0);
		for (k = 0; k < formula.events; k++) {
			char name = *formula.event[k].name;

			counts[k] = name == 'a' ? a : name == 'b' ? b : name == 'c' ? c : d;
		}
		ck_assert_str_eq(perfctr_formula_value(&formula, counts, NULL, &value),
				 all[i].reason);
		ck_assert(value > 4.5 && value < 5.5);
	}
}
END_TEST

/* ---- the table ---- */

struct seen {
	unsigned int n, ipc, groups;
	const char *cpu;
};

/* Whether it is the kernel's, or the table's, which then is *choice, with options. */
static bool is_known(const char *table, const char *name, size_t length,
		     struct perfctr_event_choice *choice)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	const struct perfctr_event_table *events = perfctr_event_table(table);
	struct perfctr_event_choice slots;
	const char *part;
	size_t part_length;
	unsigned int event;

	choice->options = 0;
	/* Of PMUs that the kernel knows. */
	if (memchr(name, '/', length))
		return true;
	/* The kernel has these names on processors that have slots. */
	if ((length == 5 && !memcmp(name, "slots", 5)) ||
	    (length > 8 && !memcmp(name, "topdown-", 8)))
		return events && perfctr_event_lookup(events, "TOPDOWN:SLOTS", 13, &slots, &part,
						      &part_length, &event) == PERFCTR_EVENT_OK;
	return perfctr_known_parse(name, length, &attr) ||
	       (events && perfctr_event_lookup(events, name, length, choice, &part, &part_length,
					       &event) == PERFCTR_EVENT_OK);
}

/* Whether the events have places together, as far as they are the table's. */
static bool has_places(const char *cpu, const struct perfctr_event_choice *choices, unsigned int n)
{
	unsigned int option[PERFCTR_FORMULA_EVENTS];
	uint32_t counter[PERFCTR_FORMULA_EVENTS], conflict;
	struct perfctr_cpu named;

	ck_assert_int_eq(perfctr_cpu_named(cpu, &named), 0);
	return n == 0 || perfctr_event_assign(&named, choices, n, option, counter, &conflict) == 0;
}

/* Whether the metric's events are one group. */
static bool is_group(const char *cpu, const char *name)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(name, cpu);
	const char *list, *end;
	bool is_one;

	ck_assert_msg(metrics != NULL, "%s", perfctr_error());
	list = perfctr_metrics_events(metrics, NULL);
	end = strchr(list, '}');
	is_one = *list == '{' && end && !end[1];
	/* Shares of slots are in any case. */
	ck_assert_msg(!strstr(list, "topdown-") || !strncmp(list, "{slots,topdown-", 15), "%s",
		      list);
	perfctr_metrics_close(metrics);
	return is_one;
}

static bool is_raw(const char *name, size_t length)
{
	return *name == 'r' && strspn(name + 1, "0123456789abcdef") == length - 1;
}

/* The kernel counts memory by the names in all.metrics on others than these. */
static bool counts_memory(const char *cpu)
{
	static const char *const without[] = { "zen",	     "fam",	      "k8_",
					       "power",	     "neoverse",      "a64fx",
					       "thunderx2",  "core2",	      "nehalem",
					       "westmere",   "graniterapids", "silvermont",
					       "cougarcove", "coyotecove" };
	unsigned int i;

	for (i = 0; i < sizeof(without) / sizeof(without[0]); i++)
		if (!strncmp(cpu, without[i], strlen(without[i])))
			return false;
	return true;
}

/*
 * A code of POWER has the counter and the unit, which LIKWID's lists keep elsewhere: there it must
 * be a name. And nothing is divided by the traffic of a memory that can't be counted.
 */
static void check_group(const char *cpu, const char *metric, const struct perfctr_formula *formula)
{
	bool is_memorys = !strncmp(metric, "mem_", 4) || !strcmp(metric, "caches-mem-bandwidth");
	unsigned int i;

	for (i = 0; i < formula->events; i++)
		ck_assert_msg(strncmp(cpu, "power", 5) != 0 ||
				      !is_raw(formula->event[i].name, formula->event[i].length),
			      "%s: %s has a raw code: %.*s", cpu, metric,
			      (int)formula->event[i].length, formula->event[i].name);
	ck_assert_msg(!is_memorys || counts_memory(cpu), "%s: %s", cpu, metric);
}

static int look(void *arg, const struct perfctr_metric *metric)
{
	struct seen *seen = arg;
	struct perfctr_formula_facts found = perfctr_facts_of(seen->cpu, "");
	struct perfctr_event_choice choices[PERFCTR_FORMULA_EVENTS];
	struct perfctr_formula formula;
	unsigned int i, n = 0;
	bool uses = false, beside = false, group;

	seen->n++;
	seen->ipc += !strcmp(metric->name, "ipc");
	ck_assert_msg(perfctr_formula_compile(&formula, metric->formula, &found) == 0, "%s",
		      perfctr_error());
	ck_assert(*metric->description != '\0' && metric->unit != NULL && metric->reason == NULL);
	check_group(seen->cpu, metric->name, &formula);
	for (i = 0; i < formula.events; i++) {
		if (*formula.event[i].name == '@') {
			uses = true;
			continue;
		}
		beside |= memchr(formula.event[i].name, '/', formula.event[i].length) != NULL;
		ck_assert_msg(is_known(seen->cpu, formula.event[i].name, formula.event[i].length,
				       &choices[n]),
			      "%s: %s needs %.*s", seen->cpu, metric->name,
			      (int)formula.event[i].length, formula.event[i].name);
		n += choices[n].options > 0;
	}
	if (!formula.events || uses)
		return 0;
	/* No group is of a core's PMU and of another one. */
	group = is_group(seen->cpu, metric->name);
	ck_assert_msg((has_places(seen->cpu, choices, n) && !(beside && n)) == group, "%s: %s",
		      seen->cpu, metric->name);
	seen->groups += group;
	return 0;
}

/* Each processor has them, each once, and for the machine of no table there are the generic ones.
 */
START_TEST(all_processors)
{
	struct seen seen = { .cpu = NULL };
	unsigned int i;

	for (i = 0; (seen.cpu = perfctr_event_table_id(i)); i++) {
		seen.n = seen.ipc = seen.groups = 0;
		/* Tables of core types alone have no processor of their name. */
		if (perfctr_metrics_list(seen.cpu, look, &seen) < 0)
			continue;
		ck_assert_msg(seen.n >= 30 && seen.ipc == 1, "%s", seen.cpu);
		/* All but some of Intel's. */
		ck_assert_msg(seen.groups >= 30, "%s: %u of %u", seen.cpu, seen.groups, seen.n);
	}
	ck_assert_int_gt((int)i, 100);
}
END_TEST

static int by_letters(const void *a, const void *b)
{
	return strcasecmp(perfctr_metric_text(*(const unsigned int *)a),
			  perfctr_metric_text(*(const unsigned int *)b));
}

/* Which records have the same name is told by where their texts are: no two names differ in case
 * alone. */
START_TEST(names_of_records)
{
	unsigned int *names = calloc(perfctr_metric_record_count, sizeof(*names)), i;

	ck_assert_ptr_nonnull(names);
	for (i = 0; i < perfctr_metric_record_count; i++)
		names[i] = perfctr_metric_records[i].name;
	qsort(names, i, sizeof(*names), by_letters);
	for (i = 1; i < perfctr_metric_record_count; i++)
		ck_assert_msg(names[i] == names[i - 1] || by_letters(&names[i], &names[i - 1]),
			      "%s", perfctr_metric_text(names[i]));
	free(names);
}
END_TEST

static int stop_at_cpi(void *arg, const struct perfctr_metric *metric)
{
	++*(int *)arg;
	ck_assert_ptr_null(metric->reason);
	return strcmp(metric->name, "cpi") == 0 ? 17 : 0;
}

START_TEST(lists)
{
	int n = 0;

	ck_assert_int_eq(perfctr_metrics_list(NULL, stop_at_cpi, &n), 17);
	ck_assert_int_eq(n, 2);
	ck_assert_int_eq(perfctr_metrics_list("Skylake", stop_at_cpi, &n), 17);
	ck_fails(perfctr_metrics_list(NULL, NULL, NULL), EINVAL, "a function to call");
	ck_fails(perfctr_metrics_list("skylak", stop_at_cpi, &n), ENOENT, "did you mean skylake");
}
END_TEST

/* ---- values ---- */

static struct perfctr_metrics *open_metrics(const char *names)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(names, NULL);

	ck_assert_msg(metrics != NULL, "%s", perfctr_error());
	return metrics;
}

static struct perfctr_reading exact(uint64_t value)
{
	return (struct perfctr_reading){ .value = value, .enabled = 8, .running = 8 };
}

static struct perfctr_metric_value value_at(const struct perfctr_metrics *metrics, unsigned int i,
					    const struct perfctr_reading *readings)
{
	struct perfctr_metric_value value;

	ck_assert_int_eq(perfctr_metrics_value(metrics, i, readings, &value), 0);
	return value;
}

START_TEST(groups)
{
	struct perfctr_metrics *metrics = open_metrics(" IPC, branch-mpki ,cpi,frequency");
	struct perfctr_metric metric;
	unsigned int n = 0;

	ck_assert_str_eq(perfctr_metrics_events(metrics, &n),
			 "{instructions,cycles},{branch-misses,instructions},{cycles,task-clock}");
	ck_assert_uint_eq(n, 6);
	ck_assert_ptr_nonnull(perfctr_metrics_events(metrics, NULL));
	ck_assert_uint_eq(perfctr_metrics_size(metrics), 4);
	ck_assert_int_eq(perfctr_metrics_metric(metrics, 3, &metric), 0);
	ck_assert_str_eq(metric.name, "frequency");
	ck_assert_str_eq(metric.unit, "GHz");
	ck_assert_str_eq(metric.formula, "cycles / task-clock");
	ck_assert_ptr_null(metric.reason);
	perfctr_metrics_close(metrics);
	/* The same one twice is one group. */
	metrics = open_metrics("cpi,cpi,ipc");
	ck_assert_str_eq(perfctr_metrics_events(metrics, &n), "{cycles,instructions}");
	ck_assert_uint_eq(n, 2);
	perfctr_metrics_close(metrics);
}
END_TEST

/* What is counted together, on processors whose counters are known. */
START_TEST(lists_of_processors)
{
	static const struct {
		const char *cpu, *names, *events;
		unsigned int n;
	} all[] = {
		/* One group has all that there is to it, */
		{ "sapphirerapids", "topdown",
		  "{slots,topdown-fetch-lat,topdown-fe-bound,topdown-bad-spec,topdown-retiring,"
		  "topdown-be-bound,topdown-br-mispredict,topdown-mem-bound,topdown-heavy-ops,"
		  "INT_MISC:UOP_DROPPING}",
		  12 },
		{ "icelake", "topdown-retiring",
		  "{slots,topdown-retiring,topdown-fe-bound,topdown-bad-spec,topdown-be-bound}",
		  1 },
		/* or as much as there are counters. */
		{ "skylake", "topdown-frontend,topdown-retiring",
		  "{IDQ_UOPS_NOT_DELIVERED:CORE,CPU_CLK_UNHALTED:THREAD,"
		  "CPU_CLK_UNHALTED:ONE_THREAD_ACTIVE,CPU_CLK_UNHALTED:REF_XCLK,"
		  "UOPS_RETIRED:RETIRE_SLOTS}",
		  2 },
		/* Five of these want one of four. */
		{ "skylake", "topdown-bad-speculation",
		  "{UOPS_ISSUED:ANY,UOPS_RETIRED:RETIRE_SLOTS,INT_MISC:RECOVERY_CYCLES_ANY,"
		  "CPU_CLK_UNHALTED:THREAD,CPU_CLK_UNHALTED:ONE_THREAD_ACTIVE},"
		  "{CPU_CLK_UNHALTED:REF_XCLK}",
		  1 },
		/* A group with room takes the events of another metric. */
		{ "skylake", "TOPDOWN-BAD-SPECULATION,topdown-retiring",
		  "{UOPS_ISSUED:ANY,UOPS_RETIRED:RETIRE_SLOTS,INT_MISC:RECOVERY_CYCLES_ANY,"
		  "CPU_CLK_UNHALTED:THREAD,CPU_CLK_UNHALTED:ONE_THREAD_ACTIVE},"
		  "{CPU_CLK_UNHALTED:REF_XCLK,UOPS_RETIRED:RETIRE_SLOTS,CPU_CLK_UNHALTED:THREAD,"
		  "CPU_CLK_UNHALTED:ONE_THREAD_ACTIVE}",
		  2 },
		{ "skylake", "l1d",
		  "{L1-dcache-load-misses,L1-dcache-loads},"
		  "{L1-dcache-load-misses,instructions}",
		  2 },
	};
	struct perfctr_metrics *metrics;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		metrics = perfctr_metrics_open(all[i].names, all[i].cpu);
		ck_assert_msg(metrics != NULL, "%s", perfctr_error());
		ck_assert_str_eq(perfctr_metrics_events(metrics, NULL), all[i].events);
		ck_assert_uint_eq(perfctr_metrics_size(metrics), all[i].n);
		perfctr_metrics_close(metrics);
	}
	ck_fails_null(perfctr_metrics_open("top", "skylake"), EINVAL, "no metric \"top\"");
}
END_TEST

/* All of these metrics begin so. */
static void check_prefix(const char *cpu, const char *prefix, const char *begin, unsigned int n)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(prefix, cpu);
	struct perfctr_metric metric;
	unsigned int i;

	ck_assert_msg(metrics != NULL, "%s", perfctr_error());
	for (i = 0; i < perfctr_metrics_size(metrics); i++) {
		ck_assert_int_eq(perfctr_metrics_metric(metrics, i, &metric), 0);
		ck_assert_msg(!strncmp(metric.name, begin, strlen(begin)), "%s", metric.name);
	}
	ck_assert_uint_ge(i, n);
	perfctr_metrics_close(metrics);
}

/* LIKWID's group MEM is not MEM_DP. */
START_TEST(prefixes)
{
	check_prefix("skylakex", "MEM", "mem-", 4);
	check_prefix("skylakex", "mem_dp", "mem_dp-", 1);
	check_prefix("skylakex", "energy", "energy-", 4);
	check_prefix("skylakex", "tlb", "tlb_", 4);
	check_prefix("skylakex", "PAPI", "PAPI_", 30);
}
END_TEST

/* In the order of the list, whatever that of the formula is. */
START_TEST(values_of_shares)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open("topdown-frontend,topdown-backend",
							       "icelake");
	/* slots, front end, bad, retiring, back end, dropped, clears */
	struct perfctr_reading readings[] = { exact(1000), exact(100), exact(200), exact(300),
					      exact(400),  exact(50),  exact(10) };

	ck_assert_str_eq(perfctr_metrics_events(metrics, NULL),
			 "{slots,topdown-fe-bound,topdown-bad-spec,topdown-retiring,"
			 "topdown-be-bound,INT_MISC:UOP_DROPPING,INT_MISC:CLEARS_COUNT}");
	ck_assert(fabs(value_at(metrics, 0, readings).value - 5) < 1e-12);
	ck_assert(fabs(value_at(metrics, 1, readings).value - 45) < 1e-12);
	readings[0].value = 0;
	ck_assert_str_eq(value_at(metrics, 0, readings).reason, "it divides by 0");
	perfctr_metrics_close(metrics);
}
END_TEST

/* Where the event is in the list, which begins with a brace. */
static unsigned int place_of(const struct perfctr_metrics *metrics, const char *event)
{
	const char *list = perfctr_metrics_events(metrics, NULL), *at = strstr(list, event);
	unsigned int n = 0;

	ck_assert(at != NULL);
	for (; list < at; list++)
		n += *list == ',';
	return n;
}

static void check_list(const char *list, const char *cpu, const char *wanted)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(list, cpu);
	struct perfctr_metric metric;
	char names[512] = "";
	unsigned int i;

	ck_assert_msg(metrics != NULL, "%s", perfctr_error());
	for (i = 0; i < perfctr_metrics_size(metrics); i++) {
		perfctr_metrics_metric(metrics, i, &metric);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", i ? " " : "",
			 metric.name);
	}
	ck_assert_str_eq(names, wanted);
	perfctr_metrics_close(metrics);
}

/* Arm's groups, by their names; what several have is there once. */
START_TEST(named_lists)
{
	check_list("branch_effectiveness", "neoverse-v1", "branch_mpki branch_misprediction_ratio");
	check_list("Branch_Effectiveness", "neoverse-v3",
		   "branch_mpki branch_misprediction_ratio branch_direct_ratio "
		   "branch_indirect_ratio branch_return_ratio");
	check_list("ipc,General,FP_Precision_Mix", "neoverse-v2",
		   "ipc ipc_rate spec_ipc retired_rate wasted_rate fp16_percentage "
		   "fp32_percentage fp64_percentage");
	check_list("ITLB_Effectiveness,DTLB_Effectiveness", "neoverse-n1",
		   "itlb_mpki itlb_walk_ratio l1i_tlb_mpki l1i_tlb_miss_ratio l2_tlb_mpki "
		   "l2_tlb_miss_ratio dtlb_mpki dtlb_walk_ratio l1d_tlb_mpki l1d_tlb_miss_ratio");
	ck_fails_null(perfctr_metrics_open("FP_Precision_Mix", "neoverse-n1"), EINVAL, "no metric");
	ck_fails_null(perfctr_metrics_open("MPKY", "neoverse-n1"), EINVAL, "did you mean MPKI");
}
END_TEST

/* How many slots another machine's cores have is not known here. */
START_TEST(slots_unknown)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open("topdown", "cortex-x2");
	struct perfctr_reading readings[] = { exact(30), exact(40), exact(5), exact(6),
					      exact(7),	 exact(8),  exact(9), exact(1) };

	ck_assert_str_eq(perfctr_metrics_events(metrics, NULL),
			 "{OP_RETIRED,OP_SPEC,STALL_SLOT,CPU_CYCLES,STALL_SLOT_FRONTEND,"
			 "STALL_SLOT_BACKEND}");
	ck_assert(isnan(value_at(metrics, 1, readings).value));
	ck_assert(strstr(value_at(metrics, 1, readings).reason, "does not say how many slots"));
	perfctr_metrics_close(metrics);
	/* This one's are published: 5. */
	metrics = perfctr_metrics_open("topdown", "neoverse-n2");
	readings[place_of(metrics, "STALL_SLOT_FRONTEND")].value = 30;
	readings[place_of(metrics, "CPU_CYCLES")].value = 40;
	readings[place_of(metrics, "BR_MIS_PRED")].value = 5;
	ck_assert(fabs(value_at(metrics, 0, readings).value - 2.5) < 1e-12);
	perfctr_metrics_close(metrics);
}
END_TEST

START_TEST(values)
{
	struct perfctr_metrics *metrics = open_metrics("ipc,branch-mpki,cpi,frequency");
	struct perfctr_reading readings[] = { exact(300),  exact(200),	exact(7),
					      exact(1000), exact(5000), exact(2000) };
	static const double wanted[] = { 1.5, 7, 200.0 / 300, 2.5 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct perfctr_metric_value value = value_at(metrics, i, readings);

		ck_assert(fabs(value.value - wanted[i]) < 1e-15);
		ck_assert_ptr_null(value.reason);
		ck_assert_uint_eq(value.quality, PERFCTR_EXACT);
	}
	/* Multiplexed: the estimate, 200 * 4; the others don't care. */
	readings[1].running = 2;
	readings[1].quality = PERFCTR_SCALED;
	ck_assert(fabs(value_at(metrics, 0, readings).value - 0.375) < 1e-15);
	ck_assert_uint_eq(value_at(metrics, 0, readings).quality, PERFCTR_SCALED);
	ck_assert_uint_eq(value_at(metrics, 1, readings).quality, PERFCTR_EXACT);
	readings[0].quality = PERFCTR_STALE;
	ck_assert_uint_eq(value_at(metrics, 2, readings).quality, PERFCTR_STALE);
	perfctr_metrics_close(metrics);
}
END_TEST

START_TEST(threshold_texts)
{
	const char *text = "a-1 > 0.05 & b2 < 12.5 & c > 7";
	struct perfctr_condition one;

	ck_assert(!perfctr_threshold_is_any(text) && perfctr_threshold_is_any("a > 1 | b > 2"));
	ck_assert(perfctr_threshold_next(&text, &one));
	ck_assert(one.length == 3 && !memcmp(one.name, "a-1", 3) && !one.below);
	ck_assert(fabs(one.limit - 0.05) < 1e-15);
	ck_assert(perfctr_threshold_next(&text, &one));
	ck_assert(one.length == 2 && one.below && fabs(one.limit - 12.5) < 1e-15);
	ck_assert(perfctr_condition_holds(&one, 12.4) && !perfctr_condition_holds(&one, 12.5));
	ck_assert(perfctr_threshold_next(&text, &one));
	ck_assert(one.length == 1 && *one.name == 'c' && fabs(one.limit - 7) < 1e-15);
	ck_assert(perfctr_condition_holds(&one, 7.1) && !perfctr_condition_holds(&one, 7));
	ck_assert(!perfctr_threshold_next(&text, &one));
	text = "";
	ck_assert(!perfctr_threshold_next(&text, &one));
}
END_TEST

START_TEST(thresholds)
{
	struct perfctr_metrics *metrics = open_metrics("ipc,branch-miss-rate,cpi");
	struct perfctr_reading readings[] = { exact(99), exact(100), exact(6), exact(100) };
	struct perfctr_metric metric;

	perfctr_metrics_metric(metrics, 1, &metric);
	ck_assert_str_eq(metric.threshold, "branch-miss-rate > 5");
	perfctr_metrics_metric(metrics, 2, &metric);
	ck_assert_str_eq(metric.threshold, "");
	ck_assert_uint_eq(value_at(metrics, 0, readings).beyond, 1);
	ck_assert_uint_eq(value_at(metrics, 1, readings).beyond, 1);
	ck_assert_uint_eq(value_at(metrics, 2, readings).beyond, 0);
	readings[0].value = 100;
	readings[2].value = 5;
	ck_assert_uint_eq(value_at(metrics, 0, readings).beyond, 0);
	ck_assert_uint_eq(value_at(metrics, 1, readings).beyond, 0);
	readings[0].value = readings[1].value = readings[3].value = 0;
	ck_assert_uint_eq(value_at(metrics, 0, readings).beyond, 0);
	ck_assert_uint_eq(value_at(metrics, 1, readings).beyond, 0);
	perfctr_metrics_close(metrics);
}
END_TEST

/* Mispredicts count if bad speculation does, too, and retiring also for heavy operations. */
START_TEST(thresholds_of_others)
{
	struct perfctr_metrics *metrics =
		perfctr_metrics_open("topdown-mispredicts,topdown-bad-speculation,topdown-retiring,"
				     "topdown-heavy-operations",
				     "sapphirerapids");
	struct perfctr_reading readings[16];
	unsigned int i;

	for (i = 0; i < 16; i++)
		readings[i] = exact(0);
	readings[0] = exact(1000);
	readings[place_of(metrics, "topdown-be-bound")] = exact(500);
	readings[place_of(metrics, "topdown-retiring")] = exact(360);
	readings[place_of(metrics, "topdown-bad-spec")] = exact(140);
	readings[place_of(metrics, "topdown-br-mispredict")] = exact(120);
	readings[place_of(metrics, "topdown-heavy-ops")] = exact(100);
	ck_assert(fabs(value_at(metrics, 0, readings).value - 12) < 1e-9);
	ck_assert(fabs(value_at(metrics, 1, readings).value - 14) < 1e-9);
	ck_assert(fabs(value_at(metrics, 2, readings).value - 36) < 1e-9);
	ck_assert(fabs(value_at(metrics, 3, readings).value - 10) < 1e-9);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(value_at(metrics, i, readings).beyond, 0);
	readings[place_of(metrics, "topdown-be-bound")] = exact(480);
	readings[place_of(metrics, "topdown-bad-spec")] = exact(160);
	readings[place_of(metrics, "topdown-heavy-ops")] = exact(101);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(value_at(metrics, i, readings).beyond, 1);
	perfctr_metrics_close(metrics);
	/* One that has no value is no condition, nor is one whose name is as long. */
	metrics = perfctr_metrics_open(
		"topdown-mispredicts,topdown-fetch-bandwidth,topdown-bad-speculation", "gracemont");
	for (i = 0; i < 16; i++)
		readings[i] = exact(100);
	ck_assert(value_at(metrics, 0, readings).value > 5);
	ck_assert_uint_eq(value_at(metrics, 0, readings).beyond, 1);
	readings[place_of(metrics, "TOPDOWN_FE_BOUND:ALL")].value = 10000;
	ck_assert_uint_eq(value_at(metrics, 0, readings).beyond, 0);
	readings[place_of(metrics, "TOPDOWN_FE_BOUND:ALL")].quality = PERFCTR_NOT_COUNTED;
	ck_assert_uint_eq(value_at(metrics, 0, readings).beyond, 1);
	perfctr_metrics_close(metrics);
	/* Alone, nothing is known of the other. */
	metrics = perfctr_metrics_open("topdown-mispredicts", "sapphirerapids");
	for (i = 0; i < 16; i++)
		readings[i] = exact(100);
	readings[place_of(metrics, "topdown-br-mispredict")] = exact(120);
	ck_assert(value_at(metrics, 0, readings).value > 10);
	ck_assert_uint_eq(value_at(metrics, 0, readings).beyond, 1);
	perfctr_metrics_close(metrics);
}
END_TEST

static unsigned int level_of(const char *name, const char *cpu)
{
	struct perfctr_metrics *metrics = perfctr_metrics_open(name, cpu);
	struct perfctr_metric_node node = { .level = 99 };

	ck_assert_int_eq(perfctr_metrics_node(metrics, 0, &node), 0);
	perfctr_metrics_close(metrics);
	return node.level;
}

/* The tree: a metric takes values of others, which are computed, and counted, too. */
START_TEST(trees)
{
	struct perfctr_metrics *metrics =
		perfctr_metrics_open("tma_core_bound,TMA_MEMORY_BOUND,tma_l3_hit_latency",
				     "graniterapids");
	struct perfctr_metric_value value, all[3];
	struct perfctr_reading readings[64];
	struct perfctr_metric_node node;
	unsigned int i, n;

	ck_assert_msg(metrics != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_metrics_size(metrics), 3);
	perfctr_metrics_events(metrics, &n);
	ck_assert_uint_lt(n, 64);
	for (i = 0; i < 64; i++)
		readings[i] = exact(100);
	readings[place_of(metrics, "topdown-be-bound")].value = 400;
	readings[place_of(metrics, "topdown-mem-bound")].value = 300;
	/* 400 of 700 slots were the back end's, 300 of these the memory's. */
	ck_assert(fabs(value_at(metrics, 0, readings).value - 100.0 / 7) < 1e-9);
	ck_assert(fabs(value_at(metrics, 1, readings).value - 300.0 / 7) < 1e-9);
	ck_assert_uint_eq(value_at(metrics, 0, readings).quality, PERFCTR_EXACT);
	/* A typical latency makes an estimate of it, and a multiplexed input a scaled value. */
	ck_assert_uint_eq(value_at(metrics, 2, readings).quality, PERFCTR_ESTIMATE);
	readings[place_of(metrics, "topdown-mem-bound")].quality = PERFCTR_SCALED;
	ck_assert_uint_eq(value_at(metrics, 0, readings).quality, PERFCTR_SCALED);
	ck_assert_int_eq(perfctr_metrics_values(metrics, readings, all), 0);
	for (i = 0; i < 3; i++) {
		value = value_at(metrics, i, readings);
		ck_assert(fabs(all[i].value - value.value) < 1e-12);
		ck_assert(all[i].quality == value.quality && all[i].reason == value.reason);
		ck_assert_uint_eq(all[i].beyond, value.beyond);
	}
	/* What the other one lacks, this one lacks, too. */
	readings[place_of(metrics, "topdown-mem-bound")].quality = PERFCTR_NOT_COUNTED;
	value = value_at(metrics, 0, readings);
	ck_assert_str_eq(value.reason, "topdown-mem-bound was not counted");
	ck_assert_uint_eq(value.quality, PERFCTR_NOT_COUNTED);
	ck_assert_int_eq(perfctr_metrics_node(metrics, 2, &node), 0);
	ck_assert_str_eq(node.parent, "tma_l3_bound");
	ck_assert_str_eq(node.sample, "MEM_LOAD_RETIRED:L3_HIT");
	ck_assert_uint_eq(node.level, 4);
	perfctr_metrics_node(metrics, 1, &node);
	ck_assert_str_eq(node.parent, "tma_backend_bound");
	ck_assert_uint_eq(node.level, 2);
	ck_assert_uint_eq(level_of("tma_backend_bound", "skylake"), 1);
	ck_assert_uint_eq(level_of("tma_info_system_smt_2t_utilization", "skylake"), 0);
	ck_assert_uint_eq(level_of("topdown-memory", "skylake"), 2);
	ck_assert_uint_eq(level_of("topdown-backend", "zen4"), 1);
	/* They have no parts there. */
	ck_assert_uint_eq(level_of("topdown-backend", "neoverse-v1"), 1);
	ck_assert_uint_eq(level_of("topdown-backend", "sandybridge"), 1);
	ck_assert_uint_eq(level_of("topdown-retiring", "gracemont"), 1);
	ck_assert_uint_eq(level_of("topdown-smt", "zen4"), 1);
	ck_assert_uint_eq(level_of("ipc", "neoverse-v1"), 0);
	ck_assert_uint_eq(level_of("backend_core_bound", "neoverse-v3"), 2);
	ck_assert_uint_eq(level_of("frontend_cache_l2i_bound", "neoverse-n3"), 4);
	ck_assert_uint_eq(level_of("backend_busy_bound", "neoverse-n3"), 0);
	ck_fails(perfctr_metrics_node(metrics, 3, &node), EINVAL, "there is no metric 3");
	ck_fails(perfctr_metrics_node(metrics, 0, NULL), EINVAL, "a place for the result");
	ck_fails(perfctr_metrics_values(NULL, readings, all), EINVAL, "needs metrics");
	ck_fails(perfctr_metrics_values(metrics, NULL, all), EINVAL, "needs readings");
	ck_fails(perfctr_metrics_values(metrics, readings, NULL), EINVAL, "needs readings");
	perfctr_metrics_close(metrics);
}
END_TEST

/* Of each processor the tree opens as a whole, and its parts are where their parents are. */
START_TEST(whole_trees)
{
	struct perfctr_metric_node node;
	struct perfctr_metric metric;
	struct perfctr_metrics *metrics;
	unsigned int i, k, found = 0, levels;
	const char *cpu;

	for (k = 0; (cpu = perfctr_event_table_id(k)); k++) {
		metrics = perfctr_metrics_open("tma", cpu);
		if (!metrics)
			continue;
		for (i = levels = 0; i < perfctr_metrics_size(metrics); i++) {
			perfctr_metrics_metric(metrics, i, &metric);
			perfctr_metrics_node(metrics, i, &node);
			levels |= 1U << node.level;
			ck_assert_msg(node.level <= 6 && (node.level > 1) == (*node.parent != '\0'),
				      "%s: %s", cpu, metric.name);
		}
		ck_assert_msg((levels & 0xE) == 0xE, "%s", cpu);
		perfctr_metrics_close(metrics);
		found++;
	}
	ck_assert_uint_eq(found, 30);
}
END_TEST

/* More than there is room for, with those that others use. */
START_TEST(too_many)
{
	char names[6 * 4 + 1] = "";
	unsigned int i;

	for (i = 0; i < 6; i++)
		strcat(names, i ? ",tma" : "tma");
	ck_fails_null(perfctr_metrics_open(names, "graniterapids"), EINVAL,
		      "more than 1024 metrics, with those that they use");
}
END_TEST

START_TEST(reasons)
{
	struct perfctr_metrics *metrics = open_metrics("ipc,cpi");
	struct perfctr_reading readings[] = { exact(3), exact(0) };
	struct perfctr_metric_value value = value_at(metrics, 0, readings);

	ck_assert_str_eq(value.reason, "it divides by 0");
	ck_assert(isnan(value.value));
	ck_assert_uint_eq(value.quality, PERFCTR_EXACT);
	value = value_at(metrics, 1, readings);
	ck_assert(value.value < 1e-15 && value.value > -1e-15 && !value.reason);
	/* Estimates of 2^64 and more are all UINT64_MAX. */
	readings[1] = (struct perfctr_reading){ UINT64_MAX / 2, 8, 3, PERFCTR_SCALED, 0 };
	value = value_at(metrics, 0, readings);
	ck_assert_str_eq(value.reason, "one of its numbers is too large");
	ck_assert(isnan(value.value) && !value.beyond);
	readings[1].running = 4;
	ck_assert_ptr_null(value_at(metrics, 0, readings).reason);
	readings[1].quality = PERFCTR_NOT_COUNTED;
	value = value_at(metrics, 0, readings);
	ck_assert_str_eq(value.reason, "cycles was not counted");
	ck_assert_str_eq(value_at(metrics, 1, readings).reason, "cycles was not counted");
	ck_assert(isnan(value.value));
	ck_assert_uint_eq(value.quality, PERFCTR_NOT_COUNTED);
	perfctr_metrics_close(metrics);
}
END_TEST

/* Whichever allocation fails, nothing is opened. */
START_TEST(memory)
{
	const char *names = "ipc,topdown-bad-speculation,l1d,tma_core_bound";
	struct perfctr_metrics *metrics;
	unsigned int n;

	for (n = 1;; n++) {
		no_memory = n;
		errno = 0;
		metrics = perfctr_metrics_open(names, "skylake");
		if (no_memory)
			break;
		ck_assert_ptr_null(metrics);
		ck_assert_int_eq(errno, ENOMEM);
	}
	no_memory = 0;
	ck_assert_ptr_nonnull(metrics);
	perfctr_metrics_close(metrics);
	ck_assert_uint_gt(n, 30);
}
END_TEST

START_TEST(errors)
{
	struct perfctr_metrics *metrics = open_metrics("ipc");
	struct perfctr_reading readings[2];
	struct perfctr_metric_value value;
	struct perfctr_metric metric;

	ck_fails_null(perfctr_metrics_open(NULL, NULL), EINVAL, "needs names");
	ck_fails_null(perfctr_metrics_open("", NULL), EINVAL, "the list of metrics is empty");
	ck_fails_null(perfctr_metrics_open("ipc,,cpi", NULL), EINVAL, "empty place");
	ck_fails_null(perfctr_metrics_open("ipx", NULL), EINVAL, "did you mean ipc");
	ck_fails_null(perfctr_metrics_open("ip", NULL), EINVAL, "no metric \"ip\"");
	ck_fails_null(perfctr_metrics_open("nonsense", NULL), EINVAL, "\"perfex -M list\" lists");
	ck_fails_null(perfctr_metrics_open("mix-crypo", "neoverse-n2"), EINVAL,
		      "did you mean mix-crypto");
	ck_fails_null(perfctr_metrics_open("mix-crypo", "skylake"), EINVAL, "\"perfex -M list\"");
	ck_fails_null(perfctr_metrics_open("ipc", "no-such"), ENOENT, "no processor \"no-such\"");
	ck_fails(perfctr_metrics_metric(NULL, 0, &metric), EINVAL, "needs metrics, not NULL");
	ck_fails(perfctr_metrics_metric(metrics, 1, &metric), EINVAL, "there is no metric 1");
	ck_fails(perfctr_metrics_metric(metrics, 0, NULL), EINVAL, "a place for the result");
	ck_fails(perfctr_metrics_value(NULL, 0, readings, &value), EINVAL, "needs metrics");
	ck_fails(perfctr_metrics_value(metrics, 1, readings, &value), EINVAL, "no metric 1");
	ck_fails(perfctr_metrics_value(metrics, 0, NULL, &value), EINVAL, "needs readings");
	ck_fails(perfctr_metrics_value(metrics, 0, readings, NULL), EINVAL, "needs readings");
	ck_fails_null(perfctr_metrics_events(NULL, NULL), EINVAL, "needs metrics");
	ck_assert_uint_eq(perfctr_metrics_size(NULL), 0);
	perfctr_metrics_close(metrics);
	perfctr_metrics_close(NULL);
}
END_TEST

UNIT_MAIN("metrics", 60, formulas, wrong_formulas, no_values, energies, widths_of_vectors,
	  other_scales, no_time, several_pmus, long_pmus, facts, facts_of_machines,
	  facts_of_processors, conditions, all_processors, names_of_records, lists, groups,
	  lists_of_processors, prefixes, named_lists, values_of_shares, slots_unknown,
	  threshold_texts, thresholds, thresholds_of_others, values, trees, whole_trees, too_many,
	  reasons, memory, errors)
