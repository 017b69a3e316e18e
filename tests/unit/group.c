// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of events, and counts' quality: what needs no PMU. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit.h"

/* Touch n fresh pages, so that there are n page faults. */
static void fault(unsigned int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = perfctr_memory_map(n * page);

	while (n--)
		memory[n * page] = 1;
}

START_TEST(software_events)
{
	struct perfctr_group *group = perfctr_group_open("task-clock,Page-Faults", 0, -1, 0);
	struct perfctr_reading before[2], after[2];
	struct perfctr_reader reader;

	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_group_size(group), 2);
	ck_assert_str_eq(perfctr_group_name(group, 0), "task-clock");
	ck_assert_str_eq(perfctr_group_name(group, 1), "Page-Faults");
	ck_assert_ptr_null(perfctr_group_name(group, 2));
	ck_assert_int_eq(perfctr_group_read(group, before), 0);
	fault(100);
	ck_assert_int_eq(perfctr_group_read(group, after), 0);
	ck_assert_uint_ge(after[1].value - before[1].value, 100);
	ck_assert_uint_lt(after[1].value - before[1].value, 150);
	ck_assert_uint_gt(after[0].value, before[0].value);
	ck_assert_uint_eq(after[0].quality, PERFCTR_EXACT);
	ck_assert_uint_eq(after[0].enabled, after[0].running);
	ck_fails(perfctr_group_reader(group, 1, &reader), EOPNOTSUPP, "user");
	ck_assert_int_eq(perfctr_reader_read(&reader, &before[0].value), 0);
	ck_fails(perfctr_group_reader(group, 2, &reader), EINVAL, "no event 2");
	ck_fails(perfctr_group_reader(group, 1, NULL), EINVAL, "NULL");
	ck_fails(perfctr_group_read(group, NULL), EINVAL, "NULL");
	perfctr_group_close(group);
	perfctr_group_close(NULL);
}
END_TEST

START_TEST(enable_disable_reset)
{
	struct perfctr_group *group = perfctr_group_open("page-faults", 0, -1, PERFCTR_GROUP_DISABLED);
	struct perfctr_reading reading;

	ck_assert_msg(group != NULL, "%s", perfctr_error());
	fault(50);
	ck_assert_int_eq(perfctr_group_read(group, &reading), 0);
	ck_assert_uint_eq(reading.value, 0);
	ck_assert_int_eq(perfctr_group_enable(group), 0);
	fault(50);
	ck_assert_int_eq(perfctr_group_disable(group), 0);
	fault(50);
	ck_assert_int_eq(perfctr_group_read(group, &reading), 0);
	ck_assert_uint_ge(reading.value, 50);
	ck_assert_uint_lt(reading.value, 100);
	ck_assert_int_eq(perfctr_group_reset(group), 0);
	ck_assert_int_eq(perfctr_group_read(group, &reading), 0);
	ck_assert_uint_eq(reading.value, 0);
	perfctr_group_close(group);
}
END_TEST

START_TEST(all_of_a_thread)
{
	struct perfctr_group *group = perfctr_group_open("page-faults,cs", 0, -1, 0);
	struct perfctr_group *other = perfctr_group_open("page-faults", getppid(), -1, 0);
	struct perfctr_reading before[2], after[2], theirs[2];
	uint64_t id, id2;

	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_disable_all(), 0);
	ck_assert_int_eq(perfctr_group_read(group, before), 0);
	if (other)
		ck_assert_int_eq(perfctr_group_read(other, &theirs[0]), 0);
	fault(100);
	ck_assert_int_eq(perfctr_group_read(group, after), 0);
	ck_assert_uint_eq(after[0].value, before[0].value);
	ck_assert_uint_eq(after[0].enabled, before[0].enabled);
	/* Whomever they count. */
	if (other) {
		ck_assert_int_eq(perfctr_group_read(other, &theirs[1]), 0);
		ck_assert_uint_eq(theirs[0].enabled, theirs[1].enabled);
	}
	ck_assert_int_eq(perfctr_enable_all(), 0);
	fault(100);
	ck_assert_int_eq(perfctr_group_read(group, after), 0);
	ck_assert_uint_ge(after[0].value, before[0].value + 100);
	ck_assert_uint_eq(after[0].quality, PERFCTR_EXACT);

	ck_assert_int_eq(perfctr_group_id(group, 0, &id), 0);
	ck_assert_int_eq(perfctr_group_id(group, 1, &id2), 0);
	ck_assert_uint_ne(id, id2);
	ck_fails(perfctr_group_id(group, 2, &id), EINVAL, "no event 2");
	ck_fails(perfctr_group_id(group, 0, NULL), EINVAL, "NULL");
	perfctr_group_close(group);
	perfctr_group_close(other);
}
END_TEST

