// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A benchmark of google-benchmark's that counts: events are read inline where the loop begins and
 * ends, and become counters of the benchmark, per iteration. c++ google_benchmark.cc -lbenchmark
 * -lperfctr -pthread
 */
#include <benchmark/benchmark.h>
#include <perfctr/perfctr.hpp>
#include <string>
#include <vector>

/* Counts from its making to its end, in the benchmark's thread. */
template <std::size_t N> class counting
{
public:
	counting(benchmark::State &state, const perfctr::counters<N> &counters)
	    : state_(state), counters_(counters), before_(counters.read())
	{
	}
	~counting()
	{
		typename perfctr::counters<N>::values after;

		if (const auto read = counters_.try_read(after); !read) {
			state_.SkipWithError(read.error().what());
			return;
		}
		for (std::size_t i = 0; i < N; i++)
			state_.counters[std::string(counters_.name(i))] =
				benchmark::Counter(static_cast<double>(after[i] - before_[i]),
						   benchmark::Counter::kAvgIterations);
	}
	counting(const counting &) = delete;
	counting &operator=(const counting &) = delete;

private:
	benchmark::State &state_;
	const perfctr::counters<N> &counters_;
	typename perfctr::counters<N>::values before_;
};

/* Without a PMU there are still the kernel's own events. */
static perfctr::counters<2> open_counters()
{
	auto hardware = perfctr::counters<2>::try_open("{instructions:u,cycles:u}");

	return hardware ? std::move(*hardware) : perfctr::counters<2>("{page-faults:u,task-clock}");
}

static void push_back(benchmark::State &state)
{
	const auto counters = open_counters();
	const auto size = static_cast<std::size_t>(state.range(0));
	counting<2> count(state, counters);

	for (auto _ : state) {
		std::vector<int> numbers;

		for (std::size_t i = 0; i < size; i++)
			numbers.push_back(static_cast<int>(i));
		benchmark::DoNotOptimize(numbers.data());
	}
}
BENCHMARK(push_back)->Arg(100)->Arg(10000);

static void push_back_reserved(benchmark::State &state)
{
	const auto counters = open_counters();
	const auto size = static_cast<std::size_t>(state.range(0));
	counting<2> count(state, counters);

	for (auto _ : state) {
		std::vector<int> numbers;

		numbers.reserve(size);
		for (std::size_t i = 0; i < size; i++)
			numbers.push_back(static_cast<int>(i));
		benchmark::DoNotOptimize(numbers.data());
	}
}
BENCHMARK(push_back_reserved)->Arg(100)->Arg(10000);

BENCHMARK_MAIN();
