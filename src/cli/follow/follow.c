/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - the main loop of a command that follows a run.
 *
 * The answer goes to standard output, progress to standard error; with --events only events, with
 * --json only the result. An interrupt stops the run here; it can be resumed. Tests:
 * tests/cli/run_test.py.
 */
#include "cli/follow/follow.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/follow/artifacts.h"
#include "cli/follow/auto_approve.h"
#include "cli/follow/follow_agents.h"
#include "cli/follow/follow_children.h"
#include "cli/follow/follow_int.h"
#include "cli/follow/run_result.h"
#include "cli/interrupts.h"
#include "cli/terminal/pending.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/waiting_calls.h"
#include "cli/timeline/timeline.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/telemetry/telemetry.h"
#include "run/host.h"

typedef struct follower {
    haft__cli *cli;
    const haft__args *args;
    haft_run *run;
    haft__timeline timeline;
    haft__follow_children children; /* the timelines of the runs below `run` */
    haft__follow_agents agents;     /* the tree of runs at the end of a live terminal */
    bool tree_only;                 /* shows only the tree and no timelines */
    bool events, json, reports;
    bool chat;                           /* the chat prints how to continue */
    const haft__follow_printer *printer; /* prints the result; NULL: print it like `haft run` */
    bool shows_progress;                 /* progress events are shown */
    haft__interrupts interrupts;
    bool pausing, cancelling;          /* because of an interrupt */
    haft__terminal *terminal;          /* NULL: no person can be asked */
    uint64_t reported_questions;       /* open_questions_key of the reported questions */
    haft__follow_reported_queue queue; /* the reported run ahead in the thread */
    uint64_t waiting_reported_at;      /* the last event when waiting calls were reported */
    haft_error *err;
} follower;

haft_status haft__follow_check_options(haft__cli *cli, const haft__args *args, haft_error *err)
{
    if (haft__args_has(args, "events") && haft__args_has(args, "json")) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--events and --json cannot be combined");
    }
    if (haft__args_has(args, "quiet") && haft__args_has(args, "verbose")) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "--quiet and --verbose cannot be combined");
    }
    return haft__artifacts_create_directory(
        haft__config_get(cli, args, HAFT__SETTING_artifacts).value, err);
}

/* ---- progress ---- */

/* Whether a live terminal shows the tree of agents below all lines: while child runs are open. */
static bool shows_tree(const follower *f)
{
    return f->shows_progress
           && (f->tree_only || (f->run->state.open_children > 0 && f->agents.count > 1));
}

static void write_timeline(follower *f)
{
    haft__buf *out = &f->timeline.out;
    if (!f->tree_only && (out->len > 0 || !shows_tree(f))) {
        haft__follow_agents_erase(&f->agents);
    }
    if (out->len > 0) {
        (void)fwrite(out->ptr, 1, out->len, f->cli->errors);
    }
    (void)fflush(f->cli->errors);
    haft__buf_clear(out);
}

/* Call before other output. */
static void end_line(follower *f)
{
    haft__timeline_end_line(&f->timeline);
    write_timeline(f);
    if (f->tree_only) {
        haft__follow_agents_leave(&f->agents);
    } else {
        haft__follow_agents_erase(&f->agents);
        (void)fflush(f->cli->errors);
    }
}

static void show_child(void *context, haft_run *child)
{
    follower *f = context;
    haft_event event;
    if (!f->tree_only) {
        haft__follow_children_show(&f->children, child);
    }
    while (child->agent != NULL && f->tree_only && haft_run_next_event(child, &event)) {
    }
    child->log.reader.attached = false; /* no streamed text: the texts of several runs would mix */
    if (f->shows_progress) {
        haft__follow_agents_update(&f->agents, child);
    }
}

static void show_tree(follower *f)
{
    if (f->shows_progress) {
        haft__follow_agents_update(&f->agents, f->run);
    }
    bool shows = shows_tree(f);
    if (shows && !f->timeline.lines_only) {
        haft__timeline_end_line(&f->timeline);
    }
    f->timeline.lines_only = shows;
    write_timeline(f);
    if (shows) {
        haft__follow_agents_draw(&f->agents);
    }
}

