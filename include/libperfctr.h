/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libperfctr.h - a program's own hardware performance counters: 64 bits, per thread, read in user
 * space. This is the one public header; each call's contract stands here, once.
 *
 * Conventions. Functions return 0 (or a pointer, or a count) on success; on failure -1 (or NULL)
 * with errno set, and perfctr_error() then says in one sentence what is wrong and what to do.
 * EINVAL: an argument breaks a rule. EOPNOTSUPP: right, but not possible with this provider or on
 * this machine. Handles belong to the thread that opened them; different threads use different
 * handles without locking. A NULL handle may be closed; otherwise NULL in place of a handle or of
 * a result is EINVAL, and so is another kind of handle, such as a sampler for a set. The quick
 * reads, vperfctr_read_tsc(), _read_pmc() and _read_ctrs(), don't look for NULL. In a child of
 * fork() a handle of the parent's is ESRCH. Reads allocate nothing, are
 * async-signal-safe and take no lock, but for a total's. Reserved members must be 0.
 *
 * Virtual counters work through one of two providers, chosen when a handle is opened: the perfctr
 * driver if /dev/perfctr answers, else the kernel's perf_event_open(2). The library passes over a
 * driver of another version of the ABI, and one that has no counters for a processor for which
 * perf_events has some. The environment variable PERFCTR_PROVIDER=driver or =perf forces one (not
 * in set-user-ID programs), and so do the open flags. Sets, samplers and the counters of whole
 * processors are always those of perf_events.
 *
 * Fields and records of samples have the names of <linux/perf_event.h>. Include it to use them:
 * this header does not, so that a program may have a struct perf_event_attr of its own.
 *
 * In C++ write struct perfctr_info, struct perfctr_cpus_info, struct vperfctr_control and struct
 * perfctr_list_event with the word struct: without it, the name is that of a function.
 */
#ifndef LIBPERFCTR_H
#define LIBPERFCTR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfctr/abi.h>

#ifdef __cplusplus
extern "C" {
/* Functions with a structure's name, as perfctr 2.6 had them: they hide no constructor. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/* What is inline is C, and has its casts. */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* The library is compiled with hidden visibility, except for these declarations. */
#pragma GCC visibility push(default)

/* ---- errors ---- */

/*
 * Explains this thread's last failure: one sentence that names the cause and the remedy, without a
 * newline. Valid until the next call in this thread: one that succeeds keeps errno, but may leave
 * the sentence about something that it has tried. Never NULL; empty if nothing has failed.
 */
const char *perfctr_error(void);

/* ---- counts and their quality ---- */

enum perfctr_quality {
	PERFCTR_EXACT,	     /* counted all the time that it was enabled */
	PERFCTR_UNWATCHED,   /* so, unless a program that may not be traced was executed unseen: see
				PERFCTR_WATCH */
	PERFCTR_UNVERIFIED,  /* so, but /sys can't be read, which tells whether the PMU takes the
				event: see PERFCTR_EVENT_UNVERIFIED */
	PERFCTR_ESTIMATE,    /* of a region: its subtracted cost differs from time to time; of a
				metric: its formula has a typical latency that the vendor publishes */
	PERFCTR_SCALED,	     /* multiplexed: value was counted in running of enabled ns */
	PERFCTR_NOT_COUNTED, /* never on the PMU: value means nothing */
	PERFCTR_STALE,	     /* stopped before its end: value is that of the stop */
};

/* One counter, read. */
struct perfctr_reading {
	uint64_t value;	      /* events counted while on the PMU */
	uint64_t enabled;     /* ns for which it was enabled while its thread ran; 0 if not known */
	uint64_t running;     /* ns of these for which it was on the PMU */
	unsigned int quality; /* enum perfctr_quality */
	unsigned int reserved;
};

/*
 * value * enabled / running: the best estimate of a PERFCTR_SCALED reading for the whole time. The
 * value of any other reading. UINT64_MAX if the estimate is larger.
 */
uint64_t perfctr_reading_estimate(const struct perfctr_reading *reading);

/* "exact", "unwatched", "unverified", "estimate", "scaled", "not counted", "stale"; "unknown" for
 * any other number. */
const char *perfctr_quality_name(unsigned int quality);

/*
 * Counters are pinned: they are on the PMU whenever their target runs, or the call fails with
 * EBUSY. With this flag of vperfctr_open_mode(), sets and samplers, the kernel may multiplex them
 * instead, and readings are PERFCTR_SCALED. Only perf_events has it.
 */
#define PERFCTR_MULTIPLEX 0x40

/* ---- the calling thread's virtual counters ---- */

struct vperfctr; /* opaque */

/* The flags of vperfctr_open_mode(): any of these and PERFCTR_MULTIPLEX, or'ed. */
#define VPERFCTR_OPEN_CREAT_EXCL 3    /* create the state; without it, open the existing one */
#define VPERFCTR_OPEN_DRIVER	 0x10 /* only through the driver */
#define VPERFCTR_OPEN_PERF	 0x20 /* only through perf_events */
#define VPERFCTR_OPEN_BRIEF	 0x80 /* for many short-lived threads */

/*
 * Create the calling thread's counter state and return a handle on it: vperfctr_open_mode() with
 * VPERFCTR_OPEN_CREAT_EXCL. Nothing counts yet. The state ends with vperfctr_unlink() or the
 * thread; a child of fork() has none. The driver's goes on through execve(2), and the new program
 * can open it, unless its control has VPERFCTR_CONTROL_CLOEXEC or the program has more privileges.
 *
 * Counters run whenever their thread runs, or not at all: a control whose counters can't all be on
 * the PMU together fails. With PERFCTR_MULTIPLEX the kernel may instead give them a share of the
 * time; vperfctr_read_quality() tells which.
 *
 * VPERFCTR_OPEN_BRIEF makes a short life cheap: over perf_events the open and the control of one
 * counter take two system calls, and so does the end. The provider is the one that the first such
 * open of the process has found. If another program takes the counters, the TSC beside them is
 * lost, too (EBUSY).
 *
 * EEXIST: the thread has a state already. ENODEV: mode asks for an existing state and there is
 * none, or forces another provider than the state's; or VPERFCTR_OPEN_DRIVER and there is no
 * driver. EACCES: the driver's device may not be opened. EOPNOTSUPP: PERFCTR_MULTIPLEX and the
 * driver. EINVAL: mode or PERFCTR_PROVIDER is wrong. ENOMEM. EPROTO: the driver speaks another
 * major version of the ABI.
 */
struct vperfctr *vperfctr_open(void);
struct vperfctr *vperfctr_open_mode(unsigned int mode);

/* Facts about the processor and the provider. EINVAL: info is NULL. */
int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info);

/* Returns the same as perfctr_cpus_info(). */
struct perfctr_cpus_info *vperfctr_cpus_info(const struct vperfctr *self);

/*
 * Set the control, and start. Running counters are stopped and sampled, the new control replaces
 * the old, and counting starts if it enables anything. Before that, every counter's sum is set to
 * zero unless its bit is set in preserve; the TSC's sum is set to zero only if the new control
 * disables the TSC. A control that enables nothing stops and keeps all sums.
 *
 * When an i-mode counter overflows, all counters stop, but not the TSC. The thread gets the signal
 * si_signo, once, with si_code SI_PMC_OVF; vperfctr_ovf_mask() tells which counters overflowed.
 * vperfctr_iresume() lets them go on. Over perf_events the library takes a real-time signal for
 * itself: see vperfctr_control(3).
 *
 * On a hybrid machine, over perf_events, it counts on the P-cores only (on Arm, on the core type of
 * processor 0), and vperfctr_read_quality() tells.
 *
 * An invalid control is refused before anything is stopped: running counters run on. If another
 * program has taken counters, their counts are lost: a control that preserves them, or stops, fails
 * with EBUSY, with everything stopped.
 *
 * Reserved words, and members that the processor or the event has no use for, are ignored. Members
 * in words that perfctr 2.6 reserved take effect with VPERFCTR_CONTROL_EXTENDED in flags; set it
 * with a control of perfctr_cpu_control_events().
 *
 * EINVAL: the control breaks a rule of the processor, or its counters do not fit on the PMU. EPERM,
 * as perfctr 2.6 had it: it sets a bit that the processor reserves, or has i-mode counters where
 * the processor can't interrupt. EOPNOTSUPP: the provider can't do it (no PMU on this machine; over
 * perf_events a counter named for an event that it can't count, not even if others of the control
 * change places with it; i-mode with PERFCTR_MULTIPLEX). EBUSY: another program holds the counters,
 * or the program handles all real-time signals. EACCES, EPERM: not permitted; EPERM also if no
 * memory may be locked for an i-mode counter's buffer, ENOMEM if there is none. EMFILE, ENFILE: no
 * file descriptors left. ESRCH: the state has been unlinked, or belongs to another thread.
 */
