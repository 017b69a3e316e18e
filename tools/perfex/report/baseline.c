// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/document.h"
#include "tools/perfex/report/baseline.h"
#include "tools/perfex/report/ratio.h"

/* ---- from a file ---- */

struct reader {
	struct baseline *baseline;
	char *reason;
	size_t room;
};

static int refuse(const struct reader *reader, const struct node *node, const char *what)
{
	snprintf(reader->reason, reader->room, "line %u: %s", node->line, what);
	return -1;
}

static struct baseline_event *add_event(struct baseline *baseline, const char *name,
					const char *asked)
{
	struct baseline_event *event;

	baseline->event = need(reallocarray(baseline->event, baseline->n + 1, sizeof(*event)));
	event = &baseline->event[baseline->n++];
	*event = (struct baseline_event){ .name = need(strdup(name)),
					  .asked = need(strdup(asked ? asked : name)) };
	return event;
}

static const struct series *find_event(const struct baseline *baseline, const char *name)
{
	static const struct series none;
	unsigned int i;

	for (i = 0; i < baseline->n; i++)
		if (!strcmp(baseline->event[i].name, name))
			return &baseline->event[i].series;
	return &none;
}

static int read_value(const struct reader *reader, const struct node *value, struct series *series)
{
	if (value->type != PERFCTR_JSON_NULL &&
	    (value->type != PERFCTR_JSON_NUMBER || value->number < 0))
		return refuse(reader, value, "a value is null or a number that is not negative");
	series_add(series, value->type == PERFCTR_JSON_NULL ? NAN : (double)value->number);
	return 0;
}

static int read_event(const struct reader *reader, const struct node *node)
{
	const struct node *name = node_member(node, "event", PERFCTR_JSON_STRING), *value;
	const struct node *values = node_member(node, "values", PERFCTR_JSON_ARRAY);
	const struct node *asked = node_member(node, "asked", PERFCTR_JSON_STRING);
	struct baseline_event *event;

	if (!name || !values)
		return refuse(reader, node, "an event has its name and the values of each run");
	if (find_event(reader->baseline, name->string)->n)
		return 0; /* as it is given twice, so it is found: the first one */
	event = add_event(reader->baseline, name->string, asked ? asked->string : NULL);
	for (value = values->child; value; value = value->next)
		if (read_value(reader, value, &event->series) < 0)
			return -1;
	if (event->series.n != reader->baseline->runs)
		return refuse(reader, values, "there is not one value for each of the runs");
	return 0;
}

static int read_events(const struct reader *reader, const struct node *root)
{
	const struct node *events = node_member(root, "events", PERFCTR_JSON_ARRAY), *event;

	if (!events)
		return refuse(reader, root, "it has no events");
	for (event = events->child; event; event = event->next)
		if (read_event(reader, event) < 0)
			return -1;
	return 0;
}

/* The seconds of each run. */
static int read_times(const struct reader *reader, const struct node *root)
{
	const struct node *series = node_member(root, "series", PERFCTR_JSON_ARRAY), *run, *time,
			  *left_out;

	for (run = series ? series->child : NULL; run; run = run->next) {
		time = node_member(run, "elapsed_s", PERFCTR_JSON_NUMBER);
		if (!time || time->number < 0)
			return refuse(reader, run, "a run has elapsed_s, which is not negative");
		left_out = node_member(run, "left_out", PERFCTR_JSON_BOOL);
		series_add(&reader->baseline->elapsed,
			   left_out && left_out->number > 0 ? NAN : (double)time->number);
	}
	if (reader->baseline->elapsed.n != reader->baseline->runs)
		return refuse(reader, series ? series : root, "there is not one time for each run");
	return 0;
}

static int read_root(const struct reader *reader, const struct node *root)
{
	const struct node *runs = node_member(root, "runs", PERFCTR_JSON_NUMBER);
	const struct node *other = node_of_other_type(root, "counts");

	if (other)
		return refuse(reader, other,
			      "its type is not \"counts\": make it with \"perfex -r N --json\"");
	if (!runs || runs->number < 2 || runs->number > 1000000)
		return refuse(
			reader, runs ? runs : root,
			"it has not the results of at least two runs: make it with \"perfex -r N "
			"--json\"");
	reader->baseline->runs = (unsigned int)runs->number;
	reader->baseline->emulated = node_member(root, "emulator", PERFCTR_JSON_STRING);
	reader->baseline->once = node_member(root, "repeats", PERFCTR_JSON_NUMBER);
	return read_events(reader, root) < 0 ? -1 : read_times(reader, root);
}

