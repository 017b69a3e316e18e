// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The kernel around the driver: locks, memory, tasks, their scheduler, ptrace, signals and ends.
 * It does what Linux 6.1 does, in the same order; the functions of Linux are named. It is compiled
 * as the driver is, so that its own accesses are places for other contexts, too.
 */
#include "tests/explore/world.h"

static void must(bool so, const char *what)
{
	if (!so)
		fiber_fail(what);
}

bool kernel_warns_if(bool condition, const char *what)
{
	must(!condition, what);
	return condition;
}

/* ---- the world ---- */

struct faults world_faults;

static struct processor {
	struct task_struct *curr; /* NULL: idle */
	uint64_t interrupts, need_resched;
	struct irq_work *works[4];
	unsigned int n_works;
	void (*ipi)(void *);
	void *argument;
	struct lock run_queue;
} processors[CPUS];

static struct task_struct *tasks[FIBERS + 1], *idle; /* outside of contexts, idle's */
static unsigned int n_tasks;
static uint64_t module_refs, notifier_key;
static uint64_t running_probes, running_works; /* functions of the module: in threads */
static const struct cpumask both = { 3 };
struct cpumask kernel_siblings, kernel_mm_cpus;
struct world_signals world_signals;

/* Of tasks that share their descriptors. */
enum { FILES = 4 };
static struct file *files[FIBERS][FILES];
static uint64_t sharers[FIBERS];

PLAIN struct task_struct *get_current(void)
{
	return tasks[fiber_self()];
}

PLAIN int smp_processor_id(void)
{
	return (int)get_current()->cpu;
}

static void take_interrupts(void);
static void schedule(void);

/* Interrupts come, and the scheduler, where another context could have continued. */
static PLAIN void arrived(void)
{
	struct task_struct *me = get_current();
	bool before;

	if (!me || !me->model.cpus || processors[me->cpu].curr != me || me->model.irqs_off)
		return;
	before = fiber_interrupted(true);
	/* An interrupt that one asks its own processor for comes right after it. */
	while (processors[me->cpu].interrupts || processors[me->cpu].ipi)
		take_interrupts();
	if (processors[me->cpu].need_resched && !me->model.preempt && !me->model.in_irq)
		schedule();
	fiber_interrupted(before);
}

/* All tasks may have one hash. */
PLAIN unsigned int hash_ptr(const void *p, unsigned int bits)
{
	return world_faults.one_hash
		       ? 0
		       : (unsigned int)(((u64)(uintptr_t)p * 0x61C8864680B583EBull) >> (64 - bits));
}

/* ---- locks ---- */

enum { CLASSES = 16 };
static const char *classes[CLASSES];
static bool taken_before[CLASSES][CLASSES], in_interrupts[CLASSES], interruptible[CLASSES];

static PLAIN unsigned int class_of(const struct lock *lock)
{
	unsigned int i;

	for (i = 0; i < CLASSES && classes[i] && strcmp(classes[i], lock->class) != 0; i++)
		;
	must(i < CLASSES, "there are too many kinds of locks");
	classes[i] = lock->class;
	return i;
}

/* What lockdep checks: Documentation/locking/lockdep-design.rst. */
static PLAIN void check_order(struct task_struct *me, const struct lock *lock, bool nested)
{
	unsigned int class = class_of(lock), i, held;

	in_interrupts[class] |= me->model.in_irq != 0;
	interruptible[class] |= !me->model.irqs_off;
	must(!in_interrupts[class] || !interruptible[class],
	     "an interrupt may want a lock that its processor has");
	for (i = 0; i < me->model.held; i++) {
		held = class_of(me->model.lock[i]);
		must(held != class || nested, "two locks of a kind are taken");
		must(!me->model.lock[i]->raw || lock->raw, "a lock is taken under a raw one");
		taken_before[held][class] = held != class;
		must(!taken_before[class][held], "locks are taken in the other order, too");
	}
}

static bool is_free(void *lock)
{
	return !((struct lock *)lock)->owner;
}

static bool try_lock(struct lock *lock)
{
	bool free;

	STEP
	{
		free = !lock->owner;
		if (free)
			lock->owner = 1 + fiber_self();
	}
	return free;
}

static PLAIN void note_lock(struct lock *lock, bool nested)
{
	struct task_struct *me = get_current();

	check_order(me, lock, nested);
	me->model.preempt++;
	me->model.lock[me->model.held++] = lock;
}

static PLAIN void note_unlock(struct lock *lock)
{
	struct task_struct *me = get_current();
	unsigned int i;

	for (i = 0; i < me->model.held && me->model.lock[i] != lock; i++)
		;
	must(i < me->model.held, "a lock is given back by another than its owner");
	me->model.lock[i] = me->model.lock[--me->model.held];
	me->model.preempt--;
}

static PLAIN void set_irqs(bool on)
{
	struct task_struct *me = get_current();

	must(!me->model.in_irq, "an interrupt turns interrupts on or off");
	must(me->model.irqs_off == on, "interrupts are turned on or off twice");
	me->model.irqs_off = !on;
}

void kernel_lock(struct lock *lock, bool irq, bool nested)
{
	if (irq)
		set_irqs(false);
	note_lock(lock, nested);
	while (!try_lock(lock))
		fiber_wait(is_free, lock);
}

void kernel_unlock(struct lock *lock, bool irq)
{
	note_unlock(lock);
	STEP
	{
		must(lock->owner == 1 + fiber_self(), "a lock is given back that is not held");
		lock->owner = 0;
	}
	if (irq) {
		set_irqs(true);
		arrived();
	}
}

enum { IRQS_ON = 0x200, IRQS_OFF = 0x46 }; /* as EFLAGS has them */

