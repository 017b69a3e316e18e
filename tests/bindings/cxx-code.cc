// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads counters in C++, as cxx-code.c does in C. */
#include <perfctr/perfctr.hpp>

extern "C" {
std::uint64_t test_slow(void);
std::uint64_t test_read(const perfctr::reader &reader);
std::uint64_t test_between(const perfctr::reader &reader);
}

std::uint64_t test_read(const perfctr::reader &reader)
{
	std::uint64_t value;

	return reader.read(value) ? value : test_slow();
}

std::uint64_t test_between(const perfctr::reader &reader)
{
	std::uint64_t before, after;

	if (!reader.read(before))
		return test_slow();
	__asm__ __volatile__("nop");
	if (!reader.read(after))
		return test_slow();
	return after - before;
}
