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
#include "openmetrics.h"
#include "output.h"
#include "replace.h"
#include "table.h"

/* The file is whole at each moment. One that fails now may be written at the next interval. */
static void replace(struct output *output, const struct results *results)
{
	struct replacement replacement;
	int error = replace_begin(&replacement, output->path) < 0 ? errno : 0;

	if (!error) {
		openmetrics_print(replacement.file, results);
		error = replace_end(&replacement) < 0 ? errno : 0;
	}
	if (error && !output->error)
		fprintf(stderr, "perfex: %s could not be written: %s\n", output->path,
			strerror(error));
	output->error = error;
}

void output_results(struct output *output, const struct results *results)
{
	static void (*const formats[])(FILE *, const struct results *) = {
		[FORMAT_TABLE] = table_print,
		[FORMAT_CSV] = csv_print,
		[FORMAT_JSON] = json_print,
		[FORMAT_OPENMETRICS] = openmetrics_print,
	};

	if (output->path) {
		replace(output, results);
		return;
	}
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

/* The command waits to be started. */
static void __attribute__((noreturn)) end(const char *name, pid_t command, const char *why)
{
	if (command)
		kill(command, SIGKILL);
	die("%s can't be written: %s", name, why);
}

/*
 * A perf.data may hold the stacks of others' processes: nobody else may read what is written now.
 * NULL, or why that can't be.
 */
static const char *make_private(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat) < 0)
		return strerror(errno);
	if (!S_ISREG(stat.st_mode))
		return NULL;
	if (stat.st_uid != geteuid())
		return "it is another user's, who could read what perf.data holds; remove it, or name "
		       "another";
	return fchmod(fd, 0600) < 0 ? strerror(errno) : NULL;
}

static void open_file(struct output *output, const char *name, pid_t command)
{
	bool private = output->format == FORMAT_PERF_DATA;
	int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | (output->append ? O_APPEND : 0),
		      private ? 0600 : 0666);
	const char *why = private && fd >= 0 ? make_private(fd) : NULL;
	struct stat stat;

	if (why)
		end(name, command, why);
	output->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!output->file)
		end(name, command, strerror(errno));
	output->goes_on = output->append && fstat(fd, &stat) == 0 && stat.st_size > 0;
}

/* Try what will be done later. */
static void try_replacement(const char *name, pid_t command)
{
	struct replacement replacement;

	if (replace_begin(&replacement, name) < 0)
		end(name, command,
		    errno == EINVAL ? "--openmetrics puts a file in its place, and it is none"
				    : strerror(errno));
	replace_cancel(&replacement);
}

void output_open(struct output *output, pid_t pid, bool is_command)
{
	char *name;

	if (output->file || output->path)
		return;
	if (!is_file(output)) {
		output->file = output->name ? stdout : stderr;
		return;
	}
	name = file_name(output->name, pid);
	if (output->format == FORMAT_OPENMETRICS) {
		try_replacement(name, is_command ? pid : 0);
		output->path = name;
		return;
	}
	open_file(output, name, is_command ? pid : 0);
	free(name);
}

void output_clear(const struct output *output)
{
	/* A pipe or a terminal has nothing to be cut off. */
	if (!output->path && is_file(output) && !output->append &&
	    ftruncate(fileno(output->file), 0) < 0)
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

void output_close(struct output *output)
{
	bool good = output->path ? !output->error
				 : fflush(output->file) == 0 && !ferror(output->file);

	free(output->path);
	if (output->file && is_file(output)) {
		good = good && (output->append || cut_off(output->file));
		good = fclose(output->file) == 0 && good;
	}
	if (!good)
		die("the results could not be written: %s",
		    strerror(output->error ? output->error : errno));
}
