// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The driver's sources, a call at a time: what each returns, changes and leaves, and what it does
 * where one of the kernel's services fails. driver.c has the same in all orders.
 */
#include <stdio.h>
#include <stdlib.h>
#include <perfctr/calls.h>
#include "driver/calls.h"
#include "driver/owner.h"
#include "driver/state.h"
#include "driver/thread.h"
#include "tests/explore/hardware.h"
#include "tests/explore/world.h"

/* The caller; a process of its own, which does nothing but exit at the end; a second thread. */
static struct task_struct *me, *other, *sibling;
static bool has_ended;
static unsigned int cpus;

static void expect(long long is, long long wanted, const char *what, int line)
{
	if (is == wanted)
		return;
	printf("%s:%d: %s is %lld, not %lld\n", __FILE__, line, what, is, wanted);
	fiber_fail("a call does what it must not");
}

#define EXPECT(is, wanted) expect((long long)(is), (long long)(wanted), #is, __LINE__)

/* ---- calls ---- */

static int control(const struct vperfctr_control *c)
{
	struct perfctr_call_control call = { .control = (uintptr_t)c, .control_size = sizeof(*c) };

	return world_ioctl(PERFCTR_IOC_CONTROL, &call);
}

static struct vperfctr_control a_mode(unsigned int event)
{
	return (struct vperfctr_control){
		.cpu_control = { .tsc_on = 1, .nractrs = 1, .evntsel = { event } },
	};
}

static struct vperfctr_control i_mode(void)
{
	return (struct vperfctr_control){ .si_signo = 12,
					  .cpu_control = { .tsc_on = 1, .nrictrs = 1 } };
}

static struct vperfctr_reading reading(void)
{
	struct vperfctr_reading r = { 0 };
	struct perfctr_call_read call = { .sum = (uintptr_t)&r.sum,
					  .sum_size = sizeof(r.sum),
					  .control = (uintptr_t)&r.control,
					  .control_size = sizeof(r.control) };

	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), 0);
	return r;
}

static unsigned long long count(void)
{
	return reading().sum.pmc[0];
}

static int unlink_them(void)
{
	return world_ioctl(PERFCTR_IOC_UNLINK, NULL);
}

static int resume(void)
{
	return world_ioctl(PERFCTR_IOC_IRESUME, NULL);
}

static void steps(unsigned int n)
{
	while (n--)
		hardware_step(0);
}

static void open_and_control(struct vperfctr_control c)
{
	EXPECT(calls_open(0, true), 0);
	EXPECT(control(&c), 0);
}

static void close_all(void)
{
	while (!world_close())
		;
}

/* The set of a thread that keeps it: looking into it needs no reference. */
static struct vperfctr *set_of(const struct task_struct *task)
{
	struct vperfctr *self = vthread_counters(task);

	if (self)
		vperfctr_put(self);
	return self;
}

/* An interrupt, and the return to user mode in which the thread sends itself the signal. */
static void overflow(void)
{
	world_interrupt(0, OVERFLOW);
	world_return();
	world_return();
}

/* The scheduler takes the processor away, and gives it back. */
static void leave_and_come(void)
{
	world_yield();
}

/* ---- opening ---- */

static void opens(void)
{
	EXPECT(calls_open(0, false), -ENODEV);
	EXPECT(!set_of(me), true);
	EXPECT(calls_open(0, true), 0);
	EXPECT(calls_open(0, true), -EEXIST);
	EXPECT(calls_open(me->pid, true), -EEXIST);
	EXPECT(calls_open(0, false), 1);
	EXPECT(calls_open(me->pid, false), 2);
	EXPECT(set_of(me)->refs.refcount.counter, 4);
	EXPECT(calls_open(99, true), -ESRCH);
	EXPECT(world_ioctl(0x1234, NULL), -ENOTTY);
	EXPECT(unlink_them(), 0);
	EXPECT(!set_of(me), true);
	EXPECT(unlink_them(), 0);
	close_all();
}

/* Whatever is not there: an open says so, and leaves nothing. */
static void opens_that_fail(void)
{
	unsigned int i;

	for (i = 1; i <= 3; i++) { /* the set, its page, its link */
		world_faults.allocation = i;
		EXPECT(calls_open(0, true), -ENOMEM);
		EXPECT(!set_of(me), true);
	}
	world_faults.allocation = 4;
	EXPECT(calls_open(0, true), 0);
	EXPECT(world_faults.allocation, 1);
	world_faults = (struct faults){ .no_descriptor = true };
	EXPECT(calls_open(0, false), -EMFILE);
	EXPECT(set_of(me) != NULL, true);
	EXPECT(unlink_them(), 0);
	EXPECT(calls_open(0, true), -EMFILE);
	EXPECT(!set_of(me), true);
	world_faults = (struct faults){ .quota = -EDQUOT };
	EXPECT(calls_open(0, true), -EDQUOT);
	EXPECT(!set_of(me), true);
	close_all();
}

/* ---- the threads of others ---- */

static void stop_other(void)
{
	other->parent = me;
	other->ptrace = 1;
	other->jobctl = JOBCTL_TRACED;
	other->on_cpu = 0;
}

