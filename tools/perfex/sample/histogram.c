// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/kallsyms.h"
#include "tools/perfex/sample/stacks.h"

#define ROWS	40 /* that are shown one by one */
#define BUCKETS 1024

struct process {
	struct process *next;
	uint32_t pid;
	uid_t owner;
	uint64_t turn;	  /* the turn in which it was last looked at */
	uint64_t version; /* changes with its files */
	size_t name;	  /* in names */
	struct map *map;  /* later ones hide earlier ones */
	size_t n, room;
};

/* By which one file is told from another with its name; all zero: there was none. */
struct stamp {
	dev_t device;
	ino_t inode;
	struct timespec changed;
};

struct file {
	char *name;
	uint32_t pid;		 /* the process of code in memory; else 0 */
	bool whole;		 /* has no instructions of its own that could be told apart */
	struct stamp stamp;	 /* when it was first seen */
	struct symbols *symbols; /* NULL: not read */
};

struct place {
	uint64_t count;	 /* 0: free */
	uint64_t events; /* that the samples stand for */
	uint64_t missed; /* the mispredicted branches among them */
	uint64_t offset;
	size_t file;
};

struct histogram {
	struct process *process[BUCKETS];
	struct file *file;
	size_t nfiles;
	struct place *place; /* a hash table of a size that is a power of two */
	size_t nplaces, places;
	struct stacks stacks;
	char **name; /* names of processes, each once */
	size_t nnames;
	uint64_t samples, events, turn, version;
};

enum { FILE_UNKNOWN, FILE_KERNEL };

/* ---- data ---- */

struct histogram *histogram_new(void)
{
	struct histogram *histogram = need(calloc(1, sizeof(*histogram)));

	histogram_file(histogram, 0, "[unknown]");
	histogram_file(histogram, 0, "[kernel]");
	histogram->file[FILE_KERNEL].whole = false;
	return histogram;
}

/* Memory that is no file's, into which a compiler may have written instructions. */
static bool is_anonymous(const char *name)
{
	return !strncmp(name, "//anon", 6) || !strncmp(name, "/memfd:", 7) ||
	       !strncmp(name, "/dev/zero", 9) || !strncmp(name, "/SYSV", 5) || !*name ||
	       !strncmp(name, "[heap]", 6) || !strncmp(name, "[anon:", 6);
}

static struct stamp stamp_of(const char *name)
{
	struct stat is;

	if (*name != '/' || stat(name, &is) < 0)
		return (struct stamp){ 0 };
	return (struct stamp){ is.st_dev, is.st_ino, is.st_mtim };
}

/* Whether another file has the name now, or the same one with other contents. */
static bool is_replaced(const struct file *file)
{
	struct stamp now = stamp_of(file->name);

	return now.inode && file->stamp.inode &&
	       (now.device != file->stamp.device || now.inode != file->stamp.inode ||
		now.changed.tv_sec != file->stamp.changed.tv_sec ||
		now.changed.tv_nsec != file->stamp.changed.tv_nsec);
}

const char *histogram_replaced(const struct histogram *histogram)
{
	size_t i;

	for (i = 0; i < histogram->nfiles; i++)
		if (is_replaced(&histogram->file[i]))
			return histogram->file[i].name;
	return NULL;
}

size_t histogram_file(struct histogram *histogram, uint32_t pid, const char *name)
{
	bool anonymous = is_anonymous(name);
	size_t i;

	if (anonymous)
		name = "[anon]";
	for (i = 0; i < histogram->nfiles; i++)
		if (!strcmp(histogram->file[i].name, name) &&
		    (!anonymous || histogram->file[i].pid == pid))
			return i;
	histogram->file = need(reallocarray(histogram->file, i + 1, sizeof(*histogram->file)));
	histogram->file[i] = (struct file){ .name = need(strdup(name)),
					    .pid = anonymous ? pid : 0,
					    .stamp = stamp_of(name),
					    .whole = name[0] != '/' && !anonymous };
	histogram->nfiles++;
	return i;
}

