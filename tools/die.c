// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "die.h"

void die(const char *format, ...)
{
	va_list args;

	fputs("perfex: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_PERFEX);
}

void *need(void *memory)
{
	if (!memory)
		die("out of memory");
	return memory;
}
