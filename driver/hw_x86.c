// SPDX-License-Identifier: GPL-2.0-only
/* x86: identification, reservation, and the engine over rdmsr, wrmsr, rdpmc and rdtsc. */
#define pr_fmt(fmt) "perfctr: " fmt
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/mmu_notifier.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/user-return-notifier.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/processor.h>
#include <asm/tlbflush.h>
#include <asm/tsc.h>
#include "arch/x86/msrs.h"
#include "driver/compat/compat.h"
#include "driver/debug.h"
#include "driver/hw.h"

struct perfctr_core;
static inline uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
	return (uint32_t)rdtsc_ordered();
}

static inline uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map)
{
	uint32_t low, high;

	/* rdpmcl() is not used: the upper half is not needed, nor is paravirt's patching. */
	asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(map));
	return low;
}

/* Reads two halves: the functions that read the whole have had several names. */
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

/*
 * AMD's event selects have bits for the modes that are counted: the host, a guest, or both (APM
 * vol. 2 13.2.1). This bit is set where none is and the thread may run a guest.
 */
#define HOST_ONLY	  (1ull << 41)
#define HOST_GUEST_EITHER (3ull << 40)
static DEFINE_PER_CPU(u64, host_only);
static DEFINE_STATIC_KEY_FALSE(has_host_only);

static void note_fault(struct perfctr_core *core);

/* The rules know the bits that fault; a hypervisor may know others. */
static inline void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	if (static_branch_unlikely(&has_host_only) && !(value & HOST_GUEST_EITHER))
		value |= __this_cpu_read(host_only);
	if (unlikely(!try_write_msr(reg, value)))
		note_fault(core);
}

#define PERFCTR_NO_ASYNC
#include "arch/engine.h"

struct perfctr_core {
	struct perfctr_cache cache;
	/* A program with i-mode counters, from before its loading until after its stop; or NULL. */
	const struct perfctr_program *interrupting;
	unsigned int announced; /* NMIs that have told of its overflow */
	unsigned int late;   /* NMIs that may still come, of counters that have overflowed, ... */
	unsigned long until; /* ... before this time */
	unsigned int lvtpc;  /* the local APIC's entry as we found it */
	u8 odd;		     /* conditions for which the next thread looks closer: */
#define ODD_FAULT     1	     /* a control register has not taken its value */
#define ODD_GUESTS    2	     /* KVM was in use when others came */
#define ODD_HOST_ONLY 4	     /* event selects have been written with this bit */

