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
#include <sys/prctl.h>
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

int main(void)
{
	static const struct guest_test tests[] = {
#define TEST(name) { #name, name }
		TEST(kernel_text_changes),
		TEST(administrator_forbids),
		TEST(moves),
		TEST(right_ends),
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
