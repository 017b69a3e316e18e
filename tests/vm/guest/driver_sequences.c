// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * driver_sequences [SEED [OPERATIONS [go-on]]]: sequences of calls that nobody has thought of. As
 * driver_sequences_long it makes twenty times as many operations, if it is not told how many.
 *
 * Six users' processes on two processors draw operations from SEED: the driver's calls, and what
 * the kernel has for memories, descriptors, threads, programs and their tracers. Each leads a party
 * that it begins, traces and kills, session by session. Tracer and tracee may share their
 * descriptors. The tracee is stopped at the entry and at the end of its calls, gets counters there,
 * is sent to another processor, and let go, while root's processes execute beside it, and a
 * processor goes and comes. What must hold, beside a kernel that has nothing to say (process 1
 * searches its log):
 *	- a thread that is stopped, or ends, or is inside a call, executes nothing: no sum changes;
 *	- no sum is higher than what all members of the party can have executed;
 *	- a program that has more rights than its caller, or that he may not read, has no state, and
 *	  nobody kills it;
 *	- children of fork have no page, and their parent's can be read as before;
 *	- errors are those of the page; one who counts all the time counts exactly;
 *	- at the end the module has no states and no links, and can be unloaded.
 * What is wrong is printed with the last operations of the party. With "go-on" each kind is printed
 * once, and all goes on, which shows what else is wrong. Exit status 0 if nothing is.
 */
#include <linux/sched.h>
#include <stdarg.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include "tests/vm/guest/sequences.h"

#define FILE_NAME "/tmp/sequences-shared"
#define BUSY	  2 /* root's processes */

struct shared *shared;

static const char *const oracle_names[ORACLES] = {
	"stands", "bound", "clock", "final",	 "inherited",
	"reads",  "calls", "guard", "bystander", "ends",
};

/* ---- what is told ---- */

struct entry *note(const struct member *self, enum operation operation, long argument)
{
	struct party *party = self->party;
	unsigned int k = atomic_fetch_add_explicit(&party->next, 1, memory_order_relaxed);
	struct entry *entry = &party->ring[k % RING];

	*entry = (struct entry){ .operation = operation,
				 .count = k,
				 .tid = (int)raw(SYS_gettid),
				 .argument = argument };
	return entry;
}

void wrong(const struct member *self, enum oracle oracle, const char *format, ...)
{
	struct finding *w = &shared->wrong[oracle];
	va_list args;

	atomic_fetch_add(&w->times, 1);
	if (atomic_exchange(&w->told, true))
		return;
	va_start(args, format);
	vsnprintf(w->what, sizeof(w->what), format, args);
	va_end(args);
	w->done = atomic_load(&shared->done);
	w->tid = (int)raw(SYS_gettid);
	w->party = PARTIES;
	if (self && self->party) {
		w->party = (unsigned int)(self->party - shared->party);
		w->session = self->party->session;
		w->next = atomic_load(&self->party->next);
		memcpy(w->ring, self->party->ring, sizeof(w->ring));
	}
	if (!shared->go_on)
		atomic_store(&shared->stop, true);
}

static void print_wrong(enum oracle oracle)
{
	struct finding *w = &shared->wrong[oracle];
	unsigned int k;

	printf("  %s: %s\n", oracle_names[oracle], w->what);
	printf("    seed %llu, after %u operations, party %u, session %u, thread %d; %u times\n",
	       (unsigned long long)shared->seed, w->done, w->party, w->session, w->tid,
	       atomic_load(&w->times));
	if (w->party == PARTIES)
		return;
	for (k = w->next > RING ? w->next - RING : 0; k < w->next; k++) {
		const struct entry *e = &w->ring[k % RING];

		printf("    | %d %s %ld = %ld\n", e->tid,
		       operation_names[e->operation % OPERATIONS], e->argument, e->result);
	}
}

/* ---- root's ---- */

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Enough to be seen, and to take the processor from others in any place. */
static void __attribute__((noreturn)) be_busy(unsigned int number)
{
	struct member self = { .chance = mixed(shared->seed, 100, number) | 1 };

	setpriority(PRIO_PROCESS, 0, -5);
	for (;;) {
		if (one_in(&self, 16))
			pin(number);
		loop(5000 + below(&self, 25000));
		usleep(atomic_load(&shared->alone) ? 4000 : 500 + below(&self, 3000));
	}
}

/* CPU 1 goes and comes, now and then. */
static void __attribute__((noreturn)) be_operator(void)
{
	struct member self = { .chance = mixed(shared->seed, 101, 0) | 1 };

	for (;;) {
		usleep(50000 + below(&self, 200000));
		if (atomic_load(&shared->alone) || set_online("0") < 0)
			continue;
		atomic_fetch_add(&shared->went, 1);
		usleep(below(&self, 20000));
		if (set_online("1") < 0)
			wrong(&self, ENDS, "CPU 1 does not come back: errno %d", errno);
	}
}

/* ---- nobody's ---- */

static void become_nobody(void)
{
	become(NOBODY);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* So that they may look at each other. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Counts all the time, and must not notice the others. It says when it is there. */
static void __attribute__((noreturn)) be_bystander(int ready)
{
	struct vperfctr_control c = instructions(shared->counters);
	struct member self = { .chance = 1 };
	struct handle h;
	unsigned int i;

	become_nobody();
	if (open_state(DEVICE, &h) < 0 || set_control(h.fd, &c) < 0)
		_exit(1);
	/* Whose number all have; no other stays open in them. */
	dup2(h.fd, VICTIM);
	close(h.fd);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;) {
		let_others_be_alone(&self);
		for (i = 0; i < shared->counters && shared->exact; i++)
			if (!counts_exactly(&h, i, 5000))
				wrong(&self, BYSTANDER, "its counter %u does not count exactly", i);
		usleep(20000);
	}
}

