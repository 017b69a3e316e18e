// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfex - count hardware and software events of a command, or of a running process. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "die.h"
#include "driver.h"
#include "output.h"
#include "sample.h"

static const char no_command[] =
	"there is no command to run; \"perfex -h\" shows how to call perfex";

static const char usage[] =
	"usage: perfex [options] [--] command [argument ...]\n"
	"       perfex [options] -p PID | -a | -C LIST | -G CGROUP [command [argument ...]]\n"
	"       perfex -i | -l | -L | -h | --version\n"
	"\n"
	"  -e, --event LIST       count these events; may be repeated\n"
	"  -p, --pid PID          count a running process, while the command runs if there is one\n"
	"  -a, --all-cpus         count all processors; so, too, while the command runs\n"
	"  -C, --cpus LIST        count these processors, such as 0-3,8\n"
	"  -G, --cgroup NAME      count a cgroup\n"
	"      --per-thread       show each thread of the command or process\n"
	"      --no-inherit       count the command's first thread only, through the driver if there is\n"
	"                         one, and nothing that it creates\n"
	"  -I, --interval MS      show counts every MS milliseconds, too\n"
	"  -r, --repeat N         run the command N times; show mean and spread\n"
	"      --sample           show where the command is when an event (-e; cycles) happens\n"
	"  -c, --period N         with --sample: every N events\n"
	"  -F, --frequency N      with --sample: N times a second (1000)\n"
	"  -o, --output FILE      write results to FILE, not to standard error; %p is the process id\n"
	"      --csv, --json      write results for programs\n"
	"  -d, --decimal          event numbers are decimal unless they begin with 0x\n"
	"  -x, --hex              event numbers are hexadecimal: don't warn\n"
	"  -i, --info             show the processor and its counters\n"
	"  -l, --list             list the events of this machine\n"
	"  -L, --long-list        list them with descriptions, and tracepoints\n"
	"      --cpu NAME         for the processor NAME (\"list\" shows all): print the control of -e's\n"
	"                         events, or list its events with -l\n"
	"  -h, --help, --version  show this text, the version\n"
	"\n"
	"LIST is event,event,... or {event,event} for events to be counted together. An event is a name\n"
	"as \"perfex -l\" lists them (EVENT:MASK with unit masks), PMU/field=value,.../, rHEX, or\n"
	"evntsel[/evntsel2][@pmc] as numbers; behind it, modifiers: :u user mode, :k kernel mode.\n"
	"See perfex(1).\n";

enum {
	OPTION_CSV = 256,
	OPTION_JSON,
	OPTION_PER_THREAD,
	OPTION_NO_INHERIT,
	OPTION_VERSION,
	OPTION_CPU,
	OPTION_SAMPLE,
	OPTION_P4PE,
	OPTION_P4PMV,
	OPTION_MMCR0,
	OPTION_MMCR2,
	OPTION_OFFCORE0,
	OPTION_OFFCORE1,
};

static const struct option options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "pid", required_argument, NULL, 'p' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpus", required_argument, NULL, 'C' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "per-thread", no_argument, NULL, OPTION_PER_THREAD },
	{ "no-inherit", no_argument, NULL, OPTION_NO_INHERIT },
	{ "interval", required_argument, NULL, 'I' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "sample", no_argument, NULL, OPTION_SAMPLE },
	{ "period", required_argument, NULL, 'c' },
	{ "frequency", required_argument, NULL, 'F' },
	{ "output", required_argument, NULL, 'o' },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "decimal", no_argument, NULL, 'd' },
	{ "hex", no_argument, NULL, 'x' },
	{ "info", no_argument, NULL, 'i' },
	{ "list", no_argument, NULL, 'l' },
	{ "long-list", no_argument, NULL, 'L' },
	{ "cpu", required_argument, NULL, OPTION_CPU },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPTION_VERSION },
#if defined(PERFCTR_ABI_X86_H)
	{ "p4pe", required_argument, NULL, OPTION_P4PE },
	{ "p4_pebs_enable", required_argument, NULL, OPTION_P4PE },
	{ "p4pmv", required_argument, NULL, OPTION_P4PMV },
	{ "p4_pebs_matrix_vert", required_argument, NULL, OPTION_P4PMV },
	{ "nhlm_offcore_rsp_0", required_argument, NULL, OPTION_OFFCORE0 },
	{ "nhlm_offcore_rsp_1", required_argument, NULL, OPTION_OFFCORE1 },
