# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154
# The stages that scripts/test runs, by tier. Uses $top, $work and $fuzz_seconds, and stage() of scripts/stages.sh.
# shellcheck source=tests/named.sh
. "$top/tests/named.sh"

configure_in() {	# DIRECTORY [argument...]
	mkdir -p "$work/$1" && cd "$work/$1" || return
	shift
	"$top/configure" -q --enable-werror "$@"
}

# Automake's summary per program, and what each shell test says in its own log.
check() {	# [argument of make...]
	make -s -j2 "${target:-check}" "$@" ${only_test:+"TESTS=$only_test"}
	status=$?
	logs=tests
	[ -z "${only_test:-}" ] || logs=$only_test.log
	find "$logs" -name '*.log' -exec sed -n 's/^FAIL/FAIL  /p' {} +
	# Part of a test, too, counts as skipped.
	find "$logs" -name '*.log' -exec sed -n '/^SKIP /p' {} +
	[ $status = 0 ] || cat test-suite.log
	return $status
}

# Those that are quick enough; the others do millions of the same. A thread that waits for none would keep the others waiting.
valgrind_tests="name global group hybrid kinds primitives provider_perf record remote ring rules_generic rules_powerpc
	rules_x86 set set_pmu table virtual why zoo generic_engine powerpc_engine x86_engine storm"
valgrind_units() (
	cd "$work/gcc" || exit
	failed=0
	# shellcheck disable=SC2086
	for test in ${only_test:-$(tests_named $valgrind_tests)}; do
		if SIM_STEPS=3000 STORM_THREADS=200 STORM_VALGRIND=1 CK_FORK=no CK_DEFAULT_TIMEOUT=0 srcdir=$top \
		   libtool=no ./libtool --mode=execute valgrind -q --error-exitcode=9 --fair-sched=try \
			--leak-check=full --errors-for-leak-kinds=definite "$test" \
			>valgrind.log 2>&1; then
			echo "PASS $test"
		else
			cat valgrind.log
			echo "FAIL $test"
			failed=1
		fi
	done
	exit $failed
)

# Where libelf or libdw is missing, tests of perfex would leave parts out. Debian 13 builds packages with the warning, which is C's alone.
gcc_build() (
	configure_in gcc --with-libelf --with-libdw --enable-libpfm4 --prefix="$work/install/root" \
		CFLAGS="-g -O2 -Werror=implicit-function-declaration" && make -s -j2
)

gcc_check() (
	cd "$work/gcc" && FUZZ_WORDS=${FUZZ_WORDS:-200000} check
)

# Again, what has changed since is made by the check.
gcc_and_check() {
	[ -n "${only_stage:-}" ] || gcc_build || return
	gcc_check
}

# Installs the build by gcc, and tries it.
installation() (
	root=$work/install/root
	mkdir -p "$root" && make -s -j2 -C "$work/gcc" install >/dev/null && cd "$work/install" || exit
	PKG_CONFIG_PATH=$root/lib/pkgconfig
	export PKG_CONFIG_PATH
	awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$top/man/libperfctr.3" |
		sed 's/\\e/\\/g' >program.c
	# shellcheck disable=SC2046
	cc program.c $(pkg-config --cflags --libs libperfctr) -Wl,-rpath,"$root/lib" -o shared &&
		./shared && echo "PASS shared" || echo "FAIL shared"
	# shellcheck disable=SC2046
	cc -static program.c $(pkg-config --static --cflags --libs libperfctr) -o static &&
		./static && echo "PASS static" || echo "FAIL static"
	[ "$(head -c 40 "$root/share/man/man3/vperfctr_stop.3")" = ".so man3/vperfctr_control.3" ] &&
		echo "PASS aliases of man pages" || echo "FAIL aliases of man pages"
	for file in lib/udev/rules.d/60-perfctr.rules lib/sysusers.d/perfctr.conf share/man/man4/perfctr.4 \
		share/bash-completion/completions/perfex share/zsh/site-functions/_perfex \
		share/fish/vendor_completions.d/perfex.fish lib/libperfctr/libpfm4/libpfm.so.4 \
		lib/libperfctr/libperfctr-openmp.so lib/libperfctr/libperfctr-kokkos.so \
		lib/libperfctr/libperfctr-mpi.so; do
		[ -s "$root/$file" ] && echo "PASS $file" || echo "FAIL $file"
	done
	# shellcheck disable=SC2016 # the command's own
	[ "$(LD_LIBRARY_PATH=/none "$root/bin/perfex" --as-libpfm4 sh -c 'echo "$LD_LIBRARY_PATH"')" = \
		"$root/lib/libperfctr/libpfm4:/none" ] && echo "PASS perfex --as-libpfm4" || echo "FAIL perfex --as-libpfm4"
	"$top/tests/consumers/run.sh" "$root"
	make -s -C "$work/gcc" uninstall >/dev/null
	[ -z "$(find "$root" -type f)" ] && echo "PASS uninstall" || {
		find "$root" -type f
		echo "FAIL uninstall"
	}
)

