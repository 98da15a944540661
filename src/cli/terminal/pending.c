/* SPDX-License-Identifier: Apache-2.0 */
/* pending.c - commands to copy. Tests: tests/cli/terminal/pending_test.c, tests/cli/store_test.py.
 */
#include "cli/terminal/pending.h"

#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/form.h"
#include "cli/terminal/terminal_int.h"
#include "cli/terminal/waiting_calls.h"
#include "engine/run.h"
#include "run/pause/binding.h"
#include "store/store.h"

/* What can be done about a call that waits; the first is the usual one. */
typedef struct next_command {
    haft__pause pause;
    const char *command, *value, *note;
} next_command;

static const next_command decline = {HAFT__PAUSE_QUESTION, "reject", "", "  # decline"};

static const next_command next_commands[] = {
    {HAFT__PAUSE_QUESTION, "answer", " 'TEXT'", ""},
    {HAFT__PAUSE_HEADLESS, "answer", " 'JSON'", ""},
    {HAFT__PAUSE_APPROVAL, "approve", "", ""},
    {HAFT__PAUSE_APPROVAL, "reject", " --why 'REASON'", ""},
    {HAFT__PAUSE_UNKNOWN_OUTCOME, "answer", " 'RESULT'", "  # what came of it"},
    {HAFT__PAUSE_UNKNOWN_OUTCOME, "approve", " --again", "  # run it once more"},
    {HAFT__PAUSE_UNKNOWN_OUTCOME, "reject", " --why 'REASON'", "  # go on without it"},
};

void haft__pending_print_quoted(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        (void)fputs(word, out);
        return;
    }
    (void)putc('\'', out);
    for (const char *c = word; *c != '\0'; c++) {
        if (*c == '\'') {
            (void)fputs("'\\''", out);
        } else {
            (void)putc(*c, out);
        }
    }
    (void)putc('\'', out);
}

/* What a tool asks, and what it is to be known about that. */
static void print_tool_question(FILE *out, const haft__run_call *call)
{
    if (call->stage != HAFT__CALL_PAUSED) {
        return;
    }
    if (call->lost) {
        (void)fprintf(out,
                      "what %.*s asked was lost with the process that had asked it; what came of "
                      "the call is unknown\n",
                      HAFT__ARG(call->name));
    }
    if (call->elicitation.kind != HAFT__JSON_OBJECT) {
        return;
    }
    if (haft__terminal_print_tool_question(out, call, NULL) != HAFT_OK) {
        (void)fprintf(out, "%.*s cannot be shown\n", HAFT__ARG(call->id));
    }
    if (call->pinned) {
        (void)fputs("it can be answered only as long as this process runs\n", out);
    }
}

/* Why somebody is asked: it is not to be taken for an approval. */
static void print_unknown_outcome(FILE *out, const haft__run_call *call)
{
    if (call->stage == HAFT__CALL_PAUSED && call->pause == HAFT__PAUSE_UNKNOWN_OUTCOME
        && !call->lost) {
        (void)fprintf(out,
                      "%.*s was interrupted: it is unknown what came of it, and it may or may not "
                      "have had its effect\n",
                      HAFT__ARG(call->id));
    }
}

/* What would run; an approval is only as good as what was seen before it. */
static void print_calls(FILE *out, const haft_run *run)
{
    const haft__run *state = &run->state;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        print_tool_question(out, call);
        print_unknown_outcome(out, call);
        if (call->stage == HAFT__CALL_PAUSED && call->pause == HAFT__PAUSE_QUESTION
            && call->elicitation.kind != HAFT__JSON_OBJECT
            && haft__terminal_print_question(out, call, NULL) != HAFT_OK) {
            (void)fprintf(out, "%.*s cannot be shown\n", HAFT__ARG(call->id));
        }
        if (call->stage == HAFT__CALL_PAUSED && call->pause == HAFT__PAUSE_APPROVAL
            && haft__terminal_print_approval(out, run, call, NULL) != HAFT_OK) {
            (void)fprintf(out, "%.*s cannot be shown\n", HAFT__ARG(call->id));
        }
    }
}

static bool is_approval(const next_command *by)
{
    return by->pause == HAFT__PAUSE_APPROVAL && strcmp(by->command, "approve") == 0;
}

static void print_next_command(FILE *out, const haft__args *args, const haft_run *run,
                               const haft__run_call *call, const next_command *by)
{
    const char *store = haft__args_text(args, "store", NULL);
    haft__buf value;
    haft__buf_init(&value, HAFT__LIMIT_RUN_BYTES);
    if (call->elicitation.kind == HAFT__JSON_OBJECT && by != &decline) {
        haft__buf_add_char(&value, ' ');
        haft__form_add_example(&value, call);
    } else {
        haft__buf_add_str(&value, haft__str(by->value));
    }
    (void)fprintf(out, "  haft %s %s %.*s%.*s", by->command, run->id, HAFT__ARG(call->id),
                  HAFT__ARG(haft__buf_str(&value)));
    haft__buf_finish(&value);
    if (is_approval(by)
        && call->binding.len >= HAFT__BINDING_PREFIX_LENGTH) { /* it is for what was seen */
        (void)fprintf(out, " --binding %.*s", HAFT__BINDING_PREFIX_LENGTH, call->binding.ptr);
    }
    if (store != NULL) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        (void)fputs(" --store ", out);
        haft__pending_print_quoted(out, haft__store_display_url(store, &arena).ptr);
        haft__arena_finish(&arena);
    }
    (void)fprintf(out, "%s\n", by->note);
}

static void print_waiting_calls(FILE *out, const haft__run *run)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__waiting_calls_add(&text, run);
    if (haft__buf_check(&text, NULL) == HAFT_OK && text.len > 0) {
        (void)fwrite(text.ptr, 1, text.len, out);
    }
    haft__buf_finish(&text);
}

void haft__pending_print(FILE *out, const haft__args *args, const haft_run *run)
{
    const haft__run *state = &run->state;
    print_calls(out, run);
    print_waiting_calls(out, state);
    (void)fputs("the run waits; go on with\n", out);
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        for (size_t k = 0; k < COUNT(next_commands) && call->stage == HAFT__CALL_PAUSED; k++) {
            if (next_commands[k].pause == call->pause) {
                print_next_command(out, args, run, call, &next_commands[k]);
            }
        }
        if (call->stage == HAFT__CALL_PAUSED && call->elicitation.kind == HAFT__JSON_OBJECT) {
            print_next_command(out, args, run, call, &decline);
        }
    }
}
