/* SPDX-License-Identifier: Apache-2.0 */
/* migrate.c - `haft migrate`: copies runs from one store into another, and prints the outcome of
 * each. Tests: tests/cli/migrate_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/interrupts.h"
#include "cli/session.h"
#include "cli/terminal/print.h"
#include "engine/ops/migrate_runs.h"
#include "json/object.h"

typedef struct migrate_command {
    haft__cli *cli;
    const haft__args *args;
    haft__migration m;
    haft__interrupts interrupts;
    haft__migrate_totals totals;
    haft__buf failures;
    haft__json_writer writer; /* for `failures` */
    haft_error *err;
} migrate_command;

/* ---- output ---- */

static void report_run(void *context, const char *id, const haft__migration_report *run)
{
    migrate_command *w = context;
    static const char *const words[] = {
        [HAFT__MIGRATION_COPIED] = "copied",
        [HAFT__MIGRATION_ALREADY_THERE] = "already copied",
        [HAFT__MIGRATION_SKIPPED] = "skipped: it has not ended; --move moves it too",
    };
    FILE *to = w->cli->errors;
    if (haft__args_has(w->args, "quiet")) {
        return;
    }
    (void)fprintf(to, "%s %s%s", id,
                  w->m.dry_run && run->outcome == HAFT__MIGRATION_COPIED ? "to be " : "",
                  words[run->outcome]);
    if (run->outcome == HAFT__MIGRATION_COPIED) {
        (void)fprintf(to, ": %llu event%s, %zu artifact%s, %zu message%s",
                      (unsigned long long)run->events, run->events == 1 ? "" : "s", run->artifacts,
                      run->artifacts == 1 ? "" : "s", run->messages, run->messages == 1 ? "" : "s");
    }
    (void)fprintf(to, "%s\n", run->removed ? "; removed from the old store" : "");
}

/* Returns the hint for a run that was not copied; "" if no hint exists. */
static const char *hint_of(const migrate_command *w, const haft_error *error)
{
    switch (w->m.problem) {
    case HAFT__MIGRATION_OTHER_PROBLEM: return error->hint;
    case HAFT__MIGRATION_MESSAGES_TOO_BIG:
        return "run `haft resume`, which delivers the messages, and migrate again";
    case HAFT__MIGRATION_RUNS_DIFFER:
        return "one of the two runs continued after the copy; compare them with `haft runs show`";
    }
    HAFT__UNREACHABLE();
}

