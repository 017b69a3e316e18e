// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests --why=tree, and --why, with runs whose counts and ends are made up. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tests/harness/pmu.h"
#include "tests/harness/root.h"
#include "tools/perfex/count/topdown.h"
#include "tools/perfex/analyse/drill.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/metrics.h"
#include "tools/perfex/analyse/why.h"

#if defined(__i386__) || defined(__x86_64__)
#include "arch/cpu.h"
#include "lib/isa/identify.h"

/* ---- the processor: a Skylake, or an Alder Lake, as in tests/data/cpuid ---- */

static bool hybrid;

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	*id = (struct perfctr_cpuid){
		.max_leaf = 0x20,
		.vendor = "GenuineIntel",
		.signature = hybrid ? 0x90672 : 0x506E3,
		.leaf1_ecx = 0x7FFAFBFF,
		.leaf1_edx = 0xBFEBFBFF,
		.leaf7_edx = hybrid ? 0xFC1CC410 : 0x9C002400,
		.leaf0a_eax = hybrid ? 0x07300605 : 0x07300404,
		.leaf0a_edx = hybrid ? 0x8603 : 0x603,
		.leaf1a_eax = hybrid ? 0x20000001 : 0,
	};
}

/* ---- runs ---- */

struct run_end __wrap_run(const struct run *run);

/* How each run ends, and how many instructions it executes. */
static struct {
	struct run_end end;
	uint64_t instructions;
	unsigned int quality;
	uint64_t running; /* ns; 0: 10 */
} plan[16];
static unsigned int runs;

/* All runs are alike. */
static void plan_nothing(void)
{
	memset(plan, 0, sizeof(plan));
}

/* Most slots wait for memory: three of four on a Skylake, and on an Alder Lake's both core types.
 */
static const char *idle = "nothing"; /* what begins so counts nothing */

static uint64_t count_of(const char *name)
{
	static const struct {
		const char *words;
		uint64_t value;
	} counts[] = {
		{ "ONE_THREAD_ACTIVE", 10 },  { "REF_XCLK", 10 },
		{ "CPU_CLK_UNHALTED", 1000 }, { "IDQ_UOPS_NOT_DELIVERED", 400 },
		{ "UOPS_ISSUED", 1200 },      { "RETIRE_SLOTS", 1000 },
		{ "STALLS_MEM_ANY", 300 },    { "STALLS_TOTAL", 400 },
		{ "TOPDOWN_BE_BOUND", 3000 }, { "topdown-be-bound", 150 },
		{ "topdown-fe-bound", 20 },   { "topdown-bad-spec", 20 },
		{ "topdown-retiring", 60 },   { "TOPDOWN:SLOTS", 5000 },
		{ "TOPDOWN_FE_BOUND", 500 },  { "TOPDOWN_BAD_SPECULATION", 500 },
		{ "TOPDOWN_RETIRING", 1000 },
	};
	size_t i;

	if (!strncmp(name, idle, strlen(idle)))
		return 0;
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		if (strstr(name, counts[i].words))
			return counts[i].value;
	return 0;
}

struct run_end __wrap_run(const struct run *run)
{
	struct events *events = run->events;
	struct run_end end = plan[runs].end;
	unsigned int i;

	/* Each run has the user's options. */
	ck_assert_uint_eq(run->delay, 11);
	ck_assert_uint_eq(run->timeout, 22);
	ck_assert_str_eq(run->command[0], "true");
	run->started(run->arg, getpid());
	for (i = 0; i < events->n; i++) {
		struct perfctr_reading *reading = &events->event[i].reading;

		*reading = (struct perfctr_reading){ .enabled = 10, .running = 10 };
		reading->value = count_of(events->event[i].name);
	}
	events->event[0].reading.value = plan[runs].instructions ? plan[runs].instructions : 1000;
	events->event[0].reading.quality = plan[runs].quality;
	if (plan[runs].running)
		events->event[0].reading.enabled = events->event[0].reading.running =
			plan[runs].running;
	end.ran = true;
	end.elapsed = 1;
	runs++;
	return end;
}

