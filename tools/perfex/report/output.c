// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "lib/base/stream.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/outfile.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/report/formats.h"
#include "tools/perfex/report/output.h"

/* The file is whole at each moment. One that fails now may be written at the next interval. */
static void replace(struct output *output, const struct results *results)
{
	struct replacement replacement;
	int error = replace_begin(&replacement, output->path, false) < 0 ? errno : 0;

	if (!error) {
		openmetrics_print(replacement.file, results);
		error = replace_end(&replacement) < 0 ? errno : 0;
	}
	if (error && !output->error)
		say("%s could not be written: %s", output->path, strerror(error));
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
	FILE *file;

	if (output->way == WAY_EACH) {
		replace(output, results);
		return;
	}
	file = output->format == FORMAT_TABLE ? terminal_open(output->file) : output->file;
	formats[output->format](file, results);
	if (file != output->file)
		terminal_close(file);
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

/* Prints a part of a pattern; *pattern points to its last character. */
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
	default: die("-o: after %% stands p, q{NAME}, h or %%, not \"%s\"", *pattern);
	}
}

char *output_name(const char *pattern, pid_t pid)
{
	char *name = NULL;
	size_t size;
	FILE *file = need(open_memstream(&name, &size));

	if (!*pattern)
		die("-o: a file has a name, and \"\" is none");
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

/* ---- opening ---- */

/* The command waits to be started. */
static void __attribute__((noreturn)) end(const char *name, pid_t command, const char *why)
{
	if (command)
		kill(command, SIGKILL);
	die("%s can't be written: %s", name, why);
}

/*
 * Checks a file for perf.data, which may hold stacks of other users' processes: only this user may
 * read it. NULL, or why this can't be.
 */
static const char *may_be_private(const char *name)
{
	struct stat stat_;

	if (stat(name, &stat_) < 0 || !S_ISREG(stat_.st_mode) || stat_.st_uid == geteuid())
		return NULL;
	return "it is another user's, who could read what perf.data holds; remove it, or name another";
}

/* It is written into while the command runs, or is not to be replaced. */
static void open_itself(struct output *output, const char *name, pid_t command)
{
	bool private = output->format == FORMAT_PERF_DATA;
	int fd = perfctr_stream_named(name);
	struct stat stat;

	output->is_own = fd < 0;
	fd = fd < 0 ? outfile_open(name,
				   O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY |
					   (output->append ? O_APPEND : 0),
				   private ? 0600 : 0666)
		    : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	output->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!output->file || fstat(fd, &stat) < 0 ||
	    (private && S_ISREG(stat.st_mode) && fchmod(fd, 0600) < 0))
		end(name, command, strerror(errno));
	output->goes_on = output->append && stat.st_size > 0;
}

/* Tries the later replacement. 0, or an errno; EINVAL: it is no regular file. */
static int try_replacement(const char *name)
{
	struct replacement replacement;

	if (perfctr_stream_named(name) >= 0)
		return EINVAL;
	if (replace_begin(&replacement, name, false) < 0)
		return errno;
	replace_cancel(&replacement);
	return 0;
}

/* A file that can be written, in a directory where nothing can, is not replaced. */
static bool is_usable(const char *name)
{
	struct stat status;

	return stat(name, &status) == 0 && S_ISREG(status.st_mode) && access(name, W_OK) == 0;
}

/* Results go to memory until the last one is there. */
static void open_later(struct output *output, const char *name)
{
	struct stat status;

	output->way = WAY_END;
	output->path = need(strdup(name));
	output->file = need(open_memstream(&output->text, &output->size));
	output->goes_on = output->append && stat(name, &status) == 0 && status.st_size > 0;
}

/* How the file can be written; fails before the command has run in vain. */
static void open_file(struct output *output, const char *name, pid_t command)
{
	const char *why = output->format == FORMAT_PERF_DATA ? may_be_private(name) : NULL;
	int error = try_replacement(name);

	if (why)
		end(name, command, why);
	if (error && error != EINVAL && !is_usable(name))
		end(name, command, strerror(error));
	if (output->format == FORMAT_OPENMETRICS && output->bit_by_bit) {
		if (error)
			end(name, command,
			    error == EINVAL
				    ? "--format=openmetrics with -I puts a file in its place, and "
				      "it is none"
				    : strerror(error));
		output->way = WAY_EACH;
		output->path = need(strdup(name));
	} else if (error == EINVAL || output->bit_by_bit ||
		   (error && output->format == FORMAT_PERF_DATA)) {
		open_itself(output, name, command);
	} else if (output->format == FORMAT_PERF_DATA) {
		output->way = WAY_NEW;
		if (replace_begin(&output->replacement, name, true) < 0)
			end(name, command, strerror(errno));
		output->file = output->replacement.file;
	} else {
		open_later(output, name);
	}
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
	name = output_name(output->name, pid);
	open_file(output, name, is_command ? pid : 0);
	free(name);
}

