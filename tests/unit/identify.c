// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Identification of processors, on any host.
 *
 * tests/data/cpuid has a file for each core type. Its first line is a comment.
 * "expect KEY=VALUE..." says what must be found; every key of keys[] is there once.
 * "cpuid LEAF SUBLEAF EAX EBX ECX EDX" are the words, in hexadecimal; leaves that are not there are
 * zero.
 */
#include <dirent.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/word.h"
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "libperfctr.h"
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif
#include "arch/cpu.h"
#include "tests/harness/random.h"
#include "tests/harness/check.h"
#include "arch/isa.h"

#define LINE	    160
#define RANDOM_SETS 1000000

/* ---- the corpus ---- */

enum key {
	ID,
	TYPE,
	RULES,
	COUNTERS,
	FIXED,
	WIDTH,
	ARCH_VERSION,
	OFFCORE,
	EXT_CORE,
	NORTHBRIDGE,
	HT,
	NO_TSC,
	NO_RDPMC,
	PCINT,
	KEYS
};

static const char *const keys[KEYS] = { "id",	 "type",    "rules",	"counters", "fixed",
					"width", "version", "offcore",	"ext_core", "northbridge",
					"ht",	 "no_tsc",  "no_rdpmc", "pcint" };

static const char *const rules_names[] = {
	[PERFCTR_RULES_NONE] = "NONE", [PERFCTR_RULES_P5] = "P5",
	[PERFCTR_RULES_MII] = "MII",   [PERFCTR_RULES_WINCHIP] = "WINCHIP",
	[PERFCTR_RULES_P6] = "P6",     [PERFCTR_RULES_C3] = "C3",
	[PERFCTR_RULES_K7] = "K7",     [PERFCTR_RULES_P4] = "P4",
	[PERFCTR_RULES_ARCH] = "ARCH"
};

struct entry {
	char name[64];
	char id[24];
	unsigned int expected[KEYS]; /* but for the id */
	struct perfctr_cpuid cpuid;
};

static struct entry *corpus;
static unsigned int entries;

/* Leaves that a file may have, and where the words go. */
static int put_words(struct perfctr_cpuid *id, uint32_t leaf, uint32_t subleaf,
		     const uint32_t *word)
{
	unsigned int i;

	switch (leaf) {
	case 0:
		id->max_leaf = word[0];
		for (i = 0; i < 4; i++) {
			id->vendor[i] = (char)(word[1] >> 8 * i);
			id->vendor[4 + i] = (char)(word[3] >> 8 * i);
			id->vendor[8 + i] = (char)(word[2] >> 8 * i);
		}
		return subleaf ? -1 : 0;
	case 1:
		id->signature = word[0];
		id->leaf1_ebx = word[1];
		id->leaf1_ecx = word[2];
		id->leaf1_edx = word[3];
		return subleaf ? -1 : 1;
	case 7:
		if (subleaf == 1) {
			id->leaf7_1_eax = word[0];
			return 2;
		}
		id->leaf7_ebx = word[1];
		id->leaf7_edx = word[3];
		return subleaf ? -1 : 3;
	case 4: id->leaf4_eax = word[0]; return subleaf ? -1 : 15;
	case 0xA:
		id->leaf0a_eax = word[0];
		id->leaf0a_ebx = word[1];
		id->leaf0a_ecx = word[2];
		id->leaf0a_edx = word[3];
		return subleaf ? -1 : 4;
	case 0x1A: id->leaf1a_eax = word[0]; return subleaf ? -1 : 5;
	case 0x23:
		if (subleaf == 0) {
			id->leaf23_ebx = word[1];
		} else if (subleaf == 1) {
			id->leaf23_1_eax = word[0];
			id->leaf23_1_ebx = word[1];
		}
		return subleaf <= 5 ? 6 + (int)subleaf : -1;
	case 0x80000000: return subleaf ? -1 : 12;
	case 0x80000001: id->ext1_ecx = word[2]; return subleaf ? -1 : 13;
	case 0x80000022:
		id->ext22_eax = word[0];
		id->ext22_ebx = word[1];
		return subleaf ? -1 : 14;
	}
	return -1;
}

/* A number that is the whole word, of this base. Returns -1 if it is not. */
static int number(const char *word, int base, uint32_t *value)
{
	const char *digits = base == 16 ? "0123456789ABCDEF" : "0123456789";

	if (!*word || strlen(word) > 8 || word[strspn(word, digits)])
		return -1;
	*value = (uint32_t)strtoul(word, NULL, base);
	return 0;
}

static unsigned int rules_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules_names) && strcmp(rules_names[i], name) != 0; i++)
		;
	return i;
}

static int parse_expect(struct entry *entry, char *words, unsigned int *seen)
{
	char *save, *word;

	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');
		unsigned int key, i;

		if (!value)
			return -1;
		*value++ = '\0';
		for (key = 0; key < KEYS && strcmp(keys[key], word) != 0; key++)
			;
		if (key == KEYS || *seen & 1u << key)
			return -1;
		*seen |= 1u << key;
		if (key == ID) {
			if (strlen(value) >= sizeof(entry->id))
				return -1;
			strcpy(entry->id, value);
		} else if (key == RULES) {
			i = rules_of(value);
			if (i == ARRAY_SIZE(rules_names))
				return -1;
			entry->expected[RULES] = i;
		} else if (number(value, 10, &entry->expected[key]) < 0) {
			return -1;
		}
	}
	return 0;
}

