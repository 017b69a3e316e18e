#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which file needs which, read from a build's objects with nm: none may need one of a higher layer, or be
# needed by one that it needs, and where a folder's layers are listed each of its files has its sentence.
# usage: layers.sh BUILD	a folder of configure's, or of scripts/driver's
# The environment: NM, another machine's nm.
# Prints a line per folder; exit status 0 if none failed.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=${1:?usage: layers.sh BUILD}

# The folders, from the bottom up: FOLDER SENTENCES LAYER... The file SENTENCES has a row of a table that
# begins with a file's name, from the folder of SENTENCES; the layers are the folder's files, from the bottom
# up, with commas between those that must not need each other. "-": not put in order yet; only new cycles are
# refused. What lies in a folder that is not named here belongs to the one that it is in.
layers='
arch - -
driver driver/README.md hw_x86,hw_powerpc cpu state thread signal,owner calls init
lib/base lib/README.md error,file memory,list,nearest,cpus
lib/isa lib/README.md cpuid,pmu,tsc,attr native control
lib/names lib/README.md metric,known,table sysfs,tracepoint catalog name resolve
lib/perf lib/README.md sys probe,reading check,why counter ring,record,signal,clock,group overflow
lib lib/README.md handle,device,queue provider_driver,provider_perf provider attach raw_perf raw info group virtual,remote,process,global,set,sampler,doctor
tools tools/README.md die,text symbols histogram sample targets,events tasks,driver child trace run results ratio table,csv,json output options,show perfex,perfctr-info
'

# The cycles that there are still, FOLDER FILE...: none may grow. Who opens one deletes it here.
known='
'

# What is made, and has no source in the folder.
generated='arch/event-tables'

# The file FOLDER/.../NAME of an object, which libtool and automake give a prefix. Nothing for one whose source
# is gone.
file_of() {	# OBJECT
	file=${1#"$build/"}
	file=${file%.o}
	while [ ! -e "$top/$file.c" ] && [ "$file" != "$generated" ]; do
		case ${file##*/} in
		*-*) file=${file%/*}/$(echo "${file##*/}" | sed "s/^[^-]*-//") ;;
		*) return ;;
		esac
	done
	echo "$file"
}

# "has FILE SYMBOL" and "needs FILE SYMBOL", of all folders.
symbols() {
	for folder in $(echo "$layers" | sed -n 's,^\([a-z]*\)[/ ].*,\1,p' | uniq); do
		find "$build/$folder" -name '*.o' ! -path '*/.libs/*' 2>/dev/null
	done | while read -r object; do
		file=$(file_of "$object")
		[ -z "$file" ] || ${NM:-nm} -g "$object" | awk -v file="$file" '
			$(NF - 1) == "U" { print "needs", file, $NF }
			NF > 2 { print "has", file, $NF }'
	done
}

# "sentence FILE", of those that have one.
sentences() {
	echo "$layers" | while read -r folder table _; do
		[ "${table:--}" = - ] || sed -n "s,^| \`\([a-z0-9_/-]*\)\.c\`.*,sentence ${table%/*}/\1,p" "$top/$table"
	done
}

{
	echo "$layers" | sed '/./s/^/layer /'
	echo "$known" | sed '/./s/^/known /'
	sentences
	symbols | LC_ALL=C sort
} | LC_ALL=C awk '
	function folder_of(file) {
		do
			sub("/[^/]*$", "", file)
		while (!(file in height) && index(file, "/"))
		return file
	}
	function complain(folder, sentence) {
		print sentence
		bad[folder] = 1
	}
	$1 == "layer" {
		folders[++nr_folders] = $2
		ordered[$2] = $4 != "-"
		for (i = 4; i <= NF; i++) {
			n = split($i, side, ",")
			for (k = 1; k <= n; k++)
				rank[$2 "/" side[k]] = i
		}
		height[$2] = nr_folders
	}
	$1 == "known" {
		known_folder[++nr_known] = $2
		for (i = 3; i <= NF; i++)
			is_known[nr_known, $2 "/" $i]
		cycle[nr_known] = $0
	}
	$1 == "sentence" { described[$2] }
	# Before "needs", since sorted.
	$1 == "has" { owner[$3] = $2 }
	$1 == "has" || $1 == "needs" {
		if (!($2 in seen)) {
			seen[$2]
			files[++nr_files] = $2
			built[folder_of($2)]++
		}
	}
	$1 == "needs" && $3 in owner && owner[$3] != $2 { why[$2, owner[$3]] = $3 }
	END {
		for (pair in why) {
			split(pair, end, SUBSEP)
			from = folder_of(end[1])
			to = folder_of(end[2])
			reach[end[1], end[2]]
			if (from == to)
				upward = end[1] in rank && end[2] in rank && rank[end[2]] >= rank[end[1]]
			else
				upward = height[to] > height[from]
			if (upward)
				complain(from, end[1] ".c is below " end[2] ".c, whose " why[pair] " it needs")
		}
		for (k = 1; k <= nr_files; k++)
			for (i = 1; i <= nr_files; i++)
				if ((files[i], files[k]) in reach)
					for (j = 1; j <= nr_files; j++)
						if ((files[k], files[j]) in reach)
							reach[files[i], files[j]]
		for (i = 1; i <= nr_files; i++) {
			file = files[i]
			folder = folder_of(file)
			if (ordered[folder] && !(file in rank))
				complain(folder, file ".c is in no layer; give it its place in tests/layers.sh")
			if (ordered[folder] && !(file in described))
				complain(folder, file ".c has no sentence in the table of its folder")
			if (!((file, file) in reach) || file in told)
				continue
			text = ""
			for (n = 1; n <= nr_known; n++)
				fits[n] = 1
			for (j = 1; j <= nr_files; j++) {
				if (!((file, files[j]) in reach) || !((files[j], file) in reach))
					continue
				told[files[j]]
				text = text " " files[j]
				for (n = 1; n <= nr_known; n++)
					if ((n, files[j]) in is_known)
						found[n]
					else
						fits[n] = 0
			}
			for (n = 1; n <= nr_known && !fits[n]; n++)
				;
			if (n > nr_known)
				complain(folder, "a new cycle:" text)
			else
				print "a known cycle:" text
		}
		for (n = 1; n <= nr_known; n++)
			if (!(n in found) && built[known_folder[n]])
				complain(known_folder[n], "no cycle any more, delete it in tests/layers.sh: " cycle[n])
		for (i = 1; i <= nr_folders; i++) {
			folder = folders[i]
			if (!built[folder])
				continue
			print (bad[folder] ? "FAIL " : "PASS ") folder ": " built[folder] " files"
			failed += bad[folder]
			some = 1
		}
		if (!some)
			print "FAIL there are no objects"
		exit failed || !some
	}'
