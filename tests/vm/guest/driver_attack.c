// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the driver owes to those who share the machine with its users, and to its users while others
 * go about their business. Most of it runs as nobody. Exit status 0 if all is well.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "tests/vm/guest/driver.h"

#define NOBODY 65534
#define RDPMC  "/sys/bus/event_source/devices/cpu/rdpmc"
#define ROUNDS 5

static int device;

static int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY), result;

	if (fd < 0)
		return -1;
	result = write(fd, value, strlen(value)) < 0 ? -1 : 0;
	close(fd);
	return result;
}

/* Run in a process of its own, as a user. 0; 1 if it says so, or was killed. */
static int in_child(unsigned int user, int (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (user && (setgid(user) < 0 || setuid(user) < 0))
			_exit(2);
		_exit(run());
	}
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(status == 0, "status 0x%X", status);
	return 0;
}

static int count(struct handle *h, unsigned int n)
{
	struct vperfctr_control c = instructions(n);

	CHECK(open_state(device, h) == 0 && set_control(h->fd, &c) == 0, "%u counters", n);
	return 0;
}

/* ---- what else a process does must not take RDPMC away from it ---- */

static struct sock_filter all[] = { { .code = BPF_RET | BPF_K, .k = 0x7FFF0000 } };
static struct sock_fprog program = { .len = 1, .filter = all };

static int attach_socket_filter(void)
{
	int s = socket(AF_UNIX, SOCK_DGRAM, 0), result;

	result = setsockopt(s, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
	close(s);
	return result;
}

static int attach_seccomp(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
		       ? -1
		       : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

static int load_bpf(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)insns,
		.insn_cnt = 2,
		.license = (uintptr_t) "",
	};
	int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	return fd < 0 ? -1 : close(fd);
}

static int turn_static_key(void)
{
	return write_file("/proc/sys/kernel/sched_schedstats", "1\n") < 0
		       ? -1
		       : write_file("/proc/sys/kernel/sched_schedstats", "0\n");
}

static int set_kprobe(void)
{
#define KPROBES "/sys/kernel/tracing/events/kprobes/"
	return write_file("/sys/kernel/tracing/kprobe_events", "p:attack schedule\n") < 0 ||
			       write_file(KPROBES "attack/enable", "1\n") < 0 ||
			       write_file(KPROBES "attack/enable", "0\n") < 0 ||
			       write_file("/sys/kernel/tracing/kprobe_events", "-:attack\n") < 0
		       ? -1
		       : 0;
}

static int allow_everybody(void)
{
	return write_file(RDPMC, "2\n") < 0 ? -1 : write_file(RDPMC, "1\n");
}

static int (*act)(void);

static int read_while_acting(void)
{
	struct handle h;
	unsigned int k;

	if (count(&h, 1))
		return 1;
	for (k = 0; k < ROUNDS; k++) {
		CHECK(act() == 0, "round %u", k);
		CHECK(counts_exactly(&h, 0, 1000), "round %u", k);
	}
	close_state(&h);
	return 0;
}

static int kernel_text_changes(void)
{
	static const struct {
		const char *what;
		unsigned int user;
		int (*act)(void);
	} acts[] = {
		{ "a socket filter", NOBODY, attach_socket_filter },
		{ "seccomp", NOBODY, attach_seccomp },
		{ "bpf(2)", 0, load_bpf },
		{ "a static key", 0, turn_static_key },
		{ "a kprobe", 0, set_kprobe },
		{ "rdpmc for everybody", 0, allow_everybody },
	};
	unsigned int i;

	for (i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		act = acts[i].act;
		CHECK(in_child(acts[i].user, read_while_acting) == 0, "%s", acts[i].what);
	}
	return 0;
}

/* Reads as the documents say: the page tells if RDPMC may be used. */
static bool page_can_be_read(const struct handle *h)
{
	return perfctr_cstatus_has_tsc(h->page->cstatus);
}

