// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The made-up PMU, see pmu.h. Names in parentheses are the functions of Linux 6.1 that are
 * modelled: kernel/events/core.c, ring_buffer.c, arch/x86/events/core.c.
 *
 * An event's descriptor is a memfd, its page and buffer are that file's: so descriptors can be
 * copied, passed on and inherited, mappings are real ones, and fork() has its ways with both. A
 * file is known again by its inode. The event goes with the last descriptor, which is told by a
 * lock on the open file; so a test's pages have to go before that.
 *
 * All state lies in shared memory, behind one spin lock, with signals blocked: a handler's calls
 * come here, too. So signals are sent when the lock is free again.
 *
 * What is left out: threads share no counters with each other, nor with what counts processors; a
 * thread's events are always on the PMU if there is room. Multiplexing is pmu.taken. There is no
 * throttling; no children are inherited to; samples have the fields that are in one word, and
 * READ; poll(2) is not there, and of epoll(7) what needs no waiting: each record wakes up.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "perfctr/read.h"
#include "pmu.h"

#define EVENTS	 256
#define CONTEXTS 64
#define RATES	 16
#define MAPPINGS 256
#define SIGNALS	 16
#define IOCTLS	 24

#define FORMAT_LOST 0x10u /* PERF_FORMAT_LOST, of Linux 6.0 */

/* (enum perf_event_state) */
enum state { DEAD = -4, EXIT, ERROR, OFF, INACTIVE, ACTIVE };

/* A thread, or a processor. (perf_event_context) */
struct context {
	pid_t tid;    /* -1: a processor */
	int cpu;      /* -1: a thread, wherever it runs */
	uint64_t now; /* ns for which it was there */
	bool ended;   /* offline, or the thread has ended */
};

struct event {
	ino_t inode;	    /* 0: free */
	struct event *next; /* the one opened after it */
	struct perf_event_attr attr;
	uint64_t id;
	unsigned int context;
	struct event *leader; /* itself: a leader, perhaps of nobody */
	enum state state;
	bool removed; /* from its context: never again on the PMU */
	size_t read_size;
	/* times */
	uint64_t stamp, enabled, running;
	/* the counter */
	uint64_t count, prev, raw; /* raw: the register, of pmu.width bits */
	int64_t left;		   /* of the period, at the last update */
	uint64_t until;		   /* units of raw until it wraps */
	unsigned int late;	   /* 1: its interrupt is due; more: after as many units */
	unsigned int index;	   /* of the counter */
	bool stopped;		   /* PERF_HES_STOPPED */
	/* overflows */
	unsigned int limit; /* event_limit */
	bool pending_disable, pending_signal;
	int kill;
	pid_t owner;
	int signal, flags, fd; /* fcntl(2) */
	uint64_t lost;	       /* of its samples */
	/* the buffer */
	struct perf_event_mmap_page *page; /* ours; NULL: not mapped */
	size_t size;			   /* of the buffer after it */
	uint64_t head, unwritten;
	bool overwrite, paused;
	uint8_t *area; /* AUX, ours; NULL: not mapped */
	size_t area_size;
	bool area_overwrite;
	struct event *output; /* whose buffer it writes into; NULL: its own */
	bool poll;	      /* a record has been written */
	int epoll;	      /* 0: none waits for it; else its descriptor + 1 */
	epoll_data_t data;
};

struct watch {
	unsigned long what;
	unsigned int left; /* calls until it is its turn */
	bool on, each;
	pid_t thread; /* of a hook: whose calls are meant */
};

static struct shared {
	atomic_flag lock;
	uint64_t last_id;
	struct event event[EVENTS], *first;
	struct context context[CONTEXTS];
	unsigned int contexts;
	struct {
		uint64_t config, n;
	} rate[RATES];
	unsigned int rates;
	struct {
		uintptr_t at;
		size_t size;
	} mapping[MAPPINGS];
	unsigned int mappings;
	struct {
		unsigned long what;
		unsigned int n;
	} calls[IOCTLS];
	struct watch fault, hook;
	int error;
	bool failed;
	struct {
		pid_t to;
		siginfo_t info;
	} signal[SIGNALS];
	unsigned int signals;
} * shared;

struct pmu_machine pmu;
struct perf_event_attr pmu_asked;
static void (*hook)(void);
static _Thread_local bool hooked;

/* Of the function called mmap, whatever <sys/mman.h> puts in its place. */
#ifdef __GLIBC__
typedef long plain_off;
#else
typedef off_t plain_off;
#endif

long __real_syscall(long number, ...);
int __real_ioctl(int fd, unsigned long request, ...);
ssize_t __real_read(int fd, void *buffer, size_t size);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, plain_off offset);
int __real_munmap(void *at, size_t size);
int __real_close(int fd);
int __real_fcntl(int fd, int command, ...);
int __real_epoll_ctl(int epoll, int command, int fd, struct epoll_event *wanted);
int __real_epoll_wait(int epoll, struct epoll_event *found, int most, int timeout);
unsigned long __real_perfctr_call_event_id(int fd);
int __real_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int __real_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __wrap_read(int fd, void *buffer, size_t size);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, plain_off offset);
void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset);
int __wrap_munmap(void *at, size_t size);
int __wrap_close(int fd);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...);
int __wrap_epoll_ctl(int epoll, int command, int fd, struct epoll_event *wanted);
int __wrap_epoll_wait(int epoll, struct epoll_event *found, int most, int timeout);
int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int __wrap_sigaction(int signal, const struct sigaction *action, struct sigaction *old);
unsigned long __wrap_perfctr_call_event_id(int fd);
int __wrap_perfctr_call_ioctl_and_mask(int fd, unsigned long request, unsigned long argument,
				       const uint64_t *mask);

static void stop_test(const char *what)
{
	fprintf(stderr, "the made-up PMU: %s\n", what);
	abort();
}

