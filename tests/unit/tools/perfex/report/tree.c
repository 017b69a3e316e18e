// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests metrics as a tree: their order, the bottleneck, and what each format shows of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libperfctr.h"
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/tree.h"

#define ROOT(its_name, number, is_beyond)                           \
	{                                                           \
		.is = { .core = "" }, .name = its_name, .level = 1, \
		.value = { .value = number, .beyond = is_beyond },  \
	}
#define PART(its_name, its_level, of, number, is_beyond)                                  \
	{                                                                                 \
		.is = { .core = "" }, .name = its_name, .parent = of, .level = its_level, \
		.value = { .value = number, .beyond = is_beyond },                        \
	}

static char text[65536];

/* Writes "name name(depth) ..." of the order. */
static const char *order_of(const struct metric *metrics, unsigned int n)
{
	struct place *place = tree_order(metrics, n);
	unsigned int i;
	int used = 0;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used, "%s%s%u", i ? " " : "",
				 metrics[place[i].metric].name, place[i].depth);
	free(place);
	return text;
}

/* Writes the names of the bottlenecks, each with a blank after it. */
static const char *worst_of(const struct metric *metrics, unsigned int n)
{
	bool *worst = tree_bottlenecks(metrics, n);
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < n; i++)
		if (worst[i])
			strcat(strcat(text, metrics[i].name), " ");
	free(worst);
	return text;
}

/* Parts come below what they are parts of, also if that comes later, or is not there. */
START_TEST(order)
{
	static const struct metric metrics[] = {
		PART("a1", 2, "a", 1, 0),
		{ .is = { .core = "" }, .name = "ipc" },
		ROOT("a", 2, 0),
		PART("orphan", 3, "gone", 3, 0),
		PART("b1", 2, "b", 4, 0),
		ROOT("b", 5, 0),
		PART("a11", 3, "a1", 6, 0),
		PART("a2", 2, "a", 7, 0),
	};

	ck_assert_str_eq(order_of(metrics, 8), "ipc0 a0 a11 a112 a21 orphan0 b0 b11");
	ck_assert_str_eq(order_of(metrics, 0), "");
}
END_TEST

/* The largest that is beyond its threshold, then the largest of its parts. */
START_TEST(bottleneck)
{
	static const struct metric metrics[] = {
		ROOT("small", 30, 1),
		ROOT("large", 50, 1),
		ROOT("fine", 90, 0),
		PART("s1", 2, "small", 29, 1),
		PART("l1", 2, "large", 20, 1),
		PART("l2", 2, "large", 25, 1),
		PART("l3", 2, "large", 40, 0),
		PART("l31", 3, "l3", 40, 1),
		{ .is = { .core = "" }, .name = "ipc", .value = { .value = 99, .beyond = 1 } },
	};

	static const struct metric turned[] = { ROOT("large", 50, 1), ROOT("small", 30, 1) };

	ck_assert_str_eq(worst_of(metrics, 9), "l2 ");
	ck_assert_str_eq(worst_of(metrics, 1), "small ");
	ck_assert_str_eq(worst_of(turned, 2), "large ");
	ck_assert_str_eq(worst_of(metrics + 2, 1), "");
	ck_assert_str_eq(worst_of(metrics + 8, 1), "");
}
END_TEST

/* A value that is not there is no bottleneck, and each core type has its own. */
START_TEST(bottlenecks_of_core_types)
{
	struct metric metrics[] = {
		ROOT("p/a/", 30, 1),
		PART("p/b/", 2, "p/a/", 30, 1),
		ROOT("e/a/", 40, 1),
		PART("e/b/", 2, "e/a/", 35, 1),
		PART("e/c/", 2, "e/a/", 36, 1),
	};
	unsigned int i;

	for (i = 0; i < 5; i++)
		metrics[i].is.core = i < 2 ? "p" : "e";
	ck_assert_str_eq(worst_of(metrics, 5), "p/b/ e/c/ ");
	metrics[4].value.reason = "it was not counted";
	ck_assert_str_eq(worst_of(metrics, 5), "p/b/ e/b/ ");
}
END_TEST

