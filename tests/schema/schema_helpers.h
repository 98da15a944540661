/* SPDX-License-Identifier: Apache-2.0 */
/* schema_helpers.h - schemas and instances as text, for the tests of src/schema. */
#ifndef HAFT_TESTS_SCHEMA_HELPERS_H
#define HAFT_TESTS_SCHEMA_HELPERS_H

#include "base/buf.h"
#include "schema/schema.h"
#include "test.h"
#include "json/read.h"
#include "json/write.h"

/* A compiled schema and the objects needed to use it. */
typedef struct fixture {
    haft__arena arena;
    haft__checker *checker;
    const haft__schema *schema;
    haft_status status; /* the result of compiling */
    haft_error error;
} fixture;

static inline haft__json parse(haft__arena *arena, const char *text)
{
    haft__json value = {0};
    haft_error error = {0};
    haft_status status = haft__json_read(arena, haft__str(text), NULL, &value, NULL, &error);
    CHECK(status == HAFT_OK, "%s: %s in %s", error.where, error.message, text);
    return value;
}

static inline void fixture_init_with(fixture *f, const char *schema,
                                     const haft__schema_options *options)
{
    *f = (fixture){0};
    haft__arena_init(&f->arena, 0);
    f->checker = haft__checker_create();
    f->status =
        haft__schema_compile(&f->arena, parse(&f->arena, schema), options, &f->schema, &f->error);
}

static inline void fixture_init(fixture *f, const char *schema)
{
    fixture_init_with(f, schema, NULL);
    CHECK(f->status == HAFT_OK, "%s: %s (%s)", schema, f->error.message, f->error.where);
}

static inline void fixture_finish(fixture *f)
{
    haft__checker_destroy(f->checker);
    haft__arena_finish(&f->arena);
}

static inline haft__schema_report check_value(fixture *f, haft__json instance)
{
    haft__schema_report report = {0};
    haft_error error = {0};
    haft_status status =
        haft__schema_check(f->schema, f->checker, instance, &f->arena, &report, &error);
    CHECK(status == HAFT_OK, "%s", error.message);
    return report;
}

static inline haft__schema_report check_text(fixture *f, const char *instance)
{
    return check_value(f, parse(&f->arena, instance));
}

static inline bool is_valid(const char *schema, const char *instance)
{
    fixture f;
    fixture_init(&f, schema);
    bool valid = f.status == HAFT_OK && check_text(&f, instance).valid;
    fixture_finish(&f);
    return valid;
}

/* Errors as lines "where: message". */
static inline void list_errors(haft__buf *buf, const haft__schema_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        haft__buf_addf(buf, "%s%.*s: %.*s", i > 0 ? "\n" : "", HAFT__ARG(report->errors[i].where),
                       HAFT__ARG(report->errors[i].message));
    }
    if (report->more) {
        haft__buf_addf(buf, "\nmore");
    }
}

#endif