static void reaches(void)
{
	EXPECT(owner_reach(other), -ESRCH);
	stop_other();
	EXPECT(owner_reach(other), 0);
	other->ptrace = 0;
	EXPECT(owner_reach(other), -ESRCH);
	stop_other();
	other->parent = sibling;
	EXPECT(owner_reach(other), -ESRCH);
	stop_other();
	other->jobctl = 0;
	EXPECT(owner_reach(other), -ESRCH);
	stop_other();
	other->mm->dumpable = 0;
	EXPECT(owner_reach(other), -EPERM);
	other->jobctl = 0;
	EXPECT(owner_reach(other), -ESRCH);
	stop_other();
	world_faults.capable = true;
	EXPECT(owner_reach(other), 0);
	other->mm->dumpable = SUID_DUMP_USER;
	other->on_cpu = 1;
	me->model.killed = 1;
	EXPECT(owner_reach(other), -EINTR);
	me->model.killed = 0;
	EXPECT(calls_open(other->pid + 10, true), -ESRCH);
}

/* A tracer's calls: the thread does not count before it returns, and its page tells when it won't.
 */
static void traced(void)
{
	const struct vperfctr_control c = a_mode(0);
	struct vperfctr *self, *second;
	struct vthread *link;

	EXPECT(calls_open(other->pid, true), -ESRCH);
	stop_other();
	EXPECT(calls_open(other->pid, false), -ENODEV);
	EXPECT(calls_open(other->pid, true), 0);
	EXPECT(calls_open(other->pid, true), -EEXIST);
	EXPECT(calls_open(other->pid, false), 1);
	EXPECT(control(&c), 0);
	EXPECT(resume(), -EINVAL);
	EXPECT(count(), 0);
	self = vthread_counters(other);
	EXPECT(vthread_of(self) == other, true);
	EXPECT(perfctr_cstatus_nractrs(self->state->cstatus), 1);
	EXPECT(self->reserved, true);

	/* What may have become of it meanwhile. */
	second = vperfctr_create();
	EXPECT(vthread_attach(other, second), -EEXIST);
	EXPECT(second->refs.refcount.counter, 1);
	other->jobctl = 0;
	EXPECT(control(&c), -ESRCH);
	EXPECT(resume(), -ESRCH);
	EXPECT(unlink_them(), -ESRCH);
	EXPECT(vthread_of(self) == other, true);
	stop_other();
	vthread_lock(self);
	link = vthread_link(self);
	vthread_unlock(self);
	link->link.state = LINK_HERE;
	EXPECT(control(&c), -ESRCH);
	EXPECT(unlink_them(), -ESRCH);
	link->link.state = LINK_ARRIVING;

	EXPECT(unlink_them(), 0);
	EXPECT(self->state->cstatus, 0);
	EXPECT(self->reserved, false);
	EXPECT(!vthread_of(self), true);
	EXPECT(unlink_them(), 0);
	EXPECT(control(&c), -ESRCH);
	EXPECT(resume(), -ESRCH);
	EXPECT(count(), 0);

	link->link.state = LINK_HERE;
	EXPECT(vthread_attach(other, second), -ESRCH);
	link->link.state = LINK_ARRIVING;
	EXPECT(second->refs.refcount.counter, 1);
	vperfctr_put(second);
	vperfctr_put(self);
	EXPECT(calls_open(other->pid, true), 2);
	close_all();
}

/* Whom a descriptor gives what: a tracer, a thread of the same process, others, and its caller. */
static void who_may_call(void)
{
	const struct vperfctr_control c = a_mode(0);
	const struct perfctr_call_read call = { 0 };

	stop_other();
	EXPECT(calls_open(other->pid, true), 0);
	other->mm->dumpable = 0;
	EXPECT(control(&c), -EPERM);
	EXPECT(unlink_them(), -EPERM);
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), -EPERM);
	other->mm->dumpable = SUID_DUMP_USER;
	other->ptrace = 0;
	EXPECT(control(&c), -ESRCH);
	EXPECT(unlink_them(), -ESRCH);
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), -ESRCH);
	EXPECT(world_mmap(), -ESRCH);
	other->group = me->group;
	EXPECT(control(&c), -ESRCH);
	EXPECT(resume(), -ESRCH);
	EXPECT(unlink_them(), -ESRCH);
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), 0);
	other->group = 1;
	stop_other();
	EXPECT(unlink_them(), 0);
	other->ptrace = 0;
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), 0);
	close_all();
}

/* A bystander's link is in the same bucket: calls, an exec and the exit find their own, or none. */
static void beside_a_bystander(void)
{
	const struct vperfctr_control c = a_mode(0);
	struct vperfctr *others, *own;

	world_faults.one_hash = true;
	stop_other();
	EXPECT(calls_open(other->pid, true), 0);
	EXPECT(control(&c), 0);
	others = set_of(other);
	EXPECT(!set_of(me), true);
	EXPECT(calls_open(0, false), -ENODEV);
	EXPECT(calls_open(0, true), 1);
	own = set_of(me);
	EXPECT(own != others, true);
	EXPECT(set_of(other) == others, true);
	EXPECT(vthread_of(own) == me, true);
	EXPECT(vthread_of(others) == other, true);
	EXPECT(calls_open(0, false), 2);
	EXPECT(world_file()->private_data == own, true);
	EXPECT(control(&c), 0);
	steps(3);
	EXPECT(count(), 3);
	EXPECT(others->state->pmc[0].sum, 0);
	EXPECT(unlink_them(), 0);
	EXPECT(!set_of(me), true);
	EXPECT(set_of(other) == others, true);
	world_exec(true);
	EXPECT(set_of(other) == others, true);
	EXPECT(others->cstatus, perfctr_mk_cstatus(1, 1, 0));
	EXPECT(hardware_is_reserved(), true);
}

