/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builder.c - builds values and their locations, without recursion.
 *
 * All values are on one stack until their container closes. Then they are moved into the arena, as
 * two arrays of the exact size, and the container replaces them on the stack. Tests:
 * tests/spec/load/document/builder_test.c.
 */
#include "spec/load/document/builder.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "base/vec.h"

/* Up to this number of members, keys are compared pairwise, without allocation. */
#define FEW_MEMBERS 16

void haft__spec_builder_init(haft__spec_builder *tree, haft__arena *arena,
                             haft__spec_problems *problems, haft_str text, haft__hash_key hash_key)
{
    *tree = (haft__spec_builder){.arena = arena,
                                 .problems = problems,
                                 .text = text,
                                 .hash_key = hash_key,
                                 .status = HAFT_OK};
    haft__arena_init(&tree->scratch, 0);
    haft__map_init(&tree->anchors, arena, hash_key);
}

void haft__spec_builder_finish(haft__spec_builder *tree)
{
    free(tree->entries);
    tree->entries = NULL;
    haft__arena_finish(&tree->scratch);
}

bool haft__spec_builder_fail(haft__spec_builder *tree, haft_status status)
{
    tree->status = status;
    return false;
}

haft__spec_problem *haft__spec_builder_problem(haft__spec_builder *tree, size_t at,
                                               const char *format, ...)
{
    char message[512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(message, sizeof(message), format, values);
    va_end(values);
    haft__spec_problem *problem = haft__spec_problem_add(tree->problems, false, "%s", message);
    haft__spec_problem_locate(problem, tree->text, at);
    return problem;
}

static haft__spec_builder_frame *top(haft__spec_builder *tree)
{
    return tree->depth > 0 ? &tree->frames[tree->depth - 1] : NULL;
}

bool haft__spec_builder_expects_key(const haft__spec_builder *tree)
{
    const haft__spec_builder_frame *frame = tree->depth > 0 ? &tree->frames[tree->depth - 1] : NULL;
    return frame != NULL && frame->object && !frame->has_key;
}

size_t haft__spec_builder_key_offset(const haft__spec_builder *tree)
{
    const haft__spec_builder_frame *frame = tree->depth > 0 ? &tree->frames[tree->depth - 1] : NULL;
    return frame != NULL && frame->has_key ? frame->key_at : SIZE_MAX;
}

/* ---- limits ---- */

static bool count_values(haft__spec_builder *tree, uint32_t more, size_t at)
{
    tree->size += more;
    if (tree->size <= HAFT__LIMIT_SPEC_VALUES) {
        return true;
    }
    haft__spec_problem *problem = haft__spec_builder_problem(
        tree, at, "the spec has more than %d values after expanding aliases",
        HAFT__LIMIT_SPEC_VALUES);
    if (more > 1) {
        haft__spec_problem_hint(tree->problems, problem,
                                "nested aliases multiply; use fewer of them");
    }
    return false;
}

static bool check_depth(haft__spec_builder *tree, uint32_t depth, size_t at)
{
    if (depth <= HAFT__LIMIT_JSON_DEPTH_STRICT) {
        return true;
    }
    (void)haft__spec_builder_problem(tree, at, "the spec nests more than %d levels deep",
                                     HAFT__LIMIT_JSON_DEPTH_STRICT);
    return false;
}

/* ---- values ---- */

static bool grow(haft__spec_builder *tree)
{
    haft__spec_builder_entry *entries =
        haft__vec_reserve(tree->entries, &tree->capacity, tree->count + 1, sizeof(*entries));
    if (entries == NULL) {
        return haft__spec_builder_fail(tree, HAFT_NO_MEMORY);
    }
    tree->entries = entries;
    return true;
}

/* Adds a complete value to the innermost container, or makes it the document. */
static bool put(haft__spec_builder *tree, haft__spec_builder_entry entry)
{
    haft__spec_builder_frame *frame = top(tree);
    if (frame != NULL && frame->object) {
        entry.key = frame->key;
        entry.spot.key_at = frame->key_at;
        frame->has_key = false;
        if (frame->drop) {
            frame->drop = false;
            return true;
        }
    }
    if (!grow(tree)) {
        return false;
    }
    tree->entries[tree->count++] = entry;
    return true;
}

static haft__spec_builder_anchor *add_anchor(haft__spec_builder *tree, haft_str name)
{
    haft__spec_builder_anchor *anchor = haft__arena_array(tree->arena, 1, sizeof(*anchor));
    haft_str kept = haft__arena_copy(tree->arena, name);
    if (anchor == NULL || kept.ptr == NULL) {
        (void)haft__spec_builder_fail(tree, haft__arena_fail(tree->arena, NULL));
        return NULL;
    }
    haft_status status = haft__map_put(&tree->anchors, kept, anchor, NULL);
    if (status != HAFT_OK) {
        (void)haft__spec_builder_fail(tree, status);
        return NULL;
    }
    return anchor;
}

bool haft__spec_builder_add_anchor(haft__spec_builder *tree, haft_str name,
                                   const haft__spec_builder_entry *entry)
{
    if (name.ptr == NULL) {
        return true;
    }
    haft__spec_builder_anchor *anchor = add_anchor(tree, name);
    if (anchor == NULL) {
        return false;
    }
    anchor->entry = *entry;
    return true;
}

bool haft__spec_builder_add_value(haft__spec_builder *tree, haft__json value, size_t at,
                                  haft_str anchor)
{
    haft__spec_builder_entry entry = {.value = value, .spot = {.at = (uint32_t)at}, .size = 1};
    entry.spot.key_at = entry.spot.at;
    return count_values(tree, 1, at) && haft__spec_builder_add_anchor(tree, anchor, &entry)
           && put(tree, entry);
}

bool haft__spec_builder_add_key(haft__spec_builder *tree, haft__json key, size_t at, bool drop)
{
    haft__spec_builder_frame *frame =
        &tree->frames[tree->depth - 1]; /* the caller has checked expects_key */
    frame->key = key;
    frame->key_at = (uint32_t)at;
    frame->has_key = true;
    frame->drop = drop;
    return count_values(tree, 1, at);
}

const haft__spec_builder_entry *haft__spec_builder_find_anchor(haft__spec_builder *tree,
                                                               haft_str name, size_t at)
{
    const haft__spec_builder_anchor *anchor = haft__map_get(&tree->anchors, name);
    if (anchor == NULL) {
        haft__spec_problem *problem = haft__spec_builder_problem(
            tree, at, "the alias *%.*s has no anchor before it", HAFT__ARG(name));
        haft__suggestion near;
        haft__suggestion_init(&near, name);
        for (uint32_t i = 0; i < tree->anchors.count; i++) {
            haft__suggestion_offer(&near, tree->anchors.entries[i].key);
        }
        if (near.best.ptr != NULL) {
            haft__spec_problem_hint(tree->problems, problem, "did you mean *%.*s?",
                                    HAFT__ARG(near.best));
        } else {
            haft__spec_problem_hint(tree->problems, problem,
                                    "for text that starts with *, quote it");
        }
        return NULL;
    }
    if (anchor->open) {
        haft__spec_problem *problem = haft__spec_builder_problem(
            tree, at, "the alias *%.*s is inside the value it refers to", HAFT__ARG(name));
        haft__spec_problem_hint(tree->problems, problem, "a spec cannot contain itself");
        return NULL;
    }
    return &anchor->entry;
}

bool haft__spec_builder_add_alias(haft__spec_builder *tree, haft_str name, size_t at)
{
    const haft__spec_builder_entry *found = haft__spec_builder_find_anchor(tree, name, at);
    if (found == NULL) {
        return false;
    }
    haft__spec_builder_entry entry = *found;
    entry.spot.at = entry.spot.key_at = (uint32_t)at;
    return count_values(tree, entry.size, at) && check_depth(tree, tree->depth + entry.height, at)
           && put(tree, entry);
}

/* ---- containers ---- */

bool haft__spec_builder_open(haft__spec_builder *tree, bool object, size_t at, haft_str anchor)
{
    if (!count_values(tree, 1, at) || !check_depth(tree, tree->depth + 1, at)) {
        return false;
    }
    haft__spec_builder_anchor *made = NULL;
    if (anchor.ptr != NULL) {
        made = add_anchor(tree, anchor);
        if (made == NULL) {
            return false;
        }
        made->open = true;
    }
    tree->frames[tree->depth++] = (haft__spec_builder_frame){
        .start = tree->count, .object = object, .at = (uint32_t)at, .anchor = made};
    return true;
}

/* Reports that `second` repeats the key of `first`. The caller drops it. */
static void report_duplicate(haft__spec_builder *tree, const haft__spec_builder_entry *first,
                             const haft__spec_builder_entry *second)
{
    uint32_t line, column;
    haft__spec_locate(tree->text, first->spot.key_at, &line, &column);
    haft__spec_problem *problem = haft__spec_builder_problem(
        tree, second->spot.key_at, "the key \"%.*s\" is repeated; it is already at %u:%u",
        HAFT__ARG(haft__json_text(second->key)), line, column);
    haft__spec_problem_hint(tree->problems, problem, "keep one of the two");
}

static bool same_key(const haft__spec_builder_entry *a, const haft__spec_builder_entry *b)
{
    return haft__str_equal(haft__json_text(a->key), haft__json_text(b->key));
}

/* Finds the entry before `at` that has the same key, or NULL. */
static haft_status find_before(haft__map *map, haft__spec_builder_entry *entries, size_t count,
                               size_t at, const haft__spec_builder_entry **ret_found)
{
    *ret_found = NULL;
    if (count <= FEW_MEMBERS) {
        for (size_t i = 0; i < at && *ret_found == NULL; i++) {
            *ret_found = same_key(&entries[i], &entries[at]) ? &entries[i] : NULL;
        }
        return HAFT_OK;
    }
    haft_str key = haft__json_text(entries[at].key);
    *ret_found = haft__map_get(map, key);
    return *ret_found != NULL ? HAFT_OK : haft__map_put(map, key, &entries[at], NULL);
}

/* Drops repeated members: of several members with the same key, the first stays. */
static bool drop_duplicates(haft__spec_builder *tree, size_t start)
{
    haft__spec_builder_entry *entries = tree->entries + start;
    size_t count = tree->count - start;
    haft__map map;
    haft__map_init(&map, &tree->scratch, tree->hash_key);
    haft_status status = HAFT_OK;
    size_t kept = 0;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        const haft__spec_builder_entry *before = NULL;
        entries[kept] = entries[i];
        status = find_before(&map, entries, count, kept, &before);
        if (before == NULL) {
            kept++;
        } else {
            report_duplicate(tree, before, &entries[kept]);
        }
    }
    haft__arena_reset(&tree->scratch);
    tree->count = start + kept;
    return status == HAFT_OK ? true : haft__spec_builder_fail(tree, status);
}

