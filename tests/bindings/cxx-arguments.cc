// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What goes from perfctr.hpp into the library and back, over recorder.c: each argument arrives in
 * its place with a value of its own, each member comes back under its name, each failure is told.
 */
#include <cerrno>
#include <cstdio>
#include <functional>
#include <string>
#include <perfctr/perfctr.hpp>

extern "C" {
const char *recorded(void);
void recorder_fails(int now);
}

namespace p = perfctr;
using std::string;

static int failed;

static void expect(bool good, const string &what)
{
	if (!good) {
		std::printf("FAIL %s\n", what.c_str());
		failed = 1;
	}
}

/* Errno of a result. */
template <typename T> static int code(const p::result<T> &result)
{
	return result ? 0 : string(result.error().what()) == "made up" ? result.error().code() : -1;
}

/* These calls are made, and a failure of the first of them is the result's. */
static void calls(const string &expected, const std::function<int()> &call)
{
	recorded();
	int status = call();
	const string found = recorded();
	expect(status == 0 && found == expected,
	       expected + ": " + found + ", " + std::to_string(status));
	recorder_fails(1);
	status = call();
	recorder_fails(0);
	expect(status == EXDEV, expected + " fails with " + std::to_string(status));
	recorded();
}

/* These calls can't fail. */
static void makes(const string &expected, const std::function<void()> &call)
{
	recorded();
	call();
	const string found = recorded();
	expect(found == expected, expected + ": " + found);
}

/* Both of the events that are counted. */
static bool are_read(const p::readings &found)
{
	const p::reading first = found[0], second = found.at("second");

	return found.size() == 2 && first.name == "first" && first.value == 1 &&
	       first.enabled == 2 && first.running == 3 && first.quality == p::quality::scaled &&
	       !first.exact() && first.estimate() == 1234 && second.name == "second" &&
	       second.value == 101 && second.enabled == 102 && second.running == 103;
}

static bool is_sum(const p::result<perfctr_sum_ctrs> &sum)
{
	return sum && sum->tsc == 71 && sum->pmc[0] == 72;
}

static void test_open()
{
	const struct {
		p::target whom;
		const char *c;
	} targets[] = {
		{ p::target(), "0:0:0:-" },
		{ p::target::thread(5), "0:5:0:-" },
		{ p::target::process(5), "1:5:0:-" },
		{ p::target::processor(5), "2:5:0:-" },
		{ p::target::every_processor(), "2:-1:0:-" },
		{ p::target::cgroup("a/b"), "3:0:0:a/b" },
		{ p::target::thread_on_processor(5, 6), "4:5:6:-" },
	};
	const p::flags flags = p::flags::inherit | p::flags::watch;
	perfctr_cpu_control control{};
	p::sampler_config config;

	control.tsc_on = 8;
	config.period = 9;
	config.flags = PERFCTR_INHERIT;
	/* No lambda of C++17 captures a structured binding. */
	for (const auto &one : targets) {
		const auto &whom = one.whom;
		const auto &c = one.c;

		calls("set_open a,b " + string(c) + " 4100; set_close 100",
		      [&] { return code(p::set::try_open("a,b", whom, flags)); });
		calls("set_open_control 8 " + string(c) + " 4100; set_close 100",
		      [&] { return code(p::set::try_open(control, whom, flags)); });
		calls("sampler_open a " + string(c) + " 9 100; sampler_close 400",
		      [&] { return code(p::sampler::try_open("a", config, whom)); });
	}
	makes("set_open a 0:0:0:- 0; set_close 100", [] { p::set("a"); });
	makes("set_open a 0:0:0:- 800; set_reader 100 0; set_reader 100 1; set_close 100",
	      [] { p::counters<2>("a", p::flags::exclusive); });
	calls("list_resolve a,b 1000; list_free 200",
	      [] { return code(p::event_list::try_resolve("a,b", p::flags::partial)); });
	calls("metrics_open a p; metrics_close 300",
	      [] { return code(p::metrics::try_open("a", "p")); });
	calls("metrics_open a -; metrics_close 300",
	      [] { return code(p::metrics::try_open("a")); });
	calls("region_by_name r", [] { return code(p::region::try_find("r")); });
	calls("vperfctr_open_mode 6; vperfctr_close 500",
	      [] { return code(p::thread_counters::try_open(6)); });
	calls("rvperfctr_open 7; rvperfctr_close 600",
	      [] { return code(p::remote_counters::try_open(7)); });
	calls("gperfctr_open; gperfctr_close 700",
	      [] { return code(p::global_counters::try_open()); });
	calls("total_create; total_destroy 800", [] { return code(p::total::try_create()); });
}