static int parse_cpuid(struct entry *entry, char *words, unsigned int *seen)
{
	uint32_t value[6];
	char *save, *word;
	unsigned int n = 0;
	int place;

	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		if (n == ARRAY_SIZE(value) || number(word, 16, &value[n++]) < 0)
			return -1;
	if (n != ARRAY_SIZE(value))
		return -1;
	place = put_words(&entry->cpuid, value[0], value[1], &value[2]);
	if (place < 0 || *seen & 1u << place)
		return -1;
	*seen |= 1u << place;
	return 0;
}

/* Returns what is wrong with the text, or NULL. */
static const char *parse(struct entry *entry, FILE *file)
{
	unsigned int expected = 0, leaves = 0, lines = 0;
	char line[LINE];

	while (fgets(line, sizeof(line), file)) {
		char *end = strchr(line, '\n');

		if (!end)
			return "a line that is too long or has no end";
		*end = '\0';
		if (strstr(line, "  ") || (end > line && end[-1] == ' '))
			return "needless spaces";
		if (lines++ == 0) {
			if (strncmp(line, "# ", 2) != 0)
				return "no comment in the first line";
		} else if (strncmp(line, "expect ", 7) == 0) {
			if (parse_expect(entry, line + 7, &expected) < 0)
				return "a malformed expect";
		} else if (strncmp(line, "cpuid ", 6) == 0) {
			if (parse_cpuid(entry, line + 6, &leaves) < 0)
				return "a malformed cpuid";
		} else {
			return "a line of no known kind";
		}
	}
	if (ferror(file))
		return "an error when reading";
	if (expected != (1u << KEYS) - 1)
		return "no expectation for some key";
	return (leaves & 3) == 3 ? NULL : "no leaf 0 or 1";
}

static int visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void load_corpus(void)
{
	const char *srcdir = getenv("srcdir");
	char directory[PATH_MAX - 256], path[PATH_MAX];
	struct dirent **names;
	int i, n;

	snprintf(directory, sizeof(directory), "%s/tests/data/cpuid", srcdir ? srcdir : ".");
	n = scandir(directory, &names, visible, alphasort);
	ck_assert_msg(n > 0, "%s: %s", directory, n < 0 ? strerror(errno) : "empty");
	corpus = calloc((size_t)n, sizeof(*corpus));
	ck_assert_ptr_nonnull(corpus);
	for (i = 0; i < n; i++) {
		struct entry *entry = &corpus[entries++];
		size_t length = strlen(names[i]->d_name);
		const char *wrong;
		FILE *file;

		ck_assert_msg(length > 4 && length < sizeof(entry->name) &&
				      strcmp(names[i]->d_name + length - 4, ".txt") == 0,
			      "not a name in the corpus: %s", names[i]->d_name);
		strcpy(entry->name, names[i]->d_name);
		snprintf(path, sizeof(path), "%s/%s", directory, entry->name);
		file = fopen(path, "r");
		ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
		wrong = parse(entry, file);
		ck_assert_msg(!wrong, "%s: %s", entry->name, wrong);
		fclose(file);
		free(names[i]);
	}
	free(names);
}

static void free_corpus(void)
{
	free(corpus);
	corpus = NULL;
	entries = 0;
}

/* ---- what every description obeys ---- */

static int same_description(const struct perfctr_cpu *a, const struct perfctr_cpu *b)
{
	return a->name == b->name && a->id == b->id && a->type == b->type && a->rules == b->rules &&
	       a->counters == b->counters && a->fixed == b->fixed && a->width == b->width &&
	       a->fixed_width == b->fixed_width && a->reserved == b->reserved &&
	       a->version == b->version && a->offcore == b->offcore && a->frontend == b->frontend &&
	       a->absent == b->absent && a->no_tsc == b->no_tsc && a->no_rdpmc == b->no_rdpmc &&
	       a->pcint == b->pcint && a->ext_core == b->ext_core &&
	       a->northbridge == b->northbridge && a->nb_resets == b->nb_resets &&
	       a->pairs == b->pairs && a->outstanding == b->outstanding &&
	       a->full_width == b->full_width && a->offcore_holes == b->offcore_holes &&
	       a->frontend_holes == b->frontend_holes && a->ht == b->ht &&
	       a->p4_model == b->p4_model;
}

/* Returns what is wrong with it, or NULL. */
static const char *inconsistency(const struct perfctr_cpu *cpu, const char *type_name)
{
	if (!cpu->name || !*cpu->name)
		return "no name";
	if (!cpu->id)
		return "no id";
	if (!type_name)
		return "unknown type";
	if ((cpu->rules == PERFCTR_RULES_NONE) != (cpu->counters == 0 && cpu->fixed == 0))
		return "rules without counters, or counters without rules";
	if ((cpu->rules == PERFCTR_RULES_NONE) != (*cpu->id == '\0'))
		return "an id without rules, or rules without id";
	if ((cpu->rules == PERFCTR_RULES_NONE) != (cpu->type == 0))
		return "a generic type with rules, or another without";
	if (cpu->counters && (cpu->width < 32 || cpu->width > 64))
		return "width of the counters";
	if (cpu->fixed && (cpu->fixed_width < 32 || cpu->fixed_width > 64))
		return "width of the fixed counters";
	return NULL;
}

