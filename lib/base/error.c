// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "libperfctr.h"

/*
 * What a thread's last failure says. Static TLS is scarce where a library is loaded by dlopen(3):
 * a thread has only a pointer there, and this from its first failure on, which may be in a signal
 * handler. The next thread whose TLS lies at the same place takes it over.
 */
struct sentence {
	struct sentence *next;
	_Atomic(void *) owner;	/* the place of the thread's pointer */
	perfctr_sentence *make; /* makes the text when the program asks for it; NULL: it is made */
	size_t length;
	char word[PERFCTR_LATER_SIZE];
	size_t prefix; /* where the reason begins, if it is about an event */
	char text[512];
};

/* Programs of one thread need no other one. */
static struct sentence first;
static _Atomic(struct sentence *) all = &first;

/* What is said without memory for a sentence; nobody writes to it. */
static struct sentence no_memory = { .text = "there is no memory for this error's sentence" };

static PERFCTR_THREAD struct sentence *mine;

static struct sentence *left_here(void)
{
	void *nobody = NULL;
	struct sentence *s;

	for (s = atomic_load(&all); s; s = s->next)
		if (atomic_load(&s->owner) == (void *)&mine)
			return s;
	return atomic_compare_exchange_strong(&first.owner, &nobody, (void *)&mine) ? &first : NULL;
}

static struct sentence *make_room(void)
{
	struct sentence *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		return &no_memory;
	atomic_init(&s->owner, (void *)&mine);
	s->next = atomic_load(&all);
	while (!atomic_compare_exchange_weak(&all, &s->next, s))
		;
	return s;
}

/* Returns the thread's own; NULL: there is no memory. */
static struct sentence *own(void)
{
	struct sentence *s;

	if (mine && mine != &no_memory)
		return mine;
	s = left_here();
	mine = s ? s : make_room();
	return mine == &no_memory ? NULL : mine;
}

static const struct sentence *made(void)
{
	static const struct sentence none;
	int error = errno;

	if (mine && mine->make) {
		perfctr_sentence *make = mine->make;

		mine->make = NULL;
		make(mine->word, mine->length);
		errno = error;
	}
	return mine ? mine : &none;
}

const char *perfctr_error(void)
{
	return made()->text;
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
	struct sentence *s = own();
	/* A sentence may quote the one before it, so it is built aside. */
	char text[sizeof(s->text)];
	size_t room = sizeof(text), i;
	va_list again;

	if (!s) {
		errno = error;
		return;
	}
	s->make = NULL;
	if (event)
		room -= (size_t)snprintf(text, room, "%.200s can't be counted: ", event);
	s->prefix = sizeof(text) - room;
	va_copy(again, args);
	if ((size_t)vsnprintf(text + s->prefix, room, format, args) >= room)
		shorten(text + s->prefix, room, format, again);
	va_end(again);
	/* It is one line, whatever it quotes. */
	for (i = 0; text[i]; i++)
		s->text[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7F ? '?' : text[i];
	s->text[i] = '\0';
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
	struct sentence *s = own();

	if (!s || length >= sizeof(s->word))
		return make(word, length);
	memmove(s->word, word, length);
	s->word[length] = '\0';
	s->length = length;
	s->make = make;
	errno = error;
	return -1;
}

const char *perfctr_reason(void)
{
	const struct sentence *s = made();

	return s->text + s->prefix;
}
