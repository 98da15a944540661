/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - requests as JSON text: the order of members, the declared tools, and options. Tests:
 * tests/model/providers/ollama/request_test.c. */
#include "model/providers/ollama/request.h"

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/model_options.h"
#include "json/object.h"

/* ---- tools ---- */

void haft__ollama_write_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__conversation_write_function(buf, tool, &haft__tool_schema_ollama);
}

static bool may_call(const haft__request *request)
{
    bool any = false;
    for (size_t i = 0; i < request->tool_count; i++) {
        any = any || request->allowed == NULL || request->allowed[i];
    }
    return any && request->mode != HAFT__MODE_NONE;
}

/* Without a tool_choice, a tool that must be called is declared alone. */
static void add_tools(const haft__provider_conversation *chat, haft__json_writer *w,
                      const haft__request *request)
{
    const haft__tool *lone = haft__conversation_named_tool(request);
    haft__json_key(w, "tools");
    haft__buf_add_char(w->buf, '[');
    if (lone != NULL) {
        haft__ollama_write_tool(w->buf, lone);
    } else {
        haft__buf_add_str(w->buf, haft__conversation_tools(chat, request));
    }
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
}

/* ---- options ---- */

/* Options of a spec that are members of the request; all others are options of the model. */
static const char *const members[] = {"think", "keep_alive", "format",       "truncate",
                                      "shift", "logprobs",   "top_logprobs", NULL};

/* Options that are written elsewhere, or that a run sets itself. */
static const char *const others[] = {"options", "reasoning_effort", "model", "messages",
                                     "tools",   "stream",           NULL};

static bool is_listed(const char *const *names, haft_str key)
{
    for (; *names != NULL; names++) {
        if (haft__str_equal(key, haft__str(*names))) {
            return true;
        }
    }
    return false;
}

static void add_flag(haft__json_writer *w, haft__json given, const char *key, bool flag)
{
    if (haft__object_find(given, key) == NULL) {
        haft__field_flag(w, key, flag);
    }
}

/* The server has the levels low, medium, high and max. */
static haft_str level_for(haft_str effort)
{
    return haft__str_equal(effort, HAFT__LIT("minimal")) ? HAFT__LIT("low")
           : haft__str_equal(effort, HAFT__LIT("xhigh")) ? HAFT__LIT("max")
                                                         : effort;
}

/* A request that is longer than the context is an error: by default the server drops the oldest
 * messages without a word, and with them the instructions. */
static void add_members(haft__json_writer *w, const haft__provider_request_options *options)
{
    haft__json given = options->options;
    haft_str effort = haft__object_string(given, "reasoning_effort");
    for (const char *const *name = members; *name != NULL; name++) {
        const haft__json *value = haft__object_find(given, *name);
        if (value != NULL && value->kind != HAFT__JSON_NULL) {
            haft__field_value(w, *name, *value);
        }
    }
    add_flag(w, given, "truncate", false);
    add_flag(w, given, "shift", false);
    if (effort.len > 0 && haft__object_find(given, "think") == NULL
        && haft__provider_use_member(options, HAFT__MEMBER_EFFORT)) {
        haft__json_key(w, "think");
        if (haft__str_equal(effort, HAFT__LIT("none"))) {
            haft__json_add_bool(w, false);
        } else {
            haft__json_add_str(w, level_for(effort));
        }
    }
}

/* The names that other servers have for num_predict. */
static bool is_token_limit(haft_str key)
{
    return haft__str_equal(key, HAFT__LIT("max_tokens"))
           || haft__str_equal(key, HAFT__LIT("max_completion_tokens"));
}

/* An option of the model: in `options` of the request, which a spec may write itself. */
static const haft__json *model_option(haft__json given, const char *key)
{
    const haft__json *own = haft__object_find(haft__object_object(given, "options"), key);
    return own != NULL ? own : haft__object_find(given, key);
}

