/* SPDX-License-Identifier: Apache-2.0 */
/* input.c - bodies of the events that the host appends. Tests: tests/run/decide/input_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "model/provider.h"
#include "prompt/memory.h"
#include "prompt/observation.h"
#include "run/context/context_size.h"
#include "run/decide/decide_int.h"
#include "run/graph_change.h"
#include "run/handoff/handoff.h"
#include "run/pause/binding.h"
#include "run/personal/personal.h"
#include "run/prices.h"
#include "tool/traits.h"

void haft__input_run_started(haft__buf *buf, const haft__spec *spec, haft_str task, haft_str thread,
                             haft_str parent, haft_str user)
{
    const haft__spec_origin unknown = {.file = HAFT__LIT("")};
    haft__input_run_started_from(buf, spec, task, thread, parent, user, &unknown);
}

static void write_variables(haft__json_writer *w, const haft__spec_origin *origin)
{
    if (origin->variable_count > 0) {
        haft__json_key(w, "variables");
        haft__json_begin_array(w);
        for (size_t i = 0; i < origin->variable_count; i++) {
            haft__json_add_str(w, origin->variables[i]);
        }
        haft__json_end_array(w);
    }
}

/* Writes the prices that the spec does not state: of a child the prices of its parent, else the
 * prices known on this machine. */
static void write_prices(haft__json_writer *w, const haft__spec *spec,
                         const haft__spec_origin *origin)
{
    if (origin->prices == NULL) {
        haft__prices_write(w, spec);
    } else if (origin->prices->kind == HAFT__JSON_ARRAY) {
        haft__field_value(w, "prices", *origin->prices);
    }
}

/* Writes the traits of functions for nodes. Only the program with these functions has their traits,
 * but another process and a replay need them to decide about calls. */
static void write_functions(haft__json_writer *w, const haft__spec *spec)
{
    bool any = false;
    for (size_t i = 0; i < spec->tools.count; i++) {
        const haft__tool *tool = spec->tools.items[i];
        if (!tool->for_nodes || tool->reducer) {
            continue;
        }
        if (!any) {
            haft__json_key(w, "functions");
            haft__json_begin_object(w);
        }
        any = true;
        haft__json_key_str(w, tool->name);
        haft__traits_write(w, &tool->traits);
    }
    if (any) {
        haft__json_end_object(w);
    }
}

static void write_origin(haft__json_writer *w, const haft__spec_origin *origin)
{
    if (origin->file.len > 0) {
        haft__field_text(w, "file", origin->file);
    }
    if (origin->set_count > 0) {
        haft__json_key(w, "set");
        haft__json_begin_array(w);
        for (size_t i = 0; i < origin->set_count; i++) {
            haft__json_add_str(w, haft__str(origin->sets[i]));
        }
        haft__json_end_array(w);
    }
    write_variables(w, origin);
}

/* Writes {count, sha256}: the hash is of the names of all skills and the hashes of their SKILL.md.
 */
static void write_skills(haft__json_writer *w, const haft__spec *spec)
{
    char hex[HAFT__SHA256_HEX];
    haft__buf lines;
    if (spec->skill_count == 0) {
        return;
    }
    haft__buf_init(&lines, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < spec->skill_count; i++) {
        haft__buf_addf(&lines, "%.*s %.*s\n", HAFT__ARG(spec->skills[i].name),
                       HAFT__ARG(spec->skills[i].sha256));
    }
    if (haft__buf_check(&lines, NULL) != HAFT_OK) {
        haft__buf_fail(w->buf, HAFT_NO_MEMORY, "out of memory");
    }
    haft__sha256_hex(haft__buf_str(&lines), hex);
    haft__buf_finish(&lines);
    haft__json_key(w, "skills");
    haft__json_begin_object(w);
    haft__field_number(w, "count", spec->skill_count);
    haft__field_text(w, "sha256", (haft_str){hex, sizeof(hex)});
    haft__json_end_object(w);
}

