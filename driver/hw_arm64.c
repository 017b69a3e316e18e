// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: identification, sharing, and the engine over PMUv3's registers.
 *
 * The counters are perf_events' too. In its struct arm_pmu each CPU has a set of counters in use,
 * which perf_events does not touch: we add ours to it. We hook three of its functions: start, which
 * changes the permission for user mode to read counters; the interrupt, which is ours, too; and
 * reset, which clears all registers.
 */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <asm/barrier.h>
#include <asm/sysreg.h>
#include <asm/virt.h>
#include "driver/compat/compat.h"
#include "driver/hw.h"

/* ---- registers ---- */

static __always_inline void write_counter(u32 n, u64 value)
{
	switch (n) {
	case PMU_CYCLES: write_sysreg(value, pmccntr_el0); return;
#define CASE(n) \
	case n: write_sysreg(value, pmevcntr##n##_el0); return;
		EVENT_COUNTERS(CASE)
#undef CASE
	}
	WARN_ON_ONCE(1);
}

void perfctr_core_write_counter(struct perfctr_core *core, uint32_t n, uint64_t value)
{
	write_counter(n, value);
}

#define PMEVTYPER_NSH BIT(27) /* in EL2, too */

/* A kernel that runs in EL2 is counted there. */
static void write_type(u32 n, u64 value)
{
	if (is_kernel_in_hyp_mode() && !(value & PMEVTYPER_P))
		value |= PMEVTYPER_NSH;
	switch (n) {
	case PMU_CYCLES: write_sysreg(value, pmccfiltr_el0); return;
#define CASE(n) \
	case n: write_sysreg(value, pmevtyper##n##_el0); return;
		EVENT_COUNTERS(CASE)
#undef CASE
	}
	WARN_ON_ONCE(1);
}

#define PMCR_E	     BIT(0)
#define PMCR_LP	     BIT(7)
#define PMUSERENR_EN BIT(0)
#define PMUSERENR_SW BIT(1)

/* Counters of others do not change. A counter is disabled before anything follows. */
void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg, uint64_t value)
{
	switch (reg) {
	case PMU_PMOVSCLR: write_sysreg(value, pmovsclr_el0); return;
	case PMU_PMINTEN:
		write_sysreg(core->taken & ~value, pmintenclr_el1);
		write_sysreg(value, pmintenset_el1);
		return;
	case PMU_PMCNTEN:
		write_sysreg(core->taken & ~value, pmcntenclr_el0);
		write_sysreg(value, pmcntenset_el0);
		isb();
		return;
	}
	write_type(reg - 1, value);
}

static bool user_reads = true;
module_param(user_reads, bool, 0444);
MODULE_PARM_DESC(user_reads, "user mode reads the counters, and sees those of perf_events");

DEFINE_PER_CPU(struct perfctr_core, hw_cores);
struct perfctr_cpu hw_cpu;
static struct arm_pmu *pmu; /* NULL: only the TSC counts */

static void renew_reads(struct perfctr_core *core);

/*
 * Setting sysctl kernel.perf_user_access to 0 takes the register away at once, on every CPU, by a
 * function of perf_events' that has no pointer. Our readers would get a SIGILL.
 */
static int after_disabling(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	renew_reads(this_cpu_ptr(&hw_cores));
	return 0;
}

static struct kretprobe disabling = {
	.kp.symbol_name = "armv8pmu_disable_user_access_ipi",
	.handler = after_disabling,
};
static bool probing; /* false on kernels without this sysctl */

/* ---- identification ---- */

const struct cpumask *hw_forbidden;
struct cpumask hw_started;

/* Finds the PMU of a CPU's counters, by an event of perf_events that is never started. */
static struct arm_pmu *find_pmu(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, (int)cpu, NULL, NULL,
								    NULL);
	struct pmu *found;

	if (IS_ERR(event)) {
		pr_info("perf_events has no counters: only the TSC counts\n");
		return NULL;
	}
	found = event->pmu;
	perf_event_release_kernel(event);
	/* PMUs of Arm's processors are named after them: armv8_pmuv3_0, armv9_cortex_a510. */
	if (!strncmp(found->name, "armv", 4) && to_arm_pmu(found)->pmuver)
		return to_arm_pmu(found);
	pr_info("%s is not PMUv3: only the TSC counts\n", found->name);
	return NULL;
}

