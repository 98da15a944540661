/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/schema_int.h - the parts of a compiled schema, shared by the files of this directory.
 *
 * A node is one subschema. Keywords are grouped by the kind of value that they apply to, and a
 * group without keywords is a NULL pointer: absent keywords cost no time. All structs are read-only
 * after compilation, except the checker, which one validation uses at a time.
 */
#ifndef HAFT_SCHEMA_SCHEMA_INT_H
#define HAFT_SCHEMA_SCHEMA_INT_H

#include "base/buf.h"
#include "schema/regex/pattern.h"
#include "schema/schema.h"
#include "json/value.h"

/* A node's types: one bit for each haft__json_kind, so that testing a type is a shift. The last bit
 * stands for integers; it is set instead of the bit of all numbers. */
#define HAFT__TYPE(kind)   (1U << (kind))
#define HAFT__TYPE_INTEGER (1U << 7)
#define HAFT__TYPE_BOOLEAN (HAFT__TYPE(HAFT__JSON_FALSE) | HAFT__TYPE(HAFT__JSON_TRUE))
#define HAFT__TYPES_ALL    0x7FU

typedef struct haft__schema_node haft__schema_node;
typedef struct haft__schema_resource haft__schema_resource;

typedef struct haft__schema_node_list {
    const haft__schema_node **items;
    uint32_t count;
} haft__schema_node_list;

/* The values of `enum`, or the one of `const`. Long lists have a hash table. */
typedef struct haft__schema_values {
    const haft__json *items;
    uint32_t count;
    uint32_t mask;         /* number of slots - 1 */
    const uint32_t *slots; /* 1 + index of a value; 0: free slot. NULL for short lists */
} haft__schema_values;

/* A number in the schema. If `fits` is true, `number` is its exact value. */
typedef struct haft__schema_bound {
    haft_str text; /* .ptr is NULL if the schema has no such bound */
    int64_t number;
    bool fits;
} haft__schema_bound;

typedef enum haft__schema_bound_kind {
    HAFT__BOUND_MINIMUM,
    HAFT__BOUND_MAXIMUM,
    HAFT__BOUND_EXCLUSIVE_MINIMUM, /* exclusiveMinimum */
    HAFT__BOUND_EXCLUSIVE_MAXIMUM, /* exclusiveMaximum */
    HAFT__BOUND_KINDS,
} haft__schema_bound_kind;

typedef struct haft__number_rules {
    haft__schema_bound bounds[HAFT__BOUND_KINDS];
    haft__schema_bound multiple_of;
} haft__number_rules;

/* The allowed range of a count. */
typedef struct haft__schema_count_range {
    uint64_t min, max;
} haft__schema_count_range;

typedef struct haft__string_rules {
    haft__schema_count_range length;
    const haft__pattern *pattern; /* NULL without a pattern */
    haft_str source;              /* the pattern as it was written */
} haft__string_rules;

typedef struct haft__array_rules {
    haft__schema_count_range length;
    haft__schema_node_list prefix;  /* prefixItems; in older drafts `items` with a list */
    const haft__schema_node *items; /* for the items after `prefix`; NULL if absent */
    const haft__schema_node *contains;
    haft__schema_count_range containing; /* minContains and maxContains */
    bool unique;
    bool contains_evaluates; /* items that `contains` accepts count as evaluated (2020-12) */
} haft__array_rules;

/* A name in `properties` or `required`, or in both. */
typedef struct haft__schema_property {
    uint64_t prefix; /* of the name: haft__key_prefix */
    const char *name;
    uint32_t length;
    bool declared;                 /* is in `properties` */
    bool required;                 /* is in `required` */
    const haft__schema_node *node; /* NULL: any value */
} haft__schema_property;

typedef struct haft__schema_pattern_property {
    const haft__pattern *pattern;
    haft_str source;
    const haft__schema_node *node;
} haft__schema_pattern_property;

/* The requirements on an object that has the member `name`. */
typedef struct haft__schema_dependency {
    haft_str name;
    const haft__json *names;       /* an array of names that must be there too; or NULL */
    const haft__schema_node *node; /* the schema of the object; or NULL */
} haft__schema_dependency;

typedef struct haft__object_rules {
    haft__schema_count_range size;
    const haft__schema_property
        *properties; /* declared properties, then those that are only required */
    uint32_t count;
    uint32_t required;     /* how many are required */
    uint32_t mask;         /* number of slots - 1 */
    const uint32_t *slots; /* 1 + index of a property; 0: free slot. NULL for few properties */
    const haft__schema_node *additional;
    const haft__schema_node *names; /* propertyNames */
    const haft__schema_pattern_property *patterns;
    uint32_t pattern_count;
    uint32_t dependency_count;
    haft__schema_dependency *dependencies;
} haft__object_rules;

