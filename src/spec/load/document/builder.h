/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/document/builder.h - a spec as a JSON value, and the location of each part in the text.
 *
 * Both front ends, YAML (spec/load/document/yaml.h) and JSON (spec/load/document/parse.h), feed the
 * same builder; it finds duplicate keys, resolves aliases and enforces the limits. The value of an
 * alias is shared, not copied, but counted as if it were copied: a text that would expand to too
 * many values is rejected before the expansion is walked.
 */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_BUILDER_H
#define HAFT_SPEC_LOAD_DOCUMENT_BUILDER_H

#include "base/limits.h"
#include "base/map.h"
#include "spec/load/problem.h"
#include "json/value.h"

/* The location of a value: parallel to the value itself. */
typedef struct haft__spec_location haft__spec_location;
struct haft__spec_location {
    uint32_t at, key_at;               /* offsets of the value and, in an object, of its key */
    const haft__spec_location *inside; /* one for each item or member */
};

typedef struct haft__spec_document {
    haft_str text;
    haft__json value;
    haft__spec_location spot;
} haft__spec_document;

/* The offset of the value at a JSON Pointer, or of the innermost existing value around it. `key`:
 * the offset of its key instead, if it has one. */
size_t haft__spec_offset(const haft__spec_document *document, haft_str pointer, bool key);

/* A value whose container is still open. */
typedef struct haft__spec_builder_entry {
    haft__json key, value;
    haft__spec_location spot;
    uint32_t size;   /* number of values in it, itself included, with aliases expanded */
    uint32_t height; /* nesting depth inside it */
} haft__spec_builder_entry;

typedef struct haft__spec_builder_anchor {
    haft__spec_builder_entry entry;
    bool open; /* its container is still open: an alias to it would be infinite */
} haft__spec_builder_anchor;

/* An open container. */
typedef struct haft__spec_builder_frame {
    size_t start;   /* its first entry */
    bool object;    /* else an array */
    bool has_key;   /* `key` has no value yet */
    bool drop;      /* ... and is dropped */
    haft__json key; /* a string */
    uint32_t at, key_at;
    haft__spec_builder_anchor *anchor; /* may be NULL */
} haft__spec_builder_frame;

typedef struct haft__spec_builder {
    haft__arena *arena;
    haft__arena scratch;
    haft__spec_problems *problems;
    haft_str text;
    haft__hash_key hash_key;
    haft__map anchors;
    haft__spec_builder_entry *entries; /* from malloc */
    size_t count, capacity;
    uint64_t size; /* number of all values so far, with aliases expanded */
    haft__spec_builder_frame frames[HAFT__LIMIT_JSON_DEPTH_STRICT];
    uint32_t depth;
    haft_status status; /* NO_MEMORY or TOO_BIG (of the arena) if that stopped the builder */
} haft__spec_builder;

/* Problems go to `problems`, values to `arena`; both borrow `text`. */
void haft__spec_builder_init(haft__spec_builder *tree, haft__arena *arena,
                             haft__spec_problems *problems, haft_str text, haft__hash_key hash_key);
void haft__spec_builder_finish(haft__spec_builder *tree);

/* The functions below return false when reading must stop: a problem was added, or `status` set.
 * `at` is the offset of the new part; `anchor` its name (copied), .ptr NULL without one. */

/* A container begins. */
bool haft__spec_builder_open(haft__spec_builder *tree, bool object, size_t at, haft_str anchor);

/* The innermost container ends. */
bool haft__spec_builder_close(haft__spec_builder *tree);

/* Adds a key; only if haft__spec_builder_expects_key. Its text is borrowed. With `drop` the member
 * is read and discarded. */
bool haft__spec_builder_add_key(haft__spec_builder *tree, haft__json key, size_t at, bool drop);

/* Adds a value that is not a container. Its text is borrowed. */
bool haft__spec_builder_add_value(haft__spec_builder *tree, haft__json value, size_t at,
                                  haft_str anchor);

/* Adds an anchored value again. */
bool haft__spec_builder_add_alias(haft__spec_builder *tree, haft_str name, size_t at);

/* The value of an anchor; NULL and a problem if it is unknown. */
const haft__spec_builder_entry *haft__spec_builder_find_anchor(haft__spec_builder *tree,
                                                               haft_str name, size_t at);

/* Remembers a value that is in no container, such as a key. */
bool haft__spec_builder_add_anchor(haft__spec_builder *tree, haft_str anchor,
                                   const haft__spec_builder_entry *entry);

bool haft__spec_builder_expects_key(const haft__spec_builder *tree);

/* The offset of the key that has no value yet; SIZE_MAX if there is no such key. */
size_t haft__spec_builder_key_offset(const haft__spec_builder *tree);

/* The whole document; false if it is empty. */
bool haft__spec_builder_document(const haft__spec_builder *tree, haft__spec_document *ret_document);

/* Adds a problem at `at` that makes the spec unusable. Returns it so that the caller can add a
 * hint; may be NULL. */
haft__spec_problem *haft__spec_builder_problem(haft__spec_builder *tree, size_t at,
                                               const char *format, ...) HAFT__PRINTF(3, 4);

/* Records in `status` that an allocation failed. Returns false. */
bool haft__spec_builder_fail(haft__spec_builder *tree, haft_status status);

#endif
