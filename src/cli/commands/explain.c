/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - `haft explain`: why a model sees what it sees, and what it would be asked first.
 *
 * Runs nothing: the first turn is decided as it would be, and its request is written out.
 * Tests: tests/cli/run_test.py.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/config/config.h"
#include "cli/explain/explain_family.h"
#include "cli/explain/forced_turn.h"
#include "cli/explain/tool_report.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "engine/ops/first_turn.h"
#include "io/random.h"
#include "model/provider.h"
#include "run/decide/decide.h"
#include "run/offer/offer.h"
#include "json/write.h"

/* Everything that is told. */
typedef struct explanation {
    const haft__spec *spec;
    haft_str model; /* provider:model */
    haft__first_turn_preview first;
    haft__request request;
    haft__buf prompt; /* the request as JSON */
    haft__forced_turn forced;
} explanation;

static haft_str name_model(haft__arena *arena, const haft__model_spec *model)
{
    haft_str provider = model->provider.len > 0 ? model->provider : HAFT__LIT("offline");
    return haft__arena_format(arena, "%.*s%s%.*s", HAFT__ARG(provider),
                              model->model.len > 0 ? ":" : "", HAFT__ARG(model->model));
}

static haft_status write_prompt(haft__arena *arena, explanation *e, haft_error *err)
{
    const haft__provider *found = haft__provider_for_model(&e->spec->model);
    const haft__provider *provider = found != NULL ? found : haft__provider_compatible();
    haft__provider_request_options options = {.stream = found != NULL,
                                              .serial = e->spec->limits.parallel == 1,
                                              .options = e->spec->model.options};
    haft__provider_conversation *conversation = NULL;
    haft_status status = haft__decide_request(&e->first.run, arena, &e->request, err);
    if (status == HAFT_OK) {
        status = haft__forced_turn_inspect(e->spec, &e->request, arena, &e->forced, err);
    }
    if (e->request.model.len == 0) {
        e->request.model = e->model;
    }
    if (status == HAFT_OK) {
        status = provider->api->create_conversation(provider, &conversation, err);
    }
    if (status == HAFT_OK) {
        status = provider->api->write_request(conversation, &e->request, &options, &e->prompt, err);
    }
    haft__provider_conversation_destroy(conversation);
    return status;
}

static haft_str field(const explanation *e, const char *key)
{
    const haft__json *value = haft__json_get(e->first.turn, haft__str(key));
    return value != NULL ? haft__json_text(*value) : (haft_str){NULL, 0};
}

/* ---- as JSON ---- */

static void add_text(haft__json_writer *w, const char *key, haft_str text)
{
    haft__json_key(w, key);
    haft__json_add_str(w, text);
}

static void add_number(haft__json_writer *w, const char *key, uint64_t number)
{
    haft__json_key(w, key);
    haft__json_add_int(w, (int64_t)number);
}

static void add_limits(haft__json_writer *w, const haft__spec *spec)
{
    const haft__spec_limits *l = &spec->limits;
    haft__json_key(w, "limits");
    haft__json_begin_object(w);
    add_number(w, "turns", l->turns);
    add_number(w, "calls", l->calls);
    add_number(w, "parallel", l->parallel);
    add_text(w, "overflow", haft__str(l->overflow == HAFT__OVERFLOW_QUEUE ? "queue" : "truncate"));
    add_number(w, "observation_chars", l->observation_chars);
    add_number(w, "tokens", l->tokens);
    haft__json_key(w, "usd_micros");
    if (l->has_usd) {
        haft__json_add_int(w, (int64_t)l->usd_micros);
    } else {
        haft__json_add_null(w);
    }
    add_number(w, "wall_ms", l->wall_ms);
    add_number(w, "invalid_calls", l->invalid_calls);
    add_number(w, "reminders", l->reminders);
    add_number(w, "violations", l->violations);
    haft__json_end_object(w);
}

/* What is deferred, and how much of it is shown. */
static void write_deferred(haft__json_writer *w, const haft__first_turn_preview *first)
{
    const haft__spec *spec = first->run.spec;
    const char *why;
    haft__json_key(w, "deferred");
    haft__json_begin_object(w);
    add_number(w, "tools", first->offer.deferred);
    add_number(w, "shown", first->offer.shown);
    add_number(w, "cap", haft__resolve_cap(spec, &why));
    add_text(w, "cap_by", haft__str(why));
    add_number(w, "own_tokens", haft__resolve_tokens(spec));
    add_number(w, "context_tokens", spec->model.context_tokens);
    add_number(w, "share_percent", spec->tools_share);
    haft__json_end_object(w);
}

