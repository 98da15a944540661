/* SPDX-License-Identifier: Apache-2.0 */
/* replay_run.c - `haft runs replay`. Tests: tests/cli/run_test.py, trees_test.py. */
#include "base/limits.h"
#include "base/str.h"
#include "cli/runs/runs_request.h"
#include "cli/runs/runs_tree.h"
#include "cli/terminal/print.h"
#include "engine/ops/event_log.h"
#include "run/replay/replay.h"

/* Adds an event as a member. `body` is the text of the event without its opening bracket. */
static void add_body(haft__buf *text, const char *key, haft_str body)
{
    haft__buf_addf(text, ",\"%s\":%s", key, body.len > 0 ? "{" : "null");
    haft__buf_add_str(text, body);
}

static haft__exit_status replay_json(const haft__runs_request *a, const haft__tree_replay *tree)
{
    const haft__replay *found = &tree->found;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_addf(&text, "{\"identical\":%s,\"events\":%llu,\"decisions\":%llu,\"differs_at\":",
                   found->identical ? "true" : "false", (unsigned long long)found->events,
                   (unsigned long long)found->decisions);
    if (found->identical) {
        haft__buf_add_str(&text, HAFT__LIT("null"));
    } else {
        haft__buf_addf(&text, "%llu", (unsigned long long)found->differs_at);
    }
    haft__buf_addf(&text, ",\"runs\":%llu,\"run\":", (unsigned long long)tree->runs);
    if (found->identical || tree->run.len == 0) {
        haft__buf_add_str(&text, HAFT__LIT("null"));
    } else {
        haft__buf_addf(&text, "\"%.*s\"", HAFT__ARG(tree->run));
    }
    add_body(&text, "recorded", found->recorded);
    add_body(&text, "decided", found->decided);
    haft__buf_add_str(&text, HAFT__LIT("}\n"));
    haft__exit_status result = haft__runs_print_json(a, &text);
    return result == HAFT__EXIT_DONE && !found->identical ? HAFT__EXIT_FAILED : result;
}

haft__exit_status haft__runs_replay(haft__runs_request *a)
{
    haft__tree_replay tree = {.run = HAFT__LIT(""), .runs = 1};
    haft_status status = haft__runs_read(a, true);
    if (status == HAFT_OK) {
        status = haft__event_log_replay(&a->cli->arena, a->spec, a->name, a->lines, a->hash_key,
                                        &tree.found, a->err);
    }
    tree.run = a->is_stored ? a->stored.row.id : HAFT__LIT("");
    if (status == HAFT_OK && a->is_stored && tree.found.identical) {
        status = haft__runs_tree_replay(a->cli, a->runtime, &a->stored, &tree, a->err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (haft__args_has(a->args, "json")) {
        return replay_json(a, &tree);
    }
    haft__replay found = tree.found;
    if (found.identical) {
        (void)fprintf(a->cli->out, "identical: %llu event%s, %llu decision%s recomputed",
                      (unsigned long long)found.events, found.events == 1 ? "" : "s",
                      (unsigned long long)found.decisions, found.decisions == 1 ? "" : "s");
        if (tree.runs > 1) {
            (void)fprintf(a->cli->out, " in %llu runs", (unsigned long long)tree.runs);
        }
        (void)fputc('\n', a->cli->out);
        return HAFT__EXIT_DONE;
    }
    (void)fprintf(a->cli->out, "different at event %llu", (unsigned long long)found.differs_at);
    if (tree.runs > 1) {
        (void)fprintf(a->cli->out, " of %.*s", HAFT__ARG(tree.run));
    }
    (void)fputs("\n  recorded {", a->cli->out);
    haft__print_json(a->cli->out, found.recorded);
    (void)fputs("\n  decided  {", a->cli->out);
    haft__print_json(a->cli->out, found.decided);
    (void)fputc('\n', a->cli->out);
    return HAFT__EXIT_FAILED;
}
