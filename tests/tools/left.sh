#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests perfex beside processes that a command leaves running, early ends that it can or cannot watch, and --wait.
# The environment: PERFEX: the program; CC: a compiler.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"

# Processes that are left read from here until the test lets them go.
mkfifo -m 666 "$work/hold"
chmod 755 "$work"
export hold="$work/hold"
let_go() { : >"$hold"; }
leave_two='cat "$hold" & setsid -f cat "$hold"; :'

# ---- exactly known: with rights, or by --strict ----
expect "two are left" 124 '^ 2 processes of the command still ran at its end; counts are up to then (--wait waits)$' \
	"$perfex" --strict -e task-clock sh -c "$leave_two"
let_go
expect "the reason" 124 'task-clock is not exact: 2 processes of the command still ran at its end' \
	"$perfex" --strict -e task-clock sh -c "$leave_two"
let_go
expect "CSV" 124 ',task-clock,up to the end,.*,"2 processes of the command' "$perfex" --strict --csv -e task-clock sh -c "$leave_two"
let_go
expect "JSON" 124 '"quality":"up to the end".*"left_running":2,"left_exactly":true}$' \
	"$perfex" --strict --json -e task-clock sh -c "$leave_two"
let_go
expect "OpenMetrics" 124 '^perfex_left_running{target=".*"} 2$' "$perfex" --strict --format=openmetrics -e task-clock sh -c "$leave_two"
let_go
expect "OpenMetrics' quality" 124 'quality="up to the end"' "$perfex" --strict --format=openmetrics -e task-clock sh -c 'cat "$hold" & :'
let_go
expect "intervals" 124 ',task-clock,up to the end,' "$perfex" --strict -I 1000 --csv -e task-clock sh -c 'cat "$hold" & :'
let_go
expect "several runs" 124 '^ 3 of 3 runs left processes running beside later ones, the first 1; counts are up to' \
	"$perfex" --strict -r 3 -e task-clock sh -c 'cat "$hold" & :'
expect "each run's" 124 '"left_running":1,"left_exactly":true},{"elapsed_s"' \
	"$perfex" --strict -r 2 --json -e task-clock sh -c 'cat "$hold" & :'
let_go
expect "a timeout" 124 '^ 1 process of the command still ran at its end; counts are up to' \
	"$perfex" --strict --timeout 2000 -e task-clock sh -c 'cat "$hold" & exec sleep 1000'
let_go
expect "none is left" 0 'task-clock,exact,' "$perfex" --strict --csv -e task-clock sh -c '/bin/true & wait'
"$perfex" --html "$work/page" -o /dev/null -e task-clock sh -c 'cat "$hold" & :'
let_go
expect "the page" 0 '"left_running":1' cat "$work/page"

# ---- waiting ----
says "the last one is waited for" 'import json, sys
result = json.load(open(sys.argv[1]))
assert result["elapsed_s"] >= 0.3, result
assert "left_running" not in result and result["events"][0]["quality"] in ("exact", "unwatched"), result' "$(
	"$perfex" --wait --json -o "$work/waited" -e task-clock sh -c 'sleep 0.1 & setsid -f sleep 0.3; :'; echo "$work/waited")"
expect "a timeout ends the wait" 0 '1 process of the command still ran' "$perfex" --wait --timeout 2000 -e task-clock sh -c 'cat "$hold" & :'
let_go
expect "strictly" 0 'task-clock' "$perfex" --wait --strict -e task-clock sh -c 'setsid -f sleep 0.1'
expect "the exit status is the command's" 3 'task-clock' "$perfex" --wait -e task-clock sh -c 'sleep 0.1 & exit 3'
# The command is over, and perfex waits.
"$perfex" --wait -e task-clock sh -c 'cat "$hold" & echo $$ >"$0.new"; mv "$0.new" "$0"' "$work/over" 2>"$work/out" &
pid=$!
for _ in $(seq 600); do ! [ -e "$work/over" ] || [ -e "/proc/$(cat "$work/over")" ] || break; sleep 0.05; done
sleep 0.3
kill -TERM $pid
wait $pid
expect "a signal ends the wait" 0 'still ran' cat "$work/out"
let_go
expect "processes that run" 125 'waits for all processes of a command.*leave out -p' "$perfex" --wait -p $$
expect "one thread" 125 'leave out --no-inherit' "$perfex" --wait --no-inherit true
expect "traced threads" 125 'leave out --per=thread' "$perfex" --wait --per=thread true

# ---- without rights ----
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] || { skip "others" "everybody may count processors"; exit $failed; }
for_others
others_run || { skip "others" "needs root, and a user who reaches the program"; exit $failed; }
theirs="$nobody $their_perfex"
# shellcheck disable=SC2086
{
	expect "alone" 0 'task-clock,exact,' $theirs --csv -e task-clock true
	expect "unwatched" 0 'task-clock,unwatched,.*nobody saw whether the kernel stopped.*use --strict' \
		$theirs --csv -e task-clock sh -c '/bin/true; :'
	expect "unwatched, a line" 0 '^ unwatched: nobody saw' $theirs -e task-clock sh -c '/bin/true; :'
	expect "unwatched, JSON" 0 '"quality":"unwatched"' $theirs --json -e task-clock sh -c '/bin/true; :'
	expect "unwatched, OpenMetrics" 0 'quality="unwatched"' $theirs --format=openmetrics -e task-clock sh -c '/bin/true; :'
	expect "watched" 0 'task-clock,exact,' $theirs --strict --csv -e task-clock sh -c '/bin/true; :'
	expect "at least one is left" 0 '^ at least 1 process of the command still ran at its end' $theirs -e task-clock sh -c "$leave_two"
	let_go
	expect "at least, JSON" 0 '"left_running":1,"left_exactly":false}$' $theirs --json -e task-clock sh -c "$leave_two"
	let_go
	expect "two, strictly" 124 '^ 2 processes of' $theirs --strict -e task-clock sh -c "$leave_two"
	let_go
	expect "they are waited for" 0 '^ unwatched' $theirs --wait -e task-clock sh -c 'setsid -f sleep 0.2; :'
	cp /bin/true "$work/others/unreadable"
	chmod 711 "$work/others/unreadable"
	chown 0 "$work/others/unreadable"
	expect "an early end" 124 'task-clock,stale,' $theirs --strict --csv -e task-clock sh -c "$work/others/unreadable; :"
	expect "an early end, unseen" 0 'task-clock,unwatched,' $theirs --csv -e task-clock sh -c "$work/others/unreadable; :"
	expect "its own early end" 0 'task-clock,stale,' $theirs --csv -e task-clock "$work/others/unreadable"
}
expect "an early end, with rights" 0 'task-clock,stale,' "$perfex" --csv -e task-clock $nobody sh -c "$work/others/unreadable; :"
exit $failed
