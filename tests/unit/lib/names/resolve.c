// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of events: items, variants, one PMU for all, and how many files a look-up opens. */
#include <linux/perf_event.h>
#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "libperfctr.h"
#include "lib/base/cpus.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
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
	items_are(" cs , { faults ,dummy , cs:u\t} ,dummy,\t{cs}", PERFCTR_LIST_COUNTED,
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
		fails("{cs,mem:0x10/4:w}", all[i], EINVAL, "\"mem:0x10/4:w\" is a breakpoint");
		fails("{ mem:0x10/4,cs}", all[i], EINVAL, "\"mem:0x10/4\" is a breakpoint");
		fails("cs,switches", all[i], EINVAL, "\"switches\" is not an event");
	}
	items_fail("{}", "an empty place between its braces");
	items_fail("{cs},{}", "an empty place between its braces");
	items_fail("{ }", "an empty place between its braces");
	items_fail("{", "an empty place between its braces");
	items_fail("}", "at \"}\": a group is written {event,event}");
	items_fail("{cs", "at \"cs\": a group is written");
	items_fail("cs}", "at \"cs}\": a group is written");
	items_fail("{cs,{faults}}", "at \"{faults}}\": a group is written");
	items_fail("{cs,{faults", "at \"{faults\": a group is written");
	items_fail("{cs}}", "at \"{cs}}\": a group is written");
	items_fail("{{cs}", "at \"{{cs}\": a group is written");
	items_fail("c{s", "at \"c{s\": a group is written");
	items_fail("{cs},faults}", "at \"faults}\": a group is written");
	fails("cs:p", PERFCTR_LIST_COUNTED, EINVAL,
	      "the modifiers p and P (precise) are for sampling");
	fails("cs,cs:p", PERFCTR_LIST_COUNTED, EINVAL,
	      "the modifiers p and P (precise) are for sampling");
}
END_TEST

/* Each event gets the modifiers of its group; the group's name is perf's. */
START_TEST(groups_of_perfs)
{
	items_are("{cs,faults}:u", 0, "cs:u=0 faults:u=0");
	items_are("one{cs},two{faults,dummy}:uk,cs", 0, "cs=0 faults:uk=1 dummy:uk=1 cs=2");
	items_are(" g-1.x { cs , faults } : u , { dummy }", 0, "cs:u=0 faults:u=0 dummy=1");
	items_are("{cs:u,faults:k}:uG", 0, "cs:u:G=0 faults:k:uG=0");
	items_are("{cs:p,faults}:pH", 0, "cs:p:pH=0 faults:pH=0");
	items_are("{cs,faults:D}:DWeSX", 0, "cs=0 faults:D=0");
	items_are("{cs//,faults/name=b/u}:ku", 0, "cs//ku=0 b=0");
	items_are("{cs/name='a,b:u'/},{faults}:k", 0, "a,b:u=0 faults:k=1");
	items_fail("{cs,faults}:", "no modifier after the colon");
	items_fail("{cs,faults}:x", "\"x\" in \":x\" is not a modifier");
	items_fail("{cs,faults}:uu", "the modifier u is given twice");
	items_fail("{cs,faults}u", "at \"faults}u\": a group is written");
	items_fail("{cs}:u,{faults", "at \"{faults\": a group is written");
	items_fail("{cs}:u,a{faults", "at \"a{faults\": a group is written");
	items_fail("{cs}:u,faults}", "at \"faults}\": a group is written");
	items_fail("a{cs,b{faults}}", "at \"b{faults}}\": a group is written");
	items_fail("{cs,{faults}:u}:u", "\"}\" in \":u}:u\" is not a modifier");
	items_fail("{cs,{faults},cs}:u", "at \"{faults}\": a group is written");
	items_fail("a b{cs}", "\"a b\" before a brace is not the name of a group");
	items_fail("a{}", "an empty place between its braces");
	items_fail("{,}:u", "an empty place between its braces");
	items_fail("{cs}:u,", "an empty place between its commas");
	items_fail("{cpu/a}:u", "has no closing /");
}
END_TEST

