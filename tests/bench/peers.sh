#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print what perfex costs beside Debian's perf, in system calls, opened events and instructions, as the table of docs/COSTS.md.
# Exit status 1 if a limit below is missed. Both run here, one after the other, so that the machine is the same.
# The environment: PERFEX, a program without a wrapper; CC; PERF (perf).
set -eu
perfex=${PERFEX:-./.libs/perfex} perf=${PERF:-perf} cc=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in strace valgrind "$perf"; do
	command -v "$tool" >/dev/null || { echo "peers.sh needs $tool: apt-get install strace valgrind linux-perf" >&2; exit 77; }
done
events=page-faults:u,context-switches,task-clock,cpu-migrations
missed=0

cat >"$work/threads.c" <<'EOT'
#include <pthread.h>
#include <unistd.h>
static void *wait_here(void *p) { pause(); return p; }
int main(void)
{
	pthread_attr_t small;
	pthread_t thread;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < 999; i++)
		pthread_create(&thread, &small, wait_here, 0);
	if (write(1, "\n", 1) != 1)
		return 1;
	pause();
	return 0;
}
EOT
$cc -O1 -pthread "$work/threads.c" -o "$work/threads"

# calls PATTERN command...: how many system calls it makes itself, of those that match; signals are no calls
calls() {
	pattern=$1
	shift
	strace -o "$work/calls" "$@" >/dev/null 2>&1
	grep -c "$pattern" "$work/calls" || :
}

# intervals COUNT command...: calls or instructions of 20 intervals more; on a busy machine there are fewer of them
intervals() {
	count=$1
	shift
	for seconds in 1 3; do
		rm -f "$work/lines"
		$count "$@" -I 100 -o "$work/lines" sleep $seconds
		sed 's/^ *\([0-9.]*\) .*/\1/' "$work/lines" | grep '^[0-9]*\.[0-9]*$' | uniq | wc -l
	done | tr '\n' ' ' | awk '{ printf "%.0f", 20 * ($3 - $1) / ($4 - $2) }'
}

# runs command...: the calls of 200 runs more; perf takes one more or less by how soon the command ends
runs() { echo $(($(calls '(' "$@" -r 220 -o /dev/null true) - $(calls '(' "$@" -r 20 -o /dev/null true))); }

before=
instructions() { $before valgrind --tool=callgrind --callgrind-out-file="$work/out" "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'; }

# without_rights command...: its instructions where it may not see other programs' records, of which a busy machine has many
without_rights() {
	before="setpriv --inh-caps=-sys_admin,-perfmon --bounding-set=-sys_admin,-perfmon"
	instructions "$@"
	before=
}

# row NAME OURS THEIRS LIMIT: the limit is in percent of theirs
row() {
	echo "| $1 | $2 | $3 |"
	if [ $(($2 * 100)) -gt $(($3 * $4)) ]; then
		echo "$1: $2 are more than $4 % of perf's $3" >&2
		missed=1
	fi
}

echo "| | perfex | perf stat |"
echo "|---|---|---|"
mkfifo "$work/ready"
"$work/threads" >"$work/ready" &
pid=$!
read -r _ <"$work/ready"
row "events opened for a process of 1,000 threads" "$(calls ^perf_event_open "$perfex" -p $pid -e page-faults true)" \
	"$(calls '^perf_event_open.*= [0-9]*$' "$perf" stat -p $pid -e page-faults true)" 110
row "system calls for them" "$(calls '(' "$perfex" -p $pid -e page-faults true)" "$(calls '(' "$perf" stat -p $pid -e page-faults true)" 120
kill $pid
row "events that each fork of a command of 4 events inherits" "$(calls inherit=1 "$perfex" -e $events true)" \
	"$(calls inherit=1 "$perf" stat -e $events true)" 100
row "system calls for 20 intervals of 4 events" "$(intervals "calls (" "$perfex" -e $events)" "$(intervals "calls (" "$perf" stat -e $events)" 99
user=page-faults:u,context-switches:u,task-clock:u,cpu-migrations:u
row "instructions for them in user mode, without CAP_PERFMON" "$(intervals without_rights "$perfex" -e $user)" \
	"$(intervals without_rights "$perf" stat -e $user)" 99
row "system calls for 200 runs of 4 events" "$(runs "$perfex" -e $events)" "$(runs "$perf" stat -e $events)" 99
a=$(instructions "$perfex" -a -e page-faults -o /dev/null sleep 1)
b=$(instructions "$perfex" -a -e page-faults -o /dev/null sleep 4)
echo "| instructions in a second of -a, in user mode | $(((b - a) / 3)) | |"
[ $(((b - a) / 3)) -le 20000 ] || { echo "-a: $(((b - a) / 3)) instructions a second" >&2; missed=1; }
exit $missed
