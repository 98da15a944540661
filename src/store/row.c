/* SPDX-License-Identifier: Apache-2.0 */
/* row.c - reads a run from a database row. Tests: tests/store/store_find_test.c. */
#include "store/row.h"

#include "base/limits.h"
#include "base/str.h"

static haft_str read_name(const haft__row_columns *columns, haft__arena *arena)
{
    return columns->text(columns->from, HAFT__LIMIT_STORE_NAME_BYTES, arena);
}

static uint64_t read_number(const haft__row_columns *columns, uint64_t max)
{
    uint64_t number = columns->number(columns->from);
    *columns->invalid = *columns->invalid || number > max;
    return number <= max ? number : 0;
}

static haft__run_state read_state(const haft__row_columns *columns)
{
    return (haft__run_state)read_number(columns, HAFT__RUN_STATE_ENDED);
}

static haft__store_run empty_run(void)
{
    haft_str empty = HAFT__LIT("");
    return (haft__store_run){
        .id = empty,
        .thread = empty,
        .parent = empty,
        .user = empty,
        .name = empty,
        .task = empty,
        .spec_hash = empty,
        .spec = empty,
        .spec_path = empty,
        .owner = empty,
        .end = empty,
        .answer = empty,
    };
}

void haft__row_read_summary(const haft__row_columns *columns, haft__arena *arena,
                            haft__store_run *ret_run)
{
    *ret_run = empty_run();
    ret_run->id = read_name(columns, arena);
    ret_run->state = read_state(columns);
    ret_run->seq = columns->number(columns->from);
    ret_run->epoch = columns->number(columns->from);
    ret_run->owner = read_name(columns, arena);
    ret_run->lease_ms = columns->number(columns->from);
    ret_run->created_ms = columns->number(columns->from);
    ret_run->updated_ms = columns->number(columns->from);
    ret_run->wake_ms = columns->number(columns->from);
    ret_run->turns = (uint32_t)read_number(columns, UINT32_MAX);
    ret_run->calls = (uint32_t)read_number(columns, UINT32_MAX);
    ret_run->thread = read_name(columns, arena);
    ret_run->parent = read_name(columns, arena);
    ret_run->user = read_name(columns, arena);
    ret_run->name = read_name(columns, arena);
    ret_run->spec_hash = read_name(columns, arena);
    ret_run->spec_path = read_name(columns, arena);
    ret_run->end = read_name(columns, arena);
    ret_run->task = columns->content(columns->from, arena);
}

void haft__row_read_full(const haft__row_columns *columns, haft__arena *arena,
                         haft__store_run *ret_run)
{
    haft__row_read_summary(columns, arena, ret_run);
    ret_run->answer = columns->text(columns->from, HAFT__LIMIT_STORE_TEXT_BYTES, arena);
    ret_run->spec = columns->content(columns->from, arena);
}

void haft__row_read_ownership(const haft__row_columns *columns, haft__arena *arena,
                              haft__store_run *ret_run)
{
    *ret_run = empty_run();
    ret_run->id = read_name(columns, arena);
    ret_run->state = read_state(columns);
    ret_run->owner = read_name(columns, arena);
    ret_run->lease_ms = columns->number(columns->from);
}

void haft__row_read_history(const haft__row_columns *columns, haft__arena *arena,
                            haft__store_run *ret_run)
{
    *ret_run = empty_run();
    ret_run->state = HAFT__RUN_STATE_ENDED;
    ret_run->id = read_name(columns, arena);
    ret_run->created_ms = columns->number(columns->from);
    ret_run->end = read_name(columns, arena);
    ret_run->task = columns->content(columns->from, arena);
    ret_run->answer = columns->text(columns->from, HAFT__LIMIT_STORE_TEXT_BYTES, arena);
}

/* Reads one row. Texts with a wrong checksum are cleared; every other column is checked by
 * itself. */
void haft__row_read(const haft__row_columns *columns, haft__row_reader *reader, haft__arena *arena,
                    haft__store_run *ret_run)
{
    reader(columns, arena, ret_run);
    if (*columns->invalid && ret_run->id.len > 0) {
        *columns->invalid = false;
        ret_run->damaged = true;
        ret_run->task = ret_run->spec = HAFT__LIT("");
    }
}

static bool includes_damaged(const haft__store_request *request)
{
    return request->include_damaged || request->verb == HAFT__STORE_LIST
           || request->verb == HAFT__STORE_PREDECESSORS;
}

const haft__store_run *haft__row_first_damaged(const haft__store_request *request)
{
    size_t at = includes_damaged(request) ? request->found_count : 0;
    while (at < request->found_count && !request->found[at].damaged) {
        at++;
    }
    return at < request->found_count ? &request->found[at] : NULL;
}

void haft__row_report_damaged(haft__store_request *request, haft_str id)
{
    if (request->verb == HAFT__STORE_CLAIM_NEXT) {
        (void)snprintf(request->damaged, sizeof(request->damaged), "%.*s", HAFT__ARG(id));
    }
}
