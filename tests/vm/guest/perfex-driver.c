// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Has perfex count the program "loop" through the driver, and demands exact differences; that what
 * the driver can't do is done by perf_events, or refused if they are forbidden; and that counters
 * which an exec has ended are not taken for counts.
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include "tests/harness/guest.h"

/* Instructions of user mode; the kernel's, too. */
#if defined(__aarch64__)
#define NUMBER	      "0x80000008"
#define KERNEL_NUMBER "0x00000008"
#else
#define NUMBER	      "0x004100C0"
#define KERNEL_NUMBER "0x004300C0"
#endif

static char output[8192];

/* The command's exit status; what it writes is in output. */
static int run(const char *command)
{
	char line[512];
	size_t n = 0, got;
	FILE *pipe;
	int status;

	snprintf(line, sizeof(line), "%s 2>&1", command);
	pipe = popen(line, "r");
	if (!pipe)
		return -1;
	while ((got = fread(output + n, 1, sizeof(output) - 1 - n, pipe)) > 0)
		n += got;
	output[n] = '\0';
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CHECK_RUN(command, status, words)                                         \
	do {                                                                      \
		int got_ = run(command);                                          \
		CHECK(got_ == (status) && strstr(output, (words)),                \
		      "exit status %d, no \"%s\" in\n%s", got_, (words), output); \
	} while (0)

/* The CSV row of an event: its count, if the driver counted it (which keeps no times), else 0. */
static unsigned long long driver_count(const char *event)
{
	unsigned long long value, found = 0;
	char *line, *rest, wanted[128];

	for (line = output; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		value = strtoull(line, &rest, 10);
		snprintf(wanted, sizeof(wanted), ",%llu,,%s,exact,0,0,", value, event);
		if (rest != line && !strncmp(rest, wanted, strlen(wanted)))
			found = value;
	}
	return found;
}

static int exact_differences(const char *environment, const char *options, const char *event)
{
	unsigned long long count[3];
	char command[256];
	unsigned int k;

	for (k = 0; k < 4; k++) { /* the first time brings everything into memory */
		snprintf(command, sizeof(command), "%s perfex --csv %s -- loop 0000%u00000",
			 environment, options, k ? k : 1);
		CHECK_RUN(command, 0, event);
		count[k ? k - 1 : 0] = driver_count(event);
	}
	printf("  %s: %llu %llu %llu\n", event, count[0], count[1], count[2]);
	CHECK(count[0] > 200000 && count[1] - count[0] == 200000 && count[2] - count[1] == 200000,
	      "not exact");
	return 0;
}

static int by_number(void)
{
	CHECK(exact_differences("", "--no-inherit -e " NUMBER, "event " NUMBER) == 0, "alone");
	CHECK(exact_differences("", "--no-inherit -e " NUMBER "@1," NUMBER "@0", "event " NUMBER) ==
		      0,
	      "on named counters");
#if !defined(__aarch64__) /* whose clock has no such name */
	CHECK(driver_count("tsc") > 200000, "%s", output);
#endif
	CHECK(exact_differences("PERFCTR_PROVIDER=driver", "-e " NUMBER, "event " NUMBER) == 0,
	      "forced");
	CHECK(exact_differences("", "--no-inherit -r 2 -e " NUMBER, "event " NUMBER) == 0, "twice");
	return 0;
}

/* The name of "instructions retired" in the table of this machine's processor. */
static const char *own_name(void)
{
	static const char *const names[] = {
		"INST_RETIRED.ANY_P",
		"RETIRED_INSTRUCTIONS",
		"INSTRUCTIONS_RETIRED",
		"INST_RETIRED",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (perfctr_event_check(names[i]) == 0)
			return names[i];
	return "";
}

static int by_name(void)
{
	char options[128], name[64];

	snprintf(name, sizeof(name), "%s:u", own_name());
#if defined(__aarch64__)
	snprintf(options, sizeof(options), "--no-inherit -e %s", name);
	CHECK(exact_differences("", options, name) == 0, "by name");
#else
	snprintf(options, sizeof(options), "--no-inherit -e msr/tsc/,%s", name);
	CHECK(exact_differences("", options, name) == 0, "by name");
	CHECK(driver_count("msr/tsc/") > 200000, "%s", output);
#endif
	return 0;
}

static int ends_as_the_command(void)
{
	CHECK_RUN("perfex --no-inherit -e " NUMBER " -- sh -c 'exit 7'", 7,
		  "the first thread of 'sh");
	CHECK_RUN("perfex --no-inherit -e " NUMBER " -- no-such-command", 127, "command not found");
	CHECK_RUN("(perfex --no-inherit -e " NUMBER " -- sh -c 'kill -KILL $$'; exit 3)", 3,
		  NUMBER);
	/* Through one exec after the other. */
	CHECK_RUN("perfex --csv --no-inherit -e " NUMBER " -- sh -c 'exec loop 0000500000'", 0,
		  "exact,0,0");
	CHECK(driver_count("event " NUMBER) > 1000000, "%s", output);
	return 0;
}

/* The driver gives the counters back a moment after the thread has ended whose they were. */
static void settle(void)
{
	usleep(300000);
}

/* perf_events tells times, which are not 0. */
static int what_takes_perf_events(void)
{
	settle();
	CHECK_RUN("perfex --csv --no-inherit -e cycles:u -- loop 0000100000", 0,
		  ",,cycles:u,exact,");
	CHECK(!strstr(output, "exact,0,0"), "%s", output);
	CHECK_RUN("perfex --csv -e " NUMBER " -- loop 0000100000", 0, ",,event " NUMBER ",exact,");
	CHECK(!strstr(output, "exact,0,0"), "inherited: %s", output);
	CHECK_RUN("perfex --csv --no-inherit -I 100 -e " NUMBER " -- loop 0000100000", 0, "exact");
	CHECK(!strstr(output, "exact,0,0"), "%s", output);
	CHECK_RUN("PERFCTR_PROVIDER=driver perfex -e cycles -- sh -c 'echo it ran'", 125,
		  "PERFCTR_PROVIDER");
	CHECK(!strstr(output, "it ran\n"), "%s", output);
	CHECK_RUN("PERFCTR_PROVIDER=driver perfex -I 100 -e " NUMBER " -- loop 0000000001", 125,
		  "-I takes");
	CHECK_RUN("PERFCTR_PROVIDER=driver perfex --per=thread -e " NUMBER " -- loop 0000000001",
		  125, "--per=thread takes");
	return 0;
}

#if defined(__aarch64__)

/* perf_events has counters, and leaves the others. */
static int busy(void)
{
	struct perfctr_set *other = perfctr_set_open("instructions:u", NULL, 0);

	CHECK(other, "%s", perfctr_error());
	CHECK(exact_differences("", "--no-inherit -e " NUMBER, "event " NUMBER) == 0, "shared");
	perfctr_set_close(other);
	return 0;
}

#else

/* perf_events has the counters: it counts for whom it may, and is named to the others. */
static int busy(void)
{
	struct perfctr_set *hog;

	settle();
	hog = perfctr_set_open("instructions:u", NULL, 0);
	CHECK(hog, "%s", perfctr_error());
	CHECK_RUN("perfex --csv --no-inherit -e " NUMBER " -- loop 0000100000", 0, "exact");
	CHECK(!strstr(output, "exact,0,0"), "%s", output);
	CHECK_RUN("PERFCTR_PROVIDER=driver perfex -r 2 -e " NUMBER " -- loop 0000100000", 0,
		  "in use by perf_events");
	perfctr_set_close(hog);
	return 0;
}

#endif

static int as_user(const char *command)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(99);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(98);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* An unprivileged user: user mode alone, and nothing of a program with more rights. */
static int without_rights(void)
{
	char command[256];

	CHECK_RUN("cat /bin/loop > /tmp/loop-suid; chmod 4755 /tmp/loop-suid", 0, "");
	CHECK(as_user("perfex --csv --no-inherit -e " NUMBER " -- loop 0000100000 "
		      "2>/tmp/user1") == 0,
	      "user");
	CHECK_RUN("cat /tmp/user1", 0, "exact,0,0");
	CHECK(driver_count("event " NUMBER) > 200000, "%s", output);
	/* It runs for 0.2 s, of which the counters see nothing. */
	CHECK(as_user("perfex --csv --no-inherit -e " NUMBER " -- /tmp/loop-suid 0100000000 "
		      "2>/tmp/user2") == 0,
	      "user");
	CHECK_RUN("cat /tmp/user2", 0, "set-user-ID");
	CHECK(strstr(output, "not counted") && !strstr(output, "exact"), "%s", output);
	/* To root it has no more rights. */
	CHECK_RUN("perfex --csv --no-inherit -e " NUMBER " -- /tmp/loop-suid 0100000000", 0,
		  "exact,0,0");
	CHECK(driver_count("event " NUMBER) > 200000000, "%s", output);
	/* The kernel's mode, in a raw control, which is not changed. */
	CHECK(as_user("PERFCTR_PROVIDER=driver perfex -e " KERNEL_NUMBER " -- loop 0000100000 "
		      "2>/tmp/user3") == 0,
	      "user");
	CHECK_RUN("cat /tmp/user3", 0, "CAP_PERFMON");
	/* But a name becomes that of user mode. */
	snprintf(command, sizeof(command),
		 "perfex --csv --no-inherit -e %s -- loop 0000100000 2>/tmp/user4", own_name());
	CHECK(as_user(command) == 0, "user");
	CHECK_RUN("cat /tmp/user4", 0, ":u,exact,0,0");
	return 0;
}

static int doctor(void)
{
	settle();
	CHECK_RUN("perfctr-info", 0, "driver: the driver answers; version ");
	CHECK(strstr(output, "counters, read in user space") &&
		      strstr(output, "from the driver's page"),
	      "%s", output);
	CHECK(strstr(output, "one counter "), "%s", output);
	CHECK_RUN("PERFCTR_PROVIDER=perf perfctr-info", 0, "perf: PERFCTR_PROVIDER asks for it");
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = {
		TEST(by_number),
		TEST(by_name),
		TEST(ends_as_the_command),
		TEST(what_takes_perf_events),
		TEST(busy),
		TEST(without_rights),
		TEST(doctor),
	};

	return run_guest_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
