// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/base/nearest.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/command/suggest.h"

/* Options of "perf stat" and "perf record" that have other names here, or don't exist. */
static const struct {
	const char *name, *meaning;
} others[] = {
	{ "B", "perfex always separates thousands in a table, and never in --csv and --json" },
	{ "S", "write it into the command: sh -c 'sync; exec ...'" },
	{ "T", "name the events: perfex -l lists them" },
	{ "V", "perfex has --version" },
	{ "b", "perf record's is --sample --by branch; perf stat's BPF programs are not counted" },
	{ "g",
	  "groups are written in braces: -e '{cycles,instructions}'; calls are --sample --format=folded" },
	{ "j", "perfex has --json; perf record's branches are --sample --by branch" },
	{ "k",
	  "what only the kernel does is the modifier :k of an event; perf record's clock can't be "
	  "chosen" },
	{ "n", "for the time alone, perfex -e task-clock" },
	{ "u", "what only user mode does is the modifier :u of an event" },
	{ "v", "perfex always says why an event is not counted; perfctr-info(1) says more" },
	{ ",", "values with a separator are --csv" },
	{ ";", "values with a separator are --csv" },
	{ "all-kernel", "give each event the modifier :k" },
	{ "all-user", "give each event the modifier :u" },
	{ "big-num",
	  "perfex always separates thousands in a table, and never in --csv and --json" },
	{ "no-big-num", "--csv and --json have numbers without separators" },
	{ "bpf-counters", "perfex takes perf_event_open(2) or the perfctr driver" },
	{ "bpf-prog", "BPF programs are not counted" },
	{ "control", "--delay says when counting begins, --timeout when it ends" },
	{ "cputype", "name the core type's event: cpu_core/cycles/" },
	{ "detailed", "name the events: -e L1-dcache-loads,L1-dcache-load-misses,..." },
	{ "field-separator", "values with a separator are --csv" },
	{ "filter", "tracepoints are counted without filters" },
	{ "for-each-cgroup", "give each cgroup with a -G: perfex shows each" },
	{ "group", "groups are written in braces: -e '{cycles,instructions}'" },
	{ "hybrid-merge",
	  "an event of several core types is shown as a sum; --per=type shows each" },
	{ "inputs", "perfex has no files of metrics" },
	{ "interval-clear", "write it into a pipe: perfex -I 1000 --csv -o - ... | ..." },
	{ "interval-count", "--timeout ends counting after so many milliseconds" },
	{ "interval-print", "perfex has --interval" },
	{ "iostat", "name the uncore PMU's events: perfex -l lists them" },
	{ "json-output", "perfex has --json" },
	{ "log-fd", "perfex has -o FILE, such as -o /dev/fd/3" },
	{ "metric-no-group",
	  "-M counts a metric's events in a group, so that they are of the same time" },
	{ "metric-no-merge", "metrics whose events are the same share them" },
	{ "metric-no-threshold",
	  "a metric that is beyond its threshold is marked, and nothing else" },
	{ "metric-only", "--csv and --json have metrics beside the counts: -M" },
	{ "no-csv-summary", "with -I, --csv has no summary" },
	{ "no-merge", "--per=unit shows each unit, -A each processor, --per=type each core type" },
	{ "no-scale", "--json has the value as counted beside the estimate" },
	{ "null", "for the time alone, perfex -e task-clock" },
	{ "per-cache", "perfex has --per=socket and --per=core" },
	{ "per-cluster", "perfex has --per=socket and --per=core" },
	{ "per-die", "perfex has --per=socket, and --per=core, whose names have the die" },
	{ "per-node", "perfex has --per=socket" },
	{ "percore-show-thread", "perfex has --per=core and --per=cpu" },
	{ "quiet", "write results to a file: -o FILE" },
	{ "realtime", "start perfex with chrt(1)" },
	{ "scale", "--json has the value as counted beside the estimate" },
	{ "smi-cost", "count msr/smi/ and msr/aperf/" },
	{ "summary", "perfex -I always ends with a summary in a table and in --json" },
	{ "sync", "write it into the command: sh -c 'sync; exec ...'" },
	{ "table", "--json has the values of each run" },
	{ "transaction", "name the events: perfex -l lists them" },
	{ "uid", "perfex counts processes (-p), threads (-t) and cgroups (-G)" },
	{ "user", "give each event the modifier :u" },
	{ "verbose", "perfex always says why an event is not counted; perfctr-info(1) says more" },
};

