/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - see otlp/metrics.h. The field numbers are those of opentelemetry-proto:
 * metrics/v1/metrics.proto. Tests: tests/telemetry/otlp_test.c. */
#include "telemetry/otlp/metrics.h"

#include <assert.h>

#include "base/limits.h"
#include "base/str.h"

enum { CUMULATIVE = 2, NANOSECONDS = 1000000, MICROS = 1000000 };

typedef struct output {
    haft__otlp_writer w;
    const haft__metrics *metrics;
    const haft__metric_row *row;
    haft__metric_id id;
    uint64_t now_ms;
} output;

static void add_labels(output *out, const haft__series *series, uint32_t field)
{
    haft__otlp_begin_list(&out->w, "attributes");
    for (size_t i = 0; i < haft__metric_label_count(out->row); i++) {
        haft__attribute value = {HAFT__ATTRIBUTE_TEXT, series->labels[i], 0};
        if (value.text.len > 0) {
            haft__otlp_add_attribute(&out->w, field,
                                     haft__str(haft__label_otlp(out->row->labels[i])), &value);
        }
    }
    haft__otlp_end_list(&out->w);
}

/* The time since which a number counts (not of a gauge), and now. */
static void add_times(output *out)
{
    if (out->row->type != HAFT__METRIC_GAUGE) {
        haft__otlp_add_fixed64(&out->w, 2, "startTimeUnixNano",
                               out->metrics->start_ms * NANOSECONDS);
    }
    haft__otlp_add_fixed64(&out->w, 3, "timeUnixNano", out->now_ms * NANOSECONDS);
}

static void add_number_point(output *out, const haft__series *series)
{
    add_times(out);
    if (out->row->decimal) {
        haft__otlp_add_micros(&out->w, 4, "asDouble", series->value);
    } else {
        haft__otlp_add_sfixed64(&out->w, 6, "asInt", series->value);
    }
    add_labels(out, series, 7);
}

static void add_histogram_point(output *out, const haft__series *series)
{
    const haft__metric_row *row = out->row;
    int64_t bounds[16];
    assert(row->bound_count <= COUNT(bounds));
    for (size_t i = 0; i < row->bound_count; i++) {
        bounds[i] = row->bounds[i] * (row->decimal ? 1 : MICROS);
    }
    add_times(out);
    haft__otlp_add_fixed64(&out->w, 4, "count", series->count);
    haft__otlp_add_micros(&out->w, 5, "sum", series->value * (row->decimal ? 1 : MICROS));
    haft__otlp_add_counts(&out->w, 6, "bucketCounts", series->buckets, row->bound_count + 1);
    haft__otlp_add_bounds(&out->w, 7, "explicitBounds", bounds, row->bound_count);
    add_labels(out, series, 9);
}

static void add_points(output *out)
{
    haft__otlp_begin_list(&out->w, "dataPoints");
    for (size_t i = 0; i < out->metrics->count; i++) {
        const haft__series *series = out->metrics->series[i];
        if (series->metric != out->id) {
            continue;
        }
        haft__otlp_begin_item(&out->w, 1);
        if (out->row->type == HAFT__METRIC_HISTOGRAM) {
            add_histogram_point(out, series);
        } else {
            add_number_point(out, series);
        }
        haft__otlp_end_item(&out->w);
    }
    haft__otlp_end_list(&out->w);
}

static void add_metric(output *out)
{
    static const struct {
        uint32_t field;
        const char *name;
    } data[] = {[HAFT__METRIC_COUNTER] = {7, "sum"},
                [HAFT__METRIC_GAUGE] = {5, "gauge"},
                [HAFT__METRIC_HISTOGRAM] = {9, "histogram"}};
    haft__metric_type type = out->row->type;
    haft__otlp_begin_item(&out->w, 2);
    haft__otlp_add_text(&out->w, 1, "name", haft__str(out->row->otlp));
    haft__otlp_add_text(&out->w, 2, "description", haft__str(out->row->help));
    haft__otlp_add_text(&out->w, 3, "unit", haft__str(out->row->unit));
    haft__otlp_begin_message(&out->w, data[type].field, data[type].name);
    add_points(out);
    if (type != HAFT__METRIC_GAUGE) {
        haft__otlp_add_enum(&out->w, 2, "aggregationTemporality", CUMULATIVE);
    }
    if (type == HAFT__METRIC_COUNTER) {
        haft__otlp_add_bool(&out->w, 3, "isMonotonic", true);
    }
    haft__otlp_end_message(&out->w);
    haft__otlp_end_item(&out->w);
}

static bool has_series(const haft__metrics *metrics, haft__metric_id id)
{
    for (size_t i = 0; i < metrics->count; i++) {
        if (metrics->series[i]->metric == id) {
            return true;
        }
    }
    return false;
}

void haft__otlp_write_metrics(haft__buf *buf, haft__otlp_encoding encoding,
                              const haft__resource *resource, const haft__metrics *metrics,
                              uint64_t now_ms)
{
    output out = {.metrics = metrics, .now_ms = now_ms};
    haft__otlp_writer *w = &out.w;
    haft__otlp_begin(w, buf, encoding);
    haft__otlp_begin_list(w, "resourceMetrics");
    haft__otlp_begin_item(w, 1);
    haft__otlp_add_resource(w, resource);
    haft__otlp_begin_list(w, "scopeMetrics");
    haft__otlp_begin_item(w, 2);
    haft__otlp_add_scope(w, resource);
    haft__otlp_begin_list(w, "metrics");
    for (size_t i = 0; i < HAFT__METRIC_COUNT; i++) {
        haft__metric_id id = (haft__metric_id)i;
        out.row = haft__metric_row_of(id);
        out.id = id;
        if (out.row->otlp[0] != '\0' && has_series(metrics, id)) {
            add_metric(&out);
        }
    }
    haft__otlp_end_list(w);
    haft__otlp_end_item(w);
    haft__otlp_end_list(w);
    haft__otlp_end_item(w);
    haft__otlp_end_list(w);
    haft__otlp_end(w);
}
