/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - a reply as a JSON Schema: one or several calls of the allowed tools. Tests:
 * tests/format/grammar/schema_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "format/grammar/grammar_int.h"
#include "json/pointer.h"
#include "json/write.h"

typedef struct reply {
    haft__schema_target target;
    const char *name_key, *args_key;
    bool several, answer, complete;
    const haft__format_tool *tools;
    size_t *picked, count;
} reply;

/* An object with these members and no others. */
static void begin_object(haft__json_writer *w)
{
    haft__json_begin_object(w);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("object"));
    haft__json_key(w, "properties");
    haft__json_begin_object(w);
}

static void end_object(haft__json_writer *w, const char *first, const char *second)
{
    haft__json_end_object(w);
    haft__json_key(w, "required");
    haft__json_begin_array(w);
    haft__json_add_str(w, haft__str(first));
    if (second != NULL) {
        haft__json_add_str(w, haft__str(second));
    }
    haft__json_end_array(w);
    haft__json_key(w, "additionalProperties");
    haft__json_add_bool(w, false);
    haft__json_end_object(w);
}

static const haft__json_member any_object = {
    {.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},
    {.kind = HAFT__JSON_STRING, .count = 6, .text = "object"}};

/* The schema of a tool's arguments, which are always an object. */
static haft__json read_arguments(haft__downlevel *d, const haft__format_tool *tool)
{
    haft__buf where;
    haft__buf_init(&where, HAFT__LIMIT_JSON_KEY_BYTES);
    haft__pointer_add_key(&where, tool->name);
    haft__json schema = tool->parameters.kind == HAFT__JSON_OBJECT
                            ? tool->parameters
                            : haft__json_object(&any_object, 1);
    haft__json made = haft__downlevel_translate(d, haft__buf_str(&where), schema);
    haft__gbnf_release_body(&d->g, &where);
    return made;
}

static void add_call(haft__json_writer *w, haft__downlevel *d, const reply *r,
                     const haft__format_tool *tool)
{
    begin_object(w);
    haft__json_key(w, r->name_key);
    haft__json_begin_object(w);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("string"));
    haft__json_key(w, "enum");
    haft__json_begin_array(w);
    haft__json_add_str(w, tool->name);
    haft__json_end_array(w);
    haft__json_end_object(w);
    haft__json_key(w, r->args_key);
    haft__json_add(w, read_arguments(d, tool));
    end_object(w, r->name_key, r->args_key);
}

static void add_answer(haft__json_writer *w)
{
    begin_object(w);
    haft__json_key(w, "answer");
    haft__json_begin_object(w);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("string"));
    haft__json_end_object(w);
    end_object(w, "answer", NULL);
}

/* Adds the members of a schema for one call of any tool. */
static void add_alternatives(haft__json_writer *w, haft__downlevel *d, const reply *r)
{
    bool one = r->count == 1;
    if (!one) {
        haft__json_begin_object(w);
        haft__json_key(w, "anyOf");
        haft__json_begin_array(w);
    }
    for (size_t i = 0; i < r->count; i++) {
        add_call(w, d, r, &r->tools[r->picked[i]]);
    }
    if (!one) {
        haft__json_end_array(w);
        haft__json_end_object(w);
    }
}

static void add_list(haft__json_writer *w, haft__downlevel *d, const reply *r)
{
    haft__json_begin_object(w);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("array"));
    haft__json_key(w, "minItems");
    haft__json_add_int(w, 1);
    haft__json_key(w, "items");
    add_alternatives(w, d, r);
    haft__json_end_object(w);
}

/* Whether the root must be an object, not an anyOf. */
static bool needs_object(haft__schema_target target)
{
    return target == HAFT__TARGET_OPENAI || target == HAFT__TARGET_OPENAI_OPEN
           || target == HAFT__TARGET_ANTHROPIC;
}

