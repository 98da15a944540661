/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/prompt/history.c: random histories, and the requests that each wire format writes
 * for them. */
#include "prompt/history.h"

#include "base/limits.h"
#include "base/str.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "test.h"
#include "json/object.h"
#include "json/read.h"

#define HISTORIES 300
#define MAX_TURNS 24

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005U + 1442695040888963407U;
    return *seed >> 33;
}

static haft_str name_of(haft__arena *arena, const char *prefix, uint64_t number)
{
    return haft__arena_format(arena, "%s%llu", prefix, (unsigned long long)number);
}

/* Makes an id as some provider writes it: some are too long for others, or have odd characters. */
static haft_str make_id(haft__arena *arena, uint64_t *seed, uint64_t number)
{
    switch (next_random(seed) % 4) {
    case 0: return name_of(arena, "call_", number);
    case 1: return name_of(arena, "functions.look:", number);
    case 2:
        return name_of(arena, "a-very-long-id-of-another-provider-that-nobody-else-accepts-at-all-",
                       number);
    default: return name_of(arena, "toolu_", number);
    }
}

static haft__message make_turn(haft__arena *arena, uint64_t *seed, uint64_t *number)
{
    size_t count = next_random(seed) % 4;
    haft__message_call *calls = haft__arena_array(arena, count + 1, sizeof(*calls));
    for (size_t i = 0; i < count; i++) {
        calls[i] = (haft__message_call){.id = make_id(arena, seed, (*number)++),
                                        .name = HAFT__LIT("look"),
                                        .arguments = HAFT__LIT("{\"q\":1}")};
    }
    bool foreign = next_random(seed) % 3 == 0;
    return (haft__message){
        .role = HAFT__MESSAGE_ASSISTANT,
        .text = count == 0 || next_random(seed) % 2 == 0 ? HAFT__LIT("text") : HAFT__LIT(""),
        .items = foreign ? HAFT__LIT("[{\"type\":\"reasoning\",\"id\":\"r\"}]") : HAFT__LIT(""),
        .items_provider = foreign ? HAFT__LIT("elsewhere") : HAFT__LIT(""),
        .items_model = foreign ? HAFT__LIT("m") : HAFT__LIT(""),
        .calls = calls,
        .call_count = count};
}

static void add(haft__messages *messages, haft__message message)
{
    CHECK_INT(haft__messages_add(messages, message, NULL), HAFT_OK, "add the message");
}

/* Results of a turn: some are missing, duplicated, out of order, or have no call. */
static void add_results(haft__messages *to, const haft__message *turn, bool broken,
                        haft__arena *arena, uint64_t *seed)
{
    size_t start = broken && turn->call_count > 0 ? next_random(seed) % turn->call_count : 0;
    for (size_t i = 0; i < turn->call_count; i++) {
        const haft__message_call *call = &turn->calls[(start + i) % turn->call_count];
        size_t times = broken ? next_random(seed) % 3 : 1;
        for (size_t k = 0; k < times; k++) {
            add(to, (haft__message){.role = HAFT__MESSAGE_TOOL,
                                    .text = HAFT__LIT("result"),
                                    .call_id = call->id,
                                    .call_name = call->name,
                                    .is_error = next_random(seed) % 2 == 0});
        }
    }
    if (broken && next_random(seed) % 4 == 0) {
        add(to, (haft__message){.role = HAFT__MESSAGE_TOOL,
                                .text = HAFT__LIT("stray"),
                                .call_id = name_of(arena, "stray", next_random(seed)),
                                .call_name = HAFT__LIT("look")});
    }
}

static void make_history(haft__messages *messages, haft__arena *arena, uint64_t seed, bool broken)
{
    uint64_t number = 0;
    haft__messages_init(messages, arena);
    add(messages, (haft__message){.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("system")});
    add(messages, (haft__message){.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("task")});
    size_t turns = next_random(&seed) % MAX_TURNS;
    for (size_t i = 0; i < turns; i++) {
        if (next_random(&seed) % 4 == 0) {
            add(messages, (haft__message){.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("more")});
        }
        haft__message turn = make_turn(arena, &seed, &number);
        add(messages, turn);
        add_results(messages, &turn, broken, arena, &seed);
    }
    add(messages, (haft__message){.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("go on")});
}

