// SPDX-License-Identifier: LGPL-2.1-or-later
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/document.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/regions/merge.h"

#define UINT64_MAX_NUMBER 18446744073709551616.0L /* the limit, since a count may be rounded */

/* The sums of one value of a region, or a metric, over the processes that have it. */
struct spread {
	unsigned int n;
	long double least, most, sum;
	unsigned int least_at, most_at; /* the processes that have them */
	char *quality; /* the first that is neither exact nor an estimate; or why there is no value
			  at all */
};

/* The visits of a region, or of a value of it. */
struct visits {
	long double ended, unfinished, uncounted;
};

struct row {
	char *region, *value, *unit;
	bool metric;
	unsigned int processes;
	struct visits visits;
	struct spread inclusive, exclusive;
	struct row *next;
};

struct process {
	char *host;
	long double pid, rank; /* rank -1: none */
};

struct merge {
	struct row *rows, **last;
	void *tree; /* the rows by region and value, for tsearch(3) */
	struct process *process;
	unsigned int n;
	const char *file;    /* that is being read */
	unsigned int before; /* processes in files before it */
	long double stray, left_out, unplaced;
	unsigned int died; /* processes of which these are not known */
};

static void refuse(const struct merge *merge, const struct node *node, const char *what)
{
	die("%s: line %u: %s; --merge takes reports of regions that --regions --json has written",
	    merge->file, node->line, what);
}

static const struct node *member(const struct merge *merge, const struct node *node,
				 const char *name, enum perfctr_json_type type)
{
	const struct node *found = node_member(node, name, type);

	if (!found)
		refuse(merge, node, name);
	return found;
}

static long double checked(const struct merge *merge, const struct node *found)
{
	if (found->number < 0)
		refuse(merge, found, "a number is negative");
	if (found->number > UINT64_MAX_NUMBER)
		refuse(merge, found, "a number is too big");
	return found->number;
}

static long double number(const struct merge *merge, const struct node *node, const char *name)
{
	return checked(merge, member(merge, node, name, PERFCTR_JSON_NUMBER));
}

/* Returns a number of troubles; 0: there is none. */
static long double trouble(const struct merge *merge, const struct node *node, const char *name)
{
	const struct node *found = node_member(node, name, PERFCTR_JSON_NUMBER);

	return found ? checked(merge, found) : 0;
}

static char *string(const struct merge *merge, const struct node *node, const char *name)
{
	return need(strdup(member(merge, node, name, PERFCTR_JSON_STRING)->string));
}

static void add(struct spread *spread, long double value, unsigned int at)
{
	if (!spread->n || value < spread->least) {
		spread->least = value;
		spread->least_at = at;
	}
	if (!spread->n || value > spread->most) {
		spread->most = value;
		spread->most_at = at;
	}
	spread->sum += value;
	spread->n++;
}

/* A metric of a process may have no value. */
static void add_metric(const struct merge *merge, struct spread *spread, const struct node *node,
		       const char *name)
{
	const struct node *found = node_member(node, name, PERFCTR_JSON_NUMBER);

	if (!found)
		member(merge, node, name, PERFCTR_JSON_NULL);
	else if (found->number > UINT64_MAX_NUMBER || found->number < -UINT64_MAX_NUMBER)
		refuse(merge, found, "a number is too big");
	else
		add(spread, found->number, merge->n);
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->region, y->region);

	if (!order)
		order = x->metric - y->metric;
	return order ? order : strcmp(x->value, y->value);
}

/* Finds or adds a row; they are in the order of first occurrence. name: "value", or "metric". */
static struct row *find_row(struct merge *merge, const char *region, const struct node *node,
			    const char *name)
{
	const char *value = member(merge, node, name, PERFCTR_JSON_STRING)->string;
	const struct row key = { .region = (char *)region,
				 .value = (char *)value,
				 .metric = *name == 'm' };
	struct row *const *found = tfind(&key, &merge->tree, compare), *row;

	if (found)
		return *found;
	row = need(calloc(1, sizeof(*row)));
	row->region = need(strdup(region));
	row->value = need(strdup(value));
	row->metric = key.metric;
	row->unit = string(merge, node, "unit");
	row->inclusive.quality = need(strdup("exact"));
	row->exclusive.quality = need(strdup("exact"));
	need(tsearch(row, &merge->tree, compare));
	*merge->last = row;
	merge->last = &row->next;
	return row;
}

