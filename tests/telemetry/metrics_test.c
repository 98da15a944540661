/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry/metrics.h"
#include "telemetry/prometheus.h"
#include "test.h"

#include "base/limits.h"

#define KEY ((haft__hash_key){1, 2})

static haft_str render(const haft__metrics *metrics, haft__prometheus_format format)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__prometheus_write(&buf, metrics, format);
    char *kept = test_alloc(buf.len + 1);
    memcpy(kept, buf.ptr, buf.len);
    haft_str text = {kept, buf.len};
    haft__buf_finish(&buf);
    return text;
}

static haft__exemplar exemplar_of(uint64_t span)
{
    return (haft__exemplar){.trace_high = 0xab, .trace_low = 1, .span = span, .at_ms = 1234567};
}

static void fill(haft__metrics *metrics)
{
    const haft_str tool[] = {HAFT__LIT("a\"b\\c\nd"), HAFT__LIT("ok"), HAFT__LIT("")};
    const haft_str spec[] = {HAFT__LIT("report"), HAFT__LIT(""), HAFT__LIT("")};
    haft__exemplar exemplar = exemplar_of(7);
    haft__metrics_init(metrics, KEY, 0);
    haft__metrics_add(metrics, HAFT__METRIC_TOOL_CALLS, tool, 2);
    haft__metrics_add(metrics, HAFT__METRIC_TOOL_CALLS, tool, 5);
    haft__metrics_observe(metrics, HAFT__METRIC_RUN_TURNS, spec, 3, NULL);
    haft__metrics_observe(metrics, HAFT__METRIC_RUN_TURNS, spec, 21, NULL);
    haft__metrics_observe(metrics, HAFT__METRIC_QUEUE_WAIT, NULL, 10000, &exemplar);
    haft__metrics_set(metrics, HAFT__METRIC_PROCESS_CPU, NULL, 41500000);
}

TEST(the_text_format_of_prometheus)
{
    haft__metrics metrics;
    fill(&metrics);
    CHECK_STR(render(&metrics, HAFT__PROMETHEUS_TEXT),
              HAFT__LIT("# HELP haft_run_turns Turns of a run.\n"
                        "# TYPE haft_run_turns histogram\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"1\"} 0\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"2\"} 0\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"3\"} 1\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"5\"} 1\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"8\"} 1\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"12\"} 1\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"20\"} 1\n"
                        "haft_run_turns_bucket{spec=\"report\",le=\"+Inf\"} 2\n"
                        "haft_run_turns_sum{spec=\"report\"} 24\n"
                        "haft_run_turns_count{spec=\"report\"} 2\n"
                        "# HELP haft_queue_wait_seconds Time from the start of a run until a "
                        "process works on it.\n"
                        "# TYPE haft_queue_wait_seconds histogram\n"
                        "haft_queue_wait_seconds_bucket{le=\"0.01\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"0.05\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"0.1\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"0.5\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"1\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"5\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"10\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"30\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"60\"} 1\n"
                        "haft_queue_wait_seconds_bucket{le=\"+Inf\"} 1\n"
                        "haft_queue_wait_seconds_sum 0.01\n"
                        "haft_queue_wait_seconds_count 1\n"
                        "# HELP haft_tool_calls_total Calls of tools, by outcome.\n"
                        "# TYPE haft_tool_calls_total counter\n"
                        "haft_tool_calls_total{tool=\"a\\\"b\\\\c\\nd\",outcome=\"ok\"} 7\n"
                        "# HELP process_cpu_seconds_total CPU time of this process.\n"
                        "# TYPE process_cpu_seconds_total counter\n"
                        "process_cpu_seconds_total 41.5\n"),
              "text");
    haft__metrics_finish(&metrics);
}

/* Whether `part` is in `text`. */
static bool has(haft_str text, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}

TEST(only_openmetrics_has_exemplars)
{
    static const char *const parts[] = {
        "# TYPE haft_tool_calls counter\nhaft_tool_calls_total{",
        "# TYPE process_cpu_seconds counter\nprocess_cpu_seconds_total 41.5\n",
        "haft_run_turns_bucket{spec=\"report\",le=\"3.0\"} 1\n",
        "haft_queue_wait_seconds_bucket{le=\"0.01\"} 1 # "
        "{trace_id=\"00000000000000ab0000000000000001\",span_id=\"0000000000000007\"} 0.01 "
        "1234.567\n",
        "haft_queue_wait_seconds_bucket{le=\"0.05\"} 1\n",
        "haft_queue_wait_seconds_bucket{le=\"1.0\"} 1\n",
        "\n# EOF\n",
    };
    haft__metrics metrics;
    fill(&metrics);
    haft_str open = render(&metrics, HAFT__PROMETHEUS_OPENMETRICS);
    for (size_t i = 0; i < COUNT(parts); i++) {
        CHECK(has(open, parts[i]), "not in the text: %s", parts[i]);
    }
    CHECK(!has(render(&metrics, HAFT__PROMETHEUS_TEXT), "trace_id"), "0.0.4 has an exemplar");
    haft__metrics_finish(&metrics);
}