/* Its end has begun: it can't be given counters, and keeps none. */
static void traced_at_its_end(void)
{
	stop_other();
	world_faults.work = -ESRCH;
	EXPECT(calls_open(other->pid, true), -ESRCH);
	EXPECT(!set_of(other), true);
}

/* ---- controls ---- */

static void controls(void)
{
	struct vperfctr_control c = a_mode(0);
	const struct perfctr_cpu_state *page;

	open_and_control(c);
	page = set_of(me)->state;
	EXPECT(page->cstatus, perfctr_mk_cstatus(0, 1, 0)); /* it is not mapped */
	EXPECT(set_of(me)->cstatus, perfctr_mk_cstatus(1, 1, 0));
	steps(5);
	EXPECT(count(), 5);
	c.preserve = 1;
	c.cpu_control.pmc_map[0] = 7;
	EXPECT(control(&c), 0);
	EXPECT(page->pmc[0].map, 7);
	steps(2);
	EXPECT(count(), 7);
	EXPECT(reading().control.preserve, 1);
	EXPECT(reading().control.cpu_control.pmc_map[0], 7);
	c.preserve = ~1u;
	EXPECT(control(&c), 0);
	EXPECT(count(), 0);
	steps(3);

	/* One that stops leaves the sums; one without a clock has none. */
	c.cpu_control = (struct perfctr_cpu_control){ .tsc_on = 0 };
	EXPECT(control(&c), 0);
	EXPECT(count(), 3);
	EXPECT(page->cstatus, 0);
	EXPECT(reading().sum.tsc > 0, true);
	steps(3);
	EXPECT(count(), 3);
	c.cpu_control.nractrs = 1;
	c.preserve = 1;
	EXPECT(control(&c), 0);
	EXPECT(count(), 3);
	EXPECT(page->tsc_sum, 1);
	c.cpu_control = (struct perfctr_cpu_control){ .tsc_on = 1 };
	c.preserve = 0;
	EXPECT(control(&c), 0);
	EXPECT(count(), 0);
	EXPECT(page->cstatus, perfctr_mk_cstatus(1, 0, 0));
	close_all();
}

static void controls_keep_the_clock(void)
{
	struct vperfctr_control c = a_mode(0);
	unsigned long long sum;

	open_and_control(c);
	leave_and_come();
	leave_and_come();
	sum = reading().sum.tsc;
	EXPECT(sum >= 2, true);
	EXPECT(control(&c), 0);
	EXPECT(reading().sum.tsc > sum, true);
	close_all();
}

/* Programs that write the same have one number, but for those that stop something. */
static void numbers(void)
{
	struct vperfctr_control c = a_mode(0x10), i = i_mode();
	unsigned int id;

	open_and_control(c);
	id = set_of(me)->state->k1.id;
	EXPECT(control(&c), 0);
	EXPECT(set_of(me)->state->k1.id, id);
	c.cpu_control.evntsel[0] = 0x11;
	EXPECT(control(&c), 0);
	EXPECT(set_of(me)->state->k1.id, id + 1);
	c.cpu_control.pmc_map[0] = 1;
	EXPECT(control(&c), 0);
	EXPECT(set_of(me)->state->k1.id, id + 2);
	c.cpu_control = (struct perfctr_cpu_control){ .tsc_on = 1, .evntsel = { 0x11 } };
	EXPECT(control(&c), 0);
	EXPECT(set_of(me)->state->k1.id, id + 3);
	EXPECT(control(&i), 0);
	EXPECT(control(&i), 0);
	EXPECT(set_of(me)->state->k1.id, id + 5);
	close_all();
}

/* What is refused, in this order, before anything is touched. */
static void refused_controls(void)
{
	static const struct {
		unsigned int event, flags;
		struct faults faults;
		int error;
	} rows[] = {
		{ HARDWARE_INVALID, 0, { 0 }, -EINVAL },
		{ HARDWARE_FORBIDDEN, 0, { 0 }, -EPERM },
		{ HARDWARE_ONE_CORE, 0, { 0 }, -EOPNOTSUPP },
		{ HARDWARE_FORBIDDEN, 4, { 0 }, -EINVAL },
		{ HARDWARE_CORE_SHARED, VPERFCTR_CONTROL_EXTENDED, { 0 }, 0 },
		{ 0x10, 0, { .rights = -EACCES }, -EACCES },
		{ 0x10, 0, { .reserve = -EBUSY }, -EBUSY },
		{ 0x10, 0, { .rights = -EACCES, .reserve = -EBUSY }, -EACCES },
		{ 0x10, 0, { .allocation = 1 }, -ENOMEM },
		{ 0x10, 0, { .user = true }, -EFAULT },
	};
	struct vperfctr_control c = { 0 };
	unsigned int i;

	EXPECT(calls_open(0, true), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		c = a_mode(rows[i].event);
		c.flags = rows[i].flags;
		world_faults = rows[i].faults;
		EXPECT(control(&c), rows[i].error);
		world_faults = (struct faults){ 0 };
		EXPECT(set_of(me)->reserved, !rows[i].error);
		EXPECT(set_of(me)->cstatus != 0, !rows[i].error);
		EXPECT(hardware_is_reserved(), !rows[i].error);
		c.cpu_control = (struct perfctr_cpu_control){ .tsc_on = 0 };
		c.flags = 0;
		EXPECT(control(&c), 0);
		vperfctr_release(set_of(me));
	}
	kernel_siblings.bits = 3;
	c = a_mode(HARDWARE_CORE_SHARED);
	EXPECT(control(&c), -EOPNOTSUPP);
	c = i_mode();
	c.si_signo = 0;
	EXPECT(control(&c), -EINVAL);
	c.si_signo = _NSIG + 1;
	EXPECT(control(&c), -EINVAL);
	c.si_signo = _NSIG;
	EXPECT(control(&c), 0);
	world_faults.rights = -EACCES; /* the clock alone is for everybody */
	c.cpu_control = (struct perfctr_cpu_control){ .tsc_on = 1 };
	EXPECT(control(&c), 0);
	close_all();
}

