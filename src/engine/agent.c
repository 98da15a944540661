/* SPDX-License-Identifier: Apache-2.0 */
/*
 * agent.c - creates agents: a spec, and the endpoint of its model, the script and the secrets that
 * its runs share.
 *
 * Tests: tests/engine/api_test.c.
 */
#include "engine/agent.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/endpoint.h"
#include "engine/memory_file.h"
#include "engine/runtime.h"
#include "engine/script_file.h"
#include "engine/spec_path.h"
#include "exec/secrets.h"
#include "exec/skill/visit.h"
#include "graph/run/graph_run.h"
#include "io/file.h"
#include "model/price.h"
#include "run/handoff/handoff.h"
#include "json/write.h"

void haft__agent_retain(haft_agent *agent)
{
    agent->reference_count++;
}

void haft_agent_release(haft_agent *agent)
{
    if (agent != NULL && --agent->reference_count == 0) {
        haft_agent_release(agent->fallback);
        haft_agent_release(agent->summariser);
        haft_agent_release(agent->previous);
        while (agent->children != NULL) {
            haft_agent *child = agent->children;
            agent->children = child->next_child;
            haft_agent_release(child);
        }
        haft__embedder_destroy(agent->embedder);
        haft__declared_tools_finish(&agent->declared_tools);
        haft__arena_finish(&agent->arena);
        haft__arena_finish(&agent->spec_arena);
        free(agent);
    }
}

/* Stores the text of the spec in the agent; the store gets it with each run. */
static haft_status store_spec_text(haft_agent *agent, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, agent->spec->source);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        agent->spec_text = haft__arena_copy(&agent->arena, haft__buf_str(&text));
        status = agent->spec_text.ptr != NULL ? HAFT_OK : haft__arena_fail(&agent->arena, err);
    }
    haft__buf_finish(&text);
    return status;
}

static bool is_scripted(const haft__spec *spec)
{
    return haft__str_equal(spec->model.provider, HAFT__LIT("script"))
           || haft__str_equal(spec->model.provider, HAFT__LIT("replay"));
}

struct haft__endpoint haft__agent_endpoint(haft_agent *agent, const haft__model_spec *model)
{
    return (haft__endpoint){.env = agent->runtime->env,
                            .key_env = agent->runtime->key_env,
                            .arena = &agent->arena,
                            .redactor = agent->redactor,
                            .model = model};
}

static haft_status prepare_embeddings(haft_agent *agent, haft_error *err)
{
    haft__endpoint endpoint = haft__agent_endpoint(agent, NULL);
    if (agent->spec->embeddings.base_url.len == 0) {
        return HAFT_OK;
    }
    haft_status status =
        haft__endpoint_resolve_embeddings(&endpoint, &agent->spec->embeddings, err);
    agent->embed_url = endpoint.url;
    agent->embed_key = endpoint.key;
    return status;
}

/* ---- secrets ---- */

/* Adds a secret to the redactor and to the list. */
static haft_status add_model_secret(haft_agent *agent, haft_str secret, haft_error *err)
{
    haft__agent_secrets *secrets = &agent->model_secrets;
    bool skip = secret.len == 0, added; /* false for a text that is too short to be redacted */
    for (size_t i = 0; i < secrets->count; i++) {
        skip = skip || haft__str_equal(secrets->items[i], secret);
    }
    if (skip) {
        return HAFT_OK;
    }
    haft_str *items = haft__vec_reserve_in(&agent->arena, secrets->items, secrets->count,
                                           &secrets->capacity, secrets->count + 1, sizeof(*items));
    haft_str copy = haft__arena_copy(&agent->arena, secret);
    if (items == NULL || copy.ptr == NULL) {
        return haft__arena_fail(&agent->arena, err);
    }
    secrets->items = items;
    items[secrets->count++] = copy;
    return haft__redactor_add(agent->redactor, secret, &added, err);
}

/* Adds the key and the password of one server. If the key, or a variable that the spec names, is
 * missing, adds nothing. */