PLAIN unsigned long kernel_irq_save(void)
{
	struct task_struct *me = get_current();
	unsigned long flags = me->model.irqs_off ? IRQS_OFF : IRQS_ON;

	me->model.irqs_off = 1;
	return flags;
}

PLAIN void kernel_irq_restore(unsigned long flags)
{
	struct task_struct *me = get_current();

	must(flags == IRQS_OFF || (flags == IRQS_ON && !me->model.in_irq),
	     "interrupts are restored to what they never were");
	me->model.irqs_off = flags == IRQS_OFF;
	arrived();
}

void local_irq_disable(void)
{
	set_irqs(false);
}

void local_irq_enable(void)
{
	set_irqs(true);
	arrived();
}

static PLAIN void preempt_disable(void)
{
	get_current()->model.preempt++;
}

static PLAIN void preempt_enable(void)
{
	get_current()->model.preempt--;
}

/* might_sleep() */
static PLAIN void may_sleep(void)
{
	struct task_struct *me = get_current();

	must(!me->model.preempt && !me->model.irqs_off && !me->model.in_irq,
	     "it sleeps where it must not");
}

/* A task that runs on the scheduler's processors leaves its one while it waits. */
static void leave_cpu(struct task_struct *me);
static void get_cpu(struct task_struct *me);

static void sleep_until(bool (*ready)(void *), void *argument)
{
	struct task_struct *me = get_current();

	may_sleep();
	if (!me->model.cpus) {
		fiber_wait(ready, argument);
		return;
	}
	leave_cpu(me);
	fiber_wait(ready, argument);
	STEP me->model.waiting = 1;
	get_cpu(me);
}

static bool is_free_mutex(void *mutex)
{
	return !((struct mutex *)mutex)->owner;
}

void mutex_init(struct mutex *mutex)
{
	mutex->owner = 0;
}

void mutex_lock(struct mutex *mutex)
{
	bool free;

	may_sleep();
	for (;;) {
		STEP
		{
			free = !mutex->owner;
			if (free)
				mutex->owner = 1 + fiber_self();
		}
		if (free)
			return;
		sleep_until(is_free_mutex, mutex);
	}
}

void mutex_unlock(struct mutex *mutex)
{
	STEP
	{
		must(mutex->owner == 1 + fiber_self(), "a mutex is given back that is not held");
		mutex->owner = 0;
	}
}

void rcu_read_lock(void)
{
}

void rcu_read_unlock(void)
{
}

/* ---- atomics, references ---- */

int atomic_read(const atomic_t *a)
{
	return READ_ONCE(a->counter);
}

void atomic_set(atomic_t *a, int value)
{
	STEP a->counter = value;
}

int atomic_add_return(int n, atomic_t *a)
{
	int result;

	STEP result = a->counter += n;
	return result;
}

void atomic_or(int bits, atomic_t *a)
{
	STEP a->counter |= bits;
}

int atomic_xchg(atomic_t *a, int value)
{
	int old;

	STEP
	{
		old = a->counter;
		a->counter = value;
	}
	return old;
}

void kref_init(struct kref *refs)
{
	refs->refcount.counter = 1;
}

void kref_get(struct kref *refs)
{
	must(atomic_add_return(1, &refs->refcount) > 1,
	     "a reference is taken where there was none");
}

void kref_put(struct kref *refs, void (*release)(struct kref *))
{
	int left = atomic_add_return(-1, &refs->refcount);

	must(left >= 0, "a reference is given back that nobody had");
	if (!left)
		release(refs);
}

/* ---- memory ---- */

/* Whether this allocation is the one that fails. */
static PLAIN bool is_refused(void)
{
	return world_faults.allocation && !--world_faults.allocation;
}

void *kzalloc(size_t size, gfp_t gfp)
{
	if (gfp == GFP_KERNEL)
		may_sleep();
	return is_refused() ? NULL : fiber_allocate(size);
}

static PLAIN void check_locks(const void *block)
{
	unsigned int i, k;

	for (i = 0; i < n_tasks; i++)
		for (k = 0; tasks[i] && fiber_has(tasks[i]) && k < tasks[i]->model.held; k++)
			must(!fiber_is_in(block, tasks[i]->model.lock[k]),
			     "memory is freed with a lock that is held");
}

void kfree(const void *block)
{
	if (!block)
		return;
	check_locks(block);
	fiber_free(block);
}

enum { PAGES = 8 };
static struct page pages[PAGES];

static void *new_page(void)
{
	unsigned int i;

	for (i = 0; i < PAGES && pages[i].address; i++)
		;
	must(i < PAGES, "there are too many pages");
	pages[i].address = fiber_allocate(PAGE_SIZE);
	pages[i].count = 1;
	return (void *)(uintptr_t)pages[i].address;
}

unsigned long get_zeroed_page(gfp_t gfp)
{
	unsigned long page;

	if (gfp == GFP_KERNEL)
		may_sleep();
	if ((gfp == GFP_ATOMIC && world_faults.no_page) || is_refused())
		return 0;
	STEP page = (unsigned long)(uintptr_t)new_page();
	return page;
}

struct page *virt_to_page(const void *address)
{
	unsigned int i;

	for (i = 0; i < PAGES && pages[i].address != address; i++)
		;
	must(i < PAGES, "this is no page");
	return &pages[i];
}

int page_count(const struct page *page)
{
	return READ_ONCE(page->count);
}

unsigned long page_to_pfn(const struct page *page)
{
	return (unsigned long)(page - pages);
}

void get_page(struct page *page)
{
	STEP
	{
		must(page->count > 0, "a page is taken that was freed");
		page->count++;
	}
}

void put_page(struct page *page)
{
	STEP
	{
		must(page->count > 0, "a page is given back that was freed");
		if (!--page->count) {
			kfree(page->address);
			page->address = NULL;
		}
	}
}

void free_page(unsigned long address)
{
	if (address)
		put_page(virt_to_page((const void *)(uintptr_t)address));
}

