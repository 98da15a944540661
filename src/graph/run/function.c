/* SPDX-License-Identifier: Apache-2.0 */
/* function.c - see graph/run/function.h. Tests: tests/engine/graph_api_test.c. */
#include "graph/run/function.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/call.h"
#include "tool/declare.h"
#include "tool/traits.h"
#include "json/number.h"
#include "json/object.h"
#include "json/write.h"

/* A function that a program has added. */
typedef struct added_function {
    haft_graph_function *run;
    void *context;
} added_function;

static uint32_t read_number(haft__json facts, const char *key)
{
    return (uint32_t)haft__object_number(facts, key, 0);
}

/* Calls the function with the node's view as arguments. */
static haft_reply run_function(haft_call *call, const void *args)
{
    const haft_str *json = args;
    const added_function *function = call->facts.context;
    haft__json facts = haft__object_object(call->arguments, "$");
    haft_str node = haft__arena_copy(&call->arena, haft__object_string(facts, "node"));
    if (node.ptr == NULL) {
        return haft_reply_error(call, "out of memory");
    }
    haft_graph_view view = {.struct_size = sizeof(view),
                            .json = *json,
                            .node = node.ptr,
                            .step = read_number(facts, "step"),
                            .remaining_steps = read_number(facts, "remaining_steps"),
                            .attempt = read_number(facts, "attempt")};
    call->facts.context = function->context;
    return function->run(call, &view);
}

/* ---- reducers ---- */

/* The reducer of a channel that a program has added. */
typedef struct added_reducer {
    haft_graph_reducer *reduce;
    void *context;
} added_reducer;

/* The state while the writes of a step are applied one after the other. `text` is the current value
 * as JSON. */
typedef struct reduction {
    haft_call *call;
    const added_reducer *reducer;
    haft__json writes;
    bool has_value;
    haft__buf text, update;
    uint64_t failed; /* the task whose write was refused */
    haft_str message;
    bool refused;
} reduction;

static void set_text(haft__buf *buf, haft__json value)
{
    haft__buf_clear(buf);
    haft__json_write(buf, value);
}

/* Stores the reply as the new value, and frees the memory of the call. */
static void store_reply(reduction *r, haft_reply reply, haft__arena_mark mark)
{
    if (reply.kind == HAFT_REPLY_ERROR || reply.kind == HAFT_REPLY_COMMAND) {
        r->refused = true;
        r->message = reply.kind == HAFT_REPLY_ERROR
                         ? reply.text
                         : HAFT__LIT("a reducer replies with a value, not with a command");
        return;
    }
    haft__buf_clear(&r->text);
    if (reply.kind == HAFT_REPLY_JSON) {
        haft__buf_add_str(&r->text, reply.text);
    } else {
        haft__json_write_string(&r->text, reply.text);
    }
    r->has_value = true;
    haft__arena_restore(&r->call->arena, mark);
}

/* Applies the writes of all tasks, or only of the task `only`. */
static void apply(reduction *r, const haft__json *value, const uint64_t *only)
{
    r->has_value = value != NULL;
    if (value != NULL) {
        set_text(&r->text, *value);
    }
    for (uint32_t i = 0; i < r->writes.count && !r->refused; i++) {
        uint64_t task = haft__object_number(r->writes.items[i], "task", 0);
        if (only != NULL && task != *only) {
            continue;
        }
        haft__arena_mark mark = haft__arena_save(&r->call->arena);
        set_text(&r->update, haft__object_get(r->writes.items[i], "value"));
        if (r->text.status != HAFT_OK || r->update.status != HAFT_OK) {
            return;
        }
        haft_str before = r->has_value ? haft__buf_str(&r->text) : (haft_str){NULL, 0};
        r->failed = task;
        store_reply(r, r->reducer->reduce(r->call, before, haft__buf_str(&r->update)), mark);
    }
}

static void write_value(haft__json_writer *w, const char *key, const reduction *r)
{
    haft__json_key(w, key);
    haft__buf_add_str(w->buf, r->has_value ? haft__buf_str(&r->text) : HAFT__LIT("null"));
    w->after_key = false;
}

/* Writes the value after the writes of all tasks, and for each task of `own` the value after its
 * own writes alone, for the conditions of this task. */