	/* The contents that the last threads have left in the registers. */
	u64 process; /* theirs; 0: nothing is left; OTHERS: this CPU is not started */
#define OTHERS (~0ull)
	u64 program;	       /* the last program whose counters are in the list */
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

static DEFINE_PER_CPU(struct perfctr_core, cores) = { .process = OTHERS, .privileged = true };
struct perfctr_cpu hw_cpu;

/* One register that lets all counters go, where there is one. */
static u32 switch_reg;
static u64 switch_on;

/* A hypervisor may leave out some counters' bits. */
static bool are_on(void)
{
	return read_msr(switch_reg) & switch_on;
}

/* ---- the kernel's list of registers in use ---- */

enum { LISTED = PERFCTR_COUNTERS + PERFCTR_SLOTS }; /* the counters first */

/* Returns the nth register; 0: none. The kernel does not use counters of P5 and its clones. */
static u32 listed(unsigned int n)
{
	if (hw_cpu.rules == PERFCTR_RULES_P5 || hw_cpu.rules == PERFCTR_RULES_MII ||
	    hw_cpu.rules == PERFCTR_RULES_WINCHIP)
		return 0;
	return n < PERFCTR_COUNTERS ? perfctr_x86_counter(&hw_cpu, n)
				    : perfctr_x86_register(&hw_cpu, n - PERFCTR_COUNTERS);
}

/* The first ones. */
static void release_registers(unsigned int n)
{
	while (n--)
		if (listed(n) && n < PERFCTR_COUNTERS)
			release_perfctr_nmi(listed(n));
		else if (listed(n))
			release_evntsel_nmi(listed(n));
}

/* Reserves all registers; or none, if one is in use. */
static bool reserve_registers(void)
{
	unsigned int n;

	for (n = 0; n < LISTED; n++)
		if (listed(n) && !(n < PERFCTR_COUNTERS ? reserve_perfctr_nmi(listed(n))
							: reserve_evntsel_nmi(listed(n)))) {
			release_registers(n);
			return false;
		}
	return true;
}

/*
 * A hypervisor without counters for its guests leaves the processor's model as it is: a written
 * counter reads as zero then, and RDPMC would fault. A counter that is in use exists.
 */
static bool counters_exist(void)
{
	static const u64 pattern = 0x5A0000;
	u32 reg = listed(hw_cpu.counters ? __ffs(hw_cpu.counters) : 0);
	bool exist;
	u64 value;

	if (!reg || !reserve_registers())
		return true;
	preempt_disable();
	/* It may be counting: the low bits can change. */
	exist = try_write_msr(reg, pattern) && try_read_msr(reg, &value) &&
		(value ^ pattern) >> 16 == 0;
	try_write_msr(reg, 0);
	preempt_enable();
	release_registers(LISTED);
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
struct cpumask hw_started;

/* The registers are ours on this CPU. */
static bool is_started(void)
{
	return cpumask_test_cpu(smp_processor_id(), &hw_started);
}

/* Hyper-Threading's two threads share the P4's one set of counters: a core's first has them. */
static void forbid_siblings(void)
{
	static struct cpumask forbidden;
	unsigned int cpu;

	if (hw_cpu.rules != PERFCTR_RULES_P4)
		return;
	for_each_possible_cpu(cpu)
		if (cpu != cpumask_first(topology_sibling_cpumask(cpu)))
			cpumask_set_cpu(cpu, &forbidden);
	if (!cpumask_empty(&forbidden))
		hw_forbidden = &forbidden;
}

static int overflow_nmi(unsigned int type, struct pt_regs *regs);

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
	perfctr_x86_identify(&id, &hw_cpu);
	if (!counters_exist()) {
		pr_info("the counters don't answer: only the TSC counts\n");
		memset(id.vendor, 0, sizeof(id.vendor));
		perfctr_x86_identify(&id, &hw_cpu);
	}
	/* A hypervisor may have fewer registers than the processor it shows. */
	if (!try_read_msr(OFFCORE_RSP0, &probe) ||
	    (hw_cpu.offcore > 1 && !try_read_msr(OFFCORE_RSP1, &probe)))
		hw_cpu.offcore = hw_cpu.offcore_width = 0;
	if (hw_cpu.frontend && !try_read_msr(PEBS_FRONTEND, &probe))
		hw_cpu.frontend = 0;
	/* IA32_PERF_CAPABILITIES (leaf 1's PDCM): registers that take a counter's whole width. */
	hw_cpu.full_width = id.leaf1_ecx >> 15 & 1 && try_read_msr(0x345, &probe) &&
			    probe >> 13 & 1;
	/* Registered once for all: removing the handler waits for all CPUs, some ms. */
	hw_cpu.pcint = hw_cpu.pcint && boot_cpu_has(X86_FEATURE_APIC) &&
		       !register_nmi_handler(NMI_LOCAL, overflow_nmi, 0, "perfctr");
	if (perfctr_x86_setup(&hw_cpu, 0, &switch_reg, &switch_on) < 0)
		switch_reg = 0;
	forbid_siblings();
	if (hw_cpu.rules == PERFCTR_RULES_K7 && !(hw_cpu.reserved & HOST_ONLY) &&
	    boot_cpu_has(X86_FEATURE_SVM))
		static_branch_enable(&has_host_only);
}

void hw_clock(struct perfctr_info *info)
{
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

static void clear_register(u32 reg)
{
	if (reg)
		try_write_msr(reg, 0);
}

/* Clears the registers, so that no later user sees these counts, perf_events' users included. */
static void clear_registers(struct perfctr_core *core)
{
	unsigned int n;

	memset(&core->cache, 0, sizeof(core->cache));
	core->cache.cpu = smp_processor_id();
	for (n = 0; n < PERFCTR_SLOTS; n++)
		clear_register(perfctr_x86_register(&hw_cpu, n));
	for (n = 0; n < PERFCTR_COUNTERS; n++) {
		clear_register(perfctr_x86_counter(&hw_cpu, n));
		clear_register(perfctr_x86_fixed_counter(&hw_cpu, n));
	}
	core->process = core->program = 0;
	core->nr_left = core->nr_slots = 0;
	core->privileged = core->halted = false;
	core->odd = 0;
	__this_cpu_write(host_only, 0);
}

void hw_start_cpu(void *unused)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	/* A CPU that was away has forgotten that it watches. */
	unwatch(core);
	clear_registers(core);
	if (switch_reg)
		write_msr(switch_reg, switch_on);
	if (hw_cpu.pcint) {
		core->lvtpc = apic->read(APIC_LVTPC);
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	}
	cpumask_set_cpu(smp_processor_id(), &hw_started);
}

void hw_stop_cpu(void *unused)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	unwatch(core);
	if (is_started()) {
		cpumask_clear_cpu(smp_processor_id(), &hw_started);
		clear_registers(core);
		if (hw_cpu.pcint)
			apic->write(APIC_LVTPC, core->lvtpc);
	}
	core->process = OTHERS;
	core->privileged = true;
}

