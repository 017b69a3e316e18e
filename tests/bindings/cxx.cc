// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes every call of bindings/cxx/perfctr.hpp, rightly and wrongly: the wrong ones must throw
 * their errno and sentence. Prints a PASS, FAIL or SKIP line for each part. Needs no counters of
 * the processor; where there are some, they count, too.
 */
#include <cmath>
#include <cstdio>
#include <fcntl.h>
#include <perfctr/perfctr.hpp>
#include <poll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#ifdef __cpp_lib_ranges
#include <algorithm>
#include <ranges>
static_assert(std::ranges::forward_range<const perfctr::readings>);
static_assert(std::ranges::input_range<perfctr::sampler::range>);
#endif
static_assert(std::is_nothrow_move_constructible_v<perfctr::set>);
static_assert(std::is_nothrow_move_constructible_v<perfctr::counters<2>>);
static_assert(std::is_nothrow_copy_constructible_v<perfctr::error>);
static_assert(!std::is_copy_constructible_v<perfctr::sampler>);
static_assert(!std::is_copy_constructible_v<perfctr::region_guard>);
static_assert(!std::is_move_constructible_v<perfctr::region_guard>);

static bool failed, part_failed;

static void expect(bool good, int line, const char *what)
{
	if (good)
		return;
	std::printf("| line %d: %s: errno %d, %s\n", line, what, errno, perfctr_error());
	part_failed = true;
}
#define EXPECT(condition) expect(condition, __LINE__, #condition)

/* The call throws the errno, and a sentence with the words, which the result has, too. */
template <typename F> static bool throws(int code, const char *words, F call)
{
	try {
		call();
		std::printf("| nothing was thrown where errno %d was to be\n", code);
	} catch (const perfctr::error &error) {
		if (error.code() == std::error_code(code, std::generic_category()) &&
		    std::strstr(error.what(), words))
			return true;
		std::printf("| thrown: %d, \"%s\"\n", error.code().value(), error.what());
	}
	return false;
}
#define THROWS(code, words, call) expect(throws(code, words, [&] { call; }), __LINE__, #call)

/* Touches as many new pages. */
static void fault(std::size_t pages)
{
	const auto size = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);

	if (memory == MAP_FAILED)
		throw std::bad_alloc();
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (std::size_t i = 0; i < size; i += size / pages)
		static_cast<volatile char *>(memory)[i] = 1;
	munmap(memory, size);
}

