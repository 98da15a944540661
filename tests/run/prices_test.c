/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/prices.c: the prices that a run records. */
#include "run/prices.h"

#include "base/str.h"
#include "test.h"
#include "json/object.h"
#include "json/read.h"

#define PRICE(from, dollars)                                                                       \
    {                                                                                              \
        .known = true, .input = (dollars)*1000000U, .output = 4500000, .cached = 75000,            \
        .cache_write = (dollars)*1000000U, .cache_write_1h = 2000000, .source = HAFT__PRICE_##from \
    }
#define MODEL(name, ...)                                                                           \
    {                                                                                              \
        .provider = HAFT__LIT("openai"), .model = HAFT__LIT(name), __VA_ARGS__                     \
    }

static const haft__spec agent = {.model = MODEL("agent", .price = PRICE(OF_SETTINGS, 2))};
static const haft__spec same = {.model = MODEL("first", .price = PRICE(BUILT_IN, 1))};
static const haft__spec elsewhere = {
    .model = MODEL("first", .base_url = HAFT__LIT("http://h"), .price = PRICE(OF_SETTINGS, 3))};
static const haft__spec stated = {.model = MODEL("stated", .price = PRICE(OF_SPEC, 4))};
static const haft__spec unknown = {.model = MODEL("unknown", .price = {.known = false})};
static const haft__agent_spec agents[] = {{HAFT__LIT("a"), &agent},
                                          {HAFT__LIT("b"), &same},
                                          {HAFT__LIT("c"), &elsewhere},
                                          {HAFT__LIT("d"), &unknown}};
static const haft__spec whole = {.model = MODEL("first", .price = PRICE(BUILT_IN, 1)),
                                 .fallback = &stated,
                                 .agents = agents,
                                 .agent_count = COUNT(agents)};

static void write(haft__buf *buf, const haft__spec *spec)
{
    haft__json_writer w;
    haft__buf_init(buf, 1 << 16);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__prices_write(&w, spec);
    haft__json_end_object(&w);
}

TEST(prices_that_the_spec_does_not_state_are_recorded_once)
{
    haft__buf buf;
    write(&buf, &whole);
    CHECK_STR(haft__buf_str(&buf),
              HAFT__LIT("{\"prices\":[{\"model\":\"openai:first\",\"input\":1.0,\"output\":4.5,"
                        "\"cached\":0.075,\"cache_write_1h\":2.0},{\"model\":\"openai:agent\","
                        "\"input\":2.0,\"output\":"
                        "4.5,\"cached\":0.075},{\"model\":\"openai:first\",\"base_url\":"
                        "\"http://h\",\"input\":3.0,\"output\":4.5,\"cached\":0.075,"
                        "\"cache_write_1h\":2.0}]}"),
              "each model once");
    haft__buf_finish(&buf);
    write(&buf, &stated);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("{}"), "nothing to record");
    haft__buf_finish(&buf);
    write(&buf, &unknown);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("{}"), "an unknown price");
    haft__buf_finish(&buf);
}

TEST(recorded_prices_are_found)
{
    static const struct {
        const haft__spec *spec;
        int dollars; /* -1: none */
    } cases[] = {{&whole, 1}, {&agent, 2}, {&elsewhere, 3}, {&stated, -1}, {&unknown, -1}};
    haft__arena arena;
    haft__buf buf;
    haft__json value;
    haft__arena_init(&arena, 0);
    write(&buf, &whole);
    CHECK_INT(haft__json_read(&arena, haft__buf_str(&buf), NULL, &value, NULL, NULL), HAFT_OK,
              "JSON");
    haft__json prices = haft__object_get(value, "prices");
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__price price = {.known = false};
        bool found = haft__prices_find(prices, &cases[i].spec->model, &price);
        CHECK_INT(found ? (int)(price.input / 1000000U) : -1, cases[i].dollars, "case %zu", i);
        CHECK(!found
                  || (price.known && price.output == 4500000 && price.cached == 75000
                      && price.cache_write == price.input && price.cache_write_1h == 2000000
                      && price.source == HAFT__PRICE_OF_LOG),
              "case %zu", i);
    }
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(lists_that_no_run_writes_have_no_price)
{
    static const char *const lists[] = {
        "null",
        "{}",
        "[]",
        "[1,null,{}]",
        "[{\"model\":\"openai\",\"input\":1,\"output\":1,\"cached\":1}]",
        "[{\"model\":\"openai:first\",\"input\":1,\"output\":1}]",
        "[{\"model\":\"openai:first\",\"input\":-1,\"output\":1,\"cached\":1}]",
        "[{\"model\":\"openai:first\",\"input\":1e99,\"output\":1,\"cached\":1}]",
        "[{\"model\":\"openai:first\",\"input\":\"x\",\"output\":1,\"cached\":1}]",
    };
    for (size_t i = 0; i < COUNT(lists); i++) {
        haft__arena arena;
        haft__json value;
        haft__price price;
        haft__arena_init(&arena, 0);
        CHECK_INT(haft__json_read(&arena, haft__str(lists[i]), NULL, &value, NULL, NULL), HAFT_OK,
                  "%s", lists[i]);
        CHECK(!haft__prices_find(value, &whole.model, &price), "%s", lists[i]);
        haft__arena_finish(&arena);
    }
}
