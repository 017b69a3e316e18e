// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests inlined functions: of a program that is compiled here in several ways, and of debugging
 * information that is wrong.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tests/harness/others.h"
#include "tests/harness/random.h"
#include "tools/perfex/sample/inlined.h"
#include "tools/perfex/sample/libdw.h"

#define MOST 4096

static char directory[32];

/* Runs a command in the directory, with the compiler in $CC. */
static bool run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", directory, command);
	return system(line) == 0;
}

/* Makes a program of these, in the directory. */
static void make_sources(void)
{
	strcpy(directory, "/tmp/inlined.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert(run(
		"printf '#define IN static inline __attribute__((always_inline))\nvolatile int x;\n"
		"IN void least(int n) { x = n * 3; x += n; }\n"
		"IN void middle(int n) { x++; least(n); }\n"
		"#define OUT __attribute__((noinline, used))\n"
		"OUT void work(int n) { x--; middle(n); x++; least(n); }\n"
		"OUT void plain(int n) { x -= n; }\n"
		"int main(void) { work(x); plain(x); return x; }\n' >prog.c"));
}

static void remove_all(void)
{
	inlined_end();
	ck_assert(run("rm -rf \"$PWD\""));
}

static bool compile(const char *flags)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "${CC:-cc} -O1 -fno-inline-functions -Wl,--build-id %s prog.c -o prog "
		 "2>/dev/null",
		 flags);
	return run(command);
}

/* What was found: the names of each address, with a semicolon between. */
static char names[MOST][64];

static void note(void *arg, size_t number, const char *text, size_t n)
{
	size_t i;

	ck_assert_ptr_null(arg);
	ck_assert_uint_lt(number, MOST);
	ck_assert_str_eq(names[number], "");
	ck_assert_uint_le(n, sizeof(names[0]));
	ck_assert_int_eq(text[n - 1], 0);
	for (i = 0; i + 1 < n; i++)
		names[number][i] = text[i] ? text[i] : ';';
}

static int open_here(const void *arg, const char *path)
{
	(void)arg;
	return elf_open_file(path);
}

/* Asks for n addresses of the program. */
static bool find(const uint64_t *address, size_t n)
{
	char path[64];
	struct elf_source source = { -1, path, open_here, NULL };
	bool all;

	snprintf(path, sizeof(path), "%s/prog", directory);
	memset(names, 0, sizeof(names));
	source.fd = elf_open_file(path);
	ck_assert_int_ge(source.fd, 0);
	all = inlined_find(&source, address, n, note, NULL);
	close(source.fd);
	return all;
}

/* Returns the first address of a function, and its size. */
static uint64_t find_function(const char *function, uint64_t *size)
{
	char line[128] = "";
	FILE *pipe;
	char *end;
	uint64_t start;

	snprintf(line, sizeof(line), "nm -S %s/prog | grep ' [Tt] %s$'", directory, function);
	pipe = popen(line, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	pclose(pipe);
	start = strtoull(line, &end, 16);
	*size = strtoull(end, NULL, 16);
	ck_assert_uint_gt(*size, 4);
	ck_assert_uint_lt(*size, MOST);
	return start;
}

/* Looks at all addresses of a function; start: 0: that in the program's symbols. */
static uint64_t look_at(const char *function, uint64_t start, uint64_t size)
{
	uint64_t address[MOST], i;

	if (!start)
		start = find_function(function, &size);
	for (i = 0; i < size; i++)
		address[i] = start + i;
	ck_assert(find(address, size));
	return size;
}

/* Whether some address has these names, and none has others. */
static bool has(const char *wanted, uint64_t size)
{
	bool found = false;
	uint64_t i;

	for (i = 0; i < size; i++) {
		ck_assert_msg(!strcmp(names[i], "") || !strcmp(names[i], "middle") ||
				      !strcmp(names[i], "middle;least") ||
				      !strcmp(names[i], "least"),
			      "%s", names[i]);
		found |= !strcmp(names[i], wanted);
	}
	return found;
}

static void has_all(uint64_t size)
{
	ck_assert(has("middle", size));
	ck_assert(has("middle;least", size));
	ck_assert(has("least", size));
	ck_assert(has("", size));
}

START_TEST(of_a_program)
{
	static const char *const ways[] = {
		"-g",	     "-gdwarf-4",
		"-gdwarf-5", "-g -no-pie -static",
		"-g -flto",  "-g -gsplit-dwarf",
		"-g -gz",    "-g -ffunction-sections -Wl,--gc-sections"
	};
	unsigned int i, compiled = 0;

	make_sources();
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (!compile(ways[i]))
			continue;
		compiled++;
		has_all(look_at("work", 0, 0));
		if (!strstr(ways[i], "lto"))
			has("", look_at("plain", 0, 0));
	}
	ck_assert_uint_ge(compiled, 3);
	ck_assert(compile("-g0"));
	ck_assert(!has("least", look_at("work", 0, 0)));
	remove_all();
}
END_TEST

