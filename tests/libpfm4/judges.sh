#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# libpfm.so.4 of compat/libpfm4 against libpfm4 4.13: numbers and layouts of its header; what it selects for every
# event and mask, with modifiers, on many processors; the words of its own tests, and LLVM's; its own examples, built
# against its header and run here; PAPI's and LLVM's programs. Nothing of theirs is kept: they come from Debian's packages.
# usage: judges.sh BUILD WORKDIR	BUILD: configure's directory, after make and make compat/libpfm4/libpfm.la
# Codes are tests/tables' matter: here the names that both know must have the same type, modes, periods and so on.
# Prints a line per check; exit status 0 if none failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(cd "${1:?usage: judges.sh BUILD WORKDIR}" && pwd)
mkdir -p "${2:?usage: judges.sh BUILD WORKDIR}"
work=$(cd "$2" && pwd)
root=$work/root host=x86_64-linux-gnu version=4.13.0
failed=0
check() {	# NAME STATUS
	[ "$2" = 0 ] && echo "PASS $1" || { echo "FAIL $1"; failed=1; }
}

# ---- what there is to judge by ----

for package in libpfm4 libpfm4-dev libpapi7.0 papi-tools; do
	"$top/tests/vm/deb.sh" bookworm amd64 $package "$root" || exit 1
done
theirs=$root/usr/lib/$host
own=$build/compat/libpfm4/.libs:$build/lib/.libs
"$top/tests/vm/source.sh" libp/libpfm4/libpfm4_$version.orig.tar.gz \
	d18b97764c755528c1051d376e33545d0eb60c6ebf85680436813fa5b04cc3d1 "$work/source.tar.gz" &&
	tar -xzf "$work/source.tar.gz" -C "$work" || { echo "FAIL libpfm4's source"; exit 1; }
source=$work/libpfm-$version
compile() {	# OUTPUT argument...
	output=$1
	shift
	# shellcheck disable=SC2086
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -w -o "$work/$output" "$@" || { echo "FAIL $output does not compile"; exit 1; }
}

# ---- numbers and layouts ----

compile abi -I"$source/include" "$here/abi.c"
compile abi-own -DOWN -I"$top" "$here/abi.c"
"$work/abi" >"$work/abi.theirs"
"$work/abi-own" >"$work/abi.ours"
diff "$work/abi.theirs" "$work/abi.ours" && [ "$(wc -l <"$work/abi.ours")" -ge 80 ]
check "$(wc -l <"$work/abi.ours") numbers and places of the header" $?
nm -D --defined-only "$theirs/libpfm.so.4" | awk '{ print $3 }' | sort >"$work/names.theirs"
nm -D --defined-only "$build/compat/libpfm4/.libs/libpfm.so.4" | awk '{ print $3 }' | sort >"$work/names.ours"
diff "$work/names.theirs" "$work/names.ours"
check "functions that the library exports" $?

# ---- what names select ----

