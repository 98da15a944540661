/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_error.c - error responses of servers, and their kinds.
 *
 * Each server has its own form: {"error":{..}}, {"error":"text"}, {"object":"error",..},
 * {"detail":[..]}, a list around one of them, or a proxy's page. Only status, type and code decide
 * the kind: messages change with every release. Tests: tests/model/server_error_test.c. Fuzzer:
 * fuzz/openai_error.c.
 */
#include "model/server_error.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/retry.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

#define WORD_CHARS 80 /* maximum of a type, a code, a parameter or an id */

static const haft__json *get(haft__json object, const char *key)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    return value != NULL && value->kind != HAFT__JSON_NULL ? value : NULL;
}

/* ---- forms ---- */

/* {"detail": TEXT} or {"detail":[{"msg":..,"type":..,"loc":[..]}]}; the first item counts. */
static void read_detail(haft__json detail, haft__server_error *error)
{
    error->message = haft__json_text(detail);
    if (detail.kind == HAFT__JSON_ARRAY && detail.count > 0) {
        error->message = haft__object_text(detail.items[0], "msg");
        error->type = haft__object_text(detail.items[0], "type");
    }
}

/* Details of Google's errors: a list of objects with their types. */
static void read_google(haft__json object, haft__server_error *error)
{
    static const haft_str unit = HAFT__LIT("s");
    haft__json list = haft__object_array(object, "details");
    if (error->type.len == 0) {
        error->type = haft__object_string(object, "status");
    }
    for (uint32_t i = 0; i < list.count; i++) {
        haft_str type = haft__object_string(list.items[i], "@type");
        haft_str delay = haft__object_string(list.items[i], "retryDelay");
        if (haft__str_ends_with(type, HAFT__LIT(".ErrorInfo"))) {
            error->reason = haft__object_string(list.items[i], "reason");
        } else if (haft__str_ends_with(type, HAFT__LIT(".RetryInfo"))
                   && haft__str_ends_with(delay, unit)) {
            delay.len -= unit.len;
            error->has_wait = haft__retry_read_seconds(delay, &error->wait_ms);
        }
    }
}

static void read_object(haft__json object, haft__server_error *error)
{
    const haft__json *detail = get(object, "detail");
    error->message = haft__object_text(object, "message");
    error->type = haft__object_text(object, "type");
    error->code = haft__object_text(object, "code");
    error->param = haft__object_text(object, "param");
    if (error->code.len == 0) { /* of Anthropic */
        error->code = haft__object_text(haft__object_object(object, "details"), "error_code");
    }
    read_google(object, error);
    if (error->message.len == 0 && detail != NULL) {
        read_detail(*detail, error);
    }
}

/* The first item of a list; else the value itself. */
static haft__json first_of(haft__json value)
{
    return value.kind == HAFT__JSON_ARRAY && value.count > 0 ? value.items[0] : value;
}

bool haft__server_error_find_wrapped(haft__json value, haft__server_error *ret_error)
{
    haft__server_error error = {0};
    const haft__json *inner = get(first_of(value), "error");
    if (inner == NULL) {
        return false;
    }
    if (inner->kind == HAFT__JSON_OBJECT) {
        read_object(*inner, &error);
    } else {
        error.message = haft__json_text(*inner);
        error.is_text = true;
    }
    *ret_error = error;
    return true;
}

bool haft__server_error_find(haft__json value, haft__server_error *ret_error)
{
    if (haft__server_error_find_wrapped(value, ret_error)) {
        return true;
    }
    haft__server_error error = {0};
    haft__json object = first_of(value);
    if (get(object, "choices") != NULL
        || (get(object, "message") == NULL && get(object, "detail") == NULL)) {
        return false;
    }
    read_object(object, &error);
    *ret_error = error;
    return true;
}

/* ---- kinds ---- */

