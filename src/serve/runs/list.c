/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - lists of runs, threads and pending calls. Tests: tests/serve/api_test.py.
 *
 * A list is a page of the store's list, newest first. Filters are applied to at most
 * HAFT__LIMIT_SERVE_SCAN rows of one request; `next` continues after the last row that was read.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/ops/run_list.h"
#include "run/host.h"
#include "run/result.h"
#include "serve/runs/runs_int.h"

#define DEFAULT_PAGE 50

/* ---- runs ---- */

typedef struct run_filter {
    haft_str agent, state, end, thread, user, text;
    bool open_only, children;
} run_filter;

typedef struct run_page {
    run_filter filter;
    haft__buf body;
    haft__json_writer w;
    uint64_t limit, found, scanned;
    haft_str last; /* id of the last row that was read */
} run_page;

static bool is_absent(haft_str text)
{
    return text.ptr == NULL || text.len == 0;
}

static bool matches(const haft__api_call *call, const run_filter *filter,
                    const haft__store_run *row)
{
    return haft__principal_owns(&call->who, row->user)
           && (is_absent(filter->agent) || haft__str_equal(filter->agent, row->name))
           && (is_absent(filter->state)
               || haft__str_equal(filter->state, haft__run_list_state(row)))
           && (is_absent(filter->end) || haft__str_equal(filter->end, row->end))
           && (is_absent(filter->user) || haft__str_equal(filter->user, row->user))
           && (is_absent(filter->text) || haft__str_contains_ignore_case(row->task, filter->text))
           && (filter->children || !haft__store_run_is_child(row));
}

static bool has_filter(const haft__api_call *call, const run_filter *filter)
{
    return !call->who.all_users || !is_absent(filter->agent) || !is_absent(filter->state)
           || !is_absent(filter->end) || !is_absent(filter->user) || !is_absent(filter->text);
}

static void reply_page(haft__api_call *call, run_page *page, bool more)
{
    haft__json_end_array(&page->w);
    haft__field_text_or_null(&page->w, "next", more ? page->last : HAFT__LIT(""));
    haft__json_end_object(&page->w);
    haft__api_reply_json(call, 200, &page->body);
}

static void on_page(haft__api_call *call);

static void read_page(haft__api_call *call, run_page *page)
{
    bool filtered = has_filter(call, &page->filter);
    call->store = (haft__store_request){.verb = HAFT__STORE_LIST,
                                        .thread = page->filter.thread,
                                        .name = page->last,
                                        .open_only = page->filter.open_only,
                                        .limit = filtered ? HAFT__LIMIT_STORE_LIST
                                                          : page->limit - page->found};
    haft__api_submit(call, on_page);
}

static void on_page(haft__api_call *call)
{
    run_page *page = call->state;
    const haft__store_request *list = &call->store;
    if (list->status != HAFT_OK) {
        haft__api_fail(call, &list->error);
        return;
    }
    for (size_t i = 0; i < list->found_count && page->found < page->limit; i++) {
        const haft__store_run *row = &list->found[i];
        page->scanned++;
        page->last = row->id;
        if (matches(call, &page->filter, row)) {
            haft__runs_write_row(&page->w, row);
            page->found++;
        }
    }
    bool at_end = list->found_count < list->limit;
    bool full = page->found == page->limit || page->scanned >= HAFT__LIMIT_SERVE_SCAN;
    if (full || at_end) {
        reply_page(call, page, full && list->found_count > 0);
    } else {
        read_page(call, page);
    }
}

static void finish_body(void *body)
{
    haft__buf_finish(body);
}

/* Starts a list {"KEY": [...]. NULL: out of memory; a response was sent. */
static run_page *begin_page(haft__api_call *call, const char *key)
{
    run_page *page = haft__arena_array(&call->arena, 1, sizeof(*page));
    haft_error err = {0};
    haft_status status = page != NULL ? HAFT_OK : haft__arena_fail(&call->arena, &err);
    if (status == HAFT_OK) {
        haft__buf_init(&page->body, HAFT__LIMIT_RUN_BYTES);
        status = haft__arena_on_release(&call->arena, finish_body, &page->body, &err);
    }
    if (status != HAFT_OK) {
        haft__api_fail(call, &err);
        return NULL;
    }
    page->last = HAFT__LIT("");
    haft__json_writer_init(&page->w, &page->body);
    haft__json_begin_object(&page->w);
    haft__json_key(&page->w, key);
    haft__json_begin_array(&page->w);
    call->state = page;
    return page;
}