int get_dumpable(const struct mm_struct *mm)
{
	return mm->dumpable;
}

void mmgrab(struct mm_struct *mm)
{
	STEP
	{
		must(mm->count > 0, "a memory is taken that was freed");
		mm->count++;
	}
}

void mmdrop(struct mm_struct *mm)
{
	STEP
	{
		must(mm->count > 0, "a memory is given back that was freed");
		if (!--mm->count) {
			must(!mm->allowed, "a memory is freed that may still read counters");
			kfree(mm);
		}
	}
}

static struct mm_struct *new_memory(void)
{
	struct mm_struct *mm = fiber_allocate(sizeof(*mm));

	mm->mm_users.counter = mm->count = 1;
	mm->dumpable = SUID_DUMP_USER;
	return mm;
}

static void put_file(struct file *file);

static void unmap(struct vm_area_struct *area)
{
	area->vm_ops->close(area);
	put_file(area->vm_file);
	kfree(area);
}

static struct vm_area_struct *take_area(struct mm_struct *mm)
{
	struct vm_area_struct *area;

	STEP
	{
		area = mm->areas;
		if (area)
			mm->areas = area->next;
	}
	return area;
}

/* mmput(): exit_mmap() unmaps everything. */
static void leave_memory(struct mm_struct *mm)
{
	struct vm_area_struct *area;

	if (atomic_add_return(-1, &mm->mm_users))
		return;
	while ((area = take_area(mm)) != NULL)
		unmap(area);
	mmdrop(mm);
}

/* ---- files ---- */

static struct file **files_of(struct task_struct *task)
{
	return files[task->group];
}

static void put_file(struct file *file)
{
	int left;

	STEP left = --file->count;
	if (left)
		return;
	file->ops->release(NULL, file);
	kfree(file);
}

int anon_inode_getfd(const char *name, const struct file_operations *ops, void *data, int flags)
{
	struct file *file, **table = files_of(current);
	int fd;

	(void)name;
	must(flags == (O_RDWR | O_CLOEXEC), "a descriptor stays over exec");
	may_sleep();
	if (world_faults.no_descriptor)
		return -EMFILE;
	file = fiber_allocate(sizeof(*file));
	*file = (struct file){ .count = 1, .opener = current, .private_data = data, .ops = ops };
	STEP
	{
		for (fd = 0; fd < FILES && table[fd]; fd++)
			;
		must(fd < FILES, "there are too many descriptors");
		table[fd] = file;
	}
	return fd;
}

static uint64_t uses_oldest; /* contexts, as bits */

void world_use_oldest(bool oldest)
{
	const uint64_t me = (uint64_t)1 << fiber_self();

	STEP uses_oldest = oldest ? uses_oldest | me : uses_oldest & ~me;
}

/* Returns the youngest descriptor, preferably one that this task has opened; -1 if all are closed.
 */
static int youngest(struct file **table)
{
	int fd, found = -1;

	if (uses_oldest >> fiber_self() & 1)
		return table[0] ? 0 : -1;
	for (fd = 0; fd < FILES; fd++)
		if (table[fd] &&
		    (found < 0 || table[fd]->opener == current || table[found]->opener != current))
			found = fd;
	return found;
}

/* Returns it with a reference, or NULL. */
static struct file *get_file(void)
{
	struct file **table = files_of(current), *file = NULL;
	int fd;

	STEP
	{
		fd = youngest(table);
		if (fd >= 0) {
			file = table[fd];
			file->count++;
		}
	}
	return file;
}

struct file *world_file(void)
{
	return files_of(current)[youngest(files_of(current))];
}

int world_ioctl(unsigned int request, const void *argument)
{
	struct file *file = get_file();
	int result;

	if (!file)
		return -EBADF;
	result = (int)file->ops->unlocked_ioctl(file, request, (unsigned long)(uintptr_t)argument);
	put_file(file);
	return result;
}

int world_close(void)
{
	struct file **table = files_of(current), *file = NULL;
	int fd;

	STEP
	{
		fd = youngest(table);
		if (fd >= 0) {
			file = table[fd];
			table[fd] = NULL;
		}
	}
	if (file)
		put_file(file);
	return file ? 0 : -EBADF;
}

int world_mmap(void)
{
	struct file *file = get_file();
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *area;
	int err;

	if (!file)
		return -EBADF;
	area = fiber_allocate(sizeof(*area));
	area->vm_mm = mm;
	area->vm_file = file;
	area->vm_end = PAGE_SIZE;
	err = file->ops->mmap(file, area);
	if (err) {
		kfree(area);
		put_file(file);
		return err;
	}
	STEP
	{
		area->next = mm->areas;
		mm->areas = area;
	}
	return 0;
}

void world_munmap(void)
{
	struct vm_area_struct *area = take_area(current->mm);

	if (area)
		unmap(area);
}

int remap_pfn_range(struct vm_area_struct *area, unsigned long address, unsigned long pfn,
		    unsigned long size, int prot)
{
	(void)address;
	(void)prot;
	must(pages[pfn].address && size == PAGE_SIZE && area->vm_flags & VM_IO,
	     "this can't be mapped");
	return world_faults.remap;
}

int copy_struct_from_user(void *to, size_t ours, const void *from, size_t size)
{
	must(ours == size, "a structure of another size");
	memcpy(to, from, size);
	return 0;
}

unsigned long copy_from_user(void *to, const void *from, size_t size)
{
	if (world_faults.user)
		return size;
	memcpy(to, from, size);
	return 0;
}

unsigned long copy_to_user(void *to, const void *from, size_t size)
{
	if (world_faults.user)
		return size;
	memcpy(to, from, size);
	return 0;
}

unsigned long clear_user(void *to, size_t size)
{
	memset(to, 0, size);
	return 0;
}

