// SPDX-License-Identifier: GPL-2.0-only
/* x86: identification, reservation, and the engine over rdmsr, wrmsr, rdpmc and rdtsc. */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/topology.h>
#include <linux/user-return-notifier.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/processor.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>
#include "arch/x86/msrs.h"
#include "driver/hw.h"

struct perfctr_core;
static inline uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
	return (uint32_t)rdtsc_ordered();
}

static inline uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map)
{
	uint32_t low, high;

	/* Not rdpmcl(): the upper half is of no interest, and paravirt's patching neither. */
	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(map));
	return low;
}

/* By halves: the names of the functions that take the whole have changed over the years. */
static u64 read_msr(u32 reg)
{
	u32 low, high;

	rdmsr(reg, low, high);
	return (u64)high << 32 | low;
}

static void write_msr(u32 reg, u64 value)
{
	wrmsr(reg, (u32)value, (u32)(value >> 32));
}

static bool try_read_msr(u32 reg, u64 *value)
{
	u32 low, high;
	bool there = !rdmsr_safe(reg, &low, &high);

	*value = (u64)high << 32 | low;
	return there;
}

static bool try_write_msr(u32 reg, u64 value)
{
	return !wrmsr_safe(reg, (u32)value, (u32)(value >> 32));
}

static inline uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	return read_msr(reg);
}

static inline void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	write_msr(reg, value);
}

static inline uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	return read_msr(reg);
}

static inline void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	write_msr(reg, value);
}

#include "arch/engine.h"

struct perfctr_core {
	struct perfctr_cache cache;
	/* A program with i-mode counters, from before it is loaded until after it is stopped, or
	 * NULL. */
	const struct perfctr_program *interrupting;
	bool announced;	    /* an NMI has told of its overflow */
	bool late;	    /* it overflowed, and the NMI is still to come */
	unsigned int lvtpc; /* the local APIC's entry as we found it */

	/* What the last threads have left in the registers. */
	u64 process;	       /* theirs; 0: nothing is left */
	u64 program;	       /* the last one whose counters are in the list */
	bool privileged;       /* one of them counts more than their user mode */
	bool halted;	       /* all counters stand, by the switch that is for all of them */
	unsigned int nr_slots; /* control registers that may not be 0 are in the first ones */
	unsigned int nr_left;  /* counters that may not be 0 */
	u32 left[2 * PERFCTR_COUNTERS]; /* fixed ones, too: there is room for all */
	bool watching;			/* the next return to user mode */
	struct user_return_notifier foreigner;
};

static inline struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core)
{
	return &core->cache;
}

static bool see_others;
module_param(see_others, bool, 0444);
MODULE_PARM_DESC(see_others,
		 "counters run on while others do, and show it: for a machine with one user");

static DEFINE_PER_CPU(struct perfctr_core, cores);
static struct perfctr_cpu this_cpu;

/* One register that lets all counters go, where there is one. */
static u32 switch_reg;
static u64 switch_on;

/* ---- the kernel's list of who uses which register ---- */

/* P5 and its clones are not in the list: nobody else uses their counters. */
static bool listed(void)
{
	return this_cpu.rules != PERFCTR_RULES_P5 && this_cpu.rules != PERFCTR_RULES_MII &&
	       this_cpu.rules != PERFCTR_RULES_WINCHIP;
}

static u32 counter_register(unsigned int n)
{
	return listed() ? perfctr_x86_counter(&this_cpu, n) : 0;
}

static u32 control_register(unsigned int slot)
{
	return listed() ? perfctr_x86_register(&this_cpu, slot) : 0;
}

/* The first ones. */
static void release_registers(unsigned int counters, unsigned int controls)
{
	while (controls--)
		if (control_register(controls))
			release_evntsel_nmi(control_register(controls));
	while (counters--)
		if (counter_register(counters))
			release_perfctr_nmi(counter_register(counters));
}

