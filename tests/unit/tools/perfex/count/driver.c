// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests perfex's way through the perfctr driver, with a made-up one: on a Skylake, on an x86. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/count/driver.h"

#if defined(__i386__) || defined(__x86_64__)

#define USER   (1u << 16)
#define KERNEL (1u << 17)

static struct {
	int open_error, read_error;
	int forbidden;	   /* what a control of the kernel's mode fails with; 0: it does not */
	int control_error; /* what any fails with */
	unsigned int opened, controls, unlinked;
	struct vperfctr_control control; /* the last one */
} fake;

int __wrap_sys_vperfctr_open(int tid, int creat);
int __wrap_sys_vperfctr_open(int tid, int creat)
{
	ck_assert(tid == 0 && creat == 1);
	errno = fake.open_error;
	if (fake.open_error)
		return -1;
	fake.opened++;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int __wrap_sys_vperfctr_control(int fd, const struct vperfctr_control *control);
int __wrap_sys_vperfctr_control(int fd, const struct vperfctr_control *control)
{
	const struct perfctr_cpu_control *cpu = &control->cpu_control;
	unsigned int i, kernel = 0;

	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	fake.controls++;
	fake.control = *control;
	for (i = 0; i < cpu->nractrs; i++)
		kernel |= cpu->evntsel[i] & KERNEL;
	errno = fake.control_error ? fake.control_error : kernel ? fake.forbidden : 0;
	return errno ? -1 : 0;
}

int __wrap_sys_vperfctr_unlink(int fd);
int __wrap_sys_vperfctr_unlink(int fd)
{
	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	fake.unlinked++;
	errno = EINTR;
	return -1;
}

int __wrap_sys_vperfctr_read(int fd, struct perfctr_sum_ctrs *sum,
			     struct vperfctr_control *control);
int __wrap_sys_vperfctr_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control)
{
	ck_assert(fcntl(fd, F_GETFD) >= 0 && !control);
	errno = fake.read_error;
	if (fake.read_error)
		return -1;
	sum->tsc = 7;
	sum->pmc[0] = 100;
	sum->pmc[1] = 200;
	return 0;
}

static struct events events;
static struct driver driver;

#define TSC "cs" /* has its place: the TSC is an event where the kernel has that PMU */
#define A   "BR_INST_RETIRED:NEAR_CALL"
#define B   "ITLB_MISSES:STLB_HIT"

static void begin(const char *list)
{
	unsigned int i;

	memset(&fake, 0, sizeof(fake));
	events = (struct events){ .base16 = true };
	events_add(&events, list);
	events_finish(&events);
	for (i = 0; i < events.n; i++)
		if (!strcmp(events.event[i].name, TSC))
			events.event[i].is.flags = PERFCTR_EVENT_TSC;
}

static void finish(void)
{
	events_free(&events);
}

static const uint32_t *evntsel(void)
{
	return driver.control.cpu_control.evntsel;
}

/* A control of all events, of which the TSC is none of the counters. */
START_TEST(controls)
{
	begin(A "," TSC "," B ":u");
	ck_assert_ptr_null(driver_control(&driver, &events));
	ck_assert_int_eq(driver.counters, -1);
	ck_assert_uint_eq(driver.control.flags, VPERFCTR_CONTROL_EXTENDED);
	ck_assert_uint_eq(driver.control.cpu_control.nractrs, 2);
	ck_assert_uint_eq(driver.control.cpu_control.tsc_on, 1);
	ck_assert_uint_eq(evntsel()[0] & (USER | KERNEL), USER | KERNEL);
	ck_assert_uint_eq(evntsel()[1] & (USER | KERNEL), USER);
	/* Numbers make one by themselves, beside the TSC at most. */
	events.control.nractrs = 1;
	ck_assert_str_eq(driver_control(&driver, &events),
			 "events given as names and as numbers don't make one control");
	finish();
	begin(TSC);
	ck_assert_ptr_null(driver_control(&driver, &events));
	ck_assert_uint_eq(driver.control.cpu_control.nractrs, 0);
	ck_assert_uint_eq(driver.control.cpu_control.tsc_on, 1);
	events.control.nractrs = 1;
	events.control.evntsel[0] = 0x4300C0;
	ck_assert_ptr_null(driver_control(&driver, &events));
	ck_assert_uint_eq(driver.control.cpu_control.nractrs, 1);
	ck_assert_uint_eq(evntsel()[0], 0x4300C0);
	finish();
	/* More than four don't fit. */
	begin(A "," B "," A ":u," A ":k," B ":u");
	ck_assert_ptr_nonnull(driver_control(&driver, &events));
	finish();
}
END_TEST

/* Of the events those that would count the kernel, too, count user mode if that is forbidden. */
START_TEST(forbidden)
{
	begin(A "," TSC "," B ":u");
	driver_control(&driver, &events);
	ck_assert(driver_try(&driver, &events));
	ck_assert(fake.opened == 1 && fake.controls == 1 && fake.unlinked == 1);
	ck_assert_str_eq(events.event[0].name, A);
	fake.forbidden = EPERM;
	ck_assert(driver_try(&driver, &events));
	ck_assert_uint_eq(fake.controls, 3);
	ck_assert_uint_eq(fake.unlinked, 3);
	ck_assert_uint_eq(fake.control.cpu_control.evntsel[0] & (USER | KERNEL), USER);
	ck_assert_str_eq(events.event[0].name, A ":u");
	ck_assert(events.event[0].user && !events.event[1].user && !events.event[2].user);
	ck_assert_str_eq(events.event[1].name, TSC);
	ck_assert_str_eq(events.event[2].name, B ":u");
	finish();
	/* Who asks for the kernel's mode gets nothing else. */
	begin(A ":k");
	driver_control(&driver, &events);
	fake.forbidden = EPERM;
	ck_assert(!driver_try(&driver, &events));
	ck_assert_int_eq(errno, EPERM);
	finish();
}
END_TEST

