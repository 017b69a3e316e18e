// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of events on a machine with two core types. There is none here: the PMUs of a made-up
 * sysfs are in truth the software events, and when a thread is to be on one core type only, what
 * the kernel says of the other one is changed. So both kinds' page faults can be told exactly.
 */
#define COUNTS_PROCESSORS
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "lib/isa/pmu.h"
#include "lib/names/resolve.h"
#include "lib/perf/counter.h"
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/names.h"
#include "tests/harness/root.h"
#include "tools/perfex/count/breakdown.h"
#include "tools/perfex/count/cpumask.h"
#include "tools/perfex/count/tasks.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/results.h"

/* No kernel has so many types. */
enum { BIG = 60001, SMALL, CHIP = 60004, UNIT_0, UNIT_2 };

/* The core type of each descriptor, and the one that the thread is never on; 0: none. */
static uint32_t kind[1024], never;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static ssize_t read_kind(int fd, void *buffer, size_t size)
{
	ssize_t got = read(fd, buffer, size);
	struct perfctr_group_values *values = buffer;

	if (got > 0 && never && fd < (int)ARRAY_SIZE(kind) && kind[fd] == never) {
		values->running = 0;
		memset(values->values, 0, (size_t)values->nr * sizeof(values->values[0]));
	}
	return got;
}

__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
	struct perf_event_attr attr;
	long a[5], fd;
	va_list args;
	int i;

	va_start(args, number);
	for (i = 0; i < 5; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_read)
		return read_kind((int)a[0], (void *)a[1], (size_t)a[2]);
	if (number != SYS_perf_event_open)
		return __real_syscall(number, a[0], a[1], a[2], a[3], a[4]);
	memcpy(&attr, (const void *)a[0], sizeof(attr));
	if ((attr.type == BIG && a[2] == 1) || (attr.type == SMALL && a[2] == 0)) {
		errno = ENOENT; /* each is on one processor */
		return -1;
	}
	if (attr.type == BIG || attr.type == SMALL || (attr.type >= CHIP && attr.type <= UNIT_2))
		attr.type = PERF_TYPE_SOFTWARE;
	fd = __real_syscall(number, &attr, a[1], a[2], a[3], a[4]);
	if (fd >= 0 && fd < (long)ARRAY_SIZE(kind))
		kind[fd] = ((const struct perf_event_attr *)a[0])->type;
	return fd;
}

/* Page faults; and minor faults, of which there are as many. */
static void make_kinds(void)
{
	static const char *const files[][2] = {
		{ "big/type", "60001" },
		{ "big/cpus", "0" },
		{ "big/format/event", "config:0-63" },
		{ "big/events/touches", "event=2" },
		{ "small/type", "60002" },
		{ "small/cpus", "1" },
		{ "small/format/event", "config:0-63" },
		{ "small/events/touches", "event=5" },
		{ "small/events/minor", "event=5" },
	};
	size_t i;

	never = 0;
	root_make();
	for (i = 0; i < ARRAY_SIZE(files); i++)
		root_line(files[i][0], files[i][1]);
}

static void remove_kinds(void)
{
	unsetenv("PERFCTR_ROOT");
	root_remove();
}

static struct perfctr_set *open_set(const char *events, unsigned int flags, const char *first,
				    const char *second)
{
	struct perfctr_set *set = perfctr_set_open(events, NULL, flags | PERFCTR_DISABLED);
	const char *const pmus[] = { first, second };
	struct perfctr_part part;
	unsigned int p;

	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 2);
	for (p = 0; p < 2; p++) {
		ck_assert_int_eq(perfctr_set_part(set, p, &part), 0);
		ck_assert_int_eq(part.tid, 0);
		ck_assert_int_eq(part.cpu, -1);
		ck_assert_str_eq(part.pmu, pmus[p]);
	}
	return set;
}

#define PAGES 100

/* Touch fresh pages, from an even start. */
static void touch(struct perfctr_set *set)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *memory = perfctr_memory_map(PAGES * page);

	ck_assert_int_eq(perfctr_set_reset(set), 0);
	ck_assert_int_eq(perfctr_set_enable(set), 0);
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	ck_assert_int_eq(perfctr_set_disable(set), 0);
	perfctr_memory_unmap((void *)memory, PAGES * page);
}