/* ---- tasks ---- */

struct task_struct *get_task_struct(struct task_struct *task)
{
	STEP
	{
		must(task->usage > 0, "a task is taken that was freed");
		task->usage++;
	}
	return task;
}

void put_task_struct(struct task_struct *task)
{
	STEP
	{
		must(task->usage > 0, "a task is given back that was freed");
		if (!--task->usage)
			kfree(task);
	}
}

/* try_to_wake_up() takes the run queue's lock. */
static void wake_up(struct task_struct *task)
{
	struct processor *p = &processors[task_cpu(task)];
	unsigned long flags;

	raw_spin_lock_irqsave(&p->run_queue, flags);
	raw_spin_unlock_irqrestore(&p->run_queue, flags);
}

static struct callback_head work_exited; /* kernel/task_work.c */

int task_work_add(struct task_struct *task, struct callback_head *work,
		  enum task_work_notify_mode mode)
{
	int err = 0;

	if (world_faults.work)
		return world_faults.work;
	if (mode == TWA_SIGNAL)
		wake_up(task);
	STEP
	{
		if (task->task_works == &work_exited) {
			err = -ESRCH;
		} else {
			must(task->task_works != work, "a task work is queued twice");
			work->next = task->task_works;
			task->task_works = work;
			if (mode != TWA_NONE)
				task->model.notified = 1;
			if (mode == TWA_SIGNAL)
				task->model.interrupted = 1;
		}
	}
	return err;
}

/* task_work_run(): the last one is the first. */
static void task_work_run(void)
{
	struct task_struct *me = get_current();
	struct callback_head *work, *next;

	for (;;) {
		STEP
		{
			work = me->task_works;
			must(work != &work_exited, "task works are run after the last one");
			me->task_works = !work && me->flags & PF_EXITING ? &work_exited : NULL;
		}
		if (!work)
			return;
		for (; work; work = next) {
			next = work->next;
			STEP running_works++;
			work->func(work);
			STEP running_works--;
		}
	}
}

void task_lock(struct task_struct *task)
{
	spin_lock(&task->alloc_lock);
}

void task_unlock(struct task_struct *task)
{
	spin_unlock(&task->alloc_lock);
}

static void set_memory(struct task_struct *me, struct mm_struct *mm)
{
	task_lock(me);
	WRITE_ONCE(me->mm, mm);
	task_unlock(me);
}

bool fatal_signal_pending(struct task_struct *task)
{
	return READ_ONCE(task->model.killed);
}

bool ns_capable(const struct user_namespace *ns, int capability)
{
	(void)ns;
	(void)capability;
	return false;
}

bool perfmon_capable(void)
{
	return world_faults.capable;
}

static void run_reloads(void);

void usleep_range(unsigned long least, unsigned long most)
{
	(void)least;
	(void)most;
	may_sleep();
	run_reloads();
	fiber_yield();
}

void cond_resched(void)
{
	may_sleep();
	fiber_yield();
}

PLAIN struct task_struct *pid_task(struct pid *pid, int type)
{
	unsigned int i;

	(void)type;
	for (i = 0; i < n_tasks; i++)
		if (tasks[i] && fiber_has(tasks[i]) && tasks[i]->pid == (int)(intptr_t)pid &&
		    !tasks[i]->model.dead)
			return tasks[i];
	return NULL;
}

int set_cpus_allowed_ptr(struct task_struct *task, const struct cpumask *mask)
{
	if (world_faults.affinity)
		return world_faults.affinity;
	STEP task->model.cpus = mask->bits;
	if (task == current && !(mask->bits >> task->cpu & 1))
		schedule();
	return 0;
}

bool zalloc_cpumask_var(cpumask_var_t *mask, gfp_t gfp)
{
	(void)gfp;
	(*mask)->bits = 0;
	return !is_refused();
}

int send_sig_info(int signo, struct kernel_siginfo *info, struct task_struct *task)
{
	must(task == current, "a signal is sent to another");
	if (world_faults.queue_is_full)
		return -EAGAIN;
	world_signals.queued++;
	world_signals.number = signo;
	world_signals.info = *info;
	return 0;
}

int send_sig(int signo, struct task_struct *task, int privileged)
{
	must(task == current && privileged, "a signal is sent to another, or may be refused");
	world_signals.sent++;
	world_signals.number = signo;
	return 0;
}

/* ---- preemption notifiers and the scheduler ---- */

void preempt_notifier_inc(void)
{
	STEP notifier_key++;
}

void preempt_notifier_dec(void)
{
	STEP
	{
		must(notifier_key > 0, "switches look at no notifiers any more");
		notifier_key--;
	}
}

void preempt_notifier_init(struct preempt_notifier *notifier, struct preempt_ops *ops)
{
	notifier->link = (struct hlist_node){ 0 };
	notifier->ops = ops;
}

void preempt_notifier_register(struct preempt_notifier *notifier)
{
	must(notifier_key > 0 && !notifier->link.pprev,
	     "a notifier is registered that must not be");
	hlist_add_head(&notifier->link, &current->preempt_notifiers);
}

void preempt_notifier_unregister(struct preempt_notifier *notifier)
{
	must(notifier->link.pprev, "a notifier is unregistered that is not registered");
	must(fiber_is_in(current, notifier->link.pprev), "another task's notifier is unregistered");
	hlist_del_init(&notifier->link);
}

static bool wants(const struct task_struct *task, unsigned int cpu)
{
	return task && fiber_has(task) && task->model.waiting && task->model.cpus >> cpu & 1;
}

/* The one that waits for this processor; or nobody does. */
static struct task_struct *pick_next(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < n_tasks; i++)
		if (wants(tasks[i], cpu))
			return tasks[i];
	return NULL;
}

