// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "die.h"
#include "output.h"

/* ---- values ---- */

/* "1,234,567" */
static void print_number(char *text, size_t size, uint64_t n)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), i;
	size_t k = 0;

	for (i = 0; i < length && k + 2 < size; i++) {
		if (i && (length - i) % 3 == 0)
			text[k++] = ',';
		text[k++] = digits[i];
	}
	text[k] = '\0';
}

/* Events that count ns. */
static bool is_clock(const char *name)
{
	size_t length = strcspn(name, ":");

	return length >= 9 && !strncmp(name + length - 5, "clock", 5);
}

static uint64_t value_of(const struct event *event)
{
	return perfctr_reading_estimate(&event->reading);
}

static bool counted(const struct event *event)
{
	return !event->reason && event->reading.quality != PERFCTR_NOT_COUNTED;
}

/* ---- ratios ---- */

/* The counted event called base, with the modifiers that event has; NULL if there is none. */
static const struct event *partner(const struct events *events, const struct event *event,
				   const char *base)
{
	const char *modifiers = strchr(event->name, ':');
	size_t length = strlen(base);
	unsigned int i;

	for (i = 0; i < events->n; i++) {
		const struct event *other = &events->event[i];
		const char *theirs = strchr(other->name, ':');

		if (!strncmp(other->name, base, length) &&
		    (other->name[length] == '\0' || other->name[length] == ':') &&
		    !strcmp(modifiers ? modifiers : "", theirs ? theirs : "") && counted(other) &&
		    value_of(other))
			return other;
	}
	return NULL;
}

/* The event of all accesses, of which a "misses" event counts some. */
static const struct event *accesses(const struct events *events, const struct event *event)
{
	static const struct {
		const char *suffix, *accesses;
	} pairs[] = {
		{ "-load-misses", "-loads" },
		{ "-store-misses", "-stores" },
		{ "-prefetch-misses", "-prefetches" },
		{ "-misses", "-references" },
	};
	size_t length = strcspn(event->name, ":");
	char base[128];
	unsigned int i;

	if (length >= sizeof(base) - 16)
		return NULL;
	if (!strncmp(event->name, "branch-misses", length))
		return partner(events, event, "branches");
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		size_t n = strlen(pairs[i].suffix);

		if (length <= n || strncmp(event->name + length - n, pairs[i].suffix, n))
			continue;
		snprintf(base, sizeof(base), "%.*s%s", (int)(length - n), event->name,
			 pairs[i].accesses);
		return partner(events, event, base);
	}
	return NULL;
}

static const struct event *task_clock(const struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->n; i++)
		if (!strncmp(events->event[i].name, "task-clock", 10) &&
		    counted(&events->event[i]) && value_of(&events->event[i]))
			return &events->event[i];
	return NULL;
}

/* What the count means beside others; "" if there is nothing to compare it with. */
static void derive(const struct events *events, const struct event *event, double elapsed,
		   char *text, size_t size)
{
	double value = (double)value_of(event), rate;
	const struct event *other, *clock = task_clock(events);

	text[0] = '\0';
	if (is_clock(event->name)) {
		if (elapsed > 0)
			snprintf(text, size, "%.3f CPUs utilized", value / 1e9 / elapsed);
		return;
	}
	if (!strncmp(event->name, "instructions", 12)) {
		other = partner(events, event, "cycles");
		if (other) {
			snprintf(text, size, "%.2f insn per cycle",
				 value / (double)value_of(other));
			return;
		}
	}
	other = accesses(events, event);
	if (other) {
		snprintf(text, size, "%.2f%% of all %.*s", 100 * value / (double)value_of(other),
			 (int)strcspn(other->name, ":"), other->name);
		return;
	}
	if (!clock)
		return;
	rate = value / ((double)value_of(clock) / 1e9);
	if (!strncmp(event->name, "cycles", 6))
		snprintf(text, size, "%.3f GHz", rate / 1e9);
	else if (rate >= 1e6)
		snprintf(text, size, "%.3f M/sec", rate / 1e6);
	else if (rate >= 1e3)
		snprintf(text, size, "%.3f K/sec", rate / 1e3);
	else
		snprintf(text, size, "%.3f /sec", rate);
}

