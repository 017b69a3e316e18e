// SPDX-License-Identifier: LGPL-2.1-or-later
/* Small text files, as sysfs has them. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "tests/harness/root.h"
#include "tests/harness/check.h"

#define FILE_NAME "/some/file"

static void file(const char *text)
{
	root_file(FILE_NAME, text, strlen(text));
}

/* Reads go byte by byte, each after a signal, until so many; then they fail. 0: as they do. */
static unsigned int slow;
static bool interrupted;

long __wrap_syscall(long number, ...);

static ssize_t read_slowly(int fd, void *buffer, size_t size)
{
	if (!slow)
		return read(fd, buffer, size);
	if (!interrupted) {
		interrupted = true;
		errno = EINTR;
		return -1;
	}
	interrupted = false;
	if (--slow == 0) {
		errno = EIO;
		return -1;
	}
	return read(fd, buffer, size ? 1 : 0);
}

/* The library's reads; it makes no other call by this function here. */
long __wrap_syscall(long number, ...)
{
	va_list args;
	size_t size;
	void *buffer;
	int fd;

	ck_assert_int_eq(number, SYS_read);
	va_start(args, number);
	fd = va_arg(args, int);
	buffer = va_arg(args, void *);
	size = va_arg(args, size_t);
	va_end(args);
	return read_slowly(fd, buffer, size);
}

START_TEST(slow_files)
{
	char text[8];

	root_make();
	file("1234");
	interrupted = false;
	slow = 100;
	ck_assert_int_eq(perfctr_file_read(FILE_NAME, text, sizeof(text)), 4);
	ck_assert_str_eq(text, "1234");
	slow = 3;
	errno = 0;
	ck_assert_int_eq(perfctr_file_read(FILE_NAME, text, sizeof(text)), -1);
	ck_assert_int_eq(errno, EIO);
	slow = 0;
	root_remove();
}
END_TEST

/* Without its trailing white space, or not at all. */
START_TEST(whole_files)
{
	struct {
		char before, text[8], after;
	} buffer;
	static const struct {
		const char *file, *text;
	} texts[] = {
		{ "1234567", "1234567" }, { "12 \t\n\n", "12" }, { "", "" }, { "\n", "" },
		{ " 1", " 1" },		  { "1\n2\n", "1\n2" },
	};
	unsigned int i;

	root_make();
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		file(texts[i].file);
		memset(&buffer, 0xEE, sizeof(buffer));
		buffer.before = ' ';
		errno = EINTR; /* of an earlier call */
		ck_assert_int_eq(perfctr_file_read(FILE_NAME, buffer.text, sizeof(buffer.text)),
				 (int)strlen(texts[i].text));
		ck_assert_str_eq(buffer.text, texts[i].text);
		ck_assert_int_eq(buffer.before, ' ');
		ck_assert_int_eq(buffer.after, (char)0xEE);
	}
	/* The NUL has no room, whatever the last byte is. */
	for (i = 0; i < 2; i++) {
		file(i ? "123456\n\n" : "12345678");
		errno = 0;
		ck_assert_int_eq(perfctr_file_read(FILE_NAME, buffer.text, sizeof(buffer.text)),
				 -1);
		ck_assert_int_eq(errno, EFBIG);
	}
	errno = 0;
	ck_assert_int_eq(perfctr_file_read("/some/other", buffer.text, sizeof(buffer.text)), -1);
	ck_assert_int_eq(errno, ENOENT);
	errno = 0;
	ck_assert_int_eq(perfctr_file_read("/some", buffer.text, sizeof(buffer.text)), -1);
	ck_assert_int_eq(errno, EISDIR);
	root_remove();
}
END_TEST

/* One of a line is whole with its end, without another read. */
START_TEST(lines)
{
	char text[8];

	root_make();
	file("123\n");
	slow = 5; /* the fifth read would fail */
	ck_assert_int_eq(perfctr_file_line(FILE_NAME, text, sizeof(text)), 3);
	ck_assert_str_eq(text, "123");
	ck_assert_uint_eq(slow, 1);
	slow = 0;
	file("12");
	ck_assert_int_eq(perfctr_file_line(FILE_NAME, text, sizeof(text)), 2);
	file("1234567\n"); /* fills it */
	ck_assert_int_eq(perfctr_file_line(FILE_NAME, text, sizeof(text)), 7);
	ck_assert_str_eq(text, "1234567");
	file("12345678");
	ck_assert_int_eq(perfctr_file_line(FILE_NAME, text, sizeof(text)), -1);
	ck_assert_int_eq(errno, EFBIG);
	root_remove();
}
END_TEST

/* In pieces, as a pipe gives it: what does not fit is refused, and written nowhere. */
START_TEST(pieces)
{
	struct {
		char text[8], after[8];
	} buffer;
	unsigned int length;

	root_make();
	for (length = 7; length <= 12; length++) {
		ck_assert_int_eq(mkfifo(root_path(FILE_NAME), 0600), 0);
		if (fork() == 0) {
			int fd = open(root_path(FILE_NAME), O_WRONLY), i, n;

			/* The second piece when the first is gone: a pipe keeps pieces together. */
			if (write(fd, "1234", 4) != 4)
				_exit(1);
			for (i = 0; i < 10000 && ioctl(fd, FIONREAD, &n) == 0 && n > 0; i++)
				usleep(1000);
			_exit(write(fd, "56789012", length - 4) < 0);
		}
		memset(&buffer, 0xEE, sizeof(buffer));
		if (length == 7) {
			ck_assert_int_eq(perfctr_file_read(FILE_NAME, buffer.text,
							   sizeof(buffer.text)),
					 7);
			ck_assert_str_eq(buffer.text, "1234567");
		} else {
			ck_assert_int_eq(perfctr_file_read(FILE_NAME, buffer.text,
							   sizeof(buffer.text)),
					 -1);
			ck_assert_int_eq(errno, EFBIG);
		}
		ck_assert_int_eq(buffer.after[0], (char)0xEE);
		wait(NULL);
		unlink(root_path(FILE_NAME));
	}
	root_remove();
}
END_TEST

