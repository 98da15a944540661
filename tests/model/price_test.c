/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/price.c, and that docs/models.md has the built-in prices. */
#include "model/price.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "test.h"

/* ---- built-in prices ---- */

static const struct {
    const char *provider, *model;
    uint64_t input, output, cached; /* all 0 if the price is not known */
} prices[] = {
    {"openai", "gpt-5.4-mini", 750000, 4500000, 75000},
    {"openai", "gpt-5.4-mini-2026-03-17", 750000, 4500000, 75000},
    {"openai-responses", "gpt-5.4-mini", 750000, 4500000, 75000},
    {"openai-chat", "gpt-5.4-mini", 750000, 4500000, 75000},
    {"openai", "gpt-5.4-nano", 200000, 1250000, 20000},
    {"openai", "gpt-4o-mini", 150000, 600000, 75000},
    {"openai", "gpt-5.4-mini-2026-03-1", 0, 0, 0},
    {"openai", "gpt-5.4-mini-2026-03-17x", 0, 0, 0},
    {"openai", "gpt-5.4-mini-2026_03-17", 0, 0, 0},
    {"openai", "gpt-5.4-mini-audio-pre", 0, 0, 0},
    {"openai", "gpt-5.4", 0, 0, 0},
    {"openai", "", 0, 0, 0},
    {"mistral", "gpt-5.4-mini", 0, 0, 0},
    {"vllm", "gpt-4o-mini", 0, 0, 0},
    {"", "gpt-4o-mini", 0, 0, 0},
};

TEST(known_models_have_prices)
{
    for (size_t i = 0; i < COUNT(prices); i++) {
        haft__price price = {0};
        const haft__model_spec model = {.provider = haft__str(prices[i].provider),
                                        .model = haft__str(prices[i].model)};
        bool known = haft__price_find(NULL, &model, &price);
        CHECK_INT(known, prices[i].input > 0, "%s", prices[i].model);
        CHECK_INT(price.input, prices[i].input, "%s", prices[i].model);
        CHECK_INT(price.output, prices[i].output, "%s", prices[i].model);
        CHECK_INT(price.cached, prices[i].cached, "%s", prices[i].model);
        CHECK(!known || price.source == HAFT__PRICE_BUILT_IN, "%s", prices[i].model);
    }
}

/* Dollars with as few decimals as possible, but at least two. */
static const char *dollars(uint64_t micros, char to[32])
{
    int length =
        snprintf(to, 32, "%u.%06u", (unsigned)(micros / 1000000), (unsigned)(micros % 1000000));
    while (to[length - 1] == '0' && to[length - 3] != '.') {
        to[--length] = '\0';
    }
    return to;
}

static bool has_line(haft_str page, haft_str line)
{
    bool found = false;
    for (haft_str lines = page; lines.len > 0 && !found;) {
        found = haft__str_equal(haft__str_split(&lines, '\n'), line);
    }
    return found;
}

TEST(the_page_has_the_prices)
{
    haft_str page = test_read_file("docs/models.md");
    for (size_t i = 0; i < COUNT(prices); i++) {
        char line[128], a[32], b[32], c[32];
        bool listed = prices[i].input > 0 && strcmp(prices[i].provider, "openai") == 0
                      && strstr(prices[i].model, "-20") == NULL;
        (void)snprintf(line, sizeof(line), "| `%s` | %s | %s | %s |", prices[i].model,
                       dollars(prices[i].input, a), dollars(prices[i].output, b),
                       dollars(prices[i].cached, c));
        CHECK(!listed || has_line(page, haft__str(line)), "docs/models.md has no line %s", line);
    }
}

/* ---- prices of the user ---- */

#define ROW(provider, model, dollars)                                                              \
    {                                                                                              \
        HAFT__LIT(provider), HAFT__LIT(model),                                                     \
        {                                                                                          \
            .known = true, .input = (dollars)*1000000U, .source = HAFT__PRICE_OF_SPEC              \
        }                                                                                          \
    }

TEST(prices_of_the_user_override_the_built_in_ones)
{
    static const haft__price_row rows[] = {
        ROW("openai", "gpt-5.4-mini", 9), ROW("anthropic", "claude-x", 5),
        ROW("anthropic", "claude-x-2026-01-02", 6), ROW("vllm", "free", 0)};
    static const haft__price_table table = {rows, COUNT(rows)};
    static const struct {
        const char *provider, *model, *base_url;
        int dollars; /* -1: unknown */
    } cases[] = {
        {"openai", "gpt-5.4-mini", "", 9},
        {"openai", "gpt-5.4-mini-2026-03-17", "", 9},
        {"openai", "gpt-5.4-mini", "http://gateway/v1", 9},
        {"openai-chat", "gpt-4o-mini", "http://gateway/v1", -1},
        {"anthropic", "claude-x", "", 5},
        {"anthropic", "claude-x-2026-01-02", "", 6},
        {"anthropic", "claude-x-2026-01-03", "", 5},
        {"anthropic", "claude-xl", "", -1},
        {"gemini", "claude-x", "", -1},
        {"vllm", "free", "http://h", 0},
        {"", "", "", -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__model_spec model = {.provider = haft__str(cases[i].provider),
                                        .model = haft__str(cases[i].model),
                                        .base_url = haft__str(cases[i].base_url)};
        haft__price price = {0};
        bool known = haft__price_find(&table, &model, &price);
        CHECK_INT(known ? (int)(price.input / 1000000U) : -1, cases[i].dollars, "%s:%s",
                  cases[i].provider, cases[i].model);
        CHECK(!known || (price.known && price.source == HAFT__PRICE_OF_SETTINGS), "%s",
              cases[i].model);
    }
}

TEST(writing_to_the_cache_costs_what_the_provider_takes)
{
    static const struct {
        const char *provider;
        uint64_t input, cache_write, cache_write_1h;
    } cases[] = {
        {"anthropic", 5000000, 6250000, 10000000},
        {"anthropic", 333333, 416666, 666666},
        {"anthropic", 0, 0, 0},
        {"openai", 750000, 750000, 750000},
        {"unknown", 750000, 750000, 750000},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__model_spec model = {.provider = haft__str(cases[i].provider)};
        haft__price price = {.input = cases[i].input};
        haft__price_fill_cache_writes(&price, &model);
        CHECK_INT(price.cache_write, cases[i].cache_write, "case %zu", i);
        CHECK_INT(price.cache_write_1h, cases[i].cache_write_1h, "case %zu, an hour", i);
    }
}

/* ---- dollars ---- */

TEST(dollars_are_read_exactly)
{
    static const struct {
        const char *number;
        uint64_t micros;
        bool fits;
    } cases[] = {
        {"0", 0, true},
        {"0.75", 750000, true},
        {"1000000", 1000000000000, true},
        {"1e3", 1000000000, true},
        {"0.000001", 1, true},
        {"1E-6", 1, true},
        {"0.0000001", 0, false},
        {"1.2345678", 0, false},
        {"1e300", 0, false},
        {"99999999999999999999", 0, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {.status = HAFT_OK};
        uint64_t micros = 0;
        haft_status status = haft__price_read_dollars(haft__str(cases[i].number), &micros, &err);
        CHECK_INT(status, cases[i].fits ? HAFT_OK : HAFT_BAD_INPUT, "%s", cases[i].number);
        CHECK(!cases[i].fits || micros == cases[i].micros, "%s", cases[i].number);
        CHECK_INT(strstr(err.message, "at most 6 digits") != NULL, !cases[i].fits, "%s",
                  cases[i].number);
    }
}
