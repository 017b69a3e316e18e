/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embedded.h - the script and the style sheet of pages; embed.awk makes C of them. */
#ifndef PERFCTR_TOOLS_EMBEDDED_H
#define PERFCTR_TOOLS_EMBEDDED_H

extern const char page_script[], page_style[];

#endif /* PERFCTR_TOOLS_EMBEDDED_H */
