/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.c - the stages of loading, in order, and the functions that they share.
 *
 * A stage adds problems and continues with the usable parts, so that one load reports all problems.
 * A stage checks a combination of keys only if the schema accepted these keys, so that a problem is
 * not reported twice. Tests: tests/spec/load/load_test.c. Fuzzer: fuzz/spec.c.
 */
#include "spec/load/load_int.h"

#include <stdarg.h>

#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "spec/load/document/parse.h"
#include "json/canonical.h"
#include "json/pointer.h"
#include "json/write.h"

#define MESSAGE_MAX 768

/* ---- shared by the stages ---- */

/* Whether the schema has reported a problem at the same value. */
static bool is_reported(const haft__loader *l, const haft__spec_problem *problem)
{
    for (size_t i = 0; i < l->schema_count; i++) {
        if (haft__str_equal(l->problems.items[i].pointer, problem->pointer)) {
            return true;
        }
    }
    return false;
}

HAFT__PRINTF(5, 0)
static haft__spec_problem *add_problem(haft__loader *l, bool warning, haft_str pointer,
                                       haft__problem_subject about, const char *format,
                                       va_list values)
{
    char message[MESSAGE_MAX];
    (void)vsnprintf(message, sizeof(message), format, values);
    haft__spec_problem *problem = haft__spec_problem_add(&l->problems, warning, "%s", message);
    haft__origin_locate(l, problem, pointer, about);
    if (problem != NULL && is_reported(l, problem)) {
        haft__spec_problem_remove_last(&l->problems);
        return NULL;
    }
    return problem;
}

haft__spec_problem *haft__loader_error(haft__loader *l, haft_str pointer,
                                       haft__problem_subject about, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    haft__spec_problem *problem = add_problem(l, false, pointer, about, format, values);
    va_end(values);
    return problem;
}

haft__spec_problem *haft__loader_warning(haft__loader *l, haft_str pointer,
                                         haft__problem_subject about, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    haft__spec_problem *problem = add_problem(l, true, pointer, about, format, values);
    va_end(values);
    return problem;
}

void haft__loader_hint(haft__loader *l, haft__spec_problem *problem, const char *format, ...)
{
    char hint[MESSAGE_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(hint, sizeof(hint), format, values);
    va_end(values);
    haft__spec_problem_hint(&l->problems, problem, "%s", hint);
}

void haft__loader_hide_value(haft__spec_problem *problem)
{
    if (problem != NULL) {
        haft_str rest = problem->from;
        problem->secret = true;
        problem->from = haft__str_split(&rest, '=');
        problem->from_column = 0;
    }
}

bool haft__loader_failed(haft__loader *l, haft_status status)
{
    bool memory = status == HAFT_NO_MEMORY || (status == HAFT_TOO_BIG && l->arena->full);
    if (memory) {
        l->status = status;
    }
    return memory;
}

haft_str haft__loader_pointer(haft__loader *l, const char *format, ...)
{
    char text[MESSAGE_MAX * 2];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    haft_str made = haft__arena_copy(l->arena, haft__str(text));
    if (made.ptr == NULL) {
        l->status = haft__arena_fail(l->arena, NULL);
        return HAFT__LIT("");
    }
    return made;
}

haft_str haft__loader_pointer_to_key(haft__loader *l, haft_str pointer, haft_str key)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_str(&buf, pointer);
    haft__pointer_add_key(&buf, key);
    haft_str made = haft__arena_copy(l->arena, haft__buf_str(&buf));
    if (buf.status != HAFT_OK || made.ptr == NULL) {
        l->status = HAFT_NO_MEMORY;
        made = HAFT__LIT("");
    }
    haft__buf_finish(&buf);
    return made;
}

void *haft__loader_alloc(haft__loader *l, size_t count, size_t size)
{
    void *made = haft__arena_array(l->arena, count, size);
    if (made == NULL) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
    return made;
}

bool haft__loader_put_source(haft__loader *l, const char *key, haft__json value)
{
    bool done = haft__edit_put(l->arena, &l->source, haft__str(key), value);
    if (!done) {
        (void)haft__loader_failed(l, haft__arena_fail(l->arena, NULL));
    }
    l->spec->source = l->source;
    return done;
}

haft_str haft__loader_write_text(haft__loader *l, haft__json value)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_SPEC_BYTES);
    haft__json_write(&buf, value);
    haft_str text = haft__arena_copy(l->arena, haft__buf_str(&buf));
    if (haft__loader_failed(l, haft__buf_check(&buf, NULL)) || text.ptr == NULL) {
        l->status = HAFT_NO_MEMORY;
    }
    haft__buf_finish(&buf);
    return text;
}