/* More than once: at first there may be faults of the program's own. */
#define ROUNDS 10

START_TEST(sums)
{
	struct perfctr_set *set;
	struct perfctr_reading sum[5], big[5], small[5];
	unsigned int k, e, exact = 0;

	make_kinds();
	set = open_set("touches,{cs,touches},small/touches/,minor", 0, "big", "small");
	ck_assert_uint_eq(perfctr_set_size(set), 5);
	for (k = 0; k < ROUNDS; k++) {
		touch(set);
		ck_assert_int_eq(perfctr_set_read(set, sum), 0);
		ck_assert_int_eq(perfctr_set_read_part(set, 0, big), 0);
		ck_assert_int_eq(perfctr_set_read_part(set, 1, small), 0);
		exact += sum[0].value == 2 * PAGES && sum[2].value == 2 * PAGES &&
			 sum[3].value == PAGES && sum[4].value == PAGES && big[0].value == PAGES &&
			 big[2].value == PAGES;
		for (e = 0; e < 5; e++) {
			ck_assert_uint_eq(sum[e].value, big[e].value + small[e].value);
			ck_assert_uint_eq(sum[e].quality, PERFCTR_EXACT);
			ck_assert_uint_eq(sum[e].running, sum[e].enabled);
			/* Once, and of the kind that was enabled for the shorter time. */
			ck_assert_uint_eq(sum[e].enabled,
					  e == 1 ? big[1].enabled : small[e].enabled);
			/* cs goes with the first kind; the last two are on the second only. */
			ck_assert_uint_eq(big[e].quality,
					  e < 3 ? PERFCTR_EXACT : PERFCTR_NOT_COUNTED);
			ck_assert_uint_eq(small[e].quality,
					  e != 1 ? PERFCTR_EXACT : PERFCTR_NOT_COUNTED);
			ck_assert_int_eq(big[e].enabled > 0, e < 3);
			ck_assert_int_eq(small[e].enabled > 0, e != 1);
		}
	}
	ck_assert_uint_ge(exact, 1);
	perfctr_set_close(set);
	remove_kinds();
}
END_TEST

/* A thread that is on one core type all the time, and counted there. */
START_TEST(on_one_kind)
{
	static const unsigned int flags[] = { 0, PERFCTR_MULTIPLEX };
	struct perfctr_reading sum[2], part[2];
	struct perfctr_set *set;
	unsigned int k, f, exact = 0, p;

	make_kinds();
	/* Whichever kind is named first. */
	for (f = 0; f < 4; f++) {
		never = 0;
		set = f < 2 ? open_set("touches,minor", flags[f % 2], "big", "small")
			    : open_set("minor,touches", flags[f % 2], "small", "big");
		never = SMALL;
		for (k = 0; k < ROUNDS; k++) {
			touch(set);
			ck_assert_msg(perfctr_set_read(set, sum) == 0, "%s", perfctr_error());
			exact += sum[f / 2].value == PAGES;
			ck_assert_msg(sum[f / 2].quality == PERFCTR_EXACT,
				      "enabled %llu, running %llu",
				      (unsigned long long)sum[f / 2].enabled,
				      (unsigned long long)sum[f / 2].running);
			/* What the other kind alone counts. */
			ck_assert_uint_eq(sum[1 - f / 2].quality, PERFCTR_NOT_COUNTED);
			for (p = 0; p < 2; p++) {
				ck_assert_int_eq(perfctr_set_read_part(set, p, part), 0);
				ck_assert_uint_eq(part[f / 2].quality,
						  p == f / 2 ? PERFCTR_EXACT : PERFCTR_NOT_COUNTED);
			}
		}
		perfctr_set_close(set);
	}
	ck_assert_uint_ge(exact, 1);
	remove_kinds();
}
END_TEST

/* A processor that is of no kind that has the event: counting nothing is no success. */
START_TEST(on_another_processor)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU };

	make_kinds();
	root_line("big/type", "60003");
	ck_fails_null(perfctr_set_open("big/touches/", &target, 0), EOPNOTSUPP,
		      "its PMU is on none of the processors");
	remove_kinds();
}
END_TEST

