// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * count.c - a tool of valgrind's that counts the instructions and branches that a program retires,
 * for perfex --emulate. It adds constants to counters where a block of code can be left, and keeps
 * nothing else, so that a program runs three times as fast as in callgrind.
 *
 * An instruction counts when it is left. A repeated string instruction is a loop to valgrind; it
 * counts once, when the loop ends, as a processor retires it, and its elements count apart. An
 * instruction that faults does not count, and neither do those before it in the same block.
 *
 * A process writes its counts when it ends, and before it executes another program. A child of
 * fork() begins with zeros, whoever creates it.
 */
#include "pub_tool_basics.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_tooliface.h"

/* ---- counters ---- */

enum {
	INSTRUCTIONS,
	CONDITIONAL,
	INDIRECT,
	REPEATS, /* of string instructions, each for one element */
	COUNTERS
};

/* One thread runs at a time. */
static ULong counter[COUNTERS];

static const HChar *file_pattern;
static Int file = -1;

/* Opened at once: a program may lose the right to. */
static void open_file(void)
{
	HChar *name = VG_(expand_file_name)("--count-file", file_pattern);

	file = VG_(fd_open)(name, VKI_O_WRONLY | VKI_O_CREAT | VKI_O_TRUNC, 0600);
	if (file < 0)
		VG_(umsg)("can't write %s\n", name);
	VG_(free)(name);
}

/* Callgrind's format. The last line says that all of it is there. */
static void write_file(const HChar *why)
{
	HChar text[256];
	UInt n = VG_(snprintf)(text, sizeof(text),
			       "events: Ir Bc Bi Repeats\ntotals: %llu %llu %llu %llu\n"
			       "desc: Trigger: %s\n",
			       counter[INSTRUCTIONS], counter[CONDITIONAL], counter[INDIRECT],
			       counter[REPEATS], why);

	VG_(lseek)(file, 0, VKI_SEEK_SET);
	VG_(write)(file, text, n);
}

/* ---- instructions ---- */

enum kind { PLAIN, CONDITIONAL_BRANCH, REPEATED };

#if defined(VGA_amd64) || defined(VGA_x86)
static Bool is_prefix(UChar byte)
{
	switch (byte) {
	case 0x26:
	case 0x2E:
	case 0x36:
	case 0x3E: /* segments */
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67: /* sizes */
	case 0xF0:
	case 0xF2:
	case 0xF3: /* lock, repne, rep */ return True;
	}
#if defined(VGA_amd64)
	return (byte & 0xF0) == 0x40; /* REX */
#else
	return False;
#endif
}

/* SDM vol. 2, appendix A: opcode maps. */
static enum kind kind_of(Addr address, UInt length)
{
	const UChar *byte = (const UChar *)address, *end = byte + length;
	Bool repeated = False;

	for (; byte < end && is_prefix(*byte); byte++)
		repeated |= *byte == 0xF2 || *byte == 0xF3;
	if (byte == end)
		return PLAIN;
	if ((*byte & 0xF0) == 0x70 || (*byte >= 0xE0 && *byte <= 0xE3)) /* Jcc, LOOP, JRCXZ */
		return CONDITIONAL_BRANCH;
	if (*byte == 0x0F && byte + 1 < end && (byte[1] & 0xF0) == 0x80)
		return CONDITIONAL_BRANCH;
	/* INS, OUTS; MOVS, CMPS; STOS, LODS, SCAS */
	if (repeated && ((*byte >= 0x6C && *byte <= 0x6F) || (*byte >= 0xA4 && *byte <= 0xA7) ||
			 (*byte >= 0xAA && *byte <= 0xAF)))
		return REPEATED;
	return PLAIN;
}
#elif defined(VGA_arm64)
/* Arm ARM C4.1: B.cond, CBZ and CBNZ, TBZ and TBNZ. */
static enum kind kind_of(Addr address, UInt length)
{
	UInt word = *(const UInt *)address;

	if (length == 4 && ((word & 0xFF000000) == 0x54000000 || (word & 0x7C000000) == 0x34000000))
		return CONDITIONAL_BRANCH;
	return PLAIN;
}
#else
#error "not one of the machines whose branches are known here"
#endif

/* ---- blocks ---- */

struct block {
	IRSB *out;
	ULong pending[COUNTERS]; /* executed, and not added yet */
	Addr address;		 /* of the instruction that executes; its statements follow */
	enum kind kind;
	Bool inside, retired; /* there is one; it has been counted */
};

static IRExpr *assign(IRSB *out, IRExpr *value)
{
	IRTemp temporary = newIRTemp(out->tyenv, Ity_I64);

	addStmtToIRSB(out, IRStmt_WrTmp(temporary, value));
	return IRExpr_RdTmp(temporary);
}

static void add_to(IRSB *out, ULong *where, IRExpr *more)
{
	IRExpr *address = mkIRExpr_HWord((HWord)where), *sum;

	sum = assign(out, IRExpr_Load(Iend_LE, Ity_I64, address));
	sum = assign(out, IRExpr_Binop(Iop_Add64, sum, more));
	addStmtToIRSB(out, IRStmt_Store(Iend_LE, address, sum));
}