static int forbidden_and_allowed(void)
{
	struct perfctr_sum_ctrs a, b;
	struct handle h;

	if (count(&h, 1))
		return 1;
	CHECK(page_can_be_read(&h), "from the beginning");
	/* Nobody may: what read(2)s find goes on. */
	CHECK(write_file(RDPMC, "0\n") == 0, "rdpmc");
	usleep(20000);
	CHECK(!page_can_be_read(&h), "it would fault");
	CHECK(read_state(h.fd, &a, NULL) == 0, "read");
	loop(1000000);
	CHECK(read_state(h.fd, &b, NULL) == 0, "read");
	CHECK(b.pmc[0] - a.pmc[0] >= 2000000 && b.pmc[0] - a.pmc[0] < 2010000, "%llu",
	      b.pmc[0] - a.pmc[0]);
	CHECK(b.tsc > a.tsc, "the TSC stands still");
	CHECK(write_file(RDPMC, "1\n") == 0, "rdpmc");
	usleep(20000);
	CHECK(page_can_be_read(&h) && counts_exactly(&h, 0, 1000), "again");
	close_state(&h);
	return 0;
}

static int administrator_forbids(void)
{
	int failed = in_child(0, forbidden_and_allowed);

	CHECK(write_file(RDPMC, "1\n") == 0, "rdpmc");
	return failed;
}

/* Processors that a process was on before it counted must learn of it, too. */
static int on_every_cpu(void)
{
	unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), k;
	struct handle h;

	for (k = 0; k < cpus; k++) {
		pin(k);
		loop(1000);
	}
	if (count(&h, 1))
		return 1;
	for (k = 0; k < 20 * cpus; k++) {
		pin(k % cpus);
		CHECK(page_can_be_read(&h) && counts_exactly(&h, 0, 1000), "move %u", k);
	}
	close_state(&h);
	return 0;
}

static int moves(void)
{
	return in_child(NOBODY, on_every_cpu);
}

/* Once nothing is counted, RDPMC faults again: here, at once. */
static int read_after_unlink(void)
{
	struct handle h;

	if (count(&h, 1))
		return 1;
	rdpmc(0);
	close_state(&h);
	rdpmc(0);
	return 3;
}

/* The same for what a child has from its parent. */
static int read_in_child(void)
{
	struct handle h;
	pid_t pid;
	int status;

	if (count(&h, 1))
		return 1;
	pid = fork();
	if (pid == 0) {
		rdpmc(0);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	close_state(&h);
	_exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? 0 : 1);
}

static int right_ends(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(read_after_unlink());
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "status 0x%X", status);
	return in_child(NOBODY, read_in_child);
}

/* ---- what runs in another process is invisible, and what it counts ---- */

/* A child that does something each time that it is told to, on CPU 0, where its parent is. */
struct helper {
	pid_t pid;
	int orders, answers;
};

static int (*job)(uint64_t order);

