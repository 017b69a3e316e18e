// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of events, resolved: each name is looked up once, and the core PMUs once for all. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "lib/isa/pmu.h"
#include "lib/names/name.h"
#include "lib/names/resolve.h"
#include "libperfctr.h"

/* ---- one name on all kinds of cores ---- */

static bool is_core(struct perfctr_cores *cores, const char *pmu)
{
	int i, n = pmu[0] ? perfctr_cores_look(cores) : 0;

	for (i = 0; i < n; i++)
		if (!strcmp(cores->pmu[i].name, pmu))
			return n > 1;
	return false;
}

/* On each of several core PMUs that has it. */
static int on_cores(struct perfctr_cores *cores, const char *event, size_t length,
		    struct perfctr_variant *variants)
{
	int i, found, n = 0;

	for (i = 0; i < cores->n; i++) {
		found = perfctr_name_parse_on(cores, &cores->pmu[i], event, length,
					      &variants[n].attr);
		if (found < 0)
			return -1;
		if (!found)
			continue;
		memcpy(variants[n].pmu, cores->pmu[i].name, sizeof(variants[n].pmu));
		variants[n++].is_core = true;
	}
	if (n == 0)
		return perfctr_fail(ENOENT,
				    "no kind of core of this machine has the event "
				    "\"%.*s\"; \"perfex -l\" lists those that there are",
				    perfctr_shown(length), event);
	return n;
}

int perfctr_variants(struct perfctr_cores *cores, const char *event, size_t length,
		     struct perfctr_variant *variants)
{
	int any = perfctr_name_parse(cores, event, length, &variants->attr, variants->pmu);

	if (any < 0)
		return -1;
	if (any && perfctr_cores_look(cores) < 0)
		return -1;
	if (any && cores->n > 1)
		return on_cores(cores, event, length, variants);
	variants->is_core = is_core(cores, variants->pmu);
	return 1;
}

bool perfctr_variant_cpus(const struct perfctr_variant *variant, uint32_t *words)
{
	return variant->pmu[0] && !variant->is_core && perfctr_cpumask(variant->pmu, words);
}

/* ---- lists ---- */

static int no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for a list of events");
}

/* Room for so many more variants; twice what there was, so that long lists are not copied each
 * time. */
static int make_room(struct perfctr_list *list, unsigned int more)
{
	unsigned int room = 2 * list->room + more;
	struct perfctr_variant *larger;

	if (list->nvariants + more <= list->room)
		return 0;
	larger = realloc(list->variant, room * sizeof(*larger));
	if (!larger)
		return no_memory();
	list->variant = larger;
	list->room = room;
	return 0;
}

static int add_event(struct perfctr_list *list, const char *name, size_t length, unsigned int item,
		     bool sampled)
{
	struct perfctr_variant found[PERFCTR_VARIANTS_MAX];
	int n = perfctr_variants(&list->cores, name, length, found);

	if (n < 0 || (!sampled && perfctr_name_check_counted(&found->attr) < 0) ||
	    make_room(list, (unsigned int)n) < 0)
		return -1;
	memcpy(&list->variant[list->nvariants], found, (unsigned int)n * sizeof(*found));
	list->event[list->n++] = (struct perfctr_resolved){
		.name = name,
		.item = item,
		.first = list->nvariants,
		.n = (unsigned int)n,
	};
	list->nvariants += (unsigned int)n;
	return 0;
}

static int fail_braces(const char *event, size_t length)
{
	return perfctr_fail(EINVAL,
			    "at \"%.*s\": a group is written {event,event}, with modifiers "
			    "behind its events, and stands in no other one",
			    perfctr_shown(length), event);
}

/* Take the braces off an event; *inside: it is not the last in them. 0, or -1 after perfctr_fail().
 */
static int take_braces(const char **event, size_t *length, bool *inside)
{
	const char *word = *event;
	bool begins = *word == '{', ends = word[*length - 1] == '}';
	bool wrong = begins ? *inside : ends && !*inside;
	size_t n = *length - begins;

	word += begins;
	ends = n > 0 && ends;
	n -= ends;
	if (wrong || memchr(word, '{', n) || memchr(word, '}', n))
		return fail_braces(*event, *length);
	if (n == 0)
		return perfctr_fail(EINVAL, "the list of events has an empty place between "
					    "its braces");
	*event = word;
	*length = n;
	*inside = (*inside || begins) && !ends;
	return 0;
}