static void fire_sched_out(struct task_struct *me, struct task_struct *next)
{
	struct preempt_notifier *n;

	hlist_for_each_entry(n, &me->preempt_notifiers, link)
		n->ops->sched_out(n, next);
}

/*
 * __schedule(): prepare_task_switch() calls the notifiers under the run queue's lock; then the next
 * one is the processor's current; then finish_task() says that the last one has left, before
 * finish_lock_switch() lets interrupts come.
 */
static void leave_cpu(struct task_struct *me)
{
	struct processor *p;
	struct task_struct *next;

	preempt_disable();
	p = &processors[me->cpu];
	kernel_lock(&p->run_queue, true, false);
	STEP
	{
		p->need_resched = 0;
		next = pick_next(me->cpu);
		if (next)
			next->model.waiting = 0;
	}
	fire_sched_out(me, next ? next : idle);
	if (next) {
		next->cpu = me->cpu;
		WRITE_ONCE(next->on_cpu, 1);
	}
	STEP p->curr = next;
	STEP me->on_cpu = 0;
	kernel_unlock(&p->run_queue, true);
	/* An idle processor's interrupts come at once. */
	if (!next && (p->interrupts || p->ipi))
		take_interrupts();
}

static int idle_cpu(const struct task_struct *me)
{
	unsigned int i, cpu;

	for (i = 1; i <= 2; i++) {
		cpu = (me->cpu + i) % 2;
		if (me->model.cpus >> cpu & 1 && !processors[cpu].curr)
			return (int)cpu;
	}
	return -1;
}

static bool can_have_cpu(void *task)
{
	struct task_struct *me = task;

	return !me->model.waiting || idle_cpu(me) >= 0;
}

static bool try_cpu(struct task_struct *me)
{
	bool got;
	int cpu;

	STEP
	{
		got = !me->model.waiting;
		cpu = got ? -1 : idle_cpu(me);
		if (cpu >= 0) {
			processors[cpu].curr = me;
			me->cpu = (unsigned int)cpu;
			me->on_cpu = 1;
			me->model.waiting = 0;
			got = true;
		}
	}
	return got;
}

static bool is_current(void *task)
{
	struct task_struct *me = task;

	return processors[me->cpu].curr == me;
}

/* finish_task_switch(): the notifiers are called with interrupts on. */
static void get_cpu(struct task_struct *me)
{
	struct preempt_notifier *n;

	while (!try_cpu(me))
		fiber_wait(can_have_cpu, me);
	fiber_wait(is_current, me);
	hlist_for_each_entry(n, &me->preempt_notifiers, link)
		n->ops->sched_in(n, (int)me->cpu);
	preempt_enable();
}

static void schedule(void)
{
	struct task_struct *me = get_current();

	leave_cpu(me);
	STEP me->model.waiting = 1;
	get_cpu(me);
}

void world_preempt(unsigned int cpu)
{
	STEP
	{
		if (processors[cpu].curr)
			processors[cpu].need_resched = 1;
	}
}

void world_yield(void)
{
	STEP processors[current->cpu].need_resched = 1;
	arrived();
}

/* ---- interrupts ---- */

void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *))
{
	*work = (struct irq_work){ .func = func };
}

bool irq_work_queue(struct irq_work *work)
{
	struct processor *p = &processors[smp_processor_id()];
	bool queued;

	STEP
	{
		queued = !work->pending;
		if (queued) {
			work->pending = 1;
			p->works[p->n_works++] = work;
			p->interrupts |= WORK;
		}
	}
	return queued;
}

static struct irq_work *next_work(struct processor *p)
{
	struct irq_work *work = NULL;

	STEP
	{
		if (p->n_works) {
			work = p->works[--p->n_works];
			work->pending = 0;
			work->busy = true;
		}
	}
	return work;
}

static void run_works(struct processor *p)
{
	struct irq_work *work;

	while ((work = next_work(p)) != NULL) {
		work->func(work);
		WRITE_ONCE(work->busy, false);
	}
}

static bool is_done(void *argument)
{
	const struct irq_work *work = argument;

	return !work->pending && !work->busy;
}

void irq_work_sync(struct irq_work *work)
{
	may_sleep();
	arrived();
	fiber_wait(is_done, work);
	must(!READ_ONCE(work->pending) && !READ_ONCE(work->busy), "work is not done");
}

static void take_ipi(struct processor *p)
{
	void (*func)(void *) = p->ipi;

	if (!func)
		return;
	func(p->argument);
	WRITE_ONCE(p->ipi, NULL);
}

static PLAIN void enter_interrupt(bool enters)
{
	get_current()->model.in_irq = get_current()->model.irqs_off = enters;
}

static void take_interrupts(void)
{
	struct processor *p = &processors[smp_processor_id()];
	uint64_t which;

	enter_interrupt(true);
	STEP
	{
		which = p->interrupts;
		p->interrupts = 0;
	}
	if (which & (TIMER | OVERFLOW))
		interrupt_here((enum interrupt)(which & (TIMER | OVERFLOW)));
	if (which & WORK)
		run_works(p);
	take_ipi(p);
	enter_interrupt(false);
}

void world_interrupt(unsigned int cpu, enum interrupt what)
{
	STEP
	{
		if (processors[cpu].curr)
			processors[cpu].interrupts |= what;
		if (what == OVERFLOW)
			overflow_there(cpu);
	}
}

static bool ipi_is_done(void *p)
{
	return !((struct processor *)p)->ipi;
}