static void serve(int orders, int answers)
{
	uint64_t order;
	int answer;

	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		answer = job(order);
		if (write(answers, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

static int start_helper(struct helper *helper, int (*what)(uint64_t order))
{
	int orders[2], answers[2];

	CHECK(pipe(orders) == 0 && pipe(answers) == 0, "pipe");
	job = what;
	pin(0);
	helper->pid = fork();
	if (helper->pid == 0) {
		close(orders[1]);
		close(answers[0]);
		serve(orders[0], answers[1]);
	}
	close(orders[0]);
	close(answers[1]);
	helper->orders = orders[1];
	helper->answers = answers[0];
	return 0;
}

static int order(const struct helper *helper, uint64_t what)
{
	int answer = -1;

	if (write(helper->orders, &what, sizeof(what)) != sizeof(what) ||
	    read(helper->answers, &answer, sizeof(answer)) != sizeof(answer))
		return -1;
	return answer;
}

static void end_helper(const struct helper *helper)
{
	close(helper->orders);
	close(helper->answers);
	waitpid(helper->pid, NULL, 0);
}

static int run_loop(uint64_t n)
{
	loop(n);
	return 0;
}

/* The register itself, and not only the count: its owner may read it. */
static int watch_another(void)
{
	uint32_t before, few, many;
	struct helper other;
	struct handle h;

	if (start_helper(&other, run_loop) || count(&h, 1))
		return 1;
	order(&other, 1);
	before = rdpmc(0);
	CHECK(order(&other, 1000) == 0, "helper");
	few = rdpmc(0);
	loop(10);
	CHECK(order(&other, 1000000) == 0, "helper");
	many = rdpmc(0);
	CHECK(few < before + 5000 && many < before + 5000, "%u, then %u and %u", before, few, many);
	end_helper(&other);
	close_state(&h);
	return 0;
}

static int others_are_invisible(void)
{
	return in_child(NOBODY, watch_another);
}

static int count_and_loop(uint64_t n)
{
	static struct handle h;
	struct vperfctr_control c = instructions(1);

	if (!h.page && (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0))
		return -1;
	loop(n);
	return 0;
}

/* On the last of two counters, so that the first is not its own. */
static int count_on_second(struct handle *h)
{
	struct vperfctr_control c = instructions(1);

	c.cpu_control.pmc_map[0] = 1;
	CHECK(open_state(device, h) == 0 && set_control(h->fd, &c) == 0, "counter 1");
	return 0;
}

static const struct helper *counting_helper;

static void *look_without_counters(void *unused)
{
	static char seen[] = "another process's count", failed[] = "helper";
	unsigned int k;

	(void)unused;
	for (k = 0; k < 10; k++) {
		if (order(counting_helper, 1000) < 0)
			return failed;
		if (rdpmc(0) != 0)
			return seen;
	}
	return NULL;
}

static int look_at_counts(void)
{
	struct helper other;
	pthread_t thread;
	struct handle h;
	unsigned int k;
	void *wrong;

	if (start_helper(&other, count_and_loop))
		return 1;
	CHECK(order(&other, 1) == 0, "helper");
	if (count_on_second(&h))
		return 1;
	for (k = 0; k < 10; k++) {
		CHECK(order(&other, 1000) == 0, "helper");
		CHECK(rdpmc(0) == 0, "%u", rdpmc(0));
	}
	/* Its other threads may use RDPMC, too. */
	counting_helper = &other;
	CHECK(pthread_create(&thread, NULL, look_without_counters, NULL) == 0, "thread");
	pthread_join(thread, &wrong);
	CHECK(!wrong, "%s", (char *)wrong);
	end_helper(&other);
	close_state(&h);
	return 0;
}

static int counts_are_invisible(void)
{
	return in_child(NOBODY, look_at_counts);
}

/* What was counted of the kernel is not found by perf_events' next user. */
static int hardware_given_back(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
	};
	struct vperfctr_control c = instructions(2);
	struct handle h;
	void *page;
	int fd;

	pin(0);
	c.cpu_control.evntsel[0] |= EVNTSEL_OS;
	c.cpu_control.evntsel[1] |= EVNTSEL_OS;
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	usleep(1000);
	CHECK(rdpmc(0) && rdpmc(1), "nothing was counted");
	close_state(&h);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	CHECK(fd >= 0, "perf_event_open");
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(page != MAP_FAILED, "mmap");
	CHECK(rdpmc(1) == 0, "%u", rdpmc(1));
	munmap(page, 4096);
	close(fd);
	return 0;
}

/* The page is for whom the call is: the owner's process, and everybody once nothing changes. */
static int map_of_another(uint64_t fd)
{
	struct perfctr_sum_ctrs sum;
	void *page;

	errno = 0;
	if (read_state((int)fd, &sum, NULL) == 0)
		return 0;
	if (errno != ESRCH)
		return -1;
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, (int)fd, 0);
	return page == MAP_FAILED && errno == ESRCH ? ESRCH : -1;
}

static int map_final(uint64_t fd)
{
	const struct perfctr_cpu_state *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, (int)fd, 0);

	return page != MAP_FAILED && page->pmc[0].sum > 2000 ? 0 : 1;
}

static int show_page(void)
{
	struct helper other;
	struct handle h;
	pid_t pid;
	int status;

	if (count(&h, 1) || start_helper(&other, map_of_another))
		return 1;
	loop(1000);
	status = order(&other, (uint64_t)h.fd);
	CHECK(status == ESRCH, "%d", status);
	CHECK(ioctl(h.fd, PERFCTR_IOC_UNLINK) == 0, "unlink");
	status = order(&other, (uint64_t)h.fd);
	CHECK(status == 0, "%d", status);
	pid = fork();
	if (pid == 0)
		_exit(map_final((uint64_t)h.fd));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%X", status);
	end_helper(&other);
	return 0;
}

static int pages_of_others(void)
{
	return in_child(NOBODY, show_page);
}

/* ---- the policy ---- */

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* As nobody: with a proof of each kind, if he can have it, is he let? An errno, or 0. */
static int try_control(bool kernel, bool everything)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;
	int proof = open_proof(everything), result;

	if (kernel)
		c.cpu_control.evntsel[0] |= EVNTSEL_OS;
	if (open_state(device, &h) < 0)
		return -1;
	result = set_control_with(h.fd, &c, proof) < 0 ? errno : 0;
	close_state(&h);
	if (proof >= 0)
		close(proof);
	return result;
}