static size_t find_name(struct histogram *histogram, const char *name)
{
	size_t i;

	for (i = 0; i < histogram->nnames; i++)
		if (!strcmp(histogram->name[i], name))
			return i;
	histogram->name = need(reallocarray(histogram->name, i + 1, sizeof(*histogram->name)));
	histogram->name[i] = need(strdup(name));
	histogram->nnames++;
	return i;
}

/*
 * Returns the user whose files may name a process's functions. A process that has ended is taken
 * for this user's own.
 */
static uid_t owner_of(uint32_t pid)
{
	char path[32];
	struct stat stat;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return lstat(path, &stat) == 0 ? stat.st_uid : geteuid();
}

static struct process *known_process(const struct histogram *histogram, uint32_t pid)
{
	struct process *process = histogram->process[pid % BUCKETS];

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct process *find_process(struct histogram *histogram, uint32_t pid)
{
	struct process **list = &histogram->process[pid % BUCKETS];
	struct process *process = known_process(histogram, pid);

	if (process)
		return process;
	process = need(calloc(1, sizeof(*process)));
	process->pid = pid;
	process->owner = owner_of(pid);
	process->name = find_name(histogram, "[unknown]");
	process->next = *list;
	*list = process;
	return process;
}

void histogram_map(struct histogram *histogram, uint32_t pid, const struct map *map)
{
	struct process *process = find_process(histogram, pid);
	size_t i, kept = 0;

	/*
	 * A mapping that is completely covered is forgotten, so that programs that map on and on
	 * don't fill memory.
	 */
	for (i = 0; i < process->n; i++) {
		const struct map *old = &process->map[i];

		if (old->start < map->start || old->start - map->start > map->length ||
		    old->length > map->length - (old->start - map->start))
			process->map[kept++] = *old;
	}
	/* Code that is compiled at run time comes and goes, and is in no file. */
	if (kept < process->n || !histogram->file[map->file].pid)
		process->version = ++histogram->version;
	process->n = kept;
	if (process->n == process->room) {
		process->room = process->room * 2 + 16;
		process->map =
			need(reallocarray(process->map, process->room, sizeof(*process->map)));
	}
	process->map[process->n++] = *map;
}

void histogram_fork(struct histogram *histogram, uint32_t pid, uint32_t parent)
{
	struct process *from = find_process(histogram, parent), *to = find_process(histogram, pid);

	if (pid == parent)
		return; /* a thread */
	to->map = need(reallocarray(to->map, from->n + 1, sizeof(*to->map)));
	to->room = from->n + 1;
	to->n = from->n;
	to->name = from->name;
	to->version = ++histogram->version;
	if (from->n)
		memcpy(to->map, from->map, from->n * sizeof(*to->map));
}

void histogram_exec(struct histogram *histogram, uint32_t pid)
{
	struct process *process = find_process(histogram, pid);

	process->n = 0;
	process->version = ++histogram->version;
}

void histogram_name(struct histogram *histogram, uint32_t pid, const char *name)
{
	find_process(histogram, pid)->name = find_name(histogram, name);
}

void histogram_each_file(const struct histogram *histogram, uint32_t pid,
			 void (*each)(void *arg, const struct map *map, const char *file),
			 void *arg)
{
	const struct process *process = known_process(histogram, pid);
	size_t i;

	for (i = 0; process && i < process->n; i++) {
		const struct file *file = &histogram->file[process->map[i].file];

		if (!file->whole || !strcmp(file->name, "[vdso]"))
			if (!file->pid)
				each(arg, &process->map[i], file->name);
	}
}

uint64_t histogram_version(const struct histogram *histogram, uint32_t pid)
{
	const struct process *process = known_process(histogram, pid);

	return process ? process->version : 0;
}

/* ---- counting ---- */

static struct place *find_place(struct place *places, size_t size, size_t file, uint64_t offset)
{
	size_t i = (size_t)((offset * UINT64_C(0x9E3779B97F4A7C15) >> 20) + file * 31) & (size - 1);