/* ---- overflow ---- */

static void (*tell_of_overflow)(void);

/* Most processors mask the entry when they deliver it. It is others' again once we stop. */
void hw_after_nmi(void)
{
	if (is_started())
		apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/*
 * perf_events' own handler has had this NMI before. If it has events that are no counter's (Intel
 * PT), it has stopped all counters, and then left them so, or let them go, hidden ones, too. But
 * nothing may be written while a guest has the counters, which do not send NMIs then.
 */
static void restore_switch(struct perfctr_core *core)
{
	if (switch_reg && is_started() && are_on() == core->halted &&
	    (apic->read(APIC_LVTPC) & APIC_MODE_MASK) == APIC_DM_NMI)
		write_msr(switch_reg, core->halted ? 0 : switch_on);
}

static unsigned int nmis_to_come(const struct perfctr_core *core)
{
	return time_after(jiffies, READ_ONCE(core->until)) ? 0 : READ_ONCE(core->late);
}

/* Whether an NMI was expected after its counter had been stopped, as AMD's come. */
static bool was_expected(struct perfctr_core *core)
{
	unsigned int late = nmis_to_come(core);

	if (late)
		WRITE_ONCE(core->late, late - 1);
	return late;
}

static int overflow_nmi(unsigned int type, struct pt_regs *regs)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);
	const struct perfctr_program *program = READ_ONCE(core->interrupting);
	bool ours = program && perfctr_program_overflown(core, program);

	restore_switch(core);
	if (ours)
		core->announced++;
	else if (!was_expected(core))
		return NMI_DONE;
	tell_of_overflow();
	return NMI_HANDLED;
}

int hw_reserve(void (*overflow)(void))
{
	tell_of_overflow = overflow;
	return reserve_registers() ? 0 : -EBUSY;
}

void hw_release(void)
{
	release_registers(LISTED);
}

void hw_exit(void)
{
	if (hw_cpu.pcint)
		unregister_nmi_handler(NMI_LOCAL, "perfctr");
}

/* ---- processes don't see each other ---- */

/* Identifies the current thread's memory. Numbers are not used again; 0: it has none. */
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
	/* Counters that were suspended are to be loaded again. */
	core->cache.id = 0;
}

static void stop_counters(struct perfctr_core *core)
{
	unsigned int slot;

	for (slot = 0; slot < core->nr_slots; slot++) {
		if (core->cache.control[slot])
			try_write_msr(perfctr_x86_register(&hw_cpu, slot), 0);
		core->cache.control[slot] = 0;
	}
}

