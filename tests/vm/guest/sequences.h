/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sequences.h - the common declarations of driver_sequences. Members of six parties draw
 * operations; the first member of a party traces the others. All know one page range of shared
 * memory, where each party counts what its members may have executed, and keeps its last
 * operations.
 *
 * Members may share memory, descriptors, and the C library's thread-local storage, of which
 * clone(2) makes no copy: so they call the kernel themselves, and errno is nobody's.
 */
#ifndef PERFCTR_TESTS_SEQUENCES_H
#define PERFCTR_TESTS_SEQUENCES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "tests/vm/guest/driver.h"

enum {
	PARTIES = 6,
	SLOTS = 4,    /* descriptors of states that a party's members use */
	PAGES = 4,    /* mappings in one memory */
	BIRTHS = 8,   /* processes and threads of one session */
	GUARDED = 4,  /* programs of a session that its user may not watch */
	RING = 32,    /* operations that are kept */
	WORK = 500000 /* turns of a loop, which others' programs make at least */
};

/* Descriptors have fixed numbers, so that a call can name one before it is there. */
enum { DEVICE = 10, SHARED, VICTIM, SENDER, RECEIVER, FIRST_SLOT = 40, FIRST_OWN = 64 };

/* What is wrong; each is told once. */
enum oracle {
	STANDS,	   /* a thread that executes nothing, or has none, was counted */
	BOUND,	   /* more was counted than the party can have executed */
	CLOCK,	   /* more ticks than there have been */
	FINAL,	   /* a detached state has changed, or can't be read */
	INHERITED, /* a child has the page */
	READS,	   /* RDPMC faults although the page says that it works */
	CALLS,	   /* an errno that is not documented, or success where it must be refused */
	GUARD,	   /* a program that its user may not watch has a state, or was killed */
	BYSTANDER, /* one who counts all the time does not count exactly */
	ENDS,	   /* a process died, or does not die */
	ORACLES
};

struct entry {
	unsigned int operation, count;
	int tid;
	long argument, result;
};

struct party {
	uint64_t began;	     /* the clock as the session began */
	atomic_ullong bound; /* user-mode instructions of the session, at most */
	atomic_uint births, programs;
	atomic_bool traced; /* somebody of this session is, or was */
	struct {
		atomic_int began, ended;
	} guarded[GUARDED];
	unsigned int session;
	pid_t subject, leader;
	atomic_uint next;
	struct entry ring[RING];
};

/* What an oracle has said first. */
struct finding {
	atomic_uint times;
	atomic_bool told;
	unsigned int done, party, session, next;
	int tid;
	char what[160];
	struct entry ring[RING];
};

struct shared {
	uint64_t seed;
	unsigned int operations; /* how many are asked for */
	bool go_on;		 /* after something wrong */
	bool exact;
	unsigned int counters; /* that one control can have */
	atomic_uint done, alones, sessions, went;
	atomic_bool stop;
	atomic_uint alone;     /* the party that runs, and 1 more; 0: all do */
	atomic_ullong highest; /* sum in relation to its bound, per mille: how sharp that is */
	struct party party[PARTIES];
	struct finding wrong[ORACLES];
};

extern struct shared *shared;

/* A process or thread that draws operations. Not in shared memory. */
struct member {
	struct party *party;
	uint64_t chance;
	unsigned int steps;   /* sessions that it has begun */
	bool leads;	      /* the party, and traces the others */
	bool bare;	      /* it opens no state: others give it some */
	unsigned int changes; /* calls of its own that change what a thread counts */
};

/* ---- driver_sequences.c ---- */

