/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec_change.c - runs that continue with another spec than they began with.
 *
 * An event has the new spec, names the agent that gets the run, or says that the next model of the
 * spec is asked. From that event on the run has an agent of the new spec. The old agent is kept,
 * because earlier state points to its tools and texts. Tests: tests/cli/respec_test.py,
 * tests/cli/handoffs_test.py.
 */
#include "engine/spec_change.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "model/conversation.h"
#include "run/redact/redact.h"
#include "run/variables.h"
#include "json/write.h"

/* Upper bound of the bytes in front of an event's body. */
#define ENVELOPE 1024

/* ---- replacing the agent ---- */

/* Advances the new script past the events before `seq`. */
static haft_status restore_script_position(haft_run *run, uint64_t seq, haft_error *err)
{
    haft__arena scratch;
    haft_status status = haft__script_start(&run->agent->script, &run->arena, &run->script, err);
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft__event event = {.seq = 0};
    for (haft_str lines = run->opening.events;
         status == HAFT_OK && lines.len > 0 && event.seq + 1 < seq;) {
        haft__arena_reset(&scratch);
        status = haft__event_read(&scratch, haft__str_split(&lines, '\n'), run->runtime->hash_key,
                                  &event, err);
        if (status == HAFT_OK) {
            haft__run_advance_script(run, &event);
        }
    }
    haft__arena_finish(&scratch);
    return status;
}

/* Keeps the position in the script of the agent that had the run. */
static haft_status keep_script(haft_run *run, haft_str agent, haft_error *err)
{
    haft__idle_script *kept = haft__arena_alloc(&run->arena, sizeof(*kept));
    haft_str name = haft__arena_copy(&run->arena, agent);
    if (kept == NULL || name.ptr == NULL) {
        return haft__arena_fail(&run->arena, err);
    }
    *kept = (haft__idle_script){.agent = name, .script = run->script, .next = run->idle_scripts};
    run->idle_scripts = kept;
    return HAFT_OK;
}

/* Advances the new script of an agent to the position in its old one. */
static void skip_used(haft__script *script, const haft__script *old)
{
    for (size_t i = 0; i < old->next; i++) {
        haft__script_skip_reply(script);
    }
    for (uint32_t i = 0; old->results.kind == HAFT__JSON_OBJECT && i < old->results.count; i++) {
        for (uint32_t used = 0; used < old->results_used[i]; used++) {
            haft__script_skip_result(script, haft__json_text(old->results.members[i].key));
        }
    }
}

/* An agent that gets the run again continues its script. */
static haft_status continue_script(haft_run *run, haft_str agent, haft_error *err)
{
    const haft__idle_script *kept = run->idle_scripts; /* the newest first */
    while (kept != NULL && !haft__str_equal(kept->agent, agent)) {
        kept = kept->next;
    }
    if (kept != NULL && !kept->outdated) {
        run->script = kept->script;
        return HAFT_OK;
    }
    haft_status status = haft__script_start(&run->agent->script, &run->arena, &run->script, err);
    if (status == HAFT_OK && kept != NULL) {
        skip_used(&run->script, &kept->script);
    }
    return status;
}

/* After a handoff, the positions in the scripts are those of several agents. */
static haft_status keep_scripts(haft_run *run, haft_error *err)
{
    haft_str name = run->agent == run->first_agent ? HAFT__LIT("") : run->agent_name;
    haft_status status = run->agent->scripted ? keep_script(run, name, err) : HAFT_OK;
    for (haft__idle_script *one = run->idle_scripts; one != NULL; one = one->next) {
        one->outdated = true;
    }
    return status;
}

static haft_status switch_agent(haft_run *run, haft_agent *agent, uint64_t seq, haft_error *err)
{
    bool handed = run->first_agent != NULL;
    haft_status status = handed ? keep_scripts(run, err) : HAFT_OK;
    agent->previous = handed ? run->first_agent : run->agent;
    agent->origin = agent->previous->origin;
    run->agent = agent;
    run->first_agent = run->summarised = NULL;
    haft__conversation_destroy(run->conversation);
    run->conversation = NULL; /* the next request is to the model of the new spec */
    if (status != HAFT_OK || !agent->scripted) {
        return status;
    }
    return handed ? continue_script(run, HAFT__LIT(""), err)
                  : restore_script_position(run, seq, err);
}

