// SPDX-License-Identifier: LGPL-2.1-or-later
/* Facts about the machine, sets of its processors, and the printed form of both. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/cpus.h"
#include "lib/base/word.h"
#include "lib/isa/tsc.h"
#include "libperfctr.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

/* How many processors the C library knows; 0: as many as there are. */
static long known;

long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name)
{
	return name == _SC_NPROCESSORS_ONLN && known ? known : __real_sysconf(name);
}

/* A machine with these processors online; NULL: without sysfs. */
static void make_machine(const char *online)
{
	root_make();
	if (online)
		root_file("/sys/devices/system/cpu/online", online, strlen(online));
}

static struct perfctr_cpu_mask *new_mask(unsigned int words)
{
	struct perfctr_cpu_mask *mask = malloc(8192);

	ck_assert_ptr_nonnull(mask);
	memset(mask, 0x5A, 8192);
	mask->nrwords = words;
	return mask;
}

START_TEST(facts)
{
	struct perfctr_info info, again;

	ck_fails(perfctr_get_info(NULL), EINVAL, "NULL");
	ck_fails(perfctr_info(-1, NULL), EINVAL, "NULL");
	ck_fails(perfctr_info(0, NULL), EINVAL, "perfctr_info() needs");
	ck_assert_int_eq(perfctr_info(-1, &again), 0);
	ck_assert_int_eq(perfctr_get_info(&info), 0);
	ck_assert_mem_eq(&again, &info, sizeof(info));
	ck_assert_uint_eq(info.abi_version, PERFCTR_ABI_VERSION);
	ck_assert_int_eq(sys_perfctr_info(&again, NULL, NULL), 0);
	ck_assert_mem_eq(&again, &info, sizeof(info));
#if defined(__i386__) || defined(__x86_64__)
	ck_assert_uint_eq(info.cpu_khz, perfctr_tsc_khz());
	ck_assert_uint_eq(info.tsc_to_cpu_mult, 1);
#endif
	info.cpu_type = 12345;
	ck_assert_str_eq(perfctr_info_cpu_name(&info), "?");
	ck_assert_uint_eq(perfctr_info_nrctrs(&info), 0);
	setenv("PERFCTR_PROVIDER", "nonsense", 1);
	ck_fails(perfctr_get_info(&info), EINVAL, "PERFCTR_PROVIDER=nonsense");
	ck_fails(sys_perfctr_info(&info, NULL, NULL), EINVAL, "PERFCTR_PROVIDER=nonsense");
	unsetenv("PERFCTR_PROVIDER");
}
END_TEST

START_TEST(versions)
{
	ck_assert_int_eq(perfctr_abi_check_fd(-1), 0);
	ck_assert_int_eq(_perfctr_abi_check_fd(-1, PERFCTR_ABI_VERSION + 1), 0);
	ck_fails(_perfctr_abi_check_fd(-1, 0x06000501), EPROTO, "rebuild");
}
END_TEST

static void is_online(unsigned int cpu)
{
	ck_assert_msg(perfctr_cpu_online(cpu) == 0, "%s", perfctr_error());
}

START_TEST(online)
{
	const unsigned int there[] = { 0, 1, 31, 33, 63, 64, 8191 };
	const unsigned int not [] = { 2, 30, 32, 65, 8192, UINT32_MAX };
	unsigned int i;

	make_machine("0-1,31,33,63-64,8191\n");
	for (i = 0; i < ARRAY_SIZE(there); i++)
		is_online(there[i]);
	for (i = 0; i < ARRAY_SIZE(not ); i++)
		ck_fails(perfctr_cpu_online(not [i]), EINVAL, "online are 0-1,31,33,63-64,8191");
	root_remove();
	/* The shortest list that there is. */
	make_machine("3");
	is_online(3);
	ck_fails(perfctr_cpu_online(0), EINVAL, "no processor 0, or it is offline; online are 3");
	root_remove();
}
END_TEST

/* The C library then knows how many there are, or at least that there is one. */
START_TEST(without_sysfs)
{
	make_machine(NULL);
	known = 3;
	is_online(2);
	ck_fails(perfctr_cpu_online(3), EINVAL, "online are 0-2");
	for (known = -1; known <= 1; known += 2) {
		is_online(0);
		ck_fails(perfctr_cpu_online(1), EINVAL, "or it is offline; online are 0");
	}
	known = 0;
	root_remove();
}
END_TEST

