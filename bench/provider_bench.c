/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provider_bench.c - the CPU time of each wire format, without I/O: a turn (the request, and the
 * streamed reply with a call), and a streamed text of 100,000 tokens, one token in each event.
 * All formats are measured side by side; the ratio is to Chat Completions. Then the cache audit of
 * runs of three lengths.
 */
#include "provider_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "bench.h"
#include "model/cache_audit.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "json/read.h"

#define TURNS  64
#define TOKENS 100000
#define CHUNK  4096 /* bytes that arrive together */
#define TOKEN  " token"

/* The streams of a wire format. */
typedef struct wire {
    const char *name, *provider;
    const char *begin, *token, *end; /* parts of a text stream; %s in `end`: the whole text */
    const char *call;                /* a reply with one call */
} wire;

#define CHAT(delta, finish)                                                                        \
    "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":"   \
    "\"m\",\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" finish "}]}\n\n"
#define CHAT_END                                                                                   \
    "data: {\"id\":\"chatcmpl-1\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,"                  \
    "\"completion_tokens\":5,\"total_tokens\":14}}\n\ndata: [DONE]\n\n"

#define EVENT(type, more) "event: " type "\ndata: {\"type\":\"" type "\"" more "}\n\n"
#define ITEM(index, item)                                                                          \
    EVENT("response.output_item.done",                                                             \
          ",\"sequence_number\":9,\"output_index\":" index ",\"item\":" item)
#define COMPLETED(items)                                                                           \
    EVENT("response.completed", ",\"sequence_number\":9,\"response\":{\"id\":\"r\",\"status\":"    \
                                "\"completed\",\"model\":\"m\",\"output\":[" items "],\"usage\":{" \
                                "\"input_tokens\":9,\"output_tokens\":5}}")
#define MESSAGE                                                                                    \
    "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"status\":\"completed\","      \
    "\"content\":[{\"type\":\"output_text\",\"text\":\"%s\",\"annotations\":[]}]}"
#define CALL_ITEM                                                                                  \
    "{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"completed\",\"call_id\":\"call_1\"," \
    "\"name\":\"search\",\"arguments\":\"{\\\"query\\\":\\\"words\\\"}\"}"

#define STARTED                                                                                    \
    EVENT("message_start", ",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":"             \
                           "\"assistant\",\"model\":\"m\",\"content\":[],\"usage\":{"              \
                           "\"input_tokens\":9,\"output_tokens\":1}}")
#define STOPPED(reason)                                                                            \
    EVENT("content_block_stop", ",\"index\":0")                                                    \
    EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{"               \
                           "\"output_tokens\":5}")                                                 \
    EVENT("message_stop", "")

#define GEMINI(part, more)                                                                         \
    "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[" part                     \
    "]},\"index\":0" more "}],\"usageMetadata\":{\"promptTokenCount\":9,"                          \
    "\"candidatesTokenCount\":5,\"totalTokenCount\":14},\"modelVersion\":\"m\"}\n\n"

#define OLLAMA(message, more)                                                                      \
    "{\"model\":\"m\",\"created_at\":\"2026-11-18T00:00:00.000000000Z\",\"message\":{\"role\":"    \
    "\"assistant\"," message "}" more "}\n"
#define OLLAMA_END                                                                                 \
    OLLAMA("\"content\":\"\"", ",\"done\":true,\"done_reason\":\"stop\",\"total_duration\":9,"     \
                               "\"prompt_eval_count\":9,\"eval_count\":5")

