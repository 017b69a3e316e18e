// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Explores the driver's sources: a thread, its tracer and others make calls, and a kill, interrupts
 * and the scheduler come in between, at each access to memory. Nothing that was freed is used,
 * counters run where and while they must, and nothing is left at the end.
 *
 *	driver [SCENARIO...]	all
 *
 * EXPLORE_PREEMPTIONS in the environment says how often one is interrupted in an order: 2.
 * EXPLORE_ORDERS limits the orders of each scenario; "more" says where there are others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <perfctr/calls.h>
#include "driver/calls.h"
#include "driver/state.h"
#include "driver/thread.h"
#include "tests/explore/hardware.h"
#include "tests/explore/world.h"

/*
 * What each context does, a letter for each.
 * A thread: U returns to user mode; S stops at a signal; Y stops at a call, which the next letter
 * is; O opens, o without creat, C controls, I with an i-mode counter, N with nothing, V resumes, R
 * reads, u unlinks, B makes calls by the first descriptor, which have no effect, M maps, m unmaps,
 * X closes, E executes, H what is hidden, F forks, P yields its processor. At the end
 * it exits. A tracer: W waits until its thread has stopped, or ended; O to X on the thread; K lets
 * it continue, L listens, D detaches, T kills it; Z waits for its end, after which calls must fail.
 * A process that shares the memory waits for the end of the thread. Nature: k kills the thread, p
 * preempts on the first processor, q on the second, i overflows on the first, t is the timer, w as
 * well on the second; c continues a stopped process; d ends the delay of what was put off.
 */
struct scenario {
	const char *name, *thread, *tracer, *second, *sibling, *nature;
	unsigned int cpus; /* of thread and sibling; 0: both */
	bool shares_memory, other_process, traces_exit, no_descriptor, no_page, unload,
		close_on_exec, one_hash;
	bool is_large; /* explored with one preemption less */
};