static haft_status add_endpoint_secrets(haft_agent *agent, haft__endpoint *endpoint,
                                        haft_status resolved, const haft_error *failure,
                                        haft_error *err)
{
    bool missing = resolved == HAFT_BAD_INPUT || resolved == HAFT_NOT_FOUND;
    if (resolved != HAFT_OK && !missing) {
        return haft__fail(err, resolved, failure->where, "%s", failure->message);
    }
    haft_status status = add_model_secret(agent, endpoint->password, err);
    return status == HAFT_OK ? add_model_secret(agent, endpoint->key, err) : status;
}

static haft_status collect_model_secret(haft_agent *agent, const haft__model_spec *model,
                                        haft_error *err)
{
    haft__endpoint endpoint = haft__agent_endpoint(agent, model);
    haft_error failure = {.status = HAFT_OK};
    endpoint.provider = haft__provider_for_model(model);
    if (endpoint.provider == NULL) {
        return HAFT_OK;
    }
    haft_status resolved = haft__endpoint_resolve(&endpoint, &failure);
    return add_endpoint_secrets(agent, &endpoint, resolved, &failure, err);
}

/* Collects the secrets of all models that runs of this spec and of its agents can ask. The result
 * or error of a child run may contain the key of its model, which may come from a file that only
 * this model uses. */
static haft_status collect_model_secrets(haft_agent *agent, const haft__spec *spec, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (spec->embeddings.base_url.len > 0) {
        haft__endpoint endpoint = haft__agent_endpoint(agent, NULL);
        haft_error failure = {.status = HAFT_OK};
        haft_status resolved =
            haft__endpoint_resolve_embeddings(&endpoint, &spec->embeddings, &failure);
        status = add_endpoint_secrets(agent, &endpoint, resolved, &failure, err);
    }
    for (const haft__spec *at = spec; status == HAFT_OK && at != NULL; at = at->fallback) {
        status = collect_model_secret(agent, &at->model, err);
    }
    if (status == HAFT_OK && spec->context.summariser != NULL) {
        status = collect_model_secret(agent, &spec->context.summariser->model, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < spec->agent_count; i++) {
        status = collect_model_secrets(agent, spec->agents[i].spec, err);
    }
    return status;
}

/* Collects the secrets of the spec, of its models and of the environment. `shared`: the secrets of
 * an agent that can hand its run to this one; or NULL. */
static haft_status collect_secrets(haft_agent *agent, haft__redactor *shared, haft_error *err)
{
    const haft_runtime *runtime = agent->runtime;
    haft_status status = HAFT_OK;
    if (shared != NULL) {
        agent->redactor = shared;
        status = haft__secrets_collect_more(shared, agent->spec, &runtime->env, err);
    } else {
        status =
            haft__secrets_collect(agent->spec, &runtime->env, &agent->arena, &agent->redactor, err);
        status = status == HAFT_OK ? haft__secrets_add(agent->redactor, runtime->variables,
                                                       runtime->variable_count, err)
                                   : status;
    }
    return status == HAFT_OK ? collect_model_secrets(agent, agent->spec, err) : status;
}

haft_status haft__agent_load_secrets(haft_agent *agent, haft_error *err)
{
    if (agent->redactor != NULL) {
        return HAFT_OK;
    }
    haft_status status = collect_secrets(agent, NULL, err);
    if (status == HAFT_OK) {
        status = haft__redactor_seal(agent->redactor, err);
    }
    agent->redactor = status == HAFT_OK ? agent->redactor : NULL;
    return status;
}

haft_status haft__agent_share_secrets(haft_agent *agent, const haft_agent *above, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < above->model_secrets.count; i++) {
        status = add_model_secret(agent, above->model_secrets.items[i], err);
    }
    return status == HAFT_OK ? haft__redactor_seal(agent->redactor, err) : status;
}

/* ---- creating ---- */

static haft_status prepare_model(haft_agent *agent, haft_error *err)
{
    agent->scripted = is_scripted(agent->spec);
    return agent->scripted ? haft__script_file_load(&agent->arena, agent->spec,
                                                    agent->runtime->hash_key, &agent->script, err)
                           : haft__agent_prepare_model(agent, err);
}

