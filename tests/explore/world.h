/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* world.h - what kernel.c has for the contexts that driver.c makes: processes and their calls. */
#ifndef PERFCTR_TESTS_EXPLORE_WORLD_H
#define PERFCTR_TESTS_EXPLORE_WORLD_H

#include "tests/explore/fibers.h"
#include "tests/explore/kernel.h"

/* The statement after it is one step for all others. */
#define STEP for (int once_ = (fiber_step_begins(), 1); once_; once_ = 0, fiber_step_ends())

/* A function whose accesses are no places for others: it looks, and changes nothing of theirs. */
#define PLAIN __attribute__((no_sanitize("thread")))

/* What is to fail in this scenario: errors are returned as they stand here. */
struct faults {
	bool no_descriptor, no_page, one_hash, queue_is_full, capable, no_queue;
	bool user;		 /* its addresses are wrong */
	unsigned int allocation; /* how many succeed, and one; 0: all */
	int quota, reserve, rights, remap, work, affinity;
	bool no_first_process, no_first_memory;
};

extern struct faults world_faults;

/* The signals that tasks have sent themselves: with what came with the last one, or without. */
struct world_signals {
	unsigned int queued, sent;
	int number;
	struct kernel_siginfo info;
};

extern struct world_signals world_signals;

/*
 * Processors that have a memory's page tables from before, and don't do as is counted; those that
 * are busy until a time, and do nothing that they are asked; how often processors were interrupted
 * to look.
 */
struct world_reads {
	unsigned int stale, busy, looks;
	unsigned long until;
};

extern struct world_reads world_reads;

void world_begin(const struct faults *faults);
/* Nothing is left: blocks, references, locks. */
void world_end(void);

/* Interrupts that a processor gets. */
enum interrupt { TIMER = 1, OVERFLOW = 2, WORK = 4 };

/*
 * Makes a task, with memory of its own or another's, for the context that is started next. cpus:
 * the processors on which it may run; 0: one that is its alone.
 */
struct task_struct *world_task(struct task_struct *shares, bool process, unsigned int cpus);
/* The context that runs is this task. */
void world_become(struct task_struct *task);

/* The calls of a context. Results are the kernel's. */
int world_open(int tid, bool creat);
int world_ioctl(unsigned int request, const void *argument);
int world_mmap(void);
void world_munmap(void);
int world_close(void);
/* The descriptor that these calls are on; there must be one. */
struct file *world_file(void);
/* Calls are on the oldest descriptor, or the youngest again. */
void world_use_oldest(bool oldest);
void world_exec(bool hides);
void world_fork(void);
/* What comes after each call, and at the end. */
void world_return(void);
_Noreturn void world_exit(void);

/* Stops under ptrace, at a signal or at a call. */
void world_stop_at_signal(void);
void world_stop_at_call(void);
bool world_is_stopped(void *task);
bool world_is_dead(void *task);
void world_continue(struct task_struct *task);
void world_listen(struct task_struct *task);
void world_detach(struct task_struct *task);

/* What happens to a task or a processor. */
void world_kill(struct task_struct *task);
void world_sigcont(struct task_struct *task);
void world_interrupt(unsigned int cpu, enum interrupt what);
void world_preempt(unsigned int cpu);
/* sched_yield(2); a call that sleeps until a signal comes. */
void world_yield(void);
void world_sleep(void);
void world_unload(void);
/* The delay of what the driver has put off. */
void world_delay_is_over(void);

/* driver.c's: a task is in user mode; a page that others keep after an exec. */
void look_at_user(struct task_struct *task, unsigned int cpu);
void look_at_old_page(const void *page);
/* The driver's, on this processor; hardware.c has them. */
void interrupt_here(enum interrupt what);
/* A counter of a processor overflows: its interrupt is still to come. */
void overflow_there(unsigned int cpu);

#endif /* PERFCTR_TESTS_EXPLORE_WORLD_H */