	while (places[i].count && (places[i].file != file || places[i].offset != offset))
		i = (i + 1) & (size - 1);
	return &places[i];
}

static void grow(struct histogram *histogram)
{
	size_t size = histogram->places ? histogram->places * 2 : 1024, i;
	struct place *larger = need(calloc(size, sizeof(*larger)));

	for (i = 0; i < histogram->places; i++) {
		const struct place *place = &histogram->place[i];

		if (place->count)
			*find_place(larger, size, place->file, place->offset) = *place;
	}
	free(histogram->place);
	histogram->place = larger;
	histogram->places = size;
}

static void count_place(struct histogram *histogram, struct frame frame, bool missed,
			uint64_t events)
{
	struct place *place;

	if (histogram->nplaces * 2 >= histogram->places)
		grow(histogram);
	place = find_place(histogram->place, histogram->places, frame.file, frame.offset);
	histogram->nplaces += place->count == 0;
	place->file = frame.file;
	place->offset = frame.offset;
	place->count++;
	place->events += events;
	place->missed += missed;
	histogram->samples++;
	histogram->events += events;
}

/* Where a process' address is. */
static struct frame locate(const struct histogram *histogram, const struct process *process,
			   uint64_t address)
{
	size_t i = process->n;

	while (i--) {
		const struct map *map = &process->map[i];
		const struct file *file = &histogram->file[map->file];

		if (address < map->start || address - map->start >= map->length)
			continue;
		return (struct frame){ map->file, file->whole ? 0
						  : file->pid
							  ? address
							  : address - map->start + map->offset };
	}
	return (struct frame){ FILE_UNKNOWN, 0 };
}

int histogram_is_new(struct histogram *histogram, uint32_t pid, uint64_t address)
{
	struct process *process = find_process(histogram, pid);

	if (process->turn == histogram->turn ||
	    locate(histogram, process, address).file != FILE_UNKNOWN)
		return 0;
	process->turn = histogram->turn;
	return 1;
}

void histogram_turn(struct histogram *histogram)
{
	histogram->turn++;
}

void histogram_count(struct histogram *histogram, uint32_t pid, uint64_t address, uint64_t events)
{
	count_place(histogram, locate(histogram, find_process(histogram, pid), address), false,
		    events);
}

void histogram_count_kernel(struct histogram *histogram, uint64_t address, uint64_t events)
{
	count_place(histogram, (struct frame){ FILE_KERNEL, address }, false, events);
}

void histogram_branch(struct histogram *histogram, uint32_t pid, uint64_t from, bool kernel,
		      bool mispredicted)
{
	struct frame frame = { FILE_KERNEL, from };

	if (!kernel)
		frame = locate(histogram, find_process(histogram, pid), from);
	count_place(histogram, frame, mispredicted, 1);
}

/*
 * After the first address of each mode come return addresses, which may be the beginning of the
 * next function: the call is before them.
 */
void histogram_chain(struct histogram *histogram, uint32_t pid, const uint64_t *chain, uint64_t n,
		     uint64_t events)
{
	struct process *process = find_process(histogram, pid);
	struct frame *frame = need(calloc((size_t)n + 1, sizeof(*frame)));
	bool kernel = false, first = true;
	size_t frames = 0;
	uint64_t i;

	for (i = 0; i < n; i++) {
		if (chain[i] >= (uint64_t)PERF_CONTEXT_MAX) {
			kernel = chain[i] == (uint64_t)PERF_CONTEXT_KERNEL;
			first = true;
			continue;
		}
		frame[frames++] = kernel ? (struct frame){ FILE_KERNEL, chain[i] - !first }
					 : locate(histogram, process, chain[i] - !first);
		first = false;
	}
	stacks_count(&histogram->stacks, process->name, frame, frames, events);
	free(frame);
}

uint64_t histogram_samples(const struct histogram *histogram)
{
	return histogram->samples;
}

bool histogram_is_weighted(const struct histogram *histogram)
{
	return histogram->events != histogram->samples;
}

/* ---- rows ---- */

struct row {
	uint64_t count, events, missed;
	uint64_t offset;    /* in the symbol, or the file; 0 if it is not shown */
	const char *symbol; /* NULL: there is none */
	const struct file *file;
};

static int compare_names(const void *a, const void *b)
{
	const struct row *one = a, *two = b;
	int result = strcmp(one->file->name, two->file->name);

	if (result)
		return result;
	if (!one->symbol != !two->symbol)
		return one->symbol ? -1 : 1;
	result = one->symbol ? strcmp(one->symbol, two->symbol) : 0;
	return result ? result : one->offset < two->offset ? -1 : one->offset > two->offset;
}

static int compare_counts(const void *a, const void *b)
{
	const struct row *one = a, *two = b;

	if (one->events != two->events)
		return one->events < two->events ? 1 : -1;
	return compare_names(a, b);
}

static int compare_missed(const void *a, const void *b)
{
	const struct row *one = a, *two = b;

	if (one->missed != two->missed)
		return one->missed < two->missed ? 1 : -1;
	return compare_counts(a, b);
}

static void read_symbols(const struct histogram *histogram, struct file *file)
{
	const struct process *process;

	if (file->symbols || file->whole)
		return;
	if (file == &histogram->file[FILE_KERNEL]) {
		file->symbols = kallsyms_read();
		file->whole = !symbols_number(file->symbols);
	} else if (file->pid) {
		for (process = histogram->process[file->pid % BUCKETS]; process->pid != file->pid;
		     process = process->next)
			;
		file->symbols = kallsyms_read_jit(file->pid, process->owner);
		file->whole = !symbols_number(file->symbols);
	} else if (is_replaced(file)) {
		file->symbols = symbols_new();
	} else {
		file->symbols = elf_symbols(file->name);
	}
}

/* Names a place; its file's names are read when the first of its places is shown. */
static struct row name_place(struct histogram *histogram, size_t number, uint64_t offset)
{
	struct file *file = &histogram->file[number];
	struct row row = { .file = file, .offset = offset };