/* Whether the run may be opened although its agent cannot be used here, for example without a key.
 * A cancelled run needs none. The hook may replace the spec; if it does not, the events name all
 * variables that are needed. */
static bool may_lack_agent(const haft_run *run)
{
    const haft__run_command *command = run->opening.command;
    return run->runtime->spec_change_hook.check != NULL
           || (command != NULL && command->kind == HAFT__RUN_COMMAND_CANCEL);
}

/* A run whose parent is open here has the secrets of the models above it. */
static haft_status share_secrets(const haft_run *run, haft_agent *agent, haft_error *err)
{
    haft_str parent = run->state.parent.len > 0 ? run->state.parent : run->opening.row.parent;
    for (const haft_run *other = run->runtime->runs; other != NULL; other = other->next) {
        const haft_agent *above = other->first_agent != NULL ? other->first_agent : other->agent;
        if (parent.len > 0 && above != NULL && haft__str_equal(haft__str(other->id), parent)) {
            return haft__agent_share_secrets(agent, above, err);
        }
    }
    return HAFT_OK;
}

static haft_status load_agent(haft_run *run, haft_str text, haft_str path, haft__spec_use use,
                              haft_agent **ret_agent, haft_error *err)
{
    haft_status status = haft__agent_load_text(run->runtime, text, path, use, ret_agent, err);
    if (status == HAFT_OK && use != HAFT__SPEC_READ_ONLY) {
        status = share_secrets(run, *ret_agent, err);
        if (status != HAFT_OK) {
            haft_agent_release(*ret_agent);
        }
    }
    return status;
}

haft_status haft__spec_change_load_agent(haft_run *run, haft_str text, haft_str path,
                                         haft__spec_use use, haft_agent **ret_agent,
                                         haft_error *err)
{
    haft_status status = load_agent(run, text, path, use, ret_agent, err);
    run->opening.agent_error = (haft_error){0};
    if (status != HAFT_BAD_INPUT || use == HAFT__SPEC_READ_ONLY || !may_lack_agent(run)) {
        return status;
    }
    run->opening.agent_error = *err;
    *err = (haft_error){0};
    status = haft__agent_load_text(run->runtime, text, path, HAFT__SPEC_READ_ONLY, ret_agent, err);
    return status == HAFT_OK ? haft__agent_load_secrets(*ret_agent, err) : status;
}

/* Only the last of several specs is used to continue: the others need neither a key nor a script.
 */
static haft_status load_spec(void *context, haft__json source, uint64_t seq,
                             const haft__spec **ret_spec, haft_error *err)
{
    haft_run *run = context;
    haft_agent *agent = NULL;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, source);
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        bool read_only =
            run->opening.mode == HAFT__OPEN_READ_ONLY || seq < run->opening.last_spec_change_seq;
        status = haft__spec_change_load_agent(run, haft__buf_str(&text), run->agent->spec->path,
                                              read_only ? HAFT__SPEC_READ_ONLY : HAFT__SPEC_STORED,
                                              &agent, err);
    }
    haft__buf_finish(&text);
    if (status == HAFT_OK) {
        *ret_spec = agent->spec;
        status = switch_agent(run, agent, seq, err);
    }
    return status;
}

/* ---- handoffs and other models ---- */

/* Another agent continues the run, within the same spec. */
static haft_status give_run(haft_run *run, haft_agent *agent, haft_str name, haft_error *err)
{
    haft_agent *first = run->first_agent != NULL ? run->first_agent : run->agent;
    haft_str before = run->agent == first ? HAFT__LIT("") : run->agent_name;
    haft_status status = run->agent->scripted ? keep_script(run, before, err) : HAFT_OK;
    if (status != HAFT_OK) {
        return status;
    }
    run->first_agent = first;
    run->agent = agent;
    run->agent_name = haft__arena_copy(&run->arena, name);
    haft__conversation_destroy(run->conversation);
    run->conversation = NULL; /* the next request is to the model of the agent */
    if (run->agent_name.ptr == NULL) {
        return haft__arena_fail(&run->arena, err);
    }
    return agent->scripted ? continue_script(run, name, err) : HAFT_OK;
}

