// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perfex's statistics, for another judge: reads lines of two series, "1 2 3 | 4 5 6", prints the p
 * of each line before and after the correction of all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/report/compare.h"

static struct summary read_series(char *text)
{
	struct series series = { .n = 0 };
	struct summary summary;
	char *word;

	for (word = strtok(text, " \n"); word; word = strtok(NULL, " \n"))
		series_add(&series, strtod(word, NULL));
	summary = series_summary(&series);
	series_free(&series);
	return summary;
}

int main(void)
{
	static double p[10000], adjusted[10000];
	struct summary before, now;
	unsigned int i, n = 0;
	char line[65536], *bar;

	while (n < 10000 && fgets(line, sizeof(line), stdin) && (bar = strchr(line, '|'))) {
		*bar = '\0';
		before = read_series(line);
		now = read_series(bar + 1);
		p[n] = adjusted[n] = welch_p(&before, &now);
		n++;
	}
	holm_adjust(adjusted, n);
	for (i = 0; i < n; i++)
		printf("%.17g %.17g\n", p[i], adjusted[i]);
	return 0;
}
