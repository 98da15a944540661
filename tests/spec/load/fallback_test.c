/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/build_provider.c: the models of a spec after the first. */
#include "base/limits.h"
#include "base/str.h"
#include "model/provider.h"
#include "run/handoff/handoff.h"
#include "spec/spec_help.h"

_Static_assert(HAFT__LIMIT_SPEC_MODELS == 8, "two rows have as many models, and one more");

static const problem_case cases[] = {
    {"models: [offline]\n", ""},
    {"models: ['openai:a', {provider: anthropic, model: b}, offline]\n", ""},
    {"models: []\n", "1:9: expected at least 1 item, found 0"},
    {"models: openai:a\n", "1:9: expected array, found string \"openai:a\""},
    {"models: [offline, offline, offline, offline, offline, offline, offline, offline]\n", ""},
    {"models: [offline, offline, offline, offline, offline, offline, offline, offline, offline]\n",
     "1:9: expected at most 8 items, found 9"},
    {"model: openai:a\nmodels: ['openai:b']\n",
     "2:1: found both model and models, expected one of them (write the first model only into "
     "models)"},
    {"model: openai:a\nmodels: ['openai:a', offline]\n", ""},
    {"models: ['opnai:a', 'openai:']\n",
     "1:10: there is no provider \"opnai\" (did you mean openai?)\n1:21: the model \"openai\" has "
     "no name (write provider:model, such as openai:gpt-5.4-mini)"},
    {"models: [offline, {provider: openai, model: b, timeouts: {idle: 0}}]\n",
     "1:65: expected a time above 0"},
    {"models: [offline, 'anthropic:b']\nlimits: {usd: 1}\n",
     "2:15: with models[1]: there is a limit in dollars, but the price of the model is not known "
     "(write model: {provider: anthropic, model: b, price: {input: .., output: ..}})"},
    /* The problem does not depend on the model: it is reported once. */
    {"models: [offline, 'openai:a', 'openai:b']\nlimits: {turns: 0}\n",
     "2:17: expected a number of at least 1, found 0"},
};

TEST(each_model_is_checked)
{
    check_problems(cases, COUNT(cases));
}

/* "provider:model" of the spec and of its fallbacks. */
static haft_str list_models(const haft__spec *spec)
{
    haft__buf buf;
    haft__arena arena;
    haft__buf_init(&buf, 1 << 12);
    haft__arena_init(&arena, 0);
    for (; spec != NULL; spec = spec->fallback) {
        haft_str name = haft__provider_name_model(&arena, &spec->model);
        haft__buf_addf(&buf, "%s%.*s", buf.len > 0 ? " " : "", HAFT__ARG(name));
    }
    haft__arena_finish(&arena);
    return keep(&buf);
}

TEST(a_fallback_is_the_same_spec_with_another_model)
{
    loaded f;
    load(&f, "models: ['openai:a', 'ollama:qwen3:8b', offline]\n"
             "tools: [{builtin: [glob, read]}]\n");
    CHECK_STR(list_models(f.spec), HAFT__LIT("openai:a ollama:qwen3:8b offline"), "in order");
    const haft__spec *next = f.spec->fallback;
    CHECK_STR(next->hash, f.spec->hash, "the hash of the spec");
    CHECK(next->tools.items == f.spec->tools.items, "the tools of the spec");
    CHECK(next->model.family.name.len > 0 && f.spec->model.family.name.len == 0, "its own family");
    unload(&f);
}

TEST(a_stored_spec_has_the_same_models)
{
    loaded first, again;
    load(&first, "models: ['openai:a', 'openai:b']\n");
    haft__buf text;
    haft__buf_init(&text, 1 << 16);
    haft__json_write(&text, first.spec->source);
    load(&again, keep(&text).ptr);
    CHECK_STR(again.spec->hash, first.spec->hash, "the same hash");
    CHECK_STR(list_models(again.spec), HAFT__LIT("openai:a openai:b"), "the same models");
    unload(&first);
    unload(&again);
}

TEST(an_agent_has_the_models_of_the_spec_unless_it_names_others)
{
    loaded f;
    load(&f, "models: ['openai:a', 'openai:b']\n"
             "handoffs: [same, one, own]\n"
             "agents:\n"
             "  same: {haft: 1, name: x, description: Finds a fact.}\n"
             "  one: {haft: 1, name: x, description: Finds a fact., model: 'openai:c'}\n"
             "  own: {haft: 1, name: x, description: Finds a fact., models: ['openai:d', "
             "'openai:e']}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_STR(list_models(haft__spec_find_agent(f.spec, HAFT__LIT("same"))),
              HAFT__LIT("openai:a openai:b"), "the models of the spec");
    CHECK_STR(list_models(haft__spec_find_agent(f.spec, HAFT__LIT("one"))), HAFT__LIT("openai:c"),
              "its own model");
    CHECK_STR(list_models(haft__spec_find_agent(f.spec, HAFT__LIT("own"))),
              HAFT__LIT("openai:d openai:e"), "its own models");
    unload(&f);
}

TEST(another_model_replaces_all_of_them)
{
    loaded f;
    haft__spec_options options = {
        .hash_key = {1, 2}, .model = "openai:z", .model_always = true, .model_from = "--model"};
    load_with(&f, HAFT__LIT("models: ['openai:a', 'openai:b']\n"), &options);
    CHECK_STR(list_models(f.spec), HAFT__LIT("openai:z"), "only that one");
    unload(&f);
    options.model_always = false;
    load_with(&f, HAFT__LIT("models: ['openai:a', 'openai:b']\n"), &options);
    CHECK_STR(list_models(f.spec), HAFT__LIT("openai:a openai:b"), "a default is not used");
    unload(&f);
}
