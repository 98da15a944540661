/* SPDX-License-Identifier: Apache-2.0 */
/* prometheus.c - see telemetry/prometheus.h. Tests: tests/telemetry/metrics_test.c,
 * tests/cli/telemetry_test.py. */
#include "telemetry/prometheus.h"

#include <inttypes.h>

#include "base/str.h"
#include "telemetry/otlp/writer.h"

#define TOTAL "_total"

const char *haft__prometheus_content_type(haft__prometheus_format format)
{
    return format == HAFT__PROMETHEUS_OPENMETRICS
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

/* The weight of a media range in thousandths: 1000 without q. */
static unsigned weight_of(haft_str parameters)
{
    while (parameters.len > 0) {
        haft_str parameter = haft__str_trim(haft__str_split(&parameters, ';'));
        haft_str name = haft__str_split(&parameter, '=');
        if (!haft__str_equal_ignore_case(haft__str_trim(name), HAFT__LIT("q"))) {
            continue;
        }
        haft_str digits = haft__str_trim(parameter);
        haft_str whole = haft__str_split(&digits, '.');
        unsigned weight = haft__str_starts_with(whole, HAFT__LIT("1")) ? 1000 : 0;
        for (unsigned i = 0, unit = 100; i < digits.len && unit > 0; i++, unit /= 10) {
            bool digit = digits.ptr[i] >= '0' && digits.ptr[i] <= '9';
            weight += digit ? (unsigned)(digits.ptr[i] - '0') * unit : 0;
        }
        return weight;
    }
    return 1000;
}

haft__prometheus_format haft__prometheus_choose(haft_str accept)
{
    unsigned text = 0, open = 0;
    while (accept.len > 0) {
        haft_str range = haft__str_split(&accept, ',');
        haft_str type = haft__str_trim(haft__str_split(&range, ';'));
        unsigned weight = weight_of(range);
        if (haft__str_equal_ignore_case(type, HAFT__LIT("application/openmetrics-text"))) {
            open = weight > open ? weight : open;
        } else if (haft__str_equal_ignore_case(type, HAFT__LIT("text/plain"))) {
            text = weight > text ? weight : text;
        }
    }
    return open > 0 && open >= text ? HAFT__PROMETHEUS_OPENMETRICS : HAFT__PROMETHEUS_TEXT;
}

/* ---- lines ---- */

typedef struct output {
    haft__buf *buf;
    const haft__metric_row *row;
    haft__prometheus_format format;
} output;

/* The name without the "_total" of counters, which OpenMetrics adds only to samples. */
static haft_str family_name(const output *out)
{
    haft_str name = haft__str(out->row->prometheus);
    bool cut =
        out->format == HAFT__PROMETHEUS_OPENMETRICS && out->row->type == HAFT__METRIC_COUNTER;
    name.len -= cut ? sizeof(TOTAL) - 1 : 0;
    return name;
}

static void add_header(const output *out)
{
    static const char *const types[] = {"counter", "gauge", "histogram"};
    haft_str name = family_name(out);
    haft__buf_addf(out->buf, "# HELP %.*s %s\n# TYPE %.*s %s\n", HAFT__ARG(name), out->row->help,
                   HAFT__ARG(name), types[out->row->type]);
}

static void add_escaped(haft__buf *buf, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\n') {
            haft__buf_add_str(buf, HAFT__LIT("\\n"));
            continue;
        }
        if (c == '\\' || c == '"') {
            haft__buf_add_char(buf, '\\');
        }
        haft__buf_add_char(buf, c);
    }
}

static void add_number(const output *out, int64_t number)
{
    if (out->row->decimal) {
        haft__otlp_write_micros(out->buf, number);
    } else {
        haft__buf_add_int(out->buf, number);
    }
}

/* The bound of the last bucket. */
static const int64_t infinity = INT64_MAX;

static void add_bound(const output *out, int64_t bound)
{
    bool whole = !out->row->decimal || bound % 1000000 == 0;
    if (bound == infinity) {
        haft__buf_add_str(out->buf, HAFT__LIT("+Inf"));
        return;
    }
    add_number(out, bound);
    if (whole && out->format == HAFT__PROMETHEUS_OPENMETRICS) { /* which writes 1.0 */
        haft__buf_add_str(out->buf, HAFT__LIT(".0"));
    }
}

