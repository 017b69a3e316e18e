// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/sample/histogram.h"
#include "tools/perfex/sample/inlined.h"
#include "tools/perfex/sample/kallsyms.h"
#include "tools/perfex/sample/stacks.h"
#include "tools/perfex/sample/view.h"
#include "tools/perfex/sample/ways.h"

#define ROWS	40 /* that are shown one by one */
#define BUCKETS 1024

#define MOST_FILES 65536 /* that are open at a time */

#define OUTERMOST 8 /* calls among which is a program's beginning */

struct process {
	struct process *next;
	uint32_t pid, inner_pid; /* for perfex, and for itself */
	uid_t owner;
	const struct view *view; /* NULL: not known */
	uint64_t turn;		 /* the turn in which it was last looked at */
	uint64_t version;	 /* changes with its files */
	size_t name;		 /* in names */
	struct map *map;	 /* later ones hide earlier ones */
	size_t n, room;
	size_t opened; /* of these, the first ones whose files were opened */
};

struct file {
	char *name;
	uint32_t pid; /* the process of code in memory; else 0 */
	bool whole;   /* has no instructions of its own that could be told apart */
	/* How the kernel knows it: by a build ID, or a device and an inode. */
	struct perfctr_record_mmap mapped;
	bool tried; /* to be opened; in memory, the compiler's map was looked at */
	enum view_result result;
	bool is_memory; /* not ELF: a process's own code */
	int fd;
	struct timespec changed; /* when it was opened */
	off_t size;		 /* of the file, or of the compiler's map, then */
	const struct view *view; /* of the process for which it was opened */
	struct symbols *symbols; /* NULL: not read */
	int old;		 /* see kallsyms_read_jit() */
};

struct place {
	uint64_t count;	 /* 0: free */
	uint64_t events; /* that the samples stand for */
	uint64_t missed; /* the mispredicted branches among them */
	uint64_t offset;
	size_t file;
};

/* One with a name of its own. */
struct thread {
	struct thread *next;
	uint32_t tid;
	size_t name;	     /* in names */
	size_t of, together; /* the process's name, and both; of: NOBODY: not made yet */
};

#define NOBODY SIZE_MAX

/* All that run at a time. */
struct running {
	struct process *process[BUCKETS];
	struct thread *thread[BUCKETS];
};

struct histogram {
	struct running present, past, *running;
	struct views *views;
	struct file *file;
	size_t nfiles, nopen, most_open;
	struct place *place; /* a hash table of a size that is a power of two */
	size_t nplaces, places;
	struct stacks stacks;
	struct stacks ends; /* the outermost calls of processes' first threads */
	struct ways *ways;  /* the same by names; NULL: not named yet */
	const char *slow;   /* the file whose inlined functions could not be found; NULL: none */
	char **name;	    /* names of processes, each once */
	size_t nnames;
	uint64_t samples, events, turn, version;
};

enum { FILE_UNKNOWN, FILE_KERNEL };

/* ---- data ---- */

/* A quarter of the descriptors is for files: events have as many. */
static size_t most_files(void)
{
	struct rlimit limit = { 0, 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur / 4 < MOST_FILES ? (size_t)limit.rlim_cur / 4 : MOST_FILES;
}

static size_t add_file(struct histogram *histogram, const char *name, uint32_t pid,
		       const struct perfctr_record_mmap *mapped)
{
	histogram->file = need(
		reallocarray(histogram->file, histogram->nfiles + 1, sizeof(*histogram->file)));
	histogram->file[histogram->nfiles] = (struct file){ .name = need(strdup(name)),
							    .pid = pid,
							    .mapped = *mapped,
							    .fd = -1,
							    .whole = name[0] != '/' && !pid };
	return histogram->nfiles++;
}

struct histogram *histogram_new(void)
{
	struct histogram *histogram = need(calloc(1, sizeof(*histogram)));
	const struct perfctr_record_mmap none = { .pid = 0 };

	histogram->running = &histogram->present;
	histogram->views = views_new();
	histogram->most_open = most_files();
	add_file(histogram, "[unknown]", 0, &none);
	add_file(histogram, "[kernel]", 0, &none);
	histogram->file[FILE_KERNEL].whole = false;
	return histogram;
}

/* Memory that is no file's, into which a compiler may have written instructions. */
static bool is_anonymous(const char *name)
{
	static const char *const begins[] = { "//anon", "/memfd:",	  "/dev/zero",
					      "/SYSV",	"/anon_hugepage", "[heap]",
					      "[anon:", "/dev/shm/",	  "[anon_shmem:" };
	unsigned int i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(name, begins[i], strlen(begins[i])))
			return true;
	return !*name;
}