/* All of them; or none, if one is in use, which is returned. */
static u32 reserve_registers(void)
{
	unsigned int counters, controls = 0;
	u32 reg;

	for (counters = 0; counters < PERFCTR_COUNTERS; counters++) {
		reg = counter_register(counters);
		if (reg && !reserve_perfctr_nmi(reg))
			goto held;
	}
	for (; controls < PERFCTR_SLOTS; controls++) {
		reg = control_register(controls);
		if (reg && !reserve_evntsel_nmi(reg))
			goto held;
	}
	return 0;
held:
	release_registers(counters, controls);
	return reg;
}

/*
 * A hypervisor that has no counters for its guests leaves the processor's model as it is: a written
 * counter reads as zero then, and RDPMC would fault. What somebody uses is there.
 */
static bool counters_exist(void)
{
	static const u64 pattern = 0x5A0000;
	u32 reg = counter_register(this_cpu.counters ? __ffs(this_cpu.counters) : 0);
	bool exist;
	u64 value;

	if (!reg || reserve_registers())
		return true;
	preempt_disable();
	/* It may be counting: the low bits can change. */
	exist = try_write_msr(reg, pattern) && try_read_msr(reg, &value) &&
		(value ^ pattern) >> 16 == 0;
	try_write_msr(reg, 0);
	preempt_enable();
	release_registers(PERFCTR_COUNTERS, PERFCTR_SLOTS);
	return exist;
}

/* ---- identification ---- */

static inline void perfctr_cpuid_leaf(uint32_t leaf, uint32_t subleaf, uint32_t word[4])
{
	asm volatile("cpuid"
		     : "=a"(word[0]), "=b"(word[1]), "=c"(word[2]), "=d"(word[3])
		     : "a"(leaf), "c"(subleaf));
}

#include "arch/x86/cpuid.h"

const struct cpumask *hw_forbidden;

/* Hyper-Threading's two threads share one set of counters in the P4: only a core's first has them.
 */
static void forbid_siblings(void)
{
	static struct cpumask forbidden;
	unsigned int cpu;

	if (this_cpu.rules != PERFCTR_RULES_P4)
		return;
	for_each_possible_cpu(cpu) if (cpu != cpumask_first(topology_sibling_cpumask(cpu)))
		cpumask_set_cpu(cpu, &forbidden);
	if (!cpumask_empty(&forbidden))
		hw_forbidden = &forbidden;
}

void hw_init(void)
{
	struct perfctr_cpuid id = {};
	u64 probe;

	perfctr_cpuid_all(&id);
	/* Every CPU would need a description, and every control one for each kind. */
	if (id.leaf7_edx & 1u << 15) {
		pr_info("processors with two core types are not supported: only the TSC counts\n");
		memset(id.vendor, 0, sizeof(id.vendor));
	}
	perfctr_x86_identify(&id, &this_cpu);
	if (!counters_exist()) {
		pr_info("the counters don't answer: only the TSC counts\n");
		memset(id.vendor, 0, sizeof(id.vendor));
		perfctr_x86_identify(&id, &this_cpu);
	}
	/* A hypervisor may have fewer registers than the processor it shows. */
	if (!try_read_msr(OFFCORE_RSP0, &probe) ||
	    (this_cpu.offcore > 1 && !try_read_msr(OFFCORE_RSP1, &probe)))
		this_cpu.offcore = this_cpu.offcore_width = 0;
	if (this_cpu.frontend && !try_read_msr(PEBS_FRONTEND, &probe))
		this_cpu.frontend = 0;
	/* IA32_PERF_CAPABILITIES (leaf 1's PDCM): the registers that take a counter's whole width.
	 */
	this_cpu.full_width = id.leaf1_ecx >> 15 & 1 && try_read_msr(0x345, &probe) &&
			      probe >> 13 & 1;
	this_cpu.pcint &= boot_cpu_has(X86_FEATURE_APIC);
	if (perfctr_x86_setup(&this_cpu, 0, &switch_reg, &switch_on) < 0)
		switch_reg = 0;
	forbid_siblings();
}

