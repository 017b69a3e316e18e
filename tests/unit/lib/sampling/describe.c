// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests the descriptions of samples in words. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

#define S(field, value) ((uint64_t)PERF_MEM_##field##_##value << PERF_MEM_##field##_SHIFT)

static const struct {
	uint64_t src;
	const char *text;
} sources[] = {
	{ 0, "nothing" },
	{ S(OP, NA) | S(LVL, NA) | S(SNOOP, NA) | S(LOCK, NA) | S(TLB, NA), "nothing" },
	/* What a Skylake says of a load from L1. */
	{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, L1) | S(LVLNUM, L1) | S(SNOOP, NONE) | S(TLB, HIT) |
		  S(TLB, L1) | S(TLB, L2),
	  "load, L1 hit, no snoop, TLB L1 or L2 hit" },
	{ S(OP, STORE) | S(LVL, MISS) | S(LVL, L1) | S(LOCK, LOCKED) | S(TLB, MISS) | S(TLB, WK),
	  "store, L1 miss, TLB walker miss, locked" },
	{ S(OP, LOAD) | S(LVL, HIT) | S(LVL, REM_CCE1) | S(SNOOP, HITM),
	  "load, remote cache, 1 hop hit, snoop hit modified" },
	{ S(OP, LOAD) | S(LVL, HIT) | S(LVLNUM, RAM) | S(REMOTE, REMOTE) | S(HOPS, 2),
	  "load, remote memory of another socket hit" },
	{ S(LVLNUM, L3) | S(HOPS, 0), "L3 of another core" },
	{ S(LVLNUM, L3) | UINT64_C(7) << 43, "L3 of an unknown hop" },
	{ S(LVLNUM, NA) | S(LVL, LFB) | S(LVL, L2) | S(LVL, HIT), "line fill buffer or L2 hit" },
	{ S(LVL, MISS), "memory access miss" },
	{ S(REMOTE, REMOTE), "remote memory access" },
	{ S(REMOTE, REMOTE) | S(LVL, LFB) | S(LVL, HIT), "remote line fill buffer hit" },
	{ S(REMOTE, REMOTE) | S(LVL, REM_RAM1) | S(LVL, HIT), "remote memory, 1 hop hit" },
	{ S(REMOTE, REMOTE) | S(LVL, REM_CCE2) | S(LVL, HIT), "remote cache, 2 hops hit" },
	{ S(REMOTE, REMOTE) | S(LVL, IO) | S(LVL, HIT), "remote I/O hit" },
	{ S(HOPS, 1), "memory access of another node" },
	{ S(HOPS, 1) | S(LVL, L2) | S(LVL, MISS), "L2 of another node miss" },
	{ S(LVL, LOC_RAM) | S(LVL, REM_RAM1) | S(LVL, REM_RAM2) | S(LVL, REM_CCE2),
	  "memory or remote memory, 1 hop or remote memory, 2 hops or remote cache, 2 hops" },
	{ S(LVL, L3) | S(LVL, IO) | S(LVL, UNC), "L3 or I/O or uncached memory" },
	{ S(OP, PFETCH), "prefetch" },
	{ S(OP, EXEC), "execution" },
	{ S(OP, LOAD) | S(OP, STORE), "load or store" },
	{ S(LVLNUM, L2), "L2" },
	{ S(LVLNUM, L4), "L4" },
	{ UINT64_C(5) << 33, "L2 miss buffer" },
	{ UINT64_C(6) << 33, "memory-side cache" },
	{ UINT64_C(7) << 33, "L0" },
	{ UINT64_C(8) << 33, "uncached memory" },
	{ UINT64_C(9) << 33, "CXL memory" },
	{ S(LVLNUM, IO), "I/O" },
	{ S(LVLNUM, ANY_CACHE), "cache" },
	{ S(LVLNUM, LFB), "line fill buffer" },
	{ S(LVLNUM, PMEM) | S(HOPS, 1), "persistent memory of another node" },
	{ S(LVLNUM, PMEM) | S(HOPS, 3), "persistent memory of another board" },
	{ S(SNOOP, HIT) | S(SNOOPX, FWD), "snoop hit, forwarded" },
	{ S(SNOOP, MISS) | S(SNOOPX, PEER), "snoop miss, from a peer" },
	{ S(TLB, HIT), "TLB hit" },
	{ S(TLB, OS), "TLB fault handler" },
	{ S(BLK, DATA) | S(BLK, ADDR), "blocked by data or blocked by an address" },
	{ UINT64_C(1) << 46, "region reserved" },
	{ UINT64_C(2) << 46, "local shared cache" },
	{ UINT64_C(3) << 46, "local unshared cache" },
	{ UINT64_C(4) << 46, "other I/O agent" },
	{ UINT64_C(5) << 46, "other shared cache" },
	{ UINT64_C(6) << 46, "other unshared cache" },
	{ UINT64_C(7) << 46, "MMIO" },
	{ UINT64_C(8) << 46, "memory region 0" },
	{ UINT64_C(15) << 46, "memory region 7" },
	{ UINT64_C(16) << 46, "unknown bits 0x4000000000000" },
	{ S(OP, LOAD) | UINT64_C(1) << 63, "load, unknown bits 0x8000000000000000" },
};

