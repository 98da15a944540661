/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob_compile.c - parses path patterns. Classes follow git's wildmatch. Tests:
 * tests/exec/files/glob_compile_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "exec/files/glob_int.h"

typedef struct reader {
    haft__arena *arena;
    haft_str text;
    size_t at;
    bool bytes;    /* git's dialect */
    bool anywhere; /* matches a name: ** means * */
    haft__glob_segment *parts;
    size_t count;
    /* Capacity for all tokens and ranges; the pattern has at least as many bytes. */
    haft__glob_token *tokens;
    haft__glob_range *ranges;
    size_t token_count, range_count;
} reader;

/* ---- classes ---- */

static const struct {
    const char *name;
    haft__glob_range ranges[4];
} named[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{1, 31}, {127, 127}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{33, 126}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{32, 126}}},
    {"punct", {{33, 47}, {58, 64}, {91, 96}, {123, 126}}},
    {"space", {{9, 13}, {32, 32}}},
    {"upper", {{'A', 'Z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

/* The state of parsing a class. If the class is not closed, its bracket is a literal. */
typedef struct class_reader {
    reader *r;
    size_t at;
    haft__glob_range *ranges;
    size_t count;
    uint32_t before; /* possible start of a range */
    bool has_before;
} class_reader;

static size_t peek(const reader *r, size_t at, uint32_t *ret_code)
{
    size_t length = 0;
    if (at >= r->text.len) {
        return 0;
    }
    if (!r->bytes) {
        length = haft__utf8_decode(haft__str_skip(r->text, at), ret_code);
    }
    if (length == 0) {
        *ret_code = (unsigned char)r->text.ptr[at];
        length = 1;
    }
    return length;
}

static bool peek_is(const reader *r, size_t at, char c)
{
    return at < r->text.len && r->text.ptr[at] == c;
}

static void add_range(class_reader *c, uint32_t from, uint32_t to)
{
    c->ranges[c->count++] = (haft__glob_range){from, to};
}

static void add_one(class_reader *c, uint32_t code)
{
    add_range(c, code, code);
    c->before = code;
    c->has_before = true;
}

/* A character, possibly escaped. False at the end. */
static bool read_character(class_reader *c, uint32_t *ret_code)
{
    if (peek_is(c->r, c->at, '\\')) {
        c->at++;
    }
    size_t length = peek(c->r, c->at, ret_code);
    c->at += length;
    return length > 0;
}

/* Reads a named class at "[:". False if its name is unknown. Without ":]" the "[" is an ordinary
 * bracket. */
static bool read_named(class_reader *c)
{
    haft_str rest = haft__str_skip(c->r->text, c->at + 2);
    haft_str name = haft__str_split(&rest, ']');
    bool closed = c->at + 2 + name.len < c->r->text.len;
    if (!closed || name.len == 0 || name.ptr[name.len - 1] != ':') {
        c->at++;
        add_one(c, '[');
        return closed;
    }
    c->at += 2 + name.len + 1;
    name.len--;
    c->has_before = false;
    for (size_t i = 0; i < COUNT(named); i++) {
        if (haft__str_equal(name, haft__str(named[i].name))) {
            for (size_t k = 0; k < COUNT(named[i].ranges) && named[i].ranges[k].to > 0; k++) {
                add_range(c, named[i].ranges[k].from, named[i].ranges[k].to);
            }
            return true;
        }
    }
    return false;
}

static bool read_class_item(class_reader *c)
{
    uint32_t code;
    bool is_range = peek_is(c->r, c->at, '-') && c->has_before && c->at + 1 < c->r->text.len
                    && !peek_is(c->r, c->at + 1, ']');
    if (is_range) {
        c->at++;
        if (!read_character(c, &code)) {
            return false;
        }
        add_range(c, c->before, code);
        c->has_before = false;
        return true;
    }
    if (peek_is(c->r, c->at, '[') && peek_is(c->r, c->at + 1, ':')) {
        return read_named(c);
    }
    if (!read_character(c, &code)) {
        return false;
    }
    add_one(c, code);
    return true;
}

/* Reads a class at "[" and moves past it. False if it is not closed or has an unknown class
 * name. */
static bool read_class(reader *r, haft__glob_token *token)
{
    class_reader c = {.r = r, .at = r->at + 1, .ranges = r->ranges + r->range_count};
    bool negated = peek_is(r, c.at, '!') || peek_is(r, c.at, '^');
    c.at += negated;
    do { /* a ] at the beginning is an item */
        if (!read_class_item(&c)) {
            return false;
        }
    } while (c.at < r->text.len && !peek_is(r, c.at, ']'));
    if (c.at >= r->text.len) {
        return false;
    }
    r->at = c.at + 1;
    r->range_count += c.count;
    *token = (haft__glob_token){
        .kind = HAFT__GLOB_CLASS, .negated = negated, .count = c.count, .ranges = c.ranges};
    return true;
}

/* ---- parts ---- */

static bool is_special(char c)
{
    return c == '*' || c == '?' || c == '[' || c == '\\';
}

/* The position of the first special byte, or of the slash after the name. */
static size_t plain_end(const reader *r, size_t from)
{
    while (from < r->text.len && r->text.ptr[from] != '/' && !is_special(r->text.ptr[from])) {
        from++;
    }
    return from;
}

/* Whether the reader is at the end of a part. The slash that ends it may be escaped. */
static bool at_end(const reader *r, size_t at)
{
    return at >= r->text.len || r->text.ptr[at] == '/'
           || (r->text.ptr[at] == '\\' && peek_is(r, at + 1, '/'));
}

/* Reads the character after a backslash; false if the pattern ends. */
static bool read_escaped(reader *r, haft__glob_token *token)
{
    uint32_t code = '\\';
    size_t length = peek(r, r->at + 1, &code);
    r->at += 1 + length;
    token->code = code;
    return length > 0 || !r->bytes;
}

/* Reads the token at `at`, which is not a slash. False if the part can never match. */
static bool read_token(reader *r, haft__glob_token *token)
{
    *token = (haft__glob_token){.kind = HAFT__GLOB_LITERAL};
    switch (r->text.ptr[r->at]) {
    case '*':
        token->kind = HAFT__GLOB_STAR;
        r->at++;
        return true;
    case '?':
        token->kind = HAFT__GLOB_ANY_CHARACTER;
        r->at++;
        return true;
    case '\\': return read_escaped(r, token);
    case '[':
        if (read_class(r, token) || r->bytes) {
            return token->kind == HAFT__GLOB_CLASS;
        }
        token->code = '['; /* a literal bracket */
        r->at++;
        return true;
    default: r->at += peek(r, r->at, &token->code); return true;
    }
}

static bool make_room(reader *r)
{
    if (r->tokens == NULL) {
        r->tokens = haft__arena_array(r->arena, r->text.len, sizeof(*r->tokens));
        r->ranges = haft__arena_array(r->arena, r->text.len, sizeof(*r->ranges));
    }
    return r->tokens != NULL && r->ranges != NULL;
}

static bool is_star(const haft__glob_token *token)
{
    return token->kind == HAFT__GLOB_STAR;
}

static bool read_tokens(reader *r, haft__glob_segment *part)
{
    size_t start = r->at;
    if (!make_room(r)) {
        return false;
    }
    haft__glob_token *tokens = r->tokens + r->token_count;
    *part = (haft__glob_segment){.kind = HAFT__GLOB_TOKENS, .tokens = tokens};
    while (!at_end(r, r->at)) {
        if (!read_token(r, &tokens[part->count])) {
            part->kind = HAFT__GLOB_NO_MATCH;
            r->at = r->text.len;
            return true;
        }
        bool repeated_star =
            part->count > 0 && is_star(&tokens[part->count]) && is_star(&tokens[part->count - 1]);
        part->count += !repeated_star;
    }
    r->token_count += part->count;
    part->dot = part->count > 0 && tokens[0].kind == HAFT__GLOB_LITERAL && tokens[0].code == '.';
    part->text = (haft_str){r->text.ptr + start, r->at - start};
    return true;
}

/* The number of consecutive stars at the current position. */
static size_t count_stars(const reader *r)
{
    size_t count = 0;
    while (peek_is(r, r->at + count, '*')) {
        count++;
    }
    return count;
}

/* Reads up to the next slash. False when out of memory. */
static bool read_part(reader *r)
{
    haft__glob_segment *part = &r->parts[r->count++];
    size_t stars = count_stars(r), end = plain_end(r, r->at + stars), start = r->at;
    *part = (haft__glob_segment){.kind = HAFT__GLOB_EXACT};
    if (!at_end(r, end)) {
        return read_tokens(r, part);
    }
    r->at = end;
    if (stars > 1 && end == start + stars && !r->anywhere) {
        part->kind = HAFT__GLOB_ANY_DEPTH;
        return true;
    }
    part->kind = stars > 0 ? HAFT__GLOB_SUFFIX : HAFT__GLOB_EXACT;
    part->text = (haft_str){r->text.ptr + start + stars, end - start - stars};
    part->dot = stars == 0 && part->text.len > 0 && part->text.ptr[0] == '.';
    return true;
}

static size_t count_slashes(haft_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == '/';
    }
    return count;
}

/* Reads all parts, with capacity for one more before and two after them. */
static bool read_parts(reader *r)
{
    r->parts = haft__arena_array(r->arena, count_slashes(r->text) + 4, sizeof(*r->parts));
    if (r->parts == NULL) {
        return false;
    }
    if (!r->bytes && r->anywhere) {
        r->parts[r->count++] = (haft__glob_segment){.kind = HAFT__GLOB_ANY_DEPTH};
    }
    for (;;) {
        if (!read_part(r)) {
            return false;
        }
        if (r->at >= r->text.len) {
            break;
        }
        r->at += peek_is(r, r->at, '\\') ? 2 : 1;
    }
    return true;
}

/* Lets ** at the end of the pattern match at least one name. */
static void end_parts(reader *r)
{
    if (r->count > 0 && r->parts[r->count - 1].kind == HAFT__GLOB_ANY_DEPTH) {
        r->parts[r->count++] =
            (haft__glob_segment){.kind = HAFT__GLOB_SUFFIX, .text = HAFT__LIT("")};
    }
}

const haft__glob *haft__glob_compile_gitignore(haft__arena *arena, haft_str pattern, bool anywhere)
{
    reader r = {.arena = arena, .text = pattern, .bytes = true, .anywhere = anywhere};
    haft__glob *glob_pattern = haft__arena_array(arena, 1, sizeof(*glob_pattern));
    haft__glob_path *path = haft__arena_array(arena, 1, sizeof(*path));
    if (glob_pattern == NULL || path == NULL || !read_parts(&r)) {
        return NULL;
    }
    end_parts(&r);
    *path = (haft__glob_path){r.parts, r.count, true};
    *glob_pattern = (haft__glob){path, 1};
    return glob_pattern;
}

/* ---- patterns of the tools ---- */

static bool is_text(const haft__glob_segment *part, const char *text)
{
    return part->kind == HAFT__GLOB_EXACT && haft__str_equal(part->text, haft__str(text));
}

/* Drops empty names and "."; "dir/" means everything below it. */
static haft_status tidy(reader *r, haft_error *err)
{
    size_t kept = 0;
    bool ends_in_slash = haft__str_ends_with(r->text, HAFT__LIT("/"));
    for (size_t i = 0; i < r->count; i++) {
        if (is_text(&r->parts[i], "..")) {
            haft_status status = haft__fail(
                err, HAFT_BAD_INPUT, "", "the pattern '%.*s' has '..': it leads outside the root",
                HAFT__ARG(r->text));
            return haft__hint(err, status, "paths are relative to the root");
        }
        if (!is_text(&r->parts[i], "") && !is_text(&r->parts[i], ".")) {
            r->parts[kept++] = r->parts[i];
        }
    }
    r->count = kept;
    if (ends_in_slash || kept == 0) {
        r->parts[r->count++] = (haft__glob_segment){.kind = HAFT__GLOB_ANY_DEPTH};
    }
    end_parts(r);
    return HAFT_OK;
}

static haft_status compile_path(haft__arena *arena, haft_str text, haft__glob_path *path,
                                haft_error *err)
{
    reader r = {.arena = arena, .text = text};
    r.anywhere = memchr(text.ptr, '/', text.len) == NULL;
    if (!read_parts(&r)) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = tidy(&r, err);
    *path = (haft__glob_path){r.parts, r.count, false};
    return status;
}

static haft_status check_pattern(haft_str pattern, haft_error *err)
{
    if (pattern.len == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "the pattern is empty");
    }
    if (pattern.len > HAFT__LIMIT_FILES_GLOB_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "",
                          "the pattern has %zu bytes, more than the limit of %d", pattern.len,
                          HAFT__LIMIT_FILES_GLOB_BYTES);
    }
    if (pattern.ptr[0] == '/') {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                        "the pattern '%.*s' starts with '/'", HAFT__ARG(pattern));
        return haft__hint(err, status, "patterns are relative to the root: leave out the first /");
    }
    return HAFT_OK;
}

haft_status haft__glob_compile(haft__arena *arena, haft_str pattern, const haft__glob **ret_glob,
                               haft_error *err)
{
    haft__glob_expansion e = {.arena = arena};
    haft_status status = check_pattern(pattern, err);
    if (status == HAFT_OK) {
        status = haft__glob_expand(&e, pattern, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__glob *glob_pattern = haft__arena_array(arena, 1, sizeof(*glob_pattern));
    haft__glob_path *paths = haft__arena_array(arena, e.count, sizeof(*paths));
    if (glob_pattern == NULL || paths == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < e.count && status == HAFT_OK; i++) {
        status = compile_path(arena, e.texts[i], &paths[i], err);
    }
    *glob_pattern = (haft__glob){paths, e.count};
    *ret_glob = status == HAFT_OK ? glob_pattern : *ret_glob;
    return status;
}
