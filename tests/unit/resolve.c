// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of events: items, variants, one PMU for all, and how many files a look-up opens. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "libperfctr.h"
#include "lib/base/cpus.h"
#include "lib/base/file.h"
#include "lib/names/resolve.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

/* ---- what is asked of the file system ---- */

static unsigned int files;

ssize_t __real_perfctr_file_read(const char *path, char *buffer, size_t size);
ssize_t __wrap_perfctr_file_read(const char *path, char *buffer, size_t size);
int __real_perfctr_file_number(const char *path, long *number);
int __wrap_perfctr_file_number(const char *path, long *number);
int __real_perfctr_file_walk(const char *path, int (*each)(void *arg, const char *entry),
			     void *arg);
int __wrap_perfctr_file_walk(const char *path, int (*each)(void *arg, const char *entry),
			     void *arg);

ssize_t __wrap_perfctr_file_read(const char *path, char *buffer, size_t size)
{
	files++;
	return __real_perfctr_file_read(path, buffer, size);
}

int __wrap_perfctr_file_number(const char *path, long *number)
{
	files++;
	return __real_perfctr_file_number(path, number);
}

int __wrap_perfctr_file_walk(const char *path, int (*each)(void *arg, const char *entry), void *arg)
{
	files++;
	return __real_perfctr_file_walk(path, each, arg);
}

/* How many a list takes. */
static unsigned int files_of(const char *events)
{
	struct perfctr_list list;

	files = 0;
	ck_assert_msg(perfctr_list_init(&list, events, PERFCTR_LIST_COUNTED) == 0, "%s: %s", events,
		      perfctr_error());
	perfctr_list_clear(&list);
	return files;
}

/* ---- the grammar ---- */

/* "name=item ..." */
static void describe(const struct perfctr_list *list, char *text, size_t size)
{
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < list->n; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s=%u", i ? " " : "",
					 list->event[i].name, list->event[i].item);
}

static void items_are(const char *events, unsigned int use, const char *wanted)
{
	struct perfctr_list list;
	char text[300];

	ck_assert_msg(perfctr_list_init(&list, events, use) == 0, "%s: %s", events,
		      perfctr_error());
	describe(&list, text, sizeof(text));
	ck_assert_str_eq(text, wanted);
	perfctr_list_clear(&list);
}

#define fails(events, use, error, words)                                         \
	do {                                                                     \
		struct perfctr_list unused;                                      \
		ck_fails(perfctr_list_init(&unused, events, use), error, words); \
	} while (0)

#define items_fail(events, words) fails(events, PERFCTR_LIST_COUNTED, EINVAL, words)

/* Commas separate items; braces make one of several. */
START_TEST(items)
{
	items_are("cs", PERFCTR_LIST_COUNTED, "cs=0");
	items_are("{cs}", PERFCTR_LIST_COUNTED, "cs=0");
	items_are("cs,faults", PERFCTR_LIST_COUNTED, "cs=0 faults=1");
	items_are("{cs,faults}", PERFCTR_LIST_COUNTED, "cs=0 faults=0");
	items_are("cs,{faults,dummy,cs:u},dummy,{cs}", PERFCTR_LIST_COUNTED,
		  "cs=0 faults=1 dummy=1 cs:u=1 dummy=2 cs=3");
	items_are("{cs,faults},{dummy,cs}", PERFCTR_LIST_COUNTED, "cs=0 faults=0 dummy=1 cs=1");
	items_are("{cs:pp,faults}", 0, "cs:pp=0 faults=0");
}
END_TEST

START_TEST(wrong_lists)
{
	static const unsigned int all[] = { PERFCTR_LIST_COUNTED, 0, PERFCTR_LIST_PARTIAL };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		fails("", all[i], EINVAL, "the list of events is empty");
		fails(",", all[i], EINVAL, "an empty place between its commas");
		fails("cs,", all[i], EINVAL, "an empty place between its commas");
		fails("cs,,cs", all[i], EINVAL, "an empty place between its commas");
		fails("cs,cpu/a", all[i], EINVAL, "has no closing /");
		fails("cs,switches", all[i], EINVAL, "\"switches\" is not an event");
	}
	items_fail("{}", "an empty place between its braces");
	items_fail("{cs},{}", "an empty place between its braces");
	items_fail("{", "an empty place between its braces");
	items_fail("}", "at \"}\": a group is written {event,event}");
	items_fail("{cs", "at \"cs\": a group is written");
	items_fail("cs}", "at \"cs}\": a group is written");
	items_fail("{cs,{faults}}", "at \"{faults}}\": a group is written");
	items_fail("{cs,{faults", "at \"{faults\": a group is written");
	items_fail("{cs}}", "at \"{cs}}\": a group is written");
	items_fail("{{cs}", "at \"{{cs}\": a group is written");
	items_fail("c{s", "at \"c{s\": a group is written");
	items_fail("{cs}:u", "at \"{cs}:u\": a group is written");
	items_fail("{cs},faults}", "at \"faults}\": a group is written");
	fails("cs:p", PERFCTR_LIST_COUNTED, EINVAL, "the modifier p (precise) is for sampling");
	fails("cs,cs:p", PERFCTR_LIST_COUNTED, EINVAL, "the modifier p (precise) is for sampling");
}
END_TEST

