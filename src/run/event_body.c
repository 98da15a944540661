/* SPDX-License-Identifier: Apache-2.0 */
/* event_body.c - the common part of event bodies. Tests: tests/run/event_test.c,
 * tests/run/decide/input_test.c. */
#include "run/event_body.h"

#include "run/middleware/middleware.h"

#include "base/str.h"

void haft__event_body_begin(haft__json_writer *w, haft__buf *buf, haft__event_kind kind)
{
    /* The envelope (haft__event_write) writes the opening brace, so the writer starts inside an
     * object. */
    haft__json_writer_init(w, buf);
    w->depth = 1;
    w->objects = 1;
    haft__json_key(w, "kind");
    haft__json_add_str(w, haft__str(haft__event_kind_name(kind)));
}

void haft__event_body_end(haft__json_writer *w, haft__buf *buf)
{
    (void)w;
    haft__buf_add_char(buf, '}');
}

void haft__field_usage(haft__json_writer *w, const haft__run *run)
{
    haft__json_key(w, "usage");
    haft__json_begin_object(w);
    haft__field_number(w, "input_tokens", run->usage.input_tokens);
    haft__field_number(w, "output_tokens", run->usage.output_tokens);
    haft__field_number(w, "cached_tokens", run->usage.cached_tokens);
    haft__json_key(w, "cost_usd");
    haft__run_add_cost(w->buf, run);
    w->after_key = false;
    haft__json_end_object(w);
}

void haft__field_error(haft__json_writer *w, const haft_error *error)
{
    haft__json_key(w, "error");
    if (error == NULL) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__field_text(w, "status", haft__str(haft_status_name(error->status)));
    haft__field_text(w, "where", haft__str(error->where));
    haft__field_text(w, "message", haft__str(error->message));
    haft__field_text(w, "hint", haft__str(error->hint));
    haft__json_end_object(w);
}

void haft__field_node(haft__json_writer *w, const haft__run_call *call)
{
    if (call->node != NULL) {
        haft__field_text(w, "node", call->node->path);
    }
    if (call->parent.len > 0) {
        haft__field_text(w, "parent", call->parent);
    }
}

bool haft__event_is_graph_change(const haft__event *event)
{
    return event->kind == HAFT__EVENT_GRAPH_STEP
           && (haft__event_field(event, "edit") != NULL || haft__event_flag(event, "retry"));
}

void haft__field_returns(haft__json_writer *w, const haft__run *run, const haft__run_call *call,
                         bool ok)
{
    bool returns = !run->wall_reached && !haft__call_is_reducer(call)
                   && haft__middleware_next_after(run, call, ok) != NULL;
    if (returns) {
        haft__field_flag(w, "returns", true);
    }
}

void haft__intervention_write(haft__json_writer *w, haft_str name, const char *where, haft_str call,
                              const char *what, haft_str why, bool decided)
{
    haft__field_text(w, "name", name);
    haft__field_string(w, "where", where);
    haft__field_text_or_null(w, "call", call);
    haft__field_string(w, "what", what);
    haft__field_text(w, "why", why);
    haft__field_flag(w, "decided", decided);
}