/* Adds NAME{label="value",le="0.5"} and a space. A label without a value is left out, which means
 * the same. `bound` is NULL without le. */
static void add_name(const output *out, const haft__series *series, const char *suffix,
                     const int64_t *bound)
{
    haft__buf *buf = out->buf;
    char before = '{';
    haft__buf_add_str(buf, haft__str(out->row->prometheus));
    haft__buf_add_str(buf, haft__str(suffix));
    for (size_t i = 0; i < haft__metric_label_count(out->row); i++) {
        if (series->labels[i].len > 0) {
            haft__buf_addf(buf, "%c%s=\"", before, haft__label_prometheus(out->row->labels[i]));
            add_escaped(buf, series->labels[i]);
            haft__buf_add_char(buf, '"');
            before = ',';
        }
    }
    if (bound != NULL) {
        haft__buf_addf(buf, "%cle=\"", before);
        add_bound(out, *bound);
        haft__buf_add_char(buf, '"');
        before = ',';
    }
    haft__buf_add_str(buf, before == ',' ? HAFT__LIT("} ") : HAFT__LIT(" "));
}

static void add_exemplar(const output *out, const haft__exemplar *exemplar)
{
    haft__buf_addf(out->buf,
                   " # {trace_id=\"%016" PRIx64 "%016" PRIx64 "\",span_id=\"%016" PRIx64 "\"} ",
                   exemplar->trace_high, exemplar->trace_low, exemplar->span);
    add_number(out, exemplar->value);
    haft__buf_addf(out->buf, " %" PRIu64 ".%03u", exemplar->at_ms / 1000,
                   (unsigned)(exemplar->at_ms % 1000));
}

static void add_histogram(const output *out, const haft__series *series)
{
    const haft__metric_row *row = out->row;
    const haft__exemplar *exemplar = &series->exemplar;
    bool pending = out->format == HAFT__PROMETHEUS_OPENMETRICS && exemplar->span != 0;
    uint64_t below = 0;
    for (size_t i = 0; i <= row->bound_count; i++) {
        const int64_t *bound = i < row->bound_count ? &row->bounds[i] : &infinity;
        below += series->buckets[i];
        add_name(out, series, "_bucket", bound);
        haft__buf_add_int(out->buf, (int64_t)below);
        if (pending && exemplar->value <= *bound) {
            add_exemplar(out, exemplar);
            pending = false;
        }
        haft__buf_add_char(out->buf, '\n');
    }
    add_name(out, series, "_sum", NULL);
    add_number(out, series->value);
    haft__buf_add_char(out->buf, '\n');
    add_name(out, series, "_count", NULL);
    haft__buf_add_int(out->buf, (int64_t)series->count);
    haft__buf_add_char(out->buf, '\n');
}

static void add_series(const output *out, const haft__series *series)
{
    if (out->row->type == HAFT__METRIC_HISTOGRAM) {
        add_histogram(out, series);
        return;
    }
    add_name(out, series, "", NULL);
    add_number(out, series->value);
    haft__buf_add_char(out->buf, '\n');
}

void haft__prometheus_write(haft__buf *buf, const haft__metrics *metrics,
                            haft__prometheus_format format)
{
    for (size_t i = 0; i < HAFT__METRIC_COUNT; i++) {
        haft__metric_id id = (haft__metric_id)i;
        output out = {buf, haft__metric_row_of(id), format};
        bool first = out.row->prometheus[0] != '\0';
        for (size_t k = 0; k < metrics->count && out.row->prometheus[0] != '\0'; k++) {
            if (metrics->series[k]->metric != id) {
                continue;
            }
            if (first) {
                add_header(&out);
                first = false;
            }
            add_series(&out, metrics->series[k]);
        }
    }
    if (format == HAFT__PROMETHEUS_OPENMETRICS) {
        haft__buf_add_str(buf, HAFT__LIT("# EOF\n"));
    }
}
