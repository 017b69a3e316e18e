# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154
# Uses $top.

# NAME...: the test programs of these names, in whichever directory each is, in a line. One that is nowhere is named, too,
# so that whoever makes or runs it fails.
tests_named() {
	for program; do
		found=$(cd "$top" && find tests/unit tests/sim tests/storm -name "$program.c" | sed 's/\.c$//')
		echo "${found:-tests/there_is_no_$program}"
	done | tr '\n' ' '
}