static const wire wires[] = {
    {"Chat Completions", "vllm", CHAT("{\"role\":\"assistant\",\"content\":\"\"}", "null"),
     CHAT("{\"content\":\"" TOKEN "\"}", "null"), CHAT("{}", "\"stop\"") CHAT_END,
     CHAT("{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_1\","
          "\"type\":\"function\",\"function\":{\"name\":\"search\",\"arguments\":\"\"}}]}",
          "null")
         CHAT("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"query\\\":\"}}]}",
              "null") CHAT("{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
                           "\"\\\"words\\\"}\"}}]}",
                           "null") CHAT("{}", "\"tool_calls\"") CHAT_END},
    {"Responses", "openai-responses",
     EVENT("response.created", ",\"response\":{\"id\":\"r\",\"model\":\"m\"}")
         EVENT("response.output_item.added",
               ",\"output_index\":0,\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":"
               "\"assistant\",\"content\":[]}"),
     EVENT("response.output_text.delta", ",\"sequence_number\":9,\"item_id\":\"msg_1\","
                                         "\"output_index\":0,\"content_index\":0,\"delta\":\"" TOKEN
                                         "\",\"logprobs\":[],\"obfuscation\":\"x7Gk2\""),
     ITEM("0", MESSAGE) COMPLETED(MESSAGE),
     EVENT("response.created", ",\"response\":{\"id\":\"r\",\"model\":\"m\"}")
         EVENT("response.output_item.added",
               ",\"output_index\":0,\"item\":{\"id\":\"fc_1\",\"type\":\"function_call\","
               "\"call_id\":\"call_1\",\"name\":\"search\",\"arguments\":\"\"}")
             EVENT("response.function_call_arguments.delta",
                   ",\"item_id\":\"fc_1\",\"output_index\":0,\"delta\":\"{\\\"query\\\":\"")
                 EVENT("response.function_call_arguments.delta",
                       ",\"item_id\":\"fc_1\",\"output_index\":0,\"delta\":\"\\\"words\\\"}\"")
                     ITEM("0", CALL_ITEM) COMPLETED(CALL_ITEM)},
    {"Messages (Anthropic)", "anthropic",
     STARTED EVENT("content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"text\","
                                          "\"text\":\"\"}"),
     EVENT("content_block_delta",
           ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" TOKEN "\"}"),
     STOPPED("end_turn"),
     STARTED EVENT("content_block_start",
                   ",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
                   "\"name\":\"search\",\"input\":{}}")
         EVENT("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"input_json_delta\","
                                      "\"partial_json\":\"{\\\"query\\\":\"}")
             EVENT("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"input_json_delta\","
                                          "\"partial_json\":\"\\\"words\\\"}\"}")
                 STOPPED("tool_use")},
    {"generateContent (Gemini)", "gemini", "", GEMINI("{\"text\":\"" TOKEN "\"}", ""),
     GEMINI("{\"text\":\"\"}", ",\"finishReason\":\"STOP\""),
     GEMINI("{\"functionCall\":{\"id\":\"f1\",\"name\":\"search\",\"args\":{\"query\":\"words\"}},"
            "\"thoughtSignature\":\"c2ln\"}",
            "") GEMINI("{\"text\":\"\"}", ",\"finishReason\":\"STOP\"")},
    {"chat (Ollama)", "ollama", "", OLLAMA("\"content\":\"" TOKEN "\"", ",\"done\":false"),
     OLLAMA_END,
     OLLAMA(
         "\"content\":\"\",\"tool_calls\":[{\"id\":\"call_1\",\"function\":{\"index\":0,\"name\":"
         "\"search\",\"arguments\":{\"query\":\"words\"}}}]",
         ",\"done\":false") OLLAMA_END},
};

typedef struct task {
    const haft__provider *provider;
    haft__arena setup;
    haft__buf text, call; /* the streams */
    const haft__tool *tools[5];
    haft__tool tool[5];
    haft__message *messages; /* of a run of TURNS turns */
    haft__message_call made;
    char result[1024];
    size_t count;
} task;

/* ---- work ---- */

static bool read_stream(const task *t, haft_str stream, haft__provider_stream *reader)
{
    const haft__provider_api *api = t->provider->api;
    haft__provider_stream_options options = {.hash_key = {1, 2}};
    haft__model_outcome outcome = {.failed = true};
    haft__arena arena;
    bool over = false;
    haft__arena_init(&arena, 0);
    api->init_stream(reader, &options);
    haft_status status = HAFT_OK;
    for (haft_str rest = stream; rest.len > 0 && status == HAFT_OK && !over;) {
        haft_str piece = {rest.ptr, rest.len < CHUNK ? rest.len : CHUNK};
        status = api->feed(reader, piece, &over, NULL);
        rest = haft__str_skip(rest, piece.len);
    }
    if (status == HAFT_OK) {
        status = api->end(reader, &arena, &outcome, NULL);
    }
    api->finish_stream(reader);
    bool good = status == HAFT_OK && !outcome.failed;
    haft__arena_finish(&arena);
    return good;
}

