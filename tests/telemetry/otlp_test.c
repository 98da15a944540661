/* SPDX-License-Identifier: Apache-2.0 */
/* The golden files are also decoded with the official messages (tests/telemetry/proto_test.py).
 * HAFT_RENEW=1 writes them. */
#include "telemetry/otlp/metrics.h"
#include "telemetry/otlp/response.h"
#include "telemetry/otlp/traces.h"
#include "test.h"

#include "base/hex.h"
#include "run/scenario_help.h"

#define FOLDER   "tests/telemetry/golden/"
#define START_MS UINT64_C(1794811127750)

static const haft__resource_attribute attributes[] = {
    {HAFT__LIT("service.name"), HAFT__LIT("haft")},
    {HAFT__LIT("service.version"), HAFT__LIT("0.1.0")},
    {HAFT__LIT("service.instance.id"), HAFT__LIT("h1")},
};
static const haft__resource resource = {attributes, COUNT(attributes), HAFT__LIT("0.1.0")};

/* Compares a text with a golden file; protobuf is in hex, 64 digits a line. */
static void check_golden(const char *name, haft__otlp_encoding encoding, haft_str found)
{
    char path[128];
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    bool json = encoding == HAFT__OTLP_JSON;
    (void)snprintf(path, sizeof(path), FOLDER "%s.%s", name, json ? "json" : "hex");
    for (size_t i = 0; i < found.len; i++) {
        char digits[2];
        haft__hex_write(digits, found.ptr + i, 1);
        if (json) {
            haft__buf_add_char(&text, found.ptr[i]);
        } else {
            haft__buf_add(&text, digits, 2);
        }
        if (!json && i % 32 == 31 && i + 1 < found.len) {
            haft__buf_add_char(&text, '\n');
        }
    }
    haft__buf_add_char(&text, '\n');
    if (!help_renew(path, haft__buf_str(&text))) {
        CHECK_STR(haft__buf_str(&text), test_read_file(path), "%s", path);
    }
    haft__buf_finish(&text);
}

/* ---- spans ---- */

static haft__span span_of(haft__span_kind kind, uint64_t id, uint64_t parent, uint64_t from,
                          uint64_t to)
{
    haft__span span = {.kind = kind,
                       .trace_high = UINT64_C(0x5b8efff798038103),
                       .trace_low = UINT64_C(0xd269b633813fc60c),
                       .id = id,
                       .parent = parent,
                       .start_ms = START_MS + from,
                       .end_ms = START_MS + to,
                       .sampled = true,
                       .message = HAFT__LIT("")};
    haft__span_set_text(&span, HAFT__ATTRIBUTE_OPERATION,
                        haft__str(haft__span_names_of(kind)->operation));
    return span;
}

/* Spans with attributes of all types. */
static size_t make_spans(haft__span spans[4])
{
    spans[0] = span_of(HAFT__SPAN_AGENT, UINT64_C(0xeee19b7ec3c1b174), 0, 0, 90);
    haft__span_set_text(&spans[0], HAFT__ATTRIBUTE_AGENT, HAFT__LIT("agent"));
    haft__span_set_text(&spans[0], HAFT__ATTRIBUTE_END, HAFT__LIT("done"));
    haft__span_set_micros(&spans[0], HAFT__ATTRIBUTE_COST, 3100);
    spans[1] = span_of(HAFT__SPAN_CHAT, UINT64_C(0xeee19b7ec3c1b175), spans[0].id, 0, 40);
    haft__span_set_text(&spans[1], HAFT__ATTRIBUTE_REQUEST_MODEL, HAFT__LIT("gpt-5.4-mini"));
    haft__span_set_list(&spans[1], HAFT__ATTRIBUTE_FINISH_REASONS, HAFT__LIT("tool_calls"));
    haft__span_set_int(&spans[1], HAFT__ATTRIBUTE_INPUT_TOKENS, 11);
    haft__span_set_int(&spans[1], HAFT__ATTRIBUTE_OUTPUT_TOKENS, 0);
    haft__span_set_int(&spans[1], HAFT__ATTRIBUTE_SERVER_PORT, 443);
    spans[2] = span_of(HAFT__SPAN_TOOL, 1, spans[0].id, 41, 50);
    haft__span_set_text(&spans[2], HAFT__ATTRIBUTE_TOOL, HAFT__LIT("add \"\xE2\x82\xAC\""));
    haft__span_set_flag(&spans[2], HAFT__ATTRIBUTE_CACHED, true);
    haft__span_set_text(&spans[2], HAFT__ATTRIBUTE_ERROR_TYPE, HAFT__LIT("timeout"));
    haft__span_set_text(&spans[2], HAFT__ATTRIBUTE_TOOL_RESULT, HAFT__LIT("a\xFF\x62\n"));
    spans[2].failed = true;
    spans[2].message = HAFT__LIT("too slow");
    spans[3] = span_of(HAFT__SPAN_WORKFLOW, UINT64_MAX, UINT64_C(1) << 63, 100, 100);
    spans[3].link = spans[0].id;
    return 4;
}