static void identify(void *unused)
{
	u64 pmcr = read_sysreg(pmcr_el0);

	perfctr_arm64_identify(read_cpuid_id(), pmcr >> 11 & 0x1F, &hw_cpu);
	/* A guest on Apple's has PMUv3 all the same. */
	if (hw_cpu.rules != PERFCTR_RULES_PMUV3)
		perfctr_arm64_identify(0, pmcr >> 11 & 0x1F, &hw_cpu);
	/* perf_events has them count 64 bits if they can. */
	hw_cpu.width = pmcr & PMCR_LP ? 64 : 32;
}

/* Processors of another type have a PMU of their own, and a control is for one type. */
static void forbid_others(void)
{
	static struct cpumask forbidden;

	if (!cpumask_andnot(&forbidden, cpu_possible_mask, &pmu->supported_cpus))
		return;
	hw_forbidden = &forbidden;
	pr_info("only processors %*pbl have counters that can be used (%s)\n",
		cpumask_pr_args(&pmu->supported_cpus), pmu->name);
}

void hw_init(void)
{
	unsigned int cpu;

	hw_cpu = (struct perfctr_cpu){ .name = "", .id = "", .rules = PERFCTR_RULES_NONE };
	cpus_read_lock();
	cpu = cpumask_first(cpu_online_mask);
	cpus_read_unlock();
	pmu = find_pmu(cpu);
	if (!pmu)
		return;
	if (smp_call_function_single((int)cpu, identify, NULL, 1) < 0) {
		pmu = NULL;
		return;
	}
	hw_cpu.no_rdpmc = !user_reads;
	hw_cpu.pcint = !(pmu->pmu.capabilities & PERF_PMU_CAP_NO_INTERRUPT);
	forbid_others();
	probing = register_kretprobe(&disabling) == 0;
}

void hw_exit(void)
{
	if (probing)
		unregister_kretprobe(&disabling);
	/* CPUs in our functions for perf_events have interrupts off. */
	synchronize_rcu();
}

/* ---- counters that are ours ---- */

#define FOR_EACH_COUNTER(n, set)                                     \
	for ((n) = 0; (n) < PERFCTR_COUNTERS && (set) >> (n); (n)++) \
		if ((set) >> (n)&1)

/* They count nothing and contain nothing, and no overflow of them is remembered. */
static void clear_counters(struct perfctr_core *core, u32 set)
{
	unsigned int n;

	write_sysreg(set, pmcntenclr_el0);
	write_sysreg(set, pmintenclr_el1);
	write_sysreg(set, pmovsclr_el0);
	isb();
	FOR_EACH_COUNTER(n, set) {
		write_type(n, 0);
		perfctr_core_write_counter(core, n, 0);
		core->cache.control[n] = 0;
	}
	core->cache.control[PMU_SLOT_PMINTEN] &= ~(u64)set;
	core->cache.control[PMU_SLOT_PMCNTEN] &= ~(u64)set;
	/* The next user of the counters may have the same program. */
	core->cache.id = core->program = 0;
	core->left &= ~set;
}

/* This switch turns all counters on or off; perf_events turns it off when it has none. */
static void turn(u64 on)
{
	write_sysreg((read_sysreg(pmcr_el0) & ~(u64)PMCR_E) | on, pmcr_el0);
	isb();
}

/* PMUSERENR_EL0 as perf_events leaves it; false: it is KVM's, with a guest's registers. */
static bool note_theirs(struct perfctr_core *core)
{
	unsigned int value = (unsigned int)read_sysreg(pmuserenr_el0);

	if (value & (PMUSERENR_EN | PMUSERENR_SW))
		return false;
	core->theirs = value;
	return true;
}

void hw_stop_cpu(void *unused)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);

	if (core->ready)
		clear_counters(core, core->ready);
	WRITE_ONCE(core->ready, 0);
	memset(&core->cache, 0, sizeof(core->cache));
	core->cache.cpu = smp_processor_id();
	core->process = core->program = 0;
	core->privileged = core->stops = core->halted = false;
	cpumask_clear_cpu(smp_processor_id(), &hw_started);
}

void hw_start_cpu(void *unused)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);

	/* It may have permitted user mode to read before we hooked it. */
	if (!core->reads && !note_theirs(core))
		core->theirs = 0;
	hw_stop_cpu(NULL);
	cpumask_set_cpu(smp_processor_id(), &hw_started);
}

static bool is_started(void)
{
	return cpumask_test_cpu(smp_processor_id(), &hw_started);
}

/* ---- taking counters from perf_events, and giving them back ---- */

/* A CPU's set of counters in use. */
static unsigned long *used_of(unsigned int cpu)
{
	return per_cpu_ptr(pmu->hw_events, cpu)->used_mask;
}