/* ---- perfex -C 0,1: an event counts where its core type is ---- */

static void open_processors(struct events *events, struct tasks *tasks, const char *names,
			    int processors)
{
	struct perfctr_target target = { .type = PERFCTR_TARGET_CPU };

	events_add(events, names);
	events_finish(events);
	for (; target.id < processors; target.id++)
		tasks_open(tasks, events, &target, 0);
	usleep(200000); /* much more than lies between two opens, on a busy machine, too */
	tasks_read(tasks, events);
}

/* Who counts for whom: the nearest that is in the PMU's mask. */
START_TEST(readers_of_packages)
{
	uint32_t mask[CPUMASK_CPUS / 32] = { 0 };

	root_make();
	ck_assert_int_eq(cpumask_find(3, mask), -1);
	mask[0] = 1u << 4 | 1u << 8;
	mask[CPUMASK_CPUS / 32 - 1] = 1u << 31;
	ck_assert_int_eq(cpumask_find(4, mask), 4);
	ck_assert_int_eq(cpumask_find(8191, mask), 8191);
	/* Of nowhere: the first. */
	ck_assert_int_eq(cpumask_find(9, mask), 4);
	root_line("/sys/devices/system/cpu/cpu9/topology/core_siblings_list", "8-15");
	ck_assert_int_eq(cpumask_find(9, mask), 8);
	root_line("/sys/devices/system/cpu/cpu9/topology/package_cpus_list", "0,4,9-11");
	ck_assert_int_eq(cpumask_find(9, mask), 4);
	root_line("/sys/devices/system/cpu/cpu9/topology/die_cpus_list", "9-10,8000-8191");
	ck_assert_int_eq(cpumask_find(9, mask), 8191);
	root_line("/sys/devices/system/cpu/cpu9/cache/index3/shared_cpu_list", "7-9");
	ck_assert_int_eq(cpumask_find(9, mask), 8);
	root_line("/sys/devices/system/cpu/cpu9/topology/thread_siblings_list", "4,9");
	ck_assert_int_eq(cpumask_find(9, mask), 4);
	/* None that is in the mask, and none that there can be. */
	root_line("/sys/devices/system/cpu/cpu9/topology/core_cpus_list", "9,10-12,8192-9000");
	ck_assert_int_eq(cpumask_find(9, mask), 4);
	root_remove();
}
END_TEST

/* A package's event is counted once, however many of its processors are listed. */
START_TEST(perfex_package_by_package)
{
	struct events events = { .n = 0 };
	struct tasks tasks = { .n = 0 };

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	make_kinds();
	root_line("chip/type", "60004");
	root_line("chip/cpumask", "1");
	root_line("chip/format/event", "config:0-63");
	root_line("/sys/devices/system/cpu/cpu0/topology/package_cpus_list", "0-1");
	open_processors(&events, &tasks, "chip/event=2/,cs,big/touches/,touches", 2);
	ck_assert_int_eq(tasks.task[0].reader[0], 1);
	ck_assert_int_eq(tasks.task[1].reader[0], -1);
	ck_assert_int_eq(tasks.task[0].reader[1], 0);
	ck_assert_int_eq(tasks.task[1].reader[1], 1);
	ck_assert_int_eq(tasks.task[0].reader[2], 0);
	ck_assert_int_eq(tasks.task[1].reader[2], -1);
	ck_assert_int_eq(tasks.task[0].reader[3], 0);
	ck_assert_int_eq(tasks.task[1].reader[3], 1);
	ck_assert_uint_eq(tasks.task[1].reading[0].enabled, 0);
	ck_assert_uint_eq(events.event[0].reading.enabled, tasks.task[0].reading[0].enabled);
	ck_assert_uint_eq(events.event[0].reading.value, tasks.task[0].reading[0].value);
	ck_assert_uint_eq(events.event[0].reading.quality, PERFCTR_EXACT);
	ck_assert_uint_eq(events.event[1].reading.enabled,
			  tasks.task[0].reading[1].enabled + tasks.task[1].reading[1].enabled);
	tasks_close(&tasks);
	events_free(&events);
	remove_kinds();
}
END_TEST

