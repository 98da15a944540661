/* SPDX-License-Identifier: Apache-2.0 */
/* runs_tree.c - see cli/runs/runs_tree.h. Tests: tests/cli/runs/runs_tree_test.c,
 * tests/cli/trees_test.py. */
#include "cli/runs/runs_tree.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/print.h"
#include "cli/terminal/width.h"
#include "engine/agent.h"
#include "engine/ops/event_log.h"
#include "engine/ops/run_list.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/tree/run_picture.h"
#include "engine/ops/tree/tree_stream.h"

#define STATE_COLUMNS 10
#define TASK_COLUMNS  60
#define INDENT        2

/* ---- lines ---- */

static void add_usage(haft__buf *buf, const haft__tree_usage *usage)
{
    haft__buf cost;
    haft__buf_init(&cost, 64);
    haft__cost_write(&cost, usage->cost_parts);
    haft__buf_addf(buf, "%4llu %-5s %4llu %-5s %9llu tokens  %10.*s USD  ",
                   (unsigned long long)usage->turns, usage->turns == 1 ? "turn" : "turns",
                   (unsigned long long)usage->calls, usage->calls == 1 ? "call" : "calls",
                   (unsigned long long)usage->input_tokens + usage->output_tokens,
                   HAFT__ARG(haft__buf_str(&cost)));
    haft__buf_finish(&cost);
}

static void add_line(haft__buf *buf, const haft__tree_entry *entry)
{
    const haft__run *run = entry->run;
    haft__tree_usage own = haft__child_own_usage(run);
    bool ended = run->stage == HAFT__RUN_ENDED;
    haft_str state = ended ? haft__str(haft__end_name(run->end)) : entry->state;
    haft__buf_addf(buf, "%.*s  %-*.*s  ", HAFT__ARG(run->id), STATE_COLUMNS, HAFT__ARG(state));
    add_usage(buf, &own);
    haft__buf_addf(buf, "%*s", (int)(entry->depth * INDENT), "");
    if (run->path.len > 0) {
        haft__buf_addf(buf, "%.*s ", HAFT__ARG(run->path));
    }
    (void)haft__escape_add_line(buf, run->spec->name, TASK_COLUMNS, HAFT__LIT("..."));
    haft__buf_add_str(buf, HAFT__LIT(": "));
    (void)haft__escape_add_line(buf, haft__str_trim(run->task), TASK_COLUMNS, HAFT__LIT("..."));
    haft__buf_add_char(buf, '\n');
}

void haft__runs_tree_add_lines(haft__buf *buf, const haft__tree_entry *entries, size_t count)
{
    haft__tree_usage total = haft__tree_report_total(entries, count);
    for (size_t i = 0; i < count; i++) {
        add_line(buf, &entries[i]);
    }
    haft__buf_addf(buf, "%-*llu  %-*s  ", HAFT__ID_LENGTH, (unsigned long long)total.runs,
                   STATE_COLUMNS, total.runs == 1 ? "run" : "runs");
    add_usage(buf, &total);
    while (buf->len > 0 && buf->ptr[buf->len - 1] == ' ') {
        buf->len--;
    }
    haft__buf_add_char(buf, '\n');
}

/* ---- a tree of the store ---- */

static const haft__tree_entry *make_entries(haft__cli *cli, const haft__stored_run *stored,
                                            const haft__run *root, const haft__run_tree *tree,
                                            haft_error *err)
{
    haft__tree_entry *entries = haft__arena_array(&cli->arena, tree->count + 1, sizeof(*entries));
    uint32_t top = haft__child_depth(root->path);
    if (entries == NULL) {
        (void)haft__arena_fail(&cli->arena, err);
        return NULL;
    }
    entries[0] = (haft__tree_entry){.run = root, .state = haft__run_list_state(&stored->row)};
    for (size_t i = 0; i < tree->count; i++) {
        const haft_run *run = tree->runs[i];
        entries[i + 1] = (haft__tree_entry){.run = &run->state,
                                            .state = haft__run_list_state(&run->opening.row),
                                            .depth = haft__child_depth(run->state.path) - top};
    }
    return entries;
}

haft_status haft__runs_tree_show(haft__cli *cli, haft_runtime *runtime,
                                 const haft__stored_run *stored, const haft__run *root, bool json,
                                 haft_error *err)
{
    haft__run_tree tree;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_tree_read(runtime, root, false, &tree, err);
    const haft__tree_entry *entries =
        status == HAFT_OK ? make_entries(cli, stored, root, &tree, err) : NULL;
    if (entries != NULL && json) {
        haft__tree_report_write(&text, entries, tree.count + 1);
        status = haft__print_json_line(cli->out, &text, err);
    } else if (entries != NULL) {
        haft__runs_tree_add_lines(&text, entries, tree.count + 1);
        status = haft__buf_check(&text, err);
        if (status == HAFT_OK) { /* escaped */
            (void)fwrite(text.ptr, 1, text.len, cli->out);
        }
    } else if (status == HAFT_OK) {
        status = HAFT_NO_MEMORY;
    }
    haft__run_tree_finish(&tree);
    haft__buf_finish(&text);
    return status;
}