/* The members of the reply's schema. Definitions come last, when all are known. */
static void add_reply(haft__json_writer *w, haft__downlevel *d, const reply *r)
{
    haft__json_begin_object(w);
    if (needs_object(r->target)) {
        const char *key = r->several ? "tool_calls" : "tool_call";
        haft__json_key(w, "type");
        haft__json_add_str(w, HAFT__LIT("object"));
        haft__json_key(w, "properties");
        haft__json_begin_object(w);
        haft__json_key(w, key);
        if (r->several) {
            add_list(w, d, r);
        } else {
            add_alternatives(w, d, r);
        }
        haft__json_end_object(w);
        haft__json_key(w, "required");
        haft__json_begin_array(w);
        haft__json_add_str(w, haft__str(key));
        haft__json_end_array(w);
        haft__json_key(w, "additionalProperties");
        haft__json_add_bool(w, false);
    } else {
        haft__json_key(w, "anyOf");
        haft__json_begin_array(w);
        if (r->several) {
            add_list(w, d, r);
        } else {
            add_alternatives(w, d, r);
        }
        if (r->answer) {
            add_answer(w);
        }
        haft__json_end_array(w);
    }
    haft__json defs = haft__downlevel_defs(d);
    if (defs.count > 0) {
        haft__json_key(w, "$defs");
        haft__json_add(w, defs);
    }
    haft__json_end_object(w);
}

static haft_status write_reply(haft__buf *buf, const reply *r, size_t max,
                               haft__relax_report *report, haft_error *err)
{
    haft__buf out;
    haft__json_writer writer;
    haft__downlevel d;
    haft__buf_init(&out, max);
    haft__json_writer_init(&writer, &out);
    haft__downlevel_init(&d, r->target, report);
    add_reply(&writer, &d, r);
    haft_status status = haft__downlevel_check(&d, err);
    status = status == HAFT_OK ? haft__buf_check(&out, err) : status;
    if (status == HAFT_OK && r->complete && d.narrowed != NULL) {
        status =
            haft__fail(err, HAFT_UNSUPPORTED, d.narrowed_at.ptr, "cannot express %s", d.narrowed);
    }
    if (status == HAFT_TOO_BIG) {
        (void)haft__fail(err, status, "", "a schema for %zu tools takes more than %zu bytes",
                         r->count, max);
        (void)haft__hint(err, status, "allow fewer tools in this turn");
    }
    if (status == HAFT_OK) {
        haft__buf_add_str(buf, haft__buf_str(&out));
        status = haft__buf_check(buf, err);
    }
    haft__downlevel_finish(&d);
    haft__buf_finish(&out);
    return status;
}

haft_status haft__grammar_schema(haft__buf *buf, haft__schema_target target,
                                 const haft__format *format, const haft__format_tool *tools,
                                 size_t tool_count, const bool *allowed, haft__choice_mode mode,
                                 haft_str tool, const haft__grammar_options *options,
                                 haft__relax_report *report, haft_error *err)
{
    haft__grammar_options o = options != NULL ? *options : (haft__grammar_options){0};
    bool keyed = format != NULL && format->grammar[0].kind == HAFT__CALL_SYNTAX_OBJECT;
    reply r = {.target = target,
               .name_key = keyed ? format->grammar[0].name_key : "name",
               .args_key = keyed ? format->grammar[0].args_key : "arguments",
               .several = o.several,
               .answer = o.answer,
               .complete = o.complete,
               .tools = tools};
    if (o.answer && needs_object(target)) {
        return haft__fail(err, HAFT_UNSUPPORTED, "",
                          "a schema for OpenAI cannot leave a choice between a call and an answer");
    }
    size_t max = HAFT__LIMIT_GRAMMAR_BYTES;
    max = o.max_bytes > 0 && o.max_bytes < max ? o.max_bytes : max;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_status status = haft__grammar_select_tools(&arena, tools, tool_count, allowed, mode, tool,
                                                    o.answer, &r.picked, &r.count, err);
    if (status == HAFT_OK) {
        status = write_reply(buf, &r, max, report, err);
    }
    haft__arena_finish(&arena);
    return status;
}