int vperfctr_control(const struct vperfctr *self, struct vperfctr_control *control);

/*
 * Stop all counters and keep their sums: a control that enables nothing. Over perf_events a-mode
 * counters of instructions leave out what they count of the library between a control and a stop,
 * but for about 15: see vperfctr_control(3). ESRCH.
 */
int vperfctr_stop(const struct vperfctr *self);

/*
 * Leave all events up to vperfctr_resume() out of the sums, for far less than a stop and a control
 * cost: over perf_events no system call, where the counters can be read without. All reads see the
 * same as after a stop, but the PMU counts on, so that no other program gets the counters, and so
 * do copies of vperfctr_reader(), which must be had again after a resume, and the times of
 * vperfctr_read_quality(). Over the driver a pause is a stop. A control, also vperfctr_stop(), ends
 * a pause. A-mode only.
 *
 * EINVAL: nothing counts; it is paused already, or not. EOPNOTSUPP: i-mode counters. EBUSY: another
 * program took the counters. ESRCH: the state has been unlinked, or belongs to another thread. EIO.
 */
int vperfctr_pause(const struct vperfctr *self);
int vperfctr_resume(const struct vperfctr *self);

/* Non-zero if anything counts. */
int vperfctr_is_running(const struct vperfctr *self);

/*
 * The thread's virtual TSC: ticks of the processor's clock (x86 TSC, PowerPC time base, arm64
 * CNTVCT) while this thread ran and the TSC was enabled. See perfctr(7) for its precision.
 */
unsigned long long vperfctr_read_tsc(const struct vperfctr *self);

/*
 * Counter i, as in the control's arrays; after a stop, its last value. If the value can't be had
 * (no such counter, or the kernel lost it) the result is ~0ULL with errno set: EINVAL, EBUSY, EIO.
 */
unsigned long long vperfctr_read_pmc(const struct vperfctr *self, unsigned int i);

/*
 * The TSC and all running counters: each exact, and as close together as possible. Members of other
 * counters are left alone or set to their last sums; after a stop, all are. EINVAL: sum is NULL.
 * EBUSY: another program took the counters. EIO.
 */
int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum);

/* The same, and a copy of the control. Each of sum and control may be NULL. */
int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			struct vperfctr_control *control);

/*
 * Counter i with its quality. A counter that another program took is no error here: its quality is
 * PERFCTR_NOT_COUNTED. The driver keeps no times: enabled and running are 0. EINVAL: no such
 * counter, or reading is NULL. EIO.
 */
int vperfctr_read_quality(const struct vperfctr *self, unsigned int i,
			  struct perfctr_reading *reading);

struct perfctr_reader; /* <perfctr/read.h> */

/*
 * Fill in a reader, by which perfctr_reader_read() reads counter i inline. Valid until the next
 * control, stop or unlink, and not in a child of fork(). On a hybrid machine a control counts on
 * one core type; the thread must be bound to it when the counter is opened, and stay so: RDPMC
 * faults where there are fewer counters. A set has readers that need not be. EINVAL: no such
 * running counter, or reader is NULL. EOPNOTSUPP: it can't be read in user space here, or counts
 * beside i-mode counters, or is the driver's, whose page vperfctr_read_pmc() reads as quickly.
 * perfctr_error() says which; *reader is still valid and reads 0, "ask the kernel".
 */
int vperfctr_reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader);

struct perfctr_state_reader; /* <perfctr/read.h> */

/*
 * Fill in a reader, by which perfctr_state_reader_read() reads the TSC and all counters of the
 * driver's page inline. Valid until the next control with other numbers of counters, or unlink, in
 * the thread that owns the counters, and not in a child of fork(). EINVAL: reader is NULL.
 * EOPNOTSUPP: RDPMC does not work in user space here; or the control has no TSC, which says whether
 * anything has changed; or the counters are perf_events', which has a page for each:
 * vperfctr_reader(). perfctr_error() says which; *reader is still valid and reads 0, "ask the
 * kernel".
 */
int vperfctr_state_reader(const struct vperfctr *self, struct perfctr_state_reader *reader);

/*
 * Let the counters that an overflow has stopped go on, in its signal's handler or later. Those that
 * overflowed begin at their ireset. EINVAL: no overflow has stopped them. ESRCH: as for
 * vperfctr_control().
 */
int vperfctr_iresume(const struct vperfctr *self);

/*
 * The set of counters that overflowed, from the siginfo_t of an overflow signal: bit n is counter
 * n. It is si_pmc_ovf_mask if si_code is SI_PMC_OVF. 0 if the signal has another cause, and in a
 * child of fork(). Async-signal-safe, and so is vperfctr_iresume().
 */
unsigned int vperfctr_ovf_mask(const struct vperfctr *self, const void *siginfo);

/* Stop, and detach the state from the thread. Its sums stay readable. Once is enough. */
int vperfctr_unlink(const struct vperfctr *self);

/* Give the handle back. An attached state lives on, and counts on, until its thread ends. */
void vperfctr_close(struct vperfctr *self);

/* ---- totals over threads ---- */

struct perfctr_total; /* opaque */

/*
 * Create a total without threads. Any thread may make these calls, but not a child of fork():
 * ESRCH. ENOMEM.
 */
struct perfctr_total *perfctr_total_create(void);

/*
 * Add the state that handle self is open on. Its counts stay in the total when it is closed or
 * unlinked and when its thread has ended. EINVAL. EEXIST: it is in the total. ENOMEM.
 */
int perfctr_total_add(struct perfctr_total *total, const struct vperfctr *self);

/*
 * Sums over all its threads, counter by counter; *nthreads (may be NULL) is set to their number.
 * Fails rather than leave a thread out: EBUSY, EIO.
 */
int perfctr_total_read(struct perfctr_total *total, struct perfctr_sum_ctrs *sum,
		       unsigned int *nthreads);

void perfctr_total_destroy(struct perfctr_total *total);

/* ---- events by name, counted: sets ---- */

/* Flags of sets and samplers, with PERFCTR_MULTIPLEX. */
#define PERFCTR_INHERIT	  0x100	 /* count threads and children created from now on, too */
#define PERFCTR_ON_EXEC	  0x200	 /* start when the thread calls execve(2) */
#define PERFCTR_DISABLED  0x400	 /* start when enabled */
#define PERFCTR_EXCLUSIVE 0x800	 /* no other program's counters beside these; sets only */
#define PERFCTR_PARTIAL	  0x1000 /* leave out events that can't be counted; sets only */
#define PERFCTR_USER_FALLBACK \
	0x2000 /* if kernel mode is not permitted, count user mode; sets only */
#define PERFCTR_WATCH \
	0x4000 /* watch programs of other threads, too, whatever their forks cost; sets only */

enum perfctr_target_type {
	PERFCTR_TARGET_THREAD,	/* id: a thread, 0: the calling one */
	PERFCTR_TARGET_PROCESS, /* id: a process, 0: this one; its threads, and those to come */
	PERFCTR_TARGET_CPU,	/* id: a processor; -1: every one that is online */
	PERFCTR_TARGET_CGROUP,	/* a cgroup and those below it, on every online processor */
	PERFCTR_TARGET_THREAD_ON_CPU, /* id: a thread, while it runs on processor cpu */
};

struct perfctr_target {
	unsigned int type; /* enum perfctr_target_type */
	int id;
	int cpu;	    /* of PERFCTR_TARGET_THREAD_ON_CPU; else 0 */
	const char *cgroup; /* its directory; or its path below perf_event's mount */
	unsigned int reserved[4];
};

struct perfctr_set;  /* opaque */
struct perfctr_list; /* opaque: see perfctr_list_resolve() */

