/* SPDX-License-Identifier: Apache-2.0 */
/* variables.c - see variables.h. Tests: tests/run/variables_test.c. */
#include "run/variables.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

static haft_str name_at(haft__json names, uint32_t i)
{
    haft__json name = names.items[i];
    return name.kind == HAFT__JSON_STRING ? haft__json_text(name) : HAFT__LIT("");
}

static void append(char *text, const char *before, haft_str name)
{
    size_t used = strlen(text);
    (void)snprintf(text + used, HAFT__VARIABLES_TEXT - used, "%s%.*s", before, HAFT__ARG(name));
}

size_t haft__variables_missing(haft__json names, haft_str (*get)(void *context, haft_str name),
                               void *context, char ret_text[HAFT__VARIABLES_TEXT])
{
    size_t count = 0;
    haft_str last = HAFT__LIT("");
    ret_text[0] = '\0';
    for (uint32_t i = 0; get != NULL && names.kind == HAFT__JSON_ARRAY && i < names.count; i++) {
        haft_str name = name_at(names, i);
        if (name.len == 0 || get(context, name).len > 0) {
            continue;
        }
        if (count > 0) {
            append(ret_text, count > 1 ? ", " : "", last);
        }
        last = name;
        count++;
    }
    if (count > 0) {
        append(ret_text, count > 1 ? " and " : "", last);
    }
    return count;
}
