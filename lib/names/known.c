// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names that every kernel knows, as include/uapi/linux/perf_event.h numbers them: hardware
 * events, software events and caches; and raw codes.
 */
#include <ctype.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/file.h"
#include "lib/base/letters.h"
#include "lib/base/word.h"
#include "lib/names/known.h"
#include "libperfctr.h"

/* Arrays and not pointers, which the loader would have to relocate. */
struct known {
	char name[24];
	char description[48]; /* empty: a second name */
	char id[24];	      /* after PERF_COUNT_HW_ or PERF_COUNT_SW_ */
	uint32_t type;
	uint32_t config;
};

/* clang-format off */
#define HW(name, id, text) { name, text, #id, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id }
#define SW(name, id, text) { name, text, #id, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id }
/* clang-format on */

/* A second name of an event is not listed. */
static const struct known known[] = {
	HW("cycles", CPU_CYCLES, "core clock cycles"),
	HW("cpu-cycles", CPU_CYCLES, ""),
	HW("instructions", INSTRUCTIONS, "instructions retired"),
	HW("cache-references", CACHE_REFERENCES, "accesses to the last-level cache"),
	HW("cache-misses", CACHE_MISSES, "misses in the last-level cache"),
	HW("branches", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HW("branch-instructions", BRANCH_INSTRUCTIONS, ""),
	HW("branch-misses", BRANCH_MISSES, "branches that were mispredicted"),
	HW("bus-cycles", BUS_CYCLES, "bus clock cycles"),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, "cycles with nothing to issue"),
	HW("idle-cycles-frontend", STALLED_CYCLES_FRONTEND, ""),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND, "cycles that waited for resources"),
	HW("idle-cycles-backend", STALLED_CYCLES_BACKEND, ""),
	HW("ref-cycles", REF_CPU_CYCLES, "cycles of the nominal clock while not halted"),
	SW("cpu-clock", CPU_CLOCK, "ns on the processor, by its clock"),
	SW("task-clock", TASK_CLOCK, "ns for which the task ran"),
	SW("page-faults", PAGE_FAULTS, "page faults"),
	SW("faults", PAGE_FAULTS, ""),
	SW("context-switches", CONTEXT_SWITCHES, "switches to another thread"),
	SW("cs", CONTEXT_SWITCHES, ""),
	SW("cpu-migrations", CPU_MIGRATIONS, "moves to another processor"),
	SW("migrations", CPU_MIGRATIONS, ""),
	SW("minor-faults", PAGE_FAULTS_MIN, "page faults served without input"),
	SW("major-faults", PAGE_FAULTS_MAJ, "page faults that had to wait for input"),
	SW("alignment-faults", ALIGNMENT_FAULTS, "unaligned accesses that the kernel fixed up"),
	SW("emulation-faults", EMULATION_FAULTS, "instructions that the kernel emulated"),
	SW("dummy", DUMMY, "nothing: a placeholder"),
	SW("bpf-output", BPF_OUTPUT, "outputs of BPF programs"),
	SW("cgroup-switches", CGROUP_SWITCHES, "switches to another cgroup's thread"),
};

#define LOAD	 1u /* 1 << PERF_COUNT_HW_CACHE_OP_* */
#define STORE	 2u
#define PREFETCH 4u

static const struct {
	char name[12];
	char constant[8]; /* after PERF_COUNT_HW_CACHE_ */
	char description[24];
	unsigned int id;
	unsigned int ops; /* that make sense */
} caches[] = {
	{ "L1-dcache", "L1D", "L1 data cache", PERF_COUNT_HW_CACHE_L1D, LOAD | STORE | PREFETCH },
	{ "L1-icache", "L1I", "L1 instruction cache", PERF_COUNT_HW_CACHE_L1I, LOAD | PREFETCH },
	{ "LLC", "LL", "last-level cache", PERF_COUNT_HW_CACHE_LL, LOAD | STORE | PREFETCH },
	{ "dTLB", "DTLB", "data TLB", PERF_COUNT_HW_CACHE_DTLB, LOAD | STORE | PREFETCH },
	{ "iTLB", "ITLB", "instruction TLB", PERF_COUNT_HW_CACHE_ITLB, LOAD },
	{ "branch", "BPU", "branch predictor", PERF_COUNT_HW_CACHE_BPU, LOAD },
	{ "node", "NODE", "node's own memory", PERF_COUNT_HW_CACHE_NODE, LOAD | STORE | PREFETCH },
};

/* The index is the operation, then the result: all accesses, misses. */
static const char cache_uses[3][2][16] = {
	{ "loads", "load-misses" },
	{ "stores", "store-misses" },
	{ "prefetches", "prefetch-misses" },
};

int perfctr_known_walk(uint32_t type, const char *kind, perfctr_each_name *each, void *arg)
{
	unsigned int i;
	int result = 0;

	for (i = 0; i < ARRAY_SIZE(known) && result == 0; i++) {
		struct perfctr_event_name name = { known[i].name, kind, known[i].description };

		if (known[i].type == type && known[i].description[0])
			result = each(arg, &name);
	}
	return result;
}