static const struct scenario scenarios[] = {
	{ "undisturbed", "SUSUYUU", "WOCRMKWRCRuOICRKWRNRuKZ" },
	{ "late open", "S", "WOuOKZ", .nature = "k" },
	{ "late open, at a call", "YU", "WOuOKZ", .nature = "k" },
	{ "late open, at the exit", "", "WOuOKZ", .nature = "k", .traces_exit = true },
	{ "late first open", "S", "WOCKZ", .nature = "k" },
	{ "late control", "SU", "WOCCKZ", .nature = "k" },
	{ "late unlink", "SU", "WOCuKZ", .nature = "k" },
	{ "late unlink of one that was away", "SUS", "WOCKWuOCKZ", .nature = "k" },
	{ "no descriptor", "S", "WOOKZ", .nature = "k", .no_descriptor = true },
	{ "listening", "SU", "WLOCKZ", .nature = "c" },
	{ "listening, given before", "SU", "WOLuOKZ", .nature = "c" },
	{ "listening, killed", "SU", "WOLCKZ", .nature = "kc" },
	{ "a tracer's second thread", "SUU", "WOCKZ", "RCu" },
	{ "a tracer's second thread maps", "SUU", "WOCKZ", "MX" },
	{ "a tracer's second thread, killed", "S", "WOKZ", "Ru", .nature = "k" },
	{ "its own", "OCURu", .nature = "pk", .cpus = 1 },
	{ "its own, on two processors", "OCUUu", .nature = "pq" },
	{ "its own, again", "OCUuOCUX", .nature = "p" },
	{ "its own, by an old descriptor", "OCuOCBURu" },
	{ "its own, mapped by a sibling", "OCUU", NULL, NULL, "UMmU" },
	{ "its own, unlinked as a sibling maps", "OCuU", NULL, NULL, "UMU" },
	{ "opened again beside a kill", "SU", "WOCXoKZ", .nature = "k" },
	{ "its own, found by a sibling", "OCMUXU", NULL, NULL, "URRXU", .nature = "p" },
	{ "its own, unlinked beside a read", "OCUuU", NULL, NULL, "URRXU", .nature = "p" },
	{ "handed over", "OCUPUPU", NULL, NULL, "OCUPUPU", "p", .cpus = 1, .is_large = true },
	{ "handed over, and unlinked", "OCUPUuPU", NULL, NULL, "OCUPUuU", .cpus = 1 },
	{ "handed over to one without counters", "OCUPUuPUOPU", NULL, NULL, "OCUPUPU", .cpus = 1 },
	{ "found by the same hash", "OCUuU", NULL, NULL, "OCUX", .one_hash = true,
	  .is_large = true },
	{ "unlinked, and preempted", "SUSUU", "WOCKWuKZ", .nature = "p", .cpus = 1 },
	{ "not handed over to another control", "OIUPUPU", NULL, NULL, "OCUPUPU", .cpus = 1 },
	{ "not handed over to a clock", "OCUPUPU", NULL, NULL, "ONUPUPU", .cpus = 1 },
	{ "not handed over to another process", "OCUPUPU", NULL, NULL, "OCUPUPU", .cpus = 1,
	  .other_process = true },
	{ "not handed over by one without counters", "SUSUPUPU", "WOCKWuKZ", NULL, "OCUPUPUPU",
	  .cpus = 1, .is_large = true },
	{ "from process to process", "OCUuUU", NULL, NULL, "UUU", "pp", .cpus = 1,
	  .other_process = true },
	{ "overflow", "OIUVUu", .nature = "ip" },
	{ "overflow at a call, resumed by a tracer", "OIYU", "WoVK", .nature = "ii", .cpus = 1 },
	{ "overflow over exec", "OIUHU", .nature = "ip" },
	{ "overflow, unlinked by a tracer", "SUS", "WOIKWuXKZ", .nature = "i", .cpus = 1 },
	{ "timer", "OCUUu", .nature = "tp" },
	{ "interrupts as it exits", "OIU", .nature = "it" },
	{ "exec", "OCMUEU", .nature = "pi", .shares_memory = true },
	{ "exec, mapped again", "OCMUEoU", .nature = "p" },
	{ "exec without memory", "OCMUEU", .nature = "p", .shares_memory = true, .no_page = true },
	{ "exec of what is hidden", "OCMUHU", NULL, NULL, "UUU", "p", .cpus = 1,
	  .other_process = true },
	{ "exec, close on exec", "OCMUEU", .nature = "p", .close_on_exec = true },
	{ "exec of what is hidden, traced", "SHU", "WOCKZ", .nature = "kp" },
	{ "exec, traced", "SEU", "WOCKZ", .nature = "kp" },
	{ "exec, traced, unlinked before", "SEU", "WOuKZ", .nature = "k" },
	{ "exec at a call", "YEU", "WOCKZ", .nature = "k" },
	{ "exec of what is hidden, at a call", "YHU", "WOCKZ", .nature = "k" },
	{ "a tracer leaves", "SUU", "WOCDZ", .nature = "k" },
	{ "a tracer kills", "SU", "WOCTuZ" },
	{ "fork", "OCMFUmU", .nature = "p" },
	{ "unload", "OCUX", .nature = "p", .unload = true },
	{ "links one after the other", "OuOuU", .nature = "dd" },
	{ "a link of each of two threads", "OU", NULL, NULL, "OU", .nature = "dd",
	  .is_large = true },
	{ "unload after two links", "OUuOX", .nature = "dd", .unload = true },
	{ "unload after links of two threads", "OU", NULL, NULL, "OU", .nature = "d",
	  .unload = true, .is_large = true },
	{ "unload after a late tracer", "S", "WOK", .nature = "k", .unload = true },
};

static const struct scenario *s;
static struct task_struct *thread, *tracer;
static bool ever_counted;
static unsigned int counted; /* instructions of the thread, since the last control */

/* ---- the driver's calls ---- */

static bool is_sibling(const struct task_struct *task)
{
	return task != thread && task != tracer;
}

