// SPDX-License-Identifier: LGPL-2.1-or-later
/* One perf event: it is opened, mapped, read, switched and closed here. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/isa/identify.h"
#include "lib/isa/native.h"
#include "lib/isa/offer.h"
#include "lib/isa/pmu.h"
#include "lib/perf/core_types.h"
#include "lib/perf/topdown.h"
#include "lib/perf/counter.h"
#include "lib/perf/guests.h"
#include "lib/perf/sys.h"
#include "lib/perf/why.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/* arm64, attr.config1: a 64-bit counter; readable in user space (Documentation/arm64/perf.rst). */
#define ARM64_LONG  1u
#define ARM64_RDPMC 2u

#define ENDING_TRIES 10000

/* On RISC-V a page describes its counter only while the event is in one. */
#ifdef __riscv
#define PAGES_COME_LATE true
#else
#define PAGES_COME_LATE false
#endif

/* Whether a page has the width of its counter. */
#ifdef __powerpc64__
#define PAGES_HAVE_WIDTHS false
#else
#define PAGES_HAVE_WIDTHS !PAGES_COME_LATE
#endif

const struct perfctr_scope perfctr_this_thread = { .cpu = -1, .cgroup = -1 };

#ifdef __aarch64__
/* Whether it is an event of a core type's own PMU. */
static bool is_of_core(const struct perf_event_attr *attr)
{
	struct perfctr_pmu cores[PERFCTR_VARIANTS_MAX];
	int i, n = perfctr_core_pmus(cores);

	for (i = 0; i < n; i++)
		if (cores[i].type == attr->type)
			return true;
	return false;
}
#endif

/*
 * Only the calling thread's own hardware events can be read in user space. On arm64 an event of one
 * core type could, too, but Linux 6.1 then leaves the counters of another type's processor open to
 * a thread that goes there. One that is open on all types counts there, too.
 */
static bool wants_user_access(const struct perf_event_attr *attr, const struct perfctr_scope *scope)
{
#ifdef __aarch64__
	return scope->tid == 0 && scope->cpu == -1 && !scope->sampled && attr->config1 == 0 &&
	       !attr->inherit &&
	       (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
		attr->type == PERF_TYPE_RAW || (scope->types && is_of_core(attr)));
#else
	(void)attr, (void)scope;
	return false;
#endif
}

/*
 * RISC-V's firmware keeps its events in its own memory, but the page names a register for them,
 * which counts something else (Linux up to 7.2). Bit 63 of a raw code marks them.
 */
static bool is_firmware(const struct perf_event_attr *attr)
{
#ifdef __riscv
	return attr->type == PERF_TYPE_RAW && attr->config >> 63;
#else
	(void)attr;
	return false;
#endif
}

/*
 * In the mode "legacy", RISC-V's administrator lets all programs read the cycle and the instruction
 * counter. The kernel's events of these use those very counters, which count all modes.
 */
static bool ignores_modes(const struct perf_event_attr *attr)
{
#ifdef __riscv
	long access;

	/* The firmware has no modes either. */
	if (is_firmware(attr))
		return attr->exclude_user | attr->exclude_kernel;
	return attr->type == PERF_TYPE_HARDWARE && attr->exclude_user | attr->exclude_kernel &&
	       (attr->config == PERF_COUNT_HW_CPU_CYCLES ||
		attr->config == PERF_COUNT_HW_INSTRUCTIONS) &&
	       perfctr_file_number("/proc/sys/kernel/perf_user_access", &access) == 0 &&
	       access == 2;
#else
	(void)attr;
	return false;
#endif
}

/* The thread, processor and group of a new event. */
struct place {
	const struct perfctr_scope *scope;
	int group_fd;
};

