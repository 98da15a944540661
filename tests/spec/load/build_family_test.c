/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/build_family.c, and for the formats that follow from it. */
#include "spec/spec_help.h"

/* Facts about the model: family, how it was found, formats, native, context, size, opened. */
static haft_str known(const char *text)
{
    loaded f;
    haft__buf buf;
    load_kept(&f, text);
    haft__buf_init(&buf, 1 << 20);
    if (f.spec == NULL) {
        haft__buf_add_str(&buf, f.listing);
        unload(&f);
        return keep(&buf);
    }
    const haft__model_spec *model = &f.spec->model;
    const haft__model_family *family = &model->family;
    haft__buf_addf(&buf, "%.*s|%.*s %.*s|", HAFT__ARG(family->name), HAFT__ARG(family->found_by),
                   HAFT__ARG(family->pattern));
    for (size_t i = 0; i < f.spec->format_count; i++) {
        haft__buf_addf(&buf, "%s%.*s", i > 0 ? " " : "", HAFT__ARG(f.spec->formats[i]));
    }
    haft__buf_addf(&buf, "%s|native %s%s|%llu%s|%.*s%s|%s%s", family->gave_format ? "*" : "",
                   model->native_tools ? "yes" : "no", family->gave_native ? "*" : "",
                   (unsigned long long)model->context_tokens, family->gave_context ? "*" : "",
                   HAFT__ARG(model->size_b), family->gave_size ? "*" : "",
                   model->starts_in_reasoning ? "inside" : "", family->gave_opened ? "*" : "");
    unload(&f);
    return keep(&buf);
}

/* A star marks values from the row. */
static const struct {
    const char *text, *wanted;
} cases[] = {
    /* no row: the usual defaults */
    {"model: openai:my-own-model", "| |native purejson|native yes|0||"},
    {"model: {provider: vllm, model: thing-7b, native_tools: false}",
     "| |native purejson|native no|0|7|"},
    {"model: offline", "| |native purejson|native yes|0||"},
    {"model: script:qwen2.5-7b.yaml", "| |native purejson|native yes|0||"},
    {"model: replay:qwen2.5-7b.jsonl", "| |native purejson|native yes|0||"},
    /* hosted */
    {"model: openai:gpt-4o-mini", "GPT-4o|name ^gpt-4o|native purejson|native yes*|128000*||"},
    {"model: anthropic:claude-opus-4-1",
     "Claude|name ^claude|native anthropic_xml|native yes*|200000*||"},
    {"model: deepseek:deepseek-chat",
     "DeepSeek V3.2|name deepseek-chat|native deepseek_v32|native yes*|131072*|671*|"},
    {"model: openai:gemma-2-9b", "Gemma|name gemma-2|native purejson|native yes*|8192*|9|"},
    /* the server decides about the format */
    {"model: ollama:qwen2.5:7b-instruct",
     "Qwen 2.5|name qwen-2-5|native hermes|native yes*|32768*|7|"},
    {"model: ollama:gemma3:4b", "Gemma 3|name gemma-3|purejson*|native no*|131072*|4|"},
    {"model: llamacpp:gemma-3-4b-it-Q4_K_M.gguf",
     "Gemma 3|name gemma-3|native purejson|native yes*|131072*|4|"},
    {"model: ollama:deepseek-r1:671b",
     "DeepSeek R1|name deepseek-r-1|deepseek_v3 purejson*|native no*|131072*|671|inside*"},
    {"model: ollama:deepseek-r1:8b",
     "DeepSeek R1 Distill|name deepseek-r-1-8b|purejson*|native no*|131072*|8|inside*"},
    {"model: {provider: openai, model: falcon3-7b, base_url: \"http://127.0.0.1:1/v1\"}",
     "Falcon 3|name falcon-3|hermes purejson*|native no*|32768*|7|"},
    {"model: vllm:CohereForAI/c4ai-command-r-v01",
     "Command R|name command-r|purejson*|native no*|131072*|35*|"},
    /* explicit keys take precedence */
    {"model: {provider: ollama, model: \"gemma3:4b\", native_tools: true}",
     "Gemma 3|name gemma-3|native purejson|native yes|131072*|4|"},
    {"model: {provider: ollama, model: \"qwen2.5:7b\", native_tools: false}",
     "Qwen 2.5|name qwen-2-5|hermes purejson*|native no|32768*|7|"},
    {"model: {provider: ollama, model: \"gemma3:4b\", context_tokens: 8192, size_b: 4.3}",
     "Gemma 3|name gemma-3|purejson*|native no*|8192|4.3|"},
    {"model: ollama:gemma3:4b\nformats: [native]",
     "Gemma 3|name gemma-3|native|native no*|131072*|4|"},
    {"model: ollama:deepseek-r1:671b\nformats: {primary: hermes}",
     "DeepSeek R1|name deepseek-r-1|hermes|native no*|131072*|671|inside*"},
    {"model: {provider: ollama, model: qwq, starts_in_reasoning: false, size_b: 33}",
     "QwQ|name qwq|native hermes|native yes*|131072*|33|"},
    {"model: {provider: vllm, model: x, starts_in_reasoning: true}",
     "| |native purejson|native yes|0||inside"},
    /* other ways to find the row */
    {"model: {provider: vllm, model: mine, family: qwen 2.5}",
     "Qwen 2.5|spec |native hermes|native yes*|32768*||"},
    {"model: {provider: ollama, model: gemma3, family: none}", "| |native purejson|native yes|0||"},
    {"model: {provider: ollama, model: gemma3, chat_template: \"<|tool_list_start|>\"}",
     "LFM2|chat_template <|tool_list_start|>|pythonic purejson*|native no*|0||"},
    {"model: {provider: ollama, model: gemma3, chat_template: nothing}",
     "Gemma 3|name gemma-3|purejson*|native no*|131072*||"},
    /* mistakes */
    {"model: {provider: vllm, model: m, family: Qwen 2.6}",
     "1:43: there is no model family \"Qwen 2.6\" (did you mean Qwen 2.5?)"},
    {"model: {provider: vllm, model: m, family: something else}",
     "1:43: there is no model family \"something else\" (docs/local-models.md lists them; write "
     "none for no family)"},
};

TEST(missing_keys_come_from_the_family)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(known(cases[i].text), haft__str(cases[i].wanted), "%s", cases[i].text);
    }
}

TEST(a_family_that_only_its_maker_serves_counts_as_hosted)
{
    static const struct {
        const char *text;
        bool hosted;
    } rows[] = {
        {"model: openai:gpt-5", true},
        {"model: anthropic:claude-opus-4-1", true},
        {"model: openai:gemma-2-9b", false},
        {"model: {provider: vllm, model: mine, family: GPT-5}", true},
        {"model: openai:my-own-model", false},
        {"model: ollama:gpt-oss:20b", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        loaded f;
        load_kept(&f, rows[i].text);
        CHECK_INT(f.spec->model.family.hosted, rows[i].hosted, "%s", rows[i].text);
        unload(&f);
    }
}

TEST(loading_a_family_survives_every_failed_allocation)
{
    haft_str text = HAFT__LIT("model: ollama:deepseek-r1:7b\n");
    haft__spec_options options = {.hash_key = {1, 2}};
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        const haft__spec *spec = NULL;
        haft__spec_report report;
        test_fail_allocation(n);
        haft_status status = haft__spec_load(&arena, text, &options, &spec, &report, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        CHECK(failed || haft__str_equal(spec->model.size_b, HAFT__LIT("7")), "size of the model");
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