static bool are_free(unsigned int cpu, u32 set)
{
	unsigned int n;

	FOR_EACH_COUNTER(n, set)
		if (test_bit(perfctr_compat_arm_index(n), used_of(cpu)))
			return false;
	return true;
}

static void set_used(unsigned int cpu, u32 set, bool used)
{
	unsigned int n;

	FOR_EACH_COUNTER(n, set)
		assign_bit(perfctr_compat_arm_index(n), used_of(cpu), used);
}

/* How many sets of counters have each, or are about to. */
static unsigned int users[PERFCTR_COUNTERS];

/*
 * Protects the users, the sets' own words, and what is taken. Everybody waits for its holder, who
 * neither sleeps nor is preempted.
 */
static DEFINE_SPINLOCK(sharing);
static u32 everywhere; /* counters that are taken on every CPU */

/* perf_events takes a counter by an atomic operation, and so do we, for other CPUs, too. */
static void take(unsigned int cpu, u32 set)
{
	struct perfctr_core *core = per_cpu_ptr(&hw_cores, cpu);
	u32 got = 0;
	unsigned int n;

	set &= ~core->taken;
	if (!are_free(cpu, set))
		return;
	FOR_EACH_COUNTER(n, set)
		got |= (u32)!test_and_set_bit(perfctr_compat_arm_index(n), used_of(cpu)) << n;
	if (got == set)
		WRITE_ONCE(core->taken, core->taken | set);
	else
		set_used(cpu, got, false);
}

static void take_here(void *argument)
{
	take(smp_processor_id(), *(const u32 *)argument);
}

/* perf_events must not have them again before overflows are its own. */
static void give(unsigned int cpu, u32 set)
{
	struct perfctr_core *core = per_cpu_ptr(&hw_cores, cpu);

	set &= core->taken;
	WRITE_ONCE(core->taken, core->taken & ~set);
	if (core->ready & set)
		WRITE_ONCE(core->ready, core->ready & ~set);
	smp_wmb();
	set_used(cpu, set, false);
}

/* Runs on a CPU where threads have used the counters. */
static void give_here(void *argument)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);
	const u32 set = *(const u32 *)argument & core->taken;

	if (!set)
		return;
	clear_counters(core, set);
	give(smp_processor_id(), set);
	if (bitmap_empty(used_of(smp_processor_id()), ARMPMU_MAX_HWEVENTS))
		turn(0);
}

static bool is_used(int cpu, void *argument)
{
	return perfctr_compat_arm_looks_at_events(pmu->pmuver) ||
	       READ_ONCE(per_cpu_ptr(&hw_cores, cpu)->ready) & *(const u32 *)argument;
}

static void give_everywhere(u32 set)
{
	unsigned int cpu;

	if (!set)
		return;
	everywhere &= ~set;
	on_each_cpu_cond_mask(is_used, give_here, &set, true, &pmu->supported_cpus);
	for_each_cpu(cpu, &pmu->supported_cpus)
		give(cpu, set);
}

/*
 * CPUs that are offline may come later, but not now. A CPU is interrupted where perf_events may
 * just be looking at the events of counters in use.
 */
static bool take_on(unsigned int cpu, u32 set)
{
	const struct perfctr_core *core = per_cpu_ptr(&hw_cores, cpu);

	if (perfctr_compat_arm_looks_at_events(pmu->pmuver) && cpu_online(cpu))
		smp_call_function_single((int)cpu, take_here, &set, 1);
	else
		take(cpu, set);
	return (READ_ONCE(core->taken) & set) == set;
}

/* Takes the set wherever it is free, or on one CPU; whether all is taken then. */
static bool take_everywhere(u32 set)
{
	bool taken = true;
	unsigned int cpu;

	set &= ~everywhere;
	if (!set)
		return true;
	for_each_cpu(cpu, &pmu->supported_cpus)
		taken = take_on(cpu, set) && taken;
	if (taken)
		everywhere |= set;
	return taken;
}

/* Runs in a kernel thread: no other thread's events are on the CPU. */
static int take_in_thread(void *argument)
{
	spin_lock(&sharing);
	take_on(smp_processor_id(), *(const u32 *)argument & ~everywhere);
	spin_unlock(&sharing);
	return 0;
}

#define ASKING_PAUSE (HZ / 100)

