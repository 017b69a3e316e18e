// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * At the execve(2) of a program that is set-user-ID, has capabilities, or can't be read, the kernel
 * ends the thread's events (begin_new_exec() of fs/exec.c), whoever has opened them. Their counts
 * and times do not change from then on, as if the thread had ended; neither read(2) nor poll(2) nor
 * ioctl(2) tells the difference.
 *
 * But records do: begin_new_exec() writes COMM, and EXIT where it ends the events. Both come before
 * anything of the program is mapped, and a program that runs has at least one mapping that is
 * executable. So EXIT after COMM, without MMAP between them, means a program that was not counted.
 *
 * The records (lives.c) are those of all threads of the system if the caller has the right to them;
 * FORK and EXIT tell which threads descend from the counted ones (family.c). Without that right,
 * records of descendants cost each fork one event more for each processor: they come only if they
 * are asked for; else only the counted thread has records, and they tell whether it has created
 * others, whose ends nobody sees.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/cpus.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/memory.h"
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/execs.h"
#include "lib/perf/family.h"
#include "lib/perf/lives.h"
#include "libperfctr.h"

struct perfctr_execs {
	struct perfctr_witness witness; /* comes first: see of() */
	size_t size;			/* of the whole structure */
	unsigned int n;			/* scopes */
	bool creates, forks;		/* events count threads that are created; and processes */
	bool shares;			/* the records are those of all threads */
	bool alone;			/* only the first scope's thread has records */
	bool created;			/* it has created others that are counted */
	bool any;			/* some events have ended, or may have */
	bool lost;			/* records were lost */
	struct perfctr_lives *lives;
	struct perfctr_family family;
	uint32_t pid; /* the first program that ended events; 0: none */
	char name[PERFCTR_NAME_OF_THREAD];
	bool ended[]; /* by scope */
};

static struct perfctr_execs *of(struct perfctr_witness *witness)
{
	return (struct perfctr_execs *)witness;
}

/* ---- seeing ---- */

static void lose(struct perfctr_witness *witness)
{
	struct perfctr_execs *execs = of(witness);

	execs->lost = execs->created = true;
	/* What was lost may be that of other programs. */
	if (execs->shares)
		return;
	execs->any = true;
	memset(execs->ended, true, execs->n * sizeof(*execs->ended));
}

static void add(struct perfctr_execs *execs, const struct perfctr_member *member)
{
	if (!perfctr_family_add(&execs->family, member))
		lose(&execs->witness);
}

/* A thread has created another. */
static void see_fork(struct perfctr_execs *execs, const struct perfctr_life *task)
{
	const struct perfctr_member *parent = perfctr_family_find(&execs->family, task->ptid);

	if (!parent || !execs->creates || (task->pid != task->ppid && !execs->forks))
		return;
	execs->created = true;
	if (!execs->alone)
		add(execs, &(struct perfctr_member){
				   .tid = task->tid, .pid = task->pid, .scope = parent->scope });
}

/*
 * Finds the thread that executes a program. One that was not its process's first has that one's id
 * from now on. NULL: it is not counted.
 */
static struct perfctr_member *find_executing(struct perfctr_execs *execs,
					     const struct perfctr_life *comm)
{
	struct perfctr_member *member = perfctr_family_find(&execs->family, comm->tid), first;

	if (member)
		return member;
	/* Only a process of several threads has one that is not its first. */
	member = execs->family.nothers ? perfctr_family_of_process(&execs->family, comm->pid)
				       : NULL;
	if (!member)
		return NULL;
	first = *member;
	perfctr_family_remove(&execs->family, member->tid);
	first.tid = comm->tid;
	add(execs, &first);
	return perfctr_family_find(&execs->family, comm->tid);
}

/* A thread executes a program, which has mapped nothing yet. */
static void see_exec(struct perfctr_execs *execs, const struct perfctr_life *comm)
{
	struct perfctr_member *member = find_executing(execs, comm);

	if (!member)
		return;
	member->executes = true;
	memcpy(member->name, comm->name, strnlen(comm->name, sizeof(member->name) - 1) + 1);
	member->name[sizeof(member->name) - 1] = '\0';
}