START_TEST(refused)
{
	begin(A);
	driver_control(&driver, &events);
	fake.open_error = ENODEV;
	ck_assert(!driver_try(&driver, &events));
	ck_assert_int_eq(errno, ENODEV);
	ck_assert(!fake.controls && !fake.unlinked);
	fake.open_error = 0;
	fake.forbidden = EINVAL;
	ck_assert(!driver_try(&driver, &events));
	ck_assert_int_eq(errno, EINVAL); /* the control's */
	ck_assert_uint_eq(fake.controls, 1);
	fake.control_error = EPERM;
	ck_assert(!driver_try(&driver, &events));
	ck_assert_uint_eq(fake.controls, 3);
	ck_assert_str_eq(events.event[0].name, A);
	/* Numbers say which mode they mean. */
	events.control.nractrs = 1;
	ck_assert(!driver_try(&driver, &events));
	ck_assert_uint_eq(fake.controls, 4);
	finish();
}
END_TEST

static int sockets[2];

static void connect_both(const char *list)
{
	begin(list);
	driver_control(&driver, &events);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
}

static void end_both(void)
{
	close(sockets[0]);
	driver_close(&driver);
	ck_assert_int_eq(driver.counters, -1);
	driver_close(&driver);
	finish();
}

static void have_reason(const char *reason)
{
	unsigned int i;

	for (i = 0; i < events.n; i++)
		ck_assert_pstr_eq(events.event[i].reason, reason);
}

/* The descriptor goes from the child to perfex, and so does what is wrong. */
START_TEST(handed_over)
{
	int fd;

	connect_both(A "," B);
	fd = driver_give(sockets[1]);
	ck_assert_int_ge(fd, 0);
	driver_take(&driver, &events, sockets[0]);
	ck_assert(driver.counters >= 0 && driver.counters != fd);
	ck_assert_int_eq(fcntl(driver.counters, F_GETFD), FD_CLOEXEC);
	driver_start(&driver, sockets[1], fd);
	ck_assert_uint_eq(fake.control.cpu_control.nractrs, 2);
	close(sockets[1]);
	driver_started(&events, sockets[0]);
	have_reason(NULL);
	close(fd);
	end_both();

	connect_both(A "," B);
	fake.open_error = ENODEV;
	fd = driver_give(sockets[1]);
	ck_assert_int_eq(fd, -1);
	driver_start(&driver, sockets[1], fd);
	ck_assert_uint_eq(fake.controls, 0);
	driver_take(&driver, &events, sockets[0]);
	ck_assert_int_eq(driver.counters, -1);
	have_reason("No such device");
	close(sockets[1]);
	end_both();

	connect_both(A);
	fd = driver_give(sockets[1]);
	driver_take(&driver, &events, sockets[0]);
	fake.control_error = EBUSY;
	driver_start(&driver, sockets[1], fd);
	driver_started(&events, sockets[0]);
	have_reason("Device or resource busy");
	close(sockets[1]);
	close(fd);
	end_both();

	/* A child that says nothing, and perfex that is gone. */
	connect_both(A);
	close(sockets[1]);
	driver_take(&driver, &events, sockets[0]);
	have_reason("Broken pipe");
	end_both();
	connect_both(A);
	close(sockets[0]);
	ck_assert_int_eq(driver_give(sockets[1]), -1);
	close(sockets[0]); /* the counters took its number; they end with the child */
	close(sockets[1]);
	sockets[0] = -1;
	end_both();
}
END_TEST

/* An exec of a program with more rights ends the counters of a process that lives on. */
START_TEST(ended)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	begin(A);
	driver_control(&driver, &events);
	driver_look(&driver, &events, getpid());
	have_reason(NULL); /* there are no counters */
	driver.counters = open("/dev/null", O_RDONLY);
	driver_look(&driver, &events, pid);
	have_reason(NULL);
	fake.read_error = EPERM;
	driver_look(&driver, &events, getpid());
	have_reason(NULL); /* the thread still has them */
	fake.read_error = 0;
	driver_look(&driver, &events, getpid());
	ck_assert_ptr_nonnull(
		strstr(events.event[0].reason, "the counters ended when the command"));
	driver_close(&driver);
	finish();
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(sums)
{
	static const uint64_t wanted[] = { 100, 7, 200 };
	unsigned int i;

	begin(A "," TSC "," B);
	driver_control(&driver, &events);
	events.event[0].reading.value = 1;
	driver_read(&driver, &events);
	ck_assert_uint_eq(events.event[0].reading.value, 1);
	driver.counters = open("/dev/null", O_RDONLY);
	driver_read(&driver, &events);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(events.event[i].reading.value, wanted[i]);
		ck_assert_int_eq(events.event[i].reading.quality, PERFCTR_EXACT);
	}
	driver_close(&driver);
	/* The TSC is the first of numbers. */
	events.tsc = true;
	driver.counters = open("/dev/null", O_RDONLY);
	driver_read(&driver, &events);
	ck_assert_uint_eq(events.event[0].reading.value, 7);
	ck_assert_uint_eq(events.event[2].reading.value, 100);
	driver_close(&driver);
	finish();
}
END_TEST

UNIT_MAIN("perfex through the driver", 20, controls, forbidden, refused, handed_over, ended, sums)

#else

START_TEST(nothing)
{
}
END_TEST

UNIT_MAIN("perfex through the driver", 20, nothing)

#endif