compile attrs -I"$source/include" "$here/attrs.c" "$theirs/libpfm.so.4"
# The same with our objects, on any processor.
compile attrs-own -I"$top/include" -I"$top" -I"$build/include" -I"$source/include" "$here/attrs.c" "$here/processor.c" \
	"$top"/compat/libpfm4/*.c "$build/lib/.libs/libinternal.a" -pthread

theirs() { LD_LIBRARY_PATH=$theirs "$@"; }
# The numbers of PMUs, and their names. Ours may have one more, of a processor that libpfm4 does not know.
theirs "$work/attrs" pmus | sort >"$work/pmus.theirs"
SIGNATURE=506e3 "$work/attrs-own" pmus | sort >"$work/pmus.ours"
[ "$(comm -12 "$work/pmus.theirs" "$work/pmus.ours" | wc -l)" -ge 43 ]
check "$(comm -12 "$work/pmus.theirs" "$work/pmus.ours" | wc -l) PMUs have libpfm4's numbers and names" $?
# Those that this build of libpfm4 leaves out, as of other ISAs, are in its header all the same.
comm -13 "$work/pmus.theirs" "$work/pmus.ours" | grep -v -E '^[0-9]+ (arm_|power|p6 |coreduo |pm |ppro |pii )'
check "no PMU has another number" $((!$?))

# Where both know a word, all but the code is the same; and what is wrong there is wrong here.
judge() {	# NAME least
	paste -d '\n' "$work/$1.theirs" "$work/$1.ours" | awk -v least="$2" '
		NR % 2 { split($0, theirs); line = $0; next }
		{ words++ }
		theirs[1] != $1 { print "    lines differ:", line, "|", $0; bad++; next }
		theirs[2] == "error" { bad += ($2 != "error" && theirs[3] == -9); next }
		$2 == "error" { next }
		{
			both++
			same += line == $0
			$3 = $4 = theirs[3] = theirs[4] = ""
			for (i = 1; i <= NF; i++)
				if (theirs[i] != $i) {
					print "    " line " | " $0
					bad++
					break
				}
		}
		END {
			printf "    %d words, %d of them known here, %d of these the same to the bit\n", words, both, same
			exit bad || both < least * words
		}'
	check "$1: types, modes and sampling" $?
}
for place in 6fb:core 106c2:atom 106a5:nhm 20652:wsm 206c2:wsm_dp 206a7:snb 206d7:snb_ep 306a9:ivb 306e4:ivb_ep 306c3:hsw \
	306f2:hsw_ep 306d4:bdw 406f1:bdw_ep 506e3:skl 50654:skx 50657:clx 706e5:icl 606a6:icx 806f8:spr 506c9:glm; do
	pmu=${place#*:}
	LIBPFM_FORCE_PMU=$pmu theirs "$work/attrs" words >"$work/words"
	LIBPFM_FORCE_PMU=$pmu theirs "$work/attrs" attrs <"$work/words" >"$work/$pmu.theirs"
	SIGNATURE=${place%:*} "$work/attrs-own" attrs <"$work/words" >"$work/$pmu.ours"
	judge "$pmu" 0.4
done

# AMD's, and the kernel's own names, by the shared library, in an emulated processor.
for place in EPYC-Rome EPYC-Milan; do
	command -v qemu-x86_64 >/dev/null || { echo "SKIP $place: no qemu-x86_64 (Debian: qemu-user)"; continue; }
	run() { qemu-x86_64 -cpu $place -E LD_LIBRARY_PATH="$1" "$work/attrs" "$2"; }
	run "$theirs" words >"$work/words" 2>/dev/null
	run "$theirs" attrs <"$work/words" >"$work/$place.theirs" 2>/dev/null
	run "$own" attrs <"$work/words" >"$work/$place.ours" 2>/dev/null
	[ "$(wc -l <"$work/words")" -ge 500 ] && diff "$work/$place.theirs" "$work/$place.ours"
	check "$place: $(wc -l <"$work/words") words, all the same to the bit" $?
done

# ---- libpfm4's own tests, and LLVM's counters ----

for tests in x86:x86 arm64:arm64 power:ppc; do
	compile strings-${tests#*:} -I"$source/include" -DFILE_OF_TESTS="\"$source/tests/validate_${tests%:*}.c\"" \
		-DTESTS=${tests#*:}_test_events "$here/strings.c" "$theirs/libpfm.so.4"
	theirs "$work/strings-${tests#*:}"
done >"$work/strings.txt"
compile ours -I"$top/include" -I"$top" -I"$build/include" "$top/tests/tables/ours.c" "$build/arch/.libs/libarch.a"
# Debian 13's LLVM; the table is in its source package alone, and is kept where packages are.
llvm=19.1.7
counters=${PERFCTR_DEBS:-$work}/X86PfmCounters-$llvm.td
sum=caaf733f1a2ae8c797eb090ae640a7dd371f1beb334e14e1b93eebcb904c6bf0
if ! echo "$sum  $counters" | sha256sum -c --status 2>"$work/log"; then
	"$top/tests/vm/source.sh" l/llvm-toolchain-${llvm%%.*}/llvm-toolchain-${llvm%%.*}_$llvm.orig.tar.xz \
		ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce "$work/llvm.tar.xz" &&
		tar -xJf "$work/llvm.tar.xz" -O --wildcards --occurrence=1 '*/X86PfmCounters.td' >"$counters.new" &&
		mv "$counters.new" "$counters" || { echo "FAIL LLVM's source"; exit 1; }
	rm "$work/llvm.tar.xz"
