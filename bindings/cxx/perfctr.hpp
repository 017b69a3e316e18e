// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perfctr/perfctr.hpp - libperfctr in C++17, header only. perfctr_cxx(7) is the page; contracts
 * stand in libperfctr.h, perfctr/read.h and perfctr/regions.h.
 *
 * Each call that can fail has two forms. read() throws perfctr::error, with errno and the sentence
 * of perfctr_error(); try_read() returns a perfctr::result, which has a value or a failure, and
 * throws nothing. With -fno-exceptions only the second form is there.
 *
 * Objects own what they open, and move. One that was closed or moved from is empty: its calls fail
 * with EINVAL, and those that can't fail, such as size() and parts(), are 0 or empty. In a child of
 * fork() the parent's fail with ESRCH; lists and metrics, which hold no counters, work on. What an
 * object returned, such as a reader or a name, stays valid after it is closed, unless its comment
 * says otherwise.
 */
#ifndef PERFCTR_HPP
#define PERFCTR_HPP

#if __cplusplus < 201703L
#error "perfctr/perfctr.hpp needs C++17: compile with -std=c++17, or include libperfctr.h"
#endif

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <pthread.h>

#include <libperfctr.h>
#include <perfctr/read.h>
#include <perfctr/regions.h>

#ifdef __cpp_exceptions
#define PERFCTR_THROWS 1
#else
#define PERFCTR_THROWS 0
#endif

/*
 * The form of a call that throws, beside try_name(), whose result it takes apart: same arguments,
 * the value, or the failure as an exception. A constant that is an argument is one no longer when
 * it has been passed on, so that compilers would warn of its sign, there; what is too large or
 * negative is refused when it is used.
 */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#if PERFCTR_THROWS
#define PERFCTR_THROWING_AS(name, qualifier)                              \
	template <typename... A> auto name(A &&...arguments) qualifier    \
	{                                                                 \
		return try_##name(std::forward<A>(arguments)...).value(); \
	}                                                                 \
	static_assert(true)
#else
#define PERFCTR_THROWING_AS(name, qualifier) static_assert(true)
#endif
#define PERFCTR_THROWING(name)	     PERFCTR_THROWING_AS(name, )
#define PERFCTR_THROWING_CONST(name) PERFCTR_THROWING_AS(name, const)

namespace perfctr
{

/* ---- errors ---- */

/* Why a call failed: errno, and one sentence with the cause and the remedy. */
class failure
{
public:
	failure(int code, const char *sentence) noexcept : code_(code), sentence_(copy(sentence))
	{
	}
	/* This thread's last failure in the library. */
	static failure last() noexcept
	{
		const int code = errno;
		return failure(code, perfctr_error());
	}
	failure(const failure &other) noexcept : failure(other.code_, other.what())
	{
	}
	failure(failure &&other) noexcept = default;
	failure &operator=(failure other) noexcept
	{
		code_ = other.code_;
		sentence_.swap(other.sentence_);
		return *this;
	}

	int code() const noexcept
	{
		return code_;
	}
	const char *what() const noexcept
	{
		return sentence_ ? sentence_.get() : "there is no memory for the sentence";
	}

private:
	struct give_back {
		void operator()(char *text) const noexcept
		{
			std::free(text);
		}
	};
	static char *copy(const char *text) noexcept
	{
		const std::size_t size = std::strlen(text) + 1;
		void *memory = std::malloc(size);

		return memory ? static_cast<char *>(std::memcpy(memory, text, size)) : nullptr;
	}

