// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A loop as benchmark libraries have it, "for (auto _ : state)", that counts: events are read
 * inline where it begins and ends, so that reading costs the same for one pass as for a million,
 * and what an empty loop counts is subtracted. The number of passes grows until they take 5 ms.
 */
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <libperfctr.h>
#include <perfctr/read.h>
#include <vector>

/* What an optimizer must take for used. */
template <typename T> static inline void keep(const T &value)
{
	__asm__ volatile("" : : "r,m"(value) : "memory");
}

class state
{
public:
	static constexpr unsigned int events = 2;
	using counts = std::array<std::uint64_t, events>;

	explicit state(perfctr_set *opened) : set(opened)
	{
		for (unsigned int i = 0; i < events; i++)
			perfctr_set_reader(set, i, &reader[i]); /* or it says so when it is read */
	}

	struct nothing {
		~nothing()
		{
		} /* no warning about the variable */
	};

	struct iterator {
		state *owner; /* null: the end */
		std::uint64_t left;

		bool operator!=(const iterator &)
		{
			if (__builtin_expect(left != 0, 1))
				return true;
			owner->stop();
			return false;
		}
		iterator &operator++()
		{
			left--;
			return *this;
		}
		nothing operator*() const
		{
			return nothing();
		}
	};

	iterator begin()
	{
		started = std::chrono::steady_clock::now();
		before = read();
		return iterator{ this, passes };
	}

	iterator end()
	{
		return iterator{ nullptr, 0 };
	}

	std::uint64_t passes = 1;
	counts counted{};
	std::chrono::nanoseconds elapsed{};
	bool good = true;

private:
	counts read()
	{
		std::array<perfctr_reading, events> reading;
		counts found{};

		if (perfctr_reader_read_all(reader.data(), events, found.data()))
			return found;
		good = good && perfctr_set_read(set, reading.data()) == 0;
		for (unsigned int i = 0; good && i < events; i++)
			found[i] = reading[i].value;
		return found;
	}

	void stop()
	{
		const counts after = read();

		elapsed = std::chrono::steady_clock::now() - started;
		for (unsigned int i = 0; i < events; i++)
			counted[i] = after[i] - before[i];
	}

	perfctr_set *set;
	std::array<perfctr_reader, events> reader;
	counts before{};
	std::chrono::steady_clock::time_point started;
};

static void empty(state &state)
{
	for (auto _ : state)
		keep(_);
}

static void push_back(state &state)
{
	for (auto _ : state) {
		std::vector<int> numbers;

		for (int i = 0; i < 100; i++)
			numbers.push_back(i);
		keep(numbers.data());
	}
}

static void push_back_reserved(state &state)
{
	for (auto _ : state) {
		std::vector<int> numbers;

		numbers.reserve(100);
		for (int i = 0; i < 100; i++)
			numbers.push_back(i);
		keep(numbers.data());
	}
}

/* Passes, and an empty loop of as many. False if the counters can't be read. */
static bool run(perfctr_set *set, const char *name, void (*benchmark)(state &))
{
	state measured(set), loop(set);
	std::array<double, state::events> each;

	do {
		measured.passes *= 2;
		benchmark(measured);
	} while (measured.good && measured.elapsed < std::chrono::milliseconds(5));
	loop.passes = measured.passes;
	empty(loop);
	for (unsigned int i = 0; i < state::events; i++)
		each[i] = (static_cast<double>(measured.counted[i]) -
			   static_cast<double>(loop.counted[i])) /
			  static_cast<double>(measured.passes);
	std::printf("%-20s %10llu %12.1f %12.1f %12.1f\n", name,
		    static_cast<unsigned long long>(measured.passes),
		    static_cast<double>(measured.elapsed.count()) /
			    static_cast<double>(measured.passes),
		    each[0], each[1]);
	return measured.good && loop.good;
}

int main()
{
	perfctr_set *set = perfctr_set_open("{instructions:u,cycles:u}", nullptr, 0);
	bool good;

	/* Without a PMU there are still the kernel's own events. */
	if (!set)
		set = perfctr_set_open("{task-clock,page-faults:u}", nullptr, 0);
	if (!set) {
		std::printf("%s\n", perfctr_error());
		return 1;
	}
	std::printf("%-20s %10s %12s %12s %12s\n", "", "passes", "ns", perfctr_set_name(set, 0),
		    perfctr_set_name(set, 1));
	good = run(set, "push_back", push_back) &&
	       run(set, "push_back_reserved", push_back_reserved);
	perfctr_set_close(set);
	return !good;
}
