/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry/log_line.h"
#include "test.h"

static haft__span span_of(haft__span_kind kind)
{
    haft__span span = {.kind = kind,
                       .trace_high = 0xab,
                       .trace_low = 1,
                       .id = 7,
                       .start_ms = 1000,
                       .end_ms = 1250,
                       .message = HAFT__LIT("secret text")};
    haft__span_set_text(&span, HAFT__ATTRIBUTE_RUN, HAFT__LIT("r"));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_CONVERSATION, HAFT__LIT("t"));
    haft__span_set_int(&span, HAFT__ATTRIBUTE_TURN, 3);
    return span;
}

#define HEAD(level, what)                                                                          \
    "{\"at\":\"1970-01-01T00:00:01.250Z\",\"level\":\"" level "\",\"what\":\"" what                \
    "\",\"run\":\"r\",\"thread\":\"t\","
#define TAIL                                                                                       \
    ",\"ms\":250,\"trace_id\":\"00000000000000ab0000000000000001\",\"span_id\":"                   \
    "\"0000000000000007\"}\n"

static void check_line(const haft__span *span, const char *line)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    haft__log_line_write(&buf, span);
    CHECK_STR(haft__buf_str(&buf), haft__str(line), "kind %d", (int)span->kind);
    haft__buf_finish(&buf);
}

TEST(lines_of_all_kinds_have_these_members)
{
    haft__span agent = span_of(HAFT__SPAN_AGENT), graph = span_of(HAFT__SPAN_WORKFLOW);
    haft__span chat = span_of(HAFT__SPAN_CHAT), tool = span_of(HAFT__SPAN_TOOL);
    haft__span_set_text(&agent, HAFT__ATTRIBUTE_AGENT, HAFT__LIT("a\"b"));
    haft__span_set_text(&agent, HAFT__ATTRIBUTE_END, HAFT__LIT("done"));
    check_line(&agent, HEAD("info", "run") "\"agent\":\"a\\\"b\",\"end\":\"done\",\"turns\":3,"
                                           "\"input_tokens\":null,\"output_tokens\":null,"
                                           "\"error\":null" TAIL);
    haft__span_set_text(&graph, HAFT__ATTRIBUTE_WORKFLOW, HAFT__LIT("g"));
    graph.failed = true;
    check_line(&graph, HEAD("error", "run") "\"agent\":\"g\",\"end\":null,\"turns\":3,"
                                            "\"input_tokens\":null,\"output_tokens\":null,"
                                            "\"error\":null" TAIL);
    haft__span_set_list(&chat, HAFT__ATTRIBUTE_FINISH_REASONS, HAFT__LIT("stop"));
    haft__span_set_int(&chat, HAFT__ATTRIBUTE_INPUT_TOKENS, 11);
    check_line(&chat, HEAD("info", "turn") "\"agent\":null,\"turn\":3,\"mode\":null,\"gate\":null,"
                                           "\"provider\":null,\"model\":null,\"input_tokens\":11,"
                                           "\"output_tokens\":null,\"stop\":\"stop\","
                                           "\"error\":null" TAIL);
    haft__span_set_text(&tool, HAFT__ATTRIBUTE_ERROR_TYPE, HAFT__LIT("timeout"));
    haft__span_set_text(&tool, HAFT__ATTRIBUTE_TOOL_RESULT, HAFT__LIT("secret text"));
    tool.failed = true;
    check_line(&tool, HEAD("error", "call") "\"agent\":null,\"turn\":3,\"call\":null,"
                                            "\"tool\":null,\"attempt\":null,"
                                            "\"error\":\"timeout\"" TAIL);
}