static void add_quality(struct spread *spread, const char *quality)
{
	bool estimate = strcmp(spread->quality, "estimate") == 0;

	if ((strcmp(spread->quality, "exact") != 0 && !estimate) || strcmp(quality, "exact") == 0)
		return;
	free(spread->quality);
	spread->quality = need(strdup(quality));
}

/* A sum of a value of a region; or of a metric, which may have a reason instead. */
static void add_sum(struct merge *merge, struct spread *spread, const struct node *node,
		    const char *name, const char *reason_name)
{
	const struct node *reason = reason_name
					    ? node_member(node, reason_name, PERFCTR_JSON_STRING)
					    : NULL;
	const struct node *quality = member(merge, node, "quality", PERFCTR_JSON_STRING);

	if (reason_name)
		add_metric(merge, spread, node, name);
	else
		add(spread, number(merge, node, name), merge->n);
	add_quality(spread, reason ? reason->string : quality->string);
}

static void add_value(struct merge *merge, const char *region, const struct visits *visits,
		      const struct node *node, const char *name)
{
	struct row *row = find_row(merge, region, node, name);

	add_sum(merge, &row->inclusive, node, "inclusive", row->metric ? "reason" : NULL);
	add_sum(merge, &row->exclusive, node, "exclusive", row->metric ? "exclusive_reason" : NULL);
	row->processes++;
	row->visits.ended += visits->ended;
	row->visits.unfinished += visits->unfinished;
	row->visits.uncounted += visits->uncounted;
}

static void add_region(struct merge *merge, const struct node *node)
{
	const char *region = member(merge, node, "region", PERFCTR_JSON_STRING)->string;
	const struct visits visits = {
		.ended = number(merge, node, "visits"),
		.unfinished = trouble(merge, node, "unfinished"),
		.uncounted = trouble(merge, node, "uncounted"),
	};
	const struct node *value, *metrics;

	if (node_member(node, "tid", PERFCTR_JSON_NUMBER))
		return; /* one thread: the process's own row includes it */
	for (value = member(merge, node, "values", PERFCTR_JSON_ARRAY)->child; value;
	     value = value->next)
		add_value(merge, region, &visits, value, "value");
	metrics = node_member(node, "metrics", PERFCTR_JSON_ARRAY);
	for (value = metrics ? metrics->child : NULL; value; value = value->next)
		add_value(merge, region, &visits, value, "metric");
}

static void add_process(struct merge *merge, const struct node *root)
{
	const struct node *rank = node_member(root, "rank", PERFCTR_JSON_NUMBER);
	struct process *process;
	unsigned int i;

	merge->process = need(reallocarray(merge->process, merge->n + 1, sizeof(*merge->process)));
	process = &merge->process[merge->n];
	process->host = string(merge, root, "host");
	process->pid = number(merge, root, "pid");
	process->rank = rank ? rank->number : -1;
	/* One file may have several programs that a process was. */
	for (i = 0; i < merge->before; i++)
		if (!strcmp(process->host, merge->process[i].host) &&
		    !(process->pid < merge->process[i].pid) &&
		    !(process->pid > merge->process[i].pid) &&
		    !(process->rank < merge->process[i].rank) &&
		    !(process->rank > merge->process[i].rank))
			die("%s is of the same process as a file before it: leave one out",
			    merge->file);
}

static void add_report(struct merge *merge, const struct node *root)
{
	const struct node *other = node_of_other_type(root, "regions"), *region;

	if (other)
		refuse(merge, other, "its type is not \"regions\"");
	add_process(merge, root);
	region = member(merge, root, "regions", PERFCTR_JSON_ARRAY)->child;
	for (; region; region = region->next)
		add_region(merge, region);
	merge->stray += trouble(merge, root, "ends_without_begin");
	merge->left_out += trouble(merge, root, "threads_left_out");
	merge->unplaced += trouble(merge, root, "visits_without_region");
	merge->died += node_member(root, "ends_without_begin", PERFCTR_JSON_NULL) != NULL;
	merge->n++;
}

static void add_file(struct merge *merge, const char *file)
{
	struct document document;
	const struct node *root;

	merge->file = file;
	merge->before = merge->n;
	if (document_read(&document, file) < 0)
		die("%s: %s", file, document.problem);
	for (root = document.first; root; root = root->next)
		add_report(merge, root);
	document_free(&document);
}