static inline int open_event(const struct perf_event_attr *attr, const struct place *place)
{
	const struct perfctr_scope *scope = place->scope;
	bool cgroup = scope->cgroup >= 0;

	if (scope->kept)
		return perfctr_event_open_kept(attr, cgroup ? scope->cgroup : scope->tid,
					       scope->cpu, place->group_fd,
					       cgroup ? PERF_FLAG_PID_CGROUP : 0);
	return cgroup ? perfctr_event_open_cgroup(attr, scope->cgroup, scope->cpu, place->group_fd)
		      : perfctr_event_open(attr, scope->tid, scope->cpu, place->group_fd);
}

/* A field that the PMU does not have is not set, although the kernel would drop it. */
static bool offers(const struct perf_event_attr *attr)
{
	int error = errno;
	bool offered = perfctr_attr_check(attr, "", 0) == 0;

	errno = error;
	return offered;
}

/* Tries first with features that not all PMUs or kernels have. */
static int open_best(struct perf_event_attr *attr, const void *arg)
{
	static const unsigned int access[] = { ARM64_LONG | ARM64_RDPMC, ARM64_RDPMC };
	const struct place *place = arg;
	unsigned int i;
	int fd;

	for (i = 0; wants_user_access(attr, place->scope) && i < ARRAY_SIZE(access); i++) {
		struct perf_event_attr wanted = *attr;

		wanted.config1 = access[i];
		if (!offers(&wanted))
			continue;
		fd = open_event(&wanted, place);
		if (fd >= 0 || (errno != EINVAL && errno != EOPNOTSUPP))
			return fd;
	}
	fd = open_event(attr, place);
	if (fd >= 0 || errno != EINVAL || !(attr->read_format & PERFCTR_FORMAT_LOST))
		return fd;
	attr->read_format &= ~(uint64_t)PERFCTR_FORMAT_LOST;
	return open_event(attr, place);
}

static void begin(struct perfctr_counter *counter, const struct perf_event_attr *attr)
{
	*counter = (struct perfctr_counter){
		.fd = -1,
		.software = attr->type == PERF_TYPE_SOFTWARE,
		.slots = perfctr_event_is_slots(attr),
		.metric = perfctr_event_is_metric(attr),
		.no_user = attr->exclude_user,
		.no_kernel = attr->exclude_kernel,
		.firmware = is_firmware(attr),
	};
}

