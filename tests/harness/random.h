/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* random.h - xorshift64: the same numbers in every run, and everywhere. */
#ifndef PERFCTR_TESTS_RANDOM_H
#define PERFCTR_TESTS_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

static uint64_t random_state = 88172645463325252u;

static inline uint32_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 32);
}

static inline uint32_t random_below(uint32_t n)
{
	return random_word() % n;
}

/* So many tries, or fewer if FUZZ_WORDS in the environment says so. */
static inline unsigned int tries(unsigned int n)
{
	const char *most = getenv("FUZZ_WORDS");
	unsigned long few = most ? strtoul(most, NULL, 10) : n;

	return few < n ? (unsigned int)few : n;
}

#endif /* PERFCTR_TESTS_RANDOM_H */