#elif defined(PERFCTR_ABI_POWERPC_H)
	{ "mmcr0", required_argument, NULL, OPTION_MMCR0 },
	{ "mmcr2", required_argument, NULL, OPTION_MMCR2 },
#endif
	{ NULL, 0, NULL, 0 },
};

struct settings {
	struct events events;
	struct tasks tasks;
	struct output output;
	char **command;
	const char *file; /* -o; NULL: standard error */
	bool opened;
	struct perfctr_target *target; /* -p, -a, -C, -G */
	unsigned int ntargets;
	const char *target_option;
	bool per_thread, no_inherit, driver;
	unsigned int interval, repeat;
	bool sample;
	unsigned int period, frequency; /* 0: not given */
	struct sampling *sampling;
};

static unsigned int parse_count(const char *option, const char *text, unsigned int least,
				unsigned int most)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value < least || value > most)
		die("%s takes a number from %u to %u, not \"%s\"", option, least, most, text);
	return (unsigned int)value;
}

/* ---- -i, -l, -L ---- */

static int finish_stdout(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	die("can't write to standard output: %s", strerror(errno));
}

static int do_info(void)
{
	struct perfctr_info info;
	struct perfctr_cpus_info *cpus;

	if (perfctr_get_info(&info) < 0)
		die("%s", perfctr_error());
	cpus = perfctr_cpus_info(-1);
	printf("PerfCtr Info:\n");
	perfctr_info_print(&info);
	if (cpus)
		perfctr_cpus_info_print(cpus);
	free(cpus);
	return finish_stdout();
}

static int list_name(void *arg, const struct perfctr_event_name *name)
{
	const bool *with_text = arg;

	if (*with_text)
		printf("  %-40s %-10s %s\n", name->name, name->kind, name->description);
	else
		printf("  %s\n", name->name);
	return 0;
}

/* Another processor: its events, or the control that counts some of them. */
static int do_cpu(const char *cpu, const char *names, bool list, bool with_text)
{
	int result;

	if (!strcmp(cpu, "list")) {
		with_text = true;
		result = perfctr_cpu_list(list_name, &with_text);
	} else if (list) {
		result = perfctr_cpu_event_list(cpu, list_name, &with_text);
	} else if (names) {
		if (strpbrk(names, "{}"))
			die("--cpu counts all events together: leave out the braces");
		result = perfctr_cpu_events_print(cpu, names);
	} else {
		die("--cpu %s needs -e EVENT,... whose control is to be printed, or -l", cpu);
	}
	if (result < 0)
		die("%s", perfctr_error());
	return finish_stdout();
}

/* All lists given with -e, as one. */
static char *append_names(char *names, const char *list)
{
	size_t length = names ? strlen(names) : 0;

	names = need(realloc(names, length + strlen(list) + 2));
	sprintf(names + length, "%s%s", length ? "," : "", list);
	return names;
}

static int do_list(bool with_text)
{
	struct perfctr_info info;
	unsigned int n;

	if (perfctr_get_info(&info) < 0)
		die("%s", perfctr_error());
	n = perfctr_info_nrctrs(&info);
	printf("CPU type %s\n", perfctr_info_cpu_name(&info));
	printf("%s time-stamp counter available\n",
	       info.cpu_features & PERFCTR_FEATURE_RDTSC ? "One" : "No");
	printf("%u performance counter%s available\n", n, n == 1 ? "" : "s");
	printf("Overflow interrupts%s available\n",
	       info.cpu_features & PERFCTR_FEATURE_PCINT ? "" : " not");
	printf("\nEvents Available:\n");
	perfctr_event_list(NULL, list_name, &with_text);
	if (with_text)
		perfctr_event_list("tracepoint", list_name, &with_text);
	if (!n)
		printf("\nHardware events have names, but this machine has no counters for them; "
		       "perfctr-info(1) says why.\n");
	return finish_stdout();
}

/* ---- running ---- */

/* The name of the output file, with %p replaced. */
static char *file_name(const char *pattern, pid_t pid)
{
	size_t size = strlen(pattern) * 12 + 1, n = 0;
	char *name = need(malloc(size));

	for (; *pattern; pattern++) {
		if (*pattern == '%' && pattern[1] == 'p') {
			n += (size_t)snprintf(name + n, size - n, "%d", (int)pid);
			pattern++;
		} else {
			if (*pattern == '%' && pattern[1] == '%')
				pattern++;
			name[n++] = *pattern;
		}
	}
	name[n] = '\0';
	return name;
}

/*
 * Open the output before the command runs, so that it does not run in vain. What the file holds is
 * cut off only when there are results to replace it.
 */