	read_symbols(histogram, file);
	if (file->symbols)
		row.symbol = symbols_find(file->symbols, offset, &row.offset);
	if (!row.symbol)
		row.offset = file->whole ? 0 : offset;
	return row;
}

static bool has_address(enum place_kind kind)
{
	return kind == PLACE_ADDRESS || kind == PLACE_BRANCH;
}

static struct row make_row(struct histogram *histogram, const struct place *place,
			   enum place_kind kind)
{
	struct row row = { .file = &histogram->file[place->file] };

	if (kind != PLACE_FILE)
		row = name_place(histogram, place->file, place->offset);
	if (!has_address(kind))
		row.offset = 0;
	row.count = place->count;
	row.events = place->events;
	row.missed = place->missed;
	return row;
}

static size_t make_rows(struct histogram *histogram, struct row *rows, enum place_kind kind)
{
	size_t i, n = 0, merged = 0;

	for (i = 0; i < histogram->places; i++)
		if (histogram->place[i].count)
			rows[n++] = make_row(histogram, &histogram->place[i], kind);
	if (n)
		qsort(rows, n, sizeof(*rows), compare_names);
	for (i = 0; i < n; i++) {
		if (i && compare_names(&rows[merged - 1], &rows[i]) == 0) {
			rows[merged - 1].count += rows[i].count;
			rows[merged - 1].events += rows[i].events;
			rows[merged - 1].missed += rows[i].missed;
		} else {
			rows[merged++] = rows[i];
		}
	}
	if (merged)
		qsort(rows, merged, sizeof(*rows),
		      kind == PLACE_BRANCH ? compare_missed : compare_counts);
	return merged;
}

static double percent(uint64_t count, uint64_t all)
{
	return 100 * (double)count / (double)all;
}

/* "function+0x1c"; without a name "+0x1234c", or "-" if there is nothing to tell. To be freed. */
static char *place_name(const struct row *row, bool with_offset)
{
	char *name = row->symbol ? demangle(row->symbol) : need(strdup("")), *full;

	full = need(malloc(strlen(name) + 32));
	strcpy(full, name);
	if (with_offset && (row->symbol || !row->file->whole))
		sprintf(full, "%s+0x%llx", name, (unsigned long long)row->offset);
	else if (!row->symbol)
		strcpy(full, "-");
	free(name);
	return full;
}

static void print_numbers(FILE *file, const struct histogram *histogram, const struct row *row,
			  enum place_kind kind)
{
	if (kind == PLACE_BRANCH)
		fprintf(file, " %12llu %6.2f%% %12llu  ", (unsigned long long)row->missed,
			percent(row->missed, row->count), (unsigned long long)row->count);
	else
		fprintf(file, " %12llu %6.2f%%  ", (unsigned long long)row->count,
			percent(row->events, histogram->events));
}

static int numbers_width(enum place_kind kind)
{
	return kind == PLACE_BRANCH ? 36 : 23;
}

/*
 * Prints a row. On a terminal that is too narrow for both, the file comes below the name; longer
 * texts are cut.
 */
static void print_row(FILE *file, const struct histogram *histogram, const struct row *row,
		      enum place_kind kind)
{
	struct fit fit = fit_begin(file, numbers_width(kind));
	char *name = kind == PLACE_FILE ? need(strdup("")) : place_name(row, has_address(kind));
	int width = fit.columns ? fit.columns - fit.indent : INT_MAX;
	bool below = fit.columns && (text_width(name) > 36 ? text_width(name) : 36) + 2 +
						    text_width(row->file->name) >
					    width;