static void add_pending(struct block *block)
{
	UInt i;

	for (i = 0; i < COUNTERS; i++) {
		if (block->pending[i])
			add_to(block->out, &counter[i],
			       IRExpr_Const(IRConst_U64(block->pending[i])));
		block->pending[i] = 0;
	}
}

static void retire(struct block *block)
{
	if (block->retired)
		return;
	block->retired = True;
	block->pending[INSTRUCTIONS]++;
	block->pending[CONDITIONAL] += block->kind == CONDITIONAL_BRANCH;
}

/* Ends the instruction, if there is one; target is where the next one is. */
static void leave(struct block *block, Addr target)
{
	if (!block->inside)
		return;
	if (block->kind == REPEATED && target == block->address)
		block->pending[REPEATS]++;
	else
		retire(block);
}

static void begin(struct block *block, const IRStmt *mark)
{
	block->inside = True;
	block->retired = False;
	block->address = mark->Ist.IMark.addr;
	block->kind = kind_of(mark->Ist.IMark.addr, mark->Ist.IMark.len);
}

static Addr address_of(const IRConst *constant)
{
	return constant->tag == Ico_U64 ? (Addr)constant->Ico.U64 : (Addr)constant->Ico.U32;
}

/*
 * A branch is retired whether or not it leaves. Another instruction is if it leaves here, but not
 * if it leaves to be tried again, as one with a lock prefix does.
 */
static void leave_if(struct block *block, const IRStmt *exit)
{
	Bool again = address_of(exit->Ist.Exit.dst) == block->address;
	IRExpr *taken;

	if (block->inside && block->kind == CONDITIONAL_BRANCH)
		retire(block);
	add_pending(block);
	if (!block->inside || block->retired || (again && block->kind == PLAIN))
		return;
	taken = assign(block->out, IRExpr_Unop(Iop_1Uto64, exit->Ist.Exit.guard));
	add_to(block->out, &counter[again ? REPEATS : INSTRUCTIONS], taken);
}

/* An instruction that valgrind does not know leaves for itself, and not by a jump. */
static void leave_block(struct block *block)
{
	const IRExpr *next = block->out->next;
	IRJumpKind how = block->out->jumpkind;

	if (next->tag != Iex_Const) {
		retire(block);
		block->pending[INDIRECT] += how == Ijk_Boring || how == Ijk_Call;
	} else if (how == Ijk_Boring || address_of(next->Iex.Const.con) != block->address) {
		leave(block, address_of(next->Iex.Const.con));
	}
	add_pending(block);
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
			IRType host_word)
{
	struct block block = { .out = deepCopyIRSBExceptStmts(in) };
	Int i;

	for (i = 0; i < in->stmts_used; i++) {
		IRStmt *statement = in->stmts[i];

		if (statement->tag == Ist_IMark) {
			leave(&block, statement->Ist.IMark.addr);
			begin(&block, statement);
		} else if (statement->tag == Ist_Exit) {
			leave_if(&block, statement);
		}
		addStmtToIRSB(block.out, statement);
	}
	leave_block(&block);
	return block.out;
}

/* ---- the process ---- */

static void begin_child(ThreadId thread)
{
	VG_(memset)(counter, 0, sizeof(counter));
	VG_(close)(file);
	open_file();
}

/* Where it fails, the counts at the end replace these. */
static void before_call(ThreadId thread, UInt number, UWord *argument, UInt arguments)
{
	if (number == __NR_execve || number == __NR_execveat)
		write_file("execve");
}

static void after_call(ThreadId thread, UInt number, UWord *argument, UInt arguments, SysRes result)
{
}

static void end(Int status)
{
	write_file("Program termination");
}

static Bool read_option(const HChar *option)
{
	return VG_STR_CLO(option, "--count-file", file_pattern);
}

static void print_usage(void)
{
	VG_(printf)("    --count-file=<file>       counts of each process, %%p is its number\n");
}

static void print_debug_usage(void)
{
}

static void begin_process(void)
{
	if (!file_pattern)
		VG_(fmsg_bad_option)("--count-file", "is missing\n");
	/* VEX would make one exit of the two branches of "a && b", and execute what lies between.
	 */
	VG_(clo_vex_control).guest_chase = False;
	open_file();
	VG_(atfork)(NULL, NULL, begin_child);
}

static void begin_tool(void)
{
	VG_(details_name)("perfctr");
	VG_(details_version)(NULL);
	VG_(details_description)("counts instructions and branches");
	VG_(details_copyright_author)("The authors of libperfctr");
	VG_(details_bug_reports_to)("the authors of libperfctr");
	VG_(basic_tool_funcs)(begin_process, instrument, end);
	VG_(needs_command_line_options)(read_option, print_usage, print_debug_usage);
	VG_(needs_syscall_wrapper)(before_call, after_call);
}

VG_DETERMINE_INTERFACE_VERSION(begin_tool)