/* As a rule the process is back soon: one write stops the counters, and one lets them go on. */
static void hide_counters(struct perfctr_core *core)
{
	if (!switch_reg) {
		stop_counters(core);
	} else if (!core->halted) {
		WRITE_ONCE(core->halted, true); /* first, so that no NMI lets them go on */
		write_msr(switch_reg, 0);
	}
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

/* Forgets the last process's program, which has ended. "program" is another's. */
static void forget_process(struct perfctr_core *core, const struct perfctr_program *program)
{
	if (core->privileged || !takes_all(core, program)) {
		if (core->process == OTHERS)
			hw_start_cpu(NULL);
		stop_counters(core);
		zero_counters(core);
		core->nr_left = 0;
	} else {
		zero_counters(core);
	}
	core->program = 0;
	core->privileged = false;
}

static bool is_svm_on(void)
{
	u64 efer;

	return try_read_msr(MSR_EFER, &efer) && efer & EFER_SVME;
}

/* Other threads come, which may run guests of KVM's; they need not return to user mode before. */
static bool note_guests(struct perfctr_core *core)
{
	bool guests = native_read_cr4() & X86_CR4_VMXE ||
		      (boot_cpu_has(X86_FEATURE_SVM) && is_svm_on());

	core->odd = guests ? core->odd | ODD_GUESTS : core->odd & ~ODD_GUESTS;
	return guests;
}

/* A thread that does not count returns to user mode here. Interrupts are off. */
static void foreigner_comes(struct user_return_notifier *notifier)
{
	struct perfctr_core *core = container_of(notifier, struct perfctr_core, foreigner);

	debug_warn(!irqs_disabled());
	note_guests(core);
	unwatch(core);
	hide_counters(core);
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

void hw_leave(void)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	if (!core->watching || !(note_guests(core) || core->privileged))
		return;
	unwatch(core);
	hide_counters(core);
}

/* ---- the engine ---- */

/*
 * Each counter sends its own NMI, and the last threads' may still come, too. Several may become
 * one: no more are expected than there are counters.
 */
static void expect_nmis(struct perfctr_core *core, unsigned int overflowed)
{
	unsigned int sent = hweight32(overflowed),
		     announced = min(READ_ONCE(core->announced), sent);
	unsigned int late = nmis_to_come(core) + sent - announced;

	WRITE_ONCE(core->late, min(late, hweight32(hw_cpu.counters) + hweight32(hw_cpu.fixed)));
	WRITE_ONCE(core->until, jiffies + HZ / 10);
}

static unsigned int find_overflow(struct perfctr_core *core, struct perfctr_cpu_state *state,
				  struct perfctr_program *program)
{
	unsigned int overflowed = perfctr_cpu_identify_overflow(state, program);

	if (overflowed) {
		perfctr_cpu_ireload(state);
		expect_nmis(core, overflowed);
	}
	WRITE_ONCE(core->interrupting, NULL);
	WRITE_ONCE(core->announced, 0);
	return overflowed;
}

/* ---- KVM ---- */

/* KVM has a notifier for the memory of its guests. */
static bool may_have_guests(void)
{
	return current->mm && mm_has_notifiers(current->mm);
}

/*
 * On AMD, a thread of a process with KVM guests counts in the host only. Without EFER.SVME such a
 * counter would not count.
 */
static u64 wants_host_only(void)
{
	if (!static_branch_unlikely(&has_host_only) || !may_have_guests())
		return 0;
	return is_svm_on() ? HOST_ONLY : 0;
}

/* Nothing that a control register may contain: each is written again. */
#define UNKNOWN (~0ull)
static void forget_controls(struct perfctr_core *core)
{
	unsigned int slot;

	core->cache.id = 0;
	for (slot = 0; slot < PERFCTR_SLOTS; slot++)
		if (perfctr_x86_register(&hw_cpu, slot)) {
			core->cache.control[slot] = UNKNOWN;
			core->nr_slots = max(core->nr_slots, slot + 1);
		}
}

static void note_fault(struct perfctr_core *core)
{
	core->odd |= ODD_FAULT;
}

/* The process has got its first guest, or has none any more, or another process comes. */
static void follow_guests(struct perfctr_core *core)
{
	u64 wanted = wants_host_only();

	if (likely(wanted == __this_cpu_read(host_only)))
		return;
	__this_cpu_write(host_only, wanted);
	core->odd = wanted ? core->odd | ODD_HOST_ONLY : core->odd & ~ODD_HOST_ONLY;
	forget_controls(core);
}

/*
 * A guest of a mediated virtual PMU (Linux 7) loads the registers when it is entered, and KVM
 * leaves them zero, all counters stopped.
 */
static bool is_mediated(void)
{
	return IS_ENABLED(CONFIG_PERF_GUEST_MEDIATED_PMU) && switch_reg;
}

/* Whether other code has cleared the registers; an NMI stops counters meanwhile. */
static bool was_cleared(struct perfctr_core *core)
{
	u64 written, now;
	unsigned int slot;

	if (!is_mediated())
		return false;
	if (!core->halted)
		return !are_on();
	for (slot = 0; slot < core->nr_slots; slot++) {
		written = core->cache.control[slot];
		if (written && written != UNKNOWN &&
		    try_read_msr(perfctr_x86_register(&hw_cpu, slot), &now) && !now)
			return true;
	}
	return false;
}

/* The counts since the last sample are lost: the counters are set to their values then. */
static void recover(struct perfctr_core *core, const struct perfctr_cpu_state *state,
		    const struct perfctr_program *program)
{
	unsigned int i;
	u64 start;

	forget_controls(core);
	for (i = 0; i < program->nrctrs; i++) {
		start = (u64)(s64)(s32)state->pmc[i].start;
		write_msr(program->counter[i].reg, start & program->counter[i].mask);
		if (program->counter[i].upper)
			write_msr(program->counter[i].upper, start >> 48);
	}
	perfctr_write_program(core, program);
	write_msr(switch_reg, switch_on);
}

unsigned int hw_suspend(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	/* One that ends has lost its memory already. */
	if (is_mediated() && program->nrctrs && (may_have_guests() || !current->mm) &&
	    was_cleared(core))
		recover(core, state, program);
	perfctr_cpu_suspend(core, state, program);
	if (program->nrctrs)
		watch(core);
	return unlikely(program->nrctrs > program->nractrs) ? find_overflow(core, state, program)
							    : 0;
}

/* Could the registers contain something else than we know? */
static __always_inline bool is_odd(const struct perfctr_core *core)
{
	return core->odd ||
	       ((is_mediated() || static_branch_unlikely(&has_host_only)) && may_have_guests());
}

/* Is called before counters are started. */
static void look_closer(struct perfctr_core *core)
{
	bool cleared = was_cleared(core);

	if (cleared || core->odd & ODD_FAULT)
		forget_controls(core);
	core->odd &= ~ODD_FAULT;
	follow_guests(core);
	if (cleared && !core->halted)
		write_msr(switch_reg, switch_on);
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

	if (program->nrctrs) {
		arrive(core, program);
		/* Where KVM turns AMD's virtualization on or off, perf_events lets all go. */
		if (static_branch_unlikely(&has_host_only) && core->halted && are_on())
			zero_counters(core);
		if (unlikely(is_odd(core)))
			look_closer(core);
	}
	if (unlikely(program->nrctrs > program->nractrs))
		WRITE_ONCE(core->interrupting, program);
	perfctr_cpu_resume(core, state, program);
	if (core->halted && program->nrctrs) {
		core->halted = false;
		write_msr(switch_reg, switch_on);
	}
}

/* Hands over within a process. A notifier that watches for other threads stays. */
bool hw_hand_over(struct perfctr_cpu_state *from, const struct perfctr_program *program,
		  struct perfctr_cpu_state *to, struct perfctr_program *next,
		  const struct mm_struct *mm)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	if (!perfctr_cpu_can_hand_over(core, program, next) || (next->nrctrs && is_odd(core)))
		return false;
	perfctr_cpu_hand_over(core, from, to, next);
	return true;
}

