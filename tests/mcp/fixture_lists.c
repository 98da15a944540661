/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_lists.c - the tools, prompts and resources of the conformance fixture. */
#include "base/macros.h"
#include "base/str.h"
#include "fixture.h"
#include "io/clock.h"
#include "json/read.h"

#define NONE "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}"

static const struct {
    const char *name, *description, *schema;
} tools[] = {
    {"test_simple_text", "One text.", NONE},
    {"test_image_content", "An image.", NONE},
    {"test_audio_content", "A sound.", NONE},
    {"test_embedded_resource", "A resource in the result.", NONE},
    {"test_multiple_content_types", "Text, an image and a resource.", NONE},
    {"test_error_handling", "Always fails.", NONE},
    {"test_tool_with_progress", "Tells how far it has come.", NONE},
    {"test_tool_with_logging", "Writes to the log.", NONE},
    {"test_logging_tool", "Writes to the log if that is wanted.", NONE},
    {"test_reconnection", "Ends the connection before it answers.", NONE},
    {"test_sampling", "Has the client's model say something.",
     "{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":\"string\"}},"
     "\"required\":[\"prompt\"]}"},
    {"test_elicitation", "Asks the user.",
     "{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"}},"
     "\"required\":[\"message\"]}"},
    {"test_elicitation_sep1034_defaults", "Asks the user, with defaults.", NONE},
    {"test_elicitation_sep1330_enums", "Asks the user to choose.", NONE},
    {"test_streaming_elicitation", "Asks the user in the middle of a stream.", NONE},
    {"test_missing_capability", "Needs a client that can sample.", NONE},
    {"test_trigger_tool_change", "The list of tools changes.", NONE},
    {"test_trigger_prompt_change", "The list of prompts changes.", NONE},
    {"test_input_required_result_elicitation", "Asks for a name.", NONE},
    {"test_input_required_result_sampling", "Asks for a text.", NONE},
    {"test_input_required_result_list_roots", "Asks for roots.", NONE},
    {"test_input_required_result_request_state", "Asks and keeps a state.", NONE},
    {"test_input_required_result_multiple_inputs", "Asks for three things.", NONE},
    {"test_input_required_result_multi_round", "Asks twice.", NONE},
    {"test_input_required_result_tampered_state", "Asks and keeps a state.", NONE},
    {"test_input_required_result_capabilities", "Asks what the client can answer.", NONE},
    {"test_custom_header", "Wants an argument in a header.",
     "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\","
     "\"x-mcp-header\":\"Region\"}},\"required\":[\"region\"]}"},
    {"json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features",
     "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","
     "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{"
     "\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},\"properties\":{"
     "\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},"
     "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
     "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
     "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
     "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
     "\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"
     "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"},
};

static const char *const prompts[] = {
    "{\"name\":\"test_simple_prompt\",\"description\":\"One message.\"}",
    ("{\"name\":\"test_prompt_with_arguments\",\"description\":\"With two arguments.\","
     "\"arguments\":[{\"name\":\"arg1\",\"description\":\"First test argument\",\"required\":true},"
     "{\"name\":\"arg2\",\"description\":\"Second test argument\",\"required\":true}]}"),
    ("{\"name\":\"test_prompt_with_embedded_resource\",\"description\":\"With a resource.\","
     "\"arguments\":[{\"name\":\"resourceUri\",\"description\":\"Which one\",\"required\":true}]}"),
    "{\"name\":\"test_prompt_with_image\",\"description\":\"With an image.\"}",
    "{\"name\":\"test_input_required_result_prompt\",\"description\":\"Asks something first.\"}",
};

static const char *const resources[] = {
    "{\"uri\":\"test://static-text\",\"name\":\"static-text\",\"description\":\"A text.\","
    "\"mimeType\":\"text/plain\"}",
    "{\"uri\":\"test://static-binary\",\"name\":\"static-binary\",\"description\":\"An image.\","
    "\"mimeType\":\"image/png\"}",
    "{\"uri\":\"test://watched-resource\",\"name\":\"watched-resource\","
    "\"description\":\"One to watch.\",\"mimeType\":\"text/plain\"}",
};