/* Moves the entries from `start` on into the arena. */
static bool move_entries(haft__spec_builder *tree, size_t start, bool object,
                         haft__spec_builder_entry *into)
{
    size_t count = tree->count - start;
    haft__spec_location *spots = haft__arena_array(tree->arena, count, sizeof(*spots));
    haft__json_member *members =
        haft__arena_array(tree->arena, count, object ? sizeof(*members) : sizeof(haft__json));
    haft__json *items = (haft__json *)members;
    if (spots == NULL || members == NULL) {
        return haft__spec_builder_fail(tree, haft__arena_fail(tree->arena, NULL));
    }
    for (size_t i = 0; i < count; i++) {
        const haft__spec_builder_entry *entry = &tree->entries[start + i];
        spots[i] = entry->spot;
        into->size += entry->size;
        into->height = entry->height > into->height ? entry->height : into->height;
        if (object) {
            members[i] = (haft__json_member){entry->key, entry->value};
        } else {
            items[i] = entry->value;
        }
    }
    into->height++;
    into->spot.inside = spots;
    into->value = object ? haft__json_object(members, count) : haft__json_array(items, count);
    tree->count = start;
    return true;
}

bool haft__spec_builder_close(haft__spec_builder *tree)
{
    haft__spec_builder_frame frame = tree->frames[tree->depth - 1];
    haft__spec_builder_entry made = {.spot = {.at = frame.at, .key_at = frame.at}, .size = 1};
    if (frame.object && !drop_duplicates(tree, frame.start)) {
        return false;
    }
    if (!move_entries(tree, frame.start, frame.object, &made)) {
        return false;
    }
    tree->depth--;
    if (frame.anchor != NULL) {
        frame.anchor->entry = made;
        frame.anchor->open = false;
    }
    return put(tree, made);
}

