// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Describes the values of samples in words. Bits and values are those of <linux/perf_event.h> of
 * Linux 7.3, by their numbers: older headers lack some.
 */
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"

/* Tables of these need no relocation when the library is loaded, which pointers to text do. */
typedef char label[24];

struct words {
	char *text;
	size_t size, length; /* the room, and the length that the text would need */
};

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct words *words, const char *format, ...)
{
	bool fits = words->length < words->size;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(fits ? words->text + words->length : NULL,
		      fits ? words->size - words->length : 0, format, args);
	va_end(args);
	if (n > 0)
		words->length += (size_t)n;
}

static struct words begin(char *text, size_t size)
{
	if (size)
		*text = '\0';
	return (struct words){ text, size, 0 };
}

/* Separates two things. */
static void go_on(struct words *words)
{
	if (words->length)
		add(words, ", ");
}

/* The names of a word's bits, from the lowest one on: "L1 or L2". Whether there was one. */
static bool add_bits(struct words *words, uint64_t word, const label *names, size_t n)
{
	bool some = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!(word >> i & 1) || !*names[i])
			continue;
		add(words, "%s%s", some ? " or " : "", names[i]);
		some = true;
	}
	return some;
}

static bool has_bits(uint64_t word, const label *names, size_t n)
{
	struct words nowhere = begin(NULL, 0);

	return add_bits(&nowhere, word, names, n);
}

/* Adds the names as a thing of its own. */
static void add_thing(struct words *words, uint64_t word, const label *names, size_t n)
{
	if (!has_bits(word, names, n))
		return;
	go_on(words);
	add_bits(words, word, names, n);
}

static void add_unknown(struct words *words, uint64_t bits)
{
	if (!bits)
		return;
	go_on(words);
	add(words, "unknown bits 0x%llx", (unsigned long long)bits);
}

static size_t end(struct words *words)
{
	if (!words->length)
		add(words, "nothing");
	return words->length;
}

/* ---- where data came from ---- */

static unsigned int bits_of(uint64_t word, unsigned int first, unsigned int n)
{
	return (unsigned int)(word >> first & ((UINT64_C(1) << n) - 1));
}

static const label outcomes[] = { "", " hit", " miss" };

#define REMOTE_LEVELS (0xFu << 8) /* shifted to their place in the word */

/* A level by its number, or its bits, which are older, and say less. */
static void add_level(struct words *words, uint64_t src)
{
	static const label numbers[] = {
		[1] = "L1",
		[2] = "L2",
		[3] = "L3",
		[4] = "L4",
		[5] = "L2 miss buffer",
		[6] = "memory-side cache",
		[7] = "L0",
		[8] = "uncached memory",
		[9] = "CXL memory",
		[10] = "I/O",
		[11] = "cache",
		[12] = "line fill buffer",
		[13] = "memory",
		[14] = "persistent memory",
	};
	static const label levels[] = {
		[3] = "L1",
		[4] = "line fill buffer",
		[5] = "L2",
		[6] = "L3",
		[7] = "memory",
		[8] = "remote memory, 1 hop",
		[9] = "remote memory, 2 hops",
		[10] = "remote cache, 1 hop",
		[11] = "remote cache, 2 hops",
		[12] = "I/O",
		[13] = "uncached memory",
	};
	static const label hops[] = { "", " of another core", " of another node",
				      " of another socket", " of another board" };
	unsigned int level = bits_of(src, 5, 14), number = bits_of(src, 33, 4),
		     hop = bits_of(src, 43, 3);
	bool known = number && number != 15, remote = bits_of(src, 37, 1);

	if (!known && !remote && !hop && !has_bits(level, levels, ARRAY_SIZE(levels)) &&
	    !(level & 6))
		return;
	go_on(words);
	if (remote && (known || !(level & REMOTE_LEVELS)))
		add(words, "remote ");
	if (known)
		add(words, "%s", numbers[number]);
	else if (!add_bits(words, level, levels, ARRAY_SIZE(levels)))
		add(words, "memory access");
	add(words, "%s", hop < ARRAY_SIZE(hops) ? hops[hop] : " of an unknown hop");
	add_bits(words, level & 6, outcomes, ARRAY_SIZE(outcomes));
}