/* The information may be in another file, which is found by its build ID or its sum. */
START_TEST(of_another_file)
{
	uint64_t start, size;

	make_sources();
	ck_assert(compile("-g"));
	start = find_function("work", &size);
	ck_assert(run(
		"objcopy --only-keep-debug prog more && strip prog && objcopy --add-gnu-debuglink=more prog"));
	has_all(look_at("work", start, size));
	ck_assert(run("mv more kept && mkfifo more"));
	ck_assert(!has("least", look_at("work", start, size)));
	ck_assert(run(
		"rm more && sed 's/n \\* 3/n * 5/' <prog.c >other.c && ${CC:-cc} -O1 -g -Wl,--build-id other.c -o "
		"more"));
	ck_assert(!has("least", look_at("work", start, size)));
	ck_assert(run("mv kept more"));
	has_all(look_at("work", start, size));
	remove_all();
}
END_TEST

/* Root opens what a file names as the file's owner, who may not open all that root may. */
START_TEST(of_a_user)
{
	uint64_t size;

	make_sources();
	if (geteuid() != 0 || !run("touch theirs && chown 65534 theirs")) {
		puts("SKIP of_a_user: needs root");
		remove_all();
		return;
	}
	if (!others_enter("of_a_user")) {
		remove_all();
		return;
	}
	ck_assert(compile("-g -gsplit-dwarf"));
	ck_assert(run("chmod 755 . && chown 65534 prog && chmod 600 *.dwo"));
	size = look_at("work", 0, 0);
	ck_assert(!has("middle", size));
	ck_assert(run("chmod 644 *.dwo"));
	has_all(look_at("work", 0, 0));
	ck_assert(run("chown 65534 *.dwo && chmod 600 *.dwo"));
	has_all(look_at("work", 0, 0));
	remove_all();
}
END_TEST

/* dwz moves what two programs share to a third file, of which another one takes no place. */
START_TEST(of_shared_files)
{
	uint64_t size;

	make_sources();
	if (!run("dwz --version >/dev/null 2>&1")) {
		puts("SKIP of_shared_files: needs Debian's package dwz");
		remove_all();
		return;
	}
	ck_assert(run(
		"awk 'BEGIN { for (i = 0; i < 400; i++) print \"struct s\" i \" { int a, b; struct s\" i \" *n; } v\" i \";\" }' "
		">more.h && cat more.h >>prog.c"));
	ck_assert(compile("-g -gdwarf-4"));
	ck_assert(run("cp prog twin && cp prog plain && dwz -m shared prog twin"));
	ck_assert(run("readelf -SW prog | grep -q gnu_debugaltlink"));
	size = look_at("work", 0, 0);
	has_all(size);
	ck_assert(run("cp plain shared"));
	size = look_at("work", 0, 0);
	ck_assert(!has("middle", size));
	ck_assert(!has("least", size));
	remove_all();
}
END_TEST

/* Nothing waits for a pipe with the name of another file. */
START_TEST(of_a_pipe)
{
	static const char *const ways[] = { "-g -gsplit-dwarf",
					    "-g -gsplit-dwarf -fdebug-prefix-map=$PWD=/nowhere",
					    "-gdwarf-4 -gsplit-dwarf" };
	unsigned int i;

	make_sources();
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		ck_assert(compile(ways[i]));
		ck_assert(run("for dwo in *.dwo; do rm $dwo && mkfifo $dwo || exit; done"));
		ck_assert(!has("middle", look_at("work", 0, 0)));
		ck_assert(run("rm *.dwo"));
	}
	if (run("dwz --version >/dev/null 2>&1")) {
		ck_assert(run(
			"awk 'BEGIN { for (i = 0; i < 400; i++) print \"struct s\" i \" { int a, b; struct s\" i \" *n; } v\" i \";\" }' "
			">more.h && cat more.h >>prog.c"));
		ck_assert(compile("-g -gdwarf-4"));
		ck_assert(run(
			"cp prog twin && dwz -m shared prog twin && rm shared && mkfifo shared"));
		ck_assert(!has("middle", look_at("work", 0, 0)));
	}
	remove_all();
}
END_TEST

/* Many addresses are asked for in few questions, in any order, and again. */
START_TEST(many)
{
	uint64_t address[MOST], start, size, i;

	make_sources();
	ck_assert(compile("-g"));
	start = find_function("work", &size);
	for (i = 0; i < MOST; i++)
		address[i] = i % 2 ? start + i / 2 % size : start - i;
	ck_assert(find(address, MOST));
	has_all(MOST);
	ck_assert(find(address, 1));
	ck_assert(find(address, 0));
	address[0] = UINT64_MAX;
	address[1] = 0;
	ck_assert(find(address, 2));
	ck_assert(!has("least", 2));
	remove_all();
}
END_TEST