static const struct {
    const char *word; /* a type or a code */
    haft__failure_kind kind;
} words[] = {
    {"insufficient_quota", HAFT__FAILURE_QUOTA},
    {"billing_hard_limit_reached", HAFT__FAILURE_QUOTA},
    {"billing_error", HAFT__FAILURE_QUOTA},
    {"enforced_spend_limit_reached", HAFT__FAILURE_QUOTA},
    {"context_length_exceeded", HAFT__FAILURE_CONTEXT},
    {"exceed_context_size_error", HAFT__FAILURE_CONTEXT},
    {"request_too_large", HAFT__FAILURE_CONTEXT},
    {"content_filter", HAFT__FAILURE_POLICY},
    {"content_policy_violation", HAFT__FAILURE_POLICY},
    {"misalignment_policy_violation", HAFT__FAILURE_POLICY},
    {"invalid_api_key", HAFT__FAILURE_AUTH},
    {"API_KEY_INVALID", HAFT__FAILURE_AUTH},
    {"authentication_error", HAFT__FAILURE_AUTH},
    {"permission_error", HAFT__FAILURE_AUTH},
    {"rate_limit_exceeded", HAFT__FAILURE_TRANSIENT},
    {"rate_limit_error", HAFT__FAILURE_TRANSIENT},
    {"server_error", HAFT__FAILURE_TRANSIENT},
    {"api_error", HAFT__FAILURE_TRANSIENT},
    {"timeout_error", HAFT__FAILURE_TRANSIENT},
    {"overloaded_error", HAFT__FAILURE_TRANSIENT},
    {"unavailable_error", HAFT__FAILURE_TRANSIENT},
};

/* Parts of messages that say that a request is too long, of servers without a code for it. */
static const char *const too_long[] = {
    "prompt is too long",                   /* Anthropic */
    "exceed context limit",                 /* Anthropic, with max_tokens */
    "maximum number of tokens",             /* Gemini */
    "maximum context length",               /* vLLM, SGLang, DeepSeek, Mistral, OpenRouter */
    "context length is only",               /* vLLM */
    "longer than the maximum model length", /* vLLM */
    "model's context length",               /* SGLang */
    "maximum prompt length",                /* xAI */
    "exceeds the context window",           /* OpenAI, Responses */
    "max context length",                   /* Ollama */
    "exceeds the context length",           /* Ollama */
    "available context size",               /* llama.cpp, older */
    "context length of only",               /* LM Studio */
    "greater than the context length",      /* LM Studio */
    "input is too long",                    /* Bedrock */
    "`max_new_tokens` must be",             /* TGI, Together */
};

static bool says_too_long(haft_str message)
{
    bool found = false;
    for (size_t i = 0; i < COUNT(too_long) && !found; i++) {
        found = haft__str_contains_ignore_case(message, haft__str(too_long[i]));
    }
    return found;
}

static haft__failure_kind kind_of_status(uint32_t status)
{
    switch (status) {
    case 401:
    case 403: return HAFT__FAILURE_AUTH;
    case 402: return HAFT__FAILURE_QUOTA;
    case 408:
    case 409:
    case 429: return HAFT__FAILURE_TRANSIENT;
    case 413: return HAFT__FAILURE_CONTEXT;
    default: return status >= 500 ? HAFT__FAILURE_TRANSIENT : HAFT__FAILURE_OTHER;
    }
}

haft__failure_kind haft__server_error_kind(uint32_t status, const haft__server_error *error)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        haft_str word = haft__str(words[i].word);
        if (haft__str_equal(error->code, word) || haft__str_equal(error->type, word)
            || haft__str_equal(error->reason, word)) {
            return words[i].kind;
        }
    }
    haft__failure_kind kind = kind_of_status(status);
    bool may_be_long = kind == HAFT__FAILURE_OTHER || status == 500; /* 500: Ollama */
    return may_be_long && says_too_long(error->message) ? HAFT__FAILURE_CONTEXT : kind;
}

uint32_t haft__server_error_status(const haft__server_error *error)
{
    uint64_t status = 0;
    bool is_status = haft__str_to_u64(error->code, &status) && status >= 400 && status < 600;
    return is_status ? (uint32_t)status : 0;
}

/* ---- texts ---- */

/* Writes text on one line. */
typedef struct line_writer {
    haft__buf *buf;
    size_t left; /* characters that may still be added */
    bool space;  /* a space is due before the next character */
    bool any;    /* a character was added */
} line_writer;

static void add_char(line_writer *l, haft_str c)
{
    if (l->space && l->any && l->left > 1) {
        haft__buf_add_char(l->buf, ' ');
        l->left--;
    }
    if (l->left == 0) {
        return;
    }
    haft__buf_add_str(l->buf, --l->left > 0 ? c : HAFT__LIT("..."));
    l->space = false;
    l->any = true;
}