	int code_;
	std::unique_ptr<char, give_back> sentence_;
};

#if PERFCTR_THROWS
/* what() is the sentence alone, code() is errno in the generic category. */
class error : public std::system_error
{
public:
	explicit error(const failure &why)
	    : std::system_error(why.code(), std::generic_category()), sentence_(why.what())
	{
	}
	const char *what() const noexcept override
	{
		return sentence_.what();
	}

private:
	std::runtime_error sentence_; /* its copies throw nothing */
};
#endif

/* A value or a failure, as C++23's std::expected. */
template <typename T = void> class [[nodiscard]] result
{
public:
	result(T value) noexcept(std::is_nothrow_move_constructible_v<T>)
	    : is_(std::in_place_index<0>, std::move(value))
	{
	}
	result(failure why) noexcept : is_(std::in_place_index<1>, std::move(why))
	{
	}
	bool has_value() const noexcept
	{
		return is_.index() == 0;
	}
	explicit operator bool() const noexcept
	{
		return has_value();
	}
	/* These want a value to be there, and error() a failure. */
	T &operator*() &noexcept
	{
		return *std::get_if<0>(&is_);
	}
	const T &operator*() const &noexcept
	{
		return *std::get_if<0>(&is_);
	}
	T &&operator*() &&noexcept
	{
		return std::move(*std::get_if<0>(&is_));
	}
	T *operator->() noexcept
	{
		return std::get_if<0>(&is_);
	}
	const T *operator->() const noexcept
	{
		return std::get_if<0>(&is_);
	}
	const failure &error() const noexcept
	{
		return *std::get_if<1>(&is_);
	}
#if PERFCTR_THROWS
	/* The value, or throw the failure. */
	T value() &&
	{
		if (!has_value())
			throw perfctr::error(error());
		return std::move(**this);
	}
	const T &value() const &
	{
		if (!has_value())
			throw perfctr::error(error());
		return **this;
	}
#endif

private:
	std::variant<T, failure> is_;
};

template <> class [[nodiscard]] result<void>
{
public:
	result() noexcept = default;
	result(failure why) noexcept : why_(std::move(why))
	{
	}
	bool has_value() const noexcept
	{
		return !why_;
	}
	explicit operator bool() const noexcept
	{
		return has_value();
	}
	const failure &error() const noexcept
	{
		return *why_;
	}
#if PERFCTR_THROWS
	void value() const
	{
		if (why_)
			throw perfctr::error(*why_);
	}
#endif

private:
	std::optional<failure> why_;
};

namespace detail
{

/* What a call with a status has come to. */
inline result<> done(int status) noexcept
{
	if (status < 0)
		return failure::last();
	return {};
}

/* What a call fills in, whose last argument it is. */
template <typename T, typename F, typename... A> result<T> filled(F call, A... arguments) noexcept
{
	T found{};

	if (call(arguments..., &found) < 0)
		return failure::last();
	return found;
}

/* An index for C. There is nothing at the largest one. */
inline unsigned int index(std::size_t i) noexcept
{
	return i < UINT_MAX ? static_cast<unsigned int>(i) : UINT_MAX;
}

/* Owns one of C's objects, and gives it back. */
template <typename T, void (*give_back)(T *)> class owning
{
public:
	void close() noexcept
	{
		open_.reset();
	}
	explicit operator bool() const noexcept
	{
		return open_ != nullptr;
	}
	/* C's, which stays this object's. */
	T *get() const noexcept
	{
		return open_.get();
	}

protected:
	owning() noexcept = default;
	/* An Owner, derived from this class, of what C has opened; or why it has not. */
	template <typename Owner> static result<Owner> adopt(T *opened) noexcept
	{
		Owner found;

		if (!opened)
			return failure::last();
		static_cast<owning &>(found).open_.reset(opened);
		return found;
	}

private:
	struct deleter {
		void operator()(T *opened) const noexcept
		{
			give_back(opened);
		}
	};
	std::unique_ptr<T, deleter> open_;
};

/* A view as a C string. One with a zero byte in it can't be one. */
class c_string
{
public:
	c_string() noexcept = default;
	explicit c_string(std::string_view text) : whole_(text.find('\0') == text.npos), text_(text)
	{
	}
	explicit operator bool() const noexcept
	{
		return whole_;
	}
	const char *get() const noexcept
	{
		return text_.c_str();
	}
	/* NULL for an empty one. */
	const char *or_null() const noexcept
	{
		return text_.empty() ? nullptr : get();
	}
	static failure why() noexcept
	{
		return failure(EINVAL,
			       "a name has a zero byte in it: remove it, since no name has one");
	}

private:
	bool whole_ = true;
	std::string text_;
};

inline std::string_view view(const char *text) noexcept
{
	return text ? std::string_view(text) : std::string_view();
}

/* Counts the forks that led to this process. */
inline std::atomic<unsigned int> forks{ 0 };

/* Its address tells threads apart. */
inline thread_local char thread_mark;

inline bool count_forks() noexcept
{
	static const bool counted = pthread_atfork(nullptr, nullptr, [] {
					    forks.fetch_add(1, std::memory_order_relaxed);
				    }) == 0;

	return counted;
}

/* The thread and process that something may be read inline in. */
class owner
{
public:
	owner() noexcept = default;
	static owner here() noexcept
	{
		owner self;

		self.thread_ = count_forks() ? &thread_mark : nullptr;
		self.forks_ = forks.load(std::memory_order_relaxed);
		return self;
	}
	bool is_here() const noexcept
	{
		return thread_ == &thread_mark && forks_ == forks.load(std::memory_order_relaxed);
	}

private:
	const char *thread_ = nullptr;
	unsigned int forks_ = 0;
};

/* Calls a callable for what C hands out, and carries what it throws over C's frames. */
template <typename T, typename F> class visitor
{
public:
	explicit visitor(F &visit) noexcept : visit_(visit)
	{
	}
	static int call(void *self, const T *what) noexcept
	{
		return static_cast<visitor *>(self)->visit(*what);
	}
	result<> finish(int status) const
	{
#if PERFCTR_THROWS
		if (thrown_)
			std::rethrow_exception(thrown_);
#endif
		return done(status);
	}

private:
	int visit(const T &what) noexcept
	{
#if PERFCTR_THROWS
		try {
			return stops(what);
		} catch (...) {
			thrown_ = std::current_exception();
			return 1;
		}
#else
		return stops(what);
#endif
	}
	int stops(const T &what)
	{
		if constexpr (std::is_void_v<decltype(visit_(what))>)
			return visit_(what), 0;
		else
			return !visit_(what);
	}

	F &visit_;
#if PERFCTR_THROWS
	std::exception_ptr thrown_;
#endif
};

/* A page that names no counter: "ask the kernel". */
inline constexpr perf_event_mmap_page no_page{};

inline perfctr_reader no_reader() noexcept
{
	perfctr_reader reader{};

	reader.page = &no_page;
	return reader;
}

} // namespace detail

/* ---- events and targets ---- */

/* How events are opened; or'ed. The constants of libperfctr.h explain them. */
enum class flags : unsigned int {
	none = 0,
	multiplex = PERFCTR_MULTIPLEX,
	inherit = PERFCTR_INHERIT,
	on_exec = PERFCTR_ON_EXEC,
	disabled = PERFCTR_DISABLED,
	exclusive = PERFCTR_EXCLUSIVE,
	partial = PERFCTR_PARTIAL,
	user_fallback = PERFCTR_USER_FALLBACK,
	watch = PERFCTR_WATCH,
};

constexpr flags operator|(flags a, flags b) noexcept
{
	return static_cast<flags>(static_cast<unsigned int>(a) | static_cast<unsigned int>(b));
}

enum class quality : unsigned int {
	exact = PERFCTR_EXACT,
	unwatched = PERFCTR_UNWATCHED,
	unverified = PERFCTR_UNVERIFIED,
	estimate = PERFCTR_ESTIMATE,
	scaled = PERFCTR_SCALED,
	not_counted = PERFCTR_NOT_COUNTED,
	stale = PERFCTR_STALE,
};

inline std::string_view name_of(quality how) noexcept
{
	return perfctr_quality_name(static_cast<unsigned int>(how));
}

/* What is counted. The default is the calling thread. */
class target
{
public:
	target() noexcept = default;
	static target thread(pid_t tid = 0) noexcept
	{
		return target(PERFCTR_TARGET_THREAD, tid);
	}
	static target process(pid_t pid = 0) noexcept
	{
		return target(PERFCTR_TARGET_PROCESS, pid);
	}
	static target processor(int number) noexcept
	{
		return target(PERFCTR_TARGET_CPU, number);
	}
	static target every_processor() noexcept
	{
		return target(PERFCTR_TARGET_CPU, -1);
	}
	static target cgroup(std::string_view directory)
	{
		target found(PERFCTR_TARGET_CGROUP, 0);

		found.cgroup_ = detail::c_string(directory);
		return found;
	}
	static target thread_on_processor(pid_t tid, int number) noexcept
	{
		target found(PERFCTR_TARGET_THREAD_ON_CPU, tid);

		found.raw_.cpu = number;
		return found;
	}
	/* C's; valid as long as this is. EINVAL: the directory's name has a zero byte in it. */
	result<perfctr_target> try_c_target() const noexcept
	{
		perfctr_target found = raw_;

		if (!cgroup_)
			return detail::c_string::why();
		found.cgroup = cgroup_.or_null();
		return found;
	}
	PERFCTR_THROWING_CONST(c_target);

private:
	target(perfctr_target_type type, int id) noexcept
	{
		raw_.type = type;
		raw_.id = id;
	}

	perfctr_target raw_{};
	detail::c_string cgroup_;
};

/* One event, described. Strings are valid as long as the set or list that it is of. */
struct event {
	std::string_view name, unit;
	std::string_view reason; /* why it can't be counted; empty: it can */
	double scale;
	unsigned int item, variants;
	bool counts_time, counts_tsc, kernel_only;
	bool unverified; /* /sys can't be read, which tells whether the PMU takes it */
	bool asks_for_samples, asks_for_cores; /* perf's terms, which mean nothing here */

	explicit event(const struct perfctr_list_event &c) noexcept
	    : name(detail::view(c.name)), unit(detail::view(c.unit)),
	      reason(detail::view(c.reason)), scale(c.scale), item(c.item), variants(c.nvariants),
	      counts_time((c.flags & PERFCTR_EVENT_TIME) != 0),
	      counts_tsc((c.flags & PERFCTR_EVENT_TSC) != 0),
	      kernel_only((c.flags & PERFCTR_EVENT_KERNEL) != 0),
	      unverified((c.flags & PERFCTR_EVENT_UNVERIFIED) != 0),
	      asks_for_samples((c.flags & PERFCTR_EVENT_SAMPLES) != 0),
	      asks_for_cores((c.flags & PERFCTR_EVENT_PERCORE) != 0)
	{
	}
};

/* ---- readings ---- */

/* One counter, read. */
struct reading {
	std::string_view name; /* valid as long as any readings of the set */
	std::uint64_t value;
	std::uint64_t enabled, running; /* ns */
	perfctr::quality quality;

	bool exact() const noexcept
	{
		return quality == perfctr::quality::exact;
	}
	/* The best estimate for the whole time, if the event was multiplexed. */
	std::uint64_t estimate() const noexcept
	{
		const perfctr_reading c{ value, enabled, running,
					 static_cast<unsigned int>(quality), 0 };

		return perfctr_reading_estimate(&c);
	}
};

/* The counts of a set at one moment: a range of readings, in the order of the events. */
class readings
{
public:
	class iterator
	{
	public:
		using iterator_category = std::input_iterator_tag; /* it makes its values */
#ifdef __cpp_lib_ranges
		using iterator_concept = std::forward_iterator_tag;
#endif
		using value_type = reading;
		using difference_type = std::ptrdiff_t;
		using pointer = void;
		using reference = reading;

