// SPDX-License-Identifier: LGPL-2.1-or-later
/* Resolves lists of events: looks each name up once, and the core PMUs once for all. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/letters.h"
#include "lib/base/list.h"
#include "lib/base/nearest.h"
#include "lib/isa/attr.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/names/groups.h"
#include "lib/names/known.h"
#include "lib/names/name.h"
#include "lib/names/resolve.h"
#include "lib/names/shared.h"
#include "lib/names/sysfs.h"
#include "lib/names/terms.h"
#include "lib/names/units.h"
#include "libperfctr.h"

/* ---- one name on all core types ---- */

static bool is_core(struct perfctr_cores *cores, const char *pmu)
{
	int i, n = pmu[0] ? perfctr_cores_look(cores) : 0;

	for (i = 0; i < n; i++)
		if (!strcmp(cores->pmu[i].name, pmu))
			return n > 1;
	return false;
}

/*
 * Checks that a raw code, r and digits or TYPE:CONFIG, is the same event on the core types that the
 * variants are of: other events are known by their names.
 */
static int check_code(const char *event, size_t length, const struct perfctr_variant *variants,
		      int n)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	size_t word = strcspn(event, ":/");
	int i;

	if (*event > '9' && (perfctr_small(*event) != 'r' ||
			     !perfctr_known_parse(event, word < length ? word : length, &attr) ||
			     attr.type != PERF_TYPE_RAW))
		return 0;
	for (i = 0; i < n; i++) {
		memcpy(cores[i].name, variants[i].pmu, sizeof(cores[i].name));
		cores[i].type = variants[i].attr.type;
	}
	return perfctr_shared_check_code(cores, n, variants->attr.config, event, length);
}

/* Parses the event for each of several core PMUs that has it. */
static int on_cores(struct perfctr_cores *cores, const char *event, size_t length,
		    struct perfctr_variant *variants)
{
	struct perf_event_attr refused = { .type = PERF_TYPE_SOFTWARE };
	int i, found, n = 0;

	for (i = 0; i < cores->n; i++) {
		found = perfctr_name_parse_on(cores, &cores->pmu[i], event, length,
					      &variants[n].attr);
		if (found < 0)
			return -1;
		if (found == PERFCTR_NAME_REFUSED)
			refused = variants[n].attr;
		if (found != 1)
			continue;
		memcpy(variants[n].pmu, cores->pmu[i].name, sizeof(variants[n].pmu));
		variants[n].asked = variants->asked;
		variants[n].is_unit = false;
		variants[n++].is_core = true;
	}
	if (n == 0 && perfctr_attr_check(&refused, event, length) < 0)
		return -1;
	if (n == 0)
		return perfctr_fail(ENOENT,
				    "no core type of this machine has the event \"%.*s\"; "
				    "\"perfex -l\" lists those that there are",
				    perfctr_shown(length), event);
	return n > 1 && check_code(event, length, variants, n) < 0 ? -1 : n;
}

int perfctr_variants(struct perfctr_cores *cores, const char *event, size_t length,
		     struct perfctr_variant *variants)
{
	int any = perfctr_name_parse(cores, event, length, &variants->attr, variants->pmu,
				     &variants->asked);

