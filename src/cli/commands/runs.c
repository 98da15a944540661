/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runs.c - `haft runs`: shows runs of the store, or of a file of events.
 *
 * A run is named by its id, the beginning of one or `last`; or by the file with its events (`haft
 * run --events > run.jsonl`), which also needs the spec. Tests: tests/cli/run_test.py and
 * store_test.py.
 */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/commands/runs_cache.h"
#include "cli/commands/runs_fork.h"
#include "cli/commands/runs_list.h"
#include "cli/commands/runs_tree.h"
#include "cli/follow/run_result.h"
#include "cli/input/log_file.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "cli/terminal/waiting_calls.h"
#include "cli/timeline/timeline.h"
#include "engine/agent.h"
#include "engine/ops/event_log.h"
#include "engine/ops/retention.h"
#include "engine/ops/run_list.h"
#include "engine/ops/store_access.h"
#include "engine/ops/stored_run.h"
#include "engine/ops/tree/tree_rows.h"
#include "io/clock.h"
#include "io/owner.h"
#include "io/random.h"
#include "run/replay/replay.h"
#include "tool/duration.h"
#include "json/write.h"

/* The context of the subcommands. */
typedef struct runs_request {
    haft__cli *cli;
    const haft__args *args;
    haft_runtime *runtime; /* NULL until the store is needed */
    haft__hash_key hash_key;
    const char *name;        /* of the run; may be NULL */
    haft__stored_run stored; /* a run of the store */
    bool is_stored;          /* the run is one of the store */
    haft_str lines;
    const haft__spec *spec;
    haft_error *err;
} runs_request;

static haft__exit_status exit_status(haft_status status)
{
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

static haft__exit_status print(const runs_request *a, haft__buf *text)
{
    haft_status status = haft__buf_check(text, a->err);
    if (status == HAFT_OK) {
        haft__print_json(a->cli->out, haft__buf_str(text));
    }
    haft__buf_finish(text);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

/* Rejects --json for output that is not an object. */
static haft_status check_json(const runs_request *a, const char *why)
{
    return haft__args_has(a->args, "json") ? haft__fail(a->err, HAFT_BAD_INPUT, "--json", "%s", why)
                                           : HAFT_OK;
}

/* ---- reading a run ---- */

static haft_status open_store(runs_request *a)
{
    return a->runtime != NULL ? HAFT_OK
                              : haft__session_open_existing(a->cli, a->args, &a->runtime, a->err);
}

static haft_status read_stored(runs_request *a, bool want_spec)
{
    haft_status status = open_store(a);
    if (status == HAFT_OK) {
        status = haft__stored_run_read(a->runtime, &a->cli->arena, haft__str(a->name), want_spec,
                                       &a->stored, a->err);
    }
    if (status == HAFT_OK) {
        a->is_stored = true;
        a->lines = a->stored.lines;
        a->spec = want_spec ? a->stored.agent->spec : NULL;
    }
    return status;
}

static haft_status read_file(runs_request *a, bool want_spec)
{
    const char *path = haft__args_text(a->args, "spec", NULL);
    haft_status status = HAFT_OK;
    if (want_spec && path == NULL) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, a->name, "a file of events needs --spec");
        return haft__hint(a->err, status, "name the spec of the run: --spec SPEC");
    }
    if (path != NULL) {
        haft__spec_file file;
        status = haft__spec_file_read(a->cli, path, a->args, &file, a->err);
        if (status == HAFT_OK && !haft__spec_file_usable(&file, a->cli)) {
            return HAFT_BAD_INPUT; /* its problems were already printed */
        }
        a->spec = file.spec;
    }
    return status == HAFT_OK
               ? haft__log_file_read(&a->cli->arena, a->name, a->cli->errors, &a->lines, a->err)
               : status;
}

/* Reads the events, and the spec if `want_spec`. */
static haft_status read_run(runs_request *a, bool want_spec)
{
    bool file = strcmp(a->name, "-") == 0 || access(a->name, R_OK) == 0;
    return file ? read_file(a, want_spec) : read_stored(a, want_spec);
}

