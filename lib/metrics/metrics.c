// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfctr_metrics_*(): metrics, which are formulas over counts, from the table of arch/metrics/. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "arch/cpu.h"
#include "arch/events.h"
#include "arch/metric-tables.h"
#include "lib/base/error.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "lib/base/text.h"
#include "lib/base/word.h"
#include "lib/isa/native.h"
#include "lib/isa/pmu.h"
#include "lib/virtual/kind.h"
#include "lib/metrics/metrics.h"
#include "lib/metrics/expand.h"
#include "lib/metrics/facts.h"
#include "lib/metrics/formula.h"
#include "lib/names/known.h"
#include "lib/names/sysfs.h"
#include "lib/names/table.h"
#include "lib/metrics/threshold.h"
#include "libperfctr.h"

/* ---- the table ---- */

static const char *text_at(uint32_t offset)
{
	return perfctr_metric_texts + offset;
}

/* Whether one of the words is the id, or with a * after it, how the id begins. */
static bool is_for(const struct perfctr_metric_record *record, const char *id)
{
	const char *word = text_at(record->tables);
	size_t n;

	for (; *word; word += n + (word[n] == ' ')) {
		n = strcspn(word, " ");
		if (word[n - 1] == '*' ? !strncmp(word, id, n - 1)
				       : n == strlen(id) && !memcmp(word, id, n))
			return true;
	}
	return false;
}

/* Returns the last record of this name for the processor; NULL: there is none. */
static const struct perfctr_metric_record *find_record(const char *name, size_t length,
						       const char *id)
{
	unsigned int i = perfctr_metric_record_count;

	while (i--) {
		const struct perfctr_metric_record *record = &perfctr_metric_records[i];

		if (!strncasecmp(text_at(record->name), name, length) &&
		    !text_at(record->name)[length] && is_for(record, id))
			return record;
	}
	return NULL;
}

/* The nth record, if it is for the processor, and no later one takes its place. */
static const struct perfctr_metric_record *nth_record(unsigned int n, const char *id)
{
	const struct perfctr_metric_record *record = &perfctr_metric_records[n];
	const char *name = text_at(record->name);

	return find_record(name, strlen(name), id) == record ? record : NULL;
}

static struct perfctr_metric describe(const struct perfctr_metric_record *record)
{
	return (struct perfctr_metric){
		.name = text_at(record->name),
		.unit = text_at(record->unit),
		.formula = text_at(record->formula),
		.description = text_at(record->description),
		.core = "",
		.threshold = text_at(record->threshold),
	};
}

/* ---- core types ---- */

/* One of those that a machine has, or all that there is. */
struct core {
	char pmu[PERFCTR_NAME_SIZE]; /* that its events are named with; "": none is needed */
	const char *id;		     /* the id of its table; "": it has none */
	const char *cpu;	     /* the processor that was named; NULL: this machine */
};

static void set_core(struct core *core, const struct perfctr_pmu *pmu)
{
	struct perfctr_cpu cpu;

	*core = (struct core){ .id = perfctr_core_table(pmu, &cpu) ? cpu.id : "" };
	memcpy(core->pmu, pmu->name, sizeof(core->pmu));
}