/* What has no event to sample takes that of what it is a part of. */
START_TEST(event_to_sample)
{
	static char *words[] = { (char *)"true", NULL };
	struct metric metrics[] = { ROOT("a", 60, 1), PART("b", 2, "a", 50, 1) };
	const struct targets none = { .n = 0 };
	struct events no_events = { .n = 0 };
	const struct run run = { .events = &no_events, .targets = &none, .command = words };
	const struct results results = { .run = &run, .metric = metrics, .metrics = 2 };
	unsigned int i, k;

	for (k = 0; k < 2; k++) {
		FILE *file = fmemopen(text, sizeof(text), "w");

		for (i = 0; i < 2; i++) {
			metrics[i].is = (struct perfctr_metric){
				.core = "", .unit = "%", .threshold = "a > 1", .description = "what"
			};
			metrics[i].reason = "";
			metrics[i].sample = i ? "" : k ? "LOADS STORES" : "";
		}
		table_print(file, &results);
		ck_assert_int_eq(fclose(file), 0);
		ck_assert_ptr_nonnull(
			strstr(text,
			       k ? " bottleneck: b: what; to see where: perfex --sample -e LOADS\n"
				 : " bottleneck: b: what; to see where: perfex --sample\n"));
	}
	ck_assert_ptr_eq(tree_parent(metrics, 2, &metrics[1]), &metrics[0]);
	ck_assert_ptr_null(tree_parent(metrics, 2, &metrics[0]));
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

/* ---- a Skylake's, of known counts ---- */

static struct events events;
static struct tasks tasks;
static struct targets targets;
static char *command[] = { (char *)"true", NULL };
static const struct run what = {
	.events = &events,
	.tasks = &tasks,
	.targets = &targets,
	.command = command,
};

/* Of 4,000 slots 400 got nothing, 200 were in vain, 2,400 waited: 3 of 4 of these for memory. */
static const struct {
	const char *name;
	uint64_t value;
} counts[] = {
	{ "CPU_CLK_UNHALTED:THREAD", 1000 },
	{ "IDQ_UOPS_NOT_DELIVERED:CORE", 400 },
	{ "UOPS_ISSUED:ANY", 1200 },
	{ "UOPS_RETIRED:RETIRE_SLOTS", 1000 },
	{ "CYCLE_ACTIVITY:STALLS_MEM_ANY", 300 },
	{ "CYCLE_ACTIVITY:STALLS_TOTAL", 400 },
	{ "BR_MISP_RETIRED:ALL_BRANCHES", 3 },
	{ "MACHINE_CLEARS:COUNT", 1 },
	{ "INST_RETIRED:ANY", 1000 },
	{ "instructions", 1000 },
	{ "cycles", 1000 },
	{ "ARITH:DIVIDER_ACTIVE", 300 },
	/* One thread of a core at a time. */
	{ "CPU_CLK_UNHALTED:ONE_THREAD_ACTIVE", 10 },
	{ "CPU_CLK_UNHALTED:REF_XCLK", 10 },
};

static uint64_t count_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		if (!strcmp(counts[i].name, name))
			return counts[i].value;
	return 0;
}

static void print_tree(const char *names, void (*how)(FILE *file, const struct results *results))
{
	const struct run_end end = { .elapsed = 1, .ran = true };
	FILE *file = fmemopen(text, sizeof(text), "w");
	struct results results = { .run = &what };
	unsigned int i;

	pmu_begin();
	events = (struct events){ .base16 = true };
	events_add_metrics(&events, names);
	events_finish(&events);
	results_begin(&results);
	for (i = 0; i < events.n; i++)
		events.event[i].reading = (struct perfctr_reading){
			.value = count_of(events.event[i].name), .enabled = 10, .running = 10
		};
	results_add_run(&results, &end);
	results_end(&results);
	how(file, &results);
	ck_assert_int_eq(fclose(file), 0);
	results_free(&results);
	events_free(&events);
	pmu_end();
}