static haft_status write_stream(haft__cli *cli, const haft_runtime *runtime,
                                const haft__stored_run *stored, const haft__run *root,
                                const haft__run_tree *tree, haft__buf *text, haft_error *err)
{
    haft__tree_log *logs = haft__arena_array(&cli->arena, tree->count + 1, sizeof(*logs));
    if (logs == NULL) {
        return haft__arena_fail(&cli->arena, err);
    }
    logs[0] = (haft__tree_log){.run = root->id, .path = root->path, .lines = stored->lines};
    for (size_t i = 0; i < tree->count; i++) {
        const haft_run *run = tree->runs[i];
        logs[i + 1] = (haft__tree_log){
            .run = run->state.id, .path = run->state.path, .lines = run->opening.events};
    }
    return haft__tree_stream_write(text, logs, tree->count + 1, runtime->hash_key, err);
}

haft_status haft__runs_tree_events(haft__cli *cli, haft_runtime *runtime,
                                   const haft__stored_run *stored, const haft__run *root,
                                   haft_error *err)
{
    haft__run_tree tree;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_tree_read(runtime, root, false, &tree, err);
    if (status == HAFT_OK) {
        status = write_stream(cli, runtime, stored, root, &tree, &text, err);
    }
    if (status == HAFT_OK) {
        haft__print_json(cli->out, haft__buf_str(&text));
    }
    haft__run_tree_finish(&tree);
    haft__buf_finish(&text);
    return status;
}

/* ---- the picture ---- */

haft_status haft__runs_tree_svg(haft__cli *cli, haft_runtime *runtime, haft_str lines,
                                const haft__run *root, haft__hash_key hash_key, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status =
        haft__run_picture_write(&text, runtime, &cli->arena, lines, root, hash_key, err);
    if (status == HAFT_OK) { /* escaped */
        (void)fwrite(text.ptr, 1, text.len, cli->out);
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- replay ---- */

typedef struct tree_replay {
    haft__cli *cli;
    haft_runtime *runtime;
    haft__tree_replay *tree;
    haft_error *err;
} tree_replay;

static haft_status replay_below(tree_replay *r, const haft__stored_run *stored, uint32_t depth);

/* Skips a child that was removed from the store. */
static haft_status replay_child(tree_replay *r, const haft__child *child, uint32_t depth)
{
    haft__arena *arena = &r->cli->arena;
    haft__stored_run stored;
    haft__replay own = {.identical = true};
    haft_status status =
        haft__stored_run_read(r->runtime, arena, child->run, true, &stored, r->err);
    if (status == HAFT_NOT_FOUND) {
        *r->err = (haft_error){0};
        haft__stored_run_finish(&stored);
        return HAFT_OK;
    }
    haft_str id = status == HAFT_OK ? haft__arena_copy(arena, child->run) : HAFT__LIT("");
    if (status == HAFT_OK) {
        status = id.ptr != NULL
                     ? haft__event_log_replay(arena, stored.agent->spec, id.ptr, stored.lines,
                                              r->runtime->hash_key, &own, r->err)
                     : haft__arena_fail(arena, r->err);
    }
    if (status == HAFT_OK) {
        own.events += r->tree->found.events;
        own.decisions += r->tree->found.decisions;
        *r->tree = (haft__tree_replay){.found = own, .run = id, .runs = r->tree->runs + 1};
        status = own.identical ? replay_below(r, &stored, depth + 1) : HAFT_OK;
    }
    haft__stored_run_finish(&stored);
    return status;
}

static haft_status replay_below(tree_replay *r, const haft__stored_run *stored, uint32_t depth)
{
    haft__run state;
    haft_status status =
        haft__stored_run_fold(r->runtime, &r->cli->arena, stored, "", &state, r->err);
    for (size_t i = 0; status == HAFT_OK && r->tree->found.identical && i < state.child_count
                       && depth <= HAFT__LIMIT_CHILD_DEPTH;
         i++) {
        status = replay_child(r, state.children[i], depth);
    }
    return status;
}

haft_status haft__runs_tree_replay(haft__cli *cli, haft_runtime *runtime,
                                   const haft__stored_run *stored, haft__tree_replay *io_tree,
                                   haft_error *err)
{
    tree_replay r = {.cli = cli, .runtime = runtime, .tree = io_tree, .err = err};
    return replay_below(&r, stored, 1);
}