/* Returns the number of cores, or -1 after perfctr_fail(). */
static int find_cores(struct core *cores, const char *cpu)
{
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	struct perfctr_cpu target;
	int i, n = cpu ? 1 : perfctr_core_pmus(pmus);

	if (n < 0 || perfctr_table_cpu(&target, cpu) < 0)
		return -1;
	if (n < 2) {
		cores[0] = (struct core){ .id = target.id, .cpu = cpu };
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
static const char *pmu_of(const struct core *core, const char *name, size_t length)
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

/*
 * Finds the factors from the events' counts to the metric's unit. Returns NULL, or the reason why
 * they are unknown.
 */
static const char *find_scales(const char *unit, const struct perfctr_formula *formula,
			       double *scale)
{
	bool energy = is_energy(unit), known = true;
	unsigned int i;

	for (i = 0; i < formula->events; i++) {
		const char *name = formula->event[i].name;
		size_t length = formula->event[i].length;

		scale[i] = 1;
		if ((!energy && !is_data(unit)) || !memchr(name, '/', length))
			continue;
		scale[i] = scale_of(name, length, energy);
		known = known && scale[i] > 0;
	}
	return known	? NULL
	       : energy ? "the kernel does not say how many Joules its events are"
			: "the kernel does not say how many bytes its events are";
}

/* ---- lists ---- */

static const char no_slots[] = "the kernel does not say how many slots a cycle of this core has: "
			       "Linux 5.15 or newer has it in sysfs, caps/slots";

/* Why this machine can't name an event of the formula; NULL: it can. */
static const char *find_name_reason(const char *text, const char *unit, const struct core *core)
{
	double scale[PERFCTR_FORMULA_EVENTS];
	struct perfctr_formula_facts facts = perfctr_facts_of(NULL, core->pmu);
	struct perfctr_formula formula;
	char name[2 * PERFCTR_NAME_SIZE + 256];
	unsigned int i;

	if (perfctr_formula_compile(&formula, text, &facts) < 0)
		return perfctr_error();
	if (formula.lacks_slots)
		return no_slots;
	for (i = 0; i < formula.events; i++) {
		const char *pmu = pmu_of(core, formula.event[i].name, formula.event[i].length);
		const char *slash = *pmu ? "/" : "";

		snprintf(name, sizeof(name), "%.*s%s%.*s%s", PERFCTR_NAME_SIZE, pmu, slash,
			 (int)formula.event[i].length, formula.event[i].name, slash);
		if (perfctr_event_check(name) < 0)
			return perfctr_error();
	}
	return find_scales(unit, &formula, scale);
}

static const char *find_reason(const struct perfctr_metric *metric, const struct core *core)
{
	struct perfctr_text text = { NULL, 0, 0, false };
	const char *reason;

	perfctr_formula_expand(metric->formula, true, &text);
	reason = text.failed ? "no memory" : find_name_reason(text.bytes, metric->unit, core);
	free(text.bytes);
	return reason;
}

/* Whether the record is for the first core type, or for all of them. */
static bool is_of_all(const struct core *cores, int n, unsigned int record)
{
	int i;

	for (i = 0; i < n; i++)
		if (!nth_record(record, cores[i].id))
			return false;
	return true;
}

/* Lists the nth record, for one core type. */
static int list_record(const struct core *core, unsigned int n,
		       int (*each)(void *arg, const struct perfctr_metric *), void *arg, bool alone)
{
	const struct perfctr_metric_record *record = nth_record(n, core->id);
	struct perfctr_metric metric;

	if (!record)
		return 0;
	metric = describe(record);
	metric.core = alone ? core->pmu : "";
	metric.reason = core->cpu ? NULL : find_reason(&metric, core);
	return each(arg, &metric);
}

int perfctr_metrics_list(const char *cpu, int (*each)(void *arg, const struct perfctr_metric *),
			 void *arg)
{
	struct core cores[PERFCTR_VARIANTS_MAX];
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

/* An event of a formula: its name in the text, and the PMU before it, or "". */
struct name {
	const char *text;
	size_t length;
	const char *pmu;
};

/* Events of a core type that are counted together. */
struct bin {
	unsigned int n, core;
	struct name event[PERFCTR_ASSIGN_MAX];
	unsigned int place[PERFCTR_ASSIGN_MAX];
};

/* A metric: the index of each of its events among all; the reason why it has no value. */
struct metric {
	const struct perfctr_metric_record *record;
	struct perfctr_text text; /* its formula, with this machine's PMUs */
	struct perfctr_formula formula;
	double scale[PERFCTR_FORMULA_EVENTS];
	const char *unknown; /* why the scales are not known; NULL: they are */
	unsigned int core;
	unsigned int place[PERFCTR_FORMULA_EVENTS];
	int bin; /* -1: its events don't fit on the counters at the same time */
	char *uncounted[PERFCTR_FORMULA_EVENTS];
	/* The conditions of its threshold that are about metrics which are here. */
	struct perfctr_condition condition[PERFCTR_CONDITIONS];
	unsigned int about[PERFCTR_CONDITIONS], conditions;
};

struct perfctr_metrics {
	struct perfctr_head head;
	unsigned int n, nbins, events;
	struct metric *metric;
	struct bin *bin;
	struct name *placed; /* all events */
	struct perfctr_text list;
	int ncores;
	struct core core[PERFCTR_VARIANTS_MAX];
};

static int no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for metrics");
}

static int fail_name(const struct perfctr_metrics *metrics, const char *name, size_t length)
{
	struct perfctr_nearest near = { .word = name, .length = length };
	char text[PERFCTR_NEAREST_TEXT];
	unsigned int i;
	int core;

	for (i = 0; i < perfctr_metric_record_count; i++)
		for (core = 0; core < metrics->ncores; core++)
			if (nth_record(i, metrics->core[core].id))
				perfctr_nearest_note(&near,
						     text_at(perfctr_metric_records[i].name));
	return perfctr_fail(EINVAL, "this processor has no metric \"%.*s\"%s",
			    perfctr_shown(length), name,
			    perfctr_nearest_text(&near, "; \"perfex -M list\" lists them", text,
						 sizeof(text)));
}

static int add_metric(struct perfctr_metrics *metrics, const struct perfctr_metric_record *record,
		      unsigned int core)
{
	const struct core *its = &metrics->core[core];
	struct perfctr_formula_facts facts = perfctr_facts_of(its->cpu, its->pmu);
	struct metric *all, *metric;
	unsigned int i;

	all = reallocarray(metrics->metric, metrics->n + 1, sizeof(*all));
	if (!all)
		return no_memory();
	metrics->metric = all;
	metric = &all[metrics->n++];
	memset(metric, 0, sizeof(*metric));
	metric->record = record;
	metric->core = core;
	perfctr_formula_expand(text_at(record->formula), !its->cpu, &metric->text);
	if (metric->text.failed)
		return no_memory();
	if (perfctr_formula_compile(&metric->formula, metric->text.bytes, &facts) < 0)
		return -1;
	if (!its->cpu)
		metric->unknown = find_scales(text_at(record->unit), &metric->formula,
					      metric->scale);
	/* For another machine they are unknown. */
	for (i = 0; its->cpu && i < metric->formula.events; i++)
		metric->scale[i] = 1;
	return 0;
}

/* Whether no event of it is any core's: it is the same on all. */
static bool is_common(const struct metric *metric, const struct core *core)
{
	unsigned int i;

	for (i = 0; i < metric->formula.events; i++)
		if (*pmu_of(core, metric->formula.event[i].name, metric->formula.event[i].length))
			return false;
	return true;
}

/* One metric, of each core type that has it, from the first on that does. */
static int add_on_cores(struct perfctr_metrics *metrics, const char *name, size_t length)
{
	bool common = false;
	int i;

	for (i = 0; i < metrics->ncores && !common; i++) {
		const struct perfctr_metric_record *record = find_record(name, length,
									 metrics->core[i].id);

		if (record && add_metric(metrics, record, (unsigned int)i) < 0)
			return -1;
		common = record && is_common(&metrics->metric[metrics->n - 1], &metrics->core[i]);
	}
	return 0;
}

/* Whether a core type before this one has a metric of the name. */
static bool is_before(const struct perfctr_metrics *metrics, int core, const char *name)
{
	while (core--)
		if (find_record(name, strlen(name), metrics->core[core].id))
			return true;
	return false;
}

/* Adds the metrics whose names begin with the prefix and a "-". */
static int add_prefix(struct perfctr_metrics *metrics, const char *prefix, size_t length, int core)
{
	unsigned int i;

	for (i = 0; i < perfctr_metric_record_count; i++) {
		const struct perfctr_metric_record *record = nth_record(i, metrics->core[core].id);
		const char *name = text_at(perfctr_metric_records[i].name);

		if (!record || strncasecmp(name, prefix, length) != 0 || name[length] != '-' ||
		    is_before(metrics, core, name))
			continue;
		if (add_on_cores(metrics, name, strlen(name)) < 0)
			return -1;
	}
	return 0;
}

static int add_named(struct perfctr_metrics *metrics, const char *name, size_t length)
{
	unsigned int n = metrics->n;
	int core;

	if (add_on_cores(metrics, name, length) < 0)
		return -1;
	if (metrics->n > n)
		return 0;
	for (core = 0; core < metrics->ncores; core++)
		if (add_prefix(metrics, name, length, core) < 0)
			return -1;
	return metrics->n > n ? 0 : fail_name(metrics, name, length);
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
	return metrics->n ? 0 : perfctr_fail(EINVAL, "the list of metrics is empty");
}

/* ---- events that are counted together ---- */

static struct name event_name(const struct perfctr_metrics *metrics, const struct metric *metric,
			      unsigned int i)
{
	const char *text = metric->formula.event[i].name;
	size_t length = metric->formula.event[i].length;

	return (struct name){ text, length, pmu_of(&metrics->core[metric->core], text, length) };
}

static bool is_same(struct name a, struct name b)
{
	return a.length == b.length && !memcmp(a.text, b.text, a.length) && !strcmp(a.pmu, b.pmu);
}

/* Returns the name's index; -1: it is not there. */
static int find_name(const struct name *names, unsigned int n, struct name name)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (is_same(names[i], name))
			return (int)i;
	return -1;
}

/* Intel's shares of slots, which count in a group that slots leads: perfctr_event_is_metric(). */
static bool is_share(struct name name)
{
	return !strncmp(name.text, "topdown-", 8);
}

static bool is_slots(struct name name)
{
	return name.length == 5 && !memcmp(name.text, "slots", 5);
}

/* Does as perfctr_table_fits() does; slots and their shares have counters of their own. */
static int fits(const struct bin *bin, const struct core *core)
{
	const char *cpu = core->cpu || !*core->pmu ? core->cpu : core->id;
	struct perfctr_text list = { NULL, 0, 0, false };
	int result = 1;
	unsigned int i;

	for (i = 0; i < bin->n; i++)
		if (!is_share(bin->event[i]) && !is_slots(bin->event[i]))
			perfctr_text_add(&list, "%s%.*s", list.size ? "," : "",
					 (int)bin->event[i].length, bin->event[i].text);
	if (list.failed)
		result = no_memory();
	else if (list.size)
		result = perfctr_table_fits(cpu, list.bytes);
	free(list.bytes);
	return result;
}

/* Adds the events of the metric that the bin lacks. False: the bin gets too large. */
static bool add_to_bin(const struct perfctr_metrics *metrics, struct bin *bin,
		       const struct metric *metric)
{
	unsigned int i;

	for (i = 0; i < metric->formula.events; i++) {
		struct name name = event_name(metrics, metric, i);

		if (find_name(bin->event, bin->n, name) >= 0)
			continue;
		if (bin->n == PERFCTR_ASSIGN_MAX)
			return false;
		bin->event[bin->n++] = name;
	}
	return true;
}

/*
 * The metric's events are counted in this bin, too: the processor is known to have the counters, or
 * there are no more of them than of one metric. 1; 0: they are not; -1 after perfctr_fail().
 */
static int join(const struct perfctr_metrics *metrics, struct bin *bin, const struct metric *metric)
{
	struct bin both = *bin;
	int result = 1;

	if (bin->core != metric->core || !add_to_bin(metrics, &both, metric))
		return 0;
	if (both.n != bin->n && both.n != metric->formula.events)
		result = fits(&both, &metrics->core[metric->core]);
	if (result != 1)
		return result < 0 ? -1 : 0;
	*bin = both;
	return 1;
}

/* Whether events are of several PMUs, which no group can have. */
static bool is_of_several(const struct metric *metric)
{
	const struct perfctr_formula *formula = &metric->formula;
	size_t first = 0;
	unsigned int i;

	for (i = 0; i < formula->events; i++) {
		const char *name = formula->event[i].name;
		const char *slash = memchr(name, '/', formula->event[i].length);
		size_t length = slash ? (size_t)(slash - name) : 0;

		if (i && (length != first || memcmp(name, formula->event[0].name, length) != 0))
			return true;
		first = length;
	}
	return false;
}

static int find_bin(struct perfctr_metrics *metrics, struct metric *metric)
{
	struct bin *all, own = { .core = metric->core };
	int result;
	unsigned int i;

	metric->bin = -1;
	add_to_bin(metrics, &own, metric);
	result = is_of_several(metric) ? 0 : fits(&own, &metrics->core[metric->core]);
	if (result <= 0)
		return result;
	for (i = 0; i < metrics->nbins && metric->bin < 0; i++) {
		result = join(metrics, &metrics->bin[i], metric);
		if (result < 0)
			return -1;
		if (result)
			metric->bin = (int)i;
	}
	if (metric->bin >= 0)
		return 0;
	all = reallocarray(metrics->bin, metrics->nbins + 1, sizeof(*all));
	if (!all)
		return no_memory();
	metrics->bin = all;
	metric->bin = (int)metrics->nbins;
	all[metrics->nbins++] = own;
	return 0;
}

/* ---- the list ---- */

/* Adds a name, and returns its index. */
static unsigned int add_name(struct perfctr_metrics *metrics, const char *brace, struct name name)
{
	struct name *placed = reallocarray(metrics->placed, metrics->events + 1, sizeof(*placed));

	perfctr_text_add(&metrics->list, "%s%s%s%s%.*s%s", metrics->events ? "," : "", brace,
			 name.pmu, *name.pmu ? "/" : "", (int)name.length, name.text,
			 *name.pmu ? "/" : "");
	if (!placed) {
		metrics->list.failed = true;
		return 0;
	}
	metrics->placed = placed;
	placed[metrics->events] = name;
	return metrics->events++;
}

/* slots and its shares, and nothing if there are none. Whether there are. */
static bool add_shares(struct perfctr_metrics *metrics, const struct name *names, unsigned int n)
{
	struct name slots = { "slots", 5, "" };
	bool any = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!is_share(names[i]))
			continue;
		slots.pmu = names[i].pmu;
		if (!any)
			add_name(metrics, "{", slots);
		any = true;
		add_name(metrics, "", names[i]);
	}
	return any;
}

