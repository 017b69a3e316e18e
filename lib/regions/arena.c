// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/memory.h"
#include "lib/base/process.h"
#include "lib/regions/arena.h"

#define CHUNK_SIZE 65536

/* The file's name, its mapped chunks, and those of them that are free for use again. */
static struct {
	char *name;
	uint64_t size;
	dev_t device;
	ino_t inode;
	struct perfctr_process process;
	struct perfctr_chunk *first, *unused; /* neither list is ever unmapped */
} left;

/*
 * A child of fork() finds it free: it is taken under the lock of state.c or the calibration's,
 * both of which are held over fork().
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool perfctr_arenas_are_left(void)
{
	return left.name && left.process.pid == getpid();
}

/*
 * The file is opened again each time: programs close descriptors that they don't know, and open
 * others.
 */
static int open_left(void)
{
	struct stat file;
	int fd = perfctr_call_open(left.name, O_RDWR | O_NOFOLLOW);

	if (fd >= 0 && (fstat(fd, &file) < 0 || file.st_dev != left.device ||
			file.st_ino != left.inode || (uint64_t)file.st_size != left.size)) {
		perfctr_call_close(fd);
		return -1;
	}
	return fd;
}

/* This fails to remove the file if the process has become another user's meanwhile. */
static void remove_left(void)
{
	if (perfctr_arenas_are_left()) {
		if (left.first)
			left.first->magic = PERFCTR_CHUNK_DONE;
		unlink(left.name);
	}
	free(left.name);
	left.name = NULL;
}

/* A signal would kill the program if its file grew beyond this limit. */
static bool may_grow(size_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && left.size + size <= limit.rlim_cur;
}

/* This allocates the blocks at once, so that a full file system can't kill the program later. */
static void *map_left(size_t size)
{
	void *memory = MAP_FAILED;
	int fd = may_grow(size) ? open_left() : -1;

	if (fd < 0)
		return NULL;
	if (posix_fallocate(fd, (off_t)left.size, (off_t)size) == 0)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)left.size);
	perfctr_call_close(fd);
	if (memory == MAP_FAILED)
		return NULL;
	left.size += size;
	/* A child would add to the parent's sums. */
	if (madvise(memory, size, MADV_DONTFORK) == 0)
		return memory;
	munmap(memory, size);
	return NULL;
}

/*
 * Finds an unused chunk of this size, so that the file does not grow as threads come and go. NULL:
 * there is none.
 */
static struct perfctr_chunk *reuse(size_t size)
{
	struct perfctr_chunk **place = &left.unused, *chunk;

	while (*place && (*place)->size != size)
		place = &(*place)->next;
	chunk = *place;
	if (!chunk)
		return NULL;
	*place = chunk->next;
	memset((char *)chunk + sizeof(*chunk), 0, chunk->used - sizeof(*chunk));
	return chunk;
}

/* Returns a chunk of the file. NULL: there is no file from now on; chunks are anonymous memory. */
static struct perfctr_chunk *find_left(size_t size)
{
	struct perfctr_chunk *chunk = NULL;

	pthread_mutex_lock(&lock);
	if (perfctr_arenas_are_left()) {
		chunk = reuse(size);
		if (!chunk)
			chunk = map_left(size);
		if (!chunk)
			remove_left();
	}
	pthread_mutex_unlock(&lock);
	return chunk;
}

static struct perfctr_chunk *map_chunk(size_t size, const struct perfctr_arena *arena)
{
	struct perfctr_chunk *chunk = find_left(size);
	bool is_left = chunk;

	if (!chunk)
		chunk = perfctr_memory_map(size);
	if (!chunk)
		return NULL;
	chunk->over = 0;
	chunk->is_left = is_left;
	chunk->magic = PERFCTR_CHUNK_MAGIC;
	if (is_left && !left.first)
		left.first = chunk;
	chunk->size = size;
	chunk->generation = arena->generation;
	chunk->tid = arena->tid;
	chunk->word = sizeof(void *);
	chunk->start = left.process.start;
	chunk->space = left.process.space;
	chunk->used = sizeof(*chunk);
	return chunk;
}

