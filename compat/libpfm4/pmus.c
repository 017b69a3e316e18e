// SPDX-License-Identifier: LGPL-2.1-or-later
/* PMUs under libpfm4's names and numbers. */
#include <pthread.h>
#include <string.h>
#include <libperfctr.h>
#include "compat/libpfm4/abi.h"
#include "compat/libpfm4/pmus.h"

#define COUNT(array) (int)(sizeof(array) / sizeof((array)[0]))

static int small(char c)
{
	return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

bool pmus_same_letters(const char *a, const char *b, size_t n)
{
	while (n && *a && small(*a) == small(*b)) {
		a++;
		b++;
		n--;
	}
	return n == 0;
}

bool pmus_same_name(const char *name, const char *word, size_t length)
{
	return pmus_same_letters(name, word, length) && !name[length];
}

/* The last number that libpfm4 4.13 has. */
enum { LAST = 516 };

/* By number. Of several with the same table the first is this machine's. */
static const struct pmu rows[] = {
	{ 6, "p6", "piii", OF_INTEL, 2, 0 },
	{ 7, "netburst", "p4", OF_INTEL, 18, 0 },
	{ 8, "netburst_p", "p4m3", OF_INTEL, 18, 0 },
	{ 9, "coreduo", "core", OF_INTEL, 2, 0 },
	{ 10, "pm", "pentium_m", OF_INTEL, 2, 0 },
	{ 11, "core", "core2", OF_INTEL, 2, 3 },
	{ 12, "ppro", "ppro", OF_INTEL, 2, 0 },
	{ 13, "pii", "pii", OF_INTEL, 2, 0 },
	{ 14, "atom", "bonnell", OF_INTEL | OF_THREADS | OF_EDGES, 2, 3 },
	{ 15, "nhm", "nehalem_ep", OF_INTEL | OF_THREADS, 4, 3 },
	{ 16, "nhm_ex", "nehalem_ex", OF_INTEL | OF_THREADS, 4, 3 },
	{ 18, "ix86arch", "architectural", OF_INTEL | OF_EDGES, 0, 0 },
	{ 51, "perf", NULL, OF_KERNEL, 0, 0 },
	{ 52, "wsm", "westmere_sp", OF_INTEL | OF_THREADS, 4, 3 },
	{ 53, "wsm_dp", "westmere_dp", OF_INTEL | OF_THREADS, 4, 3 },
	{ 55, "amd64_k7", "k7", OF_AMD, 4, 0 },
	{ 56, "amd64_k8_revb", "k8_b", OF_AMD, 4, 0 },
	{ 57, "amd64_k8_revc", "k8_c", OF_AMD, 4, 0 },
	{ 62, "amd64_fam10h_barcelona", "fam10h", OF_AMD | OF_GUESTS, 4, 0 },
	{ 68, "snb", "sandybridge", OF_INTEL | OF_THREADS, 8, 3 },
	{ 69, "amd64_fam14h_bobcat", "fam14h", OF_AMD | OF_GUESTS, 4, 0 },
	{ 70, "amd64_fam15h_interlagos", "fam15h", OF_AMD | OF_GUESTS, 6, 0 },
	{ 71, "snb_ep", "jaketown", OF_INTEL | OF_THREADS, 8, 3 },
	{ 72, "amd64_fam12h_llano", "fam12h", OF_AMD | OF_GUESTS, 4, 0 },
	{ 73, "amd64_fam11h_turion", "fam11h", OF_AMD | OF_GUESTS, 4, 0 },
	{ 74, "ivb", "ivybridge", OF_INTEL | OF_THREADS, 8, 3 },
	{ 103, "ivb_ep", "ivytown", OF_INTEL | OF_THREADS, 8, 3 },
	{ 104, "hsw", "haswell", OF_INTEL | OF_THREADS | OF_TSX, 8, 3 },
	{ 109, "power8", "power8", OF_OTHER, 6, 0 },
	{ 111, "slm", "silvermont", OF_INTEL | OF_EDGES, 4, 3 },
	{ 114, "perf_raw", NULL, OF_RAW, 0, 0 },
	{ 151, "arm_ac57", "cortex-a57", OF_OTHER, 6, 0 },
	{ 152, "arm_ac53", "cortex-a53", OF_OTHER, 6, 0 },
	{ 154, "hsw_ep", "haswellx", OF_INTEL | OF_THREADS | OF_TSX, 8, 3 },
	{ 155, "bdw", "broadwell", OF_INTEL | OF_THREADS | OF_TSX, 8, 3 },
	{ 200, "skl", "skylake", OF_INTEL | OF_THREADS | OF_TSX, 8, 3 },
	{ 201, "bdw_ep", "broadwellx", OF_INTEL | OF_THREADS | OF_TSX, 8, 3 },
	{ 202, "glm", "goldmont", OF_INTEL | OF_EDGES, 4, 3 },
	{ 203, "knl", "knightslanding", OF_INTEL | OF_THREADS, 2, 3 },
	{ 268, "power9", "power9", OF_OTHER, 6, 0 },
	{ 318, "amd64_fam16h", "fam16h", OF_AMD | OF_GUESTS, 4, 0 },
	{ 319, "skx", "skylakex", OF_INTEL | OF_THREADS | OF_TSX, 8, 3 },
	{ 371, "knm", "knightslanding", OF_INTEL | OF_THREADS, 2, 3 },
	{ 436, "arm_thunderx2", "thunderx2", OF_OTHER, 6, 0 },
	{ 437, "clx", "cascadelakex", OF_INTEL | OF_THREADS | OF_TSX, 8, 3 },
	{ 444, "amd64_fam17h_zen1", "zen1", OF_AMD | OF_GUESTS, 6, 0 },
	{ 445, "amd64_fam17h_zen2", "zen2", OF_AMD | OF_GUESTS, 6, 0 },
	{ 446, "tmt", "snowridgex", OF_INTEL | OF_EDGES, 4, 3 },
	{ 447, "icl", "icelake", OF_INTEL | OF_TSX, 16, 4 },
	{ 448, "arm_a64fx", "a64fx", OF_OTHER, 8, 0 },
	{ 449, "arm_n1", "neoverse-n1", OF_OTHER, 6, 0 },
	{ 450, "amd64_fam19h_zen3", "zen3", OF_AMD | OF_GUESTS, 6, 0 },
	{ 453, "icx", "icelakex", OF_INTEL | OF_TSX, 16, 4 },
	{ 454, "arm_n2", "neoverse-n2", OF_OTHER, 6, 0 },
	{ 455, "arm_kunpeng", "kunpeng-920", OF_OTHER, 12, 1 },
	{ 512, "spr", "sapphirerapids", OF_INTEL | OF_TSX, 16, 4 },
	{ 513, "power10", "power10", OF_OTHER, 6, 0 },
	{ 514, "amd64_fam19h_zen4", "zen4", OF_AMD | OF_GUESTS, 6, 0 },
	{ 515, "arm_v1", "neoverse-v1", OF_OTHER, 6, 0 },
	{ LAST, "arm_v2", "neoverse-v2", OF_OTHER, 6, 0 },
};

/* A processor that libpfm4 does not know has the next number, and libperfctr's id as its name. */
static struct pmu other = { .number = LAST + 1 };
static const struct pmu *native;
static const char *native_name;

static void look(void)
{
	struct perfctr_info info;
	const char *id;
	int i;

	if (perfctr_cpu_native(&id, &native_name) < 0 || !id[0])
		return;
	for (i = 0; i < COUNT(rows) && !native; i++)
		if (rows[i].id && !strcmp(rows[i].id, id))
			native = &rows[i];
	if (native)
		return;
	other.name = other.id = id;
	other.of = strncmp(native_name, "Intel", 5) == 0 ? OF_INTEL
		   : strncmp(native_name, "AMD", 3) == 0 ? OF_AMD
							 : OF_OTHER;
	if (perfctr_get_info(&info) == 0)
		other.counters = (unsigned char)perfctr_info_nrctrs(&info);
	native = &other;
}

const struct pmu *pmus_native(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, look);
	return native;
}

