// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The driver's link of a thread to its counters, in every order of events: a thread that its tracer
 * stops, gives counters, and lets go or kills, in the middle of each call; another thread of its
 * process that counts; others' threads; two processors, one of which goes and comes; timers and
 * overflows; execution of programs, with rights and without; the end. All states that can be
 * reached are visited, and each is looked at.
 *
 * What the kernel does around the link is here what driver/thread.c relies on. The link itself is
 * the driver's own source.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver/link.h"
#include "tests/harness/check.h"
#include "tests/harness/explore.h"

/* ---- the world ---- */

#define NOBODY (-1)
#define CPUS   2
enum { OWNER, SIBLING, OTHER, THREADS }; /* OTHER has other memory, and no counters */
enum { FIRST, SECOND, SIBLINGS, LINKS };

enum position {
	USER,
	CALL,	 /* in the kernel, to return */
	STOPPED, /* there, by its tracer */
	EXITING, /* before the probe */
	EXITED,	 /* after it; task works are still to be done */
	DEAD,
};

struct thread {
	uint8_t position;
	int8_t cpu;    /* whose current one it is, or NOBODY */
	uint8_t comes; /* the scheduler has switched to it, and the notifier is to be called */
	uint8_t killed;
	uint8_t hidden;	 /* executes what is not for who gave it counters */
	int8_t to_enter; /* a link that it has made, and in which it is to arrive */
	int8_t to_bury;	 /* one that it has detached */
};

/* A link, and what the kernel knows of it. Its counters are never used again. */
struct object {
	struct link link;
	uint8_t exists, in_table, hooked;
	uint8_t arrival, burial; /* the task works */
	uint8_t named;		 /* the counters know whose they are */
	uint8_t holds;		 /* the link has its reference to them */
	uint8_t on;		 /* their control counts */
};

enum act { NOTHING, OPEN, CONTROL, UNLINK, QUEUE };

struct world {
	struct thread thread[THREADS];
	struct object object[LINKS];
	int8_t current[CPUS], runs[CPUS]; /* a thread; a link whose counters count there */
	uint8_t offline;
	uint8_t traced, act; /* what the tracer has begun, after he saw it stopped */
	int8_t queue;
};

static struct world w;
static const char *wrong; /* what this step has found */
static uint64_t handed_over;

static void must(bool so, const char *what)
{
	if (!so && !wrong)
		wrong = what;
}

/* ---- steps, as the driver takes them ---- */

static int thread_of(int k)
{
	return k == SIBLINGS ? SIBLING : OWNER;
}

static bool can_be_refused(enum link_event event)
{
	return event == LINK_CHANGES || event == LINK_CHANGED || event == LINK_BINDS ||
	       event == LINK_BOUND || event == LINK_UNBOUND;
}

static unsigned int step(int k, enum link_event event, int cpu)
{
	struct object *o = &w.object[k];
	unsigned int steps;

	must(o->exists, "a link is used that was freed");
	steps = link_step(&o->link, event);
	must(!(steps & LINK_BUG), "the link is told of what can't be");
	must(!(steps & LINK_REFUSED) || (steps == LINK_REFUSED && can_be_refused(event)),
	     "something is refused and done");
	if (steps & LINK_STOP && cpu == NOBODY) {
		must(false, "a tracer stops counters");
	} else if (steps & LINK_STOP) {
		must(o->on ? w.runs[cpu] == k : w.runs[cpu] == NOBODY, "what stops did not run");
		w.runs[cpu] = NOBODY;
	}
	if (steps & LINK_UNHOOK) {
		must(o->hooked, "unhooked twice");
		o->hooked = 0;
	}
	if (steps & LINK_HOOK) {
		must(!o->hooked, "hooked twice");
		o->hooked = 1;
	}
	return steps;
}

static void finish(int k, unsigned int steps, int cpu)
{
	if (!(steps & LINK_START) || !w.object[k].on)
		return;
	if (cpu == NOBODY) {
		must(false, "a tracer starts counters");
		return;
	}
	must(w.runs[cpu] == NOBODY, "counters are started where others run");
	w.runs[cpu] = (int8_t)k;
}

static void free_link(int k)
{
	struct object *o = &w.object[k];

	must(!o->hooked, "freed while the scheduler knows it");
	must(!o->in_table, "freed in the table");
	must(!o->arrival && !o->burial, "freed before its task works");
	must(!o->named && !o->holds, "freed with counters");
	memset(o, 0, sizeof(*o));
}