/*
 * Open events on a target (NULL: the calling thread) and start them. event,event,... count
 * independently; {event,event} are a group: on the PMU together or not at all, and read at one
 * moment. Blanks around them mean nothing. perfctr_event_check() describes the names. flags are any
 * of the above, or'ed.
 *
 * A set has parts: the threads that were there, or the processors. On a machine with several core
 * types there is a part for each type. An event counts on all that have it, and a group with those
 * of its events that the type has. Events that no core counts go with the first type.
 *
 * A process: its threads and all threads that these create; with PERFCTR_INHERIT also children.
 * Counts of ended threads stay. No thread is lost or counted twice: if the threads change
 * meanwhile, the open begins again. EAGAIN: they keep changing, or one that may be creating another
 * gets no processor. EOPNOTSUPP: without PERFCTR_INHERIT also if the kernel can't tell threads from
 * children (before Linux 5.13).
 *
 * At the execve(2) of a program that may not be traced (set-user-ID, with capabilities, or not
 * readable) the kernel ends the events of its thread. A caller that may count processors
 * (CAP_PERFMON, root, or perf_event_paranoid 0) sees each such end. For others the set sees the
 * ends of one thread; readings are PERFCTR_UNWATCHED as soon as that thread has created counted
 * ones, and of several threads always. With PERFCTR_WATCH it sees all of them: each fork then
 * inherits one event more for each processor that the threads may use.
 *
 * Processors and cgroups: EINVAL: with PERFCTR_INHERIT or PERFCTR_ON_EXEC. ENODEV: a processor is
 * not online. ENOENT: there is no such cgroup. EINVAL: the directory is something else's.
 * EOPNOTSUPP: the cgroup has no perf_event. An event of a PMU that counts for several processors
 * (it has a cpumask) is opened on the processors named there.
 *
 * PERFCTR_PARTIAL leaves out an event that this machine does not have, or that can't be counted,
 * and the group that it is in: it reads as PERFCTR_NOT_COUNTED, and perfctr_set_event() says why.
 * With PERFCTR_USER_FALLBACK an event that counts in all modes, but may not in the kernel's, counts
 * user mode only, if it happens there; its name then ends in ":u".
 *
 * EINVAL: a name or modifier is wrong (the nearest right ones are in perfctr_error()), flags are
 * wrong, a group does not fit on the PMU, or has a top-down metric without slots of its modes in
 * front. ENOENT: no such event on this machine; or /proc is not there. EOPNOTSUPP: the machine
 * can't count it, or shows too many core types. EACCES, EPERM: not permitted. ESRCH: no such
 * thread. EBUSY: another program holds the counters. EMFILE, ENFILE, ENOMEM, ENOSYS.
 */
struct perfctr_set *perfctr_set_open(const char *events, const struct perfctr_target *target,
				     unsigned int flags);

/*
 * Do the same for the counters of a control, in their order, as one group. The TSC is not among
 * them. On a hybrid machine a control is one of the P-cores, on Arm one of processor 0's type.
 * Errors also as vperfctr_control(): EINVAL for a control that breaks a rule, or has no counter.
 */
struct perfctr_set *perfctr_set_open_control(const struct perfctr_cpu_control *control,
					     const struct perfctr_target *target,
					     unsigned int flags);

/*
 * Return the number of events; 0 if set is NULL or the parent process's. The name of event i as it
 * was given ("0x004300C0" for a control's, "0x00039000/0x04000204" with its second word), valid as
 * long as the set; NULL and EINVAL if there is no such event.
 */
unsigned int perfctr_set_size(const struct perfctr_set *set);
const char *perfctr_set_name(const struct perfctr_set *set, unsigned int i);

/*
 * Describe event i: its name, unit and so on, and the reason if PERFCTR_PARTIAL has left it out.
 * Strings are valid until the set is closed. EINVAL: no such event, or event is NULL.
 */
struct perfctr_list_event;
int perfctr_set_event(const struct perfctr_set *set, unsigned int i,
		      struct perfctr_list_event *event);

/*
 * Start, stop, set to zero: everything, even if a part of it fails. Times go on through a reset.
 * EBUSY: as for perfctr_set_open() and perfctr_set_read(). ENODEV: a processor has been offline,
 * which has ended its events.
 */
int perfctr_set_enable(struct perfctr_set *set);
int perfctr_set_disable(struct perfctr_set *set);
int perfctr_set_reset(struct perfctr_set *set);

/*
 * Read all events into readings[perfctr_set_size()]: sums over all parts, as good as the worst.
 * Over core types, values and running times are added; enabled is the thread's time, once. If a
 * processor has gone offline, or one of the threads has executed a program that may not be traced
 * (set-user-ID, with capabilities, or not readable), at which the kernel ends its events, the sums
 * are PERFCTR_STALE, without the counts after that; perfctr_set_check() says why. EBUSY: the kernel
 * took pinned events off the PMU; they do not count until they are disabled and enabled again. EIO.
 * After both, the events that failed are PERFCTR_NOT_COUNTED, and the others are read.
 */
int perfctr_set_read(const struct perfctr_set *set, struct perfctr_reading *readings);

/*
 * Whether everything has been counted until now: 0; or -1, ESTALE: events ended early, so that sums
 * are PERFCTR_STALE; perfctr_error() names the program or the processor, and what to do; or the
 * program has closed descriptors of the set, of which the events are not counted. This also
 * frees the buffers of the records of programs: where thousands of them come and go, call it, or
 * read, once in a while. EINVAL: set is NULL.
 */
int perfctr_set_check(const struct perfctr_set *set);

/* What is known of the processes that a set counts. */
struct perfctr_processes {
	unsigned int running; /* still run; a zombie does not */
	unsigned int exactly; /* 1: running is their number; 0: there may be more */
	unsigned int watched; /* 1: so far no program can have ended events unseen */
	unsigned int reserved[5];
};

/*
 * Tell how many of the processes that the set counts still run: after a command's end, those that
 * it has left. The number is exact where records of all of them come (see PERFCTR_WATCH); else only
 * whether there are some is known. EINVAL: set or processes is NULL. EOPNOTSUPP: the set counts
 * processors or a cgroup; or nothing is known about its processes. ESTALE: the program has closed
 * descriptors of the set.
 */
int perfctr_set_processes(const struct perfctr_set *set, struct perfctr_processes *processes);

/*
 * As vperfctr_reader(), of event i, valid until the next reset or close. On a hybrid machine an
 * event that counts on several core types is read wherever the thread is, in a restartable sequence
 * (rseq(2)); one of a single type needs the thread bound to it. EOPNOTSUPP also: the event counts
 * on more than the calling thread; or on several core types, and the C library has registered no
 * rseq for the thread (glibc does since 2.35), or the types are more than 3, or their counters not
 * of one width. *reader then reads 0, "ask perfctr_set_read()". EINVAL: no such event, or reader is
 * NULL.
 */
int perfctr_set_reader(const struct perfctr_set *set, unsigned int i,
		       struct perfctr_reader *reader);

struct perfctr_part {
	pid_t tid;	 /* -1: all threads; 0: the one that opened the set */
	int cpu;	 /* -1: all processors */
	const char *pmu; /* the core type, where there are several, or the unit; else "" */
	unsigned int reserved[4];
};

/*
 * Return the number of parts; describe part p. Strings are valid until the set is closed. EINVAL:
 * there is no such part, or part is NULL.
 */
unsigned int perfctr_set_parts(const struct perfctr_set *set);
int perfctr_set_part(const struct perfctr_set *set, unsigned int p, struct perfctr_part *part);

/*
 * As perfctr_set_read(), of one part: a thread with what it created later, or a processor. Events
 * that are not in it are PERFCTR_NOT_COUNTED, with no times. EINVAL: there is no such part.
 */
int perfctr_set_read_part(const struct perfctr_set *set, unsigned int p,
			  struct perfctr_reading *readings);

/* Do the same for all parts of the thread tid, one for each core type, summed. ESRCH: it has none.
 */
int perfctr_set_read_thread(const struct perfctr_set *set, pid_t tid,
			    struct perfctr_reading *readings);

/* The kernel's id of event i in part p, which its records name. EINVAL: none, or id is NULL. */
int perfctr_set_id(const struct perfctr_set *set, unsigned int p, unsigned int i, uint64_t *id);

void perfctr_set_close(struct perfctr_set *set);

/*
 * Start or stop all perf events that the calling thread has opened and not closed, with any target:
 * sets, and over perf_events its virtual counters. Events that other threads have opened stay as
 * they are, even those that count this one. EOPNOTSUPP: the kernel has no perf_events. EPERM and
 * others: a seccomp filter's.
 */
int perfctr_enable_all(void);
int perfctr_disable_all(void);

/* ---- the meaning of names ---- */

/*
 * Resolve events, a list as of perfctr_set_open(): find the meaning of each name for this machine's
 * kernel, for programs that open events themselves. flags: 0 or PERFCTR_PARTIAL, with which an
 * event that is written correctly but that this machine does not have is in the list, with a
 * reason. Errors as perfctr_event_check(); ENOMEM.
 */
struct perfctr_list *perfctr_list_resolve(const char *events, unsigned int flags);
void perfctr_list_free(struct perfctr_list *list);

/* Number of events. */
unsigned int perfctr_list_size(const struct perfctr_list *list);

/* perfctr_list_event.flags */
#define PERFCTR_EVENT_TIME   0x1 /* counts ns */
#define PERFCTR_EVENT_TSC    0x2 /* counts ticks of the clock that vperfctr_read_tsc() reads */
#define PERFCTR_EVENT_KERNEL 0x4 /* happens in kernel mode only: in user mode it is 0 */
/*
 * /sys can't be read, so nobody knows whether the PMU has all fields of the event, and whether the
 * processor implements it: the kernel may count something else, or nothing. Its readings are
 * PERFCTR_UNVERIFIED at best.
 */