static void write_run_started(haft__json_writer *w, haft__buf *buf, const haft__spec *spec,
                              haft_str task, haft_str thread, haft_str parent, haft_str user,
                              const haft__spec_origin *origin)
{
    haft__personal_report report;
    haft__personal_report_init(&report);
    haft__event_body_begin(w, buf, HAFT__EVENT_RUN_STARTED);
    haft__field_number(w, "version", HAFT__EVENT_VERSION);
    haft__field_text(w, "spec", spec->hash);
    haft__field_text(w, "name", spec->name);
    haft__personal_write_field(w, "task", spec, HAFT__REDACT_INPUT, task, &report);
    haft__field_text(w, "thread", thread);
    haft__field_text_or_null(w, "parent", parent);
    haft__field_text_or_null(w, "user", user);
    if (origin->messages != NULL) {
        haft__json_key(w, "messages");
        haft__personal_write_value(w, spec, HAFT__REDACT_INPUT, *origin->messages, &report);
    }
    haft__personal_report_write(w, &report);
    write_origin(w, origin);
    haft__memory_write(w, spec);
    write_skills(w, spec);
    write_prices(w, spec, origin);
    write_functions(w, spec);
    if (origin->traceparent.len > 0) {
        haft__field_text(w, "traceparent", origin->traceparent);
    }
}

void haft__input_run_started_from(haft__buf *buf, const haft__spec *spec, haft_str task,
                                  haft_str thread, haft_str parent, haft_str user,
                                  const haft__spec_origin *origin)
{
    haft__json_writer w;
    write_run_started(&w, buf, spec, task, thread, parent, user, origin);
    haft__event_body_end(&w, buf);
}

void haft__input_child_run_started(haft__buf *buf, const haft__spec *spec, haft_str task,
                                   haft_str thread, haft_str user, const haft__spec_origin *origin,
                                   const haft__child_origin *child)
{
    haft__json_writer w;
    write_run_started(&w, buf, spec, task, thread, child->parent, user, origin);
    haft__field_text(&w, "call", child->call);
    haft__field_text(&w, "root", child->root);
    haft__json_key(&w, "path");
    haft__buf_add_char(buf, '"');
    haft__buf_add_str(buf, child->parent_path); /* ids of calls: nothing to escape */
    haft__buf_add_str(buf, child->parent_path.len > 0 ? HAFT__LIT("/") : HAFT__LIT(""));
    haft__buf_add_str(buf, child->call);
    haft__buf_add_char(buf, '"');
    w.after_key = false;
    haft__event_body_end(&w, buf);
}

void haft__input_thread_state(haft__buf *buf, haft_str from, haft__json values)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_THREAD_STATE);
    haft__field_text_or_null(&w, "from", from);
    haft__field_value(&w, "values", values);
    haft__event_body_end(&w, buf);
}

/* The effect of a new spec on a call. */
typedef enum call_change {
    CALL_UNCHANGED,
    CALL_REBOUND, /* the same call, but the new spec has values where the old spec has names of
                   * variables */
    CALL_JUDGED_AGAIN,
} call_change;

/* `restored`: the new spec in which values are replaced by the variables of the old spec, or
 * NULL. */
typedef struct new_spec {
    const haft__spec *spec, *restored;
} new_spec;

/* Finds the tool of a call in a spec. A new spec does not remove a tool of a server. */
static const haft__tool *find_tool(const haft__spec *spec, const haft__run_call *call)
{
    const haft__tool *tool = haft__tools_find(&spec->tools, call->name);
    bool keeps_server_tool =
        tool == NULL && call->tool != NULL && call->tool->source == HAFT__TOOL_MCP;
    return keeps_server_tool ? call->tool : tool;
}

static haft_status binding_holds(const haft__spec *spec, const haft__run_call *call,
                                 bool *ret_holds, haft_error *err)
{
    const haft__tool *tool = spec != NULL ? find_tool(spec, call) : NULL;
    *ret_holds = false;
    return tool != NULL && call->binding.len > 0
               ? haft__binding_matches(spec, tool, call->binding, call->arguments, ret_holds, err)
               : HAFT_OK;
}

/* Whether the binding of a paused call changes under the new spec. */
static haft_status compare_binding(const new_spec *next, const haft__run_call *call,
                                   call_change *ret_change, haft_error *err)
{
    bool holds = false, means_same = false;
    haft_status status = binding_holds(next->spec, call, &holds, err);
    if (status == HAFT_OK && !holds && find_tool(next->spec, call) != NULL) {
        status = binding_holds(next->restored, call, &means_same, err);
    }
    *ret_change = holds ? CALL_UNCHANGED : means_same ? CALL_REBOUND : CALL_JUDGED_AGAIN;
    return status;
}

