/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cost.h - what a sample of a clock takes. The kernel slows a PMU's events whose samples take too
 * much of a processor's time (kernel.perf_cpu_time_max_percent), but no clock's: on a machine whose
 * samples take longer than the period, programs get no time, perfex among them.
 */
#ifndef PERFCTR_TOOLS_COST_H
#define PERFCTR_TOOLS_COST_H

#include <libperfctr.h>

/*
 * Takes a few samples of this thread, as config has them, and returns how many ns one takes; 0: the
 * event can't be sampled, or this thread got none.
 */
uint64_t cost_measure(const char *event, const struct perfctr_sampler_config *config);

/*
 * Returns the shortest period of a clock, in ns, with which samples take at most a quarter of a
 * processor's time.
 */
uint64_t cost_shortest(uint64_t cost);

#endif /* PERFCTR_TOOLS_COST_H */
