// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A class PerfEvent that is used as that of PerfEvent.hpp, for programs that have it: counts per
 * unit of work in a table, with the block's time, and instructions per cycle. Events that this
 * machine can't count are left out, and if there are too few counters, an asterisk marks estimates.
 */
#include <chrono>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>
#include <perfctr/perfctr.hpp>
#include <sstream>
#include <string>
#include <utility>

class PerfEvent
{
public:
	PerfEvent() : set_(events, perfctr::target(), how)
	{
	}

	void startCounters()
	{
		set_.read(before_);
		began_ = std::chrono::steady_clock::now();
	}
	void stopCounters()
	{
		elapsed_ = std::chrono::steady_clock::now() - began_;
		set_.read(after_);
	}
	void setParam(const std::string &name, const std::string &value)
	{
		parameters_ += name + "=" + value + " ";
	}

	double getDuration() const
	{
		return elapsed_.count();
	}
	/* The difference of a counter, scaled if it was multiplexed; NaN if it was not counted. */
	double getCounter(const std::string &name) const
	{
		for (std::size_t i = 0; i < set_.size(); i++)
			if (names[i] == name)
				return counted(i);
		return std::numeric_limits<double>::quiet_NaN();
	}
	double getIPC() const
	{
		return getCounter("instructions") / getCounter("cycles");
	}
	double getCPUs() const
	{
		return getCounter("task-clock") / (getDuration() * 1e9);
	}
	double getGHz() const
	{
		return getCounter("cycles") / getCounter("task-clock");
	}

	void printReport(std::ostream &out, std::size_t scale) const
	{
		std::ostringstream header, line;

		header << std::setprecision(2) << std::fixed;
		line << std::setprecision(2) << std::fixed;
		column(header, line, "time sec", getDuration());
		for (std::size_t i = 0; i < set_.size(); i++)
			if (after_[i].quality != perfctr::quality::not_counted)
				column(header, line, names[i] + (after_[i].exact() ? "" : "*"),
				       counted(i) / static_cast<double>(scale));
		column(header, line, "scale", static_cast<double>(scale));
		if (after_[0].quality != perfctr::quality::not_counted) {
			column(header, line, "IPC", getIPC());
			column(header, line, "GHz", getGHz());
		}
		column(header, line, "CPUs", getCPUs());
		out << parameters_ << '\n' << header.str() << '\n' << line.str() << '\n';
	}

private:
	static constexpr const char *events =
		"cycles:u,instructions:u,L1-dcache-load-misses:u,cache-misses:u,branch-misses:u,task-clock";
	static inline const std::array<std::string, 6> names = { "cycles",	  "instructions",
								 "L1-misses",	  "LLC-misses",
								 "branch-misses", "task-clock" };
	static constexpr auto how = perfctr::flags::partial | perfctr::flags::multiplex |
				    perfctr::flags::inherit;

	double counted(std::size_t i) const
	{
		return static_cast<double>(after_[i].estimate() - before_[i].estimate());
	}
	static void column(std::ostream &header, std::ostream &line, const std::string &name,
			   double value)
	{
		const int width = std::max(12, static_cast<int>(name.size()) + 1);

		header << std::setw(width) << name << ',';
		line << std::setw(width) << value << ',';
	}

	perfctr::set set_;
	perfctr::readings before_, after_;
	std::chrono::steady_clock::time_point began_;
	std::chrono::duration<double> elapsed_{};
	std::string parameters_;
};

/* Counts from here to the end of the block, and prints. */
class PerfEventBlock
{
public:
	explicit PerfEventBlock(std::size_t scale = 1) : scale_(scale)
	{
		e.startCounters();
	}
	~PerfEventBlock()
	{
		e.stopCounters();
		e.printReport(std::cout, scale_);
	}
	PerfEventBlock(const PerfEventBlock &) = delete;
	PerfEventBlock &operator=(const PerfEventBlock &) = delete;

	PerfEvent e;

private:
	std::size_t scale_;
};

int main()
try {
	constexpr std::size_t n = 1000000;
	std::map<std::size_t, std::size_t> squares;
	PerfEvent event;

	/* Programs for PerfEvent.hpp look like this. */
	event.startCounters();
	for (std::size_t i = 0; i < n / 10; i++)
		squares[i] = i * i;
	event.stopCounters();
	event.printReport(std::cout, n / 10);
	std::cout << "CPUs: " << event.getCPUs() << '\n';

	PerfEventBlock block(n);
	std::size_t sum = 0;
	block.e.setParam("name", "sum");
	for (std::size_t i = 0; i < n; i++)
		sum += squares.count(i);
	return sum != n / 10;
} catch (const perfctr::error &error) {
	std::cerr << error.what() << '\n';
	return 1;
}
