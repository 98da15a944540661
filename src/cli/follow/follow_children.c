/* SPDX-License-Identifier: Apache-2.0 */
/* follow_children.c - see cli/follow/follow_children.h. Tests: tests/cli/trees_test.py. */
#include "cli/follow/follow_children.h"

#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "run/child/child.h"

/* Columns that are left for a line of a child. */
#define MIN_COLUMNS 20

struct haft__nested_timeline {
    char id[HAFT__ID_LENGTH + 1];
    haft_agent *agent; /* keeps the spec of the timeline */
    haft__timeline timeline;
    haft__buf prefix;
    haft__nested_timeline *next;
};

/* "  c1.1 ", or "    c1.1/c2.1 " for a child of that. */
static void write_prefix(haft__buf *buf, haft_str path)
{
    haft__buf_addf(buf, "%*s%.*s ", (int)(2 * haft__child_depth(path)), "", HAFT__ARG(path));
}

/* NULL if out of memory: then the child is not shown. */
static haft__nested_timeline *find_or_add(haft__follow_children *c, const haft_run *child)
{
    haft__nested_timeline *one = c->first;
    while (one != NULL && !haft__str_equal(haft__str(one->id), haft__str(child->id))) {
        one = one->next;
    }
    if (one != NULL || (one = calloc(1, sizeof(*one))) == NULL) {
        return one;
    }
    (void)snprintf(one->id, sizeof(one->id), "%s", child->id);
    haft__buf_init(&one->prefix, HAFT__LIMIT_RUN_BYTES);
    write_prefix(&one->prefix, child->state.path);
    one->agent = child->agent;
    haft__agent_retain(one->agent);
    haft__terminal_caps caps = c->timeline->caps;
    bool fits = caps.width > one->prefix.len + MIN_COLUMNS;
    caps.width = fits ? caps.width - one->prefix.len : MIN_COLUMNS;
    haft__timeline_init(&one->timeline, child->agent->spec, caps);
    one->timeline.lines_only = true;
    one->timeline.verbose = c->timeline->verbose;
    one->next = c->first;
    c->first = one;
    return one;
}

static void remove_timeline(haft__follow_children *c, haft__nested_timeline *removed)
{
    for (haft__nested_timeline **link = &c->first; *link != NULL; link = &(*link)->next) {
        if (*link == removed) {
            *link = removed->next;
            break;
        }
    }
    haft__timeline_finish(&removed->timeline);
    haft__buf_finish(&removed->prefix);
    haft_agent_release(removed->agent);
    free(removed);
}

void haft__follow_children_show(haft__follow_children *c, haft_run *child)
{
    haft_event event;
    haft__nested_timeline *one = NULL;
    while (child->agent != NULL && haft_run_next_event(child, &event)) {
        one = one != NULL ? one : find_or_add(c, child);
        if (one != NULL && event.seq > 0) {
            haft__timeline_add_event(&one->timeline, event.json);
        }
    }
    if (one == NULL) {
        return;
    }
    haft__timeline_end_line(&one->timeline);
    haft__timeline_add_nested(c->timeline, haft__buf_str(&one->prefix),
                              haft__buf_str(&one->timeline.out));
    haft__buf_clear(&one->timeline.out);
    if (child->state.stage == HAFT__RUN_ENDED) {
        remove_timeline(c, one);
    }
}

void haft__follow_children_init(haft__follow_children *children, haft__timeline *timeline)
{
    *children = (haft__follow_children){.timeline = timeline};
}

void haft__follow_children_finish(haft__follow_children *children)
{
    while (children->first != NULL) {
        remove_timeline(children, children->first);
    }
}
