/* SPDX-License-Identifier: Apache-2.0 */
/* explain.c - `haft explain`: explains why a model sees which tools, and prints its first request.
 * Tests: tests/cli/explain_test.py, tests/cli/run_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/config/config.h"
#include "cli/explain/explain_print.h"
#include "cli/input/spec_file.h"
#include "cli/terminal/print.h"
#include "engine/endpoint.h"
#include "io/clock.h"
#include "io/random.h"

static haft_status print_json(haft__cli *cli, const haft__explanation *e, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__explain_write(&cli->arena, &text, e);
    haft_status status = haft__buf_check(&text, err);
    haft__print_json(cli->out, haft__buf_str(&text));
    haft__buf_finish(&text);
    return status;
}

/* Returns the request members that the model's server has rejected before. Returns none if the
 * server's address is unknown. */
static haft__refusals find_refusals(haft__cli *cli, const haft__model_spec *model)
{
    haft__refusals none = {.count = 0};
    char key[HAFT__SHA256_HEX];
    haft__runtime_env env = haft__config_env(cli);
    haft__redactor redactor;
    haft__endpoint endpoint = {.env = env.env,
                               .key_env = env.key_env,
                               .arena = &cli->arena,
                               .redactor = &redactor,
                               .model = model,
                               .provider = haft__provider_for_model(model)};
    if (endpoint.provider == NULL) {
        return none;
    }
    haft__redactor_init(&redactor, &cli->arena);
    haft_status ignored = haft__endpoint_resolve(&endpoint, NULL); /* the key may be missing */
    (void)ignored;
    bool known =
        endpoint.url.len > 0
        && haft__refusal_key(endpoint.url, model->model, model->options, key, NULL) == HAFT_OK;
    return known ? haft__refusal_file_read((haft_str){key, sizeof(key)}) : none;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__explanation e;
    haft__spec_file file;
    haft_status status = haft__spec_file_inspect(cli, args->words[0], args, &file, err);
    if (status != HAFT_OK || !haft__spec_file_usable(&file, cli)) {
        return HAFT__EXIT_USAGE;
    }
    if (file.spec->kind == HAFT__SPEC_GRAPH) {
        (void)haft__hint(err,
                         haft__fail(err, HAFT_BAD_INPUT, args->words[0],
                                    "a graph calls no model itself; its agents do"),
                         "explain the spec of an agent; `haft graph` draws the graph");
        return HAFT__EXIT_USAGE;
    }
    haft_str task = haft__str(args->word_count > 1 ? args->words[1] : "");
    haft__refusals refusals = find_refusals(cli, &file.spec->model);
    status = haft__explain(&cli->arena, file.spec, task, &refusals, haft__clock_now(),
                           haft__random_hash_key(), &e, err);
    if (status == HAFT_OK && haft__args_has(args, "json")) {
        status = print_json(cli, &e, err);
    } else if (status == HAFT_OK) {
        haft__explain_print(cli->out, &e);
    }
    haft__explain_finish(&e);
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"model", 'm', HAFT__OPTION_TEXT, "M", "use this model instead of the spec's: provider:model"},
    {"set", 0, HAFT__OPTION_TEXT, "PATH=VALUE", "override a part of the spec; may be repeated"},
    {"json", 0, HAFT__OPTION_FLAG, NULL, "print one JSON object"},
    HAFT__OPTION_NO_CONFIG,
    {0},
};

static const haft__example examples[] = {
    {"haft explain agent.yaml 'Count the words'", "the first request to the model, and why"},
    {0},
};

const haft__command haft__cmd_explain = {
    .name = "explain",
    .usage = "SPEC [TASK]",
    .summary = "print which tools a model would see, the first request, and why",
    .help = "Prints the model's family and the settings that come from it, each tool with its\n"
            "verdict and reason, the format of calls, how forced replies are constrained, the\n"
            "choice of the first turn with its reason, all limits, and the request that would be\n"
            "sent.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 2,
    .run = run,
    .object = true,
};