static void add_bin(struct perfctr_metrics *metrics, struct bin *bin)
{
	unsigned int first = metrics->events, i;
	bool shares = add_shares(metrics, bin->event, bin->n), open = shares;

	for (i = 0; i < bin->n; i++) {
		if (shares && (is_share(bin->event[i]) || is_slots(bin->event[i])))
			continue;
		add_name(metrics, open ? "" : "{", bin->event[i]);
		open = true;
	}
	perfctr_text_add(&metrics->list, "}");
	for (i = 0; i < bin->n && !metrics->list.failed; i++)
		bin->place[i] = first + (unsigned int)find_name(metrics->placed + first,
								metrics->events - first,
								bin->event[i]);
}

/* They don't fit on the counters: one by one, where they are not counted anyway. None are shares of
 * slots, as the tests know of all metrics. */
static void add_singles(struct perfctr_metrics *metrics, const struct metric *metric)
{
	unsigned int i;

	for (i = 0; i < metric->formula.events; i++) {
		struct name name = event_name(metrics, metric, i);

		if (find_name(metrics->placed, metrics->events, name) < 0)
			add_name(metrics, "", name);
	}
}

/* The places of a metric's events; of those that are nowhere together, any. */
static void find_places(const struct perfctr_metrics *metrics, struct metric *metric)
{
	const struct bin *bin = metric->bin < 0 ? NULL : &metrics->bin[metric->bin];
	unsigned int i;

	for (i = 0; i < metric->formula.events && !metrics->list.failed; i++) {
		struct name name = event_name(metrics, metric, i);

		metric->place[i] = bin ? bin->place[find_name(bin->event, bin->n, name)]
				       : (unsigned int)find_name(metrics->placed, metrics->events,
								 name);
	}
}