static haft_status fail_without_tool(const haft__run_call *call, haft_error *err)
{
    haft_status status =
        haft__fail(err, HAFT_BAD_STATE, "",
                   call->started ? "the call %.*s has started, but the new spec has no tool %.*s"
                                 : "the call %.*s has an answer, but the new spec has no tool %.*s",
                   HAFT__ARG(call->id), HAFT__ARG(call->name));
    return haft__hint(err, status,
                      call->started ? "answer or reject the call first, or cancel the run"
                                    : "continue with the current spec of the run");
}

/* Fails if the new spec lacks the tool of a call that has started or has an answer. */
static haft_status check_call(const new_spec *next, const haft__run_call *call,
                              call_change *ret_change, haft_error *err)
{
    bool over = call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
    *ret_change = CALL_UNCHANGED;
    if (haft__call_may_be_judged_again(call)) {
        return compare_binding(next, call, ret_change, err);
    }
    bool needs = !over && call->stage != HAFT__CALL_ARRIVED && !haft__call_is_declined(call);
    return needs && find_tool(next->spec, call) == NULL ? fail_without_tool(call, err) : HAFT_OK;
}

/* The numbers of calls in the lists that follow `judged_again`. */
typedef struct more_calls {
    uint32_t approved, rebound;
} more_calls;

/* Writes the calls of the batch that are judged again. */
static haft_status write_judged_again(haft__json_writer *w, const haft__run *run,
                                      const new_spec *next, more_calls *ret_more, haft_error *err)
{
    haft_status status = HAFT_OK;
    *ret_more = (more_calls){.approved = 0};
    haft__json_key(w, "judged_again");
    haft__json_begin_array(w);
    for (size_t i = run->batch; status == HAFT_OK && i < run->call_count; i++) {
        call_change change = CALL_UNCHANGED;
        status = check_call(next, &run->calls[i], &change, err);
        ret_more->rebound += change == CALL_REBOUND;
        if (change == CALL_JUDGED_AGAIN) {
            haft__json_add_str(w, run->calls[i].id);
            ret_more->approved += run->calls[i].stage == HAFT__CALL_ANSWERED;
        }
    }
    haft__json_end_array(w);
    return status;
}

/* Writes the calls that are judged again although a person approved them. The approval was for
 * another binding, so they need a new approval even if the new rules require none. */
static haft_status write_asked_again(haft__json_writer *w, const haft__run *run,
                                     const new_spec *next, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__json_key(w, "asked_again");
    haft__json_begin_array(w);
    for (size_t i = run->batch; status == HAFT_OK && i < run->call_count; i++) {
        call_change change = CALL_UNCHANGED;
        status = check_call(next, &run->calls[i], &change, err);
        if (change == CALL_JUDGED_AGAIN && run->calls[i].stage == HAFT__CALL_ANSWERED) {
            haft__json_add_str(w, run->calls[i].id);
        }
    }
    haft__json_end_array(w);
    return status;
}

/* Writes the calls that are unchanged except for variables (CALL_REBOUND), with their new bindings.
 */
static haft_status write_rebound(haft__json_writer *w, const haft__run *run, const new_spec *next,
                                 haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__json_key(w, "rebound");
    haft__json_begin_object(w);
    for (size_t i = run->batch; status == HAFT_OK && i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        call_change change = CALL_UNCHANGED;
        char binding[HAFT__SHA256_HEX];
        status = check_call(next, call, &change, err);
        if (status == HAFT_OK && change == CALL_REBOUND) {
            status = haft__binding_make(next->spec, find_tool(next->spec, call), call->arguments,
                                        binding, err);
            haft__json_key_str(w, call->id);
            haft__json_add_str(w, (haft_str){binding, sizeof(binding)});
        }
    }
    haft__json_end_object(w);
    return status;
}

static void write_lines(haft__json_writer *w, const char *key, haft_str lines)
{
    haft__json_key(w, key);
    haft__json_begin_array(w);
    while (lines.len > 0) {
        haft__json_add_str(w, haft__str_split(&lines, '\n'));
    }
    haft__json_end_array(w);
}

