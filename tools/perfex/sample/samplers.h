/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* samplers.h - an event sampled on several targets, as if these were one. */
#ifndef PERFCTR_TOOLS_SAMPLERS_H
#define PERFCTR_TOOLS_SAMPLERS_H

#include <libperfctr.h>

struct samplers;

/* On all n targets, or NULL, with errno and perfctr_error(). A user may not lock as much memory as
 * config asks for: fewer pages will do. */
struct samplers *samplers_open(const char *event, const struct perfctr_target *targets,
			       unsigned int n, const struct perfctr_sampler_config *config);

/*
 * Hand out what there is, by time, for a tenth of a second at most; what is left, and what one
 * target does while another is read, comes with the next reading. Returns how many records could
 * not be read, and are left out.
 */
uint64_t samplers_each(struct samplers *samplers,
		       void (*each)(void *arg, const struct perfctr_record *), void *arg);

/* What is stopped hands out all that it has. */
void samplers_disable(struct samplers *samplers);

/* Records that the kernel could not write. */
uint64_t samplers_lost(const struct samplers *samplers);

/* 0; -1: something has ended events early, perfctr_error() says what. */
int samplers_check(const struct samplers *samplers);

void samplers_close(struct samplers *samplers);

#endif /* PERFCTR_TOOLS_SAMPLERS_H */
