/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry/settings.h"
#include "test.h"

#include "base/limits.h"

/* Variables of a test: "NAME=value" texts, the last one is NULL. */
static haft_str get_variable(void *context, haft_str name)
{
    for (const char *const *entry = context; *entry != NULL; entry++) {
        haft_str rest = haft__str(*entry);
        if (haft__str_equal(haft__str_split(&rest, '='), name)) {
            return rest;
        }
    }
    return (haft_str){NULL, 0};
}

typedef struct found {
    haft__arena arena;
    haft__telemetry_settings settings;
    char warnings[4096];
} found;

static void add_warning(void *context, haft_str line)
{
    found *f = context;
    size_t used = strlen(f->warnings);
    (void)snprintf(f->warnings + used, sizeof(f->warnings) - used, "%.*s\n", HAFT__ARG(line));
}

static void read_settings(found *f, const char *const *variables)
{
    haft__spec_env env = {get_variable, (void *)(uintptr_t)variables};
    haft__telemetry_identity identity = {HAFT__LIT("1.2"), HAFT__LIT("me")};
    f->warnings[0] = '\0';
    haft__arena_init(&f->arena, 0);
    haft_error err = {0};
    CHECK_INT(haft__telemetry_settings_read(&env, &identity, &f->arena, add_warning, f,
                                            &f->settings, &err),
              HAFT_OK, "%s", err.message);
}

#define ENDPOINT "OTEL_EXPORTER_OTLP_ENDPOINT=http://c:4318"

