# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiled and run by tests/api.sh, mpi.c by tests/regions.sh, rows.c by tests/collect.sh.
exampledir = $(docdir)/examples
dist_example_DATA = examples/benchmark.cc examples/command.c examples/events.c examples/global.c \
	examples/inline.c examples/inline.cc examples/mpi.c examples/regions.c examples/regions.cc examples/remote.c examples/rows.c \
	examples/sampling.c examples/self.c examples/signal.c examples/slow.c examples/threads.c