START_TEST(data_sources)
{
	char text[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		memset(text, '?', sizeof(text));
		ck_assert_uint_eq(perfctr_data_src_text(sources[i].src, text, sizeof(text)),
				  strlen(sources[i].text));
		ck_assert_str_eq(text, sources[i].text);
	}
}
END_TEST

/* As snprintf(3): nothing is written beyond the room. */
START_TEST(little_room)
{
	const char *whole = sources[2].text;
	size_t length = strlen(whole), size;
	char text[64];

	ck_assert_uint_eq(perfctr_data_src_text(sources[2].src, NULL, 0), length);
	for (size = 1; size <= length + 2; size++) {
		memset(text, '?', sizeof(text));
		ck_assert_uint_eq(perfctr_data_src_text(sources[2].src, text, size), length);
		ck_assert_uint_eq(strlen(text), size > length ? length : size - 1);
		ck_assert(!strncmp(text, whole, size - 1));
		ck_assert_int_eq(text[size > length ? length + 1 : size], '?');
	}
	memset(text, '?', sizeof(text));
	ck_assert_uint_eq(perfctr_transaction_text(0, text, 3), 7);
	ck_assert_str_eq(text, "no");
}
END_TEST

/* Every value of every field has words, and none reads outside of its tables. */
START_TEST(any_value)
{
	struct perf_branch_entry branch;
	uint64_t word = 1;
	unsigned int i;
	char text[1024];

	for (i = 0; i < 20000; i++) {
		word ^= word << 13;
		word ^= word >> 7;
		word ^= word << 17;
		ck_assert_uint_lt(perfctr_data_src_text(word, text, sizeof(text)), sizeof(text));
		ck_assert_uint_lt(perfctr_transaction_text(word, text, sizeof(text)), sizeof(text));
		memset(&branch, 0, sizeof(branch));
		memcpy((char *)&branch + 16, &word, sizeof(word));
		ck_assert_uint_lt(perfctr_branch_text(&branch, text, sizeof(text)), sizeof(text));
		ck_assert_ptr_null(strstr(text, "(null)"));
	}
}
END_TEST

static void is_branch(struct perf_branch_entry branch, const char *words)
{
	char text[256], expected[256];

	branch.from = 0x401000;
	branch.to = 0xFFFFFFFF81000000;
	snprintf(expected, sizeof(expected), "0x401000 to 0xffffffff81000000%s", words);
	ck_assert_uint_eq(perfctr_branch_text(&branch, text, sizeof(text)), strlen(expected));
	ck_assert_str_eq(text, expected);
}

