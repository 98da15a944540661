/* SPDX-License-Identifier: Apache-2.0 */
/* agent_routes.c - the served agents. Tests: tests/serve/api_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/event_body.h"
#include "run/redact/redact.h"
#include "serve/runs/runs_int.h"

static const char *kind_of(const haft__spec *spec)
{
    return spec->graph_rules != NULL           ? "graph"
           : spec->kind == HAFT__SPEC_WORKFLOW ? "workflow"
                                               : "agent";
}

static void write_spec(haft__json_writer *w, const haft__spec *spec)
{
    haft__field_string(w, "kind", kind_of(spec));
    haft__field_text_or_null(w, "description", spec->description);
    haft__json_key(w, "model");
    haft__json_begin_object(w);
    haft__field_text(w, "provider", spec->model.provider);
    haft__field_text(w, "model", spec->model.model);
    haft__json_end_object(w);
    haft__json_key(w, "tools");
    haft__json_begin_array(w);
    for (size_t i = 0; i < spec->tools.count; i++) {
        haft__json_add_str(w, spec->tools.items[i]->name);
    }
    haft__json_end_array(w);
    haft__field_text(w, "spec_hash", spec->hash);
}

/* Writes {name, usable, error, kind, ...}. `with_spec` adds the spec as it is stored with runs. */
static void write_agent(haft__json_writer *w, const haft__served_agent *one, bool with_spec)
{
    haft__json_begin_object(w);
    haft__field_text(w, "name", one->name);
    haft__field_flag(w, "usable", one->agent != NULL);
    if (one->agent == NULL) {
        haft__field_error(w, &one->error);
    } else {
        haft__field_null(w, "error");
        write_spec(w, one->agent->spec);
        if (with_spec) {
            haft__json_key(w, "spec");
            (void)haft__redact(one->agent->redactor, one->agent->spec_text, w->buf);
            w->after_key = false;
        }
    }
    haft__json_end_object(w);
}

void haft__runs_handle_agents_list(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    haft__buf body;
    haft__json_writer w;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &body);
    haft__json_begin_object(&w);
    haft__json_key(&w, "agents");
    haft__json_begin_array(&w);
    haft__served_agents_refresh(&runs->agents);
    for (const haft__served_agent *one = runs->agents.first; one != NULL; one = one->next) {
        write_agent(&w, one, false);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft__api_reply_json(call, 200, &body);
    haft__buf_finish(&body);
}

void haft__runs_handle_agent_get(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    haft__buf body;
    haft__json_writer w;
    haft__served_agents_refresh(&runs->agents);
    for (const haft__served_agent *one = runs->agents.first; one != NULL; one = one->next) {
        if (haft__str_equal(one->name, call->params.values[0])) {
            haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
            haft__json_writer_init(&w, &body);
            write_agent(&w, one, true);
            haft__api_reply_json(call, 200, &body);
            haft__buf_finish(&body);
            return;
        }
    }
    haft__api_reject(call, 404, HAFT_NOT_FOUND, "no agent with this name is served here");
}