TEST(the_client_chooses_the_format)
{
    static const struct {
        const char *accept;
        bool open;
    } cases[] = {
        {"", false},
        {"*/*", false},
        {"text/plain", false},
        {"application/openmetrics-text", true},
        {"application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
         true},
        {"text/plain;version=0.0.4;q=1,application/openmetrics-text;q=0.5", false},
        {"application/openmetrics-text;q=0", false},
        {"Application/OpenMetrics-Text ; Q=0.9 , text/plain;q=0.89", true},
        {"application/openmetrics-text;q=0.001,text/plain;q=0.002", false},
        {",;,=;q=", false},
        {"application/openmetrics-text;q=x", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__prometheus_choose(haft__str(cases[i].accept))
                      == HAFT__PROMETHEUS_OPENMETRICS,
                  cases[i].open, "%s", cases[i].accept);
    }
}

TEST(further_names_are_counted_as_other)
{
    haft__metrics metrics;
    char name[32];
    haft__metrics_init(&metrics, KEY, 0);
    for (int i = 0; i < HAFT__LIMIT_TELEMETRY_NAMES + 3; i++) {
        (void)snprintf(name, sizeof(name), "t%d", i);
        const haft_str labels[] = {haft__str(name), HAFT__LIT("ok"), HAFT__LIT("")};
        haft__metrics_add(&metrics, HAFT__METRIC_TOOL_CALLS, labels, 1);
    }
    CHECK_INT(metrics.count, HAFT__LIMIT_TELEMETRY_NAMES + 1, "series");
    haft_str text = render(&metrics, HAFT__PROMETHEUS_TEXT);
    CHECK(has(text, "{tool=\"t199\",outcome=\"ok\"} 1\n"), "the last name");
    CHECK(!has(text, "t200"), "a name past the limit");
    CHECK(has(text, "{tool=\"other\",outcome=\"ok\"} 3\n"), "other");
    haft__metrics_finish(&metrics);
}

TEST(long_names_are_cut_between_characters)
{
    static char name[HAFT__LIMIT_TELEMETRY_TEXT_BYTES + 1];
    haft__metrics metrics;
    haft__metrics_init(&metrics, KEY, 0);
    memset(name, 'n', sizeof(name));
    for (size_t extra = 0; extra < 2; extra++) {
        haft_str kind = {name, HAFT__LIMIT_TELEMETRY_TEXT_BYTES + extra};
        haft__metrics_add(&metrics, HAFT__METRIC_VIOLATIONS, &kind, 1);
    }
    CHECK_INT(metrics.count, 1, "series");
    CHECK_INT(metrics.series[0]->labels[0].len, HAFT__LIMIT_TELEMETRY_TEXT_BYTES, "bytes");
    haft__metrics_finish(&metrics);
}

TEST(the_memory_of_metrics_has_a_limit)
{
    haft__metrics metrics;
    size_t counted = 0;
    haft__metrics_init(&metrics, KEY, 0);
    metrics.arena.max = HAFT__LIMIT_TELEMETRY_METRICS_BYTES / 4096; /* the same in less time */
    for (int i = 0; i < HAFT__LIMIT_TELEMETRY_NAMES; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "name%d", i);
        const haft_str labels[] = {haft__str(name), haft__str(name), haft__str(name)};
        haft__metrics_observe(&metrics, HAFT__METRIC_MODEL_DURATION, labels, 1, NULL);
        counted = metrics.count;
    }
    CHECK(counted > 0 && counted < HAFT__LIMIT_TELEMETRY_NAMES, "%zu series", counted);
    CHECK(render(&metrics, HAFT__PROMETHEUS_TEXT).len > 0, "no text");
    haft__metrics_finish(&metrics);
}

TEST(metrics_that_find_no_memory_are_not_counted)
{
    for (unsigned n = 0;; n++) {
        haft__metrics metrics;
        const haft_str labels[] = {HAFT__LIT("a"), HAFT__LIT("b"), HAFT__LIT("c")};
        haft__metrics_init(&metrics, KEY, 0);
        test_fail_allocation(n);
        haft__metrics_observe(&metrics, HAFT__METRIC_MODEL_DURATION, labels, 1, NULL);
        haft__metrics_add(&metrics, HAFT__METRIC_MODEL_REQUESTS, labels, 1);
        bool failed = test_allow_allocations();
        haft__metrics_add(&metrics, HAFT__METRIC_MODEL_REQUESTS, labels, 1);
        CHECK(metrics.count >= 1, "allocation %u", n);
        haft__metrics_finish(&metrics);
        if (!failed) {
            break;
        }
    }
}

TEST(every_metric_has_a_name_and_buckets_that_ascend)
{
    for (size_t i = 0; i < HAFT__METRIC_COUNT; i++) {
        const haft__metric_row *row = haft__metric_row_of((haft__metric_id)i);
        CHECK(row->prometheus[0] != '\0' || row->otlp[0] != '\0', "row %zu", i);
        CHECK(row->help[strlen(row->help) - 1] == '.', "%s", row->help);
        bool counter = row->type == HAFT__METRIC_COUNTER && row->prometheus[0] != '\0';
        CHECK(!counter || haft__str_ends_with(haft__str(row->prometheus), HAFT__LIT("_total")),
              "%s", row->prometheus);
        for (size_t k = 1; k < row->bound_count; k++) {
            CHECK(row->bounds[k] > row->bounds[k - 1], "%s: bound %zu", row->help, k);
        }
    }
}