/* A kernel without perf_events, as far as prctl(2) tells. */
START_TEST(nothing_to_switch)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
			_exit(2);
		_exit(perfctr_enable_all() != -1 || errno != EOPNOTSUPP ||
		      perfctr_disable_all() != -1 ||
		      !strstr(perfctr_error(), "CONFIG_PERF_EVENTS"));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

/* All processors are online while this runs: a group of one has the same readings as one of two. */
START_TEST(a_processors_events)
{
	struct perfctr_group *one = perfctr_group_open("cpu-clock", -1, 0, PERFCTR_GROUP_STRICT);
	struct perfctr_reading reading;

	if (!one && errno == EACCES)
		return;		/* not for this user */
	ck_assert_msg(one != NULL, "%s", perfctr_error());
	ck_assert_uint_eq(perfctr_group_size(one), 1);
	usleep(1000);
	ck_assert_int_eq(perfctr_group_read(one, &reading), 0);
	ck_assert_uint_eq(reading.quality, PERFCTR_EXACT);
	ck_assert_uint_ge(reading.value, 1000000);
	ck_assert_int_eq(perfctr_group_reset(one), 0);
	ck_assert_int_eq(perfctr_group_disable(one), 0);
	perfctr_group_close(one);
	ck_fails_null(perfctr_group_open("cpu-clock", -1, 8000, 0), EINVAL, "no processor 8000");
}
END_TEST