static const char *x86_inconsistency(const struct perfctr_cpu *cpu)
{
	const char *wrong = inconsistency(cpu, perfctr_isa_type_name(&perfctr_x86, cpu->type));
	struct perfctr_cpu named;

	if (wrong)
		return wrong;
	if (cpu->rules >= ARRAY_SIZE(rules_names))
		return "rules of another ISA";
	if (cpu->fixed && cpu->rules != PERFCTR_RULES_ARCH)
		return "fixed counters without architectural monitoring";
	if (cpu->offcore > 2 || (cpu->offcore && cpu->rules != PERFCTR_RULES_ARCH))
		return "offcore";
	if ((cpu->ext_core || cpu->northbridge) && cpu->rules != PERFCTR_RULES_K7)
		return "AMD's features elsewhere";
	if (cpu->pairs && !cpu->ext_core)
		return "pairs of the old counters";
	if (cpu->nb_resets && !cpu->northbridge)
		return "nothing to reset";
	if (cpu->ht && cpu->rules != PERFCTR_RULES_P4)
		return "ht elsewhere";
	if (*cpu->id && perfctr_cpu_named(cpu->id, &named) < 0)
		return "an id that does not exist";
	if (*cpu->id && (named.rules != cpu->rules || strcmp(named.id, cpu->id) != 0))
		return "an id that means another";
	return NULL;
}

/* Identifies, into memory with garbage; the garbage must not show. */
static const char *identify(const struct perfctr_cpuid *id, struct perfctr_cpu *cpu)
{
	struct perfctr_cpu other;

	memset(cpu, 0x00, sizeof(*cpu));
	memset(&other, 0xFF, sizeof(other));
	perfctr_x86_identify(id, cpu);
	perfctr_x86_identify(id, &other);
	return same_description(cpu, &other) ? x86_inconsistency(cpu) : "a member that is not set";
}

static void assert_consistent(const struct perfctr_cpuid *id, const char *where, unsigned int n)
{
	struct perfctr_cpu cpu;
	const char *wrong = identify(id, &cpu);

	/* Check's assertions are slow: not one a time. */
	if (wrong)
		ck_abort_msg("%s, set %u: %.12s %08X max %X 0A %X-%X-%X-%X 7.1 %X 23 %X 23.1 %X-%X"
			     " 1A %X 80000001 %X 80000022 %X-%X: \"%s\", type %u: %s",
			     where, n, id->vendor, id->signature, id->max_leaf, id->leaf0a_eax,
			     id->leaf0a_ebx, id->leaf0a_ecx, id->leaf0a_edx, id->leaf7_1_eax,
			     id->leaf23_ebx, id->leaf23_1_eax, id->leaf23_1_ebx, id->leaf1a_eax,
			     id->ext1_ecx, id->ext22_eax, id->ext22_ebx, cpu.name ? cpu.name : "",
			     cpu.type, wrong);
}

/* ---- x86 ---- */

/* Writes "key is found instead of expected" for every difference; returns how many there are. */
static unsigned int differences(const struct entry *entry)
{
	struct perfctr_cpu cpu;
	const char *wrong = identify(&entry->cpuid, &cpu);
	unsigned int found[KEYS] = { [TYPE] = cpu.type,
				     [RULES] = cpu.rules,
				     [COUNTERS] = perfctr_count_bits(cpu.counters),
				     [FIXED] = perfctr_count_bits(cpu.fixed),
				     [WIDTH] = cpu.width,
				     [ARCH_VERSION] = cpu.version,
				     [OFFCORE] = cpu.offcore,
				     [EXT_CORE] = cpu.ext_core,
				     [NORTHBRIDGE] = cpu.northbridge,
				     [HT] = cpu.ht,
				     [NO_TSC] = cpu.no_tsc,
				     [NO_RDPMC] = cpu.no_rdpmc,
				     [PCINT] = cpu.pcint };
	unsigned int key, n = 0;

	if (wrong) {
		fprintf(stderr, "%s: %s\n", entry->name, wrong);
		n++;
	}
	if (strcmp(cpu.id, entry->id) != 0) {
		fprintf(stderr, "%s: id is %s instead of %s\n", entry->name, cpu.id, entry->id);
		n++;
	}
	for (key = ID + 1; key < KEYS; key++) {
		if (found[key] != entry->expected[key]) {
			fprintf(stderr, "%s: %s is %u instead of %u\n", entry->name, keys[key],
				found[key], entry->expected[key]);
			n++;
		}
	}
	return n;
}

START_TEST(recorded_processors)
{
	unsigned int i, n = 0;

	load_corpus();
	ck_assert_uint_ge(entries, 90);
	for (i = 0; i < entries; i++)
		n += differences(&corpus[i]) != 0;
	ck_assert_msg(n == 0, "%u of %u processors are not what they should be", n, entries);
	free_corpus();
}
END_TEST