/* ---- the table ---- */

/* The reasons that have been shown with a number, once each. */
struct footnotes {
	const char *text[64];
	unsigned int n;
};

static unsigned int footnote(struct footnotes *notes, const char *reason)
{
	unsigned int i;

	for (i = 0; i < notes->n; i++)
		if (!strcmp(notes->text[i], reason))
			return i + 1;
	if (notes->n == sizeof(notes->text) / sizeof(notes->text[0]))
		return 0;
	notes->text[notes->n++] = reason;
	return notes->n;
}

static void print_footnotes(FILE *file, const struct footnotes *notes)
{
	unsigned int i;

	for (i = 0; i < notes->n; i++)
		fprintf(file, "%s [%u] %s\n", i ? "" : "\n", i + 1, notes->text[i]);
}

/* The mean of the runs, and their standard deviation. */
static double mean_of(const struct output *output, unsigned int i, double *deviation)
{
	double mean = output->sum[i] / output->repeats;

	*deviation = sqrt(fmax(0, output->squares[i] / output->repeats - mean * mean));
	return mean;
}

static void print_row(const struct output *output, const struct events *events, unsigned int i,
		      double elapsed, struct footnotes *notes)
{
	const struct event *event = &events->event[i];
	const struct perfctr_reading *reading = &event->reading;
	char value[64], derived[128] = "", note[64] = "";
	double mean, deviation;

	if (!counted(event)) {
		fprintf(output->file, " %20s       %-28s [%u]\n", "<not counted>", event->name,
			footnote(notes, event->reason ? event->reason : "it was never on the PMU"));
		return;
	}
	if (is_clock(event->name))
		snprintf(value, sizeof(value), "%.2f", (double)value_of(event) / 1e6);
	else
		print_number(value, sizeof(value), value_of(event));
	if (output->repeats > 1) {
		mean = mean_of(output, i, &deviation);
		if (is_clock(event->name))
			snprintf(value, sizeof(value), "%.2f", mean / 1e6);
		else
			print_number(value, sizeof(value), (uint64_t)(mean + 0.5));
		snprintf(note, sizeof(note), "  ± %.2f%%",
			 mean > 0 ? 100 * deviation / sqrt(output->repeats - 1) / mean : 0);
	} else if (reading->quality == PERFCTR_SCALED) {
		snprintf(note, sizeof(note), "  (estimate: counted %.2f%% of the time)",
			 100 * (double)reading->running / (double)reading->enabled);
	} else if (reading->quality == PERFCTR_STALE) {
		snprintf(note, sizeof(note), "  (stale: a processor went offline)");
	}
	derive(events, event, elapsed, derived, sizeof(derived));
	if (*note || *derived)
		fprintf(output->file, " %20s %-5s %-28s %s%s\n", value,
			is_clock(event->name) ? "msec" : "", event->name, derived, note);
	else
		fprintf(output->file, " %20s %-5s %s\n", value, is_clock(event->name) ? "msec" : "",
			event->name);
}

static void print_subject(const struct output *output)
{
	char **word;

	if (output->target || output->pid) {
		if (output->target)
			fprintf(output->file, "%s %s", output->target, output->target_name);
		else
			fprintf(output->file, "process %d", (int)output->pid);
		return;
	}
	fputs(output->first_thread ? "the first thread of " : "", output->file);
	for (word = output->command; *word; word++)
		fprintf(output->file, "%s%s", word == output->command ? "'" : " ", *word);
	fprintf(output->file, "'");
}