# Prints the costs of look-ups, samples, large sets, and fails if one exceeds its limit. NAME
bench() (
	cd "$work/gcc" && srcdir=$top LIBPERFCTR=lib/.libs "$top/tests/bench/$1.sh"
)
peers() (
	cd "$work/gcc" && PERFEX=.libs/perfex LD_LIBRARY_PATH=lib/.libs "$top/tests/bench/peers.sh"
)

# libFuzzer's programs: those that "make check" runs standalone, by clang, and the library for all of them once. NAME...
fuzzers() (
	configure_in fuzz --disable-shared --without-libelf CC=clang CPPFLAGS=-USTANDALONE \
		CFLAGS="-g1 -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all" &&
		make -s -j2 LDFLAGS=-fsanitize=fuzzer,address,undefined "$@"
)

fuzz() (	# NAME MAX_LEN
	cd "$work/fuzz" && mkdir -p "corpus-$1" &&
		srcdir=$top "tests/fuzz/$1" -max_total_time="$fuzz_seconds" -max_len="$2" "corpus-$1" "$top/tests/fuzz/corpus/${1%_*}"
)

# Tests to which the build's compiler and C library make no difference: gcc's build has tried them. freestanding.sh takes
# both compilers each time, the others judge data, forms of output, scripts, or programs in other languages. packaging.sh knows
# that the archive has them.
same_everywhere="tests/explore/calls tests/explore/driver tests/freestanding.sh tests/containers.sh tests/ibs.sh tests/processors.sh tests/words.sh
	$(printf 'tests/bindings/%s.sh ' fortran python rust) $(printf 'tests/silicon/%s.sh ' judge script)
	$(printf 'tests/tools/%s.sh ' complete emulate html manual schema)"

# Nor do a compiler or a C library alone to words, pages and forms of output, which gcc's build tries, nor to seeds of fuzzers,
# which clang builds by themselves.
same_elsewhere="$(printf 'tests/tools/%s.sh ' breakdown compare lists newcomer openmetrics output runs terminal)
	$(printf 'tests/%s.sh ' prose readme)
	$(printf 'tests/fuzz/%s.sh ' baseline control event record vendor)"

# Samples, regions in whole programs and the collectors depend on a C library, and on libelf, which musl's build does not have.
same_by_clang="$(printf 'tests/tools/%s.sh ' locale sample) $(printf 'tests/%s.sh ' collect regions)"

# TEST...: the tests of "make check" but for these, in the build of the current directory.
tests_but() {
	# shellcheck disable=SC2016
	make -s --eval='these: ; @echo $(filter-out $(but), $(TESTS))' but="$*" these
}

# The other compiler builds what is released, and checks it. Nobody downloads these archives: they need not be small.
distcheck() (
	XZ_OPT=-1
	export XZ_OPT
	configure_in dist || exit
	# shellcheck disable=SC2086
	tests=${only_test:-$(tests_but $same_everywhere $same_elsewhere $same_by_clang)}
	[ -n "$tests" ] && make -s -j2 distcheck TESTS="$tests" \
		DISTCHECK_CONFIGURE_FLAGS="--enable-werror --with-libelf --with-libdw CFLAGS='-g1 -O2' CC='$top/tests/unit-cc clang'" && exit
	cat libperfctr-*/_build/sub/test-suite.log
	exit 1
)

