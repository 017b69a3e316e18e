/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* samplers.h - samples an event on several targets, as if these were one. */
#ifndef PERFCTR_TOOLS_SAMPLERS_H
#define PERFCTR_TOOLS_SAMPLERS_H

#include <libperfctr.h>

struct samplers;

/*
 * Opens all n targets, or returns NULL, with errno and perfctr_error(). It takes smaller buffers if
 * the user may not lock as much memory as config asks for.
 */
struct samplers *samplers_open(const char *event, const struct perfctr_target *targets,
			       unsigned int n, const struct perfctr_sampler_config *config);

/* Starts those that were opened with PERFCTR_DISABLED. -1: perfctr_error() says why not. */
int samplers_enable(struct samplers *samplers);

/*
 * Hands out the records by time, for a tenth of a second at most; the next call hands out the rest,
 * and records that one target writes while another is read. Returns the number of records that
 * could not be read. Once more were lost than handed out, the events stop while records are read.
 */
uint64_t samplers_each(struct samplers *samplers,
		       void (*each)(void *arg, const struct perfctr_record *), void *arg);

/*
 * Stops them: the next call of samplers_each() hands out all their records, or in that many seconds
 * (0: however long it takes) as many as it can, and after these no samples.
 */
void samplers_disable(struct samplers *samplers, double seconds);

/* Records that the kernel could not write, and samples that were not handed out. */
uint64_t samplers_lost(const struct samplers *samplers);

/* How often the events were stopped while records were read, and for how many seconds in all. */
uint64_t samplers_stops(const struct samplers *samplers, double *seconds);

/* How often the sampled event has happened on all targets; 0: nobody can tell. */
uint64_t samplers_count(const struct samplers *samplers);

/* 0; -1: events have ended early, perfctr_error() says why. */
int samplers_check(const struct samplers *samplers);

void samplers_close(struct samplers *samplers);

#endif /* PERFCTR_TOOLS_SAMPLERS_H */
