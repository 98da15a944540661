/* SPDX-License-Identifier: Apache-2.0 */
/* threads.c - commands of a chat about threads. Tests: tests/cli/chat_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/chat/repl.h"
#include "cli/terminal/print.h"
#include "engine/ops/thread_copy.h"
#include "engine/ops/thread_list.h"

/* Maximum number of threads in /threads. */
#define MAX_THREADS_SHOWN 20

haft_status haft__repl_list_runs(haft__repl *repl, haft__store_request *ret_list, haft_error *err)
{
    *ret_list = (haft__store_request){.verb = HAFT__STORE_LIST, .thread = haft__str(repl->thread)};
    return haft__repl_store_execute(repl, ret_list, err);
}

/* ---- switching ---- */

static void set_thread(haft__repl *repl, haft_str thread)
{
    (void)snprintf(repl->thread, sizeof(repl->thread), "%.*s", HAFT__ARG(thread));
}

haft_status haft__repl_start_thread(haft__repl *repl, haft_error *err)
{
    char id[HAFT__ID_LENGTH + 1];
    haft_status status = haft__runtime_make_id(repl->runtime, id, err);
    if (status == HAFT_OK) {
        set_thread(repl, haft__str(id));
    }
    return status;
}

static haft_status find_thread(haft__repl *repl, haft_str name, haft_str *ret_thread,
                               haft_error *err)
{
    haft__arena *arena = &repl->cli->arena;
    haft_status status =
        haft__str_equal(name, HAFT__LIT("last"))
            ? haft__thread_find_last(repl->runtime, arena, repl->spec->name, ret_thread, err)
            : haft__thread_find(repl->runtime, arena, name, ret_thread, err);
    return status == HAFT_NOT_FOUND
               ? haft__hint(err, status, "/threads and 'haft runs list --json' list the threads")
               : status;
}

haft_status haft__repl_switch_thread(haft__repl *repl, haft_str name, haft_error *err)
{
    const haft__store_run *open = NULL;
    haft_str thread = {NULL, 0};
    haft_status status = find_thread(repl, name, &thread, err);
    if (status == HAFT_OK) {
        set_thread(repl, thread);
        status = haft__repl_find_open_run(repl, &open, err);
    }
    if (status == HAFT_OK && open != NULL) {
        haft__repl_print_open_run(repl, open);
    }
    return status;
}

void haft__repl_cmd_thread(haft__repl *repl, haft_str argument)
{
    haft_error err = {0};
    if (argument.len == 0) {
        (void)fprintf(repl->cli->out, "%s\n", repl->thread);
    } else if (haft__repl_switch_thread(repl, argument, &err) == HAFT_OK) {
        haft__repl_print_note(repl, "now in thread %s", repl->thread);
    } else {
        haft__repl_print_error(repl, &err);
    }
}

void haft__repl_cmd_new(haft__repl *repl, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    char before[sizeof(repl->thread)];
    memcpy(before, repl->thread, sizeof(before));
    if (haft__repl_start_thread(repl, &err) == HAFT_OK) {
        haft__repl_print_note(repl, "new thread; to go back: /thread %s", before);
    } else {
        haft__repl_print_error(repl, &err);
    }
}

/* ---- history ---- */

static void print_exchange(FILE *out, size_t number, haft_str task, haft_str answer, haft_str end)
{
    (void)fprintf(out, "%3zu  ", number);
    haft__print_excerpt(out, task);
    (void)fputs("\n     ", out);
    if (answer.len > 0) {
        haft__print_excerpt(out, answer);
    } else {
        bool cancelled = haft__str_equal(end, HAFT__LIT("cancelled"));
        (void)fprintf(out, "(%.*s)", HAFT__ARG(cancelled ? HAFT__LIT("interrupted") : end));
    }
    (void)fputc('\n', out);
}

void haft__repl_cmd_history(haft__repl *repl, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    const haft__store_run *open = NULL;
    haft__store_request past = {.verb = HAFT__STORE_THREAD_HISTORY,
                                .thread = haft__str(repl->thread),
                                .name = HAFT__LIT("")};
    haft_status status = haft__repl_store_execute(repl, &past, &err);
    if (status == HAFT_OK) {
        status = haft__repl_find_open_run(repl, &open, &err);
    }
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        return;
    }
    for (size_t i = 0; i < past.found_count; i++) {
        const haft__store_run *run = &past.found[i];
        print_exchange(repl->cli->out, i + 1, run->task, run->answer, run->end);
    }
    if (open != NULL) {
        print_exchange(repl->cli->out, past.found_count + 1, open->task, HAFT__LIT(""),
                       haft__str(haft__run_state_name(open->state)));
    } else if (past.found_count == 0) {
        haft__repl_print_note(repl, "no messages in this thread");
    }
}

