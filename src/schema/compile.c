/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - compiles schema JSON to nodes.
 *
 * A subschema is compiled where it is found. References are added to a list and resolved
 * afterwards, so that the recursion is bounded by the depth of the JSON and cycles need no special
 * case. $defs are compiled only if a reference needs them. Invariants:
 *   1. Every node is in the table `nodes`, by the address of its source: no schema is compiled
 *      twice, and a reference to itself finds the node that is still being made.
 *   2. While `pending` has a reference, the schema is not finished.
 * Tests: tests/schema/compile_test.c.
 */
#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "schema/compile_int.h"
#include "schema/describe.h"
#include "json/pointer.h"

#define FIRST_NODES 64U

haft_status haft__compile_no_memory(haft__compiler *c)
{
    return haft__arena_fail(c->arena, c->err);
}

/* Writes the JSON Pointer from `root` to the value at the address `at`. */
static bool locate(haft__buf *buf, const haft__json *root, const haft__json *at, uint32_t depth)
{
    if (root == at) {
        return true;
    }
    if (root->kind < HAFT__JSON_ARRAY || depth >= HAFT__LIMIT_JSON_DEPTH) {
        return false;
    }
    size_t before = buf->len;
    for (uint32_t i = 0; i < root->count; i++) {
        const haft__json *part = NULL;
        if (root->kind == HAFT__JSON_ARRAY) {
            haft__pointer_add_index(buf, i);
            part = &root->items[i];
        } else {
            haft__pointer_add_key(buf, haft__json_text(root->members[i].key));
            part = &root->members[i].value;
        }
        if (locate(buf, part, at, depth + 1)) {
            return true;
        }
        buf->len = before;
    }
    return false;
}

/* The end of a JSON Pointer: as many whole tokens as fit into `room` bytes, or the last characters
 * of a token that does not fit. */
static haft_str last_tokens(haft_str place, size_t room)
{
    haft_str end = haft__str_skip(place, place.len - room);
    const char *slash = memchr(end.ptr, '/', end.len);
    if (slash != NULL) {
        return haft__str_skip(end, (size_t)(slash - end.ptr));
    }
    while (end.len > 0 && ((unsigned char)end.ptr[0] & 0xC0U) == 0x80) {
        end = haft__str_skip(end, 1);
    }
    return end;
}

/* The location of a value. The end of a location is its most specific part, so the beginning of a
 * long one is replaced by "...". */
const char *haft__compile_location(haft__compiler *c, const haft__schema_resource *resource,
                                   const haft__json *at)
{
    haft__buf buf;
    haft__buf_init(&buf, (size_t)HAFT__LIMIT_JSON_BYTES);
    const haft__schema_document *document = resource->document;
    if (document != c->main) {
        haft__buf_add_str(&buf, document->uri);
        haft__buf_add_char(&buf, '#');
    }
    c->where[0] = '\0';
    if (locate(&buf, document->root, at, 0)) {
        haft_str place = haft__buf_str(&buf);
        bool whole = place.len < sizeof(c->where);
        haft_str shown = whole ? place : last_tokens(place, sizeof(c->where) - sizeof("..."));
        (void)snprintf(c->where, sizeof(c->where), "%s%.*s", whole ? "" : "...", HAFT__ARG(shown));
    }
    haft__buf_finish(&buf);
    return c->where;
}

static const char *kind_words(const haft__json *value)
{
    switch ((haft__json_kind)value->kind) {
    case HAFT__JSON_NULL: return "null";
    case HAFT__JSON_FALSE: return "false";
    case HAFT__JSON_TRUE: return "true";
    case HAFT__JSON_NUMBER: return "the number";
    case HAFT__JSON_STRING: return "the string";
    case HAFT__JSON_ARRAY: return value->count > 0 ? "an array" : "an empty array";
    case HAFT__JSON_OBJECT: return "an object";
    }
    HAFT__UNREACHABLE();
}