static void release(int k)
{
	w.object[k].named = w.object[k].on = 0;
}

/* In two parts, between which others come. */
static void bury(int k)
{
	unsigned int steps = step(k, LINK_BURIED, NOBODY);

	w.object[k].holds = 0;
	if (steps & LINK_FREE)
		free_link(k);
}

static unsigned int end(int k, enum link_event event, int cpu)
{
	unsigned int steps = step(k, event, cpu);

	if (steps & LINK_BURY) {
		release(k);
		w.object[k].in_table = 0;
	}
	return steps;
}

static void miss(int k, int cpu)
{
	unsigned int steps = end(k, LINK_IS_MISSED, cpu);

	if (steps & LINK_BURY)
		bury(k);
	else if (steps & LINK_FREE)
		free_link(k);
}

/* The link of a thread in the table. */
static int look_up(int t)
{
	int k;

	for (k = 0; k < LINKS; k++)
		if (w.object[k].in_table && thread_of(k) == t)
			return k;
	return NOBODY;
}

static int hooked(int t)
{
	int k;

	for (k = 0; k < LINKS; k++)
		if (w.object[k].hooked && thread_of(k) == t)
			return k;
	return NOBODY;
}

static int make(int t)
{
	int k;

	for (k = 0; k < LINKS; k++)
		if (thread_of(k) == t && !w.object[k].exists)
			break;
	if (k == LINKS)
		return NOBODY; /* enough for now */
	memset(&w.object[k].link, 0xFF, sizeof(w.object[k].link));
	link_make(&w.object[k].link);
	w.object[k].exists = w.object[k].in_table = w.object[k].named = w.object[k].holds = 1;
	return k;
}

/* What is asked for is done, unless the thread has been killed and runs. */
static void must_be_refused(int k, unsigned int steps, bool if_bound)
{
	const struct thread *t = &w.thread[thread_of(k)];
	bool runs = w.object[k].hooked && t->cpu != NOBODY;

	if (!t->comes)
		must((steps == LINK_REFUSED) == (if_bound || runs),
		     "a tracer is refused, or not, at the wrong moment");
}

static void bind(int k, enum link_event event, int cpu)
{
	bool bound = w.object[k].named;
	unsigned int steps = step(k, event, cpu);

	if (event == LINK_BOUND)
		must_be_refused(k, steps, bound);
	else
		must((steps == LINK_REFUSED) == bound &&
			     (bound || steps == (w.object[k].hooked ? LINK_START : 0)),
		     "it binds new counters, and must not, or must");

	if (steps & LINK_REFUSED)
		return;
	w.object[k].named = w.object[k].holds = 1;
	finish(k, steps, cpu);
}

/* Counters are changed, to what counts or does not. */
static void change(int k, enum link_event event, bool on, int cpu)
{
	unsigned int steps = step(k, event, cpu);

	if (event == LINK_CHANGED)
		must_be_refused(k, steps, false);
	else
		must(steps == (w.object[k].hooked ? LINK_STOP | LINK_START : 0),
		     "its own change is refused, or does not start anything");
	if (steps & LINK_REFUSED)
		return;
	must(w.runs[0] != k && w.runs[1] != k, "counters are changed that run");
	w.object[k].on = on;
	finish(k, steps, cpu);
}

/* ---- the scheduler ---- */

static bool hand_over(int from, int to, int cpu)
{
	if (!w.object[from].link.bound || !w.object[from].on || !w.object[to].on ||
	    !link_can_receive(&w.object[to].link))
		return false;
	must(w.runs[cpu] == from, "counters are handed over that did not run");
	w.runs[cpu] = (int8_t)to;
	handed_over++;
	step(to, LINK_RECEIVES, cpu);
	return true;
}

static void go(int cpu, int next, bool hands_over)
{
	int from = hooked(w.current[cpu]), to = next == NOBODY ? NOBODY : hooked(next);

	if (from == NOBODY)
		return;
	if (hands_over && to != NOBODY && hand_over(from, to, cpu))
		step(from, LINK_HANDS_OVER, cpu);
	else
		step(from, LINK_GOES, cpu);
}