static void report_failure(void *context, const char *id, const haft_error *error)
{
    migrate_command *w = context;
    const char *hint = hint_of(w, error);
    FILE *to = w->cli->errors;
    (void)fprintf(to, "%s NOT copied: ", id);
    haft__print_escaped(to, haft__str(error->message));
    if (hint[0] != '\0') {
        (void)fputs(" (", to);
        haft__print_escaped(to, haft__str(hint));
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
    haft__field_number(&out, "copied", w->totals.copied);
    haft__field_number(&out, "there", w->totals.already_there);
    haft__field_number(&out, "open", w->totals.skipped);
    haft__field_number(&out, "failed", w->totals.failed);
    haft__field_flag(&out, "move", w->m.move);
    haft__field_flag(&out, "dry_run", w->m.dry_run);
    haft__json_end_object(&out);
    if (text.len > 0) {
        text.len--; /* insert the failures before the closing bracket */
    }
    haft__buf_add_str(&text, HAFT__LIT(",\"failures\":"));
    haft__buf_add_str(&text, haft__buf_str(&w->failures));
    haft__buf_add_char(&text, '}');
    haft_status status = haft__print_json_line(w->cli->out, &text, w->err);
    if (status == HAFT_OK) {
        w->cli->answered = true;
    }
    haft__buf_finish(&text);
    return status;
}

static void print_summary(migrate_command *w)
{
    (void)fprintf(w->cli->errors, "%zu %s, %zu already copied, %zu not ended, %zu failed\n",
                  w->totals.copied, w->m.dry_run ? "to be copied" : "copied and compared",
                  w->totals.already_there, w->totals.skipped, w->totals.failed);
}

/* ---- the command ---- */

static bool is_interrupted(void *context)
{
    return haft__interrupts_pending(&((migrate_command *)context)->interrupts);
}

/* The ids of --run; NULL if it was not given. */
static haft_status read_names(migrate_command *w, haft__migrate_runs_options *options)
{
    size_t at = 0;
    if (!haft__args_has(w->args, "run")) {
        return HAFT_OK;
    }
    const char **names = haft__arena_array(&w->cli->arena, w->args->given_count, sizeof(*names));
    if (names == NULL) {
        return haft__arena_fail(&w->cli->arena, w->err);
    }
    for (const char *name; (name = haft__args_next(w->args, "run", &at)) != NULL;) {
        names[options->name_count++] = name;
    }
    options->names = names;
    return HAFT_OK;
}

static haft__exit_status migrate(migrate_command *w)
{
    haft__migrate_runs_options options = {
        .on_run = report_run, .on_failure = report_failure, .stop = is_interrupted, .context = w};
    haft_status status = read_names(w, &options);
    if (status == HAFT_OK) {
        status = haft__migrate_runs(&w->m, &options, &w->totals, w->err);
    }
    if (status == HAFT_OK && haft__args_has(w->args, "json")) {
        status = print_json(w);
    } else if (status == HAFT_OK) {
        print_summary(w);
    }
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (w->totals.stopped) {
        (void)haft__fail(w->err, HAFT_BAD_STATE, "",
                         "stopped by a signal; repeat the command to continue");
        return HAFT__EXIT_CANCELLED;
    }
    bool left = options.names != NULL && w->totals.skipped > 0;
    return w->totals.failed > 0 || left ? HAFT__EXIT_FAILED : HAFT__EXIT_DONE;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const char *from = haft__args_text(args, "from", NULL), *to = haft__args_text(args, "to", NULL);
    migrate_command w = {.cli = cli, .args = args, .err = err};
    if (from == NULL || to == NULL) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "", "expected --from URL and --to URL");
        (void)haft__hint(err, status, "a URL is " HAFT__STORE_SHARED_URLS);
        return HAFT__EXIT_USAGE;
    }
    w.m.move = haft__args_has(args, "move");
    w.m.dry_run = haft__args_has(args, "dry-run");
    haft__buf_init(&w.failures, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w.writer, &w.failures);
    haft__json_begin_array(&w.writer);
    haft_status status = haft__migration_open(&w.m, from, to, err);
    haft__exit_status result = haft__session_exit_status(status);
    if (w.m.same_store) {
        haft__error_prepend_location(err, "--to");
    }
    if (status == HAFT_OK) {
        result = HAFT__EXIT_FAILED;
        if (haft__interrupts_watch(&w.interrupts, w.m.loop, err) == HAFT_OK) {
            result = migrate(&w);
            haft__interrupts_release(&w.interrupts);
        }
    }
    haft__migration_close(&w.m);
    haft__buf_finish(&w.failures);
    return result;
}

static const haft__option options[] = {
    {"from", 0, HAFT__OPTION_TEXT, "URL", "the store to copy from"},
    {"to", 0, HAFT__OPTION_TEXT, "URL", "the store to copy to; created if it does not exist"},
    {"run", 0, HAFT__OPTION_TEXT, "ID",
     "only this run and its tree of child runs; may be repeated"},
    {"move", 0, HAFT__OPTION_FLAG, NULL,
     "remove copied runs from the old store; also move open runs"},
    {"dry-run", 0, HAFT__OPTION_FLAG, NULL, "read everything, write nothing"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print the result as one JSON object"},
    {"quiet", 'q', HAFT__OPTION_FLAG, NULL, "report only failures"},
    {0},
};

static const haft__example examples[] = {
    {"haft migrate --from sqlite:old.db --to sqlite:new.db --dry-run",
     "read everything, and print what would be copied"},
    {"haft migrate --from sqlite:old.db --to sqlite:new.db --move", "move all runs"},
    {0},
};

const haft__command haft__cmd_migrate = {
    .name = "migrate",
    .usage = "--from URL --to URL",
    .summary = "copy or move runs from one store into another",
    .help =
        "Copies the events of each run byte for byte, the newest artifact of each name, and its\n"
        "row in the store, then reads the copy back and compares it. A run that is already in\n"
        "the new store is skipped if it is the same, and is an error if it differs; so an\n"
        "interrupted command can be repeated. A run that has not ended can only be moved,\n"
        "together with its undelivered messages, and only while no process owns it: in two\n"
        "stores it would continue twice. The moved run has a new epoch and no owner. Repeat an\n"
        "interrupted move to the same store to complete it. --dry-run creates no file, but\n"
        "creates missing tables in PostgreSQL.\n\n"
        "A password in a URL is visible in the list of processes. Put it into ~/.pgpass or the\n"
        "file that PGPASSFILE names instead. The exit status is 1 when a run could not be\n"
        "copied, or was named with --run and has not ended.\n",
    .options = options,
    .examples = examples,
    .exits = "0 1 2 130",
    .max_words = 0,
    .run = run,
    .object = true,
};
