// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfctr_metrics_*(): metrics, which are formulas over counts, from the table of arch/metrics/. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arch/cpu.h"
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "lib/base/text.h"
#include "lib/base/word.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/metrics/metrics.h"
#include "lib/metrics/expand.h"
#include "lib/metrics/facts.h"
#include "lib/metrics/formula.h"
#include "lib/metrics/opened.h"
#include "lib/metrics/records.h"
#include "lib/names/known.h"
#include "lib/names/sysfs.h"
#include "lib/names/table.h"
#include "libperfctr.h"

/* ---- core types ---- */

static unsigned int count_counters(const struct perfctr_cpu *cpu)
{
	return (unsigned int)(__builtin_popcount(cpu->counters) + __builtin_popcount(cpu->fixed));
}

static void set_core(struct perfctr_metric_core *core, const struct perfctr_pmu *pmu)
{
	struct perfctr_cpu cpu;

	*core = (struct perfctr_metric_core){ .id = "" };
	if (perfctr_core_table(pmu, &cpu)) {
		core->id = cpu.id;
		core->counters = count_counters(&cpu);
	}
	memcpy(core->pmu, pmu->name, sizeof(core->pmu));
	core->facts = perfctr_facts_of(NULL, pmu->name);
}

/* Returns the number of cores, or -1 after perfctr_fail(). */
static int find_cores(struct perfctr_metric_core *cores, const char *cpu)
{
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	struct perfctr_cpu target;
	int i, n = cpu ? 1 : perfctr_core_pmus(pmus);

	if (n < 0 || perfctr_table_cpu(&target, cpu) < 0)
		return -1;
	if (n < 2) {
		cores[0] = (struct perfctr_metric_core){ .id = target.id,
							 .cpu = cpu,
							 .counters = count_counters(&target),
							 .facts = perfctr_facts_of(cpu, "") };
		return 1;
	}
	for (i = 0; i < n; i++)
		set_core(&cores[i], &pmus[i]);
	return n;
}

/* It counts on no core's PMU. */
static bool is_software(const char *name, size_t length)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };

	return perfctr_known_parse(name, length, &attr) && attr.type == PERF_TYPE_SOFTWARE;
}

/* The PMU that the event is to be named with on this core type; "": none. */
static const char *pmu_of(const struct perfctr_metric_core *core, const char *name, size_t length)
{
	bool is_own = !memchr(name, '/', length) && !is_software(name, length);

	return is_own ? core->pmu : "";
}

/* ---- units ---- */

/* The factors from the kernel's units to Joules, or bytes. */
static const struct {
	char kernel[8];
	double factor;
	bool is_energy;
} units[] = {
	{ "Joules", 1, true },
	{ "Bytes", 1, false },
	{ "KiB", 1024, false },
	{ "MiB", 1024 * 1024, false },
	{ "GiB", 1024 * 1024 * 1024, false },
};

/* 0 if the kernel does not count it in such a unit. */
static double scale_of(const char *name, size_t length, bool is_energy)
{
	const char *slash = memchr(name, '/', length);
	char pmu[PERFCTR_NAME_SIZE], unit[64];
	double scale;
	unsigned int i;

	snprintf(pmu, sizeof(pmu), "%.*s", (int)(slash - name), name);
	perfctr_sysfs_unit(pmu, slash + 1, strcspn(slash + 1, "/"), &scale, unit, sizeof(unit));
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].kernel, unit) && units[i].is_energy == is_energy)
			return scale * units[i].factor;
	return 0;
}

static bool is_energy(const char *unit)
{
	return !strcmp(unit, "J") || !strcmp(unit, "W");
}

static bool is_data(const char *unit)
{
	return !strcmp(unit, "B") || !strcmp(unit, "GB/s");
}

/* Returns the factor from the count of an event to the metric's unit; 0: it is unknown. */
static double find_scale(const char *unit, const char *name, size_t length)
{
	if ((!is_energy(unit) && !is_data(unit)) || !memchr(name, '/', length))
		return 1;
	return scale_of(name, length, is_energy(unit));
}

static const char *unit_reason(const char *unit)
{
	return is_energy(unit) ? "the kernel does not say how many Joules its events are"
			       : "the kernel does not say how many bytes its events are";
}

