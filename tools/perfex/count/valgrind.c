// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Follows a command's processes in valgrind. Its tool writes a file when a program ends or executes
 * another one; perfex, which traces the processes, takes the file while the process is stopped
 * there.
 *
 * Callgrind writes no file at execve(2), and a child begins with its parent's counts. So it is told
 * to write a file, and begin again, at the functions of C libraries that do this. exp-bbv can't be
 * told that: findings/valgrind-exp-bbv-exec.sh shows what its counts miss or have twice.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/terminal.h"
#include "tools/perfex/count/trace.h"
#include "tools/perfex/count/valgrind.h"

#define ROOM (256 << 10) /* bytes, of which some files have less and some more */

struct process {
	struct process *next;
	pid_t pid;
	bool emulated; /* a program of its runs in valgrind */
};

/* The contents of a process's files, beside counts. */
struct files {
	unsigned int forks, executions, ends;
	bool unknown; /* there was an instruction that valgrind does not know */
};

/* ---- valgrind ---- */

/* The directory of the files, which goes with perfex. */
static char directory[4096];

/* Processes were left. Valgrind would end those of them that execute a program without it. */
static bool left_any;

void valgrind_end(void)
{
	DIR *dir = *directory && !left_any ? opendir(directory) : NULL;
	struct dirent *entry;

	if (*directory && left_any)
		say("valgrind still runs processes of the command, and writes files in %s: remove "
		    "it when they have ended",
		    directory);
	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (*directory && !left_any)
		rmdir(directory);
	*directory = '\0';
}

/* Where there is none, valgrind would only fail. */
static void try_room(const char *place)
{
	char name[sizeof(directory) + 8];
	int fd, error;

	snprintf(name, sizeof(name), "%s/room", directory);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	error = fd < 0 ? errno : posix_fallocate(fd, 0, ROOM);
	if (error)
		die("--emulate needs room for files in %s, and there is none: %s; set TMPDIR",
		    place, strerror(error));
	close(fd);
	unlink(name);
}

void valgrind_begin(struct valgrind *valgrind, const struct events *events)
{
	FILE *pipe = popen("valgrind --version 2>/dev/null", "re");
	const char *place = getenv("TMPDIR");
	int n;

	*valgrind = (struct valgrind){ .doubt = NULL };
	if (access("/proc/self", F_OK) < 0)
		die("--emulate: valgrind reads /proc, which is not mounted: mount it");
	if (!pipe || !fgets(valgrind->version, sizeof(valgrind->version), pipe) ||
	    pclose(pipe) != 0 || strncmp(valgrind->version, "valgrind-", 9) != 0)
		die("--emulate takes valgrind, which is not here: install it (Debian: apt-get "
		    "install valgrind)");
	valgrind->version[strcspn(valgrind->version, "\n")] = '\0';
	emulator_choose(&valgrind->emulator, events, valgrind->version);
	/* The name's length never changes, so that a program's stack does not move. */
	place = place && *place == '/' ? place : "/tmp";
	n = snprintf(directory, sizeof(directory), "%s/perfex.XXXXXX", place);
	if (n >= (int)sizeof(directory) || strpbrk(directory, "%")) {
		*directory = '\0';
		die("--emulate needs a directory for files, whose name is shorter than %s's and has no "
		    "%%: set TMPDIR",
		    place);
	}
	if (!mkdtemp(directory)) {
		*directory = '\0';
		die("--emulate needs a directory for files, and can't make one in %s: %s; set TMPDIR",
		    place, strerror(errno));
	}
	atexit(valgrind_end);
	try_room(place);
}

/* Where a process creates another one, or executes a program, by the names that C libraries have.
 */