/* Each constant is its name's. */
static void test_constants()
{
	using f = p::flags;
	using k = p::regions::keep;
	const std::pair<f, unsigned int> flags[] = {
		{ f::multiplex, PERFCTR_MULTIPLEX }, { f::inherit, PERFCTR_INHERIT },
		{ f::on_exec, PERFCTR_ON_EXEC },     { f::disabled, PERFCTR_DISABLED },
		{ f::exclusive, PERFCTR_EXCLUSIVE }, { f::partial, PERFCTR_PARTIAL },
		{ f::watch, PERFCTR_WATCH },	     { f::user_fallback, PERFCTR_USER_FALLBACK },
	};
	const std::pair<k, unsigned int> keeps[] = {
		{ k::moments, PERFCTR_REGIONS_MOMENTS },
		{ k::histogram, PERFCTR_REGIONS_HISTOGRAM },
		{ k::threads, PERFCTR_REGIONS_THREADS },
		{ k::user_fallback, PERFCTR_REGIONS_USER_FALLBACK },
	};
	using t = p::thread_counters;

	for (const auto &[flag, c] : flags)
		expect(static_cast<unsigned int>(flag) == c, "flag " + std::to_string(c));
	for (const auto &[keep, c] : keeps)
		expect(static_cast<unsigned int>(keep) == c, "keep " + std::to_string(c));
	expect(t::create == VPERFCTR_OPEN_CREAT_EXCL && t::driver == VPERFCTR_OPEN_DRIVER &&
		       t::perf == VPERFCTR_OPEN_PERF && t::brief == VPERFCTR_OPEN_BRIEF &&
		       t::multiplex == PERFCTR_MULTIPLEX,
	       "modes");
	for (unsigned int i = PERFCTR_EXACT; i <= PERFCTR_STALE; i++)
		expect(p::name_of(static_cast<p::quality>(i)) == perfctr_quality_name(i),
		       "quality");
	expect(static_cast<int>(p::quality::unwatched) == PERFCTR_UNWATCHED &&
		       static_cast<int>(p::quality::unverified) == PERFCTR_UNVERIFIED &&
		       static_cast<int>(p::quality::estimate) == PERFCTR_ESTIMATE &&
		       static_cast<int>(p::quality::not_counted) == PERFCTR_NOT_COUNTED,
	       "qualities");
}

static void test_set()
{
	p::set s("a");

	calls("set_enable 100", [&] { return code(s.try_enable()); });
	calls("set_disable 100", [&] { return code(s.try_disable()); });
	calls("set_reset 100", [&] { return code(s.try_reset()); });
	calls("set_check 100", [&] { return code(s.try_check()); });
	calls("set_read 100", [&] { return code(s.try_read()); });
	calls("set_read_part 100 3", [&] { return code(s.try_read_part(3)); });
	calls("set_read_thread 100 4", [&] { return code(s.try_read_thread(4)); });
	calls("set_part 100 5", [&] { return code(s.try_part(5)); });
	calls("set_id 100 6 7", [&] { return code(s.try_id(6, 7)); });
	calls("set_event 100 3", [&] { return code(s.try_event(3)); });
	calls("set_reader 100 2", [&] { return code(s.try_reader(2)); });
	expect(are_read(s.read()) && are_read(s.read_part(0)) && are_read(s.read_thread(0)),
	       "readings");
	expect(s.size() == 2 && s.name(1) == "second" && s.parts() == 20, "sizes");
	const p::part part = s.part(0);
	expect(part.tid == 11 && part.processor == 12 && part.pmu == "a PMU", "part");
	expect(s.id(0, 0) == 77, "id");

	/* A read that fails changes nothing. */
	p::readings kept = s.read();
	recorder_fails(1);
	expect(code(s.try_read(kept)) == EXDEV && are_read(kept), "a failing read");
	recorder_fails(0);
	recorded();
	s.close();
}

