/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/translate.c and origin.c: specs in other formats are translated, and
 * problems are reported at their location in the original file. */
#include "spec/spec_help.h"

/* The example of docs/spec.md. */
#define PLANNER                                                                                    \
    "spec:\n"                                                                                      \
    "  planner:\n"                                                                                 \
    "    type: ReActPlanner\n"                                                                     \
    "    config:\n"                                                                                \
    "      use_function_calling: true\n"                                                           \
    "      max_parallel_tool_calls: 4\n"                                                           \
    "      system_prompt: |\n"                                                                     \
    "        You are a data analysis specialist.\n"                                                \
    "      tool_descriptions:\n"                                                                   \
    "        - {name: search_database, description: Search the records., args: [query, limit]}\n"  \
    "        - {name: now, description: Tell the time of day.}\n"
#define GATEWAYS                                                                                   \
    "resources:\n"                                                                                 \
    "  inference_gateways:\n"                                                                      \
    "    - {name: first, type: OpenAIGateway, config: {model: gpt-4o-mini, tool_choice: auto}}\n"  \
    "    - {name: second, type: AnthropicGateway, config: {model: c, temperature: 0.5, "           \
    "max_tokens: 9}}\n"

static haft_str source_of(const haft__spec *spec)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__json_write(&buf, spec->source);
    return keep(&buf);
}

TEST(planner_format_is_translated)
{
    loaded f;
    load(&f, PLANNER GATEWAYS);
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_STR(
        source_of(f.spec),
        HAFT__LIT(
            "{\"model\":{\"provider\":\"openai\",\"model\":\"gpt-4o-mini\"},"
            "\"choice\":{\"default\":\"auto\"},"
            "\"instructions\":\"You are a data analysis specialist.\\n\","
            "\"limits\":{\"parallel\":4,\"overflow\":\"truncate\"},"
            "\"history\":\"transcript\","
            "\"tools\":[{\"name\":\"search_database\",\"description\":\"Search the records.\","
            "\"args\":[\"query\",\"limit\"],\"headless\":true},"
            "{\"name\":\"now\",\"description\":\"Tell the time of day.\",\"headless\":true,"
            "\"input_schema\":{\"type\":\"object\",\"properties\":{},"
            "\"additionalProperties\":true}}]"
            "}"),
        "source");
    const haft__spec *spec = f.spec;
    CHECK_INT(spec->kind, HAFT__SPEC_AGENT, "kind");
    CHECK(!spec->choice.gate, "the gate is off");
    CHECK_INT(spec->history, HAFT__HISTORY_TRANSCRIPT, "history");
    CHECK_INT(spec->limits.overflow, HAFT__OVERFLOW_TRUNCATE, "overflow");
    CHECK_INT(spec->limits.parallel, 4, "parallel");
    CHECK_STR(spec->model.provider, HAFT__LIT("openai"), "provider");
    CHECK_STR(spec->formats[0], HAFT__LIT("native"), "format");
    CHECK_INT(spec->tools.count, 2, "number of tools");
    CHECK_INT(spec->tools.items[0]->source, HAFT__TOOL_HEADLESS,
              "a tool without an implementation is headless");
    CHECK(!spec->tools.items[0]->typed, "its arguments have no types");
    unload(&f);
}

static const struct {
    const char *name, *added, *pointer, *wanted;
} variants[] = {
    {"gateway of the planner", "    gateway: second\n", "/model",
     "{\"provider\":\"anthropic\",\"model\":\"c\",\"options\":{\"temperature\":0.5,\"max_tokens\":"
     "9}"
     "}"},
    {"gateway of the planner's config", "      gateway: second\n", "/model",
     "{\"provider\":\"anthropic\",\"model\":\"c\",\"options\":{\"temperature\":0.5,\"max_tokens\":"
     "9}"
     "}"},
    {"explicit limits override the planner", "limits: {overflow: queue, turns: 3}\n", "/limits",
     "{\"overflow\":\"queue\",\"turns\":3,\"parallel\":4}"},
    {"an explicit model overrides the gateway", "model: offline\n", "/model", "\"offline\""},
    {"explicit instructions override the system prompt", "instructions: x\nhistory: native\n",
     "/instructions", "\"x\""},
};

TEST(explicit_keys_override_the_planner)
{
    for (size_t i = 0; i < COUNT(variants); i++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 16);
        haft__buf_addf(&text, "%s%s%s", PLANNER, variants[i].added, GATEWAYS);
        haft_str whole = keep(&text);
        loaded f;
        load_kept(&f, whole.ptr);
        CHECK_STR(f.listing, HAFT__LIT(""), "%s", variants[i].name);
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        const haft__json *value =
            f.spec != NULL ? haft__json_get(f.spec->source, haft__str(variants[i].pointer + 1))
                           : NULL;
        if (value != NULL) {
            haft__json_write(&found, *value);
        }
        CHECK_STR(keep(&found), haft__str(variants[i].wanted), "%s", variants[i].name);
        unload(&f);
    }
}