static void open_output(struct settings *settings, pid_t pid)
{
	char *name;
	int fd;

	if (settings->opened)
		return;
	settings->opened = true;
	settings->output.file = stderr;
	if (!settings->file)
		return;
	name = file_name(settings->file, pid);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	settings->output.file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!settings->output.file) {
		int error = errno;

		if (settings->command)
			kill(pid, SIGKILL);
		die("%s can't be written: %s", name, strerror(error));
	}
	free(name);
}

static void started(void *arg, pid_t pid)
{
	struct settings *settings = arg;

	open_output(settings, pid);
	if (settings->interval && settings->file)
		ftruncate(fileno(settings->output.file), 0);
}

static void tick(void *arg, double seconds)
{
	struct settings *settings = arg;

	output_tick(&settings->output, &settings->events, seconds);
}

static void close_output(struct settings *settings)
{
	FILE *file = settings->output.file;
	struct stat stat;
	int failed;

	failed = fflush(file) != 0 || ferror(file);
	if (settings->file) {
		/* Cut off what an older, longer result left behind. */
		if (!failed && fstat(fileno(file), &stat) == 0 && S_ISREG(stat.st_mode))
			failed = ftruncate(fileno(file), lseek(fileno(file), 0, SEEK_CUR)) < 0;
		failed |= fclose(file) != 0;
	}
	if (failed)
		die("the results could not be written: %s", strerror(errno));
}

/* End as the command did. */
static int same_end(const struct outcome *outcome)
{
	struct rlimit none = { 0, 0 };

	if (!outcome->ran)
		return 0;
	if (WIFEXITED(outcome->status))
		return WEXITSTATUS(outcome->status);
	setrlimit(RLIMIT_CORE, &none);
	signal(WTERMSIG(outcome->status), SIG_DFL);
	raise(WTERMSIG(outcome->status));
	return 128 + WTERMSIG(outcome->status);
}

static int do_run(struct settings *settings)
{
	struct run what = {
		.events = &settings->events,
		.tasks = &settings->tasks,
		.command = settings->command,
		.target = settings->target,
		.ntargets = settings->ntargets,
		.per_thread = settings->per_thread,
		.first_thread = settings->no_inherit,
		.driver = settings->driver,
		.interval = settings->interval,
		.started = started,
		.tick = tick,
		.arg = settings,
	};
	struct outcome outcome, total = { 0, 0, 0, 0, false };
	unsigned int i;

	settings->output.command = settings->command;
	settings->output.pid = run_pid(&what);
	settings->output.first_thread = settings->driver || settings->no_inherit;
	for (i = 0; i < settings->repeat; i++) {
		if (i)
			events_close(&settings->events, &settings->tasks);
		if (i && settings->driver && !driver_try(&settings->events))
			driver_refuses(&settings->events, perfctr_error());
		outcome = run(&what);
		output_repeat(&settings->output, &settings->events);
		total.elapsed += outcome.elapsed;
		total.user += outcome.user;
		total.sys += outcome.sys;
		total.status = outcome.status;
		total.ran = outcome.ran;
		if (outcome.ran && !WIFEXITED(outcome.status))
			break; /* killed, as the later runs would be by an impatient user */
	}
	total.elapsed /= settings->output.repeats;
	total.user /= settings->output.repeats;
	total.sys /= settings->output.repeats;
	output_end(&settings->output, &settings->events, &settings->tasks, &total,
		   settings->per_thread);
	close_output(settings);
	events_close(&settings->events, &settings->tasks);
	events_free(&settings->events);
	output_free(&settings->output);
	free(settings->target);
	return same_end(&total);
}

/*
 * The driver counts one thread, so it is taken only where that is what is asked for: by
 * --no-inherit, or by forcing it.
 */
static void choose_provider(struct settings *settings)
{
	const char *wish = getenv("PERFCTR_PROVIDER"), *name = perfctr_provider_name(), *obstacle;
	bool forced = wish && !strcmp(wish, "driver");

	if (!name)
		die("%s", perfctr_error());
	if (strcmp(name, "driver") != 0 || !(forced || settings->no_inherit))
		return;
	obstacle = settings->sample	     ? "--sample"
		   : settings->target_option ? settings->target_option
		   : settings->per_thread    ? "--per-thread"
		   : settings->interval	     ? "-I"
					     : NULL;
	if (obstacle && forced)
		die("%s takes perf_events, but PERFCTR_PROVIDER=driver forbids them", obstacle);
	if (!obstacle) {
		obstacle = driver_control(&settings->events);
		if (obstacle && forced)
			die("the driver can't count these events (PERFCTR_PROVIDER=driver): %s",
			    obstacle);
	}
	if (obstacle)
		return;
	settings->driver = driver_try(&settings->events);
	/* What the driver refuses, perf_events may still count, unless they are forbidden. */
	if (!settings->driver && forced) {
		driver_refuses(&settings->events, perfctr_error());
		settings->driver = true;
	}
}