/* ---- list ---- */

/* Whether a process works on the run. */
static bool is_owned(const haft__store_run *row, uint64_t now_ms)
{
    return row->owner.len > 0 && row->lease_ms > now_ms && !haft__owner_is_dead(row->owner);
}

/* `depths` is NULL if the list has no trees. */
static haft__exit_status print_lines(const runs_request *a, const haft__run_list *runs,
                                     const uint32_t *depths)
{
    bool terminal = isatty(fileno(a->cli->out));
    haft__runs_list_view view = {
        .now_ms = haft__clock_now(),
        .width = terminal ? haft__terminal_caps_width(a->cli->out) : 0,
    };
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < runs->count; i++) {
        view.depth = depths != NULL ? depths[i] : 0;
        haft__runs_list_add_line(&text, &runs->items[i], is_owned(&runs->items[i], view.now_ms),
                                 &view);
    }
    haft_status status = haft__buf_check(&text, a->err);
    if (status == HAFT_OK && text.len > 0) { /* escaped by haft__runs_list_add_line */
        (void)fwrite(text.ptr, 1, text.len, a->cli->out);
    }
    haft__buf_finish(&text);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

/* A store that does not exist has no runs: not an error. */
static bool report_missing_store(const runs_request *a)
{
    const char *url = NULL;
    haft_error unwanted = {0}; /* open_store reports it */
    bool known = haft__session_store_url(a->cli, a->args, &url, &unwanted) == HAFT_OK;
    const char *path = known ? haft__store_access_missing_file(url) : NULL;
    if (path != NULL) {
        (void)fputs("no store at ", a->cli->errors);
        haft__print_escaped(a->cli->errors, haft__str(path));
        (void)fputc('\n', a->cli->errors);
    }
    return path != NULL;
}

static haft__exit_status print_list(runs_request *a, const haft__run_list *runs,
                                    const uint32_t *depths)
{
    if (!haft__args_has(a->args, "json")) {
        return print_lines(a, runs, depths);
    }
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &text);
    haft__run_list_write(&w, runs);
    haft__buf_add_char(&text, '\n');
    return print(a, &text);
}

static haft__exit_status list(runs_request *a)
{
    haft__run_list runs = {.count = 0};
    haft__run_list_filter filter = {
        .thread = haft__str(haft__args_text(a->args, "thread", "")),
        .limit = haft__args_number(a->args, "limit", 0),
        .open_only = haft__args_has(a->args, "open"),
    };
    bool tree = haft__args_has(a->args, "tree");
    const uint32_t *depths = NULL;
    haft_status status = HAFT_OK;
    if (haft__args_has(a->args, "limit") && filter.limit == 0) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, "--limit",
                            "expected a number of at least 1, found 0");
    } else if (tree && filter.thread.len > 0) {
        status =
            haft__fail(a->err, HAFT_BAD_INPUT, "--tree", "--tree and --thread cannot be combined");
        (void)haft__hint(a->err, status, "each child run has a thread of its own");
    } else if (!report_missing_store(a)) {
        status = open_store(a);
        if (status == HAFT_OK && tree) {
            status = haft__tree_rows_read(a->runtime, &a->cli->arena, filter.limit,
                                          filter.open_only, &runs, &depths, a->err);
        } else if (status == HAFT_OK) {
            status = haft__run_list_read(a->runtime, &a->cli->arena, &filter, &runs, a->err);
        }
    }
    return status == HAFT_OK ? print_list(a, &runs, depths) : haft__session_exit_status(status);
}

/* ---- one run ---- */

