/* SPDX-License-Identifier: Apache-2.0 */
/*
 * uri.c - URI references: RFC 3986, sections 3 (parts), 5.2 (resolution) and 2.1 (%XX).
 *
 * Tests: tests/schema/uri_test.c.
 */
#include "schema/uri.h"

#include "base/ascii.h"
#include "base/hex.h"
#include "base/str.h"

haft_str haft__uri_without_fragment(haft_str text)
{
    const char *hash = text.len > 0 ? memchr(text.ptr, '#', text.len) : NULL;
    return hash != NULL ? (haft_str){text.ptr, (size_t)(hash - text.ptr)} : text;
}

haft_str haft__uri_fragment(haft_str text)
{
    return haft__str_skip(text, haft__uri_without_fragment(text).len + 1);
}

static bool is_scheme_char(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '+' || c == '-' || c == '.';
}

/* The length of the scheme at the start of `text`; 0 if it has none. */
static size_t scheme_length(haft_str text)
{
    if (text.len == 0 || !haft__ascii_is_letter(text.ptr[0])) {
        return 0;
    }
    size_t at = 1;
    while (at < text.len && is_scheme_char(text.ptr[at])) {
        at++;
    }
    return at < text.len && text.ptr[at] == ':' ? at : 0;
}

static haft_str take(haft_str *rest, size_t length)
{
    haft_str part = {rest->ptr, length};
    rest->ptr += length;
    rest->len -= length;
    return part;
}

/* The length of `text` up to the first of the two characters. */
static size_t until(haft_str text, char a, char b)
{
    size_t at = 0;
    while (at < text.len && text.ptr[at] != a && text.ptr[at] != b) {
        at++;
    }
    return at;
}

haft__uri haft__uri_split(haft_str text)
{
    haft__uri uri = {.path = HAFT__LIT("")};
    if (text.len == 0) {
        return uri;
    }
    haft_str rest = haft__uri_without_fragment(text);
    if (rest.len < text.len) {
        uri.fragment = (haft_str){text.ptr + rest.len + 1, text.len - rest.len - 1};
    }
    size_t scheme = scheme_length(rest);
    if (scheme > 0) {
        uri.scheme = take(&rest, scheme);
        (void)take(&rest, 1);
    }
    if (haft__str_starts_with(rest, HAFT__LIT("//"))) {
        (void)take(&rest, 2);
        uri.authority = take(&rest, until(rest, '/', '?'));
    }
    uri.path = take(&rest, until(rest, '?', '?'));
    if (rest.len > 0) {
        (void)take(&rest, 1);
        uri.query = rest;
    }
    return uri;
}

static void add(char **to, haft_str s)
{
    if (s.len > 0) {
        memcpy(*to, s.ptr, s.len);
        *to += s.len;
    }
}

/* Removes the last segment, with the slash before it, from the text written since `start`. */
static void drop_segment(const char *start, char **to)
{
    while (*to > start && *--*to != '/') {
    }
}

/* Writes `path` (up to two pieces that belong together) without "." and ".." (section 5.2.4).
 * Every step consumes a segment, so the cost is linear. */
static void add_path(char **to, haft_str path)
{
    char *start = *to;
    while (path.len > 0) {
        if (haft__str_starts_with(path, HAFT__LIT("../"))) {
            path = haft__str_skip(path, 3);
        } else if (haft__str_starts_with(path, HAFT__LIT("./"))) {
            path = haft__str_skip(path, 2);
        } else if (haft__str_starts_with(path, HAFT__LIT("/./"))) {
            path = haft__str_skip(path, 2);
        } else if (haft__str_equal(path, HAFT__LIT("/."))) {
            path = HAFT__LIT("/");
        } else if (haft__str_starts_with(path, HAFT__LIT("/../"))) {
            path = haft__str_skip(path, 3);
            drop_segment(start, to);
        } else if (haft__str_equal(path, HAFT__LIT("/.."))) {
            path = HAFT__LIT("/");
            drop_segment(start, to);
        } else if (haft__str_equal(path, HAFT__LIT("."))
                   || haft__str_equal(path, HAFT__LIT(".."))) {
            return;
        } else {
            size_t length = 1 + until(haft__str_skip(path, 1), '/', '/');
            add(to, (haft_str){path.ptr, length});
            path = haft__str_skip(path, length);
        }
    }
}

/* The base's path without its last segment, followed by the reference's path (section 5.2.3). */
static haft_str merge(haft__arena *arena, const haft__uri *base, haft_str path)
{
    size_t kept = base->path.len;
    while (kept > 0 && base->path.ptr[kept - 1] != '/') {
        kept--;
    }
    char *text = haft__arena_alloc(arena, kept + path.len + 1);
    char *to = text;
    if (text != NULL) {
        if (base->authority.ptr != NULL && base->path.len == 0) {
            *to++ = '/';
        } else {
            add(&to, (haft_str){base->path.ptr, kept});
        }
        add(&to, path);
    }
    return (haft_str){text, (size_t)(to - text)};
}

static haft_str join(haft__arena *arena, const haft__uri *uri)
{
    size_t room = uri->scheme.len + uri->authority.len + uri->path.len + uri->query.len
                  + uri->fragment.len + sizeof("://?#");
    char *text = haft__arena_alloc(arena, room);
    if (text == NULL) {
        return (haft_str){NULL, 0};
    }
    char *to = text;
    if (uri->scheme.ptr != NULL) {
        add(&to, uri->scheme);
        *to++ = ':';
    }
    if (uri->authority.ptr != NULL) {
        add(&to, HAFT__LIT("//"));
        add(&to, uri->authority);
    }
    add_path(&to, uri->path);
    if (uri->query.ptr != NULL) {
        *to++ = '?';
        add(&to, uri->query);
    }
    if (uri->fragment.ptr != NULL) {
        *to++ = '#';
        add(&to, uri->fragment);
    }
    return (haft_str){text, (size_t)(to - text)};
}

haft_str haft__uri_resolve(haft__arena *arena, haft_str base_text, haft_str reference)
{
    haft__uri uri = haft__uri_split(reference);
    haft__uri base = haft__uri_split(base_text);
    if (base_text.len == 0) {
        return haft__arena_copy(arena, reference);
    }
    if (uri.scheme.ptr != NULL) {
        return join(arena, &uri);
    }
    uri.scheme = base.scheme;
    if (uri.authority.ptr != NULL) {
        return join(arena, &uri);
    }
    uri.authority = base.authority;
    if (uri.path.len == 0) {
        uri.path = base.path;
        uri.query = uri.query.ptr != NULL ? uri.query : base.query;
    } else if (uri.path.ptr[0] != '/') {
        uri.path = merge(arena, &base, uri.path);
        if (uri.path.ptr == NULL) {
            return (haft_str){NULL, 0};
        }
    }
    return join(arena, &uri);
}

haft_str haft__uri_decode(haft__arena *arena, haft_str text)
{
    char *decoded = haft__arena_alloc(arena, text.len + 1);
    if (decoded == NULL) {
        return (haft_str){NULL, 0};
    }
    size_t length = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool escape = text.ptr[i] == '%' && i + 2 < text.len;
        int high = escape ? haft__hex_value(text.ptr[i + 1]) : -1;
        int low = escape ? haft__hex_value(text.ptr[i + 2]) : -1;
        if (high >= 0 && low >= 0) {
            decoded[length++] = (char)(high * 16 + low);
            i += 2;
        } else {
            decoded[length++] = text.ptr[i];
        }
    }
    return (haft_str){decoded, length};
}