/* Of the flags each is one member's. */
static void test_events()
{
	p::set s("a");
	p::event_list list("a");
	const p::event found = s.event(3);

	expect(found.name == "a name" && found.unit == "a unit" && found.reason == "a reason" &&
		       found.scale == 1.5 && found.item == 3 && found.variants == 4,
	       "event");
	expect(s.event(7).reason.empty(), "reason");
	for (unsigned int i = 0; i < 16; i++) {
		const unsigned int flag = 1u << i;

		for (const p::event &e : { s.event(i), list.event(i) })
			expect(e.counts_time == (flag == PERFCTR_EVENT_TIME) &&
				       e.counts_tsc == (flag == PERFCTR_EVENT_TSC) &&
				       e.kernel_only == (flag == PERFCTR_EVENT_KERNEL) &&
				       e.unverified == (flag == PERFCTR_EVENT_UNVERIFIED) &&
				       e.asks_for_samples == (flag == PERFCTR_EVENT_SAMPLES) &&
				       e.asks_for_cores == (flag == PERFCTR_EVENT_PERCORE),
			       "flag " + std::to_string(i));
	}
	const char *pmu;
	std::uint32_t cpus;
	calls("list_event 200 4", [&] { return code(list.try_event(4)); });
	calls("list_attr 200 4 5 1", [&] { return code(list.try_attr(4, 5, &pmu, &cpus, 1)); });
	expect(list.size() == 3 && list.attr(0, 0).config == 81 && pmu == string("a PMU") &&
		       cpus == 82,
	       "attr");
	calls("event_check a", [] { return code(p::try_check_event("a")); });
	recorded();
}

/* A list hands out two things, or one if the callable has enough. */
static void test_lists()
{
	unsigned int n = 0;
	auto count = [&n](const p::event_name &e) {
		n += e.name == string("a name") && e.kind == string("a kind");
	};
	auto first = [&n](const p::event_name &) { return ++n, false; };

	calls("event_list k", [&] { return code(p::try_each_event("k", count)); });
	calls("event_list -", [&] { return code(p::try_each_event("", count)); });
	calls("cpu_event_list p", [&] { return code(p::try_each_processor_event("p", count)); });
	calls("cpu_event_list -", [&] { return code(p::try_each_processor_event("", count)); });
	calls("cpu_list", [&] { return code(p::try_each_processor(count)); });
	calls("metrics_list p",
	      [&] { return code(p::try_each_metric("p", [&n](const p::metric &) { n++; })); });
	calls("metrics_list -",
	      [&] { return code(p::try_each_metric("", [&n](const p::metric &) { n++; })); });
	expect(n == 14, "all of lists");
	p::each_event("k", first);
	p::each_processor(first);
	expect(n == 16, "a list that ends");
	calls("doctor", [] { return code(p::try_doctor()); });
	const auto found = p::doctor();
	expect(found.size() == 2 && found[0].name == "a name" && found[0].state == "a state" &&
		       found[0].remedy == "a remedy" && found[0].ok && !found[1].ok,
	       "findings");
	calls("cpu_native", [] { return code(p::try_native_processor()); });
	expect(p::native_processor().id == "an id" && p::native_processor().name == "a name",
	       "processor");
	calls("provider_name", [] { return code(p::try_provider()); });
	calls("enable_all", [] { return code(p::try_enable_all()); });
	calls("disable_all", [] { return code(p::try_disable_all()); });
	recorded();
}

static void test_metrics()
{
	p::metrics m("a");
	p::set s("a");
	const p::readings counts = s.read();

	calls("metrics_metric 300 3", [&] { return code(m.try_metric(3)); });
	/* 101, 102, 103, scaled: the second reading. */
	calls("metrics_value 300 3 112234", [&] { return code(m.try_value(3, counts)); });
	calls("metrics_error 300 3 112234 3", [&] {
		return code(m.try_error(3, { counts, counts, counts }));
	});
	const p::metric_value good = m.value(0, counts), bad = m.value(7, counts);

	expect(m.value(6, counts).beyond && !bad.beyond, "beyond");
	expect(good.value == 2.5 && good.reason.empty() && good.quality == p::quality::stale &&
		       !good.beyond,
	       "a value");
	expect(bad.reason == "a reason", "no value");
	expect(m.error(0, { counts }) == 3.5 && m.size() == 9 && m.events() == "first,second",
	       "metrics");
	recorded();
}