static haft_status fail_expected(haft__compiler *c, const haft__schema_resource *resource,
                                 const haft__json *at, const char *expected)
{
    bool has_text = at->kind == HAFT__JSON_STRING || at->kind == HAFT__JSON_NUMBER;
    haft__buf found;
    haft__buf_init(&found, HAFT__DESCRIBE_BUFFER_BYTES);
    haft__describe_add(&found, kind_words(at));
    if (has_text) {
        haft__describe_add(&found, " ");
        haft__describe_value(&found, at);
    }
    haft_status status =
        haft__fail(c->err, HAFT_BAD_INPUT, haft__compile_location(c, resource, at),
                   "found %.*s, expected %s", HAFT__ARG(haft__buf_str(&found)), expected);
    haft__buf_finish(&found);
    return status;
}

haft_status haft__compile_fail_expected(haft__compile_frame *frame, const haft__json *at,
                                        const char *expected)
{
    return fail_expected(frame->c, frame->resource, at, expected);
}

haft__number_rules *haft__compile_frame_number(haft__compile_frame *frame)
{
    if (frame->number == NULL) {
        frame->number = haft__arena_array(frame->c->arena, 1, sizeof(*frame->number));
        frame->node->number = frame->number;
    }
    return frame->number;
}

haft__string_rules *haft__compile_frame_string(haft__compile_frame *frame)
{
    if (frame->string == NULL) {
        frame->string = haft__arena_array(frame->c->arena, 1, sizeof(*frame->string));
        if (frame->string != NULL) {
            frame->string->length.max = UINT64_MAX;
        }
        frame->node->string = frame->string;
    }
    return frame->string;
}

haft__array_rules *haft__compile_frame_array(haft__compile_frame *frame)
{
    if (frame->array == NULL) {
        frame->array = haft__arena_array(frame->c->arena, 1, sizeof(*frame->array));
        if (frame->array != NULL) {
            frame->array->length.max = UINT64_MAX;
            frame->array->containing = (haft__schema_count_range){1, UINT64_MAX};
            frame->array->contains_evaluates = frame->resource->draft == HAFT__DRAFT_2020;
        }
        frame->node->array = frame->array;
    }
    return frame->array;
}

haft__object_rules *haft__compile_frame_object(haft__compile_frame *frame)
{
    if (frame->object == NULL) {
        frame->object = haft__arena_array(frame->c->arena, 1, sizeof(*frame->object));
        if (frame->object != NULL) {
            frame->object->size.max = UINT64_MAX;
        }
        frame->node->object = frame->object;
    }
    return frame->object;
}

haft__general_rules *haft__compile_frame_general(haft__compile_frame *frame)
{
    if (frame->general == NULL) {
        frame->general = haft__arena_array(frame->c->arena, 1, sizeof(*frame->general));
        frame->node->general = frame->general;
    }
    return frame->general;
}

/* The slot of the node of `source`, used or free. Addresses are multiples of 16 at best. */
static haft__schema_node **node_slot(const haft__compiler *c, const haft__json *source)
{
    uint64_t hash = ((uint64_t)(uintptr_t)source >> 3) * 0x9E3779B97F4A7C15U;
    for (uint32_t at = (uint32_t)(hash >> 32) & c->node_mask;; at = (at + 1) & c->node_mask) {
        haft__schema_node **slot = &c->nodes[at];
        if (*slot == NULL || (*slot)->source == source) {
            return slot;
        }
    }
}

static haft_status grow_nodes(haft__compiler *c)
{
    haft__schema_node **old = c->nodes;
    uint32_t old_size = old != NULL ? c->node_mask + 1 : 0;
    uint32_t size = old_size > 0 ? old_size * 2 : FIRST_NODES;
    c->nodes = haft__arena_array(c->arena, size, sizeof(haft__schema_node *));
    if (c->nodes == NULL) {
        return haft__compile_no_memory(c);
    }
    c->node_mask = size - 1;
    for (uint32_t i = 0; i < old_size; i++) {
        if (old[i] != NULL) {
            *node_slot(c, old[i]->source) = old[i];
        }
    }
    return HAFT_OK;
}

