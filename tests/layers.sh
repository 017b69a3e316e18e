#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which file needs which, read from a build's objects with nm and from #include lines: none may need one that stands
# below it in the tables of the READMEs, which go from the bottom up, so that there is no cycle, and each has its place
# and its sentence there. lib/ has at most 12 rooms on 9 floors, tools/ 9 on 6. And no file of lib/ needs a
# cancellation point but lib/base/call.c.
# usage: layers.sh BUILD	a directory of configure's, or of scripts/driver's
# The environment: NM, another machine's nm.
# Prints a line per directory; exit status 0 if none failed.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=${1:?usage: layers.sh BUILD}

# Names in the first column of a table, which are files or, with a /, directories.
rows() {	# README
	# shellcheck disable=SC2016 # backquotes of Markdown
	sed -n 's,^| `\([a-z0-9_/-]*\)\(\.[ch]\|/\)`.*,\1\2,p' "$top/$1"
}

# "place FILE", from the bottom up. The rooms of lib/ have READMEs of their own.
places() {
	for directory in arch driver lib tools; do
		rows "$directory/README.md" | while read -r row; do
			case $directory/$row in
			lib/*/) rows "lib/${row}README.md" | sed "s,^,place lib/$row," ;;
			*) echo "place $directory/$row" ;;
			esac
		done
	done
}

# These files are made, and have no source in the directory.
generated='arch/event-tables.c arch/metric-tables.c tools/perfex/report/embedded.c'

# No file of lib/ calls these but base/call.c, which says why.
cancellation_points='accept close closedir clock_nanosleep connect creat epoll_wait fclose fgets fopen fread fsync
getline msync nanosleep open openat opendir pause poll ppoll pread pselect read readv recv recvfrom recvmsg select
send sendmsg sendto sigtimedwait sigwait sigwaitinfo sleep system tcdrain usleep wait waitid waitpid write writev'

# The file DIRECTORY/.../NAME.c of an object, which libtool and automake give a prefix. Nothing for one whose source
# is gone.
file_of() {	# OBJECT
	file=${1#"$build/"}
	file=${file%.o}
	while [ ! -e "$top/$file.c" ]; do
		case " $generated " in *" $file.c "*) break ;; esac
		case ${file##*/} in
		*-*) file=${file%/*}/$(echo "${file##*/}" | sed "s/^[^-]*-//") ;;
		*) return ;;
		esac
	done
	echo "$file.c"
}

# "has FILE SYMBOL" and "needs FILE SYMBOL", of all directories.
symbols() {
	for directory in arch driver lib tools; do
		find "$build/$directory" -name '*.o' ! -path '*/.libs/*' ! -name 'tests_*' 2>/dev/null
	done | while read -r object; do
		file=$(file_of "$object")
		[ -z "$file" ] || ${NM:-nm} -g "$object" | awk -v file="$file" '
			$(NF - 1) == "U" { print "needs", file, $NF }
			NF > 2 { print "has", file, $NF }'
	done
}