# A small part of what "make check" tries in the gcc build, where a compiler or the files that are there make
# the difference.
quick() {
	SIM_STEPS=50000 FUZZ_CONTROLS=10000 FUZZ_SETS=50 FUZZ_WORDS=10000 "$@"
}

# All but tests/loops, which steps the loops as programs have them, unit/pmu, which counts real page faults, of which
# AddressSanitizer makes its own, and the fuzzers, which have the same sanitizers in a build of their own.
sanitized() (
	configure_in sanitizers --disable-shared CC="$top/tests/unit-cc gcc" \
		CFLAGS="-g1 -O1 -fsanitize=address,undefined -fno-sanitize-recover=all" || exit
	# shellcheck disable=SC2016
	units=$(make -s --eval='units: ; @echo $(filter-out tests/unit/pmu, $(unit_tests))' units)
	# shellcheck disable=SC2016
	programs=$(make -s --eval='these: ; @echo $(filter-out tests/fuzz/% tests/loops/%, $(check_PROGRAMS))' these)
	make -s -j2 && check check_PROGRAMS="$programs" TESTS="$units tests/sim/generic_engine tests/sim/powerpc_engine tests/sim/x86_engine
		tests/tools/perfex.sh tests/tools/wrong.sh tests/tools/sample.sh
		tests/storm/storm"
)

# ThreadSanitizer on what threads do to each other. It holds signals back until the thread calls something,
# faults pages of its own, and does not like threads in a child of fork(), so that tests of these are not for
# it; and it knows no fences, about which gcc warns. The tools, which "check" makes first, are not wanted.
threads() (
	programs=$(tests_named area readers regions remote) target=check-TESTS
	configure_in threads --disable-shared --disable-werror CFLAGS="-g1 -O1 -fsanitize=thread" &&
		check TESTS="$programs" check_PROGRAMS="$programs" check_LTLIBRARIES=
)

# Another C library, and without Check, whose library is the first one's. musl's compiler knows no headers of
# the kernel's. Nothing of C++, Fortran and Rust can be tried there: their libraries are the first one's, too. The loops,
# which call none, are gcc's own.
musl() (
	headers=$work/musl-headers
	mkdir -p "$headers"
	ln -sfn /usr/include/linux /usr/include/asm-generic "/usr/include/$(gcc -print-multiarch)/asm" "$headers"
	configure_in musl CC="$top/tests/unit-cc musl-gcc -isystem $headers" PKG_CONFIG=false --without-libelf --disable-static CFLAGS="-g1 -O2" || exit
	# shellcheck disable=SC2086
	tests=$(tests_but $same_everywhere $same_elsewhere tests/bindings/cxx.sh tests/loops/step)
	[ -n "$tests" ] && make -s -j2 && check TESTS="$tests"
)

# The tutorial's commands of perfex --emulate; the program is the machines'.
emulated_tutorial() (
	mkdir -p "$work/tutorial" && cd "$work/tutorial" && cp "$work/vm/tutorial/bin/slow" . || exit
	PATH=$work/gcc/tests/bin:$PATH "$top/tests/vm/guest/tutorial.sh" emulated "$top/man/perfctr_tutorial.7"
)

