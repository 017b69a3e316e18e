// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Every name of every table, as a look-up finds it: prints
 *
 *	TABLE EVENT[:MASK] FLAGS CODE OPTION...
 *
 * Flags are letters: m has masks, n needs one, c they combine, d a default, p counts in precise
 * sampling only; or "-". The code is what the table has for the name; a mask's is without the
 * event's. An option is, all numbers hexadecimal,
 *
 *	CODE/COUNTERS/FIXED/REGISTER/VALUE/ESCR-SELECT/PEBS-ENABLE/PEBS-MATRIX-VERT
 *
 * With the argument "words" it looks up lines of its input, TABLE WORD, and prints them with their
 * options; with none if the table has no such word. With "midrs" it identifies arm64's processors
 * by the hexadecimal numbers of its input: prints id and name; with "cpuids" x86's, by vendor,
 * signature and leaf 1AH; with "harts" RISC-V's, by mvendorid, marchid and mimpid.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arch/cpu.h"
#include "arch/events.h"

static uint64_t both(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

static void print_flags(const struct perfctr_event_entry *entry)
{
	char flags[8];
	unsigned int n = 0;

	if (entry->masks)
		flags[n++] = 'm';
	if (entry->needs_mask)
		flags[n++] = 'n';
	if (entry->combines)
		flags[n++] = 'c';
	if (entry->is_default)
		flags[n++] = 'd';
	if (entry->pebs)
		flags[n++] = 'p';
	printf("\t%.*s", n ? (int)n : 1, n ? flags : "-");
}

/* The bits that modifiers set in an event select of x86. */
static uint32_t modes(const struct perfctr_event_choice *choice)
{
	return choice->edge * 1u << 18 | choice->invert * 1u << 23 | (uint32_t)choice->cmask << 24;
}

static void print_options(const struct perfctr_event_table *table, const char *word)
{
	struct perfctr_event_choice choice;
	const char *part;
	size_t length;
	unsigned int event, i;

	if (perfctr_event_lookup(table, word, strlen(word), &choice, &part, &length, &event) !=
	    PERFCTR_EVENT_OK)
		return;
	for (i = 0; i < choice.options; i++) {
		const struct perfctr_event_option *option = &choice.option[i];

		printf("\t%" PRIx64 "/%" PRIx32 "/%" PRIx32 "/%" PRIx32 "/%" PRIx64 "/%" PRIx32
		       "/%" PRIx32 "/%" PRIx32,
		       both(option->code | (option->select ? 0 : modes(&choice)), option->high),
		       option->counters, option->fixed, option->reg,
		       option->fixed ? 0 : option->value, option->select, option->pebs_enable,
		       option->pebs_matrix_vert);
	}
}

static void print_table(const char *id)
{
	const struct perfctr_event_table *table = perfctr_event_table(id);
	struct perfctr_event_entry entry;
	unsigned int n = 0;
	char word[260];

	while ((n = perfctr_event_walk(table, n, &entry))) {
		snprintf(word, sizeof(word), "%s%s%s", entry.event, entry.mask ? ":" : "",
			 entry.mask ? entry.mask : "");
		printf("%s\t%s", id, word);
		print_flags(&entry);
		printf("\t%" PRIx64, both(entry.code, entry.high));
		print_options(table, word);
		putchar('\n');
	}
}

/* A line of the input is a table and a word. Prints both, and the options if the table has it. */
static void print_word(char *line)
{
	const struct perfctr_event_table *table;
	char *word = strchr(line, '\t');

	line[strcspn(line, "\n")] = '\0';
	printf("%s", line);
	if (word) {
		*word = '\0';
		table = perfctr_event_table(line);
		if (table)
			print_options(table, word + 1);
	}
	putchar('\n');
}

static void print_identity(const struct perfctr_cpu *cpu)
{
	printf("%s\t%s\n", cpu->id, cpu->name);
}

static void print_midr(const char *line)
{
	struct perfctr_cpu cpu;

	perfctr_arm64_identify(strtoull(line, NULL, 16), 6, &cpu);
	print_identity(&cpu);
}

/* All have the counters of architectural monitoring, version 5. */
static void print_cpuid(const char *line)
{
	struct perfctr_cpuid id = {
		.max_leaf = 0x23,
		.leaf1_edx = PERFCTR_CPUID_TSC,
		.leaf0a_eax = 0x07300805,
		.leaf0a_ecx = 0xF,
		.leaf0a_edx = 0x8604,
	};
	char vendor[sizeof(id.vendor) + 1];
	struct perfctr_cpu cpu;

	if (sscanf(line, "%12s %" SCNx32 " %" SCNx32, vendor, &id.signature, &id.leaf1a_eax) != 3)
		exit(2);
	memcpy(id.vendor, vendor, sizeof(id.vendor));
	perfctr_x86_identify(&id, &cpu);
	print_identity(&cpu);
}

static void print_hart(const char *line)
{
	uint64_t vendor, arch, implementation;
	struct perfctr_cpu cpu;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64, &vendor, &arch, &implementation) != 3)
		exit(2);
	perfctr_riscv_identify(vendor, arch, implementation, 1, &cpu);
	print_identity(&cpu);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(const char *line);
	} identities[] = { { "midrs", print_midr },
			   { "cpuids", print_cpuid },
			   { "harts", print_hart } };
	char line[600];
	const char *id;
	unsigned int n;

	if (argc == 2 && !strcmp(argv[1], "words"))
		while (fgets(line, sizeof(line), stdin))
			print_word(line);
	for (n = 0; n < sizeof(identities) / sizeof(identities[0]) && argc == 2; n++)
		while (!strcmp(argv[1], identities[n].name) && fgets(line, sizeof(line), stdin))
			identities[n].print(line);
	for (n = 0; argc == 1 && (id = perfctr_event_table_id(n)); n++)
		print_table(id);
	return ferror(stdout) || fflush(stdout);
}
