// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fuzzes the vendor's files: with libFuzzer (clang -fsanitize=fuzzer), or, compiled with
 * -DSTANDALONE, by the files named on the command line and a fixed number of mutations of them.
 *
 * The first character of an input chooses the processor.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arch/isa.h"
#include "lib/names/vendor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned long events;

/* What may be shown, and by whom an event is found, holds nothing else. */
static void check(const struct perfctr_vendor_event *event)
{
	const char *p;

	for (p = event->name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_.-:=", *p))
			abort();
	if (*event->name == ':' || (p > event->name && p[-1] == ':'))
		abort();
	for (p = event->text; *p; p++)
		if (*p < ' ' || *p > '~')
			abort();
	if (strlen(event->name) > 127 || strlen(event->text) > 160 || event->high > 0xFF0F)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const cpus[] = { "skylake", "zen4", "neoverse-n1", "goldencove" };
	struct perfctr_vendor vendor = { .own = true, .cpu = NULL };
	struct perfctr_cpu cpu;
	const char *reason;
	unsigned int line;
	char *text;
	size_t i;

	if (!size)
		return 0;
	perfctr_cpu_named(cpus[data[0] & 3], &cpu);
	vendor.cpu = &cpu;
	vendor.unit = data[0] & 4 ? "cpu_atom" : NULL;
	vendor.own = (data[0] & 8) != 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	reason = perfctr_vendor_read(&vendor, text, size - 1, &line);
	if (reason && ((vendor.n && !vendor.bad) || line > size))
		abort();
	perfctr_vendor_sort(&vendor);
	for (i = 0; i < vendor.n; i++)
		check(&vendor.events[i]);
	events += vendor.n;
	perfctr_vendor_free(&vendor);
	free(text);
	return 0;
}

#ifdef STANDALONE

#include "tests/fuzz/standalone.h"

static size_t mutate(uint8_t *data, size_t size)
{
	return fuzz_bytes(data, size, "{}[]\",:\\u0x19.-\n");
}

int main(int argc, char **argv)
{
	fuzz_seeds(argc, argv, 4096, 5000, mutate);
	printf("%lu events\n", events);
	return 0;
}

#endif
