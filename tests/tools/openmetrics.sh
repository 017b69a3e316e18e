#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --format=openmetrics: what Prometheus' own tool and a strict reader of OpenMetrics make of it, and the file, which
# is whole at each moment.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
needs_kernel
for_others
prom=$work/perfex.prom

# Two readers, of which the first takes the older text format, as node exporters do.
cat >"$work/strict.py" <<'EOT'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read
for family in read(open(sys.argv[1]).read()):
    for sample in family.samples:
        print(family.type, family.unit, sample.name, sample.labels, sample.value)
EOT
for python in python3 /usr/bin/python3 none; do
	! "$python" -c 'import prometheus_client' 2>/dev/null || break
done
valid() {	# NAME
	if command -v promtool >/dev/null; then
		expect "$1: promtool" 0 '^$' sh -c "promtool check metrics <'$prom' && echo"
	else
		skip "$1: promtool" "needs Debian's package prometheus"
	fi
	if [ $python != none ]; then
		expect "$1: strictly" 0 'unknown  perfex_[a-z]*_total ' "$python" "$work/strict.py" "$prom"
	else
		skip "$1: strictly" "needs Debian's package python3-prometheus-client"
	fi
}

# ---- what is in it ----
# Twice the same event is once the same sample; what is not counted has no value.
"$perfex" --format=openmetrics -o "$prom" -e cs,task-clock,cs,nonsense/x/ true
valid "a command"
expect "a count" 0 '^perfex_events_total{target="true",event="cs",quality="exact"} [0-9]*$' cat "$prom"
expect "a count, once" 0 '^1$' grep -c '^perfex_events_total' "$prom"
expect "a clock in seconds" 0 \
	'^perfex_seconds_total{target="true",event="task-clock",quality="exact"} [0-9]\.[0-9]*$' cat "$prom"
expect "a reason" 0 '^perfex_counted{target="true",event="nonsense/x/",reason="this machine has no PMU \\"nonsense.*} 0$' \
	cat "$prom"
expect "its end" 0 '^# EOF$' tail -n 1 "$prom"
expect "what is not counted has no value" 0 'yes' sh -c "! grep -q 'total.*nonsense' '$prom' && echo yes"
# Metrics, each once; one without a value says why.
"$perfex" --format=openmetrics -o "$prom" -e cs -M frequency,FREQUENCY,ipc true
valid "metrics"
expect "a metric" 0 '^perfex_metric_known{target="true",metric="frequency"[,}].* [01]$' cat "$prom"
expect "a metric, once" 0 '^1$' grep -c '^perfex_metric_known.*frequency' "$prom"
if "$perfex" --strict -e task-clock:u,cycles:u true 2>/dev/null; then
	expect "a metric's value" 0 '^perfex_metric{target="true",metric="frequency",unit="GHz",quality="exact"} [0-9]' cat "$prom"
	expect "a threshold" 0 '^perfex_metric_beyond{target="true",metric="ipc",threshold="ipc < 1"} [01]$' cat "$prom"
	expect "no reason" 0 '"frequency"} 1$' cat "$prom"
else
	expect "no metric's value" 0 'yes' sh -c "! grep -q '^perfex_metric{' '$prom' && echo yes"
	expect "a metric's reason" 0 '"frequency",reason="[^"].*} 0$' cat "$prom"
fi
# A command may have any name.
"$perfex" --format=openmetrics -o "$prom" -e cs sh -c ':' 'a"b\c
d' "$(printf '\377\200')"
valid "any name"
expect "any name, as it is" 0 'target="sh -c : a\\"b\\\\c\\nd ��"' cat "$prom"
expect "on standard output" 0 '^# EOF' "$perfex" --format=openmetrics -o - -e cs true
expect "on standard error" 0 '^# EOF' "$perfex" --format=openmetrics -e cs true
if "$perfex" -a -e cs true 2>/dev/null; then
	"$perfex" -a -A --format=openmetrics -o "$prom" -e cs,cpu-clock sleep 0.02
	valid "processors"
	expect "each processor, and no sum" 0 "^$(getconf _NPROCESSORS_ONLN)\$" grep -c '^perfex_events_total' "$prom"
	expect "a processor" 0 '{target="all processors",event="cs",cpu="0",quality="exact"}' cat "$prom"
fi

# ---- the file ----
# A reader sees all of the file while it is replaced; counts only rise; nothing else is left.
# shellcheck disable=SC2016
"$perfex" -I 10 --format=openmetrics -o "$prom" -e page-faults,task-clock sh -c 'i=0
	while [ $i -lt 100 ]; do true & wait; sleep 0.02; i=$((i + 1)); done' &
