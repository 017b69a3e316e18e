// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs with regions that end in all ways, for tests/regions.sh. usage: regions CASE [MODULE]
 * Each case finishes two visits of "done", and does something to others. A visit of main()'s takes
 * time: what begin and end themselves take is subtracted, and may leave nothing of an empty one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <perfctr/regions.h>

PERFCTR_REGION(done, "done");
PERFCTR_REGION(other, "other");
PERFCTR_REGION(within, "within");

static char **args;

static void visit(struct perfctr_region *region)
{
	perfctr_region_begin(region);
	perfctr_region_end(region);
}

static void visit_for_a_while(void)
{
	struct timespec begun, now;

	perfctr_region_begin(&done);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - begun.tv_sec) * 1000000000LL + now.tv_nsec - begun.tv_nsec < 1000000);
	perfctr_region_end(&done);
}

static void stray(void)
{
	perfctr_region_end(&other);
	perfctr_region_begin(&within);
	perfctr_region_end(&done);
	perfctr_region_end(&within);
}

static void *in_thread(void *arg)
{
	perfctr_region_begin(&other);
	visit(&within);
	perfctr_region_begin(&within);
	if (arg)
		pause();
	return NULL;
}

static void thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, in_thread, NULL);
	pthread_join(id, NULL);
}

/* Of data of a thread's own: in each round of destructors, of which the library has only some. */
static pthread_key_t key;

static void visit_at_end(void *value)
{
	visit(&other);
	pthread_setspecific(key, value);
}

static void *with_data(void *arg)
{
	visit(&within);
	pthread_setspecific(key, args);
	return arg;
}

/* Their memory is gone when they are, which that of the smaller stacks is not. */
static void destructor(void)
{
	pthread_attr_t large;
	pthread_t id;
	int i;

	pthread_key_create(&key, visit_at_end);
	pthread_attr_init(&large);
	pthread_attr_setstacksize(&large, 64 << 20);
	for (i = 0; i < 3; i++) {
		pthread_create(&id, &large, with_data, NULL);
		pthread_join(id, NULL);
	}
}

static void cancel(void)
{
	pthread_t id;

	pthread_create(&id, NULL, in_thread, (void *)1);
	pthread_cancel(id);
	pthread_join(id, NULL);
}

static void *visit_within(void *arg)
{
	visit(&within);
	return arg;
}

static void child_ends(const char *how)
{
	char *const command[] = { (char *)"true", NULL };

	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "TERM") || !strcmp(how, "KILL"))
		raise(*how == 'T' ? SIGTERM : SIGKILL);
	if (!strcmp(how, "exec"))
		execvp(*command, command);
	_exit(0);
}

static void child(const char *how)
{
	pthread_t id;

	if (!strcmp(how, "inside")) {
		perfctr_region_end(&within);
		how = "exit";
	}
	if (strcmp(how, "exec") != 0)
		visit(&other);
	if (!strcmp(how, "thread")) {
		pthread_create(&id, NULL, visit_within, NULL);
		pthread_join(id, NULL);
	}
	if (!strcmp(how, "grandchild")) {
		visit(&within);
		if (fork() == 0)
			visit(&other);
		else
			wait(NULL);
	}
	child_ends(how);
}

/* Three children, which have regions of their own and end so. */
static void children(void)
{
	int i;

	if (!strcmp(args[2], "inside"))
		perfctr_region_begin(&within);
	for (i = 0; i < 3; i++)
		if (fork() == 0)
			child(args[2]);
	while (wait(NULL) > 0)
		;
	if (!strcmp(args[2], "inside"))
		perfctr_region_end(&within);
}

/* As closefrom(3), which musl lacks. */
static void close_from(int fd)
{
	for (; fd < 256; fd++)
		close(fd);
}

/* As a daemon does. The program's own pipe gets a number that the library may have had. */
static void close_all(void)
{
	char bytes[200] = { 0 };
	int ends[2];

	visit(&other);
	close_from(3);
	if (pipe(ends) < 0 || write(ends[1], bytes, sizeof(bytes)) != sizeof(bytes))
		exit(3);
	visit(&other);
	visit(&within);
	if (read(ends[0], bytes, sizeof(bytes)) != sizeof(bytes))
		exit(3);
}

static void *close_all_in_thread(void *arg)
{
	visit(&other);
	return arg;
}