/* Returns NULL if all factors are known, or the reason why not. */
static const char *find_unit_reason(const char *unit, const struct perfctr_formula *formula)
{
	unsigned int i;

	for (i = 0; i < formula->events; i++)
		if (!(find_scale(unit, formula->event[i].name, formula->event[i].length) > 0))
			return unit_reason(unit);
	return NULL;
}

/* ---- lists ---- */

enum { REASON_SIZE = 512 };

static const char no_slots[] = "the kernel does not say how many slots a cycle of this core has: "
			       "Linux 5.15 or newer has it in sysfs, caps/slots";

/* Keeps the sentence of a failure, which the program's next call may replace. */
static const char *keep_error(char kept[REASON_SIZE])
{
	snprintf(kept, REASON_SIZE, "%s", perfctr_error());
	return kept;
}

/* Why this machine can't name an event of the formula; NULL: it can. */
static const char *find_name_reason(const char *text, const char *unit,
				    const struct perfctr_metric_core *core, char kept[REASON_SIZE])
{
	struct perfctr_formula formula;
	char name[2 * PERFCTR_NAME_SIZE + 256];
	unsigned int i;

	if (perfctr_formula_compile(&formula, text, &core->facts) < 0)
		return keep_error(kept);
	if (formula.lacks_slots)
		return no_slots;
	for (i = 0; i < formula.events; i++) {
		const char *pmu = pmu_of(core, formula.event[i].name, formula.event[i].length);
		const char *slash = *pmu ? "/" : "";

		if (*formula.event[i].name == '@')
			continue;
		snprintf(name, sizeof(name), "%.*s%s%.*s%s", PERFCTR_NAME_SIZE, pmu, slash,
			 (int)formula.event[i].length, formula.event[i].name, slash);
		if (perfctr_event_check(name) < 0)
			return keep_error(kept);
	}
	return find_unit_reason(unit, &formula);
}

static const char *find_reason(const struct perfctr_metric *metric,
			       const struct perfctr_metric_core *core, char kept[REASON_SIZE])
{
	struct perfctr_text text = { NULL, 0, 0, false };
	const char *reason;

	perfctr_formula_expand(metric->formula, true, &text);
	reason = text.failed ? "no memory" : find_name_reason(text.bytes, metric->unit, core, kept);
	free(text.bytes);
	return reason;
}

/* Whether the record is for the first core type, or for all of them. */
static bool is_of_all(const struct perfctr_metric_core *cores, int n, unsigned int record)
{
	int i;

	for (i = 0; i < n; i++)
		if (!perfctr_metric_nth(record, cores[i].id))
			return false;
	return true;
}

/* Lists the nth record, for one core type. */
static int list_record(const struct perfctr_metric_core *core, unsigned int n,
		       int (*each)(void *arg, const struct perfctr_metric *), void *arg, bool alone)
{
	const struct perfctr_metric_record *record = perfctr_metric_nth(n, core->id);
	char kept[REASON_SIZE], formula[PERFCTR_METRIC_FORMULA];
	struct perfctr_metric metric;

	if (!record)
		return 0;
	perfctr_metric_formula(record, formula);
	metric = perfctr_metric_describe(record, formula);
	metric.core = alone ? core->pmu : "";
	metric.reason = core->cpu ? NULL : find_reason(&metric, core, kept);
	return each(arg, &metric);
}

int perfctr_metrics_list(const char *cpu, int (*each)(void *arg, const struct perfctr_metric *),
			 void *arg)
{
	struct perfctr_metric_core cores[PERFCTR_VARIANTS_MAX];
	int n, k, result = 0, error = errno;
	unsigned int i;

	if (!each)
		return perfctr_fail(EINVAL,
				    "perfctr_metrics_list() needs a function to call, not NULL");
	n = find_cores(cores, cpu);
	if (n < 0)
		return -1;
	for (i = 0; i < perfctr_metric_record_count && !result; i++) {
		bool all = is_of_all(cores, n, i);

		for (k = 0; k < (all ? 1 : n) && !result; k++)
			result = list_record(&cores[k], i, each, arg, !all);
	}
	if (result >= 0)
		errno = error;
	return result;
}

/* ---- some metrics ---- */

