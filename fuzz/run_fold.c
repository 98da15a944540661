/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of folding. The input is a log with the body of one event per line; seq, at and run
 * are added to each, so that a line can be removed or moved. The log is folded up to the first
 * rejected line.
 *   - a rejection has a message, and is not "out of memory";
 *   - folding the same lines again gives the same decision;
 *   - every state has a decision, which can be folded in that state;
 *   - every state gives a request, which is JSON;
 *   - replaying any log terminates.
 */
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "fuzz.h"
#include "model/conversation.h"
#include "run/decide/decide.h"
#include "run/replay/replay.h"
#include "tool/builtin.h"
#include "json/read.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define RUN  "00000000000000000000000001"
#define KEY  ((haft__hash_key){5, 6})

/* Decisions in a row that count as an endless loop. */
#define MAX_DECISIONS 100

/* Shared by all inputs; made once. */
static struct {
    haft__arena arena;
    haft__spec spec;
    haft__approval_rule rule;
    haft_str formats[1];
    bool made;
} shared;

/* A run and its decider. */
typedef struct world {
    haft__arena arena;
    haft__run run;
    haft__decider decider;
} world;

/* All the tools of tests/run/scenarios/, so that their logs are a corpus. */
static void add_tools(void)
{
    static const char *const names[] = {"look",  "list", "find", "fetch",   "send",  "pick",
                                        "write", "copy", "drop", "extract", "other", "tally"};
    static const char *const builtins[] = {"store_artifact", "request_user_input",
                                           "complete_workflow", "read_result"};
    haft__json schema;
    haft_str text = HAFT__LIT("{\"type\":\"object\",\"properties\":{\"q\":{\"type\":\"string\"},"
                              "\"n\":{\"type\":\"integer\",\"default\":7}}}");
    REQUIRE(haft__json_read(&shared.arena, text, NULL, &schema, NULL, NULL) == HAFT_OK);
    haft__tools_init(&shared.spec.tools, &shared.arena, KEY);
    for (size_t i = 0; i < COUNT(names); i++) {
        haft__tool tool = {.name = haft__str(names[i]),
                           .description = HAFT__LIT("Does something."),
                           .input_schema = schema,
                           .source = i == 5 ? HAFT__TOOL_HEADLESS : HAFT__TOOL_COMMAND,
                           .typed = true};
        tool.traits.destructive = i == 4;
        tool.traits.idempotent = i == 0;
        tool.traits.cache = i == 0 ? HAFT__CACHE_RUN : HAFT__CACHE_NONE;
        REQUIRE(haft__tools_add(&shared.spec.tools, &tool, NULL) == HAFT_OK);
    }
    for (size_t i = 0; i < COUNT(builtins); i++) {
        haft__tool tool;
        REQUIRE(haft__builtin_tool(&shared.arena, haft__str(builtins[i]), &tool, NULL) == HAFT_OK);
        REQUIRE(haft__tools_add(&shared.spec.tools, &tool, NULL) == HAFT_OK);
    }
}

static void make_spec(void)
{
    static const haft_str approved[] = {{"send", 4}};
    haft__arena_init(&shared.arena, 0);
    shared.made = true;
    shared.formats[0] = HAFT__LIT("native");
    shared.rule = (haft__approval_rule){.tools = approved,
                                        .tool_count = 1,
                                        .when = haft__json_null(),
                                        .deadline_ms = 60000,
                                        .on_expire = haft__json_string(HAFT__LIT("reject"))};
    shared.spec = (haft__spec){
        .kind = HAFT__SPEC_WORKFLOW,
        .name = HAFT__LIT("fuzz"),
        .hash = HAFT__LIT(HASH),
        .plan = haft__json_null(),
        .mcp = haft__json_null(),
        .formats = shared.formats,
        .format_count = 1,
        .model = {.model = HAFT__LIT("m"), .native_tools = true},
        .choice = {.gate = true, .min_tools_for_auto = 3},
        .limits = {.turns = 12,
                   .calls = 50,
                   .parallel = 3,
                   .observation_chars = 100,
                   .tokens = 100000,
                   .wall_ms = 600000,
                   .invalid_calls = 3,
                   .reminders = 2,
                   .violations = 2},
        .approvals = &shared.rule,
        .approval_count = 1,
    };
    add_tools();
}

static void world_init(world *w)
{
    *w = (world){0};
    haft__arena_init(&w->arena, 0);
    REQUIRE(haft__run_init(&w->run, &w->arena, &shared.spec, KEY, NULL) == HAFT_OK);
    REQUIRE(haft__decider_init(&w->decider, NULL) == HAFT_OK);
}

