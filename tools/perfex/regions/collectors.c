// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/child.h"
#include "tools/perfex/regions/collectors.h"
#include "tools/perfex/sample/elf.h"

/* ---- words ---- */

static const struct word {
	const char *name;
	unsigned int collector; /* 0: what is kept */
} words[] = {
	{ "moments", 0 },
	{ "histogram", 0 },
	{ "threads", 0 },
	{ "openmp", COLLECT_OPENMP },
	{ "kokkos", COLLECT_KOKKOS },
	{ "mpi", COLLECT_MPI },
};

#define NWORDS (sizeof(words) / sizeof(words[0]))

/* Exits if there is no such word. */
static const struct word *find_word(const char *text, size_t length)
{
	char known[100] = "";
	size_t i;

	for (i = 0; i < NWORDS; i++)
		if (strlen(words[i].name) == length && !strncmp(words[i].name, text, length))
			return &words[i];
	for (i = 0; i < NWORDS; i++) {
		strcat(known, i ? ", " : "");
		strcat(known, words[i].name);
	}
	die("--regions=: \"%.*s\" is none of %s", length > 100 ? 100 : (int)length, text, known);
}

char *collectors_read(const char *text, unsigned int *which)
{
	char *keep = need(calloc(1, (text ? strlen(text) : 0) + 2)), *end = keep;
	size_t length;

	*which = 0;
	for (; text && *text; text += length + (text[length] == ',')) {
		const struct word *word;

		length = strcspn(text, ",");
		word = find_word(text, length);
		*which |= word->collector;
		if (!word->collector)
			end += sprintf(end, "%s%.*s", end > keep ? "," : "", (int)length, text);
	}
	if (*keep)
		return keep;
	free(keep);
	return NULL;
}

/* ---- libraries ---- */

/*
 * Returns the file of a collector, for the caller to free; "variable" has it, in which these
 * characters end a name.
 */
static char *find_library(const char *name, const char *variable, const char *separators)
{
	const char *directory = getenv("PERFEX_COLLECTORS"), *at;
	char *file;

	if (!directory || !*directory)
		directory = PKGLIBDIR;
	if (asprintf(&file, "%s/libperfctr-%s.so", directory, name) < 0)
		need(NULL);
	if (access(file, R_OK) < 0)
		die("--regions=%s: %s: %s; \"make install\" puts it there, and PERFEX_COLLECTORS "
		    "names another directory",
		    name, file, strerror(errno));
	at = strpbrk(file, separators);
	if (at)
		die("--regions=%s: %s can't be loaded: the \"%c\" in its name ends it in %s; "
		    "PERFEX_COLLECTORS names another directory",
		    name, file, *at, variable);
	return file;
}

static void set(const char *variable, char *value)
{
	if (setenv(variable, value, 1) < 0)
		need(NULL);
	free(value);
}

static void set_library(const char *variable, const char *name, const char *separators)
{
	set(variable, find_library(name, variable, separators));
}

/* ---- OpenMP ---- */

/* Whether LLVM's runtime serves the command in place of another one. */
static bool is_preloaded(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && (strstr(preload, "libomp") || strstr(preload, "libiomp"));
}

static bool needs(const struct elf_program *program, const char *library)
{
	return program->needed && strstr(program->needed, library);
}

