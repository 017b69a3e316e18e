// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * arithmetic.c - what valgrind's 32-bit core takes from the compiler's own library, which most
 * 64-bit machines have for 64 bits only. The core prints with it, which may be slow.
 */
typedef unsigned long long u64;

u64 __udivmoddi4(u64 a, u64 b, u64 *rest);
u64 __udivdi3(u64 a, u64 b);
u64 __umoddi3(u64 a, u64 b);
long long __divdi3(long long a, long long b);
int __popcountdi2(long long a);
int __ctzdi2(long long a);

u64 __udivmoddi4(u64 a, u64 b, u64 *rest)
{
	u64 quotient = 0, part = 0;
	int bit;

	for (bit = 63; bit >= 0; bit--) {
		u64 carry = part >> 63;

		part = part << 1 | (a >> bit & 1);
		if (carry || part >= b) {
			part -= b;
			quotient |= 1ULL << bit;
		}
	}
	if (rest)
		*rest = part;
	return quotient;
}

u64 __udivdi3(u64 a, u64 b)
{
	return __udivmoddi4(a, b, 0);
}

u64 __umoddi3(u64 a, u64 b)
{
	u64 rest;

	__udivmoddi4(a, b, &rest);
	return rest;
}

long long __divdi3(long long a, long long b)
{
	u64 quotient = __udivmoddi4(a < 0 ? 0 - (u64)a : (u64)a, b < 0 ? 0 - (u64)b : (u64)b, 0);

	return (long long)((a < 0) != (b < 0) ? 0 - quotient : quotient);
}

int __popcountdi2(long long a)
{
	u64 rest = (u64)a;
	int bits = 0;

	for (; rest; rest &= rest - 1)
		bits++;
	return bits;
}

int __ctzdi2(long long a)
{
	unsigned int low = (unsigned int)a;

	return low ? __builtin_ctz(low) : 32 + __builtin_ctz((unsigned int)((u64)a >> 32));
}
