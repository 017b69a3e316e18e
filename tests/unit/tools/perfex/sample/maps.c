// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the kernel tells of a process that runs already: its mappings with code, and its name. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/maps.h"

/* A mapping that this test has made, and what is told of it. */
struct wanted {
	uint64_t addr;
	unsigned int n;
	struct perfctr_record_mmap mmap;
	char file[4096];
};

static void each(void *arg, const struct perfctr_record_mmap *mmap)
{
	struct wanted *wanted = arg;

	ck_assert_uint_ne(mmap->prot & PROT_EXEC, 0);
	ck_assert_uint_eq(mmap->pid, (uint32_t)getpid());
	if (mmap->addr != wanted->addr)
		return;
	wanted->n++;
	wanted->mmap = *mmap;
	snprintf(wanted->file, sizeof(wanted->file), "%s", mmap->file);
}

/* Maps a page, and reads what there is. */
static struct wanted look(int fd, off_t offset, int prot, int flags)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page, prot, flags, fd, offset);
	struct wanted wanted = { .addr = (uintptr_t)memory };
	char name[16];

	ck_assert_ptr_ne(memory, MAP_FAILED);
	/* None beside it is of the same kind, or they would be one. */
	prctl(PR_SET_NAME, "as it is called");
	maps_read((uint32_t)getpid(), name, each, &wanted);
	ck_assert_str_eq(name, "as it is called");
	munmap(memory, page);
	return wanted;
}

START_TEST(mappings)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char path[4096] = "", name[] = "maps.XXXXXX";
	struct wanted of;
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, (off_t)(4 * page)), 0);
	ck_assert_ptr_nonnull(realpath(name, path));
	of = look(fd, (off_t)(2 * page), PROT_READ | PROT_EXEC, MAP_SHARED);
	ck_assert_uint_eq(of.n, 1);
	ck_assert_uint_eq(of.mmap.length, page);
	ck_assert_uint_eq(of.mmap.offset, 2 * page);
	ck_assert_uint_eq(of.mmap.prot, PROT_READ | PROT_EXEC);
	ck_assert_uint_eq(of.mmap.flags, MAP_SHARED);
	ck_assert_str_eq(of.file, path);
	of = look(fd, (off_t)page, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE);
	ck_assert_uint_eq(of.n, 1);
	ck_assert_uint_eq(of.mmap.prot, PROT_READ | PROT_WRITE | PROT_EXEC);
	ck_assert_uint_eq(of.mmap.flags, MAP_PRIVATE);
	of = look(fd, 0, PROT_READ, MAP_PRIVATE);
	ck_assert_uint_eq(of.n, 0);
	of = look(-1, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS);
	ck_assert_uint_eq(of.n, 1);
	ck_assert_str_eq(of.file, "//anon");
	ck_assert_uint_eq(of.mmap.inode, 0);
	close(fd);
	unlink(name);
}
END_TEST

/* One that is gone has neither. */
START_TEST(nobody)
{
	struct wanted wanted = { .addr = 0 };
	char name[16] = "before";

	maps_read(INT32_MAX, name, each, &wanted);
	ck_assert_str_eq(name, "");
	ck_assert_uint_eq(wanted.n, 0);
}
END_TEST

static void *wait_for_ever(void *arg)
{
	pause();
	return arg;
}

static unsigned int known;

static void is_thread(void *arg, uint32_t tid, const char *name)
{
	(void)arg;
	known += tid == (uint32_t)getpid() ? !strcmp(name, "first") : !strcmp(name, "second");
}

static void is_process(void *arg, uint32_t pid)
{
	(void)arg;
	known += pid == (uint32_t)getpid() || pid == (uint32_t)getppid();
}

START_TEST(threads)
{
	pthread_t thread;
	uint8_t id[20];
	uint32_t size;

	ck_assert_int_eq(prctl(PR_SET_NAME, "first"), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_ever, NULL), 0);
	ck_assert_int_eq(pthread_setname_np(thread, "second"), 0);
	maps_threads((uint32_t)getpid(), is_thread, NULL);
	ck_assert_uint_eq(known, 2);
	maps_threads(INT32_MAX, is_thread, NULL);
	ck_assert_uint_eq(known, 2);
	maps_processes(is_process, NULL);
	ck_assert_uint_eq(known, 4);
	size = maps_kernel_id(id);
	ck_assert(size == 0 || size >= 8);
}
END_TEST

UNIT_MAIN("maps", 20, mappings, nobody, threads)