/* Takes counters, which have users, from threads' events. Nobody is asked more often than this. */
static void ask_everywhere(u32 set)
{
	static DEFINE_MUTEX(asking);
	static unsigned long last = INITIAL_JIFFIES;
	unsigned int cpu;

	mutex_lock(&asking);
	while (time_before(jiffies, last + ASKING_PAUSE))
		usleep_range(500, 1000);
	for_each_cpu(cpu, &pmu->supported_cpus)
		if (cpu_online(cpu) && set & ~READ_ONCE(per_cpu_ptr(&hw_cores, cpu)->taken))
			smp_call_on_cpu(cpu, take_in_thread, &set, false);
	last = jiffies;
	mutex_unlock(&asking);
}

static u32 counters_of(const struct perfctr_program *program)
{
	u32 set = 0;
	unsigned int i;

	for (i = 0; program && i < program->nrctrs; i++)
		set |= 1u << program->counter[i].reg;
	return set;
}

/* Gives back those that nobody uses. */
static void leave(u32 *taken, u32 set)
{
	u32 unused = 0;
	unsigned int n;

	FOR_EACH_COUNTER(n, set) {
		users[n] -= *taken >> n & 1;
		unused |= (u32)!users[n] << n;
	}
	*taken &= ~set;
	give_everywhere(unused);
}

/* Counters with users are not given back meanwhile. An ending thread may give back its own. */
int hw_take(u32 *taken, const struct perfctr_program *program)
{
	unsigned int n;
	bool done;
	u32 more;

	cpus_read_lock();
	spin_lock(&sharing);
	more = counters_of(program) & ~*taken;
	FOR_EACH_COUNTER(n, more)
		users[n]++;
	*taken |= more;
	done = take_everywhere(more);
	if (!done) {
		spin_unlock(&sharing);
		ask_everywhere(more);
		spin_lock(&sharing);
		done = (*taken & more) == more && take_everywhere(more);
	}
	if (!done)
		leave(taken, more);
	spin_unlock(&sharing);
	cpus_read_unlock();
	if (done)
		return 0;
	pr_info_ratelimited("perf_events has counters of the set 0x%X\n", more);
	return -EBUSY;
}

void hw_keep(u32 *taken, const struct perfctr_program *program)
{
	const u32 kept = counters_of(program);

	if (!(READ_ONCE(*taken) & ~kept))
		return;
	cpus_read_lock();
	spin_lock(&sharing);
	leave(taken, *taken & ~kept);
	spin_unlock(&sharing);
	cpus_read_unlock();
}

/* ---- user-mode reads ---- */

/* Identifies a process's memory. Numbers are not used again; 0: none. */
static u64 process_of(const struct mm_struct *mm)
{
	return mm ? (u64)atomic64_read(&mm->context.id) : 0;
}

static noinline void zero_counters(struct perfctr_core *core)
{
	unsigned int n;

	FOR_EACH_COUNTER(n, core->left)
		perfctr_core_write_counter(core, n, 0);
	/* Counters that were suspended are to be loaded again. */
	if (core->stops)
		core->cache.id = 0;
	core->left = 0;
	core->privileged = core->stops = false;
}

void hw_hide_counters(struct perfctr_core *core)
{
	if (core->running || core->process == process_of(current->mm))
		return;
	if (!is_started())
		hw_start_cpu(NULL);
	hw_leave();
	zero_counters(core);
	core->process = 0;
}

static void renew_reads(struct perfctr_core *core)
{
	if (!note_theirs(core))
		return;
	if (core->reads)
		write_sysreg(READS, pmuserenr_el0);
	else if (core->theirs && is_started() && !in_nmi())
		hw_hide_counters(core);
}

/* ---- perf_events' functions, followed ---- */

static irqreturn_t (*their_handle_irq)(struct arm_pmu *pmu);
static void (*their_start)(struct arm_pmu *pmu);
static void (*their_reset)(void *info);
static void (*tell_of_overflow)(void);

/*
 * They find the register as they left it. Ours have no events: where theirs are looked at, ours are
 * not in use meanwhile. They are taken still, which other CPUs may ask.
 */
static u32 stand_back(struct perfctr_core *core)
{
	const u32 taken = core->taken;

	if (core->reads)
		write_sysreg(core->theirs, pmuserenr_el0);
	if (!perfctr_compat_arm_looks_at_events(pmu->pmuver))
		return 0;
	set_used(smp_processor_id(), taken, false);
	return taken;
}

static void our_start(struct arm_pmu *of)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);
	u32 marks = stand_back(core);

	their_start(of);
	set_used(smp_processor_id(), marks, true);
	renew_reads(core);
}

