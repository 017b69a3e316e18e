// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/descriptor.h"
#include "lib/base/error.h"
#include "lib/base/word.h"

/*
 * An identity's last bit tells files from events. That of an event has 32 bits, since each event
 * keeps it: the kernel counts ids up, so that two of one identity are two billion events apart. No
 * file has PERFCTR_DESCRIPTOR_KEPT.
 */
#define IS_FILE 1ul
#define IDS	(UINT32_MAX / 2)

static unsigned long identity_of_event(unsigned long id)
{
	return id ? (id % IDS + 1) << 1 : 0;
}

/* ---- identities ---- */

static unsigned long hash(unsigned long so_far, const char *bytes, size_t size)
{
	while (size--)
		so_far = (so_far ^ (unsigned char)*bytes++) * 16777619; /* FNV-1a */
	return so_far;
}

/*
 * Returns the upper half of the data with which an epoll descriptor watches its first file, as
 * proc(5) says; 0: it watches none, or can't be asked.
 */
static unsigned long watched_by(int fd)
{
	char name[sizeof("/proc/self/fdinfo/") + 10], text[512], *data;
	int file;
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	file = perfctr_call_open(name, O_RDONLY);
	if (file < 0)
		return 0;
	n = perfctr_call_read(file, text, sizeof(text) - 1);
	perfctr_call_close(file);
	text[n < 0 ? 0 : n] = '\0';
	data = strstr(text, " data: ");
	return data ? (unsigned long)(strtoull(data + strlen(" data: "), NULL, 16) >> 32) : 0;
}

/* Identifies a descriptor's file by a hash of its name. 0: unknown. */
static unsigned long identify_file(int fd)
{
	static const char epoll[] = "anon_inode:[eventpoll]";
	char link[sizeof("/proc/self/fd/") + 10], name[256];
	unsigned long result;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, sizeof(name));
	if (length <= 0)
		return 0;
	result = hash(2166136261, name, (size_t)length);
	if (length == (ssize_t)sizeof(epoll) - 1 && !memcmp(name, epoll, sizeof(epoll) - 1)) {
		unsigned long mark = watched_by(fd);

		result = mark ? result ^ mark << 1 : 0;
	}
	return result > PERFCTR_DESCRIPTOR_KEPT ? result | IS_FILE : 0;
}

bool perfctr_descriptor_is(int fd, unsigned long identity)
{
	int error = errno;
	bool is = fd >= 0 && identity &&
		  (identity & IS_FILE ? identify_file(fd)
				      : identity_of_event(perfctr_call_event_id(fd))) == identity;

	errno = error;
	return is;
}

int perfctr_descriptor_fail(const char *what)
{
	return perfctr_fail(ESTALE,
			    "%s: stale: the program closed the descriptor, as closefrom(3) or "
			    "daemon(3) does; open the counters after that",
			    what);
}

/* ---- what a child of fork() closes ---- */

/*
 * The identities of the library's descriptors, by number, in pieces that are made when they are
 * needed. A child of fork() gets this memory. An entry is set after an open and cleared before a
 * close: a fork in between leaves the child a descriptor too many, but never closes one that
 * belongs to the program.
 */
#define PIECE  512u  /* entries */
#define PIECES 2048u /* a million descriptors; a child keeps those beyond them */
static _Atomic(atomic_ulong *) piece[PIECES];

static atomic_ulong *entry_of(int fd)
{
	unsigned int i = (unsigned int)fd / PIECE;
	atomic_ulong *entries = i < PIECES ? atomic_load(&piece[i]) : NULL;

	return entries ? &entries[(unsigned int)fd % PIECE] : NULL;
}

static void make_piece(int fd)
{
	unsigned int i = (unsigned int)fd / PIECE;
	const size_t size = PIECE * sizeof(atomic_ulong);
	atomic_ulong *none = NULL, *memory;

	if (i >= PIECES || atomic_load(&piece[i]))
		return;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory != MAP_FAILED && !atomic_compare_exchange_strong(&piece[i], &none, memory))
		munmap(memory, size);
}

static void close_owned(void)
{
	unsigned int i, k;

	for (i = 0; i < PIECES; i++)
		for (k = 0; atomic_load(&piece[i]) && k < PIECE; k++) {
			int fd = (int)(i * PIECE + k);
			unsigned long identity = perfctr_descriptor_noted(fd);

			if (identity)
				perfctr_descriptor_close(fd, identity);
			perfctr_descriptor_disown(fd);
		}
}

static void close_at_fork(void)
{
	pthread_atfork(NULL, NULL, close_owned);
}

static unsigned long own(int fd, unsigned long identity)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	atomic_ulong *entry;

	pthread_once(&once, close_at_fork);
	make_piece(fd);
	entry = entry_of(fd);
	if (entry)
		atomic_store(entry, identity);
	return identity;
}

unsigned long perfctr_descriptor_own_event(int fd)
{
	int error = errno;
	unsigned long id = fd < 0 ? 0 : identity_of_event(perfctr_call_event_id(fd));

	if (id)
		own(fd, id);
	errno = error;
	return id;
}

void perfctr_descriptor_own_kept(int fd)
{
	int error = errno;

	if (fd >= 0)
		own(fd, PERFCTR_DESCRIPTOR_KEPT);
	errno = error;
}

unsigned long perfctr_descriptor_own_file(int fd)
{
	int error = errno;
	unsigned long identity = fd < 0 ? 0 : identify_file(fd);

	if (identity)
		own(fd, identity);
	errno = error;
	return identity;
}

unsigned long perfctr_descriptor_noted(int fd)
{
	const atomic_ulong *entry = fd < 0 ? NULL : entry_of(fd);

	return entry ? atomic_load(entry) : 0;
}

void perfctr_descriptor_disown(int fd)
{
	atomic_ulong *entry = fd < 0 ? NULL : entry_of(fd);

	if (entry)
		atomic_store(entry, 0);
}

/* The number's entry may be that of a newer descriptor of the library's. */
void perfctr_descriptor_drop(int fd, unsigned long identity)
{
	if (perfctr_descriptor_noted(fd) == identity)
		perfctr_descriptor_disown(fd);
	perfctr_call_close(fd);
}

void perfctr_descriptor_close(int fd, unsigned long identity)
{
	if (identity == PERFCTR_DESCRIPTOR_KEPT || perfctr_descriptor_is(fd, identity))
		perfctr_descriptor_drop(fd, identity);
}

void perfctr_descriptor_run_add(struct perfctr_descriptor_run *run, int fd)
{
	if (run->n && fd != run->first + run->n)
		perfctr_descriptor_run_end(run);
	if (!run->n)
		run->first = fd;
	run->n++;
	perfctr_descriptor_disown(fd);
}

void perfctr_descriptor_run_end(struct perfctr_descriptor_run *run)
{
	if (run->n)
		perfctr_call_close_range(run->first, run->first + run->n - 1);
	run->n = 0;
}