static void switch_to(int cpu, int next, bool hands_over)
{
	int last = w.current[cpu];

	if (last != NOBODY) {
		go(cpu, next, hands_over);
		w.thread[last].cpu = NOBODY;
	}
	w.current[cpu] = (int8_t)next;
	if (next != NOBODY) {
		w.thread[next].cpu = (int8_t)cpu;
		w.thread[next].comes = 1;
	}
}

/* The next one's notifier is called, with interrupts on. */
static void come(int t)
{
	int k = hooked(t), cpu = w.thread[t].cpu;

	w.thread[t].comes = 0;
	if (k != NOBODY && w.object[k].link.state != LINK_HERE)
		finish(k, step(k, LINK_COMES, cpu), cpu);
}

/* ---- all that can happen next ---- */

static struct world before;
static void found(void);

/* What is written after it happens to the world as it was; then the result is noted. */
#define HAPPENS(condition) for (bool may = (condition); may; may = false, found(), w = before)

static void scheduler(int cpu)
{
	int next, over;

	/* Preemption is off until the notifier has been called. */
	if (before.current[cpu] != NOBODY && before.thread[before.current[cpu]].comes) {
		HAPPENS(true) come(w.current[cpu]);
		return;
	}
	for (next = NOBODY; next < THREADS; next++)
		for (over = 0; over < 2; over++) {
			const struct thread *t = &before.thread[next < 0 ? 0 : next];
			bool can = next == NOBODY ||
				   (t->cpu == NOBODY && t->position != STOPPED &&
				    t->position != DEAD && !(cpu == 1 && before.offline));

			HAPPENS(can && next != before.current[cpu]) switch_to(cpu, next, over);
		}
	HAPPENS(cpu == 1 && before.current[1] == NOBODY) w.offline = !w.offline;
}

static void interrupts(int cpu)
{
	int k = before.runs[cpu];

	/* Of what runs, as the timer finds it, and the interrupt. */
	HAPPENS(k != NOBODY)
	{
		unsigned int steps = step(k, LINK_OVERFLOWS, cpu);

		must(steps == (LINK_STOP | LINK_START), "an overflow does not stop and start");
		finish(k, steps, cpu);
	}
}

/* Task works, before it returns or ends, in any order. */
static void task_works(int t)
{
	int k, cpu = before.thread[t].cpu;

	for (k = 0; k < LINKS; k++) {
		bool own = thread_of(k) == t;

		HAPPENS(own && before.object[k].arrival)
		{
			w.object[k].arrival = 0;
			if (before.thread[t].position == EXITED) {
				miss(k, cpu);
			} else {
				unsigned int steps = step(k, LINK_ARRIVES, cpu);

				finish(k, steps, cpu);
				if (steps & LINK_FREE)
					free_link(k);
			}
		}
		HAPPENS(own && before.object[k].burial)
		{
			w.object[k].burial = 0;
			bury(k);
		}
	}
}

static bool has_work(int t)
{
	int k;

	for (k = 0; k < LINKS; k++)
		if (thread_of(k) == t && (before.object[k].arrival || before.object[k].burial))
			return true;
	return false;
}

static void open_own(int t)
{
	int k = look_up(t);

	if (k != NOBODY)
		bind(k, LINK_BINDS, w.thread[t].cpu);
	else
		w.thread[t].to_enter = (int8_t)make(t);
}

static void execute(int t, bool hides)
{
	int k = look_up(t), cpu = w.thread[t].cpu;

	if (k != NOBODY && w.object[k].link.bound) {
		if (!hides)
			change(k, LINK_CHANGES, w.object[k].on, cpu);
		else if (end(k, LINK_ENDS, cpu) & LINK_BURY)
			w.object[k].burial = 1;
	}
	w.thread[t].hidden |= hides;
	for (k = 0; hides && k < LINKS; k++)
		must(thread_of(k) != t || !w.object[k].named,
		     "what was counted before goes on in a hidden program");
}

static void detach_own(int t)
{
	int k = look_up(t);

	if (k == NOBODY || !w.object[k].named)
		return;
	if (end(k, LINK_ENDS, w.thread[t].cpu) & LINK_BURY)
		w.thread[t].to_bury = (int8_t)k;
}

static void enter(int t)
{
	int k = w.thread[t].to_enter, cpu = w.thread[t].cpu;

	w.thread[t].to_enter = NOBODY;
	finish(k, step(k, LINK_ARRIVES, cpu), cpu);
}

static void bury_own(int t)
{
	int k = w.thread[t].to_bury;

	w.thread[t].to_bury = NOBODY;
	bury(k);
}

