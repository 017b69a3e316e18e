#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# arch/ and the engine as a kernel module compiles them: without a libc's headers, with the kernel's
# flags, and needing no function but arch/'s own and the four that compilers call by themselves.
# The environment: srcdir; CC. The build directory, with arch/event-tables.c, is the current one.
# Prints a line per compiler and width.
set -u
srcdir=${srcdir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
flags="-std=gnu11 -O2 -ffreestanding -nostdinc -fno-pie -fno-stack-protector -fno-strict-aliasing
	-fno-common -fshort-wchar -Wall -Wundef -Wstrict-prototypes -Wno-trigraphs
	-Wimplicit-fallthrough -Wvla -Werror"

# An includer of the engine, which calls all that there is in it.
cat >"$work/engine.h" <<'EOT'
#include "arch/rules.h"
#include "arch/words.h"

struct perfctr_core;
static inline uint32_t perfctr_core_tsc(struct perfctr_core *core);
static inline uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map);
static inline uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg);
static inline void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg,
					      uint64_t value);
static inline uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg);
static inline void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg,
					      uint64_t value);

#include "arch/engine.h"

struct perfctr_core {
	struct perfctr_cache cache;
	volatile uint64_t reg[64];
};

static inline struct perfctr_cache *perfctr_core_cache(struct perfctr_core *core)
{
	return &core->cache;
}

static inline uint32_t perfctr_core_tsc(struct perfctr_core *core)
{
	return (uint32_t)core->reg[0];
}

static inline uint32_t perfctr_core_rdpmc(struct perfctr_core *core, uint32_t map)
{
	return (uint32_t)core->reg[map % 64];
}

static inline uint64_t perfctr_core_read_counter(struct perfctr_core *core, uint32_t reg)
{
	return core->reg[reg % 64];
}

static inline void perfctr_core_write_counter(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	core->reg[reg % 64] = value;
}

static inline uint64_t perfctr_core_read_control(struct perfctr_core *core, uint32_t reg)
{
	return core->reg[reg % 64];
}

static inline void perfctr_core_write_control(struct perfctr_core *core, uint32_t reg,
					      uint64_t value)
{
	core->reg[reg % 64] = value;
}

uint32_t ENGINE(struct perfctr_core *core, struct perfctr_cpu_state *state,
		struct perfctr_program *program, unsigned int tsc_on, uint64_t id);
uint32_t ENGINE(struct perfctr_core *core, struct perfctr_cpu_state *state,
		struct perfctr_program *program, unsigned int tsc_on, uint64_t id)
{
	perfctr_cpu_update_control(state, program, tsc_on, id);
	perfctr_cpu_ireload(state);
	perfctr_cpu_resume(core, state, program);
	perfctr_cpu_sample(core, state, program);
	perfctr_cpu_suspend(core, state, program);
	return perfctr_cpu_identify_overflow(state, program);
}
EOT
for isa in x86 powerpc generic; do
	cat >"$work/engine-$isa.c" <<EOT
#define PERFCTR_KERNEL_STATE
#include <perfctr/abi-$isa.h>
#include <perfctr/abi.h>
#define ENGINE engine_$isa
#include "engine.h"
EOT
done

try() {	# COMPILER WIDTH [flag...]
	name="$1, $2 bits" cc=$1 status=0
	# As the kernel's FRAME_WARN by default.
	frame=2048
	[ "$2" = 64 ] || frame=1024
	shift 2
	rm -f "$work"/*.o
	include=$($cc -print-file-name=include)
	for source in "$srcdir"/arch/*.c "$srcdir"/arch/*/*.c arch/event-tables.c \
		"$work"/engine-*.c; do
		[ "$source" != "$srcdir/arch/event-tables.c" ] || continue
		# shellcheck disable=SC2086
		$cc $flags -Wframe-larger-than=$frame "$@" -isystem "$include" \
			-I"$srcdir/include" -I"$srcdir" -c "$source" \
			-o "$work/$(echo "$source" | tr / _).o" || status=1
	done
	nm -gA "$work"/*.o | awk '
		$(NF - 1) == "U" { user[$NF] = $1; next }
		NF > 2 { defined[$NF] }
		END {
			for (symbol in user) {
				if (symbol in defined || symbol ~ /^mem(cpy|move|set|cmp)$/)
					continue
				sub(/.*\//, "", user[symbol])
				print user[symbol] " needs " symbol
				bad = 1
			}
			exit bad
		}' || status=1
	[ $status = 0 ] || failed=1
	[ $status = 0 ] && echo "PASS $name" || echo "FAIL $name"
}

tried=
for cc in "${CC:-cc}" gcc clang; do
	case "$tried:" in *":$cc:"*) continue ;; esac
	tried=$tried:$cc
	macros=$($cc -dM -E - </dev/null 2>/dev/null) || { echo "SKIP $cc: there is none"; continue; }
	has() { echo "$macros" | grep -q "^#define $1 $2"; }
	width=64
	has __SIZEOF_POINTER__ 8 || width=32
	if has __x86_64__ 1 || has __i386__ 1; then
		# The kernel has no floating point and no vectors.
		set -- -mno-mmx -mno-sse -mno-80387
	else
		set --
	fi
	try "$cc" $width "$@"
	if ! has __x86_64__ 1; then
		continue
	elif $cc -m32 -c -x c /dev/null -o "$work/probe" 2>/dev/null; then
		try "$cc" 32 -m32 "$@"
	else
		echo "SKIP $cc, 32 bits: it has no -m32"
	fi
done
exit $failed
