// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "libperfctr.h"

static PERFCTR_THREAD char message[512];

/* Where the reason begins in the message, if it is one about an event. */
static PERFCTR_THREAD size_t prefix;

/*
 * The word of which a sentence is made when the program asks for it; NULL: the sentence is there.
 */
static PERFCTR_THREAD struct {
	perfctr_sentence *make;
	size_t length;
	char word[PERFCTR_LATER_SIZE];
} later;

static void make_message(void)
{
	perfctr_sentence *make = later.make;
	int error = errno;

	if (!make)
		return;
	later.make = NULL;
	make(later.word, later.length);
	errno = error;
}

const char *perfctr_error(void)
{
	make_message();
	return message;
}

static void set_message(int error, size_t skip, const char *format, va_list args)
{
	/* A sentence may quote the message before it, so it is built aside. */
	char text[sizeof(message)];

	later.make = NULL;
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

int perfctr_fail_later(int error, perfctr_sentence *make, const char *word, size_t length)
{
	if (length >= sizeof(later.word))
		return make(word, length);
	memmove(later.word, word, length);
	later.word[length] = '\0';
	later.length = length;
	later.make = make;
	errno = error;
	return -1;
}

const char *perfctr_reason(void)
{
	make_message();
	return message + prefix;
}
