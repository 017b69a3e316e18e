/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * letters.h - names without regard to case. They are ASCII whatever the program's locale is: in a
 * Turkish one the C library has I as the capital of another letter than i.
 */
#ifndef PERFCTR_LIB_BASE_LETTERS_H
#define PERFCTR_LIB_BASE_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

/* A capital's small letter; else the same. */
static inline unsigned char perfctr_small(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static inline bool perfctr_is_letter_or_digit(char c)
{
	unsigned char small = perfctr_small(c);

	return (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9');
}

/* strncasecmp() of the locale "C" */
int perfctr_letters_compare(const char *a, const char *b, size_t n);

/* Whether the name is the word of this length. */
bool perfctr_letters_same(const char *name, const char *word, size_t length);

/*
 * The length of a text up to the first of these marks that is not between slashes, which a PMU's
 * terms are; without one, its whole length.
 */
size_t perfctr_letters_until(const char *text, const char *marks);

#endif /* PERFCTR_LIB_BASE_LETTERS_H */