/* What is asked of a whole group, and of each of its events. */
START_TEST(marks_of_groups)
{
	struct perfctr_list list;

	ck_assert_int_eq(perfctr_list_init(&list, "{cs,faults:k}:uDe,{dummy}:W,{cs,faults}:S", 0),
			 0);
	ck_assert_uint_eq(list.n, 5);
	ck_assert(list.variant[0].attr.pinned && list.variant[0].attr.exclusive);
	ck_assert(list.variant[0].attr.exclude_kernel && !list.variant[0].attr.exclude_user);
	ck_assert(!list.variant[1].attr.exclude_kernel && !list.variant[1].attr.exclude_user);
	ck_assert(list.variant[1].attr.exclude_hv);
	ck_assert(!list.event[0].weak && list.event[2].weak && !list.event[3].weak);
	ck_assert(!list.variant[2].attr.pinned && !list.variant[2].attr.exclusive);
	ck_assert_uint_eq(list.event[0].flags, PERFCTR_EVENT_KERNEL);
	ck_assert_uint_eq(list.event[3].flags, PERFCTR_EVENT_KERNEL | PERFCTR_EVENT_SAMPLES);
	ck_assert_uint_eq(list.event[4].flags, PERFCTR_EVENT_SAMPLES);
	perfctr_list_clear(&list);
}
END_TEST

/* The events of an item, one by one; those after it move on. */
START_TEST(split_items)
{
	struct perfctr_list list;
	char text[100];

	ck_assert_int_eq(perfctr_list_init(&list, "cs,{faults,dummy,cs}:W,{cs,faults}:W", 0), 0);
	perfctr_list_split(&list, 1);
	describe(&list, text, sizeof(text));
	ck_assert_str_eq(text, "cs=0 faults=1 dummy=2 cs=3 cs=4 faults=4");
	ck_assert(!list.event[1].weak && !list.event[3].weak && list.event[4].weak);
	perfctr_list_split(&list, 4);
	describe(&list, text, sizeof(text));
	ck_assert_str_eq(text, "cs=0 faults=1 dummy=2 cs=3 cs=4 faults=5");
	perfctr_list_split(&list, 0);
	describe(&list, text, sizeof(text));
	ck_assert_str_eq(text, "cs=0 faults=1 dummy=2 cs=3 cs=4 faults=5");
	perfctr_list_clear(&list);
}
END_TEST

/* The name that perf's name= gives, and what its other terms leave. */
START_TEST(names_given)
{
	struct perfctr_list list;

	root_unpack("sapphirerapids");
	items_are("cs/name=switches/u,cpu/event=0xc0,name='A.B:cmask=1,x',period=5/,cs", 0,
		  "switches=0 A.B:cmask=1,x=1 cs=2");
	items_are("cs/name=a,name=b/", 0, "b=0");
	items_are("cs/percore/", 0, "cs/percore/=0");
	ck_assert_int_eq(perfctr_list_init(&list, "cycles/period=5,percore/,cs/freq=3/", 0), 0);
	ck_assert_uint_eq(list.event[0].flags, PERFCTR_EVENT_SAMPLES | PERFCTR_EVENT_PERCORE);
	ck_assert_uint_eq(list.event[1].flags, PERFCTR_EVENT_KERNEL | PERFCTR_EVENT_SAMPLES);
	ck_assert(list.variant[0].attr.sample_period == 5 && !list.variant[0].attr.freq);
	ck_assert(list.variant[1].attr.sample_period == 3 && list.variant[1].attr.freq);
	perfctr_list_clear(&list);
	/* No period has a place where events are counted. */
	ck_assert_int_eq(perfctr_list_init(&list, "cycles/period=5/,cs/freq=3/",
					   PERFCTR_LIST_COUNTED),
			 0);
	ck_assert_uint_eq(list.event[0].flags, PERFCTR_EVENT_SAMPLES);
	ck_assert(!list.variant[0].attr.sample_period && !list.variant[1].attr.sample_period);
	ck_assert(!list.variant[1].attr.freq);
	perfctr_list_clear(&list);
	/* The unit is that of the event, whatever it is called. */
	root_line("uncore_imc_1/events/reads", "event=5");
	root_line("uncore_imc_1/events/reads.scale", "64");
	root_line("uncore_imc_1/events/reads.unit", "B");
	ck_assert_int_eq(perfctr_list_init(&list, "uncore_imc_1/reads,name=r/", 0), 0);
	ck_assert_str_eq(list.event[0].name, "r");
	ck_assert_str_eq(list.event[0].unit, "B");
	perfctr_list_clear(&list);
	root_remove();
}
END_TEST