/* Another's processor does nothing but what is asked here. */
int smp_call_function_single(int cpu, void (*func)(void *), void *argument, int wait)
{
	struct processor *p = &processors[cpu];
	struct task_struct *me = get_current();
	unsigned int mine = me->cpu;
	bool idle_there;

	must(wait, "it does not wait");
	may_sleep();
	fiber_wait(ipi_is_done, p);
	STEP
	{
		idle_there = !p->curr || p->curr == me;
		if (idle_there) {
			p->curr = me;
		} else {
			p->argument = argument;
			p->ipi = func;
		}
	}
	if (!idle_there) {
		fiber_wait(ipi_is_done, p);
		return 0;
	}
	me->cpu = (unsigned int)cpu;
	me->model.irqs_off = 1;
	func(argument);
	me->model.irqs_off = 0;
	me->cpu = mine;
	if (mine != (unsigned int)cpu)
		STEP p->curr = NULL;
	return 0;
}

static PLAIN void go_to(unsigned int cpu)
{
	get_current()->cpu = cpu;
}

PLAIN void on_each_cpu_mask(const struct cpumask *mask, void (*func)(void *), void *argument,
			    bool wait)
{
	const unsigned int mine = (unsigned int)smp_processor_id();
	unsigned int cpu;

	must(wait, "it does not wait");
	may_sleep();
	world_reads.looks++;
	for_each_cpu(cpu, mask) {
		go_to(cpu);
		func(argument);
	}
	go_to(mine);
}

/* ---- a work for each processor, by which it loads other page tables ---- */

unsigned long jiffies;
struct world_reads world_reads;
static struct work_struct *reloads[CPUS];
static struct workqueue_struct {
	int queues, name_refs, mm_refs;
} queue;

struct workqueue_struct *alloc_workqueue(const char *name, unsigned int flags, int most)
{
	(void)name;
	(void)flags;
	(void)most;
	if (world_faults.no_queue)
		return NULL;
	queue.queues++;
	return &queue;
}

void destroy_workqueue(struct workqueue_struct *q)
{
	must(q == &queue && queue.queues-- > 0, "another queue is destroyed");
}

PLAIN bool queue_work_on(int cpu, struct workqueue_struct *q, struct work_struct *work)
{
	must(q == &queue && work->func, "a work can't be queued");
	must(!reloads[cpu] || reloads[cpu] == work, "a work is of another processor");
	reloads[cpu] = work;
	return true;
}

PLAIN bool work_busy(const struct work_struct *work)
{
	unsigned int cpu;

	for (cpu = 0; cpu < CPUS && reloads[cpu] != work; cpu++)
		;
	return cpu < CPUS;
}

/* The processors' kernel threads, while the caller sleeps; one that is busy does not come to it. */
static PLAIN void run_reloads(void)
{
	const unsigned int mine = (unsigned int)smp_processor_id();
	unsigned int cpu;

	jiffies++;
	for (cpu = 0; cpu < CPUS; cpu++)
		if (reloads[cpu] &&
		    (!(world_reads.busy >> cpu & 1) || jiffies >= world_reads.until)) {
			go_to(cpu);
			reloads[cpu]->func(reloads[cpu]);
			go_to(mine);
			reloads[cpu] = NULL;
		}
	must(!queue.name_refs && !queue.mm_refs, "a work keeps a reference");
}

struct pid *find_get_pid(int number)
{
	must(number == 1, "the first process is another");
	queue.name_refs++;
	return (struct pid *)&queue;
}

struct task_struct *get_pid_task(struct pid *pid, int type)
{
	(void)type;
	must(pid == (struct pid *)&queue, "another process");
	return world_faults.no_first_process ? NULL : get_task_struct(idle);
}

struct mm_struct *get_task_mm(struct task_struct *task)
{
	must(task == idle, "another process");
	if (world_faults.no_first_memory)
		return NULL;
	queue.mm_refs++;
	return (struct mm_struct *)&queue;
}

void put_pid(struct pid *pid)
{
	must(pid == (struct pid *)&queue, "another process");
	queue.name_refs--;
}

void kthread_use_mm(struct mm_struct *mm)
{
	must(mm == (struct mm_struct *)&queue && queue.mm_refs == 1,
	     "a memory is used that is gone");
	queue.mm_refs++;
	world_reads.stale &= ~(1u << smp_processor_id());
}

void kthread_unuse_mm(struct mm_struct *mm)
{
	must(mm == (struct mm_struct *)&queue && queue.mm_refs == 2, "a memory is not used");
	queue.mm_refs--;
}

void mmput(struct mm_struct *mm)
{
	must(mm == (struct mm_struct *)&queue && queue.mm_refs == 1,
	     "a memory is given back in use");
	queue.mm_refs--;
}

/* ---- work that comes later ---- */

static struct delayed_work *delayed; /* the driver has one */

bool schedule_delayed_work(struct delayed_work *work, unsigned long delay)
{
	bool queued;

	(void)delay;
	STEP
	{
		queued = !work->pending;
		work->pending = 1;
		delayed = work;
	}
	return queued;
}

static void run_delayed(struct delayed_work *work)
{
	bool runs;

	STEP
	{
		runs = work->pending;
		if (runs) {
			work->pending = 0;
			work->running++;
		}
	}
	if (!runs)
		return;
	work->work.func(&work->work);
	STEP work->running--;
}

static bool has_run(void *work)
{
	return !((struct delayed_work *)work)->running;
}

/* It does not wait for the delay. Who unloads the module is no task. */
bool flush_delayed_work(struct delayed_work *work)
{
	if (get_current())
		may_sleep();
	run_delayed(work);
	fiber_wait(has_run, work);
	return true;
}

void world_delay_is_over(void)
{
	if (delayed)
		run_delayed(delayed);
}

/* ---- tracepoints, the module ---- */

static struct tracepoint points[] = {
	{ "sched_process_exit", NULL },
	{ "sched_process_exec", NULL },
	{ "sched_process_fork", NULL },
};

void for_each_kernel_tracepoint(void (*function)(struct tracepoint *, void *), void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		function(&points[i], data);
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	(void)data;
	tp->probe = probe;
	return 0;
}

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
	(void)data;
	must(tp->probe == probe, "another probe is unregistered");
	WRITE_ONCE(tp->probe, NULL);
	return 0;
}

