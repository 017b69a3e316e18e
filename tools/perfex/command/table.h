/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * table.h - the one table of perfex's options: names, arguments, ranges, the modes that an option
 * belongs to, what it needs, what it can't be combined with, and its help. The parser, the help,
 * the shells' completions and the refusals are made of it.
 */
#ifndef PERFCTR_TOOLS_TABLE_H
#define PERFCTR_TOOLS_TABLE_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* When several are asked for, the last one of these is it, and the options of the others are wrong.
 */
enum mode {
	MODE_COUNT,
	MODE_SAMPLE,
	MODE_REGIONS,
	MODE_AS_LIBPFM4,
	MODE_FROM,
	MODE_LIST,
	MODE_INFO,
	MODE_CPU,     /* --cpu */
	MODE_METRICS, /* -M list */
	MODE_HELP,
	MODE_VERSION,
	MODES
};

/* In the order of the help. A word of an option's argument may be an option, too. */
enum option_id {
	OPTION_EVENT,
	OPTION_METRICS,
	OPTION_TOPDOWN,
	OPTION_TD_LEVEL,
	OPTION_WHY,
	OPTION_WHY_TREE,
	OPTION_DECIMAL,
	OPTION_HEX,
	OPTION_CONTROL, /* a word of the control, which has several names */

	OPTION_PID,
	OPTION_TID,
	OPTION_ALL_CPUS,
	OPTION_CPUS,
	OPTION_CGROUP,
	OPTION_NO_INHERIT,

	OPTION_PER,
	OPTION_PER_CPU,
	OPTION_PER_CORE,
	OPTION_PER_SOCKET,
	OPTION_PER_TYPE,
	OPTION_PER_UNIT,
	OPTION_PER_THREAD,

	OPTION_INTERVAL,
	OPTION_DELAY,
	OPTION_TIMEOUT,
	OPTION_WAIT,
	OPTION_STRICT,
	OPTION_EMULATE,

	OPTION_REPEAT,
	OPTION_INCLUDE_FAILED,
	OPTION_PRE,
	OPTION_POST,
	OPTION_COMPARE,
	OPTION_DIFF,
	OPTION_THRESHOLD,

	OPTION_SAMPLE,
	OPTION_BY,
	OPTION_CALL_GRAPH,
	OPTION_PERIOD,
	OPTION_FREQUENCY,

	OPTION_REGIONS,

	OPTION_OUTPUT,
	OPTION_APPEND,
	OPTION_FORMAT,
	OPTION_CSV,
	OPTION_JSON,
	OPTION_OPENMETRICS,
	OPTION_FOLDED,
	OPTION_FOLDED_THREADS,
	OPTION_PERF_DATA,
	OPTION_HTML,
	OPTION_FROM,

	OPTION_INFO,
	OPTION_LIST,
	OPTION_LONG_LIST,
	OPTION_CPU,
	OPTION_AS_LIBPFM4,
	OPTION_HELP,
	OPTION_VERSION,
	OPTIONS
};

/* What is known of an argument, for completions. */
enum argument {
	ARGUMENT_NONE,
	ARGUMENT_NUMBER,
	ARGUMENT_TEXT,
	ARGUMENT_FILE,
	ARGUMENT_EVENTS,
	ARGUMENT_METRICS,
	ARGUMENT_PROCESSES,
	ARGUMENT_PROCESSORS,
	ARGUMENT_CGROUP,
	ARGUMENT_COMMAND,
	ARGUMENT_CPU,	/* a name of a processor */
	ARGUMENT_WORD,	/* one of "words" */
	ARGUMENT_WORDS, /* a list of them; it may be missing */
};

/*
 * The option "word" is a word of the argument of "of", as csv is of --format. If it has a name or a
 * letter, these are short for it.
 */
struct option_row {
	const char *name; /* without dashes; NULL: none */
	const char *word; /* NULL: it is no word of another option */
	enum option_id of;
	const char *help;   /* NULL: the help is silent about it */
	const char *brief;  /* the help of an option of every day, in a line; NULL: it is none */
	const char *shows;  /* the argument's name in the help */
	const char *words;  /* of ARGUMENT_WORD and ARGUMENT_WORDS */
	unsigned int modes; /* of bits 1 << MODE_... */
	unsigned int least, most; /* of an argument that is a number */
	enum argument argument;
	char letter; /* 0: none */
};

/* A set of options, of bits 1 << OPTION_... */
typedef uint64_t option_set;

/* The row of an option. */
const struct option_row *table_row(enum option_id option);

/* The table as getopt_long() takes it, whose values are those of enum option_id, and its letters.
 */
const struct option *table_long(void);
const char *table_letters(void);

#define TABLE_CONTROL \
	1024 /* and above: what getopt_long() returns for a word of the control, by its offset */

/* Returns the option that getopt_long() has returned, by letter or name. */
enum option_id table_option(int returned);

/* Whether that was a name, with two dashes. */
bool table_is_name(int returned);

/*
 * Returns the option that a word of an option's argument is; the option itself if it has no such
 * words, or no argument (NULL). Exits if it has others only.
 */
enum option_id table_word(enum option_id option, const char *word);

/*
 * Returns the number that an option's argument is, 0 for an option without a number; exits if it is
 * out of range. "by_name" are the options that were given with two dashes.
 */
unsigned int table_number(enum option_id option, option_set by_name, const char *text);

/*
 * Exits if a mode does not take an option of the set, if two of them can't be combined, or if one
 * lacks another that it needs.
 */
void table_check(enum mode mode, option_set set, option_set by_name);

enum help {
	HELP_SHORT, /* options of every day */
	HELP_ALL,
	HELP_COMPLETIONS, /* an option a line, for completions of shells */
};

void table_help(FILE *file, enum help help);

#endif /* PERFCTR_TOOLS_TABLE_H */
