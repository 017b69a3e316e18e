// SPDX-License-Identifier: LGPL-2.1-or-later
/* The private signal: which one is taken, and how it becomes the program's. */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/base/word.h"
#include "lib/perf/signal.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

/* Signal 0 may be forbidden, as by a seccomp filter. */
static int forbidden;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long argument[5];
	va_list list;
	unsigned int i;

	va_start(list, number);
	for (i = 0; i < ARRAY_SIZE(argument); i++)
		argument[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_rt_tgsigqueueinfo && forbidden) {
		errno = forbidden;
		return -1;
	}
	return __real_syscall(number, argument[0], argument[1], argument[2], argument[3],
			      argument[4]);
}

static void ours(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)info, (void)context;
}

static void programs(int signo)
{
	(void)signo;
}

static bool is_ours(int signo)
{
	struct sigaction now;

	ck_assert_int_eq(sigaction(signo, NULL, &now), 0);
	return now.sa_sigaction == ours;
}

/* The highest signal that can be handled at all: valgrind keeps the last for itself. */
static int highest(void)
{
	int signo = SIGRTMAX;

	while (signal(signo, SIG_DFL) == SIG_ERR)
		signo--;
	return signo;
}

START_TEST(highest_free)
{
	int top = highest();
	struct sigaction now;

	signal(top, programs);
	signal(top - 1, SIG_IGN);
	ck_assert_int_eq(perfctr_signal_take(top - 2, ours), top - 3);
	ck_assert(is_ours(top - 3) && !is_ours(top - 2) && !is_ours(top - 4) && is_ours(SIGIO));
	ck_assert_int_eq(sigaction(top - 3, NULL, &now), 0);
	ck_assert_int_eq(now.sa_flags & (SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER),
			 SA_SIGINFO | SA_RESTART | SA_ONSTACK);
	ck_assert_int_eq(sigismember(&now.sa_mask, SIGUSR1), 1);
	ck_assert_int_eq(sigismember(&now.sa_mask, SIGRTMIN), 1);
	/* Once taken it is kept, though a higher one has become free. */
	signal(top, SIG_DFL);
	ck_assert_int_eq(perfctr_signal_take(SIGUSR1, ours), top - 3);
	ck_assert(!is_ours(top));
	/* The program says that it is its own, or simply takes it, for good or for ill. */
	ck_assert_int_eq(perfctr_signal_take(top - 3, ours), top);
	signal(top, programs);
	ck_assert_int_eq(perfctr_signal_take(SIGUSR1, ours), top - 2);
	signal(top - 2, SIG_IGN);
	ck_assert_int_eq(perfctr_signal_take(SIGUSR1, ours), top - 3);
	ck_assert(!is_ours(top) && !is_ours(top - 1) && !is_ours(top - 2));
}
END_TEST

START_TEST(programs_own)
{
	/* SIGIO is the program's if it has a handler, and if it is its overflow signal. */
	ck_assert_int_gt(perfctr_signal_take(SIGIO, ours), 0);
	ck_assert(!is_ours(SIGIO));
}
END_TEST

START_TEST(handled_sigio)
{
	signal(SIGIO, programs);
	ck_assert_int_gt(perfctr_signal_take(SIGUSR1, ours), 0);
	ck_assert(!is_ours(SIGIO));
}
END_TEST

START_TEST(none_left)
{
	int signo;

	for (signo = SIGRTMIN; signo <= SIGRTMAX; signo++)
		signal(signo, programs);
	ck_fails(perfctr_signal_take(SIGUSR1, ours), EBUSY, "leave one alone");
	ck_assert(!is_ours(SIGIO));
	signal(SIGRTMIN, SIG_DFL);
	ck_assert_int_eq(perfctr_signal_take(SIGUSR1, ours), SIGRTMIN);
	ck_fails(perfctr_signal_take(SIGRTMIN, ours), EBUSY, "leave one alone");
}
END_TEST

START_TEST(not_allowed)
{
	forbidden = EPERM;
	ck_fails(perfctr_signal_take(SIGUSR1, ours), EPERM, "rt_tgsigqueueinfo(2)");
	ck_assert(!is_ours(SIGIO) && !is_ours(highest()));
	forbidden = 0;
	ck_assert_int_eq(perfctr_signal_take(SIGUSR1, ours), highest());
}
END_TEST

