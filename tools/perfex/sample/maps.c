// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tools/perfex/sample/maps.h"

static FILE *open_file(uint32_t pid, const char *name)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	return fopen(path, "re");
}

/* Parses "55d0c8a00000-55d0c8a01000 r-xp 00001000 08:01 1234    /usr/bin/name". */
static bool read_line(char *line, struct perfctr_record_mmap *mmap)
{
	uint64_t end;
	char access[5];
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mmap->addr, &end, access, &mmap->offset, &mmap->major, &mmap->minor,
		   &mmap->inode, &n) != 7 ||
	    end <= mmap->addr || access[2] != 'x')
		return false;
	mmap->length = end - mmap->addr;
	mmap->prot = PROT_EXEC | (access[0] == 'r' ? PROT_READ : 0) |
		     (access[1] == 'w' ? PROT_WRITE : 0);
	mmap->flags = access[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	mmap->file = line[n] ? line + n : "//anon";
	return true;
}

static void read_name(uint32_t pid, char name[16])
{
	FILE *file = open_file(pid, "comm");

	name[0] = '\0';
	if (!file)
		return;
	if (fgets(name, 16, file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

void maps_read(uint32_t pid, char name[16],
	       void (*each)(void *arg, const struct perfctr_record_mmap *mmap), void *arg)
{
	struct perfctr_record_mmap mmap = { .pid = pid, .tid = pid };
	FILE *file = open_file(pid, "maps");
	char *line = NULL;
	size_t room = 0;

	read_name(pid, name);
	while (file && getline(&line, &room, file) > 0)
		if (read_line(line, &mmap))
			each(arg, &mmap);
	if (file)
		fclose(file);
	free(line);
}

bool maps_kernel(uint64_t *start, uint64_t *length)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	uint64_t address, end = 0;
	char line[512], name[8];

	*start = 0;
	while (file && !(*start && end) && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%" SCNx64 " %*c %7s", &address, name) != 2)
			continue;
		if (!*start && !strcmp(name, "_text"))
			*start = address;
		else if (!strcmp(name, "_etext"))
			end = address;
	}
	if (file)
		fclose(file);
	*length = end - *start;
	return *start && end > *start;
}