/* At the end of the run leaves its tree below its lines. */
static void leave_tree(follower *f)
{
    if (f->shows_progress && !f->tree_only && !f->chat && f->agents.count > 1) {
        end_line(f);
        haft__follow_agents_draw(&f->agents);
        haft__follow_agents_leave(&f->agents);
    }
}

static haft_status show_events(follower *f)
{
    haft_event event;
    haft_status status = HAFT_OK;
    if (f->shows_progress) {
        f->timeline.caps.width = haft__terminal_caps_width(f->cli->errors);
    }
    while (status == HAFT_OK && haft_run_next_event(f->run, &event)) {
        if (f->events && event.seq > 0) {
            status = haft__follow_print_event(f->cli, event.json, f->err);
        } else if (f->reports && !f->tree_only) {
            haft__timeline_add_event(&f->timeline, event.json);
        }
    }
    f->run->log.reader.attached = f->shows_progress;
    if (f->reports) {
        haft__child_pool_observe(f->run);
    }
    show_tree(f);
    return status;
}

/* Reports calls that wait for others, because the timeline does not show them. */
static void report_waiting_calls(follower *f)
{
    if (f->reports && !f->tree_only
        && haft__waiting_calls_due_ms(f->run, f->waiting_reported_at) == 0) {
        f->waiting_reported_at = f->run->state.seq;
        haft__timeline_end_line(&f->timeline);
        haft__waiting_calls_add(&f->timeline.out, &f->run->state);
        write_timeline(f);
    }
}

static haft_status step(follower *f)
{
    int wait = haft__timeline_next_tick_ms(&f->timeline);
    int waiting_due = f->reports ? haft__waiting_calls_due_ms(f->run, f->waiting_reported_at) : -1;
    wait = waiting_due >= 0 && (wait < 0 || waiting_due < wait) ? waiting_due : wait;
    haft_status status = haft_runtime_step(f->run->runtime, wait, f->err);
    if (f->shows_progress) {
        haft__timeline_tick(&f->timeline, haft__runtime_now(f->run->runtime));
    }
    if (status == HAFT_OK) {
        status = show_events(f);
    }
    if (status == HAFT_OK) {
        report_waiting_calls(f);
    }
    return status;
}

/* ---- questions ---- */

/* Asks the person about the calls of one run: the followed run or a run below it. */
static haft_status ask_about(follower *f, haft_run *run, bool *ret_continues)
{
    if (run != f->run) {
        haft__pending_print_agent(f->cli->errors, run);
        (void)fflush(f->cli->errors);
    }
    return haft__terminal_ask(f->terminal, run, ret_continues, f->err);
}

/* Called when a child waits for an answer. First approves a call that needs no question. Returns
 * whether the terminal must ask the person. */
static bool answer_child(void *context, haft_run *child)
{
    follower *f = context;
    bool approved = false;
    bool stops = f->pausing || f->cancelling;
    return !stops && haft__auto_approve_call(f->cli, f->args, child, &approved, f->err) == HAFT_OK
           && !approved && f->terminal != NULL && haft__terminal_can_ask(child);
}

/* Approves calls that need no question, or asks the person. Sets *ret_continues if a call was
 * answered, so that the run continues. */
static haft_status ask_user(follower *f, bool *ret_continues)
{
    haft_status status = haft__auto_approve_call(f->cli, f->args, f->run, ret_continues, f->err);
    for (haft_run *child = NULL; /* a person may have added a standing approval meanwhile */
         status == HAFT_OK && !*ret_continues
         && (child = haft__child_pool_next_waiting(f->run, child)) != NULL;) {
        status = haft__auto_approve_call(f->cli, f->args, child, ret_continues, f->err);
    }
    if (status != HAFT_OK || *ret_continues) {
        return status;
    }
    status = show_events(f); /* print events before the question */
    if (f->terminal == NULL || status != HAFT_OK) {
        return status;
    }
    end_line(f);
    haft_run *child = haft__child_pool_next_waiting(f->run, NULL);
    while (child != NULL && !haft__terminal_can_ask(child)) {
        child = haft__child_pool_next_waiting(f->run, child);
    }
    if (child == NULL || haft__terminal_can_ask(f->run)) {
        return ask_about(f, f->run, ret_continues);
    }
    return ask_about(f, child, ret_continues);
}

