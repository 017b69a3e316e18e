// SPDX-License-Identifier: LGPL-2.1-or-later
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/missing.h"

static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The file that execvp(3) executes; to be freed. NULL: there is none. */
static char *find(const char *command)
{
	const char *place = getenv("PATH");
	char *path = NULL;
	size_t length;

	if (strchr(command, '/'))
		return is_file(command) ? need(strdup(command)) : NULL;
	for (place = place ? place : "/bin:/usr/bin"; place; place += length + 1) {
		length = strcspn(place, ":");
		if (asprintf(&path, "%.*s%s%s", (int)length, place, length ? "/" : "", command) < 0)
			need(NULL);
		if (is_file(path))
			return path;
		free(path);
		if (!place[length])
			break;
	}
	return NULL;
}

/* "#! /bin/sh -x" */
static char *interpreter_of_script(char *line)
{
	char *name = line + 2 + strspn(line + 2, " \t");

	name[strcspn(name, " \t\n")] = '\0';
	return name;
}

/* The place of a program's header, of either class; 0: it is none that names an interpreter. */
static size_t find_interpreter(const char *bytes, size_t size, size_t *length)
{
	bool is_64 = bytes[EI_CLASS] == ELFCLASS64;
	Elf64_Ehdr head;
	Elf32_Ehdr head32;
	Elf64_Phdr segment;
	Elf32_Phdr segment32;
	size_t at, i, n;

	memcpy(&head, bytes, sizeof(head));
	memcpy(&head32, bytes, sizeof(head32));
	at = is_64 ? (size_t)head.e_phoff : head32.e_phoff;
	n = is_64 ? head.e_phnum : head32.e_phnum;
	for (i = 0; i < n && at < size && size - at >= sizeof(segment); i++) {
		memcpy(&segment, bytes + at, sizeof(segment));
		memcpy(&segment32, bytes + at, sizeof(segment32));
		*length = is_64 ? (size_t)segment.p_filesz : segment32.p_filesz;
		if (segment.p_type == PT_INTERP)
			return is_64 ? (size_t)segment.p_offset : segment32.p_offset;
		at += is_64 ? sizeof(segment) : sizeof(segment32);
	}
	return 0;
}

static char *interpreter_of_program(char *bytes, size_t size)
{
	size_t length, at = find_interpreter(bytes, size, &length);

	if (!at || at >= size || length > size - at || !memchr(bytes + at, 0, length))
		return NULL;
	return bytes + at;
}

char *missing_interpreter(const char *command)
{
	char bytes[4096], *name = NULL, *path = find(command);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);

	if (fd >= 0)
		close(fd);
	free(path);
	if (size <= 0)
		return NULL;
	bytes[size] = '\0';
	if (bytes[0] == '#' && bytes[1] == '!')
		name = interpreter_of_script(bytes);
	else if ((size_t)size > sizeof(Elf64_Ehdr) && !memcmp(bytes, ELFMAG, SELFMAG))
		name = interpreter_of_program(bytes, (size_t)size);
	return name && access(name, F_OK) < 0 ? need(strdup(name)) : NULL;
}
