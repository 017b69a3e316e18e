#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compare the tables of docs/COSTS.md with the programs' output: a figure in user mode that is exceeded, if only by one
# instruction, fails. Rows about opening, starting, other threads, overflows and regions, which vary, may exceed theirs by 1 %, of
# growth, reports and metrics by 2 %, figures with the kernel, which is not always the same one, and of switches by 10 %. libpfm4's may
# be neither larger nor smaller. Only programs that Debian 12's compiler built, gcc 12, are compared.
# usage: figures.sh WORKDIR	WORKDIR as of scripts/test, with its logs
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
work=${1:?usage: figures.sh WORKDIR}
failed=0

# The rows from a line that begins with FROM to one that begins with TO.
section() {	# FROM TO
	awk -v from="$1" -v to="$2" 'index($0, from) == 1 { on = 1 } index($0, to) == 1 { on = 0 } on && /^\|/' \
		"$top/docs/COSTS.md"
}

# Each figure of the column.
compare() {	# NAME COMPILER LOG FROM TO
	name=$1 compiler=$2 log=$3
	shift 3
	[ "$(${compiler%% *} -dumpversion 2>/dev/null)" = 12 ] ||
		{ echo "SKIP $name: $compiler is not gcc 12, whose figures COSTS.md has"; return 0; }
	[ -e "$log" ] || { echo "SKIP $name: $log is not there"; return 0; }
	section "$@" | awk -F '|' -v name="$name" -v kernel="$kernel" \
		-v column="$column" -v slack="$slack" '
		function figures(cell, list) {
			gsub(/, /, ";", cell)
			gsub(/[ ,]/, "", cell)
			return split(cell, list, /[^0-9]+/)
		}
		function hold(row, cell, figure, slack,	n, i) {
			n = figures(cell, found)
			figures(figure, expected)
			for (i = 1; i <= n; i++)
				if (found[i] * 100 > expected[i] * (100 + slack)) {
					printf "FAIL %s:%s: %s, and COSTS.md has%s\n", name, row, found[i], figure
					failed = 1
				}
		}
		$column !~ /^ *[0-9]/ { next }
		FNR == NR { user[$2] = $column; both[$2] = $4; next }
		$2 in user {
			# Signals, opening, other threads, and the CPU clock, once a ms.
			hold($2, $column, user[$2], slack ? slack : $2 ~ /open|OPEN|threads|overflow|iresume|stop and start/ ? 1 : 0)
			if (kernel && both[$2] ~ /[0-9]/)
				hold($2, $4, both[$2], 10)
			rows++
		}
		END {
			if (!rows) {
				printf "FAIL %s: no row of COSTS.md is printed\n", name
				failed = 1
			}
			if (!failed)
				printf "PASS %s: %d rows\n", name, rows
			exit failed
		}' - "$log" || failed=1
}

column=3 slack=0
kernel=1	# whether the third column has figures with the kernel
compare arm64 aarch64-linux-gnu-gcc "$work/vm/arm64-1.log" "arm64 (QEMU" "x86-64 (Skylake"
compare x86-64 "${CC:-cc}" "$work/vm/skylake-1.log" "x86-64 (Skylake" "For comparison"
# The column of a machine in the table of regions, row by row, with what tests/vm/guest/regions.c printed.
regions() {	# MACHINE COLUMN SLACK
	[ -e "$work/vm/$1.log" ] || { echo "SKIP regions: $work/vm/$1.log is not there"; return 0; }
	section "| | x86-64 | arm64" "The next one compares" | awk -F '|' -v machine="$1" -v column="$2" -v slack="$3" '
		FNR == NR {
			gsub(/[ ,]/, "", $column)
			if (FNR > 2)
				documented[FNR - 2] = $column
			next
		}
		sub(/^ *begin and end, /, "") {
			four = /^instructions:u,/ ? 3 : 0
			sub(/^[^ ]*( measured)?: /, "")
			split($0, part, /[^0-9]+/)
			if (!/moments/)
				found[1] = part[1]
			else {
				found[2 + four] = part[1]
				found[4 + four] = part[2]
				found[3 + four] = part[3]
			}
		}
		END {
			for (i = 1; i <= 7; i++)
				if (!documented[i] || found[i] == "" || found[i] * 100 > documented[i] * (100 + slack)) {
					printf "FAIL regions of %s: row %d: %s, and COSTS.md has %s\n", machine, i, found[i], documented[i]
					failed = 1
				}
			if (!failed)
				printf "PASS regions of %s: 7 rows\n", machine
			exit failed
		}' - "$work/vm/$1.log" || failed=1
}
# The costs of switches, reads and the driver's calls, row by row. An interrupt in one of them, or in the switch without counters, moves a difference.
switches() {
	[ -e "$work/vm/skylake-1.log" ] || { echo "SKIP switches: $work/vm/skylake-1.log is not there"; return 0; }
	section "| a switch with" "On arm64 counters" | awk -F ' *[|] *' '
		/^[|] *a (switch with|read|call) [|]/ { on = 1; next }
		/^[|] ?---/ { next }
		# The program says in its table what exceeds a limit of its own.
		!/^[|]/ && !/^not ok/ { on = 0 }
		!on || /^not ok/ { next }
		FNR == NR { documented[++rows] = $0; next }
		{
			n = split($0, found)
			m = split(documented[++printed], expected)
			bad = n != m || $2 != expected[2]
			for (i = 3; i < n && !bad; i++) {
				gsub(/,/, "", expected[i])
				bad = (found[i] == "") != (expected[i] == "") || found[i] * 10 > expected[i] * 11
			}
			if (bad) {
				printf "FAIL switches: %s, and COSTS.md has %s\n", $0, documented[printed]
				failed = 1
			}
		}
		END {
			if (rows != 17 || printed != 17) {
				printf "FAIL switches: %d rows of 17, and %d in COSTS.md\n", printed, rows
				failed = 1
			}
			if (!failed)
				print "PASS switches: 17 rows"
			exit failed
		}' - "$work/vm/skylake-1.log" || failed=1
}
# Errors of small pieces of code, cell by cell: this library's, which nothing may make larger.
small() {	# MACHINE FROM TO
	[ -e "$work/vm/$1.log" ] || { echo "SKIP small pieces: $work/vm/$1.log is not there"; return 0; }
	section "$2" "$3" | awk -F ' *[|] *' -v machine="$1" '
		FNR == NR && /region|perfctr_/ {
			for (i = 3; i < NF; i++)
				documented[$2, i] = $i
		}
		FNR != NR && ($2, 3) in documented {
			rows++
			for (i = 3; i < NF; i++) {
				n = split($i, found, "; ")
				m = split(documented[$2, i], expected, "; ")
				for (k = 1; k <= n; k++)
					if (!m || found[k] + 0 > expected[m < k ? m : k] + 0) {
						printf "FAIL small pieces of %s: %s: %s, and COSTS.md has %s\n", \
							machine, $2, $i, documented[$2, i]
						failed = 1
						break
					}
			}
		}
		END {
			if (rows != 5) {
				printf "FAIL small pieces of %s: %d rows of 5\n", machine, rows
				failed = 1
			}
			if (!failed)
				printf "PASS small pieces of %s: 5 rows\n", machine
			exit failed
		}' - "$work/vm/$1.log" || failed=1
}
if [ "$(${CC:-cc} -dumpversion)" = 12 ]; then
	small skylake-1 "| a piece on x86-64" "## Names"
	small skylake-2 "| a piece on x86-64" "## Names"
	small arm64-1 "| a piece on arm64" "| a piece on x86-64"
	switches
	# An interrupt among the thousand visits has one of them read again.
	regions skylake-1 3 1
	regions arm64-1 4 1
	regions riscv64-1 5 1
	regions power9-1 6 10
