/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/compile_int.h - shared by the files of the compiler: compile.c, assertions.c,
 * applicators.c, keywords.c, resolve.c, meta_schemas.c.
 *
 * A *document* is a JSON value from the caller. A *resource* is a part of a document that has its
 * own base URI (the root, and every subschema with an $id). A *frame* is a subschema being
 * compiled.
 */
#ifndef HAFT_SCHEMA_COMPILE_INT_H
#define HAFT_SCHEMA_COMPILE_INT_H

#include "base/map.h"
#include "schema/schema_int.h"

/* Drafts and vocabularies are bits, so that a keyword can belong to several. */
#define HAFT__DRAFT_07   1U
#define HAFT__DRAFT_2019 2U
#define HAFT__DRAFT_2020 4U
#define HAFT__DRAFTS_ALL 7U

#define HAFT__VOCABULARY_CORE        1U
#define HAFT__VOCABULARY_APPLICATOR  2U
#define HAFT__VOCABULARY_UNEVALUATED 4U
#define HAFT__VOCABULARY_VALIDATION  8U
#define HAFT__VOCABULARIES_ALL       15U

typedef struct haft__schema_document {
    haft_str uri; /* its URI; "" for the schema passed to the compiler */
    const haft__json *root;
    haft__schema_resource *resource; /* of the root */
    bool indexed;                    /* the resources have all $id and $anchor of the document */
} haft__schema_document;

struct haft__schema_resource {
    haft_str uri;
    const haft__json *root;
    haft__schema_document *document;
    uint8_t draft, vocabularies;
    bool entered;                        /* a node of the resource has been compiled */
    haft__schema_resource *next_entered; /* in the order of entry */
    haft__map anchors;                   /* name to haft__schema_anchor */
    haft__dynamic_anchor *dynamic;       /* the $dynamicAnchors among the anchors */
};

typedef struct haft__schema_anchor {
    const haft__json *source;
    bool dynamic;
} haft__schema_anchor;

/* A reference that is not resolved yet. */
typedef struct haft__pending_ref {
    struct haft__pending_ref *next;
    haft__schema_resource *resource;
    const haft__json *text;
    haft__general_rules *rules; /* the target: .ref, or .dynamic when `dynamic` is not NULL */
    haft__dynamic_ref *dynamic;
} haft__pending_ref;

typedef struct haft__compiler {
    haft__arena *arena;
    haft__schema_options options;
    haft__schema *schema;
    haft_error *err;
    haft__schema_node *always; /* the schema `true` */
    haft__schema_node *never;  /* the schema `false` */
    haft__schema_node **nodes; /* hash table by the address of the source */
    uint32_t node_count, node_mask;
    haft__map resources; /* URI to haft__schema_resource */
    haft__map members;   /* address of a large object to a haft__map of its members */
    haft__schema_document *main;
    uint32_t document_count, pattern_count;
    haft__pending_ref *pending;
    haft__schema_resource *entered, **entered_last;
    haft__schema_resource *
        *anchors_next; /* the first entered resource whose dynamic anchors are not compiled */
    char where[sizeof(((haft_error *)0)->where)]; /* of the last haft__compile_location */
} haft__compiler;

typedef struct haft__compile_frame {
    haft__compiler *c;
    haft__schema_node *node;
    haft__schema_resource *resource;
    uint32_t depth;
    /* The groups of the node, while they are mutable. */
    haft__number_rules *number;
    haft__string_rules *string;
    haft__array_rules *array;
    haft__object_rules *object;
    haft__general_rules *general;
    /* Keywords that have an effect only together with others. */
    const haft__json *properties, *required;
    const haft__json *items, *additional_items;
} haft__compile_frame;

/* The position of subschemas in a keyword's value. */
typedef enum haft__keyword_shape {
    HAFT__SHAPE_NONE,
    HAFT__SHAPE_SCHEMA,
    HAFT__SHAPE_LIST,           /* an array of schemas */
    HAFT__SHAPE_SCHEMA_OR_LIST, /* `items` before 2020-12 */
    HAFT__SHAPE_MAP,            /* an object whose members are schemas */
} haft__keyword_shape;

typedef struct haft__schema_keyword haft__schema_keyword;
typedef haft_status haft__keyword_compile(haft__compile_frame *frame,
                                          const haft__schema_keyword *keyword,
                                          const haft__json *value);
struct haft__schema_keyword {
    haft_str name;
    uint8_t drafts, vocabulary;
    uint8_t shape;                  /* haft__keyword_shape */
    uint8_t which;                  /* distinguishes keywords that share a function */
    haft__keyword_compile *compile; /* NULL: no effect on validation by itself */
};

