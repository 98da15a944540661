/* SPDX-License-Identifier: Apache-2.0 */
/* pending.c - prints pending calls, and commands to copy. Tests: tests/cli/terminal/pending_test.c,
 * tests/cli/store_test.py. */
#include "cli/terminal/pending.h"

#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/terminal/form.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal_int.h"
#include "cli/terminal/waiting_calls.h"
#include "engine/ops/run_tree.h"
#include "engine/run.h"
#include "run/pause/binding.h"
#include "store/store.h"

/* The command that declines a question of a tool. It is possible for every kind of pause. */
static const haft__pause_reply decline = {"reject", "", "  # decline"};

static void add_quoted(haft__buf *buf, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";
    if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
        haft__buf_add_str(buf, haft__str(word));
        return;
    }
    haft__buf_add_char(buf, '\'');
    for (const char *c = word; *c != '\0'; c++) {
        haft__buf_add_str(buf, *c == '\'' ? HAFT__LIT("'\\''") : (haft_str){c, 1});
    }
    haft__buf_add_char(buf, '\'');
}

void haft__pending_print_quoted(FILE *out, const char *word)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    add_quoted(&text, word);
    (void)fwrite(text.ptr, 1, text.len, out);
    haft__buf_finish(&text);
}

/* Prints the question of a tool, with the information that a person needs for the answer. */
static void print_tool_question(FILE *out, const haft__run_call *call)
{
    if (call->lost) {
        (void)fputs("the question of ", out);
        haft__print_escaped(out, call->name);
        (void)fputs(" was lost when its process ended; the outcome of the call is unknown\n", out);
    }
    if (call->elicitation.kind != HAFT__JSON_OBJECT) {
        return;
    }
    if (haft__terminal_print_tool_question(out, call, NULL) != HAFT_OK) {
        (void)fprintf(out, "cannot show %.*s\n", HAFT__ARG(call->id));
    }
    if (call->pinned) {
        (void)fputs("answer it while this process runs\n", out);
    }
}

/* Prints why a person must decide about a call with an unknown outcome. */
static void print_unknown_outcome(FILE *out, const haft__run_call *call)
{
    if (!haft__pause_kind_of(call->pause)->outcome_unknown || call->lost) {
        return;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_addf(&text, "%.*s ", HAFT__ARG(call->id));
    if (call->reason.len > 0) {
        haft__buf_addf(&text, "%.*s: %.*s", HAFT__ARG(call->name), HAFT__ARG(call->reason));
    } else {
        haft__buf_addf(&text, "was interrupted");
    }
    haft__buf_addf(&text, ": its outcome is unknown, and it may or may not have had its effect");
    haft__print_wrapped(out, 0, 2, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* Prints the question that a terminal would ask. */
static haft_status print_prompt(FILE *out, const haft_run *run, const haft__run_call *call)
{
    switch (haft__pause_kind_of(call->pause)->prompt) {
    case HAFT__PAUSE_PROMPT_NONE:
    case HAFT__PAUSE_PROMPT_OUTCOME: return HAFT_OK;
    case HAFT__PAUSE_PROMPT_QUESTION:
        return call->elicitation.kind != HAFT__JSON_OBJECT
                   ? haft__terminal_print_question(out, call, NULL)
                   : HAFT_OK;
    case HAFT__PAUSE_PROMPT_CALL: return haft__terminal_print_approval(out, run, call, NULL);
    }
    HAFT__UNREACHABLE();
}

void haft__pending_print_agent(FILE *out, const haft_run *run)
{
    if (run->state.parent.len > 0) {
        haft__print_escaped(out, run->state.spec->name);
        (void)fprintf(out, " (%.*s) asks:\n", HAFT__ARG(run->state.path));
    }
}

/* Prints the call that needs approval, because people must see a call before they approve it. */
static void print_call(FILE *out, const haft_run *run, const haft__run_call *call)
{
    print_tool_question(out, call);
    print_unknown_outcome(out, call);
    if (print_prompt(out, run, call) != HAFT_OK) {
        (void)fprintf(out, "cannot show %.*s\n", HAFT__ARG(call->id));
    }
}

static void print_calls(FILE *out, const haft_run *run)
{
    const haft__run *state = &run->state;
    bool named = false;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        if (call->stage != HAFT__CALL_PAUSED) {
            continue;
        }
        if (!named) {
            haft__pending_print_agent(out, run);
            named = true;
        }
        print_call(out, run, call);
    }
}

static bool is_bound_approval(const haft__run_call *call, const haft__pause_reply *reply)
{
    return haft__pause_kind_of(call->pause)->binds && strcmp(reply->command, "approve") == 0;
}

static void add_command(haft__buf *buf, const haft__args *args, const haft_run *run,
                        const haft__run_call *call, const haft__pause_reply *reply)
{
    const char *store = haft__args_text(args, "store", NULL);
    haft_str root = run->state.root.len > 0 ? run->state.root : haft__str(run->id);
    haft__buf_addf(buf, "haft %s %.*s ", reply->command, HAFT__ARG(root));
    haft__run_tree_add_call(buf, &run->state, call->id);
    if (call->elicitation.kind == HAFT__JSON_OBJECT && reply != &decline) {
        haft__buf_add_char(buf, ' ');
        haft__form_add_example(buf, call);
    } else {
        haft__buf_add_str(buf, haft__str(reply->value));
    }
    if (is_bound_approval(call, reply)
        && call->binding.len
               >= HAFT__BINDING_PREFIX_LENGTH) { /* approves only the call that was printed */
        haft__buf_addf(buf, " --binding %.*s", HAFT__BINDING_PREFIX_LENGTH, call->binding.ptr);
    }
    if (store != NULL) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__buf_add_str(buf, HAFT__LIT(" --store "));
        add_quoted(buf, haft__store_display_url(store, &arena).ptr);
        haft__arena_finish(&arena);
    }
}

static void visit_command(const haft__args *args, const haft_run *run, const haft__run_call *call,
                          const haft__pause_reply *reply,
                          void (*visit)(void *context, haft_str command, const char *note),
                          void *context)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    add_command(&text, args, run, call, reply);
    visit(context, haft__buf_str(&text), reply->note);
    haft__buf_finish(&text);
}

