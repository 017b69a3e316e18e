// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdint.h>
#include "lib/perf/reading.h"
#include "libperfctr.h"

enum perfctr_quality perfctr_quality_of(uint64_t enabled, uint64_t running)
{
	if (running == enabled)
		return PERFCTR_EXACT;
	return running ? PERFCTR_SCALED : PERFCTR_NOT_COUNTED;
}

/* Adds to a remainder; both are below the divisor. Returns the carry into the quotient. */
static unsigned int add_to_remainder(uint64_t *remainder, uint64_t more, uint64_t divisor)
{
	if (more < divisor - *remainder) {
		*remainder += more;
		return 0;
	}
	*remainder -= divisor - more;
	return 1;
}

/* Returns a * b / c, where a < c: the product may have 128 bits, the quotient is less than b. */
static uint64_t multiply_divide(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t quotient = 0, remainder = 0;
	unsigned int bit = 64;

	while (bit--) {
		quotient = quotient * 2 + add_to_remainder(&remainder, remainder, c);
		if (b >> bit & 1)
			quotient += add_to_remainder(&remainder, a, c);
	}
	return quotient;
}

uint64_t perfctr_reading_estimate(const struct perfctr_reading *reading)
{
	uint64_t value = reading->value, enabled = reading->enabled, running = reading->running;
	uint64_t estimate;

	if (reading->quality != PERFCTR_SCALED || !running)
		return value;
	if (__builtin_mul_overflow(value / running, enabled, &estimate) ||
	    __builtin_add_overflow(estimate, multiply_divide(value % running, enabled, running),
				   &estimate))
		return UINT64_MAX;
	return estimate;
}

const char *perfctr_quality_name(unsigned int quality)
{
	switch (quality) {
	case PERFCTR_EXACT: return "exact";
	case PERFCTR_UNWATCHED: return "unwatched";
	case PERFCTR_UNVERIFIED: return "unverified";
	case PERFCTR_ESTIMATE: return "estimate";
	case PERFCTR_SCALED: return "scaled";
	case PERFCTR_NOT_COUNTED: return "not counted";
	case PERFCTR_STALE: return "stale";
	}
	return "unknown";
}