static haft_agent *allocate_agent(haft_runtime *runtime, const haft__spec *spec)
{
    haft_agent *agent = calloc(1, sizeof(*agent));
    if (agent != NULL) {
        *agent = (haft_agent){.runtime = runtime, .spec = spec, .reference_count = 1};
        haft__arena_init(&agent->arena, 0);
        haft__declared_tools_init(&agent->declared_tools);
    }
    return agent;
}

haft_status haft__agent_add_variable(haft_agent *agent, haft_str name, haft_error *err)
{
    haft__agent_variables *variables = &agent->variables;
    for (size_t i = 0; i < variables->count; i++) {
        if (haft__str_equal(variables->names[i], name)) {
            return HAFT_OK;
        }
    }
    haft_str *names =
        haft__vec_reserve_in(&agent->arena, variables->names, variables->count,
                             &variables->capacity, variables->count + 1, sizeof(*names));
    if (names == NULL) {
        return haft__arena_fail(&agent->arena, err);
    }
    variables->names = names;
    names[variables->count++] = name;
    return HAFT_OK;
}

static haft_status add_variables_of(haft_agent *agent, const haft_agent *other, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < other->variables.count; i++) {
        status = haft__agent_add_variable(agent, other->variables.names[i], err);
    }
    return status;
}

/* Creates the agent for another model of the spec. */
static haft_status add_model(haft_agent *agent, const haft__spec *spec, bool read_only,
                             haft_agent **ret_agent, haft_error *err)
{
    haft_agent *next = allocate_agent(agent->runtime, spec);
    if (next == NULL) {
        return haft__fail_no_memory(err);
    }
    *ret_agent = next;
    next->redactor = agent->redactor;
    next->spec_text = agent->spec_text;
    haft_status status = read_only ? HAFT_OK : prepare_model(next, err);
    next->embed_url = agent->embed_url;
    next->embed_key = agent->embed_key;
    return status == HAFT_OK ? add_variables_of(agent, next, err) : status;
}

/* Adds the agents for the other models of the spec. These agents share all secrets, because a run
 * that asks one model must not store the key of another model. */
static haft_status add_fallbacks(haft_agent *agent, bool read_only, haft_error *err)
{
    haft_agent *last = agent;
    haft_status status = HAFT_OK;
    if (agent->spec->context.summariser != NULL) {
        status =
            add_model(agent, agent->spec->context.summariser, read_only, &agent->summariser, err);
    }
    while (status == HAFT_OK && last->spec->fallback != NULL) {
        status = add_model(agent, last->spec->fallback, read_only, &last->fallback, err);
        last = last->fallback;
        if (status == HAFT_OK && agent->summariser != NULL) {
            haft__agent_retain(agent->summariser);
            last->summariser = agent->summariser;
        }
    }
    return status;
}

static haft_status find_handoff_agent(haft_agent *agent, haft_str name, bool read_only,
                                      haft__redactor *shared, haft_agent **ret_agent,
                                      haft_error *err);

/* Adds the agents that a run can be handed to. A new run records the variables of all these agents.
 * The agents share all secrets, because a run of one agent must not store the key of another
 * agent. */
static haft_status add_handoffs(haft_agent *agent, haft_error *err)
{
    const haft__spec *spec = agent->spec;
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < spec->agent_count; i++) {
        haft_agent *target = NULL;
        if (spec->handoff_count > 0 && haft__spec_is_handoff_target(spec, spec->agents[i].name)) {
            status = find_handoff_agent(agent, spec->agents[i].name, false, agent->redactor,
                                        &target, err);
        }
        if (status == HAFT_OK && target != NULL) {
            status = add_variables_of(agent, target, err);
        }
    }
    return status;
}

/* Replaces the spec by the same spec with `source`. */
static haft_status replace_spec(haft_agent *agent, haft__json source, haft_error *err)
{
    haft__spec_options options = haft__agent_spec_options(agent->runtime, agent->spec->path);
    haft__spec_report report;
    haft__buf text;
    options.kept = true;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, source);
    haft_str kept = haft__arena_copy(&agent->arena, haft__buf_str(&text));
    const haft__spec *spec = NULL;
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK && kept.ptr == NULL) {
        status = haft__arena_fail(&agent->arena, err);
    }
    haft__buf_finish(&text);
    status = status == HAFT_OK ? haft__spec_load(&agent->arena, kept, &options, &spec, &report, err)
                               : status;
    if (status == HAFT_OK && spec == NULL) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the spec without its secrets is not valid");
    }
    agent->spec = status == HAFT_OK ? spec : agent->spec;
    return status;
}

