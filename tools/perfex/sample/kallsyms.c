// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/perfex/sample/kallsyms.h"

/* A compiler that runs for weeks writes more, which would fill memory. */
#define MOST_BYTES ((off_t)256 << 20)

/* No compiler writes longer ones. */
#define LONGEST_NAME 65536

static bool read_hex(const char **text, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)**text))
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 16);
	if (errno || *end != ' ')
		return false;
	*text = end + 1;
	return true;
}

/* ---- the kernel's ---- */

/* "ffffffff81000000 T _stext", and after it, if it is a module's, "[module]". */
static void read_kernel_line(struct symbols *symbols, const char *line)
{
	uint64_t address;
	char type;

	if (!read_hex(&line, &address) || !address || !*line || line[1] != ' ')
		return;
	type = *line;
	line += 2;
	if (strchr("TtWw", type))
		symbols_add(symbols, address, UINT64_MAX, (type == 'T') + (*line != '_'), line,
			    strcspn(line, "\t\n"));
}

struct symbols *kallsyms_read(void)
{
	struct symbols *symbols = symbols_new();
	FILE *file = fopen("/proc/kallsyms", "re");
	char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0)
		read_kernel_line(symbols, line);
	if (file)
		fclose(file);
	free(line);
	symbols_end(symbols, SYMBOLS_NESTED);
	return symbols;
}

/* ---- a compiler's ---- */

/* Reads a line such as "7f0010203040 1c function name". Later lines replace earlier ones. */
static void read_map_line(struct symbols *symbols, const char *line, int rank)
{
	uint64_t start, size;
	size_t length;

	if (!read_hex(&line, &start) || !read_hex(&line, &size) || size > UINT64_MAX - start)
		return;
	length = strcspn(line, "\n");
	if (length && length < LONGEST_NAME)
		symbols_add(symbols, start, start + size, rank, line, length);
}

FILE *kallsyms_open_jit(const struct view *view, uint32_t inner_pid, uid_t owner)
{
	char path[64];
	struct stat stat;
	FILE *file = NULL;
	int fd;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", inner_pid);
	fd = view_open(view, path, false);
	if (fd >= 0 && fstat(fd, &stat) == 0 &&
	    (stat.st_uid == owner || stat.st_uid == geteuid()) &&
	    !(stat.st_mode & (S_IWGRP | S_IWOTH)) && stat.st_size <= MOST_BYTES)
		file = fdopen(fd, "r");
	if (!file && fd >= 0)
		close(fd);
	return file;
}

/* The file may grow while it is read. */
static void read_map(struct symbols *symbols, FILE *file, off_t size, int *old)
{
	char line[LONGEST_NAME + 64];
	bool begins = true;
	int rank = 0;
	off_t at;

	while ((at = ftello(file)) < MOST_BYTES && fgets(line, sizeof(line), file)) {
		if (begins && at < size)
			*old = rank + 1;
		if (begins)
			read_map_line(symbols, line, rank++);
		begins = strchr(line, '\n') != NULL;
	}
}

struct symbols *kallsyms_read_jit(FILE *file, off_t size, int *old)
{
	struct symbols *symbols = symbols_new();

	*old = 0;
	if (file) {
		read_map(symbols, file, size, old);
		fclose(file);
	}
	symbols_end(symbols, SYMBOLS_LAYERED);
	return symbols;
}