static bool no_work_runs(void *unused)
{
	(void)unused;
	return !running_works;
}

/* kernel/rcu/tasks.h: each thread has slept or been in user mode; being preempted is neither. */
void synchronize_rcu_tasks(void)
{
	fiber_wait(no_work_runs, NULL);
}

static bool no_probe_runs(void *unused)
{
	(void)unused;
	return !running_probes;
}

void tracepoint_synchronize_unregister(void)
{
	fiber_wait(no_probe_runs, NULL);
}

/* Probes are called with preemption disabled: include/linux/tracepoint.h. */
static void *begin_probe(unsigned int i)
{
	preempt_disable();
	STEP running_probes++;
	return READ_ONCE(points[i].probe);
}

static void end_probe(void)
{
	STEP running_probes--;
	preempt_enable();
	arrived();
}

void __module_get(void *module)
{
	(void)module;
	STEP module_refs++;
}

void module_put(void *module)
{
	(void)module;
	STEP
	{
		must(module_refs > 0, "the module is given back twice");
		module_refs--;
	}
}

static bool module_is_unused(void *unused)
{
	(void)unused;
	return !module_refs;
}

int vthread_init(void);
void vthread_exit(void);
int access_init(void);
void access_exit(void);

/* delete_module(2), as soon as nobody uses it. */
void world_unload(void)
{
	fiber_wait(module_is_unused, NULL);
	vthread_exit();
	must(!READ_ONCE(module_refs), "a module is unloaded that is in use");
	must(!READ_ONCE(running_probes) && !READ_ONCE(running_works),
	     "a module is unloaded whose functions run");
	must(!points[0].probe && !points[1].probe && !points[2].probe,
	     "a module is unloaded whose probes are registered");
	must(!delayed || (!READ_ONCE(delayed->pending) && has_run(delayed)),
	     "a module is unloaded whose work is still to come");
}

/* ---- ptrace and signals ---- */

static bool goes_on(void *task)
{
	return !(((struct task_struct *)task)->jobctl & JOBCTL_TRACED);
}

/* ptrace_stop(): its tracer is told before the task leaves its processor. */
static void ptrace_stop(void)
{
	struct task_struct *me = get_current();
	bool stops;

	STEP
	{
		stops = me->ptrace && !me->model.killed;
		if (stops)
			me->jobctl = JOBCTL_TRACED;
	}
	if (!stops)
		return;
	sleep_until(goes_on, me);
	STEP me->jobctl &= ~(unsigned int)JOBCTL_LISTENING;
}

bool world_is_stopped(void *task)
{
	struct task_struct *t = task;

	return t->model.dead || t->jobctl & JOBCTL_TRACED;
}

bool world_is_dead(void *task)
{
	return ((struct task_struct *)task)->model.dead;
}

/*
 * PTRACE_CONT, after PTRACE_INTERRUPT if it listens: ptrace_freeze_traced() refuses it then, and it
 * stops again.
 */
void world_continue(struct task_struct *task)
{
	bool done = false;

	while (!done) {
		fiber_wait(world_is_stopped, task);
		STEP
		{
			done = task->model.dead || task->jobctl == JOBCTL_TRACED;
			if (done)
				task->jobctl = 0;
			else if (task->jobctl & JOBCTL_LISTENING)
				task->jobctl = JOBCTL_NOTIFY;
		}
	}
}

void world_listen(struct task_struct *task)
{
	STEP
	{
		if (task->jobctl & JOBCTL_TRACED)
			task->jobctl |= JOBCTL_LISTENING;
	}
}

void world_detach(struct task_struct *task)
{
	STEP
	{
		task->ptrace = 0;
		task->jobctl = 0;
	}
}

/* signal_wake_up_state(): also who is stopped. */
void world_kill(struct task_struct *task)
{
	STEP
	{
		if (!task->model.dead) {
			task->model.killed = 1;
			task->jobctl &= ~(unsigned int)JOBCTL_TRACED;
		}
	}
}

/* ptrace_trap_notify(): a task that listens wakes up, and stops again. */
void world_sigcont(struct task_struct *task)
{
	STEP
	{
		if (task->jobctl & JOBCTL_LISTENING)
			task->jobctl = JOBCTL_NOTIFY;
	}
}

/* get_signal(): task works come first, and no others before a fatal signal's end. */
static void get_signal(void)
{
	struct task_struct *me = get_current();
	bool stops;

	if (READ_ONCE(me->task_works))
		task_work_run();
	for (;;) {
		if (READ_ONCE(me->model.killed))
			world_exit();
		STEP
		{
			stops = me->model.signalled || me->jobctl & JOBCTL_NOTIFY;
			me->model.signalled = 0;
		}
		if (!stops)
			return;
		ptrace_stop();
	}
}

static void resume_user_mode_work(void)
{
	struct task_struct *me = get_current();

	STEP me->model.notified = 0;
	if (READ_ONCE(me->task_works))
		task_work_run();
}

/* exit_to_user_mode_loop() */
void world_return(void)
{
	struct task_struct *me = get_current();

	me->model.interrupted = 0;
	for (;;) {
		arrived();
		if (READ_ONCE(me->model.killed) || me->model.signalled ||
		    me->jobctl & JOBCTL_NOTIFY)
			get_signal();
		else if (READ_ONCE(me->model.notified))
			resume_user_mode_work();
		else
			break;
	}
	look_at_user(me, me->cpu);
}

static bool is_interrupted(void *task)
{
	const struct kernel_task *me = &((struct task_struct *)task)->model;

	return me->interrupted || me->killed;
}

void world_sleep(void)
{
	sleep_until(is_interrupted, get_current());
}

