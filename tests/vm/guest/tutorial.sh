#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each command of perfctr_tutorial(7) prints what the page says: counts within 1 in 100, times whatever they are. The
# page lies in /tutorial, so that "tutorial | grep -v '^ok'" shows what would have to be in it.
# usage: tutorial [counted | emulated | all [PAGE]]	counted, the default: without perfex --emulate, which takes a machine of
# QEMU's a minute, and which prints the same on any x86-64
least=8 which=${1:-counted} page=${2:-/tutorial/perfctr_tutorial.7}
[ $# = 2 ] || { cd /tmp && cat /bin/slow >slow && chmod 755 slow && echo vm >/proc/sys/kernel/hostname; } || exit
[ "$which" != emulated ] || least=2
mkdir -p blocks
rm -f blocks/*
sed 's/\\&//g; s/\\-/-/g; s/\\e/\\/g' "$page" | awk '
	/^\.Bd -literal/ { on = 1; file = sprintf("blocks/%02d", ++n); next }
	/^\.Ed/ { on = 0 }
	on { print >file }'

# The page's lines and the real ones, word by word; "..." stands for lines that the page leaves out.
cat >same.awk <<'EOT2'
function number(word) { gsub(/[,+<]/, "", word); return word ~ /^-?[0-9]+(\.[0-9]+)?%?$/ }
function value(word) { gsub(/[,%+<]/, "", word); return word + 0 }
function near(a, b,  most, few) {
	most = a > b ? a : b
	few = (a b) ~ /\./ ? 0.02 : 2
	return a - b <= few + most / 100 && b - a <= few + most / 100
}
function same(line, real,  i, n, a, b, free) {
	free = (line ~ /elapsed|msec| ns |\/sec| GHz|switches|^Regions of process/)
	# A change of time may be small and certain, by chance.
	if (free) sub(/below the threshold$/, "same", real)
	n = split(line, a, " ")
	if (split(real, b, " ") != n) return 0
	if (free && a[n] ~ /^(same|differs)$/ && b[n] ~ /^(same|differs)$/) n--
	for (i = 1; i <= n; i++)
		if (a[i] != b[i] && !(number(a[i]) && number(b[i]) && (free || near(value(a[i]), value(b[i])))))
			return 0
	return 1
}
FILENAME == "page" { page[++pages] = $0; next }
{ real[++reals] = $0 }
END {
	while (pages && page[pages] == "") pages--
	while (reals && real[reals] == "") reals--
	for (i = k = 1; i <= pages; i++) {
		if (page[i] == "...") { open = 1; continue }
		while (open && k <= reals && !same(page[i], real[k])) k++
		if (k > reals || !same(page[i], real[k])) {
			print "the page has:  " page[i]
			print "it should be:  " (k > reals ? "nothing" : real[k])
			exit 1
		}
		open = 0
		k++
	}
	exit k <= reals && !open
}
EOT2

failed=0 n=0
for block in blocks/*; do
	command=$(sed -n '1s/^\$ //p' "$block")
	[ -n "$command" ] || continue
	case $which,$command in
	*,mpirun*) continue ;; # no MPI here; tests/collect.sh runs these
	counted,*--emulate*) continue ;;
	counted,* | all,* | emulated,*--emulate*) ;;
	*) continue ;;
	esac
	n=$((n + 1))
	sed 1d "$block" >page
	eval "$command" >real 2>&1 </dev/null
	if awk -f same.awk page real >differs; then
		echo "ok $command"
	else
		failed=1
		echo "not ok $command"
		sed 's/^/    /' differs
		echo "---- it printed:"
		sed 's/^/|/' real
	fi
done
[ "$n" -ge "$least" ] || failed=1
exit $failed
