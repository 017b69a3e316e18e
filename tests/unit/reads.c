// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The permission of user mode to read counters, in every order of events: the owner, another thread
 * of its process, another process that shares its memory and a child map the page, move it, copy it
 * and unmap it, fork, execute programs and end; counters are controlled by their owner and by its
 * tracer, who may be late; perf_events counts its own mappings in the same place. All states that
 * can be reached are visited, and each is looked at.
 *
 * What the kernel does around it is here what driver/access.c, calls.c and thread.c rely on. The
 * function itself is the driver's own source.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "driver/reads.h"
#include "tests/harness/check.h"
#include "tests/harness/explore.h"

/* ---- the world ---- */

enum { NOWHERE = -1, MEMORIES = 3, MOST_PAGES = 2 };

/* Those who have a memory. A thread of the owner's process ends where the owner executes. */
enum { OWNER, THREAD, SHARER, CHILD, USERS };

enum position {
	USER,
	EXECUTES, /* has new memory, and the probe is still to be called */
	BURIES,	  /* in the kernel, until its counters are given back */
	EXITS,	  /* some of its exit is done */
};

/* A memory's structure lives as long as somebody is in it, or names it: then it is another's. */
struct mm_struct {
	uint8_t exists;
	int8_t count;	/* of mappings by which it may read, perf_events' among them */
	uint8_t events; /* the latter */
	uint8_t named;	/* references by what is tested */
	uint8_t pages;	/* how often the page is mapped */
	uint8_t owned;	/* some of them by the owner, whose memory it was then */
};

struct world {
	struct mm_struct memory[MEMORIES];
	struct reads reads;
	int8_t where[USERS]; /* the memory of each, or NOWHERE */
	uint8_t position;    /* the owner's */
	uint8_t linked;	     /* the counters are the owner's */
	uint8_t burial;	     /* they were, and are still to be given back */
	uint8_t works;	     /* user mode reads, as the page says */
	uint8_t hidden;	     /* the owner executes what is not for who gave it counters */
	uint8_t tracer; /* his control: 0, begun, or done but for the look whether it was in time */
	uint8_t forked;
	uint8_t maps; /* what the thread's mmap(), which has begun, has found; 0: none has */
};

static struct world w, before;
static const char *wrong; /* what this step has found */

static void must(bool so, const char *what)
{
	if (!so && !wrong)
		wrong = what;
}

static struct mm_struct *memory_of(int user)
{
	return w.where[user] == NOWHERE ? NULL : &w.memory[w.where[user]];
}

static int users_of(const struct world *world, int m)
{
	int i, n = 0;

	for (i = 0; i < USERS; i++)
		n += world->where[i] == m;
	return n;
}

/* ---- steps, as the driver takes them ---- */

static void tell(enum reads_event event, struct mm_struct *mm)
{
	struct mm_struct *last = w.reads.memory;
	unsigned int steps = reads_step(&w.reads, event, mm);

	must(!(steps & (READS_FORBID | READS_DROP)) || (last && last->exists),
	     "a memory is used that is nobody's");
	must(!(steps & (READS_GRAB | READS_ALLOW | READS_LOOK)) || mm, "no memory is used");
	if (wrong)
		return;
	if (steps & READS_FORBID) {
		w.works = 0;
		last->count--;
	}
	if (steps & READS_DROP)
		last->named--;
	if (steps & READS_GRAB)
		mm->named++;
	if (steps & READS_ALLOW)
		mm->count++;
	if (steps & READS_LOOK)
		w.works = 1;
}

/* A structure that nobody needs any more is free for the next memory. */
static void reclaim(void)
{
	int m;

	for (m = 0; m < MEMORIES; m++) {
		struct mm_struct *mm = &w.memory[m];

		if (mm->exists && !mm->named && !mm->pages && !mm->events && !users_of(&w, m)) {
			must(!mm->count, "a memory ends, and is still counted");
			memset(mm, 0, sizeof(*mm));
		}
	}
}

/* ---- all that can happen next ---- */

static void found(void);

/* What is written after it happens to the world as it was; then the result is noted. */
#define HAPPENS(condition) for (bool may = (condition); may; may = false, found(), w = before)

static void map(struct mm_struct *mm, enum reads_event event)
{
	mm->pages++;
	mm->owned |= event == READS_MAPPED;
	tell(event, mm);
}

static void unmap(struct mm_struct *mm)
{
	mm->pages--;
	mm->owned &= mm->pages != 0;
	tell(READS_UNMAPPED, mm);
}