/* Something is wrong. Returns if it goes on all the same. */
void wrong(const struct member *self, enum oracle oracle, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- sequences-calls.c ---- */

extern atomic_bool crowded; /* somebody else runs in this memory, too */

/* In a memory that is nobody else's yet: no mapping, and faults are looked at. */
void begin_memory(struct party *party);
void leave_pages(void);

/* In a child that has a memory of its own. */
void check_not_inherited(struct member *self);

void nap(long microseconds);

/* Let others run for so long that every timer has looked, if the party is alone; or a moment. */
void let_pass(struct member *self, bool long_enough);

/*
 * What a processor's timer sees is soon somebody else's where all count. So now and then one party
 * runs alone, beside those who count nothing, and takes its time.
 */
bool is_alone(const struct member *self);
bool be_alone(struct member *self);
void be_among_others(const struct member *self);
void wake_others(void);

/* Wait while another party is alone. */
void let_others_be_alone(const struct member *self);

int any_slot(struct member *self);

/* A driver's call on one of the slots, for a thread: 0 is the caller. */
void call_slot(struct member *self, pid_t tid);

/* Open a thread's state, making it or not, mostly with a control; slot 0: any. Is it a new one? */
bool open_slot(struct member *self, pid_t tid, bool creat, int slot);

/* A slot's state never changes any more, if it is detached. */
void look_twice(struct member *self);

/* Read a state whose owner can't change it, and look whether the sums can be. 0, or an errno. */
int read_sums(struct member *self, int fd, struct perfctr_sum_ctrs *sum);

/* No sum may change between two reads. */
bool same_sums(const struct perfctr_sum_ctrs *a, const struct perfctr_sum_ctrs *b, bool clock);

/* On somebody's state who runs, and is nobody's tracee. */
void call_victim(struct member *self);

/* Mappings: map a slot, move, advise, protect one; read it; does it say that it can be read? */
void map_slot(struct member *self);
void change_page(struct member *self);
void read_page(struct member *self);
bool page_is_readable(unsigned int i);

/* ---- sequences-operations.c ---- */

/* Draw n operations, or go on until one ends the caller. */
void draw(struct member *self, unsigned int n);

/* A process that draws until it ends; CLONE_FILES or 0. Its tid. */
pid_t begin_subject(struct member *self, unsigned long flags, bool bare);

/* The programs that members execute. */
int be_program(int argc, char **argv);

/* ---- sequences-tracer.c ---- */

/* A session of the party: a subject, the leader's operations on it and its own, and their end. */
void be_leader(struct member *self);

/* ---- all ---- */

enum operation {
	OP_SESSION,
	OP_OPEN,
	OP_FIND,
	OP_CONTROL,
	OP_READ,
	OP_IRESUME,
	OP_UNLINK,
	OP_CLOSE,
	OP_COPY,
	OP_PASS,
	OP_MAP,
	OP_UNMAP,
	OP_REMAP,
	OP_ADVISE,
	OP_PROTECT,
	OP_REMAP_FILE,
	OP_SPLICE,
	OP_RDPMC,
	OP_STILL,
	OP_VICTIM,
	OP_FORK,
	OP_VFORK,
	OP_CLONE,
	OP_THREAD,
	OP_EXEC,
	OP_EXIT,
	OP_KILL,
	OP_YIELD,
	OP_MOVE,
	OP_WORK,
	OP_NAP,
	OP_SEIZE,
	OP_ATTACH,
	OP_INTERRUPT,
	OP_STOPPED,
	OP_GO,
	OP_GO_SYSCALL,
	OP_DETACH,
	OP_PASS_TIME,
	OP_CHASE,
	OP_REAPED,
	OPERATIONS
};

extern const char *const operation_names[OPERATIONS];

/* Keeps an operation in the party's ring; what came of it is its result. */
struct entry *note(const struct member *self, enum operation operation, long argument);

static inline uint64_t rnd(struct member *self)
{
	self->chance ^= self->chance >> 12;
	self->chance ^= self->chance << 25;
	self->chance ^= self->chance >> 27;
	return self->chance * 0x2545F4914F6CDD1Dull;
}

static inline uint32_t below(struct member *self, uint32_t n)
{
	return (uint32_t)(rnd(self) >> 32) % n;
}

static inline bool one_in(struct member *self, uint32_t n)
{
	return below(self, n) == 0;
}

static inline uint64_t mixed(uint64_t a, uint64_t b, uint64_t c)
{
	return (a + 1) * 0x9E3779B97F4A7C15ull ^ (b + 1) * 0xBF58476D1CE4E5B9ull ^ (c + 1) << 20;
}

/* The party's members may have executed so many instructions more. */
static inline void charge(const struct member *self, unsigned int instructions)
{
	atomic_fetch_add_explicit(&self->party->bound, instructions, memory_order_relaxed);
}

static inline uint64_t ticks(void)
{
#if defined(__aarch64__)
	uint64_t now;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(now) : : "memory");
	return now;
#else
	uint32_t low, high;

	__asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
#endif
}

/* The kernel's answer: a value, or -errno. */
static inline long raw6(long nr, long a, long b, long c, long d, long e, long f)
{
#if defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(nr)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return nr;
#endif
}

#define RAW7(nr, a, b, c, d, e, f, ...) \
	raw6((nr), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define raw(...) RAW7(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)

#endif /* PERFCTR_TESTS_SEQUENCES_H */