static void print_age(FILE *out, uint64_t ms)
{
    static const struct {
        uint64_t ms;
        const char *unit;
    } units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "min"}, {1000, "s"}};
    size_t i = 0;
    while (i + 1 < COUNT(units) && ms < units[i].ms) {
        i++;
    }
    (void)fprintf(out, "%4llu %-3s", (unsigned long long)(ms / units[i].ms), units[i].unit);
}

void haft__repl_cmd_threads(haft__repl *repl, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    haft__thread_list threads;
    FILE *out = repl->cli->out;
    haft_status status =
        haft__thread_list_read(repl->runtime, &repl->cli->arena, MAX_THREADS_SHOWN, &threads, &err);
    if (status != HAFT_OK) {
        haft__repl_print_error(repl, &err);
        return;
    }
    uint64_t now = haft__runtime_now(repl->runtime);
    for (size_t i = 0; i < threads.count; i++) {
        const haft__thread_summary *summary = &threads.items[i];
        bool here = haft__str_equal(summary->thread, haft__str(repl->thread));
        (void)fprintf(out, "%s %.*s ", here ? "*" : " ", HAFT__ARG(summary->thread));
        print_age(out, now > summary->updated_ms ? now - summary->updated_ms : 0);
        (void)fprintf(out, " %3zu  ", summary->run_count);
        haft__print_escaped(out, summary->name);
        (void)fputs(": ", out);
        haft__print_excerpt(out, summary->task);
        (void)fputc('\n', out);
    }
    if (threads.count == 0) {
        haft__repl_print_note(repl, "there are no threads yet");
    }
}

/* ---- undo ---- */

/* Switches to a copy of this thread without the last `count` exchanges. */
static haft_status copy_without_last(haft__repl *repl, const haft__store_request *list,
                                     uint64_t count, haft_error *err)
{
    char id[HAFT__ID_LENGTH + 1];
    haft_status status = haft__thread_copy_without_last(
        repl->runtime, &repl->cli->arena, list->found, list->found_count, count, id, err);
    if (status == HAFT_OK) {
        set_thread(repl, haft__str(id));
    }
    return status;
}

/* Reads how many exchanges to undo: from 1 (the default) to `exchange_count`. */
static haft_status read_count(haft_str argument, size_t exchange_count, uint64_t *ret_count,
                              haft_error *err)
{
    *ret_count = 1;
    if (argument.len > 0 && (!haft__str_to_u64(argument, ret_count) || *ret_count == 0)) {
        return haft__fail(err, HAFT_BAD_INPUT, "/undo",
                          "expected a number of at least 1, found '%.*s'", HAFT__ARG(argument));
    }
    if (*ret_count > exchange_count) {
        haft_status status = haft__fail(
            err, HAFT_BAD_INPUT, "/undo", "this thread has %zu exchange%s, not %llu",
            exchange_count, exchange_count == 1 ? "" : "s", (unsigned long long)*ret_count);
        return haft__hint(err, status, "/history lists them, /new starts a thread");
    }
    return HAFT_OK;
}

void haft__repl_cmd_undo(haft__repl *repl, haft_str argument)
{
    haft_error err = {0};
    uint64_t count = 0;
    haft__store_request list;
    char before[sizeof(repl->thread)];
    memcpy(before, repl->thread, sizeof(before));
    haft_status status = haft__repl_list_runs(repl, &list, &err);
    if (status == HAFT_OK) {
        status = read_count(argument, list.found_count, &count, &err);
    }
    if (status == HAFT_OK) {
        status = copy_without_last(repl, &list, count, &err);
    }
    if (status == HAFT_OK) {
        haft__repl_print_note(repl, "undone: %llu of %zu exchange%s; to go back: /thread %s",
                              (unsigned long long)count, list.found_count,
                              list.found_count == 1 ? "" : "s", before);
    } else {
        haft__repl_print_error(repl, &err);
    }
}

void haft__repl_cmd_retry(haft__repl *repl, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    haft__store_request list;
    haft_status status = haft__repl_list_runs(repl, &list, &err);
    if (status == HAFT_OK && list.found_count == 0) {
        status = haft__fail(&err, HAFT_BAD_INPUT, "/retry", "no messages in this thread");
    }
    haft_str text = {NULL, 0};
    if (status == HAFT_OK) { /* prefer the text as typed: the store has it with redacted secrets */
        const haft__store_run *last = &list.found[0];
        bool known = haft__str_equal(last->id, haft__str(repl->sent_run));
        text = haft__arena_copy(&repl->cli->arena, known ? haft__buf_str(&repl->sent) : last->task);
        status = text.ptr != NULL ? copy_without_last(repl, &list, 1, &err)
                                  : haft__arena_fail(&repl->cli->arena, &err);
    }
    if (status == HAFT_OK) {
        haft__repl_send(repl, text);
    } else {
        haft__repl_print_error(repl, &err);
    }
}
