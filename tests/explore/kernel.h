/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kernel.h - the kernel's services, as the driver's sources see them: each <linux/...> that they
 * include is this file. What each service promises is what Linux 6.1's does; kernel.c says where.
 */
#ifndef PERFCTR_TESTS_EXPLORE_KERNEL_H
#define PERFCTR_TESTS_EXPLORE_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* ---- the language ---- */

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;
typedef unsigned int gfp_t;

#define PERFCTR_DEBUG		1
#define CONFIG_X86		1
#define CONFIG_SMP		1
#define IS_ENABLED(option)	IS_ENABLED_##option
#define IS_ENABLED_CONFIG_X86	1
#define IS_ENABLED_CONFIG_ARM64 0
#define LINUX_VERSION_CODE	KERNEL_VERSION(6, 1, 0)
#define KERNEL_VERSION(a, b, c) ((a) << 16 | (b) << 8 | (c))
#define PERFCTR_VERSION		"0"

#undef __always_inline /* the C library's */
#define __user
#define __init
#define __exit
#define noinline				       __attribute__((noinline))
#define __always_inline				       inline __attribute__((always_inline))
#define likely(x)				       (x)
#define unlikely(x)				       (x)
#define READ_ONCE(x)				       (*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)			       (*(volatile __typeof__(x) *)&(x) = (v))
#define smp_load_acquire(p)			       READ_ONCE(*(p))
#define rcu_access_pointer(p)			       READ_ONCE(p)
#define rcu_dereference(p)			       READ_ONCE(p)
#define container_of(p, type, member)		       ((type *)((char *)(p)-offsetof(type, member)))
#define ARRAY_SIZE(a)				       (sizeof(a) / sizeof((a)[0]))
#define min_t(type, a, b)			       ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define U64_MAX					       UINT64_MAX
#define pr_debug(...)				       ((void)0)
#define pr_err(...)				       ((void)0)
#define WARN_ON_ONCE(c)				       kernel_warns_if(c, #c)
#define THIS_MODULE				       NULL
#define module_param_named(name, variable, type, mode) struct kernel_unused
#define MODULE_PARM_DESC(name, text)		       struct kernel_unused
#define ERR_PTR(e)				       ((void *)(intptr_t)(e))
#define ERR_CAST(p)				       ((void *)(p))
#define PTR_ERR(p)				       ((int)(intptr_t)(p))
#define IS_ERR(p)				       ((uintptr_t)(p) > (uintptr_t)-4096)
#define PTR_ERR_OR_ZERO(p)			       (IS_ERR(p) ? PTR_ERR(p) : 0)

bool kernel_warns_if(bool condition, const char *what);

/* ---- lists and the table ---- */

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

static inline bool hlist_empty(const struct hlist_head *head)
{
	return !READ_ONCE(head->first);
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	node->next = head->first;
	if (head->first)
		head->first->pprev = &node->next;
	head->first = node;
	node->pprev = &head->first;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (!node->pprev)
		return;
	*node->pprev = node->next;
	if (node->next)
		node->next->pprev = node->pprev;
	node->next = NULL;
	node->pprev = NULL;
}

#define hlist_entry_safe(node, type, member) ((node) ? container_of(node, type, member) : NULL)
#define hlist_for_each_entry(p, head, member)                                      \
	for ((p) = hlist_entry_safe((head)->first, __typeof__(*(p)), member); (p); \
	     (p) = hlist_entry_safe((p)->member.next, __typeof__(*(p)), member))
unsigned int hash_ptr(const void *p, unsigned int bits);
#define ilog2(n) ((unsigned int)__builtin_ctz((unsigned int)(n)))

/* ---- locks, interrupts ---- */

struct lock {
	const char *class;  /* the expression by which it was made */
	unsigned int owner; /* 1 + a context; 0: nobody */
	bool raw;
};
typedef struct lock spinlock_t;
typedef struct lock raw_spinlock_t;