START_TEST(sets)
{
	struct perfctr_cpu_mask *cpus = new_mask(2), *forbidden = new_mask(2);
	struct perfctr_cpus_info *all;

	make_machine("0-1,33,63\n");
	ck_assert_int_eq(sys_perfctr_info(NULL, cpus, forbidden), 0);
	ck_assert_uint_eq(cpus->nrwords, 2);
	ck_assert_uint_eq(cpus->mask[0], 3);
	ck_assert_uint_eq(cpus->mask[1], 0x80000002);
	ck_assert_uint_eq(cpus->mask[2], 0x5A5A5A5A);
	ck_assert_uint_eq(forbidden->nrwords, 2);
	ck_assert_uint_eq(forbidden->mask[0] | forbidden->mask[1], 0);
	ck_assert_uint_eq(forbidden->mask[2], 0x5A5A5A5A);
	/* More room than is needed, and one alone. */
	cpus->nrwords = forbidden->nrwords = 1000;
	ck_assert_int_eq(sys_perfctr_info(NULL, cpus, NULL), 0);
	ck_assert_int_eq(sys_perfctr_info(NULL, NULL, forbidden), 0);
	ck_assert_uint_eq(cpus->nrwords, 2);
	ck_assert_uint_eq(forbidden->nrwords, 2);
	/* Less: each is told what it needs, whichever it is, and nothing else is written. */
	cpus->nrwords = 1;
	cpus->mask[0] = 7;
	ck_fails(sys_perfctr_info(NULL, cpus, forbidden), EOVERFLOW, "needs 2 words, not 1");
	ck_assert_uint_eq(cpus->nrwords, 2);
	ck_assert_uint_eq(cpus->mask[0], 7);
	forbidden->nrwords = 0;
	ck_fails(sys_perfctr_info(NULL, cpus, forbidden), EOVERFLOW, "needs 2 words, not 0");
	ck_assert_uint_eq(forbidden->nrwords, 2);
	ck_assert_uint_eq(cpus->mask[0], 3);
	/* Both at once, made for the caller. */
	all = perfctr_cpus_info(-1);
	ck_assert_ptr_nonnull(all);
	ck_assert_uint_eq(all->cpus->nrwords, 2);
	ck_assert_mem_eq(all->cpus->mask, cpus->mask, 8);
	ck_assert_uint_eq(all->cpus_forbidden->nrwords, 2);
	ck_assert_uint_eq(all->cpus_forbidden->mask[0] | all->cpus_forbidden->mask[1], 0);
	free(all);
	root_remove();
	/* As many as there may be. */
	make_machine("8191\n");
	all = perfctr_cpus_info(-1);
	ck_assert_uint_eq(all->cpus->nrwords, 256);
	ck_assert_uint_eq(all->cpus->mask[255], 0x80000000);
	ck_assert_uint_eq(all->cpus_forbidden->nrwords, 256);
	free(all);
	root_remove();
	free(forbidden);
	free(cpus);
}
END_TEST

/* ---- printing ---- */

static FILE *into;
static int before;

static void begin_print(void)
{
	fflush(stdout);
	before = dup(STDOUT_FILENO);
	into = tmpfile();
	ck_assert_ptr_nonnull(into);
	dup2(fileno(into), STDOUT_FILENO);
}

/* This, and nothing else, was printed since. */
static void is_printed(const char *text)
{
	char found[1024];
	size_t length;

	fflush(stdout);
	dup2(before, STDOUT_FILENO);
	close(before);
	rewind(into);
	length = fread(found, 1, sizeof(found) - 1, into);
	found[length] = '\0';
	fclose(into);
	ck_assert_str_eq(found, text);
}

START_TEST(printed_facts)
{
	struct perfctr_info info;

	memset(&info, 0, sizeof(info));
	info.abi_version = 0x05001234;
	/* Not terminated. */
	memset(info.driver_version, 'v', sizeof(info.driver_version));
	info.cpu_type = 12345;
	begin_print();
	perfctr_info_print(&info);
	is_printed("abi_version\t\t0x05001234\n"
		   "driver_version\t\tvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv\n"
		   "cpu_type\t\t12345 (?)\n"
		   "cpu_features\t\t0x0 ()\n"
		   "cpu_khz\t\t\tnot known\n"
		   "tsc_to_cpu_mult\t\t0 (not known)\n"
		   "cpu_nrctrs\t\t0\n");
	strcpy(info.driver_version, "1.2");
	info.cpu_features = PERFCTR_FEATURE_RDPMC | PERFCTR_FEATURE_RDTSC | PERFCTR_FEATURE_PCINT;
	info.cpu_khz = 2400000;
	info.tsc_to_cpu_mult = 1;
	begin_print();
	perfctr_info_print(&info);
	is_printed("abi_version\t\t0x05001234\n"
		   "driver_version\t\t1.2\n"
		   "cpu_type\t\t12345 (?)\n"
		   "cpu_features\t\t0x7 (rdpmc,rdtsc,pcint)\n"
		   "cpu_khz\t\t\t2400000\n"
		   "tsc_to_cpu_mult\t\t1\n"
		   "cpu_nrctrs\t\t0\n");
}
END_TEST

START_TEST(printed_sets)
{
	struct perfctr_cpus_info *all;

	make_machine("0-1,33,63\n");
	all = perfctr_cpus_info(-1);
	ck_assert_uint_eq(all->cpus->nrwords, 2);
	all->cpus->mask[2] = UINT32_MAX; /* of none */
	begin_print();
	perfctr_cpus_info_print(all);
	is_printed("cpus\t\t\t[0,1,33,63], total: 4\n"
		   "cpus_forbidden\t\t[], total: 0\n");
	free(all);
	root_remove();
}
END_TEST

UNIT_MAIN("info", 60, facts, versions, online, without_sysfs, sets, printed_facts, printed_sets)