/* In the kernel: what it does there, and the way back. */
static void in_call(int t)
{
	int k = look_up(t), on;
	bool bound = k != NOBODY && before.object[k].named, killed = before.thread[t].killed;

	if (before.thread[t].to_enter != NOBODY) {
		HAPPENS(true) enter(t);
		return;
	}
	if (before.thread[t].to_bury != NOBODY) {
		HAPPENS(true) bury_own(t);
		return;
	}
	/* Who is killed comes to no other call. */
	HAPPENS(!killed) open_own(t);
	HAPPENS(!killed) detach_own(t);
	for (on = 0; on < 2; on++) {
		HAPPENS(!killed && bound) change(k, LINK_CHANGES, on, w.thread[t].cpu);
		HAPPENS(!killed && t == OWNER) execute(t, on);
	}
	HAPPENS(t == OWNER && before.traced && !killed) w.thread[t].position = STOPPED;
	HAPPENS(!has_work(t) && !killed) w.thread[t].position = USER;
	HAPPENS(t == OWNER) w.thread[t].position = EXITING;
	task_works(t);
}

static void exit_probe(int t)
{
	int k = look_up(t);

	w.thread[t].position = EXITED;
	if (k != NOBODY && end(k, LINK_ENDS, w.thread[t].cpu) & LINK_BURY)
		w.object[k].burial = 1;
}

/* What a thread does that is the current one of a processor. */
static void runs(int t)
{
	if (before.thread[t].cpu == NOBODY || before.thread[t].comes)
		return;
	switch (before.thread[t].position) {
	case USER: HAPPENS(t != OTHER) w.thread[t].position = CALL; return;
	case CALL: in_call(t); return;
	case EXITING: HAPPENS(true) exit_probe(t); return;
	case EXITED:
		task_works(t);
		HAPPENS(!has_work(t)) w.thread[t].position = DEAD;
		return;
	}
}

static void open_other(void)
{
	int k = look_up(OWNER);

	if (k != NOBODY) {
		bind(k, LINK_BOUND, NOBODY);
		return;
	}
	k = make(OWNER);
	if (k == NOBODY)
		return;
	w.act = QUEUE;
	w.queue = (int8_t)k;
}

/* After its last task works were done nothing is queued any more. */
static void queue_arrival(void)
{
	int k = w.queue;

	w.act = NOTHING;
	w.queue = NOBODY;
	if (w.thread[OWNER].position == DEAD)
		miss(k, NOBODY);
	else
		w.object[k].arrival = 1;
}

static void unlink_other(int k)
{
	unsigned int steps = step(k, LINK_UNBOUND, NOBODY);

	must_be_refused(k, steps, false);
	if (steps & LINK_REFUSED)
		return;
	release(k);
	w.object[k].holds = 0;
}

/* He looks that it is stopped, and then acts; meanwhile it may be killed, but not go on otherwise.
 */
static void tracer(void)
{
	const struct thread *t = &before.thread[OWNER];
	bool stopped = before.traced && t->position == STOPPED, sees;
	int k = look_up(OWNER), on;
	enum act act;

	if (k != NOBODY && !before.object[k].named)
		k = NOBODY;
	sees = stopped && t->cpu == NOBODY && !t->hidden;
	for (act = OPEN; act <= UNLINK; act++)
		HAPPENS(before.act == NOTHING && sees) w.act = (uint8_t)act;
	HAPPENS(before.act == NOTHING && stopped) w.thread[OWNER].position = CALL;
	HAPPENS(before.act == NOTHING && before.traced)
	{
		w.traced = 0;
		if (stopped)
			w.thread[OWNER].position = CALL;
	}
	HAPPENS(before.act == QUEUE) queue_arrival();
	HAPPENS(before.act == OPEN)
	{
		w.act = NOTHING;
		open_other();
	}
	for (on = 0; on < 2; on++)
		HAPPENS(before.act == CONTROL)
		{
			w.act = NOTHING;
			if (k != NOBODY)
				change(k, LINK_CHANGED, on, NOBODY);
		}
	HAPPENS(before.act == UNLINK)
	{
		w.act = NOTHING;
		if (k != NOBODY)
			unlink_other(k);
	}
}

static void killer(void)
{
	HAPPENS(!before.thread[OWNER].killed && before.thread[OWNER].position != DEAD)
	{
		w.thread[OWNER].killed = 1;
		if (w.thread[OWNER].position == STOPPED)
			w.thread[OWNER].position = CALL;
	}
}