int pmus_end(void)
{
	return other.number + 1;
}

const struct pmu *pmus_get(int number)
{
	int i;

	if (number == other.number)
		return pmus_native() == &other ? &other : NULL;
	for (i = 0; i < COUNT(rows); i++)
		if (rows[i].number == number)
			return &rows[i];
	return NULL;
}

const struct pmu *pmus_named(const char *name, size_t length)
{
	const struct pmu *pmu;
	int number;

	for (number = 0; number < pmus_end(); number++) {
		pmu = pmus_get(number);
		if (pmu && pmus_same_name(pmu->name, name, length))
			return pmu;
	}
	return NULL;
}

/* Intel's processors since Core have the architectural events as well. */
bool pmus_is_present(const struct pmu *pmu)
{
	if (!pmu->id || pmu == pmus_native())
		return true;
	return pmu->number == PFM_PMU_INTEL_X86_ARCH && pmus_native() &&
	       pmus_native()->of & OF_INTEL && pmus_native()->fixed;
}

static int note_name(void *arg, const struct perfctr_event_name *cpu)
{
	const char **id = arg;

	if (strcmp(cpu->name, *id))
		return 0;
	*id = cpu->description;
	return 1;
}

const char *pmus_description(const struct pmu *pmu)
{
	const char *text = pmu->id;

	if (pmu->of == OF_KERNEL)
		return "the kernel's own names";
	if (pmu->of == OF_RAW)
		return "raw codes of the core PMU";
	perfctr_cpu_list(note_name, &text);
	return text;
}
