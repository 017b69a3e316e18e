#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# scripts/release: what it refuses; a release twice, whose archives are the same; and changes of the ABI, which it finds. Needs git,
# autoconf and abidiff.
# usage: release.sh WORKDIR
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "${1:?usage: release.sh WORKDIR}"
mkdir -p "$1/home"
work=$(cd "$1" && pwd)
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
[ ! -d /usr/lib/ccache ] || PATH=/usr/lib/ccache:$PATH
GIT_AUTHOR_NAME=release GIT_AUTHOR_EMAIL=release@localhost GIT_COMMITTER_NAME=release GIT_COMMITTER_EMAIL=release@localhost
RELEASE_DATE=2026-01-02 GNUPGHOME=$work/home
export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL RELEASE_DATE GNUPGHOME
chmod 700 "$GNUPGHOME"
git clone -q "$top" "$work/clone" && cd "$work/clone" || exit

refused() {	# SENTENCE ARGUMENT...
	sentence=$1
	shift
	! scripts/release "$@" >"$work/said" 2>&1 && grep -q "^release: $sentence" "$work/said"
	check "refused: $sentence" $?
}
refused 'a version is three numbers' 3.0 "$work/out"
refused "the last release's archive can't be read" -l "$work/none" 9.0.0 "$work/out"
mkdir "$work/full" && : >"$work/full/file"
refused "$work/full is not empty" 9.0.0 "$work/full"
refused 'CHANGELOG.md has a section "(not released)" already' next 9.0.1
refused 'gpg has no secret key "nobody"' -k nobody 9.0.0 "$work/out"
for date in today 2026-13-45; do
	(RELEASE_DATE=$date; refused "RELEASE_DATE is a day as YYYY-MM-DD, and not \"$date\"" 9.0.0 "$work/out"; exit $failed) || failed=1
done
# Without the environment and the user's settings git knows nobody.
nobody() { env -u GIT_AUTHOR_NAME -u GIT_AUTHOR_EMAIL -u GIT_COMMITTER_NAME -u GIT_COMMITTER_EMAIL GIT_CONFIG_GLOBAL=/dev/null "$@"; }
git config user.useConfigOnly true
! nobody scripts/release 9.0.0 "$work/out" >"$work/said" 2>&1 && grep -q '^release: git does not know who commits' "$work/said"
check "refused: git does not know who commits" $?
mkdir "$work/bin" && printf '#!/bin/sh\necho an error of its own\nexit 1\n' >"$work/bin/autoreconf" && chmod 755 "$work/bin/autoreconf"
ln -s "$work/clone" "$work/link"
! PATH=$work/bin:$PATH "$work/link/scripts/release" 9.0.0 "$work/out" >"$work/said" 2>&1 && grep -qx 'an error of its own' "$work/said" &&
	grep -qx 'release: autoreconf failed' "$work/said" && [ -z "$(ls -A "$work/out")" ]
check "refused: autoreconf failed, through a link; nothing is left" $?
git tag 8.0.0
refused '8.0.0 was released' 8.0.0 "$work/out"
echo >>README.md
refused 'something is not committed' 9.0.0 "$work/out"
git checkout -q README.md

gpg --batch --quiet --passphrase '' --quick-generate-key release@localhost ed25519 sign never 2>/dev/null
scripts/release -k release@localhost 9.0.0 "$work/first" >"$work/said" 2>&1 || { cat "$work/said"; echo "FAIL scripts/release"; exit 1; }
archive=$work/first/libperfctr-9.0.0.tar.xz
(cd "$work/first" && sha256sum --quiet -c libperfctr-9.0.0.sha256 && gpg --quiet --verify libperfctr-9.0.0.tar.xz.asc 2>/dev/null &&
	gpg --quiet --verify libperfctr-9.0.0.sha256.asc 2>/dev/null)
check "sums and signatures" $?
tar -xOf "$archive" libperfctr-9.0.0/CHANGELOG.md | grep -qx '## 9.0.0 (2026-01-02)' &&
	! tar -xOf "$archive" libperfctr-9.0.0/CHANGELOG.md | grep -q 'not released'
