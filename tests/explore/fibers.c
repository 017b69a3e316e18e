// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Executes contexts in all orders. An execution is the list of its choices, where more than one
 * context could continue; the next one has the same choices up to the last that has another
 * alternative.
 *
 * Only accesses to memory that more than one context uses, and one changes, are places for a
 * choice: an exploration is repeated until no execution finds another such memory. Two executions
 * are in the same state if each access has the same accesses to its memory before it: a hash of
 * that tells, and what has been seen with as many preemptions is not followed again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/explore/fibers.h"

#define NONE FIBERS

/* ---- coroutines ---- */

#define STACK (256 * 1024)

/* Saves the registers and the stack pointer, and continues where the other one left. */
void fiber_switch(void **from, void *to);

#if defined(__x86_64__)
__asm__(".text\n"
	".globl fiber_switch\n"
	".type fiber_switch, @function\n"
	"fiber_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size fiber_switch, . - fiber_switch\n");

static void *new_stack(char *stack, void (*run)(void))
{
	void **top = (void **)(stack + STACK) - 8;

	memset(top, 0, 8 * sizeof(*top));
	top[6] = (void *)run;
	return top;
}
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl fiber_switch\n"
	".type fiber_switch, %function\n"
	"fiber_switch:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x2, sp\n"
	"	str x2, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size fiber_switch, . - fiber_switch\n");

static void *new_stack(char *stack, void (*run)(void))
{
	void **top = (void **)(stack + STACK) - 20;

	memset(top, 0, 20 * sizeof(*top));
	top[11] = (void *)run; /* x30 */
	return top;
}
#else
void fiber_switch(void **from, void *to)
{
	(void)from;
	(void)to;
}

static void *new_stack(char *stack, void (*run)(void))
{
	(void)stack;
	(void)run;
	return NULL;
}
#endif

bool fibers_work(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return true;
#else
	return false;
#endif
}

static struct fiber {
	const char *name;
	void (*run)(void *);
	void *argument;
	void *sp;
	bool done;
	bool (*ready)(void *); /* NULL: it can continue */
	void *condition;
	uint64_t hash; /* of its last access, with all before it */
	unsigned int in_step;
	bool may_switch;  /* in the step, before its first shared access */
	bool interrupted; /* what runs is not its own doing */
} fibers[FIBERS];

static char stacks[FIBERS][STACK] __attribute__((aligned(16)));
static unsigned int count, self;
static void *main_sp;
void (*fiber_arrived)(void);

/* ---- what happened, for whom a mistake is told ---- */

static const char *scenario_name;
static unsigned int bound, preemptions;
static struct fibers_sum sum;

static struct {
	unsigned int from, to;
	const void *place;
} switches[64];
static unsigned int switched;

static const char *name_of(unsigned int i)
{
	return i == NONE ? "" : fibers[i].name;
}

_Noreturn void fiber_fail(const char *what)
{
	unsigned int i;

	printf("%s: %s\n", scenario_name, what);
	for (i = 0; i < switched && i < sizeof(switches) / sizeof(switches[0]); i++)
		printf("  %s -> %s at fiber_switch%+td\n", name_of(switches[i].from),
		       name_of(switches[i].to),
		       (const char *)switches[i].place - (const char *)(uintptr_t)fiber_switch);
	printf("  in %s, at fiber_switch%+td\n", name_of(self),
	       (const char *)__builtin_return_address(0) - (const char *)(uintptr_t)fiber_switch);
	fflush(stdout);
	_Exit(EXIT_FAILURE);
}

/* ---- memory ---- */

#define ARENA	(1u << 20)
#define GRANULE 8

enum { UNUSED, USED, FREED };
static unsigned char arena[ARENA] __attribute__((aligned(64)));
static unsigned char shadow[ARENA / GRANULE];
static struct block {
	const unsigned char *start;
	size_t size;
	bool freed;
} block[512];
static unsigned int blocks, live;
static size_t top;

/* Nothing is used again in the same execution; between blocks there is a gap. */
void *fiber_allocate(size_t size)
{
	struct block *b = &block[blocks++];

	size = (size + 63) & ~(size_t)63;
	if (top + size + 64 > ARENA || blocks == sizeof(block) / sizeof(block[0]))
		fiber_fail("the arena is full");
	*b = (struct block){ arena + top, size, false };
	memset(arena + top, 0, size);
	memset(shadow + top / GRANULE, USED, size / GRANULE);
	top += size + 64;
	live++;
	return arena + top - size - 64;
}

