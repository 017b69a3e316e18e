#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The judge of scripts/verify: facts as right, noisy, wrong and broken machines would have them; then every file that was
# sent in, and the program itself on this machine.
# The environment: srcdir; VERIFY: the program.
set -u
srcdir=${srcdir:-.} VERIFY=${VERIFY:-tests/silicon/verify}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
judge() { awk -f "$srcdir/tests/silicon/judge.awk" "$@"; }

cp "$srcdir/tests/silicon/made-right.txt" "$work/right"
chmod u+w "$work/right"
# WORD of the verdict, words of a line of it, and a change by sed.
says() {
	sed "$3" "$work/right" >"$work/facts"
	judge "$work/facts" >"$work/verdicts"
	tail -n 1 "$work/verdicts" | grep -q "^verdict $1:" && grep -q "^$2" "$work/verdicts" || cat "$work/verdicts"
	tail -n 1 "$work/verdicts" | grep -q "^verdict $1:" && grep -q "^$2" "$work/verdicts"
	check "$1: $2" $?
}
count='count inline instructions:u 1000'
says right 'verdict right: 8 right, 0 noisy, 0 wrong, 1 refused' ''
says right 'refused FOO:BAR:u: the processor has no such event' ''
says right 'note the table of events: 1 are taken, 1 refused; 2 events have counted' ''
# Less than half of them exact, but some.
says noisy 'noisy instructions:u inline 1000: 400 of 1001' "s/^$count .*/$count 1001 400 0 1 90/"
# A long loop that something always disturbs, a little.
says noisy 'noisy instructions:u inline 1000000:' 's/^count inline instructions:u 1000000 .*/count inline instructions:u 1000000 101 0 1 2 500/'
# The same surplus in each of a thousand short loops is none of an interrupt's.
says wrong 'wrong instructions:u inline 1000: never less than 1 too many' "s/^$count .*/$count 1001 0 1 1 90/"
# One count too few, once.
says wrong 'wrong instructions:u inline 1000: 1 too few' "s/^$count .*/$count 1001 1000 -1 0 0/"
says wrong 'wrong instructions:u beside 1000000: 1 too few' 's/^\(count beside.*\) 0 1 9$/\1 -1 1 9/'
# One in a thousand too many.
says wrong 'wrong instructions:u inline 1000000: never less than 1001' \
	's/^count inline instructions:u 1000000 .*/count inline instructions:u 1000000 101 0 1001 1001 1003/'
says wrong 'wrong instructions:u beside 1000000: 400000 too many.*what others execute' 's/^\(count beside.*\) 9$/\1 400000/'
says wrong 'wrong instructions:u threads 200000: 20001 too many' 's/^\(count threads.*\) 2$/\1 20001/'
says wrong 'wrong reads inline and by the kernel: 1 of 20000' 's/^order 20000 0/order 20000 1/'
says wrong 'wrong overflows of instructions:u: 99 of 100' 's/^\(overflow.*100003 100\) 100 100/\1 99 99/'
says wrong 'wrong overflows of instructions:u: 120, and there were 100' 's/^\(overflow.*100003 100\) 100 100/\1 120 120/'
says wrong 'wrong overflows of instructions:u: only 50 of 100' 's/^\(overflow.*100003 100\) 100 100/\1 100 50/'
says noisy 'noisy overflows of instructions:u: 60 of 100.*throttled' 's/^\(overflow.*100003 100\) 100 100 0/\1 60 60 1/'
says right 'right overflows of instructions:u: 60 of 100' 's/^\(overflow.*100003 100\) 100 100 0 0/\1 60 60 0 40/'
says wrong 'wrong instructions: 20000 in the work "loop", which has 40000' 's/^event instructions:u 60 40064/event instructions:u 60 20060/'
says wrong 'wrong instructions: 80000 in the work "loop", which has 40000 at most' 's/^event instructions:u 60 40064/event instructions:u 60 80060/'
says wrong 'wrong OTHER: 99999999 in 20100 cycles' 's/^event OTHER:u 0 0/event OTHER:u 0 99999999/'
says wrong 'wrong cycles: they stand still' 's/^event cycles:u 100 20100/event cycles:u 0 0/'
says wrong 'wrong a read: a pinned counter was not on the PMU' 's/^cost .*/lost EBUSY/'
says right 'note a hypervisor: ' 's/^kernel/virtual QEMU\n&/'
says right 'note instructions:u: the kernel reads: no page' 's/^order/no-reader instructions:u: no page\n&/'
says nothing 'verdict nothing: .*; no PMU here' 's/^kernel.*/nothing: no PMU here/; /^count/,$d'
says incomplete verdict '$d'
for part in 'count inline' 'count kernel' 'count threads' 'count beside' order overflow table; do
	says incomplete verdict "/^$part/d"
done
says right verdict 's/^overflow.*/refused overflow: no interrupt/'
says right verdict 's/^table.*/no-table there is none/'
says incomplete verdict 's/^\(event OTHER.*\) 0$/\1/'
says incomplete verdict 's/^\(count threads.*\) 2$/\1/'
says incomplete verdict '1s/1 /2 /'
says incomplete verdict 1d
: >"$work/right"
says incomplete verdict ''

# ---- what was sent in ----
for file in "$srcdir"/tests/data/silicon/*.txt; do
	[ -e "$file" ] || continue
	judge "$file" >"$work/verdicts"
	verdict=$(tail -n 1 "$work/verdicts")
	case $verdict in
	'verdict right:'* | 'verdict noisy:'* | 'verdict wrong:'*) check "${file##*/}: $verdict" 0 ;;
	*) check "${file##*/}: $verdict" 1 ;;
	esac
done

# ---- here ----
"$VERIFY" quick >"$work/facts" 2>"$work/errors"
status=$?
judge "$work/facts" >"$work/verdicts"
verdict=$(tail -n 1 "$work/verdicts")
case $status:$verdict in
'77:verdict nothing:'*'; '?*) check "here: $verdict" 0 ;;
# What the silicon gets wrong, or the hypervisor, is no mistake of these.
'0:verdict right:'* | '0:verdict noisy:'* | '0:verdict wrong:'*) check "here: $verdict" 0 ;;
*)
	cat "$work/facts" "$work/errors" "$work/verdicts"
	check "here: status $status, $verdict" 1
	;;
esac
# Lines of no other kind than the README has: the file is sent to others.
sed -n 's/^| \(`.*\) | .*/\1/p' "$srcdir/tests/silicon/README.md" | grep -o '`[a-z-]*' | tr -d '`' | sort -u >"$work/kinds"
cut -d' ' -f1 "$work/facts" | tr -d : | sort -u | grep -vxFf "$work/kinds"
[ $? = 1 ]
check "no line that the README does not have" $?
exit $failed