	if (any < 0)
		return -1;
	variants->is_unit = any == PERFCTR_NAME_UNITS;
	if (variants->is_unit) {
		variants->is_core = false;
		return 1;
	}
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

/*
 * Makes room for this many more variants; doubles it, so that long lists are not copied each time.
 */
static __attribute__((noinline, cold)) int enlarge(struct perfctr_list *list, unsigned int more)
{
	unsigned int room = 2 * list->room + more;
	struct perfctr_variant *larger;

	larger = realloc(list->variants_apart ? list->variant : NULL, room * sizeof(*larger));
	if (!larger)
		return no_memory();
	if (!list->variants_apart)
		memcpy(larger, list->variant, list->nvariants * sizeof(*larger));
	list->variants_apart = true;
	list->variant = larger;
	list->room = room;
	return 0;
}

static inline int make_room(struct perfctr_list *list, unsigned int more)
{
	return list->nvariants + more <= list->room ? 0 : enlarge(list, more);
}

/* Finds the kernel's unit and scale of an event, if the kernel describes it. */
static void find_unit(struct perfctr_list *list, struct perfctr_resolved *event, size_t length)
{
	const struct perfctr_variant *variant = &list->variant[event->first];
	const char *slash = memchr(event->name, '/', length), *name = event->name;
	const char *pmu = variant->pmu[0]     ? variant->pmu
			  : list->cores.n > 0 ? list->cores.pmu[0].name
					      : NULL;
	uint32_t type = variant->attr.type;

	/*
	 * Without a slash it is an event of a core PMU; with an underscore, it is one of a table.
	 */
	if (!slash && (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
		       type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
		       memchr(name, '_', length)))
		return;
	if (slash && variant->pmu[0])
		length = perfctr_terms_event(slash + 1, strcspn(slash + 1, "/"), &name);
	else
		length = strcspn(name, slash ? "/" : ":");
	if (pmu && length)
		perfctr_sysfs_unit(pmu, name, length, &event->scale, event->unit,
				   sizeof(event->unit));
}

/* Describes an event of the kernel's own by its attr. */
static void describe_software(struct perfctr_resolved *event, const struct perf_event_attr *attr)
{
	if (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK) {
		event->flags = PERFCTR_EVENT_TIME;
		event->scale = 1e-6;
		strcpy(event->unit, "msec");
	} else if (perfctr_attr_is_kernels(attr)) {
		event->flags = PERFCTR_EVENT_KERNEL;
	}
}

static void describe(struct perfctr_list *list, struct perfctr_resolved *event, size_t length)
{
	const struct perfctr_variant *variant = &list->variant[event->first];

	if (variant->attr.type == PERF_TYPE_SOFTWARE)
		describe_software(event, &variant->attr);
	else if (!strcmp(variant->pmu, "msr") && variant->attr.config == 0)
		event->flags = PERFCTR_EVENT_TSC;
	else
		find_unit(list, event, length);
	if (perfctr_attr_is_unverified(&variant->attr))
		event->flags |= PERFCTR_EVENT_UNVERIFIED;
}

/* Functions of which most lists need none. */
#define SELDOM __attribute__((noinline, cold))

/* Whether a count of each is as much, as the kernel describes the event. */
static SELDOM bool is_of_a_kind(const char *one, const char *other, const char *name, size_t length)
{
	const char *event, *slash = memchr(name, '/', length);
	char unit[2][sizeof(((struct perfctr_resolved *)NULL)->unit)] = { "", "" };
	double scale[2] = { 1, 1 };
	size_t n = perfctr_terms_event(slash + 1, strcspn(slash + 1, "/"), &event);

	if (!n)
		return true;
	perfctr_sysfs_unit(one, event, n, &scale[0], unit[0], sizeof(unit[0]));
	perfctr_sysfs_unit(other, event, n, &scale[1], unit[1], sizeof(unit[1]));
	return !(scale[0] < scale[1] || scale[0] > scale[1]) && !strcmp(unit[0], unit[1]);
}

static SELDOM int fail_kinds(const struct perfctr_variant *variant, unsigned int n,
			     const char *name, size_t length)
{
	return perfctr_fail(
		EINVAL,
		"\"%.*s\" stands for PMUs whose counts have different units, such as %s "
		"and %s; name those of one kind",
		perfctr_shown(length), name, variant[0].pmu, variant[n].pmu);
}

/* Makes an event's variants, of which there is the first unit's, those of all units that have it.
 */
static SELDOM int add_units(struct perfctr_list *list, const char *name, size_t length)
{
	const struct perfctr_variant first = list->variant[list->nvariants];
	size_t word = (size_t)((const char *)memchr(name, '/', length) - name);
	struct perfctr_units units;
	unsigned int i, n = 0;

	if (perfctr_units_find(name, word, &units) < 0)
		return -1;
	if (make_room(list, units.n) < 0) {
		perfctr_units_free(&units);
		return -1;
	}
	for (i = 0; i < units.n; i++) {
		struct perfctr_variant *variant = &list->variant[list->nvariants + n];

		*variant = first;
		memcpy(variant->pmu, units.name[i], sizeof(variant->pmu));
		if (perfctr_name_parse_unit(&list->cores, variant->pmu, name, length,
					    &variant->attr) < 0)
			continue;
		if (n &&
		    !is_of_a_kind(list->variant[list->nvariants].pmu, variant->pmu, name, length)) {
			perfctr_units_free(&units);
			return fail_kinds(&list->variant[list->nvariants], n, name, length);
		}
		n++;
	}
	perfctr_units_free(&units);
	list->has_units = true;
	/* They may be gone since the first look, as a driver's are. */
	return n ? (int)n
		 : perfctr_fail(ENOENT, "the PMUs of \"%.*s\" have gone", perfctr_shown(length),
				name);
}

/* Gives the event the name that its text has after name=. */
static void rename_event(struct perfctr_list *list, struct perfctr_resolved *event, size_t length)
{
	const char *name;
	size_t n = perfctr_terms_name(event->name, length, &name);

	list->text[name - list->text + (ptrdiff_t)n] = '\0';
	event->name = name;
}

/* Applies what the name and its group ask for beside the event. */
static SELDOM void apply_asked(struct perfctr_list *list, struct perfctr_resolved *event,
			       size_t length, const struct perfctr_group_mark *mark,
			       unsigned int use)
{
	unsigned int k, asked = list->variant[event->first].asked | (mark ? mark->asked : 0);

	if (asked & PERFCTR_ASKED_NAME)
		rename_event(list, event, length);
	event->weak = mark && mark->asked & PERFCTR_ASKED_WEAK;
	list->has_weak |= event->weak;
	if (asked & PERFCTR_ASKED_SAMPLES)
		event->flags |= PERFCTR_EVENT_SAMPLES;
	if (asked & PERFCTR_ASKED_PERCORE)
		event->flags |= PERFCTR_EVENT_PERCORE;
	for (k = event->first; k < event->first + event->n; k++) {
		struct perf_event_attr *attr = &list->variant[k].attr;

		attr->pinned |= mark && mark->pinned;
		attr->exclusive |= mark && mark->exclusive;
		if (use & PERFCTR_LIST_COUNTED)
			attr->sample_period = attr->freq = 0;
	}
}

static int add_event(struct perfctr_list *list, const char *name, size_t length, unsigned int item,
		     unsigned int use, const struct perfctr_group_mark *mark)
{
	struct perfctr_resolved *event = &list->event[list->n];
	unsigned int since = perfctr_file_troubles();
	struct perfctr_variant *found;
	int n;

	if (make_room(list, PERFCTR_VARIANTS_MAX) < 0)
		return -1;
	found = &list->variant[list->nvariants];
	n = perfctr_variants(&list->cores, name, length, found);
	if (n > 0 && found->is_unit) {
		n = add_units(list, name, length);
		found = &list->variant[list->nvariants];
	}
	*event = (struct perfctr_resolved){
		.name = name,
		.item = item,
		.first = list->nvariants,
		.scale = 1,
	};
	if (n > 0 && use & PERFCTR_LIST_COUNTED && perfctr_name_check_counted(&found->attr) < 0)
		n = -1;
	if (n < 0 && (!(use & PERFCTR_LIST_PARTIAL) || errno == EINVAL || errno == ENOMEM))
		return -1;
	list->n++;
	if (n < 0)
		return perfctr_list_refuse(list, list->n - 1);
	event->n = (unsigned int)n;
	list->nvariants += (unsigned int)n;
	describe(list, event, length);
	if (found->asked || mark)
		apply_asked(list, event, length, mark, use);
	/* The event's scale must not be missed. */
	if (perfctr_file_check(since, event->name) < 0)
		return -1;
	/* A clock counts in all modes anyway, and so it needs no right to the kernel's. */
	if (use & PERFCTR_LIST_COUNTED && event->flags & PERFCTR_EVENT_TIME)
		list->variant[event->first].attr.exclude_kernel =
			list->variant[event->first].attr.exclude_hv = 1;
	return 0;
}

/* Takes a string of this size for the list to keep. NULL: no memory. */
static char *take_string(struct perfctr_list *list, size_t size)
{
	char *string = list->strings;

	if (!list->is_copy)
		return malloc(size);
	if (size > list->left)
		return NULL;
	list->strings += size;
	list->left -= size;
	return string;
}

static char *keep(struct perfctr_list *list, const char *text)
{
	size_t size = strlen(text) + 1;
	char *kept = take_string(list, size);

	return kept ? memcpy(kept, text, size) : NULL;
}

void perfctr_list_split(struct perfctr_list *list, unsigned int item)
{
	unsigned int i, more = 0;

	for (i = 0; i < list->n; i++) {
		bool split = list->event[i].item == item;

		if (split && i && list->event[i - 1].item == item + more)
			more++;
		if (split)
			list->event[i].weak = false;
		list->event[i].item += more;
	}
}

int perfctr_list_refuse(struct perfctr_list *list, unsigned int i)
{
	struct perfctr_resolved *event = &list->event[i];

	if (!event->reason)
		event->reason = keep(list, perfctr_reason());
	return event->reason ? 0 : no_memory();
}

/* Makes the name with a modifier u: after a slash, or after a colon of its own. */
static char *name_user(struct perfctr_list *list, const char *name)
{
	size_t length = strlen(name);
	char *user = take_string(list, length + 3);

	if (user)
		sprintf(user, "%s%s", name, name[length - 1] == '/' ? "u" : ":u");
	return user;
}

static void set_user(struct perfctr_list *list, const struct perfctr_resolved *event, bool user)
{
	unsigned int k;

	for (k = event->first; k < event->first + event->n; k++)
		list->variant[k].attr.exclude_kernel = list->variant[k].attr.exclude_hv = user;
}

bool perfctr_list_to_user(struct perfctr_list *list, unsigned int i)
{
	struct perfctr_resolved *event = &list->event[i];
	const struct perf_event_attr *attr;
	unsigned int k;

	for (k = event->first; k < event->first + event->n; k++) {
		attr = &list->variant[k].attr;
		if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
		    attr->type == PERF_TYPE_TRACEPOINT)
			return false;
	}
	if (event->n == 0 || event->flags & ~(unsigned int)PERFCTR_EVENT_UNVERIFIED ||
	    event->user_name)
		return false;
	event->user_name = name_user(list, event->name);
	if (event->user_name)
		set_user(list, event, true);
	return event->user_name != NULL;
}

