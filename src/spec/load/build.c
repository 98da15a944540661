/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.c - fills in haft__spec from the JSON of a spec, except the choice policy and the tools.
 *
 * This file and haft.schema.json both contain the defaults; tests/spec/load/build_test.c compares
 * them.
 */
#include "spec/load/build_int.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/price.h"
#include "model/provider.h"
#include "run/pause/pause.h"
#include "tool/duration.h"
#include "json/object.h"

/* ---- reading values ---- */

static uint32_t number32(haft__json object, const char *key, uint32_t fallback)
{
    uint64_t found = haft__object_number(object, key, fallback);
    return found <= UINT32_MAX ? (uint32_t)found : fallback;
}

uint64_t haft__loader_read_duration(haft__loader *l, haft__json value, haft_str pointer,
                                    uint64_t fallback)
{
    haft_error err = {.status = HAFT_OK};
    uint64_t ms = fallback;
    bool given = value.kind == HAFT__JSON_STRING || value.kind == HAFT__JSON_NUMBER;
    if (given && haft__duration_read(value, &ms, &err) != HAFT_OK) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "%s", err.message);
        haft__loader_hint(l, problem, "%s", err.hint);
    }
    return ms;
}

uint64_t haft__loader_read_time_limit(haft__loader *l, haft__json value, haft_str pointer)
{
    uint64_t ms = haft__loader_read_duration(l, value, pointer, 1);
    if (ms == 0) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "expected a time above 0, found 0");
        haft__loader_hint(l, problem, "leave it out for no limit");
    }
    return value.kind != HAFT__JSON_NULL ? ms : 0;
}

const haft_str *haft__loader_read_strings(haft__loader *l, haft__json array, size_t *ret_count)
{
    haft_str *texts = haft__loader_alloc(l, array.count, sizeof(*texts));
    *ret_count = 0;
    for (uint32_t i = 0; i < array.count && texts != NULL; i++) {
        if (array.items[i].kind == HAFT__JSON_STRING) {
            texts[(*ret_count)++] = haft__json_text(array.items[i]);
        }
    }
    return texts;
}

uint64_t haft__loader_read_micros(haft__loader *l, haft__json object, const char *key,
                                  haft_str pointer, uint64_t fallback)
{
    haft__json found = haft__object_get(object, key);
    uint64_t result = fallback;
    haft_error err = {.status = HAFT_OK};
    haft_status status = found.kind == HAFT__JSON_NUMBER
                             ? haft__price_read_dollars(haft__json_text(found), &result, &err)
                             : HAFT_OK;
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        (void)haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "%s", err.message);
    }
    return result;
}

static uint64_t micros(haft__loader *l, haft__json object, const char *key, const char *pointer,
                       uint64_t fallback)
{
    return haft__loader_read_micros(l, object, key, haft__str(pointer), fallback);
}

/* ---- the model ---- */

static void build_model_text(haft__loader *l, haft_str text)
{
    haft__model_spec *model = &l->spec->model;
    model->model = text;
    model->provider = haft__str_split(&model->model, ':');
    haft__loader_check_provider(l, text, HAFT__LIT("/model"));
}

static haft__constraint_setting read_constraint(haft_str word)
{
    static const char *const words[] = {[HAFT__CONSTRAIN_AUTO] = "auto",
                                        [HAFT__CONSTRAIN_NONE] = "none",
                                        [HAFT__CONSTRAIN_GRAMMAR] = "grammar",
                                        [HAFT__CONSTRAIN_SCHEMA] = "schema"};
    haft__constraint_setting found = HAFT__CONSTRAIN_AUTO;
    for (size_t i = 0; i < COUNT(words); i++) {
        found = haft__str_equal(word, haft__str(words[i])) ? (haft__constraint_setting)i : found;
    }
    return found;
}

/* Checks whether a variable names another server for the model. If the value of the variable
 * contains ${VAR}, as a base_url may, the host is treated as another host. */
static void find_server(haft__loader *l)
{
    haft__model_spec *model = &l->spec->model;
    const haft__spec_env *env = &l->options->env;
    haft_str name = haft__provider_server_variable(model);
    if (name.len > 0 && env->get != NULL) {
        haft_str url = env->get(env->context, name);
        model->other_server = url.len > 0 && haft__provider_is_other_host(model, url);
    }
}

