/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loop.h - a loop of known length, on ISAs whose counters can be read: LOOP_IS_KNOWN is defined. */
#ifndef PERFCTR_TESTS_LOOP_H
#define PERFCTR_TESTS_LOOP_H

/* Exactly 2 * n instructions, n of them branches. */
static inline __attribute__((always_inline)) void loop(unsigned long n)
{
#define LOOP_IS_KNOWN 1
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(n) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1; bnez %0, 1b" : "+r"(n));
#elif defined(__i386__) || defined(__x86_64__)
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
#elif defined(__powerpc__)
	__asm__ volatile("1: addic. %0, %0, -1; bne 1b" : "+b"(n) : : "cr0", "xer");
#else
#undef LOOP_IS_KNOWN
	(void)n;
#endif
}

#endif /* PERFCTR_TESTS_LOOP_H */
