// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A text is written as a whole or not at all: whatever hinders it is an error, and neither a signal
 * nor half of it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/base/text.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

/* More than a pipe has room for. */
static struct perfctr_text make_text(void)
{
	struct perfctr_text text = { NULL, 0, 0, false };

	while (text.size < 1000000)
		perfctr_text_add(&text, "a line of a report\n");
	ck_assert(!text.failed);
	return text;
}

/* A pipe takes the place of the standard error. Returns its other end. */
static int pipe_error(void)
{
	int end[2];

	ck_assert_int_eq(pipe(end), 0);
	ck_assert_int_eq(dup2(end[1], STDERR_FILENO), STDERR_FILENO);
	close(end[1]);
	return end[0];
}

static void set_mask(int signal, int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal);
	ck_assert_int_eq(pthread_sigmask(how, &set, NULL), 0);
}

static bool is_blocked(int signal)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, signal);
}

static bool is_pending(int signal)
{
	sigset_t set;

	sigpending(&set);
	return sigismember(&set, signal);
}

/* What the program has blocked stays so, and what was pending stays. */
START_TEST(reader_gone)
{
	struct perfctr_text text = make_text();

	close(pipe_error());
	ck_fails(perfctr_text_write(&text, NULL), EPIPE, "the standard error can't be written");
	ck_assert(!is_blocked(SIGPIPE) && !is_blocked(SIGXFSZ));
	set_mask(SIGPIPE, SIG_BLOCK);
	ck_fails(perfctr_text_write(&text, NULL), EPIPE, "");
	ck_assert(is_blocked(SIGPIPE) && !is_pending(SIGPIPE));
	raise(SIGPIPE);
	ck_fails(perfctr_text_write(&text, NULL), EPIPE, "");
	ck_assert(is_blocked(SIGPIPE) && is_pending(SIGPIPE));
	free(text.bytes);
}
END_TEST

static unsigned int count_files(const char *directory)
{
	DIR *dir = opendir(directory);
	unsigned int n = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n - 2;
}

/* Nothing is left of a file that can't be so large. */
START_TEST(limited)
{
	struct rlimit limit;
	struct perfctr_text text = make_text();
	char directory[] = "/tmp/text-XXXXXX", file[sizeof(directory) + 2];

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(file, sizeof(file), "%s/x", directory);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = 1024;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_fails(perfctr_text_write(&text, file), EFBIG, "/x can't be written: File too large");
	ck_assert_uint_eq(count_files(directory), 0);
	ck_assert(!is_blocked(SIGPIPE) && !is_blocked(SIGXFSZ));
	rmdir(directory);
	free(text.bytes);
}
END_TEST

static bool has_text(const char *file, const struct perfctr_text *text)
{
	char *bytes = malloc(text->size + 1);
	FILE *f = fopen(file, "r");
	size_t n;

	ck_assert(f && bytes);
	n = fread(bytes, 1, text->size + 1, f);
	fclose(f);
	n = n == text->size && !memcmp(bytes, text->bytes, n);
	free(bytes);
	return n;
}

/* Whoever has the name of the file beside it keeps it; and the first descriptor is one, too. */
START_TEST(beside)
{
	struct perfctr_text text = make_text();
	char directory[] = "/tmp/text-XXXXXX", file[64], other[80], third[96];
	int in = dup(STDIN_FILENO);

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(file, sizeof(file), "%s/x", directory);
	snprintf(other, sizeof(other), "%s.%d", file, (int)getpid());
	snprintf(third, sizeof(third), "%s.1", other);
	ck_assert_int_eq(symlink("nowhere", other), 0);
	ck_assert_int_eq(mkdir(third, 0700), 0);
	ck_assert_int_eq(perfctr_text_write(&text, file), 0);
	ck_assert(has_text(file, &text));
	ck_assert_uint_eq(count_files(directory), 3);
	ck_assert_int_eq(close(STDIN_FILENO), 0);
	ck_assert_int_eq(perfctr_text_write(&text, file), 0);
	ck_assert(has_text(file, &text));
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	ck_assert_int_eq(dup2(in, STDIN_FILENO), STDIN_FILENO);
	close(in);
	ck_assert_uint_eq(count_files(directory), 3);
	unlink(file);
	unlink(other);
	rmdir(third);
	ck_assert_int_eq(rmdir(directory), 0);
	free(text.bytes);
}
END_TEST

static const char *name_of(const char *pattern)
{
	static char made[1024];
	struct perfctr_text name = { NULL, 0, 0, false };

	ck_assert_int_eq(perfctr_text_name(&name, pattern, 321), 0);
	snprintf(made, sizeof(made), "%s", name.bytes);
	free(name.bytes);
	return made;
}

static void refuses(const char *pattern, const char *words)
{
	struct perfctr_text name = { NULL, 0, 0, false };

	ck_fails(perfctr_text_name(&name, pattern, 321), EINVAL, words);
	free(name.bytes);
}

START_TEST(names)
{
	char variable[160], pattern[200], host[256];

	ck_assert_str_eq(name_of("%p-%%.x"), "321-%.x");
	ck_assert_int_eq(gethostname(host, sizeof(host)), 0);
	ck_assert_str_eq(name_of("%h"), host);
	ck_assert_int_eq(setenv("NAME_OF_A_TEST", "a}b", 1), 0);
	ck_assert_str_eq(name_of("<%q{NAME_OF_A_TEST}>%q{NAME_OF_A_TEST}"), "<a}b>a}b");
	/* As long as may be, and one more. */
	memset(variable, 'V', sizeof(variable));
	variable[126] = '\0';
	ck_assert_int_eq(setenv(variable, "long", 1), 0);
	snprintf(pattern, sizeof(pattern), "%%q{%s}", variable);
	ck_assert_str_eq(name_of(pattern), "long");
	snprintf(pattern, sizeof(pattern), "%%q{V%s}", variable);
	refuses(pattern, "is written %q{NAME}");
	refuses("%q{NAME_OF_A_TEST", "is written %q{NAME}");
	refuses("%qNAME_OF_A_TEST}", "is written %q{NAME}");
	refuses("%q{NONE_OF_A_TEST}",
		"no environment variable NONE_OF_A_TEST for %q{NONE_OF_A_TEST}");
	refuses("a%", "not \"\"");
	refuses("a%x", "not \"x\"");
	refuses("", "needs a name");
}
END_TEST

static void *read_all(void *arg)
{
	static size_t size;
	char bytes[4096];
	ssize_t n;

	usleep(100000);
	while ((n = read(*(int *)arg, bytes, sizeof(bytes))) > 0)
		size += (size_t)n;
	return &size;
}

/* Where a write would have to wait and may not. */
START_TEST(nonblocking)
{
	struct perfctr_text text = make_text();
	int end = pipe_error();
	pthread_t reader;
	void *size;

	ck_assert_int_eq(fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_eq(pthread_create(&reader, NULL, read_all, &end), 0);
	ck_assert_int_eq(perfctr_text_write(&text, NULL), 0);
	close(STDERR_FILENO);
	ck_assert_int_eq(pthread_join(reader, &size), 0);
	ck_assert_uint_eq(*(size_t *)size, text.size);
	free(text.bytes);
}
END_TEST

UNIT_MAIN("text", 60, reader_gone, limited, beside, names, nonblocking)
