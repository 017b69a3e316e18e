/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libperfctr.h - a program's own hardware performance counters: 64 bits, per thread, read in user
 * space. This is the one public header; each call's contract stands here, once.
 *
 * Conventions. Functions return 0 (or a pointer, or a count) on success; on failure -1 (or NULL)
 * with errno set, and perfctr_error() then says in one sentence what is wrong and what to do.
 * EINVAL: an argument breaks a rule. EOPNOTSUPP: right, but not possible with this provider or on
 * this machine. Handles belong to the thread that opened them; different threads use different
 * handles without locking. Reads allocate nothing, take no lock and are async-signal-safe.
 *
 * Virtual counters work through one of two providers, chosen when a handle is opened: the perfctr
 * driver if /dev/perfctr answers, else the kernel's perf_event_open(2). A driver of another version
 * of the ABI, or one that has no counters for a processor for which perf_events has some, is passed
 * over. The environment variable PERFCTR_PROVIDER=driver or =perf forces one (not in set-user-ID
 * programs), and so do the open flags. Groups of events by name are always those of perf_events.
 */
#ifndef LIBPERFCTR_H
#define LIBPERFCTR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <perfctr/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library is compiled with hidden visibility; what is declared here is not hidden. */
#pragma GCC visibility push(default)

/* ---- errors ---- */

/*
 * Why the last call that failed in this thread failed: one sentence naming the cause and the
 * remedy, without a newline. Valid until the next call that fails in this thread. Never NULL; empty
 * if nothing has failed.
 */
const char *perfctr_error(void);

/* ---- counts and their quality ---- */

enum perfctr_quality {
	PERFCTR_EXACT,		/* counted all the time that it was enabled */
	PERFCTR_SCALED,		/* shared the PMU: value was counted in running of enabled ns */
	PERFCTR_NOT_COUNTED,	/* never on the PMU: value means nothing */
	PERFCTR_STALE,		/* stopped: value is that of the stop */
};

/* One counter, read. */
struct perfctr_reading {
	uint64_t value;		/* events counted while on the PMU */
	uint64_t enabled;	/* ns for which it was enabled while its thread ran; 0 if not known */
	uint64_t running;	/* ns of these for which it was on the PMU */
	unsigned int quality;	/* enum perfctr_quality */
	unsigned int reserved;
};

/*
 * value * enabled / running: the best estimate of a PERFCTR_SCALED reading for the whole time. Any
 * other reading's value is returned as it is. UINT64_MAX if the estimate has no room.
 */
uint64_t perfctr_reading_estimate(const struct perfctr_reading *reading);

/* "exact", "scaled", "not counted", "stale"; "unknown" for any other number. */
const char *perfctr_quality_name(unsigned int quality);

/* ---- the calling thread's virtual counters ---- */

struct vperfctr;	/* opaque */

/* vperfctr_open_mode(): any of these, or'ed. */
#define VPERFCTR_OPEN_CREAT_EXCL 3	/* create the state; without it, open the existing one */
#define VPERFCTR_OPEN_DRIVER	0x10	/* only through the driver */
#define VPERFCTR_OPEN_PERF	0x20	/* only through perf_events */
#define VPERFCTR_OPEN_SHARED	0x40	/* let the kernel multiplex the counters: perf_events' */

/*
 * Create the calling thread's counter state and return a handle on it: vperfctr_open_mode() with
 * VPERFCTR_OPEN_CREAT_EXCL. Nothing counts yet. The state ends with vperfctr_unlink() or the thread;
 * a child of fork() has none. The driver's goes on through execve(2), unless its control has
 * VPERFCTR_CONTROL_CLOEXEC or the program has more rights, and is there for the new program to open.
 *
 * Counters run whenever their thread runs, or not at all: a control whose counters can't all be on
 * the PMU together fails. With VPERFCTR_OPEN_SHARED the kernel may instead give them a share of the
 * time, and vperfctr_read_quality() tells which.
 *
 * EEXIST: the thread has a state already. ENODEV: it has none, and mode asks for an existing one, or
 * forces another provider than the state's; or VPERFCTR_OPEN_DRIVER and there is no driver. EACCES: the
 * driver's device may not be opened. EOPNOTSUPP: VPERFCTR_OPEN_SHARED and the driver. EINVAL: mode or
 * PERFCTR_PROVIDER is wrong. ENOMEM. EPROTO: the driver speaks another major version of the ABI.
 */
