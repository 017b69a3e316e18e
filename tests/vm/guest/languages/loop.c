// SPDX-License-Identifier: LGPL-2.1-or-later
/* The loop of known length, for programs in other languages: a call, 2 * n instructions, and the
 * same each time. */
#include "tests/harness/loop.h"

void perfctr_test_loop(unsigned long n);
void perfctr_test_loop(unsigned long n)
{
	loop(n);
}
