/* SPDX-License-Identifier: Apache-2.0 */
/* sender.c - see engine/telemetry/sender.h. telemetry/otlp/retry.h has the rules for retries.
 * Tests: tests/engine/telemetry/telemetry_test.c, tests/cli/telemetry_test.py. */
#include "engine/telemetry/sender.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "engine/runtime.h"
#include "io/gzip.h"
#include "io/random.h"
#include "telemetry/otlp/response.h"
#include "telemetry/otlp/retry.h"

enum { FIXED_HEADERS = 3 };

void haft__otlp_sender_init(haft__otlp_sender *sender, struct haft__telemetry *telemetry,
                            const char *signal, const haft__otlp_target *target)
{
    *sender = (haft__otlp_sender){.telemetry = telemetry, .signal = signal, .target = target};
    haft__buf_init(&sender->body, HAFT__LIMIT_TELEMETRY_REQUEST_BYTES);
    haft__buf_init(&sender->response, HAFT__LIMIT_TELEMETRY_RESPONSE_BYTES);
}

void haft__otlp_sender_finish(haft__otlp_sender *sender)
{
    haft__timer_stop(haft__telemetry_runtime(sender->telemetry)->loop, &sender->timer);
    haft__http_client_destroy(sender->http); /* also cancels the transfer */
    haft__buf_finish(&sender->body);
    haft__buf_finish(&sender->response);
}

/* Ends the request. A failure is reported once, until a request succeeds. */
static void end_request(haft__otlp_sender *sender, const char *reason, const char *message)
{
    bool failed = reason != NULL;
    if (failed && !sender->failing) {
        haft__telemetry_warn(sender->telemetry, "telemetry: %s: %s", sender->signal, message);
    }
    sender->failing = failed;
    sender->busy = false;
    haft__buf_clear(&sender->body);
    haft__telemetry_sent(sender, failed ? sender->items : 0, reason);
}

/* ---- the response ---- */

static bool is_json_type(haft_str content_type)
{
    return haft__str_starts_with(content_type, HAFT__LIT("application/json"));
}

/* Copies a text of the collector for people: printable, at most `size` bytes. */
static void copy_printable(char *to, size_t size, haft_str text)
{
    size_t length = text.len < size ? text.len : haft__utf8_floor(text, size - 1);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        to[i] = c < 0x20 || c == 0x7F ? ' ' : text.ptr[i];
    }
    haft__utf8_replace_invalid(to, length);
    to[length] = '\0';
}

/* The collector accepted the request, perhaps without some of its items. They are not sent again.
 */
static void end_accepted(haft__otlp_sender *sender, const haft__http_result *result)
{
    haft__otlp_encoding encoding =
        is_json_type(result->content_type) ? HAFT__OTLP_JSON : HAFT__OTLP_PROTOBUF;
    haft__arena arena;
    char message[256];
    haft__arena_init(&arena, 0);
    haft__otlp_rejection rejected =
        haft__otlp_read_response(haft__buf_str(&sender->response), encoding, &arena,
                                 haft__telemetry_runtime(sender->telemetry)->hash_key);
    if (rejected.count > 0 || rejected.message.len > 0) {
        copy_printable(message, sizeof(message), rejected.message);
        haft__telemetry_warn(sender->telemetry,
                             "telemetry: %s: the collector rejected %llu items%s%s", sender->signal,
                             (unsigned long long)rejected.count, message[0] != '\0' ? ": " : "",
                             message);
    }
    haft__arena_finish(&arena);
    sender->failing = false;
    sender->busy = false;
    haft__buf_clear(&sender->body);
    haft__telemetry_sent(sender, (size_t)rejected.count, rejected.count > 0 ? "rejected" : NULL);
}

static void start_attempt(haft__otlp_sender *sender);

static void on_retry(void *context)
{
    start_attempt(context);
}

/* Whether another attempt has the same outcome. */
static bool is_permanent(haft__http_outcome end)
{
    return end == HAFT__HTTP_BAD_URL || end == HAFT__HTTP_BAD_HEADER || end == HAFT__HTTP_TLS
           || end == HAFT__HTTP_REFUSED || end == HAFT__HTTP_TOO_BIG;
}

static haft__otlp_retry decide(const haft__otlp_sender *sender, const haft__http_result *result)
{
    uint64_t now = haft__runtime_now(haft__telemetry_runtime(sender->telemetry));
    const haft__retry_hints *hints = &sender->hints;
    uint64_t date_wait = hints->date_ms > now ? hints->date_ms - now : 0;
    bool answered = result->end == HAFT__HTTP_OK;
    haft__otlp_attempt attempt = {.status = answered ? result->status : 0,
                                  .made = sender->attempts,
                                  .has_retry_after = hints->has_after || hints->has_date,
                                  .retry_after_ms = hints->has_after ? hints->after_ms : date_wait};
    (void)haft__random_bytes(&attempt.random, sizeof(attempt.random));
    return haft__otlp_retry_decide(&attempt);
}