void fiber_free(const void *start)
{
	unsigned int i;

	for (i = 0; i < blocks; i++)
		if (block[i].start == start && !block[i].freed) {
			block[i].freed = true;
			memset(shadow + (block[i].start - arena) / GRANULE, FREED,
			       block[i].size / GRANULE);
			memset(arena + (block[i].start - arena), 0x6B, block[i].size);
			live--;
			return;
		}
	fiber_fail("what is freed is no block, or has been freed");
}

unsigned int fiber_blocks(void)
{
	return live;
}

bool fiber_has(const void *start)
{
	size_t at = (size_t)((const unsigned char *)start - arena);

	return at < ARENA && shadow[at / GRANULE] == USED;
}

bool fiber_is_in(const void *start, const void *address)
{
	unsigned int i;

	for (i = 0; i < blocks; i++)
		if (block[i].start == start)
			return (size_t)((const unsigned char *)address - block[i].start) <
			       block[i].size;
	return false;
}

static void check_memory(uintptr_t address)
{
	size_t at = address - (uintptr_t)arena;

	if (at < ARENA && shadow[at / GRANULE] != USED)
		fiber_fail(shadow[at / GRANULE] == FREED ? "freed memory is used"
							 : "memory beyond a block is used");
}

/* ---- which memory is shared, and the hash of what was done to it ---- */

#define PLACES (1u << 16)

static struct place {
	uintptr_t granule;
	uint16_t readers, writers; /* contexts, then their interrupts, in all executions */
	uint8_t shared;		   /* a place for a choice in this round */
	uint64_t execution;	   /* of these: */
	uint64_t written, read;	   /* hash of the last write; sum of those of the reads since */
} places[PLACES];
static uint64_t execution;
static uint64_t state_hash;
static bool found_shared;

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ (b + 0x9E3779B97F4A7C15ull + (a << 6) + (a >> 2))) *
		     0xBF58476D1CE4E5B9ull;

	x = (x ^ (x >> 29)) * 0x94D049BB133111EBull;
	return x ^ (x >> 32);
}

static struct place *place_of(uintptr_t granule)
{
	uint32_t i = (uint32_t)(mix(granule, 0) & (PLACES - 1));

	while (places[i].granule && places[i].granule != granule)
		i = (i + 1) & (PLACES - 1);
	places[i].granule = granule;
	if (places[i].execution != execution) {
		places[i].execution = execution;
		places[i].written = places[i].read = 0;
	}
	return &places[i];
}

static bool is_shared(const struct place *p)
{
	return p->writers && ((p->readers | p->writers) & ((p->readers | p->writers) - 1));
}

static void note_access(uintptr_t granule, bool write)
{
	struct place *p = place_of(granule);
	struct fiber *f = &fibers[self];
	uint16_t me = (uint16_t)(1u << (self + (f->interrupted ? FIBERS : 0)));
	uint64_t hash = mix(mix(f->hash, granule - (uintptr_t)arena), p->written + write);

	if (write) {
		hash = mix(hash, p->read);
		p->written = hash;
		p->read = 0;
		p->writers |= me;
	} else {
		p->read += hash;
		p->readers |= me;
	}
	f->hash = hash;
	state_hash += hash;
	if (!p->shared && is_shared(p))
		found_shared = true;
}

/* ---- states that were seen ---- */

static uint64_t *seen;
static size_t seen_size, seen_count;

static bool add_to(uint64_t *table, size_t size, uint64_t key)
{
	size_t i = key & (size - 1);

	while (table[i] && table[i] != key)
		i = (i + 1) & (size - 1);
	if (table[i])
		return false;
	table[i] = key;
	return true;
}

static void grow_seen(void)
{
	size_t size = seen_size ? 2 * seen_size : 1u << 16, i;
	uint64_t *table = calloc(size, sizeof(*table));

	if (!table)
		fiber_fail("no memory");
	for (i = 0; i < seen_size; i++)
		if (seen[i])
			add_to(table, size, seen[i]);
	free(seen);
	seen = table;
	seen_size = size;
}

/* Notes a state; false: it has been seen. */
static bool is_new(uint64_t key)
{
	if (seen_count >= seen_size / 2)
		grow_seen();
	if (!add_to(seen, seen_size, key | 1))
		return false;
	seen_count++;
	return true;
}

/* ---- choices ---- */

#define LONGEST 65536

