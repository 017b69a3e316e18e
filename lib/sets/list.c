// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfctr_list_*: what each event of a list means here; nothing is opened. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/isa/attr.h"
#include "lib/isa/pmu.h"
#include "lib/names/resolve.h"
#include "lib/virtual/kind.h"
#include "libperfctr.h"

struct perfctr_list *perfctr_list_resolve(const char *events, unsigned int flags)
{
	unsigned int use = flags & PERFCTR_PARTIAL ? PERFCTR_LIST_PARTIAL : 0;
	struct perfctr_list *list;

	if (flags & ~(unsigned int)PERFCTR_PARTIAL) {
		perfctr_fail(EINVAL, "flags are 0 or PERFCTR_PARTIAL, not 0x%x", flags);
		return NULL;
	}
	list = malloc(sizeof(*list));
	if (!list) {
		perfctr_fail(ENOMEM, "no memory for a list of events");
		return NULL;
	}
	if (perfctr_list_init(list, events, use) == 0) {
		list->head = perfctr_head_of(PERFCTR_KIND_LIST);
		return list;
	}
	free(list);
	return NULL;
}

static bool is_list(const struct perfctr_list *list)
{
	return perfctr_is_kind(list, PERFCTR_KIND_LIST);
}

#define NEEDED "a list of perfctr_list_resolve()"

void perfctr_list_free(struct perfctr_list *list)
{
	if (!list)
		return;
	if (!is_list(list)) {
		perfctr_wrong_kind(list, NEEDED);
		return;
	}
	perfctr_list_clear(list);
	free(list);
}

unsigned int perfctr_list_size(const struct perfctr_list *list)
{
	return list && is_list(list) ? list->n : 0;
}

int perfctr_list_event(const struct perfctr_list *list, unsigned int i,
		       struct perfctr_list_event *event)
{
	if (!list || !event)
		return perfctr_fail(EINVAL,
				    "perfctr_list_event() needs a list and a place for the event, "
				    "not NULL");
	if (!is_list(list))
		return perfctr_wrong_kind(list, NEEDED);
	return perfctr_list_describe(list, i, event);
}

/* The processors on which a variant is to be opened, if whole processors are to be counted. */
static void find_cpus(const struct perfctr_list *list, const struct perfctr_variant *variant,
		      uint32_t *words)
{
	int i;

	if (perfctr_variant_cpus(variant, words))
		return;
	/* A look for a mask that is not there leaves none. */
	memset(words, 0xFF, PERFCTR_CPU_WORDS * sizeof(*words));
	if (!variant->is_core)
		return;
	for (i = 0; i < list->cores.n; i++) {
		if (!strcmp(list->cores.pmu[i].name, variant->pmu))
			perfctr_pmu_cpu_set(&list->cores.pmu[i], words);
	}
}

int perfctr_list_attr(const struct perfctr_list *list, unsigned int i, unsigned int k,
		      struct perf_event_attr *attr, const char **pmu, uint32_t *cpus,
		      unsigned int nwords)
{
	uint32_t words[PERFCTR_CPU_WORDS];
	const struct perfctr_variant *variant;
	struct perfctr_list_event event;
	unsigned int since = perfctr_file_troubles();

	if (!list || !attr)
		return perfctr_fail(EINVAL,
				    "perfctr_list_attr() needs a list and a place for the attr, "
				    "not NULL");
	if (perfctr_list_event(list, i, &event) < 0)
		return -1;
	if (k >= list->event[i].n)
		return perfctr_fail(EINVAL, "%s has no variant %u, it has %u", list->event[i].name,
				    k, list->event[i].n);
	variant = &list->variant[list->event[i].first + k];
	if (cpus) {
		find_cpus(list, variant, words);
		if (perfctr_file_check(since, list->event[i].name) < 0)
			return -1;
	}
	*attr = variant->attr;
	if (perfctr_attr_names_both(attr))
		perfctr_attr_set_guests(attr, false, false);
	if (pmu)
		*pmu = variant->pmu;
	if (!cpus)
		return 0;
	memset(cpus, 0, nwords * sizeof(*cpus));
	memcpy(cpus, words,
	       (nwords < PERFCTR_CPU_WORDS ? nwords : PERFCTR_CPU_WORDS) * sizeof(*cpus));
	return 0;
}
