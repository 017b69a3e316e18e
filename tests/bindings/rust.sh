#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The Rust crates: their declarations are what bindgen makes of the headers, every call works, what belongs to a thread
# can't leave it, a read is at most 20 instructions, and clippy and rustfmt find nothing. No network is used.
# The environment: srcdir; CC; LIBPERFCTR, the build's .libs directory with the library.
set -u
# The system's own tools come first: others need not have the parts that are used here.
PATH=/usr/bin:/bin:$PATH
srcdir=$(cd "${srcdir:-.}" && pwd) lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
case ${CC:-cc} in *musl*) echo "SKIP Rust: its programs are of the other C library"; exit 77 ;; esac
command -v cargo >/dev/null && command -v rustc >/dev/null || { echo "SKIP Rust: there is no cargo"; exit 77; }
[ -e "$lib/libperfctr.so" ] || { echo "SKIP Rust: the library was built without a shared one"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$srcdir/bindings/rust" "$work/rust" && chmod -R u+w "$work/rust" && cd "$work/rust" || exit
RUSTFLAGS="-L $lib" RUSTDOCFLAGS="-L $lib" CARGO_HOME=$work/cargo CARGO_TARGET_DIR=$work/target CARGO_NET_OFFLINE=true LD_LIBRARY_PATH=$lib
export RUSTFLAGS RUSTDOCFLAGS CARGO_HOME CARGO_TARGET_DIR CARGO_NET_OFFLINE LD_LIBRARY_PATH
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
quietly() {	# NAME COMMAND...
	name=$1
	shift
	"$@" >"$work/output" 2>&1
	status=$?
	[ $status = 0 ] || cat "$work/output"
	check "$name" $status
}

if bindgen --version 2>/dev/null | grep -q '^bindgen 0\.60\.' && command -v rustfmt >/dev/null; then
	"$srcdir/bindings/rust/generate" >"$work/bindings.rs" && diff "$srcdir/bindings/rust/perfctr-sys/src/bindings.rs" "$work/bindings.rs"
	check "the declarations are what bindgen makes of the headers" $?
else
	echo "SKIP the declarations: there is no bindgen 0.60, or no rustfmt"
fi
quietly "every call, and the examples in comments" cargo test -q
for example in count regions; do
	quietly "examples/$example.rs" cargo run -q --example $example
done

quietly "a release is built" cargo build -q --release
# The page's program is one of the crate's.
awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$srcdir/man/perfctr_rust.7" >perfctr/examples/page.rs
quietly "the program of perfctr_rust(7)" cargo run -q --example page

cp "$srcdir/tests/bindings/shortest/rust.rs" perfctr/examples/shortest.rs
cargo run -q --example shortest 2>&1 | grep -q '^work: 1 visit'
check "the shortest program" $?

# The library's functions, made up, come before the real ones.
${CC:-cc} -shared -fPIC -I"$srcdir/include" -o "$work/librecorder.so" "$srcdir/tests/bindings/recorder.c" &&
	rustc --edition 2021 -L native="$work" -L native="$lib" -l dylib=recorder -L dependency="$work/target/release/deps" \
		--extern perfctr="$work/target/release/libperfctr.rlib" -o "$work/arguments" "$srcdir/tests/bindings/rust-arguments.rs"
check "the calls at the border are compiled" $?
quietly "arguments, results and failures at the border" \
	env LD_LIBRARY_PATH="$work:$lib" LD_PRELOAD="$work/librecorder.so" "$work/arguments"

# refuses CODE NAME: the compiler has this against the program on the standard input.
refuses() {
	{
		echo 'use perfctr::*;'
		cat
	} >"$work/refused.rs"
	! rustc --edition 2021 --crate-type lib --emit metadata -o "$work/refused" -L dependency="$work/target/release/deps" \
		--extern perfctr="$work/target/release/libperfctr.rlib" "$work/refused.rs" >"$work/output" 2>&1 &&
		grep -q "^error\[$1\]" "$work/output" && ! grep '^error\[' "$work/output" | grep -v "^error\[$1\]"
	status=$?
	[ $status = 0 ] || cat "$work/output"
	check "$2" $status
}
refuses E0277 "counters can't be sent" <<'EOR'
pub fn f(c: Counters<1>) { std::thread::spawn(move || c.read()); }
EOR
refuses E0277 "counters can't be shared" <<'EOR'
pub fn f(c: &'static Counters<1>) { std::thread::spawn(move || c.read()); }
EOR
refuses E0277 "a set can't be shared" <<'EOR'
pub fn f(s: &'static Set) { std::thread::spawn(move || s.read()); }
EOR
refuses E0277 "a guard can't be sent" <<'EOR'
pub fn f(g: RegionGuard) { std::thread::spawn(move || drop(g)); }
EOR
refuses E0499 "a record does not outlive the next" <<'EOR'
pub fn f(s: &mut Sampler) { let first = s.next(); let _second = s.next(); drop(first); }
EOR
refuses E0382 "a set that was dropped can't be read" <<'EOR'
pub fn f(s: Set) { drop(s); let _ = s.read(); }
EOR

if [ "$(uname -m)" = x86_64 ]; then
	rustc --edition 2021 -O -C panic=abort --emit obj -o "$work/code.o" -L dependency="$work/target/release/deps" \
		--extern perfctr="$work/target/release/libperfctr.rlib" "$srcdir/tests/bindings/rust-code.rs"
	check "reads are compiled" $?
	# From one read to the next, NOPs included. What a jump leaps over on its way there is a way out.
	between() {
		objdump -d --no-show-raw-insn "$work/code.o" | sed -n "/<$1>:/,/^\$/p" | awk '
			$1 ~ /^[0-9a-f]+:$/ { sub(":", "", $1); line[$1] = ++n; op[n] = $2; to[n] = $3 }
			END {
				for (i = 1; i <= n && op[i] != "rdpmc"; i++)
					;
				for (second = i + 1; second <= n && op[second] != "rdpmc"; second++)
					;
				while (i < second) {
					count++
					target = op[i] ~ /^j/ ? line[to[i]] : 0
					i = target > i && target <= second ? target : i + 1
				}
				if (second <= n)
					print count
			}'
	}
	inline=$(between test_between) ordered=$(between test_ordered) checked=$(between test_checked)
	all=$(between test_all) index=$(between test_index)
	echo "| a read is ${inline:-no} instructions, an ordered one ${ordered:-no}, one that looks for a fork ${checked:-no}, all of one ${all:-no}, by an index ${index:-no}"
	# The page's figures are those of the first compiler that the crates are for; later ones take two more.
	case $(rustc --version) in *' 1.63.'*) more=0 ;; *) more=2 ;; esac
	[ "${inline:-99}" -le $((18 + more)) ] && [ "$checked" -le $((22 + more)) ] &&
		[ "${all:-99}" -le $((25 + more)) ] && [ "${index:-99}" -le $((25 + more)) ] && [ "$ordered" = $((inline + 2)) ]
	check "a read is the page's 18 instructions, an ordered one 2 more, one that looks for a fork 22 to 25" $?
	grep -q '^is 18 instructions\.$' "$srcdir/man/perfctr_rust.7" && grep -q 'in 22 to 25 instructions' "$srcdir/man/perfctr_rust.7" &&
		grep -q '^and take 2 instructions more\.$' "$srcdir/man/perfctr_rust.7"
	check "the page has these figures" $?
fi

# Each release has more to say.
if cargo clippy --version 2>/dev/null | grep -q '^clippy 0\.1\.63'; then
	quietly "clippy" cargo clippy -q --all-targets -- -D warnings
else
	echo "SKIP clippy: there is no clippy of Rust 1.63"
fi
if command -v rustfmt >/dev/null; then
	quietly "rustfmt" rustfmt --edition 2021 --check perfctr/src/lib.rs perfctr/tests/calls.rs perfctr/examples/*.rs
else
	echo "SKIP rustfmt: it is not there"
fi
exit $failed
