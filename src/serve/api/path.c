/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - see path.h. Tests: tests/serve/api/path_test.c. */
#include "serve/api/path.h"

#include <string.h>

#include "base/ascii.h"
#include "base/hex.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

/* ---- percent coding ---- */

/* Reads the escape at the begin of `s`; -1 if it is not "%" and two hex digits. */
static int read_escape(haft_str s)
{
    int high = s.len > 2 && s.ptr[0] == '%' ? haft__hex_value(s.ptr[1]) : -1;
    int low = high >= 0 ? haft__hex_value(s.ptr[2]) : -1;
    return low >= 0 ? high * 16 + low : -1;
}

/* Decodes into `arena`; in queries a plus is a space. .ptr is NULL if the text is malformed, is not
 * UTF-8 or has a NUL. */
static haft_str decode(haft_str text, bool plus_is_space, haft__arena *arena)
{
    char *to = haft__arena_alloc(arena, text.len + 1);
    size_t length = 0;
    for (size_t i = 0; to != NULL && i < text.len; i++) {
        int c = (unsigned char)text.ptr[i];
        if (c == '%') {
            c = read_escape(haft__str_skip(text, i));
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        if (c <= 0) {
            return (haft_str){NULL, 0};
        }
        to[length++] = (char)c;
    }
    if (to == NULL || !haft__utf8_valid((haft_str){to, length})) {
        return (haft_str){NULL, 0};
    }
    to[length] = '\0';
    return (haft_str){to, length};
}

/* ---- paths ---- */

static const char *character_problem(haft_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.ptr[i];
        int escaped = c == '%' ? read_escape(haft__str_skip(path, i)) : 1;
        if (c <= ' ' || c == 0x7F || c == '\\') {
            return "the path has a character that must be escaped";
        }
        if (escaped < 0) {
            return "the path has a percent sign without two hexadecimal digits";
        }
        if (escaped < ' ' || escaped == '/' || escaped == '\\' || escaped == 0x7F) {
            if (c == '%') {
                return "the path has an escaped slash, backslash or control character";
            }
        }
    }
    return NULL;
}

/* Whether the segment is "." or "..", also with escaped dots. */
static bool is_dots(haft_str segment)
{
    size_t dots = 0;
    while (segment.len > 0) {
        bool escaped = read_escape(segment) == '.';
        if (!escaped && *segment.ptr != '.') {
            return false;
        }
        segment = haft__str_skip(segment, escaped ? 3 : 1);
        dots++;
    }
    return dots == 1 || dots == 2;
}

const char *haft__path_problem(haft_str path)
{
    if (path.len == 0 || *path.ptr != '/') {
        return "the path does not begin with a slash";
    }
    const char *problem = character_problem(path);
    haft_str rest = haft__str_skip(path, 1);
    bool more = rest.len > 0;
    while (problem == NULL && more) {
        size_t before = rest.len;
        haft_str segment = haft__str_split(&rest, '/');
        more = segment.len < before; /* a slash follows */
        bool last = more && rest.len == 0;
        if (is_dots(segment)) {
            problem = "the path has a segment '.' or '..'";
        } else if (segment.len == 0 && before > 0) {
            problem = "the path has an empty segment";
        }
        more = more && !last; /* a slash at the end is allowed: no route may match it */
    }
    return problem;
}

bool haft__path_match(const char *pattern, haft_str path, haft__arena *arena,
                      haft__path_params *ret_params)
{
    haft_str wanted = haft__str(pattern);
    haft__path_params found = {.count = 0};
    while (wanted.len > 0 && path.len > 0) {
        haft_str whole = haft__str_skip(path, 1), rest = whole, want = haft__str_skip(wanted, 1);
        if (*path.ptr != '/' || *wanted.ptr != '/') {
            return false;
        }
        haft_str segment = haft__str_split(&rest, '/'), part = haft__str_split(&want, '/');
        bool all = haft__str_ends_with(part, HAFT__LIT("...}"));
        bool named = haft__str_starts_with(part, HAFT__LIT("{"));
        segment = all ? whole : segment;
        if (named ? segment.len == 0 : !haft__str_equal(segment, part)) {
            return false;
        }
        if (named && arena != NULL) {
            found.values[found.count] = decode(segment, false, arena);
            if (found.values[found.count++].ptr == NULL) {
                return false;
            }
        }
        path = haft__str_skip(path, 1 + segment.len);
        wanted = haft__str_skip(wanted, 1 + part.len);
    }
    if (arena != NULL && wanted.len == 0 && path.len == 0) {
        *ret_params = found;
    }
    return wanted.len == 0 && path.len == 0;
}

/* ---- queries ---- */

bool haft__query_find(haft_str query, const char *name, haft__arena *arena, haft_str *ret_value)
{
    haft_str found = {NULL, 0};
    while (query.len > 0) {
        haft_str value = haft__str_split(&query, '&'), key = haft__str_split(&value, '=');
        haft_str decoded = decode(key, true, arena);
        if (decoded.ptr == NULL) {
            return false;
        }
        if (!haft__str_equal(decoded, haft__str(name))) {
            continue;
        }
        if (found.ptr != NULL) {
            return false;
        }
        found = decode(value, true, arena);
        if (found.ptr == NULL) {
            return false;
        }
    }
    *ret_value = found;
    return true;
}

bool haft__query_each(haft_str query, haft__arena *arena,
                      bool (*visit)(void *context, haft_str name), void *context)
{
    while (query.len > 0) {
        haft_str value = haft__str_split(&query, '&');
        haft_str key = decode(haft__str_split(&value, '='), true, arena);
        if (key.ptr == NULL) {
            return false;
        }
        if (!visit(context, key)) {
            break;
        }
    }
    return true;
}