int world_open(int tid, bool creat)
{
	int fd = calls_open(tid, creat);

	if (fd < 0 && fd != -ESRCH && fd != -EEXIST && fd != -ENODEV && fd != -EMFILE &&
	    fd != -EINTR)
		fiber_fail("an open's error is not known");
	if (fd >= 0 && creat && !is_sibling(get_current()))
		counted = 0;
	return fd;
}

static int control(unsigned int a_mode, unsigned int i_mode)
{
	struct vperfctr_control c = {
		.si_signo = 10,
		.cpu_control = { .tsc_on = 1, .nractrs = a_mode, .nrictrs = i_mode },
		.flags = s->close_on_exec ? VPERFCTR_CONTROL_CLOEXEC : 0,
	};
	struct perfctr_call_control call = { .control = (uintptr_t)&c, .control_size = sizeof(c) };
	int err = world_ioctl(PERFCTR_IOC_CONTROL, &call);

	if (!err && !is_sibling(get_current()))
		counted = 0;
	return err;
}

static int read_sums(void)
{
	struct perfctr_sum_ctrs sum;
	struct perfctr_call_read call = { .sum = (uintptr_t)&sum, .sum_size = sizeof(sum) };
	int err = world_ioctl(PERFCTR_IOC_READ, &call);

	if (!err && !is_sibling(get_current()) && sum.pmc[0] != counted)
		fiber_fail("sums are wrong");
	return err;
}

/* The first descriptor is of counters that its thread has no longer: whatever it has now stays. */
static int call_on_old(void)
{
	int error;

	world_use_oldest(true);
	error = control(1, 0) != -ESRCH || world_ioctl(PERFCTR_IOC_IRESUME, NULL) != -ESRCH ||
		world_ioctl(PERFCTR_IOC_UNLINK, NULL);
	world_use_oldest(false);
	if (error)
		fiber_fail("counters that were unlinked can be changed");
	return 0;
}

/* The calls that threads and tracers have in common. */
static int call(char what, int tid)
{
	switch (what) {
	case 'O': return world_open(tid, true);
	case 'o': return world_open(tid, false);
	case 'C': return control(1, 0);
	case 'I': return control(0, 1);
	case 'N': return control(0, 0);
	case 'V': return world_ioctl(PERFCTR_IOC_IRESUME, NULL);
	case 'R': return read_sums();
	case 'u': return world_ioctl(PERFCTR_IOC_UNLINK, NULL);
	case 'M': return world_mmap();
	case 'm': world_munmap(); return 0;
	case 'X': return world_close();
	case 'B': return call_on_old();
	case 'P': world_yield(); return 0;
	}
	fiber_fail("this is no call");
}

/* ---- the contexts ---- */

/* Its own calls succeed, unless it is killed, or a sibling has closed the descriptor. */
static void expect_own(int result)
{
	if (result < 0 && !fatal_signal_pending(thread) && !(s->sibling && result == -EBADF))
		fiber_fail("a thread's own call fails");
}

/* A program that hides, or a control that ends with the program, leaves it no counters. */
static void execute(bool hides)
{
	world_exec(hides);
	if ((hides || s->close_on_exec) && world_open(0, false) != -ENODEV)
		fiber_fail("a program has counters that are not for it");
}

static void be_thread(void *script)
{
	const char *p;

	world_become(get_current());
	world_return();
	for (p = script; *p; p++) {
		switch (*p) {
		case 'U': break;
		case 'S': world_stop_at_signal(); break;
		case 'Y': world_stop_at_call(); continue;
		case 'E':
		case 'H': execute(*p == 'H'); break;
		case 'F': world_fork(); break;
		case 'V': call(*p, 0); break;
		default: expect_own(call(*p, 0));
		}
		world_return();
	}
	world_exit();
}

/* Nobody disturbs the tracer, which does what it may. */
static void expect_success(char what, int result)
{
	if (s->nature || s->second || s->no_descriptor || strchr(s->tracer, 'T'))
		return;
	if (what == 'M' ? result != -ESRCH : result < 0)
		fiber_fail("a tracer's call fails, or succeeds that must not");
}

