/* SPDX-License-Identifier: Apache-2.0 */
/* event_reader.c - see event_reader.h. Tests: tests/store/store_test.c,
 * tests/store/sqlite/rows_test.c. */
#include "store/event_reader.h"

#include "base/str.h"
#include "base/utf8.h"

void haft__event_reader_init(haft__event_reader *part, const haft__store_request *request,
                             uint64_t seq, uint64_t run_bytes)
{
    *part = (haft__event_reader){.after = request->after < seq ? request->after : seq};
    part->count = seq - part->after;
    part->count = request->limit > 0 && request->limit < part->count ? request->limit : part->count;
    haft__checksum_chain_start(&part->chain, request->run.id);
    haft__packer_init(&part->from, request->run.id, 0);
    haft__buf_init(&part->text, run_bytes);
}

void haft__event_reader_finish(haft__event_reader *part)
{
    haft__packer_finish(&part->from);
    haft__buf_finish(&part->text);
}

/* Unpacks one event of a row; an event outside the range is dropped again. */
static bool add_event(haft__event_reader *part, haft_str line)
{
    size_t before = part->text.len;
    bool right = haft__packer_unpack(&part->from, line, &part->text);
    if (part->from.seq <= part->after || part->from.seq > part->after + part->count) {
        part->text.len = before;
    }
    return right;
}

/* Unpacks the events of a row. False if the row is not valid or does not end with event `seq`. */
static bool add_row(haft__event_reader *part, haft_str body, uint64_t seq)
{
    bool right = haft__utf8_valid(body) && haft__str_ends_with(body, HAFT__LIT("\n"));
    haft__packer_start_row(&part->from);
    while (right && body.len > 0 && part->from.seq < seq) {
        right = add_event(part, haft__str_split(&body, '\n'));
    }
    return right && body.len == 0 && part->from.seq == seq;
}

uint64_t haft__event_reader_read(haft__event_reader *part,
                                 bool (*next)(void *rows, haft__event_row *ret_row), void *rows,
                                 uint64_t seq, const haft__checksum_chain *chain)
{
    haft__event_row row = {.seq = 0};
    uint64_t end = part->after + part->count;
    while (part->from.seq < end) {
        uint64_t first = part->from.seq + 1;
        if (!next(rows, &row)) {
            return first;
        }
        haft__checksum_chain_add(&part->chain, row.body);
        if (row.wrong || !haft__str_equal(row.sum, haft__checksum_chain_str(&part->chain))
            || !add_row(part, row.body, row.seq)) {
            return first;
        }
    }
    if (end < seq) {
        return 0;
    }
    if (!haft__str_equal(haft__checksum_chain_str(&part->chain), haft__checksum_chain_str(chain))) {
        return end;
    }
    return next(rows, &row) ? end + 1 : 0;
}

haft_status haft__event_reader_result(const haft__event_reader *part, haft__store_request *request,
                                      haft_error *err)
{
    haft_status status = haft__buf_check(&part->text, err);
    if (status != HAFT_OK) {
        return status;
    }
    request->count = part->count;
    request->text = haft__arena_copy(request->arena, haft__buf_str(&part->text));
    return request->text.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}
