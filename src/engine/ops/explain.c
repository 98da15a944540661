/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - see explain.h. Tests: tests/cli/explain_test.py, tests/cli/run_test.py. */
#include "engine/ops/explain.h"

#include "base/limits.h"
#include "base/str.h"
#include "engine/ops/explain_family.h"
#include "engine/ops/tool_report.h"
#include "model/conversation.h"
#include "model/model_options.h"
#include "model/provider.h"
#include "prompt/memory.h"
#include "run/decide/decide.h"
#include "run/offer/offer.h"
#include "run/prices.h"
#include "json/object.h"

/* Adds the members that the server is known to reject with these texts. */
static void add_refused(haft__explanation *e, const haft__member_texts *texts)
{
    for (size_t i = 0; i < HAFT__MEMBER_COUNT; i++) {
        const haft__refusal *found =
            haft__refusals_find(e->refusals, (haft__member)i, texts, e->now_ms);
        if (found != NULL) {
            e->refused |= HAFT__MEMBER_BIT(i);
            e->refused_statuses[i] = found->status;
        }
    }
}

/* Writes the first request without the members that the server is known to reject. Folds a refusal
 * for each such member and decides the request again, as a run does. */
static haft_status write_request(haft__arena *arena, haft__explanation *e,
                                 const haft__provider *provider, haft__hash_key hash_key,
                                 haft_error *err)
{
    haft__provider_request_options options = {.stream = e->members != NULL,
                                              .serial = e->spec->limits.parallel == 1,
                                              .options = e->spec->model.options,
                                              .sent = &e->sent};
    const haft__optional_member *refused = NULL;
    haft_status status = HAFT_OK;
    do {
        haft__provider_conversation *conversation = NULL;
        if (refused != NULL) {
            status = haft__first_turn_refuse(arena, &e->preview, refused,
                                             e->refused_statuses[refused->member], hash_key, err);
        }
        if (status == HAFT_OK) {
            status = haft__decide_request(&e->preview.run, arena, &e->request, err);
        }
        if (e->request.model.len == 0) {
            e->request.model = e->model;
        }
        options.without = e->preview.run.refused;
        e->sent = haft__member_of_constraint(&e->request);
        haft__buf_clear(&e->prompt);
        if (status == HAFT_OK) {
            status = haft__conversation_create(provider, &conversation, err);
        }
        if (status == HAFT_OK) {
            status = haft__conversation_write(conversation, &e->request, &options, &e->prompt, err);
        }
        if (status == HAFT_OK) {
            haft__member_texts texts = haft__member_texts_of(
                &e->request, haft__conversation_tools(conversation, &e->request));
            add_refused(e, &texts);
        }
        haft__conversation_destroy(conversation);
        refused =
            status == HAFT_OK && e->members != NULL
                ? haft__member_find_row(e->members, e->refused & e->sent & ~e->preview.run.refused)
                : NULL;
    } while (refused != NULL);
    return status;
}

static haft_status write_prompt(haft__arena *arena, haft__explanation *e, haft__hash_key hash_key,
                                haft_error *err)
{
    const haft__provider *found = haft__provider_for_model(&e->spec->model);
    const haft__provider *provider = found != NULL ? found : haft__provider_compatible();
    e->members = found != NULL ? found->api->optional_members : NULL;
    haft_status status = write_request(arena, e, provider, hash_key, err);
    if (status == HAFT_OK) {
        status = haft__forced_turn_inspect(e->spec, &e->request, e->refusals, e->now_ms, arena,
                                           &e->forced, err);
    }
    if (status == HAFT_OK) {
        status = haft__declaration_report_read(e->spec, &e->request, arena, &e->declared, err);
    }
    e->context = haft__context_report_read(&e->preview.run);
    return status;
}