START_TEST(a_childs_events)
{
	struct perfctr_group *group;
	struct perfctr_reading reading;
	int go[2], status;
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) == 1)
			execl("/bin/sh", "sh", "-c", "/bin/true; /bin/true", (char *)NULL);
		_exit(1);
	}
	group = perfctr_group_open("task-clock", pid, -1, PERFCTR_GROUP_ON_EXEC | PERFCTR_GROUP_INHERIT);
	ck_assert_msg(group != NULL, "%s", perfctr_error());
	ck_assert_int_eq(perfctr_group_read(group, &reading), 0);
	ck_assert_uint_eq(reading.value, 0);
	ck_assert_int_eq(write(go[1], &byte, 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	/* The process has ended; its counts are still there. */
	ck_assert_int_eq(perfctr_group_read(group, &reading), 0);
	ck_assert_uint_gt(reading.value, 0);
	perfctr_group_close(group);
}
END_TEST

START_TEST(bad_arguments)
{
	struct perfctr_cpu_control control;

	ck_fails_null(perfctr_group_open(NULL, 0, -1, 0), EINVAL, "NULL");
	ck_fails_null(perfctr_group_open("", 0, -1, 0), EINVAL, "empty");
	ck_fails_null(perfctr_group_open("task-clock,,cs", 0, -1, 0), EINVAL, "empty place");
	ck_fails_null(perfctr_group_open("task-clock,nonsense", 0, -1, 0), EINVAL, "\"nonsense\"");
	ck_fails_null(perfctr_group_open("cs", -1, -1, 0), EINVAL, "names nothing");
	ck_fails_null(perfctr_group_open("cs", -2, 0, 0), EINVAL, "names nothing");
	ck_fails_null(perfctr_group_open("cs", 0, -2, 0), EINVAL, "names nothing");
	ck_fails_null(perfctr_group_open("cs", 0, -1, 0x100), EINVAL, "flags 0x100");
	ck_fails_null(perfctr_group_open("cs", 0, -1, PERFCTR_GROUP_ON_EXEC | PERFCTR_GROUP_DISABLED),
		      EINVAL, "flags");
	ck_fails_null(perfctr_group_open("cs", 0x3FFFFFFF, -1, 0), ESRCH, "no thread 1073741823");
	ck_fails_null(perfctr_group_open_control(NULL, 0, -1, 0), EINVAL, "NULL");
	memset(&control, 0, sizeof(control));
	ck_fails_null(perfctr_group_open_control(&control, 0, -1, 0), EINVAL, "no counters");
}
END_TEST

START_TEST(too_many_events)
{
	char list[3 * 65 + 1] = "";
	unsigned int i;

	for (i = 0; i < 65; i++)
		strcat(list, i ? ",cs" : "cs");
	ck_fails_null(perfctr_group_open(list, 0, -1, 0), EINVAL, "65 events");
}
END_TEST

START_TEST(no_descriptors)
{
	struct rlimit limit, few;
	struct perfctr_group *many, *one;
	int lowest = dup(0), error;

	/* Room for four more. */
	close(lowest);
	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit;
	few.rlim_cur = (rlim_t)lowest + 4;
	setrlimit(RLIMIT_NOFILE, &few);
	many = perfctr_group_open("cs,cs,cs,cs,cs,cs,cs,cs", 0, -1, 0);
	error = errno;
	/* What had been opened was closed again. */
	one = perfctr_group_open("cs,cs,cs", 0, -1, 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_ptr_null(many);
	ck_assert_int_eq(error, EMFILE);
	ck_assert_ptr_nonnull(strstr(perfctr_error(), "ulimit -n"));
	ck_assert_ptr_nonnull(one);
	perfctr_group_close(one);
}
END_TEST

START_TEST(a_child_of_fork)
{
	struct perfctr_group *group = perfctr_group_open("page-faults", 0, -1, 0);
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		struct perfctr_reading reading;
		int failed = perfctr_group_read(group, &reading) != -1 || errno != ESRCH;

		failed |= perfctr_group_enable(group) != -1 || perfctr_group_size(group) != 0;
		perfctr_group_close(group);
		_exit(failed);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	perfctr_group_close(group);
}
END_TEST

/* Its descriptors are still open then. */
START_TEST(closed_while_a_child_lives)
{
	int fd = dup(0), go[2], status;
	struct perfctr_group *group;
	pid_t pid;

	close(fd);
	group = perfctr_group_open("page-faults", 0, -1, 0);	/* takes that number */
	ck_assert_ptr_nonnull(group);
	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		uint64_t values[4];	/* number, enabled, running, count */
		char byte;

		alarm(300);
		_exit(read(go[0], &byte, 1) != 1 || read(fd, values, sizeof(values)) != sizeof(values) ||
		      values[3] >= 1000);
	}
	perfctr_group_close(group);
	fault(1000);
	ck_assert_int_eq(write(go[1], "", 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close(go[0]);
	close(go[1]);
}
END_TEST

START_TEST(estimates)
{
	struct perfctr_reading r = { .value = 1000, .enabled = 300, .running = 100 };

	r.quality = perfctr_quality_of(r.enabled, r.running);
	ck_assert_uint_eq(r.quality, PERFCTR_SCALED);
	ck_assert_uint_eq(perfctr_reading_estimate(&r), 3000);
	r.value = 7;
	ck_assert_uint_eq(perfctr_reading_estimate(&r), 21);
	r.value = 1;
	r.running = 299;
	ck_assert_uint_eq(perfctr_reading_estimate(&r), 1);
	r = (struct perfctr_reading){ UINT64_MAX / 2, UINT64_MAX / 2, UINT64_MAX / 4, PERFCTR_SCALED, 0 };
	ck_assert_uint_ge(perfctr_reading_estimate(&r), UINT64_MAX / 2 * 2 - 8);
	r.value = UINT64_MAX - 1;
	ck_assert_uint_eq(perfctr_reading_estimate(&r), UINT64_MAX);
	r.quality = PERFCTR_EXACT;
	ck_assert_uint_eq(perfctr_reading_estimate(&r), UINT64_MAX - 1);
	ck_assert_uint_eq(perfctr_quality_of(5, 5), PERFCTR_EXACT);
	ck_assert_uint_eq(perfctr_quality_of(0, 0), PERFCTR_EXACT);
	ck_assert_uint_eq(perfctr_quality_of(5, 0), PERFCTR_NOT_COUNTED);
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_EXACT), "exact");
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_SCALED), "scaled");
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_NOT_COUNTED), "not counted");
	ck_assert_str_eq(perfctr_quality_name(PERFCTR_STALE), "stale");
	ck_assert_str_eq(perfctr_quality_name(99), "unknown");
}
END_TEST