/* Removes secrets from memory files, which every run stores with its spec. */
static haft_status redact_memory(haft_agent *agent, haft_error *err)
{
    haft__json source = agent->spec->source;
    bool changed = false;
    haft_status status =
        haft__memory_file_redact(&agent->arena, agent->redactor, &source, &changed, err);
    return status == HAFT_OK && changed ? replace_spec(agent, source, err) : status;
}

/* For `shared` see collect_secrets. */
static haft_status prepare_agent(haft_agent *agent, haft__redactor *shared, haft_error *err)
{
    haft_status status = collect_secrets(agent, shared, err);
    status = status == HAFT_OK ? haft__redactor_seal(agent->redactor, err) : status;
    status = status == HAFT_OK ? redact_memory(agent, err) : status;
    status = status == HAFT_OK ? store_spec_text(agent, err) : status;
    status = status == HAFT_OK ? prepare_model(agent, err) : status;
    status = status == HAFT_OK ? prepare_embeddings(agent, err) : status;
    status = status == HAFT_OK ? add_fallbacks(agent, false, err) : status;
    status = status == HAFT_OK ? add_handoffs(agent, err) : status;
    return status == HAFT_OK ? haft__redactor_seal(agent->redactor, err) : status;
}

static haft_status create_agent(haft_runtime *runtime, const haft__spec *spec, bool read_only,
                                haft__redactor *shared, haft_agent **ret_agent, haft_error *err)
{
    haft_agent *agent = allocate_agent(runtime, spec);
    if (agent == NULL) {
        return haft__fail_no_memory(err);
    }
    haft_status status =
        read_only ? add_fallbacks(agent, true, err) : prepare_agent(agent, shared, err);
    if (status != HAFT_OK) {
        haft_agent_release(agent);
        return status;
    }
    *ret_agent = agent;
    return HAFT_OK;
}

haft_status haft__agent_create(haft_runtime *runtime, const haft__spec *spec,
                               haft_agent **ret_agent, haft_error *err)
{
    return create_agent(runtime, spec, false, NULL, ret_agent, err);
}

/* ---- from text ---- */

/* Whether an earlier error of the report has the same message. */
static bool is_repeated(const haft__spec_report *report, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (!report->problems[i].warning
            && haft__str_equal(report->problems[i].message, report->problems[at].message)) {
            return true;
        }
    }
    return false;
}

/* Fails with the first error. For a stored spec, the message also has those of the other errors,
 * such as all variables that are not set, because the person does not see the spec here. */
static haft_status fail_report(const haft__spec_report *report, haft__spec_use use, haft_error *err)
{
    char where[sizeof(err->where)] = "", message[1024] = "too many problems"; /* err cuts it */
    const haft__spec_problem *first = NULL;
    size_t used = 0;
    for (size_t i = 0; i < report->count && used < sizeof(message); i++) {
        const haft__spec_problem *problem = &report->problems[i];
        if (problem->warning || is_repeated(report, i)
            || (first != NULL && use != HAFT__SPEC_STORED)) {
            continue;
        }
        used += (size_t)snprintf(message + used, sizeof(message) - used, "%s%.*s",
                                 first != NULL ? "; " : "", HAFT__ARG(problem->message));
        first = first != NULL ? first : problem;
    }
    if (first != NULL && use == HAFT__SPEC_BUILT) {
        (void)snprintf(where, sizeof(where), "%.*s", HAFT__ARG(first->pointer));
    } else if (first != NULL && first->line > 0) {
        (void)snprintf(where, sizeof(where), "%u:%u", first->line, first->column);
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, where, "%s", message);
    return first != NULL && first->hint.len > 0
               ? haft__hint(err, status, "%.*s", HAFT__ARG(first->hint))
               : status;
}