		iterator() noexcept = default;
		iterator(const readings *of, std::size_t at) noexcept : of_(of), at_(at)
		{
		}
		reading operator*() const noexcept
		{
			return (*of_)[at_];
		}
		iterator &operator++() noexcept
		{
			at_++;
			return *this;
		}
		iterator operator++(int) noexcept
		{
			return iterator(of_, at_++);
		}
		friend bool operator==(const iterator &a, const iterator &b) noexcept
		{
			return a.at_ == b.at_ && a.of_ == b.of_;
		}
		friend bool operator!=(const iterator &a, const iterator &b) noexcept
		{
			return !(a == b);
		}

	private:
		const readings *of_ = nullptr;
		std::size_t at_ = 0;
	};
	using const_iterator = iterator;
	using value_type = reading;

	iterator begin() const noexcept
	{
		return iterator(this, 0);
	}
	iterator end() const noexcept
	{
		return iterator(this, size());
	}
	std::size_t size() const noexcept
	{
		return raw_.size();
	}
	bool empty() const noexcept
	{
		return raw_.empty();
	}
	/* i must be less than size(). */
	reading operator[](std::size_t i) const noexcept
	{
		const perfctr_reading &c = raw_[i];

		return reading{ (*names_)[i], c.value, c.enabled, c.running,
				static_cast<quality>(c.quality) };
	}
	/* The reading of the event that was opened by this name. EINVAL: there is none. */
	result<reading> try_at(std::string_view name) const
	{
		for (std::size_t i = 0; i < size(); i++)
			if ((*names_)[i] == name)
				return (*this)[i];
		return failure(EINVAL, ("there is no event \"" + std::string(name) +
					"\" among these readings: name it as it was opened")
					       .c_str());
	}
	PERFCTR_THROWING_CONST(at);
	/* C's, for perfctr_metrics_value(). */
	const perfctr_reading *data() const noexcept
	{
		return raw_.data();
	}

private:
	friend class set;
	/* Leaves what was counted since other readings, without their own part of "empty". */
	void subtract(const readings &before, const std::vector<std::uint64_t> &empty) noexcept
	{
		for (std::size_t i = 0; i < size(); i++) {
			const std::uint64_t counted = raw_[i].value - before.raw_[i].value;

			raw_[i].value = counted > empty[i] ? counted - empty[i] : 0;
			raw_[i].enabled -= before.raw_[i].enabled;
			raw_[i].running -= before.raw_[i].running;
			if (empty[i] && raw_[i].quality < PERFCTR_ESTIMATE)
				raw_[i].quality = PERFCTR_ESTIMATE;
		}
	}
	std::vector<perfctr_reading> raw_;
	std::shared_ptr<const std::vector<std::string>> names_;
};

/* ---- inline reads ---- */

/*
 * Reads one counter of the calling thread inline, as perfctr_reader_read() does in C, in the same
 * instructions. It keeps the counter open. As in C nothing is checked: it is for the thread that
 * its counter belongs to, and not for a child of fork(); class counters checks both.
 */
class reader
{
public:
	reader() noexcept = default;

	/* False: the counter is not in a register now; ask the set. */
	bool read(std::uint64_t &value) const noexcept
	{
		return perfctr_reader_read(&raw_, &value);
	}
	std::optional<std::uint64_t> read() const noexcept
	{
		std::uint64_t value;

		if (!read(value))
			return std::nullopt;
		return value;
	}
	/* The same, which the code around it does not overlap with: perfctr_reader_read_ordered().
	 */
	bool read_ordered(std::uint64_t &value) const noexcept
	{
		return perfctr_reader_read_ordered(&raw_, &value);
	}
	bool read_times(std::uint64_t &value, std::uint64_t &enabled,
			std::uint64_t &running) const noexcept
	{
		return perfctr_reader_read_times(&raw_, &value, &enabled, &running);
	}
	/* Leave out the events between the two calls. */
	bool pause(std::uint64_t &at) const noexcept
	{
		return perfctr_reader_pause(&raw_, &at);
	}
	bool resume(std::uint64_t at) noexcept
	{
		return perfctr_reader_resume(&raw_, at);
	}

private:
	friend class set;
	friend class thread_counters;
	perfctr_reader raw_ = detail::no_reader();
	std::shared_ptr<const void> open_;
};

/* ---- sets ---- */

struct part {
	pid_t tid;
	int processor;
	std::string_view pmu; /* valid as long as the set */
};

/*
 * Counts events of the calling thread while the callable runs; what it throws comes out. What an
 * empty one counts is subtracted, and makes a count an estimate.
 */
template <typename F>
result<readings> try_count(std::string_view events, F &&work, flags how = flags::none);

/* Events by name, counted on a target. */
class set
{
public:
	set() noexcept = default;

	static result<set> try_open(std::string_view events, const target &whom = target(),
				    flags how = flags::none)
	{
		const detail::c_string list(events);
		const result<perfctr_target> c = whom.try_c_target();

		if (!list)
			return detail::c_string::why();
		if (!c)
			return c.error();
		return adopt(perfctr_set_open(list.get(), &*c, static_cast<unsigned int>(how)));
	}
	static result<set> try_open(const perfctr_cpu_control &control,
				    const target &whom = target(), flags how = flags::none)
	{
		const result<perfctr_target> c = whom.try_c_target();

		if (!c)
			return c.error();
		return adopt(
			perfctr_set_open_control(&control, &*c, static_cast<unsigned int>(how)));
	}

