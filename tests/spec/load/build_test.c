/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/build.c: models, limits, and that defaults equal those of the schema. */
#include "spec/spec_help.h"
#include "tool/duration.h"
#include "json/number.h"
#include "json/pointer.h"
#include "json/read.h"

TEST(missing_keys_have_their_defaults)
{
    loaded f;
    load(&f, "name: x\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    const haft__spec *spec = f.spec;
    CHECK_INT(spec->kind, HAFT__SPEC_AGENT, "kind of the spec");
    CHECK_STR(spec->model.provider, HAFT__LIT("offline"), "provider of the model");
    CHECK(spec->model.native_tools && spec->model.price.known, "native tools and a known price");
    CHECK_INT(spec->model.constraint, HAFT__CONSTRAIN_AUTO, "constraint");
    CHECK_STR(spec->root, HAFT__LIT("."), "root");
    CHECK_STR(spec->multitask, HAFT__LIT("enqueue"), "multitask");
    CHECK_INT(spec->choice.min_tools_for_auto, 5, "threshold of the gate");
    CHECK(!spec->choice.gate && !spec->limits.has_usd, "gate and cost limit are off");
    CHECK_INT(spec->format_count, 2, "number of formats");
    CHECK_STR(spec->formats[0], HAFT__LIT("native"), "the first format");
    CHECK_INT(spec->plan.kind, HAFT__JSON_NULL, "plan");
    CHECK_INT(spec->hash.len, 64, "hash");
    unload(&f);
}

/* The loader fills in the `default` of every limit in haft.schema.json. */
TEST(defaults_are_those_of_the_schema)
{
    loaded f;
    load(&f, "model: offline\n");
    const haft__spec_limits *limits = &f.spec->limits;
    const struct {
        const char *key;
        uint64_t found;
    } numbers[] = {
        {"turns", limits->turns},         {"calls", limits->calls},
        {"parallel", limits->parallel},   {"observation_chars", limits->observation_chars},
        {"tokens", limits->tokens},       {"invalid_calls", limits->invalid_calls},
        {"reminders", limits->reminders}, {"violations", limits->violations},
    };
    haft__json schema;
    CHECK_INT(haft__json_read(&f.arena, haft__spec_schema_text(), NULL, &schema, NULL, NULL),
              HAFT_OK, "the schema is JSON");
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char pointer[80];
        (void)snprintf(pointer, sizeof(pointer), "/$defs/limits/properties/%s/default",
                       numbers[i].key);
        const haft__json *value = haft__pointer_get(&schema, haft__str(pointer));
        int64_t number = -1;
        CHECK(value != NULL && haft__number_to_int64(haft__json_text(*value), &number), "%s",
              pointer);
        CHECK_INT(numbers[i].found, number, "%s", numbers[i].key);
    }
    uint64_t wall = 0;
    const haft__json *value =
        haft__pointer_get(&schema, HAFT__LIT("/$defs/limits/properties/wall/default"));
    CHECK(value != NULL && haft__duration_read(*value, &wall, NULL) == HAFT_OK,
          "the schema has a default for wall");
    CHECK_INT(limits->wall_ms, wall, "default of wall");
    uint64_t wait = 0;
    value = haft__pointer_get(&schema, HAFT__LIT("/$defs/embeddings/properties/timeout/default"));
    CHECK(value != NULL && haft__duration_read(*value, &wait, NULL) == HAFT_OK,
          "the schema has a default for timeout");
    CHECK_INT(wait, HAFT__LIMIT_EMBED_QUERY_MS, "default of embeddings.timeout in the schema");
    CHECK_INT(f.spec->embeddings.timeout_ms, HAFT__LIMIT_EMBED_QUERY_MS,
              "default of embeddings.timeout in the spec");
    CHECK_INT(f.spec->embeddings.base_url.len, 0, "no embeddings");
    CHECK_INT(HAFT__LIMIT_EMBED_QUERY_MAX_MS, 60000, "check_test.c tests this value and one more");
    unload(&f);
}

/* The size of the spec's own tools: names, descriptions and schemas. The limit is their share of
 * the context, unless the spec sets another; resolve_test.c tests the share at the limit and past
 * it. */
TEST(the_size_of_the_specs_own_tools_is_counted)
{
    loaded f;
    load(&f, "haft: 1\nname: n\nmodel: {provider: openai, model: m, context_tokens: 1000}\n"
             "tools:\n  - builtin: [grep]\n"
             "  - {name: one, description: Counts the words of a text., input_schema: {type: "
             "object}, command: "
             "[x]}\n"
             "  - {name: two, description: Counts the words of a text., input_schema: {type: "
             "object}, command: "
             "[x]}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_INT(f.spec->definition_bytes,
              2
                  * (strlen("one") + strlen("Counts the words of a text.")
                     + strlen("{\"type\":\"object\"}")),
              "bytes of the definitions");
    CHECK_INT(f.spec->tools_share, HAFT__LIMIT_TOOL_SHARE_PERCENT, "default share");
    unload(&f);
}