/* Runs call() in a child of fork(): 0 if it finds all well. */
template <typename F> static bool good_in_child(F call)
{
	int status;

	std::fflush(stdout);
	const pid_t child = fork();
	if (!child) {
		part_failed = false;
		call();
		std::fflush(stdout);
		_exit(part_failed);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static void errors()
{
	perfctr::failure why(ENOENT, "a sentence"), copy(why), moved(std::move(copy));
	const perfctr::result<int> number(3), none(why);
	perfctr::result<> nothing(why), fine;

	EXPECT(moved.code() == ENOENT && !std::strcmp(moved.what(), "a sentence"));
	copy = moved;
	EXPECT(!std::strcmp(copy.what(), "a sentence"));
	EXPECT(number && number.has_value() && *number == 3 && number.value() == 3);
	EXPECT(!none && none.error().code() == ENOENT);
	EXPECT(!nothing && nothing.error().code() == ENOENT && fine && fine.has_value());
	EXPECT(perfctr::result<std::string>(std::string("ab"))->size() == 2);
	THROWS(ENOENT, "a sentence", none.value());
	THROWS(ENOENT, "a sentence", nothing.value());
	THROWS(ENOENT, "a sentence", perfctr::result<int>(why).value());
	EXPECT(perfctr::name_of(perfctr::quality::scaled) == "scaled");
	EXPECT(perfctr::name_of(perfctr::quality::not_counted) == "not counted");
}

static void sets()
{
	perfctr::set set("page-faults:u, task-clock");
	perfctr::readings readings;

	EXPECT(set && set.get() && set.size() == 2 && set.parts() >= 1);
	EXPECT(set.name(0) == "page-faults:u" && set.name(1) == "task-clock" &&
	       set.name(2).empty());
	EXPECT(set.event(1).counts_time && set.event(1).unit == "msec");
	EXPECT(set.event(0).name == "page-faults:u" && set.event(0).reason.empty());
	set.read(readings);
	const std::uint64_t before = readings[0].value;
	fault(100);
	set.read(readings);
	EXPECT(readings[0].value - before >= 100 && readings[0].value - before < 120);
	EXPECT(readings.size() == 2 && !readings.empty() && readings[0].exact());
	EXPECT(readings.at("task-clock").value > 0 &&
	       readings.at("task-clock").name == "task-clock");
	EXPECT(readings[1].estimate() == readings[1].value && readings.data()[1].value);
	THROWS(EINVAL, "there is no event \"cycles\"", readings.at("cycles"));
	std::size_t n = 0;
	for (const perfctr::reading &reading : set.read())
		n += reading.quality == perfctr::quality::exact && !reading.name.empty();
	EXPECT(n == 2);
	auto at = readings.begin();
	EXPECT((*at++).name == "page-faults:u" && (*at).name == "task-clock" &&
	       ++at == readings.end());
#ifdef __cpp_lib_ranges
	EXPECT(std::ranges::count_if(readings, &perfctr::reading::exact) == 2);
#endif
	set.disable();
	set.reset();
	fault(10);
	EXPECT(set.read()[0].value == 0);
	set.enable();
	fault(10);
	EXPECT(set.read_part(0)[0].value >= 10);
	EXPECT(set.part(0).tid == 0 && set.part(0).processor == -1 && set.part(0).pmu.empty());
	EXPECT(set.id(0, 0) != 0 && set.id(0, 0) != set.id(0, 1));
	set.check();
	perfctr::enable_all();
	perfctr::disable_all();
	const auto stopped = set.read()[0].value;
	fault(10);
	EXPECT(set.read()[0].value == stopped);

	/* Readings outlive the set. */
	set.close();
	EXPECT(!set && readings[1].name == "task-clock");
}

static void blocks()
{
	const auto counted = perfctr::count("page-faults:u,task-clock", [] { fault(100); });

	EXPECT(counted[0].value >= 90 && counted[0].value < 200 && counted.size() == 2);
	EXPECT(counted.at("task-clock").quality == perfctr::quality::estimate);
	EXPECT(counted[0].enabled > 0 && counted[0].enabled == counted[0].running);
	THROWS(EINVAL, "did you mean page-faults", perfctr::count("page-fautls", [] {}));
	EXPECT(perfctr::try_count("page-fautls", [] {}).error().code() == EINVAL);
	EXPECT((*perfctr::try_count(
		       "page-faults:u,nonsense/event=1/", [] { fault(10); },
		       perfctr::flags::partial))[1]
		       .quality == perfctr::quality::not_counted);
	try {
		perfctr::count("page-faults:u", [] { throw 5; });
		EXPECT(false);
	} catch (int thrown) {
		EXPECT(thrown == 5);
	}
}

static void sets_wrong()
{
	perfctr::set set("page-faults:u"), other(std::move(set));

	EXPECT(other && other.read().size() == 1);
	THROWS(EINVAL, "page-faults", perfctr::set("page-fautls"));
	THROWS(EINVAL, "zero byte", perfctr::set(std::string_view("page-faults\0,cycles", 19)));
	THROWS(ESRCH, "", perfctr::set("page-faults:u", perfctr::target::thread(0x7ffffff)));
	THROWS(EINVAL, "",
	       perfctr::set("page-faults:u", perfctr::target::every_processor(),
			    perfctr::flags::inherit));
	THROWS(EINVAL, "", other.event(1));
	/* It is not taken for its lower half. */
	if (sizeof(std::size_t) > 4)
		THROWS(EINVAL, "", other.event(static_cast<std::size_t>(UINT64_C(1) << 32)));
	THROWS(EINVAL, "", other.part(1));
	THROWS(EINVAL, "", other.id(0, 1));
	THROWS(EINVAL, "", other.id(1, 0));
	THROWS(EINVAL, "", other.read_part(1));
	THROWS(ESRCH, "", other.read_thread(1));
	THROWS(EINVAL, "", other.reader(1));
	THROWS(EOPNOTSUPP, "", other.reader(0));
	EXPECT(good_in_child([&] {
		THROWS(ESRCH, "parent process", other.read());
		THROWS(ESRCH, "parent process", other.enable());
		THROWS(ESRCH, "parent process", other.part(0));
		EXPECT(other && !other.parts());
		EXPECT(perfctr::set("page-faults:u").read().size() == 1);
	}));
	/* A set may be read in another thread, whose faults don't count. */
	std::thread([&] {
		const auto before = other.read()[0].value;
		fault(100);
		EXPECT(other.read()[0].value - before < 50);
	}).join();
	other.close();
	for (perfctr::set *empty : { &set, &other }) {
		EXPECT(!*empty && !empty->size() && !empty->parts() && empty->name(0).empty());
		THROWS(EINVAL, "NULL", empty->read());
		THROWS(EINVAL, "NULL", empty->read_part(0));
		THROWS(EINVAL, "NULL", empty->read_thread(0));
		THROWS(EINVAL, "NULL", empty->enable());
		THROWS(EINVAL, "NULL", empty->disable());
		THROWS(EINVAL, "NULL", empty->reset());
		THROWS(EINVAL, "NULL", empty->check());
		THROWS(EINVAL, "NULL", empty->event(0));
		THROWS(EINVAL, "NULL", empty->part(0));
		THROWS(EINVAL, "NULL", empty->id(0, 0));
		THROWS(EINVAL, "NULL", empty->reader(0));
	}
}

static void targets()
{
	perfctr::set process("page-faults:u", perfctr::target::process(),
			     perfctr::flags::inherit | perfctr::flags::disabled);
	perfctr::set thread("page-faults:u", perfctr::target::thread(gettid()));

	process.enable();
	const auto before = process.read()[0].value;
	std::thread([] { fault(200); }).join();
	EXPECT(process.read()[0].value - before >= 200);
	EXPECT(process.read_thread(gettid()).size() == 1);
	EXPECT(thread.read()[0].value < 200);
	try {
		perfctr::set one("task-clock", perfctr::target::processor(0)),
			all("task-clock", perfctr::target::every_processor()),
			part("task-clock", perfctr::target::thread_on_processor(0, 0));

		EXPECT(one.parts() == 1 && one.part(0).processor == 0);
		EXPECT(all.parts() == static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_ONLN)));
		EXPECT(part.read()[0].value <= one.read()[0].value);
	} catch (const perfctr::error &error) {
		std::printf("SKIP processors: %s\n", error.what());
	}
	THROWS(ENODEV, "", perfctr::set("task-clock", perfctr::target::processor(8191)));
	EXPECT(!perfctr::set::try_open("task-clock", perfctr::target::cgroup("/no/such/cgroup")));
	const perfctr::target directory = perfctr::target::cgroup("a");
	const char *cgroup = directory.c_target().cgroup;
	EXPECT(cgroup && !std::strcmp(cgroup, "a"));
	EXPECT(!perfctr::target().c_target().cgroup);
	/* It is not taken for what comes before the zero byte. */
	const perfctr::target cut = perfctr::target::cgroup(std::string_view("/\0/none", 7));
	perfctr_cpu_control control{};
	control.nractrs = 1;
	THROWS(EINVAL, "zero byte", cut.c_target());
	THROWS(EINVAL, "zero byte", perfctr::set("task-clock", cut));
	THROWS(EINVAL, "zero byte", perfctr::set(control, cut));
	THROWS(EINVAL, "zero byte", perfctr::sampler("task-clock", perfctr::sampler_config(), cut));
}