static pid_t self(void)
{
	return (pid_t)__real_syscall(SYS_gettid);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- the lock ---- */

static void lock(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	__real_pthread_sigmask(SIG_SETMASK, &all, old);
	while (atomic_flag_test_and_set(&shared->lock))
		sched_yield();
}

/* Signals that were raised go out; the caller's own are handled before this returns. */
static void unlock(const sigset_t *old)
{
	__typeof__(shared->signal) out;
	unsigned int i, n = shared->signals;
	int error = errno;

	memcpy(out, shared->signal, n * sizeof(out[0]));
	shared->signals = 0;
	atomic_flag_clear(&shared->lock);
	for (i = 0; i < n; i++) {
		/* Only to itself may a thread send a signal that looks like the kernel's. */
		if (out[i].to != self())
			out[i].info.si_code = SI_SIGIO;
		__real_syscall(SYS_rt_tgsigqueueinfo, getpid(), out[i].to, out[i].info.si_signo,
			       &out[i].info);
	}
	__real_pthread_sigmask(SIG_SETMASK, old, NULL);
	errno = error;
}

/* ---- contexts and groups ---- */

static struct context *context_of(const struct event *event)
{
	return &shared->context[event->context];
}

static unsigned int find_context(pid_t tid, int cpu)
{
	unsigned int i;

	for (i = 0; i < shared->contexts; i++)
		if (shared->context[i].tid == tid && shared->context[i].cpu == cpu)
			return i;
	if (i == CONTEXTS)
		stop_test("too many threads and processors");
	shared->context[i] = (struct context){ .tid = tid, .cpu = cpu };
	return shared->contexts++;
}

static bool is_software(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE || event->attr.type == PERF_TYPE_TRACEPOINT;
}

/* Which counts the ns for which it is on. */
static bool is_clock(const struct event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
		event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_sampling(const struct event *event)
{
	return event->attr.sample_period != 0;
}

/* In the order in which they were opened. */
#define for_each_event(e)	for ((e) = shared->first; (e); (e) = (e)->next)
#define for_each_sibling(e, of) for_each_event(e) if ((e)->leader == (of) && (e) != (of))

static unsigned int siblings(const struct event *leader)
{
	const struct event *e;
	unsigned int n = 0;

	for_each_sibling(e, leader) n++;
	return n;
}

/* (__perf_event_read_size) */
static void set_read_size(struct event *event)
{
	uint64_t format = event->attr.read_format;
	size_t entry = 1, words = 0, nr = 1;

	words += (format & PERF_FORMAT_TOTAL_TIME_ENABLED) != 0;
	words += (format & PERF_FORMAT_TOTAL_TIME_RUNNING) != 0;
	entry += (format & PERF_FORMAT_ID) != 0;
	entry += (format & FORMAT_LOST) != 0;
	if (format & PERF_FORMAT_GROUP) {
		words++;
		nr += siblings(event->leader);
	}
	event->read_size = (words + entry * nr) * sizeof(uint64_t);
}

static void set_read_sizes(struct event *leader)
{
	struct event *e;

	set_read_size(leader);
	for_each_sibling(e, leader) set_read_size(e);
}

/* ---- times (__perf_update_times, perf_event_set_state) ---- */

static void times_now(const struct event *event, uint64_t *enabled, uint64_t *running)
{
	enum state state = event->leader->state <= OFF ? event->leader->state : event->state;
	uint64_t delta = context_of(event)->now - event->stamp;

	*enabled = event->enabled + (state >= INACTIVE ? delta : 0);
	*running = event->running + (state >= ACTIVE ? delta : 0);
}

static void update_time(struct event *event)
{
	times_now(event, &event->enabled, &event->running);
	event->stamp = context_of(event)->now;
}

static void set_state(struct event *event, enum state state)
{
	struct event *e;

	if (event->state == state)
		return;
	update_time(event);
	if ((event->state < 0) != (state < 0))
		for_each_sibling(e, event) update_time(e);
	event->state = state;
}

/* ---- pages ---- */

/* The clock stands still between the test's ticks, which arm64's kind of page can say; or runs. */
static void set_page_clock(struct event *event)
{
	volatile struct perf_event_mmap_page *page = event->page;
	uint64_t now = pmu.runs ? perfctr_rdtsc() / PMU_TICKS : context_of(event)->now;
	uint64_t enabled, running;

	if (!page)
		return;
	times_now(event, &enabled, &running);
	page->lock++;
	page->time_enabled = enabled;
	page->time_running = running;
	page->cap_user_time = pmu.clock;
	page->cap_user_time_short = pmu.clock && !pmu.runs;
	page->time_mult = 1;
	page->time_shift = 1;
	page->time_cycles = now * PMU_TICKS;
	page->time_mask = 0;
	page->time_offset = -now;
	page->lock++;
}

/*
 * Some processors can keep each counter from user mode, where it then reads as 0: the kernel does
 * so with those that don't count a thread (Linux 7.3: intel_pmu_update_rdpmc_user_disable,
 * x86_pmu_event_init; armv8pmu_enable_user_access for PMUv3.9).
 */
static bool is_guarded(const struct event *event)
{
	return pmu.guards && context_of(event)->tid <= 0;
}

/* (perf_event_update_userpage, arch_perf_update_userpage) */
static void update_page(struct event *event)
{
	volatile struct perf_event_mmap_page *page = event->page;
	bool user = pmu.rdpmc && !is_software(event) && !is_guarded(event);

	if (!page)
		return;
	page->lock++;
	page->index = user && event->state == ACTIVE && !event->stopped ? event->index + 1 : 0;
	page->offset = (int64_t)(event->count - (page->index ? event->prev : 0));
	page->cap_user_rdpmc = user;
	page->pmc_width = (uint16_t)pmu.width;
	page->lock++;
	set_page_clock(event);
}

/* ---- the counters (x86_perf_event_update, x86_perf_event_set_period, x86_pmu_start, _stop) ----
 */

static uint64_t mask(void)
{
	return pmu.width < 64 ? (UINT64_C(1) << pmu.width) - 1 : UINT64_MAX;
}

static uint64_t largest_period(void)
{
	return mask() >> 1;
}

static void update(struct event *event)
{
	unsigned int shift = 64 - pmu.width;
	uint64_t delta;

	if (is_software(event) || event->state != ACTIVE || event->stopped)
		return;
	delta = ((event->raw << shift) - (event->prev << shift)) >> shift;
	event->prev = event->raw;
	event->count += delta;
	event->left -= (int64_t)delta;
}

static void set_period(struct event *event)
{
	int64_t period = is_sampling(event) ? (int64_t)event->attr.sample_period
					    : (int64_t)largest_period();

	if (event->left <= -period)
		event->left = period;
	else if (event->left <= 0)
		event->left += period;
	event->until = (uint64_t)event->left;
	if (event->until < pmu.least_period)
		event->until = pmu.least_period;
	if (event->until > largest_period())
		event->until = largest_period();
	event->prev = -event->until;
	event->raw = event->prev & mask();
	event->late = 0;
	update_page(event);
}

static void start_counter(struct event *event)
{
	event->stopped = false;
	if (!is_software(event))
		set_period(event);
	else if (is_sampling(event) && event->left <= 0)
		event->left = (int64_t)event->attr.sample_period;
	update_page(event);
}

/* Off the PMU (event_sched_out, x86_pmu_del). */
static void sched_out(struct event *event)
{
	if (event->state != ACTIVE)
		return;
	update(event);
	event->stopped = true;
	event->late = 0;
	update_page(event);
	set_state(event, event->pending_disable ? OFF : INACTIVE);
	event->pending_disable = false;
}

static void group_sched_out(struct event *leader)
{
	struct event *e;

	sched_out(leader);
	for_each_sibling(e, leader) sched_out(e);
}

/* Of a context's counters, which are not used by those that come first. */
struct room {
	unsigned int left;
	uint32_t used;
	bool closed;
};

/* (group_sched_in) */
static bool group_sched_in(struct event *leader, struct room *room)
{
	unsigned int wanted = !is_software(leader);
	struct event *e;

	for_each_sibling(e, leader) wanted += e->state >= INACTIVE && !is_software(e);
	if (wanted &&
	    (room->closed || wanted > room->left || (leader->attr.exclusive && room->used)))
		return false;
	room->left -= wanted;
	room->closed |= leader->attr.exclusive;
	for_each_event(e)
	{
		if (e->leader != leader || e->state < INACTIVE)
			continue;
		if (!is_software(e)) {
			unsigned int n = 0;

			/* Where it is, or the first free one. */
			if (e->state == ACTIVE && !(room->used >> (e->index - pmu.first) & 1))
				n = e->index - pmu.first;
			else
				while (room->used >> n & 1)
					n++;
			room->used |= 1u << n;
			if (e->state == ACTIVE && e->index != pmu.first + n) {
				update(e);
				e->stopped = true;
			}
			e->index = pmu.first + n;
		}
		if (e->state != ACTIVE || e->stopped) {
			/* What waits for its end after an overflow is not started again. */
			if (e->state == ACTIVE && e->pending_disable)
				continue;
			set_state(e, ACTIVE);
			start_counter(e);
		}
	}
	return true;
}

/* (ctx_resched) Pinned groups first, then the others. */
static void schedule(unsigned int context)
{
	struct room room = { .left = pmu.counters > pmu.taken ? pmu.counters - pmu.taken : 0 };
	unsigned int pinned;
	struct event *e;
	bool absent;

	for (pinned = 2; pinned-- > 0;)
		for_each_event(e)
		{
			if (e->context != context || e->leader != e || e->attr.pinned != pinned)
				continue;
			absent = pmu.absent && e->attr.type == pmu.absent;
			if (e->removed || e->state < INACTIVE ||
			    (!absent && group_sched_in(e, &room)))
				continue;
			group_sched_out(e);
			/* (event_filter_match) Where it can't be, it waits without an error. */
			if (pinned && !absent)
				set_state(e, ERROR);
		}
}

void pmu_schedule(void)
{
	unsigned int i;
	sigset_t old;

	lock(&old);
	for (i = 0; i < shared->contexts; i++)
		schedule(i);
	unlock(&old);
}

void pmu_switch(void)
{
	struct event *e;
	sigset_t old;

	lock(&old);
	for_each_event(e)
	{
		if (e->state != ACTIVE || e->stopped)
			continue;
		update(e);
		e->stopped = true;
	}
	unlock(&old);
	pmu_schedule();
}

/* (_perf_event_enable, __perf_event_enable) */
static void enable(struct event *event)
{
	if (event->removed || event->state >= INACTIVE || event->state < ERROR)
		return;
	if (event->state == ERROR)
		event->state = OFF;
	set_state(event, INACTIVE);
	schedule(event->context);
}

/* (__perf_event_disable) */
static void disable(struct event *event)
{
	if (event->state < INACTIVE)
		return;
	if (event->leader == event)
		group_sched_out(event);
	sched_out(event);
	if (event->state > OFF)
		set_state(event, OFF);
	schedule(event->context);
}

/* (perf_event_count) */
static uint64_t value(struct event *event)
{
	uint64_t enabled, running;

	update(event);
	times_now(event, &enabled, &running);
	return event->count + (is_clock(event) ? running : 0);
}

/* (_perf_event_reset) */
static void reset(struct event *event)
{
	event->count -= value(event);
	update_page(event);
}

/* (perf_group_detach) */
static void detach(struct event *event)
{
	struct event *e, *leader = event->leader;

	for_each_sibling(e, event)
	{
		e->leader = e;
		if (!pmu.keeps_read_size)
			set_read_size(e);
	}
	event->leader = event;
	if (!pmu.keeps_read_size)
		set_read_sizes(event);
	if (leader != event)
		set_read_sizes(leader);
}

/* (__perf_remove_from_context) Those of its group go on alone, where it is left. */
static void remove_event(struct event *event, enum state state)
{
	sched_out(event);
	if (event->state > state)
		set_state(event, state);
	/* A thread's end leaves groups as they are. */
	if (state != EXIT)
		detach(event);
	event->removed = true;
}

static void end_context(pid_t tid, int cpu, enum state state)
{
	struct event *e;
	sigset_t old;
	unsigned int context;

	lock(&old);
	context = find_context(tid, cpu);
	for_each_event(e) if (e->context == context && !e->removed) remove_event(e, state);
	shared->context[context].ended = true;
	unlock(&old);
}

void pmu_offline(int cpu)
{
	end_context(-1, cpu, OFF);
}

void pmu_online(int cpu)
{
	sigset_t old;

	lock(&old);
	shared->context[find_context(-1, cpu)].ended = false;
	unlock(&old);
}

void pmu_thread_ends(pid_t tid)
{
	end_context(tid, -1, EXIT);
}

void pmu_ends_on(pid_t tid, int cpu)
{
	end_context(tid, cpu, EXIT);
}

/* ---- records ---- */

static unsigned int read_words(struct event *event, uint64_t *words);

/* (CIRC_SPACE) */
static uint64_t space(uint64_t head, uint64_t tail, uint64_t size)
{
	return (tail - (head + 1)) & (size - 1);
}

static void copy_words(struct event *event, uint64_t *at, const uint64_t *words, size_t n)
{
	uint64_t *data = (uint64_t *)(void *)((char *)event->page + page_size());
	size_t i;

	for (i = 0; i < n; i++, *at += sizeof(words[0]))
		data[*at % event->size / sizeof(words[0])] = words[i];
}

/* The words after records that are no samples, and how many (perf_event__output_id_sample). */
static unsigned int id_words(const struct event *event, uint64_t *words)
{
	uint64_t fields = event->attr.sample_type;
	unsigned int n = 0;

	if (!event->attr.sample_id_all)
		return 0;
	if (fields & PERF_SAMPLE_TID)
		words[n++] = (uint64_t)(uint32_t)self() << 32 | (uint32_t)getpid();
	if (fields & PERF_SAMPLE_TIME)
		words[n++] = context_of(event)->now;
	if (fields & PERF_SAMPLE_ID)
		words[n++] = event->id;
	if (fields & PERF_SAMPLE_STREAM_ID)
		words[n++] = event->id;
	if (fields & PERF_SAMPLE_CPU)
		words[n++] = 0;
	if (fields & PERF_SAMPLE_IDENTIFIER)
		words[n++] = event->id;
	return n;
}

static uint64_t header_word(uint32_t type, uint16_t misc, size_t size)
{
	struct perf_event_header header = { .type = type, .misc = misc, .size = (uint16_t)size };
	uint64_t word;

	memcpy(&word, &header, sizeof(word));
	return word;
}

/* (__perf_output_begin, perf_output_put_handle) */
static void write_record(struct event *writer, uint32_t type, const uint64_t *words, unsigned int n)
{
	struct event *event = writer->output ? writer->output : writer;
	size_t size = (1 + n) * sizeof(words[0]), lost_size = 0;
	volatile struct perf_event_mmap_page *page = event->page;
	uint64_t at, lost[16], header;
	bool back = event->attr.write_backward;

	if (!page || !event->size)
		return;
	if (event->paused) {
		event->unwritten++;
		writer->lost++;
		return;
	}
	if (event->unwritten) {
		lost[1] = writer->id;
		lost[2] = event->unwritten;
		lost_size = (3 + id_words(writer, &lost[3])) * sizeof(lost[0]);
		lost[0] = header_word(PERF_RECORD_LOST, 0, lost_size);
	}
	size += lost_size;
	if (!event->overwrite && (back ? space(page->data_tail, event->head, event->size)
				       : space(event->head, page->data_tail, event->size)) < size) {
		event->unwritten++;
		writer->lost++;
		return;
	}
	at = back ? event->head - size : event->head;
	event->head = back ? at : at + size;
	if (lost_size) {
		event->unwritten = 0;
		copy_words(event, &at, lost, lost_size / sizeof(lost[0]));
	}
	header = header_word(type, type == PERF_RECORD_SAMPLE ? PERF_RECORD_MISC_USER : 0,
			     size - lost_size);
	copy_words(event, &at, &header, 1);
	copy_words(event, &at, words, n);
	atomic_thread_fence(memory_order_release);
	page->data_head = event->head;
	event->poll = true;
}

#define SAMPLE_FIELDS                                                                   \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |  \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ)

/* (perf_output_sample) */
static void write_sample(struct event *event)
{
	uint64_t fields = event->attr.sample_type, words[16 + 3 * EVENTS];
	unsigned int n = 0;

	if (fields & PERF_SAMPLE_IDENTIFIER)
		words[n++] = event->id;
	if (fields & PERF_SAMPLE_IP)
		words[n++] = (uintptr_t)pmu_count;
	if (fields & PERF_SAMPLE_TID)
		words[n++] = (uint64_t)(uint32_t)self() << 32 | (uint32_t)getpid();
	if (fields & PERF_SAMPLE_TIME)
		words[n++] = context_of(event)->now;
	if (fields & PERF_SAMPLE_ADDR)
		words[n++] = 0;
	if (fields & PERF_SAMPLE_ID)
		words[n++] = event->id;
	if (fields & PERF_SAMPLE_STREAM_ID)
		words[n++] = event->id;
	if (fields & PERF_SAMPLE_CPU)
		words[n++] = 0;
	if (fields & PERF_SAMPLE_PERIOD)
		words[n++] = event->attr.sample_period;
	if (fields & PERF_SAMPLE_READ)
		n += read_words(event, &words[n]);
	write_record(event, PERF_RECORD_SAMPLE, words, n);
}

static struct event *find_event(int fd);

void pmu_record(int fd, uint32_t type, const uint64_t *words, unsigned int n)
{
	struct event *event;
	sigset_t old;

	lock(&old);
	event = find_event(fd);
	if (!event)
		stop_test("a record of what is no event");
	write_record(event, type, words, n);
	unlock(&old);
}

static struct event *with_area(int cpu)
{
	struct event *e;

	for_each_event(e) if (e->area && context_of(e)->cpu == cpu) return e;
	stop_test("there is no AUX area");
	return NULL;
}

/* (perf_aux_output_begin, perf_aux_output_end) */
uint64_t pmu_aux(int cpu, uint64_t n)
{
	volatile struct perf_event_mmap_page *page;
	struct event *event;
	sigset_t old;
	uint64_t i;

	lock(&old);
	event = with_area(cpu);
	page = event->page;
	if (!event->area_overwrite) {
		uint64_t room = page->aux_head - page->aux_tail < event->area_size
					? space(page->aux_head, page->aux_tail, event->area_size)
					: 0;

		n = n < room ? n : room;
	}
	for (i = 0; i < n; i++)
		event->area[(page->aux_head + i) & (event->area_size - 1)] =
			pmu_aux_byte(page->aux_head + i);
	atomic_thread_fence(memory_order_release);
	page->aux_head += n;
	event->poll = true;
	unlock(&old);
	return n;
}

void pmu_aux_head(int cpu, uint64_t head)
{
	sigset_t old;

	lock(&old);
	with_area(cpu)->page->aux_head = head;
	unlock(&old);
}

/* ---- overflows (__perf_event_overflow, perf_pending_irq) ---- */

static void overflow(struct event *event)
{
	event->late = 0;
	update(event);
	if (!is_software(event))
		set_period(event);
	else
		event->left += (int64_t)event->attr.sample_period;
	if (!is_sampling(event))
		return;
	event->kill = POLL_IN;
	if (event->limit && --event->limit == 0) {
		event->kill = POLL_HUP;
		event->pending_disable = true;
	}
	write_sample(event);
	/* Nobody has reset the register: what it counts on is not counted. */
	if (event->pending_disable)
		event->stopped = true;
	event->pending_signal = event->flags & O_ASYNC;
}

static void raise_signal(struct event *event)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_signo = event->signal ? event->signal : SIGIO;
	info.si_code = event->signal ? event->kill : SI_KERNEL;
	info.si_fd = event->fd;
	/* (sig_specific_sicodes) */
	if (event->signal == SIGILL || event->signal == SIGFPE || event->signal == SIGSEGV ||
	    event->signal == SIGBUS || event->signal == SIGTRAP || event->signal == SIGCHLD ||
	    event->signal == SIGSYS)
		info.si_code = SI_SIGIO;
	if (shared->signals == SIGNALS)
		stop_test("too many signals at once");
	shared->signal[shared->signals].to = event->owner;
	shared->signal[shared->signals++].info = info;
}

static void after_interrupts(void)
{
	struct event *e;

	for_each_event(e)
	{
		if (e->pending_signal)
			raise_signal(e);
		e->pending_signal = false;
		if (e->pending_disable)
			disable(e);
	}
}

/* ---- what happens ---- */

static uint64_t rate(const struct event *event)
{
	unsigned int i;

	for (i = shared->rates; i-- > 0;)
		if (shared->rate[i].config == event->attr.config)
			return shared->rate[i].n;
	return is_clock(event) || (event->attr.type == PERF_TYPE_SOFTWARE &&
				   event->attr.config == PERF_COUNT_SW_DUMMY)
		       ? 0
		       : 1;
}

void pmu_rate(uint64_t config, uint64_t n)
{
	unsigned int i = 0;
	sigset_t old;

	lock(&old);
	while (i < shared->rates && shared->rate[i].config != config)
		i++;
	if (i == RATES)
		stop_test("too many rates");
	if (i == shared->rates)
		shared->rates++;
	shared->rate[i].config = config;
	shared->rate[i].n = n;
	unlock(&old);
}

static bool is_here(const struct event *event, pid_t tid, int cpu)
{
	const struct context *context = context_of(event);

	return (context->tid >= 0 && context->tid == tid &&
		(context->cpu < 0 || context->cpu == cpu)) ||
	       (context->tid < 0 && context->cpu == cpu);
}

static bool counts(const struct event *event, pid_t tid, int cpu, bool kernel)
{
	return event->state == ACTIVE && !event->stopped && is_here(event, tid, cpu) &&
	       !(kernel ? event->attr.exclude_kernel : event->attr.exclude_user);
}

/* So many units, in which nothing overflows but at their end. */
static void advance(struct event *event, uint64_t units)
{
	uint64_t n = rate(event) * units;

	if (is_software(event)) {
		event->count += n;
		event->left -= (int64_t)n;
		if (is_sampling(event) && event->left <= 0)
			event->late = 1;
		return;
	}
	event->raw = (event->raw + n) & mask();
	if (event->late > 1)
		event->late--;
	else if (!event->late && event->until <= n && n)
		event->late = 1 + pmu.skid;
	event->until -= n;
}

/* Units before the next overflow, or its interrupt; at most n, at least 1. */
static uint64_t quiet_units(pid_t tid, int cpu, bool kernel, uint64_t n)
{
	struct event *e;

	for_each_event(e)
	{
		uint64_t each, left;

		if (!counts(e, tid, cpu, kernel) || (each = rate(e)) == 0)
			continue;
		if (is_software(e) && !is_sampling(e))
			continue;
		left = is_software(e) ? (uint64_t)e->left : e->until;
		if (e->late || left <= each)
			return 1;
		if (left / each < n)
			n = left / each;
	}
	return n;
}

void pmu_run(pid_t tid, int cpu, bool kernel, uint64_t n)
{
	uint64_t units;
	struct event *e;
	sigset_t old;

	tid = tid ? tid : self();
	while (n) {
		lock(&old);
		units = quiet_units(tid, cpu, kernel, n);
		for_each_event(e) if (counts(e, tid, cpu, kernel)) advance(e, units);
		for_each_event(e) if (e->late == 1 && counts(e, tid, cpu, kernel)) overflow(e);
		after_interrupts();
		n -= units;
		unlock(&old);
	}
}

void pmu_count(uint64_t n)
{
	pmu_run(0, -1, false, n);
}

void pmu_tick_of(pid_t tid, int cpu, uint64_t ns)
{
	struct context *context;
	struct event *e;
	sigset_t old;

	tid = tid ? tid : self();
	lock(&old);
	for (context = shared->context; context < shared->context + shared->contexts; context++)
		if (!context->ended && ((context->tid >= 0 && context->tid == tid &&
					 (context->cpu < 0 || context->cpu == cpu)) ||
					(context->tid < 0 && context->cpu == cpu)))
			context->now += ns;
	for_each_event(e) if (is_here(e, tid, cpu)) set_page_clock(e);
	unlock(&old);
}

void pmu_tick(uint64_t ns)
{
	pmu_tick_of(0, -1, ns);
}

/* ---- reading (perf_read, perf_read_group, perf_read_one) ---- */

static unsigned int entry(struct event *event, uint64_t format, uint64_t *words)
{
	unsigned int n = 0;

	words[n++] = value(event);
	if (format & PERF_FORMAT_ID)
		words[n++] = event->id;
	if (format & FORMAT_LOST)
		words[n++] = event->lost;
	return n;
}

/* What the event's format says; the times are the event's own, as in a sample. */
static unsigned int words_of(struct event *event, const struct event *timed, uint64_t *words)
{
	uint64_t format = event->attr.read_format, enabled, running;
	struct event *leader = event->leader, *e;
	bool group = format & PERF_FORMAT_GROUP;
	unsigned int n = 0;

	times_now(timed, &enabled, &running);
	if (group)
		words[n++] = 1 + siblings(leader);
	else
		n += entry(event, 0, &words[n]);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = running;
	if (!group) {
		if (format & PERF_FORMAT_ID)
			words[n++] = event->id;
		if (format & FORMAT_LOST)
			words[n++] = event->lost;
		return n;
	}
	n += entry(leader, format, &words[n]);
	for_each_sibling(e, leader) n += entry(e, format, &words[n]);
	return n;
}

static unsigned int read_words(struct event *event, uint64_t *words)
{
	return words_of(event, event, words);
}

static ssize_t read_event(struct event *event, void *buffer, size_t size)
{
	uint64_t words[3 + 3 * EVENTS];
	unsigned int n;

	if (event->state == ERROR)
		return 0;
	if (size < event->read_size) {
		errno = ENOSPC;
		return -1;
	}
	n = words_of(event, event->attr.read_format & PERF_FORMAT_GROUP ? event->leader : event,
		     words);
	memcpy(buffer, words, n * sizeof(words[0]));
	return (ssize_t)(n * sizeof(words[0]));
}

/* ---- calls: faults and hooks ---- */

static unsigned int *calls_of(unsigned long what)
{
	unsigned int i;

	for (i = 0; i < IOCTLS && shared->calls[i].n && shared->calls[i].what != what;)
		i++;
	if (i == IOCTLS)
		stop_test("too many kinds of calls");
	shared->calls[i].what = what;
	return &shared->calls[i].n;
}

static bool is_meant(unsigned long wanted, unsigned long what)
{
	return wanted == PMU_ANY ? what != PMU_RDPMC && what != PMU_MEMORY : wanted == what;
}

static bool is_turn(struct watch *watch, unsigned long what)
{
	if (!watch->on || !is_meant(watch->what, what))
		return false;
	if (watch->each)
		return true;
	if (--watch->left)
		return false;
	watch->on = false;
	return true;
}

static void call_hook(unsigned long what)
{
	void (*f)(void) = NULL;
	sigset_t old;

	lock(&old);
	if (shared->hook.thread == self() && is_turn(&shared->hook, what))
		f = hook;
	unlock(&old);
	if (!f)
		return;
	hooked = true;
	f();
	hooked = false;
}

/* Note a call: *error, unless NULL, is what it is to fail with; 0: it is made. */
static void note_call(unsigned long what, int *error)
{
	sigset_t old;

	if (error)
		*error = 0;
	if (hooked)
		return;
	call_hook(what);
	lock(&old);
	++*calls_of(what);
	if (error && is_turn(&shared->fault, what)) {
		*error = shared->error;
		shared->failed = true;
	}
	unlock(&old);
}

unsigned int pmu_calls(unsigned long what)
{
	unsigned int i, n = 0;

	for (i = 0; i < IOCTLS; i++)
		if (is_meant(what, shared->calls[i].what))
			n += shared->calls[i].n;
	return n;
}

void pmu_fail(unsigned long what, unsigned int nth, int error)
{
	shared->error = error;
	shared->failed = false;
	shared->fault = (struct watch){ .what = what, .left = nth, .on = nth > 0 };
}

bool pmu_failed(void)
{
	return shared->failed;
}

void pmu_at(unsigned long what, unsigned int nth, void (*f)(void))
{
	hook = f;
	shared->hook = (struct watch){
		.what = what,
		.left = nth,
		.on = f,
		.each = nth == 0,
		.thread = self(),
	};
}

/* ---- perf_event_open(2) ---- */

static struct event *find_event(int fd)
{
	struct stat status;
	struct event *e;

	if (!shared || fd < 0 || fstat(fd, &status) < 0)
		return NULL;
	for_each_event(e) if (e->inode == status.st_ino) return e;
	return NULL;
}

static bool is_event(int fd)
{
	int error = errno;
	bool found;
	sigset_t old;

	if (!shared)
		return false;
	lock(&old);
	found = find_event(fd);
	unlock(&old);
	errno = error;
	return found;
}

static unsigned int hardware_events(const struct event *leader)
{
	unsigned int n = !is_software(leader);
	const struct event *e;

	for_each_sibling(e, leader) n += !is_software(e);
	return n;
}

/* What can be refused without looking at others (SYSCALL_DEFINE5(perf_event_open),
 * x86_pmu_hw_config). */
static int check_attr(const struct perf_event_attr *attr, pid_t tid, int cpu, unsigned long flags)
{
	if (flags & ~(unsigned long)(PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC) ||
	    (flags & PERF_FLAG_PID_CGROUP && (tid == -1 || cpu == -1)) || (tid == -1 && cpu == -1))
		return EINVAL;
	if (attr->sample_period >> 63 || (attr->inherit && attr->sample_type & PERF_SAMPLE_READ))
		return EINVAL;
	if (attr->type != PERF_TYPE_SOFTWARE && attr->sample_period && !attr->freq &&
	    attr->sample_period < pmu.least_period)
		return EINVAL;
	if (attr->type != PERF_TYPE_SOFTWARE && pmu.blind &&
	    (attr->exclude_guest || attr->exclude_host))
		return EINVAL;
	if (attr->type != PERF_TYPE_SOFTWARE && attr->precise_ip > pmu.precise)
		return EOPNOTSUPP;
	if (attr->sample_type & ~(uint64_t)SAMPLE_FIELDS)
		stop_test("samples have no such field");
	return 0;
}

/* And in a group. */
static int check_group(const struct event *leader, const struct perf_event_attr *attr,
		       unsigned int context)
{
	if (leader->leader != leader || leader->context != context ||
	    leader->attr.inherit != attr->inherit || attr->exclusive || attr->pinned)
		return EINVAL;
	return 0;
}

static bool is_alive(pid_t tid)
{
	return kill(tid, 0) == 0 || errno == EPERM;
}

static int try_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd,
		    unsigned long flags, struct event **made)
{
	struct event *leader = NULL, *event;
	unsigned int context;
	int error = check_attr(attr, tid, cpu, flags);

	if (error)
		return error;
	if (group_fd != -1 && !(leader = find_event(group_fd)))
		return EBADF;
	if (flags & PERF_FLAG_PID_CGROUP)
		tid = -1;
	else if (tid == 0)
		tid = self();
	if (tid > 0 && !is_alive(tid))
		return ESRCH;
	context = find_context(tid, cpu);
	if (tid > 0 && shared->context[context].ended)
		return ESRCH;
	if (leader && (error = check_group(leader, attr, context)) != 0)
		return error;
	if (shared->context[context].ended)
		return ENODEV;
	/* (Linux 7.3: mediated_pmu_account_event) */
	if (attr->type != PERF_TYPE_SOFTWARE && pmu.lent && !attr->exclude_guest)
		return EOPNOTSUPP;
	for (event = shared->event; event->inode;)
		if (++event == shared->event + EVENTS)
			return ENOMEM;
	*event = (struct event){
		.attr = *attr,
		.id = 1000 + shared->last_id,
		.context = context,
		.leader = leader ? leader : event,
		.state = attr->disabled ? OFF : INACTIVE,
		.stamp = shared->context[context].now,
		.stopped = true,
	};
	*made = event;
	return 0;
}