haft_status haft__explain(haft__arena *arena, const haft__spec *spec, haft_str task,
                          const haft__refusals *refusals, uint64_t now_ms, haft__hash_key hash_key,
                          haft__explanation *ret_explanation, haft_error *err)
{
    haft__explanation *e = ret_explanation;
    *e = (haft__explanation){.spec = spec,
                             .model = haft__provider_name_model(arena, &spec->model),
                             .refusals = refusals,
                             .now_ms = now_ms};
    haft__buf_init(&e->prompt, HAFT__LIMIT_RUN_BYTES);
    if (e->model.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = haft__first_turn_decide(arena, spec, task, hash_key, &e->preview, err);
    return status == HAFT_OK ? write_prompt(arena, e, hash_key, err) : status;
}

void haft__explain_finish(haft__explanation *explanation)
{
    haft__buf_finish(&explanation->prompt);
}

/* ---- as JSON ---- */

static void add_limits(haft__json_writer *w, const haft__spec *spec)
{
    const haft__spec_limits *l = &spec->limits;
    haft__json_key(w, "limits");
    haft__json_begin_object(w);
    haft__field_number(w, "turns", l->turns);
    haft__field_number(w, "calls", l->calls);
    haft__field_number(w, "parallel", l->parallel);
    haft__field_text(w, "overflow",
                     haft__str(l->overflow == HAFT__OVERFLOW_QUEUE ? "queue" : "truncate"));
    haft__field_number(w, "observation_chars", l->observation_chars);
    haft__field_number(w, "tokens", l->tokens);
    haft__json_key(w, "usd_micros");
    if (l->has_usd) {
        haft__json_add_int(w, (int64_t)l->usd_micros);
    } else {
        haft__json_add_null(w);
    }
    haft__field_number(w, "wall_ms", l->wall_ms);
    haft__field_number(w, "invalid_calls", l->invalid_calls);
    haft__field_number(w, "reminders", l->reminders);
    haft__field_number(w, "violations", l->violations);
    haft__json_key(w, "repeats");
    haft__json_begin_object(w);
    haft__field_number(w, "hint", l->repeats.hint);
    haft__field_number(w, "refuse", l->repeats.refuse);
    haft__field_number(w, "end", l->repeats.end);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

/* Writes choice.evidence_first: the budget, and the cost of a call of each offered data tool. */
static void write_evidence(haft__json_writer *w, const haft__explanation *e)
{
    const haft__spec *spec = e->spec;
    haft__json_key(w, "evidence_first");
    if (!spec->choice.evidence_first) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__field_number(w, "cost_budget", spec->choice.cost_budget);
    haft__json_key(w, "costs");
    haft__json_begin_object(w);
    for (size_t i = 0; i < spec->tools.count; i++) {
        const haft__tool *tool = spec->tools.items[i];
        if (tool->role == HAFT__ROLE_DATA) {
            haft__json_key_str(w, tool->name);
            haft__json_add_int(w, haft__evidence_cost(tool->traits.cost));
        }
    }
    haft__json_end_object(w);
    haft__json_end_object(w);
}

/* Writes the price of the model and its source; null if the price is unknown. */
static void write_price(haft__json_writer *w, const haft__price *price)
{
    haft__json_key(w, "price");
    if (!price->known) {
        haft__json_add_null(w);
        return;
    }
    haft__json_begin_object(w);
    haft__price_write(w, price);
    haft__field_string(w, "from", haft__price_source_name(price->source));
    haft__json_end_object(w);
}

/* Writes the models that are asked if the first model fails. Writes nothing if there are no such
 * models. */
static void write_fallbacks(haft__json_writer *w, haft__arena *arena, const haft__spec *spec)
{
    if (spec->fallback == NULL) {
        return;
    }
    haft__json_key(w, "fallback_models");
    haft__json_begin_array(w);
    for (spec = spec->fallback; spec != NULL; spec = spec->fallback) {
        haft__json_add_str(w, haft__provider_name_model(arena, &spec->model));
    }
    haft__json_end_array(w);
}

/* Writes the number of deferred tools and the number of these tools that are shown. */
static void write_deferred(haft__json_writer *w, const haft__first_turn_preview *preview)
{
    const haft__spec *spec = preview->run.spec;
    const char *why;
    haft__json_key(w, "deferred");
    haft__json_begin_object(w);
    haft__field_number(w, "tools", preview->offer.deferred);
    haft__field_number(w, "shown", preview->offer.shown);
    haft__field_number(w, "cap", haft__resolve_cap(spec, &why));
    haft__field_text(w, "cap_by", haft__str(why));
    haft__field_number(w, "own_tokens", haft__resolve_tokens(spec));
    haft__field_number(w, "context_tokens", spec->model.context_tokens);
    haft__field_number(w, "share_percent", spec->tools_share);
    haft__field_string(w, "reveal", haft__deferral_text(haft__offer_deferral(spec, &preview->run)));
    haft__json_end_object(w);
}

/* Writes the members that the request omits if the server rejects them. */
static void write_members(haft__json_writer *w, const haft__explanation *e)
{
    haft__json_key(w, "optional_members");
    haft__json_begin_array(w);
    const haft__optional_member *row =
        e->members != NULL ? haft__member_find_row(e->members, e->sent) : NULL;
    for (; row != NULL; row = haft__member_next_row(e->members, row, e->sent)) {
        haft__json_add_str(w, haft__str(row->name));
    }
    haft__json_end_array(w);
}

/* Writes the members that the request omits because the server is known to reject them. Writes
 * nothing if there are no such members. */
static void write_refused(haft__json_writer *w, const haft__explanation *e)
{
    const haft__optional_member *row =
        e->members != NULL ? haft__member_find_row(e->members, e->refused) : NULL;
    if (row == NULL) {
        return;
    }
    haft__json_key(w, "refused_members");
    haft__json_begin_array(w);
    for (; row != NULL; row = haft__member_next_row(e->members, row, e->refused)) {
        haft__json_begin_object(w);
        haft__field_text(w, "member", haft__str(row->name));
        haft__field_number(w, "status", e->refused_statuses[row->member]);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

const char *haft__explain_why_unsent(const haft__explanation *e, haft_str option)
{
    const haft__model_spec *model = &e->spec->model;
    const haft__provider *provider = haft__provider_for_model(model);
    return provider != NULL
               ? haft__model_options_why_unsent(provider, model->model, model->options, option)
               : NULL;
}

/* Writes the options of the spec that are not sent. Writes nothing if all options are sent. */
static void write_unsent(haft__json_writer *w, const haft__explanation *e)
{
    haft__json options = e->spec->model.options;
    bool open = false;
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        haft_str key = haft__json_text(options.members[i].key);
        const char *why = haft__explain_why_unsent(e, key);
        if (why != NULL && !open) {
            haft__json_key(w, "unsent_options");
            haft__json_begin_array(w);
            open = true;
        }
        if (why != NULL) {
            haft__json_begin_object(w);
            haft__field_text(w, "option", key);
            haft__field_string(w, "reason", why);
            haft__json_end_object(w);
        }
    }
    if (open) {
        haft__json_end_array(w);
    }
}

static void write_skills(haft__json_writer *w, const haft__spec *spec)
{
    if (spec->skill_count == 0) {
        return;
    }
    haft__json_key(w, "skills");
    haft__json_begin_array(w);
    for (size_t i = 0; i < spec->skill_count; i++) {
        const haft__skill *skill = &spec->skills[i];
        haft__json_begin_object(w);
        haft__field_text(w, "name", skill->name);
        haft__field_text(w, "folder", skill->folder);
        haft__field_text(w, "sha256", skill->sha256);
        haft__field_value(w, "allowed_tools", skill->allowed);
        haft__field_text_or_null(w, "replaces", skill->replaces);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

void haft__explain_write(haft__arena *arena, haft__buf *buf, const haft__explanation *e)
{
    const haft__spec *spec = e->spec;
    const char *why;
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "name", spec->name);
    haft__field_text(&w, "spec", spec->hash);
    haft__field_text(&w, "model", e->model);
    write_price(&w, &spec->model.price);
    write_fallbacks(&w, arena, e->spec);
    haft__explain_family_write(&w, spec);
    haft__json_key(&w, "tools");
    haft__tool_report_write_tools(&w, &e->preview);
    haft__json_key(&w, "not_enabled");
    haft__tool_report_write_not_enabled(&w, &e->preview);
    if (e->preview.listing_count > 0) {
        haft__json_key(&w, "servers");
        haft__tool_report_write_servers(&w, &e->preview);
    }
    write_deferred(&w, &e->preview);
    haft__declaration_report_write(&w, &e->declared);
    haft__field_text(&w, "format", haft__offer_format(spec, &why));
    haft__field_text(&w, "format_reason", haft__str(why));
    haft__forced_turn_write(&w, arena, &e->forced);
    haft__field_value(&w, "first_turn", e->preview.turn);
    write_evidence(&w, e);
    add_limits(&w, spec);
    haft__memory_write(&w, spec);
    write_skills(&w, spec);
    haft__context_report_write(&w, arena, &e->context, spec);
    haft__field_number(&w, "tokens_estimate", e->prompt.len / HAFT__BYTES_PER_TOKEN);
    write_members(&w, e);
    write_refused(&w, e);
    write_unsent(&w, e);
    haft__json_key(&w, "request");
    haft__buf_add_str(buf, haft__buf_str(&e->prompt));
    w.after_key = false;
    haft__json_end_object(&w);
    haft__buf_add_char(buf, '\n');
}