struct vperfctr *vperfctr_open(void);
struct vperfctr *vperfctr_open_mode(unsigned int mode);

/* Facts about the processor and the provider. EINVAL: info is NULL. */
int vperfctr_info(const struct vperfctr *self, struct perfctr_info *info);

/* As perfctr_cpus_info(). */
struct perfctr_cpus_info *vperfctr_cpus_info(const struct vperfctr *self);

/*
 * Set what to count, and start. Running counters are stopped and sampled, the new control replaces
 * the old, and counting starts if it enables anything. Before starting, every counter's sum is set
 * to zero, unless its bit is set in preserve; the TSC's sum is set to zero only if the new control
 * disables the TSC. A control that enables nothing stops and keeps all sums.
 *
 * When an i-mode counter overflows, all counters stop, but not the TSC, and the thread gets the
 * signal si_signo; vperfctr_ovf_mask() tells its cause. vperfctr_iresume() lets them go on.
 *
 * An invalid control is refused before anything is stopped: what ran runs on.
 *
 * EINVAL: the control breaks a rule of the processor, or its counters do not fit on the PMU.
 * EOPNOTSUPP: the provider can't do it (no PMU on this machine; over perf_events a named physical
 * counter, or i-mode with VPERFCTR_OPEN_SHARED). EBUSY: somebody else holds the counters. EACCES,
 * EPERM: not permitted; EPERM also if no memory may be locked for an i-mode counter's buffer,
 * ENOMEM if there is none. EMFILE, ENFILE: no file descriptors left. ESRCH: the state has been
 * unlinked, or belongs to another thread.
 */
int vperfctr_control(const struct vperfctr *self, struct vperfctr_control *control);

/* Stop all counters and keep their sums: a control that enables nothing. ESRCH. */
int vperfctr_stop(const struct vperfctr *self);

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
 * counters are left alone, or set to their last sums, as after a stop all are. EINVAL: sum is NULL.
 * EBUSY: somebody took the counters away. EIO.
 */
int vperfctr_read_ctrs(const struct vperfctr *self, struct perfctr_sum_ctrs *sum);

/* The same, and a copy of the control. Each of sum and control may be NULL. */
int vperfctr_read_state(const struct vperfctr *self, struct perfctr_sum_ctrs *sum,
			struct vperfctr_control *control);

/*
 * Counter i with its quality. EINVAL: no such counter, or reading is NULL. EIO. A counter that was lost
 * to somebody else is no error here: its quality is PERFCTR_NOT_COUNTED. The driver keeps no times:
 * enabled and running are 0.
 */
int vperfctr_read_quality(const struct vperfctr *self, unsigned int i,
			  struct perfctr_reading *reading);

struct perfctr_reader;	/* <perfctr/read.h> */

/*
 * Fill in what perfctr_reader_read() needs to read counter i inline. Valid until the next
 * control, stop or unlink, and not in a child of fork(). EINVAL: no such running counter, or
 * reader is NULL. EOPNOTSUPP: it can't be read in user space here, or stands beside i-mode
 * counters, or is the driver's, whose page vperfctr_read_pmc() reads as quickly; perfctr_error()
 * says why; *reader is still valid and reads 0, "ask the kernel".
 */
int vperfctr_reader(const struct vperfctr *self, unsigned int i, struct perfctr_reader *reader);

