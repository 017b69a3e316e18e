// SPDX-License-Identifier: LGPL-2.1-or-later
#include <time.h>
#include "tools/perfex/base/clock.h"

uint64_t clock_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

double clock_seconds(void)
{
	return (double)clock_ns() / 1e9;
}