static void add_tlb(struct words *words, unsigned int tlb)
{
	static const label levels[] = {
		[3] = "L1", [4] = "L2", [5] = "walker", [6] = "fault handler"
	};

	if (!(tlb & ~1u))
		return;
	go_on(words);
	add(words, has_bits(tlb, levels, ARRAY_SIZE(levels)) ? "TLB " : "TLB");
	add_bits(words, tlb, levels, ARRAY_SIZE(levels));
	add_bits(words, tlb & 6, outcomes, ARRAY_SIZE(outcomes));
}

size_t perfctr_data_src_text(uint64_t data_src, char *text, size_t size)
{
	static const label operations[] = { "", "load", "store", "prefetch", "execution" };
	static const label snoops[] = { "", "no snoop", "snoop hit", "snoop miss",
					"snoop hit modified" };
	static const label more[] = { "forwarded", "from a peer" };
	static const label locked[] = { "", "locked" };
	static const label blocked[] = { "", "blocked by data", "blocked by an address" };
	static const label regions[] = {
		"",
		"region reserved",
		"local shared cache",
		"local unshared cache",
		"other I/O agent",
		"other shared cache",
		"other unshared cache",
		"MMIO",
	};
	struct words words = begin(text, size);
	unsigned int region = bits_of(data_src, 46, 5);

	add_thing(&words, bits_of(data_src, 0, 5), operations, ARRAY_SIZE(operations));
	add_level(&words, data_src);
	add_thing(&words, bits_of(data_src, 19, 5), snoops, ARRAY_SIZE(snoops));
	add_thing(&words, bits_of(data_src, 38, 2), more, ARRAY_SIZE(more));
	add_tlb(&words, bits_of(data_src, 26, 7));
	add_thing(&words, bits_of(data_src, 24, 2), locked, ARRAY_SIZE(locked));
	add_thing(&words, bits_of(data_src, 40, 3), blocked, ARRAY_SIZE(blocked));
	if (region && region < 16) {
		go_on(&words);
		if (region < 8)
			add(&words, "%s", regions[region]);
		else
			add(&words, "memory region %u", region - 8);
		region = 0;
	}
	add_unknown(&words, data_src & (UINT64_C(0x1FFF) << 51 | (uint64_t)region << 46));
	return end(&words);
}

/* ---- branches ---- */

/* Bits of a branch's flags as C lays them out: from the lowest one on, or from the highest. */
static unsigned int flags_of(uint64_t flags, unsigned int first, unsigned int n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return bits_of(flags, first, n);
#else
	return bits_of(flags, 64 - first - n, n);
#endif
}

static const char *kind_of(unsigned int type, unsigned int more)
{
	static const label types[] = {
		"",
		"conditional",
		"unconditional",
		"indirect",
		"call",
		"indirect call",
		"return",
		"system call",
		"system return",
		"conditional call",
		"conditional return",
		"exception return",
		"interrupt",
		"system error",
		"not in a transaction",
	};
	/* These follow for type 15. The last five depend on the architecture: these are Arm's. */
	static const label extended[] = {
		"alignment fault", "data fault", "instruction fault", "fast interrupt",
		"debug halt",	   "debug exit", "debug instruction", "debug data",
	};

	if (type < ARRAY_SIZE(types))
		return types[type];
	return more < ARRAY_SIZE(extended) ? extended[more] : "of an unknown type";
}

size_t perfctr_branch_text(const struct perf_branch_entry *branch, char *text, size_t size)
{
	static const label speculation[] = { "", "speculated wrongly", "not speculated",
					     "speculated rightly" };
	static const label privileges[] = { "", "user", "kernel", "hypervisor" };
	struct words words = begin(text, size);
	unsigned int type, privilege;
	const char *kind;
	uint64_t flags;

	if (!branch)
		return end(&words);
	memcpy(&flags, (const char *)branch + 16, sizeof(flags));
	add(&words, "0x%llx to 0x%llx", (unsigned long long)branch->from,
	    (unsigned long long)branch->to);
	type = flags_of(flags, 20, 4);
	kind = kind_of(type, flags_of(flags, 26, 4));
	if (*kind)
		add(&words, ", %s", kind);
	if (flags_of(flags, 0, 1))
		add(&words, ", mispredicted");
	if (flags_of(flags, 1, 1))
		add(&words, ", predicted");
	if (flags_of(flags, 2, 1))
		add(&words, ", in a transaction");
	if (flags_of(flags, 3, 1))
		add(&words, ", abort of a transaction");
	if (flags_of(flags, 4, 16))
		add(&words, ", %u cycles", flags_of(flags, 4, 16));
	if (flags_of(flags, 24, 2))
		add(&words, ", %s", speculation[flags_of(flags, 24, 2)]);
	privilege = flags_of(flags, 30, 3);
	if (privilege)
		add(&words, ", %s",
		    privilege < ARRAY_SIZE(privileges) ? privileges[privilege]
						       : "of unknown privilege");
	if (flags_of(flags, 33, 31))
		add_unknown(&words, flags_of(flags, 33, 31));
	return end(&words);
}