/* Files stand in the place of a thread's counters when it ends. */
static void close_others(void)
{
	pthread_t id[4];
	int i, fd;

	for (i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, close_all_in_thread, NULL);
	usleep(10000);
	close_from(3);
	for (i = 0; i < 16; i++)
		if (dup(0) < 0)
			exit(3);
	for (i = 0; i < 4; i++)
		pthread_join(id[i], NULL);
	for (fd = 3; fd < 19; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			exit(3);
}

static void jump(void)
{
	static jmp_buf out;
	static volatile int n;

	perfctr_region_begin(&other);
	if (!setjmp(out)) {
		perfctr_region_begin(&within);
		longjmp(out, 1);
	}
	perfctr_region_end(&other);
	for (n = 0; n < 3000; n++) {
		perfctr_region_begin(&other);
		if (!setjmp(out)) {
			perfctr_region_begin(&within);
			longjmp(out, 1);
		}
		perfctr_region_end(&other);
	}
}

static void with_child(void)
{
	int status = 1;
	pid_t pid;

	perfctr_region_begin(&other);
	pid = fork();
	if (pid == 0) {
		visit(&done);
		perfctr_region_end(&other);
		exit(perfctr_regions_start("", 0) < 0 && errno == EALREADY ? 0 : 3);
	}
	waitpid(pid, &status, 0);
	if (status)
		abort();
	perfctr_region_end(&other);
}

static void execute(void)
{
	execl(args[0], args[0], "stray", (char *)NULL);
}

/* One after the other, of which each visits a region once less. */
static void execute_some(void)
{
	int n = args[2] ? atoi(args[2]) : 4, i;
	char less[16];

	for (i = 0; i < n; i++)
		visit(&within);
	snprintf(less, sizeof(less), "%d", n - 1);
	if (n > 1)
		execl(args[0], args[0], "execs", less, (char *)NULL);
}

static void die(void)
{
	raise(SIGKILL);
}

static void handle(int signal)
{
	(void)signal;
	visit(&within);
}

/* Twice as deep as there is room for, and then again as it was. */
static void recur(int depth)
{
	perfctr_region_begin(&other);
	if (depth > 1)
		recur(depth - 1);
	perfctr_region_end(&other);
}

static void deep(void)
{
	recur(2000);
	recur(10);
}

/* What a thread has begun is ended after measuring began restarted, and keeps other things. */
static pthread_barrier_t restarted;

static void *across(void *arg)
{
	perfctr_region_begin(&other);
	perfctr_region_begin(&within);
	pthread_barrier_wait(&restarted);
	pthread_barrier_wait(&restarted);
	perfctr_region_end(&within);
	perfctr_region_end(&other);
	visit(&within);
	return arg;
}

static void restart_with(void *(*thread_)(void *))
{
	pthread_t id;

	pthread_barrier_init(&restarted, NULL, 2);
	pthread_create(&id, NULL, thread_, NULL);
	pthread_barrier_wait(&restarted);
	if (perfctr_regions_stop() < 0 ||
	    perfctr_regions_start("page-faults:u,minor-faults:u", PERFCTR_REGIONS_HISTOGRAM) < 0)
		abort();
	visit(&done);
	pthread_barrier_wait(&restarted);
	pthread_join(id, NULL);
}

static void restart(void)
{
	restart_with(across);
}

/* Measuring begins restarted, with more or fewer events, while threads are in regions at first. */
static volatile sig_atomic_t ended;

static void *at_first(void *arg)
{
	unsigned int seed = 1;
	char name[16];

	while (!ended) {
		snprintf(name, sizeof(name), "at first %d", rand_r(&seed) % 50);
		visit(perfctr_region_by_name(name));
	}
	return arg;
}

static void again(void)
{
	static const char *const events[] = { "", "page-faults:u",
					      "page-faults:u,minor-faults:u,major-faults:u" };
	pthread_t id[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, at_first, NULL);
	for (i = 0; i < 1000; i++) {
		usleep(i % 7 * 100);
		if (perfctr_regions_stop() < 0 || perfctr_regions_start(events[i % 3], i & 3) < 0)
			abort();
	}
	ended = 1;
	for (i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	if (perfctr_regions_stop() < 0 || perfctr_regions_start("", 0) < 0)
		abort();
}

/* So does one that has too many regions open. */
static void *too_deep(void *arg)
{
	int i;

	for (i = 0; i < 1100; i++)
		perfctr_region_begin(&other);
	pthread_barrier_wait(&restarted);
	pthread_barrier_wait(&restarted);
	visit(&within);
	return arg;
}

static void restart_deep(void)
{
	restart_with(too_deep);
}

/* A start that fails leaves what was measured. */
static void start_again(void)
{
	struct perfctr_region_reading reading;

	visit(&done);
	if (perfctr_regions_stop() < 0 || perfctr_regions_start("no-such-event", 0) == 0 ||
	    perfctr_region_read(&done, &reading) < 0 || reading.visits != 2)
		abort();
}

/* A thread without a descriptor left for its counters is left out, also when there are some. */
static void *without(void *arg)
{
	struct rlimit all, none;

	getrlimit(RLIMIT_NOFILE, &all);
	none = (struct rlimit){ 0, all.rlim_max };
	setrlimit(RLIMIT_NOFILE, &none);
	visit(&within);
	setrlimit(RLIMIT_NOFILE, &all);
	visit(&within);
	visit(&other);
	return arg;
}

/* The only thread that reaches a region can't be counted. */
static int left_out_alone(void)
{
	pthread_t id;

	pthread_create(&id, NULL, without, NULL);
	pthread_join(id, NULL);
	return 0;
}

static void left_out(void)
{
	pthread_t id;

	if (perfctr_regions_stop() < 0 || perfctr_regions_start("page-faults:u", 0) < 0)
		abort();
	visit(&done);
	pthread_create(&id, NULL, without, NULL);
	pthread_join(id, NULL);
}

static long resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!file || fscanf(file, "%*d %ld", &pages) != 1)
		abort();
	fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* What calibration visits takes no memory each time: it was 2 MiB of histograms. */
static void memory(void)
{
	char events[16 * 15] = "page-faults:u";
	long before;
	int i;

	for (i = 1; i < 15; i++)
		strcat(events, ",page-faults:u");
	if (perfctr_regions_stop() < 0 ||
	    perfctr_regions_start(events, PERFCTR_REGIONS_HISTOGRAM) < 0)
		abort();
	before = resident();
	visit(&other);
	if (resident() - before > 1024)
		abort();
}

static volatile sig_atomic_t handled;

static void count(int signal)
{
	handle(signal);
	handled++;
}

static void signals(void)
{
	struct sigaction action = { .sa_handler = count };
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	struct perfctr_region_reading reading;

	perfctr_regions_thread();
	visit(&within);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 1000) {
		visit(&other);
		visit(&other);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	if (perfctr_region_read(&within, &reading) < 0 ||
	    reading.visits + reading.uncounted != (uint64_t)handled + 1)
		abort();
}

static void unload(void)
{
	void *module = dlopen(args[2], RTLD_NOW);
	void (*call)(void) = module ? (void (*)(void))dlsym(module, "call") : NULL;

	if (!call)
		abort();
	call();
	dlclose(module);
	module = dlopen(args[2], RTLD_NOW);
	call = module ? (void (*)(void))dlsym(module, "call") : NULL;
	if (!call)
		abort();
	call();
	dlclose(module);
}

static void nothing(void)
{
}

/* Lives on until somebody writes to it. */
static void live_on(void)
{
	char byte;

	puts("ready");
	fflush(stdout);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		abort();
}

/* For callgrind: so many of them. */
static void many(void)
{
	int n = args[2] ? atoi(args[2]) : 0;

	while (n-- > 0)
		visit(&other);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{ "stray", stray },	   { "thread", thread },
		{ "cancel", cancel },	   { "jump", jump },
		{ "fork", with_child },	   { "children", children },
		{ "close", close_all },	   { "close-others", close_others },
		{ "exec", execute },	   { "die", die },
		{ "deep", deep },	   { "signals", signals },
		{ "restart", restart },	   { "start", start_again },
		{ "unload", unload },	   { "nothing", nothing },
		{ "live-on", live_on },	   { "many", many },
		{ "again", again },	   { "restart-deep", restart_deep },
		{ "left-out", left_out },  { "memory", memory },
		{ "execs", execute_some }, { "destructor", destructor },
	};
	unsigned int i;

	args = argv;
	if (argc > 1 && !strcmp(argv[1], "none"))
		return 0;
	if (argc > 1 && !strcmp(argv[1], "left-out-alone"))
		return left_out_alone();
	if (argc > 2 && !strcmp(argv[1], "children-alone"))
		return children(), 0;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2 || strcmp(cases[i].name, argv[1]) != 0)
			continue;
		visit_for_a_while();
		cases[i].run();
		visit_for_a_while();
		return 0;
	}
	return 2;
}