/*
 * Let the counters go on that an overflow has stopped, in its signal's handler or later; those that
 * overflowed begin at their ireset. EINVAL: none has stopped them. ESRCH: as for vperfctr_control().
 */
int vperfctr_iresume(const struct vperfctr *self);

/*
 * The set of counters that overflowed, from the siginfo_t of an overflow signal: bit n is counter
 * n. 0 if the signal is not an overflow of this state, or, over perf_events, of one that has been
 * resumed or whose control has been replaced. To be asked in the thread whose signal it is.
 * Async-signal-safe, and so is vperfctr_iresume().
 */
unsigned int vperfctr_ovf_mask(const struct vperfctr *self, const void *siginfo);

/* Stop, and detach the state from the thread; its sums stay readable. Once is enough. */
int vperfctr_unlink(const struct vperfctr *self);

/* Give the handle back. An attached state lives on, and counts on, until its thread ends. */
void vperfctr_close(struct vperfctr *self);

/* ---- totals over threads ---- */

struct perfctr_process;	/* opaque */

/* An empty set of threads. ENOMEM. Its calls may come from any thread. */
struct perfctr_process *perfctr_process_create(void);

/*
 * Put the state that handle self is open on into the set. Its counts stay in the total when it is
 * closed or unlinked and when its thread has ended. EINVAL. EEXIST: it is in the set. ENOMEM.
 */
int perfctr_process_add(struct perfctr_process *process, const struct vperfctr *self);

/*
 * Sums over all threads of the set, counter by counter; *nthreads (may be NULL) is set to their
 * number. Fails rather than leave a thread out: EBUSY, EIO.
 */
int perfctr_process_read(struct perfctr_process *process, struct perfctr_sum_ctrs *sum,
			 unsigned int *nthreads);

void perfctr_process_destroy(struct perfctr_process *process);

/* ---- groups of events, by name ---- */

struct perfctr_group;	/* opaque */

/* perfctr_group_open() */
#define PERFCTR_GROUP_STRICT	0x01	/* on the PMU whenever the thread runs, or fail */
#define PERFCTR_GROUP_INHERIT	0x02	/* count threads and children created from now on, too */
#define PERFCTR_GROUP_ON_EXEC	0x04	/* start when the thread calls execve(2) */
#define PERFCTR_GROUP_DISABLED	0x08	/* start at perfctr_group_enable() */
#define PERFCTR_GROUP_EXCLUSIVE	0x10	/* nobody else's counters beside these */

/*
 * Open events, given as a comma-separated list of names, on thread tid (0: the calling one; -1: all
 * threads of processor cpu), on processor cpu (-1: all that the thread runs on). They count together
 * or not at all. perfctr_event_check() describes the names.
 *
 * EINVAL: a name or modifier is wrong (the nearest right ones are in perfctr_error()), flags are
 * wrong, or the events don't fit on the PMU together. ENOENT: no such event on this machine.
 * EOPNOTSUPP: the machine can't count it. EACCES, EPERM: not permitted. ESRCH: no such thread.
 * EBUSY: somebody else holds the counters (PERFCTR_GROUP_STRICT). EMFILE, ENFILE, ENOMEM, ENOSYS.
 */
struct perfctr_group *perfctr_group_open(const char *events, pid_t tid, int cpu,
					 unsigned int flags);

/*
 * The same for the counters of a control, in their order. The TSC is not among them. Errors also as
 * vperfctr_control(): EINVAL for a control that breaks a rule, or has no counter.
 */
struct perfctr_group *perfctr_group_open_control(const struct perfctr_cpu_control *control,
						 pid_t tid, int cpu, unsigned int flags);

/* Number of events. */
unsigned int perfctr_group_size(const struct perfctr_group *group);

/*
 * The name of event i as it was given ("0x004300C0" for a control's, "0x00039000/0x04000204" with
 * its second word); NULL if there is no such event.
 */
const char *perfctr_group_name(const struct perfctr_group *group, unsigned int i);

