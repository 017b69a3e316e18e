#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --sample's tables of what ../auxpmu/mempmu.c says: sources of data with their weights, and branches, each as
# often as it was there.
insmod /mempmu.ko || exit 1
out=/tmp/out

# told WHAT REGULAR-EXPRESSION
told() {
	grep -q "$2" $out && return
	echo "$1: no line like $2 in:"
	cat $out
	exit 1
}

perfex --sample --by source -e test_mem// -c 100000 loop 0020000000 >$out 2>&1 || exit 1
cat $out
told "all modes" '^ samples of test_mem//, one in 100000, in .loop 0020000000.:$'
awk '
	/ load, L1 hit, no snoop, TLB L1 or L2 hit$/ { l1 = $1; good += $3 >= 5.4 && $3 <= 5.6 }
	/ load, L3 hit, snoop hit modified$/ { l3 = $1; good += $3 == "90.0" }
	/ store, L1 miss, locked$/ { store = $1; good += $3 == "-" }
	/^ [0-9]+ samples$/ { all = $1 }
	END {
		# The kernel begins with the first one again for each process.
		good += all == l1 + l3 + store && all >= 300
		good += l1 >= 2 * l3 - 1 && l1 <= 2 * l3 + 1
		good += store >= l3 - 1 && store <= l3
		exit good != 6
	}' $out || { echo "the table of sources is wrong"; exit 1; }

# Of the loop, which begins somewhere above this.
perfex --sample --by branch -e test_mem/from=0x401000/ -c 100000 loop 0020000000 >$out 2>&1 || exit 1
cat $out
awk '
	/^ *mispredicted / { good++ }
	/%/ && $2 == "25.00%" || $2 ~ /^2[456]\./ { missed = $1; from = $3; good++ }
	/%/ && $2 == "0.00%" && $1 == 0 { other = $3; good++ }
	/ branches before [0-9]+ samples$/ { all = $1; samples = $4 }
	END {
		good += from == other && all == from + other && samples * 2 == all && samples >= 300
		good += missed >= int(samples / 4) && missed <= int(samples / 4) + 1
		exit good != 5
	}' $out || { echo "the table of branches is wrong"; exit 1; }

# The file has them as the kernel wrote them: a sample's address of data, and its branch.
perfex --sample --by source --format=perf-data -o /tmp/perf.data -e test_mem// -c 100000 loop 0020000000 2>$out || exit 1
told "a file, and the table" ' load, L3 hit, snoop hit modified$'
[ "$(grep -c "$(printf '\232xV4\022')" /tmp/perf.data)" -gt 0 ] || { echo "there are no addresses of data"; exit 1; }

# A PMU that can't tell modes apart is not asked for one that was.
perfex --sample --by source -e test_mem//u -c 100000 true >$out 2>&1 && exit 1
told "a mode" "can't tell modes apart"