/* ---- units of one kind ---- */

/* "pmu:config ..." of the first event. */
static void pmus_are(const char *events, const char *wanted)
{
	struct perfctr_list list;
	char text[500] = "";
	unsigned int k;

	ck_assert_msg(perfctr_list_init(&list, events, 0) == 0, "%s: %s", events, perfctr_error());
	for (k = 0; k < list.event[0].n; k++) {
		const struct perfctr_variant *variant = &list.variant[k];

		ck_assert(variant->is_unit || list.event[0].n == 1);
		ck_assert(!variant->is_core);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%llx",
			 k ? " " : "", variant->pmu, (unsigned long long)variant->attr.config);
		ck_assert_uint_eq(variant->attr.exclude_kernel,
				  list.variant[0].attr.exclude_kernel);
	}
	ck_assert_str_eq(text, wanted);
	perfctr_list_clear(&list);
}

static void make_units(void)
{
	static const char *const pmus[] = {
		"uncore_imc_0",	     "uncore_imc_1", "uncore_imc_2", "uncore_imc_10",
		"uncore_imc_free_0", "uncore_cha",   "sys_ddrc0",    "sys_ddrc1",
		"smmu_3ff88820",     "smmu_bad",     "cpu",	     "uncore_m2m_0",
	};
	char name[64], type[4];
	unsigned int i;

	root_make();
	for (i = 0; i < ARRAY_SIZE(pmus); i++) {
		snprintf(name, sizeof(name), "%s/type", pmus[i]);
		snprintf(type, sizeof(type), "%u", 20 + i);
		root_line(name, type);
		snprintf(name, sizeof(name), "%s/format/%s", pmus[i], i == 1 ? "umask" : "event");
		root_line(name, "config:0-7");
		/* That of cores has none. */
		snprintf(name, sizeof(name), "%s/cpumask", pmus[i]);
		if (strcmp(pmus[i], "cpu") != 0)
			root_line(name, "0");
		snprintf(name, sizeof(name), "%s/events/reads", pmus[i]);
		if (i != 4 && i != 1)
			root_line(name, "event=4");
	}
}

