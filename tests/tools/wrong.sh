#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Wrong command lines: each has one clear sentence and the exit status 125, nothing is run, and the output file
# keeps what it held. Many are right for perf, and the sentence says how perfex spells it.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
lines=0

# refuse WORDS argument...: as they are, with no command after them
refuse() {
	words=$1
	shift
	lines=$((lines + 1))
	echo precious >"$work/kept"
	rm -f "$work/ran"
	expect "$*" 125 "^perfex: .*$words" timeout 20 "$perfex" "$@"
	[ "$(cat "$work/kept")" = precious ] || fail "$*" "the output file is changed"
	[ ! -e "$work/ran" ] || fail "$*" "the command ran"
	[ "$(grep -c '^perfex: ' "$work/out")" -le 2 ] || fail "$*" "more than a sentence"
}
# wrong WORDS argument...: with an output file and a command
wrong() {
	words=$1
	shift
	refuse "$words" -o "$work/kept" "$@" touch "$work/ran"
}

# ---- perf's ----
wrong '--csv and --json have numbers without' --no-big-num
wrong 'separates thousands' --big-num
wrong 'separates thousands' -B
wrong '-o FILE, such as -o /dev/fd/3' --log-fd 3
wrong 'values with a separator are --csv' -x,
wrong 'values with a separator are --csv' '-x;'
wrong 'values with a separator are --csv' -x
wrong 'values with a separator are --csv' --field-separator=,
wrong '-x needs an event number .* --csv' -x -e cycles
wrong '-d needs an event number .* name the events' -d
wrong '-d needs an event number .* name the events' -d -e cycles
wrong 'there is no option' -d -d -d -v
wrong 'name the events: -e L1-dcache-loads' --detailed
wrong 'have metrics beside the counts' --metric-only
wrong 'has no metric "tma_retiring"' -M tma_retiring
wrong 'did you mean ipc or cpi' --metrics ipx
wrong 'empty place' -M ipc,,cpi
wrong "-M can't be combined with --sample" --sample -M ipc
wrong 'has no metric "ipx"' --regions -M ipx
wrong 'shows metrics and runs nothing' -M list
wrong 'shows metrics and runs nothing' -M ipc -M list
refuse "-M can't be combined with --cpu" --cpu skylake -M ipc
refuse 'no processor "none"' --cpu none -M list
wrong 'in a group, so that' --metric-no-group
wrong 'share them' --metric-no-merge
wrong 'groups are written in braces' -g
wrong 'groups are written in braces' --group
wrong 'has --json' -j
wrong 'has --json' --json-output
wrong 'perfex -e task-clock' -n
wrong 'perfex -e task-clock' --null
wrong 'always says why' -v
wrong 'always says why' --verbose
wrong 'sync; exec' -S
wrong 'sync; exec' --sync
wrong 'name the events: perfex -l' -T
wrong '--topdown takes a number from 1 to 16' --topdown=0
wrong '--td-level takes a number from 1 to 16' --td-level all
wrong "--topdown can't be combined with --sample" --topdown --sample
wrong '--regions shows a tree with -M tma; leave out --topdown' --topdown=2 --regions
wrong "--topdown can't be combined with --from" --topdown --from
refuse '--why=tree counts a tree alone; leave out -M' --why=tree -M list
wrong "--why can't be combined with --sample" --why --sample
wrong '--why=tree runs a command once for each level' --why=tree -r 2
wrong '--topdown=LEVEL counts all in one run' --why=tree -I 100
refuse 'leave out -a' --why=tree -a
wrong '--why prints a page of text' --why --json
wrong '--why prints a page of text' --why --html "$work/page"
wrong '--why runs a command once for each level' --why -r 3
wrong '--why counts a tree alone' --why -e cs
wrong 'a tree alone; leave out -e' --why=tree -e cs
wrong 'a tree alone; leave out -M' --why=tree -M ipc
wrong 'a tree alone; leave out -M' --why=tree -M topdown
wrong 'a tree alone; leave out -M' --why -M tma
wrong 'modifier :k' --all-kernel
wrong 'sample --by branch' --sample -b
wrong "command of perf's: perfex counts without it: .* perfex -- stat$" stat
wrong "command of perf's: perfex samples by --sample" record
wrong "command of perf's: perfex --sample COMMAND shows its report" report
wrong "command of perf's: " -e cs annotate
wrong 'modifier :u' --all-user
wrong 'has --interval' --interval-print 100
wrong '--timeout ends counting' -I 100 --interval-count 3
wrong 'a pipe' --interval-clear
wrong 'each cgroup with a -G' --for-each-cgroup a,b
wrong 'has no summary' --no-csv-summary
wrong 'shows each unit, -A each processor' --no-merge
wrong '--per=type shows each' --hybrid-merge
wrong 'cpu_core/cycles/' --cputype core
wrong 'whose names have the die' -a --per-die
wrong 'has --per=socket' -a --per-node
wrong 'has --per=socket and --per=core' -a --per-cache
wrong '--per=core and --per=cpu' -a --percore-show-thread
wrong 'around each run of a command; leave out -p' --pre true -e cs -p 1
wrong 'around each run of a command; leave out -a' --post true -e cs -a true
wrong "--pre can't be combined with --sample" --sample --pre true true
wrong "--post can't be combined with --regions" --regions --post true true
wrong 'the values of each run' -r 3 --table
wrong 'beside the estimate' --scale
wrong 'beside the estimate' --no-scale
wrong 'always ends with a summary' -I 100 --summary
wrong '-o FILE' --quiet
wrong '--delay says when' --control fd:3
wrong 'msr/smi/' -a --smi-cost
wrong 'lists them' --iostat
wrong 'without filters' --filter x
wrong 'not counted' -b 5
wrong 'the modifier :u' --user
wrong '--call-graph needs --json, --format=folded' --sample --call-graph fp
wrong '--call-graph needs --sample' --call-graph fp
wrong '--call-graph takes fp (frame pointers), or dwarf' --sample --format=folded --call-graph lbr
wrong 'from 8 to 65528\|; take fp$' --sample --format=folded --call-graph dwarf,65536
wrong 'from 8 to 65528\|; take fp$' --sample --format=folded --call-graph dwarf,
wrong '--no-inherit' -i
wrong 'numbers of processors are -C 0-3' --cpu 0-3
wrong 'numbers of processors are -C 0' --cpu 0
wrong 'from 10 to' -I 1
wrong '-r takes a number from 1' -r 0
wrong '-D takes a number' -D -1

