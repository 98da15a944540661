/* SPDX-License-Identifier: Apache-2.0 */
/* graph_change.c - see run/graph_change.h. Tests: tests/graph/run/graph_run_test.c,
 * tests/cli/graph_run_test.py. */
#include "run/graph_change.h"

#include "base/error.h"
#include "base/str.h"
#include "json/object.h"

/* The part of a graph that a JSON value describes. */
typedef enum part {
    PART_VALUE, /* any other value: must be equal */
    PART_GRAPHS,
    PART_GRAPH,
    PART_NODES,
    PART_NODE, /* the spec of its agent may differ */
} part;

/* The part that a member of `whole` describes. */
static part part_of(part whole, haft_str key)
{
    switch (whole) {
    case PART_GRAPHS: return PART_GRAPH;
    case PART_GRAPH: return haft__str_equal(key, HAFT__LIT("nodes")) ? PART_NODES : PART_VALUE;
    case PART_NODES: return PART_NODE;
    case PART_NODE:
    case PART_VALUE: return PART_VALUE;
    }
    HAFT__UNREACHABLE();
}

static bool is_agent(part whole, haft_str key, haft__json a, haft__json b)
{
    return whole == PART_NODE && haft__str_equal(key, HAFT__LIT("agent"))
           && a.kind == HAFT__JSON_OBJECT && b.kind == HAFT__JSON_OBJECT;
}

static haft_status compare(haft__json a, haft__json b, part what, bool *ret_same, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (what == PART_VALUE || a.kind != HAFT__JSON_OBJECT || b.kind != HAFT__JSON_OBJECT) {
        return haft__json_equal(a, b, ret_same, err);
    }
    *ret_same = a.count == b.count;
    for (uint32_t i = 0; *ret_same && status == HAFT_OK && i < a.count; i++) {
        haft_str key = haft__json_text(a.members[i].key);
        const haft__json *other = haft__json_get(b, key);
        *ret_same = other != NULL;
        if (other != NULL && !is_agent(what, key, a.members[i].value, *other)) {
            status = compare(a.members[i].value, *other, part_of(what, key), ret_same, err);
        }
    }
    return status;
}

haft_status haft__graph_change_check(const haft__run *run, const haft__spec *spec, haft_error *err)
{
    static const struct {
        const char *key;
        part what;
    } rows[] = {{"graph", PART_GRAPH}, {"graphs", PART_GRAPHS}};
    const char *changed = haft__run_is_graph(run) != (spec->graph_rules != NULL) ? "kind" : NULL;
    for (size_t i = 0; haft__run_is_graph(run) && changed == NULL && i < COUNT(rows); i++) {
        bool same = false;
        haft_status status =
            compare(haft__object_get(run->spec->source, rows[i].key),
                    haft__object_get(spec->source, rows[i].key), rows[i].what, &same, err);
        if (status != HAFT_OK) {
            return status;
        }
        changed = same ? NULL : rows[i].key;
    }
    if (changed == NULL) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, changed,
                                    "a run cannot continue with another %s: its steps are those of "
                                    "the spec that it began with",
                                    changed);
    return haft__hint(err, status, "start a new run, or continue this one with --stored-spec");
}
