#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The commands of docs/PAGES.md, whose pages tests/html/pictures.sh shows: prints "page NAME DOCUMENTS", what each page
# holds. The programs lie in /pages.
cd /tmp || exit
echo vm >/proc/sys/kernel/hostname
for program in slow regions; do
	cat /pages/$program >$program && chmod 755 $program || exit
done
sed -n 's/^\t\$ //p' /pages/PAGES.md >commands
n=0
while read -r command; do
	name=$(echo "$command" | sed 's/.*--html \([a-z-]*\)\.html.*/\1/')
	sh -c "$command" >out 2>&1 </dev/null
	status=$?
	# 123: what was compared differs.
	if [ $status != 0 ] && [ $status != 123 ]; then
		cat out
		echo "not ok $command: exit status $status"
		exit 1
	fi
	awk -v name="$name" '/id="data">/ { on = 1; sub(/.*id="data">/, ""); printf "page %s ", name }
		on { last = /<\/script>$/; sub(/<\/script>$/, ""); printf "%s", $0; if (last) { print ""; exit } }' "$name.html"
	echo "ok $command"
	n=$((n + 1))
done <commands
[ $n = 5 ]