/* The calling thread lets it in, and nothing else. */
START_TEST(let_in)
{
	sigset_t all, now;
	int signo, k;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	signo = perfctr_signal_take(SIGUSR1, ours);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (k = SIGRTMIN; k <= SIGRTMAX; k++)
		ck_assert_int_eq(sigismember(&now, k), k != signo);
	ck_assert_int_eq(sigismember(&now, SIGUSR1), 1);
	ck_assert_int_eq(sigismember(&now, SIGIO), 1);
	/* Also when it was taken before. */
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	ck_assert_int_eq(perfctr_signal_take(SIGUSR1, ours), signo);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	ck_assert_int_eq(sigismember(&now, signo), 0);
}
END_TEST

static siginfo_t received;
static unsigned int nreceived;

static void receive(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	received = *info;
	nreceived++;
}

static void send(int signo, unsigned int mask)
{
	struct sigaction action = { .sa_sigaction = receive, .sa_flags = SA_SIGINFO };

	ck_assert_int_eq(sigaction(signo, &action, NULL), 0);
	memset(&received, 0, sizeof(received));
	nreceived = 0;
	errno = EAGAIN; /* of something else, before */
	perfctr_signal_send(signo, mask);
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_uint_eq(nreceived, 1);
	errno = 77;
	perfctr_signal_send(signo, mask);
	ck_assert_int_eq(errno, 77);
	ck_assert_uint_eq(nreceived, 2);
	ck_assert_int_eq(received.si_signo, signo);
}

/* As the kernel's driver does it: the word after the three of every siginfo, aligned. */
START_TEST(what_the_driver_sends)
{
	const int signos[] = { SIGUSR1, SIGIO, SIGTRAP, SIGSEGV, SIGCHLD, SIGRTMIN + 3 };
	unsigned int i, word;

	for (i = 0; i < ARRAY_SIZE(signos); i++) {
		send(signos[i], 0x20005);
		ck_assert_int_eq(received.si_code, SI_PMC_OVF);
		ck_assert_int_eq(received.si_errno, 0);
		ck_assert_uint_eq((unsigned int)received.si_pmc_ovf_mask, 0x20005);
		memcpy(&word, (char *)&received + (sizeof(long) == 8 ? 16 : 12), sizeof(word));
		ck_assert_uint_eq(word, 0x20005);
	}
}
END_TEST

static void *send_in_thread(void *arg)
{
	perfctr_signal_send(SIGUSR1, 1);
	ck_assert_int_eq(sigpending(arg), 0);
	return arg;
}

/* To the thread itself, and to be waited for. */
START_TEST(to_the_thread)
{
	sigset_t set, pending, others;
	pthread_t thread;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	ck_assert_int_eq(pthread_create(&thread, NULL, send_in_thread, &others), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(sigismember(&others, SIGUSR1), 1);
	sigpending(&pending);
	ck_assert_int_eq(sigismember(&pending, SIGUSR1), 0);
	perfctr_signal_send(SIGUSR1, 6);
	ck_assert_int_eq(sigwaitinfo(&set, &info), SIGUSR1);
	ck_assert_int_eq(info.si_code, SI_PMC_OVF);
	ck_assert_uint_eq((unsigned int)info.si_pmc_ovf_mask, 6);
}
END_TEST

/* The queue is full: only a real-time signal needs it, and comes nevertheless. */
START_TEST(full_queue)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_SIGPENDING, &limit), 0);
	limit.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &limit), 0);
	send(SIGUSR1, 3);
	ck_assert_int_eq(received.si_code, SI_PMC_OVF);
	ck_assert_uint_eq((unsigned int)received.si_pmc_ovf_mask, 3);
	send(SIGRTMIN, 3);
	ck_assert_int_eq(received.si_code, SI_USER);
	/* Check's timers need it, too. */
	limit.rlim_cur = limit.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_SIGPENDING, &limit), 0);
}
END_TEST

/* A child keeps what was taken; a new program has nothing of it. */
START_TEST(child)
{
	int status, signo = perfctr_signal_take(SIGUSR1, ours);
	pid_t pid = fork();

	if (pid == 0)
		_exit(!is_ours(signo) || perfctr_signal_take(SIGUSR1, ours) != signo);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

UNIT_MAIN("signal", 20, highest_free, programs_own, handled_sigio, none_left, not_allowed, let_in,
	  what_the_driver_sends, to_the_thread, full_queue, child)
