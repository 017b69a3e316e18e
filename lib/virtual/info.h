/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* info.h - facts about the machine */
#ifndef PERFCTR_LIB_VIRTUAL_INFO_H
#define PERFCTR_LIB_VIRTUAL_INFO_H

#include "libperfctr.h"

struct perfctr_provider;

/* Gets a provider's facts, and those that do not depend on the provider. */
int perfctr_provider_info(const struct perfctr_provider *provider, struct perfctr_info *info);

#endif /* PERFCTR_LIB_VIRTUAL_INFO_H */
