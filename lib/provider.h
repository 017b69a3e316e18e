/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * provider.h - the kernel facility under a handle. virtual.c, the public calls, goes through this
 * table only; a provider's own state begins with a struct vperfctr.
 */
#ifndef PERFCTR_PROVIDER_H
#define PERFCTR_PROVIDER_H

#include "internal.h"

struct perfctr_provider {
	const char *name;

	/* As the public calls of the same names. */
	int (*info)(struct perfctr_info *info);
	struct vperfctr *(*open)(unsigned int mode);
	int (*control)(struct vperfctr *self, const struct vperfctr_control *control);
	int (*is_running)(const struct vperfctr *self);
	unsigned long long (*read_tsc)(const struct vperfctr *self);
	unsigned long long (*read_pmc)(const struct vperfctr *self, unsigned int i);
	int (*read_ctrs)(const struct vperfctr *self, struct perfctr_sum_ctrs *sum);
	int (*read_control)(const struct vperfctr *self, struct vperfctr_control *control);
	int (*read_quality)(const struct vperfctr *self, unsigned int i,
			    struct perfctr_reading *reading);
	int (*reader)(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader);
	int (*iresume)(struct vperfctr *self);
	int (*unlink)(struct vperfctr *self);

	/* One more, one fewer user of the state, which goes with the last one. */
	void (*hold)(struct vperfctr *self);
	void (*release)(struct vperfctr *self);
};

/*
 * A handle. It lies in memory that a child of fork() finds cleared: a handle without a provider is
 * the parent's.
 */
struct vperfctr {
	const struct perfctr_provider *provider;
};

extern const struct perfctr_provider perfctr_provider_driver, perfctr_provider_perf;

/* The provider for an open with these flags. NULL after perfctr_fail(EINVAL or ENODEV). */
const struct perfctr_provider *perfctr_provider_choose(unsigned int mode);

#endif /* PERFCTR_PROVIDER_H */