#define PERFCTR_EVENT_UNVERIFIED 0x20
/* Its name asks for what means nothing where it is counted: */
#define PERFCTR_EVENT_SAMPLES 0x8  /* period=, freq= or the modifier S: for samplers */
#define PERFCTR_EVENT_PERCORE 0x10 /* percore: sums over the threads of each core */

/* One event of a list; strings are valid as long as the list is. */
struct perfctr_list_event {
	const char *name;   /* as it was given, or as name= in it says */
	const char *unit;   /* a count times scale is a number of these, e.g. "Joules"; or "" */
	const char *reason; /* why this machine does not have it; NULL if it has */
	double scale;	    /* 1 unless the kernel says otherwise; of clocks 1e-6, "msec" */
	unsigned int item;  /* from 0; events of one group have the same */
	unsigned int
		nvariants;  /* core types or units that count it, each its own; else 1; 0: none */
	unsigned int flags; /* PERFCTR_EVENT_* */
	unsigned int reserved[5];
};

/* Describe event i. EINVAL: there is no such event, or event is NULL. */
int perfctr_list_event(const struct perfctr_list *list, unsigned int i,
		       struct perfctr_list_event *event);

/* Get the unit and scale of event i of a set, as perfctr_set_event() does. Each may be NULL. */
static __inline__ int perfctr_set_unit(const struct perfctr_set *set, unsigned int i, double *scale,
				       const char **unit)
{
	struct perfctr_list_event event;

	if (perfctr_set_event(set, i, &event) < 0)
		return -1;
	if (scale)
		*scale = event.scale;
	if (unit)
		*unit = event.unit;
	return 0;
}

struct perf_event_attr; /* <linux/perf_event.h> */

/*
 * Fill in the attr with which perf_event_open(2) opens variant k of event i: type, size, config*,
 * exclude_* of the name's modifiers, precise_ip, pinned and exclusive (D and e), and sample_period
 * or sample_freq of period= or freq=; all else is zero. pmu, unless it is NULL, becomes
 * the name of the PMU that the event names or means, or "". cpus, unless it is NULL, is a mask of
 * nwords words and becomes the processors on which to open the event to count whole processors:
 * those of the PMU's cpumask or core type; all bits if any will do. EINVAL: there is no such event
 * or variant, or attr is NULL.
 */
int perfctr_list_attr(const struct perfctr_list *list, unsigned int i, unsigned int k,
		      struct perf_event_attr *attr, const char **pmu, uint32_t *cpus,
		      unsigned int nwords);

/* ---- metrics ---- */

/*
 * A metric is a formula over counts, such as instructions / cycles. The library has a table of
 * them, by processor; perfctr_metrics_open() takes some by name, and perfctr_metrics_events() lists
 * the events that they need. A set, or another object, counts these; perfctr_metrics_value()
 * computes values from the readings.
 */
struct perfctr_metrics; /* opaque */

/*
 * Strings are valid for the program's whole life, but core, formula and reason: until
 * perfctr_metrics_close(), or in a list during the call of each().
 */
struct perfctr_metric {
	const char *name;	 /* as perfctr_metrics_open() takes it */
	const char *unit;	 /* such as "%"; or "" */
	const char *formula;	 /* over names of events, as perfctr_set_open() takes them */
	const char *description; /* what it means */
	const char *reason;	 /* why this machine can't name one of its events; NULL: it can */
	const char *core;      /* of several core types, the PMU of the one that it is of; or "" */
	const char *threshold; /* from where on it is worth a look, by its vendor; or "" */
};

/*
 * Call each() for every metric of the processor with the id cpu (NULL: this machine's), until it
 * returns non-zero; return that, or 0. A metric that differs between core types is listed for each.
 * For another processor reason is NULL. EINVAL: each is NULL. ENOENT: there is no such processor.
 */
int perfctr_metrics_list(const char *cpu, int (*each)(void *arg, const struct perfctr_metric *),
			 void *arg);

/*
 * Open metrics of the processor with the id cpu (NULL: this machine's), by their names, separated
 * by commas; case does not matter, and "topdown" stands for all names that begin with "topdown-",
 * "tma" for those that begin with "tma_".
 * On a machine with several core types each is one metric for each of them that has it. Any thread
 * may use them. NULL, EINVAL: a name is wrong (perfctr_error() has the nearest right ones), or an
 * empty place is between commas. ENOENT: there is no such processor. ENOMEM.
 */
struct perfctr_metrics *perfctr_metrics_open(const char *names, const char *cpu);
void perfctr_metrics_close(struct perfctr_metrics *metrics);

/* Number of metrics, in the order of the names. */
unsigned int perfctr_metrics_size(const struct perfctr_metrics *metrics);

/* Describe metric i. Its reason is NULL. EINVAL: there is no such metric, or metric is NULL. */
int perfctr_metrics_metric(const struct perfctr_metrics *metrics, unsigned int i,
			   struct perfctr_metric *metric);

/*
 * The events to count, as a list for perfctr_set_open(): for each metric a group, so that its
 * events are counted at the same time; one that is within another's is left out. *n, unless n is
 * NULL, is how many events there are. Valid until perfctr_metrics_close(). NULL, EINVAL: metrics is
 * NULL.
 */
const char *perfctr_metrics_events(const struct perfctr_metrics *metrics, unsigned int *n);

struct perfctr_metric_value {
	double value;	      /* NaN if there is none */
	const char *reason;   /* why there is none, for the life of metrics; NULL: there is one */
	unsigned int quality; /* enum perfctr_quality: the worst of its readings */
	unsigned int beyond;  /* 1: it is beyond its threshold */
	unsigned int reserved[2];
};

/*
 * Compute metric i from readings, one for each event of perfctr_metrics_events(), in their order;
 * estimates stand for PERFCTR_SCALED ones. An event that was not counted, a division by zero, or a
 * number that is too large, such as a count of UINT64_MAX, leaves no value, and a reason. A
 * threshold's conditions about metrics that are not among these are not looked at. Allocates
 * nothing and takes no lock. EINVAL: there is no such metric, or readings or value is NULL.
 */
int perfctr_metrics_value(const struct perfctr_metrics *metrics, unsigned int i,
			  const struct perfctr_reading *readings,
			  struct perfctr_metric_value *value);

/*
 * Compute all metrics, as perfctr_metrics_value() does each, into as many values. Some metrics use
 * values of others, so that this is much cheaper. EINVAL: readings or values is NULL.
 */
int perfctr_metrics_values(const struct perfctr_metrics *metrics,
			   const struct perfctr_reading *readings,
			   struct perfctr_metric_value *values);

/* Strings are valid for the program's whole life. */
struct perfctr_metric_node {
	const char *parent; /* of a metric that is a part of another: the other one's name; or "" */
	const char
		*sample; /* events to sample, with blanks between, to see where it happens; or "" */
	unsigned int level; /* 0: it is in no tree; 1: it is a part of none there; 2: a part of
			       one of these; ... */
	unsigned int reserved[3];
};

/*
 * Find metric i's place in a tree, such as that of top-down analysis, whose metrics explain each
 * other: parts of a metric that is beyond its threshold say why. EINVAL: there is no such metric,
 * or node is NULL.
 */
int perfctr_metrics_node(const struct perfctr_metrics *metrics, unsigned int i,
			 struct perfctr_metric_node *node);

/*
 * Estimate the error of metric i, if its events were not on the PMU all of the time: *error is half
 * the width of the 95 % confidence interval for the value of the whole time; 0 if they were. parts
 * has the readings of n stretches of time, one after the other, each as perfctr_metrics_value()
 * takes them: differences of readings, a hundred or so, of some times perf_event_mux_interval_ms
 * each. A program whose behaviour is in step with the kernel's multiplexing can't be estimated,
 * nor can one that works in a few bursts, if hardly one of them was seen.
 * EINVAL: there is no such metric, or parts or error is NULL, or n is 0. ENODATA: there are less
 * than 8 stretches in which all its events ran, or an event was not counted, or there is no value.
 * ENOMEM.
 */
int perfctr_metrics_error(const struct perfctr_metrics *metrics, unsigned int i,
			  const struct perfctr_reading *parts, unsigned int n, double *error);

/* ---- samples ---- */

struct perfctr_sampler; /* opaque */

/*
 * perfctr_sampler_config.flags: PERFCTR_MULTIPLEX, _INHERIT, _ON_EXEC and _DISABLED, as for
 * perfctr_set_open(), and the records to write beside samples.
 */
