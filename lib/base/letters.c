// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>
#include "lib/base/letters.h"

int perfctr_letters_compare(const char *a, const char *b, size_t n)
{
	int order;

	for (; n; a++, b++, n--) {
		/* Most are the same, and as they are. */
		if (*a != *b) {
			order = perfctr_small(*a) - perfctr_small(*b);
			if (order)
				return order;
		}
		if (!*a)
			break;
	}
	return 0;
}

bool perfctr_letters_same(const char *name, const char *word, size_t length)
{
	/* Most differ in the first letter already. */
	if (length && perfctr_small(*name) != perfctr_small(*word))
		return false;
	/* Most of the others are written as they are, and the C library compares many letters at
	 * once. */
	return (!strncmp(name, word, length) || !perfctr_letters_compare(name, word, length)) &&
	       !name[length];
}

size_t perfctr_letters_until(const char *text, const char *marks)
{
	bool inside = false;
	size_t n;

	for (n = 0; text[n] && (inside || !strchr(marks, text[n])); n++)
		inside ^= text[n] == '/';
	return n;
}
