/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ecma_group.c - groups and back references to them.
 *
 * In ECMA-262, a reference inside its group or before it matches only the empty text: to reach it
 * again, a match must start a new iteration of a repeat around both, which clears the capture. Such
 * a reference is omitted from the translation, and also a reference to a group that is omitted
 * because it is repeated zero times.
 *
 * The other references are checked at the end, when all quantifiers are known. PCRE2 and ECMA-262
 * capture differently if:
 *   1. an iteration of a repeat around the group can skip the group: (?:(a)|b)*\1
 *   2. an iteration of a repeat around the group, but not around the reference, can be empty:
 *      (a*)*\1
 *   3. the group is repeated in a look-behind, which ECMA-262 matches from its end: (?<=(a|b){2})\1
 *   4. the reference itself is in a look-behind (PCRE2 does not support it).
 * In these cases the expression is rejected, so every accepted expression has its ECMA-262 meaning.
 * Tests: tests/schema/regex/ecma_group_test.c.
 */
#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "schema/regex/ecma_int.h"

haft__ecma_group *haft__ecma_group_at(const haft__ecma_reader *p, uint32_t number)
{
    return (haft__ecma_group *)(void *)p->groups.ptr + (number - 1);
}

uint32_t haft__ecma_group_count(const haft__ecma_reader *p)
{
    return (uint32_t)(p->groups.len / sizeof(haft__ecma_group));
}

/* The number of the group with that name, 0 if it does not exist yet. */
static uint32_t find_name(const haft__ecma_reader *p, haft__ecma_name name)
{
    for (uint32_t i = 1; i <= haft__ecma_group_count(p); i++) {
        haft__ecma_name other = haft__ecma_group_at(p, i)->name;
        if (other.length > 0 && haft__ecma_same_name(p, other, name)) {
            return i;
        }
    }
    return 0;
}

static uint32_t find_capture(const haft__ecma_reader *p, uint32_t capture)
{
    for (uint32_t i = 1; i <= haft__ecma_group_count(p); i++) {
        if (haft__ecma_group_at(p, i)->capture == capture) {
            return i;
        }
    }
    return 0;
}

static uint32_t find_group(const haft__ecma_reader *p, const haft__ecma_reference *ref)
{
    return ref->capture > 0 ? find_capture(p, ref->capture) : find_name(p, ref->name);
}

void haft__ecma_drop_groups(haft__ecma_reader *p, uint32_t count)
{
    for (uint32_t i = haft__ecma_group_count(p); i > count; i--) {
        haft__ecma_group *group = haft__ecma_group_at(p, i);
        p->written -= group->written > 0 ? 1 : 0;
        group->written = 0;
    }
}

static bool is_behind(haft__ecma_group_kind kind)
{
    return kind == HAFT__ECMA_GROUP_LOOKBEHIND || kind == HAFT__ECMA_GROUP_NEGATIVE_LOOKBEHIND;
}

haft_status haft__ecma_open_group(haft__ecma_reader *p, haft__ecma_group_kind kind, size_t open,
                                  bool named)
{
    if (++p->depth > HAFT__LIMIT_PATTERN_NESTING) {
        return haft__ecma_fail(p, HAFT_TOO_BIG, open, "groups are nested more than %d deep",
                               HAFT__LIMIT_PATTERN_NESTING);
    }
    haft__ecma_name name = {0, 0};
    if (named) {
        haft_status status = haft__ecma_read_name(p, &name);
        if (status != HAFT_OK) {
            return status;
        }
        if (find_name(p, name) != 0) {
            return haft__ecma_fail(p, HAFT_BAD_INPUT, name.at, "two groups have the name `%.*s`",
                                   (int)name.length, p->source.ptr + name.at);
        }
    }
    p->behind = p->behind || is_behind(kind);
    bool captures = kind == HAFT__ECMA_GROUP_CAPTURE;
    haft__ecma_group group = {
        .kind = kind,
        .parent = p->group,
        .capture = captures ? ++p->captures : 0,
        .written = captures && p->has_references ? ++p->written : 0,
        .open = (uint32_t)open,
        .name = name,
        .min = 1,
        .max = 1,
        .behind = p->behind,
    };
    haft__buf_add(&p->groups, (const char *)&group, sizeof(group));
    p->group = haft__ecma_group_count(p);
    return haft__buf_check(&p->groups, p->err);
}

