#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The bindings before judges from outside, which take too long for each day: valgrind under Python, clang-tidy on the
# C++ header and what its templates become, and another Fortran compiler.
# usage: judges.sh BUILD	BUILD: configure's directory, after make
# Prints a line per judge, and of the last what its test says; exit status 0 if none failed.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
lib=$(cd "${1:?usage: judges.sh BUILD}/lib/.libs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
failed=0
judge() {	# NAME COMMAND...
	name=$1
	shift
	if "$@" >"$work/output" 2>&1; then
		echo "PASS $name"
	else
		sed 's/^/| /' "$work/output"
		echo "FAIL $name"
		failed=1
	fi
}

# Python's own allocator hides from valgrind what is freed. A child of fork() is watched, too, but no other program.
judge "valgrind under every call of Python" env OWN_FAULTS=1000 PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 \
	PYTHONPATH="$top/bindings/python" LD_LIBRARY_PATH="$lib" \
	valgrind -q --error-exitcode=9 /usr/bin/python3 "$top/tests/bindings/python.py"

# Left out: parameters of one type that stand side by side, the macro's qualifier, which parentheses would spoil, and
# what asks for fields to be set that C's structures have set to zero by {}.
mkdir -p "$work/include/perfctr"
cp "$top/bindings/cxx/perfctr.hpp" "$work/include/perfctr/"
checks='-*,bugprone-*,cert-*,clang-analyzer-*,misc-*,performance-*,-bugprone-easily-swappable-parameters'
checks="$checks,-bugprone-macro-parentheses,-cert-dcl21-cpp,-clang-analyzer-optin.cplusplus.UninitializedObject"
tidy() {
	clang-tidy --quiet --checks="$checks,-misc-non-private-member-variables-in-classes" --warnings-as-errors='*' \
		--header-filter='perfctr\.hpp' --line-filter='[{"name":"perfctr.hpp"}]' "$top/tests/bindings/cxx.cc" -- \
		-std=c++17 -I"$work/include" -I"$top/include"
}
judge "clang-tidy on perfctr.hpp" tidy

FORTRAN=$(command -v flang-new-19) srcdir=$top LIBPERFCTR=$lib "$top/tests/bindings/fortran.sh" || failed=1
exit $failed
