// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * vperfctr_*(), the public calls for the calling thread's virtual counters, which either provider
 * carries out.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/virtual/info.h"
#include "lib/virtual/kind.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"
#include "perfctr/read.h"

static struct vperfctr *mutable(const struct vperfctr *self)
{
	return (struct vperfctr *)self; /* 2.6's prototypes have const where the state changes */
}

int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	if (!provider)
		return -1;
	if (!info)
		return perfctr_fail(EINVAL,
				    "vperfctr_info() needs a place for the result, not NULL");
	return perfctr_provider_info(provider, info);
}

struct perfctr_cpus_info *vperfctr_cpus_info(const struct vperfctr *self)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	if (!provider)
		return NULL;
	if (perfctr_is_provider(provider))
		return perfctr_cpus_info(-1);
	perfctr_wrong_kind(self, "a handle of vperfctr_open()");
	return NULL;
}

int vperfctr_control(const struct vperfctr *self, struct vperfctr_control *control)
{
	if (!perfctr_likely(self != NULL))
		return perfctr_no_handle();
	if (!perfctr_likely(self->provider != NULL))
		return perfctr_not_ours();
	if (!control)
		return perfctr_fail(EINVAL, "vperfctr_control() needs a control, not NULL");
	return self->provider->control(mutable(self), control);
}

int vperfctr_stop(const struct vperfctr *self)
{
	/* Stack use and a return would be counted here. */
	if (!perfctr_likely(self != NULL))
		return perfctr_no_handle();
	if (!perfctr_likely(self->provider != NULL))
		return perfctr_not_ours();
	return self->provider->stop(mutable(self));
}

int vperfctr_is_running(const struct vperfctr *self)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	return provider && provider->is_running(self);
}

unsigned long long vperfctr_read_tsc(const struct vperfctr *self)
{
	if (perfctr_likely(self->provider != NULL))
		return self->provider->read_tsc(self);
	return (unsigned long long)perfctr_not_ours();
}

unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i)
{
	if (perfctr_likely(self->provider != NULL))
		return self->provider->read_pmc(self, i);
	return (unsigned long long)perfctr_not_ours();
}

/* The quick reads don't test self for NULL, which would cost each of them 2 instructions. */
int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum)
{
	const struct perfctr_provider *provider = self->provider;

	if (!perfctr_likely(provider != NULL))
		return perfctr_not_ours();
	if (!sum)
		return perfctr_fail(EINVAL,
				    "vperfctr_read_ctrs() needs a place for the counts, not NULL");
	return provider->read_ctrs(self, sum);
}

int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			struct vperfctr_control *control)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	if (!provider || (sum && provider->read_ctrs(self, sum) < 0))
		return -1;
	return control ? provider->read_state(self, NULL, control) : 0;
}

int vperfctr_read_quality(const struct vperfctr *self, unsigned int i,
			  struct perfctr_reading *reading)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	if (!provider)
		return -1;
	if (!reading)
		return perfctr_fail(
			EINVAL, "vperfctr_read_quality() needs a place for the reading, not NULL");
	memset(reading, 0, sizeof(*reading));
	if (i >= PERFCTR_NR_CTRS)
		return perfctr_no_such_counter(i);
	return provider->read_quality(self, i, reading);
}

/* Gives a reader of an empty page, where index 0 says "ask the kernel". */
static void give_no_reader(struct perfctr_reader *reader)
{
	static const struct perf_event_mmap_page nowhere;

	memset(reader, 0, sizeof(*reader));
	reader->page = &nowhere;
}

int vperfctr_reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	if (!provider)
		return -1;
	if (!reader)
		return perfctr_fail(EINVAL,
				    "vperfctr_reader() needs a place for the reader, not NULL");
	give_no_reader(reader);
	return provider->reader(self, i, reader);
}

int vperfctr_pause(const struct vperfctr *self)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	return provider ? provider->pause(mutable(self)) : -1;
}

int vperfctr_resume(const struct vperfctr *self)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	return provider ? provider->resume(mutable(self)) : -1;
}

/* Does the same for a state reader: no state has that cstatus. */
static void give_no_state_reader(struct perfctr_state_reader *reader)
{
	static const struct vperfctr_state nowhere;

	memset(reader, 0, sizeof(*reader));
	reader->state = &nowhere;
	reader->cstatus = PERFCTR_NO_CSTATUS;
}

int vperfctr_state_reader(const struct vperfctr *self, struct perfctr_state_reader *reader)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	if (!provider)
		return -1;
	if (!reader)
		return perfctr_fail(EINVAL, "vperfctr_state_reader() needs a place for the reader, "
					    "not NULL");
	give_no_state_reader(reader);
	if (!provider->state_reader)
		return perfctr_fail(EOPNOTSUPP,
				    "a struct perfctr_state_reader reads the driver's page; "
				    "perf_events has one for each counter, which vperfctr_reader() "
				    "finds");
	return provider->state_reader(self, reader);
}

int vperfctr_iresume(const struct vperfctr *self)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	return provider ? provider->iresume(mutable(self)) : -1;
}

unsigned int vperfctr_ovf_mask(const struct vperfctr *self, const void *siginfo)
{
	const siginfo_t *info = siginfo;

	/* In a child of fork() the handle has no counters. */
	return self && info && perfctr_is_provider(self->provider) && info->si_code == SI_PMC_OVF
		       ? (unsigned int)info->si_pmc_ovf_mask
		       : 0;
}
