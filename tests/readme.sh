#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# README's first program compiles, and runs on any machine; its figures are those of docs/COSTS.md; its links lead
# somewhere; and it is short.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's directory with the library.
set -u
srcdir=${srcdir:-.} cc=${CC:-cc} lib=${LIBPERFCTR:-lib/.libs}
readme=$srcdir/README.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}

[ "$(wc -l <"$readme")" -le 150 ]
check "README has at most 150 lines" $?

awk '/^\t#include/ { on = 1 } /^[^\t]/ { on = 0 } on' "$readme" | sed 's/^\t//' >"$work/first.c"
if [ -e "$lib/libperfctr.so" ]; then
	library=$lib/libperfctr.so
else
	library="$lib/libperfctr.a -pthread -lm"
fi
# shellcheck disable=SC2086	# lists of words
$cc ${CFLAGS:-} -I"$srcdir/include" "$work/first.c" $library -o "$work/first"
check "the first program compiles" $?
LD_LIBRARY_PATH=$lib "$work/first" >"$work/out" 2>&1 && grep -q '^page-faults:u: [0-9]*$' "$work/out" &&
	grep -q '^instructions:u: ' "$work/out"
check "it counts, and says what it can't count" $?
[ "$failed" = 0 ] || cat "$work/out"

# The first thing that README shows is a part of what the tutorial's commands print, which tests/vm/guest/tutorial.sh holds.
sed -n '/^\t\$ perfex/,/^[^\t]/s/^\t\(.*[^ ].*\)/\1/p' "$readme" >"$work/shown"
[ "$(grep -c . "$work/shown")" -ge 6 ] && ! grep -v -x -F -f "$srcdir/man/perfctr_tutorial.7" "$work/shown"
check "what perfex prints is the tutorial's" $?

# same OPERATION WORDS: README has the words, with the table's figures in place of X86 and ARM64
same() {
	x86=$(awk -F ' *[|] *' -v row="$1" '/^x86-64/ { on = 1 } on && $2 == row { print $3; exit }' "$srcdir/docs/COSTS.md")
	arm64=$(awk -F ' *[|] *' -v row="$1" '/^arm64/ { on = 1 } on && $2 == row { print $3; exit }' "$srcdir/docs/COSTS.md")
	tr -s ' \n' '  ' <"$readme" | grep -q -F "$(echo "$2" | sed "s/X86/$x86/; s/ARM64/$arm64/")" && [ -n "$x86" ] && [ -n "$arm64" ]
	check "README's figure of $1" $?
}
same 'perfctr_reader_read()' 'X86 instructions on x86-64, ARM64 on arm64'
same 'perfctr_reader_read_all(), 4 counters' 'four take X86 instructions on x86-64, ARM64 on arm64'

# Of readers on several core types tests/loops/step holds the limits, each with a call and a return.
most() {	# NAME
	tr -s ' \t\n' '   ' <"$srcdir/tests/loops/step.c" | sed -n "s/.*{ \"$1\",[^}]* MOST(\([0-9]*\), .*/\1/p"
}
two=$(($(most 'perfctr_reader_read, 2 core types') - 2)) three=$(($(most 'perfctr_reader_read, 3 core types') - 2))
all=$(($(most 'perfctr_reader_read_all of 4, 2 core types') - 2))
tr -s ' \n' '  ' <"$srcdir/docs/COSTS.md" | grep -q -F "takes $two instructions with two core types, $three with three; \
\`perfctr_reader_read_all()\` of four events $all with two."
check "figures of several core types" $?

