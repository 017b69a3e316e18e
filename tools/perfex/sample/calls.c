// SPDX-License-Identifier: LGPL-2.1-or-later
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/sample/calls.h"

struct function {
	char *name;
	size_t number;
};

struct calls {
	void *tree; /* of functions, by name */
	size_t n;
	bool weighted; /* a sample stands for a number of events of its own */
	FILE *functions, *stacks;
};

static int compare(const void *a, const void *b)
{
	const struct function *one = a, *two = b;

	return strcmp(one->name, two->name);
}

/* Returns the number of a function, which is written when it is new. */
static size_t number_of(struct calls *calls, char *name)
{
	struct function wanted = { .name = name }, *function;
	struct function **found = tfind(&wanted, &calls->tree, compare);

	if (found)
		return (*found)->number;
	function = need(malloc(sizeof(*function)));
	*function = (struct function){ need(strdup(name)), calls->n };
	need(tsearch(function, &calls->tree, compare));
	text_json(calls->functions, calls->n++ ? "," : "", name);
	return function->number;
}

/* Takes "process;thread;outer;inner". */
static void add_way(void *arg, char *way, uint64_t samples, uint64_t events)
{
	struct calls *calls = arg;
	const char *before = "";
	char *name = strsep(&way, ";"); /* a process may have an empty name */

	text_json(calls->stacks, ftell(calls->stacks) > 0 ? ",{\"comm\":" : "{\"comm\":", name);
	text_json(calls->stacks, ",\"thread\":", strsep(&way, ";"));
	fprintf(calls->stacks, ",\"samples\":%llu", (unsigned long long)samples);
	if (calls->weighted)
		fprintf(calls->stacks, ",\"events\":%llu", (unsigned long long)events);
	fputs(",\"calls\":[", calls->stacks);
	while ((name = strsep(&way, ";"))) {
		fprintf(calls->stacks, "%s%zu", before, number_of(calls, name));
		before = ",";
	}
	fputs("]}", calls->stacks);
}

static void free_function(void *function)
{
	free(((struct function *)function)->name);
	free(function);
}

void calls_json(struct histogram *histogram, FILE *file)
{
	struct calls calls = { .weighted = histogram_is_weighted(histogram) };
	char *functions, *stacks;
	size_t size;

	calls.functions = need(open_memstream(&functions, &size));
	calls.stacks = need(open_memstream(&stacks, &size));
	histogram_ways(histogram, true, add_way, &calls);
	if (fclose(calls.functions) != 0 || fclose(calls.stacks) != 0)
		need(NULL);
	fprintf(file, "\"functions\":[%s],\"stacks\":[%s]", functions, stacks);
	tdestroy(calls.tree, free_function);
	free(functions);
	free(stacks);
}
