/* SPDX-License-Identifier: Apache-2.0 */
/* head.c - checks of a request's head. Tests: tests/io/server/head_test.c. */
#include "io/server/head.h"

#include "base/buf.h"
#include "base/str.h"

/* ---- the target ---- */

static bool is_printable(haft_str target)
{
    for (size_t i = 0; i < target.len; i++) {
        if ((unsigned char)target.ptr[i] <= ' ' || target.ptr[i] == '\x7f') {
            return false;
        }
    }
    return true;
}

static haft_str drop_port(haft_str authority, haft_str port)
{
    authority.len -= haft__str_ends_with(authority, port) ? port.len : 0;
    return authority;
}

/* Takes the scheme and the authority of an absolute URL from the text. */
static bool take_authority(haft_str *text, haft__http_target *target)
{
    static const struct {
        haft_str scheme, port;
    } rows[] = {{HAFT__LIT("http://"), HAFT__LIT(":80")},
                {HAFT__LIT("https://"), HAFT__LIT(":443")}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str scheme = {text->ptr, rows[i].scheme.len};
        if (text->len >= scheme.len && haft__str_equal_ignore_case(scheme, rows[i].scheme)) {
            *text = haft__str_skip(*text, scheme.len);
            haft_str authority = {text->ptr, 0};
            while (authority.len < text->len && text->ptr[authority.len] != '/'
                   && text->ptr[authority.len] != '?') {
                authority.len++;
            }
            *text = haft__str_skip(*text, authority.len);
            target->authority = drop_port(authority, rows[i].port);
            target->default_port = rows[i].port;
            return true;
        }
    }
    return false;
}

bool haft__http_target_read(haft_str text, haft__http_target *ret_target)
{
    *ret_target = (haft__http_target){.path = HAFT__LIT("")};
    if (!is_printable(text)) {
        return false;
    }
    bool absolute = take_authority(&text, ret_target);
    bool whole = haft__str_equal(text, HAFT__LIT("*")) && !absolute;
    if (!whole && !absolute && !haft__str_starts_with(text, HAFT__LIT("/"))) {
        return false;
    }
    ret_target->path = haft__str_split(&text, '?');
    ret_target->query = text;
    if (ret_target->path.len == 0) {
        ret_target->path = HAFT__LIT("/");
    }
    return true;
}

bool haft__http_target_is_for(const haft__http_target *target, haft_str host)
{
    if (target->default_port.len == 0) {
        return true;
    }
    return host.len > 0 && target->authority.len > 0
           && haft__str_equal_ignore_case(drop_port(host, target->default_port), target->authority);
}

/* ---- the layout ---- */

/* The ends of a line, of which libmicrohttpd makes NULs: LF or CRLF. */
#define MAX_LINE_END 2

haft__http_layout haft__http_layout_begin(const char *method, const char *url, size_t target_bytes,
                                          const char *version)
{
    uintptr_t start = (uintptr_t)method, target = (uintptr_t)url, at = (uintptr_t)version;
    bool whole = target == start + strlen(method) + 1 && at == target + target_bytes + 1;
    return (haft__http_layout){.start = start, .end = at + strlen(version), .gap = !whole};
}

void haft__http_layout_add(haft__http_layout *layout, const char *name, size_t name_bytes,
                           const char *value, size_t value_bytes)
{
    uintptr_t at = (uintptr_t)name, text = (uintptr_t)value;
    if (at <= layout->end || at - layout->end > MAX_LINE_END || text <= at + name_bytes) {
        layout->gap = true;
    }
    layout->end = text + value_bytes;
}

bool haft__http_layout_is_whole(const haft__http_layout *layout, size_t head_bytes)
{
    uintptr_t end = layout->start + head_bytes;
    return !layout->gap && end > layout->end && end - layout->end <= 2 * MAX_LINE_END;
}
