/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply_text.c - a reply with calls in its text: the parser of the format finds them while the
 * text arrives, and reports them as ordinary deltas.
 *
 * A malformed call still counts as a call (HAFT__DELTA_CALL_MALFORMED), so that it gets a result.
 * Tests: tests/model/reply_text_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/reply_reader.h"
#include "tool/wire_name.h"
#include "json/write.h"

/* The tool that a block of code calls. */
#define CODE_TOOL "python_execution"
/* The name of a call whose own name cannot be read. */
#define NO_NAME "unreadable_call"

haft_str haft__reply_reader_tool_name(const haft__reply_reader *reader, haft_str wire)
{
    const haft__tools *tools = reader->options.tools;
    const haft__tool *tool = tools != NULL ? haft__wire_name_find_tool(tools, wire) : NULL;
    return tool != NULL ? tool->name : wire;
}

static haft_status give(haft__reply_reader *reader, haft__delta_kind kind, haft_str text,
                        haft_error *err)
{
    haft__delta delta = {.kind = kind, .index = reader->text_call, .text = text};
    return haft__reply_reader_emit(reader, &delta, err);
}

/* ---- calls ---- */

static haft_status begin_call(haft__reply_reader *reader, haft_str id, haft_str name,
                              haft_error *err)
{
    reader->text_call = reader->numbered++;
    reader->text_call_open = true;
    haft__delta delta = {
        .kind = HAFT__DELTA_CALL, .index = reader->text_call, .id = id, .text = name};
    return haft__reply_reader_emit(reader, &delta, err);
}

static haft_status end_call(haft__reply_reader *reader, const haft__parser_event *found,
                            haft_error *err)
{
    reader->text_call_open = false;
    haft__delta delta = {.kind = HAFT__DELTA_CALL_END,
                         .index = reader->text_call,
                         .id = found->id,
                         .repaired = found->repaired};
    return haft__reply_reader_emit(reader, &delta, err);
}

static haft_status end_malformed_call(haft__reply_reader *reader, const haft__parser_event *found,
                                      haft_error *err)
{
    haft_status status = HAFT_OK;
    if (!reader->text_call_open) {
        haft_str name = found->name.len > 0 ? haft__reply_reader_tool_name(reader, found->name)
                                            : HAFT__LIT(NO_NAME);
        status = begin_call(reader, found->id, name, err);
    }
    reader->text_call_open = false;
    haft__delta delta = {.kind = HAFT__DELTA_CALL_MALFORMED,
                         .index = reader->text_call,
                         .text = found->text,
                         .why = haft__str(found->why)};
    return status == HAFT_OK ? haft__reply_reader_emit(reader, &delta, err) : status;
}

/* ---- code ---- */

