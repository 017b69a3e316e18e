/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* offer.h - what the kernel's PMU of a core offers: fields, events that the processor implements */
#ifndef PERFCTR_LIB_ISA_OFFER_H
#define PERFCTR_LIB_ISA_OFFER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/base/file.h"
#include "lib/isa/pmu.h"

struct perfctr_cpu;
struct perfctr_event_table;

/* A core PMU, by its directory in sysfs. */
struct perfctr_offer {
	char pmu[PERFCTR_NAME_SIZE];
	char kernel[32];    /* its release, "6.1.0-50-amd64"; "" if it is not known */
	uint32_t type;	    /* struct perf_event_attr's */
	uint64_t field[3];  /* bits of config, config1 and config2 that are in a field of format/ */
	uint32_t beside;    /* registers beside Intel's event select that have a field in config1 */
	bool has_format;    /* else nothing is known of fields */
	bool is_pmuv3;	    /* events/ tells which common events the processor implements */
	bool is_generic;    /* the kernel does not know this x86 (caps/pmu_name) */
	uint64_t absent[2]; /* of the common events 0-3FH and 4000-403FH: not implemented */
};

/* Reads the directory of a PMU of the processor. */
void perfctr_offer_read(const struct perfctr_pmu *pmu, const struct perfctr_cpu *cpu,
			struct perfctr_offer *offer);

/*
 * Checks that the PMU takes all bits of a core's event, that the processor implements it, and that
 * the kernel puts it on a counter that can count it; table (NULL: none) knows the counters. name is
 * for the message. 0, or -1 after perfctr_fail(EOPNOTSUPP).
 */
int perfctr_offer_check(const struct perfctr_offer *offer, const struct perfctr_cpu *cpu,
			const struct perfctr_event_table *table, const struct perf_event_attr *attr,
			const char *name, size_t length);

/* Bits of config, config1 and config2 that need no further look on this machine. */
extern struct perfctr_plain {
	bool is_known;
	bool unseen; /* sysfs can't be read: the bits are all, and nothing is checked */
	uint64_t bits[3];
} perfctr_plain __attribute__((visibility("hidden")));
int perfctr_attr_check_all(const struct perf_event_attr *attr, const char *name, size_t length)
	__attribute__((cold));

/*
 * Does the same for an event of this machine, on the core PMU of its type; on any, if that is
 * PERF_TYPE_RAW. Other PMUs' events are not looked at. All encoders' results go through this. The
 * PMUs are read once.
 */
static inline int perfctr_attr_check(const struct perf_event_attr *attr, const char *name,
				     size_t length)
{
	const struct perfctr_plain *plain = &perfctr_plain;

	return __atomic_load_n(&plain->is_known, __ATOMIC_ACQUIRE) &&
			       !((attr->config & ~plain->bits[0]) |
				 (attr->config1 & ~plain->bits[1]) |
				 (attr->config2 & ~plain->bits[2]))
		       ? 0
		       : perfctr_attr_check_all(attr, name, length);
}

/*
 * Whether the event would be checked, if sysfs could be read. The kernel checks its own numbers,
 * and software's.
 */
bool perfctr_attr_is_unverified(const struct perf_event_attr *attr);

/*
 * Whether the core types of a hybrid processor share the only core PMU, cpu: the kernel does not
 * know the processor, and an event counts on all of them.
 */
bool perfctr_cores_share(void);

/*
 * Gets a clause about a kernel that does not know this machine's processor. False: it does, or that
 * is not known.
 */
bool perfctr_kernel_is_older(char *text, size_t size);

/* Whether PERFCTR_EVENT_UNVERIFIED is so of all events of cores here. */
bool perfctr_machine_is_unseen(void);

/* Fails with EOPNOTSUPP: an event is not the same on core types that share a PMU. Returns -1. */
int perfctr_fail_shared(const char *name, size_t length);

/* Goes to the next range of a field, "8-15,32"; *at is after the colon or comma. False: nonsense.
 */
bool perfctr_format_range(const char **at, unsigned int *low, unsigned int *high);

/* Forgets the PMUs: another root (PERFCTR_ROOT) is another machine. For tests. */
void perfctr_offer_forget(void);

#endif /* PERFCTR_LIB_ISA_OFFER_H */
