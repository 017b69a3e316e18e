// SPDX-License-Identifier: LGPL-2.1-or-later
/* The last failure's sentence, also one that is made only when the program asks for it. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

static unsigned int made;

static int make(const char *word, size_t length)
{
	made++;
	return perfctr_fail(EINVAL, "%zu letters: %s", length, word);
}

static int make_reason(const char *word, size_t length)
{
	(void)length;
	return perfctr_fail_event(EINVAL, word, "because");
}

START_TEST(sentences)
{
	ck_assert_int_eq(perfctr_fail(ENOENT, "%s", "one"), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(perfctr_error(), "one");
	/* It may quote the one before. */
	perfctr_fail(EIO, "two, after %s", perfctr_error());
	ck_assert_str_eq(perfctr_error(), "two, after one");
	ck_assert_str_eq(perfctr_reason(), "two, after one");
	ck_assert_int_eq(perfctr_fail_event(EIO, "cycles", "%d", 3), -1);
	ck_assert_str_eq(perfctr_error(), "cycles can't be counted: 3");
	ck_assert_str_eq(perfctr_reason(), "3");
}
END_TEST

START_TEST(later)
{
	char word[] = "abc";

	errno = 0;
	ck_assert_int_eq(perfctr_fail_later(EINVAL, make, word, 2), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(made, 0);
	word[0] = 'x'; /* it has a copy */
	errno = 77;
	ck_assert_str_eq(perfctr_error(), "2 letters: ab");
	ck_assert_str_eq(perfctr_error(), "2 letters: ab");
	ck_assert_int_eq(errno, 77);
	ck_assert_uint_eq(made, 1);
	/* Quoted it is made, and by the next failure it is forgotten. */
	perfctr_fail_later(EINVAL, make, "q", 1);
	perfctr_fail(EIO, "of %s", perfctr_error());
	ck_assert_str_eq(perfctr_error(), "of 1 letters: q");
	perfctr_fail_later(EINVAL, make, "never", 5);
	perfctr_fail(EIO, "this");
	ck_assert_str_eq(perfctr_error(), "this");
	perfctr_fail_later(EINVAL, make, "never", 5);
	perfctr_fail_event(EIO, "cycles", "that");
	ck_assert_str_eq(perfctr_error(), "cycles can't be counted: that");
	ck_assert_uint_eq(made, 2);
	perfctr_fail_later(EINVAL, make_reason, "cs", 2);
	ck_assert_str_eq(perfctr_reason(), "because");
	ck_assert_str_eq(perfctr_error(), "cs can't be counted: because");
}
END_TEST

/* What is too long to be kept is made at once. */
START_TEST(too_long)
{
	static char word[PERFCTR_LATER_SIZE + 1];

	memset(word, 'w', PERFCTR_LATER_SIZE);
	perfctr_fail_later(EINVAL, make, word, PERFCTR_LATER_SIZE - 1);
	ck_assert_uint_eq(made, 0);
	ck_assert_int_eq(perfctr_fail_later(EINVAL, make, word, PERFCTR_LATER_SIZE), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(made, 1);
	ck_assert_ptr_eq(strstr(perfctr_error(), "160 letters: www"), perfctr_error());
	ck_assert_uint_eq(made, 1);
}
END_TEST

/* The sentence stands after an event's name, half of the message at most. */
START_TEST(long_events)
{
	static const char rest[] = " can't be counted: ";
	static char name[600];
	size_t length, n, half = 0;

	for (length = 1; length < sizeof(name); length++) {
		memset(name, 'n', length);
		perfctr_fail_event(EIO, name, "that");
		n = strlen(perfctr_error());
		ck_assert_str_eq(perfctr_error() + n - 4, "that");
		n -= 4;
		if (n < length + strlen(rest) && !half)
			half = n;
		ck_assert_uint_eq(n, half ? half : length + strlen(rest));
	}
	ck_assert_uint_gt(half, 200);
}
END_TEST

/* It ends as it should, however long the names are that it quotes. */
START_TEST(long_names)
{
	static char name[9000];
	size_t length, n, most = 0;

	for (length = 1; length < 1200; length++) {
		memset(name, 'n', length);
		name[length] = '\0';
		perfctr_fail(ENOENT, "the file %s can't be read: %s", name, "why");
		n = strlen(perfctr_error());
		ck_assert_ptr_eq(strstr(perfctr_error(), "the file n"), perfctr_error());
		ck_assert_str_eq(perfctr_error() + n - 20, "n can't be read: why");
		ck_assert(n == length + 28 || strstr(perfctr_error(), "n...n"));
		most = n > most ? n : most;
	}
	ck_assert_uint_eq(most, 511);
	/* Without its end, if nobody can know that. */
	memset(name, 'n', sizeof(name) - 1);
	perfctr_fail(ENOENT, "the file %s can't be read: %s", name, "why");
	ck_assert_uint_eq(strlen(perfctr_error()), 511);
	/* Nor if it is no text at all. */
	memset(name, '\x80', sizeof(name) - 1);
	perfctr_fail(ENOENT, "%s", name);
	ck_assert_ptr_eq(strstr(perfctr_error(), "..."), perfctr_error());
	/* No character is cut. */
	for (length = 0; length < sizeof(name) - 1; length++)
		name[length] = length % 3 == 0 ? '\xE2' : length % 3 == 1 ? '\x82' : '\xAC';
	for (n = 0; n < 3; n++) {
		perfctr_fail(ENOENT, "%.*s%s", (int)n, "xx", name);
		ck_assert((strstr(perfctr_error(), "...") - perfctr_error()) % 3 == (int)n);
		ck_assert_int_eq(strstr(perfctr_error(), "...")[3], '\xE2');
	}
}
END_TEST

/* It is one line of characters that a terminal shows. */
START_TEST(control_characters)
{
	perfctr_fail(ENOENT, "no \"%s\"", "a\nb\tc\033[2J\177\303\251");
	ck_assert_str_eq(perfctr_error(), "no \"a?b?c?[2J?\303\251\"");
	perfctr_fail_event(ENOENT, "x\ny", "%s", "\r");
	ck_assert_str_eq(perfctr_error(), "x?y can't be counted: ?");
	/* The sentence before may be quoted here, too. */
	perfctr_fail(ENOENT, "this");
	perfctr_fail_event(ENOENT, "that", "%s", perfctr_error());
	ck_assert_str_eq(perfctr_error(), "that can't be counted: this");
}
END_TEST

static void *read_it(void *arg)
{
	ck_assert_str_eq(perfctr_error(), "");
	return arg;
}

/* ---- threads ---- */

static const char *place; /* of another thread's sentence */

static void *fail_once(void *number)
{
	perfctr_fail(EIO, "thread %d", *(int *)number);
	place = perfctr_error();
	return NULL;
}

static void *quote(void *text)
{
	perfctr_fail(EIO, "of %s", (const char *)text);
	ck_assert_str_eq(perfctr_error(), "of main's");
	return NULL;
}

static void in_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, run, arg), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

/*
 * Each thread that fails has memory for its sentence, which the next one at its place takes over:
 * two thousand of them need that of a few.
 */
START_TEST(one_after_the_other)
{
	const char *seen[16];
	unsigned int n = 0, k;
	int i;

	perfctr_fail(EIO, "main's");
	for (i = 0; i < 2000; i++) {
		in_thread(fail_once, &i);
		for (k = 0; k < n && seen[k] != place; k++)
			;
		if (k < n)
			continue;
		ck_assert_uint_lt(n, ARRAY_SIZE(seen));
		seen[n++] = place;
	}
	in_thread(read_it, NULL);
	in_thread(quote, (void *)perfctr_error());
	ck_assert_str_eq(perfctr_error(), "main's");
}
END_TEST

/* A child has the sentence of the thread that forked, and threads of its own. */
START_TEST(child)
{
	int status, i = 7;
	pid_t pid;

	in_thread(fail_once, &i);
	perfctr_fail(EIO, "main's");
	pid = fork();
	if (pid == 0) {
		in_thread(fail_once, &i);
		_exit(strcmp(perfctr_error(), "main's") != 0 || strcmp(place, "thread 7") != 0);
	}
	ck_assert(waitpid(pid, &status, 0) == pid && status == 0);
}
END_TEST

static bool no_memory;
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
void *__real_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset);

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return no_memory ? MAP_FAILED : __real_mmap(at, size, prot, flags, fd, offset);
}

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset)
{
	return no_memory ? MAP_FAILED : __real_mmap64(at, size, prot, flags, fd, offset);
}

