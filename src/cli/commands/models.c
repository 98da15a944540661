/* SPDX-License-Identifier: Apache-2.0 */
/*
 * models.c - `haft models`: lists the models that can be used here.
 *
 * docs/schemas/models.schema.json describes the list. Tests: tests/cli/models_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/models/model_probe.h"
#include "cli/models/price_print.h"
#include "cli/terminal/print.h"
#include "run/prices.h"
#include "json/object.h"

/* Writes the capabilities of a provider, with the names that docs/providers.md uses. */
static void write_capabilities(haft__json_writer *w, const haft__provider *provider)
{
    static const haft__provider_capabilities none = {0};
    const haft__provider_capabilities *c = provider != NULL ? &provider->capabilities : &none;
    const struct {
        const char *word;
        bool can;
    } rows[] = {
        {"tools", true},
        {"named_choice", c->named_choice || provider == NULL},
        {"allowed_tools", c->allowed_tools || provider == NULL},
        {"parallel_switch", c->parallel},
        {"strict_tools", c->strict_tools},
        {"grammar", c->constraint == HAFT__CONSTRAINT_GBNF},
        {"schema", c->constraint == HAFT__CONSTRAINT_JSON_SCHEMA},
    };
    haft__json_key(w, "can");
    haft__json_begin_array(w);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].can) {
            haft__json_add_str(w, haft__str(rows[i].word));
        }
    }
    haft__json_end_array(w);
}

/* Returns false if the price is unknown, or if `found` has no model name. */
static bool find_price(const haft__cli *cli, const haft__found_model *found, haft__price *ret_price)
{
    haft_str name = found->model, provider = haft__str_split(&name, ':');
    const haft__model_spec model = {.provider = provider, .model = name};
    return name.len > 0 && haft__price_find(haft__config_env(cli).prices, &model, ret_price);
}

static void write_price(haft__json_writer *w, const haft__price *price)
{
    haft__json_key(w, "price");
    haft__json_begin_object(w);
    haft__price_write(w, price);
    haft__field_string(w, "from", haft__price_source_name(price->source));
    haft__json_end_object(w);
}

static haft_status print_list(const haft__cli *cli, const haft__found_model *models, size_t count,
                              haft_error *err)
{
    haft__buf text;
    haft__json_writer w;
    haft__price price;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &text);
    haft__json_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        haft__json_begin_object(&w);
        haft__field_text(&w, "model", models[i].model);
        haft__field_flag(&w, "reachable", models[i].reachable);
        haft__field_text(&w, "why", models[i].why);
        write_capabilities(&w, models[i].provider);
        if (find_price(cli, &models[i], &price)) {
            write_price(&w, &price);
        }
        haft__json_end_object(&w);
    }
    haft__json_end_array(&w);
    haft_status status = haft__print_json_line(cli->out, &text, err);
    haft__buf_finish(&text);
    return status;
}

static void print_table(const haft__cli *cli, const haft__found_model *models, size_t count)
{
    FILE *out = cli->out;
    haft__price price;
    int width = 0;
    for (size_t i = 0; i < count; i++) {
        width = (int)models[i].model.len > width ? (int)models[i].model.len : width;
    }
    for (size_t i = 0; i < count; i++) {
        (void)fputs(models[i].reachable ? "yes  " : "no   ", out);
        haft__print_escaped(out, models[i].model);
        (void)fprintf(out, "%*s  ", width - (int)models[i].model.len, "");
        haft__print_escaped(out, models[i].why);
        if (find_price(cli, &models[i], &price)) {
            (void)fputs("; ", out);
            haft__price_print(out, &price);
        }
        (void)fputc('\n', out);
    }
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    const haft__model_probe_options options = {.timeout_ms = HAFT__LIMIT_MODEL_LIST_MS};
    const haft__found_model *models = NULL;
    size_t count = 0;
    haft_status status = haft__model_probe(cli, &options, &models, &count, err);
    if (status == HAFT_OK && haft__args_has(args, "json")) {
        status = print_list(cli, models, count, err);
    } else if (status == HAFT_OK) {
        print_table(cli, models, count);
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON list"},
    HAFT__OPTION_NO_CONFIG,
    {0},
};

static const haft__example examples[] = {
    {"haft models", "which models can be used here, and why others cannot"},
    {0},
};

const haft__command haft__cmd_models = {
    .name = "models",
    .usage = "",
    .summary = "list the models that can be used here",
    .help = "Lists offline, the models of every provider whose key is set, and the models of the\n"
            "servers on this machine. Each server is asked for its list, all at the same time; no\n"
            "model is called, so this costs nothing. For a provider that cannot be asked, the\n"
            "reason is printed: no key, no answer, or the status of the answer.\n",
    .options = options,
    .examples = examples,
    .min_words = 0,
    .max_words = 0,
    .run = run,
};