/* ---- transactions ---- */

size_t perfctr_transaction_text(uint64_t transaction, char *text, size_t size)
{
	static const label names[] = {
		"elision",
		"transaction",
		"this instruction",
		"another instruction",
		"can be tried again",
		"conflict",
		"too much written",
		"too much read",
	};
	struct words words = begin(text, size);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		add_thing(&words, transaction >> i & 1, &names[i], 1);
	if (transaction >> 32) {
		go_on(&words);
		add(&words, "abort code 0x%llx", (unsigned long long)(transaction >> 32));
	}
	add_unknown(&words, transaction & UINT64_C(0xFFFFFF00));
	return end(&words);
}

/* ---- AMD's instruction-based sampling ---- */

/*
 * The raw part of a sample of ibs_op or ibs_fetch: IBS's CPUID word (8000_001B EAX), then the
 * registers in their order; some after the first exist only if that word says so. Bits are those of
 * AMD's PPR 55898, MSRC001_1030 to _103D.
 */
enum {
	IBS_BRANCH_TARGET = 1 << 5,
	IBS_CONTROL_EXTENDED = 1 << 9,
	IBS_ZEN4 = 1 << 11,
	IBS_REMOTE_SOCKET = 1 << 16
};

struct ibs {
	uint32_t capabilities;
	uint64_t reg[8];
};

/* false: the raw part is too short for this many registers. */
static bool take_ibs(struct ibs *ibs, const void *raw, uint64_t size, unsigned int nregs)
{
	memset(ibs, 0, sizeof(*ibs));
	if (!raw || size < 4 + 8 * (uint64_t)nregs)
		return false;
	if (size > 4 + sizeof(ibs->reg))
		size = 4 + sizeof(ibs->reg);
	memcpy(&ibs->capabilities, raw, 4);
	memcpy(ibs->reg, (const char *)raw + 4, (size_t)size - 4);
	return true;
}

static void add_if(struct words *words, uint64_t is, const char *thing)
{
	if (!(is & 1))
		return;
	go_on(words);
	add(words, "%s", thing);
}

static void add_number(struct words *words, const char *format, unsigned int number)
	__attribute__((format(printf, 2, 0)));
static void add_number(struct words *words, const char *format, unsigned int number)
{
	go_on(words);
	add(words, format, number);
}

static void add_address(struct words *words, uint64_t is, const char *what, uint64_t address)
{
	if (!(is & 1))
		return;
	go_on(words);
	add(words, "%s 0x%llx", what, (unsigned long long)address);
}

/* Adds the op's branch outcome, and its waiting time. */
static void add_ibs_op(struct words *words, const struct ibs *ibs)
{
	uint64_t data = ibs->reg[2];
	bool branch = data >> 37 & 1, taken = data >> 35 & 1;

	add_address(words, ~data >> 38, "at", ibs->reg[1]);
	add_if(words, data >> 38, "at an unknown address");
	add_if(words, branch && taken, data >> 34 & 1 ? "return" : "branch taken");
	add_if(words, branch && !taken, "branch not taken");
	if (ibs->capabilities & IBS_BRANCH_TARGET)
		add_address(words, branch && taken, "to", ibs->reg[7]);
	add_if(words, data >> 36, "mispredicted");
	add_if(words, data >> 39, "fused");
	add_if(words, data >> 40, "microcode");
	add_number(words, "retired after %u cycles", bits_of(data, 16, 16));
	add_number(words, "completed %u cycles before", bits_of(data, 0, 16));
}

