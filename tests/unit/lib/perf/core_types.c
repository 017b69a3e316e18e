// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Readers of events on several core types, with pages that are made up, and restartable sequences
 * that the kernel aborts: RDPMC faults here, and the fault's signal ends the sequence.
 * tests/loops/step aborts them at each instruction.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lib/perf/core_types.h"
#include "tests/harness/check.h"

static struct perf_event_mmap_page made_up[PERFCTR_CORE_TYPES];
static const struct perf_event_mmap_page *const page[] = { &made_up[0], &made_up[1], &made_up[2] };
static struct perfctr_core_types types;

static void make_pages(void)
{
	unsigned int i;

	for (i = 0; i < PERFCTR_CORE_TYPES; i++)
		made_up[i] = (struct perf_event_mmap_page){
			.lock = i,
			.offset = 100 + i,
			.pmc_width = 48,
			.cap_user_rdpmc = 1,
		};
}

/* Counters of different widths have no reader, nor those of none. */
START_TEST(widths)
{
	struct perfctr_reader reader;
	struct perfctr_rseq rseq = { 0 };

	make_pages();
	ck_assert(perfctr_core_types_reader(&types, page, 3, &rseq, &reader));
	ck_assert_uint_eq(reader.shift, 16);
	ck_assert_uint_eq(reader.types, 3);
	made_up[2].pmc_width = 40;
	ck_assert(!perfctr_core_types_reader(&types, page, 3, &rseq, &reader));
	ck_assert(perfctr_core_types_reader(&types, page, 2, &rseq, &reader));
	ck_assert_uint_eq(reader.types, 2);
	made_up[0].pmc_width = made_up[1].pmc_width = 0;
	ck_assert(!perfctr_core_types_reader(&types, page, 2, &rseq, &reader));
	made_up[0].pmc_width = made_up[1].pmc_width = 65;
	ck_assert(!perfctr_core_types_reader(&types, page, 2, &rseq, &reader));
	made_up[0].pmc_width = made_up[1].pmc_width = 64;
	ck_assert(perfctr_core_types_reader(&types, page, 2, &rseq, &reader));
	ck_assert_uint_eq(reader.shift, 0);
}
END_TEST

/* A program that knows one page only, and who asks for times, find nothing in a register. */
START_TEST(as_a_page)
{
	struct perfctr_rseq rseq = { 0 };
	struct perfctr_reader reader;
	uint64_t value, enabled, running;

	make_pages();
	made_up[0].index = 1;
	ck_assert(perfctr_core_types_reader(&types, page, 2, &rseq, &reader));
	ck_assert_int_eq(perfctr_page_read_count(&reader, &value), 0);
	ck_assert_int_eq(perfctr_reader_pause(&reader, &value), 0);
	ck_assert_int_eq(perfctr_reader_resume(&reader, 77), 0);
	ck_assert_uint_eq(reader.base, 0);
	ck_assert_int_eq(perfctr_reader_read_times(&reader, &value, &enabled, &running), 0);
}
END_TEST

#if PERFCTR_HAVE_CORE_TYPES

/* No page names a counter; or the thread's sequences are not watched: then nothing is read. */
START_TEST(asks_the_kernel)
{
	struct perfctr_rseq rseq = { 0 };
	struct perfctr_reader reader;
	unsigned int n;
	uint64_t value;

	for (n = 2; n <= PERFCTR_CORE_TYPES; n++) {
		make_pages();
		ck_assert(perfctr_core_types_reader(&types, page, n, &rseq, &reader));
		ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
		made_up[n - 1].index = 1;
		rseq.cpu_id = -1;
		ck_assert_int_eq(perfctr_reader_read(&reader, &value), 0);
		rseq.cpu_id = 0;
		ck_assert_uint_eq(rseq.rseq_cs, 0);
	}
}
END_TEST

static volatile sig_atomic_t faults;
static bool reads_in_handler;
static struct perfctr_reader of_handler;