static void everything(void)
{
	int i;

	for (i = 0; i < CPUS; i++) {
		scheduler(i);
		interrupts(i);
	}
	for (i = 0; i < THREADS; i++)
		runs(i);
	tracer();
	killer();
}

/* ---- what must hold in every state ---- */

static bool counts_for(int t, int k)
{
	const struct object *o = &w.object[k];

	return thread_of(k) == t && o->exists && o->link.bound && o->on;
}

static void look_at_processor(int cpu)
{
	int t = w.current[cpu], k = w.runs[cpu], i;

	if (k != NOBODY) {
		must(w.object[k].exists && w.object[k].named, "a processor names what is gone");
		must(t == thread_of(k), "another thread is counted");
		must(w.runs[!cpu] != k, "counters run on two processors");
		must(!(cpu == 1 && w.offline), "counters run on a processor that is away");
	}
	/* In user mode nothing is left out. */
	for (i = 0; i < LINKS && t != NOBODY; i++)
		if (w.thread[t].position == USER && !w.thread[t].comes && counts_for(t, i))
			must(k == i, "a thread is not counted");
}

static void look_at_link(int k)
{
	const struct object *o = &w.object[k];
	const struct thread *t = &w.thread[thread_of(k)];

	if (!o->exists)
		return;
	must(!o->hooked || o->link.state == LINK_HERE || o->link.state == LINK_AWAY,
	     "the scheduler knows a link that has not arrived, or has ended");
	must(!o->link.bound || o->holds, "a link is bound to counters that it has not got");
	must(o->link.bound == o->named, "counters and link contradict each other");
	must(o->link.state != LINK_HERE || t->cpu != NOBODY, "HERE is nowhere");
	must(t->position != DEAD || !o->link.bound || w.act == QUEUE, "a dead thread has counters");
}

/* Once the thread is dead, and nobody is busy with it, nothing of it is left. */
static void look_at_end(void)
{
	if (w.thread[OWNER].position == DEAD && w.act == NOTHING)
		must(!w.object[FIRST].exists && !w.object[SECOND].exists, "a link is never freed");
}

static void look(void)
{
	int i;

	for (i = 0; i < CPUS; i++)
		look_at_processor(i);
	for (i = 0; i < LINKS; i++)
		look_at_link(i);
	look_at_end();
}

/* ---- all states ---- */

/* How a state was come to, last first. */
static void print_way(void)
{
	const struct world *s;
	unsigned int n;

	for (n = 0; n < 40 && (s = explore_way(n)) != NULL; n++)
		printf("  owner %u on %d, comes %u, killed %u; sibling %u on %d; runs %d %d; tracer %u; "
		       "links %u%s %u%s\n",
		       s->thread[0].position, s->thread[0].cpu, s->thread[0].comes,
		       s->thread[0].killed, s->thread[1].position, s->thread[1].cpu, s->runs[0],
		       s->runs[1], s->act, s->object[0].link.state,
		       s->object[0].link.bound ? " bound" : "", s->object[1].link.state,
		       s->object[1].link.bound ? " bound" : "");
}

static void found(void)
{
	look();
	if (wrong) {
		print_way();
		ck_abort_msg("%s", wrong);
	}
	explore_note(&w);
}

/* The sibling counts from the beginning; the owner has a tracer. */
static void start_world(void)
{
	int i;

	memset(&w, 0, sizeof(w));
	for (i = 0; i < THREADS; i++) {
		w.thread[i].cpu = NOBODY;
		w.thread[i].to_enter = w.thread[i].to_bury = NOBODY;
	}
	for (i = 0; i < CPUS; i++)
		w.current[i] = w.runs[i] = NOBODY;
	w.traced = 1;
	w.queue = NOBODY;
}

START_TEST(everything_that_can_happen)
{
	uint32_t states;

	start_world();
	explore_begin(&w, sizeof(w));
	while (explore_next(&before)) {
		w = before;
		everything();
	}
	states = explore_end();
	printf("%u states\n", states);
	ck_assert_uint_gt(states, 100000);
	ck_assert_uint_gt(handed_over, 0);
}
END_TEST

