/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_runs.c - `haft runs`: looks at runs that were written down.
 *
 * A run is named by the file its events are in (`haft run --events > run.jsonl`). What has to be
 * folded or recomputed needs the spec too. Tests: tests/cli/run_test.py.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/log_file.h"
#include "cli/spec_file.h"
#include "io/clock.h"
#include "io/random.h"
#include "run/replay.h"
#include "run/result.h"

/* What the subcommands work with. */
typedef struct asked {
    haft__cli *cli;
    const haft__args *args;
    haft__hash_key hash_key;
    const char *path;
    haft_str lines;
    const haft__spec *spec; /* NULL unless --spec was given */
    haft_error *err;
} asked;

static haft__exit want_spec(const asked *a)
{
    if (a->spec != NULL) {
        return HAFT__EXIT_DONE;
    }
    haft_status status = haft__fail(a->err, HAFT_BAD_INPUT, "", "this needs the run's spec");
    (void)haft__hint(a->err, status, "add --spec SPEC");
    return HAFT__EXIT_USAGE;
}

static haft__exit failed(haft_status status)
{
    return status == HAFT_BAD_INPUT || status == HAFT_UNSUPPORTED ? HAFT__EXIT_USAGE
                                                                  : HAFT__EXIT_FAILED;
}

static haft__exit print(const asked *a, haft__buf *text)
{
    haft_status status = haft__buf_check(text, a->err);
    if (status == HAFT_OK) {
        (void)fwrite(text->ptr, 1, text->len, a->cli->out);
    }
    haft__buf_finish(text);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

/* One line: run, start, events, end, task. */
static haft__exit list(const asked *a)
{
    haft__event event, last;
    haft_status status =
        haft__log_ends(&a->cli->arena, a->path, a->lines, a->hash_key, &event, &last, a->err);
    if (status != HAFT_OK) {
        return failed(status);
    }
    char at[HAFT__TIME_SIZE];
    haft__time_format(event.at_ms, at);
    const haft__json *end = haft__event_field(&last, "end"),
                     *task = haft__event_field(&event, "task");
    haft_str ending = end != NULL ? haft__json_text(*end) : HAFT__LIT("open");
    haft_str about = task != NULL ? haft__json_text(*task) : HAFT__LIT("");
    (void)fprintf(a->cli->out, "%.*s  %s  %4llu events  %-10.*s  %.*s\n", HAFT__ARG(event.run), at,
                  (unsigned long long)last.seq, HAFT__ARG(ending), HAFT__ARG(about));
    return HAFT__EXIT_DONE;
}

static haft__exit show(const asked *a)
{
    haft__exit result = want_spec(a);
    haft__run run;
    if (result != HAFT__EXIT_DONE) {
        return result;
    }
    haft_status status = haft__log_fold(&a->cli->arena, a->spec, a->path, a->lines, UINT64_MAX,
                                        a->hash_key, &run, a->err);
    if (status != HAFT_OK) {
        return failed(status);
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__result_write(&text, &run);
    haft__buf_add_char(&text, '\n');
    return print(a, &text);
}

static haft__exit events(const asked *a)
{
    (void)fwrite(a->lines.ptr, 1, a->lines.len, a->cli->out);
    return HAFT__EXIT_DONE;
}

static haft__exit replay(const asked *a)
{
    haft__exit result = want_spec(a);
    haft__replay found;
    if (result != HAFT__EXIT_DONE) {
        return result;
    }
    haft__event first, last;
    haft_status status =
        haft__log_ends(&a->cli->arena, a->path, a->lines, a->hash_key, &first, &last, a->err);
    if (status != HAFT_OK) {
        return failed(status);
    }
    status = haft__replay_log(&a->cli->arena, a->spec, a->lines, a->hash_key, &found, a->err);
    if (status != HAFT_OK) {
        haft__error_at(a->err, a->path);
        return failed(status);
    }
    if (found.identical) {
        (void)fprintf(a->cli->out, "identical: %llu events, %llu decisions recomputed\n",
                      (unsigned long long)found.events, (unsigned long long)found.decisions);
        return HAFT__EXIT_DONE;
    }
    (void)fprintf(a->cli->out, "different at event %llu\n  recorded {%.*s\n  decided  {%.*s\n",
                  (unsigned long long)found.differs_at, (int)found.recorded.len, found.recorded.ptr,
                  (int)found.decided.len, found.decided.ptr);
    return HAFT__EXIT_FAILED;
}

/* Prints the events up to --at as a run of its own. A fork starts between two turns. */
static haft__exit fork_run(const asked *a)
{
    uint64_t at = haft__args_number(a->args, "at", UINT64_MAX);
    haft__exit result = want_spec(a);
    haft__run run;
    if (result != HAFT__EXIT_DONE) {
        return result;
    }
    haft_status status =
        haft__log_fold(&a->cli->arena, a->spec, a->path, a->lines, at, a->hash_key, &run, a->err);
    if (status == HAFT_OK && run.stage != HAFT__RUN_IDLE) {
        status = haft__fail(a->err, HAFT_BAD_INPUT, a->path,
                            "expected the end of a turn at event %llu, found one under way",
                            (unsigned long long)run.seq);
        (void)haft__hint(a->err, status, "--at takes the last event before a turn_started");
    }
    uint8_t random[10];
    if (status == HAFT_OK && !haft__random_bytes(random, sizeof(random))) {
        status = haft__fail(a->err, HAFT_IO, "", "the system has no randomness for an id");
    }
    if (status != HAFT_OK) {
        return failed(status);
    }
    char id[HAFT__ID_LENGTH + 1];
    haft__id_make(haft__clock_now(), random, id);
    haft__buf text, body;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_str lines = a->lines;
    for (uint64_t seq = 0; seq < run.seq && status == HAFT_OK;) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        if (haft__str_trim(line).len > 0) {
            status = haft__event_read(&a->cli->arena, line, a->hash_key, &event, a->err);
            haft__buf_clear(&body);
            haft__event_body(&body, &event);
            haft__event_write(&text, ++seq, event.at_ms, haft__str(id), haft__buf_str(&body));
            haft__buf_add_char(&text, '\n');
        }
    }
    haft__buf_finish(&body);
    return print(a, &text);
}

static const struct {
    const char *name;
    haft__exit (*run)(const asked *a);
} subcommands[] = {
    {"list", list}, {"show", show}, {"events", events}, {"replay", replay}, {"fork", fork_run},
};

static haft__exit run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    for (size_t i = 0; i < COUNT(subcommands); i++) {
        if (strcmp(subcommands[i].name, args->words[0]) != 0) {
            continue;
        }
        asked a = {.cli = cli,
                   .args = args,
                   .hash_key = haft__random_hash_key(),
                   .path = args->words[1],
                   .err = err};
        const char *spec = haft__args_text(args, "spec", NULL);
        haft_status status = HAFT_OK;
        if (spec != NULL) {
            haft__spec_file file;
            status = haft__spec_file_read(cli, spec, args, &file, err);
            if (status != HAFT_OK || !haft__spec_file_usable(&file, cli)) {
                return HAFT__EXIT_USAGE;
            }
            a.spec = file.spec;
        }
        if (status == HAFT_OK) {
            status = haft__log_read(&cli->arena, a.path, cli->errors, &a.lines, err);
        }
        return status == HAFT_OK ? subcommands[i].run(&a) : HAFT__EXIT_USAGE;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                    "expected list, show, events, replay "
                                    "or fork, found '%s'",
                                    args->words[0]);
    (void)haft__hint(err, status, "'haft help runs' says more");
    return HAFT__EXIT_USAGE;
}

static const haft__option options[] = {
    {"spec", 0, HAFT__OPTION_TEXT, "SPEC", "the spec of the run: for show, replay and fork"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "as it was given to the run"},
    {"model", 'm', HAFT__OPTION_TEXT, "M", "as it was given to the run"},
    {"at", 0, HAFT__OPTION_NUMBER, "SEQ", "fork: the last event that is taken over"},
    {0},
};

const haft__command haft__cmd_runs = {
    .name = "runs",
    .usage = "list|show|events|replay|fork FILE",
    .summary = "look at a run that was written down",
    .help = "FILE has the events of a run, as `haft run --events` prints them.\n\n"
            "  list    one line about it\n"
            "  show    its result, as `haft run --json` prints it\n"
            "  events  its events\n"
            "  replay  recompute every decision from the inputs and compare byte for byte\n"
            "  fork    print its events up to --at, as the beginning of a run of its own\n",
    .options = options,
    .min_words = 2,
    .max_words = 2,
    .run = run,
};