static int open_counter(struct perfctr_counter *counter, struct perf_event_attr *attr,
			const struct perfctr_scope *scope, const struct perfctr_counter *leader)
{
	const struct place place = { scope, leader ? leader->fd : -1 };
	enum perfctr_guests guests = leader ? leader->guests : PERFCTR_GUESTS_ANY;

	counter->types = scope->types;
	if (ignores_modes(attr)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	counter->fd = perfctr_guests_open(attr, &guests, open_best, &place);
	counter->guests = (unsigned int)guests & 3;
	counter->identity = (uint32_t)perfctr_descriptor_noted(counter->fd);
	return counter->fd < 0 ? -1 : 0;
}

int perfctr_counter_try(struct perfctr_counter *counter, struct perf_event_attr *attr,
			const struct perfctr_scope *scope, const struct perfctr_counter *leader)
{
	begin(counter, attr);
	return open_counter(counter, attr, scope, leader);
}

/*
 * The registers of slots and of shares start at zero together, so that slots can't have a period;
 * and a share counts in the modes of slots, whatever its own attr says.
 */
static int check_metric(const struct perfctr_counter *counter, const char *name,
			const struct perfctr_scope *scope, const struct perfctr_counter *leader)
{
	if (!counter->metric)
		return 0;
	if (scope->sampled)
		return perfctr_fail(EOPNOTSUPP,
				    "%s can be counted but not sampled: it is a top-down metric, a "
				    "share of the slots; sample slots, or count {slots,%s}",
				    name, name);
	if (!(leader && leader->slots))
		return perfctr_fail(
			EINVAL,
			"%s is a top-down metric, a share of the slots: it counts only in a "
			"group that slots leads; write {slots,%s}",
			name, name);
	if (counter->no_user != leader->no_user || counter->no_kernel != leader->no_kernel)
		return perfctr_fail(
			EINVAL,
			"%s is a top-down metric, a share of the slots, and counts in the modes "
			"that slots counts in; give both the same modifiers, as in "
			"{slots:u,topdown-retiring:u}",
			name);
	return 0;
}

int perfctr_counter_open(struct perfctr_counter *counter, struct perf_event_attr *attr,
			 const char *name, const struct perfctr_scope *scope,
			 const struct perfctr_counter *leader, unsigned int members)
{
	int error;

	begin(counter, attr);
	if (check_metric(counter, name, scope, leader) < 0)
		return -1;
	if (open_counter(counter, attr, scope, leader) == 0)
		return 0;
	error = errno;
	/* Linux 6.18 looks at the leader first: "no device" once its thread has ended. */
	if (error == ENODEV && leader && scope->tid > 0)
		error = ESRCH;
	/* The kernel has no errno of its own for a missing processor. */
	if (scope->cpu >= 0 && (error == EINVAL || error == ENODEV) &&
	    perfctr_cpu_online((unsigned int)scope->cpu) < 0)
		return -1;
	return (scope->sampled ? perfctr_why_not_sampled : perfctr_why_not)(error, attr, name,
									    scope->tid, members);
}

#ifdef __powerpc64__

/*
 * The kernel never says whether it may, but names the counter in the page of each event that has
 * one.
 */
static bool may_be_read(const struct perf_event_mmap_page *page)
{
	(void)page;
	return perfctr_is_readable();
}

#else

/*
 * RISC-V's kernel says so only while the event is in a register, which it is not when it is mapped.
 * Where the administrator allows it, all hardware events can be read.
 */
static bool may_be_read(const struct perf_event_mmap_page *page)
{
	long access;

	return page->cap_user_rdpmc ||
	       (PAGES_COME_LATE && !page->index &&
		perfctr_file_number("/proc/sys/kernel/perf_user_access", &access) == 0 &&
		access > 0);
}

#endif

/*
 * On a hybrid machine a page is mapped only for readers in restartable sequences: between the reads
 * of the index and of the counter the thread may be moved to a core type that has fewer counters
 * (x86), or that allows no user access (arm64), and the instruction would kill it.
 */
static bool may_map(struct perfctr_counter *counter)
{
	if (counter->metric || counter->firmware)
		return false;
	if (!perfctr_may_change_kind())
		return true;
	counter->kernel_reads = true;
	return counter->types && perfctr_rseq_here();
}

bool perfctr_counter_map(struct perfctr_counter *counter, enum perfctr_page_use use)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int error = errno;
	void *page;

	if (use == PERFCTR_PAGE_COUNT && !may_map(counter))
		return false;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, counter->fd, 0);
	if (page == MAP_FAILED) {
		errno = error; /* not an error: reads go through the kernel */
		return false;
	}
	counter->page = page;
	counter->size = (unsigned int)size;
	if (use == PERFCTR_PAGE_COUNT ? PERFCTR_HAVE_RDPMC && may_be_read(counter->page)
				      : PERFCTR_HAVE_RDTSC && counter->page->cap_user_time)
		return true;
	perfctr_counter_unmap(counter);
	return false;
}

void perfctr_counter_unmap(struct perfctr_counter *counter)
{
	if (counter->page)
		munmap(counter->page, counter->size);
	counter->page = NULL;
}

int perfctr_counter_arm(struct perfctr_counter *counter, int signal)
{
	if (perfctr_counter_map_ring(counter, (size_t)sysconf(_SC_PAGESIZE), true) < 0)
		return -1;
	counter->kernel_reads = counter->metric || counter->firmware || perfctr_may_change_kind();
	return perfctr_counter_signal(counter, signal);
}

void perfctr_counter_close(struct perfctr_counter *counter)
{
	int error = errno;

	perfctr_counter_unmap(counter);
	if (counter->fd >= 0 && perfctr_counter_is_own(counter))
		perfctr_descriptor_drop(counter->fd, counter->identity);
	counter->fd = -1;
	errno = error;
}