haft__spec_options haft__agent_spec_options(const haft_runtime *runtime, haft_str path)
{
    return (haft__spec_options){.path = path,
                                .env = runtime->env,
                                .functions = runtime->functions,
                                .function_count = runtime->function_count,
                                .graph_functions = runtime->graph_functions,
                                .graph_function_count = runtime->graph_function_count,
                                .find_price = haft__price_find,
                                .price_context = runtime->prices,
                                .read_file = haft__spec_path_read,
                                .read_memory = haft__memory_file_read,
                                .read_agents_md = haft__memory_file_read_agents_md,
                                .visit_skills = haft__skill_visit_all,
                                .hash_key = runtime->hash_key};
}

/* The schema of specs; NULL if out of memory. In this case the loader compiles the schema itself,
 * or fails. */
static const haft__schema *find_spec_schema(haft_runtime *runtime)
{
    if (runtime->spec_schema == NULL
        && haft__spec_schema_compile(&runtime->schema_arena, runtime->hash_key,
                                     &runtime->spec_schema, NULL)
               != HAFT_OK) {
        haft__arena_reset(&runtime->schema_arena);
        runtime->spec_schema = NULL;
    }
    return runtime->spec_schema;
}

/* Fails if this process does not have the functions of the graph. Not with BAD_STATE, which means
 * that another process owns the run. */
static haft_status check_functions(const haft__spec *spec, haft_error *err)
{
    for (size_t i = 0; i < spec->tools.count; i++) {
        const haft__tool *tool = spec->tools.items[i];
        if (tool->source == HAFT__TOOL_FUNCTION && tool->function == NULL) {
            haft_str name = tool->name, what = haft__str_split(&name, ':');
            haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                            "the graph needs the %.*s \"%.*s\", which this process "
                                            "does not have",
                                            HAFT__ARG(what), HAFT__ARG(name));
            return haft__hint(err, status,
                              "continue the run in the program that adds its functions");
        }
    }
    return HAFT_OK;
}

/* The text of a spec, and how it is loaded. */
typedef struct spec_source {
    haft_str text, path;
    haft__spec_use use;
    const char *const *sets; /* overrides */
    size_t set_count;
} spec_source;

static haft_status load_spec(haft_runtime *runtime, haft__arena *arena, const spec_source *source,
                             haft_agent **ret_agent, haft_error *err)
{
    haft__spec_use use = source->use;
    haft_str own_text = haft__arena_copy(arena, source->text);
    haft_str own_path = haft__arena_copy(arena, source->path);
    if (own_text.ptr == NULL || own_path.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__spec_options options = haft__agent_spec_options(runtime, own_path);
    options.sets = source->sets;
    options.set_count = source->set_count;
    options.kept = use == HAFT__SPEC_STORED || use == HAFT__SPEC_READ_ONLY;
    options.schema = find_spec_schema(runtime);
    if (use == HAFT__SPEC_READ_ONLY) {
        options.env = (haft__spec_env){NULL, NULL}; /* reading a run needs no variables */
        options.read_file = NULL;
        options.read_memory = NULL;
        options.read_agents_md = NULL;
        options.visit_skills = NULL;
    }
    const haft__spec *spec = NULL;
    haft__spec_report report;
    haft_status status = haft__spec_load(arena, own_text, &options, &spec, &report, err);
    if (status == HAFT_OK && spec == NULL) {
        return fail_report(&report, use, err);
    }
    if (status == HAFT_OK && use == HAFT__SPEC_STORED) {
        status = check_functions(spec, err);
    }
    return status == HAFT_OK
               ? create_agent(runtime, spec, use == HAFT__SPEC_READ_ONLY, NULL, ret_agent, err)
               : status;
}

static haft_status load_source(haft_runtime *runtime, const spec_source *source,
                               haft_agent **ret_agent, haft_error *err)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status = load_spec(runtime, &arena, source, ret_agent, err);
    if (status != HAFT_OK || *ret_agent == NULL) {
        haft__arena_finish(&arena);
        return status;
    }
    (*ret_agent)->spec_arena = arena; /* the spec lives as long as the agent */
    return HAFT_OK;
}

haft_status haft__agent_load_text(haft_runtime *runtime, haft_str text, haft_str path,
                                  haft__spec_use use, haft_agent **ret_agent, haft_error *err)
{
    spec_source source = {.text = text, .path = path, .use = use};
    return load_source(runtime, &source, ret_agent, err);
}

