/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kind.h - what a handle is. One of vperfctr_open() begins with its provider; each other one with a
 * provider, too, whose calls fail, and its kind. So the quick calls of a thread's own counters fail
 * on another's handle, without asking.
 */
#ifndef PERFCTR_LIB_VIRTUAL_KIND_H
#define PERFCTR_LIB_VIRTUAL_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No addresses, which a handle of vperfctr_open() has there. */
enum perfctr_kind {
	PERFCTR_KIND_REMOTE = 1,
	PERFCTR_KIND_GLOBAL,
	PERFCTR_KIND_TOTAL,
	PERFCTR_KIND_SET,
	PERFCTR_KIND_SAMPLER,
	PERFCTR_KIND_QUICK_SAMPLER, /* of one buffer */
	PERFCTR_KIND_METRICS,
};

struct perfctr_provider;

/* How they begin; a child of fork() finds it cleared. */
struct perfctr_head {
	const struct perfctr_provider *provider;
	uintptr_t kind;
};

struct perfctr_head perfctr_head_of(enum perfctr_kind kind);

static inline bool perfctr_is_kind(const void *handle, enum perfctr_kind kind)
{
	return ((const struct perfctr_head *)handle)->kind == kind;
}

/* A handle that a child of fork() has found cleared. */
static inline bool perfctr_is_cleared(const void *handle)
{
	return !((const struct perfctr_head *)handle)->provider;
}

/* It is not what the call needs, "a set of perfctr_set_open()". -1 after perfctr_fail(EINVAL). */
int perfctr_wrong_kind(const void *handle, const char *needed) __attribute__((cold));

#endif /* PERFCTR_LIB_VIRTUAL_KIND_H */
