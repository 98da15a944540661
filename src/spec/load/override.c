/* SPDX-License-Identifier: Apache-2.0 */
/* override.c - `--set path=value` replaces one part of a spec. Tests:
 * tests/spec/load/override_test.c. */
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "spec/load/load_int.h"
#include "json/read.h"

/* One step of the path: the value that it enters, and the member or item. */
typedef struct step {
    haft__json value;
    haft_str key;
    size_t index; /* index of the item, if the value is an array */
} step;

typedef struct walk {
    haft__arena *arena;
    haft_str path;
    size_t reached; /* end of the part of the path that was entered */
    step steps[HAFT__LIMIT_JSON_DEPTH_STRICT];
    size_t count;
    haft_error *err;
} walk;

static haft_status fail(const walk *w, const char *before, haft_str token, const char *after)
{
    char where[sizeof(w->err->where)];
    (void)snprintf(where, sizeof(where), "%.*s", (int)w->reached, w->path.ptr);
    return haft__fail(w->err, HAFT_BAD_INPUT, where, "%s'%.*s'%s", before, HAFT__ARG(token), after);
}

static haft_status find_index(walk *w, haft__json array, haft_str token)
{
    uint64_t index;
    if (!haft__str_to_u64(token, &index)) {
        return fail(w, "found ", token, ", expected the index of a list item");
    }
    if (index >= array.count) {
        haft_status status = fail(w, "there is no item ", token, " in this list");
        return haft__hint(w->err, status, "it has %u items; the first is 0", array.count);
    }
    w->steps[w->count].index = (size_t)index;
    return HAFT_OK;
}

/* Converts "provider:model" to an object, so that members can be set. */
static haft_status open_model(const walk *w, haft__json *io_model)
{
    haft_str model = haft__json_text(*io_model);
    haft_str provider = haft__str_split(&model, ':');
    haft__json object = haft__json_object(NULL, 0);
    bool done =
        haft__edit_put(w->arena, &object, HAFT__LIT("provider"), haft__json_string(provider));
    if (done && model.len > 0) {
        done = haft__edit_put(w->arena, &object, HAFT__LIT("model"), haft__json_string(model));
    }
    *io_model = object;
    return done ? HAFT_OK : haft__arena_fail(w->arena, w->err);
}

/* Whether the next value to enter is the spec's model, written as a text. */
static bool is_model_text(const walk *w, haft__json value)
{
    return w->count == 1 && value.kind == HAFT__JSON_STRING
           && haft__str_equal(w->steps[0].key, HAFT__LIT("model"));
}

/* Enters `*io_value` by one token. */
static haft_status enter(walk *w, haft__json *io_value, haft_str token)
{
    if (w->count == COUNT(w->steps)) {
        return fail(w, "the path is too long at ", token, "");
    }
    if (token.len == 0) {
        haft_status status = fail(w, "found the part ", token, " in the path, expected a key");
        return haft__hint(w->err, status, "write keys separated by dots: limits.turns");
    }
    step *s = &w->steps[w->count];
    if (is_model_text(w, *io_value)) {
        haft_status status = open_model(w, io_value);
        if (status != HAFT_OK) {
            return status;
        }
    }
    if (io_value->kind == HAFT__JSON_NULL) {
        *io_value = haft__json_object(NULL, 0);
    }
    *s = (step){.value = *io_value, .key = token};
    if (io_value->kind == HAFT__JSON_ARRAY) {
        haft_status status = find_index(w, *io_value, token);
        if (status != HAFT_OK) {
            return status;
        }
        *io_value = io_value->items[s->index];
    } else if (io_value->kind == HAFT__JSON_OBJECT) {
        const haft__json *found = haft__json_get(*io_value, token);
        *io_value = found != NULL ? *found : haft__json_null();
    } else {
        haft_status status = fail(w, "there is nothing to set at ", token, "");
        return haft__hint(w->err, status, "the value before it is %s, not an object",
                          haft__json_kind_name(*io_value));
    }
    w->count++;
    return HAFT_OK;
}

/* A token of a JSON Pointer without its escapes. */
static haft_status unescape(walk *w, haft_str *io_token)
{
    char *to = haft__arena_alloc(w->arena, io_token->len + 1);
    if (to == NULL) {
        return haft__arena_fail(w->arena, w->err);
    }
    size_t length = 0;
    for (size_t i = 0; i < io_token->len; i++) {
        char c = io_token->ptr[i];
        if (c == '~' && i + 1 < io_token->len) {
            c = io_token->ptr[++i] == '1' ? '/' : '~';
        }
        to[length++] = c;
    }
    *io_token = (haft_str){to, length};
    return HAFT_OK;
}

static haft_status walk_path(walk *w, haft__json value)
{
    bool pointer = haft__str_starts_with(w->path, HAFT__LIT("/"));
    haft_str rest = pointer ? haft__str_skip(w->path, 1) : w->path;
    haft_status status = HAFT_OK;
    bool more = true;
    while (status == HAFT_OK && more) {
        size_t before = rest.len;
        haft_str token = haft__str_split(&rest, pointer ? '/' : '.');
        w->reached = (size_t)(token.ptr + token.len - w->path.ptr);
        more = before > token.len;
        if (pointer) {
            status = unescape(w, &token);
        }
        if (status == HAFT_OK) {
            status = enter(w, &value, token);
        }
    }
    return status;
}

/* Parses JSON. A value that is not JSON is a text. */
static haft_status read_value(haft__arena *arena, haft_str text, haft__json *ret_value,
                              haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_depth = HAFT__LIMIT_JSON_DEPTH_STRICT;
    options.reject_duplicates = true;
    haft_str kept = haft__arena_copy(arena, text);
    if (kept.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = haft__json_read(arena, kept, &options, ret_value, NULL, err);
    if (status == HAFT_BAD_INPUT) {
        *ret_value = haft__json_string(kept);
        status = HAFT_OK;
    }
    return status;
}

haft_status haft__spec_put(haft__arena *arena, haft__json *io_value, haft_str path, haft__json made,
                           haft_error *err)
{
    haft_error unused;
    walk w = {.arena = arena, .err = err != NULL ? err : &unused};
    w.path = haft__arena_copy(arena, path);
    if (w.path.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = walk_path(&w, *io_value);
    while (status == HAFT_OK && w.count > 0) {
        step *s = &w.steps[--w.count];
        bool done = s->value.kind == HAFT__JSON_ARRAY
                        ? haft__edit_put_item(arena, &s->value, s->index, made)
                        : haft__edit_put(arena, &s->value, s->key, made);
        status = done ? HAFT_OK : haft__arena_fail(arena, err);
        made = s->value;
    }
    if (status == HAFT_OK) {
        *io_value = made;
    }
    return status;
}

haft_status haft__spec_set(haft__arena *arena, haft__json *io_value, haft_str path, haft_str value,
                           haft_error *err)
{
    haft__json made = haft__json_null();
    haft_status status = read_value(arena, value, &made, err);
    return status == HAFT_OK ? haft__spec_put(arena, io_value, path, made, err) : status;
}
