/* SPDX-License-Identifier: Apache-2.0 */
/* talk_thread.c - commands of a chat about its thread and others. Tests: tests/cli/chat_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/chat/repl.h"
#include "cli/ops/thread_copy.h"
#include "cli/terminal/print.h"

/* Threads that /threads shows. */
#define SHOWN 20

haft_status haft__talk_list(haft__talk *talk, haft__store_request *ret_list, haft_error *err)
{
    *ret_list = (haft__store_request){.verb = HAFT__STORE_LIST, .thread = haft__str(talk->thread)};
    return haft__talk_ask(talk, ret_list, err);
}

/* ---- from one to another ---- */

static void change_to(haft__talk *talk, haft_str thread)
{
    (void)snprintf(talk->thread, sizeof(talk->thread), "%.*s", HAFT__ARG(thread));
}

haft_status haft__talk_start_thread(haft__talk *talk, haft_error *err)
{
    char id[HAFT__ID_LENGTH + 1];
    haft_status status = haft__runtime_make_id(talk->runtime, id, err);
    if (status == HAFT_OK) {
        change_to(talk, haft__str(id));
    }
    return status;
}

static haft_status fail_thread(haft_str name, const char *what, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_NOT_FOUND, "", "%s '%.*s'", what, HAFT__ARG(name));
    return haft__hint(err, status,
                      "/threads shows those there are, and so does 'haft runs list "
                      "--json'");
}

/* The thread of the newest run of an agent of this name. */
static haft_status find_last(const haft__talk *talk, const haft__store_request *all,
                             haft_str *ret_thread, haft_error *err)
{
    for (size_t i = 0; i < all->found_count; i++) {
        if (haft__str_equal(all->found[i].name, talk->spec->name)) {
            *ret_thread = all->found[i].thread;
            return HAFT_OK;
        }
    }
    return fail_thread(talk->spec->name, "there is no earlier conversation with", err);
}

static haft_status find_thread(const haft__store_request *all, haft_str name, haft_str *ret_thread,
                               haft_error *err)
{
    haft_str found = {NULL, 0};
    for (size_t i = 0; i < all->found_count; i++) {
        haft_str thread = all->found[i].thread;
        if (name.len == 0 || !haft__str_starts_with(thread, name)
            || haft__str_equal(thread, found)) {
            continue;
        }
        if (found.ptr != NULL) {
            haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                            "several threads begin with "
                                            "'%.*s'",
                                            HAFT__ARG(name));
            return haft__hint(err, status, "give more of its id");
        }
        found = thread;
    }
    *ret_thread = found;
    return found.ptr != NULL ? HAFT_OK : fail_thread(name, "there is no thread", err);
}

/* One that is older than all runs that are listed at once. */
static haft_status find_old(haft__talk *talk, haft_str name, haft_str *ret_thread, haft_error *err)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = name, .limit = 1};
    haft_error ignored;
    if (!haft__id_valid(name) || haft__talk_ask(talk, &list, &ignored) != HAFT_OK
        || list.found_count == 0) {
        return err != NULL ? err->status : HAFT_NOT_FOUND;
    }
    *ret_thread = name;
    return HAFT_OK;
}

haft_status haft__talk_enter(haft__talk *talk, haft_str name, haft_error *err)
{
    haft__store_request all = {.verb = HAFT__STORE_LIST, .thread = HAFT__LIT("")};
    const haft__store_run *open = NULL;
    haft_str thread = {NULL, 0};
    haft_status status = haft__talk_ask(talk, &all, err);
    if (status == HAFT_OK) {
        bool last = haft__str_equal(name, HAFT__LIT("last"));
        status = last ? find_last(talk, &all, &thread, err) : find_thread(&all, name, &thread, err);
    }
    if (status == HAFT_NOT_FOUND) {
        status = find_old(talk, name, &thread, err);
    }
    if (status == HAFT_OK) {
        change_to(talk, thread);
        status = haft__talk_find_open(talk, &open, err);
    }
    if (status == HAFT_OK && open != NULL) {
        haft__talk_tell_open(talk, open);
    }
    return status;
}