/* The kernel has sent the thread to the abort handler: it goes on there. */
static void on_fault(int signo)
{
	uint64_t value;

	if (++faults > 20)
		_exit(100 + signo);
	if (reads_in_handler && perfctr_reader_read(&of_handler, &value) != 0)
		_exit(99);
}

/*
 * After three of these it gives up, also if the handler reads, too. The kernel may abort a sequence
 * before it faults, too, when it preempts the thread: of some reads all three aborts are faults.
 */
static int aborted_by_faults(bool handler_reads)
{
	struct perf_event_mmap_page idle[2] = { { .pmc_width = 48 }, { .pmc_width = 48 } };
	const struct perf_event_mmap_page *const idle_page[] = { &idle[0], &idle[1] };
	volatile struct perfctr_rseq *rseq = perfctr_rseq_here();
	struct perfctr_core_types idle_types;
	struct sigaction action = { .sa_handler = on_fault };
	struct perfctr_reader reader;
	unsigned int tries = 0;
	uint64_t value = 5;

	memset(&idle_types, 0xFF, sizeof(idle_types));
	make_pages();
	made_up[1].index = 1;
	reads_in_handler = handler_reads;
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGILL, &action, NULL);
	if (!perfctr_core_types_reader(&types, page, 2, rseq, &reader) ||
	    !perfctr_core_types_reader(&idle_types, idle_page, 2, rseq, &of_handler))
		return 1;
	do {
		faults = 0;
		if (perfctr_reader_read(&reader, &value) != 0)
			return 77; /* this machine's counters can be read */
		if (faults > PERFCTR_ABORTS || value != 5 || rseq->rseq_cs)
			return 2;
	} while (faults < PERFCTR_ABORTS && ++tries < 100);
	return faults == PERFCTR_ABORTS ? 0 : 3;
}

static int unregistered(bool handler_reads)
{
	volatile struct perfctr_rseq *rseq = perfctr_rseq_here();
	struct perfctr_reader reader;
	uint32_t signature = 0x53053053;
	uint64_t value;

	(void)handler_reads;
#ifdef __aarch64__
	signature = 0xD428BC00;
#endif
	make_pages();
	made_up[1].index = 1;
	if (!perfctr_core_types_reader(&types, page, 2, rseq, &reader))
		return 1;
	if (syscall(SYS_rseq, rseq, 32, 1, signature) < 0)
		return 77; /* glibc has registered it otherwise */
	if (perfctr_rseq_here())
		return 2;
	return perfctr_reader_read(&reader, &value) ? 3 : 0; /* RDPMC would be deadly */
}

/* A part that this machine can't try counts as skipped: CI, which must try it, then fails. */
static void in_a_child(const char *name, int (*what)(bool), bool arg)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(what(arg));
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	if (status == 77 << 8)
		printf("SKIP %s: RDPMC does not fault, or rseq(2) was registered otherwise\n",
		       name);
	else
		ck_assert_msg(status == 0, "%s: status 0x%X", name, (unsigned int)status);
}

/* The thread's area is found whichever processor it runs on. */
START_TEST(on_each_processor)
{
	volatile struct perfctr_rseq *here = perfctr_rseq_here();
	cpu_set_t all, one;
	size_t cpu;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one) == 0)
			ck_assert_ptr_eq((void *)(uintptr_t)perfctr_rseq_here(),
					 (void *)(uintptr_t)here);
	}
}
END_TEST

START_TEST(in_the_kernels_hands)
{
	if (!perfctr_rseq_here()) {
		puts("SKIP restartable sequences: the C library has registered none");
		return;
	}
	in_a_child("aborted by faults", aborted_by_faults, false);
	in_a_child("aborted by faults, and a handler that reads", aborted_by_faults, true);
	in_a_child("unregistered", unregistered, false);
}
END_TEST

UNIT_MAIN("core_types", 60, widths, as_a_page, asks_the_kernel, on_each_processor,
	  in_the_kernels_hands)

#else

START_TEST(no_rseq)
{
	ck_assert_ptr_null((void *)(uintptr_t)perfctr_rseq_here());
}
END_TEST

UNIT_MAIN("core_types", 60, widths, as_a_page, no_rseq)

#endif
