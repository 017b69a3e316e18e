// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Asks the libpfm.so.4 that it is linked with, by libpfm4's header:
 *
 *	pmus	the PMUs that it knows: number, name
 *	words	the events of the PMUs that are present, each alone, with each mask, and some with
 *	modifiers attrs	what each word of the input selects: type, config*, modes, sampling;
 *	or the error
 *	codes	the words that a driver would write for each word of the input; or the error
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <perfmon/pfmlib_perf_event.h>

static void print_pmus(void)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	int id;

	for (id = 0; id < PFM_PMU_MAX; id++)
		if (pfm_get_pmu_info((pfm_pmu_t)id, &pmu) == PFM_SUCCESS)
			printf("%d %s %d\n", id, pmu.name, pmu.type);
}

static void print_event(const pfm_pmu_info_t *pmu, int idx)
{
	static const char *const modifiers[] = {
		"u",	     "k=1:u=0",	    "c=2",	"e:c=1",   "i=1:c=3", "mg",
		"mg=1:mh=1", "period=1000", "freq=100", "pinned",  "excl",    "cpu=1",
		"c=256",     "u:u",	    "period=0", "no_such",
	};
	pfm_event_info_t event = { .size = sizeof(event) };
	pfm_event_attr_info_t mask = { .size = sizeof(mask) };
	const char *last = "";
	char word[600];
	int i, n = sizeof(modifiers) / sizeof(modifiers[0]);

	pfm_get_event_info(idx, PFM_OS_PERF_EVENT_EXT, &event);
	printf("%s::%s\n%s\n", pmu->name, event.name, event.name);
	snprintf(word, sizeof(word), "%s::%s", pmu->name, event.name);
	for (i = 0; i < event.nattrs; i++) {
		if (pfm_get_event_attr_info(idx, i, PFM_OS_PERF_EVENT_EXT, &mask) != PFM_SUCCESS ||
		    mask.type != PFM_ATTR_UMASK)
			continue;
		last = mask.name;
		snprintf(word, sizeof(word), "%s::%s:%s", pmu->name, event.name, last);
		printf("%s\n", word);
	}
	/* Modifiers of one event in eight. */
	for (i = 0; idx % 8 == 0 && i < n; i++)
		printf("%s:%s\n", word, modifiers[i]);
}

static void print_words(void)
{
	pfm_pmu_info_t pmu = { .size = sizeof(pmu) };
	int id, idx;

	for (id = 0; id < PFM_PMU_MAX; id++) {
		if (pfm_get_pmu_info((pfm_pmu_t)id, &pmu) != PFM_SUCCESS || !pmu.is_present ||
		    pmu.type == PFM_PMU_TYPE_UNCORE || id == PFM_PMU_PERF_EVENT_RAW)
			continue;
		for (idx = pmu.first_event; idx >= 0; idx = pfm_get_event_next(idx))
			print_event(&pmu, idx);
	}
}

static void print_attr(const char *word)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	int result = pfm_get_os_event_encoding(word, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT,
					       &arg);

	if (result != PFM_SUCCESS)
		printf("%s error %d\n", word, result);
	else
		printf("%s %u %llx %llx u%d k%d h%d g%d H%d pinned%d exclusive%d period%llu freq%d cpu%d\n",
		       word, attr.type, (unsigned long long)attr.config,
		       (unsigned long long)attr.config1, attr.exclude_user, attr.exclude_kernel,
		       attr.exclude_hv, attr.exclude_guest, attr.exclude_host, attr.pinned,
		       attr.exclusive, (unsigned long long)attr.sample_period, attr.freq, arg.cpu);
}

static void print_codes(const char *word)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	int i, result = pfm_get_os_event_encoding(word, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);

	printf("%s", word);
	if (result != PFM_SUCCESS)
		printf("\terror %d", result);
	for (i = 0; result == PFM_SUCCESS && i < arg.count; i++)
		printf("\t%llx", (unsigned long long)arg.codes[i]);
	putchar('\n');
	free(arg.codes);
}

int main(int argc, char **argv)
{
	char word[600];

	if (argc != 2 || pfm_initialize() != PFM_SUCCESS)
		return 2;
	if (!strcmp(argv[1], "pmus"))
		print_pmus();
	if (!strcmp(argv[1], "words"))
		print_words();
	while ((!strcmp(argv[1], "attrs") || !strcmp(argv[1], "codes")) &&
	       fgets(word, sizeof(word), stdin)) {
		word[strcspn(word, "\n")] = '\0';
		if (argv[1][0] == 'a')
			print_attr(word);
		else
			print_codes(word);
	}
	pfm_terminate();
	return ferror(stdout) || fflush(stdout);
}
