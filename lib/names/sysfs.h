/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sysfs.h - reads the kernel's descriptions of its PMUs */
#ifndef PERFCTR_LIB_NAMES_SYSFS_H
#define PERFCTR_LIB_NAMES_SYSFS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/isa/pmu.h"
#include "lib/names/known.h"

/* A PMU's right name, PERFCTR_NAME_SIZE bytes. 0, or -1 after perfctr_fail(ENOENT, EINVAL). */
int perfctr_sysfs_find(const char *word, size_t length, char *pmu);

/* Whether there is a PMU of this name; its right one, PERFCTR_NAME_SIZE bytes. */
bool perfctr_sysfs_is_pmu(const char *word, size_t length, char *pmu);

/* The PMU with this type's number, PERFCTR_NAME_SIZE bytes; false: there is none. */
bool perfctr_sysfs_of_type(uint32_t type, char *pmu);

/*
 * Set type and config* by the terms of the PMU with the right name, without those that are perf's
 * own. 0, or -1 after perfctr_fail().
 */
int perfctr_sysfs_parse(const char *pmu, const char *terms, size_t length,
			struct perf_event_attr *attr);

/* Whether it has such a file in events/. */
bool perfctr_sysfs_has_event(const char *pmu, const char *name, size_t length);

/*
 * Gets the unit of an event that the kernel describes, and the factor from its count to that unit:
 * 1 and "" if the kernel gives none, or nonsense.
 */
void perfctr_sysfs_unit(const char *pmu, const char *name, size_t length, double *scale, char *unit,
			size_t size);

/*
 * Puts a generic event on one of several core PMUs. Every kernel that has x86's hybrid PMUs (5.13)
 * takes the PMU's type in the upper half of config; Arm's PMUs do so since Linux 6.6, and on others
 * it is "no such event". PMUv3's events by their own codes are the same on all kernels. But a core
 * that does not have such a code counts zero for it: so an event that events/ does not list is not
 * opened. 1; 0: this core does not have it; -1 after perfctr_fail().
 */
int perfctr_sysfs_generic(const struct perfctr_pmu *core, struct perf_event_attr *attr);

/* Fails with ENOENT: the PMU's type makes no sense. */
int perfctr_sysfs_fail_type(const char *pmu);

/* Note the names of its events; walk over all PMUs' events. */
void perfctr_sysfs_note_near(const char *pmu, struct perfctr_nearest *near);
int perfctr_sysfs_walk(perfctr_each_name *each, void *arg);

#endif /* PERFCTR_LIB_NAMES_SYSFS_H */