START_TEST(branches)
{
	static const char *const types[] = {
		"",
		", conditional",
		", unconditional",
		", indirect",
		", call",
		", indirect call",
		", return",
		", system call",
		", system return",
		", conditional call",
		", conditional return",
		", exception return",
		", interrupt",
		", system error",
		", not in a transaction",
		", alignment fault",
	};
	unsigned int i;
	char text[32];

	is_branch((struct perf_branch_entry){ 0 }, "");
	is_branch((struct perf_branch_entry){ .mispred = 1, .cycles = 65535 },
		  ", mispredicted, 65535 cycles");
	is_branch((struct perf_branch_entry){ .predicted = 1 }, ", predicted");
	is_branch((struct perf_branch_entry){ .in_tx = 1 }, ", in a transaction");
	is_branch((struct perf_branch_entry){ .abort = 1 }, ", abort of a transaction");
	is_branch((struct perf_branch_entry){ .predicted = 1, .in_tx = 1, .abort = 1 },
		  ", predicted, in a transaction, abort of a transaction");
	for (i = 0; i < ARRAY_SIZE(types); i++)
		is_branch((struct perf_branch_entry){ .type = i & 15 }, types[i]);
	is_branch((struct perf_branch_entry){ .type = 15, .new_type = 7 }, ", debug data");
	is_branch((struct perf_branch_entry){ .type = 15, .new_type = 8 }, ", of an unknown type");
	is_branch((struct perf_branch_entry){ .spec = 1, .priv = 1 }, ", speculated wrongly, user");
	is_branch((struct perf_branch_entry){ .spec = 2, .priv = 2 }, ", not speculated, kernel");
	is_branch((struct perf_branch_entry){ .spec = 3, .priv = 3 },
		  ", speculated rightly, hypervisor");
	is_branch((struct perf_branch_entry){ .priv = 5 }, ", of unknown privilege");
	is_branch((struct perf_branch_entry){ .reserved = 2 }, ", unknown bits 0x2");
	perfctr_branch_text(NULL, text, sizeof(text));
	ck_assert_str_eq(text, "nothing");
}
END_TEST

START_TEST(transactions)
{
	static const struct {
		uint64_t transaction;
		const char *text;
	} all[] = {
		{ 0, "nothing" },
		{ PERF_TXN_ELISION | PERF_TXN_SYNC | PERF_TXN_CONFLICT,
		  "elision, this instruction, conflict" },
		{ PERF_TXN_TRANSACTION | PERF_TXN_ASYNC | PERF_TXN_RETRY,
		  "transaction, another instruction, can be tried again" },
		{ PERF_TXN_CAPACITY_WRITE | PERF_TXN_CAPACITY_READ |
			  UINT64_C(0xAB) << PERF_TXN_ABORT_SHIFT,
		  "too much written, too much read, abort code 0xab" },
		{ 0x300, "unknown bits 0x300" },
		{ 0x80000000, "unknown bits 0x80000000" },
		{ UINT64_C(1) << 32, "abort code 0x1" },
	};
	char text[128];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		perfctr_transaction_text(all[i].transaction, text, sizeof(text));
		ck_assert_str_eq(text, all[i].text);
	}
}
END_TEST

/* As the kernel writes it, word by word after half a word. tests/ibs.sh has each bit. */
static uint64_t ibs(unsigned int n, const uint64_t *regs, uint32_t capabilities, char *raw)
{
	memcpy(raw, &capabilities, 4);
	memcpy(raw + 4, regs, 8 * (size_t)n);
	return 4 + 8 * (uint64_t)n;
}

