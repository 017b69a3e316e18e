// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Every event of every core PMU that libpfm4 knows, alone and with each of its unit masks: prints
 *
 *	PMU EVENT[:MASK] WORD...
 *
 * The words are what libpfm4 would have written to the event select, and to the register beside it;
 * an error's text if it refuses. With the argument "words" it does so for the lines of its input,
 * PMU WORD. The environment has LIBPFM_ENCODE_INACTIVE=1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pfmlib.h>

/* The library may know more PMUs than the header that this was built with. */
#define IDS 1000

static void print_words(const char *pmu, const char *word)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	char full[600];
	int result, i;

	snprintf(full, sizeof(full), "%s::%s", pmu, word);
	result = pfm_get_os_event_encoding(full, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
	if (result != PFM_SUCCESS)
		printf("\t%s", pfm_strerror(result));
	for (i = 0; result == PFM_SUCCESS && i < arg.count; i++)
		printf("\t%" PRIx64, arg.codes[i]);
	putchar('\n');
	free(arg.codes);
}

static void print_event(const char *pmu, int index)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	char word[500];
	int i;

	if (pfm_get_event_info(index, PFM_OS_NONE, &event) != PFM_SUCCESS)
		return;
	printf("%s\t%s", pmu, event.name);
	print_words(pmu, event.name);
	for (i = 0; i < event.nattrs; i++) {
		pfm_event_attr_info_t mask = { .size = sizeof(mask) };

		if (pfm_get_event_attr_info(index, i, PFM_OS_NONE, &mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		snprintf(word, sizeof(word), "%s:%s", event.name, mask.name);
		printf("%s\t%s", pmu, word);
		print_words(pmu, word);
	}
}

static void print_all(void)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	pfm_pmu_t id;
	int i;

	for (id = PFM_PMU_NONE; id < IDS; id++) {
		if (pfm_get_pmu_info(id, &pmu) != PFM_SUCCESS || pmu.type != PFM_PMU_TYPE_CORE)
			continue;
		for (i = pmu.first_event; i != -1; i = pfm_get_event_next(i))
			print_event(pmu.name, i);
	}
}

/* A line of the input is a PMU and a word. */
static void print_line(char *line)
{
	char *word = strchr(line, '\t');

	line[strcspn(line, "\n")] = '\0';
	printf("%s", line);
	if (word) {
		*word = '\0';
		print_words(line, word + 1);
	}
}

int main(int argc, char **argv)
{
	char line[600];

	if (pfm_initialize() != PFM_SUCCESS)
		return 1;
	if (argc == 1)
		print_all();
	else if (!strcmp(argv[1], "words"))
		while (fgets(line, sizeof(line), stdin))
			print_line(line);
	return ferror(stdout) || fflush(stdout);
}