/* Start, stop, set to zero: all events of the group. Times go on through a reset. */
int perfctr_group_enable(struct perfctr_group *group);
int perfctr_group_disable(struct perfctr_group *group);
int perfctr_group_reset(struct perfctr_group *group);

/* Read all events at one moment into readings[perfctr_group_size()]. EIO. */
int perfctr_group_read(const struct perfctr_group *group, struct perfctr_reading *readings);

/*
 * As vperfctr_reader(), valid until the next reset or close; possible only for a group on the
 * calling thread, on all processors.
 */
int perfctr_group_reader(const struct perfctr_group *group, unsigned int i,
			 struct perfctr_reader *reader);

void perfctr_group_close(struct perfctr_group *group);

/* ---- event names ---- */

/*
 * Check the name of one event without opening it. Names, in any case of letters:
 *	cycles, instructions, cache-misses ...		the kernel's generic hardware events
 *	L1-dcache-load-misses ...			its cache events
 *	task-clock, page-faults ...			its software events
 *	EVENT, EVENT:MASK, EVENT.MASK, EVENT:MASK:MASK	the processor's own events
 *	PMU/EVENT/ and PMU/FIELD=VALUE,.../		what the kernel's sysfs describes
 *	rHEX						a raw code of the core PMU
 *	SUBSYSTEM:NAME					a tracepoint
 * with modifiers behind a colon (or behind the closing slash): u user, k kernel, h hypervisor,
 * G guest, H host (only these are counted), I not when idle; the processor's own events take u, k,
 * e (edge detection), i (inversion) and c=N (counter mask).
 * EINVAL: not a name, perfctr_error() lists the nearest. ENOENT: the machine does not have it.
 */
int perfctr_event_check(const char *event);

/* One event that this machine's kernel knows by name. Strings are valid during the call only. */
struct perfctr_event_name {
	const char *name;	/* as perfctr_group_open() takes it */
	const char *kind;	/* "hardware", "cache", "software", "cpu", "pmu", "tracepoint" */
	const char *description;	/* may be empty */
};

/*
 * Call each() for every named event whose kind is kind (NULL: every kind but "tracepoint"), until it
 * returns non-zero; return that, or 0, or -1 (EINVAL: no such kind).
 */
int perfctr_event_list(const char *kind, int (*each)(void *arg, const struct perfctr_event_name *),
		       void *arg);

/* ---- the processors' own events, as controls ---- */

/*
 * Check a control against the rules of this machine's processor without using it. EINVAL: it breaks
 * one; perfctr_error() names the member, the bits and the rule. EOPNOTSUPP: there are no counters
 * here at all, and the control wants some.
 */
int perfctr_cpu_control_check(const struct perfctr_cpu_control *control);

/*
 * Make a complete control of this machine's processor (TSC on, a-mode) from a list of its own events,
 * separated by commas, and place them on counters. Returns the number of counters; they stand in the
 * list's order. *control is only written on success. EINVAL: not an event; ENOSPC: perfctr_error()
 * names the events that can't be counted together; EOPNOTSUPP: one of them can't be counted at all;
 * ENOENT: there is no table of events for this processor.
 */
int perfctr_cpu_control_events(struct perfctr_cpu_control *control, const char *events);

/*
 * The same for the processor with the id cpu (NULL: this machine's), whatever machine this is; the
 * control is printed on standard output. Errors as above; ENOENT also: there is no such processor.
 */
int perfctr_cpu_events_print(const char *cpu, const char *events);

/*
 * Call each() for every processor that the library knows (name: its id, description: its name), or
 * for every event of the processor with the id cpu (NULL: this machine's), until it returns non-zero;
 * return that, or 0. ENOENT: there is no such processor, or no table for it.
 */
int perfctr_cpu_list(int (*each)(void *arg, const struct perfctr_event_name *), void *arg);
int perfctr_cpu_event_list(const char *cpu, int (*each)(void *arg, const struct perfctr_event_name *),
			   void *arg);