static haft_status add_code(haft__reply_reader *reader, haft_str code, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (!reader->text_call_open) {
        status = begin_call(reader, HAFT__LIT(""), HAFT__LIT(CODE_TOOL), err);
        if (status == HAFT_OK) {
            status = give(reader, HAFT__DELTA_ARGUMENTS, HAFT__LIT("{\"code\":\""), err);
        }
    }
    haft__buf_clear(&reader->text);
    haft__json_write_string(&reader->text, code);
    if (status == HAFT_OK) {
        status = haft__buf_check(&reader->text, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft_str inner = {reader->text.ptr + 1, reader->text.len - 2};
    return give(reader, HAFT__DELTA_ARGUMENTS, inner, err);
}

static haft_status end_code(haft__reply_reader *reader, const haft__parser_event *found,
                            haft_error *err)
{
    if (!reader->text_call_open) {
        return HAFT_OK; /* an empty block has no code to run */
    }
    haft_status status = give(reader, HAFT__DELTA_ARGUMENTS, HAFT__LIT("\"}"), err);
    return status == HAFT_OK ? end_call(reader, found, err) : status;
}

/* ---- events of the parser ---- */

static haft_status take(void *context, const haft__parser_event *found, haft_error *err)
{
    haft__reply_reader *reader = context;
    switch (found->kind) {
    case HAFT__PARSER_EVENT_CONTENT: return give(reader, HAFT__DELTA_TEXT, found->text, err);
    case HAFT__PARSER_EVENT_REASONING: return give(reader, HAFT__DELTA_REASONING, found->text, err);
    case HAFT__PARSER_EVENT_CODE: return add_code(reader, found->text, err);
    case HAFT__PARSER_EVENT_CODE_END: return end_code(reader, found, err);
    case HAFT__PARSER_EVENT_CALL:
        return begin_call(reader, found->id, haft__reply_reader_tool_name(reader, found->text),
                          err);
    case HAFT__PARSER_EVENT_ARGUMENTS: return give(reader, HAFT__DELTA_ARGUMENTS, found->text, err);
    case HAFT__PARSER_EVENT_CALL_END: return end_call(reader, found, err);
    case HAFT__PARSER_EVENT_TRUNCATED:
    case HAFT__PARSER_EVENT_MALFORMED: return end_malformed_call(reader, found, err);
    }
    HAFT__UNREACHABLE();
}

static haft_str skip_space(haft_str text)
{
    while (text.len > 0 && strchr(" \t\r\n", text.ptr[0]) != NULL) {
        text = haft__str_skip(text, 1);
    }
    return text;
}

/* If the server separates the reasoning, its tags are no longer in the text. If only JSON was
 * requested, a text that begins as JSON is not reasoning. */
static bool begins_inside(const haft__reply_reader *reader, haft_str text)
{
    text = skip_space(text);
    bool json = reader->text_bracket || haft__str_starts_with(text, HAFT__LIT("{"))
                || haft__str_starts_with(text, HAFT__LIT("["));
    return reader->options.starts_in_reasoning && reader->assembly.reasoning.len == 0
           && !(reader->options.json_only && json);
}

static haft_status begin_text(haft__reply_reader *reader, const haft__format *format, haft_str text,
                              haft_error *err)
{
    haft__parser_options options = {.tools = reader->options.format_tools,
                                    .tool_count = reader->options.format_tool_count,
                                    .repair = true,
                                    .start_in_reasoning = begins_inside(reader, text),
                                    .take = take,
                                    .context = reader};
    haft_status status = haft__parser_create(format != NULL ? format : &haft__format_thinking,
                                             &options, &reader->parser, err);
    if (status == HAFT_OK && reader->text_bracket) {
        status = haft__parser_feed(reader->parser, HAFT__LIT("["), err);
    }
    return status == HAFT_OK ? haft__parser_feed(reader->parser, text, err) : status;
}

/* With a schema a reply is an object, or an array of them. If the server ignores the schema, the
 * model writes the format that it was taught: the start of the text shows which. */
static haft_status choose_format(haft__reply_reader *reader, haft_str text, haft_error *err)
{
    text = skip_space(text);
    if (!reader->text_bracket && haft__str_starts_with(text, HAFT__LIT("["))) {
        reader->text_bracket = true;
        text = skip_space(haft__str_skip(text, 1));
    }
    if (text.len == 0) {
        return HAFT_OK;
    }
    bool json = text.ptr[0] == '{';
    return begin_text(reader, json ? reader->options.format : reader->options.fallback_format, text,
                      err);
}

haft_status haft__reply_reader_add_text(haft__reply_reader *reader, haft_str text, haft_error *err)
{
    if (text.len == 0) {
        return HAFT_OK;
    }
    if (reader->options.format == NULL && !reader->options.may_reason) {
        return give(reader, HAFT__DELTA_TEXT, text, err);
    }
    if (reader->parser != NULL) {
        return haft__parser_feed(reader->parser, text, err);
    }
    if (reader->options.json_only && skip_space(text).len == 0) {
        return HAFT_OK; /* the start is not known yet */
    }
    return reader->options.fallback_format != NULL
               ? choose_format(reader, text, err)
               : begin_text(reader, reader->options.format, text, err);
}

/* The reply was assumed to begin in reasoning, which never ended: there was no reasoning, and the
 * text is the answer. */
static haft_status end_reasoning(haft__reply_reader *reader, haft_error *err)
{
    haft__assembly *reply = &reader->assembly;
    bool never = haft__parser_is_thinking(reader->parser) && reader->options.starts_in_reasoning;
    if (!never || reply->content.len > 0 || reply->call_count > 0 || reply->reasoning.len == 0) {
        return HAFT_OK;
    }
    haft__buf text = reply->reasoning;
    haft__buf_init(&reply->reasoning, HAFT__LIMIT_REPLY_BYTES);
    haft_status status = give(reader, HAFT__DELTA_TEXT, haft__buf_str(&text), err);
    haft__buf_finish(&text);
    return status;
}

haft_status haft__reply_reader_end_text(haft__reply_reader *reader, haft_error *err)
{
    bool cut = reader->stop == HAFT__STOP_LENGTH;
    haft_status status = HAFT_OK;
    if (reader->parser == NULL && reader->text_bracket) {
        status = begin_text(reader, reader->options.fallback_format, HAFT__LIT(""), err);
    }
    if (status == HAFT_OK && reader->parser != NULL) {
        status = haft__parser_end(reader->parser, cut, err);
    }
    return status == HAFT_OK && reader->parser != NULL && !cut ? end_reasoning(reader, err)
                                                               : status;
}
