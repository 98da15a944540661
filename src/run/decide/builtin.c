/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtin.c - the built-ins that need only the run itself: questions, completion, artifacts, and
 * paging through earlier results. Tests: tests/run/decide/builtin_test.c.
 */
#include <string.h>

#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "prompt/observation.h"
#include "run/decide/decide_int.h"
#include "run/decide/media_type.h"
#include "tool/builtin.h"
#include "json/number.h"
#include "json/object.h"

static haft_str text_of(const haft__run_call *call, const char *key)
{
    return haft__object_text(call->arguments, key);
}

static uint64_t number_of(const haft__run_call *call, const char *key, uint64_t fallback)
{
    int64_t number = INT64_MAX; /* a number that does not fit is past the end of any text */
    haft_str text = text_of(call, key);
    if (text.len == 0) {
        return fallback;
    }
    (void)haft__number_to_int64(text, &number);
    return number >= 0 ? (uint64_t)number : fallback;
}

haft_status haft__decide_builtin_result(haft__decision *d, const haft__run_call *call,
                                        const haft__outcome *outcome)
{
    haft__buf_clear(&d->tools->body);
    haft__input_call_finished(&d->tools->body, d->run, call, outcome);
    *d->effect = (haft__effect){.kind = HAFT__EFFECT_EVENT, .body = haft__buf_str(&d->tools->body)};
    haft_status status = haft__buf_check(&d->tools->body, d->err);
    return status == HAFT_OK ? haft__buf_check(&d->tools->text, d->err) : status;
}

static haft_status finish_text(haft__decision *d, const haft__run_call *call, haft_str text)
{
    haft__outcome outcome = {.ok = true, .text = text};
    return haft__decide_builtin_result(d, call, &outcome);
}

static haft_status complete(haft__decision *d, const haft__run_call *call)
{
    return finish_text(d, call, HAFT__LIT("The workflow is complete. Give your final answer."));
}

/* The content stays in the arguments of the call; the event records its name, type, size and hash.
 */
static haft_status store_artifact(haft__decision *d, const haft__run_call *call)
{
    haft_str name = text_of(call, "name"), content = text_of(call, "content");
    if (call->stored) {
        haft__buf_addf(&d->tools->text, "Stored %.*s (%zu bytes).", HAFT__ARG(name), content.len);
        return finish_text(d, call, haft__buf_str(&d->tools->text));
    }
    haft_str media_type = text_of(call, "media_type");
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(content, digest);
    haft__decision_begin(d, HAFT__EVENT_ARTIFACT_STORED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "name", name);
    haft__field_text(&d->w, "media_type",
                     media_type.len > 0 ? media_type : haft__media_type_of_name(name));
    haft__field_number(&d->w, "bytes", content.len);
    haft__field_text(&d->w, "sha256", (haft_str){digest, sizeof(digest)});
    return haft__decision_commit(d);
}

static bool has_part(haft_str line, haft_str part)
{
    for (; line.len >= part.len; line = haft__str_skip(line, 1)) {
        if (part.len == 0 || memcmp(line.ptr, part.ptr, part.len) == 0) {
            return true;
        }
    }
    return false;
}

/* The lines that contain `part`. */
static haft_str filter_lines(haft__decision *d, haft_str text, haft_str part)
{
    haft__buf *lines = &d->tools->text;
    while (text.len > 0) {
        haft_str line = haft__str_split(&text, '\n');
        if (has_part(line, part)) {
            haft__buf_add_str(lines, line);
            haft__buf_add_char(lines, '\n');
        }
    }
    return haft__buf_str(lines);
}

static haft_status read_result(haft__decision *d, const haft__run_call *call)
{
    haft_str id = text_of(call, "call"), part = text_of(call, "grep");
    const haft__run_call *wanted = haft__run_find_call(d->run, id);
    if (wanted == NULL || wanted->stage != HAFT__CALL_FINISHED) {
        haft__buf_addf(&d->tools->text, "there is no finished call \"%.*s\"", HAFT__ARG(id));
        haft__outcome outcome = {
            .ok = false,
            .text = haft__buf_str(&d->tools->text),
            .where = HAFT__LIT("/call"),
            .hint = HAFT__LIT("a call is named like c3.1: turn 3, first call"),
        };
        return haft__decide_builtin_result(d, call, &outcome);
    }
    haft_str text = part.len > 0 ? filter_lines(d, wanted->result, part) : wanted->result;
    if (part.len > 0 && text.len == 0) {
        haft__buf_addf(&d->tools->text, "No line of this result contains \"%.*s\".",
                       HAFT__ARG(part));
        return finish_text(d, call, haft__buf_str(&d->tools->text));
    }
    uint32_t max = d->spec->limits.observation_chars;
    uint64_t offset = number_of(call, "offset", 0), limit = number_of(call, "limit", max);
    haft_str page = haft__observation_page(&d->tools->scratch, text, offset, limit, max, wanted->id,
                                           part.len > 0);
    return page.ptr != NULL ? finish_text(d, call, page)
                            : haft__arena_fail(&d->tools->scratch, d->err);
}

/* The whole list is in the arguments of the call. Of two lists in one reply, it would be unclear
 * which one holds. */
static haft_status write_todos(haft__decision *d, const haft__run_call *call)
{
    for (const haft__run_call *c = d->run->calls + d->run->batch; c < call; c++) {
        if (c->tool == call->tool && c->stage == HAFT__CALL_FINISHED) {
            haft__outcome outcome = {
                .text = HAFT__LIT("this reply has already written the list"),
                .where = HAFT__LIT(""),
                .hint = HAFT__LIT("write the whole list in one call"),
            };
            return haft__decide_builtin_result(d, call, &outcome);
        }
    }
    static const char *const stages[] = {"completed", "in_progress", "pending"};
    haft__json todos = haft__object_array(call->arguments, "todos");
    unsigned counts[COUNT(stages)] = {0};
    for (uint32_t i = 0; i < todos.count; i++) {
        for (size_t k = 0; k < COUNT(stages); k++) {
            counts[k] += haft__str_equal(haft__object_string(todos.items[i], "status"),
                                         haft__str(stages[k]));
        }
    }
    haft__buf_addf(&d->tools->text,
                   "The list has %u steps: %u completed, %u in progress, %u pending.", todos.count,
                   counts[0], counts[1], counts[2]);
    return finish_text(d, call, haft__buf_str(&d->tools->text));
}

/* The built-ins of HAFT__BUILTIN_IN_RUN. */
static haft_status (*const deciders[HAFT__BUILTIN_COUNT])(haft__decision *d,
                                                          const haft__run_call *call) = {
    [HAFT__BUILTIN_READ_RESULT] = read_result,
    [HAFT__BUILTIN_REQUEST_USER_INPUT] = haft__decide_question,
    [HAFT__BUILTIN_COMPLETE_WORKFLOW] = complete,
    [HAFT__BUILTIN_STORE_ARTIFACT] = store_artifact,
    [HAFT__BUILTIN_WRITE_TODOS] = write_todos,
};

bool haft__builtin_is_pure(const haft__tool *tool)
{
    const haft__builtin *builtin = haft__builtin_of(tool);
    return tool->source == HAFT__TOOL_HANDOFF
           || (builtin != NULL && deciders[haft__builtin_id_of(builtin)] != NULL);
}

haft_status haft__decide_builtin(haft__decision *d, const haft__run_call *call)
{
    if (call->tool->source == HAFT__TOOL_HANDOFF) {
        return haft__decide_transfer(d, call);
    }
    return deciders[haft__builtin_id_of(haft__builtin_of(call->tool))](d, call);
}