/* What is done in a memory, by one of its users; or as it is torn down after the last one. */
static void in_memory(int m)
{
	struct mm_struct *mm = &w.memory[m];
	const bool used = users_of(&before, m) != 0, room = mm->pages < MOST_PAGES;

	if (!mm->exists)
		return;
	HAPPENS(mm->pages) unmap(mm);
	HAPPENS(mm->events)
	{
		mm->events--;
		mm->count--;
	}
	HAPPENS(used && !mm->events)
	{
		mm->events++;
		mm->count++;
	}
	/* Moved: the old one goes later. And what was the owner's is for everybody. */
	HAPPENS(used && room && (mm->pages || !before.linked)) map(mm, READS_MAPPED_AGAIN);
}

/*
 * mmap() by threads of the owner's process. The other one's is in two parts, between which the
 * owner may end; and the owner has left its memory if it exits.
 */
static void map_own(void)
{
	enum { OTHERS = 1, OWN };
	const struct mm_struct *owners = memory_of(OWNER), *threads = memory_of(THREAD);

	HAPPENS(before.linked && before.position == USER && owners && owners->pages < MOST_PAGES)
	map(memory_of(OWNER), READS_MAPPED);
	HAPPENS(before.linked && !before.maps && threads && threads->pages < MOST_PAGES - 1)
	w.maps = owners == threads ? OWN : OTHERS;
	HAPPENS(before.maps)
	{
		w.maps = 0;
		map(memory_of(THREAD), before.maps == OWN ? READS_MAPPED : READS_MAPPED_AGAIN);
	}
}

/* A child's memory is a copy, with the count, which the probe clears, and without mappings. */
static void copy_memory(int from, int to, bool with_pages)
{
	struct mm_struct *mm = &w.memory[to];
	int i;

	memset(mm, 0, sizeof(*mm));
	mm->exists = 1;
	w.where[CHILD] = (int8_t)to;
	w.forked = 1;
	for (i = 0; with_pages && i < w.memory[from].pages; i++)
		map(mm, READS_MAPPED_AGAIN);
	mm->count = 0;
}

static void forks(int user)
{
	int to, with;

	for (to = 0; to < MEMORIES; to++)
		for (with = 0; with < 2; with++)
			HAPPENS(!before.forked && before.where[user] != NOWHERE &&
				!before.memory[to].exists &&
				!(user == OWNER && before.position != USER))
	copy_memory(before.where[user], to, with);
}

/* Its links ends, in its call, in its exit or in its exec; it is buried from where one may sleep.
 */
static void end_link(void)
{
	w.burial = w.linked;
	w.linked = 0;
}

static void execute(int to)
{
	w.memory[to].exists = 1;
	w.where[OWNER] = (int8_t)to;
	w.where[THREAD] = NOWHERE;
	w.position = EXECUTES;
}

static void probe_exec(bool hides)
{
	w.hidden = w.hidden || hides;
	w.position = USER;
	if (!w.linked)
		return;
	if (hides) {
		end_link();
		w.position = BURIES;
	} else {
		w.works = 0;
	}
}

static void bury(void)
{
	w.burial = 0;
	if (w.position == BURIES)
		w.position = USER;
	tell(READS_RELEASED, NULL);
}

static void owner(void)
{
	const bool user = before.position == USER && before.where[OWNER] != NOWHERE;
	int to, hides;

	HAPPENS(user && before.linked && !before.tracer) tell(READS_RESERVED, memory_of(OWNER));
	HAPPENS(user && before.linked && !before.tracer)
	{
		end_link();
		w.position = BURIES;
	}
	/* Who is stopped executes nothing; and the other thread comes to its end first. */
	for (to = 0; to < MEMORIES; to++)
		HAPPENS(user && !before.tracer && !before.maps && !before.memory[to].exists)
	execute(to);
	for (hides = 0; hides < 2; hides++)
		HAPPENS(before.position == EXECUTES) probe_exec(hides);
	/* It may be killed at any time; what of its exit comes first depends on the kernel. */
	HAPPENS(before.position == USER) w.position = EXITS;
	HAPPENS(before.position == EXITS && before.where[OWNER] != NOWHERE)
	w.where[OWNER] = NOWHERE;
	HAPPENS(before.position == EXITS && before.linked) end_link();
	HAPPENS(before.burial) bury();
}

/* He has seen it stopped; meanwhile it may be killed, and end. */
static void tracer(void)
{
	HAPPENS(!before.tracer && before.linked && before.position == USER) w.tracer = 1;
	HAPPENS(before.tracer == 1)
	{
		tell(READS_RESERVED, memory_of(OWNER));
		w.tracer = 2;
	}
	HAPPENS(before.tracer == 2)
	{
		if (!w.linked)
			tell(READS_RELEASED, NULL);
		w.tracer = 0;
	}
}

static void everything(void)
{
	int i;

	for (i = 0; i < MEMORIES; i++)
		in_memory(i);
	map_own();
	for (i = 0; i < USERS; i++) {
		bool busy = i == THREAD && before.maps;

		forks(i);
		HAPPENS(i != OWNER && before.where[i] != NOWHERE && !busy) w.where[i] = NOWHERE;
	}
	owner();
	tracer();
}