#define PERFCTR_SAMPLER_MMAP		 0x00010000 /* MMAP2: executable mappings */
#define PERFCTR_SAMPLER_MMAP_DATA	 0x00020000 /* MMAP2: the other mappings */
#define PERFCTR_SAMPLER_BUILD_ID	 0x00040000 /* MMAP2 with a build ID for device and inode */
#define PERFCTR_SAMPLER_COMM		 0x00080000 /* COMM: names of threads; exec */
#define PERFCTR_SAMPLER_TASK		 0x00100000 /* FORK, EXIT */
#define PERFCTR_SAMPLER_SWITCH		 0x00200000 /* SWITCH, SWITCH_CPU_WIDE */
#define PERFCTR_SAMPLER_NAMESPACES	 0x00400000 /* NAMESPACES */
#define PERFCTR_SAMPLER_CGROUP		 0x00800000 /* CGROUP: new ones */
#define PERFCTR_SAMPLER_KERNEL_TEXT	 0x01000000 /* KSYMBOL, BPF_EVENT, TEXT_POKE */
#define PERFCTR_SAMPLER_NO_KERNEL_CHAIN	 0x02000000 /* call chains without the kernel's part */
#define PERFCTR_SAMPLER_NO_USER_CHAIN	 0x04000000 /* without the user's */
#define PERFCTR_SAMPLER_OVERWRITE	 0x08000000 /* keep the newest records, not the oldest */
#define PERFCTR_SAMPLER_DEFER_USER_CHAIN 0x10000000 /* CALLCHAIN_DEFERRED: the user's, later */
#define PERFCTR_SAMPLER_AUX_OVERWRITE	 0x20000000 /* keep the newest of the AUX area */

/* What to sample, and how. Begin with all zero; one of period and frequency is needed. */
struct perfctr_sampler_config {
	uint64_t period;	      /* events between samples; a clock's: ns, at least 10000 */
	uint64_t frequency;	      /* samples per second: the kernel adapts the period */
	uint64_t fields;	      /* of samples: PERF_SAMPLE_*, or'ed, all but _AUX */
	uint64_t branches;	      /* PERF_SAMPLE_BRANCH_STACK: which, PERF_SAMPLE_BRANCH_* */
	uint64_t user_registers;      /* PERF_SAMPLE_REGS_USER: mask, <asm/perf_regs.h> */
	uint64_t interrupt_registers; /* PERF_SAMPLE_REGS_INTR: mask */
	uint32_t user_stack;	      /* PERF_SAMPLE_STACK_USER: bytes of it, a multiple of 8 */
	uint32_t max_chain; /* PERF_SAMPLE_CALLCHAIN: entries at most; 0: the kernel's default */
	uint32_t flags;	    /* PERFCTR_MULTIPLEX and so on, PERFCTR_SAMPLER_* */
	uint32_t pages;	    /* of each buffer, a power of two; 0: 128 KiB */
	uint32_t wakeup_samples; /* wake poll(2) after this many samples, or by wakeup_bytes: not
				    both */
	uint32_t
		wakeup_bytes; /* after this many bytes: half the buffer at most, as if both are 0 */
	uint32_t precise; /* 0 to 3, as the modifiers p, pp, ppp of an event, which may raise it */
	int32_t signal;	  /* for the opening thread, at each sample; 0: none */
	uint32_t aux_pages;  /* of each AUX area, a power of two; 0: there is none */
	uint32_t wakeup_aux; /* wake poll(2) after this many bytes in it; 0: half of it, the most */
	uint64_t reserved[3];
};

struct perf_branch_entry; /* <linux/perf_event.h> */
struct perf_ns_link_info;

/* Counts of PERF_SAMPLE_READ and PERF_RECORD_READ, in the order of the list of events. */
struct perfctr_record_counts {
	uint64_t enabled, running; /* ns, as in struct perfctr_reading */
	uint64_t n;
	const uint64_t *values; /* n of them */
};

struct perfctr_record_registers {
	uint64_t abi; /* enum perf_sample_regs_abi; PERF_SAMPLE_REGS_ABI_NONE: n is 0 */
	uint64_t n;
	const uint64_t *values; /* of the mask's registers, lowest bit first */
};

/* PERF_RECORD_SAMPLE. Fields that were not asked for are 0. */
struct perfctr_record_sample {
	uint64_t ip;
	uint64_t addr;
	uint64_t period;
	uint64_t weight;      /* union perf_sample_weight */
	uint64_t data_src;    /* union perf_mem_data_src */
	uint64_t transaction; /* PERF_TXN_* */
	uint64_t phys_addr;
	uint64_t cgroup;
	uint64_t data_page_size;
	uint64_t code_page_size;
	struct perfctr_record_counts counts;
	uint64_t nchain;
	const uint64_t *chain; /* addresses, and PERF_CONTEXT_* in front of each part's */
	uint64_t raw_size;     /* padding included */
	const void *raw;
	uint64_t nbranches;
	uint64_t branch_index; /* PERF_SAMPLE_BRANCH_HW_INDEX; UINT64_MAX: none */
	const struct perf_branch_entry *branches;
	const uint64_t *branch_counters; /* PERF_SAMPLE_BRANCH_COUNTERS: nbranches words */
	struct perfctr_record_registers user, interrupt;
	uint64_t user_stack_size; /* number of bytes copied */
	const void *user_stack;
};

struct perfctr_record_mmap { /* PERF_RECORD_MMAP, _MMAP2 */
	uint32_t pid, tid;
	uint64_t addr, length, offset;
	/* MMAP2 only; device and inode, or with PERF_RECORD_MISC_MMAP_BUILD_ID the build ID. */
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint32_t prot, flags;
	uint32_t build_id_size;
	uint8_t build_id[20];
	const char *file;
};

struct perfctr_record_comm { /* PERF_RECORD_COMM; PERF_RECORD_MISC_COMM_EXEC: because of an exec */
	uint32_t pid, tid;
	const char *name;
};

struct perfctr_record_task { /* PERF_RECORD_FORK, _EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct perfctr_record_lost { /* PERF_RECORD_LOST: records; _LOST_SAMPLES: samples, id is 0 */
	uint64_t id;
	uint64_t lost;
};

struct perfctr_record_throttle { /* PERF_RECORD_THROTTLE, _UNTHROTTLE */
	uint64_t time, id, stream_id;
};

struct perfctr_record_read { /* PERF_RECORD_READ */
	uint32_t pid, tid;
	struct perfctr_record_counts counts;
};

struct perfctr_record_switch { /* PERF_RECORD_SWITCH_CPU_WIDE: the other thread */
	uint32_t pid, tid;
};

struct perfctr_record_aux { /* PERF_RECORD_AUX */
	uint64_t offset, size;
	uint64_t flags; /* PERF_AUX_FLAG_* */
};

struct perfctr_record_itrace { /* PERF_RECORD_ITRACE_START */
	uint32_t pid, tid;
};

struct perfctr_record_namespaces { /* PERF_RECORD_NAMESPACES */
	uint32_t pid, tid;
	uint64_t n;
	const struct perf_ns_link_info *link; /* by NET_NS_INDEX and so on */
};

struct perfctr_record_ksymbol { /* PERF_RECORD_KSYMBOL */
	uint64_t addr;
	uint32_t length;
	uint16_t type, flags; /* PERF_RECORD_KSYMBOL_TYPE_*, _FLAGS_* */
	const char *name;
};

struct perfctr_record_bpf {   /* PERF_RECORD_BPF_EVENT */
	uint16_t type, flags; /* enum perf_bpf_event_type */
	uint32_t id;
	uint8_t tag[8];
};

struct perfctr_record_cgroup { /* PERF_RECORD_CGROUP */
	uint64_t id;
	const char *path;
};

struct perfctr_record_text_poke { /* PERF_RECORD_TEXT_POKE */
	uint64_t addr;
	uint16_t old_length, new_length;
	const uint8_t *bytes; /* the old ones, then the new ones */
};

struct perfctr_record_hw_id { /* PERF_RECORD_AUX_OUTPUT_HW_ID */
	uint64_t hw_id;
};

/*
 * PERF_RECORD_CALLCHAIN_DEFERRED: the user's part of call chains that end with
 * PERF_CONTEXT_USER_DEFERRED and this cookie, written when the thread went back to user mode.
 */
struct perfctr_record_deferred {
	uint64_t cookie;
	uint64_t nchain;
	const uint64_t *chain;
};

/*
 * A record. It and all data that it points to are valid until the next call with its sampler. A
 * type that the library does not know comes as it is: type, misc, and its bytes.
 */