static void inline_reads()
{
	perfctr::counters<2> counters("{page-faults:u,task-clock}"), moved(std::move(counters));
	perfctr::reader reader;
	std::uint64_t value;

	const auto before = moved.read();
	fault(100);
	const auto after = moved.read();
	EXPECT(after[0] - before[0] >= 100 && after[0] - before[0] < 120 && after[1] > before[1]);
	EXPECT(moved.name(1) == "task-clock" && moved.events().size() == 2 && moved);
	THROWS(EINVAL, "another number", perfctr::counters<3>("page-faults:u"));
	THROWS(EINVAL, "", perfctr::counters<1>("page-fautls"));
	THROWS(EINVAL, "NULL", counters.read());
	std::thread([&] {
		const auto here = moved.read();
		fault(100);
		EXPECT(moved.read()[0] - here[0] < 50);
	}).join();
	EXPECT(good_in_child([&] { THROWS(ESRCH, "parent process", moved.read()); }));
	counters = std::move(moved);
	THROWS(EINVAL, "NULL", moved.read());
	EXPECT(counters.read()[0] >= after[0]);
	counters.close();
	THROWS(EINVAL, "NULL", counters.read());
	EXPECT(!counters);

	EXPECT(!reader.read() && !reader.read(value) && !reader.pause(value) && !reader.resume(0));
	EXPECT(!reader.read_ordered(value));
	EXPECT(!reader.read_times(value, value, value));

	/* A reader keeps what it reads open. */
	auto opened = perfctr::set::try_open("{instructions:u,cycles:u}");
	if (!opened)
		return void(std::printf("| left out: a counter of the processor: %s\n",
					opened.error().what()));
	reader = opened->reader(0);
	opened->close();
	const auto first = reader.read(), second = reader.read();
	EXPECT(first.has_value() == second.has_value());
	/* Without optimization it is more than C's 17 instructions. */
	EXPECT(!first || (*second - *first >= 17 && *second - *first < 1000));
	EXPECT(!first || (reader.pause(value) && reader.resume(value)));
	perfctr::counters<2> both("{instructions:u,cycles:u}");
	const auto earlier = both.read(), later = both.read();
	EXPECT(earlier[0] < later[0] && earlier[1] < later[1]);
}

