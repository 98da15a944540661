/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - see service.h. Tests: tests/cli/mock_model_test.py. */
#include "serve/mock/service.h"

#include "base/str.h"
#include "serve/mock/mock.h"

static void on_mismatch(void *context, const char *message)
{
    const haft__service_host *host = context;
    host->warn(host->context, haft__str(message));
}

static haft__chat_server_kind kind_of(haft__mock_service_kind like)
{
    switch (like) {
    case HAFT__MOCK_SERVICE_OPENAI: return HAFT__CHAT_SERVER_OPENAI;
    case HAFT__MOCK_SERVICE_LLAMACPP: return HAFT__CHAT_SERVER_LLAMACPP;
    case HAFT__MOCK_SERVICE_OLLAMA:
    case HAFT__MOCK_SERVICE_OTHER: return HAFT__CHAT_SERVER_OTHER;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__mock_service_run(const haft__mock_service_options *options, haft_error *err)
{
    haft__service_host host = options->host;
    haft__mock_model mock = {.loop = options->loop,
                             .script = options->script,
                             .on_mismatch = on_mismatch,
                             .context = &host,
                             .hash_key = options->hash_key,
                             .repeat_script = options->repeat_script,
                             .like = kind_of(options->like),
                             .ollama = options->like == HAFT__MOCK_SERVICE_OLLAMA,
                             .require_key = options->require_key,
                             .dimensions = options->dimensions,
                             .fault = options->fault};
    haft__http_server *server = NULL;
    haft__http_server_options listen = {.address = haft__str(options->listen)};
    haft_status status =
        haft__http_server_create(mock.loop, &listen, haft__mock_handle, &mock, &server, err);
    if (status == HAFT_OK) {
        status = host.on_listening(host.context, haft__http_server_address(server), err);
    }
    while (status == HAFT_OK && !host.stop(host.context)) {
        status = haft__loop_step(mock.loop, -1, err);
    }
    haft__http_server_destroy(server);
    return status;
}
