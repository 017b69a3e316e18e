#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# A file of a Debian source package, by its SHA-256 as Debian's signed lists have it.
# usage: source.sh PATH SHA256 FILE
#	PATH	below pool/main of the mirror that the system uses: l/likwid/likwid_5.4.1+dfsg.orig.tar.xz
#	FILE	where it is put; one that is there, and has the sum, is left as it is
# The environment: PERFCTR_POOL, the address of another pool/main.
set -eu
path=${1:?usage: source.sh PATH SHA256 FILE} sum=${2:?} file=${3:?}

is_it() {
	echo "$sum  $1" | sha256sum -c --status 2>/dev/null
}

is_it "$file" && exit 0
pool=${PERFCTR_POOL:-$(apt-get --print-uris download libpfm4 | sed "s/^'\([^']*\/main\)\/.*/\1/; q")}
new=$file.new.$$
trap 'rm -f "$new"' EXIT
why=$(/usr/lib/apt/apt-helper download-file "$pool/$path" "$new" 2>&1) || {
	echo "$why" >&2
	echo "source.sh: $pool/$path can't be had, for the reasons above" >&2
	exit 1
}
is_it "$new" || {
	echo "source.sh: $pool/$path is not Debian's file, or was cut off: its SHA-256 is not $sum; try another mirror" >&2
	exit 1
}
mv "$new" "$file"