/* ---- results ---- */

static long double mean(const struct spread *spread)
{
	return spread->sum / spread->n;
}

/* Sums have no decimals. */
static int decimals(const struct row *row)
{
	return row->metric ? 3 : 0;
}

/* By how many percent the process with the most is above the mean. */
static long double imbalance(const struct spread *spread)
{
	return spread->sum > 0 ? (spread->most / mean(spread) - 1) * 100 : 0;
}

static void print_at(FILE *file, const struct merge *merge, unsigned int at)
{
	if (merge->process[at].rank < 0)
		fprintf(file, "pid %.0Lf", merge->process[at].pid);
	else
		fprintf(file, "rank %.0Lf", merge->process[at].rank);
}

static void print_place(FILE *file, const struct merge *merge, const struct row *row,
			long double value, unsigned int at)
{
	fprintf(file, " %16.*Lf (", decimals(row), value);
	print_at(file, merge, at);
	fputc(')', file);
}

static void print_table_sum(FILE *file, const struct merge *merge, const struct row *row)
{
	const struct spread *spread = &row->inclusive;

	if (!spread->n) {
		fprintf(file, " %16s ", "-");
		return;
	}
	fprintf(file, " %16.*Lf", decimals(row), mean(spread));
	print_place(file, merge, row, spread->least, spread->least_at);
	print_place(file, merge, row, spread->most, spread->most_at);
	fprintf(file, " %.1Lf%% ", imbalance(spread));
}

/* Prints a number with a noun in singular or plural. */
static void print_number(FILE *file, long double n, const char *one, const char *more)
{
	fprintf(file, "%.0Lf %s", n, n > 1 || n < 1 ? more : one);
}

/* Prints visits as the processes' reports do. */
static void print_visits(FILE *file, const struct visits *visits, int width)
{
	if (visits->unfinished > 0) {
		fprintf(file, "%*s ", width, "");
		print_number(file, visits->unfinished, "visit did not end\n",
			     "visits did not end\n");
	}
	if (visits->uncounted > 0) {
		fprintf(file, "%*s ", width, "");
		print_number(file, visits->uncounted, "visit was not counted\n",
			     "visits were not counted\n");
	}
}

static void print_table_end(FILE *file, const struct merge *merge)
{
	if (merge->stray > 0 || merge->left_out > 0 || merge->unplaced > 0 || merge->died)
		fputc('\n', file);
	if (merge->stray > 0 || merge->died)
		print_number(file, merge->stray, "end had no begin.\n", "ends had no begin.\n");
	if (merge->left_out > 0 || merge->died)
		print_number(file, merge->left_out, "thread could not be counted.\n",
			     "threads could not be counted.\n");
	if (merge->unplaced > 0)
		print_number(file, merge->unplaced, "visit was counted for no region.\n",
			     "visits were counted for no region.\n");
	if (merge->died)
		print_number(file, merge->died, "process died; of it that is not known.\n",
			     "processes died; of these that is not known.\n");
}

/* The names' column is as wide as the longest one, up to a limit. */
#define NARROWEST 24
#define WIDEST	  60

static int names_width(const struct merge *merge)
{
	const struct row *row;
	int width = NARROWEST;

	for (row = merge->rows; row; row = row->next)
		if (text_width(row->region) > width)
			width = text_width(row->region);
	return width < WIDEST ? width : WIDEST;
}

static void print_columns(FILE *file, const struct merge *merge)
{
	const struct row *row, *first = NULL;
	const int width = names_width(merge);

	fprintf(file, "%-*s %9s %12s  %-24s %16s %16s and %s, imbalance, quality\n", width,
		"region", "processes", "visits", "", "mean", "least", "most");
	for (row = merge->rows; row; row = row->next) {
		bool again = first && !strcmp(first->region, row->region);

		text_terminal(file, again ? "" : row->region, width);
		if (again)
			fprintf(file, " %9s %12s  ", "", "");
		else
			fprintf(file, " %9u %12.0Lf  ", row->processes, row->visits.ended);
		first = again ? first : row;
		text_terminal(file, row->value, 20);
		fputc(' ', file);
		text_terminal(file, row->unit, 3);
		print_table_sum(file, merge, row);
		text_terminal(file, row->inclusive.quality, 0);
		fputc('\n', file);
		if (!row->next || strcmp(row->next->region, row->region) != 0)
			print_visits(file, &first->visits, width);
	}
}