static const int (*expected)[2][2];

static int try_all(void)
{
	unsigned int kernel, everything;
	int result;

	for (kernel = 0; kernel < 2; kernel++)
		for (everything = 0; everything < 2; everything++) {
			result = try_control(kernel, everything);
			CHECK(result == (*expected)[kernel][everything], "%u %u: %d", kernel,
			      everything, result);
		}
	return 0;
}

static int policy_of_the_administrator(void)
{
	static const struct {
		const char *paranoid;
		int expected[2][2]; /* of the kernel, too; with everything for a proof */
	} policies[] = {
		{ "-1\n", { { 0, 0 }, { EPERM, 0 } } },
		{ "0\n", { { 0, 0 }, { EPERM, 0 } } },
		{ "1\n", { { 0, EACCES }, { EPERM, EACCES } } },
		{ "2\n", { { 0, EACCES }, { EPERM, EACCES } } },
		{ "3\n", { { EACCES, EACCES }, { EACCES, EACCES } } },
	};
	unsigned int i;
	int failed;

	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		CHECK(write_file(PARANOID, policies[i].paranoid) == 0, "sysctl");
		expected = &policies[i].expected;
		failed = in_child(NOBODY, try_all);
		write_file(PARANOID, "2\n");
		CHECK(!failed, "%s", policies[i].paranoid);
	}
	return 0;
}

static int roots_proof;

/* What somebody else was let open, and what is no event. */
static int try_false_proofs(void)
{
	struct vperfctr_control c = instructions(1), tsc = instructions(0);
	struct handle h;
	int null = open("/dev/null", O_RDWR);

	CHECK(open_state(device, &h) == 0, "open");
	CHECK(set_control_with(h.fd, &c, roots_proof) < 0 && errno == EACCES, "root's");
	CHECK(set_control_with(h.fd, &c, null) < 0 && errno == EBADF, "/dev/null");
	CHECK(set_control_with(h.fd, &c, h.fd) < 0 && errno == EBADF, "the state itself");
	CHECK(set_control_with(h.fd, &c, 1000) < 0 && errno == EBADF, "no descriptor");
	CHECK(set_control_with(h.fd, &c, -2) < 0 && errno == EBADF, "no number of any");
	CHECK(set_control_with(h.fd, &c, -1) < 0 && errno == EACCES, "none");
	CHECK(set_control_with(h.fd, &tsc, -1) == 0, "the TSC is everybody's");
	close_state(&h);
	return 0;
}

static int false_proofs(void)
{
	int failed;

	roots_proof = open_proof(true);
	CHECK(roots_proof >= 0, "proof");
	failed = in_child(NOBODY, try_false_proofs);
	close(roots_proof);
	return failed;
}

/* perf_events is forbidden to the process alone. */
static int without_perf(void)
{
	static struct sock_filter no_perf[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = 4, .filter = no_perf };
	struct vperfctr_control c = instructions(1);
	struct handle h;

	CHECK(open_state(device, &h) == 0, "open");
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0,
	      "seccomp");
	CHECK(set_control(h.fd, &c) < 0 && errno == EACCES, "a container's profile");
	return 0;
}

static int seccomp_of_containers(void)
{
	return in_child(NOBODY, without_perf);
}

/* ---- resources ---- */

#define USER_STATES "/sys/module/perfctr/parameters/user_states"
#define LIMIT	    10

/* A descriptor keeps the state of a thread that may go on to make another. */
static int open_and_leave(void)
{
	struct handle h;

	if (open_state(device, &h) < 0)
		return -1;
	munmap((void *)(uintptr_t)h.page, 4096);
	ioctl(h.fd, PERFCTR_IOC_UNLINK);
	return h.fd;
}

static int reach_limit(void)
{
	int fd[LIMIT], k;

	for (k = 0; k < LIMIT; k++) {
		fd[k] = open_and_leave();
		CHECK(fd[k] >= 0, "state %d", k);
	}
	CHECK(open_and_leave() < 0 && errno == EDQUOT, "one too many");
	close(fd[3]);
	CHECK(open_and_leave() >= 0, "after one was closed");
	CHECK(open_and_leave() < 0 && errno == EDQUOT, "one too many");
	return 0;
}

