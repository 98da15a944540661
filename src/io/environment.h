/* SPDX-License-Identifier: Apache-2.0 */
/* io/environment.h - the environment of this process. */
#ifndef HAFT_IO_ENVIRONMENT_H
#define HAFT_IO_ENVIRONMENT_H

#include "base/arena.h"
#include "haft.h"

/* The value of a variable; .ptr is NULL if it is not set. `context` is not used. */
haft_str haft__environment_get(void *context, haft_str name);

/* Calls `visit` for every variable. */
void haft__environment_each(void (*visit)(void *context, haft_str name, haft_str value),
                            void *context);

/* Where the user's state is kept: NAME in haft/ below XDG_STATE_HOME, or below ~/.local/state if
 * the home directory exists and is not "/". .ptr is NULL if there is no such place, with the reason
 * in *ret_why, or if out of memory, with NULL in *ret_why. */
haft_str haft__environment_state_path(haft__arena *arena, const char *name, const char **ret_why);

#endif
