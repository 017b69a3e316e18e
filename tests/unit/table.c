// SPDX-License-Identifier: LGPL-2.1-or-later
/* The processors' own events through the library: controls by name, lists, the historical sets. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "unit.h"

/* What the call prints. */
static char printed[65536];

static int print(const char *cpu, const char *events)
{
	FILE *file = tmpfile();
	int copy = dup(STDOUT_FILENO), result;
	size_t length;

	ck_assert(file && copy >= 0);
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	result = perfctr_cpu_events_print(cpu, events);
	fflush(stdout);
	dup2(copy, STDOUT_FILENO);
	close(copy);
	rewind(file);
	length = fread(printed, 1, sizeof(printed) - 1, file);
	printed[length] = '\0';
	fclose(file);
	return result;
}

static void has(const char *line)
{
	ck_assert_msg(strstr(printed, line) != NULL, "\"%s\" is missing in\n%s", line, printed);
}

/* Controls of processors that are not here, one of each kind. */
START_TEST(test_print)
{
	ck_assert_int_eq(print("skylake", "mem_load_retired:l1_hit:u,Inst_Retired.Any"), 0);
	has("nractrs                 2\n");
	has("evntsel[0]              0x004101D1\n");
	has("pmc_map[1]              0x40000000\n");
	ck_assert_int_eq(print("skylake", "INST_RETIRED.ANY_P:u:c=2:ie"), 0);
	has("evntsel[0]              0x02C500C0\n");
	ck_assert_int_eq(print("skylake", "OFFCORE_RESPONSE:DEMAND_DATA_RD.ANY_RESPONSE:k"), 0);
	has("evntsel[0]              0x004201B7\n");
	has("offcore_rsp[0]          0x00010001\n");
	ck_assert_int_eq(print("p4", "instr_retired:NBOGUSNTAG:u"), 0);
	has("p4.escr[0]              0x04000204\n");
	ck_assert_int_eq(print("ppc7450", "INSTRUCTIONS_COMPLETED:u"), 0);
	has("evntsel[0]              0x00000002\n");
	has("ppc.mmcr0               0x40000000\n");
	ck_assert_int_eq(print("neoverse-n1", "INST_RETIRED:u"), 0);
	has("evntsel[0]              0x80000008\n");
	ck_assert_int_eq(print("p5mmx", "DATA_READ:u"), 0);
	has("evntsel[0]              0x00000080\n");
}
END_TEST

START_TEST(test_errors)
{
	struct perfctr_cpu_control control;

	ck_fails(print("pentium99", "x"), ENOENT, "no processor that the library knows");
	ck_fails(print("skylake", NULL), EINVAL, "a list of events");
	ck_fails(print("skylake", "MEM_LOAD_RETIRD:L1_HIT"), EINVAL, "did you mean MEM_LOAD_RETIRED");
	ck_fails(print("skylake", "zzzzzzzzzzzzzzzzzz"), EINVAL, "perfex -l --cpu skylake");
	ck_fails(print("skylake", "MEM_LOAD_RETIRED"), EINVAL, "needs a unit mask");
	ck_fails(print("skylake", "MEM_LOAD_RETIRED.L9"), EINVAL, "L1_HIT, L2_HIT");
	ck_fails(print("skylake", "MEM_LOAD_RETIRED:L1_HIT:L2_HIT"), EINVAL, "can't be combined");
	ck_fails(print("skylake", "INST_RETIRED.ANY_P:uu"), EINVAL, "given twice");
	ck_fails(print("skylake", "INST_RETIRED.ANY_P:c=256"), EINVAL, "0 to 255");
	ck_fails(print("skylake", "INST_RETIRED.ANY_P,"), EINVAL, "empty place");
	ck_fails(print("skylake", "MEM_TRANS_RETIRED.LOAD_LATENCY_GT_4"), EOPNOTSUPP,
		 "only in precise sampling");
	ck_fails(print("piii", "FLOPS,INST_RETIRED,FLOPS"), ENOSPC, "FLOPS, FLOPS can't be counted");
	ck_fails(print("ppc750", "INSTRUCTIONS_COMPLETED:u,INSTRUCTIONS_COMPLETED:k"), ENOSPC,
		 "in the same modes");
	ck_fails(print("c3", "INSTRUCTIONS_EXECUTED:u"), EOPNOTSUPP, "can't tell user from kernel");
	ck_fails(print("neoverse-n1", "INST_RETIRED:c=2"), EOPNOTSUPP, "no edge detection");
	ck_fails(perfctr_cpu_control_events(NULL, "x"), EINVAL, "not NULL");
	ck_fails(perfctr_cpu_event_list("pentium99", NULL, NULL), ENOENT, "no processor");
	memset(&control, 0x5A, sizeof(control));
	ck_assert_int_eq(perfctr_cpu_control_events(&control, "no_such_event_anywhere"), -1);
	ck_assert_uint_eq(control.nractrs, 0x5A5A5A5A);
}
END_TEST