static haft_status add_node(haft__compiler *c, const haft__json *source,
                            haft__schema_node **ret_node)
{
    if (c->node_count >= HAFT__LIMIT_SCHEMA_NODES) {
        return haft__fail(c->err, HAFT_TOO_BIG, "", "the schema has more than %d subschemas",
                          HAFT__LIMIT_SCHEMA_NODES);
    }
    if (c->nodes == NULL || 2 * c->node_count > c->node_mask) {
        haft_status status = grow_nodes(c);
        if (status != HAFT_OK) {
            return status;
        }
    }
    haft__schema_node *node = haft__arena_array(c->arena, 1, sizeof(*node));
    if (node == NULL) {
        return haft__compile_no_memory(c);
    }
    node->source = source;
    node->types = HAFT__TYPES_ALL;
    *node_slot(c, source) = node;
    c->node_count++;
    *ret_node = node;
    return HAFT_OK;
}

static void store_entered(haft__compiler *c, haft__schema_resource *resource)
{
    if (!resource->entered) {
        resource->entered = true;
        *c->entered_last = resource;
        c->entered_last = &resource->next_entered;
    }
}

static haft_status compile_keyword(haft__compile_frame *frame, const haft__json_member *member)
{
    const haft__schema_resource *resource = frame->resource;
    const haft__schema_keyword *keyword =
        haft__keyword_find(haft__json_text(member->key), resource->draft);
    if (keyword == NULL || keyword->compile == NULL
        || (keyword->vocabulary & resource->vocabularies) == 0) {
        return HAFT_OK;
    }
    return keyword->compile(frame, keyword, &member->value);
}

static haft_status compile_keywords(haft__compile_frame *frame, const haft__json *source)
{
    const haft__json *ref = frame->resource->draft == HAFT__DRAFT_07
                                ? haft__json_get(*source, HAFT__LIT("$ref"))
                                : NULL;
    if (ref != NULL) {
        /* Draft-07 ignores all keywords next to a $ref. */
        return haft__compile_ref(frame, NULL, ref);
    }
    for (uint32_t i = 0; i < source->count; i++) {
        haft_status status = compile_keyword(frame, &source->members[i]);
        if (status != HAFT_OK) {
            return status;
        }
    }
    return haft__compile_combined_keywords(frame);
}

static bool has_only_types(const haft__schema_node *node)
{
    return node->number == NULL && node->string == NULL && node->array == NULL
           && node->object == NULL && node->enumeration == NULL && node->constant == NULL
           && node->general == NULL;
}

static haft_status compile_object(haft__compiler *c, const haft__json *source,
                                  haft__schema_resource *resource, uint32_t depth,
                                  const haft__schema_node **ret_node)
{
    haft__compile_frame frame = {.c = c, .depth = depth};
    haft_status status = haft__resource_enter(c, source, resource, &frame.resource);
    if (status == HAFT_OK) {
        status = add_node(c, source, &frame.node);
    }
    if (status != HAFT_OK) {
        return status;
    }
    store_entered(c, frame.resource);
    frame.node->resource = frame.resource;
    status = compile_keywords(&frame, source);
    frame.node->plain = has_only_types(frame.node);
    *ret_node = frame.node;
    return status;
}

haft_status haft__compile_node(haft__compiler *c, const haft__json *source,
                               haft__schema_resource *resource, uint32_t depth,
                               const haft__schema_node **ret_node)
{
    if (source->kind == HAFT__JSON_TRUE || source->kind == HAFT__JSON_FALSE) {
        *ret_node = source->kind == HAFT__JSON_TRUE ? c->always : c->never;
        return HAFT_OK;
    }
    if (source->kind != HAFT__JSON_OBJECT) {
        return fail_expected(c, resource, source, "a schema (an object or a boolean)");
    }
    const haft__schema_node *known = c->nodes != NULL ? *node_slot(c, source) : NULL;
    if (known != NULL) {
        *ret_node = known;
        return HAFT_OK;
    }
    if (depth >= HAFT__LIMIT_JSON_DEPTH) {
        return haft__fail(c->err, HAFT_TOO_BIG, "", "the schema is nested more than %d deep",
                          HAFT__LIMIT_JSON_DEPTH);
    }
    return compile_object(c, source, resource, depth, ret_node);
}

