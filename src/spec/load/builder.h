/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/builder.h - a spec as a JSON value, and where in the text each part of it stands.
 *
 * Both front ends, YAML (spec/load/yaml.h) and JSON (spec/load/parse.h), feed the same builder; it
 * finds duplicate keys, resolves aliases and keeps the limits. What an alias stands for is shared,
 * not copied, and counted as if it were copied: a text that would grow too large written out is
 * refused before anybody walks over it.
 */
#ifndef HAFT_SPEC_LOAD_BUILDER_H
#define HAFT_SPEC_LOAD_BUILDER_H

#include "base/limits.h"
#include "base/map.h"
#include "spec/load/problem.h"
#include "json/value.h"

/* Where a value stands: parallel to the value itself. */
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

/* The offset of what a JSON Pointer leads to, or of the innermost value around it that is there.
 * `key`: of the key rather than of the value, where there is one. */
size_t haft__spec_offset(const haft__spec_document *document, haft_str pointer, bool key);

/* A value that waits for its container to close. */
typedef struct haft__spec_builder_entry {
    haft__json key, value;
    haft__spec_location spot;
    uint32_t size;   /* values in it, itself included, aliases written out */
    uint32_t height; /* containers inside each other in it */
} haft__spec_builder_entry;

typedef struct haft__spec_builder_anchor {
    haft__spec_builder_entry entry;
    bool open; /* its container is not closed yet: an alias to it would never end */
} haft__spec_builder_anchor;

/* A container that is not closed yet. */
typedef struct haft__spec_builder_frame {
    size_t start;   /* its first entry */
    bool object;    /* or an array */
    bool has_key;   /* `key` waits for its value */
    bool drop;      /* ... which is not wanted */
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
    uint64_t size; /* of everything so far, aliases written out */
    haft__spec_builder_frame frames[HAFT__LIMIT_JSON_DEPTH_STRICT];
    uint32_t depth;
    haft_status status; /* NO_MEMORY or TOO_BIG (of the arena) when that was why it stopped */
} haft__spec_builder;

/* Problems go to `problems`, values to `arena`; `text` is borrowed for both. */
void haft__spec_builder_init(haft__spec_builder *tree, haft__arena *arena,
                             haft__spec_problems *problems, haft_str text, haft__hash_key hash_key);
void haft__spec_builder_finish(haft__spec_builder *tree);

/* The functions below return false when reading must stop: a problem was added, or `status` set.
 * `at` is the offset of what is added; `anchor` its name, .ptr NULL for none, copied. */

/* A container begins. */
bool haft__spec_builder_open(haft__spec_builder *tree, bool object, size_t at, haft_str anchor);

/* The innermost container ends. */
bool haft__spec_builder_close(haft__spec_builder *tree);

/* A key; only where haft__spec_builder_expects_key. Its text is borrowed. With `drop` the member is
 * read and forgotten. */
bool haft__spec_builder_add_key(haft__spec_builder *tree, haft__json key, size_t at, bool drop);

/* A value that is no container. Its text is borrowed. */
bool haft__spec_builder_add_value(haft__spec_builder *tree, haft__json value, size_t at,
                                  haft_str anchor);

/* A value again that was anchored. */
bool haft__spec_builder_add_alias(haft__spec_builder *tree, haft_str name, size_t at);

/* What an anchor stands for, or NULL and a problem. */
const haft__spec_builder_entry *haft__spec_builder_find_anchor(haft__spec_builder *tree,
                                                               haft_str name, size_t at);

/* Remembers a value that is in no container, such as a key. */
bool haft__spec_builder_add_anchor(haft__spec_builder *tree, haft_str anchor,
                                   const haft__spec_builder_entry *entry);

bool haft__spec_builder_expects_key(const haft__spec_builder *tree);

/* The offset of the key that waits for its value; SIZE_MAX when there is none. */
size_t haft__spec_builder_key_offset(const haft__spec_builder *tree);

/* The whole document; false when there is none. */
bool haft__spec_builder_document(const haft__spec_builder *tree, haft__spec_document *ret_document);

/* A problem at `at` that makes the spec unusable. Returns it for a hint; may be NULL. */
haft__spec_problem *haft__spec_builder_problem(haft__spec_builder *tree, size_t at,
                                               const char *format, ...) HAFT__PRINTF(3, 4);

/* What was out of memory: `status` from now on. Returns false. */
bool haft__spec_builder_fail(haft__spec_builder *tree, haft_status status);

#endif