TEST(without_a_cap_every_call_of_a_reply_runs)
{
    static const struct {
        const char *name, *more;
        haft__overflow overflow;
    } cases[] = {
        {"no cap in the planner and the limits", "", HAFT__OVERFLOW_QUEUE},
        {"the cap of the planner", "      max_parallel_tool_calls: 2\n", HAFT__OVERFLOW_TRUNCATE},
        {"the cap of the limits", "limits: {parallel: 2}\n", HAFT__OVERFLOW_TRUNCATE},
        {"other limits", "limits: {turns: 2}\n", HAFT__OVERFLOW_QUEUE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf text;
        haft__buf_init(&text, 1 << 16);
        haft__buf_addf(&text,
                       "spec:\n  planner:\n    type: ReActPlanner\n    config:\n"
                       "      system_prompt: x\n%s",
                       cases[i].more);
        haft_str whole = keep(&text);
        loaded f;
        load(&f, whole.ptr);
        CHECK_STR(f.listing, HAFT__LIT(""), "%s", cases[i].name);
        CHECK_INT(f.spec->limits.overflow, cases[i].overflow, "%s", cases[i].name);
        unload(&f);
    }
}

TEST(a_described_tool_without_args_accepts_any_arguments)
{
    loaded f;
    load(&f, "tools:\n"
             "  - {name: b, command: [b]}\n"
             "  - {name: c, description: Count pages of texts., command: [c]}\n"
             "spec:\n"
             "  planner:\n"
             "    type: ReActPlanner\n"
             "    config:\n"
             "      tool_descriptions:\n"
             "        - {name: a, description: Count words of texts.}\n"
             "        - {name: b, description: Count lines of texts.}\n"
             "        - {name: d, description: Count signs of texts., args: []}\n");
    static const struct {
        const char *name;
        bool open;
    } wanted[] = {{"a", true}, {"b", true}, {"d", false}, {"c", false}};
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    for (size_t i = 0; i < COUNT(wanted); i++) {
        const haft__tool *tool = f.spec->tools.items[i];
        const haft__json *more =
            haft__json_get(tool->input_schema, HAFT__LIT("additionalProperties"));
        CHECK_STR(tool->name, haft__str(wanted[i].name), "case %zu", i);
        CHECK_INT(more != NULL && more->kind == HAFT__JSON_TRUE, wanted[i].open, "%s",
                  wanted[i].name);
    }
    unload(&f);
}

TEST(without_function_calling_calls_are_json)
{
    loaded f;
    load(&f, "spec: {planner: {type: ReActPlanner, config: {use_function_calling: false}}}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_INT(f.spec->format_count, 1, "number of formats");
    CHECK_STR(f.spec->formats[0], HAFT__LIT("purejson"), "format");
    CHECK_STR(f.spec->model.provider, HAFT__LIT("offline"),
              "the model is offline without a gateway");
    unload(&f);
}

TEST(top_level_tools_implement_tools_of_the_planner)
{
    loaded f;
    load(&f, "tools:\n"
             "  - builtin: [glob]\n"
             "  - name: b\n"
             "    command: [b]\n"
             "    input_schema: {type: object, properties: {n: {type: integer}}}\n"
             "    traits: {read_only: true}\n"
             "  - {name: c, command: [c]}\n"
             "spec:\n"
             "  planner:\n"
             "    type: ReActPlanner\n"
             "    config:\n"
             "      tool_descriptions:\n"
             "        - {name: a, description: Count words of texts., args: [x]}\n"
             "        - {name: b, description: Count lines of texts., args: [n]}\n"
             "        - {name: c, description: Count pages of texts., args: [y]}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    const haft__tools *tools = &f.spec->tools;
    CHECK_INT(tools->count, 4, "no duplicate tools");
    static const struct {
        const char *name, *description;
        haft__tool_source source;
        bool typed;
    } wanted[] = {{"a", "Count words of texts.", HAFT__TOOL_HEADLESS, false},
                  {"b", "Count lines of texts.", HAFT__TOOL_COMMAND, true},
                  {"c", "Count pages of texts.", HAFT__TOOL_COMMAND, false}};
    for (size_t i = 0; i < COUNT(wanted); i++) {
        const haft__tool *tool = tools->items[i];
        CHECK_STR(tool->name, haft__str(wanted[i].name), "case %zu", i);
        CHECK_STR(tool->description, haft__str(wanted[i].description), "case %zu", i);
        CHECK_INT(tool->source, wanted[i].source, "case %zu", i);
        CHECK_INT(tool->typed, wanted[i].typed, "case %zu", i);
    }
    CHECK(tools->items[1]->traits.read_only, "traits come from the top-level tool");
    CHECK_STR(tools->items[3]->name, HAFT__LIT("glob"),
              "tools without a description in the planner come last");
    unload(&f);
}

static const problem_case cases[] = {
    /* locations refer to the original file */
    {"tools:\n  - {name: b, command: [b], traits: {retries: 1}}\n"
     "spec:\n  planner:\n    type: ReActPlanner\n    config:\n      tool_descriptions:\n"
     "        - {name: a, description: Stuff.}\n"
     "        - {name: b, description: b}\n"
     "        - {name: a, description: Stuff.}\n",
     "2:47: retries on a tool that is neither read_only nor idempotent (a second attempt could "
     "repeat the effect; set idempotent: true if it cannot, or remove retries)\n"
     "8:34: warning: the description says little beyond filler words: name "
     "what the tool works on\n"
     "10:18: two tools have the name \"a\" (rename one of the two)\n"
     "10:34: warning: the description says little beyond filler words: name "
     "what the tool works on"},
    {"tools: [{name: b, description: Count lines., command: [b]}, {name: c, command: [c]}]\n"
     "spec: {planner: {type: ReActPlanner, config: {tool_descriptions: [\n"
     "  {name: a, description: Count some words.}, {name: b, description: Count all lines.}]}}}\n",
     "1:19: warning: \"description\" has no effect: tool_descriptions of the planner takes "
     "precedence\n"
     "1:61: the tool \"c\" has no description (write it here or in the planner's "
     "tool_descriptions)"},
    {"spec: {planner: {type: ReActPlanner, gateway: x}}\nresources: {inference_gateways: []}\n",
     "1:47: there is no gateway \"x\" (gateways are listed in resources.inference_gateways)"},
    {"spec: {planner: {type: ReActPlanner, config: {gateway: x}}}\n",
     "1:56: there is no gateway \"x\" (gateways are listed in resources.inference_gateways)"},
    {"spec: {planner: {type: PlanAndSolve}}\n",
     "1:24: expected \"ReActPlanner\", found \"PlanAndSolve\" (write the spec in haft's own "
     "shape)"},
    {"resources: {inference_gateways: []}\n",
     "1:1: the key \"spec\" is missing (it is required with resources)"},
    {"spec: {planner: {type: ReActPlanner}}\n"
     "resources:\n  inference_gateways:\n"
     "    - {name: a, type: OpenAIGateway, config: {model: m, tool_choice: nix}}\n",
     "4:70: there is no tool \"nix\" (tools are listed in tools and builtins)"},
    /* aliases of keys */
    {"enabled_builtins: [glob]\nbuiltins: {enabled: [grep]}\nformats: [native]\n"
     "tool_call_formats: [hermes]\n",
     "1:1: \"enabled_builtins\" is another name for builtins.enabled, which is also set (keep one "
     "of the two)\n"
     "4:1: \"tool_call_formats\" is another name for formats, which is also set (keep one of the "
     "two)"},
    {"tool_call_formats: {primary: herms, enabled: [native]}\n",
     "1:30: there is no format \"herms\" (did you mean hermes?)"},
};

TEST(locations_refer_to_the_original_file)
{
    check_problems(cases, COUNT(cases));
}

TEST(key_aliases_are_accepted)
{
    loaded f;
    load(&f, "enabled_builtins: [glob, grep]\ntool_call_formats: {primary: Hermes, enabled: "
             "[native, hermes, JSON]}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_INT(f.spec->tools.count, 2, "number of tools");
    CHECK_INT(f.spec->format_count, 3, "number of formats");
    CHECK_STR(f.spec->formats[0], HAFT__LIT("hermes"), "first format");
    CHECK_STR(f.spec->formats[1], HAFT__LIT("native"), "second format");
    CHECK_STR(f.spec->formats[2], HAFT__LIT("purejson"), "third format");
    unload(&f);
}

/* Returns `context` as the value of OPENAI_TOOL_CHOICE. */
static haft_str get_variable(void *context, haft_str name)
{
    return haft__str_equal(name, HAFT__LIT("OPENAI_TOOL_CHOICE")) ? haft__str(context)
                                                                  : (haft_str){NULL, 0};
}

TEST(environment_sets_tool_choice_only_if_the_spec_does_not)
{
    static const struct {
        const char *text, *value;
        haft__choice_mode mode;
        const char *problems;
    } choices[] = {
        {"model: offline\n", "required", HAFT__MODE_ANY, ""},
        {"model: offline\n", "none", HAFT__MODE_NONE, ""},
        {"model: offline\n", "", HAFT__MODE_AUTO, ""},
        {"enabled_builtins: [glob]\n", "glob", HAFT__MODE_TOOL, ""},
        {"choice: {default: auto}\n", "required", HAFT__MODE_AUTO, ""},
        {"model: offline\n", "glob", HAFT__MODE_TOOL,
         "0:0: from OPENAI_TOOL_CHOICE: there is no tool \"glob\" (it is a built-in: add it to "
         "builtins.enabled)"},
    };
    for (size_t i = 0; i < COUNT(choices); i++) {
        char value[32];
        (void)snprintf(value, sizeof(value), "%s", choices[i].value);
        haft__spec_options options = {.hash_key = {1, 2}, .env = {get_variable, value}};
        loaded f;
        load_with(&f, haft__str(choices[i].text), &options);
        CHECK_STR(f.listing, haft__str(choices[i].problems), "case %zu", i);
        CHECK(f.spec == NULL || f.spec->choice.default_choice.mode == choices[i].mode, "case %zu",
              i);
        unload(&f);
    }
}