START_TEST(instruction_based)
{
	const uint64_t op[8] = { 1 << 18,
				 0x401000,
				 UINT64_C(1) << 37 | UINT64_C(1) << 35 | 20 << 16 | 3,
				 3 | 1 << 4,
				 UINT64_C(210) << 32 | 4 << 22 | 1 << 20 | 1 << 17 | 1 << 7 | 1,
				 0x7000,
				 0,
				 0x402000 };
	const uint64_t fetch[4] = { UINT64_C(7) << 48 | UINT64_C(33) << 32 | UINT64_C(1) << 55,
				    0x401000, 0, 12 };
	char raw[4 + 12 * 8] = { 0 }, text[512];
	uint64_t size = ibs(8, op, 1 << 5, raw), i;
	uint64_t regs[12] = { 0 };

	perfctr_ibs_op_text(raw, size, text, sizeof(text));
	ck_assert_str_eq(
		text,
		"at 0x401000, branch taken, to 0x402000, retired after 20 cycles, "
		"completed 3 cycles before, load, 8 bytes, L1 miss, L2 miss, 210 cycles, from "
		"memory of another node, TLB L1 hit, data at 0x7000");
	/* Registers that are not there are not read; more than are known are left alone. */
	for (i = 0; i < 4 + 7 * 8; i++) {
		perfctr_ibs_op_text(raw, i, text, sizeof(text));
		ck_assert_str_eq(text, "nothing");
	}
	perfctr_ibs_op_text(raw, i, text, sizeof(text));
	ck_assert(strstr(text, "to 0x0, "));
	regs[0] = 1 << 18;
	perfctr_ibs_op_text(raw, ibs(12, regs, UINT32_MAX, raw), text, sizeof(text));
	ck_assert_str_eq(text, "at 0x0, retired after 0 cycles, completed 0 cycles before");
	perfctr_ibs_op_text(NULL, 1000, text, sizeof(text));
	ck_assert_str_eq(text, "nothing");

	size = ibs(4, fetch, 1 << 9, raw);
	perfctr_ibs_fetch_text(raw, size, text, sizeof(text));
	ck_assert_str_eq(text, "at 0x401000, 33 cycles, TLB L1 miss, TLB refilled in 12 cycles");
	perfctr_ibs_fetch_text(raw, 4 + 3 * 8 - 1, text, sizeof(text));
	ck_assert_str_eq(text, "nothing");
	perfctr_ibs_fetch_text(raw, ibs(4, regs, 0, raw), text, sizeof(text));
	ck_assert_str_eq(text, "nothing");
}
END_TEST

/* Each bit, on top of a load that missed, or of a fetch: its words come with it, and with no other.
 */
struct bit {
	unsigned int reg, bit;
	const char *words; /* with it, and not without */
};

static const struct bit op_bits[] = {
	{ 2, 36, ", mispredicted," },
	{ 2, 39, ", fused," },
	{ 2, 40, ", microcode," },
	{ 2, 31, "retired after 32768 cycles" },
	{ 2, 16, "retired after 1 cycles" },
	{ 2, 15, "completed 32768 cycles before" },
	{ 2, 37, ", branch not taken," },
	{ 2, 38, "at an unknown address" },
	{ 4, 1, ", load, store," },
	{ 4, 2, ", TLB L2 hit, TLB refilled in 0 cycles" },
	{ 4, 8, ", misaligned" },
	{ 4, 13, ", write-combining" },
	{ 4, 14, ", uncached" },
	{ 4, 15, ", locked" },
	{ 4, 17, ", data at 0x0" },
	{ 4, 18, ", physical 0x0" },
	{ 4, 20, ", L2 miss" },
	{ 4, 21, ", prefetch" },
	{ 4, 22, ", 1 bytes" },
	{ 4, 24, ", 8 bytes" },
	{ 4, 47, ", 32768 cycles" },
	{ 3, 1, ", from local cache" },
	{ 3, 2, ", from remote cache" },
	{ 3, 0, ", from source 1" },
};

static const struct bit zen4_bits[] = {
	{ 3, 0, ", from local cache" }, { 3, 1, ", from near cache" },
	{ 3, 2, ", from source 4" },	{ 3, 6, ", from extension memory" },
	{ 3, 7, ", from source 16" },
};

static const struct bit fetch_bits[] = {
	{ 0, 47, ", 32768 cycles" },
	{ 0, 51, ", L1 miss" },
	{ 0, 52, ", physical 0x0, 4 KiB page" },
	{ 0, 55, ", TLB L1 miss" },
	{ 0, 56, ", TLB L2 miss" },
	{ 0, 58, ", L2 miss" },
	{ 0, 60, ", op cache miss" },
	{ 0, 61, ", L3 miss" },
};

