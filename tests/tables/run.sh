#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The event tables against those of Linux and of libpfm4, event by event; perf's names and those of PAPI's presets looked up
# here; the values of the presets, of random counts, against PAPI's formulas; and the metrics against Linux's formulas, and
# LIKWID's. Nothing of theirs is kept: they come from Debian's packages.
# usage: run.sh BUILD WORKDIR	BUILD: configure's directory, after make
# The environment: LINUX_SOURCE, a linux-source-*.tar.xz, if not of Debian's newest kernel.
# Prints a line per table, and each difference that ./accepted does not have; exit status 0 if none failed.
set -eu
failed=0
tables=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$tables/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD WORKDIR}" && pwd)
mkdir -p "${2:?usage: run.sh BUILD WORKDIR}"
work=$(cd "$2" && pwd)

unpack_linux() {
	tar=${LINUX_SOURCE:-}
	if [ -z "$tar" ]; then
		"$top/tests/vm/deb.sh" trixie-backports amd64 linux-source:linux-source- "$work/linux-source"
		tar=$(echo "$work"/linux-source/usr/src/linux-source-*.tar.xz)
	fi
	mkdir -p "$work/linux"
	tar -xJf "$tar" -C "$work/linux" --strip-components=1 --wildcards \
		'linux-source-*/arch/arm64/include/asm/cputype.h' 'linux-source-*/arch/x86/include/asm/intel-family.h' \
		'linux-source-*/arch/x86/kernel/cpu/amd.c' 'linux-source-*/arch/x86/events/*' 'linux-source-*/tools/perf/pmu-events/arch/*'
	echo "$tar" | sed 's/.*linux-source-//; s/\.tar.*//' >"$work/linux/version"
}