static void build_timeouts(haft__loader *l, haft__json source)
{
    haft__json given = haft__object_object(source, "timeouts");
    haft__model_timeouts *timeouts = &l->spec->model.timeouts;
    const struct {
        const char *key, *pointer;
        uint64_t *ms;
    } rows[] = {{"connect", "/model/timeouts/connect", &timeouts->connect_ms},
                {"first_byte", "/model/timeouts/first_byte", &timeouts->first_byte_ms},
                {"idle", "/model/timeouts/idle", &timeouts->idle_ms},
                {"total", "/model/timeouts/total", &timeouts->total_ms}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__json value = haft__object_get(given, rows[i].key);
        *rows[i].ms = haft__loader_read_duration(l, value, haft__str(rows[i].pointer), 0);
        if (value.kind != HAFT__JSON_NULL && *rows[i].ms == 0) {
            (void)haft__loader_error(l, haft__str(rows[i].pointer), HAFT__SUBJECT_VALUE,
                                     "expected a time above 0");
        }
    }
}

static void build_model(haft__loader *l)
{
    haft__model_spec *model = &l->spec->model;
    haft__json source = haft__object_get(l->source, "model");
    haft__json price = haft__object_object(source, "price");
    model->native_tools = haft__object_flag(source, "native_tools", true);
    model->starts_in_reasoning = haft__object_flag(source, "starts_in_reasoning", false);
    model->context_tokens = haft__object_number(source, "context_tokens", 0);
    model->constraint = read_constraint(haft__object_string(source, "constraint"));
    model->provider = haft__object_string(source, "provider");
    model->model = haft__object_string(source, "model");
    model->base_url = haft__object_string(source, "base_url");
    model->api_key = haft__object_string(source, "api_key");
    model->api_key_env = haft__object_string(source, "api_key_env");
    model->size_b = haft__json_text(haft__object_get(source, "size_b"));
    model->options = haft__object_get(source, "options");
    model->requests = (uint32_t)haft__object_number(source, "requests", 0);
    build_timeouts(l, source);
    if (source.kind == HAFT__JSON_STRING) {
        build_model_text(l, haft__json_text(source));
    } else if (source.kind == HAFT__JSON_OBJECT && model->provider.len > 0) {
        haft__loader_check_provider(l, HAFT__LIT(""), HAFT__LIT("/model/provider"));
    } else {
        model->provider = HAFT__LIT("offline");
    }
    find_server(l);
    if (!haft__provider_is_local(model)) {
        haft__loader_fill_family(l, source);
    }
    model->price.input = micros(l, price, "input", "/model/price/input", 0);
    model->price.output = micros(l, price, "output", "/model/price/output", 0);
    model->price.cached = micros(l, price, "cached", "/model/price/cached", model->price.input);
    haft__price_fill_cache_writes(&model->price, model);
    model->price.cache_write =
        micros(l, price, "cache_write", "/model/price/cache_write", model->price.cache_write);
    model->price.cache_write_1h = micros(l, price, "cache_write_1h", "/model/price/cache_write_1h",
                                         model->price.cache_write_1h);
    /* A local model costs nothing. */
    model->price.known = price.count > 0 || haft__provider_is_local(model);
    const haft__spec_options *options = l->options;
    if (!model->price.known && options->find_price != NULL) {
        haft__price found = {0};
        if (options->find_price(options->price_context, model, &found)) {
            model->price = found;
            model->price.known = true;
        }
    }
}

/* ---- the rest ---- */

/* The index of the text among the names; 0 (the default) if the text is not one of them. */
static unsigned one_of(haft_str text, const char *const *names, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (haft__str_equal(text, haft__str(names[i]))) {
            return i;
        }
    }
    return 0;
}

static haft__repeat_limits build_repeats(haft__loader *l, haft__json limits)
{
    haft__json source = haft__object_object(limits, "repeats");
    haft__repeat_limits repeats = {
        .hint = number32(source, "hint", 3),
        .refuse = number32(source, "refuse", 6),
        .end = number32(source, "end", 10),
    };
    if (repeats.hint >= repeats.refuse || repeats.refuse >= repeats.end) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/limits/repeats"), HAFT__SUBJECT_VALUE,
                               "expected hint < refuse < end, found %u, %u and %u", repeats.hint,
                               repeats.refuse, repeats.end);
        haft__loader_hint(l, problem, "the defaults are {hint: 3, refuse: 6, end: 10}");
    }
    return repeats;
}