/* The program of a thread runs. */
static void see_map(struct perfctr_execs *execs, uint32_t tid)
{
	struct perfctr_member *member = perfctr_family_find(&execs->family, tid);

	if (member)
		member->executes = false;
}

static void see_end(struct perfctr_execs *execs, const struct perfctr_life *task)
{
	const struct perfctr_member *member = perfctr_family_find(&execs->family, task->tid);

	if (!member)
		return;
	/* Where records were lost, one may have said that the program runs. */
	if (member->executes && !execs->lost) {
		if (!execs->pid) {
			execs->pid = task->pid;
			memcpy(execs->name, member->name, sizeof(execs->name));
		}
		execs->any = execs->ended[member->scope] = true;
	}
	perfctr_family_remove(&execs->family, task->tid);
}

static void see(struct perfctr_witness *witness, const struct perfctr_life *life)
{
	struct perfctr_execs *execs = of(witness);

	switch (life->type) {
	case PERF_RECORD_COMM: see_exec(execs, life); break;
	case PERF_RECORD_MMAP: see_map(execs, life->tid); break;
	case PERF_RECORD_FORK: see_fork(execs, life); break;
	case PERF_RECORD_EXIT: see_end(execs, life); break;
	}
}

/* ---- beginning ---- */

bool perfctr_execs_may_come(const struct perfctr_scope *scope, unsigned int n, unsigned int flags)
{
	if (!n || scope[0].tid < 0)
		return false;
	return flags & PERFCTR_INHERIT || (n == 1 && scope[0].tid > 0);
}

/* Returns the process of a thread; where /proc does not tell, itself. */
static uint32_t process_of(pid_t tid)
{
	char path[64], text[1024], *line = NULL;

	/* The kernel knows the thread in the process that has its number, if there is one. */
	if (syscall(SYS_tgkill, tid, tid, 0) == 0 || errno != ESRCH)
		return (uint32_t)tid;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	if (perfctr_file_read(path, text, sizeof(text)) >= 0 || errno == EFBIG) {
		text[sizeof(text) - 1] = '\0';
		line = strstr(text, "\nTgid:");
	}
	return line ? (uint32_t)atoi(line + sizeof("\nTgid:") - 1) : (uint32_t)tid;
}

/* The threads of several scopes are those of one process. */
static void add_scopes(struct perfctr_execs *execs, const struct perfctr_scope *scope)
{
	struct perfctr_member member = { .executes = false };
	unsigned int i;
	pid_t tid;

	for (i = 0; i < execs->n; i++) {
		tid = scope[i].tid ? scope[i].tid : (pid_t)syscall(SYS_gettid);
		member.tid = (uint32_t)tid;
		member.pid = i ? member.pid : scope[i].tid ? process_of(tid) : (uint32_t)getpid();
		member.scope = i;
		add(execs, &member);
	}
}

/*
 * The processors that a thread may run on: those of its cpuset that are online. A program may leave
 * those that its affinity names. Where the cpuset can't be found, all that are online.
 */
static bool find_cpus(pid_t tid, uint32_t *cpus)
{
	static const char *const files[] = { "/sys/fs/cgroup%s/cpuset.cpus.effective",
					     "/sys/fs/cgroup/cpuset%s/cpuset.effective_cpus" };
	char name[64], path[512], file[600];
	uint32_t set[PERFCTR_CPU_WORDS];
	unsigned int i, w, nset = 0;

	if (!perfctr_cpus_online(cpus))
		return false;
	snprintf(name, sizeof(name), "/proc/%d/cpuset", (int)tid);
	if (perfctr_file_read(tid ? name : "/proc/self/cpuset", path, sizeof(path)) <= 0)
		return true;
	/* A cgroup without the controller is in the set of the one above. */
	for (; !nset; *strrchr(path, '/') = '\0') {
		for (i = 0; i < 2 && !nset; i++) {
			snprintf(file, sizeof(file), files[i], path);
			nset = perfctr_cpus_read(file, set);
		}
		if (!strchr(path, '/'))
			break;
	}
	for (w = 0; nset && w < PERFCTR_CPU_WORDS; w++)
		cpus[w] &= set[w];
	return true;
}