static int exceed_limit(void)
{
	int k;

	for (k = 0; k < 2 * LIMIT; k++)
		CHECK(open_and_leave() >= 0, "state %d", k);
	return 0;
}

/* Another user's states don't count, nor those of processes that have ended. */
static int limit_per_user(void)
{
	int failed;

	CHECK(write_file(USER_STATES, "10\n") == 0, "parameter");
	failed = in_child(NOBODY, reach_limit) || in_child(NOBODY - 1, reach_limit) ||
		 in_child(NOBODY, reach_limit) || in_child(0, exceed_limit);
	write_file(USER_STATES, "4096\n");
	return failed;
}

#define CGROUPS "/tmp/cgroups/"
#define MANY	500

static long memory_of_cgroup(void)
{
	char text[32] = "";
	int fd = open(CGROUPS "a/memory.current", O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		return -1;
	close(fd);
	return atol(text);
}

static int fill_cgroup(void)
{
	long before, after;
	int k;

	CHECK(write_file(CGROUPS "a/cgroup.procs", "0\n") == 0, "cgroup");
	open_and_leave();
	before = memory_of_cgroup();
	for (k = 0; k < MANY; k++)
		CHECK(open_and_leave() >= 0, "state %d", k);
	after = memory_of_cgroup();
	CHECK(before > 0 && after - before >= MANY * 4096L, "%ld of %d", after - before, MANY);
	printf("  a state costs its cgroup %ld bytes\n", (after - before) / MANY);
	return 0;
}

static int paid_by_the_cgroup(void)
{
	int failed;

	mkdir(CGROUPS, 0755);
	CHECK(mount("cgroup2", CGROUPS, "cgroup2", 0, NULL) == 0, "mount");
	CHECK(write_file(CGROUPS "cgroup.subtree_control", "+memory\n") == 0, "controller");
	CHECK(mkdir(CGROUPS "a", 0755) == 0, "mkdir");
	failed = in_child(0, fill_cgroup);
	rmdir(CGROUPS "a");
	umount(CGROUPS);
	return failed;
}

static volatile sig_atomic_t signals, masks;

static void note_signal(int signo, siginfo_t *info, void *context)
{
	(void)signo;
	(void)context;
	signals++;
	masks += info->si_code == SI_PMC_OVF;
}

/* A process must learn that its counters stand, also if its user has too many signals queued. */
static int overflow_with_full_queue(void)
{
	struct sigaction action = { .sa_sigaction = note_signal, .sa_flags = SA_SIGINFO };
	struct vperfctr_control c = instructions(1);
	struct rlimit none = { 0, 0 };
	struct handle h;

	c.cpu_control.nractrs = 0;
	c.cpu_control.nrictrs = 1;
	c.cpu_control.evntsel[0] |= EVNTSEL_INT;
	c.cpu_control.ireset[0] = -10000;
	c.si_signo = SIGRTMIN + 1;
	CHECK(sigaction(SIGRTMIN + 1, &action, NULL) == 0, "sigaction");
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	loop(10000);
	CHECK(signals == 1 && masks == 1, "%d signals, %d with a mask", signals, masks);
	CHECK(setrlimit(RLIMIT_SIGPENDING, &none) == 0, "limit");
	CHECK(ioctl(h.fd, PERFCTR_IOC_IRESUME) == 0, "iresume");
	loop(10000);
	CHECK(signals == 2 && masks == 1, "%d signals, %d with a mask", signals, masks);
	CHECK(ioctl(h.fd, PERFCTR_IOC_IRESUME) == 0, "iresume");
	loop(10000);
	CHECK(signals == 3 && masks == 1, "%d signals, %d with a mask", signals, masks);
	close_state(&h);
	return 0;
}

static int full_signal_queue(void)
{
	return in_child(NOBODY, overflow_with_full_queue);
}

/* ---- what switches cost ---- */

#define TRACING	 "/sys/kernel/tracing/"
#define SWITCHES 100

/* Writes to the registers of counters, by CPU 0, since the trace was cleared. */
static unsigned int register_writes(void)
{
	FILE *trace = fopen(TRACING "trace", "r");
	unsigned int n = 0, reg;
	char line[256], *at;

	while (trace && fgets(line, sizeof(line), trace)) {
		at = strstr(line, "write_msr: ");
		if (!at || sscanf(at, "write_msr: %x", &reg) != 1)
			continue;
		n += (reg >= 0xC1 && reg < 0xC9) || (reg >= 0x186 && reg < 0x18E) ||
		     (reg >= 0x309 && reg < 0x30D) || reg == 0x38D || reg == 0x38F ||
		     (reg >= 0x4C1 && reg < 0x4C9) || (reg & ~0xFu) == 0xC0010000 ||
		     (reg & ~0xFu) == 0xC0010200 || reg == 0xC0000301;
	}
	if (trace)
		fclose(trace);
	return n;
}

static int trace(bool on)
{
	CHECK(write_file(TRACING "events/msr/write_msr/enable", on ? "1\n" : "0\n") == 0, "trace");
	if (on)
		close(open(TRACING "trace", O_WRONLY | O_TRUNC));
	return 0;
}

static int sibling_pipe[2][2];

static void *answer_as_sibling(void *counts)
{
	static char wrong[] = "sibling";
	struct handle h;
	char c;

	if (counts && count(&h, 2))
		return wrong;
	while (read(sibling_pipe[0][0], &c, 1) == 1 && write(sibling_pipe[1][1], &c, 1) == 1)
		;
	if (counts)
		close_state(&h);
	return NULL;
}

static int with_sibling(unsigned int *writes)
{
	pthread_t thread;
	unsigned int k;
	char c = 0;

	CHECK(pipe(sibling_pipe[0]) == 0 && pipe(sibling_pipe[1]) == 0, "pipe");
	CHECK(pthread_create(&thread, NULL, answer_as_sibling, sibling_pipe) == 0, "thread");
	for (k = 0; k < 10 + SWITCHES; k++) {
		if (k == 10 && trace(true))
			return 1;
		CHECK(write(sibling_pipe[0][1], &c, 1) == 1 && read(sibling_pipe[1][0], &c, 1) == 1,
		      "ping");
	}
	trace(false);
	*writes = register_writes();
	close(sibling_pipe[0][1]);
	pthread_join(thread, NULL);
	return 0;
}

static int with_idle_task(unsigned int *writes)
{
	unsigned int k;

	if (trace(true))
		return 1;
	for (k = 0; k < SWITCHES; k++)
		usleep(100);
	trace(false);
	*writes = register_writes();
	return 0;
}

static int with_others(unsigned int *writes)
{
	struct helper other;
	unsigned int k;

	if (start_helper(&other, run_loop))
		return 1;
	order(&other, 1);
	if (trace(true))
		return 1;
	for (k = 0; k < SWITCHES; k++)
		CHECK(order(&other, 1) == 0, "helper");
	trace(false);
	*writes = register_writes();
	end_helper(&other);
	return 0;
}

/* Process 1 looks every 50 ms whether a test has ended: that is a switch, too. */
static int costs(void)
{
	unsigned int siblings, idle, others;
	struct handle h;

	pin(0);
	if (count(&h, 2) || with_sibling(&siblings) || with_idle_task(&idle) ||
	    with_others(&others))
		return 1;
	printf("  writes in %u switches there and back: %u to a thread that counts, too; %u to the "
	       "idle task; %u to another process\n",
	       SWITCHES, siblings, idle, others);
	/* None but for process 1's looks, on a host that is slow. */
	CHECK(siblings <= 10, "%u", siblings);
	CHECK(idle <= 10, "%u", idle);
	/* Two counters are stopped and zeroed, and started again. */
	CHECK(others >= SWITCHES && others <= 6 * SWITCHES + 10, "%u", others);
	close_state(&h);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
#define TEST(name) { #name, name }
		TEST(kernel_text_changes),
		TEST(administrator_forbids),
		TEST(moves),
		TEST(right_ends),
		TEST(others_are_invisible),
		TEST(counts_are_invisible),
		TEST(hardware_given_back),
		TEST(pages_of_others),
		TEST(policy_of_the_administrator),
		TEST(false_proofs),
		TEST(seccomp_of_containers),
		TEST(limit_per_user),
		TEST(paid_by_the_cgroup),
		TEST(full_signal_queue),
		TEST(costs),
	};
	unsigned int i, failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (load_driver() < 0)
		return 1;
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		int failed = tests[i].run();

		printf("%s %s\n", failed ? "not ok" : "ok", tests[i].name);
		failures += failed != 0;
	}
	close(device);
	return unload_driver() < 0 || failures;
}
