#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build for other ISAs and run the unit tests there, under qemu-user.
# usage: cross.sh WORKDIR [HOST...]	default: i686, aarch64, (big-endian) powerpc and s390x, and riscv64, -linux-gnu
# powerpc64le is known, too; what it has of its own runs in a machine of tests/vm.
# Check is built for each from Debian's source package. Prints PASS or FAIL per program.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:?usage: cross.sh WORKDIR [HOST...]}"
work=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- i686-linux-gnu aarch64-linux-gnu powerpc-linux-gnu riscv64-linux-gnu s390x-linux-gnu
failed=0
# shellcheck source=tests/hosts.sh
. "$top/tests/hosts.sh"
# shellcheck source=tests/named.sh
. "$top/tests/named.sh"

check_source() {
	[ ! -e "$hosts/check/configure" ] || return 0
	mkdir -p "$work/apt/sources.d" "$work/apt/lists/partial"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
		[ -f "$f" ] || continue
		case $f in
		*.sources) sed 's/^Types:.*/Types: deb-src/' "$f" >"$work/apt/sources.d/$(basename "$f")" ;;
		*.list) sed -n 's/^deb /deb-src /p' "$f" >"$work/apt/sources.d/$(basename "$f")" ;;
		esac
	done
	options="-oDir::Etc::sourcelist=/dev/null -oDir::Etc::sourceparts=$work/apt/sources.d
		-oDir::State::lists=$work/apt/lists -oAPT::Sandbox::User=root"
	# shellcheck disable=SC2016,SC2086
	(cd "$work" && "$top/scripts/again" sh -c 'apt-get "$@" -qq update; apt-get "$@" -qq source check' get $options) \
		>"$work/check.log" 2>&1
	mv "$work"/check-*/ "$hosts/check"
	(cd "$hosts/check" && autoreconf -fi) >>"$work/check.log" 2>&1
}

# All hosts have the same release of the same C library: the first one's answers about it are the others'.
answers=$hosts/check-answers
configure_check() {
	[ ! -e "$answers" ] || cp "$answers" config.cache
	"$hosts/check/configure" -C CFLAGS=-O0 --host="$host" --disable-subunit --disable-shared --disable-timeout-tests || return
	grep -E '^(ac|hw)_cv_(func|have_decl|header|lib|librt|member|type)_' config.cache >"$answers"
}

for host; do
	build=$hosts/$host logs=$work/$host check=$hosts/check-$host
	case $host in
	i686-*) qemu="qemu-i386" ;;
	aarch64-*) qemu="qemu-aarch64" ;;
	powerpc-*) qemu="qemu-ppc -cpu 7457" ;;
	powerpc64le-*) qemu="qemu-ppc64le" ;;
	riscv64-*) qemu="qemu-riscv64" ;;
	s390x-*) qemu="qemu-s390x" ;;
	*) echo "cross.sh: no emulator is known for $host" >&2; exit 2 ;;
	esac
	check_source
	mkdir -p "$check" "$logs"
	[ -e "$check/src/.libs/libcheck.a" ] ||
		(cd "$check" && configure_check &&
		 make -C lib && make -C src libcheck.la) >"$logs/check.log" 2>&1 ||
		{ tail "$logs/check.log" >&2; exit 1; }
	# The layouts are proved by having compiled. qemu-user has no perf_event_open(2) and does not
	# wipe memory on fork, so that the other unit tests stay with real kernels.
	# unit/provider_perf stays with the host, too: a signal that a thread returns from under qemu-i386 leaves
	# it with another's thread-locals, and qemu-aarch64 knows no rt_tgsigqueueinfo(2) of signal 0.
	case $host in
	i686-* | aarch64-*) native="hybrid pmu" ;;
	powerpc64le-*) native= ;; # its pages don't say whether they may be read
	*) native=pmu ;;	# no such processors there
	esac
	# Sizes and orders of bytes are tried where they are other ones; each host tries its own instructions, its files, and bytes that
	# the kernel writes.
	case $host in
	i686-* | powerpc-*)
		widths="generic_engine powerpc_engine x86_engine assign_generic cpus_x86 events name rules_generic rules_powerpc
			rules_x86 describe table why words zoo"
		;;
	*) widths= ;;
	esac
	# shellcheck disable=SC2086
	programs=$(tests_named $widths $native bytes cpuinfo identify primitives record ring rules_power rules_riscv)
	# shellcheck disable=SC2086
	make_for "$host" perfex perfctr-info $programs || { echo "FAIL $host: build"; failed=1; continue; }
	echo "PASS $host: build"
	# shellcheck disable=SC2016,SC2086
	printf '%s\n' $programs | top=$top qemu=$qemu build=$build logs=$logs host=$host xargs -P "$(nproc)" -I PROGRAM sh -c '
		log=$logs/$(echo PROGRAM | tr / -).log
		# Signals arrive between any two instructions there, as on processors, and not between blocks of them.
		case PROGRAM in */bytes) export QEMU_SINGLESTEP=1 ;; esac
		if (cd "$top" && SIM_STEPS=20000 FUZZ_SETS=50 FUZZ_WORDS=1000 CK_TIMEOUT_MULTIPLIER=10 srcdir=. \
			$qemu "$build/PROGRAM") >"$log" 2>&1; then
			echo "PASS $host: PROGRAM"
		else
			cat "$log"
			echo "FAIL $host: PROGRAM"
		fi' >"$logs/results"
	cat "$logs/results"
	! grep -q '^FAIL' "$logs/results" || failed=1
	# A kernel without perf_events: perfex still runs the command, and says why nothing counts.
	if $qemu "$build/perfex" -e task-clock /bin/true 2>&1 | grep -q 'CONFIG_PERF_EVENTS'; then
		echo "PASS $host: perfex"
	else
		echo "FAIL $host: perfex"
		failed=1
	fi
done
exit $failed