/* ---- kinds of cores ---- */

START_TEST(variants)
{
	struct perfctr_list list;
	unsigned int use[4];

	root_unpack("alderlake");
	ck_assert_int_eq(perfctr_list_init(&list, "cycles,slots,cs,cpu_atom/cycles/",
					   PERFCTR_LIST_COUNTED),
			 0);
	ck_assert_uint_eq(list.n, 4);
	ck_assert_uint_eq(list.nvariants, 5);
	ck_assert_uint_eq(list.event[0].n, 2);
	ck_assert_uint_eq(list.event[1].first, 2);
	ck_assert_uint_eq(list.event[1].n, 1);
	ck_assert_uint_eq(list.event[3].first, 4);
	ck_assert_str_eq(list.variant[0].pmu, "cpu_core");
	ck_assert_str_eq(list.variant[1].pmu, "cpu_atom");
	ck_assert_str_eq(list.variant[2].pmu, "cpu_core");
	ck_assert_str_eq(list.variant[3].pmu, "");
	ck_assert_str_eq(list.variant[4].pmu, "cpu_atom");
	ck_assert(list.variant[0].is_core && list.variant[2].is_core && list.variant[4].is_core);
	ck_assert(!list.variant[3].is_core);
	perfctr_list_clear(&list);
	/* The last event leaves the small cores only; what no core counts is on any. */
	ck_assert_int_eq(perfctr_list_init(&list, "cycles,cs,instructions,cpu_atom/cycles/",
					   PERFCTR_LIST_COUNTED),
			 0);
	ck_assert_int_eq(perfctr_list_choose(&list, -1, "group", use), 0);
	ck_assert_uint_eq(use[0], 1);
	ck_assert_uint_eq(use[1], 2);
	ck_assert_uint_eq(use[2], 4);
	ck_assert_uint_eq(use[3], 5);
	/* Processor 0 is a large core. */
	ck_fails(perfctr_list_choose(&list, 0, "sampler", use), EINVAL,
		 "cpu_atom/cycles/ counts on cpu_atom, and the processor asked for is another kind "
		 "of core: a sampler is on the PMU of one kind of core; open a sampler for each");
	perfctr_list_clear(&list);
	root_remove();
}
END_TEST

/* A package's event is for one processor of each. */
START_TEST(packages)
{
	uint32_t words[PERFCTR_CPU_WORDS] = { 0 };
	struct perfctr_list list;

	root_unpack("alderlake");
	ck_assert_int_eq(perfctr_list_init(&list, "power/energy-pkg/,cycles,cs",
					   PERFCTR_LIST_COUNTED),
			 0);
	ck_assert_str_eq(list.variant[0].pmu, "power");
	ck_assert(!list.variant[0].is_core);
	ck_assert(perfctr_variant_cpus(&list.variant[0], words));
	ck_assert_uint_eq(words[0], 1);
	ck_assert(!perfctr_variant_cpus(&list.variant[1], words));
	ck_assert(!perfctr_variant_cpus(&list.variant[3], words));
	perfctr_list_clear(&list);
	root_remove();
}
END_TEST

/* ---- files ---- */

/* The core PMUs are looked up once for all names, and each name on its own. */
START_TEST(files_once)
{
	unsigned int one, two, three;

	root_unpack("alderlake");
	ck_assert_uint_eq(files_of("cs,cpu-clock,r1c2:u"), files_of("r1c2"));
	one = files_of("cycles");
	two = files_of("cycles,instructions");
	three = files_of("cycles,instructions,branches");
	ck_assert_uint_eq(three - two, two - one);
	ck_assert_uint_le(two - one, 2);
	one = files_of("mem-loads");
	two = files_of("mem-loads,mem-loads");
	three = files_of("mem-loads,mem-loads,mem-loads");
	ck_assert_uint_eq(three - two, two - one);
	/* Less than for the first, which looks for the core PMUs, too. */
	ck_assert_uint_lt(two - one, one);
	root_remove();
	/* Where there is one kind of core, names that every kernel knows need one file: its type.
	 */
	root_unpack("sapphirerapids");
	ck_assert_uint_eq(files_of("cs"), 0);
	ck_assert_uint_eq(files_of("cycles"), 1);
	ck_assert_uint_eq(files_of("cycles,instructions,branches,LLC-loads"), 1);
	root_remove();
}
END_TEST

UNIT_MAIN("resolve", 60, items, wrong_lists, variants, packages, files_once)
