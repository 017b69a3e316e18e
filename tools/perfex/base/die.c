// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/text.h"

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
	fputs("perfex: ", file);
	text_terminal(file, raw, 0);
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

void *need(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}
