// SPDX-License-Identifier: LGPL-2.1-or-later
#include "internal.h"

enum perfctr_quality perfctr_quality_of(uint64_t enabled, uint64_t running)
{
	if (running == enabled)
		return PERFCTR_EXACT;
	return running ? PERFCTR_SCALED : PERFCTR_NOT_COUNTED;
}

uint64_t perfctr_reading_estimate(const struct perfctr_reading *reading)
{
	uint64_t value = reading->value, enabled = reading->enabled, running = reading->running;
	uint64_t whole, rest, estimate, part;

	if (reading->quality != PERFCTR_SCALED || !running)
		return value;
	/* value / running * enabled, with the remainder's share; the quotient is small. */
	whole = value / running;
	rest = value % running;
	if (__builtin_mul_overflow(whole, enabled, &estimate))
		return UINT64_MAX;
	while (rest > UINT64_MAX / enabled) {	/* drop bits below the result's precision */
		rest >>= 1;
		running >>= 1;
	}
	part = running ? rest * enabled / running : 0;
	return __builtin_add_overflow(estimate, part, &estimate) ? UINT64_MAX : estimate;
}

const char *perfctr_quality_name(unsigned int quality)
{
	switch (quality) {
	case PERFCTR_EXACT:
		return "exact";
	case PERFCTR_SCALED:
		return "scaled";
	case PERFCTR_NOT_COUNTED:
		return "not counted";
	case PERFCTR_STALE:
		return "stale";
	}
	return "unknown";
}
