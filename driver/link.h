/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link.h - the link between a thread and its counters: a state machine that says where the thread
 * is. One function has all events of a link and the actions that follow; no other code changes a
 * link's state. It uses nothing of the kernel, so that a test can try all events in every order.
 */
// clang-format off
/*
 *	made by its tracer -> ARRIVING -.
 *	                         |      v
 *	made by its thread ------|--> HERE <-> AWAY
 *	                         v      v
 *	                         ENDED <'
 *
 * ARRIVING	Its thread is in the kernel, and does not count before it returns to user mode: the
 *		scheduler does not know the link yet.
 * HERE		Its thread is the current one of a processor, and counts there if the link is bound.
 * AWAY		Its thread is on no processor.
 * ENDED	Nothing starts again, whatever references to the link there are.
 */
// clang-format on
/*
 * A link is bound while it has counters. They run if the link is bound and HERE, and only then.
 * References are counted: the thread has one until the burial, and the arrival has one, which may
 * be queued with the thread and can't be called back. A link that has ended is in no table: nobody
 * can give it counters.
 */
#ifndef PERFCTR_DRIVER_LINK_H
#define PERFCTR_DRIVER_LINK_H

enum link_state {
	LINK_ARRIVING,
	LINK_HERE,
	LINK_AWAY,
	LINK_ENDED,
};

struct link {
	enum link_state state;
	unsigned char bound; /* it has counters */
	unsigned char refs;
};

/* A link's events, grouped by the thread that causes them: it decides on changes. */
enum link_event {
	/* Events caused by its thread, which is the current one. */
	LINK_ARRIVES,	 /* it returns to user mode, or has made the link */
	LINK_COMES,	 /* the scheduler has switched to it, and no LINK_RECEIVES made it HERE */
	LINK_GOES,	 /* the scheduler is about to switch to another */
	LINK_HANDS_OVER, /* the same as LINK_GOES, after the next thread has received the running
			    counters */
	LINK_CHANGES,	 /* its counters are to be changed */
	LINK_BINDS,	 /* it has a link without counters, and gets new ones */
	LINK_OVERFLOWS,	 /* an interrupt on its processor: they are to be stopped and started */
	LINK_ENDS, /* it exits, detaches its counters, or executes a program whose counts it may not
		      see */
	LINK_BURIED, /* its thread drops its reference */

	/* Events caused by other threads. */
	LINK_RECEIVES, /* the thread before it has handed running counters over to it */
	LINK_CHANGED,  /* by its tracer, which has seen it stopped; it may have been killed since */
	LINK_BOUND,    /* by its tracer: the same as LINK_BINDS */
	LINK_UNBOUND,  /* by its tracer: its counters are detached */
	LINK_IS_MISSED, /* the thread is so near to its end that it can't arrive any more */
};

/* The actions, in this order; the change of the counters comes before LINK_START. */
enum {
	LINK_REFUSED = 1, /* nothing: this can't be done now */
	LINK_BUG = 2,	  /* nothing: this can't be */
	LINK_STOP = 4,	  /* stop the counters on this processor */
	LINK_HIDE = 8,	  /* no one may see the contents that they have left */
	LINK_UNHOOK = 16, /* the scheduler forgets the link */
	LINK_HOOK = 32,	  /* the scheduler tells when its thread comes and goes */
	LINK_START = 64,  /* start the counters on this processor */
	LINK_BURY = 128,  /* LINK_BURIED is to come, from where one may sleep */
	LINK_FREE = 256,  /* there is no reference any more */
};

/* Makes a link with counters. Its thread calls, and arrives or queues the arrival. */
static inline void link_make(struct link *link)
{
	link->state = LINK_ARRIVING;
	link->bound = 1;
	link->refs = 2; /* the thread's, and the arrival's */
}