static void test_sampler()
{
	p::sampler s("a", p::sampler_config());
	unsigned int n = 0;

	calls("sampler_enable 400", [&] { return code(s.try_enable()); });
	calls("sampler_disable 400", [&] { return code(s.try_disable()); });
	calls("sampler_check 400", [&] { return code(s.try_check()); });
	calls("sampler_fd 400", [&] { return code(s.try_fd()); });
	calls("sampler_refresh 400 5", [&] { return code(s.try_refresh(5)); });
	calls("sampler_set_period 400 6", [&] { return code(s.try_set_period(6)); });
	calls("sampler_lost 400", [&] { return code(s.try_lost()); });
	calls("sampler_count 400 7", [&] { return code(s.try_count(7)); });
	calls("sampler_next_aux 400", [&] { return code(s.try_next_aux()); });
	expect(s.fd() == 23 && s.lost() == 21 && s.count() == 22 && s.next_aux()->size == 25,
	       "sampler");
	for (const auto &r : s.records())
		n += r.type == PERF_RECORD_SAMPLE ? 1 : 10;
	expect(n == 11, "records");
	recorded();
	calls("sampler_next 400", [&] { return code(s.try_next()); });
	makes("sampler_each 400", [&] { s.each([&n](const p::record &r) { n += r.size; }); });
	expect(n == 14, "each record");
}

static void test_texts()
{
	const char raw[] = { 3 };
	perf_branch_entry branch{};
	const auto twice = [](const string &call, const string &text) {
		const string found = recorded();

		expect(found == call + "; " + call && text == "a text", found + text);
	};

	branch.from = 6;
	recorded();
	twice("data_src_text 4", p::data_src_text(4));
	twice("transaction_text 5", p::transaction_text(5));
	twice("branch_text 6", p::branch_text(branch));
	twice("ibs_op_text 3 7", p::ibs_op_text(raw, 7));
	twice("ibs_fetch_text 3 8", p::ibs_fetch_text(raw, 8));
}

static void test_regions()
{
	namespace r = p::regions;
	const p::region found("r");

	calls("region_read 9", [&] { return code(found.try_read()); });
	calls("region_read_all 9", [&] { return code(found.try_read_all()); });
	calls("region_reset 9", [&] { return code(found.try_reset()); });
	expect(found.read().visits == 31 && found.read_all().value[1].error == 53, "a region");
	recorded();
	calls("regions_start_metrics a m 5",
	      [] { return code(r::try_start("a", r::keep::moments | r::keep::threads, "m")); });
	calls("regions_start_metrics   0", [] { return code(r::try_start()); });
	calls("regions_stop", [] { return code(r::try_stop()); });
	calls("regions_thread", [] { return code(r::try_open_thread()); });
	calls("regions_report f 2", [] { return code(r::try_report("f", r::format::json)); });
	calls("regions_report - 0", [] { return code(r::try_report()); });
	calls("regions_recover l f 1",
	      [] { return code(r::try_recover("l", "f", r::format::csv)); });
	calls("regions_recover l - 0", [] { return code(r::try_recover("l")); });
	makes("regions_start_metrics a m 2", [] { r::start("a", r::keep::histogram, "m"); });
	makes("regions_report f 1", [] { r::report("f", r::format::csv); });
	makes("regions_recover l f 2", [] { r::recover("l", "f", r::format::json); });
	makes("region_add_bytes 8", [] { r::add_bytes(8); });
	makes("region_add_communication 9", [] { r::add_communication(9); });
}

