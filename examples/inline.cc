// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * inline.c in C++11: several events around a piece of code, read inline where that is possible, and
 * from the kernel where it is not.
 */
#include <array>
#include <cstdint>
#include <cstdio>
#include <libperfctr.h>
#include <memory>
#include <perfctr/read.h>
#include <stdexcept>

struct close_set {
	void operator()(perfctr_set *set) const
	{
		perfctr_set_close(set);
	}
};

/* N events of the thread that makes it: only that thread may read them. */
template <std::size_t N> class counts
{
public:
	using values = std::array<std::uint64_t, N>;

	explicit counts(const char *events) : set(perfctr_set_open(events, nullptr, 0))
	{
		if (!set)
			throw std::runtime_error(perfctr_error());
		/* What can't be read inline gets a reader that always says so: no error here. */
		unsigned int inlined = 0;
		for (unsigned int i = 0; i < N; i++)
			inlined += perfctr_set_reader(set.get(), i, &reader[i]) == 0;
		if (inlined < N)
			std::printf("not inline: %s\n", perfctr_error());
	}

	values read() const
	{
		std::array<perfctr_reading, N> reading;
		values found;

		if (perfctr_reader_read_all(reader.data(), N, found.data()))
			return found;
		if (perfctr_set_read(set.get(), reading.data()) < 0)
			throw std::runtime_error(perfctr_error());
		for (unsigned int i = 0; i < N; i++)
			found[i] = reading[i].value;
		return found;
	}

	const char *name(unsigned int i) const
	{
		return perfctr_set_name(set.get(), i);
	}

private:
	std::unique_ptr<perfctr_set, close_set> set;
	std::array<perfctr_reader, N> reader;
};

static double work()
{
	double sum = 0;

	for (int k = 1; k < 100000; k++)
		sum += 1.0 / k / k;
	return sum;
}

template <std::size_t N> static void measure(const counts<N> &events)
{
	const auto before = events.read();
	const double sum = work();
	const auto after = events.read();

	std::printf("the sum is %f\n", sum);
	for (unsigned int i = 0; i < N; i++)
		std::printf("%-16s %12llu\n", events.name(i),
			    static_cast<unsigned long long>(after[i] - before[i]));
}

int main()
{
	/* With the word struct: without it, this is the function of the same name. */
	struct perfctr_info info;

	if (perfctr_get_info(&info) == 0)
		std::printf("%s, %u counters\n", perfctr_info_cpu_name(&info),
			    perfctr_info_nrctrs(&info));
	try {
		measure(counts<3>("{instructions:u,cycles:u,branches:u}"));
		return 0;
	} catch (const std::runtime_error &error) {
		std::printf("%s\n", error.what());
	}
	/* Without a PMU, as in many virtual machines, there are still the kernel's own events. */
	try {
		measure(counts<3>("{task-clock,page-faults:u,minor-faults:u}"));
	} catch (const std::runtime_error &error) {
		std::printf("%s\n", error.what());
	}
	return 0;
}
