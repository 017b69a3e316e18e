// SPDX-License-Identifier: LGPL-2.1-or-later
/* loop N: executes 2 * N instructions, and as many as any other loop of this program beside them.
 */
#include <stdlib.h>

int main(int argc, char **argv)
{
	/* 10 digits, so that strtoul() costs the same for all N. */
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1; b.ne 1b" : "+r"(n) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1; bnez %0, 1b" : "+r"(n));
#endif
	return 0;
}