static bool is_same_file(const struct perfctr_record_mmap *one,
			 const struct perfctr_record_mmap *two)
{
	if (one->build_id_size || two->build_id_size)
		return one->build_id_size == two->build_id_size &&
		       !memcmp(one->build_id, two->build_id, one->build_id_size);
	return one->inode == two->inode && one->major == two->major && one->minor == two->minor;
}

static size_t find_file(struct histogram *histogram, const char *name, uint32_t pid,
			const struct perfctr_record_mmap *mapped)
{
	size_t i;

	for (i = 0; i < histogram->nfiles; i++) {
		const struct file *file = &histogram->file[i];

		if (file->pid == pid && !strcmp(file->name, name) &&
		    (pid || is_same_file(&file->mapped, mapped)))
			return i;
	}
	return add_file(histogram, name, pid, mapped);
}

/* A process's memory, or file that is as memory. */
static size_t find_memory(struct histogram *histogram, const char *name, uint32_t pid)
{
	const struct perfctr_record_mmap none = { .pid = pid };

	return find_file(histogram, name, pid, &none);
}

size_t histogram_file(struct histogram *histogram, const struct perfctr_record_mmap *mmap)
{
	return is_anonymous(mmap->file) ? find_memory(histogram, "[anon]", mmap->pid)
					: find_file(histogram, mmap->file, 0, mmap);
}

/* Whether the file has other contents than when it was opened. */
static bool is_changed(const struct file *file)
{
	struct stat now;

	return file->fd >= 0 && fstat(file->fd, &now) == 0 &&
	       (now.st_size != file->size || now.st_mtim.tv_sec != file->changed.tv_sec ||
		now.st_mtim.tv_nsec != file->changed.tv_nsec);
}

static bool is_missing(const struct file *file)
{
	return file->tried && !file->pid && !file->whole &&
	       (file->result != VIEW_FOUND || is_changed(file));
}

const char *histogram_missing(const struct histogram *histogram, bool *replaced)
{
	size_t i;

	for (i = 0; i < histogram->places; i++) {
		const struct place *place = &histogram->place[i];
		const struct file *file = &histogram->file[place->file];

		if (!place->count || !is_missing(file))
			continue;
		*replaced = file->result != VIEW_UNSEEN;
		return file->name;
	}
	return NULL;
}

static bool has_samples(const struct histogram *histogram, size_t file)
{
	size_t i;

	for (i = 0; i < histogram->places; i++)
		if (histogram->place[i].count && histogram->place[i].file == file)
			return true;
	return false;
}