void hw_info(struct perfctr_info *info)
{
	info->cpu_type = this_cpu.type;
	info->cpu_features = (this_cpu.no_tsc ? 0 : PERFCTR_FEATURE_RDTSC) |
			     (this_cpu.counters && !this_cpu.no_rdpmc ? PERFCTR_FEATURE_RDPMC : 0) |
			     (this_cpu.pcint ? PERFCTR_FEATURE_PCINT : 0);
	info->cpu_khz = cpu_khz;
	info->tsc_to_cpu_mult = 1;
}

/* ---- reservation ---- */

static void unwatch(struct perfctr_core *core)
{
	if (!core->watching)
		return;
	core->watching = false;
	user_return_notifier_unregister(&core->foreigner);
}

/* Nobody's counts are left to anybody, perf_events' users among them. */
static void clear_registers(struct perfctr_core *core)
{
	unsigned int n;
	u32 reg;

	memset(&core->cache, 0, sizeof(core->cache));
	core->cache.cpu = smp_processor_id();
	for (n = 0; n < PERFCTR_SLOTS; n++) {
		reg = perfctr_x86_register(&this_cpu, n);
		if (reg)
			try_write_msr(reg, 0);
	}
	for (n = 0; n < PERFCTR_COUNTERS; n++) {
		reg = perfctr_x86_counter(&this_cpu, n);
		if (reg)
			try_write_msr(reg, 0);
		reg = perfctr_x86_fixed_counter(&this_cpu, n);
		if (reg)
			try_write_msr(reg, 0);
	}
	core->process = core->program = 0;
	core->nr_left = core->nr_slots = 0;
	core->privileged = core->halted = false;
}

void hw_start_cpu(void)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	/* A CPU that was away has forgotten that it watches. */
	unwatch(core);
	clear_registers(core);
	if (switch_reg)
		write_msr(switch_reg, switch_on);
	if (this_cpu.pcint) {
		core->lvtpc = apic->read(APIC_LVTPC);
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	}
}

void hw_stop_cpu(void)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	unwatch(core);
	clear_registers(core);
	if (this_cpu.pcint)
		apic->write(APIC_LVTPC, core->lvtpc);
}

/* ---- overflow ---- */

static void (*tell_of_overflow)(void);

/*
 * Overflows interrupt by an NMI, which can come in the middle of the engine's functions. It only
 * looks at the counters, to know that it is ours; what is to be done is done in an interrupt that
 * follows as soon as interrupts are on, before the interrupted program executes another
 * instruction.
 */
static void after_nmi(struct irq_work *work)
{
	unsigned long flags;

	local_irq_save(flags);
	tell_of_overflow();
	/* Most processors mask the entry when they deliver it. */
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	local_irq_restore(flags);
}

static DEFINE_PER_CPU(struct irq_work, overflow_works);

static int overflow_nmi(unsigned int type, struct pt_regs *regs)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);
	const struct perfctr_program *program = core->interrupting;
	bool ours = core->late;
	unsigned int i;

	core->late = false;
	if (program)
		for (i = program->nractrs; i < program->nrctrs; i++)
			if (perfctr_counter_overflown(program,
						      perfctr_counter_now(core, program, i)))
				ours = core->announced = true;
	if (!ours)
		return NMI_DONE;
	irq_work_queue(this_cpu_ptr(&overflow_works));
	return NMI_HANDLED;
}

static int take_interrupts(void (*overflow)(void))
{
	int cpu;

	if (!this_cpu.pcint)
		return 0;
	tell_of_overflow = overflow;
	for_each_possible_cpu(cpu) init_irq_work(per_cpu_ptr(&overflow_works, cpu), after_nmi);
	return register_nmi_handler(NMI_LOCAL, overflow_nmi, 0, "perfctr");
}

static void leave_interrupts(void)
{
	int cpu;

	if (!this_cpu.pcint)
		return;
	unregister_nmi_handler(NMI_LOCAL, "perfctr");
	for_each_possible_cpu(cpu) irq_work_sync(per_cpu_ptr(&overflow_works, cpu));
}

