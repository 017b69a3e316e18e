# SPDX-License-Identifier: LGPL-2.1-or-later
lib_libinternal_la_SOURCES += \
	lib/virtual/attach.c \
	lib/virtual/choose.c \
	lib/virtual/device.c \
	lib/virtual/device.h \
	lib/virtual/handle.c \
	lib/virtual/info.c \
	lib/virtual/info.h \
	lib/virtual/kind.c \
	lib/virtual/kind.h \
	lib/virtual/provider.h \
	lib/virtual/provider_driver.c \
	lib/virtual/provider_perf.c \
	lib/virtual/queue.c \
	lib/virtual/queue.h \
	lib/virtual/remote.c \
	lib/virtual/syscalls.c \
	lib/virtual/syscalls_perf.c \
	lib/virtual/syscalls_perf.h \
	lib/virtual/total.c \
	lib/virtual/virtual.c
EXTRA_DIST += lib/virtual/README.md