static int read_document(struct baseline *baseline, const struct document *document, int result,
			 char *reason, size_t room)
{
	const struct reader reader = { baseline, reason, room };

	*baseline = (struct baseline){ .n = 0 };
	if (result == 0)
		return read_root(&reader, document->root);
	snprintf(reason, room, "%s", document->problem);
	return -1;
}

int baseline_parse(struct baseline *baseline, const char *text, size_t size, char *reason,
		   size_t room)
{
	struct document document;
	int result = document_parse(&document, text, size);

	result = read_document(baseline, &document, result, reason, room);
	document_free(&document);
	return result;
}

void baseline_read(struct baseline *baseline, const char *path)
{
	struct document document;
	char reason[256];
	int result = document_read(&document, path);

	result = read_document(baseline, &document, result, reason, sizeof(reason));
	document_free(&document);
	if (result < 0)
		die("--compare: %s can't be used: %s", path, reason);
}

/* ---- from results ---- */

void baseline_take(struct baseline *baseline, const struct results *results)
{
	unsigned int i, r;

	*baseline = (struct baseline){ .runs = results->repeats };
	for (i = 0; i < results->run->events->n; i++) {
		const struct series *from = &results->result[i].taken.series;
		struct baseline_event *to = add_event(baseline, results->run->events->event[i].name,
						      NULL);

		for (r = 0; r < from->n; r++)
			series_add(&to->series, from->value[r]);
	}
	baseline->elapsed = results_elapsed(results);
}

/* ---- comparison ---- */

/* Divides one series by another one, run by run. */
static struct series divide(const struct series *part, const struct series *whole)
{
	struct series series = { .n = 0 };
	unsigned int r;

	for (r = 0; r < part->n && r < whole->n; r++)
		series_add(&series, whole->value[r] > 0 ? part->value[r] / whole->value[r] : NAN);
	return series;
}

static void compare_ratio(const struct baseline *baseline, const struct results *results,
			  unsigned int i, unsigned int whole, struct comparison *comparison)
{
	const struct event *event = results->run->events->event;
	struct series now = divide(&results->result[i].taken.series,
				   &results->result[whole].taken.series);
	struct series before = divide(find_event(baseline, event[i].name),
				      find_event(baseline, event[whole].name));
	char *name = need(malloc(strlen(event[i].name) + strlen(event[whole].name) + 4));

	sprintf(name, "%s / %s", event[i].name, event[whole].name);
	comparison_add(comparison, name, "", 1, &before, &now);
	free(name);
	series_free(&now);
	series_free(&before);
}

void baseline_compare(const struct baseline *baseline, const struct results *results,
		      struct comparison *comparison)
{
	const struct events *events = results->run->events;
	struct series elapsed = results_elapsed(results);
	unsigned int i, whole;

	for (i = 0; i < events->n; i++)
		comparison_add(comparison, events->event[i].name, events->event[i].is.unit,
			       events->event[i].is.scale,
			       find_event(baseline, events->event[i].name),
			       &results->result[i].taken.series);
	for (i = 0; i < events->n; i++) {
		whole = ratio_whole(results, NULL, i);
		if (whole != i)
			compare_ratio(baseline, results, i, whole, comparison);
	}
	/* How long valgrind took says nothing of the command. */
	if (!results->run->valgrind)
		comparison_add(comparison, "elapsed", "s", 1, &baseline->elapsed, &elapsed);
	comparison_decide(comparison);
	series_free(&elapsed);
}

void baseline_free(struct baseline *baseline)
{
	unsigned int i;

	for (i = 0; i < baseline->n; i++) {
		free(baseline->event[i].name);
		free(baseline->event[i].asked);
		series_free(&baseline->event[i].series);
	}
	free(baseline->event);
	series_free(&baseline->elapsed);
}
