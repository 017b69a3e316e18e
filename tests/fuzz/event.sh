#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
exec tests/fuzz/event "${srcdir:-.}"/tests/fuzz/corpus/event/*