# ---- mistyped ----
wrong 'did you mean --repeat' --repeats 3
wrong 'did you mean --event' --evnet cs
wrong 'did you mean --per-socket' --per-sockets
wrong 'did you mean --output' --ouput x
wrong 'did you mean --strict' --stirct
wrong 'several options: --per-core, --per-socket, --per-thread' --per-
wrong 'several options: --cpus, --cgroup, --compare, --call-graph, --csv, --cpu' --c
wrong 'there is no option --nonsense$' --nonsense
wrong 'there is no option -q$' -q
wrong 'there is no option -z$' -az
wrong 'takes no argument, as in "--csv=yes"' --csv=yes
wrong 'takes no argument' --strict=1
wrong 'two dashes: --csv' -csv
wrong 'two dashes: --repeat=3' -repeat=3
wrong 'two dashes: --per-core' -a -per-core
refuse '-e needs an argument' -e
refuse '--event needs an argument' --event
refuse '-r needs an argument' -o "$work/kept" -r
refuse '--compare needs an argument' --compare
refuse 'there is no command' -o "$work/kept" -e cs
refuse 'there is no command' -o "$work/kept" -e cs --
refuse 'there is no command' --strict

# ---- values ----
wrong '-r takes a number' -r ''
wrong '-r takes a number' -r 3x
wrong '-r takes a number' -r -3
wrong '-r takes a number' -r 99999999999999999999
wrong '-r takes a number' -r 1000001
wrong '-I takes a number' -I 1e3
wrong '--timeout takes a number' --timeout 0
wrong '--timeout takes a number' --timeout 10s
wrong '--delay takes a number' --delay x
wrong '--threshold takes percent' --threshold ten --diff
wrong '-p takes a number' -p x
wrong '-p takes a number' -p 0
wrong '-p takes a number' -p 99999999999
wrong '-t takes a number' -t 1,x
wrong '-t takes a number' -t 1,
wrong '-p takes a number' -p ,1
wrong '-p takes a number' -p 1,
wrong '-C takes numbers' -C 3-1
wrong '-C takes numbers' -C 0,
wrong '-C takes numbers' -C ''
wrong 'no cgroup\|not a cgroup' -G nonexistent
wrong '-G takes' -G ''
wrong 'is not an event' -e nonsense
wrong 'the list of events is empty' -e ''
wrong 'empty place' -e cs,,cs
wrong 'empty place' -e cs,
wrong 'empty place' -e PAPI_TOT_INS,
wrong 'empty place' -e 'PAPI_TOT_INS,cs, '
wrong 'a group is written' -e '{cs'
wrong 'is not a modifier' -e cs:y
wrong 'three 32-bit numbers' -e 0x1/0x2/0x3
wrong "no environment variable" -o '%q{PERFEX_NONE}'
wrong 'not "w"' -o '%w'
wrong "can't be used" --compare /nonexistent

