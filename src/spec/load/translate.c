/* SPDX-License-Identifier: Apache-2.0 */
/*
 * translate.c - translates other shapes of a spec to the standard one: the planner shape, aliases
 * of keys, and the default choice of the environment. The origin of each part is recorded, so that
 * problems are reported at their location in the file. Tests: tests/spec/load/translate_test.c.
 */
#include "base/str.h"
#include "spec/load/load_int.h"
#include "json/object.h"

#define CONFIG "/spec/planner/config"

static void put(haft__loader *l, haft__json *object, const char *key, haft__json value)
{
    if (!haft__edit_put(l->arena, object, haft__str(key), value)) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
}

static void drop(haft__loader *l, const char *key)
{
    if (!haft__edit_remove(l->arena, &l->source, haft__str(key))) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
}

static bool has(haft__json object, const char *key)
{
    return haft__json_get(object, haft__str(key)) != NULL;
}

/* Sets `value` at a top-level key, or at a key inside a top-level key, unless the key exists:
 * explicit settings take precedence over translated settings. */
static void fill(haft__loader *l, const char *outer, const char *key, haft__json value,
                 haft_str origin)
{
    haft_str pointer = outer != NULL ? haft__loader_pointer(l, "/%s/%s", outer, key)
                                     : haft__loader_pointer(l, "/%s", key);
    if (outer == NULL) {
        if (!has(l->source, key)) {
            put(l, &l->source, key, value);
            haft__origin_add(l, pointer, origin);
        }
        return;
    }
    haft__json inner = haft__object_object(l->source, outer);
    if (!has(inner, key)) {
        put(l, &inner, key, value);
        put(l, &l->source, outer, inner);
        haft__origin_add(l, pointer, origin);
    }
}

/* ---- other names ---- */

static void rename_key(haft__loader *l, const char *alias, const char *outer, const char *key)
{
    haft__json value = haft__object_get(l->source, alias);
    if (!has(l->source, alias)) {
        return;
    }
    haft__json holder = outer != NULL ? haft__object_object(l->source, outer) : l->source;
    if (has(holder, key)) {
        haft__spec_problem *problem =
            haft__loader_error(l, haft__loader_pointer(l, "/%s", alias), HAFT__SUBJECT_KEY,
                               "\"%s\" is another name for %s%s%s, which is also set", alias,
                               outer != NULL ? outer : "", outer != NULL ? "." : "", key);
        haft__loader_hint(l, problem, "keep one of the two");
    }
    drop(l, alias);
    fill(l, outer, key, value, haft__loader_pointer(l, "/%s", alias));
}

/* ---- gateways ---- */

static const struct {
    const char *type, *provider;
} gateway_types[] = {
    {"OpenAIGateway", "openai"},   {"AnthropicGateway", "anthropic"}, {"GeminiGateway", "gemini"},
    {"MistralGateway", "mistral"}, {"OllamaGateway", "ollama"},
};

static haft_str provider_of(haft_str type)
{
    for (size_t i = 0; i < COUNT(gateway_types); i++) {
        if (haft__str_equal(type, haft__str(gateway_types[i].type))) {
            return haft__str(gateway_types[i].provider);
        }
    }
    return HAFT__LIT("openai");
}

/* The index of the gateway that the planner names, else of the first gateway; SIZE_MAX without a
 * gateway. */
static size_t choose_gateway(haft__loader *l, haft__json planner, haft__json gateways)
{
    haft__json config = haft__object_object(planner, "config");
    bool inside = has(config, "gateway");
    haft_str name = haft__object_string(inside ? config : planner, "gateway");
    if (name.len == 0) {
        return gateways.count > 0 ? 0 : SIZE_MAX;
    }
    for (uint32_t i = 0; i < gateways.count; i++) {
        if (haft__str_equal(haft__object_string(gateways.items[i], "name"), name)) {
            return i;
        }
    }
    haft_str pointer = inside ? HAFT__LIT(CONFIG "/gateway") : HAFT__LIT("/spec/planner/gateway");
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE, "there is no gateway \"%.*s\"", HAFT__ARG(name));
    haft__loader_hint(l, problem, "gateways are listed in resources.inference_gateways");
    return SIZE_MAX;
}

static void translate_gateway(haft__loader *l, haft__json gateway, size_t index)
{
    static const char *const same[] = {"model", "base_url", "api_key", "api_key_env"};
    static const char *const options[] = {"temperature", "max_tokens"};
    haft_str at = haft__loader_pointer(l, "/resources/inference_gateways/%zu", index);
    haft__json config = haft__object_object(gateway, "config");
    haft__json model = haft__json_object(NULL, 0), passed = haft__json_object(NULL, 0);
    put(l, &model, "provider",
        haft__json_string(provider_of(haft__object_string(gateway, "type"))));
    for (size_t i = 0; i < COUNT(same); i++) {
        if (has(config, same[i])) {
            put(l, &model, same[i], haft__object_get(config, same[i]));
        }
    }
    for (size_t i = 0; i < COUNT(options); i++) {
        if (has(config, options[i])) {
            put(l, &passed, options[i], haft__object_get(config, options[i]));
        }
    }
    if (passed.count > 0) {
        put(l, &model, "options", passed);
    }
    fill(l, NULL, "model", model, haft__loader_pointer(l, "%s/config", at.ptr));
    if (has(config, "tool_choice")) {
        fill(l, "choice", "default", haft__object_get(config, "tool_choice"),
             haft__loader_pointer(l, "%s/config/tool_choice", at.ptr));
    }
}

