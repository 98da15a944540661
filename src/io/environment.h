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

/* The path of a file of the user's state: NAME in haft/ below XDG_STATE_HOME, or below
 * ~/.local/state if the home directory exists and is not "/". .ptr is NULL if no such directory
 * exists (then *ret_why is the reason), or when out of memory (then *ret_why is NULL). */
haft_str haft__environment_state_path(haft__arena *arena, const char *name, const char **ret_why);

#endif