	std::size_t size() const noexcept
	{
		return names_ ? names_->size() : 0;
	}
	/* Empty if there is no such event. */
	std::string_view name(std::size_t i) const noexcept
	{
		return i < size() ? std::string_view((*names_)[i]) : std::string_view();
	}
	result<perfctr::event> try_event(std::size_t i) const noexcept
	{
		struct perfctr_list_event c;

		if (perfctr_set_event(get(), detail::index(i), &c) < 0)
			return failure::last();
		return perfctr::event(c);
	}
	result<> try_enable() noexcept
	{
		return detail::done(perfctr_set_enable(get()));
	}
	result<> try_disable() noexcept
	{
		return detail::done(perfctr_set_disable(get()));
	}
	/* EBUSY: there are readers, which would not see the reset. */
	result<> try_reset() noexcept
	{
		if (readers_ && *readers_)
			return failure(EBUSY, "a reset makes the set's readers invalid: destroy "
					      "them first, and get new ones after it");
		return detail::done(perfctr_set_reset(get()));
	}
	/* ESTALE: the kernel ended events early. */
	result<> try_check() const noexcept
	{
		return detail::done(perfctr_set_check(get()));
	}
	/* Into readings of before, whose memory is used again. */
	result<> try_read(readings &into) const
	{
		prepare(into);
		return detail::done(perfctr_set_read(get(), into.raw_.data()));
	}
	result<readings> try_read() const
	{
		return returned([this](readings &into) { return try_read(into); });
	}
	result<readings> try_read_part(std::size_t p) const
	{
		return returned([this, p](readings &into) {
			return detail::done(
				perfctr_set_read_part(get(), detail::index(p), into.raw_.data()));
		});
	}
	result<readings> try_read_thread(pid_t tid) const
	{
		return returned([this, tid](readings &into) {
			return detail::done(perfctr_set_read_thread(get(), tid, into.raw_.data()));
		});
	}
	std::size_t parts() const noexcept
	{
		return perfctr_set_parts(get());
	}
	result<perfctr::part> try_part(std::size_t p) const noexcept
	{
		perfctr_part c;

		if (perfctr_set_part(get(), detail::index(p), &c) < 0)
			return failure::last();
		return perfctr::part{ c.tid, c.cpu, detail::view(c.pmu) };
	}
	/* The kernel's id of event i in part p. */
	result<std::uint64_t> try_id(std::size_t p, std::size_t i) const noexcept
	{
		return detail::filled<std::uint64_t>(perfctr_set_id, get(), detail::index(p),
						     detail::index(i));
	}
	/* While there is one, also a copy, the set can't be reset. */
	result<perfctr::reader> try_reader(std::size_t i) const
	{
		perfctr::reader found;

		if (perfctr_set_reader(get(), detail::index(i), &found.raw_) < 0)
			return failure::last();
		++*readers_;
		found.open_ = std::shared_ptr<const void>(get(),
							  [open = open_, readers = readers_](
								  const void *) { --*readers; });
		return found;
	}
	/* The counters are closed once there is no reader of them either. */
	void close() noexcept
	{
		open_.reset();
		names_.reset();
		readers_.reset();
	}
	explicit operator bool() const noexcept
	{
		return open_ != nullptr;
	}
	/* C's, which stays this object's. */
	perfctr_set *get() const noexcept
	{
		return open_.get();
	}

#if PERFCTR_THROWS
	explicit set(std::string_view events, const target &whom = target(),
		     flags how = flags::none)
	    : set(try_open(events, whom, how).value())
	{
	}
	explicit set(const perfctr_cpu_control &control, const target &whom = target(),
		     flags how = flags::none)
	    : set(try_open(control, whom, how).value())
	{
	}
#endif
	PERFCTR_THROWING_CONST(event);
	PERFCTR_THROWING(enable);
	PERFCTR_THROWING(disable);
	PERFCTR_THROWING(reset);
	PERFCTR_THROWING_CONST(check);
	PERFCTR_THROWING_CONST(read);
	PERFCTR_THROWING_CONST(read_part);
	PERFCTR_THROWING_CONST(read_thread);
	PERFCTR_THROWING_CONST(part);
	PERFCTR_THROWING_CONST(id);
	PERFCTR_THROWING_CONST(reader);

private:
	template <typename F>
	friend result<readings> try_count(std::string_view events, F &&work, flags how);
	/* What is counted while the callable runs, without an empty one's own part. */
	template <typename F>
	result<readings> counted(F &&work, const std::vector<std::uint64_t> &own)
	{
		const result<readings> before = try_read();

		if (!before)
			return before.error();
		const result<> enabled = try_enable();
		if (!enabled)
			return enabled.error();
		work();
		const result<> disabled = try_disable();
		if (!disabled)
			return disabled.error();
		result<readings> after = try_read();
		if (after)
			after->subtract(*before, own);
		return after;
	}
	static result<set> adopt(perfctr_set *opened)
	{
		set found;

		if (!opened)
			return failure::last();
		found.open_ = std::shared_ptr<perfctr_set>(opened, perfctr_set_close);
		found.readers_ = std::make_shared<std::atomic<std::size_t>>(0);
		auto names = std::make_shared<std::vector<std::string>>();
		for (unsigned int i = 0; i < perfctr_set_size(opened); i++)
			names->emplace_back(perfctr_set_name(opened, i));
		found.names_ = std::move(names);
		return found;
	}
	void prepare(readings &into) const
	{
		into.raw_.resize(size());
		into.names_ = names_;
	}
	template <typename F> result<readings> returned(F read) const
	{
		readings found;

		prepare(found);
		if (auto done = read(found); !done)
			return done.error();
		return found;
	}

	std::shared_ptr<perfctr_set> open_;
	std::shared_ptr<const std::vector<std::string>> names_;
	/* How many readers there are, without their copies. */
	std::shared_ptr<std::atomic<std::size_t>> readers_;
};

template <typename F> result<readings> try_count(std::string_view events, F &&work, flags how)
{
	result<set> opened = set::try_open(events, target(), how | flags::disabled);

	if (!opened)
		return opened.error();
	const std::vector<std::uint64_t> none(opened->size(), 0);
	std::vector<std::uint64_t> own(opened->size(), UINT64_MAX);
	for (int i = 0; i < 3; i++) {
		const result<readings> empty = opened->counted([] {}, none);

		if (!empty)
			return empty.error();
		for (std::size_t k = 0; k < own.size(); k++)
			if ((*empty)[k].value < own[k])
				own[k] = (*empty)[k].value;
	}
	return opened->counted(work, own);
}
#if PERFCTR_THROWS
template <typename F> readings count(std::string_view events, F &&work, flags how = flags::none)
{
	return try_count(events, work, how).value();
}
#endif

/*
 * N events of the thread that opens them, read inline where that is possible, else from the kernel:
 * in another thread, too, which gets this thread's counts. Nothing is allocated. A child of fork()
 * gets ESRCH.
 */
template <std::size_t N> class counters
{
public:
	using values = std::array<std::uint64_t, N>;

	counters() noexcept = default;
	counters(counters &&other) noexcept
	    : set_(std::move(other.set_)), reader_(other.reader_),
	      owner_(std::exchange(other.owner_, {}))
	{
	}
	counters &operator=(counters &&other) noexcept
	{
		set_ = std::move(other.set_);
		reader_ = other.reader_;
		owner_ = std::exchange(other.owner_, {});
		return *this;
	}

	/* EINVAL: the list has not N events. */
	static result<counters> try_open(std::string_view events, flags how = flags::none)
	{
		auto opened = set::try_open(events, target(), how);
		counters found;

		if (!opened)
			return opened.error();
		found.set_ = std::move(*opened);
		if (found.set_.size() != N)
			return failure(EINVAL, "the list has another number of events than the "
					       "type: name as many as counters<N> has");
		/* What can't be read inline gets a reader that says so. */
		for (unsigned int i = 0; i < N; i++)
			(void)perfctr_set_reader(found.set_.get(), i, &found.reader_[i]);
		found.owner_ = detail::owner::here();
		return found;
	}
	result<> try_read(values &into) const noexcept
	{
		if (owner_.is_here() && perfctr_reader_read_all(reader_.data(), N, into.data()))
			return {};
		return ask(into);
	}
	std::string_view name(std::size_t i) const noexcept
	{
		return set_.name(i);
	}
	/* With times and quality. */
	const set &events() const noexcept
	{
		return set_;
	}
	void close() noexcept
	{
		owner_ = {};
		set_.close();
	}
	explicit operator bool() const noexcept
	{
		return static_cast<bool>(set_);
	}
#if PERFCTR_THROWS
	explicit counters(std::string_view events, flags how = flags::none)
	    : counters(try_open(events, how).value())
	{
	}
	values read() const
	{
		values found;

		if (!(owner_.is_here() && perfctr_reader_read_all(reader_.data(), N, found.data())))
			ask(found).value();
		return found;
	}
#endif

private:
	result<> ask(values &into) const noexcept
	{
		std::array<perfctr_reading, N> reading;

		if (perfctr_set_read(set_.get(), reading.data()) < 0)
			return failure::last();
		for (std::size_t i = 0; i < N; i++)
			into[i] = reading[i].value;
		return {};
	}

	set set_;
	std::array<perfctr_reader, N> reader_{};
	detail::owner owner_;
};

/* Start or stop all perf events that the calling thread has opened. */
inline result<> try_enable_all() noexcept
{
	return detail::done(perfctr_enable_all());
}
inline result<> try_disable_all() noexcept
{
	return detail::done(perfctr_disable_all());
}
PERFCTR_THROWING(enable_all);
PERFCTR_THROWING(disable_all);

/* ---- the meaning of names ---- */

class event_list : public detail::owning<perfctr_list, perfctr_list_free>
{
public:
	event_list() noexcept = default;

