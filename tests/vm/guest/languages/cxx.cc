// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The C++ binding where counters are exact: a loop that is longer by N instructions counts exactly
 * N more, by each way of reading, and an inline read is as long as the page says.
 */
#include <algorithm>
#include <cstdio>
#include <perfctr/perfctr.hpp>
#include "tests/harness/loop.h"

static int failures;

static void check(const char *what, std::uint64_t found, std::uint64_t wanted)
{
	const bool good = found == wanted;

	std::printf("%s %s: %llu\n", good ? "ok" : "not ok", what,
		    static_cast<unsigned long long>(found));
	failures += !good;
}

/* The least of some counts: the first ones are of code that is not in memory yet. */
template <typename F> static std::uint64_t least(F count)
{
	std::uint64_t found = UINT64_MAX;

	for (int i = 0; i < 5; i++)
		found = std::min(found, count());
	return found;
}

template <typename F> static void check_loops(const char *what, F read)
{
	const auto count = [&](unsigned long n) {
		return least([&] {
			const std::uint64_t before = read();
			loop(n);
			return read() - before;
		});
	};

	check(what, count(101000) - count(1000), 200000);
}

static void check_regions()
{
	perfctr::region brief("brief"), lengthy("lengthy");

	perfctr::regions::start("instructions:u");
	for (int i = 0; i < 5; i++) {
		perfctr::region_guard guard(brief);
		loop(1000);
	}
	for (int i = 0; i < 5; i++) {
		perfctr::region_guard guard(lengthy);
		loop(101000);
	}
	check("regions", lengthy.read().value[1].inclusive - brief.read().value[1].inclusive,
	      5 * 200000);
	perfctr::regions::stop();
}

static void check_samples()
{
	perfctr::sampler_config config;
	std::uint64_t samples = 0;

	config.period = 10000;
	perfctr::sampler sampler("cycles:u", config);
	loop(100000);
	sampler.disable();
	for (const perfctr::record &record : sampler.records())
		samples += record.type == PERF_RECORD_SAMPLE;
	std::printf("%s samples: %llu\n", samples >= 15 ? "ok" : "not ok",
		    static_cast<unsigned long long>(samples));
	failures += samples < 15;
}

int main()
{
	try {
		/* arm64's counter of cycles, which alone interrupts at once, must be free. */
		check_samples();
		perfctr::set set("instructions:u");
		perfctr::counters<2> counters("{instructions:u,cycles:u}");
		const perfctr::reader reader = set.reader(0);

		check_loops("a set", [&] { return set.read()[0].value; });
		check_loops("counters", [&] { return counters.read()[0]; });
		check_loops("a reader", [&] { return reader.read().value_or(0); });
#ifdef __x86_64__
		/* As perfctr_cxx(7) has it. */
		check("an inline read", least([&] {
			      std::uint64_t first = 0, second = 0;

			      reader.read(first);
			      reader.read(second);
			      return second - first;
		      }),
		      17);
#endif
		check_regions();
	} catch (const perfctr::error &error) {
		std::printf("not ok: %s\n", error.what());
		failures++;
	}
	return failures != 0;
}