fi
LD_LIBRARY_PATH=$theirs "$here/strings" "$work/attrs-own" "$work/attrs" "$work/ours" "$work/strings.txt" "$counters" || failed=1

# ---- programs ----

for example in examples/showevtinfo examples/check_events perf_examples/evt2raw; do
	compile "${example#*/}" -I"$source/include" "$source/$example.c" "$theirs/libpfm.so.4"
done
prints() {	# NAME WORDS command...: the exit status is 0, and the words (a regular expression) are in the output
	name=$1 words=$2
	shift 2
	"$@" >"$work/out" 2>&1 && grep -q -e "$words" "$work/out"
	status=$?
	[ $status = 0 ] || sed 's/^/    /' "$work/out" | tail -20
	check "$name" $status
}
ours() { LD_LIBRARY_PATH=$own:$theirs "$@"; }
prints "check_events" '^Codes  *: 0x1$' ours "$work/check_events"
prints "check_events: a cache" '^Actual  *Event: perf::PERF_COUNT_HW_CACHE_L1D:WRITE:ACCESS' \
	ours "$work/check_events" PERF_COUNT_HW_CACHE_L1D:WRITE:ACCESS
prints "showevtinfo" '^Name     : PERF_COUNT_SW_PAGE_FAULTS' ours "$work/showevtinfo" -O perf_ext
prints "showevtinfo: codes" '^0x0.*perf::PERF_COUNT_HW_CPU_CYCLES$' ours "$work/showevtinfo" -L -E
prints "evt2raw" '^r1c0$' ours "$work/evt2raw" r1c0
if command -v qemu-x86_64 >/dev/null; then
	emulated() { qemu-x86_64 -cpu EPYC-Rome -E LD_LIBRARY_PATH="$own" "$@"; }
	prints "check_events on Zen 2" '^Codes  *: 0x5300c0$' emulated "$work/check_events" RETIRED_INSTRUCTIONS
	prints "evt2raw on Zen 2" '^r10400c0$' emulated "$work/evt2raw" RETIRED_INSTRUCTIONS:c=1:e
fi
libpfm=$(ours ldd "$theirs/libpapi.so.7.0" | awk '$1 == "libpfm.so.4" { print $3 }')
[ "$libpfm" = "$build/compat/libpfm4/.libs/libpfm.so.4" ]
check "PAPI finds the library" $?
prints "papi_avail" 'PAPI_TOT_CYC' ours "$root/usr/bin/papi_avail"
prints "papi_native_avail" 'perf::PERF_COUNT_HW_CACHE_NODE' ours "$root/usr/bin/papi_native_avail"
prints "papi_native_avail: each event" "^Total events reported: $(ours "$work/showevtinfo" 2>/dev/null | sed -n 's/.* \([0-9]*\) supported$/\1/p' | tail -1)$" \
	ours "$root/usr/bin/papi_native_avail"
if command -v llvm-exegesis-14 >/dev/null; then
	# It encodes its counters, and without a PMU can't open them; with another name it does not come as far.
	ours env LIBPFM_VERBOSE=1 llvm-exegesis-14 -mode=latency -opcode-name=ADD64rr -mcpu=generic >"$work/out" 2>&1
	! grep -E 'event not found|Unable to create counter' "$work/out"
	check "llvm-exegesis" $?
else
	echo "SKIP llvm-exegesis: no llvm-exegesis-14 (Debian: llvm-14)"
fi
exit $failed