/* ---- the machine ---- */

/* Sets of processors: one block of memory, to be given to free(). */
struct perfctr_cpus_info {
	struct perfctr_cpu_mask *cpus;
	struct perfctr_cpu_mask *cpus_forbidden;
};

/*
 * Facts about the processor and the provider. fd, historically an open perfctr descriptor, is only
 * looked at by the driver. perfctr_get_info() needs none. EINVAL: info is NULL.
 */
int perfctr_info(int fd, struct perfctr_info *info);
int perfctr_get_info(struct perfctr_info *info);

/* The processors that exist, and those on which counters must not be used. ENOMEM. */
struct perfctr_cpus_info *perfctr_cpus_info(int fd);

/* Number of counters; 0 if there are none that this program can use. */
unsigned int perfctr_info_nrctrs(const struct perfctr_info *info);

/* Name of the processor type, "?" if it is not known. */
const char *perfctr_info_cpu_name(const struct perfctr_info *info);

/* Print on standard output. */
void perfctr_info_print(const struct perfctr_info *info);
void perfctr_cpus_info_print(const struct perfctr_cpus_info *info);
void perfctr_cpu_control_print(const struct perfctr_cpu_control *control);

/* Name of the provider that an open without flags chooses: "driver" or "perf". NULL, EINVAL:
   PERFCTR_PROVIDER names none. */
const char *perfctr_provider_name(void);

/* What may stand between a program and its counters: one line of a diagnosis. */
struct perfctr_check {
	const char *name;	/* what was looked at, e.g. "PMU", "paranoid level" */
	const char *state;	/* what was found, e.g. "4" */
	const char *remedy;	/* what to change if something does not work; empty if all is well */
	int ok;			/* zero: something does not work because of this */
};

/*
 * Look at everything that decides what can be counted here, and call each() with each finding,
 * until it returns non-zero; return that, or 0. Strings are valid during the call only.
 */
int perfctr_doctor(int (*each)(void *arg, const struct perfctr_check *), void *arg);

/* 0 if a provider's abi_version is compatible with the program's, else -1 and EPROTO. */
int _perfctr_abi_check_fd(int fd, unsigned int user_abi_version);
static inline int perfctr_abi_check_fd(int fd)
{
	return _perfctr_abi_check_fd(fd, PERFCTR_ABI_VERSION);
}

/* ---- descriptions of processors' events ---- */

enum perfctr_unit_mask_type {
	perfctr_um_type_fixed,		/* one required value */
	perfctr_um_type_exclusive,	/* exactly one of the values */
	perfctr_um_type_bitmask,	/* any of the values, or'ed */
};

struct perfctr_unit_mask_value {
	unsigned int value;
	const char *description;	/* [NAME:]text */
};

struct perfctr_unit_mask {
	unsigned short default_value;
	enum perfctr_unit_mask_type type:8;
	unsigned char nvalues;
	struct perfctr_unit_mask_value values[1];	/* nvalues of them */
};

