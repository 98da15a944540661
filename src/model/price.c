/* SPDX-License-Identifier: Apache-2.0 */
/* price.c - see price.h. Tests: tests/model/price_test.c. */
#include "model/price.h"

#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/provider.h"
#include "json/number.h"

#define MICROS_DIGITS 6

/* Only models whose price does not depend on the length of the prompt. Sources and date:
 * docs/models.md. Micro-dollars for a million tokens. */
static const struct {
    const char *model;
    uint64_t input, output, cached;
} built_in[] = {
    {"gpt-5.4-mini", 750000, 4500000, 75000},
    {"gpt-5.4-nano", 200000, 1250000, 20000},
    {"gpt-4o-mini", 150000, 600000, 75000},
};

/* "" or "-2026-03-17": a dated model has the price of the model. */
static bool is_dated(haft_str suffix)
{
    static const char form[] = "-dddd-dd-dd";
    bool dated = suffix.len == sizeof(form) - 1;
    for (size_t i = 0; dated && i < suffix.len; i++) {
        char c = suffix.ptr[i];
        dated = form[i] == 'd' ? haft__ascii_is_digit(c) : c == form[i];
    }
    return dated || suffix.len == 0;
}

static bool is_model(haft_str model, haft_str name)
{
    return haft__str_starts_with(model, name) && is_dated(haft__str_skip(model, name.len));
}

/* A row with the exact name takes precedence over the row of an undated name. */
static const haft__price_row *find_row(const haft__price_table *table,
                                       const haft__model_spec *model)
{
    const haft__price_row *found = NULL;
    for (size_t i = 0; table != NULL && i < table->count; i++) {
        const haft__price_row *row = &table->rows[i];
        if (!haft__str_equal(row->provider, model->provider)) {
            continue;
        }
        if (haft__str_equal(row->model, model->model)) {
            return row;
        }
        found = is_model(model->model, row->model) ? row : found;
    }
    return found;
}

static uint64_t share_of(uint64_t price, uint16_t percent)
{
    return percent == 0 ? price : price / 100 * percent + price % 100 * percent / 100;
}

void haft__price_fill_cache_writes(haft__price *price, const haft__model_spec *model)
{
    const haft__provider *provider = haft__provider_for_model(model);
    static const haft__provider_capabilities none = {0};
    const haft__provider_capabilities *c = provider != NULL ? &provider->capabilities : &none;
    price->cache_write = share_of(price->input, c->cache_write_percent);
    price->cache_write_1h = share_of(price->input, c->cache_write_1h_percent);
}

/* Whether requests go to OpenAI's own API. */
static bool is_openai(const haft__model_spec *model)
{
    size_t count = 0;
    const haft__provider *rows = haft__providers(&count);
    for (size_t i = 0; i < count && model->base_url.len == 0; i++) {
        if (haft__str_equal(model->provider, haft__str(rows[i].name))) {
            return strcmp(rows[i].key_env, "OPENAI_API_KEY") == 0;
        }
    }
    return false;
}

bool haft__price_find(const void *context, const haft__model_spec *model, haft__price *ret_price)
{
    const haft__price_row *row = find_row(context, model);
    if (row != NULL) {
        *ret_price = row->price;
        ret_price->source = HAFT__PRICE_OF_SETTINGS;
        return true;
    }
    for (size_t i = 0; i < COUNT(built_in) && is_openai(model); i++) {
        if (is_model(model->model, haft__str(built_in[i].model))) {
            *ret_price = (haft__price){.known = true,
                                       .input = built_in[i].input,
                                       .output = built_in[i].output,
                                       .cached = built_in[i].cached,
                                       .source = HAFT__PRICE_BUILT_IN};
            haft__price_fill_cache_writes(ret_price, model);
            return true;
        }
    }
    return false;
}

haft_status haft__price_read_dollars(haft_str number, uint64_t *ret_micros, haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, 2 * (size_t)HAFT__LIMIT_JSON_NUMBER_BYTES);
    haft__number_add_normal(&buf, number);
    haft_str fraction = haft__buf_str(&buf), whole = haft__str_split(&fraction, '.');
    char digits[32];
    int length =
        snprintf(digits, sizeof(digits), "%.*s%.*s", HAFT__ARG(whole), HAFT__ARG(fraction));
    bool fits = buf.status == HAFT_OK && fraction.len <= MICROS_DIGITS && length > 0
                && (size_t)length + MICROS_DIGITS - fraction.len < sizeof(digits);
    for (size_t i = fraction.len; fits && i < MICROS_DIGITS; i++) {
        digits[length++] = '0';
    }
    fits = fits && haft__str_to_u64((haft_str){digits, (size_t)length}, ret_micros);
    haft_status status = HAFT_OK;
    if (buf.status == HAFT_NO_MEMORY) {
        status = haft__fail_no_memory(err);
    } else if (!fits) {
        status =
            haft__fail(err, HAFT_BAD_INPUT, "",
                       "found %.*s dollars, expected at most %d digits after the decimal point",
                       HAFT__ARG(number), MICROS_DIGITS);
    }
    haft__buf_finish(&buf);
    return status;
}
