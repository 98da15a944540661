/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/document/builder.h - builds the JSON value of a spec, and records the location of each
 * part in the text.
 *
 * The YAML parser (spec/load/document/yaml.h) and the JSON parser (spec/load/document/parse.h) use
 * the same builder. It finds duplicate keys, resolves aliases and enforces the limits. The value of
 * an alias is shared, not copied, but each use counts for the limits. A text that would expand to
 * too many values is therefore rejected early.
 */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_BUILDER_H
#define HAFT_SPEC_LOAD_DOCUMENT_BUILDER_H

#include "base/limits.h"
#include "base/map.h"
#include "spec/load/document/problem.h"
#include "json/value.h"

/* The location of a value. The tree of locations has the same shape as the tree of values. */
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

/* The offset of the value at a JSON Pointer. If the value does not exist, the offset of the
 * innermost existing value on its path. `key`: the offset of the key instead, if the value has a
 * key. */
size_t haft__spec_offset(const haft__spec_document *document, haft_str pointer, bool key);

/* A value whose container is still open. */
typedef struct haft__spec_builder_entry {
    haft__json key, value;
    haft__spec_location spot;
    uint32_t size;   /* number of values in it, including itself, with aliases expanded */
    uint32_t height; /* nesting depth inside it */
} haft__spec_builder_entry;

typedef struct haft__spec_builder_anchor {
    haft__spec_builder_entry entry;
    bool open; /* its container is still open, so an alias to it would be infinite */
} haft__spec_builder_anchor;

/* An open container. */
typedef struct haft__spec_builder_frame {
    size_t start;   /* its first entry */
    bool object;    /* the container is an object, else an array */
    bool has_key;   /* `key` has no value yet */
    bool drop;      /* the member of `key` is dropped */
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
    haft_status status; /* NO_MEMORY, or TOO_BIG (arena), if this error stopped the builder */
} haft__spec_builder;

/* Initializes a builder that adds problems to `problems` and values to `arena`; both borrow
 * `text`. */
void haft__spec_builder_init(haft__spec_builder *tree, haft__arena *arena,
                             haft__spec_problems *problems, haft_str text, haft__hash_key hash_key);
void haft__spec_builder_finish(haft__spec_builder *tree);

/* The functions below return false if reading must stop: they have added a problem or set `status`.
 * `at` is the offset of the new part; `anchor` is its anchor (copied), or .ptr is NULL. */

/* Begins a container. */
bool haft__spec_builder_open(haft__spec_builder *tree, bool object, size_t at, haft_str anchor);

/* Ends the innermost container. */
bool haft__spec_builder_close(haft__spec_builder *tree);

/* Adds a key. May be called only if haft__spec_builder_expects_key returns true. The text of the
 * key is borrowed. `drop`: the member is read and discarded. */
bool haft__spec_builder_add_key(haft__spec_builder *tree, haft__json key, size_t at, bool drop);

/* Adds a value that is not a container. Its text is borrowed. */
bool haft__spec_builder_add_value(haft__spec_builder *tree, haft__json value, size_t at,
                                  haft_str anchor);

/* Adds the value of the anchor `name` again. */
bool haft__spec_builder_add_alias(haft__spec_builder *tree, haft_str name, size_t at);

/* Finds the value of an anchor. If the anchor is unknown, adds a problem and returns NULL. */
const haft__spec_builder_entry *haft__spec_builder_find_anchor(haft__spec_builder *tree,
                                                               haft_str name, size_t at);

/* Records the anchor of a value that is not in a container, such as a key. */
bool haft__spec_builder_add_anchor(haft__spec_builder *tree, haft_str anchor,
                                   const haft__spec_builder_entry *entry);

bool haft__spec_builder_expects_key(const haft__spec_builder *tree);

/* The offset of the key that has no value yet; SIZE_MAX if there is no such key. */
size_t haft__spec_builder_key_offset(const haft__spec_builder *tree);

/* Returns the whole document in *ret_document; false if it is empty. */
bool haft__spec_builder_document(const haft__spec_builder *tree, haft__spec_document *ret_document);

/* Adds a problem at `at` that makes the spec unusable. Returns the problem, so that the caller can
 * add a hint, or NULL. */
haft__spec_problem *haft__spec_builder_problem(haft__spec_builder *tree, size_t at,
                                               const char *format, ...) HAFT__PRINTF(3, 4);

/* Records in `status` that an allocation failed. Returns false. */
bool haft__spec_builder_fail(haft__spec_builder *tree, haft_status status);

#endif