/* A $dynamicRef. */
typedef struct haft__dynamic_ref {
    haft_str name;                 /* the anchor; empty: resolved like a $ref */
    const haft__schema_node *node; /* the target if no outer resource has that anchor */
} haft__dynamic_ref;

/* The keywords that apply other subschemas to the same value. */
typedef struct haft__general_rules {
    const haft__schema_node *ref;
    const haft__dynamic_ref *dynamic;
    haft__schema_node_list all, any, one;
    const haft__schema_node *negated; /* `not` */
    const haft__schema_node *test, *then, *otherwise;
    const haft__schema_node *unevaluated_items, *unevaluated_properties;
} haft__general_rules;

struct haft__schema_node {
    uint8_t types; /* 0 for the schema `false` */
    bool plain;    /* the node constrains only the type */
    const haft__schema_node
        *alias; /* if the node has only a $ref: the node to use instead; else NULL */
    const haft__number_rules *number;
    const haft__string_rules *string;
    const haft__array_rules *array;
    const haft__object_rules *object;
    const haft__schema_values *enumeration;
    const haft__schema_values *constant;
    const haft__general_rules *general;
    const haft__schema_resource *resource;
    const haft__json *source;
};

/* The $dynamicAnchors of a resource, compiled. */
typedef struct haft__dynamic_anchor {
    struct haft__dynamic_anchor *next;
    haft_str name;
    const haft__json *source;
    const haft__schema_node *node;
} haft__dynamic_anchor;

struct haft__schema {
    const haft__schema_node *root;
    haft__hash_key hash_key;
    bool dynamic; /* has a $dynamicRef: the checker must record its dynamic scope */
};

/* The reason why a validation stopped; the instance then counts as invalid. */
typedef enum haft__exceeded {
    HAFT__EXCEEDED_NONE,
    HAFT__EXCEEDED_STEPS,
    HAFT__EXCEEDED_NESTING,
    HAFT__EXCEEDED_PATTERN,
    HAFT__EXCEEDED_DIGITS,
    HAFT__EXCEEDED_DEPTH, /* of two compared values; never reached by values from a reader */
    HAFT__EXCEEDED_MEMORY,
} haft__exceeded;

/* The resources that a validation has entered, from the innermost to the outermost. */
typedef struct haft__dynamic_scope {
    const struct haft__dynamic_scope *outer;
    const haft__schema_resource *resource;
} haft__dynamic_scope;

/* The members or items that have been evaluated: one bit each, in the checker's words. */
typedef struct haft__evaluated {
    size_t at;
    uint32_t count;
} haft__evaluated;

struct haft__checker {
    int64_t steps; /* remaining steps */
    uint32_t nesting;
    haft__exceeded stop;
    haft_str stop_pattern;
    bool dynamic;
    const haft__dynamic_scope *scope;
    haft__hash_key hash_key;
    haft__pattern_scratch *scratch;
    uint64_t *words; /* a stack of bit sets and hash tables */
    size_t word_count, word_capacity;
    haft__arena arena; /* memory of the explaining pass, emptied each time */
};

/* The first eight bytes of a key. For shorter keys all bytes, combined so that two keys of equal
 * length up to eight with the same prefix are equal. */
static inline uint64_t haft__key_prefix(const char *key, size_t length)
{
    if (length >= 8) {
        uint64_t word;
        memcpy(&word, key, 8);
        return word;
    }
    if (length >= 4) {
        uint32_t first, last;
        memcpy(&first, key, 4);
        memcpy(&last, key + length - 4, 4);
        return (uint64_t)last << 32 | first;
    }
    if (length == 0) {
        return 0;
    }
    const unsigned char *bytes = (const unsigned char *)key;
    return bytes[0] | (uint64_t)bytes[length / 2] << 8 | (uint64_t)bytes[length - 1] << 16;
}

/* validate.c: the fast pass. */

/* Whether `node` accepts `value`. The result is false if a budget is used up; checker->stop then
 * has the reason. Check checker->stop after either result. Marks the evaluated parts if `marks` is
 * not NULL. */
bool haft__validate_node(haft__checker *checker, const haft__schema_node *node,
                         const haft__json *value, const haft__evaluated *marks);