START_TEST(units_of_a_kind)
{
	make_units();
	/* In the order of their numbers; those without the field or event are left out. */
	pmus_are("uncore_imc/event=5/", "uncore_imc_0:5 uncore_imc_2:5 uncore_imc_10:5");
	pmus_are("imc/reads,name=x/k", "uncore_imc_0:4 uncore_imc_2:4 uncore_imc_10:4");
	pmus_are("UNCORE_IMC/event=5/u", "uncore_imc_0:5 uncore_imc_2:5 uncore_imc_10:5");
	pmus_are("uncore_imc*/event=5/",
		 "uncore_imc_0:5 uncore_imc_2:5 uncore_imc_10:5 uncore_imc_free_0:5");
	pmus_are("*imc*/reads/", "uncore_imc_0:4 uncore_imc_2:4 uncore_imc_10:4");
	pmus_are("imc_[02]/event=1/", "uncore_imc_0:1 uncore_imc_2:1");
	pmus_are("imc_?/event=1/", "uncore_imc_0:1 uncore_imc_2:1");
	pmus_are("imc_[1-9]*/event=1/", "uncore_imc_2:1 uncore_imc_10:1");
	pmus_are("uncore_imc_[!0a-z]/event=1/", "uncore_imc_2:1");
	pmus_are("*c*_[0-1]*/event=1/",
		 "uncore_imc_0:1 uncore_m2m_0:1 uncore_imc_10:1 uncore_imc_free_0:1");
	fails("imc_[0/event=1/", 0, EINVAL, "can't be the name of a PMU");
	fails("imc_[/event=1/", 0, EINVAL, "can't be the name of a PMU");
	fails("imc_[]/event=1/", 0, EINVAL, "can't be the name of a PMU");
	fails("imc_[!/event=1/", 0, EINVAL, "can't be the name of a PMU");
	pmus_are("sys_ddrc/event=1/", "sys_ddrc0:1 sys_ddrc1:1");
	/* A number that no unit has is not the beginning of another's. */
	pmus_are("uncore_imc_1/umask=5/", "uncore_imc_1:5");
	fails("sys_ddr/event=1/", 0, ENOENT, "this machine has no PMU");
	/* Counts of different size are not added. */
	root_line("uncore_m2m_0/events/reads.scale", "64");
	items_fail("*m*_0/reads/", "such as uncore_imc_0 and uncore_m2m_0; name those of one kind");
	/* Cores' PMUs are no units. */
	pmus_are("[a-d]*/event=1/", "uncore_cha:1");
	/* One is as if it were named. */
	pmus_are("cha/event=1/", "uncore_cha:1");
	pmus_are("uncore_cha/event=1/", "uncore_cha:1");
	pmus_are("m2m/event=1/", "uncore_m2m_0:1");
	pmus_are("smmu/event=1/", "smmu_3ff88820:1");
	items_fail("imc/umask=1,event=1/", "\"umask\" is neither an event nor a field of the PMU");
	fails("im/event=1/", 0, ENOENT, "this machine has no PMU \"im\"");
	fails("ddr*/event=1/", 0, EINVAL, "\"ddr*\" can't be the name of a PMU");
	fails("imc/", 0, EINVAL, "no closing /");
	items_fail("imc/event=1/x", "\"x\" in");
	items_are("imc/event=1/,cs,uncore_imc*/reads/", 0,
		  "imc/event=1/=0 cs=1 uncore_imc*/reads/=2");
	root_remove();
}
END_TEST

/* ---- core types ---- */

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
	ck_assert_int_eq(perfctr_list_cores(&list, -1, "group"), 1 << 1);
	perfctr_list_use(&list, 1, use);
	ck_assert_uint_eq(use[0], 1);
	ck_assert_uint_eq(use[1], 2);
	ck_assert_uint_eq(use[2], 4);
	ck_assert_uint_eq(use[3], 5);
	/* Processor 0 is a large core. */
	ck_fails(perfctr_list_cores(&list, 0, "sampler"), EINVAL,
		 "cpu_atom/cycles/ counts on cpu_atom, and the requested processor is of another "
		 "core type: a sampler is on the PMU of one core type; open a sampler for each");
	perfctr_list_clear(&list);
	/* Both have these; and what no core counts is everywhere. */
	ck_assert_int_eq(perfctr_list_init(&list, "cs,cycles,instructions", PERFCTR_LIST_COUNTED),
			 0);
	ck_assert_int_eq(perfctr_list_cores(&list, -1, "group"), 3);
	ck_assert_int_eq(perfctr_list_cores(&list, 0, "group"), 1 << 0);
	ck_assert_int_eq(perfctr_list_cores(&list, 16, "group"), 1 << 1);
	perfctr_list_use(&list, 0, use);
	ck_assert(use[0] == 0 && use[1] == 1 && use[2] == 3);
	perfctr_list_use(&list, 1, use);
	ck_assert(use[0] == 0 && use[1] == 2 && use[2] == 4);
	perfctr_list_use(&list, -1, use);
	ck_assert(use[0] == 0 && use[1] == 1 && use[2] == 3);
	perfctr_list_clear(&list);
	ck_assert_int_eq(perfctr_list_init(&list, "cs,faults", PERFCTR_LIST_COUNTED), 0);
	ck_assert_int_eq(perfctr_list_cores(&list, 0, "group"), 0);
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
	/* Their fields are read for the first event. */
	ck_assert_uint_gt(files_of("r1c2"), files_of("r1c2"));
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
	/* Where there is one core type, names that every kernel knows need one file: its type.
	 */
	root_unpack("sapphirerapids");
	ck_assert_uint_eq(files_of("cs"), 0);
	ck_assert_uint_eq(files_of("cycles"), 1);
	ck_assert_uint_eq(files_of("cycles,instructions,branches,LLC-loads"), 1);
	root_remove();
}
END_TEST

