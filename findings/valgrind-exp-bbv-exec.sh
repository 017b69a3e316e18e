#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# exp-bbv's totals of several processes do not add up, which its manual does not say. A process that executes another program has
# no total of what it did before: the tool writes one only when a process ends. A child of fork() begins with its parent's total,
# which is then there twice. Callgrind can write at functions (--dump-before=fork, execve) and begin again; exp-bbv has no such
# option. It matters to whoever takes exp-bbv, three times as fast, as a counter of instructions of a command with children.
set -eu
version=1:3.19.0-1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v cc >/dev/null && [ "$(uname -m)" = x86_64 ] || { echo "not tried: needs a C compiler on x86-64"; exit 77; }
apt-get -qq download "valgrind=$version" && dpkg -x valgrind_*.deb root || { echo "not tried: no package valgrind $version"; exit 77; }
echo "version: valgrind $version"
VALGRIND_LIB=$work/root/usr/libexec/valgrind
export VALGRIND_LIB
cat >loops.c <<'EOC'
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void loop(void)
{
	for (volatile int i = 0; i < 1000000; i++)
		;
}
int main(int argc, char **argv)
{
	loop();
	if (!strcmp(argv[1], "twice"))
		loop();
	if (!strcmp(argv[1], "execve"))
		execl(argv[0], argv[0], "once", NULL);
	if (!strcmp(argv[1], "fork") && !fork()) {
		loop();
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
EOC
cc -O0 -static loops.c -o loops
bbv() {	# WHAT: the sum of all processes' totals, in thousands
	rm -f log.*
	root/usr/bin/valgrind --tool=exp-bbv --trace-children=yes --bb-out-file=/dev/null --log-file=log.%p ./loops "$1" 2>/dev/null
	awk '/Total instructions:/ { n += $NF } END { print int(n / 1000) }' log.*
}
callgrind() {
	rm -f out.*
	root/usr/bin/valgrind -q --tool=callgrind --trace-children=yes --callgrind-out-file=out.%p --dump-before=execve \
		--dump-before=__execve --dump-before=fork --dump-before=__libc_fork --dump-before=_Fork ./loops "$1" 2>/dev/null
	awk '/^totals:/ { n += $2 } END { print int(n / 1000) }' out.*
}
once=$(bbv once)
loop=$(($(bbv twice) - once))
loops() { echo $((($1 - once + loop / 2) / loop + 1)); }
bbv_exec=$(loops "$(bbv execve)") bbv_fork=$(loops "$(bbv fork)")
callgrind_exec=$(loops "$(callgrind execve)") callgrind_fork=$(loops "$(callgrind fork)")
echo "a loop, then execve() of the program with one: exp-bbv $bbv_exec, callgrind $callgrind_exec loops, of 2"
echo "a loop, then a child of fork() with another one: exp-bbv $bbv_fork, callgrind $callgrind_fork loops, of 2"
[ "$bbv_exec $bbv_fork $callgrind_exec $callgrind_fork" = "1 3 2 2" ]
