/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of parsing calls in a text, for every format:
 *   - the events do not depend on how the text is split;
 *   - a call has a name and arguments that are a JSON object;
 *   - no event is about a call that has not begun;
 *   - without the repair option no call is repaired;
 *   - if a text has no markers and no calls, all of it is content, except tokens at its end that
 *     end a turn.
 *
 * The first line names the format, so that seeds keep their meaning when formats are added; the
 * byte after it has the splits and the options, the rest is the text.
 */
#include "format/format.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "format/render.h"
#include "format/special_tokens.h"
#include "fuzz.h"
#include "json/read.h"
#include "json/write.h"

/* All events, as text. */
typedef struct event_log {
    haft__buf text; /* content, reasoning and code, joined by kind; then calls and errors */
    haft__buf kinds[3];
    haft__buf arguments; /* arguments of the open call */
    bool open, repair;
    uint32_t calls, errors;
} event_log;

static void check_arguments(haft_str text)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    haft_error err = {0};
    haft_status status = haft__json_read(&arena, text, NULL, &value, NULL, &err);
    REQUIREF(status == HAFT_OK && value.kind == HAFT__JSON_OBJECT, "%s: %.*s", err.message,
             HAFT__ARG(text));
    haft__arena_finish(&arena);
}

static void begin_call(event_log *t, const haft__parser_event *found)
{
    REQUIREF(found->index == t->calls && found->text.len > 0, "call %u of %u", found->index,
             t->calls);
    REQUIRE(found->text.len <= HAFT__LIMIT_FORMAT_NAME_BYTES);
    t->calls++;
    t->open = true;
    haft__buf_clear(&t->arguments);
    haft__buf_addf(&t->text, "call ");
    haft__buf_add_str(&t->text, found->text);
}

static void end_call(event_log *t, const haft__parser_event *found)
{
    REQUIRE(t->open && found->index + 1 == t->calls);
    REQUIRE(!found->repaired || t->repair);
    check_arguments(haft__buf_str(&t->arguments));
    haft__buf_addf(&t->text, " %d %.*s ", found->repaired, HAFT__ARG(found->id));
    haft__buf_add_str(&t->text, haft__buf_str(&t->arguments));
    haft__buf_add_char(&t->text, '\n');
    t->open = false;
}

static void report_malformed(event_log *t, const haft__parser_event *found)
{
    haft__buf_addf(&t->text, "%d at %zu: %s: ", found->kind, found->offset, found->why);
    haft__buf_add_str(&t->text, found->text);
    haft__buf_add_char(&t->text, '\n');
    t->errors++;
    t->open = false;
}

static haft_status take(void *context, const haft__parser_event *found, haft_error *err)
{
    (void)err;
    event_log *t = context;
    switch (found->kind) {
    case HAFT__PARSER_EVENT_CONTENT: haft__buf_add_str(&t->kinds[0], found->text); break;
    case HAFT__PARSER_EVENT_REASONING: haft__buf_add_str(&t->kinds[1], found->text); break;
    case HAFT__PARSER_EVENT_CODE: haft__buf_add_str(&t->kinds[2], found->text); break;
    case HAFT__PARSER_EVENT_CODE_END: haft__buf_add_str(&t->kinds[2], HAFT__LIT("\n--\n")); break;
    case HAFT__PARSER_EVENT_CALL: begin_call(t, found); break;
    case HAFT__PARSER_EVENT_ARGUMENTS:
        REQUIRE(t->open);
        haft__buf_add_str(&t->arguments, found->text);
        break;
    case HAFT__PARSER_EVENT_CALL_END: end_call(t, found); break;
    case HAFT__PARSER_EVENT_TRUNCATED:
    case HAFT__PARSER_EVENT_MALFORMED: report_malformed(t, found); break;
    }
    return HAFT_OK;
}

/* ---- text without calls is content ---- */

/* Whether the text has a marker of the format that cannot be prose. */
static bool has_mark(const haft__format *format, haft_str text)
{
    for (size_t i = 0; i < HAFT__FORMAT_STATES; i++) {
        const haft__format_mark *marks = format->states[i].marks;
        for (size_t k = 0; k < COUNT(format->states[i].marks) && marks[k].text != NULL; k++) {
            haft_str mark = haft__str(marks[k].text);
            for (size_t at = 0; mark.len > 2 && at + mark.len <= text.len; at++) {
                if (memcmp(text.ptr + at, mark.ptr, mark.len) == 0) {
                    return true;
                }
            }
        }
    }
    return false;
}

#define X(token) token,
static const char *const tokens[] = {HAFT__STOP_TOKENS(X)};
#undef X

