/* SPDX-License-Identifier: Apache-2.0 */
/* worker.c - `haft worker`: continues runs of a store. Tests: tests/cli/worker_test.py. */
#include "engine/worker/worker.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/follow/spec_choice.h"
#include "cli/interrupts.h"
#include "cli/terminal/print.h"
#include "engine/telemetry/metrics_server.h"
#include "run/event_body.h"
#include "json/object.h"
#include "json/write.h"

enum { CONCURRENCY = 8, POLL_MS = 500 };

typedef struct worker_command {
    haft__cli *cli;
    const haft__args *args;
    haft__interrupts interrupts;
    haft__worker *work;
    bool json, quiet, stopped, forced_stop;
    size_t skipped;    /* runs that cannot continue here */
    size_t unreleased; /* runs that could not be released */
    haft_error *err;
} worker_command;

/* ---- output ---- */

static void report_json(worker_command *w, const haft__worker_event *worker_event)
{
    haft__buf text;
    haft__json_writer writer;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&writer, &text);
    haft__json_begin_object(&writer);
    haft__field_string(&writer, "what", haft__worker_event_name(worker_event->kind));
    haft__field_string(&writer, "run", worker_event->run);
    haft__field_text(&writer, "name", worker_event->name);
    haft__field_string(&writer, "end", worker_event->end);
    haft__field_number(&writer, "turns", worker_event->turns);
    haft__field_number(&writer, "retry_ms", worker_event->retry_ms);
    if (worker_event->error != NULL) {
        haft__field_error(&writer, worker_event->error);
    }
    haft__json_end_object(&writer);
    (void)!haft__print_json_line(w->cli->out, &text, NULL);
    haft__buf_finish(&text);
}

static void print_error(FILE *out, const haft_error *error)
{
    (void)fputs(": ", out);
    if (error->where[0] != '\0') {
        haft__print_escaped(out, haft__str(error->where));
        (void)fputs(": ", out);
    }
    haft__print_escaped(out, haft__str(error->message));
    if (error->hint[0] != '\0') {
        (void)fputs(" (", out);
        haft__print_escaped(out, haft__str(error->hint));
        (void)fputc(')', out);
    }
}

static void report_line(worker_command *w, const haft__worker_event *worker_event)
{
    FILE *out = w->cli->errors;
    (void)fprintf(out, "%s%s%s", worker_event->run, worker_event->run[0] != '\0' ? " " : "",
                  haft__worker_event_name(worker_event->kind));
    if (worker_event->end[0] != '\0') {
        (void)fprintf(out, " %s, %u turn%s", worker_event->end, worker_event->turns,
                      worker_event->turns == 1 ? "" : "s");
    }
    if (worker_event->error != NULL) {
        print_error(out, worker_event->error);
    }
    if (worker_event->retry_ms > 0 && worker_event->kind != HAFT__WORKER_LEASE_LOST) {
        (void)fprintf(out, "; retried here in %llu s",
                      (unsigned long long)(worker_event->retry_ms + 999) / 1000);
    }
    if (worker_event->kind == HAFT__WORKER_RELEASE_UNCONFIRMED) {
        (void)fputs(": the store does not answer; the run is free when its lease expires", out);
    }
    (void)fputc('\n', out);
    (void)fflush(out);
}

static void notify(void *context, const haft__worker_event *worker_event)
{
    worker_command *w = context;
    w->skipped += worker_event->kind == HAFT__WORKER_SKIPPED;
    w->unreleased += worker_event->kind == HAFT__WORKER_RELEASE_UNCONFIRMED;
    bool wrong = worker_event->kind == HAFT__WORKER_SKIPPED
                 || worker_event->kind == HAFT__WORKER_RELEASE_UNCONFIRMED
                 || worker_event->kind == HAFT__WORKER_ERROR;
    if (w->json) {
        report_json(w, worker_event);
    } else if (!w->quiet || wrong) {
        report_line(w, worker_event);
    }
}

/* ---- signals ---- */

/* The first signal stops gracefully, the second immediately. */
static void handle_signals(worker_command *w)
{
    unsigned signals = w->interrupts.sigint_count + w->interrupts.sigterm_count;
    if (signals > 0 && !w->stopped) {
        w->stopped = true;
        if (!w->json && !w->quiet) {
            (void)fputs("stopping after calls with effects; a second signal stops immediately\n",
                        w->cli->errors);
        }
        haft__worker_stop(w->work, false);
    }
    if (signals > 1 && !w->forced_stop) {
        w->forced_stop = true;
        haft__worker_stop(w->work, true);
    }
}

static haft__exit_status run_until_stopped(worker_command *w)
{
    bool until_idle = haft__args_has(w->args, "until-idle");
    haft_status status = HAFT_OK;
    bool stuck = false;
    while (status == HAFT_OK && !stuck && !haft__worker_is_stopped(w->work)
           && !(until_idle && haft__worker_is_idle(w->work))) {
        status = haft__worker_step(w->work, w->err);
        handle_signals(w);
        stuck = until_idle && haft__worker_store_unreachable(w->work);
    }
    if (status != HAFT_OK || stuck || w->unreleased > 0) {
        return HAFT__EXIT_FAILED;
    }
    return until_idle && !w->stopped && w->skipped > 0 ? HAFT__EXIT_FAILED : HAFT__EXIT_DONE;
}