static void list_event(struct event *event)
{
	struct event **at = &shared->first;

	while (*at)
		at = &(*at)->next;
	*at = event;
}

static void unlist_event(struct event *event)
{
	struct event **at = &shared->first;

	while (*at != event)
		at = &(*at)->next;
	*at = event->next;
	event->inode = 0;
}

static long open_event(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd,
		       unsigned long flags)
{
	int error, fd = (int)__real_syscall(SYS_memfd_create, "perf_event",
					    flags & PERF_FLAG_FD_CLOEXEC ? MFD_CLOEXEC : 0u);
	struct event *event = NULL;
	struct stat status;
	sigset_t old;

	if (fd < 0)
		return -1;
	lock(&old);
	error = try_open(attr, tid, cpu, group_fd, flags, &event);
	if (!error && fstat(fd, &status) == 0) {
		event->inode = status.st_ino;
		list_event(event);
		/* (x86_pmu_event_init: validate_group) */
		if (hardware_events(event->leader) > pmu.counters) {
			unlist_event(event);
			error = EINVAL;
		}
	}
	if (!error) {
		shared->last_id++;
		flock(fd, LOCK_EX);
		set_read_sizes(event->leader);
		schedule(event->context);
	}
	unlock(&old);
	if (!error)
		return fd;
	__real_close(fd);
	errno = error;
	return -1;
}

