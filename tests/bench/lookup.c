// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Looking event names up, here and in libpfm4: the same names of the same processor. lookup.sh runs
 * this, and says what comes of it.
 *
 *	instructions	under callgrind: a dump per look-up, "KIND NAME" in its description
 *	time		"KIND NAME NANOSECONDS" per look-up
 *	repeat KIND N	look all right names of a kind up N times
 *
 * Kinds are "table" (arch/events.h), "check" (perfctr_event_check(), for the processor that it
 * finds itself on) and "pfm".
 */
#include <dlfcn.h>
#include <libperfctr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <valgrind/callgrind.h>
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/isa/native.h"
#include "lib/names/presets.h"
#include "libperfctr.h"
#include "arch/events.h"

#define MODES 0x00530000u /* USR, OS, INT, EN: libpfm4 sets them, the table does not */

/* The two tables spell some names differently. */
static const struct {
	const char *ours, *theirs;
} names[] = {
	/* From the first of the table to the last, and one that is wrong. */
	{ "LD_BLOCKS:STORE_FORWARD", "skx::LD_BLOCKS:STORE_FORWARD" },
	{ "EPT:WALK_PENDING", "skx::EPT:WALK_PENDING" },
	{ "INST_RETIRED:ANY_P", "skx::INST_RETIRED:ANY_P" },
	{ "L2_RQSTS:DEMAND_DATA_RD_MISS", "skx::L2_RQSTS:DEMAND_DATA_RD_MISS" },
	{ "CYCLE_ACTIVITY:STALLS_L1D_MISS", "skx::CYCLE_ACTIVITY:STALLS_L1D_MISS" },
	{ "mem_load_retired:l3_miss:u", "skx::mem_load_retired:l3_miss:u" },
	{ "FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE",
	  "skx::FP_ARITH_INST_RETIRED:512B_PACKED_DOUBLE" },
	{ "OFFCORE_RESPONSE:DEMAND_DATA_RD.ANY_RESPONSE",
	  "skx::OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE" },
	{ "IDI_MISC:WB_DOWNGRADE", "skx::IDI_MISC:WB_DOWNGRADE" },
	{ "NO_SUCH_EVENT:AT_ALL", "skx::NO_SUCH_EVENT:AT_ALL" },
};
enum { NAMES = ARRAY_SIZE(names), WRONG = NAMES - 1 };

/* ---- look-ups ---- */

static const struct perfctr_event_table *table;
static struct perfctr_event_choice choice;

static int look_nowhere(const char *name, size_t length)
{
	(void)name;
	(void)length;
	return 0;
}

static int look_in_table(const char *name, size_t length)
{
	size_t part_length;
	unsigned int event;
	const char *part;

	return (int)perfctr_event_lookup(table, name, length, &choice, &part, &part_length, &event);
}

/* A preset of PAPI's that is one event: its name, and what it stands for. */
static int look_preset(const char *name, size_t length)
{
	char event[2 * PERFCTR_NAME_SIZE];

	if (perfctr_preset_event(name, length, table, event, sizeof(event)) <= 0)
		return -1;
	return look_in_table(event, strlen(event));
}

static int look_check(const char *name, size_t length)
{
	(void)length;
	return perfctr_event_check(name);
}

#if __has_include(<perfmon/pfmlib.h>)
#include <perfmon/pfmlib.h>

static __typeof__(pfm_initialize) *initialize;
static __typeof__(pfm_get_os_event_encoding) *get_encoding;
static uint64_t codes[8];

/* Loaded, not linked: it shall cost our own look-ups nothing. */
static bool pfm_open(void)
{
	void *library = dlopen("libpfm.so.4", RTLD_NOW);

	if (!library)
		return false;
	*(void **)&initialize = dlsym(library, "pfm_initialize");
	*(void **)&get_encoding = dlsym(library, "pfm_get_os_event_encoding");
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return initialize && get_encoding;
}

static int look_initialize(const char *name, size_t length)
{
	(void)name;
	(void)length;
	return initialize() != PFM_SUCCESS;
}

static int look_pfm(const char *name, size_t length)
{
	pfm_pmu_encode_arg_t arg = {
		.codes = codes,
		.count = ARRAY_SIZE(codes),
		.size = sizeof(arg),
	};

	(void)length;
	return get_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg) != PFM_SUCCESS;
}
#else
static int (*const look_initialize)(const char *, size_t) = look_nowhere;
static int (*const look_pfm)(const char *, size_t) = look_nowhere;
static uint64_t codes[2];

static bool pfm_open(void)
{
	return false;
}
#endif

/* Whoever looks the names up must find the same. */
static void compare(unsigned int i)
{
	const struct perfctr_event_option *option = &choice.option[0];
	size_t length = strlen(names[i].ours);

	codes[1] = 0;
	if (look_in_table(names[i].ours, length) == 0 && look_pfm(names[i].theirs, 0) == 0 &&
	    (option->code & ~MODES) == (codes[0] & ~(uint64_t)MODES) && option->value == codes[1])
		return;
	fprintf(stderr, "%s: 0x%X and 0x%llX here, 0x%llX and 0x%llX in libpfm4\n", names[i].ours,
		option->code, (unsigned long long)option->value, (unsigned long long)codes[0],
		(unsigned long long)codes[1]);
	exit(1);
}