/* The limit of the reply in tokens; NULL for none. */
static const haft__json *find_token_limit(haft__json given)
{
    static const char *const names[] = {"num_predict", "max_tokens", "max_completion_tokens"};
    const haft__json *found = NULL;
    for (size_t i = 0; i < COUNT(names) && found == NULL; i++) {
        found = model_option(given, names[i]);
    }
    return found;
}

#define MIN_CONTEXT     8192
#define BYTES_PER_TOKEN 3 /* fewer than usual: the estimate must not be too small */
#define REPLY_TOKENS    4096

/* The context that the request needs, in steps: with another size, the server loads the model
 * again, so it changes rarely and never shrinks. The server's own default is smaller than most
 * conversations with tools. */
static uint64_t context_for(const haft__provider_conversation *chat, haft__json given, size_t bytes)
{
    const haft__json *limit = find_token_limit(given);
    uint64_t reply = REPLY_TOKENS;
    if (limit != NULL && haft__str_to_u64(haft__json_text(*limit), &reply)) {
        reply = reply < HAFT__LIMIT_MODEL_REPLY_TOKENS ? reply : HAFT__LIMIT_MODEL_REPLY_TOKENS;
    }
    uint64_t needed = bytes / BYTES_PER_TOKEN + reply;
    uint64_t context = chat->context > MIN_CONTEXT ? chat->context : MIN_CONTEXT;
    while (context < needed) {
        context *= 2;
    }
    return context;
}

static void add_model_options(haft__provider_conversation *chat, haft__json_writer *w,
                              haft__json given, size_t bytes)
{
    const haft__json *limit = find_token_limit(given);
    haft__json own = haft__object_object(given, "options");
    haft__json_key(w, "options");
    haft__json_begin_object(w);
    if (model_option(given, "num_ctx") == NULL) {
        chat->context = context_for(chat, given, bytes);
        haft__field_number(w, "num_ctx", chat->context);
    }
    if (limit != NULL && limit->kind != HAFT__JSON_NULL) {
        haft__field_value(w, "num_predict", *limit);
    }
    for (int pass = 0; pass < 2; pass++) {
        haft__json from = pass == 0 ? own : given;
        for (uint32_t i = 0; from.kind == HAFT__JSON_OBJECT && i < from.count; i++) {
            haft_str key = haft__json_text(from.members[i].key);
            bool written = is_token_limit(key) || haft__str_equal(key, HAFT__LIT("num_predict"));
            bool other =
                pass == 1
                && (is_listed(members, key) || is_listed(others, key)
                    || haft__json_get(own, key) != NULL
                    || haft__model_options_why_unsent(chat->provider, HAFT__LIT(""), given, key)
                           != NULL);
            if (!written && !other && from.members[i].value.kind != HAFT__JSON_NULL) {
                haft__json_key_str(w, key);
                haft__json_add(w, from.members[i].value);
            }
        }
    }
    haft__json_end_object(w);
}

/* ---- the request ---- */

void haft__ollama_write_body(haft__provider_conversation *chat, const haft__request *request,
                             const haft__provider_request_options *options, haft_str last,
                             haft__buf *buf)
{
    haft__json_writer w;
    size_t start = buf->len;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "model", request->model);
    if (chat->format == NULL && may_call(request)) {
        add_tools(chat, &w, request);
    }
    haft__json_key(&w, "messages");
    haft__buf_add_char(buf, '[');
    chat->stable = buf->len - start + (request->transcript ? 0 : chat->messages.len);
    haft__buf_add_str(buf, haft__buf_str(&chat->messages));
    haft__ollama_end_with(chat, request, last, buf);
    haft__buf_add_char(buf, ']');
    w.after_key = false;
    if (request->constraint.kind == HAFT__CONSTRAINT_JSON_SCHEMA) {
        haft__json_key(&w, "format");
        haft__buf_add_str(buf, request->constraint.text);
        w.after_key = false;
    }
    haft__field_flag(&w, "stream", options->stream); /* the server's default is true */
    add_members(&w, options);
    add_model_options(chat, &w, options->options, buf->len - start);
    haft__json_end_object(&w);
}