/* Returns the meaning of perf's option here; NULL: unknown. */
static const char *meaning_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].name, name))
			return others[i].meaning;
	return NULL;
}

/* perf's commands, and what has their place here. */
static const struct {
	const char *name, *instead;
} commands[] = {
	{ "stat", "perfex counts without it: perfex COMMAND" },
	{ "record",
	  "perfex samples by --sample: perfex --sample COMMAND, or --sample --format=perf-data -o "
	  "perf.data COMMAND for perf report" },
	{ "report", "perfex --sample COMMAND shows its report when the command ends" },
	{ "annotate", "perfex --sample --by line COMMAND shows lines, --by address instructions" },
};

void suggest_command(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, word))
			die("\"%s\" is a command of perf's: %s; a program of this name is run by "
			    "perfex -- %s",
			    word, commands[i].instead, word);
}

/* ---- sentences ---- */

static void __attribute__((noreturn)) end(void)
{
	say("\"perfex -h\" shows all options");
	exit(EXIT_PERFEX);
}

/* Returns a sentence's end that names the options that are nearest to a word, in text; or "". */
static const char *nearest(const char *name, const struct option *known, char *text, size_t size)
{
	char word[64], ours[64];
	struct perfctr_nearest near = { .word = word };

	near.length = (size_t)snprintf(word, sizeof(word), "--%.60s", name);
	for (; known->name; known++) {
		snprintf(ours, sizeof(ours), "--%s", known->name);
		perfctr_nearest_note(&near, ours);
	}
	return perfctr_nearest_text(&near, "", text, size);
}

static void __attribute__((noreturn))
unknown(const char *dashes, const char *name, const char *near)
{
	const char *meaning = meaning_of(name);

	if (meaning)
		say("there is no option %s%s, as perf has it: %s", dashes, name, meaning);
	else
		say("there is no option %s%s%s", dashes, name, near);
	end();
}

/* The known options that begin so, if there are several. */
static bool is_ambiguous(const char *name, const struct option *known)
{
	unsigned int n = 0;

	for (; known->name; known++)
		n += !strncmp(known->name, name, strlen(name));
	return n > 1;
}

static void __attribute__((noreturn)) ambiguous(const char *name, const struct option *known)
{
	char *list = NULL;
	size_t size;
	FILE *file = need(open_memstream(&list, &size));
	const char *before = "";

	for (; known->name; known++)
		if (!strncmp(known->name, name, strlen(name))) {
			fprintf(file, "%s--%s", before, known->name);
			before = ", ";
		}
	fclose(file);
	say("--%s is the beginning of several options: %s", name, list);
	free(list);
	end();
}

static void __attribute__((noreturn))
refuse_long(int result, const char *word, int letter, const struct option *known)
{
	char name[64], near[PERFCTR_NEAREST_TEXT];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	if (result == ':')
		die("--%s needs an argument", name);
	if (letter)
		die("--%s takes no argument, as in \"%s\"", name, word);
	/* An abbreviation that fits several options here may still be one of perf's. */
	if (!meaning_of(name) && is_ambiguous(name, known))
		ambiguous(name, known);
	unknown("--", name, nearest(name, known, near, sizeof(near)));
}

void suggest_check(const char *word, const struct option *known)
{
	size_t n = strcspn(word, "=");

	if (word[0] != '-')
		return;
	for (; known->name; known++)
		if (strlen(known->name) == n - 1 && n > 2 && !strncmp(known->name, word + 1, n - 1))
			die("\"%s\" is written with two dashes: --%s", word, word + 1);
}

void suggest_refuse(int result, const char *word, int letter, const struct option *known)
{
	char name[2] = { (char)letter }, near[PERFCTR_NEAREST_TEXT];

	if (!strncmp(word, "--", 2))
		refuse_long(result, word, letter, known);
	if (result == ':')
		die("-%c needs an argument", letter);
	unknown("-", name, strlen(word) > 4 ? nearest(word + 1, known, near, sizeof(near)) : "");
}
