/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * threshold.h - thresholds, beyond which a metric is worth a look
 *
 *	threshold = condition {"&" condition} | condition {"|" condition}
 *	condition = METRIC (">" | "<") NUMBER
 *
 * with a blank between words.
 */
#ifndef PERFCTR_LIB_METRICS_THRESHOLD_H
#define PERFCTR_LIB_METRICS_THRESHOLD_H

#include <stdbool.h>
#include <stddef.h>

enum { PERFCTR_CONDITIONS = 8 }; /* of a threshold, at most: scripts/metrics.awk sees to it */

struct perfctr_condition {
	const char *name; /* of a metric */
	size_t length;
	bool below; /* < */
	double limit;
};

/* The next condition, and *text moves after it. False: there is none. */
bool perfctr_threshold_next(const char **text, struct perfctr_condition *condition);

/* Whether one condition is enough. */
bool perfctr_threshold_is_any(const char *text);

static inline bool perfctr_condition_holds(const struct perfctr_condition *condition, double value)
{
	return condition->below ? value < condition->limit : value > condition->limit;
}

#endif /* PERFCTR_LIB_METRICS_THRESHOLD_H */