void world_stop_at_signal(void)
{
	get_current()->model.signalled = 1;
	world_return();
}

void world_stop_at_call(void)
{
	ptrace_stop();
	if (READ_ONCE(get_current()->model.killed))
		world_return();
}

/* ---- the life of a process ---- */

struct task_struct *world_task(struct task_struct *shares, bool process, unsigned int cpus)
{
	struct task_struct *task = fiber_allocate(sizeof(*task));

	*task = (struct task_struct){ .usage = 1, .pid = (int)n_tasks + 1, .cpu = n_tasks % CPUS };
	spin_lock_init(&task->alloc_lock);
	task->group = shares && !process ? shares->group : n_tasks;
	sharers[task->group]++;
	task->mm = shares ? shares->mm : new_memory();
	if (shares)
		task->mm->mm_users.counter++;
	task->model.cpus = cpus;
	task->cpus_ptr = &both;
	if (cpus) {
		task->model.waiting = 1;
		task->cpu = cpus != 1; /* the first one comes next */
	} else {
		task->cpu = 2;
		task->on_cpu = 1;
	}
	module_refs++; /* it has opened the device */
	tasks[n_tasks++] = task;
	return task;
}

void world_become(struct task_struct *task)
{
	must(get_current() == task, "a context is another task");
	if (!task->model.cpus)
		return;
	preempt_disable();
	get_cpu(task);
}

/* The last one that shares the descriptors closes them. */
static void leave_files(struct task_struct *me)
{
	bool last;

	STEP last = !--sharers[me->group];
	while (last && !world_close())
		;
}

/* begin_new_exec(): new memory, then closing; then exec_binprm() calls the tracepoint. */
void world_exec(bool hides)
{
	struct linux_binprm bprm = { 0 };
	struct task_struct *me = get_current();
	struct mm_struct *old = me->mm, *mm = new_memory();
	struct vm_area_struct *area = old->areas;
	const void *kept = area && old->mm_users.counter > 1
				   ? ((struct page *)area->vm_private_data)->address
				   : NULL;
	void (*probe)(void *, struct task_struct *, int, struct linux_binprm *);

	if (hides && me->ptrace)
		bprm.interp_flags = BINPRM_FLAGS_ENFORCE_NONDUMP;
	else
		bprm.secureexec = hides;
	if (hides)
		mm->dumpable = 0;
	set_memory(me, mm);
	leave_memory(old);
	while (!world_close())
		;
	probe = begin_probe(1);
	if (probe)
		probe(NULL, me, me->pid, &bprm);
	end_probe();
	if (kept)
		look_at_old_page(kept);
}

static void tell_of_fork(struct mm_struct *mm)
{
	void (*probe)(void *, struct task_struct *, struct task_struct *) = begin_probe(2);
	struct task_struct child = { .mm = mm };

	if (probe)
		probe(NULL, current, &child);
	end_probe();
}

/*
 * dup_mm() copies how often the memory may read; the tracepoint comes before the child runs. A
 * thread, and a child of vfork(2), has its parent's memory; a kernel thread has none.
 */
void world_fork(void)
{
	struct mm_struct *mm = current->mm, *fresh = new_memory();
	int allowed = mm->allowed;

	fresh->allowed = allowed;
	tell_of_fork(fresh);
	must(!fresh->allowed, "a child may read by its parent's mapping");
	leave_memory(fresh);
	tell_of_fork(mm);
	must(mm->allowed == allowed, "a process may not read since it has a thread more");
	tell_of_fork(NULL);
}

/* do_exit() */
void world_exit(void)
{
	struct task_struct *me = get_current();
	void (*probe)(void *, struct task_struct *);
	struct mm_struct *mm = me->mm;

	me->model.killed = 0; /* get_signal() has taken it */
	if (me->model.traces_exit)
		ptrace_stop();
	WRITE_ONCE(me->flags, PF_EXITING);
	set_memory(me, NULL);
	leave_memory(mm);
	probe = begin_probe(0);
	if (probe)
		probe(NULL, me);
	end_probe();
	leave_files(me);
	module_put(NULL);
	task_work_run();
	must(hlist_empty(&me->preempt_notifiers), "a task ends with its notifier");
	if (me->model.cpus)
		leave_cpu(me);
	WRITE_ONCE(me->model.dead, 1);
	put_task_struct(me);
	fiber_exit();
}

/* ---- beginning and end ---- */

void world_begin(const struct faults *f)
{
	unsigned int i;

	memset(processors, 0, sizeof(processors));
	memset(tasks, 0, sizeof(tasks));
	memset(files, 0, sizeof(files));
	memset(sharers, 0, sizeof(sharers));
	memset(pages, 0, sizeof(pages));
	for (i = 0; i < CPUS; i++)
		raw_spin_lock_init(&processors[i].run_queue);
	n_tasks = 0;
	module_refs = notifier_key = running_probes = running_works = 0;
	world_faults = *f;
	delayed = NULL;
	uses_oldest = 0;
	kernel_siblings.bits = kernel_mm_cpus.bits = 1;
	jiffies = 0;
	memset(reloads, 0, sizeof(reloads));
	memset(&world_reads, 0, sizeof(world_reads));
	memset(&world_signals, 0, sizeof(world_signals));
	fiber_arrived = arrived;
	idle = tasks[FIBERS] = fiber_allocate(sizeof(*idle));
	idle->usage = 1;
	must(!vthread_init() && !access_init(), "the driver does not begin");
}

void world_end(void)
{
	if (points[0].probe)
		vthread_exit();
	access_exit();
	must(!queue.queues, "a queue is left");
	must(idle->usage == 1, "the first process is kept");
	fiber_free(idle);
	must(!module_refs, "the module is still in use");
	must(!notifier_key, "switches still look at notifiers");
	must(!fiber_blocks(), "memory is left");
}
