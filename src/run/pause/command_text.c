/* SPDX-License-Identifier: Apache-2.0 */
/* command_text.c - the text form of commands. Tests: tests/run/pause/command_test.c. */
#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/event_body.h"
#include "run/pause/command.h"
#include "json/object.h"
#include "json/read.h"

static const char *const kinds[] = {
    [HAFT__RUN_COMMAND_ANSWER] = "answer", [HAFT__RUN_COMMAND_APPROVE] = "approve",
    [HAFT__RUN_COMMAND_AGAIN] = "again",   [HAFT__RUN_COMMAND_REJECT] = "reject",
    [HAFT__RUN_COMMAND_FAIL] = "fail",     [HAFT__RUN_COMMAND_CANCEL] = "cancel",
    [HAFT__RUN_COMMAND_CHILD] = "child",   [HAFT__RUN_COMMAND_LIMIT] = "limit",
};

static void write_text(haft__buf *buf, const haft__run_command *command)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "command", haft__str(kinds[command->kind]));
    haft__field_text(&w, "call", command->call);
    haft__json_key(&w, "value");
    haft__json_add(&w, command->value);
    haft__field_text(&w, "by", command->by);
    haft__field_text(&w, "why", command->why);
    haft__field_text(&w, "pause", command->pause);
    haft__field_text(&w, "binding", command->binding);
    if (command->always) {
        haft__field_flag(&w, "always", true);
    }
    if (command->message.len > 0) {
        haft__field_text(&w, "message", command->message);
    }
    haft__json_end_object(&w);
}

/* Secrets are redacted because a store keeps the command until the owner of the run reads it. */
void haft__run_command_write(haft__buf *buf, const haft__run_command *command)
{
    haft__buf text;
    if (command->redactor == NULL) {
        write_text(buf, command);
        return;
    }
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    write_text(&text, command);
    if (text.status == HAFT_OK) {
        (void)haft__redact(command->redactor, haft__buf_str(&text), buf);
    } else {
        haft__buf_fail(buf, text.status, "the command cannot be written");
    }
    haft__buf_finish(&text);
}

haft_status haft__run_command_read(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                   haft__run_command *ret_command, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    options.reject_duplicates = true;
    haft__json object;
    haft_status status = haft__json_read(arena, text, &options, &object, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *value = haft__json_get(object, HAFT__LIT("value"));
    haft_str name = haft__object_string(object, "command");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (haft__str_equal(name, haft__str(kinds[i]))) {
            *ret_command = (haft__run_command){.kind = (haft__run_command_kind)i,
                                               .call = haft__object_string(object, "call"),
                                               .value = value != NULL ? *value : haft__json_null(),
                                               .by = haft__object_string(object, "by"),
                                               .why = haft__object_string(object, "why"),
                                               .pause = haft__object_string(object, "pause"),
                                               .binding = haft__object_string(object, "binding"),
                                               .always = haft__object_flag(object, "always", false),
                                               .message = haft__object_string(object, "message")};
            if (!haft__id_valid(ret_command->message)) { /* the id is written into an event */
                ret_command->message = HAFT__LIT("");
            }
            return HAFT_OK;
        }
    }
    return haft__fail(err, HAFT_BAD_INPUT, "/command",
                      "expected answer, approve, again, reject, fail or cancel, found \"%.*s\"",
                      HAFT__ARG(name));
}

haft_status haft__run_command_read_value(haft__arena *arena, haft_str text, haft__hash_key hash_key,
                                         haft__json *ret_value, bool *ret_json, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json_notes notes = {0};
    options.hash_key = hash_key;
    haft_status status = haft__json_read(arena, text, &options, ret_value, &notes, err);
    *ret_json = status != HAFT_BAD_INPUT;
    if (status == HAFT_OK && notes.duplicate_keys > 0) {
        options.reject_duplicates = true;
        status = haft__json_read(arena, text, &options, ret_value, NULL, err);
    }
    return status == HAFT_BAD_INPUT && *ret_json
               ? haft__hint(err, status, "the command was not recorded; give each key once")
               : status;
}
