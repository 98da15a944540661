/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settings.c - see telemetry/settings.h. The rules are those of the OpenTelemetry specification:
 * an empty value counts as unset, a variable of one signal takes precedence over the common one.
 * Tests: tests/telemetry/settings_test.c.
 */
#include "telemetry/settings.h"

#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

/* All variables. */
#define VARIABLES(X)                                                                               \
    X(DISABLED, "OTEL_SDK_DISABLED")                                                               \
    X(ENDPOINT, "OTEL_EXPORTER_OTLP_ENDPOINT")                                                     \
    X(TRACES_ENDPOINT, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")                                       \
    X(METRICS_ENDPOINT, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT")                                     \
    X(HEADERS, "OTEL_EXPORTER_OTLP_HEADERS")                                                       \
    X(TRACES_HEADERS, "OTEL_EXPORTER_OTLP_TRACES_HEADERS")                                         \
    X(METRICS_HEADERS, "OTEL_EXPORTER_OTLP_METRICS_HEADERS")                                       \
    X(PROTOCOL, "OTEL_EXPORTER_OTLP_PROTOCOL")                                                     \
    X(TRACES_PROTOCOL, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")                                       \
    X(METRICS_PROTOCOL, "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL")                                     \
    X(TIMEOUT, "OTEL_EXPORTER_OTLP_TIMEOUT")                                                       \
    X(TRACES_TIMEOUT, "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT")                                         \
    X(METRICS_TIMEOUT, "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT")                                       \
    X(COMPRESSION, "OTEL_EXPORTER_OTLP_COMPRESSION")                                               \
    X(TRACES_COMPRESSION, "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION")                                 \
    X(METRICS_COMPRESSION, "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION")                               \
    X(CERTIFICATE, "OTEL_EXPORTER_OTLP_CERTIFICATE")                                               \
    X(TRACES_CERTIFICATE, "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE")                                 \
    X(METRICS_CERTIFICATE, "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE")                               \
    X(TRACES_EXPORTER, "OTEL_TRACES_EXPORTER")                                                     \
    X(METRICS_EXPORTER, "OTEL_METRICS_EXPORTER")                                                   \
    X(SERVICE_NAME, "OTEL_SERVICE_NAME")                                                           \
    X(RESOURCE, "OTEL_RESOURCE_ATTRIBUTES")                                                        \
    X(SPAN_DELAY, "OTEL_BSP_SCHEDULE_DELAY")                                                       \
    X(QUEUE, "OTEL_BSP_MAX_QUEUE_SIZE")                                                            \
    X(BATCH, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE")                                                     \
    X(METRIC_INTERVAL, "OTEL_METRIC_EXPORT_INTERVAL")                                              \
    X(CONTENT, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")                               \
    X(LOG, "HAFT_LOG")

typedef enum variable {
#define X(id, name) id,
    VARIABLES(X)
#undef X
} variable;

static const char *const names[] = {
#define X(id, name) [id] = (name),
    VARIABLES(X)
#undef X
};

typedef struct reader {
    const haft__spec_env *env;
    haft__arena *arena;
    void (*warn)(void *context, haft_str text);
    void *context;
    bool no_memory;
} reader;

/* The variables of one signal. */
typedef struct signal_variables {
    const char *path; /* of the common endpoint */
    variable endpoint, headers, protocol, timeout, compression, certificate, exporter;
} signal_variables;

static const signal_variables traces_variables = {
    "v1/traces",    TRACES_ENDPOINT,    TRACES_HEADERS,     TRACES_PROTOCOL,
    TRACES_TIMEOUT, TRACES_COMPRESSION, TRACES_CERTIFICATE, TRACES_EXPORTER};
static const signal_variables metrics_variables = {
    "v1/metrics",    METRICS_ENDPOINT,    METRICS_HEADERS,     METRICS_PROTOCOL,
    METRICS_TIMEOUT, METRICS_COMPRESSION, METRICS_CERTIFICATE, METRICS_EXPORTER};

static haft_str get(const reader *r, variable id)
{
    haft_str value = r->env->get(r->env->context, haft__str(names[id]));
    return value.ptr != NULL ? haft__str_trim(value) : HAFT__LIT("");
}

/* The variable of the signal if it is set, else the common one. */
static variable choose(const reader *r, variable own, variable common)
{
    return get(r, own).len > 0 ? own : common;
}

static haft_str keep(reader *r, haft_str text)
{
    haft_str kept = haft__arena_copy(r->arena, text);
    r->no_memory = r->no_memory || kept.ptr == NULL;
    return kept.ptr != NULL ? kept : HAFT__LIT("");
}

static void warn(reader *r, variable id, const char *text)
{
    haft_str line = haft__arena_format(r->arena, "%s: %s", names[id], text);
    r->no_memory = r->no_memory || line.ptr == NULL;
    if (line.ptr != NULL && r->warn != NULL) {
        r->warn(r->context, line);
    }
}

/* ---- values ---- */

static bool read_flag(reader *r, variable id)
{
    haft_str value = get(r, id);
    bool on = haft__str_equal_ignore_case(value, HAFT__LIT("true"));
    if (!on && value.len > 0 && !haft__str_equal_ignore_case(value, HAFT__LIT("false"))) {
        warn(r, id, "expected true or false; it counts as false");
    }
    return on;
}

static uint64_t read_number(reader *r, variable id, uint64_t fallback, uint64_t most)
{
    haft_str value = get(r, id);
    uint64_t number = 0;
    if (value.len == 0) {
        return fallback;
    }
    if (!haft__str_to_u64(value, &number) || number == 0) {
        warn(r, id, "expected a whole number of at least 1; the default is used");
        return fallback;
    }
    if (number > most) {
        warn(r, id, "the number is too large; the largest possible one is used");
    }
    return number < most ? number : most;
}

/* Decodes %XX. A malformed escape stays as it is. */
static haft_str decode(reader *r, haft_str text)
{
    char *to = text.len > 0 ? haft__arena_alloc(r->arena, text.len) : NULL;
    size_t length = 0;
    r->no_memory = r->no_memory || (to == NULL && text.len > 0);
    for (size_t i = 0; i < text.len && to != NULL; i++) {
        bool escape = text.ptr[i] == '%' && text.len - i > 2;
        int high = escape ? haft__hex_value(text.ptr[i + 1]) : -1;
        int low = escape ? haft__hex_value(text.ptr[i + 2]) : -1;
        bool valid = high >= 0 && low >= 0;
        to[length++] = valid ? (char)(high * 16 + low) : text.ptr[i];
        i += valid ? 2 : 0;
    }
    return length > 0 ? (haft_str){to, length} : HAFT__LIT("");
}

/* ---- lists of key=value ---- */

/* Reads the next entry. False at the end; *ret_good is false if the entry has no key. */
static bool next_pair(haft_str *rest, haft_str *ret_key, haft_str *ret_value, bool *ret_good)
{
    haft_str entry = HAFT__LIT("");
    while (entry.len == 0 && rest->len > 0) {
        entry = haft__str_trim(haft__str_split(rest, ','));
    }
    bool found = entry.len > 0;
    bool divided = found && memchr(entry.ptr, '=', entry.len) != NULL;
    *ret_key = haft__str_trim(haft__str_split(&entry, '='));
    *ret_value = haft__str_trim(entry);
    *ret_good = divided && ret_key->len > 0;
    return found;
}

static void read_headers(reader *r, variable id, haft__otlp_target *target)
{
    haft_str rest = get(r, id), key, value;
    haft_str *headers =
        haft__arena_array(r->arena, HAFT__LIMIT_TELEMETRY_HEADERS, sizeof(*headers));
    bool good = false;
    if (headers == NULL) {
        r->no_memory = true;
        return;
    }
    while (next_pair(&rest, &key, &value, &good)) {
        haft_str decoded = decode(r, value);
        bool printable = good && haft__str_is_token(key);
        for (size_t i = 0; i < decoded.len && printable; i++) {
            unsigned char c = (unsigned char)decoded.ptr[i];
            printable = c >= 0x20 && c != 0x7F;
        }
        if (!printable || target->header_count == HAFT__LIMIT_TELEMETRY_HEADERS) {
            warn(r, id,
                 printable ? "too many headers; the rest is ignored"
                           : "expected NAME=VALUE,...; an entry is ignored");
            continue;
        }
        haft_str line =
            haft__arena_format(r->arena, "%.*s: %.*s", HAFT__ARG(key), HAFT__ARG(decoded));
        r->no_memory = r->no_memory || line.ptr == NULL;
        headers[target->header_count] = line;
        target->header_count += line.ptr != NULL;
    }
    target->headers = headers;
}

/* ---- the resource ---- */

static haft__resource_attribute *find_attribute(haft__resource_attribute *list, size_t count,
                                                haft_str key)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(list[i].key, key)) {
            return &list[i];
        }
    }
    return NULL;
}

