/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.c - choice.evidence_first: cheap tools must be called first. A heavy call needs an
 * earlier result that names its file, and all calls of a run share a cost budget.
 *
 * The model always has a possible call: the rule requires evidence only while a cheaper data tool
 * may be called, and never if the mode forces the heavy tool.
 *
 * Tests: tests/choice/evidence_test.c.
 */
#include "base/ascii.h"
#include "base/macros.h"
#include "base/shown_name.h"
#include "base/str.h"
#include "choice/choice_int.h"
#include "tool/wire_name.h"

/* Units of choice.cost_budget. A heavy call reads a whole file. */
static const uint32_t units[] = {
    [HAFT__COST_FREE] = 0,
    [HAFT__COST_LIGHT] = 1,
    [HAFT__COST_HEAVY] = 4,
};

uint32_t haft__evidence_cost(haft__tool_cost cost)
{
    return units[cost];
}

/* ---- names of files in texts ---- */

static haft_str without_dot(haft_str path)
{
    return haft__str_starts_with(path, HAFT__LIT("./")) ? haft__str_skip(path, 2) : path;
}

bool haft__evidence_lists(haft_str result, haft_str path)
{
    path = without_dot(path);
    while (path.len > 0 && result.len > 0) {
        size_t end = 0;
        haft_str line = without_dot(haft__str_split(&result, '\n'));
        if (haft__shown_name_is_prefix(line, path, &end)
            && (end == line.len || line.ptr[end] == ':')) {
            return true;
        }
    }
    return false;
}

/* Whether the byte belongs to a path: letters, digits, and bytes that are not ASCII. A dot belongs
 * to a path only if another such byte follows it, so that the end of a sentence does not. */
static bool is_path_byte(haft_str text, size_t at)
{
    at += text.ptr[at] == '.' && at + 1 < text.len ? 1 : 0;
    unsigned char c = (unsigned char)text.ptr[at];
    return haft__ascii_is_alphanumeric(c) || c >= 0x80 || c == '_' || c == '-' || c == '/';
}

static bool has_word(haft_str text, haft_str word)
{
    for (size_t at = 0; word.len > 0 && at + word.len <= text.len; at++) {
        if (memcmp(text.ptr + at, word.ptr, word.len) == 0
            && (at == 0 || text.ptr[at - 1] == '/' || !is_path_byte(text, at - 1))
            && (at + word.len == text.len || !is_path_byte(text, at + word.len))) {
            return true;
        }
    }
    return false;
}

bool haft__evidence_names(haft_str task, haft_str path)
{
    path = without_dot(path);
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/') {
        start--;
    }
    return has_word(task, path) || has_word(task, haft__str_skip(path, start));
}

/* ---- the verdict ---- */

static bool has_evidence(const haft__evidence_facts *facts)
{
    if (facts->path.len == 0) {
        return facts->result_count > 0;
    }
    bool found = haft__evidence_names(facts->task, facts->path);
    for (size_t i = 0; i < facts->result_count && !found; i++) {
        found = haft__evidence_lists(facts->results[i], facts->path);
    }
    return found;
}

haft__evidence_verdict haft__evidence_judge(const haft__evidence_facts *facts)
{
    uint32_t cost = haft__evidence_cost(facts->cost);
    uint32_t left =
        facts->cost_budget > facts->cost_used ? facts->cost_budget - facts->cost_used : 0;
    if (facts->cost == HAFT__COST_HEAVY && facts->cheaper && !facts->forced
        && !has_evidence(facts)) {
        return HAFT__EVIDENCE_MISSING;
    }
    return cost > left && !facts->repeated ? HAFT__EVIDENCE_OVER_BUDGET : HAFT__EVIDENCE_FINE;
}

/* ---- text for the model ---- */

static void add_names(haft__buf *buf, const haft_str *names, size_t count)
{
    haft__name_list list = {buf, 0, 0};
    for (size_t i = 0; i < count; i++) {
        haft__name_list_add(&list, names[i]);
    }
    haft__name_list_end(&list);
}

void haft__evidence_explain(haft__buf *buf, const haft__evidence_facts *facts,
                            haft__evidence_verdict verdict, const haft_str *names, size_t count)
{
    haft__wire_name wire = haft__wire_name_encode(facts->tool);
    switch (verdict) {
    case HAFT__EVIDENCE_FINE: return;
    case HAFT__EVIDENCE_MISSING:
        haft__buf_addf(buf, "Error: %s is refused: it is an expensive call, and ", wire.text);
        if (facts->path.len > 0) {
            haft__buf_addf(buf, "no result so far has pointed to \"%.*s\". First call ",
                           HAFT__ARG(facts->path));
            add_names(buf, names, count);
            haft__buf_addf(buf,
                           " to find where the answer is, then call %s for a file that a "
                           "result lists.",
                           wire.text);
        } else {
            haft__buf_add_str(buf, HAFT__LIT("no cheaper call has a result yet. First call "));
            add_names(buf, names, count);
            haft__buf_add_char(buf, '.');
        }
        return;
    case HAFT__EVIDENCE_OVER_BUDGET:
        haft__buf_addf(buf, "Not run: %s costs %u, and %u of the cost budget of %u are used. ",
                       wire.text, haft__evidence_cost(facts->cost), facts->cost_used,
                       facts->cost_budget);
        if (count > 0) {
            haft__buf_add_str(buf, HAFT__LIT("Call "));
            add_names(buf, names, count);
            haft__buf_add_str(buf, HAFT__LIT(", or answer with what you have."));
        } else {
            haft__buf_add_str(buf, HAFT__LIT("Answer with what you have."));
        }
        return;
    }
    HAFT__UNREACHABLE();
}