/* Records of lives, lib/perf/lives.c, are the kernel's. */
static bool is_watch(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY &&
	       attr->comm && attr->task;
}

/* Six arguments, however many were given: AddressSanitizer minds those that were not. */
__attribute__((no_sanitize("address"))) long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list args;
	int i, error;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_read)
		return __wrap_read((int)a[0], (void *)a[1], (size_t)a[2]);
	if (number == SYS_close_range) {
		for (; a[0] <= a[1]; a[0]++)
			__wrap_close((int)a[0]);
		return 0;
	}
	if (!shared || number != SYS_perf_event_open ||
	    is_watch((const struct perf_event_attr *)a[0]))
		return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	pmu_asked = *(const struct perf_event_attr *)a[0];
	note_call(PMU_OPEN, &error);
	if (!error)
		return open_event((const struct perf_event_attr *)a[0], (pid_t)a[1], (int)a[2],
				  (int)a[3], (unsigned long)a[4]);
	errno = error;
	return -1;
}

/* ---- close(2) (perf_release) ---- */

/*
 * Whether no descriptor, nor page of the test's, is left of the file that was open on this one: its
 * lock has gone.
 */
static bool was_last(int probe)
{
	bool last = probe < 0 || flock(probe, LOCK_EX | LOCK_NB) == 0;

	if (probe >= 0)
		__real_close(probe);
	return last;
}

