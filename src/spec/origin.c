/* SPDX-License-Identifier: Apache-2.0 */
/*
 * origin.c - from a pointer into the translated source back to the file. Tests:
 * tests/spec/planner_test.c, tests/spec/load_test.c.
 */
#include "base/str.h"
#include "spec/load_int.h"

static void add(haft__loader *l, haft__origin origin)
{
    if (l->origin_count == l->origin_capacity) {
        size_t capacity = l->origin_capacity > 0 ? 2 * l->origin_capacity : 16;
        haft__origin *origins = haft__loader_array(l, capacity, sizeof(*origins));
        if (origins == NULL) {
            return;
        }
        if (l->origin_count > 0) {
            memcpy(origins, l->origins, l->origin_count * sizeof(*origins));
        }
        l->origins = origins;
        l->origin_capacity = capacity;
    }
    l->origins[l->origin_count++] = origin;
}

void haft__origin_add(haft__loader *l, haft_str pointer, haft_str document)
{
    add(l, (haft__origin){.pointer = pointer, .document = document});
}

void haft__origin_add_outside(haft__loader *l, haft_str pointer, const char *from)
{
    add(l, (haft__origin){.pointer = pointer, .from = haft__str(from)});
}

/* Whether `pointer` is `outer` or leads into it. */
static bool is_inside(haft_str pointer, haft_str outer)
{
    return haft__str_starts(pointer, outer)
           && (pointer.len == outer.len || pointer.ptr[outer.len] == '/');
}

/* The origin that says most about `pointer`, or NULL. */
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

/* The override that a pointer into the document comes from: "--set limits.turns=5", or "". */
static haft_str find_set(haft__loader *l, haft_str pointer)
{
    for (size_t i = l->options->set_count; i > 0; i--) {
        haft_str whole = haft__str(l->options->sets[i - 1]), rest = whole;
        haft_str path = haft__str_split(&rest, '=');
        haft_str outer = path;
        if (!haft__str_starts(path, HAFT__LIT("/"))) {
            outer = haft__loader_at(l, "%s", "");
            while (path.len > 0 && l->status == HAFT_OK) {
                outer = haft__loader_at_key(l, outer, haft__str_split(&path, '.'));
            }
        }
        if (is_inside(pointer, outer)) {
            return haft__loader_at(l, "--set %.*s", HAFT__ARG(whole));
        }
    }
    return HAFT__LIT("");
}

void haft__origin_place_raw(haft__loader *l, haft__spec_problem *problem, haft_str pointer,
                            haft__about about)
{
    if (problem == NULL) {
        return;
    }
    problem->pointer = pointer;
    problem->from = find_set(l, pointer);
    if (problem->from.len == 0) {
        size_t at = haft__spec_offset(&l->document, pointer, about == HAFT__ABOUT_KEY);
        haft__spec_problem_place(problem, l->document.text, at);
    }
}

void haft__origin_place(haft__loader *l, haft__spec_problem *problem, haft_str pointer,
                        haft__about about)
{
    const haft__origin *origin = find(l, pointer);
    if (problem != NULL && origin != NULL && origin->from.len > 0) {
        problem->pointer = pointer;
        problem->from = origin->from;
        return;
    }
    if (origin != NULL) {
        haft_str rest = haft__str_skip(pointer, origin->pointer.len);
        pointer = haft__loader_at(l, "%.*s%.*s", HAFT__ARG(origin->document), HAFT__ARG(rest));
    }
    haft__origin_place_raw(l, problem, pointer, about);
}
