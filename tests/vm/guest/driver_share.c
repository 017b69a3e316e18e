// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * arm64: the driver and perf_events have the counters together. Each has its own, counts as if it
 * were alone, and is not seen by the other.
 */
#include <signal.h>
#include <sys/wait.h>
#include "tests/vm/guest/driver.h"

#define CYCLES	   31
#define N	   1000000ul
#define EVENTS_MAX 12

static int device;

/* ---- perf_events' counters ---- */

struct kind {
	uint64_t config, config1, period;
	bool pinned, inherit;
	int cpu; /* all of it; -1: this thread's user mode */
};

static int open_perf(const struct kind *kind)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = kind->config,
		.config1 = kind->config1,
		.sample_period = kind->period,
		.sample_type = kind->period ? PERF_SAMPLE_IP : 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = kind->pinned,
		.inherit = kind->inherit,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, kind->cpu < 0 ? 0 : -1, kind->cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

struct times {
	uint64_t count, enabled, running;
};

/* False: it is pinned, and found no counter. */
static bool read_perf(int fd, struct times *times)
{
	return read(fd, times, sizeof(*times)) == sizeof(*times);
}

static void close_all(const int fd[], unsigned int n)
{
	while (n--)
		close(fd[n]);
}

/* ---- ours ---- */

/* Instructions in counter 0 and cycles, which are instructions in QEMU. */
static struct vperfctr_control both(void)
{
	struct vperfctr_control c = instructions(2);

	c.cpu_control.pmc_map[1] = CYCLES;
	c.cpu_control.evntsel[1] = EVNTSEL_P | 0x11;
	return c;
}

static int count(struct handle *h, const struct vperfctr_control *c)
{
	CHECK(open_state(device, h) == 0 && set_control(h->fd, c) == 0, "control");
	return 0;
}

static int exact(const struct handle *h, unsigned long n)
{
	CHECK(counts_exactly(h, 0, n) && counts_exactly(h, 1, n), "beside perf_events");
	return 0;
}

/* ---- the tests ---- */

/* Six event counters and that for cycles are there, of which two are ours. */
static int pinned(void)
{
	struct kind kind = { .pinned = true, .cpu = -1 };
	struct vperfctr_control c = both();
	struct times before, after;
	unsigned int i, counted = 0;
	struct handle h;
	int fd[8];

	if (count(&h, &c))
		return 1;
	for (i = 0; i < 8; i++) {
		kind.config = i & 1 ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES;
		fd[i] = open_perf(&kind);
		CHECK(fd[i] >= 0, "perf_event_open");
	}
	if (exact(&h, N))
		return 1;
	for (i = 0; i < 8; i++) {
		if (!read_perf(fd[i], &before))
			continue;
		counted++;
		loop(N);
		CHECK(read_perf(fd[i], &after), "read");
		CHECK(after.count - before.count >= 2 * N &&
			      after.count - before.count < 2 * N + 2000,
		      "event %u: %llu", i, (unsigned long long)(after.count - before.count));
		CHECK(after.enabled == after.running, "event %u was off", i);
	}
	CHECK(counted == 5, "%u of 8 events have counters", counted);
	close_all(fd, 8);
	close_state(&h);
	return 0;
}

static int multiplexed(void)
{
	struct kind kind = { .config = PERF_COUNT_HW_INSTRUCTIONS, .cpu = -1 };
	struct vperfctr_control c = both();
	struct times times;
	struct handle h;
	int fd[EVENTS_MAX];
	unsigned int i;
	double scaled;

	if (count(&h, &c))
		return 1;
	for (i = 0; i < EVENTS_MAX; i++) {
		fd[i] = open_perf(&kind);
		CHECK(fd[i] >= 0, "perf_event_open");
	}
	if (exact(&h, 100 * N))
		return 1;
	for (i = 0; i < EVENTS_MAX; i++) {
		CHECK(read_perf(fd[i], &times), "read");
		CHECK(times.running && times.running < times.enabled, "event %u", i);
		scaled = (double)times.count * (double)times.enabled / (double)times.running;
		CHECK(scaled > 380e6 && scaled < 420e6, "event %u: %.0f", i, scaled);
	}
	close_all(fd, EVENTS_MAX);
	close_state(&h);
	return 0;
}