/* Where a program has no standard input, the file's descriptor is 0; where there is no root, / is
 * it. */
START_TEST(descriptor_0)
{
	char text[64];

	unsetenv("PERFCTR_ROOT");
	close(0);
	ck_assert_int_eq(perfctr_file_read("/dev/null", text, sizeof(text)), 0);
	ck_assert_int_eq(open("/dev/null", O_RDONLY), 0);
}
END_TEST

START_TEST(numbers)
{
	static const char *const wrong[] = {
		"",
		"x",
		"1x",
		"1 2",
		"9223372036854775808",
		"0x10",
		"1234567890123456789012345678901",
	};
	char largest[32];
	long number;
	unsigned int i;

	root_make();
	file("42\n");
	ck_assert_int_eq(perfctr_file_number(FILE_NAME, &number), 0);
	ck_assert_int_eq(number, 42);
	file("-7");
	ck_assert_int_eq(perfctr_file_number(FILE_NAME, &number), 0);
	ck_assert_int_eq(number, -7);
	snprintf(largest, sizeof(largest), "%ld\n", LONG_MAX);
	file(largest);
	ck_assert_int_eq(perfctr_file_number(FILE_NAME, &number), 0);
	ck_assert_int_eq(number, LONG_MAX);
	number = 5;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		file(wrong[i]);
		errno = 0;
		ck_assert_int_eq(perfctr_file_number(FILE_NAME, &number), -1);
		ck_assert_int_eq(errno, EINVAL);
	}
	file("111111111111111111111111111111111111");
	ck_assert_int_eq(perfctr_file_number(FILE_NAME, &number), -1);
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_int_eq(perfctr_file_number("/none", &number), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(number, 5);
	root_remove();
}
END_TEST

/* A root that leaves no room for the path. */
START_TEST(long_roots)
{
	static char path[PATH_MAX + 1];
	char text[8];

	memset(path, '/', PATH_MAX);
	setenv("PERFCTR_ROOT", "/", 1);
	errno = 0;
	path[PATH_MAX - 1] = '\0'; /* with the root as many as a path can't have */
	ck_assert_int_eq(perfctr_file_read(path, text, sizeof(text)), -1);
	ck_assert_int_eq(errno, ENAMETOOLONG);
	errno = 0;
	ck_assert_ptr_null(perfctr_file_dir(path));
	ck_assert_int_eq(errno, ENAMETOOLONG);
	path[PATH_MAX - 2] = '\0'; /* the longest that it has: a directory */
	errno = 0;
	ck_assert_int_eq(perfctr_file_read(path, text, sizeof(text)), -1);
	ck_assert_int_eq(errno, EISDIR);
}
END_TEST

START_TEST(words)
{
	static const char *const good[] = { "a", "cpu_core", "armv8-a.1", "9", "Z", "_", "-" };
	static const char *const bad[] = {
		"", ".", "..", ".a", "a/b", "a b", "a\n", "\303\244", "a*", "/a", " a", "*",
	};
	char name[PERFCTR_NAME_SIZE + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		ck_assert_msg(perfctr_file_is_word(good[i], strlen(good[i])), "%s", good[i]);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(!perfctr_file_is_word(bad[i], strlen(bad[i])), "%s", bad[i]);
	ck_assert(perfctr_file_is_word("a/b", 1));
	memset(name, 'n', sizeof(name));
	ck_assert(perfctr_file_is_word(name, PERFCTR_NAME_SIZE - 1));
	ck_assert(!perfctr_file_is_word(name, PERFCTR_NAME_SIZE));
}
END_TEST

static int note(void *arg, const char *entry)
{
	char *seen = arg;

	strcat(seen, entry);
	return !strcmp(entry, "b") ? 7 : 0;
}

START_TEST(walks)
{
	char seen[64] = "";

	root_make();
	ck_assert_int_eq(perfctr_file_walk("/none", note, seen), 0);
	root_line("/directory/a", "");
	root_line("/directory/.hidden", "");
	root_line("/directory/a b", "");
	ck_assert_int_eq(perfctr_file_walk("/directory", note, seen), 0);
	ck_assert_str_eq(seen, "a");
	root_line("/other/b", "");
	seen[0] = '\0';
	/* What says that it is enough ends it. */
	ck_assert_int_eq(perfctr_file_walk("/other", note, seen), 7);
	root_line("/two/b/x", "");
	root_line("/two/b/y", "");
	ck_assert_str_eq(seen, "b");
	root_remove();
}
END_TEST

UNIT_MAIN("file", 60, slow_files, whole_files, lines, pieces, descriptor_0, numbers, long_roots,
	  words, walks)
