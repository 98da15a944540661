/* SPDX-License-Identifier: Apache-2.0 */
/* asked.c - answers for tools that ask. Tests: tests/run/asked_test.c. */
#include "run/asked.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/arguments.h"
#include "json/write.h"

haft_str haft__asked_text(const haft__run_call *call, const char *key)
{
    const haft__json *value = haft__json_get(call->asks, haft__str(key));
    bool text = value != NULL && value->kind == HAFT__JSON_STRING;
    return text ? haft__json_text(*value) : HAFT__LIT("");
}

bool haft__asked_is_url(const haft__run_call *call)
{
    return haft__str_equal(haft__asked_text(call, "mode"), HAFT__LIT("url"));
}

static haft__json schema_of(const haft__run_call *call)
{
    const haft__json *schema = haft__json_get(call->asks, HAFT__LIT("schema"));
    return schema != NULL ? *schema : haft__json_null();
}

haft__json haft__asked_fields(const haft__run_call *call)
{
    const haft__json *fields = haft__json_get(schema_of(call), HAFT__LIT("properties"));
    return fields != NULL && fields->kind == HAFT__JSON_OBJECT ? *fields : haft__json_null();
}

/* {action} or {action, content}. */
static haft_status make(haft__arena *arena, const char *action, const haft__json *content,
                        haft__json *ret_answer, haft_error *err)
{
    haft__json_member *members = haft__arena_array(arena, 2, sizeof(*members));
    if (members == NULL) {
        return haft__arena_fail(arena, err);
    }
    members[0] = (haft__json_member){haft__json_string(HAFT__LIT("action")),
                                     haft__json_string(haft__str(action))};
    if (content != NULL) {
        members[1] = (haft__json_member){haft__json_string(HAFT__LIT("content")), *content};
    }
    *ret_answer = haft__json_object(members, content != NULL ? 2 : 1);
    return HAFT_OK;
}

/* The word of {action: ...}; NULL when it is none. */
static const char *action_of(haft__json said)
{
    static const char *const actions[] = {"accept", "decline", "cancel"};
    const haft__json *action = haft__json_get(said, HAFT__LIT("action"));
    const haft__json *content = haft__json_get(said, HAFT__LIT("content"));
    bool alone =
        action != NULL && action->kind == HAFT__JSON_STRING && said.count == 1U + (content != NULL);
    for (size_t i = 0; alone && i < COUNT(actions); i++) {
        if (haft__str_equal(haft__json_text(*action), haft__str(actions[i]))) {
            return actions[i];
        }
    }
    return NULL;
}

static bool is_no(haft__json said)
{
    return said.kind == HAFT__JSON_FALSE
           || (said.kind == HAFT__JSON_STRING
               && haft__str_equal(haft__json_text(said), HAFT__LIT("no")));
}

/* What was said as the content of the form. */
static haft_status content_of(const haft__run_call *call, haft__json said, haft__arena *arena,
                              haft__json *ret_content, haft_error *err)
{
    haft__json fields = haft__asked_fields(call);
    if (said.kind == HAFT__JSON_NULL) {
        said = haft__json_object(NULL, 0);
    }
    if (said.kind == HAFT__JSON_OBJECT) {
        *ret_content = said;
        return HAFT_OK;
    }
    if (fields.kind != HAFT__JSON_OBJECT || fields.count != 1) {
        haft_status status = haft__fail(
            err, HAFT_BAD_INPUT, "", "expected an object with %u fields, found %s",
            fields.kind == HAFT__JSON_OBJECT ? fields.count : 0, haft__json_kind_name(said));
        return haft__hint(err, status, "the schema of the question is in `pending` of --json");
    }
    haft__json_member *member = haft__arena_array(arena, 1, sizeof(*member));
    if (member == NULL) {
        return haft__arena_fail(arena, err);
    }
    *member = (haft__json_member){fields.members[0].key, said};
    *ret_content = haft__json_object(member, 1);
    return HAFT_OK;
}

static haft_status check(const haft__tool *form, haft__json content, haft__arena *arena,
                         haft__hash_key hash_key, haft__json *ret_content, haft_error *err)
{
    haft__buf raw, why;
    haft__arguments read = {.good = false};
    haft__buf_init(&raw, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&why, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&raw, content);
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&raw));
    haft__checker *checker = haft__checker_create();
    haft_status status = haft__buf_check(&raw, err);
    if (status == HAFT_OK && (kept.ptr == NULL || checker == NULL)) {
        status = haft__fail_no_memory(err);
    }
    if (status == HAFT_OK) {
        status = haft__arguments_read(form, kept, checker, arena, hash_key, &read, &why, err);
    }
    if (status == HAFT_OK) {
        status = haft__buf_check(&why, err);
    }
    if (status == HAFT_OK && !read.good) {
        status = haft__fail(err, HAFT_BAD_INPUT, "", "the answer is not what was asked for: %.*s",
                            HAFT__ARG(haft__buf_str(&why)));
    }
    *ret_content = read.value;
    haft__checker_destroy(checker);
    haft__buf_finish(&raw);
    haft__buf_finish(&why);
    return status;
}

/* Against the schema, if that can be used: who asks with one that cannot gets what was said. */
static haft_status accept(const haft__run_call *call, haft__json said, haft__arena *arena,
                          haft__hash_key hash_key, haft__json *ret_answer, haft_error *err)
{
    haft__json content;
    haft__tool form = {.input_schema = schema_of(call)};
    haft__schema_options options = {.hash_key = hash_key};
    haft_status status = content_of(call, said, arena, &content, err);
    if (status == HAFT_OK && form.input_schema.kind == HAFT__JSON_OBJECT) {
        status = haft__schema_compile(arena, form.input_schema, &options, &form.schema, NULL);
        if (status == HAFT_NO_MEMORY) {
            return haft__fail_no_memory(err);
        }
        status =
            status == HAFT_OK ? check(&form, content, arena, hash_key, &content, err) : HAFT_OK;
    }
    return status == HAFT_OK ? make(arena, "accept", &content, ret_answer, err) : status;
}

haft_status haft__asked_answer(const haft__run_call *call, haft__json said, haft__arena *arena,
                               haft__hash_key hash_key, haft__json *ret_answer, haft_error *err)
{
    const char *action = action_of(said);
    const haft__json *content = haft__json_get(said, HAFT__LIT("content"));
    if (action != NULL && strcmp(action, "accept") != 0) {
        return make(arena, action, NULL, ret_answer, err);
    }
    if (haft__asked_is_url(call)) {
        return make(arena, action == NULL && is_no(said) ? "decline" : "accept", NULL, ret_answer,
                    err);
    }
    if (action != NULL) {
        said = content != NULL ? *content : haft__json_null();
    }
    return accept(call, said, arena, hash_key, ret_answer, err);
}