static char said[4096];
static unsigned int td_level; /* the option's; 0: it is not given */

/* Drills down; "said" has what was said. */
static struct drill *drill_with(const char *pre, const char *post)
{
	static char *command[] = { (char *)"true", NULL };
	static struct output output;
	static struct page page;
	struct options options = { .command = command,
				   .pre = pre,
				   .post = post,
				   .td_level = td_level,
				   .delay = 11,
				   .timeout = 22 };
	int before = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	struct drill *drill;
	size_t size;

	dup2(fileno(file), STDERR_FILENO);
	runs = 0;
	pmu_begin();
	drill = drill_count(&options, NULL, &output, &page);
	pmu_end();
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	size = fread(said, 1, sizeof(said) - 1, file);
	said[size] = '\0';
	fclose(file);
	return drill;
}

static void has(const char *wanted)
{
	ck_assert_msg(strstr(said, wanted) != NULL, "no \"%s\" in\n%s", wanted, said);
}

/* This many runs are kept, of "all", and so it ends. */
static void ends(struct drill *drill, unsigned int all, unsigned int kept, bool failed, int status)
{
	struct drill_end end = drill_end(drill);

	ck_assert_msg(runs == all, "%u runs, not %u:\n%s", runs, all, said);
	ck_assert_uint_eq(drill_results(drill)->drilled, kept);
	ck_assert_int_eq(end.failed, failed);
	ck_assert_int_eq(end.end.status, status);
	ck_assert(!run_timed_out(&end.end));
	ck_assert(drill_stopped(drill));
	drill_free(drill);
}

/* ---- ---- */

/* The last column of each event's row, and each metric's, is its run. */
static void runs_as_csv(const struct results *results)
{
	char *csv, *rest, *row;
	const struct events *events = results->run->events;
	unsigned int i;
	size_t size;
	FILE *file = open_memstream(&csv, &size);

	csv_print(file, results);
	ck_assert_int_eq(fclose(file), 0);
	rest = csv;
	row = strsep(&rest, "\n");
	ck_assert_ptr_nonnull(strstr(row, ",error,level,parent,run"));
	for (i = 0; i < events->n + results->metrics; i++) {
		row = strsep(&rest, "\n");
		ck_assert_uint_eq(strtoul(strrchr(row, ',') + 1, NULL, 10),
				  i < events->n ? events->event[i].run
						: results->metric[i - events->n].run);
	}
	ck_assert_str_eq(rest, "");
	free(csv);
}

/* Each run counts the parts of what was beyond its threshold; all of them are one result. */
START_TEST(levels)
{
	static const char *const beyond[] = { "tma_backend_bound", "tma_memory_bound",
					      "tma_l1_bound" };
	const struct results *results;
	const struct events *events;
	unsigned int i, run = 0, n = 0, k = 0;
	struct drill *drill;

	plan_nothing();
	plan[2].instructions = 1100;
	drill = drill_with(NULL, NULL);
	ck_assert(!drill_stopped(drill));
	ck_assert_uint_eq(runs, 4);
	has("perfex: run 2, of at most 6, counts the parts of tma_backend_bound\n");
	has("perfex: run 3, of at most 6, counts the parts of tma_core_bound, tma_memory_bound\n");
	has("perfex: run 4, of at most 6, counts the parts of tma_l1_bound\n");
	has(" groups of events take turns, ");
	results = drill_results(drill);
	events = results->run->events;
	ck_assert_str_eq(results->run->command[0], "true");
	for (i = 0; i < events->n; i++) {
		struct cell cell = results_cell(results, NULL, i);
		bool first = events->event[i].run != run;

		run += first;
		ck_assert_uint_eq(events->event[i].run, run);
		n += first;
		ck_assert(!first || events->event[i].quiet);
		ck_assert_uint_eq(cell.value, !first	 ? count_of(events->event[i].name)
					      : run == 3 ? 1100
							 : 1000);
	}
	ck_assert_uint_eq(n, 4);
	for (i = 0; i < results->metrics; i++) {
		ck_assert_uint_eq(results->metric[i].run, results->metric[i].level);
		k += k < 3 && !strcmp(results->metric[i].name, beyond[k]) &&
		     results->metric[i].value.beyond;
	}
	ck_assert_uint_eq(k, 3);
	ck_assert_uint_eq(results->metric[results->metrics - 1].run, 4);
	runs_as_csv(results);
	drill_free(drill);
}
END_TEST

