#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where perfex writes its results: what a file held stays until the new results are whole, what is no file is
# written to, and a signal ends each wait.
# The environment: PERFEX: the program.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
for_others

# silent NAME STATUS command...: nothing is said
silent() {
	name=$1 status=$2
	shift 2
	# shellcheck disable=SC2016
	expect "$name" "$status" '^nothing said$' sh -c '"$@" 2>&1; status=$?; echo nothing said; exit $status' sh "$@"
	[ "$(wc -l <"$work/out")" = 1 ] || fail "$name" "it says:"
}

# ---- what is no file ----
for format in --format=openmetrics --json --csv; do
	# shellcheck disable=SC2016
	expect "$format into a pipe, by its name" 0 '^[1-9]' sh -c \
		'cd "$1" && mkdir -p empty && cd empty && "$2" "$3" -e page-faults -o /dev/stdout true | wc -l' sh \
		"$work" "$perfex" $format
	expect "$format: no file is made of it" 0 '^0$' sh -c "ls '$work/empty' | wc -l"
	expect "$format into a device" 0 '^$' sh -c "'$perfex' $format -e page-faults -o /dev/null true && echo"
done
# Lines that others wrote into the same file before stay, and later ones come after perfex's.
# shellcheck disable=SC2016
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 /dev/fd/7 -; do
	expect "a file that is open already: $name" 0 '^before {"type":"counts","command".*after $' sh -c \
		'{ echo before; "$1" --json -e page-faults -o "$2" true; echo after; } >"$3" 7>&1; tr "\n" " " <"$3"; echo' sh \
		"$perfex" $name "$work/open"
done
ln -sf /dev/stdout "$work/link"
expect "a link to what is no file" 0 '^# EOF' "$perfex" --format=openmetrics -e page-faults -o "$work/link" true
expect "a link to what is no file stays one" 0 '^/dev/stdout$' readlink "$work/link"
expect "a descriptor that is not open" 125 "can't be written: Bad file descriptor" \
	"$perfex" --json -e page-faults -o /dev/fd/99 touch "$work/ran"
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/read" &
silent "a pipe with a reader" 0 "$perfex" --format=openmetrics -e page-faults -o "$work/fifo" true
wait $!
expect "what it read" 0 '^# EOF$' tail -n 1 "$work/read"
(sleep 0.3; cat "$work/fifo" >"$work/read") &
silent "a pipe whose reader comes later" 0 "$perfex" --csv -e page-faults -o "$work/fifo" true
wait $!
expect "what the later one read" 0 ',page-faults[:u]*,exact,' cat "$work/read"

# ---- a wait that a signal ends ----
# ends NAME argument...: perfex waits for a reader, and each of these signals ends it and the command
ends() {
	what=$1
	shift
	for signal in INT TERM HUP QUIT; do
		rm -f "$work/ran"
		# A command in a shell's background ignores SIGINT and SIGQUIT. libtool's script, which bash runs, would ignore
		# SIGQUIT where that comes before perfex, on a busy machine.
		silent "$what: SIG$signal ends the wait" 124 env --default-signal=INT,QUIT,HUP \
			timeout -k 5 -s $signal 0.3 "$their_perfex" "$@" touch "$work/ran"
		[ ! -e "$work/ran" ] || fail "$what: SIG$signal" "the command ran"
	done
}
for format in --csv --format=openmetrics; do ends "a pipe without a reader, $format" $format -e page-faults -o "$work/fifo"; done
ends "a pipe without a reader, samples" --sample -e cpu-clock -o "$work/fifo"
ends "a pipe without a reader, intervals" -I 100 -e page-faults -o "$work/fifo"
ends "a pipe without a reader, threads" --per=thread -e page-faults -o "$work/fifo"

