# SPDX-License-Identifier: LGPL-2.1-or-later
# Compiled and run by tests/api.sh.
exampledir = $(docdir)/examples
dist_example_DATA = examples/command.c examples/events.c examples/global.c examples/inline.c \
	examples/inline.cc examples/remote.c examples/sampling.c examples/self.c examples/signal.c examples/threads.c