int hw_reserve(void (*overflow)(void))
{
	u32 held = reserve_registers();
	int err;

	if (held) {
		pr_info_ratelimited("perf_events or the NMI watchdog has register 0x%X\n", held);
		return -EBUSY;
	}
	err = take_interrupts(overflow);
	if (err) {
		release_registers(PERFCTR_COUNTERS, PERFCTR_SLOTS);
		return err;
	}
	return 0;
}

void hw_release(void)
{
	leave_interrupts();
	release_registers(PERFCTR_COUNTERS, PERFCTR_SLOTS);
}

/* ---- programs ---- */

int hw_compile(const struct perfctr_cpu_control *control, unsigned int flags,
	       struct perfctr_program *program)
{
	struct perfctr_diagnosis d;

	if (perfctr_x86_compile(&this_cpu, control, flags, program, &d) == 0) {
		/* What another thread can change, or what only one core may use, no thread can
		 * have. */
		return program->one_core || (program->core_shared &&
					     cpumask_weight(topology_sibling_cpumask(0)) > 1)
			       ? -EOPNOTSUPP
			       : 0;
	}
	pr_debug("invalid control: %s[%d] has 0x%08X: %s\n", d.field, d.index, d.bits, d.rule);
	return d.forbidden ? -EPERM : -EINVAL;
}

void hw_update_control(struct perfctr_cpu_state *state, struct perfctr_program *program,
		       unsigned int tsc_on)
{
	static atomic64_t last = ATOMIC64_INIT(0);

	perfctr_cpu_update_control(state, program, tsc_on, atomic64_inc_return(&last));
}

/* ---- processes don't see each other ---- */

/* Whose memory the current thread has. Numbers of the past are not used again; 0: it has none. */
static u64 this_process(void)
{
	return current->mm ? current->mm->context.ctx_id : 0;
}

static void note_counters(struct perfctr_core *core, const struct perfctr_program *program)
{
	unsigned int i, k;

	if (core->program == program->id)
		return;
	core->program = program->id;
	core->privileged |= program->privileged;
	for (i = 0; i < program->nr_writes; i++)
		core->nr_slots = max(core->nr_slots, program->write[i].slot + 1);
	for (i = 0; i < program->nrctrs; i++) {
		for (k = 0; k < core->nr_left; k++)
			if (core->left[k] == program->counter[i].reg)
				break;
		core->left[k] = program->counter[i].reg;
		core->nr_left = max(core->nr_left, k + 1);
	}
}

static void zero_counters(struct perfctr_core *core)
{
	unsigned int k;

	for (k = 0; k < core->nr_left; k++)
		write_msr(core->left[k], 0);
	/* Counters that were suspended are to be loaded anew. */
	core->cache.id = 0;
}

static void stop_counters(struct perfctr_core *core)
{
	unsigned int slot;

	for (slot = 0; slot < core->nr_slots; slot++) {
		if (core->cache.control[slot])
			write_msr(perfctr_x86_register(&this_cpu, slot), 0);
		core->cache.control[slot] = 0;
	}
}

/* The process is back soon, as a rule: what one write stops, one write lets go on. */
static void hide_counters(struct perfctr_core *core)
{
	if (switch_reg && !core->halted)
		write_msr(switch_reg, 0);
	if (switch_reg)
		core->halted = true;
	else
		stop_counters(core);
	zero_counters(core);
}

/* Does the program take over all counters that others have left? */
static bool takes_all(const struct perfctr_core *core, const struct perfctr_program *program)
{
	unsigned int k;

	if (core->nr_left > program->nrctrs)
		return false;
	for (k = 0; k < core->nr_left; k++)
		if (core->left[k] != program->counter[k].reg)
			return false;
	return true;
}

/* For another process's program: nothing of the last one's counts any more. */
static void forget_process(struct perfctr_core *core, const struct perfctr_program *program)
{
	if (core->privileged || !takes_all(core, program)) {
		stop_counters(core);
		zero_counters(core);
		core->nr_left = 0;
	} else {
		zero_counters(core);
	}
	core->program = 0;
	core->privileged = false;
}