START_TEST(rates)
{
	/* 62.5 MHz as arm64's kernels write it, and a 3 GHz TSC as x86's do. */
	struct perfctr_rate timer = perfctr_rate_from_page(16u << 24, 24);
	struct perfctr_rate tsc = perfctr_rate_from_khz(3000000);

	ck_assert_uint_eq(perfctr_rate_ticks(timer, 16), 1);
	ck_assert_uint_eq(perfctr_rate_ticks(timer, UINT64_C(16) << 40), UINT64_C(1) << 40);
	ck_assert_uint_eq(perfctr_rate_ticks(tsc, 1000), 3000);
	/* A year in ns: the fixed point's error is below a tick. */
	ck_assert_uint_eq(perfctr_rate_ticks(tsc, UINT64_C(31536000000000000)),
			  UINT64_C(94608000000000000));
	tsc = perfctr_rate_from_khz(2596095);
	ck_assert_uint_ge(perfctr_rate_ticks(tsc, 1000000000), 2596094999);
	ck_assert_uint_le(perfctr_rate_ticks(tsc, 1000000000), 2596095000);
	ck_assert_uint_eq(perfctr_rate_ticks(perfctr_rate_from_khz(1000000), 12345), 12345);
}
END_TEST

START_TEST(processors)
{
	struct perfctr_cpus_info *cpus = perfctr_cpus_info(-1);
	struct perfctr_cpu_mask *mask = calloc(1, 4096);
	struct perfctr_info info;
	unsigned int needed;

	ck_assert_ptr_nonnull(cpus);
	ck_assert_uint_ge(cpus->cpus->nrwords, 1);
	ck_assert_uint_ne(cpus->cpus->mask[0], 0);
	ck_assert_uint_eq(cpus->cpus_forbidden->mask[0], 0);
	/* EOVERFLOW: there is less room than the kernel needs, and it says how much that is. */
	mask->nrwords = 0;
	ck_fails(sys_perfctr_info(NULL, mask, NULL), EOVERFLOW, "needs");
	needed = mask->nrwords;
	ck_assert_uint_eq(needed, cpus->cpus->nrwords);
	ck_assert_int_eq(sys_perfctr_info(&info, mask, NULL), 0);
	mask->nrwords = 1000;
	ck_assert_int_eq(sys_perfctr_info(NULL, NULL, mask), 0);
	ck_assert_uint_eq(mask->nrwords, needed);
	ck_assert_uint_eq(info.abi_version, PERFCTR_ABI_VERSION);
	ck_assert_ptr_nonnull(perfctr_info_cpu_name(&info));
	info.cpu_type = 12345;
	ck_assert_str_eq(perfctr_info_cpu_name(&info), "?");
	ck_assert_uint_eq(perfctr_info_nrctrs(&info), 0);
	ck_fails(perfctr_get_info(NULL), EINVAL, "NULL");
	ck_assert_int_eq(perfctr_abi_check_fd(-1), 0);
	ck_assert_int_eq(_perfctr_abi_check_fd(-1, PERFCTR_ABI_VERSION + 1), 0);
	ck_fails(_perfctr_abi_check_fd(-1, 0x06000501), EPROTO, "rebuild");
	free(mask);
	free(cpus);
}
END_TEST

static int collect(void *arg, const struct perfctr_check *check)
{
	++*(unsigned int *)arg;
	ck_assert_ptr_nonnull(check->name);
	ck_assert_uint_gt(strlen(check->state), 0);
	ck_assert_int_eq(check->ok, !*check->remedy);
	return 0;
}

START_TEST(doctor)
{
	unsigned int n = 0;

	ck_assert_int_eq(perfctr_doctor(collect, &n), 0);
	ck_assert_uint_ge(n, 12);
	/* No /proc and no /sys is no reason to fall over. */
	setenv("PERFCTR_ROOT", "/nonexistent", 1);
	ck_assert_int_eq(perfctr_doctor(collect, &n), 0);
}
END_TEST

UNIT_MAIN("group", 60, software_events, enable_disable_reset, all_of_a_thread,
	  nothing_to_switch, a_processors_events, a_childs_events, bad_arguments,
	  too_many_events, no_descriptors, a_child_of_fork, closed_while_a_child_lives,
	  estimates, rates, processors, doctor)
