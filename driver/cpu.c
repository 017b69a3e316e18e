// SPDX-License-Identifier: GPL-2.0-only
/* The counters of each CPU: their owner, the timer, the reservation, and CPU hotplug. */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include "driver/compat/compat.h"
#include "driver/cpu.h"

/* ---- the set that runs on this CPU ---- */

/*
 * Differences of 32 bits are right as long as a counter makes less than 2^32 steps between two
 * looks at it. Eight events in each cycle at 5 GHz need 107 ms for that: look every 50.
 */
#define SAMPLE_NS (50 * NSEC_PER_MSEC)

DEFINE_PER_CPU(struct hwcpu_sampler, hwcpu_samplers);
static const struct hwcpu_calls *ask;

static enum hrtimer_restart sample(struct hrtimer *timer)
{
	struct hwcpu_sampler *s = container_of(timer, struct hwcpu_sampler, timer);

	if (!s->owner) {
		s->armed = false;
		return HRTIMER_NORESTART;
	}
	ask->sample(s->owner);
	hrtimer_forward_now(timer, ns_to_ktime(SAMPLE_NS));
	return HRTIMER_RESTART;
}

bool hwcpu_runs(const struct vperfctr *owner)
{
	return this_cpu_ptr(&hwcpu_samplers)->owner == owner;
}

bool hwcpu_names(const struct vperfctr *owner)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (READ_ONCE(per_cpu(hwcpu_samplers, cpu).owner) == owner)
			return true;
	return false;
}

void hwcpu_look(struct hwcpu_sampler *s)
{
	s->armed = true;
	hrtimer_start(&s->timer, ns_to_ktime(SAMPLE_NS), HRTIMER_MODE_REL_PINNED);
}

/* ---- overflow ---- */

static DEFINE_PER_CPU(struct irq_work, overflow_works);

/* Interrupts are off. */
static void stop_and_start(void)
{
	struct vperfctr *owner = this_cpu_ptr(&hwcpu_samplers)->owner;

	/* Otherwise the overflow was found when the thread was stopped. */
	if (owner)
		ask->overflow(owner);
}

/* Runs once interrupts are on, before the interrupted program's next instruction. */
static void after_nmi(struct irq_work *work)
{
	stop_and_start();
	if (IS_ENABLED(CONFIG_X86))
		hw_after_nmi();
}

static void overflow(void)
{
	if (in_nmi())
		irq_work_queue(this_cpu_ptr(&overflow_works));
	else
		stop_and_start();
}

/* ---- one reservation for all ---- */

/*
 * Everybody waits for its holder, who neither sleeps nor is preempted. CPUs that wait for it have
 * interrupts on, and stop their counters for him.
 */
static DEFINE_SPINLOCK(reservation);
static unsigned int shares;

int hwcpu_reserve(bool *share)
{
	int err = 0;

	spin_lock(&reservation);
	if (!*share && !shares)
		err = hw_reserve(overflow);
	if (!*share && !err) {
		shares++;
		*share = true;
	}
	spin_unlock(&reservation);
	if (err)
		pr_info_ratelimited("perf_events or the NMI watchdog has the counters\n");
	return err;
}

void hwcpu_release(bool *share)
{
	unsigned int cpu;

	if (!READ_ONCE(*share))
		return;
	cpus_read_lock();
	spin_lock(&reservation);
	if (*share && --shares == 0) {
		on_each_cpu_mask(&hw_started, hw_stop_cpu, NULL, true);
		for_each_cpu(cpu, &hw_started) /* offline */
			cpumask_clear_cpu(cpu, &hw_started);
		hw_release();
	}
	*share = false;
	spin_unlock(&reservation);
	cpus_read_unlock();
}

/* ---- CPUs that go and come ---- */

/* It may have been started again after cpu_goes(). */
static int cpu_comes(unsigned int cpu)
{
	spin_lock(&reservation);
	local_irq_disable();
	if (shares)
		hw_start_cpu(NULL);
	else
		hw_stop_cpu(NULL);
	local_irq_enable();
	spin_unlock(&reservation);
	return 0;
}

/* No thread stays here. The timer would continue, on another CPU. */
static int cpu_goes(unsigned int cpu)
{
	struct hwcpu_sampler *s = per_cpu_ptr(&hwcpu_samplers, cpu);

	hrtimer_cancel(&s->timer);
	s->armed = false;
	local_irq_disable();
	hw_stop_cpu(NULL);
	local_irq_enable();
	return 0;
}

/*
 * The last CPU is not taken offline when the machine sleeps. Its thread is the one that sends it to
 * sleep, and may count.
 */
static int fall_asleep(void)
{
	const struct hwcpu_sampler *s = this_cpu_ptr(&hwcpu_samplers);

	if (s->owner)
		ask->sample(s->owner);
	return 0;
}

static void wake(void)
{
	const struct hwcpu_sampler *s = this_cpu_ptr(&hwcpu_samplers);

	if (cpumask_test_cpu(smp_processor_id(), &hw_started))
		hw_start_cpu(NULL);
	if (s->owner)
		ask->resume(s->owner);
}

PERFCTR_COMPAT_SLEEP(sleep, fall_asleep, wake);
static enum cpuhp_state hotplug;

int hwcpu_init(const struct hwcpu_calls *calls)
{
	int cpu, err;

	ask = calls;
	for_each_possible_cpu(cpu) {
		init_irq_work(per_cpu_ptr(&overflow_works, cpu), after_nmi);
		perfctr_compat_hrtimer_setup(&per_cpu_ptr(&hwcpu_samplers, cpu)->timer, sample,
					     CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
	}
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "perfctr:online", cpu_comes, cpu_goes);
	if (err < 0)
		return err;
	hotplug = err;
	perfctr_compat_register_sleep(&sleep);
	return 0;
}

void hwcpu_exit(void)
{
	int cpu;

	perfctr_compat_unregister_sleep(&sleep);
	cpuhp_remove_state_nocalls(hotplug);
	for_each_possible_cpu(cpu) {
		irq_work_sync(per_cpu_ptr(&overflow_works, cpu));
		hrtimer_cancel(&per_cpu_ptr(&hwcpu_samplers, cpu)->timer);
	}
}
