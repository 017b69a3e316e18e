#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perf's syntax of events, by two judges. The strings of perf's own test, tools/perf/tests/parse-events.c of Debian's package
# linux-source, are each taken, or refused for one of the reasons below, on the made-up Skylake of tests/data. And what
# perfctr_event_check(3) says of perf's terms and modifiers is right of perf, as far as a machine without counters tells.
# usage: perf-names.sh BUILD	a directory of configure's
# Prints a line per string that is refused, and per form; exit status 1 if a judge differs.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: perf-names.sh BUILD}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
perfex=$build/perfex
source=$(find /usr/src -maxdepth 1 -name 'linux-source-*.tar.xz' 2>/dev/null | sort -V | tail -n 1)

# The sentences by which this library refuses names that perf takes.
reasons='stands for any number of tracepoints
the modifiers p and P \(precise\) are for sampling
is for perf, and no part of an event
a clock that counts does so in all modes
an event of the kernel.s own is counted for guests
this machine has no PMU
(syscalls|kvm-s390):.* lists tracepoints
mem:[^ ]* .*breakpoint|mem:0/.* no closing /'

# Names in C strings, a line each.
strings() {
	tar xOf "$source" --wildcards '*/tools/perf/tests/parse-events.c' |
		sed -n 's/^[[:space:]]*\.name[[:space:]]*=[[:space:]]*"\(.*\)",$/\1/p' | sort -u
}

if [ -z "$source" ]; then
	echo "SKIP perf's own test: there is no linux-source here (Debian: apt-get install linux-source)"
else
	strings >"$work/strings"
	taken=0 all=0
	while read -r string; do
		all=$((all + 1))
		if PERFCTR_ROOT=$top/tests/data/roots/skylake "$perfex" -o /dev/null -e "$string" true >"$work/out" 2>&1 </dev/null; then
			taken=$((taken + 1))
		elif echo "$string" "$(cat "$work/out")" | grep -qE -e "$(echo "$reasons" | paste -sd '|')"; then
			echo "| $string: $(sed 's/^perfex: //' "$work/out" | cut -c 1-120)"
		else
			echo "FAIL $string: $(cat "$work/out")"
			failed=1
		fi
	done <"$work/strings"
	# Less would mean that strings were not found, or that a reason has swallowed others.
	if [ $all -ge 60 ] && [ $((taken * 100)) -ge $((all * 50)) ]; then
		echo "PASS perf's own test: $taken of $all strings are taken"
	else
		echo "FAIL perf's own test: $taken of $all strings are taken"
		failed=1
	fi
fi

# Forms that both take, and that both refuse; of events that every machine has.
if ! command -v perf >/dev/null; then
	echo "SKIP perf: there is none here (Debian: apt-get install linux-perf)"
	exit $failed
fi
both() {	# STATUS-IS-0 EVENT
	perf stat -o /dev/null -e "$2" true >/dev/null 2>&1
	theirs=$?
	"$perfex" -o /dev/null -e "$2" true >"$work/out" 2>&1
	ours=$?
	if [ "$([ $theirs = 0 ]; echo $?)" = "$1" ] && [ "$([ $ours = 0 ]; echo $?)" = "$1" ]; then
		echo "PASS $2"
	else
		echo "FAIL $2: perf exits with $theirs, perfex with $ours: $(cat "$work/out")"
		failed=1
	fi
}
for event in cs/name=x/ "cs/name='a:b=1,c'/u" faults/period=5/ cs//u 'group{cs,faults}:u' '{cs,faults}:D' '{cs:u,faults}:k' \
	'{cs,faults}:W' '{cs,faults}:S' cs:D cs:e 1:3 1:0x2/name=f/ 'cs/percore/'; do
	both 0 "$event"
done
for event in cs/call-graph=fp/ cs/name= cs/period=x/ '{cs,nonsense}' 'cs:uu' 'cs:z' '{cs,faults}:z' 'cs/umask=1/'; do
	both 1 "$event"
done
exit $failed