/* Said when it happens, where nothing may be allocated. */
static int prepare_reasons(const struct perfctr_metrics *metrics, struct metric *metric)
{
	unsigned int i;

	for (i = 0; i < metric->formula.events; i++) {
		struct name name = event_name(metrics, metric, i);
		const char *slash = *name.pmu ? "/" : "";

		if (asprintf(&metric->uncounted[i], "%s%s%.*s%s was not counted", name.pmu, slash,
			     (int)name.length, name.text, slash) < 0) {
			metric->uncounted[i] = NULL;
			return no_memory();
		}
	}
	return 0;
}

/*
 * Returns the index of the metric with this name, of the same core type; metrics->n: it is not
 * here.
 */
static unsigned int find_metric(const struct perfctr_metrics *metrics, const char *name,
				size_t length, unsigned int core)
{
	unsigned int i;

	for (i = 0; i < metrics->n; i++) {
		const char *its = text_at(metrics->metric[i].record->name);

		if (metrics->metric[i].core == core && strlen(its) == length &&
		    !memcmp(its, name, length))
			break;
	}
	return i;
}

static void find_conditions(const struct perfctr_metrics *metrics, struct metric *metric)
{
	const char *text = text_at(metric->record->threshold);
	struct perfctr_condition condition;
	unsigned int i;

	while (perfctr_threshold_next(&text, &condition)) {
		i = find_metric(metrics, condition.name, condition.length, metric->core);
		if (i == metrics->n)
			continue;
		metric->about[metric->conditions] = i;
		metric->condition[metric->conditions++] = condition;
	}
}