packaging() {
	tests/packaging.sh "$work"/dist/*.tar.xz "$work/packaging"
}

# Scripts, of which what a shell makes of them is not what it says.
shell_scripts() (
	cd "$top" || exit
	# shellcheck disable=SC2046
	set -- $(grep -rlE '^#!/bin/(ba)?sh|^# shellcheck shell=' .ci debian driver findings scripts tests tools)
	shellcheck -x -S warning "$@" && echo "PASS $# scripts" || echo "FAIL shellcheck -S warning"
)

stages_of_test() {
	stage gcc gcc_and_check
	stage vm env VM_TIER=test tests/vm/run.sh "$work/vm"
}

# Long stages come first, so that all end together; the machines are several at a time themselves, and download meanwhile.
stages_of_all() {
	HOST_BUILDS=$work/hosts NATIVE_BUILD=$work/gcc
	export HOST_BUILDS NATIVE_BUILD
	stage "build by gcc" gcc_build
	await_stage "build by gcc"
	stage gcc gcc_check
	# shellcheck disable=SC2086
	stage vm env VM_TIER="${1:-all}" ${only_program:+"VM_TESTS=$only_program"} tests/vm/run.sh "$work/vm" ${only_machine:-}
	# shellcheck disable=SC2086
	stage cross tests/cross.sh "$work/cross" ${only_host:-}
	stage sanitizers quick sanitized
	parsers="event record vendor baseline control_x86 control_powerpc control_generic"
	# shellcheck disable=SC2046,SC2086
	stage fuzzers fuzzers $(printf 'tests/fuzz/%s ' $parsers)
	stage "distcheck with clang" quick distcheck
	stage threads quick threads
	stage musl quick musl
	stage "driver builds" tests/driver-powerpc.sh "$work/driver-powerpc"
	# The rest wants what these have made.
	await_stage gcc
	await_stage fuzzers
	await_stage "distcheck with clang"
	stage install installation
	stage valgrind valgrind_units
	stage reports bench report
	stage "event tables" tests/tables/run.sh "$work/gcc" "$work/tables"
	stage packaging packaging
	stage "Debian packages" tests/deb/packages.sh "$work/deb"
	for parser in "event 200" "record 2048" "vendor 2000" "baseline 16384" "control_x86 2000" "control_powerpc 2000" \
		"control_generic 2000"; do
		# shellcheck disable=SC2086
		stage "fuzz ${parser% *}" fuzz $parser
	done
	stage pages tests/html/run.sh "$work/gcc/perfex" "$work/pages"
	stage look-up bench lookup
	stage style scripts/format --check
	stage shell shell_scripts
	stage again tests/test-again.sh
	stage findings tests/findings.sh
	stage layers tests/layers.sh "$work/gcc"
	stage abi env LIBPERFCTR="$work/gcc/lib/.libs" tests/abi.sh
	stage engine bench engine
	stage samples bench samples
	stage scale bench scale
	stage peers peers
	end_stages
	stage tutorial emulated_tutorial
	stage pictures tests/html/pictures.sh "$work/gcc/perfex" "$work/vm/skylake-1.log" "$work/pictures"
	# Holds the figures that these and the machines have printed.
	stage figures tests/bench/figures.sh "$work"
}

# The first commands that a newcomer runs, on the systems that they are promised for.
stages_of_long() {
	stages_of_all long
	stage release tests/release.sh "$work/release"
	stage reprotest tests/deb/reprotest.sh "$work/reprotest"
	stage piuparts tests/deb/piuparts.sh "$work/deb/deb"
	stage systemd tests/deb/systemd.sh "$work/deb/deb" "$work/systemd"
	stage Docker tests/deb/docker.sh "$work/deb/deb" "$work/docker"
	stage "RPM packages" tests/rpm.sh "$work"/dist/*.tar.xz "$work/rpm"
	stage "Meson's wrap" tests/consumers/wrap.sh "$work"/dist/*.tar.xz "$work/wrap"
	stage "judges of collectors" tests/collect/judges.sh "$work/gcc" "$work/collect"
	stage "judges of the bindings" tests/bindings/judges.sh "$work/gcc"
	stage "judges of libpfm4" tests/libpfm4/judges.sh "$work/gcc" "$work/libpfm4"
	stage "names of perf" tests/perf-names.sh "$work/gcc"
	stage "valgrinds" tests/valgrinds.sh "$work/gcc" "$work/valgrinds"
	stage "inlined functions" tests/inlined.sh "$work/gcc"
	stage "cost of a sample" tests/bench/profile.py "$work/gcc"
	stage "cost of Python's blocks" tests/bench/blocks.py "$work/gcc"
	stage "cost of emulation" tests/bench/emulate.py "$work/gcc"
	for suite in bookworm trixie; do
		stage "fresh $suite" tests/fresh.sh $suite "scripts/test"
		stage "fresh $suite, packages" tests/fresh.sh $suite tests/deb/whole.sh
		stage "fresh $suite, arm64 packages" tests/fresh.sh $suite tests/deb/cross.sh
		stage "fresh $suite, make check" tests/fresh.sh $suite "scripts/try && cd build && make check"
	done
}
