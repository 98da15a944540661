/* SPDX-License-Identifier: Apache-2.0 */
/* spec_help.h - specs as text, values with their places and problems as lines, for the tests. */
#ifndef HAFT_TESTS_SPEC_HELP_H
#define HAFT_TESTS_SPEC_HELP_H

#include "base/buf.h"
#include "spec/load/document/parse.h"
#include "spec/load/load.h"
#include "test.h"
#include "json/write.h"

/* "3:5: error: the message (the hint)\n" for each. */
static inline void list_problems(haft__buf *buf, const haft__spec_problem *problems, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const haft__spec_problem *p = &problems[i];
        haft__buf_addf(buf, "%s%u:%u: %s%s%.*s", i > 0 ? "\n" : "", p->line, p->column,
                       p->warning ? "warning: " : "", p->from.len > 0 ? "from " : "",
                       HAFT__ARG(p->from));
        haft__buf_addf(buf, "%s%.*s", p->from.len > 0 ? ": " : "", HAFT__ARG(p->message));
        if (p->hint.len > 0) {
            haft__buf_addf(buf, " (%.*s)", HAFT__ARG(p->hint));
        }
    }
}

/* Copies the buffer and finishes it; lives until the test ends. */
static inline haft_str keep(haft__buf *buf)
{
    char *kept = test_alloc(buf->len + 1);
    memcpy(kept, buf->len > 0 ? buf->ptr : "", buf->len);
    kept[buf->len] = '\0';
    haft_str result = {kept, buf->len};
    haft__buf_finish(buf);
    return result;
}

/* The parsed text as JSON, or the problems. Lives until the test ends. */
static inline haft_str read_as(haft_str text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__spec_problems problems;
    haft__spec_problems_init(&problems, &arena);
    haft__spec_document document;
    haft_error err = {.status = HAFT_OK};
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft_status status =
        haft__spec_parse(&arena, text, (haft__hash_key){1, 2}, &problems, &document, &err);
    CHECK(status == HAFT_OK, "%s", err.message);
    if (status == HAFT_OK && problems.count == 0) {
        haft__json_write(&buf, document.value);
    }
    list_problems(&buf, problems.items, problems.count);
    haft_str result = keep(&buf);
    haft__arena_finish(&arena);
    return result;
}

/* A loaded spec and the memory that it uses. */
typedef struct loaded {
    haft__arena arena;
    const haft__spec *spec;
    haft__spec_report report;
    haft_str listing; /* the problems as lines; lives until the test ends */
} loaded;

static inline void load_with(loaded *f, haft_str text, const haft__spec_options *options)
{
    *f = (loaded){.spec = NULL};
    haft__arena_init(&f->arena, 0);
    haft_error err = {.status = HAFT_OK};
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft_status status = haft__spec_load(&f->arena, text, options, &f->spec, &f->report, &err);
    CHECK(status == HAFT_OK, "%s: %s", err.message, text.ptr);
    CHECK((f->spec == NULL) == (f->report.errors > 0), "either a spec or errors, not both");
    list_problems(&buf, f->report.problems, f->report.count);
    f->listing = keep(&buf);
}

static inline void load(loaded *f, const char *text)
{
    haft__spec_options options = {.hash_key = {1, 2}};
    load_with(f, haft__str(text), &options);
}

/* Loads the spec of a started run: parts that this version cannot run are not errors. */
static inline void load_kept(loaded *f, const char *text)
{
    haft__spec_options options = {.hash_key = {1, 2}, .kept = true};
    load_with(f, haft__str(text), &options);
}

static inline void unload(loaded *f)
{
    haft__arena_finish(&f->arena);
}

/* The problems of a spec, one per line; "" if there are none. */
static inline haft_str problems_of(const char *text)
{
    loaded f;
    load(&f, text);
    unload(&f);
    return f.listing;
}

/* A table of specs and their problems. */
typedef struct problem_case {
    const char *text, *problems;
} problem_case;

static inline void check_problems(const problem_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        CHECK_STR(problems_of(cases[i].text), haft__str(cases[i].problems), "%s", cases[i].text);
    }
}

#endif
