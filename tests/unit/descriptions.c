// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the descriptions of events: how many of each table's names have one, and that none lacks it
 * where descriptions are promised: in the tables of the processors that perfctr knew, the
 * architectures' own, and of every fixed counter.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "arch/isa.h"
#include "tests/harness/check.h"

/* Tables of which every name is described. */
static const char whole[][16] = {
	"bonnell", "c3",	"core",	  "core2", "fam10h",	"fam15h",     "fam16h",
	"k7",	   "k8_b",	"k8_c",	  "mii",   "p4",	"p4m3",	      "p5",
	"p5mmx",   "pentium_m", "pii",	  "piii",  "pmuv3",	"ppc604",     "ppc604e",
	"ppc7400", "ppc7450",	"ppc750", "ppro",  "winchip_2", "winchip_c6", "c900",
	"p550",	   "sbi",	"u74",
};

/* Families of which the names that matter most are described: at least so many. */
static const struct {
	char id[16];
	unsigned int least;
} most[] = {
	{ "a64fx", 130 },	  { "cortex-a510", 114 },  { "cortex-a53", 34 },
	{ "cortex-a55", 80 },	  { "cortex-a72", 84 },	   { "cortex-a76", 107 },
	{ "cortex-x4", 244 },	  { "crestmont", 236 },	   { "goldencove", 340 },
	{ "goldmont", 113 },	  { "goldmontplus", 130 }, { "gracemont", 170 },
	{ "haswell", 208 },	  { "icelake", 310 },	   { "icelakex", 308 },
	{ "knightslanding", 97 }, { "lioncove", 281 },	   { "nehalem_ep", 330 },
	{ "nehalem_ex", 324 },	  { "neoverse-n1", 110 },  { "neoverse-n2", 155 },
	{ "neoverse-v1", 132 },	  { "neoverse-v2", 155 },  { "sapphirerapids", 373 },
	{ "silvermont", 94 },	  { "skylake", 325 },	   { "skylakex", 334 },
	{ "skymont", 256 },	  { "westmere_dp", 347 },  { "westmere_ex", 353 },
	{ "westmere_sp", 349 },	  { "zen1", 158 },	   { "zen2", 170 },
	{ "zen3", 203 },	  { "zen4", 314 },	   { "zen5", 331 },
};

static unsigned int least_of(const char *id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(most) && strcmp(id, most[i].id);)
		i++;
	return i < ARRAY_SIZE(most) ? most[i].least : 0;
}

static bool is_whole(const char *id)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(whole) && strcmp(id, whole[i]);)
		i++;
	return i < ARRAY_SIZE(whole);
}

/* A short one, that begins with no blank and ends with no dot, cut where there is less room. */
static void check_text(const struct perfctr_event_table *table, unsigned int n, size_t length)
{
	char text[PERFCTR_EVENT_TEXT], cut[8];
	size_t i;

	ck_assert_uint_lt(length, sizeof(text));
	ck_assert_uint_eq(perfctr_event_text(table, n, text, sizeof(text)), length);
	ck_assert_uint_eq(strlen(text), length);
	for (i = 0; i < length; i++)
		ck_assert_msg(text[i] >= ' ' && text[i] <= '~', "%s", text);
	ck_assert_msg(text[0] != ' ' && text[length - 1] != '.' && text[length - 1] != ' ', "%s",
		      text);
	ck_assert_uint_eq(perfctr_event_text(table, n, cut, sizeof(cut)), length);
	ck_assert_uint_eq(strlen(cut), length < 7 ? length : 7);
	ck_assert_int_eq(strncmp(cut, text, strlen(cut)), 0);
}

START_TEST(every_table)
{
	unsigned int t, n, names, described, all = 0, all_described = 0;
	const struct perfctr_event_table *table;
	struct perfctr_event_entry entry;
	const char *id;
	size_t length;
	bool required;

	for (t = 0; (id = perfctr_event_table_id(t)); t++) {
		table = perfctr_event_table(id);
		names = described = 0;
		for (n = 0; (n = perfctr_event_walk(table, n, &entry));) {
			length = perfctr_event_text(table, n, NULL, 0);
			required = is_whole(id) || entry.fixed;
			ck_assert_msg(length || !required, "%s: what does %s%s%s count?", id,
				      entry.event, entry.mask ? ":" : "",
				      entry.mask ? entry.mask : "");
			names++;
			described += length > 0;
			if (length)
				check_text(table, n, length);
		}
		ck_assert_msg(described >= least_of(id), "%s: only %u are described", id,
			      described);
		printf("%-20s %5u of %5u names are described\n", id, described, names);
		all += names;
		all_described += described;
	}
	printf("%-20s %5u of %5u\n", "all", all_described, all);
}
END_TEST

