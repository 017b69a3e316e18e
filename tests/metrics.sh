#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests that scripts/metrics.awk refuses metrics that need themselves, or are parts of themselves.
# The environment: srcdir.
set -u
srcdir=${srcdir:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
: >"$work/one.ev"

# made NAME STATUS WORDS: of the file on the standard input
made() {
	{ echo "for one"; cat; } >"$work/a.metrics"
	LC_ALL=C ${AWK:-awk} -f "$srcdir/scripts/metrics.awk" "$work/one.ev" "$work/a.metrics" >"$work/out" 2>&1
	got=$?
	if [ $got = "$2" ] && grep -q -e "$3" "$work/out"; then
		echo "PASS $1"
	else
		echo "FAIL $1: exit status $got, not $2, or no \"$3\" in:"
		sed 's/^/    /' "$work/out"
		failed=1
	fi
}
metric() {	# NAME FORMULA [more...]
	printf 'metric %s\n  formula %s\n  text the text of this one\n' "$1" "$2"
	shift 2
	[ $# = 0 ] || printf '  %s\n' "$@"
}

{ metric a '@b + @c'; metric b '@c + x'; metric c x; } | made "metrics of others" 0 'perfctr_metric_records\[\]'
{ metric a '@a + x'; } | made "of itself" 1 'a.metrics:3: the metric a of one uses itself, by a$'
{ metric a '1 + @b'; metric b '@c / x'; metric c '2 * @b'; } |
	made "of one that needs it" 1 'a.metrics:[69]: the metric [bc] of one uses itself, by [bc]$'
{ metric a x 'parent b'; metric b x; } | made "a part" 0 'perfctr_metric_records\[\]'
{ metric a x 'parent b'; metric b x 'parent a'; } | made "a part of a part of itself" 1 'a.metrics:[59]: the metric [ab] of one is a part of itself, by [ba]$'
# The last one of a name counts.
{ metric a '@b'; metric b x; echo 'for *'; metric a x; metric b '@a'; } | made "of what another replaces" 0 'perfctr_metric_records\[\]'
{ metric a x; metric b '@a'; echo 'for o*'; metric a '@b'; } | made "of what replaces another" 1 'the metric [ab] of one uses itself'
{ metric a '@d'; } | made "of none" 1 'there is no metric d$'
{ metric a x; metric b x; echo 'list A_list a b'; } | made "a list" 0 'perfctr_metric_lists\[\]'
{ metric a x; echo 'list A_list a d'; } | made "a list of none" 1 'a.metrics:5: there is no metric d$'
{ metric a x; echo 'list A_list'; } | made "an empty list" 1 'a.metrics:5: a list has a name and metrics'
exit $failed