static bool do_text(void *context)
{
    const task *t = context;
    haft__provider_stream *reader = malloc(t->provider->api->stream_size);
    bool good = reader != NULL && read_stream(t, haft__buf_str(&t->text), reader);
    free(reader);
    return good;
}

/* A run: each request has two messages more than the previous one. */
static bool do_turns(void *context)
{
    const task *t = context;
    const haft__provider_api *api = t->provider->api;
    static const bool allowed[COUNT(t->tools)] = {true, true, true, true, true};
    haft__provider_request_options options = {.stream = true, .options = haft__json_null()};
    haft__provider_conversation *conversation = NULL;
    haft__provider_stream *reader = malloc(api->stream_size);
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    bool good =
        reader != NULL && haft__conversation_create(t->provider, &conversation, NULL) == HAFT_OK;
    for (size_t turn = 0; good && turn < TURNS; turn++) {
        haft__messages messages = {.items = t->messages, .count = 2 + 2 * turn};
        haft__request request = {.model = HAFT__LIT("m"),
                                 .messages = &messages,
                                 .tools = t->tools,
                                 .allowed = allowed,
                                 .tool_count = COUNT(t->tools),
                                 .callable_count = COUNT(t->tools),
                                 .mode = HAFT__MODE_AUTO};
        haft__buf_clear(&body);
        good = haft__conversation_write(conversation, &request, &options, &body, NULL) == HAFT_OK
               && read_stream(t, haft__buf_str(&t->call), reader);
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&body);
    free(reader);
    return good;
}

/* ---- tasks ---- */

static void add_stream(task *t, const wire *w)
{
    haft__buf words;
    haft__buf_init(&words, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&t->text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&t->call, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&t->text, haft__str(w->begin));
    for (size_t i = 0; i < TOKENS; i++) {
        haft__buf_add_str(&t->text, haft__str(w->token));
        haft__buf_add_str(&words, HAFT__LIT(TOKEN));
    }
    haft_str end = haft__str(w->end); /* with the whole text where it has %s */
    while (end.len > 0) {
        const char *at = memmem(end.ptr, end.len, "%s", 2);
        haft_str before = {end.ptr, at != NULL ? (size_t)(at - end.ptr) : end.len};
        haft__buf_add_str(&t->text, before);
        end = haft__str_skip(end, before.len);
        if (at != NULL) {
            haft__buf_add_str(&t->text, haft__buf_str(&words));
            end = haft__str_skip(end, 2);
        }
    }
    haft__buf_add_str(&t->call, haft__str(w->call));
    haft__buf_finish(&words);
}