void histogram_build_ids(const struct histogram *histogram,
			 void (*each)(void *arg, const char *name, const uint8_t *id,
				      uint32_t size),
			 void *arg)
{
	size_t i;

	for (i = 0; i < histogram->nfiles; i++) {
		const struct file *file = &histogram->file[i];
		uint32_t size = file->mapped.build_id_size;
		uint8_t id[ELF_BUILD_ID] = { 0 };

		memcpy(id, file->mapped.build_id, size);
		if (!size && file->fd >= 0)
			size = elf_build_id(file->fd, id);
		if (size && has_samples(histogram, i))
			each(arg, file->name, id, size);
	}
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

static struct process *running_process(const struct running *running, uint32_t pid)
{
	struct process *process = running->process[pid % BUCKETS];

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct process *known_process(const struct histogram *histogram, uint32_t pid)
{
	return running_process(histogram->running, pid);
}

static bool is_past(const struct histogram *histogram)
{
	return histogram->running == &histogram->past;
}

static int open_debug(const void *arg, const char *path)
{
	const struct file *file = arg;
	int fd = view_open(file->view, path, true);

	return fd >= 0 ? fd : elf_open_file(path);
}

static struct symbols *read_elf(const struct file *file)
{
	const struct elf_source source = { file->fd, file->name, open_debug, file };

	return file->fd < 0 || is_changed(file) ? symbols_new() : elf_symbols(&source);
}

static struct symbols *read_memory(const struct histogram *histogram, struct file *file)
{
	const struct process *process = running_process(&histogram->present, file->pid);

	return kallsyms_read_jit(kallsyms_open_jit(process->view ? process->view
								 : views_own(histogram->views),
						   process->inner_pid, process->owner),
				 file->size, &file->old);
}

static void read_symbols(const struct histogram *histogram, struct file *file)
{
	if (file->symbols || file->whole)
		return;
	if (file == &histogram->file[FILE_KERNEL])
		file->symbols = kallsyms_read();
	else
		file->symbols = file->pid ? read_memory(histogram, file) : read_elf(file);
	if (file == &histogram->file[FILE_KERNEL] || file->pid)
		file->whole = !symbols_number(file->symbols);
}

/* Opens the file that a process has mapped. If no more can stay open, its names are read now. */
static void open_file(struct histogram *histogram, struct file *file, const struct process *process,
		      const struct map *map)
{
	struct perfctr_record_mmap mmap = file->mapped;
	struct stat is;

	file->tried = true;
	mmap.pid = process->pid;
	mmap.addr = map->start;
	mmap.length = map->length;
	mmap.file = file->name;
	file->view = process->view ? process->view : views_own(histogram->views);
	file->result = view_open_mapped(histogram->views, process->view, &mmap, &file->fd);
	if (file->result != VIEW_FOUND || fstat(file->fd, &is) < 0)
		return;
	file->changed = is.st_mtim;
	file->size = is.st_size;
	file->is_memory = !elf_is(file->fd);
	if (histogram->nopen < histogram->most_open) {
		histogram->nopen++;
		return;
	}
	read_symbols(histogram, file);
	close(file->fd);
	file->fd = -1;
}

/* Notes what it sees, unless it has ended; of the past, what it saw last. */
static void look_at(struct histogram *histogram, struct process *process)
{
	const struct process *last = running_process(&histogram->present, process->pid);
	const struct view *view = !is_past(histogram)
					  ? views_process(histogram->views, process->pid)
				  : last ? last->view
					 : NULL;

	if (view)
		process->view = view;
}

static struct process *find_process(struct histogram *histogram, uint32_t pid)
{
	struct process **list = &histogram->running->process[pid % BUCKETS];
	struct process *process = known_process(histogram, pid);

	if (process)
		return process;
	process = need(calloc(1, sizeof(*process)));
	process->pid = pid;
	process->inner_pid = pid;
	process->owner = is_past(histogram) ? 0 : owner_of(pid);
	process->name = find_name(histogram, "[unknown]");
	process->view = views_own(histogram->views);
	look_at(histogram, process);
	process->next = *list;
	*list = process;
	return process;
}

void histogram_map(struct histogram *histogram, uint32_t pid, const struct map *map)
{
	struct process *process = find_process(histogram, pid);
	bool is_open = process->opened == process->n;
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
	process->opened = is_open ? kept : 0;
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
	to->opened = from->opened;
	to->name = from->name;
	to->view = from->view;
	to->version = ++histogram->version;
	if (from->n)
		memcpy(to->map, from->map, from->n * sizeof(*to->map));
}

void histogram_exec(struct histogram *histogram, uint32_t pid)
{
	struct process *process = find_process(histogram, pid);

	process->n = process->opened = 0;
	process->version = ++histogram->version;
	look_at(histogram, process);
}

void histogram_namespace(struct histogram *histogram, uint32_t pid, uint64_t inode)
{
	struct process *process = find_process(histogram, pid);

	if (process->view && process->view == views_namespace(histogram->views, inode))
		return;
	process->view = views_namespace(histogram->views, inode);
	look_at(histogram, process);
}

void histogram_name(struct histogram *histogram, uint32_t pid, const char *name)
{
	find_process(histogram, pid)->name = find_name(histogram, name);
}

/* Notes what a compiler has written before now; the process may have ended later. */
static void look_at_memory(struct file *file, struct process *process)
{
	FILE *map;
	struct stat is;

	file->tried = true;
	process->inner_pid = view_inner_pid(process->pid);
	map = process->view ? kallsyms_open_jit(process->view, process->inner_pid, process->owner)
			    : NULL;
	if (map && fstat(fileno(map), &is) == 0)
		file->size = is.st_size;
	if (map)
		fclose(map);
}

/* Returns a file that a process has mapped, after it was opened. */
static struct file *mapped_file(struct histogram *histogram, struct process *process,
				struct map *map)
{
	struct file *file = &histogram->file[map->file];

	if (!file->tried && !file->whole && file->pid)
		look_at_memory(file, process);
	else if (!file->tried && !file->whole)
		open_file(histogram, file, process, map);
	if (!file->is_memory)
		return file;
	map->file = find_memory(histogram, file->name, process->pid);
	return mapped_file(histogram, process, map);
}

void histogram_open(struct histogram *histogram, uint32_t pid)
{
	struct process *process = find_process(histogram, pid);

	for (; process->opened < process->n; process->opened++)
		mapped_file(histogram, process, &process->map[process->opened]);
}

static struct thread *find_thread(const struct histogram *histogram, uint32_t tid)
{
	struct thread *thread = histogram->running->thread[tid % BUCKETS];

	while (thread && thread->tid != tid)
		thread = thread->next;
	return thread;
}

static void name_thread(struct histogram *histogram, uint32_t tid, size_t name)
{
	struct thread *thread = find_thread(histogram, tid);

	if (!thread) {
		thread = need(malloc(sizeof(*thread)));
		thread->tid = tid;
		thread->next = histogram->running->thread[tid % BUCKETS];
		histogram->running->thread[tid % BUCKETS] = thread;
	}
	thread->name = name;
	thread->of = NOBODY;
}

void histogram_thread(struct histogram *histogram, uint32_t tid, const char *name)
{
	name_thread(histogram, tid, find_name(histogram, name));
}

void histogram_thread_fork(struct histogram *histogram, uint32_t tid, uint32_t parent)
{
	const struct thread *from = find_thread(histogram, parent);
	const struct process *process = known_process(histogram, parent);

	if (from || process)
		name_thread(histogram, tid, from ? from->name : process->name);
}

/* Returns the number of the process's name and the thread's, with a character between them. */
static size_t join_names(struct histogram *histogram, size_t process, size_t thread)
{
	char *text, *at;
	size_t name;

	if (asprintf(&text, "%s%c%s", histogram->name[process], WAYS_BETWEEN,
		     histogram->name[thread]) < 0)
		need(NULL);
	/* What can't be printed in names is shown so anyway. */
	while ((at = strchr(text, WAYS_BETWEEN)))
		*at = '?';
	text[strlen(histogram->name[process])] = WAYS_BETWEEN;
	name = find_name(histogram, text);
	free(text);
	return name;
}

static size_t name_of_stack(struct histogram *histogram, const struct process *process,
			    uint32_t tid)
{
	struct thread *thread = tid == process->pid ? NULL : find_thread(histogram, tid);

	if (!thread || thread->name == process->name)
		return process->name;
	if (thread->of != process->name) {
		thread->of = process->name;
		thread->together = join_names(histogram, process->name, thread->name);
	}
	return thread->together;
}

void histogram_each_file(struct histogram *histogram, uint32_t pid,
			 void (*each)(void *arg, const struct map *map, const char *file, int fd),
			 void *arg)
{
	struct process *process = known_process(histogram, pid);
	size_t i;

	for (i = 0; process && i < process->n; i++) {
		const struct file *file = mapped_file(histogram, process, &process->map[i]);

		if (!file->whole || !strcmp(file->name, "[vdso]"))
			if (!file->pid)
				each(arg, &process->map[i], file->name, file->fd);
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
static struct frame locate(struct histogram *histogram, struct process *process, uint64_t address)
{
	size_t i = process->n;

	while (i--) {
		struct map *map = &process->map[i];
		const struct file *file;

		if (address < map->start || address - map->start >= map->length)
			continue;
		file = mapped_file(histogram, process, map);
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

void histogram_set_past(struct histogram *histogram, bool past)
{
	histogram->running = past ? &histogram->past : &histogram->present;
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

/* Keeps the outermost calls in user mode of a process's first thread, whose first one is known. */
static void count_end(struct histogram *histogram, const struct frame *frame, size_t n)
{
	size_t first = n > OUTERMOST ? n - OUTERMOST : 0;

	while (first < n && frame[first].file == FILE_KERNEL)
		first++;
	if (first < n)
		stacks_count(&histogram->ends, 0, frame + first, n - first, 1);
}

/*
 * After the first address of each mode come return addresses, which may be the beginning of the
 * next function: the call is before them.
 */
void histogram_chain(struct histogram *histogram, uint32_t pid, uint32_t tid, const uint64_t *chain,
		     uint64_t n, uint64_t events)
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
	ways_free(histogram->ways);
	histogram->ways = NULL;
	stacks_count(&histogram->stacks, name_of_stack(histogram, process, tid), frame, frames,
		     events);
	if (pid == tid)
		count_end(histogram, frame, frames);
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

/* ---- what debugging information tells of places ---- */

/* A frame with its number in another order. */
struct numbered_frame {
	struct frame frame;
	uint32_t number;
};

static int compare_frames(const void *a, const void *b)
{
	const struct numbered_frame *one = a, *two = b;

	if (one->frame.file != two->frame.file)
		return one->frame.file < two->frame.file ? -1 : 1;
	return one->frame.offset < two->frame.offset ? -1 : one->frame.offset > two->frame.offset;
}

/* Asks about n frames of a file. False: that took too long, and not all was found. */
static bool ask_file(struct histogram *histogram, const struct numbered_frame *frame, size_t n,
		     bool (*ask)(const struct elf_source *source, const uint64_t *address, size_t n,
				 inlined_found *found, void *arg),
		     inlined_found *found, void *arg)
{
	struct file *file = &histogram->file[frame->frame.file];
	const struct elf_source source = { file->fd, file->name, open_debug, file };
	uint64_t *address = need(calloc(n, sizeof(*address)));
	bool all = true;
	size_t i;

	read_symbols(histogram, file);
	for (i = 0; i < n && file->symbols; i++)
		if (!symbols_address(file->symbols, frame[i].frame.offset, &address[i]))
			address[i] = 0;
	if (file->fd >= 0 && !file->pid && !file->whole && !is_changed(file))
		all = ask(&source, address, n, found, arg);
	free(address);
	return all;
}

/* The lines of places, by the places' numbers. */
struct lines {
	char **line; /* NULL: it is not known */
	const struct numbered_frame *frame;
};

static void take_line(void *arg, size_t number, const char *names, size_t n)
{
	struct lines *lines = arg;

	lines->line[lines->frame[number].number] = need(strndup(names, n));
}

/* Returns them, to be freed. */
static char **find_lines(struct histogram *histogram)
{
	struct numbered_frame *frame = need(calloc(histogram->nplaces + 1, sizeof(*frame)));
	struct lines lines = { .line = need(calloc(histogram->places + 1, sizeof(char *))) };
	size_t i, n = 0, first = 0;

	for (i = 0; i < histogram->places; i++) {
		const struct place *place = &histogram->place[i];

		if (place->count)
			frame[n++] = (struct numbered_frame){ { place->file, place->offset },
							      (uint32_t)i };
	}
	qsort(frame, n, sizeof(*frame), compare_frames);
	for (i = 0; i < n; i++) {
		if (i + 1 < n && frame[i + 1].frame.file == frame[i].frame.file)
			continue;
		lines.frame = &frame[first];
		if (!ask_file(histogram, lines.frame, i + 1 - first, inlined_lines, take_line,
			      &lines))
			histogram->slow = histogram->file[frame[i].frame.file].name;
		first = i + 1;
	}
	inlined_end();
	free(frame);
	return lines.line;
}

/* ---- rows ---- */

struct row {
	uint64_t count, events, missed;
	uint64_t offset;    /* in the symbol, or the file; 0 if it is not shown */
	const char *symbol; /* NULL: there is none */
	const char *line;   /* NULL: it is not known, or not shown */
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
	if (!result)
		result = strcmp(one->line ? one->line : "", two->line ? two->line : "");
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

/* Whether programs, processes, or Go's routines begin in a function. */
static bool is_beginning(const char *symbol)
{
	static const char *const names[] = {
		"main",		  "_start",
		"_start_c",	  "_dl_start_user",
		"clone",	  "__clone",
		"clone3",	  "__clone3",
		"start_thread",	  "__start_context",
		"runtime.goexit", "runtime.goexit.abi0",
		"runtime.mstart", "runtime.mstart.abi0",
		"runtime.rt0_go", "runtime.rt0_go.abi0",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(symbol, names[i]))
			return true;
	return false;
}

/*
 * Whether a program's beginning is missing: another function is outermost, or called by functions
 * of one file without names, as a C library's are; or an address that is in no file.
 */
static bool looks_cut(struct histogram *histogram, const struct stack *end)
{
	const struct stacks *ends = &histogram->ends;
	const uint32_t *call = &ends->call[end->first];
	const size_t outermost = ends->frame[call[end->n - 1]].file;
	bool known = false, named = false;
	size_t i = end->n;

	while (i--) {
		const struct frame *frame = &ends->frame[call[i]];
		const char *symbol = name_place(histogram, frame->file, frame->offset).symbol;

		if (symbol && is_beginning(symbol))
			return false;
		if (!known)
			named = symbol || frame->file == FILE_UNKNOWN;
		known |= named || frame->file != outermost;
	}
	return named;
}

uint64_t histogram_cut(struct histogram *histogram)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < histogram->ends.size; i++)
		if (histogram->ends.stack[i].count &&
		    looks_cut(histogram, &histogram->ends.stack[i]))
			n += histogram->ends.stack[i].count;
	return n;
}

uint64_t histogram_rewritten(struct histogram *histogram)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < histogram->places; i++) {
		const struct place *place = &histogram->place[i];
		struct file *file = &histogram->file[place->file];

		if (!place->count || !file->pid)
			continue;
		read_symbols(histogram, file);
		if (symbols_layer(file->symbols, place->offset) >= file->old)
			n += place->count;
	}
	return n;
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

static size_t make_rows(struct histogram *histogram, struct row *rows, enum place_kind kind,
			char *const *line)
{
	size_t i, n = 0, merged = 0;

	for (i = 0; i < histogram->places; i++) {
		if (!histogram->place[i].count)
			continue;
		rows[n] = make_row(histogram, &histogram->place[i], kind);
		rows[n++].line = line ? line[i] : NULL;
	}
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

	full = need(malloc(strlen(name) + (row->line ? strlen(row->line) : 0) + 32));
	strcpy(full, name);
	if (row->line)
		sprintf(full, "%s%s%s", row->line, *name ? " " : "", name);
	else if (with_offset && (row->symbol || !row->file->whole))
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
		fprintf(file, "%-36s  ",
			kind == PLACE_FUNCTION ? "function"
			: kind == PLACE_LINE   ? "line and function"
					       : "address");
	fputs("file\n", file);
}

void histogram_print(struct histogram *histogram, FILE *file, enum place_kind kind)
{
	struct row *rows = need(calloc(histogram->nplaces + 1, sizeof(*rows)));
	char **line = kind == PLACE_LINE ? find_lines(histogram) : NULL;
	size_t i, n = make_rows(histogram, rows, kind, line);
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
	for (i = 0; line && i < histogram->places; i++)
		free(line[i]);
	free(line);
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
	size_t i, all = make_rows(histogram, rows, PLACE_FUNCTION, NULL);

	for (i = 0; i < all && i < n; i++)
		top[i] = (struct histogram_top){
			.function = rows[i].symbol ? demangle(rows[i].symbol) : NULL,
			.file = rows[i].file->name,
			.fd = rows[i].file->fd,
			.offset = busiest_place(histogram, &rows[i]),
			.count = rows[i].count,
			.share = percent(rows[i].events, histogram->events) / 100,
		};
	free(rows);
	demangle_end();
	return i;
}

/* ---- calls ---- */

/* Frames by file and offset, of which some have got their names. */
struct naming {
	struct histogram *histogram;
	struct ways *ways;
	struct numbered_frame *frame;
	size_t named, first; /* of the file at hand */
};

/* Names the functions of frames up to one. */
static void name_functions(struct naming *naming, size_t end)
{
	for (; naming->named < end; naming->named++) {
		const struct numbered_frame *frame = &naming->frame[naming->named];
		struct row row = name_place(naming->histogram, frame->frame.file,
					    frame->frame.offset);
		enum way_kind kind = frame->frame.file == FILE_KERNEL ? WAY_KERNEL : WAY_FUNCTION;

		ways_name(naming->ways, frame->number, row.symbol ? kind : WAY_FILE,
			  row.symbol ? row.symbol : row.file->name);
	}
}

/* Names what is inlined at the frame's place, after its function. */
static void name_inlined(void *arg, size_t number, const char *names, size_t n)
{
	struct naming *naming = arg;
	size_t place = naming->first + number;
	const char *name;

	name_functions(naming, place + 1);
	for (name = names; name < names + n; name += strlen(name) + 1)
		ways_name(naming->ways, naming->frame[place].number, WAY_INLINED, name);
}

/* Names n frames of a file. */
static void name_file(struct naming *naming, size_t n)
{
	if (!ask_file(naming->histogram, &naming->frame[naming->first], n, inlined_find,
		      name_inlined, naming))
		naming->histogram->slow =
			naming->histogram->file[naming->frame[naming->first].frame.file].name;
	name_functions(naming, naming->first + n);
}

/* Names the frames of all chains, file by file. */
static void name_frames(struct histogram *histogram)
{
	const struct stacks *stacks = &histogram->stacks;
	struct naming naming = { .histogram = histogram };
	size_t i, n = stacks->nframes;

	if (histogram->ways)
		return;
	naming.ways = ways_new(stacks, histogram->name, histogram->nnames);
	naming.frame = need(calloc(n + 1, sizeof(*naming.frame)));
	for (i = 0; i < n; i++)
		naming.frame[i] = (struct numbered_frame){ stacks->frame[i], (uint32_t)i };
	qsort(naming.frame, n, sizeof(*naming.frame), compare_frames);
	for (i = 0; i < n; i++)
		if (i + 1 == n || naming.frame[i + 1].frame.file != naming.frame[i].frame.file) {
			name_file(&naming, i + 1 - naming.first);
			naming.first = i + 1;
		}
	free(naming.frame);
	ways_end(naming.ways);
	histogram->ways = naming.ways;
	inlined_end();
	demangle_end();
}

const char *histogram_slow(struct histogram *histogram)
{
	if (histogram->stacks.used)
		name_frames(histogram);
	return histogram->slow;
}

void histogram_ways(struct histogram *histogram, bool threads,
		    void (*each)(void *arg, char *way, uint64_t samples, uint64_t events),
		    void *arg)
{
	name_frames(histogram);
	ways_each(histogram->ways, threads, each, arg);
}

static void print_way(void *file, char *way, uint64_t samples, uint64_t events)
{
	(void)samples;
	fprintf(file, "%s %llu\n", way, (unsigned long long)events);
}

void histogram_fold(struct histogram *histogram, bool threads, FILE *file)
{
	histogram_ways(histogram, threads, print_way, file);
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

static void free_threads(struct thread *thread)
{
	struct thread *next;

	for (; thread; thread = next) {
		next = thread->next;
		free(thread);
	}
}

static void free_running(struct running *running)
{
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		free_process(running->process[i]);
		free_threads(running->thread[i]);
	}
}

void histogram_free(struct histogram *histogram)
{
	size_t i;

	free_running(&histogram->present);
	free_running(&histogram->past);
	for (i = 0; i < histogram->nfiles; i++) {
		symbols_free(histogram->file[i].symbols);
		if (histogram->file[i].fd >= 0)
			close(histogram->file[i].fd);
		free(histogram->file[i].name);
	}
	for (i = 0; i < histogram->nnames; i++)
		free(histogram->name[i]);
	ways_free(histogram->ways);
	stacks_free(&histogram->stacks);
	stacks_free(&histogram->ends);
	views_free(histogram->views);
	free(histogram->name);
	free(histogram->file);
	free(histogram->place);
	free(histogram);
}