void haft__talk_thread(haft__talk *talk, haft_str argument)
{
    haft_error err = {0};
    if (argument.len == 0) {
        (void)fprintf(talk->cli->out, "%s\n", talk->thread);
    } else if (haft__talk_enter(talk, argument, &err) == HAFT_OK) {
        haft__talk_tell(talk, "now in thread %s", talk->thread);
    } else {
        haft__talk_tell_error(talk, &err);
    }
}

void haft__talk_new(haft__talk *talk, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    char before[sizeof(talk->thread)];
    memcpy(before, talk->thread, sizeof(before));
    if (haft__talk_start_thread(talk, &err) == HAFT_OK) {
        haft__talk_tell(talk, "a new thread; /thread %s goes back", before);
    } else {
        haft__talk_tell_error(talk, &err);
    }
}

/* ---- what was said ---- */

static void print_exchange(FILE *out, size_t number, haft_str task, haft_str answer, haft_str end)
{
    (void)fprintf(out, "%3zu  ", number);
    haft__print_short(out, task);
    (void)fputs("\n     ", out);
    if (answer.len > 0) {
        haft__print_short(out, answer);
    } else {
        (void)fprintf(out, "(%.*s)", HAFT__ARG(end));
    }
    (void)fputc('\n', out);
}

void haft__talk_history(haft__talk *talk, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    const haft__store_run *open = NULL;
    haft__store_request past = {.verb = HAFT__STORE_THREAD_HISTORY,
                                .thread = haft__str(talk->thread),
                                .name = HAFT__LIT("")};
    haft_status status = haft__talk_ask(talk, &past, &err);
    if (status == HAFT_OK) {
        status = haft__talk_find_open(talk, &open, &err);
    }
    if (status != HAFT_OK) {
        haft__talk_tell_error(talk, &err);
        return;
    }
    for (size_t i = 0; i < past.found_count; i++) {
        const haft__store_run *run = &past.found[i];
        print_exchange(talk->cli->out, i + 1, run->task, run->answer, run->end);
    }
    if (open != NULL) {
        print_exchange(talk->cli->out, past.found_count + 1, open->task, HAFT__LIT(""),
                       haft__str(haft__run_state_name(open->state)));
    } else if (past.found_count == 0) {
        haft__talk_tell(talk, "nothing has been said in this thread");
    }
}

typedef struct seen {
    haft_str thread, task, name; /* the task of its first run */
    uint64_t updated_ms;
    size_t count;
} seen;

static size_t group(const haft__store_request *all, seen threads[SHOWN])
{
    size_t count = 0;
    for (size_t i = 0; i < all->found_count; i++) {
        const haft__store_run *run = &all->found[i];
        size_t at = 0;
        while (at < count && !haft__str_equal(threads[at].thread, run->thread)) {
            at++;
        }
        if (at == SHOWN) {
            continue;
        }
        if (at == count) {
            threads[count++] = (seen){.thread = run->thread, .updated_ms = run->updated_ms};
        }
        threads[at].task = run->task; /* the newest come first: the last is the oldest */
        threads[at].name = run->name;
        threads[at].count++;
    }
    return count;
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

void haft__talk_threads(haft__talk *talk, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    seen threads[SHOWN];
    FILE *out = talk->cli->out;
    haft__store_request all = {.verb = HAFT__STORE_LIST, .thread = HAFT__LIT("")};
    if (haft__talk_ask(talk, &all, &err) != HAFT_OK) {
        haft__talk_tell_error(talk, &err);
        return;
    }
    uint64_t now = haft__runtime_now(talk->runtime);
    size_t count = group(&all, threads);
    for (size_t i = 0; i < count; i++) {
        const seen *one = &threads[i];
        bool here = haft__str_equal(one->thread, haft__str(talk->thread));
        (void)fprintf(out, "%s %.*s ", here ? "*" : " ", HAFT__ARG(one->thread));
        print_age(out, now > one->updated_ms ? now - one->updated_ms : 0);
        (void)fprintf(out, " %3zu  ", one->count);
        haft__print_text(out, one->name);
        (void)fputs(": ", out);
        haft__print_short(out, one->task);
        (void)fputc('\n', out);
    }
    if (count == 0) {
        haft__talk_tell(talk, "there are no threads yet");
    }
}

/* ---- undoing ---- */

/* What was copied into a thread that will not be used. */
static void discard(haft__talk *talk, haft_str thread)
{
    haft_error ignored;
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = thread};
    if (haft__talk_ask(talk, &list, &ignored) != HAFT_OK) {
        return;
    }
    for (size_t i = 0; i < list.found_count; i++) {
        haft__store_request away = {.verb = HAFT__STORE_REMOVE, .run.id = list.found[i].id};
        (void)!haft__talk_ask(talk, &away, &ignored);
    }
}

