/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resolve.c - documents, resources and references: $schema, $id, $anchor, $ref.
 *
 * A document is searched for $id and $anchor ("indexed") only when a reference needs it: references
 * such as "#" and "#/a/b" within the schema itself do not need it. Subschemas are recognised by
 * their keywords; an $id inside an enum or an unknown keyword is only data. Tests:
 * tests/schema/resolve_test.c.
 */
#include <assert.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "schema/compile_int.h"
#include "schema/uri.h"
#include "json/pointer.h"
#include "json/read.h"

/* Limits the chain of custom meta-schemas. */
#define DIALECT_CHAIN 8U
#define FEW_MEMBERS   32U
#define LONG_URI      "found a URI of %zu bytes, expected at most %d"

const haft__dynamic_anchor *haft__resource_anchors(const haft__schema_resource *resource)
{
    return resource != NULL ? resource->dynamic : NULL;
}

/* The string member `key`; .ptr is NULL if it is absent. */
static haft_str get_string(const haft__json *object, haft_str key)
{
    const haft__json *value = haft__json_get(*object, key);
    return value != NULL && value->kind == HAFT__JSON_STRING ? haft__json_text(*value)
                                                             : (haft_str){NULL, 0};
}

/* The known dialects by their URIs. Drafts before 07 are read as draft-07, because the differences
 * are rarely used; 2019-09 is read with its own keywords. Support for both is not complete. */
static const struct dialect {
    haft_str uri;
    uint8_t draft;
} dialects[] = {
#define DIALECT(uri, draft)                                                                        \
    {                                                                                              \
        {uri, sizeof(uri) - 1}, draft                                                              \
    }
    DIALECT("https://json-schema.org/draft/2020-12/schema", HAFT__DRAFT_2020),
    DIALECT("http://json-schema.org/draft-07/schema", HAFT__DRAFT_07),
    DIALECT("https://json-schema.org/draft-07/schema", HAFT__DRAFT_07),
    DIALECT("https://json-schema.org/draft/2019-09/schema", HAFT__DRAFT_2019),
    DIALECT("http://json-schema.org/draft-06/schema", HAFT__DRAFT_07),
    DIALECT("http://json-schema.org/draft-04/schema", HAFT__DRAFT_07),
#undef DIALECT
};

/* 0: a known vocabulary that has no effect on validation. */
static const struct vocabulary {
    haft_str name;
    uint8_t bit;
} vocabularies[] = {
    {{"core", 4}, HAFT__VOCABULARY_CORE},
    {{"applicator", 10}, HAFT__VOCABULARY_APPLICATOR},
    {{"unevaluated", 11}, HAFT__VOCABULARY_UNEVALUATED},
    {{"validation", 10}, HAFT__VOCABULARY_VALIDATION},
    {{"meta-data", 9}, 0},
    {{"format-annotation", 17}, 0},
    {{"content", 7}, 0},
};

static const struct vocabulary *find_vocabulary(haft_str uri)
{
    static const haft_str prefix = {"https://json-schema.org/draft/2020-12/vocab/", 44};
    if (!haft__str_starts_with(uri, prefix)) {
        return NULL;
    }
    for (size_t i = 0; i < COUNT(vocabularies); i++) {
        if (haft__str_equal(vocabularies[i].name, haft__str_skip(uri, prefix.len))) {
            return &vocabularies[i];
        }
    }
    return NULL;
}