struct perfctr_record {
	uint32_t type;	   /* PERF_RECORD_* */
	uint16_t misc;	   /* PERF_RECORD_MISC_* */
	uint16_t size;	   /* of bytes[], the header included */
	const void *bytes; /* as the kernel wrote it: struct perf_event_header, and the rest */
	/*
	 * Every record has these, if their bits are in config.fields: PERF_SAMPLE_TID, _TIME, ...
	 * Otherwise they are 0. With several buffers _TIME is always asked for.
	 */
	uint32_t pid, tid;
	uint64_t time; /* ns, the kernel's perf clock */
	uint64_t id, stream_id;
	uint32_t cpu, reserved;
	union {
		struct perfctr_record_sample sample;
		struct perfctr_record_mmap mmap;
		struct perfctr_record_comm comm;
		struct perfctr_record_task task;
		struct perfctr_record_lost lost;
		struct perfctr_record_throttle throttle;
		struct perfctr_record_read read;
		struct perfctr_record_switch other;
		struct perfctr_record_aux aux;
		struct perfctr_record_itrace itrace;
		struct perfctr_record_namespaces namespaces;
		struct perfctr_record_ksymbol ksymbol;
		struct perfctr_record_bpf bpf;
		struct perfctr_record_cgroup cgroup;
		struct perfctr_record_text_poke text_poke;
		struct perfctr_record_hw_id hw_id;
		struct perfctr_record_deferred deferred;
	} as;
};

/*
 * Sample an event on a target (NULL: the calling thread), one as of perfctr_set_open(): at each
 * sample the kernel writes a record into a buffer, without a system call. events is the event, or
 * {event,event,...}: the first is sampled, the others count with it, and their counts come with
 * PERF_SAMPLE_READ, which they need. On a machine with several core types it is sampled on each
 * that has all of them, and on processors those that its PMU has, if it has a cpumask. The calls
 * below are for the thread that opened, or one at a time; in a child of fork() they fail with
 * ESRCH. NULL is EINVAL.
 *
 * A thread has one buffer, and a processor; all processors and a cgroup have one on each. The
 * kernel has no common buffer for inherited events on all processors: so a process, and a thread
 * with PERFCTR_INHERIT, is opened on each that is online, where its threads share a buffer. It is
 * not sampled on processors that come online later.
 *
 * EINVAL: a name or modifier is wrong, or config is: perfctr_error() says which member; an event is
 * outside of the first one's braces; the target is wrong. EOPNOTSUPP: the machine can't sample it,
 * or not with these fields, or not as precisely. EPERM also: no more memory may be locked for
 * buffers. EBUSY: another program holds the counters. EOVERFLOW: max_chain is more than the kernel
 * allows. EAGAIN, ENODEV, ENOENT, EACCES, ESRCH, EMFILE, ENFILE, ENOMEM, ENOSYS: as
 * perfctr_set_open().
 */
struct perfctr_sampler *perfctr_sampler_open(const char *events,
					     const struct perfctr_target *target,
					     const struct perfctr_sampler_config *config);

/*
 * Return the descriptor, for poll(2) and epoll(7): readable when the kernel has woken it up, once
 * each time; then read all records. One thread's only buffer hangs up (POLLHUP) when the thread has
 * ended; otherwise the descriptor stays readable when all threads have. -1: EINVAL, ESRCH.
 */
int perfctr_sampler_fd(const struct perfctr_sampler *sampler);

/*
 * Start, stop, and start for this many samples more, on each thread and processor; after a failure
 * the others are still done. EBUSY: as perfctr_sampler_open(). EINVAL: inherited ones can't be
 * refreshed.
 */
int perfctr_sampler_enable(struct perfctr_sampler *sampler);
int perfctr_sampler_disable(struct perfctr_sampler *sampler);
int perfctr_sampler_refresh(struct perfctr_sampler *sampler, unsigned int samples);

/* Set another period, or frequency if it was opened with one. EINVAL: it is not possible. */
int perfctr_sampler_set_period(struct perfctr_sampler *sampler, uint64_t period);

/*
 * Get the next record: 1 and *record; 0: there is none now. -1: EBADMSG, a record does not fit its
 * size, and is skipped, or its size is nonsense, and all records up to the newest are skipped; go
 * on with the next call. Takes no lock, allocates nothing, makes no system call, but for one with
 * several buffers that are empty.
 *
 * Records of one buffer come in the order in which the kernel wrote them. Those of several are
 * merged by time, and a record comes once all older ones must have been written. That is known one
 * reading later: each reading, up to the 0 that ends it, hands out the records that the one before
 * has found, and older ones that were found since. After perfctr_sampler_disable() a reading hands
 * out all the rest.
 *
 * With PERFCTR_SAMPLER_OVERWRITE, newest first: the first call stops the writing while it copies
 * the records that are new since the last time; so does the first one after a 0. EIO.
 */
int perfctr_sampler_next(struct perfctr_sampler *sampler, const struct perfctr_record **record);

/*
 * Call each() for the records that are there now (of several buffers: of one reading), until it
 * returns non-zero; return that, or 0, or -1 as perfctr_sampler_next().
 */
int perfctr_sampler_each(struct perfctr_sampler *sampler,
			 int (*each)(void *arg, const struct perfctr_record *), void *arg);

/*
 * How many records the kernel could not write, because the buffer was full or its writing stopped;
 * also samples that the processor lost. Before Linux 6.0, and of several inherited events, only
 * those that the LOST records read so far tell of: the kernel writes one when there is room again.
 * EIO. EBUSY.
 */
int perfctr_sampler_lost(struct perfctr_sampler *sampler, uint64_t *lost);

/*
 * How often event i of the list (0: the one that is sampled) has happened since the sampler was
 * opened, while it was enabled and on the PMU, in all that is sampled: samples with
 * PERF_SAMPLE_READ that stand for less are not all, since what a thread does after its last sample
 * is in none. EINVAL: there is no such event, or a pointer is NULL. EIO. EBUSY.
 */
int perfctr_sampler_count(struct perfctr_sampler *sampler, unsigned int i, uint64_t *count);

/*
 * As perfctr_set_check(): whether the threads were sampled to their ends, and the program has
 * closed no descriptor of the sampler. Call it once in a while. ESTALE, EINVAL, ESRCH.
 */
int perfctr_sampler_check(const struct perfctr_sampler *sampler);

/*
 * A piece of the data that a PMU has written into an AUX area. The bytes are in the PMU's own
 * format, and stay until the next call of perfctr_sampler_next_aux().
 */
struct perfctr_aux {
	const void *bytes;
	uint64_t size;
	uint64_t offset; /* bytes written before these: as.aux.offset of records counts them, too */
	int32_t cpu;	 /* the processor whose area it is; -1: the thread's */
	uint32_t reserved;
};

/*
 * Get the next piece of an AUX area (config.aux_pages): 1 and *aux; 0: there is none now. The bytes
 * are not copied; the next call gives the PMU their room. Data that wrap in the area come in two
 * pieces; several areas take turns. AUX records say which data belong together, and which are
 * missing (PERF_AUX_FLAG_*): _TRUNCATED, the area was full, and the event has stopped; go on with
 * perfctr_sampler_enable(). -1: EBADMSG, the control page makes no sense, and the area's data are
 * skipped; EINVAL, it has none; ESRCH.
 *
 * With PERFCTR_SAMPLER_AUX_OVERWRITE, after each perfctr_sampler_disable(), otherwise EINVAL: all
 * of the area, the oldest first; where nothing was ever written it is 0.
 */
int perfctr_sampler_next_aux(struct perfctr_sampler *sampler, const struct perfctr_aux **aux);

void perfctr_sampler_close(struct perfctr_sampler *sampler);

/*
 * Describe in words a sample's data_src (union perf_mem_data_src), one of its branches, or its
 * transaction (PERF_TXN_*): "load, L1 hit, no snoop, TLB L1 or L2 hit"; "nothing" if it says
 * nothing. Written to text, with a NUL, as far as size bytes allow. Returns the length of the whole
 * text without the NUL. Bits that were added after Linux 7.3 are unknown.
 */
size_t perfctr_data_src_text(uint64_t data_src, char *text, size_t size);
size_t perfctr_branch_text(const struct perf_branch_entry *branch, char *text, size_t size);
size_t perfctr_transaction_text(uint64_t transaction, char *text, size_t size);

/* Describe a sample's raw part, if the event is AMD's ibs_op or ibs_fetch. */
size_t perfctr_ibs_op_text(const void *raw, uint64_t raw_size, char *text, size_t size);
size_t perfctr_ibs_fetch_text(const void *raw, uint64_t raw_size, char *text, size_t size);

/* ---- event names ---- */

