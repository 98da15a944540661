/* SPDX-License-Identifier: Apache-2.0 */
/* tell.c - told events of a reply that arrives. Tests: tests/engine/model_progress_test.c. */
#include "engine/model_progress.h"

#include "base/limits.h"
#include "base/str.h"
#include "run/redact/redact.h"
#include "json/write.h"

/* More than a reply can bring between two tellings. */
#define MOST (2 * (size_t)HAFT__LIMIT_REPLY_BYTES)

void haft__teller_init(haft__teller *teller, haft_run *run)
{
    *teller = (haft__teller){.run = run};
    haft__buf_init(&teller->text, MOST);
    haft__buf_init(&teller->reasoning, MOST);
}

void haft__teller_finish(haft__teller *teller)
{
    haft__buf_finish(&teller->text);
    haft__buf_finish(&teller->reasoning);
}

void haft__teller_add(haft__teller *teller, const haft__delta *delta)
{
    if (!teller->run->read || teller->lost) {
        return;
    }
    if (delta->kind == HAFT__DELTA_TEXT && delta->text.len > 0) {
        teller->thought = true; /* its end is told in front of it, and must not go on later */
        haft__buf_add_str(&teller->text, delta->text);
    } else if (delta->kind == HAFT__DELTA_REASONING && !teller->thought) {
        haft__buf_add_str(&teller->reasoning, delta->text);
    }
}

static void tell_piece(haft_run *run, const char *key, haft_str piece)
{
    haft__buf body;
    haft__buf_init(&body, 8 * MOST);
    haft__buf_addf(&body, "\"kind\":\"model_progress\",\"turn\":%u,\"%s\":", run->state.turn, key);
    haft__json_write_string(&body, piece);
    haft__buf_add_char(&body, '}');
    if (haft__buf_check(&body, NULL) == HAFT_OK) {
        haft__log_tell(run, haft__buf_str(&body));
    }
    haft__buf_finish(&body);
}

/* Tells the beginning of what has come and keeps the rest. */
static void tell_settled(haft__teller *teller, haft__buf *come, const char *key, bool over)
{
    haft_str all = haft__buf_str(come);
    if (come->status != HAFT_OK || teller->lost || all.len == 0) {
        teller->lost = teller->lost || come->status != HAFT_OK;
        return;
    }
    size_t settled = over ? all.len : haft__redact_settled(teller->run->agent->redactor, all);
    if (settled > 0) {
        tell_piece(teller->run, key, (haft_str){all.ptr, settled});
    }
    size_t rest = all.len - settled;
    teller->lost = rest > HAFT__LIMIT_TELL_HELD_BYTES;
    memmove(come->ptr, come->ptr + settled, rest);
    come->len = rest;
}

void haft__teller_tell(haft__teller *teller, bool over)
{
    tell_settled(teller, &teller->reasoning, "reasoning", over || teller->thought);
    tell_settled(teller, &teller->text, "text", over);
}