static const char *one_bit(bool fetch, uint32_t capabilities, unsigned int reg, unsigned int bit)
{
	uint64_t regs[8] = { UINT64_C(3) << 49 | 1 << 18, 0x401000, 0, 0, 1 << 7 | 1 };
	static char text[512];
	char raw[4 + 8 * 8];

	regs[reg] ^= UINT64_C(1) << bit;
	if (fetch)
		perfctr_ibs_fetch_text(raw, ibs(8, regs, capabilities, raw), text, sizeof(text));
	else
		perfctr_ibs_op_text(raw, ibs(8, regs, capabilities, raw), text, sizeof(text));
	return text;
}

static void is_each(const struct bit *bits, size_t n, bool fetch, uint32_t capabilities)
{
	const char *text;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			text = one_bit(fetch, capabilities, bits[k].reg, bits[k].bit);
			ck_assert_msg(!strstr(text, bits[i].words) == (i != k), "%s: %s",
				      bits[i].words, text);
		}
}

START_TEST(each_bit)
{
	is_each(op_bits, ARRAY_SIZE(op_bits), false, 0);
	is_each(zen4_bits, ARRAY_SIZE(zen4_bits), false, 1 << 11);
	is_each(fetch_bits, ARRAY_SIZE(fetch_bits), true, 1 << 11);
	/* What these say needs a younger processor. */
	ck_assert_ptr_null(strstr(one_bit(true, 0, 0, 60), "op cache"));
	ck_assert_ptr_null(strstr(one_bit(true, 0, 0, 61), "L3"));
	/* TLBs: a miss of the second one without the first's says nothing. */
	ck_assert(strstr(one_bit(false, 0, 4, 3), "TLB L1 hit"));
	ck_assert_ptr_null(strstr(one_bit(false, 0, 4, 2), "TLB L1 hit"));
	/* A width that is none. */
	ck_assert_ptr_null(strstr(one_bit(false, 0, 4, 25), "bytes"));
}
END_TEST

/* From 1 to 64 bytes; others are none. */
START_TEST(widths)
{
	uint64_t regs[8] = { 1 << 18, 0x401000, 0, 0, 0 };
	char raw[4 + 8 * 8], text[512], words[32];
	unsigned int width;

	for (width = 0; width < 16; width++) {
		regs[4] = (uint64_t)width << 22 | 1;
		perfctr_ibs_op_text(raw, ibs(8, regs, 0, raw), text, sizeof(text));
		snprintf(words, sizeof(words), ", %u bytes,", 1u << (width + 7) % 8);
		ck_assert_msg(!strstr(text, width && width < 8 ? words : " bytes") ==
				      !(width && width < 8),
			      "%u: %s", width, text);
	}
}
END_TEST

START_TEST(other_sockets)
{
	uint64_t regs[8] = { 1 << 18, 0x401000, 0, 3 | 1 << 9, 1 << 7 | 1 };
	char raw[4 + 8 * 8], text[512];

	perfctr_ibs_op_text(raw, ibs(8, regs, 1 << 16, raw), text, sizeof(text));
	ck_assert(strstr(text, ", from memory of another socket, "));
	perfctr_ibs_op_text(raw, ibs(8, regs, 0, raw), text, sizeof(text));
	ck_assert(strstr(text, ", from memory, "));
	regs[4] |= UINT64_C(0xFFFF) << 48 | 3 << 2;
	perfctr_ibs_op_text(raw, ibs(8, regs, 0, raw), text, sizeof(text));
	ck_assert(strstr(text, ", TLB L2 miss, TLB refilled in 65535 cycles"));
}
END_TEST

UNIT_MAIN("sample_text", 60, data_sources, little_room, any_value, branches, transactions,
	  instruction_based, each_bit, widths, other_sockets)
