/* SPDX-License-Identifier: Apache-2.0 */
/*
 * body.c - the body of a call: a JSON value with the arguments filled in.
 *
 * A text that is exactly "{arg}" becomes the argument's value; inside a longer text it becomes the
 * argument's text. A missing argument is omitted from objects and null in arrays. Tests:
 * tests/exec/http/body_test.c.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/http/http.h"
#include "tool/template.h"
#include "json/write.h"

/* The replacement of a template text; `missing`: the argument is absent. */
typedef struct filled {
    haft__json value;
    bool missing;
} filled;

static haft_status fill(haft__exec_job *job, haft__json template, filled *ret_filled,
                        haft_error *err);

/* Whether the text is exactly "{arg}"; then *ret_filled is the argument itself. */
static bool fill_argument(haft__exec_job *job, haft_str text, filled *ret_filled)
{
    haft__template_piece piece = {{NULL, 0}, {NULL, 0}};
    haft_str rest = text;
    if (!haft__template_next(&rest, &piece) || piece.name.ptr == NULL || rest.len > 0) {
        return false;
    }
    const haft__json *value = haft__json_get(job->call.arguments, piece.name);
    ret_filled->missing = value == NULL;
    ret_filled->value = value != NULL ? *value : haft__json_null();
    return value != NULL || haft__template_has_argument(job->call.tool->input_schema, piece.name);
}

static void add_piece(haft__exec_job *job, haft__buf *to, const haft__template_piece *piece)
{
    const haft__json *value =
        piece->name.ptr != NULL ? haft__json_get(job->call.arguments, piece->name) : NULL;
    bool known = value != NULL
                 || (piece->name.ptr != NULL
                     && haft__template_has_argument(job->call.tool->input_schema, piece->name));
    if (known) {
        haft__template_add(to, value);
    } else {
        haft__buf_add_str(to, piece->text);
    }
}

static haft_status fill_text(haft__exec_job *job, haft__json template, filled *ret_filled,
                             haft_error *err)
{
    haft__buf buf;
    haft_str rest = haft__json_text(template);
    haft__template_piece piece;
    if (fill_argument(job, rest, ret_filled)) {
        return HAFT_OK;
    }
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    while (haft__template_next(&rest, &piece)) {
        add_piece(job, &buf, &piece);
    }
    haft_status status = haft__buf_check(&buf, err);
    haft_str text =
        status == HAFT_OK ? haft__arena_copy(&job->arena, haft__buf_str(&buf)) : HAFT__LIT("");
    haft__buf_finish(&buf);
    *ret_filled = (filled){haft__json_string(text), false};
    return text.ptr != NULL ? status : haft__arena_fail(&job->arena, err);
}

static haft_status fill_array(haft__exec_job *job, haft__json template, filled *ret_filled,
                              haft_error *err)
{
    haft__json *items = haft__arena_array(&job->arena, template.count, sizeof(haft__json));
    if (items == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < template.count && status == HAFT_OK; i++) {
        filled item;
        status = fill(job, template.items[i], &item, err);
        items[i] = item.value; /* null if missing: the other items keep their positions */
    }
    *ret_filled = (filled){haft__json_array(items, template.count), false};
    return status;
}

static haft_status fill_object(haft__exec_job *job, haft__json template, filled *ret_filled,
                               haft_error *err)
{
    haft__json_member *members =
        haft__arena_array(&job->arena, template.count, sizeof(haft__json_member));
    if (members == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft_status status = HAFT_OK;
    size_t count = 0;
    for (uint32_t i = 0; i < template.count && status == HAFT_OK; i++) {
        filled member;
        status = fill(job, template.members[i].value, &member, err);
        if (!member.missing) {
            members[count++] = (haft__json_member){template.members[i].key, member.value};
        }
    }
    *ret_filled = (filled){haft__json_object(members, count), false};
    return status;
}

/* Recursion is bounded: a spec nests at most HAFT__LIMIT_JSON_DEPTH_STRICT deep. */
static haft_status fill(haft__exec_job *job, haft__json template, filled *ret_filled,
                        haft_error *err)
{
    *ret_filled = (filled){template, false};
    switch ((haft__json_kind) template.kind) {
    case HAFT__JSON_STRING: return fill_text(job, template, ret_filled, err);
    case HAFT__JSON_ARRAY: return fill_array(job, template, ret_filled, err);
    case HAFT__JSON_OBJECT: return fill_object(job, template, ret_filled, err);
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE:
    case HAFT__JSON_NUMBER: return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__http_tool_write_json(haft__exec_job *job, haft__json value, haft_str *ret_body,
                                       haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&buf, value);
    haft_status status = haft__buf_check(&buf, err);
    haft_str copy =
        status == HAFT_OK ? haft__arena_copy(&job->arena, haft__buf_str(&buf)) : HAFT__LIT("");
    haft__buf_finish(&buf);
    *ret_body = copy;
    return copy.ptr != NULL ? status : haft__arena_fail(&job->arena, err);
}

haft_status haft__http_tool_body(haft__exec_job *job, haft__json template, haft_str *ret_body,
                                 haft_error *err)
{
    filled body;
    haft_status status = fill(job, template, &body, err);
    return status == HAFT_OK ? haft__http_tool_write_json(job, body.value, ret_body, err) : status;
}