static void build_limits(haft__loader *l)
{
    static const char *const overflows[] = {"queue", "truncate"};
    haft__json source = haft__object_object(l->source, "limits");
    bool graph = l->spec->kind == HAFT__SPEC_GRAPH; /* its children share its budgets */
    l->spec->limits = (haft__spec_limits){
        .turns = number32(source, "turns", graph ? HAFT__LIMIT_GRAPH_TURNS : 12),
        .calls = number32(source, "calls", graph ? HAFT__LIMIT_GRAPH_CALLS : 50),
        .parallel = number32(source, "parallel", 3),
        .overflow = one_of(haft__object_string(source, "overflow"), overflows, COUNT(overflows)),
        .observation_chars = number32(source, "observation_chars", 8000),
        .tokens = haft__object_number(source, "tokens", 1000000),
        .has_usd = haft__object_get(source, "usd").kind == HAFT__JSON_NUMBER,
        .usd_micros = micros(l, source, "usd", "/limits/usd", 0),
        .wall_ms = haft__loader_read_duration(l, haft__object_get(source, "wall"),
                                              HAFT__LIT("/limits/wall"), 600000),
        .invalid_calls = number32(source, "invalid_calls", 3),
        .reminders = number32(source, "reminders", 2),
        .violations = number32(source, "violations", 2),
        .repeats = build_repeats(l, source),
    };
}

static void build_phases(haft__loader *l)
{
    haft__json source = haft__object_array(l->source, "phases");
    haft__phase *phases = haft__loader_alloc(l, source.count, sizeof(*phases));
    if (phases == NULL) {
        return;
    }
    for (uint32_t i = 0; i < source.count; i++) {
        haft__json tools = haft__object_array(source.items[i], "tools");
        phases[i].name = haft__object_string(source.items[i], "name");
        phases[i].tools = haft__loader_read_strings(l, tools, &phases[i].tool_count);
    }
    l->spec->phases = phases;
    l->spec->phase_count = source.count;
}

/* The action at a deadline; by default the run fails. */
static haft__json build_on_expire(haft__json rule)
{
    haft__json on_expire = haft__object_get(rule, "on_expire");
    return on_expire.kind != HAFT__JSON_NULL ? on_expire : haft__json_string(HAFT__LIT("fail"));
}

static void build_pauses(haft__loader *l)
{
    haft__json source = haft__object_object(l->source, "pauses");
    for (size_t i = 0; i < COUNT(l->spec->pauses); i++) {
        const char *name = haft__pause_name((haft__pause)i);
        haft__json rule = haft__object_object(source, name);
        haft_str pointer = haft__loader_pointer(l, "/pauses/%s/deadline", name);
        l->spec->pauses[i] = (haft__pause_rule){.deadline_ms = haft__loader_read_time_limit(
                                                    l, haft__object_get(rule, "deadline"), pointer),
                                                .on_expire = build_on_expire(rule)};
    }
}

void haft__loader_read_approval(haft__loader *l, haft__json source, haft_str pointer,
                                haft__approval_rule *ret_rule)
{
    haft__approval_rule rule = {
        .when = haft__object_get(source, "when"),
        .on_expire = build_on_expire(source),
        .deadline_ms = haft__loader_read_time_limit(
            l, haft__object_get(source, "deadline"),
            haft__loader_pointer(l, "%.*s/deadline", HAFT__ARG(pointer))),
    };
    rule.tools =
        haft__loader_read_strings(l, haft__object_array(source, "tools"), &rule.tool_count);
    rule.traits =
        haft__loader_read_strings(l, haft__object_array(source, "traits"), &rule.trait_count);
    *ret_rule = rule;
}

