#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex -e @FILE: lists of events as perf's users have them; what means nothing here is told once.
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel

# items NAME EVENTS: the events of the file "list", one in a line of CSV
items() {
	"$perfex" --csv -o "$work/csv" -e "@$work/list" true >"$work/out" 2>&1 || { fail "$1" "exit status $?"; return; }
	got=$(sed 1d "$work/csv" | cut -d, -f4 | tr '\n' ' ')
	cat "$work/csv" >>"$work/out"
	[ "$got" = "$2 " ] && pass "$1" || fail "$1" "not \"$2\" but \"$got\""
}
list() { printf "$@" >"$work/list"; }

list '# page faults\ncs,\nfaults/name=f,period=5/;\n\n  # and clocks\n\ncpu-clock;\n{dummy,cs/name=c/};'
items "groups as PerfSpect has them" "cs f cpu-clock dummy c"
expect "a period means nothing, once" 0 'period=, freq= and the modifier S mean nothing' "$perfex" -e "@$work/list" true
list 'faults/period=5/,cs/freq=4,percore/,{cs,faults}:S'
"$perfex" -o "$work/csv" -e "@$work/list" true 2>"$work/out"
[ "$(grep -c 'mean nothing' "$work/out")" = 1 ] && [ "$(grep -c 'percore means nothing here' "$work/out")" = 1 ] &&
	pass "each is told once" || fail "each is told once" "not so"
list "perf stat -x\\\\; -e '{cs/name=a/,faults}:S,dummy' -A sleep 1\nperf stat --event=\"cs/name=\\\\'b,c\\\\'/\" true\n"
items "commands as toplev prints them" 'a faults dummy "b'
list 'perf stat -e cs -- grep -e faults file\n/usr/bin/perf stat -e dummy --\n-e cpu-clock true\n'
items "what perf would run" "cs dummy cpu-clock"
list '/usr/bin/perf stat -e cs true\n'
items "a command with its path" "cs"
list 'cs,\n  faults,\n{dummy,\n cs}:u\r\ncpu-clock\n'
items "lists in lines" "cs faults dummy:u cs:u cpu-clock"
for _ in $(seq 65); do printf 'cs,\n'; done >"$work/list"
expect "as many as one likes in lines" 0 'cs' "$perfex" -e "@$work/list" true
echo ';' >>"$work/list"
expect "a semicolon makes a group" 125 'a group of 65 events is too large\|at most 64 can count together' "$perfex" -e "@$work/list" true
list '1:3,4:0x1c2/name=raw/u\n'
items "numbers of types" "1:3 raw"
list '# nothing\n;\n'
expect "no event" 125 'there is no event in it' "$perfex" -e "@$work/list" true
list 'cs\0faults\n'
expect "no text" 125 'it is no text' "$perfex" -e "@$work/list" true
head -c 1048577 /dev/zero | tr '\0' c >"$work/list"
expect "too long" 125 'at most 1048576 bytes' "$perfex" -e "@$work/list" true
expect "no file" 125 'No such file' "$perfex" -e "@$work/none" true
expect "a directory" 125 'Is a directory' "$perfex" -e "@$work" true
list 'cs,nonsense;\n'
expect "a wrong name" 125 '"nonsense" is not an event' "$perfex" -e "@$work/list" true
exit $failed