/* Where a load that missed found its data. */
static void add_ibs_source(struct words *words, const struct ibs *ibs)
{
	static const label sources[] = {
		[2] = "local cache", [3] = "memory", [4] = "remote cache", [7] = "I/O"
	};
	static const label zen4[] = {
		[1] = "local cache",	  [2] = "near cache",	       [3] = "memory",
		[5] = "far cache",	  [6] = "long-latency memory", [7] = "I/O",
		[8] = "extension memory", [12] = "memory of a peer",
	};
	bool extended = ibs->capabilities & IBS_ZEN4;
	unsigned int source = bits_of(ibs->reg[3], 0, 3);
	const char *name;

	if (extended)
		source |= bits_of(ibs->reg[3], 6, 2) << 3;
	if (!source)
		return;
	name = !extended ? sources[source] : source < ARRAY_SIZE(zen4) ? zen4[source] : "";
	go_on(words);
	if (*name)
		add(words, "from %s", name);
	else
		add(words, "from source %u", source);
	if (ibs->capabilities & IBS_REMOTE_SOCKET && ibs->reg[3] >> 9 & 1)
		add(words, " of another socket");
	else if (ibs->reg[3] >> 4 & 1)
		add(words, " of another node");
}

static void add_ibs_access(struct words *words, const struct ibs *ibs)
{
	uint64_t data = ibs->reg[4];
	bool load = data & 1, store = data >> 1 & 1, missed = data >> 7 & 1;
	unsigned int width = bits_of(data, 22, 4);

	add_if(words, load && !(data >> 21 & 1), "load");
	add_if(words, load && data >> 21 & 1, "prefetch");
	add_if(words, store, "store");
	if (width && width < 8)
		add_number(words, "%u bytes", 1u << (width - 1));
	add_if(words, !missed, "L1 hit");
	add_if(words, missed, "L1 miss");
	add_if(words, data >> 20, "L2 miss");
	if (missed && load) {
		add_number(words, "%u cycles", bits_of(data, 32, 16));
		add_ibs_source(words, ibs);
	}
	add_if(words, !(data >> 2 & 1), "TLB L1 hit");
	add_if(words, data >> 2 & ~data >> 3, "TLB L2 hit");
	add_if(words, data >> 2 & data >> 3, "TLB L2 miss");
	if (data >> 2 & 1)
		add_number(words, "TLB refilled in %u cycles", bits_of(data, 48, 16));
	add_if(words, data >> 8, "misaligned");
	add_if(words, data >> 13, "write-combining");
	add_if(words, data >> 14, "uncached");
	add_if(words, data >> 15, "locked");
	add_address(words, data >> 17, "data at", ibs->reg[5]);
	add_address(words, data >> 18, "physical", ibs->reg[6]);
}

size_t perfctr_ibs_op_text(const void *raw, uint64_t raw_size, char *text, size_t size)
{
	struct words words = begin(text, size);
	struct ibs ibs;

	if (take_ibs(&ibs, raw, raw_size, 7) && ibs.reg[0] >> 18 & 1) {
		add_ibs_op(&words, &ibs);
		if (ibs.reg[4] & 3)
			add_ibs_access(&words, &ibs);
	}
	return end(&words);
}

size_t perfctr_ibs_fetch_text(const void *raw, uint64_t raw_size, char *text, size_t size)
{
	static const label pages[] = { "4 KiB page", "2 MiB page", "1 GiB page" };
	struct words words = begin(text, size);
	unsigned int page;
	struct ibs ibs;
	uint64_t control;
	bool done;

	if (!take_ibs(&ibs, raw, raw_size, 3) || !(ibs.reg[0] >> 49 & 1))
		return end(&words);
	control = ibs.reg[0];
	done = control >> 50 & 1;
	add_address(&words, 1, "at", ibs.reg[1]);
	add_if(&words, !done, "given up");
	add_number(&words, "%u cycles", bits_of(control, 32, 16));
	add_if(&words, control >> 51, "L1 miss");
	add_if(&words, done && control >> 58 & 1, "L2 miss");
	add_if(&words, control >> 61 & (ibs.capabilities & IBS_ZEN4 ? 1 : 0), "L3 miss");
	add_if(&words, control >> 60 & (ibs.capabilities & IBS_ZEN4 ? 1 : 0), "op cache miss");
	add_if(&words, control >> 55 & ~control >> 56, "TLB L1 miss");
	add_if(&words, control >> 56, "TLB L2 miss");
	if (ibs.capabilities & IBS_CONTROL_EXTENDED && control >> 55 & 1)
		add_number(&words, "TLB refilled in %u cycles", bits_of(ibs.reg[3], 0, 16));
	page = bits_of(control, 53, 2);
	if (control >> 52 & 1) {
		add_address(&words, 1, "physical", ibs.reg[2]);
		if (page < ARRAY_SIZE(pages))
			add_if(&words, 1, pages[page]);
	}
	return end(&words);
}