/* Of a name, of the same in another table, of a mask of any event. */
START_TEST(right_ones)
{
	static const struct {
		const char *id, *event, *mask, *text;
	} all[] = {
		{ "p5", "FLOPS", NULL, "floating-point operations" },
		{ "winchip_c6", "INTERNAL_CLOCKS", NULL, "core clocks" },
		{ "pii", "L2_LD", "M", "lines in Modified state" },
		{ "piii", "EMON_KNI_PREF_MISS", "T1", "PREFETCHT1" },
		{ "pentium_m", "L2_M_LINES_OUT", NULL, "modified lines evicted from the L2 cache" },
		{ "core2", "RESOURCE_STALLS", "ANY", "of any kind" },
		{ "core", "SIMD_INT_INSTRUCTIONS", "MUL", "packed multiplications" },
		{ "k7", "DATA_CACHE_REFILLS", "L2_OWNED", "in Owned state" },
		{ "k8_c", "SIZED_BLOCKS", "ALL", "all of them" },
		{ "fam10h", "L3_EVICTIONS", "SHARED", "in Shared state" },
		{ "p4", "execution_event", "BOGUS3", "thrown away, tag bit 3" },
		{ "ppc7450", "NOTHING", NULL, "nothing: the counter stands still" },
		{ "pmuv3", "CPU_CYCLES", NULL, "processor cycles" },
		{ "neoverse-n1", "L2D_CACHE_WB_VICTIM", NULL,
		  "victims written back from the L2 cache" },
		{ "skylake", "FP_ARITH_INST_RETIRED", "256B_PACKED_DOUBLE",
		  "256-bit vectors, double precision: 4 operations each" },
		{ "gracemont", "MEM_BOUND_STALLS", "LOAD_DRAM_HIT", "loads, memory or I/O" },
		{ "gracemont", "MEM_BOUND_STALLS", "LOAD_LLC_HIT",
		  "loads, last-level cache or another core" },
		{ "skylake", "L1D_PEND_MISS", "FB_FULL",
		  "requests that waited since all fill buffers were full" },
		{ "broadwell", "L1D_PEND_MISS", "FB_FULL",
		  "clocks in which a request waited since all fill buffers were full" },
		{ "zen4", "ANY_DATA_CACHE_FILLS_FROM_SYSTEM", "DRAM_IO_FAR",
		  "memory or I/O, afar" },
		{ "bonnell", "L2_RQSTS", "SELF.DEMAND.I_STATE", "on demand, missed" },
		{ "bonnell", "BUS_TRANS_RFO", NULL,
		  "reads on the bus that ask for ownership of the line" },
		{ "nehalem_ep", "UOPS_EXECUTED", "PORT015", "on ports 0, 1 and 5" },
		{ "sandybridge", "LSD", NULL, "loops that the loop stream detector delivers" },
		{ "knightslanding", "RECYCLEQ", "LOCK", "locked ones" },
		{ "fam15h", "UNIFIED_TLB_MISS", "1GB_DATA", "data, 1-GiB pages" },
		{ "fam16h", "PDC_MISS", "HOST_PDE_LEVEL", "host, page directory entries" },
		{ "mii", "RSB_OVERFLOWS", NULL, "calls that found the return stack full" },
		/* Nothing is said of these, among others of which something is. */
		{ "zen5", "BAD_STATUS_2", NULL, "" },
		{ "zen5", "LS_TO_L2_WBC_REQUESTS", NULL, "" },
		{ "skylake", "TX_MEM", "ABORT_CAPACITY", "" },
		{ "skylake", "MEMORY_DISAMBIGUATION", "HISTORY_RESET", "" },
	};
	const struct perfctr_event_table *table;
	struct perfctr_event_entry entry;
	char text[PERFCTR_EVENT_TEXT];
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		table = perfctr_event_table(all[i].id);
		for (n = 0; (n = perfctr_event_walk(table, n, &entry));)
			if (!strcmp(entry.event, all[i].event) && !entry.mask == !all[i].mask &&
			    (!entry.mask || !strcmp(entry.mask, all[i].mask)))
				break;
		ck_assert_msg(n > 0, "%s has no %s", all[i].id, all[i].event);
		perfctr_event_text(table, n, text, sizeof(text));
		ck_assert_str_eq(text, all[i].text);
	}
}
END_TEST

UNIT_MAIN("descriptions", 60, every_table, right_ones)