/* ---- requirements of the wire formats ---- */

static bool is(haft__json object, const char *key, const char *value)
{
    return haft__str_equal(haft__object_string(object, key), haft__str(value));
}

/* Chat Completions: a message for each call, directly after the calls and in their order. */
static const char *check_chat(haft__json request)
{
    haft__json list = haft__object_get(request, "messages");
    for (uint32_t i = 0; i < list.count;) {
        haft__json calls = haft__object_get(list.items[i], "tool_calls");
        uint32_t count = calls.kind == HAFT__JSON_ARRAY ? calls.count : 0;
        if (is(list.items[i++], "role", "tool")) {
            return "a result without a call";
        }
        for (uint32_t k = 0; k < count; k++, i++) {
            if (i >= list.count || !is(list.items[i], "role", "tool")) {
                return "a call without a result";
            }
            if (!haft__str_equal(haft__object_string(list.items[i], "tool_call_id"),
                                 haft__object_string(calls.items[k], "id"))) {
                return "another id";
            }
        }
    }
    return NULL;
}

/* Responses: an output for each call, after it. Calls of a turn come together. */
static const char *check_responses(haft__json request)
{
    haft__json list = haft__object_get(request, "input");
    for (uint32_t i = 0; i < list.count;) {
        uint32_t calls = 0;
        if (is(list.items[i], "type", "function_call_output")) {
            return "a result without a call";
        }
        while (i + calls < list.count && is(list.items[i + calls], "type", "function_call")) {
            calls++;
        }
        for (uint32_t k = 0; k < calls; k++) {
            uint32_t at = i + calls + k;
            if (at >= list.count || !is(list.items[at], "type", "function_call_output")
                || !haft__str_equal(haft__object_string(list.items[at], "call_id"),
                                    haft__object_string(list.items[i + k], "call_id"))) {
                return "a call without a result, or another id";
            }
        }
        i += calls > 0 ? 2 * calls : 1;
    }
    return NULL;
}

/* Messages: roles alternate, and the results of all calls come first in the next message. */
static const char *check_anthropic(haft__json request)
{
    haft__json list = haft__object_get(request, "messages");
    for (uint32_t i = 0; i < list.count; i++) {
        haft__json blocks = haft__object_get(list.items[i], "content");
        haft__json next =
            i + 1 < list.count ? haft__object_get(list.items[i + 1], "content") : haft__json_null();
        uint32_t calls = 0, results = 0;
        if (i > 0
            && haft__str_equal(haft__object_string(list.items[i], "role"),
                               haft__object_string(list.items[i - 1], "role"))) {
            return "two messages with the same role";
        }
        for (uint32_t k = 0; k < blocks.count; k++) {
            if (is(blocks.items[k], "type", "tool_result") && i == 0) {
                return "a result without a call";
            }
            if (!is(blocks.items[k], "type", "tool_use")) {
                continue;
            }
            if (calls >= next.count || !is(next.items[calls], "type", "tool_result")
                || !haft__str_equal(haft__object_string(next.items[calls], "tool_use_id"),
                                    haft__object_string(blocks.items[k], "id"))) {
                return "a call without a result, or another id";
            }
            calls++;
        }
        for (uint32_t k = 0; k < next.count; k++) {
            results += is(next.items[k], "type", "tool_result");
        }
        if (results != calls) {
            return "results without calls";
        }
    }
    return NULL;
}

static const struct {
    const char *path; /* the end of its URL */
    const char *(*check)(haft__json request);
} formats[] = {
    {"/chat/completions", check_chat},
    {"/responses", check_responses},
    {"/messages", check_anthropic},
};

