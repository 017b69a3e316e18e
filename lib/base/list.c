// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of events' names, apart from what the names mean. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "lib/base/error.h"
#include "lib/base/list.h"
#include "libperfctr.h"

ssize_t perfctr_event_next(const char **list, const char **event)
{
	const char *p = *list;
	bool inside = false;
	size_t length;

	if (*p == '\0')
		return 0;
	for (; *p && (inside || *p != ','); p++)
		inside ^= *p == '/';
	length = (size_t)(p - *list);
	if (inside)
		return perfctr_fail(EINVAL, "\"%.100s\" has no closing /", *list);
	if (length == 0 || (*p == ',' && p[1] == '\0'))
		return perfctr_fail(EINVAL, "the list of events has an empty place between its "
					    "commas");
	*event = *list;
	*list = *p ? p + 1 : p;
	return (ssize_t)length;
}
