/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - the table of metrics, and their numbers. Tests: tests/telemetry/metrics_test.c. */
#include "telemetry/metrics.h"

#include <assert.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"

/* ---- the tables ---- */

/* Milliseconds, in millionths of a second. */
#define MS(ms) ((int64_t)(ms)*1000)

static const int64_t RUN_SECONDS[] = {MS(100),    MS(500),    MS(1000),   MS(2500),
                                      MS(5000),   MS(10000),  MS(30000),  MS(60000),
                                      MS(120000), MS(300000), MS(600000), MS(1800000)};
static const int64_t TURNS[] = {1, 2, 3, 5, 8, 12, 20};
static const int64_t WAIT_SECONDS[] = {MS(10),   MS(50),    MS(100),   MS(500),  MS(1000),
                                       MS(5000), MS(10000), MS(30000), MS(60000)};
static const int64_t TOOL_SECONDS[] = {MS(5),    MS(10),   MS(50),    MS(100),   MS(500),
                                       MS(1000), MS(5000), MS(10000), MS(30000), MS(60000)};
static const int64_t MODEL_SECONDS[] = {MS(10),    MS(20),    MS(40),    MS(80),   MS(160),
                                        MS(320),   MS(640),   MS(1280),  MS(2560), MS(5120),
                                        MS(10240), MS(20480), MS(40960), MS(81920)};
static const int64_t TOKEN_COUNTS[] = {1,     4,     16,     64,      256,     1024,     4096,
                                       16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864};
static const int64_t HTTP_SECONDS[] = {MS(1),   MS(5),    MS(10),   MS(50),    MS(100),
                                       MS(500), MS(1000), MS(5000), MS(10000), MS(60000)};
static const int64_t COMMIT_SECONDS[] = {MS(1),   MS(5),   MS(10),  MS(25),   MS(50),
                                         MS(100), MS(250), MS(500), MS(1000), MS(5000)};
static const int64_t NO_BOUNDS[] = {0};