	print_numbers(file, histogram, row, kind);
	if (kind != PLACE_FILE) {
		text_cut(file, name, width);
		if (below)
			fit_next(&fit);
		else
			fprintf(file, "%*s", text_width(name) < 36 ? 38 - text_width(name) : 2, "");
	}
	text_cut_front(file, row->file->name, width);
	fit_end(&fit);
	free(name);
}

static void print_head(FILE *file, enum place_kind kind)
{
	if (kind == PLACE_BRANCH)
		fprintf(file, " %12s %7s %12s  ", "mispredicted", "percent", "branches");
	else
		fprintf(file, " %12s %7s  ", "samples", "percent");
	if (kind != PLACE_FILE)
		fprintf(file, "%-36s  ", kind == PLACE_FUNCTION ? "function" : "address");
	fputs("file\n", file);
}

void histogram_print(struct histogram *histogram, FILE *file, enum place_kind kind)
{
	struct row *rows = need(calloc(histogram->nplaces + 1, sizeof(*rows)));
	size_t i, n = make_rows(histogram, rows, kind);
	struct row rest = { .count = 0 };

	if (n)
		print_head(file, kind);
	for (i = 0; i < n && i < ROWS; i++)
		print_row(file, histogram, &rows[i], kind);
	for (; i < n; i++) {
		rest.count += rows[i].count;
		rest.events += rows[i].events;
		rest.missed += rows[i].missed;
	}
	if (rest.count) {
		print_numbers(file, histogram, &rest, kind);
		fprintf(file, "in %zu other places\n", n - ROWS);
	}
	free(rows);
	demangle_end();
}

/* Returns the offset in its file of the place in the function that has most events. */
static uint64_t busiest_place(struct histogram *histogram, const struct row *function)
{
	uint64_t most = 0, offset = 0;
	size_t i;

	for (i = 0; i < histogram->places; i++) {
		const struct place *place = &histogram->place[i];
		struct row row;

		if (place->events <= most)
			continue;
		row = make_row(histogram, place, PLACE_FUNCTION);
		if (compare_names(&row, function) != 0)
			continue;
		most = place->events;
		offset = place->offset;
	}
	return offset;
}

size_t histogram_top(struct histogram *histogram, struct histogram_top *top, size_t n)
{
	struct row *rows = need(calloc(histogram->nplaces + 1, sizeof(*rows)));
	size_t i, all = make_rows(histogram, rows, PLACE_FUNCTION);

	for (i = 0; i < all && i < n; i++)
		top[i] = (struct histogram_top){
			.function = rows[i].symbol ? demangle(rows[i].symbol) : NULL,
			.file = rows[i].file->name,
			.offset = busiest_place(histogram, &rows[i]),
			.count = rows[i].count,
			.share = percent(rows[i].events, histogram->events) / 100,
		};
	free(rows);
	demangle_end();
	return i;
}

/* ---- folded ---- */

/* A way with its names, which several stacks may have. */
struct way {
	char *text;
	uint64_t samples, events;
};

static int compare_ways(const void *a, const void *b)
{
	const struct way *one = a, *two = b;

	return strcmp(one->text, two->text);
}

/* A name in a line, in which a semicolon has its meaning. */
static void put_name(FILE *file, const char *name)
{
	size_t length;

	for (; *name; name += length) {
		length = text_letter(name);
		if (length && *name != ';')
			fwrite(name, 1, length, file);
		else
			fputc(*name == ';' ? ':' : '?', file);
		length += !length;
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void put_frame(FILE *file, struct histogram *histogram, const struct frame *frame)
{
	struct row row = name_place(histogram, frame->file, frame->offset);
	char *name = row.symbol ? demangle(row.symbol) : NULL;

	fputc(';', file);
	/* Flame graphs expect [file] where there is no name. */
	if (!name && *row.file->name != '[')
		fputc('[', file);
	put_name(file, name ? name : base_name(row.file->name));
	if (!name && *row.file->name != '[')
		fputc(']', file);
	else if (frame->file == FILE_KERNEL && name)
		fputs("_[k]", file);
	free(name);
}

static char *name_way(struct histogram *histogram, const struct stack *stack)
{
	size_t size, i = stack->n;
	char *text;
	FILE *file = need(open_memstream(&text, &size));

	put_name(file, histogram->name[stack->name]);
	while (i--)
		put_frame(file, histogram, &histogram->stacks.frame[stack->first + i]);
	if (fclose(file) != 0)
		need(NULL);
	return text;
}

void histogram_ways(struct histogram *histogram,
		    void (*each)(void *arg, char *way, uint64_t samples, uint64_t events),
		    void *arg)
{
	struct way *ways = need(calloc(histogram->stacks.used + 1, sizeof(*ways)));
	size_t i, n = 0;

	for (i = 0; i < histogram->stacks.size; i++) {
		const struct stack *stack = &histogram->stacks.stack[i];

		if (stack->count)
			ways[n++] = (struct way){ name_way(histogram, stack), stack->count,
						  stack->events };
	}
	qsort(ways, n, sizeof(*ways), compare_ways);
	for (i = 0; i < n; i++) {
		if (i + 1 < n && !strcmp(ways[i].text, ways[i + 1].text)) {
			ways[i + 1].samples += ways[i].samples;
			ways[i + 1].events += ways[i].events;
		} else {
			each(arg, ways[i].text, ways[i].samples, ways[i].events);
		}
		free(ways[i].text);
	}
	free(ways);
	demangle_end();
}

static void print_way(void *file, char *way, uint64_t samples, uint64_t events)
{
	(void)samples;
	fprintf(file, "%s %llu\n", way, (unsigned long long)events);
}

void histogram_fold(struct histogram *histogram, FILE *file)
{
	histogram_ways(histogram, print_way, file);
}

/* ---- the end ---- */

static void free_process(struct process *process)
{
	struct process *next;

	for (; process; process = next) {
		next = process->next;
		free(process->map);
		free(process);
	}
}

void histogram_free(struct histogram *histogram)
{
	size_t i;

	for (i = 0; i < BUCKETS; i++)
		free_process(histogram->process[i]);
	for (i = 0; i < histogram->nfiles; i++) {
		symbols_free(histogram->file[i].symbols);
		free(histogram->file[i].name);
	}
	for (i = 0; i < histogram->nnames; i++)
		free(histogram->name[i]);
	stacks_free(&histogram->stacks);
	free(histogram->name);
	free(histogram->file);
	free(histogram->place);
	free(histogram);
}