/* The spec of the agent that works on the run. */
static const haft__spec *find_active(const haft__run *run, const haft__spec *spec)
{
    const haft__spec *agent = run->agent.len > 0 ? haft__spec_find_agent(spec, run->agent) : NULL;
    return agent != NULL ? agent : spec;
}

haft_status haft__input_spec_changed(haft__buf *buf, const haft__run *run, const haft__spec *spec,
                                     const haft__spec_origin *origin, haft_str by, haft_str changes,
                                     haft_error *err)
{
    haft__json_writer w;
    haft_status status = haft__graph_change_check(run, spec, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__event_body_begin(&w, buf, HAFT__EVENT_SPEC_CHANGED);
    haft__field_text(&w, "was", run->first_spec->hash);
    haft__field_text(&w, "spec", spec->hash);
    haft__field_text(&w, "by", by);
    haft__field_text_or_null(&w, "file", origin->file);
    write_lines(&w, "changes", changes);
    const new_spec next = {.spec = find_active(run, spec),
                           .restored = origin->restored != NULL ? find_active(run, origin->restored)
                                                                : NULL};
    more_calls more;
    status = write_judged_again(&w, run, &next, &more, err);
    if (status == HAFT_OK && more.approved > 0) {
        status = write_asked_again(&w, run, &next, err);
    }
    if (status == HAFT_OK && more.rebound > 0) {
        status = write_rebound(&w, run, &next, err);
    }
    write_variables(&w, origin);
    write_prices(&w, spec, origin);
    haft__json_key(&w, "source");
    haft__json_add(&w, spec->source);
    haft__event_body_end(&w, buf);
    return status == HAFT_OK ? haft__buf_check(buf, err) : status;
}

/* Whether the id has the form of haft's own ids: c3.1. */
static bool is_own_id(haft_str id)
{
    if (!haft__str_starts_with(id, HAFT__LIT("c"))) {
        return false;
    }
    uint64_t number;
    id = haft__str_skip(id, 1);
    haft_str turn = haft__str_split(&id, '.');
    return haft__str_to_u64(turn, &number) && haft__str_to_u64(id, &number);
}

/* Whether the call gets the id that the model chose: the id is not empty, it is unique in the
 * reply, and it does not have the form of haft's own ids. */
static bool keeps_id(const haft__reply *reply, size_t index)
{
    haft_str id = reply->calls[index].id;
    if (is_own_id(id)) {
        return false;
    }
    for (size_t i = 0; i < index; i++) {
        if (haft__str_equal(reply->calls[i].id, id)) {
            return false;
        }
    }
    return id.len > 0;
}

static void write_calls(haft__json_writer *w, const haft__run *run, const haft__reply *reply)
{
    haft__json_key(w, "calls");
    haft__json_begin_array(w);
    for (size_t i = 0; i < reply->call_count; i++) {
        char text[HAFT__CALL_ID_SIZE];
        haft_str id = haft__run_call_id(text, run->turn, (uint64_t)run->numbered_calls + i + 1);
        haft__json_begin_object(w);
        haft__field_text(w, "call", id);
        haft__field_text(w, "model_call", keeps_id(reply, i) ? reply->calls[i].id : id);
        haft__field_text(w, "name", reply->calls[i].name);
        haft__field_text(w, "arguments", reply->calls[i].arguments);
        if (reply->calls[i].repaired) {
            haft__field_flag(w, "repaired", true);
        }
        if (reply->calls[i].malformed.len > 0) {
            haft__field_text(w, "malformed", reply->calls[i].malformed);
        }
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

/* The name of the provider in the table of providers. The provider openai uses another wire format
 * at hosts that are not OpenAI's. */
static haft_str find_items_provider(const haft__model_spec *model)
{
    const haft__provider *provider = haft__provider_for_model(model);
    return provider != NULL ? haft__str(provider->name) : model->provider;
}

/* The items are written as text, because the provider must get exactly these bytes back. */
static void write_items(haft__json_writer *w, const haft__run *run, const haft__reply *reply)
{
    if (reply->items.len > 0) {
        haft__json_key(w, "provider_items");
        haft__json_begin_object(w);
        haft__field_text(w, "provider", find_items_provider(&run->spec->model));
        haft__field_text(w, "model", run->spec->model.model);
        haft__field_text(w, "endpoint", reply->endpoint);
        haft__field_text(w, "json", reply->items);
        haft__json_end_object(w);
    }
}

/* The number of items that are not sent because they belong to another provider, model or endpoint.
 * A changed spec can cause this. */
static uint32_t count_foreign_items(const haft__run *run, haft_str endpoint)
{
    uint32_t count = 0;
    haft_str provider = find_items_provider(&run->spec->model);
    for (size_t i = 0; i < run->messages.count; i++) {
        const haft__message *message = &run->messages.items[i];
        bool own = haft__str_equal(message->items_provider, provider)
                   && haft__str_equal(message->items_model, run->spec->model.model)
                   && haft__str_equal(message->items_endpoint, endpoint);
        count += message->items.len > 0 && !own;
    }
    return count;
}

/* Writes nothing if the first attempt succeeded. */
static void write_retries(haft__json_writer *w, haft_str retries)
{
    if (retries.len > 0) {
        haft__json_key(w, "retries");
        haft__buf_addf(w->buf, "[%.*s]", (int)retries.len, retries.ptr);
        w->after_key = false;
    }
}

/* Writes nothing if all parts of the request were sent. */
static void write_unsent(haft__json_writer *w, const haft__run *run, const haft__reply *reply)
{
    uint32_t count = reply->unsent + count_foreign_items(run, reply->endpoint);
    if (count > 0) {
        haft__field_number(w, "unsent_reasoning", count);
    }
}

/* Writes the estimated size of the request, for comparison with the reported usage. Writes nothing
 * if the size of the context is unknown. */
static void write_context(haft__json_writer *w, const haft__run *run)
{
    if (run->spec->model.context_tokens > 0) {
        haft__json_key(w, "context");
        haft__json_begin_object(w);
        haft__field_number(w, "estimated", haft__context_tokens(run));
        haft__field_number(w, "tokens", run->spec->model.context_tokens);
        haft__field_number(w, "reserve", run->spec->context.reserve);
        haft__json_end_object(w);
    }
}

static void write_cache(haft__json_writer *w, const haft__cache_finding *cache)
{
    bool same = cache->cause == HAFT__CACHE_CAUSE_NONE;
    haft__json_key(w, "cache");
    haft__json_begin_object(w);
    haft__field_number(w, "same_bytes", cache->same_bytes);
    haft__field_number(w, "bytes", cache->bytes);
    haft__field_text_or_null(w, "first_difference", haft__str(cache->where));
    haft__field_string(w, "cause", same ? NULL : haft__cache_cause_name(cache->cause));
    haft__json_end_object(w);
}

void haft__input_model_replied(haft__buf *buf, const haft__run *run, const haft__reply *reply,
                               uint64_t ms)
{
    haft__input_model_replied_with(buf, run, reply, NULL, ms);
}

void haft__input_model_replied_with(haft__buf *buf, const haft__run *run, const haft__reply *reply,
                                    const haft__cache_finding *cache, uint64_t ms)
{
    haft__json_writer w;
    haft__personal_report report;
    haft__personal_report_init(&report);
    haft__event_body_begin(&w, buf, HAFT__EVENT_MODEL_REPLIED);
    haft__personal_write_field(&w, "content", run->spec, HAFT__REDACT_OUTPUT, reply->content,
                               &report);
    haft__personal_write_field(&w, "reasoning", run->spec, HAFT__REDACT_OUTPUT, reply->reasoning,
                               &report);
    haft__reply recorded = *reply;
    bool summary = run->context.summarising; /* only the text of a summary is used */
    if (summary) {
        recorded.call_count = 0;
        recorded.items = HAFT__LIT("");
    }
    write_calls(&w, run, &recorded);
    haft__json_key(&w, "usage");
    haft__json_begin_object(&w);
    haft__field_number(&w, "input_tokens", reply->usage.input);
    haft__field_number(&w, "output_tokens", reply->usage.output);
    haft__field_number(&w, "cached_tokens", reply->usage.cached);
    if (reply->usage.cache_write > 0) {
        haft__field_number(&w, "cache_write_tokens", reply->usage.cache_write);
    }
    if (reply->usage.cache_write_1h > 0) {
        haft__field_number(&w, "cache_write_1h_tokens", reply->usage.cache_write_1h);
    }
    if (reply->usage.reasoning > 0) {
        haft__field_number(&w, "reasoning_tokens", reply->usage.reasoning);
    }
    haft__json_end_object(&w);
    haft__field_text(&w, "stop", haft__str(haft__stop_reason_name(reply->stop)));
    haft__field_text(&w, "model", reply->model);
    haft__field_number(&w, "ms", ms);
    if (summary) {
        haft__field_flag(&w, "summary", true);
    } else {
        write_context(&w, run);
    }
    if (cache != NULL && !summary) {
        write_cache(&w, cache);
    }
    if (!summary) {
        write_items(&w, run, reply);
        write_unsent(&w, run, reply);
    }
    write_retries(&w, reply->retries);
    haft__personal_report_write(&w, &report);
    if (reply->provider_calls.len > 0) {
        haft__json_key(&w, "provider_calls");
        haft__buf_add_str(w.buf, reply->provider_calls);
        w.after_key = false;
    }
    haft__event_body_end(&w, buf);
}

void haft__input_model_failed(haft__buf *buf, const haft__model_failure *failure, uint64_t ms)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_MODEL_FAILED);
    haft__field_number(&w, "status", failure->status);
    haft__field_text(&w, "message", failure->message);
    haft__field_text(&w, "failure", haft__str(haft__failure_name(failure->kind)));
    if (failure->delivered) {
        haft__field_flag(&w, "delivered", true);
    }
    haft__field_number(&w, "ms", ms);
    write_retries(&w, failure->retries);
    haft__event_body_end(&w, buf);
}

const haft__optional_member *haft__input_find_refused(const haft__run *run,
                                                      const haft__request *request,
                                                      const haft__model_failure *failure)
{
    const haft__provider *provider = haft__provider_for_model(&run->spec->model);
    if (provider == NULL) {
        return NULL;
    }
    haft__member_refusal refusal = {.failure = failure,
                                    .body = failure->message,
                                    .sent = haft__member_of_constraint(request),
                                    .again = run->sent_again,
                                    .options = run->spec->model.options,
                                    .required = provider->api->reserved_options};
    return haft__member_find_refused(provider->api->optional_members, &refusal);
}

void haft__input_option_refused(haft__buf *buf, const haft__optional_member *member,
                                const haft__model_failure *failure, bool remembered, uint64_t ms)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_OPTION_REFUSED);
    haft__field_text(&w, "member", haft__str(member->name));
    haft__field_number(&w, "status", failure->status);
    haft__field_flag(&w, "remembered", remembered);
    haft__field_text(&w, "message", failure->message);
    haft__field_number(&w, "ms", ms);
    write_retries(&w, failure->retries);
    haft__event_body_end(&w, buf);
}