struct seen {
	unsigned int n;
	char first[128];
};

static int note(void *arg, const struct perfctr_event_name *name)
{
	struct seen *seen = arg;

	ck_assert_str_eq(name->kind, "cpu");
	ck_assert_ptr_nonnull(name->description);
	if (!seen->n++)
		snprintf(seen->first, sizeof(seen->first), "%s", name->name);
	return 0;
}

/* Every processor has events, and every event that is listed has a control. */
static int each_event(void *arg, const struct perfctr_event_name *name)
{
	const char *cpu = arg;

	if (print(cpu, name->name) < 0)
		ck_assert_msg(errno == EOPNOTSUPP, "%s: %s: %s", cpu, name->name, perfctr_error());
	return 0;
}

static int each_cpu(void *arg, const struct perfctr_event_name *name)
{
	static const char *const some[] = {
		"p5", "mii", "winchip_c6", "c3", "ppro", "k7", "k8_c", "fam10h", "zen4", "p4m3", "core2",
		"nehalem_ep", "goldencove", "skymont", "ppc604", "ppc7450", "cortex-a53",
	};
	struct seen seen = { 0, "" };
	char cpu[32];
	unsigned int i;

	++*(unsigned int *)arg;
	snprintf(cpu, sizeof(cpu), "%s", name->name);
	ck_assert_int_eq(perfctr_cpu_event_list(cpu, note, &seen), 0);
	ck_assert_msg(seen.n > 2, "%s has only %u events", cpu, seen.n);
	for (i = 0; i < ARRAY_SIZE(some); i++)
		if (!strcmp(some[i], cpu))
			ck_assert_int_eq(perfctr_cpu_event_list(cpu, each_event, cpu), 0);
	return 0;
}

START_TEST(test_every_processor)
{
	unsigned int n = 0;

	ck_assert_int_eq(perfctr_cpu_list(each_cpu, &n), 0);
	ck_assert_uint_ge(n, 100);
}
END_TEST

/* This machine's own, whatever it is. */
START_TEST(test_native)
{
	struct perfctr_cpu_control control, broken;
	struct seen seen = { 0, "" };

	if (perfctr_cpu_event_list(NULL, note, &seen) < 0) {
		ck_assert_int_eq(errno, ENOENT);
		ck_fails(perfctr_cpu_control_events(&control, "x"), ENOENT, "no table of events");
		return;
	}
	ck_assert_int_eq(perfctr_event_check(seen.first), 0);
	ck_assert_int_eq(perfctr_cpu_control_events(&control, seen.first), 1);
	ck_assert_uint_eq(control.nractrs, 1);
	broken = control;
	broken.nrictrs = 1000;
	ck_assert_int_eq(perfctr_cpu_control_check(&broken), -1);
	ck_assert(errno == EINVAL || errno == EOPNOTSUPP);
	if (perfctr_cpu_control_check(&control) < 0)
		ck_assert_int_eq(errno, EOPNOTSUPP);	/* no PMU */
}
END_TEST

static void *look_up(void *arg)
{
	unsigned int type;
	const struct perfctr_event_set *set;

	for (type = 0; type < 40; type++) {
		set = perfctr_cpu_event_set(type);
		if (set)
			ck_assert_ptr_eq(set, perfctr_cpu_event_set(type));
	}
	return arg;
}

/* The historical description, asked for by several threads at once. */
START_TEST(test_event_set)
{
	const struct perfctr_event_set *set;
	pthread_t thread[4];
	unsigned int i, type, sets = 0;

	for (i = 0; i < ARRAY_SIZE(thread); i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, look_up, NULL), 0);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	for (type = 0; type < 40; type++) {
		set = perfctr_cpu_event_set(type);
		if (!set) {
			ck_assert_int_eq(errno, ENOENT);
			continue;
		}
		sets++;
		ck_assert_uint_eq(set->cpu_type, type);
		ck_assert_uint_gt(set->nevents, 2);
		for (i = 0; i < set->nevents; i++) {
			ck_assert_ptr_nonnull(set->events[i].name);
			if (set->events[i].unit_mask)
				ck_assert_uint_gt(set->events[i].unit_mask->nvalues, 0);
		}
	}
	ck_assert_uint_ge(sets, 1);
#if defined(__i386__) || defined(__x86_64__)
	ck_assert_uint_ge(sets, 25);
	set = perfctr_cpu_event_set(PERFCTR_X86_INTEL_P6);
	ck_assert_str_eq(set->events[0].description, "");
#endif
}
END_TEST

UNIT_MAIN("table", 60, test_print, test_errors, test_every_processor, test_native, test_event_set)