static void after_its_end(void)
{
	int error;

	fiber_wait(world_is_dead, thread);
	if (!s->second && !s->sibling && hardware_is_reserved())
		fiber_fail("the hardware is still reserved for a thread that has ended");
	if (world_open(thread->pid, true) != -ESRCH)
		fiber_fail("counters are opened of a thread that has ended");
	error = control(1, 0);
	if (error != -ESRCH && error != -EBADF)
		fiber_fail("an ended thread's counters are changed");
	error = read_sums();
	if (error && error != -EBADF)
		fiber_fail("final sums can't be read");
	error = call('u', 0);
	if (error && error != -EBADF)
		fiber_fail("an ended thread's counters are still its own");
}

static void be_tracer(void *script)
{
	const char *p;

	for (p = script; *p; p++)
		switch (*p) {
		case 'W': fiber_wait(world_is_stopped, thread); break;
		case 'K': world_continue(thread); break;
		case 'L': world_listen(thread); break;
		case 'D': world_detach(thread); break;
		case 'T': world_kill(thread); break;
		case 'Z': after_its_end(); break;
		default: expect_success(*p, call(*p, thread->pid));
		}
	if (fiber_has(thread))
		world_detach(thread);
	put_task_struct(thread);
	world_exit();
}

static void be_second(void *script)
{
	const char *p;

	for (p = script; *p; p++)
		call(*p, 0);
	world_exit();
}

/* A process that has the same memory, and does nothing. */
static void be_process(void *unused)
{
	(void)unused;
	fiber_wait(world_is_dead, thread);
	put_task_struct(thread);
	world_exit();
}

static void be_sibling(void *script)
{
	const char *p;

	world_become(get_current());
	for (p = script; *p; p++) {
		if (*p != 'U')
			call(*p, 0);
		world_return();
	}
	world_exit();
}

static void be_nature(void *what)
{
	switch (*(const char *)what) {
	case 'k': world_kill(thread); break;
	case 'p': world_preempt(0); break;
	case 'q': world_preempt(1); break;
	case 'i': world_interrupt(0, OVERFLOW); break;
	case 't': world_interrupt(0, TIMER); break;
	case 'w': world_interrupt(1, TIMER); break;
	case 'c': world_sigcont(thread); break;
	case 'd': world_delay_is_over(); break;
	}
	put_task_struct(thread);
}

static void be_administrator(void *unused)
{
	(void)unused;
	world_unload();
}

static void start(const char *name, void (*run)(void *), const char *script)
{
	fiber_start(name, run, (void *)(uintptr_t)script);
}

/* ---- what must hold ---- */

/* The counters of the link that the scheduler knows of a task, if its control wants them to run. */
static const struct vperfctr *counters_of(const struct task_struct *task)
{
	const struct hlist_node *node = task->preempt_notifiers.first;
	const struct vthread *t = container_of(node, struct vthread, notifier.link);

	return node && t->link.bound && perfctr_cstatus_enabled(t->counters->cstatus) ? t->counters
										      : NULL;
}

/* An overflow that a thread was not told of; what it has to know is on its way. */
static bool is_untold(const struct task_struct *task)
{
	const struct hlist_node *node = task->preempt_notifiers.first;
	const struct vthread *t = container_of(node, struct vthread, notifier.link);
	const struct vperfctr *self = node ? t->counters : NULL;

	return self && (self->overflowed.counter || self->trespassed.counter) &&
	       !self->signalling.counter && !self->notify.pending && !self->notify.busy;
}

void look_at_user(struct task_struct *task, unsigned int cpu)
{
	const struct vperfctr *owner;
	const struct mm_struct *left;

	if (task->task_works && !task->model.notified)
		fiber_fail("a thread is in user mode before its task work");
	if (!task->model.cpus)
		return;
	hardware_step(cpu);
	owner = hardware_owner(cpu);
	if (task == thread && owner && perfctr_cstatus_nrctrs(owner->cstatus)) {
		counted++;
		ever_counted = true;
	}
	left = hardware_left(cpu);
	if (owner && (!fiber_has(owner) || owner != counters_of(task)))
		fiber_fail("another's counters count in user mode");
	if (hardware_counts(cpu) != (owner != NULL))
		fiber_fail("counters count that nobody knows of, or don't");
	if (left && (left != task->mm || !task->preempt_notifiers.first))
		fiber_fail("another's counts can be seen in user mode");
	if (is_untold(task))
		fiber_fail("a thread is not told of an overflow");
	if (!owner && counters_of(task))
		fiber_fail("a thread is not counted in user mode");
}

