/* SPDX-License-Identifier: Apache-2.0 */
/* mock_model.c - `haft mock-model`: a model server that plays a script. Tests:
 * tests/cli/mock_model_test.py, tests/clients/openai_test.py. */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "cli/service_console.h"
#include "engine/script_file.h"
#include "io/random.h"

static haft_status find_like(const char *name, haft__mock_service_kind *ret_like, haft_error *err)
{
    static const struct {
        const char *name;
        haft__mock_service_kind like;
    } known[] = {{"openai", HAFT__MOCK_SERVICE_OPENAI},
                 {"llamacpp", HAFT__MOCK_SERVICE_LLAMACPP},
                 {"vllm", HAFT__MOCK_SERVICE_OTHER},
                 {"ollama", HAFT__MOCK_SERVICE_OLLAMA}};
    for (size_t i = 0; i < COUNT(known); i++) {
        if (strcmp(name, known[i].name) == 0) {
            *ret_like = known[i].like;
            return HAFT_OK;
        }
    }
    return haft__fail(err, HAFT_BAD_INPUT, "--like",
                      "expected openai, llamacpp, vllm or ollama, found \"%s\"", name);
}

static haft_status serve(haft__cli *cli, haft__mock_service_options *options, haft_error *err)
{
    haft__service_console console = {.cli = cli, .name = "mock-model", .path = "/v1"};
    options->host = haft__service_console_host(&console);
    haft_status status = haft__loop_create(&options->loop, err);
    if (status == HAFT_OK) {
        status = haft__interrupts_watch(&console.interrupts, options->loop, err);
    }
    if (status == HAFT_OK) {
        status = cli->services->run_mock_model(options, err);
    }
    haft__interrupts_release(&console.interrupts);
    haft__loop_destroy(options->loop);
    return status;
}

static haft__exit_status run(haft__cli *cli, const haft__args *args, haft_error *err)
{
    haft__script script;
    haft__mock_service_options mock = {.script = &script,
                                       .hash_key = haft__random_hash_key(),
                                       .listen = haft__args_text(args, "listen", "127.0.0.1:0"),
                                       .repeat_script = haft__args_has(args, "loop"),
                                       .dimensions = haft__args_number(args, "embeddings", 0),
                                       .fault = haft__args_text(args, "embeddings-fault", NULL),
                                       .require_key = haft__args_has(args, "require-key")};
    if (find_like(haft__args_text(args, "like", "openai"), &mock.like, err) != HAFT_OK) {
        return HAFT__EXIT_USAGE;
    }
    if (mock.dimensions > HAFT__LIMIT_SEARCH_DIMENSIONS) {
        (void)haft__fail(err, HAFT_BAD_INPUT, "--embeddings",
                         "expected at most %d numbers, found %zu", HAFT__LIMIT_SEARCH_DIMENSIONS,
                         mock.dimensions);
        return HAFT__EXIT_USAGE;
    }
    haft_status status = haft__script_file_read(&cli->arena, haft__str(args->words[0]), false,
                                                mock.hash_key, &script, err);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? HAFT__EXIT_FAILED : HAFT__EXIT_USAGE;
    }
    status = serve(cli, &mock, err);
    if (status == HAFT_BAD_INPUT) {
        haft__error_prepend_location(err, "--listen");
        return HAFT__EXIT_USAGE;
    }
    return status == HAFT_OK ? HAFT__EXIT_DONE : HAFT__EXIT_FAILED;
}

static const haft__option options[] = {
    {"listen", 0, HAFT__OPTION_TEXT, "ADDR:PORT",
     "where to listen; by default 127.0.0.1:0, any free port"},
    {"like", 0, HAFT__OPTION_TEXT, "NAME",
     "which server to imitate: openai (default), llamacpp, vllm or ollama"},
    {"loop", 0, HAFT__OPTION_FLAG, NULL, "start again after the last reply"},
    {"embeddings", 0, HAFT__OPTION_NUMBER, "N",
     "answer /v1/embeddings with toy vectors of N numbers"},
    {"embeddings-fault", 0, HAFT__OPTION_CHOICE, "error|slow|garbage|sizes",
     "how the answers of /v1/embeddings are wrong"},
    {"require-key", 0, HAFT__OPTION_FLAG, NULL,
     "refuse requests without an API key; any key is accepted"},
    {0},
};

static const haft__example examples[] = {
    {"haft mock-model script.yaml --listen 127.0.0.1:0", "play the script on any free port"},
    {0},
};

const haft__command haft__cmd_mock_model = {
    .name = "mock-model",
    .usage = "SCRIPT",
    .summary = "play a script as an OpenAI-compatible server",
    .help =
        "Answers POST /v1/chat/completions (with --like ollama also POST /api/chat, which is\n"
        "Ollama's own API) from SCRIPT (YAML or JSON), one reply for each request, and\n"
        "refuses requests that the provider would refuse. The first line on\n"
        "standard output is 'listening on http://ADDR:PORT/v1'. SIGTERM, SIGINT or SIGHUP ends\n"
        "it. docs/script.md describes scripts.\n",
    .options = options,
    .examples = examples,
    .min_words = 1,
    .max_words = 1,
    .run = run,
};
