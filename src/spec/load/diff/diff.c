/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c - compares two specs, part by part. Tests: tests/spec/load/diff_test.c. */
#include "spec/load/diff/diff.h"

#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/write.h"

/* The maximum depth of compared parts, the shown bytes of a value, and the maximum length of a
 * path. */
#define DEPTH       6
#define SHOWN_CHARS 40
#define PATH_BYTES  256
#define ITEMS       256 /* longer lists are not compared item by item */

typedef struct differ {
    haft__buf *out;
    char path[PATH_BYTES]; /* NUL-terminated; longer paths are truncated */
    size_t length;
    size_t lines;
    bool secret; /* a part of the path may hold a secret */
    haft_error *err;
} differ;

/* ---- lines ---- */

static bool may_be_secret(haft_str key)
{
    static const char *const keys[] = {"api_key",  "env",       "headers", "url",
                                       "base_url", "databases", "command", "options"};
    return haft__str_is_one_of(key, keys, COUNT(keys));
}

static void show(differ *d, haft__json value)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, value);
    if (haft__buf_check(&text, NULL) == HAFT_OK && text.ptr != NULL) {
        size_t end = haft__utf8_offset(haft__buf_str(&text), SHOWN_CHARS);
        haft__buf_add(d->out, text.ptr, end);
        haft__buf_add_str(d->out, end < text.len ? HAFT__LIT("...") : HAFT__LIT(""));
    } else {
        haft__buf_fail(d->out, HAFT_NO_MEMORY, "out of memory");
    }
    haft__buf_finish(&text);
}

static void add_line(differ *d, const haft__json *before, const haft__json *after)
{
    if (d->lines++ >= HAFT__LIMIT_SPEC_DIFF_LINES) {
        return;
    }
    haft__buf_add_str(d->out, haft__str(d->length > 0 ? d->path : "the spec"));
    haft__buf_add_str(d->out, HAFT__LIT(": "));
    if (before == NULL || after == NULL) {
        haft__buf_add_str(d->out, before == NULL ? HAFT__LIT("added") : HAFT__LIT("removed"));
    } else if (d->secret) {
        haft__buf_add_str(d->out, HAFT__LIT("changed"));
    } else {
        show(d, *before);
        haft__buf_add_str(d->out, HAFT__LIT(" -> "));
        show(d, *after);
    }
    haft__buf_add_char(d->out, '\n');
}

/* ---- parts ---- */

static haft_status compare(differ *d, haft__json before, haft__json after, unsigned depth);

/* Compares one part, which may be missing on one side. */
static haft_status compare_part(differ *d, haft_str key, const haft__json *before,
                                const haft__json *after, unsigned depth)
{
    size_t length = d->length;
    bool secret = d->secret;
    int added = snprintf(d->path + length, sizeof(d->path) - length, "%s%.*s",
                         length > 0 ? "." : "", HAFT__ARG(key));
    size_t room = sizeof(d->path) - 1 - length;
    d->length += added < 0 ? 0 : (size_t)added < room ? (size_t)added : room;
    d->secret = secret || may_be_secret(key);
    haft_status status = HAFT_OK;
    if (before != NULL && after != NULL) {
        status = compare(d, *before, *after, depth + 1);
    } else {
        add_line(d, before, after);
    }
    d->length = length;
    d->path[length] = '\0';
    d->secret = secret;
    return status;
}

static haft_status compare_objects(differ *d, haft__json before, haft__json after, unsigned depth)
{
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < before.count; i++) {
        haft_str key = haft__json_text(before.members[i].key);
        status = compare_part(d, key, &before.members[i].value, haft__json_get(after, key), depth);
    }
    for (uint32_t i = 0; status == HAFT_OK && i < after.count; i++) {
        haft_str key = haft__json_text(after.members[i].key);
        if (haft__json_get(before, key) == NULL) {
            status = compare_part(d, key, NULL, &after.members[i].value, depth);
        }
    }
    return status;
}

static haft_str name_of(haft__json item)
{
    const haft__json *name = haft__json_get(item, HAFT__LIT("name"));
    bool text = name != NULL && name->kind == HAFT__JSON_STRING;
    return text ? haft__json_text(*name) : (haft_str){NULL, 0};
}

/* Finds the item with that name. Items without a name are matched by their position among the
 * unnamed items. */
static const haft__json *find_item(haft__json list, haft_str name, uint32_t place)
{
    uint32_t nameless = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        haft_str found = name_of(list.items[i]);
        if (name.ptr != NULL ? haft__str_equal(found, name)
                             : found.ptr == NULL && nameless++ == place) {
            return &list.items[i];
        }
    }
    return NULL;
}

/* Compares the items of one list with the other; with `only_missing`, only items that the other
 * lacks. */
static haft_status compare_items(differ *d, haft__json from, haft__json other, bool only_missing,
                                 unsigned depth)
{
    haft_status status = HAFT_OK;
    uint32_t nameless = 0;
    for (uint32_t i = 0; status == HAFT_OK && i < from.count; i++) {
        char place[16];
        haft_str name = name_of(from.items[i]), key = name;
        const haft__json *there = find_item(other, name, nameless);
        if (name.ptr == NULL) {
            (void)snprintf(place, sizeof(place), "%u", nameless++);
            key = haft__str(place);
        }
        if (!only_missing) {
            status = compare_part(d, key, &from.items[i], there, depth);
        } else if (there == NULL) {
            status = compare_part(d, key, NULL, &from.items[i], depth);
        }
    }
    return status;
}

static haft_status compare(differ *d, haft__json before, haft__json after, unsigned depth)
{
    bool same = false;
    haft_status status = haft__json_equal(before, after, &same, d->err);
    if (status != HAFT_OK || same) {
        return status;
    }
    bool deep = depth < DEPTH && before.kind == after.kind;
    if (deep && before.kind == HAFT__JSON_OBJECT) {
        return compare_objects(d, before, after, depth);
    }
    if (deep && before.kind == HAFT__JSON_ARRAY && before.count <= ITEMS && after.count <= ITEMS) {
        size_t lines = d->lines;
        status = compare_items(d, before, after, false, depth);
        if (status == HAFT_OK) {
            status = compare_items(d, after, before, true, depth);
        }
        if (status == HAFT_OK && d->lines == lines) { /* only their order differs */
            add_line(d, &before, &after);
        }
        return status;
    }
    add_line(d, &before, &after);
    return HAFT_OK;
}

haft_status haft__spec_diff(haft__buf *buf, haft__json before, haft__json after, haft_error *err)
{
    differ d = {.out = buf, .err = err};
    haft_status status = compare(&d, before, after, 0);
    if (d.lines > HAFT__LIMIT_SPEC_DIFF_LINES) {
        haft__buf_addf(buf, "and %zu more\n", d.lines - HAFT__LIMIT_SPEC_DIFF_LINES);
    }
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}
