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

/* A set can be reset when its readers and their copies are gone. */
static void check_reset()
{
	perfctr::set set("instructions:u"), copy(set);
	perfctr::reader reader;

	{
		reader = set.reader(0);
		const perfctr::reader other = set.reader(0);
	}
	loop(1000000);
	check("a reset with a copy of a reader", copy.try_reset().error().code(), EBUSY);
	reader = perfctr::reader();
	set.reset();
	reader = copy.reader(0);
	check("a reader after a reset", reader.read().value_or(1000000) < 100000, true);
}

static void check_regions()
{
	perfctr::region brief("brief"), lengthy("lengthy");
	/* Constants would be of different numbers of instructions. */
	volatile unsigned long few = 1000, many = 101000;

	perfctr::regions::start("instructions:u");
	for (int i = 0; i < 5; i++) {
		perfctr::region_guard guard(brief);
		loop(few);
	}
	for (int i = 0; i < 5; i++) {
		perfctr::region_guard guard(lengthy);
		loop(many);
	}
	check("regions", lengthy.read().value[1].inclusive - brief.read().value[1].inclusive,
	      5 * 200000);
	perfctr::regions::stop();
}

PERFCTR_REGION(named, "named");
PERFCTR_REGION(surrounding, "surrounding");

/* An empty region counts nothing but its bound (most is 0), and one with few instructions, these.
 */
static void check_few(const char *name, std::uint64_t wanted, std::uint64_t most)
{
	const perfctr_region_value value = perfctr::region(name).read().value[1];
	const std::uint64_t off = value.inclusive > wanted ? value.inclusive - wanted
							   : wanted - value.inclusive;

	std::printf("  %s, %s: %llu +- %llu\n", name, perfctr_quality_name(value.quality),
		    static_cast<unsigned long long>(value.inclusive),
		    static_cast<unsigned long long>(value.error));
	check(name, off <= (most ? most : value.error), true);
}

/* To the end of a function, of a region that is not known here. */
static __attribute__((noinline)) void visit(const perfctr::region &region)
{
	perfctr::region_guard guard(region);
}

static void check_own_part()
{
	constexpr std::uint64_t n = 100;
	const perfctr::region empty("empty"), outer("outer"), around("around"), few("few"),
		argument("argument");

	perfctr::regions::start("instructions:u");
	for (std::uint64_t i = 0; i < n; i++) {
		{
			perfctr::region_guard guard(empty);
		}
		{
			perfctr::region_guard guard(few);
			loop(1000);
		}
		visit(argument);
		perfctr_region_begin(&named);
		perfctr_region_end(&named);
		perfctr::region_guard guard(named);
	}
	for (std::uint64_t i = 0; i < n; i++) {
		perfctr::region_guard first(around), second(outer);
		{
			perfctr::region_guard guard(empty);
		}
		perfctr::region_guard third(empty);
	}
	for (std::uint64_t i = 0; i < n; i++) {
		PERFCTR_REGION_SCOPE(&surrounding);
		PERFCTR_REGION_SCOPE(&named);
	}
	perfctr::regions::stop();
	for (const char *name : { "empty", "outer", "around", "argument", "named", "surrounding" })
		check_few(name, 0, 0);
	check_few("few", 2000 * n, 20 * n);
}

/* What a begin and an end take in all. */
template <typename F> static void check_cost(const char *what, F visit, std::uint64_t wanted)
{
	const perfctr::counters<1> counters("instructions:u");
	const auto read = [&] { return counters.read()[0]; };
	std::uint64_t cost;

	perfctr::regions::start("cycles:u");
	cost = least([&] {
		const std::uint64_t before = read();
		visit();
		return read() - before;
	});
	cost -= least([&] {
		const std::uint64_t before = read();
		return read() - before;
	});
	perfctr::regions::stop();
#ifdef __x86_64__
	check(what, cost, wanted);
#else
	(void)wanted;
	std::printf("  %s: %llu\n", what, static_cast<unsigned long long>(cost));
#endif
}

/* As perfctr_languages(7) has them. */
static constexpr std::uint64_t cost_in_c = 101;
static constexpr std::uint64_t cost_in_cxx = 101;

static void visit_in_c()
{
	perfctr_region_begin(&named);
	perfctr_region_end(&named);
}

static void check_costs()
{
	check_cost(
		"begin and end in C", [] { visit_in_c(); }, cost_in_c);
	check_cost(
		"begin and end in C++", [] { perfctr::region_guard guard(named); }, cost_in_cxx);
}

/* Their own part is subtracted, but for what the compiler makes of the callables. */
static void check_count()
{
	const std::uint64_t none = perfctr::count("instructions:u", [] {})[0].value;
	const std::uint64_t some = perfctr::count("instructions:u", [] { loop(1000); })[0].value;

	std::printf("  %llu and %llu\n", static_cast<unsigned long long>(none),
		    static_cast<unsigned long long>(some));
	check("count() of nothing", none < 10, true);
	check("count() of 2,000", some >= 2000 && some < 2010, true);
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
		check("a reset with a reader", set.try_reset().error().code(), EBUSY);
		check_reset();
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
		check_own_part();
		check_count();
		check_costs();
	} catch (const perfctr::error &error) {
		std::printf("not ok: %s\n", error.what());
		failures++;
	}
	return failures != 0;
}
