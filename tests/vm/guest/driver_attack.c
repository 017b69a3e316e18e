// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the driver's protection of other users of the machine, and of its own users against others.
 * Most of it runs as nobody. Exit status 0 if all is well.
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
#include "tests/vm/guest/driver_attack.h"

#if defined(__aarch64__)
#define EVERYBODY "0\n" /* there is no such thing */
#else
#define EVERYBODY "2\n"
#endif
#define ROUNDS 5

int device;

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
	return write_file(RDPMC, EVERYBODY) < 0 ? -1 : write_file(RDPMC, "1\n");
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
		if (act == allow_everybody && !perf_has_readers())
			continue;
		CHECK(in_child(acts[i].user, read_while_acting) == 0, "%s", acts[i].what);
	}
	return 0;
}

/* Reads as the documents say: the page tells if RDPMC may be used. */
static bool page_can_be_read(const struct handle *h)
{
	return perfctr_cstatus_has_tsc(h->page->cstatus);
}

#if !defined(__aarch64__)

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

#endif

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
	_exit(WIFSIGNALED(status) && WTERMSIG(status) == READ_SIGNAL ? 0 : 1);
}

static int right_ends(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(read_after_unlink());
	CHECK(waitpid(pid, &status, 0) == pid, "wait");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == READ_SIGNAL, "status 0x%X", status);
	return in_child(NOBODY, read_in_child);
}

/* ---- what runs in another process is invisible, and what it counts ---- */

int run_loop(uint64_t n)
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

int count_and_loop(uint64_t n)
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

#if !defined(__aarch64__) /* where only who counts may */

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

static int look_in_thread(struct helper *other)
{
	pthread_t thread;
	void *wrong;

	counting_helper = other;
	CHECK(pthread_create(&thread, NULL, look_without_counters, NULL) == 0, "thread");
	pthread_join(thread, &wrong);
	CHECK(!wrong, "%s", (char *)wrong);
	return 0;
}

#endif

static int look_at_counts(void)
{
	struct helper other;
	struct handle h;
	unsigned int k;

	if (start_helper(&other, count_and_loop))
		return 1;
	CHECK(order(&other, 1) == 0, "helper");
	if (count_on_second(&h))
		return 1;
	for (k = 0; k < 10; k++) {
		CHECK(order(&other, 1000) == 0, "helper");
		CHECK(rdpmc(0) == 0, "%u", rdpmc(0));
	}
#if !defined(__aarch64__)
	/* Its other threads may use RDPMC, too. */
	if (look_in_thread(&other))
		return 1;
#endif
	end_helper(&other);
	close_state(&h);
	return 0;
}

static int counts_are_invisible(void)
{
	return in_child(NOBODY, look_at_counts);
}

static int kernel_pipe[2][2];

/* On counter 1, and with the kernel, whenever it is told to. */
static void *count_kernel(void *unused)
{
	static char wrong[] = "control";
	struct vperfctr_control c = instructions(1);
	struct handle h;
	char byte;

	(void)unused;
	c.cpu_control.pmc_map[0] = 1;
	with_kernel(&c, 0);
	if (open_state(device, &h) < 0 || set_control(h.fd, &c) < 0)
		return wrong;
	while (read(kernel_pipe[0][0], &byte, 1) == 1 && write(kernel_pipe[1][1], &byte, 1) == 1)
		;
	close_state(&h);
	return NULL;
}

/* What one thread counts of the kernel another one does not see, who counts user mode. */
static int look_at_sibling(void)
{
	pthread_t thread;
	struct handle h;
	unsigned int k;
	void *wrong;
	char byte = 0;

	pin(0);
	CHECK(pipe(kernel_pipe[0]) == 0 && pipe(kernel_pipe[1]) == 0, "pipe");
	CHECK(pthread_create(&thread, NULL, count_kernel, NULL) == 0, "thread");
	if (count(&h, 1))
		return 1;
	for (k = 0; k < 10; k++) {
		CHECK(write(kernel_pipe[0][1], &byte, 1) == 1 &&
			      read(kernel_pipe[1][0], &byte, 1) == 1,
		      "thread");
		CHECK(rdpmc(1) == 0, "%u", rdpmc(1));
	}
	close(kernel_pipe[0][1]);
	pthread_join(thread, &wrong);
	CHECK(!wrong, "%s", (char *)wrong);
	close_state(&h);
	return 0;
}

