/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/grammar/gbnf.h - JSON Schemas as rules of a GBNF grammar, llama.cpp's notation.
 *
 *     haft__gbnf_init(&g, &rules, report);
 *     haft__gbnf_begin(&g, where, schema);           a schema, the target of its `$ref`
 *     haft__gbnf_rule_name r = haft__gbnf_schema_value(&g, schema);
 *     ... text with r in it ...
 *     haft__gbnf_close(&g);                          the shared rules
 *
 * Rules with the same body are one rule. Constraints that a grammar cannot express are relaxed and
 * reported. The only failures are out of memory and a full buffer; haft__gbnf_check reports them,
 * once, at the end.
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

/* A rule's name; "" without one. */
typedef struct haft__gbnf_rule_name {
    char text[16];
} haft__gbnf_rule_name;

typedef struct haft__gbnf_ref haft__gbnf_ref;

typedef struct haft__gbnf_writer {
    haft__buf *out; /* the caller's */
    haft__relax_report *report;
    haft__notation notation;
    haft__arena arena;
    haft__map rules;    /* from the bodies of rules to their names */
    haft__map refs;     /* from the targets of $ref to haft__gbnf_ref */
    haft__json root;    /* the target document of $ref */
    haft__buf path;     /* the current location, for the report */
    uint64_t shared;    /* which shared rules are used, one bit each */
    uint32_t count;     /* number of rules */
    uint32_t steps;     /* subschemas examined */
    uint32_t repeats;   /* the counts of all repetitions, as llama.cpp expands them */
    uint32_t depth;     /* nesting of subschemas */
    haft__gbnf_ref *at; /* the rule of a $ref while the start of its text is written; else NULL */
    haft_status status; /* the first failure */
    uint32_t max_chars; /* the maximum length of a JSON string without maxLength; 0: unlimited */
    haft__gbnf_rule_name
        bounded; /* the rule of a string of at most max_chars; "" before its first use */
} haft__gbnf_writer;

void haft__gbnf_init(haft__gbnf_writer *g, haft__buf *out, haft__relax_report *report);
void haft__gbnf_finish(haft__gbnf_writer *g);

/* `where` is the pointer that locations in reports begin with. */
void haft__gbnf_begin(haft__gbnf_writer *g, haft_str where, haft__json root);

/* Appends the shared rules that are used. */
void haft__gbnf_close(haft__gbnf_writer *g);

/* The first failure of the grammar, its buffer or its report. */
HAFT_MUST_USE haft_status haft__gbnf_check(const haft__gbnf_writer *g, haft_error *err);

/* Adds a rule with this body and releases the body. */
haft__gbnf_rule_name haft__gbnf_add_rule(haft__gbnf_writer *g, haft__buf *body);

/* Releases a text that was used for a part of the grammar. If the text had failed, the grammar
 * fails. */
void haft__gbnf_release_body(haft__gbnf_writer *g, haft__buf *text);

/* An empty body. */
void haft__gbnf_body_init(haft__buf *body);

/* Appends `text` as a literal and a space; nothing for an empty text. */
void haft__gbnf_add_literal(haft__buf *body, haft_str text);

/* Appends a name and a space. */
void haft__gbnf_add_name(haft__buf *body, haft__gbnf_rule_name name);

/* The rule for bounded white space. (With unbounded white space, models may write white space
 * endlessly.) */
haft__gbnf_rule_name haft__gbnf_space(haft__gbnf_writer *g);

/* The rules for any string and any object in the notation. */
haft__gbnf_rule_name haft__gbnf_string(haft__gbnf_writer *g);
haft__gbnf_rule_name haft__gbnf_object(haft__gbnf_writer *g);

/* The rule for the values that a schema accepts. */
haft__gbnf_rule_name haft__gbnf_schema_value(haft__gbnf_writer *g, haft__json schema);

/* The members of an object, as a format writes them. */
typedef struct haft__gbnf_members haft__gbnf_members;
struct haft__gbnf_members {
    const char *separator; /* text of GBNF between two members */
    /* Appends a member: its key, the separator and its value. */
    void (*add)(haft__gbnf_writer *g, const haft__gbnf_members *members, haft__buf *body,
                haft_str key, haft__json schema);
    bool extras;         /* `add` can write members that the schema does not name */
    const void *context; /* for `add` */
};

/* Appends the members of an object in the schema's order; optional ones may be left out. False if
 * no members are possible. */
bool haft__gbnf_add_members(haft__gbnf_writer *g, haft__buf *body, haft__json schema,
                            const haft__gbnf_members *members);

/* The schema with its $ref and allOf resolved, as far as that is possible. */
haft__json haft__gbnf_flatten_schema(haft__gbnf_writer *g, haft__json schema);

/* A schema for the values that both schemas accept. Parts that cannot be merged are reported. */
haft__json haft__gbnf_merge_schemas(haft__gbnf_writer *g, haft__json a, haft__json b);

/* The schema without item `index` of its `keyword`, or without the whole keyword (UINT32_MAX). */
haft__json haft__gbnf_without_keyword(haft__gbnf_writer *g, haft__json schema, const char *keyword,
                                      uint32_t index);

/* The rule for a text, possibly empty, that contains none of the stops. At most HAFT__GBNF_STOPS
 * stops. */
#define HAFT__GBNF_STOPS 8
haft__gbnf_rule_name haft__gbnf_text_without(haft__gbnf_writer *g, const haft_str *stops,
                                             size_t count);

/* If the schema has the keyword `key`, reports its replacement `became` at the current location. */
void haft__gbnf_relax(haft__gbnf_writer *g, haft__json schema, const char *key, const char *became);

/* Enter and leave a member of the schema, so that reports have the right location. */
size_t haft__gbnf_enter(haft__gbnf_writer *g, const char *keyword, haft_str key);
void haft__gbnf_leave(haft__gbnf_writer *g, size_t before);

/* Appends a string's pattern as it is written between the quotes (or without quotes: '\0'). False,
 * with a report, if the pattern cannot be expressed or could match a character of `never`. */
bool haft__gbnf_add_pattern(haft__gbnf_writer *g, haft__buf *body, haft_str pattern, char quote,
                            const char *never);

#endif
