/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * pmu.h - a made-up PMU, so that everything over perf_events runs, at every branch, on a machine
 * without one.
 *
 * A test program is linked with tests/harness/libpmu.la and $(PMU_WRAP), see tests/local.mk, by
 * which the linker sends the library's system calls here. Between pmu_begin() and pmu_end() all
 * events are made up. They count when the test says so, and what it says, so that each value is
 * known exactly:
 *
 *	pmu_begin();
 *	group = perfctr_set_open("{instructions,cycles}", NULL, 0);
 *	pmu_count(5);			this thread did 5 of everything, in user mode
 *	pmu_tick(100);			and 100 ns went by
 *	perfctr_set_read(group, readings);	5 and 5, in RDPMC or in read(2), of 100 ns
 *	perfctr_set_close(group);
 *	pmu_end();			fails the test if events or pages are left
 *
 * For controls there is control.h; add tests/harness/skylake.c to the program: on an x86 the
 * processor is then one.
 *
 * Events that record when threads begin and end (lib/perf/lives.c) are the kernel's, and count as
 *no call.
 *
 * How true it is: it does what kernel/events/core.c, kernel/events/ring_buffer.c and
 * arch/x86/events/core.c of Linux 6.1 do; pmu.c names the functions. tests/unit/pmu.c holds it
 * against the software events of the kernel that runs the test.
 */
#ifndef PERFCTR_TESTS_PMU_H
#define PERFCTR_TESTS_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- the machine: pmu_begin() sets it to what stands here; a test may change it at any time ----
 */

struct pmu_machine {
	unsigned int counters; /* 4: for each thread, and for each processor's own events */
	unsigned int taken;    /* 0: of these, by somebody else; then pmu_schedule() */
	unsigned int width;    /* 48: bits of a counter */
	uint32_t first;	       /* 0: what RDPMC calls the first counter */
	uint64_t least_period; /* 1: shorter ones are refused, shorter rests late */
	unsigned int precise;  /* 3: the highest precise_ip that it has */
	unsigned int skid;     /* 0: units that pass between an overflow and its interrupt */
	bool rdpmc;	       /* whether pages allow it; false where it can't be emulated */
	bool guards;	       /* false; true: a processor's own counters read as 0 in user mode */
	bool clock;	       /* true: pages have a clock, of PMU_TICKS a ns */
	bool runs;	 /* false; true: this clock is the processor's, which the test can't stop */
	uint32_t absent; /* 0: a PMU's type: of another core type than this one */
	bool blind;	 /* false; true: can't tell guests, and refuses their exclusion */
	bool lent;	 /* false; true: to KVM's guests, and refuses to count them */
	bool aux;	 /* false; true: its events have AUX areas */
	bool keeps_read_size; /* false; true: a dissolved group's events, as Linux 5.10 */
};
extern struct pmu_machine pmu;

#define PMU_TICKS 2u

/* Also takes back what the functions below have arranged. */
void pmu_begin(void);
void pmu_end(void);

/* ---- what happens ---- */

/*
 * The calling thread runs in user mode: n units of work one after the other, in each of which each
 * of its events that counts user mode counts 1, or pmu_rate() of its config. Overflows write
 * records, stop events and send their signals, which are handled before this returns. No time
 * passes.
 */
void pmu_count(uint64_t n);

/* The same of a thread (0: the caller; -1: none) on a processor (-1: none that is counted). */
void pmu_run(pid_t tid, int cpu, bool kernel, uint64_t n);

/* From now on a unit is so many, also 0, of the event with this config. */
void pmu_rate(uint64_t config, uint64_t n);

/* Time passes in which the calling thread runs; or that one, on that processor. */
void pmu_tick(uint64_t ns);
void pmu_tick_of(pid_t tid, int cpu, uint64_t ns);

/* Put on the PMU what can be: after a change of pmu.taken, as a thread's switch would. */
void pmu_schedule(void);

/* All threads are off their processors for a moment: what counts stops, and starts again. */
void pmu_switch(void);

/* A processor goes offline, which ends its own events, and comes back; a thread ends. */
void pmu_offline(int cpu);
void pmu_online(int cpu);
void pmu_thread_ends(pid_t tid);
void pmu_ends_on(pid_t tid, int cpu); /* what counts it on that processor */

/* A record of the event on descriptor fd, as if the kernel had written it: type, then words. */
void pmu_record(int fd, uint32_t type, const uint64_t *words, unsigned int n);

/*
 * The PMU writes n bytes into the AUX area of a processor (-1: a thread's), as far as there is
 * room; returns how many. The one at position p is pmu_aux_byte(p). What is overwritten has room.
 */
uint64_t pmu_aux(int cpu, uint64_t n);
static inline uint8_t pmu_aux_byte(uint64_t p)
{
	return (uint8_t)(p % 251);
}

/* What the control page says of that area's head becomes this. */
void pmu_aux_head(int cpu, uint64_t head);

/* ---- what is there ---- */

unsigned int pmu_events(void);	 /* events that are open */
unsigned int pmu_active(void);	 /* those on the PMU, software events too */
unsigned int pmu_mappings(void); /* mapped pages of theirs */

/*
 * ---- calls: what: one of these, or an ioctl's number, PERF_EVENT_IOC_*. ANY: all but the last
 * two. EPOLL: epoll_ctl(2); WAIT: epoll_wait(2). MEMORY: an anonymous mmap(2) ----
 */

enum {
	PMU_ANY,
	PMU_OPEN,
	PMU_READ,
	PMU_MMAP,
	PMU_MUNMAP,
	PMU_CLOSE,
	PMU_FCNTL,
	PMU_EPOLL,
	PMU_WAIT,
	PMU_RDPMC,
	PMU_MEMORY
};

/* How many there were since pmu_begin(). A close(2) of another file is none. */
unsigned int pmu_calls(unsigned long what);

/*
 * The nth such call from now on (1: the next) is not made, but fails with that errno. PMU_EOF: a
 * read returns 0. One at a time. Not for PMU_MUNMAP, PMU_CLOSE, PMU_WAIT, PMU_RDPMC.
 */
#define PMU_EOF (-1)
void pmu_fail(unsigned long what, unsigned int nth, int error);

/* Has it? */
bool pmu_failed(void);

/*
 * Before the nth such call of this thread from now on f() is called; where n is 0, before each. One
 * at a time; NULL: none. Its own calls don't count. It may use pmu_fail() on what follows it.
 */
void pmu_at(unsigned long what, unsigned int nth, void (*f)(void));

/* What the latest perf_event_open(2) of this process asks for; of PMU_OPEN f() sees its own. */
extern struct perf_event_attr pmu_asked;

#endif /* PERFCTR_TESTS_PMU_H */
