/* SPDX-License-Identifier: Apache-2.0 */
/* result_artifacts.c - see result_artifacts.h. Tests: tests/engine/result_artifacts_test.c,
 * tests/cli/binary_test.py. */
#include "engine/result_artifacts.h"

#include "base/base64.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "run/artifact.h"
#include "run/redact/redact.h"

/* Whether the bytes, or their base64 form, contain a secret, so that the event would be redacted.
 * Secrets in compressed or encrypted content are not found. */
static haft_status find_secret(haft_run *run, haft_str bytes, bool *ret_found, haft_error *err)
{
    haft__buf text, *clean = &run->runtime->clean;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__base64_add(&text, bytes);
    haft__buf_clear(clean);
    bool found = haft__redact(run->agent->redactor, bytes, clean);
    found = haft__redact(run->agent->redactor, haft__buf_str(&text), clean) || found;
    haft_status status = haft__buf_check(&text, err);
    status = status == HAFT_OK ? haft__buf_check(clean, err) : status;
    haft__buf_finish(&text);
    *ret_found = found;
    return status;
}

static haft_status judge(haft_run *run, haft_str bytes, haft__artifact_fate *ret_fate,
                         haft_error *err)
{
    bool secret = false;
    *ret_fate = HAFT__ARTIFACT_TOO_BIG;
    if (bytes.len > HAFT__LIMIT_ARTIFACT_BINARY_BYTES) {
        return HAFT_OK;
    }
    haft_status status = find_secret(run, bytes, &secret, err);
    *ret_fate = secret ? HAFT__ARTIFACT_SECRET : HAFT__ARTIFACT_STORED;
    return status;
}

static haft_status store(haft_run *run, const haft__run_call *call, const haft__exec_blob *blob,
                         haft_str name, haft_error *err)
{
    haft__buf *body = &run->runtime->body;
    haft__buf_clear(body);
    haft__input_artifact_stored(body, call->id, name, blob->media_type, blob->bytes);
    haft_status status = haft__buf_check(body, err);
    return status == HAFT_OK
               ? haft__log_append(run, haft__runtime_now(run->runtime), haft__buf_str(body), err)
               : status;
}

/* Appends the event and the line of one part. */
static haft_status add_part(haft_run *run, const haft__run_call *call, const haft__exec_blob *blob,
                            haft__arena *arena, haft__buf *text, haft_error *err)
{
    haft__artifact_fate fate;
    haft_str name = HAFT__LIT("");
    haft_status status = judge(run, blob->bytes, &fate, err);
    if (status == HAFT_OK && fate == HAFT__ARTIFACT_STORED) {
        name = blob->name.len > 0
                   ? blob->name
                   : haft__artifact_choose_name(&run->state, call->name, blob->media_type, arena);
        status =
            name.ptr != NULL ? store(run, call, blob, name, err) : haft__arena_fail(arena, err);
    }
    if (text->len > 0) {
        haft__buf_add_char(text, '\n');
    }
    haft__artifact_describe(text, fate, blob->bytes.len, blob->media_type, name);
    return status;
}

haft_status haft__result_artifacts_store(haft_run *run, const haft__run_call *call,
                                         const haft__exec_result *result, haft__arena *arena,
                                         haft_str *io_text, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, *io_text);
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < result->blob_count; i++) {
        status = add_part(run, call, &result->blobs[i], arena, &text, err);
    }
    status = status == HAFT_OK ? haft__buf_check(&text, err) : status;
    if (status == HAFT_OK) {
        *io_text = haft__arena_copy(arena, haft__buf_str(&text));
        status = io_text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&text);
    return status;
}
