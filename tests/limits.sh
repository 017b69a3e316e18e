#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The numbers of perfctr(7), LIMITS, are those of the sources.
# The environment: srcdir.
set -u
srcdir=${srcdir:-.}
failed=0
number() {	# FILE PATTERN	the expression in the source, as a number
	expression=$(sed -n "s,^.*$2[[:space:]=]*\([0-9a-fA-FxuU() <*]*\).*,\1,p" "$srcdir/$1" | head -n 1 | tr -d uU)
	# shellcheck disable=SC2004 # an expression, which some shells take by its text alone
	[ -n "$expression" ] && echo $(($expression))
}
holds() {	# WORDS NUMBER
	page=$(sed -n "s/^\.It \([0-9]*\) $1.*/\1/p" "$srcdir/man/perfctr.7")
	if [ "$page" = "$2" ]; then
		echo "PASS $1: $2"
	else
		echo "FAIL $1: $2 in the sources, ${page:-nothing} in perfctr(7)"
		failed=1
	fi
}
regions=lib/regions/fast_path.h
# Ids 0 and 1 mean something else, and three regions are the library's own.
holds 'names of regions' $(($(number $regions 'define PERFCTR_REGION_IDS') - 5))
holds 'bytes of a name' $(($(number lib/regions/state.c 'define NAME_SIZE') - 1))
holds 'visits that a thread' "$(number $regions 'define PERFCTR_REGION_DEPTH')"
holds 'events of regions' $(($(number $regions 'define PERFCTR_REGION_VALUES') - 1))
holds 'reports that are left' "$(number lib/regions/recover.c 'define MOST_LEFT')"
holds 'OpenMP constructs' $(($(number collect/constructs.c 'define CONSTRUCTS') / 2))
holds 'Kokkos sections' "$(number collect/kokkos.c 'define SECTIONS')"
holds 'events that count together' "$(number lib/perf/counter.h 'define PERFCTR_GROUP_MAX')"
holds 'core types of a machine' "$(number lib/isa/pmu.h 'define PERFCTR_VARIANTS_MAX')"
holds 'core types that a read' "$(number lib/perf/core_types.h 'define PERFCTR_CORE_TYPES')"
holds processors "$(number lib/base/cpus.h 'define PERFCTR_MAX_CPUS')"
holds 'bytes of a word' $(($(number lib/base/file.h 'define PERFCTR_NAME_SIZE') - 1))
holds 'descriptors that a child' $(($(number lib/base/descriptor.c 'define PIECE') * $(number lib/base/descriptor.c 'define PIECES')))
holds 'frames of a stack' "$(number tools/perfex/sample/unwind.h 'define UNWIND_MOST')"
holds 'bytes of a JSON file' "$(number tools/perfex/base/document.c 'define MAX_SIZE')"
holds 'bytes of a list' "$(number tools/perfex/count/lists.c LARGEST)"
exit $failed
