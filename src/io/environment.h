/* SPDX-License-Identifier: Apache-2.0 */
/* io/environment.h - the environment of this process. */
#ifndef HAFT_IO_ENVIRONMENT_H
#define HAFT_IO_ENVIRONMENT_H

#include "haft.h"

/* The value of a variable; .ptr is NULL if it is not set. `context` is not used. */
haft_str haft__environment_get(void *context, haft_str name);

/* Calls `visit` for every variable. */
void haft__environment_each(void (*visit)(void *context, haft_str name, haft_str value),
                            void *context);

#endif
