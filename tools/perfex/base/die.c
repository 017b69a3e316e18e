// SPDX-License-Identifier: LGPL-2.1-or-later
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"
#include "tools/perfex/base/width.h"

/* Writes a line, which a terminal with this number of columns shows in lines that end with a word.
 */
static void write_words(FILE *file, const char *text, int columns)
{
	static const char before[] = "perfex: ";
	int used = (int)sizeof(before) - 1, width;
	size_t blanks, length;
	char *word;

	fputs(before, file);
	for (; *text; text += length, used += width) {
		blanks = strspn(text, " ");
		length = blanks + strcspn(text + blanks, " ");
		word = strndup(text, length);
		if (!word)
			return;
		width = text_width(word);
		if (columns && used + width > columns && used > (int)sizeof(before) - 1) {
			fputs("\n  ", file);
			used = 2;
			width -= (int)blanks;
			text_terminal(file, word + blanks, 0);
		} else {
			text_terminal(file, word, 0);
		}
		free(word);
	}
}

/*
 * Writes the message in one piece, since other processes write there, too. Names in it come from
 * outside.
 */
static void tell(const char *format, va_list args)
{
	char *raw = NULL, *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (vasprintf(&raw, format, args) < 0 || !file) {
		fputs("perfex: out of memory\n", stderr);
		_exit(EXIT_PERFEX);
	}
	write_words(file, raw, width_of(STDERR_FILENO));
	fputc('\n', file);
	fclose(file);
	fputs(text, stderr);
	free(text);
	free(raw);
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tell(format, args);
	va_end(args);
	exit(EXIT_PERFEX);
}

static int last_signal;

static void raise_last(void)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	if (!last_signal)
		return;
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&set);
	sigaddset(&set, last_signal);
	sigaction(last_signal, &usual, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(last_signal);
}

void end_prepare(void)
{
	atexit(raise_last);
}

void end_by(int signal)
{
	last_signal = signal;
	exit(128 + signal);
}

void *need(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}
