# SPDX-License-Identifier: LGPL-2.1-or-later
perfctrinclude_HEADERS += bindings/cxx/perfctr.hpp
cxxexampledir = $(docdir)/examples/cxx
dist_cxxexample_DATA = bindings/cxx/examples/google_benchmark.cc bindings/cxx/examples/perf_event.cc
dist_check_SCRIPTS += tests/bindings/cxx.sh
TESTS += tests/bindings/cxx.sh
EXTRA_DIST += tests/bindings/recorder.c tests/bindings/cxx.cc tests/bindings/cxx-arguments.cc tests/bindings/cxx-code.c tests/bindings/cxx-code.cc tests/bindings/cxx-results.cc
