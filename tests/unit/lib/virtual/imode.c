// SPDX-License-Identifier: LGPL-2.1-or-later
/* The signals of i-mode counters over perf_events. The exact tests are in
 * tests/vm/guest/overflow.c. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "lib/virtual/provider.h"
#include "lib/base/word.h"
#include "libperfctr.h"
#include "tests/harness/faults.h"
#include "tests/harness/check.h"

/* ---- a thread's counters, and what its handler sees ---- */

static _Thread_local struct {
	struct vperfctr *self;
	volatile unsigned int signals, wrong, masks[3], last;
	volatile int signo;
	bool stays;	     /* the handler does not resume */
	unsigned int nested; /* overflows in the handler */
} seen;

/* As a program for perfctr 2.6 has it. */
static void overflowed(int signo, siginfo_t *info, void *context)
{
	unsigned int mask = (unsigned int)info->si_pmc_ovf_mask, k;
	int error = errno;

	(void)context;
	seen.signals++;
	seen.signo = signo;
	seen.wrong += info->si_code != SI_PMC_OVF || mask == 0 ||
		      mask != vperfctr_ovf_mask(seen.self, info);
	for (k = 0; k < 3; k++)
		seen.masks[k] += mask >> k & 1;
	seen.last = mask;
	if (!seen.stays) {
		seen.wrong += !vperfctr_is_running(seen.self) || vperfctr_iresume(seen.self) < 0;
		if (seen.nested && seen.nested--)
			fault(PERIOD);
	}
	errno = error;
}

static void handle(int signo, int flags)
{
	struct sigaction action = { .sa_sigaction = overflowed, .sa_flags = SA_SIGINFO | flags };

	ck_assert_int_eq(sigaction(signo, &action, NULL), 0);
}

static void control(const struct vperfctr_control *wanted)
{
	struct vperfctr_control copy = *wanted;

	ck_assert_msg(vperfctr_control(seen.self, &copy) == 0, "%s", perfctr_error());
}

static void begin(const struct vperfctr_control *wanted)
{
	handle(wanted->si_signo, 0);
	memset(&seen, 0, sizeof(seen));
	seen.self = vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_PERF);
	ck_assert_ptr_nonnull(seen.self);
	control(wanted);
}

/* An overflow on the way into the stop finds nothing to resume. */
static void stop(struct perfctr_sum_ctrs *sum)
{
	seen.stays = true;
	ck_assert_int_eq(vperfctr_stop(seen.self), 0);
	ck_assert_int_eq(vperfctr_read_ctrs(seen.self, sum), 0);
}

static void end(void)
{
	vperfctr_unlink(seen.self);
	vperfctr_close(seen.self);
}

static sigset_t block_all(void)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	return old;
}

/* SIGUSR1, if it is or becomes pending; its mask, else 0. */
static unsigned int wait_for_mask(void)
{
	const struct timespec limit = { 0, 1000000 };
	sigset_t set;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigtimedwait(&set, &info, &limit) != SIGUSR1)
		return 0;
	ck_assert_int_eq(info.si_code, SI_PMC_OVF);
	return (unsigned int)info.si_pmc_ovf_mask;
}

/* Has the kernel room for a siginfo? Check's timers need it, too. */
static void forbid_queueing(bool forbid)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_SIGPENDING, &limit), 0);
	limit.rlim_cur = forbid ? 0 : limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &limit), 0);
}