static int kernel_is_invisible(void)
{
	return in_child(0, look_at_sibling);
}

/* ---- who counts the same, straight one after the other ---- */

#define TURNS 20

/* A thread's count at each of its turns, and how often it went round a loop in it. */
struct turns {
	struct handle h;
	unsigned int n, retries[TURNS];
	uint64_t counts[TURNS], rounds[TURNS];
};

static void note_turn(struct turns *t, uint64_t rounds)
{
	t->counts[t->n] = read_pmc(&t->h, 0);
	t->rounds[t->n] = rounds;
	t->retries[t->n] = retries;
	t->n++;
}

/* But for the loop, a turn is always the same: so no other thread's is counted, nor one left out.
 */
static int compare_turns(const struct turns *t)
{
	uint64_t first = 0, rest;
	unsigned int k, compared = 0;

	for (k = 1; k < t->n; k++) {
		rest = t->counts[k] - t->counts[k - 1] - 2 * t->rounds[k];
		if (t->retries[k] != t->retries[k - 1])
			continue;
		if (!first)
			first = rest;
		CHECK(rest == first, "turn %u: %llu, and not %llu", k, (unsigned long long)rest,
		      (unsigned long long)first);
		compared++;
	}
	CHECK(compared >= 2, "%u of %u turns can be compared", compared, t->n);
	return 0;
}

/* The other one's: so many rounds, or none at the end. */
static int take_turn(struct turns *t, uint64_t rounds)
{
	if (!t->h.page && count(&t->h, 1))
		return 1;
	if (!rounds)
		return compare_turns(t);
	loop(rounds);
	note_turn(t, rounds);
	return 0;
}

static int take_turn_in_process(uint64_t rounds)
{
	static struct turns turns;

	return take_turn(&turns, rounds);
}

static int sibling_orders[2], sibling_answers[2];