static haft_status read_vocabularies(haft__compiler *c, const haft__json *meta,
                                     haft__schema_resource *resource)
{
    const haft__json *list = haft__json_get(*meta, HAFT__LIT("$vocabulary"));
    if (list == NULL || list->kind != HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    resource->vocabularies = HAFT__VOCABULARY_CORE;
    for (uint32_t i = 0; i < list->count; i++) {
        haft_str uri = haft__json_text(list->members[i].key);
        const struct vocabulary *vocabulary = find_vocabulary(uri);
        if (vocabulary != NULL) {
            resource->vocabularies |= vocabulary->bit;
        } else if (list->members[i].value.kind == HAFT__JSON_TRUE) {
            return haft__fail(
                c->err, HAFT_UNSUPPORTED, haft__compile_location(c, resource, resource->root),
                "its meta-schema requires the vocabulary %.*s, which is not supported",
                HAFT__ARG(uri));
        }
    }
    return HAFT_OK;
}

static haft_status load(haft__compiler *c, haft_str uri, const haft__schema_resource *referrer,
                        uint32_t chain, haft__schema_resource **ret_resource);

/* Sets draft and vocabularies by the $schema of `resource`; without one they are unchanged. */
static haft_status read_dialect(haft__compiler *c, haft__schema_resource *resource, uint32_t chain)
{
    haft_str name = get_string(resource->root, HAFT__LIT("$schema"));
    if (name.ptr == NULL) {
        return HAFT_OK;
    }
    haft_str uri = haft__uri_without_fragment(name);
    resource->vocabularies = HAFT__VOCABULARIES_ALL;
    for (size_t i = 0; i < COUNT(dialects); i++) {
        if (haft__str_equal(dialects[i].uri, uri)) {
            resource->draft = dialects[i].draft;
            return HAFT_OK;
        }
    }
    haft__schema_resource *meta = NULL;
    haft_status status = chain < DIALECT_CHAIN ? load(c, uri, resource, chain + 1, &meta) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    if (meta == NULL) {
        return haft__fail(
            c->err, HAFT_BAD_INPUT, haft__compile_location(c, resource, resource->root),
            "found the $schema \"%.*s\", expected draft 2020-12, draft-07 or a known meta-schema",
            HAFT__ARG(name));
    }
    resource->draft = meta->draft;
    return meta->draft == HAFT__DRAFT_2020 ? read_vocabularies(c, meta->root, resource) : HAFT_OK;
}

static haft__schema_resource *make_resource(haft__compiler *c, haft_str uri, const haft__json *root,
                                            haft__schema_document *document)
{
    haft__schema_resource *resource = haft__arena_array(c->arena, 1, sizeof(*resource));
    if (resource != NULL) {
        resource->uri = uri;
        resource->root = root;
        resource->document = document;
        haft__map_init(&resource->anchors, c->arena, c->options.hash_key);
    }
    return resource;
}

/* Resolves `reference` to an absolute URI in the arena. Errors give the location of `at`. */
static haft_status resolve_uri(haft__compiler *c, const haft__schema_resource *resource,
                               haft_str base, haft_str reference, const haft__json *at,
                               haft_str *ret_uri)
{
    haft_str uri = haft__uri_resolve(c->arena, base, reference);
    if (uri.ptr == NULL) {
        return haft__compile_no_memory(c);
    }
    if (uri.len > HAFT__LIMIT_SCHEMA_URI_BYTES) {
        return haft__fail(c->err, HAFT_TOO_BIG, haft__compile_location(c, resource, at), LONG_URI,
                          uri.len, HAFT__LIMIT_SCHEMA_URI_BYTES);
    }
    *ret_uri = uri;
    return HAFT_OK;
}

static haft_status find_member(haft__compiler *c, const haft__json *object, haft_str name,
                               const haft__json **ret_value);

/* The $id of a schema without its fragment; .ptr is NULL if it sets no new base URI. Many
 * references may pass through one schema, so the members of a large schema are searched with a
 * map. */
static haft_status find_id(haft__compiler *c, const haft__json *source, unsigned draft,
                           haft_str *ret_id)
{
    const haft__json *id = NULL, *ref = NULL;
    *ret_id = (haft_str){NULL, 0};
    haft_status status = find_member(c, source, HAFT__LIT("$id"), &id);
    if (status == HAFT_OK && draft == HAFT__DRAFT_07) {
        status = find_member(c, source, HAFT__LIT("$ref"), &ref);
    }
    if (status == HAFT_OK && id != NULL && id->kind == HAFT__JSON_STRING && ref == NULL) {
        haft_str text = haft__uri_without_fragment(haft__json_text(*id));
        *ret_id = text.len > 0 ? text : (haft_str){NULL, 0};
    }
    return status;
}

haft_status haft__resource_enter(haft__compiler *c, const haft__json *source,
                                 haft__schema_resource *outer, haft__schema_resource **ret_resource)
{
    haft_str id = {NULL, 0}, uri = {NULL, 0};
    haft_status status = source == outer->root ? HAFT_OK : find_id(c, source, outer->draft, &id);
    if (status != HAFT_OK || id.ptr == NULL) {
        *ret_resource = outer;
        return status;
    }
    haft__arena_mark mark = haft__arena_save(c->arena);
    status = resolve_uri(c, outer, outer->uri, id, source, &uri);
    if (status != HAFT_OK) {
        return status;
    }
    haft__schema_resource *known = haft__map_get(&c->resources, uri);
    if (known != NULL && known->root == source) {
        haft__arena_restore(c->arena, mark);
        *ret_resource = known;
        return HAFT_OK;
    }
    if (known == outer && outer->draft == HAFT__DRAFT_07) {
        /* The $id is the same base URI with a "#name" after it. */
        *ret_resource = outer;
        return HAFT_OK;
    }
    if (known != NULL) {
        return haft__fail(c->err, HAFT_BAD_INPUT, haft__compile_location(c, outer, source),
                          "found a second schema with the $id %.*s, expected only one",
                          HAFT__ARG(uri));
    }
    haft__schema_resource *resource = make_resource(c, uri, source, outer->document);
    if (resource == NULL) {
        return haft__compile_no_memory(c);
    }
    resource->draft = outer->draft;
    resource->vocabularies = outer->vocabularies;
    *ret_resource = resource;
    status = haft__map_put(&c->resources, uri, resource, c->err);
    return status == HAFT_OK ? read_dialect(c, resource, 0) : status;
}

static haft_status add_document(haft__compiler *c, haft_str uri, const haft__json *root,
                                const haft__schema_resource *referrer, uint32_t chain,
                                haft__schema_document **ret_document)
{
    if (c->document_count >= HAFT__LIMIT_SCHEMA_DOCUMENTS) {
        return haft__fail(c->err, HAFT_TOO_BIG, "", "the schema refers to more than %d documents",
                          HAFT__LIMIT_SCHEMA_DOCUMENTS);
    }
    c->document_count++;
    haft__schema_document *document = haft__arena_array(c->arena, 1, sizeof(*document));
    haft_str id = root->kind == HAFT__JSON_OBJECT
                      ? haft__uri_without_fragment(get_string(root, HAFT__LIT("$id")))
                      : (haft_str){NULL, 0};
    haft_str base = id.len > 0 ? haft__uri_resolve(c->arena, uri, id) : uri;
    if (document == NULL || base.ptr == NULL) {
        return haft__compile_no_memory(c);
    }
    if (base.len > HAFT__LIMIT_SCHEMA_URI_BYTES) {
        return haft__fail(c->err, HAFT_TOO_BIG, "/$id", LONG_URI, base.len,
                          HAFT__LIMIT_SCHEMA_URI_BYTES);
    }
    haft__schema_resource *resource = make_resource(c, base, root, document);
    if (resource == NULL) {
        return haft__compile_no_memory(c);
    }
    *document = (haft__schema_document){.uri = uri, .root = root, .resource = resource};
    unsigned by_option = c->options.draft == HAFT__SCHEMA_07 ? HAFT__DRAFT_07 : HAFT__DRAFT_2020;
    resource->draft = (uint8_t)(referrer != NULL ? referrer->draft : by_option);
    resource->vocabularies = HAFT__VOCABULARIES_ALL;
    *ret_document = document;
    /* The document is registered by its location and by its own $id, unless the $id is already
     * used. */
    haft_status status = haft__map_put(&c->resources, uri, resource, c->err);
    if (status == HAFT_OK && haft__map_get(&c->resources, base) == NULL) {
        status = haft__map_put(&c->resources, base, resource, c->err);
    }
    if (status != HAFT_OK || root->kind != HAFT__JSON_OBJECT) {
        return status;
    }
    return read_dialect(c, resource, chain);
}

haft_status haft__document_add(haft__compiler *c, haft_str uri, const haft__json *root,
                               const haft__schema_resource *referrer,
                               haft__schema_document **ret_document)
{
    return add_document(c, uri, root, referrer, 0, ret_document);
}

/* Reads a built-in meta-schema on first use. *ret_root is NULL if the URI names none. */
static haft_status read_meta(haft__compiler *c, haft_str uri, const haft__json **ret_root)
{
    haft_str text = haft__meta_schema_text(uri);
    *ret_root = NULL;
    if (text.ptr == NULL) {
        return HAFT_OK;
    }
    haft__json *root = haft__arena_alloc(c->arena, sizeof(*root));
    if (root == NULL) {
        return haft__compile_no_memory(c);
    }
    *ret_root = root;
    return haft__json_read(c->arena, text, NULL, root, NULL, c->err);
}

/* The resource at the absolute `uri`, from any source; NULL if it is unknown. */
static haft_status load(haft__compiler *c, haft_str uri, const haft__schema_resource *referrer,
                        uint32_t chain, haft__schema_resource **ret_resource)
{
    *ret_resource = haft__map_get(&c->resources, uri);
    if (*ret_resource != NULL) {
        return HAFT_OK;
    }
    const haft__json *root;
    haft_status status = read_meta(c, uri, &root);
    if (status != HAFT_OK) {
        return status;
    }
    if (root == NULL && c->options.find != NULL) {
        root = c->options.find(c->options.context, uri);
    }
    if (root == NULL) {
        return HAFT_OK;
    }
    haft__schema_document *document = NULL;
    status = add_document(c, uri, root, referrer, chain, &document);
    if (status != HAFT_OK) {
        return status;
    }
    assert(document != NULL);
    *ret_resource = document->resource;
    return HAFT_OK;
}

static haft_status add_anchor(haft__compiler *c, haft__schema_resource *resource, haft_str name,
                              const haft__json *source, bool dynamic)
{
    haft__schema_anchor *anchor = haft__arena_array(c->arena, 1, sizeof(*anchor));
    if (anchor == NULL) {
        return haft__compile_no_memory(c);
    }
    *anchor = (haft__schema_anchor){source, dynamic};
    if (dynamic) {
        haft__dynamic_anchor *entry = haft__arena_array(c->arena, 1, sizeof(*entry));
        if (entry == NULL) {
            return haft__compile_no_memory(c);
        }
        *entry = (haft__dynamic_anchor){resource->dynamic, name, source, NULL};
        resource->dynamic = entry;
    }
    return haft__map_put(&resource->anchors, name, anchor, c->err);
}

static haft_status index_anchors(haft__compiler *c, const haft__json *source,
                                 haft__schema_resource *resource)
{
    haft_str name = {NULL, 0}, dynamic = {NULL, 0};
    if (resource->draft == HAFT__DRAFT_07) {
        name = haft__uri_fragment(get_string(source, HAFT__LIT("$id")));
    } else {
        name = get_string(source, HAFT__LIT("$anchor"));
    }
    if (resource->draft == HAFT__DRAFT_2020) {
        dynamic = get_string(source, HAFT__LIT("$dynamicAnchor"));
    }
    haft_status status = HAFT_OK;
    if (name.len > 0) {
        status = add_anchor(c, resource, name, source, false);
    }
    if (status == HAFT_OK && dynamic.len > 0) {
        status = add_anchor(c, resource, dynamic, source, true);
    }
    return status;
}

/* The next two functions decide, by the type of a keyword's value, whether its parts or the value
 * itself are schemas. */
static bool parts_are_schemas(haft__keyword_shape shape, const haft__json *value)
{
    switch (shape) {
    case HAFT__SHAPE_NONE:
    case HAFT__SHAPE_SCHEMA: return false;
    case HAFT__SHAPE_LIST:
    case HAFT__SHAPE_SCHEMA_OR_LIST: return value->kind == HAFT__JSON_ARRAY;
    case HAFT__SHAPE_MAP: return value->kind == HAFT__JSON_OBJECT;
    }
    HAFT__UNREACHABLE();
}

static bool value_is_schema(haft__keyword_shape shape, const haft__json *value)
{
    return (shape == HAFT__SHAPE_SCHEMA || shape == HAFT__SHAPE_SCHEMA_OR_LIST)
           && value->kind == HAFT__JSON_OBJECT;
}

static haft_status index_schema(haft__compiler *c, const haft__json *source,
                                haft__schema_resource *outer, uint32_t depth);

static haft_status index_keyword(haft__compiler *c, const haft__json_member *member,
                                 haft__schema_resource *resource, uint32_t depth)
{
    const haft__schema_keyword *keyword =
        haft__keyword_find(haft__json_text(member->key), resource->draft);
    const haft__json *value = &member->value;
    if (keyword == NULL) {
        return HAFT_OK;
    }
    if (value_is_schema(keyword->shape, value)) {
        return index_schema(c, value, resource, depth + 1);
    }
    haft_status status = HAFT_OK;
    uint32_t count = parts_are_schemas(keyword->shape, value) ? value->count : 0;
    for (uint32_t i = 0; status == HAFT_OK && i < count; i++) {
        const haft__json *part =
            value->kind == HAFT__JSON_ARRAY ? &value->items[i] : &value->members[i].value;
        status = index_schema(c, part, resource, depth + 1);
    }
    return status;
}

static haft_status index_schema(haft__compiler *c, const haft__json *source,
                                haft__schema_resource *outer, uint32_t depth)
{
    if (source->kind != HAFT__JSON_OBJECT || depth >= HAFT__LIMIT_JSON_DEPTH) {
        return HAFT_OK;
    }
    haft__schema_resource *resource = outer;
    haft_status status = haft__resource_enter(c, source, outer, &resource);
    if (status == HAFT_OK) {
        status = index_anchors(c, source, resource);
    }
    for (uint32_t i = 0; status == HAFT_OK && i < source->count; i++) {
        status = index_keyword(c, &source->members[i], resource, depth);
    }
    return status;
}

haft_status haft__document_index(haft__compiler *c, haft__schema_document *document)
{
    if (document->indexed) {
        return HAFT_OK;
    }
    document->indexed = true;
    return index_schema(c, document->root, document->resource, 0);
}

/* The members of a large object by their names, in c->members by the address of the object. */
static haft_status map_members(haft__compiler *c, const haft__json *object, haft_str address,
                               haft__map **ret_map)
{
    haft__map *map = haft__arena_array(c->arena, 1, sizeof(*map));
    const haft__json **values =
        haft__arena_array(c->arena, object->count, sizeof(const haft__json *));
    if (map == NULL || values == NULL) {
        return haft__compile_no_memory(c);
    }
    haft__map_init(map, c->arena, c->options.hash_key);
    haft_status status = haft__map_put(&c->members, address, map, c->err);
    for (uint32_t i = 0; status == HAFT_OK && i < object->count; i++) {
        values[i] = &object->members[i].value;
        status = haft__map_put(map, haft__json_text(object->members[i].key), &values[i], c->err);
    }
    if (status == HAFT_OK) {
        *ret_map = map;
    }
    return status;
}

/* Finds a member by its name. A large object is searched with a map, because many references may
 * point into it. */
static haft_status find_member(haft__compiler *c, const haft__json *object, haft_str name,
                               const haft__json **ret_value)
{
    if (object->count <= FEW_MEMBERS) {
        *ret_value = haft__json_get(*object, name);
        return HAFT_OK;
    }
    haft_str address = {(const char *)&object->members, sizeof(haft__json_member *)};
    haft__map *map = haft__map_get(&c->members, address);
    haft_status status = map != NULL ? HAFT_OK : map_members(c, object, address, &map);
    if (status == HAFT_OK) {
        const haft__json *const *found = haft__map_get(map, name);
        *ret_value = found != NULL ? *found : NULL;
    }
    return status;
}

/* Decodes "~0" and "~1" in a token of a JSON Pointer. */
static haft_str unescape_token(haft__arena *arena, haft_str token)
{
    if (token.len == 0 || memchr(token.ptr, '~', token.len) == NULL) {
        return token;
    }
    char *text = haft__arena_alloc(arena, token.len);
    size_t length = 0;
    for (size_t i = 0; text != NULL && i < token.len; i++) {
        char c = token.ptr[i];
        bool escape = c == '~' && i + 1 < token.len;
        if (escape && (token.ptr[i + 1] == '0' || token.ptr[i + 1] == '1')) {
            c = token.ptr[++i] == '0' ? '~' : '/';
        }
        text[length++] = c;
    }
    return (haft_str){text, length};
}

/* The kind of value that a walk along a JSON Pointer has reached. */
typedef enum ground {
    ON_SCHEMA,  /* the next token is a keyword */
    ON_SCHEMAS, /* the next token leads to a schema */
    ON_DATA,    /* values below are not known to be schemas */
} ground;

static ground ground_below(const haft__json *value, haft_str token, unsigned draft)
{
    const haft__schema_keyword *keyword = haft__keyword_find(token, draft);
    if (keyword != NULL && value_is_schema(keyword->shape, value)) {
        return ON_SCHEMA;
    }
    return keyword != NULL && parts_are_schemas(keyword->shape, value) ? ON_SCHEMAS : ON_DATA;
}

static haft_status step(haft__compiler *c, const haft__json **value, haft_str token)
{
    const haft__json *from = *value;
    *value = NULL;
    if (from->kind == HAFT__JSON_OBJECT) {
        return find_member(c, from, token, value);
    }
    if (from->kind == HAFT__JSON_ARRAY) {
        *value = haft__pointer_item(*from, token);
    }
    return HAFT_OK;
}

/* Follows `pointer` from the root of target->resource, and enters the resource of each $id on the
 * path. target->source is NULL if the value does not exist. */
static haft_status follow(haft__compiler *c, haft_str pointer, haft__ref_target *target)
{
    ground on = ON_SCHEMA;
    haft_status status = HAFT_OK;
    target->source = target->resource->root;
    while (status == HAFT_OK && pointer.len > 0 && target->source != NULL) {
        pointer = haft__str_skip(pointer, 1);
        const char *slash = pointer.len > 0 ? memchr(pointer.ptr, '/', pointer.len) : NULL;
        size_t length = slash != NULL ? (size_t)(slash - pointer.ptr) : pointer.len;
        haft_str token = unescape_token(c->arena, (haft_str){pointer.ptr, length});
        if (token.ptr == NULL && length > 0) {
            return haft__compile_no_memory(c);
        }
        pointer = haft__str_skip(pointer, length);
        status = step(c, &target->source, token);
        if (status != HAFT_OK || target->source == NULL) {
            return status;
        }
        on = on == ON_SCHEMAS  ? ON_SCHEMA
             : on == ON_SCHEMA ? ground_below(target->source, token, target->resource->draft)
                               : ON_DATA;
        if (on == ON_SCHEMA && target->source->kind == HAFT__JSON_OBJECT) {
            status = haft__resource_enter(c, target->source, target->resource, &target->resource);
        }
    }
    return status;
}

static haft_status find_anchor(haft__compiler *c, haft_str name, haft__ref_target *target)
{
    haft_status status = haft__document_index(c, target->resource->document);
    const haft__schema_anchor *anchor =
        status == HAFT_OK ? haft__map_get(&target->resource->anchors, name) : NULL;
    if (anchor != NULL) {
        target->source = anchor->source;
        target->dynamic = anchor->dynamic ? name : (haft_str){NULL, 0};
    }
    return status;
}

/* Finds the resource of a reference: the part before its "#". */
static haft_status find_resource(haft__compiler *c, haft__schema_resource *from,
                                 const haft__json *at, haft_str reference,
                                 haft__schema_resource **ret_resource)
{
    *ret_resource = from;
    if (reference.len == 0) {
        return HAFT_OK;
    }
    haft_status status = haft__document_index(c, c->main);
    haft__arena_mark mark = haft__arena_save(c->arena);
    haft_str uri = {NULL, 0};
    if (status == HAFT_OK) {
        status = resolve_uri(c, from, from->uri, reference, at, &uri);
    }
    if (status == HAFT_OK) {
        *ret_resource = haft__map_get(&c->resources, uri);
        if (*ret_resource != NULL) {
            haft__arena_restore(c->arena, mark);
        } else {
            status = load(c, uri, from, 0, ret_resource);
        }
    }
    if (status == HAFT_OK && *ret_resource != NULL) {
        status = haft__document_index(c, (*ret_resource)->document);
    }
    return status;
}

haft_status haft__ref_resolve(haft__compiler *c, haft__schema_resource *resource,
                              const haft__json *reference, haft__ref_target *ret_target)
{
    haft_str text = haft__json_text(*reference);
    haft__ref_target target = {0};
    haft_status status =
        find_resource(c, resource, reference, haft__uri_without_fragment(text), &target.resource);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str fragment = haft__uri_decode(c->arena, haft__uri_fragment(text));
    if (fragment.ptr == NULL) {
        return haft__compile_no_memory(c);
    }
    if (target.resource == NULL) {
        return haft__fail(c->err, HAFT_BAD_INPUT, haft__compile_location(c, resource, reference),
                          "found the reference \"%.*s\" to an unknown document", HAFT__ARG(text));
    }
    status = fragment.len == 0 || fragment.ptr[0] == '/' ? follow(c, fragment, &target)
                                                         : find_anchor(c, fragment, &target);
    if (status == HAFT_OK && target.source == NULL) {
        return haft__fail(c->err, HAFT_BAD_INPUT, haft__compile_location(c, resource, reference),
                          "found the reference \"%.*s\", which does not exist", HAFT__ARG(text));
    }
    if (status == HAFT_OK) {
        *ret_target = target;
    }
    return status;
}