/* ---- --sample ---- */

static void sample_started(void *arg, pid_t pid)
{
	struct settings *settings = arg;

	open_output(settings, pid);
	sampling_open(settings->sampling, pid);
}

static void sample_tick(void *arg, double seconds)
{
	struct settings *settings = arg;

	(void)seconds;
	sampling_read(settings->sampling);
}

/* Nothing is counted; at each tick the buffers are emptied. */
static int do_sample(struct settings *settings, const char *event)
{
	struct run what = {
		.events = &settings->events,
		.tasks = &settings->tasks,
		.command = settings->command,
		.interval = 20,
		.started = sample_started,
		.tick = sample_tick,
		.arg = settings,
	};
	struct outcome outcome;

	if (settings->ntargets || settings->per_thread || settings->no_inherit ||
	    settings->interval || settings->repeat > 1 || settings->output.format != FORMAT_TABLE)
		die("--sample runs a command once and shows a table; it does not go with -p, -a, -C, "
		    "-G, -I, -r, --per-thread, --no-inherit, --csv or --json");
	if (settings->period && settings->frequency)
		die("-c and -F exclude each other");
	if (!settings->command)
		die(no_command);
	choose_provider(settings);
	settings->sampling = sampling_new(event, settings->period, settings->frequency);
	outcome = run(&what);
	sampling_print(settings->sampling, settings->output.file, settings->command);
	close_output(settings);
	sampling_free(settings->sampling);
	events_close(&settings->events, &settings->tasks);
	events_free(&settings->events);
	return same_end(&outcome);
}

static void set_control(struct settings *settings, int option, const char *text)
{
	struct perfctr_cpu_control *control = &settings->events.control;
	uint32_t value = events_number(&settings->events, text);

	(void)control, (void)value;
	switch (option) {
#if defined(PERFCTR_ABI_X86_H)
	case OPTION_P4PE: control->p4.pebs_enable = value; break;
	case OPTION_P4PMV: control->p4.pebs_matrix_vert = value; break;
	case OPTION_OFFCORE0: control->offcore_rsp[0] = value; break;
	case OPTION_OFFCORE1: control->offcore_rsp[1] = value; break;
#elif defined(PERFCTR_ABI_POWERPC_H)
	case OPTION_MMCR0: control->ppc.mmcr0 = value; break;
	case OPTION_MMCR2: control->ppc.mmcr2 = value; break;
#endif
	}
}

/* ---- -p, -a, -C, -G ---- */

/* One of the options, once. */
static void set_target_option(struct settings *settings, const char *option)
{
	if (settings->target_option && strcmp(settings->target_option, option) != 0)
		die("%s and %s exclude each other", settings->target_option, option);
	if (settings->target_option)
		die("%s is given twice", option);
	settings->target_option = option;
}

static void add_target(struct settings *settings, unsigned int type, int id, const char *cgroup)
{
	const struct perfctr_target target = { .type = type, .id = id, .cgroup = cgroup };

	settings->target =
		need(reallocarray(settings->target, settings->ntargets + 1, sizeof(target)));
	settings->target[settings->ntargets++] = target;
}

/* A list such as 0-3,8. */
static void add_processors(struct settings *settings, const char *list)
{
	const char *p = list;
	long first, last;
	unsigned int i;
	char *end;

	set_target_option(settings, "-C");
	for (;; p = end + 1) {
		first = last = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : -1;
		if (first >= 0 && *end == '-')
			last = isdigit((unsigned char)end[1]) ? strtol(end + 1, &end, 10) : -1;
		if (first < 0 || last < first || last > 8191 || (*end != ',' && *end))
			die("-C takes numbers of processors such as 0-3,8, not \"%s\"", list);
		for (; first <= last; first++) {
			for (i = 0; i < settings->ntargets && settings->target[i].id != first; i++)
				;
			if (i < settings->ntargets)
				die("-C names processor %ld twice", first);
			add_target(settings, PERFCTR_TARGET_CPU, (int)first, NULL);
		}
		if (!*end)
			break;
	}
	settings->output.target = "processors";
	settings->output.target_name = list;
}