/* The length of an HTML tag or comment, including the contents of scripts and styles. */
static size_t tag_length(haft_str text)
{
    static const char *const skipped[][2] = {
        {"<!--", "-->"}, {"<script", "</script"}, {"<style", "</style"}, {"<svg", "</svg"}};
    const char *end = ">";
    for (size_t i = 0; i < COUNT(skipped); i++) {
        end = haft__str_starts_with(text, haft__str(skipped[i][0])) ? skipped[i][1] : end;
    }
    for (size_t at = 1; at < text.len; at++) {
        haft_str rest = haft__str_skip(text, at);
        if (haft__str_starts_with(rest, haft__str(end))) {
            return at + (end[0] == '<' ? 0 : strlen(end));
        }
    }
    return text.len;
}

/* The length of an entity; 0 if it is unknown. */
static size_t entity_length(haft_str text, haft_str *ret_char)
{
    static const char *const entities[][2] = {
        {"&amp;", "&"},   {"&lt;", "<"},  {"&gt;", ">"},
        {"&quot;", "\""}, {"&#39;", "'"}, {"&nbsp;", " "},
    };
    for (size_t i = 0; i < COUNT(entities); i++) {
        if (haft__str_starts_with(text, haft__str(entities[i][0]))) {
            *ret_char = haft__str(entities[i][1]);
            return strlen(entities[i][0]);
        }
    }
    return 0;
}

/* The length of the next character, tag or entity of `text`, and its replacement. */
static size_t next_char(haft_str text, bool html, haft_str *ret_char)
{
    uint32_t code;
    size_t length = 0;
    if (html && text.ptr[0] == '<') {
        *ret_char = HAFT__LIT(" ");
        return tag_length(text);
    }
    if (html && text.ptr[0] == '&') {
        length = entity_length(text, ret_char);
    }
    if (length == 0) {
        length = haft__utf8_decode(text, &code);
        bool control = length > 0 && (code < 0x20 || code == 0x7F);
        *ret_char = control       ? HAFT__LIT(" ")
                    : length == 0 ? HAFT__LIT("?")
                                  : (haft_str){text.ptr, length};
    }
    return length > 0 ? length : 1;
}

static void add_line(haft__buf *buf, haft_str text, bool html, size_t chars)
{
    line_writer l = {.buf = buf, .left = chars};
    while (text.len > 0 && l.left > 0) {
        haft_str c;
        size_t length = next_char(text, html, &c);
        if (haft__str_equal(c, HAFT__LIT(" "))) {
            l.space = true;
        } else {
            add_char(&l, c);
        }
        text = haft__str_skip(text, length);
    }
}

/* A body as long as its limit may have lost its end. */
static bool is_cut(haft_str body)
{
    return body.len >= HAFT__LIMIT_MODEL_ERROR_BYTES;
}

/* Adds the text as one line without secrets. Secrets are removed from the text, and again from the
 * line, because an entity may have hidden one; then the line is cut. `cut`: the text has already
 * lost its end. */
static void add_clean_line(haft__buf *buf, haft_str text, bool cut, bool html, size_t chars,
                           haft__cleaner cleaner)
{
    haft__lost lost = {.after = cut};
    haft__buf clean, line, shown;
    haft__buf *const bufs[] = {&clean, &line, &shown};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_init(bufs[i], SIZE_MAX / 2);
    }
    (void)haft__clean(cleaner, text, lost, &clean);
    add_line(&line, haft__buf_str(&clean), html, SIZE_MAX);
    (void)haft__clean(cleaner, haft__buf_str(&line), lost, &shown);
    add_line(buf, haft__buf_str(&shown), false, chars);
    for (size_t i = 0; i < COUNT(bufs); i++) {
        if (bufs[i]->status != HAFT_OK) {
            haft__buf_fail(buf, bufs[i]->status, "out of memory");
        }
        haft__buf_finish(bufs[i]);
    }
}

void haft__server_error_add_excerpt(haft__buf *buf, haft_str text, bool html, haft__cleaner cleaner)
{
    size_t before = buf->len;
    add_clean_line(buf, text, is_cut(text), html, HAFT__LIMIT_MODEL_ERROR_CHARS, cleaner);
    if (buf->len == before) {
        haft__buf_add_str(buf, HAFT__LIT("nothing to read"));
    }
}

static void add_word(haft__buf *buf, bool *io_any, const char *label, haft_str word,
                     haft__cleaner cleaner)
{
    if (word.len > 0) {
        haft__buf_addf(buf, "%s%s", *io_any ? ", " : " (", label);
        add_clean_line(buf, word, false, false, WORD_CHARS, cleaner);
        *io_any = true;
    }
}