static int make_list(struct perfctr_metrics *metrics)
{
	unsigned int i;

	for (i = 0; i < metrics->n; i++)
		if (find_bin(metrics, &metrics->metric[i]) < 0)
			return -1;
	for (i = 0; i < metrics->nbins; i++)
		add_bin(metrics, &metrics->bin[i]);
	for (i = 0; i < metrics->n; i++) {
		if (metrics->metric[i].bin < 0)
			add_singles(metrics, &metrics->metric[i]);
		find_places(metrics, &metrics->metric[i]);
		find_conditions(metrics, &metrics->metric[i]);
		if (prepare_reasons(metrics, &metrics->metric[i]) < 0)
			return -1;
	}
	return metrics->list.failed ? no_memory() : 0;
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
		no_memory();
		return NULL;
	}
	metrics->head = perfctr_head_of(PERFCTR_KIND_METRICS);
	metrics->ncores = find_cores(metrics->core, cpu);
	if (metrics->ncores < 0 || add_metrics(metrics, names) < 0 || make_list(metrics) < 0) {
		perfctr_metrics_close(metrics);
		return NULL;
	}
	errno = error;
	return metrics;
}

void perfctr_metrics_close(struct perfctr_metrics *metrics)
{
	int error = errno;
	unsigned int i, k;

	if (metrics && !perfctr_is_kind(metrics, PERFCTR_KIND_METRICS)) {
		perfctr_wrong_kind(metrics, METRICS);
		return;
	}
	for (i = 0; metrics && i < metrics->n; i++) {
		for (k = 0; k < PERFCTR_FORMULA_EVENTS; k++)
			free(metrics->metric[i].uncounted[k]);
		free(metrics->metric[i].text.bytes);
	}
	if (metrics) {
		free(metrics->metric);
		free(metrics->placed);
		free(metrics->bin);
		free(metrics->list.bytes);
	}
	free(metrics);
	errno = error;
}

