// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/spool.h"

#define BUFFER	    (UINT64_C(1) << 20)
#define MOST_PIECES 5

/* What a record points to: where its pointer is, and how many bytes there are. */
struct piece {
	size_t place, size;
};

/* A record in the file; its pieces follow, each filled up to a multiple of 8 bytes. */
struct entry {
	uint64_t size; /* with the pieces */
	uint64_t n;
	struct piece piece[MOST_PIECES];
	struct perfctr_record record;
};

struct spool {
	int fd;
	uint64_t most;
	uint64_t written, begin, end; /* in the file; and the part of it that the buffer has */
	uint64_t next;		      /* the place of the oldest record that was not read */
	char *buffer;
};

/* ---- the file ---- */

const char *spool_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : "/tmp";
}

static void __attribute__((noreturn)) refuse(void)
{
	die("samples are kept in %s until their calls are found, and a file there can't be "
	    "written: %s; set TMPDIR to another directory, or take fewer samples (-c, -F) with "
	    "less stack (--call-graph dwarf,BYTES)",
	    spool_directory(), strerror(errno));
}

/* Not every file system has files without a name. */
static int open_file(const char *directory)
{
	int fd = open(directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	if (asprintf(&name, "%s/perfex-XXXXXX", directory) < 0)
		need(NULL);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

struct spool *spool_new(void)
{
	struct spool *spool = need(calloc(1, sizeof(*spool)));
	struct statvfs is;

	spool->fd = open_file(spool_directory());
	if (spool->fd < 0 || fstatvfs(spool->fd, &is) < 0)
		refuse();
	spool->most = (uint64_t)is.f_bavail * is.f_frsize / 2;
	spool->buffer = need(malloc(BUFFER));
	return spool;
}

void spool_free(struct spool *spool)
{
	if (!spool)
		return;
	close(spool->fd);
	free(spool->buffer);
	free(spool);
}

/* The buffer has the end of what there is. */
static void flush(struct spool *spool)
{
	size_t n = (size_t)(spool->end - spool->begin), done = 0;
	ssize_t got;

	while (done < n) {
		got = pwrite(spool->fd, spool->buffer + done, n - done,
			     (off_t)(spool->begin + done));
		if (got < 0 && errno != EINTR)
			refuse();
		done += got > 0 ? (size_t)got : 0;
	}
	spool->written = spool->begin = spool->end;
}

bool spool_is_full(const struct spool *spool)
{
	return spool->written && spool->end >= spool->most;
}

/* ---- records ---- */

#define PIECE(member, size)                                                \
	(struct piece)                                                     \
	{                                                                  \
		offsetof(struct perfctr_record, as.member), (size_t)(size) \
	}

static size_t pieces_of_sample(const struct perfctr_record_sample *sample, struct piece *piece)
{
	piece[0] = PIECE(sample.chain, sample->nchain * sizeof(*sample->chain));
	piece[1] = PIECE(sample.counts.values, sample->counts.n * sizeof(uint64_t));
	piece[2] = PIECE(sample.branches, sample->nbranches * sizeof(struct perf_branch_entry));
	piece[3] = PIECE(sample.user.values, sample->user.n * sizeof(uint64_t));
	piece[4] = PIECE(sample.user_stack, sample->user_stack_size);
	return 5;
}

static size_t pieces_of(const struct perfctr_record *record, struct piece *piece)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE: return pieces_of_sample(&record->as.sample, piece);
	case PERF_RECORD_MMAP2:
		piece[0] = PIECE(mmap.file, strlen(record->as.mmap.file) + 1);
		return 1;
	case PERF_RECORD_COMM:
		piece[0] = PIECE(comm.name, strlen(record->as.comm.name) + 1);
		return 1;
	case PERF_RECORD_NAMESPACES:
		piece[0] = PIECE(namespaces.link,
				 record->as.namespaces.n * sizeof(struct perf_ns_link_info));
		return 1;
	default: return 0;
	}
}

static void put(struct spool *spool, const void *bytes, size_t size)
{
	if (size)
		memcpy(spool->buffer + (spool->end - spool->begin), bytes, size);
	spool->end += (size + 7) & ~(size_t)7;
}

void spool_put(struct spool *spool, const struct perfctr_record *record)
{
	struct entry entry = { .size = sizeof(entry), .record = *record };
	const void *bytes;
	size_t i;

	entry.record.bytes = NULL;
	entry.n = pieces_of(record, entry.piece);
	for (i = 0; i < entry.n; i++)
		entry.size += (entry.piece[i].size + 7) & ~(size_t)7;
	if (spool->end - spool->begin + entry.size > BUFFER)
		flush(spool);
	put(spool, &entry, sizeof(entry));
	for (i = 0; i < entry.n; i++) {
		memcpy(&bytes, (const char *)record + entry.piece[i].place, sizeof(bytes));
		put(spool, bytes, entry.piece[i].size);
	}
}

/* ---- reading ---- */

/* Returns "size" bytes, from the next place on. */
static char *look_at(struct spool *spool, uint64_t size)
{
	uint64_t offset = spool->next - spool->begin, got = 0;
	ssize_t n = 1;

	if (spool->next >= spool->begin && spool->next + size <= spool->end)
		return spool->buffer + offset;
	while (got < size && n > 0) {
		n = pread(spool->fd, spool->buffer + got, (size_t)(BUFFER - got),
			  (off_t)(spool->next + got));
		got += n > 0 ? (uint64_t)n : 0;
	}
	if (got < size)
		die("the samples that were kept in %s can't be read: %s", spool_directory(),
		    n < 0 ? strerror(errno) : "the file's end is missing");
	spool->begin = spool->next;
	spool->end = spool->begin + got;
	return spool->buffer;
}

void spool_empty(struct spool *spool)
{
	spool->next = spool->begin = spool->end = spool->written = 0;
	if (ftruncate(spool->fd, 0) < 0)
		refuse();
}

const struct perfctr_record *spool_next(struct spool *spool)
{
	struct entry *entry;
	uint64_t size;
	char *at;
	size_t i;

	if (spool->end > spool->written)
		flush(spool);
	if (spool->next == spool->written)
		return NULL;
	memcpy(&size, look_at(spool, sizeof(size)), sizeof(size));
	entry = (struct entry *)(void *)look_at(spool, size);
	spool->next += size;
	for (i = 0, at = (char *)(entry + 1); i < entry->n; i++) {
		memcpy((char *)&entry->record + entry->piece[i].place, &at, sizeof(at));
		at += (entry->piece[i].size + 7) & ~(size_t)7;
	}
	return &entry->record;
}

unsigned int spool_percent(const struct spool *spool)
{
	return spool->written ? (unsigned int)(100 * spool->next / spool->written) : 100;
}