static void check_traces(haft__otlp_encoding encoding)
{
    haft__span spans[4];
    haft_str texts[4];
    haft__buf bufs[4], body;
    size_t count = make_spans(spans);
    for (size_t i = 0; i < count; i++) {
        haft__buf_init(&bufs[i], 1 << 16);
        haft__otlp_write_span(&bufs[i], encoding, &spans[i]);
        texts[i] = haft__buf_str(&bufs[i]);
    }
    haft__buf_init(&body, 1 << 16);
    haft__otlp_write_traces(&body, encoding, &resource, texts, count);
    CHECK_INT(body.status, HAFT_OK, "status");
    check_golden("traces", encoding, haft__buf_str(&body));
    for (size_t i = 0; i < count; i++) {
        haft__buf_finish(&bufs[i]);
    }
    haft__buf_finish(&body);
}

TEST(spans_have_these_bytes)
{
    check_traces(HAFT__OTLP_PROTOBUF);
    check_traces(HAFT__OTLP_JSON);
}

TEST(a_request_without_spans_is_valid)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 16);
    haft__resource none = {NULL, 0, HAFT__LIT("")};
    haft__otlp_write_traces(&body, HAFT__OTLP_JSON, &none, NULL, 0);
    CHECK_STR(haft__buf_str(&body),
              HAFT__LIT("{\"resourceSpans\":[{\"resource\":{\"attributes\":[]},\"scopeSpans\":[{"
                        "\"scope\":{\"name\":\"haft\",\"version\":\"\"},\"spans\":[]}]}]}"),
              "JSON");
    haft__buf_finish(&body);
}

/* ---- metrics ---- */

static void make_metrics(haft__metrics *metrics)
{
    const haft_str tool[] = {HAFT__LIT("add"), HAFT__LIT(""), HAFT__LIT("")};
    const haft_str end[] = {HAFT__LIT("report"), HAFT__LIT("done"), HAFT__LIT("")};
    const haft_str kind = HAFT__LIT("approval");
    haft__metrics_init(metrics, (haft__hash_key){1, 2}, START_MS);
    haft__metrics_observe(metrics, HAFT__METRIC_TOOL_DURATION, tool, 300, NULL);
    haft__metrics_observe(metrics, HAFT__METRIC_TOOL_DURATION, tool, 90000000, NULL);
    haft__metrics_add(metrics, HAFT__METRIC_RUNS_ENDED, end, 3);
    haft__metrics_set(metrics, HAFT__METRIC_PENDING, &kind, 1);
    haft__metrics_set(metrics, HAFT__METRIC_PENDING_OLDEST, &kind, -1500000);
    haft__metrics_observe(metrics, HAFT__METRIC_RUN_TURNS, end, 7, NULL);
    haft__metrics_set(metrics, HAFT__METRIC_PROCESS_MEMORY, NULL, 1); /* not for collectors */
}

static void check_metrics(haft__otlp_encoding encoding)
{
    haft__metrics metrics;
    haft__buf body;
    make_metrics(&metrics);
    haft__buf_init(&body, 1 << 16);
    haft__otlp_write_metrics(&body, encoding, &resource, &metrics, START_MS + 1000);
    check_golden("metrics", encoding, haft__buf_str(&body));
    haft__buf_finish(&body);
    haft__metrics_finish(&metrics);
}

