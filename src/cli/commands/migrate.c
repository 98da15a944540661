/* SPDX-License-Identifier: Apache-2.0 */
/*
 * migrate.c - `haft migrate`: which runs go from one store into another, and what came of it.
 *
 * Runs of a thread are made in the order in which they were made in the old store, which is what
 * their order means. Tests: tests/cli/migrate_test.py.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/interrupts.h"
#include "cli/ops/migrate.h"
#include "cli/session.h"
#include "cli/terminal/print.h"
#include "json/object.h"
#include "json/write.h"

/* A run of the old store. */
typedef struct entry {
    char id[HAFT__ID_LENGTH + 1];
    bool wanted, done;
} entry;

typedef struct migrate_command {
    haft__cli *cli;
    const haft__args *args;
    haft__migration m;
    haft__interrupts interrupts;
    entry *entries; /* by id */
    size_t count, capacity;
    size_t copied, there, open, failed;
    bool named; /* only those that --run names */
    haft__buf failures;
    haft__json_writer writer; /* of these */
    haft_error *err;
} migrate_command;

/* ---- which runs ---- */

static haft_status add_entry(migrate_command *w, haft_str id)
{
    entry *entries = haft__vec_reserve(w->entries, &w->capacity, w->count + 1, sizeof(*entries));
    if (entries == NULL) {
        return haft__fail_no_memory(w->err);
    }
    w->entries = entries;
    entry *one = &w->entries[w->count++];
    *one = (entry){.wanted = !w->named};
    (void)snprintf(one->id, sizeof(one->id), "%.*s", HAFT__ARG(id));
    return HAFT_OK;
}

/* All of the old store, the greatest id first, and then turned round. */
static haft_status list_all(migrate_command *w)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST, .arena = &w->m.arena};
    haft_status status = HAFT_OK;
    char last[HAFT__ID_LENGTH + 1] = "";
    do {
        haft__arena_reset(&w->m.arena);
        list.name = haft__str(last);
        status = haft__store_submit_and_wait(w->m.from, &list, w->err);
        for (size_t i = 0; status == HAFT_OK && i < list.found_count; i++) {
            status = add_entry(w, list.found[i].id);
        }
        if (status == HAFT_OK && w->count > 0) {
            memcpy(last, w->entries[w->count - 1].id, sizeof(last));
        }
    } while (status == HAFT_OK && list.found_count == HAFT__LIMIT_STORE_LIST);
    for (size_t i = 0, k = w->count; status == HAFT_OK && i + 1 < k; i++) {
        entry swapped = w->entries[i];
        w->entries[i] = w->entries[--k];
        w->entries[k] = swapped;
    }
    return status;
}

static int compare_id(const void *key, const void *item)
{
    return strcmp(key, ((const entry *)item)->id);
}

static entry *find_entry(migrate_command *w, haft_str id)
{
    char text[HAFT__ID_LENGTH + 1];
    (void)snprintf(text, sizeof(text), "%.*s", HAFT__ARG(id));
    return w->count > 0 ? bsearch(text, w->entries, w->count, sizeof(*w->entries), compare_id)
                        : NULL;
}

static haft_status mark_named(migrate_command *w)
{
    haft_status status = HAFT_OK;
    size_t at = 0;
    for (const char *name;
         status == HAFT_OK && (name = haft__args_next(w->args, "run", &at)) != NULL;) {
        haft__store_request find = {
            .verb = HAFT__STORE_FIND, .name = haft__str(name), .arena = &w->m.arena};
        haft__arena_reset(&w->m.arena);
        status = haft__store_submit_and_wait(w->m.from, &find, w->err);
        entry *one = status == HAFT_OK ? find_entry(w, find.found[0].id) : NULL;
        if (one != NULL) {
            one->wanted = true;
        }
    }
    return status;
}

/* ---- what is told ---- */

static void report_run(migrate_command *w, const entry *one, const haft__migration_report *run)
{
    static const char *const words[] = {
        [HAFT__MIGRATION_COPIED] = "copied",
        [HAFT__MIGRATION_ALREADY_THERE] = "is there already, the same",
        [HAFT__MIGRATION_SKIPPED] = "left: it has not ended; --move takes it along",
    };
    FILE *to = w->cli->errors;
    if (haft__args_has(w->args, "quiet")) {
        return;
    }
    (void)fprintf(to, "%s %s%s", one->id,
                  w->m.dry_run && run->what == HAFT__MIGRATION_COPIED ? "to be " : "",
                  words[run->what]);
    if (run->what == HAFT__MIGRATION_COPIED) {
        (void)fprintf(to, ": %llu event%s, %zu artifact%s, %zu message%s",
                      (unsigned long long)run->events, run->events == 1 ? "" : "s", run->artifacts,
                      run->artifacts == 1 ? "" : "s", run->messages, run->messages == 1 ? "" : "s");
    }
    (void)fprintf(to, "%s\n", run->removed ? "; removed from the old store" : "");
}

