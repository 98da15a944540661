/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/grammar/gbnf_writer.h - internals of the translation of schemas to GBNF. Private to
 * src/schema. Its files:
 *
 *     gbnf.c           rules, shared rules, literals, repetitions
 *     value.c          a schema: references, alternatives, types, enums
 *     merge.c merges several schemas that apply together
 *     object.c         objects and arrays
 *     number.c         ranges of integers
 *     string.c         strings, and classes of characters in them
 *     pattern.c        patterns
 *     text_without.c text that must not contain certain texts, keys other than known ones
 */
#ifndef HAFT_SCHEMA_GRAMMAR_GBNF_WRITER_H
#define HAFT_SCHEMA_GRAMMAR_GBNF_WRITER_H

#include "base/limits.h"
#include "base/str.h"
#include "schema/grammar/gbnf.h"

/* Rules that are always the same. */
typedef enum haft__gbnf_shared {
    HAFT__GBNF_SPACE,
    HAFT__GBNF_HEX,
    HAFT__GBNF_CODE,
    HAFT__GBNF_CHAR,
    HAFT__GBNF_PY_DOUBLE,
    HAFT__GBNF_PY_SINGLE,
    HAFT__GBNF_STRING,
    HAFT__GBNF_INTEGER,
    HAFT__GBNF_NUMBER,
    HAFT__GBNF_BOOLEAN,
    HAFT__GBNF_NULL,
    HAFT__GBNF_MEMBER,
    HAFT__GBNF_OBJECT,
    HAFT__GBNF_ARRAY,
    HAFT__GBNF_VALUE,
} haft__gbnf_shared;

/* The target of a $ref. */
struct haft__gbnf_ref {
    haft__gbnf_rule_name name;
    struct haft__gbnf_edge *begins; /* references whose texts may be the start of its text */
    bool seen;
};

haft__gbnf_rule_name haft__gbnf_shared_rule(haft__gbnf_writer *g, haft__gbnf_shared rule);

/* A new name for a rule that is written later. */
haft__gbnf_rule_name haft__gbnf_new_name(haft__gbnf_writer *g);
void haft__gbnf_write_rule(haft__gbnf_writer *g, haft__gbnf_rule_name name, haft__buf *body);

#define HAFT__GBNF_NO_MAX UINT64_MAX

/* Appends "what{least,most} ", within the limits of llama.cpp; `max` may be NO_MAX. */
void haft__gbnf_add_repeat(haft__gbnf_writer *g, haft__buf *body, haft__gbnf_rule_name what,
                           uint64_t min, uint64_t max);

/* Charges a step. False if the steps, the space of the grammar or the memory are used up. */
bool haft__gbnf_charge_step(haft__gbnf_writer *g);

void haft__gbnf_fail(haft__gbnf_writer *g, haft_status status);

/* Reports the replacement of a part that is not a keyword. */
void haft__gbnf_report_relaxed(haft__gbnf_writer *g, const char *what, const char *became);

/* Allocates an array for the grammar; NULL, with the failure recorded, when out of memory. */
void *haft__gbnf_alloc(haft__gbnf_writer *g, size_t count, size_t size);

/* Adds " | " if the body is not empty. */
void haft__gbnf_add_or(haft__buf *body);

/* ---- value.c ---- */

/* Reads a whole number of a keyword; false if it is absent or not a whole number. */
bool haft__gbnf_get_count(haft__json schema, const char *key, uint64_t *ret_count);

/* ---- merge.c ---- */

/* Whether a keyword does not constrain values. */
bool haft__gbnf_is_annotation(haft_str key);
const haft__json *haft__gbnf_ref_target(haft__gbnf_writer *g, haft__json schema);

/* ---- object.c ---- */

haft__gbnf_rule_name haft__gbnf_schema_object(haft__gbnf_writer *g, haft__json schema);
haft__gbnf_rule_name haft__gbnf_schema_array(haft__gbnf_writer *g, haft__json schema);

/* ---- number.c ---- */

haft__gbnf_rule_name haft__gbnf_schema_integer(haft__gbnf_writer *g, haft__json schema);
haft__gbnf_rule_name haft__gbnf_schema_number(haft__gbnf_writer *g, haft__json schema);

/* ---- string.c ---- */

haft__gbnf_rule_name haft__gbnf_schema_string(haft__gbnf_writer *g, haft__json schema);

/* The quotes of the notation. */
const char *haft__gbnf_quotes(const haft__gbnf_writer *g);

/* The rule for one character between quotes of this kind. */
haft__gbnf_rule_name haft__gbnf_char(haft__gbnf_writer *g, char quote);

/* Appends `text` as it is written between quotes of this kind. */
void haft__gbnf_escape(haft__buf *buf, haft__notation notation, char quote, haft_str text);

/* Appends the literal of a value; for a Python string, both kinds of quotes are allowed. */
void haft__gbnf_add_value_literal(haft__gbnf_writer *g, haft__buf *body, haft__json value);

typedef struct haft__gbnf_char_range {
    uint32_t first, last;
} haft__gbnf_char_range;

#define HAFT__GBNF_RANGES 128
typedef struct haft__gbnf_char_class {
    haft__gbnf_char_range ranges[HAFT__GBNF_RANGES];
    size_t count;
    bool full; /* a range was dropped because the array is full */
} haft__gbnf_char_class;

void haft__gbnf_char_class_add(haft__gbnf_char_class *class, uint32_t first, uint32_t last);
void haft__gbnf_char_class_negate(haft__gbnf_char_class *class);
bool haft__gbnf_char_class_has(const haft__gbnf_char_class *class, uint32_t code);
/* Appends one character of the class as it is written between quotes of this kind ('\0': no
 * quotes), in parentheses if needed. False if the class is empty. */
bool haft__gbnf_char_class_write(haft__gbnf_writer *g, haft__buf *body,
                                 const haft__gbnf_char_class *class, char quote);

/* ---- text_without.c ---- */

/* Appends a key in quotes that differs from all `keys`. */
void haft__gbnf_add_other_key(haft__gbnf_writer *g, haft__buf *body, const haft_str *keys,
                              size_t count);

#endif