void perfctr_counter_end(struct perfctr_counter *counter)
{
	int error = errno;
	bool is_own = counter->fd >= 0 && perfctr_counter_is_own(counter);

	if (is_own)
		perfctr_call_ioctl(counter->fd, PERF_EVENT_IOC_DISABLE, 0);
	perfctr_counter_unmap(counter);
	if (is_own)
		perfctr_descriptor_drop(counter->fd, counter->identity);
	counter->fd = -1;
	errno = error;
}

void perfctr_counter_close_in(struct perfctr_counter *counter, struct perfctr_descriptor_run *run)
{
	perfctr_counter_unmap(counter);
	if (counter->fd >= 0)
		perfctr_descriptor_run_add(run, counter->fd);
	counter->fd = -1;
}

int perfctr_counter_check(const struct perfctr_counter *counter)
{
	return perfctr_likely(perfctr_counter_is_own(counter))
		       ? 0
		       : perfctr_descriptor_fail("the counters");
}

void perfctr_counter_reader(const struct perfctr_counter *counter, struct perfctr_reader *reader)
{
	/* The index of this page is 0: "not in a register". */
	static const struct perf_event_mmap_page nowhere;

	memset(reader, 0, sizeof(*reader));
	reader->page = counter->page && !counter->kernel_reads ? counter->page : &nowhere;
	/*
	 * The PMU has one width for all times, except on RISC-V, where readers look at the page,
	 * and on POWER, where they know it. An impossible one would shift out of range.
	 */
	if (reader->page != &nowhere && PAGES_HAVE_WIDTHS) {
		unsigned int width = counter->page->pmc_width;

		if (width >= 1 && width <= 64)
			reader->shift = 64 - width;
		else
			reader->page = &nowhere;
	}
}

/* Calls read(2): bytes, or -1 after perfctr_fail(EIO). */
static inline ssize_t read_at_once(const struct perfctr_counter *counter, void *bytes, size_t size)
{
	unsigned int tries = 0;
	ssize_t got;

	/*
	 * ECHILD: the kernel is taking an inherited group apart, since its thread ends (Linux 6.6
	 * and others).
	 */
	do {
		got = perfctr_call_read(counter->fd, bytes, size);
	} while (got < 0 && (errno == EINTR ||
			     (errno == ECHILD && tries++ < ENDING_TRIES && sched_yield() == 0)));
	return got >= 0 ? got
			: perfctr_fail(EIO, "reading the counters failed: %s", strerror(errno));
}

static inline ssize_t read_bytes(const struct perfctr_counter *counter, void *bytes, size_t size)
{
	return perfctr_counter_check(counter) < 0 ? -1 : read_at_once(counter, bytes, size);
}

enum perfctr_outcome perfctr_counter_read(const struct perfctr_counter *counter,
					  struct perfctr_group_values *values, size_t n)
{
	size_t size = offsetof(struct perfctr_group_values, values) + n * sizeof(values->values[0]);
	ssize_t got = read_bytes(counter, values, size);

	if (got <= 0)
		return got < 0 ? PERFCTR_READ_FAILED : PERFCTR_READ_TAKEN;
	if (n > 1 && values->nr == 1)
		return PERFCTR_READ_DISSOLVED;
	if ((size_t)got == size && values->nr == n)
		return PERFCTR_READ_DONE;
	perfctr_fail(EIO, "the kernel returned %zd bytes for a group of %zu counters", got, n);
	return PERFCTR_READ_FAILED;
}

static int call(const struct perfctr_counter *counter, unsigned long request,
		unsigned long argument)
{
	int result;

	do {
		result = perfctr_call_ioctl(counter->fd, request, argument);
	} while (result < 0 && errno == EINTR);
	return result;
}

int perfctr_counter_request(const struct perfctr_counter *counter, unsigned long request,
			    unsigned long argument)
{
	if (perfctr_likely(perfctr_counter_is_own(counter)))
		return call(counter, request, argument);
	errno = ESTALE;
	return -1;
}