/* ---- the command ---- */

static haft__exit_status work(worker_command *w, haft_runtime *runtime)
{
    haft__worker_options options = {
        .concurrency = (size_t)haft__args_number(w->args, "concurrency", CONCURRENCY),
        .poll_ms = haft__args_number(w->args, "poll", POLL_MS),
        .notify = notify,
        .context = w};
    haft__exit_status result = HAFT__EXIT_FAILED;
    haft_status status = haft__worker_create(runtime, &options, &w->work, w->err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    if (haft__interrupts_watch(&w->interrupts, runtime->loop, w->err) == HAFT_OK) {
        result = run_until_stopped(w);
        haft__interrupts_release(&w->interrupts);
    }
    haft__worker_destroy(w->work);
    return result;
}

/* Serves /metrics if --metrics names an address. */
static haft_status start_metrics(const worker_command *w, haft_runtime *runtime,
                                 haft__metrics_server **ret_server)
{
    const char *address = haft__args_text(w->args, "metrics", NULL);
    *ret_server = NULL;
    if (address == NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__session_start_metrics(w->cli, runtime, w->err);
    if (status == HAFT_OK) {
        status = haft__metrics_server_start(runtime, address, ret_server, w->err);
    }
    if (status != HAFT_OK) {
        haft__error_prepend_location(w->err, "--metrics");
        return status;
    }
    (void)fprintf(w->cli->errors, "metrics at http://%.*s/metrics\n",
                  HAFT__ARG(haft__metrics_server_address(*ret_server)));
    (void)fflush(w->cli->errors);
    return HAFT_OK;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    worker_command w = {.cli = cli,
                        .args = args,
                        .json = haft__args_has(args, "json"),
                        .quiet = haft__args_has(args, "quiet"),
                        .err = err};
    haft_runtime *runtime = NULL;
    haft_status status = haft__session_open(cli, args, &runtime, err);
    if (status != HAFT_OK) {
        return haft__session_exit_status(status);
    }
    haft__spec_choice choice;
    haft__metrics_server *metrics = NULL;
    haft__exit_status result = HAFT__EXIT_USAGE;
    if (haft__spec_choice_watch(&choice, cli, args, runtime, err) == HAFT_OK) {
        status = start_metrics(&w, runtime, &metrics);
        result = status == HAFT_OK ? work(&w, runtime) : haft__session_exit_status(status);
    }
    haft__metrics_server_stop(metrics);
    haft__spec_choice_finish(&choice);
    haft_runtime_destroy(runtime);
    return result;
}

static const haft__option options[] = {
    HAFT__OPTION_STORE,
    {"concurrency", 'n', HAFT__OPTION_NUMBER, "N",
     "number of runs at once, up to 1000; by default 8"},
    {"poll", 0, HAFT__OPTION_NUMBER, "MS", "poll interval in milliseconds; by default 500"},
    {"metrics", 0, HAFT__OPTION_TEXT, "ADDR:PORT",
     "serve metrics for Prometheus at http://ADDR:PORT/metrics"},
    {"until-idle", 0, HAFT__OPTION_FLAG, NULL, "end when no run is left to continue"},
    HAFT__OPTIONS_SPEC_CHOICE,
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object a line on standard output"},
    {"quiet", 'q', HAFT__OPTION_FLAG, NULL, "print only errors"},
    {0},
};

static const haft__example examples[] = {
    {"haft worker --store sqlite:runs.db --until-idle", "work on all runs of the store, then end"},
    {0},
};

const haft__command haft__cmd_worker = {
    .name = "worker",
    .usage = "",
    .summary = "claim runs from the store and work on them",
    .help =
        "Claims runs from the store and works on several at once: runs of `haft run --detach`,\n"
        "runs whose process is gone or was stopped, runs whose deadline has passed, and runs\n"
        "that were answered. Any number of workers may share a store. A run that waits for\n"
        "people is released and takes no memory. A run that cannot continue here (a variable or\n"
        "a key is missing, its spec file has changed) is left for other workers and tried again\n"
        "later.\n\n"
        "SIGTERM and SIGINT wait for calls with effects, release all runs and exit with 0; a\n"
        "second signal does so immediately. If the store does not answer then, the worker waits 5\n"
        "seconds, after a second signal half a second. It reports runs that it could not\n"
        "release, which are free when their leases expire, and exits with 1.\n\n"
        "With --until-idle the exit status is 1 when a run could not continue, or when the\n"
        "store did not answer three times in a row; without it the worker waits for the store.\n"
        "The worker exits with 1 when a later version of haft has changed the tables of the\n"
        "store.\n",
    .options = options,
    .examples = examples,
    .max_words = 0,
    .object = true,
    .run = run,
};
