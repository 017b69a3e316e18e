// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "csv.h"
#include "die.h"
#include "json.h"
#include "output.h"
#include "table.h"

void output_results(const struct output *output, const struct results *results)
{
	static void (*const formats[])(FILE *, const struct results *) = {
		[FORMAT_TABLE] = table_print,
		[FORMAT_CSV] = csv_print,
		[FORMAT_JSON] = json_print,
	};

	formats[output->format](output->file, results);
	fflush(output->file);
}

/* ---- the file ---- */

static bool is_file(const struct output *output)
{
	return output->name && strcmp(output->name, "-") != 0;
}

/* The value of %q{NAME}, of which *pattern is the q; it ends at the brace. */
static const char *variable(const char **pattern)
{
	const char *end = (*pattern)[1] == '{' ? strchr(*pattern, '}') : NULL, *value;
	char *name;

	if (!end)
		die("-o: %%q is written %%q{NAME}, with the name of an environment variable");
	name = need(strndup(*pattern + 2, (size_t)(end - *pattern - 2)));
	value = getenv(name);
	if (!value)
		die("-o: there is no environment variable %s for %%q{%s}", name, name);
	free(name);
	*pattern = end;
	return value;
}

/* What stands behind a percent sign; *pattern then is its last letter. */
static void print_place(FILE *file, const char **pattern, pid_t pid)
{
	struct utsname host;

	switch (**pattern) {
	case '%': fputc('%', file); break;
	case 'p': fprintf(file, "%d", (int)pid); break;
	case 'q': fputs(variable(pattern), file); break;
	case 'h':
		uname(&host);
		fputs(host.nodename, file);
		break;
	default: die("-o: behind %% stands p, q{NAME}, h or %%, not \"%s\"", *pattern);
	}
}

/* The name of the output file. */
static char *file_name(const char *pattern, pid_t pid)
{
	char *name = NULL;
	size_t size;
	FILE *file = need(open_memstream(&name, &size));

	for (; *pattern; pattern++) {
		if (*pattern != '%')
			fputc(*pattern, file);
		else if (pattern++)
			print_place(file, &pattern, pid);
	}
	if (fclose(file) != 0)
		need(NULL);
	return name;
}

void output_open(struct output *output, pid_t pid, bool is_command)
{
	char *name;
	int fd, error;

	if (output->file)
		return;
	output->file = output->name ? stdout : stderr;
	if (!is_file(output))
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
	/* A pipe or a terminal has nothing to be cut off. */
	if (is_file(output) && ftruncate(fileno(output->file), 0) < 0)
		return;
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

	if (is_file(output)) {
		good = good && cut_off(output->file);
		good = fclose(output->file) == 0 && good;
	}
	if (!good)
		die("the results could not be written: %s", strerror(errno));
}