void perfctr_list_end_user(struct perfctr_list *list, unsigned int i)
{
	struct perfctr_resolved *event = &list->event[i];

	if (!event->user_name)
		return;
	if (!list->is_copy)
		free(event->user_name);
	event->user_name = NULL;
	set_user(list, event, false);
}

static int add_events(struct perfctr_list *list, unsigned int use,
		      const struct perfctr_group_mark *mark)
{
	const char *rest = list->text, *event;
	unsigned int item = 0;
	bool inside = false;
	ssize_t found;
	size_t length;

	while ((found = perfctr_event_next(&rest, &event)) > 0) {
		bool first = !inside;

		length = (size_t)found;
		if (perfctr_event_braces(&event, &length, &inside) < 0)
			return -1;
		item += first && list->n;
		list->text[event - list->text + (ptrdiff_t)length] = '\0';
		if (add_event(list, event, length, item, use, mark ? &mark[list->n] : NULL) < 0)
			return -1;
	}
	if (found < 0)
		return -1;
	return inside ? perfctr_event_not_closed(list->event[list->n - 1].name) : 0;
}

static void clear(struct perfctr_list *list)
{
	memset(list, 0, offsetof(struct perfctr_list, cores));
	list->cores.n = PERFCTR_CORES_UNKNOWN;
}