	static result<event_list> try_resolve(std::string_view events, flags how = flags::none)
	{
		const detail::c_string list(events);

		if (!list)
			return detail::c_string::why();
		return adopt<event_list>(
			perfctr_list_resolve(list.get(), static_cast<unsigned int>(how)));
	}
	std::size_t size() const noexcept
	{
		return perfctr_list_size(get());
	}
	result<perfctr::event> try_event(std::size_t i) const noexcept
	{
		struct perfctr_list_event c;

		if (perfctr_list_event(get(), detail::index(i), &c) < 0)
			return failure::last();
		return perfctr::event(c);
	}
	/* What perf_event_open(2) takes for variant k of event i; pmu and cpus as in C. */
	result<perf_event_attr> try_attr(std::size_t i, std::size_t k, const char **pmu = nullptr,
					 std::uint32_t *cpus = nullptr,
					 unsigned int nwords = 0) const noexcept
	{
		perf_event_attr attr;

		if (perfctr_list_attr(get(), detail::index(i), detail::index(k), &attr, pmu, cpus,
				      nwords) < 0)
			return failure::last();
		return attr;
	}
#if PERFCTR_THROWS
	explicit event_list(std::string_view events, flags how = flags::none)
	    : event_list(try_resolve(events, how).value())
	{
	}
#endif
	PERFCTR_THROWING_CONST(event);
	PERFCTR_THROWING_CONST(attr);

private:
};

/* Whether an event has a right name that this machine knows. */
inline result<> try_check_event(std::string_view event)
{
	const detail::c_string name(event);

	if (!name)
		return detail::c_string::why();
	return detail::done(perfctr_event_check(name.get()));
}

using event_name = perfctr_event_name;

/*
 * Call visit(const event_name &) for every event of a kind (empty: all but tracepoints), or of the
 * processor with an id (empty: this machine's), or for every processor. It returns nothing, or a
 * bool: whether to go on.
 */
template <typename F> result<> try_each_event(std::string_view kind, F &&visit)
{
	const detail::c_string c(kind);
	detail::visitor<event_name, F> visitor(visit);

	if (!c)
		return detail::c_string::why();
	return visitor.finish(perfctr_event_list(c.or_null(), visitor.call, &visitor));
}
template <typename F> result<> try_each_processor_event(std::string_view id, F &&visit)
{
	const detail::c_string c(id);
	detail::visitor<event_name, F> visitor(visit);

	if (!c)
		return detail::c_string::why();
	return visitor.finish(perfctr_cpu_event_list(c.or_null(), visitor.call, &visitor));
}
template <typename F> result<> try_each_processor(F &&visit)
{
	detail::visitor<event_name, F> visitor(visit);

	return visitor.finish(perfctr_cpu_list(visitor.call, &visitor));
}
#if PERFCTR_THROWS
template <typename F> void each_event(std::string_view kind, F &&visit)
{
	try_each_event(kind, visit).value();
}
template <typename F> void each_processor_event(std::string_view id, F &&visit)
{
	try_each_processor_event(id, visit).value();
}
#endif
PERFCTR_THROWING(check_event);
PERFCTR_THROWING(each_processor);

/* ---- metrics ---- */

using metric = perfctr_metric;

struct metric_value {
	double value;		 /* NaN if there is none */
	std::string_view reason; /* why there is none; valid as long as the metrics */
	perfctr::quality quality;
	bool beyond; /* its threshold */
};

class metrics : public detail::owning<perfctr_metrics, perfctr_metrics_close>
{
public:
	metrics() noexcept = default;

	static result<metrics> try_open(std::string_view names, std::string_view processor = {})
	{
		const detail::c_string list(names), id(processor);

		if (!list || !id)
			return detail::c_string::why();
		return adopt<metrics>(perfctr_metrics_open(list.get(), id.or_null()));
	}
	std::size_t size() const noexcept
	{
		return perfctr_metrics_size(get());
	}
	/* The list for a set; empty if this is. */
	std::string_view events() const noexcept
	{
		return detail::view(perfctr_metrics_events(get(), nullptr));
	}
	result<perfctr::metric> try_metric(std::size_t i) const noexcept
	{
		return detail::filled<perfctr::metric>(perfctr_metrics_metric, get(),
						       detail::index(i));
	}
	/* EINVAL: the readings are of another list of events. */
	result<metric_value> try_value(std::size_t i, const readings &counts) const
	{
		perfctr_metric_value c;

		if (!suit(counts))
			return unsuitable();
		if (perfctr_metrics_value(get(), detail::index(i), counts.data(), &c) < 0)
			return failure::last();
		return metric_value{ c.value, detail::view(c.reason),
				     static_cast<quality>(c.quality), c.beyond != 0 };
	}
	/* Half the width of the 95 % confidence interval, from stretches of readings. */
	result<double> try_error(std::size_t i, const std::vector<readings> &stretches) const
	{
		std::vector<perfctr_reading> parts;
		double error;

		for (const readings &counts : stretches) {
			if (!suit(counts))
				return unsuitable();
			parts.insert(parts.end(), counts.data(), counts.data() + counts.size());
		}
		if (perfctr_metrics_error(get(), detail::index(i), parts.data(),
					  static_cast<unsigned int>(stretches.size()), &error) < 0)
			return failure::last();
		return error;
	}
#if PERFCTR_THROWS
	explicit metrics(std::string_view names, std::string_view processor = {})
	    : metrics(try_open(names, processor).value())
	{
	}
	double error(std::size_t i, const std::vector<readings> &stretches) const
	{
		return try_error(i, stretches).value();
	}
#endif
	PERFCTR_THROWING_CONST(metric);
	PERFCTR_THROWING_CONST(value);

private:
	/* C reads as many as there are events. An empty object leaves the error to C. */
	bool suit(const readings &counts) const noexcept
	{
		unsigned int n = 0;

		return !perfctr_metrics_events(get(), &n) || counts.size() == n;
	}
	static failure unsuitable() noexcept
	{
		return failure(EINVAL, "the readings have another number of events than the "
				       "metrics: read a set of metrics::events()");
	}
};

/* Call visit(const metric &) for every metric of a processor, as try_each_event() does. */
template <typename F> result<> try_each_metric(std::string_view processor, F &&visit)
{
	const detail::c_string id(processor);
	detail::visitor<metric, F> visitor(visit);

	if (!id)
		return detail::c_string::why();
	return visitor.finish(perfctr_metrics_list(id.or_null(), visitor.call, &visitor));
}
#if PERFCTR_THROWS
template <typename F> void each_metric(std::string_view processor, F &&visit)
{
	try_each_metric(processor, visit).value();
}
#endif

/* ---- samples ---- */

using record = perfctr_record;
using aux = perfctr_aux;

/* C's configuration, all zero. */
struct sampler_config : perfctr_sampler_config {
	sampler_config() noexcept : perfctr_sampler_config{}
	{
	}
};

class sampler : public detail::owning<perfctr_sampler, perfctr_sampler_close>
{
public:
	sampler() noexcept = default;