static haft_str query_or_empty(haft__api_call *call, const char *name)
{
    haft_str value = haft__api_query(call, name);
    return value.ptr != NULL ? value : HAFT__LIT("");
}

/* Reads limit, before and thread, which all lists have; responds and returns false on an error. */
static bool read_page_query(haft__api_call *call, run_page *page)
{
    haft_str before = query_or_empty(call, "before"), thread = query_or_empty(call, "thread");
    if (!haft__api_query_number(call, "limit", 1, HAFT__LIMIT_SERVE_PAGE, DEFAULT_PAGE,
                                &page->limit)) {
        return false;
    }
    if ((before.len > 0 && !haft__id_valid(before))
        || (thread.len > 0 && !haft__id_valid(thread))) {
        haft__api_reject(call, 400, HAFT_BAD_INPUT,
                         "expected an id of 26 lower-case letters and "
                         "digits as `before` and `thread`");
        return false;
    }
    page->last = before;
    page->filter.thread = thread;
    return true;
}

void haft__runs_handle_runs_list(haft__api_call *call)
{
    run_page *page = begin_page(call, "runs");
    if (page == NULL || !read_page_query(call, page)) {
        return;
    }
    run_filter *filter = &page->filter;
    filter->agent = haft__api_query(call, "agent");
    filter->state = haft__api_query(call, "state");
    filter->end = haft__api_query(call, "end");
    filter->user = haft__api_query(call, "user");
    filter->text = haft__api_query(call, "text");
    filter->children = haft__api_query_flag(call, "children") || filter->thread.len > 0;
    filter->open_only =
        haft__api_query_flag(call, "open")
        || (!is_absent(filter->state) && !haft__str_equal(filter->state, HAFT__LIT("ended")));
    read_page(call, page);
}

/* ---- threads ---- */

/* A thread is listed at its newest run. */
static void on_threads(haft__api_call *call)
{
    run_page *page = call->state;
    const haft__store_request *list = &call->store;
    haft__map seen;
    haft_error err = {0};
    if (list->status != HAFT_OK) {
        haft__api_fail(call, &list->error);
        return;
    }
    haft__map_init(&seen, &call->arena, haft__runs_of(call)->runtime->hash_key);
    for (size_t i = 0; i < list->found_count && page->found < page->limit; i++) {
        const haft__store_run *row = &list->found[i];
        page->last = row->id;
        if (haft__store_run_is_child(row) || !haft__principal_owns(&call->who, row->user)
            || haft__map_get(&seen, row->thread) != NULL) {
            continue;
        }
        if (haft__map_put(&seen, row->thread, page, &err) != HAFT_OK) {
            haft__api_fail(call, &err);
            return;
        }
        haft__json_begin_object(&page->w);
        haft__field_text(&page->w, "thread", row->thread);
        haft__json_key(&page->w, "newest");
        haft__runs_write_row(&page->w, row);
        haft__json_end_object(&page->w);
        page->found++;
    }
    reply_page(call, page,
               list->found_count == HAFT__LIMIT_STORE_LIST || page->found == page->limit);
}

void haft__runs_handle_threads_list(haft__api_call *call)
{
    run_page *page = begin_page(call, "threads");
    if (page == NULL || !read_page_query(call, page)) {
        return;
    }
    call->store = (haft__store_request){
        .verb = HAFT__STORE_LIST, .thread = HAFT__LIT(""), .name = page->last};
    haft__api_submit(call, on_threads);
}

static void on_thread(haft__api_call *call)
{
    run_page *page = call->state;
    const haft__store_request *list = &call->store;
    if (list->status != HAFT_OK) {
        haft__api_fail(call, &list->error);
        return;
    }
    for (size_t i = list->found_count; i > 0; i--) { /* in order of creation */
        const haft__store_run *row = &list->found[i - 1];
        if (haft__principal_owns(&call->who, row->user)) {
            haft__runs_write_row(&page->w, row);
            page->found++;
        }
    }
    if (page->found == 0) {
        haft__api_reject(call, 404, HAFT_NOT_FOUND, "no thread with this id");
        return;
    }
    haft__json_end_array(&page->w);
    haft__field_text(&page->w, "thread", call->params.values[0]);
    haft__json_end_object(&page->w);
    haft__api_reply_json(call, 200, &page->body);
}