static void *fail_without(void *arg)
{
	unsigned int before = made;

	no_memory = true;
	ck_assert_int_eq(perfctr_fail(ENOENT, "%s", "one"), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(perfctr_error(), "there is no memory for this error's sentence");
	ck_assert_str_eq(perfctr_reason(), perfctr_error());
	ck_assert_int_eq(perfctr_fail_later(EINVAL, make, "two", 3), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(made, before + 1);
	no_memory = false;
	perfctr_fail(EIO, "three");
	ck_assert_str_eq(perfctr_error(), "three");
	return arg;
}

START_TEST(without_memory)
{
	perfctr_fail(EIO, "main's");
	in_thread(fail_without, NULL);
	ck_assert_str_eq(perfctr_error(), "main's");
}
END_TEST

/* Each thread has its own. */
START_TEST(threads)
{
	perfctr_fail_later(EINVAL, make, "mine", 4);
	in_thread(read_it, NULL);
	ck_assert_uint_eq(made, 0);
	ck_assert_str_eq(perfctr_error(), "4 letters: mine");
}
END_TEST

/* The nearest names are there when somebody wants them. */
START_TEST(nearest_names)
{
	errno = 0;
	ck_assert_int_eq(perfctr_event_check("page-fault"), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_str_eq(perfctr_error(),
			 "\"page-fault\" is not an event; did you mean page-faults?");
	ck_fails_null(perfctr_set_open("task-clocks", NULL, 0), EINVAL, "did you mean task-clock");
}
END_TEST

UNIT_MAIN("error", 20, sentences, later, too_long, long_events, long_names, control_characters,
	  without_memory, threads, one_after_the_other, child, nearest_names)