/* Notes the names of all metrics, and lists of them, of a core type. */
static void note_names(struct perfctr_nearest *near, const char *id)
{
	unsigned int i;

	for (i = 0; i < perfctr_metric_record_count; i++)
		if (perfctr_metric_nth(i, id))
			perfctr_nearest_note(near,
					     perfctr_metric_text(perfctr_metric_records[i].name));
	for (i = 0; i < perfctr_metric_list_count; i++)
		if (perfctr_metric_has_table(perfctr_metric_lists[i].tables, id))
			perfctr_nearest_note(near,
					     perfctr_metric_text(perfctr_metric_lists[i].name));
}

static int fail_name(const struct perfctr_metrics *metrics, const char *name, size_t length)
{
	struct perfctr_nearest near = { .word = name, .length = length };
	char text[PERFCTR_NEAREST_TEXT];
	int core;

	for (core = 0; core < metrics->ncores; core++)
		note_names(&near, metrics->core[core].id);
	return perfctr_fail(EINVAL, "this processor has no metric \"%.*s\"%s",
			    perfctr_shown(length), name,
			    perfctr_nearest_text(&near, "; \"perfex -M list\" lists them", text,
						 sizeof(text)));
}

/* What the metric keeps of its formula, which has been compiled. */
static int keep_formula(struct perfctr_opened_metric *metric, const struct perfctr_formula *formula,
			const struct perfctr_metric_core *core)
{
	const char *unit = perfctr_metric_text(metric->record->unit);
	unsigned int i;

	metric->is_estimate = formula->is_estimate;
	metric->has_time = formula->has_time;
	metric->is_input = formula->n == 1 && formula->events == 1 && !formula->has_time;
	metric->step = calloc(formula->n + 1, sizeof(*metric->step));
	metric->input = calloc(formula->events + 1, sizeof(*metric->input));
	if (!metric->step || !metric->input)
		return perfctr_metrics_no_memory();
	memcpy(metric->step, formula->step, (formula->n + 1) * sizeof(*metric->step));
	for (i = 0; i < formula->events; i++) {
		const char *name = formula->event[i].name;
		size_t length = formula->event[i].length;

		metric->input[i] = (struct perfctr_metric_input){
			.event = { name, length, pmu_of(core, name, length) },
			/* For another machine they are unknown. */
			.scale = core->cpu ? 1 : find_scale(unit, name, length),
			.metric = -1,
			.group = -1,
		};
		if (!(metric->input[i].scale > 0))
			metric->unknown = unit_reason(unit);
	}
	if (formula->lacks_slots)
		metric->unknown = no_slots;
	metric->inputs = formula->events;
	return 0;
}

static int compile(struct perfctr_opened_metric *metric, const struct perfctr_metric_core *core)
{
	struct perfctr_formula formula;
	char text[PERFCTR_METRIC_FORMULA];

	perfctr_metric_formula(metric->record, text);
	perfctr_text_add(&metric->text, "%s%c", text, '\0');
	perfctr_formula_expand(text, !core->cpu, &metric->text);
	if (metric->text.failed)
		return perfctr_metrics_no_memory();
	if (perfctr_formula_compile(&formula, metric->text.bytes + strlen(text) + 1, &core->facts) <
	    0)
		return -1;
	return keep_formula(metric, &formula, core);
}

static int add_metric(struct perfctr_metrics *metrics, const struct perfctr_metric_record *record,
		      unsigned int core)
{
	struct perfctr_opened_metric *all;

	if (metrics->all == PERFCTR_METRICS_MAX)
		return perfctr_fail(EINVAL,
				    "more than %d metrics, with those that they use, can't be "
				    "opened at once: open some of them",
				    PERFCTR_METRICS_MAX);
	all = reallocarray(metrics->metric, metrics->all + 1, sizeof(*all));
	if (!all)
		return perfctr_metrics_no_memory();
	metrics->metric = all;
	all[metrics->all] = (struct perfctr_opened_metric){ .record = record, .core = core };
	return compile(&all[metrics->all++], &metrics->core[core]);
}

/* Whether no event of it is any core's: it is the same on all. */
static bool is_common(const struct perfctr_opened_metric *metric)
{
	unsigned int i;

	for (i = 0; i < metric->inputs; i++)
		if (*metric->input[i].event.pmu)
			return false;
	return true;
}

