/* SPDX-License-Identifier: Apache-2.0 */
/*
 * definition_diff.c - the changes of a definition, line by line, for the person who accepts them.
 * Tests: tests/mcp/definition_diff_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/definition.h"
#include "mcp/visible.h"
#include "json/pointer.h"
#include "json/write.h"

#define SHOWN_BYTES 400  /* maximum bytes of one value */
#define WIDE        1000 /* an object with more members is shown as a whole */

typedef struct differ {
    haft__buf *buf;
    haft__buf path; /* a JSON Pointer */
    size_t lines;
    bool more;
    haft_error *err;
} differ;

static haft_status add_line(differ *d, char sign, haft__json value)
{
    haft__buf text;
    if (d->lines == HAFT__LIMIT_MCP_DIFF_LINES) {
        d->more = true;
        return HAFT_OK;
    }
    d->lines++;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&text, value);
    haft_status status = haft__buf_check(&text, d->err);
    if (status == HAFT_OK) {
        haft__buf_addf(d->buf, "%c ", sign);
        haft__visible_append(d->buf, haft__buf_str(&d->path), SHOWN_BYTES);
        haft__buf_add_str(d->buf, HAFT__LIT(": "));
        haft__visible_append(d->buf, haft__buf_str(&text), SHOWN_BYTES);
        haft__buf_add_char(d->buf, '\n');
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status compare(differ *d, haft__json before, haft__json after);

/* Compares the parts with this key or index; one of the two may be missing. */
static haft_status compare_part(differ *d, const haft_str *key, size_t index,
                                const haft__json *before, const haft__json *after)
{
    size_t length = d->path.len;
    if (key != NULL) {
        haft__pointer_add_key(&d->path, *key);
    } else {
        haft__pointer_add_index(&d->path, index);
    }
    haft_status status = haft__buf_check(&d->path, d->err);
    if (status == HAFT_OK && before != NULL && after != NULL) {
        status = compare(d, *before, *after);
    } else if (status == HAFT_OK && before != NULL) {
        status = add_line(d, '-', *before);
    } else if (status == HAFT_OK && after != NULL) {
        status = add_line(d, '+', *after);
    }
    d->path.len = length;
    return status;
}

static haft_status compare_objects(differ *d, haft__json before, haft__json after)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < before.count && status == HAFT_OK && !d->more; i++) {
        haft_str key = haft__json_text(before.members[i].key);
        status = compare_part(d, &key, 0, &before.members[i].value, haft__json_get(after, key));
    }
    for (uint32_t i = 0; i < after.count && status == HAFT_OK && !d->more; i++) {
        haft_str key = haft__json_text(after.members[i].key);
        if (haft__json_get(before, key) == NULL) {
            status = compare_part(d, &key, 0, NULL, &after.members[i].value);
        }
    }
    return status;
}

static haft_status compare_arrays(differ *d, haft__json before, haft__json after)
{
    haft_status status = HAFT_OK;
    uint32_t count = before.count > after.count ? before.count : after.count;
    for (uint32_t i = 0; i < count && status == HAFT_OK && !d->more; i++) {
        status = compare_part(d, NULL, i, i < before.count ? &before.items[i] : NULL,
                              i < after.count ? &after.items[i] : NULL);
    }
    return status;
}

/* Recursion is bounded: haft__json_equal has checked the depth against HAFT__LIMIT_JSON_DEPTH. */
static haft_status compare(differ *d, haft__json before, haft__json after)
{
    bool equal = false;
    haft_status status = haft__json_equal(before, after, &equal, d->err);
    if (status != HAFT_OK || equal) {
        return status;
    }
    if (before.kind == HAFT__JSON_OBJECT && after.kind == HAFT__JSON_OBJECT && before.count <= WIDE
        && after.count <= WIDE) {
        return compare_objects(d, before, after);
    }
    if (before.kind == HAFT__JSON_ARRAY && after.kind == HAFT__JSON_ARRAY) {
        return compare_arrays(d, before, after);
    }
    status = add_line(d, '-', before);
    return status == HAFT_OK ? add_line(d, '+', after) : status;
}

haft_status haft__mcp_tool_diff(haft__buf *buf, haft__json before, haft__json after,
                                haft_error *err)
{
    differ d = {.buf = buf, .err = err};
    haft__buf_init(&d.path, HAFT__LIMIT_JSON_BYTES);
    haft_status status = compare(&d, before, after);
    haft__buf_finish(&d.path);
    if (status == HAFT_OK && d.more) {
        haft__buf_add_str(buf, HAFT__LIT("and more\n"));
    }
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
