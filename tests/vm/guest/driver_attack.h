/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * driver_attack.h - shared by driver_attack's files. The tests run as root and make nobody's
 * processes themselves; each returns 0, or 1 after it has said why.
 */
#ifndef PERFCTR_TESTS_DRIVER_ATTACK_H
#define PERFCTR_TESTS_DRIVER_ATTACK_H

#include <stdint.h>
#include <sys/types.h>

struct handle;
struct vperfctr_control;

extern int device; /* /dev/perfctr */

/* Copies of this program, for tests to execute. */
#define PLAIN	   "/tmp/plain"
#define UNREADABLE "/tmp/unreadable" /* can be executed, but not be read */
#define SETUID	   "/tmp/setuid"     /* root's, with the set-user-ID bit */

/* Make the copies, or remove them. */
int make_programs(void);
void remove_programs(void);

/* Do as a copy does with its arguments, the first of which begins with '-'. Its exit status. */
int run_as_program(char **arguments);

/* Become nobody, and dumpable: nobody's other processes may trace this one and count it. */
void become_nobody(void);

/* Call run() as nobody in a process of its own. 0; 1 if it says so, or was killed. */
int as_nobody(int (*run)(void));

/* A helper's jobs: both run a loop n times, the second one with counters of its own. */
int run_loop(uint64_t n);
int count_and_loop(uint64_t n);

/* Counter n overflows after 10,000 of the loop's turns, and sends SIGRTMIN + 1. */
struct vperfctr_control overflowing(unsigned int n);

/* driver_attack_links.c attacks a thread that has yet to arrive at its counters. */
int mapping_before_arrival(void);
int overflow_before_arrival(void);
int asleep_before_arrival(void);
int moved_and_killed(void);
int exec_before_arrival(void);
int signal_over_exec(void);
int late_overflow_over_exec(void);
int exec_of_a_thread(void);
int allowed_by_perf_events(void);
int ends_before_arrival(void);
int late_tracer(void);

/* driver_attack_pages.c attacks the page, over fork, over exec, and from other processes. */
int fork_with_the_page(void);
int children_in_the_same_memory(void);
int page_over_exec(void);
int descriptor_of_root(void);
int readers_after_exec(void);
int page_in_a_pipe(void);

#endif /* PERFCTR_TESTS_DRIVER_ATTACK_H */