static void release(struct event *event)
{
	struct event *e;

	/* (perf_mmap_close) */
	for_each_event(e) if (e->output == event) e->output = NULL;
	if (!event->removed)
		remove_event(event, DEAD);
	else
		detach(event);
	if (event->area)
		__real_munmap(event->area, event->area_size);
	if (event->page)
		__real_munmap(event->page, page_size() + event->size);
	unlist_event(event);
	schedule(event->context);
}

/* The same file, but not the same open one. */
static int open_again(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

int __wrap_close(int fd)
{
	struct event *event;
	int result, probe;
	sigset_t old;

	if (!is_event(fd))
		return __real_close(fd);
	note_call(PMU_CLOSE, NULL);
	lock(&old);
	event = find_event(fd);
	probe = open_again(fd);
	result = __real_close(fd);
	if (was_last(probe))
		release(event);
	unlock(&old);
	return result;
}

/* ---- read(2), ioctl(2), fcntl(2) ---- */

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	ssize_t result;
	sigset_t old;
	int error;

	if (!is_event(fd))
		return __real_read(fd, buffer, size);
	note_call(PMU_READ, &error);
	if (error == PMU_EOF)
		return 0;
	errno = error ? error : errno;
	if (error)
		return -1;
	lock(&old);
	result = read_event(find_event(fd), buffer, size);
	unlock(&old);
	return result;
}