static void set_format(struct settings *settings, enum format format)
{
	if (settings->output.format != FORMAT_TABLE && settings->output.format != format)
		die("--csv and --json exclude each other");
	settings->output.format = format;
}

int main(int argc, char **argv)
{
	struct settings settings = {
		.repeat = 1,
		.events.base16 = true,
		.events.counters = -1,
	};
	bool info = false, list = false, with_text = false;
	const char *cpu = NULL;
	char *names = NULL;
	int option, id;

	/* The '+': what follows the command's name is the command's. */
	while ((option = getopt_long(argc, argv, "+e:p:aC:G:I:r:c:F:o:dxilLh", options, NULL)) !=
	       -1) {
		switch (option) {
		case 'e': names = append_names(names, optarg); break;
		case OPTION_CPU: cpu = optarg; break;
		case 'p':
			id = (int)parse_count("-p", optarg, 1, 0x3FFFFFFF);
			set_target_option(&settings, "-p");
			add_target(&settings, PERFCTR_TARGET_PROCESS, id, NULL);
			break;
		case 'a':
			set_target_option(&settings, "-a");
			add_target(&settings, PERFCTR_TARGET_CPU, -1, NULL);
			settings.output.target = "processors";
			settings.output.target_name = "all";
			break;
		case 'C': add_processors(&settings, optarg); break;
		case 'G':
			set_target_option(&settings, "-G");
			add_target(&settings, PERFCTR_TARGET_CGROUP, 0, optarg);
			settings.output.target = "cgroup";
			settings.output.target_name = optarg;
			break;
		case OPTION_PER_THREAD: settings.per_thread = true; break;
		case OPTION_NO_INHERIT: settings.no_inherit = true; break;
		case 'I': settings.interval = parse_count("-I", optarg, 10, 86400000); break;
		case 'r': settings.repeat = parse_count("-r", optarg, 1, 1000000); break;
		case 'o': settings.file = optarg; break;
		case OPTION_SAMPLE: settings.sample = true; break;
		case 'c': settings.period = parse_count("-c", optarg, 1, 0xFFFFFFFF); break;
		case 'F': settings.frequency = parse_count("-F", optarg, 1, 1000000000); break;
		case OPTION_CSV: set_format(&settings, FORMAT_CSV); break;
		case OPTION_JSON: set_format(&settings, FORMAT_JSON); break;
		case 'd': settings.events.base16 = false; break;
		case 'x': settings.events.base16 = settings.events.base16_silently = true; break;
		case 'i': info = true; break;
		case 'l':
		case 'L':
			list = true;
			with_text |= option == 'L';
			break;
		case 'h': fputs(usage, stdout); return finish_stdout();
		case OPTION_VERSION:
			printf("perfex (libperfctr) %s\n", PACKAGE_VERSION);
			return finish_stdout();
		case '?':
			fputs("perfex: \"perfex -h\" shows all options\n", stderr);
			return EXIT_PERFEX;
		default: set_control(&settings, option, optarg);
		}
	}
	if (cpu && optind < argc)
		die("--cpu looks at a processor and runs nothing: leave out \"%s\"", argv[optind]);
	if (cpu && info)
		die("-i shows this machine's processor: leave out --cpu, or -i");
	if (cpu)
		return do_cpu(cpu, names, list, with_text);
	if (info)
		return do_info();
	if (list)
		return do_list(with_text);
	settings.command = optind < argc ? argv + optind : NULL;
	if (settings.sample) {
		int status = do_sample(&settings, names);

		free(names);
		return status;
	}
	if (settings.period || settings.frequency)
		die("-c and -F say how often to sample: add --sample");
	if (names)
		events_add(&settings.events, names);
	free(names);
	if (!settings.command && !settings.ntargets)
		die(no_command);
	if (settings.repeat > 1 &&
	    (!settings.command || settings.ntargets || settings.interval || settings.per_thread))
		die("-r runs a command several times; it does not go with -p, -a, -C, -G, -I or "
		    "--per-thread");
	if (settings.output.target && (settings.per_thread || settings.no_inherit))
		die("%s counts all threads: leave out --per-thread and --no-inherit",
		    settings.target_option);
	if (settings.per_thread && settings.interval)
		die("--per-thread and -I exclude each other");
	if (settings.per_thread && settings.no_inherit)
		die("--per-thread and --no-inherit exclude each other");
	events_finish(&settings.events);
	choose_provider(&settings);
	return do_run(&settings);
}