/* On the path of each switch, only tests and debug builds check for impossible states. */
#if defined(PERFCTR_DEBUG) || !defined(__KERNEL__)
#define LINK_SURE(condition) (condition)
#else
#define LINK_SURE(condition) 1
#endif

static inline unsigned int link_put(struct link *link)
{
	return --link->refs ? 0 : LINK_FREE;
}

static inline unsigned int link_come(struct link *link)
{
	link->state = LINK_HERE;
	return link->bound ? LINK_START : 0;
}

static inline unsigned int link_go(struct link *link)
{
	link->state = LINK_AWAY;
	return link->bound ? LINK_STOP : 0;
}

static inline unsigned int link_end(struct link *link)
{
	unsigned int steps = LINK_BURY;

	if (link->state == LINK_HERE)
		steps |= (link->bound ? LINK_STOP | LINK_HIDE : 0) | LINK_UNHOOK;
	link->state = LINK_ENDED;
	link->bound = 0;
	return steps;
}

/* Can running counters be handed over to it, which the scheduler is to switch to? */
static inline int link_can_receive(const struct link *link)
{
	return LINK_SURE(link->state == LINK_AWAY) && link->bound;
}

/*
 * Steps a link, whose lock is held. Returns the actions, which the caller carries out before it
 * gives back the lock; LINK_BURY and LINK_FREE after it.
 */
static inline unsigned int link_step(struct link *link, enum link_event event)
{
	enum link_state state = link->state;

	switch (event) {
	case LINK_ARRIVES:
		if (state == LINK_ENDED)
			return link_put(link);
		if (state != LINK_ARRIVING)
			return LINK_BUG;
		return link_put(link) | LINK_HOOK | link_come(link);
	case LINK_IS_MISSED:
		if (state == LINK_ARRIVING)
			return link_put(link) | link_end(link);
		return state == LINK_ENDED ? link_put(link) : LINK_BUG;
	case LINK_COMES: return LINK_SURE(state == LINK_AWAY) ? link_come(link) : LINK_BUG;
	case LINK_GOES: return LINK_SURE(state == LINK_HERE) ? link_go(link) : LINK_BUG;
	case LINK_HANDS_OVER:
		if (!LINK_SURE(state == LINK_HERE))
			return LINK_BUG;
		link_go(link); /* they have been stopped */
		return 0;
	case LINK_RECEIVES:
		if (!LINK_SURE(state == LINK_AWAY && link->bound))
			return LINK_BUG;
		link_come(link); /* they have been started */
		return 0;
	case LINK_OVERFLOWS:
		return state == LINK_HERE && link->bound ? LINK_STOP | LINK_START : LINK_BUG;
	case LINK_CHANGES:
		if (!link->bound)
			return LINK_REFUSED;
		if (state == LINK_HERE)
			return LINK_STOP | LINK_START;
		return state == LINK_ARRIVING ? 0 : LINK_BUG;
	case LINK_CHANGED: return link->bound && state != LINK_HERE ? 0 : LINK_REFUSED;
	case LINK_UNBOUND:
		if (!link->bound || state == LINK_HERE)
			return LINK_REFUSED;
		link->bound = 0;
		return 0;
	case LINK_BINDS:
		if (state == LINK_AWAY || state == LINK_ENDED)
			return LINK_BUG;
		if (link->bound)
			return LINK_REFUSED;
		link->bound = 1;
		return state == LINK_HERE ? LINK_START : 0;
	case LINK_BOUND:
		if (state == LINK_ENDED)
			return LINK_BUG;
		if (link->bound || state == LINK_HERE)
			return LINK_REFUSED;
		link->bound = 1;
		return 0;
	case LINK_ENDS:
		if (state == LINK_ARRIVING || state == LINK_HERE)
			return link_end(link);
		return LINK_BUG;
	case LINK_BURIED: return state == LINK_ENDED ? link_put(link) : LINK_BUG;
	}
	return LINK_BUG;
}

#endif /* PERFCTR_DRIVER_LINK_H */