/* The number of the library's signal. */
static int private_signal(void)
{
	struct sigaction now;
	int signo;

	for (signo = SIGRTMAX; signo >= SIGRTMIN; signo--)
		if (sigaction(signo, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
			return signo;
	return -1;
}

/* ---- signals ---- */

START_TEST(every_period)
{
	struct vperfctr_control c = counting(1, 1);
	struct perfctr_sum_ctrs sum;

	begin(&c);
	fault(100 * PERIOD);
	stop(&sum);
	ck_assert_uint_eq(seen.wrong, 0);
	ck_assert_uint_ge(seen.signals, 100);
	ck_assert_uint_eq(seen.signals, sum.pmc[1] / PERIOD);
	ck_assert_uint_eq(seen.masks[1], seen.signals);
	ck_assert_uint_eq(seen.masks[0], 0);
	end();
}
END_TEST

/* Together and one after another; none tells of nothing. */
START_TEST(several_counters)
{
	struct vperfctr_control c = counting(0, 3);
	struct perfctr_sum_ctrs sum;

	c.cpu_control.ireset[2] = -27;
	begin(&c);
	fault(100 * PERIOD);
	stop(&sum);
	ck_assert_uint_eq(seen.wrong, 0);
	ck_assert_uint_eq(seen.masks[0], sum.pmc[0] / PERIOD);
	ck_assert_uint_eq(seen.masks[1], sum.pmc[1] / PERIOD);
	ck_assert_uint_eq(seen.masks[2], sum.pmc[2] / 27);
	ck_assert_uint_gt(seen.masks[2], seen.masks[0]);
	end();
}
END_TEST

/* Of counters that stop nobody else, another may overflow as well: still one signal. */
START_TEST(one_signal_per_overflow)
{
	struct vperfctr_control c = counting(0, 2);
	sigset_t old;
	unsigned int k;

	c.cpu_control.ireset[1] = -PERIOD / 2;
	begin(&c);
	for (k = 0; k < 20; k++) {
		seen.stays = true;
		seen.signals = 0;
		old = block_all();
		fault(2 * PERIOD);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		ck_assert_uint_eq(seen.signals, 1);
		ck_assert_uint_eq(seen.wrong, 0);
		ck_assert(k > 0 || seen.last == 2);
		fault(2 * PERIOD);
		ck_assert_uint_eq(seen.signals, 1);
		seen.stays = false;
		ck_assert_int_eq(vperfctr_iresume(seen.self), 0);
		ck_fails(vperfctr_iresume(seen.self), EINVAL, "nothing to resume");
	}
	end();
}
END_TEST

START_TEST(handlers_in_handlers)
{
	struct vperfctr_control c = counting(0, 1);
	struct perfctr_sum_ctrs sum;

	begin(&c);
	handle(SIGUSR1, SA_NODEFER);
	seen.nested = 10;
	fault(PERIOD + 1);
	ck_assert_uint_eq(seen.nested, 0);
	stop(&sum);
	ck_assert_uint_eq(seen.wrong, 0);
	ck_assert_uint_ge(seen.signals, 10);
	ck_assert_uint_eq(seen.signals, sum.pmc[0] / PERIOD);
	end();
}
END_TEST

START_TEST(errno_is_kept)
{
	struct vperfctr_control c = counting(0, 2);

	c.cpu_control.ireset[1] = -PERIOD / 2;
	begin(&c);
	errno = ERANGE;
	fault(10 * PERIOD);
	ck_assert_int_eq(errno, ERANGE);
	forbid_queueing(true);
	errno = ERANGE;
	fault(10 * PERIOD);
	ck_assert_int_eq(errno, ERANGE);
	forbid_queueing(false);
	ck_assert_uint_gt(seen.signals, 20);
	end();
}
END_TEST

/* ---- signals that are not let in ---- */

/* The library lets in its own. */
START_TEST(waited_for)
{
	struct vperfctr_control c = counting(1, 1);
	unsigned int k;

	block_all();
	begin(&c);
	for (k = 0; k < 20; k++) {
		ck_assert_uint_eq(wait_for_mask(), 0);
		fault(PERIOD);
		ck_assert_uint_eq(wait_for_mask(), 2);
		ck_assert_uint_eq(wait_for_mask(), 0);
		ck_assert_int_eq(vperfctr_iresume(seen.self), 0);
	}
	end();
}
END_TEST

/* If that is blocked, too, the signal comes when it is let in, or not at all if it is too late. */
START_TEST(held_back)
{
	struct vperfctr_control c = counting(0, 1);
	sigset_t old;

	begin(&c);
	seen.stays = true;
	old = block_all();
	fault(PERIOD);
	ck_assert_uint_eq(wait_for_mask(), 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	ck_assert_uint_eq(seen.signals, 1);
	ck_assert_int_eq(vperfctr_iresume(seen.self), 0);
	block_all();
	fault(PERIOD);
	ck_assert_int_eq(vperfctr_iresume(seen.self), 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	ck_assert_uint_eq(seen.signals, 1);
	fault(PERIOD);
	ck_assert_uint_eq(seen.signals, 2);
	ck_assert_uint_eq(seen.wrong, 0);
	end();
}
END_TEST

/* What ends a control also sends the signal of its last overflow, once, and with its numbers. */
static void end_overflown(void (*how)(void))
{
	struct vperfctr_control c = counting(2, 1);
	sigset_t old = block_all();

	begin(&c);
	seen.stays = true;
	block_all();
	fault(PERIOD);
	how();
	ck_assert_uint_eq(seen.signals, 0);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	ck_assert_uint_eq(seen.signals, 1);
	ck_assert_uint_eq(seen.last, 4);
	ck_assert_int_eq(seen.signo, SIGUSR1);
	ck_assert_uint_eq(seen.wrong, 0);
	end();
	ck_assert_uint_eq(seen.signals, 1);
}

static void by_stop(void)
{
	ck_assert_int_eq(vperfctr_stop(seen.self), 0);
}

static void by_unlink(void)
{
	ck_assert_int_eq(vperfctr_unlink(seen.self), 0);
}

static void by_control(void)
{
	struct vperfctr_control c = counting(0, 2);

	handle(SIGUSR2, 0);
	c.si_signo = SIGUSR2;
	control(&c);
	block_all();
}

static void by_a_mode(void)
{
	struct vperfctr_control c = counting(1, 0);

	control(&c);
}

START_TEST(ended)
{
	end_overflown(by_stop);
	end_overflown(by_unlink);
	end_overflown(by_control);
	end_overflown(by_a_mode);
}
END_TEST

/* What the program knows already is not told again. */
START_TEST(ended_after_its_signal)
{
	void (*const how[])(void) = { by_stop, by_unlink, by_control, by_a_mode };
	struct vperfctr_control c = counting(2, 1);
	sigset_t old;
	unsigned int k;

	for (k = 0; k < ARRAY_SIZE(how); k++) {
		begin(&c);
		seen.stays = true;
		fault(PERIOD);
		ck_assert_uint_eq(seen.signals, 1);
		old = block_all();
		how[k]();
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		ck_assert_uint_eq(seen.signals, 1);
		end();
	}
}
END_TEST

/* ---- a full queue ---- */

static volatile int code;

static void resume_whatever(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	seen.signals++;
	code = info->si_code;
	seen.last = vperfctr_ovf_mask(seen.self, info);
	seen.wrong += vperfctr_iresume(seen.self) < 0;
}

START_TEST(full_queue)
{
	struct sigaction action = { .sa_sigaction = resume_whatever, .sa_flags = SA_SIGINFO };
	struct vperfctr_control c = counting(0, 1);
	struct perfctr_sum_ctrs sum;

	begin(&c);
	forbid_queueing(true);
	fault(20 * PERIOD);
	stop(&sum);
	ck_assert_uint_eq(seen.wrong, 0);
	ck_assert_uint_eq(seen.signals, sum.pmc[0] / PERIOD);
	end();
	/* Only what a real-time signal says is lost. */
	c.si_signo = SIGRTMIN + 1;
	begin(&c);
	ck_assert_int_eq(sigaction(c.si_signo, &action, NULL), 0);
	fault(20 * PERIOD);
	ck_assert_uint_eq(seen.wrong, 0);
	ck_assert_uint_ge(seen.signals, 20);
	ck_assert_int_eq(code, SI_USER);
	ck_assert_uint_eq(seen.last, 0);
	end();
	forbid_queueing(false);
}
END_TEST

/* ---- whose signals ---- */

static void *raise_in_thread(void *arg)
{
	raise(*(int *)arg);
	return seen.signals ? arg : NULL;
}

/* What somebody else sends, and where there are no counters. */
START_TEST(stray)
{
	struct vperfctr_control c = counting(0, 1);
	pthread_t thread;
	int status, signo;
	void *result;
	pid_t pid;

	begin(&c);
	signo = private_signal();
	ck_assert_int_gt(signo, 0);
	raise(signo);
	kill(getpid(), signo);
	raise(SIGIO);
	ck_assert_int_eq(pthread_create(&thread, NULL, raise_in_thread, &signo), 0);
	pthread_join(thread, &result);
	ck_assert_ptr_null(result);
	seen.stays = true;
	fault(PERIOD);
	ck_assert_uint_eq(seen.signals, 1);
	raise(signo);
	ck_assert_uint_eq(seen.signals, 1);
	pid = fork();
	if (pid == 0) {
		raise(signo);
		if (seen.signals != 1)
			_exit(1);
		/* Its own counters have it, too. */
		begin(&c);
		fault(5 * PERIOD);
		_exit(seen.signals < 5 || seen.wrong || private_signal() != signo ? 2 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	end();
	raise(signo);
	ck_assert_uint_eq(seen.signals, 1);
}
END_TEST

/* The program takes the library's signal for itself. */
START_TEST(taken_away)
{
	struct vperfctr_control c = counting(0, 1);
	int signo;

	begin(&c);
	signo = private_signal();
	c.si_signo = signo;
	handle(signo, 0);
	control(&c);
	fault(5 * PERIOD);
	ck_assert_uint_ge(seen.signals, 5);
	ck_assert_int_eq(seen.signo, signo);
	ck_assert_uint_eq(seen.wrong, 0);
	end();
}
END_TEST

UNIT_MAIN("i-mode", 60, every_period, several_counters, one_signal_per_overflow,
	  handlers_in_handlers, errno_is_kept, waited_for, held_back, ended, ended_after_its_signal,
	  full_queue, stray, taken_away)