static void __attribute__((noreturn)) lead(unsigned int number)
{
	struct member self = { .party = &shared->party[number], .leads = true };

	become_nobody();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	be_leader(&self);
	_exit(0);
}

static int probe(void)
{
	struct vperfctr_control c;
	struct handle h;
	unsigned int n;

	if (open_state(DEVICE, &h) < 0)
		return -1;
	for (n = 4; n > 0; n--) {
		c = instructions(n);
		if (set_control(h.fd, &c) == 0)
			break;
	}
	shared->counters = n;
	close_state(&h);
	return 0;
}

/* ---- the run ---- */

static int copy_program(const char *to, mode_t mode)
{
	static char buffer[65536];
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t n;

	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, (size_t)n) != n)
			return -1;
	close(in);
	return n < 0 || fchmod(out, mode) < 0 ? -1 : close(out);
}

/* Descriptors that all have, by number. */
static int set_up(void)
{
	int file = open(FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0666);
	int device = open("/dev/perfctr", O_RDWR);

	if (file < 0 || device < 0 || fchmod(file, 0666) < 0 ||
	    ftruncate(file, (off_t)sizeof(*shared)) < 0 || dup2(file, SHARED) < 0 ||
	    dup2(device, DEVICE) < 0)
		return -1;
	close(file);
	close(device);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, SHARED, 0);
	if (shared == MAP_FAILED || copy_program("/tmp/sequences", 0755) < 0 ||
	    copy_program("/tmp/sequences-setuid", 04755) < 0 ||
	    copy_program("/tmp/sequences-unreadable", 0711) < 0)
		return -1;
	/* A number stays one process'. */
	write_file("/proc/sys/kernel/pid_max", "4194304\n");
	return probe();
}

/* The bystander shares its descriptors, so that its state has a number in all. */
static int begin_bystander(void)
{
	int pipes[2];
	char byte;

	if (pipe(pipes) < 0)
		return -1;
	if (syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0) == 0)
		be_bystander(pipes[1]);
	if (read(pipes[0], &byte, 1) != 1)
		return -1;
	close(pipes[0]);
	close(pipes[1]);
	return unshare(CLONE_FILES);
}

static pid_t begin(void (*run)(unsigned int number), unsigned int number)
{
	pid_t pid = fork();

	if (pid == 0)
		run(number);
	return pid;
}

static void operate(unsigned int number)
{
	(void)number;
	be_operator();
}

/* Until enough was done, or something is wrong; a line now and then says that it goes on. */
static void wait_for_end(void)
{
	unsigned int told = 0, step = shared->operations / 20 + 1;
	int64_t began = milliseconds();

	while (!atomic_load(&shared->stop) && atomic_load(&shared->done) < shared->operations) {
		usleep(20000);
		if (atomic_load(&shared->done) / step == told)
			continue;
		told = atomic_load(&shared->done) / step;
		printf("  %u operations in %u sessions, %lld ms\n", atomic_load(&shared->done),
		       atomic_load(&shared->sessions), (long long)(milliseconds() - began));
	}
	atomic_store(&shared->stop, true);
	wake_others();
}

/* Leaders end by themselves; everybody else is killed: nothing but this test runs here. */
static void end_all(const pid_t *leader)
{
	unsigned int i, k;
	int status;

	for (i = 0; i < PARTIES; i++) {
		for (k = 0; k < 1500 && waitpid(leader[i], &status, WNOHANG) == 0; k++)
			usleep(10000);
		if (k == 1500)
			wrong(NULL, ENDS, "leader %u does not end", i);
		else if (status)
			wrong(NULL, ENDS, "leader %u ends with status 0x%X", i, status);
	}
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, __WALL) > 0)
		;
	set_online("1");
}

static void run(void)
{
	pid_t leader[PARTIES];
	unsigned int i;

	if (begin_bystander() < 0) {
		wrong(NULL, BYSTANDER, "it does not begin");
		return;
	}
	for (i = 0; i < BUSY; i++)
		begin(be_busy, i);
	for (i = 0; i < PARTIES; i++)
		leader[i] = begin(lead, i);
	if (sysconf(_SC_NPROCESSORS_CONF) > 1)
		begin(operate, 0);
	wait_for_end();
	end_all(leader);
}

static int report(void)
{
	unsigned int i, failures = 0;

	printf("  %u operations in %u sessions; %u alone, CPU 1 went %u times; sums reach %llu per "
	       "mille of their bounds\n",
	       atomic_load(&shared->done), atomic_load(&shared->sessions),
	       atomic_load(&shared->alones), atomic_load(&shared->went),
	       (unsigned long long)atomic_load(&shared->highest));
	for (i = 0; i < ORACLES; i++)
		if (atomic_load(&shared->wrong[i].times)) {
			print_wrong((enum oracle)i);
			failures++;
		}
	return failures != 0;
}

int main(int argc, char **argv)
{
	int failed;

	if (argc > 4)
		return be_program(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (load_driver() < 0)
		return 1;
	if (set_up() < 0) {
		printf("  it can't be set up: %s\n", strerror(errno));
		return 1;
	}
	shared->seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	shared->operations = argc > 2			? (unsigned int)strtoul(argv[2], NULL, 0)
			     : strstr(argv[0], "_long") ? 2000000
							: 100000;
	shared->go_on = argc > 3;
	shared->exact = counts_are_exact();
	printf("  seed %llu, %u operations\n", (unsigned long long)shared->seed,
	       shared->operations);
	run();
	close(DEVICE);
	close(VICTIM);
	failed = report() | no_state_is_left();
	return unload_driver() < 0 || failed;
}