# A build of libpfm4 knows the events of its ISA: i386's has all of x86. Debian 13's knows more than this system's,
# and wants its C library. Each version that was met goes to linux/libpfm4, once.
print_pfm() {	# DEBIAN'S-NAME HOST QEMU
	root=$work/root-$1
	for package in libpfm4 libc6; do
		"$top/tests/vm/deb.sh" trixie,sid "$1" "$package" "$root"
	done
	ln -sfn usr/lib "$root/lib"
	library=$(dirname "$root"/usr/lib/*/libpfm.so.4)
	"$2-gcc" -D_GNU_SOURCE -idirafter /usr/include "$tables/pfm.c" "$library/libpfm.so.4" \
		-Wl,--allow-shlib-undefined -o "$work/pfm-$1"
	printf '#!/bin/sh\nLIBPFM_ENCODE_INACTIVE=1 exec "%s" -L "%s" -E "LD_LIBRARY_PATH=%s" "%s" "$@"\n' \
		"$3" "$root" "$library" "$work/pfm-$1" >"$work/pfm-$1.sh"
	sh "$work/pfm-$1.sh" >"$work/pfm-$1.txt"
	gunzip -c "$root/usr/share/doc/libpfm4/changelog.Debian.gz" | sed 's/^[^(]*(\([^)]*\)).*/\1/; q' \
		>>"$work/linux/libpfm4"
}

# Linux has a function, and no table, for the counters of family 15h.
print_fam15h() {
	sed -n '/^\/\* AMD Family 15h \*\//,/^static struct event_constraint pair_constraint/p' \
		"$work/linux/arch/x86/events/amd/core.c" | sed '$d' >"$work/fam15h.h"
	${CC:-cc} -I"$work" "$tables/fam15h.c" -o "$work/fam15h"
	sed -n 's/^fam15h	//p' "$work/ours.txt" | cut -f4- | tr '\t' '\n' | sed 's,/.*,,' | sort -u |
		"$work/fam15h" >"$work/linux/fam15h"
}

get_likwid() {
	tar=${PERFCTR_DEBS:-$work}/likwid_5.4.1+dfsg.orig.tar.xz
	"$top/tests/vm/source.sh" l/likwid/likwid_5.4.1+dfsg.orig.tar.xz \
		3f1fb2b790a0d7b8f367d4aa4de3fb6685125bd3118e9e1de012918ef813206d "$tar"
	mkdir -p "$work/likwid"
	tar -xJf "$tar" -C "$work/likwid" --strip-components=1
}

# That the judge finds mistakes: metrics are changed, and fail then.
finds() {	# TABLE METRIC sed's-program
	sed "/^$1	/!d; $3" "$work/metrics.txt" >"$work/mistaken.txt"
	if "$tables/likwid" "$work/mistaken.txt" "$work/likwid" | grep -x "FAIL $1 $2" >"$work/log"; then
		echo "PASS a mistake in $2 of $1 is found"
	else
		echo "FAIL a mistake in $2 of $1 is not found"
		failed=1
	fi
}

unpack_linux
: >"$work/linux/libpfm4"
print_pfm i386 i686-linux-gnu qemu-i386
print_pfm arm64 aarch64-linux-gnu qemu-aarch64
sort -u -o "$work/linux/libpfm4" "$work/linux/libpfm4"
${CC:-cc} -I"$top/include" -I"$top" "$tables/ours.c" "$build/arch/.libs/libarch.a" -o "$work/ours"
"$work/ours" >"$work/ours.txt"
print_fam15h
"$top/tests/vm/deb.sh" trixie amd64 libpapi7.1t64 "$work/papi-7.1"
"$tables/names" "$work"/papi-7.1/usr/share/papi/*/papi_events.csv "'$work/ours'" "sh '$work/pfm-i386.sh'" \
	"sh '$work/pfm-arm64.sh'" || failed=1
"$tables/perf" "'$work/ours'" "$work/linux" || failed=1
"$tables/identities" "$work/ours" "$work/linux" || failed=1
"$tables/compare" "$work/ours.txt" "$work/linux" "$work"/pfm-*.txt || failed=1
${CC:-cc} -D_GNU_SOURCE -I"$top/include" -I"$top" -I"$build" "$tables/metrics.c" "$build/lib/.libs/libinternal.a" \
	-pthread -o "$work/metrics"
"$work/metrics" >"$work/metrics.txt"
"$tables/evaluate" "$work/metrics.txt" "$work/linux" || failed=1
get_likwid
"$tables/likwid" "$work/metrics.txt" "$work/likwid" || failed=1
finds skylake l2-load-volume 's/	l2-load-/	l2-X-/; s/	l2-evict-/	l2-load-/; s/	l2-X-/	l2-evict-/'
finds skylake flops_dp-scalar-rate 's/	flops_dp-packed-/	flops_dp-scalar-/'
finds power8 data-load-ratio 's/	1002e,0,0|PM_LD_CMPL=/	r2e|=/'
finds neoverse-v2 l2-volume 's/	l2-load-volume	/	l2-volume	/'
"$work/metrics" presets >"$work/presets.txt"
"$tables/presets" "$work/presets.txt" "$work"/papi-7.1/usr/share/papi/*/papi_events.csv "'$work/ours'" || failed=1
sed 's/^\(skylake	\)PAPI_L2_DCM	/\1PAPI_L1_DCM	/' "$work/presets.txt" >"$work/mistaken.txt"
if "$tables/presets" "$work/mistaken.txt" "$work"/papi-7.1/usr/share/papi/*/papi_events.csv "'$work/ours'" |
	grep "^FAIL skl other PAPI_L1_DCM " >"$work/log"; then
	echo "PASS a mistake in PAPI_L1_DCM of skylake is found"
else
	echo "FAIL a mistake in PAPI_L1_DCM of skylake is not found"
	failed=1
fi
${CC:-cc} -O2 -D_GNU_SOURCE -I"$top/include" -I"$top" -I"$build" "$tables/tree.c" "$build/lib/.libs/libinternal.a" \
	-pthread -o "$work/tree"
"$work/tree" >"$work/tree.values"
"$work/tree" lists >"$work/tree.lists"
"$tables/tree" "$work/tree.values" "$work/tree.lists" "$work/linux" || failed=1
exit $failed