/* One metric, of each core type that has it, from the first on that does. */
static int add_on_cores(struct perfctr_metrics *metrics, const char *name, size_t length)
{
	bool common = false;
	int i;

	for (i = 0; i < metrics->ncores && !common; i++) {
		const struct perfctr_metric_record *record =
			perfctr_metric_find(name, length, metrics->core[i].id);

		if (record && add_metric(metrics, record, (unsigned int)i) < 0)
			return -1;
		common = record && is_common(&metrics->metric[metrics->all - 1]);
	}
	return 0;
}

/* Whether a core type before this one has a metric of the name. */
static bool is_before(const struct perfctr_metrics *metrics, int core, const char *name)
{
	while (core--)
		if (perfctr_metric_find(name, strlen(name), metrics->core[core].id))
			return true;
	return false;
}

/* Whether the name begins with the prefix and this sign behind it. */
static bool has_prefix(const char *name, const char *prefix, size_t length, char sign)
{
	return !perfctr_letters_compare(name, prefix, length) && name[length] == sign;
}

static int add_prefix(struct perfctr_metrics *metrics, const char *prefix, size_t length, char sign,
		      int core)
{
	unsigned int i;

	for (i = 0; i < perfctr_metric_record_count; i++) {
		const char *name = perfctr_metric_text(perfctr_metric_records[i].name);

		if (!has_prefix(name, prefix, length, sign) ||
		    !perfctr_metric_nth(i, metrics->core[core].id) ||
		    is_before(metrics, core, name))
			continue;
		if (add_on_cores(metrics, name, strlen(name)) < 0)
			return -1;
	}
	return 0;
}

/*
 * Returns the index of the metric with this name, of the same core type; metrics->all: it is not
 * here.
 */
static unsigned int find_metric(const struct perfctr_metrics *metrics, const char *name,
				size_t length, unsigned int core)
{
	unsigned int i;

	for (i = 0; i < metrics->all; i++) {
		const char *its = perfctr_metric_text(metrics->metric[i].record->name);

		if (metrics->metric[i].core == core && !strncmp(its, name, length) && !its[length])
			break;
	}
	return i;
}

/* The metrics of a list, each once, which those core types have that it is for. */
static int add_list(struct perfctr_metrics *metrics, const char *name, size_t length, int core)
{
	const char *list = perfctr_metric_list_find(name, length, metrics->core[core].id);
	size_t n;

	for (; list && *list; list += n + (list[n] == ' ')) {
		n = strcspn(list, " ");
		if (find_metric(metrics, list, n, (unsigned int)core) == metrics->all &&
		    add_on_cores(metrics, list, n) < 0)
			return -1;
	}
	return 0;
}

static int add_named(struct perfctr_metrics *metrics, const char *name, size_t length)
{
	unsigned int n = metrics->all;
	const char *sign;
	bool found;
	int core;

	if (add_on_cores(metrics, name, length) < 0)
		return -1;
	found = metrics->all > n;
	for (core = 0; core < metrics->ncores && !found; core++)
		if (add_list(metrics, name, length, core) < 0)
			return -1;
	/* mem is mem-bandwidth and others, and not mem_dp-intensity, which is one of mem_dp. */
	for (sign = "-_"; *sign && metrics->all == n; sign++)
		for (core = 0; core < metrics->ncores; core++)
			if (add_prefix(metrics, name, length, *sign, core) < 0)
				return -1;
	return metrics->all > n ? 0 : fail_name(metrics, name, length);
}

static int add_metrics(struct perfctr_metrics *metrics, const char *names)
{
	const char *name;
	ssize_t length;

	while ((length = perfctr_event_next(&names, &name)) > 0)
		if (add_named(metrics, name, (size_t)length) < 0)
			return -1;
	if (length < 0)
		return -1;
	metrics->n = metrics->all;
	return metrics->n ? 0 : perfctr_fail(EINVAL, "the list of metrics is empty");
}

/* ---- metrics that others use ---- */

/* A metric in percent counts as a share of 1. */
static double share_of(const struct perfctr_metric_record *record)
{
	return strcmp(perfctr_metric_text(record->unit), "%") ? 1 : 0.01;
}