/* Returns the output of a print function, which the caller frees. */
static char *text_of(void (*print)(FILE *file, const struct merge *merge),
		     const struct merge *merge)
{
	char *text = NULL;
	size_t size;
	FILE *file = need(open_memstream(&text, &size));

	print(file, merge);
	if (fclose(file) != 0)
		need(NULL);
	return text;
}

/* Whether a line has more letters. */
static bool is_wider(const char *text, int columns)
{
	size_t length;
	bool wider = false;
	char *line;

	for (; *text && !wider; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		line = need(strndup(text, length));
		wider = text_width(line) > columns;
		free(line);
	}
	return wider;
}

static void fit_number(struct fit *fit, const char *before, const struct row *row,
		       long double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%.*Lf", before, decimals(row), value);
	fit_words(fit, text);
}

static void fit_place(struct fit *fit, const struct merge *merge, unsigned int at)
{
	const struct process *process = &merge->process[at];
	char text[64];

	snprintf(text, sizeof(text), process->rank < 0 ? " (pid %.0Lf)" : " (rank %.0Lf)",
		 process->rank < 0 ? process->pid : process->rank);
	fit_put(fit, text);
}

static void fit_sum(struct fit *fit, const struct merge *merge, const struct row *row)
{
	const struct spread *spread = &row->inclusive;
	char text[64];

	if (!spread->n) {
		fit_words(fit, " -");
		return;
	}
	fit_number(fit, " mean ", row, mean(spread));
	fit_number(fit, ", least ", row, spread->least);
	fit_place(fit, merge, spread->least_at);
	fit_number(fit, ", most ", row, spread->most);
	fit_place(fit, merge, spread->most_at);
	snprintf(text, sizeof(text), ", imbalance %.1Lf%%", imbalance(spread));
	fit_words(fit, text);
}

static void print_narrow_head(FILE *file, const struct row *row)
{
	struct fit fit = fit_begin(file, 2);
	char text[96];

	fit_words(&fit, row->region);
	snprintf(text, sizeof(text), ": %u process%s, %.0Lf visit%s", row->processes,
		 row->processes == 1 ? "" : "es", row->visits.ended,
		 row->visits.ended > 1 || row->visits.ended < 1 ? "s" : "");
	fit_words(&fit, text);
	fit_end(&fit);
}

/* Prints the columns' contents in words. */
static void print_narrow(FILE *file, const struct merge *merge)
{
	const struct row *row, *first = NULL;

	for (row = merge->rows; row; row = row->next) {
		struct fit fit = fit_begin(file, 6);

		if (!first || strcmp(first->region, row->region) != 0) {
			print_narrow_head(file, row);
			first = row;
		}
		fit_words(&fit, "    ");
		fit_words(&fit, row->value);
		fit_words(&fit, *row->unit ? " " : "");
		fit_words(&fit, row->unit);
		fit_put(&fit, ":");
		fit_sum(&fit, merge, row);
		fit_words(&fit, ", ");
		fit_words(&fit, row->inclusive.quality);
		fit_end(&fit);
		if (!row->next || strcmp(row->next->region, row->region) != 0)
			print_visits(file, &first->visits, NARROWEST);
	}
}

static void print_table(FILE *file, const struct merge *merge)
{
	char *columns = text_of(print_columns, merge);

	fputs("Regions of ", file);
	print_number(file, merge->n, "process: sums of all its threads, inclusive\n\n",
		     "processes: sums of all their threads, inclusive\n\n");
	if (terminal_columns(file) && is_wider(columns, terminal_columns(file)))
		print_narrow(file, merge);
	else
		fputs(columns, file);
	print_table_end(file, merge);
	free(columns);
}

static void print_csv_sum(FILE *file, const struct merge *merge, const struct row *row,
			  const char *name, const struct spread *spread)
{
	text_csv(file, "", row->region);
	text_csv(file, ",", row->value);
	text_csv(file, ",", row->unit);
	fprintf(file, ",%s,%u,%.0Lf,", name, row->processes, row->visits.ended);
	if (spread->n) {
		fprintf(file, "%.*Lf,", decimals(row), spread->least);
		print_at(file, merge, spread->least_at);
		fprintf(file, ",%.3Lf,%.*Lf,", mean(spread), decimals(row), spread->most);
		print_at(file, merge, spread->most_at);
		fprintf(file, ",%.3Lf", imbalance(spread));
	} else {
		fputs(",,,,,", file);
	}
	text_csv(file, ",", spread->quality);
	fprintf(file, ",%.0Lf,%.0Lf,%.0Lf,%.0Lf,%.0Lf,%u\n", row->visits.unfinished,
		row->visits.uncounted, merge->stray, merge->left_out, merge->unplaced, merge->died);
}