/* Whether the text ends with a token that ends a turn; removes the token. */
static bool drop_token(const haft__format *format, haft_str *io_text)
{
    *io_text = haft__str_trim(*io_text);
    for (size_t i = 0; i < COUNT(tokens); i++) {
        haft_str token = haft__str(tokens[i]);
        if (haft__str_ends_with(*io_text, token) && !haft__format_has_mark(format, tokens[i])) {
            io_text->len -= token.len;
            return true;
        }
    }
    return false;
}

static void add_dense(haft__buf *to, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(" \t\r\n", text.ptr[i]) == NULL || text.ptr[i] == '\0') {
            haft__buf_add_char(to, text.ptr[i]);
        }
    }
}

/* A JSON object may be an answer; then only a part of it is content. */
static void check_text(const haft__format *format, haft_str text, const event_log *t)
{
    bool object = text.len > 0 && memchr(text.ptr, '{', text.len) != NULL;
    if (t->calls > 0 || t->errors > 0 || t->kinds[2].len > 0 || object || has_mark(format, text)) {
        return;
    }
    haft__buf wanted, found;
    haft__buf_init(&wanted, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&found, HAFT__LIMIT_FORMAT_BYTES);
    while (drop_token(format, &text)) {
    }
    add_dense(&wanted, text);
    add_dense(&found, haft__buf_str(&t->kinds[1]));
    add_dense(&found, haft__buf_str(&t->kinds[0]));
    REQUIREF(haft__str_equal(haft__buf_str(&wanted), haft__buf_str(&found)),
             "%s: of %.*s only %.*s is left", format->name, HAFT__ARG(text),
             HAFT__ARG(haft__buf_str(&found)));
    haft__buf_finish(&wanted);
    haft__buf_finish(&found);
}

static void parse(const haft__format *format, unsigned choice, haft_str text, size_t chunk,
                  event_log *t)
{
    static const haft__format_tool tools[] = {{.name = {"f", 1}}, {.name = {"get_weather", 11}}};
    haft__parser_options options = {.tools = tools,
                                    .tool_count = COUNT(tools),
                                    .repair = (choice & 0x40) != 0,
                                    .start_in_reasoning = (choice & 0x80) != 0,
                                    .take = take,
                                    .context = t};
    haft__parser *parser = NULL;
    haft_str all = text;
    *t = (event_log){.repair = options.repair};
    haft__buf *bufs[] = {&t->text, &t->kinds[0], &t->kinds[1], &t->kinds[2], &t->arguments};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_init(bufs[i], HAFT__LIMIT_FORMAT_BYTES);
    }
    REQUIRE(haft__parser_create(format, &options, &parser, NULL) == HAFT_OK);
    while (text.len > 0) {
        size_t length = chunk == 0 || chunk > text.len ? text.len : chunk;
        REQUIRE(haft__parser_feed(parser, (haft_str){text.ptr, length}, NULL) == HAFT_OK);
        text = haft__str_skip(text, length);
    }
    REQUIRE(haft__parser_end(parser, (choice & 0x20) != 0, NULL) == HAFT_OK);
    haft__parser_destroy(parser);
    check_text(format, all, t);
    for (size_t i = 0; i < COUNT(t->kinds); i++) {
        haft__buf_addf(&t->text, "%zu: ", i);
        haft__buf_add_str(&t->text, haft__buf_str(&t->kinds[i]));
        haft__buf_finish(&t->kinds[i]);
    }
    haft__buf_finish(&t->arguments);
}

/* A random text that is not a name chooses a format by the sum of its bytes. */
static const haft__format *choose(haft_str name)
{
    size_t count, sum = 0;
    const haft__format *const *formats = haft__formats(&count);
    const haft__format *found = haft__format_find(name);
    for (size_t i = 0; i < name.len; i++) {
        sum = sum * 31 + (unsigned char)name.ptr[i];
    }
    return found != NULL ? found : formats[sum % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str text = {(const char *)data, size};
    const haft__format *format = choose(haft__str_split(&text, '\n'));
    if (text.len == 0) {
        return 0;
    }
    unsigned options = (unsigned char)text.ptr[0];
    text = haft__str_skip(text, 1);
    size_t chunks[] = {1, 2 + (options & 0x1F)};
    event_log whole;
    parse(format, options, text, 0, &whole);
    for (size_t i = 0; i < COUNT(chunks); i++) {
        event_log pieces;
        parse(format, options, text, chunks[i], &pieces);
        REQUIREF(haft__str_equal(haft__buf_str(&whole.text), haft__buf_str(&pieces.text)),
                 "%s, pieces of %zu:\n%.*s\nwhole:\n%.*s", format->name, chunks[i],
                 HAFT__ARG(haft__buf_str(&pieces.text)), HAFT__ARG(haft__buf_str(&whole.text)));
        haft__buf_finish(&pieces.text);
    }
    haft__buf_finish(&whole.text);
    return 0;
}