/* A control that fails for want of the thread gives back what it has taken. */
static void refused_for_want_of_a_thread(void)
{
	const struct vperfctr_control c = a_mode(0);
	struct vperfctr *self;

	EXPECT(calls_open(0, true), 0);
	self = vthread_counters(me);
	EXPECT(unlink_them(), 0);
	EXPECT(control(&c), -ESRCH);
	EXPECT(self->reserved, false);
	EXPECT(!vthread_enter(self, me), true);
	EXPECT(vthread_detach(self, me), false);
	vperfctr_put(self);
	close_all();
}

/* ---- overflows ---- */

static void overflows(void)
{
	const struct perfctr_cpu_state *page;
	unsigned long long tsc;

	open_and_control(i_mode());
	page = set_of(me)->state;
	EXPECT(resume(), -EINVAL);
	steps(4);
	overflow();
	EXPECT(world_signals.queued, 1);
	EXPECT(world_signals.sent, 0);
	EXPECT(world_signals.number, 12);
	EXPECT(world_signals.info.si_signo, 12);
	EXPECT(world_signals.info.si_code, SI_PMC_OVF);
	EXPECT(world_signals.info.si_pid, 1);
	EXPECT(page->cstatus, 0); /* readers ask the kernel: they must not read counters */
	EXPECT(set_of(me)->cstatus, perfctr_mk_cstatus(1, 0, 0));
	steps(3);
	EXPECT(count(), 4);
	tsc = reading().sum.tsc;
	leave_and_come();
	EXPECT(reading().sum.tsc > tsc, true);
	EXPECT(count(), 4);
	EXPECT(resume(), 0);
	EXPECT(set_of(me)->cstatus, perfctr_mk_cstatus(1, 0, 1));
	EXPECT(resume(), -EINVAL);
	steps(3);
	EXPECT(count(), 7);
	overflow();
	EXPECT(world_signals.queued, 2);
	EXPECT(resume(), 0);
	world_faults.queue_is_full = true;
	overflow();
	EXPECT(world_signals.queued, 2);
	EXPECT(world_signals.sent, 1);
	EXPECT(world_signals.number, 12);
	close_all();
}

/* Counters that go on before the signal could be sent overflow again: one signal tells of both. */
static void overflows_before_the_signal(void)
{
	open_and_control(i_mode());
	world_interrupt(0, OVERFLOW);
	EXPECT(count(), 0);
	EXPECT(set_of(me)->signalling.counter, 1);
	EXPECT(resume(), 0);
	world_interrupt(0, OVERFLOW);
	EXPECT(count(), 0);
	EXPECT(set_of(me)->refs.refcount.counter, 3);
	world_return();
	EXPECT(world_signals.queued, 1);
	EXPECT(set_of(me)->overflowed.counter, 0);
	EXPECT(set_of(me)->signalling.counter, 0);
	EXPECT(set_of(me)->refs.refcount.counter, 2);
	close_all();
}

/* The signal is of the control whose counters overflowed. */
static void another_signal_before_the_signal(void)
{
	struct vperfctr_control c = i_mode();

	open_and_control(c);
	world_interrupt(0, OVERFLOW);
	EXPECT(count(), 0);
	c.si_signo = 10;
	EXPECT(control(&c), 0);
	world_return();
	EXPECT(world_signals.queued, 1);
	EXPECT(world_signals.number, 12);
	overflow();
	EXPECT(world_signals.queued, 2);
	EXPECT(world_signals.number, 10);
	close_all();
}

/* Counters that are found overflowed as the thread falls asleep wake it up. */
static void overflows_before_a_sleep(void)
{
	open_and_control(i_mode());
	overflow_there(0);
	world_sleep();
	world_return();
	EXPECT(world_signals.queued, 1);
	close_all();
}

/* After an overflow a control starts all again; there is nothing to resume. */
static void control_after_an_overflow(void)
{
	struct vperfctr_control c = i_mode();

	open_and_control(c);
	overflow();
	EXPECT(control(&c), 0);
	steps(2);
	EXPECT(count(), 2);
	EXPECT(resume(), -EINVAL);
	overflow();
	EXPECT(unlink_them(), 0);
	EXPECT(resume(), -ESRCH);
	EXPECT(count(), 2);
	close_all();
}

