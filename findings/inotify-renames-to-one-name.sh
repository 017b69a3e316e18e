#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# inotify(7) says that the kernel merges two successive events if their watch, mask, cookie and name are the same. It does not compare
# the cookie: two files that are renamed to one name, one after the other, give one IN_MOVED_TO, though each rename has a cookie of its
# own, which a watch for both halves shows. Who counts renames by the name that files get (a maildir's, "latest", a shared tombstone)
# misses some; IN_MOVED_FROM has all. The watcher is stopped meanwhile, as a busy one would be.
set -eu
version=3.22.6.0-4
work=$(mktemp -d)
watcher=
trap '[ -z "$watcher" ] || kill -9 "$watcher" 2>/dev/null || :; rm -rf "$work"' EXIT
cd "$work"
{ apt-get -qq download "inotify-tools=$version" "libinotifytools0=$version" 2>/dev/null &&
	for package in ./*.deb; do dpkg -x "$package" root; done; } || { echo "not tried: no package inotify-tools $version"; exit 77; }
echo "version: inotify-tools $version, Linux $(uname -r)"
for LD_LIBRARY_PATH in root/usr/lib/*-linux-*; do export LD_LIBRARY_PATH; done
events() {	# KIND: what is seen of two files that are renamed to one name: events, and different cookies
	rm -rf files && mkdir files && touch files/one files/two
	root/usr/bin/inotifywait -q -m -e "$1" --format '%e %c' files >seen 2>/dev/null &
	watcher=$!
	sleep 1
	kill -STOP "$watcher"
	mv files/one files/both && mv files/two files/both
	kill -CONT "$watcher"
	sleep 1
	kill "$watcher"
	wait "$watcher" 2>/dev/null || :
	watcher=
	awk '{ n++; cookies += !seen[$2]++ } END { print n + 0, cookies + 0 }' seen
}
for kind in moved_to moved_from move; do
	echo "$kind: $(events $kind) (events, cookies)"
done | tee all
[ "$(cat all)" = 'moved_to: 1 1 (events, cookies)
moved_from: 2 2 (events, cookies)
move: 4 2 (events, cookies)' ]