/* ---- what must hold in every state ---- */

static void look_at_memory(struct mm_struct *mm)
{
	bool named = w.reads.memory == mm;

	must(!named || mm->exists, "a memory is named that is gone");
	must(mm->named == named, "references contradict what is named");
	must(mm->count == mm->events + (named && w.reads.allowed),
	     "a memory is counted too often, or not often enough");
	/* Those of others, from when it was over, are not counted unless the owner's still came. */
	must(!named || !w.linked || w.reads.mappings == mm->pages, "mappings are miscounted");
	must(!named || (w.reads.mappings && w.reads.mappings <= mm->pages),
	     "there are fewer mappings than are counted");
}

/* In user mode, what the owner has mapped can be read there, and what others have can't. */
static void look_at_owner(void)
{
	const struct mm_struct *mm = memory_of(OWNER);

	must(!w.works || w.reads.allowed, "what is not allowed works");
	must(w.reads.allowed <= 1 && w.reads.counts <= 1, "yes is 1");
	if (w.position != USER || !mm)
		return;
	must(!w.works || w.reads.memory == mm, "an executed program reads by its caller's mapping");
	must(!w.hidden || !w.reads.allowed, "a hidden program is watched by its caller's mapping");
	must(!w.linked || w.tracer || !w.reads.counts || !mm->owned || w.works,
	     "the owner has lost what it has mapped");
}

static void look_at_end(void)
{
	bool over = !w.linked && !w.burial && !w.tracer;
	int m;

	must(!over || (!w.reads.allowed && !w.reads.counts), "nobody's counters are read");
	for (m = 0; m < MEMORIES; m++)
		over = over && !users_of(&w, m) && !w.memory[m].pages && !w.memory[m].events;
	must(!over || !w.reads.memory, "a reference is left");
}

static void print_way(void)
{
	const struct world *s;
	unsigned int n;

	for (n = 0; n < 40 && (s = explore_way(n)) != NULL; n++)
		printf("  owner in %d, %u; others %d %d %d; linked %u, burial %u, tracer %u; memory %d, "
		       "mappings %u, counts %u, allowed %u, works %u\n",
		       s->where[OWNER], s->position, s->where[THREAD], s->where[SHARER],
		       s->where[CHILD], s->linked, s->burial, s->tracer,
		       s->reads.memory ? (int)(s->reads.memory - w.memory) : NOWHERE,
		       s->reads.mappings, s->reads.counts, s->reads.allowed, s->works);
}

static void found(void)
{
	int m;

	reclaim();
	for (m = 0; m < MEMORIES; m++)
		look_at_memory(&w.memory[m]);
	look_at_owner();
	look_at_end();
	if (wrong) {
		print_way();
		ck_abort_msg("%s", wrong);
	}
	explore_note(&w);
}

START_TEST(everything_that_can_happen)
{
	uint32_t states;

	memset(&w, 0, sizeof(w));
	w.memory[0].exists = w.linked = 1;
	w.where[CHILD] = NOWHERE;
	explore_begin(&w, sizeof(w));
	while (explore_next(&before)) {
		w = before;
		everything();
	}
	states = explore_end();
	printf("%u states\n", states);
	ck_assert_uint_gt(states, 10000);
}
END_TEST

/* After a plain exec, what others keep of the mappings goes on until the next control, no longer.
 */
START_TEST(old_mappings_end_with_the_next_control)
{
	struct mm_struct old, fresh;
	struct reads reads;

	memset(&reads, 0, sizeof(reads));
	ck_assert_uint_eq(reads_step(&reads, READS_MAPPED, &old), READS_GRAB);
	ck_assert_uint_eq(reads_step(&reads, READS_RESERVED, &old), READS_ALLOW | READS_LOOK);
	ck_assert_uint_eq(reads_step(&reads, READS_RESERVED, &old), READS_LOOK);
	ck_assert_uint_eq(reads_step(&reads, READS_RESERVED, &fresh), READS_FORBID);
	ck_assert_uint_eq(reads_step(&reads, READS_RESERVED, NULL), 0);
	ck_assert_uint_eq(reads_step(&reads, READS_MAPPED, &fresh),
			  READS_DROP | READS_GRAB | READS_ALLOW | READS_LOOK);
	ck_assert_uint_eq(reads_step(&reads, READS_UNMAPPED, &old), 0);
	ck_assert_uint_eq(reads_step(&reads, READS_UNMAPPED, &fresh), READS_FORBID | READS_DROP);
	ck_assert_uint_eq(reads_step(&reads, (enum reads_event)(READS_RELEASED + 1), &fresh), 0);
}
END_TEST

UNIT_MAIN("reads", 120, everything_that_can_happen, old_mappings_end_with_the_next_control)
