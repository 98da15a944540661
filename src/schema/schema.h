/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/schema.h - JSON Schema 2020-12 and draft-07: compiles schemas, validates instances, and
 * explains failures.
 *
 * A compiled schema lives in an arena, is never changed, and may be used by several threads, each
 * with its own checker. The caller provides documents outside the schema; they are never loaded
 * from a network. `format` is an annotation and checks nothing.
 */
#ifndef HAFT_SCHEMA_SCHEMA_H
#define HAFT_SCHEMA_SCHEMA_H

#include "base/buf.h"
#include "json/value.h"

typedef enum haft__schema_draft {
    HAFT__SCHEMA_2020_12,
    HAFT__SCHEMA_07,
} haft__schema_draft;

/* Finds a document by its absolute URI without fragment. NULL if it is unknown. The value must live
 * as long as the compiled schema. */
typedef const haft__json *haft__schema_find(void *context, haft_str uri);

typedef struct haft__schema_options {
    haft__schema_draft draft; /* for schemas without $schema; other documents inherit the draft of
                                 the schema that refers to them */
    haft__schema_find *find;  /* may be NULL: then only the built-in meta-schemas are found */
    void *context;
    haft__hash_key hash_key;
} haft__schema_options;

typedef struct haft__schema haft__schema;
typedef struct haft__checker haft__checker;

/* Compiles `schema`, whose value must live as long as the result. `options` may be NULL. BAD_INPUT
 * if a keyword has a value that the draft does not allow, or if a reference has no target;
 * err->where is a JSON Pointer into the schema (after the document's URI if it is another
 * document). UNSUPPORTED if a meta-schema requires an unknown vocabulary or a pattern uses an
 * unsupported feature; TOO_BIG past HAFT__LIMIT_SCHEMA_NODES, _DOCUMENTS, _PATTERNS, _URI_BYTES or
 * _BYTES. $defs without a reference are not examined. */
HAFT_MUST_USE haft_status haft__schema_compile(haft__arena *arena, haft__json schema,
                                               const haft__schema_options *options,
                                               const haft__schema **ret_schema, haft_error *err);

/* The working memory of validations. It is reused, so that validating a valid instance needs no
 * allocation. NULL when out of memory. One thread at a time. */
haft__checker *haft__checker_create(void);
void haft__checker_destroy(haft__checker *checker);

/* One reason why an instance is not valid, in words with which a model can repair its call. */
typedef struct haft__schema_error {
    haft_str where;   /* JSON Pointer into the instance; "" for the whole */
    haft_str message; /* "Missing required argument: query" */
} haft__schema_error;

typedef struct haft__schema_report {
    bool valid;
    bool more;                        /* more than HAFT__LIMIT_SCHEMA_ERRORS errors exist */
    const haft__schema_error *errors; /* in the caller's arena */
    size_t count;
} haft__schema_report;

/* Validates. If the instance is valid, nothing is allocated and `arena` is unchanged; else it is
 * checked again to list every failure. If a budget (steps, nesting, a pattern's match limit) is
 * used up, the instance counts as invalid, and the report has this reason. Fails only when out of
 * memory. */
HAFT_MUST_USE haft_status haft__schema_check(const haft__schema *schema, haft__checker *checker,
                                             haft__json instance, haft__arena *arena,
                                             haft__schema_report *ret_report, haft_error *err);

/* Appends the errors, one a line: "/limit: Expected integer, found string". */
void haft__schema_report_write(haft__buf *buf, const haft__schema_report *report);

/* Converts every value of the instance that has the wrong type for the schema and can be converted
 * without loss: "10" to 10 for integer and number (with its spelling; "010" is not a number),
 * "true" to true, 10 to "10" for string, a JSON text to its object or array, a single value to an
 * array of one if only an array is allowed and the result is valid. Valid values are unchanged; 1.0
 * is a valid integer. Sets *ret_changed if a value was converted. The result is not validated. New
 * parts live in `arena`; `arena` and the instance must outlive the result. If a budget is used up,
 * the rest is unchanged. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__schema_coerce(const haft__schema *schema, haft__checker *checker,
                                              haft__json instance, haft__arena *arena,
                                              haft__json *ret_instance, bool *ret_changed,
                                              haft_error *err);

#endif