fi
kernel=0
compare look-up "${CC:-cc}" "$work/logs/look-up.log" "Names and the low-level" "## Samples"
compare samples "${CC:-cc}" "$work/logs/samples.log" "A program's loop" "## Growth"
compare engine "${CC:-cc}" "$work/logs/engine.log" "| engine, one suspend" "These tables show"
# The table's own row, whose name has the number of names.
if [ -e "$work/logs/look-up.log" ]; then
	row=$(sed -n 's/^| \(the whole table, [^|]*\) |.*/\1/p' "$work/logs/look-up.log")
	[ -n "$row" ] && grep -q -F "| $row |" "$top/docs/COSTS.md" && echo "PASS look-up: $row" ||
		{ echo "FAIL look-up: COSTS.md has no row \"$row\""; failed=1; }
fi
# libpfm4's column, row by row. Its look-ups compare strings, whose alignment the environment decides on; what it does at first
# depends on the machine.
libpfm4() {
	[ -e "$1" ] || { echo "SKIP libpfm4: $1 is not there"; return 0; }
	section "Names and the low-level" "## Samples" | awk -F ' *[|] *' '
		function number(cell) { gsub(/,/, "", cell); return cell }
		FNR == NR && $4 ~ /^[0-9]/ { documented[$2] = number($4) }
		FNR != NR && $2 in documented {
			found = NF > 5 ? $5 : $4
			slack = /pfm_initialize/ ? 20 : /`/ ? 5 : /start of a program/ ? 1 : 0
			if (found == "" || found * 100 > documented[$2] * (100 + slack) || found * 100 < documented[$2] * (100 - slack)) {
				printf "FAIL libpfm4: %s: %s, and COSTS.md has %s\n", $2, found, documented[$2]
				failed = 1
			}
			delete documented[$2]
			rows++
		}
		END {
			for (row in documented) {
				printf "FAIL libpfm4: nothing prints %s\n", row
				failed = 1
			}
			if (!failed && rows)
				printf "PASS libpfm4: %d rows\n", rows
			exit failed || !rows
		}' - "$1" || failed=1
}
[ "$(${CC:-cc} -dumpversion)" != 12 ] || libpfm4 "$work/logs/look-up.log"
# The memory that a program finds decides on a little of these.
slack=2
compare reports "${CC:-cc}" "$work/logs/reports.log" "So does a report" "All metrics of"
column=4
compare scale "${CC:-cc}" "$work/logs/scale.log" "A set's cost grows" "So does a report"
compare metrics "${CC:-cc}" "$work/logs/reports.log" "All metrics of" "## The driver"
# How many metrics there are, which is no cost.
if [ -e "$work/logs/reports.log" ]; then
	rows=0 missing=0
	for row in $(sed -n '/^| all metrics of/,$s/^| \([a-z0-9-]*\) | \([0-9]*\) |.*/\1:\2/p' "$work/logs/reports.log"); do
		rows=$((rows + 1))
		grep -q "^| ${row%:*} | ${row#*:} |" "$top/docs/COSTS.md" ||
			{ echo "FAIL metrics: COSTS.md does not have ${row#*:} of ${row%:*}"; missing=1; }
	done
	[ $rows -gt 0 ] || { echo "FAIL metrics: $work/logs/reports.log has no row"; missing=1; }
	[ $missing = 0 ] && echo "PASS metrics: the numbers of $rows processors" || failed=1
fi
exit $failed
