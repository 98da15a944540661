/* SPDX-License-Identifier: Apache-2.0 */
/* slash_commands.c - the table of slash commands, and the short commands. Tests:
 * tests/cli/chat_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "cli/chat/repl.h"
#include "cli/explain/tool_report_print.h"
#include "cli/terminal/print.h"
#include "cli/terminal/sanitize.h"
#include "engine/ops/first_turn.h"
#include "io/file.h"
#include "json/object.h"

static void help(haft__repl *repl, haft_str argument);

/* ---- the agent ---- */

static void tools(haft__repl *repl, haft_str argument)
{
    haft__first_turn_preview first;
    haft_error err = {0};
    if (haft__first_turn_decide(&repl->cli->arena, repl->spec, HAFT__LIT(""),
                                repl->runtime->hash_key, &first, &err)
        != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        return;
    }
    size_t shown = haft__tool_report_print(repl->cli->out, &first, argument);
    if (shown == 0 && argument.len > 0) {
        haft__repl_print_note(repl, "no tool name begins with '%.*s'", HAFT__ARG(argument));
    } else if (shown == 0) {
        haft__repl_print_note(repl, "this agent has no tools");
    }
}

static haft_status change_model(haft__repl *repl, haft_str argument, haft_error *err)
{
    const haft__spec *spec = NULL;
    haft_str name = haft__arena_copy(&repl->cli->arena, argument);
    if (name.ptr == NULL) {
        return haft__arena_fail(&repl->cli->arena, err);
    }
    haft_status status = haft__repl_read_spec(repl, name.ptr, &spec, err);
    return status == HAFT_OK ? haft__repl_set_spec(repl, spec, err) : status;
}

static void model(haft__repl *repl, haft_str argument)
{
    haft_error err = {0};
    const haft__spec *before = repl->spec;
    if (argument.len > 0 && change_model(repl, argument, &err) != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        haft__repl_print_note(repl, "the model is unchanged");
        return;
    }
    const haft__model_spec *now = &repl->spec->model;
    const char *colon = now->model.len > 0 ? ":" : "";
    if (repl->spec != before) {
        haft__repl_print_note(repl, "the model is now %.*s%s%.*s", HAFT__ARG(now->provider), colon,
                              HAFT__ARG(now->model));
    } else {
        (void)fprintf(repl->cli->out, "%.*s%s%.*s\n", HAFT__ARG(now->provider), colon,
                      HAFT__ARG(now->model));
    }
}

static void explain(haft__repl *repl, haft_str argument)
{
    haft_error err = {0};
    haft__first_turn_preview first;
    haft_status status = haft__first_turn_decide(&repl->cli->arena, repl->spec, argument,
                                                 repl->runtime->hash_key, &first, &err);
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        return;
    }
    haft__json turn = first.turn;
    haft_str tool = haft__object_text(turn, "tool");
    (void)fprintf(repl->cli->out, "first turn: %.*s%s%.*s: %.*s\n",
                  HAFT__ARG(haft__object_text(turn, "mode")), tool.len > 0 ? " " : "",
                  HAFT__ARG(tool), HAFT__ARG(haft__object_text(turn, "reason")));
}

/* ---- texts ---- */

