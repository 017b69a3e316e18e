// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads counters in C: tests/bindings/cxx.sh compares the code with that of cxx-code.cc. */
#include <perfctr/read.h>

uint64_t test_slow(void);
uint64_t test_read(const struct perfctr_reader *reader);
uint64_t test_between(const struct perfctr_reader *reader);

uint64_t test_read(const struct perfctr_reader *reader)
{
	uint64_t value;

	return perfctr_reader_read(reader, &value) ? value : test_slow();
}

uint64_t test_between(const struct perfctr_reader *reader)
{
	uint64_t before, after;

	if (!perfctr_reader_read(reader, &before))
		return test_slow();
	__asm__ __volatile__("nop");
	if (!perfctr_reader_read(reader, &after))
		return test_slow();
	return after - before;
}
