/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result.c - the result of a call, and whether it may have had an effect. Tests:
 * tests/exec/mcp/mcp_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"
#include "mcp/client/content.h"
#include "mcp/visible.h"
#include "json/write.h"

/* ---- content ---- */

static void pass_blobs(haft__mcp_tool_call *tool_call, const haft__mcp_content *content,
                       haft__exec_result *result)
{
    haft__exec_blob *blobs =
        haft__arena_array(&tool_call->job->arena, content->blob_count, sizeof(*blobs));
    for (size_t i = 0; blobs != NULL && i < content->blob_count; i++) {
        blobs[i] = (haft__exec_blob){.bytes = content->blobs[i].bytes,
                                     .media_type = content->blobs[i].media_type};
    }
    result->blobs = blobs;
    result->blob_count = blobs != NULL ? content->blob_count : 0; /* the text has a note for each */
}

static void report_result(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done,
                          haft__exec_result *result)
{
    haft__mcp_content content;
    haft_error err = {0};
    haft_status status = haft__mcp_content_read(
        &tool_call->job->arena, done->result, done->exact, tool_call->output_schema,
        tool_call->connection->exec->connection_pool->hash_key, &content, &err);
    result->started = true;
    if (status == HAFT_OK) {
        result->ok = !content.failed;
        result->text = content.text;
        pass_blobs(tool_call, &content, result);
        return;
    }
    result->text = haft__arena_format(&tool_call->job->arena,
                                      "the MCP server '%.*s' sent a result that cannot be used: %s",
                                      HAFT__ARG(tool_call->connection->server.name), err.message);
    result->text = result->text.ptr != NULL ? result->text : HAFT__LIT("out of memory");
    result->where = haft__arena_format(&tool_call->job->arena, "%s", err.where);
    result->where.len = result->where.ptr != NULL ? result->where.len : 0;
}

/* ---- errors ---- */

static void report_error(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done,
                         haft__exec_result *result)
{
    const haft_error *broken = &tool_call->connection->error; /* more specific than "lost" */
    bool lost = done->outcome == HAFT__MCP_OUTCOME_LOST && broken->status != HAFT_OK;
    const haft_error *error = lost ? broken : &done->error;
    bool names_server =
        haft__str_starts_with(haft__str(error->message), HAFT__LIT("the MCP server '"));
    result->text =
        lost ? haft__mcp_connection_error_text(tool_call->connection, &tool_call->job->arena)
        : names_server
            ? haft__str(error->message)
            : haft__arena_format(&tool_call->job->arena, "the MCP server '%.*s': %s",
                                 HAFT__ARG(tool_call->connection->server.name), error->message);
    result->text = result->text.ptr != NULL ? result->text : HAFT__LIT("out of memory");
    result->hint = haft__str(error->hint);
    result->started = done->sent;
}

static bool is_transient_status(uint32_t http)
{
    return http == 408 || http == 425 || http == 429 || http >= 500;
}

void haft__mcp_tool_call_result(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done,
                                haft__exec_result *ret_result)
{
    *ret_result = (haft__exec_result){.text = HAFT__LIT("")};
    switch (done->outcome) {
    case HAFT__MCP_OUTCOME_RESULT: report_result(tool_call, done, ret_result); break;
    case HAFT__MCP_OUTCOME_ERROR:
    case HAFT__MCP_OUTCOME_RETRY:
        report_error(tool_call, done, ret_result);
        ret_result->transient = is_transient_status(done->http);
        break;
    case HAFT__MCP_OUTCOME_LOST: /* the run continues: the model learns that the outcome is unknown
                                  */
        report_error(tool_call, done, ret_result);
        ret_result->transient = true;
        ret_result->lost = done->sent;
        if (done->sent) {
            ret_result->hint = HAFT__LIT(
                "it may or may not have had its effect: find out before you call it again");
        }
        break;
    case HAFT__MCP_OUTCOME_CANCELLED: report_error(tool_call, done, ret_result); break;
    case HAFT__MCP_OUTCOME_INPUT_REQUIRED:
        ret_result->text =
            HAFT__LIT("the tool asks for input from a person, and no person can be asked");
        ret_result->started = true;
        break;
    }
}
