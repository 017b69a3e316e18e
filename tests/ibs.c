// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perfctr_ibs_op_text() and perfctr_ibs_fetch_text() against the kernel's own names of the same
 * bits, which tests/ibs.sh finds in its headers: random registers, and for each field its words, or
 * not.
 */
#include <libperfctr.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MSR_AMD64_IBS_REG_COUNT_MAX 8
typedef uint32_t u32;
typedef uint64_t u64;
#include IBS_HEADER

static uint64_t state = 1;
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static char text[1024];
static unsigned int failures;

/* A thing of the text, between commas. */
static bool has(const char *thing)
{
	const char *at = text;
	size_t n = strlen(thing);

	while ((at = strstr(at, thing))) {
		if ((at == text || !strncmp(at - 2, ", ", 2)) && (!at[n] || at[n] == ','))
			return true;
		at++;
	}
	return false;
}

static void expect(bool wanted, const char *thing)
{
	if (has(thing) == wanted)
		return;
	printf("\"%s\" %s in: %s\n", thing, wanted ? "is not" : "is", text);
	failures++;
}

static void expect_number(bool wanted, const char *format, unsigned long long number)
	__attribute__((format(printf, 2, 0)));
static void expect_number(bool wanted, const char *format, unsigned long long number)
{
	char thing[64];

	snprintf(thing, sizeof(thing), format, number);
	if (wanted)
		expect(true, thing);
}

struct raw {
	uint32_t caps;
	uint64_t reg[8];
} __attribute__((packed));

static void try_op(void)
{
	struct raw raw = { .caps = (uint32_t)next() };
	union ibs_op_ctl control;
	union ibs_op_data data;
	union ibs_op_data2 source;
	union ibs_op_data3 access;
	unsigned int i, from;
	bool taken, load;

	for (i = 0; i < 8; i++)
		raw.reg[i] = next();
	memcpy(&control, &raw.reg[0], 8);
	memcpy(&data, &raw.reg[2], 8);
	memcpy(&source, &raw.reg[3], 8);
	memcpy(&access, &raw.reg[4], 8);
	perfctr_ibs_op_text(&raw, sizeof(raw), text, sizeof(text));
	if (!control.op_val) {
		expect(true, "nothing");
		return;
	}
	expect(data.op_rip_invalid, "at an unknown address");
	expect_number(!data.op_rip_invalid, "at 0x%llx", raw.reg[1]);
	taken = data.op_brn_ret && data.op_brn_taken;
	expect(taken && data.op_return, "return");
	expect(taken && !data.op_return, "branch taken");
	expect(data.op_brn_ret && !data.op_brn_taken, "branch not taken");
	expect_number(taken && raw.caps & 1 << 5, "to 0x%llx", raw.reg[7]);
	expect(data.op_brn_misp, "mispredicted");
	expect(data.op_brn_fuse, "fused");
	expect(data.op_microcode, "microcode");
	expect_number(true, "retired after %llu cycles", data.tag_to_ret_ctr);
	expect_number(true, "completed %llu cycles before", data.comp_to_ret_ctr);
	load = access.ld_op;
	expect(load && !access.sw_pf, "load");
	expect(load && access.sw_pf, "prefetch");
	expect(access.st_op, "store");
	if (!load && !access.st_op)
		return;
	expect(access.dc_miss, "L1 miss");
	expect(!access.dc_miss, "L1 hit");
	expect(access.l2_miss, "L2 miss");
	expect_number(access.dc_miss && load, "%llu cycles", access.dc_miss_lat);
	expect(!access.dc_l1tlb_miss, "TLB L1 hit");
	expect(access.dc_l1tlb_miss && !access.dc_l2tlb_miss, "TLB L2 hit");
	expect(access.dc_l1tlb_miss && access.dc_l2tlb_miss, "TLB L2 miss");
	expect_number(access.dc_l1tlb_miss, "TLB refilled in %llu cycles", access.tlb_refill_lat);
	expect(access.dc_mis_acc, "misaligned");
	expect(access.dc_wc_mem_acc, "write-combining");
	expect(access.dc_uc_mem_acc, "uncached");
	expect(access.dc_locked_op, "locked");
	expect_number(access.dc_lin_addr_valid, "data at 0x%llx", raw.reg[5]);
	expect_number(access.dc_phy_addr_valid, "physical 0x%llx", raw.reg[6]);
	from = raw.caps & 1 << 11 ? source.data_src_hi << 3 | source.data_src_lo
				  : source.data_src_lo;
	if (access.dc_miss && load && !source.rmt_node && !(raw.caps & 1 << 16)) {
		expect(from == 3, "from memory");
		expect(from == 7, "from I/O");
		expect(from == (raw.caps & 1 << 11 ? 1 : 2), "from local cache");
	} else if ((!access.dc_miss || !load) && strstr(text, "from ")) {
		printf("a source of what did not miss: %s\n", text);
		failures++;
	}
}

static void try_fetch(void)
{
	struct raw raw = { .caps = (uint32_t)next() };
	union ibs_fetch_ctl control;
	unsigned int i;
	bool zen4 = raw.caps & 1 << 11;

	for (i = 0; i < 8; i++)
		raw.reg[i] = next();
	memcpy(&control, &raw.reg[0], 8);
	perfctr_ibs_fetch_text(&raw, 4 + 4 * 8, text, sizeof(text));
	if (!control.fetch_val) {
		expect(true, "nothing");
		return;
	}
	expect_number(true, "at 0x%llx", raw.reg[1]);
	expect(!control.fetch_comp, "given up");
	expect_number(true, "%llu cycles", control.fetch_lat);
	expect(control.ic_miss, "L1 miss");
	expect(control.fetch_comp && control.fetch_l2_miss, "L2 miss");
	expect(zen4 && control.fetch_l3_miss, "L3 miss");
	expect(zen4 && control.fetch_oc_miss, "op cache miss");
	expect(control.l1tlb_miss && !control.l2tlb_miss, "TLB L1 miss");
	expect(control.l2tlb_miss, "TLB L2 miss");
	expect_number(control.l1tlb_miss && raw.caps & 1 << 9, "TLB refilled in %llu cycles",
		      raw.reg[3] & 0xFFFF);
	expect_number(control.phy_addr_valid, "physical 0x%llx", raw.reg[2]);
	expect(control.phy_addr_valid && control.l1tlb_pgsz == 0, "4 KiB page");
	expect(control.phy_addr_valid && control.l1tlb_pgsz == 1, "2 MiB page");
	expect(control.phy_addr_valid && control.l1tlb_pgsz == 2, "1 GiB page");
}

int main(void)
{
	unsigned int i;

	for (i = 0; i < 20000 && failures < 10; i++) {
		try_op();
		try_fetch();
	}
	printf("%u registers, %u failures\n", 2 * i, failures);
	return failures != 0;
}