/* ---- the public list ---- */

static void event_is(const struct perfctr_list *list, unsigned int i, const char *name,
		     unsigned int item, unsigned int nvariants, unsigned int flags)
{
	struct perfctr_list_event event;

	memset(&event, 0xFF, sizeof(event));
	ck_assert_int_eq(perfctr_list_event(list, i, &event), 0);
	ck_assert_str_eq(event.name, name);
	ck_assert_uint_eq(event.item, item);
	ck_assert_uint_eq(event.nvariants, nvariants);
	ck_assert_uint_eq(event.flags, flags);
	ck_assert_ptr_null(event.reason);
	ck_assert_uint_eq(event.reserved[4], 0);
}

static void unit_is(const struct perfctr_list *list, unsigned int i, double scale, const char *unit)
{
	struct perfctr_list_event event;

	ck_assert_int_eq(perfctr_list_event(list, i, &event), 0);
	ck_assert_double_eq(event.scale, scale);
	ck_assert_str_eq(event.unit, unit);
}

static struct perfctr_list *resolve(const char *events)
{
	struct perfctr_list *list = perfctr_list_resolve(events, 0);

	ck_assert_msg(list != NULL, "%s: %s", events, perfctr_error());
	return list;
}

START_TEST(what_names_mean)
{
	struct perfctr_list *list;
	struct perf_event_attr attr;
	uint32_t cpus[2];
	const char *pmu;

	root_unpack("alderlake");
	list = resolve("cs,{cycles:u,power/energy-pkg/},task-clock,msr/tsc/,cgroup-switches,"
		       "msr/aperf/,cpu-migrations,cpu-clock,faults");
	ck_assert_uint_eq(perfctr_list_size(list), 10);
	event_is(list, 0, "cs", 0, 1, PERFCTR_EVENT_KERNEL);
	event_is(list, 1, "cycles:u", 1, 2, 0);
	event_is(list, 2, "power/energy-pkg/", 1, 1, 0);
	event_is(list, 3, "task-clock", 2, 1, PERFCTR_EVENT_TIME);
	event_is(list, 4, "msr/tsc/", 3, 1, PERFCTR_EVENT_TSC);
	event_is(list, 5, "cgroup-switches", 4, 1, PERFCTR_EVENT_KERNEL);
	event_is(list, 6, "msr/aperf/", 5, 1, 0);
	event_is(list, 7, "cpu-migrations", 6, 1, PERFCTR_EVENT_KERNEL);
	event_is(list, 8, "cpu-clock", 7, 1, PERFCTR_EVENT_TIME);
	event_is(list, 9, "faults", 8, 1, 0);
	unit_is(list, 0, 1, "");
	unit_is(list, 1, 1, "");
	unit_is(list, 2, 0x1p-32, "Joules");
	unit_is(list, 3, 1e-6, "msec");
	unit_is(list, 9, 1, "");
	/* On each core type, whose type is in config; on the package's one processor. */
	ck_assert_int_eq(perfctr_list_attr(list, 1, 0, &attr, &pmu, cpus, 2), 0);
	ck_assert_str_eq(pmu, "cpu_core");
	ck_assert_uint_eq(attr.type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(attr.config >> 32, 4);
	ck_assert(attr.exclude_kernel && attr.exclude_hv && !attr.exclude_user && !attr.disabled);
	ck_assert_uint_eq(attr.size, sizeof(attr));
	ck_assert_uint_eq(cpus[0], 0xFFFF);
	ck_assert_uint_eq(cpus[1], 0);
	ck_assert_int_eq(perfctr_list_attr(list, 1, 1, &attr, &pmu, cpus, 1), 0);
	ck_assert_str_eq(pmu, "cpu_atom");
	ck_assert_uint_eq(cpus[0], 0xFF0000);
	ck_assert_uint_eq(cpus[1], 0);
	ck_assert_int_eq(perfctr_list_attr(list, 2, 0, &attr, &pmu, cpus, 2), 0);
	ck_assert_str_eq(pmu, "power");
	ck_assert_uint_eq(cpus[0], 1);
	ck_assert_int_eq(perfctr_list_attr(list, 3, 0, &attr, &pmu, cpus, 2), 0);
	ck_assert_str_eq(pmu, "");
	ck_assert_uint_eq(cpus[1], UINT32_MAX);
	/* Of a PMU that has no mask. */
	ck_assert_int_eq(perfctr_list_attr(list, 4, 0, &attr, &pmu, cpus, 2), 0);
	ck_assert_str_eq(pmu, "msr");
	ck_assert_uint_eq(cpus[0], UINT32_MAX);
	ck_assert_uint_eq(cpus[1], UINT32_MAX);
	/* Nothing is changed for those who open it themselves. */
	ck_assert_int_eq(perfctr_list_attr(list, 3, 0, &attr, &pmu, cpus, 2), 0);
	ck_assert(!attr.exclude_kernel);
	ck_assert_int_eq(perfctr_list_attr(list, 3, 0, &attr, NULL, NULL, 0), 0);
	perfctr_list_free(list);
	root_remove();
	unsetenv("PERFCTR_ROOT");
}
END_TEST

/* As perf_events says it, for those who open it themselves. */
START_TEST(guests)
{
	static const struct {
		bool host, guest; /* is excluded */
	} all[] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 0 } };
	struct perfctr_list *list = resolve("cycles,cycles:G,cycles:H,cycles:GH");
	struct perf_event_attr attr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		ck_assert_int_eq(perfctr_list_attr(list, i, 0, &attr, NULL, NULL, 0), 0);
		ck_assert_int_eq(attr.exclude_host, all[i].host);
		ck_assert_int_eq(attr.exclude_guest, all[i].guest);
	}
	perfctr_list_free(list);
}
END_TEST

