// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the handles of all providers have in common: the thread they are attached to, their
 * reference counts, and the reads that can't be quick.
 */
#include <errno.h>
#include <stddef.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"

static PERFCTR_THREAD struct vperfctr *attached;

void perfctr_attach(struct vperfctr *self)
{
	attached = self;
}

struct vperfctr *perfctr_attached(void)
{
	return attached && attached->provider ? attached : NULL;
}

void perfctr_hold(struct vperfctr *self)
{
	atomic_fetch_add(&self->references, 1);
}

void perfctr_release(struct vperfctr *self)
{
	const struct perfctr_provider *provider = self->provider;

	if (atomic_fetch_sub(&self->references, 1) != 1)
		return;
	provider->destroy(self);
	perfctr_memory_give(self, provider->state_size);
}

int perfctr_no_handle(void)
{
	return perfctr_fail(EINVAL, "vperfctr_*() need a handle of vperfctr_open(), not NULL");
}

int perfctr_not_ours(void)
{
	return perfctr_fail(ESRCH,
			    "these counters belong to the parent process; a child opens its own");
}

int perfctr_no_such_counter(unsigned int i)
{
	return perfctr_fail(EINVAL, "there is no counter %u; the last one is %d", i,
			    PERFCTR_NR_CTRS - 1);
}

unsigned long long perfctr_read_tsc_slow(const struct vperfctr *self)
{
	struct perfctr_sum_ctrs sum;

	return self->provider->read_state(self, &sum, NULL) == 0 ? sum.tsc : ~0ULL;
}

unsigned long long perfctr_read_pmc_slow(const struct vperfctr *self, unsigned int i)
{
	struct perfctr_sum_ctrs sum;

	if (i >= PERFCTR_NR_CTRS)
		return (unsigned long long)perfctr_no_such_counter(i);
	return self->provider->read_state(self, &sum, NULL) == 0 ? sum.pmc[i] : ~0ULL;
}