/* Counters that are unlinked before the signal could be sent have nothing to tell. */
static void unlinked_before_the_signal(void)
{
	open_and_control(i_mode());
	world_interrupt(0, OVERFLOW);
	EXPECT(count(), 0);
	EXPECT(count(), 0);
	EXPECT(me->task_works != NULL, true);
	EXPECT(unlink_them(), 0);
	world_return();
	EXPECT(world_signals.queued + world_signals.sent, 0);
	close_all();
}

/* Where the thread can't be told, since it exits, nothing is left over. */
static void signal_that_is_not_taken(void)
{
	struct vperfctr *self;

	open_and_control(i_mode());
	self = set_of(me);
	world_faults.work = -ESRCH;
	overflow();
	EXPECT(self->signalling.counter, 0);
	EXPECT(self->refs.refcount.counter, 2);
	EXPECT(world_signals.queued, 0);
	world_faults.work = 0;
	EXPECT(resume(), 0);
	overflow();
	EXPECT(world_signals.queued, 1);
	close_all();
}

/* ---- processors that must not be used ---- */

static const struct cpumask first = { 1 }, both = { 3 };

static void forbidden_processors(void)
{
	const struct vperfctr_control c = a_mode(0);

	EXPECT(calls_open(0, true), 0);
	hw_forbidden = &both;
	EXPECT(control(&c), -EINVAL);
	EXPECT(hardware_is_reserved(), false);
	hw_forbidden = &first;
	world_faults.allocation = 2; /* after the program */
	EXPECT(control(&c), -ENOMEM);
	world_faults = (struct faults){ .affinity = -EBUSY };
	EXPECT(control(&c), -EBUSY);
	EXPECT(set_of(me)->cstatus, 0);
	world_faults = (struct faults){ .reserve = -EBUSY };
	EXPECT(control(&c), -EBUSY);
	EXPECT(me->cpu, 0);
	world_faults = (struct faults){ 0 };
	EXPECT(control(&c), 0);
	EXPECT(me->cpu, 1);
	EXPECT(me->model.cpus, 2);
	EXPECT(set_of(me)->cstatus, perfctr_mk_cstatus(1, 1, 0));
	hw_forbidden = NULL;
	close_all();
}

/* A thread that comes to one all the same is stopped by a signal, and counts nothing there. */
static void trespasses(void)
{
	const struct vperfctr_control c = a_mode(0), i = i_mode();
	struct vperfctr *self;

	open_and_control(c);
	self = set_of(me);
	steps(2);
	hw_forbidden = &first;
	leave_and_come();
	EXPECT(self->cstatus, 0);
	EXPECT(self->state->cstatus, 0);
	EXPECT(hardware_counts(0), false);
	world_return();
	world_return();
	EXPECT(world_signals.sent, 1);
	EXPECT(world_signals.queued, 0);
	EXPECT(world_signals.number, SIGILL);
	EXPECT(count(), 2);
	world_return();
	EXPECT(world_signals.sent, 1);
	hw_forbidden = NULL;
	leave_and_come();
	EXPECT(hardware_counts(0), false);
	EXPECT(control(&c), 0);
	EXPECT(hardware_counts(0), true);
	/* Counters that an overflow has stopped are not there to be resumed any more. */
	hw_forbidden = NULL;
	EXPECT(control(&i), 0);
	overflow();
	EXPECT(world_signals.queued, 1);
	EXPECT(world_signals.sent, 1); /* the first one is not told of again */
	hw_forbidden = &first;
	leave_and_come();
	EXPECT(resume(), -EINVAL);
	world_return();
	EXPECT(world_signals.queued, 1);
	EXPECT(world_signals.sent, 2);
	/* The clock alone may be read anywhere. */
	hw_forbidden = &first;
	EXPECT(control(&(struct vperfctr_control){ .cpu_control.tsc_on = 1 }), 0);
	EXPECT(self->cstatus, perfctr_mk_cstatus(1, 0, 0));
	hw_forbidden = NULL;
	close_all();
}

/* ---- the page ---- */

static int map(struct vm_area_struct *area)
{
	struct file *file = world_file();

	area->vm_mm = me->mm;
	area->vm_file = file;
	return file->ops->mmap(file, area);
}

