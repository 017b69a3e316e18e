/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kind.h - what a handle is. Each begins with a word that says so: a handle of vperfctr_open() with
 * its provider, each other one with a kind, which is a provider, too, whose calls fail. So the
 * quick calls of a thread's own counters fail on another's handle, without asking.
 */
#ifndef PERFCTR_LIB_KIND_H
#define PERFCTR_LIB_KIND_H

#include <stdbool.h>
#include <stddef.h>

struct perfctr_provider;

#pragma GCC visibility push(hidden)
extern const struct perfctr_provider perfctr_kind_remote, perfctr_kind_global, perfctr_kind_total,
	perfctr_kind_set, perfctr_kind_sampler, perfctr_kind_quick_sampler, perfctr_kind_metrics;
#pragma GCC visibility pop

/* The word of a handle that is not NULL: NULL where a child of fork() finds it cleared. */
static inline const struct perfctr_provider *perfctr_kind_of(const void *handle)
{
	return *(const struct perfctr_provider *const *)handle;
}

/* It is not what the call needs, "a set of perfctr_set_open()". -1 after perfctr_fail(EINVAL). */
int perfctr_wrong_kind(const void *handle, const char *needed) __attribute__((cold));

#endif /* PERFCTR_LIB_KIND_H */
