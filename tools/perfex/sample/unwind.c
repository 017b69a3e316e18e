// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdlib.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/sample/libdw.h"
#include "tools/perfex/sample/unwind.h"

#if defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))
#define HAS_REGISTERS 1
#else
#define HAS_REGISTERS 0
#endif

const char *unwind_missing(void)
{
	return HAS_REGISTERS ? libdw_load() : "perfex finds calls so on x86-64 and arm64 only";
}

#if defined(HAVE_LIBDW) && HAS_REGISTERS
#include <asm/perf_regs.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tools/perfex/sample/elf.h"

#define PROGRAMS 64 /* processes whose files are open at a time */
#define LEFT_OUT 64 /* processes whose calls are not looked for */

/* Registers by DWARF's numbers, and those that tell where the process is. */
#ifdef __x86_64__
#define MACHINE	      EM_X86_64
#define STACK_POINTER PERF_REG_X86_SP
#define COUNTER	      PERF_REG_X86_IP
static const uint8_t registers[] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,	PERF_REG_X86_SI,
	PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,	PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP,
};
#else
#define MACHINE	      EM_AARCH64
#define STACK_POINTER PERF_REG_ARM64_SP
#define COUNTER	      PERF_REG_ARM64_PC
static const uint8_t registers[] = {
	PERF_REG_ARM64_X0,  PERF_REG_ARM64_X1,	PERF_REG_ARM64_X2,  PERF_REG_ARM64_X3,
	PERF_REG_ARM64_X4,  PERF_REG_ARM64_X5,	PERF_REG_ARM64_X6,  PERF_REG_ARM64_X7,
	PERF_REG_ARM64_X8,  PERF_REG_ARM64_X9,	PERF_REG_ARM64_X10, PERF_REG_ARM64_X11,
	PERF_REG_ARM64_X12, PERF_REG_ARM64_X13, PERF_REG_ARM64_X14, PERF_REG_ARM64_X15,
	PERF_REG_ARM64_X16, PERF_REG_ARM64_X17, PERF_REG_ARM64_X18, PERF_REG_ARM64_X19,
	PERF_REG_ARM64_X20, PERF_REG_ARM64_X21, PERF_REG_ARM64_X22, PERF_REG_ARM64_X23,
	PERF_REG_ARM64_X24, PERF_REG_ARM64_X25, PERF_REG_ARM64_X26, PERF_REG_ARM64_X27,
	PERF_REG_ARM64_X28, PERF_REG_ARM64_X29, PERF_REG_ARM64_LR,  PERF_REG_ARM64_SP,
};
#endif

#define NREGISTERS (sizeof(registers) / sizeof(registers[0]))

/* The files of a process, as it had them mapped. */
struct program {
	Dwfl *dwfl; /* NULL: none */
	uint32_t pid;
	uint64_t version;
	bool usable;
};

struct unwinder {
	struct histogram *histogram;
	uint32_t stack_size;
	struct program program[PROGRAMS];
	uint64_t left_out[LEFT_OUT]; /* the last ones, by the versions of their mappings */
	size_t nleft_out;
	/* The present sample. */
	const struct perfctr_record_sample *sample;
	Dwfl *dwfl;
	bool beyond; /* libdw asked for more of the stack than there is */
	enum unwind_end end;
	size_t n;
	uint64_t chain[UNWIND_MOST];
};

uint64_t unwind_registers(void)
{
	uint64_t mask = UINT64_C(1) << COUNTER;
	size_t i;

	for (i = 0; i < NREGISTERS; i++)
		mask |= UINT64_C(1) << registers[i];
	return mask;
}

/* ---- callbacks of libdw ---- */

static uint64_t value_of(const struct perfctr_record_sample *sample, unsigned int number)
{
	uint64_t before = unwind_registers() & ((UINT64_C(1) << number) - 1);

	return sample->user.values[__builtin_popcountll(before)];
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	if (*thread)
		return 0;
	*thread = arg;
	return dw.dwfl_pid(dwfl);
}

#ifdef __aarch64__
/*
 * Return addresses may be signed, in the bits above those of addresses (pointer authentication),
 * whose number the kernel chooses. If the address without these bits is code, it was signed.
 */