/* Finds what is wrong with the request that a provider's encoder writes; NULL: nothing. */
static const char *encode(const haft__provider *provider, const haft__messages *messages,
                          haft__arena *arena)
{
    haft__buf url, body;
    haft__model_spec model = {.base_url = HAFT__LIT("http://a/v1"), .model = HAFT__LIT("m")};
    haft__provider_conversation *conversation = NULL;
    haft__request request = {.model = HAFT__LIT("m"), .messages = messages};
    haft__provider_request_options options = {.options = haft__json_null()};
    haft__json value = haft__json_null();
    const char *wrong = NULL;
    haft__buf_init(&url, 1 << 16);
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    CHECK_INT(provider->api->write_url(provider, &model, &url, NULL), HAFT_OK, "url");
    CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
    CHECK_INT(haft__conversation_write(conversation, &request, &options, &body, NULL), HAFT_OK,
              "%s", provider->name);
    CHECK_INT(haft__json_read(arena, haft__buf_str(&body), NULL, &value, NULL, NULL), HAFT_OK, "%s",
              provider->name);
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (haft__str_ends_with(haft__buf_str(&url), haft__str(formats[i].path))) {
            wrong = formats[i].check(value);
        }
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&url);
    haft__buf_finish(&body);
    return wrong;
}

TEST(every_wire_format_writes_a_valid_history)
{
    size_t provider_count = 0;
    const haft__provider *providers = haft__providers(&provider_count);
    for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
        haft__arena arena;
        haft__messages messages, repaired;
        haft__arena_init(&arena, 0);
        make_history(&messages, &arena, seed, seed % 3 != 0);
        CHECK_INT(haft__history_repair(&messages, &arena, &repaired, NULL), HAFT_OK, "repair");
        CHECK(haft__history_is_valid(&repaired), "seed %llu: the repaired history is invalid",
              (unsigned long long)seed);
        const haft__provider *provider = &providers[seed % provider_count];
        const char *wrong = encode(provider, &repaired, &arena);
        CHECK(wrong == NULL, "seed %llu, %s: %s", (unsigned long long)seed, provider->name, wrong);
        haft__arena_finish(&arena);
    }
}

TEST(a_valid_history_stays_as_it_is)
{
    for (uint64_t seed = 1; seed <= HISTORIES; seed++) {
        haft__arena arena;
        haft__messages messages, repaired;
        haft__arena_init(&arena, 0);
        make_history(&messages, &arena, seed, false);
        CHECK(haft__history_is_valid(&messages), "seed %llu: the history is invalid",
              (unsigned long long)seed);
        CHECK_INT(haft__history_repair(&messages, &arena, &repaired, NULL), HAFT_OK, "repair");
        CHECK_INT(repaired.count, messages.count, "seed %llu: number of messages",
                  (unsigned long long)seed);
        CHECK(memcmp(repaired.items, messages.items, messages.count * sizeof(*messages.items)) == 0,
              "seed %llu: the messages have changed", (unsigned long long)seed);
        haft__arena_finish(&arena);
    }
}

TEST(a_call_without_a_result_gets_an_error)
{
    static const haft__message_call calls[] = {{.id = HAFT__LIT("a"), .name = HAFT__LIT("look")},
                                               {.id = HAFT__LIT("b"), .name = HAFT__LIT("find")}};
    haft__arena arena;
    haft__messages messages, repaired;
    haft__arena_init(&arena, 0);
    haft__messages_init(&messages, &arena);
    add(&messages,
        (haft__message){.role = HAFT__MESSAGE_ASSISTANT, .calls = calls, .call_count = 2});
    add(&messages, (haft__message){.role = HAFT__MESSAGE_TOOL, .call_id = HAFT__LIT("b")});
    CHECK(!haft__history_is_valid(&messages), "a result is missing");
    CHECK_INT(haft__history_repair(&messages, &arena, &repaired, NULL), HAFT_OK, "repair");
    CHECK_INT(repaired.count, 3, "number of messages");
    CHECK_STR(repaired.items[1].call_id, HAFT__LIT("a"), "results are in the order of the calls");
    CHECK_STR(repaired.items[1].text, HAFT__LIT(HAFT__HISTORY_NO_RESULT),
              "text of the added result");
    CHECK(repaired.items[1].is_error && !repaired.items[2].is_error,
          "only the added result is an error");
    haft__arena_finish(&arena);
}
