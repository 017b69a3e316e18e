# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2034	# others use it
# Functions that tests of the tools share; read with "." It makes the directory $work, which goes at the end, and sets
# $failed.
# The environment: PERFEX: the program.
perfex=${PERFEX:-./perfex} srcdir=${srcdir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# The settings of the user who runs the tests change nothing.
export LC_ALL=C.UTF-8 TERM=dumb TZ=UTC0 HOME="$work"
unset COLUMNS NO_COLOR
umask 022

# shellcheck source=tests/tools/others.sh
. "$srcdir/tests/tools/others.sh"

pass() { echo "PASS $1"; }
fail() {	# NAME REASON: and what was printed
	echo "FAIL $1: $2"
	sed 's/^/    /' "$work/out"
	failed=1
}

# expect NAME STATUS WORDS command...: the exit status, and words (a regular expression) in the output
expect() {
	name=$1 status=$2 words=$3
	shift 3
	"$@" >"$work/now" 2>&1 </dev/null
	got=$?
	mv "$work/now" "$work/out"	# the command may read what the last one said
	if [ "$got" = "$status" ] && grep -q -e "$words" "$work/out"; then
		pass "$name"
	else
		fail "$name" "exit status $got, not $status, or no \"$words\" in:"
	fi
}
# on COLUMNS command...: runs it on a terminal with that number of columns, see on.py, and prints the bytes that came
on=$srcdir/tests/tools/on.py
on() { python3 "$on" "$@"; }
raw_on() { RAW=1 python3 "$on" "$@"; }
skip() { echo "SKIP $1: $2"; }
# over_valgrind argument...: perfex on a processor that the tables know, whichever this machine has: valgrind shows programs a Haswell
# on x86, and looks at nothing itself, which takes less than half of the time. The command is not valgrind's.
over_valgrind() { valgrind -q --tool=none --trace-children=yes --trace-children-skip='*/true' "$perfex" "$@"; }
# skip_processor NAME: what neither this processor nor valgrind's is good for. Only a perfex with AddressSanitizer, which does not run
# over valgrind, leaves it to the builds without.
skip_processor() {
	if grep -q __asan_init "$perfex"; then
		echo "# $1: left to builds that run over valgrind"
	else
		skip "$1" "this processor can't, and valgrind shows no other one"
	fi
}
# find_tree: $run becomes perfex or over_valgrind, on a processor with a tree of top-down analysis.
find_tree() {
	for run in "$perfex" over_valgrind; do
		"$run" --topdown -o /dev/null true 2>/dev/null && return
	done
	return 1
}

# needs_kernel: the test's words are those of events in kernel mode, too.
needs_kernel() {
	counts_kernel && return
	echo "SKIP $(basename "$0"): it needs root, or kernel.perf_event_paranoid=1, to count kernel mode"
	exit 77
}

# Python judges JSON, and makes files that perfex would not make. Without it these tests are left out.
have_python() {	# NAME
	command -v python3 >/dev/null || { skip "$1" "needs python3"; return 1; }
}

# says NAME PROGRAM file...: a program of Python's asserts things about results
says() {
	name=$1 program=$2
	shift 2
	have_python "$name" || return 0
	if python3 -c "$program" "$@" >"$work/out" 2>&1; then pass "$name"; else fail "$name" "not so:"; fi
}