/* Finds or adds the metric that input k of metric i is. */
static int find_used(struct perfctr_metrics *metrics, unsigned int i, unsigned int k)
{
	struct perfctr_metric_event event = metrics->metric[i].input[k].event;
	unsigned int core = metrics->metric[i].core, n;
	const struct perfctr_metric_record *record;

	n = find_metric(metrics, event.text + 1, event.length - 1, core);
	if (n == metrics->all) {
		record = perfctr_metric_find(event.text + 1, event.length - 1,
					     metrics->core[core].id);
		if (!record)
			return perfctr_fail(EINVAL, "there is no metric %.*s, which another uses",
					    (int)event.length - 1, event.text + 1);
		if (add_metric(metrics, record, core) < 0)
			return -1;
	}
	metrics->metric[i].input[k].metric = (int)n;
	metrics->metric[i].input[k].scale = share_of(metrics->metric[n].record);
	return 0;
}

/* Those that are added use others, too. */
static int find_all_used(struct perfctr_metrics *metrics)
{
	unsigned int i, k;

	for (i = 0; i < metrics->all; i++)
		for (k = 0; k < metrics->metric[i].inputs; k++)
			if (*metrics->metric[i].input[k].event.text == '@' &&
			    find_used(metrics, i, k) < 0)
				return -1;
	return 0;
}

/*
 * Puts the metric after those that it uses; n: how many have their place. scripts/metrics.awk sees
 * to it that none uses itself.
 */
static void find_order(struct perfctr_metrics *metrics, unsigned int i, bool *seen, unsigned int *n)
{
	const struct perfctr_opened_metric *metric = &metrics->metric[i];
	unsigned int k;

	if (seen[i])
		return;
	seen[i] = true;
	for (k = 0; k < metric->inputs; k++)
		if (metric->input[k].metric >= 0)
			find_order(metrics, (unsigned int)metric->input[k].metric, seen, n);
	metrics->order[(*n)++] = i;
}

static int find_all_orders(struct perfctr_metrics *metrics)
{
	bool seen[PERFCTR_METRICS_MAX] = { false };
	unsigned int i, n = 0;

	metrics->order = calloc(metrics->all, sizeof(*metrics->order));
	if (!metrics->order)
		return perfctr_metrics_no_memory();
	for (i = 0; i < metrics->all; i++)
		find_order(metrics, i, seen, &n);
	return 0;
}

static void find_conditions(const struct perfctr_metrics *metrics,
			    struct perfctr_opened_metric *metric)
{
	const char *text = perfctr_metric_text(metric->record->threshold);
	struct perfctr_condition condition;
	unsigned int i;

	metric->is_any = perfctr_threshold_is_any(text);
	while (perfctr_threshold_next(&text, &condition)) {
		i = find_metric(metrics, condition.name, condition.length, metric->core);
		if (i >= metrics->n)
			continue;
		metric->about[metric->conditions] = i;
		metric->condition[metric->conditions++] = condition;
	}
}

static int make(struct perfctr_metrics *metrics, const char *names)
{
	unsigned int i;

	if (add_metrics(metrics, names) < 0 || find_all_used(metrics) < 0 ||
	    find_all_orders(metrics) < 0)
		return -1;
	for (i = 0; i < metrics->n; i++)
		find_conditions(metrics, &metrics->metric[i]);
	return perfctr_metrics_group(metrics);
}

/* ---- the calls ---- */

#define METRICS "metrics of perfctr_metrics_open()"

struct perfctr_metrics *perfctr_metrics_open(const char *names, const char *cpu)
{
	struct perfctr_metrics *metrics;
	int error = errno;

	if (!names) {
		perfctr_fail(EINVAL, "perfctr_metrics_open() needs names of metrics, not NULL");
		return NULL;
	}
	metrics = calloc(1, sizeof(*metrics));
	if (!metrics) {
		perfctr_metrics_no_memory();
		return NULL;
	}
	metrics->head = perfctr_head_of(PERFCTR_KIND_METRICS);
	metrics->ncores = find_cores(metrics->core, cpu);
	if (metrics->ncores < 0 || make(metrics, names) < 0) {
		perfctr_metrics_close(metrics);
		return NULL;
	}
	errno = error;
	return metrics;
}

static void free_metric(struct perfctr_opened_metric *metric)
{
	unsigned int k;

	for (k = 0; k < metric->inputs; k++)
		free(metric->input[k].uncounted);
	free(metric->text.bytes);
	free(metric->step);
	free(metric->input);
	free(metric->place);
}

