/* SPDX-License-Identifier: Apache-2.0 */
/* environment.c - reads environment variables. Tests: tests/io/environment_test.c. */
#include "io/environment.h"

#include <stdlib.h>
#include <string.h>

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