/* --td-level's level is counted first, in one run. */
START_TEST(first_level)
{
	const struct results *results;
	struct drill *drill;
	unsigned int i;

	plan_nothing();
	td_level = 3;
	drill = drill_with(NULL, NULL);
	td_level = 0;
	ck_assert_uint_eq(runs, 2);
	has("perfex: run 2, of at most 4, counts the parts of tma_l1_bound, "
	    "tma_few_uops_instructions\n");
	results = drill_results(drill);
	for (i = 0; i < results->metrics; i++)
		ck_assert_uint_eq(results->metric[i].run, results->metric[i].level > 3 ? 2 : 1);
	drill_free(drill);
}
END_TEST

/* A crash is none of the user's interruptions. */
START_TEST(crash)
{
	plan_nothing();
	plan[0].end = (struct run_end){ .status = SIGSEGV, .interrupted = true };
	ends(drill_with(NULL, NULL), 1, 1, false, SIGSEGV);
	has("perfex: run 1 ended with signal 11: the command is not run again\n");
}
END_TEST

/* A run that a signal ends is no count, but perfex ends as it did. */
START_TEST(interruption)
{
	plan_nothing();
	plan[1].end = (struct run_end){ .status = SIGINT, .interrupted = true };
	ends(drill_with(NULL, NULL), 2, 1, false, SIGINT);
	has("perfex: run 2 ended with signal 2: the command is not run again\n");
	plan[1].end.status = 0;
	ends(drill_with(NULL, NULL), 2, 1, false, 0);
	has("perfex: run 2 was interrupted: the command is not run again\n");
	/* What --timeout ended before is no success of that run. */
	plan[0].end = (struct run_end){ .status = SIGTERM, .timed_out = true };
	plan[1].end.status = SIGTERM;
	ends(drill_with(NULL, NULL), 2, 1, false, SIGTERM);
	plan[0].end = (struct run_end){ .status = 0 };
	/* What fails of its own is the first run's affair. */
	plan[1].end = (struct run_end){ .status = SIGSEGV, .interrupted = true };
	ends(drill_with(NULL, NULL), 2, 1, false, 0);
	has("perfex: run 2 ended with signal 11: the command is not run again\n");
	plan[1].end = (struct run_end){ .status = 3 << 8 };
	ends(drill_with(NULL, NULL), 2, 1, false, 0);
	has("perfex: run 2 ended with exit status 3: the command is not run again\n");
}
END_TEST

START_TEST(beside)
{
	char directory[] = "/tmp/drill.XXXXXX", pre[128];

	plan_nothing();
	ends(drill_with(NULL, "false"), 1, 1, true, 0);
	has("perfex: --post: \"false\" failed with exit status 1\n");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(pre, sizeof(pre), "rmdir %s 2>/dev/null", directory);
	ends(drill_with(pre, NULL), 1, 1, true, 0);
	has("2>/dev/null\" failed with exit status 1\n");
}
END_TEST

/* An estimate of a few turns is no reason to say that the command does other work. */
START_TEST(other_work)
{
	plan_nothing();
	plan[1].instructions = 2000;
	ends(drill_with(NULL, NULL), 2, 1, false, 0);
	has("perfex: run 2 executed 2000 instructions, and the first one 1000: ");
	plan[1].quality = PERFCTR_SCALED;
	drill_free(drill_with(NULL, NULL));
	ck_assert_uint_ge(runs, 3);
	ck_assert_ptr_null(strstr(said, "executed"));
	plan[1].running = 99999999;
	drill_free(drill_with(NULL, NULL));
	ck_assert_uint_ge(runs, 3);
	plan[1].running = 100000000;
	ends(drill_with(NULL, NULL), 2, 1, false, 0);
	has("perfex: run 2 executed 2000 instructions, and the first one 1000: ");
}
END_TEST