	static result<sampler> try_open(std::string_view events,
					const perfctr_sampler_config &config,
					const target &whom = target())
	{
		const detail::c_string list(events);
		const result<perfctr_target> c = whom.try_c_target();

		if (!list)
			return detail::c_string::why();
		if (!c)
			return c.error();
		return adopt<sampler>(perfctr_sampler_open(list.get(), &*c, &config));
	}
	/* The next record, which is valid until the next call; null: there is none now. */
	result<const record *> try_next() noexcept
	{
		const record *next = nullptr;

		if (perfctr_sampler_next(get(), &next) < 0)
			return failure::last();
		return next;
	}
	result<const aux *> try_next_aux() noexcept
	{
		const aux *next = nullptr;

		if (perfctr_sampler_next_aux(get(), &next) < 0)
			return failure::last();
		return next;
	}
	/* Call visit(const record &) for the records that are there now. */
	template <typename F> result<> try_each(F &&visit)
	{
		detail::visitor<record, F> visitor(visit);

		return visitor.finish(perfctr_sampler_each(get(), visitor.call, &visitor));
	}
	/* For poll(2). */
	result<int> try_fd() const noexcept
	{
		const int fd = perfctr_sampler_fd(get());

		if (fd < 0)
			return failure::last();
		return fd;
	}
	result<> try_enable() noexcept
	{
		return detail::done(perfctr_sampler_enable(get()));
	}
	result<> try_disable() noexcept
	{
		return detail::done(perfctr_sampler_disable(get()));
	}
	result<> try_refresh(unsigned int samples) noexcept
	{
		return detail::done(perfctr_sampler_refresh(get(), samples));
	}
	result<> try_set_period(std::uint64_t period) noexcept
	{
		return detail::done(perfctr_sampler_set_period(get(), period));
	}
	result<std::uint64_t> try_lost() noexcept
	{
		return detail::filled<std::uint64_t>(perfctr_sampler_lost, get());
	}
	/* How often event i has happened: samples stand for what each thread did up to its last. */
	result<std::uint64_t> try_count(std::size_t i = 0) noexcept
	{
		return detail::filled<std::uint64_t>(perfctr_sampler_count, get(),
						     detail::index(i));
	}
	result<> try_check() const noexcept
	{
		return detail::done(perfctr_sampler_check(get()));
	}

#if PERFCTR_THROWS
	explicit sampler(std::string_view events, const perfctr_sampler_config &config,
			 const target &whom = target())
	    : sampler(try_open(events, config, whom).value())
	{
	}

#endif
	PERFCTR_THROWING(next);
	PERFCTR_THROWING(next_aux);
	PERFCTR_THROWING(each);
	PERFCTR_THROWING_CONST(fd);
	PERFCTR_THROWING(enable);
	PERFCTR_THROWING(disable);
	PERFCTR_THROWING(refresh);
	PERFCTR_THROWING(set_period);
	PERFCTR_THROWING(lost);
	PERFCTR_THROWING(count);
	PERFCTR_THROWING_CONST(check);

#if PERFCTR_THROWS
	/* The records that are there now, each valid until the next: for (const auto &r : ...). */
	class range
	{
	public:
		class iterator
		{
		public:
			using iterator_category = std::input_iterator_tag;
			using value_type = record;
			using difference_type = std::ptrdiff_t;
			using pointer = const record *;
			using reference = const record &;

			iterator() noexcept = default;
			explicit iterator(sampler *of) : of_(of), at_(of->next())
			{
			}
			const record &operator*() const noexcept
			{
				return *at_;
			}
			const record *operator->() const noexcept
			{
				return at_;
			}
			iterator &operator++()
			{
				at_ = of_->next();
				return *this;
			}
			void operator++(int)
			{
				++*this;
			}
			friend bool operator==(const iterator &a, const iterator &b) noexcept
			{
				return a.at_ == b.at_;
			}
			friend bool operator!=(const iterator &a, const iterator &b) noexcept
			{
				return a.at_ != b.at_;
			}

		private:
			sampler *of_ = nullptr;
			const record *at_ = nullptr;
		};
		explicit range(sampler *of) noexcept : of_(of)
		{
		}
		iterator begin() const
		{
			return iterator(of_);
		}
		iterator end() const noexcept
		{
			return iterator();
		}