struct perfctr_event {
	unsigned short evntsel;
	unsigned short counters_set;	/* bit n: counter n can count it */
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
 * The events of a processor type of this ISA, for the program's whole life; descriptions are empty.
 * NULL: ENOENT, there is no table for it; ENOMEM.
 */
const struct perfctr_event_set *perfctr_cpu_event_set(unsigned int cpu_type);

/* ---- another thread's virtual counters ---- */

struct rvperfctr;	/* opaque */

/*
 * Open the counter state of the thread with the id pid, making one if it has none. The thread must
 * be stopped under the calling thread's ptrace(2), now and in every other call but
 * rvperfctr_close(). When it has ended, or its state was unlinked, the final sums can still be
 * read. The functions do what those named vperfctr_* do, for that thread. Closing leaves the state
 * to its thread, where it counts on.
 *
 * This is the driver's: perf_events counts other threads by perfctr_group_open().
 *
 * EOPNOTSUPP: there is no driver, or PERFCTR_PROVIDER forbids it. ESRCH: there is no such thread,
 * or it is not stopped under this thread's ptrace. EPERM: not permitted. EINVAL: pid is not
 * positive; remote or a result's place is NULL; PERFCTR_PROVIDER names no provider. EACCES: the driver's device may not be opened.
 * EPROTO: the driver speaks another major version of the ABI. EMFILE, ENFILE, ENOMEM.
 * rvperfctr_control() also as vperfctr_control().
 */
struct rvperfctr *rvperfctr_open(int pid);
int rvperfctr_pid(const struct rvperfctr *remote);
int rvperfctr_info(const struct rvperfctr *remote, struct perfctr_info *info);
int rvperfctr_read_ctrs(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum);
int rvperfctr_read_state(const struct rvperfctr *remote, struct perfctr_sum_ctrs *sum,
			 struct vperfctr_control *control);
int rvperfctr_control(const struct rvperfctr *remote, struct vperfctr_control *control);
int rvperfctr_stop(const struct rvperfctr *remote);
int rvperfctr_unlink(const struct rvperfctr *remote);
void rvperfctr_close(struct rvperfctr *remote);

/* ---- system-wide counters ---- */

/* In this release every one of these fails with EOPNOTSUPP. */
struct gperfctr;	/* opaque */

struct gperfctr *gperfctr_open(void);
void gperfctr_close(struct gperfctr *global);
int gperfctr_control(const struct gperfctr *global, struct gperfctr_cpu_control *control);
int gperfctr_read(const struct gperfctr *global, struct gperfctr_cpu_state *state);
int gperfctr_stop(const struct gperfctr *global);
int gperfctr_start(const struct gperfctr *global, unsigned int interval_usec);
int gperfctr_info(const struct gperfctr *global, struct perfctr_info *info);
struct perfctr_cpus_info *gperfctr_cpus_info(const struct gperfctr *global);

/* ---- raw calls ---- */

/*
 * The driver's calls, one each, on descriptors. A state's descriptor can be mapped (PROT_READ, one
 * page: struct vperfctr_state), passed on and outlives its thread, when it still reads the final
 * sums. sys_perfctr_info() works with both providers; EOVERFLOW: cpus or forbidden has too little
 * room, nrwords now says how much is needed.
 *
 * tid 0 is the calling thread. Another thread must be stopped under the caller's ptrace(2), and so
 * must the owner of a descriptor, unless the caller is the owner, or reads and is a thread of the
 * same process.
 *
 * EOPNOTSUPP: there is no driver, or the control takes what no thread can have to itself. EEXIST:
 * creat, and the thread has a state. ENODEV: no creat, and it has none. ESRCH: no such thread, or
 * not stopped; in control and iresume also: unlinked. EPERM: not permitted. EBUSY: somebody else
 * holds the counters. EINVAL: the control breaks a rule; nothing to resume. EBADF: fd is no such
 * descriptor. EACCES, EPROTO, EMFILE, ENFILE, ENOMEM: as rvperfctr_open().
 */
int sys_perfctr_info(struct perfctr_info *info, struct perfctr_cpu_mask *cpus,
		     struct perfctr_cpu_mask *forbidden);
int sys_vperfctr_open(int tid, int creat);
int sys_vperfctr_control(int fd, const struct vperfctr_control *control);
int sys_vperfctr_unlink(int fd);
int sys_vperfctr_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control);
int sys_vperfctr_iresume(int fd);

/* The same under libperfctr 2.6's names. */
int _vperfctr_open(int creat);
int _vperfctr_control(int fd, const struct vperfctr_control *control);
int _vperfctr_read_control(int fd, struct vperfctr_control *control);
int _vperfctr_read_sum(int fd, struct perfctr_sum_ctrs *sum);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBPERFCTR_H */
