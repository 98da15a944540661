/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures.c - lists of failures with their messages.
 *
 * Tests: tests/schema/explain_test.c.
 */
#include "schema/failures.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "schema/describe.h"
#include "json/pointer.h"

/* The cost of a failure in steps, and the number of its bytes that cost one more step. */
#define ERROR_STEPS 64U
#define ERROR_STEP  4U
/* The longest token that is an index. */
#define INDEX_BYTES sizeof("/4294967295")

void haft__schema_failures_init(haft__schema_failures *list, uint32_t depth)
{
    *list = (haft__schema_failures){.depth = depth};
    list->last = &list->first;
}

bool haft__explain_is_done(const haft__explainer *ex)
{
    return ex->into->more || ex->status != HAFT_OK || ex->checker->stop != HAFT__EXCEEDED_NONE;
}

/* Writes from the outside in; recursion is bounded by the nesting limit. A path that is too long
 * ends in "/..." after the last name that fits. */
static void write_instance_path(haft__buf *buf, const haft__instance_path *at)
{
    const haft__instance_path *path[HAFT__LIMIT_SCHEMA_NESTING + 1];
    size_t count = 0;
    for (; at != NULL && at->outer != NULL && count < COUNT(path); at = at->outer) {
        path[count++] = at;
    }
    while (count > 0) {
        const haft__instance_path *step = path[--count];
        size_t max = step->key != NULL ? 2 * (size_t)step->key->count + 1 : INDEX_BYTES;
        if (max > buf->max - buf->len - sizeof("/...")) {
            haft__describe_add(buf, "/...");
            return;
        }
        if (step->key != NULL) {
            haft__pointer_add_key(buf, haft__json_text(*step->key));
        } else {
            haft__pointer_add_index(buf, step->index);
        }
    }
}

haft__buf *haft__explain_message(haft__explainer *ex)
{
    haft__buf_clear(&ex->text);
    return &ex->text;
}

void haft__explain_add(haft__explainer *ex, const haft__instance_path *at, uint64_t weight)
{
    haft__schema_failures *list = ex->into;
    list->weight += weight;
    (void)haft__checker_charge(ex->checker, ERROR_STEPS + ex->text.len / ERROR_STEP);
    if (list->count >= HAFT__LIMIT_SCHEMA_ERRORS) {
        list->more = true;
        return;
    }
    haft__buf_clear(&ex->where);
    write_instance_path(&ex->where, at);
    (void)haft__checker_charge(ex->checker, ex->where.len / ERROR_STEP);
    haft__schema_failure *made = haft__arena_alloc(ex->arena, sizeof(*made));
    if (made == NULL || ex->text.status == HAFT_NO_MEMORY || ex->where.status == HAFT_NO_MEMORY) {
        ex->status = HAFT_NO_MEMORY;
        return;
    }
    *made = (haft__schema_failure){NULL, haft__arena_copy(ex->arena, haft__buf_str(&ex->where)),
                                   haft__arena_copy(ex->arena, haft__buf_str(&ex->text))};
    if (made->where.ptr == NULL || made->message.ptr == NULL) {
        ex->status = HAFT_NO_MEMORY;
        return;
    }
    *list->last = made;
    list->last = &made->next;
    list->count++;
}

haft__schema_failures *haft__explain_redirect(haft__explainer *ex, haft__schema_failures *list)
{
    haft__schema_failures *before = ex->into;
    ex->into = list;
    return before;
}

void haft__explain_add_all(haft__explainer *ex, const haft__schema_failures *list)
{
    ex->into->weight += list->weight;
    for (haft__schema_failure *each = list->first; each != NULL;) {
        haft__schema_failure *next = each->next;
        each->next = NULL;
        if (ex->into->count >= HAFT__LIMIT_SCHEMA_ERRORS) {
            ex->into->more = true;
            return;
        }
        *ex->into->last = each;
        ex->into->last = &each->next;
        ex->into->count++;
        each = next;
    }
    ex->into->more |= list->more;
}

void haft__explain_add_exceeded(haft__explainer *ex, haft__exceeded stop,
                                const haft__instance_path *at)
{
    haft__buf *text = haft__explain_message(ex);
    switch (stop) {
    case HAFT__EXCEEDED_NONE:
        /* Only if the two passes differ; the test suite and the fuzzer search for such cases. */
        haft__describe_add(text, "Does not match the schema");
        break;
    case HAFT__EXCEEDED_STEPS:
        haft__buf_addf(text, "Gave up after %d checks", HAFT__LIMIT_SCHEMA_STEPS);
        break;
    case HAFT__EXCEEDED_NESTING:
        haft__buf_addf(text,
                       "Gave up: more than %d nested subschemas; does a $ref refer to itself?",
                       HAFT__LIMIT_SCHEMA_NESTING);
        break;
    case HAFT__EXCEEDED_PATTERN:
        haft__describe_add(text, "Gave up matching the pattern ");
        haft__describe_text(text, ex->checker->stop_pattern);
        haft__buf_addf(text, ": more than %d steps", HAFT__LIMIT_PATTERN_MATCH);
        break;
    case HAFT__EXCEEDED_DIGITS:
        haft__buf_addf(text, "Gave up: more than %d digits are needed for \"multipleOf\"",
                       HAFT__LIMIT_JSON_DIGITS);
        break;
    case HAFT__EXCEEDED_DEPTH:
        haft__buf_addf(text, "Gave up: the values compared are nested more than %d deep",
                       HAFT__LIMIT_JSON_DEPTH);
        break;
    case HAFT__EXCEEDED_MEMORY: ex->status = HAFT_NO_MEMORY; return;
    }
    ex->exceeded_reported = true;
    haft__explain_add(ex, at, HAFT__WEIGHT_OTHER);
}

bool haft__explain_check_exceeded(haft__explainer *ex, const haft__instance_path *at)
{
    if (ex->checker->stop == HAFT__EXCEEDED_NONE) {
        return false;
    }
    if (!ex->exceeded_reported) {
        haft__explain_add_exceeded(ex, ex->checker->stop, at);
    }
    return true;
}

haft_status haft__schema_failures_report(const haft__schema_failures *list, haft__arena *arena,
                                         haft__schema_report *ret_report, haft_error *err)
{
    haft__schema_error *errors = haft__arena_array(arena, list->count, sizeof(*errors));
    size_t count = 0;
    if (errors == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (const haft__schema_failure *each = list->first; each != NULL; each = each->next) {
        errors[count].where = haft__arena_copy(arena, each->where);
        errors[count].message = haft__arena_copy(arena, each->message);
        if (errors[count].where.ptr == NULL || errors[count].message.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        count++;
    }
    *ret_report = (haft__schema_report){.more = list->more, .errors = errors, .count = count};
    return HAFT_OK;
}

void haft__schema_report_write(haft__buf *buf, const haft__schema_report *report)
{
    for (size_t i = 0; i < report->count; i++) {
        const haft__schema_error *error = &report->errors[i];
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
        haft__buf_add_str(buf, error->where);
        haft__buf_add_str(buf, error->where.len > 0 ? HAFT__LIT(": ") : HAFT__LIT(""));
        haft__buf_add_str(buf, error->message);
    }
}
