// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lib/base/letters.h"

int perfctr_letters_compare(const char *a, const char *b, size_t n)
{
	int order = 0;

	for (; n && !order; a++, b++, n--) {
		order = perfctr_small(*a) - perfctr_small(*b);
		if (!*a)
			break;
	}
	return order;
}

bool perfctr_letters_same(const char *name, const char *word, size_t length)
{
	return !perfctr_letters_compare(name, word, length) && !name[length];
}