static void lists()
{
	perfctr::event_list list("{page-faults,task-clock:u},nonsense/event=1/",
				 perfctr::flags::partial);
	std::size_t n = 0;
	const char *pmu;

	EXPECT(list && list.size() == 3 && list.event(0).item == list.event(1).item);
	EXPECT(!list.event(2).reason.empty() && !list.event(2).variants);
	EXPECT(good_in_child([&] { EXPECT(list.size() == 3 && list.event(0).variants == 1); }));
	EXPECT(list.attr(0, 0).type == PERF_TYPE_SOFTWARE &&
	       list.attr(0, 0, &pmu).config == PERF_COUNT_SW_PAGE_FAULTS);
	THROWS(EINVAL, "", list.event(3));
	THROWS(EINVAL, "", list.attr(0, 1));
	THROWS(EINVAL, "did you mean page-faults", perfctr::event_list("page-fautls"));
	THROWS(EINVAL, "zero byte", perfctr::event_list(std::string_view("\0", 1)));
	list.close();
	EXPECT(!list && !list.get() && !list.size());
	THROWS(EINVAL, "NULL", list.event(0));
	THROWS(EINVAL, "NULL", list.attr(0, 0));

	perfctr::check_event("page-faults:u");
	THROWS(EINVAL, "", perfctr::check_event("page-fautls"));
	THROWS(EINVAL, "zero byte", perfctr::check_event(std::string_view("a\0", 2)));
	perfctr::each_event("software", [&](const perfctr::event_name &name) {
		n += name.kind == std::string_view("software");
	});
	EXPECT(n > 5);
	n = 0;
	perfctr::each_event("", [&](const perfctr::event_name &) { return ++n < 3; });
	EXPECT(n == 3);
	THROWS(EINVAL, "", perfctr::each_event("no-such-kind", [](const auto &) {}));
	THROWS(EINVAL, "zero byte",
	       perfctr::each_event(std::string_view("\0", 1), [](const auto &) {}));
	n = 0;
	perfctr::each_processor([&](const perfctr::event_name &) { n++; });
	EXPECT(n > 100);
	n = 0;
	perfctr::each_processor_event("skylake", [&](const perfctr::event_name &) { n++; });
	EXPECT(n > 50);
	THROWS(ENOENT, "", perfctr::each_processor_event("no-such", [](const auto &) {}));
	THROWS(EINVAL, "zero byte",
	       perfctr::each_processor_event(std::string_view("\0", 1), [](const auto &) {}));
	/* What a callable throws comes out. */
	try {
		perfctr::each_event("", [](const perfctr::event_name &) { throw 17; });
		EXPECT(false);
	} catch (int thrown) {
		EXPECT(thrown == 17);
	}
}

