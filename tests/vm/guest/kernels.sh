#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The table "Kernels" of perfctr(7) says of this kernel what kernels.c finds. A kernel that has no column is like the last
# one before it.
works >/tmp/works || exit 1
cat /tmp/works
awk -v release="$(uname -r)" -v machine="$(uname -m)" '
function number(version,  part) { split(version, part, "."); return part[1] * 1000 + part[2] }
FILENAME == "/tmp/works" { answer = $1; sub(/^[a-z]* /, ""); found[$0] = answer; next }
/^\.Ss / { here = /^\.Ss Kernels/ }
!here || !/^\.It / { next }
{
	n = split(substr($0, 5), cell, / Ta /)
	gsub(/"|Sy |Dv /, "", cell[1])
}
/^\.It Sy/ {
	for (i = 2; i <= n; i++) {
		gsub(/Sy |"/, "", cell[i])
		if (number(cell[i]) <= number(release))
			column = i
	}
	next
}
{
	if (cell[1] in found) {
		if (found[cell[1]] != cell[column]) {
			print "perfctr(7) says " cell[column] ": " cell[1]
			failed = 1
		}
		delete found[cell[1]]
		rows++
	} else if (cell[1] !~ /, (x86|arm64)$/) {
		print "nothing tries: " cell[1]
		failed = 1
	}
}
END {
	for (what in found) {
		print "perfctr(7) does not say: " found[what] " " what
		failed = 1
	}
	exit failed || !column || rows < 9
}' /tmp/works /perfctr.7