perfex_pid=$!
reads=0 bad=0 last=0 changes=0
rm -f "$prom"
while kill -0 $perfex_pid 2>/dev/null; do
	cp "$prom" "$work/seen" 2>/dev/null || continue
	now=$(sed -n 's/^perfex_events_total.* //p' "$work/seen")
	reads=$((reads + 1))
	if [ "$(tail -n 1 "$work/seen")" != "# EOF" ] || [ "$now" -lt "$last" ]; then bad=$((bad + 1)); fi
	[ "$now" = "$last" ] || changes=$((changes + 1))
	last=$now
done
wait $perfex_pid
echo "$reads reads, $bad bad, $changes changes, $last" >"$work/out"
if [ $bad = 0 ] && [ $reads -gt 5 ] && [ $changes -gt 2 ]; then
	pass "whole at each moment"
else
	fail "whole at each moment" "not so:"
fi
valid "intervals"
expect "nothing else" 0 '^perfex.prom$' sh -c "cd '$work' && ls perfex.prom*"
umask 027
rm "$prom"
"$perfex" --format=openmetrics -o "$prom" -e cs true
expect "a new file's mode" 0 '^640$' stat -c %a "$prom"
chmod 604 "$prom"
"$perfex" --format=openmetrics -o "$prom" -e cs true
expect "the mode that it had" 0 '^604$' stat -c %a "$prom"
if chown 65534:65533 "$prom" 2>/dev/null; then
	"$perfex" --format=openmetrics -o "$prom" -e cs true
	expect "whose it was" 0 '^65534:65533 604$' stat -c '%u:%g %a' "$prom"
	chmod 664 "$prom"
	chmod 777 "$work"
	if setpriv --reuid 65534 --regid 65532 --clear-groups "$their_perfex" --format=openmetrics -o "$prom" -e cs true 2>/dev/null; then
		expect "a group that it can't have" 0 '^65534:65532 604$' stat -c '%u:%g %a' "$prom"
	fi
	chmod 755 "$work"
fi
ln -s perfex.prom "$work/link"
echo old >"$prom"
"$perfex" --format=openmetrics -o "$work/link" -e cs true
expect "a link stays one" 0 'EOF' sh -c "test -L '$work/link' && cat '$prom'"
# Where the kernel follows no links, neither does perfex: others may have left them there.
if unshare -m true 2>/dev/null && mkdir "$work/mount" && unshare -m mount -t tmpfs -o nosymfollow none "$work/mount" 2>/dev/null; then
	# shellcheck disable=SC2016
	expect "a link that may not be followed" 125 "can't be written: \(Too many levels\|Symbolic link loop\)" unshare -m sh -c '
		mount -t tmpfs -o nosymfollow none "$1/mount" && ln -s ../perfex.prom "$1/mount/link" &&
			exec "$2" --format=openmetrics -o "$1/mount/link" -e cs true' sh "$work" "$perfex"
fi
# A device or a pipe stays, and is not replaced at intervals.
mkfifo "$work/pipe"
expect "a pipe" 125 "can't be written: --format=openmetrics with -I puts a file in its place" \
	"$perfex" --format=openmetrics -I 100 -o "$work/pipe" -e cs touch "$work/ran"
expect "a device" 125 "and it is none" "$perfex" --format=openmetrics -I 100 -o /dev/null -e cs touch "$work/ran"
expect "standard output, by its name" 125 "and it is none" \
	"$perfex" --format=openmetrics -I 100 -o /dev/stdout -e cs touch "$work/ran"
expect "a directory that there is not" 125 "can't be written: No such file" \
	"$perfex" --format=openmetrics -o "$work/none/x" -e cs touch "$work/ran"
expect "a pipe stays one" 0 'yes' sh -c "test -p '$work/pipe' && echo yes"
expect "nothing was run" 0 'yes' sh -c "test ! -e '$work/ran' && echo yes"
# A directory that goes while it counts: said once, and the command goes on.
mkdir "$work/gone"
expect "a directory that goes" 125 "could not be written" "$perfex" -I 10 --format=openmetrics -o "$work/gone/x" -e cs \
	sh -c "sleep 0.05; mv '$work/gone' '$work/away'; sleep 0.1; touch '$work/ran'"
expect "why" 0 'the results could not be written: No such file' cat "$work/out"
expect "said once" 0 '^1$' grep -c 'x could not be written' "$work/out"
expect "the command went on" 0 'yes' sh -c "test -e '$work/ran' && echo yes"
exit $failed