/* keywords.c */
const haft__schema_keyword *haft__keyword_find(haft_str name, unsigned draft);
const haft__schema_keyword *haft__keywords(size_t *ret_count);

/* assertions.c: assertions about one kind of value. */
typedef enum haft__schema_count_kind {
    HAFT__RANGE_LENGTH,
    HAFT__RANGE_ITEMS,
    HAFT__RANGE_CONTAINS,
    HAFT__RANGE_PROPERTIES,
} haft__schema_count_kind;
haft__keyword_compile haft__compile_type, haft__compile_bound, haft__compile_multiple_of,
    haft__compile_min, haft__compile_max, haft__compile_pattern, haft__compile_unique,
    haft__compile_enum, haft__compile_const, haft__compile_required,
    haft__compile_dependent_required;

/* applicators.c: keywords with subschemas. */
typedef enum haft__schema_list_kind {
    HAFT__LIST_ALL,
    HAFT__LIST_ANY,
    HAFT__LIST_ONE,
} haft__schema_list_kind;
typedef enum haft__subschema_kind {
    HAFT__SUBSCHEMA_NOT,
    HAFT__SUBSCHEMA_IF,
    HAFT__SUBSCHEMA_THEN,
    HAFT__SUBSCHEMA_ELSE,
    HAFT__SUBSCHEMA_UNEVALUATED_ITEMS,
    HAFT__SUBSCHEMA_UNEVALUATED_PROPERTIES,
    HAFT__SUBSCHEMA_CONTAINS,
    HAFT__SUBSCHEMA_ADDITIONAL,
    HAFT__SUBSCHEMA_PROPERTY_NAMES,
} haft__subschema_kind;
haft__keyword_compile haft__compile_subschema_list, haft__compile_subschema, haft__compile_ref,
    haft__compile_dynamic_ref, haft__compile_items, haft__compile_additional_items,
    haft__compile_prefix_items, haft__compile_properties, haft__compile_pattern_properties,
    haft__compile_dependencies;
/* Compiles the keywords that depend on other keywords of the frame. */
HAFT_MUST_USE haft_status haft__compile_combined_keywords(haft__compile_frame *frame);

/* compile.c */

/* The node for the schema at `source`, which is in `resource` (but may have its own $id). */
HAFT_MUST_USE haft_status haft__compile_node(haft__compiler *c, const haft__json *source,
                                             haft__schema_resource *resource, uint32_t depth,
                                             const haft__schema_node **ret_node);

/* Return a group of keywords of the frame's node, which is made on first use; NULL when out of
 * memory. */
haft__number_rules *haft__compile_frame_number(haft__compile_frame *frame);
haft__string_rules *haft__compile_frame_string(haft__compile_frame *frame);
haft__array_rules *haft__compile_frame_array(haft__compile_frame *frame);
haft__object_rules *haft__compile_frame_object(haft__compile_frame *frame);
haft__general_rules *haft__compile_frame_general(haft__compile_frame *frame);

/* Errors of the compiler. `at` is the invalid value; its location is computed only now. */
const char *haft__compile_location(haft__compiler *c, const haft__schema_resource *resource,
                                   const haft__json *at);
haft_status haft__compile_fail_expected(haft__compile_frame *frame, const haft__json *at,
                                        const char *expected);
haft_status haft__compile_no_memory(haft__compiler *c);

/* Compiles a regular expression; errors give the location of `at`. */
HAFT_MUST_USE haft_status haft__compile_regex(haft__compile_frame *frame, haft_str source,
                                              const haft__json *at,
                                              const haft__pattern **ret_pattern);

/* resolve.c */
typedef struct haft__ref_target {
    const haft__json *source;
    haft__schema_resource *resource;
    haft_str dynamic; /* the name of the $dynamicAnchor that led to it; else empty */
} haft__ref_target;

HAFT_MUST_USE haft_status haft__document_add(haft__compiler *c, haft_str uri,
                                             const haft__json *root,
                                             const haft__schema_resource *referrer,
                                             haft__schema_document **ret_document);
HAFT_MUST_USE haft_status haft__document_index(haft__compiler *c, haft__schema_document *document);
/* The resource that the schema at `source` belongs to: `outer` unless it has an $id. */
HAFT_MUST_USE haft_status haft__resource_enter(haft__compiler *c, const haft__json *source,
                                               haft__schema_resource *outer,
                                               haft__schema_resource **ret_resource);
HAFT_MUST_USE haft_status haft__ref_resolve(haft__compiler *c, haft__schema_resource *resource,
                                            const haft__json *reference,
                                            haft__ref_target *ret_target);

/* meta_schemas.c: the text of a built-in meta-schema; .ptr is NULL for an unknown URI. */
haft_str haft__meta_schema_text(haft_str uri);

#endif