static bool add_messages(task *t)
{
    static const char schema[] =
        "{\"type\":\"object\",\"properties\":{\"query\":{\"type\":\"string\"},\"limit\":{\"type\":"
        "\"integer\"}},\"required\":[\"query\"]}";
    static const char *const names[] = {"search", "fetch", "count", "list_files", "summarise"};
    memset(t->result, 'x', sizeof(t->result));
    for (size_t i = 0; i < COUNT(t->tools); i++) {
        t->tool[i] = (haft__tool){.name = haft__str(names[i]),
                                  .description = HAFT__LIT("Finds records that match the query."),
                                  .source = HAFT__TOOL_COMMAND};
        if (haft__json_read(&t->setup, haft__str(schema), NULL, &t->tool[i].input_schema, NULL,
                            NULL)
            != HAFT_OK) {
            return false;
        }
        t->tools[i] = &t->tool[i];
    }
    t->messages = haft__arena_array(&t->setup, 2 + 2 * TURNS, sizeof(*t->messages));
    if (t->messages == NULL) {
        return false;
    }
    t->made = (haft__message_call){.id = HAFT__LIT("call_1"),
                                   .name = HAFT__LIT("search"),
                                   .arguments = HAFT__LIT("{\"query\":\"words\"}")};
    t->messages[0] =
        (haft__message){.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Use the tools.")};
    t->messages[1] = (haft__message){.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find it.")};
    for (size_t i = 0; i < TURNS; i++) {
        t->messages[2 + 2 * i] = (haft__message){.role = HAFT__MESSAGE_ASSISTANT,
                                                 .text = HAFT__LIT(""),
                                                 .reasoning = HAFT__LIT(""),
                                                 .calls = &t->made,
                                                 .call_count = 1};
        t->messages[3 + 2 * i] = (haft__message){.role = HAFT__MESSAGE_TOOL,
                                                 .call_id = t->made.id,
                                                 .call_name = t->made.name,
                                                 .text = {t->result, sizeof(t->result)}};
    }
    return true;
}

static void compare(task *tasks, const char *const *names, size_t count)
{
    bench_contender turns[COUNT(wires)], texts[COUNT(wires)];
    for (size_t i = 0; i < count; i++) {
        turns[i] = (bench_contender){names[i], do_turns, &tasks[i], 0};
        texts[i] = (bench_contender){names[i], do_text, &tasks[i], 0};
    }
    bench_compare(turns, count, 0.01);
    bench_compare(texts, count, 0.01);
    for (size_t i = 0; i < count; i++) {
        double kb = (double)tasks[i].text.len / 1e3;
        printf("| %s | %.1f | %.2f | %.0f | %.2f | %.0f | %.2f |\n", names[i],
               turns[i].seconds / TURNS * 1e6, turns[i].seconds / turns[0].seconds, kb,
               texts[i].seconds / kb * 1e6, texts[i].seconds * 1e3,
               texts[i].seconds / texts[0].seconds);
    }
}

/* ---- the cache audit ---- */

#define TURN_BYTES 1300 /* by which a request grows */

typedef struct audit_task {
    haft_str text; /* of the last request; the others are its beginnings */
    size_t turns;
} audit_task;

/* Compares each request of a run with the one before. */
static bool do_audit(void *context)
{
    const audit_task *t = context;
    haft__request request = {.model = HAFT__LIT("m")};
    haft__cache_audit audit;
    bool good = true;
    haft__cache_audit_init(&audit);
    for (size_t i = 1; i <= t->turns && good; i++) {
        haft__cache_finding finding;
        haft__cache_request sent = {.request = &request,
                                    .body = {t->text.ptr, i * TURN_BYTES},
                                    .stable = i * TURN_BYTES,
                                    .has_earlier = i > 1};
        good = haft__cache_audit_compare(&audit, &sent, &finding, NULL) == HAFT_OK
               && finding.same_bytes == (i - 1) * TURN_BYTES;
    }
    haft__cache_audit_finish(&audit);
    return good;
}

static void compare_audits(void)
{
    static char text[4 * TURNS * TURN_BYTES];
    static audit_task tasks[3];
    bench_contender audits[COUNT(tasks)];
    memset(text, 'x', sizeof(text));
    for (size_t i = 0; i < COUNT(tasks); i++) {
        tasks[i] = (audit_task){.text = {text, sizeof(text)}, .turns = (size_t)TURNS << i};
        audits[i] = (bench_contender){"audit", do_audit, &tasks[i], 0};
    }
    bench_compare(audits, COUNT(tasks), 0.01);
    printf("\n### The cache audit\n\n| turns | KB compared in a turn | us/turn | us/KB |\n"
           "|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < COUNT(tasks); i++) {
        double turns = (double)tasks[i].turns, kb = TURN_BYTES * (turns - 1) / 2 / 1e3;
        printf("| %.0f | %.0f | %.2f | %.3f |\n", turns, kb, audits[i].seconds / turns * 1e6,
               audits[i].seconds / turns * 1e6 / kb);
    }
}

void bench_providers(void)
{
    static task tasks[COUNT(wires)];
    const char *names[COUNT(wires)];
    size_t count = 0;
    printf("\n## Wire formats: %d turns, and a streamed text of %d tokens\n\n", TURNS, TOKENS);
    printf("| format | us/turn | against Chat | KB of stream | us/KB | ms for the text | against "
           "Chat |\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < COUNT(wires); i++) {
        task *t = &tasks[count];
        haft__model_spec model = {.provider = haft__str(wires[i].provider)};
        *t = (task){.provider = haft__provider_for_model(&model)};
        haft__arena_init(&t->setup, 0);
        if (t->provider == NULL || !add_messages(t)) {
            (void)fprintf(stderr, "bench: no provider %s\n", wires[i].provider);
            exit(1);
        }
        add_stream(t, &wires[i]);
        names[count++] = wires[i].name;
    }
    compare(tasks, names, count);
    compare_audits();
    for (size_t i = 0; i < count; i++) {
        haft__buf_finish(&tasks[i].text);
        haft__buf_finish(&tasks[i].call);
        haft__arena_finish(&tasks[i].setup);
    }
}