/*
 * Check the name of one event without opening it. Names, in any case of letters:
 *	cycles, instructions, cache-misses ...		the kernel's generic hardware events
 *	L1-dcache-load-misses ...			its cache events
 *	task-clock, page-faults ...			its software events
 *	EVENT, EVENT:MASK, EVENT.MASK, EVENT:MASK:MASK	the processor's own events
 *	PMU/EVENT/ and PMU/FIELD=VALUE,.../		what the kernel's sysfs describes
 *	rHEX						a raw code of the core PMU
 *	PMU/NAME/	any of these but software events	on one core PMU of a hybrid machine
 *	SUBSYSTEM:NAME					a tracepoint
 * with modifiers after a colon (or after the closing slash): u user, k kernel, h hypervisor,
 * G guest, H host (only these are counted), I not when idle. Without G and H, guests are left out
 * where the PMU can tell. The processor's own events take u, k, e (edge detection), i (inversion)
 * and c=N (counter mask). perfctr_sampler_open() also takes p, pp and ppp (precise) of the kernel's
 * names.
 *
 * On a hybrid machine a name without a PMU means an event on each core PMU that has it: a generic
 * event, an event of sysfs, a name of the tables of its core types. A raw code is given to each as
 * it is.
 *
 * The environment variable PERFCTR_EVENTS (not in set-user-ID programs) names a directory with the
 * vendor's JSON files, for events that nothing above has: perfctr(7).
 *
 * EINVAL: not a name; perfctr_error() lists the nearest, or says why one of those files is refused,
 * or an entry.
 * ENOENT: the machine does not have it. EOPNOTSUPP: the processor can't count it, or does not
 * implement it, or the kernel's PMU has no field for it: a kernel older than the processor has few.
 * EMFILE, ENFILE: no file descriptors left to look it up.
 */
int perfctr_event_check(const char *event);

/* One event that this machine's kernel knows by name. Strings are valid during the call only. */
struct perfctr_event_name {
	const char *name;	 /* as perfctr_set_open() takes it */
	const char *kind;	 /* "hardware", "cache", "software", "cpu", "pmu", "tracepoint" */
	const char *description; /* may be empty */
};

/*
 * Call each() for every named event whose kind is kind (NULL: every kind but "tracepoint"), but for
 * those of the processor that perfctr_event_check() refuses with EOPNOTSUPP, until it returns
 * non-zero; return that, or 0, or -1 (EINVAL: no such kind, or after all names: a file of
 * PERFCTR_EVENTS is refused).
 */
int perfctr_event_list(const char *kind, int (*each)(void *arg, const struct perfctr_event_name *),
		       void *arg);

/* ---- the processors' own events, as controls ---- */

/*
 * Check a control against the rules of this machine's processor without using it, as if it had
 * VPERFCTR_CONTROL_EXTENDED. EINVAL, EPERM (see vperfctr_control()): it breaks one; perfctr_error()
 * names the member, the bits and the rule. EOPNOTSUPP: there are no counters here at all, and the
 * control wants some.
 */
int perfctr_cpu_control_check(const struct perfctr_cpu_control *control);

/*
 * Make a complete control of this machine's processor (TSC on, a-mode) from a list of its own
 * events, separated by commas, and place them on counters. Returns the number of counters; they are
 * in the list's order. *control is only written on success. EINVAL: not an event; ENOSPC:
 * perfctr_error() names the events that can't be counted together; EOPNOTSUPP: one of them can't be
 * counted at all; ENOENT: there is no table of events for this processor; EMFILE, ENFILE, ENOMEM:
 * PERFCTR_EVENTS, for what is in no table, can't be read now.
 */
int perfctr_cpu_control_events(struct perfctr_cpu_control *control, const char *events);

/*
 * Do the same for the processor with the id cpu (NULL: this machine's), on any machine; the control
 * is printed on standard output. Errors as above; ENOENT also: there is no such processor.
 */
int perfctr_cpu_events_print(const char *cpu, const char *events);

/*
 * Call each() for every processor that the library knows (name: its id; description: its name), or
 * for every event of the processor with the id cpu (NULL: this machine's), until it returns
 * non-zero; return that, or 0. ENOENT: there is no such processor, or no table for it.
 */
int perfctr_cpu_list(int (*each)(void *arg, const struct perfctr_event_name *), void *arg);
int perfctr_cpu_event_list(const char *cpu,
			   int (*each)(void *arg, const struct perfctr_event_name *), void *arg);

/* ---- the machine ---- */

/* Sets of processors: one block of memory, to be given to free(). */
struct perfctr_cpus_info {
	struct perfctr_cpu_mask *cpus;
	struct perfctr_cpu_mask *cpus_forbidden;
};

/*
 * Get facts about the processor and the provider: that of fd, a descriptor of _vperfctr_open() or
 * of the device, or (-1) the one that an open would choose. perfctr_get_info() needs none.
 *
 * cpu_type is honest by default: a processor that perfctr 2.6 never knew has a type that programs
 * of its time don't know. The environment variable PERFCTR_CPU_TYPE=N (not in set-user-ID programs)
 * makes it N, an older type whose rules this processor's counters obey; the codes of events may
 * still mean something else. perfctr_info_nrctrs() is then that type's number.
 *
 * EINVAL: info is NULL, PERFCTR_PROVIDER names no provider, or PERFCTR_CPU_TYPE no such type.
 * EOPNOTSUPP: PERFCTR_PROVIDER asks for a driver that is not there. EACCES, EPROTO, EMFILE, ENFILE:
 * the driver's device, as vperfctr_open(). EBADF: fd is none of perfctr's.
 */
int perfctr_info(int fd, struct perfctr_info *info);
static __inline__ int perfctr_get_info(struct perfctr_info *info)
{
	return perfctr_info(-1, info);
}

/* The processors that exist, and those on which counters must not be used. ENOMEM. EBADF, as above.
 */
struct perfctr_cpus_info *perfctr_cpus_info(int fd);

/* Number of counters; 0 if there are none that this program can use, or none can be seen. */
unsigned int perfctr_info_nrctrs(const struct perfctr_info *info);

/*
 * Name of the processor type, "?" if it is not known; of this machine's own type, and of the
 * generic one, the name of its processor.
 */
const char *perfctr_info_cpu_name(const struct perfctr_info *info);

/*
 * Get this machine's processor: its name, and its id, as perfctr_cpu_list() has it ("" if it has
 * none), for the program's whole life. On a hybrid machine they are the P-cores', on Arm processor
 * 0's. EINVAL: id or name is NULL.
 */
int perfctr_cpu_native(const char **id, const char **name);

/* Print on standard output. */
void perfctr_info_print(const struct perfctr_info *info);
void perfctr_cpus_info_print(const struct perfctr_cpus_info *info);
void perfctr_cpu_control_print(const struct perfctr_cpu_control *control);

/* The provider that an open without flags chooses: "driver" or "perf". NULL, EINVAL:
 * PERFCTR_PROVIDER names none. */
const char *perfctr_provider_name(void);

/* A finding about a program's access to counters: one line of a diagnosis. */
struct perfctr_check {
	const char *name;   /* the thing examined, e.g. "PMU", "paranoid level" */
	const char *state;  /* its state, e.g. "4" */
	const char *remedy; /* a change that makes it work, or allows more; or "" */
	int ok;		    /* zero: because of this, something does not work */
};

/*
 * Examine everything that decides which events can be counted here, and call each() with each
 * finding, until it returns non-zero; return that, or 0. Strings are valid during the call only.
 */
int perfctr_doctor(int (*each)(void *arg, const struct perfctr_check *), void *arg);

/* 0 if a provider's abi_version is compatible with the program's, else -1 and EPROTO. EBADF, as
 * above. */
int _perfctr_abi_check_fd(int fd, unsigned int user_abi_version);
static __inline__ int perfctr_abi_check_fd(int fd)
{
	return _perfctr_abi_check_fd(fd, PERFCTR_ABI_VERSION);
}

/* ---- descriptions of processors' events ---- */

enum perfctr_unit_mask_type {
	perfctr_um_type_fixed,	   /* one required value */
	perfctr_um_type_exclusive, /* exactly one of the values */
	perfctr_um_type_bitmask,   /* any of the values, or'ed, as far as their groups allow */
};

/*
 * Masks of different groups may be combined. Of a group none of which is named, the defaults are
 * taken, if it has any. perfctr 2.6's structure ended with the description.
 */
struct perfctr_unit_mask_value {
	unsigned int value;
	const char *description;  /* [NAME:]text */
	unsigned short group;	  /* among the event's, from 0 */
	unsigned char exclusive;  /* at most one of its group */
	unsigned char is_default; /* taken if none of its group is named */
};

struct perfctr_unit_mask {
	unsigned short default_value;
	enum perfctr_unit_mask_type type:8;
	unsigned char nvalues;
	struct perfctr_unit_mask_value values[1]; /* nvalues of them */
};

