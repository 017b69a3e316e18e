// SPDX-License-Identifier: LGPL-2.1-or-later
/* The calls that return results, in a program without exceptions. */
#include <cstdio>
#include <perfctr/perfctr.hpp>

#if PERFCTR_THROWS
#error "this is for -fno-exceptions"
#endif

static int failures;

static void expect(bool good, const char *what)
{
	if (!good)
		std::printf("| not so: %s\n", what);
	failures += !good;
}

/* The failure has the errno and the words. */
template <typename T>
static void fails(const perfctr::result<T> &result, int code, const char *words)
{
	if (!result && result.error().code() == code && std::strstr(result.error().what(), words))
		return;
	std::printf("| not errno %d, \"%s\": %s\n", code, words,
		    result ? "success" : result.error().what());
	failures++;
}

int main()
{
	auto set = perfctr::set::try_open("page-faults:u,task-clock");
	expect(set.has_value() && set->size() == 2, "a set");
	auto readings = set->try_read();
	expect(readings && (*readings)[1].value > 0, "its readings");
	expect(readings->try_at("task-clock").has_value(), "one of them");
	fails(readings->try_at("cycles"), EINVAL, "no event \"cycles\"");
	expect(set->try_disable() && set->try_reset() && set->try_enable(), "stop and start");
	fails(perfctr::set::try_open("page-fautls"), EINVAL, "page-faults");
	perfctr::set moved = std::move(*set);
	fails(set->try_read(), EINVAL, "NULL");
	expect(moved.try_read().has_value(), "a set that was moved");

	auto counters = perfctr::counters<1>::try_open("page-faults:u");
	std::array<std::uint64_t, 1> values;
	expect(counters && counters->try_read(values), "counters");
	perfctr::sampler_config config;
	fails(perfctr::sampler::try_open("page-faults:u", config), EINVAL, "period");
	config.period = 1;
	auto sampler = perfctr::sampler::try_open("page-faults:u", config);
	expect(sampler && sampler->try_next() && sampler->try_fd(), "a sampler");
	fails(perfctr::metrics::try_open("no-such-metric"), EINVAL, "no-such-metric");
	unsigned int n = 0;
	expect(perfctr::try_each_event("software", [&n](const auto &) { return ++n < 2; })
			       .has_value() &&
		       n == 2,
	       "names of events");
	expect(perfctr::regions::try_start("page-faults:u").has_value(), "regions");
	auto region = perfctr::region::try_find("a region");
	{
		perfctr::region_guard guard(*region);
	}
	expect(region->try_read() && region->try_read()->visits == 1, "a visit");
	expect(perfctr::regions::try_stop().has_value(), "their end");
	auto doctor = perfctr::try_doctor();
	expect(doctor && !doctor->empty(), "a diagnosis");
	fails(perfctr::thread_counters().try_stop(), EINVAL, "");
	return failures != 0;
}