static void set_attribute(reader *r, haft__resource_attribute *list, size_t *count, haft_str key,
                          haft_str value)
{
    haft__resource_attribute *found = find_attribute(list, *count, key);
    if (found == NULL && *count == HAFT__LIMIT_TELEMETRY_RESOURCE) {
        warn(r, RESOURCE, "too many attributes; the rest is ignored");
        return;
    }
    found = found != NULL ? found : &list[(*count)++];
    *found = (haft__resource_attribute){keep(r, key), keep(r, value)};
}

static void read_resource(reader *r, const haft__telemetry_identity *identity,
                          haft__resource *ret_resource)
{
    haft__resource_attribute *list =
        haft__arena_array(r->arena, HAFT__LIMIT_TELEMETRY_RESOURCE, sizeof(*list));
    haft_str rest = get(r, RESOURCE), name = get(r, SERVICE_NAME), key, value;
    size_t count = 0;
    bool good = false;
    if (list == NULL) {
        r->no_memory = true;
        return;
    }
    set_attribute(r, list, &count, HAFT__LIT("service.name"), HAFT__LIT("haft"));
    set_attribute(r, list, &count, HAFT__LIT("service.version"), identity->version);
    set_attribute(r, list, &count, HAFT__LIT("service.instance.id"), identity->instance);
    while (next_pair(&rest, &key, &value, &good)) {
        haft_str decoded = decode(r, value);
        if (!good || !haft__utf8_valid(decoded)) {
            warn(r, RESOURCE, "expected KEY=VALUE,...; an entry is ignored");
            continue;
        }
        set_attribute(r, list, &count, key, decoded);
    }
    if (name.len > 0) {
        set_attribute(r, list, &count, HAFT__LIT("service.name"), name);
    }
    *ret_resource = (haft__resource){list, count, keep(r, identity->version)};
}