TEST(metrics_have_these_bytes)
{
    check_metrics(HAFT__OTLP_PROTOBUF);
    check_metrics(HAFT__OTLP_JSON);
}

TEST(a_request_that_is_too_long_is_a_failure_of_the_buffer)
{
    for (size_t max = 0; max < 400; max += 7) {
        haft__metrics metrics;
        haft__buf body;
        make_metrics(&metrics);
        haft__buf_init(&body, max);
        haft__otlp_write_metrics(&body, HAFT__OTLP_PROTOBUF, &resource, &metrics, START_MS);
        CHECK_INT(body.status, HAFT_TOO_BIG, "%zu bytes", max);
        haft__buf_finish(&body);
        haft__metrics_finish(&metrics);
    }
}

TEST(decimal_numbers_have_no_needless_zeros)
{
    static const struct {
        int64_t micros;
        const char *text;
    } cases[] = {{0, "0"},
                 {1, "0.000001"},
                 {41500000, "41.5"},
                 {-1500000, "-1.5"},
                 {1000000, "1"},
                 {INT64_MAX, "9223372036854.775807"},
                 {INT64_MIN, "-9223372036854.775808"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 64);
        haft__otlp_write_micros(&buf, cases[i].micros);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].text), "row %zu", i);
        haft__buf_finish(&buf);
    }
}

/* ---- responses ---- */

#define BODY(bytes)                                                                                \
    {                                                                                              \
        bytes, sizeof(bytes) - 1                                                                   \
    }

TEST(a_partial_success_is_read)
{
    static const struct {
        haft_str body;
        haft__otlp_encoding encoding;
        uint64_t count;
        const char *message;
    } cases[] = {
        {BODY(""), HAFT__OTLP_PROTOBUF, 0, ""},
        {BODY("\x0a\x08\x08\x03\x12\x04"
              "full"),
         HAFT__OTLP_PROTOBUF, 3, "full"},
        {BODY("\x0a\x03\x08\xAC\x02"), HAFT__OTLP_PROTOBUF, 300, ""},
        /* An unknown field before it, of each wire type. */
        {BODY("\x10\x01\x19\0\0\0\0\0\0\0\0\x25\0\0\0\0\x2a\x01x\x0a\x02\x08\x07"),
         HAFT__OTLP_PROTOBUF, 7, ""},
        /* Broken: a length past the end, a group, a number without an end, a negative number. */
        {BODY("\x0a\x7f\x08\x03"), HAFT__OTLP_PROTOBUF, 0, ""},
        {BODY("\x0b\x0a\x02\x08\x03"), HAFT__OTLP_PROTOBUF, 0, ""},
        {BODY("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), HAFT__OTLP_PROTOBUF, 0, ""},
        {BODY("\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), HAFT__OTLP_PROTOBUF, 0, ""},
        {BODY("\x19\0\0"), HAFT__OTLP_PROTOBUF, 0, ""},
        {BODY("{}"), HAFT__OTLP_JSON, 0, ""},
        {BODY("{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"no\"}}"),
         HAFT__OTLP_JSON, 2, "no"},
        {BODY("{\"partialSuccess\":{\"rejectedDataPoints\":4}}"), HAFT__OTLP_JSON, 4, ""},
        {BODY("{\"partialSuccess\":{\"rejectedSpans\":\"-1\"}}"), HAFT__OTLP_JSON, 0, ""},
        {BODY("{\"partialSuccess\":[1]}"), HAFT__OTLP_JSON, 0, ""},
        {BODY("<html>"), HAFT__OTLP_JSON, 0, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__otlp_rejection found = haft__otlp_read_response(cases[i].body, cases[i].encoding,
                                                              &arena, (haft__hash_key){1, 2});
        CHECK_INT(found.count, cases[i].count, "row %zu", i);
        CHECK_STR(found.message, haft__str(cases[i].message), "row %zu", i);
        haft__arena_finish(&arena);
    }
}