/* ---- for child runs ---- */

/* Sets a limit in the source of the child's spec. */
static haft_status set_limit(haft__arena *arena, haft__json *source, const char *path,
                             haft_str value, haft_error *err)
{
    return value.ptr != NULL ? haft__spec_set(arena, source, haft__str(path), value, err)
                             : haft__arena_fail(arena, err);
}

static haft_status set_limits(haft__arena *arena, const haft__child_budget *budget,
                              haft__json *source, haft_error *err)
{
    const struct {
        const char *path;
        uint64_t value;
        const char *unit;
    } numbers[] = {{"limits.turns", budget->turns, ""},
                   {"limits.calls", budget->calls, ""},
                   {"limits.tokens", budget->tokens, ""},
                   {"limits.wall", budget->wall_ms, "ms"}};
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < COUNT(numbers); i++) {
        haft_str value = haft__arena_format(arena, "%llu%s", (unsigned long long)numbers[i].value,
                                            numbers[i].unit);
        status = set_limit(arena, source, numbers[i].path, value, err);
    }
    if (status == HAFT_OK && budget->has_usd) {
        haft_str value = haft__arena_format(arena, "%llu.%06llu",
                                            (unsigned long long)(budget->usd_micros / 1000000U),
                                            (unsigned long long)(budget->usd_micros % 1000000U));
        status = set_limit(arena, source, "limits.usd", value, err);
    }
    return status;
}

/* Makes the key of a child's agent: its name and its budgets. */
static haft_str make_child_key(haft__arena *arena, const haft__child *child)
{
    const haft__child_budget *b = &child->limits;
    return haft__arena_format(arena, "%.*s %llu %llu %llu %d %llu %llu", HAFT__ARG(child->agent),
                              (unsigned long long)b->turns, (unsigned long long)b->calls,
                              (unsigned long long)b->tokens, (int)b->has_usd,
                              (unsigned long long)b->usd_micros, (unsigned long long)b->wall_ms);
}

/* Finds the source of a child's spec: the spec of an agent, or this spec with another graph. */
static haft_status find_child_source(const haft_agent *agent, haft_str name, haft__arena *arena,
                                     haft__json *ret_source, haft_str *ret_path, haft_error *err)
{
    const haft__spec *spec = haft__spec_find_agent(agent->spec, name);
    if (spec != NULL) {
        *ret_source = spec->source;
        *ret_path = spec->path;
        return HAFT_OK;
    }
    *ret_path = agent->spec->path;
    haft_status status = haft__graph_child_source(agent->spec, name, arena, ret_source, err);
    return status == HAFT_NOT_FOUND
               ? haft__fail(err, HAFT_BAD_STATE, "", "the spec no longer has the agent \"%.*s\"",
                            HAFT__ARG(name))
               : status;
}

static haft_status create_child_agent(haft_agent *agent, const haft__child *child, haft_str key,
                                      haft__arena *scratch, haft_agent **ret_agent, haft_error *err)
{
    haft__json source = haft__json_null();
    haft_str path = HAFT__LIT("");
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = find_child_source(agent, child->agent, scratch, &source, &path, err);
    if (status == HAFT_OK) {
        status = set_limits(scratch, &child->limits, &source, err);
    }
    if (status == HAFT_OK) {
        haft__json_write(&text, source);
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        status = haft__agent_load_text(agent->runtime, haft__buf_str(&text), path,
                                       HAFT__SPEC_STORED, ret_agent, err);
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        (*ret_agent)->child_key = haft__arena_copy(&(*ret_agent)->arena, key);
        (*ret_agent)->next_child = agent->children;
        agent->children = *ret_agent;
    }
    return status;
}

haft_status haft__agent_for_child(haft_agent *agent, const haft__child *child,
                                  haft_agent **ret_agent, haft_error *err)
{
    haft__arena scratch;
    haft__arena_init(&scratch, 0);
    haft_str key = make_child_key(&scratch, child);
    haft_agent *found = agent->children;
    haft_status status = key.ptr != NULL ? HAFT_OK : haft__arena_fail(&scratch, err);
    while (status == HAFT_OK && found != NULL && !haft__str_equal(found->child_key, key)) {
        found = found->next_child;
    }
    if (status == HAFT_OK && found == NULL) {
        status = create_child_agent(agent, child, key, &scratch, &found, err);
    }
    haft__arena_finish(&scratch);
    if (status == HAFT_OK) {
        *ret_agent = found;
    } else {
        haft__error_prepend_location(err, "the agent of a child run");
    }
    return status;
}

