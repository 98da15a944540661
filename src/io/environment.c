/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - reads environment variables. Tests: tests/io/environment_test.c. */
#include "io/environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

haft_str haft__environment_get(void *context, haft_str name)
{
    (void)context;
    char text[256];
    if (name.len >= sizeof(text) || memchr(name.ptr, '\0', name.len) != NULL) {
        return (haft_str){NULL, 0};
    }
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    const char *value = getenv(text);
    return value != NULL ? haft__str(value) : (haft_str){NULL, 0};
}

extern char **environ;

void haft__environment_each(void (*visit)(void *context, haft_str name, haft_str value),
                            void *context)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        haft_str value = haft__str(*entry);
        haft_str name = haft__str_split(&value, '=');
        visit(context, name, value);
    }
}

haft_str haft__environment_state_path(haft__arena *arena, const char *name, const char **ret_why)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    struct stat info;
    *ret_why = NULL;
    if (state != NULL && state[0] == '/') {
        return haft__arena_format(arena, "%s/haft/%s", state, name);
    }
    if (home == NULL || home[0] != '/') {
        *ret_why = "neither XDG_STATE_HOME nor HOME is set";
    } else if (strspn(home, "/") == strlen(home)) {
        *ret_why = "HOME is / and XDG_STATE_HOME is not set";
    } else if (stat(home, &info) != 0 || !S_ISDIR(info.st_mode)) {
        *ret_why = "HOME does not exist and XDG_STATE_HOME is not set";
    } else {
        return haft__arena_format(arena, "%s/.local/state/haft/%s", home, name);
    }
    return (haft_str){NULL, 0};
}