static Dwarf_Word without_signature(Dwfl *dwfl, Dwarf_Word word)
{
	static const uint8_t widths[] = { 52, 48, 47, 42, 39, 36 };
	Dwarf_Word address;
	size_t i;

	for (i = 0; i < sizeof(widths); i++) {
		address = word & ((UINT64_C(1) << widths[i]) - 1);
		if (dw.dwfl_addrmodule(dwfl, address))
			return address;
	}
	return word;
}
#else
static Dwarf_Word without_signature(Dwfl *dwfl, Dwarf_Word word)
{
	(void)dwfl;
	return word;
}
#endif

static bool read_stack(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *value, void *arg)
{
	struct unwinder *unwinder = arg;
	const struct perfctr_record_sample *sample = unwinder->sample;
	uint64_t at = address - value_of(sample, STACK_POINTER), size = sample->user_stack_size;

	if (size < sizeof(*value) || at > size - sizeof(*value)) {
		unwinder->beyond |= at < UINT64_C(1) << 32 && size == unwinder->stack_size;
		return false;
	}
	memcpy(value, (const char *)sample->user_stack + at, sizeof(*value));
	*value = without_signature(dwfl, *value);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwinder *unwinder = arg;
	Dwarf_Word words[NREGISTERS];
	size_t i;

	for (i = 0; i < NREGISTERS; i++)
		words[i] = without_signature(unwinder->dwfl,
					     value_of(unwinder->sample, registers[i]));
	dw.dwfl_thread_state_register_pc(thread, value_of(unwinder->sample, COUNTER));
	return dw.dwfl_thread_state_registers(thread, 0, NREGISTERS, words);
}

static const Dwfl_Callbacks callbacks = { .find_debuginfo = libdw_find_debug_file };

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_stack,
	.set_initial_registers = set_registers,
};

/* ---- files ---- */

/* The kernel's own code in each process is the same, also in this one, and no file. */
static int open_vdso(void)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	size_t size = header ? header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) : 0;
	int fd = header ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd >= 0 && write(fd, header, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void report_file(void *arg, const struct map *map, const char *name, int file)
{
	const struct libdw_place place = { map->start, map->length, map->offset };
	int fd = strcmp(name, "[vdso]") ? file : open_vdso();

	if (fd >= 0)
		libdw_report(arg, name, fd, &place, MACHINE);
	if (fd != file)
		close(fd);
}

static void forget(struct program *program)
{
	Dwfl *dwfl = program->dwfl;

	program->dwfl = NULL;
	if (dwfl)
		dw.dwfl_end(dwfl);
}

static void open_program(struct unwinder *unwinder, struct program *program)
{
	program->usable = false;
	program->dwfl = dw.dwfl_begin(&callbacks);
	if (!program->dwfl)
		return;
	dw.dwfl_report_begin(program->dwfl);
	histogram_each_file(unwinder->histogram, program->pid, report_file, program->dwfl);
	program->usable = dw.dwfl_report_end(program->dwfl, NULL, NULL) == 0 &&
			  dw.dwfl_attach_state(program->dwfl, NULL, (pid_t)program->pid,
					       &thread_callbacks, unwinder);
}

static const struct program *find_program(struct unwinder *unwinder, uint32_t pid)
{
	struct program *program = &unwinder->program[pid % PROGRAMS];
	uint64_t version = histogram_version(unwinder->histogram, pid);

	if (program->dwfl && program->pid == pid && program->version == version)
		return program;
	forget(program);
	program->pid = pid;
	program->version = version;
	open_program(unwinder, program);
	return program;
}

/* ---- samples ---- */

/*
 * The reader of a chain subtracts one from return addresses, but signals return to the interrupted
 * address.
 */
static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwinder *unwinder = arg;
	Dwarf_Addr counter;
	bool exact;

	if (!dw.dwfl_frame_pc(frame, &counter, &exact) || !counter ||
	    counter >= (uint64_t)PERF_CONTEXT_MAX - 1 || unwinder->n == UNWIND_MOST)
		return DWARF_CB_ABORT;
	unwinder->chain[unwinder->n] = counter + (exact && unwinder->n);
	unwinder->n++;
	return DWARF_CB_OK;
}

/* Arm64's kernels have left it out of their own code, [vdso]: libdw would only guess there. */
static bool has_cfi(Dwfl *dwfl, Dwarf_Addr counter)
{
	Dwfl_Module *module = dw.dwfl_addrmodule(dwfl, counter);
	Dwarf_Addr bias;

	return module &&
	       (dw.dwfl_module_eh_cfi(module, &bias) || dw.dwfl_module_dwarf_cfi(module, &bias));
}

