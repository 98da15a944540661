/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec_change.c - replaces the spec of a run.
 *
 * The event of a change contains the new spec, names the agent of a handoff, or records the change
 * to the next model of the spec. After that event the run has an agent of the new spec. The old
 * agent is not freed, because earlier state points to its tools and texts. Tests:
 * tests/cli/respec_test.py, tests/cli/handoffs_test.py.
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

/* Saves the position in the script of the previous agent. */
static haft_status save_script(haft_run *run, haft_str agent, haft_error *err)
{
    haft__idle_script *saved = haft__arena_alloc(&run->arena, sizeof(*saved));
    haft_str name = haft__arena_copy(&run->arena, agent);
    if (saved == NULL || name.ptr == NULL) {
        return haft__arena_fail(&run->arena, err);
    }
    *saved = (haft__idle_script){.agent = name, .script = run->script, .next = run->idle_scripts};
    run->idle_scripts = saved;
    return HAFT_OK;
}

/* Advances the new script of an agent to the position in its old script. */
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

/* If the agent had the run before, continues its script at the saved position. */
static haft_status continue_script(haft_run *run, haft_str agent, haft_error *err)
{
    const haft__idle_script *saved = run->idle_scripts; /* the newest first */
    while (saved != NULL && !haft__str_equal(saved->agent, agent)) {
        saved = saved->next;
    }
    if (saved != NULL && !saved->outdated) {
        run->script = saved->script;
        return HAFT_OK;
    }
    haft_status status = haft__script_start(&run->agent->script, &run->arena, &run->script, err);
    if (status == HAFT_OK && saved != NULL) {
        skip_used(&run->script, &saved->script);
    }
    return status;
}

/* Saves the positions in the scripts of all agents, for a run with handoffs. */
static haft_status save_all_scripts(haft_run *run, haft_error *err)
{
    haft_str name = run->agent == run->first_agent ? HAFT__LIT("") : run->agent_name;
    haft_status status = run->agent->scripted ? save_script(run, name, err) : HAFT_OK;
    for (haft__idle_script *one = run->idle_scripts; one != NULL; one = one->next) {
        one->outdated = true;
    }
    return status;
}

static haft_status switch_agent(haft_run *run, haft_agent *agent, uint64_t seq, haft_error *err)
{
    bool handed = run->first_agent != NULL;
    haft_status status = handed ? save_all_scripts(run, err) : HAFT_OK;
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

/* Whether the run may be opened although its agent cannot be used in this process, for example
 * without a key. A cancelled run needs no agent. In other cases the hook may replace the spec. */
static bool may_lack_agent(const haft_run *run)
{
    const haft__run_command *command = run->opening.command;
    return run->runtime->spec_change_hook.check != NULL
           || (command != NULL && command->kind == HAFT__RUN_COMMAND_CANCEL);
}

/* If the parent of the run is open in this process, adds the secrets of the models of the runs
 * above. */
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

/* Loads a spec of an event. Only the last spec is used to continue the run; earlier specs need
 * neither a key nor a script. */
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

/* Another agent of the same spec continues the run. */
static haft_status hand_run_to(haft_run *run, haft_agent *agent, haft_str name, haft_error *err)
{
    haft_agent *first = run->first_agent != NULL ? run->first_agent : run->agent;
    haft_str before = run->agent == first ? HAFT__LIT("") : run->agent_name;
    haft_status status = run->agent->scripted ? save_script(run, before, err) : HAFT_OK;
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
    return status == HAFT_OK ? hand_run_to(run, agent, name, err) : status;
}

/* Asks the next model. The fold has already counted the failed model. */
static haft_status change_model(void *context, haft_error *err)
{
    haft_run *run = context;
    haft_str name = haft__arena_format(&run->arena, "%.*s %u", HAFT__ARG(run->state.agent),
                                       run->state.failed_models);
    return name.ptr != NULL ? hand_run_to(run, run->agent->fallback, name, err)
                            : haft__arena_fail(&run->arena, err);
}

/* Another model writes a summary; then the model of the run continues. */
static haft_status summarise(void *context, bool starts, haft_error *err)
{
    haft_run *run = context;
    if (!starts) {
        haft_agent *agent = run->summarised;
        run->summarised = NULL;
        return hand_run_to(run, agent, run->summarised_name, err);
    }
    haft_str name = haft__arena_format(&run->arena, "%.*s summary", HAFT__ARG(run->state.agent));
    if (name.ptr == NULL) {
        return haft__arena_fail(&run->arena, err);
    }
    run->summarised = run->agent;
    run->summarised_name = run->first_agent == NULL || run->agent == run->first_agent
                               ? HAFT__LIT("")
                               : run->agent_name;
    return hand_run_to(run, run->agent->summariser, name, err);
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

/* Checks the spec of the event. It must not contain a secret, because the event is stored and
 * shown. */
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

/* Makes the spec with the variables of the run's spec restored. An approval does not cover the
 * values of variables, so a call stays the same if the new spec has a value where the old spec has
 * a variable. */
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

/* Fails if the variables that chose the server or the key are missing. Without them, the request
 * would be sent to another server, or without a key. */
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
    bool child = run->state.parent.len > 0; /* the parent's spec contains its spec */
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