void hw_sample(struct perfctr_cpu_state *state, struct perfctr_program *program)
{
	struct perfctr_core *core = this_cpu_ptr(&cores);

	/* A thread that is never switched out would else not notice that it runs guests. */
	if (program->nrctrs) {
		if (was_cleared(core))
			recover(core, state, program);
		follow_guests(core);
		perfctr_write_program(core, program);
	}
	perfctr_cpu_sample(core, state, program);
}

/* ---- RDPMC in user mode ---- */

static void start_here(void *unused)
{
	if (!is_started())
		hw_start_cpu(NULL);
}

/*
 * CR4.PCE belongs to the kernel, which sets it when it loads a process's page tables: if this count
 * of perf_events' is not 0, or the administrator allows it for all (/sys/devices/cpu/rdpmc).
 */
void hw_allow_reads(struct mm_struct *mm)
{
	/* CPUs where no thread has counted since perf_events did. */
	if (!PERFCTR_COMPAT_CLEARS && !cpumask_subset(cpu_online_mask, &hw_started))
		on_each_cpu(start_here, NULL, true);
	atomic_inc(&mm->context.perf_rdpmc_allowed);
}

void hw_forbid_reads(struct mm_struct *mm)
{
	bool was_allowed = atomic_dec_if_positive(&mm->context.perf_rdpmc_allowed) >= 0;

	debug_warn(!was_allowed);
}

void hw_forbid_inherited_reads(struct mm_struct *mm)
{
	atomic_set(&mm->context.perf_rdpmc_allowed, 0);
}

/* Since 6.14 a CPU stays in the set when it has left, until the kernel finds it there, or we do. */
bool hw_reads_are_stale(struct mm_struct *mm)
{
	bool loaded = (__native_read_cr3() & CR3_ADDR_MASK) == __sme_pa(mm->pgd);

	if (!loaded)
		cpumask_clear_cpu(smp_processor_id(), mm_cpumask(mm));
	return loaded && hw_user_reads() != (atomic_read(&mm->context.perf_rdpmc_allowed) > 0);
}

bool hw_user_reads(void)
{
	return native_read_cr4() & X86_CR4_PCE;
}