static void end_failed(haft__otlp_sender *sender, const haft__http_result *result)
{
    haft__otlp_retry retry = decide(sender, result);
    char message[600];
    if (retry.again && !is_permanent(result->end) && !sender->last
        && haft__timer_start(haft__telemetry_runtime(sender->telemetry)->loop, &sender->timer,
                             retry.wait_ms, on_retry, sender, NULL)
               == HAFT_OK) {
        return;
    }
    if (result->end == HAFT__HTTP_OK) {
        (void)snprintf(message, sizeof(message), "%s answered with status %u", result->origin,
                       result->status);
    } else {
        (void)snprintf(message, sizeof(message), "%s", result->message);
    }
    end_request(sender, "failed", message);
}

static void on_head(void *context, const haft__http_result *result)
{
    haft__otlp_sender *sender = context;
    haft_str after = haft__http_result_header(result, "retry-after");
    sender->hints = (haft__retry_hints){0};
    if (after.ptr != NULL) {
        haft__retry_read_header(&sender->hints, HAFT__LIT("retry-after"), after,
                                haft__runtime_now(haft__telemetry_runtime(sender->telemetry)));
    }
}

static bool on_body(void *context, haft_str bytes)
{
    haft__otlp_sender *sender = context;
    haft__buf_add_str(&sender->response, bytes);
    return true;
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__otlp_sender *sender = context;
    sender->transfer = NULL;
    if (result->end == HAFT__HTTP_OK && result->status >= 200 && result->status < 300) {
        end_accepted(sender, result);
    } else {
        end_failed(sender, result);
    }
}

/* ---- the request ---- */

static haft_status ensure_client(haft__otlp_sender *sender, haft_error *err)
{
    haft__http_client_options options = {
        .proxy = true,
        .ca_file = sender->target->certificate.len > 0 ? sender->target->certificate.ptr : NULL};
    return sender->http != NULL
               ? HAFT_OK
               : haft__http_client_create(haft__telemetry_runtime(sender->telemetry)->loop,
                                          &options, &sender->http, err);
}

static haft_status post(haft__otlp_sender *sender, haft_error *err)
{
    static const haft__http_handlers handlers = {on_head, on_body, on_done};
    const haft__otlp_target *target = sender->target;
    haft_str headers[HAFT__LIMIT_TELEMETRY_HEADERS + FIXED_HEADERS] = {
        target->encoding == HAFT__OTLP_JSON ? HAFT__LIT("Content-Type: application/json")
                                            : HAFT__LIT("Content-Type: application/x-protobuf"),
        HAFT__LIT("User-Agent: haft"), HAFT__LIT("Content-Encoding: gzip")};
    size_t count = target->gzip ? FIXED_HEADERS : FIXED_HEADERS - 1;
    for (size_t i = 0; i < target->header_count; i++) {
        headers[count++] = target->headers[i];
    }
    haft__http_request request = {.method = HAFT__LIT("POST"),
                                  .url = target->url,
                                  .headers = headers,
                                  .header_count = count,
                                  .body = haft__buf_str(&sender->body),
                                  .total_ms = target->timeout_ms,
                                  .max_bytes = HAFT__LIMIT_TELEMETRY_RESPONSE_BYTES};
    haft__buf_clear(&sender->response);
    sender->hints = (haft__retry_hints){0};
    haft_status status = ensure_client(sender, err);
    return status == HAFT_OK ? haft__http_transfer_start(sender->http, &request, &handlers, sender,
                                                         &sender->transfer, err)
                             : status;
}

static void start_attempt(haft__otlp_sender *sender)
{
    haft_error err = {0};
    sender->attempts++;
    if (post(sender, &err) != HAFT_OK) {
        end_request(sender, "failed", err.message);
    }
}

/* Compresses the body, if the collector gets it so. */
static haft_status compress(haft__otlp_sender *sender, haft_error *err)
{
    haft__buf packed;
    haft_status status = haft__buf_check(&sender->body, err);
    if (!sender->target->gzip || status != HAFT_OK) {
        return status;
    }
    haft__buf_init(&packed, HAFT__LIMIT_TELEMETRY_REQUEST_BYTES);
    status = haft__gzip(haft__buf_str(&sender->body), &packed, err);
    if (status == HAFT_OK) {
        haft__buf plain = sender->body;
        sender->body = packed;
        packed = plain;
    }
    haft__buf_finish(&packed);
    return status;
}

void haft__otlp_sender_start(haft__otlp_sender *sender, size_t items)
{
    haft_error err = {0};
    sender->busy = true;
    sender->items = items;
    sender->attempts = 0;
    if (compress(sender, &err) == HAFT_OK) {
        start_attempt(sender);
    } else {
        end_request(sender, "failed", err.message);
    }
}

void haft__otlp_sender_hurry(haft__otlp_sender *sender)
{
    sender->last = true;
    if (sender->busy && sender->timer.slot != 0) {
        haft__timer_stop(haft__telemetry_runtime(sender->telemetry)->loop, &sender->timer);
        start_attempt(sender);
    }
}