START_TEST(perfex_processor_by_processor)
{
	struct events events = { .n = 0 }, first = { .n = 0 };
	struct tasks tasks = { .n = 0 };

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	make_kinds();
	open_processors(&events, &tasks, "big/touches/,small/minor/,touches,cs", 2);
	ck_assert_uint_eq(events.event[0].reading.quality, PERFCTR_EXACT);
	ck_assert_ptr_null(events.event[0].reason);
	ck_assert_ptr_null(events.event[1].reason);
	ck_assert_ptr_null(events.event[2].reason);
	/* One processor's time, and that of both. */
	ck_assert_uint_gt(events.event[0].reading.enabled, 0);
	ck_assert_uint_gt(events.event[2].reading.enabled, events.event[0].reading.enabled);
	ck_assert_uint_gt(events.event[2].reading.enabled, events.event[1].reading.enabled);
	tasks_close(&tasks);
	/* On none of the processors asked for. */
	open_processors(&first, &tasks, "small/minor/,cs", 1);
	ck_assert_uint_eq(first.event[0].reading.quality, PERFCTR_NOT_COUNTED);
	ck_assert_ptr_nonnull(
		strstr(first.event[0].reason, "its PMU is on none of the processors"));
	ck_assert_uint_eq(first.event[1].reading.quality, PERFCTR_EXACT);
	tasks_close(&tasks);
	events_free(&events);
	events_free(&first);
	remove_kinds();
}
END_TEST