/* (_perf_event_period, __perf_event_period) */
static int change_period(struct event *event, uint64_t value)
{
	bool active = event->state == ACTIVE && !event->stopped;

	if (!is_sampling(event) || !value || value >> 63 ||
	    (!is_software(event) && !event->attr.freq && value < pmu.least_period))
		return EINVAL;
	event->attr.sample_period = value;
	update(event);
	event->left = is_software(event) ? (int64_t)value : 0;
	if (active)
		start_counter(event);
	return 0;
}

static int for_group(struct event *event, unsigned long argument, void (*f)(struct event *))
{
	struct event *e;

	if (argument & PERF_IOC_FLAG_GROUP)
		event = event->leader;
	f(event);
	if (argument & PERF_IOC_FLAG_GROUP)
		for_each_sibling(e, event) f(e);
	return 0;
}

/* (perf_event_set_output) */
static int set_output(struct event *event, struct event *output)
{
	const struct context *a = context_of(event), *b = output ? context_of(output) : NULL;

	if (!output || event == output || a->cpu != b->cpu || (a->cpu == -1 && a->tid != b->tid) ||
	    event->attr.write_backward != output->attr.write_backward || event->page ||
	    !output->page || !output->size)
		return EINVAL;
	event->output = output;
	return 0;
}

