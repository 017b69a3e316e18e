#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfctr_containers(7): the system calls in its table are those that programs make; a container engine's profile refuses to count,
# and with seccomp-perf counts, and is else the same; in a user namespace the reason is the namespace.
# The environment: srcdir; CC; LIBPERFCTR, the build's .libs directory; PERFEX.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) cc=${CC:-cc} lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
perfex=$(cd "$(dirname "${PERFEX:-./perfex}")" && pwd)/perfex
page=$srcdir/man/perfctr_containers.7 add=$srcdir/contrib/containers/seccomp-perf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 skipped=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
skip() { echo "SKIP $1"; skipped=1; }
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH

# Without a kernel that counts there is nothing to try.
"$perfex" --strict -e task-clock -- true >/dev/null 2>&1
case $? in
0) ;;
124 | 125) echo "SKIP containers: this machine lets nobody count"; exit 77 ;;
*) echo "FAIL perfex"; exit 1 ;;
esac

calls_of() {	# PROGRAM: the calls that it makes, a line each
	timeout 60 strace -qq -f -o "$work/trace" "$1" >/dev/null 2>&1 </dev/null
	sed -n 's/^[0-9]* *\([a-z0-9_]*\)(.*/\1/p' "$work/trace" | sort -u
}

compile() {	# NAME SOURCE
	$cc -D_GNU_SOURCE -w -I"$srcdir/include" -Iinclude "$2" -L"$lib" -lperfctr -lpthread -o "$work/$1"
}

table() {	# FEATURE
	sed -n "s/^\.It $1 Ta //p" "$page" | tr ' ' '\n' | sort -u
}

if ! [ -e "$lib/libperfctr.so" ] || ! command -v strace >/dev/null || ! strace -qq -o "$work/trace" true 2>/dev/null; then
	skip "system calls: needs strace, and a shared library"
else
	# These are the calls of any program that prints, allocates, starts a thread, and ends.
	cat >"$work/plain.c" <<-'EOT'
	#include <pthread.h>
	#include <signal.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <time.h>
	static void *thread(void *argument) { return argument; }
	int main(void)
	{
		pthread_t t;
		struct timespec ms = { 0, 1000000 };
		if (pthread_create(&t, NULL, thread, malloc(1 << 20)) == 0)
			pthread_join(t, NULL);
		nanosleep(&ms, NULL);
		return puts("") < 0;
	}
	EOT
	compile plain "$work/plain.c"
	{
		calls_of "$work/plain"
		# The same under other names, by another machine or C library, and of a thread that had to wait.
		printf '%s\n' clone exit futex nanosleep clock_nanosleep madvise getrandom mmap2 sched_yield restart_syscall
	} | sort -u >"$work/plain.calls"
	while read -r program feature; do
		compile "$program" "$srcdir/examples/$program.c" || { check "$program compiles" 1; continue; }
		calls_of "$work/$program" | comm -23 - "$work/plain.calls" >"$work/calls"
		table "$feature" >"$work/listed"
		comm -23 "$work/calls" "$work/listed" >"$work/more"
		[ ! -s "$work/more" ] || { echo "$program.c makes these calls, which the page does not have:"; cat "$work/more"; }
		grep -q -x perf_event_open "$work/listed" && [ ! -s "$work/more" ]
		check "calls of $feature, by $program.c" $?
	done <<-'EOT'
	self counters by control
	signal overflow signals
	inline sets
	global processors
	sampling samples
	regions regions
	threads threads
	EOT
fi

# The profile, as an older engine and as a newer one have it.
printf '%s' '{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"name":"read","action":"SCMP_ACT_ALLOW"},
	{"names":["bpf","perf_event_open"],"action":"SCMP_ACT_ALLOW","includes":{"caps":["CAP_SYS_ADMIN"]}},
	{"names":["perf_event_open"],"action":"SCMP_ACT_ERRNO","excludes":{"caps":["CAP_SYS_ADMIN"]}}]}' >"$work/made.json"