void perfctr_metrics_close(struct perfctr_metrics *metrics)
{
	int error = errno;
	unsigned int i;

	if (metrics && !perfctr_is_kind(metrics, PERFCTR_KIND_METRICS)) {
		perfctr_wrong_kind(metrics, METRICS);
		return;
	}
	for (i = 0; metrics && i < metrics->all; i++)
		free_metric(&metrics->metric[i]);
	if (metrics) {
		free(metrics->metric);
		free(metrics->placed);
		free(metrics->order);
		free(metrics->group);
		free(metrics->list.bytes);
	}
	free(metrics);
	errno = error;
}

unsigned int perfctr_metrics_size(const struct perfctr_metrics *metrics)
{
	return metrics && perfctr_is_kind(metrics, PERFCTR_KIND_METRICS) ? metrics->n : 0;
}

int perfctr_metrics_check(const struct perfctr_metrics *metrics, unsigned int i, const char *call)
{
	if (!metrics)
		return perfctr_fail(EINVAL, "%s needs metrics, not NULL", call);
	if (!perfctr_is_kind(metrics, PERFCTR_KIND_METRICS))
		return perfctr_wrong_kind(metrics, METRICS);
	if (i >= metrics->n)
		return perfctr_fail(EINVAL, "there is no metric %u: there are %u, from 0", i,
				    metrics->n);
	return 0;
}

const unsigned int *perfctr_metrics_places(const struct perfctr_metrics *metrics, unsigned int i,
					   unsigned int *n, const char *call)
{
	if (perfctr_metrics_check(metrics, i, call) < 0)
		return NULL;
	*n = metrics->metric[i].places;
	return metrics->metric[i].place;
}

int perfctr_metrics_metric(const struct perfctr_metrics *metrics, unsigned int i,
			   struct perfctr_metric *metric)
{
	if (perfctr_metrics_check(metrics, i, "perfctr_metrics_metric()") < 0)
		return -1;
	if (!metric)
		return perfctr_fail(EINVAL,
				    "perfctr_metrics_metric() needs a place for the result, not "
				    "NULL");
	*metric = perfctr_metric_describe(metrics->metric[i].record, metrics->metric[i].text.bytes);
	if (!is_common(&metrics->metric[i]))
		metric->core = metrics->core[metrics->metric[i].core].pmu;
	return 0;
}

const char *perfctr_metrics_events(const struct perfctr_metrics *metrics, unsigned int *n)
{
	if (!metrics) {
		perfctr_fail(EINVAL, "perfctr_metrics_events() needs metrics, not NULL");
		return NULL;
	}
	if (!perfctr_is_kind(metrics, PERFCTR_KIND_METRICS)) {
		perfctr_wrong_kind(metrics, METRICS);
		return NULL;
	}
	if (n)
		*n = metrics->events;
	return metrics->list.bytes;
}

/* Whether it is a share of all slots, as top-down analysis begins, or has parts. */
static bool is_root(const struct perfctr_metric_record *record, const char *id)
{
	return !strncmp(perfctr_metric_text(record->name), "topdown-", 8) ||
	       perfctr_metric_has_parts(record, id);
}

/* Returns how many metrics of the tree are above the record, and itself; 0: it is in none. */
static unsigned int level_of(const struct perfctr_metric_record *record, const char *id)
{
	unsigned int level = 1;

	if (!*perfctr_metric_text(record->parent) && !is_root(record, id))
		return 0;
	while (record && *perfctr_metric_text(record->parent)) {
		const char *parent = perfctr_metric_text(record->parent);

		record = perfctr_metric_find(parent, strlen(parent), id);
		level++;
	}
	return level;
}

int perfctr_metrics_node(const struct perfctr_metrics *metrics, unsigned int i,
			 struct perfctr_metric_node *node)
{
	const struct perfctr_metric_record *record;
	unsigned int core;

	if (perfctr_metrics_check(metrics, i, "perfctr_metrics_node()") < 0)
		return -1;
	if (!node)
		return perfctr_fail(EINVAL, "perfctr_metrics_node() needs a place for the result, "
					    "not NULL");
	record = metrics->metric[i].record;
	core = metrics->metric[i].core;
	*node = (struct perfctr_metric_node){
		.parent = perfctr_metric_text(record->parent),
		.sample = perfctr_metric_text(record->sample),
		.level = level_of(record, metrics->core[core].id),
	};
	return 0;
}
