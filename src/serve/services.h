/* SPDX-License-Identifier: Apache-2.0 */
/* serve/services.h - all servers, for src/main.c. */
#ifndef HAFT_SERVE_SERVICES_H
#define HAFT_SERVE_SERVICES_H

#include "engine/ops/service.h"

extern const haft__services haft__services_all;

#endif
