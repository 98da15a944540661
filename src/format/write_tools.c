/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_tools.c - the description of the tools for a model, and which of them it may call now.
 *
 * Tools and their keys are written in the given order; schemas are written without white space.
 * Tests: tests/format/write_tools_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "format/render.h"
#include "json/write.h"

static void add_function(haft__json_writer *w, const haft__format_tool *tool)
{
    haft__json_begin_object(w);
    haft__json_key(w, "name");
    haft__json_add_str(w, tool->name);
    haft__json_key(w, "description");
    haft__json_add_str(w, tool->description);
    haft__json_key(w, "parameters");
    if (tool->parameters.kind == HAFT__JSON_OBJECT) {
        haft__json_add(w, tool->parameters);
    } else {
        haft__json_begin_object(w);
        haft__json_end_object(w);
    }
    haft__json_end_object(w);
}

static void add_tool(haft__buf *buf, haft__tool_rendering shown, const haft__format_tool *tool)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    switch (shown) {
    case HAFT__TOOL_RENDERING_PYTHON: haft__format_write_signature(buf, tool); return;
    case HAFT__TOOL_RENDERING_PLAIN: add_function(&w, tool); return;
    case HAFT__TOOL_RENDERING_WRAPPED:
        haft__json_begin_object(&w);
        haft__json_key(&w, "type");
        haft__json_add_str(&w, HAFT__LIT("function"));
        haft__json_key(&w, "function");
        add_function(&w, tool);
        haft__json_end_object(&w);
        return;
    }
    HAFT__UNREACHABLE();
}

static haft_str text_or_empty(const char *text)
{
    return text != NULL ? haft__str(text) : (haft_str){"", 0};
}

static void add_tools(haft__buf *buf, const haft__format *format, const haft__format_tool *tools,
                      size_t count)
{
    const haft__render *render = &format->render;
    haft__buf shown;
    haft__buf_init(&shown, buf->max);
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(&shown, i > 0 ? text_or_empty(render->tool_next) : HAFT__LIT(""));
        add_tool(&shown, (haft__tool_rendering)render->shown, &tools[i]);
    }
    if (shown.status != HAFT_OK) {
        haft__buf_fail(buf, shown.status, shown.why);
    }
    haft__format_neutralise_tools(buf, format, haft__buf_str(&shown));
    haft__buf_finish(&shown);
}

/* The history of the planner shape (prompt/prompt.h) is the same in all formats. */
#define TRANSCRIPT                                                                                 \
    "After your calls, stop. In the history a call stands as \"Calling tool: <name> with args: "   \
    "<arguments>\", and its result in the next message as \"Tool result: <text>\". Do not write "  \
    "such lines yourself: a call counts only in the format above."

static void add_paragraph(haft__buf *buf, haft_str text)
{
    haft__buf_add_str(buf, buf->len > 0 && text.len > 0 ? HAFT__LIT("\n\n") : HAFT__LIT(""));
    haft__buf_add_str(buf, text);
}

void haft__format_write_tools(haft__buf *buf, const haft__format *format, haft__history history,
                              const haft__format_tool *tools, size_t count)
{
    const haft__render *render = &format->render;
    haft_str list = text_or_empty(render->teach_tools);
    const char *at = list.len > 0 ? strstr(list.ptr, "%l") : NULL;
    if (count == 0) {
        return;
    }
    add_paragraph(buf, text_or_empty(render->teach));
    add_paragraph(buf, history == HAFT__HISTORY_TRANSCRIPT ? HAFT__LIT(TRANSCRIPT)
                                                           : text_or_empty(render->teach_results));
    if (at != NULL) {
        add_paragraph(buf, (haft_str){list.ptr, (size_t)(at - list.ptr)});
        add_tools(buf, format, tools, count);
        haft__buf_add_str(buf, haft__str(at + strlen("%l")));
    }
}

/* ---- the choice of a turn ---- */

static void add_allowed(haft__buf *buf, const haft__format_choice *choice)
{
    haft__buf_add_str(buf, HAFT__LIT("Of the tools, only these can be called now: "));
    for (size_t i = 0; i < choice->allowed_count; i++) {
        haft__buf_add_str(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
        haft__buf_add_str(buf, choice->allowed[i]);
    }
    haft__buf_add_char(buf, '.');
}

void haft__format_write_choice(haft__buf *buf, const haft__format_choice *choice)
{
    bool some_allowed = choice->allowed != NULL && choice->allowed_count > 0;
    bool none_allowed = choice->allowed != NULL && choice->allowed_count == 0;
    switch (choice->mode) {
    case HAFT__MODE_TOOL:
        haft__buf_addf(buf, "Call the tool %.*s now, in the format that was described.",
                       HAFT__ARG(choice->tool));
        return;
    case HAFT__MODE_ANY:
        haft__buf_add_str(buf, none_allowed
                                   ? HAFT__LIT("")
                                   : HAFT__LIT("Call a tool now, in the format that was "
                                               "described; an answer in words is not wanted "
                                               "yet."));
        break;
    case HAFT__MODE_NONE: none_allowed = true; break;
    case HAFT__MODE_AUTO: break;
    }
    if (none_allowed) {
        haft__buf_add_str(buf, HAFT__LIT("No tool can be called now: give your answer."));
    } else if (some_allowed) {
        haft__buf_add_str(buf, choice->mode == HAFT__MODE_ANY ? HAFT__LIT(" ") : HAFT__LIT(""));
        add_allowed(buf, choice);
    }
}
