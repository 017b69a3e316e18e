// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/stream.h"
#include "lib/base/text.h"

static bool make_room(struct perfctr_text *text, size_t more)
{
	size_t room = text->room ? text->room : 4096;
	char *bytes;

	while (room - text->size <= more)
		room *= 2;
	if (room == text->room)
		return true;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return false;
	text->bytes = bytes;
	text->room = room;
	return true;
}

void perfctr_text_add(struct perfctr_text *text, const char *format, ...)
{
	size_t left = text->room - text->size;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(left ? text->bytes + text->size : NULL, left, format, args);
	va_end(args);
	if (text->failed || n < 0 || ((size_t)n >= left && !make_room(text, (size_t)n))) {
		text->failed = true;
		return;
	}
	if ((size_t)n >= left) {
		va_start(args, format);
		vsnprintf(text->bytes + text->size, (size_t)n + 1, format, args);
		va_end(args);
	}
	text->size += (size_t)n;
}

static const char *host(struct utsname *name)
{
	return uname(name) < 0 ? "" : name->nodename;
}

/* %q{NAME}, of which *pattern is the q; it ends at the brace. */
static int add_variable(struct perfctr_text *name, const char **pattern)
{
	const char *end = (*pattern)[1] == '{' ? strchr(*pattern, '}') : NULL, *value;
	char variable[128];

	if (!end || (size_t)(end - *pattern) > sizeof(variable))
		return perfctr_fail(EINVAL, "in a file's name %%q is written %%q{NAME}, with the "
					    "name of an environment variable");
	snprintf(variable, sizeof(variable), "%.*s", (int)(end - *pattern - 2), *pattern + 2);
	value = secure_getenv(variable);
	if (!value)
		return perfctr_fail(EINVAL, "there is no environment variable %s for %%q{%s}",
				    variable, variable);
	perfctr_text_add(name, "%s", value);
	*pattern = end;
	return 0;
}

static int add_place(struct perfctr_text *name, const char **pattern, pid_t pid)
{
	struct utsname names;

	switch (**pattern) {
	case '%': perfctr_text_add(name, "%%"); return 0;
	case 'p': perfctr_text_add(name, "%d", (int)pid); return 0;
	case 'h': perfctr_text_add(name, "%s", host(&names)); return 0;
	case 'q': return add_variable(name, pattern);
	}
	return perfctr_fail(EINVAL,
			    "in a file's name after %% stands p, q{NAME}, h or %%, not \"%s\"",
			    *pattern);
}

int perfctr_text_name(struct perfctr_text *name, const char *pattern, pid_t pid)
{
	if (!*pattern)
		return perfctr_fail(EINVAL, "a report's file needs a name, not \"\"");
	for (; *pattern; pattern++) {
		if (*pattern != '%')
			perfctr_text_add(name, "%c", *pattern);
		else if (pattern++, add_place(name, &pattern, pid) < 0)
			return -1;
	}
	return name->failed ? perfctr_fail(ENOMEM, "no memory for a file's name") : 0;
}

/*
 * Signals that write(2) may send, and for which the program has no handler: an error says the same.
 */
struct held {
	sigset_t sent, old;
};

static void hold_signals(struct held *held)
{
	static const int may_be_sent[] = { SIGPIPE, SIGXFSZ };
	sigset_t pending;
	unsigned int i;

	sigemptyset(&held->sent);
	for (i = 0; i < 2; i++)
		sigaddset(&held->sent, may_be_sent[i]);
	pthread_sigmask(SIG_BLOCK, &held->sent, &held->old);
	sigpending(&pending);
	for (i = 0; i < 2; i++)
		if (sigismember(&pending, may_be_sent[i]))
			sigdelset(&held->sent,
				  may_be_sent[i]); /* other processes may have sent it */
}

static void let_signals(const struct held *held)
{
	perfctr_call_take_signals(&held->sent);
	pthread_sigmask(SIG_SETMASK, &held->old, NULL);
}

/* The standard error may be shared with another program, which has made it non-blocking. */
static bool is_over(int fd)
{
	if (errno == EAGAIN && perfctr_call_wait_to_write(fd) >= 0)
		return false;
	return errno != EINTR;
}

static int write_on(int fd, const struct perfctr_text *text)
{
	size_t done = 0;

	while (done < text->size) {
		ssize_t n = perfctr_call_write(fd, text->bytes + done, text->size - done);

		if (n < 0 && is_over(fd))
			return -1;
		done += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int write_all(int fd, const struct perfctr_text *text)
{
	struct held held;
	int result;

	hold_signals(&held);
	result = write_on(fd, text);
	let_signals(&held);
	return result;
}

static int write_and_close(int fd, const struct perfctr_text *text)
{
	int result = write_all(fd, text);

	perfctr_call_close(fd);
	return result;
}

/*
 * A new file beside it, to be renamed. Another may have the name: one that was killed, or one of
 * the same number in another container or on another host; or another thread.
 */
static int create_beside(struct perfctr_text *name, const char *file)
{
	unsigned int i;
	int fd = -1;

	for (i = 0; i < 1000 && fd < 0 && (!i || errno == EEXIST); i++) {
		name->size = 0;
		perfctr_text_add(name, "%s.%d", file, (int)getpid());
		if (i)
			perfctr_text_add(name, ".%u", i);
		if (name->failed)
			return -1;
		fd = perfctr_call_create(name->bytes, true);
	}
	return fd;
}

static int replace_file(const struct perfctr_text *text, const char *file)
{
	struct perfctr_text name = { NULL, 0, 0, false };
	int fd = create_beside(&name, file), result = -1, error;

	if (fd >= 0) {
		result = write_and_close(fd, text);
		if (result == 0)
			result = rename(name.bytes, file);
		error = errno;
		if (result < 0)
			unlink(name.bytes);
		errno = error;
	}
	free(name.bytes);
	return result;
}

static int write_file(const struct perfctr_text *text, const char *file)
{
	int fd = perfctr_stream_named(file);

	if (fd >= 0)
		return write_all(fd, text);
	if (!perfctr_call_is_special(file))
		return replace_file(text, file);
	fd = perfctr_call_create(file, false);
	return fd < 0 ? -1 : write_and_close(fd, text);
}

int perfctr_text_write(const struct perfctr_text *text, const char *file)
{
	int result;

	if (text->failed)
		return perfctr_fail(ENOMEM, "no memory for a report of regions");
	result = file ? write_file(text, file) : write_all(STDERR_FILENO, text);
	if (result < 0)
		return perfctr_fail(errno, "%s can't be written: %s",
				    file ? file : "the standard error", strerror(errno));
	return 0;
}
