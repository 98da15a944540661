/* SPDX-License-Identifier: Apache-2.0 */
/* nested.c - see run/nested.h. Tests: tests/run/fold/nested_test.c. */
#include "run/nested.h"

#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/event_body.h"
#include "tool/builtin.h"

bool haft__call_runs_code(const haft__run_call *call)
{
    return call->tool != NULL && haft__tool_runs_code(call->tool);
}

haft_str haft__nested_id(haft__arena *arena, const haft__run_call *parent)
{
    return haft__arena_format(arena, "%.*s.%u", HAFT__ARG(parent->id), parent->nested + 1);
}

const haft__run_call *haft__nested_find(const haft__run *run, size_t parent, uint32_t number)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->parent.len > 0 && call->parent_index == parent && --number == 0) {
            return call;
        }
    }
    return NULL;
}

haft_status haft__nested_hash(haft_str tool, haft__json arguments, uint64_t *ret_hash,
                              haft_error *err)
{
    haft__buf key;
    haft__buf_init(&key, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_call_key(&key, tool, arguments, err);
    *ret_hash = haft__run_hash(haft__buf_str(&key));
    haft__buf_finish(&key);
    return status;
}

bool haft__call_is_over(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
}

void haft__input_call_requested(haft__buf *buf, const haft__run_call *parent, haft_str id,
                                haft_str tool, haft__json arguments, uint64_t hash, bool redacted)
{
    haft__json_writer w;
    haft__buf text;
    char hex[17];
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, arguments);
    (void)snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)hash);
    haft__event_body_begin(&w, buf, HAFT__EVENT_CALL_REQUESTED);
    haft__field_text(&w, "call", id);
    haft__field_text(&w, "parent", parent->id);
    haft__field_text(&w, "tool", tool);
    haft__field_text(&w, "arguments", haft__buf_str(&text));
    haft__field_text(&w, "hash", haft__str(hex));
    haft__field_flag(&w, "redacted", redacted);
    haft__event_body_end(&w, buf);
    if (text.status != HAFT_OK) {
        haft__buf_fail(buf, text.status, NULL);
    }
    haft__buf_finish(&text);
}