/* ---- tools ---- */

/* Maps names to entries of `tools`, each with its flag in `used`. If two entries have the same
 * name, maps the first. */
static void index_tools(haft__loader *l, haft__json tools, bool *used, haft__map *map)
{
    haft__map_init(map, l->arena, l->options->hash_key);
    for (uint32_t i = 0; i < tools.count && l->status == HAFT_OK; i++) {
        haft_str name = haft__object_string(tools.items[i], "name");
        if (name.len > 0 && haft__map_get(map, name) == NULL) {
            (void)haft__loader_failed(l, haft__map_put(map, name, &used[i], NULL));
        }
    }
}

/* Warns that a description in `tools` has no effect, because the model reads the planner's
 * description. */
static void warn_idle_description(haft__loader *l, haft__json entry, size_t at)
{
    if (has(entry, "description")) {
        haft__spec_problem *problem = haft__spec_problem_add(
            &l->problems, true,
            "\"description\" has no effect: tool_descriptions of the planner "
            "takes precedence");
        haft__origin_locate_raw(l, problem, haft__loader_pointer(l, "/tools/%zu/description", at),
                                HAFT__SUBJECT_KEY);
    }
}

/* Joins a description of the planner and the entry of `tools` that implements it. The
 * implementation and the types come from the entry, the texts come from the description. */
static haft__json join(haft__loader *l, haft__json entry, haft__json described, size_t to,
                       size_t from_entry, size_t from_described)
{
    haft__json joined = entry;
    haft__origin_add(l, haft__loader_pointer(l, "/tools/%zu", to),
                     haft__loader_pointer(l, "/tools/%zu", from_entry));
    if (has(described, "description")) {
        warn_idle_description(l, entry, from_entry);
        put(l, &joined, "description", haft__object_get(described, "description"));
        haft__origin_add(
            l, haft__loader_pointer(l, "/tools/%zu/description", to),
            haft__loader_pointer(l, CONFIG "/tool_descriptions/%zu/description", from_described));
    }
    if (!has(entry, "args") && !has(entry, "input_schema") && has(described, "args")) {
        put(l, &joined, "args", haft__object_get(described, "args"));
        haft__origin_add(
            l, haft__loader_pointer(l, "/tools/%zu/args", to),
            haft__loader_pointer(l, CONFIG "/tool_descriptions/%zu/args", from_described));
    }
    return joined;
}

static bool is_function(const haft__loader *l, haft_str name)
{
    for (size_t i = 0; i < l->options->function_count; i++) {
        if (haft__str_equal(l->options->functions[i]->name, name)) {
            return true;
        }
    }
    return false;
}

/* Accepts any arguments if the description has no `args`. A C function keeps its own schema. */
static void open_arguments(haft__loader *l, haft__json *tool)
{
    haft__json schema = haft__json_object(NULL, 0);
    if (has(*tool, "args") || has(*tool, "input_schema")
        || is_function(l, haft__object_string(*tool, "name"))) {
        return;
    }
    put(l, &schema, "type", haft__json_string(HAFT__LIT("object")));
    put(l, &schema, "properties", haft__json_object(NULL, 0));
    put(l, &schema, "additionalProperties", haft__json_bool(true));
    put(l, tool, "input_schema", schema);
}

/* Makes a headless tool: a client answers the calls of a tool without an implementation. */
static haft__json make_headless(haft__loader *l, haft__json described)
{
    if (!is_function(l, haft__object_string(described, "name"))) {
        put(l, &described, "headless", haft__json_bool(true));
    }
    return described;
}

static void translate_tools(haft__loader *l, haft__json described)
{
    haft__json tools = haft__object_array(l->source, "tools");
    haft__json *items = haft__loader_alloc(l, described.count + tools.count, sizeof(*items));
    bool *used = haft__loader_alloc(l, tools.count, sizeof(*used));
    size_t count = 0;
    haft__map map;
    if (items == NULL || used == NULL) {
        return;
    }
    index_tools(l, tools, used, &map);
    for (uint32_t i = 0; i < described.count; i++, count++) {
        bool *entry = haft__map_get(&map, haft__object_string(described.items[i], "name"));
        if (entry == NULL || *entry) {
            items[count] = make_headless(l, described.items[i]);
            open_arguments(l, &items[count]);
            haft__origin_add(l, haft__loader_pointer(l, "/tools/%zu", count),
                             haft__loader_pointer(l, CONFIG "/tool_descriptions/%u", i));
            continue;
        }
        size_t index = (size_t)(entry - used);
        *entry = true;
        items[count] = join(l, tools.items[index], described.items[i], count, index, i);
        open_arguments(l, &items[count]);
    }
    for (uint32_t i = 0; i < tools.count; i++) {
        if (!used[i]) {
            haft__origin_add(l, haft__loader_pointer(l, "/tools/%zu", count),
                             haft__loader_pointer(l, "/tools/%u", i));
            items[count++] = tools.items[i];
        }
    }
    put(l, &l->source, "tools", haft__json_array(items, count));
}