/* The parser refuses what a slip of the pen makes of a file. */
START_TEST(malformed_files)
{
	static const char good[] =
		"# A comment\n"
		"expect id=p5 type=1 rules=P5 counters=2 fixed=0 width=40\n"
		"expect version=0 offcore=0 ext_core=0 northbridge=0 ht=0 no_tsc=0\n"
		"expect no_rdpmc=1 pcint=0\n"
		"cpuid 00000000 0 00000001 756E6547 6C65746E 49656E69\n"
		"cpuid 00000001 0 00000525 00000000 00000000 000001BF\n";
	/* One occurrence of the first becomes the second. */
	static const char *const slips[][2] = {
		{ "# A", "A" },
		{ " id=p5", "" },
		{ "ht=0", "ht=" },
		{ "ht=0", "ht" },
		{ "ht=0", "hat=0" },
		{ "ht=0", "ht=-1" },
		{ "ht=0", "ht=0 ht=0" },
		{ "ht=0", "ht=0x0" },
		{ "=P5", "=P7" },
		{ "ht=0", " ht=0" },
		{ "id=p5", "id=abcdefghijklmnopqrstuvwxyz" },
		{ "pcint=0", "pcint=0 " },
		{ "cpuid 00000000", "cpuid 00000002" },
		{ "cpuid 00000001", "cpuid 00000000" },
		{ " 000001BF\n", "\n" },
		{ " 000001BF\n", " 000001BF" },
		{ "000001BF", "000001BF 0" },
		{ "000001BF", "1bf" },
		{ "000001BF", "0000001BF" },
		{ "cpuid 00000001 0", "cpuid 00000001 1" },
		{ "cpuid 00000001", "CPUID 00000001" },
		{ "cpuid 00000001", " cpuid 00000001" },
		{ "000001BF\n", "000001BF\n\n" },
	};
	struct entry entry;
	unsigned int i;

	for (i = 0; i <= ARRAY_SIZE(slips); i++) {
		char text[sizeof(good) + LINE];
		const char *wrong;
		FILE *file;

		memcpy(text, good, sizeof(good));
		if (i < ARRAY_SIZE(slips)) {
			const char *at = strstr(good, slips[i][0]);

			ck_assert_ptr_nonnull(at);
			snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good,
				 slips[i][1], at + strlen(slips[i][0]));
		}
		memset(&entry, 0, sizeof(entry));
		file = fmemopen(text, strlen(text), "r");
		ck_assert_ptr_nonnull(file);
		wrong = parse(&entry, file);
		fclose(file);
		ck_assert_msg(!wrong == (i == ARRAY_SIZE(slips)), "slip %u: %s", i,
			      wrong ? wrong : "not noticed");
	}
	ck_assert_uint_eq(differences(&entry), 0);
}
END_TEST

/* Random words; mostly such that identification does not stop at the vendor or the family. */
static void random_cpuid(struct perfctr_cpuid *id)
{
	static const char vendors[][13] = { "GenuineIntel", "GenuineIntel", "GenuineIntel",
					    "AuthenticAMD", "AuthenticAMD", "HygonGenuine",
					    "CyrixInstead", "CentaurHauls" };
	static const uint32_t families[] = { 0x500, 0x600, 0x600, 0x600, 0xF00, 0xF00 };
	unsigned char *byte = (unsigned char *)id;
	unsigned int i;
	uint32_t how;

	for (i = 0; i < sizeof(*id); i++)
		byte[i] = (unsigned char)random_word();
	how = random_word();
	if (how & 0x7)
		memcpy(id->vendor, vendors[random_below(ARRAY_SIZE(vendors))], sizeof(id->vendor));
	if (how & 0x70)
		id->signature = (id->signature & ~0xF00u) |
				families[random_below(ARRAY_SIZE(families))];
	if (how & 0x100)
		id->signature &= 0x001FFFFF;
	if (how & 0xE00)
		id->max_leaf &= 0x3F;
	if (how & 0x1000)
		id->leaf0a_eax &= 0xFF3F0F0F;
	if (how & 0x2000)
		id->leaf1a_eax = id->leaf1a_eax & 1 ? 0x40000001 : 0x20000001;
	if (how & 0xC000)
		id->leaf0a_edx = (id->leaf0a_edx & ~0x1FE0u) | 48u << 5;
}

START_TEST(random_words)
{
	struct perfctr_cpuid id;
	unsigned int i, sets = tries(RANDOM_SETS);

	for (i = 0; i < sets; i++) {
		random_cpuid(&id);
		assert_consistent(&id, "random words", i);
	}
}
END_TEST

START_TEST(mutations)
{
	unsigned int i, k, sets = tries(RANDOM_SETS);

	load_corpus();
	for (i = 0; i < sets; i++) {
		const struct entry *entry = &corpus[i % entries];
		struct perfctr_cpuid id = entry->cpuid;
		uint32_t how = random_word();

		/* Up to four bits change, or bytes. */
		for (k = 0; k <= (how & 3); k++) {
			unsigned char *byte = (unsigned char *)&id + random_below(sizeof(id));

			*byte = (unsigned char)(how & 4 ? random_word()
							: *byte ^ 1u << (random_word() & 7));
		}
		assert_consistent(&id, entry->name, i);
	}
	free_corpus();
}
END_TEST

/* ---- PowerPC ---- */

/* perfctr_info.cpu_type, as abi-powerpc.h has it; only one ISA's ABI can be included. */
enum { PPC_GENERIC, PPC_604, PPC_604E, PPC_750, PPC_7400, PPC_7450 };

