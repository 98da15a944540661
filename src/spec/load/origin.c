/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.c - maps a pointer into the translated source back to the file. Tests:
 * tests/spec/load/translate_test.c, tests/spec/load/load_test.c.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "spec/load/load_int.h"
#include "json/pointer.h"

static void add(haft__loader *l, haft__origin origin)
{
    haft__origin *origins =
        haft__vec_reserve_in(l->arena, l->origins, l->origin_count, &l->origin_capacity,
                             l->origin_count + 1, sizeof(*origins));
    if (origins == NULL) {
        l->status = haft__arena_fail(l->arena, NULL);
        return;
    }
    l->origins = origins;
    l->origins[l->origin_count++] = origin;
}

void haft__origin_add(haft__loader *l, haft_str pointer, haft_str document)
{
    add(l, (haft__origin){.pointer = pointer, .document = document});
}

void haft__origin_add_external(haft__loader *l, haft_str pointer, const char *from)
{
    add(l, (haft__origin){.pointer = pointer, .from = haft__str(from)});
}

/* Whether `pointer` is `outer` or a part of it. */
static bool is_inside(haft_str pointer, haft_str outer)
{
    return haft__str_starts_with(pointer, outer)
           && (pointer.len == outer.len || pointer.ptr[outer.len] == '/');
}

/* The most specific origin of `pointer`, or NULL. */
static const haft__origin *find(const haft__loader *l, haft_str pointer)
{
    const haft__origin *best = NULL;
    for (size_t i = 0; i < l->origin_count; i++) {
        const haft__origin *origin = &l->origins[i];
        if (is_inside(pointer, origin->pointer)
            && (best == NULL || origin->pointer.len >= best->pointer.len)) {
            best = origin;
        }
    }
    return best;
}

/* ---- overrides ---- */

/* The path of an override as a JSON Pointer. */
static haft_str pointer_of(haft__loader *l, haft_str path)
{
    if (haft__str_starts_with(path, HAFT__LIT("/"))) {
        return path;
    }
    haft_str pointer = haft__loader_pointer(l, "%s", "");
    while (path.len > 0 && l->status == HAFT_OK) {
        pointer = haft__loader_pointer_to_key(l, pointer, haft__str_split(&path, '.'));
    }
    return pointer;
}

/* The part of `path` that corresponds to the last token of `pointer`. `pointer` is not longer than
 * `path`. */
static haft_str last_part(haft_str path, haft_str pointer)
{
    char separator = haft__str_starts_with(path, HAFT__LIT("/")) ? '/' : '.';
    haft_str rest = separator == '/' ? haft__str_skip(path, 1) : path;
    haft_str part = rest;
    for (size_t i = 0; i < pointer.len; i++) {
        if (pointer.ptr[i] == '/') {
            part = haft__str_split(&rest, separator);
        }
    }
    return part;
}

/* Locates the problem in a part of an option's text. */
static void place_option(haft__loader *l, haft__spec_problem *problem, const char *option,
                         haft_str whole, haft_str part)
{
    problem->from = haft__loader_pointer(l, "%s %.*s", option, HAFT__ARG(whole));
    problem->from_column =
        (uint32_t)haft__utf8_length((haft_str){whole.ptr, (size_t)(part.ptr - whole.ptr)}) + 1;
    problem->extent = (uint32_t)haft__utf8_length(part);
}

void haft__origin_locate_override(haft__loader *l, haft__spec_problem *problem, const char *set,
                                  haft_str path, const char *where)
{
    size_t end = strlen(where) < path.len ? strlen(where) : path.len, start = end;
    char separator = haft__str_starts_with(path, HAFT__LIT("/")) ? '/' : '.';
    while (start > 0 && path.ptr[start - 1] != separator) {
        start--;
    }
    if (problem != NULL) {
        place_option(l, problem, "--set", haft__str(set),
                     end > 0 ? (haft_str){path.ptr + start, end - start} : path);
    }
}

/* Locates the problem in the override that the value comes from, or that names a key that the
 * document lacks. Returns false if no override matches. */
static bool place_in_set(haft__loader *l, haft__spec_problem *problem, haft_str pointer,
                         haft__problem_subject about)
{
    bool missing = haft__pointer_get(&l->document.value, pointer) == NULL;
    const haft__spec_options *options = l->options;
    if (options->model_always && options->model != NULL
        && is_inside(pointer, HAFT__LIT("/model"))) {
        haft_str model = haft__str(options->model);
        place_option(l, problem, options->model_from, model, model);
        return true;
    }
    for (size_t i = options->set_count; i > 0; i--) {
        haft_str whole = haft__str(options->sets[i - 1]), value = whole;
        haft_str path = haft__str_split(&value, '=');
        haft_str outer = pointer_of(l, path);
        bool inside = is_inside(pointer, outer);
        if (inside || (missing && is_inside(outer, pointer))) {
            bool named = about == HAFT__SUBJECT_KEY && is_inside(outer, pointer);
            bool key = !inside || value.len == 0 || named;
            place_option(l, problem, "--set", whole, key ? last_part(path, pointer) : value);
            return true;
        }
    }
    return false;
}

/* Sets the extent of the problem: a key, or a value that is neither a list nor an object. */
static void measure(haft__loader *l, haft__spec_problem *problem, haft_str pointer, size_t at,
                    haft__problem_subject about)
{
    const haft__json *value = haft__pointer_get(&l->document.value, pointer);
    bool scalar = value != NULL && value->kind != HAFT__JSON_ARRAY
                  && value->kind != HAFT__JSON_OBJECT && value->kind != HAFT__JSON_NULL;
    if (value != NULL && (scalar || about == HAFT__SUBJECT_KEY)) {
        haft_str word = haft__str_skip(l->document.text, at);
        word.len = haft__spec_token_length(l->document.text, at);
        problem->extent = (uint32_t)haft__utf8_length(word);
    }
}

void haft__origin_locate_raw(haft__loader *l, haft__spec_problem *problem, haft_str pointer,
                             haft__problem_subject about)
{
    if (problem == NULL) {
        return;
    }
    problem->pointer = pointer;
    problem->from = HAFT__LIT("");
    if (!place_in_set(l, problem, pointer, about)) {
        size_t at = haft__spec_offset(&l->document, pointer, about == HAFT__SUBJECT_KEY);
        haft__spec_problem_locate(problem, l->document.text, at);
        measure(l, problem, pointer, at, about);
    }
}

void haft__origin_locate(haft__loader *l, haft__spec_problem *problem, haft_str pointer,
                         haft__problem_subject about)
{
    const haft__origin *origin = find(l, pointer);
    if (problem != NULL && origin != NULL && origin->from.len > 0) {
        problem->pointer = pointer;
        problem->from = origin->from;
        return;
    }
    if (origin != NULL) {
        haft_str rest = haft__str_skip(pointer, origin->pointer.len);
        pointer = haft__loader_pointer(l, "%.*s%.*s", HAFT__ARG(origin->document), HAFT__ARG(rest));
    }
    haft__origin_locate_raw(l, problem, pointer, about);
}