static void print_threads(const struct output *output, const struct events *events,
			  const struct tasks *tasks)
{
	char value[64];
	unsigned int i;
	size_t t;

	for (t = 0; t < tasks->n; t++) {
		const struct task *task = &tasks->task[t];

		fprintf(output->file, " thread %d (%s)\n", (int)task->tid, task->comm);
		for (i = 0; i < events->n; i++) {
			const struct perfctr_reading *reading = &task->reading[i];

			if (!counted(&events->event[i]))
				continue;
			if (is_clock(events->event[i].name))
				snprintf(value, sizeof(value), "%.2f",
					 (double)perfctr_reading_estimate(reading) / 1e6);
			else
				print_number(value, sizeof(value),
					     perfctr_reading_estimate(reading));
			fprintf(output->file, " %20s %-5s %s%s\n", value,
				is_clock(events->event[i].name) ? "msec" : "",
				events->event[i].name,
				reading->quality == PERFCTR_SCALED	  ? "  (estimate)"
				: reading->quality == PERFCTR_NOT_COUNTED ? "  (never on the PMU)"
									  : "");
		}
		fprintf(output->file, "\n");
	}
	fprintf(output->file, " total of %zu thread%s\n", tasks->n, tasks->n == 1 ? "" : "s");
}

static void print_table(const struct output *output, const struct events *events,
			const struct tasks *tasks, const struct outcome *outcome, bool per_thread)
{
	struct footnotes notes = { .n = 0 };
	unsigned int i;

	fprintf(output->file, "\n counts of ");
	print_subject(output);
	if (output->repeats > 1)
		fprintf(output->file, ", mean of %u runs", output->repeats);
	fprintf(output->file, ":\n\n");
	if (per_thread)
		print_threads(output, events, tasks);
	for (i = 0; i < events->n; i++)
		print_row(output, events, i, outcome->elapsed, &notes);
	fprintf(output->file, "\n %.6f s elapsed", outcome->elapsed);
	if (outcome->ran)
		fprintf(output->file, ", %.6f s user, %.6f s system", outcome->user, outcome->sys);
	fprintf(output->file, "\n");
	print_footnotes(output->file, &notes);
	fprintf(output->file, "\n");
}

/* ---- CSV, RFC 4180 ---- */

static void csv_text(FILE *file, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, file);
		return;
	}
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

static void csv_row(const struct output *output, const struct event *event,
		    const struct perfctr_reading *reading, const char *prefix)
{
	fputs(prefix, output->file);
	if (counted(event))
		fprintf(output->file, "%llu",
			(unsigned long long)perfctr_reading_estimate(reading));
	fprintf(output->file, ",%s,", is_clock(event->name) ? "ns" : "");
	csv_text(output->file, event->name);
	fprintf(output->file, ",%s,%llu,%llu,",
		event->reason ? "not counted" : perfctr_quality_name(reading->quality),
		(unsigned long long)reading->enabled, (unsigned long long)reading->running);
	csv_text(output->file, event->reason ? event->reason : "");
}

static void csv_header(struct output *output, const char *prefix)
{
	if (!output->header)
		fprintf(output->file, "%svalue,unit,event,quality,enabled_ns,running_ns,reason%s\n",
			prefix, output->repeats > 1 ? ",mean,deviation" : "");
	output->header = true;
}

static void print_csv(struct output *output, const struct events *events, const struct tasks *tasks,
		      bool per_thread)
{
	double mean, deviation;
	char prefix[32];
	unsigned int i;
	size_t t;

	csv_header(output, per_thread ? "tid," : "");
	for (t = 0; t < tasks->n && per_thread; t++) {
		snprintf(prefix, sizeof(prefix), "%d,", (int)tasks->task[t].tid);
		for (i = 0; i < events->n; i++) {
			csv_row(output, &events->event[i], &tasks->task[t].reading[i], prefix);
			fputc('\n', output->file);
		}
	}
	for (i = 0; i < events->n; i++) {
		csv_row(output, &events->event[i], &events->event[i].reading,
			per_thread ? "total," : "");
		if (output->repeats > 1 && counted(&events->event[i])) {
			mean = mean_of(output, i, &deviation);
			fprintf(output->file, ",%.3f,%.3f", mean, deviation);
		} else if (output->repeats > 1) {
			fprintf(output->file, ",,");
		}
		fputc('\n', output->file);
	}
}

/* ---- JSON ---- */