void haft__input_call_finished(haft__buf *buf, const haft__run *run, const haft__run_call *call,
                               const haft__outcome *outcome)
{
    uint32_t chars = haft__run_observation_chars(run, call);
    bool truncated = outcome->ok && haft__observation_is_cut(outcome->text, chars);
    haft__json_writer w;
    haft__personal_report report;
    const haft__redact_place place = HAFT__REDACT_RESULTS;
    haft__personal_report_init(&report);
    haft__event_body_begin(&w, buf, HAFT__EVENT_CALL_FINISHED);
    haft__field_text(&w, "call", call->id);
    haft__field_text(&w, "tool", call->name);
    haft__field_flag(&w, "ok", outcome->ok);
    if (outcome->command) {
        haft__field_flag(&w, "command", true);
    }
    if (outcome->ok) {
        haft__personal_write_field(&w, "result", run->spec, place, outcome->text, &report);
        haft__field_null(&w, "error");
    } else {
        haft__field_null(&w, "result");
        haft__json_key(&w, "error");
        haft__json_begin_object(&w);
        haft__field_text(&w, "where", outcome->where);
        haft__personal_write_field(&w, "message", run->spec, place, outcome->text, &report);
        haft__field_text(&w, "hint", outcome->hint);
        if (outcome->diff.len > 0) {
            haft__field_text(&w, "diff", outcome->diff);
        }
        if (call->node != NULL && (outcome->timed_out || outcome->transient)) {
            haft__field_text(&w, "failure",
                             haft__str(outcome->timed_out ? "timeout" : "transient"));
        }
        haft__json_end_object(&w);
    }
    haft__field_flag(&w, "truncated", truncated);
    haft__field_flag(&w, "cached", outcome->cached);
    haft__field_number(&w, "ms", outcome->ms);
    haft__field_null(&w, "arguments"); /* in call_started */
    haft__field_null(&w, "note");      /* in call_started */
    if (!outcome->command) {           /* a command is for the graph, not a text */
        haft__field_returns(&w, run, call, outcome->ok);
    }
    haft__personal_report_write(&w, &report);
    if (outcome->sandbox.len > 0) {
        haft__json_key(&w, "sandbox");
        haft__buf_add_str(w.buf, outcome->sandbox);
        w.after_key = false;
    }
    haft__field_node(&w, call);
    haft__event_body_end(&w, buf);
}