static void write_json(haft__arena *arena, haft__buf *buf, const explanation *e)
{
    const haft__spec *spec = e->spec;
    const char *why;
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    add_text(&w, "name", spec->name);
    add_text(&w, "spec", spec->hash);
    add_text(&w, "model", e->model);
    haft__explain_family_write(&w, spec);
    haft__json_key(&w, "tools");
    haft__tool_report_write_tools(&w, &e->first);
    haft__json_key(&w, "not_enabled");
    haft__tool_report_write_not_enabled(&w, &e->first);
    if (e->first.listing_count > 0) {
        haft__json_key(&w, "servers");
        haft__tool_report_write_servers(&w, &e->first);
    }
    write_deferred(&w, &e->first);
    add_text(&w, "format", haft__offer_format(spec, &why));
    add_text(&w, "format_reason", haft__str(why));
    haft__forced_turn_write(&w, arena, &e->forced);
    haft__json_key(&w, "first_turn");
    haft__json_add(&w, e->first.turn);
    add_limits(&w, spec);
    add_number(&w, "tokens_estimate", e->prompt.len / HAFT__BYTES_PER_TOKEN);
    haft__json_key(&w, "request");
    haft__buf_add_str(buf, haft__buf_str(&e->prompt));
    w.after_key = false;
    haft__json_end_object(&w);
    haft__buf_add_char(buf, '\n');
}

/* ---- in words ---- */

static void print_text(FILE *out, const explanation *e)
{
    const haft__spec *spec = e->spec;
    const haft__spec_limits *l = &spec->limits;
    const char *why;
    haft_str format = haft__offer_format(spec, &why);
    (void)fprintf(out, "%.*s\n\nmodel\n  ", HAFT__ARG(spec->name));
    haft__print_escaped(out, e->model);
    (void)fputs("\n", out);
    haft__explain_family_print(out, spec);
    (void)fputs("\ntools\n", out);
    haft__tool_report_print_limit(out, &e->first);
    (void)haft__tool_report_print(out, &e->first, HAFT__LIT(""));
    haft__tool_report_print_not_enabled(out, &e->first);
    (void)fprintf(out, "\nformat\n  %.*s: %s\n", HAFT__ARG(format), why);
    haft__forced_turn_print(out, &e->forced);
    (void)fprintf(out, "\nfirst turn\n  %.*s%s%.*s: %.*s\n", HAFT__ARG(field(e, "mode")),
                  field(e, "tool").len > 0 ? " " : "", HAFT__ARG(field(e, "tool")),
                  HAFT__ARG(field(e, "reason")));
    (void)fprintf(out,
                  "\nlimits\n  turns %u, calls %u, parallel %u (%s), observation_chars %u\n"
                  "  tokens %llu, wall %llu ms, invalid_calls %u, reminders %u, violations %u\n",
                  l->turns, l->calls, l->parallel,
                  l->overflow == HAFT__OVERFLOW_QUEUE ? "queue" : "truncate", l->observation_chars,
                  (unsigned long long)l->tokens, (unsigned long long)l->wall_ms, l->invalid_calls,
                  l->reminders, l->violations);
    (void)fprintf(out, "\nrequest (about %zu tokens)\n", e->prompt.len / HAFT__BYTES_PER_TOKEN);
    haft__print_json(out, haft__buf_str(&e->prompt));
    (void)putc('\n', out);
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__hash_key hash_key = haft__random_hash_key();
    explanation e = {0};
    haft__spec_file file;
    haft_status status = haft__spec_file_read(cli, args->words[0], args, &file, err);
    if (status != HAFT_OK || !haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    e.spec = file.spec;
    e.model = name_model(&cli->arena, &file.spec->model);
    if (e.model.ptr == NULL) {
        (void)haft__arena_fail(&cli->arena, err);
        return HAFT__EXIT_FAILED;
    }
    haft__buf_init(&e.prompt, HAFT__LIMIT_RUN_BYTES);
    haft_str task = haft__str(args->word_count > 1 ? args->words[1] : "");
    status = haft__first_turn_decide(&cli->arena, e.spec, task, hash_key, &e.first, err);
    if (status == HAFT_OK) {
        status = write_prompt(&cli->arena, &e, err);
    }
    if (status == HAFT_OK && haft__args_has(args, "json")) {
        haft__buf text;
        haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
        write_json(&cli->arena, &text, &e);
        status = haft__buf_check(&text, err);
        haft__print_json(cli->out, haft__buf_str(&text));
        haft__buf_finish(&text);
    } else if (status == HAFT_OK) {
        print_text(cli->out, &e);
    }
    haft__buf_finish(&e.prompt);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"model", 'm', HAFT__OPTION_TEXT, "M", "provider:model in the place of the spec's"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    HAFT__OPTION_NO_CONFIG,
    {0},
};

static const haft__example examples[] = {
    {"haft explain agent.yaml 'Count the words'", "what the model would be asked first, and why"},
    {0},
};

const haft__command haft__cmd_explain = {
    .name = "explain",
    .usage = "SPEC [TASK]",
    .summary = "say which tools a model would see and what it would be asked, and why",
    .help =
        "Prints what is known of the model's family and what is taken from that, each tool with\n"
        "its verdict and reason, the format of calls, what replies are held to where a tool must\n"
        "be called, the first turn's choice with its reason, all limits, and the request that\n"
        "would be sent.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 2,
    .run = run,
    .object = true,
};