# holds FILE LIMIT WORDS: what COSTS.md says is the limit that the program of tests/bench fails at
holds() {
	limit=$(sed -n "s/^$2=\([0-9]*\).*/\1/p" "$srcdir/tests/bench/$1" | sed ':a; s/^\([0-9]*[0-9]\)\([0-9]\{3\}\)/\1,\2/; ta')
	tr -s ' \n' '  ' <"$srcdir/docs/COSTS.md" | grep -q -F "$(echo "$3" | sed "s/LIMIT/$limit/")"
	check "figure of $2" $?
}
holds scale.sh max_one 'is opened in at most LIMIT.'
holds lookup.sh max_start 'at most | LIMIT |'
holds lookup.sh max_relocations 'dynamic relocations | LIMIT |'
holds lookup.sh max_size 'size in bytes, stripped, at most | LIMIT |'
holds lookup.sh max_check 'names of Haswell: mean, at most | LIMIT |'
# The sums of the table of turns, which tests/bench/turns.c makes, stand before it, of all programs and of each kind.
tr -s ' \n' '  ' <"$srcdir/docs/COSTS.md" | grep -q -F "within $(awk -F '|' '
	function part(kind) { return within[kind] == all[kind] ? "all" : within[kind] " of " all[kind] }
	/ ms \|/ && split($6, words, " of ") == 2 {
		kind = $2
		sub(/,.*/, "", kind)
		gsub(/ /, "", kind)
		within[kind] += words[1]
		all[kind] += words[2]
	}
	END {
		printf "%d of %d bounds: ", within["steady"] + within["phased"] + within["bursty"], all["steady"] + all["phased"] + all["bursty"]
		printf "of steady programs %s, of phased ones %s, of bursty ones %s.", part("steady"), part("phased"), part("bursty")
	}' "$srcdir/docs/COSTS.md")"
check "sums of the bounds of events that take turns" $?

# tables FILE WORDS: CHANGELOG.md has the words, with the number of metrics for METRICS and of processors for PROCESSORS
tables() {
	counted=$(awk '
		/^for / { for (i = 2; i <= NF; i++) if (!cpus[$i]++) processors++ }
		/^metric / && !names[$2]++ { metrics++ }
		END { print "s/METRICS/" metrics "/; s/PROCESSORS/" processors "/" }' "$srcdir/arch/metrics/$1")
	tr -s ' \n' '  ' <"$srcdir/CHANGELOG.md" | grep -q -F "$(echo "$2" | sed "$counted")"
	check "CHANGELOG's figures of $1" $?
}
tables papi.metrics 'METRICS presets on PROCESSORS processors'
tables groups.metrics "Metrics under LIKWID's names of groups, on PROCESSORS processors"
awk '/^metric / { sub(/-.*/, "", $2); print toupper($2) }' "$srcdir/arch/metrics/groups.metrics" | sort -u | (
	status=0
	while read -r group; do
		grep -q "\`\(-M \)\{0,1\}$group\`" "$srcdir/CHANGELOG.md" || { echo "CHANGELOG.md has no $group"; status=1; }
	done
	exit $status
)
check "CHANGELOG has all of LIKWID's groups" $?

# perfex's advice follows from it: an error goes down with the root of the time, and is within 5 % after
# SECONDS for each turn beyond the first. Ten events on four counters have 2.5 turns. Below half a second there is no bound.
seconds=$(sed -n 's/^#define SECONDS \([0-9]*\)$/\1/p' "$srcdir/tools/perfex/count/turns.c")
awk -F '|' -v seconds="$seconds" '
	/ ms \|/ && $5 !~ /none/ {
		split($2, name, ", ")
		split($4, off, "; ")
		rows++
		bad += off[2] + 0 > 5 * sqrt(seconds * (10 / 4 - 1) / (name[2] / 1000))
	}
	END { exit !rows || bad }' "$srcdir/docs/COSTS.md" &&
	tr -s ' \n' '  ' <"$srcdir/docs/COSTS.md" | grep -q -F "for $seconds s for each turn beyond the first: for \
$(awk -v seconds="$seconds" 'BEGIN { print seconds * 1.5 }') s here"
check "how long events that take turns should run" $?

for file in README.md CONTRIBUTING.md SECURITY.md driver/README.md; do
	directory=$(dirname "$file")
	sed -n 's/.*](\([^):#]*\)).*/\1/p' "$srcdir/$file" | while read -r target; do
		[ -e "$srcdir/$directory/$target" ] || { echo "$file: there is no $target"; exit 1; }
	done
	check "links of $file" $?
done
exit $failed
