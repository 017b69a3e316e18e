// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "csv.h"
#include "die.h"
#include "json.h"
#include "output.h"
#include "table.h"

static const struct {
	void (*print)(FILE *file, const struct results *results);
	void (*interval)(FILE *file, const struct results *results, double seconds);
} formats[] = {
	[FORMAT_TABLE] = { table_print, table_print_interval },
	[FORMAT_CSV] = { csv_print, csv_print_interval },
	[FORMAT_JSON] = { json_print, json_print_interval },
};

void output_interval(const struct output *output, const struct results *results, double seconds)
{
	formats[output->format].interval(output->file, results, seconds);
	fflush(output->file);
}

void output_results(const struct output *output, const struct results *results)
{
	formats[output->format].print(output->file, results);
}

/* ---- the file ---- */

/* The name of the output file, with %p replaced. */
static char *file_name(const char *pattern, pid_t pid)
{
	size_t size = strlen(pattern) * 12 + 1, n = 0;
	char *name = need(malloc(size));

	for (; *pattern; pattern++) {
		if (*pattern == '%' && pattern[1] == 'p') {
			n += (size_t)snprintf(name + n, size - n, "%d", (int)pid);
			pattern++;
		} else {
			if (*pattern == '%' && pattern[1] == '%')
				pattern++;
			name[n++] = *pattern;
		}
	}
	name[n] = '\0';
	return name;
}

void output_open(struct output *output, pid_t pid, bool is_command)
{
	char *name;
	int fd, error;

	if (output->file)
		return;
	output->file = stderr;
	if (!output->name)
		return;
	name = file_name(output->name, pid);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	output->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!output->file) {
		error = errno;
		if (is_command)
			kill(pid, SIGKILL);
		die("%s can't be written: %s", name, strerror(error));
	}
	free(name);
}

void output_clear(const struct output *output)
{
	if (output->name)
		ftruncate(fileno(output->file), 0);
}

/* Cut off what an older, longer result left behind. */
static bool cut_off(FILE *file)
{
	struct stat stat;
	int fd = fileno(file);

	return fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) ||
	       ftruncate(fd, lseek(fd, 0, SEEK_CUR)) == 0;
}

void output_close(const struct output *output)
{
	bool good = fflush(output->file) == 0 && !ferror(output->file);

	if (output->name) {
		good = good && cut_off(output->file);
		good = fclose(output->file) == 0 && good;
	}
	if (!good)
		die("the results could not be written: %s", strerror(errno));
}
