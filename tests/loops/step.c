// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Proof of the read loops: a process is made to execute a loop, one instruction at a time. The
 * tracer plays the machine and its kernel. At each instruction boundary in turn it lets the kernel
 * act, lets the loop end, and takes the process back to that boundary for the next action: switch
 * the thread out and in again, move it to another processor, take its counter away, handle an
 * overflow. It also executes the loop's counter instructions, which user space may not, from its
 * model of the machine, and notes the true count at that moment. The loop's result must be the true
 * count at its last counter read, to the event.
 *
 * STEP_QUICK=N in the environment does fewer combinations: only each Nth boundary of an action,
 * others for the next action.
 */
#define _FILE_OFFSET_BITS 64 /* an i386's addresses in /proc/self/mem */
#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include "step.h"

#if !defined(__x86_64__) && !defined(__i386__) && !defined(__aarch64__) && !defined(__riscv)

int main(void)
{
	printf("SKIP: this test can't step the instructions of this ISA; it can on x86, arm64 and "
	       "riscv64\n");
	return 77;
}

/* tests/loops/barriers.c is compiled for every ISA. */
void step_at_barrier(void)
{
}

#else

static struct shared *shared;

/* ---- the machine and its kernel ---- */

#define CPUS	 3
#define COUNTERS 8
/* The number of the first, in instructions: RISC-V's number 1 is the clock. */
#ifdef __riscv
#define FIRST 3
#else
#define FIRST 0
#endif

static struct {
	unsigned int width;
	uint64_t start; /* what the kernel sets counters to, below 2^width */
	uint64_t counter[CPUS][COUNTERS];
	uint64_t tsc_offset[CPUS];
	uint64_t clock;
	unsigned int cpu;	/* where the thread runs */
	int on[EVENTS];		/* the counter of each event; -1: none */
	uint64_t count[EVENTS]; /* the ledger: true counts of the thread's events */
	/* of events on several core types, which processors have in turn; 0: one type only */
	unsigned int types;
	uint64_t of_type[PERFCTR_CORE_TYPES][EVENTS]; /* the parts of a count */
	int died;				      /* of RDPMC, or of a wrong sequence */
	uint64_t ran;		  /* the ledger: ticks for which the thread has run */
	uint64_t counted[EVENTS]; /* of them, ticks with a counter */
	/* as of the last counter instruction */
	uint64_t seen[EVENTS], seen_ran, seen_counted;
	int read_standing; /* counters were read that stand still */
	unsigned int reads,
		fences[2]; /* counters read; fences before the first of them, and after */
} m;

/* The core type of a processor. Each names its counters by other numbers. */
static unsigned int type_of(unsigned int cpu)
{
	return m.types ? cpu % m.types : 0;
}

/* What RDPMC here calls the counter. */
static unsigned int number_of(int counter)
{
	return type_of(m.cpu) * COUNTERS + (unsigned int)counter + FIRST;
}

static uint64_t mask(void)
{
	return m.width == 64 ? UINT64_MAX : (UINT64_C(1) << m.width) - 1;
}

static uint64_t signed_counter(uint64_t raw)
{
	unsigned int shift = 64 - m.width;

	return (uint64_t)((int64_t)(raw << shift) >> shift);
}

static uint64_t tsc(void)
{
	return m.clock + m.tsc_offset[m.cpu];
}

/* The thread executes one instruction: event i counts i + 1, and time passes. */
static void thread_runs(void)
{
	unsigned int i;

	m.clock += 3;
	m.ran += 3;
	for (i = 0; i < EVENTS; i++) {
		if (m.on[i] < 0)
			continue;
		m.count[i] += i + 1;
		m.of_type[type_of(m.cpu)][i] += i + 1;
		m.counted[i] += 3;
		m.counter[m.cpu][m.on[i]] = (m.counter[m.cpu][m.on[i]] + i + 1) & mask();
	}
}

/* Other threads run, on all counters of all processors. */
static void others_run(void)
{
	unsigned int cpu, i;

	m.clock += 1000001;
	for (cpu = 0; cpu < CPUS; cpu++)
		for (i = 0; i < COUNTERS; i++)
			m.counter[cpu][i] = (m.counter[cpu][i] * 5 + 12345 + i) & mask();
}

/* perf_events' kernel updates an event's page, as perf_event_update_userpage() does. */
static void update_page(unsigned int i, unsigned int type)
{
	struct perf_event_mmap_page *page = type ? &shared->other[type - 1][i] : &shared->page[i];
	int on = type == type_of(m.cpu) ? m.on[i] : -1;

	page->lock += 2;
	page->index = on < 0 ? 0 : number_of(on) + 1;
#ifdef __riscv /* see perfctr_reader_shift() */
	page->pmc_width = on < 0 ? 0 : (uint16_t)m.width;
#endif
	page->offset = (int64_t)m.of_type[type][i];
	if (on >= 0)
		page->offset -= (int64_t)signed_counter(m.counter[m.cpu][on]);
	page->time_enabled = m.ran;
	page->time_running = m.counted[i];
	page->time_offset = -tsc();
	page->time_cycles = tsc();
}

/* perf_events' kernel puts the events on counters from first on, with new values in them. */
static void perf_in(unsigned int cpu, int first)
{
	unsigned int i, before = type_of(m.cpu);

	m.cpu = cpu;
	for (i = 0; i < EVENTS; i++) {
		m.on[i] = first < 0 ? -1 : first + (int)i;
		if (m.on[i] >= 0)
			m.counter[cpu][m.on[i]] = m.start;
		update_page(i, type_of(cpu));
		if (type_of(cpu) != before)
			update_page(i, before);
	}
}

/* Where the thread is moved. */
static unsigned int other_cpu(void)
{
	return (m.cpu + 1) % (m.types ? m.types : 2);
}

/* perfctr's kernel: add up a period; begin a period. */
static void perfctr_suspend(void)
{
	struct perfctr_cpu_state *state = &shared->state.cpu_state;
	unsigned int i;

	state->tsc_sum += (uint32_t)tsc() - state->tsc_start;
	for (i = 0; i < EVENTS; i++)
		state->pmc[i].sum += (uint32_t)m.counter[m.cpu][state->pmc[i].map - FIRST] -
				     state->pmc[i].start;
}

static void perfctr_resume(unsigned int cpu)
{
	struct perfctr_cpu_state *state = &shared->state.cpu_state;
	unsigned int i;

	m.cpu = cpu;
	state->tsc_start = (uint32_t)tsc();
	for (i = 0; i < EVENTS; i++)
		state->pmc[i].start = (uint32_t)m.counter[cpu][state->pmc[i].map - FIRST];
}

/* What the kernel does at a boundary. The second column's are perfctr's. */
enum action {
	SWITCH,
	MIGRATE,
	OTHER_COUNTER,
	GONE,
	GONE_AND_BACK,
	OVERFLOW,
	REFRESH,
	TWICE,
	SIGNAL, /* of readers in restartable sequences */
	ACTIONS
};

