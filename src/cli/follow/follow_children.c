/* SPDX-License-Identifier: Apache-2.0 */
/* follow_children.c - see cli/follow/follow_children.h. Tests: tests/cli/trees_test.py. */
#include "cli/follow/follow_children.h"

#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "run/child/child.h"

/* Minimum width of the line of a child, after its prefix. */
#define MIN_COLUMNS 20

struct haft__nested_timeline {
    char id[HAFT__ID_LENGTH + 1];
    haft_agent *agent; /* keeps the spec of the timeline */
    haft__timeline timeline;
    haft__buf prefix;
    haft__nested_timeline *next;
};

/* Writes "  c1.1 " for a child, "    c1.1/c2.1 " for its own child. */
static void write_prefix(haft__buf *buf, haft_str path)
{
    haft__buf_addf(buf, "%*s%.*s ", (int)(2 * haft__child_depth(path)), "", HAFT__ARG(path));
}

/* Returns NULL if out of memory; then the child is not shown. */
static haft__nested_timeline *find_or_add(haft__follow_children *c, const haft_run *child)
{
    haft__nested_timeline *nested = c->first;
    while (nested != NULL && !haft__str_equal(haft__str(nested->id), haft__str(child->id))) {
        nested = nested->next;
    }
    if (nested != NULL || (nested = calloc(1, sizeof(*nested))) == NULL) {
        return nested;
    }
    (void)snprintf(nested->id, sizeof(nested->id), "%s", child->id);
    haft__buf_init(&nested->prefix, HAFT__LIMIT_RUN_BYTES);
    write_prefix(&nested->prefix, child->state.path);
    nested->agent = child->agent;
    haft__agent_retain(nested->agent);
    haft__terminal_caps caps = c->timeline->caps;
    bool fits = caps.width > nested->prefix.len + MIN_COLUMNS;
    caps.width = fits ? caps.width - nested->prefix.len : MIN_COLUMNS;
    haft__timeline_init(&nested->timeline, child->agent->spec, caps);
    nested->timeline.lines_only = true;
    nested->timeline.verbose = c->timeline->verbose;
    nested->next = c->first;
    c->first = nested;
    return nested;
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
    haft__nested_timeline *nested = NULL;
    while (child->agent != NULL && haft_run_next_event(child, &event)) {
        nested = nested != NULL ? nested : find_or_add(c, child);
        if (nested != NULL && event.seq > 0) {
            haft__timeline_add_event(&nested->timeline, event.json);
        }
    }
    if (nested == NULL) {
        return;
    }
    haft__timeline_end_line(&nested->timeline);
    haft__timeline_add_nested(c->timeline, haft__buf_str(&nested->prefix),
                              haft__buf_str(&nested->timeline.out));
    haft__buf_clear(&nested->timeline.out);
    if (child->state.stage == HAFT__RUN_ENDED) {
        remove_timeline(c, nested);
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
