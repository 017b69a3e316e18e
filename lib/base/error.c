// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include "lib/base/error.h"
#include "libperfctr.h"

static _Thread_local char message[512];

const char *perfctr_error(void)
{
	return message;
}

int perfctr_fail(int error, const char *format, ...)
{
	/* A sentence may quote the message before it, so it is built aside. */
	char text[sizeof(message)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(message, sizeof(message), "%s", text);
	errno = error;
	return -1;
}