static void metrics()
{
	perfctr::metrics metrics("ipc", "skylake");
	perfctr::set other("page-faults:u");
	std::size_t n = 0;

	EXPECT(metrics && metrics.get() && metrics.size() == 1 && !metrics.events().empty());
	EXPECT(metrics.metric(0).name == std::string_view("ipc"));
	THROWS(EINVAL, "", metrics.metric(1));
	THROWS(EINVAL, "", perfctr::metrics("no-such-metric", "skylake"));
	THROWS(ENOENT, "", perfctr::metrics("ipc", "no-such"));
	THROWS(EINVAL, "zero byte", perfctr::metrics(std::string_view("\0", 1)));
	/* Readings of another list are refused, not read beyond their end. */
	THROWS(EINVAL, "another number", metrics.value(0, other.read()));
	THROWS(EINVAL, "another number", metrics.error(0, { other.read() }));
	perfctr::set counted("page-faults:u,task-clock");
	fault(10);
	const perfctr::metric_value value = metrics.value(0, counted.read());
	EXPECT(value.reason.empty() && value.quality == perfctr::quality::exact);
	EXPECT(value.value > 0 && value.value < 1 && value.beyond); /* its threshold is 1 */
	THROWS(EINVAL, "", metrics.value(1, counted.read()));
	const perfctr::readings before = counted.read();
	EXPECT(good_in_child(
		[&] { EXPECT(metrics.size() == 1 && metrics.value(0, before).reason.empty()); }));
	EXPECT(metrics.error(0, { counted.read(), counted.read() }) == 0); /* never multiplexed */
	THROWS(EINVAL, "", metrics.error(0, {}));
	metrics.close();
	EXPECT(!metrics && !metrics.size() && metrics.events().empty());
	THROWS(EINVAL, "NULL", metrics.metric(0));
	THROWS(EINVAL, "NULL", metrics.value(0, counted.read()));
	THROWS(EINVAL, "NULL", metrics.error(0, { counted.read() }));
	perfctr::each_metric("skylake", [&](const perfctr::metric &) { n++; });
	EXPECT(n > 10);
	THROWS(ENOENT, "", perfctr::each_metric("no-such", [](const auto &) {}));
	THROWS(EINVAL, "zero byte",
	       perfctr::each_metric(std::string_view("\0", 1), [](const auto &) {}));
}

static void samplers()
{
	perfctr::sampler_config config;
	std::size_t n = 0, mine = 0;

	config.period = 1;
	config.fields = PERF_SAMPLE_TID | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
	perfctr::sampler sampler("page-faults:u", config);
	fault(50);
	sampler.disable();
	pollfd waits{ sampler.fd(), POLLIN, 0 };
	EXPECT(poll(&waits, 1, 0) >= 0);
	for (const perfctr::record &record : sampler.records()) {
		n += record.type == PERF_RECORD_SAMPLE;
		mine += record.tid == static_cast<std::uint32_t>(gettid());
	}
	EXPECT(n >= 50 && mine == n && sampler.lost() == 0 && sampler.count() == n);
	THROWS(EINVAL, "no event 1", sampler.count(1));
	EXPECT(!sampler.next());
	sampler.enable();
	fault(5);
	n = 0;
	sampler.each([&](const perfctr::record &) { n++; });
	EXPECT(n >= 5);
	sampler.set_period(10);
	sampler.disable();
	sampler.refresh(1);
	sampler.check();
	THROWS(EINVAL, "", sampler.next_aux());
	THROWS(EINVAL, "", perfctr::sampler("page-faults:u", perfctr::sampler_config()));
	THROWS(EINVAL, "", perfctr::sampler("page-fautls", config));
	THROWS(EINVAL, "zero byte", perfctr::sampler(std::string_view("\0", 1), config));
	EXPECT(perfctr::sampler("page-faults:u", config, perfctr::target::process()).get());
	EXPECT(good_in_child([&] {
		THROWS(ESRCH, "parent process", sampler.next());
		THROWS(ESRCH, "parent process", sampler.fd());
	}));
	perfctr::sampler moved(std::move(sampler));
	EXPECT(moved && moved.fd() >= 0);
	moved.close();
	for (perfctr::sampler *empty : { &sampler, &moved }) {
		EXPECT(!*empty);
		THROWS(EINVAL, "NULL", empty->next());
		THROWS(EINVAL, "NULL", empty->next_aux());
		THROWS(EINVAL, "NULL", empty->each([](const perfctr::record &) {}));
		THROWS(EINVAL, "NULL", empty->fd());
		THROWS(EINVAL, "NULL", empty->enable());
		THROWS(EINVAL, "NULL", empty->disable());
		THROWS(EINVAL, "NULL", empty->refresh(1));
		THROWS(EINVAL, "NULL", empty->set_period(1));
		THROWS(EINVAL, "NULL", empty->lost());
		THROWS(EINVAL, "NULL", empty->count());
		THROWS(EINVAL, "NULL", empty->check());
		THROWS(EINVAL, "NULL", empty->records().begin());
	}
	perf_branch_entry branch{};
	EXPECT(perfctr::data_src_text(0) == "nothing" && perfctr::transaction_text(0) == "nothing");
	EXPECT(!perfctr::branch_text(branch).empty());
	EXPECT(!perfctr::ibs_op_text("", 0).empty() && !perfctr::ibs_fetch_text("", 0).empty());
}

