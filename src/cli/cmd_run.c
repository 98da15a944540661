/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_run.c - `haft run`: one run from its start to its end, or until it waits for somebody.
 *
 * The answer goes to standard output, what happens on the way to standard error; with --events only
 * events, with --json only the result. Tests: tests/cli/run_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/script_file.h"
#include "cli/spec_file.h"
#include "cli/timeline.h"
#include "engine/drive.h"
#include "io/clock.h"
#include "io/random.h"
#include "run/result.h"

typedef struct shown {
    FILE *out;
    bool events;          /* print each event */
    haft__timeline *told; /* or tell what happens; NULL: neither */
} shown;

static bool show_event(void *context, haft_str line)
{
    const shown *s = context;
    if (s->events) {
        bool good = fwrite(line.ptr, 1, line.len, s->out) == line.len && putc('\n', s->out) != EOF;
        return good && fflush(s->out) == 0;
    }
    if (s->told != NULL) {
        haft__timeline_tell(s->told, line);
    }
    return true;
}

static uint64_t clock_now(void *context)
{
    (void)context;
    return haft__clock_now();
}

static void clock_sleep(void *context, uint64_t ms)
{
    (void)context;
    haft__clock_sleep(ms);
}

static haft_status make_id(char id[HAFT__ID_LENGTH + 1], haft_error *err)
{
    uint8_t random[10];
    if (!haft__random_bytes(random, sizeof(random))) {
        return haft__fail(err, HAFT_IO, "", "the system has no randomness for an id");
    }
    haft__id_make(haft__clock_now(), random, id);
    return HAFT_OK;
}

static haft__exit exit_of(const haft__run *run)
{
    if (run->stage != HAFT__RUN_ENDED) {
        return HAFT__EXIT_WAITING;
    }
    switch (run->end) {
    case HAFT__END_DONE:
    case HAFT__END_DIRECT: return HAFT__EXIT_DONE;
    case HAFT__END_EXHAUSTED:
    case HAFT__END_INCOMPLETE: return HAFT__EXIT_EXHAUSTED;
    case HAFT__END_REFUSED: return HAFT__EXIT_REFUSED;
    case HAFT__END_VIOLATED: return HAFT__EXIT_VIOLATED;
    case HAFT__END_FAILED: return HAFT__EXIT_FAILED;
    case HAFT__END_CANCELLED: return HAFT__EXIT_CANCELLED;
    case HAFT__END_EXPIRED: return HAFT__EXIT_EXPIRED;
    }
    HAFT__UNREACHABLE();
}