static int refused(void)
{
	return errno == ESTALE
		       ? perfctr_descriptor_fail("the counters")
		       : perfctr_fail(errno, "the kernel refused to switch the counters: %s",
				      strerror(errno));
}

int perfctr_counter_ioctl(const struct perfctr_counter *counter, unsigned long request,
			  unsigned long argument)
{
	return perfctr_likely(perfctr_counter_request(counter, request, argument) >= 0) ? 0
											: refused();
}

int perfctr_counter_ioctl_at_once(const struct perfctr_counter *counter, unsigned long request,
				  unsigned long argument)
{
	return perfctr_likely(call(counter, request, argument) >= 0) ? 0 : refused();
}

int perfctr_counter_id(const struct perfctr_counter *counter, uint64_t *id)
{
	if (perfctr_counter_request(counter, PERF_EVENT_IOC_ID, (uintptr_t)id) < 0)
		return errno == ESTALE
			       ? perfctr_descriptor_fail("the counters")
			       : perfctr_fail(errno, "the kernel does not tell the event's id: %s",
					      strerror(errno));
	return 0;
}

/* The kernel knows all events that a thread has created, whichever threads they count. */
static int switch_all(int request)
{
	if (prctl(request) < 0)
		return perfctr_fail(
			errno == EINVAL ? EOPNOTSUPP : errno,
			"the kernel can't switch all events: %s; use one with "
			"CONFIG_PERF_EVENTS, or allow prctl(2) in the container's profile",
			strerror(errno));
	return 0;
}

static unsigned int starts;

unsigned int perfctr_counter_starts(void)
{
	return __atomic_load_n(&starts, __ATOMIC_RELAXED);
}

int perfctr_enable_all(void)
{
	__atomic_add_fetch(&starts, 1, __ATOMIC_RELAXED);
	return switch_all(PR_TASK_PERF_EVENTS_ENABLE);
}

int perfctr_disable_all(void)
{
	return switch_all(PR_TASK_PERF_EVENTS_DISABLE);
}

int perfctr_counter_map_ring(struct perfctr_counter *counter, size_t size, bool overwrite)
{
	size_t all = (size_t)sysconf(_SC_PAGESIZE) + size;
	/*
	 * Without PROT_WRITE a program can't say how far it has read: the kernel then overwrites.
	 */
	void *page = mmap(NULL, all, PROT_READ | (overwrite ? 0 : PROT_WRITE), MAP_SHARED,
			  counter->fd, 0);

	counter->page = page == MAP_FAILED ? NULL : page;
	if (!counter->page)
		return perfctr_why_no_ring(errno, size);
	counter->size = (unsigned int)all;
	return 0;
}

int perfctr_counter_signal(const struct perfctr_counter *counter, int signal)
{
	struct f_owner_ex owner = { F_OWNER_TID, (pid_t)syscall(SYS_gettid) };
	int flags;

	if (fcntl(counter->fd, F_SETSIG, signal) < 0 ||
	    fcntl(counter->fd, F_SETOWN_EX, &owner) < 0 ||
	    (flags = fcntl(counter->fd, F_GETFL)) < 0 ||
	    fcntl(counter->fd, F_SETFL, flags | O_ASYNC) < 0)
		return perfctr_fail(errno, "signal %d can't be sent at overflows: %s", signal,
				    strerror(errno));
	return 0;
}

ssize_t perfctr_counter_words(const struct perfctr_counter *leader, uint64_t *words, size_t room)
{
	ssize_t got = read_bytes(leader, words, room * sizeof(*words));

	return got < 0 ? -1 : got / (ssize_t)sizeof(*words);
}

ssize_t perfctr_counter_words_at_once(const struct perfctr_counter *leader, uint64_t *words,
				      size_t room)
{
	ssize_t got = read_at_once(leader, words, room * sizeof(*words));

	return got < 0 ? -1 : got / (ssize_t)sizeof(*words);
}
