// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The driver and perf_events in one kernel. Who has the processor's counters keeps them until his
 * last user has gone; the other is told that they are busy, keeps what needs none (the TSC,
 * software events), and counts to the instruction once they are free. Exit status 0 if all is well.
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "tests/vm/guest/driver.h"

#define ALTERNATIONS 100
#define PERIOD	     100000u

static int device;

/* ---- perf_events' side ---- */

static int perf_open(uint32_t type, uint64_t config, uint64_t period, int cpu)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP,
		.wakeup_events = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int perf_instructions(void)
{
	return perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1);
}

static uint64_t perf_value(int fd)
{
	uint64_t value = 0;

	if (read(fd, &value, sizeof(value)) != sizeof(value))
		return 0;
	return value;
}

static __attribute__((noinline)) uint64_t perf_measure(int fd, unsigned long n)
{
	uint64_t before = perf_value(fd);

	loop(n);
	return perf_value(fd) - before;
}

static bool perf_counts_exactly(int fd)
{
	uint64_t few, many;

	perf_measure(fd, 1);
	few = perf_measure(fd, 1000);
	many = perf_measure(fd, 101000);
	return many - few == 200000;
}

/* ---- what each side can do while the other has the counters ---- */

static int perf_is_locked_out(void)
{
	uint64_t before;
	int fd;

	CHECK(perf_instructions() < 0 && errno == EBUSY, "perf_events counts beside the driver");
	CHECK(perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD, -1) < 0 &&
		      errno == EBUSY,
	      "perf_events samples beside the driver");
	CHECK(perf_open(PERF_TYPE_RAW, 0xC0, 0, 0) < 0 && errno == EBUSY, "a whole CPU");
	fd = perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, -1);
	CHECK(fd >= 0, "a software event");
	before = perf_value(fd);
	loop(100000);
	CHECK(perf_value(fd) > before, "the task clock stands still");
	close(fd);
	return 0;
}

static int driver_is_locked_out(void)
{
	struct vperfctr_control c = instructions(0), hardware = instructions(1);
	struct perfctr_sum_ctrs a, b;
	struct handle h;

	CHECK(open_state(device, &h) == 0, "open");
	CHECK(set_control(h.fd, &hardware) < 0 && errno == EBUSY,
	      "the driver counts beside perf_events");
	CHECK(set_control(h.fd, &c) == 0, "the TSC alone");
	CHECK(read_state(h.fd, &a, &c) == 0, "read");
	loop(100000);
	CHECK(read_state(h.fd, &b, &c) == 0 && b.tsc > a.tsc, "the TSC stands still");
	/* Refused again, it goes on as it was. */
	CHECK(set_control(h.fd, &hardware) < 0 && errno == EBUSY, "the second time");
	CHECK(read_state(h.fd, &a, &c) == 0 && a.tsc > b.tsc, "the TSC was reset or stopped");
	close_state(&h);
	return 0;
}

static int driver_counts(void)
{
	struct vperfctr_control c = instructions(2);
	struct handle h;

	CHECK(open_state(device, &h) == 0, "open");
	CHECK(set_control(h.fd, &c) == 0, "control");
	CHECK(counts_exactly(&h, 0, 100000) && counts_exactly(&h, 1, 100000), "not exact");
	close_state(&h);
	return 0;
}

static int perf_counts(void)
{
	int fd = perf_instructions();

	CHECK(fd >= 0, "perf_event_open");
	CHECK(perf_counts_exactly(fd), "not exact");
	close(fd);
	return 0;
}

/* ---- tests ---- */

static int driver_first(void)
{
	struct vperfctr_control c = instructions(2);
	struct handle h;
	unsigned int k;

	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	for (k = 0; k < 10; k++) {
		if (perf_is_locked_out())
			return 1;
		CHECK(counts_exactly(&h, 0, 100000) && counts_exactly(&h, 1, 100000), "not exact");
	}
	close_state(&h);
	return perf_counts() || driver_counts();
}

static int perf_first(void)
{
	int fd = perf_instructions();

	CHECK(fd >= 0 && perf_counts_exactly(fd), "perf_events alone");
	if (driver_is_locked_out())
		return 1;
	CHECK(perf_counts_exactly(fd), "perf_events after the driver's attempts");
	close(fd);
	return driver_counts() || perf_counts();
}

/* An event of a whole CPU has the counters of all. */
static int perf_system_wide(void)
{
	int fd = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, 0);

	CHECK(fd >= 0, "an event of CPU 0");
	if (driver_is_locked_out())
		return 1;
	close(fd);
	return driver_counts();
}