/* Whether the outermost call that was found is in no file, as code that was made at run time is. */
static bool is_outside(const struct unwinder *unwinder)
{
	return unwinder->n > 1 && unwinder->n < UNWIND_MOST &&
	       !dw.dwfl_addrmodule(unwinder->dwfl, unwinder->chain[unwinder->n - 1] - 1);
}

/* The calls of the sample at hand; 0: there is nothing to find them by. */
static size_t find_calls(struct unwinder *unwinder, uint32_t pid)
{
	const struct program *program = find_program(unwinder, pid);
	int result;

	if (!program->usable || !has_cfi(program->dwfl, value_of(unwinder->sample, COUNTER)))
		return 0;
	unwinder->dwfl = program->dwfl;
	result = dw.dwfl_getthread_frames(program->dwfl, (pid_t)pid, take_frame, unwinder);
	unwinder->end = unwinder->beyond       ? UNWIND_CUT
			: is_outside(unwinder) ? UNWIND_OUTSIDE
					       : UNWIND_WHOLE;
	return result == 0 || unwinder->n > 1 ? unwinder->n : 0;
}

static sigjmp_buf without_file;

static void leave(int signal)
{
	(void)signal;
	siglongjmp(without_file, 1);
}

/*
 * Finds the calls. libdw maps files, and a file that is truncated meanwhile causes SIGBUS. The
 * process's samples get no calls then, until it maps other files.
 */
static size_t try_calls(struct unwinder *unwinder, uint32_t pid)
{
	if (sigsetjmp(without_file, 1) == 0)
		return find_calls(unwinder, pid);
	unwinder->program[pid % PROGRAMS].usable = false;
	return 0;
}

static bool is_left_out(const struct unwinder *unwinder, uint32_t pid)
{
	uint64_t version = histogram_version(unwinder->histogram, pid);
	size_t i;

	for (i = 0; i < LEFT_OUT && i < unwinder->nleft_out; i++)
		if (unwinder->left_out[i] == version)
			return true;
	return false;
}

void unwind_leave_out(struct unwinder *unwinder, uint32_t pid)
{
	unwinder->left_out[unwinder->nleft_out++ % LEFT_OUT] =
		histogram_version(unwinder->histogram, pid);
}

size_t unwind(struct unwinder *unwinder, uint32_t pid, const struct perfctr_record_sample *sample,
	      const uint64_t **chain, enum unwind_end *end)
{
	const struct sigaction action = { .sa_handler = leave };
	struct sigaction before;
	size_t n;

	*end = UNWIND_WHOLE;
	if (sample->user.abi != PERF_SAMPLE_REGS_ABI_64 ||
	    sample->user.n != (uint64_t)__builtin_popcountll(unwind_registers()) ||
	    is_left_out(unwinder, pid))
		return 0;
	unwinder->sample = sample;
	unwinder->beyond = false;
	unwinder->n = 0;
	*chain = unwinder->chain;
	sigaction(SIGBUS, &action, &before);
	n = try_calls(unwinder, pid);
	sigaction(SIGBUS, &before, NULL);
	if (n)
		*end = unwinder->end;
	return n;
}

struct unwinder *unwind_new(struct histogram *histogram, uint32_t stack)
{
	struct unwinder *unwinder = need(calloc(1, sizeof(*unwinder)));

	unwinder->histogram = histogram;
	unwinder->stack_size = stack;
	return unwinder;
}

void unwind_free(struct unwinder *unwinder)
{
	unsigned int i;

	for (i = 0; unwinder && i < PROGRAMS; i++)
		forget(&unwinder->program[i]);
	free(unwinder);
}
#else
uint64_t unwind_registers(void)
{
	return 0;
}

struct unwinder *unwind_new(struct histogram *histogram, uint32_t stack)
{
	(void)histogram, (void)stack;
	return NULL;
}

size_t unwind(struct unwinder *unwinder, uint32_t pid, const struct perfctr_record_sample *sample,
	      const uint64_t **chain, enum unwind_end *end)
{
	(void)unwinder, (void)pid, (void)sample, (void)chain, (void)end;
	return 0;
}

void unwind_leave_out(struct unwinder *unwinder, uint32_t pid)
{
	(void)unwinder, (void)pid;
}

void unwind_free(struct unwinder *unwinder)
{
	(void)unwinder;
}
#endif
