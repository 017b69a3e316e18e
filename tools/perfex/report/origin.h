/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* origin.h - where and when results were made. */
#ifndef PERFCTR_TOOLS_ORIGIN_H
#define PERFCTR_TOOLS_ORIGIN_H

#include <sys/utsname.h>

struct origin {
	char time[32]; /* UTC, as of RFC 3339 */
	struct utsname host;
	const char *rank; /* of a parallel program, as its launcher numbers it; NULL: it is none */
	const char *processor;
	const char *version; /* perfex's */
};

void origin_get(struct origin *origin);

#endif /* PERFCTR_TOOLS_ORIGIN_H */