static void note_failure(migrate_command *w, const char *id, const haft_error *error)
{
    FILE *to = w->cli->errors;
    w->failed++;
    (void)fprintf(to, "%s NOT copied: ", id);
    haft__print_escaped(to, haft__str(error->message));
    if (error->hint[0] != '\0') {
        (void)fputs(" (", to);
        haft__print_escaped(to, haft__str(error->hint));
        (void)fputc(')', to);
    }
    (void)fputc('\n', to);
    haft__json_begin_object(&w->writer);
    haft__field_string(&w->writer, "run", id);
    haft__field_string(&w->writer, "status", haft_status_name(error->status));
    haft__field_string(&w->writer, "message", error->message);
    haft__json_end_object(&w->writer);
}

static haft_status print_json(migrate_command *w)
{
    haft__buf text;
    haft__json_writer out;
    haft__json_end_array(&w->writer);
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&out, &text);
    haft__json_begin_object(&out);
    haft__field_number(&out, "copied", w->copied);
    haft__field_number(&out, "there", w->there);
    haft__field_number(&out, "open", w->open);
    haft__field_number(&out, "failed", w->failed);
    haft__json_key(&out, "move");
    haft__json_add_bool(&out, w->m.move);
    haft__json_key(&out, "dry_run");
    haft__json_add_bool(&out, w->m.dry_run);
    haft__json_end_object(&out);
    if (text.len > 0) {
        text.len--; /* the failures go in front of its end */
    }
    haft__buf_add_str(&text, HAFT__LIT(",\"failures\":"));
    haft__buf_add_str(&text, haft__buf_str(&w->failures));
    haft__buf_add_str(&text, HAFT__LIT("}\n"));
    haft_status status = haft__buf_check(&text, w->err);
    if (status == HAFT_OK) {
        haft__print_json(w->cli->out, haft__buf_str(&text));
        w->cli->answered = true;
    }
    haft__buf_finish(&text);
    return status;
}

static void print_summary(migrate_command *w)
{
    (void)fprintf(w->cli->errors, "%zu %s, %zu there already, %zu not ended, %zu failed\n",
                  w->copied, w->m.dry_run ? "to be copied" : "copied and compared", w->there,
                  w->open, w->failed);
}

/* ---- one after the other ---- */

static void migrate(migrate_command *w, entry *one)
{
    haft__migration_report run;
    haft_error failed = {0};
    one->done = true;
    if (haft__migration_run(&w->m, haft__str(one->id), &run, &failed) != HAFT_OK) {
        note_failure(w, one->id, &failed);
        return;
    }
    w->copied += run.what == HAFT__MIGRATION_COPIED;
    w->there += run.what == HAFT__MIGRATION_ALREADY_THERE;
    w->open += run.what == HAFT__MIGRATION_SKIPPED;
    report_run(w, one, &run);
}

static haft_status migrate_in_order(migrate_command *w, entry *one);

/* Those that were made before it in its thread: the past, then what is still open. */
static haft_status migrate_predecessors(migrate_command *w, const entry *one, haft__arena *arena)
{
    haft__store_request find = {
        .verb = HAFT__STORE_FIND, .name = haft__str(one->id), .arena = arena};
    haft_status status = haft__store_submit_and_wait(w->m.from, &find, w->err);
    if (status != HAFT_OK || find.found[0].thread.len == 0) {
        return status;
    }
    haft__store_request before[] = {
        {.verb = HAFT__STORE_THREAD_HISTORY,
         .thread = find.found[0].thread,
         .name = haft__str(one->id)},
        {.verb = HAFT__STORE_PREDECESSORS, .run.id = haft__str(one->id)}};
    for (size_t k = 0; status == HAFT_OK && k < COUNT(before); k++) {
        before[k].arena = arena;
        status = haft__store_submit_and_wait(w->m.from, &before[k], w->err);
        for (size_t i = 0; status == HAFT_OK && i < before[k].found_count; i++) {
            entry *other = find_entry(w, before[k].found[i].id);
            if (other != NULL && other->wanted && !other->done) {
                status = migrate_in_order(w, other);
            }
        }
    }
    return status;
}

static haft_status migrate_in_order(migrate_command *w, entry *one)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    one->done = true; /* a store that is damaged may say that runs are before each other */
    haft_error failed = {0};
    haft_status status = migrate_predecessors(w, one, &arena);
    haft__arena_finish(&arena);
    if (status != HAFT_OK) {
        failed = *w->err;
        *w->err = (haft_error){0};
        note_failure(w, one->id, &failed);
        return HAFT_OK;
    }
    migrate(w, one);
    return HAFT_OK;
}