static const haft__metric_row rows[] = {
#define X(name, kind, limits, is_decimal, a, b, c, prometheus_name, otlp_name, unit_name, text)    \
    [HAFT__METRIC_##name] = {.type = HAFT__METRIC_##kind,                                          \
                             .decimal = (is_decimal),                                              \
                             .bounds = (limits),                                                   \
                             .bound_count = COUNT(limits),                                         \
                             .labels = {HAFT__LABEL_##a, HAFT__LABEL_##b, HAFT__LABEL_##c},        \
                             .prometheus = (prometheus_name),                                      \
                             .otlp = (otlp_name),                                                  \
                             .unit = (unit_name),                                                  \
                             .help = (text)},
    HAFT__METRICS(X)
#undef X
};

const haft__metric_row *haft__metric_row_of(haft__metric_id id)
{
    return &rows[id];
}

size_t haft__metric_label_count(const haft__metric_row *row)
{
    size_t count = 0;
    while (count < HAFT__METRIC_LABELS && row->labels[count] != HAFT__LABEL_NONE) {
        count++;
    }
    return count;
}

const char *haft__label_prometheus(haft__label_id id)
{
    static const char *const names[] = {
#define X(name, prometheus, otlp) [HAFT__LABEL_##name] = (prometheus),
        HAFT__LABELS(X)
#undef X
    };
    return names[id];
}

const char *haft__label_otlp(haft__label_id id)
{
    static const char *const names[] = {
#define X(name, prometheus, otlp) [HAFT__LABEL_##name] = (otlp),
        HAFT__LABELS(X)
#undef X
    };
    return names[id];
}

/* ---- series ---- */

void haft__metrics_init(haft__metrics *metrics, haft__hash_key hash_key, uint64_t start_ms)
{
    *metrics = (haft__metrics){.start_ms = start_ms};
    haft__arena_init(&metrics->arena, HAFT__LIMIT_TELEMETRY_METRICS_BYTES);
    haft__map_init(&metrics->by_key, &metrics->arena, hash_key);
    for (size_t i = 0; i < HAFT__LABEL_COUNT; i++) {
        haft__map_init(&metrics->names[i], &metrics->arena, hash_key);
    }
}

void haft__metrics_finish(haft__metrics *metrics)
{
    haft__arena_finish(&metrics->arena);
    *metrics = (haft__metrics){0};
}

/* The value of a label as it is counted: cut, or "other" past the limit. */
static haft_str label_value(haft__metrics *metrics, haft__label_id label, haft_str value)
{
    haft__map *names = &metrics->names[label];
    value.len = value.len > HAFT__LIMIT_TELEMETRY_TEXT_BYTES
                    ? haft__utf8_floor(value, HAFT__LIMIT_TELEMETRY_TEXT_BYTES)
                    : value.len;
    haft__map_entry *known = haft__map_find(names, value);
    if (known != NULL) {
        return known->key;
    }
    haft_str kept = names->count < HAFT__LIMIT_TELEMETRY_NAMES
                        ? haft__arena_copy(&metrics->arena, value)
                        : (haft_str){NULL, 0};
    bool added = kept.ptr != NULL && haft__map_put(names, kept, (void *)metrics, NULL) == HAFT_OK;
    return added ? kept : HAFT__LIT("other");
}

static haft__series *new_series(haft__metrics *metrics, haft__metric_id id, const haft_str *labels,
                                haft_str key)
{
    const haft__metric_row *row = &rows[id];
    haft__series **all =
        haft__vec_reserve_in(&metrics->arena, metrics->series, metrics->count, &metrics->capacity,
                             metrics->count + 1, sizeof(*metrics->series));
    metrics->series = all != NULL ? all : metrics->series; /* the capacity is that of `all` */
    haft__series *series = haft__arena_array(&metrics->arena, 1, sizeof(*series));
    uint64_t *buckets =
        haft__arena_array(&metrics->arena, row->bound_count + 1, sizeof(*series->buckets));
    haft_str kept = haft__arena_copy(&metrics->arena, key);
    if (all == NULL || series == NULL || buckets == NULL || kept.ptr == NULL) {
        return NULL;
    }
    series->metric = id;
    series->buckets = buckets;
    memcpy(series->labels, labels, sizeof(series->labels));
    if (haft__map_put(&metrics->by_key, kept, series, NULL) != HAFT_OK) {
        return NULL;
    }
    metrics->series[metrics->count++] = series;
    return series;
}

/* The series of these labels; NULL if out of memory. */
static haft__series *find_series(haft__metrics *metrics, haft__metric_id id, const haft_str *labels)
{
    char space[8 + HAFT__METRIC_LABELS * (HAFT__LIMIT_TELEMETRY_TEXT_BYTES + 1)];
    haft_str values[HAFT__METRIC_LABELS] = {HAFT__LIT(""), HAFT__LIT(""), HAFT__LIT("")};
    size_t length = 0, count = haft__metric_label_count(&rows[id]);
    space[length++] = (char)id;
    for (size_t i = 0; i < count; i++) {
        values[i] = label_value(metrics, rows[id].labels[i], labels[i]);
        memcpy(space + length, values[i].ptr, values[i].len);
        length += values[i].len;
        space[length++] = '\0';
    }
    haft_str key = {space, length};
    haft__series *found = haft__map_get(&metrics->by_key, key);
    return found != NULL ? found : new_series(metrics, id, values, key);
}

void haft__metrics_add(haft__metrics *metrics, haft__metric_id id, const haft_str *labels,
                       int64_t amount)
{
    haft__series *series = find_series(metrics, id, labels);
    assert(rows[id].type != HAFT__METRIC_HISTOGRAM);
    if (series != NULL) {
        series->value += amount;
    }
}

void haft__metrics_set(haft__metrics *metrics, haft__metric_id id, const haft_str *labels,
                       int64_t value)
{
    haft__series *series = find_series(metrics, id, labels);
    if (series != NULL) {
        series->value = value;
    }
}

void haft__metrics_reset(haft__metrics *metrics, haft__metric_id id)
{
    for (size_t i = 0; i < metrics->count; i++) {
        if (metrics->series[i]->metric == id) {
            metrics->series[i]->value = 0;
        }
    }
}

void haft__metrics_observe(haft__metrics *metrics, haft__metric_id id, const haft_str *labels,
                           int64_t value, const haft__exemplar *exemplar)
{
    const haft__metric_row *row = &rows[id];
    haft__series *series = find_series(metrics, id, labels);
    size_t bucket = 0;
    assert(row->type == HAFT__METRIC_HISTOGRAM);
    if (series == NULL) {
        return;
    }
    while (bucket < row->bound_count && value > row->bounds[bucket]) {
        bucket++;
    }
    series->buckets[bucket]++;
    series->count++;
    series->value += value;
    if (exemplar != NULL) {
        series->exemplar = *exemplar;
        series->exemplar.value = value;
    }
}