static struct choice {
	uint8_t n, at;
	uint8_t fiber[FIBERS];
} choices[LONGEST];
static unsigned int length, depth;
static bool deciding;
static bool followed; /* this state was seen: its choices are made elsewhere */

static bool can_go_on(unsigned int i)
{
	struct fiber *f = &fibers[i];

	return !f->done && (!f->ready || f->ready(f->condition));
}

/* Fills in who can continue, the one that runs first; returns how many. */
static unsigned int alternatives(unsigned int me, uint8_t *list)
{
	unsigned int n = 0, i;
	bool continues = me != NONE && can_go_on(me);

	if (continues)
		list[n++] = (uint8_t)me;
	for (i = 0; i < count && !(continues && preemptions >= bound); i++)
		if (i != me && can_go_on(i))
			list[n++] = (uint8_t)i;
	return n;
}

static bool is_new_state(unsigned int me)
{
	return is_new(
		mix(state_hash, me * 64 + preemptions + (me < count && fibers[me].ready ? 32 : 0)));
}

/* Who continues; NONE: nobody can. What conditions look at is not an access. */
static unsigned int choose(unsigned int me)
{
	uint8_t list[FIBERS];
	unsigned int n, picked;

	deciding = true;
	n = alternatives(me, list);
	deciding = false;
	picked = n ? list[0] : NONE;

	if (n > 1 && depth < length) {
		struct choice *c = &choices[depth++];

		if (c->n != n || memcmp(c->fiber, list, n) != 0)
			fiber_fail("an execution can't be repeated");
		picked = c->fiber[c->at];
	} else if (n > 1 && !followed) {
		followed = !is_new_state(me);
		if (!followed && depth < LONGEST) {
			choices[depth] = (struct choice){ .n = (uint8_t)n };
			memcpy(choices[depth].fiber, list, n);
			length = ++depth;
		}
	}
	if (me != NONE && n && list[0] == me && picked != me)
		preemptions++;
	return picked;
}

/* Goes to the next choice that was not made; false: all were. */
static bool choose_differently(void)
{
	while (length && choices[length - 1].at + 1 == choices[length - 1].n)
		length--;
	if (!length)
		return false;
	choices[length - 1].at++;
	return true;
}

static void go_to(unsigned int next, const void *place)
{
	unsigned int me = self;

	if (switched < sizeof(switches) / sizeof(switches[0])) {
		switches[switched].from = me;
		switches[switched].to = next;
		switches[switched].place = place;
	}
	switched++;
	self = next;
	if (next != NONE)
		fibers[next].ready = NULL;
	fiber_switch(me == NONE ? &main_sp : &fibers[me].sp,
		     next == NONE ? main_sp : fibers[next].sp);
}

_Noreturn void fiber_exit(void)
{
	fibers[self].done = true;
	go_to(choose(self), __builtin_return_address(0));
	abort();
}

static void run_fiber(void)
{
	fibers[self].run(fibers[self].argument);
	fiber_exit();
}

static void point(const void *place)
{
	unsigned int next;

	if (self == NONE || (fibers[self].in_step && !fibers[self].may_switch))
		return;
	fibers[self].may_switch = false;
	if (!followed) {
		next = choose(self);
		if (next != self)
			go_to(next, place);
	}
	if (fiber_arrived)
		fiber_arrived();
}

void fiber_start(const char *name, void (*run)(void *), void *argument)
{
	if (count == FIBERS)
		fiber_fail("too many contexts");
	fibers[count] = (struct fiber){ .name = name,
					.run = run,
					.argument = argument,
					.sp = new_stack(stacks[count], run_fiber),
					.hash = count + 1 };
	count++;
}

unsigned int fiber_self(void)
{
	return self;
}

bool fiber_interrupted(bool interrupted)
{
	bool before = fibers[self].interrupted;

	fibers[self].interrupted = interrupted;
	return before;
}

void fiber_wait(bool (*ready)(void *), void *argument)
{
	unsigned int next;
	bool holds;

	deciding = true;
	holds = ready(argument);
	deciding = false;
	if (holds)
		return;
	fibers[self].ready = ready;
	fibers[self].condition = argument;
	next = choose(self);
	if (next == NONE)
		fiber_fail("nobody can continue");
	if (next != self)
		go_to(next, __builtin_return_address(0));
	fibers[self].ready = NULL;
}

static uint64_t accesses, accesses_at_yield[FIBERS];