/*
 * Somebody returns to user mode on this CPU who is not a thread that counts: that one would have
 * unwatched. Interrupts may be on.
 */
static void foreigner_comes(struct user_return_notifier *notifier)
{
	struct perfctr_core *core = container_of(notifier, struct perfctr_core, foreigner);
	unsigned long flags;

	local_irq_save(flags);
	unwatch(core);
	hide_counters(core);
	local_irq_restore(flags);
}

/*
 * Counters run on when their thread has left: until another process's thread returns to user mode
 * here. The idle task and kernel threads have none.
 */
static void watch(struct perfctr_core *core)
{
	if (core->watching || see_others)
		return;
	core->watching = true;
	core->foreigner.on_user_return = foreigner_comes;
	user_return_notifier_register(&core->foreigner);
}

/* Guests of KVM's can run here, whose threads need not return to user mode before. */
static bool has_guests(void)
{
	u64 efer;

	return native_read_cr4() & X86_CR4_VMXE ||
	       (boot_cpu_has(X86_FEATURE_SVM) && try_read_msr(MSR_EFER, &efer) && efer & EFER_SVME);
}

void hw_leave(void)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	if (!core->watching || !(core->privileged || has_guests()))
		return;
	unwatch(core);
	hide_counters(core);
}

/* ---- the engine ---- */

static bool interrupts(const struct perfctr_program *program)
{
	return program->nrctrs > program->nractrs;
}

static unsigned int find_overflow(struct perfctr_core *core, struct perfctr_cpu_state *state,
				  struct perfctr_program *program)
{
	unsigned int overflown = perfctr_cpu_identify_overflow(state, program);

	if (overflown)
		perfctr_cpu_ireload(state);
	core->late = overflown && !core->announced;
	WRITE_ONCE(core->interrupting, NULL);
	core->announced = false;
	return overflown;
}

unsigned int hw_suspend(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	perfctr_cpu_suspend(core, state, program);
	if (program->nrctrs)
		watch(core);
	return unlikely(interrupts(program)) ? find_overflow(core, state, program) : 0;
}

static void arrive(struct perfctr_core *core, const struct perfctr_program *program)
{
	u64 process = this_process();

	unwatch(core);
	if (core->process != process || (core->privileged && !program->privileged))
		forget_process(core, program);
	core->process = process;
	note_counters(core, program);
}

void hw_resume(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	if (program->nrctrs)
		arrive(core, program);
	if (unlikely(interrupts(program)))
		WRITE_ONCE(core->interrupting, program);
	perfctr_cpu_resume(core, state, program);
	if (core->halted && program->nrctrs) {
		core->halted = false;
		write_msr(switch_reg, switch_on);
	}
}

void hw_sample(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	perfctr_cpu_sample(this_cpu_ptr(&cores), state, program);
}

/* ---- RDPMC in user mode ---- */

/*
 * CR4.PCE belongs to the kernel, which sets it when it loads a process's page tables: if this count
 * of perf_events' says so, or the administrator does for all (/sys/devices/cpu/rdpmc).
 */
void hw_allow_reads(struct mm_struct *mm)
{
	atomic_inc(&mm->context.perf_rdpmc_allowed);
}

void hw_forbid_reads(struct mm_struct *mm)
{
	atomic_dec(&mm->context.perf_rdpmc_allowed);
}

void hw_forbid_inherited_reads(struct mm_struct *mm)
{
	atomic_set(&mm->context.perf_rdpmc_allowed, 0);
}

bool hw_reads_are_stale(const struct mm_struct *mm)
{
	bool loaded = (__native_read_cr3() & CR3_ADDR_MASK) == __sme_pa(mm->pgd);

	return loaded && hw_user_reads() != (atomic_read(&mm->context.perf_rdpmc_allowed) > 0);
}

bool hw_user_reads(void)
{
	return native_read_cr4() & X86_CR4_PCE;
}
