/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options.h - the options of the command line. */
#ifndef PERFCTR_TOOLS_OPTIONS_H
#define PERFCTR_TOOLS_OPTIONS_H

#include "tools/perfex/command/table.h"
#include "tools/perfex/count/events.h"
#include "tools/perfex/count/targets.h"
#include "tools/perfex/report/baseline.h"
#include "tools/perfex/report/output.h"
#include "tools/perfex/sample/histogram.h"

struct options {
	enum mode mode;
	option_set given, by_name; /* options of the line; those written with two dashes */
	struct events
		events; /* MODE_COUNT: looked up; MODE_SAMPLE, MODE_REGIONS, MODE_CPU: names only */
	struct targets targets;
	char **line;	/* all words */
	char **command; /* NULL: none */
	const char *file;
	const char *page; /* --html; NULL: not given */
	enum format format;
	enum place_kind kind; /* --by */
	enum by by;
	bool no_inherit, append, strict, wait, diff, emulate, by_place, with_failed;
	const char *baseline;		/* --compare; NULL: not given */
	struct baseline before;		/* the contents of the baseline's file */
	const char *pre, *post;		/* shell commands; NULL: not given */
	const char *keep;		/* --regions=; NULL: sums alone */
	double threshold;		/* --threshold, as a part */
	bool topdown, drilldown, why;	/* --why is all of them, --why=tree the first two */
	unsigned int td_level;		/* of --topdown; 0: not given */
	unsigned int interval, repeat;	/* 0: not given */
	unsigned int delay, timeout;	/* 0: not given */
	unsigned int period, frequency; /* 0: not given */
	const char *calls;		/* --call-graph; NULL: not given */
	bool threads;			/* --format=folded-threads */
	uint32_t stack; /* bytes of the stack for DWARF's chains; 0: frame pointers */
	const char *cpu;
	const char *base;     /* the error for -d or -x without numbers; NULL: none */
	bool list, with_text; /* -l or -L, -L */
	enum help help;
};

/* The option that asks for a tree; there is one. */
static inline const char *options_tree(const struct options *options)
{
	return options->why ? "--why" : options->drilldown ? "--why=tree" : "--topdown";
}

/* Exits if the options are wrong, or don't go together. */
void options_read(struct options *options, int argc, char **argv);

void options_free(struct options *options);

#endif /* PERFCTR_TOOLS_OPTIONS_H */