void look_at_old_page(const void *page)
{
	const struct perfctr_cpu_state *state = page;

	if (fiber_has(page) && state->cstatus)
		fiber_fail("a page that was left says that counters run");
}

/* ---- a scenario ---- */

static void begin(void)
{
	const struct faults faults = { .no_descriptor = s->no_descriptor,
				       .no_page = s->no_page,
				       .one_hash = s->one_hash };
	unsigned int cpus = s->cpus ? s->cpus : 3, i;

	world_begin(&faults);
	hardware_begin();
	counted = 0;
	tracer = NULL;
	thread = world_task(NULL, true, cpus);
	thread->model.traces_exit = s->traces_exit;
	start("thread", be_thread, s->thread);
	if (s->tracer) {
		tracer = world_task(NULL, true, 0);
		thread->parent = tracer;
		thread->ptrace = 1;
		thread->usage++;
		start("tracer", be_tracer, s->tracer);
	}
	if (s->second) {
		world_task(tracer, false, 0);
		start("second", be_second, s->second);
	}
	if (s->sibling) {
		world_task(s->other_process ? NULL : thread, s->other_process, cpus);
		start("sibling", be_sibling, s->sibling);
	}
	if (s->shares_memory) {
		world_task(thread, true, 0);
		thread->usage++;
		start("process", be_process, NULL);
	}
	for (i = 0; s->nature && s->nature[i]; i++) {
		thread->usage++;
		start("nature", be_nature, s->nature + i);
	}
	if (s->unload)
		start("administrator", be_administrator, NULL);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void explore(unsigned int preemptions, unsigned int limit, struct fibers_sum *total)
{
	struct fibers_sum sum = { 0 };
	double from = seconds();
	bool is_whole;

	ever_counted = false;
	is_whole = fibers_explore(s->name, preemptions - (s->is_large && preemptions), begin,
				  world_end, limit, &sum);
	if ((!s->tracer && strstr(s->thread, "CU")) || !strcmp(s->name, "undisturbed"))
		if (!ever_counted)
			fiber_fail("the thread is never counted");
	printf("%s: %llu orders%s, %llu states, %.1f s\n", s->name,
	       (unsigned long long)sum.executions, is_whole ? "" : " and more",
	       (unsigned long long)sum.states, seconds() - from);
	fflush(stdout);
	total->executions += sum.executions;
	total->states += sum.states;
}

static bool is_asked_for(int argc, char **argv, const char *name)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], name) != 0; i++)
		;
	return !argc || i < argc;
}

static unsigned int number_in(const char *variable, unsigned int otherwise)
{
	const char *words = getenv(variable);

	return words ? (unsigned int)strtoul(words, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	const unsigned int preemptions = number_in("EXPLORE_PREEMPTIONS", 2),
			   limit = number_in("EXPLORE_ORDERS", 0);
	unsigned int i;
	struct fibers_sum total = { 0 };

	if (!fibers_work()) {
		printf("SKIP there are no coroutines for this processor\n");
		return 77;
	}
	for (i = 0; i < ARRAY_SIZE(scenarios); i++) {
		s = &scenarios[i];
		if (is_asked_for(argc - 1, argv + 1, s->name))
			explore(preemptions, limit, &total);
	}
	printf("%u preemptions: %llu orders, %llu states\n", preemptions,
	       (unsigned long long)total.executions, (unsigned long long)total.states);
	/* driver/README.md says how many there are. */
	if (preemptions == 2 && !limit && argc == 1 && total.states < 1500000) {
		printf("FAIL these are fewer states than there were\n");
		return 1;
	}
	return total.executions ? 0 : 2;
}