static void maps(void)
{
	static const struct {
		unsigned long offset, size, flags;
		int remap, error;
	} rows[] = {
		{ 1, PAGE_SIZE, 0, 0, -EINVAL },
		{ 0, 2 * PAGE_SIZE, 0, 0, -EINVAL },
		{ 0, 0, 0, 0, -EINVAL },
		{ 0, PAGE_SIZE, VM_WRITE, 0, -EPERM },
		{ 0, PAGE_SIZE, VM_EXEC, 0, -EPERM },
		{ 0, PAGE_SIZE, 0, -ENOMEM, -ENOMEM },
		{ 0, PAGE_SIZE, VM_MAYWRITE, 0, 0 },
	};
	const struct vperfctr_control c = a_mode(0);
	struct vm_area_struct area;
	struct vperfctr *self;
	struct page *page;
	unsigned int i;

	open_and_control(c);
	self = set_of(me);
	page = virt_to_page(self->state);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		area = (struct vm_area_struct){ .vm_start = PAGE_SIZE,
						.vm_end = PAGE_SIZE + rows[i].size,
						.vm_pgoff = rows[i].offset,
						.vm_flags = rows[i].flags | VM_MAYEXEC };
		world_faults.remap = rows[i].remap;
		EXPECT(map(&area), rows[i].error);
		EXPECT(page_count(page), 1 + !rows[i].error);
		EXPECT(me->mm->allowed, !rows[i].error);
	}
	EXPECT(area.vm_flags, VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	EXPECT(area.vm_private_data == page, true);
	EXPECT(self->access.works, true);
	EXPECT(self->state->cstatus, perfctr_mk_cstatus(1, 1, 0));
	/* A half of it, as munmap() of a page's neighbour makes. */
	area.vm_ops->open(&area);
	EXPECT(page_count(page), 3);
	EXPECT(me->mm->allowed, 1);
	EXPECT(me->mm->count, 2);
	area.vm_ops->close(&area);
	EXPECT(me->mm->allowed, 1);
	EXPECT(control(&c), 0);
	EXPECT(self->state->cstatus, perfctr_mk_cstatus(1, 1, 0));
	area.vm_ops->close(&area);
	EXPECT(page_count(page), 1);
	EXPECT(me->mm->allowed, 0);
	EXPECT(me->mm->count, 1);
	EXPECT(self->access.works, false);
	leave_and_come();
	EXPECT(self->state->cstatus, perfctr_mk_cstatus(0, 1, 0));
	close_all();
}

/* A mapping before the control lets nobody read; one after an end is nobody's. */
static void maps_before_and_after(void)
{
	const struct vperfctr_control c = a_mode(0);
	struct vperfctr *self;

	EXPECT(calls_open(0, true), 0);
	self = vthread_counters(me);
	EXPECT(world_mmap(), 0);
	EXPECT(me->mm->allowed, 0);
	EXPECT(control(&c), 0);
	EXPECT(me->mm->allowed, 1);
	EXPECT(self->state->cstatus, perfctr_mk_cstatus(1, 1, 0));
	EXPECT(unlink_them(), 0);
	EXPECT(me->mm->allowed, 0);
	EXPECT(self->access.works, false);
	EXPECT(self->state->cstatus, 0);
	world_munmap();
	EXPECT(world_mmap(), 0);
	EXPECT(me->mm->count, 1);
	world_munmap();
	vperfctr_put(self);
	close_all();
}

static void maps_of_others(void)
{
	bool own;
	struct vperfctr *self;

	stop_other();
	EXPECT(calls_open(other->pid, true), 0);
	self = set_of(other);
	EXPECT(owner_may_map(self, &own), -ESRCH);
	EXPECT(own, false);
	EXPECT(world_mmap(), -ESRCH);
	EXPECT(page_count(virt_to_page(self->state)), 1);
	other->group = me->group; /* as a thread of the caller's that executes a program */
	EXPECT(owner_may_map(self, &own), 0);
	EXPECT(own, false);
	EXPECT(world_mmap(), 0);
	EXPECT(me->mm->count, 1);
	world_munmap();
	other->group = 1;
	EXPECT(unlink_them(), 0);
	close_all();
}

/* ---- processors that have a memory's page tables from before ---- */

static void processors_follow(void)
{
	const struct vperfctr_control c = a_mode(0);
	const unsigned int mapped = perfctr_mk_cstatus(1, 1, 0);
	struct vperfctr *self;

	open_and_control(c);
	self = set_of(me);
	kernel_mm_cpus.bits = 3;
	world_reads = (struct world_reads){ .stale = 7, .busy = 2, .until = 5 };
	EXPECT(world_mmap(), 0);
	EXPECT(self->access.works, true);
	EXPECT(self->state->cstatus, mapped);
	EXPECT(world_reads.stale, 4); /* the memory was never there */
	EXPECT(world_reads.looks, 2);
	EXPECT(jiffies, 5);
	/* What works is not asked for again. */
	world_reads.looks = 0;
	EXPECT(control(&c), 0);
	EXPECT(world_mmap(), 0);
	world_munmap();
	EXPECT(world_reads.looks, 0);
	EXPECT(self->state->cstatus, mapped);
	/* Nor is somebody interrupted who does as is counted. */
	world_reads.stale = 0;
	world_munmap();
	EXPECT(self->access.works, false);
	EXPECT(world_reads.looks, 1);
	/* The last reader's processors let no one read any more. */
	EXPECT(world_mmap(), 0);
	world_reads = (struct world_reads){ .stale = 1 };
	world_munmap();
	EXPECT(world_reads.stale, 0);
	EXPECT(world_reads.looks, 2);
	close_all();
}

