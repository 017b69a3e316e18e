/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options.h - what the command line asks for. */
#ifndef PERFCTR_TOOLS_OPTIONS_H
#define PERFCTR_TOOLS_OPTIONS_H

#include "events.h"
#include "output.h"
#include "targets.h"

/* Of several that are asked for, the last one here. */
enum mode {
	MODE_COUNT,
	MODE_SAMPLE,
	MODE_LIST,
	MODE_INFO,
	MODE_CPU, /* --cpu */
	MODE_HELP,
	MODE_VERSION,
};

struct options {
	enum mode mode;
	struct events events; /* MODE_COUNT: looked up; MODE_SAMPLE, MODE_CPU: names only */
	struct targets targets;
	char **command; /* NULL: none */
	const char *file;
	enum format format;
	bool per_thread, no_inherit;
	unsigned int interval, repeat;	/* 0, 1: not given */
	unsigned int period, frequency; /* 0: not given */
	const char *cpu;
	bool info, list, with_text; /* -i, -l or -L, -L */
};

extern const char options_help[];

/* Exits if the options are wrong, or don't go together. */
void options_read(struct options *options, int argc, char **argv);

void options_free(struct options *options);

#endif /* PERFCTR_TOOLS_OPTIONS_H */
