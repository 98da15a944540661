/* SPDX-License-Identifier: Apache-2.0 */
/* event_words.c - tables of words. Tests: tests/cli/timeline/event_words_test.c. */
#include "cli/timeline/event_words.h"

#include "base/macros.h"
#include "base/str.h"
#include "cli/terminal/amount.h"
#include "cli/timeline/context_bar.h"
#include "tool/builtin.h"
#include "json/object.h"

typedef struct row {
    const char *value, *words;
} row;

static haft_str find(const row *rows, size_t count, haft_str value)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(value, haft__str(rows[i].value))) {
            return haft__str(rows[i].words);
        }
    }
    return value;
}

haft_str haft__event_words_violation(haft_str violation)
{
    static const row rows[] = {
        {"empty_reply", "it was empty"},
        {"text_instead_of_call", "it was text, but a tool must be used"},
        {"only_disallowed_calls", "it called only tools that are not allowed now"},
        {"wrong_tool", "it called another tool than the one that must be used"},
        {"calls_under_none", "it called a tool, but an answer was due"},
    };
    return find(rows, COUNT(rows), violation);
}

haft_str haft__event_words_verdict(haft_str verdict)
{
    static const row rows[] = {
        {"approve", "approved"},     {"edit", "approved with other arguments"},
        {"reject", "rejected"},      {"respond", "answered in place of the tool"},
        {"answer", "answered"},      {"error", "reported as failed"},
        {"retry", "to be repeated"}, {"expire", "expired"},
    };
    return find(rows, COUNT(rows), verdict);
}

void haft__event_words_nodes(haft__buf *buf, const haft__event *event)
{
    haft__json nodes = haft__object_array(event->object, "nodes");
    for (uint32_t i = 0; i < nodes.count;) {
        haft_str name = haft__object_string(nodes.items[i], "node");
        uint32_t first = i;
        while (i < nodes.count
               && haft__str_equal(haft__object_string(nodes.items[i], "node"), name)) {
            i++;
        }
        haft__buf_add_str(buf, first > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__buf_add_str(buf, name);
        if (i - first > 1) {
            haft__buf_addf(buf, " x%u", i - first);
        }
    }
}

/* ---- middleware ---- */

bool haft__event_words_is_quiet(const haft__event *event)
{
    haft_str what = haft__object_text(event->object, "what");
    return haft__str_equal(what, HAFT__LIT("allowed"))
           || haft__str_equal(what, HAFT__LIT("passed"));
}

const char *haft__event_words_todo(haft_str status)
{
    return haft__str_equal(status, HAFT__LIT("completed"))     ? "[x]"
           : haft__str_equal(status, HAFT__LIT("in_progress")) ? "[>]"
                                                               : "[ ]";
}

haft__json haft__event_words_todos(const haft__event *event)
{
    bool writes =
        haft__str_equal(haft__object_text(event->object, "tool"), HAFT__LIT(HAFT__WRITE_TODOS));
    return writes ? haft__object_array(haft__object_object(event->object, "arguments"), "todos")
                  : haft__json_array(NULL, 0);
}

/* ---- the context ---- */

static uint64_t number_of(haft__json object, const char *key)
{
    return haft__object_number(object, key, 0);
}

void haft__event_words_context(haft__buf *buf, const haft__event *event, bool unicode)
{
    haft_str what = haft__object_text(event->object, "what");
    uint64_t budget = number_of(event->object, "budget");
    haft__context_bar bar = {.used = number_of(event->object, "after"),
                             .tokens = budget > 0 ? budget : 1};
    if (haft__str_equal(what, HAFT__LIT("cleared"))) {
        uint32_t count = haft__object_array(event->object, "calls").count;
        haft__buf_addf(buf, "cleared %u observation%s: ", count, count == 1 ? "" : "s");
    } else {
        haft__buf_addf(buf, "%.*s old turns: ", HAFT__ARG(what));
    }
    haft__context_bar_add(buf, &bar, unicode);
    haft__buf_add_char(buf, ' ');
    haft__amount_add_count(buf, bar.used);
    haft__buf_add_str(buf, HAFT__LIT(" of "));
    haft__amount_add_tokens(buf, budget);
    haft__buf_add_str(buf, HAFT__LIT(" ("));
    haft__amount_add_count(buf, number_of(event->object, "before"));
    haft__buf_add_str(buf, HAFT__LIT(" before)"));
}

bool haft__event_words_context_of_reply(haft__buf *buf, const haft__event *event, bool unicode)
{
    haft__json context = haft__object_object(event->object, "context");
    haft__json usage = haft__object_object(event->object, "usage");
    uint64_t reported = number_of(usage, "input_tokens");
    haft__context_bar bar = {.used = reported > 0 ? reported : number_of(context, "estimated"),
                             .tokens = number_of(context, "tokens"),
                             .reserve = number_of(context, "reserve")};
    if (bar.tokens > 0) {
        haft__context_bar_add(buf, &bar, unicode);
    }
    return bar.tokens > 0;
}
