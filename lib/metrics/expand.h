/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * expand.h - expands events of several PMUs in a formula
 *
 * An event may have a PMU's name that ends in a star before it: it stands for the sum of the event
 * on all PMUs of this machine whose names begin so. Of several events, with | between them, the
 * first one is taken that any of the PMUs has. time() of it is that of the first PMU. If there is
 * none, the star goes away, and the machine does not have that event either.
 */
#ifndef PERFCTR_LIB_METRICS_EXPAND_H
#define PERFCTR_LIB_METRICS_EXPAND_H

#include <stdbool.h>
#include "lib/base/text.h"

/*
 * Expands a formula. here: on this machine; otherwise there are no PMUs. The caller checks
 * text->failed.
 */
void perfctr_formula_expand(const char *formula, bool here, struct perfctr_text *text);

#endif /* PERFCTR_LIB_METRICS_EXPAND_H */