static uint32_t read_number(haft__ecma_reader *p)
{
    uint32_t number = 0;
    for (int c = haft__ecma_peek(p); haft__ascii_is_digit(c); c = haft__ecma_peek(p)) {
        number = number > HAFT__LIMIT_PATTERN_BYTES ? number : number * 10 + (uint32_t)(c - '0');
        p->at++;
    }
    return number;
}

static haft_status read_reference(haft__ecma_reader *p, haft__ecma_reference *ret_ref)
{
    *ret_ref = (haft__ecma_reference){.at = (uint32_t)p->at - 1};
    if (!haft__ecma_accept(p, 'k')) {
        ret_ref->capture = read_number(p);
        return HAFT_OK;
    }
    if (!haft__ecma_accept(p, '<')) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, ret_ref->at,
                               "`\\k` must be followed by the name of a group: `\\k<name>`");
    }
    return haft__ecma_read_name(p, &ret_ref->name);
}

haft_status haft__ecma_reference_term(haft__ecma_reader *p)
{
    haft__ecma_reference ref;
    haft_status status = read_reference(p, &ref);
    if (status != HAFT_OK) {
        return status;
    }
    if (p->behind) {
        return haft__ecma_fail(p, HAFT_UNSUPPORTED, ref.at,
                               "a back reference in a look-behind is not supported");
    }
    uint32_t number = find_group(p, &ref);
    const haft__ecma_group *group = number > 0 ? haft__ecma_group_at(p, number) : NULL;
    uint32_t written = group != NULL && group->close > 0 ? group->written : 0;
    ref.live = written > 0;
    haft__buf_add(&p->references, (const char *)&ref, sizeof(ref));
    if (ref.live) {
        haft__buf_addf(p->out, "(?:(?C'%u')\\g{%u})", written, written);
    } else {
        haft__buf_add_str(p->out, HAFT__LIT("(?:)"));
    }
    return haft__buf_check(&p->references, p->err);
}

/* Applies rules 1 to 3 above to one group that encloses the referenced group, or is this group.
 * `missable`: an iteration of it can skip the referenced group. */
static bool captures_differ(const haft__ecma_group *group, bool has_reference, bool missable)
{
    bool loops = group->max > 1;
    bool may_skip = group->min == 0;
    return (loops && (missable || group->behind))
           || (group->nullable && (loops || may_skip) && !has_reference);
}

static bool is_equivalent(const haft__ecma_reader *p, const haft__ecma_reference *ref)
{
    bool missable = false;
    for (uint32_t i = find_group(p, ref); i > 0;) {
        const haft__ecma_group *group = haft__ecma_group_at(p, i);
        bool has_reference = group->open < ref->at && ref->at < group->close;
        if (captures_differ(group, has_reference, missable)) {
            return false;
        }
        if (has_reference && group->max > 1) {
            return true; /* outer repeats do not matter: in each iteration, this repeat begins again
                          */
        }
        missable = missable || group->min == 0;
        i = group->parent;
        missable = missable || (i > 0 && haft__ecma_group_at(p, i)->alternatives > 1);
    }
    return true;
}

static haft_status fail_missing(const haft__ecma_reader *p, const haft__ecma_reference *ref)
{
    if (ref->capture == 0) {
        return haft__ecma_fail(p, HAFT_BAD_INPUT, ref->at, "there is no group named `%.*s`",
                               (int)ref->name.length, p->source.ptr + ref->name.at);
    }
    haft_status status = haft__ecma_fail(
        p, HAFT_BAD_INPUT, ref->at,
        "a back reference to a group that does not exist: the expression has %u", p->captures);
    return haft__hint(p->err, status, "write \\xHH for the character with that code");
}

haft_status haft__ecma_check_references(const haft__ecma_reader *p)
{
    const haft__ecma_reference *refs = (const haft__ecma_reference *)(void *)p->references.ptr;
    for (size_t i = 0; i < p->references.len / sizeof(*refs); i++) {
        if (find_group(p, &refs[i]) == 0) {
            return fail_missing(p, &refs[i]);
        }
        if (refs[i].live && !is_equivalent(p, &refs[i])) {
            haft_status status =
                haft__ecma_fail(p, HAFT_UNSUPPORTED, refs[i].at,
                                "a back reference to a group in a part that is repeated and may "
                                "leave the group out is not supported");
            return haft__hint(p->err, status, "put the group outside the repeat");
        }
    }
    return HAFT_OK;
}
