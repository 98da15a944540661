/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob_braces.c - expands {a,b} in a path pattern.
 *
 * Each round expands the first braces of one pattern and adds at least one pattern, so the limit on
 * patterns bounds the work too. Tests: tests/exec/files/glob_braces_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/files/glob_int.h"

/* Positions of a group in its pattern: its braces and its first comma. */
typedef struct group {
    size_t open, comma, close;
} group;

/* The end of the unit at `at`: a class or an escaped byte as a whole, else one byte. */
static size_t skip_unit(haft_str text, size_t at)
{
    if (text.ptr[at] == '\\' && at + 1 < text.len) {
        return at + 2;
    }
    if (text.ptr[at] != '[') {
        return at + 1;
    }
    size_t end = at + 1;
    end += end < text.len && (text.ptr[end] == '!' || text.ptr[end] == '^');
    for (end++; end < text.len; end++) { /* the first item may be a ] */
        if (text.ptr[end] == ']') {
            return end + 1;
        }
    }
    return at + 1;
}

/* The end of the alternative at `at`: its comma or brace; text.len if it has none. */
static size_t end_of_alternative(haft_str text, size_t at)
{
    for (size_t depth = 0; at < text.len; at = skip_unit(text, at)) {
        char c = text.ptr[at];
        if (depth == 0 && (c == ',' || c == '}')) {
            return at;
        }
        depth += c == '{';
        depth -= c == '}';
    }
    return text.len;
}

static group read_group(haft_str text, size_t open)
{
    size_t at = end_of_alternative(text, open + 1);
    group g = {open, at, at};
    while (g.close < text.len && text.ptr[g.close] == ',') {
        g.close = end_of_alternative(text, g.close + 1);
    }
    return g;
}

static haft_status fail_braces(haft_str text, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "", "the braces in '%.*s' are unbalanced", HAFT__ARG(text));
    return haft__hint(err, status, "{a,b} means a or b; write \\{ for a literal brace");
}

/* The first group with a comma; .open is text.len if none exists. */
static haft_status find_group(haft_str text, group *ret_group, haft_error *err)
{
    size_t unclosed = 0;
    for (size_t at = 0; at < text.len; at = skip_unit(text, at)) {
        if (text.ptr[at] == '{') {
            *ret_group = read_group(text, at);
            if (ret_group->close >= text.len) {
                return fail_braces(text, err);
            }
            if (ret_group->comma < ret_group->close) {
                return HAFT_OK;
            }
            unclosed++;
        } else if (text.ptr[at] == '}') {
            if (unclosed == 0) {
                return fail_braces(text, err);
            }
            unclosed--;
        }
    }
    *ret_group = (group){text.len, text.len, text.len};
    return HAFT_OK;
}

/* The text with from..to in place of the group. */
static haft_str put(haft__arena *arena, haft_str text, group g, size_t from, size_t to)
{
    size_t length = to - from, tail = text.len - g.close - 1;
    char *made = haft__arena_alloc(arena, g.open + length + tail + 1);
    if (made == NULL) {
        return (haft_str){NULL, 0};
    }
    memcpy(made, text.ptr, g.open);
    memcpy(made + g.open, text.ptr + from, length);
    memcpy(made + g.open + length, text.ptr + g.close + 1, tail);
    return (haft_str){made, g.open + length + tail};
}

/* Replaces texts[done] by its first alternative and appends the others. */
static haft_status replace_group(haft__glob_expansion *e, group g, haft_error *err)
{
    haft_str text = e->texts[e->done];
    size_t slot = e->done;
    for (size_t from = g.open + 1, to;; from = to + 1) {
        to = end_of_alternative(text, from);
        if (slot == COUNT(e->texts)) {
            haft_status status =
                haft__fail(err, HAFT_TOO_BIG, "", "the braces stand for more than %d patterns",
                           HAFT__LIMIT_FILES_GLOB_ALTERNATIVES);
            return haft__hint(err, status, "write fewer alternatives, or *");
        }
        e->texts[slot] = put(e->arena, text, g, from, to);
        if (e->texts[slot].ptr == NULL) {
            return haft__arena_fail(e->arena, err);
        }
        if (to == g.close) {
            return HAFT_OK;
        }
        slot = e->count++;
    }
}

haft_status haft__glob_expand(haft__glob_expansion *expansion, haft_str pattern, haft_error *err)
{
    expansion->texts[0] = pattern;
    expansion->count = 1;
    expansion->done = 0;
    while (expansion->done < expansion->count) {
        group g = {0, 0, 0};
        haft_status status = find_group(expansion->texts[expansion->done], &g, err);
        if (status == HAFT_OK && g.open < g.close) {
            status = replace_group(expansion, g, err);
        } else {
            expansion->done++;
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}