/* (_perf_ioctl) 0, or an errno. */
static int request_of(struct event *event, unsigned long request, unsigned long argument)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE: return for_group(event, argument, enable);
	case PERF_EVENT_IOC_DISABLE: return for_group(event, argument, disable);
	case PERF_EVENT_IOC_RESET: return for_group(event, argument, reset);
	case PERF_EVENT_IOC_REFRESH:
		if (event->attr.inherit || !is_sampling(event))
			return EINVAL;
		event->limit += (unsigned int)argument;
		enable(event);
		return 0;
	case PERF_EVENT_IOC_PERIOD: return change_period(event, *(const uint64_t *)argument);
	case PERF_EVENT_IOC_SET_OUTPUT: return set_output(event, find_event((int)argument));
	case PERF_EVENT_IOC_ID: *(uint64_t *)argument = event->id; return 0;
	case PERF_EVENT_IOC_PAUSE_OUTPUT:
		if (!event->page || !event->size)
			return EINVAL;
		event->paused = argument != 0;
		return 0;
	}
	return ENOTTY;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	unsigned long argument;
	sigset_t old;
	va_list args;
	int error;

	va_start(args, request);
	argument = va_arg(args, unsigned long);
	va_end(args);
	if (!is_event(fd))
		return __real_ioctl(fd, request, argument);
	note_call(request, &error);
	if (!error) {
		lock(&old);
		error = request_of(find_event(fd), request, argument);
		unlock(&old);
	}
	errno = error ? error : errno;
	return error ? -1 : 0;
}

static int fcntl_event(struct event *event, int fd, int command, long argument)
{
	switch (command) {
	case F_SETSIG: event->signal = (int)argument; return 0;
	case F_SETOWN_EX: event->owner = ((const struct f_owner_ex *)argument)->pid; return 0;
	case F_GETFL: return O_RDWR | event->flags;
	case F_SETFL:
		event->flags = (int)argument & (O_ASYNC | O_NONBLOCK);
		event->fd = fd;
		return 0;
	}
	return __real_fcntl(fd, command, argument);
}

int __wrap_fcntl(int fd, int command, ...)
{
	long argument;
	sigset_t old;
	va_list args;
	int result, error;

	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	if (!is_event(fd))
		return __real_fcntl(fd, command, argument);
	note_call(PMU_FCNTL, &error);
	errno = error ? error : errno;
	if (error)
		return -1;
	lock(&old);
	result = fcntl_event(find_event(fd), fd, command, argument);
	unlock(&old);
	return result;
}

int __wrap_fcntl64(int fd, int command, ...)
{
	va_list args;
	long argument;

	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	return __wrap_fcntl(fd, command, argument);
}

/* ---- epoll(7) (perf_poll) ---- */

static int change_epoll(struct event *event, int epoll, int command,
			const struct epoll_event *wanted)
{
	if (command == EPOLL_CTL_ADD && event->epoll)
		return EEXIST;
	if (command == EPOLL_CTL_DEL && event->epoll != epoll + 1)
		return ENOENT;
	event->epoll = command == EPOLL_CTL_ADD ? epoll + 1 : 0;
	if (event->epoll)
		event->data = wanted->data;
	return 0;
}

int __wrap_epoll_ctl(int epoll, int command, int fd, struct epoll_event *wanted)
{
	sigset_t old;
	int error;

	if (!is_event(fd))
		return __real_epoll_ctl(epoll, command, fd, wanted);
	note_call(PMU_EPOLL, &error);
	if (!error) {
		lock(&old);
		error = change_epoll(find_event(fd), epoll, command, wanted);
		unlock(&old);
	}
	errno = error ? error : errno;
	return error ? -1 : 0;
}

int __wrap_epoll_wait(int epoll, struct epoll_event *found, int most, int timeout)
{
	struct event *e;
	sigset_t old;
	int n = 0;

	if (!shared)
		return __real_epoll_wait(epoll, found, most, timeout);
	note_call(PMU_WAIT, NULL);
	lock(&old);
	for_each_event(e)
	{
		bool ended = context_of(e)->tid >= 0 && context_of(e)->ended;
		struct event *buffer = e->output ? e->output : e;

		if (e->epoll != epoll + 1 || n == most || !(ended || buffer->poll))
			continue;
		found[n].events = ended ? EPOLLHUP : EPOLLIN;
		found[n++].data = e->data;
		buffer->poll &= ended;
	}
	unlock(&old);
	return n;
}

/* ---- mmap(2) (perf_mmap) ---- */

static int check_mmap(const struct event *event, size_t size, int flags)
{
	size_t pages = size / page_size() - 1;

	if ((context_of(event)->cpu == -1 && event->attr.inherit) || !(flags & MAP_SHARED) ||
	    size % page_size() || (pages & (pages - 1)) != 0 ||
	    (event->page && event->size != pages * page_size()))
		return EINVAL;
	return 0;
}

/* (rb_alloc_aux) */
static int check_area(const struct event *event, size_t size, off_t offset)
{
	size_t pages = size / page_size();

	if (!event->page || size % page_size() || (pages & (pages - 1)) != 0 ||
	    event->page->aux_size != size || event->page->aux_offset != (uint64_t)offset ||
	    (size_t)offset < page_size() + event->size || event->area)
		return EINVAL;
	return pmu.aux && !is_software(event) ? 0 : EOPNOTSUPP;
}

/* Memory of the event's file that we share with it; NULL: there is none. */
static void *make_shared(int fd, size_t size, off_t offset)
{
	int own = open_again(fd);
	void *at;

	if (own < 0 || ftruncate(fd, offset + (off_t)size) < 0)
		return NULL;
	at = __real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, own, (plain_off)offset);
	__real_close(own);
	return at == MAP_FAILED ? NULL : at;
}

static int make_area(struct event *event, int fd, size_t size, bool writable, off_t offset)
{
	event->area = make_shared(fd, size, offset);
	event->area_size = size;
	event->area_overwrite = !writable;
	return event->area ? 0 : ENOMEM;
}

/* Our own side of it. */
static int make_page(struct event *event, int fd, size_t size, bool writable)
{
	volatile struct perf_event_mmap_page *page;

	if (event->page)
		return 0;
	page = make_shared(fd, size, 0);
	if (!page)
		return ENOMEM;
	event->page = (struct perf_event_mmap_page *)page;
	event->size = size - page_size();
	event->overwrite = !writable;
	page->cap_bit0_is_deprecated = 1;
	page->size = offsetof(struct perf_event_mmap_page, __reserved);
	page->data_offset = page_size();
	page->data_size = event->size;
	update_page(event);
	return 0;
}

static void note_mapping(void *at, size_t size)
{
	if (shared->mappings == MAPPINGS)
		stop_test("too many mappings");
	shared->mapping[shared->mappings].at = (uintptr_t)at;
	shared->mapping[shared->mappings++].size = size;
}

static void *map_event(int fd, size_t size, int prot, int flags, off_t offset)
{
	void *at = MAP_FAILED;
	struct event *event;
	sigset_t old;
	int error;

	lock(&old);
	event = find_event(fd);
	error = offset ? check_area(event, size, offset) : check_mmap(event, size, flags);
	if (!error)
		error = offset ? make_area(event, fd, size, prot & PROT_WRITE, offset)
			       : make_page(event, fd, size, prot & PROT_WRITE);
	if (!error) {
		at = __real_mmap(NULL, size, prot, MAP_SHARED, fd, (plain_off)offset);
		error = errno;
	}
	if (at != MAP_FAILED) {
		madvise(at, size, MADV_DONTFORK); /* VM_DONTCOPY */
		note_mapping(at, size);
	}
	unlock(&old);
	if (at == MAP_FAILED)
		errno = error;
	return at;
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, plain_off offset)
{
	bool memory = flags & MAP_ANONYMOUS;
	int error;

	if (!shared || (!memory && !is_event(fd)))
		return __real_mmap(at, size, prot, flags, fd, offset);
	note_call(memory ? PMU_MEMORY : PMU_MMAP, &error);
	if (!error)
		return memory ? __real_mmap(at, size, prot, flags, fd, offset)
			      : map_event(fd, size, prot, flags, offset);
	errno = error;
	return MAP_FAILED;
}

