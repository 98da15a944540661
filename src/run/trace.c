/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c - the trace context of a call. Tests: tests/run/trace_test.c. */
#include "run/trace.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/hex.h"
#include "base/str.h"
#include "run/run.h"

/* Numbers of the hashes. */
enum { TRACE_HIGH, TRACE_LOW, SPAN_OF_CALL /* the attempts follow */ };

/* The spans of events have a number of their own, above all attempts. */
#define SPAN_OF_EVENT (UINT64_MAX / 2)

/* W3C forbids ids that are all zero. */
static uint64_t id_of(uint64_t number, uint64_t more, haft_str text)
{
    uint64_t id = haft__hash((haft__hash_key){number, more}, text);
    return id != 0 ? id : 1;
}

/* ---- the text ---- */

static bool read_hex(haft_str *rest, size_t digits, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits; i++) {
        int value = i < rest->len ? haft__hex_value_lower(rest->ptr[i]) : -1;
        if (value < 0) {
            return false;
        }
        number = number << 4 | (uint64_t)value;
    }
    *rest = haft__str_skip(*rest, digits);
    *ret_number = number;
    return true;
}

static bool read_dash(haft_str *rest)
{
    bool found = rest->len > 0 && rest->ptr[0] == '-';
    *rest = haft__str_skip(*rest, found);
    return found;
}

bool haft__trace_parse(haft_str text, haft__trace_context *ret_context)
{
    uint64_t version = 0, high = 0, low = 0, span = 0, flags = 0;
    bool read = read_hex(&text, 2, &version) && read_dash(&text) && read_hex(&text, 16, &high)
                && read_hex(&text, 16, &low) && read_dash(&text) && read_hex(&text, 16, &span)
                && read_dash(&text) && read_hex(&text, 2, &flags);
    bool longer = text.len > 0; /* only a later version may add parts, after a dash */
    if (!read || version == 0xFF || (high == 0 && low == 0) || span == 0
        || (longer && (version == 0 || text.ptr[0] != '-'))) {
        return false;
    }
    *ret_context = (haft__trace_context){high, low, span, (flags & 1U) != 0};
    return true;
}

void haft__trace_write(const haft__trace_context *context, char text[HAFT__TRACE_PARENT_LENGTH + 1])
{
    (void)snprintf(text, HAFT__TRACE_PARENT_LENGTH + 1, "00-%016llx%016llx-%016llx-%02x",
                   (unsigned long long)context->high, (unsigned long long)context->low,
                   (unsigned long long)context->span, context->sampled ? 1U : 0U);
}

/* ---- the spans of runs ---- */

uint64_t haft__trace_span_of_call(haft_str key, uint32_t attempt)
{
    return id_of((uint64_t)SPAN_OF_CALL + attempt, 0, key);
}

uint64_t haft__trace_span_of_event(haft_str run, uint64_t seq)
{
    return id_of(SPAN_OF_EVENT, seq, run);
}

haft__trace_context haft__trace_of_run(const haft__run *run)
{
    haft_str root = run->root.len > 0 ? run->root : run->id;
    haft__trace_context context = {id_of(TRACE_HIGH, 0, root), id_of(TRACE_LOW, 0, root), 0, true};
    if (run->traceparent.len > 0) {
        (void)haft__trace_parse(run->traceparent, &context);
    }
    if (run->parent_call.len > 0) {
        char key[256];
        int length = snprintf(key, sizeof(key), "%.*s:%.*s", HAFT__ARG(run->parent),
                              HAFT__ARG(run->parent_call));
        size_t used = length < (int)sizeof(key) ? (size_t)length : sizeof(key) - 1;
        context.span = haft__trace_span_of_call((haft_str){key, used}, 1);
    }
    return context;
}
