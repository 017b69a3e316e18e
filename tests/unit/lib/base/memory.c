// SPDX-License-Identifier: LGPL-2.1-or-later
/* Memory that a child of fork() finds cleared. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/memory.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* The errno with which the calls fail; 0: they do what they do. */
static int no_map, no_advice;
static unsigned int maps, unmaps;
static size_t unmapped;

void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__real_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_munmap(void *at, size_t size);
int __real_madvise(void *at, size_t size, int advice);
int __wrap_madvise(void *at, size_t size, int advice);

static bool refused(int error)
{
	maps++;
	errno = error ? error : errno;
	return error;
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return refused(no_map) ? MAP_FAILED : __real_mmap(at, size, prot, flags, fd, offset);
}

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset)
{
	return refused(no_map) ? MAP_FAILED : __real_mmap64(at, size, prot, flags, fd, offset);
}

int __wrap_munmap(void *at, size_t size)
{
	int result = __real_munmap(at, size);

	unmaps++;
	unmapped = size;
	errno = EXDEV;
	return result;
}

int __wrap_madvise(void *at, size_t size, int advice)
{
	ck_assert_int_eq(advice, MADV_WIPEONFORK);
	errno = no_advice ? no_advice : errno;
	return no_advice ? -1 : __real_madvise(at, size, advice);
}

START_TEST(cleared)
{
	const size_t size = 3 * (size_t)sysconf(_SC_PAGESIZE);
	char *memory;
	int status;
	pid_t child;
	size_t i;

	maps = unmaps = 0;
	memory = perfctr_memory_map(size);
	ck_assert_ptr_nonnull(memory);
	ck_assert_uint_eq(maps, 1);
	for (i = 0; i < size; i++)
		ck_assert(memory[i] == 0);
	memset(memory, 0x5A, size);
	child = fork();
	if (child == 0) {
		for (i = 0; i < size && memory[i] == 0;)
			i++;
		_exit(i < size);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert(memory[0] == 0x5A && memory[size - 1] == 0x5A);
	errno = ENOTTY;
	perfctr_memory_unmap(memory, size);
	ck_assert_int_eq(errno, ENOTTY);
	ck_assert_uint_eq(unmaps, 1);
	ck_assert_uint_eq(unmapped, size);
}
END_TEST

START_TEST(none)
{
	no_map = ENOMEM;
	ck_fails_null(perfctr_memory_map(4096), ENOMEM, "no memory for 4096 bytes");
	no_map = 0;
	ck_assert_uint_eq(unmaps, 0);
}
END_TEST

/* Before Linux 4.14 a child has the parent's; that is no reason to have none. */
START_TEST(not_cleared)
{
	char *memory;

	no_advice = EINVAL;
	errno = ENOTTY;
	memory = perfctr_memory_map(100);
	ck_assert_ptr_nonnull(memory);
	ck_assert_int_eq(errno, ENOTTY);
	memory[99] = 1;
	no_advice = 0;
	perfctr_memory_unmap(memory, 100);
}
END_TEST

/* What is given back is taken again, cleared, up to so much; a child has it, too. */
START_TEST(kept)
{
	enum { KEPT = 64, MANY = KEPT + 3 };
	char *memory[MANY], *again;
	unsigned int i;
	int status;
	pid_t child;

	maps = unmaps = 0;
	for (i = 0; i < MANY; i++) {
		memory[i] = perfctr_memory_take(100 + i);
		ck_assert_ptr_nonnull(memory[i]);
		ck_assert(memory[i][0] == 0 && memory[i][99 + i] == 0);
		memset(memory[i], 0x5A, 100 + i);
	}
	ck_assert_uint_eq(maps, MANY);
	errno = ENOTTY;
	for (i = 0; i < MANY; i++)
		perfctr_memory_give(memory[i], 100 + i);
	ck_assert_int_eq(errno, ENOTTY);
	ck_assert_uint_eq(unmaps, MANY - KEPT);
	ck_assert_uint_eq(unmapped, PERFCTR_MEMORY_TAKEN);
	again = perfctr_memory_take(PERFCTR_MEMORY_TAKEN);
	ck_assert_ptr_eq(again, memory[0]);
	for (i = 0; i < PERFCTR_MEMORY_TAKEN; i++)
		ck_assert(again[i] == 0);
	memset(again, 0x5A, PERFCTR_MEMORY_TAKEN);
	child = fork();
	if (child == 0) {
		char *own = perfctr_memory_take(1);

		_exit(own != memory[1] || own[0] || again[0] || maps != MANY);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	perfctr_memory_give(again, PERFCTR_MEMORY_TAKEN);
	for (i = 0; i < KEPT; i++)
		memory[i] = perfctr_memory_take(1);
	ck_assert_uint_eq(maps, MANY);
	no_map = ENOMEM;
	ck_fails_null(perfctr_memory_take(1), ENOMEM, "no memory for 8192 bytes");
	no_map = 0;
	for (i = 0; i < KEPT; i++)
		perfctr_memory_unmap(memory[i], PERFCTR_MEMORY_TAKEN);
}
END_TEST

static void *mark(void *arg)
{
	(void)arg;
	return &perfctr_thread_mark;
}

START_TEST(marks)
{
	pthread_t thread;
	void *other;

	ck_assert_int_eq(pthread_create(&thread, NULL, mark, NULL), 0);
	pthread_join(thread, &other);
	ck_assert_ptr_ne(other, &perfctr_thread_mark);
}
END_TEST

UNIT_MAIN("memory", 60, cleared, none, not_cleared, kept, marks)