void kernel_lock(struct lock *lock, bool irq, bool nested);
void kernel_unlock(struct lock *lock, bool irq);
#define DEFINE_SPINLOCK(name)	     spinlock_t name = { .class = #name " " __FILE__ }
#define DEFINE_RAW_SPINLOCK(name)    raw_spinlock_t name = { .class = #name " " __FILE__, .raw = true }
#define spin_lock_init(l)	     (*(l) = (struct lock){ .class = #l " " __FILE__ })
#define raw_spin_lock_init(l)	     (*(l) = (struct lock){ .class = #l " " __FILE__, .raw = true })
#define spin_lock(l)		     kernel_lock(l, false, false)
#define spin_unlock(l)		     kernel_unlock(l, false)
#define spin_lock_irq(l)	     kernel_lock(l, true, false)
#define spin_unlock_irq(l)	     kernel_unlock(l, true)
#define raw_spin_lock(l)	     kernel_lock(l, false, false)
#define raw_spin_lock_nested(l, n)   kernel_lock(l, false, true)
#define raw_spin_unlock(l)	     kernel_unlock(l, false)
#define raw_spin_lock_irq(l)	     kernel_lock(l, true, false)
#define raw_spin_unlock_irq(l)	     kernel_unlock(l, true)
#define raw_spin_lock_irqsave(l, f)  ((f) = kernel_irq_save(), kernel_lock(l, false, false))
#define spin_lock_irqsave(l, f)	     raw_spin_lock_irqsave(l, f)
#define spin_unlock_irqrestore(l, f) raw_spin_unlock_irqrestore(l, f)
unsigned long kernel_irq_save(void);
void kernel_irq_restore(unsigned long flags);

/* A function: the flags, which the lock may protect, are read before it is given back. */
static inline void raw_spin_unlock_irqrestore(struct lock *lock, unsigned long flags)
{
	kernel_unlock(lock, false);
	kernel_irq_restore(flags);
}

void local_irq_disable(void);
void local_irq_enable(void);

struct mutex {
	unsigned int owner;
};
#define DEFINE_MUTEX(name) struct mutex name
void mutex_init(struct mutex *mutex);
void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

void rcu_read_lock(void);
void rcu_read_unlock(void);

/* ---- atomics, references ---- */

typedef struct {
	int counter;
} atomic_t;

int atomic_read(const atomic_t *a);
void atomic_set(atomic_t *a, int value);
int atomic_add_return(int n, atomic_t *a);
void atomic_or(int bits, atomic_t *a);
int atomic_xchg(atomic_t *a, int value);
#define atomic_inc(a)		     ((void)atomic_add_return(1, a))
#define atomic_dec(a)		     ((void)atomic_add_return(-1, a))
#define atomic_set_release(a, value) atomic_set(a, value)

struct kref {
	atomic_t refcount;
};
void kref_init(struct kref *refs);
void kref_get(struct kref *refs);
void kref_put(struct kref *refs, void (*release)(struct kref *));

/* ---- memory ---- */

enum { GFP_KERNEL, GFP_KERNEL_ACCOUNT = 0, GFP_ATOMIC = 1, __GFP_ACCOUNT = 0 };
#define PAGE_SIZE 4096

struct page {
	const void *address;
	int count;
};
void *kzalloc(size_t size, gfp_t gfp);
#define kmalloc(size, gfp) kzalloc(size, gfp)
void kfree(const void *block);
unsigned long get_zeroed_page(gfp_t gfp);
void free_page(unsigned long address);
struct page *virt_to_page(const void *address);
int page_count(const struct page *page);
unsigned long page_to_pfn(const struct page *page);
void get_page(struct page *page);
void put_page(struct page *page);

struct user_namespace;
struct mm_struct {
	int count, dumpable;
	int allowed; /* how many sets let it read counters */
	struct user_namespace *user_ns;
	struct vm_area_struct *areas;
	atomic_t mm_users;
};
enum { SUID_DUMP_USER = 1 };
int get_dumpable(const struct mm_struct *mm);
void mmgrab(struct mm_struct *mm);
void mmdrop(struct mm_struct *mm);

struct file {
	int count;
	const struct task_struct *opener;
	void *private_data;
	const struct file_operations *ops;
};

enum {
	VM_WRITE = 1,
	VM_EXEC = 2,
	VM_IO = 4,
	VM_DONTCOPY = 8,
	VM_DONTEXPAND = 16,
	VM_DONTDUMP = 32,
	VM_MAYWRITE = 64,
	VM_MAYEXEC = 128
};
struct vm_area_struct {
	struct vm_area_struct *next;
	struct mm_struct *vm_mm;
	struct file *vm_file;
	void *vm_private_data;
	const struct vm_operations_struct *vm_ops;
	unsigned long vm_start, vm_end, vm_pgoff, vm_flags;
	int vm_page_prot;
};
struct vm_operations_struct {
	void (*open)(struct vm_area_struct *area);
	void (*close)(struct vm_area_struct *area);
};
int remap_pfn_range(struct vm_area_struct *area, unsigned long address, unsigned long pfn,
		    unsigned long size, int prot);

/* ---- tasks ---- */

enum { CPUS = 4 }; /* the scheduler has the first two; others' contexts have one each */
enum { TASK_COMM_LEN = 16, PF_EXITING = 4 };
enum { JOBCTL_TRACED = 1, JOBCTL_LISTENING = 2, JOBCTL_NOTIFY = 4 };
enum task_work_notify_mode { TWA_NONE, TWA_RESUME, TWA_SIGNAL };

struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *);
};

typedef struct {
	unsigned int bits;
} cpumask_t;
struct cpumask {
	unsigned int bits;
};
typedef struct cpumask cpumask_var_t[1];

/* A task as kernel.c has it. */
struct kernel_task {
	unsigned int cpus; /* on which it may run; 0: it has a processor of its own */
	unsigned int preempt, irqs_off, in_irq, held;
	struct lock *lock[8];
	uint64_t killed, dead, signalled, waiting;
	uint64_t notified, interrupted; /* TIF_NOTIFY_RESUME or _SIGNAL; it is to sleep no longer */
	uint64_t traces_exit;
};

struct task_struct {
	int usage;
	unsigned int flags;
	struct mm_struct *mm;
	spinlock_t alloc_lock; /* of mm */
	struct task_struct *parent;
	unsigned int ptrace, group;
	unsigned int jobctl;
	int on_cpu;
	unsigned int cpu;
	int pid, uid;
	struct hlist_head preempt_notifiers;
	struct callback_head *task_works;
	const struct cpumask *cpus_ptr;
	char comm[TASK_COMM_LEN];
	struct kernel_task model;
};

#define current get_current()
struct task_struct *get_current(void);
int smp_processor_id(void);
#define task_cpu(task) READ_ONCE((task)->cpu)
struct task_struct *get_task_struct(struct task_struct *task);
void put_task_struct(struct task_struct *task);
#define init_task_work(work, function) ((work)->func = (function))
int task_work_add(struct task_struct *task, struct callback_head *work,
		  enum task_work_notify_mode mode);
void task_lock(struct task_struct *task);
void task_unlock(struct task_struct *task);
#define task_is_traced(task)	(READ_ONCE((task)->jobctl) & JOBCTL_TRACED)
#define same_thread_group(a, b) ((a)->group == (b)->group)
bool fatal_signal_pending(struct task_struct *task);
bool ns_capable(const struct user_namespace *ns, int capability);
bool perfmon_capable(void);
enum { CAP_SYS_PTRACE };
void usleep_range(unsigned long least, unsigned long most);
void cond_resched(void);

struct pid;
enum { PIDTYPE_PID };
#define find_vpid(tid) ((struct pid *)(intptr_t)(tid))
struct task_struct *pid_task(struct pid *pid, int type);
#define task_pid_vnr(task)	  ((task)->pid)
#define task_pid_nr_ns(task, ns)  ((task)->pid)
#define task_active_pid_ns(task)  NULL
#define task_uid(task)		  ((task)->uid)
#define seq_user_ns(file)	  NULL
#define from_kuid_munged(ns, uid) ((unsigned int)(uid))
struct seq_file {
	char text[256];
	size_t used;
};
#define seq_printf(file, ...)                                          \
	((file)->used += (size_t)snprintf((file)->text + (file)->used, \
					  sizeof((file)->text) - (file)->used, __VA_ARGS__))
#define seq_putc(file, c)	seq_printf(file, "%c", c)
#define strscpy(to, from, size) memcpy(to, from, size)

struct preempt_notifier;
struct preempt_ops {
	void (*sched_in)(struct preempt_notifier *notifier, int cpu);
	void (*sched_out)(struct preempt_notifier *notifier, struct task_struct *next);
};
struct preempt_notifier {
	struct hlist_node link;
	struct preempt_ops *ops;
};
void preempt_notifier_inc(void);
void preempt_notifier_dec(void);
void preempt_notifier_init(struct preempt_notifier *notifier, struct preempt_ops *ops);
void preempt_notifier_register(struct preempt_notifier *notifier);
void preempt_notifier_unregister(struct preempt_notifier *notifier);

enum { BINPRM_FLAGS_ENFORCE_NONDUMP = 1 };
struct linux_binprm {
	unsigned int secureexec, interp_flags;
};

/* ---- signals ---- */

struct kernel_siginfo {
	int si_signo, si_code, si_pid;
};
enum { SIGILL = 4, SIGKILL = 9, _NSIG = 64 };
#define clear_siginfo(info) memset(info, 0, sizeof(*(info)))
int send_sig_info(int signo, struct kernel_siginfo *info, struct task_struct *task);
int send_sig(int signo, struct task_struct *task, int privileged);

/* ---- interrupts' work, other processors ---- */