START_TEST(powerpc_versions)
{
	/*
	 * Reading in user mode came with the 750. Interrupts: the 750, the 7400 and early steppings
	 * of their successors lose state when an interrupt of the counters and one of the
	 * decrementer meet.
	 */
	static const struct {
		uint32_t pvr;
		const char *id;
		unsigned int type, counters, no_rdpmc, pcint;
	} cpus[] = {
		{ 0x00040103, "ppc604", PPC_604, 2, 1, 1 },
		{ 0x00090204, "ppc604e", PPC_604E, 4, 1, 1 },
		{ 0x000A0100, "ppc604e", PPC_604E, 4, 1, 1 }, /* 604ev */
		{ 0x00080200, "ppc750", PPC_750, 4, 0, 0 },   /* 740 and 750 */
		{ 0x00080301, "ppc750", PPC_750, 4, 0, 0 },
		{ 0x00082214, "ppc750", PPC_750, 4, 0, 0 }, /* 750CX */
		{ 0x00083214, "ppc750", PPC_750, 4, 0, 0 }, /* 755 */
		{ 0x70000100, "ppc750", PPC_750, 4, 0, 0 }, /* 750FX */
		{ 0x70000202, "ppc750", PPC_750, 4, 0, 0 },
		{ 0x70000203, "ppc750", PPC_750, 4, 0, 1 },
		{ 0x70000212, "ppc750", PPC_750, 4, 0, 0 }, /* bits 7-4: the maker */
		{ 0x700002F3, "ppc750", PPC_750, 4, 0, 1 },
		{ 0x70000300, "ppc750", PPC_750, 4, 0, 1 },
		{ 0x70010203, "ppc750", PPC_750, 4, 0, 1 },
		{ 0x70020102, "ppc750", PPC_750, 4, 0, 1 }, /* 750GX */
		{ 0x000C0209, "ppc7400", PPC_7400, 4, 0, 0 },
		{ 0x800C1102, "ppc7400", PPC_7400, 4, 0, 0 }, /* 7410 */
		{ 0x800C1103, "ppc7400", PPC_7400, 4, 0, 1 },
		{ 0x800C1110, "ppc7400", PPC_7400, 4, 0, 1 },
		{ 0x000CFFFF, "ppc7400", PPC_7400, 4, 0, 0 },
		{ 0x0008FFFF, "ppc750", PPC_750, 4, 0, 0 },
		{ 0x80000201, "ppc7450", PPC_7450, 6, 0, 1 }, /* 7441, 7451 */
		{ 0x80010303, "ppc7450", PPC_7450, 6, 0, 1 }, /* 7445, 7455 */
		{ 0x80020101, "ppc7450", PPC_7450, 6, 0, 1 }, /* 7447, 7457 */
		{ 0x80030101, "ppc7450", PPC_7450, 6, 0, 1 }, /* 7447A */
		{ 0x80040202, "ppc7450", PPC_7450, 6, 0, 1 }, /* 7448 */
		{ 0x00010001, "", PPC_GENERIC, 0, 0, 0 },     /* 601 */
		{ 0x00030001, "", PPC_GENERIC, 0, 0, 0 },     /* 603 */
		{ 0x00390202, "", PPC_GENERIC, 0, 0, 0 },     /* 970: another ABI */
		{ 0x00500000, "", PPC_GENERIC, 0, 0, 0 },     /* 8xx */
		{ 0x00000000, "", PPC_GENERIC, 0, 0, 0 },
		{ 0x00000009, "", PPC_GENERIC, 0, 0, 0 },
		{ 0xFFFFFFFF, "", PPC_GENERIC, 0, 0, 0 },
	};
	struct perfctr_cpu cpu;
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		const char *wrong;

		memset(&cpu, 0xFF, sizeof(cpu));
		perfctr_powerpc_identify(cpus[i].pvr, &cpu);
		wrong = inconsistency(&cpu, perfctr_isa_type_name(&perfctr_powerpc, cpu.type));
		if (!wrong && strcmp(cpu.id, cpus[i].id) == 0 && cpu.type == cpus[i].type &&
		    perfctr_count_bits(cpu.counters) == cpus[i].counters &&
		    cpu.no_rdpmc == cpus[i].no_rdpmc && cpu.pcint == cpus[i].pcint)
			continue;
		fprintf(stderr, "%08X: %s: id %s, type %u, %u counters, no_rdpmc %u, pcint %u\n",
			cpus[i].pvr, wrong ? wrong : cpu.name, cpu.id, cpu.type,
			perfctr_count_bits(cpu.counters), cpu.no_rdpmc, cpu.pcint);
		n++;
	}
	ck_assert_msg(n == 0, "%u PowerPCs are not what they should be", n);
}
END_TEST

START_TEST(powerpc_every_version)
{
	struct perfctr_cpu cpu;
	uint32_t version;

	for (version = 0; version < 0x10000; version++) {
		const char *wrong;

		memset(&cpu, 0xFF, sizeof(cpu));
		perfctr_powerpc_identify(version << 16 | (random_word() & 0xFFFF), &cpu);
		wrong = inconsistency(&cpu, perfctr_isa_type_name(&perfctr_powerpc, cpu.type));
		if (wrong)
			ck_abort_msg("version %04X: %s", version, wrong);
	}
}
END_TEST

/* ---- arm64 ---- */

