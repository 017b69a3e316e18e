// SPDX-License-Identifier: LGPL-2.1-or-later
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
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
	unsigned int absent; /* ranks without it, which count as zero */
	unsigned int *at;    /* the processes that have it */
	struct visits visits;
	struct spread inclusive, exclusive;
	struct row *next;
};

/* An event or a metric that processes could not count. */
struct not_counted {
	char *name, *reason;
	unsigned int processes;
	struct not_counted *next;
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
	long double stray, left_out, stale, unplaced, children;
	unsigned int died; /* processes of which these are not known */
	struct not_counted *not_counted;
};

static void refuse(const struct merge *merge, const struct node *node, const char *what)
{
	die("%s: line %u: %s; reports of regions are written by --regions --json", merge->file,
	    node->line, what);
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
	row->at = need(reallocarray(row->at, row->processes + 1, sizeof(*row->at)));
	row->at[row->processes++] = merge->n;
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

/* They stay in the order of first occurrence. */
static void add_not_counted(struct merge *merge, const struct node *node)
{
	const char *name = member(merge, node, "name", PERFCTR_JSON_STRING)->string;
	const char *reason = member(merge, node, "reason", PERFCTR_JSON_STRING)->string;
	struct not_counted **at = &merge->not_counted;

	while (*at && (strcmp((*at)->name, name) != 0 || strcmp((*at)->reason, reason) != 0))
		at = &(*at)->next;
	if (!*at) {
		*at = need(calloc(1, sizeof(**at)));
		(*at)->name = need(strdup(name));
		(*at)->reason = need(strdup(reason));
	}
	(*at)->processes++;
}

static void add_report(struct merge *merge, const struct node *root)
{
	const struct node *region, *names = node_member(root, "not_counted", PERFCTR_JSON_ARRAY);

	add_process(merge, root);
	region = member(merge, root, "regions", PERFCTR_JSON_ARRAY)->child;
	for (; region; region = region->next)
		add_region(merge, region);
	for (names = names ? names->child : NULL; names; names = names->next)
		add_not_counted(merge, names);
	merge->stray += trouble(merge, root, "ends_without_begin");
	merge->left_out += trouble(merge, root, "threads_left_out");
	merge->stale += trouble(merge, root, "threads_stale");
	merge->unplaced += trouble(merge, root, "visits_without_region");
	merge->children += trouble(merge, root, "children_left_out");
	merge->died += node_member(root, "ends_without_begin", PERFCTR_JSON_NULL) != NULL;
	merge->n++;
}

unsigned int merge_add(struct merge *merge, const char *file, const struct node *first)
{
	merge->file = file;
	merge->before = merge->n;
	for (; first; first = first->next)
		if (!node_of_other_type(first, "regions"))
			add_report(merge, first);
	return merge->n - merge->before;
}

/* ---- ranks that have not been in a region ---- */

static int by_rank(const void *a, const void *b)
{
	const struct process *const *x = a, *const *y = b;

	return ((*x)->rank > (*y)->rank) - ((*x)->rank < (*y)->rank);
}

/* One process of each rank, in the order of ranks. Returns their number. */
static unsigned int list_ranks(const struct merge *merge, const struct process **list)
{
	unsigned int i, n = 0, ranks = 0;

	for (i = 0; i < merge->n; i++)
		if (merge->process[i].rank >= 0)
			list[n++] = &merge->process[i];
	qsort(list, n, sizeof(*list), by_rank);
	for (i = 0; i < n; i++)
		if (!ranks || by_rank(&list[ranks - 1], &list[i]) != 0)
			list[ranks++] = list[i];
	return ranks;
}

/* A rank that never entered a region has waited elsewhere: it counts as zero. seen: for each rank.
 */
static void add_absent(const struct merge *merge, struct row *row, const struct process **list,
		       unsigned int ranks, bool *seen)
{
	const struct process *process, **found;
	unsigned int i;

	memset(seen, 0, ranks * sizeof(*seen));
	for (i = 0; i < row->processes; i++) {
		process = &merge->process[row->at[i]];
		found = bsearch(&process, list, ranks, sizeof(*list), by_rank);
		if (found)
			seen[found - list] = true;
	}
	for (i = 0; i < ranks; i++) {
		if (seen[i])
			continue;
		row->absent++;
		add(&row->inclusive, 0, (unsigned int)(list[i] - merge->process));
		add(&row->exclusive, 0, (unsigned int)(list[i] - merge->process));
	}
}

void merge_end(struct merge *merge)
{
	const struct process **list = need(calloc(merge->n + 1, sizeof(*list)));
	bool *seen = need(calloc(merge->n + 1, sizeof(*seen)));
	unsigned int ranks = list_ranks(merge, list);
	struct row *row;

	for (row = merge->rows; row; row = row->next)
		if (!row->metric)
			add_absent(merge, row, list, ranks, seen);
	free(list);
	free(seen);
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

/* Prints a number with a noun in singular or plural. */
static void print_number(FILE *file, long double n, const char *one, const char *more)
{
	fprintf(file, "%.0Lf %s", n, n > 1 || n < 1 ? more : one);
}

/* Prints visits as the processes' reports do. */
static void print_visits(FILE *file, const struct visits *visits)
{
	if (visits->unfinished > 0) {
		fputs("  ", file);
		print_number(file, visits->unfinished, "visit did not end\n",
			     "visits did not end\n");
	}
	if (visits->uncounted > 0) {
		fputs("  ", file);
		print_number(file, visits->uncounted, "visit was not counted\n",
			     "visits were not counted\n");
	}
}

static void print_not_counted(FILE *file, const struct merge *merge)
{
	const struct not_counted *event;

	for (event = merge->not_counted; event; event = event->next) {
		text_terminal(file, event->name, 0);
		fputs(" is not counted in ", file);
		print_number(file, event->processes, "process: ", "processes: ");
		text_terminal(file, event->reason, 0);
		fputc('\n', file);
	}
}

static void print_table_end(FILE *file, const struct merge *merge)
{
	if (merge->stray > 0 || merge->left_out > 0 || merge->unplaced > 0 || merge->children > 0 ||
	    merge->died || merge->not_counted)
		fputc('\n', file);
	print_not_counted(file, merge);
	if (merge->stray > 0 || merge->died)
		print_number(file, merge->stray, "end had no begin.\n", "ends had no begin.\n");
	if (merge->left_out > 0 || merge->died)
		print_number(file, merge->left_out, "thread could not be counted.\n",
			     "threads could not be counted.\n");
	if (merge->stale > 0)
		print_number(file, merge->stale,
			     "of these is stale: the program closed the descriptors of the "
			     "counters.\n",
			     "of these are stale: the program closed the descriptors of the "
			     "counters.\n");
	if (merge->unplaced > 0)
		print_number(file, merge->unplaced, "visit was counted for no region.\n",
			     "visits were counted for no region.\n");
	if (merge->children > 0)
		print_number(file, merge->children,
			     "child process had no report, or not yet one.\n",
			     "child processes had no report, or not yet one.\n");
	if (merge->died)
		print_number(file, merge->died, "process died; of it that is not known.\n",
			     "processes died; of these that is not known.\n");
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

static void print_sum(FILE *file, const struct row *row)
{
	const struct spread *spread = &row->inclusive;
	struct fit fit = fit_begin(file, 4);
	char text[64];

	fit_words(&fit, "  ");
	fit_words(&fit, row->value);
	fit_words(&fit, *row->unit ? " " : "");
	fit_words(&fit, row->unit);
	fit_put(&fit, ":");
	if (spread->n) {
		fit_number(&fit, " mean ", row, mean(spread));
		snprintf(text, sizeof(text), ", imbalance %.1Lf%%,", imbalance(spread));
		fit_words(&fit, text);
	}
	fit_words(&fit, " ");
	fit_words(&fit, row->inclusive.quality);
	fit_end(&fit);
}

static void print_extremes(FILE *file, const struct merge *merge, const struct row *row)
{
	const struct spread *spread = &row->inclusive;
	struct fit fit = fit_begin(file, 4);

	fit_number(&fit, "    minimum ", row, spread->least);
	fit_place(&fit, merge, spread->least_at);
	fit_number(&fit, ", maximum ", row, spread->most);
	fit_place(&fit, merge, spread->most_at);
	fit_end(&fit);
}

static void print_head(FILE *file, const struct row *row)
{
	struct fit fit = fit_begin(file, 2);
	char text[96];

	fit_words(&fit, row->region);
	snprintf(text, sizeof(text), ": %u process%s, %.0Lf visit%s", row->processes,
		 row->processes == 1 ? "" : "es", row->visits.ended,
		 row->visits.ended > 1 || row->visits.ended < 1 ? "s" : "");
	fit_words(&fit, text);
	snprintf(text, sizeof(text), ", %u rank%s absent", row->absent,
		 row->absent == 1 ? "" : "s");
	fit_words(&fit, row->absent ? text : "");
	fit_end(&fit);
}

static void print_rows(FILE *file, const struct merge *merge)
{
	const struct row *row, *first = NULL;

	for (row = merge->rows; row; row = row->next) {
		if (!first || strcmp(first->region, row->region) != 0) {
			print_head(file, row);
			first = row;
		}
		print_sum(file, row);
		if (row->inclusive.n)
			print_extremes(file, merge, row);
		if (!row->next || strcmp(row->next->region, row->region) != 0)
			print_visits(file, &first->visits);
	}
}

static void print_table(FILE *file, const struct merge *merge)
{
	fputs("Regions of ", file);
	print_number(file, merge->n, "process: sums of all its threads, inclusive\n\n",
		     "processes: sums of all their threads, inclusive\n\n");
	print_rows(file, merge);
	print_table_end(file, merge);
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
	fprintf(file, ",%.0Lf,%.0Lf,%.0Lf,%.0Lf,%.0Lf,%.0Lf,%u,%u,%.0Lf\n", row->visits.unfinished,
		row->visits.uncounted, merge->stray, merge->left_out, merge->stale, merge->unplaced,
		merge->died, row->absent, merge->children);
}

/* A row of no region: of an event that is not counted, whose reason is its quality; or of none
 * (""). */
static void print_csv_not_counted(FILE *file, const struct merge *merge, const char *name,
				  unsigned int processes, const char *reason)
{
	text_csv(file, ",", name);
	fprintf(file, ",,inclusive,%u,,,,,,,", processes);
	text_csv(file, ",", reason);
	fprintf(file, ",,,%.0Lf,%.0Lf,%.0Lf,%.0Lf,%u,,%.0Lf\n", merge->stray, merge->left_out,
		merge->stale, merge->unplaced, merge->died, merge->children);
}

static void print_csv(FILE *file, const struct merge *merge)
{
	const struct not_counted *event;
	const struct row *row;

	fputs("region,value,unit,sum,processes,visits,minimum,minimum_at,mean,maximum,maximum_at,"
	      "imbalance_percent,quality,unfinished,uncounted,ends_without_begin,"
	      "threads_left_out,threads_stale,visits_without_region,processes_died,absent_ranks,"
	      "children_left_out\n",
	      file);
	for (row = merge->rows; row; row = row->next) {
		print_csv_sum(file, merge, row, "inclusive", &row->inclusive);
		print_csv_sum(file, merge, row, "exclusive", &row->exclusive);
	}
	for (event = merge->not_counted; event; event = event->next)
		print_csv_not_counted(file, merge, event->name, event->processes, event->reason);
	if (!merge->rows && !merge->not_counted)
		print_csv_not_counted(file, merge, "", merge->n, "");
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

static void print_json_not_counted(FILE *file, const struct merge *merge)
{
	const struct not_counted *event;

	for (event = merge->not_counted; event; event = event->next) {
		fputs(event == merge->not_counted ? ",\"not_counted\":[" : ",", file);
		text_json(file, "{\"name\":", event->name);
		text_json(file, ",\"reason\":", event->reason);
		fprintf(file, ",\"processes\":%u}", event->processes);
	}
	if (merge->not_counted)
		fputc(']', file);
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
		fprintf(file, ",\"processes\":%u,\"absent_ranks\":%u,\"visits\":%.0Lf",
			row->processes, row->absent, row->visits.ended);
		fprintf(file, ",\"unfinished\":%.0Lf,\"uncounted\":%.0Lf", row->visits.unfinished,
			row->visits.uncounted);
		print_json_sum(file, merge, row, "inclusive", &row->inclusive);
		print_json_sum(file, merge, row, "exclusive", &row->exclusive);
		fputs("}", file);
	}
	fprintf(file, "],\"ends_without_begin\":%.0Lf,\"threads_left_out\":%.0Lf", merge->stray,
		merge->left_out);
	fprintf(file, ",\"threads_stale\":%.0Lf", merge->stale);
	fprintf(file,
		",\"visits_without_region\":%.0Lf,\"processes_died\":%u,\"children_left_out\":%.0Lf",
		merge->unplaced, merge->died, merge->children);
	print_json_not_counted(file, merge);
	fputs("}\n", file);
}

static void free_not_counted(struct merge *merge)
{
	struct not_counted *event;

	while ((event = merge->not_counted)) {
		merge->not_counted = event->next;
		free(event->name);
		free(event->reason);
		free(event);
	}
}

struct merge *merge_new(void)
{
	struct merge *merge = need(calloc(1, sizeof(*merge)));

	merge->last = &merge->rows;
	return merge;
}

void merge_free(struct merge *merge)
{
	struct row *row, *next;

	free_not_counted(merge);
	for (row = merge->rows; row; row = next) {
		next = row->next;
		tdelete(row, &merge->tree, compare);
		free(row->region);
		free(row->value);
		free(row->unit);
		free(row->at);
		free(row->inclusive.quality);
		free(row->exclusive.quality);
		free(row);
	}
	while (merge->n)
		free(merge->process[--merge->n].host);
	free(merge->process);
	free(merge);
}

void merge_json(const struct merge *merge, FILE *file)
{
	print_json(file, merge);
}

void merge_print(const struct merge *merge, struct output *output)
{
	static void (*const formats[])(FILE *, const struct merge *) = {
		[FORMAT_TABLE] = print_table,
		[FORMAT_CSV] = print_csv,
		[FORMAT_JSON] = print_json,
	};
	FILE *file;

	output_open(output, getpid(), false);
	file = output->format == FORMAT_TABLE ? terminal_open(output->file) : output->file;
	formats[output->format](file, merge);
	if (file != output->file)
		terminal_close(file);
	output_close(output);
}