PERFCTR_REGION(compiled, "compiled");

static void regions()
{
	const perfctr::region region("looked up"), fixed(compiled);

	THROWS(EINVAL, "", perfctr::region(""));
	THROWS(EINVAL, "zero byte", perfctr::region(std::string_view("a\0b", 3)));
	THROWS(EINVAL, "", perfctr::regions::stop());
	THROWS(EINVAL, "", region.read());
	THROWS(EINVAL, "", perfctr::regions::start("page-fautls"));
	THROWS(EINVAL, "zero byte", perfctr::regions::start(std::string_view("\0", 1)));
	THROWS(EINVAL, "",
	       perfctr::regions::start("page-faults:u", perfctr::regions::keep::none, "no-such"));
	perfctr::regions::start("page-faults:u",
				perfctr::regions::keep::moments | perfctr::regions::keep::threads);
	THROWS(EALREADY, "", perfctr::regions::start());
	perfctr::regions::open_thread();
	THROWS(ENOENT, "", fixed.read());
	try {
		perfctr::region_guard outer(compiled);
		perfctr::region_guard inner(region);
		fault(100);
		throw 1;
	} catch (int) {
	}
	region.begin();
	perfctr::regions::add_bytes(20);
	perfctr::regions::add_communication(30);
	region.end();
	std::thread([&] { perfctr::region_guard guard(region); }).join();
	EXPECT(fixed.read().visits == 1 && fixed.read().nvalues == 2);
	EXPECT(region.read().visits == 2 && region.read_all().visits == 3);
	EXPECT(region.read().communication_inclusive == 30 &&
	       fixed.read().communication_exclusive == 0);
	EXPECT(region.read().bytes_inclusive == 20 && fixed.read().bytes_exclusive == 0);
	EXPECT(region.read().value[1].inclusive >= 95 && region.read().value[1].inclusive < 130);
	EXPECT(!std::strcmp(region.get()->name, "looked up"));
	perfctr::regions::report("regions.json", perfctr::regions::format::json);
	EXPECT(access("regions.json", R_OK) == 0);
	THROWS(ENOENT, "", perfctr::regions::report("/no/such/directory/file"));
	THROWS(EINVAL, "zero byte", perfctr::regions::report(std::string_view("a\0", 2)));
	THROWS(EINVAL, "", perfctr::regions::recover("regions.json", "again"));
	THROWS(EINVAL, "zero byte", perfctr::regions::recover(std::string_view("a\0", 2)));
	region.reset();
	EXPECT(region.read().visits == 0);
	EXPECT(good_in_child([&] {
		perfctr::region_guard guard(region); /* a child is not measured */
		THROWS(EINVAL, "", perfctr::regions::stop());
	}));
	perfctr::regions::stop();
}