void haft__server_error_write(haft__buf *buf, const haft__server_error *error, haft_str request_id,
                              haft__cleaner cleaner)
{
    bool any = false;
    if (haft__str_trim(error->message).len > 0) {
        add_clean_line(buf, error->message, false, false, HAFT__LIMIT_MODEL_ERROR_CHARS, cleaner);
    } else {
        haft__buf_add_str(buf, HAFT__LIT("no message"));
    }
    add_word(buf, &any, "", error->type, cleaner);
    add_word(buf, &any, "", error->code, cleaner);
    add_word(buf, &any, "", error->reason, cleaner);
    add_word(buf, &any, "at ", error->param, cleaner);
    add_word(buf, &any, "request ", request_id, cleaner);
    haft__buf_add_str(buf, any ? HAFT__LIT(")") : HAFT__LIT(""));
}

void haft__server_error_add_endpoint_hint(haft__buf *buf)
{
    haft__buf_add_str(buf, HAFT__LIT("; is base_url right? It usually ends in /v1"));
}

/* ---- responses that are not 2xx ---- */

/* If the body is not JSON, its start is the message. */
static haft_status find_error(haft_str body, haft__hash_key hash_key, haft__cleaner cleaner,
                              haft__arena *scratch, haft__buf *page, haft__server_error *ret_error,
                              haft_error *err)
{
    haft__json value;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    haft_status status = haft__json_read(scratch, body, &options, &value, NULL, NULL);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    *ret_error = (haft__server_error){0};
    if (status == HAFT_OK && haft__server_error_find(value, ret_error)
        && haft__str_trim(ret_error->message).len > 0) {
        return HAFT_OK;
    }
    haft_str shown = haft__str_trim(body);
    add_clean_line(page, shown, is_cut(body), haft__str_starts_with(shown, HAFT__LIT("<")),
                   HAFT__LIMIT_MODEL_ERROR_CHARS, cleaner);
    ret_error->message = haft__buf_str(page);
    return haft__buf_check(page, err);
}

static haft_status write_failure(uint32_t status, const haft__server_error *error,
                                 haft_str request_id, haft__cleaner cleaner, haft__buf *text,
                                 haft__arena *arena, haft__model_failure *ret_failure,
                                 haft_error *err)
{
    haft__buf_addf(text, "HTTP %u from the model server: ", status);
    haft__server_error_write(text, error, request_id, cleaner);
    /* An error in a form of an API comes from the right URL: the model does not exist. */
    bool known_form = error->type.len + error->code.len > 0 || error->is_text;
    if ((status == 404 || status == 405) && !known_form) {
        haft__server_error_add_endpoint_hint(text);
    }
    haft_status checked = haft__buf_check(text, err);
    if (checked != HAFT_OK) {
        return checked;
    }
    haft__model_failure failure = {.status = status,
                                   .kind = haft__server_error_kind(status, error),
                                   .has_wait = error->has_wait,
                                   .wait_ms = error->wait_ms,
                                   .message = haft__arena_copy(arena, haft__buf_str(text)),
                                   .param = haft__arena_copy(arena, error->param)};
    if (failure.message.ptr == NULL || failure.param.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_failure = failure;
    return HAFT_OK;
}

haft_status haft__server_error_read_failure(uint32_t status, haft_str body, haft_str request_id,
                                            haft__hash_key hash_key, haft__cleaner cleaner,
                                            haft__arena *arena, haft__model_failure *ret_failure,
                                            haft_error *err)
{
    haft__server_error error = {0};
    haft__arena scratch;
    haft__buf page, text;
    haft__arena_init(&scratch, 0);
    haft__buf_init(&page, HAFT__LIMIT_MODEL_ERROR_BYTES);
    haft__buf_init(&text, HAFT__LIMIT_MODEL_ERROR_BYTES);
    body.len = body.len < HAFT__LIMIT_MODEL_ERROR_BYTES ? body.len : HAFT__LIMIT_MODEL_ERROR_BYTES;
    haft_status found = find_error(body, hash_key, cleaner, &scratch, &page, &error, err);
    if (found == HAFT_OK) {
        found = write_failure(status, &error, request_id, cleaner, &text, arena, ret_failure, err);
    }
    haft__arena_finish(&scratch);
    haft__buf_finish(&page);
    haft__buf_finish(&text);
    return found;
}