TEST(every_key_is_loaded)
{
    loaded f;
    load_kept(
        &f, "haft: 1\nkind: workflow\nname: n\ndescription: d\ninstructions: i\n"
            "model: {provider: openai, model: m, base_url: u, api_key_env: K, size_b: 7.5, "
            "native_tools: false, constraint: grammar, price: {input: 0.25, output: 2, cached: "
            "2.5e-2}, options: "
            "{temperature: 0}}\n"
            "plan: {a: 1}\nroot: docs\non_unknown: retry\nhistory: transcript\n"
            "max_mcp_tools: 7\nmax_tools_share: 25\nmultitask: reject\n"
            "tool_search: {embeddings: {base_url: e, model: v, api_key_env: E, query_prefix: 'q: "
            "', document_prefix: 'd: ', timeout: 250ms}}\n"
            "phases: [{name: p, tools: [glob, grep]}]\n"
            "builtins: {enabled: [glob, grep, complete_workflow, tool_search], allow: [\"*\"], "
            "deny: [read, "
            "execute_sql]}\n"
            "limits: {turns: 3, calls: 9, parallel: 2, overflow: truncate, observation_chars: 10, "
            "tokens: 5000000000, usd: 0.5, wall: 90, invalid_calls: 1, reminders: 0, violations: "
            "4}\n"
            "approvals: [{tools: [glob], traits: [destructive], when: {at: /pattern, op: eq, "
            "value: x}, deadline: 24h, on_expire: {answer: no}}, {tools: [grep]}]\n"
            "databases: {d: {url: \"sqlite:x\"}}\nmcp: {servers: {s: {command: [x]}}}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    const haft__spec *spec = f.spec;
    CHECK_INT(spec->kind, HAFT__SPEC_WORKFLOW, "kind of the spec");
    CHECK_STR(spec->name, HAFT__LIT("n"), "name");
    CHECK_STR(spec->description, HAFT__LIT("d"), "description");
    CHECK_STR(spec->instructions, HAFT__LIT("i"), "instructions");
    CHECK_STR(spec->model.provider, HAFT__LIT("openai"), "provider");
    CHECK_STR(spec->model.model, HAFT__LIT("m"), "model");
    CHECK_STR(spec->model.base_url, HAFT__LIT("u"), "base_url");
    CHECK_STR(spec->model.api_key_env, HAFT__LIT("K"), "api_key_env");
    CHECK_STR(spec->model.size_b, HAFT__LIT("7.5"), "size_b");
    CHECK(!spec->model.native_tools && spec->model.price.known,
          "no native tools, and a known price");
    CHECK_INT(spec->model.constraint, HAFT__CONSTRAIN_GRAMMAR, "constraint");
    CHECK_INT(spec->model.price.input, 250000, "price.input");
    CHECK_INT(spec->model.price.output, 2000000, "price.output");
    CHECK_INT(spec->model.price.cached, 25000, "price.cached");
    CHECK_INT(spec->model.options.count, 1, "options");
    CHECK_INT(spec->plan.count, 1, "plan");
    CHECK_STR(spec->root, HAFT__LIT("docs"), "root");
    CHECK_INT(spec->on_unknown, HAFT__ON_UNKNOWN_RETRY, "on_unknown");
    CHECK(spec->on_unknown_given, "on_unknown is given");
    CHECK_INT(spec->history, HAFT__HISTORY_TRANSCRIPT, "history");
    CHECK_INT(spec->max_mcp_tools, 7, "max_mcp_tools");
    CHECK_INT(spec->tools_share, 25, "max_tools_share");
    CHECK_STR(spec->embeddings.base_url, HAFT__LIT("e"), "embeddings.base_url");
    CHECK_STR(spec->embeddings.model, HAFT__LIT("v"), "embeddings.model");
    CHECK_STR(spec->embeddings.api_key_env, HAFT__LIT("E"), "embeddings.api_key_env");
    CHECK_STR(spec->embeddings.query_prefix, HAFT__LIT("q: "), "query_prefix");
    CHECK_STR(spec->embeddings.document_prefix, HAFT__LIT("d: "), "document_prefix");
    CHECK_INT(spec->embeddings.timeout_ms, 250, "embeddings.timeout");
    CHECK_INT(spec->definition_bytes, 0, "built-ins do not count");
    CHECK_STR(spec->multitask, HAFT__LIT("reject"), "multitask");
    CHECK_INT(spec->phase_count, 1, "phases");
    CHECK_STR(spec->phases[0].name, HAFT__LIT("p"), "name of the phase");
    CHECK_STR(spec->phases[0].tools[1], HAFT__LIT("grep"), "second tool of the phase");
    CHECK_INT(spec->builtin_allow_count, 1, "builtins.allow");
    CHECK_STR(spec->builtin_deny[0], HAFT__LIT("read"), "builtins.deny");
    CHECK(spec->choice.gate, "a workflow has a gate");
    const haft__spec_limits *limits = &spec->limits;
    CHECK(limits->turns == 3 && limits->calls == 9 && limits->parallel == 2
              && limits->overflow == HAFT__OVERFLOW_TRUNCATE && limits->observation_chars == 10
              && limits->tokens == 5000000000 && limits->has_usd && limits->usd_micros == 500000
              && limits->wall_ms == 90000 && limits->invalid_calls == 1 && limits->reminders == 0
              && limits->violations == 4,
          "limits");
    CHECK_INT(spec->approval_count, 2, "approvals");
    CHECK_STR(spec->approvals[0].traits[0], HAFT__LIT("destructive"), "approvals: traits");
    CHECK_INT(spec->approvals[0].when.count, 3, "approvals: when");
    CHECK_INT(spec->approvals[0].deadline_ms, 86400000, "approvals: deadline");
    CHECK_INT(spec->approvals[0].on_expire.kind, HAFT__JSON_OBJECT, "approvals: on_expire");
    CHECK_STR(haft__json_text(spec->approvals[1].on_expire), HAFT__LIT("fail"),
              "approvals: default of on_expire");
    CHECK_INT(spec->database_count, 1, "databases");
    CHECK_INT(spec->mcp.count, 1, "mcp");
    unload(&f);
}

static const struct {
    const char *text, *provider, *model;
} models[] = {
    {"offline", "offline", ""},
    {"openai:gpt-5.4-mini", "openai", "gpt-5.4-mini"},
    {"ollama:qwen3:8b", "ollama", "qwen3:8b"},
    {"script:a/b.yaml", "script", "a/b.yaml"},
    {"replay:x.jsonl", "replay", "x.jsonl"},
    {"{provider: llamacpp, model: x, base_url: \"http://localhost:8080\"}", "llamacpp", "x"},
};

TEST(model_can_be_a_string)
{
    for (size_t i = 0; i < COUNT(models); i++) {
        char text[128];
        (void)snprintf(text, sizeof(text), "model: %s\n", models[i].text);
        loaded f;
        load(&f, text);
        CHECK_STR(f.listing, HAFT__LIT(""), "%s", text);
        CHECK_STR(f.spec->model.provider, haft__str(models[i].provider), "%s", text);
        CHECK_STR(f.spec->model.model, haft__str(models[i].model), "%s", text);
        unload(&f);
    }
}

static const problem_case cases[] = {
    {"model: {model: x}\n", "1:8: the key \"provider\" is missing"},
    {"limits: {usd: 0.0000001}\n",
     "1:15: found 0.0000001 dollars, expected at most 6 digits after the decimal point"},
    {"limits: {usd: 0.1234567}\n",
     "1:15: found 0.1234567 dollars, expected at most 6 digits after the decimal point"},
    {"limits: {wall: 0.0001ms}\n", "1:16: '0.0001ms' is not a whole number of milliseconds"},
    {"limits: {usd: 1}\nmodel: {provider: openai, model: x}\n",
     "1:10: there is a limit in dollars, but the price of the model is not known (write model: "
     "{provider: openai, model: x, price: {input: .., output: ..}})"},
    {"limits: {usd: 1}\nmodel: script:x\n", ""},
};

TEST(invalid_models_and_limits_are_rejected)
{
    check_problems(cases, COUNT(cases));
}

static bool find_price(const void *context, const haft__model_spec *model, haft__price *ret_price)
{
    (void)context;
    *ret_price =
        (haft__price){.input = 1, .output = 2, .cached = 3, .source = HAFT__PRICE_OF_SETTINGS};
    return haft__str_equal(model->provider, HAFT__LIT("openai"))
           && haft__str_equal(model->model, HAFT__LIT("known"));
}

TEST(program_can_supply_prices)
{
    haft__spec_options options = {.hash_key = {1, 2}, .find_price = find_price};
    loaded f;
    load_with(&f, HAFT__LIT("limits: {usd: 1}\nmodel: openai:known\n"), &options);
    CHECK(f.spec != NULL && f.spec->model.price.known && f.spec->model.price.output == 2
              && f.spec->model.price.source == HAFT__PRICE_OF_SETTINGS,
          "a price of the program");
    unload(&f);
    load_with(&f,
              HAFT__LIT("limits: {usd: 1}\nmodel: {provider: openai, model: known, price: {input: "
                        "7, output: 8}}\n"),
              &options);
    CHECK(f.spec != NULL && f.spec->model.price.output == 8000000
              && f.spec->model.price.source == HAFT__PRICE_OF_SPEC,
          "the price of the spec takes precedence");
    unload(&f);
    load_with(&f, HAFT__LIT("limits: {usd: 1}\nmodel: openai:other\n"), &options);
    CHECK_INT(f.report.errors, 1, "a model without a price");
    unload(&f);
    options.kept = true;
    load_with(
        &f,
        HAFT__LIT("limits: {usd: 1}\nmodel: openai:other\nagents: {a: {model: openai:other}}\n"
                  "handoffs: [a]\ntools: [{name: t, agent: a, description: d}]\n"),
        &options);
    CHECK_INT(f.report.errors, 0, "the log of a run that has begun has the prices");
    unload(&f);
}
