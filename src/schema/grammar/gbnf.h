/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/grammar/gbnf.h - JSON Schemas as rules of a GBNF grammar, llama.cpp's notation.
 *
 *     haft__gbnf_init(&g, &rules, report);
 *     haft__gbnf_begin(&g, where, schema);           a schema, and what `$ref` in it leads into
 *     haft__gbnf_rule_name r = haft__gbnf_schema_value(&g, schema);
 *     ... text with r in it ...
 *     haft__gbnf_close(&g);                          the rules that all of them share
 *
 * Rules with the same body are one rule. What cannot be expressed is relaxed and reported; nothing
 * fails but for want of memory or room, which is asked for once, at the end.
 */
#ifndef HAFT_SCHEMA_GRAMMAR_GBNF_H
#define HAFT_SCHEMA_GRAMMAR_GBNF_H

#include "base/buf.h"
#include "base/map.h"
#include "schema/relax_report.h"
#include "json/value.h"

typedef enum haft__notation {
    HAFT__NOTATION_JSON,
    HAFT__NOTATION_PYTHON, /* literals of Python: True, None, 'x', {'k': 1} */
} haft__notation;

/* A rule's name; "" when there is none. */
typedef struct haft__gbnf_rule_name {
    char text[16];
} haft__gbnf_rule_name;

typedef struct haft__gbnf_ref haft__gbnf_ref;

typedef struct haft__gbnf_writer {
    haft__buf *out; /* the caller's */
    haft__relax_report *report;
    haft__notation notation;
    haft__arena arena;
    haft__map rules;    /* bodies, to names */
    haft__map refs;     /* targets of $ref, to haft__gbnf_ref */
    haft__json root;    /* what $ref leads into */
    haft__buf path;     /* where we are: for the report */
    uint64_t shared;    /* which of the shared rules are used: a bit each */
    uint32_t count;     /* rules made */
    uint32_t steps;     /* subschemas looked at */
    uint32_t repeats;   /* the counts of all repetitions: what llama.cpp makes of them */
    uint32_t depth;     /* subschemas inside each other */
    haft__gbnf_ref *at; /* the rule of a $ref whose first character is being made, or NULL */
    haft_status status; /* the first failure */
    uint32_t max_chars; /* what a JSON string without maxLength may have; 0: any number */
    haft__gbnf_rule_name bounded; /* the rule of such a string, once there is one */
} haft__gbnf_writer;

void haft__gbnf_init(haft__gbnf_writer *g, haft__buf *out, haft__relax_report *report);
void haft__gbnf_finish(haft__gbnf_writer *g);

/* `where` is the pointer that places in reports begin with. */
void haft__gbnf_begin(haft__gbnf_writer *g, haft_str where, haft__json root);

/* Appends the shared rules that are used. */
void haft__gbnf_close(haft__gbnf_writer *g);

/* The first failure of the grammar, its buffer or its report. */
HAFT_MUST_USE haft_status haft__gbnf_check(const haft__gbnf_writer *g, haft_error *err);

/* A rule with this body, which is given back. */
haft__gbnf_rule_name haft__gbnf_add_rule(haft__gbnf_writer *g, haft__buf *body);

/* Gives a text back that was used for a part of the grammar; its failure is the grammar's. */
void haft__gbnf_release_body(haft__gbnf_writer *g, haft__buf *text);

/* An empty body. */
void haft__gbnf_body_init(haft__buf *body);

/* Appends `text` as a literal, with a space behind it; nothing for an empty one. */
void haft__gbnf_add_literal(haft__buf *body, haft_str text);

/* Appends a name and a space. */
void haft__gbnf_add_name(haft__buf *body, haft__gbnf_rule_name name);

/* A bit of white space, bounded: models loop where it is not. */
haft__gbnf_rule_name haft__gbnf_space(haft__gbnf_writer *g);

/* Any string, and any object, in the notation. */
haft__gbnf_rule_name haft__gbnf_string(haft__gbnf_writer *g);
haft__gbnf_rule_name haft__gbnf_object(haft__gbnf_writer *g);

/* The values that a schema accepts. */
haft__gbnf_rule_name haft__gbnf_schema_value(haft__gbnf_writer *g, haft__json schema);

/* An object's members, as a format writes them. */
typedef struct haft__gbnf_members haft__gbnf_members;
struct haft__gbnf_members {
    const char *separator; /* text of GBNF between two members */
    /* Appends a member: its key, what stands behind it, its value. */
    void (*add)(haft__gbnf_writer *g, const haft__gbnf_members *members, haft__buf *body,
                haft_str key, haft__json schema);
    bool extras;         /* members that have no name in the schema can be written */
    const void *context; /* for `add` */
};

/* Appends the members of an object in the schema's order; those that are not required may be left
 * out. False when there may be none. */
bool haft__gbnf_add_members(haft__gbnf_writer *g, haft__buf *body, haft__json schema,
                            const haft__gbnf_members *members);

/* The schema with its $ref and allOf resolved, as far as that is possible. */
haft__json haft__gbnf_flatten_schema(haft__gbnf_writer *g, haft__json schema);

/* A schema that accepts what both accept; what cannot be merged is reported. */
haft__json haft__gbnf_merge_schemas(haft__gbnf_writer *g, haft__json a, haft__json b);

/* The schema without the `index`-th of its `keyword`, or without that keyword (UINT32_MAX). */
haft__json haft__gbnf_without_keyword(haft__gbnf_writer *g, haft__json schema, const char *keyword,
                                      uint32_t index);

/* Text without any of these in it: at most HAFT__GBNF_STOPS. May be empty. */
#define HAFT__GBNF_STOPS 8
haft__gbnf_rule_name haft__gbnf_text_without(haft__gbnf_writer *g, const haft_str *stops,
                                             size_t count);

/* Notes at the present place that `key` of a schema, if it has it, became something else. */
void haft__gbnf_relax(haft__gbnf_writer *g, haft__json schema, const char *key, const char *became);

/* Steps into a member of the schema, and out again: for places in reports. */
size_t haft__gbnf_enter(haft__gbnf_writer *g, const char *keyword, haft_str key);
void haft__gbnf_leave(haft__gbnf_writer *g, size_t before);

/* Appends a string's pattern as it is written between the quotes (or without any: '\0'); false,
 * and a report, when it cannot be expressed. With `never`, characters that may not occur: also
 * false when one could. */
bool haft__gbnf_add_pattern(haft__gbnf_writer *g, haft__buf *body, haft_str pattern, char quote,
                            const char *never);

#endif