static void perf_acts(enum action action)
{
	unsigned int i;
	int first = m.on[0];

	switch (action) {
	case SWITCH:
		others_run();
		perf_in(m.cpu, first);
		break;
	case MIGRATE:
		others_run();
		perf_in(other_cpu(), first);
		break;
	case OTHER_COUNTER:
		others_run();
		perf_in(m.cpu, COUNTERS - EVENTS - first);
		break;
	case GONE:
		others_run();
		perf_in(m.cpu, -1);
		break;
	case GONE_AND_BACK:
		perf_in(m.cpu, -1);
		m.clock += 777;
		m.ran += 777; /* the thread ran, but this was kernel time: nothing counted */
		others_run();
		perf_in(other_cpu(), COUNTERS - EVENTS - first);
		break;
	case OVERFLOW:
		/* Of one event: only its page changes. */
		if (m.on[0] < 0)
			break;
		m.counter[m.cpu][m.on[0]] = m.start;
		update_page(0, type_of(m.cpu));
		break;
	case REFRESH:
		for (i = 0; i < EVENTS; i++)
			update_page(i, type_of(m.cpu));
		break;
	case TWICE:
		perf_acts(SWITCH);
		perf_acts(MIGRATE);
		break;
	case SIGNAL:
		/* Its handler reads, too. */
		shared->rseq.rseq_cs = 0;
		thread_runs();
		break;
	case ACTIONS: break;
	}
}

/*
 * The kernel's part of rseq(2), as rseq_ip_fixup() does it: a thread that has been preempted, moved
 * or sent a signal within a sequence is sent to its abort handler. Where it continues.
 */
struct sequence {
	uint32_t version, flags;
	uint64_t start, length, abort;
};

#ifdef __aarch64__
#define SIGNATURE 0xD428BC00u
#else
#define SIGNATURE 0x53053053u
#endif

static unsigned int aborts;

static unsigned long leave_sequence(unsigned long pc)
{
	const struct sequence *sequence = (const struct sequence *)(uintptr_t)shared->rseq.rseq_cs;

	shared->rseq.rseq_cs = 0;
	if (!sequence)
		return pc;
	if (sequence->version || sequence->flags ||
	    sequence->abort - sequence->start < sequence->length ||
	    *(const uint32_t *)(uintptr_t)(sequence->abort - 4) != SIGNATURE)
		m.died = 1;
	if (pc - sequence->start >= sequence->length)
		return pc;
	aborts++;
	return (unsigned long)sequence->abort;
}

/* These may come by an interrupt alone. */
static int preempts(enum action action)
{
	return action != OTHER_COUNTER && action != OVERFLOW && action != REFRESH;
}

/* An overflow stops all counters, whose start values are then for the next time; the TSC goes on.
 */
static void perfctr_interrupt(void)
{
	struct perfctr_cpu_state *state = &shared->state.cpu_state;
	unsigned int i;

	perfctr_suspend();
	for (i = 0; i < EVENTS; i++) {
		m.on[i] = -1;
		state->pmc[i].start = (uint32_t)-1000;
	}
	state->cstatus = perfctr_mk_cstatus(1, 0, 0);
	state->tsc_start = (uint32_t)tsc();
}

/* Its handler has resumed them. */
static void perfctr_iresume(void)
{
	struct perfctr_cpu_state *state = &shared->state.cpu_state;
	unsigned int i;

	state->tsc_sum += (uint32_t)tsc() - state->tsc_start;
	for (i = 0; i < EVENTS; i++)
		m.on[i] = (int)(state->pmc[i].map - FIRST);
	state->cstatus = shared->state_reader.cstatus;
	perfctr_resume(m.cpu);
}

static void perfctr_acts(enum action action)
{
	switch (action) {
	case SWITCH:
		perfctr_suspend();
		others_run();
		perfctr_resume(m.cpu);
		break;
	case MIGRATE:
		perfctr_suspend();
		others_run();
		perfctr_resume(!m.cpu);
		break;
	case REFRESH: /* the sampling timer */
		perfctr_suspend();
		perfctr_resume(m.cpu);
		break;
	case TWICE:
		perfctr_acts(MIGRATE);
		perfctr_acts(SWITCH);
		break;
	case GONE: /* and RDPMC is not allowed any more */
		perfctr_interrupt();
		shared->state.cpu_state.cstatus = 0;
		break;
	case GONE_AND_BACK:
		perfctr_interrupt();
		m.clock += 100;
		m.ran += 100;
		perfctr_iresume();
		break;
	case OVERFLOW: perfctr_interrupt(); break;
	default: break;
	}
}

/* A clock of few bits, as some arm64 have: the page tells what is above them. */
#define CLOCK_MASK UINT64_C(0xFFFFFFFF)
static int short_clock;

static void reset_machine(unsigned int width, uint64_t start, uint64_t count)
{
	unsigned int i;

	memset(&m, 0, sizeof(m));
	memset(shared, 0, offsetof(struct shared, stack));
	m.width = width;
	m.start = start & mask();
	m.clock = 0xFFFFFFF0; /* the TSC's low half is about to wrap */
	m.tsc_offset[1] = 0x123456789;
	others_run();
	for (i = 0; i < EVENTS; i++) {
		m.count[i] = m.of_type[0][i] = count + i;
		shared->page[i].lock = 0xFFFFFFFE; /* about to wrap, too */
		shared->page[i].pmc_width = (uint16_t)width;
		shared->page[i].cap_user_rdpmc = 1;
		shared->page[i].cap_user_time = 1;
		shared->page[i].time_mult = 1u << 10;
		shared->page[i].time_shift = 10;
		shared->page[i].cap_user_time_short = short_clock != 0;
		shared->page[i].time_mask = CLOCK_MASK;
		shared->reader[i].page = &shared->page[i];
		shared->reader[i].shift = 64 - width;
	}
}

static void start_perf(unsigned int width, uint64_t start, uint64_t count)
{
	reset_machine(width, start, count);
	m.tsc_offset[1] = 0; /* perf_events puts its clock into pages only if it is one */
	if (short_clock)
		m.clock = UINT64_C(0x2FFFFFFF0); /* about to wrap */
	perf_in(0, 0);
	/* One that often begins again is not remembered. */
	shared->clock.memo.page = short_clock ? NULL : shared->page;
	shared->clock.memo.lock = shared->page[0].lock;
	shared->clock.memo.ticks = shared->page[0].time_enabled + shared->page[0].time_offset;
}

/* Two or three core types: a loop has its number in perfctr, negative. */
static void start_types(unsigned int types, unsigned int width, uint64_t start, uint64_t count)
{
	const struct perf_event_mmap_page *page[PERFCTR_CORE_TYPES];
	unsigned int i, t;

	reset_machine(width, start, count);
	m.types = types;
	for (i = 0; i < EVENTS; i++) {
		page[0] = &shared->page[i];
		for (t = 1; t < types; t++) {
			page[t] = &shared->other[t - 1][i];
			shared->other[t - 1][i] = shared->page[i];
			/* The thread has been there, too. */
			m.of_type[t][i] = t * UINT64_C(0x123456789AB);
			m.count[i] += m.of_type[t][i];
			update_page(i, t);
		}
		perfctr_core_types_reader(&shared->types[i], page, types, &shared->rseq,
					  &shared->types_reader[i]);
	}
	/* On the last of them. */
	perf_in(types - 1, 0);
}

static void start_perfctr(unsigned int width, uint64_t start, uint64_t count)
{
	struct perfctr_cpu_state *state = &shared->state.cpu_state;
	unsigned int i;

	reset_machine(width, start, count);
	state->cstatus = perfctr_mk_cstatus(1, EVENTS, 0);
	for (i = 0; i < EVENTS; i++) {
		m.on[i] = (int)i + 2;
		m.counter[0][i + 2] = m.start;
		state->pmc[i].map = i + 2 + FIRST;
		state->pmc[i].sum = m.count[i];
	}
	perfctr_resume(0);
	shared->state_reader.state = &shared->state;
	shared->state_reader.cstatus = state->cstatus;
	shared->state_reader.n = EVENTS;
}