static int alternation(void)
{
	unsigned int k;

	for (k = 0; k < ALTERNATIONS; k++)
		CHECK(perf_counts() == 0 && driver_counts() == 0, "round %u", k);
	return 0;
}

static atomic_uint signals;

static void on_sample(int signo)
{
	(void)signo;
	atomic_fetch_add(&signals, 1);
}

/* Samples for each period of a loop, while the driver asks for the counters. */
static int sample(bool disturb)
{
	struct sigaction action = { .sa_handler = on_sample };
	struct sigaction old;
	int fd = perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERIOD, -1);
	unsigned int k, seen;
	void *ring;

	CHECK(fd >= 0, "a sampling event");
	ring = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(ring != MAP_FAILED, "its buffer");
	sigaction(SIGIO, &action, &old);
	CHECK(fcntl(fd, F_SETFL, O_ASYNC) == 0 && fcntl(fd, F_SETOWN, getpid()) == 0, "fcntl");
	atomic_store(&signals, 0);
	for (k = 0; k < 20; k++) {
		loop(PERIOD / 2); /* a period */
		if (disturb && driver_is_locked_out())
			return 1;
	}
	seen = atomic_load(&signals);
	munmap(ring, 2 * 4096);
	close(fd);
	sigaction(SIGIO, &old, NULL);
	CHECK(seen >= 20 && (disturb || seen == 20), "%u samples", seen);
	return 0;
}

static int sampling(void)
{
	return sample(false) || sample(true) || driver_counts() || sample(false);
}

/* Threads of both sides on all CPUs, who race for the counters: each counts exactly or is told. */
static int race(void)
{
	unsigned int n, counted[2] = { 0, 0 };
	int status;
	pid_t pid[4];

	for (n = 0; n < 4; n++) {
		pid[n] = fork();
		if (pid[n] == 0) {
			struct vperfctr_control c = instructions(1);
			unsigned int k, counts = 0;
			struct handle h;
			int fd;

			for (k = 0; k < 100; k++) {
				bool exact = true, busy = false;

				if (n % 2) {
					fd = perf_instructions();
					busy = fd < 0;
					exact = busy || perf_counts_exactly(fd);
					if (!busy)
						close(fd);
				} else if (open_state(device, &h) == 0) {
					busy = set_control(h.fd, &c) < 0;
					exact = busy || counts_exactly(&h, 0, 10000);
					close_state(&h);
				}
				if (!exact || (busy && errno != EBUSY))
					_exit(200);
				counts += !busy;
				/* Let the other side have them for a while. */
				usleep(500 + 700 * n);
			}
			_exit((int)counts);
		}
	}
	for (n = 0; n < 4; n++) {
		CHECK(waitpid(pid[n], &status, 0) == pid[n] && WIFEXITED(status), "status 0x%X",
		      status);
		CHECK(WEXITSTATUS(status) <= 100, "%s: an inexact count, or no EBUSY",
		      n % 2 ? "perf_events" : "the driver");
		counted[n % 2] += (unsigned int)WEXITSTATUS(status);
	}
	printf("  of 200 attempts the driver had the counters in %u, perf_events in %u\n",
	       counted[0], counted[1]);
	return driver_counts() || perf_counts();
}

/* The module's end leaves perf_events as it was. */
static int unloaded(void)
{
	close(device);
	CHECK(unload_driver() == 0, "unload");
	return perf_counts() || sample(false);
}

/*
 * The NMI watchdog has a counter on each CPU, as any event of perf_events does. Its command line
 * word is nmi_watchdog=1; where there is none the test is over at once.
 */
static bool watchdog(bool on)
{
	int fd = open("/proc/sys/kernel/nmi_watchdog", O_RDWR | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;
	char state = '0';

	if (done && pread(fd, &state, 1, 0) != 1)
		done = false;
	close(fd);
	return done && state == (on ? '1' : '0');
}

static int nmi_watchdog(void)
{
	if (!watchdog(true)) {
		printf("  this kernel has no NMI watchdog\n");
		return 0;
	}
	if (driver_is_locked_out())
		return 1;
	CHECK(watchdog(false), "it stays");
	return driver_counts();
}

int main(void)
{
	static const struct guest_test tests[] = {
		TEST(perf_counts), TEST(driver_first), TEST(perf_first), TEST(perf_system_wide),
		TEST(alternation), TEST(sampling),     TEST(race),	 TEST(nmi_watchdog),
		TEST(unloaded),
	};
	int fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	fd = perf_instructions();
	if (fd < 0) {
		printf("perf_events counts no instructions here: %s\n", strerror(errno));
		return 1;
	}
	close(fd);
	return run_driver_tests(tests, sizeof(tests) / sizeof(tests[0]), &device) != 0;
}