# ---- what does not go together ----
wrong "can't be combined: leave out one" --csv --json
wrong 'exclude each other' -a -C 0
wrong 'exclude each other' -p 1 -G x
wrong "can't be combined: leave out one" -A --per=core -a
wrong '-a is given twice' -a -a
wrong 'needs -a, -C or -G' --per=socket
wrong '-r runs a command' -r 3 -a
wrong '-r runs a command' -r 3 -I 100
wrong "--per=thread and -I can't be combined" --per=thread -I 100
wrong 'leave out --per=thread' -a --per=thread
wrong '-F needs --sample' -F 99
wrong "-r can't be combined with --sample" --sample -r 3
wrong "--compare can't be combined with --sample" --sample --compare x
wrong '--threshold needs --compare or --diff' --threshold 1
wrong "can't be combined: leave out one" --compare x --diff
wrong '--compare runs commands' --compare x -a
wrong 'runs nothing' --cpu skylake -e INST_RETIRED.ANY
refuse '--append needs -o' --append touch "$work/ran"
wrong 'leave out -r' --format=openmetrics -r 3 -e cs
wrong 'leave out --diff' --format=openmetrics --diff -e cs
wrong 'leave out --append' --format=openmetrics --append -e cs
wrong 'leave out --per=thread' --format=openmetrics --per=thread -e cs
wrong "--json and --format=openmetrics can't be combined" --format=openmetrics --json -e cs
refuse '--format=openmetrics with -I needs -o FILE' --format=openmetrics -I 100 -e cs touch "$work/ran"
refuse '--format=openmetrics with -I needs -o FILE' --format=openmetrics -I 100 -o - -e cs touch "$work/ran"
wrong '--emulate runs whole commands' --emulate -I 100
wrong '--emulate runs whole commands' --emulate -a
wrong '--emulate runs whole commands' --emulate --no-inherit
wrong '--emulate runs whole commands' --emulate --per=thread
wrong "--emulate can't be combined with --sample" --emulate --sample
wrong 'has an empty place' --emulate -e instructions,
wrong '--by needs --sample' --by file
wrong '--format=folded needs --sample' --format=folded
wrong '--by takes function, file, address, line, branch or source' --sample --by cpu
wrong '--by is for the table; leave out --format=folded' --sample --by file --format=folded
wrong '--by is for the table' --sample --format=folded --by source
wrong "can't be combined: leave out one" --sample --format=folded --format=perf-data
refuse '--format=perf-data needs -o' --sample --format=perf-data touch "$work/ran"
wrong 'twice' --sample -p "$$,$$"
wrong "--append can't be combined with --sample" --sample --append
wrong "-o can't be combined with --as-libpfm4" --as-libpfm4
refuse "-e can't be combined with --as-libpfm4" --as-libpfm4 -e cs touch "$work/ran"
refuse 'there is no command to run' --as-libpfm4
refuse 'there is no command to run' --as-libpfm4 --
wrong 'process 1 can\|no process\|1 twice' -p 1,1

echo "$lines wrong command lines"
[ "$lines" -ge 100 ] || failed=1
exit $failed