static uint32_t last_read; /* the counter that the last counter instruction named */

static uint64_t execute_rdpmc(uint32_t n)
{
	unsigned int i;

	last_read = n;
	m.reads++;
	m.read_standing |= m.on[0] < 0;
	m.died |= m.types && (n - FIRST) / COUNTERS != type_of(m.cpu);

	for (i = 0; i < EVENTS; i++)
		if (m.on[i] >= 0 && number_of(m.on[i]) == n)
			m.seen[i] = m.count[i];
	n -= number_of(0);
	return n < COUNTERS ? m.counter[m.cpu][n] : 0xDEAD;
}

static uint64_t execute_rdtsc(void)
{
	m.seen_ran = m.ran;
	m.seen_counted = m.counted[0];
	return short_clock ? tsc() & CLOCK_MASK : tsc();
}

/* ---- where the counter instructions are ---- */

/*
 * Whether they fault is the machine's choice. Before the process to be stepped is made, an
 * instruction that always does takes the place of each, in both processes.
 */
#ifndef __riscv

#define MOST_SITES 8192

#if defined(__aarch64__)
typedef uint32_t code_word;
#define FAULTING 0u /* UDF #0 (Arm ARM C6.2) */
#else
typedef uint16_t code_word;
#define RDPMC	 0x330F
#define RDTSC	 0x310F
#define FAULTING 0x0B0F /* UD2 (SDM vol. 2B) */
#endif

static struct {
	unsigned long at;
	code_word code;
} sites[MOST_SITES];

static unsigned int nsites;

/* The instruction that was at a place before; 0: one that reads no counter. */
static code_word site_at(unsigned long pc)
{
	code_word now;
	unsigned int i;

	memcpy(&now, (const void *)pc, sizeof(now));
	for (i = 0; i < nsites && now == FAULTING; i++)
		if (sites[i].at == pc)
			return sites[i].code;
	return 0;
}

/* The code's pages stay as they are: some systems have none that is both written and executed. */
static void take_site(unsigned long at)
{
	const code_word faulting = FAULTING;
	int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	if (nsites == MOST_SITES) {
		printf("more than %d counter instructions\n", MOST_SITES);
		exit(1);
	}
	sites[nsites].at = at;
	memcpy(&sites[nsites++].code, (const void *)at, sizeof(code_word));
	if (file < 0 || pwrite(file, &faulting, sizeof(faulting), (off_t)at) != sizeof(faulting)) {
		printf("SKIP: this process may not change its code: %s\n", strerror(errno));
		exit(77);
	}
	close(file);
	__builtin___clear_cache((char *)at, (char *)at + sizeof(code_word));
}

#endif

#if defined(__x86_64__) || defined(__i386__)

/* The linker's names for a section's ends. */
extern const int32_t __start_step_sites[], __stop_step_sites[];

static void take_sites(void)
{
	const int32_t *site;

	for (site = __start_step_sites; site < __stop_step_sites; site++)
		take_site((unsigned long)site + (unsigned long)(long)*site);
}

#elif defined(__riscv)

static void take_sites(void)
{
}

#else

#define CLOCK	   32
#define NO_COUNTER 33

/*
 * The counter that the instruction reads. MRS Xt, reg (Arm ARM C6.2): PMEVCNTRn_EL0 is
 * S3_3_C14_C8+n/8_(n%8), PMCCNTR_EL0 S3_3_C9_C13_0, CNTVCT_EL0 S3_3_C14_C0_2.
 */
static uint32_t counter_in(uint32_t code)
{
	uint32_t reg = code >> 5 & 0x7FFF; /* o0(1) op1(3) CRn(4) CRm(4) op2(3) */

	if ((code & 0xFFF00000) != 0xD5300000)
		return NO_COUNTER;
	if (reg == (1u << 14 | 3 << 11 | 14 << 7 | 0 << 3 | 2))
		return CLOCK;
	if (reg == (1u << 14 | 3 << 11 | 9 << 7 | 13 << 3 | 0))
		return 31;
	return (reg & ~0x1Fu) == (1u << 14 | 3 << 11 | 14 << 7 | 8 << 3) ? reg & 0x1F : NO_COUNTER;
}

/* The first object is the program. */
static int take_object(struct dl_phdr_info *object, size_t size, void *unused)
{
	const ElfW(Phdr) *segment = object->dlpi_phdr, *end = segment + object->dlpi_phnum;
	const uint32_t *code, *last;

	(void)size, (void)unused;
	for (; segment < end; segment++) {
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		code = (const uint32_t *)(object->dlpi_addr + segment->p_vaddr);
		for (last = code + segment->p_filesz / 4; code < last; code++)
			if (counter_in(*code) != NO_COUNTER)
				take_site((unsigned long)code);
	}
	return 1;
}

static void take_sites(void)
{
	dl_iterate_phdr(take_object, NULL);
}

#endif

/* ---- the stepped process, by ISA ---- */

#if defined(__x86_64__) || defined(__i386__)

#ifdef __x86_64__
#define PC	rip
#define SP	rsp
#define AX	rax
#define DX	rdx
#define CX	rcx
#define ORIG_AX orig_rax
#else
#define PC	eip
#define SP	esp
#define AX	eax
#define DX	edx
#define CX	ecx
#define ORIG_AX orig_eax
#endif
typedef struct user_regs_struct registers;

static int get_registers(pid_t pid, registers *r)
{
	return (int)ptrace(PTRACE_GETREGS, pid, NULL, r);
}

static void set_registers(pid_t pid, registers *r)
{
	ptrace(PTRACE_SETREGS, pid, NULL, r);
}

/* Have the process call the function, and return to address 0. */
static void enter(registers *r, loop_function *function)
{
	unsigned long *sp = &shared->stack[512];

#ifdef __x86_64__
	r->rdi = (unsigned long)shared;
#else
	*--sp = 0;
	*--sp = (unsigned long)shared;
#endif
	*--sp = 0;
	r->SP = (__typeof__(r->SP))(unsigned long)sp;
	r->PC = (__typeof__(r->PC))(unsigned long)function;
	r->ORIG_AX = (__typeof__(r->ORIG_AX))-1; /* no system call to restart */
}

static unsigned long pc_of(const registers *r)
{
	return (unsigned long)r->PC;
}

static void set_pc(registers *r, unsigned long pc)
{
	r->PC = (__typeof__(r->PC))pc;
}

static int result_of(const registers *r)
{
	return (int)r->AX;
}

/* LFENCE, or CPUID where there need not be one. */
static int is_fence(const registers *r)
{
	const unsigned char *code = (const unsigned char *)r->PC;

#if defined(__x86_64__) || defined(__SSE2__)
	return code[0] == 0x0F && code[1] == 0xAE && code[2] == 0xE8;
#else
	return code[0] == 0x0F && code[1] == 0xA2;
#endif
}

