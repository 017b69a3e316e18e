// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/base/file.h"
#include "lib/base/process.h"

/* The fields of a process's file "stat", see proc(5). */
struct line {
	int number; /* in this /proc */
	char state;
	long threads;
	uint64_t start;
};

/* Reads the line of an entry: a number, or "self". */
static bool read_line(const char *entry, struct line *line)
{
	char path[64], text[1024];
	const char *p;

	snprintf(path, sizeof(path), "/proc/%.32s/stat", entry);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return false;
	line->number = atoi(text);
	p = strrchr(text, ')'); /* its name may have any bytes */
	return p && sscanf(p + 1,
			   " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			   "%ld %*s %" SCNu64,
			   &line->state, &line->threads, &line->start) == 3;
}

/* 0: the process is gone, or invisible to us. */
static uint64_t read_space(const char *entry)
{
	char path[64];
	struct stat file;

	snprintf(path, sizeof(path), "/proc/%.32s/ns/pid", entry);
	return stat(path, &file) == 0 ? file.st_ino : 0;
}

/* The number that a process knows itself by, the last one of its line; else that of its entry. */
static int read_own_number(const char *entry)
{
	char path[64], text[8192], *line;

	snprintf(path, sizeof(path), "/proc/%.32s/status", entry);
	if (perfctr_file_read(path, text, sizeof(text)) < 0)
		return atoi(entry);
	line = strstr(text, "\nNSpid:");
	if (!line)
		return atoi(entry);
	line[1 + strcspn(line + 1, "\n")] = '\0';
	return atoi(strrchr(line, '\t') ? strrchr(line, '\t') : "");
}

/* The first thread may have ended while others go on. */
static bool is_there(const struct line *line)
{
	return !strchr("ZX", line->state) || line->threads > 1;
}

static bool is_it(const struct perfctr_process *process, const char *entry)
{
	struct line line;
	uint64_t space;

	if (!read_line(entry, &line) || line.start != process->start || !is_there(&line) ||
	    read_own_number(entry) != process->pid)
		return false;
	space = read_space(entry);
	return !space || !process->space || space == process->space;
}

static int find_it(void *process, const char *entry)
{
	return strspn(entry, "0123456789") == strlen(entry) && is_it(process, entry);
}

struct perfctr_process perfctr_process_self(void)
{
	struct perfctr_process self = { .pid = getpid(), .space = read_space("self") };
	struct line line;

	if (read_line("self", &line))
		self.start = line.start;
	return self;
}

/*
 * In another namespace the process has another number here, and this /proc may belong to yet
 * another one.
 */
enum perfctr_presence perfctr_process_find(const struct perfctr_process *process)
{
	struct perfctr_process copy = *process;
	struct line self;
	char entry[16];
	bool found;

	if (!process->start || !read_line("self", &self))
		return PERFCTR_NOT_KNOWN;
	snprintf(entry, sizeof(entry), "%" PRId32, process->pid);
	if (self.number == getpid() && process->space && process->space == read_space("self"))
		found = is_it(process, entry);
	else
		found = perfctr_file_walk("/proc", find_it, &copy);
	return found ? PERFCTR_PRESENT : PERFCTR_GONE;
}
