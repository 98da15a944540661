/* SPDX-License-Identifier: Apache-2.0 */
/* parse_help.c - see parse_help.h. */
#include "parse_help.h"

#include "base/limits.h"
#include "test.h"
#include "json/write.h"

void help_parsed_init(help_parsed *parsed)
{
    *parsed = (help_parsed){0};
    haft__buf *bufs[] = {&parsed->content, &parsed->reasoning, &parsed->code,
                         &parsed->calls,   &parsed->errors,    &parsed->call};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_init(bufs[i], HAFT__LIMIT_FORMAT_BYTES);
    }
}

void help_parsed_finish(help_parsed *parsed)
{
    haft__buf *bufs[] = {&parsed->content, &parsed->reasoning, &parsed->code,
                         &parsed->calls,   &parsed->errors,    &parsed->call};
    for (size_t i = 0; i < COUNT(bufs); i++) {
        haft__buf_finish(bufs[i]);
    }
}

static void begin_call(help_parsed *parsed, const haft__found *found)
{
    haft__buf_clear(&parsed->call);
    haft__buf_addf(&parsed->call, "%s{\"name\":", parsed->count > 0 ? "," : "");
    haft__json_write_string(&parsed->call, found->text);
    haft__buf_addf(&parsed->call, ",\"arguments\":");
    parsed->open = true;
    CHECK_INT(found->index, parsed->open_count, "calls are numbered as they begin");
    parsed->open_count++;
}

static void spoil(help_parsed *parsed, const haft__found *found)
{
    bool cut = found->kind == HAFT__FOUND_TRUNCATED;
    parsed->truncated |= cut;
    parsed->malformed |= !cut;
    parsed->open = false;
    haft__buf_addf(&parsed->errors, "%s at %zu: %s: ", cut ? "truncated" : "malformed",
                   found->offset, found->why);
    haft__buf_add_str(&parsed->errors, found->text);
    haft__buf_add_char(&parsed->errors, '\n');
}

static haft_status take(void *context, const haft__found *found, haft_error *err)
{
    (void)err;
    help_parsed *parsed = context;
    parsed->tells++;
    switch (found->kind) {
    case HAFT__FOUND_CONTENT: haft__buf_add_str(&parsed->content, found->text); break;
    case HAFT__FOUND_REASONING: haft__buf_add_str(&parsed->reasoning, found->text); break;
    case HAFT__FOUND_CODE: haft__buf_add_str(&parsed->code, found->text); break;
    case HAFT__FOUND_CODE_END: haft__buf_add_char(&parsed->code, '\n'); break;
    case HAFT__FOUND_CALL: begin_call(parsed, found); break;
    case HAFT__FOUND_ARGUMENTS:
        CHECK(parsed->open, "arguments of a call that is not open");
        haft__buf_add_str(&parsed->call, found->text);
        break;
    case HAFT__FOUND_CALL_END:
        CHECK(parsed->open, "the end of a call that is not open");
        haft__buf_add_str(&parsed->calls, haft__buf_str(&parsed->call));
        haft__buf_addf(&parsed->calls, ",\"id\":");
        haft__json_write_string(&parsed->calls, found->id);
        haft__buf_add_char(&parsed->calls, '}');
        parsed->repaired = parsed->repaired || found->repaired;
        parsed->count++;
        parsed->open = false;
        break;
    case HAFT__FOUND_TRUNCATED:
    case HAFT__FOUND_MALFORMED: spoil(parsed, found); break;
    }
    return HAFT_OK;
}

void help_parse(const help_input *input, size_t first, size_t chunk, help_parsed *parsed)
{
    const haft__format *format = haft__format_find(haft__str(input->format));
    haft__parser_options options = {.tools = input->tools,
                                    .tool_count = input->tool_count,
                                    .repair = input->repair,
                                    .start_in_reasoning = input->start_in_reasoning,
                                    .take = take,
                                    .context = parsed};
    haft__parser *parser = NULL;
    haft_error err = {0};
    haft__buf_add_char(&parsed->calls, '[');
    haft_status status = haft__parser_create(format, &options, &parser, &err);
    haft_str rest = input->text;
    size_t length = first;
    while (status == HAFT_OK && rest.len > 0) {
        length = length == 0 || length > rest.len ? rest.len : length;
        status = haft__parser_feed(parser, (haft_str){rest.ptr, length}, &err);
        rest = haft__str_skip(rest, length);
        length = chunk;
    }
    if (status == HAFT_OK) {
        status = haft__parser_end(parser, input->cut, &err);
    }
    parsed->status = status;
    if (!input->may_fail) {
        CHECK_INT(status, HAFT_OK, "%s", err.message);
    }
    haft__parser_destroy(parser);
    haft__buf_add_char(&parsed->calls, ']');
}

bool help_parsed_equal(const help_parsed *a, const help_parsed *b, const char *what)
{
    const struct {
        const char *name;
        const haft__buf *a, *b;
    } parts[] = {
        {"content", &a->content, &b->content}, {"reasoning", &a->reasoning, &b->reasoning},
        {"code", &a->code, &b->code},          {"calls", &a->calls, &b->calls},
        {"errors", &a->errors, &b->errors},
    };
    bool same = true;
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft_str x = haft__buf_str(parts[i].a), y = haft__buf_str(parts[i].b);
        CHECK_STR(x, y, "%s of %s", parts[i].name, what);
        same = same && haft__str_equal(x, y);
    }
    return same;
}