static void *take_turns_in_thread(void *unused)
{
	static struct turns turns;
	uint64_t rounds;
	int answer;

	(void)unused;
	while (read(sibling_orders[0], &rounds, sizeof(rounds)) == sizeof(rounds)) {
		answer = take_turn(&turns, rounds);
		if (write(sibling_answers[1], &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	close_state(&turns.h);
	return NULL;
}

/* The register shows no more than these instructions. */
static int take_turns_with(const struct helper *other, uint32_t most)
{
	struct turns turns = { .n = 0 };
	unsigned int k;
	uint32_t seen;

	if (count(&turns.h, 1))
		return 1;
	for (k = 0; k < TURNS; k++) {
		CHECK(order(other, k % 2 ? 1000000 : 1000) == 0, "the other one");
		seen = rdpmc(0);
		CHECK(seen <= most, "%u", seen);
		note_turn(&turns, 0);
	}
	CHECK(order(other, 0) == 0, "the other one");
	close_state(&turns.h);
	return compare_turns(&turns);
}

static int turns_with_process(void)
{
	struct helper other;

	if (start_helper(&other, take_turn_in_process) || take_turns_with(&other, 20000))
		return 1;
	end_helper(&other);
	return 0;
}

static int turns_with_thread(void)
{
	struct helper other;
	pthread_t thread;

	pin(0);
	CHECK(pipe(sibling_orders) == 0 && pipe(sibling_answers) == 0, "pipe");
	CHECK(pthread_create(&thread, NULL, take_turns_in_thread, NULL) == 0, "thread");
	other.orders = sibling_orders[1];
	other.answers = sibling_answers[0];
	if (take_turns_with(&other, UINT32_MAX))
		return 1;
	close(other.orders);
	pthread_join(thread, NULL);
	return 0;
}

static int one_after_the_other(void)
{
	return in_child(NOBODY, turns_with_process) || in_child(NOBODY, turns_with_thread);
}

/* In QEMU's arm64 only counter 31 interrupts at the very moment. */
struct vperfctr_control overflowing(unsigned int n)
{
	struct vperfctr_control c = instructions(1);

	c.cpu_control.nractrs = 0;
	c.cpu_control.nrictrs = 1;
	c.cpu_control.pmc_map[0] = n;
	c.cpu_control.evntsel[0] |= EVNTSEL_INT;
	c.cpu_control.ireset[0] = -10000;
#if defined(__aarch64__)
	c.cpu_control.pmc_map[0] = 31;
	c.cpu_control.evntsel[0] = EVNTSEL_P | 0x11;
#endif
	c.si_signo = SIGRTMIN + 1;
	return c;
}

/* Who is stopped by an overflow may still read, and counts nothing that takes the place of theirs.
 */
static int look_while_stopped(void)
{
	struct vperfctr_control c = overflowing(1);
	struct helper other;
	struct handle h;
	unsigned int k;

	signal(c.si_signo, SIG_IGN);
	if (start_helper(&other, count_and_loop))
		return 1;
	CHECK(order(&other, 1) == 0, "helper");
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	loop(10000);
	CHECK(h.page->cstatus == perfctr_mk_cstatus(1, 0, 0), "0x%X", h.page->cstatus);
	for (k = 0; k < 10; k++) {
		CHECK(order(&other, 1000) == 0, "helper");
		CHECK(rdpmc(0) == 0, "%u", rdpmc(0));
	}
	end_helper(&other);
	close_state(&h);
	return 0;
}

static int invisible_after_an_overflow(void)
{
	return in_child(NOBODY, look_while_stopped);
}

/* The counters that one control can have, by RDPMC's numbers; how many. */
static unsigned int all_counters(unsigned int *map, struct vperfctr_control *c)
{
	unsigned int n = 0, k;
	struct handle h;

	*c = instructions(0);
	if (open_state(device, &h) < 0)
		return 0;
	for (k = 0; k < 16; k++) {
		c->cpu_control.nractrs = n + 1;
#if defined(__aarch64__)
		c->cpu_control.pmc_map[n] = map[n] = k < 8 ? k : 31;
		c->cpu_control.evntsel[n] = k < 8 ? 0x08 : 0x11;
#else
		c->cpu_control.pmc_map[n] = map[n] = k < 8 ? k : 0x40000000 + k - 8;
		c->cpu_control.evntsel[n] = INSTRUCTIONS | EVNTSEL_OS;
#endif
		if (set_control(h.fd, c) == 0)
			n++;
	}
	c->cpu_control.nractrs = n;
	close_state(&h);
	return n;
}

static struct vperfctr_control on_all;

static int count_everything(uint64_t n)
{
	static struct handle h;

	if (!h.page && (open_state(device, &h) < 0 || set_control(h.fd, &on_all) < 0))
		return -1;
	loop(n);
	return getppid() ? 0 : -1;
}

static unsigned int maps[16], nr_maps;

/* His own counter is the first one, or another; the rest is root's, who counts the kernel. */
static int look_at(const struct helper *root, unsigned int own)
{
	struct vperfctr_control c = instructions(1);
	unsigned int i;
	struct handle h;

	c.cpu_control.pmc_map[0] = maps[own];
#if defined(__aarch64__)
	if (maps[own] == 31) /* counts cycles only */
		c.cpu_control.evntsel[0] = (c.cpu_control.evntsel[0] & ~0xFFFFu) | 0x11;
#endif
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "counter %u", own);
	CHECK(order(root, 1000) == 0, "root");
	for (i = 0; i < nr_maps; i++)
		CHECK(i == own || rdpmc(maps[i]) == 0, "0x%X shows %u", maps[i], rdpmc(maps[i]));
	CHECK(order(root, 1000000) == 0, "root");
	CHECK(rdpmc(maps[own]) < 100000, "his own: %u", rdpmc(maps[own]));
	close_state(&h);
	return 0;
}

static int look_at_root(void)
{
	struct helper root;
	unsigned int own;

	if (start_helper(&root, count_everything))
		return 1;
	CHECK(order(&root, 1000) == 0, "root");
	become(NOBODY);
	for (own = 0; own < nr_maps; own++)
		if (look_at(&root, own))
			return 1;
	end_helper(&root);
	return 0;
}

static int every_counter(void)
{
	nr_maps = all_counters(maps, &on_all);
	printf("  %u counters\n", nr_maps);
	CHECK(nr_maps >= 2, "%u", nr_maps);
	return in_child(0, look_at_root);
}

static int perf_user_sees_nothing(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
#if defined(__aarch64__)
		.config1 = 2, /* read in user mode */
#endif
	};
	const volatile struct perf_event_mmap_page *page;
	unsigned int i, seen = 0;
	int fd;

	if (!perf_has_readers()) {
		printf("  perf_events' users can't look\n");
		return 0;
	}
	pin(0);
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	CHECK(fd >= 0, "perf_event_open");
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(page != MAP_FAILED, "mmap");
	for (i = 0; i < nr_maps; i++)
		/* Its own one does not begin at zero. */
		if (maps[i] != page->index - 1 && rdpmc(maps[i])) {
			printf("  0x%X shows %u\n", maps[i], rdpmc(maps[i]));
			seen++;
		}
	munmap((void *)(uintptr_t)page, 4096);
	close(fd);
	return seen != 0;
}

/* What was counted of the kernel is not found by perf_events' next user, with the driver there or
 * gone. */
static int hardware_given_back(void)
{
	struct vperfctr_control c;
	struct handle h;
	unsigned int i;
	int failed;

	pin(0);
	nr_maps = all_counters(maps, &c);
	CHECK(open_state(device, &h) == 0 && set_control(h.fd, &c) == 0, "control");
	usleep(1000);
	for (i = 0; i < nr_maps; i++)
		CHECK(rdpmc(maps[i]), "nothing was counted on 0x%X", maps[i]);
	close_state(&h);
	if (in_child(NOBODY, perf_user_sees_nothing))
		return 1;
	close(device);
	failed = unload_driver() || in_child(NOBODY, perf_user_sees_nothing);
	CHECK(load_driver() == 0, "load");
	device = open("/dev/perfctr", O_RDWR | O_CLOEXEC);
	return failed;
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

/* As nobody: with a proof of each kind, if he can have it, is he let? An errno, or 0. */
static int try_control(bool kernel, bool everything)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;
	int proof, result;

	if (kernel)
		with_kernel(&c, 0);
	if (open_state(device, &h) < 0 || set_control_with(h.fd, &c, -1) == 0 || errno != EACCES)
		return -1;
	proof = open_proof(everything);
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

/* A proof answers one refusal, and soon. */
static int try_old_proofs(void)
{
	struct vperfctr_control c = instructions(1);
	int early = open_proof(false), proof;
	struct handle h;

	CHECK(open_state(device, &h) == 0, "open");
	CHECK(set_control_with(h.fd, &c, early) < 0 && errno == EACCES, "nobody was refused");
	CHECK(set_control_with(h.fd, &c, early) < 0 && errno == EACCES, "older than the refusal");
	proof = open_proof(false);
	CHECK(set_control_with(h.fd, &c, proof) == 0, "younger");
	CHECK(set_control_with(h.fd, &c, proof) < 0 && errno == EACCES, "used again");
	proof = open_proof(false);
	usleep(1500000);
	CHECK(set_control_with(h.fd, &c, proof) < 0 && errno == EACCES, "after a while");
	CHECK(set_control_with(h.fd, &c, open_proof(false)) == 0, "younger again");
	close_state(&h);
	return 0;
}

static int false_proofs(void)
{
	int failed;

	roots_proof = open_proof(true);
	CHECK(roots_proof >= 0, "proof");
	failed = in_child(NOBODY, try_false_proofs) || in_child(NOBODY, try_old_proofs);
	close(roots_proof);
	return failed;
}

/*
 * The administrator raises the level between a proof's opening and its use: of everything it is
 * asked again then; of user mode a proof that answers the last refusal is good for a second.
 */
static const struct {
	const char *opened, *used; /* the levels of perf_event_paranoid then */
	bool everything, kernel;   /* the proof sees all, the control counts the kernel */
	unsigned int wait;	   /* us between them */
	int expected;
} old[] = {
	{ "2\n", "2\n", false, false, 0, 0 },
	{ "2\n", "2\n", false, false, 1200000, EACCES },
	{ "2\n", "3\n", false, false, 1200000, EACCES },
	{ "1\n", "2\n", false, false, 0, 0 },
	{ "0\n", "2\n", true, true, 0, EPERM },
	{ "-1\n", "2\n", true, true, 0, EPERM },
	{ "-1\n", "0\n", true, true, 0, 0 },
	{ "-1\n", "0\n", true, true, 1200000, EACCES },
	{ "-1\n", "3\n", true, true, 0, EPERM },
};

/* Root sets the level of case which / 2: an even order stands for the first, an odd one for the
 * second. */
static int set_level(uint64_t which)
{
	return write_file(PARANOID, which % 2 ? old[which / 2].used : old[which / 2].opened);
}

static int use_old_proof(const struct helper *root, unsigned int i)
{
	struct vperfctr_control c = instructions(1);
	int proof, error;
	struct handle h;

	if (old[i].kernel)
		with_kernel(&c, 0);
	CHECK(order(root, 2 * i) == 0 && open_state(device, &h) == 0, "case %u", i);
	CHECK(set_control_with(h.fd, &c, -1) < 0 && errno == EACCES, "not refused");
	proof = open_proof(old[i].everything);
	CHECK(proof >= 0, "proof %u", i);
	CHECK(order(root, 2 * i + 1) == 0, "root");
	usleep(old[i].wait);
	error = set_control_with(h.fd, &c, proof) < 0 ? errno : 0;
	close_state(&h);
	close(proof);
	CHECK(error == old[i].expected, "a proof of level %.*s at level %.*s: %s",
	      (int)strcspn(old[i].opened, "\n"), old[i].opened, (int)strcspn(old[i].used, "\n"),
	      old[i].used, strerror(error));
	return 0;
}

static int use_old_proofs(void)
{
	struct helper root;
	unsigned int i;
	int failed = 0;

	if (start_helper(&root, set_level))
		return 1;
	become_nobody();
	for (i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		failed |= use_old_proof(&root, i);
	end_helper(&root);
	return failed;
}

static int old_proofs(void)
{
	int failed = in_child(0, use_old_proofs);

	write_file(PARANOID, "2\n");
	return failed;
}

/* perf_events is forbidden to the process alone. */
static int forbid_perf(void)
{
	static struct sock_filter no_perf[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = 4, .filter = no_perf };

	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0,
	      "seccomp");
	return 0;
}

static int without_perf(void)
{
	struct vperfctr_control c = instructions(1);
	struct handle h;

	CHECK(open_state(device, &h) == 0, "open");
	if (forbid_perf())
		return 1;
	CHECK(set_control(h.fd, &c) < 0 && errno == EACCES, "a container's profile");
	return 0;
}

/* The error of a control whose proof was opened before seccomp forbade perf_events. */
#define PROOF_BEFORE_SECCOMP EACCES

static int proved_before(void)
{
	struct vperfctr_control c = instructions(1);
	int proof = open_proof(false), error;
	struct handle h;

	CHECK(proof >= 0 && open_state(device, &h) == 0, "open");
	if (forbid_perf())
		return 1;
	error = set_control_with(h.fd, &c, proof) < 0 ? errno : 0;
	CHECK(error == PROOF_BEFORE_SECCOMP, "%s", strerror(error));
	return 0;
}

static int proof_before_seccomp(void)
{
	return in_child(NOBODY, proved_before);
}

static int seccomp_of_containers(void)
{
	return in_child(NOBODY, without_perf);
}

/* ---- resources ---- */

#define LIMIT 10

static int reach_limit(void)
{
	int fd[LIMIT], k;

	for (k = 0; k < LIMIT; k++) {
		fd[k] = open_and_leave(device);
		CHECK(fd[k] >= 0, "state %d", k);
	}
	CHECK(open_and_leave(device) < 0 && errno == EDQUOT, "one too many");
	close(fd[3]);
	CHECK(open_and_leave(device) >= 0, "after one was closed");
	CHECK(open_and_leave(device) < 0 && errno == EDQUOT, "one too many");
	return 0;
}

static int exceed_limit(void)
{
	int k;

	for (k = 0; k < 2 * LIMIT; k++)
		CHECK(open_and_leave(device) >= 0, "state %d", k);
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

#define MANY 500

static int fill_cgroup(void)
{
	long before, after;
	int k;

	CHECK(write_file(CGROUPS "a/cgroup.procs", "0\n") == 0, "cgroup");
	open_and_leave(device);
	before = memory_of_cgroup();
	for (k = 0; k < MANY; k++)
		CHECK(open_and_leave(device) >= 0, "state %d", k);
	after = memory_of_cgroup();
	CHECK(before > 0 && after - before >= MANY * 4096L, "%ld of %d", after - before, MANY);
	printf("  a state costs its cgroup %ld bytes\n", (after - before) / MANY);
	return 0;
}

static int paid_by_the_cgroup(void)
{
	int failed;

	CHECK(make_cgroup() == 0, "cgroup");
	failed = in_child(0, fill_cgroup);
	remove_cgroup();
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
	struct vperfctr_control c = overflowing(0);
	struct rlimit none = { 0, 0 };
	struct handle h;

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

#if !defined(__aarch64__) /* no tracepoint tells of its registers */

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
	unsigned int siblings, idle, others, tries = 3;
	struct handle h;

	pin(0);
	if (count(&h, 2))
		return 1;
	do {
		if (with_sibling(&siblings) || with_idle_task(&idle) || with_others(&others))
			return 1;
		printf("  writes in %u switches there and back: %u to a thread that counts, too; "
		       "%u to the idle task; %u to another process\n",
		       SWITCHES, siblings, idle, others);
	} while ((siblings > 10 || idle > 10 || others > 6 * SWITCHES + 10) && --tries);
	/* None but for process 1's looks, on a host that is slow: the fewest of a few tries. */
	CHECK(siblings <= 10, "%u", siblings);
	CHECK(idle <= 10, "%u", idle);
	/* Two counters are stopped and zeroed, and started again. */
	CHECK(others >= SWITCHES && others <= 6 * SWITCHES + 10, "%u", others);
	close_state(&h);
	return 0;
}

#endif

/* ---- names ---- */

/* Root looks for one line for the thread, with its name escaped, and none that the name made up. */
static int read_names(uint64_t pid)
{
	FILE *file = fopen("/proc/perfctr", "r");
	int lines = 0, number, bad = 0;
	unsigned char c;
	char line[256], *at;

	while (file && fgets(line, sizeof(line), file)) {
		lines += sscanf(line, "%d ", &number) == 1 && number == (int)pid;
		bad += !strcmp(line, "1 0 root\n");
		for (at = line; (c = (unsigned char)*at) != '\n' && c; at++)
			bad += c < 0x20 || c >= 0x7F;
		printf("  %s", bad ? "bytes that are no text\n" : line);
	}
	if (file)
		fclose(file);
	return bad ? -1 : lines;
}

static int count_under_a_name(void)
{
	static const char *const names[] = {
		"plain",   "two words", "a\n1 0 root", "\033[31mred\a", "\177\200\377\303\244",
		"\\x\t\b",
	};
	struct helper root;
	struct handle h;
	unsigned int i;
	int lines;

	if (start_helper(&root, read_names))
		return 1;
	become_nobody();
	if (count(&h, 1))
		return 1;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CHECK(prctl(PR_SET_NAME, names[i]) == 0, "name");
		lines = order(&root, (uint64_t)getpid());
		CHECK(lines == 1, "name %u: %d", i, lines);
	}
	end_helper(&root);
	close_state(&h);
	return 0;
}

static int names_of_holders(void)
{
	return in_child(0, count_under_a_name);
}

/* ---- what giving the counters back takes ---- */

#define LIVES 400

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int live_and_let_go(void)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };
	struct vperfctr_control c = instructions(1);
	double begin, slow = slowness(), ends, worst, end, took;
	unsigned int k, tries = 3;
	int fd;

	/* A guest may stand still once; what giving back takes, it takes each time. */
	do {
		ends = worst = 0;
		begin = seconds();
		for (k = 0; k < LIVES && seconds() < begin + slow; k++) {
			fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
			CHECK(fd >= 0 && set_control(fd, &c) == 0, "life %u", k);
			end = seconds();
			CHECK(ioctl(fd, PERFCTR_IOC_UNLINK) == 0 && close(fd) == 0, "life %u", k);
			end = seconds() - end;
			ends += end;
			worst = end > worst ? end : worst;
		}
		took = seconds() - begin;
		printf("  %u lives in %.0f ms; unlink and close take %.0f us, at worst %.0f us\n",
		       k, 1e3 * took, 1e6 * ends / k, 1e6 * worst);
	} while ((ends / k > 200e-6 * slow || k < LIVES || took >= 0.4 * slow) && --tries);
	CHECK(ends / k <= 200e-6 * slow, "%.0f us", 1e6 * ends / k);
	CHECK(k == LIVES && took < 0.4 * slow, "%u lives in %.0f ms", k, 1e3 * took);
	return 0;
}