START_TEST(arm64_parts)
{
	static const struct {
		uint64_t midr;
		unsigned int counters;
		const char *id;
	} cpus[] = {
		{ 0x410FD034, 6, "cortex-a53" },
		{ 0x412FD050, 6, "cortex-a55" },
		{ 0x411FD073, 6, "cortex-a57" },
		{ 0x410FD083, 6, "cortex-a72" },
		{ 0x410FD092, 6, "cortex-a73" },
		{ 0x413FD0A1, 6, "cortex-a75" },
		{ 0x414FD0B1, 6, "cortex-a76" },
		{ 0x413FD0C1, 6, "neoverse-n1" },
		{ 0x411FD0D0, 6, "cortex-a77" },
		{ 0x411FD401, 6, "neoverse-v1" },
		{ 0x411FD410, 6, "cortex-a78" },
		{ 0x411FD440, 6, "cortex-x1" },
		{ 0x411FD461, 6, "cortex-a510" },
		{ 0x412FD470, 6, "cortex-a710" },
		{ 0x412FD480, 6, "cortex-x2" },
		{ 0x410FD490, 6, "neoverse-n2" },
		{ 0x411FD4D0, 6, "cortex-a715" },
		{ 0x411FD4E0, 6, "cortex-x3" },
		{ 0x410FD4F0, 6, "neoverse-v2" },
		{ 0x410FD801, 6, "cortex-a520" },
		{ 0x410FD811, 6, "cortex-a720" },
		{ 0x410FD821, 6, "cortex-x4" },
		{ 0x410FD840, 6, "neoverse-v3" },
		{ 0x410FD830, 6, "neoverse-v3" }, /* V3AE */
		{ 0x6D0FD490, 6, "neoverse-n2" }, /* Azure Cobalt 100 */
		{ 0x410FD850, 6, "pmuv3" },
		{ 0x410FD8E0, 6, "neoverse-n3" },
		{ 0x510F8040, 6, "pmuv3" }, /* Qualcomm's Kryo 4xx gold */
		{ 0x410FD021, 6, "cortex-a34" },
		{ 0x410FD041, 6, "cortex-a35" },
		{ 0x410FD062, 6, "cortex-a65" },
		{ 0x410FD4A1, 6, "cortex-a65" }, /* Neoverse E1 */
		{ 0x420F1000, 6, "cortex-a53" }, /* Brahma-B53 */
		{ 0x410FD4B0, 6, "cortex-a78" },
		{ 0x410FD4C0, 6, "cortex-x1c" },
		{ 0x410FD430, 6, "cortex-a65" }, /* A65AE */
		{ 0x410FD0E1, 6, "cortex-a76" }, /* A76AE */
		{ 0x431F0AF1, 6, "thunderx2" },
		{ 0x420F5160, 6, "thunderx2" },
		{ 0x461F0010, 8, "a64fx" },
		{ 0x460F0030, 8, "monaka" },
		{ 0x481FD010, 12, "kunpeng-920" },
		{ 0x4E0F0100, 6, "olympus" },
		{ 0x503F0002, 4, "emag" },
		{ 0xC00FAC30, 6, "ampereone" },
		{ 0xC00FAC41, 6, "ampereonex" },
		/* Numbers of one, with another's name. */
		{ 0x430F5160, 6, "pmuv3" },
		{ 0x420F0AF0, 6, "pmuv3" },
		{ 0x480F0010, 6, "pmuv3" },
		{ 0x410FAC30, 6, "pmuv3" },
		{ 0x420FD034, 6, "pmuv3" },
		{ 0x410F0000, 6, "pmuv3" },
		{ 0x620FD034, 6, "pmuv3" }, /* a part number of Arm, of another */
		{ 0x410FD000, 6, "pmuv3" },
		{ 0x410FFFF0, 31, "pmuv3" },
		{ 0x41000000, 0, "pmuv3" }, /* not the last row by chance */
		{ 0x00000000, 0, "pmuv3" },
		{ 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF, "pmuv3" },
	};
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		unsigned int n = cpus[i].counters < 31 ? cpus[i].counters : 31;
		const char *wrong;

		memset(&cpu, 0xFF, sizeof(cpu));
		perfctr_arm64_identify(cpus[i].midr, cpus[i].counters, &cpu);
		wrong = inconsistency(&cpu, perfctr_isa_type_name(&perfctr_arm64, cpu.type));
		/* One more: counter 31, which counts cycles. */
		ck_assert_msg(!wrong && strcmp(cpu.id, cpus[i].id) == 0 && cpu.type == 1 &&
				      cpu.rules == PERFCTR_RULES_PMUV3 &&
				      cpu.counters == (((uint32_t)1 << n) - 1) + (1u << 31),
			      "%llX with %u: %s: id %s, counters %08X",
			      (unsigned long long)cpus[i].midr, cpus[i].counters,
			      wrong ? wrong : cpu.name, cpu.id, cpu.counters);
	}
}
END_TEST

