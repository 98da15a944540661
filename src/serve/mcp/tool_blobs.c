/* SPDX-License-Identifier: Apache-2.0 */
/* tool_blobs.c - results that are not text, for an MCP client. Tests: tests/cli/mcp_test.py. */
#include "base/base64.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/artifact.h"
#include "serve/mcp/spec_int.h"
#include "json/write.h"

/* An image, audio, or a resource of another media type. */
static void write_blob(haft__buf *members, const haft__exec_blob *blob, size_t number)
{
    bool image = haft__str_starts_with(blob->media_type, HAFT__LIT("image/"));
    bool audio = haft__str_starts_with(blob->media_type, HAFT__LIT("audio/"));
    if (image || audio) {
        haft__buf_addf(members, "{\"type\":\"%s\",\"data\":\"", image ? "image" : "audio");
    } else {
        haft__buf_addf(members,
                       "{\"type\":\"resource\",\"resource\":{\"uri\":\"haft:result/%zu\","
                       "\"blob\":\"",
                       number);
    }
    haft__base64_add(members, blob->bytes);
    haft__buf_add_str(members, HAFT__LIT("\",\"mimeType\":"));
    haft__json_write_string(members, blob->media_type);
    haft__buf_add_str(members, image || audio ? HAFT__LIT("}") : HAFT__LIT("}}"));
}

static void write_text_block(haft__buf *members, haft_str text)
{
    haft__buf_add_str(members, HAFT__LIT("{\"type\":\"text\",\"text\":"));
    haft__json_write_string(members, text);
    haft__buf_add_char(members, '}');
}

/* A part with a secret is withheld as a whole. */
static bool write_part(haft__mcp_spec_job *job, haft__buf *members, const haft__exec_blob *blob,
                       size_t number)
{
    haft__buf clean, note;
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&note, HAFT__LIMIT_JSON_BYTES);
    bool redacted = haft__mcp_spec_redact(job->spec_server, blob->bytes, &clean);
    if (redacted && haft__str_equal(haft__buf_str(&clean), blob->bytes)) {
        write_blob(members, blob, number);
    } else if (redacted) {
        haft__artifact_describe(&note, HAFT__ARTIFACT_SECRET, blob->bytes.len, blob->media_type,
                                HAFT__LIT(""));
        write_text_block(members, haft__buf_str(&note));
    }
    haft__buf_finish(&clean);
    haft__buf_finish(&note);
    return redacted;
}

void haft__mcp_spec_reply_blobs(haft__mcp_spec_job *job, const haft__exec_result *result)
{
    haft__buf clean, members;
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&members, HAFT__LIMIT_JSON_BYTES);
    bool good = haft__mcp_spec_redact(job->spec_server, result->text, &clean);
    haft__buf_add_str(&members, HAFT__LIT("\"content\":["));
    if (clean.len > 0) {
        write_text_block(&members, haft__buf_str(&clean));
    }
    for (size_t i = 0; good && i < result->blob_count; i++) {
        if (i > 0 || clean.len > 0) {
            haft__buf_add_char(&members, ',');
        }
        good = write_part(job, &members, &result->blobs[i], i + 1);
    }
    haft__buf_add_char(&members, ']');
    haft__mcp_request *request = job->request;
    haft__mcp_spec_job_destroy(job);
    if (good && haft__buf_check(&members, NULL) == HAFT_OK) {
        haft__mcp_request_reply(request, haft__buf_str(&members));
    } else {
        haft__mcp_request_reply_text(request, HAFT__LIT("the result is too long, or out of memory"),
                                     true);
    }
    haft__buf_finish(&members);
    haft__buf_finish(&clean);
}