/* If the next instruction reads a counter or the clock, do it. */
static int execute(registers *r)
{
	uint32_t code = site_at((unsigned long)r->PC);
	uint64_t value;

	if (code != RDPMC && code != RDTSC)
		return 0;
	value = code == RDPMC ? execute_rdpmc((uint32_t)r->CX) : execute_rdtsc();
	r->AX = (__typeof__(r->AX))(uint32_t)value;
	r->DX = (__typeof__(r->DX))(value >> 32);
	r->PC += 2;
	return 1;
}

#elif defined(__riscv)

/*
 * Linux up to 7.2 has no single step there, and breakpoints are a hundred times slower than this:
 * the instructions are interpreted, from the manual (The RISC-V Instruction Set Manual I: RV64I,
 * M). loops.c and broken.c are assembled without the short forms.
 */

/* x1 to x31; in the place of x0, which is zero, the pc. */
typedef struct {
	unsigned long x[32];
} registers;

static registers current;

static int get_registers(pid_t pid, registers *r)
{
	(void)pid;
	*r = current;
	return 0;
}

static void set_registers(pid_t pid, const registers *r)
{
	(void)pid;
	current = *r;
}

static void enter(registers *r, loop_function *function)
{
	r->x[1] = 0;
	r->x[2] = (unsigned long)&shared->stack[512];
	r->x[10] = (unsigned long)shared;
	r->x[0] = (unsigned long)function;
}

static unsigned long pc_of(const registers *r)
{
	return r->x[0];
}

static void set_pc(registers *r, unsigned long pc)
{
	r->x[0] = pc;
}

static int result_of(const registers *r)
{
	return (int)r->x[10];
}

static uint32_t code_at(const registers *r)
{
	const uint16_t *halves = (const uint16_t *)r->x[0];

	return halves[0] | (uint32_t)halves[1] << 16;
}

static unsigned long value_of(const registers *r, uint32_t n)
{
	return n & 31 ? r->x[n & 31] : 0;
}

static void set_value(registers *r, uint32_t code, unsigned long value)
{
	if (code >> 7 & 31)
		r->x[code >> 7 & 31] = value;
}

/* FENCE iorw, iorw */
static int is_fence(const registers *r)
{
	return code_at(r) == 0x0FF0000F;
}

/* CSRRS rd, csr, x0 (Zicsr): csr is 0xC00 + n, and 1 the clock. */
static int execute(registers *r)
{
	uint32_t code = code_at(r), n = (code >> 20) - 0xC00;

	if ((code & 0xFF07F) != 0x02073 || n > 31)
		return 0;
	set_value(r, code, n == 1 ? execute_rdtsc() : execute_rdpmc(n));
	r->x[0] += 4;
	return 1;
}

/* Bits of an instruction, at another place. */
static unsigned long bits(uint32_t code, unsigned int from, unsigned int n, unsigned int to)
{
	return (unsigned long)(code >> from & ((1u << n) - 1)) << to;
}

static unsigned long extend(unsigned long value, unsigned int width)
{
	return (unsigned long)((long)(value << (64 - width)) >> (64 - width));
}

static int branches(const registers *r, uint32_t code)
{
	unsigned long a = value_of(r, code >> 15), b = value_of(r, code >> 20);
	int holds = (code >> 13 & 3) == 0   ? a == b
		    : (code >> 13 & 3) == 2 ? (long)a < (long)b
					    : a < b;

	return holds == !(code & 0x1000);
}

static unsigned long load(unsigned long address, uint32_t kind)
{
	switch (kind) {
	case 0: return extend(*(volatile uint8_t *)address, 8);
	case 1: return extend(*(volatile uint16_t *)address, 16);
	case 2: return extend(*(volatile uint32_t *)address, 32);
	case 3: return *(volatile uint64_t *)address;
	case 4: return *(volatile uint8_t *)address;
	case 5: return *(volatile uint16_t *)address;
	default: return *(volatile uint32_t *)address;
	}
}

static void store(unsigned long address, uint32_t kind, unsigned long value)
{
	switch (kind) {
	case 0: *(volatile uint8_t *)address = (uint8_t)value; break;
	case 1: *(volatile uint16_t *)address = (uint16_t)value; break;
	case 2: *(volatile uint32_t *)address = (uint32_t)value; break;
	default: *(volatile uint64_t *)address = value; break;
	}
}

/* Of OP and OP-IMM; the other forms are those of 32 bits. */
static unsigned long compute(uint32_t kind, int other, unsigned long a, unsigned long b)
{
	switch (kind) {
	case 0: return other ? a - b : a + b;
	case 1: return a << (b & 63);
	case 2: return (long)a < (long)b;
	case 3: return a < b;
	case 4: return a ^ b;
	case 5: return other ? (unsigned long)((long)a >> (b & 63)) : a >> (b & 63);
	case 6: return a | b;
	default: return a & b;
	}
}

static unsigned long compute_short(uint32_t kind, int other, unsigned long a, unsigned long b)
{
	if (kind == 5)
		a = other ? extend(a, 32) : (uint32_t)a;
	return extend(compute(kind, other, a, kind ? b & 31 : b), 32);
}

/* MUL and MULHU; the others are not used. */
static int multiply(registers *r, uint32_t code)
{
	__extension__ typedef unsigned __int128 u128;
	u128 product = (u128)value_of(r, code >> 15) * value_of(r, code >> 20);

	if ((code >> 12 & 7) != 0 && (code >> 12 & 7) != 3)
		return 0;
	set_value(r, code, (unsigned long)(code >> 12 & 7 ? product >> 64 : product));
	return 1;
}

/* Whether the instruction is one of those with a second operand, and is done. */
static int interpret_computing(registers *r, uint32_t code)
{
	unsigned long a = value_of(r, code >> 15), b;
	uint32_t kind = code >> 12 & 7, is_register = code & 0x20;
	int other = (code & 0x40000000) != 0;

	if (is_register && (code >> 25 & 0x7F) == 1)
		return (code & 0x7F) == 0x33 && multiply(r, code);
	b = is_register ? value_of(r, code >> 20) : extend(code >> 20, 12);
	/* An immediate of ADDI has no such bit, nor have others but shifts'. */
	if (!is_register && kind != 5)
		other = 0;
	set_value(r, code,
		  code & 8 ? compute_short(kind, other, a, b) : compute(kind, other, a, b));
	return 1;
}

/* Execute one instruction; 0 if it is none that is known here. */
static int interpret(registers *r)
{
	uint32_t code = code_at(r);
	unsigned long pc = r->x[0], base = value_of(r, code >> 15);

	r->x[0] = pc + 4;
	switch (code & 0x7F) {
	case 0x37: set_value(r, code, extend(code & 0xFFFFF000, 32)); break;
	case 0x17: set_value(r, code, pc + extend(code & 0xFFFFF000, 32)); break;
	case 0x6F:
		set_value(r, code, pc + 4);
		r->x[0] = pc + extend(bits(code, 31, 1, 20) | bits(code, 21, 10, 1) |
					      bits(code, 20, 1, 11) | bits(code, 12, 8, 12),
				      21);
		break;
	case 0x67:
		set_value(r, code, pc + 4);
		r->x[0] = (base + extend(code >> 20, 12)) & ~1ul;
		break;
	case 0x63:
		if (branches(r, code))
			r->x[0] = pc + extend(bits(code, 31, 1, 12) | bits(code, 25, 6, 5) |
						      bits(code, 8, 4, 1) | bits(code, 7, 1, 11),
					      13);
		break;
	case 0x03: set_value(r, code, load(base + extend(code >> 20, 12), code >> 12 & 7)); break;
	case 0x23:
		store(base + extend(bits(code, 25, 7, 5) | bits(code, 7, 5, 0), 12), code >> 12 & 7,
		      value_of(r, code >> 20));
		break;
	case 0x13:
	case 0x1B:
	case 0x33:
	case 0x3B: return interpret_computing(r, code);
	case 0x0F: break; /* FENCE */
	default: return 0;
	}
	return 1;
}