/* ---- signals ---- */

static bool read_exporter(reader *r, variable id)
{
    haft_str value = get(r, id);
    if (value.len == 0 || haft__str_equal(value, HAFT__LIT("otlp"))) {
        return true;
    }
    if (!haft__str_equal(value, HAFT__LIT("none"))) {
        warn(r, id, "expected otlp or none; nothing is sent");
    }
    return false;
}

static bool read_protocol(reader *r, variable id, haft__otlp_encoding *ret_encoding)
{
    haft_str value = get(r, id);
    *ret_encoding = HAFT__OTLP_PROTOBUF;
    if (value.len == 0 || haft__str_equal(value, HAFT__LIT("http/protobuf"))) {
        return true;
    }
    if (haft__str_equal(value, HAFT__LIT("http/json"))) {
        *ret_encoding = HAFT__OTLP_JSON;
        return true;
    }
    warn(r, id, "expected http/protobuf or http/json (gRPC is not supported); nothing is sent");
    return false;
}

/* The URL of the signal; "" if none is configured or it cannot be used. */
static haft_str read_url(reader *r, const signal_variables *variables)
{
    variable id = choose(r, variables->endpoint, ENDPOINT);
    haft_str url = get(r, id);
    bool web = haft__str_starts_with(url, HAFT__LIT("http://"))
               || haft__str_starts_with(url, HAFT__LIT("https://"));
    if (url.len == 0) {
        return url;
    }
    if (!web || url.len > HAFT__LIMIT_TELEMETRY_URL_BYTES) {
        warn(r, id, "expected an http or https URL; nothing is sent");
        return HAFT__LIT("");
    }
    if (id != ENDPOINT) {
        return keep(r, url);
    }
    haft_str joined =
        haft__arena_format(r->arena, "%.*s%s%s", HAFT__ARG(url),
                           haft__str_ends_with(url, HAFT__LIT("/")) ? "" : "/", variables->path);
    r->no_memory = r->no_memory || joined.ptr == NULL;
    return joined.ptr != NULL ? joined : HAFT__LIT("");
}