static void virtual_counters()
{
	perfctr::thread_counters counters(perfctr::thread_counters::create), moved;
	perfctr::control control;

	THROWS(EEXIST, "", perfctr::thread_counters second(perfctr::thread_counters::create));
	THROWS(EINVAL, "", perfctr::thread_counters(0x1000));
	control.cpu_control.tsc_on = 1;
	control.check();
	counters.control(control);
	EXPECT(counters.is_running() && counters.read_tsc() > 0 && counters.read().tsc > 0);
	EXPECT(counters.read_control().cpu_control.tsc_on == 1);
	EXPECT(counters.info().abi_version != 0 && !counters.overflowed(nullptr));
	const struct perfctr_info info = counters.info();
	const int wrong = perfctr_info_nrctrs(&info) ? EINVAL : EOPNOTSUPP;
	THROWS(EINVAL, "", counters.read(10000));
	THROWS(EINVAL, "", counters.read_quality(10000));
	THROWS(EINVAL, "", counters.reader(0));
	THROWS(EINVAL, "", counters.iresume());
	counters.pause();
	THROWS(EINVAL, "", counters.pause());
	counters.resume();
	control.cpu_control.nractrs = 1000;
	THROWS(wrong, "", control.check());
	THROWS(wrong, "", counters.control(control));
	std::thread([&] {
		perfctr::control other;
		THROWS(ESRCH, "", counters.control(other));
		THROWS(ESRCH, "", counters.stop());
		THROWS(ESRCH, "", counters.pause());
	}).join();
	EXPECT(good_in_child([&] {
		THROWS(ESRCH, "", counters.read());
		THROWS(ESRCH, "", counters.read_tsc());
		THROWS(ESRCH, "", counters.stop());
	}));

	perfctr::total total = perfctr::total::create();
	total.add(counters);
	THROWS(EEXIST, "", total.add(counters));
	EXPECT(total && total.read().threads == 1 && total.read().counts.tsc > 0);
	EXPECT(good_in_child([&] { THROWS(ESRCH, "", total.read()); }));
	counters.stop();
	EXPECT(!counters.is_running());
	moved = std::move(counters);
	moved.unlink();
	EXPECT(moved && moved.read().tsc > 0);
	THROWS(ESRCH, "", moved.stop());
	moved.close();
	for (perfctr::thread_counters *empty : { &counters, &moved }) {
		perfctr::control other;
		EXPECT(!*empty && !empty->is_running() && !empty->overflowed(nullptr));
		THROWS(EINVAL, "moved from", empty->read_tsc());
		THROWS(EINVAL, "moved from", empty->read(0));
		THROWS(EINVAL, "moved from", empty->read());
		THROWS(EINVAL, "", empty->read_control());
		THROWS(EINVAL, "", empty->read_quality(0));
		THROWS(EINVAL, "", empty->reader(0));
		THROWS(EINVAL, "", empty->info());
		THROWS(EINVAL, "", empty->control(other));
		THROWS(EINVAL, "", empty->stop());
		THROWS(EINVAL, "", empty->pause());
		THROWS(EINVAL, "", empty->resume());
		THROWS(EINVAL, "", empty->iresume());
		THROWS(EINVAL, "", empty->unlink());
		THROWS(EINVAL, "", total.add(*empty));
	}
	EXPECT(total.read().threads == 1);
	total.close();
	EXPECT(!total);
	THROWS(EINVAL, "", total.read());
	/* ENOENT: the processor has no table. */
	const auto unknown = [] { perfctr::control::of("no such event"); };
	EXPECT(throws(EINVAL, "", unknown) || throws(ENOENT, "", unknown));
	THROWS(EINVAL, "zero byte", perfctr::control::of(std::string_view("\0", 1)));
	THROWS(EINVAL, "", perfctr::set(perfctr::control().cpu_control));
}