/* Execute the next instruction: what waitpid(2) would say after it. */
static int step_child(pid_t pid, const registers *r)
{
	(void)pid, (void)r;
	return (interpret(&current) ? SIGTRAP : SIGILL) << 8 | 0x7F;
}

#else /* arm64 */

typedef struct user_regs_struct registers;

static int get_registers(pid_t pid, registers *r)
{
	struct iovec area = { r, sizeof(*r) };

	return (int)ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &area);
}

static void set_registers(pid_t pid, registers *r)
{
	struct iovec area = { r, sizeof(*r) };

	ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &area);
}

static void enter(registers *r, loop_function *function)
{
	r->regs[0] = (unsigned long)shared;
	r->regs[30] = 0;
	r->sp = (unsigned long)&shared->stack[512];
	r->pc = (unsigned long)function;
}

static unsigned long pc_of(const registers *r)
{
	return r->pc;
}

static void set_pc(registers *r, unsigned long pc)
{
	r->pc = pc;
}

static int result_of(const registers *r)
{
	return (int)r->regs[0];
}

/* ISB SY */
static int is_fence(const registers *r)
{
	return *(const uint32_t *)r->pc == 0xD5033FDF;
}

static int execute(registers *r)
{
	uint32_t code = site_at(r->pc), n = counter_in(code);
	uint64_t value;

	if (n == NO_COUNTER)
		return 0;
	value = n == CLOCK ? execute_rdtsc() : execute_rdpmc(n);
	if ((code & 31) != 31)
		r->regs[code & 31] = value;
	r->pc += 4;
	return 1;
}

#endif

#ifndef __riscv

/* Execute the next instruction: the wait status after it. */
static int step_child(pid_t pid, const registers *r)
{
	int status;

	(void)r;
	ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
	return waitpid(pid, &status, 0) == pid ? status : 0;
}

#endif

/*
 * Once the kernel has acted for the last time, only counters' values tell one instruction from the
 * next. So the rest of a loop runs up to its next counter instruction, at which it stops, and
 * counts as some instructions: a step costs as much as hundreds. Interpreted instructions are
 * cheap.
 */
#ifdef __riscv

static int run_child(pid_t pid)
{
	return step_child(pid, &current);
}

#else

#define MEANWHILE 7

static int run_child(pid_t pid)
{
	unsigned int i;
	int status;

	for (i = 1; i < MEANWHILE; i++)
		thread_runs();
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	return waitpid(pid, &status, 0) == pid ? status : 0;
}

static void limit_time(void)
{
	/* A broken loop may never come to a counter instruction. */
	const struct rlimit limit = { 600, 600 };

	setrlimit(RLIMIT_CPU, &limit);
}

#endif

static pid_t child;

/* The process to be stepped. On RISC-V it is this one. */
static void start_child(void)
{
#ifndef __riscv
	cpu_set_t one;
	int status;

	/* On one processor, the two take turns without waking up others. */
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			_exit(77);
		limit_time();
		raise(SIGSTOP);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) {
		printf("SKIP: this process may not trace another: %s\n", strerror(errno));
		exit(77);
	}
#endif
}

/* Where the kernel acts in one execution of a loop, and how. */
struct plan {
	unsigned int at[2];
	enum action action[2];
	int always; /* the first action is everywhere */
};

static void act(void (*acts)(enum action), enum action action)
{
	registers r;

	if (m.types && preempts(action)) {
		get_registers(child, &r);
		set_pc(&r, leave_sequence(pc_of(&r)));
		set_registers(child, &r);
	}
	acts(action);
}

#define MOST_BOUNDARIES 3000 /* of a loop that ends */

/* Whether the kernel has acted for the last time once it has at boundary n. */
static int is_over(const struct plan *plan, unsigned int n)
{
	return !plan->always && plan->at[0] <= n && (plan->at[1] <= n || plan->at[1] == UINT32_MAX);
}

static void enter_loop(loop_function *function)
{
	registers r;

	get_registers(child, &r);
	enter(&r, function);
	set_registers(child, &r);
}

/* Whether a loop that ran stands at a counter instruction, or has returned to address 0. */
static int has_run(int status)
{
	return WSTOPSIG(status) == SIGILL || WSTOPSIG(status) == SIGSEGV;
}

/*
 * Execute an instruction of the loop, or if the kernel has acted for the last time all up to the
 * next of a counter. Returns 0 if the loop has ended.
 */
static int advance(int over)
{
	registers r;
	int status;

	get_registers(child, &r);
	if (pc_of(&r) == 0)
		return 0;
	m.fences[m.reads != 0] += (unsigned int)is_fence(&r);
	if (execute(&r)) {
		set_registers(child, &r);
	} else {
		status = over ? run_child(child) : step_child(child, &r);
		if (!WIFSTOPPED(status) ||
		    !(WSTOPSIG(status) == SIGTRAP || (over && has_run(status)))) {
			printf("  the loop was stopped by signal %d\n",
			       WIFSTOPPED(status) ? WSTOPSIG(status) : 0);
			exit(1);
		}
	}
	thread_runs();
	return 1;
}

/*
 * Execute a loop from boundary n on. Returns its result, and in *boundaries the number of
 * instruction boundaries in it, if all were stepped; -1 if it does not end.
 */
static int finish_loop(unsigned int n, void (*acts)(enum action), const struct plan *plan,
		       unsigned int *boundaries)
{
	registers r;

	for (; n < MOST_BOUNDARIES; n++) {
		unsigned int k;

		for (k = 0; k < 2; k++)
			if (plan->at[k] == n || (plan->always && !k))
				act(acts, plan->action[k]);
		if (!advance(is_over(plan, n))) {
			get_registers(child, &r);
			*boundaries = n;
			return result_of(&r);
		}
	}
	return -1;
}

static int execute_loop(loop_function *function, void (*acts)(enum action), const struct plan *plan,
			unsigned int *boundaries)
{
	enter_loop(function);
	return finish_loop(0, acts, plan, boundaries);
}

/* The registers of vectors, through which compilers copy a set's sums; no loop that is interpreted
 * has any. */
struct vectors {
	unsigned char bytes[1024];
	size_t size;
};

#if defined(__riscv)
static void get_vectors(struct vectors *vectors)
{
	vectors->size = 0;
}

static void set_vectors(struct vectors *vectors)
{
	(void)vectors;
}
#else
#if defined(__i386__)
#define VECTORS NT_PRXFPREG
#else
#define VECTORS NT_PRFPREG
#endif
static void get_vectors(struct vectors *vectors)
{
	struct iovec area = { vectors->bytes, sizeof(vectors->bytes) };

	if (ptrace(PTRACE_GETREGSET, child, (void *)VECTORS, &area) < 0)
		area.iov_len = 0;
	vectors->size = area.iov_len;
}

static void set_vectors(struct vectors *vectors)
{
	struct iovec area = { vectors->bytes, vectors->size };

	if (vectors->size)
		ptrace(PTRACE_SETREGSET, child, (void *)VECTORS, &area);
}
#endif