/* One piece of memory for n events, a variant of each and some more, and the text. */
static int make_events(struct perfctr_list *list, unsigned int n, void *memory, size_t size)
{
	unsigned int variants = n + PERFCTR_VARIANTS_MAX;
	size_t needed, each = sizeof(*list->event) + sizeof(*list->variant);

	if (variants > SIZE_MAX / 2 / each)
		return no_memory();
	needed = n * sizeof(*list->event) + variants * sizeof(*list->variant) + list->text_size;

	list->is_lent = needed <= size;
	list->event = list->is_lent ? memory : malloc(needed);
	if (!list->event)
		return no_memory();
	list->variant = (void *)(list->event + n);
	list->text = (char *)(list->variant + variants);
	list->room = variants;
	return 0;
}

/* How many events a list has; -1 after perfctr_fail(), also if there is none. */
static ssize_t count_events(const char *events)
{
	const char *rest = events, *event;
	ssize_t length, n = 0;

	/* One, or a mistake that is found where it is looked up. */
	if (*events && !strchr(events, ','))
		return 1;
	while ((length = perfctr_event_next(&rest, &event)) > 0)
		n++;
	if (length < 0)
		return -1;
	return n ? n : perfctr_fail(EINVAL, "the list of events is empty");
}

/* Makes a list of a text that has failed, if it was for a group that is written as perf does. */
static SELDOM int init_expanded(struct perfctr_list *list, const char *events, unsigned int use,
				void *memory, size_t size)
{
	struct perfctr_groups groups;
	int result;

	if (perfctr_groups_expand(events, &groups) < 0)
		return -1;
	result = perfctr_list_init_in(list, groups.text, use, memory, size, groups.mark);
	perfctr_groups_free(&groups);
	return result;
}