	private:
		sampler *of_;
	};
	range records() noexcept
	{
		return range(this);
	}
#endif

private:
};

namespace detail
{
/* A text that C writes as far as there is room, and whose length it returns. */
template <typename F> std::string text(F write)
{
	std::string found(write(nullptr, 0), '\0');

	write(found.data(), found.size() + 1);
	return found;
}
} // namespace detail

/* A sample's fields in words. */
inline std::string data_src_text(std::uint64_t data_src)
{
	return detail::text([=](char *text, std::size_t size) {
		return perfctr_data_src_text(data_src, text, size);
	});
}
inline std::string branch_text(const perf_branch_entry &branch)
{
	return detail::text([&](char *text, std::size_t size) {
		return perfctr_branch_text(&branch, text, size);
	});
}
inline std::string transaction_text(std::uint64_t transaction)
{
	return detail::text([=](char *text, std::size_t size) {
		return perfctr_transaction_text(transaction, text, size);
	});
}
inline std::string ibs_op_text(const void *raw, std::uint64_t raw_size)
{
	return detail::text([=](char *text, std::size_t size) {
		return perfctr_ibs_op_text(raw, raw_size, text, size);
	});
}
inline std::string ibs_fetch_text(const void *raw, std::uint64_t raw_size)
{
	return detail::text([=](char *text, std::size_t size) {
		return perfctr_ibs_fetch_text(raw, raw_size, text, size);
	});
}

/* ---- regions ---- */

/*
 * A region of a name that is known when the program runs. PERFCTR_REGION() defines one whose name
 * is known before, which needs no look-up.
 */
class region
{
public:
	/* EINVAL: the name is empty. ENOSPC, ENOMEM. */
	static result<region> try_find(std::string_view name)
	{
		const detail::c_string c(name);

		if (!c)
			return detail::c_string::why();
		perfctr_region *found = perfctr_region_by_name(c.get());
		if (!found)
			return failure::last();
		return region(*found);
	}
	explicit region(perfctr_region &c) noexcept : c_(&c)
	{
	}
	void begin() const noexcept
	{
		perfctr_region_begin(c_);
	}
	void end() const noexcept
	{
		perfctr_region_end(c_);
	}
	/* Of the calling thread; of all threads. ENOENT: no visit yet. */
	result<perfctr_region_reading> try_read() const noexcept
	{
		return detail::filled<perfctr_region_reading>(perfctr_region_read, c_);
	}
	result<perfctr_region_reading> try_read_all() const noexcept
	{
		return detail::filled<perfctr_region_reading>(perfctr_region_read_all, c_);
	}
	result<> try_reset() const noexcept
	{
		return detail::done(perfctr_region_reset(c_));
	}
	perfctr_region *get() const noexcept
	{
		return c_;
	}
#if PERFCTR_THROWS
	explicit region(std::string_view name) : region(try_find(name).value())
	{
	}
#endif
	PERFCTR_THROWING_CONST(read);
	PERFCTR_THROWING_CONST(read_all);
	PERFCTR_THROWING_CONST(reset);

private:
	perfctr_region *c_;
};

/* The thread is in the region as long as this lives. It does not move: it belongs to its block. */
class [[nodiscard]] region_guard
{
public:
	explicit region_guard(perfctr_region &c) noexcept : c_(&c)
	{
		perfctr_region_begin(c_);
	}
	explicit region_guard(const region &entered) noexcept : region_guard(*entered.get())
	{
	}
	~region_guard()
	{
		perfctr_region_end(c_);
	}
	region_guard(const region_guard &) = delete;
	region_guard &operator=(const region_guard &) = delete;

private:
	perfctr_region *c_;
};

namespace regions
{

enum class keep : unsigned int {
	none = 0,
	moments = PERFCTR_REGIONS_MOMENTS,
	histogram = PERFCTR_REGIONS_HISTOGRAM,
	threads = PERFCTR_REGIONS_THREADS,
	user_fallback = PERFCTR_REGIONS_USER_FALLBACK,
};

constexpr keep operator|(keep a, keep b) noexcept
{
	return static_cast<keep>(static_cast<unsigned int>(a) | static_cast<unsigned int>(b));
}

enum class format : unsigned int {
	table = PERFCTR_REGIONS_TABLE,
	csv = PERFCTR_REGIONS_CSV,
	json = PERFCTR_REGIONS_JSON,
};

/* Measure from now on: the time, events, and in reports metrics. */
inline result<> try_start(std::string_view events = {}, keep data = keep::none,
			  std::string_view metrics = {})
{
	const detail::c_string list(events), names(metrics);

	if (!list || !names)
		return detail::c_string::why();
	return detail::done(perfctr_regions_start_metrics(list.get(), names.get(),
							  static_cast<unsigned int>(data)));
}
inline result<> try_stop() noexcept
{
	return detail::done(perfctr_regions_stop());
}
/* The calling thread has moved this number of bytes, which count for its regions. */
inline void add_bytes(uint64_t bytes) noexcept
{
	perfctr_region_add_bytes(bytes);
}
/* The calling thread has communicated for this number of ns of elapsed time. */
inline void add_communication(uint64_t ns) noexcept
{
	perfctr_region_add_communication(ns);
}
/* Open the calling thread's counters now. */
inline result<> try_open_thread() noexcept
{
	return detail::done(perfctr_regions_thread());
}
/* An empty name is the standard error. */
inline result<> try_report(std::string_view file = {}, format how = format::table)
{
	const detail::c_string name(file);

	if (!name)
		return detail::c_string::why();
	return detail::done(perfctr_regions_report(name.or_null(), static_cast<unsigned int>(how)));
}
inline result<> try_recover(std::string_view left, std::string_view file = {},
			    format how = format::table)
{
	const detail::c_string from(left), name(file);

	if (!from || !name)
		return detail::c_string::why();
	return detail::done(perfctr_regions_recover(from.get(), name.or_null(),
						    static_cast<unsigned int>(how)));
}
#if PERFCTR_THROWS
inline void start(std::string_view events = {}, keep data = keep::none,
		  std::string_view metrics = {})
{
	try_start(events, data, metrics).value();
}
inline void report(std::string_view file = {}, format how = format::table)
{
	try_report(file, how).value();
}
inline void recover(std::string_view left, std::string_view file = {}, format how = format::table)
{
	try_recover(left, file, how).value();
}
#endif
PERFCTR_THROWING(stop);
PERFCTR_THROWING(open_thread);

} // namespace regions

/* ---- controls and virtual counters ---- */

namespace detail
{
using c_control = struct ::vperfctr_control; /* the name alone is the function */
} // namespace detail

/* C's, all zero. */
struct control : detail::c_control {
	control() noexcept : detail::c_control{}
	{
	}
	/* A complete control of this machine's processor, from a list of its own events. */
	static result<control> try_of(std::string_view events)
	{
		const detail::c_string list(events);
		control found;

		if (!list)
			return detail::c_string::why();
		if (perfctr_cpu_control_events(&found.cpu_control, list.get()) < 0)
			return failure::last();
		found.flags = VPERFCTR_CONTROL_EXTENDED;
		return found;
	}
	/* Whether it obeys the rules of this machine's processor. */
	result<> try_check() const noexcept
	{
		return detail::done(perfctr_cpu_control_check(&cpu_control));
	}
#if PERFCTR_THROWS
	static control of(std::string_view events)
	{
		return try_of(events).value();
	}
#endif
	PERFCTR_THROWING_CONST(check);
};

/* The calling thread's virtual counters, in the processor's own codes. */
class thread_counters
{
public:
	static constexpr unsigned int create = VPERFCTR_OPEN_CREAT_EXCL;
	static constexpr unsigned int driver = VPERFCTR_OPEN_DRIVER;
	static constexpr unsigned int perf = VPERFCTR_OPEN_PERF;
	static constexpr unsigned int brief = VPERFCTR_OPEN_BRIEF;
	static constexpr unsigned int multiplex = PERFCTR_MULTIPLEX;

	thread_counters() noexcept = default;

	/* The mode is any of the above, or'ed. */
	static result<thread_counters> try_open(unsigned int mode)
	{
		vperfctr *opened = vperfctr_open_mode(mode);
		thread_counters found;

		if (!opened)
			return failure::last();
		found.open_ = std::shared_ptr<vperfctr>(opened, vperfctr_close);
		return found;
	}
	result<> try_control(perfctr::control &wanted) const noexcept
	{
		return detail::done(::vperfctr_control(get(), &wanted));
	}
	result<> try_stop() const noexcept
	{
		return detail::done(vperfctr_stop(get()));
	}
	result<> try_pause() const noexcept
	{
		return detail::done(vperfctr_pause(get()));
	}
	result<> try_resume() const noexcept
	{
		return detail::done(vperfctr_resume(get()));
	}
	result<> try_iresume() const noexcept
	{
		return detail::done(vperfctr_iresume(get()));
	}
	result<> try_unlink() const noexcept
	{
		return detail::done(vperfctr_unlink(get()));
	}
	bool is_running() const noexcept
	{
		return open_ && vperfctr_is_running(get());
	}
	/* The counters that overflowed, in the handler of the signal. */
	unsigned int overflowed(const siginfo_t *info) const noexcept
	{
		return open_ ? vperfctr_ovf_mask(get(), info) : 0;
	}
	result<std::uint64_t> try_read_tsc() const noexcept
	{
		return quick([](const vperfctr *self) { return vperfctr_read_tsc(self); });
	}
	result<std::uint64_t> try_read(std::size_t i) const noexcept
	{
		return quick([i](const vperfctr *self) {
			return vperfctr_read_pmc(self, detail::index(i));
		});
	}
	result<perfctr_sum_ctrs> try_read() const noexcept
	{
		perfctr_sum_ctrs sum{};

		if (!open_)
			return empty();
		if (vperfctr_read_ctrs(get(), &sum) < 0)
			return failure::last();
		return sum;
	}
	result<perfctr::control> try_read_control() const noexcept
	{
		return detail::filled<perfctr::control>(vperfctr_read_state, get(), nullptr);
	}
	/* Its name is that of the counter, a number. */
	result<perfctr_reading> try_read_quality(std::size_t i) const noexcept
	{
		return detail::filled<perfctr_reading>(vperfctr_read_quality, get(),
						       detail::index(i));
	}
	result<perfctr::reader> try_reader(std::size_t i) const noexcept
	{
		perfctr::reader found;

		if (vperfctr_reader(get(), detail::index(i), &found.raw_) < 0)
			return failure::last();
		found.open_ = open_;
		return found;
	}
	result<struct perfctr_info> try_info() const noexcept
	{
		return detail::filled<struct perfctr_info>(vperfctr_info, get());
	}
	void close() noexcept
	{
		open_.reset();
	}
	explicit operator bool() const noexcept
	{
		return open_ != nullptr;
	}
	vperfctr *get() const noexcept
	{
		return open_.get();
	}
#if PERFCTR_THROWS
	explicit thread_counters(unsigned int mode) : thread_counters(try_open(mode).value())
	{
	}
#endif
	PERFCTR_THROWING_CONST(control);
	PERFCTR_THROWING_CONST(stop);
	PERFCTR_THROWING_CONST(pause);
	PERFCTR_THROWING_CONST(resume);
	PERFCTR_THROWING_CONST(iresume);
	PERFCTR_THROWING_CONST(unlink);
	PERFCTR_THROWING_CONST(read_tsc);
	PERFCTR_THROWING_CONST(read);
	PERFCTR_THROWING_CONST(read_control);
	PERFCTR_THROWING_CONST(read_quality);
	PERFCTR_THROWING_CONST(reader);
	PERFCTR_THROWING_CONST(info);

private:
	static failure empty() noexcept
	{
		return failure(EINVAL,
			       "these counters are closed, or were moved from: open others");
	}
	/* Reads that tell of an error by errno, and don't look for NULL. */
	template <typename F> result<std::uint64_t> quick(F read) const noexcept
	{
		if (!open_)
			return empty();
		errno = 0;
		const std::uint64_t value = read(get());
		if (value == ~UINT64_C(0) && errno)
			return failure::last();
		return value;
	}

