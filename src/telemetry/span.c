/* SPDX-License-Identifier: Apache-2.0 */
/* span.c - the names of spans and attributes. Tests: tests/telemetry/observe_test.c. */
#include "telemetry/span.h"

#include "base/str.h"

static const haft__span_names kinds[] = {
    [HAFT__SPAN_AGENT] = {"invoke_agent", HAFT__ATTRIBUTE_AGENT, HAFT__OTLP_INTERNAL},
    [HAFT__SPAN_WORKFLOW] = {"invoke_workflow", HAFT__ATTRIBUTE_WORKFLOW, HAFT__OTLP_INTERNAL},
    [HAFT__SPAN_CHAT] = {"chat", HAFT__ATTRIBUTE_REQUEST_MODEL, HAFT__OTLP_CLIENT},
    [HAFT__SPAN_TOOL] = {"execute_tool", HAFT__ATTRIBUTE_TOOL, HAFT__OTLP_INTERNAL},
};

const haft__span_names *haft__span_names_of(haft__span_kind kind)
{
    return &kinds[kind];
}

const char *haft__attribute_name(haft__attribute_id id)
{
    static const char *const names[] = {
#define X(name, text) [HAFT__ATTRIBUTE_##name] = (text),
        HAFT__ATTRIBUTES(X)
#undef X
    };
    return names[id];
}

static void set(haft__span *span, haft__attribute_id id, haft__attribute_kind kind, haft_str text,
                uint64_t number)
{
    int64_t value = number > INT64_MAX ? INT64_MAX : (int64_t)number;
    span->values[id] = (haft__attribute){kind, text, value};
}

void haft__span_set_text(haft__span *span, haft__attribute_id id, haft_str text)
{
    set(span, id, text.len > 0 ? HAFT__ATTRIBUTE_TEXT : HAFT__ATTRIBUTE_UNSET, text, 0);
}

void haft__span_set_list(haft__span *span, haft__attribute_id id, haft_str text)
{
    set(span, id, text.len > 0 ? HAFT__ATTRIBUTE_LIST : HAFT__ATTRIBUTE_UNSET, text, 0);
}

void haft__span_set_int(haft__span *span, haft__attribute_id id, uint64_t number)
{
    set(span, id, HAFT__ATTRIBUTE_INT, HAFT__LIT(""), number);
}

void haft__span_set_micros(haft__span *span, haft__attribute_id id, uint64_t micros)
{
    set(span, id, HAFT__ATTRIBUTE_MICROS, HAFT__LIT(""), micros);
}

void haft__span_set_flag(haft__span *span, haft__attribute_id id, bool flag)
{
    set(span, id, HAFT__ATTRIBUTE_FLAG, HAFT__LIT(""), flag);
}

haft_str haft__span_text(const haft__span *span, haft__attribute_id id)
{
    return span->values[id].kind != HAFT__ATTRIBUTE_UNSET ? span->values[id].text : HAFT__LIT("");
}

uint64_t haft__span_number(const haft__span *span, haft__attribute_id id)
{
    return (uint64_t)span->values[id].number;
}