/* The record is complete before it counts as used. */
void *perfctr_arena_take(struct perfctr_arena *arena, enum perfctr_region_what what,
			 unsigned int id, size_t size)
{
	const size_t whole = (sizeof(struct perfctr_region_record) + size + 15) & ~(size_t)15;
	const size_t page = 4096, wanted = sizeof(struct perfctr_chunk) + whole;
	struct perfctr_chunk *chunk = arena->first;
	struct perfctr_region_record *record;

	if (!chunk || chunk->size - chunk->used < whole) {
		chunk = map_chunk(wanted > CHUNK_SIZE ? (wanted + page - 1) & ~(page - 1)
						      : CHUNK_SIZE,
				  arena);
		if (!chunk)
			return NULL;
		chunk->next = arena->first;
		arena->first = chunk;
	}
	record = (struct perfctr_region_record *)(void *)((char *)chunk + chunk->used);
	*record = (struct perfctr_region_record){ what, id, whole };
	__atomic_signal_fence(__ATOMIC_RELEASE);
	chunk->used += whole;
	return record + 1;
}

void perfctr_arena_untake(struct perfctr_arena *arena, void *taken)
{
	struct perfctr_chunk *chunk = arena->first;
	struct perfctr_region_record *record = (struct perfctr_region_record *)taken - 1;
	size_t size = record->size;

	if ((char *)record + size != (char *)chunk + chunk->used)
		return;
	chunk->used -= size;
	memset(record, 0, size);
}

static bool keep_for_others(struct perfctr_chunk *chunk)
{
	bool kept;

	pthread_mutex_lock(&lock);
	kept = chunk->is_left && perfctr_arenas_are_left();
	if (kept) {
		chunk->next = left.unused;
		left.unused = chunk;
	}
	pthread_mutex_unlock(&lock);
	return kept;
}

void perfctr_arena_free(struct perfctr_arena *arena)
{
	struct perfctr_chunk *chunk, *next;

	for (chunk = arena->first; chunk; chunk = next) {
		next = chunk->next;
		chunk->over = 1;
		if (!keep_for_others(chunk))
			perfctr_memory_unmap(chunk, chunk->size);
	}
	arena->first = NULL;
}

void perfctr_arenas_leave(const char *directory)
{
	char *name = NULL;
	struct stat file;
	int fd;

	if (asprintf(&name, "%s/%d-XXXXXX", directory, (int)getpid()) < 0)
		return;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0 || fstat(fd, &file) < 0) {
		free(name);
		return;
	}
	perfctr_call_close(fd);
	/* In a child of fork() the parent's chunks are not mapped. */
	free(left.name);
	left.size = 0;
	left.first = left.unused = NULL;
	left.name = name;
	left.device = file.st_dev;
	left.inode = file.st_ino;
	left.process = perfctr_process_self();
}

void perfctr_arenas_forget(void)
{
	pthread_mutex_lock(&lock);
	remove_left();
	pthread_mutex_unlock(&lock);
}

/*
 * The name of the directory's .none file, which stands for processes that reached no region. NULL:
 * no memory.
 */
static char *none_beside(const char *name)
{
	const char *slash = strrchr(name, '/');
	char *none;

	return asprintf(&none, "%.*s" PERFCTR_ARENA_NONE, (int)(slash - name + 1), name) < 0 ? NULL
											     : none;
}

void perfctr_arenas_forget_none(void)
{
	char *none;

	pthread_mutex_lock(&lock);
	none = perfctr_arenas_are_left() ? none_beside(left.name) : NULL;
	if (none && rename(left.name, none) == 0) {
		free(left.name);
		left.name = NULL;
	}
	free(none);
	remove_left();
	pthread_mutex_unlock(&lock);
}