/* Returns the next child with an open question of a tool, after `last` (NULL: the first). */
static haft_run *next_asking_child(const follower *f, haft_run *last)
{
    haft_run *child = haft__child_pool_next_open(f->run, last);
    while (child != NULL && !haft__run_has_open_question(child)) {
        child = haft__child_pool_next_open(f->run, child);
    }
    return child;
}

/* Returns a number that changes when the open questions of tools in the tree change; 0 if no
 * question is open. */
static uint64_t open_questions_key(const follower *f)
{
    uint64_t sum = haft__run_local_question_seq(&f->run->state);
    for (haft_run *child = NULL; (child = next_asking_child(f, child)) != NULL;) {
        sum += haft__hash(child->runtime->hash_key, haft__str(child->id))
               * haft__run_local_question_seq(&child->state);
    }
    return sum;
}

/* Prints the open questions, their deadlines, and the commands that answer them from another
 * terminal. */
static void report_questions(follower *f)
{
    uint64_t key = open_questions_key(f);
    if (f->reported_questions != key && !haft__args_has(f->args, "quiet")) {
        f->reported_questions = key;
        end_line(f);
        haft__pending_print(f->cli->errors, f->args, f->run);
        (void)fflush(f->cli->errors);
    }
}

static bool has_question(const follower *f)
{
    return haft__run_local_question_seq(&f->run->state) > 0 || next_asking_child(f, NULL) != NULL;
}

/* Asks the person, or waits for an answer from another process. A tool's question is lost when this
 * process ends, so the command waits until the deadline of the question. */
static haft_status wait_for_answer(follower *f, bool *ret_continues)
{
    haft_status status = ask_user(f, ret_continues);
    if (status == HAFT_OK && !*ret_continues && has_question(f)) {
        report_questions(f);
        *ret_continues = true;
        status = step(f);
    }
    return status;
}

/* ---- the end ---- */

/* Prints the object of a run that this command stops following. A run in memory ends with the
 * process. */
static void print_interrupted(follower *f, haft__end end, const haft_error *why)
{
    haft__run state = f->run->state;
    if (!f->run->runtime->shared && state.stage != HAFT__RUN_ENDED) {
        state.stage = HAFT__RUN_ENDED;
        state.end = end;
    }
    (void)!haft__run_result_print(f->cli, f->run->runtime, &state, why, NULL);
}

static haft__exit_status stop_following(follower *f)
{
    haft_error stopped = {0};
    (void)haft__fail(&stopped, HAFT_BAD_STATE, f->run->id, "stopped by a signal");
    if (f->run->runtime->shared) {
        (void)haft__hint(&stopped, HAFT_BAD_STATE, "continue: %s %s",
                         f->printer != NULL ? f->printer->resume : "haft resume", f->run->id);
    } else {
        (void)haft__hint(&stopped, HAFT_BAD_STATE,
                         "the run was only in memory and cannot be resumed");
    }
    (void)!show_events(f);
    end_line(f);
    if (f->json) {
        print_interrupted(f, HAFT__END_CANCELLED, &stopped);
    } else if (!f->chat) {
        (void)fprintf(f->cli->errors, "paused; %s\n", stopped.hint);
    }
    return HAFT__EXIT_CANCELLED;
}

/* ---- interrupts ---- */

static void report_calls(const follower *f, const haft_run *run, bool *io_any)
{
    for (const haft__call_slot *slot = run->slots; slot != NULL; slot = slot->next) {
        const haft__run_call *call = &run->state.calls[slot->call];
        (void)fprintf(f->cli->errors, "%s %.*s (%.*s%s%.*s)", *io_any ? "" : "pausing after",
                      HAFT__ARG(call->name), HAFT__ARG(run->state.path),
                      run->state.path.len > 0 ? "/" : "", HAFT__ARG(call->id));
        *io_any = true;
    }
}

