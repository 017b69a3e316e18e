// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests lines of the source: of a program that is compiled here, and of what is none. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/sample/libdw.h"
#include "tools/perfex/sample/lines.h"

static char directory[32];

/* Runs a command in the directory, with the compiler in $CC. */
static bool run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", directory, command);
	return system(line) == 0;
}

/* Returns the address that nm tells of a function. */
static uint64_t address_of(const char *function)
{
	char line[128] = "";
	FILE *pipe;

	snprintf(line, sizeof(line), "nm %s/prog | grep ' [Tt] %s$'", directory, function);
	pipe = popen(line, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	pclose(pipe);
	return strtoull(line, NULL, 16);
}

/* Finds a line of a file by its path, as if it was mapped. */
static void find_line(char *text, size_t size, const char *path, uint64_t offset)
{
	int fd = elf_open_file(path);

	lines_find(text, size, fd, path, offset);
	if (fd >= 0)
		close(fd);
}

static void line_is(const char *function, uint64_t from, const char *wanted)
{
	char path[64], text[80] = "x";

	snprintf(path, sizeof(path), "%s/prog", directory);
	find_line(text, sizeof(text), path, address_of(function) - from);
	ck_assert_msg(!strcmp(text, wanted), "%s: %s", function, text);
}

/* Whether a program compiled so, whose addresses are "from" beyond offsets, has these lines. */
static void lines_are(const char *flags, uint64_t from, const char *work, const char *other)
{
	char command[256];

	snprintf(command, sizeof(command), "${CC:-cc} %s -O0 prog.c other.c -o prog 2>/dev/null",
		 flags);
	ck_assert(run(command));
	line_is("work", from, work);
	line_is("other", from, other);
}

/* Makes a program of these, in the directory. */
static void make_sources(void)
{
	strcpy(directory, "/tmp/lines.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert(run("printf 'int x;\n\nvoid work(void)\n{\n\tx++;\n}\n\nint main(void)\n{\n\twork"
		      "();\n\treturn x;\n}\n' >prog.c"));
	ck_assert(run("printf '\nint other(int n) { return n * 3; }\n' >other.c"));
}

static void remove_all(void)
{
	lines_end();
	ck_assert(run("rm -rf \"$PWD\""));
}

START_TEST(of_a_program)
{
	ck_assert_ptr_null(libdw_load());
	make_sources();
	lines_are("-g", 0, "prog.c:4", "other.c:2");
	lines_are("-g -no-pie -Wl,-Ttext-segment=0x20000000", 0x20000000, "prog.c:4", "other.c:2");
	lines_are("-g0", 0, "", "");
	remove_all();
}
END_TEST

/*
 * A file for debugging may be elsewhere. What has its name and is not a file is not even opened, so
 * that nothing waits for it.
 */
START_TEST(of_another_file)
{
	make_sources();
	lines_are("-g", 0, "prog.c:4", "other.c:2");
	ck_assert(run("objcopy --only-keep-debug prog more && objcopy --strip-debug prog && "
		      "objcopy --add-gnu-debuglink=more --remove-section=.note.gnu.build-id prog"));
	line_is("work", 0, "prog.c:4");
	ck_assert(run("mv more kept && mkfifo more"));
	line_is("work", 0, "");
	ck_assert(run("rm more && mv kept more"));
	line_is("work", 0, "prog.c:4");
	remove_all();
}
END_TEST

/* Nothing is fetched from another machine, which would tell it about the program. */
START_TEST(from_elsewhere)
{
	struct sockaddr_in place = { .sin_family = AF_INET };
	socklen_t size = sizeof(place);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	char url[64];

	place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&place, sizeof(place)), 0);
	ck_assert_int_eq(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&place, &size);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", ntohs(place.sin_port));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_TIMEOUT", "1", 1);
	make_sources();
	setenv("DEBUGINFOD_CACHE_PATH", directory, 1);
	lines_are("-g0 -Wl,--build-id", 0, "", "");
	ck_assert_int_lt(accept(fd, NULL, NULL), 0);
	ck_assert_int_eq(errno, EAGAIN);
	close(fd);
	remove_all();
}
END_TEST

static volatile unsigned int signals;

static void count_signal(int number)
{
	(void)number;
	signals++;
}

/* A program that handles signals, as perfex does, waits on. */
START_TEST(while_signals_come)
{
	const struct sigaction handle = { .sa_handler = count_signal },
			       leave = { .sa_handler = SIG_DFL };
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { { 0, 0 }, { 0, 0 } };
	char path[64], text[80];
	uint64_t address;

	make_sources();
	lines_are("-g", 0, "prog.c:4", "other.c:2");
	address = address_of("work");
	snprintf(path, sizeof(path), "%s/prog", directory);
	sigaction(SIGALRM, &handle, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (signals < 20) {
		lines_end();
		find_line(text, sizeof(text), path, address);
		ck_assert_str_eq(text, "prog.c:4");
	}
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &leave, NULL);
	remove_all();
}
END_TEST

/* What is no program has no lines, whatever it is. */
START_TEST(no_programs)
{
	static const char *const paths[] = { "/no/such/file", "/dev/null",	"/dev/zero", "/",
					     "/etc/passwd",   "/proc/self/maps" };
	char text[80], path[8192];
	unsigned int i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		strcpy(text, "x");
		find_line(text, sizeof(text), paths[i], 0);
		ck_assert_str_eq(text, "");
	}
	find_line(text, sizeof(text), "/proc/self/exe", UINT64_MAX);
	ck_assert_str_eq(text, "");
	memset(path, '/', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	find_line(text, sizeof(text), path, 0);
	ck_assert_str_eq(text, "");
	lines_end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { no_programs, of_a_program, of_another_file, from_elsewhere,
				       while_signals_come };
	size_t n = ARRAY_SIZE(tests);

#ifndef HAVE_LIBDW
	puts("SKIP lines: perfex is built without libdw");
	n = 1;
#endif
	return run_tests("lines", 60, tests, n, NULL, 0);
}
