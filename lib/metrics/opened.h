/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * opened.h - what perfctr_metrics_open() makes, for the files of this directory
 *
 * A metric may use values of others: those that were not asked for are there as well, after those
 * that were. Metrics that use others come after them in the order of evaluation.
 */
#ifndef PERFCTR_LIB_METRICS_OPENED_H
#define PERFCTR_LIB_METRICS_OPENED_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "arch/events.h"
#include "arch/metric-tables.h"
#include "lib/base/error.h"
#include "lib/base/text.h"
#include "lib/isa/pmu.h"
#include "lib/metrics/formula.h"
#include "lib/metrics/threshold.h"
#include "lib/virtual/kind.h"
#include "libperfctr.h"

enum { PERFCTR_METRICS_MAX = 1024 }; /* with those that others use */

/* A core type of this machine, or all that there is. */
struct perfctr_metric_core {
	char pmu[PERFCTR_NAME_SIZE]; /* that its events are named with; "": none is needed */
	const char *id;		     /* the id of its table; "": it has none */
	const char *cpu;	     /* the processor that was named; NULL: this machine */
	unsigned int counters;	     /* how many events its counters take; 0: it is unknown */
	struct perfctr_formula_facts facts;
};

/* An event: its name in a text, and the PMU before it, or "". */
struct perfctr_metric_event {
	const char *text;
	size_t length;
	const char *pmu;
};

/* An input of a formula: an event, or the value of another metric. */
struct perfctr_metric_input {
	struct perfctr_metric_event event;
	double scale;	    /* from the count, or the value, to what the formula takes */
	int metric;	    /* its index; -1: it is an event */
	unsigned int place; /* of an event, in the list */
	int group;	    /* of an event; -1: it is counted on its own */
	char *uncounted;    /* the reason if it was not counted */
};

struct perfctr_opened_metric {
	const struct perfctr_metric_record *record;
	/* Its formula, and after the NUL the same with this machine's PMUs. */
	struct perfctr_text text;
	struct perfctr_formula_step *step;
	struct perfctr_metric_input *input;
	unsigned int inputs;
	bool is_estimate, has_time, is_input; /* its value is that of its input */
	const char *unknown; /* why scales or slots are not known; NULL: they are */
	unsigned int core;
	unsigned int *place, places; /* of all events that it needs, each once */
	/* The conditions of its threshold that are about metrics which are here; is_any: one is
	 * enough. */
	bool is_any;
	struct perfctr_condition condition[PERFCTR_CONDITIONS];
	unsigned int about[PERFCTR_CONDITIONS], conditions;
};

/* Events of a core type that are counted together. */
struct perfctr_metric_group {
	unsigned int n, core;
	struct perfctr_metric_event event[PERFCTR_ASSIGN_MAX];
	unsigned int place[PERFCTR_ASSIGN_MAX];
};

struct perfctr_metrics {
	struct perfctr_head head;
	unsigned int n, all, groups, events; /* n: those that were asked for */
	struct perfctr_opened_metric *metric;
	unsigned int *order; /* all metrics, each after those that it uses */
	struct perfctr_metric_group *group;
	struct perfctr_metric_event *placed; /* all events */
	struct perfctr_text list;
	int ncores;
	struct perfctr_metric_core core[PERFCTR_VARIANTS_MAX];
};

static inline int perfctr_metrics_no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for metrics");
}

/*
 * Puts the events of all metrics into as few groups as they fit in, and makes the list of them. 0,
 * or -1 after perfctr_fail().
 */
int perfctr_metrics_group(struct perfctr_metrics *metrics);

/* 0, or -1 after perfctr_fail(EINVAL) for the call of this name: it is no metric of metrics. */
int perfctr_metrics_check(const struct perfctr_metrics *metrics, unsigned int i, const char *call);

#endif /* PERFCTR_LIB_METRICS_OPENED_H */