void output_clear(const struct output *output)
{
	/* A pipe or a terminal has nothing to be cut off. */
	if (output->way == WAY_ITSELF && output->is_own && !output->append &&
	    ftruncate(fileno(output->file), 0) < 0)
		return;
}

/* ---- closing ---- */

/* Cuts off the rest of an older, longer result. */
static bool cut_off(FILE *file)
{
	struct stat stat;
	int fd = fileno(file);

	return fstat(fd, &stat) < 0 || !S_ISREG(stat.st_mode) ||
	       ftruncate(fd, lseek(fd, 0, SEEK_CUR)) == 0;
}

/* False: errno says why not all was written. */
static bool write_all(int fd, const char *text, size_t size, size_t *done)
{
	ssize_t n;

	for (*done = 0; *done < size; *done += (size_t)n) {
		n = write(fd, text + *done, size - *done);
		if (n < 0 && errno != EINTR)
			return false;
		n = n < 0 ? 0 : n;
	}
	return true;
}

/* Appends all or nothing: half a document would spoil the whole ones before it. */
static bool append_all(int fd, const char *text, size_t size)
{
	off_t end = lseek(fd, 0, SEEK_END), now;
	size_t done;
	int error;

	if (write_all(fd, text, size, &done))
		return true;
	error = errno;
	now = lseek(fd, 0, SEEK_END);
	/* Others may have appended, too. */
	if (end < 0 || now != end + (off_t)done || ftruncate(fd, end) < 0)
		say("what was appended is not whole");
	errno = error;
	return false;
}

/* Allocates the space first: if there is none, the old contents stay. */
static bool overwrite(int fd, const char *text, size_t size)
{
	off_t old = lseek(fd, 0, SEEK_END);
	int error = size ? posix_fallocate(fd, 0, (off_t)size) : 0;
	size_t done;

	lseek(fd, 0, SEEK_SET);
	if (error && error != EOPNOTSUPP && error != EINVAL) {
		/* Some of it may have been there. */
		errno = ftruncate(fd, old) < 0 ? errno : error;
		return false;
	}
	return write_all(fd, text, size, &done) && ftruncate(fd, (off_t)size) == 0;
}

/* Into the file that there is. */
static bool write_into(const struct output *output)
{
	int fd = open(output->path,
		      O_WRONLY | O_CREAT | O_CLOEXEC | (output->append ? O_APPEND : 0), 0666);
	bool good;

	if (fd < 0)
		return false;
	good = output->append ? append_all(fd, output->text, output->size)
			      : overwrite(fd, output->text, output->size);
	return close(fd) == 0 && good;
}

static bool finish_replacement(struct replacement *replacement)
{
	if (fflush(replacement->file) == 0)
		fsync(fileno(replacement->file)); /* a power failure leaves the one or the other */
	return replace_end(replacement) == 0;
}

/* Replaces the present file. */
static bool write_new(const struct output *output)
{
	struct replacement replacement;

	if (replace_begin(&replacement, output->path, false) < 0)
		return false;
	fwrite(output->text, 1, output->size, replacement.file);
	return finish_replacement(&replacement);
}

/* Overwrites a file that can't be replaced: it is mounted, or another user's in /tmp. */
static bool finish_later(struct output *output)
{
	bool good = fclose(output->file) == 0;
	int error;

	if (good && !output->append) {
		good = write_new(output);
		error = errno;
		good = good || (is_usable(output->path) && write_into(output));
		errno = error;
	} else if (good) {
		good = write_into(output);
	}
	free(output->text);
	return good;
}

static bool finish_itself(struct output *output)
{
	bool good = fflush(output->file) == 0 && !ferror(output->file);

	if (!is_file(output))
		return good;
	good = good && (!output->is_own || output->append || cut_off(output->file));
	return fclose(output->file) == 0 && good;
}

bool output_end(struct output *output)
{
	bool good = true;

	switch (output->way) {
	case WAY_ITSELF: good = finish_itself(output); break;
	case WAY_EACH: good = !output->error; break;
	case WAY_NEW: good = finish_replacement(&output->replacement); break;
	case WAY_END: good = finish_later(output); break;
	}
	free(output->path);
	if (!good)
		say("the results could not be written: %s",
		    strerror(output->error ? output->error : errno));
	return good;
}

void output_close(struct output *output)
{
	if (!output_end(output))
		exit(EXIT_PERFEX);
}