static bool others_did_something(void *argument)
{
	unsigned int me = (unsigned int)(uintptr_t)argument, i;

	if (accesses != accesses_at_yield[me])
		return true;
	for (i = 0; i < count; i++)
		if (i != me && !fibers[i].done &&
		    (!fibers[i].ready || fibers[i].ready != others_did_something))
			if (can_go_on(i))
				return false;
	return true;
}

void fiber_yield(void)
{
	accesses_at_yield[self] = accesses;
	fiber_wait(others_did_something, (void *)(uintptr_t)self);
}

void fiber_step_begins(void)
{
	if (self != NONE && !fibers[self].in_step++)
		fibers[self].may_switch = true;
}

void fiber_step_ends(void)
{
	if (self != NONE)
		fibers[self].in_step--;
}

/* ---- the exploration ---- */

static void execute(fibers_begin *begin, fibers_end *end)
{
	unsigned int first;

	execution++;
	count = depth = preemptions = switched = blocks = live = 0;
	memset(shadow, UNUSED, top / GRANULE);
	top = 0;
	state_hash = 0;
	followed = false;
	self = NONE;
	begin();
	first = choose(NONE);
	if (first != NONE)
		go_to(first, NULL);
	for (self = 0; self < count; self++)
		if (!fibers[self].done)
			fiber_fail("it waits for ever");
	self = NONE;
	end();
	sum.executions++;
}

static void share_what_was_found(void)
{
	unsigned int i;

	for (i = 0; i < PLACES; i++)
		places[i].shared = is_shared(&places[i]);
}

bool fibers_explore(const char *scenario, unsigned int most, fibers_begin *begin, fibers_end *end,
		    uint64_t limit, struct fibers_sum *total)
{
	bool more;

	scenario_name = scenario;
	bound = most;
	memset(places, 0, sizeof(places));
	do {
		memset(&sum, 0, sizeof(sum));
		memset(seen, 0, seen_size * sizeof(*seen));
		seen_count = 0;
		share_what_was_found();
		found_shared = false;
		length = 0;
		do
			execute(begin, end);
		while ((more = choose_differently()) && sum.executions != limit);
	} while (found_shared && !more);
	total->executions += sum.executions;
	total->states += seen_count;
	return !more;
}

/* ---- what the compiler calls at each access ---- */

static void access_range(const void *address, size_t size, bool write, const void *place)
{
	uintptr_t first = (uintptr_t)address / GRANULE,
		  last = ((uintptr_t)address + size - 1) / GRANULE, g;
	bool shared = false;

	if (self == NONE || deciding)
		return;
	accesses++;
	for (g = first; g <= last && !shared; g++)
		shared = place_of(g)->shared;
	if (shared)
		point(place);
	for (g = first; g <= last; g++) {
		check_memory(g * GRANULE);
		if (!followed)
			note_access(g, write);
	}
}

#define ACCESS(name, size, write)                                                \
	void __tsan_##name(void *address);                                       \
	void __tsan_##name(void *address)                                        \
	{                                                                        \
		access_range(address, size, write, __builtin_return_address(0)); \
	}
#define ACCESSES(size)                            \
	ACCESS(read##size, size, false)           \
	ACCESS(write##size, size, true)           \
	ACCESS(unaligned_read##size, size, false) \
	ACCESS(unaligned_write##size, size, true) \
	ACCESS(volatile_read##size, size, false)  \
	ACCESS(volatile_write##size, size, true)  \
	ACCESS(read_write##size, size, true)      \
	ACCESS(unaligned_read_write##size, size, true)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *address, size_t size);
void __tsan_read_range(void *address, size_t size)
{
	access_range(address, size, false, __builtin_return_address(0));
}

void __tsan_write_range(void *address, size_t size);
void __tsan_write_range(void *address, size_t size)
{
	access_range(address, size, true, __builtin_return_address(0));
}

void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
	access_range(from, size, false, __builtin_return_address(0));
	access_range(to, size, true, __builtin_return_address(0));
	return memcpy(to, from, size);
}

void *__tsan_memset(void *to, int byte, size_t size);
void *__tsan_memset(void *to, int byte, size_t size)
{
	access_range(to, size, true, __builtin_return_address(0));
	return memset(to, byte, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size)
{
	access_range(from, size, false, __builtin_return_address(0));
	access_range(to, size, true, __builtin_return_address(0));
	return memmove(to, from, size);
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
}

void __tsan_init(void);
void __tsan_init(void)
{
}
