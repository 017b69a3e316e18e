/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sites.h - where the counter instructions of the loops are. A processor may execute any of them
 * without a fault: RDTSC where a hypervisor ignores CR4.TSD, RDPMC where /sys has rdpmc=2. The
 * tracer stops the loops there by itself. x86's instructions have no places of their own, so the
 * assembler notes each: macros come before instructions of the same name.
 */
#ifndef PERFCTR_TESTS_SITES_H
#define PERFCTR_TESTS_SITES_H

#if defined(__x86_64__) || defined(__i386__)

#define SITE(name, code)                    \
	"	.macro	" name "\n"         \
	"	.pushsection step_sites, \"a\"\n" \
	"	.long	77f - .\n"                  \
	"	.popsection\n"                    \
	"77:	.byte	" code "\n"         \
	"	.endm\n"

/* Once, where a compiler joins its inputs. */
__asm__("	.ifndef	step_sites_noted\n"
	"	.set	step_sites_noted, 1\n" SITE("rdpmc", "0x0F, 0x33")
		SITE("rdtsc", "0x0F, 0x31") "	.endif\n");

#undef SITE

#endif

#endif /* PERFCTR_TESTS_SITES_H */