START_TEST(wrong_questions)
{
	struct perfctr_list *list;
	struct perfctr_list_event event;
	struct perf_event_attr attr;

	ck_fails_null(perfctr_list_resolve(NULL, 0), EINVAL, "not NULL");
	ck_fails_null(perfctr_list_resolve("", 0), EINVAL, "empty");
	ck_fails_null(perfctr_list_resolve("cs", PERFCTR_INHERIT), EINVAL, "not 0x100");
	ck_fails_null(perfctr_list_resolve("cs,swiches", PERFCTR_PARTIAL), EINVAL, "\"swiches\"");
	ck_assert_uint_eq(perfctr_list_size(NULL), 0);
	perfctr_list_free(NULL);
	list = resolve("cs,cpu-clock:u");
	ck_fails(perfctr_list_event(NULL, 0, &event), EINVAL, "NULL");
	ck_fails(perfctr_list_event(list, 0, NULL), EINVAL, "NULL");
	ck_fails(perfctr_list_event(list, 2, &event), EINVAL, "no event 2; the list has 2");
	ck_fails(perfctr_list_attr(NULL, 0, 0, &attr, NULL, NULL, 0), EINVAL, "NULL");
	ck_fails(perfctr_list_attr(list, 0, 0, NULL, NULL, NULL, 0), EINVAL, "NULL");
	ck_fails(perfctr_list_attr(list, 2, 0, &attr, NULL, NULL, 0), EINVAL, "no event 2");
	ck_fails(perfctr_list_attr(list, 1, 1, &attr, NULL, NULL, 0), EINVAL,
		 "cpu-clock:u has no variant 1, it has 1");
	perfctr_list_free(list);
}
END_TEST