int perfctr_known_walk_caches(perfctr_each_name *each, void *arg)
{
	char text[PERFCTR_NAME_SIZE], description[64];
	struct perfctr_event_name name = { text, "cache", description };
	unsigned int c, op, use;
	int result = 0;

	for (c = 0; c < ARRAY_SIZE(caches); c++) {
		for (op = 0; op < 3; op++) {
			for (use = 0; use < 2 && caches[c].ops & 1u << op && result == 0; use++) {
				snprintf(text, sizeof(text), "%.12s-%.16s", caches[c].name,
					 cache_uses[op][use]);
				snprintf(description, sizeof(description), "%.16s %s the %.24s",
					 cache_uses[op][0], use ? "that missed in" : "of",
					 caches[c].description);
				result = each(arg, &name);
			}
		}
	}
	return result;
}

int perfctr_known_words(int (*each)(void *arg, const char *word), void *arg)
{
	unsigned int i;
	int result = 0;

	for (i = 0; i < ARRAY_SIZE(known) && result == 0; i++)
		result = each(arg, known[i].name);
	return result;
}

/* r and 1 to 16 hexadecimal digits. */
static bool parse_raw(const char *word, size_t length, struct perf_event_attr *attr)
{
	uint64_t code = 0;
	size_t i;

	if (length < 2 || length > 17 || perfctr_small(word[0]) != 'r')
		return false;
	for (i = 1; i < length; i++) {
		int c = perfctr_small(word[i]);

		if (!isxdigit(c))
			return false;
		code = code << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	attr->type = PERF_TYPE_RAW;
	attr->config = code;
	return true;
}

static bool parse_cache(const char *word, size_t length, struct perf_event_attr *attr)
{
	unsigned int c, op, use;

	for (c = 0; c < ARRAY_SIZE(caches); c++) {
		size_t n;

		if ((word[0] ^ caches[c].name[0]) & ~0x20)
			continue;
		n = strlen(caches[c].name);
		if (length <= n + 1 || word[n] != '-' ||
		    perfctr_letters_compare(word, caches[c].name, n))
			continue;
		for (op = 0; op < 3; op++) {
			for (use = 0; use < 2; use++) {
				if (!(caches[c].ops & 1u << op) ||
				    !perfctr_letters_same(cache_uses[op][use], word + n + 1,
							  length - n - 1))
					continue;
				attr->type = PERF_TYPE_HW_CACHE;
				attr->config = caches[c].id | op << 8 | use << 16;
				return true;
			}
		}
	}
	return false;
}

/*
 * ---- perf's other words for caches: TYPE-USE and TYPE-USE-USE. It also takes a type alone, of
 * which some, such as L1D, are events of processors ----
 */

struct alias {
	char name[17];
	uint8_t value;
};

static const struct alias cache_words[] = {
	{ "L1-dcache", PERF_COUNT_HW_CACHE_L1D }, { "l1-d", PERF_COUNT_HW_CACHE_L1D },
	{ "l1d", PERF_COUNT_HW_CACHE_L1D },	  { "L1-data", PERF_COUNT_HW_CACHE_L1D },
	{ "L1-icache", PERF_COUNT_HW_CACHE_L1I }, { "l1-i", PERF_COUNT_HW_CACHE_L1I },
	{ "l1i", PERF_COUNT_HW_CACHE_L1I },	  { "L1-instruction", PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", PERF_COUNT_HW_CACHE_LL },	  { "L2", PERF_COUNT_HW_CACHE_LL },
	{ "dTLB", PERF_COUNT_HW_CACHE_DTLB },	  { "d-tlb", PERF_COUNT_HW_CACHE_DTLB },
	{ "Data-TLB", PERF_COUNT_HW_CACHE_DTLB }, { "iTLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "i-tlb", PERF_COUNT_HW_CACHE_ITLB },	  { "Instruction-TLB", PERF_COUNT_HW_CACHE_ITLB },
	{ "branch", PERF_COUNT_HW_CACHE_BPU },	  { "branches", PERF_COUNT_HW_CACHE_BPU },
	{ "bpu", PERF_COUNT_HW_CACHE_BPU },	  { "btb", PERF_COUNT_HW_CACHE_BPU },
	{ "bpc", PERF_COUNT_HW_CACHE_BPU },	  { "node", PERF_COUNT_HW_CACHE_NODE },
};

/* An operation, or 3 and a result. */
static const struct alias use_words[] = {
	{ "load", 0 },
	{ "loads", 0 },
	{ "read", 0 },
	{ "store", 1 },
	{ "stores", 1 },
	{ "write", 1 },
	{ "prefetch", 2 },
	{ "prefetches", 2 },
	{ "speculative-read", 2 },
	{ "refs", 3 },
	{ "speculative-load", 2 },
	{ "Reference", 3 },
	{ "ops", 3 },
	{ "access", 3 },
	{ "misses", 4 },
	{ "miss", 4 },
};

/* The word that the text begins with and a dash or its end follows. NULL: there is none. */
static const struct alias *find_alias(const struct alias *words, unsigned int n, const char *text,
				      size_t length)
{
	for (; n--; words++) {
		size_t used = strlen(words->name);

		if (used <= length && !perfctr_letters_compare(text, words->name, used) &&
		    (used == length || text[used] == '-'))
			return words;
	}
	return NULL;
}

static __attribute__((noinline, cold)) bool parse_cache_words(const char *word, size_t length,
							      struct perf_event_attr *attr)
{
	const char *end = word + length;
	const struct alias *cache = find_alias(cache_words, ARRAY_SIZE(cache_words), word, length);
	const struct alias *use;
	int op = -1, result = -1, *place;

	if (!cache || strlen(cache->name) == length)
		return false;
	for (word += strlen(cache->name); word < end; word += strlen(use->name)) {
		word++;
		use = find_alias(use_words, ARRAY_SIZE(use_words), word, (size_t)(end - word));
		if (!use)
			return false;
		place = use->value < 3 ? &op : &result;
		if (*place >= 0)
			return false;
		*place = use->value < 3 ? use->value : use->value - 3;
	}
	op = op < 0 ? 0 : op;
	if (!(caches[cache->value].ops & 1u << op))
		return false;
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = cache->value | (unsigned int)op << 8 |
		       (result > 0 ? PERF_COUNT_HW_CACHE_RESULT_MISS << 16 : 0);
	return true;
}

/* The kernel's own constant, PERF_COUNT_HW_* or PERF_COUNT_SW_*, as libpfm4 has them. */
static bool parse_constant(const char *word, size_t length, struct perf_event_attr *attr)
{
	static const char kinds[2][16] = { "PERF_COUNT_HW_", "PERF_COUNT_SW_" };
	const size_t skipped = strlen(kinds[0]);
	unsigned int i;

	if (length <= skipped)
		return false;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (perfctr_letters_compare(word, kinds[known[i].type == PERF_TYPE_SOFTWARE],
					    skipped) == 0 &&
		    perfctr_letters_same(known[i].id, word + skipped, length - skipped)) {
			attr->type = known[i].type;
			attr->config = known[i].config;
			return true;
		}
	}
	return false;
}

/* The word is one of libpfm4's for an operation or a result, and nothing before contradicts it. */
static bool add_cache_use(const char *word, size_t length, unsigned int ops, int *op, int *result)
{
	static const char words[5][12] = { "READ", "WRITE", "PREFETCH", "ACCESS", "MISS" };
	int i;

	for (i = 0; i < 5 && !perfctr_letters_same(words[i], word, length); i++)
		;
	if (i < 3 && ops & 1u << i && *op < 0)
		*op = i;
	else if ((i == 3 || i == 4) && *result < 0)
		*result = i - 3;
	else
		return false;
	return true;
}

size_t perfctr_known_parse_cache(const char *text, size_t length, struct perf_event_attr *attr)
{
	static const char prefix[] = "PERF_COUNT_HW_CACHE_";
	const char *end = text + length, *word = text, *next;
	int op = -1, result = -1;
	unsigned int c;

	if (length < sizeof(prefix) || perfctr_letters_compare(text, prefix, sizeof(prefix) - 1))
		return 0;
	next = memchr(word, ':', length);
	next = next ? next : end;
	word += sizeof(prefix) - 1;
	for (c = 0; c < ARRAY_SIZE(caches); c++)
		if (perfctr_letters_same(caches[c].constant, word, (size_t)(next - word)))
			break;
	if (c == ARRAY_SIZE(caches))
		return 0;
	for (word = next; word < end; word = next) {
		next = memchr(word + 1, ':', (size_t)(end - word - 1));
		next = next ? next : end;
		if (!add_cache_use(word + 1, (size_t)(next - word - 1), caches[c].ops, &op,
				   &result))
			break;
	}
	attr->type = PERF_TYPE_HW_CACHE;
	attr->config = caches[c].id | (op > 0 ? (unsigned int)op << 8 : 0) |
		       (result ? PERF_COUNT_HW_CACHE_RESULT_MISS << 16 : 0);
	return (size_t)(word - text);
}

/* A name that every kernel knows, or a raw code. */
bool perfctr_known_parse(const char *word, size_t length, struct perf_event_attr *attr)
{
	uint16_t initials;
	unsigned int i;

	if (length < 2)
		return false;
	/* Most differ in the first two letters, which are small in the table. */
	memcpy(&initials, word, sizeof(initials));
	initials |= 0x2020;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (memcmp(known[i].name, &initials, sizeof(initials)) == 0 &&
		    perfctr_letters_same(known[i].name, word, length)) {
			attr->type = known[i].type;
			attr->config = known[i].config;
			return true;
		}
	}
	/* The words of a cache have dashes between them, unlike most events of processors. */
	if (memchr(word, '-', length) &&
	    (parse_cache(word, length, attr) || parse_cache_words(word, length, attr)))
		return true;
	return parse_raw(word, length, attr) || parse_constant(word, length, attr);
}