static haft_status hand_off(void *context, haft_str name, haft_error *err)
{
    haft_run *run = context;
    haft_agent *first = run->first_agent != NULL ? run->first_agent : run->agent, *agent = first;
    bool read_only = run->opening.mode == HAFT__OPEN_READ_ONLY;
    haft_status status =
        name.len > 0 ? haft__agent_for_handoff(first, name, read_only, &agent, err) : HAFT_OK;
    return status == HAFT_OK ? give_run(run, agent, name, err) : status;
}

/* The fold has counted the model that failed. */
static haft_status change_model(void *context, haft_error *err)
{
    haft_run *run = context;
    haft_str name = haft__arena_format(&run->arena, "%.*s %u", HAFT__ARG(run->state.agent),
                                       run->state.failed_models);
    return name.ptr != NULL ? give_run(run, run->agent->fallback, name, err)
                            : haft__arena_fail(&run->arena, err);
}

/* Another model writes a summary; then the model of the run continues. */
static haft_status summarise(void *context, bool starts, haft_error *err)
{
    haft_run *run = context;
    if (!starts) {
        haft_agent *agent = run->summarised;
        run->summarised = NULL;
        return give_run(run, agent, run->summarised_name, err);
    }
    haft_str name = haft__arena_format(&run->arena, "%.*s summary", HAFT__ARG(run->state.agent));
    if (name.ptr == NULL) {
        return haft__arena_fail(&run->arena, err);
    }
    run->summarised = run->agent;
    run->summarised_name = run->first_agent == NULL || run->agent == run->first_agent
                               ? HAFT__LIT("")
                               : run->agent_name;
    return give_run(run, run->agent->summariser, name, err);
}

haft__run_specs haft__spec_change_loader(haft_run *run)
{
    return (haft__run_specs){.load = load_spec,
                             .context = run,
                             .hand_off = hand_off,
                             .change_model = change_model,
                             .summarise = summarise};
}

static bool may_be_spec_change(haft_str line)
{
    const haft_str kind = HAFT__LIT("\"kind\":\"spec_changed\"");
    for (; line.len >= kind.len; line = haft__str_skip(line, 1)) {
        if (haft__str_starts_with(line, kind)) {
            return true;
        }
    }
    return false;
}

haft_status haft__spec_change_find_last(const haft_runtime *runtime, haft_str lines,
                                        uint64_t *ret_seq, haft_error *err)
{
    haft__arena scratch;
    haft_status status = HAFT_OK;
    *ret_seq = 0;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    while (status == HAFT_OK && lines.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        if (may_be_spec_change((haft_str){line.ptr, line.len < ENVELOPE ? line.len : ENVELOPE})) {
            haft__arena_reset(&scratch);
            status = haft__event_read(&scratch, line, runtime->hash_key, &event, err);
            if (status == HAFT_OK && event.kind == HAFT__EVENT_SPEC_CHANGED) {
                *ret_seq = event.seq;
            }
        }
    }
    haft__arena_finish(&scratch);
    return status;
}

/* ---- accepting a spec ---- */

/* The event is stored and shown: its spec must not contain a secret. */
static haft_status check_event(haft_runtime *runtime, const haft_agent *agent, haft_error *err)
{
    haft__buf_clear(&runtime->clean);
    bool secrets = haft__redact(agent->redactor, haft__buf_str(&runtime->body), &runtime->clean);
    haft_status status = haft__buf_check(&runtime->clean, err);
    if (status == HAFT_OK && secrets) {
        status = haft__fail(err, HAFT_BAD_INPUT, "",
                            "the new spec contains a secret, which the log would store");
        return haft__hint(err, status, "use a variable instead: ${NAME}");
    }
    if (status == HAFT_OK && runtime->body.len > HAFT__LIMIT_JSON_BYTES - ENVELOPE) {
        status = haft__fail(err, HAFT_TOO_BIG, "", "the new spec is too long for one event");
    }
    return status;
}

