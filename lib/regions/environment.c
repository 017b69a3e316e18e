// SPDX-License-Identifier: LGPL-2.1-or-later
/* Measures regions if the environment says so (PERFCTR_REGIONS), and reports them at exit. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/regions/print.h"
#include "lib/regions/arena.h"
#include "lib/regions/state.h"

const char perfctr_link_environment = 0;

static unsigned int format_at_exit;
static char *file_at_exit;
static pid_t process; /* the process that was switched on, or a child of it that continues */

/*
 * Prints a warning and lets the program go on, since the user asked for this and not the program.
 */
static void say(const char *variable)
{
	struct perfctr_text text = { NULL, 0, 0, false };

	perfctr_text_add(&text, "libperfctr: %s: %s\n", variable, perfctr_error());
	perfctr_text_write(&text, NULL);
	free(text.bytes);
}

/*
 * Whether no region has been reached, not even by a thread that could not be counted, or a child
 * that has no report.
 */
static bool is_untouched(void)
{
	const unsigned long *children = perfctr_regions.children;

	return !perfctr_regions.named &&
	       !__atomic_load_n(&perfctr_regions.left_out, __ATOMIC_RELAXED) &&
	       !(children && __atomic_load_n(children, __ATOMIC_RELAXED));
}

/* Another thread may fork meanwhile: its child must not find the arenas' lock taken. */
static void remove_file(void (*remove)(void))
{
	sigset_t old;

	perfctr_regions_lock(&old);
	remove();
	perfctr_regions_unlock(&old);
}

static void report_at_exit(void)
{
	/* A child that measures itself would write the parent's file. */
	if (process != getpid())
		return;
	if (!perfctr_regions.measured || is_untouched()) {
		remove_file(perfctr_arenas_forget_none);
		return; /* a program without regions has no report */
	}
	perfctr_regions_stop();
	if (perfctr_regions_report_to(file_at_exit, format_at_exit) < 0) {
		say("PERFCTR_REGIONS_OUTPUT"); /* the file stays: perfex may still report it */
		return;
	}
	if (!perfctr_arenas_are_left())
		perfctr_regions_count_child(-1);
	remove_file(perfctr_arenas_forget);
}

typedef const char three_words[3][12];

/* Returns the word's index; -1 after perfctr_fail(EINVAL). */
static int find_word(three_words words, const char *word, size_t length)
{
	int i;

	for (i = 0; i < 3; i++)
		if (strlen(words[i]) == length && !strncmp(words[i], word, length))
			return i;
	return perfctr_fail(EINVAL, "\"%.*s\" is none of %s, %s, %s",
			    length > 100 ? 100 : (int)length, word, words[0], words[1], words[2]);
}

static int read_keep(unsigned int *keep)
{
	static three_words words = { "moments", "histogram", "threads" };
	const char *list = secure_getenv("PERFCTR_REGIONS_KEEP");

	while (list && *list) {
		size_t length = strcspn(list, ",");
		int word = find_word(words, list, length);

		if (word < 0)
			return -1;
		*keep |= 1u << word;
		list += length + (list[length] == ',');
	}
	return 0;
}

/* Errors are not reported: the program that made the directory sees whether there is a file. */
static void leave(void)
{
	const char *directory = secure_getenv("PERFCTR_REGIONS_LEFT");

	if (directory && *directory == '/')
		perfctr_arenas_leave(directory);
}

static int read_format(void)
{
	static three_words words = { "table", "csv", "json" };
	const char *format = secure_getenv("PERFCTR_REGIONS_FORMAT");
	int word = format ? find_word(words, format, strlen(format)) : 0;

	format_at_exit = (unsigned int)word;
	return word < 0 ? -1 : 0;
}

/* The name is made at the start, so that an error in it shows at once. */
static int read_file(void)
{
	const char *pattern = secure_getenv("PERFCTR_REGIONS_OUTPUT");
	struct perfctr_text name = { NULL, 0, 0, false };

	if (!pattern)
		return 0;
	if (perfctr_text_name(&name, pattern, getpid()) < 0) {
		free(name.bytes);
		return -1;
	}
	file_at_exit = name.bytes;
	return 0;
}

/* Gives a child's report a file of its own if the pattern has none for it. False: no memory. */
static bool name_file(void)
{
	struct perfctr_text name = { NULL, 0, 0, false };
	const char *parents = file_at_exit;

	file_at_exit = NULL;
	if (read_file() < 0)
		return false;
	if (!file_at_exit || strcmp(file_at_exit, parents) != 0 ||
	    perfctr_call_is_special(file_at_exit))
		return true;
	perfctr_text_add(&name, "%s.%d", file_at_exit, (int)getpid());
	free(file_at_exit);
	file_at_exit = name.bytes;
	return !name.failed;
}

/* A child of fork() reports at its exit, or perfex reports in its place from the file that it left.
 */
static bool begin_in_child(void)
{
	process = getpid();
	leave();
	return name_file();
}

__attribute__((constructor)) static void begin_by_environment(void)
{
	const char *events = secure_getenv("PERFCTR_REGIONS"), *wrong;
	int error = errno;
	unsigned int keep = PERFCTR_REGIONS_USER_FALLBACK;

	if (!events)
		return;
	process = getpid();
	leave();
	wrong = read_keep(&keep) < 0 ? "PERFCTR_REGIONS_KEEP"
		: read_format() < 0  ? "PERFCTR_REGIONS_FORMAT"
		: read_file() < 0    ? "PERFCTR_REGIONS_OUTPUT"
		: perfctr_regions_start_metrics(events, secure_getenv("PERFCTR_REGIONS_METRICS"),
						keep) < 0 ||
				atexit(report_at_exit) != 0
			? "PERFCTR_REGIONS"
			: NULL;
	if (wrong) {
		remove_file(perfctr_arenas_forget);
		say(wrong);
	} else {
		perfctr_regions.begin_report = begin_in_child;
	}
	errno = error;
}