/* The states, as bits, in which an event can't be; with counters and without. */
#define IN(state) (1u << LINK_##state)
START_TEST(what_can_not_be)
{
	static const struct {
		enum link_event event;
		unsigned int bound, unbound;
	} cases[] = {
		{ LINK_ARRIVES, IN(HERE) | IN(AWAY), IN(HERE) | IN(AWAY) },
		{ LINK_COMES, ~IN(AWAY), ~IN(AWAY) },
		{ LINK_GOES, ~IN(HERE), ~IN(HERE) },
		{ LINK_HANDS_OVER, ~IN(HERE), ~IN(HERE) },
		{ LINK_CHANGES, IN(AWAY) | IN(ENDED), 0 },
		{ LINK_BINDS, IN(AWAY) | IN(ENDED), IN(AWAY) | IN(ENDED) },
		{ LINK_OVERFLOWS, ~IN(HERE), ~0u },
		{ LINK_ENDS, IN(AWAY) | IN(ENDED), IN(AWAY) | IN(ENDED) },
		{ LINK_BURIED, ~IN(ENDED), ~IN(ENDED) },
		{ LINK_BOUND, IN(ENDED), IN(ENDED) },
		{ LINK_RECEIVES, ~IN(AWAY), ~0u },
		{ LINK_IS_MISSED, IN(HERE) | IN(AWAY), IN(HERE) | IN(AWAY) },
	};
	unsigned int i, state, bound;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		for (state = LINK_ARRIVING; state <= LINK_ENDED; state++)
			for (bound = 0; bound < 2; bound++) {
				struct link link = { .state = (enum link_state)state,
						     .bound = (unsigned char)bound,
						     .refs = 2 };
				bool bug = (bound ? cases[i].bound : cases[i].unbound) >> state & 1;

				ck_assert_int_eq(link_can_receive(&link),
						 state == LINK_AWAY && bound);
				ck_assert_int_eq(link_step(&link, cases[i].event) == LINK_BUG, bug);
				ck_assert(!bug || (link.state == state && link.bound == bound &&
						   link.refs == 2));
			}
}
END_TEST

/* A step: from a state, with counters or without, to another; and whether a reference goes. */
struct step {
	enum link_event event;
	enum link_state from;
	bool bound;
	unsigned int steps;
	enum link_state to;
	bool bound_then, puts;
};

