/* SPDX-License-Identifier: Apache-2.0 */
/* prompt.c - system prompt and transcript. Tests: tests/prompt/prompt_test.c. */
#include "prompt/prompt.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/write.h"

static void add_plan(haft__buf *buf, haft__json plan)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write_pretty(&text, plan, 2);
    if (haft__buf_check(&text, NULL) == HAFT_OK && text.ptr != NULL) {
        haft__buf_add_str(buf, HAFT__LIT("Strategic plan:\n"));
        haft__buf_add(buf, text.ptr,
                      haft__utf8_offset(haft__buf_str(&text), HAFT__LIMIT_PLAN_CHARS));
    } else {
        buf->status = text.status;
    }
    haft__buf_finish(&text);
}

void haft__prompt_system(haft__buf *buf, const haft__spec *spec)
{
    haft_str instructions = haft__str_trim(spec->instructions);
    haft__buf_add_str(buf, instructions);
    if (spec->plan.kind != HAFT__JSON_NULL) {
        haft__buf_add_str(buf, instructions.len > 0 ? HAFT__LIT("\n\n") : HAFT__LIT(""));
        add_plan(buf, spec->plan);
    }
}

static void add_line(haft__buf *buf, const char *label, haft_str text)
{
    haft__buf_addf(buf, "%s", label);
    haft__buf_add_str(buf, text);
    haft__buf_add_char(buf, '\n');
}

static void add_turn(haft__buf *buf, const haft__message *message)
{
    if (message->text.len > 0) {
        add_line(buf, "", message->text);
    }
    for (size_t i = 0; i < message->call_count; i++) {
        haft__buf_add_str(buf, HAFT__LIT("Calling tool: "));
        haft__buf_add_str(buf, message->calls[i].name);
        add_line(buf, " with args: ", message->calls[i].arguments);
    }
}

void haft__prompt_transcript(haft__buf *buf, const haft__messages *messages, haft_str task)
{
    for (size_t i = 0; i < messages->count; i++) {
        const haft__message *message = &messages->items[i];
        switch (message->role) {
        case HAFT__MESSAGE_SYSTEM: break; /* precedes the transcript */
        case HAFT__MESSAGE_USER:
            if (!haft__str_equal(message->text, task)) {
                add_line(buf, "", message->text);
            }
            break;
        case HAFT__MESSAGE_ASSISTANT: add_turn(buf, message); break;
        case HAFT__MESSAGE_TOOL: add_line(buf, "Tool result: ", message->text); break;
        }
    }
    haft__buf_add_str(buf, task);
}