void haft__pending_each_command(const haft__args *args, const haft_run *run,
                                const haft__run_call *call,
                                void (*visit)(void *context, haft_str command, const char *note),
                                void *context)
{
    const haft__pause_kind *kind = haft__pause_kind_of(call->pause);
    for (size_t k = 0; k < COUNT(kind->replies) && kind->replies[k].command != NULL; k++) {
        visit_command(args, run, call, &kind->replies[k], visit, context);
    }
    if (call->elicitation.kind == HAFT__JSON_OBJECT) {
        visit_command(args, run, call, &decline, visit, context);
    }
}

static void print_command(void *context, haft_str command, const char *note)
{
    (void)fprintf(context, "  %.*s%s\n", HAFT__ARG(command), note);
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

static void print_replies(FILE *out, const haft__args *args, const haft_run *run)
{
    const haft__run *state = &run->state;
    for (size_t i = state->batch; i < state->call_count; i++) {
        if (state->calls[i].stage == HAFT__CALL_PAUSED) {
            haft__pending_each_command(args, run, &state->calls[i], print_command, out);
        }
    }
}

void haft__pending_print_call(FILE *out, const haft__args *args, const haft_run *run,
                              const haft__run_call *call)
{
    char at[HAFT__TIME_SIZE];
    haft__buf path;
    haft__buf_init(&path, HAFT__LIMIT_RUN_BYTES);
    haft__run_tree_add_call(&path, &run->state, call->id);
    (void)fprintf(out, "%.*s: %s of ", HAFT__ARG(haft__buf_str(&path)),
                  haft__pause_name(call->pause));
    haft__buf_finish(&path);
    haft__print_escaped(out, call->name);
    (void)fputs(", asked by ", out);
    haft__print_escaped(out, run->state.spec->name);
    if (call->deadline_ms > 0) {
        haft__time_format(call->deadline_ms, at);
        (void)fprintf(out, ", until %s", at);
    }
    (void)fputc('\n', out);
    print_call(out, run, call);
    haft__pending_each_command(args, run, call, print_command, out);
}

void haft__pending_print(FILE *out, const haft__args *args, const haft_run *run)
{
    const haft__run *state = &run->state;
    haft__run_tree tree = {.runs = NULL};
    if (state->open_children > 0
        && haft__run_tree_read(run->runtime, state, true, &tree, NULL) != HAFT_OK) {
        (void)fputs("cannot read the runs below it; `haft runs show` tries again\n", out);
    }
    print_calls(out, run);
    for (size_t i = 0; i < tree.count; i++) {
        print_calls(out, tree.runs[i]);
    }
    print_waiting_calls(out, state);
    if (!run->runtime->shared) { /* no other process can answer */
        (void)fputs("the run waits, but its store is in memory and ends with this process;\n"
                    "use another --store to answer later, or a terminal to answer here\n",
                    out);
    } else {
        (void)fputs("the run waits; continue it with one of\n", out);
        print_replies(out, args, run);
        for (size_t i = 0; i < tree.count; i++) {
            print_replies(out, args, tree.runs[i]);
        }
    }
    haft__run_tree_finish(&tree);
}