/* Prints the running calls with effects; a pause waits for them. */
static void report_pausing(follower *f)
{
    bool any = false;
    if (!f->reports) {
        return;
    }
    (void)!show_events(f);
    end_line(f);
    report_calls(f, f->run, &any);
    for (haft_run *child = NULL; (child = haft__child_pool_next_open(f->run, child)) != NULL;) {
        report_calls(f, child, &any);
    }
    if (any) {
        (void)fputs("; Ctrl-C again cancels the run\n", f->cli->errors);
    }
}

static void cancel_run(follower *f)
{
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_CANCEL,
                                 .call = HAFT__LIT(""),
                                 .value = haft__json_null(),
                                 .by = HAFT__LIT("terminal"),
                                 .why = HAFT__LIT("Ctrl-C")};
    f->cancelling = true;
    f->run->suspended = false;
    (void)!haft__run_perform_command(f->run, &command, NULL); /* the run may have ended */
    haft__child_pool_undrain(f->run->runtime);
}

/* The first interrupt pauses the run, a second Ctrl-C cancels it. After a second signal of another
 * kind the command does not wait for calls. Returns true if the command stops following the run. */
static bool handle_interrupts(follower *f)
{
    unsigned count = f->interrupts.sigint_count + f->interrupts.sigterm_count;
    if (count == 0 || f->cancelling) {
        return false;
    }
    if (!f->pausing) {
        f->pausing = true;
        haft__run_drain(f->run);
        haft__child_pool_drain(f->run);
        if (count == 1) {
            report_pausing(f);
        }
    }
    if (f->interrupts.sigint_count >= 2) {
        cancel_run(f);
        return false;
    }
    return count >= 2
           || (haft__run_is_drained(f->run) && haft__child_pool_is_drained(f->run)
               && haft_run_state(f->run) != HAFT_ENDED);
}

/* Reports that the run waits for another run of its thread. */
static void report_queue(follower *f)
{
    if (f->reports && haft__follow_queue_changed(&f->queue, f->run)) {
        end_line(f);
        haft__follow_report_queue(f->cli, f->run);
    }
}

/* Asks an open question of a tool of this run immediately, because it is lost when this process
 * ends. The terminal asks a question of a child when all other runs of the tree wait. */
static haft_status step_or_ask(follower *f)
{
    bool continues;
    report_queue(f);
    if (haft__run_has_open_question(f->run)) {
        return wait_for_answer(f, &continues);
    }
    if (f->terminal == NULL && next_asking_child(f, NULL) != NULL) {
        report_questions(f);
    }
    return step(f);
}

static haft__exit_status print_with(follower *f)
{
    const haft__follow_printer *printer = f->printer;
    haft_status status = printer->print(printer->context, f->cli, f->args, f->run, f->err);
    return status == HAFT_OK ? haft__follow_exit_status(f->run) : HAFT__EXIT_FAILED;
}

static haft__exit_status follow_until_done(follower *f)
{
    haft_status status = HAFT_OK;
    bool continues = true;
    while (status == HAFT_OK && continues) {
        if (handle_interrupts(f)) {
            return stop_following(f);
        }
        haft_state state = haft_run_state(f->run);
        switch (state) {
        case HAFT_RUNNING: status = step_or_ask(f); break;
        case HAFT_WAITING: status = wait_for_answer(f, &continues); break;
        case HAFT_ENDED: continues = false; break;
        case HAFT_STOPPED:
            *f->err = f->run->error;
            return f->run->queue.state == HAFT__THREAD_QUEUE_REJECTED
                       ? HAFT__EXIT_REFUSED
                       : haft__session_exit_status(f->err->status == HAFT_NOT_FOUND ? HAFT_NOT_FOUND
                                                                                    : HAFT_IO);
        }
    }
    if (status == HAFT_OK) {
        status = show_events(f);
        leave_tree(f);
    }
    haft_status exported = HAFT_OK;
    if (status == HAFT_OK) {
        exported = haft__artifacts_export(
            haft__config_get(f->cli, f->args, HAFT__SETTING_artifacts).value, f->run, f->err);
    }
    if (status != HAFT_OK
        || (exported != HAFT_OK && f->json)) { /* the object of --json has the error */
        return HAFT__EXIT_FAILED;
    }
    haft_error unwritten = *f->err;
    bool shown =
        f->timeline.answer_shown && haft__terminal_caps_same_device(f->cli->out, f->cli->errors);
    haft__exit_status result =
        f->printer != NULL && haft_run_state(f->run) == HAFT_ENDED
            ? print_with(f)
            : haft__follow_print_remaining(f->cli, f->args, f->run, shown, f->err);
    haft__follow_report_end(f->cli, f->args, f->run);
    if (exported != HAFT_OK) { /* the answer was printed */
        *f->err = unwritten;
        result = HAFT__EXIT_FAILED;
    }
    return result;
}