if command -v python3 >/dev/null; then
	python3 "$add" <"$work/made.json" | tr -d ' \t\n' >"$work/said"
	[ "$(cat "$work/said")" = '{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"name":"read","action":"SCMP_ACT_ALLOW"},{"names":["bpf"],"action":"SCMP_ACT_ALLOW","includes":{"caps":["CAP_SYS_ADMIN"]}},{"names":["perf_event_open"],"action":"SCMP_ACT_ALLOW"}]}' ]
	check "seccomp-perf" $?
	printf '%s' '{"defaultAction":"SCMP_ACT_ERRNO","archMap":[],"syscalls":[{"name":"read","action":"SCMP_ACT_ALLOW"},
		{"names":["mount"],"action":"SCMP_ACT_ALLOW","includes":{"caps":["CAP_SYS_ADMIN"]}},
		{"names":["chroot"],"action":"SCMP_ACT_ALLOW","includes":{"caps":["CAP_SYS_CHROOT"]},"comment":"usual"},
		{"names":["bdflush"],"action":"SCMP_ACT_ALLOW","includes":{"arches":["none"]}},
		{"names":["clone3"],"action":"SCMP_ACT_ERRNO","errnoRet":38,"args":null,"excludes":{"caps":["CAP_SYS_ADMIN"],"arches":["none"]}},
		{"names":["setns"],"action":"SCMP_ACT_ALLOW","excludes":{"caps":["CAP_KILL"]}}]}' |
		python3 "$add" --containerd | tr -d ' \t\n' >"$work/said"
	[ "$(cat "$work/said")" = '{"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"names":["read"],"action":"SCMP_ACT_ALLOW"},{"names":["chroot"],"action":"SCMP_ACT_ALLOW"},{"names":["clone3"],"action":"SCMP_ACT_ERRNO","errnoRet":38},{"names":["perf_event_open"],"action":"SCMP_ACT_ALLOW"}]}' ]
	check "seccomp-perf --containerd has no conditions" $?
	for wrong in '' '{' '[]' '{}' '{"syscalls":3}' '{"syscalls":[1]}' '{"syscalls":[{}]}' '{"syscalls":[{"names":3}]}'; do
		! printf '%s' "$wrong" | python3 "$add" >"$work/said" 2>&1 && grep -q '^seccomp-perf: [a-z].*' "$work/said" &&
			[ "$(wc -l <"$work/said")" = 1 ]
		check "seccomp-perf refuses \"$wrong\"" $?
	done
else
	skip "seccomp-perf: there is no Python"
fi

inside() {	# SECCOMP-PROFILE command...
	profile=$1
	shift
	bwrap --ro-bind / / --dev /dev --proc /proc --seccomp 9 "$@" 9<"$profile"
}
default=/usr/share/containers/seccomp.json
if ! bwrap --ro-bind / / --dev /dev --proc /proc true 2>/dev/null; then
	skip "confined programs: bwrap is not there, or not allowed"
else
	if [ -r $default ] && /usr/bin/python3 -c 'import seccomp' 2>/dev/null; then
		/usr/bin/python3 "$add" <$default >"$work/perf.json"
		for kind in default perf; do
			profile=$default
			[ $kind = default ] || profile=$work/perf.json
			/usr/bin/python3 "$srcdir/tests/bpf.py" <"$profile" >"$work/$kind.bpf"
			/usr/bin/python3 "$srcdir/tests/bpf.py" --actions <"$profile" | grep -v '^perf_event_open ' | sort >"$work/$kind.actions"
		done
		[ -s "$work/default.actions" ] && cmp "$work/default.actions" "$work/perf.actions"
		check "nothing else in the profile changes" $?
		! inside "$work/default.bpf" "$perfex" --strict -e task-clock -- true >"$work/said" 2>&1 &&
			grep -q 'a seccomp filter forbids' "$work/said"
		check "the engine's profile refuses, and the sentence says so" $?
		inside "$work/perf.bpf" "$perfex" --csv -o /dev/stdout -e task-clock -- true >"$work/said" 2>&1 &&
			grep -q 'task-clock,exact' "$work/said" || { cat "$work/said"; false; }
		check "with seccomp-perf it counts" $?
	else
		skip "profiles: needs golang-github-containers-common and python3-seccomp"
	fi
	if ! bwrap --unshare-user --ro-bind / / --proc /proc true 2>/dev/null; then
		skip "user namespaces: not allowed here"
	elif [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 1 ]; then
		skip "user namespaces: at this paranoid level everybody may count processors"
	else
		! bwrap --unshare-user --cap-add ALL --ro-bind / / --dev /dev --proc /proc "$perfex" -a -e cpu-clock -- true \
			>"$work/said" 2>&1 && grep -q 'outside of this user namespace' "$work/said"
		check "in a user namespace the reason is the namespace" $?
	fi
fi
[ $failed = 0 ] || exit 1
[ $skipped = 0 ] || exit 77
