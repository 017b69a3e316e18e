// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* Whether the byte is a character's of UTF-8, but not its first. */
static bool is_inside(char byte)
{
	return (byte & 0xC0) == 0x80;
}

/*
 * Puts "..." in place of the middle of a sentence that is too long, such as one with a path: what
 * is wrong stands at its end.
 */
static __attribute__((noinline)) void shorten(char *text, size_t room, const char *format,
					      va_list args)
{
	char whole[8192];
	size_t length, head = room / 2 - 4, tail;

	vsnprintf(whole, sizeof(whole), format, args);
	length = strlen(whole);
	tail = length - (room - head - 4);
	while (head && is_inside(whole[head]))
		head--;
	while (is_inside(whole[tail]))
		tail++;
	snprintf(text, room, "%.*s...%s", (int)head, whole, whole + tail);
}

/* An event's sentence begins with its name; NULL: it is not about one. */
static void set_message(int error, const char *event, const char *format, va_list args)
{
	/* A sentence may quote the message before it, so it is built aside. */
	char text[sizeof(message)];
	size_t room = sizeof(text), i;
	va_list again;

	later.make = NULL;
	if (event)
		room -= (size_t)snprintf(text, room, "%.200s can't be counted: ", event);
	prefix = sizeof(text) - room;
	va_copy(again, args);
	if ((size_t)vsnprintf(text + prefix, room, format, args) >= room)
		shorten(text + prefix, room, format, again);
	va_end(again);
	/* It is one line, whatever it quotes. */
	for (i = 0; text[i]; i++)
		message[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7F ? '?' : text[i];
	message[i] = '\0';
	errno = error;
}

int perfctr_fail(int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_message(error, NULL, format, args);
	va_end(args);
	return -1;
}

int perfctr_fail_event(int error, const char *event, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set_message(error, event, format, args);
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