/* A processor may be busy in the kernel: nobody waits for it longer than 200 ms, or if killed. */
static void processors_do_not_follow(void)
{
	const struct vperfctr_control c = a_mode(0);
	const unsigned int by_calls = perfctr_mk_cstatus(0, 1, 0);
	struct vperfctr *self;

	open_and_control(c);
	self = set_of(me);
	kernel_mm_cpus.bits = 3;
	world_reads = (struct world_reads){ .stale = 3, .busy = 3, .until = 1000 };
	EXPECT(world_mmap(), 0);
	EXPECT(self->access.works, false);
	EXPECT(self->state->cstatus, by_calls);
	EXPECT(jiffies, HZ / 5);
	EXPECT(world_reads.looks, 2);
	me->model.killed = 1;
	EXPECT(control(&c), 0);
	me->model.killed = 0;
	EXPECT(jiffies, HZ / 5);
	EXPECT(self->access.works, false);
	/* Nor does one follow that finds no other page tables to load. */
	world_reads.until = 0;
	world_faults.no_first_process = true;
	EXPECT(control(&c), 0);
	world_faults = (struct faults){ .no_first_memory = true };
	EXPECT(control(&c), 0);
	EXPECT(self->access.works, false);
	EXPECT(world_reads.stale, 3);
	world_faults = (struct faults){ 0 };
	/* The next control asks again. */
	EXPECT(control(&c), 0);
	EXPECT(self->access.works, true);
	EXPECT(self->state->cstatus, perfctr_mk_cstatus(1, 1, 0));
	/* Memory that is torn down is no thread's: nobody is interrupted for it. */
	world_reads = (struct world_reads){ .stale = 3 };
	me->mm->mm_users.counter--;
	sibling->mm = other->mm;
	sibling->mm->mm_users.counter++;
	world_exec(false);
	EXPECT(world_reads.looks, 0);
	EXPECT(self->access.works, false);
	close_all();
}

/* ---- another program ---- */

/* The second thread keeps the memory, its mapping, and the right to read until the next control. */
static void executes(void)
{
	const struct vperfctr_control c = a_mode(0);
	struct mm_struct *memory = me->mm;
	struct perfctr_cpu_state *page;
	struct vperfctr *self;

	open_and_control(c);
	EXPECT(world_mmap(), 0);
	self = vthread_counters(me);
	page = self->state;
	steps(6);
	world_exec(false);
	EXPECT(self->state != page, true);
	EXPECT(page->cstatus, 0);
	EXPECT(page_count(virt_to_page(page)), 1);
	EXPECT(self->access.works, false);
	EXPECT(self->state->cstatus, perfctr_mk_cstatus(0, 1, 0));
	EXPECT(memory->allowed, 1);
	EXPECT(me->mm->allowed, 0);
	EXPECT(calls_open(0, false), 0);
	EXPECT(count(), 6);
	steps(1);
	page = self->state;
	world_exec(false);
	EXPECT(self->state == page, true); /* nobody else has it */
	EXPECT(page->cstatus, perfctr_mk_cstatus(0, 1, 0));
	EXPECT(calls_open(0, false), 0);
	EXPECT(count(), 7);
	EXPECT(control(&c), 0);
	EXPECT(memory->allowed, 0);
	vperfctr_put(self);
	close_all();
}

/* Its mapping is counted in its own memory, and no longer in that which others keep. */
static void executes_and_maps(void)
{
	struct mm_struct *memory = me->mm;

	open_and_control(a_mode(0));
	EXPECT(world_mmap(), 0);
	EXPECT(memory->count, 2);
	world_exec(false);
	EXPECT(calls_open(0, false), 0);
	EXPECT(memory->allowed, 1);
	EXPECT(world_mmap(), 0);
	EXPECT(memory->allowed, 0);
	EXPECT(memory->count, 1);
	EXPECT(me->mm->allowed, 1);
	EXPECT(me->mm->count, 2);
	world_munmap();
	EXPECT(me->mm->allowed, 0);
	EXPECT(me->mm->count, 1);
	close_all();
}

/* ---- small things ---- */

static void begins_without_memory(void)
{
	access_exit();
	world_faults.no_queue = true;
	EXPECT(access_init(), -ENOMEM);
	world_faults.no_queue = false;
	EXPECT(access_init(), 0);
}

static void copies(void)
{
	const char from[4] = "abc";
	char to[8] = "1234567";

	EXPECT(calls_copy_out((uintptr_t)to, PAGE_SIZE + 1, from, 4), -E2BIG);
	EXPECT(calls_copy_out((uintptr_t)to, 2, from, 4), 0);
	EXPECT(memcmp(to, "ab34567", 8), 0);
	EXPECT(calls_copy_out((uintptr_t)to, 6, from, 4), 0);
	EXPECT(memcmp(to,
		      "abc\0\0\0"
		      "7",
		      8),
	       0);
	world_faults.user = true;
	EXPECT(calls_copy_out((uintptr_t)to, 4, from, 4), -EFAULT);
}

/* A read may want either half. A descriptor of a process's own is read without stopping anybody. */
static void reads(void)
{
	struct perfctr_call_read call = { 0 };
	struct perfctr_sum_ctrs sum = { .tsc = 77 };

	open_and_control(a_mode(0));
	steps(1);
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), 0);
	call.sum = (uintptr_t)&sum;
	call.sum_size = sizeof(sum.tsc);
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), 0);
	EXPECT(sum.tsc != 77, true);
	EXPECT(sum.pmc[0], 0);
	call.sum_size = PAGE_SIZE + 1;
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), -E2BIG);
	world_faults.user = true;
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), -EFAULT);
	world_faults.user = false;
	call.sum_size = sizeof(sum);
	me->model.killed = 1;
	EXPECT(world_ioctl(PERFCTR_IOC_READ, &call), -EINTR);
	me->model.killed = 0;
	EXPECT(world_ioctl(PERFCTR_IOC_UNLINK, NULL), 0);
	close_all();
}

