#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which lines of the driver have run.
# usage: coverage.sh DRIVER ARCHIVE...
#	DRIVER	the directory where scripts/driver built the module, with GCOV_PROFILE=y in MAKEFLAGS
#	ARCHIVE	what guest/coverage.sh wrote; of several, a line counts if it ran in one
# Prints of each line that never ran "FILE:LINE: text", then per file and for all "FILE PERCENT % of N lines". Exit
# status 0 if that for all is 90 at least.
set -eu
driver=$(cd "${1:?usage: coverage.sh DRIVER ARCHIVE...}" && pwd)
[ $# -ge 2 ] || { sed -n '4,8s/^# //p' "$0" >&2; exit 2; }
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for archive in "$@"; do
	rm -rf "$work/data" "$work/gcov"
	mkdir "$work/data" "$work/gcov"
	(cd "$work/data" && cpio -i -d --quiet) <"$archive"
	# The guest has them under the names that they have here.
	cp "$work/data/$driver"/driver/*.gcda "$driver"/driver/*.gcno "$work/gcov/"
	(cd "$work/gcov" && gcov -t ./*.gcda 2>/dev/null)
done | awk -F : -v driver="$driver/" '
	{ count = $1; line = $2; gsub(/ /, "", count); gsub(/ /, "", line) }
	line == 0 {
		if ($3 == "Source") {
			file = $4
			ours = index(file, driver "driver/") == 1
			sub(driver, "", file)
		}
		next
	}
	!ours || count == "-" || line !~ /^[0-9]+$/ { next }
	{
		at = file SUBSEP line
		if (!(at in known)) {
			known[at] = ++n
			place[n] = file ":" line
			text[n] = $0
			sub(/^[^:]*:[^:]*:/, "", text[n])
			of[n] = file
		}
		if (count !~ /^[#=]/)
			ran[known[at]] = 1
	}
	END {
		for (i = 1; i <= n; i++) {
			lines[of[i]]++
			if (i in ran) {
				covered[of[i]]++
				all++
			} else
				print place[i] ":" text[i]
		}
		for (f in lines)
			printf "%s %.1f %% of %d lines\n", f, 100 * covered[f] / lines[f], lines[f] | "sort"
		close("sort")
		if (n)
			printf "all %.1f %% of %d lines\n", 100 * all / n, n
		exit !(n && all >= n * 0.9)
	}'