static const char *const templates[] = {
    "{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template\","
    "\"description\":\"A resource with an id.\",\"mimeType\":\"application/json\"}",
};

size_t fixture_count(void *context, haft__mcp_list list)
{
    (void)context;
    switch (list) {
    case HAFT__MCP_LIST_TOOLS: return COUNT(tools);
    case HAFT__MCP_LIST_RESOURCES: return COUNT(resources);
    case HAFT__MCP_LIST_TEMPLATES: return COUNT(templates);
    case HAFT__MCP_LIST_PROMPTS: return COUNT(prompts);
    }
    HAFT__UNREACHABLE();
}

void fixture_write(void *context, haft__mcp_list list, size_t index, bool modern, haft__buf *buf)
{
    (void)context;
    (void)modern;
    switch (list) {
    case HAFT__MCP_LIST_TOOLS:
        haft__buf_addf(buf, "{\"name\":\"%s\",\"description\":\"%s\",\"inputSchema\":%s}",
                       tools[index].name, tools[index].description, tools[index].schema);
        break;
    case HAFT__MCP_LIST_RESOURCES: haft__buf_add_str(buf, haft__str(resources[index])); break;
    case HAFT__MCP_LIST_TEMPLATES: haft__buf_add_str(buf, haft__str(templates[index])); break;
    case HAFT__MCP_LIST_PROMPTS: haft__buf_add_str(buf, haft__str(prompts[index])); break;
    }
}

const haft__json *fixture_schema(void *context, haft_str tool)
{
    fixture *f = context;
    for (size_t i = 0; i < COUNT(tools); i++) {
        haft__json *schema = haft__arena_alloc(&f->arena, sizeof(*schema));
        if (haft__str_equal(haft__str(tools[i].name), tool)) {
            haft_status status =
                haft__json_read(&f->arena, haft__str(tools[i].schema), NULL, schema, NULL, NULL);
            return status == HAFT_OK ? schema : NULL;
        }
    }
    return NULL;
}

/* ---- prompts ---- */

static haft_str argument(const haft__mcp_request *mcp_request, const char *name)
{
    const haft__json *value = haft__json_get(mcp_request->arguments, haft__str(name));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

static void add_message(haft__buf *members, bool first, const char *content)
{
    haft__buf_addf(members, "%s{\"role\":\"user\",\"content\":%s}", first ? "\"messages\":[" : ",",
                   content);
}

static void answer(haft__mcp_request *mcp_request, haft__buf *members)
{
    haft__mcp_request_reply(mcp_request, haft__buf_str(members));
    haft__buf_finish(members);
}

static void ask_context(haft__mcp_request *mcp_request)
{
    haft__mcp_server_question question = {
        HAFT__LIT("user_context"), HAFT__LIT("elicitation/create"),
        HAFT__LIT("{\"mode\":\"form\",\"message\":\"What context should the prompt use?\","
                  "\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"context\":{\"type\":"
                  "\"string\"}},\"required\":[\"context\"]}}")};
    haft__mcp_request_ask(mcp_request, &question, 1, HAFT__LIT("prompt"), haft__clock_now());
}

void fixture_prompt(fixture *f, haft__mcp_request *mcp_request)
{
    (void)f;
    haft__buf members;
    haft__buf_init(&members, 1 << 20);
    if (haft__str_equal(mcp_request->name, HAFT__LIT("test_simple_prompt"))) {
        add_message(&members, true,
                    "{\"type\":\"text\",\"text\":\"This is a simple prompt for testing.\"}");
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("test_prompt_with_arguments"))) {
        haft_str one = argument(mcp_request, "arg1"), two = argument(mcp_request, "arg2");
        haft__buf_addf(&members,
                       "\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":"
                       "\"Prompt with arguments: arg1='%.*s', arg2='%.*s'\"}}",
                       HAFT__ARG(one), HAFT__ARG(two));
    } else if (haft__str_equal(mcp_request->name,
                               HAFT__LIT("test_prompt_with_embedded_resource"))) {
        haft__buf_add_str(&members, HAFT__LIT("\"messages\":[{\"role\":\"user\",\"content\":{"
                                              "\"type\":\"resource\",\"resource\":{\"uri\":"));
        haft__json_write_string(&members, argument(mcp_request, "resourceUri"));
        haft__buf_add_str(&members,
                          HAFT__LIT(",\"mimeType\":\"text/plain\",\"text\":\"Embedded resource "
                                    "content for testing.\"}}}"));
        add_message(&members, false,
                    "{\"type\":\"text\",\"text\":\"Please process the embedded resource above.\"}");
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("test_prompt_with_image"))) {
        add_message(&members, true,
                    "{\"type\":\"image\",\"data\":\"" FIXTURE_PNG "\",\"mimeType\":\"image/png\"}");
        add_message(&members, false,
                    "{\"type\":\"text\",\"text\":\"Please analyze the image above.\"}");
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("test_input_required_result_prompt"))) {
        if (haft__json_get(mcp_request->answers, HAFT__LIT("user_context")) == NULL) {
            ask_context(mcp_request);
            return;
        }
        add_message(&members, true, "{\"type\":\"text\",\"text\":\"With that context.\"}");
    } else {
        haft__mcp_request_fail(mcp_request, HAFT__RPC_PARAMS, HAFT__LIT("there is no such prompt"),
                               HAFT__LIT(""));
        return;
    }
    haft__buf_add_char(&members, ']');
    answer(mcp_request, &members);
}

