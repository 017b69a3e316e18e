// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fuzzes names of events: with libFuzzer (clang -fsanitize=fuzzer), or, compiled with -DSTANDALONE,
 * by the files named on the command line and a fixed number of mutations of them.
 */
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/names/resolve.h"
#include "lib/base/list.h"
#include "lib/isa/pmu.h"
#include "tests/harness/names.h"
#include "libperfctr.h"
#include "tests/harness/root.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An Alder Lake whose E-cores lie. */
static void make_liar(void)
{
	static char commas[3000];

	root_unpack("alderlake");
	memset(commas, ',', sizeof(commas));
	root_line("cpu_atom/cpus", "3-1,nonsense");
	root_line("cpu_atom/events/cycles", "cycles");
	root_line("cpu_atom/events/slots", "event=?,umask=0x1000,=,slots");
	root_line("cpu_atom/events/cpu_cycles", "event=0x11");
	root_line("cpu_atom/events/inst_retired", "cycles,event=");
	root_line("cpu_atom/events/br_retired/type", "4");
	root_file("cpu_atom/events/l1d_cache", commas, sizeof(commas));
	root_link("cpu_atom/events/loop", "loop");
	root_link("cpu_core/events/atom", "../../cpu_atom/events");
	root_line("cpu_atom/format/ldlat", "config1:15-0");
	atexit(root_remove);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const roots[] = {
		"roots/hostile",
		"roots/skylake",
		"sysfs/hybrid",
		NULL,
	};
	struct perfctr_list resolved;
	const char *srcdir = getenv("srcdir"), *machine, *list, *event;
	struct perfctr_variant variants[PERFCTR_VARIANTS_MAX];
	struct perf_event_attr attr;
	char text[256], path[4096];
	ssize_t length;
	int n;

	if (size == 0 || size >= sizeof(text))
		return 0;
	/* The first byte chooses the machine: a to d are the four. */
	machine = roots[(data[0] - 'a') & 3];
	snprintf(path, sizeof(path), "%s/tests/data/%s", srcdir ? srcdir : ".",
		 machine ? machine : "");
	if (!machine && !root[0])
		make_liar();
	setenv("PERFCTR_ROOT", machine ? path : root, 1);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	for (list = text; (length = perfctr_event_next(&list, &event)) > 0;) {
		if (event < text || event + length > text + size)
			abort();
		if (parse_event(event, (size_t)length, &attr) < 0) {
			if (!*perfctr_error())
				abort(); /* refused without a reason */
			continue;
		}
		n = parse_variants(event, (size_t)length, variants);
		if (n == 0 || n > PERFCTR_VARIANTS_MAX || (n < 0 && !*perfctr_error()))
			abort();
	}
	if (perfctr_list_init(&resolved, text, PERFCTR_LIST_COUNTED) == 0)
		perfctr_list_clear(&resolved);
	else if (!*perfctr_error())
		abort();
	return 0;
}

#ifdef STANDALONE

#include "tests/fuzz/standalone.h"

static size_t mutate(uint8_t *data, size_t size)
{
	return fuzz_bytes(data, size, "abcdehiloprstuvy0123456789xr/:,=-_.?{}*[]'DPW");
}

int main(int argc, char **argv)
{
	fuzz_seeds(argc, argv, 255, 1000, mutate);
	return 0;
}

#endif
