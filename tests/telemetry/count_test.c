/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry/count.h"
#include "telemetry/prometheus.h"
#include "test.h"

#define KEY ((haft__hash_key){1, 2})

static haft__span span_of(haft__span_kind kind, uint64_t ms)
{
    haft__span span = {.kind = kind, .id = 7, .start_ms = 1000, .end_ms = 1000 + ms};
    span.message = HAFT__LIT("");
    span.sampled = true;
    return span;
}

static void add_chat(haft__metrics *metrics, bool failed)
{
    haft__span span = span_of(HAFT__SPAN_CHAT, 40);
    haft__span_set_text(&span, HAFT__ATTRIBUTE_PROVIDER, HAFT__LIT("openai"));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_REQUEST_MODEL, HAFT__LIT("m"));
    if (failed) {
        haft__span_set_text(&span, HAFT__ATTRIBUTE_ERROR_TYPE, HAFT__LIT("transient"));
    } else {
        haft__span_set_micros(&span, HAFT__ATTRIBUTE_FIRST_CHUNK, 9000);
        haft__span_set_int(&span, HAFT__ATTRIBUTE_INPUT_TOKENS, 100);
        haft__span_set_int(&span, HAFT__ATTRIBUTE_OUTPUT_TOKENS, 20);
        haft__span_set_int(&span, HAFT__ATTRIBUTE_CACHE_READ_TOKENS, 60);
        haft__span_set_micros(&span, HAFT__ATTRIBUTE_COST, 3100);
    }
    haft__count_span(metrics, &span);
}

static void add_tool(haft__metrics *metrics, const char *error, bool cached)
{
    haft__span span = span_of(HAFT__SPAN_TOOL, 7);
    haft__span_set_text(&span, HAFT__ATTRIBUTE_TOOL, HAFT__LIT("grep"));
    haft__span_set_text(&span, HAFT__ATTRIBUTE_ERROR_TYPE, haft__str(error));
    if (cached) {
        haft__span_set_flag(&span, HAFT__ATTRIBUTE_CACHED, true);
    }
    haft__count_span(metrics, &span);
}

TEST(spans_are_counted)
{
    static const char *const lines[] = {
        "haft_model_requests_total{provider=\"openai\",model=\"m\",outcome=\"ok\"} 1\n",
        "haft_model_requests_total{provider=\"openai\",model=\"m\",outcome=\"transient\"} 1\n",
        "haft_model_duration_seconds_sum{provider=\"openai\",model=\"m\"} 0.04\n",
        "haft_model_first_token_seconds_bucket{provider=\"openai\",model=\"m\",le=\"0.01\"} 1\n",
        "haft_model_first_token_seconds_count{provider=\"openai\",model=\"m\"} 1\n",
        "haft_model_tokens_total{model=\"m\",type=\"input\"} 100\n",
        "haft_model_tokens_total{model=\"m\",type=\"cache_read\"} 60\n",
        "haft_model_cost_usd_total{model=\"m\"} 0.0031\n",
        "haft_tool_calls_total{tool=\"grep\",outcome=\"ok\"} 2\n",
        "haft_tool_calls_total{tool=\"grep\",outcome=\"error\"} 1\n",
        "haft_tool_calls_total{tool=\"grep\",outcome=\"timeout\"} 1\n",
        "haft_tool_calls_total{tool=\"grep\",outcome=\"cached\"} 1\n",
        /* Without the cached call. */
        "haft_tool_duration_seconds_count{tool=\"grep\"} 2\n",
        "haft_tool_duration_seconds_sum{tool=\"grep\"} 0.014\n",
    };
    haft__metrics metrics;
    haft__buf text;
    haft__metrics_init(&metrics, KEY, 0);
    haft__buf_init(&text, 1 << 20);
    add_chat(&metrics, false);
    add_chat(&metrics, true);
    add_tool(&metrics, "", false);
    add_tool(&metrics, "", false);
    add_tool(&metrics, "", true);
    add_tool(&metrics, "tool_error", false);
    add_tool(&metrics, "timeout", false);
    haft__prometheus_write(&text, &metrics, HAFT__PROMETHEUS_TEXT);
    haft__buf_add_char(&text, '\0');
    for (size_t i = 0; i < COUNT(lines); i++) {
        CHECK(strstr(text.ptr, lines[i]) != NULL, "not in the text: %s", lines[i]);
    }
    haft__buf_finish(&text);
    haft__metrics_finish(&metrics);
}

TEST(stretches_are_only_counted_for_collectors)
{
    haft__metrics metrics;
    haft__span agent = span_of(HAFT__SPAN_AGENT, 90), graph = span_of(HAFT__SPAN_WORKFLOW, 90);
    haft__span_set_text(&agent, HAFT__ATTRIBUTE_AGENT, HAFT__LIT("a"));
    haft__span_set_text(&graph, HAFT__ATTRIBUTE_WORKFLOW, HAFT__LIT("g"));
    haft__metrics_init(&metrics, KEY, 0);
    haft__count_span(&metrics, &agent);
    haft__count_span(&metrics, &graph);
    CHECK_INT(metrics.count, 2, "series");
    CHECK_INT(metrics.series[0]->metric, HAFT__METRIC_AGENT_DURATION, "agent");
    CHECK_INT(metrics.series[1]->metric, HAFT__METRIC_WORKFLOW_DURATION, "graph");
    CHECK_INT(metrics.series[1]->value, 90000, "microseconds");
    CHECK_STR(metrics.series[1]->labels[0], HAFT__LIT("g"), "name");
    haft__metrics_finish(&metrics);
}

TEST(an_unsampled_span_is_no_exemplar)
{
    haft__metrics metrics;
    haft__span span = span_of(HAFT__SPAN_TOOL, 7);
    haft__metrics_init(&metrics, KEY, 0);
    span.sampled = false;
    haft__count_span(&metrics, &span);
    for (size_t i = 0; i < metrics.count; i++) {
        CHECK_INT(metrics.series[i]->exemplar.span, 0, "series %zu", i);
    }
    haft__metrics_finish(&metrics);
}
