/* SPDX-License-Identifier: Apache-2.0 */
/* pending.c - commands to copy. Tests: tests/cli/pending_test.c, tests/cli/store_test.py. */
#include "cli/pending.h"

#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "cli/print.h"
#include "cli/terminal_int.h"
#include "run/asked.h"

/* What can be done about a call that waits; the first is the usual one. */
static const struct {
    haft__pause pause;
    const char *command, *value, *note;
} ways[] = {
    {HAFT__PAUSE_QUESTION, "answer", " 'TEXT'", ""},
    {HAFT__PAUSE_HEADLESS, "answer", " 'JSON'", ""},
    {HAFT__PAUSE_APPROVAL, "approve", "", ""},
    {HAFT__PAUSE_APPROVAL, "reject", " --why 'REASON'", ""},
    {HAFT__PAUSE_UNKNOWN_OUTCOME, "answer", " 'RESULT'", "  # what came of it"},
    {HAFT__PAUSE_UNKNOWN_OUTCOME, "approve", "", "  # run it again"},
};

void haft__pending_quote(FILE *out, const char *word)
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

/* Who asks, when it is a tool. */
static void tell_asked(FILE *out, const haft__run_call *call)
{
    if (call->stage != HAFT__CALL_PAUSED || call->asks.kind != HAFT__JSON_OBJECT) {
        return;
    }
    (void)fprintf(out, "%.*s asks, of the server ", HAFT__ARG(call->name));
    haft__print_text(out, haft__asked_text(call, "server"));
    (void)fputs(call->pinned ? ", and only as long as this process runs: " : ": ", out);
    haft__print_text(out, haft__asked_text(call, "message"));
    (void)fputc('\n', out);
}

/* What would run; an approval is only as good as what was seen before it. */
static void tell_calls(FILE *out, const haft_run *run)
{
    const haft__run *state = &run->state;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        tell_asked(out, call);
        if (call->stage == HAFT__CALL_PAUSED && call->pause == HAFT__PAUSE_APPROVAL
            && haft__show_call(out, run, call, NULL) != HAFT_OK) {
            (void)fprintf(out, "%.*s cannot be shown\n", HAFT__ARG(call->id));
        }
    }
}

void haft__pending_tell(FILE *out, const haft__args *args, const haft_run *run)
{
    const haft__run *state = &run->state;
    const char *store = haft__args_text(args, "store", NULL);
    tell_calls(out, run);
    (void)fputs("the run waits; go on with\n", out);
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        for (size_t k = 0; k < COUNT(ways) && call->stage == HAFT__CALL_PAUSED; k++) {
            if (ways[k].pause != call->pause) {
                continue;
            }
            (void)fprintf(out, "  haft %s %s %.*s%s", ways[k].command, run->id, HAFT__ARG(call->id),
                          ways[k].value);
            if (store != NULL && strchr(store, '@') == NULL) { /* else it may have a password */
                (void)fputs(" --store ", out);
                haft__pending_quote(out, store);
            }
            (void)fprintf(out, "%s\n", ways[k].note);
        }
    }
}