bool haft__loader_keys_are_valid(const haft__loader *l, const char *keys)
{
    haft_str rest = haft__str(keys);
    if (l->all_tainted) {
        return false;
    }
    while (rest.len > 0) {
        haft_str key = haft__str_split(&rest, ' ');
        for (size_t i = 0; i < l->tainted_count; i++) {
            if (haft__str_equal(l->tainted[i], key)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the stages ---- */

static void read_text(haft__loader *l, haft_str text)
{
    haft_status status =
        haft__spec_parse(l->arena, text, l->options->hash_key, &l->problems, &l->document, NULL);
    if (status != HAFT_OK) {
        l->status = status;
    }
    l->raw = l->document.value;
}

static void apply_sets(haft__loader *l)
{
    for (size_t i = 0; i < l->options->set_count && l->status == HAFT_OK; i++) {
        haft_str value = haft__str(l->options->sets[i]);
        haft_error err = {.status = HAFT_OK};
        size_t whole = value.len;
        haft_str path = haft__str_split(&value, '=');
        haft_status status = path.len < whole
                                 ? haft__spec_set(l->arena, &l->raw, path, value, &err)
                                 : haft__fail(&err, HAFT_BAD_INPUT, "", "found no '='");
        if (status == HAFT_OK || haft__loader_failed(l, status)) {
            continue;
        }
        haft__spec_problem *problem =
            haft__spec_problem_add(&l->problems, false, "%s", err.message);
        haft__spec_problem_hint(&l->problems, problem, "%s",
                                err.hint[0] != '\0' ? err.hint : "write --set path=value");
        haft__origin_locate_override(l, problem, l->options->sets[i], path, err.where);
    }
}

/* Replaces the models that the spec names by --model. */
static void apply_model(haft__loader *l)
{
    const haft__spec_options *options = l->options;
    bool object = l->raw.kind == HAFT__JSON_OBJECT;
    if (options->model != NULL && options->model_always && object
        && (!haft__edit_put(l->arena, &l->raw, HAFT__LIT("model"),
                            haft__json_string(haft__str(options->model)))
            || !haft__edit_remove(l->arena, &l->raw, HAFT__LIT("models")))) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
}

static void make_hash(haft__loader *l)
{
    haft__buf text;
    haft__buf_init(&text, 4 * (size_t)HAFT__LIMIT_JSON_BYTES);
    char *hex = haft__loader_alloc(l, HAFT__SHA256_HEX + 1, 1);
    if (hex != NULL
        && !haft__loader_failed(l, haft__json_write_canonical(&text, l->source, NULL))) {
        haft__sha256_hex(haft__buf_str(&text), hex);
        l->spec->hash = (haft_str){hex, HAFT__SHA256_HEX};
    }
    haft__buf_finish(&text);
}

static void run_stages(haft__loader *l, haft_str text)
{
    static void (*const stages[])(haft__loader *) = {
        apply_sets,
        apply_model,
        haft__loader_check_schema,
        haft__loader_translate,
        haft__loader_build,
        haft__loader_import,
        haft__loader_build_memory,
        haft__loader_build_skills,
        haft__loader_build_choice,
        haft__loader_build_agents,
        haft__loader_build_tools,
        haft__loader_build_middleware,
        haft__loader_check_names,
        haft__loader_check_graphs,
        haft__loader_check,
        haft__loader_check_variables,
        haft__loader_check_reachability,
        make_hash,
        haft__loader_build_summariser,
        haft__loader_build_fallbacks,
    };
    read_text(l, text);
    bool unusable = l->document.value.kind == HAFT__JSON_NULL && l->problems.errors > 0;
    for (size_t i = 0; i < COUNT(stages) && l->status == HAFT_OK && !unusable; i++) {
        stages[i](l);
        unusable = stages[i] == haft__loader_check_schema && l->raw.kind != HAFT__JSON_OBJECT;
    }
    if (l->status == HAFT_OK) {
        l->status = l->problems.status;
    }
}

haft_status haft__spec_load(haft__arena *arena, haft_str text, const haft__spec_options *options,
                            const haft__spec **ret_spec, haft__spec_report *ret_report,
                            haft_error *err)
{
    haft__loader l = {.arena = arena, .options = options, .status = HAFT_OK};
    haft__spec_problems_init(&l.problems, arena);
    l.spec = haft__loader_alloc(&l, 1, sizeof(*l.spec));
    if (l.status == HAFT_OK) {
        run_stages(&l, text);
    }
    if (l.status != HAFT_OK) {
        return l.status == HAFT_NO_MEMORY ? haft__fail_no_memory(err)
                                          : haft__arena_fail(arena, err);
    }
    haft__spec_problems_sort(&l.problems);
    *ret_report = (haft__spec_report){.problems = l.problems.items,
                                      .count = l.problems.count,
                                      .errors = l.problems.errors,
                                      .warnings = l.problems.warnings};
    *ret_spec = l.problems.errors == 0 ? l.spec : NULL;
    return HAFT_OK;
}