unsigned int perfctr_metrics_size(const struct perfctr_metrics *metrics)
{
	return metrics && perfctr_is_kind(metrics, PERFCTR_KIND_METRICS) ? metrics->n : 0;
}

static int check_metric(const struct perfctr_metrics *metrics, unsigned int i, const char *call)
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
	if (check_metric(metrics, i, call) < 0)
		return NULL;
	*n = metrics->metric[i].formula.events;
	return metrics->metric[i].place;
}

int perfctr_metrics_metric(const struct perfctr_metrics *metrics, unsigned int i,
			   struct perfctr_metric *metric)
{
	const struct core *core;

	if (check_metric(metrics, i, "perfctr_metrics_metric()") < 0)
		return -1;
	if (!metric)
		return perfctr_fail(EINVAL,
				    "perfctr_metrics_metric() needs a place for the result, not "
				    "NULL");
	*metric = describe(metrics->metric[i].record);
	core = &metrics->core[metrics->metric[i].core];
	if (!is_common(&metrics->metric[i], core))
		metric->core = core->pmu;
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

/* Infinity stands for an estimate that is unknown. */
static double count_of(const struct perfctr_reading *reading, double scale)
{
	uint64_t estimate = perfctr_reading_estimate(reading);

	return estimate == UINT64_MAX ? INFINITY : (double)estimate * scale;
}

static void give_value(const struct metric *metric, const struct perfctr_reading *readings,
		       struct perfctr_metric_value *value)
{
	double counts[PERFCTR_FORMULA_EVENTS], seconds[PERFCTR_FORMULA_EVENTS];
	unsigned int i;