# ---- a file that can't be written whole ----
# With no room for it what was there stays, and nothing is left beside it.
kept() {	# NAME argument...
	what=$1
	shift
	rm -rf "$work/full" && mkdir "$work/full" && echo precious >"$work/full/kept"
	# shellcheck disable=SC2016
	expect "no room: $what" 125 'could not be written: File too large' sh -c 'ulimit -f 1; exec "$@"' sh \
		"$perfex" "$@" -o "$work/full/kept" true
	expect "no room: $what: what was there" 0 '^precious$' cat "$work/full/kept"
	expect "no room: $what: no part of the results" 0 '^9$' sh -c "wc -c <'$work/full/kept'"
	expect "no room: $what: nothing else" 0 '^kept$' sh -c "ls '$work/full'"
}
long=page-faults
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do long=$long,page-faults,task-clock; done
kept table -e $long
kept json --json -e $long
kept csv --csv -e $long
kept openmetrics --format=openmetrics -e nonsense1/x/,nonsense2/x/,nonsense3/x/,nonsense4/x/,nonsense5/x/,nonsense6/x/
kept "json, appended" --append --json -e $long
kept samples --sample --format=perf-data -e cpu-clock
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	# A disk that is full, and a file that is mounted, which can't be replaced but written into.
	# shellcheck disable=SC2016
	expect "a full disk" 125 'could not be written: No space left' unshare -m sh -c '
		mount -t tmpfs -o size=4k none "$1" && echo precious >"$1/kept" && "$2" --json -o "$1/kept" -e "$3" true
		status=$?; cp -r "$1" "$4"; exit $status' sh "$work/full" "$perfex" $long "$work/copy"
	expect "a full disk: what was there" 0 '^precious$' cat "$work/copy/kept"
	expect "a full disk: nothing else" 0 '^kept$' sh -c "ls '$work/copy'"
	echo a long text that is longer than that which comes: it is more than one line and so on >"$work/mounted"
	: >"$work/full/place"
	# shellcheck disable=SC2016
	expect "a file that is mounted" 0 '^value,scaled,.*,page-faults,exact' unshare -m sh -c '
		mount --bind "$1" "$2" && "$3" --csv -e page-faults -o "$2" true && tr "\n" " " <"$1"' sh \
		"$work/mounted" "$work/full/place" "$perfex"
	mkdir "$work/theirs" && chmod 1777 "$work/theirs" && echo old >"$work/theirs/file"
	chmod 666 "$work/theirs/file"
	chmod 755 "$work"
	if others_run; then
		silent "another's file that may be written" 0 $nobody \
			"$their_perfex" --csv -e task-clock -o "$work/theirs/file" true
		expect "another's file is written" 0 'task-clock' cat "$work/theirs/file"
		expect "another's file is still theirs" 0 '^0 666$' stat -c '%u %a' "$work/theirs/file"
		# Its owner could read what was on stacks.
		expect "samples into another's file" 125 "it is another user's" $nobody \
			"$their_perfex" --sample --format=perf-data -e cpu-clock -o "$work/theirs/file" touch "$work/ran"
		expect "samples into another's file: the results before" 0 'task-clock' cat "$work/theirs/file"
	else
		skip "another's file that may be written" "needs a perfex that others can reach"
	fi
fi
echo old >"$work/mode"
chmod 604 "$work/mode"
"$perfex" --csv -e page-faults -o "$work/mode" true
expect "the mode that it had" 0 '^604$' stat -c %a "$work/mode"
ln -sf mode "$work/link"
"$perfex" --json -e page-faults -o "$work/link" true
expect "a link stays one" 0 '^{"type":"counts","command"' sh -c "test -L '$work/link' && cat '$work/mode'"
"$perfex" --json --append -e page-faults -o "$work/mode" true
expect "two documents" 0 '^2$' sh -c "wc -l <'$work/mode'"
# Before the command's end, however slow the machine is.
"$perfex" -I 20 --csv -e page-faults -o "$work/mode" \
	sh -c "until test -e '$work/seen'; do sleep 0.1; done" &
tries=0
until grep -q ',page-faults[:u]*,' "$work/mode" || [ $tries = 300 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
expect "intervals are there at once" 0 ',page-faults[:u]*,' cat "$work/mode"
touch "$work/seen"
wait $!
# A header is at the beginning of a file, and nowhere else.
for way in "-I 100" ""; do
	for times in 1 2; do
		# shellcheck disable=SC2086
		"$perfex" --append $way --csv -e page-faults -o "$work/headers$way" true
		expect "one header, $times results, $way" 0 '^1$' grep -c 'value,scaled' "$work/headers$way"
		expect "it comes first, $times results, $way" 0 'value,scaled' head -n 1 "$work/headers$way"
	done
done
expect "no name" 125 "a file has a name" "$perfex" -e page-faults -o '' touch "$work/ran"
expect "nothing ran in vain" 0 '^no$' sh -c "test -e '$work/ran' || echo no"
exit $failed