static void print_csv(FILE *file, const struct merge *merge)
{
	const struct row *row;

	fputs("region,value,unit,sum,processes,visits,minimum,minimum_at,mean,maximum,maximum_at,"
	      "imbalance_percent,quality,unfinished,uncounted,ends_without_begin,"
	      "threads_left_out,visits_without_region,processes_died\n",
	      file);
	for (row = merge->rows; row; row = row->next) {
		print_csv_sum(file, merge, row, "inclusive", &row->inclusive);
		print_csv_sum(file, merge, row, "exclusive", &row->exclusive);
	}
}

static void print_json_sum(FILE *file, const struct merge *merge, const struct row *row,
			   const char *name, const struct spread *spread)
{
	fprintf(file, ",\"%s\":", name);
	if (!spread->n) {
		fputs("null", file);
		return;
	}
	fprintf(file, "{\"minimum\":%.*Lf,\"minimum_at\":\"", decimals(row), spread->least);
	print_at(file, merge, spread->least_at);
	fprintf(file, "\",\"mean\":%.3Lf,\"maximum\":%.*Lf,\"maximum_at\":\"", mean(spread),
		decimals(row), spread->most);
	print_at(file, merge, spread->most_at);
	fprintf(file, "\",\"imbalance_percent\":%.3Lf}", imbalance(spread));
}

static void print_json(FILE *file, const struct merge *merge)
{
	const struct row *row;

	fprintf(file, "{\"type\":\"merged_regions\",\"processes\":%u,\"regions\":[", merge->n);
	for (row = merge->rows; row; row = row->next) {
		text_json(file, row == merge->rows ? "{\"region\":" : ",{\"region\":", row->region);
		text_json(file, row->metric ? ",\"metric\":" : ",\"value\":", row->value);
		text_json(file, ",\"unit\":", row->unit);
		text_json(file, ",\"quality\":", row->inclusive.quality);
		text_json(file, ",\"exclusive_quality\":", row->exclusive.quality);
		fprintf(file, ",\"processes\":%u,\"visits\":%.0Lf", row->processes,
			row->visits.ended);
		fprintf(file, ",\"unfinished\":%.0Lf,\"uncounted\":%.0Lf", row->visits.unfinished,
			row->visits.uncounted);
		print_json_sum(file, merge, row, "inclusive", &row->inclusive);
		print_json_sum(file, merge, row, "exclusive", &row->exclusive);
		fputs("}", file);
	}
	fprintf(file, "],\"ends_without_begin\":%.0Lf,\"threads_left_out\":%.0Lf", merge->stray,
		merge->left_out);
	fprintf(file, ",\"visits_without_region\":%.0Lf,\"processes_died\":%u}\n", merge->unplaced,
		merge->died);
}

static void free_all(struct merge *merge)
{
	struct row *row, *next;

	for (row = merge->rows; row; row = next) {
		next = row->next;
		tdelete(row, &merge->tree, compare);
		free(row->region);
		free(row->value);
		free(row->unit);
		free(row->inclusive.quality);
		free(row->exclusive.quality);
		free(row);
	}
	while (merge->n)
		free(merge->process[--merge->n].host);
	free(merge->process);
}

void merge_files(char **files, struct output *output, FILE *json)
{
	static void (*const formats[])(FILE *, const struct merge *) = {
		[FORMAT_TABLE] = print_table,
		[FORMAT_CSV] = print_csv,
		[FORMAT_JSON] = print_json,
	};
	struct merge merge = { .n = 0 };
	FILE *file;

	merge.last = &merge.rows;
	while (*files)
		add_file(&merge, *files++);
	if (!output->name)
		output->name = "-"; /* the results are the program's only output */
	output_open(output, getpid(), false);
	file = output->format == FORMAT_TABLE ? terminal_open(output->file) : output->file;
	formats[output->format](file, &merge);
	if (file != output->file)
		terminal_close(file);
	output_close(output);
	if (json)
		print_json(json, &merge);
	free_all(&merge);
}