static int short_lives(void)
{
	return in_child(NOBODY, live_and_let_go);
}

#if !defined(__aarch64__) /* where perf_events shares the counters */

static int open_hardware_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.pinned = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int exit_with_counters(void)
{
	struct handle h;

	return count(&h, 1);
}

static int exit_without_descriptor(void)
{
	struct handle h;

	if (count(&h, 1))
		return 1;
	munmap((void *)(uintptr_t)h.page, 4096);
	return close(h.fd);
}

static int die_with_counters(void)
{
	struct handle h;

	if (count(&h, 1))
		return 1;
	kill(getpid(), SIGKILL);
	return 1;
}

static void *end_as_thread(void *unused)
{
	static char wrong[] = "counters";
	struct handle h;

	(void)unused;
	return count(&h, 1) ? wrong : NULL;
}

static int exit_after_thread(void)
{
	pthread_t thread;
	void *wrong;

	CHECK(pthread_create(&thread, NULL, end_as_thread, NULL) == 0, "thread");
	pthread_join(thread, &wrong);
	return wrong != NULL;
}

static int unlink_at_end(void)
{
	struct handle h;

	if (count(&h, 1))
		return 1;
	close_state(&h);
	return 0;
}

/* The hardware is free as soon as its last user has been waited for. */
static int follow(int (*run)(void))
{
	unsigned int k, busy = 0;
	int fd, status;
	pid_t pid;

	for (k = 0; k < 10; k++) {
		pid = fork();
		if (pid == 0)
			_exit(run());
		CHECK(waitpid(pid, &status, 0) == pid && (!status || WIFSIGNALED(status)),
		      "status 0x%X", status);
		fd = open_hardware_event();
		CHECK(fd >= 0 || errno == EBUSY, "perf_event_open");
		busy += fd < 0;
		close(fd);
		usleep(30000);
	}
	CHECK(!busy, "%u of %u times the hardware is busy", busy, k);
	return 0;
}

