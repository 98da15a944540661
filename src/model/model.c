/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - small questions about the neutral model. Tests: tests/model/model_test.c. */
#include "model/model.h"

#include "base/macros.h"
#include "base/str.h"

static const char *const stops[] = {
    [HAFT__STOP_END] = "stop",
    [HAFT__STOP_CALLS] = "tool_calls",
    [HAFT__STOP_LENGTH] = "length",
    [HAFT__STOP_REFUSAL] = "refusal",
};

const char *haft__stop_name(haft__stop stop)
{
    return stops[stop];
}

bool haft__stop_find(haft_str name, haft__stop *ret_stop)
{
    for (size_t i = 0; i < COUNT(stops); i++) {
        if (haft__str_equal(name, haft__str(stops[i]))) {
            *ret_stop = (haft__stop)i;
            return true;
        }
    }
    return false;
}

static bool has(haft_str text, haft_str part)
{
    if (part.len == 0) {
        return true;
    }
    while (text.len >= part.len) {
        const char *at = memchr(text.ptr, part.ptr[0], text.len - part.len + 1);
        if (at == NULL) {
            return false;
        }
        if (memcmp(at, part.ptr, part.len) == 0) {
            return true;
        }
        text = haft__str_skip(text, (size_t)(at - text.ptr) + 1);
    }
    return false;
}

bool haft__request_contains(const haft__request *request, haft_str text)
{
    bool found = has(request->correction, text);
    for (size_t i = 0; i < request->messages->count && !found; i++) {
        const haft__message *message = &request->messages->items[i];
        found = has(message->text, text);
        for (size_t k = 0; k < message->call_count && !found; k++) {
            found = has(message->calls[k].arguments, text) || has(message->calls[k].name, text);
        }
    }
    return found;
}