struct perfctr_event {
	unsigned short evntsel;
	unsigned short counters_set; /* bit n: counter n can count it */
	const struct perfctr_unit_mask *unit_mask;
	const char *name;
	const char *description;
};

struct perfctr_event_set {
	unsigned int cpu_type;
	const char *event_prefix;
	const struct perfctr_event_set *include;
	unsigned int nevents;
	const struct perfctr_event *events;
};

/*
 * The events of a processor type of this ISA, for the program's whole life. A description may be
 * empty. NULL: ENOENT, there is no table for it; ENOMEM.
 */
const struct perfctr_event_set *perfctr_cpu_event_set(unsigned int cpu_type);

/* ---- another thread's virtual counters ---- */

struct rvperfctr; /* opaque */

/*
 * Open the counter state of the thread with the id pid; make one if it has none. The thread must be
 * stopped under the calling thread's ptrace(2), now and in every other call but rvperfctr_close().
 * When it has ended, or its state was unlinked, the final sums can still be read. The functions do
 * what those named vperfctr_* do, for that thread. Closing leaves the state to its thread, where it
 * counts on, also through execve(2), and where the next open finds it.
 *
 * The provider is chosen as by vperfctr_open(). Over perf_events the state is this process's: no
 * other process finds it, not even the thread itself. It ends with this process, and when the
 * thread executes a program with more privileges. If there is no room for its counters, a read
 * tells after the thread has run.
 *
 * A handle of vperfctr_open(), with which 2.6's began, does as well but for rvperfctr_pid()
 * (EINVAL): the calls then do what those named vperfctr_* do.
 *
 * ESRCH: there is no such thread, or it is not stopped under this thread's ptrace; in control and
 * stop also: it has ended, or the state was unlinked; remote is the parent process's. EPERM,
 * EACCES: not permitted. EOPNOTSUPP: PERFCTR_PROVIDER asks for a driver that is not there; over
 * perf_events also i-mode counters, and before Linux 5.13 VPERFCTR_CONTROL_CLOEXEC. EBUSY, in a
 * read: another program holds the counters. EINVAL: pid is not positive; an argument is NULL;
 * nothing to resume; PERFCTR_PROVIDER names no provider. EPROTO: the driver speaks another major
 * version of the ABI. EMFILE, ENFILE, ENOMEM, ENOSYS, EIO. rvperfctr_control() also as
 * vperfctr_control().
 */
struct rvperfctr *rvperfctr_open(int pid);
int rvperfctr_pid(const struct rvperfctr *remote);
int rvperfctr_info(const struct rvperfctr *remote, struct perfctr_info *info);
int rvperfctr_read_ctrs(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum);
int rvperfctr_read_state(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control);
int rvperfctr_control(const struct rvperfctr *remote, struct vperfctr_control *control);
int rvperfctr_stop(const struct rvperfctr *remote);
int rvperfctr_iresume(const struct rvperfctr *remote);
int rvperfctr_unlink(const struct rvperfctr *remote);
void rvperfctr_close(struct rvperfctr *remote);

/* ---- system-wide counters ---- */

/*
 * The counters of whole processors, whichever threads run there. They are perf_events', even if the
 * driver is there. A handle has its own counters, which end with it; one thread at a time uses it.
 * Every call but gperfctr_open() and gperfctr_close() fails with EINVAL if an argument is NULL, and
 * with ESRCH in a child of fork(), to which the parent's handles are not open.
 */
struct gperfctr; /* opaque */

/*
 * A handle; nothing counts yet. EOPNOTSUPP: PERFCTR_PROVIDER asks for the driver. EINVAL: it
 * names no provider. ENOMEM.
 */
struct gperfctr *gperfctr_open(void);

/* Stop, and give the handle back. */
void gperfctr_close(struct gperfctr *global);

/*
 * Set the control of processor control->cpu for the next start; its sums become zero. A control
 * that enables nothing leaves the processor out of the start. Returns the number of processors that
 * a start would start. A control that is refused changes nothing.
 *
 * EINVAL: there is no such processor, or it is offline; otherwise as vperfctr_control(), without
 * VPERFCTR_CONTROL_EXTENDED. EPERM: i-mode counters, which have no thread to interrupt. EBUSY: the
 * counters have been started, or another program holds the PMU. EACCES, EPERM: no right to count
 * whole processors. EMFILE, ENFILE, ENOMEM, ENOSYS.
 */
int gperfctr_control(const struct gperfctr *global, struct gperfctr_cpu_control *control);

/*
 * Start all processors that have a control, or none of them. Returns their number. interval_usec
 * once told the kernel how often to sample. It is 0 or at least 10000, and no longer does anything:
 * a read is always of its moment.
 *
 * EINVAL: the interval; a processor has gone offline since it got its control. EBUSY: started
 * already, or another program has taken counters on one of the processors. Otherwise as
 * gperfctr_control().
 */
int gperfctr_start(const struct gperfctr *global, unsigned int interval_usec);

/*
 * Stop all processors. The sums stay readable; the controls must be set again before the next
 * start.
 */
int gperfctr_stop(const struct gperfctr *global);

/*
 * Fill in *state for the processor state->cpu: its control, and its exact sums since the start. The
 * TSC's sum is that time in ticks. A processor that never had a control has an empty one.
 *
 * ENODEV: the processor has been offline since the start, which ended its counting: *state is
 * filled in, with the sums of that moment. EBUSY: another program has taken its counters; *state is
 * unchanged. Both stay until its next control. EINVAL: there is no such processor, or it is offline
 * and never had a control. EIO.
 */
int gperfctr_read(const struct gperfctr *global, struct gperfctr_cpu_state *state);

/* Facts about the processor and perf_events. */
int gperfctr_info(const struct gperfctr *global, struct perfctr_info *info);

/* Returns the same as perfctr_cpus_info(). */
struct perfctr_cpus_info *gperfctr_cpus_info(const struct gperfctr *global);

/* ---- raw calls ---- */

/*
 * The driver's calls, one each, on descriptors. A state's descriptor can be mapped (PROT_READ, one
 * page: struct vperfctr_state; not over perf_events) and passed on. It outlives its thread, and
 * then still reads the final sums. The provider is that of vperfctr_open(). sys_perfctr_info()
 * works with both providers; EOVERFLOW: cpus or forbidden has too little room, and nrwords now says
 * how much is needed.
 *
 * tid 0 is the calling thread. Another thread must be stopped under the caller's ptrace(2), and so
 * must the owner of a descriptor, unless the caller is the owner, or reads and is a thread of the
 * same process.
 *
 * Over perf_events only the calling thread's own state has descriptors. Any holder of one may read
 * it, at any time; only that thread controls it. vperfctr_open_mode() finds such a state, and these
 * calls find that of a handle. After execve(2) the program does not find it, but its descriptors
 * still read it, counting, unless the control had VPERFCTR_CONTROL_CLOEXEC.
 *
 * EOPNOTSUPP: PERFCTR_PROVIDER asks for a driver that is not there, or the control takes a register
 * that no thread can have to itself; over perf_events, tid is another thread, the control has
 * i-mode counters, which others can't read either, or VPERFCTR_CONTROL_CLOEXEC before Linux 5.13.
 * EEXIST: creat, and the thread has a state. ENODEV: no creat, and it has none. ESRCH: no such
 * thread, or not stopped; in control and iresume also: unlinked. EPERM: not permitted, or a
 * reserved bit is set. EBUSY: another program holds the counters. EINVAL: the control breaks a
 * rule; nothing to resume; a descriptor without counters. EBADF: fd is no such descriptor. EACCES,
 * EPROTO, EMFILE, ENFILE, ENOMEM, EIO: as rvperfctr_open().
 */
int sys_perfctr_info(struct perfctr_info *info, struct perfctr_cpu_mask *cpus,
		     struct perfctr_cpu_mask *forbidden);
int sys_vperfctr_open(int tid, int creat);
int sys_vperfctr_control(int fd, const struct vperfctr_control *control);
int sys_vperfctr_unlink(int fd);
int sys_vperfctr_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);
int sys_vperfctr_iresume(int fd);

/*
 * These are the calls under libperfctr 2.6's names. _vperfctr_open(0) of a thread without counters
 * is a descriptor that only perfctr_info(), perfctr_cpus_info() and perfctr_abi_check_fd() take.
 */
int _vperfctr_open(int creat);
int _vperfctr_control(int fd, const struct vperfctr_control *control);
int _vperfctr_read_control(int fd, struct vperfctr_control *control);
int _vperfctr_read_sum(int fd, struct perfctr_sum_ctrs *sum);

#pragma GCC visibility pop

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif /* LIBPERFCTR_H */