/* One interrupt for all counters. Theirs clears the flags of all, so ours look at the counts. */
static irqreturn_t our_handle_irq(struct arm_pmu *of)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);
	const struct perfctr_program *program = READ_ONCE(core->running);
	u32 marks, flags = (u32)read_sysreg(pmovsclr_el0);
	irqreturn_t result = IRQ_HANDLED;

	if (flags & ~core->taken) {
		marks = stand_back(core); /* it calls start, but not by its pointer */
		result = their_handle_irq(of);
		set_used(smp_processor_id(), marks, true);
		renew_reads(core);
	}
	write_sysreg(flags & core->taken, pmovsclr_el0);
	if (program && perfctr_program_overflown(core, program))
		tell_of_overflow();
	return result;
}

/* Counters are cleared, and turned on, when a program first comes here with them. */
static noinline void get_ready(struct perfctr_core *core, u32 fresh)
{
	if (!is_started()) {
		hw_start_cpu(NULL);
		core->process = process_of(current->mm);
	}
	clear_counters(core, fresh);
	WRITE_ONCE(core->ready, core->ready | fresh);
	turn(PMCR_E);
}

/* Notes the counters of a program that is about to run. */
static inline void note_program(struct perfctr_core *core, const struct perfctr_program *program)
{
	if (core->program != program->id) {
		core->counters = counters_of(program);
		if (core->counters & ~core->ready)
			get_ready(core, core->counters & ~core->ready);
		core->program = program->id;
	}
	core->left |= core->counters;
	core->privileged |= program->privileged;
	core->stops |= program->stops;
}

/* Runs after a sleep, or on a CPU that comes online. */
static void our_reset(void *info)
{
	their_reset(info);
	if (is_started())
		hw_start_cpu(NULL);
}

int hw_reserve(void (*overflow)(void))
{
	tell_of_overflow = overflow;
	their_handle_irq = pmu->handle_irq;
	their_start = pmu->start;
	their_reset = pmu->reset;
	WRITE_ONCE(pmu->handle_irq, our_handle_irq);
	WRITE_ONCE(pmu->start, our_start);
	WRITE_ONCE(pmu->reset, our_reset);
	return 0;
}

void hw_release(void)
{
	/* Others may still be inside ours, see hw_exit(). */
	WRITE_ONCE(pmu->handle_irq, their_handle_irq);
	WRITE_ONCE(pmu->start, their_start);
	WRITE_ONCE(pmu->reset, their_reset);
}

/* ---- the engine ---- */

/* As a rule the process is back soon: one write stops the counters, and one lets them go on. */
void hw_leave(void)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);

	if (!core->halted && core->left) {
		core->halted = true;
		write_sysreg(core->taken, pmcntenclr_el0);
	}
	/* perf_events lets read on, and is silent where the next thread has inherited events. */
	if (core->theirs)
		zero_counters(core);
}

static inline void arrive(struct perfctr_core *core, const struct perfctr_program *program)
{
	u64 process = process_of(current->mm);

	if (core->process != process || (core->privileged && !program->privileged)) {
		hw_leave(); /* a sibling's run on */
		zero_counters(core);
		core->process = process;
	}
	note_program(core, program);
}

/* The next process's program is the same: only counts are hidden, at once. */
void hw_change_process(struct perfctr_core *core, struct perfctr_cpu_state *state,
		       const struct perfctr_program *program, const struct mm_struct *mm)
{
	unsigned int i, n = program->nractrs;

	if (!n) {
		hw_leave();
		return;
	}
	if (unlikely(core->left != core->counters || core->stops)) {
		zero_counters(core); /* others' of the last process */
		note_program(core, program);
	}
	for (i = 0; i < n; i++) {
		write_counter(program->counter[i].reg, 0);
		state->pmc[i].start = 0;
	}
	core->process = process_of(mm);
}

void hw_resume(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);

	if (program->nrctrs)
		arrive(core, program);
	WRITE_ONCE(core->running, program->nrctrs ? program : NULL);
	perfctr_cpu_resume(core, state, program);
	if (core->halted && program->nrctrs) {
		core->halted = false;
		write_sysreg(core->cache.control[PMU_SLOT_PMCNTEN], pmcntenset_el0);
	}
}

unsigned int hw_suspend(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct perfctr_core *core = this_cpu_ptr(&hw_cores);
	unsigned int overflowed = 0;

	perfctr_cpu_suspend(core, state, program);
	WRITE_ONCE(core->running, NULL);
	hw_set_reads(core, false);
	if (unlikely(program->nrctrs > program->nractrs)) {
		overflowed = perfctr_cpu_identify_overflow(state, program);
		if (overflowed)
			perfctr_cpu_ireload(state);
	}
	return overflowed;
}

void hw_sample(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	perfctr_cpu_sample(this_cpu_ptr(&hw_cores), state, program);
}
