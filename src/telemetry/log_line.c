/* SPDX-License-Identifier: Apache-2.0 */
/* log_line.c - see telemetry/log_line.h. Tests: tests/telemetry/log_line_test.c. */
#include "telemetry/log_line.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "base/time.h"
#include "json/object.h"

/* The members of each kind, from the attributes of its span. */
typedef struct member {
    const char *key;
    haft__attribute_id id;
} member;

static const member run_members[] = {{"agent", HAFT__ATTRIBUTE_AGENT},
                                     {"end", HAFT__ATTRIBUTE_END},
                                     {"turns", HAFT__ATTRIBUTE_TURN},
                                     {"input_tokens", HAFT__ATTRIBUTE_INPUT_TOKENS},
                                     {"output_tokens", HAFT__ATTRIBUTE_OUTPUT_TOKENS},
                                     {"error", HAFT__ATTRIBUTE_ERROR_TYPE},
                                     {0}};
static const member turn_members[] = {{"agent", HAFT__ATTRIBUTE_AGENT},
                                      {"turn", HAFT__ATTRIBUTE_TURN},
                                      {"mode", HAFT__ATTRIBUTE_MODE},
                                      {"gate", HAFT__ATTRIBUTE_GATE},
                                      {"provider", HAFT__ATTRIBUTE_PROVIDER},
                                      {"model", HAFT__ATTRIBUTE_REQUEST_MODEL},
                                      {"input_tokens", HAFT__ATTRIBUTE_INPUT_TOKENS},
                                      {"output_tokens", HAFT__ATTRIBUTE_OUTPUT_TOKENS},
                                      {"stop", HAFT__ATTRIBUTE_FINISH_REASONS},
                                      {"error", HAFT__ATTRIBUTE_ERROR_TYPE},
                                      {0}};
static const member call_members[] = {{"agent", HAFT__ATTRIBUTE_AGENT},
                                      {"turn", HAFT__ATTRIBUTE_TURN},
                                      {"call", HAFT__ATTRIBUTE_CALL},
                                      {"tool", HAFT__ATTRIBUTE_TOOL},
                                      {"attempt", HAFT__ATTRIBUTE_ATTEMPT},
                                      {"error", HAFT__ATTRIBUTE_ERROR_TYPE},
                                      {0}};

typedef struct line_kind {
    const char *what;
    const member *members;
} line_kind;

static const line_kind lines[] = {
    [HAFT__SPAN_AGENT] = {"run", run_members},
    [HAFT__SPAN_WORKFLOW] = {"run", run_members},
    [HAFT__SPAN_CHAT] = {"turn", turn_members},
    [HAFT__SPAN_TOOL] = {"call", call_members},
};

static void add_member(haft__json_writer *w, const char *key, const haft__attribute *value)
{
    switch (value->kind) {
    case HAFT__ATTRIBUTE_TEXT:
    case HAFT__ATTRIBUTE_LIST: haft__field_text(w, key, value->text); return;
    case HAFT__ATTRIBUTE_INT: haft__field_number(w, key, (uint64_t)value->number); return;
    case HAFT__ATTRIBUTE_FLAG: haft__field_flag(w, key, value->number != 0); return;
    case HAFT__ATTRIBUTE_MICROS: /* no member has a decimal number */
    case HAFT__ATTRIBUTE_UNSET: haft__field_null(w, key); return;
    }
}

static void add_ids(haft__json_writer *w, const haft__span *span)
{
    char trace[33], id[17];
    (void)snprintf(trace, sizeof(trace), "%016" PRIx64 "%016" PRIx64, span->trace_high,
                   span->trace_low);
    (void)snprintf(id, sizeof(id), "%016" PRIx64, span->id);
    haft__field_string(w, "trace_id", trace);
    haft__field_string(w, "span_id", id);
}

void haft__log_line_write(haft__buf *buf, const haft__span *span)
{
    const line_kind *kind = &lines[span->kind];
    char at[HAFT__TIME_SIZE];
    haft__json_writer w;
    haft__time_format(span->end_ms, at);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_string(&w, "at", at);
    haft__field_string(&w, "level", span->failed ? "error" : "info");
    haft__field_string(&w, "what", kind->what);
    haft__field_text(&w, "run", haft__span_text(span, HAFT__ATTRIBUTE_RUN));
    haft__field_text(&w, "thread", haft__span_text(span, HAFT__ATTRIBUTE_CONVERSATION));
    for (const member *m = kind->members; m->key != NULL; m++) {
        bool graph = m->id == HAFT__ATTRIBUTE_AGENT && span->kind == HAFT__SPAN_WORKFLOW;
        add_member(&w, m->key, &span->values[graph ? HAFT__ATTRIBUTE_WORKFLOW : m->id]);
    }
    haft__field_number(&w, "ms", span->end_ms - span->start_ms);
    add_ids(&w, span);
    haft__json_end_object(&w);
    haft__buf_add_char(buf, '\n');
}