static void remote_counters()
{
	const pid_t child = fork();
	int status;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
		raise(SIGSTOP);
		_exit(0);
	}
	EXPECT(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	THROWS(EINVAL, "", perfctr::remote_counters(-1));
	THROWS(ESRCH, "", perfctr::remote_counters(0x7ffffff));
	{
		perfctr::remote_counters remote(child), moved(std::move(remote));
		perfctr::control control;

		control.cpu_control.tsc_on = 1;
		EXPECT(moved && moved.get() && moved.tid() == child &&
		       moved.info().abi_version != 0);
		moved.control(control);
		EXPECT(moved.read().tsc == 0 && moved.read_control().cpu_control.tsc_on == 1);
		THROWS(EINVAL, "", moved.iresume());
		moved.stop();
		moved.unlink();
		THROWS(ESRCH, "", moved.stop());
		moved.close();
		for (perfctr::remote_counters *empty : { &remote, &moved }) {
			EXPECT(!*empty);
			THROWS(EINVAL, "", empty->tid());
			THROWS(EINVAL, "", empty->info());
			THROWS(EINVAL, "", empty->read());
			THROWS(EINVAL, "", empty->read_control());
			THROWS(EINVAL, "", empty->control(control));
			THROWS(EINVAL, "", empty->stop());
			THROWS(EINVAL, "", empty->iresume());
			THROWS(EINVAL, "", empty->unlink());
		}
	}
	kill(child, SIGKILL);
	EXPECT(waitpid(child, &status, 0) == child);
}

static void global_counters()
{
	perfctr::global_counters global = perfctr::global_counters::open();
	gperfctr_cpu_control control{};

	EXPECT(global && global.get() && global.info().abi_version != 0);
	control.cpu_control.tsc_on = 1;
	try {
		EXPECT(global.control(control) == 1 && global.start() == 1);
		EXPECT(global.read(0).sum.tsc > 0 && global.read(0).cpu_control.tsc_on == 1);
		THROWS(EBUSY, "", global.start());
		global.stop();
	} catch (const perfctr::error &error) {
		std::printf("SKIP counters of processors: %s\n", error.what());
	}
	control.cpu = 8191;
	THROWS(EINVAL, "", global.control(control));
	THROWS(EINVAL, "", global.read(8191));
	EXPECT(good_in_child([&] { THROWS(ESRCH, "", global.read(0)); }));
	perfctr::global_counters moved(std::move(global));
	EXPECT(moved.info().abi_version != 0);
	moved.close();
	for (perfctr::global_counters *empty : { &global, &moved }) {
		EXPECT(!*empty);
		THROWS(EINVAL, "", empty->control(control));
		THROWS(EINVAL, "", empty->start());
		THROWS(EINVAL, "", empty->stop());
		THROWS(EINVAL, "", empty->read(0));
		THROWS(EINVAL, "", empty->info());
	}
}

static void machine()
{
	const auto findings = perfctr::doctor();

	EXPECT(findings.size() > 2 && !findings[0].name.empty());
	EXPECT(!perfctr::native_processor().name.empty());
	EXPECT(perfctr::info().abi_version != 0);
	EXPECT(perfctr::provider() == "perf" || perfctr::provider() == "driver");
	setenv("PERFCTR_PROVIDER", "nonsense", 1);
	THROWS(EINVAL, "PERFCTR_PROVIDER", perfctr::provider());
	THROWS(EINVAL, "PERFCTR_PROVIDER", perfctr::info());
	unsetenv("PERFCTR_PROVIDER");
}

static void run(const char *name, void (*part)())
{
	part_failed = false;
	try {
		part();
	} catch (const std::exception &error) {
		std::printf("| thrown: %s\n", error.what());
		part_failed = true;
	}
	std::printf("%s %s\n", part_failed ? "FAIL" : "PASS", name);
	std::fflush(stdout);
	failed |= part_failed;
}

int main()
{
	run("errors and results", errors);
	run("sets", sets);
	run("sets, used wrongly", sets_wrong);
	run("counts of a callable", blocks);
	run("threads, processes and processors", targets);
	run("inline reads", inline_reads);
	run("lists of events", lists);
	run("metrics", metrics);
	run("samplers", samplers);
	run("regions", regions);
	run("virtual counters", virtual_counters);
	run("another thread's counters", remote_counters);
	run("counters of processors", global_counters);
	run("the machine", machine);
	return failed;
}
