/* SPDX-License-Identifier: Apache-2.0 */
/*
 * catalogue.c - asks the servers of a run for their tools, and records what of them it sees.
 *
 * Tests: tests/engine/catalogue_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "engine/runtime.h"
#include "run/redact.h"

void haft__catalogue_stop(haft_run *run)
{
    if (run->catalogue != NULL) {
        run->runtime->servers.cancel(run->catalogue);
        run->catalogue = NULL;
    }
}

/* A server may know a secret of the spec and put it into a definition. What is written down has it
 * redacted, and is then no definition any more: such a tool is left out. */
static haft_status drop_secrets(const haft_run *run, haft__reveal *reveal, haft_error *err)
{
    haft__buf text, clean;
    haft_status status = HAFT_OK;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < reveal->tool_count && status == HAFT_OK; i++) {
        haft__reveal_tool *tool = &reveal->tools[i];
        if (!tool->revealed) {
            continue;
        }
        haft__buf_clear(&text);
        haft__buf_clear(&clean);
        haft__reveal_write(&text, tool->tool);
        bool secrets = haft__redact(run->agent->redactor, haft__buf_str(&text), &clean);
        status = haft__buf_check(&text, err);
        status = status == HAFT_OK ? haft__buf_check(&clean, err) : status;
        if (status == HAFT_OK && secrets) {
            *tool = (haft__reveal_tool){tool->tool, false, "there is a secret in its definition"};
            reveal->revealed--;
        }
    }
    haft__buf_finish(&text);
    haft__buf_finish(&clean);
    return status;
}

static haft_status record(haft_run *run, const haft__mcp_listing *listings, size_t count,
                          haft_error *err)
{
    haft__buf *body = &run->runtime->body;
    haft__arena scratch;
    haft__reveal reveal;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__reveal_decide(run->agent->spec, listings, count, &scratch,
                                             run->runtime->hash_key, &reveal, err);
    haft__buf_clear(body);
    if (status == HAFT_OK) {
        status = drop_secrets(run, &reveal, err);
    }
    if (status == HAFT_OK) {
        haft__input_tools_revealed(body, &reveal);
        status = haft__buf_check(body, err);
    }
    haft__arena_finish(&scratch);
    return status;
}

static void on_listed(void *context, const haft__mcp_listing *listings, size_t count)
{
    haft_run *run = context;
    haft_error err = {0};
    run->catalogue = NULL;
    if (record(run, listings, count, &err) != HAFT_OK) {
        haft__live_fail(run, &err);
        return;
    }
    haft__live_take(run, haft__buf_str(&run->runtime->body));
}

haft_status haft__catalogue_start(haft_run *run, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    return runtime->servers.ask(runtime->exec, run->agent->spec, on_listed, run, &run->catalogue,
                                err);
}