int perfctr_list_init_in(struct perfctr_list *list, const char *events, unsigned int use,
			 void *memory, size_t size, const struct perfctr_group_mark *mark)
{
	int error = errno;
	ssize_t n;

	clear(list);
	if (!events)
		return perfctr_fail(EINVAL, "a list of events is needed, not NULL");
	n = count_events(events);
	if (n < 0)
		return -1;
	list->text_size = strlen(events) + 1;
	if (make_events(list, (unsigned int)n, memory, size) < 0)
		return -1;
	memcpy(list->text, events, list->text_size);
	if (add_events(list, use, mark) < 0) {
		perfctr_list_clear(list);
		if (mark || !perfctr_groups_are_perfs(events) ||
		    init_expanded(list, events, use, memory, size) < 0)
			return -1;
	}
	errno = error;
	return 0;
}

int perfctr_list_init(struct perfctr_list *list, const char *events, unsigned int use)
{
	return perfctr_list_init_in(list, events, use, NULL, 0, NULL);
}

int perfctr_list_make(struct perfctr_list *list, unsigned int n, size_t text_size)
{
	unsigned int i;

	clear(list);
	list->text_size = text_size;
	if (make_events(list, n, NULL, 0) < 0)
		return -1;
	memset(list->variant, 0, n * sizeof(*list->variant));
	memset(list->text, 0, text_size);
	list->n = list->nvariants = n;
	for (i = 0; i < n; i++)
		list->event[i] = (struct perfctr_resolved){ .first = i, .n = 1, .scale = 1 };
	return 0;
}

/* A failed event takes this beside its name: a reason, and its name in user mode. */
#define STRINGS_PER_EVENT 512

static size_t fixed_room(const struct perfctr_list *list)
{
	return list->n * sizeof(*list->event) + list->nvariants * sizeof(*list->variant) +
	       list->text_size;
}