/* What is right and not there has a reason, if that is asked for. */
START_TEST(partial_lists)
{
	struct perfctr_list_event event;
	struct perfctr_list *list;
	struct perf_event_attr attr;

	root_unpack("sapphirerapids");
	ck_fails_null(perfctr_list_resolve("cs,no_such_pmu/event=1/", 0), ENOENT, "no_such_pmu");
	list = perfctr_list_resolve("cs,{no_such_pmu/event=1/,faults}", PERFCTR_PARTIAL);
	ck_assert_msg(list != NULL, "%s", perfctr_error());
	event_is(list, 0, "cs", 0, 1, PERFCTR_EVENT_KERNEL);
	event_is(list, 2, "faults", 1, 1, 0);
	ck_assert_int_eq(perfctr_list_event(list, 1, &event), 0);
	ck_assert_uint_eq(event.nvariants, 0);
	ck_assert_uint_eq(event.item, 1);
	ck_assert_msg(event.reason && strstr(event.reason, "no_such_pmu"), "%s", event.reason);
	ck_fails(perfctr_list_attr(list, 1, 0, &attr, NULL, NULL, 0), EINVAL, "no variant 0");
	perfctr_list_free(list);
	root_remove();
	unsetenv("PERFCTR_ROOT");
}
END_TEST

/* The kernel's annotations, which nobody believes; and in any locale. */
START_TEST(units)
{
	static const struct {
		const char *scale, *unit;
		double is;
		const char *in;
	} all[] = {
		{ "2.5", "MiB", 2.5, "MiB" },
		{ "6.103515625e-5", "MiB", 0x1p-14, "MiB" },
		{ "1e400", "MiB", 1, "" },
		{ "nan", "MiB", 1, "" },
		{ "-1", "MiB", 1, "" },
		{ "0", "MiB", 1, "" },
		{ "2,5", "MiB", 1, "" },
		{ "2 ", "MiB", 2, "MiB" },
		{ "", "MiB", 1, "MiB" },
		{ "3", "", 3, "" },
		{ "3", "a b", 3, "" },
		{ "3", "\033[1m", 3, "" },
		{ "3", "0123456789012345678901234567890", 3, "0123456789012345678901234567890" },
		{ "3", "01234567890123456789012345678901", 3, "" },
	};
	struct perfctr_list *list;
	unsigned int i;

	setlocale(LC_ALL, "de_DE.UTF-8");
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		root_make();
		root_line("imc/type", "20");
		root_line("imc/format/event", "config:0-7");
		root_line("imc/events/reads", "event=4");
		root_line("imc/events/reads.scale", all[i].scale);
		root_line("imc/events/reads.unit", all[i].unit);
		list = resolve("imc/reads/,imc/event=4/");
		unit_is(list, 0, all[i].is, all[i].in);
		unit_is(list, 1, 1, "");
		perfctr_list_free(list);
		root_remove();
	}
	/* Of a core PMU's, without the PMU's name. */
	root_make();
	root_line("cpu/type", "4");
	root_line("cpu/format/event", "config:0-7");
	root_line("cpu/events/slots-there", "event=4");
	root_line("cpu/events/slots-there.scale", "4");
	root_line("cpu/events/slots-there.unit", "slots");
	list = resolve("slots-there,slots-there:u,cpu/slots-there/u,slots-there/name=x/,"
		       "cpu/name=y,slots-there/");
	for (i = 0; i < 5; i++)
		unit_is(list, i, 4, "slots");
	perfctr_list_free(list);
	root_remove();
	unsetenv("PERFCTR_ROOT");
}
END_TEST

UNIT_MAIN("resolve", 60, items, wrong_lists, groups_of_perfs, marks_of_groups, split_items,
	  names_given, units_of_a_kind, variants, packages, files_once, what_names_mean, guests,
	  wrong_questions, partial_lists, units)
