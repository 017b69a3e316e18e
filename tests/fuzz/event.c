// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fuzzes names of events: with libFuzzer (clang -fsanitize=fuzzer), or, compiled with -DSTANDALONE,
 * by the files named on the command line and a fixed number of mutations of them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const roots[] = { "skylake", "hostile" };
	const char *srcdir = getenv("srcdir"), *list, *event;
	struct perf_event_attr attr;
	char text[256], path[4096];
	ssize_t length;

	if (size == 0 || size >= sizeof(text))
		return 0;
	/* The first byte chooses the machine. */
	snprintf(path, sizeof(path), "%s/tests/data/roots/%s", srcdir ? srcdir : ".", roots[data[0] & 1]);
	setenv("PERFCTR_ROOT", path, 1);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	for (list = text; (length = perfctr_event_next(&list, &event)) > 0; ) {
		if (event < text || event + length > text + size)
			abort();
		if (perfctr_event_parse(event, (size_t)length, &attr) < 0 && !*perfctr_error())
			abort();	/* refused without a reason */
	}
	return 0;
}

#ifdef STANDALONE

/* xorshift64: the same numbers in every run. */
static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

int main(int argc, char **argv)
{
	static const char letters[] = "abcdehiloprstuvy0123456789xr/:,=-_.?";
	uint64_t state = 88172645463325252u;
	uint8_t seed[256], data[256];
	unsigned int round;
	size_t size, k, n;
	FILE *file;
	int i;

	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "rb");
		if (!file) {
			perror(argv[i]);
			return 1;
		}
		size = fread(seed, 1, sizeof(seed) - 1, file);
		fclose(file);
		LLVMFuzzerTestOneInput(seed, size);
		for (round = 0; round < 2000; round++) {
			memcpy(data, seed, size);
			for (n = (size_t)(next(&state) % 4); n < 4 && size; n++) {
				k = (size_t)(next(&state) % size);
				data[k] = (uint8_t)(next(&state) % 8 ?
						    letters[next(&state) % (sizeof(letters) - 1)] :
						    (char)next(&state));
			}
			LLVMFuzzerTestOneInput(data, size);
		}
	}
	printf("%d seeds, %d inputs\n", argc - 1, (argc - 1) * 2001);
	return 0;
}

#endif
