/* SPDX-License-Identifier: Apache-2.0 */
/* context_summary.c - makes the request for a summary of old turns. Tests:
 * tests/run/context/context_run_test.c. */
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/context/context_size.h"
#include "run/context/context_view.h"

#define INSTRUCTIONS                                                                               \
    "You summarise the work of an assistant for the assistant that continues it. Keep the facts, " \
    "names, numbers and decisions, what is still open, and the ids of calls (such as c3.1) whose " \
    "results matter. Write plain text. Do not call tools, and do not continue the work."

/* A token has about this many bytes. */
#define TOKEN_BYTES 3

/* Tokens of the request if the size of the model's context is unknown. */
#define DEFAULT_ROOM 24000

/* A message is not truncated to fewer characters. */
#define MIN_CHARS 200

/* A text that is too long is written again with this part of what should fit. */
#define CLOSER_PERCENT 90

/* WORDS words have about TOKENS tokens. */
#define WORDS  3
#define TOKENS 4

static void add_cut(haft__buf *buf, haft_str text, size_t chars)
{
    size_t end = haft__utf8_offset(text, chars);
    haft__buf_add(buf, text.ptr, end);
    haft__buf_add_str(buf, end < text.len ? HAFT__LIT(" ...") : HAFT__LIT(""));
}

static void add_message(haft__buf *buf, const haft__message *message, size_t chars)
{
    static const char *const names[] = {"System", "User", "Assistant", "Result"};
    haft__buf_addf(buf, "%s%s%.*s: ", names[message->role],
                   message->role == HAFT__MESSAGE_TOOL ? " of " : "", HAFT__ARG(message->call));
    add_cut(buf, message->text, chars);
    for (size_t i = 0; i < message->call_count; i++) {
        haft__buf_addf(buf, "\nCall of %.*s: ", HAFT__ARG(message->calls[i].name));
        add_cut(buf, message->calls[i].arguments, chars);
    }
    haft__buf_add_str(buf, HAFT__LIT("\n\n"));
}

/* The maximum tokens of the request. */
static uint64_t find_room(const haft__run *run)
{
    const haft__spec *spec = run->spec->context.summariser;
    const haft__model_spec *model = &spec->model;
    uint64_t room =
        model->context_tokens > 0 ? model->context_tokens : run->spec->model.context_tokens;
    uint64_t reserve = 2 * run->context.most_text; /* for the summary */
    return room == 0 ? DEFAULT_ROOM : room > 2 * reserve ? room - reserve : room / 2;
}

/* The last `bytes` of a text, without a part of a character at the start. The newest turns are the
 * most important. */
static haft_str last_bytes(haft_str text, size_t bytes)
{
    if (text.len > bytes) {
        text = haft__str_skip(text, text.len - bytes);
    }
    while (text.len > 0 && ((unsigned char)text.ptr[0] & 0xC0U) == 0x80U) {
        text = haft__str_skip(text, 1);
    }
    return text;
}

/* Writes the removed messages; truncates long messages. */
static void write_turns(haft__buf *buf, const haft__run *run, const bool *removed, size_t count,
                        size_t max)
{
    size_t each = max / (count + 1);
    if (run->context.text.len > 0) {
        haft__buf_add_str(buf, HAFT__LIT("Summary of the turns before: "));
        add_cut(buf, run->context.text, max / 2);
        haft__buf_add_str(buf, HAFT__LIT("\n\n"));
    }
    for (size_t i = 0; i < run->messages.count; i++) {
        if (removed[i]) {
            add_message(buf, &run->messages.items[i], each > MIN_CHARS ? each : MIN_CHARS);
        }
    }
}

/* Writes the text for the model, with at most `max` characters of turns. */
static void write_text(haft__buf *text, haft__buf *turns, const haft__run *run, const bool *removed,
                       size_t count, size_t max)
{
    haft__buf_clear(text);
    haft__buf_clear(turns);
    write_turns(turns, run, removed, count, max);
    haft__buf_add_str(text, HAFT__LIT("The task of the assistant:\n"));
    add_cut(text, run->task, max / 4);
    haft__buf_add_str(text, HAFT__LIT("\n\nIts turns so far:\n\n"));
    haft__buf_add_str(text, last_bytes(haft__buf_str(turns), max));
    haft__buf_addf(text, "Summarise these turns in at most %llu words.",
                   (unsigned long long)(run->context.most_text * WORDS / TOKENS));
}

/* Writes the message of the user: the task and the turns. It lives in `arena`. Its estimate is at
 * most the room in the model's context, if the context is not too small for a text at all. */
static haft_str write_user_message(const haft__run *run, const bool *removed, size_t count,
                                   uint64_t system, haft__arena *arena)
{
    haft__buf turns, text;
    uint64_t room = find_room(run), size = room + 1;
    uint32_t factor = haft__context_factor(run);
    factor = factor > HAFT__ESTIMATE_FACTOR ? factor : HAFT__ESTIMATE_FACTOR;
    haft__buf_init(&turns, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    for (uint64_t max = room * TOKEN_BYTES; size > room && max > 0;
         max = max * room / size * CLOSER_PERCENT / 100) {
        write_text(&text, &turns, run, removed, count, (size_t)max);
        size = haft__estimate_apply(system + haft__estimate_text(haft__buf_str(&text)), factor);
    }
    haft_str kept = {NULL, 0};
    if (turns.status == HAFT_OK && text.status == HAFT_OK) {
        kept = haft__arena_copy(arena, haft__buf_str(&text));
    }
    haft__buf_finish(&turns);
    haft__buf_finish(&text);
    return kept;
}

haft_status haft__context_summary_request(const haft__run *run, haft__arena *arena,
                                          haft__request *ret_request, haft_error *err)
{
    const haft__context_spec *context = &run->spec->context;
    haft__messages *messages = haft__arena_alloc(arena, sizeof(*messages));
    size_t count = 0;
    bool *removed = haft__context_removed(run, run->context.end, arena, &count);
    haft_str user_text = {NULL, 0}, given = haft__str_trim(context->summary_instructions);
    haft__message system = {.role = HAFT__MESSAGE_SYSTEM,
                            .text = given.len > 0 ? given : HAFT__LIT(INSTRUCTIONS)};
    if (removed != NULL) {
        uint64_t rest = haft__estimate_message(&system) + HAFT__ESTIMATE_MESSAGE;
        user_text = write_user_message(run, removed, count, rest, arena);
    }
    if (messages == NULL || user_text.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft__message user = {.role = HAFT__MESSAGE_USER, .text = user_text};
    haft__messages_init(messages, arena);
    haft_status status = haft__messages_add(messages, system, err);
    if (status == HAFT_OK) {
        status = haft__messages_add(messages, user, err);
    }
    *ret_request = (haft__request){.model = context->summariser->model.model,
                                   .messages = messages,
                                   .correction = HAFT__LIT(""),
                                   .mode = HAFT__MODE_NONE,
                                   .tool = HAFT__LIT(""),
                                   .format = HAFT__LIT("native"),
                                   .reply_format = HAFT__LIT(""),
                                   .task = run->task,
                                   .rewrites = run->context.rewrites};
    return status;
}
