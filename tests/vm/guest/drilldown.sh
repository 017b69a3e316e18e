#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --topdown, --why=tree and --why, on a Skylake that counts instructions and cycles: the tree goes down as far as
# something is beyond its threshold, each run is said, and a command that fails or changes is not run again.
failed=0
run() {	# STATUS COMMAND...: it ends so; its output is in /out
	wanted=$1
	shift
	"$@" >/out 2>&1
	status=$?
	[ $status = "$wanted" ] || { echo "not ok $*: exit status $status"; cat /out; failed=1; }
}
has() {	# NAME PATTERN
	if grep -q -e "$2" /out; then echo "ok $1"; else
		echo "not ok $1"
		cat /out
		failed=1
	fi
}
hasnt() {	# NAME PATTERN
	if grep -q -e "$2" /out; then
		echo "not ok $1"
		cat /out
		failed=1
	else echo "ok $1"; fi
}

run 0 perfex --topdown -- loop 0010000000
has "the first level" '^  *9[0-9][.0-9]* %  *tma_backend_bound .*(beyond: tma_backend_bound > 20)  <== bottleneck$'
hasnt "and no more" 'tma_memory_bound\|CPU_CLK_UNHALTED'
run 0 perfex --topdown=2 -- loop 0010000000
has "the second level, indented" '^  *[.0-9]* % \{8\}tma_memory_bound .*  <== bottleneck$'
has "turns are told" '^perfex: [0-9]* groups of events take turns, each for [0-9]* % of the time: '

run 0 perfex --why=tree -- loop 0010000000
has "the second run" '^perfex: run 2, of at most 6, counts the parts of tma_backend_bound$'
has "the third" '^perfex: run 3, of at most 6, counts the parts of tma_core_bound, tma_memory_bound$'
hasnt "no fourth" 'run 4'
has "one tree" "^ counts of 'loop 0010000000', 3 runs, one for each level:"
has "of the first run" ' tma_retiring'
has "of the second" '  tma_core_bound .*(beyond: '
has "of the third" '    tma_l1_bound'
has "the bottleneck" '^ bottleneck: tma_memory_bound: slots that waited for '
run 0 perfex --why=tree --topdown=2 -- loop 0010000000
has "from the second level on" '^perfex: run 2, of at most 5, counts the parts of tma_core_bound, tma_memory_bound$'
run 0 perfex --why=tree --json -o /json -- loop 0010000000
cat /json >/out
has "json" '"drilldown_runs":3,.*"metric":"tma_memory_bound",.*"beyond":true,"level":2,"parent":"tma_backend_bound",'
has "json, of the third run" '"metric":"tma_l1_bound","run":3,.*"level":3,"parent":"tma_memory_bound",'

run 3 perfex --why=tree -- sh -c 'loop 0010000000; exit 3'
has "a command that fails" '^perfex: run 1 ended with exit status 3: the command is not run again$'
hasnt "is run once" 'run 2'
# shellcheck disable=SC2016	# the command's shell expands it
run 0 perfex --why=tree -- sh -c 'loop 0010000000; echo >>/runs; [ $(wc -l </runs) != 2 ]'
has "one that fails later" '^perfex: run 2 ended with exit status 1: the command is not run again$'
has "keeps the first run" '<== bottleneck$'
hasnt "and has nothing of the second" 'tma_memory_bound'
# shellcheck disable=SC2016
run 0 perfex --why=tree -- sh -c 'echo >>/more; loop $(($(wc -l </more) * 400000000))'
has "one that changes" '^perfex: run 2 executed [0-9]* instructions, and the first one [0-9]*: the command does not do the same'
hasnt "has nothing of the second run" 'tma_memory_bound'
run 125 perfex --why=tree --pre false -- touch /ran
has "--pre that fails" '^perfex: --pre: "false" failed with exit status 1$'
[ ! -e /ran ] || { echo "not ok the command ran after --pre had failed"; failed=1; }
# shellcheck disable=SC2016	# the shell of --pre expands it
run 125 perfex --why=tree --pre 'echo >>/pre; [ $(wc -l </pre) != 2 ]' -- loop 0010000000
has "--pre that fails later leaves the first run" '<== bottleneck$'
hasnt "and there is no other" 'tma_memory_bound'
run 125 perfex --why=tree --post false -- loop 0010000000
has "--post that fails leaves it, too" '<== bottleneck$'
hasnt "and there is no run after it" 'run 2'
# shellcheck disable=SC2016
run 143 perfex --why=tree -- sh -c 'loop 0010000000; echo >>/ends; [ $(wc -l </ends) != 2 ] || kill $$'
has "a run that a signal ends" '^perfex: run 2 ended with signal 15: the command is not run again$'
has "leaves the first one" '<== bottleneck$'

run 0 perfex --why -- loop 0100000000
[ "$(wc -l </out)" -le 24 ] || { echo "not ok --why takes more than a page"; cat /out; failed=1; }
cat /out
has "why" "^ why 'loop 0100000000', by 3 runs of counts and one of samples:$"
has "the cause" '^ cause:  tma_memory_bound, [.0-9]* % (estimate): slots that waited for '
has "and what it is in" 'in tma_backend_bound, [.0-9]* %'
has "the place" '^ place:  [1-9][0-9]* samples of '
has "most of them in the loop" '^  *\(100\|9[0-9]\)[.0-9]*%  .*, in /bin/loop$'
has "the advice" '^ try:    touch less memory'
run 3 perfex --why -o /page -- sh -c 'echo >>/tries; loop 0010000000; exit 3'
[ "$(wc -l </tries)" = 1 ] || { echo "not ok a command that fails is run again"; failed=1; }
cat /page >/out
has "why, of a command that fails, into a file" '^ place:  not looked for, since the command is not run again$'
has "its cause" '^ cause:  tma_backend_bound, '
# The fourth run is the one of samples.
# shellcheck disable=SC2016
run 125 perfex --why --pre 'echo >>/before; [ $(wc -l </before) != 4 ]' -- loop 0010000000
has "--pre that fails before the samples leaves the counts" '^ cause:  tma_memory_bound, '
has "and no place" '^ place:  not looked for, since '
# shellcheck disable=SC2016
run 0 perfex --why -- sh -c 'loop 0100000000; echo >>/fails; [ $(wc -l </fails) != 4 ]'
has "a run of samples that fails" '^perfex: run 4 ended with exit status 1: '
has "has samples all the same" '^ place:  [1-9][0-9]* samples of '
# shellcheck disable=SC2016
run 143 perfex --why -- sh -c 'echo >>/dies; [ $(wc -l </dies) != 4 ] || kill $$; loop 0010000000'
has "one that a signal ends" '^perfex: run 4 ended with signal 15: '
has "has its samples, too" '^ place:  [1-9][0-9]* samples of '
# shellcheck disable=SC2016
run 125 perfex --why --post 'echo >>/after; [ $(wc -l </after) != 4 ]' -- loop 0100000000
has "--post that fails after the samples" '^ place:  [1-9][0-9]* samples of '
exit $failed
