/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - parses the arguments of `haft bench`. Tests: tests/cli/bench/options_test.c. */
#include "cli/bench/options.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/suggestion.h"

static const char *const scenarios[] = {"once", "load", "suspend"};
static const char *const stores[] = {"none", "memory", "sqlite"};
static const char *const switches[] = {"0", "1"};

const char *haft__bench_scenario_name(haft__bench_scenario scenario)
{
    return scenarios[scenario];
}

const char *haft__bench_store_name(haft__bench_store store)
{
    return stores[store];
}

/* Returns the index of a name, or `count` if the name is unknown. */
static size_t find_name(const char *const *names, size_t count, haft_str name)
{
    size_t i = 0;
    while (i < count && !haft__str_equal(name, haft__str(names[i]))) {
        i++;
    }
    return i;
}

static haft_status read_name(const char *const *names, size_t count, const char *key,
                             haft_str value, size_t *ret_index, haft_error *err)
{
    size_t found = find_name(names, count, value);
    if (found < count) {
        *ret_index = found;
        return HAFT_OK;
    }
    return haft__fail(err, HAFT_BAD_INPUT, key, "expected %s%s%s or %s, found \"%.*s\"", names[0],
                      count > 2 ? ", " : "", count > 2 ? names[1] : "", names[count - 1],
                      HAFT__ARG(value));
}

static haft_status read_count(const char *key, haft_str value, uint64_t min, uint64_t max,
                              uint64_t *ret_count, haft_error *err)
{
    uint64_t count;
    if (haft__str_to_u64(value, &count) && count >= min && count <= max) {
        *ret_count = count;
        return HAFT_OK;
    }
    return haft__fail(err, HAFT_BAD_INPUT, key,
                      "expected a number from %llu to %llu, found \"%.*s\"",
                      (unsigned long long)min, (unsigned long long)max, HAFT__ARG(value));
}

static haft_status read_text(const char *key, haft_str value, haft_str *ret_text, haft_error *err)
{
    *ret_text = value;
    return value.len > 0 ? HAFT_OK
                         : haft__fail(err, HAFT_BAD_INPUT, key, "expected a value, found nothing");
}

/* Returns how many calls a mock model makes: "mock-8" makes 8, "mock-8x4" makes 8 times 4. Returns
 * 0 for other names. */
static uint64_t calls_of_model(haft_str model)
{
    const char *dash = memrchr(model.ptr, '-', model.len);
    if (dash == NULL) {
        return 0;
    }
    haft_str rest = haft__str_skip(model, (size_t)(dash - model.ptr) + 1);
    haft_str turns = haft__str_split(&rest, 'x');
    uint64_t count = 0, width = 1;
    bool known = haft__str_to_u64(turns, &count) && count <= HAFT__LIMIT_BENCH_RUNS
                 && (rest.len == 0 || haft__str_to_u64(rest, &width))
                 && width <= HAFT__LIMIT_BENCH_RUNS;
    return known ? count * width : 0;
}

/* ---- keys ---- */

static haft_status read_url(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_text("url", value, &w->url, err);
}

static haft_status read_model(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_text("model", value, &w->model, err);
}

static haft_status read_db(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_text("db", value, &w->db, err);
}

static haft_status read_runs(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_count("runs", value, 1, HAFT__LIMIT_BENCH_RUNS, &w->runs, err);
}

static haft_status read_conc(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_count("conc", value, 1, HAFT__LIMIT_BENCH_AT_ONCE, &w->conc, err);
}

static haft_status read_warm(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_count("warm", value, 0, HAFT__LIMIT_BENCH_RUNS, &w->warm, err);
}

static haft_status read_store(haft__bench_options *w, haft_str value, haft_error *err)
{
    size_t found = 0;
    haft_status status = read_name(stores, COUNT(stores), "store", value, &found, err);
    w->store = (haft__bench_store)found;
    return status;
}

static haft_status read_switch(const char *key, haft_str value, bool *ret_on, haft_error *err)
{
    size_t found = 0;
    haft_status status = read_name(switches, COUNT(switches), key, value, &found, err);
    *ret_on = found == 1;
    return status;
}

static haft_status read_stream(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_switch("stream", value, &w->stream, err);
}

static haft_status read_pool(haft__bench_options *w, haft_str value, haft_error *err)
{
    return read_switch("pool", value, &w->pool, err);
}

static const struct {
    const char *key;
    haft_status (*read)(haft__bench_options *w, haft_str value, haft_error *err);
} keys[] = {
    {"url", read_url},     {"model", read_model},   {"db", read_db},
    {"runs", read_runs},   {"conc", read_conc},     {"warm", read_warm},
    {"store", read_store}, {"stream", read_stream}, {"pool", read_pool},
};

static haft_status fail_unknown_key(haft_str word, haft_str key, haft_error *err)
{
    haft__suggestion near;
    haft__suggestion_init(&near, key);
    for (size_t i = 0; i < COUNT(keys); i++) {
        haft__suggestion_offer(&near, haft__str(keys[i].key));
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "",
                   "expected KEY=VALUE with url, model, runs, conc, warm, store, db, "
                   "stream or pool, found \"%.*s\"",
                   HAFT__ARG(word));
    return near.best.ptr != NULL
               ? haft__hint(err, status, "did you mean %.*s=?", HAFT__ARG(near.best))
               : status;
}

static haft_status read_word(haft__bench_options *w, haft_str word, haft_error *err)
{
    haft_str value = word, key = haft__str_split(&value, '=');
    for (size_t i = 0; i < COUNT(keys) && key.len < word.len; i++) {
        if (haft__str_equal(key, haft__str(keys[i].key))) {
            return keys[i].read(w, value, err);
        }
    }
    return fail_unknown_key(word, key, err);
}

/* Rejects missing options and options without effect. */
static haft_status check(const haft__bench_options *w, haft_error *err)
{
    if (w->url.len == 0) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "url", "the address of a model server is missing");
        return haft__hint(err, status, "for instance url=http://127.0.0.1:8099/v1");
    }
    bool file = w->store == HAFT__BENCH_SQLITE;
    if (file != (w->db.len > 0)) {
        haft_status status =
            haft__fail(err, HAFT_BAD_INPUT, "db",
                       file ? "the file of store=sqlite is missing" : "store=%s has no file",
                       haft__bench_store_name(w->store));
        return haft__hint(err, status, "for a store in a file use store=sqlite db=FILE");
    }
    return HAFT_OK;
}

haft_status haft__bench_options_parse(const haft__args *args, haft__bench_options *ret_options,
                                      haft_error *err)
{
    size_t scenario = 0;
    haft__bench_options w = {.model = HAFT__LIT("mock-1"), .runs = 1, .conc = 1};
    haft_status status =
        read_name(scenarios, COUNT(scenarios), "", haft__str(args->words[0]), &scenario, err);
    w.scenario = (haft__bench_scenario)scenario;
    for (size_t i = 1; i < args->word_count && status == HAFT_OK; i++) {
        status = read_word(&w, haft__str(args->words[i]), err);
    }
    if (status == HAFT_OK) {
        status = check(&w, err);
    }
    if (status == HAFT_OK) {
        w.calls = calls_of_model(w.model);
        *ret_options = w;
    }
    return status;
}
