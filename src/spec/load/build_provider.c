/* SPDX-License-Identifier: Apache-2.0 */
/* build_provider.c - checks the provider of a spec's model, suggests a missing provider, and loads
 * the fallback models. Tests: tests/spec/load/build_provider_test.c,
 * tests/spec/load/fallback_test.c. */
#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "model/families.h"
#include "model/provider.h"
#include "spec/load/build_int.h"
#include "json/object.h"

static const char *const providers[] = {
    "openai", "openai-responses", "openai-chat", "anthropic", "gemini", "mistral", "deepseek",
    "ollama", "llamacpp",         "vllm",        "script",    "replay", "offline",
};

/* Providers of models that only one provider serves, by the beginning of the model's name. */
static const struct {
    const char *start, *provider;
} makers[] = {
    {"gpt-oss", "ollama"},
    {"gpt-", "openai"},
    {"chatgpt-", "openai"},
    {"o1", "openai"},
    {"o3", "openai"},
    {"o4", "openai"},
    {"claude", "anthropic"},
    {"gemini-", "gemini"},
    {"mistral-large", "mistral"},
    {"grok", ""},
    {"deepseek-chat", "deepseek"},
    {"deepseek-reasoner", "deepseek"},
};

/* The provider that probably serves a model of this name; "" if unknown. If the table of families
 * has the model as an open model, the provider is probably Ollama. */
static haft_str provider_of_model(haft_str name)
{
    for (size_t i = 0; i < COUNT(makers); i++) {
        if (haft__str_starts_with(name, haft__str(makers[i].start))) {
            return haft__str(makers[i].provider);
        }
    }
    const char *pattern;
    const haft__family *family = haft__family_match_name(name, &pattern);
    return family != NULL && !family->hosted ? HAFT__LIT("ollama") : HAFT__LIT("");
}

/* Whether `word` is an abbreviation of `name`, such as opn or anth: it has the same first letter,
 * and its letters occur in `name` in the same order. */
static bool is_short_for(haft_str word, const char *name)
{
    size_t at = 0;
    for (const char *c = name; *c != '\0' && at < word.len; c++) {
        if (*c == word.ptr[at]) {
            at++;
        } else if (at == 0) {
            return false;
        }
    }
    return word.len > 1 && at == word.len;
}

/* The provider that `name` probably means; .ptr is NULL if no provider is similar. */
static haft_str similar_provider(haft_str name)
{
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < COUNT(providers); i++) {
        haft__suggestion_offer(&near, haft__str(providers[i]));
    }
    for (size_t i = 0; i < COUNT(providers) && near.best.ptr == NULL; i++) {
        near.best = is_short_for(name, providers[i]) ? haft__str(providers[i]) : near.best;
    }
    return near.best;
}

/* Adds a hint with the providers that send requests. Omits the variants of openai, which are in the
 * documentation. */
static void hint_providers(haft__loader *l, haft__spec_problem *problem)
{
    haft__buf names;
    haft__buf_init(&names, HAFT__LIMIT_JSON_BYTES);
    for (size_t i = 0; i < COUNT(providers); i++) {
        haft__model_spec model = {.provider = haft__str(providers[i])};
        if (!haft__provider_is_local(&model)
            && !haft__str_starts_with(model.provider, HAFT__LIT("openai-"))) {
            haft__buf_addf(&names, "%s%s", names.len > 0 ? ", " : "", providers[i]);
        }
    }
    haft__loader_hint(l, problem,
                      "providers: %.*s; for another OpenAI-compatible server, write {provider: "
                      "openai, model: NAME, base_url: URL}",
                      HAFT__ARG(haft__buf_str(&names)));
    (void)haft__loader_failed(l, names.status);
    haft__buf_finish(&names);
}

/* Reports an unknown provider. `text` is the model as a text, such as "x:y"; "" if the model is an
 * object. The part before the colon may be the name of a model with a tag, such as qwen3:8b. */
static void report_unknown(haft__loader *l, haft_str text, haft_str pointer)
{
    const haft__model_spec *model = &l->spec->model;
    haft_str provider = text.len > 0 ? provider_of_model(model->provider) : HAFT__LIT("");
    haft_str similar = similar_provider(model->provider);
    bool bare = text.len > 0 && model->model.len == 0 && similar.ptr == NULL;
    haft__spec_problem *problem =
        provider.len > 0 || bare
            ? haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                                 "the model \"%.*s\" has no provider", HAFT__ARG(text))
            : haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "there is no provider \"%.*s\"",
                                 HAFT__ARG(model->provider));
    if (provider.len > 0) {
        haft__loader_hint(l, problem, "write %.*s:%.*s", HAFT__ARG(provider), HAFT__ARG(text));
    } else if (similar.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(similar));
    } else {
        hint_providers(l, problem);
    }
}

static bool is_known(haft_str provider)
{
    return haft__str_is_one_of(provider, providers, COUNT(providers));
}

void haft__loader_check_provider(haft__loader *l, haft_str text, haft_str pointer)
{
    const haft__model_spec *model = &l->spec->model;
    bool offline = haft__str_equal(model->provider, HAFT__LIT("offline"));
    if (!is_known(model->provider)) {
        report_unknown(l, text, pointer);
    } else if (model->model.len == 0 && !offline) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/model"), HAFT__SUBJECT_VALUE,
                               "the model \"%.*s\" has no name", HAFT__ARG(model->provider));
        haft__loader_hint(l, problem, "write provider:model, such as openai:gpt-5.4-mini");
    }
}

/* ---- fallback models ---- */

#define MODEL "/model"

/* Whether a pointer refers to the model or a part of it. */
static bool is_in_model(haft_str pointer)
{
    const haft_str model = HAFT__LIT(MODEL);
    return haft__str_starts_with(pointer, model)
           && (pointer.len == model.len || pointer.ptr[model.len] == '/');
}

