/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* word.h - words that threads share, thread-local words, and arrays */
#ifndef PERFCTR_LIB_BASE_WORD_H
#define PERFCTR_LIB_BASE_WORD_H

#include <stdint.h>

/*
 * A variable of each thread for signal handlers, too: its place is there from the thread's
 * beginning. Of a library that was dlopen()ed glibc would otherwise allocate it when it is first
 * used. musl never does, and does not dlopen() a library that asks for this.
 */
#ifdef __GLIBC__
#define PERFCTR_THREAD _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define PERFCTR_THREAD _Thread_local
#endif

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * A word that its thread changes while others may read it, under a sequence count that tells them
 * to begin again. A processor of 32 bits has it in halves: not all have larger atomic words.
 */
#if __SIZEOF_LONG__ == 8
static inline uint64_t perfctr_load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void perfctr_store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}
#else
typedef uint32_t __attribute__((may_alias)) perfctr_half;

static inline uint64_t perfctr_load(const uint64_t *word)
{
	const perfctr_half *from = (const perfctr_half *)word;
	uint64_t value;
	perfctr_half *to = (perfctr_half *)&value;

	to[0] = __atomic_load_n(&from[0], __ATOMIC_RELAXED);
	to[1] = __atomic_load_n(&from[1], __ATOMIC_RELAXED);
	return value;
}

static inline void perfctr_store(uint64_t *word, uint64_t value)
{
	const perfctr_half *from = (const perfctr_half *)&value;
	perfctr_half *to = (perfctr_half *)word;

	__atomic_store_n(&to[0], from[0], __ATOMIC_RELAXED);
	__atomic_store_n(&to[1], from[1], __ATOMIC_RELAXED);
}
#endif

#endif /* PERFCTR_LIB_BASE_WORD_H */
