/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nearest.h - finds the nearest right names to a wrong one */
#ifndef PERFCTR_LIB_BASE_NEAREST_H
#define PERFCTR_LIB_BASE_NEAREST_H

#include <stddef.h>
#include "lib/base/file.h"

#define PERFCTR_NEAREST	     3
#define PERFCTR_NEAREST_TEXT (PERFCTR_NEAREST * PERFCTR_NAME_SIZE + 32)

/* Collects the names that are nearest to a word; begin with word and length, and all else zero. */
struct perfctr_nearest {
	const char *word;
	size_t length;
	unsigned int distance[PERFCTR_NEAREST];
	char name[PERFCTR_NEAREST][PERFCTR_NAME_SIZE]; /* empty: none */
};

/* A word's length for a message, which has no room for every nonsense. */
static inline int perfctr_shown(size_t length)
{
	return length > 100 ? 100 : (int)length;
}

void perfctr_nearest_note(struct perfctr_nearest *near, const char *word);

/* "; did you mean a, b or c?", put into text; or the remedy if nothing is near. */
const char *perfctr_nearest_text(const struct perfctr_nearest *near, const char *remedy, char *text,
				 size_t size);

#endif /* PERFCTR_LIB_BASE_NEAREST_H */