static volatile unsigned int overflows;
static int state;

static void overflowed(int signal)
{
	(void)signal;
	overflows++;
	ioctl(state, PERFCTR_IOC_IRESUME);
}

/* Both are interrupted, by the one interrupt. QEMU's event counters do so on entry to the kernel.
 */
static int sampling(void)
{
	struct kind kind = { .config = PERF_COUNT_HW_INSTRUCTIONS, .period = 100000, .cpu = -1 };
	struct vperfctr_control c = both();
	volatile struct perf_event_mmap_page *ring;
	struct times before, after;
	struct handle h;
	int fd;

	signal(SIGUSR1, overflowed);
	c.si_signo = SIGUSR1;
	c.cpu_control.nractrs = c.cpu_control.nrictrs = 1;
	c.cpu_control.ireset[1] = -200000;
	if (count(&h, &c))
		return 1;
	state = h.fd;
	overflows = 0;
	fd = open_perf(&kind);
	ring = mmap(NULL, 9 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(fd >= 0 && ring != MAP_FAILED, "perf_event_open");
	CHECK(read_perf(fd, &before), "read");
	loop(20 * N);
	CHECK(read_perf(fd, &after), "read");
	/* 40 million, and those of the signals. */
	CHECK(overflows >= 200 && overflows <= 202, "%u signals", overflows);
	CHECK(after.count - before.count > 40 * N && after.count - before.count < 41 * N, "%llu",
	      (unsigned long long)(after.count - before.count));
	CHECK(ring->data_head >= 16 * 100, "%llu bytes of samples",
	      (unsigned long long)ring->data_head);
	munmap((void *)(uintptr_t)ring, 9 * 4096);
	close(fd);
	close_state(&h);
	return 0;
}

/* What somebody counts on a whole processor stays his; with it gone, the counter can be had. */
static int a_processor_s(void)
{
	struct kind kind = { .config = PERF_COUNT_HW_CPU_CYCLES, .pinned = true, .cpu = 0 };
	struct vperfctr_control c = both();
	struct times times;
	struct handle h;
	int fd = open_perf(&kind);

	CHECK(fd >= 0 && read_perf(fd, &times), "perf_event_open");
	CHECK(open_state(device, &h) == 0, "open");
	CHECK(set_control(h.fd, &c) < 0 && errno == EBUSY, "errno %d", errno);
	c.cpu_control.nractrs = 1;
	CHECK(set_control(h.fd, &c) == 0 && counts_exactly(&h, 0, N), "the other counter");
	close(fd);
	c = both();
	CHECK(set_control(h.fd, &c) == 0 && exact(&h, N) == 0, "once it is free");
	close_state(&h);
	return 0;
}

static int pinned_events(unsigned int n)
{
	struct kind kind = { .config = PERF_COUNT_HW_INSTRUCTIONS, .pinned = true, .cpu = -1 };
	unsigned int i, counted = 0;
	struct times times;
	int fd[EVENTS_MAX];

	for (i = 0; i < n; i++)
		fd[i] = open_perf(&kind);
	for (i = 0; i < n; i++)
		counted += read_perf(fd[i], &times);
	close_all(fd, n);
	return (int)counted;
}

/* Taken when a control needs them, given back when none does. */
static int given_back(void)
{
	struct vperfctr_control four = instructions(4), one = instructions(1),
				none = instructions(0);
	struct handle h;

	CHECK(pinned_events(7) == 6, "at first");
	if (count(&h, &four))
		return 1;
	CHECK(pinned_events(7) == 2, "four are ours");
	CHECK(set_control(h.fd, &one) == 0 && pinned_events(7) == 5, "one is");
	CHECK(set_control(h.fd, &none) == 0 && pinned_events(7) == 6, "none is");
	CHECK(set_control(h.fd, &four) == 0 && pinned_events(7) == 2, "four again");
	close_state(&h);
	CHECK(pinned_events(7) == 6, "at the end");
	return 0;
}

/* Two counters' values, read over perf_events by one who may count the TSC: 0 if they are 0. */
static int read_over_perf(bool with_tsc)
{
	struct kind kind = { .config = PERF_COUNT_HW_INSTRUCTIONS, .config1 = 2, .cpu = -1 };
	struct vperfctr_control tsc = instructions(0);
	struct handle h;
	void *page;
	int fd;

	if (with_tsc && count(&h, &tsc))
		return 1;
	fd = open_perf(&kind);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	return fd < 0 || page == MAP_FAILED ? 1 : rdpmc(0) || rdpmc(CYCLES) ? 2 : 0;
}

/* Somebody whom perf_events lets read does not see what another process has counted. */
static int hidden_from_readers(void)
{
	struct vperfctr_control c = both();
	struct handle h;
	int status, k;
	pid_t pid;

	if (!perf_has_readers()) {
		printf("  nobody reads in user mode here\n");
		return 0;
	}
	pin(0);
	if (count(&h, &c))
		return 1;
	for (k = 0; k < 2; k++) {
		loop(N);
		pid = fork();
		if (pid == 0)
			_exit(read_over_perf(k));
		CHECK(waitpid(pid, &status, 0) == pid && status == 0, "%d: status 0x%X", k, status);
	}
	if (exact(&h, N))
		return 1;
	close_state(&h);
	return 0;
}

/* A reader of perf_events' who counts with us, and no longer reads by us. */
static int reader_reads_on(void)
{
	struct kind kind = { .config = PERF_COUNT_HW_INSTRUCTIONS, .config1 = 2, .cpu = -1 };
	struct vperfctr_control c = instructions(1);
	const volatile struct perf_event_mmap_page *page;
	uint32_t before, after;
	struct handle h;
	int fd;

	if (!perf_has_readers())
		return 0;
	fd = open_perf(&kind);
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(fd >= 0 && page != MAP_FAILED && page->index, "perf_event_open");
	c.cpu_control.pmc_map[0] = 5; /* which he does not have */
	if (count(&h, &c))
		return 1;
	c.cpu_control.tsc_on = 0;
	CHECK(set_control(h.fd, &c) == 0, "without the TSC");
	before = rdpmc(page->index - 1);
	loop(N);
	after = rdpmc(page->index - 1);
	CHECK(after - before >= 2 * N && after - before < 2 * N + 2000, "%u", after - before);
	munmap((void *)(uintptr_t)page, 4096);
	close(fd);
	close_state(&h);
	return 0;
}

static int count_and_loop(uint64_t n)
{
	static struct handle h;
	struct vperfctr_control c = both();

	c.cpu_control.pmc_map[0] = 5;
	if (!h.page && count(&h, &c))
		return -1;
	loop(n);
	return 0;
}

/* A counter that was given back, and is taken by the same program, while another is in use. */
static int taken_anew(void)
{
	struct vperfctr_control one = instructions(1);
	struct helper other;
	struct handle h;
	unsigned int k;

	CHECK(start_helper(&other, count_and_loop) == 0 && order(&other, 1) == 0, "helper");
	for (k = 0; k < 2; k++) {
		if (count(&h, &one))
			return 1;
		CHECK(counts_exactly(&h, 0, N), "time %u", k);
		close_state(&h);
	}
	end_helper(&other);
	return 0;
}

/* His child has inherited his event, so that perf_events does nothing between the two. */
static int hidden_from_parents(void)
{
	struct kind kind = { PERF_COUNT_HW_INSTRUCTIONS, .config1 = 2, .inherit = true, .cpu = -1 };
	struct helper child;
	unsigned int k;
	int fd;

	if (!perf_has_readers())
		return 0;
	fd = open_perf(&kind);
	CHECK(fd >= 0 && start_helper(&child, count_and_loop) == 0, "perf_event_open");
	for (k = 0; k < 10; k++) {
		CHECK(order(&child, 1000) == 0, "child");
		CHECK(rdpmc(5) == 0 && rdpmc(CYCLES) == 0, "%u, %u", rdpmc(5), rdpmc(CYCLES));
	}
	end_helper(&child);
	close(fd);
	return 0;
}

/* ---- perf_events forbids reads later than it could ---- */

enum { FORBIDDEN, ALLOWED, SEEN };

/* Reads over perf_events, ends that, and the whole process. */
static int read_and_close(void)
{
	struct kind kind = { .config = PERF_COUNT_HW_INSTRUCTIONS, .config1 = 2, .cpu = -1 };
	int fd = open_perf(&kind);
	const volatile struct perf_event_mmap_page *page;

	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(fd >= 0 && page != MAP_FAILED && page->index, "perf_event_open");
	rdpmc(page->index - 1);
	munmap((void *)(uintptr_t)page, 4096);
	close(fd);
	return 0;
}

/* Whether a process that counts nothing reads our counters after such a one. */
static int read_after_reader(int *outcome)
{
	int status;
	pid_t pid;

	if (in_child(NOBODY, read_and_close))
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(rdpmc(0) || rdpmc(CYCLES) ? SEEN : ALLOWED);
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(WIFEXITED(status) || WTERMSIG(status) == READ_SIGNAL, "status 0x%X", status);
	*outcome = WIFEXITED(status) ? WEXITSTATUS(status) : FORBIDDEN;
	return 0;
}

static int allowed_beside_us;

/* The kernel writes PMUSERENR_EL0 when it starts a processor's events, and not when one is closed.
 */
static int read_after_last_reader(void)
{
	struct vperfctr_control c = both();
	struct handle h;
	int outcome;

	if (!perf_has_readers())
		return 0;
	pin(0);
	if (count(&h, &c))
		return 1;
	loop(N);
	if (read_after_reader(&outcome) || exact(&h, N))
		return 1;
	CHECK(outcome != SEEN, "another process sees our counts");
	allowed_beside_us = outcome == ALLOWED;
	close_state(&h);
	return 0;
}

/* Without the driver perf_events has all counters, and nobody reads but as the kernel lets him. */
static int after_unload(void)
{
	struct kind kind = { .config = PERF_COUNT_HW_INSTRUCTIONS, .cpu = -1 };
	struct times before, after;
	int fd, status, outcome = FORBIDDEN;
	pid_t pid;

	close(device);
	CHECK(unload_driver() == 0, "unload");
	CHECK(pinned_events(7) == 6, "counters are missing");
	if (perf_has_readers() && read_after_reader(&outcome))
		return 1;
	printf("  after a reader over perf_events reads are %s, and beside us %s\n",
	       outcome ? "allowed" : "forbidden", allowed_beside_us ? "allowed" : "forbidden");
	CHECK(outcome || !allowed_beside_us, "only the driver lets others read");
	fd = open_perf(&kind);
	CHECK(fd >= 0 && read_perf(fd, &before), "perf_event_open");
	loop(N);
	CHECK(read_perf(fd, &after) && after.count - before.count >= 2 * N &&
		      after.count - before.count < 2 * N + 2000,
	      "%llu", (unsigned long long)(after.count - before.count));
	close(fd);
	pid = fork();
	if (pid == 0) {
		rdpmc(0);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
		      WTERMSIG(status) == READ_SIGNAL,
	      "status 0x%X", status);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
		TEST(pinned),	       TEST(multiplexed),
		TEST(sampling),	       TEST(a_processor_s),
		TEST(given_back),      TEST(hidden_from_readers),
		TEST(reader_reads_on), TEST(hidden_from_parents),
		TEST(taken_anew),      TEST(read_after_last_reader),
		TEST(after_unload),
	};

	return run_driver_tests(tests, sizeof(tests) / sizeof(tests[0]), &device) != 0;
}