static haft_status resolve_pending(haft__compiler *c, const haft__pending_ref *pending)
{
    haft__ref_target target;
    haft_status status = haft__ref_resolve(c, pending->resource, pending->text, &target);
    const haft__schema_node *node = NULL;
    if (status == HAFT_OK) {
        status = haft__compile_node(c, target.source, target.resource, 0, &node);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (pending->dynamic == NULL) {
        pending->rules->ref = node;
        return HAFT_OK;
    }
    *pending->dynamic = (haft__dynamic_ref){target.dynamic, node};
    pending->rules->dynamic = pending->dynamic;
    c->schema->dynamic |= target.dynamic.len > 0;
    return HAFT_OK;
}

/* Compiles the $dynamicAnchors of a resource that may be in the dynamic scope, because each can be
 * the target of a $dynamicRef. */
static haft_status compile_anchors(haft__compiler *c, haft__schema_resource *resource)
{
    haft_status status = haft__document_index(c, resource->document);
    haft__dynamic_anchor *anchor = resource->dynamic;
    for (; status == HAFT_OK && anchor != NULL; anchor = anchor->next) {
        status = haft__compile_node(c, anchor->source, resource, 0, &anchor->node);
    }
    return status;
}

static haft_status compile_references(haft__compiler *c)
{
    for (;;) {
        haft_status status;
        if (c->pending != NULL) {
            const haft__pending_ref *pending = c->pending;
            c->pending = pending->next;
            status = resolve_pending(c, pending);
        } else if (c->schema->dynamic && *c->anchors_next != NULL) {
            haft__schema_resource *resource = *c->anchors_next;
            c->anchors_next = &resource->next_entered;
            status = compile_anchors(c, resource);
        } else {
            return HAFT_OK;
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
}

/* The target of a node that has only a $ref; NULL for another node. */
static haft__schema_node *only_ref(haft__compiler *c, const haft__schema_node *node)
{
    const haft__general_rules *rules = node->general;
    bool only = rules != NULL && rules->ref != NULL && rules->dynamic == NULL
                && rules->all.count == 0 && rules->any.count == 0 && rules->one.count == 0
                && rules->negated == NULL && rules->test == NULL && rules->unevaluated_items == NULL
                && rules->unevaluated_properties == NULL && node->types == HAFT__TYPES_ALL
                && node->number == NULL && node->string == NULL && node->array == NULL
                && node->object == NULL && node->enumeration == NULL && node->constant == NULL;
    if (!only) {
        return NULL;
    }
    const haft__json *source = rules->ref->source;
    return rules->ref == c->always || rules->ref == c->never ? NULL : *node_slot(c, source);
}

/* Sets the alias of a node that has only a $ref, so that validation skips it. Each chain of such
 * nodes is walked twice. The second walk shortens the chain, so that the total cost is linear. */
static haft_status link_alias(haft__compiler *c, haft__schema_node *node)
{
    haft__schema_node *end = node;
    haft__schema_node *next;
    uint32_t steps = 0;
    while (end->alias == NULL && (next = only_ref(c, end)) != NULL) {
        end = next;
        if (++steps > c->node_count) {
            return haft__fail(
                c->err, HAFT_BAD_INPUT, haft__compile_location(c, node->resource, node->source),
                "found a $ref that refers to itself, expected one that leads to a schema");
        }
    }
    const haft__schema_node *target = end->alias != NULL ? end->alias : end;
    while (node != end) {
        next = only_ref(c, node);
        node->alias = target;
        node = next;
    }
    return HAFT_OK;
}

static haft_status link_nodes(haft__compiler *c)
{
    /* With a $dynamicRef, the result depends on the nodes that a validation has passed. */
    bool skip = c->schema->dynamic || c->nodes == NULL;
    for (uint32_t i = 0; !skip && i <= c->node_mask; i++) {
        haft_status status = c->nodes[i] != NULL ? link_alias(c, c->nodes[i]) : HAFT_OK;
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

/* Returns a copy of `schema` with a stable address; NULL when out of memory. */
static haft__json *make_parts(haft__compiler *c, haft__json schema)
{
    haft__json *root = haft__arena_alloc(c->arena, sizeof(*root));
    c->schema = haft__arena_array(c->arena, 1, sizeof(*c->schema));
    c->always = haft__arena_array(c->arena, 1, sizeof(*c->always));
    c->never = haft__arena_array(c->arena, 1, sizeof(*c->never));
    if (root == NULL || c->schema == NULL || c->always == NULL || c->never == NULL) {
        return NULL;
    }
    *root = schema;
    *c->always = (haft__schema_node){.types = HAFT__TYPES_ALL, .plain = true};
    *c->never = (haft__schema_node){.types = 0, .plain = true};
    c->schema->hash_key = c->options.hash_key;
    return root;
}

static haft_status compile(haft__arena *arena, haft__json schema,
                           const haft__schema_options *options, const haft__schema **ret_schema,
                           haft_error *err)
{
    haft__compiler c = {.arena = arena, .err = err};
    if (options != NULL) {
        c.options = *options;
    }
    c.entered_last = &c.entered;
    c.anchors_next = &c.entered;
    haft__map_init(&c.resources, arena, c.options.hash_key);
    haft__map_init(&c.members, arena, c.options.hash_key);
    haft__json *root = make_parts(&c, schema);
    if (root == NULL) {
        return haft__compile_no_memory(&c);
    }
    haft_status status = haft__document_add(&c, HAFT__LIT(""), root, NULL, &c.main);
    if (status == HAFT_OK) {
        status = haft__compile_node(&c, root, c.main->resource, 0, &c.schema->root);
    }
    if (status == HAFT_OK) {
        status = compile_references(&c);
    }
    if (status == HAFT_OK) {
        status = link_nodes(&c);
    }
    if (status == HAFT_OK) {
        *ret_schema = c.schema;
    }
    return status;
}

/* Errors quote names and references unchanged, except characters that could control a terminal: C0,
 * DEL and C1 (in UTF-8: 0xC2 and 0x80 to 0x9F) become question marks. */
static void mask_controls(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at != '\0'; at++) {
        if (*at == 0xC2 && at[1] >= 0x80 && at[1] <= 0x9F) {
            at[0] = at[1] = '?';
        } else if (*at < 0x20 || *at == 0x7F) {
            *at = '?';
        }
    }
}

haft_status haft__schema_compile(haft__arena *arena, haft__json schema,
                                 const haft__schema_options *options,
                                 const haft__schema **ret_schema, haft_error *err)
{
    /* Limits the growth of the arena during compilation. Restoring clears an earlier failure of the
     * arena. */
    haft__arena_restore(arena, haft__arena_save(arena));
    size_t max = arena->max;
    size_t used = arena->total - (size_t)(arena->end - arena->next);
    size_t allowed = used + HAFT__LIMIT_SCHEMA_BYTES;
    allowed = allowed > arena->total ? allowed : arena->total;
    arena->max = allowed < max ? allowed : max;
    haft_status status = compile(arena, schema, options, ret_schema, err);
    if (status == HAFT_TOO_BIG && arena->full && allowed < max) {
        status = haft__fail(err, HAFT_TOO_BIG, "", "the compiled schema takes more than %d bytes",
                            HAFT__LIMIT_SCHEMA_BYTES);
    }
    arena->max = max;
    if (status != HAFT_OK && err != NULL) {
        mask_controls(err->where);
        mask_controls(err->message);
        mask_controls(err->hint);
    }
    return status;
}
