// SPDX-License-Identifier: LGPL-2.1-or-later
/* The descriptor that a file's name stands for: by its name, by links, in this process alone. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/stream.h"
#include "lib/base/text.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

START_TEST(names)
{
	static const struct {
		const char *name;
		int fd;
	} known[] = {
		{ "/dev/stdout", 1 },
		{ "/dev/stderr", 2 },
		{ "/dev/fd/0", 0 },
		{ "/dev/fd/7", 7 },
		{ "/proc/self/fd/12", 12 },
		{ "/proc/thread-self/fd/3", 3 },
		{ "/proc/../proc/self/./fd//4", 4 },
		{ "/dev/fd/999999999", 999999999 },
		{ "/dev/fd/1000000000", -1 },
		{ "/dev/fd/", -1 },
		{ "/dev/fd/-1", -1 },
		{ "/dev/fd/1x", -1 },
		{ "/dev/fd/1/", -1 },
		{ "/proc/self/fdinfo/1", -1 },
		{ "/proc/1/fd/1", -1 },
		{ "/dev/null", -1 },
		{ "/dev/stdout2", -1 },
		{ "/", -1 },
		{ "1", -1 },
		{ "", -1 },
		{ "no/such/directory/1", -1 },
	};
	char name[64];
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		errno = ERANGE;
		ck_assert_msg(perfctr_stream_named(known[i].name) == known[i].fd, "%s is %d",
			      known[i].name, perfctr_stream_named(known[i].name));
		ck_assert_int_eq(errno, ERANGE);
	}
	snprintf(name, sizeof(name), "/proc/%d/fd/5", (int)getpid());
	ck_assert_int_eq(perfctr_stream_named(name), 5);
	snprintf(name, sizeof(name), "/proc/%d/fd/5", (int)getppid());
	ck_assert_int_eq(perfctr_stream_named(name), -1);
}
END_TEST

START_TEST(links)
{
	char directory[] = "/tmp/stream-XXXXXX", whole[PATH_MAX + 10];
	static const char *const target[][2] = {
		{ "/dev/stdout", "stdout" }, { "stdout", "again" },  { "/proc/self/fd", "fd" },
		{ "fd/6", "six" },	     { "itself", "itself" }, { "nowhere", "dangling" },
	};
	size_t i;
	int here = open(".", O_RDONLY | O_DIRECTORY);

	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
	for (i = 0; i < sizeof(target) / sizeof(target[0]); i++)
		ck_assert_int_eq(symlink(target[i][0], target[i][1]), 0);
	ck_assert_int_eq(perfctr_stream_named("stdout"), 1);
	ck_assert_int_eq(perfctr_stream_named("./again"), 1);
	ck_assert_int_eq(perfctr_stream_named("fd/2"), 2);
	ck_assert_int_eq(perfctr_stream_named("six"), 6);
	ck_assert_int_eq(perfctr_stream_named("itself"), -1);
	ck_assert_int_eq(perfctr_stream_named("dangling"), -1);
	memset(whole, '/', sizeof(whole));
	memcpy(whole + sizeof(whole) - 4, "six", 4);
	ck_assert_int_eq(perfctr_stream_named(whole), -1);
	for (i = 0; i < sizeof(target) / sizeof(target[0]); i++)
		unlink(target[i][1]);
	ck_assert_int_eq(fchdir(here), 0);
	close(here);
	ck_assert_int_eq(rmdir(directory), 0);
}
END_TEST

/* The program writes before and after, into a regular file that is its standard output. */
static void write_lines(const char *name)
{
	struct perfctr_text text = { NULL, 0, 0, false };
	FILE *out;

	perfctr_text_add(&text, "report\n");
	out = fdopen(dup(STDOUT_FILENO), "w");
	fputs("before\n", out);
	fflush(out);
	if (perfctr_text_write(&text, name) < 0)
		_exit(1);
	fputs("after\n", out);
	fflush(out);
	_exit(0);
}

START_TEST(regular_file)
{
	static const char *const name_of[] = { "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1",
					       "/proc/thread-self/fd/1" };
	char name[] = "/tmp/stream-XXXXXX", found[64];
	int fd = mkstemp(name), status;
	ssize_t n;
	size_t i;

	for (i = 0; i < sizeof(name_of) / sizeof(name_of[0]); i++) {
		ck_assert_int_eq(ftruncate(fd, 0), 0);
		lseek(fd, 0, SEEK_SET);
		if (fork() == 0) {
			dup2(fd, STDOUT_FILENO);
			write_lines(name_of[i]);
		}
		ck_assert_int_gt(wait(&status), 0);
		ck_assert_int_eq(status, 0);
		n = pread(fd, found, sizeof(found) - 1, 0);
		found[n > 0 ? n : 0] = '\0';
		ck_assert_str_eq(found, "before\nreport\nafter\n");
	}
	close(fd);
	unlink(name);
}
END_TEST

START_TEST(not_open)
{
	struct perfctr_text text = { NULL, 0, 0, false };

	perfctr_text_add(&text, "report\n");
	ck_fails(perfctr_text_write(&text, "/dev/fd/9999"), EBADF, "/dev/fd/9999 can't be written");
	free(text.bytes);
}
END_TEST

UNIT_MAIN("stream", 60, names, links, regular_file, not_open)
