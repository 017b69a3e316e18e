// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "libperfctr.h"

static PERFCTR_THREAD char message[512];

const char *perfctr_error(void)
{
	return message;
}

/* Where the reason begins in the message, if it is one about an event. */
static PERFCTR_THREAD size_t prefix;

static void set_message(int error, size_t skip, const char *format, va_list args)
{
	/* A sentence may quote the message before it, so it is built aside. */
	char text[sizeof(message)];

	vsnprintf(text, sizeof(text), format, args);
	snprintf(message + skip, sizeof(message) - skip, "%s", text);
	prefix = skip;
	errno = error;
}

int perfctr_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_message(error, 0, format, args);
	va_end(args);
	return -1;
}

int perfctr_fail_event(int error, const char *event, const char *format, ...)
{
	int n = snprintf(message, sizeof(message) / 2, "%s can't be counted: ", event);
	va_list args;

	va_start(args, format);
	set_message(error, (size_t)n < sizeof(message) / 2 ? (size_t)n : sizeof(message) / 2 - 1,
		    format, args);
	va_end(args);
	return -1;
}

const char *perfctr_reason(void)
{
	return message + prefix;
}