void haft__input_call_asked(haft__buf *buf, haft_str call, const haft__elicitation *asked)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_CALL_ASKED);
    haft__field_text(&w, "call", call);
    haft__json_key(&w, "question");
    haft__json_add(&w, asked->question);
    haft__field_flag(&w, "durable", asked->durable);
    haft__json_key(&w, "state");
    haft__json_add(&w, asked->state);
    haft__json_key(&w, "within_ms");
    if (asked->within_ms > 0) {
        haft__json_add_int(&w, (int64_t)asked->within_ms);
    } else {
        haft__json_add_null(&w);
    }
    haft__event_body_end(&w, buf);
}

void haft__input_tool_renewed(haft__buf *buf, haft_str call, haft_str tool, uint32_t cap)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_TOOLS_REVEALED);
    haft__json_key(&w, "tools");
    haft__json_begin_array(&w);
    haft__buf_add_str(buf, tool); /* already JSON */
    haft__json_end_array(&w);
    haft__field_null(&w, "query");
    haft__field_text(&w, "call", call);
    haft__json_key(&w, "servers");
    haft__json_begin_array(&w);
    haft__json_end_array(&w);
    haft__field_flag(&w, "automatic", false);
    haft__json_key(&w, "listed");
    haft__json_begin_array(&w);
    haft__json_end_array(&w);
    haft__field_number(&w, "cap", cap);
    haft__field_number(&w, "deferred", 0);
    haft__field_null(&w, "share");
    haft__field_text(&w, "reason", HAFT__LIT("the server's list changed"));
    haft__event_body_end(&w, buf);
}