TEST(nothing_is_sent_without_an_endpoint)
{
    static const struct {
        const char *variables[6];
        const char *traces, *metrics, *warnings;
    } cases[] = {
        {{NULL}, "", "", ""},
        {{"OTEL_SERVICE_NAME=x", "OTEL_TRACES_EXPORTER=otlp"}, "", "", ""},
        {{ENDPOINT}, "http://c:4318/v1/traces", "http://c:4318/v1/metrics", ""},
        {{ENDPOINT "/"}, "http://c:4318/v1/traces", "http://c:4318/v1/metrics", ""},
        {{ENDPOINT "/base"}, "http://c:4318/base/v1/traces", "http://c:4318/base/v1/metrics", ""},
        {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://t/x"}, "https://t/x", "", ""},
        {{ENDPOINT, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m"},
         "http://c:4318/v1/traces",
         "http://m",
         ""},
        {{ENDPOINT, "OTEL_TRACES_EXPORTER=none"}, "", "http://c:4318/v1/metrics", ""},
        {{ENDPOINT, "OTEL_METRICS_EXPORTER=prometheus"},
         "http://c:4318/v1/traces",
         "",
         "OTEL_METRICS_EXPORTER: expected otlp or none; nothing is sent\n"},
        {{ENDPOINT, "OTEL_SDK_DISABLED=TRUE"}, "", "", ""},
        {{ENDPOINT, "OTEL_SDK_DISABLED=1"},
         "http://c:4318/v1/traces",
         "http://c:4318/v1/metrics",
         "OTEL_SDK_DISABLED: expected true or false; it counts as false\n"},
        {{"OTEL_EXPORTER_OTLP_ENDPOINT="}, "", "", ""},
        {{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=file:///etc/passwd"},
         "",
         "",
         "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: expected an http or https URL; nothing is sent\n"},
        {{ENDPOINT, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc"},
         "",
         "http://c:4318/v1/metrics",
         "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: expected http/protobuf or http/json (gRPC is not "
         "supported); nothing is sent\n"},
        {{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc"}, "", "", ""}, /* nothing would be sent anyway */
        {{ENDPOINT, "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=zstd",
          "OTEL_EXPORTER_OTLP_COMPRESSION=gzip"},
         "http://c:4318/v1/traces",
         "http://c:4318/v1/metrics",
         "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: expected gzip or none; requests are not "
         "compressed\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        found f;
        read_settings(&f, cases[i].variables);
        CHECK_STR(f.settings.traces.url, haft__str(cases[i].traces), "row %zu", i);
        CHECK_STR(f.settings.metrics.url, haft__str(cases[i].metrics), "row %zu", i);
        CHECK_STR(haft__str(f.warnings), haft__str(cases[i].warnings), "row %zu", i);
        haft__arena_finish(&f.arena);
    }
}

TEST(headers_are_decoded_and_their_values_are_never_reported)
{
    static const struct {
        const char *value;
        const char *lines; /* separated by '|' */
        bool warns;
    } cases[] = {
        {"a=b", "a: b", false},
        {"api-key=k%20ey, x = y=z ,", "api-key: k ey|x: y=z", false},
        {"a=%zz%4", "a: %zz%4", false},
        {"a=%0d%0aEvil: secret7", "", true},
        {"a b=secret7", "", true},
        {"secret7", "", true},
        {"=secret7,ok=1", "ok: 1", true},
        {"a=%00secret7", "", true},
        {"a=", "a: ", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        found f;
        char variable[256], joined[512] = "";
        (void)snprintf(variable, sizeof(variable), "OTEL_EXPORTER_OTLP_HEADERS=%s", cases[i].value);
        const char *variables[] = {ENDPOINT, variable, NULL};
        read_settings(&f, variables);
        for (size_t k = 0; k < f.settings.traces.header_count; k++) {
            size_t used = strlen(joined);
            (void)snprintf(joined + used, sizeof(joined) - used, "%s%.*s", k > 0 ? "|" : "",
                           HAFT__ARG(f.settings.traces.headers[k]));
        }
        CHECK_STR(haft__str(joined), haft__str(cases[i].lines), "row %zu", i);
        CHECK_INT(f.warnings[0] != '\0', cases[i].warns, "row %zu: %s", i, f.warnings);
        CHECK(strstr(f.warnings, "secret7") == NULL, "row %zu: %s", i, f.warnings);
        haft__arena_finish(&f.arena);
    }
}

TEST(headers_have_a_limit)
{
    static char variable[4096] = "OTEL_EXPORTER_OTLP_HEADERS=";
    const char *variables[] = {ENDPOINT, variable, NULL};
    found f;
    for (int i = 0; i < HAFT__LIMIT_TELEMETRY_HEADERS; i++) {
        size_t used = strlen(variable);
        (void)snprintf(variable + used, sizeof(variable) - used, "h%d=1,", i);
    }
    read_settings(&f, variables);
    CHECK_INT(f.settings.traces.header_count, HAFT__LIMIT_TELEMETRY_HEADERS, "at the limit");
    CHECK_STR(haft__str(f.warnings), HAFT__LIT(""), "at the limit");
    haft__arena_finish(&f.arena);
    size_t used = strlen(variable);
    (void)snprintf(variable + used, sizeof(variable) - used, "more=1");
    read_settings(&f, variables);
    CHECK_INT(f.settings.traces.header_count, HAFT__LIMIT_TELEMETRY_HEADERS, "past the limit");
    CHECK(strstr(f.warnings, "too many headers") != NULL, "%s", f.warnings);
    haft__arena_finish(&f.arena);
}

TEST(compression_is_off_by_default)
{
    const char *none[] = {ENDPOINT, NULL};
    const char *common[] = {ENDPOINT, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
                            "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION=none", NULL};
    found f;
    read_settings(&f, none);
    CHECK(!f.settings.traces.gzip && !f.settings.metrics.gzip, "by default");
    haft__arena_finish(&f.arena);
    read_settings(&f, common);
    CHECK(f.settings.traces.gzip && !f.settings.metrics.gzip, "of one signal");
    haft__arena_finish(&f.arena);
}

TEST(headers_of_a_signal_replace_the_common_ones)
{
    const char *variables[] = {ENDPOINT, "OTEL_EXPORTER_OTLP_HEADERS=a=1",
                               "OTEL_EXPORTER_OTLP_METRICS_HEADERS=b=2", NULL};
    found f;
    read_settings(&f, variables);
    CHECK_STR(f.settings.traces.headers[0], HAFT__LIT("a: 1"), "traces");
    CHECK_INT(f.settings.metrics.header_count, 1, "metrics");
    CHECK_STR(f.settings.metrics.headers[0], HAFT__LIT("b: 2"), "metrics");
    haft__arena_finish(&f.arena);
}

/* The attribute, or "-". */
static haft_str attribute(const found *f, const char *key)
{
    for (size_t i = 0; i < f->settings.resource.count; i++) {
        if (haft__str_equal(f->settings.resource.attributes[i].key, haft__str(key))) {
            return f->settings.resource.attributes[i].value;
        }
    }
    return HAFT__LIT("-");
}

TEST(the_resource_names_the_service)
{
    static const struct {
        const char *variables[3];
        const char *name, *zone;
        bool warns;
    } cases[] = {
        {{NULL}, "haft", "-", false},
        {{"OTEL_SERVICE_NAME=shop"}, "shop", "-", false},
        {{"OTEL_RESOURCE_ATTRIBUTES=service.name=a,zone=eu%2C1"}, "a", "eu,1", false},
        {{"OTEL_RESOURCE_ATTRIBUTES=service.name=a,zone=1,zone=2", "OTEL_SERVICE_NAME=b"},
         "b",
         "2",
         false},
        {{"OTEL_RESOURCE_ATTRIBUTES=zone"}, "haft", "-", true},
        {{"OTEL_RESOURCE_ATTRIBUTES=zone=%FF"}, "haft", "-", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        found f;
        read_settings(&f, cases[i].variables);
        CHECK_STR(attribute(&f, "service.name"), haft__str(cases[i].name), "row %zu", i);
        CHECK_STR(attribute(&f, "zone"), haft__str(cases[i].zone), "row %zu", i);
        CHECK_STR(attribute(&f, "service.version"), HAFT__LIT("1.2"), "row %zu", i);
        CHECK_STR(attribute(&f, "service.instance.id"), HAFT__LIT("me"), "row %zu", i);
        CHECK_INT(f.warnings[0] != '\0', cases[i].warns, "row %zu: %s", i, f.warnings);
        haft__arena_finish(&f.arena);
    }
}

TEST(attributes_of_the_resource_have_a_limit)
{
    static char variable[8192] = "OTEL_RESOURCE_ATTRIBUTES=";
    const char *variables[] = {variable, NULL};
    found f;
    for (int i = 3; i < HAFT__LIMIT_TELEMETRY_RESOURCE; i++) { /* three exist already */
        size_t used = strlen(variable);
        (void)snprintf(variable + used, sizeof(variable) - used, "k%d=1,", i);
    }
    read_settings(&f, variables);
    CHECK_INT(f.settings.resource.count, HAFT__LIMIT_TELEMETRY_RESOURCE, "at the limit");
    CHECK_STR(haft__str(f.warnings), HAFT__LIT(""), "at the limit");
    haft__arena_finish(&f.arena);
    size_t used = strlen(variable);
    (void)snprintf(variable + used, sizeof(variable) - used, "more=1");
    read_settings(&f, variables);
    CHECK_INT(f.settings.resource.count, HAFT__LIMIT_TELEMETRY_RESOURCE, "past the limit");
    CHECK(strstr(f.warnings, "too many attributes") != NULL, "%s", f.warnings);
    haft__arena_finish(&f.arena);
}

#define NUMBER(name, field, fallback, most)                                                        \
    {                                                                                              \
        name, offsetof(haft__telemetry_settings, field), fallback, most                            \
    }

TEST(numbers_have_defaults_and_limits)
{
    static const struct {
        const char *name;
        size_t offset;
        uint64_t fallback, most;
    } cases[] = {
        NUMBER("OTEL_BSP_SCHEDULE_DELAY", span_delay_ms, HAFT__LIMIT_TELEMETRY_DELAY_MS,
               HAFT__LIMIT_TELEMETRY_INTERVAL_MAX_MS),
        NUMBER("OTEL_METRIC_EXPORT_INTERVAL", metric_interval_ms, HAFT__LIMIT_TELEMETRY_INTERVAL_MS,
               HAFT__LIMIT_TELEMETRY_INTERVAL_MAX_MS),
        NUMBER("OTEL_BSP_MAX_QUEUE_SIZE", queue_spans, HAFT__LIMIT_TELEMETRY_QUEUE,
               HAFT__LIMIT_TELEMETRY_QUEUE_MAX),
        NUMBER("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", batch_spans, HAFT__LIMIT_TELEMETRY_BATCH,
               HAFT__LIMIT_TELEMETRY_QUEUE),
        NUMBER("OTEL_EXPORTER_OTLP_TIMEOUT", traces.timeout_ms, HAFT__LIMIT_TELEMETRY_TIMEOUT_MS,
               HAFT__LIMIT_TELEMETRY_TIMEOUT_MAX_MS),
        NUMBER("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", metrics.timeout_ms,
               HAFT__LIMIT_TELEMETRY_TIMEOUT_MS, HAFT__LIMIT_TELEMETRY_TIMEOUT_MAX_MS),
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char texts[5][96];
        uint64_t most = cases[i].most;
        const uint64_t wanted[] = {cases[i].fallback, 1, most, most, cases[i].fallback};
        const char *name = cases[i].name;
        (void)snprintf(texts[0], sizeof(texts[0]), "OTHER=");
        (void)snprintf(texts[1], sizeof(texts[1]), "%s=1", name);
        (void)snprintf(texts[2], sizeof(texts[2]), "%s=%llu", name, (unsigned long long)most);
        (void)snprintf(texts[3], sizeof(texts[3]), "%s=%llu", name, (unsigned long long)most + 1);
        (void)snprintf(texts[4], sizeof(texts[4]), "%s=-5", name);
        for (size_t k = 0; k < COUNT(texts); k++) {
            const char *variables[] = {ENDPOINT, texts[k], NULL};
            found f;
            uint64_t number = 0;
            read_settings(&f, variables);
            memcpy(&number, (const char *)&f.settings + cases[i].offset, sizeof(number));
            CHECK_INT(number, wanted[k], "%s", texts[k]);
            CHECK_INT(f.warnings[0] != '\0', k >= 3, "%s: %s", texts[k], f.warnings);
            haft__arena_finish(&f.arena);
        }
    }
}

TEST(urls_have_a_limit)
{
    static char variable[HAFT__LIMIT_TELEMETRY_URL_BYTES + 100] =
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://";
    const char *variables[] = {variable, NULL};
    size_t name = strcspn(variable, "=") + 1;
    for (size_t extra = 0; extra < 2; extra++) {
        found f;
        size_t end = name + HAFT__LIMIT_TELEMETRY_URL_BYTES + extra;
        memset(variable + name + 7, 'h', end - name - 7);
        variable[end] = '\0';
        read_settings(&f, variables);
        CHECK_INT(f.settings.traces.url.len, extra == 0 ? HAFT__LIMIT_TELEMETRY_URL_BYTES : 0,
                  "%zu bytes more", extra);
        haft__arena_finish(&f.arena);
    }
}

TEST(content_and_the_log_are_off_by_default)
{
    static const struct {
        const char *variables[3];
        bool content, log, warns;
    } cases[] = {
        {{NULL}, false, false, false},
        {{ENDPOINT}, false, false, false},
        {{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"}, true, false, false},
        {{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=yes"}, false, false, true},
        {{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true", "OTEL_SDK_DISABLED=true"},
         false,
         false,
         false},
        {{"HAFT_LOG=json"}, false, true, false},
        {{"HAFT_LOG=json", "OTEL_SDK_DISABLED=true"}, false, true, false},
        {{"HAFT_LOG=text"}, false, false, false},
        {{"HAFT_LOG=xml"}, false, false, true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        found f;
        read_settings(&f, cases[i].variables);
        CHECK_INT(f.settings.content, cases[i].content, "row %zu", i);
        CHECK_INT(f.settings.log, cases[i].log, "row %zu", i);
        CHECK_INT(f.warnings[0] != '\0', cases[i].warns, "row %zu: %s", i, f.warnings);
        haft__arena_finish(&f.arena);
    }
}

TEST(settings_without_memory_fail)
{
    const char *const variables[] = {ENDPOINT, "OTEL_EXPORTER_OTLP_HEADERS=a=b",
                                     "OTEL_RESOURCE_ATTRIBUTES=c=d", NULL};
    haft__spec_env env = {get_variable, (void *)(uintptr_t)variables};
    haft__telemetry_identity identity = {HAFT__LIT("1.2"), HAFT__LIT("me")};
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__telemetry_settings settings;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status =
            haft__telemetry_settings_read(&env, &identity, &arena, NULL, NULL, &settings, &err);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
