/* SPDX-License-Identifier: Apache-2.0 */
/* relax_report.c - records how a schema was relaxed for a target. Tests:
 * tests/schema/grammar/gbnf_test.c. */
#include "schema/relax_report.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"

void haft__relax_report_init(haft__relax_report *report, haft__arena *arena)
{
    *report = (haft__relax_report){.arena = arena};
}

static bool known(const haft__relax_report *report, haft_str where, haft_str what)
{
    for (size_t i = 0; i < report->count; i++) {
        if (haft__str_equal(report->items[i].where, where)
            && haft__str_equal(report->items[i].what, what)) {
            return true;
        }
    }
    return false;
}

/* Counts a line that is omitted. Omitted lines are not stored, so only a direct repetition is
 * detected. */
static void omit_line(haft__relax_report *report, haft_str where, haft_str what)
{
    uint64_t hash = 14695981039346656037U;
    for (size_t i = 0; i < where.len + what.len; i++) {
        char c = i < where.len ? where.ptr[i] : what.ptr[i - where.len];
        hash = (hash ^ (unsigned char)c) * 1099511628211U;
    }
    report->left_off += report->left_off == 0 || hash != report->last;
    report->last = hash;
}

static bool make_room(haft__relax_report *report)
{
    haft__relaxation *items =
        haft__vec_reserve_in(report->arena, report->items, report->count, &report->capacity,
                             report->count + 1, sizeof *items);
    report->items = items != NULL ? items : report->items;
    return items != NULL;
}

void haft__relax_report_add(haft__relax_report *report, haft_str where, haft_str what,
                            const char *became)
{
    if (report == NULL || report->status != HAFT_OK || known(report, where, what)) {
        return;
    }
    if (report->count == HAFT__LIMIT_GRAMMAR_RELAXED) {
        omit_line(report, where, what);
        return;
    }
    haft__relaxation item = {haft__arena_copy(report->arena, where),
                             haft__arena_copy(report->arena, what),
                             haft__arena_copy(report->arena, haft__str(became))};
    if (item.where.ptr == NULL || item.what.ptr == NULL || item.became.ptr == NULL
        || !make_room(report)) {
        report->status = haft__arena_fail(report->arena, NULL);
        return;
    }
    report->items[report->count++] = item;
}

size_t haft__relax_report_count(const haft__relax_report *report)
{
    return report != NULL ? report->count + report->left_off : 0;
}

void haft__relax_report_truncate(haft__relax_report *report, size_t count)
{
    if (count < haft__relax_report_count(report)) {
        report->count = count < report->count ? count : report->count;
        report->left_off = count - report->count;
    }
}

void haft__relax_report_write(haft__buf *buf, const haft__relax_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const haft__relaxation *item = &report->items[i];
        haft__buf_add_str(buf, item->where);
        haft__buf_add_str(buf, HAFT__LIT(": "));
        haft__buf_add_str(buf, item->what);
        haft__buf_add_str(buf, HAFT__LIT(" became "));
        haft__buf_add_str(buf, item->became);
        haft__buf_add_char(buf, '\n');
    }
    if (report->left_off > 0) {
        haft__buf_addf(buf, "and %zu more\n", report->left_off);
    }
}