/* ---- for handoffs ---- */

static haft_status find_handoff_agent(haft_agent *agent, haft_str name, bool read_only,
                                      haft__redactor *shared, haft_agent **ret_agent,
                                      haft_error *err)
{
    const haft__spec *spec = haft__spec_find_agent(agent->spec, name);
    haft_agent *found = agent->children;
    while (found != NULL && (found->spec != spec || found->read_only != read_only)) {
        found = found->next_child;
    }
    if (spec == NULL) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the spec has no agent \"%.*s\"",
                          HAFT__ARG(name));
    }
    haft_status status = HAFT_OK;
    if (found == NULL) {
        status = create_agent(agent->runtime, spec, read_only, shared, &found, err);
        if (status == HAFT_OK && found != NULL) {
            found->child_key = HAFT__LIT("");
            found->read_only = read_only;
            found->next_child = agent->children;
            agent->children = found;
        }
    }
    if (status == HAFT_OK) {
        *ret_agent = found;
    } else {
        haft__error_prepend_location(err, "the agent of a handoff");
    }
    return status;
}

haft_status haft__agent_for_handoff(haft_agent *agent, haft_str name, bool read_only,
                                    haft_agent **ret_agent, haft_error *err)
{
    return find_handoff_agent(agent, name, read_only, NULL, ret_agent, err);
}

/* ---- from a file ---- */

/* Copies the overrides, which the runs of the agent record. */
static haft_status keep_origin(haft_agent *agent, haft_str text, const spec_source *source,
                               haft_error *err)
{
    const char **sets = haft__arena_array(&agent->arena, source->set_count + 1, sizeof(*sets));
    for (size_t i = 0; sets != NULL && i < source->set_count; i++) {
        sets[i] = haft__arena_copy(&agent->arena, haft__str(source->sets[i])).ptr;
        sets = sets[i] != NULL ? sets : NULL;
    }
    if (sets == NULL) {
        return haft__arena_fail(&agent->arena, err);
    }
    haft__sha256_hex(text, agent->file_sha256);
    agent->origin.file = (haft_str){agent->file_sha256, sizeof(agent->file_sha256)};
    agent->origin.sets = sets;
    agent->origin.set_count = source->set_count;
    return HAFT_OK;
}

static haft_status load_file_text(haft_runtime *runtime, const char *path, spec_source *source,
                                  haft_agent **ret_agent, haft_error *err)
{
    haft__arena scratch;
    haft_agent *agent = NULL;
    haft__arena_init(&scratch, 0);
    source->path = haft__file_absolute(&scratch, path);
    haft_status status = source->path.ptr != NULL ? load_source(runtime, source, &agent, err)
                                                  : haft__arena_fail(&scratch, err);
    haft__arena_finish(&scratch);
    if (status == HAFT_OK) {
        status = keep_origin(agent, source->text, source, err);
    }
    if (status == HAFT_OK) {
        *ret_agent = agent;
    } else {
        haft_agent_release(agent);
        haft__error_prepend_location(err, path);
    }
    return status;
}

haft_status haft__agent_load_file(haft_runtime *runtime, const char *path, const char *const *sets,
                                  size_t set_count, haft_agent **ret_agent, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
    spec_source source = {.use = HAFT__SPEC_NEW, .sets = sets, .set_count = set_count};
    haft_status status = haft__file_read(path, &text, err);
    if (status == HAFT_OK) {
        source.text = haft__buf_str(&text);
        status = load_file_text(runtime, path, &source, ret_agent, err);
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft_agent_load(haft_runtime *runtime, const char *path, haft_agent **ret_agent,
                            haft_error *err)
{
    if (runtime == NULL || path == NULL || ret_agent == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a runtime and a path, found NULL");
    }
    return haft__agent_load_file(runtime, path, NULL, 0, ret_agent, err);
}
