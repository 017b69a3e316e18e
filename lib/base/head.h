/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * head.h - how a handle begins. A handle of vperfctr_open() begins with its provider; every other
 * handle also begins with a provider, one whose calls fail, and then its kind. So the quick calls
 * on a thread's own counters fail on other handles without a test. perfctr_head_of() of
 * lib/virtual/kind.h fills it in.
 */
#ifndef PERFCTR_LIB_BASE_HEAD_H
#define PERFCTR_LIB_BASE_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The numbers are small, so that none is an address, as a handle of vperfctr_open() has at this
 * place.
 */
enum perfctr_kind {
	PERFCTR_KIND_REMOTE = 1,
	PERFCTR_KIND_GLOBAL,
	PERFCTR_KIND_TOTAL,
	PERFCTR_KIND_SET,
	PERFCTR_KIND_SAMPLER,
	PERFCTR_KIND_QUICK_SAMPLER, /* a sampler with one buffer */
	PERFCTR_KIND_METRICS,
	PERFCTR_KIND_LIST,
};

struct perfctr_provider;

/* All other handles begin with this. A child of fork() finds it cleared. */
struct perfctr_head {
	const struct perfctr_provider *provider;
	uintptr_t kind;
};

static inline bool perfctr_is_kind(const void *handle, enum perfctr_kind kind)
{
	return ((const struct perfctr_head *)handle)->kind == kind;
}

/* Whether this handle is one that a child of fork() found cleared. */
static inline bool perfctr_is_cleared(const void *handle)
{
	return !((const struct perfctr_head *)handle)->provider;
}

#endif /* PERFCTR_LIB_BASE_HEAD_H */