static void write_reduction(reduction *r, haft__buf *out, const haft__json *value, haft__json own)
{
    haft__json_writer w;
    haft__json_writer_init(&w, out);
    haft__json_begin_object(&w);
    apply(r, value, NULL);
    write_value(&w, "value", r);
    haft__json_key(&w, "own");
    haft__json_begin_array(&w);
    for (uint32_t i = 0; i < own.count && !r->refused; i++) {
        int64_t task = 0;
        (void)haft__number_to_int64(haft__json_text(own.items[i]), &task);
        apply(r, value, &(uint64_t){(uint64_t)task});
        haft__json_begin_object(&w);
        haft__field_number(&w, "task", (uint64_t)task);
        write_value(&w, "value", r);
        haft__json_end_object(&w);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
}

static void write_refusal(const reduction *r, haft__buf *out)
{
    haft__json_writer w;
    haft__buf_clear(out);
    haft__json_writer_init(&w, out);
    haft__json_begin_object(&w);
    haft__field_number(&w, "failed", r->failed);
    haft__field_text(&w, "message", r->message);
    haft__json_end_object(&w);
}

static haft_reply run_reducer(haft_call *call, const void *args)
{
    haft__json given = call->arguments;
    reduction r = {.call = call,
                   .reducer = call->facts.context,
                   .writes = haft__object_array(given, "writes")};
    haft__buf out;
    (void)args;
    call->facts.context = r.reducer->context;
    haft__buf_init(&r.text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&r.update, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&out, HAFT__LIMIT_JSON_BYTES);
    write_reduction(&r, &out, haft__json_get(given, HAFT__LIT("value")),
                    haft__object_array(given, "own"));
    if (r.refused) {
        write_refusal(&r, &out);
    }
    haft__buf_add_char(&out, '\0');
    bool good = r.text.status == HAFT_OK && r.update.status == HAFT_OK && out.status == HAFT_OK;
    haft_reply reply = good ? haft_reply_json(call, out.ptr)
                            : haft_reply_error(call, "the value of the channel is too large");
    haft__buf_finish(&r.text);
    haft__buf_finish(&r.update);
    haft__buf_finish(&out);
    return reply;
}

/* ---- declaring ---- */

static haft_status declare(haft__arena *arena, const char *prefix, const char *name, haft_tool tool,
                           haft__tool *ret_tool, haft_error *err)
{
    tool.name = haft__arena_format(arena, "%s%s", prefix, name).ptr;
    tool.input_schema = "{\"type\":\"object\"}";
    if (tool.name == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_error why = {0};
    haft_status status = haft__declare_tool(arena, &tool, ret_tool, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__tool_name_check(ret_tool->name, &why);
    if (status != HAFT_OK) {
        return haft__fail(err, status, "/name", "%s", why.message);
    }
    status = haft__traits_check(&ret_tool->traits, &why);
    if (status != HAFT_OK) {
        return haft__fail(err, status, "/traits", "%s", why.message);
    }
    ret_tool->description = HAFT__LIT(HAFT__GRAPH_FUNCTION_DESCRIPTION);
    ret_tool->for_nodes = true;
    return HAFT_OK;
}

/* The traits that a function for graphs may have. */
#define FUNCTION_TRAITS                                                                            \
    (HAFT_READ_ONLY | HAFT_IDEMPOTENT | HAFT_DESTRUCTIVE | HAFT_NEEDS_APPROVAL | HAFT_COST_FREE    \
     | HAFT_COST_HEAVY | HAFT_QUEUED)

haft_status haft__graph_declare_function(haft__arena *arena, const char *name,
                                         haft_graph_function *run, void *context, uint32_t traits,
                                         haft__tool *ret_tool, haft_error *err)
{
    added_function *function = haft__arena_array(arena, 1, sizeof(*function));
    haft_tool tool = HAFT_TOOL_INIT;
    if (function == NULL) {
        return haft__arena_fail(arena, err);
    }
    if ((traits & ~FUNCTION_TRAITS) != 0) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/traits",
                                        "a function of a graph cannot have the traits 0x%x",
                                        (unsigned)(traits & ~FUNCTION_TRAITS));
        return haft__hint(err, status,
                          "HAFT_READ_ONLY, HAFT_IDEMPOTENT, HAFT_DESTRUCTIVE, "
                          "HAFT_NEEDS_APPROVAL and one cost are allowed");
    }
    *function = (added_function){.run = run, .context = context};
    tool.run = run != NULL ? run_function : NULL;
    tool.context = run != NULL ? (void *)function : context;
    tool.traits = traits;
    return declare(arena, HAFT__GRAPH_FUNCTION_TOOL, name, tool, ret_tool, err);
}

haft_status haft__graph_declare_reducer(haft__arena *arena, const char *name,
                                        haft_graph_reducer *reduce, void *context,
                                        haft__tool *ret_tool, haft_error *err)
{
    added_reducer *reducer = haft__arena_array(arena, 1, sizeof(*reducer));
    haft_tool tool = HAFT_TOOL_INIT;
    if (reducer == NULL) {
        return haft__arena_fail(arena, err);
    }
    *reducer = (added_reducer){.reduce = reduce, .context = context};
    tool.run = run_reducer;
    tool.context = reducer;
    tool.traits = HAFT_READ_ONLY; /* an interrupted call runs again */
    haft_status status = declare(arena, HAFT__GRAPH_REDUCER_TOOL, name, tool, ret_tool, err);
    if (status == HAFT_OK) {
        ret_tool->reducer = true;
    }
    return status;
}