/* ---- all names of this machine's table ---- */

static char own[8192][PERFCTR_NAME_SIZE];
static unsigned int nr_own;

/* Those that want a mask, or can't be counted, are no right names. */
static int note_own(void *arg, const struct perfctr_event_name *name)
{
	(void)arg;
	if (nr_own < ARRAY_SIZE(own) && perfctr_event_check(name->name) == 0)
		strcpy(own[nr_own++], name->name);
	return 0;
}

/* ---- instructions ---- */

typedef int (*look_fn)(const char *, size_t);

/* What was never called has symbols to be bound, and is not what is to be known: once before. */
static void dump(const char *kind, const char *label, look_fn look, const char *name, bool warm)
{
	size_t length = strlen(name);
	char text[200];

	snprintf(text, sizeof(text), "%s %s", kind, label);
	if (warm)
		look(name, length);
	CALLGRIND_ZERO_STATS;
	look(name, length);
	CALLGRIND_DUMP_STATS_AT(text);
}

static int dump_preset(void *arg, const char *name)
{
	(void)arg;
	if (look_preset(name, strlen(name)) == 0)
		dump("preset-all", name, look_preset, name, true);
	return 0;
}

static void instructions(bool pfm)
{
	struct perfctr_event_entry entry;
	char name[2 * PERFCTR_NAME_SIZE];
	unsigned int i, n = 0;

	dump("nothing", "-", look_nowhere, "", true);
	for (i = 0; i < NAMES; i++)
		dump(i < WRONG ? "table" : "wrong", names[i].ours, look_in_table, names[i].ours,
		     true);
	while ((n = perfctr_event_walk(table, n, &entry))) {
		snprintf(name, sizeof(name), "%s%s%s", entry.event, entry.mask ? ":" : "",
			 entry.mask ? entry.mask : "");
		if (look_in_table(name, strlen(name)) == 0)
			dump("table-all", name, look_in_table, name, true);
	}
	perfctr_preset_walk(table, dump_preset, NULL);
	for (i = 0; i < nr_own; i++)
		dump("check-all", own[i], look_check, own[i], true);
	dump("check-wrong", names[WRONG].ours, look_check, names[WRONG].ours, true);
	if (!pfm)
		return;
	dump("pfm-start", "-", look_initialize, "", false);
	for (i = 0; i < NAMES; i++)
		dump(i < WRONG ? "pfm" : "pfm-wrong", names[i].ours, look_pfm, names[i].theirs,
		     true);
}

/* ---- time ---- */

enum { ROUNDS = 15, REPEATS = 1000, SIDES = 2 };

static double nanoseconds(look_fn look, const char *name)
{
	size_t length = strlen(name);
	struct timespec from, to;
	unsigned int i;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < REPEATS; i++)
		look(name, length);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	       REPEATS;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double values[ROUNDS])
{
	qsort(values, ROUNDS, sizeof(values[0]), by_value);
	return values[ROUNDS / 2];
}

/* In turns: what disturbs one disturbs the other. */
static void times(bool pfm)
{
	double ns[SIDES][ROUNDS], sum = 0;
	unsigned int i, round;

	for (i = 0; i < NAMES; i++) {
		for (round = 0; round < ROUNDS; round++) {
			ns[0][round] = nanoseconds(look_in_table, names[i].ours);
			ns[1][round] = pfm ? nanoseconds(look_pfm, names[i].theirs) : 0;
		}
		printf("%s %s %.0f\n", i < WRONG ? "table" : "wrong", names[i].ours, median(ns[0]));
		if (pfm)
			printf("%s %s %.0f\n", i < WRONG ? "pfm" : "pfm-wrong", names[i].ours,
			       median(ns[1]));
	}
	for (i = 0; i < nr_own; i++) {
		for (round = 0; round < ROUNDS; round++)
			ns[0][round] = nanoseconds(look_check, own[i]);
		sum += median(ns[0]);
	}
	if (nr_own)
		printf("check-all %s %.0f\n", perfctr_this_cpu()->id, sum / nr_own);
}

static void repeat(const char *kind, int n)
{
	unsigned int i;

	for (; n; n--) {
		for (i = 0; i < WRONG; i++) {
			if (!strcmp(kind, "pfm"))
				look_pfm(names[i].theirs, 0);
			else if (!strcmp(kind, "table"))
				look_in_table(names[i].ours, strlen(names[i].ours));
		}
		for (i = 0; !strcmp(kind, "check") && i < nr_own; i++)
			look_check(own[i], 0);
	}
}

int main(int argc, char **argv)
{
	bool pfm = pfm_open();
	unsigned int i;

	table = perfctr_event_table("skylakex");
	perfctr_cpu_event_list(NULL, note_own, NULL);
	if (argc == 2 && !strcmp(argv[1], "instructions")) {
		instructions(pfm);
		return 0;
	}
	if (pfm)
		look_initialize("", 0);
	for (i = 0; pfm && i < WRONG; i++)
		compare(i);
	if (argc == 2 && !strcmp(argv[1], "time"))
		times(pfm);
	else if (argc == 4 && !strcmp(argv[1], "repeat"))
		repeat(argv[2], atoi(argv[3]));
	else
		return 2;
	printf("cpu %s %u\n", perfctr_this_cpu()->id, nr_own);
	return 0;
}