/* The length of the UTF-8 sequence that text begins with; 0 if it is none. */
static unsigned int utf8(const unsigned char *text)
{
	unsigned int n = text[0] < 0x80	  ? 1
			 : text[0] < 0xC2 ? 0
			 : text[0] < 0xE0 ? 2
			 : text[0] < 0xF0 ? 3
			 : text[0] < 0xF5 ? 4
					  : 0,
		     i;

	for (i = 1; i < n; i++)
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what is beyond Unicode. */
	if ((n == 3 &&
	     ((text[0] == 0xE0 && text[1] < 0xA0) || (text[0] == 0xED && text[1] > 0x9F))) ||
	    (n == 4 &&
	     ((text[0] == 0xF0 && text[1] < 0x90) || (text[0] == 0xF4 && text[1] > 0x8F))))
		return 0;
	return n;
}

static void json_text(FILE *file, const char *string)
{
	const unsigned char *text = (const unsigned char *)string;
	unsigned int n;

	fputc('"', file);
	while (*text) {
		n = utf8(text);
		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (*text < 0x20)
			fprintf(file, "\\u%04x", *text);
		else if (n == 0)
			fputs("\\ufffd", file);
		else
			fwrite(text, 1, n, file);
		text += n ? n : 1;
	}
	fputc('"', file);
}

static void json_reading(const struct output *output, const struct event *event,
			 const struct perfctr_reading *reading)
{
	FILE *file = output->file;

	fprintf(file, "{\"event\":");
	json_text(file, event->name);
	if (counted(event))
		fprintf(file, ",\"value\":%llu,\"estimate\":%llu",
			(unsigned long long)reading->value,
			(unsigned long long)perfctr_reading_estimate(reading));
	else
		fprintf(file, ",\"value\":null,\"estimate\":null");
	fprintf(file, ",\"unit\":\"%s\",\"quality\":\"%s\",\"enabled_ns\":%llu,\"running_ns\":%llu",
		is_clock(event->name) ? "ns" : "",
		event->reason ? "not counted" : perfctr_quality_name(reading->quality),
		(unsigned long long)reading->enabled, (unsigned long long)reading->running);
	fprintf(file, ",\"reason\":");
	if (event->reason)
		json_text(file, event->reason);
	else
		fprintf(file, "null");
}

static void json_event(const struct output *output, const struct events *events, unsigned int i)
{
	const struct event *event = &events->event[i];
	double mean, deviation;

	json_reading(output, event, &event->reading);
	if (output->repeats > 1 && counted(event)) {
		mean = mean_of(output, i, &deviation);
		fprintf(output->file, ",\"mean\":%.3f,\"deviation\":%.3f", mean, deviation);
	}
	fprintf(output->file, "}");
}

static void print_json(const struct output *output, const struct events *events,
		       const struct tasks *tasks, const struct outcome *outcome, bool per_thread)
{
	FILE *file = output->file;
	unsigned int i;
	char **word;
	size_t t;

	fprintf(file, "{");
	if (output->pid)
		fprintf(file, "\"pid\":%d,", (int)output->pid);
	if (output->target) {
		fprintf(file, "\"%s\":", output->target);
		json_text(file, output->target_name);
		fprintf(file, ",");
	}
	if (output->command) {
		fprintf(file, "\"command\":[");
		for (word = output->command; *word; word++) {
			fprintf(file, "%s", word == output->command ? "" : ",");
			json_text(file, *word);
		}
		fprintf(file, "],");
	}
	fprintf(file, "\"runs\":%u,\"events\":[", output->repeats);
	for (i = 0; i < events->n; i++) {
		fprintf(file, "%s", i ? "," : "");
		json_event(output, events, i);
	}
	fprintf(file, "]");
	for (t = 0; t < tasks->n && per_thread; t++) {
		fprintf(file, "%s{\"tid\":%d,\"comm\":", t ? "," : ",\"threads\":[",
			(int)tasks->task[t].tid);
		json_text(file, tasks->task[t].comm);
		fprintf(file, ",\"events\":[");
		for (i = 0; i < events->n; i++) {
			fprintf(file, "%s", i ? "," : "");
			json_reading(output, &events->event[i], &tasks->task[t].reading[i]);
			fprintf(file, "}");
		}
		fprintf(file, "]}%s", t + 1 == tasks->n ? "]" : "");
	}
	fprintf(file, ",\"elapsed_s\":%.6f", outcome->elapsed);
	if (outcome->ran) {
		fprintf(file, ",\"user_s\":%.6f,\"sys_s\":%.6f", outcome->user, outcome->sys);
		if (WIFEXITED(outcome->status))
			fprintf(file, ",\"exit_status\":%d", WEXITSTATUS(outcome->status));
		else
			fprintf(file, ",\"signal\":%d", WTERMSIG(outcome->status));
	}
	fprintf(file, "}\n");
}