/* Processors without a published list have a name, and the architecture's events. */
START_TEST(arm64_named)
{
	static const struct {
		uint64_t midr;
		const char *name;
	} cpus[] = {
		{ 0x410FD421, "Arm Cortex-A78AE" },  { 0x410FD850, "Arm Cortex-X925" },
		{ 0x410FD871, "Arm Cortex-A725" },   { 0x410FD880, "Arm Cortex-A520AE" },
		{ 0x410FD890, "Arm Cortex-A720AE" }, { 0x410FD8A0, "Arm C1-Nano" },
		{ 0x410FD8B0, "Arm C1-Pro" },	     { 0x410FD8C0, "Arm C1-Ultra" },
		{ 0x410FD900, "Arm C1-Premium" },    { 0x410FD8F0, "arm64 with PMUv3" },
	};
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		perfctr_arm64_identify(cpus[i].midr, 6, &cpu);
		ck_assert_str_eq(cpu.id, "pmuv3");
		ck_assert_str_eq(cpu.name, cpus[i].name);
	}
}
END_TEST

/* Apple's PMU is its own: nothing is known of it here, whichever part it is. */
START_TEST(apple)
{
	static const uint64_t midrs[] = { 0x611F0221, 0x611F0231, 0x610F0320,
					  0x610F0390, 0x610FD034, 0x61000000 };
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(midrs); i++) {
		memset(&cpu, 0xFF, sizeof(cpu));
		perfctr_arm64_identify(midrs[i], 8, &cpu);
		ck_assert_str_eq(cpu.id, "");
		ck_assert_uint_eq(cpu.rules, PERFCTR_RULES_KERNEL);
		ck_assert_uint_eq(cpu.type, PERFCTR_TYPE_GENERIC);
	}
}
END_TEST

START_TEST(arm64_random)
{
	struct perfctr_cpu cpu;
	unsigned int i;

	for (i = 0; i < 0x10000; i++) {
		uint64_t midr = (uint64_t)random_word() << 32 | random_word();
		unsigned int counters = random_word() >> (random_word() & 31);
		const char *wrong;

		/* Half of them: every part number of Arm's. */
		if (i & 1)
			midr = 0x410F0000 | (i >> 1 & 0xFFF) << 4;
		memset(&cpu, 0xFF, sizeof(cpu));
		perfctr_arm64_identify(midr, counters, &cpu);
		wrong = cpu.rules == PERFCTR_RULES_KERNEL
				? NULL
				: inconsistency(&cpu,
						perfctr_isa_type_name(&perfctr_arm64, cpu.type));
		if (wrong)
			ck_abort_msg("%llX with %u: %s", (unsigned long long)midr, counters, wrong);
	}
}
END_TEST

/* ---- ids ---- */

static void check_ids(const struct perfctr_isa *isa, unsigned int least)
{
	static const char *const none[] = { "", "no such", "P5", "p", "core 2", "pmuv", "pmuv33" };
	const char *wrong, *id, *other;
	struct perfctr_cpu cpu;
	unsigned int i, k;

	for (i = 0; (id = perfctr_isa_id(isa, i)); i++) {
		ck_assert_uint_lt(i, 1000);
		ck_assert_str_ne(id, "");
		/* It is a file name, and a word in text. */
		k = (unsigned int)strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_-");
		ck_assert_msg(id[k] == '\0', "%s", id);
		for (k = 0; k < i; k++) {
			other = perfctr_isa_id(isa, k);
			ck_assert_str_ne(id, other);
		}
		memset(&cpu, 0xFF, sizeof(cpu));
		ck_assert_msg(perfctr_cpu_named(id, &cpu) == 0, "%s", id);
		ck_assert_str_eq(cpu.id, id);
		wrong = inconsistency(&cpu, perfctr_isa_type_name(isa, cpu.type));
		ck_assert_msg(!wrong && cpu.counters, "%s: %s", id, wrong ? wrong : "no counters");
	}
	ck_assert_uint_ge(i, least);
	ck_assert_ptr_null(perfctr_isa_id(isa, i + 1));
	ck_assert_ptr_null(perfctr_isa_id(isa, UINT_MAX));
	for (i = 0; i < ARRAY_SIZE(none); i++)
		ck_assert_msg(perfctr_cpu_named(none[i], &cpu) == -1, "\"%s\"", none[i]);
}

START_TEST(ids)
{
	check_ids(&perfctr_x86, 60);
	check_ids(&perfctr_powerpc, 5);
	check_ids(&perfctr_arm64, 36);
	check_ids(&perfctr_riscv, 4);
	check_ids(&perfctr_power, 3);
}
END_TEST

/* What *_named() calls typical is what processors with the id really said. */
START_TEST(typical_is_recorded)
{
	unsigned int i, k, n = 0;
	struct perfctr_cpu cpu;
	const char *id;

	load_corpus();
	for (i = 0; (id = perfctr_isa_id(&perfctr_x86, i)); i++) {
		unsigned int recorded = 0, fits = 0;

		ck_assert_int_eq(perfctr_cpu_named(id, &cpu), 0);
		for (k = 0; k < entries; k++) {
			const unsigned int *e = corpus[k].expected;

			if (strcmp(corpus[k].id, id) != 0 ||
			    strncmp(corpus[k].name, "made-", 5) == 0)
				continue;
			recorded++;
			fits += cpu.rules == e[RULES] && cpu.type == e[TYPE] &&
				cpu.width == e[WIDTH] &&
				perfctr_count_bits(cpu.counters) == e[COUNTERS] &&
				perfctr_count_bits(cpu.fixed) == e[FIXED] &&
				cpu.ext_core == e[EXT_CORE] && cpu.northbridge == e[NORTHBRIDGE];
		}
		if (recorded && !fits) {
			fprintf(stderr,
				"%s: not like any of %u recorded: %u counters, %u fixed, "
				"width %u\n",
				id, recorded, perfctr_count_bits(cpu.counters),
				perfctr_count_bits(cpu.fixed), cpu.width);
			n++;
		}
	}
	ck_assert_msg(n == 0, "%u typical processors are like no recorded one", n);
	free_corpus();
}
END_TEST