void haft__runs_handle_thread_get(haft__api_call *call)
{
    if (!haft__id_valid(call->params.values[0])) {
        haft__api_reject(call, 404, HAFT_NOT_FOUND, "no thread with this id");
    } else if (begin_page(call, "runs") != NULL) {
        call->store = (haft__store_request){
            .verb = HAFT__STORE_LIST, .thread = call->params.values[0], .name = HAFT__LIT("")};
        haft__api_submit(call, on_thread);
    }
}

/* ---- pending calls ---- */

/* The waiting runs of a page, which are read one after the other. */
typedef struct pending_page {
    run_page *page;
    const haft_str *ids;
    size_t count, at;
    bool more;
} pending_page;

static void write_pending(haft__json_writer *w, const haft__loaded_run *run,
                          const haft__run_call *call)
{
    char at[HAFT__TIME_SIZE];
    haft__time_format(run->row.updated_ms, at);
    haft__json_begin_object(w);
    haft__field_text(w, "run", run->row.id);
    haft__field_text(w, "thread", run->row.thread);
    haft__field_text_or_null(w, "parent",
                             haft__store_run_is_child(&run->row) ? run->row.parent : HAFT__LIT(""));
    haft__field_text(w, "agent", run->row.name);
    haft__field_text(w, "task", run->row.task);
    haft__field_text_or_null(w, "user", run->row.user);
    haft__field_text(w, "since", haft__str(at));
    haft__json_key(w, "pending");
    haft__json_begin_object(w);
    haft__result_write_pending(w, &run->state, call);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void read_next(haft__api_call *call);

static void on_waiting_run(haft__api_call *call)
{
    pending_page *pending = call->state;
    const haft__loaded_run *run = haft__runs_loaded(call);
    const haft__run *state = &run->state;
    for (size_t i = state->batch; haft__run_takes_answers(state) && i < state->call_count; i++) {
        if (state->calls[i].stage == HAFT__CALL_PAUSED) {
            write_pending(&pending->page->w, run, &state->calls[i]);
        }
    }
    read_next(call);
}

static void read_next(haft__api_call *call)
{
    pending_page *pending = call->state;
    if (pending->at == pending->count) {
        reply_page(call, pending->page, pending->more);
        return;
    }
    haft__runs_load(call, pending->ids[pending->at++], HAFT__LOAD_STATE, on_waiting_run);
}

static void on_open_runs(haft__api_call *call)
{
    run_page *page = call->state;
    const haft__store_request *list = &call->store;
    haft_str *ids = haft__arena_array(&call->arena, page->limit, sizeof(*ids));
    pending_page *pending = haft__arena_array(&call->arena, 1, sizeof(*pending));
    haft_error err = list->error;
    if (list->status != HAFT_OK || ids == NULL || pending == NULL) {
        if (list->status == HAFT_OK) {
            (void)haft__arena_fail(&call->arena, &err);
        }
        haft__api_fail(call, &err);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < list->found_count && count < page->limit; i++) {
        const haft__store_run *row = &list->found[i];
        page->last = row->id;
        if (row->state == HAFT__RUN_STATE_WAITING && !row->damaged
            && matches(call, &page->filter, row)) {
            ids[count++] = row->id;
        }
    }
    *pending =
        (pending_page){.page = page,
                       .ids = ids,
                       .count = count,
                       .more = count == page->limit || list->found_count == HAFT__LIMIT_STORE_LIST};
    call->state = pending;
    read_next(call);
}

void haft__runs_handle_pending_list(haft__api_call *call)
{
    run_page *page = begin_page(call, "pending");
    if (page == NULL || !read_page_query(call, page)) {
        return;
    }
    page->filter.agent = haft__api_query(call, "agent");
    page->filter.user = haft__api_query(call, "user");
    page->filter.children = true;
    call->store = (haft__store_request){.verb = HAFT__STORE_LIST,
                                        .thread = page->filter.thread,
                                        .name = page->last,
                                        .open_only = true};
    haft__api_submit(call, on_open_runs);
}
