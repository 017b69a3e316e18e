/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* config.h - what is to be sampled, and how */
#ifndef PERFCTR_LIB_SAMPLING_CONFIG_H
#define PERFCTR_LIB_SAMPLING_CONFIG_H

#include <linux/perf_event.h>
#include <stddef.h>
#include "libperfctr.h"

/* Of a config's flags those that groups know. */
#define PERFCTR_SAMPLER_GROUP_FLAGS \
	(PERFCTR_MULTIPLEX | PERFCTR_INHERIT | PERFCTR_ON_EXEC | PERFCTR_DISABLED)

#define PERFCTR_LARGEST_RECORD ((size_t)65536)

/* 0, or -1 after perfctr_fail(): EINVAL; EOPNOTSUPP for PERF_SAMPLE_AUX. */
int perfctr_sampler_config_check(const struct perfctr_sampler_config *config);

/* Bytes of a buffer. */
size_t perfctr_sampler_config_size(const struct perfctr_sampler_config *config);

/* Bytes of an AUX area; 0: there is none. */
size_t perfctr_sampler_config_aux_size(const struct perfctr_sampler_config *config);

/* What the attr of the event that is sampled has more than one that is counted. */
void perfctr_sampler_config_attr(const struct perfctr_sampler_config *config,
				 struct perf_event_attr *attr);

#endif /* PERFCTR_LIB_SAMPLING_CONFIG_H */
