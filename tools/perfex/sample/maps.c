// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tools/perfex/sample/maps.h"
#include "tools/perfex/sample/view.h"

static FILE *open_file(uint32_t pid, const char *name)
{
	char directory[64], path[80];

	view_directory(pid, directory, sizeof(directory));
	snprintf(path, sizeof(path), "%s/%s", directory, name);
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

static void read_name(const char *path, char name[16])
{
	FILE *file = fopen(path, "re");

	name[0] = '\0';
	if (!file)
		return;
	if (fgets(name, 16, file))
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
}

/* Calls each() for each number among a directory's names. */
static void each_number(const char *path, void (*each)(void *arg, uint32_t number), void *arg)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	unsigned long number;
	char *end;

	while (directory && (entry = readdir(directory))) {
		number = strtoul(entry->d_name, &end, 10);
		if (end != entry->d_name && !*end)
			each(arg, (uint32_t)number);
	}
	if (directory)
		closedir(directory);
}

struct threads {
	uint32_t pid;
	void (*each)(void *arg, uint32_t tid, const char *name);
	void *arg;
};

static void read_thread(void *arg, uint32_t tid)
{
	const struct threads *threads = arg;
	char path[64], name[16];

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", threads->pid, tid);
	read_name(path, name);
	if (*name)
		threads->each(threads->arg, tid, name);
}

void maps_threads(uint32_t pid, void (*each)(void *arg, uint32_t tid, const char *name), void *arg)
{
	struct threads threads = { pid, each, arg };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	each_number(path, read_thread, &threads);
}

void maps_processes(void (*each)(void *arg, uint32_t pid), void *arg)
{
	each_number("/proc", each, arg);
}

/* Looks through notes: the sizes of a name and of what it is about, the type, and both. */
uint32_t maps_kernel_id(uint8_t id[20])
{
	static const uint32_t wanted = 3; /* NT_GNU_BUILD_ID */
	FILE *file = fopen("/sys/kernel/notes", "re");
	uint32_t head[3], size = 0;
	char name[8];

	while (file && !size && fread(head, sizeof(head), 1, file) == 1) {
		if (head[0] != 4 || head[2] != wanted || head[1] > 20) {
			if (fseek(file, (long)((head[0] + 3) & ~3u) + (long)((head[1] + 3) & ~3u),
				  SEEK_CUR) < 0)
				break;
			continue;
		}
		if (fread(name, 4, 1, file) == 1 && !memcmp(name, "GNU", 4) &&
		    fread(id, head[1], 1, file) == 1)
			size = head[1];
	}
	if (file)
		fclose(file);
	return size;
}

void maps_read(uint32_t pid, char name[16],
	       void (*each)(void *arg, const struct perfctr_record_mmap *mmap), void *arg)
{
	struct perfctr_record_mmap mmap = { .pid = pid, .tid = pid };
	FILE *file = open_file(pid, "maps");
	char *line = NULL, path[32];
	size_t room = 0;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	read_name(path, name);
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