/* Another thread, with all of this one's exchanges but the last `count`. */
static haft_status leave_out(haft__talk *talk, const haft__store_request *list, uint64_t count,
                             haft_error *err)
{
    char id[HAFT__ID_LENGTH + 1];
    haft_status status = haft__runtime_make_id(talk->runtime, id, err);
    for (size_t i = list->found_count; status == HAFT_OK && i-- > count;) {
        if (list->found[i].state == HAFT__RUN_STATE_ENDED) {
            status = haft__thread_copy(talk->cli, talk->runtime, list->found[i].id, haft__str(id),
                                       NULL, err);
        }
    }
    if (status == HAFT_OK) {
        change_to(talk, haft__str(id));
    } else {
        discard(talk, haft__str(id));
    }
    return status;
}

/* How many: a number from 1 to as many as there are. */
static haft_status read_count(haft_str argument, size_t there, uint64_t *ret_count, haft_error *err)
{
    *ret_count = 1;
    if (argument.len > 0 && (!haft__str_to_u64(argument, ret_count) || *ret_count == 0)) {
        return haft__fail(err, HAFT_BAD_INPUT, "/undo",
                          "wanted how many exchanges, a number from 1 on, found '%.*s'",
                          HAFT__ARG(argument));
    }
    if (*ret_count > there) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/undo",
                                        "there %s %zu exchange%s in this thread, not %llu",
                                        there == 1 ? "is" : "are", there, there == 1 ? "" : "s",
                                        (unsigned long long)*ret_count);
        return haft__hint(err, status, "/history shows them, /new starts a thread");
    }
    return HAFT_OK;
}

void haft__talk_undo(haft__talk *talk, haft_str argument)
{
    haft_error err = {0};
    uint64_t count = 0;
    haft__store_request list;
    char before[sizeof(talk->thread)];
    memcpy(before, talk->thread, sizeof(before));
    haft_status status = haft__talk_list(talk, &list, &err);
    if (status == HAFT_OK) {
        status = read_count(argument, list.found_count, &count, &err);
    }
    if (status == HAFT_OK) {
        status = leave_out(talk, &list, count, &err);
    }
    if (status == HAFT_OK) {
        haft__talk_tell(talk, "undone: %llu of %zu exchange%s; /thread %s goes back",
                        (unsigned long long)count, list.found_count,
                        list.found_count == 1 ? "" : "s", before);
    } else {
        haft__talk_tell_error(talk, &err);
    }
}

void haft__talk_retry(haft__talk *talk, haft_str argument)
{
    (void)argument;
    haft_error err = {0};
    haft__store_request list;
    haft_status status = haft__talk_list(talk, &list, &err);
    if (status == HAFT_OK && list.found_count == 0) {
        status = haft__fail(&err, HAFT_BAD_INPUT, "/retry", "nothing has been said in this thread");
    }
    haft_str text = {NULL, 0};
    if (status == HAFT_OK) { /* as it was typed, if that is known: the store has no secrets */
        const haft__store_run *last = &list.found[0];
        bool known = haft__str_equal(last->id, haft__str(talk->sent_run));
        text = haft__arena_copy(&talk->cli->arena, known ? haft__buf_str(&talk->sent) : last->task);
        status = text.ptr != NULL ? leave_out(talk, &list, 1, &err)
                                  : haft__arena_fail(&talk->cli->arena, &err);
    }
    if (status == HAFT_OK) {
        haft__talk_send(talk, text);
    } else {
        haft__talk_tell_error(talk, &err);
    }
}