size_t perfctr_list_room(const struct perfctr_list *list, bool changes)
{
	size_t names = 2 * (list->text_size + 2 * list->n);

	return fixed_room(list) + (changes ? list->n * STRINGS_PER_EVENT + names : 0);
}

void perfctr_list_copy(struct perfctr_list *copy, const struct perfctr_list *list, bool changes,
		       void *memory)
{
	unsigned int i;

	/* The memory of the set is 0, and so are the PMUs that there are not. */
	memcpy(copy, list, offsetof(struct perfctr_list, cores.pmu));
	if (list->cores.n > 0)
		memcpy(copy->cores.pmu, list->cores.pmu,
		       (size_t)list->cores.n * sizeof(list->cores.pmu[0]));
	copy->is_copy = true;
	copy->event = memory;
	memcpy(copy->event, list->event, list->n * sizeof(*list->event));
	copy->variant = (void *)(copy->event + list->n);
	if (list->nvariants)
		memcpy(copy->variant, list->variant, list->nvariants * sizeof(*list->variant));
	copy->text = (char *)(copy->variant + list->nvariants);
	memcpy(copy->text, list->text, list->text_size);
	copy->strings = copy->text + list->text_size;
	copy->left = perfctr_list_room(list, changes) - fixed_room(list);
	for (i = 0; i < list->n; i++) {
		copy->event[i].name = copy->text + (list->event[i].name - list->text);
		if (list->event[i].reason)
			copy->event[i].reason = keep(copy, list->event[i].reason);
	}
}

void perfctr_list_clear(struct perfctr_list *list)
{
	int error = errno;
	unsigned int i;

	for (i = 0; i < list->n; i++) {
		if (!list->event[i].reason && !list->event[i].user_name)
			continue; /* as a rule, for which two calls are many */
		free(list->event[i].reason);
		free(list->event[i].user_name);
	}
	if (list->variants_apart)
		free(list->variant);
	if (!list->is_lent)
		free(list->event);
	clear(list);
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

int perfctr_list_cores(const struct perfctr_list *list, int cpu, const char *what)
{
	unsigned int i, on_cpu = 0, possible = 0, since = perfctr_file_troubles();
	bool any = false;

	for (i = 0; i < list->n; i++) {
		const struct perfctr_resolved *event = &list->event[i];
		unsigned int here;

		if (!list->variant[event->first].is_core)
			continue;
		if (!any)
			on_cpu = possible = cores_with(list, cpu);
		if (perfctr_file_check(since, event->name) < 0)
			return -1;
		any = true;
		here = cores_of(list, event);
		if (!(possible & here))
			return perfctr_fail(
				EINVAL,
				"%.100s counts on %s, and %s: a %s is on the "
				"PMU of one core type; open a %s for each",
				event->name, list->variant[event->first].pmu,
				on_cpu & here ? "the events before it do not"
					      : "the requested processor is of another core type",
				what, what);
		possible &= here;
	}
	return (int)possible;
}

void perfctr_list_use(const struct perfctr_list *list, int core, unsigned int *use)
{
	unsigned int i, k;

	for (i = 0; i < list->n; i++) {
		use[i] = list->event[i].first;
		for (k = use[i] + 1; core >= 0 && k < list->event[i].first + list->event[i].n; k++)
			if (!strcmp(list->variant[k].pmu, list->cores.pmu[core].name))
				use[i] = k;
	}
}

/* ---- what is said of an event ---- */

int perfctr_list_describe(const struct perfctr_list *list, unsigned int i,
			  struct perfctr_list_event *event)
{
	const struct perfctr_resolved *resolved = &list->event[i];

	if (i >= list->n)
		return perfctr_fail(EINVAL, "there is no event %u; the list has %u", i, list->n);
	*event = (struct perfctr_list_event){
		.name = perfctr_resolved_name(resolved),
		.unit = resolved->unit,
		.reason = resolved->reason,
		.scale = resolved->scale,
		.item = resolved->item,
		.nvariants = resolved->n,
		.flags = resolved->flags,
	};
	return 0;
}