static char tried[4096]; /* the events */

/* This machine samples nothing. */
struct perfctr_sampler *__wrap_perfctr_sampler_open(const char *event,
						    const struct perfctr_target *target,
						    const struct perfctr_sampler_config *config);
struct perfctr_sampler *__real_perfctr_sampler_open(const char *event,
						    const struct perfctr_target *target,
						    const struct perfctr_sampler_config *config);

struct perfctr_sampler *__wrap_perfctr_sampler_open(const char *event,
						    const struct perfctr_target *target,
						    const struct perfctr_sampler_config *config)
{
	snprintf(tried + strlen(tried), sizeof(tried) - strlen(tried), "%s ", event);
	return __real_perfctr_sampler_open("unsampled", target, config);
}

/* Reads the page of --why to "said". */
static void read_page(void)
{
	static char *command[] = { (char *)"true", NULL };
	char path[] = "/tmp/drill.XXXXXX";
	struct options options = {
		.command = command, .why = true, .drilldown = true, .delay = 11, .timeout = 22
	};
	int fd = mkstemp(path);
	FILE *page;

	plan_nothing();
	close(fd);
	options.file = path;
	runs = 0;
	*tried = '\0';
	pmu_begin();
	ck_assert_int_eq(why(&options).end.status, 0);
	pmu_end();
	page = fopen(path, "re"); /* the old one is replaced */
	said[fread(said, 1, sizeof(said) - 1, page)] = '\0';
	fclose(page);
	unlink(path);
}

/* The page has what was counted, and says why there are no samples. */
START_TEST(no_samples)
{
	read_page();
	ck_assert_uint_eq(runs, 4);
	has(" why 'true', by 4 runs of counts:\n");
	has(" cause:  tma_l1_bound, 30.0 %: ");
	has(" place:  not looked for, since \"unsampled\" is not an event");
	ck_assert_ptr_nonnull(strstr(tried, " cycles:u "));
}
END_TEST

static void become_hybrid(void)
{
	hybrid = true;
	topdown_free(topdown_of(NULL)); /* identifies the processor, before there is a root */
	root_unpack("alderlake");
}

/* What both core types have is counted, and said, once. */
START_TEST(core_types)
{
	plan_nothing();
	become_hybrid();
	drill_free(drill_with(NULL, NULL));
	ck_assert_uint_ge(runs, 2);
	has(" counts the parts of tma_backend_bound\n");
	unsetenv("PERFCTR_ROOT");
	root_remove();
}
END_TEST

/* Each core type has a cause, and events of its own to sample for it. */
START_TEST(causes_of_core_types)
{
	become_hybrid();
	read_page();
	has("\n cause:  on cpu_core: tma_c01_wait, 100.0 %: ");
	has("\n cause:  on cpu_atom: tma_allocation_restriction, 60.0 %: ");
	ck_assert_msg(strstr(tried, "cpu_core/TOPDOWN:BACKEND_BOUND_SLOTS/u ") != NULL, "%s",
		      tried);
	ck_assert_msg(strstr(tried, "cpu_core/cycles/u ") != NULL, "%s", tried);
	ck_assert_msg(strstr(tried, "cpu_atom/cycles/u ") != NULL, "%s", tried);
	/* A command that never ran on one of them. */
	idle = "cpu_atom/";
	read_page();
	has("\n cause:  on cpu_core: tma_c01_wait, 100.0 %: ");
	has("\n cause:  on cpu_atom nothing was counted: ");
	idle = "nothing";
	unsetenv("PERFCTR_ROOT");
	root_remove();
}
END_TEST

UNIT_MAIN("drill", 60, levels, first_level, crash, interruption, beside, other_work, no_samples,
	  core_types, causes_of_core_types)
#else
int main(void)
{
	puts("SKIP: the tree whose counts are made up is an x86's");
	return 77;
}
#endif