static haft__exit_status migrate_all(migrate_command *w)
{
    haft_status status = list_all(w);
    if (status == HAFT_OK && w->named) {
        status = mark_named(w);
    }
    bool stopped = false;
    for (size_t i = 0; status == HAFT_OK && i < w->count && !stopped; i++) {
        if (w->entries[i].wanted && !w->entries[i].done) {
            status = migrate_in_order(w, &w->entries[i]);
        }
        stopped = haft__interrupts_pending(&w->interrupts);
    }
    if (status == HAFT_OK && haft__args_has(w->args, "json")) {
        status = print_json(w);
    } else if (status == HAFT_OK) {
        print_summary(w);
    }
    if (status == HAFT_OK && stopped) {
        (void)haft__fail(w->err, HAFT_BAD_STATE, "", "stopped by a signal; repeat it to go on");
        return HAFT__EXIT_CANCELLED;
    }
    bool left = w->named && w->open > 0;
    return status != HAFT_OK ? haft__session_exit_status(status)
                             : (w->failed > 0 || left ? HAFT__EXIT_FAILED : HAFT__EXIT_DONE);
}

/* ---- the command ---- */

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *from = haft__args_text(args, "from", NULL), *to = haft__args_text(args, "to", NULL);
    migrate_command w = {
        .cli = cli, .args = args, .named = haft__args_has(args, "run"), .err = err};
    if (from == NULL || to == NULL) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "", "wanted --from URL and --to URL");
        (void)haft__hint(err, status, "a URL is sqlite:PATH or postgres://...");
        return HAFT__EXIT_USAGE;
    }
    w.m.move = haft__args_has(args, "move");
    w.m.dry_run = haft__args_has(args, "dry-run");
    haft__buf_init(&w.failures, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w.writer, &w.failures);
    haft__json_begin_array(&w.writer);
    haft_status status = haft__migration_open(&w.m, from, to, err);
    haft__exit_status result = haft__session_exit_status(status);
    if (status == HAFT_OK) {
        result = HAFT__EXIT_FAILED;
        if (haft__interrupts_watch(&w.interrupts, w.m.loop, err) == HAFT_OK) {
            result = migrate_all(&w);
            haft__interrupts_release(&w.interrupts);
        }
    }
    haft__migration_close(&w.m);
    haft__buf_finish(&w.failures);
    free(w.entries);
    return result;
}

static const haft__option options[] = {
    {"from", 0, HAFT__OPTION_TEXT, "URL", "the store that has them"},
    {"to", 0, HAFT__OPTION_TEXT, "URL", "the store that gets them; made if it is not there"},
    {"run", 0, HAFT__OPTION_TEXT, "ID", "only this run; may be repeated"},
    {"move", 0, HAFT__OPTION_FLAG, NULL, "remove them from the old store; also those not ended"},
    {"dry-run", 0, HAFT__OPTION_FLAG, NULL, "read everything, write nothing"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print what came of it as one JSON object"},
    {"quiet", 'q', HAFT__OPTION_FLAG, NULL, "say nothing of runs that went well"},
    {0},
};

static const haft__example examples[] = {
    {"haft migrate --from sqlite:old.db --to sqlite:new.db --dry-run",
     "say what would be copied, and whether it can be read"},
    {"haft migrate --from sqlite:old.db --to sqlite:new.db --move", "and do so"},
    {0},
};

const haft__command haft__cmd_migrate = {
    .name = "migrate",
    .usage = "--from URL --to URL",
    .summary = "copy or move runs from one store into another",
    .help =
        "Copies events byte for byte, the newest artifact of each name, and what is known of each\n"
        "run, and reads it back to compare. A run that is there already and the same is passed\n"
        "over, one that differs is an error: what was interrupted can be repeated. A run that has\n"
        "not ended is only moved, with the messages that wait for it, and not while somebody goes\n"
        "on with it: were it in two stores, both would go on. It gets a later epoch, and nobody "
        "has\n"
        "it. A move that was cut off is brought to its end by repeating it, to the same store.\n"
        "With --dry-run a file that is not there is not made; tables in PostgreSQL are, when "
        "there\n"
        "are none. A password in a URL is seen by everybody who may list processes: leave it out,\n"
        "and put it into ~/.pgpass or the file that PGPASSFILE names.\n"
        "Exits 1 when a run could not be copied, or was named and has not ended.\n",
    .options = options,
    .examples = examples,
    .exits = "0 1 2 130",
    .max_words = 0,
    .run = run,
    .object = true,
};