/* What the machine and the process are at a boundary: they return there for each of the actions. */
struct moment {
	registers registers;
	struct vectors vectors;
	struct shared shared;
	unsigned char machine[sizeof(m)];
};

static void remember(struct moment *moment)
{
	get_registers(child, &moment->registers);
	get_vectors(&moment->vectors);
	moment->shared = *shared;
	memcpy(moment->machine, &m, sizeof(m));
}

static void go_back(struct moment *moment)
{
	set_registers(child, &moment->registers);
	set_vectors(&moment->vectors);
	*shared = moment->shared;
	memcpy(&m, moment->machine, sizeof(m));
}

/* ---- judging ---- */

static int right_one(int result)
{
	return !result || shared->value[0] == m.seen[0];
}

static int right_all(int result)
{
	unsigned int i;

	for (i = 0; i < EVENTS && result; i++)
		if (shared->value[i] != m.seen[i])
			return 0;
	return 1;
}

static int right_times(int result)
{
	return !result || (shared->value[0] == m.seen[0] && shared->enabled == m.seen_ran &&
			   shared->running == m.seen_counted);
}

static int right_clock(int result)
{
	return !result || shared->ticks == m.seen_ran;
}

static int right_ctrs(int result)
{
	return right_all(result) && right_clock(result);
}

struct loop {
	const char *name;
	loop_function *function;
	int perfctr; /* which kernel's page it reads; 2: and sees whether counters stand */
	int (*right)(int result);
	int broken;	    /* must be found out */
	int pairs;	    /* the kernel acts at two boundaries, too */
	unsigned int types; /* of cores; 0: one */
	unsigned int most;  /* instructions, a call and a return among them; 0: any number */
};

/* Costs are compared as Debian 12's compiler makes them (tests/bench/figures.sh). */
#if defined(__OPTIMIZE__) && __GNUC__ == 12 && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#ifdef __aarch64__
#define MOST(x86, arm64) arm64
#else
#define MOST(x86, arm64) x86
#endif
#else
#define MOST(x86, arm64) 0
#endif

static const struct loop loops[] = {
	{ "perfctr_reader_read", loop_read, 0, right_one, 0, 1, 0, 0 },
	{ "perfctr_reader_read_ordered", loop_read_ordered, 0, right_one, 0, 0, 0, 0 },
	{ "perfctr_reader_read_all of 4", loop_read_all, 0, right_all, 0, 0, 0, 0 },
	{ "perfctr_reader_read_times", loop_read_times, 0, right_times, 0, 0, 0, 0 },
	{ "perfctr_page_read_clock", loop_read_clock, 0, right_clock, 0, 0, 0, 0 },
	{ "perfctr_clock_recall", loop_recall, 0, right_clock, 0, 1, 0, 0 },
	{ "perfctr_state_read_pmc", loop_state_pmc, 1, right_one, 0, 1, 0, 0 },
	{ "perfctr_state_read_tsc", loop_state_tsc, 1, right_clock, 0, 1, 0, 0 },
	{ "perfctr_state_read_ctrs of 4", loop_state_ctrs, 1, right_ctrs, 0, 0, 0, 0 },
	{ "perfctr_state_reader_read of 4", loop_state_reader, 2, right_ctrs, 0, 0, 0, 0 },
#if PERFCTR_HAVE_CORE_TYPES
	{ "perfctr_reader_read, 2 core types", loop_types, 0, right_one, 0, 1, 2, MOST(48, 62) },
	{ "perfctr_reader_read, 3 core types", loop_types, 0, right_one, 0, 1, 3, MOST(58, 71) },
	{ "perfctr_reader_read_all of 4, 2 core types", loop_types_all, 0, right_all, 0, 0, 2,
	  MOST(258, 284) },
	{ "broken: no restartable sequence", broken_types, 0, right_one, 1, 0, 2, 0 },
#endif
	{ "broken: no check", broken_no_check, 0, right_one, 1, 0, 0, 0 },
	{ "broken: check too early", broken_check_too_early, 0, right_one, 1, 0, 0, 0 },
	{ "broken: index outside the loop", broken_index_outside, 0, right_one, 1, 0, 0, 0 },
	{ "broken: no sign extension", broken_sign, 0, right_one, 1, 0, 0, 0 },
	{ "broken: clock, check too early", broken_recall, 0, right_clock, 1, 0, 0, 0 },
	{ "broken: perfctr page, no check", broken_state_no_check, 1, right_one, 1, 0, 0, 0 },
	{ "broken: perfctr page, start outside", broken_state_start_outside, 1, right_one, 1, 0, 0,
	  0 },
	{ "broken: state reader, check before", broken_state_reader_before, 2, right_ctrs, 1, 0, 0,
	  0 },
	{ "broken: state reader, check after", broken_state_reader_after, 2, right_ctrs, 1, 0, 0,
	  0 },
};

struct tally {
	unsigned long runs, wrong;
	unsigned int boundaries;
};

/* The loop goes on at boundary n. */
static void judge(const struct loop *loop, unsigned int n, const struct plan *plan,
		  struct tally *tally)
{
	unsigned int boundaries = 0;
	int result = finish_loop(n, loop->perfctr ? perfctr_acts : perf_acts, plan, &boundaries);
	/* Only an event without a counter may be left to the kernel. */
	int gone = plan->action[0] == GONE || plan->action[1] == GONE;
	/* Where counters stood from the beginning, RDPMC may fault. */
	int faults = loop->perfctr && plan->at[0] == 0 && m.read_standing;

	/* And an overflow just then. */
	gone |= loop->perfctr && (plan->action[0] == OVERFLOW || plan->action[0] == GONE_AND_BACK);
	tally->runs++;
	if (plan->at[0] == UINT32_MAX)
		tally->boundaries = boundaries;
	if (plan->at[0] == UINT32_MAX && loop->most && boundaries > loop->most) {
		printf("  %s: %u instructions, and not at most %u\n", loop->name, boundaries,
		       loop->most);
		tally->wrong++;
	}
	if ((result == 1 || (result == 0 && gone)) && loop->right(result) && !faults && !m.died &&
	    !shared->rseq.rseq_cs)
		return;
	if (!tally->wrong++ && !loop->broken)
		printf("  %s: width %u, action %d at %u, %d at %u: result %d, value %llx, true %llx\n",
		       loop->name, m.width, plan->action[0], plan->at[0], plan->action[1],
		       plan->at[1], result, (unsigned long long)shared->value[0],
		       (unsigned long long)m.seen[0]);
}

/* Counters about to wrap, from below zero as kernels set them, and counts about to carry. */
static const struct {
	unsigned int width;
	uint64_t start, count;
	int short_clock;
} settings[] = {
	{ 48, UINT64_C(0x800000000001), 0, 0 },
	{ 48, UINT64_C(0xFFFFFFFFFFF0), UINT64_C(0xFFFFFFF0), 1 },
	{ 40, UINT64_C(0x8000000001), UINT64_C(0x7FFFFFFFFFF8), 0 },
	{ 32, UINT64_C(0xFFFFFFF4), UINT64_C(0xFFFFFFFFFFF8), 1 },
	{ 64, UINT64_C(0xFFFFFFF8), UINT64_C(0x7FFFFFFFFFFFFFF0), 0 },
};

