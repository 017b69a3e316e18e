#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
exec tests/fuzz/vendor "${srcdir:-.}"/tests/fuzz/corpus/vendor/*