void *__wrap_mmap64(void *at, size_t size, int prot, int flags, int fd, int64_t offset)
{
	return __wrap_mmap(at, size, prot, flags, fd, (plain_off)offset);
}

int __wrap_munmap(void *at, size_t size)
{
	bool ours = false;
	unsigned int i;
	sigset_t old;

	if (shared) {
		lock(&old);
		for (i = 0; i < shared->mappings && !ours; i++)
			if (shared->mapping[i].at == (uintptr_t)at &&
			    shared->mapping[i].size == size) {
				shared->mapping[i] = shared->mapping[--shared->mappings];
				ours = true;
			}
		unlock(&old);
	}
	if (ours)
		note_call(PMU_MUNMAP, NULL);
	return __real_munmap(at, size);
}

/* ---- RDPMC ----
 *
 * The instruction faults, for no process here has CR4.PCE: the handler puts the made-up register in
 * its place. So the signals of faults are never blocked by what comes through here.
 */

#if defined(__i386__) || defined(__x86_64__) || defined(__aarch64__)

static volatile sig_atomic_t probing;

static bool find_register(uint32_t index, uint64_t *value)
{
	struct event *e;
	sigset_t old;
	bool found = false;

	lock(&old);
	for_each_event(e) if (e->state == ACTIVE && !e->stopped && !is_software(e) &&
			      e->index == index && is_here(e, self(), -1))
	{
		*value = is_guarded(e) ? 0 : e->raw;
		found = true;
	}
	unlock(&old);
	return found;
}

static uint64_t read_register(uint32_t index)
{
	uint64_t value = 0;

	if (probing) {
		probing = 0;
		return 0;
	}
	note_call(PMU_RDPMC, NULL);
	/* With the counter's switch in between, the page's lock tells. */
	find_register(index, &value);
	return value;
}

#endif

#if defined(__i386__) || defined(__x86_64__)

static bool emulate(ucontext_t *context)
{
#ifdef __x86_64__
	enum { PC = REG_RIP, AX = REG_RAX, CX = REG_RCX, DX = REG_RDX };
#else
	enum { PC = REG_EIP, AX = REG_EAX, CX = REG_ECX, DX = REG_EDX };
#endif
	greg_t *r = context->uc_mcontext.gregs;
	const unsigned char *pc = (const unsigned char *)(uintptr_t)r[PC];
	uint64_t value;

	if (pc[0] != 0x0F || pc[1] != 0x33)
		return false;
	value = read_register((uint32_t)r[CX]);
	r[AX] = (greg_t)(uint32_t)value;
	r[DX] = (greg_t)(value >> 32);
	r[PC] += 2;
	return true;
}

#elif defined(__aarch64__)

/* MRS Xt, PMEVCNTR<n>_EL0 or PMCCNTR_EL0 (Arm ARM, D19.5). */
static bool emulate(ucontext_t *context)
{
	mcontext_t *machine = &context->uc_mcontext;
	uint32_t code = *(const uint32_t *)(uintptr_t)machine->pc, target = code & 31;

	if ((code & ~UINT32_C(0x3FF)) == 0xD53BE800)
		code = code >> 5 & 31;
	else if ((code & ~UINT32_C(31)) == 0xD53B9D00)
		code = 31;
	else
		return false;
	machine->regs[target] = read_register(code);
	machine->pc += 4;
	return true;
}

#endif

#if defined(__i386__) || defined(__x86_64__) || defined(__aarch64__)

static void on_fault(int signal, siginfo_t *info, void *context)
{
	int error = errno;

	(void)info;
	/* Any other fault comes again, and ends the test. */
	if (!emulate(context))
		sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	errno = error;
}

static void catch_faults(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };

	__real_sigaction(SIGSEGV, &action, NULL);
	__real_sigaction(SIGILL, &action, NULL);
}

/* Whether RDPMC faults, and so can be emulated. */
static bool can_emulate(void)
{
	catch_faults();
	probing = 1;
	perfctr_rdpmc(0);
	if (!probing)
		return true;
	probing = 0;
	puts("RDPMC does not fault here (/sys/devices/cpu/rdpmc is 2?): reads in user space are "
	     "left out.");
	return false;
}

#else

static bool can_emulate(void)
{
	return false;
}

#endif

static void leave_faults(sigset_t *set)
{
	sigdelset(set, SIGSEGV);
	sigdelset(set, SIGILL);
}

int __wrap_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t wanted;

	if (!shared || !set || how == SIG_UNBLOCK)
		return __real_pthread_sigmask(how, set, old);
	wanted = *set;
	leave_faults(&wanted);
	return __real_pthread_sigmask(how, &wanted, old);
}

/* The library asks for ids before each call: these count as none, and never fail. */
unsigned long __wrap_perfctr_call_event_id(int fd)
{
	unsigned long id;
	sigset_t old;

	if (!is_event(fd))
		return __real_perfctr_call_event_id(fd);
	lock(&old);
	id = (unsigned long)find_event(fd)->id;
	unlock(&old);
	return id;
}

/* Which makes its system calls itself. */
int __wrap_perfctr_call_ioctl_and_mask(int fd, unsigned long request, unsigned long argument,
				       const uint64_t *mask)
{
	int error = errno, result = __wrap_ioctl(fd, request, argument) < 0 ? -errno : 0;
	sigset_t signals;

	sigemptyset(&signals);
	memcpy(&signals, mask, sizeof(*mask));
	__wrap_pthread_sigmask(SIG_SETMASK, &signals, NULL);
	errno = error;
	return result;
}

int __wrap_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct sigaction wanted;

	if (!shared || !action)
		return __real_sigaction(signal, action, old);
	wanted = *action;
	leave_faults(&wanted.sa_mask);
	return __real_sigaction(signal, &wanted, old);
}

/* ---- beginning and end ---- */

void pmu_begin(void)
{
	pmu = (struct pmu_machine){
		.counters = 4,
		.width = 48,
		.least_period = 1,
		.clock = true,
		.precise = 3,
	};
	pmu.rdpmc = can_emulate();
	/* Where Check does not fork, a test that failed has not ended. */
	if (shared)
		__real_munmap(shared, sizeof(*shared));
	shared = __real_mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		stop_test("no memory");
	atomic_flag_clear(&shared->lock);
}

unsigned int pmu_events(void)
{
	const struct event *e;
	unsigned int n = 0;

	for_each_event(e) n++;
	return n;
}

unsigned int pmu_active(void)
{
	const struct event *e;
	unsigned int n = 0;

	for_each_event(e) n += e->state == ACTIVE;
	return n;
}

unsigned int pmu_mappings(void)
{
	return shared->mappings;
}

void pmu_end(void)
{
	if (pmu_events())
		stop_test("events are left open");
	if (pmu_mappings())
		stop_test("pages are left mapped");
	__real_munmap(shared, sizeof(*shared));
	shared = NULL;
	hook = NULL;
}