static void world_finish(world *w)
{
    haft__decider_finish(&w->decider);
    haft__arena_finish(&w->arena);
}

/* Folds up to the first rejected line. Returns the number of bytes that were accepted. */
static size_t fold(world *w, haft_str log)
{
    haft_str rest = log;
    while (rest.len > 0) {
        size_t before = log.len - rest.len;
        haft_error err = {0};
        haft_status status = haft__run_fold(&w->run, haft__str_split(&rest, '\n'), &err);
        if (status != HAFT_OK) {
            REQUIRE(status != HAFT_NO_MEMORY && err.message[0] != '\0');
            return before;
        }
    }
    return log.len;
}

static void check_request(world *w)
{
    haft__request request;
    haft__provider_conversation *chat = NULL;
    haft__buf bytes;
    haft__json value;
    REQUIRE(haft__conversation_create(haft__provider_compatible(), &chat, NULL) == HAFT_OK);
    haft__buf_init(&bytes, HAFT__LIMIT_RUN_BYTES);
    REQUIRE(haft__decide_request(&w->run, &w->arena, &request, NULL) == HAFT_OK);
    REQUIRE(haft__conversation_write(
                chat, &request, &(haft__provider_request_options){.stream = true}, &bytes, NULL)
            == HAFT_OK);
    REQUIRE(haft__json_read(&w->arena, haft__buf_str(&bytes), NULL, &value, NULL, NULL) == HAFT_OK);
    haft__conversation_destroy(chat);
    haft__buf_finish(&bytes);
}

/* Makes decisions and folds them until the host must act. */
static void decide_until_host_acts(world *w)
{
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    for (unsigned i = 0; w->run.stage != HAFT__RUN_NEW; i++) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        haft_error err = {0};
        haft_status status = haft__decide(&w->decider, &w->run, w->run.last_ms, &effect, &err);
        REQUIREF(status == HAFT_OK, "deciding fails: %s", err.message);
        if (effect.kind != HAFT__EFFECT_EVENT) {
            break;
        }
        REQUIREF(i < MAX_DECISIONS + w->run.call_count * 4, "it does not terminate");
        haft__buf_clear(&line);
        haft__event_write(&line, w->run.seq + 1, w->run.last_ms, w->run.id, effect.body);
        status = haft__run_fold(&w->run, haft__buf_str(&line), &err);
        REQUIREF(status == HAFT_OK, "%.*s: %s", HAFT__ARG(haft__buf_str(&line)), err.message);
    }
    haft__buf_finish(&line);
}

/* The decision after the lines. The run does not change. */
static haft_str decision(world *w)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    if (w->run.stage == HAFT__RUN_NEW) {
        return HAFT__LIT("");
    }
    REQUIRE(haft__decide(&w->decider, &w->run, w->run.last_ms, &effect, NULL) == HAFT_OK);
    return effect.kind == HAFT__EFFECT_EVENT ? effect.body : HAFT__LIT("");
}

/* Adds seq, at and run. */
static void write_log(haft__buf *buf, haft_str bodies)
{
    for (uint64_t seq = 1; bodies.len > 0; seq++) {
        haft_str body = haft__str_split(&bodies, '\n');
        haft__event_write(buf, seq, 1000000 + 10 * seq, HAFT__LIT(RUN), body);
        haft__buf_add_char(buf, '\n');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world first, again;
    haft__buf buf;
    if (!shared.made) {
        make_spec();
    }
    world_init(&first);
    world_init(&again);
    haft__buf_init(&buf, HAFT__LIMIT_RUN_BYTES);
    write_log(&buf, (haft_str){(const char *)data, size});
    haft_str log = haft__buf_str(&buf), good = {log.ptr, fold(&first, log)};
    world_finish(&first); /* a run is not usable after a rejection */
    world_init(&first);
    REQUIRE(fold(&first, good) == good.len && fold(&again, good) == good.len);
    REQUIRE(haft__str_equal(decision(&first), decision(&again)));
    check_request(&again);
    decide_until_host_acts(&again);
    haft__replay replay;
    haft_status status = haft__replay_log(&again.arena, &shared.spec, log, KEY, &replay, NULL);
    REQUIRE(status != HAFT_NO_MEMORY);
    world_finish(&first);
    world_finish(&again);
    haft__buf_finish(&buf);
    return 0;
}
