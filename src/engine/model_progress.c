/* SPDX-License-Identifier: Apache-2.0 */
/* model_progress.c - progress events of a reply while it arrives. Tests:
 * tests/engine/model_progress_test.c. */
#include "engine/model_progress.h"

#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "run/personal/personal.h"
#include "run/redact/redact.h"
#include "json/write.h"

/* More bytes than can arrive between two flushes. */
#define MAX_BUFFERED_BYTES (2 * (size_t)HAFT__LIMIT_REPLY_BYTES)

void haft__model_progress_init(haft__model_progress *progress, haft_run *run)
{
    *progress = (haft__model_progress){.run = run};
    haft__buf_init(&progress->text, MAX_BUFFERED_BYTES);
    haft__buf_init(&progress->reasoning, MAX_BUFFERED_BYTES);
}

void haft__model_progress_finish(haft__model_progress *progress)
{
    haft__buf_finish(&progress->text);
    haft__buf_finish(&progress->reasoning);
}

void haft__model_progress_add(haft__model_progress *progress, const haft__delta *delta)
{
    if (!progress->run->log.reader.attached || progress->dropped
        || progress->run->state.context.summarising /* a summary is not a part of the reply */
        || haft__personal_applies(progress->run->state.spec, HAFT__REDACT_OUTPUT)) {
        return;
    }
    if (delta->kind == HAFT__DELTA_TEXT && delta->text.len > 0) {
        progress->text_started = true; /* reasoning is flushed before the text and must not continue
                                        * after it */
        haft__buf_add_str(&progress->text, delta->text);
    } else if (delta->kind == HAFT__DELTA_REASONING && !progress->text_started) {
        haft__buf_add_str(&progress->reasoning, delta->text);
    }
}

void haft__model_progress_report_retry(haft_run *run, uint32_t attempt, haft_str reason,
                                       uint64_t wait_ms)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_addf(&body, "\"kind\":\"model_retry\",\"turn\":%u,\"attempt\":%u,\"reason\":",
                   run->state.turn, attempt);
    haft__json_write_string(&body, reason);
    haft__buf_addf(&body, ",\"wait_ms\":%llu}", (unsigned long long)wait_ms);
    if (haft__buf_check(&body, NULL) == HAFT_OK) {
        haft__log_notify(run, haft__buf_str(&body));
    }
    haft__buf_finish(&body);
}

static void emit_piece(haft_run *run, const char *key, haft_str piece)
{
    haft__buf body;
    haft__buf_init(&body, 8 * MAX_BUFFERED_BYTES);
    haft__buf_addf(&body, "\"kind\":\"model_progress\",\"turn\":%u,\"%s\":", run->state.turn, key);
    haft__json_write_string(&body, piece);
    haft__buf_add_char(&body, '}');
    if (haft__buf_check(&body, NULL) == HAFT_OK) {
        haft__log_notify(run, haft__buf_str(&body));
    }
    haft__buf_finish(&body);
}

/* Reports the part of the text that cannot be the beginning of a secret, and buffers the rest. */
static void emit_safe(haft__model_progress *progress, haft__buf *pending, const char *key,
                      bool complete)
{
    haft_str all = haft__buf_str(pending);
    if (pending->status != HAFT_OK || progress->dropped || all.len == 0) {
        progress->dropped = progress->dropped || pending->status != HAFT_OK;
        return;
    }
    size_t safe_length =
        complete ? all.len : haft__redact_safe_length(progress->run->agent->redactor, all);
    if (safe_length > 0) {
        emit_piece(progress->run, key, (haft_str){all.ptr, safe_length});
    }
    size_t rest = all.len - safe_length;
    progress->dropped = rest > HAFT__LIMIT_PROGRESS_WITHHELD_BYTES;
    memmove(pending->ptr, pending->ptr + safe_length, rest);
    pending->len = rest;
}

void haft__model_progress_flush(haft__model_progress *progress, bool complete)
{
    emit_safe(progress, &progress->reasoning, "reasoning", complete || progress->text_started);
    emit_safe(progress, &progress->text, "text", complete);
}