# "source FILE" of each; "includes FILE FILE"; "listed FILE" of local.mk's.
sources() {
	cd "$top" && find arch driver lib tools -name '*.[ch]' ! -name '*.mod.c' | LC_ALL=C sort | while read -r file; do
		echo "source $file"
		sed -n "s,^#include \"\([a-z]*/[^\"]*\)\".*,includes $file \1,p" "$file"
	done
	cat arch/local.mk lib/local.mk lib/*/local.mk tools/local.mk | tr -s ' \t' '\n' |
		sed -n 's,^\(\(arch\|lib\|tools\)/[a-z0-9_/-]*\.[ch]\)$,listed \1,p'
}

{
	places
	sources
	symbols | LC_ALL=C sort
} | LC_ALL=C awk -v cancellation_points="$cancellation_points" -v generated="$generated" '
	function stem(file) {
		sub("\\.[ch]$", "", file)
		return file
	}
	function directory_of(file) {
		sub("/.*", "", file)
		return file
	}
	# A header stands where its file does, if it has no row of its own.
	function place(file) {
		return file in rank ? file : stem(file) ".c"
	}
	# Of lib/ and tools/, what lies in it: a room, or a file that is none; of perfex, each of its directories.
	function room_of(file, part, n) {
		n = split(stem(file), part, "/")
		return part[1] "/" part[2] (part[2] == "perfex" ? "/" (n > 3 ? part[3] : "") : "")
	}
	# How many rooms are below each other, this one included.
	function floor(room, other, most, n) {
		if (room in floors)
			return floors[room]
		floors[room] = most = 1
		for (other in rooms)
			if ((room, other) in stairs && directory_of(other) == directory_of(room)) {
				n = floor(other) + 1
				if (n > most)
					most = n
			}
		return floors[room] = most
	}
	function complain(file, sentence) {
		print sentence
		bad[directory_of(file)] = 1
	}
	# Counts the rooms and floors of a directory, and holds each against its limit.
	function house(directory, most_rooms, most_floors, room, n, highest) {
		for (room in rooms)
			if (directory_of(room) == directory) {
				n++
				if (floor(room) > highest)
					highest = floor(room)
			}
		size[directory] = "; " n " rooms on " highest " floors"
		if (n > most_rooms || highest > most_floors)
			complain(directory, directory "/ has " n " rooms on " highest " floors, and not " \
				most_rooms " on " most_floors)
	}
	BEGIN {
		# Those that print are left to the program, which alone calls them.
		n = split(cancellation_points, list)
		while (n)
			cancels[list[n--]]
		n = split(generated, list)
		while (n)
			source[list[n--]]
	}
	$1 == "place" { rank[$2] = ++nr_places }
	$1 == "listed" { listed[$2] }
	$1 == "source" {
		source[$2]
		if ($2 ~ /^(lib|tools)\//)
			rooms[room_of($2)]
	}
	$1 == "includes" && directory_of($3) ~ /^(arch|driver|lib|tools)$/ && stem($2) != stem($3) { why[$2, $3] = "header" }
	# Before "needs", since sorted.
	$1 == "has" { owner[$3] = $2 }
	$1 == "has" || $1 == "needs" {
		if (!($2 in seen)) {
			seen[$2]
			built[directory_of($2)]++
		}
	}
	# A symbol that is needed only for linking is not called.
	$1 == "needs" && $3 !~ /^perfctr_link_/ && $3 in owner && owner[$3] != $2 { why[$2, owner[$3]] = $3 }
	$1 == "needs" && $2 ~ /^lib\// && $2 != "lib/base/call.c" {
		name = $3
		sub(/^__(wrap_)?/, "", name)
		sub(/@.*/, "", name)
		sub(/_chk$|_2$|_alias$/, "", name)
		sub(/64$/, "", name)
		if (name in cancels)
			complain($2, $2 " needs " $3 ", a cancellation point; base/call.c has those that are none")
	}
	END {
		for (pair in why) {
			split(pair, end, SUBSEP)
			if (rank[place(end[2])] >= rank[place(end[1])] && place(end[2]) in rank && place(end[1]) in rank)
				complain(end[1], end[1] " is not above " end[2] ", whose " why[pair] " it needs")
			if (end[2] ~ /^driver\// && end[1] !~ /^driver\//)
				complain(end[1], end[1] " needs " end[2] ", which is the kernel'\''s")
			if (room_of(end[1]) != room_of(end[2]))
				stairs[room_of(end[1]), room_of(end[2])]
		}
		for (file in source) {
			if (!(place(file) in rank))
				complain(file, file " has no sentence in the table of its directory")
			if (!(file in listed) && file !~ /^driver\// && !index(generated, file))
				complain(file, file " is not in the local.mk of its directory")
		}
		for (file in rank)
			if (!(file in source))
				complain(file, file " has a sentence, and is not there")
		house("lib", 12, 9)
		house("tools", 9, 6)
		n = split("arch driver lib tools", list)
		for (i = 1; i <= n; i++) {
			if (!built[list[i]] && !bad[list[i]])
				continue
			print (bad[list[i]] ? "FAIL " : "PASS ") list[i] ": " built[list[i]] + 0 " files" size[list[i]]
			failed += bad[list[i]]
			some = 1
		}
		if (!some)
			print "FAIL there are no objects"
		exit failed || !some
	}'
