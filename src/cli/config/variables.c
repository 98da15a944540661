/* SPDX-License-Identifier: Apache-2.0 */
/* variables.c - the table of environment variables. Tests: tests/cli/config/variables_test.c,
 * tests/house/variables.py. */
#include "cli/config/variables.h"

#include "base/macros.h"
#include "base/str.h"

static const haft__variable_row rows[] = {
    {"OPENAI_API_KEY", "API key for the providers openai, openai-responses and openai-chat", true,
     true},
    {"OPENAI_BASE_URL", "base URL of another server for these providers", false, true},
    {"OPENAI_TOOL_CHOICE",
     "tool choice if the spec has none: auto, none, required or the name of a tool", false, false},
    {"ANTHROPIC_API_KEY", "API key for the provider anthropic", true, true},
    {"ANTHROPIC_BASE_URL", "base URL of another server for the provider anthropic", false, true},
    {"GEMINI_API_KEY", "API key for the provider gemini", true, true},
    {"GEMINI_BASE_URL", "base URL of another server for the provider gemini", false, true},
    {"MISTRAL_API_KEY", "API key for the provider mistral", true, true},
    {"MISTRAL_BASE_URL", "base URL of another server for the provider mistral", false, true},
    {"DEEPSEEK_API_KEY", "API key for the provider deepseek", true, true},
    {"DEEPSEEK_BASE_URL", "base URL of another server for the provider deepseek", false, true},
    {"OLLAMA_API_KEY", "API key for the provider ollama", true, true},
    {"OLLAMA_BASE_URL", "base URL of another server for the provider ollama", false, true},
    {"LLAMACPP_API_KEY", "API key for the provider llamacpp", true, true},
    {"LLAMACPP_BASE_URL", "base URL of another server for the provider llamacpp", false, true},
    {"VLLM_API_KEY", "API key for the provider vllm", true, true},
    {"VLLM_BASE_URL", "base URL of another server for the provider vllm", false, true},
    {"SSL_CERT_FILE",
     "file of trusted certificates for model servers; the system's file if not set", false, false},
    {"HAFT_MODEL", "model for specs that name none", false, false},
    {"HAFT_STORE", "where runs are kept, like --store", false, false},
    {"HAFT_ARTIFACTS", "directory for artifacts, like --artifacts", false, false},
    {"HAFT_LEASE", "how long a process owns a run without renewing its lease: 30s if not set",
     false, false},
    {"HAFT_VECTORS", "file of word vectors for tool search, or none", false, false},
    {"HAFT_SANDBOX_UID",
     "number of the user who runs code in the sandbox if haft is root: 65534 if not set", false,
     false},
    {"HAFT_PLAIN", "plain lines, like --plain, unless it is 0 or empty", false, false},
    {"XDG_STATE_HOME", "directory of the store, haft/haft.db; ~/.local/state if not set", false,
     false},
    {"XDG_CONFIG_HOME", "directory of your settings, haft/config.yaml; ~/.config if not set", false,
     false},
    {"HOME", "your home directory; also passed to tools", false, false},
    {"HAFT_USER", "user for whom runs act, like --user; also the person who answers and approves",
     false, false},
    {"HAFT_LOG",
     "json: one JSON object for each turn and call on standard error, in place of lines "
     "for people",
     false, false},
    {"OTEL_EXPORTER_OTLP_ENDPOINT",
     "base URL of an OpenTelemetry collector; without it no telemetry is sent", false, false},
    {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "URL for traces, used as it is", false, false},
    {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "URL for metrics, used as it is", false, false},
    {"OTEL_EXPORTER_OTLP_HEADERS", "headers for the collector: NAME=VALUE,...", true, false},
    {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "the same, only for traces", true, false},
    {"OTEL_EXPORTER_OTLP_METRICS_HEADERS", "the same, only for metrics", true, false},
    {"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf or http/json; http/protobuf if not set", false,
     false},
    {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "the same, only for traces", false, false},
    {"OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "the same, only for metrics", false, false},
    {"OTEL_EXPORTER_OTLP_TIMEOUT", "milliseconds for a request to the collector; 10000 if not set",
     false, false},
    {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "the same, only for traces", false, false},
    {"OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "the same, only for metrics", false, false},
    {"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip, or none, the default", false, false},
    {"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "the same, only for traces", false, false},
    {"OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "the same, only for metrics", false, false},
    {"OTEL_EXPORTER_OTLP_CERTIFICATE",
     "file of trusted certificates for the collector; the system's if not set", false, false},
    {"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", "the same, only for traces", false, false},
    {"OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE", "the same, only for metrics", false, false},
    {"OTEL_SDK_DISABLED", "true: no telemetry is sent", false, false},
    {"OTEL_TRACES_EXPORTER", "none: no traces are sent", false, false},
    {"OTEL_METRICS_EXPORTER", "none: no metrics are sent", false, false},
    {"OTEL_SERVICE_NAME", "name of this service in telemetry; haft if not set", false, false},
    {"OTEL_RESOURCE_ATTRIBUTES", "attributes of this service in telemetry: KEY=VALUE,...", false,
     false},
    {"OTEL_BSP_SCHEDULE_DELAY", "milliseconds until spans are sent; 5000 if not set", false, false},
    {"OTEL_BSP_MAX_QUEUE_SIZE", "spans that may wait to be sent; 2048 if not set", false, false},
    {"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "spans in one request; 512 if not set", false, false},
    {"OTEL_METRIC_EXPORT_INTERVAL",
     "milliseconds between two requests with metrics; 60000 if not set", false, false},
    {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
     "true: spans have messages, arguments and results, without secrets", false, false},
    {"TRACEPARENT", "W3C trace context of the caller: runs that start here belong to its trace",
     false, false},
    {"USER", "name of the person who answers and approves if HAFT_USER is not set", false, false},
    {"PATH", "where the programs of command tools are searched; also passed to tools", false,
     false},
    {"LANG", "passed to tools; C.UTF-8 if not set", false, false},
    {"LC_ALL", "locale: the timeline uses symbols if it names UTF-8", false, false},
    {"LC_CTYPE", "the same if LC_ALL is not set; then LANG", false, false},
    {"VISUAL", "program that edits the arguments of a call, `e` at an approval", false, false},
    {"EDITOR", "the same if VISUAL is not set or empty", false, false},
    {"TMPDIR", "directory of the file that the editor changes; /tmp if not set", false, false},
    {"NO_COLOR", "no colours unless it is empty", false, false},
    {"TERM", "type of the terminal; no colours if it is `dumb`", false, false},
};

const haft__variable_row *haft__variable_table(size_t *ret_count)
{
    *ret_count = COUNT(rows);
    return rows;
}

const haft__variable_row *haft__variable_find(haft_str name)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (haft__str_equal(haft__str(rows[i].name), name)) {
            return &rows[i];
        }
    }
    return NULL;
}
