// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The only process of a test kernel: runs the command lines of /tests, one after the other, and
 * powers off. The kernel is silent on the console (loglevel=1), so that its lines can't mix with
 * the tests'; its log is searched for trouble at the end. TEST_SECONDS on the kernel's command line
 * gives each test another limit. Printed on the console:
 *	RUN command line
 *	TOOK seconds
 *	PASS | SKIP | FAIL (why) command line
 *	DONE passed failed skipped		missing if the kernel died
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPORT 60 /* lines: what the kernel says of one mistake, as a rule */

static int timeout = 120; /* seconds of the guest's time for one test */

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			printf("%s: %s\n", path, strerror(errno));
		close(fd);
	}
}

static void set_up(void)
{
	static const struct {
		const char *path, *type;
	} mounts[] = {
		{ "/proc", "proc" },
		{ "/sys", "sysfs" },
		{ "/dev", "devtmpfs" },
		{ "/tmp", "tmpfs" },
		{ "/sys/kernel/tracing", "tracefs" },
	};
	unsigned int i;
	int fd;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].path, 0755);
		mount(mounts[i].type, mounts[i].path, mounts[i].type, 0, NULL);
	}
	fd = open("/dev/console", O_RDWR);
	for (i = 0; i < 3 && fd >= 0; i++)
		dup2(fd, (int)i);
	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Same program, same instructions; and arm64's switch for user-space reads. */
	write_file("/proc/sys/kernel/randomize_va_space", "0\n");
	write_file("/proc/sys/kernel/perf_user_access", "1\n");
	/* As the kernel has it where no distribution decided otherwise. */
	write_file("/proc/sys/kernel/perf_event_paranoid", "2\n");
	setenv("PATH", "/bin", 1);
	setenv("TMPDIR", "/tmp", 1);
	/* The kernel gives words of its command line that it doesn't know to this program. */
	setenv("STEP_QUICK", "3", 0);
	if (getenv("TEST_SECONDS"))
		timeout = atoi(getenv("TEST_SECONDS"));
	setenv("STORM_THREADS", "200", 0);
	setenv("STORM_EXACT", "1", 1);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Run one test; its wait status, or -1 if it took too long. */