/* Gets the records, in the best way that there is. */
static void open_lives(struct perfctr_execs *execs, const struct perfctr_scope *scope,
		       unsigned int flags)
{
	uint32_t cpus[PERFCTR_CPU_WORDS] = { 0 };

	if (execs->creates)
		execs->lives = perfctr_lives_of_all(flags, &execs->witness);
	execs->shares = execs->lives != NULL;
	if (!execs->lives && execs->creates && flags & PERFCTR_WATCH &&
	    find_cpus(scope[0].tid, cpus))
		execs->lives = perfctr_lives_of(scope, execs->n, cpus, flags, &execs->witness);
	execs->alone = !execs->lives;
	if (!execs->lives && execs->n == 1)
		execs->lives = perfctr_lives_of(scope, 1, NULL, flags, &execs->witness);
}

static struct perfctr_execs *make(unsigned int n)
{
	size_t size = sizeof(struct perfctr_execs) + n * sizeof(bool);
	struct perfctr_execs *execs = perfctr_memory_take(size);

	if (!execs)
		return NULL;
	execs->size = size;
	execs->n = n;
	execs->witness = (struct perfctr_witness){ .see = see, .miss = lose };
	return execs;
}

struct perfctr_execs *perfctr_execs_watch(const struct perfctr_scope *scope, unsigned int n,
					  unsigned int flags)
{
	struct perfctr_execs *execs;
	int error = errno;

	if (!perfctr_execs_may_come(scope, n, flags))
		return NULL;
	execs = make(n);
	if (execs) {
		execs->creates = flags & PERFCTR_INHERIT;
		execs->forks = execs->creates && !(flags & PERFCTR_EVENTS_THREADS);
		add_scopes(execs, scope);
		open_lives(execs, scope, flags);
		if (!execs->lives) {
			perfctr_execs_end(execs);
			execs = NULL;
		}
	}
	errno = error;
	return execs;
}

void perfctr_execs_end(struct perfctr_execs *execs)
{
	int error = errno;

	if (!execs)
		return;
	if (execs->lives)
		perfctr_lives_leave(execs->lives, &execs->witness);
	perfctr_family_end(&execs->family);
	perfctr_memory_give(execs, execs->size);
	errno = error;
}

/* ---- looking ---- */

void perfctr_execs_look(struct perfctr_execs *execs)
{
	perfctr_lives_look(execs->lives);
}

bool perfctr_execs_has_ended(const struct perfctr_execs *execs, unsigned int i)
{
	return execs->any && execs->ended[i];
}

bool perfctr_execs_sees_all(const struct perfctr_execs *execs)
{
	return execs->alone ? !execs->created : !execs->lost;
}

int perfctr_execs_running(struct perfctr_execs *execs, const struct perfctr_counter *counter,
			  unsigned int *running, bool *exactly)
{
	bool goes_on;

	perfctr_execs_look(execs);
	if (execs->alone) {
		if (perfctr_lives_go_on(execs->lives, counter, &goes_on) < 0)
			return -1;
		*running = goes_on;
		*exactly = !goes_on || !execs->creates;
		return 0;
	}
	if (perfctr_lives_check(execs->lives) < 0)
		return -1;
	*running = perfctr_family_processes(&execs->family);
	*exactly = !execs->lost;
	return 0;
}

#define WHY                                                                                    \
	"may not be traced, as it is set-user-ID, has capabilities or can't be read, so that " \
	"the kernel stopped counting it at its execve(2); run everything as root, or count "   \
	"whole processors"

int perfctr_execs_fail(void)
{
	return perfctr_fail(ESTALE, "a program " WHY);
}

int perfctr_execs_check(struct perfctr_execs *execs)
{
	perfctr_execs_look(execs);
	if (execs->pid)
		return perfctr_fail(ESTALE, "%s (process %u) " WHY, execs->name, execs->pid);
	if (execs->lost && !execs->shares)
		return perfctr_fail(
			ESTALE,
			"records of programs that began and ended were lost, as there were more "
			"than the buffers hold, so that nobody knows whether all were counted to "
			"their ends; read more often");
	return perfctr_lives_check(execs->lives);
}
