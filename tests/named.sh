# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154
# Uses $top.

# NAME...: the test programs of these names, in whichever directory each is, in a line.
tests_named() {
	for program; do
		(cd "$top" && find tests/unit tests/sim tests/storm -name "$program.c")
	done | sed 's/\.c$//' | tr '\n' ' '
}