static int run(char *line)
{
	char *words[32], *word;
	int n = 0, status = -1;
	unsigned int waited;
	pid_t pid;

	for (word = strtok(line, " "); word && n < 31; word = strtok(NULL, " "))
		words[n++] = word;
	words[n] = NULL;
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		execvp(words[0], words);
		printf("%s: %s\n", words[0], strerror(errno));
		_exit(127);
	}
	for (waited = 0; waited < timeout * 20; waited++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(50000);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* What a test has left behind must not be in the way of the next one. */
static void end_all_others(void)
{
	unsigned int k;
	pid_t pid = 1;

	for (k = 0; k < 100 && pid >= 0; k++) {
		kill(-1, SIGKILL);
		while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			;
		if (pid == 0)
			usleep(10000);
	}
}

/*
 * A process that is killed since its cgroup has no memory left is no trouble, and the kernel prints
 * where it was: that follows.
 */
static bool is_expected(const char *line)
{
	static bool killed;
	bool trace = strstr(line, "Call Trace") || strstr(line, "Call trace"),
	     expected = killed && trace;

	if (strstr(line, "invoked oom-killer"))
		killed = true;
	else if (trace)
		killed = false;
	return expected;
}

/*
 * Before the driver is loaded an overflow that comes when its counter has been stopped is
 * perf_events' to explain, which does not always do so on a Pentium III.
 */
static bool is_before_driver(const char *line)
{
	static bool loaded;

	if (strstr(line, "perfctr: "))
		loaded = true;
	return !loaded && strstr(line, "NMI received for unknown reason");
}

/* Does a report begin here, or go on? Most have a trace of calls; a name tells what they are. */
static bool is_trouble(const char *line)
{
	static const char *const trouble[] = {
		"BUG:",	  /* KASAN, KCSAN, KFENCE, lockups, sleeping where nobody may, and more */
		"] BUG ", /* SLUB's */
		">BUG ",
		"kernel BUG at",
		"Oops",
		"Call Trace",
		"Call trace", /* on arm64 */
		"NMI received for unknown reason",
		"UBSAN:",
		"WARNING: CPU:", /* also refcount_t's, ODEBUG's and DEBUG_LOCKS_WARN_ON()'s */
		/* lockdep's */
		"WARNING: possible",
		"WARNING: suspicious RCU",
		"WARNING: inconsistent lock",
		"WARNING: bad unlock",
		"WARNING: held lock",
		"WARNING: lock held",
		"WARNING: nested lock",
		"-unsafe lock order",
		"INFO: trying to register non-static key",
		"INFO: task", /* that is blocked */
		"INFO: rcu_",
		"list_add corruption",
		"list_del corruption",
	};
	unsigned int i;

	if (is_before_driver(line) || is_expected(line))
		return false;
	for (i = 0; i < sizeof(trouble) / sizeof(trouble[0]); i++)
		if (strstr(line, trouble[i]))
			return true;
	return false;
}

/* Print the log's lines about trouble, with what follows each. Returns their number. */
static unsigned int search_log(void)
{
	static char log[1 << 21];
	int length = klogctl(3, log, sizeof(log) - 1), show = 0;
	unsigned int found = 0;
	char *line;

	log[length > 0 ? length : 0] = '\0';
	for (line = strtok(log, "\n"); line; line = strtok(NULL, "\n")) {
		if (is_trouble(line)) {
			found++;
			show = REPORT;
		}
		if (show > 0) {
			printf("kernel: %s\n", line);
			show--;
		}
	}
	return found;
}

static void load_driver(void)
{
	int module = open("/perfctr.ko", O_RDONLY);

	if (module >= 0) {
		syscall(SYS_finit_module, module, "", 0);
		close(module);
	}
}

/*
 * Print memory that nobody points at, if the kernel looks for it: what is older than 5 s. What has
 * changed since the scan before counts as used, and so does all in the first one. The driver is
 * loaded again, as a rule where it was: its addresses have names only then.
 */
static bool search_leaks(void)
{
	bool found = false;
	char report[4096];
	ssize_t length;
	int leaks, k;

	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	leaks = open("/sys/kernel/debug/kmemleak", O_RDWR);
	if (leaks < 0)
		return false;
	sleep(6);
	for (k = 0; k < 3; k++)
		if (write(leaks, "scan\n", 5) < 0)
			printf("kmemleak: %s\n", strerror(errno));
	load_driver();
	while ((length = read(leaks, report, sizeof(report) - 1)) > 0) {
		report[length] = '\0';
		printf("%s", report);
		found = true;
	}
	close(leaks);
	return found;
}

int main(void)
{
	unsigned int passed = 0, failed = 0, skipped = 0;
	char line[512], copy[512];
	FILE *tests;

	set_up();
	tests = fopen("/tests", "r");
	while (tests && fgets(line, sizeof(line), tests)) {
		double began = seconds();
		int status;

		line[strcspn(line, "\n")] = '\0';
		if (!line[0])
			continue;
		printf("RUN %s\n", line);
		strcpy(copy, line);
		status = run(copy);
		end_all_others();
		printf("TOOK %.1f\n", seconds() - began);
		if (status == -1) {
			printf("FAIL (took more than %d s) %s\n", timeout, line);
			failed++;
		} else if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
			printf("PASS %s\n", line);
			passed++;
		} else if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
			printf("SKIP %s\n", line);
			skipped++;
		} else {
			printf("FAIL (%s %d) %s\n", WIFEXITED(status) ? "exit status" : "signal",
			       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), line);
			failed++;
		}
	}
	if (search_leaks()) {
		printf("FAIL (the kernel's memory leaks)\n");
		failed++;
	}
	if (search_log()) {
		printf("FAIL (trouble in the kernel's log)\n");
		failed++;
	}
	printf("DONE %u %u %u\n", passed, failed, skipped);
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}