/* ---- the planner ---- */

static void translate_planner(haft__loader *l)
{
    haft__json planner = haft__object_object(haft__object_get(l->source, "spec"), "planner");
    haft__json config = haft__object_object(planner, "config");
    haft__json gateways =
        haft__object_array(haft__object_object(l->source, "resources"), "inference_gateways");
    size_t gateway = choose_gateway(l, planner, gateways);
    drop(l, "spec");
    drop(l, "resources");
    if (gateway != SIZE_MAX) {
        translate_gateway(l, gateways.items[gateway], gateway);
    }
    if (has(config, "system_prompt")) {
        fill(l, NULL, "instructions", haft__object_get(config, "system_prompt"),
             HAFT__LIT(CONFIG "/system_prompt"));
    }
    if (has(config, "max_parallel_tool_calls")) {
        fill(l, "limits", "parallel", haft__object_get(config, "max_parallel_tool_calls"),
             HAFT__LIT(CONFIG "/max_parallel_tool_calls"));
    }
    if (haft__object_get(config, "use_function_calling").kind == HAFT__JSON_FALSE) {
        haft__json *format = haft__loader_alloc(l, 1, sizeof(*format));
        if (format != NULL) {
            *format = haft__json_string(HAFT__LIT("purejson"));
            fill(l, NULL, "formats", haft__json_array(format, 1),
                 HAFT__LIT(CONFIG "/use_function_calling"));
        }
    }
    /* With a cap, calls past the cap do not run. Without a cap, every call of a reply runs. */
    bool capped = has(haft__object_object(l->source, "limits"), "parallel");
    haft_str overflow = capped ? HAFT__LIT("truncate") : HAFT__LIT("queue");
    fill(l, "limits", "overflow", haft__json_string(overflow), HAFT__LIT("/spec"));
    fill(l, NULL, "history", haft__json_string(HAFT__LIT("transcript")), HAFT__LIT("/spec"));
    translate_tools(l, haft__object_array(config, "tool_descriptions"));
}

/* ---- the environment ---- */

static void use_default_choice(haft__loader *l)
{
    static const char name[] = "OPENAI_TOOL_CHOICE";
    const haft__spec_env *env = &l->options->env;
    haft__json choice = haft__object_object(l->source, "choice");
    if (env->get == NULL || has(choice, "default")) {
        return;
    }
    haft_str value = env->get(env->context, haft__str(name));
    if (value.len > 0) {
        fill(l, "choice", "default", haft__json_string(value), HAFT__LIT(""));
        haft__origin_add_external(l, HAFT__LIT("/choice/default"), name);
    }
}

/* Uses the default model if the spec names no model. */
static void use_default_model(haft__loader *l)
{
    const char *model = l->options->model;
    if (model != NULL && haft__object_get(l->source, "model").kind == HAFT__JSON_NULL) {
        put(l, &l->source, "model", haft__json_string(haft__str(model)));
        haft__origin_add_external(l, HAFT__LIT("/model"), l->options->model_from);
    }
}

/* Uses the first of `models` as the model. A stored spec has both keys. */
static void use_first_model(haft__loader *l)
{
    haft__json models = haft__object_array(l->source, "models");
    const haft__json *model = haft__json_get(l->source, HAFT__LIT("model"));
    bool same = model == NULL;
    if (models.count == 0 || !haft__loader_keys_are_valid(l, "model models")) {
        return;
    }
    if (model != NULL
        && haft__loader_failed(l, haft__json_equal(*model, models.items[0], &same, NULL))) {
        return;
    }
    if (!same) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/models"), HAFT__SUBJECT_KEY,
                               "found both model and models, expected one of them");
        haft__loader_hint(l, problem, "write the first model only into models");
        return;
    }
    put(l, &l->source, "model", models.items[0]);
    haft__origin_add(l, HAFT__LIT("/model"), HAFT__LIT("/models/0"));
}

void haft__loader_translate(haft__loader *l)
{
    l->source = l->raw;
    rename_key(l, "enabled_builtins", "builtins", "enabled");
    rename_key(l, "tool_call_formats", NULL, "formats");
    if (has(l->source, "spec")) {
        translate_planner(l);
    }
    use_first_model(l);
    use_default_model(l);
    use_default_choice(l);
}