	for (i = 0; i < metric->formula.events; i++) {
		const struct perfctr_reading *reading = &readings[metric->place[i]];

		if (reading->quality == PERFCTR_NOT_COUNTED) {
			value->quality = PERFCTR_NOT_COUNTED;
			value->reason = metric->uncounted[i];
			return;
		}
		if (reading->quality > value->quality)
			value->quality = reading->quality;
		counts[i] = count_of(reading, metric->scale[i]);
		seconds[i] = (double)reading->enabled / 1e9;
	}
	if (metric->formula.lacks_slots)
		value->reason = no_slots;
	else if (metric->unknown)
		value->reason = metric->unknown;
	else
		value->reason = perfctr_formula_value(&metric->formula, counts, seconds,
						      &value->value);
}

/*
 * Whether the metric is beyond its threshold; value: the metric's. A condition about a metric
 * without a value is ignored.
 */
static bool is_beyond(const struct perfctr_metrics *metrics, const struct metric *metric,
		      const struct perfctr_reading *readings, double value)
{
	bool any = perfctr_threshold_is_any(text_at(metric->record->threshold)), seen = false;
	unsigned int i;

	for (i = 0; i < metric->conditions; i++) {
		const struct metric *its = &metrics->metric[metric->about[i]];
		struct perfctr_metric_value other = { .value = value };

		if (its != metric) {
			other.value = NAN;
			give_value(its, readings, &other);
		}
		if (isnan(other.value))
			continue;
		seen = true;
		if (perfctr_condition_holds(&metric->condition[i], other.value) == any)
			return any;
	}
	return seen && !any;
}

int perfctr_metrics_value(const struct perfctr_metrics *metrics, unsigned int i,
			  const struct perfctr_reading *readings,
			  struct perfctr_metric_value *value)
{
	if (check_metric(metrics, i, "perfctr_metrics_value()") < 0)
		return -1;
	if (!readings || !value)
		return perfctr_fail(EINVAL,
				    "perfctr_metrics_value() needs readings and a place for the "
				    "result, not NULL");
	*value = (struct perfctr_metric_value){ .value = NAN, .quality = PERFCTR_EXACT };
	give_value(&metrics->metric[i], readings, value);
	value->beyond = !value->reason &&
			is_beyond(metrics, &metrics->metric[i], readings, value->value);
	return 0;
}
