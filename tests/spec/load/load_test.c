/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/load.c: complete loads, all problems at once, hashes, and out of memory.
 */
#include "spec/load/load.h"

#include "base/sha256.h"
#include "spec/spec_help.h"

TEST(all_problems_are_reported_in_order_of_location)
{
    CHECK_STR(
        problems_of("haft: 1\n"
                    "model: opnai:gpt\n"
                    "limits: {turns: abc, usd: 1}\n"
                    "tools:\n"
                    "  - builtin: [glob, grep]\n"
                    "  - name: x\n"
                    "    description: Searches stuff.\n"
                    "    command: [x]\n"
                    "    http: {url: \"https://x\"}\n"
                    "    traits: {retries: 2}\n"
                    "choice: {default: {tool: grepp}}\n"
                    "approvals: [{tools: [x], deadline: soon}]\n"
                    "a: 1\n"
                    "a: 2\n"),
        HAFT__LIT(
            "2:8: there is no provider \"opnai\" (did you mean openai?)\n"
            "3:17: expected integer, found string \"abc\"\n"
            "9:5: the tool has both \"command\" and \"http\" (a tool has one implementation; make "
            "two tools)\n"
            "10:23: retries on a tool that is neither read_only nor idempotent (a second attempt "
            "could repeat the effect; set idempotent: true if it cannot, or remove retries)\n"
            "12:36: does not match the pattern ^[0-9]+(\\.[0-9]+)?(ms|s|m|h|d)?$: found \"soon\" "
            "(write it like 250ms, 10s, 5m, 2h or 1d)\n"
            "13:1: there is no key \"a\" here\n"
            "14:1: the key \"a\" is repeated; it is already at 13:1 (keep one of the "
            "two)"),
        "each problem is reported");
}

TEST(json_is_loaded_like_yaml)
{
    CHECK_STR(problems_of("{\"model\": \"offline\",\n \"limits\": {\"turns\": 0, \"trns\": 1}}\n"),
              HAFT__LIT("2:22: expected a number of at least 1, found 0\n"
                        "2:25: there is no key \"trns\" here (did you mean turns?)"),
              "problems have their places in JSON");
    loaded yaml, json;
    load(&yaml, "model: offline\nlimits: {turns: 0x5}\n");
    load(&json, "{\"limits\": {\"turns\": 5.0}, \"model\": \"offline\"}");
    CHECK_STR(yaml.spec->hash, json.spec->hash, "the same spec has the same hash");
    CHECK_INT(json.spec->limits.turns, 5, "5.0 is read as 5");
    unload(&yaml);
    unload(&json);
}

TEST(hash_is_computed_from_the_canonical_source)
{
    loaded f;
    load(&f, "name: x\nmodel: offline\n");
    char hex[HAFT__SHA256_HEX];
    haft__sha256_hex(HAFT__LIT("{\"model\":\"offline\",\"name\":\"x\"}"), hex);
    CHECK_STR(f.spec->hash, ((haft_str){hex, sizeof(hex)}), "the hash of the spec");
    unload(&f);
}

/* Texts of all sorts; each is loaded with every allocation failing once. */
static const char *const texts[] = {
    ("kind: workflow\nmodel: {provider: openai, model: x, price: {input: 1, output: 2}}\n"
     "limits: {usd: 1, wall: 10m}\nphases: [{name: a, tools: [glob]}]\n"
     "builtins: {enabled: [glob, grep, complete_workflow], allow: [\"*\"]}\n"
     "tools: [{name: t, description: Does what it should do., args: [x], env: {X: \"${X}\"}, "
     "command: [x]}]\n"
     "approvals: [{tools: [t], deadline: 1h}]\nmcp: {servers: {s: {url: \"${U}\"}}}\n"),
    ("spec: {planner: {type: ReActPlanner, config: {use_function_calling: false, "
     "max_parallel_tool_calls: 2, tool_descriptions: [{name: a, description: Stuff.}]}}}\n"
     "resources: {inference_gateways: [{name: g, type: OpenAIGateway, config: {model: m, "
     "tool_choice: none, temperature: 1}}]}\n"
     "tools: [{name: a, description: Does what a does., command: [a]}]\nenabled_builtins: "
     "[glob]\n"),
    ("kind: workflw\nlimts: {}\nmodel: x:y\nchoice: {default: {}}\nformats: [x]\n"
     "tools: [{name: a b}, {name: c, description: d, input_schema: {type: x}}]\n"),
    ("kind: workflow\nchoice: {default: none}\nenabled_builtins: [glob, complete_workflow]\n"),
};

static haft_str get(void *context, haft_str name)
{
    (void)context;
    bool choice = haft__str_equal(name, HAFT__LIT("OPENAI_TOOL_CHOICE"));
    return choice ? HAFT__LIT("auto") : HAFT__LIT("value");
}

TEST(every_failed_allocation_of_loading_is_survived)
{
    static const char *const sets[] = {"limits.turns=9", "a..b=1"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__spec_options options = {
            .hash_key = {1, 2}, .env = {get, NULL}, .sets = sets, .set_count = i == 3 ? 2 : 1};
        for (unsigned n = 0;; n++) {
            haft__arena arena;
            haft__arena_init(&arena, 0);
            const haft__spec *spec = NULL;
            haft__spec_report report;
            haft_error err = {.status = HAFT_OK};
            test_fail_allocation(n);
            haft_status status =
                haft__spec_load(&arena, haft__str(texts[i]), &options, &spec, &report, &err);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "text %zu, allocation %u", i, n);
            haft__arena_finish(&arena);
            if (!failed) {
                CHECK_INT(spec != NULL, i < 2, "text %zu", i);
                break;
            }
        }
    }
}

TEST(loading_survives_every_arena_size)
{
    bool loaded_once = false;
    for (size_t max = 1 << 10; !loaded_once; max *= 2) {
        haft__arena arena;
        haft__arena_init(&arena, max);
        haft__spec_options options = {.hash_key = {1, 2}};
        const haft__spec *spec = NULL;
        haft__spec_report report;
        haft_error err = {.status = HAFT_OK};
        haft_status status =
            haft__spec_load(&arena, haft__str(texts[0]), &options, &spec, &report, &err);
        loaded_once = status == HAFT_OK;
        CHECK(status == HAFT_OK || (status == HAFT_TOO_BIG && err.message[0] != '\0')
                  || status == HAFT_NO_MEMORY,
              "%zu bytes: %d", max, status);
        haft__arena_finish(&arena);
    }
}