static bool read_compression(reader *r, variable id)
{
    haft_str value = get(r, id);
    bool gzip = haft__str_equal(value, HAFT__LIT("gzip"));
    if (!gzip && value.len > 0 && !haft__str_equal(value, HAFT__LIT("none"))) {
        warn(r, id, "expected gzip or none; requests are not compressed");
    }
    return gzip;
}

static haft__otlp_target read_target(reader *r, const signal_variables *variables)
{
    haft__otlp_target target = {.url = HAFT__LIT(""), .certificate = HAFT__LIT("")};
    haft_str url = read_url(r, variables);
    variable protocol = choose(r, variables->protocol, PROTOCOL);
    variable certificate = choose(r, variables->certificate, CERTIFICATE);
    if (url.len == 0 || !read_exporter(r, variables->exporter)
        || !read_protocol(r, protocol, &target.encoding)) {
        return target;
    }
    target.url = url;
    target.timeout_ms =
        read_number(r, choose(r, variables->timeout, TIMEOUT), HAFT__LIMIT_TELEMETRY_TIMEOUT_MS,
                    HAFT__LIMIT_TELEMETRY_TIMEOUT_MAX_MS);
    target.gzip = read_compression(r, choose(r, variables->compression, COMPRESSION));
    target.certificate = keep(r, get(r, certificate));
    read_headers(r, choose(r, variables->headers, HEADERS), &target);
    return target;
}

static bool read_log(reader *r)
{
    haft_str value = get(r, LOG);
    bool json = haft__str_equal(value, HAFT__LIT("json"));
    if (!json && value.len > 0 && !haft__str_equal(value, HAFT__LIT("text"))) {
        warn(r, LOG, "expected json or text; it counts as text");
    }
    return json;
}

haft_status haft__telemetry_settings_read(const haft__spec_env *env,
                                          const haft__telemetry_identity *identity,
                                          haft__arena *arena,
                                          void (*warn_about)(void *context, haft_str text),
                                          void *context, haft__telemetry_settings *ret_settings,
                                          haft_error *err)
{
    reader r = {.env = env, .arena = arena, .warn = warn_about, .context = context};
    haft__telemetry_settings settings = {
        .traces = {.url = HAFT__LIT("")}, .metrics = {.url = HAFT__LIT("")}, .log = read_log(&r)};
    if (!read_flag(&r, DISABLED)) {
        settings.traces = read_target(&r, &traces_variables);
        settings.metrics = read_target(&r, &metrics_variables);
        settings.content = read_flag(&r, CONTENT);
    }
    settings.span_delay_ms = read_number(&r, SPAN_DELAY, HAFT__LIMIT_TELEMETRY_DELAY_MS,
                                         HAFT__LIMIT_TELEMETRY_INTERVAL_MAX_MS);
    settings.metric_interval_ms =
        read_number(&r, METRIC_INTERVAL, HAFT__LIMIT_TELEMETRY_INTERVAL_MS,
                    HAFT__LIMIT_TELEMETRY_INTERVAL_MAX_MS);
    settings.queue_spans =
        read_number(&r, QUEUE, HAFT__LIMIT_TELEMETRY_QUEUE, HAFT__LIMIT_TELEMETRY_QUEUE_MAX);
    settings.batch_spans =
        read_number(&r, BATCH, HAFT__LIMIT_TELEMETRY_BATCH, settings.queue_spans);
    read_resource(&r, identity, &settings.resource);
    if (r.no_memory) {
        return haft__arena_fail(arena, err);
    }
    *ret_settings = settings;
    return HAFT_OK;
}