static void has(const char *wanted)
{
	ck_assert_msg(strstr(text, wanted) != NULL, "no \"%s\" in\n%s", wanted, text);
}

/* Parts are indented, what is beyond its threshold says so, and the bottleneck is named. */
START_TEST(table)
{
	print_tree("ipc,topdown", table_print);
	has(" ipc\n"
	    "               10.000 %      topdown-frontend\n"
	    "                0.000 %        topdown-fetch-latency\n"
	    "               10.000 %        topdown-fetch-bandwidth\n"
	    "                5.000 %      topdown-bad-speculation\n"
	    "                3.750 %        topdown-mispredicts\n"
	    "                1.250 %        topdown-machine-clears\n"
	    "               60.000 %      topdown-backend               (beyond: topdown-backend > "
	    "20)\n"
	    "               45.000 %        topdown-memory              (beyond: topdown-memory > "
	    "20 & topdown-backend > 20)  <== bottleneck\n"
	    "               15.000 %        topdown-core                (beyond: topdown-core > 10 "
	    "& topdown-backend > 20)\n"
	    "               25.000 %      topdown-retiring\n"
	    "                0.000 %        topdown-heavy-operations\n"
	    "               25.000 %        topdown-light-operations\n"
	    "\n bottleneck: topdown-memory: slots that waited for loads or stores; to see where: "
	    "perfex --sample\n");
	/* The vendor's tree names an event for some. */
	print_tree("tma_frontend_bound,tma_backend_bound,tma_retiring,tma_light_operations",
		   table_print);
	has(" bottleneck: tma_backend_bound: ");
	has("; to see where: perfex --sample\n");
	print_tree("tma_backend_bound,tma_core_bound,tma_divider", table_print);
	has(" bottleneck: tma_divider: ");
	has("; to see where: perfex --sample -e ARITH:DIVIDER_ACTIVE\n");
	print_tree("tma_light_operations", table_print);
	ck_assert_ptr_null(strstr(text, "bottleneck"));
}
END_TEST

/* What programs read has the level and the parent; what is in no tree has none. */
START_TEST(formats)
{
	print_tree("ipc,topdown", json_print);
	has("{\"metric\":\"topdown-memory\",\"value\":45.000,\"unit\":\"%\",\"quality\":\"exact\","
	    "\"threshold\":\"topdown-memory > 20 & topdown-backend > 20\",\"beyond\":true,"
	    "\"level\":2,\"parent\":\"topdown-backend\",\"reason\":null}");
	has("\"threshold\":\"topdown-frontend > 15\",\"beyond\":false,\"level\":1,"
	    "\"sample\":\"FRONTEND_RETIRED:LATENCY_GE_4\",\"reason\":null}");
	has("\"threshold\":\"ipc < 1\",\"beyond\":false,\"reason\":");
	print_tree("ipc,cpi", json_print);
	ck_assert_ptr_null(strstr(text, "\"level\""));
	print_tree("ipc,topdown", csv_print);
	has("\n,45.000,%,topdown-memory,exact,,,topdown-memory > 20 & topdown-backend > "
	    "20,,2,topdown-backend\n");
	has("\n,5.000,%,topdown-bad-speculation,exact,,,,,1,\n");
	has(",reason,error,level,parent\n");
	has("\n300,300,,CYCLE_ACTIVITY:STALLS_MEM_ANY,exact,10,10,,,,\n");
	print_tree("ipc,topdown", openmetrics_print);
	has("metric=\"topdown-memory\",unit=\"%\",quality=\"exact\",level=\"2\",parent=\"topdown-"
	    "backend\"} 45\n");
	has("metric=\"ipc\",unit=\"\",quality=\"exact\"} ");
}
END_TEST

#endif

UNIT_MAIN("tree", 60, order, bottleneck, bottlenecks_of_core_types, event_to_sample
#if defined(__i386__) || defined(__x86_64__)
	  ,
	  table, formats
#endif
)