/* Starts a program whose output the caller reads, and which has no errors. -1: it can't. */
static pid_t start_to_read(char *const *argv, FILE **output)
{
	posix_spawn_file_actions_t actions;
	pid_t pid = -1;
	int pipe[2];

	if (pipe2(pipe, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(pipe[1]);
	*output = pid < 0 ? NULL : fdopen(pipe[0], "r");
	if (!*output)
		close(pipe[0]);
	return pid;
}

/*
 * Lists the libraries that a program would have at its start, those that its libraries need among
 * them: its dynamic linker finds them, glibc's and musl's alike, without executing the program.
 * Returns a line for each, which begins with a tab; NULL: not known.
 */
static char *list_libraries(const struct elf_program *program, const char *file)
{
	char list[] = "--list", *argv[] = { program->linker, list, (char *)(uintptr_t)file, NULL };
	char *text = NULL;
	FILE *output = NULL;
	size_t size = 0;
	pid_t pid;

	if (!program->linker || access(program->linker, X_OK) < 0)
		return NULL;
	pid = start_to_read(argv, &output);
	if (output && getdelim(&text, &size, '\0', output) < 0) {
		free(text);
		text = NULL;
	}
	if (output)
		fclose(output);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return text;
}

static void refuse_other(const char *collector, const char *variable)
{
	const char *other = getenv(variable);

	if (other && *other)
		die("--regions=%s: %s has another tool (%s), and a program has but one: unset it",
		    collector, variable, other);
}

/* Constructs of libraries over GCC's runtime are not seen beside those of LLVM's. */
static void check_runtimes(const char *command, const char *file, const struct elf_program *program)
{
	char *libraries = list_libraries(program, file);
	bool gnu = needs(program, "libgomp.so") || (libraries && strstr(libraries, "\tlibgomp.so"));
	bool llvm = needs(program, "libomp.so") ||
		    (libraries &&
		     (strstr(libraries, "\tlibomp.so") || strstr(libraries, "\tlibiomp5.so")));

	free(libraries);
	if (!gnu || is_preloaded())
		return;
	if (!llvm)
		die("--regions=openmp: %s uses GCC's libgomp, which tells tools nothing (it has no "
		    "OMPT); LLVM's libomp serves it as well: LD_PRELOAD=libomp.so.5 perfex ...",
		    command);
	say("--regions=openmp: %s uses GCC's libgomp beside LLVM's libomp: its constructs are not "
	    "measured; LLVM's serves all with LD_PRELOAD=libomp.so.5",
	    command);
}

static void check_openmp(const char *command, const char *file, const struct elf_program *program)
{
	const char *on = getenv("OMP_TOOL");

	refuse_other("openmp", "OMP_TOOL_LIBRARIES");
	if (on && !strcmp(on, "disabled"))
		die("--regions=openmp: OMP_TOOL=disabled keeps all tools out: unset it");
	check_runtimes(command, file, program);
}

static void check_mpi(const char *command, const struct elf_program *program)
{
	if (program->defines)
		die("--regions=mpi: %s has MPI in itself, linked statically, and its calls can't be "
		    "seen: link it with MPI's shared library",
		    command);
	if (needs(program, "libmpi.so") && needs(program, "libmpich.so"))
		die("--regions=mpi: %s is linked with two MPIs, Open MPI's libmpi and MPICH's "
		    "libmpich: link it with one",
		    command);
}

/* ---- all ---- */

void collectors_check(unsigned int which, const char *command)
{
	char *file = child_find(command);
	struct elf_program program = { .needed = NULL };

	if (which && file)
		elf_read_program(&program, file, "MPI_Init");
	if (which && program.is_static)
		die("--regions=: %s is linked statically, and no library can be loaded into it",
		    command);
	if (which & COLLECT_OPENMP)
		check_openmp(command, file, &program);
	if (which & COLLECT_KOKKOS) {
		refuse_other("kokkos", "KOKKOS_TOOLS_LIBS");
		refuse_other("kokkos", "KOKKOS_PROFILE_LIBRARY");
	}
	if (which & COLLECT_MPI)
		check_mpi(command, &program);
	free(program.needed);
	free(program.linker);
	free(file);
}

/* Loads a library before those that the program is linked with. */
static void preload(char *file)
{
	const char *before = getenv("LD_PRELOAD");
	char *all;

	if (asprintf(&all, "%s%s%s", file, before ? ":" : "", before ? before : "") < 0)
		need(NULL);
	set("LD_PRELOAD", all);
	free(file);
}

void collectors_set(unsigned int which)
{
	if (which & COLLECT_OPENMP)
		set_library("OMP_TOOL_LIBRARIES", "openmp", ":");
	if (which & COLLECT_KOKKOS) {
		set_library("KOKKOS_TOOLS_LIBS", "kokkos", ";");
		set_library("KOKKOS_PROFILE_LIBRARY", "kokkos", ";"); /* before Kokkos 4 */
	}
	if (which & COLLECT_MPI)
		preload(find_library("mpi", "LD_PRELOAD", " :"));
}

const char *collectors_need(unsigned int which)
{
	switch (which) {
	case 0: return "";
	case COLLECT_OPENMP:
		return ", or use OpenMP by a runtime with OMPT, as LLVM's libomp is (it serves "
		       "GCC's programs with LD_PRELOAD=libomp.so.5)";
	case COLLECT_KOKKOS: return ", or with Kokkos, and its tools (Kokkos_ENABLE_LIBDL)";
	case COLLECT_MPI: return ", or with MPI, as a shared library";
	default: return ", or with what --regions= names";
	}
}