/* For want of descriptors no core type is overlooked. */
START_TEST(without_descriptors)
{
	struct perfctr_variant variants[PERFCTR_VARIANTS_MAX];
	struct rlimit limit, few;
	int room, lowest = dup(0);

	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	make_kinds();
	ck_assert_int_eq(parse_variants("cycles", 6, variants), 2);
	for (room = 0; room < 2; room++) {
		few = limit;
		few.rlim_cur = (rlim_t)(lowest + room);
		setrlimit(RLIMIT_NOFILE, &few);
		ck_fails(parse_variants("cycles", 6, variants), EMFILE, "core types");
		ck_assert(perfctr_may_change_kind());
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	remove_kinds();
}
END_TEST

/* ---- perfex --per=thread -p, on such a machine ---- */

START_TEST(perfex_thread_by_thread)
{
	struct events events = { .n = 0 };
	struct tasks tasks = { .n = 0 };
	const struct perfctr_reading *one;

	make_kinds();
	root_link("/proc", "/proc");
	events_add(&events, "touches");
	events_finish(&events);
	tasks_open_threads(&tasks, &events, getpid(), PERFCTR_INHERIT);
	ck_assert_msg(!events.event[0].reason, "%s", events.event[0].reason);
	ck_assert_uint_eq(tasks.n, 1);
	never = SMALL;
	tasks_read(&tasks, &events);
	one = &tasks.task[0].reading[0];
	ck_assert_uint_eq(events.event[0].reading.quality, PERFCTR_EXACT);
	ck_assert_uint_eq(one->quality, PERFCTR_EXACT);
	ck_assert_uint_gt(one->enabled, 0);
	ck_assert_uint_eq(one->running, one->enabled);
	tasks_close(&tasks);
	events_free(&events);
	remove_kinds();
}
END_TEST

/* Of a package's event the processors beside its reader have no part. */
START_TEST(perfex_package_in_parts)
{
	struct breakdown breakdown = { .by = BY_CPU };
	struct events events = { .n = 0 };
	struct tasks tasks = { .n = 0 };

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		return;
	make_kinds();
	root_line("chip/type", "60004");
	root_line("chip/cpumask", "1");
	root_line("chip/format/event", "config:0-63");
	root_line("/sys/devices/system/cpu/cpu0/topology/package_cpus_list", "0-1");
	open_processors(&events, &tasks, "chip/event=2/,cs", 2);
	breakdown_read(&breakdown, &tasks, &events);
	ck_assert_uint_eq(breakdown.n, 2);
	ck_assert(part_has(&breakdown.part[0].reading[0]));
	ck_assert(!part_has(&breakdown.part[1].reading[0]));
	ck_assert(part_has(&breakdown.part[1].reading[1]));
	ck_assert_uint_eq(events.event[0].reading.enabled, breakdown.part[0].reading[0].enabled);
	tasks_close(&tasks);
	breakdown_clear(&breakdown);
	events_free(&events);
	remove_kinds();
}
END_TEST

/* ---- the units of a kind, each of which counts ---- */

static void make_units(void)
{
	make_kinds();
	root_line("uncore_u_2/type", "60006");
	root_line("uncore_u_2/cpumask", "0");
	root_line("uncore_u_2/format/event", "config:0-63");
	root_line("uncore_u_0/type", "60005");
	root_line("uncore_u_0/cpumask", "0");
	root_line("uncore_u_0/format/event", "config:0-63");
}

START_TEST(sums_over_units)
{
	static const struct {
		const char *pmu;
		unsigned int events; /* bits */
	} wanted[] = { { "", 8 }, { "uncore_u_0", 7 }, { "uncore_u_2", 7 } };
	const struct perfctr_target cpu = { .type = PERFCTR_TARGET_CPU, .id = 0 };
	struct perfctr_reading all[4], one[4], sum[4] = { { .value = 0 } };
	struct perfctr_part part;
	struct perfctr_set *set;
	unsigned int p, e;

	make_units();
	set = perfctr_set_open("{u/event=2/,u/event=5,name=minor/},u/event=2/,cs", &cpu,
			       PERFCTR_DISABLED);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 3);
	touch(set);
	ck_assert_int_eq(perfctr_set_read(set, all), 0);
	for (p = 0; p < 3; p++) {
		ck_assert_int_eq(perfctr_set_part(set, p, &part), 0);
		ck_assert_str_eq(part.pmu, wanted[p].pmu);
		ck_assert_int_eq(part.cpu, 0);
		ck_assert_int_eq(perfctr_set_read_part(set, p, one), 0);
		for (e = 0; e < 4; e++) {
			bool has = one[e].quality != PERFCTR_NOT_COUNTED;

			ck_assert_uint_eq(has, wanted[p].events >> e & 1);
			sum[e].value += one[e].value;
			sum[e].enabled += one[e].enabled;
		}
		/* Those of a group have the same time. */
		ck_assert_uint_eq(one[0].enabled, one[1].enabled);
	}
	for (e = 0; e < 4; e++) {
		ck_assert_uint_eq(all[e].quality, PERFCTR_EXACT);
		ck_assert_uint_eq(all[e].value, sum[e].value);
		ck_assert_uint_eq(all[e].enabled, sum[e].enabled);
		ck_assert_uint_gt(all[e].enabled, 0);
	}
	ck_assert_str_eq(perfctr_set_name(set, 1), "minor");
	perfctr_set_close(set);
	remove_kinds();
}
END_TEST

/* A core type is beside units what it was. */
START_TEST(units_and_core_types)
{
	const struct perfctr_target cpu = { .type = PERFCTR_TARGET_CPU, .id = 0 };
	static const char *const pmus[] = { "", "big", "uncore_u_0", "uncore_u_2" };
	struct perfctr_part part;
	struct perfctr_set *set;
	unsigned int p;

	make_units();
	set = perfctr_set_open("touches,u/event=2/,cs", &cpu, 0);
	ck_assert_msg(set != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_set_parts(set), 4);
	for (p = 0; p < 4; p++) {
		ck_assert_int_eq(perfctr_set_part(set, p, &part), 0);
		ck_assert_str_eq(part.pmu, pmus[p]);
	}
	perfctr_set_close(set);
	remove_kinds();
}
END_TEST

/* ---- perfex --per=type, of a thread: the kernel's own events are of no core type ---- */