static char *const before[] = {
	(char *)"--dump-before=fork",	      (char *)"--dump-before=_Fork",
	(char *)"--dump-before=__fork",	      (char *)"--dump-before=__libc_fork",
	(char *)"--dump-before=vfork",	      (char *)"--dump-before=__vfork",
	(char *)"--dump-before=__libc_vfork", (char *)"--dump-before=clone",
	(char *)"--dump-before=__clone",      (char *)"--dump-before=execve",
	(char *)"--dump-before=__execve",     (char *)"--dump-before=execveat",
	(char *)"--dump-before=fexecve",
};

#define NR_BEFORE (sizeof(before) / sizeof(before[0]))

/* Adds the options of callgrind, which simulates what the events need; returns the line's words. */
static size_t add_callgrind(const struct events *events, char **line, size_t n)
{
	size_t i;

	/*
	 * A cache's size turns the simulation on, whatever --cache-sim says. The default sizes are
	 * this machine's, and would differ on another one.
	 */
	if (emulator_needs(events, COLUMN_DR, COLUMN_DLMW)) {
		line[n++] = (char *)"--cache-sim=yes";
		line[n++] = (char *)"--I1=32768,8,64";
		line[n++] = (char *)"--D1=32768,8,64";
		line[n++] = (char *)"--LL=8388608,16,64";
	}
	line[n++] = emulator_needs(events, COLUMN_BC, COLUMN_BIM) ? (char *)"--branch-sim=yes"
								  : (char *)"--branch-sim=no";
	for (i = 0; i < NR_BEFORE; i++)
		line[n++] = before[i];
	return n;
}

char **valgrind_command(const struct valgrind *valgrind, const struct events *events,
			char **command)
{
	static char tool[32], file[sizeof(directory) + 32], log[sizeof(directory) + 32];
	size_t n = 0, words = 0;
	char **line;

	while (command[words])
		words++;
	line = need(calloc(NR_BEFORE + words + 16, sizeof(*line)));
	snprintf(tool, sizeof(tool), "--tool=%s", valgrind->emulator.tool);
	snprintf(file, sizeof(file), "--%s=%s/%%p",
		 valgrind->emulator.once ? "count-file" : "callgrind-out-file", directory);
	/* Valgrind's remarks are not the command's. */
	snprintf(log, sizeof(log), "--log-file=%s/%%p.log", directory);
	line[n++] = (char *)"valgrind";
	line[n++] = (char *)"-q";
	line[n++] = tool;
	line[n++] = (char *)"--trace-children=yes";
	line[n++] = (char *)"--vgdb=no";
	line[n++] = file;
	line[n++] = log;
	/* With -q valgrind is silent about instructions that it does not know. */
	line[n++] = (char *)"--sigill-diagnostics=yes";
	if (!valgrind->emulator.once)
		n = add_callgrind(events, line, n);
	line[n++] = (char *)"--";
	memcpy(line + n, command, words * sizeof(*line));
	return line;
}

/* ---- files ---- */

static void read_columns(const char *names, int column[COLUMNS + 1])
{
	char *copy = need(strdup(names)), *rest = copy, *name;
	int n = 0, i;

	while (n < COLUMNS && (name = strtok_r(rest, " \n", &rest))) {
		for (i = 0; i < COLUMNS && strcmp(emulated_columns[i], name) != 0; i++)
			;
		column[n++] = i;
	}
	column[n] = -1;
	free(copy);
}

/* Zeros at the end are left out. */
static void add_totals(struct valgrind *valgrind, const char *text, const int *column)
{
	char *end;

	for (; *column >= 0; column++, text = end) {
		unsigned long long value = strtoull(text, &end, 10);

		if (end == text)
			break;
		if (*column < COLUMNS)
			valgrind->count[*column] += value;
	}
}

static void note_trigger(struct files *files, const char *trigger)
{
	if (!strncmp(trigger, "Program termination", 19))
		files->ends++;
	else if (strstr(trigger, "exec"))
		files->executions++;
	else
		files->forks++;
}

/* Keeps the last remark of a log, without "==PID==" before it. */
static void note_remark(struct valgrind *valgrind, const char *line)
{
	size_t n = strspn(line, "=-#0123456789 ");

	if (line[n] && line[n] != '\n')
		snprintf(valgrind->remark, sizeof(valgrind->remark), "%.*s",
			 (int)strcspn(line + n, "\n"), line + n);
}