static void begin_two(unsigned int width, uint64_t start, uint64_t count)
{
	start_types(2, width, start, count);
}

static void begin_three(unsigned int width, uint64_t start, uint64_t count)
{
	start_types(3, width, start, count);
}

static void begin(const struct loop *loop, unsigned int s)
{
	void (*start)(unsigned int, uint64_t, uint64_t) = loop->perfctr	     ? start_perfctr
							  : loop->types == 2 ? begin_two
							  : loop->types	     ? begin_three
									     : start_perf;

	short_clock = settings[s].short_clock && !loop->perfctr;
	start(settings[s].width, settings[s].start, settings[s].count);
	short_clock = 0;
	enter_loop(loop->function);
}

static int can_happen(const struct loop *loop, enum action action)
{
	if (action == SIGNAL)
		return loop->types != 0;
	switch (loop->perfctr) {
	case 0: return 1;
	case 1: /* a-mode counters neither go nor overflow */
		return action == SWITCH || action == MIGRATE || action == REFRESH ||
		       action == TWICE;
	default: return action != OTHER_COUNTER;
	}
}

/* Each action at each boundary. */
static void prove_single(const struct loop *loop, struct tally *tally, unsigned int s,
			 unsigned int quick)
{
	struct plan plan = { { 0, UINT32_MAX }, { ACTIONS, ACTIONS }, 0 };
	static struct moment moment;
	unsigned int a;

	begin(loop, s);
	for (; plan.at[0] <= tally->boundaries; plan.at[0]++, advance(0)) {
		remember(&moment);
		for (a = 0; a < ACTIONS; a++) {
			if (!can_happen(loop, (enum action)a) ||
			    (quick && (plan.at[0] + quick - (s + a) % quick) % quick))
				continue;
			plan.action[0] = (enum action)a;
			judge(loop, plan.at[0], &plan, tally);
			go_back(&moment);
		}
	}
}

/* An action, and a migration at each boundary after it; the second pass is longer than the first.
 */
static void prove_pairs_with(const struct loop *loop, struct tally *tally, enum action action)
{
	struct plan plan = { { 0, 0 }, { action, MIGRATE }, 0 };
	static struct moment first, second;

	begin(loop, 0);
	for (; plan.at[0] <= tally->boundaries; plan.at[0]++, advance(0)) {
		remember(&first);
		act(loop->perfctr ? perfctr_acts : perf_acts, action);
		for (plan.at[1] = plan.at[0] + 1; plan.at[1] < MOST_BOUNDARIES && advance(0);
		     plan.at[1]++) {
			remember(&second);
			judge(loop, plan.at[1], &plan, tally);
			go_back(&second);
		}
		go_back(&first);
	}
}

static void prove(const struct loop *loop, struct tally *tally, unsigned int quick)
{
	const struct plan nothing = { { UINT32_MAX, UINT32_MAX }, { ACTIONS, ACTIONS }, 0 };
	unsigned int s, a, n = quick ? 2 : sizeof(settings) / sizeof(settings[0]);

	/* A broken loop has been found out by its first wrong result. */
	for (s = 0; s < n && !(loop->broken && tally->wrong); s++) {
		begin(loop, s);
		judge(loop, 0, &nothing, tally);
		prove_single(loop, tally, s, quick);
		for (a = SWITCH; a <= OTHER_COUNTER && loop->pairs && s == 0 && !quick; a++)
			prove_pairs_with(loop, tally, (enum action)a);
	}
}

/* Each counter's number must lead to that counter: a table with two of them swapped is a classic.
 */
static unsigned int right_counters(void)
{
	const struct plan nothing = { { UINT32_MAX, UINT32_MAX }, { ACTIONS, ACTIONS }, 0 };
	unsigned int n, wrong = 0, boundaries;

	for (n = 0; n < 32; n++) {
		if (FIRST && n == 1) /* the clock */
			continue;
		start_perf(48, 0, 0);
		shared->ticks = n;
		last_read = UINT32_MAX;
		if (execute_loop(loop_rdpmc, perf_acts, &nothing, &boundaries) != 1 ||
		    last_read != n) {
			printf("  counter %u: %u was read\n", n, last_read);
			wrong++;
		}
	}
	printf("%s perfctr_rdpmc: 32 counters, %u wrong\n", wrong ? "not ok" : "ok", wrong);
	return wrong == 0;
}

/* A fence before the counter is read, and one after it; none of a read that is not ordered. */
static unsigned int right_fences(void)
{
	const struct plan nothing = { { UINT32_MAX, UINT32_MAX }, { ACTIONS, ACTIONS }, 0 };
	static const struct {
		loop_function *function;
		unsigned int types, fences;
	} loop[] = {
		{ loop_read, 0, 0 },
		{ loop_read_ordered, 0, 1 },
#if PERFCTR_HAVE_CORE_TYPES
		{ loop_types, 2, 0 },
		{ loop_types_ordered, 2, 1 },
#endif
	};
	unsigned int i, boundaries, wrong = 0;

	for (i = 0; i < sizeof(loop) / sizeof(loop[0]); i++) {
		if (loop[i].types)
			start_types(loop[i].types, 48, 0, 0);
		else
			start_perf(48, 0, 0);
		if (execute_loop(loop[i].function, perf_acts, &nothing, &boundaries) == 1 &&
		    m.reads == 1 && m.fences[0] == loop[i].fences &&
		    m.fences[1] == loop[i].fences && right_one(1))
			continue;
		printf("  loop %u: %u and %u fences around %u reads\n", i, m.fences[0], m.fences[1],
		       m.reads);
		wrong++;
	}
	printf("%s fences of ordered reads: %u wrong\n", wrong ? "not ok" : "ok", wrong);
	return wrong == 0;
}

#if PERFCTR_HAVE_CORE_TYPES

/*
 * A debugger steps through the program: each sequence is aborted, and after so many times the
 * kernel is asked.
 */
static unsigned int gives_up(void)
{
	const struct plan stepping = { { UINT32_MAX, UINT32_MAX }, { SIGNAL, ACTIONS }, 1 };
	unsigned int types, boundaries, wrong = 0;

	for (types = 2; types <= PERFCTR_CORE_TYPES; types++) {
		int result;

		start_types(types, 48, UINT64_C(0x800000000001), 0);
		aborts = 0;
		result = execute_loop(loop_types, perf_acts, &stepping, &boundaries);
		if (result == 0 && aborts == PERFCTR_ABORTS && !m.died)
			continue;
		printf("  %u core types: result %d after %u aborts\n", types, result, aborts);
		wrong++;
	}
	printf("%s readers under a debugger: %u wrong\n", wrong ? "not ok" : "ok", wrong);
	return wrong == 0;
}

#endif

/* ---- counter instructions in this process ---- */

