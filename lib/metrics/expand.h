/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * expand.h - events of several PMUs in a formula
 *
 * A PMU's name that ends in a star, in front of an event's: the sum of the event on all PMUs of
 * this machine whose names begin so. Of several events, with | between them, it is the first that
 * any of them has. time() of it is that of the first PMU. If there is none, the star goes away, and
 * the machine does not have that event either.
 */
#ifndef PERFCTR_LIB_METRICS_EXPAND_H
#define PERFCTR_LIB_METRICS_EXPAND_H

#include <stdbool.h>
#include "lib/base/text.h"

/* here: on this machine; else there are no PMUs. Check text->failed. */
void perfctr_formula_expand(const char *formula, bool here, struct perfctr_text *text);

#endif /* PERFCTR_LIB_METRICS_EXPAND_H */