/* Whether the same problem is already reported, so that it does not depend on the model. */
static bool is_reported(const haft__loader *l, size_t count, const haft__spec_problem *problem)
{
    for (size_t i = 0; i < count && i < l->problems.count; i++) {
        if (haft__str_equal(l->problems.items[i].message, problem->message)) {
            return true;
        }
    }
    return false;
}

/* `at_model`: where the spec has the model; `with`: the model, for a problem elsewhere. */
static void report_problem(haft__loader *l, const haft__spec_problem *p, haft_str at_model,
                           haft_str with)
{
    bool in_model = is_in_model(p->pointer);
    haft_str rest = haft__str_skip(p->pointer, strlen(MODEL));
    haft_str at = in_model
                      ? haft__loader_pointer(l, "%.*s%.*s", HAFT__ARG(at_model), HAFT__ARG(rest))
                      : p->pointer;
    haft_str prefix = in_model ? HAFT__LIT("") : with;
    haft__spec_problem *problem = (p->warning ? haft__loader_warning : haft__loader_error)(
        l, at, HAFT__SUBJECT_VALUE, "%.*s%.*s", HAFT__ARG(prefix), HAFT__ARG(p->message));
    if (p->secret) {
        haft__loader_hide_value(problem);
    }
    if (p->hint.len > 0) {
        haft__loader_hint(l, problem, "%.*s", HAFT__ARG(p->hint));
    }
}

static void report_problems(haft__loader *l, haft_str at_model, haft_str with,
                            const haft__spec_report *report)
{
    size_t known = l->problems.count;
    for (size_t i = 0; i < report->count && l->status == HAFT_OK; i++) {
        const haft__spec_problem *p = &report->problems[i];
        if (is_in_model(p->pointer) || !is_reported(l, known, p)) {
            report_problem(l, p, at_model, with);
        }
    }
}

/* Loads the spec with another model. Returns NULL if it has errors. */
static const haft__spec *load_with(haft__loader *l, haft__json source, haft__json model,
                                   haft_str at, haft_str with)
{
    haft__spec_options options = *l->options;
    options.sets = NULL;
    options.set_count = 0;
    options.model = NULL;
    options.model_always = false;
    if (!haft__edit_put(l->arena, &source, HAFT__LIT("model"), model)
        || !haft__edit_remove(l->arena, &source, HAFT__LIT("models"))
        || !haft__edit_remove(l->arena, &source, HAFT__LIT("middleware"))) {
        l->status = haft__arena_fail(l->arena, NULL);
        return NULL;
    }
    const haft__spec *spec = NULL;
    haft__spec_report report;
    haft_str text = haft__loader_write_text(l, source);
    if (l->status == HAFT_OK) {
        l->status = haft__spec_load(l->arena, text, &options, &spec, &report, NULL);
    }
    if (l->status != HAFT_OK) {
        return NULL;
    }
    report_problems(l, at, with, &report);
    return spec;
}

/* The model that summarises: of its spec, only what depends on the model is used. */
void haft__loader_build_summariser(haft__loader *l)
{
    static const char pointer[] = "/context/summarise/model";
    haft__json summarise =
        haft__object_object(haft__object_object(l->source, "context"), "summarise");
    haft__json model = haft__object_get(summarise, "model");
    haft__json source = l->source;
    if (model.kind == HAFT__JSON_NULL || !haft__loader_keys_are_valid(l, "model context")) {
        return;
    }
    if (!haft__edit_remove(l->arena, &source, HAFT__LIT("context"))) {
        l->status = haft__arena_fail(l->arena, NULL);
        return;
    }
    l->spec->context.summariser = load_with(l, source, model, haft__str(pointer),
                                            HAFT__LIT("with the model of context.summarise: "));
}

/* Loads the spec once more with each fallback model, so that each fallback is checked like a first
 * model. A fallback is the same spec with other settings that depend on the model. */
void haft__loader_build_fallbacks(haft__loader *l)
{
    haft__json models = haft__object_array(l->source, "models");
    haft_str pointer = HAFT__LIT("/models");
    uint32_t first = 1; /* the one before is the model of the spec */
    if (!haft__loader_keys_are_valid(l, "model models middleware")) {
        return;
    }
    haft__json further = haft__loader_find_fallback(l, &pointer);
    if (further.kind == HAFT__JSON_ARRAY && models.count > 0) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE,
                               "the spec has both \"models\" and an entry \"fallback\"");
        haft__loader_hint(l, problem, "keep one of the two");
        return;
    }
    if (further.kind == HAFT__JSON_ARRAY) {
        models = further;
        first = 0;
    }
    assert(models.count <= HAFT__LIMIT_SPEC_MODELS); /* as the schema of specs says */
    for (uint32_t i = models.count; i > first && l->status == HAFT_OK; i--) {
        haft_str at = haft__loader_pointer(l, "%.*s/%u", HAFT__ARG(pointer), i - 1);
        haft_str with = haft__loader_pointer(
            l, "with %s[%u]: ", first > 0 ? "models" : "fallback.models", i - 1);
        const haft__spec *loaded = load_with(l, l->source, models.items[i - 1], at, with);
        haft__spec *fallback = loaded != NULL ? haft__loader_alloc(l, 1, sizeof(*fallback)) : NULL;
        if (fallback != NULL) {
            *fallback = *l->spec; /* the next fallback becomes its fallback */
            fallback->model = loaded->model;
            fallback->context = loaded->context;
            fallback->context.summariser = l->spec->context.summariser;
            fallback->formats = loaded->formats;
            fallback->format_count = loaded->format_count;
            l->spec->fallback = fallback;
        }
    }
}