static const struct step steps[] = {
	{ LINK_ARRIVES, LINK_ARRIVING, true, LINK_HOOK | LINK_START, LINK_HERE, true, true },
	{ LINK_ARRIVES, LINK_ARRIVING, false, LINK_HOOK, LINK_HERE, false, true },
	{ LINK_ARRIVES, LINK_ENDED, false, 0, LINK_ENDED, false, true },
	{ LINK_IS_MISSED, LINK_ARRIVING, true, LINK_BURY, LINK_ENDED, false, true },
	{ LINK_IS_MISSED, LINK_ARRIVING, false, LINK_BURY, LINK_ENDED, false, true },
	{ LINK_IS_MISSED, LINK_ENDED, false, 0, LINK_ENDED, false, true },
	{ LINK_COMES, LINK_AWAY, true, LINK_START, LINK_HERE, true, false },
	{ LINK_COMES, LINK_AWAY, false, 0, LINK_HERE, false, false },
	{ LINK_GOES, LINK_HERE, true, LINK_STOP, LINK_AWAY, true, false },
	{ LINK_GOES, LINK_HERE, false, 0, LINK_AWAY, false, false },
	{ LINK_HANDS_OVER, LINK_HERE, true, 0, LINK_AWAY, true, false },
	{ LINK_RECEIVES, LINK_AWAY, true, 0, LINK_HERE, true, false },
	{ LINK_OVERFLOWS, LINK_HERE, true, LINK_STOP | LINK_START, LINK_HERE, true, false },
	{ LINK_CHANGES, LINK_HERE, true, LINK_STOP | LINK_START, LINK_HERE, true, false },
	{ LINK_CHANGES, LINK_ARRIVING, true, 0, LINK_ARRIVING, true, false },
	{ LINK_CHANGES, LINK_HERE, false, LINK_REFUSED, LINK_HERE, false, false },
	{ LINK_CHANGES, LINK_ARRIVING, false, LINK_REFUSED, LINK_ARRIVING, false, false },
	{ LINK_CHANGED, LINK_ARRIVING, true, 0, LINK_ARRIVING, true, false },
	{ LINK_CHANGED, LINK_AWAY, true, 0, LINK_AWAY, true, false },
	{ LINK_CHANGED, LINK_HERE, true, LINK_REFUSED, LINK_HERE, true, false },
	{ LINK_CHANGED, LINK_ARRIVING, false, LINK_REFUSED, LINK_ARRIVING, false, false },
	{ LINK_CHANGED, LINK_HERE, false, LINK_REFUSED, LINK_HERE, false, false },
	{ LINK_CHANGED, LINK_AWAY, false, LINK_REFUSED, LINK_AWAY, false, false },
	{ LINK_CHANGED, LINK_ENDED, false, LINK_REFUSED, LINK_ENDED, false, false },
	{ LINK_UNBOUND, LINK_ARRIVING, true, 0, LINK_ARRIVING, false, false },
	{ LINK_UNBOUND, LINK_AWAY, true, 0, LINK_AWAY, false, false },
	{ LINK_UNBOUND, LINK_HERE, true, LINK_REFUSED, LINK_HERE, true, false },
	{ LINK_UNBOUND, LINK_ARRIVING, false, LINK_REFUSED, LINK_ARRIVING, false, false },
	{ LINK_UNBOUND, LINK_AWAY, false, LINK_REFUSED, LINK_AWAY, false, false },
	{ LINK_UNBOUND, LINK_ENDED, false, LINK_REFUSED, LINK_ENDED, false, false },
	{ LINK_BINDS, LINK_ARRIVING, false, 0, LINK_ARRIVING, true, false },
	{ LINK_BINDS, LINK_HERE, false, LINK_START, LINK_HERE, true, false },
	{ LINK_BINDS, LINK_ARRIVING, true, LINK_REFUSED, LINK_ARRIVING, true, false },
	{ LINK_BINDS, LINK_HERE, true, LINK_REFUSED, LINK_HERE, true, false },
	{ LINK_BOUND, LINK_ARRIVING, false, 0, LINK_ARRIVING, true, false },
	{ LINK_BOUND, LINK_AWAY, false, 0, LINK_AWAY, true, false },
	{ LINK_BOUND, LINK_HERE, false, LINK_REFUSED, LINK_HERE, false, false },
	{ LINK_BOUND, LINK_ARRIVING, true, LINK_REFUSED, LINK_ARRIVING, true, false },
	{ LINK_BOUND, LINK_AWAY, true, LINK_REFUSED, LINK_AWAY, true, false },
	{ LINK_BOUND, LINK_HERE, true, LINK_REFUSED, LINK_HERE, true, false },
	{ LINK_ENDS, LINK_ARRIVING, true, LINK_BURY, LINK_ENDED, false, false },
	{ LINK_ENDS, LINK_ARRIVING, false, LINK_BURY, LINK_ENDED, false, false },
	{ LINK_ENDS, LINK_HERE, true, LINK_STOP | LINK_HIDE | LINK_UNHOOK | LINK_BURY, LINK_ENDED,
	  false, false },
	{ LINK_ENDS, LINK_HERE, false, LINK_UNHOOK | LINK_BURY, LINK_ENDED, false, false },
	{ LINK_BURIED, LINK_ENDED, false, 0, LINK_ENDED, false, true },
};

/* The last reference that goes frees the link, once it has ended. */
START_TEST(what_each_step_does)
{
	const struct step *step;
	unsigned char refs;
	unsigned int free;

	for (step = steps; step < steps + ARRAY_SIZE(steps); step++)
		for (refs = 1; refs <= 3; refs++) {
			struct link link = { .state = step->from,
					     .bound = step->bound,
					     .refs = refs };

			free = step->puts && refs == 1 ? LINK_FREE : 0;
			ck_assert_uint_eq(link_step(&link, step->event), step->steps | free);
			ck_assert_int_eq(link.state, step->to);
			ck_assert_int_eq(link.bound, step->bound_then);
			ck_assert_int_eq(link.refs, refs - step->puts);
		}
}
END_TEST

START_TEST(what_is_made)
{
	struct link link;

	memset(&link, 0xFF, sizeof(link));
	link_make(&link);
	ck_assert_int_eq(link.state, LINK_ARRIVING);
	ck_assert_int_eq(link.bound, 1);
	ck_assert_int_eq(link.refs, 2);
}
END_TEST

UNIT_MAIN("link", 120, everything_that_can_happen, what_can_not_be, what_each_step_does,
	  what_is_made)