/* ---- resources ---- */

static void answer_resource(haft__mcp_request *mcp_request, const char *mime, const char *key,
                            haft_str content)
{
    haft__buf members;
    haft__buf_init(&members, 1 << 20);
    haft__buf_add_str(&members, HAFT__LIT("\"contents\":[{\"uri\":"));
    haft__json_write_string(&members, mcp_request->name);
    haft__buf_addf(&members, ",\"mimeType\":\"%s\",\"%s\":", mime, key);
    haft__json_write_string(&members, content);
    haft__buf_add_str(&members, HAFT__LIT("}]"));
    haft__buf_add_str(&members, mcp_request->modern
                                    ? HAFT__LIT(",\"ttlMs\":0,\"cacheScope\":\"private\"")
                                    : HAFT__LIT(""));
    answer(mcp_request, &members);
}

/* test://template/{id}/data */
static bool answer_template(haft__mcp_request *mcp_request)
{
    haft_str head = HAFT__LIT("test://template/"), tail = HAFT__LIT("/data");
    if (!haft__str_starts_with(mcp_request->name, head)
        || !haft__str_ends_with(mcp_request->name, tail)
        || mcp_request->name.len <= head.len + tail.len) {
        return false;
    }
    haft_str id = {mcp_request->name.ptr + head.len, mcp_request->name.len - head.len - tail.len};
    char text[256];
    int length = snprintf(text, sizeof(text),
                          "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: %.*s\"}",
                          (int)(id.len > 64 ? 64 : id.len), id.ptr,
                          (int)(id.len > 64 ? 64 : id.len), id.ptr);
    answer_resource(mcp_request, "application/json", "text", (haft_str){text, (size_t)length});
    return true;
}

void fixture_resource(fixture *f, haft__mcp_request *mcp_request)
{
    (void)f;
    if (haft__str_equal(mcp_request->name, HAFT__LIT("test://static-text"))) {
        answer_resource(mcp_request, "text/plain", "text",
                        HAFT__LIT("This is the content of the static text resource."));
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("test://watched-resource"))) {
        answer_resource(mcp_request, "text/plain", "text", HAFT__LIT("Watched."));
    } else if (haft__str_equal(mcp_request->name, HAFT__LIT("test://static-binary"))) {
        answer_resource(mcp_request, "image/png", "blob", HAFT__LIT(FIXTURE_PNG));
    } else if (!answer_template(mcp_request)) {
        haft__buf data;
        haft__buf_init(&data, 1 << 20);
        haft__buf_add_str(&data, HAFT__LIT("{\"uri\":"));
        haft__json_write_string(&data, mcp_request->name);
        haft__buf_add_char(&data, '}');
        haft__mcp_request_fail(mcp_request,
                               mcp_request->modern ? HAFT__RPC_PARAMS : HAFT__RPC_RESOURCE,
                               HAFT__LIT("Resource not found"), haft__buf_str(&data));
        haft__buf_finish(&data);
    }
}