static int add_events(struct perfctr_list *list, enum perfctr_list_use use)
{
	const char *rest = list->text, *event;
	unsigned int item = 0;
	bool inside = false;
	ssize_t found;
	size_t length;

	while ((found = perfctr_event_next(&rest, &event)) > 0) {
		bool first = !inside;

		length = (size_t)found;
		if (use == PERFCTR_LIST_ITEMS && take_braces(&event, &length, &inside) < 0)
			return -1;
		item += use == PERFCTR_LIST_ITEMS && first && list->n;
		list->text[event - list->text + (ptrdiff_t)length] = '\0';
		if (add_event(list, event, length, item, use == PERFCTR_LIST_SAMPLED) < 0)
			return -1;
	}
	if (inside)
		return fail_braces(list->event[list->n - 1].name,
				   strlen(list->event[list->n - 1].name));
	return found < 0 ? -1 : 0;
}

int perfctr_list_resolve(struct perfctr_list *list, const char *events, enum perfctr_list_use use)
{
	const char *rest = events, *event;
	unsigned int n = 0;
	ssize_t length;

	memset(list, 0, offsetof(struct perfctr_list, cores));
	list->cores.n = PERFCTR_CORES_UNKNOWN;
	while ((length = perfctr_event_next(&rest, &event)) > 0)
		n++;
	if (length < 0)
		return -1;
	if (n == 0)
		return perfctr_fail(EINVAL, "the list of events is empty");
	list->text_size = strlen(events) + 1;
	list->text = strdup(events);
	list->event = calloc(n, sizeof(*list->event));
	if (list->text && list->event ? add_events(list, use) == 0 : no_memory() == 0)
		return 0;
	perfctr_list_free(list);
	return -1;
}

void perfctr_list_free(struct perfctr_list *list)
{
	int error = errno;

	free(list->variant);
	free(list->event);
	free(list->text);
	errno = error; /* before glibc 2.33, free(3) may change it */
}

/* ---- one PMU for all ---- */

/* The set of the core PMUs that have the event. */
static unsigned int cores_of(const struct perfctr_list *list, const struct perfctr_resolved *event)
{
	unsigned int k, set = 0;
	int i;

	for (k = event->first; k < event->first + event->n; k++)
		for (i = 0; i < list->cores.n; i++)
			if (!strcmp(list->cores.pmu[i].name, list->variant[k].pmu))
				set |= 1u << i;
	return set;
}

static unsigned int cores_with(const struct perfctr_list *list, int cpu)
{
	unsigned int set = 0;
	int i;

	for (i = 0; i < list->cores.n; i++)
		if (cpu < 0 || perfctr_pmu_has_cpu(&list->cores.pmu[i], (unsigned int)cpu))
			set |= 1u << i;
	return set;
}

int perfctr_list_choose(const struct perfctr_list *list, int cpu, const char *what,
			unsigned int *use)
{
	unsigned int i, k, on_cpu = 0, possible = 0;
	bool any = false;

	for (i = 0; i < list->n; i++) {
		const struct perfctr_resolved *event = &list->event[i];
		unsigned int here;

		use[i] = event->first;
		if (!list->variant[event->first].is_core)
			continue;
		if (!any)
			on_cpu = possible = cores_with(list, cpu);
		any = true;
		here = cores_of(list, event);
		if (!(possible & here))
			return perfctr_fail(
				EINVAL,
				"%.100s counts on %s, and %s: a %s is on the "
				"PMU of one kind of core; open a %s for each kind",
				event->name, list->variant[event->first].pmu,
				on_cpu & here ? "the events before it do not"
					      : "the processor asked for is another kind of core",
				what, what);
		possible &= here;
	}
	for (i = 0; any && i < list->n; i++)
		for (k = 1; k < list->event[i].n; k++)
			if (!strcmp(list->variant[use[i] + k].pmu,
				    list->cores.pmu[__builtin_ctz(possible)].name)) {
				use[i] += k;
				break;
			}
	return 0;
}