static haft__exit_status follow(haft__cli *cli, const haft__args *args, haft_run *run, bool chat,
                                const haft__follow_printer *printer, haft_error *err)
{
    follower f = {.cli = cli,
                  .args = args,
                  .run = run,
                  .chat = chat,
                  .printer = printer,
                  .events = haft__args_has(args, "events"),
                  .json = haft__args_has(args, "json"),
                  .err = err};
    haft__terminal terminal;
    f.reports = !f.events && !f.json && !haft__args_has(args, "quiet")
                && !haft__telemetry_has_log(run->runtime);
    f.terminal = f.reports && haft__terminal_open(&terminal) ? &terminal : NULL;
    run->runtime->children.answerer = (haft__child_answerer){answer_child, &f};
    haft__terminal_caps caps =
        haft__terminal_caps_detect(cli->errors, haft__config_is_plain(cli, args));
    f.shows_progress = run->log.reader.attached = f.reports && caps.live;
    if (f.terminal != NULL) {
        terminal.interrupts = &f.interrupts;
        terminal.caps = caps;
        terminal.keep_approval = haft__auto_approve_always;
        terminal.keep_context = cli;
    }
    haft__timeline_init(&f.timeline, run->agent->spec, caps);
    f.timeline.brief = chat && !haft__args_has(args, "verbose");
    f.timeline.asks = f.terminal != NULL;
    f.timeline.verbose = haft__args_has(args, "verbose");
    f.tree_only = printer != NULL && f.shows_progress && !f.timeline.verbose;
    haft__follow_children_init(&f.children, &f.timeline);
    haft__follow_agents_init(&f.agents, run, cli->errors, caps);
    if (f.reports) {
        run->runtime->children.observer = (haft__child_observer){show_child, &f};
    }
    if (f.reports && !f.tree_only && run->state.seq > 0) {
        haft__timeline_resume(&f.timeline, haft__str(run->id), run->state.task);
    }
    haft__exit_status result = HAFT__EXIT_FAILED;
    if (haft__interrupts_watch(&f.interrupts, run->runtime->loop, err) == HAFT_OK) {
        result = follow_until_done(&f);
    }
    haft__cli_set_run(cli, run->id);
    if (f.json && !cli->answered && !run->runtime->shared && err->message[0] != '\0') {
        print_interrupted(&f, HAFT__END_FAILED,
                          err); /* the run cannot be read after this process ends */
    }
    run->runtime->children.answerer = (haft__child_answerer){.answer = NULL};
    run->runtime->children.observer = (haft__child_observer){.observe = NULL};
    haft__interrupts_release(&f.interrupts);
    haft__follow_children_finish(&f.children);
    haft__follow_agents_finish(&f.agents);
    haft__timeline_finish(&f.timeline);
    if (f.terminal != NULL) {
        haft__terminal_close(&terminal);
    }
    return result;
}

haft__exit_status haft__follow_run(haft__cli *cli, const haft__args *args, haft_run *run,
                                   haft_error *err)
{
    return follow(cli, args, run, false, NULL, err);
}

haft__exit_status haft__follow_run_with(haft__cli *cli, const haft__args *args, haft_run *run,
                                        const haft__follow_printer *printer, haft_error *err)
{
    return follow(cli, args, run, false, printer, err);
}

haft__exit_status haft__follow_chat_run(haft__cli *cli, const haft__args *args, haft_run *run,
                                        haft_error *err)
{
    return follow(cli, args, run, true, NULL, err);
}