/* Prints the events for people. */
static haft__exit_status show_timeline(const runs_request *a, const haft__run *run,
                                       haft__terminal_caps caps)
{
    haft__timeline timeline;
    haft__timeline_init(&timeline, a->spec, caps);
    timeline.verbose = true;
    for (haft_str lines = a->lines; lines.len > 0;) {
        haft__timeline_add_event(&timeline, haft__str_split(&lines, '\n'));
    }
    haft__timeline_add_running(&timeline);
    haft__waiting_calls_add(&timeline.out, run);
    haft__buf text = timeline.out;
    haft__buf_init(&timeline.out, HAFT__LIMIT_RUN_BYTES);
    haft__timeline_finish(&timeline);
    haft_status status = haft__buf_check(&text, a->err);
    if (status == HAFT_OK) { /* escaped by the timeline, with colours */
        (void)fwrite(text.ptr, 1, text.len, a->cli->out);
    }
    haft__buf_finish(&text);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static haft__exit_status show_cache(const runs_request *a)
{
    haft__buf text;
    haft_status status = check_json(a, "`show --cache` prints lines; the events have its numbers");
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (status == HAFT_OK) {
        status = haft__runs_cache_write(&text, a->lines, a->hash_key, a->err);
    }
    if (status == HAFT_OK) {
        (void)fwrite(text.ptr, 1, text.len, a->cli->out);
    }
    haft__buf_finish(&text);
    return exit_status(status);
}

/* Reads and folds the run. A file has only one run of a tree. */
static haft_status read_state(runs_request *a, haft__run *ret_run)
{
    haft_status status = read_run(a, true);
    if (status == HAFT_OK && !a->is_stored && haft__args_has(a->args, "tree")) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, "--tree", "a file has the events of one run");
        return haft__hint(a->err, status, "name a run of the store by its id");
    }
    if (status == HAFT_OK) {
        status = haft__event_log_fold(&a->cli->arena, a->spec, a->name, a->lines, UINT64_MAX,
                                      a->hash_key, ret_run, a->err);
    }
    if (status == HAFT_OK && a->is_stored) {
        haft__stored_run_apply_row(&a->stored.row, ret_run);
    }
    return status;
}

static haft__exit_status show(runs_request *a)
{
    haft__run run;
    haft_status status = read_state(a, &run);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (haft__args_has(a->args, "tree")) {
        status = haft__runs_tree_show(a->cli, a->runtime, &a->stored, &run,
                                      haft__args_has(a->args, "json"), a->err);
        return exit_status(status);
    }
    if (haft__args_has(a->args, "cache")) {
        return show_cache(a);
    }
    haft__terminal_caps caps =
        haft__terminal_caps_detect(a->cli->out, haft__args_has(a->args, "json"));
    if (caps.live) {
        haft__exit_status result = show_timeline(a, &run, caps);
        if (a->is_stored && run.child_count > 0 && result == HAFT__EXIT_DONE) {
            status = haft__runs_tree_show(a->cli, a->runtime, &a->stored, &run, false, a->err);
            result = exit_status(status);
        }
        if (run.stored_as_waiting && run.stage != HAFT__RUN_CALLING) {
            (void)fputs("waiting: a fork that has not started; `haft resume` starts it\n",
                        a->cli->out);
        } else if (run.seq == 1) {
            (void)fputs("queued: it waits for an earlier run of its thread, or for a worker\n",
                        a->cli->out);
        }
        return result;
    }
    status = haft__run_result_print(a->cli, a->is_stored ? a->runtime : NULL, &run, NULL, a->err);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static haft__exit_status tree_events(runs_request *a)
{
    haft__run run;
    haft_status status = read_state(a, &run);
    if (status == HAFT_OK) {
        status = haft__runs_tree_events(a->cli, a->runtime, &a->stored, &run, a->err);
    }
    return exit_status(status);
}

static haft__exit_status events(runs_request *a)
{
    if (haft__args_has(a->args, "tree")) {
        return tree_events(a);
    }
    haft_status status = read_run(a, false);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__print_json(a->cli->out, a->lines);
    return HAFT__EXIT_DONE;
}

/* Adds an event as a member; its body is its text without the opening bracket. */
static void add_body(haft__buf *text, const char *key, haft_str body)
{
    haft__buf_addf(text, ",\"%s\":%s", key, body.len > 0 ? "{" : "null");
    haft__buf_add_str(text, body);
}

/* A replay of a run and of all runs below it. */
typedef struct replayed_tree {
    haft__replay found; /* the sums; or the first difference */
    haft_str run;       /* the last run that was compared */
    uint64_t runs;
} replayed_tree;

static haft__exit_status replay_json(const runs_request *a, const replayed_tree *tree)
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
    haft__exit_status result = print(a, &text);
    return result == HAFT__EXIT_DONE && !found->identical ? HAFT__EXIT_FAILED : result;
}

