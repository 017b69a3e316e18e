// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Codes that count on several core types, and may be another event on each: all codes, where the
 * kernel does not know a hybrid processor and shows one PMU for all core types; else those that are
 * written without a PMU.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "arch/events.h"
#include "arch/isa.h"
#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/isa/attr.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/names/shared.h"
#include "lib/names/table.h"

int perfctr_shared_check(const char *word, size_t length, const struct perf_event_attr *attr)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = perfctr_cores_share() ? perfctr_core_types(cores) : 0;

	for (i = 0; i < n; i++) {
		struct perf_event_attr other = *attr;

		if (perfctr_core_table_parse(&cores[i], word, length, &other) <= 0 ||
		    other.config != attr->config || other.config1 != attr->config1)
			return perfctr_fail_shared(word, length);
	}
	return 1;
}

int perfctr_shared_find(const char *word, size_t length)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	struct perf_event_attr ignored;
	int i, n = perfctr_core_types(cores);

	for (i = 0; i < n; i++)
		if (perfctr_core_table_parse(&cores[i], word, length, &ignored) > 0)
			return perfctr_fail_shared(word, length);
	return 0;
}

/* ---- raw codes ---- */

struct type {
	struct perfctr_cpu cpu;
	const struct perfctr_event_table *table;
	char name[PERFCTR_NAME_SIZE]; /* of an event with the code; "": it has none */
};

/* The bits of a code that choose the event, without those that say how it is counted. */
static uint64_t chosen(const struct perfctr_cpu *cpu, uint64_t config)
{
	return cpu->isa == &perfctr_x86 ? config & 0xFF000000FFFF : config;
}

static bool has_code(const struct type *type, const char *name, uint64_t config)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct perfctr_event_choice choice;
	struct perfctr_code code;
	unsigned int event;
	const char *part;
	size_t length;

	return perfctr_event_lookup(type->table, name, strlen(name), &choice, &part, &length,
				    &event) == 0 &&
	       !type->cpu.isa->choice_code(&type->cpu, &choice, &code) &&
	       perfctr_code_attr(&type->cpu, &code, &attr) &&
	       chosen(&type->cpu, attr.config) == chosen(&type->cpu, config);
}

/* Notes the type's first name of the code. Whether another type has one of its names for it, too.
 */
static bool find_common(struct type *type, const struct type *other, uint64_t config)
{
	struct perfctr_event_entry entry;
	char name[PERFCTR_NAME_SIZE];
	unsigned int n = 0;

	type->name[0] = '\0';
	while ((n = perfctr_event_walk(type->table, n, &entry))) {
		snprintf(name, sizeof(name), "%s%s%s", entry.event, entry.mask ? ":" : "",
			 entry.mask ? entry.mask : "");
		if (!has_code(type, name, config))
			continue;
		if (has_code(other, name, config))
			return true;
		if (!type->name[0])
			strcpy(type->name, name);
	}
	return false;
}

/* Whether the code is the same event on both, as far as their tables have it. */
static bool is_same_event(struct type *one, struct type *other, uint64_t config)
{
	return find_common(one, other, config) || find_common(other, one, config) ||
	       (!one->name[0] && !other->name[0]);
}

static int fail_code(const struct perfctr_pmu *cores, int other, const struct type type[2],
		     const char *word, size_t length)
{
	int shown = perfctr_shown(length);

	if (perfctr_cores_share())
		return perfctr_fail_shared(word, length);
	return perfctr_fail(EOPNOTSUPP,
			    "%.*s can't be counted on all core types: it is %s on %s, and %s on "
			    "%s; name the PMU, as in %s/%.*s/",
			    shown, word, type[0].name[0] ? type[0].name : "no known event",
			    cores[0].name, type[1].name[0] ? type[1].name : "no known event",
			    cores[other].name, cores[0].name, shown, word);
}

int perfctr_shared_check_code(const struct perfctr_pmu *cores, int n, uint64_t config,
			      const char *word, size_t length)
{
	struct type type[2];
	int i;

	type[0].table = n > 1 ? perfctr_core_table(&cores[0], &type[0].cpu) : NULL;
	for (i = 1; i < n && type[0].table; i++) {
		type[1].table = perfctr_core_table(&cores[i], &type[1].cpu);
		if (type[1].table && !is_same_event(&type[0], &type[1], config))
			return fail_code(cores, i, type, word, length);
	}
	return 0;
}

int perfctr_shared_check_raw(const struct perf_event_attr *attr, const char *word, size_t length)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];

	return attr->type == PERF_TYPE_RAW && perfctr_cores_share()
		       ? perfctr_shared_check_code(cores, perfctr_core_types(cores), attr->config,
						   word, length)
		       : 0;
}
