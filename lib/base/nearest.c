// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the nearest right names to a wrong one. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "lib/base/file.h"
#include "lib/base/letters.h"
#include "lib/base/nearest.h"
#include "libperfctr.h"

/* Edit distance without regard to case; words longer than the table are far from everything. */
static unsigned int edit_distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned int row[PERFCTR_NAME_SIZE], diagonal, above;
	size_t i, j;

	if (n >= PERFCTR_NAME_SIZE || m >= PERFCTR_NAME_SIZE)
		return UINT_MAX;
	for (j = 0; j <= m; j++)
		row[j] = (unsigned int)j;
	for (i = 1; i <= n; i++) {
		diagonal = row[0];
		row[0] = (unsigned int)i;
		for (j = 1; j <= m; j++) {
			above = row[j];
			if (perfctr_small(a[i - 1]) != perfctr_small(b[j - 1]))
				diagonal++;
			if (above + 1 < diagonal)
				diagonal = above + 1;
			if (row[j - 1] + 1 < diagonal)
				diagonal = row[j - 1] + 1;
			row[j] = diagonal;
			diagonal = above;
		}
	}
	return row[m];
}

void perfctr_nearest_note(struct perfctr_nearest *near, const char *word)
{
	/* A third of the letters wrong is no longer a slip. */
	size_t limit = near->length / 3 + 1, length = strlen(word);
	unsigned int d, i, k;

	if (length > near->length + limit || length + limit < near->length)
		return;
	d = edit_distance(near->word, near->length, word, length);
	if (d > limit)
		return;
	for (i = 0; i < PERFCTR_NEAREST && near->name[i][0] && near->distance[i] <= d; i++)
		if (perfctr_letters_same(near->name[i], word, length))
			return;
	if (i == PERFCTR_NEAREST)
		return;
	for (k = PERFCTR_NEAREST - 1; k > i; k--) {
		near->distance[k] = near->distance[k - 1];
		memcpy(near->name[k], near->name[k - 1], PERFCTR_NAME_SIZE);
	}
	near->distance[i] = d;
	snprintf(near->name[i], PERFCTR_NAME_SIZE, "%s", word);
}

const char *perfctr_nearest_text(const struct perfctr_nearest *near, const char *remedy, char *text,
				 size_t size)
{
	unsigned int i, n = 0;

	while (n < PERFCTR_NEAREST && near->name[n][0])
		n++;
	if (n == 0)
		return remedy;
	snprintf(text, size, "; did you mean ");
	for (i = 0; i < n; i++) {
		size_t used = strlen(text);

		snprintf(text + used, size - used, "%s%s",
			 i == 0	     ? ""
			 : i + 1 < n ? ", "
				     : " or ",
			 near->name[i]);
	}
	strncat(text, "?", size - strlen(text) - 1);
	return text;
}
