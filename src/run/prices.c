/* SPDX-License-Identifier: Apache-2.0 */
/* prices.c - see prices.h. Tests: tests/run/prices_test.c. */
#include "run/prices.h"

#include "base/str.h"
#include "run/run.h"
#include "json/object.h"

#define PARTS 1000000U /* cost parts in a micro-dollar */

/* ---- the models of a spec ---- */

/* Whether the price depends on the machine that started the run. */
static bool is_recorded(const haft__model_spec *model)
{
    return model->price.known && model->price.source != HAFT__PRICE_OF_SPEC;
}

/* The first recorded model that equals `model`, among the models of the spec, its fallbacks and its
 * agents. */
static const haft__model_spec *find_first(const haft__spec *spec, const haft__model_spec *model)
{
    for (const haft__spec *at = spec; at != NULL; at = at->fallback) {
        if (is_recorded(&at->model) && haft__str_equal(at->model.provider, model->provider)
            && haft__str_equal(at->model.model, model->model)
            && haft__str_equal(at->model.base_url, model->base_url)) {
            return &at->model;
        }
    }
    const haft__model_spec *found =
        spec->context.summariser != NULL ? find_first(spec->context.summariser, model) : NULL;
    for (size_t i = 0; i < spec->agent_count && found == NULL; i++) {
        found = find_first(spec->agents[i].spec, model);
    }
    return found;
}

/* ---- writing ---- */

static void write_dollars(haft__json_writer *w, const char *key, uint64_t micros)
{
    haft__json_key(w, key);
    haft__cost_write(w->buf, micros * PARTS);
    w->after_key = false;
}

void haft__price_write(haft__json_writer *w, const haft__price *price)
{
    write_dollars(w, "input", price->input);
    write_dollars(w, "output", price->output);
    write_dollars(w, "cached", price->cached);
    if (price->cache_write != price->input) {
        write_dollars(w, "cache_write", price->cache_write);
    }
    if (price->cache_write_1h != price->input) {
        write_dollars(w, "cache_write_1h", price->cache_write_1h);
    }
}

const char *haft__price_source_name(haft__price_source source)
{
    static const char *const names[] = {[HAFT__PRICE_OF_SPEC] = "spec",
                                        [HAFT__PRICE_BUILT_IN] = "built in",
                                        [HAFT__PRICE_OF_SETTINGS] = "settings",
                                        [HAFT__PRICE_OF_LOG] = "log"};
    return names[source];
}

typedef struct price_list {
    haft__json_writer *w;
    const haft__spec *spec;
    bool open;
} price_list;

static void write_name(haft__json_writer *w, const haft__model_spec *model)
{
    haft__buf name;
    haft__buf_init(&name, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&name, "%.*s:%.*s", HAFT__ARG(model->provider), HAFT__ARG(model->model));
    haft__field_text(w, "model", haft__buf_str(&name));
    if (name.status != HAFT_OK) {
        w->buf->status = name.status;
    }
    haft__buf_finish(&name);
}

static void write_price(price_list *list, const haft__model_spec *model)
{
    haft__json_writer *w = list->w;
    if (!is_recorded(model) || find_first(list->spec, model) != model) {
        return; /* not recorded, or already in the list */
    }
    if (!list->open) {
        haft__json_key(w, "prices");
        haft__json_begin_array(w);
        list->open = true;
    }
    haft__json_begin_object(w);
    write_name(w, model);
    if (model->base_url.len > 0) {
        haft__field_text(w, "base_url", model->base_url);
    }
    haft__price_write(w, &model->price);
    haft__json_end_object(w);
}

static void write_all(price_list *list, const haft__spec *spec)
{
    write_price(list, &spec->model);
    for (const haft__spec *at = spec->fallback; at != NULL; at = at->fallback) {
        write_price(list, &at->model);
    }
    if (spec->context.summariser != NULL) {
        write_price(list, &spec->context.summariser->model);
    }
    for (size_t i = 0; i < spec->agent_count; i++) {
        write_all(list, spec->agents[i].spec);
    }
}

void haft__prices_write(haft__json_writer *w, const haft__spec *spec)
{
    price_list list = {.w = w, .spec = spec};
    write_all(&list, spec);
    if (list.open) {
        haft__json_end_array(w);
    }
}

/* ---- reading ---- */

static bool read_dollars(haft__json row, const char *key, uint64_t *ret_micros)
{
    uint64_t parts = 0;
    bool read = haft__cost_read(haft__object_text(row, key), &parts);
    *ret_micros = parts / PARTS;
    return read;
}

/* If the list has no price for writing to the cache, this price is the price of other input. */
static uint64_t read_cache_write(haft__json row, const char *key, uint64_t input)
{
    uint64_t micros = 0;
    return read_dollars(row, key, &micros) ? micros : input;
}

bool haft__prices_find(haft__json prices, const haft__model_spec *model, haft__price *ret_price)
{
    for (uint32_t i = 0; prices.kind == HAFT__JSON_ARRAY && i < prices.count; i++) {
        haft__json row = prices.items[i];
        haft_str name = haft__object_string(row, "model"), provider = haft__str_split(&name, ':');
        haft__price price = {.known = true, .source = HAFT__PRICE_OF_LOG};
        if (haft__str_equal(provider, model->provider) && haft__str_equal(name, model->model)
            && haft__str_equal(haft__object_string(row, "base_url"), model->base_url)
            && read_dollars(row, "input", &price.input)
            && read_dollars(row, "output", &price.output)
            && read_dollars(row, "cached", &price.cached)) {
            price.cache_write = read_cache_write(row, "cache_write", price.input);
            price.cache_write_1h = read_cache_write(row, "cache_write_1h", price.input);
            *ret_price = price;
            return true;
        }
    }
    return false;
}