static haft__exit_status replay(runs_request *a)
{
    replayed_tree tree = {.run = HAFT__LIT(""), .runs = 1};
    haft_status status = read_run(a, true);
    if (status == HAFT_OK) {
        status = haft__event_log_replay(&a->cli->arena, a->spec, a->name, a->lines, a->hash_key,
                                        &tree.found, a->err);
    }
    tree.run = a->is_stored ? a->stored.row.id : HAFT__LIT("");
    if (status == HAFT_OK && a->is_stored && tree.found.identical) {
        status = haft__runs_tree_replay(a->cli, a->runtime, &a->stored, &tree.found, &tree.run,
                                        &tree.runs, a->err);
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

static haft__exit_status artifact(runs_request *a)
{
    haft__store_run row;
    haft__store_request request = {.verb = HAFT__STORE_READ_ARTIFACT,
                                   .name = haft__str(a->args->words[2])};
    haft_status status = open_store(a);
    if (status == HAFT_OK) {
        status = haft__stored_run_find(a->runtime, &a->cli->arena, haft__str(a->name), true, &row,
                                       a->err);
    }
    if (status == HAFT_OK) {
        request.run.id = row.id;
        status = haft__session_store_execute(a->cli, a->runtime, &request, a->err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__print_content(a->cli->out, request.artifact.content);
    return HAFT__EXIT_DONE;
}

/* ---- fork ---- */

static haft__exit_status fork_run(runs_request *a)
{
    haft_status status = read_run(a, true);
    if (status == HAFT_OK && !a->is_stored) {
        status =
            check_json(a, "the fork of a file is printed as its events, one JSON object a line");
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__fork_source from = {.name = a->name,
                              .lines = a->lines,
                              .spec = a->spec,
                              .hash_key = a->hash_key,
                              .row = a->stored.row,
                              .runtime = a->is_stored ? a->runtime : NULL};
    return haft__runs_fork(a->cli, a->args, &from, a->err);
}

/* ---- removing ---- */

static void print_removed(const runs_request *a, uint64_t count, bool dry_run)
{
    (void)fprintf(a->cli->out, "{\"removed\":%llu,\"dry_run\":%s}\n", (unsigned long long)count,
                  dry_run ? "true" : "false");
}

static haft__exit_status remove_run(runs_request *a)
{
    haft_status status = open_store(a);
    if (status == HAFT_OK) {
        status = haft__retention_remove_run(a->runtime, &a->cli->arena, haft__str(a->name), a->err);
    }
    if (status == HAFT_OK && haft__args_has(a->args, "json")) {
        print_removed(a, 1, false);
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : haft__session_exit_status(status);
}

/* The ends of --state, which can be repeated. */
static haft_status read_ends(const runs_request *a, haft__retention_rules *rules)
{
    size_t at = 0;
    haft_str *ends = haft__arena_array(&a->cli->arena, a->args->given_count, sizeof(*ends));
    if (ends == NULL) {
        return haft__arena_fail(&a->cli->arena, a->err);
    }
    for (const char *word; (word = haft__args_next(a->args, "state", &at)) != NULL;) {
        if (!haft__retention_is_end(haft__str(word))) {
            haft_status status = haft__fail(a->err, HAFT_BAD_INPUT, "--state",
                                            "expected the end of a run, found '%s'", word);
            return haft__hint(a->err, status,
                              "done, direct, exhausted, incomplete, refused, violated, failed, "
                              "cancelled or expired; runs that have not ended are never removed");
        }
        ends[rules->end_count++] = haft__str(word);
    }
    rules->ends = ends;
    return HAFT_OK;
}

static haft_status read_rules(const runs_request *a, haft__retention_rules *ret_rules)
{
    const char *older = haft__args_text(a->args, "older", NULL);
    *ret_rules = (haft__retention_rules){.has_age = older != NULL,
                                         .has_keep = haft__args_has(a->args, "keep"),
                                         .keep = haft__args_number(a->args, "keep", 0),
                                         .dry_run = haft__args_has(a->args, "dry-run")};
    haft_status status = older != NULL
                             ? haft__duration_parse(haft__str(older), &ret_rules->age_ms, a->err)
                             : HAFT_OK;
    if (status != HAFT_OK) {
        haft__error_prepend_location(a->err, "--older");
        return status;
    }
    return read_ends(a, ret_rules);
}

static haft__exit_status collect(runs_request *a)
{
    haft__retention_rules rules;
    uint64_t count = 0;
    haft_status status = read_rules(a, &rules);
    if (status == HAFT_OK) {
        status = open_store(a);
    }
    if (status == HAFT_OK) {
        status = haft__retention_apply(a->runtime, &a->cli->arena, &rules, &count, a->err);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (haft__args_has(a->args, "json")) {
        print_removed(a, count, rules.dry_run);
    } else {
        (void)fprintf(a->cli->out, "%llu run%s %sremoved\n", (unsigned long long)count,
                      count == 1 ? "" : "s", rules.dry_run ? "would be " : "");
    }
    return HAFT__EXIT_DONE;
}

/* ---- the command ---- */

static const haft__subcommand rows[] = {
    {"list", "", "list the runs, the newest first: id, age, state or end, task"},
    {"show", "ID", "print the result of a run like `haft run --json`; on a terminal, its timeline"},
    {"events", "ID", "print the events of a run, one JSON object per line"},
    {"replay", "ID", "compute all decisions of a run again and compare the bytes"},
    {"fork", "ID", "create a run in a new thread that begins with the events of this one"},
    {"artifact", "ID NAME", "print an artifact of a run"},
    {"rm", "ID", "remove a run"},
    {"gc", "", "remove runs by age, number and end, and data that no run needs"},
    {0},
};

/* In the order of `rows`. */
static const struct {
    const char *name;
    size_t words; /* including the subcommand's name */
    haft__exit_status (*run)(runs_request *a);
    const char *no_object; /* why --json is rejected; NULL: it is supported */
} subcommands[] = {
    {"list", 1, list, NULL},
    {"show", 2, show, NULL},
    {"events", 2, events, "events are always JSON, one object a line"},
    {"replay", 2, replay, NULL},
    {"fork", 2, fork_run, NULL},
    {"artifact", 3, artifact, "an artifact is printed unchanged"},
    {"rm", 2, remove_run, NULL},
    {"gc", 1, collect, NULL},
};
_Static_assert(COUNT(rows) == COUNT(subcommands) + 1, "each subcommand has a row");

static haft__exit_status run_subcommand(runs_request *a, size_t index)
{
    const haft__args *args = a->args;
    size_t found = args->word_count > 0 ? args->word_count : 1;
    if (found != subcommands[index].words) {
        haft_status status = haft__fail(a->err, HAFT_BAD_INPUT, subcommands[index].name,
                                        "expected %zu arguments, found %zu",
                                        subcommands[index].words - 1, found - 1);
        (void)haft__hint(a->err, status, "see 'haft help runs'");
        return HAFT__EXIT_USAGE;
    }
    if (subcommands[index].no_object != NULL
        && check_json(a, subcommands[index].no_object) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    a->name = found > 1 ? args->words[1] : NULL;
    haft__exit_status result = subcommands[index].run(a);
    haft__stored_run_finish(&a->stored);
    haft_runtime_destroy(a->runtime);
    return result;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *name = args->word_count > 0 ? args->words[0] : "list";
    for (size_t i = 0; i < COUNT(subcommands); i++) {
        if (strcmp(subcommands[i].name, name) == 0) {
            runs_request a = {
                .cli = cli, .args = args, .hash_key = haft__random_hash_key(), .err = err};
            return run_subcommand(&a, i);
        }
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                    "expected list, show, events, replay, fork, artifact, rm or "
                                    "gc, found '%s'",
                                    name);
    (void)haft__hint(err, status, "see 'haft help runs'");
    return HAFT__EXIT_USAGE;
}

static const haft__option options[] = {
    HAFT__OPTION_STORE,
    {"json", 0, HAFT__OPTION_FLAG, NULL, "list, show, replay, fork, rm, gc: print one JSON object"},
    {"cache", 0, HAFT__OPTION_FLAG, NULL,
     "show: how much each request repeats of the one before, and cached tokens"},
    {"tree", 0, HAFT__OPTION_FLAG, NULL, "list, show, events: with the child runs below each run"},
    {"open", 0, HAFT__OPTION_FLAG, NULL, "list: only runs that have not ended"},
    {"thread", 0, HAFT__OPTION_TEXT, "THREAD",
     "list: only runs of this thread; fork: the id of the new thread"},
    {"limit", 0, HAFT__OPTION_NUMBER, "N", "list: at most the N newest"},
    {"at", 0, HAFT__OPTION_NUMBER, "SEQ",
     "fork: after this event, the end of a turn or just before an answer"},
    {"turn", 0, HAFT__OPTION_NUMBER, "N", "fork: at the end of this turn; 0: before the first"},
    {"task", 0, HAFT__OPTION_TEXT, "TEXT", "fork: start with another task, and continue"},
    {"call", 0, HAFT__OPTION_TEXT, "CALL",
     "fork: where this call is pending, or was last answered"},
    {"answer", 0, HAFT__OPTION_TEXT, "VALUE", "fork: answer the call of --call, and continue"},
    {"go", 0, HAFT__OPTION_FLAG, NULL, "fork: continue at once"},
    {"accept-spec", 0, HAFT__OPTION_FLAG, NULL, "fork: continue with the spec as its file is now"},
    {"stored-spec", 0, HAFT__OPTION_FLAG, NULL,
     "fork: continue with the spec that is stored with the run"},
    {"older", 0, HAFT__OPTION_TEXT, "TIME",
     "gc: remove runs that ended longer ago than this, such as 30d"},
    {"keep", 0, HAFT__OPTION_NUMBER, "N", "gc: remove runs except the last N that ended"},
    {"state", 0, HAFT__OPTION_TEXT, "END", "gc: only runs with this end; may be repeated"},
    {"dry-run", 0, HAFT__OPTION_FLAG, NULL, "gc: only print how many runs it would remove"},
    {"spec", 0, HAFT__OPTION_TEXT, "SPEC", "the spec of the run, if ID is a file of events"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "the same --set that the run was started with"},
    {"model", 'm', HAFT__OPTION_TEXT, "M", "the same --model that the run was started with"},
    {0},
};

static const haft__example examples[] = {
    {"haft runs list --open", "list the runs that have not ended"},
    {"haft runs show last", "print the result of the newest run"},
    {"haft runs show last --tree",
     "print turns, cost and state of the newest run and of its children"},
    {"haft runs replay last", "compute the decisions of the newest run again and compare them"},
    {"haft runs fork last --turn 1", "fork the newest run at the end of its first turn"},
    {"haft runs gc --older 30d", "remove runs that ended more than 30 days ago"},
    {"haft runs gc --keep 1000 --state failed --dry-run",
     "print how many failed runs are not among the last 1000"},
    {0},
};

const haft__command haft__cmd_runs = {
    .name = "runs",
    .usage = "[list | show|events|replay|fork|rm ID | artifact ID NAME | gc]",
    .summary = "list, show, replay, fork and remove runs",
    .help = "ID is a run's id, the beginning of one, or `last`. It can also be a file with the\n"
            "events of a run, as `haft run --events` prints them; that also needs --spec.\n",
    .options = options,
    .subcommands = rows,
    .examples = examples,
    .exits = HAFT__RUN_EXIT_STATUSES,
    .min_words = 0,
    .max_words = 3,
    .run = run,
    .object = true,
};
