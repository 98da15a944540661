/* SPDX-License-Identifier: Apache-2.0 */
/* event_reader.c - see event_reader.h. Tests: tests/store/store_test.c,
 * tests/store/sqlite/rows_test.c. */
#include "store/event_reader.h"

#include "base/str.h"
#include "base/utf8.h"

void haft__event_reader_init(haft__event_reader *reader, const haft__store_request *request,
                             uint64_t seq, uint64_t run_bytes)
{
    *reader = (haft__event_reader){.after = request->after < seq ? request->after : seq};
    reader->count = seq - reader->after;
    reader->count =
        request->limit > 0 && request->limit < reader->count ? request->limit : reader->count;
    haft__checksum_chain_start(&reader->chain, request->run.id);
    haft__packer_init(&reader->from, request->run.id, 0);
    haft__buf_init(&reader->text, run_bytes);
}

void haft__event_reader_finish(haft__event_reader *reader)
{
    haft__packer_finish(&reader->from);
    haft__buf_finish(&reader->text);
}

/* Unpacks one event of a row. Removes the event again if it is outside the range. */
static bool add_event(haft__event_reader *reader, haft_str line)
{
    size_t before = reader->text.len;
    bool valid = haft__packer_unpack(&reader->from, line, &reader->text);
    if (reader->from.seq <= reader->after || reader->from.seq > reader->after + reader->count) {
        reader->text.len = before;
    }
    return valid;
}

/* Unpacks the events of a row. False if the row is not valid or does not end with event `seq`. */
static bool add_row(haft__event_reader *reader, haft_str body, uint64_t seq)
{
    bool valid = haft__utf8_valid(body) && haft__str_ends_with(body, HAFT__LIT("\n"));
    haft__packer_start_row(&reader->from);
    while (valid && body.len > 0 && reader->from.seq < seq) {
        valid = add_event(reader, haft__str_split(&body, '\n'));
    }
    return valid && body.len == 0 && reader->from.seq == seq;
}

uint64_t haft__event_reader_read(haft__event_reader *reader,
                                 bool (*next)(void *rows, haft__event_row *ret_row), void *rows,
                                 uint64_t seq, const haft__checksum_chain *chain)
{
    haft__event_row row = {.seq = 0};
    uint64_t end = reader->after + reader->count;
    while (reader->from.seq < end) {
        uint64_t first = reader->from.seq + 1;
        if (!next(rows, &row)) {
            return first;
        }
        haft__checksum_chain_add(&reader->chain, row.body);
        if (row.invalid || !haft__str_equal(row.sum, haft__checksum_chain_str(&reader->chain))
            || !add_row(reader, row.body, row.seq)) {
            return first;
        }
    }
    if (end < seq) {
        return 0;
    }
    if (!haft__str_equal(haft__checksum_chain_str(&reader->chain),
                         haft__checksum_chain_str(chain))) {
        return end;
    }
    return next(rows, &row) ? end + 1 : 0;
}

haft_status haft__event_reader_result(const haft__event_reader *reader,
                                      haft__store_request *request, haft_error *err)
{
    haft_status status = haft__buf_check(&reader->text, err);
    if (status != HAFT_OK) {
        return status;
    }
    request->count = reader->count;
    request->text = haft__arena_copy(request->arena, haft__buf_str(&reader->text));
    return request->text.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
}
