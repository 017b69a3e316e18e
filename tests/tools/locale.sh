#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests that names are found in any case of letters whatever the locale is: in Turkish ones i is the small letter of
# another capital than I.
# The environment: PERFEX: the program; LIBPERFCTR, the build's .libs directory.
set -u
# shellcheck source=tests/tools/expect.sh
. "${srcdir:-.}/tests/tools/expect.sh"
mkdir "$work/locales"
for charset in ISO-8859-9 UTF-8; do
	localedef -i tr_TR -f $charset "$work/locales/tr_TR.$charset" >"$work/out" 2>&1 ||
		{ skip "names in Turkish locales" "needs localedef and Debian's package locales"; exit 77; }
done
# By a program, since Python has the first C library, and this may be another.
pfm=$(realpath "$(dirname "${LIBPERFCTR:-lib/.libs}")/../compat/libpfm4/.libs")
if [ -e "$pfm/libpfm.so.4" ]; then
	cat >"$work/names.c" <<'EOT'
#include <locale.h>
#include <stdio.h>
int pfm_initialize(void), pfm_find_event(const char *name);
int main(void)
{
	setlocale(LC_ALL, "");
	puts(pfm_initialize() == 0 && pfm_find_event("PERF::page-faults:U") >= 0 &&
	     pfm_find_event("perf::cpu-migrations") >= 0 &&
	     pfm_find_event("perf::cpu-migrations") == pfm_find_event("perf::CPU-MIGRATIONS") ? "found" : "lost");
	return 0;
}
EOT
	${CC:-cc} ${CFLAGS:-} "$work/names.c" "$pfm/libpfm.so.4" -Wl,-rpath,"$pfm:$(realpath "${LIBPERFCTR:-lib/.libs}")" \
		-o "$work/names" 2>"$work/out" || skip "libpfm4's names" "the program can't be built"
fi
export LOCPATH="$work/locales"
for locale in tr_TR.ISO-8859-9 tr_TR.UTF-8; do
	export LC_ALL=$locale
	for preset in PAPI_L1_ICM papi_tot_ins Papi_Stl_Icy; do
		expect "$preset, $locale" 0 '^evntsel' "$perfex" --cpu skylake -e $preset
	done
	expect "its formula, $locale" 125 'is a formula here, not an event' "$perfex" --cpu skylake -e papi_l1_tcm
	expect "a list, $locale" 0 '^ *PAPI_TOT_INS' "$perfex" --cpu skylake -l papi_tot_ins
	expect "a formula among events, $locale" 1 '^0$' sh -c '"$1" -e papi_l1_tcm,task-clock true 2>&1 | grep -c "is no event here"' \
		sh "$perfex"
	expect "a processor, $locale" 0 '^evntsel' "$perfex" --cpu CASCADELAKEX -e INST_RETIRED.ANY_P
	expect "a wrong name, $locale" 125 'did you mean INST_RETIRED' "$perfex" --cpu skylake -e inzt_retired.any
	for event in CPU-MIGRATIONS PERF_COUNT_sw_cpu_migrations TASK-CLOCK; do
		expect "$event, $locale" 0 "counts of 'true'" "$perfex" -e $event true
	done
	# Whether there are counters for it or not.
	# shellcheck disable=SC2016
	expect "a metric, $locale" 1 '^0$' sh -c '"$1" -M UTILISATION true 2>&1 | grep -c "has no metric"' sh "$perfex"
	if [ -e "$work/names" ]; then
		expect "libpfm4's names, $locale" 0 '^found$' "$work/names"
	fi
done
exit $failed