static haft_status add_input(haft__repl *repl, haft_str path, haft_error *err)
{
    haft_str name = haft__arena_copy(&repl->cli->arena, path), text = {NULL, 0};
    size_t before = repl->inputs.len;
    if (name.ptr == NULL) {
        return haft__arena_fail(&repl->cli->arena, err);
    }
    if (haft__str_equal(path, HAFT__LIT("-"))) {
        return haft__fail(err, HAFT_BAD_INPUT, "/input",
                          "expected a file; standard input is used for typing");
    }
    haft_status status =
        haft__file_read_arena(&repl->cli->arena, name.ptr, HAFT__LIMIT_INPUT_BYTES, &text, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf_addf(&repl->inputs, "\n\n--- %s\n", name.ptr);
    size_t replaced = haft__sanitize_text(text, &repl->inputs);
    status = haft__buf_check(&repl->inputs, err);
    if (status != HAFT_OK) { /* keep the other files */
        repl->inputs.len = before;
        repl->inputs.status = HAFT_OK;
        return status;
    }
    repl->input_count++;
    if (replaced > 0) {
        haft__repl_print_note(repl, "replaced bytes that are not text: %zu", replaced);
    }
    return HAFT_OK;
}

static void input(haft__repl *repl, haft_str argument)
{
    haft_error err = {0};
    if (add_input(repl, argument, &err) != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        return;
    }
    haft__repl_print_note(repl, "%zu file%s, %zu bytes: sent with the next message",
                          repl->input_count, repl->input_count == 1 ? "" : "s", repl->inputs.len);
}

static void quit(haft__repl *repl, haft_str argument)
{
    (void)argument;
    repl->quitting = true;
}

/* ---- the table ---- */

static const haft__repl_command commands[] = {
    {"/help", "[COMMAND]", "list the commands, or describe one", help, haft__repl_complete_command},
    {"/tools", "[NAME]", "which tools the model sees, and why; only names that begin with NAME",
     tools, haft__repl_complete_tool},
    {"/model", "[M]", "print the model, or use another one: offline, provider:model", model,
     haft__repl_complete_model},
    {"/explain", "[TEXT]", "what the model must do in the first turn, and why", explain, NULL},
    {"/input", "FILE", "send a file with the next message", input, haft__repl_complete_file},
    {"/undo", "[N]", "continue in a new thread without the last N exchanges (1)",
     haft__repl_cmd_undo, NULL},
    {"/retry", "", "undo the last exchange and send the same message again", haft__repl_cmd_retry,
     NULL},
    {"/history", "", "print the messages of this thread", haft__repl_cmd_history, NULL},
    {"/threads", "", "list the threads: id, age, exchanges, first message", haft__repl_cmd_threads,
     NULL},
    {"/thread", "[ID]", "print the thread, or switch to another: the beginning of its id, or last",
     haft__repl_cmd_thread, haft__repl_complete_thread},
    {"/new", "", "start a new thread", haft__repl_cmd_new, NULL},
    {"/resume", "", "continue a run that is paused or waiting", haft__repl_cmd_resume, NULL},
    {"/cancel", "", "cancel a run that is paused or waiting", haft__repl_cmd_cancel, NULL},
    {"/artifacts", "[NAME]", "list the artifacts of this thread, or print one",
     haft__repl_cmd_artifacts, NULL},
    {"/quit", "", "leave the chat", quit, NULL},
};

const haft__repl_command *haft__repl_command_table(size_t *ret_count)
{
    *ret_count = COUNT(commands);
    return commands;
}

static const haft__repl_command *find(haft_str name)
{
    for (size_t i = 0; i < COUNT(commands); i++) {
        if (haft__str_equal(haft__str(commands[i].name), name)) {
            return &commands[i];
        }
    }
    return NULL;
}

static haft_status fail_unknown_command(haft_str name, haft_error *err)
{
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < COUNT(commands); i++) {
        haft__suggestion_offer(&near, haft__str(commands[i].name));
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "unknown command '%.*s'", HAFT__ARG(name));
    return near.best.ptr != NULL
               ? haft__hint(err, status,
                            "did you mean '%.*s'? To send a message that begins with /, "
                            "type // at its start",
                            HAFT__ARG(near.best))
               : haft__hint(err, status,
                            "/help lists the commands. To send a message that begins with /, "
                            "type // at its start");
}

static haft_status check_argument(const haft__repl_command *command, haft_str argument,
                                  haft_error *err)
{
    if (command->usage[0] == '\0' && argument.len > 0) {
        return haft__fail(err, HAFT_BAD_INPUT, command->name, "expected no argument, found '%.*s'",
                          HAFT__ARG(argument));
    }
    if (command->usage[0] != '\0' && command->usage[0] != '[' && argument.len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, command->name, "expected %s, found nothing",
                          command->usage);
    }
    return HAFT_OK;
}

/* The column of the text about a command. */
#define HELP_COLUMN 24

static void help(haft__repl *repl, haft_str argument)
{
    haft_error err = {0};
    FILE *out = repl->cli->out;
    bool slash = argument.len > 0 && argument.ptr[0] == '/';
    size_t shown = 0;
    for (size_t i = 0; i < COUNT(commands); i++) {
        const haft__repl_command *command = &commands[i];
        haft_str name = haft__str(command->name);
        if (argument.len == 0 || haft__str_equal(argument, haft__str_skip(name, !slash))) {
            int width = (int)(HELP_COLUMN - 2 - name.len);
            (void)fprintf(out, "%s %-*s ", command->name, width, command->usage);
            haft__print_wrapped(out, HELP_COLUMN, HELP_COLUMN, haft__str(command->help));
            shown++;
        }
    }
    if (shown == 0) {
        (void)!fail_unknown_command(argument, &err);
        haft__repl_print_error(repl, &err);
    } else if (argument.len == 0) {
        (void)fputs("//TEXT                  send a message that begins with /\n", out);
    }
}

void haft__repl_run_command(haft__repl *repl, haft_str line)
{
    haft_error err = {0};
    haft_str rest = haft__str_trim(line), name = rest;
    size_t length = 0;
    while (length < name.len && name.ptr[length] != ' ' && name.ptr[length] != '\t'
           && name.ptr[length] != '\n') {
        length++;
    }
    name.len = length;
    haft_str argument = haft__str_trim(haft__str_skip(rest, length));
    const haft__repl_command *command = find(name);
    haft_status status = command != NULL ? check_argument(command, argument, &err)
                                         : fail_unknown_command(name, &err);
    if (status == HAFT_OK && command != NULL) {
        command->run(repl, argument);
    } else {
        haft__repl_print_error(repl, &err);
    }
    (void)fflush(repl->cli->out);
}