/* Executes the counter instruction that faulted in this very process. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	registers r;

	(void)sig, (void)info;
	memset(&r, 0, sizeof(r));
#if defined(__x86_64__)
	r.rip = (unsigned long)u->uc_mcontext.gregs[REG_RIP];
	r.rcx = (unsigned long)u->uc_mcontext.gregs[REG_RCX];
#elif defined(__i386__)
	r.eip = u->uc_mcontext.gregs[REG_EIP];
	r.ecx = u->uc_mcontext.gregs[REG_ECX];
#elif defined(__riscv)
	memcpy(r.x, u->uc_mcontext.__gregs, sizeof(r.x));
#else
	memcpy(r.regs, u->uc_mcontext.regs, sizeof(r.regs));
	r.pc = u->uc_mcontext.pc;
#endif
	if (!execute(&r))
		_exit(99);
	thread_runs();
#if defined(__x86_64__)
	u->uc_mcontext.gregs[REG_RIP] = (long)r.rip;
	u->uc_mcontext.gregs[REG_RAX] = (long)r.rax;
	u->uc_mcontext.gregs[REG_RDX] = (long)r.rdx;
#elif defined(__i386__)
	u->uc_mcontext.gregs[REG_EIP] = r.eip;
	u->uc_mcontext.gregs[REG_EAX] = r.eax;
	u->uc_mcontext.gregs[REG_EDX] = r.edx;
#elif defined(__riscv)
	memcpy(u->uc_mcontext.__gregs, r.x, sizeof(r.x));
#else
	memcpy(u->uc_mcontext.regs, r.regs, sizeof(r.regs));
	u->uc_mcontext.pc = r.pc;
#endif
}

/* Returns whether this process's counter instructions come to the model. */
static int handle_faults(void)
{
	struct sigaction fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	/* The model is touched by two handlers, one at a time. */
	sigfillset(&fault.sa_mask);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGILL, &fault, NULL);
	last_read = UINT32_MAX;
	shared->ticks = FIRST;
	loop_rdpmc(shared);
	return last_read == FIRST;
}

/* ---- barriers ---- */

/* On RISC-V the clock is this machine's here, not the model's. */
static int right_ticks(int result)
{
#ifdef __riscv
	return result == 1;
#else
	return right_clock(result);
#endif
}

/*
 * Whatever the compiler may do, what a loop takes from a page it takes between two barriers, and
 * the lock or the start value outside of them, before and after.
 */
static const struct {
	struct loop loop;
	unsigned int passes; /* without the kernel */
} guarded[] = {
	{ { "perfctr_reader_read", barrier_read, 0, right_one, 0, 0, 0, 0 }, 1 },
	{ { "perfctr_reader_read_ordered", barrier_read_ordered, 0, right_one, 0, 0, 0, 0 }, 1 },
	{ { "perfctr_reader_read_all of 4", barrier_read_all, 0, right_all, 0, 0, 0, 0 }, EVENTS },
	{ { "perfctr_reader_read_times", barrier_read_times, 0, right_one, 0, 0, 0, 0 }, 1 },
	{ { "perfctr_page_read_clock", barrier_read_clock, 0, right_ticks, 0, 0, 0, 0 }, 1 },
	{ { "perfctr_state_read_pmc", barrier_state_pmc, 1, right_one, 0, 0, 0, 0 }, 1 },
	{ { "perfctr_state_read_tsc", barrier_state_tsc, 1, right_ticks, 0, 0, 0, 0 }, 1 },
	{ { "perfctr_state_read_ctrs of 4", barrier_state_ctrs, 1, right_all, 0, 0, 0, 0 }, 1 },
	{ { "perfctr_state_reader_read of 4", barrier_state_reader, 2, right_all, 0, 0, 0, 0 }, 1 },
};

static unsigned int barriers, act_at;
static void (*barrier_acts)(enum action);

void step_at_barrier(void)
{
	if (barriers++ == act_at)
		barrier_acts(MIGRATE);
}

/* Two barriers a pass; if the kernel acts at one of them, one pass more. */
static unsigned int right_barriers(void)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < sizeof(guarded) / sizeof(guarded[0]); i++) {
		const struct loop *loop = &guarded[i].loop;
		unsigned int usual = 2 * guarded[i].passes;

		barrier_acts = loop->perfctr ? perfctr_acts : perf_acts;
		for (act_at = 0; act_at <= usual; act_at++) {
			int result;

			(loop->perfctr ? start_perfctr : start_perf)(48, UINT64_C(0x800000000001),
								     0);
			barriers = 0;
			result = loop->function(shared);
			if (result == 1 && loop->right(result) &&
			    barriers == usual + (act_at < usual ? 2 : 0))
				continue;
			printf("  %s: %u barriers, the kernel acts at %u: result %d\n", loop->name,
			       barriers, act_at, result);
			wrong++;
		}
	}
	printf("%s barriers of the loops: %u wrong\n", wrong ? "not ok" : "ok", wrong);
	return wrong == 0;
}

/* ---- a storm of signals ---- */

static void (*storm_acts)(enum action);
static volatile sig_atomic_t storms;

static void on_alarm(int sig)
{
	static unsigned int turn;

	(void)sig;
	thread_runs();
	/* All but GONE, after which there is nothing to read. */
	turn = (turn + 1) % ACTIONS;
	storm_acts(turn == GONE || (storm_acts == perfctr_acts && turn == OVERFLOW)
			   ? SWITCH
			   : (enum action)turn);
	storms++;
}

static unsigned long storm(loop_function *function, unsigned long *runs)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction alarm = { .sa_handler = on_alarm };
	unsigned long wrong = 0;
	sigset_t set;

	sigfillset(&alarm.sa_mask);
	sigaction(SIGALRM, &alarm, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	storms = 0;
	setitimer(ITIMER_REAL, &often, NULL);
	while (storms < 5000 && *runs < 2000000) {
		int result = function(shared);
		uint64_t seen;

		/* What was seen last belongs to this read: nothing else reads counters. */
		sigprocmask(SIG_BLOCK, &set, NULL);
		seen = m.seen[0];
		if (result != 1 || shared->value[0] != seen)
			wrong++;
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		++*runs;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return wrong;
}

static unsigned int passed, failed;

static void note(unsigned int good)
{
	passed += good;
	failed += !good;
}

static void prove_loop(const struct loop *loop, unsigned int quick)
{
	struct tally tally = { 0, 0, 0 };
	unsigned int good;

	prove(loop, &tally, quick);
	good = loop->broken ? tally.wrong > 0 : tally.wrong == 0;
	printf("%s %s: %u boundaries, %lu runs, %lu wrong\n", good ? "ok" : "not ok", loop->name,
	       tally.boundaries, tally.runs, tally.wrong);
	note(good);
}

static void storm_on(const char *name, void (*start)(unsigned int, uint64_t, uint64_t),
		     void (*acts)(enum action), loop_function *function)
{
	unsigned long runs = 0, wrong;

	storm_acts = acts;
	start(48, UINT64_C(0x800000000001), 0);
	wrong = storm(function, &runs);
	printf("%s storm on %s page: %d signals in %lu reads, %lu wrong\n", wrong ? "not ok" : "ok",
	       name, (int)storms, runs, wrong);
	note(!wrong);
}

int main(void)
{
	const char *every = getenv("STEP_QUICK");
	unsigned int i, quick = every ? (unsigned int)strtoul(every, NULL, 10) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	take_sites();
	start_child();
	note(right_counters());
	for (i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		prove_loop(&loops[i], quick);
#if PERFCTR_HAVE_CORE_TYPES
	note(gives_up());
#endif
	note(right_fences());
#ifndef __riscv
	kill(child, SIGKILL);
#endif
	if (handle_faults()) {
		note(right_barriers());
		storm_on("perf_events'", start_perf, perf_acts, loop_read);
		storm_on("perfctr's", start_perfctr, perfctr_acts, loop_state_pmc);
	} else {
		printf("# no barriers, no storms: this kernel lets programs read any counter\n");
	}
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}

#endif
