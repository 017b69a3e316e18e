/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* config.h - a sampler's config: what it samples, and how */
#ifndef PERFCTR_LIB_SAMPLING_CONFIG_H
#define PERFCTR_LIB_SAMPLING_CONFIG_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "libperfctr.h"

/* The flags of a config that groups have, too. */
#define PERFCTR_SAMPLER_GROUP_FLAGS                                                 \
	(PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC | PERFCTR_DISABLED | \
	 PERFCTR_EVENTS_KEPT)

#define PERFCTR_LARGEST_RECORD ((size_t)65536)

/* Checks a config. 0, or -1 after perfctr_fail(): EINVAL; EOPNOTSUPP for PERF_SAMPLE_AUX. */
int perfctr_sampler_config_check(const struct perfctr_sampler_config *config);

/* Fails with EINVAL: an event with an AUX area has a frequency. */
int perfctr_sampler_config_fail_aux(void);

/* Bytes of a buffer. */
size_t perfctr_sampler_config_size(const struct perfctr_sampler_config *config);

/* Bytes of an AUX area; 0: there is none. */
size_t perfctr_sampler_config_aux_size(const struct perfctr_sampler_config *config);

/* Adds to an event's attr the members for sampling. */
void perfctr_sampler_config_attr(const struct perfctr_sampler_config *config,
				 struct perf_event_attr *attr);

#endif /* PERFCTR_LIB_SAMPLING_CONFIG_H */
