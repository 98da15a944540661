/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results.c - texts of earlier results for the arguments of the next call: a column of a table, and
 * the results themselves for a tool that writes.
 *
 * Only names of columns and quoted text are passed on, never a value that a result assigns to an
 * argument. Tests: tests/model/rules/results_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/offline_int.h"
#include "json/read.h"

#define TABLE_BYTES  ((size_t)256 << 10) /* a longer result is not read as a table */
#define TASK_CHARS   500U
#define RESULT_CHARS 200U

/* ---- a column ---- */

static bool is_id(haft_str name)
{
    return name.len >= 2 && memcmp(name.ptr + name.len - 2, "id", 2) == 0;
}

/* The first row of the table; null if the result is not a table. */
static haft__json first_row(haft__offline *o, const haft__offline_call *call)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value = haft__json_null();
    options.hash_key = HAFT__OFFLINE_KEY;
    if (!haft__offline_is_quotable(call) || call->result.len > TABLE_BYTES) {
        return value;
    }
    haft_status status = haft__json_read(o->arena, call->result, &options, &value, NULL, NULL);
    if (status != HAFT_OK) {
        (void)haft__offline_ok(o,
                               status == HAFT_NO_MEMORY ? haft__fail_no_memory(o->err) : HAFT_OK);
        return haft__json_null();
    }
    return value.kind == HAFT__JSON_ARRAY && value.count > 0 ? value.items[0] : value;
}

haft_str haft__offline_result_column(haft__offline *o, unsigned nth)
{
    for (size_t i = 0; i < o->history.count; i++) {
        haft__json row = first_row(o, &o->history.calls[i]);
        for (uint32_t k = 0; row.kind == HAFT__JSON_OBJECT && k < row.count; k++) {
            haft_str name = haft__json_text(row.members[k].key);
            bool number = row.members[k].value.kind == HAFT__JSON_NUMBER;
            if (number && !is_id(name) && nth-- == 0) {
                return name;
            }
        }
    }
    return HAFT__LIT("");
}

/* ---- all results ---- */

static void write_results(haft__buf *buf, const haft__offline *o)
{
    haft__offline_quote_line(buf, o->words.task, TASK_CHARS);
    for (size_t i = 0; i < o->history.count; i++) {
        const haft__offline_call *call = &o->history.calls[i];
        if (haft__offline_is_quotable(call)) {
            haft__buf_addf(buf, "\n- %.*s: ", HAFT__ARG(call->name));
            haft__offline_quote_line(buf, haft__str_trim(call->result), RESULT_CHARS);
        }
    }
}

haft_str haft__offline_results_text(haft__offline *o)
{
    for (size_t i = 0; i < o->history.count; i++) {
        if (haft__offline_is_quotable(&o->history.calls[i])) {
            return haft__offline_write(o, write_results);
        }
    }
    return HAFT__LIT("");
}