/* Writes the event into runtime->body. */
static haft_status write_event(haft_run *run, const haft__spec_replacement *replacement,
                               const haft_agent *agent, const haft_agent *restored, haft_error *err)
{
    haft__buf *body = &run->runtime->body;
    const haft__spec_origin origin = {.file = replacement->file,
                                      .variables = agent->variables.names,
                                      .variable_count = agent->variables.count,
                                      .restored = restored != NULL ? restored->spec : NULL};
    haft__buf_clear(body);
    return haft__input_spec_changed(body, &run->state, agent->spec, &origin, replacement->by,
                                    replacement->changes, err);
}

/* If the person who continues the run gives the value of a variable that this shell lacks, the
 * calls stay the same: the values of variables are not part of an approval. */
static haft_status restore_variables(haft_run *run, const haft_agent *agent,
                                     haft_agent **ret_restored, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__spec_restore_variables(&text, run->state.first_spec->source,
                                                      agent->spec->source, &run->runtime->env, err);
    if (status == HAFT_OK) {
        status = haft__agent_load_text(run->runtime, haft__buf_str(&text), run->agent->spec->path,
                                       HAFT__SPEC_READ_ONLY, ret_restored, err);
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status record_replacement(haft_run *run, const haft__spec_replacement *replacement,
                                      haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft_agent *agent = NULL, *restored = NULL;
    haft_status status = haft__agent_load_text(runtime, replacement->text, run->agent->spec->path,
                                               HAFT__SPEC_NEW, &agent, err);
    if (status == HAFT_OK && replacement->overrides_run) {
        status = restore_variables(run, agent, &restored, err);
    }
    if (status == HAFT_OK) {
        status = write_event(run, replacement, agent, restored, err);
    }
    if (status == HAFT_OK) {
        status = check_event(runtime, agent, err);
    }
    haft_agent_release(restored);
    haft_agent_release(agent);
    if (status != HAFT_OK) {
        return status;
    }
    run->opening.last_spec_change_seq = run->state.seq + 1;
    return haft__log_append(run, haft__runtime_now(runtime), haft__buf_str(&runtime->body), err);
}

/* Without the variables of the base URL or the key, the model would be another server's, or would
 * be asked without a key. */
static haft_status check_variables(const haft_run *run, haft_error *err)
{
    const haft__spec_env *env = &run->runtime->env;
    char names[HAFT__VARIABLES_TEXT];
    size_t count =
        haft__variables_missing(run->state.model_variables, env->get, env->context, names);
    if (count == 0) {
        return HAFT_OK;
    }
    haft_status status = haft__fail(err, HAFT_BAD_INPUT, run->id,
                                    "the run chose its model's server or key by %s, which %s set",
                                    names, count > 1 ? "are not" : "is not");
    return haft__hint(err, status, "set %s, or choose the model again with --model",
                      count > 1 ? "them" : "it");
}

haft_status haft__spec_change_check(haft_run *run, haft_error *err)
{
    const haft__spec_change_hook *hook = &run->runtime->spec_change_hook;
    haft__spec_replacement replacement = {.text = {NULL, 0}};
    bool child = run->state.parent.len > 0; /* its spec is part of its parent's */
    haft_status status = hook->check != NULL && !child
                             ? hook->check(hook->context, run, &replacement, err)
                             : HAFT_OK;
    if (status == HAFT_OK && !replacement.chooses_model) {
        status = check_variables(run, err);
    }
    if (status == HAFT_OK && replacement.text.ptr != NULL) {
        return record_replacement(run, &replacement, err);
    }
    if (status == HAFT_OK && run->opening.agent_error.status != HAFT_OK) {
        *err = run->opening.agent_error;
        haft__error_prepend_location(err, "the run's spec");
        return err->status;
    }
    return status;
}
