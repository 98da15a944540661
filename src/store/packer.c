/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packer.c - packs events: omits the parts that the row already contains.
 *
 * An event is split only if unpacking restores the same bytes: the packer builds the head that the
 * event would get and compares it.
 * Tests: tests/store/packer_test.c.
 */
#include "store/packer.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/event.h"

/* An event begins with {"seq":7,"at":". */
#define BEFORE_SEQ HAFT__LIT("{\"seq\":")
#define BEFORE_AT  HAFT__LIT(",\"at\":\"")

void haft__packer_init(haft__packer *packer, haft_str run, uint64_t seq)
{
    *packer = (haft__packer){.run = run, .seq = seq};
    haft__buf_init(&packer->head, HAFT__LIMIT_STORE_TEXT_BYTES);
}

void haft__packer_finish(haft__packer *packer)
{
    haft__buf_finish(&packer->head);
}

void haft__packer_start_row(haft__packer *packer)
{
    packer->at_ms = 0;
}

/* Reads the time of an event. False if it is not right after the number. */
static bool find_time(haft_str line, uint64_t *ret_ms)
{
    const size_t length = HAFT__TIME_SIZE - 1;
    haft_str rest = haft__str_skip(line, BEFORE_SEQ.len);
    (void)haft__str_split(&rest, ','); /* the number, with the comma of BEFORE_AT */
    haft_str at = haft__str_skip(rest, BEFORE_AT.len - 1);
    return at.len >= length && haft__time_parse((haft_str){at.ptr, length}, ret_ms);
}

/* Whether the line equals the output of haft__event_write for its time and body. */
static bool split_event(haft__packer *packer, haft_str line, uint64_t *ret_ms, haft_str *ret_body)
{
    bool timed = haft__str_starts_with(line, BEFORE_SEQ) && find_time(line, ret_ms);
    if (!timed || *ret_ms < packer->at_ms) {
        return false;
    }
    haft__buf_clear(&packer->head);
    haft__event_write(&packer->head, packer->seq, *ret_ms, packer->run, HAFT__LIT("\""));
    haft_str head = haft__buf_str(&packer->head);
    if (haft__buf_check(&packer->head, NULL) != HAFT_OK || !haft__str_starts_with(line, head)) {
        return false;
    }
    *ret_body = haft__str_skip(line, head.len - 1);
    return true;
}

void haft__packer_pack(haft__packer *packer, haft_str line, haft__buf *to)
{
    uint64_t at_ms = 0;
    haft_str body = line;
    packer->seq++;
    if (split_event(packer, line, &at_ms, &body)) {
        haft__buf_add_char(to, '@');
        haft__buf_add_int(to, (int64_t)(at_ms - packer->at_ms));
        packer->at_ms = at_ms;
    } else {
        haft__buf_add_char(to, '=');
    }
    haft__buf_add_str(to, body);
    haft__buf_add_char(to, '\n');
}

/* Splits a packed line into its time and its body. */
static bool split_time(haft_str text, uint64_t *ret_ms, haft_str *ret_body)
{
    size_t digits = 0;
    while (digits < text.len && haft__ascii_is_digit(text.ptr[digits])) {
        digits++;
    }
    *ret_body = haft__str_skip(text, digits);
    return haft__str_to_u64((haft_str){text.ptr, digits}, ret_ms)
           && haft__str_starts_with(*ret_body, HAFT__LIT("\""));
}

bool haft__packer_unpack(haft__packer *packer, haft_str line, haft__buf *to)
{
    haft_str text = haft__str_skip(line, 1), body = text;
    uint64_t ms = 0;
    packer->seq++;
    if (haft__str_starts_with(line, HAFT__LIT("="))) {
        haft__buf_add_str(to, text);
    } else if (haft__str_starts_with(line, HAFT__LIT("@")) && split_time(text, &ms, &body)) {
        packer->at_ms += ms;
        haft__event_write(to, packer->seq, packer->at_ms, packer->run, body);
    } else {
        return false;
    }
    haft__buf_add_char(to, '\n');
    return true;
}