check "the changelog's date" $?
for file in configure.ac bindings/python/pyproject.toml bindings/rust/perfctr/Cargo.toml bindings/rust/perfctr-sys/Cargo.toml \
	contrib/libperfctr.spec contrib/meson/subprojects/libperfctr.wrap; do
	tar -xOf "$archive" "libperfctr-9.0.0/$file" | grep -q '9\.0\.0'
	check "the version in $file" $?
done
tar -tf "$archive" | grep -q '^libperfctr-9.0.0/configure$'
check "the archive needs no autoconf" $?
[ -z "$(git status --porcelain --untracked-files=no)" ]
check "the checkout is as it was" $?
tar -tf "$work/first/libperfctr-9.0.0-html.tar.xz" | grep -q '/perfctr.7.html$'
check "the pages" $?

# The same again; the last release is the first, which has been given another number of libtool's.
refused "LIBPERFCTR_VERSION_INFO is the last release's, 7:0:0" -l "$archive" 9.0.0 "$work/second"
mkdir "$work/last" && tar -C "$work/last" -xf "$archive" && find "$work/last" \( -name configure -o -name configure.ac \) |
	while read -r file; do
		touch -r "$file" "$work/time" && sed -i 's/7:0:0/8:0:1/' "$file" && touch -r "$work/time" "$file"
	done
tar -C "$work/last" -cJf "$work/last.tar.xz" libperfctr-9.0.0
git config user.name 'The checkout' && git config user.email checkout@localhost
nobody scripts/release -l "$work/last.tar.xz" 9.0.0 "$work/second" >"$work/said" 2>&1 || { cat "$work/said"; echo "FAIL scripts/release"; exit 1; }
grep -q "the ABI has all of the last release's" "$work/said"
check "the ABI of the same sources is the same" $?
cmp "$archive" "$work/second/libperfctr-9.0.0.tar.xz"
check "two archives are the same" $?
[ "$(git -C "$work/second/source" log -1 --format='%an <%ce>')" = 'The checkout <checkout@localhost>' ]
check "the commit is by whom the checkout's own settings name" $?
sed -i '/^	rvperfctr_pid;$/d' lib/libperfctr.map && git commit -q -am "A function goes"
refused "the ABI breaks programs" -a -l "$work/last.tar.xz" 9.0.1 "$work/third"
git checkout -q HEAD^
# With the flags of the environment alone abidiff would have no types to compare.
sed -i '/^struct perfctr_part {/,/^}/s/reserved\[4\]/reserved[5]/' include/libperfctr.h && git commit -q -am "A structure grows"
(export CFLAGS=-O2; refused "the ABI is not the last release's" -l "$work/last.tar.xz" 9.0.1 "$work/third"; exit $failed) || failed=1
scripts/release -a -l "$work/last.tar.xz" 9.0.1 "$work/third" >"$work/said" 2>&1 && grep -q 'what docs/RELEASE.md allows, as -a says$' "$work/said" &&
	[ -e "$work/third/libperfctr-9.0.1.tar.xz" ]
check "a change that is allowed" $?
git checkout -q HEAD^ && git pull -q "$work/second/source" HEAD && scripts/release next 9.1.0 &&
	grep -qxF 'AC_INIT([libperfctr], [9.1.0-dev])' configure.ac && grep -qx 'version = "9.1.0-dev"' bindings/python/pyproject.toml &&
	[ "$(grep -c 'libperfctr-9.1.0-dev' contrib/meson/subprojects/libperfctr.wrap)" = 2 ] &&
	grep -q '^Version:.9.1.0~dev$' contrib/libperfctr.spec && [ "$(grep -m 2 '^## ' CHANGELOG.md)" = "$(printf '## 9.1.0 (not released)\n## 9.0.0 (2026-01-02)')" ]
check "the next version" $?
exit $failed
