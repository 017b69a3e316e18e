// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Count a command from outside, with all that it starts: command [PROGRAM [ARGUMENT...]]
 * Without arguments, /bin/true.
 */
#include <libperfctr.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child waits for the byte that says that its events are open. */
static pid_t start(char **command, int *go)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			execvp(command[0], command);
		_exit(127);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static void show(const struct perfctr_set *set, const struct perfctr_reading *reading)
{
	unsigned int i;

	for (i = 0; i < perfctr_set_size(set); i++)
		printf("%-16s %12llu  %s\n", perfctr_set_name(set, i),
		       (unsigned long long)perfctr_reading_estimate(&reading[i]),
		       perfctr_quality_name(reading[i].quality));
}

int main(int argc, char **argv)
{
	static char program[] = "/bin/true";
	static char *nothing[] = { program, NULL };
	struct perfctr_target target = { .type = PERFCTR_TARGET_PROCESS };
	struct perfctr_processes processes;
	struct perfctr_reading reading[2];
	struct perfctr_set *set;
	int go, status;

	target.id = start(argc > 1 ? argv + 1 : nothing, &go);
	if (target.id < 0) {
		perror("start");
		return 1;
	}
	/* Counting starts at the execve(2): what the child did as a copy of this program is left
	 * out. */
	set = perfctr_set_open("task-clock,page-faults:u", &target,
			       PERFCTR_ON_EXEC | PERFCTR_INHERIT);
	if (!set)
		fprintf(stderr, "%s\n", perfctr_error());
	if (write(go, "", 1) != 1)
		perror("write");
	close(go);
	waitpid(target.id, &status, 0);
	if (!set)
		return 1;
	if (perfctr_set_read(set, reading) == 0)
		show(set, reading);
	/* What it has left in the background is counted up to now. */
	if (perfctr_set_processes(set, &processes) == 0 && processes.running)
		fprintf(stderr, "%u processes, %s, still run\n", processes.running,
			processes.exactly ? "no more" : "or more");
	/* A program that may not be traced is not counted to its end. */
	if (perfctr_set_check(set) < 0)
		fprintf(stderr, "%s\n", perfctr_error());
	perfctr_set_close(set);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