void haft__input_answered(haft__buf *buf, haft_str call, haft_str by, haft_str verdict,
                          haft__json value)
{
    haft__input_approved(buf, call, by, verdict, value, HAFT__LIT(""));
}

void haft__input_approved(haft__buf *buf, haft_str call, haft_str by, haft_str verdict,
                          haft__json value, haft_str binding)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_ANSWERED);
    haft__field_text(&w, "call", call);
    haft__field_text(&w, "by", by);
    haft__field_text(&w, "verdict", verdict);
    haft__json_key(&w, "value");
    haft__json_add(&w, value);
    if (binding.len > 0) {
        haft__field_text(&w, "binding", binding);
    }
    haft__event_body_end(&w, buf);
}

static void write_limit_reached(haft__buf *buf, const haft__run *run, const char *limit,
                                uint64_t used_ms)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_LIMIT_REACHED);
    haft__field_text(&w, "limit", haft__str(limit));
    haft__field_number(&w, "used_ms", used_ms);
    haft__field_number(&w, "limit_ms", run->spec->limits.wall_ms);
    haft__event_body_end(&w, buf);
}

void haft__input_wall_reached(haft__buf *buf, const haft__run *run, uint64_t used_ms)
{
    write_limit_reached(buf, run, "wall", used_ms);
}

void haft__input_parent_limit_reached(haft__buf *buf, const haft__run *run)
{
    write_limit_reached(buf, run, "parent", run->worked_ms);
}

void haft__input_cancel_asked(haft__buf *buf, haft_str by, haft_str why)
{
    haft__json_writer w;
    haft__event_body_begin(&w, buf, HAFT__EVENT_CANCEL_ASKED);
    haft__field_text(&w, "by", by);
    haft__field_text(&w, "why", why);
    haft__event_body_end(&w, buf);
}
