#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Calls from a language without a binding: the example of perfctr_languages(7) in LuaJIT, and the functions of what is
# inline in C, as a program sees them that includes no header.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory with the library.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd) cc=${CC:-cc} lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
[ -e "$lib/libperfctr.so.7" ] || { echo "SKIP languages: the library was built without a shared one"; exit 77; }
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}

# The page has them all, and no other.
sed -n 's/^[a-z].*[ *]\(perfctr_[a-z_]*\)(.*/\1/p' "$srcdir/bindings/functions/inline.h" | sort >functions
sed -n '/^\.Ss What is inline/,/^\.Ss Rules/s/^\.Fn \(perfctr_[a-z_]*\).*/\1/p' "$srcdir/man/perfctr_languages.7" | sort >told
[ "$(wc -l <functions)" -gt 10 ] && diff functions told
check "the page names the functions" $?

# shellcheck disable=SC2086
$cc -std=gnu11 ${CFLAGS:-} -Wall -Wextra -Werror -I"$srcdir/include" "$srcdir/tests/bindings/languages.c" -o languages \
	-L"$lib" -lperfctr -ldl && ./languages
check "the functions do what is inline" $?

# The page's table: the programs have as many words, and the emulated machines hold as many instructions.
guest=$srcdir/tests/vm/guest/languages
row() {	# LANGUAGE PROGRAM INSTRUCTIONS
	echo ".It $1 Ta $(sed 1d "$srcdir/tests/bindings/shortest/$2" | wc -w) Ta $3"
}
{
	row C c.c "$(sed -n 's/.* cost_in_c = \([0-9]*\);$/\1/p' "$guest/cxx.cc")"
	row C++ cxx.cc "$(sed -n 's/.* cost_in_cxx = \([0-9]*\);$/\1/p' "$guest/cxx.cc")"
	row Fortran fortran.f90 "$(sed -n 's/.*call check_cost(\([0-9]*\)_c_int64_t)$/\1/p' "$guest/fortran.f90")"
	row Rust rust.rs "$(sed -n 's/.*check_cost(&counters, \([0-9]*\)).*/\1/p' "$guest/rust.rs")"
	row Python python.py "below $(sed -n 's/^AROUND = .* else \([0-9]*\)$/\1/p' "$guest/python.py")"
} >rows
sed -n '/^\.It language Ta/,/^\.El/p' "$srcdir/man/perfctr_languages.7" | grep 'Ta [b0-9]' | diff - rows
check "the page's table of languages" $?
shortest() {	# COMMAND...
	"$@" >output 2>&1 && grep -q '^work: 1 visit' output
	status=$?
	[ $status = 0 ] || cat output
	check "the shortest program, by $1" $status
}
$cc -std=gnu11 -I"$srcdir/include" "$srcdir/tests/bindings/shortest/c.c" -o c -L"$lib" -lperfctr && shortest ./c

case $cc in *musl*) echo "| left out: LuaJIT, which is of the other C library"; exit $failed ;; esac
mkdir -p include/perfctr && cp "$srcdir/bindings/cxx/perfctr.hpp" include/perfctr/
if command -v g++ >/dev/null; then
	g++ -std=c++17 -Iinclude -I"$srcdir/include" "$srcdir/tests/bindings/shortest/cxx.cc" -o cxx -L"$lib" -lperfctr && shortest ./cxx
fi
if command -v gfortran >/dev/null; then
	gfortran "$srcdir/bindings/fortran/perfctr.f90" "$srcdir/tests/bindings/shortest/fortran.f90" -o fortran -L"$lib" -lperfctr &&
		shortest ./fortran
fi
if [ -x /usr/bin/python3 ]; then
	PYTHONPATH=$srcdir/bindings/python PYTHONDONTWRITEBYTECODE=1 shortest /usr/bin/python3 "$srcdir/tests/bindings/shortest/python.py"
fi
if command -v luajit >/dev/null; then
	awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$srcdir/man/perfctr_languages.7" >page.lua
	luajit page.lua >output 2>&1 && grep -q '^page-faults:u.[0-9]' output
	status=$?
	[ $status = 0 ] || cat output
	check "the page's example in LuaJIT" $status
	sed 's/page-faults:u/page-fautls/' page.lua >wrong.lua
	! luajit wrong.lua >output 2>&1 && grep -q 'did you mean page-faults' output
	status=$?
	[ $status = 0 ] || cat output
	check "its error is the library's sentence" $status
else
	echo "SKIP the page's example: there is no luajit"
fi
exit $failed
