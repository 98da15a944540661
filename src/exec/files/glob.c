/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.c - matches compiled path patterns, which have one part for each name of a path.
 *
 * Matching backtracks only to the last star: the last `*` inside a name, the last `**` between
 * names. The last star can match everything that an earlier star could. So the cost is bounded by
 * the product of the lengths of pattern and path. Tests: tests/exec/files/glob_test.c.
 */
#include "exec/files/glob.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/files/glob_int.h"

static const haft__glob_segment any_parts[] = {
    {.kind = HAFT__GLOB_ANY_DEPTH},
    {.kind = HAFT__GLOB_SUFFIX, .text = {"", 0}},
};
static const haft__glob_path any_path = {any_parts, COUNT(any_parts), false};
const haft__glob haft__glob_match_all = {&any_path, 1};

/* ---- matching one name ---- */

/* The next character or byte; an invalid UTF-8 byte counts as a character. */
static size_t next_code(haft_str name, size_t at, bool bytes, uint32_t *ret_code)
{
    unsigned char byte = (unsigned char)name.ptr[at];
    size_t length = 0;
    if (!bytes && byte >= 0x80) {
        length = haft__utf8_decode(haft__str_skip(name, at), ret_code);
    }
    if (length == 0) {
        *ret_code = bytes || byte < 0x80 ? byte : HAFT__GLOB_NO_CHARACTER;
        length = 1;
    }
    return length;
}

static bool is_in(const haft__glob_token *token, uint32_t code)
{
    for (size_t i = 0; i < token->count; i++) {
        if (code >= token->ranges[i].from && code <= token->ranges[i].to) {
            return true;
        }
    }
    return false;
}

static bool fits(const haft__glob_token *token, uint32_t code)
{
    switch (token->kind) {
    case HAFT__GLOB_LITERAL: return code == token->code;
    case HAFT__GLOB_ANY_CHARACTER: return true;
    case HAFT__GLOB_CLASS: return is_in(token, code) != token->negated;
    case HAFT__GLOB_STAR: return false;
    }
    HAFT__UNREACHABLE();
}

static bool match_tokens(const haft__glob_segment *part, haft_str name, bool bytes)
{
    size_t t = 0, at = 0, back = SIZE_MAX, back_at = 0;
    uint32_t code;
    while (at < name.len) {
        size_t length = next_code(name, at, bytes, &code);
        if (t < part->count && part->tokens[t].kind == HAFT__GLOB_STAR) {
            back = ++t;
            back_at = at;
        } else if (t < part->count && fits(&part->tokens[t], code)) {
            t++;
            at += length;
        } else if (back != SIZE_MAX) { /* the star matches one more character */
            back_at += next_code(name, back_at, bytes, &code);
            at = back_at;
            t = back;
        } else {
            return false;
        }
    }
    while (t < part->count && part->tokens[t].kind == HAFT__GLOB_STAR) {
        t++;
    }
    return t == part->count;
}

static bool match_part(const haft__glob_segment *part, haft_str name, bool bytes)
{
    if (!bytes && haft__str_equal(name, part->text) && part->kind != HAFT__GLOB_SUFFIX) {
        return true; /* exact spelling, such as a file called [id].tsx */
    }
    if (!bytes && name.len > 0 && name.ptr[0] == '.' && !part->dot) {
        return false;
    }
    switch (part->kind) {
    case HAFT__GLOB_EXACT: return haft__str_equal(name, part->text);
    case HAFT__GLOB_SUFFIX: return haft__str_ends_with(name, part->text);
    case HAFT__GLOB_TOKENS: return match_tokens(part, name, bytes);
    case HAFT__GLOB_NO_MATCH:
    case HAFT__GLOB_ANY_DEPTH: return false;
    }
    HAFT__UNREACHABLE();
}

/* ---- a path ---- */

/* A position in the matching of a path: the next part, and the remaining names. */
typedef struct place {
    size_t part;
    haft_str rest;
    bool ended; /* no name remains */
} place;

static haft_str next_name(place *at)
{
    size_t before = at->rest.len;
    haft_str name = haft__str_split(&at->rest, '/');
    at->ended = name.len == before;
    return name;
}

/* Whether the names of `text` match the parts; with `beginning`, as a prefix of a longer path. */
static bool follow(const haft__glob_path *path, haft_str text, bool beginning)
{
    place at = {.rest = text, .ended = text.len == 0}, back = {.part = SIZE_MAX};
    while (!at.ended) {
        const haft__glob_segment *part = at.part < path->count ? &path->parts[at.part] : NULL;
        if (part != NULL && part->kind == HAFT__GLOB_ANY_DEPTH) {
            at.part++;
            back = at;
            continue;
        }
        place next = at;
        haft_str name = next_name(&next);
        if (part != NULL && match_part(part, name, path->bytes)) {
            at = (place){at.part + 1, next.rest, next.ended};
            continue;
        }
        if (back.part == SIZE_MAX) {
            return false;
        }
        name = next_name(&back); /* the ** matches one more name */
        if (!path->bytes && name.len > 0 && name.ptr[0] == '.') {
            return false;
        }
        at = back;
    }
    bool more = at.part < path->count; /* a path never ends in ANY_DEPTH */
    return beginning ? more || back.part != SIZE_MAX : !more;
}

bool haft__glob_matches(const haft__glob *glob_pattern, haft_str path)
{
    for (size_t i = 0; i < glob_pattern->count; i++) {
        if (follow(&glob_pattern->paths[i], path, false)) {
            return true;
        }
    }
    return false;
}

bool haft__glob_can_match_below(const haft__glob *glob_pattern, haft_str directory)
{
    for (size_t i = 0; i < glob_pattern->count; i++) {
        if (follow(&glob_pattern->paths[i], directory, true)) {
            return true;
        }
    }
    return false;
}