static haft_status print_result(const haft__cli *cli, const haft__args *args, const haft__run *run,
                                haft_error *err)
{
    if (haft__args_has(args, "events")) {
        return HAFT_OK;
    }
    if (!haft__args_has(args, "json")) {
        (void)fwrite(run->answer.ptr, 1, run->answer.len, cli->out);
        (void)fputs(run->answer.len > 0 ? "\n" : "", cli->out);
        return HAFT_OK;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__result_write(&text, run);
    haft__buf_add_char(&text, '\n');
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        (void)fwrite(text.ptr, 1, text.len, cli->out);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status drive(const haft__cli *cli, const haft__args *args, haft__drive *driver,
                         haft_str thread, haft_error *err)
{
    char id[HAFT__ID_LENGTH + 1], own[HAFT__ID_LENGTH + 1];
    haft_status status = make_id(id, err);
    if (status == HAFT_OK && thread.len == 0) {
        status = make_id(own, err);
        thread = (haft_str){own, HAFT__ID_LENGTH};
    }
    haft_str task = haft__str(args->word_count > 1 ? args->words[1] : "");
    if (status == HAFT_OK) {
        status = haft__drive_start(driver, (haft_str){id, HAFT__ID_LENGTH}, thread, task, err);
    }
    if (status == HAFT_OK) {
        status = haft__drive_on(driver, err);
    }
    return status == HAFT_OK ? print_result(cli, args, &driver->run, err) : status;
}

static haft__exit run_spec(haft__cli *cli, const haft__args *args, const haft__spec *spec,
                           haft__hash_key hash_key, haft_error *err)
{
    haft__script script;
    haft_status status = haft__script_file_load(&cli->arena, spec, hash_key, &script, err);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    haft__timeline timeline;
    haft__timeline_init(&timeline, cli->errors, spec);
    bool events = haft__args_has(args, "events");
    bool silent = events || haft__args_has(args, "quiet") || haft__args_has(args, "json");
    shown s = {cli->out, events, silent ? NULL : &timeline};
    haft__drive_options options = {.script = &script,
                                   .sink = show_event,
                                   .sink_context = &s,
                                   .clock = clock_now,
                                   .wait = clock_sleep,
                                   .hash_key = hash_key};
    haft__drive driver;
    status = haft__drive_init(&driver, &cli->arena, spec, &options, err);
    if (status == HAFT_OK) {
        status = drive(cli, args, &driver, haft__str(haft__args_text(args, "thread", "")), err);
    }
    haft__exit result = status == HAFT_OK ? exit_of(&driver.run) : HAFT__EXIT_FAILED;
    haft__drive_finish(&driver);
    haft__timeline_finish(&timeline);
    return result;
}

static haft__exit run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    if (haft__args_has(args, "events") && haft__args_has(args, "json")) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "", "--events and --json exclude each other");
        return HAFT__EXIT_USAGE;
    }
    haft_str thread = haft__str(haft__args_text(args, "thread", ""));
    if (haft__args_has(args, "thread") && !haft__id_valid(thread)) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "--thread",
                         "expected an id of %d lower-case letters and digits, found \"%.*s\"",
                         HAFT__ID_LENGTH, HAFT__ARG(thread));
        return HAFT__EXIT_USAGE;
    }
    haft__hash_key hash_key = haft__random_hash_key();
    haft__spec_file file;
    haft_status status = haft__spec_file_read(cli, args->words[0], args, &file, err);
    if (status != HAFT_OK || !haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    const haft__spec *spec = file.spec;
    haft_str provider = spec->model.provider;
    if (!haft__str_equal(provider, HAFT__LIT("script"))
        && !haft__str_equal(provider, HAFT__LIT("replay"))) {
        status =
            haft__fail(err, HAFT_UNSUPPORTED, "model",
                       "expected script:FILE or replay:FILE, found \"%.*s\"", HAFT__ARG(provider));
        (void)haft__hint(err, status, "--model script:FILE plays a script");
        return HAFT__EXIT_USAGE;
    }
    return run_spec(cli, args, spec, hash_key, err);
}

static const haft__option options[] = {
    {"model", 'm', HAFT__OPTION_TEXT, "M", "provider:model in the place of the spec's"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    {"thread", 0, HAFT__OPTION_TEXT, "ID", "the thread the run belongs to"},
    {"store", 0, HAFT__OPTION_CHOICE, "memory:", "where events are kept: in memory, so far"},
    {"events", 0, HAFT__OPTION_FLAG, NULL, "print each event, one JSON object a line"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print the result as one JSON object"},
    {"quiet", 'q', HAFT__OPTION_FLAG, NULL, "print the answer only"},
    {0},
};

const haft__command haft__cmd_run = {
    .name = "run",
    .usage = "SPEC [TASK]",
    .summary = "run an agent",
    .help = "Runs the agent that SPEC (YAML or JSON) describes until it ends or waits for\n"
            "somebody. The answer goes to standard output, what happens on the way to standard\n"
            "error. Models so far: script:FILE, which plays replies from a file, and replay:FILE,\n"
            "which plays those of a run that `haft run --events` has written down.\n",
    .options = options,
    .min_words = 1,
    .max_words = 2,
    .run = run,
};