/* Like haft__validate_node, but ignores unevaluatedItems and unevaluatedProperties. */
bool haft__validate_node_before_unevaluated(haft__checker *checker, const haft__schema_node *node,
                                            const haft__json *value, const haft__evaluated *marks);

/* Single keywords, for the explaining pass. */
bool haft__validate_type(uint8_t types, const haft__json *value);
bool haft__validate_bound(haft__checker *checker, haft__schema_bound_kind kind,
                          const haft__schema_bound *bound, const haft__json *value);
bool haft__validate_multiple_of(haft__checker *checker, const haft__schema_bound *bound,
                                const haft__json *value);
bool haft__validate_pattern(haft__checker *checker, const haft__pattern *pattern, haft_str source,
                            haft_str text);
bool haft__validate_enum(haft__checker *checker, const haft__schema_values *values,
                         const haft__json *value);
bool haft__validate_unique_items(haft__checker *checker, const haft__json *array,
                                 uint32_t ret_pair[2]);
uint64_t haft__checker_string_length(haft__checker *checker, const haft__json *string);
const haft__schema_property *haft__checker_find_property(haft__checker *checker,
                                                         const haft__object_rules *rules,
                                                         const haft__json *key, uint32_t *hint);
/* The value of a member, or NULL; charges steps for the size of the object and the key. */
const haft__json *haft__checker_find_member(haft__checker *checker, const haft__json *object,
                                            haft_str key);
const haft__schema_node *haft__checker_resolve_dynamic_ref(haft__checker *checker,
                                                           const haft__dynamic_ref *dynamic);

/* checker.c: budgets and memory. */

/* Stores the reason why the validation ends. Returns false. */
bool haft__checker_stop(haft__checker *checker, haft__exceeded why);

/* The number of bytes of a text, and of a number, that are compared or hashed for one step. */
#define HAFT__TEXT_STEP   64U
#define HAFT__NUMBER_STEP 16U

/* Charges work other than the check of a node. False if the budget is used up. */
static inline bool haft__checker_charge(haft__checker *checker, size_t steps)
{
    checker->steps -= (int64_t)steps;
    return HAFT__LIKELY(checker->steps >= 0) || haft__checker_stop(checker, HAFT__EXCEEDED_STEPS);
}

/* Charges for comparing or hashing the whole of `value`. */
bool haft__checker_charge_value(haft__checker *checker, const haft__json *value);

/* Enters a subschema. If this returns true, haft__checker_leave must follow. */
static inline bool haft__checker_enter(haft__checker *checker, uint32_t limit)
{
    if (HAFT__UNLIKELY(checker->nesting >= limit)) {
        return haft__checker_stop(checker, HAFT__EXCEEDED_NESTING);
    }
    checker->nesting++;
    return true;
}

static inline void haft__checker_leave(haft__checker *checker)
{
    checker->nesting--;
}

/* Begins a validation with a full budget. */
void haft__checker_begin(haft__checker *checker, const haft__schema *schema);

/* Pushes zeroed words onto the stack. They are at checker->words + *ret_at until the next push.
 * Setting word_count back removes them. */
bool haft__checker_push_words(haft__checker *checker, size_t count, size_t *ret_at);

bool haft__evaluated_push(haft__checker *checker, uint32_t count, haft__evaluated *ret_marks);
void haft__evaluated_pop(haft__checker *checker, const haft__evaluated *marks);
void haft__evaluated_merge(haft__checker *checker, const haft__evaluated *into,
                           const haft__evaluated *from);
void haft__evaluated_add_all(haft__checker *checker, const haft__evaluated *marks);

static inline void haft__evaluated_add(haft__checker *checker, const haft__evaluated *marks,
                                       uint32_t index)
{
    checker->words[marks->at + index / 64] |= (uint64_t)1 << (index % 64);
}

static inline bool haft__evaluated_has(const haft__checker *checker, const haft__evaluated *marks,
                                       uint32_t index)
{
    return (checker->words[marks->at + index / 64] >> (index % 64) & 1) != 0;
}

/* resolve.c: the dynamic anchors of a resource. */
const haft__dynamic_anchor *haft__resource_anchors(const haft__schema_resource *resource);

/* explain.c: checks again and writes a message for every failure into `arena`. */
HAFT_MUST_USE haft_status haft__schema_explain(const haft__schema *schema, haft__checker *checker,
                                               const haft__json *instance, haft__arena *arena,
                                               haft__schema_report *ret_report, haft_error *err);

#endif