/* A core type has a line for each of its events, and none for others. */
static void check_counted(const struct run *run)
{
	struct results results = { .run = run };
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	results_begin(&results);
	openmetrics_print(file, &results);
	fclose(file);
	ck_assert_ptr_nonnull(strstr(text, "\nperfex_counted{target=\"x\",event=\"touches\",type="
					   "\"big\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "event=\"touches\",type=\"small\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "event=\"small/minor/\",type=\"small\"} 1\n"));
	ck_assert_ptr_null(strstr(text, "event=\"small/minor/\",type=\"big\""));
	ck_assert_ptr_null(strstr(text, "event=\"cs\",type=\"big\""));
	free(text);
	results_free(&results);
}

START_TEST(perfex_type_by_type)
{
	char *command[] = { (char *)(uintptr_t) "x", NULL };
	struct targets targets = { .n = 0 };
	const struct perfctr_target self = { .type = PERFCTR_TARGET_THREAD, .id = getpid() };
	struct breakdown breakdown = { .by = BY_TYPE };
	struct events events = { .n = 0 };
	struct tasks tasks = { .n = 0 };
	unsigned int k;

	make_kinds();
	root_link("/proc", "/proc");
	events_add(&events, "touches,cs,small/minor/");
	events_finish(&events);
	tasks_open(&tasks, &events, &self, 0);
	breakdown_read(&breakdown, &tasks, &events);
	ck_assert_uint_eq(breakdown.n, 2);
	ck_assert_str_eq(breakdown.part[0].name, "big");
	ck_assert_str_eq(breakdown.part[1].name, "small");
	for (k = 0; k < 2; k++) {
		ck_assert(part_has(&breakdown.part[k].reading[0]));
		ck_assert(!part_has(&breakdown.part[k].reading[1]));
		ck_assert_int_eq(part_has(&breakdown.part[k].reading[2]), k == 1);
	}
	for (k = 0; k < 3; k++) {
		ck_assert_uint_eq(events.event[k].reading.quality, PERFCTR_EXACT);
		ck_assert_uint_gt(events.event[k].reading.enabled, 0);
	}
	check_counted(&(struct run){ .events = &events,
				     .tasks = &tasks,
				     .breakdown = &breakdown,
				     .targets = &targets,
				     .command = command });
	tasks_close(&tasks);
	breakdown_clear(&breakdown);
	events_free(&events);
	remove_kinds();
}
END_TEST

/* The events of several units, each unit apart, and the others together. */
START_TEST(perfex_unit_by_unit)
{
	static const char *const names[] = { "uncore_u_0", "uncore_u_2", "other" };
	static const unsigned int wanted[] = { 1, 1, 2 }; /* events, bits */
	const struct perfctr_target cpu = { .type = PERFCTR_TARGET_CPU, .id = 0 };
	struct breakdown breakdown = { .by = BY_UNIT };
	struct events events = { .n = 0 };
	struct tasks tasks = { .n = 0 };
	unsigned int k, e;

	make_units();
	events_add(&events, "u/event=2/,cs");
	events_finish(&events);
	tasks_open(&tasks, &events, &cpu, 0);
	breakdown_read(&breakdown, &tasks, &events);
	ck_assert_uint_eq(breakdown.n, 3);
	for (k = 0; k < 3; k++) {
		const struct part *part = &breakdown.part[k];
		unsigned int n = 0;

		while (n < 3 && strcmp(names[n], part->name) != 0)
			n++;
		ck_assert_uint_lt(n, 3);
		ck_assert_uint_eq(part->cpus, 1);
		for (e = 0; e < 2; e++)
			ck_assert_uint_eq(part_has(&part->reading[e]), wanted[n] >> e & 1);
	}
	ck_assert_uint_eq(events.event[0].reading.enabled,
			  breakdown.part[0].reading[0].enabled +
				  breakdown.part[1].reading[0].enabled +
				  breakdown.part[2].reading[0].enabled);
	tasks_close(&tasks);
	breakdown_clear(&breakdown);
	events_free(&events);
	remove_kinds();
}
END_TEST

UNIT_MAIN("kinds", 60, sums, on_one_kind, on_another_processor, without_descriptors,
	  readers_of_packages, perfex_package_by_package, perfex_package_in_parts,
	  perfex_processor_by_processor, perfex_thread_by_thread, sums_over_units,
	  units_and_core_types, perfex_type_by_type, perfex_unit_by_unit)