/* A file that ends before its totals counts for nothing. */
static void read_file(struct valgrind *valgrind, FILE *file, bool is_log, struct files *files)
{
	int column[COLUMNS + 1] = { -1 };
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		if (!strncmp(line, "events: ", 8))
			read_columns(line + 8, column);
		else if (!strncmp(line, "desc: Trigger: ", 15))
			note_trigger(files, line + 15);
		else if (!strncmp(line, "totals:", 7))
			add_totals(valgrind, line + 7, column);
		else if (strstr(line, "Unrecognised instruction"))
			files->unknown = true;
		if (is_log)
			note_remark(valgrind, line);
	}
	free(line);
}

static bool is_of(const char *name, pid_t pid)
{
	char *end;

	return strtol(name, &end, 10) == pid && end > name && (*end == '.' || !*end);
}

/* Take the files of a process, which then stands still or is no more. */
static struct files take_files(struct valgrind *valgrind, pid_t pid)
{
	struct files files = { .ends = 0 };
	DIR *dir = opendir(directory);
	struct dirent *entry;
	FILE *file;
	int fd;

	while (dir && (entry = readdir(dir))) {
		if (!is_of(entry->d_name, pid))
			continue;
		fd = openat(dirfd(dir), entry->d_name,
			    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		file = fd < 0 ? NULL : fdopen(fd, "r");
		if (file)
			read_file(valgrind, file, strstr(entry->d_name, ".log"), &files);
		if (file)
			fclose(file);
		unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	return files;
}

/* ---- processes ---- */

static void doubt(struct valgrind *valgrind, const char *why)
{
	if (!valgrind->doubt)
		valgrind->doubt = why;
}

static struct process *find(const struct valgrind *valgrind, pid_t pid)
{
	struct process *process = valgrind->process;

	while (process && process->pid != pid)
		process = process->next;
	return process;
}

static struct process *add(struct valgrind *valgrind, pid_t pid)
{
	struct process *process = find(valgrind, pid);

	if (process)
		return process;
	process = need(calloc(1, sizeof(*process)));
	process->pid = pid;
	process->next = valgrind->process;
	valgrind->process = process;
	return process;
}

static bool is_process(pid_t pid)
{
	return syscall(SYS_tgkill, pid, pid, 0) == 0;
}

/* In callgrind a child begins with its parent's counts since the last file: next to none. */
static void forked(struct valgrind *valgrind, pid_t pid)
{
	struct process *parent = find(valgrind, pid);
	unsigned long child;

	if (ptrace(PTRACE_GETEVENTMSG, pid, NULL, &child) < 0 || !is_process((pid_t)child))
		return;
	if (parent && parent->emulated && !valgrind->emulator.once &&
	    !take_files(valgrind, pid).forks)
		doubt(valgrind,
		      "a process was created by no function of a C library's, so that what "
		      "came before counts twice");
	add(valgrind, (pid_t)child)->emulated = parent && parent->emulated;
}

/* Valgrind's own beginning, which executes the tool, is none of it. */
static bool executes_tool(const struct valgrind *valgrind, pid_t pid)
{
	char link[64], path[4096];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = '\0';
	name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	n = (ssize_t)strlen(valgrind->emulator.tool);
	return !strncmp(name, valgrind->emulator.tool, (size_t)n) && name[n] == '-';
}

static void executed(struct valgrind *valgrind, pid_t pid)
{
	struct process *process = add(valgrind, pid);

	if (process->emulated && !take_files(valgrind, pid).executions)
		doubt(valgrind,
		      "a program was executed by no function of a C library's, so that what "
		      "came before is missing");
	process->emulated = executes_tool(valgrind, pid);
}

/* Valgrind tells nobody what a process that still runs has counted since its last file. */
static bool leave(void *arg)
{
	const struct valgrind *valgrind = arg;
	const struct process *process;

	if (valgrind->waits && !trace_interrupted())
		return false;
	for (process = valgrind->process; process; process = process->next)
		trace_interrupt(process->pid);
	return true;
}

/* Forgets the processes that still run, and returns their number. */
static unsigned int forget_left(struct valgrind *valgrind)
{
	struct process *process;
	unsigned int n;

	for (n = 0; (process = valgrind->process); n++) {
		valgrind->process = process->next;
		free(process);
	}
	left_any |= n > 0;
	return n;
}

/* A thread that is not its process' first has no entry. */
static void ended(void *arg, pid_t pid)
{
	struct valgrind *valgrind = arg;
	struct process *process = find(valgrind, pid), **link = &valgrind->process;
	struct files files;

	if (!process)
		return;
	files = take_files(valgrind, pid);
	if (files.unknown)
		doubt(valgrind,
		      "valgrind does not know an instruction of a program, which got SIGILL");
	if (!process->emulated)
		doubt(valgrind, "valgrind could not follow a process");
	else if (!files.ends)
		doubt(valgrind, "a process was killed before valgrind wrote what it had counted");
	while (*link != process)
		link = &(*link)->next;
	*link = process->next;
	free(process);
}

static void stopped(void *arg, pid_t pid, int status)
{
	switch (status >> 16) {
	case PTRACE_EVENT_CLONE: /* a thread, or a process that ends without SIGCHLD */
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK: forked(arg, pid); break;
	case PTRACE_EVENT_EXEC: executed(arg, pid); break;
	}
}

static void set_readings(const struct valgrind *valgrind, struct events *events)
{
	unsigned int i;
	int column;

	for (i = 0; i < events->n; i++) {
		column = emulated_column(events, i);
		events->event[i].reading = (struct perfctr_reading){
			.value = column < 0 ? 0 : valgrind->count[column],
			.quality = column < 0 ? PERFCTR_NOT_COUNTED : PERFCTR_EXACT,
		};
	}
}

/* It has said why in its log, or before it had one. */
static void __attribute__((noreturn)) end_without_start(const struct valgrind *valgrind, int status)
{
	int code = WEXITSTATUS(status);

	if (code == EXIT_NOT_FOUND || code == EXIT_NOT_EXECUTABLE)
		exit(code);
	if (!*valgrind->remark)
		die("%s could not run the command, and ended with exit status %d",
		    valgrind->version, code);
	die("%s could not run the command: %s", valgrind->version, valgrind->remark);
}

/* ---- that it still runs ---- */

static volatile sig_atomic_t patience; /* seconds to the next line */

static void tell_patience(int signal)
{
	static const char text[] = "perfex: valgrind still runs the command\n";
	int error = errno;

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) > 0) /* else there is nobody to tell */
		alarm((unsigned int)(patience *= 2));
	errno = error;
}

/* Tells it on a terminal after 10 s, 30 s, 70 s ...; *old: for end_patience(). */
static void begin_patience(struct sigaction *old)
{
	const struct sigaction action = { .sa_handler = tell_patience, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, old);
	patience = 10;
	if (terminal_is_one(stderr))
		alarm((unsigned int)patience);
}

static void end_patience(const struct sigaction *old)
{
	alarm(0);
	sigaction(SIGALRM, old, NULL);
}

unsigned int valgrind_run(struct valgrind *valgrind, const struct child *child,
			  struct events *events, int *status, struct rusage *usage)
{
	const struct watcher watcher = { stopped, ended, leave, valgrind };
	struct sigaction old;

	memset(valgrind->count, 0, sizeof(valgrind->count));
	add(valgrind, child->pid);
	begin_patience(&old);
	trace_all(child, &watcher, status, usage);
	end_patience(&old);
	if (!valgrind->count[COLUMN_IR] && WIFEXITED(*status))
		end_without_start(valgrind, *status);
	set_readings(valgrind, events);
	return forget_left(valgrind);
}