bool haft__spec_builder_document(const haft__spec_builder *tree, haft__spec_document *ret_document)
{
    if (tree->depth > 0 || tree->count == 0) {
        return false;
    }
    *ret_document = (haft__spec_document){
        .text = tree->text, .value = tree->entries[0].value, .spot = tree->entries[0].spot};
    return true;
}

/* ---- locations ---- */

/* The index of the member that an escaped token of a pointer names, or SIZE_MAX. */
static size_t find_member(haft__json object, haft_str token)
{
    for (uint32_t i = 0; i < object.count; i++) {
        haft_str key = haft__json_text(object.members[i].key), rest = token;
        bool same = true;
        for (size_t at = 0; at < key.len && same; at++) {
            char c = rest.len > 0 ? rest.ptr[0] : '\0';
            bool escaped = c == '~' && rest.len > 1;
            c = escaped ? (rest.ptr[1] == '0' ? '~' : '/') : c;
            same = rest.len > 0 && c == key.ptr[at];
            rest = haft__str_skip(rest, escaped ? 2 : 1);
        }
        if (same && rest.len == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static size_t find_item(haft__json array, haft_str token)
{
    uint64_t index;
    return haft__str_to_u64(token, &index) && index < array.count ? (size_t)index : SIZE_MAX;
}

size_t haft__spec_offset(const haft__spec_document *document, haft_str pointer, bool key)
{
    haft__json value = document->value;
    const haft__spec_location *spot = &document->spot;
    haft_str rest = haft__str_skip(pointer, 1);
    bool whole = pointer.len == 0;
    while (!whole) {
        haft_str token = rest;
        const char *slash = rest.len > 0 ? memchr(rest.ptr, '/', rest.len) : NULL;
        token.len = slash != NULL ? (size_t)(slash - rest.ptr) : rest.len;
        size_t at = value.kind == HAFT__JSON_OBJECT  ? find_member(value, token)
                    : value.kind == HAFT__JSON_ARRAY ? find_item(value, token)
                                                     : SIZE_MAX;
        if (at == SIZE_MAX) {
            return spot->at; /* the next part does not exist */
        }
        bool object = value.kind == HAFT__JSON_OBJECT;
        spot = &spot->inside[at];
        value = object ? value.members[at].value : value.items[at];
        whole = slash == NULL;
        rest = haft__str_skip(rest, token.len + 1);
    }
    return key ? spot->key_at : spot->at;
}