struct irq_work {
	void (*func)(struct irq_work *);
	unsigned int pending; /* 1 + the processor */
	bool busy;
};
void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *));
bool irq_work_queue(struct irq_work *work);
void irq_work_sync(struct irq_work *work);
int smp_call_function_single(int cpu, void (*func)(void *), void *argument, int wait);
void on_each_cpu_mask(const struct cpumask *mask, void (*func)(void *), void *argument, bool wait);

#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name[CPUS]
#define DEFINE_PER_CPU(type, name)  __typeof__(type) name[CPUS]
#define this_cpu_ptr(p)		    (&(*(p))[smp_processor_id()])
#define per_cpu_ptr(p, cpu)	    (&(*(p))[cpu])

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *);
};
enum hrtimer_mode { HRTIMER_MODE_REL };
#define hrtimer_init(timer, clock, mode) ((void)0)

/* ---- processors' sets ---- */

#define GFP_CPUMASK 0
bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp);
#define free_cpumask_var(mask)	    ((void)(mask))
#define cpumask_andnot(to, a, b)    ((to)->bits = (a)->bits & ~(b)->bits)
#define cpumask_test_cpu(cpu, mask) ((mask)->bits >> (cpu)&1)
#define cpumask_weight(mask)	    __builtin_popcount((mask)->bits)
extern struct cpumask kernel_siblings, kernel_mm_cpus;
#define topology_sibling_cpumask(cpu) (&kernel_siblings)
#define mm_cpumask(mm)		      (&kernel_mm_cpus)
#define for_each_cpu(cpu, mask)                \
	for ((cpu) = 0; (cpu) < CPUS; (cpu)++) \
		if (cpumask_test_cpu(cpu, mask))
#define for_each_possible_cpu(cpu) for ((cpu) = 0; (cpu) < CPUS; (cpu)++)
int set_cpus_allowed_ptr(struct task_struct *task, const struct cpumask *mask);

/* ---- files, calls ---- */

struct inode;
struct file_operations {
	void *owner;
	int (*release)(struct inode *, struct file *);
	long (*unlocked_ioctl)(struct file *, unsigned int, unsigned long);
	long (*compat_ioctl)(struct file *, unsigned int, unsigned long);
	int (*mmap)(struct file *, struct vm_area_struct *);
	void *llseek;
};
#define noop_llseek NULL
enum { O_RDWR = 2, O_CLOEXEC = 02000000 };
int anon_inode_getfd(const char *name, const struct file_operations *ops, void *data, int flags);
int copy_struct_from_user(void *to, size_t ours, const void *from, size_t size);
unsigned long copy_from_user(void *to, const void *from, size_t size);
unsigned long copy_to_user(void *to, const void *from, size_t size);
unsigned long clear_user(void *to, size_t size);

/* ---- tracepoints, the module ---- */

struct tracepoint {
	const char *name;
	void *probe;
};
#define check_trace_callback_type_sched_process_exit(probe) ((void)(probe))
#define check_trace_callback_type_sched_process_exec(probe) ((void)(probe))
#define check_trace_callback_type_sched_process_fork(probe) ((void)(probe))
void for_each_kernel_tracepoint(void (*function)(struct tracepoint *, void *), void *data);
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
void tracepoint_synchronize_unregister(void);
void synchronize_rcu_tasks(void);
void __module_get(void *module);
void module_put(void *module);

/* ---- work queues, which access.c has for page tables of before, and thread.c for notifiers ----
 */

struct work_struct {
	void (*func)(struct work_struct *);
};
/* A delay may be over at once, or never: nobody can rely on more. */
struct delayed_work {
	struct work_struct work;
	uint64_t pending, running;
};
#define DECLARE_DELAYED_WORK(name, function) struct delayed_work name = { { function }, 0, 0 }
bool schedule_delayed_work(struct delayed_work *delayed, unsigned long delay);
bool flush_delayed_work(struct delayed_work *delayed);

struct workqueue_struct;
enum { WQ_HIGHPRI = 1, HZ = 100 };
extern unsigned long jiffies; /* a sleep takes one */
#define time_before(a, b) ((long)((a) - (b)) < 0)
struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int most);
void destroy_workqueue(struct workqueue_struct *queue);
bool queue_work_on(int cpu, struct workqueue_struct *queue, struct work_struct *work);
bool work_busy(const struct work_struct *work);
#define INIT_WORK(work, function) ((work)->func = (function))
struct pid *find_get_pid(int number);
struct task_struct *get_pid_task(struct pid *pid, int type);
struct mm_struct *get_task_mm(struct task_struct *task);
void put_pid(struct pid *pid);
void kthread_use_mm(struct mm_struct *mm);
void kthread_unuse_mm(struct mm_struct *mm);
void mmput(struct mm_struct *mm);

#endif /* PERFCTR_TESTS_EXPLORE_KERNEL_H */