	std::shared_ptr<vperfctr> open_;
};

/* The counters of a thread that is stopped under the caller's ptrace(2). */
class remote_counters : public detail::owning<rvperfctr, rvperfctr_close>
{
public:
	remote_counters() noexcept = default;

	static result<remote_counters> try_open(pid_t tid) noexcept
	{
		return adopt<remote_counters>(rvperfctr_open(tid));
	}
	result<> try_control(perfctr::control &wanted) const noexcept
	{
		return detail::done(rvperfctr_control(get(), &wanted));
	}
	result<perfctr_sum_ctrs> try_read() const noexcept
	{
		return detail::filled<perfctr_sum_ctrs>(rvperfctr_read_ctrs, get());
	}
	result<perfctr::control> try_read_control() const noexcept
	{
		return detail::filled<perfctr::control>(rvperfctr_read_state, get(), nullptr);
	}
	result<> try_stop() const noexcept
	{
		return detail::done(rvperfctr_stop(get()));
	}
	result<> try_iresume() const noexcept
	{
		return detail::done(rvperfctr_iresume(get()));
	}
	result<> try_unlink() const noexcept
	{
		return detail::done(rvperfctr_unlink(get()));
	}
	result<pid_t> try_tid() const noexcept
	{
		const int tid = rvperfctr_pid(get());

		if (tid < 0)
			return failure::last();
		return tid;
	}
	result<struct perfctr_info> try_info() const noexcept
	{
		return detail::filled<struct perfctr_info>(rvperfctr_info, get());
	}
#if PERFCTR_THROWS
	explicit remote_counters(pid_t tid) : remote_counters(try_open(tid).value())
	{
	}
#endif
	PERFCTR_THROWING_CONST(control);
	PERFCTR_THROWING_CONST(read);
	PERFCTR_THROWING_CONST(read_control);
	PERFCTR_THROWING_CONST(stop);
	PERFCTR_THROWING_CONST(iresume);
	PERFCTR_THROWING_CONST(unlink);
	PERFCTR_THROWING_CONST(tid);
	PERFCTR_THROWING_CONST(info);

private:
};

/* The counters of whole processors, by control. */
class global_counters : public detail::owning<gperfctr, gperfctr_close>
{
public:
	global_counters() noexcept = default;

	static result<global_counters> try_open() noexcept
	{
		return adopt<global_counters>(gperfctr_open());
	}
	/* Returns the number of processors that a start would start. */
	result<int> try_control(gperfctr_cpu_control &wanted) const noexcept
	{
		return number(gperfctr_control(get(), &wanted));
	}
	/* Returns the number of processors. */
	result<int> try_start() const noexcept
	{
		return number(gperfctr_start(get(), 0));
	}
	result<> try_stop() const noexcept
	{
		return detail::done(gperfctr_stop(get()));
	}
	result<gperfctr_cpu_state> try_read(unsigned int processor) const noexcept
	{
		gperfctr_cpu_state state{};

		state.cpu = processor;
		if (gperfctr_read(get(), &state) < 0)
			return failure::last();
		return state;
	}
	result<struct perfctr_info> try_info() const noexcept
	{
		return detail::filled<struct perfctr_info>(gperfctr_info, get());
	}
#if PERFCTR_THROWS
	static global_counters open()
	{
		return try_open().value();
	}
	int start() const
	{
		return try_start().value();
	}
#endif
	PERFCTR_THROWING_CONST(control);
	PERFCTR_THROWING_CONST(stop);
	PERFCTR_THROWING_CONST(read);
	PERFCTR_THROWING_CONST(info);

private:
	static result<int> number(int status) noexcept
	{
		if (status < 0)
			return failure::last();
		return status;
	}
};

/* What threads' virtual counters add up to, ended ones included. */
class total : public detail::owning<perfctr_total, perfctr_total_destroy>
{
public:
	struct sums {
		perfctr_sum_ctrs counts;
		unsigned int threads;
	};

	total() noexcept = default;

	static result<total> try_create() noexcept
	{
		return adopt<total>(perfctr_total_create());
	}
	result<> try_add(const thread_counters &counted) noexcept
	{
		return detail::done(perfctr_total_add(get(), counted.get()));
	}
	result<sums> try_read() noexcept
	{
		sums found{};

		if (perfctr_total_read(get(), &found.counts, &found.threads) < 0)
			return failure::last();
		return found;
	}
#if PERFCTR_THROWS
	static total create()
	{
		return try_create().value();
	}
#endif
	PERFCTR_THROWING(add);
	PERFCTR_THROWING(read);

private:
};

/* ---- the machine ---- */

/* A finding of the doctor's, whose strings are its own. */
struct finding {
	std::string name, state, remedy;
	bool ok;
};

/* What decides which events can be counted here. */
inline result<std::vector<finding>> try_doctor()
{
	std::vector<finding> found;
	auto keep = [&found](const perfctr_check &c) {
		found.push_back(finding{ c.name, c.state, c.remedy, c.ok != 0 });
	};
	detail::visitor<perfctr_check, decltype(keep)> visitor(keep);

	if (auto done = visitor.finish(perfctr_doctor(visitor.call, &visitor)); !done)
		return done.error();
	return found;
}

/* This machine's processor; its id is empty if the library has none. */
struct processor {
	std::string_view id, name;
};
inline result<processor> try_native_processor() noexcept
{
	const char *id, *name;

	if (perfctr_cpu_native(&id, &name) < 0)
		return failure::last();
	return processor{ id, name };
}
/* Facts about the processor and the provider that an open would choose. */
inline result<struct perfctr_info> try_info() noexcept
{
	return detail::filled<struct perfctr_info>(perfctr_get_info);
}
/* "driver" or "perf". */
inline result<std::string_view> try_provider() noexcept
{
	const char *name = perfctr_provider_name();

	if (!name)
		return failure::last();
	return std::string_view(name);
}
PERFCTR_THROWING(doctor);
PERFCTR_THROWING(native_processor);
PERFCTR_THROWING(info);
PERFCTR_THROWING(provider);

} // namespace perfctr

#undef PERFCTR_THROWING_AS
#undef PERFCTR_THROWING
#undef PERFCTR_THROWING_CONST

#pragma GCC diagnostic pop
#endif /* PERFCTR_HPP */