#if defined(__i386__) || defined(__x86_64__)

/* The words of this machine, one by one, as the compiler's header reads them. */
START_TEST(this_machine)
{
	unsigned int a, b, c, d;
	struct perfctr_cpuid id;

	memset(&id, 0x5A, sizeof(id));
	perfctr_cpuid_read(&id);
	ck_assert_int_eq(__get_cpuid(0, &a, &b, &c, &d), 1);
	ck_assert_uint_eq(id.max_leaf, a);
	ck_assert_mem_eq(id.vendor, &b, 4);
	ck_assert_mem_eq(id.vendor + 4, &d, 4);
	ck_assert_mem_eq(id.vendor + 8, &c, 4);
	ck_assert_int_eq(__get_cpuid(1, &a, &b, &c, &d), 1);
	ck_assert_uint_eq(id.signature, a);
	/* The rest of EBX is the processor's own number. */
	ck_assert_uint_eq(id.leaf1_ebx & 0xFFFF, b & 0xFFFF);
	ck_assert_uint_eq(id.leaf1_edx, d);
	if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
		ck_assert_uint_eq(id.leaf7_ebx, b);
		ck_assert_uint_eq(id.leaf7_edx, d);
	}
	if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
		ck_assert_uint_eq(id.leaf7_1_eax, a);
	if (__get_cpuid(0x80000001, &a, &b, &c, &d))
		ck_assert_uint_eq(id.ext1_ecx, c);
	/* What is not asked for is 0. */
	ck_assert_uint_eq(id.leaf1a_eax, 0);
}
END_TEST

#else

START_TEST(this_machine)
{
}
END_TEST

#endif

START_TEST(type_names)
{
	unsigned int type;

	for (type = 0; type <= 25; type++)
		ck_assert_msg(perfctr_isa_type_name(&perfctr_x86, type) != NULL, "x86 type %u",
			      type);
	ck_assert_ptr_null(perfctr_isa_type_name(&perfctr_x86, 26));
	ck_assert_ptr_null(perfctr_isa_type_name(&perfctr_x86, UINT_MAX));
	for (type = 0; type <= PPC_7450; type++)
		ck_assert_msg(perfctr_isa_type_name(&perfctr_powerpc, type) != NULL,
			      "PowerPC type %u", type);
	ck_assert_ptr_null(perfctr_isa_type_name(&perfctr_powerpc, PPC_7450 + 1));
	ck_assert_ptr_null(perfctr_isa_type_name(&perfctr_powerpc, UINT_MAX));
}
END_TEST

/* Of the K8s only revision E (models 20H to 3FH) with two cores: perfctr 2.6's x86.c. */
START_TEST(k8_revision_e)
{
	unsigned int i, found = 0, recorded = 0;
	struct perfctr_cpuid id = { 0 };
	struct perfctr_cpu cpu;

	load_corpus();
	for (i = 0; i < entries; i++) {
		perfctr_x86_identify(&corpus[i].cpuid, &cpu);
		ck_assert_msg(cpu.nb_resets == !strcmp(corpus[i].name, "amd-manchester-20fb1.txt"),
			      "%s", corpus[i].name);
		found += cpu.nb_resets;
		recorded += !strcmp(cpu.id, "k8_c");
		if (cpu.nb_resets)
			id = corpus[i].cpuid;
	}
	ck_assert_uint_eq(found, 1);
	ck_assert_uint_ge(recorded, 5);
	free_corpus();
	for (i = 0; i < 0x100; i++) {
		id.signature = 0xF01 | (i & 0xF) << 4 | (i & 0xF0) << 12;
		perfctr_x86_identify(&id, &cpu);
		ck_assert_uint_eq(cpu.nb_resets, i >= 0x20 && i < 0x40);
	}
	id.signature = 0x30F01;
	id.leaf1_ebx = 0x00010800; /* one core */
	perfctr_x86_identify(&id, &cpu);
	ck_assert_uint_eq(cpu.nb_resets, 0);
	id.leaf1_ebx = 0x00020800;
	id.leaf1_edx &= ~(1u << 28); /* HTT: the number means nothing */
	perfctr_x86_identify(&id, &cpu);
	ck_assert_uint_eq(cpu.nb_resets, 0);
	/* Family 11h has such a model, too. */
	id.leaf1_edx |= 1u << 28;
	id.signature = 0x230F01;
	perfctr_x86_identify(&id, &cpu);
	ck_assert_str_eq(cpu.id, "fam11h");
	ck_assert_uint_eq(cpu.nb_resets, 0);
}
END_TEST

UNIT_MAIN("identify", 60, recorded_processors, malformed_files, random_words, mutations,
	  powerpc_versions, powerpc_every_version, arm64_parts, arm64_named, apple, arm64_random,
	  ids, typical_is_recorded, this_machine, type_names, k8_revision_e)