/* ---- what perfex.c calls ---- */

void output_repeat(struct output *output, const struct events *events)
{
	unsigned int i;

	output->sum = need(reallocarray(output->sum, events->n, sizeof(double)));
	output->squares = need(reallocarray(output->squares, events->n, sizeof(double)));
	for (i = 0; i < events->n; i++) {
		double value = (double)value_of(&events->event[i]);

		output->sum[i] = (output->repeats ? output->sum[i] : 0) + value;
		output->squares[i] = (output->repeats ? output->squares[i] : 0) + value * value;
	}
	output->repeats++;
}

void output_tick(struct output *output, const struct events *events, double seconds)
{
	struct perfctr_reading delta;
	char prefix[32], value[64];
	unsigned int i;

	if (!output->last)
		output->last = need(calloc(events->n, sizeof(*output->last)));
	if (output->format == FORMAT_JSON)
		fprintf(output->file, "{\"time_s\":%.6f,\"events\":[", seconds);
	for (i = 0; i < events->n; i++) {
		const struct event *event = &events->event[i];

		delta = event->reading;
		delta.value -= output->last[i].value;
		delta.enabled -= output->last[i].enabled;
		delta.running -= output->last[i].running;
		output->last[i] = event->reading;
		if (delta.quality != PERFCTR_NOT_COUNTED && delta.quality != PERFCTR_STALE)
			delta.quality = delta.running == delta.enabled ? PERFCTR_EXACT
					: delta.running		       ? PERFCTR_SCALED
								       : PERFCTR_NOT_COUNTED;
		snprintf(prefix, sizeof(prefix), "%.6f,", seconds);
		switch (output->format) {
		case FORMAT_CSV:
			csv_header(output, "time_s,");
			csv_row(output, event, &delta, prefix);
			fputc('\n', output->file);
			break;
		case FORMAT_JSON:
			fprintf(output->file, "%s", i ? "," : "");
			json_reading(output, event, &delta);
			fprintf(output->file, "}");
			break;
		case FORMAT_TABLE:
			print_number(value, sizeof(value), perfctr_reading_estimate(&delta));
			if (is_clock(event->name))
				snprintf(value, sizeof(value), "%.2f",
					 (double)perfctr_reading_estimate(&delta) / 1e6);
			fprintf(output->file, " %12.6f %20s %-5s %s%s\n", seconds,
				event->reason || delta.quality == PERFCTR_NOT_COUNTED
					? "<not counted>"
					: value,
				is_clock(event->name) ? "msec" : "", event->name,
				delta.quality == PERFCTR_SCALED ? "  (estimate)" : "");
		}
	}
	if (output->format == FORMAT_JSON)
		fprintf(output->file, "]}\n");
	fflush(output->file);
}

void output_end(struct output *output, const struct events *events, const struct tasks *tasks,
		const struct outcome *outcome, bool per_thread)
{
	switch (output->format) {
	case FORMAT_TABLE: print_table(output, events, tasks, outcome, per_thread); break;
	case FORMAT_CSV:
		if (!output->last) /* else the intervals are the output */
			print_csv(output, events, tasks, per_thread);
		break;
	case FORMAT_JSON: print_json(output, events, tasks, outcome, per_thread);
	}
}

void output_free(struct output *output)
{
	free(output->sum);
	free(output->squares);
	free(output->last);
}