static int follow_others(void)
{
	static const struct {
		const char *what;
		int (*run)(void);
	} ways[] = {
		{ "unlinked", unlink_at_end },
		{ "exited", exit_with_counters },
		{ "exited, with its descriptor closed", exit_without_descriptor },
		{ "killed", die_with_counters },
		{ "a thread that ended", exit_after_thread },
	};
	unsigned int i;
	int failed = 0;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (follow(ways[i].run)) {
			printf("  %s\n", ways[i].what);
			failed = 1;
		}
	return failed;
}

static int hardware_after_exit(void)
{
	return in_child(NOBODY, follow_others);
}

#endif

static unsigned int choose(struct guest_test *tests, unsigned int n, char **names)
{
	unsigned int chosen = 0, i;
	char **name;

	for (i = 0; i < n; i++)
		for (name = names; *name; name++)
			if (!strcmp(tests[i].name, *name)) {
				tests[chosen++] = tests[i];
				break;
			}
	return chosen;
}

/* driver_attack [TEST...] runs these only. Tests execute copies of it with an option. */
int main(int argc, char **argv)
{
	static struct guest_test tests[] = {
		TEST(kernel_text_changes),
#if !defined(__aarch64__)
		TEST(administrator_forbids),
#endif
		TEST(moves),
		TEST(right_ends),
		TEST(others_are_invisible),
		TEST(counts_are_invisible),
		TEST(kernel_is_invisible),
		TEST(invisible_after_an_overflow),
		TEST(one_after_the_other),
		TEST(every_counter),
		TEST(hardware_given_back),
		TEST(pages_of_others),
		TEST(policy_of_the_administrator),
		TEST(false_proofs),
		TEST(seccomp_of_containers),
		TEST(old_proofs),
		TEST(proof_before_seccomp),
		TEST(names_of_holders),
		TEST(short_lives),
		TEST(limit_per_user),
		TEST(paid_by_the_cgroup),
		TEST(full_signal_queue),
#if !defined(__aarch64__)
		TEST(costs),
		TEST(hardware_after_exit),
#endif
		TEST(mapping_before_arrival),
		TEST(overflow_before_arrival),
		TEST(asleep_before_arrival),
		TEST(exec_before_arrival),
		TEST(exec_of_a_thread),
		TEST(signal_over_exec),
		TEST(late_overflow_over_exec),
		TEST(allowed_by_perf_events),
		TEST(ends_before_arrival),
		TEST(fork_with_the_page),
		TEST(children_in_the_same_memory),
		TEST(page_over_exec),
		TEST(descriptor_of_root),
		TEST(readers_after_exec),
		TEST(page_in_a_pipe),
		/* These need two processors; a kernel that fails at them may not live on. */
		TEST(late_tracer),
		TEST(moved_and_killed),
	};
	unsigned int n = sizeof(tests) / sizeof(tests[0]);
	int failures;

	if (argc > 1 && argv[1][0] == '-')
		return run_as_program(argv + 1);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		n -= 2;
		printf("not run: %s, %s: there is one processor\n", tests[n].name,
		       tests[n + 1].name);
	}
	if (argc > 1)
		n = choose(tests, n, argv + 1);
	if (make_programs())
		return 1;
	failures = run_driver_tests(tests, n, &device);
	remove_programs();
	close(device);
	return unload_driver() < 0 || failures != 0;
}