static void reads_elsewhere(void)
{
	EXPECT(me->cpu, 1);
	open_and_control(a_mode(0));
	hardware_step(1);
	EXPECT(count(), 1);
	hardware_step(1);
	EXPECT(count(), 2);
	close_all();
}

/* Sums stand still after a sleep of the machine, and continue. */
static void wakes(void)
{
	struct vperfctr *self;
	struct vthread *link;

	open_and_control(a_mode(0));
	self = set_of(me);
	vthread_lock(self);
	link = vthread_link(self);
	raw_spin_lock(&link->lock);
	hw_suspend(self->state, self->active);
	EXPECT(hardware_counts(0), false);
	vperfctr_wake(self);
	EXPECT(hardware_counts(0), true);
	raw_spin_unlock(&link->lock);
	vthread_unlock(self);
	close_all();
}

static void holders(void)
{
	struct seq_file file = { .used = 0 };

	stop_other();
	other->uid = 1000;
	memcpy(other->comm, "a b\\\033\177~", 8);
	EXPECT(calls_open(other->pid, true), 0);
	vthread_show_holders(&file, NULL);
	EXPECT(file.used, 0);
	EXPECT(control(&(struct vperfctr_control){ .cpu_control.nractrs = 1 }), 0);
	vthread_show_holders(&file, NULL);
	EXPECT(strcmp(file.text, "2 1000 a\\040b\\134\\033\\177~\n"), 0);
	EXPECT(unlink_them(), 0);
	file.used = 0;
	vthread_show_holders(&file, NULL);
	EXPECT(file.used, 0);
	close_all();
}

/* ---- the tests ---- */

static const struct {
	const char *name;
	void (*run)(void);
	unsigned int cpus;
} tests[] = {
	{ "opens", opens, 1 },
	{ "opens that fail", opens_that_fail, 1 },
	{ "who may be reached", reaches, 1 },
	{ "a tracer's calls", traced, 1 },
	{ "who may call", who_may_call, 1 },
	{ "beside a bystander", beside_a_bystander, 1 },
	{ "a tracer's open at the thread's end", traced_at_its_end, 1 },
	{ "controls", controls, 1 },
	{ "controls keep the clock", controls_keep_the_clock, 1 },
	{ "numbers of programs", numbers, 1 },
	{ "controls that are refused", refused_controls, 1 },
	{ "a control without a thread", refused_for_want_of_a_thread, 1 },
	{ "overflows", overflows, 1 },
	{ "overflows before the signal", overflows_before_the_signal, 1 },
	{ "another signal before the signal", another_signal_before_the_signal, 1 },
	{ "overflows before a sleep", overflows_before_a_sleep, 1 },
	{ "a control after an overflow", control_after_an_overflow, 1 },
	{ "unlinked before the signal", unlinked_before_the_signal, 1 },
	{ "a signal that is not taken", signal_that_is_not_taken, 1 },
	{ "forbidden processors", forbidden_processors, 3 },
	{ "a forbidden processor", trespasses, 1 },
	{ "mappings", maps, 1 },
	{ "mappings before and after", maps_before_and_after, 1 },
	{ "mappings of others", maps_of_others, 1 },
	{ "processors that follow", processors_follow, 1 },
	{ "processors that don't follow", processors_do_not_follow, 1 },
	{ "another program", executes, 1 },
	{ "another program, and its mapping", executes_and_maps, 1 },
	{ "beginning without memory", begins_without_memory, 1 },
	{ "copies", copies, 1 },
	{ "reads", reads, 1 },
	{ "reads on another processor", reads_elsewhere, 2 },
	{ "waking", wakes, 1 },
	{ "who has counters", holders, 1 },
};

static void (*test)(void);

void look_at_user(struct task_struct *task, unsigned int cpu)
{
	(void)task;
	(void)cpu;
}

void look_at_old_page(const void *page)
{
	(void)page;
}

static void be_me(void *unused)
{
	(void)unused;
	world_become(me);
	world_return();
	test();
	world_faults = (struct faults){ .one_hash = world_faults.one_hash };
	has_ended = true;
	world_exit();
}

static bool is_over(void *unused)
{
	(void)unused;
	return has_ended;
}

static void be_nobody(void *unused)
{
	fiber_wait(is_over, unused);
	world_exit();
}

static void begin(void)
{
	const struct faults none = { 0 };

	world_begin(&none);
	hardware_begin();
	has_ended = false;
	hw_forbidden = NULL;
	me = world_task(NULL, true, cpus);
	fiber_start("the caller", be_me, NULL);
	other = world_task(NULL, true, 0);
	fiber_start("another process", be_nobody, NULL);
	sibling = world_task(me, false, 0);
	fiber_start("a second thread", be_nobody, NULL);
}

int main(void)
{
	struct fibers_sum sum = { 0 };
	unsigned int i;

	if (!fibers_work()) {
		printf("SKIP there are no coroutines for this processor\n");
		return 77;
	}
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		test = tests[i].run;
		cpus = tests[i].cpus;
		fibers_explore(tests[i].name, 0, begin, world_end, 0, &sum);
	}
	printf("%zu tests\n", ARRAY_SIZE(tests));
	return 0;
}
