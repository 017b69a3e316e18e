// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/nearest.h"
#include "lib/names/modifiers.h"
#include "libperfctr.h"

bool perfctr_are_modifiers(const char *p, const char *end)
{
	while (p < end && *p && strchr(PERFCTR_MODIFIERS "pbR:", *p))
		p++;
	return p == end;
}

bool perfctr_is_late_edge(const char *part, const char *end)
{
	return part < end && perfctr_are_modifiers(part, end) &&
	       memchr(part, 'e', (size_t)(end - part));
}

int perfctr_fail_late_edge(const char *word, size_t length, const char *part)
{
	const char *end = word + length;
	const size_t before = (size_t)(part - word) - 1; /* the colon */
	char others[2 * PERFCTR_NAME_SIZE];
	size_t n = 0;

	for (; part < end && n + 2 < sizeof(others); part++) {
		if (*part == 'e' || (*part == ':' && (!n || others[n - 1] == ':')))
			continue;
		others[n++] = *part;
	}
	n -= n && others[n - 1] == ':';
	return perfctr_fail(EINVAL,
			    "in \"%.*s\" e is edges, which stand before perf's modifiers: write "
			    "%.*s:e:%.*s",
			    perfctr_shown(length), word, perfctr_shown(before), word,
			    perfctr_shown(n), others);
}