static void test_controls()
{
	p::thread_counters v(1);
	p::control control;
	siginfo_t info;

	control.flags = 8;
	calls("vperfctr_control 500 8", [&] { return code(v.try_control(control)); });
	calls("vperfctr_stop 500", [&] { return code(v.try_stop()); });
	calls("vperfctr_pause 500", [&] { return code(v.try_pause()); });
	calls("vperfctr_resume 500", [&] { return code(v.try_resume()); });
	calls("vperfctr_iresume 500", [&] { return code(v.try_iresume()); });
	calls("vperfctr_unlink 500", [&] { return code(v.try_unlink()); });
	calls("vperfctr_read_tsc 500", [&] { return code(v.try_read_tsc()); });
	calls("vperfctr_read_pmc 500 3", [&] { return code(v.try_read(3)); });
	calls("vperfctr_read_ctrs 500", [&] { return code(v.try_read()); });
	calls("vperfctr_read_state 500", [&] { return code(v.try_read_control()); });
	calls("vperfctr_read_quality 500 3", [&] { return code(v.try_read_quality(3)); });
	calls("vperfctr_reader 500 3", [&] { return code(v.try_reader(3)); });
	calls("vperfctr_info 500", [&] { return code(v.try_info()); });
	makes("vperfctr_is_running 500", [&] { expect(v.is_running(), "it runs"); });
	makes("vperfctr_ovf_mask 500 1", [&] { expect(v.overflowed(&info) == 54, "overflows"); });
	expect(v.read_tsc() == 51 && v.read(0) == 52 && is_sum(v.try_read()) &&
		       v.read_control().flags == 53 && v.read_quality(0).running == 3 &&
		       v.info().cpu_type == 55,
	       "virtual counters");

	p::remote_counters r(1);
	calls("rvperfctr_control 600 8", [&] { return code(r.try_control(control)); });
	calls("rvperfctr_read_ctrs 600", [&] { return code(r.try_read()); });
	calls("rvperfctr_read_state 600", [&] { return code(r.try_read_control()); });
	calls("rvperfctr_stop 600", [&] { return code(r.try_stop()); });
	calls("rvperfctr_iresume 600", [&] { return code(r.try_iresume()); });
	calls("rvperfctr_unlink 600", [&] { return code(r.try_unlink()); });
	calls("rvperfctr_pid 600", [&] { return code(r.try_tid()); });
	calls("rvperfctr_info 600", [&] { return code(r.try_info()); });
	expect(is_sum(r.try_read()) && r.read_control().flags == 61 && r.tid() == 62,
	       "remote counters");

	p::global_counters g = p::global_counters::open();
	gperfctr_cpu_control whole{};
	whole.cpu = 9;
	calls("gperfctr_control 700 9", [&] { return code(g.try_control(whole)); });
	calls("gperfctr_start 700 0", [&] { return code(g.try_start()); });
	calls("gperfctr_stop 700", [&] { return code(g.try_stop()); });
	calls("gperfctr_read 700 9", [&] { return code(g.try_read(9)); });
	calls("gperfctr_info 700", [&] { return code(g.try_info()); });
	expect(g.control(whole) == 63 && g.start() == 64 && g.read(0).sum.tsc == 71,
	       "global counters");

	p::total t = p::total::create();
	calls("total_add 800 500", [&] { return code(t.try_add(v)); });
	calls("total_read 800", [&] { return code(t.try_read()); });
	expect(t.read().threads == 65 && t.read().counts.tsc == 71, "a total");
}

/* A block, and three empty ones before; what fails first is told, and the set is closed. */
static void test_count()
{
	const string visit = "; set_read 100; set_enable 100; set_disable 100; set_read 100";

	calls("set_open a 0:0:0:- 2400" + visit + visit + visit + visit + "; set_close 100", [] {
		return code(p::try_count(
			"a", [] {}, p::flags::user_fallback));
	});
	for (const char *step : { "enable", "disable" }) {
		p::set s("a");
		const string name(step);

		recorder_fails(1);
		expect(code(name == "enable" ? s.try_enable() : s.try_disable()) == EXDEV, name);
		recorder_fails(0);
	}
	const auto late = p::try_count("a", [] { recorder_fails(-1); });
	recorder_fails(0);
	expect(code(late) == EXDEV, "an error at a block's end");
	recorded();
}

int main()
{
	test_open();
	test_constants();
	test_set();
	test_events();
	test_lists();
	test_metrics();
	test_sampler();
	test_texts();
	test_regions();
	test_controls();
	test_count();
	std::puts(failed ? "" : "PASS arguments, results and failures at the border");
	return failed;
}