/* Overwrites bytes of the debugging information. */
static void spoil(uint64_t offset, uint64_t size, unsigned int n)
{
	char path[64];
	uint8_t byte;
	int fd;

	snprintf(path, sizeof(path), "%s/prog", directory);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	for (; n--;) {
		byte = (uint8_t)random_word();
		ck_assert_int_eq(pwrite(fd, &byte, 1,
					(off_t)(offset + random_below((uint32_t)size))),
				 1);
	}
	close(fd);
}

static uint64_t section(const char *name, uint64_t *size)
{
	char line[160] = "";
	uint64_t offset;
	char *end;
	FILE *pipe;

	snprintf(line, sizeof(line), "objdump -hw %s/prog | awk '$2 == \"%s\" { print $6, $3 }'",
		 directory, name);
	pipe = popen(line, "r");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	pclose(pipe);
	offset = strtoull(line, &end, 16);
	*size = strtoull(end, NULL, 16);
	return offset;
}

/* Whatever is in the file, there is an answer, or none; and the next file has the right one. */
START_TEST(hostile)
{
	static const char *const sections[] = { ".debug_info", ".debug_abbrev" };
	uint64_t address[MOST], start, size, offset, length, i;
	unsigned int round;

	make_sources();
	ck_assert(compile("-g"));
	start = find_function("work", &size);
	for (i = 0; i < size; i++)
		address[i] = start + i;
	ck_assert(run("cp prog whole"));
	for (round = 0; round < 100; round++) {
		offset = section(sections[round % 2], &length);
		spoil(offset, length, 1 + round / 2);
		find(address, size);
		ck_assert(run("cp whole prog"));
	}
	has_all(look_at("work", 0, 0));
	remove_all();
}
END_TEST

/* A function of assembly with debugging information of DWARF 4: what is in the function comes next.
 */
static const char work[] =
	".globl work, main\n.text\nwork: main: .rept 16\nnop\n.endr\nend: .size work, end - work\n"
	".section .note.GNU-stack,\"\",%progbits\n.section .debug_abbrev,\"\",%progbits\n"
	".byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0, 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n"
	".byte 3, 0x1d, 0, 3, 8, 0x11, 1, 0x12, 7, 0, 0, 4, 0x1d, 0, 0x55, 0x17, 0, 0, 0\n"
	".section .debug_ranges,\"\",%progbits\n.rept 12000\n.8byte 2, 2\n.endr\n.8byte 0, 0\n"
	".section .debug_info,\"\",%progbits\n.4byte last - first\nfirst: .2byte 4\n.4byte 0\n.byte 8\n"
	".byte 1\n.8byte work, end - work\n.byte 2\n.8byte work, end - work\n";

/* Asks for an address of that function with this in it. */
static bool find_in(const char *entries)
{
	uint64_t address, size;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/prog.s", directory);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fprintf(file, "%s%s.byte 0, 0\nlast:\n", work, entries);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert(run("${CC:-cc} -no-pie -nostartfiles -Wl,-e,main prog.s -o prog"));
	address = find_function("work", &size);
	return find(&address, 1);
}

#define OUTER ".byte 3\n.asciz \"outer\"\n.8byte work, end - work\n"

/* Calls at one address that are not within each other: only one can be there. */
START_TEST(twins)
{
	make_sources();
	ck_assert(find_in(OUTER));
	ck_assert_str_eq(names[0], "outer");
	ck_assert(find_in(
		OUTER ".rept 20000\n.byte 3\n.asciz \"twin\"\n.8byte work, end - work\n.endr\n"));
	ck_assert_str_eq(names[0], "outer");
	remove_all();
}
END_TEST

/* Ranges that are counted up to the limit: the only address's names are not said to be all. */
START_TEST(endless)
{
	make_sources();
	ck_assert(!find_in(".rept 20000\n.byte 4\n.4byte 0\n.endr\n" OUTER));
	ck_assert_str_eq(names[0], "");
	ck_assert(find_in(OUTER));
	ck_assert_str_eq(names[0], "outer");
	remove_all();
}
END_TEST

/* A file that is not a program has none. */
START_TEST(no_programs)
{
	static const char *const paths[] = { "/no/such/file", "/dev/null",	"/dev/zero", "/",
					     "/etc/passwd",   "/proc/self/maps" };
	const uint64_t address = 4096;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		const struct elf_source source = { elf_open_file(paths[i]), paths[i], open_here,
						   NULL };

		ck_assert(inlined_find(&source, &address, 1, note, NULL));
		ck_assert_str_eq(names[0], "");
		if (source.fd >= 0)
			close(source.fd);
	}
	inlined_end();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		no_programs,
		of_a_program,
		of_another_file,
		of_shared_files,
		of_a_pipe,
		many,
		hostile,
		of_a_user,
#if defined(__LP64__)
		twins,
		endless,
#endif
	};
	size_t n = ARRAY_SIZE(tests);

#ifndef HAVE_LIBDW
	puts("SKIP inlined: perfex is built without libdw");
	n = 1;
#endif
	return run_tests("inlined", 60, tests, n, NULL, 0);
}
