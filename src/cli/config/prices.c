/* SPDX-License-Identifier: Apache-2.0 */
/* prices.c - see prices.h. Tests: tests/cli/prices_test.py. */
#include "cli/config/prices.h"

#include <stdio.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "model/provider.h"
#include "json/object.h"
#include "json/pointer.h"

#define KEY_HINT "write PROVIDER:MODEL, for example openai:gpt-5.4-mini"

void haft__config_add_problem(haft__spec_problems *problems, const haft__spec_document *document,
                              haft_str pointer, bool key, const char *message, const char *hint)
{
    size_t at = haft__spec_offset(document, pointer, key);
    haft__spec_problem *problem = haft__spec_problem_add(problems, false, "%s", message);
    haft__spec_problem_locate(problem, document->text, at);
    haft__spec_problem_hint(problems, problem, "%s", hint);
    if (problem != NULL) {
        problem->extent = (uint32_t)haft__spec_token_length(document->text, at);
    }
}

/* The state of reading the table. */
typedef struct reader {
    const haft__spec_document *document;
    haft__spec_problems *problems;
    haft__buf pointer; /* of the row */
} reader;

/* ---- keys ---- */

static bool is_provider(haft_str name, char ret_hint[256])
{
    size_t count = 0;
    const haft__provider *rows = haft__providers(&count);
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(name, haft__str(rows[i].name))) {
            return true;
        }
        haft__suggestion_offer(&near, haft__str(rows[i].name));
    }
    (void)snprintf(ret_hint, 256, near.best.ptr != NULL ? "did you mean %.*s?" : KEY_HINT "%.*s",
                   HAFT__ARG(near.best));
    return false;
}

static bool check_key(reader *r, const haft__price_row *row)
{
    char message[160], hint[256] = KEY_HINT;
    haft__model_spec model = {.provider = row->provider, .model = row->model};
    bool local = haft__provider_is_local(&model) || haft__provider_is_offline(&model);
    if (row->provider.len == 0 || (row->model.len == 0 && !local)) {
        (void)snprintf(message, sizeof(message), "\"%.*s\" is not a provider and a model",
                       (int)(row->provider.len < 80 ? row->provider.len : 80), row->provider.ptr);
    } else if (local) {
        (void)snprintf(message, sizeof(message), "models of %.*s cost nothing",
                       HAFT__ARG(row->provider));
        (void)snprintf(hint, sizeof(hint), "remove this line");
    } else if (!is_provider(row->provider, hint)) {
        (void)snprintf(message, sizeof(message), "there is no provider \"%.*s\"",
                       (int)(row->provider.len < 80 ? row->provider.len : 80), row->provider.ptr);
    } else {
        return true;
    }
    haft__config_add_problem(r->problems, r->document, haft__buf_str(&r->pointer), true, message,
                             hint);
    return false;
}

/* ---- rows ---- */

static haft_status read_dollars(reader *r, haft__json object, const char *key, uint64_t *io_micros,
                                haft_error *err)
{
    haft__json value = haft__object_get(object, key);
    haft_error failed = {.status = HAFT_OK};
    haft_status status = value.kind == HAFT__JSON_NUMBER
                             ? haft__price_read_dollars(haft__json_text(value), io_micros, &failed)
                             : HAFT_OK;
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        haft__arena *arena = r->problems->arena;
        haft_str row = haft__buf_str(&r->pointer);
        haft_str pointer = haft__arena_format(arena, "%.*s/%s", HAFT__ARG(row), key);
        if (pointer.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
        haft__config_add_problem(r->problems, r->document, pointer, false, failed.message,
                                 "round it");
    }
    return HAFT_OK;
}

static haft_status read_row(reader *r, const haft__json_member *member, haft__price_row *ret_row,
                            haft_error *err)
{
    haft_str model = haft__json_text(member->key), provider = haft__str_split(&model, ':');
    haft__price *price = &ret_row->price;
    *ret_row = (haft__price_row){.provider = provider,
                                 .model = model,
                                 .price = {.known = true, .source = HAFT__PRICE_OF_SETTINGS}};
    haft__buf_clear(&r->pointer);
    haft__buf_add_str(&r->pointer, HAFT__LIT("/prices"));
    haft__pointer_add_key(&r->pointer, haft__json_text(member->key));
    haft_status status = haft__buf_check(&r->pointer, err);
    if (status != HAFT_OK || !check_key(r, ret_row)) {
        return status;
    }
    status = read_dollars(r, member->value, "input", &price->input, err);
    price->cached = price->input;
    haft__price_fill_cache_writes(price, &(haft__model_spec){.provider = provider, .model = model});
    const struct {
        const char *key;
        uint64_t *micros;
    } others[] = {{"output", &price->output},
                  {"cached", &price->cached},
                  {"cache_write", &price->cache_write},
                  {"cache_write_1h", &price->cache_write_1h}};
    for (size_t i = 0; i < COUNT(others) && status == HAFT_OK; i++) {
        status = read_dollars(r, member->value, others[i].key, others[i].micros, err);
    }
    return status;
}

haft_status haft__config_prices_read(haft__arena *arena, const haft__spec_document *document,
                                     haft__spec_problems *problems, haft__price_table *ret_table,
                                     haft_error *err)
{
    haft__json prices = haft__object_object(document->value, "prices");
    haft__price_row *rows = haft__arena_array(arena, prices.count, sizeof(*rows));
    reader r = {.document = document, .problems = problems};
    if (rows == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__buf_init(&r.pointer, HAFT__LIMIT_CONFIG_BYTES * (size_t)2);
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; status == HAFT_OK && i < prices.count; i++) {
        status = read_row(&r, &prices.members[i], &rows[i], err);
    }
    haft__buf_finish(&r.pointer);
    *ret_table = (haft__price_table){.rows = rows, .count = prices.count};
    return status;
}