static void build_approvals(haft__loader *l)
{
    haft__json source = haft__object_array(l->source, "approvals");
    haft__approval_rule *rules = haft__loader_alloc(l, source.count, sizeof(*rules));
    if (rules == NULL) {
        return;
    }
    for (uint32_t i = 0; i < source.count; i++) {
        haft__loader_read_approval(l, source.items[i], haft__loader_pointer(l, "/approvals/%u", i),
                                   &rules[i]);
    }
    l->spec->approvals = rules;
    l->spec->approval_count = source.count;
}

static void build_embeddings(haft__loader *l)
{
    static const char pointer[] = "/tool_search/embeddings/timeout";
    haft__json search = haft__object_object(l->source, "tool_search");
    haft__json source = haft__object_object(search, "embeddings");
    haft__json timeout = haft__object_get(source, "timeout");
    haft__embeddings_spec *embeddings = &l->spec->embeddings;
    *embeddings =
        (haft__embeddings_spec){.base_url = haft__object_string(source, "base_url"),
                                .model = haft__object_string(source, "model"),
                                .api_key = haft__object_string(source, "api_key"),
                                .api_key_env = haft__object_string(source, "api_key_env"),
                                .query_prefix = haft__object_string(source, "query_prefix"),
                                .document_prefix = haft__object_string(source, "document_prefix"),
                                .timeout_ms = haft__loader_read_duration(
                                    l, timeout, haft__str(pointer), HAFT__LIMIT_EMBED_QUERY_MS)};
    if (embeddings->timeout_ms == 0 || embeddings->timeout_ms > HAFT__LIMIT_EMBED_QUERY_MAX_MS) {
        haft__spec_problem *problem = haft__loader_error(
            l, haft__str(pointer), HAFT__SUBJECT_VALUE,
            "expected a time above 0 and at most %d seconds, found %llu ms",
            HAFT__LIMIT_EMBED_QUERY_MAX_MS / 1000, (unsigned long long)embeddings->timeout_ms);
        haft__loader_hint(l, problem,
                          "a search waits this long for vectors, then continues without them");
    }
}

void haft__loader_build(haft__loader *l)
{
    static const char *const kinds[] = {"agent", "workflow", "graph"};
    static const char *const unknowns[] = {"ask", "tell", "retry"};
    static const char *const histories[] = {"native", "transcript"};
    haft__spec *spec = l->spec;
    haft__json source = l->source, builtins = haft__object_object(source, "builtins");
    haft_str root = haft__object_string(source, "root"),
             multi = haft__object_string(source, "multitask");
    spec->source = source;
    spec->path = l->options->path;
    spec->kind = one_of(haft__object_string(source, "kind"), kinds, COUNT(kinds));
    spec->name = haft__object_string(source, "name");
    spec->description = haft__object_string(source, "description");
    spec->instructions = haft__object_string(source, "instructions");
    spec->plan = haft__object_get(source, "plan");
    spec->mcp = haft__object_get(source, "mcp");
    spec->root = root.len > 0 ? root : HAFT__LIT(".");
    spec->within =
        haft__loader_read_strings(l, haft__object_array(source, "within"), &spec->within_count);
    spec->on_unknown = one_of(haft__object_string(source, "on_unknown"), unknowns, COUNT(unknowns));
    spec->on_unknown_given = haft__object_string(source, "on_unknown").len > 0;
    spec->approve_destructive = haft__object_flag(source, "approve_destructive", true);
    spec->history = one_of(haft__object_string(source, "history"), histories, COUNT(histories));
    spec->max_mcp_tools = number32(source, "max_mcp_tools", 0);
    spec->tools_share = number32(source, "max_tools_share", HAFT__LIMIT_TOOL_SHARE_PERCENT);
    spec->multitask = multi.len > 0 ? multi : HAFT__LIT("enqueue");
    spec->graph = haft__object_get(source, "graph");
    spec->graphs = haft__object_get(source, "graphs");
    spec->builtin_allow = haft__loader_read_strings(l, haft__object_array(builtins, "allow"),
                                                    &spec->builtin_allow_count);
    spec->builtin_deny = haft__loader_read_strings(l, haft__object_array(builtins, "deny"),
                                                   &spec->builtin_deny_count);
    build_model(l);
    haft__loader_build_context(l);
    build_limits(l);
    build_phases(l);
    build_approvals(l);
    build_pauses(l);
    build_embeddings(l);
    haft__loader_build_databases(l);
}
